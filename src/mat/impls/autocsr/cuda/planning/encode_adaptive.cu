/*
  The streams of order adaptive on the device (layout/adaptive.c on the host). Entries are sorted by row panel and column, so
  that the heavy columns show; these are sorted by row panel, slot and column, so that each knows its rank in its slot; and
  entries are sorted by tile and row, stably, which gives their places.
*/
#include "chunks.cuh"
#include "../../layout/adaptive.h"

typedef unsigned long long Key;

/* How keys tell a row panel and a column: the column in the lower bits, its slot in the lowest of these */
typedef struct {
  int column, slot;
} Bits;

static __device__ __forceinline__ PetscInt PanelOf(Key key, Bits bits)
{
  return (PetscInt)(key >> bits.column);
}

static __device__ __forceinline__ Key ColumnOf(Key key, Bits bits)
{
  return key & (((Key)1 << bits.column) - 1);
}

/* The column with its slot in the upper bits, and back */
static __device__ __forceinline__ Key SlotFirst(Key column, Bits bits)
{
  return (column & (((Key)1 << bits.slot) - 1)) << (bits.column - bits.slot) | column >> bits.slot;
}

static __device__ __forceinline__ Key SlotLast(Key column, Bits bits)
{
  return (column & (((Key)1 << (bits.column - bits.slot)) - 1)) << bits.slot | column >> (bits.column - bits.slot);
}

/* The first of n sorted keys that is not below `wanted` */
static __device__ __forceinline__ PetscInt FirstNotBelow(PetscInt n, const Key key[], Key wanted)
{
  PetscInt lo = 0, hi = n;

  while (lo < hi) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (key[mid] < wanted)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static __global__ void __launch_bounds__(BLOCK) WriteColumns(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, Bits bits, Key key[])
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];

  EachEntry(seg, csr, ptr, nnz, slices[threadIdx.x / WARP], [&](PetscInt q) { return csr.col[q]; }, [&](PetscInt e, PetscInt k, PetscInt column) { key[e] = (Key)(k / seg.axes.tile_height) << bits.column | (Key)column; });
}

/*
  Keys are sorted, so the entries of a column in a row panel lie side by side. at[i]: 1 if a column begins with key i and
  has `threshold` entries or more, so that the last of these has the same key
*/
static __global__ void __launch_bounds__(BLOCK) FlagHeavy(PetscInt n, const Key key[], PetscInt threshold, PetscInt at[])
{
  PtxWaitForLast();
  for (PetscInt64 i = FirstOfThread(); i <= n; i += StrideOfThreads()) {
    const bool begins = i < n && (i == 0 || key[i - 1] != key[i]), fits = i + threshold - 1 < n;

    at[i] = begins && fits && key[i + threshold - 1] == key[i];
  }
}

static __global__ void __launch_bounds__(BLOCK) ListHeavy(PetscInt n, const Key key[], const PetscInt at[], Bits bits, Key heavy[])
{
  PtxWaitForLast();
  for (PetscInt64 i = FirstOfThread(); i < n; i += StrideOfThreads()) {
    if (at[i + 1] > at[i]) heavy[at[i]] = (Key)PanelOf(key[i], bits) << bits.column | SlotFirst(ColumnOf(key[i], bits), bits);
  }
}

/* Heavy columns by row panel, slot and column; first: of each row panel, and the end */
typedef struct {
  PetscInt  n, panels;
  Bits      bits;
  Key      *key;
  PetscInt *first;
} Heavy;

static __global__ void __launch_bounds__(BLOCK) FindFirstHeavy(Heavy heavy)
{
  PtxWaitForLast();
  for (PetscInt64 p = FirstOfThread(); p <= heavy.panels; p += StrideOfThreads()) heavy.first[p] = FirstNotBelow(heavy.n, heavy.key, (Key)p << heavy.bits.column);
}

/* How many columns of its slot come before the i-th */
static __device__ __forceinline__ PetscInt RankOf(const Heavy &heavy, PetscInt i)
{
  const int above = heavy.bits.column - heavy.bits.slot;

  return i - FirstNotBelow(i, heavy.key, heavy.key[i] >> above << above);
}

/* filled: the columns of the h-th tile of a row panel at its first + h; zero on entry */
static __global__ void __launch_bounds__(BLOCK) CountFilled(Heavy heavy, PetscInt filled[])
{
  PtxWaitForLast();
  for (PetscInt64 i = FirstOfThread(); i < heavy.n; i += StrideOfThreads()) AtomicAdd(&filled[heavy.first[PanelOf(heavy.key[i], heavy.bits)] + RankOf(heavy, (PetscInt)i)], 1);
}

/* The heavy tiles of each row panel */
static __global__ void __launch_bounds__(BLOCK) CountTiles(Heavy heavy, const PetscInt filled[], PetscInt least, PetscInt tiles[])
{
  PtxWaitForLast();
  for (PetscInt64 p = FirstOfThread(); p <= heavy.panels; p += StrideOfThreads()) {
    PetscInt h = p < heavy.panels ? heavy.first[p] : 0;

    while (p < heavy.panels && h < heavy.first[p + 1] && filled[h] >= least) h++;
    tiles[p] = p < heavy.panels ? h - heavy.first[p] : 0;
  }
}

static __global__ void __launch_bounds__(BLOCK) WriteMap(AutoCSRSegment seg, Heavy heavy)
{
  PtxWaitForLast();
  const PetscInt *panel_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_PANEL_PTR].data;
  PetscInt       *map       = (PetscInt *)seg.stream[AUTOCSR_STREAM_MAP].data;

  for (PetscInt64 i = FirstOfThread(); i < heavy.n; i += StrideOfThreads()) {
    const PetscInt panel = PanelOf(heavy.key[i], heavy.bits), rank = RankOf(heavy, (PetscInt)i), column = (PetscInt)SlotLast(ColumnOf(heavy.key[i], heavy.bits), heavy.bits);

    if (rank < panel_ptr[panel + 1] - panel_ptr[panel]) map[(size_t)(panel_ptr[panel] + rank) * seg.axes.tile_width + AutoCSRAdaptiveSlot(&seg.axes, column)] = column;
  }
}

/* The tile and row of each entry, and where it is in the CSR */
static __global__ void __launch_bounds__(BLOCK) WriteTiles(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, uint32_t key[], PetscInt place[])
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  const PetscInt          height = seg.axes.tile_height, begin = csr.row_ptr[seg.row_begin];

  EachEntry(seg, csr, ptr, nnz, slices[threadIdx.x / WARP], [&](PetscInt q) { return csr.col[q]; }, [&](PetscInt e, PetscInt k, PetscInt column) {
    key[e]   = (uint32_t)(AutoCSRAdaptiveTileOf(&seg, k / height, column) * height + k % height);
    place[e] = begin + e;
  });
}

static __global__ void __launch_bounds__(BLOCK) WriteIndex(AutoCSRSegment seg, AutoCSRMatrix csr)
{
  PtxWaitForLast();
  const PetscInt *place = (const PetscInt *)seg.stream[AUTOCSR_STREAM_VALUE_PLACE].data;
  uint32_t       *index = (uint32_t *)seg.stream[AUTOCSR_STREAM_INDEX].data;

  for (PetscInt64 i = FirstOfThread(); i < seg.nnz; i += StrideOfThreads()) index[i] = (uint32_t)csr.col[place[i]];
}

static PetscErrorCode SortKeys(PetscInt n, const Key key[], Key sorted[], int bits)
{
  PetscFunctionBegin;
  if (n) PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceRadixSort::SortKeys(temporary, bytes, key, sorted, n, 0, bits, AUTOCSR_STREAM); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* heavy->key and heavy->first are made in the last two of the memory */
static PetscErrorCode FindHeavy(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const PetscInt ptr[], Heavy *heavy, DeviceScratch memory[2])
{
  const size_t  nnz = (size_t)seg->nnz;
  DeviceScratch scratch[4];
  Key          *key, *sorted = NULL, *list;
  PetscInt     *at = NULL;
  int           all = heavy->bits.column;

  PetscFunctionBegin;
  while (all < 63 && (heavy->panels - 1) >> (all - heavy->bits.column)) all++;
  PetscCall(memory[1].Allocate((size_t)heavy->panels + 1, &heavy->first));
  heavy->n = 0;
  if (nnz) {
    PetscCall(scratch[0].Allocate(nnz, &key));
    PetscCall(scratch[1].Allocate(nnz, &sorted));
    PetscCall(scratch[2].Allocate(nnz + 1, &at));
    Launch(WriteColumns, GridOfEntries(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, seg->nnz, heavy->bits, key);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(SortKeys(seg->nnz, key, sorted, all));
    Launch(FlagHeavy, GridOfThreads(seg->nnz + 1), BLOCK, 0, AUTOCSR_STREAM)(seg->nnz, sorted, seg->axes.row_limit, at);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(SumUp(seg->nnz, at));
    PetscCall(AutoCSRDeviceToHost(&heavy->n, at + nnz, sizeof(heavy->n)));
  }
  PetscCall(memory[0].Allocate((size_t)heavy->n, &heavy->key));
  if (heavy->n) {
    PetscCall(scratch[3].Allocate((size_t)heavy->n, &list));
    Launch(ListHeavy, GridOfThreads(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(seg->nnz, sorted, at, heavy->bits, list);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(SortKeys(heavy->n, list, heavy->key, all));
  }
  Launch(FindFirstHeavy, GridOfThreads(heavy->panels + 1), BLOCK, 0, AUTOCSR_STREAM)(*heavy);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PANEL_PTR and MAP; *tiles: how many there are */
static PetscErrorCode EncodeTiles(AutoCSRSegment *seg, const Heavy *heavy, PetscInt *tiles)
{
  DeviceScratch scratch;
  PetscInt     *filled, *panel_ptr, heavy_tiles;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PANEL_PTR, heavy->panels + 1));
  panel_ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_PANEL_PTR].data;
  PetscCall(scratch.Allocate((size_t)heavy->n, &filled));
  if (heavy->n) {
    PetscCallCUDA(cudaMemsetAsync(filled, 0, (size_t)heavy->n * sizeof(PetscInt), AUTOCSR_STREAM));
    Launch(CountFilled, GridOfThreads(heavy->n), BLOCK, 0, AUTOCSR_STREAM)(*heavy, filled);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  Launch(CountTiles, GridOfThreads(heavy->panels + 1), BLOCK, 0, AUTOCSR_STREAM)(*heavy, filled, seg->axes.tile_steps, panel_ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(heavy->panels, panel_ptr));
  PetscCall(AutoCSRDeviceToHost(&heavy_tiles, panel_ptr + heavy->panels, sizeof(heavy_tiles)));
  *tiles = heavy_tiles + heavy->panels;
  PetscCheck((PetscInt64)*tiles * PetscMax(seg->axes.tile_height, seg->axes.tile_width) < 2147483647, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " adaptive tiles of %" PetscInt_FMT " rows are more than 32 bits count", *tiles, seg->axes.tile_height);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_MAP, heavy_tiles * seg->axes.tile_width));
  if (seg->stream[AUTOCSR_STREAM_MAP].bytes) PetscCallCUDA(cudaMemsetAsync(seg->stream[AUTOCSR_STREAM_MAP].data, 0xff, seg->stream[AUTOCSR_STREAM_MAP].bytes, AUTOCSR_STREAM));
  if (heavy->n) {
    Launch(WriteMap, GridOfThreads(heavy->n), BLOCK, 0, AUTOCSR_STREAM)(*seg, *heavy);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* TILE_ROW_PTR, INDEX and VALUE_PLACE */
static PetscErrorCode EncodeEntries(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const PetscInt ptr[], PetscInt tiles)
{
  const size_t   nnz  = (size_t)seg->nnz;
  const PetscInt rows = tiles * seg->axes.tile_height;
  DeviceScratch  scratch[4];
  uint32_t      *key, *sorted_key;
  PetscInt      *place, *sorted;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_TILE_ROW_PTR, rows + 1));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, seg->nnz));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE_PLACE, seg->nnz));
  PetscCall(scratch[0].Allocate(nnz, &key));
  PetscCall(scratch[1].Allocate(nnz, &sorted_key));
  PetscCall(scratch[2].Allocate(nnz, &place));
  PetscCall(scratch[3].Allocate(nnz, &sorted));
  if (nnz) {
    Launch(WriteTiles, GridOfEntries(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, seg->nnz, key, place);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(SortByKey(seg->nnz, rows, key, place, sorted_key, sorted));
    PetscCallCUDA(cudaMemcpyAsync(seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data, sorted, nnz * sizeof(PetscInt), cudaMemcpyDeviceToDevice, AUTOCSR_STREAM));
    Launch(WriteIndex, GridOfThreads(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  PetscCall(DeviceFirstOfKeys(seg->nnz, sorted_key, rows, (PetscInt *)seg->stream[AUTOCSR_STREAM_TILE_ROW_PTR].data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeAdaptive(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  DeviceScratch scratch, memory[2];
  Heavy         heavy = {};
  PetscInt     *ptr, tiles = 0;

  PetscFunctionBegin;
  PetscCall(scratch.Allocate((size_t)seg->n_rows + 1, &ptr));
  PetscCall(DeviceCountEntries(seg, csr, ptr));
  heavy.panels = AutoCSRAdaptiveRowPanels(seg);
  while ((PetscInt)1 << heavy.bits.slot < seg->axes.tile_width) heavy.bits.slot++;
  heavy.bits.column = PetscMax(heavy.bits.slot, 1);
  while (heavy.bits.column < 32 && (PetscInt64)(csr->n - 1) >> heavy.bits.column) heavy.bits.column++;
  PetscCall(FindHeavy(seg, csr, ptr, &heavy, memory));
  PetscCall(EncodeTiles(seg, &heavy, &tiles));
  PetscCall(EncodeEntries(seg, csr, ptr, tiles));
  if (AutoCSRValueIsStored(seg->axes.value)) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, seg->nnz));
    PetscCall(DeviceEncodeTileValues(seg, csr, dictionary));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
