/*
  Device functions that the kernels of all passes call: loads, sums and the end of a step. Sums are added in a fixed order: by
  thread, by warp, by thread block, and then over all thread blocks in the last one. That block also does what follows from the sums (scalars.h), so no scalar
  leaves the device before the next kernel begins. With several processes it hands its sums to
  the host instead, and a kernel of one thread does what follows from those of all.
*/
#ifndef AUTOCSR_PASSES_CUH
#define AUTOCSR_PASSES_CUH

#include "passes.h"
#include "../../../../mat/impls/autocsr/cuda/common/early.cuh"

static constexpr int SUM_SQUARES = AUTOCSR_PASS_SQUARES; /* after the parts of the dot product */
static constexpr int SUM_OTHERS  = SUM_SQUARES + 1;

static constexpr int LANES   = 32; /* of a warp */
static constexpr int THREADS = 256;
static constexpr int AT_ONCE = 4; /* elements of a thread whose loads do not wait for each other */

/* Adds x y to a dot product in its real and imaginary part */
static __device__ __forceinline__ void AddDot(PetscReal dot[], PetscScalar x, PetscScalar y, bool conjugate)
{
#if PetscDefined(USE_COMPLEX)
  const PetscReal sign = conjugate ? 1 : -1;

  dot[0] += PetscRealPart(x) * PetscRealPart(y) + sign * PetscImaginaryPart(x) * PetscImaginaryPart(y);
  dot[1] += PetscImaginaryPart(x) * PetscRealPart(y) - sign * PetscRealPart(x) * PetscImaginaryPart(y);
#else
  dot[0] += x * y;
#endif
}

/* A dot product, and two sums of squares */
struct Sums {
  PetscReal v[AUTOCSR_PASS_SUMS];

  __device__ __forceinline__ void AddDot(PetscScalar x, PetscScalar y, bool conjugate) { ::AddDot(v, x, y, conjugate); }
  template <int k = SUM_SQUARES>
  __device__ __forceinline__ void AddSquare(PetscScalar x)
  {
    v[k] += PetscRealPart(x) * PetscRealPart(x);
#if PetscDefined(USE_COMPLEX)
    v[k] += PetscImaginaryPart(x) * PetscImaginaryPart(x);
#endif
  }
  __device__ __forceinline__ PetscScalar Dot() const
  {
#if PetscDefined(USE_COMPLEX)
    return PetscScalar(v[0], v[1]);
#else
    return v[0];
#endif
  }
};

static __device__ __forceinline__ AutoCSRScalars *ScalarsOf(const AutoCSRPass &pass)
{
  return (AutoCSRScalars *)pass.scalars;
}

/* The first n sums of a thread block, right in its first thread */
template <int n>
static __device__ __forceinline__ Sums BlockSum(Sums sums)
{
  __shared__ PetscReal warps[THREADS / LANES][n];
  const int            lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;

#pragma unroll
  for (int k = 0; k < n; k++) {
#pragma unroll
    for (int o = LANES / 2; o; o /= 2) sums.v[k] += __shfl_down_sync(0xffffffffu, sums.v[k], o);
    if (lane == 0) warps[warp][k] = sums.v[k];
  }
  __syncthreads();
  if (warp == 0) {
#pragma unroll
    for (int k = 0; k < n; k++) {
      sums.v[k] = lane < THREADS / LANES ? warps[lane][k] : 0;
#pragma unroll
      for (int o = THREADS / LANES / 2; o; o /= 2) sums.v[k] += __shfl_down_sync(0xffffffffu, sums.v[k], o);
    }
  }
  __syncthreads();
  return sums;
}

/* Whether this is the last thread block: its first thread then has the sums of all */
template <int n>
static __device__ __forceinline__ bool IsLast(const AutoCSRPass &pass, Sums &sums)
{
  __shared__ bool last;

  sums = BlockSum<n>(sums);
  if (threadIdx.x == 0) {
#pragma unroll
    for (int k = 0; k < n; k++) pass.partial[blockIdx.x * n + k] = sums.v[k];
    last = PtxCount(pass.arrived) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return false;
  sums = Sums{};
#pragma unroll 8 /* loads of many thread blocks' sums do not wait for each other */
  for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS) {
#pragma unroll
    for (int k = 0; k < n; k++) sums.v[k] += __ldcg(&pass.partial[b * n + k]);
  }
  sums = BlockSum<n>(sums);
  if (threadIdx.x == 0) *pass.arrived = 0;
  return true;
}

/* The host looks at the number: what was written before is there then */
static __device__ __forceinline__ void Publish(PetscInt64 *place, PetscInt64 number)
{
  __threadfence_system();
  *place = number;
}

/* Hands the sums of this process to the host, which adds up those of all */
static __device__ __forceinline__ void HandOver(const AutoCSRPass &pass, const Sums &sums)
{
#pragma unroll
  for (int k = 0; k < AUTOCSR_PASS_SUMS; k++) pass.sums->v[k] = sums.v[k];
  Publish(&pass.sums->number, pass.sums_number);
}

/* Sets the scalars that follow from the sums of all rows, and tells them to the host */
template <AutoCSRFollow follow>
static __device__ __forceinline__ void Follow(const AutoCSRPass &pass, const Sums &sums)
{
  AutoCSRScalars   *s       = ScalarsOf(pass);
  const PetscReal   squares = sums.v[SUM_SQUARES];
  const PetscScalar dot     = sums.Dot();

  if constexpr (follow == AUTOCSR_FOLLOW_START) AutoCSRScalarsStart(s, pass.norm, dot, squares);
  if constexpr (follow == AUTOCSR_FOLLOW_PRODUCT) AutoCSRScalarsProduct(s, dot);
  if constexpr (follow == AUTOCSR_FOLLOW_RESIDUAL) AutoCSRScalarsResidual(s, pass.test, dot, squares);
  if constexpr (follow == AUTOCSR_FOLLOW_FIRST_COMBINED) {
    const AutoCSRTest none = {pass.norm, PETSC_FALSE, 0, 0};

    AutoCSRScalarsStart(s, AUTOCSR_NORM_NONE, 0, 0);
    AutoCSRScalarsCombined(s, &none, squares);
  }
  if constexpr (follow == AUTOCSR_FOLLOW_COMBINED) AutoCSRScalarsCombined(s, pass.test, squares);
  if constexpr (follow == AUTOCSR_FOLLOW_BCGS_START) AutoCSRScalarsBCGSStart(s, pass.norm, squares);
  if constexpr (follow == AUTOCSR_FOLLOW_BCGS_DOT) AutoCSRScalarsBCGSDot(s, dot);
  if constexpr (follow == AUTOCSR_FOLLOW_BCGS_STABILIZE) AutoCSRScalarsBCGSStabilize(s, dot, squares, sums.v[SUM_OTHERS]);
  if constexpr (follow == AUTOCSR_FOLLOW_BCGS_UPDATE) AutoCSRScalarsBCGSUpdate(s, pass.test, dot, squares);
  if (!pass.ring) return;
  {
    const PetscInt64 number = *pass.told + 1;
    AutoCSRSlot     *slot   = &pass.ring[number % AUTOCSR_RING];

    *pass.told   = number;
    slot->result = s->result;
    Publish(&slot->number, number);
  }
}

/* The end of a pass with n sums. The first thread of the last thread block does what follows from them */
template <AutoCSRFollow follow, int n = AUTOCSR_PASS_SUMS>
static __device__ __forceinline__ void Finish(const AutoCSRPass &pass, Sums sums)
{
  if (!IsLast<n>(pass, sums) || threadIdx.x) return;
  if (pass.sums)
    HandOver(pass, sums);
  else
    Follow<follow>(pass, sums);
}

/* load(k, i), then use(k, i), for all elements: k tells those of a thread apart that are loaded at once */
template <typename Load, typename Use>
static __device__ __forceinline__ void ForAll(PetscInt n, Load load, Use use)
{
  const PetscInt64 stride = (PetscInt64)gridDim.x * THREADS;

  for (PetscInt64 first = (PetscInt64)blockIdx.x * THREADS + threadIdx.x; first < n; first += AT_ONCE * stride) {
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      if (first + k * stride < n) load(k, first + k * stride);
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      if (first + k * stride < n) use(k, first + k * stride);
    }
  }
}

/* A pass multiplies by nothing, by the diagonal, or by point blocks; or w has the preconditioned residual */
enum Preconditioner {
  IDENTITY,
  DIAGONAL,
  BLOCKS,
  GIVEN
};

/* Row i of the preconditioner times a vector, which at(row) has */
template <Preconditioner kind, typename At>
static __device__ __forceinline__ PetscScalar Precondition(const AutoCSRPass &pass, PetscInt64 i, At at)
{
  if constexpr (kind == IDENTITY) {
    return at(i);
  } else if constexpr (kind == DIAGONAL) {
    return at(i) * pass.d[i];
  } else {
    const PetscInt64   first = i - i % pass.block;
    const PetscScalar *d     = pass.d + i;
    PetscScalar        sum   = *d * at(first);

    for (PetscInt k = 1; k < pass.block; k++) {
      d += pass.n;
      sum += *d * at(first + k);
    }
    return sum;
  }
}

/*
  load(k, i), then use(k, i, r, z) for all elements, where r is value(k, i) and z the preconditioned one. With point blocks r is
  wanted of other rows: at(row) has it in memory. in_place: use() changes what at() reads; so a thread block takes whole point blocks,
  and all of its threads have read before one writes
*/
template <Preconditioner kind, bool in_place = false, typename Load, typename Value, typename At, typename Use>
static __device__ __forceinline__ void ForAllPreconditioned(const AutoCSRPass &pass, Load load, Value value, At at, Use use)
{
  if constexpr (kind == IDENTITY) {
    ForAll(pass.n, load, [&](int k, PetscInt64 i) {
      const PetscScalar r = value(k, i);

      use(k, i, r, r);
    });
  } else if constexpr (kind == GIVEN) {
    PetscScalar z[AT_ONCE];

    ForAll(
        pass.n,
        [&](int k, PetscInt64 i) {
          load(k, i);
          z[k] = pass.w[i];
        },
        [&](int k, PetscInt64 i) { use(k, i, value(k, i), z[k]); });
  } else if constexpr (kind == DIAGONAL) {
    PetscScalar d[AT_ONCE];

    ForAll(
        pass.n,
        [&](int k, PetscInt64 i) {
          load(k, i);
          d[k] = pass.d[i];
        },
        [&](int k, PetscInt64 i) {
          const PetscScalar r = value(k, i);

          use(k, i, r, r * d[k]);
        });
  } else {
    const PetscInt64 rows = in_place ? THREADS - THREADS % pass.block : THREADS;

    for (PetscInt64 first = blockIdx.x * rows; first < pass.n; first += gridDim.x * rows) {
      const PetscInt64 i    = first + threadIdx.x;
      const bool       mine = threadIdx.x < rows && i < pass.n;

      if constexpr (in_place) {
        PetscScalar r = 0, z = 0;

        if (mine) {
          load(0, i);
          r = value(0, i);
          z = Precondition<kind>(pass, i, at);
        }
        __syncthreads();
        if (mine) use(0, i, r, z);
      } else if (mine) {
        load(0, i);
        use(0, i, value(0, i), Precondition<kind>(pass, i, at));
      }
    }
  }
}

/* The same where r is b less the product A x, which `of_x` has, or b alone; load(k, i) loads what else is wanted */
template <Preconditioner kind, typename Load, typename Use>
static __device__ __forceinline__ void ForAllOfResidual(const AutoCSRPass &pass, const PetscScalar *of_x, bool product, Load load, Use use)
{
  PetscScalar b[AT_ONCE], w[AT_ONCE];

  ForAllPreconditioned<kind>(
      pass,
      [&](int k, PetscInt64 i) {
        b[k] = pass.b[i];
        w[k] = product ? of_x[i] : PetscScalar(0);
        load(k, i);
      },
      [&](int k, PetscInt64) { return b[k] - w[k]; }, [&](PetscInt64 j) { return product ? pass.b[j] - of_x[j] : pass.b[j]; }, use);
}

/* Chooses the kernel for the preconditioner of this pass */
template <typename Kernel>
static inline Kernel *KernelFor(const AutoCSRPass *pass, bool precondition, Kernel *identity, Kernel *diagonal, Kernel *blocks)
{
  return !precondition || !pass->d ? identity : pass->block > 1 ? blocks : diagonal;
}
#define KERNEL_FOR(pass, precondition, Kernel) KernelFor(pass, precondition, Kernel<IDENTITY>, Kernel<DIAGONAL>, Kernel<BLOCKS>)

static inline unsigned GridOf(const AutoCSRPass *pass)
{
  return (unsigned)PetscMax(1, PetscMin(pass->n / THREADS + (pass->n % THREADS > 0), pass->blocks));
}

#endif
