/*
  The streams of order popular on the device (plan/popular.c on the host). Columns are sorted by their class, entries by tile and
  row block, both stably; what is sorted with an entry tells its row in the row block and its column in the tile, so that only its
  value is fetched from where it was. New values are sorted again: their places are not kept.

  Bytes: of an entry 24 in each of three passes of the sort, and 8 to 32 where its value is fetched.
*/
#include "chunks.cuh"

#define SPAN     1024 /* entries of a warp */
#define ROW_BITS 13   /* of a row block */

/* What is sorted: the entry's number among the segment's, its row in the row block and its column in the tile */
typedef unsigned long long Entry;

static_assert(AUTOCSR_PROPAGATE_ROWS <= 1 << ROW_BITS, "An entry tells its row");

static __device__ __forceinline__ Entry MakeEntry(PetscInt e, PetscInt row, PetscInt index)
{
  return (Entry)e << (ROW_BITS + 16) | (Entry)row << 16 | (Entry)index;
}

static __device__ __forceinline__ PetscInt NumberOf(Entry entry)
{
  return (PetscInt)(entry >> (ROW_BITS + 16));
}

static __device__ __forceinline__ int RowOf(Entry entry)
{
  return (int)(entry >> 16) & ((1 << ROW_BITS) - 1);
}

static __device__ __forceinline__ int IndexOf(Entry entry)
{
  return (int)(entry & 0xffff);
}

/* f(e, k, q): entry e of the segment is in its k-th row, and entry q of the CSR; a warp goes along as many as any other */
template <typename F>
static __device__ __forceinline__ void EachEntry(const AutoCSRSegment &seg, const AutoCSRMatrix &csr, const PetscInt ptr[], PetscInt nnz, SliceEntries &slice, F f)
{
  const PetscInt64 begin = FirstOfThread() / WARP * SPAN, end = begin + SPAN < nnz ? begin + SPAN : nnz;

  if (begin >= nnz) return;
  WarpWalkEntries(ptr, seg.n_rows, begin, end, slice, [&](PetscInt first, PetscInt64 from, PetscInt64 to) {
    for (PetscInt64 e = from + Lane(); e < to; e += WARP) {
      const int      r = slice.RowOf((PetscInt)e);
      const PetscInt k = first + r;

      f((PetscInt)e, k, csr.row_ptr[AutoCSRSegmentRow(&seg, k)] + ((PetscInt)e - slice.begin[r]));
    }
  });
}

static __global__ void __launch_bounds__(BLOCK) CountColumns(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, PetscInt entries[])
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];

  EachEntry(seg, csr, ptr, nnz, slices[threadIdx.x / WARP], [&](PetscInt, PetscInt, PetscInt q) { AtomicAdd(&entries[csr.col[q]], 1); });
}

static __global__ void __launch_bounds__(BLOCK) ClassColumns(PetscInt n, const PetscInt entries[], uint32_t key[], PetscInt column[])
{
  PtxWaitForLast();
  for (PetscInt64 j = FirstOfThread(); j < n; j += StrideOfThreads()) {
    key[j]    = AutoCSRPopularClass(entries[j]);
    column[j] = (PetscInt)j;
  }
}

static __global__ void __launch_bounds__(BLOCK) PlaceColumns(AutoCSRSegment seg, PetscInt place[])
{
  PtxWaitForLast();
  const PetscInt *column = (const PetscInt *)seg.stream[AUTOCSR_STREAM_COLUMN].data, n = AutoCSRPopularColumns(&seg);

  for (PetscInt64 i = FirstOfThread(); i < n; i += StrideOfThreads()) place[column[i]] = (PetscInt)i;
}

/* The key of each entry is its run */
static __global__ void __launch_bounds__(BLOCK) FindRuns(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, PetscInt blocks, const PetscInt before[], const PetscInt place[], uint32_t key[], Entry entry[])
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  const PetscInt         *block_row = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data, width = seg.axes.tile_width;

  EachEntry(seg, csr, ptr, nnz, slices[threadIdx.x / WARP], [&](PetscInt e, PetscInt k, PetscInt q) {
    const PetscInt at = place[csr.col[q]], b = before[k + 1] - 1;

    key[e]   = (uint32_t)(at / width * blocks + b);
    entry[e] = MakeEntry(e, k - block_row[b], at % width);
  });
}

/* A tile's first entry among the sorted, and the end */
static __global__ void __launch_bounds__(BLOCK) FindTiles(DeviceRuns runs, PetscInt tile_entry[])
{
  PtxWaitForLast();
  for (PetscInt64 c = FirstOfThread(); c <= runs.tiles; c += StrideOfThreads()) tile_entry[c] = runs.entry[c * runs.blocks];
}

/* Tiles in both orders: their first entries among the sorted, their first groups; and the ends */
typedef struct {
  PetscInt *entry, *group;
} Tiles;

/* f(slot, tile, i, end) for each slot: i is the entry that lies there, negative where there is none, and end that after the tile's last; a warp has as many slots as it has lanes, of one tile */
template <typename F>
static __device__ __forceinline__ void EachSlot(const Tiles &tiles, PetscInt n_tiles, PetscInt64 slots, F f)
{
  for (PetscInt64 slot = FirstOfThread(); slot < slots; slot += StrideOfThreads()) {
    const PetscInt group = (PetscInt)(slot / AUTOCSR_TILED_GROUP), tile = WarpFindLast([=](PetscInt c) { return tiles.group[c]; }, n_tiles, group);
    const PetscInt i = tiles.entry[tile] + (PetscInt)(slot - (PetscInt64)tiles.group[tile] * AUTOCSR_TILED_GROUP), end = tiles.entry[tile + 1];

    f((PetscInt)slot, tile, i < end ? i : -1, end);
  }
}

/* Where an entry is in the CSR */
static __device__ __forceinline__ PetscInt PlaceInCSR(const AutoCSRSegment &seg, const AutoCSRMatrix &csr, const PetscInt ptr[], PetscInt b, Entry entry)
{
  const PetscInt e = NumberOf(entry);
  PetscInt       k;

  if (!seg.stream[AUTOCSR_STREAM_ROWS].data) return csr.row_ptr[seg.row_begin] + e;
  k = ((const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data)[b] + RowOf(entry);
  return csr.row_ptr[AutoCSRSegmentRow(&seg, k)] + (e - ptr[k]);
}

/* VALUE, and INDEX and END unless these are there; key and entry: sorted */
template <bool all>
static __global__ void __launch_bounds__(BLOCK) WriteSlots(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], Tiles tiles, PetscInt n_tiles, PetscInt blocks, PetscInt64 slots, const uint32_t key[], const Entry entry[], const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  uint16_t *index = (uint16_t *)seg.stream[AUTOCSR_STREAM_INDEX].data;
  uint32_t *ends  = (uint32_t *)seg.stream[AUTOCSR_STREAM_END].data;

  EachSlot(tiles, n_tiles, slots, [&](PetscInt slot, PetscInt tile, PetscInt i, PetscInt end) {
    const Entry    here = i < 0 ? 0 : entry[i];
    const uint32_t run  = i < 0 ? 0 : key[i];

    if (all) {
      bool last = i >= 0 && (i + 1 == end || key[i + 1] != run || RowOf(entry[i + 1]) != RowOf(here));

      if (i >= 0 && !last && slot % AUTOCSR_TILED_GROUP == AUTOCSR_TILED_GROUP - 1) last = AutoCSRTiledIsPartEnd(tiles.group[tile + 1] - tiles.group[tile], seg.axes.tile_steps, slot / AUTOCSR_TILED_GROUP - tiles.group[tile]);

      const unsigned word = __ballot_sync(ALL_LANES, last);

      index[slot] = (uint16_t)IndexOf(here);
      if (Lane() == 0) ends[slot / 32] = word;
    }
    if (i >= 0) AutoCSREncodeValue(&seg, seg.axes.value, dictionary, &csr.val[PlaceInCSR(seg, csr, ptr, (PetscInt)run % blocks, here)], AutoCSRTiledValueSlot(&seg.axes, slot));
  });
}

/* The pieces that end before a slot of a group */
static __device__ __forceinline__ PetscInt PiecesBefore(const AutoCSRSegment &seg, PetscInt slot)
{
  const uint32_t *ends  = (const uint32_t *)seg.stream[AUTOCSR_STREAM_END].data;
  const PetscInt  group = slot / AUTOCSR_TILED_GROUP;
  PetscInt        n     = ((const PetscInt *)seg.stream[AUTOCSR_STREAM_PIECE_PTR].data)[group];

  for (PetscInt w = group * (AUTOCSR_TILED_GROUP / 32); w < slot / 32; w++) n += __popc(ends[w]);
  if (slot % 32) n += __popc(ends[slot / 32] & ((1u << slot % 32) - 1));
  return n;
}

/* The first piece of each run, which begins with one */
static __global__ void __launch_bounds__(BLOCK) FindPieces(AutoCSRSegment seg, DeviceRuns runs, Tiles tiles)
{
  PtxWaitForLast();
  const PetscInt n = RunCount(runs);

  for (PetscInt64 r = FirstOfThread(); r <= n; r += StrideOfThreads()) {
    const PetscInt tile = r < n ? (PetscInt)(r / runs.blocks) : runs.tiles, in = runs.entry[r] - tiles.entry[tile];
    const PetscInt group = tiles.group[tile] + in / AUTOCSR_TILED_GROUP; /* runs without entries may begin past the tile's last group */

    runs.unit[r] = in % AUTOCSR_TILED_GROUP ? PiecesBefore(seg, group * AUTOCSR_TILED_GROUP + in % AUTOCSR_TILED_GROUP) : ((const PetscInt *)seg.stream[AUTOCSR_STREAM_PIECE_PTR].data)[group];
  }
}

static __global__ void __launch_bounds__(BLOCK) CountPieces(DeviceRuns runs)
{
  PtxWaitForLast();
  const PetscInt n = RunCount(runs);

  for (PetscInt64 r = FirstOfThread(); r <= n; r += StrideOfThreads()) runs.place[r < n ? r % runs.blocks * runs.tiles + r / runs.blocks : n] = r < n ? runs.unit[r + 1] - runs.unit[r] : 0;
}

/* The row of each piece in its row block */
static __global__ void __launch_bounds__(BLOCK) WritePieceRows(AutoCSRSegment seg, Tiles tiles, PetscInt n_tiles, PetscInt64 slots, const Entry entry[], uint16_t row_of[])
{
  PtxWaitForLast();
  const uint32_t *ends = (const uint32_t *)seg.stream[AUTOCSR_STREAM_END].data;

  EachSlot(tiles, n_tiles, slots, [&](PetscInt slot, PetscInt, PetscInt i, PetscInt) {
    if (ends[slot / 32] >> slot % 32 & 1) row_of[PiecesBefore(seg, slot)] = (uint16_t)RowOf(entry[i]);
  });
}

/* COLUMN: the columns by class; ptr: entries before each row */
static PetscErrorCode MakeColumns(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const PetscInt ptr[])
{
  DeviceScratch memory[6];
  PetscInt     *entries, *column, *sorted, *first, used;
  uint32_t     *key, *sorted_key;

  PetscFunctionBegin;
  PetscCall(memory[0].Allocate((size_t)csr->n, &entries));
  PetscCall(memory[1].Allocate((size_t)csr->n, &column));
  PetscCall(memory[2].Allocate((size_t)csr->n, &sorted));
  PetscCall(memory[3].Allocate((size_t)csr->n, &key));
  PetscCall(memory[4].Allocate((size_t)csr->n, &sorted_key));
  PetscCall(memory[5].Allocate(AUTOCSR_POPULAR_CLASSES, &first));
  PetscCallCUDA(cudaMemsetAsync(entries, 0, sizeof(*entries) * (size_t)csr->n, AUTOCSR_STREAM));
  if (seg->nnz) {
    Launch(CountColumns, (unsigned)Pieces(seg->nnz, SPAN * (BLOCK / WARP)), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, seg->nnz, entries);
    PetscCallCUDA(cudaGetLastError());
  }
  Launch(ClassColumns, GridOfThreads(csr->n), BLOCK, 0, AUTOCSR_STREAM)(csr->n, entries, key, column);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SortByKey(csr->n, AUTOCSR_POPULAR_NONE, key, column, sorted_key, sorted));
  PetscCall(DeviceFirstOfKeys(csr->n, sorted_key, AUTOCSR_POPULAR_NONE, first));
  PetscCall(AutoCSRDeviceToHost(&used, first + AUTOCSR_POPULAR_NONE, sizeof(used)));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_COLUMN, used));
  PetscCallCUDA(cudaMemcpyAsync(seg->stream[AUTOCSR_STREAM_COLUMN].data, sorted, sizeof(*sorted) * (size_t)used, cudaMemcpyDeviceToDevice, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory that the sorted entries are in */
typedef struct {
  DeviceScratch memory[2];
  uint32_t     *key;
  Entry        *entry;
} SortedEntries;

/* Entries by run, once COLUMN and BLOCK_ROW are there */
static PetscErrorCode SortEntries(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const PetscInt ptr[], const PetscInt before[], PetscInt tiles, PetscInt blocks, SortedEntries *sorted)
{
  const size_t  nnz = (size_t)seg->nnz;
  DeviceScratch memory[3];
  PetscInt     *place;
  uint32_t     *key;
  Entry        *entry;

  PetscFunctionBegin;
  PetscCall(memory[0].Allocate((size_t)csr->n, &place));
  PetscCall(memory[1].Allocate(nnz, &key));
  PetscCall(memory[2].Allocate(nnz, &entry));
  PetscCall(sorted->memory[0].Allocate(nnz, &sorted->key));
  PetscCall(sorted->memory[1].Allocate(nnz, &sorted->entry));
  Launch(PlaceColumns, GridOfThreads(AutoCSRPopularColumns(seg)), BLOCK, 0, AUTOCSR_STREAM)(*seg, place);
  PetscCallCUDA(cudaGetLastError());
  if (!nnz) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(FindRuns, (unsigned)Pieces(seg->nnz, SPAN * (BLOCK / WARP)), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, seg->nnz, blocks, before, place, key, entry);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SortByKey(seg->nnz, tiles * blocks, key, entry, sorted->key, sorted->entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tiles, and where there are none ITEM and room for what is counted by slot; key: sorted */
static PetscErrorCode MakeTiles(AutoCSRSegment *seg, const uint32_t key[], const DeviceRuns *runs, const Tiles *tiles, PetscInt64 *slots)
{
  const PetscBool exist = (PetscBool)(seg->stream[AUTOCSR_STREAM_ITEM].data != NULL);
  PetscInt       *host, *entries;
  PetscErrorCode  ierr = (PetscErrorCode)0;

  PetscFunctionBegin;
  PetscCall(DeviceFirstOfKeys(seg->nnz, key, RunCount(*runs), runs->entry));
  Launch(FindTiles, GridOfThreads(runs->tiles + 1), BLOCK, 0, AUTOCSR_STREAM)(*runs, tiles->entry);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(PetscMalloc2(runs->tiles + 1, &host, runs->tiles, &entries));
  PetscCall(AutoCSRDeviceToHost(host, tiles->entry, sizeof(*host) * (size_t)(runs->tiles + 1)));
  for (PetscInt c = 0; c < runs->tiles; c++) entries[c] = host[c + 1] - host[c];
  if (!exist) ierr = AutoCSRTiledAllocateSlots(seg, runs->tiles, entries, host);
  if (ierr) PetscCall(PetscFree2(host, entries)); /* out of memory is an error that the caller lives with */
  PetscCall(ierr);
  host[0] = 0;
  for (PetscInt c = 0; c < runs->tiles; c++) host[c + 1] = host[c] + Pieces(entries[c], AUTOCSR_TILED_GROUP);
  PetscCall(AutoCSRDeviceFromHost(tiles->group, host, sizeof(*host) * (size_t)(runs->tiles + 1)));
  *slots = (PetscInt64)host[runs->tiles] * AUTOCSR_TILED_GROUP;
  PetscCall(PetscFree2(host, entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is counted by piece, once END is there; entry: sorted */
static PetscErrorCode MakePieces(AutoCSRSegment *seg, const DeviceRuns *runs, const Tiles *tiles, PetscInt64 slots, const Entry entry[])
{
  const PetscInt n = RunCount(*runs);
  DeviceScratch  scratch;
  uint16_t      *row_of;
  PetscInt       pieces;

  PetscFunctionBegin;
  PetscCall(DeviceEncodeGroups(seg));
  Launch(FindPieces, GridOfThreads(n + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs, *tiles);
  PetscCallCUDA(cudaGetLastError());
  Launch(CountPieces, GridOfThreads(n + 1), BLOCK, 0, AUTOCSR_STREAM)(*runs);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SumUp(n, runs->place));
  PetscCall(DeviceEncodeChunks(seg, runs));
  PetscCall(AutoCSRDeviceToHost(&pieces, runs->place + n, sizeof(pieces)));
  PetscCall(scratch.Allocate((size_t)pieces, &row_of));
  Launch(WritePieceRows, GridOfThreads(slots), BLOCK, 0, AUTOCSR_STREAM)(*seg, *tiles, runs->tiles, slots, entry, row_of);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(DeviceEncodeCodes(seg, runs->blocks, row_of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodePopular(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  DeviceScratch memory[8];
  PetscInt     *ptr, *before;
  PetscInt64    slots;
  SortedEntries sorted;
  DeviceRuns    runs;
  Tiles         tiles;
  size_t        n_runs;

  PetscFunctionBegin;
  PetscCall(memory[0].Allocate((size_t)seg->n_rows + 1, &ptr));
  PetscCall(memory[1].Allocate((size_t)seg->n_rows + 1, &before));
  PetscCall(DeviceCountEntries(seg, csr, ptr));
  PetscCheck((PetscInt64)seg->nnz < (PetscInt64)1 << (63 - ROW_BITS - 16), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " entries are more than are sorted with their rows; take another strategy", seg->nnz);
  PetscCall(MakeColumns(seg, csr, ptr));
  PetscCall(DeviceEncodeRowBlocks(seg, ptr, before, &runs.blocks));
  runs.tiles = AutoCSRPopularTiles(seg);
  PetscCheck((PetscInt64)runs.tiles * runs.blocks < 2147483647, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " column tiles of %" PetscInt_FMT " row blocks are more than 32 bits count", runs.tiles, runs.blocks);
  n_runs = (size_t)RunCount(runs) + 1;
  PetscCall(memory[2].Allocate(n_runs, &runs.entry));
  PetscCall(memory[3].Allocate(n_runs, &runs.unit));
  PetscCall(memory[4].Allocate(n_runs, &runs.place));
  PetscCall(memory[5].Allocate(n_runs, &runs.part));
  PetscCall(memory[6].Allocate((size_t)runs.tiles + 1, &tiles.entry));
  PetscCall(memory[7].Allocate((size_t)runs.tiles + 1, &tiles.group));
  PetscCall(SortEntries(seg, csr, ptr, before, runs.tiles, runs.blocks, &sorted));
  PetscCall(MakeTiles(seg, sorted.key, &runs, &tiles, &slots));
  PetscCall(ZeroStream(seg, AUTOCSR_STREAM_VALUE));
  Launch(WriteSlots<true>, GridOfThreads(slots), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, tiles, runs.tiles, runs.blocks, slots, sorted.key, sorted.entry, dictionary);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(MakePieces(seg, &runs, &tiles, slots, sorted.entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodePopularValue(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  DeviceScratch memory[5];
  PetscInt     *ptr, *before;
  PetscInt64    slots;
  SortedEntries sorted;
  DeviceRuns    runs;
  Tiles         tiles;

  PetscFunctionBegin;
  runs.tiles = AutoCSRPopularTiles(seg);
  PetscCall(memory[0].Allocate((size_t)seg->n_rows + 1, &ptr));
  PetscCall(memory[1].Allocate((size_t)seg->n_rows + 1, &before));
  PetscCall(DeviceCountEntries(seg, csr, ptr));
  PetscCall(DeviceCountRowBlocks(seg, ptr, before, &runs.blocks));
  PetscCall(memory[2].Allocate((size_t)RunCount(runs) + 1, &runs.entry));
  PetscCall(memory[3].Allocate((size_t)runs.tiles + 1, &tiles.entry));
  PetscCall(memory[4].Allocate((size_t)runs.tiles + 1, &tiles.group));
  PetscCall(SortEntries(seg, csr, ptr, before, runs.tiles, runs.blocks, &sorted));
  PetscCall(MakeTiles(seg, sorted.key, &runs, &tiles, &slots));
  Launch(WriteSlots<false>, GridOfThreads(slots), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, tiles, runs.tiles, runs.blocks, slots, sorted.key, sorted.entry, dictionary);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
