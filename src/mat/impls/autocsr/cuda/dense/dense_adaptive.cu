/*
  Products with dense matrices on the device by adaptive sparse tiles (hong2019, 4.3): a block of threads takes a row panel.
  The rows of B's panel that a heavy tile reads are copied to shared memory once, and all rows of the row panel take them
  from there; the light tile reads them from the panel. A group of lanes has several rows, whose sums stay in registers from
  tile to tile (the paper's coarsening).

  Bytes, in real double: 12 an entry and panel, 4 a row of a tile; of B 16 a scalar for the panel, 8 a scalar for each column
  of a heavy tile and each light entry, from L2 mostly; 8 a scalar of C. From shared memory 8 an entry and column.
*/
#include "dense_panel.cuh"
#include "../../layout/adaptive.h"

static constexpr int HEIGHT = AUTOCSR_DEVICE_ADAPTIVE_HEIGHT, WIDTH = AUTOCSR_DEVICE_ADAPTIVE_WIDTH;

struct AdaptiveParameters : ProductParameters {
  AutoCSRSegment   seg;
  const DenseUnit *panel;
};

template <int lanes>
struct AdaptiveShared {
  static constexpr int groups = AUTOCSR_THREADS / lanes, rows = HEIGHT / groups > 1 ? HEIGHT / groups : 1; /* of threads; of a group */

  union {
    struct {
      alignas(16) DenseUnit unit[WIDTH][lanes];
    } B;
    PetscReal sum[HEIGHT][(lanes * UNIT + 1) * sizeof(PetscScalar) / sizeof(PetscReal)]; /* those of a column lie in different banks */
  };
};

/* The rows of B that a tile reads */
template <int lanes>
static __device__ __forceinline__ void LoadTile(const AdaptiveParameters &p, AdaptiveShared<lanes> &shared, const PetscInt map[])
{
  const int lane = (int)threadIdx.x % lanes;

  for (int s = (int)threadIdx.x / lanes; s < WIDTH; s += AdaptiveShared<lanes>::groups) {
    const PetscInt column = LoadCached(map + s);

    if (column != AUTOCSR_ADAPTIVE_NONE) shared.B.unit[s][lane] = LoadCachedIf(true, p.panel + (size_t)column * lanes + lane);
  }
}

/* Adds the entries of a row in a tile, with rows of B from where row(column) says */
template <typename Row>
static __device__ __forceinline__ void AddEntries(const AdaptiveParameters &p, PetscInt q, PetscInt end, DenseUnit &sum, Row row)
{
  const uint32_t    *index = (const uint32_t *)p.seg.stream[AUTOCSR_STREAM_INDEX].data;
  const PetscScalar *value = (const PetscScalar *)p.seg.stream[AUTOCSR_STREAM_VALUE].data;

#pragma unroll 4
  for (; q < end; q++) sum.AddProduct(LoadCached(value + q), row((PetscInt)LoadCached(index + q)));
}

template <int lanes>
static __global__ void __launch_bounds__(AUTOCSR_THREADS) MultiplyAdaptive(AdaptiveParameters p)
{
  PtxWaitForLast();
  typedef AdaptiveShared<lanes> Shared;
  __shared__ __align__(16) unsigned char room[sizeof(Shared)];
  Shared                                &shared    = *(Shared *)room;
  const PetscInt                         panel     = (PetscInt)blockIdx.x, *tile = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_PANEL_PTR].data + panel;
  const PetscInt                        *map       = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_MAP].data;
  const int                              lane      = (int)threadIdx.x % lanes, group = (int)threadIdx.x / lanes;
  const PetscInt                         light     = tile[1] - 1;
  PetscInt                               begin_row, end_row;
  DenseUnit                              sum[Shared::rows];

  AutoCSRAdaptiveRows(&p.seg, panel, &begin_row, &end_row);
#pragma unroll
  for (int r = 0; r < Shared::rows; r++) sum[r].Zero();
  for (PetscInt c = tile[0]; c < light; c++) {
    __syncthreads();
    LoadTile(p, shared, map + (size_t)(c - panel) * WIDTH);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Shared::rows; r++) {
      const int i = r * Shared::groups + group;
      PetscInt  q = 0, end = 0;

      if (i < HEIGHT) AutoCSRAdaptiveTileRow(&p.seg, c, i, &q, &end);
      AddEntries(p, q, end, sum[r], [&](PetscInt column) { return shared.B.unit[column % WIDTH][lane]; });
    }
  }
#pragma unroll
  for (int r = 0; r < Shared::rows; r++) {
    const int i = r * Shared::groups + group;
    PetscInt  q = 0, end = 0;

    if (i < HEIGHT) AutoCSRAdaptiveTileRow(&p.seg, light, i, &q, &end);
    AddEntries(p, q, end, sum[r], [&](PetscInt column) { return LoadCachedIf(true, p.panel + (size_t)column * lanes + lane); });
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < Shared::rows; r++) {
    const int i = r * Shared::groups + group;

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

template <int lanes>
static PetscErrorCode Panel(const AutoCSRDenseOperands *op, PetscInt first, PetscScalar panel[], AdaptiveParameters p)
{
  PetscFunctionBegin;
  p.columns = PetscMin(lanes * UNIT, op->columns - first);
  p.panel   = (const DenseUnit *)panel;
  p.C       = op->C + (size_t)first * op->ldc;
  PetscCall(PackPanel<lanes>(op->csr->n, p.columns, AutoCSRDenseFrom(op->B, op->ldb, op->by_rows, first), op->ldb, op->by_rows, panel));
  Launch(MultiplyAdaptive<lanes>, (unsigned)AutoCSRAdaptiveRowPanels(&p.seg), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(p);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceMultDenseAdaptive(AutoCSRDense *kept, const AutoCSRDenseOperands *op)
{
  AdaptiveParameters p = {};
  void              *room;

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseFindTiles(kept, op->csr, AUTOCSR_ORDER_ADAPTIVE));
  PetscCall(AutoCSRDenseGetPanel(kept, PanelBytes(op->csr->n, op->columns), &room));
  p.seg = *kept->tiles->segment;
  p.ldc = op->ldc;
  p.add = op->add;
  PetscCheck(p.seg.axes.tile_width == WIDTH && p.seg.axes.tile_height == HEIGHT, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles of %" PetscInt_FMT " by %" PetscInt_FMT ": the kernels have those of %d by %d", p.seg.axes.tile_height, p.seg.axes.tile_width, HEIGHT, WIDTH);
  if (!p.seg.n_rows) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt first = 0, lanes; first < op->columns; first += lanes * UNIT) {
    lanes = LanesFor(op->columns - first);
    PetscCall(WithLanes((int)lanes, [&](auto of) { return Panel<decltype(of)::lanes>(op, first, (PetscScalar *)room, p); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
