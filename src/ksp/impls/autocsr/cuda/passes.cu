/*
  Kernels of the passes. Sums have a fixed order: a thread's elements, the lanes of a warp, the warps of a thread block, and in
  the last thread block those of all. That block also does what follows from the sums (scalars.h), so no scalar leaves the device
  before the next kernel begins.
*/
#include "passes.h"
#include "../../../../mat/impls/autocsr/cuda/common/early.cuh"

static constexpr int WARP    = 32;
static constexpr int THREADS = 256;
static constexpr int AT_ONCE = 4; /* elements of a thread whose loads do not wait for each other */

size_t AutoCSRPassScalarsBytes(void)
{
  return sizeof(AutoCSRScalars);
}

/* A dot product in its real and imaginary part, and a sum of squares */
struct Sums {
  PetscReal v[AUTOCSR_PASS_SUMS];

  __device__ __forceinline__ void AddDot(PetscScalar x, PetscScalar y, bool conjugate)
  {
#if PetscDefined(USE_COMPLEX)
    const PetscReal sign = conjugate ? 1 : -1;

    v[0] += PetscRealPart(x) * PetscRealPart(y) + sign * PetscImaginaryPart(x) * PetscImaginaryPart(y);
    v[1] += PetscImaginaryPart(x) * PetscRealPart(y) - sign * PetscRealPart(x) * PetscImaginaryPart(y);
#else
    v[0] += x * y;
#endif
  }
  __device__ __forceinline__ void AddSquare(PetscScalar x)
  {
    v[2] += PetscRealPart(x) * PetscRealPart(x);
#if PetscDefined(USE_COMPLEX)
    v[2] += PetscImaginaryPart(x) * PetscImaginaryPart(x);
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

/* Sums of a thread block, right in its first thread */
static __device__ __forceinline__ Sums BlockSum(Sums sums)
{
  __shared__ PetscReal warps[THREADS / WARP][AUTOCSR_PASS_SUMS];
  const int            lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

#pragma unroll
  for (int k = 0; k < AUTOCSR_PASS_SUMS; k++) {
#pragma unroll
    for (int o = WARP / 2; o; o /= 2) sums.v[k] += __shfl_down_sync(0xffffffffu, sums.v[k], o);
    if (lane == 0) warps[warp][k] = sums.v[k];
  }
  __syncthreads();
  if (warp == 0) {
#pragma unroll
    for (int k = 0; k < AUTOCSR_PASS_SUMS; k++) {
      sums.v[k] = lane < THREADS / WARP ? warps[lane][k] : 0;
#pragma unroll
      for (int o = THREADS / WARP / 2; o; o /= 2) sums.v[k] += __shfl_down_sync(0xffffffffu, sums.v[k], o);
    }
  }
  __syncthreads();
  return sums;
}

/* follow(sums) by the first thread of the last block, with the sums of all; then the host is told */
template <typename Follow>
static __device__ __forceinline__ void Finish(const AutoCSRPass &pass, Sums sums, Follow follow)
{
  __shared__ bool last;

  sums = BlockSum(sums);
  if (threadIdx.x == 0) {
#pragma unroll
    for (int k = 0; k < AUTOCSR_PASS_SUMS; k++) pass.partial[blockIdx.x * AUTOCSR_PASS_SUMS + k] = sums.v[k];
    last = PtxCount(pass.arrived) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  sums = Sums{};
  for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS) {
#pragma unroll
    for (int k = 0; k < AUTOCSR_PASS_SUMS; k++) sums.v[k] += __ldcg(&pass.partial[b * AUTOCSR_PASS_SUMS + k]);
  }
  sums = BlockSum(sums);
  if (threadIdx.x) return;
  *pass.arrived = 0;
  follow(sums);
  if (!pass.slot) return;
  pass.slot->result = ScalarsOf(pass)->result;
  __threadfence_system();
  pass.slot->number = pass.number;
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

template <AutoCSRNorm norm>
static __device__ __forceinline__ void AddNorm(Sums &sums, PetscScalar r, PetscScalar z)
{
  if constexpr (norm == AUTOCSR_NORM_RESIDUAL) sums.AddSquare(r);
  if constexpr (norm == AUTOCSR_NORM_PRECONDITIONED) sums.AddSquare(z);
}

template <AutoCSRNorm norm, bool has_d>
static __global__ __launch_bounds__(THREADS) void StartKernel(const AutoCSRPass pass, bool product)
{
  Sums        sums = {};
  PetscScalar b[AT_ONCE], w[AT_ONCE], d[AT_ONCE];

  PtxWaitForLast();
  ForAll(
      pass.n,
      [&](int k, PetscInt64 i) {
        b[k] = pass.b[i];
        w[k] = product ? pass.w[i] : PetscScalar(0);
        if (has_d) d[k] = pass.d[i];
      },
      [&](int k, PetscInt64 i) {
        const PetscScalar r = b[k] - w[k], z = has_d ? r * d[k] : r;

        pass.r[i] = r;
        pass.p[i] = z;
        sums.AddDot(z, r, pass.conjugate);
        AddNorm<norm>(sums, r, z);
      });
  Finish(pass, sums, [&](const Sums &s) { AutoCSRScalarsStart(ScalarsOf(pass), pass.test.norm, s.Dot(), s.v[2]); });
}

static __global__ __launch_bounds__(THREADS) void DotKernel(const AutoCSRPass pass)
{
  Sums        sums = {};
  PetscScalar p[AT_ONCE], w[AT_ONCE];

  PtxWaitForLast();
  if (!ScalarsOf(pass)->result.stop) {
    ForAll(
        pass.n,
        [&](int k, PetscInt64 i) {
          p[k] = pass.p[i];
          w[k] = pass.w[i];
        },
        [&](int k, PetscInt64) { sums.AddDot(p[k], w[k], pass.conjugate); });
  }
  Finish(pass, sums, [&](const Sums &s) { AutoCSRScalarsProduct(ScalarsOf(pass), s.Dot()); });
}

template <AutoCSRNorm norm, bool has_d>
static __global__ __launch_bounds__(THREADS) void ResidualKernel(const AutoCSRPass pass)
{
  Sums        sums = {};
  PetscScalar r[AT_ONCE], w[AT_ONCE], d[AT_ONCE];

  PtxWaitForLast();
  if (ScalarsOf(pass)->moves) {
    const PetscScalar a = ScalarsOf(pass)->a;

    ForAll(
        pass.n,
        [&](int k, PetscInt64 i) {
          r[k] = pass.r[i];
          w[k] = pass.w[i];
          if (has_d) d[k] = pass.d[i];
        },
        [&](int k, PetscInt64 i) {
          const PetscScalar ri = r[k] - a * w[k], z = has_d ? ri * d[k] : ri;

          pass.r[i] = ri;
          sums.AddDot(z, ri, pass.conjugate);
          AddNorm<norm>(sums, ri, z);
        });
  }
  Finish(pass, sums, [&](const Sums &s) { AutoCSRScalarsResidual(ScalarsOf(pass), &pass.test, s.Dot(), s.v[2]); });
}

template <bool has_d>
static __global__ __launch_bounds__(THREADS) void DirectionKernel(const AutoCSRPass pass)
{
  PetscScalar r[AT_ONCE], d[AT_ONCE], x[AT_ONCE], p[AT_ONCE];

  PtxWaitForLast();
  if (!ScalarsOf(pass)->moves) return;
  {
    const PetscScalar a = ScalarsOf(pass)->a, b = ScalarsOf(pass)->b;
    const bool        goes_on = ScalarsOf(pass)->goes_on;

    ForAll(
        pass.n,
        [&](int k, PetscInt64 i) {
          x[k] = pass.x[i];
          p[k] = pass.p[i];
          r[k] = pass.r[i];
          if (has_d) d[k] = pass.d[i];
        },
        [&](int k, PetscInt64 i) {
          pass.x[i] = x[k] + a * p[k];
          if (goes_on) pass.p[i] = (has_d ? r[k] * d[k] : r[k]) + b * p[k];
        });
  }
}

template <AutoCSRNorm norm, bool has_d>
static __global__ __launch_bounds__(THREADS) void CombineKernel(const AutoCSRPass pass, PetscScalar before, PetscScalar current, PetscScalar residual, const PetscScalar *from, PetscScalar *to, bool product, bool update, bool first)
{
  const bool  has_before = update && before != PetscScalar(0);
  Sums        sums       = {};
  PetscScalar b[AT_ONCE], w[AT_ONCE], d[AT_ONCE], f[AT_ONCE], t[AT_ONCE];

  PtxWaitForLast();
  if (first || !ScalarsOf(pass)->result.stop) {
    ForAll(
        pass.n,
        [&](int k, PetscInt64 i) {
          b[k] = pass.b[i];
          w[k] = product ? pass.w[i] : PetscScalar(0);
          if (has_d) d[k] = pass.d[i];
          f[k] = update ? from[i] : PetscScalar(0);
          t[k] = has_before ? to[i] : PetscScalar(0);
        },
        [&](int k, PetscInt64 i) {
          const PetscScalar r = b[k] - w[k], z = has_d ? r * d[k] : r;

          if (update) to[i] = (has_before ? before * t[k] + current * f[k] : current * f[k]) + residual * z;
          AddNorm<norm>(sums, r, z);
        });
  }
  if constexpr (norm != AUTOCSR_NORM_NONE) {
    Finish(pass, sums, [&](const Sums &s) {
      if (first) AutoCSRScalarsStart(ScalarsOf(pass), AUTOCSR_NORM_NONE, 0, 0);
      AutoCSRScalarsCombined(ScalarsOf(pass), &pass.test, s.v[2]);
    });
  } else if (first && blockIdx.x == 0 && threadIdx.x == 0) {
    /* Blocks of this pass do not read what is set here */
    AutoCSRScalarsStart(ScalarsOf(pass), AUTOCSR_NORM_NONE, 0, 0);
  }
}

static unsigned GridOf(const AutoCSRPass *pass)
{
  return (unsigned)PetscMax(1, PetscMin(pass->n / THREADS + (pass->n % THREADS > 0), pass->blocks));
}

/* The kernel for the norm and for whether there is a diagonal */
#define LAUNCH_KIND(Kernel, pass, ...) \
  do { \
    const bool has_d_ = (pass)->d != NULL; \
    \
    switch ((pass)->test.norm) { \
    case AUTOCSR_NORM_RESIDUAL: \
      Launch(has_d_ ? Kernel<AUTOCSR_NORM_RESIDUAL, true> : Kernel<AUTOCSR_NORM_RESIDUAL, false>, GridOf(pass), THREADS, 0, AUTOCSR_STREAM)(__VA_ARGS__); \
      break; \
    case AUTOCSR_NORM_PRECONDITIONED: \
      Launch(has_d_ ? Kernel<AUTOCSR_NORM_PRECONDITIONED, true> : Kernel<AUTOCSR_NORM_PRECONDITIONED, false>, GridOf(pass), THREADS, 0, AUTOCSR_STREAM)(__VA_ARGS__); \
      break; \
    default: \
      Launch(has_d_ ? Kernel<AUTOCSR_NORM_NONE, true> : Kernel<AUTOCSR_NORM_NONE, false>, GridOf(pass), THREADS, 0, AUTOCSR_STREAM)(__VA_ARGS__); \
    } \
    AutoCSRCallCUDA(cudaGetLastError()); \
  } while (0)

PetscErrorCode AutoCSRPassStart(const AutoCSRPass *pass, PetscBool product)
{
  PetscFunctionBegin;
  LAUNCH_KIND(StartKernel, pass, *pass, (bool)product);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassDot(const AutoCSRPass *pass)
{
  PetscFunctionBegin;
  Launch(DotKernel, GridOf(pass), THREADS, 0, AUTOCSR_STREAM)(*pass);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassResidual(const AutoCSRPass *pass)
{
  PetscFunctionBegin;
  LAUNCH_KIND(ResidualKernel, pass, *pass);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassDirection(const AutoCSRPass *pass)
{
  PetscFunctionBegin;
  Launch(pass->d ? DirectionKernel<true> : DirectionKernel<false>, GridOf(pass), THREADS, 0, AUTOCSR_STREAM)(*pass);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassCombine(const AutoCSRPass *pass, const PetscScalar coefficient[3], const PetscScalar *from, PetscScalar *to, PetscBool product, PetscBool update, PetscBool first)
{
  PetscFunctionBegin;
  LAUNCH_KIND(CombineKernel, pass, *pass, coefficient[0], coefficient[1], coefficient[2], from, to, (bool)product, (bool)update, (bool)first);
  PetscFunctionReturn(PETSC_SUCCESS);
}
