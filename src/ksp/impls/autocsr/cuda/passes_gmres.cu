/*
  Kernels of GMRES. One makes the dot products with up to AUTOCSR_PASS_TOGETHER vectors of the basis: a row of thread blocks for
  each group of them, and the last block of a row adds up what the others left. Another one subtracts them and makes the norm.
  Vectors of the basis are not scaled; the scalars are, by the inverse of their norms.
*/
#include "passes.cuh"

static constexpr int REALS = AUTOCSR_PASS_REALS;
static constexpr int GROUP = AUTOCSR_PASS_GROUP;

/* The kernel for dot products; doc/lab/kernels-gpu.md, "Passes of solvers", compares others */
static constexpr int LOADS          = 16; /* reals of the basis that a thread loads at once */
static constexpr int DOTS_RESIDENTS = 2;  /* thread blocks of a multiprocessor: their sums take the registers */

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

/* Adds up `count` sums over the lanes of a warp: each step halves the sums that a lane has. Lane i then has sum i * count / LANES, as its first */
template <int count>
static __device__ __forceinline__ void WarpSums(PetscReal sum[])
{
  const int lane = threadIdx.x % LANES;

#pragma unroll
  for (int o = LANES / 2, half = count / 2; o; o /= 2, half /= 2) {
    const bool upper = lane & o;

    if (half == 0) sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], o);
#pragma unroll
    for (int k = 0; k < count / 2; k++) {
      if (k >= half) continue;
      const PetscReal kept = upper ? sum[k + half] : sum[k], given = upper ? sum[k] : sum[k + half];

      sum[k] = kept + __shfl_xor_sync(0xffffffffu, given, o);
    }
  }
}

/* VECTORS: of a group at most */
template <Preconditioner kind, int VECTORS>
static __global__ __launch_bounds__(THREADS, DOTS_RESIDENTS) void GMRESDotsKernel(const AutoCSRPass pass, const AutoCSRPassColumn column, const AutoCSRPassBasis basis)
{
  constexpr int        SUMS = VECTORS * REALS, LOADED = VECTORS < LOADS / REALS ? VECTORS : LOADS / REALS;
  __shared__ PetscReal warps[THREADS / LANES][SUMS];
  __shared__ bool      last;
  const PetscInt       from = (PetscInt)blockIdx.y * VECTORS, count = basis.count - from < VECTORS ? basis.count - from : VECTORS;
  const int            lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
  PetscReal           *partial = column.partial + (size_t)blockIdx.y * gridDim.x * SUMS;
  const PetscInt64     stride  = (PetscInt64)gridDim.x * THREADS;
  PetscReal            sums[SUMS] = {};

  PtxWaitForLast();
  {
    const PetscReal scale = column.inverse[column.k];

    for (PetscInt64 i = (PetscInt64)blockIdx.x * THREADS + threadIdx.x; i < pass.n; i += stride) {
      PetscScalar z = Precondition<kind>(pass, i, [&](PetscInt64 j) { return pass.w[j]; });

      z *= scale;

#pragma unroll
      for (int first = 0; first < VECTORS; first += LOADED) {
        PetscScalar v[LOADED];

        if (first >= count) break;
#pragma unroll
        for (int k = 0; k < LOADED; k++) v[k] = first + k < count ? basis.vector[from + first + k][i] : PetscScalar(0);
#pragma unroll
        for (int k = 0; k < LOADED; k++) AddDot(sums + (first + k) * REALS, z, v[k], true);
      }
    }
  }
  WarpSums<SUMS>(sums);
  if (lane % (LANES / SUMS) == 0) warps[warp][lane / (LANES / SUMS)] = sums[0];
  __syncthreads();
  if (threadIdx.x < SUMS) {
    PetscReal sum = 0;

    for (int k = 0; k < THREADS / LANES; k++) sum += warps[k][threadIdx.x];
    partial[blockIdx.x * SUMS + threadIdx.x] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) last = PtxCount(column.arrived + blockIdx.y) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  /* A warp for each sum in turn */
  for (int k = warp; k < count * REALS; k += THREADS / LANES) {
    PetscReal sum = 0;

#pragma unroll 8 /* as in IsLast() */
    for (unsigned b = lane; b < gridDim.x; b += LANES) sum += __ldcg(&partial[b * SUMS + k]);
#pragma unroll
    for (int o = LANES / 2; o; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) ((PetscReal *)column.dot)[(basis.first + from) * REALS + k] = sum * column.inverse[basis.first + from + k / REALS];
  }
  if (threadIdx.x == 0) column.arrived[blockIdx.y] = 0;
}

/*
  A thread block takes its elements from the last to the first: the dot products before have left the last ones in L2. A thread loads
  ELEMENTS elements of VECTORS vectors at once. begins: `to` is made of the product; ends: it is complete, and its norm is told
*/
template <Preconditioner kind, int ELEMENTS, int VECTORS>
static __global__ __launch_bounds__(THREADS) void GMRESSubtractKernel(const AutoCSRPass pass, const AutoCSRPassColumn column, const AutoCSRPassBasis basis, PetscScalar *to, bool begins, bool ends)
{
  __shared__ PetscReal c[AUTOCSR_PASS_TOGETHER * REALS];
  Sums                 sums = {};
  PetscScalar          z[ELEMENTS];

  PtxWaitForLast();
  if (threadIdx.x < basis.count * REALS) c[threadIdx.x] = ((const PetscReal *)column.dot)[basis.first * REALS + threadIdx.x] * column.inverse[basis.first + threadIdx.x / REALS];
  __syncthreads();
  {
    const PetscReal  scale  = column.inverse[column.k];
    const PetscInt64 stride = (PetscInt64)gridDim.x * THREADS, rounds = (pass.n - 1 - (PetscInt64)blockIdx.x * THREADS) / stride;

    for (PetscInt64 last = (PetscInt64)blockIdx.x * THREADS + threadIdx.x + rounds * stride; last >= 0; last -= ELEMENTS * stride) {
#pragma unroll
      for (int m = 0; m < ELEMENTS; m++) {
        const PetscInt64 i = last - m * stride;

        z[m] = i < 0 || i >= pass.n ? PetscScalar(0) : begins ? Precondition<kind>(pass, i, [&](PetscInt64 j) { return pass.w[j]; }) : to[i];
      }
      if (begins) {
#pragma unroll
        for (int m = 0; m < ELEMENTS; m++) z[m] *= scale;
      }
#pragma unroll VECTORS
      for (PetscInt k = 0; k < basis.count; k++) {
        const PetscScalar *v = basis.vector[k];
#if PetscDefined(USE_COMPLEX)
        const PetscScalar ck(c[2 * k], c[2 * k + 1]);
#else
        const PetscScalar ck = c[k];
#endif

#pragma unroll
        for (int m = 0; m < ELEMENTS; m++) {
          const PetscInt64 i = last - m * stride;

          if (i >= 0 && i < pass.n) z[m] -= ck * v[i];
        }
      }
#pragma unroll
      for (int m = 0; m < ELEMENTS; m++) {
        const PetscInt64 i = last - m * stride;

        if (i < 0 || i >= pass.n) continue;
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

/* Chooses the kernel for the preconditioner; other template parameters follow it */
#define KERNEL_WITH(pass, precondition, Kernel, ...) KernelFor(pass, precondition, Kernel<IDENTITY, __VA_ARGS__>, Kernel<DIAGONAL, __VA_ARGS__>, Kernel<BLOCKS, __VA_ARGS__>)

PetscErrorCode AutoCSRPassGMRESDots(const AutoCSRPass *pass, const AutoCSRPassColumn *column, const AutoCSRPassBasis *basis)
{
  const unsigned groups = (unsigned)((basis->count + GROUP - 1) / GROUP), most = (unsigned)pass->blocks * DOTS_RESIDENTS / AUTOCSR_PASS_RESIDENTS;
  auto           kernel = basis->count <= GROUP / 4 ? KERNEL_WITH(pass, column->precondition, GMRESDotsKernel, GROUP / 4) :
                          basis->count <= GROUP / 2 ? KERNEL_WITH(pass, column->precondition, GMRESDotsKernel, GROUP / 2) :
                                                      KERNEL_WITH(pass, column->precondition, GMRESDotsKernel, GROUP);

  PetscFunctionBegin;
  Launch(kernel, dim3(PetscMin(GridOf(pass), most), groups), THREADS, 0, AutoCSRLaunchStream())(*pass, *column, *basis);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassGMRESSubtract(const AutoCSRPass *pass, const AutoCSRPassColumn *column, const AutoCSRPassBasis *basis, PetscScalar *to)
{
  const bool begins = basis->first == 0, ends = basis->first + basis->count == column->k + 1;
  auto       kernel = basis->count <= AUTOCSR_PASS_TOGETHER / 2 ? KERNEL_WITH(pass, column->precondition, GMRESSubtractKernel, 2, 8) : KERNEL_WITH(pass, column->precondition, GMRESSubtractKernel, 4, 4);

  PetscFunctionBegin;
  Launch(kernel, GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(*pass, *column, *basis, to, (bool)begins, (bool)ends);
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
