/*
  The streams of order propagated on the device but for VALUE (plan/propagate.c on the host). Entries are sorted twice, both times from the
  order of the CSR and stably: by tile and row block, which gives their slots, and by chunk, which gives the order of the codes.
*/
#include "encode.cuh"
#include "sums.cuh"
#include <cub/device/device_radix_sort.cuh>

#define SPAN 1024 /* entries of a warp that looks for their runs */

/* The runs of all tiles and row blocks: a run's number is tile * blocks + row block. Arrays have one more, for the end */
typedef struct {
  PetscInt  tiles, blocks;
  PetscInt *entry; /* the first of each among the sorted entries */
  PetscInt *unit;  /* the first unit of each */
  PetscInt *place; /* by row block * tiles + tile: units before it, row block after row block */
  PetscInt *part;  /* in that order: parts before it */
} Runs;

/* Of each entry, in the order of the segment's rows */
typedef struct {
  PetscInt *k;     /* its row's place in the segment */
  uint32_t *key;   /* its run, then its chunk */
  uint16_t *place; /* in its chunk */
} Entries;

static __host__ __device__ __forceinline__ PetscInt RunCount(const Runs &runs)
{
  return runs.tiles * runs.blocks;
}

/* begins[k]: whether a row block begins; then how many have begun before row k */
static __global__ void __launch_bounds__(BLOCK) FindRowBlocks(AutoCSRSegment seg, const PetscInt ptr[], PetscInt begins[])
{
  PtxWaitForLast();
  for (PetscInt64 k = FirstOfThread(); k <= seg.n_rows; k += StrideOfThreads()) begins[k] = k < seg.n_rows && AutoCSRPropagateBegins(&seg.axes, (PetscInt)k, ptr[k ? k - 1 : 0], ptr[k]) ? 1 : 0;
}

static __global__ void __launch_bounds__(BLOCK) WriteRowBlocks(AutoCSRSegment seg, const PetscInt before[])
{
  PtxWaitForLast();
  PetscInt *block_row = (PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data;

  for (PetscInt64 k = FirstOfThread(); k <= seg.n_rows; k += StrideOfThreads()) {
    if (k == seg.n_rows || before[k + 1] > before[k]) block_row[before[k]] = (PetscInt)k;
  }
}

/* The row and the run of each entry */
static __global__ void __launch_bounds__(BLOCK) FindRuns(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], const PetscInt before[], PetscInt nnz, PetscInt blocks, Entries entries, PetscInt in_order[])
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  const PetscInt64        begin = FirstOfThread() / WARP * SPAN, end = begin + SPAN < nnz ? begin + SPAN : nnz;

  if (begin >= nnz) return;
  WarpWalkEntries(ptr, seg.n_rows, begin, end, slices[threadIdx.x / WARP], [&](PetscInt first, PetscInt64 from, PetscInt64 to) {
    const SliceEntries &slice = slices[threadIdx.x / WARP];

    for (PetscInt64 e = from + Lane(); e < to; e += WARP) {
      const int      r = slice.RowOf((PetscInt)e);
      const PetscInt k = first + r, q = csr.row_ptr[AutoCSRSegmentRow(&seg, k)] + ((PetscInt)e - slice.begin[r]);

      entries.k[e]   = k;
      entries.key[e] = (uint32_t)(csr.col[q] / seg.axes.tile_width * blocks + before[k + 1] - 1);
      in_order[e]    = (PetscInt)e;
    }
  });
}

/* Where each key begins among the sorted */
static __global__ void __launch_bounds__(BLOCK) FindFirst(const uint32_t key[], PetscInt nnz, PetscInt keys, PetscInt first[])
{
  PtxWaitForLast();
  for (PetscInt64 c = FirstOfThread(); c <= keys; c += StrideOfThreads()) {
    PetscInt lo = 0, hi = nnz;

    while (lo < hi) {
      const PetscInt mid = lo + (hi - lo) / 2;

      if (key[mid] < (uint32_t)c)
        lo = mid + 1;
      else
        hi = mid;
    }
    first[c] = lo;
  }
}

/* The units of runs, in both orders */
static __global__ void __launch_bounds__(BLOCK) CountUnits(Runs runs)
{
  PtxWaitForLast();
  const PetscInt n = RunCount(runs);

  for (PetscInt64 i = FirstOfThread(); i <= n; i += StrideOfThreads()) {
    const PetscInt units = i < n ? AutoCSRPropagateUnitsOf(runs.entry[i + 1] - runs.entry[i]) : 0;

    runs.unit[i]                                                           = units;
    runs.place[i < n ? i % runs.blocks * runs.tiles + i / runs.blocks : n] = units;
  }
}

/* The first unit of each tile, and the end */
static __global__ void __launch_bounds__(BLOCK) FindTiles(Runs runs, PetscInt tile_unit[])
{
  PtxWaitForLast();
  for (PetscInt64 c = FirstOfThread(); c <= runs.tiles; c += StrideOfThreads()) tile_unit[c] = runs.unit[c * runs.blocks];
}

static __global__ void __launch_bounds__(BLOCK) CountChunks(Runs runs, PetscInt chunk_ptr[])
{
  PtxWaitForLast();
  for (PetscInt64 b = FirstOfThread(); b <= runs.blocks; b += StrideOfThreads()) chunk_ptr[b] = b < runs.blocks ? AutoCSRPropagatePartsOf(0, runs.place[(b + 1) * runs.tiles] - runs.place[b * runs.tiles]) : 0;
}

static __global__ void __launch_bounds__(BLOCK) CountParts(Runs runs)
{
  PtxWaitForLast();
  const PetscInt n = RunCount(runs);

  for (PetscInt64 i = FirstOfThread(); i <= n; i += StrideOfThreads()) runs.part[i] = i < n ? AutoCSRPropagatePartsOf(runs.place[i] - runs.place[i / runs.tiles * runs.tiles], runs.place[i + 1] - runs.place[i]) : 0;
}

static __global__ void __launch_bounds__(BLOCK) WriteParts(AutoCSRSegment seg, Runs runs, PetscInt chunks)
{
  PtxWaitForLast();
  const PetscInt  n         = RunCount(runs);
  const PetscInt *chunk_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_CHUNK_PTR].data;

  for (PetscInt64 i = FirstOfThread(); i <= n; i += StrideOfThreads()) {
    const PetscInt b = i < n ? (PetscInt)(i / runs.tiles) : 0, tile = i < n ? (PetscInt)(i % runs.tiles) : 0;

    if (i < n)
      AutoCSRPropagateEncodeParts(&seg, runs.unit[tile * runs.blocks + b], runs.place[i] - runs.place[b * runs.tiles], runs.place[i + 1] - runs.place[i], chunk_ptr[b], runs.part[i]);
    else
      ((PetscInt *)seg.stream[AUTOCSR_STREAM_PART_PTR].data)[chunks] = runs.part[n];
  }
}

/* INDEX, and each entry's chunk, of which it has the place; key and sorted: entries by run */
static __global__ void __launch_bounds__(BLOCK) WriteIndex(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, Runs runs, const uint32_t key[], const PetscInt sorted[], Entries entries)
{
  PtxWaitForLast();
  const PetscInt *chunk_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  uint16_t       *index     = (uint16_t *)seg.stream[AUTOCSR_STREAM_INDEX].data;

  for (PetscInt64 i = FirstOfThread(); i < nnz; i += StrideOfThreads()) {
    const PetscInt run = (PetscInt)key[i], tile = run / runs.blocks, b = run % runs.blocks, in = (PetscInt)i - runs.entry[run];
    const PetscInt e = sorted[i], k = entries.k[e], place = (runs.place[b * runs.tiles + tile] - runs.place[b * runs.tiles]) * AUTOCSR_PROPAGATE_UNIT + in;

    index[runs.unit[run] * AUTOCSR_PROPAGATE_UNIT + in] = (uint16_t)(csr.col[csr.row_ptr[AutoCSRSegmentRow(&seg, k)] + (e - ptr[k])] - tile * seg.axes.tile_width);
    entries.key[e]                                      = (uint32_t)(chunk_ptr[b] + place / AUTOCSR_PROPAGATE_CHUNK);
    entries.place[e]                                    = (uint16_t)(place % AUTOCSR_PROPAGATE_CHUNK);
  }
}

/* The codes that name nothing */
static __global__ void __launch_bounds__(BLOCK) ClearCodes(AutoCSRSegment seg, PetscInt codes)
{
  PtxWaitForLast();
  uint16_t *chunk_row   = (uint16_t *)seg.stream[AUTOCSR_STREAM_CHUNK_ROW].data;
  uint8_t  *chunk_place = (uint8_t *)seg.stream[AUTOCSR_STREAM_CHUNK_PLACE].data;

  for (PetscInt64 i = FirstOfThread(); i < codes; i += StrideOfThreads()) {
    chunk_row[i]   = AutoCSRPropagateRowCode(AUTOCSR_PROPAGATE_NO_ROW, 0);
    chunk_place[i] = 0;
  }
}

/* CHUNK_ROW and CHUNK_PLACE; key and sorted: entries by chunk, of which first tells where each begins */
static __global__ void __launch_bounds__(BLOCK) WriteCodes(AutoCSRSegment seg, PetscInt nnz, const PetscInt before[], const PetscInt first[], const uint32_t key[], const PetscInt sorted[], Entries entries)
{
  PtxWaitForLast();
  const PetscInt *block_row   = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data;
  uint16_t       *chunk_row   = (uint16_t *)seg.stream[AUTOCSR_STREAM_CHUNK_ROW].data;
  uint8_t        *chunk_place = (uint8_t *)seg.stream[AUTOCSR_STREAM_CHUNK_PLACE].data;

  for (PetscInt64 i = FirstOfThread(); i < nnz; i += StrideOfThreads()) {
    const PetscInt chunk = (PetscInt)key[i], at = chunk * AUTOCSR_PROPAGATE_CHUNK + (PetscInt)i - first[chunk];
    const PetscInt e = sorted[i], k = entries.k[e], place = entries.place[e];

    chunk_row[at]   = AutoCSRPropagateRowCode(k - block_row[before[k + 1] - 1], place);
    chunk_place[at] = (uint8_t)(place & 0xff);
  }
}

static PetscErrorCode Zero(const AutoCSRSegment *seg, AutoCSRStreamKind kind)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaMemsetAsync(seg->stream[kind].data, 0, seg->stream[kind].bytes, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries sorted by their keys, all below `keys`; in_order: 0, 1, 2 ... */
static PetscErrorCode SortEntries(PetscInt nnz, PetscInt keys, const uint32_t key[], const PetscInt in_order[], uint32_t sorted_key[], PetscInt sorted[])
{
  int bits = 1;

  PetscFunctionBegin;
  while (bits < 31 && keys >> bits) bits++;
  if (nnz) PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceRadixSort::SortPairs(temporary, bytes, key, sorted_key, in_order, sorted, nnz, 0, bits, AUTOCSR_STREAM); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BLOCK_ROW; before: of each row, how many row blocks have begun before it, and with it in the next */
static PetscErrorCode MakeRowBlocks(AutoCSRSegment *seg, const PetscInt ptr[], PetscInt before[], PetscInt *blocks)
{
  PetscFunctionBegin;
  Launch(FindRowBlocks, GridOfThreads(seg->n_rows + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, ptr, before);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SumUp(seg->n_rows, before));
  PetscCall(AutoCSRDeviceToHost(blocks, before + seg->n_rows, sizeof(*blocks)));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BLOCK_ROW, *blocks + 1));
  Launch(WriteRowBlocks, GridOfThreads(seg->n_rows + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, before);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is counted by run: ITEM, CHUNK_PTR, PART_PTR, PART, and room for the other streams; key: of the entries sorted by run */
static PetscErrorCode MakeRuns(AutoCSRSegment *seg, PetscInt n, const uint32_t key[], const Runs *runs, PetscInt *chunks)
{
  const PetscInt n_runs = RunCount(*runs);
  DeviceScratch  scratch;
  PetscInt      *tile_unit, *host, *chunk_ptr, parts;

  PetscFunctionBegin;
  Launch(FindFirst, GridOfThreads(n_runs + 1), BLOCK, 0, AUTOCSR_STREAM)(key, seg->nnz, n_runs, runs->entry);
  PetscCallCUDA(cudaGetLastError());
  Launch(CountUnits, GridOfThreads(n_runs + 1), BLOCK, 0, AUTOCSR_STREAM)(*runs);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SumUp(n_runs, runs->unit));
  PetscCall(SumUp(n_runs, runs->place));
  PetscCall(scratch.Allocate((size_t)runs->tiles + 1, &tile_unit));
  Launch(FindTiles, GridOfThreads(runs->tiles + 1), BLOCK, 0, AUTOCSR_STREAM)(*runs, tile_unit);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(PetscMalloc1(runs->tiles + 1, &host));
  PetscCall(AutoCSRDeviceToHost(host, tile_unit, sizeof(*host) * (size_t)(runs->tiles + 1)));
  PetscCall(AutoCSRPropagateAllocate(seg, n, host));
  PetscCall(PetscFree(host));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_CHUNK_PTR, runs->blocks + 1));
  chunk_ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  Launch(CountChunks, GridOfThreads(runs->blocks + 1), BLOCK, 0, AUTOCSR_STREAM)(*runs, chunk_ptr);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SumUp(runs->blocks, chunk_ptr));
  PetscCall(AutoCSRDeviceToHost(chunks, chunk_ptr + runs->blocks, sizeof(*chunks)));
  Launch(CountParts, GridOfThreads(n_runs + 1), BLOCK, 0, AUTOCSR_STREAM)(*runs);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SumUp(n_runs, runs->part));
  PetscCall(AutoCSRDeviceToHost(&parts, runs->part + n_runs, sizeof(parts)));
  PetscCall(AutoCSRPropagateAllocateChunks(seg, *chunks, parts));
  Launch(WriteParts, GridOfThreads(n_runs + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs, *chunks);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodePropagate(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  DeviceScratch memory[13];
  PetscInt     *ptr, *before, *in_order, *sorted, *first, chunks;
  uint32_t     *key;
  Entries       entries;
  Runs          runs;
  size_t        nnz, n_runs;

  PetscFunctionBegin;
  PetscCall(memory[0].Allocate((size_t)seg->n_rows + 1, &ptr));
  PetscCall(memory[1].Allocate((size_t)seg->n_rows + 1, &before));
  PetscCall(DeviceCountEntries(seg, csr, ptr));
  PetscCall(MakeRowBlocks(seg, ptr, before, &runs.blocks));
  runs.tiles = AutoCSRTiledTiles(&seg->axes, csr->n);
  PetscCheck((PetscInt64)runs.tiles * runs.blocks < 2147483647, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " column tiles of %" PetscInt_FMT " row blocks are more than 32 bits count", runs.tiles, runs.blocks);
  nnz    = (size_t)seg->nnz;
  n_runs = (size_t)RunCount(runs) + 1;
  PetscCall(memory[2].Allocate(nnz, &entries.k));
  PetscCall(memory[3].Allocate(nnz, &entries.key));
  PetscCall(memory[4].Allocate(nnz, &entries.place));
  PetscCall(memory[5].Allocate(nnz, &in_order));
  PetscCall(memory[6].Allocate(nnz, &sorted));
  PetscCall(memory[7].Allocate(nnz, &key));
  PetscCall(memory[8].Allocate(n_runs, &runs.entry));
  PetscCall(memory[9].Allocate(n_runs, &runs.unit));
  PetscCall(memory[10].Allocate(n_runs, &runs.place));
  PetscCall(memory[11].Allocate(n_runs, &runs.part));
  if (nnz) {
    Launch(FindRuns, (unsigned)Pieces(seg->nnz, SPAN * (BLOCK / WARP)), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, before, seg->nnz, runs.blocks, entries, in_order);
    PetscCallCUDA(cudaGetLastError());
  }
  PetscCall(SortEntries(seg->nnz, RunCount(runs), entries.key, in_order, key, sorted));
  PetscCall(MakeRuns(seg, csr->n, key, &runs, &chunks));
  PetscCall(Zero(seg, AUTOCSR_STREAM_INDEX));
  PetscCall(Zero(seg, AUTOCSR_STREAM_VALUE));
  Launch(ClearCodes, GridOfThreads((PetscInt64)chunks * AUTOCSR_PROPAGATE_CHUNK), BLOCK, 0, AUTOCSR_STREAM)(*seg, chunks * AUTOCSR_PROPAGATE_CHUNK);
  PetscCallCUDA(cudaGetLastError());
  if (!nnz) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(WriteIndex, GridOfThreads(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, seg->nnz, runs, key, sorted, entries);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SortEntries(seg->nnz, chunks, entries.key, in_order, key, sorted));
  PetscCall(memory[12].Allocate((size_t)chunks + 1, &first));
  Launch(FindFirst, GridOfThreads(chunks + 1), BLOCK, 0, AUTOCSR_STREAM)(key, seg->nnz, chunks, first);
  PetscCallCUDA(cudaGetLastError());
  Launch(WriteCodes, GridOfThreads(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, seg->nnz, before, first, key, sorted, entries);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
