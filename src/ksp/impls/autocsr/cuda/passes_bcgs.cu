/* Kernels of BiCGStab */
#include "passes.cuh"

template <Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void BCGSStartKernel(const AutoCSRPass pass, bool product)
{
  Sums sums = {};

  PtxWaitForLast();
  ForAllOfResidual<kind>(
      pass, pass.v, product, [](int, PetscInt64) {},
      [&](int, PetscInt64 i, PetscScalar, PetscScalar z) {
        pass.r[i]      = z;
        pass.shadow[i] = z;
        pass.p[i]      = z;
        sums.AddSquare(z);
      });
  Finish<AUTOCSR_FOLLOW_BCGS_START>(pass, sums);
}

template <Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void BCGSDotKernel(const AutoCSRPass pass, const PetscScalar *from)
{
  Sums        sums = {};
  PetscScalar f[AT_ONCE], shadow[AT_ONCE];

  PtxWaitForLast();
  if (!ScalarsOf(pass)->result.stop) {
    ForAllPreconditioned<kind>(
        pass,
        [&](int k, PetscInt64 i) {
          f[k]      = from[i];
          shadow[k] = pass.shadow[i];
        },
        [&](int k, PetscInt64) { return f[k]; }, [&](PetscInt64 j) { return from[j]; },
        [&](int k, PetscInt64 i, PetscScalar, PetscScalar v) {
          if (kind != IDENTITY) pass.v[i] = v;
          sums.AddDot(v, shadow[k], true);
        });
  }
  Finish<AUTOCSR_FOLLOW_BCGS_DOT>(pass, sums);
}

static __global__ __launch_bounds__(THREADS) void BCGSHalfKernel(const AutoCSRPass pass)
{
  PetscScalar r[AT_ONCE], v[AT_ONCE];

  PtxWaitForLast();
  if (!ScalarsOf(pass)->moves) return;
  {
    const PetscScalar alpha = ScalarsOf(pass)->a;

    ForAll(
        pass.n,
        [&](int k, PetscInt64 i) {
          r[k] = pass.r[i];
          v[k] = pass.v[i];
        },
        [&](int k, PetscInt64 i) { pass.s[i] = r[k] - alpha * v[k]; });
  }
}

template <Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void BCGSStabilizeKernel(const AutoCSRPass pass, const PetscScalar *from)
{
  Sums        sums = {};
  PetscScalar f[AT_ONCE], s[AT_ONCE];

  PtxWaitForLast();
  if (ScalarsOf(pass)->moves) {
    ForAllPreconditioned<kind>(
        pass,
        [&](int k, PetscInt64 i) {
          f[k] = from[i];
          s[k] = pass.s[i];
        },
        [&](int k, PetscInt64) { return f[k]; }, [&](PetscInt64 j) { return from[j]; },
        [&](int k, PetscInt64 i, PetscScalar, PetscScalar t) {
          if (kind != IDENTITY) pass.t[i] = t;
          sums.AddDot(s[k], t, true);
          sums.AddSquare(t);
          sums.AddSquare<SUM_OTHERS>(s[k]);
        });
  }
  Finish<AUTOCSR_FOLLOW_BCGS_STABILIZE>(pass, sums);
}

template <Preconditioner kind>
static __global__ __launch_bounds__(THREADS) void BCGSUpdateKernel(const AutoCSRPass pass)
{
  Sums        sums = {};
  PetscScalar x[AT_ONCE], p[AT_ONCE], s[AT_ONCE], t[AT_ONCE], shadow[AT_ONCE];

  PtxWaitForLast();
  if (ScalarsOf(pass)->moves) {
    const PetscScalar alpha = ScalarsOf(pass)->a, omega = ScalarsOf(pass)->omega;

    ForAllPreconditioned<kind>(
        pass,
        [&](int k, PetscInt64 i) {
          x[k]      = pass.x[i];
          p[k]      = pass.p[i];
          s[k]      = pass.s[i];
          t[k]      = pass.t[i];
          shadow[k] = pass.shadow[i];
        },
        [&](int k, PetscInt64) { return alpha * p[k] + omega * s[k]; }, [&](PetscInt64 j) { return alpha * pass.p[j] + omega * pass.s[j]; },
        [&](int k, PetscInt64 i, PetscScalar, PetscScalar step) {
          const PetscScalar r = s[k] - omega * t[k];

          pass.x[i] = x[k] + step;
          pass.r[i] = r;
          sums.AddDot(r, shadow[k], true);
          sums.AddSquare(r);
        });
  }
  Finish<AUTOCSR_FOLLOW_BCGS_UPDATE>(pass, sums);
}

static __global__ __launch_bounds__(THREADS) void BCGSDirectionKernel(const AutoCSRPass pass)
{
  PetscScalar r[AT_ONCE], v[AT_ONCE], p[AT_ONCE];

  PtxWaitForLast();
  if (!ScalarsOf(pass)->goes_on) return;
  {
    const PetscScalar beta = ScalarsOf(pass)->b, omega = ScalarsOf(pass)->omega;

    ForAll(
        pass.n,
        [&](int k, PetscInt64 i) {
          r[k] = pass.r[i];
          v[k] = pass.v[i];
          p[k] = pass.p[i];
        },
        [&](int k, PetscInt64 i) { pass.p[i] = r[k] + beta * (p[k] - omega * v[k]); });
  }
}

#define LAUNCH(kernel, pass, ...) \
  do { \
    Launch(kernel, GridOf(pass), THREADS, 0, AutoCSRLaunchStream())(__VA_ARGS__); \
    AutoCSRCallCUDA(cudaGetLastError()); \
  } while (0)

PetscErrorCode AutoCSRPassBCGSStart(const AutoCSRPass *pass, PetscBool product, PetscBool precondition)
{
  PetscFunctionBegin;
  LAUNCH(KERNEL_FOR(pass, precondition, BCGSStartKernel), pass, *pass, (bool)product);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassBCGSDot(const AutoCSRPass *pass, const PetscScalar *from, PetscBool precondition)
{
  PetscFunctionBegin;
  LAUNCH(KERNEL_FOR(pass, precondition, BCGSDotKernel), pass, *pass, from);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassBCGSHalf(const AutoCSRPass *pass)
{
  PetscFunctionBegin;
  LAUNCH(BCGSHalfKernel, pass, *pass);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassBCGSStabilize(const AutoCSRPass *pass, const PetscScalar *from, PetscBool precondition)
{
  PetscFunctionBegin;
  LAUNCH(KERNEL_FOR(pass, precondition, BCGSStabilizeKernel), pass, *pass, from);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassBCGSUpdate(const AutoCSRPass *pass, PetscBool precondition)
{
  PetscFunctionBegin;
  LAUNCH(KERNEL_FOR(pass, precondition, BCGSUpdateKernel), pass, *pass);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPassBCGSDirection(const AutoCSRPass *pass)
{
  PetscFunctionBegin;
  LAUNCH(BCGSDirectionKernel, pass, *pass);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const void *const AutoCSRPassBCGSKernel = (const void *)BCGSHalfKernel;
