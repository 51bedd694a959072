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

template <AutoCSRNorm norm, Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void StartKernel(const AutoCSRPass pass, bool product)
{
  Sums sums = {};

  PtxWaitForLast();
  ForAllOfResidual<kind>(
      pass, pass.w, product, [](int, PetscInt64) {},
      [&](int, PetscInt64 i, PetscScalar r, PetscScalar z) {
        pass.r[i] = r;
        pass.p[i] = z;
        sums.AddDot(z, r, pass.conjugate);
        AddNorm<norm>(sums, r, z);
      });
  Finish<AUTOCSR_FOLLOW_START>(pass, sums);
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
  Finish<AUTOCSR_FOLLOW_PRODUCT, SUM_SQUARES>(pass, sums);
}

template <AutoCSRNorm norm, Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void ResidualKernel(const AutoCSRPass pass)
{
  Sums        sums = {};
  PetscScalar r[AT_ONCE], w[AT_ONCE];

  PtxWaitForLast();
  if (ScalarsOf(pass)->moves) {
    const PetscScalar a = ScalarsOf(pass)->a;

    ForAllPreconditioned<kind, true>(
        pass,
        [&](int k, PetscInt64 i) {
          r[k] = pass.r[i];
          w[k] = pass.w[i];
        },
        [&](int k, PetscInt64) { return r[k] - a * w[k]; }, [&](PetscInt64 j) { return pass.r[j] - a * pass.w[j]; },
        [&](int, PetscInt64 i, PetscScalar ri, PetscScalar z) {
          pass.r[i] = ri;
          sums.AddDot(z, ri, pass.conjugate);
          AddNorm<norm>(sums, ri, z);
        });
  }
  Finish<AUTOCSR_FOLLOW_RESIDUAL>(pass, sums);
}

static __global__ __launch_bounds__(THREADS) void GivenResidualKernel(const AutoCSRPass pass, bool first, bool product)
{
  PetscScalar from[AT_ONCE], w[AT_ONCE];

  PtxWaitForLast();
  if (!first && !ScalarsOf(pass)->moves) return;
  {
    const PetscScalar  a = first ? PetscScalar(1) : ScalarsOf(pass)->a;
    const PetscScalar *b = first ? pass.b : pass.r;

    ForAll(
        pass.n,
        [&](int k, PetscInt64 i) {
          from[k] = b[i];
          w[k]    = product ? pass.w[i] : PetscScalar(0);
        },
        [&](int k, PetscInt64 i) { pass.r[i] = from[k] - a * w[k]; });
  }
}

template <AutoCSRNorm norm, bool first>
static __global__ __launch_bounds__(THREADS) void GivenKernel(const AutoCSRPass pass)
{
  Sums        sums = {};
  PetscScalar r[AT_ONCE];

  PtxWaitForLast();
  if (first || ScalarsOf(pass)->moves) {
    ForAllPreconditioned<GIVEN>(
        pass, [&](int k, PetscInt64 i) { r[k] = pass.r[i]; }, [&](int k, PetscInt64) { return r[k]; }, [](PetscInt64) { return PetscScalar(0); },
        [&](int, PetscInt64 i, PetscScalar ri, PetscScalar z) {
          if (first) pass.p[i] = z;
          sums.AddDot(z, ri, pass.conjugate);
          AddNorm<norm>(sums, ri, z);
        });
  }
  Finish<first ? AUTOCSR_FOLLOW_START : AUTOCSR_FOLLOW_RESIDUAL>(pass, sums);
}

template <Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void DirectionKernel(const AutoCSRPass pass)
{
  PetscScalar r[AT_ONCE], x[AT_ONCE], p[AT_ONCE];

  PtxWaitForLast();
  if (!ScalarsOf(pass)->moves) return;
  {
    const PetscScalar a = ScalarsOf(pass)->a, b = ScalarsOf(pass)->b;
    const bool        goes_on = ScalarsOf(pass)->goes_on;

    ForAllPreconditioned<kind>(
        pass,
        [&](int k, PetscInt64 i) {
          x[k] = pass.x[i];
          p[k] = pass.p[i];
          r[k] = kind == GIVEN ? PetscScalar(0) : pass.r[i];
        },
        [&](int k, PetscInt64) { return r[k]; }, [&](PetscInt64 j) { return pass.r[j]; },
        [&](int k, PetscInt64 i, PetscScalar, PetscScalar z) {
          pass.x[i] = x[k] + a * p[k];
          if (goes_on) pass.p[i] = z + b * p[k];
        });
  }
}

template <AutoCSRNorm norm, Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void CombineKernel(const AutoCSRPass pass, PetscScalar before, PetscScalar current, PetscScalar residual, const PetscScalar *from, PetscScalar *to, bool product, bool update, bool first)
{
  const bool  has_before = update && before != PetscScalar(0);
  Sums        sums       = {};
  PetscScalar f[AT_ONCE], t[AT_ONCE];

  PtxWaitForLast();
  if (first || !ScalarsOf(pass)->result.stop) {
    ForAllOfResidual<kind>(
        pass, pass.w, product,
        [&](int k, PetscInt64 i) {
          f[k] = update ? from[i] : PetscScalar(0);
          t[k] = has_before ? to[i] : PetscScalar(0);
        },
        [&](int k, PetscInt64 i, PetscScalar r, PetscScalar z) {
          if (update) to[i] = (has_before ? before * t[k] + current * f[k] : current * f[k]) + residual * z;
          AddNorm<norm>(sums, r, z);
        });
  }
  if constexpr (norm != AUTOCSR_NORM_NONE) {
    if (first)
      Finish<AUTOCSR_FOLLOW_FIRST_COMBINED>(pass, sums);
    else
      Finish<AUTOCSR_FOLLOW_COMBINED>(pass, sums);
  } else if (first && blockIdx.x == 0 && threadIdx.x == 0) {
    /* Blocks of this pass do not read what is set here */
    AutoCSRScalarsStart(ScalarsOf(pass), AUTOCSR_NORM_NONE, 0, 0);
  }
}

/* The kernel for the norm and for the preconditioner */
#define KERNELS_OF(Kernel, norm) Kernel<norm, IDENTITY>, Kernel<norm, DIAGONAL>, Kernel<norm, BLOCKS>
#define LAUNCH_KIND(Kernel, pass, ...) \
  do { \
    const AutoCSRNorm norm_  = (pass)->norm; \
    auto              kernel = norm_ == AUTOCSR_NORM_RESIDUAL       ? KernelFor(pass, true, KERNELS_OF(Kernel, AUTOCSR_NORM_RESIDUAL)) : \
                               norm_ == AUTOCSR_NORM_PRECONDITIONED ? KernelFor(pass, true, KERNELS_OF(Kernel, AUTOCSR_NORM_PRECONDITIONED)) : \
                                                                      KernelFor(pass, true, KERNELS_OF(Kernel, AUTOCSR_NORM_NONE)); \
    \
    Launch(kernel, GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(__VA_ARGS__); \
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
  Launch(DotKernel, GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(*pass);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassResidual(const AutoCSRPass *pass)
{
  PetscFunctionBegin;
  LAUNCH_KIND(ResidualKernel, pass, *pass);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool first>
static void (*GivenKernelFor(AutoCSRNorm norm))(const AutoCSRPass)
{
  return norm == AUTOCSR_NORM_PRECONDITIONED ? GivenKernel<AUTOCSR_NORM_PRECONDITIONED, first> : GivenKernel<AUTOCSR_NORM_NONE, first>;
}

PetscErrorCode AutoCSRPassGivenResidual(const AutoCSRPass *pass, PetscBool first, PetscBool product)
{
  PetscFunctionBegin;
  Launch(GivenResidualKernel, GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(*pass, (bool)first, (bool)product);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassGiven(const AutoCSRPass *pass, PetscBool first)
{
  PetscFunctionBegin;
  Launch(first ? GivenKernelFor<true>(pass->norm) : GivenKernelFor<false>(pass->norm), GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(*pass);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassDirection(const AutoCSRPass *pass, PetscBool given)
{
  PetscFunctionBegin;
  Launch(given ? DirectionKernel<GIVEN> : KERNEL_FOR(pass, true, DirectionKernel), GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(*pass);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassCombine(const AutoCSRPass *pass, const PetscScalar coefficient[3], const PetscScalar *from, PetscScalar *to, PetscBool product, PetscBool update, PetscBool first)
{
  PetscFunctionBegin;
  LAUNCH_KIND(CombineKernel, pass, *pass, coefficient[0], coefficient[1], coefficient[2], from, to, (bool)product, (bool)update, (bool)first);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void PreconditionKernel(const AutoCSRPass pass, const PetscScalar *from, PetscScalar *to)
{
  PetscScalar f[AT_ONCE];

  PtxWaitForLast();
  ForAllPreconditioned<kind>(
      pass, [&](int k, PetscInt64 i) { f[k] = from[i]; }, [&](int k, PetscInt64) { return f[k]; }, [&](PetscInt64 j) { return from[j]; }, [&](int, PetscInt64 i, PetscScalar, PetscScalar z) { to[i] = z; });
}

PetscErrorCode AutoCSRPassPrecondition(const AutoCSRPass *pass, const PetscScalar *from, PetscScalar *to)
{
  PetscFunctionBegin;
  Launch(KERNEL_FOR(pass, true, PreconditionKernel), GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(*pass, from, to);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static __global__ void SetTestKernel(AutoCSRTest *to, const AutoCSRTest test)
{
  PtxWaitForLast();
  *to = test;
}

PetscErrorCode AutoCSRPassSetTest(AutoCSRTest *to, const AutoCSRTest *test)
{
  PetscFunctionBegin;
  Launch(SetTestKernel, 1u, 1, 0, AutoCSRLaunchStream())(to, *test);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <AutoCSRFollow follow>
static __global__ void FollowKernel(const AutoCSRPass pass, const Sums sums)
{
  PtxWaitForLast();
  Follow<follow>(pass, sums);
}

#define CASE(follow) \
  case follow: \
    Launch(FollowKernel<follow>, 1u, 1, 0, AutoCSRLaunchStream())(*pass, all); \
    break

PetscErrorCode AutoCSRPassFollow(const AutoCSRPass *pass, AutoCSRFollow follow, const PetscReal sums[])
{
  Sums all;

  PetscFunctionBegin;
  for (int k = 0; k < AUTOCSR_PASS_SUMS; k++) all.v[k] = sums[k];
  switch (follow) {
    CASE(AUTOCSR_FOLLOW_START);
    CASE(AUTOCSR_FOLLOW_PRODUCT);
    CASE(AUTOCSR_FOLLOW_RESIDUAL);
    CASE(AUTOCSR_FOLLOW_COMBINED);
    CASE(AUTOCSR_FOLLOW_FIRST_COMBINED);
    CASE(AUTOCSR_FOLLOW_BCGS_START);
    CASE(AUTOCSR_FOLLOW_BCGS_DOT);
    CASE(AUTOCSR_FOLLOW_BCGS_STABILIZE);
    CASE(AUTOCSR_FOLLOW_BCGS_UPDATE);
  }
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

const void *const AutoCSRPassKernel = (const void *)DotKernel;
