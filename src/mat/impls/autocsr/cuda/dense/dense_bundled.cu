/*
  Products with dense matrices on the device by bundles (layout/bundled.h): a few lanes have a bundle, each of them some
  neighbouring columns. A row of B's panel is loaded once for all rows of the bundle that need it, and their sums stay in
  registers. Units are loaded side by side and handed out by shuffles, values by shared memory: each lane reading them at
  one address takes longer than a row at a time.

  Bytes, in real double: 8 an entry and 5 a unit for each panel; of B 16 a scalar for the panel, and 8 a unit and column,
  from L2 mostly; 8 a scalar of C.
*/
#include "dense_panel.cuh"
#include "../../layout/bundled.h"

static constexpr int ROWS = AUTOCSR_BUNDLE_ROWS, AT_ONCE = 4; /* of a bundle; rows of B that a lane has asked for */
static constexpr int RESIDENTS = 3;                           /* thread blocks of a multiprocessor: more leave too few registers for the sums */

struct BundledParameters : ProductParameters {
  AutoCSRSegment   seg;
  const DenseUnit *panel;
};

template <int lanes>
struct BundledShared {
  static constexpr int groups = AUTOCSR_BLOCK / lanes, rows = groups * ROWS;

  union {
    struct {
      alignas(16) SharedScalars<ROWS * lanes> of[groups]; /* those of the units that a group has loaded */
    } values;
    PetscReal sum[rows][(lanes * UNIT + 1) * sizeof(PetscScalar) / sizeof(PetscReal)]; /* those of a column lie in different banks */
  };
};

/* Units that a group of lanes has loaded, one a lane: the column, the rows that have it, and where its values begin */
struct LoadedUnit {
  uint32_t column;
  unsigned rows;
  int      first;

  template <int lanes>
  __device__ __forceinline__ LoadedUnit Of(int lane) const
  {
    return {__shfl_sync(ALL_LANES, column, lane, lanes), __shfl_sync(ALL_LANES, rows, lane, lanes), __shfl_sync(ALL_LANES, first, lane, lanes)};
  }
};

/* Loads the units [unit, unit + lanes) before `end`, and their values from `place` on; returns how many values these are */
template <int lanes>
static __device__ __forceinline__ int LoadUnits(const BundledParameters &p, SharedScalars<ROWS * lanes> &values, PetscInt unit, PetscInt end, PetscInt place, LoadedUnit &mine)
{
  const int  lane   = (int)threadIdx.x % lanes;
  const bool exists = unit + lane < end;

  mine.column = exists ? LoadStream((const uint32_t *)p.seg.stream[AUTOCSR_STREAM_INDEX].data + unit + lane) : 0;
  mine.rows   = exists ? LoadStream((const uint8_t *)p.seg.stream[AUTOCSR_STREAM_MASK].data + unit + lane) : 0;

  const int own = __popc(mine.rows);
  int       sum = own;

#pragma unroll
  for (int o = 1; o < lanes; o *= 2) {
    const int before = __shfl_up_sync(ALL_LANES, sum, o, lanes);

    if (lane >= o) sum += before;
  }
  mine.first    = sum - own;
  const int all = __shfl_sync(ALL_LANES, sum, lanes - 1, lanes);

  __syncwarp(); /* the values before these have been read */
  for (int i = lane; i < all; i += lanes) values.Put(i, LoadStream((const PetscScalar *)p.seg.stream[AUTOCSR_STREAM_VALUE].data + place + i));
  __syncwarp();
  return all;
}

/* Adds what n units of a group of lanes contribute to the sums of its bundle */
template <int lanes>
static __device__ __forceinline__ void AddUnits(const DenseUnit panel[], const SharedScalars<ROWS * lanes> &values, const LoadedUnit &mine, int n, DenseUnit sum[ROWS])
{
  const int lane = (int)threadIdx.x % lanes;

  for (int k = 0; k < n; k += AT_ONCE) {
    LoadedUnit unit[AT_ONCE];
    DenseUnit  b[AT_ONCE];

#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
      unit[i] = mine.Of<lanes>(k + i);
      b[i]    = LoadCachedIf(unit[i].rows != 0, panel + (size_t)unit[i].column * lanes + lane);
    }
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        if (unit[i].rows >> r & 1) sum[r].AddProduct(values.Get(unit[i].first++), b[i]);
      }
    }
  }
}

template <int lanes>
static __global__ void __launch_bounds__(AUTOCSR_BLOCK, RESIDENTS) MultiplyBundles(BundledParameters p)
{
  PtxWaitForLast();
  typedef BundledShared<lanes> Shared;
  static_assert(lanes % AT_ONCE == 0, "units past the last have no rows");
  __shared__ __align__(16) unsigned char room[sizeof(Shared)];
  Shared                                &shared = *(Shared *)room;
  const int                              lane   = (int)threadIdx.x % lanes, group = (int)threadIdx.x / lanes;
  const PetscInt64                       bundle = (PetscInt64)blockIdx.x * Shared::groups + group;
  const PetscInt                        *ptr    = (const PetscInt *)p.seg.stream[AUTOCSR_STREAM_SLICE_PTR].data + bundle;
  const bool                             exists = bundle < p.seg.n_slices;
  PetscInt                               unit = exists ? LoadCached(ptr) : 0, place = 0;
  const PetscInt                         end  = exists ? LoadCached(ptr + 1) : 0;
  DenseUnit                              sum[ROWS];

  if (exists) place = LoadCached(p.row_ptr + p.seg.row_begin + bundle * ROWS) - LoadCached(p.row_ptr + p.seg.row_begin);
#pragma unroll
  for (int r = 0; r < ROWS; r++) sum[r].Zero();
  for (; __ballot_sync(ALL_LANES, unit < end); unit += lanes) { /* all groups of a warp, for its shuffles */
    LoadedUnit mine;

    place += LoadUnits<lanes>(p, shared.values.of[group], unit, end, place, mine);
    AddUnits<lanes>(p.panel, shared.values.of[group], mine, lanes < WARP || end - unit > lanes ? lanes : (int)(end - unit), sum);
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int u = 0; u < UNIT; u++) ((PetscScalar *)shared.sum[group * ROWS + r])[lane * UNIT + u] = sum[r].Get(u);
  }
  __syncthreads();

  const int        k   = (int)threadIdx.x % Shared::rows;
  const PetscInt64 row = (PetscInt64)blockIdx.x * Shared::rows + k;

  for (int j = (int)threadIdx.x / Shared::rows; j < p.columns && row < p.seg.n_rows; j += AUTOCSR_BLOCK / Shared::rows) p.Put(p.seg.row_begin + (PetscInt)row, j, ((const PetscScalar *)shared.sum[k])[j]);
}

template <int lanes>
static PetscErrorCode Panel(const AutoCSRDenseOperands *op, PetscInt first, PetscScalar panel[], BundledParameters p)
{
  PetscFunctionBegin;
  p.columns = PetscMin(lanes * UNIT, op->columns - first);
  p.panel   = (const DenseUnit *)panel;
  p.C       = op->C + (size_t)first * op->ldc;
  PetscCall(PackPanel<lanes>(op->csr->n, p.columns, AutoCSRDenseFrom(op->B, op->ldb, op->by_rows, first), op->ldb, op->by_rows, panel));
  Launch(MultiplyBundles<lanes>, (unsigned)CeilDivide(p.seg.n_slices, BundledShared<lanes>::groups), AUTOCSR_BLOCK, 0, AUTOCSR_STREAM)(p);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceMultDenseBundled(AutoCSRDense *kept, const AutoCSRDenseOperands *op)
{
  BundledParameters p = {};
  void             *room;

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseFindTiles(kept, op->csr, AUTOCSR_ORDER_BUNDLED));
  PetscCall(AutoCSRDenseGetPanel(kept, PanelBytes(op->csr->n, op->columns), &room));
  p.seg     = *kept->tiles->segment;
  p.row_ptr = op->csr->row_ptr;
  p.ldc     = op->ldc;
  p.add     = op->add;
  PetscCheck(p.seg.axes.slice_height == ROWS && p.seg.axes.value == AUTOCSR_VALUE_COPY, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Bundles of %" PetscInt_FMT " rows, value coding %d: the kernels have %d rows with copies of values", p.seg.axes.slice_height, (int)p.seg.axes.value, ROWS);
  if (!p.seg.n_rows) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt first = 0, lanes; first < op->columns; first += lanes * UNIT) {
    lanes = LanesFor(op->columns - first);
    switch (lanes) {
    case 4:
      PetscCall(Panel<4>(op, first, (PetscScalar *)room, p));
      break;
    case 8:
      PetscCall(Panel<8>(op, first, (PetscScalar *)room, p));
      break;
    case 16:
      PetscCall(Panel<16>(op, first, (PetscScalar *)room, p));
      break;
    default:
      PetscCall(Panel<32>(op, first, (PetscScalar *)room, p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
