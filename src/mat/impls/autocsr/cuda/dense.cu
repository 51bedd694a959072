/*
  Products with dense matrices on the device: a panel of B's columns is copied row by row, then a block of threads takes a block of
  A's rows (plan/dense.h). Its entries go to shared memory; a few lanes have a row, each of them some neighbouring columns, so that
  a row of the panel is read side by side and rows that have columns in common find it in L1. Sums lie in shared memory, too, until
  those of some rows are there: then columns of C are written side by side.

  Bytes, in real double: 12 an entry and panel; of B 16 a scalar for the panel, which is read again (8 a scalar, or up to 8 an entry and
  column where caches do not hold it); 8 a scalar of C. Rows of the panel come through L1, 8 bytes an entry and column, and from L2
  where blocks of rows have no others in common: that bounds products whose columns lie close together.
*/
#include "launch.h"
#include "planner.cuh"
#include "../plan/dense.h"

static constexpr int UNIT      = sizeof(PetscScalar) < 16 ? 16 / (int)sizeof(PetscScalar) : 1; /* columns of a lane, which it loads at once */
static constexpr int AT_ONCE   = 4;                                                            /* entries that a lane has asked for, */
static constexpr int RESIDENTS = 4;                                                            /* and blocks of a multiprocessor: with more of either products take as long or longer */

/*
  A warp takes row by row where these have SHORT entries on average, or more, for each of its groups of lanes, and where there are many blocks fewer than LONG: longer rows even
  out, but where there are WAVES times as many blocks as multiprocessors hold, or fewer, each counts. Else groups have rows of their own, but for those of more than SERIAL entries
*/
static constexpr int SHORT = 2, LONG = 8, WAVES = 4, SERIAL = 32;

/* What a lane has of a row of the panel */
struct alignas(16) DenseUnit {
  static constexpr int parts = UNIT * (int)(sizeof(PetscScalar) / sizeof(PetscReal));

  PetscReal part[parts];

  __device__ __forceinline__ void Zero()
  {
#pragma unroll
    for (int i = 0; i < parts; i++) part[i] = 0;
  }

  __device__ __forceinline__ PetscScalar Get(int u) const
  {
#if defined(PETSC_USE_COMPLEX)
    return PetscScalar(part[2 * u], part[2 * u + 1]);
#else
    return part[u];
#endif
  }

  __device__ __forceinline__ void MultiplyAdd(PetscScalar a, const DenseUnit &b)
  {
#pragma unroll
    for (int u = 0; u < UNIT; u++) {
#if defined(PETSC_USE_COMPLEX)
      part[2 * u] += a.real() * b.part[2 * u] - a.imag() * b.part[2 * u + 1];
      part[2 * u + 1] += a.real() * b.part[2 * u + 1] + a.imag() * b.part[2 * u];
#else
      part[u] += a * b.part[u];
#endif
    }
  }

  __device__ __forceinline__ void Add(const DenseUnit &b)
  {
#pragma unroll
    for (int i = 0; i < parts; i++) part[i] += b.part[i];
  }

  /* That of the lane so far away */
  __device__ __forceinline__ DenseUnit Across(int lanes) const
  {
    DenseUnit b;

#pragma unroll
    for (int i = 0; i < parts; i++) b.part[i] = __shfl_xor_sync(ALL_LANES, part[i], lanes);
    return b;
  }
};

static constexpr int PACKED = WARP; /* rows of a block */

/* panel: B row by row, `width` columns of which those that are not there are zero */
template <int width>
static __global__ void __launch_bounds__(BLOCK) PackDense(PetscInt n, PetscInt columns, PetscInt ldb, const PetscScalar B[], PetscScalar panel[])
{
  PtxWaitForLast();
  constexpr int group = width < WARP ? width : WARP; /* columns at a time */
  __shared__ __align__(16) unsigned char room[PACKED * (group + 1) * sizeof(PetscScalar)];
  PetscScalar                        (*tile)[group + 1] = (PetscScalar(*)[group + 1]) room;
  const PetscInt64                     first           = (PetscInt64)blockIdx.x * PACKED;

  for (int c = 0; c < width; c += group) {
    if (c) __syncthreads();
    for (int j = (int)threadIdx.x / PACKED; j < group; j += BLOCK / PACKED) {
      const PetscInt64 i = first + threadIdx.x % PACKED;

      tile[threadIdx.x % PACKED][j] = i < n && c + j < columns ? LoadStream(B + i + (size_t)(c + j) * ldb) : PetscScalar(0);
    }
    __syncthreads();
    for (int k = (int)threadIdx.x / group; k < PACKED; k += BLOCK / group) {
      if (first + k < n) panel[(size_t)(first + k) * width + c + threadIdx.x % group] = tile[k][threadIdx.x % group];
    }
  }
}

template <int lanes>
struct DenseShared {
  static constexpr int rows = lanes < 16 ? 2 * BLOCK / lanes : WARP; /* whose sums are kept: two of each group, at least */

  alignas(16) PetscReal sum[rows][(lanes * UNIT + 1) * sizeof(PetscScalar) / sizeof(PetscReal)]; /* those of a column lie in different banks */
  PetscReal val[AUTOCSR_DENSE_ENTRIES][sizeof(PetscScalar) / sizeof(PetscReal)];
  PetscInt  col[AUTOCSR_DENSE_ENTRIES];
  int       is_last;

  __device__ __forceinline__ PetscScalar Value(int p) const
  {
#if defined(PETSC_USE_COMPLEX)
    return PetscScalar(val[p][0], val[p][1]);
#else
    return val[p][0];
#endif
  }

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

        b[u] = LoadCachedIf(exists, panel + (size_t)col[exists ? p + u * step : p] * lanes + lane);
      }
#pragma unroll
      for (int u = 0; u < AT_ONCE; u++) {
        if (p + u * step < end) s.MultiplyAdd(Value(p + u * step), b[u]);
      }
    }
    return s;
  }
};

/* What goes with a launch */
typedef struct {
  const PetscInt    *row_ptr, *col, *work;
  const PetscScalar *val;
  const DenseUnit   *panel;
  PetscScalar       *C, *share;
  unsigned          *arrived;
  PetscInt           columns, ldc;
  bool               few; /* blocks there are */
} DenseParameters;

/* Sums of n rows from `row` on, which lie in shared memory */
template <int lanes>
static __device__ __forceinline__ void WriteRows(const DenseParameters &p, const DenseShared<lanes> &shared, PetscInt row, int n)
{
  const int k = (int)threadIdx.x % shared.rows;

  for (int j = (int)threadIdx.x / shared.rows; j < p.columns && k < n; j += BLOCK / shared.rows) p.C[row + k + (size_t)j * p.ldc] = ((const PetscScalar *)shared.sum[k])[j];
}

/* A row, or the part of one that is cut, by all threads; parts are added in their order by the block that comes last */
template <int lanes>
static __device__ __forceinline__ void MultiplyOne(const DenseParameters &p, DenseShared<lanes> &shared, PetscInt row, PetscInt entry, int count)
{
  constexpr int  width = lanes * UNIT, groups = BLOCK / lanes;
  const int      lane = (int)threadIdx.x % lanes, group = (int)threadIdx.x / lanes;
  const PetscInt first = p.row_ptr[row], last = p.row_ptr[row + 1];
  const PetscInt parts = last - first <= AUTOCSR_DENSE_ENTRIES ? 1 : Pieces(last - first, AUTOCSR_DENSE_ENTRIES), part = (entry - first) / AUTOCSR_DENSE_ENTRIES;
  const PetscInt block = (PetscInt)blockIdx.x - (parts > 1 ? part : 0);
  DenseUnit      s     = shared.Sum(p.panel, lane, group, count, groups);

#pragma unroll
  for (int o = lanes; o < WARP; o *= 2) s.Add(s.Across(o));
  if (threadIdx.x % WARP < lanes) shared.Put((int)threadIdx.x / WARP, lane, s); /* a sum of each warp */
  __syncthreads();
  for (int j = (int)threadIdx.x; j < width; j += BLOCK) {
    PetscScalar sum = ((const PetscScalar *)shared.sum[0])[j];

    for (int w = 1; w < BLOCK / WARP; w++) sum += ((const PetscScalar *)shared.sum[w])[j];
    if (parts > 1)
      p.share[(size_t)blockIdx.x * width + j] = sum;
    else if (j < p.columns)
      p.C[row + (size_t)j * p.ldc] = sum;
  }
  if (parts == 1) return;
  __syncthreads();
  if (threadIdx.x == 0) shared.is_last = PtxCount(&p.arrived[block]) == (unsigned)(parts - 1);
  __syncthreads();
  if (!shared.is_last) return;
  for (int j = (int)threadIdx.x; j < p.columns; j += BLOCK) {
    PetscScalar sum = p.share[(size_t)block * width + j];

    for (PetscInt i = 1; i < parts; i++) sum += p.share[(size_t)(block + i) * width + j];
    p.C[row + (size_t)j * p.ldc] = sum;
  }
  if (threadIdx.x == 0) p.arrived[block] = 0; /* for the next panel */
}

/* The sums of n rows, of which the block's first entry is `entry`: those of more than `longest` entries by warps, after the others by groups of lanes */
template <int lanes>
static __device__ __forceinline__ void MultiplyRows(const DenseParameters &p, DenseShared<lanes> &shared, PetscInt row, PetscInt entry, int n, int longest)
{
  constexpr int   groups = WARP / lanes;
  const int       lane = (int)threadIdx.x % lanes, warp = (int)threadIdx.x / WARP, group = (int)threadIdx.x % WARP / lanes;
  const PetscInt *row_ptr = p.row_ptr + row;

  for (int k = warp * groups + group; k < n && longest; k += BLOCK / lanes) {
    const int begin = (int)(LoadCached(row_ptr + k) - entry), end = (int)(LoadCached(row_ptr + k + 1) - entry);

    if (end - begin <= longest) shared.Put(k, lane, shared.Sum(p.panel, lane, begin, end, 1));
  }
  for (int k = warp; k < n; k += BLOCK / WARP) {
    const int begin = (int)(LoadCached(row_ptr + k) - entry), end = (int)(LoadCached(row_ptr + k + 1) - entry);

    if (longest && end - begin <= longest) continue; /* all lanes */
    DenseUnit s = shared.Sum(p.panel, lane, begin + group, end, groups);
#pragma unroll
    for (int o = lanes; o < WARP; o *= 2) s.Add(s.Across(o));
    if (group == 0) shared.Put(k, lane, s);
  }
}

template <int lanes>
static __global__ void __launch_bounds__(BLOCK, RESIDENTS) MultiplyDense(DenseParameters p)
{
  PtxWaitForLast();
  __shared__ DenseShared<lanes> shared;
  const PetscInt                row = p.work[2 * blockIdx.x], entry = p.work[2 * blockIdx.x + 1];
  const int                     rows = (int)(p.work[2 * blockIdx.x + 2] - row), count = (int)(p.work[2 * blockIdx.x + 3] - entry);
  constexpr int                 groups  = WARP / lanes;
  const bool                    by_warp = count >= groups * SHORT * rows && (p.few || count < groups * LONG * rows);

  for (int i = (int)threadIdx.x; i < count; i += BLOCK) {
    const PetscScalar a = LoadStream(p.val + entry + i);

    shared.col[i] = LoadStream(p.col + entry + i);
    memcpy((void *)shared.val[i], (const void *)&a, sizeof(a));
  }
  __syncthreads();
  if (rows <= 1) {
    MultiplyOne(p, shared, row, entry, count);
    return;
  }
  for (int first = 0; first < rows; first += shared.rows) {
    const int n = rows - first < shared.rows ? rows - first : shared.rows;

    if (first) __syncthreads();
    MultiplyRows(p, shared, row + first, entry, n, by_warp ? 0 : SERIAL);
    __syncthreads();
    WriteRows(p, shared, row + first, n);
  }
}

template <int lanes>
static PetscErrorCode Panel(const AutoCSRMatrix *csr, PetscInt columns, const PetscScalar B[], PetscInt ldb, PetscScalar panel[], PetscInt blocks, const DenseParameters &p)
{
  PetscFunctionBegin;
  if (csr->n) {
    Launch(PackDense<lanes * UNIT>, (unsigned)Pieces(csr->n, PACKED), BLOCK, 0, AUTOCSR_STREAM)(csr->n, columns, ldb, B, panel);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  Launch(MultiplyDense<lanes>, (unsigned)blocks, BLOCK, 0, AUTOCSR_STREAM)(p);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static constexpr int LEAST_LANES = 4, MOST_LANES = WARP;

/* As many as the columns that are left need, and no more than half again as many */
static int LanesFor(PetscInt columns)
{
  int lanes = LEAST_LANES;

  while (lanes < MOST_LANES && lanes * UNIT < columns) lanes *= 2;
  if (lanes > LEAST_LANES && 4 * columns < 3 * (PetscInt)lanes * UNIT) lanes /= 2;
  return lanes;
}

PetscErrorCode AutoCSRDeviceMultDense(AutoCSRDense *kept, const AutoCSRDenseOperands *op, PetscBool *done)
{
  const size_t          most = (size_t)LanesFor(op->columns) * UNIT, bytes_of_panel = ((size_t)op->csr->n * most * sizeof(PetscScalar) + 255) / 256 * 256;
  const AutoCSRSegment *seg;
  PetscInt              blocks;
  size_t                bytes_of_shares;
  void                 *room;
  DenseParameters       p;

  PetscFunctionBegin;
  *done = (PetscBool)(op->columns >= LEAST_LANES * UNIT / 2);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceFollow());
  PetscCall(AutoCSRDenseFindBlocks(kept, op->csr));
  seg             = kept->blocks->segment;
  blocks          = AutoCSRSegmentWorkBlocks(seg);
  bytes_of_shares = (size_t)blocks * most * sizeof(PetscScalar);
  PetscCall(AutoCSRDenseGetPanel(kept, bytes_of_panel + bytes_of_shares + (size_t)blocks * sizeof(unsigned), &room));
  p.row_ptr = op->csr->row_ptr;
  p.col     = op->csr->col;
  p.val     = op->csr->val;
  p.work    = (const PetscInt *)seg->stream[AUTOCSR_STREAM_WORK].data;
  p.panel   = (const DenseUnit *)room;
  p.share   = (PetscScalar *)((char *)room + bytes_of_panel);
  p.arrived = (unsigned *)((char *)p.share + bytes_of_shares);
  p.ldc     = op->ldc;
  p.few     = blocks < WAVES * RESIDENTS * AutoCSRDeviceProcessors();
  PetscCallCUDA(cudaMemsetAsync(p.arrived, 0, (size_t)blocks * sizeof(unsigned), AUTOCSR_STREAM));
  for (PetscInt first = 0; first < op->columns; first += p.columns) {
    const int          lanes = LanesFor(op->columns - first);
    const PetscScalar *B     = op->B + (size_t)first * op->ldb;

    p.columns = PetscMin(lanes * UNIT, op->columns - first);
    p.C       = op->C + (size_t)first * op->ldc;
    switch (lanes) {
    case 4:
      PetscCall(Panel<4>(op->csr, p.columns, B, op->ldb, (PetscScalar *)room, blocks, p));
      break;
    case 8:
      PetscCall(Panel<8>(op->csr, p.columns, B, op->ldb, (PetscScalar *)room, blocks, p));
      break;
    case 16:
      PetscCall(Panel<16>(op->csr, p.columns, B, op->ldb, (PetscScalar *)room, blocks, p));
      break;
    default:
      PetscCall(Panel<32>(op->csr, p.columns, B, op->ldb, (PetscScalar *)room, blocks, p));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
