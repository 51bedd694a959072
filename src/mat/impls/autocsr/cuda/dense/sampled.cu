/*
  Dense matrices sampled where A has entries (hong2019, 2.2: SDDMM), on the device: val = A .* (X Y^T). A block of threads takes a block of
  A's entries (plan/dense.h), whose rows may be cut: nothing is added from one to the other. What is found stays in shared memory until it is written side by side.

  By panels of Y, as products are made (dense.cu): some lanes have an entry each, and with it a row of the panel; what they find is
  added up across them, four entries at a time. If panels are wide, the columns of X are read side by side for some rows at a time, and lie row by row in
  shared memory. As columns lie: a row of A is a lane's, of whose columns of X it keeps some, or a part of
  a row where these are few; what neighbouring lanes read of a column of Y lies side by side.
  If A is nearly dense, cuBLAS makes all products (sampled_whole.cu). By adaptive tiles: the entries in light tiles are sampled by panels, as a matrix of their own; those in heavy ones by sampled_adaptive.cu.

  Bytes, in real double: 20 an entry, and 16 more for each panel past the first; 8 a scalar of X, 24 of Y (as columns lie 8). Rows of the
  panel come from L2, 8 bytes an entry and column where caches do not hold them.
*/
#include "sampled.cuh"

static constexpr int MOST = sizeof(PetscScalar) > sizeof(double) ? 4 : 8; /* columns that a lane keeps of X, as they lie */

/*
  Thread blocks that a multiprocessor shall have room for. Six gain where fewer lanes than a warp's have an entry, and lose where a warp's
  have one (`make sddmm`)
*/
template <int lanes>
static constexpr int residents = lanes < WARP ? 6 : 4;

/* A part of a row, of those that another block ends, counts as a row, too */
static __device__ __forceinline__ DenseBlock SampledBlockOf(const SampledParameters &p)
{
  DenseBlock b = DenseBlockOf(p);

  if (b.rows == 0) b.rows = 1;
  return b;
}

/* What a block keeps: of its entries the column, the row less the block's first one, and what was found */
template <int most>
struct SampledShared {
  SharedScalars<most> found;
  PetscInt            col[most];
  int                 row[most];

  static __device__ __forceinline__ int Begin(const SampledParameters &p, const DenseBlock &b, int k)
  {
    const PetscInt begin = RowBegin(p, b, k);

    return begin < 0 ? 0 : begin > b.count ? b.count : (int)begin;
  }

  template <typename P>
  __device__ __forceinline__ void Load(const P &p, const DenseBlock &b, bool rows)
  {
    for (int i = (int)threadIdx.x; i < b.count; i += AUTOCSR_THREADS) col[i] = p.Column(b.entry + i);
    if (rows) {
      for (int k = (int)threadIdx.x / WARP; k < b.rows; k += WARPS) {
        const int end = Begin(p, b, k + 1);

        for (int i = Begin(p, b, k) + (int)threadIdx.x % WARP; i < end; i += WARP) row[i] = k;
      }
    }
    __syncthreads();
  }

  template <typename P>
  __device__ __forceinline__ void Write(const P &p, const DenseBlock &b) const
  {
    __syncthreads();
    for (int i = (int)threadIdx.x; i < b.count; i += AUTOCSR_THREADS) PutSampled(p, b.entry + i, found.Get(i));
  }
};

/* Rows of X in shared memory, as many columns of each as a panel has; zero where there is no column */
template <int lanes, bool narrow = (lanes <= 4)>
struct SampledRows {
  static constexpr int rows = (sizeof(PetscScalar) > sizeof(double) ? 2 : 4) * AUTOCSR_THREADS / lanes;

  PetscReal x[rows][(lanes * UNIT + 1) * sizeof(PetscScalar) / sizeof(PetscReal)]; /* those of a column lie in different banks */

  __device__ __forceinline__ void Load(const SampledParameters &p, PetscInt row, int n)
  {
    for (unsigned i = threadIdx.x; i < (unsigned)(n * lanes * UNIT); i += AUTOCSR_THREADS) {
      const int k = (int)(i % (unsigned)n), j = (int)(i / (unsigned)n);

      ((PetscScalar *)x[k])[j] = j < p.columns ? LoadStream(p.X + row + k + (size_t)j * p.ldx) : PetscScalar(0);
    }
  }

  __device__ __forceinline__ PetscScalar Get(const SampledParameters &, PetscInt, int k, int j) const
  {
    return ((const PetscScalar *)x[k])[j];
  }
};

/* With few columns each lane reads its own of X where they lie: shared memory took longer there */
template <int lanes>
struct SampledRows<lanes, true> {
  static constexpr int rows = INT_MAX;

  __device__ __forceinline__ void Load(const SampledParameters &, PetscInt, int) {}

  __device__ __forceinline__ PetscScalar Get(const SampledParameters &p, PetscInt row, int k, int j) const
  {
    return LoadCachedIf(j < p.columns, p.X + row + k + (size_t)j * p.ldx);
  }
};

/* The entries [from, to) of block `b`; `rows` has its rows from `first` on */
template <int lanes>
static __device__ __forceinline__ void SampleRows(const SampledParameters &p, const DenseBlock &b, SampledShared<AUTOCSR_DENSE_BLOCK> &shared, const SampledRows<lanes> &rows, int first, int from, int to)
{
  constexpr int groups = AUTOCSR_THREADS / lanes;
  const int     lane = (int)threadIdx.x % lanes, each = (int)CeilDivide(to - from, groups), begin = from + (int)threadIdx.x / lanes * each;
  const int     end = begin + each < to ? begin + each : to;
  int           row = -1;
  PetscScalar   x[UNIT];

#pragma unroll
  for (int u = 0; u < UNIT; u++) x[u] = 0;
  for (int t = 0; t < each; t += TOGETHER) {
    DenseUnit   y[TOGETHER];
    PetscScalar sum[TOGETHER];

#pragma unroll
    for (int k = 0; k < TOGETHER; k++) {
      const bool exists = begin + t + k < end;

      y[k] = LoadCachedIf(exists, p.panel + (size_t)(exists ? shared.col[begin + t + k] : 0) * lanes + lane);
    }
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) {
      if (begin + t + k < end && shared.row[begin + t + k] != row) {
        row = shared.row[begin + t + k];
#pragma unroll
        for (int u = 0; u < UNIT; u++) x[u] = rows.Get(p, b.row + first, row - first, lane * UNIT + u);
      }
      sum[k] = 0;
#pragma unroll
      for (int u = 0; u < UNIT; u++) sum[k] = MultiplyAdd(sum[k], x[u], y[k].Get(u));
    }
    const PetscScalar s = AddTogether<lanes>(sum);
    if (lane < TOGETHER && begin + t + lane < end) shared.found.Put(begin + t + lane, s);
  }
}

template <int lanes, typename P>
static __global__ void __launch_bounds__(AUTOCSR_THREADS, residents<lanes>) SamplePanel(P p)
{
  PtxWaitForLast();
  typedef SampledRows<lanes> Rows;
  __shared__ SampledShared<AUTOCSR_DENSE_BLOCK> shared;
  __shared__ __align__(16) unsigned char        room[sizeof(Rows)];
  Rows                                         &rows = *(Rows *)room;
  const DenseBlock                              b    = SampledBlockOf(p);

  shared.Load(p, b, true);
  for (int first = 0; first < b.rows; first += Rows::rows) {
    const int n = b.rows - first < Rows::rows ? b.rows - first : Rows::rows, from = shared.Begin(p, b, first), to = shared.Begin(p, b, first + n);

    if (from == to) continue; /* all threads */
    __syncthreads();
    rows.Load(p, b.row + first, n);
    __syncthreads();
    SampleRows<lanes>(p, b, shared, rows, first, from, to);
  }
  shared.Write(p, b);
}

/* All columns at once */
static __global__ void __launch_bounds__(AUTOCSR_THREADS, residents<WARP>) SampleColumns(SampledParameters p)
{
  PtxWaitForLast();
  __shared__ SampledShared<AUTOCSR_DENSE_BLOCK_ALONGSIDE> shared;
  const DenseBlock b     = SampledBlockOf(p);
  const int        parts = b.rows < AUTOCSR_THREADS ? AUTOCSR_THREADS / b.rows : 1;

  shared.Load(p, b, false);
  for (int item = (int)threadIdx.x; item < parts * b.rows; item += AUTOCSR_THREADS) {
    const int          k = item % b.rows, begin = shared.Begin(p, b, k) + item / b.rows, end = shared.Begin(p, b, k + 1);
    const PetscScalar *row = p.X + b.row + k;

    for (int i = begin; i < end; i += parts) shared.found.Put(i, 0);
    for (PetscInt j = 0; j < p.columns; j += MOST) {
      const int   left = (int)(p.columns - j);
      PetscScalar x[MOST];

#pragma unroll
      for (int u = 0; u < MOST; u++) x[u] = LoadCachedIf(u < left, row + (j + u) * p.ldx);
      for (int i = begin; i < end; i += parts) {
        const PetscScalar *column = p.Y + shared.col[i] + j * p.ldy;
        PetscScalar        y[MOST], s = shared.found.Get(i);

#pragma unroll
        for (int u = 0; u < MOST; u++) y[u] = LoadCachedIf(u < left, column + u * p.ldy);
#pragma unroll
        for (int u = 0; u < MOST; u++) s = MultiplyAdd(s, x[u], y[u]);
        shared.found.Put(i, s);
      }
    }
  }
  shared.Write(p, b);
}

/* tiles: adaptive ones, of whose light entries the blocks are, or NULL */
template <int lanes>
static PetscErrorCode Panel(const AutoCSRSampledOperands *op, PetscInt blocks, PetscInt first, PetscScalar panel[], const AutoCSRSegment *tiles, const SampledParameters &p)
{
  PetscFunctionBegin;
  PetscCall(PackPanel<lanes>(op->csr->n, p.columns, AutoCSRDenseFrom(op->Y, op->ldy, op->by_rows, first), op->ldy, op->by_rows, panel));
  if (tiles) {
    SampledTiles t;

    (SampledParameters &)t = p;
    t.seg                  = *tiles;
    if (tiles->stream[AUTOCSR_STREAM_MAP].bytes) PetscCall(AutoCSRDeviceSampleDenseHeavy(lanes, &t));
    if (blocks) Launch(SamplePanel<lanes, SampledTiles>, (unsigned)blocks, AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(t);
  } else
    Launch(SamplePanel<lanes, SampledParameters>, (unsigned)blocks, AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(p);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SamplePanels(AutoCSRDense *kept, const AutoCSRSampledOperands *op, PetscInt blocks, const AutoCSRSegment *tiles, SampledParameters p)
{
  const size_t bytes = PanelBytes(op->csr->n, op->columns);
  PetscInt     first = 0;
  void        *panel;

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseGetPanel(kept, bytes + (LanesFor(op->columns) * UNIT < op->columns ? (size_t)op->csr->nnz * sizeof(PetscScalar) : 0), &panel));
  p.panel = (const DenseUnit *)panel;
  p.sum   = (PetscScalar *)((char *)panel + bytes);
  do { /* once where there are no columns, too */
    const int lanes = LanesFor(op->columns - first);

    p.columns = PetscMin(lanes * UNIT, op->columns - first);
    p.X       = op->X + (size_t)first * op->ldx;
    p.first   = first == 0;
    p.last    = first + p.columns == op->columns;
    PetscCall(WithLanes((int)lanes, [&](auto of) { return Panel<decltype(of)::lanes>(op, blocks, first, (PetscScalar *)panel, tiles, p); }));
    first += p.columns;
  } while (first < op->columns);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceSampleDense(AutoCSRDense *kept, const AutoCSRSampledOperands *op)
{
  const bool        alongside = op->way == AUTOCSR_DENSE_ALONGSIDE && !op->by_rows, adaptive = op->way == AUTOCSR_DENSE_ADAPTIVE;
  AutoCSRMatrix     light;
  SampledParameters p;
  PetscInt          blocks;

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  if (op->way == AUTOCSR_DENSE_WHOLE) {
    PetscCall(AutoCSRDeviceSampleDenseWhole(kept, op));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#if AUTOCSR_HAS_BUNDLES
  if (op->way == AUTOCSR_DENSE_BUNDLES) {
    PetscCall(AutoCSRDeviceSampleDenseBundled(kept, op));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  if (adaptive)
    PetscCall(AutoCSRDenseFindLight(kept, op->csr, &light));
  else
    PetscCall(AutoCSRDenseFindBlocks(kept, op->csr, alongside ? AUTOCSR_DENSE_BLOCK_ALONGSIDE : AUTOCSR_DENSE_BLOCK, PETSC_FALSE));
  blocks    = adaptive && !light.nnz ? 0 : AutoCSRSegmentWorkBlocks(kept->blocks->segment);
  p.row_ptr = adaptive ? light.row_ptr : op->csr->row_ptr;
  p.col     = op->csr->col;
  p.val     = op->csr->val;
  p.work    = (const PetscInt *)kept->blocks->segment->stream[AUTOCSR_STREAM_WORK].data;
  p.written = op->val;
  p.X       = op->X;
  p.Y       = op->Y;
  p.ldx     = (size_t)op->ldx;
  p.ldy     = (size_t)op->ldy;
  p.columns = op->columns;
  p.first = p.last = true;
  if (alongside) {
    Launch(SampleColumns, (unsigned)blocks, AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(p);
    AutoCSRCallCUDA(cudaGetLastError());
  } else
    PetscCall(SamplePanels(kept, op, blocks, adaptive ? kept->tiles->segment : NULL, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
