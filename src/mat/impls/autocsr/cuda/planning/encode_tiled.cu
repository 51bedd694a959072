/*
  The streams of order tiled on the device (layout/tiled.c on the host). Neighbouring entries of a row in one tile are a run;
  runs, not entries, are sorted by tile, and each then knows its slots and its pieces.
*/
#include "chunks.cuh"
#include "../common/tiled.cuh"

/* Runs in the order of the rows, n of them: the first entry among the segment's, the row's place in it, and the tile; of runs sorted by tile, the one that comes i-th, and its first entry among the sorted */
typedef struct {
  PetscInt  n;
  PetscInt *entry, *k, *sorted, *start;
  uint32_t *tile;
} Runs;

/* Of each tile: its first run among the sorted, its first entry, its first group; one more for the end */
typedef struct {
  PetscInt *run, *entry, *group;
} Tiles;

/* How many runs begin in each span, or these runs, once their number before it is known */
template <bool write>
static __global__ void __launch_bounds__(BLOCK) FindRuns(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, PetscInt count[], Runs runs)
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  const PetscInt64        span = FirstOfThread() / WARP, begin = span * ENTRY_SPAN, end = begin + ENTRY_SPAN < nnz ? begin + ENTRY_SPAN : nnz;
  PetscInt                n = 0;

  if (begin >= nnz) return;
  if (write) n = count[span];
  WarpWalkEntries(ptr, seg.n_rows, begin, end, slices[threadIdx.x / WARP], [&](PetscInt first, PetscInt64 from, PetscInt64 to) {
    const SliceEntries &slice = slices[threadIdx.x / WARP];

    for (PetscInt64 at = from; at < to; at += WARP) {
      const PetscInt64 s    = at + Lane();
      bool             head = false;
      PetscInt         k = 0, tile = 0;

      if (s < to) {
        const int      r = slice.RowOf((PetscInt)s);
        const PetscInt q = csr.row_ptr[AutoCSRSegmentRow(&seg, first + r)] + ((PetscInt)s - slice.begin[r]);

        k    = first + r;
        tile = csr.col[q] / seg.axes.tile_width;
        head = s == slice.begin[r] || csr.col[q - 1] / seg.axes.tile_width != tile;
      }
      const unsigned heads = __ballot_sync(ALL_LANES, head);

      if (write && head) {
        const PetscInt i = n + __popc(heads & ((1u << Lane()) - 1));

        runs.entry[i]  = (PetscInt)s;
        runs.k[i]      = k;
        runs.tile[i]   = (uint32_t)tile;
        runs.sorted[i] = i;
      }
      n += __popc(heads);
    }
  });
  if (!write && Lane() == 0) count[span] = n;
}

static __global__ void __launch_bounds__(BLOCK) RunLengths(Runs runs, PetscInt nnz)
{
  PtxWaitForLast();
  for (PetscInt64 i = FirstOfThread(); i <= runs.n; i += StrideOfThreads()) {
    const PetscInt r = i < runs.n ? runs.sorted[i] : 0;

    runs.start[i] = i < runs.n ? (r + 1 < runs.n ? runs.entry[r + 1] : nnz) - runs.entry[r] : 0;
  }
}

/* A tile's first entry, once its first run is there */
static __global__ void __launch_bounds__(BLOCK) FindTiles(Runs runs, PetscInt n_tiles, Tiles tiles)
{
  PtxWaitForLast();
  for (PetscInt64 c = FirstOfThread(); c <= n_tiles; c += StrideOfThreads()) tiles.entry[c] = runs.start[tiles.run[c]];
}

/* The slot of the first entry of the i-th of the sorted runs */
static __device__ __forceinline__ PetscInt SlotOf(const Runs &runs, const Tiles &tiles, PetscInt i)
{
  const PetscInt c = (PetscInt)runs.tile[i];

  return tiles.group[c] * AUTOCSR_TILED_GROUP + runs.start[i] - tiles.entry[c];
}

/* f(slot) for the last slots of the pieces of a run */
template <typename F>
static __device__ __forceinline__ void EachPiece(const AutoCSRSegment &seg, const Runs &runs, const Tiles &tiles, PetscInt i, F f)
{
  const PetscInt c = (PetscInt)runs.tile[i], first = tiles.group[c], groups = tiles.group[c + 1] - first;
  const PetscInt begin = SlotOf(runs, tiles, i), end = begin + runs.start[i + 1] - runs.start[i];

  for (PetscInt g = begin / AUTOCSR_TILED_GROUP; (g + 1) * AUTOCSR_TILED_GROUP < end; g++) {
    if (AutoCSRTiledEndsItemShare(groups, seg.axes.tile_steps, g - first)) f((g + 1) * AUTOCSR_TILED_GROUP - 1);
  }
  f(end - 1);
}

static __global__ void __launch_bounds__(BLOCK) CountPieces(AutoCSRSegment seg, Runs runs, Tiles tiles, PetscInt piece[])
{
  PtxWaitForLast();
  for (PetscInt64 i = FirstOfThread(); i <= runs.n; i += StrideOfThreads()) {
    PetscInt n = 0;

    if (i < runs.n) EachPiece(seg, runs, tiles, (PetscInt)i, [&](PetscInt) { n++; });
    piece[i] = n;
  }
}

/* END and PIECE_ROW */
static __global__ void __launch_bounds__(BLOCK) WritePieces(AutoCSRSegment seg, Runs runs, Tiles tiles, const PetscInt piece[])
{
  PtxWaitForLast();
  uint32_t *end       = (uint32_t *)seg.stream[AUTOCSR_STREAM_END].data;
  uint16_t *piece_row = (uint16_t *)seg.stream[AUTOCSR_STREAM_PIECE_ROW].data;

  for (PetscInt64 i = FirstOfThread(); i < runs.n; i += StrideOfThreads()) {
    const PetscInt k = runs.k[runs.sorted[i]];
    PetscInt       p = piece[i];

    EachPiece(seg, runs, tiles, (PetscInt)i, [&](PetscInt slot) {
      atomicOr(end + slot / 32, 1u << slot % 32);
      piece_row[p++] = (uint16_t)(k % seg.axes.tile_height);
    });
  }
}

struct Stored {
  PetscInt slot, column; /* in the tile */
  alignas(sizeof(PetscScalar)) PetscScalar v; /* a complex number that C lays out is aligned to its parts */
};

/* INDEX and VALUE: along the sorted runs */
static __global__ void __launch_bounds__(BLOCK) WriteSlots(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], Runs runs, Tiles tiles, PetscInt nnz, const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  uint16_t               *index = (uint16_t *)seg.stream[AUTOCSR_STREAM_INDEX].data;

  EachElement(
    runs.start, runs.n, nnz, slices[threadIdx.x / WARP],
    [&](PetscInt, PetscInt i, PetscInt in) {
      const PetscInt run = runs.sorted[i], k = runs.k[run], q = csr.row_ptr[AutoCSRSegmentRow(&seg, k)] + (runs.entry[run] - ptr[k]) + in;

      return Stored{SlotOf(runs, tiles, i) + in, csr.col[q] - (PetscInt)runs.tile[i] * seg.axes.tile_width, csr.val[q]};
    },
    [&](PetscInt, PetscInt, PetscInt, const Stored &stored) {
      index[stored.slot] = (uint16_t)stored.column;
      AutoCSREncodeValue(&seg, seg.axes.value, dictionary, &stored.v, AutoCSRTiledValueSlot(&seg.axes, stored.slot));
    });
}

/* How many pieces end in each group, and none after the last */
static __global__ void __launch_bounds__(BLOCK) GroupPieces(AutoCSRSegment seg, PetscInt groups)
{
  PtxWaitForLast();
  const uint32_t *end       = (const uint32_t *)seg.stream[AUTOCSR_STREAM_END].data;
  PetscInt       *piece_ptr = (PetscInt *)seg.stream[AUTOCSR_STREAM_PIECE_PTR].data;

  for (PetscInt64 g = FirstOfThread(); g <= groups; g += StrideOfThreads()) {
    PetscInt n = 0;

    for (int w = 0; w < AUTOCSR_TILED_GROUP / 32 && g < groups; w++) n += __popc(end[g * (AUTOCSR_TILED_GROUP / 32) + w]);
    piece_ptr[g] = n;
  }
}

static __global__ void __launch_bounds__(BLOCK) WriteRunPtr(AutoCSRSegment seg, Runs runs, Tiles tiles, PetscInt n_tiles, const PetscInt piece[])
{
  PtxWaitForLast();
  PetscInt      *run_ptr = (PetscInt *)seg.stream[AUTOCSR_STREAM_RUN_PTR].data;
  const PetscInt blocks  = AutoCSRTiledRowBlocks(&seg);

  for (PetscInt64 r = FirstOfThread(); r <= (PetscInt64)n_tiles * blocks; r += StrideOfThreads()) {
    const PetscInt c = blocks ? (PetscInt)(r / blocks) : n_tiles, k = blocks ? (PetscInt)(r % blocks) * seg.axes.tile_height : 0;
    PetscInt       lo = tiles.run[c], hi = c < n_tiles ? tiles.run[c + 1] : lo;

    while (lo < hi) { /* the first run of a row from k on */
      const PetscInt mid = lo + (hi - lo) / 2;

      if (runs.k[runs.sorted[mid]] < k)
        lo = mid + 1;
      else
        hi = mid;
    }
    run_ptr[r] = piece[lo];
  }
}

static __global__ void __launch_bounds__(BLOCK) WriteRanks(AutoCSRSegment seg, PetscInt n_tiles)
{
  PtxWaitForLast();
  uint16_t      *piece_row = (uint16_t *)seg.stream[AUTOCSR_STREAM_PIECE_ROW].data;
  const PetscInt blocks    = AutoCSRTiledRowBlocks(&seg);

  for (PetscInt64 b = FirstOfThread() / WARP; b < blocks; b += StrideOfThreads() / WARP) {
    TiledWalkPieces((const PetscInt *)seg.stream[AUTOCSR_STREAM_RUN_PTR].data, n_tiles, blocks, (PetscInt)b, [&](const TiledBatches &batches) {
      for (PetscInt first = 0; first < batches.total; first += WARP) {
        const PetscInt f = first + Lane(), i = batches.PieceOf(f);
        const int      row  = f < batches.total ? piece_row[i] : -1;
        const int      rank = __popc(__match_any_sync(ALL_LANES, row) & ((1u << Lane()) - 1));

        if (row >= 0) piece_row[i] = (uint16_t)(row + rank * AUTOCSR_TILED_ROWS);
      }
    });
  }
}

/* Finds the runs and sorts them; memory: of the arrays in `runs`, which last as long */
static PetscErrorCode MakeRuns(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const PetscInt ptr[], PetscInt nnz, PetscInt n_tiles, DeviceScratch memory[6], Runs *runs)
{
  const PetscInt spans = Pieces(nnz, ENTRY_SPAN);
  DeviceScratch  scratch;
  PetscInt      *count;
  uint32_t      *tile;
  PetscInt      *in_order;

  PetscFunctionBegin;
  runs->n = 0;
  PetscCall(scratch.Allocate((size_t)spans + 1, &count));
  if (nnz) {
    PetscCallCUDA(cudaMemsetAsync(count, 0, sizeof(*count) * ((size_t)spans + 1), AUTOCSR_STREAM));
    Launch(FindRuns<false>, (unsigned)Pieces(spans, BLOCK / WARP), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, nnz, count, *runs);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(SumUp(spans, count));
    PetscCall(AutoCSRDeviceToHost(&runs->n, count + spans, sizeof(runs->n)));
  }
  PetscCall(memory[0].Allocate((size_t)runs->n, &runs->entry));
  PetscCall(memory[1].Allocate((size_t)runs->n, &runs->k));
  PetscCall(memory[2].Allocate((size_t)runs->n, &tile));
  PetscCall(memory[3].Allocate((size_t)runs->n, &in_order));
  PetscCall(memory[4].Allocate((size_t)runs->n, &runs->tile));
  PetscCall(memory[5].Allocate((size_t)runs->n, &runs->sorted));
  if (nnz) {
    Runs natural = *runs;

    natural.tile   = tile;
    natural.sorted = in_order;
    Launch(FindRuns<true>, (unsigned)Pieces(spans, BLOCK / WARP), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, nnz, count, natural);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(SortByKey(runs->n, n_tiles, tile, in_order, runs->tile, runs->sorted));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is counted by tile, on the host; and the streams that have as many elements as slots and groups */
static PetscErrorCode MakeTiles(AutoCSRSegment *seg, PetscInt n, const Runs *runs, PetscInt n_tiles, Tiles *tiles)
{
  PetscInt      *host, *entries;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(DeviceFirstOfKeys(runs->n, runs->tile, n_tiles, tiles->run));
  Launch(FindTiles, GridOfThreads(n_tiles + 1), BLOCK, 0, AUTOCSR_STREAM)(*runs, n_tiles, *tiles);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(PetscMalloc2(n_tiles + 1, &host, n_tiles, &entries));
  ierr = AutoCSRDeviceToHost(host, tiles->entry, sizeof(*host) * (size_t)(n_tiles + 1));
  for (PetscInt c = 0; c < n_tiles && !ierr; c++) entries[c] = host[c + 1] - host[c];
  if (!ierr) ierr = AutoCSRTiledAllocate(seg, n, entries, host);
  if (!ierr) ierr = AutoCSRDeviceFromHost(tiles->group, host, sizeof(*host) * (size_t)(n_tiles + 1));
  PetscCall(PetscFree2(host, entries));
  PetscCall(ierr); /* out of memory is one that the caller lives with */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PIECE_PTR, once END is there */
PetscErrorCode DeviceEncodeGroups(AutoCSRSegment *seg)
{
  const PetscInt groups = (PetscInt)(seg->stream[AUTOCSR_STREAM_PIECE_PTR].bytes / sizeof(PetscInt)) - 1;

  PetscFunctionBegin;
  Launch(GroupPieces, GridOfThreads(groups + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, groups);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(groups, (PetscInt *)seg->stream[AUTOCSR_STREAM_PIECE_PTR].data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* END, PIECE_ROW, PIECE_PTR, RUN_PTR */
static PetscErrorCode MakePieces(AutoCSRSegment *seg, const Runs *runs, PetscInt n_tiles, const Tiles *tiles)
{
  const PetscInt blocks = AutoCSRTiledRowBlocks(seg);
  DeviceScratch  scratch;
  PetscInt      *piece, pieces;

  PetscFunctionBegin;
  PetscCall(scratch.Allocate((size_t)runs->n + 1, &piece));
  Launch(CountPieces, GridOfThreads(runs->n + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs, *tiles, piece);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(runs->n, piece));
  PetscCall(AutoCSRDeviceToHost(&pieces, piece + runs->n, sizeof(pieces)));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PIECE_ROW, pieces));
  PetscCall(ZeroStream(seg, AUTOCSR_STREAM_END));
  Launch(WritePieces, GridOfThreads(runs->n), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs, *tiles, piece);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(DeviceEncodeGroups(seg));
  Launch(WriteRunPtr, GridOfThreads((PetscInt64)n_tiles * blocks + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs, *tiles, n_tiles, piece);
  AutoCSRCallCUDA(cudaGetLastError());
  Launch(WriteRanks, GridOfThreads((PetscInt64)blocks * WARP), BLOCK, 0, AUTOCSR_STREAM)(*seg, n_tiles);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeTiled(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const PetscInt n_tiles = AutoCSRTiledTiles(&seg->axes, csr->n);
  DeviceScratch  memory[11];
  PetscInt      *ptr;
  Runs           runs;
  Tiles          tiles;

  PetscFunctionBegin;
  PetscCall(memory[0].Allocate((size_t)seg->n_rows + 1, &ptr));
  PetscCall(DeviceCountEntries(seg, csr, ptr));
  PetscCall(MakeRuns(seg, csr, ptr, seg->nnz, n_tiles, memory + 1, &runs));
  PetscCall(memory[7].Allocate((size_t)runs.n + 1, &runs.start));
  PetscCall(memory[8].Allocate((size_t)n_tiles + 1, &tiles.run));
  PetscCall(memory[9].Allocate((size_t)n_tiles + 1, &tiles.entry));
  PetscCall(memory[10].Allocate((size_t)n_tiles + 1, &tiles.group));
  Launch(RunLengths, GridOfThreads(runs.n + 1), BLOCK, 0, AUTOCSR_STREAM)(runs, seg->nnz);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(runs.n, runs.start));
  PetscCall(MakeTiles(seg, csr->n, &runs, n_tiles, &tiles));
  PetscCall(MakePieces(seg, &runs, n_tiles, &tiles));
  PetscCall(ZeroStream(seg, AUTOCSR_STREAM_INDEX));
  PetscCall(ZeroStream(seg, AUTOCSR_STREAM_VALUE));
  if (seg->nnz) {
    Launch(WriteSlots, GridOfEntries(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, runs, tiles, seg->nnz, dictionary);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
