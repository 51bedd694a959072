/*
  The heavy tiles of products with dense matrices on the device by adaptive sparse tiles (hong2019, 4.3, Listing 2): a block
  of threads takes a row panel. While it multiplies a tile, the next one is copied to shared memory, its entries and the rows of B's panel
  that it reads, and the map of the one after it is on its way to registers. A thread waits once a tile, for what was asked for a tile
  before. A group of lanes has several rows, whose sums stay in registers from tile to tile (the paper's coarsening). The light
  tiles are a matrix that is multiplied by panels after them (dense.cu), long rows in parts.

  Bytes, in real double: 12 an entry and panel, 4 a row of a tile; of B 16 a scalar for the panel, 8 a scalar for each column
  of a heavy tile, from L2 mostly; 8 a scalar of C, 16 more where a row has light entries, too. From shared memory 8 an entry and column.
*/
#include "dense_tiles.cuh"

struct StagedParameters : ProductParameters {
  AutoCSRSegment   seg;
  const DenseUnit *panel;
  bool             light; /* there are light entries */
};

/* The rows of a panel by slot. A thread copies a unit of `mapped` of them */
template <int of_lanes>
struct RowsOfPanel {
  static constexpr int lanes = of_lanes, groups = AUTOCSR_THREADS / lanes, mapped = WIDTH / groups;

  alignas(16) DenseUnit unit[WIDTH][lanes];

  static __device__ __forceinline__ void Map(const PetscInt map[], PetscInt column[])
  {
#pragma unroll
    for (int k = 0; k < mapped; k++) column[k] = LoadCached(map + k * groups + (int)threadIdx.x / lanes);
  }

  __device__ __forceinline__ void Copy(const StagedParameters &p, const PetscInt column[])
  {
    const int lane = (int)threadIdx.x % lanes;

#pragma unroll
    for (int k = 0; k < mapped; k++) {
      if (column[k] != AUTOCSR_ADAPTIVE_NONE) PtxCopy<16>(PtxSharedAddress(&unit[k * groups + (int)threadIdx.x / lanes][lane]), p.panel + (size_t)column[k] * lanes + lane);
    }
  }

  __device__ __forceinline__ void AddProduct(DenseUnit &sum, PetscScalar a, int slot, int lane) const
  {
    sum.AddProduct(a, unit[slot][lane]);
  }

  /* The column that is part u of a lane's sum */
  static __device__ __forceinline__ int ColumnOf(int lane, int u)
  {
    return lane * UNIT + u;
  }
};

/* The place of a tile's entries and its columns of B, read before the tile is copied */
template <typename Rows>
struct TileAhead {
  PetscInt column[Rows::mapped], begin;
  int      entries;

  __device__ __forceinline__ void Look(const AutoCSRSegment &seg, PetscInt c)
  {
    const PetscInt *ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_TILE_ROW_PTR].data + (size_t)c * HEIGHT;

    begin   = LoadCached(ptr);
    entries = (int)(LoadCached(ptr + HEIGHT) - begin);
    Rows::Map((const PetscInt *)seg.stream[AUTOCSR_STREAM_MAP].data + (size_t)c * WIDTH, column);
  }
};

/* A tile in shared memory: its rows of B, where its rows begin, and its first `most` entries; others are read where they lie */
template <typename Rows>
struct TileStage {
  static constexpr int most = Rows::lanes < WARP ? 512 : 256;

  Rows                              B;
  alignas(16) SharedScalars<most> value;
  uint32_t                          index[most];
  alignas(16) PetscInt ptr[HEIGHT + 1];

  __device__ __forceinline__ void Copy(const StagedParameters &p, PetscInt c, const TileAhead<Rows> &ahead)
  {
    const PetscInt    *from  = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_TILE_ROW_PTR].data + (size_t)c * HEIGHT;
    const uint32_t    *codes = (const uint32_t *)p.seg.stream[AUTOCSR_STREAM_INDEX].data + ahead.begin;
    const PetscScalar *a     = (const PetscScalar *)p.seg.stream[AUTOCSR_STREAM_VALUE].data + ahead.begin;
    const int          n     = ahead.entries < most ? ahead.entries : most;

    B.Copy(p, ahead.column);
    if (threadIdx.x <= HEIGHT) PtxCopy<sizeof(PetscInt)>(PtxSharedAddress(&ptr[threadIdx.x]), from + threadIdx.x);
    for (int i = (int)threadIdx.x; i < n; i += AUTOCSR_THREADS) {
      PtxCopy<sizeof(PetscScalar)>(PtxSharedAddress(value.part[i]), a + i);
      PtxCopy<sizeof(uint32_t)>(PtxSharedAddress(&index[i]), codes + i);
    }
  }

  /* Adds the entries of the i-th row to a sum */
  __device__ __forceinline__ void AddRow(const StagedParameters &p, int i, int lane, DenseUnit &sum) const
  {
    const PetscInt first = ptr[0];
    int            q = (int)(ptr[i] - first), end = (int)(ptr[i + 1] - first), here = end < most ? end : most;

#pragma unroll 4
    for (; q < here; q++) B.AddProduct(sum, value.Get(q), (int)(index[q] % WIDTH), lane);
    for (; q < end; q++) B.AddProduct(sum, LoadCached((const PetscScalar *)p.seg.stream[AUTOCSR_STREAM_VALUE].data + first + q), (int)(LoadCached((const uint32_t *)p.seg.stream[AUTOCSR_STREAM_INDEX].data + first + q) % WIDTH), lane);
  }
};

template <typename Rows>
union StagedShared {
  TileStage<Rows> stage[2];
  PetscReal       sum[HEIGHT][(Rows::lanes * UNIT + 1) * sizeof(PetscScalar) / sizeof(PetscReal)]; /* those of a column lie in different banks */
};

/* Blocks that a multiprocessor has registers for without any that go to memory, and 227 KiB of shared memory, with 1 KiB of the system's in each */
template <typename Rows>
static constexpr int registers_for = Rows::lanes < WARP / 2 ? 5 : 4;
template <typename Rows>
static constexpr int shared_for = (227 << 10) / (sizeof(StagedShared<Rows>) + 1024);
template <typename Rows>
static constexpr int residents = shared_for<Rows> < registers_for<Rows> ? shared_for<Rows> : registers_for<Rows>;

template <typename Rows>
static __global__ void __launch_bounds__(AUTOCSR_THREADS, residents<Rows>) MultiplyStaged(StagedParameters p)
{
  PtxWaitForLast();
  constexpr int       lanes = Rows::lanes, groups = AUTOCSR_THREADS / lanes, rows = HEIGHT / groups;
  StagedShared<Rows> &shared = *(StagedShared<Rows> *)PtxDynamicShared();
  const PetscInt      panel = (PetscInt)blockIdx.x, *tile = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_PANEL_PTR].data + panel, begin = tile[0], end = tile[1];
  const int           lane = (int)threadIdx.x % lanes, group = (int)threadIdx.x / lanes;
  PetscInt            begin_row, end_row;
  TileAhead<Rows>     ahead = {};
  DenseUnit           sum[rows];

  static_assert(rows * groups == HEIGHT && AUTOCSR_THREADS % WIDTH == 0 && AUTOCSR_THREADS > HEIGHT, "every thread has as many rows and slots");
  if (p.light && begin == end) return;
  AutoCSRAdaptiveRows(&p.seg, panel, &begin_row, &end_row);
#pragma unroll
  for (int r = 0; r < rows; r++) sum[r].Zero();
  if (begin < end) {
    ahead.Look(p.seg, begin);
    shared.stage[0].Copy(p, begin, ahead);
    if (begin + 1 < end) ahead.Look(p.seg, begin + 1);
  }
  for (PetscInt c = begin; c < end; c++) {
    const TileStage<Rows> &here = shared.stage[(c - begin) % 2];

    PtxWait();
    __syncthreads(); /* the tile is there, and no thread reads the one before it any more */
    if (c + 1 < end) shared.stage[(c - begin + 1) % 2].Copy(p, c + 1, ahead);
    if (c + 2 < end) ahead.Look(p.seg, c + 2);
#pragma unroll
    for (int r = 0; r < rows; r++) here.AddRow(p, r * groups + group, lane, sum[r]);
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < rows; r++) {
#pragma unroll
    for (int u = 0; u < UNIT; u++) ((PetscScalar *)shared.sum[r * groups + group])[Rows::ColumnOf(lane, u)] = sum[r].Get(u);
  }
  __syncthreads();
  for (int j = (int)threadIdx.x / HEIGHT; j < p.columns; j += AUTOCSR_THREADS / HEIGHT) {
    const int i = (int)threadIdx.x % HEIGHT;

    if (begin_row + i < end_row) p.Put(p.seg.row_begin + begin_row + i, j, ((const PetscScalar *)shared.sum[i])[j]);
  }
}

template <typename Rows>
static PetscErrorCode LaunchStaged(const StagedParameters &p)
{
  const size_t        shared = sizeof(StagedShared<Rows>);
  AutoCSRDeviceKernel kernel = {(const void *)MultiplyStaged<Rows>, NULL, PETSC_FALSE};

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceLoadKernel(shared, &kernel)); /* which asks for the shared memory once */
  Launch(MultiplyStaged<Rows>, (unsigned)AutoCSRAdaptiveRowPanels(&p.seg), AUTOCSR_THREADS, shared, AUTOCSR_STREAM)(p);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceMultDenseHeavy(const AutoCSRSegment *tiles, int lanes, const void *panel, PetscBool light, const ProductParameters *product)
{
  StagedParameters p;

  PetscFunctionBegin;
  (ProductParameters &)p = *product;
  p.seg                  = *tiles;
  p.panel                = (const DenseUnit *)panel;
  p.light                = light;
  PetscCall(WithLanes(lanes, [&](auto of) { return LaunchStaged<RowsOfPanel<decltype(of)::lanes>>(p); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseFindLight(AutoCSRDense *kept, const AutoCSRMatrix *csr, AutoCSRMatrix *light)
{
  const AutoCSRSegment *seg;
  PetscInt              first = 0; /* of the light places */

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseFindTiles(kept, csr, AUTOCSR_ORDER_ADAPTIVE));
  seg = kept->tiles->segment;
  PetscCheck(seg->axes.tile_width == WIDTH && seg->axes.tile_height == HEIGHT, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles of %" PetscInt_FMT " by %" PetscInt_FMT ": the kernels have those of %d by %d", seg->axes.tile_height, seg->axes.tile_width, HEIGHT, WIDTH);
  *light         = *csr;
  light->row_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_TILE_ROW_PTR].data + (size_t)(AutoCSRAdaptiveTiles(seg) - AutoCSRAdaptiveRowPanels(seg)) * HEIGHT;
  light->col     = NULL; /* the words of INDEX */
  light->val     = (const PetscScalar *)seg->stream[AUTOCSR_STREAM_VALUE].data;
  if (kept->entries && kept->light)
    light->nnz = kept->blocks->segment->nnz;
  else {
    PetscCall(AutoCSRDeviceToHost(&first, light->row_ptr, sizeof(first)));
    light->nnz = csr->nnz - first;
  }
  PetscCall(AutoCSRDenseFindBlocks(kept, light, AUTOCSR_DENSE_BLOCK, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
