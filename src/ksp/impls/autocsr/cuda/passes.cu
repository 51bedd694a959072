/*
  Kernels of CG and of the methods whose coefficients are known before
*/
#include "passes.cuh"

size_t AutoCSRPassScalarsBytes(void)
{
  return sizeof(AutoCSRScalars);
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
  Finish(pass, sums, [&](const Sums &s) { AutoCSRScalarsStart(ScalarsOf(pass), pass.test.norm, s.Dot(), s.v[SUM_SQUARES]); });
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
  Finish(pass, sums, [&](const Sums &s) { AutoCSRScalarsResidual(ScalarsOf(pass), &pass.test, s.Dot(), s.v[SUM_SQUARES]); });
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
      AutoCSRScalarsCombined(ScalarsOf(pass), &pass.test, s.v[SUM_SQUARES]);
    });
  } else if (first && blockIdx.x == 0 && threadIdx.x == 0) {
    /* Blocks of this pass do not read what is set here */
    AutoCSRScalarsStart(ScalarsOf(pass), AUTOCSR_NORM_NONE, 0, 0);
  }
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

static __global__ __launch_bounds__(THREADS) void PreconditionKernel(const AutoCSRPass pass, const PetscScalar *from, PetscScalar *to)
{
  PetscScalar d[AT_ONCE], f[AT_ONCE];

  PtxWaitForLast();
  ForAll(
      pass.n,
      [&](int k, PetscInt64 i) {
        d[k] = pass.d[i];
        f[k] = from[i];
      },
      [&](int k, PetscInt64 i) { to[i] = d[k] * f[k]; });
}

PetscErrorCode AutoCSRPassPrecondition(const AutoCSRPass *pass, const PetscScalar *from, PetscScalar *to)
{
  PetscFunctionBegin;
  Launch(PreconditionKernel, GridOf(pass), THREADS, 0, AUTOCSR_STREAM)(*pass, from, to);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
