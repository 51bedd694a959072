/*
  Products with dense matrices and dense matrices sampled on the device, by bundles (layout/bundled.h) and the tensor cores that
  multiply doubles: a warp takes a bundle of 8 rows, or a part of it. A row of B's panel, or of Y's, is loaded once for all rows
  of the bundle that need it.

  A product multiplies tiles of A, 8 rows by 4 units, with the units' rows of the panel; places of a tile without an entry are
  zero. They would turn an Inf or a NaN of B into the NaN of a row that does not have the column, so packing tells whether B has
  any, and then each entry is multiplied by itself. Sampling makes tiles of 8 rows by 8 units, each scalar from its own row of X and of
  Y alone, and keeps those that are entries.

  Bytes, in real double: of a product 8 an entry and 5 a unit for each panel; of B 16 a scalar for the panel, and 8 a unit and
  column, from L2 mostly; 8 a scalar of C. Of sampling 16 an entry, 16 more for each panel past the first, 5 a unit; 8 a scalar of X, 24 of Y, and 8 a unit
  and column.
*/
#include "dense_panel.cuh"
#include <climits>

#if AUTOCSR_HAS_BUNDLES
  #include "../../layout/bundled.h"

static constexpr int      ROWS = AUTOCSR_BUNDLE_ROWS, RESIDENTS = 4;
static constexpr unsigned ROW_BITS = 0x01010101u; /* those of row 0 in the masks of four units */

/*
  In a product a warp has one bundle and all columns of the panel. If the parts are fewer than WAVES times the warps that fit on all multiprocessors, it has TILE
  columns. doc/lab/dense.md tells what more rows, or fewer columns, a warp give
*/
static constexpr int TILE = 16, WAVES = 1;

struct BundledParameters : ProductParameters {
  AutoCSRSegment   seg;
  const DenseUnit *panel;
  unsigned        *not_finite, serial; /* the first is the second if the panel has an Inf or a NaN */
};

/* A part, and where the next one begins; a lane has the row lane / 4 of the bundle, -1 if there is none, and the place of its next entry */
struct Part {
  PetscInt          index, row, unit, end, place;
  AutoCSRBundlePart head;

  __device__ __forceinline__ Part(const AutoCSRSegment &seg, PetscInt part)
  {
    const AutoCSRBundlePart *parts = (const AutoCSRBundlePart *)seg.stream[AUTOCSR_STREAM_BUNDLE_PART].data;

    index       = part;
    head.bundle = LoadCached(&parts[index].bundle);
    head.number = LoadCached(&parts[index].number);
    head.count  = LoadCached(&parts[index].count);
    unit        = LoadCached(&parts[index].unit);
    end         = LoadCached(&parts[index + 1].unit);
    place       = LoadCached(&parts[index].next[Row()]);
    row         = head.bundle * ROWS + Row();
    if (row >= seg.n_rows) row = -1;
  }

  static __device__ __forceinline__ int Row()
  {
    return (int)threadIdx.x % WARP / 4;
  }

  static __device__ __forceinline__ int Column()
  {
    return (int)threadIdx.x % 4;
  }
};

/* The masks of four units that lie side by side, a byte each */
static __device__ __forceinline__ unsigned LoadMasks(const AutoCSRSegment &seg, PetscInt unit)
{
  return LoadCached((const uint32_t *)((const uint8_t *)seg.stream[AUTOCSR_STREAM_MASK].data + unit));
}

static __device__ __forceinline__ uint32_t LoadColumn(const AutoCSRSegment &seg, PetscInt unit)
{
  return LoadCached((const uint32_t *)seg.stream[AUTOCSR_STREAM_INDEX].data + unit);
}

/* Entries of the lane's row in the first k of four units */
static __device__ __forceinline__ int EntriesBefore(unsigned masks, int k)
{
  return __popc(masks & (ROW_BITS << Part::Row()) & (unsigned)((1ull << 8 * k) - 1));
}

static __device__ __forceinline__ bool HasEntry(unsigned masks, int k)
{
  return masks >> (8 * k + Part::Row()) & 1;
}

/*
  The sums of a lane. They belong to one row of C. A tile of the tensor cores has 8 columns, of which a lane has two; `each` tiles take turns column by column,
  so that a lane loads `each` neighbouring scalars of B; there are `groups` of such tiles
*/
template <int lanes, bool wide>
struct Sums {
  static constexpr int each = lanes < 8 ? 1 : 2, groups = wide ? lanes * UNIT / (8 * each) : TILE / 16, columns = groups * 8 * each, of_row = lanes * UNIT / columns;

  double sum[groups][each][2];

  /* f(sum, its column among those of the panel); share: of the columns, which the warp has */
  template <typename F>
  __device__ __forceinline__ void Each(int share, F f)
  {
  #pragma unroll
    for (int g = 0; g < groups; g++) {
  #pragma unroll
      for (int h = 0; h < each; h++) {
  #pragma unroll
        for (int e = 0; e < 2; e++) f(sum[g][h][e], share * columns + g * 8 * each + each * (2 * Part::Column() + e) + h);
      }
    }
  }
};

/* Scalars of a row of the panel that a lane has of tiles */
template <int lanes, bool wide>
struct PanelRow {
  typedef Sums<lanes, wide> S;

  double b[S::groups][S::each];

  __device__ __forceinline__ void Load(const double row[])
  {
  #pragma unroll
    for (int g = 0; g < S::groups; g++) {
      if constexpr (S::each == 2) {
        const DenseUnit u = LoadCachedIf(true, (const DenseUnit *)row + g * 8 + Part::Row());

        b[g][0] = u.Get(0);
        b[g][1] = u.Get(1);
      } else
        b[g][0] = LoadCachedIf(true, row + g * 8 + Part::Row());
    }
  }
};

/* By tiles of A and B: no scalar of B is an Inf or a NaN */
template <int lanes, bool wide>
static __device__ __forceinline__ void AddTiles(const BundledParameters &p, Part part, int share, Sums<lanes, wide> &sums)
{
  typedef Sums<lanes, wide> S;
  constexpr int             at_once = AUTOCSR_BUNDLE_STEP / 4;
  const double             *own     = (const double *)p.panel + share * S::columns;

  for (PetscInt unit = part.unit; unit < part.end; unit += AUTOCSR_BUNDLE_STEP) {
    double                a[at_once];
    PanelRow<lanes, wide> b[at_once];

  #pragma unroll
    for (int s = 0; s < at_once; s++) {
      const uint32_t column = LoadColumn(p.seg, unit + 4 * s + Part::Column());
      const unsigned masks  = LoadMasks(p.seg, unit + 4 * s);

      a[s] = LoadCachedIf(HasEntry(masks, Part::Column()), p.val + part.place + EntriesBefore(masks, Part::Column()));
      part.place += EntriesBefore(masks, 4);
      b[s].Load(own + (size_t)column * (lanes * UNIT));
    }
  #pragma unroll
    for (int s = 0; s < at_once; s++) {
  #pragma unroll
      for (int g = 0; g < S::groups; g++) {
  #pragma unroll
        for (int h = 0; h < S::each; h++) PtxMultiplyAdd8x8x4(sums.sum[g][h], a[s], b[s].b[g][h]);
      }
    }
  }
}

/* Entry by entry: a row meets no scalar of B but those of its columns */
template <int lanes, bool wide>
static __device__ __forceinline__ void AddEntries(const BundledParameters &p, Part part, int share, Sums<lanes, wide> &sums)
{
  #pragma unroll 1
  for (PetscInt unit = part.unit; unit < part.end; unit += 4) {
    const unsigned masks = LoadMasks(p.seg, unit);

  #pragma unroll 1
    for (int k = 0; k < 4; k++) {
      if (!HasEntry(masks, k)) continue;
      const double  a   = LoadCached(p.val + part.place++);
      const double *row = (const double *)p.panel + (size_t)LoadColumn(p.seg, unit + k) * (lanes * UNIT);

      sums.Each(share, [&](double &sum, int column) { sum = MultiplyAdd(sum, a, LoadCached(row + column)); });
    }
  }
}

/* Sums of a part go to p.share. The part that comes last adds those of all, in their order. Returns whether this one does */
template <int lanes, bool wide>
static __device__ __forceinline__ bool AddParts(const BundledParameters &p, const Part &part, int share, Sums<lanes, wide> &sums)
{
  constexpr int  each  = ROWS * lanes * UNIT; /* sums of a part */
  const PetscInt first = AutoCSRBundleShare(&part.head, part.index) - part.head.number;
  const int      lane  = (int)threadIdx.x % WARP;
  double        *kept  = p.share + (size_t)first * each + Part::Row() * lanes * UNIT;
  unsigned      *count = p.arrived + (size_t)first * (MOST_LANES * UNIT / TILE) + share;
  int            last  = 0;

  sums.Each(share, [&](double &sum, int column) { kept[(size_t)part.head.number * each + column] = sum; });
  __syncwarp();
  if (lane == 0) last = CountArrival(count) == (unsigned)(part.head.count - 1);
  last = __shfl_sync(ALL_LANES, last, 0);
  __syncwarp(); /* all lanes see what lane 0 has waited for */
  if (!last) return false;
  sums.Each(share, [&](double &sum, int column) { sum = kept[column]; });
  #pragma unroll 4
  for (PetscInt q = 1; q < part.head.count; q++) sums.Each(share, [&](double &sum, int column) { sum += kept[(size_t)q * each + column]; });
  if (lane == 0) *count = 0; /* for the next columns */
  return true;
}

template <int lanes, bool wide>
static __global__ void __launch_bounds__(AUTOCSR_THREADS, RESIDENTS) MultiplyBundles(BundledParameters p)
{
  PtxWaitForLast();
  constexpr int     of_row = Sums<lanes, wide>::of_row;
  const int         share  = (int)threadIdx.x / WARP % of_row;
  const PetscInt64  index  = (PetscInt64)blockIdx.x * (WARPS / of_row) + threadIdx.x / WARP / of_row;
  Sums<lanes, wide> sums;

  if (index >= AutoCSRBundleParts(&p.seg)) return; /* all lanes of the warp, as below */
  const Part part(p.seg, (PetscInt)index);
  sums.Each(share, [&](double &sum, int) { sum = 0; });
  if (*p.not_finite == p.serial)
    AddEntries<lanes, wide>(p, part, share, sums);
  else
    AddTiles<lanes, wide>(p, part, share, sums);
  if (part.head.count > 1 && !AddParts<lanes, wide>(p, part, share, sums)) return;
  if (part.row < 0) return;
  sums.Each(share, [&](double &sum, int column) {
    if (column < p.columns) p.Put(p.seg.row_begin + part.row, column, sum);
  });
}

struct SampledBundlesParameters {
  AutoCSRSegment     seg;
  const PetscScalar *X, *val;
  const DenseUnit   *panel;
  size_t             ldx;
  PetscInt           columns;
  PetscScalar       *sum, *written; /* as those of SampledParameters (sampled.cu) */
  bool               first, last;

  __device__ __forceinline__ void Put(PetscInt place, double s) const
  {
    if (!first) s = sum[place] + s;
    if (last)
      written[place] = val[place] * s;
    else
      sum[place] = s;
  }
};

/* Columns of X that a lane has, those 8 g + 2 (lane % 4) and the next; its row's */
template <int lanes>
static __global__ void __launch_bounds__(AUTOCSR_THREADS, lanes < WARP ? 4 : 3) SampleBundles(SampledBundlesParameters p)
{
  PtxWaitForLast();
  constexpr int    groups = lanes * UNIT / 8;
  const PetscInt64 index  = (PetscInt64)blockIdx.x * WARPS + threadIdx.x / WARP;
  double           x[groups][2];
  const int        k = Part::Column();

  if (index >= AutoCSRBundleParts(&p.seg)) return; /* all lanes of the warp */
  Part part(p.seg, (PetscInt)index);
  #pragma unroll
  for (int g = 0; g < groups; g++) {
  #pragma unroll
    for (int h = 0; h < 2; h++) {
      const int j = 8 * g + 2 * k + h;

      x[g][h] = LoadCachedIf(part.row >= 0 && j < p.columns, p.X + p.seg.row_begin + part.row + (size_t)j * p.ldx);
    }
  }
  for (PetscInt unit = part.unit; unit < part.end; unit += 8) {
    const DenseUnit *row   = p.panel + (size_t)LoadColumn(p.seg, unit + Part::Row()) * lanes + k;
    const unsigned   masks = LoadMasks(p.seg, unit), more = LoadMasks(p.seg, unit + 4), own = k < 2 ? masks : more;
    const int        at = 2 * (k % 2);
    double           d[2][2] = {{0, 0}, {0, 0}};
    DenseUnit        y[groups];
    PetscInt         place = part.place + (k < 2 ? 0 : EntriesBefore(masks, 4)) + EntriesBefore(own, at);

    static_assert(AUTOCSR_BUNDLE_STEP == 8, "all units exist");
  #pragma unroll
    for (int g = 0; g < groups; g++) y[g] = LoadCachedIf(true, row + g * 4);
  #pragma unroll
    for (int g = 0; g < groups; g++) {
  #pragma unroll
      for (int h = 0; h < 2; h++) PtxMultiplyAdd8x8x4(d[h], x[g][h], y[g].Get(h));
    }
    if (HasEntry(own, at)) p.Put(place++, d[0][0] + d[1][0]);
    if (HasEntry(own, at + 1)) p.Put(place, d[0][1] + d[1][1]);
    part.place += EntriesBefore(masks, 4) + EntriesBefore(more, 4);
  }
}

template <int lanes>
static PetscErrorCode Panel(const AutoCSRDenseOperands *op, PetscInt first, PetscScalar panel[], BundledParameters p)
{
  PetscFunctionBegin;
  p.columns = PetscMin(lanes * UNIT, op->columns - first);
  p.panel   = (const DenseUnit *)panel;
  p.C       = op->C + (size_t)first * op->ldc;
  PetscCall(PackPanel<lanes>(op->csr->n, p.columns, AutoCSRDenseFrom(op->B, op->ldb, op->by_rows, first), op->ldb, op->by_rows, panel, {p.not_finite, p.serial}));
  if (AutoCSRBundleParts(&p.seg) >= WAVES * RESIDENTS * WARPS * AutoCSRDeviceProcessors())
    Launch(MultiplyBundles<lanes, true>, (unsigned)CeilDivide(AutoCSRBundleParts(&p.seg), WARPS), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(p);
  else
    Launch(MultiplyBundles<lanes, false>, (unsigned)CeilDivide(AutoCSRBundleParts(&p.seg), WARPS / Sums<lanes, false>::of_row), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(p);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counters, all zero at first: how many parts of a bundle have come, and whether B is finite: a number that grows from panel to panel, so that nothing clears it */
static PetscErrorCode GetCounters(AutoCSRDense *kept, size_t count, unsigned **counters)
{
  PetscFunctionBegin;
  if (kept->n_counters < count || kept->serial > UINT_MAX / 2) {
    PetscCall(AutoCSRDeviceDeallocate(kept->counters));
    kept->counters   = NULL;
    kept->n_counters = 0;
    PetscCall(AutoCSRDeviceAllocateZeros(count * sizeof(unsigned), &kept->counters));
    kept->n_counters = count;
    kept->serial     = 0;
  }
  *counters = (unsigned *)kept->counters;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for the panel and the sums of parts */
static PetscErrorCode GetRoom(AutoCSRDense *kept, const AutoCSRDenseOperands *op, BundledParameters *p, PetscScalar **panel)
{
  const size_t bytes = PanelBytes(op->csr->n, op->columns), shares = (size_t)AutoCSRBundleShares(&p->seg);
  void        *room;

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseGetPanel(kept, bytes + shares * ROWS * LanesFor(op->columns) * UNIT * sizeof(PetscScalar), &room));
  PetscCall(GetCounters(kept, 1 + shares * (MOST_LANES * UNIT / TILE), &p->not_finite));
  p->arrived = p->not_finite + 1;
  *panel     = (PetscScalar *)room;
  p->share   = (PetscScalar *)((char *)room + bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FindBundles(AutoCSRDense *kept, const AutoCSRMatrix *csr, AutoCSRSegment *seg)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDenseFindTiles(kept, csr, AUTOCSR_ORDER_BUNDLED));
  *seg = *kept->tiles->segment;
  PetscCheck(seg->axes.slice_height == ROWS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Bundles of %" PetscInt_FMT " rows: the kernels have %d rows", seg->axes.slice_height, ROWS);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceMultDenseBundled(AutoCSRDense *kept, const AutoCSRDenseOperands *op)
{
  BundledParameters p     = {};
  PetscScalar      *panel = NULL;

  PetscFunctionBegin;
  PetscCall(FindBundles(kept, op->csr, &p.seg));
  if (!p.seg.n_rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetRoom(kept, op, &p, &panel));
  p.val = op->csr->val;
  p.ldc = op->ldc;
  p.add = op->add;
  for (PetscInt first = 0, lanes; first < op->columns; first += lanes * UNIT) {
    lanes    = LanesFor(op->columns - first);
    p.serial = ++kept->serial;
    PetscCall(WithLanes((int)lanes, [&](auto of) { return Panel<decltype(of)::lanes>(op, first, panel, p); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <int lanes>
static PetscErrorCode Panel(const AutoCSRSampledOperands *op, PetscInt first, PetscScalar panel[], const SampledBundlesParameters &p)
{
  PetscFunctionBegin;
  PetscCall(PackPanel<lanes>(op->csr->n, p.columns, AutoCSRDenseFrom(op->Y, op->ldy, op->by_rows, first), op->ldy, op->by_rows, panel));
  Launch(SampleBundles<lanes>, (unsigned)CeilDivide(AutoCSRBundleParts(&p.seg), WARPS), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(p);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceSampleDenseBundled(AutoCSRDense *kept, const AutoCSRSampledOperands *op)
{
  const size_t             bytes = PanelBytes(op->csr->n, op->columns);
  SampledBundlesParameters p     = {};
  PetscInt                 first = 0;
  void                    *panel;

  PetscFunctionBegin;
  PetscCall(FindBundles(kept, op->csr, &p.seg));
  if (!p.seg.n_rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDenseGetPanel(kept, bytes + (LanesFor(op->columns) * UNIT < op->columns ? (size_t)op->csr->nnz * sizeof(PetscScalar) : 0), &panel));
  p.panel   = (const DenseUnit *)panel;
  p.sum     = (PetscScalar *)((char *)panel + bytes);
  p.written = op->val;
  p.val     = op->csr->val;
  p.ldx     = (size_t)op->ldx;
  do { /* once where there are no columns, too */
    const int lanes = LanesFor(op->columns - first);

    p.columns = PetscMin(lanes * UNIT, op->columns - first);
    p.X       = op->X + (size_t)first * p.ldx;
    p.first   = first == 0;
    p.last    = first + p.columns == op->columns;
    PetscCall(WithLanes((int)lanes, [&](auto of) { return Panel<decltype(of)::lanes>(op, first, (PetscScalar *)panel, p); }));
    first += p.columns;
  } while (first < op->columns);
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
