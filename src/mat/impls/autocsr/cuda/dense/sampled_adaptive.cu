/*
  Dense matrices sampled where A has entries in heavy tiles, on the device (hong2019, 5, Listing 5): a block of threads takes a
  row panel. A group of lanes has several rows of X, which stay in registers; the rows of Y's panel that a tile reads are
  copied to shared memory once. What is found is added up across lanes, four entries at a time, and goes to the entry's place
  in the CSR. The light tiles are a matrix that is sampled by panels (sampled.cu), in the same way.

  Bytes, in real double: 24 an entry, and 16 more for each panel past the first, 4 a row of a tile; 8 a scalar of X, of Y 16 for
  the panel, and 8 for each column of a heavy tile, from L2 mostly. From shared memory 8 an entry and column.
*/
#include "dense_tiles.cuh"
#include "sampled.cuh"

/* The rows of a panel that a heavy tile reads, by slot; a group of lanes has every groups-th row of the row panel, `rows` of them */
template <int lanes>
struct TileRows {
  static constexpr int groups = AUTOCSR_THREADS / lanes, rows = HEIGHT / groups > 1 ? HEIGHT / groups : 1;

  alignas(16) DenseUnit unit[WIDTH][lanes];

  __device__ __forceinline__ void Load(const DenseUnit panel[], const PetscInt map[])
  {
    const int lane = (int)threadIdx.x % lanes;

    for (int s = (int)threadIdx.x / lanes; s < WIDTH; s += groups) {
      const PetscInt column = LoadCached(map + s);

      if (column != AUTOCSR_ADAPTIVE_NONE) unit[s][lane] = LoadCachedIf(true, panel + (size_t)column * lanes + lane);
    }
  }
};

template <int lanes>
union HeavyShared {
  TileRows<lanes> Y;
  PetscReal       x[HEIGHT][(lanes * UNIT + 1) * sizeof(PetscScalar) / sizeof(PetscReal)]; /* those of a column lie in different banks */
};

/* Rows of X from `row` on, n of them: their columns are read side by side, and those of the group go to its registers. Zero where there is no row or column */
template <int lanes>
static __device__ __forceinline__ void LoadX(const SampledTiles &p, HeavyShared<lanes> &shared, PetscInt row, int n, DenseUnit x[])
{
  const int lane = (int)threadIdx.x % lanes, group = (int)threadIdx.x / lanes;

  for (int i = (int)threadIdx.x; i < HEIGHT * lanes * UNIT; i += AUTOCSR_THREADS) {
    const int k = i % HEIGHT, j = i / HEIGHT;

    ((PetscScalar *)shared.x[k])[j] = k < n && j < p.columns ? LoadStream(p.X + row + k + (size_t)j * p.ldx) : PetscScalar(0);
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < TileRows<lanes>::rows; r++) {
    const int i = r * TileRows<lanes>::groups + group;

#pragma unroll
    for (int u = 0; u < UNIT; u++) x[r].Put(u, i < HEIGHT ? ((const PetscScalar *)shared.x[i])[lane * UNIT + u] : PetscScalar(0));
  }
}

/* The entries [q, end) of a row in a tile. Lanes of a warp may have other rows, and take as many steps */
template <int lanes>
static __device__ __forceinline__ void SampleEntries(const SampledTiles &p, const TileRows<lanes> &Y, PetscInt q, PetscInt end, const DenseUnit &x)
{
  const uint32_t *index = (const uint32_t *)p.seg.stream[AUTOCSR_STREAM_INDEX].data;
  const int       lane  = (int)threadIdx.x % lanes, steps = ((lanes < WARP ? WarpMax((int)(end - q)) : (int)(end - q)) + TOGETHER - 1) / TOGETHER;

  for (int t = 0; t < steps; t++, q += TOGETHER) {
    PetscScalar sum[TOGETHER];

#pragma unroll
    for (int k = 0; k < TOGETHER; k++) {
      sum[k] = 0;
      if (q + k < end) {
        const DenseUnit y = Y.unit[LoadCached(index + q + k) % WIDTH][lane];

#pragma unroll
        for (int u = 0; u < UNIT; u++) sum[k] = MultiplyAdd(sum[k], x.Get(u), y.Get(u));
      }
    }
    const PetscScalar s = AddTogether<lanes>(sum);
    if (lane < TOGETHER && q + lane < end) PutSampled(p, q + lane, s);
  }
}

template <int lanes>
static __global__ void __launch_bounds__(AUTOCSR_THREADS) SampleHeavy(SampledTiles p)
{
  PtxWaitForLast();
  typedef TileRows<lanes> Tile;
  __shared__ __align__(16) unsigned char room[sizeof(HeavyShared<lanes>)];
  HeavyShared<lanes>                    &shared = *(HeavyShared<lanes> *)room;
  const PetscInt                         panel = (PetscInt)blockIdx.x, *tile = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_PANEL_PTR].data + panel;
  const PetscInt                        *map = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_MAP].data;
  PetscInt                               begin_row, end_row;
  DenseUnit                              x[Tile::rows];

  if (tile[0] == tile[1]) return;
  AutoCSRAdaptiveRows(&p.seg, panel, &begin_row, &end_row);
  LoadX<lanes>(p, shared, begin_row, (int)(end_row - begin_row), x);
  for (PetscInt c = tile[0]; c < tile[1]; c++) {
    __syncthreads();
    shared.Y.Load(p.panel, map + (size_t)c * WIDTH);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Tile::rows; r++) {
      const int i = r * Tile::groups + (int)threadIdx.x / lanes;
      PetscInt  q = 0, end = 0;

      if (i < HEIGHT) AutoCSRAdaptiveTileRow(&p.seg, c, i, &q, &end);
      SampleEntries<lanes>(p, shared.Y, q, end, x[r]);
    }
  }
}

PetscErrorCode AutoCSRDeviceSampleDenseHeavy(int lanes, const SampledTiles *p)
{
  PetscFunctionBegin;
  PetscCall(WithLanes(lanes, [&](auto of) {
    Launch(SampleHeavy<decltype(of)::lanes>, (unsigned)AutoCSRAdaptiveRowPanels(&p->seg), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(*p);
    return PETSC_SUCCESS;
  }));
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
