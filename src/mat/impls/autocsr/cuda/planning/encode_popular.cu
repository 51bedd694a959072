/*
  The streams of order popular on the device (layout/popular.c on the host). Columns are sorted by their class, entries by tile (encode_sorted.cu).
*/
#include "chunks.cuh"

static __global__ void __launch_bounds__(BLOCK) CountColumns(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, PetscInt entries[])
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];

  EachEntry(seg, csr, ptr, nnz, slices[threadIdx.x / WARP], [&](PetscInt q) { return csr.col[q]; }, [&](PetscInt, PetscInt, PetscInt column) { AtomicAdd(&entries[column], 1); });
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

/* Tiles: their first entries among the sorted, their first groups; and the ends */
typedef struct {
  const PetscInt *entry;
  PetscInt       *group;
} Tiles;

static constexpr int SPAN = AT_ONCE * WARP; /* slots of a warp, of one group */

static_assert(AUTOCSR_TILED_GROUP % SPAN == 0, "A span is of one tile");

/* f(first, tile, i, end) for each span of slots, by a warp: i is the entry that lies in the first, were there so many, and end that after the tile's last; a lane's slots are WARP apart */
template <typename F>
static __device__ __forceinline__ void EachSpan(const Tiles &tiles, PetscInt n_tiles, PetscInt64 slots, F f)
{
  for (PetscInt64 span = FirstOfThread() / WARP; span < slots / SPAN; span += StrideOfThreads() / WARP) {
    const PetscInt first = (PetscInt)(span * SPAN), group = first / AUTOCSR_TILED_GROUP, tile = WarpFindLast([=](PetscInt c) { return tiles.group[c]; }, n_tiles, group);

    f(first, tile, tiles.entry[tile] + (first - tiles.group[tile] * AUTOCSR_TILED_GROUP), tiles.entry[tile + 1]);
  }
}

static inline unsigned GridOfSpans(PetscInt64 slots)
{
  return GridOfThreads(slots / AT_ONCE);
}

/* INDEX, END and VALUE. starts: of runs */
static __global__ void __launch_bounds__(BLOCK) WriteSlots(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], Tiles tiles, PetscInt n_tiles, PetscInt64 slots, const Entry entry[], const uint32_t starts[], const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  uint16_t *index = (uint16_t *)seg.stream[AUTOCSR_STREAM_INDEX].data;
  uint32_t *ends  = (uint32_t *)seg.stream[AUTOCSR_STREAM_END].data;

  EachSpan(tiles, n_tiles, slots, [&](PetscInt first, PetscInt tile, PetscInt begin, PetscInt end) {
    const PetscInt group = first / AUTOCSR_TILED_GROUP;
    const bool     cut   = AutoCSRTiledEndsItemShare(tiles.group[tile + 1] - tiles.group[tile], seg.axes.tile_steps, group - tiles.group[tile]); /* after the group's last slot */
    Entry          here[AT_ONCE];
    PetscScalar    v[AT_ONCE];
    bool           last[AT_ONCE];

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      const PetscInt i = begin + u * WARP + Lane(), next = i + 1;
      const bool     follows = next < end && !(starts[next / 32] >> next % 32 & 1) && !(cut && (first + u * WARP + Lane()) % AUTOCSR_TILED_GROUP == AUTOCSR_TILED_GROUP - 1);

      here[u] = i < end ? entry[i] : 0;
      last[u] = i < end && !(follows && RowOf(entry[next]) == RowOf(here[u]));
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) v[u] = begin + u * WARP + Lane() < end ? csr.val[PlaceInCSR(seg, csr, ptr, here[u])] : (PetscScalar)0;
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      const PetscInt slot = first + u * WARP + Lane();
      const unsigned word = __ballot_sync(ALL_LANES, last[u]);

      index[slot] = (uint16_t)IndexOf(here[u]);
      if (Lane() == 0) ends[slot / 32] = word;
      if (begin + u * WARP + Lane() < end) AutoCSREncodeValue(&seg, seg.axes.value, dictionary, &v[u], AutoCSRTiledValueSlot(&seg.axes, slot));
    }
  });
}

static __global__ void __launch_bounds__(BLOCK) WriteValuePlaces(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], Tiles tiles, PetscInt n_tiles, PetscInt64 slots, const Entry entry[])
{
  PtxWaitForLast();
  PetscInt *value_place = (PetscInt *)seg.stream[AUTOCSR_STREAM_VALUE_PLACE].data;

  EachSpan(tiles, n_tiles, slots, [&](PetscInt first, PetscInt, PetscInt begin, PetscInt end) {
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      const PetscInt slot = first + u * WARP + Lane(), i = begin + u * WARP + Lane();

      value_place[AutoCSRTiledValueSlot(&seg.axes, slot)] = i < end ? PlaceInCSR(seg, csr, ptr, entry[i]) : -1;
    }
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

  EachSpan(tiles, n_tiles, slots, [&](PetscInt first, PetscInt, PetscInt begin, PetscInt) {
    PetscInt piece = PiecesBefore(seg, first);
    unsigned word[AT_ONCE];
    int      row[AT_ONCE];

#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      word[u] = ends[first / 32 + u];
      row[u]  = word[u] >> Lane() & 1 ? RowOf(entry[begin + u * WARP + Lane()]) : 0;
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
      if (word[u] >> Lane() & 1) row_of[piece + __popc(word[u] & ((1u << Lane()) - 1))] = (uint16_t)row[u];
      piece += __popc(word[u]);
    }
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
    Launch(CountColumns, GridOfEntries(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, seg->nnz, entries);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  Launch(ClassColumns, GridOfThreads(csr->n), BLOCK, 0, AUTOCSR_STREAM)(csr->n, entries, key, column);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SortByKey(csr->n, AUTOCSR_POPULAR_CLASSES, key, column, sorted_key, sorted));
  PetscCall(DeviceFirstOfKeys(csr->n, sorted_key, AUTOCSR_POPULAR_NONE, first));
  PetscCall(AutoCSRDeviceToHost(&used, first + AUTOCSR_POPULAR_NONE, sizeof(used)));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_COLUMN, used));
  PetscCallCUDA(cudaMemcpyAsync(seg->stream[AUTOCSR_STREAM_COLUMN].data, sorted, sizeof(*sorted) * (size_t)used, cudaMemcpyDeviceToDevice, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries by run, once COLUMN is there, their tiles, by memory that lasts as long, and where there are none ITEM and room for what is counted by slot */
static PetscErrorCode MakeTiles(AutoCSRSegment *seg, const AutoCSRMatrix *csr, SortedEntries *sorted, DeviceScratch *memory, Tiles *tiles, PetscInt64 *slots)
{
  const PetscBool exist = (PetscBool)(seg->stream[AUTOCSR_STREAM_ITEM].data != NULL);
  const PetscInt  n     = AutoCSRPopularTiles(seg);
  DeviceScratch   scratch;
  PetscInt       *place, *host, *entries;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(scratch.Allocate((size_t)csr->n, &place));
  Launch(PlaceColumns, GridOfThreads(AutoCSRPopularColumns(seg)), BLOCK, 0, AUTOCSR_STREAM)(*seg, place);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(DeviceSortEntries(seg, csr, n, place, PETSC_TRUE, sorted));
  tiles->entry = sorted->tile;
  PetscCall(memory->Allocate((size_t)n + 1, &tiles->group));
  PetscCall(PetscMalloc2(n + 1, &host, n, &entries));
  ierr = AutoCSRDeviceToHost(host, tiles->entry, sizeof(*host) * (size_t)(n + 1));
  for (PetscInt c = 0; c < n && !ierr; c++) entries[c] = host[c + 1] - host[c];
  if (!ierr && !exist) ierr = AutoCSRTiledAllocateSlots(seg, n, entries, host);
  host[0] = 0;
  for (PetscInt c = 0; c < n && !ierr; c++) host[c + 1] = host[c] + Pieces(entries[c], AUTOCSR_TILED_GROUP);
  if (!ierr) ierr = AutoCSRDeviceFromHost(tiles->group, host, sizeof(*host) * (size_t)(n + 1));
  if (!ierr) *slots = (PetscInt64)host[n] * AUTOCSR_TILED_GROUP;
  PetscCall(PetscFree2(host, entries));
  PetscCall(ierr); /* out of memory is one that the caller lives with */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is counted by piece, once END is there */
static PetscErrorCode MakePieces(AutoCSRSegment *seg, SortedEntries *sorted, const Tiles *tiles, PetscInt64 slots)
{
  DeviceRuns    *runs = &sorted->runs;
  const PetscInt n    = RunCount(*runs);
  DeviceScratch  memory[4];
  uint16_t      *row_of;
  PetscInt       pieces;

  PetscFunctionBegin;
  PetscCall(memory[0].Allocate((size_t)n + 1, &runs->unit));
  PetscCall(memory[1].Allocate((size_t)n + 1, &runs->place));
  PetscCall(memory[2].Allocate((size_t)n + 1, &runs->part));
  PetscCall(DeviceEncodeGroups(seg));
  Launch(FindPieces, GridOfThreads(n + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs, *tiles);
  AutoCSRCallCUDA(cudaGetLastError());
  Launch(CountPieces, GridOfThreads(n + 1), BLOCK, 0, AUTOCSR_STREAM)(*runs);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(n, runs->place));
  PetscCall(DeviceEncodeChunks(seg, runs));
  PetscCall(AutoCSRDeviceToHost(&pieces, runs->place + n, sizeof(pieces)));
  PetscCall(memory[3].Allocate((size_t)pieces, &row_of));
  Launch(WritePieceRows, GridOfSpans(slots), BLOCK, 0, AUTOCSR_STREAM)(*seg, *tiles, runs->tiles, slots, sorted->entry, row_of);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(DeviceEncodeCodes(seg, runs->blocks, row_of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodePopular(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  SortedEntries sorted;
  DeviceScratch memory;
  PetscInt64    slots;
  Tiles         tiles;

  PetscFunctionBegin;
  PetscCall(DeviceBeginSort(seg, csr, &sorted));
  PetscCall(MakeColumns(seg, csr, sorted.ptr));
  PetscCall(MakeTiles(seg, csr, &sorted, &memory, &tiles, &slots));
  PetscCall(ZeroStream(seg, AUTOCSR_STREAM_VALUE));
  Launch(WriteSlots, GridOfSpans(slots), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, sorted.ptr, tiles, sorted.runs.tiles, slots, sorted.entry, sorted.starts, dictionary);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(MakePieces(seg, &sorted, &tiles, slots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePopularValuePlaces(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  SortedEntries sorted;
  DeviceScratch memory;
  PetscInt64    slots;
  Tiles         tiles;

  PetscFunctionBegin;
  PetscCall(DeviceBeginSort(seg, csr, &sorted));
  PetscCall(MakeTiles(seg, csr, &sorted, &memory, &tiles, &slots));
  Launch(WriteValuePlaces, GridOfSpans(slots), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, sorted.ptr, tiles, sorted.runs.tiles, slots, sorted.entry);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
