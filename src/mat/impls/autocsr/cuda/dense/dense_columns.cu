/*
  Products with dense matrices on the device, columns as they lie: where rows of A that follow each other have the same columns beside
  them, as those of a grid have, a row is a lane's, and what neighbouring lanes read of a column of B lies side by side. No panel is
  copied, and a block of rows reads its entries once for all columns of a sweep.

  Bytes, in real double: 12 an entry and sweep, 8 a scalar of B and of C. From L2 comes what a block of rows has of B: of a row of a
  grid as many scalars a column as its points lie on lines, which is what bounds it.
*/
#include "dense.cuh"

static constexpr int MOST = sizeof(PetscScalar) > sizeof(double) ? 4 : 8, FEW = MOST / 2; /* columns of a lane */

/* Blocks of a multiprocessor: with more, lanes with the most columns lack registers */
template <int count>
static constexpr int residents = count == MOST ? 4 : 5;

typedef DenseEntries<AUTOCSR_DENSE_BLOCK_ALONGSIDE> Entries;

struct ColumnsParameters : ProductParameters {
  const PetscScalar *B;
  size_t             ldb;
};

/* Sums of the entries begin, begin + step, ... before `end` with `count` columns of B; left: so many of them there are */
template <int count>
static __device__ __forceinline__ void SumColumns(PetscScalar sum[count], const Entries &entries, const PetscScalar B[], size_t ldb, int left, int begin, int end, int step)
{
#pragma unroll
  for (int u = 0; u < count; u++) sum[u] = 0;
  if (left >= count) {
#pragma unroll 2
    for (int i = begin; i < end; i += step) {
      const PetscScalar  a = entries.val.Get(i), *b = B + entries.col[i];
      PetscScalar        x[count];

#pragma unroll
      for (int u = 0; u < count; u++) x[u] = LoadCached(b + u * ldb);
#pragma unroll
      for (int u = 0; u < count; u++) sum[u] = MultiplyAdd(sum[u], a, x[u]);
    }
  } else {
    for (int i = begin; i < end; i += step) {
      const PetscScalar a = entries.val.Get(i), *b = B + entries.col[i];

#pragma unroll
      for (int u = 0; u < count; u++) sum[u] = MultiplyAdd(sum[u], a, LoadCachedIf(u < left, b + u * ldb));
    }
  }
}

/* Columns are shared out among warps */
template <int count>
static __device__ __forceinline__ void MultiplyOne(const ColumnsParameters &p, Entries &entries, const DenseBlock &block)
{
  const DenseRow row(p, block, AUTOCSR_DENSE_BLOCK_ALONGSIDE);
  const int      lane = (int)threadIdx.x % WARP;

  for (int j = (int)threadIdx.x / WARP * count; j < p.columns; j += WARPS * count) {
    const int   left = (int)p.columns - j;
    PetscScalar sum[count];

    SumColumns<count>(sum, entries, p.B + j * p.ldb, p.ldb, left, lane, block.count, WARP);
#pragma unroll
    for (int u = 0; u < count; u++) {
#pragma unroll
      for (int o = 1; o < WARP; o *= 2) sum[u] += ShuffleXor(sum[u], o);
      if (lane == 0 && u < left) row.Put(p, j + u, sum[u]);
    }
  }
  row.Finish(p, &entries.is_last);
}

/* A lane has a row and `count` columns, then another */
template <int count>
static __global__ void __launch_bounds__(AUTOCSR_THREADS, residents<count>) MultiplyColumns(ColumnsParameters p)
{
  PtxWaitForLast();
  __shared__ Entries entries;
  const DenseBlock   block = DenseBlockOf(p);
  const int          items = block.rows * (int)CeilDivide(p.columns, count);

  entries.Load(p, block);
  if (block.rows <= 1) {
    MultiplyOne<count>(p, entries, block);
    return;
  }
  for (int item = (int)threadIdx.x; item < items; item += AUTOCSR_THREADS) {
    const int   j = item / block.rows * count, k = item % block.rows, left = (int)p.columns - j;
    PetscScalar sum[count];

    SumColumns<count>(sum, entries, p.B + j * p.ldb, p.ldb, left, (int)RowBegin(p, block, k), (int)RowBegin(p, block, k + 1), 1);
#pragma unroll
    for (int u = 0; u < count; u++) {
      if (u < left) p.Put(block.row + k, j + u, sum[u]);
    }
  }
}

PetscErrorCode AutoCSRDeviceMultDenseColumns(const AutoCSRDenseOperands *op, PetscInt blocks, ProductParameters shared)
{
  ColumnsParameters p;

  PetscFunctionBegin;
  (ProductParameters &)p = shared;
  p.ldb                = (size_t)op->ldb;
  for (PetscInt first = 0; first < op->columns; first += DENSE_SWEEP) {
    p.columns = PetscMin(DENSE_SWEEP, op->columns - first);
    p.B       = op->B + first * p.ldb;
    p.C       = op->C + (size_t)first * op->ldc;
    if (p.columns <= FEW)
      Launch(MultiplyColumns<FEW>, (unsigned)blocks, AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(p);
    else
      Launch(MultiplyColumns<MOST>, (unsigned)blocks, AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(p);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
