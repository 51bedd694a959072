/*
  The heavy tiles of products with dense matrices on the device by adaptive sparse tiles (hong2019, 4.3, Listing 2): a block
  of threads takes a row panel. The rows of B's panel that a heavy tile reads are copied to shared memory once, and all rows
  of the row panel take them from there. A group of lanes has several rows, whose sums stay in registers from tile to tile
  (the paper's coarsening). The light tiles are a matrix that is multiplied by panels after them (dense.cu), long rows in parts.

  Bytes, in real double: 12 an entry and panel, 4 a row of a tile; of B 16 a scalar for the panel, 8 a scalar for each column
  of a heavy tile, from L2 mostly; 8 a scalar of C, 16 more where a row has light entries, too. From shared memory 8 an entry and column.
*/
#include "dense_tiles.cuh"

struct AdaptiveParameters : ProductParameters {
  AutoCSRSegment   seg;
  const DenseUnit *panel;
  bool             light; /* there are light entries */
};

template <int lanes>
struct AdaptiveShared {
  union {
    TileRows<lanes> B;
    PetscReal sum[HEIGHT][(lanes * UNIT + 1) * sizeof(PetscScalar) / sizeof(PetscReal)]; /* those of a column lie in different banks */
  };
};

/* Adds the entries of a row in a tile */
template <int lanes>
static __device__ __forceinline__ void AddEntries(const AdaptiveParameters &p, const AdaptiveShared<lanes> &shared, PetscInt q, PetscInt end, int lane, DenseUnit &sum)
{
  const uint32_t    *index = (const uint32_t *)p.seg.stream[AUTOCSR_STREAM_INDEX].data;
  const PetscScalar *value = (const PetscScalar *)p.seg.stream[AUTOCSR_STREAM_VALUE].data;

#pragma unroll 4
  for (; q < end; q++) sum.AddProduct(LoadCached(value + q), shared.B.unit[LoadCached(index + q) % WIDTH][lane]);
}

template <int lanes>
static __global__ void __launch_bounds__(AUTOCSR_THREADS) MultiplyHeavy(AdaptiveParameters p)
{
  PtxWaitForLast();
  typedef AdaptiveShared<lanes> Shared;
  typedef TileRows<lanes>       Tile;
  __shared__ __align__(16) unsigned char room[sizeof(Shared)];
  Shared                                &shared    = *(Shared *)room;
  const PetscInt                         panel     = (PetscInt)blockIdx.x, *tile = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_PANEL_PTR].data + panel;
  const PetscInt                        *map       = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_MAP].data;
  const int                              lane      = (int)threadIdx.x % lanes, group = (int)threadIdx.x / lanes;
  PetscInt                               begin_row, end_row;
  DenseUnit                              sum[Tile::rows];

  if (p.light && tile[0] == tile[1]) return;
  AutoCSRAdaptiveRows(&p.seg, panel, &begin_row, &end_row);
#pragma unroll
  for (int r = 0; r < Tile::rows; r++) sum[r].Zero();
  for (PetscInt c = tile[0]; c < tile[1]; c++) {
    __syncthreads();
    shared.B.Load(p.panel, map + (size_t)c * WIDTH);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Tile::rows; r++) {
      const int i = r * Tile::groups + group;
      PetscInt  q = 0, end = 0;

      if (i < HEIGHT) AutoCSRAdaptiveTileRow(&p.seg, c, i, &q, &end);
      AddEntries(p, shared, q, end, lane, sum[r]);
    }
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < Tile::rows; r++) {
    const int i = r * Tile::groups + group;

    if (i < HEIGHT) {
#pragma unroll
      for (int u = 0; u < UNIT; u++) ((PetscScalar *)shared.sum[i])[lane * UNIT + u] = sum[r].Get(u);
    }
  }
  __syncthreads();
  for (int j = (int)threadIdx.x / HEIGHT; j < p.columns; j += AUTOCSR_THREADS / HEIGHT) {
    const int i = (int)threadIdx.x % HEIGHT;

    if (begin_row + i < end_row) p.Put(p.seg.row_begin + begin_row + i, j, ((const PetscScalar *)shared.sum[i])[j]);
  }
}

PetscErrorCode AutoCSRDeviceMultDenseHeavy(const AutoCSRSegment *tiles, int lanes, const void *panel, PetscBool light, const ProductParameters *product)
{
  AdaptiveParameters p;

  PetscFunctionBegin;
  (ProductParameters &)p = *product;
  p.seg                  = *tiles;
  p.panel                = (const DenseUnit *)panel;
  p.light                = light;
  PetscCall(WithLanes(lanes, [&](auto of) {
    Launch(MultiplyHeavy<decltype(of)::lanes>, (unsigned)AutoCSRAdaptiveRowPanels(&p.seg), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(p);
    return PETSC_SUCCESS;
  }));
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseFindLight(AutoCSRDense *kept, const AutoCSRMatrix *csr, PetscInt entries, AutoCSRMatrix *light)
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
  PetscCall(AutoCSRDenseFindBlocks(kept, light, entries, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
