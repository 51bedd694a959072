/*
  Products with dense matrices on the device, by panels: some columns of B are copied row by row; of a block of A's rows a few lanes
  have a row, each of them some neighbouring columns, so that a row of the panel is read side by side and rows that have columns in
  common find it in L1. Sums lie in shared memory until those of some rows are there: then columns of C are written side by side.

  Bytes, in real double: 12 an entry and panel; of B 16 a scalar for the panel, which is read again (8 a scalar, or up to 8 an entry and
  column where caches do not hold it); 8 a scalar of C. Rows of the panel come through L1, 8 bytes an entry and column, and from L2
  where blocks of rows have no others in common: that bounds products whose columns lie close together.
*/
#include "dense_panel.cuh"
#include "../../layout/adaptive.h"

static constexpr int AT_ONCE   = 4; /* entries that a lane has asked for, */
static constexpr int RESIDENTS = 4; /* and blocks of a multiprocessor: with more of either products take as long or longer */

/*
  A warp takes row by row where these have SHORT entries on average, or more, for each of its groups of lanes, and where there are many blocks fewer than LONG: longer rows even
  out, but where there are WAVES times as many blocks as multiprocessors hold, or fewer, each counts. Else groups have rows of their own, but for those of more than SERIAL entries
*/
static constexpr int SHORT = 2, LONG = 8, WAVES = 4, SERIAL = 32;

template <int lanes>
struct DenseShared {
  static constexpr int rows = lanes < 16 ? 2 * AUTOCSR_THREADS / lanes : WARP; /* whose sums are kept: two of each group, at least */

  alignas(16) PetscReal sum[rows][(lanes * UNIT + 1) * sizeof(PetscScalar) / sizeof(PetscReal)]; /* those of a column lie in different banks */
  DenseEntries<AUTOCSR_DENSE_BLOCK> entries;

  __device__ __forceinline__ void Put(int row, int lane, const DenseUnit &s)
  {
#pragma unroll
    for (int u = 0; u < UNIT; u++) ((PetscScalar *)sum[row])[lane * UNIT + u] = s.Get(u);
  }

  /* The entries [p, end) in steps of `step` */
  __device__ __forceinline__ DenseUnit Sum(const DenseUnit panel[], int lane, int p, int end, int step) const
  {
    DenseUnit s;

    s.Zero();
    for (; p < end; p += AT_ONCE * step) {
      DenseUnit b[AT_ONCE];

#pragma unroll
      for (int u = 0; u < AT_ONCE; u++) {
        const bool exists = p + u * step < end;

        b[u] = LoadCachedIf(exists, panel + (size_t)entries.col[exists ? p + u * step : p] * lanes + lane);
      }
#pragma unroll
      for (int u = 0; u < AT_ONCE; u++) {
        if (p + u * step < end) s.AddProduct(entries.val.Get(p + u * step), b[u]);
      }
    }
    return s;
  }
};

struct PanelParameters : ProductParameters {
  const DenseUnit *panel;
  bool             few; /* blocks there are */
};

/* Of adaptive tiles, the light ones: what they have of a row is added to what heavy ones have put into C before */
struct LightParameters : PanelParameters {
  const uint32_t *index;
  const PetscInt *tile; /* the first heavy one of each row panel, and the end */

  __device__ __forceinline__ PetscInt Column(PetscInt place) const
  {
    return (PetscInt)LoadStream(index + place);
  }

  __device__ __forceinline__ bool Adds(PetscInt row) const
  {
    const PetscInt *t = tile + row / AUTOCSR_DEVICE_ADAPTIVE_HEIGHT;

    return add || LoadCached(t) < LoadCached(t + 1);
  }

  __device__ __forceinline__ bool Skips(PetscInt row) const
  {
    return LoadCached(row_ptr + row) == LoadCached(row_ptr + row + 1) && Adds(row);
  }

  __device__ __forceinline__ void Put(PetscInt row, PetscInt column, PetscScalar sum) const
  {
    PetscScalar *c = C + row + (size_t)column * ldc;

    *c = Adds(row) ? *c + sum : sum;
  }
};

/* Sums of n rows from `row` on, which lie in shared memory */
template <int lanes, typename P>
static __device__ __forceinline__ void WriteRows(const P &p, const DenseShared<lanes> &shared, PetscInt row, int n)
{
  const int k = (int)threadIdx.x % shared.rows;

  if (k < n && p.Skips(row + k)) return;
  for (int j = (int)threadIdx.x / shared.rows; j < p.columns && k < n; j += AUTOCSR_THREADS / shared.rows) p.Put(row + k, j, ((const PetscScalar *)shared.sum[k])[j]);
}

/* By all threads */
template <int lanes, typename P>
static __device__ __forceinline__ void MultiplyOne(const P &p, DenseShared<lanes> &shared, const DenseBlock &block)
{
  const DenseRow row(p, block, AUTOCSR_DENSE_BLOCK);
  const int      lane = (int)threadIdx.x % lanes;
  DenseUnit      s    = shared.Sum(p.panel, lane, (int)threadIdx.x / lanes, block.count, AUTOCSR_THREADS / lanes);

#pragma unroll
  for (int o = lanes; o < WARP; o *= 2) s.Add(s.Across(o));
  if (threadIdx.x % WARP < lanes) shared.Put((int)threadIdx.x / WARP, lane, s); /* a sum of each warp */
  __syncthreads();
  for (int j = (int)threadIdx.x; j < p.columns; j += AUTOCSR_THREADS) {
    PetscScalar sum = ((const PetscScalar *)shared.sum[0])[j];

    for (int w = 1; w < WARPS; w++) sum += ((const PetscScalar *)shared.sum[w])[j];
    row.Put(p, j, sum);
  }
  row.Finish(p, &shared.entries.is_last);
}

/* The sums of n of a block's rows, from its row `first` on: those of more than `longest` entries by warps, after the others by groups of lanes */
template <int lanes>
static __device__ __forceinline__ void MultiplyRows(const PanelParameters &p, DenseShared<lanes> &shared, const DenseBlock &block, int first, int n, int longest)
{
  constexpr int groups = WARP / lanes;
  const int     lane = (int)threadIdx.x % lanes, warp = (int)threadIdx.x / WARP, group = (int)threadIdx.x % WARP / lanes;

  for (int k = warp * groups + group; k < n && longest; k += AUTOCSR_THREADS / lanes) {
    const int begin = (int)RowBegin(p, block, first + k), end = (int)RowBegin(p, block, first + k + 1);

    if (end - begin <= longest) shared.Put(k, lane, shared.Sum(p.panel, lane, begin, end, 1));
  }
  for (int k = warp; k < n; k += WARPS) {
    const int begin = (int)RowBegin(p, block, first + k), end = (int)RowBegin(p, block, first + k + 1);

    if (longest && end - begin <= longest) continue; /* all lanes */
    DenseUnit s = shared.Sum(p.panel, lane, begin + group, end, groups);
#pragma unroll
    for (int o = lanes; o < WARP; o *= 2) s.Add(s.Across(o));
    if (group == 0) shared.Put(k, lane, s);
  }
}

template <int lanes, typename P>
static __global__ void __launch_bounds__(AUTOCSR_THREADS, RESIDENTS) MultiplyDense(P p)
{
  PtxWaitForLast();
  __shared__ DenseShared<lanes> shared;
  const DenseBlock              block   = DenseBlockOf(p);
  constexpr int                 groups  = WARP / lanes;
  const bool                    by_warp = block.count >= groups * SHORT * block.rows && (p.few || block.count < groups * LONG * block.rows);

  shared.entries.Load(p, block);
  if (block.rows <= 1) {
    MultiplyOne(p, shared, block);
    return;
  }
  for (int first = 0; first < block.rows; first += shared.rows) {
    const int n = block.rows - first < shared.rows ? block.rows - first : shared.rows;

    if (first) __syncthreads();
    MultiplyRows<lanes>(p, shared, block, first, n, by_warp ? 0 : SERIAL);
    __syncthreads();
    WriteRows(p, shared, block.row + first, n);
  }
}

/* tiles: adaptive ones, of whose light entries the blocks are, or NULL */
template <int lanes>
static PetscErrorCode Panel(const AutoCSRDenseOperands *op, PetscInt first, PetscScalar panel[], PetscInt blocks, const AutoCSRSegment *tiles, const PanelParameters &p)
{
  PetscFunctionBegin;
  PetscCall(PackPanel<lanes>(op->csr->n, p.columns, AutoCSRDenseFrom(op->B, op->ldb, op->by_rows, first), op->ldb, op->by_rows, panel));
  if (tiles) {
    const PetscBool heavy = (PetscBool)(tiles->stream[AUTOCSR_STREAM_MAP].bytes > 0), light = (PetscBool)(blocks > 0);
    LightParameters l;

    (PanelParameters &)l = p;
    l.index              = (const uint32_t *)tiles->stream[AUTOCSR_STREAM_INDEX].data;
    l.tile               = (const PetscInt *)tiles->stream[AUTOCSR_STREAM_PANEL_PTR].data;
    if (heavy) PetscCall(AutoCSRDeviceMultDenseHeavy(tiles, lanes, panel, light, &p));
    if (light) Launch(MultiplyDense<lanes, LightParameters>, (unsigned)blocks, AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(l);
  } else
    Launch(MultiplyDense<lanes, PanelParameters>, (unsigned)blocks, AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(p);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By panels; p says all but C and its columns */
static PetscErrorCode MultiplyPanels(const AutoCSRDenseOperands *op, PetscInt blocks, void *panel, const AutoCSRSegment *tiles, const ProductParameters &shared)
{
  PanelParameters p;

  PetscFunctionBegin;
  (ProductParameters &)p = shared;
  p.panel              = (const DenseUnit *)panel;
  p.few                = blocks < WAVES * RESIDENTS * AutoCSRDeviceProcessors();
  for (PetscInt first = 0; first < op->columns; first += p.columns) {
    const int lanes = LanesFor(op->columns - first);

    p.columns = PetscMin(lanes * UNIT, op->columns - first);
    p.C       = op->C + (size_t)first * op->ldc;
    PetscCall(WithLanes((int)lanes, [&](auto of) { return Panel<decltype(of)::lanes>(op, first, (PetscScalar *)panel, blocks, tiles, p); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceMultDense(AutoCSRDense *kept, const AutoCSRDenseOperands *op, PetscBool *done)
{
  const PetscBool       alongside = (PetscBool)(op->way == AUTOCSR_DENSE_ALONGSIDE && !op->by_rows);
  const PetscInt        entries = alongside ? AUTOCSR_DENSE_BLOCK_ALONGSIDE : AUTOCSR_DENSE_BLOCK;
  const size_t          width = alongside ? DENSE_SWEEP : (size_t)LanesFor(op->columns) * UNIT, panel = alongside ? 0 : PanelBytes(op->csr->n, op->columns);
  const PetscBool       adaptive = (PetscBool)(op->way == AUTOCSR_DENSE_ADAPTIVE);
  AutoCSRMatrix         light;
  const AutoCSRMatrix  *csr = adaptive ? &light : op->csr;
  const AutoCSRSegment *seg;
  PetscInt              blocks;
  size_t                shares;
  void                 *room;
  ProductParameters       p;

  PetscFunctionBegin;
  *done = (PetscBool)(op->columns >= LEAST_LANES * UNIT / 2 || op->few);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceFollow());
#if AUTOCSR_HAS_BUNDLES
  if (op->way == AUTOCSR_DENSE_BUNDLES) {
    PetscCall(AutoCSRDeviceMultDenseBundled(kept, op));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  if (adaptive)
    PetscCall(AutoCSRDenseFindLight(kept, op->csr, &light));
  else
    PetscCall(AutoCSRDenseFindBlocks(kept, op->csr, entries, PETSC_FALSE));
  seg    = kept->blocks->segment;
  blocks = adaptive && !light.nnz && kept->tiles->segment->stream[AUTOCSR_STREAM_MAP].bytes ? 0 : AutoCSRSegmentWorkBlocks(seg);
  shares = op->longest > entries ? (size_t)blocks : 0;
  PetscCall(AutoCSRDenseGetPanel(kept, panel + shares * (width * sizeof(PetscScalar) + sizeof(unsigned)), &room));
  p.row_ptr = csr->row_ptr;
  p.col     = csr->col;
  p.val     = csr->val;
  p.work    = (const PetscInt *)seg->stream[AUTOCSR_STREAM_WORK].data;
  p.share   = (PetscScalar *)((char *)room + panel);
  p.arrived = (unsigned *)(p.share + shares * width);
  p.ldc     = op->ldc;
  p.add     = op->add;
  if (shares) PetscCallCUDA(cudaMemsetAsync(p.arrived, 0, shares * sizeof(unsigned), AUTOCSR_STREAM));
  if (alongside)
    PetscCall(AutoCSRDeviceMultDenseColumns(op, blocks, p));
  else
    PetscCall(MultiplyPanels(op, blocks, room, adaptive ? kept->tiles->segment : NULL, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
