/*
  The streams of order propagated on the device but for VALUE (plan/propagate.c on the host). Entries are sorted stably by tile and row block,
  which gives their slots; what each chunk's rows are is found in it (encode_chunks.cu).
*/
#include "chunks.cuh"

#define SPAN 1024 /* entries of a warp that looks for their runs */

/* Of each entry, in the order of the segment's rows */
typedef struct {
  PetscInt *k;     /* its row's place in the segment */
  uint32_t *key;   /* its run */
} Entries;

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

/* The units of runs, in both orders */
static __global__ void __launch_bounds__(BLOCK) CountUnits(AutoCSRSegment seg, DeviceRuns runs)
{
  PtxWaitForLast();
  const PetscInt n = RunCount(runs);

  for (PetscInt64 i = FirstOfThread(); i <= n; i += StrideOfThreads()) {
    const PetscInt units = i < n ? AutoCSRPropagateUnitsOf(&seg, runs.entry[i + 1] - runs.entry[i]) : 0;

    runs.unit[i]                                                           = units;
    runs.place[i < n ? i % runs.blocks * runs.tiles + i / runs.blocks : n] = units;
  }
}

/* The first unit of each tile, and the end */
static __global__ void __launch_bounds__(BLOCK) FindTiles(DeviceRuns runs, PetscInt tile_unit[])
{
  PtxWaitForLast();
  for (PetscInt64 c = FirstOfThread(); c <= runs.tiles; c += StrideOfThreads()) tile_unit[c] = runs.unit[c * runs.blocks];
}

/* INDEX, and the row of each slot in its row block; key and sorted: entries by run */
static __global__ void __launch_bounds__(BLOCK) WriteIndex(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, DeviceRuns runs, const uint32_t key[], const PetscInt sorted[], Entries entries, uint16_t row_of[])
{
  PtxWaitForLast();
  const PetscInt *block_row = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data;
  uint16_t       *index     = (uint16_t *)seg.stream[AUTOCSR_STREAM_INDEX].data;

  for (PetscInt64 i = FirstOfThread(); i < nnz; i += StrideOfThreads()) {
    const PetscInt run = (PetscInt)key[i], tile = run / runs.blocks, b = run % runs.blocks, slot = runs.unit[run] * AUTOCSR_PROPAGATE_UNIT + (PetscInt)i - runs.entry[run];
    const PetscInt e = sorted[i], k = entries.k[e];

    index[slot]  = (uint16_t)(csr.col[csr.row_ptr[AutoCSRSegmentRow(&seg, k)] + (e - ptr[k])] - tile * seg.axes.tile_width);
    row_of[slot] = (uint16_t)(k - block_row[b]);
  }
}

/* What is counted by run: ITEM, CHUNK_PTR, PART_PTR, PART, and room for the other streams; key: of the entries sorted by run */
static PetscErrorCode MakeRuns(AutoCSRSegment *seg, PetscInt n, const uint32_t key[], const DeviceRuns *runs)
{
  const PetscInt n_runs = RunCount(*runs);
  DeviceScratch  scratch;
  PetscInt      *tile_unit, *host;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(DeviceFirstOfKeys(seg->nnz, key, n_runs, runs->entry));
  Launch(CountUnits, GridOfThreads(n_runs + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SumUp(n_runs, runs->unit));
  PetscCall(SumUp(n_runs, runs->place));
  PetscCall(scratch.Allocate((size_t)runs->tiles + 1, &tile_unit));
  Launch(FindTiles, GridOfThreads(runs->tiles + 1), BLOCK, 0, AUTOCSR_STREAM)(*runs, tile_unit);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(PetscMalloc1(runs->tiles + 1, &host));
  PetscCall(AutoCSRDeviceToHost(host, tile_unit, sizeof(*host) * (size_t)(runs->tiles + 1)));
  ierr = AutoCSRPropagateAllocate(seg, n, host);
  PetscCall(PetscFree(host));
  PetscCall(ierr); /* out of memory is one that the caller lives with */
  PetscCall(DeviceEncodeChunks(seg, runs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodePropagate(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  DeviceScratch memory[12];
  PetscInt     *ptr, *before, *in_order, *sorted;
  uint16_t     *row_of;
  uint32_t     *key;
  Entries       entries;
  DeviceRuns    runs;
  size_t        nnz, n_runs, slots;

  PetscFunctionBegin;
  PetscCall(memory[0].Allocate((size_t)seg->n_rows + 1, &ptr));
  PetscCall(memory[1].Allocate((size_t)seg->n_rows + 1, &before));
  PetscCall(DeviceCountEntries(seg, csr, ptr));
  PetscCall(DeviceEncodeRowBlocks(seg, ptr, before, &runs.blocks));
  runs.tiles = AutoCSRTiledTiles(&seg->axes, csr->n);
  PetscCheck((PetscInt64)runs.tiles * runs.blocks < 2147483647, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " column tiles of %" PetscInt_FMT " row blocks are more than 32 bits count", runs.tiles, runs.blocks);
  nnz    = (size_t)seg->nnz;
  n_runs = (size_t)RunCount(runs) + 1;
  PetscCall(memory[2].Allocate(nnz, &entries.k));
  PetscCall(memory[3].Allocate(nnz, &entries.key));
  PetscCall(memory[4].Allocate(nnz, &in_order));
  PetscCall(memory[5].Allocate(nnz, &sorted));
  PetscCall(memory[6].Allocate(nnz, &key));
  PetscCall(memory[7].Allocate(n_runs, &runs.entry));
  PetscCall(memory[8].Allocate(n_runs, &runs.unit));
  PetscCall(memory[9].Allocate(n_runs, &runs.place));
  PetscCall(memory[10].Allocate(n_runs, &runs.part));
  if (nnz) {
    Launch(FindRuns, (unsigned)Pieces(seg->nnz, SPAN * (BLOCK / WARP)), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, before, seg->nnz, runs.blocks, entries, in_order);
    PetscCallCUDA(cudaGetLastError());
  }
  PetscCall(SortByKey(seg->nnz, RunCount(runs), entries.key, in_order, key, sorted));
  PetscCall(MakeRuns(seg, csr->n, key, &runs));
  PetscCall(ZeroStream(seg, AUTOCSR_STREAM_INDEX));
  PetscCall(ZeroStream(seg, AUTOCSR_STREAM_VALUE));
  slots = seg->stream[AUTOCSR_STREAM_INDEX].bytes / sizeof(uint16_t);
  PetscCall(memory[11].Allocate(slots, &row_of));
  PetscCallCUDA(cudaMemsetAsync(row_of, 0xff, sizeof(*row_of) * slots, AUTOCSR_STREAM)); /* none */
  if (nnz) {
    Launch(WriteIndex, GridOfThreads(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, seg->nnz, runs, key, sorted, entries, row_of);
    PetscCallCUDA(cudaGetLastError());
  }
  PetscCall(DeviceEncodeCodes(seg, runs.blocks, row_of));
  PetscFunctionReturn(PETSC_SUCCESS);
}
