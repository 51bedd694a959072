/*
  Kernels of GMRES. One makes the dot products with up to AUTOCSR_PASS_TOGETHER vectors of the basis: a row of thread blocks for
  each group of them, and the last block of a row adds up what the others left. Another one subtracts them and makes the norm.
  Vectors of the basis are not scaled; the scalars are, by the inverse of their norms.
*/
#include "passes.cuh"

static constexpr int REALS = AUTOCSR_PASS_REALS;
static constexpr int GROUP = AUTOCSR_PASS_GROUP;

/* Writes the norm, and tells it to the host with the dot products. All threads of the last block come here */
static __device__ __forceinline__ void TellColumn(const AutoCSRPassColumn &column, PetscInt dots, PetscReal squares)
{
  const PetscReal norm = PetscSqrtReal(squares);

  if (threadIdx.x == 0) {
    column.inverse[dots] = AutoCSRInverse(norm);
    column.told[0]       = norm;
  }
  for (PetscInt k = threadIdx.x; k < dots * REALS; k += THREADS) column.told[1 + k] = ((const PetscReal *)column.dot)[k];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *column.number = column.value;
}

/* The end of a pass that makes a vector of the basis */
static __device__ __forceinline__ void FinishColumn(const AutoCSRPass &pass, const AutoCSRPassColumn &column, PetscInt dots, Sums sums)
{
  if (!IsLast<AUTOCSR_PASS_SUMS>(pass, sums)) return;
  if (!pass.sums)
    TellColumn(column, dots, sums.v[SUM_SQUARES]);
  else if (threadIdx.x == 0)
    HandOver(pass, sums);
}

static __global__ __launch_bounds__(THREADS) void GMRESTellKernel(const AutoCSRPassColumn column, PetscInt dots, PetscReal squares)
{
  PtxWaitForLast();
  TellColumn(column, dots, squares);
}

template <Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void GMRESStartKernel(const AutoCSRPass pass, const AutoCSRPassColumn column, bool product, PetscScalar *to)
{
  Sums sums = {};

  PtxWaitForLast();
  ForAllOfResidual<kind>(
      pass, pass.w, product, [](int, PetscInt64) {},
      [&](int, PetscInt64 i, PetscScalar, PetscScalar z) {
        to[i] = z;
        sums.AddSquare(z);
      });
  FinishColumn(pass, column, 0, sums);
}

template <Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void GMRESDotsKernel(const AutoCSRPass pass, const AutoCSRPassColumn column, const AutoCSRPassBasis basis)
{
  __shared__ PetscReal warps[THREADS / LANES][GROUP * REALS];
  __shared__ bool      last;
  const PetscInt       from = (PetscInt)blockIdx.y * GROUP, count = basis.count - from < GROUP ? basis.count - from : GROUP;
  const int            lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
  PetscReal           *partial = column.partial + (size_t)blockIdx.y * gridDim.x * (GROUP * REALS);
  const PetscInt64     stride  = (PetscInt64)gridDim.x * THREADS;
  Sums                 sums[GROUP] = {};

  PtxWaitForLast();
  {
    const PetscReal scale = column.inverse[column.k];

    for (PetscInt64 i = (PetscInt64)blockIdx.x * THREADS + threadIdx.x; i < pass.n; i += stride) {
      PetscScalar v[GROUP];
      PetscScalar z = Precondition<kind>(pass, i, [&](PetscInt64 j) { return pass.w[j]; });

#pragma unroll
      for (int k = 0; k < GROUP; k++) v[k] = k < count ? basis.vector[from + k][i] : PetscScalar(0);
      z *= scale;
#pragma unroll
      for (int k = 0; k < GROUP; k++) sums[k].AddDot(z, v[k], true);
    }
  }
#pragma unroll
  for (int k = 0; k < GROUP * REALS; k++) {
    PetscReal sum = sums[k / REALS].v[k % REALS];

#pragma unroll
    for (int o = LANES / 2; o; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) warps[warp][k] = sum;
  }
  __syncthreads();
  if (threadIdx.x < GROUP * REALS) {
    PetscReal sum = 0;

    for (int k = 0; k < THREADS / LANES; k++) sum += warps[k][threadIdx.x];
    partial[blockIdx.x * (GROUP * REALS) + threadIdx.x] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) last = PtxCount(column.arrived + blockIdx.y) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  /* A warp for each sum in turn */
  for (int k = warp; k < count * REALS; k += THREADS / LANES) {
    PetscReal sum = 0;

    for (unsigned b = lane; b < gridDim.x; b += LANES) sum += __ldcg(&partial[b * (GROUP * REALS) + k]);
#pragma unroll
    for (int o = LANES / 2; o; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) ((PetscReal *)column.dot)[(basis.first + from) * REALS + k] = sum * column.inverse[basis.first + from + k / REALS];
  }
  if (threadIdx.x == 0) column.arrived[blockIdx.y] = 0;
}

/* begins: `to` is made of the product; ends: it is complete, and its norm is told */
template <Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void GMRESSubtractKernel(const AutoCSRPass pass, const AutoCSRPassColumn column, const AutoCSRPassBasis basis, PetscScalar *to, bool begins, bool ends)
{
  __shared__ PetscReal c[AUTOCSR_PASS_TOGETHER * REALS];
  Sums                 sums = {};
  PetscScalar          z[AT_ONCE];

  PtxWaitForLast();
  if (threadIdx.x < basis.count * REALS) c[threadIdx.x] = ((const PetscReal *)column.dot)[basis.first * REALS + threadIdx.x] * column.inverse[basis.first + threadIdx.x / REALS];
  __syncthreads();
  {
    const PetscReal  scale  = column.inverse[column.k];
    const PetscInt64 stride = (PetscInt64)gridDim.x * THREADS;

    for (PetscInt64 first = (PetscInt64)blockIdx.x * THREADS + threadIdx.x; first < pass.n; first += AT_ONCE * stride) {
#pragma unroll
      for (int m = 0; m < AT_ONCE; m++) {
        const PetscInt64 i = first + m * stride;

        z[m] = i >= pass.n ? PetscScalar(0) : begins ? Precondition<kind>(pass, i, [&](PetscInt64 j) { return pass.w[j]; }) : to[i];
      }
      if (begins) {
#pragma unroll
        for (int m = 0; m < AT_ONCE; m++) z[m] *= scale;
      }
#pragma unroll 4
      for (PetscInt k = 0; k < basis.count; k++) {
        const PetscScalar *v = basis.vector[k];
#if PetscDefined(USE_COMPLEX)
        const PetscScalar ck(c[2 * k], c[2 * k + 1]);
#else
        const PetscScalar ck = c[k];
#endif

#pragma unroll
        for (int m = 0; m < AT_ONCE; m++) {
          const PetscInt64 i = first + m * stride;

          if (i < pass.n) z[m] -= ck * v[i];
        }
      }
#pragma unroll
      for (int m = 0; m < AT_ONCE; m++) {
        const PetscInt64 i = first + m * stride;

        if (i >= pass.n) continue;
        to[i] = z[m];
        sums.AddSquare(z[m]);
      }
    }
  }
  if (ends) FinishColumn(pass, column, column.k + 1, sums);
}

/* The coefficients of one launch */
struct Coefficients {
  PetscReal v[AUTOCSR_PASS_TOGETHER * REALS];
};

template <Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void GMRESCorrectKernel(const AutoCSRPass pass, const AutoCSRPassBasis basis, const Coefficients c)
{
  PtxWaitForLast();
  {
    const PetscInt64 stride = (PetscInt64)gridDim.x * THREADS;

    auto combine = [&](PetscInt64 i) {
      PetscScalar sum = 0;

#pragma unroll 4
      for (PetscInt k = 0; k < basis.count; k++) {
#if PetscDefined(USE_COMPLEX)
        sum += PetscScalar(c.v[2 * k], c.v[2 * k + 1]) * basis.vector[k][i];
#else
        sum += c.v[k] * basis.vector[k][i];
#endif
      }
      return sum;
    };

    for (PetscInt64 i = (PetscInt64)blockIdx.x * THREADS + threadIdx.x; i < pass.n; i += stride) pass.x[i] += Precondition<kind>(pass, i, combine);
  }
}

PetscErrorCode AutoCSRPassGMRESStart(const AutoCSRPass *pass, const AutoCSRPassColumn *column, PetscBool product, PetscScalar *to)
{
  PetscFunctionBegin;
  Launch(KERNEL_FOR(pass, column->precondition, GMRESStartKernel), GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(*pass, *column, (bool)product, to);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassGMRESDots(const AutoCSRPass *pass, const AutoCSRPassColumn *column, const AutoCSRPassBasis *basis)
{
  const unsigned groups = (unsigned)((basis->count + GROUP - 1) / GROUP);

  PetscFunctionBegin;
  Launch(KERNEL_FOR(pass, column->precondition, GMRESDotsKernel), dim3(GridOf(pass), groups), THREADS, 0, AutoCSRLaunchStream())(*pass, *column, *basis);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassGMRESSubtract(const AutoCSRPass *pass, const AutoCSRPassColumn *column, const AutoCSRPassBasis *basis, PetscScalar *to)
{
  const bool begins = basis->first == 0, ends = basis->first + basis->count == column->k + 1;

  PetscFunctionBegin;
  Launch(KERNEL_FOR(pass, column->precondition, GMRESSubtractKernel), GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(*pass, *column, *basis, to, (bool)begins, (bool)ends);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassGMRESTell(const AutoCSRPassColumn *column, PetscInt dots, PetscReal squares)
{
  PetscFunctionBegin;
  Launch(GMRESTellKernel, 1u, THREADS, 0, AutoCSRLaunchStream())(*column, dots, squares);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassGMRESCorrect(const AutoCSRPass *pass, const AutoCSRPassBasis *basis, const PetscReal coefficient[], PetscBool precondition)
{
  Coefficients c;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < basis->count * REALS; k++) c.v[k] = coefficient[basis->first * REALS + k];
  Launch(KERNEL_FOR(pass, precondition, GMRESCorrectKernel), GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(*pass, *basis, c);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

const void *const AutoCSRPassGMRESKernel = (const void *)GMRESTellKernel;
