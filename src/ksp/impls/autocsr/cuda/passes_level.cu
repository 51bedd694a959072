/*
  All steps of a smoother on a small level in one kernel, whose thread blocks are one cluster: they wait for each other after each step in
  place of a launch. Each step reads the matrix as CSR. A row is some lanes' and sums have one order, so every run makes the same bits.
*/
#include "level.h"
#include "passes.cuh"
#include "../../../../mat/impls/autocsr/cuda/common/cluster.cuh"
#include "../../../../mat/impls/autocsr/cuda/common/rows.cuh"

static __device__ __forceinline__ PetscScalar ScalarOf(const PetscReal v[])
{
#if PetscDefined(USE_COMPLEX)
  return PetscScalar(v[0], v[1]);
#else
  return v[0];
#endif
}

/* The next solution in row i, of the preconditioned residual z there */
static __device__ __forceinline__ void Combine(const AutoCSRLevelStep &step, PetscInt64 i, PetscScalar z)
{
  const PetscScalar before = ScalarOf(step.before), current = ScalarOf(step.current), f = step.from[i];

  step.to[i] = (before != PetscScalar(0) ? before * step.to[i] + current * f : current * f) + ScalarOf(step.residual) * z;
}

/* use(row, residual) for all rows */
template <int lanes, typename Use>
static __device__ __forceinline__ void ForResiduals(const AutoCSRPass &pass, const AutoCSRLevel &level, const AutoCSRLevelStep &step, Use use)
{
  if (step.product) {
    ForRowProducts<lanes>(pass.n, level.row_ptr, level.col, level.val, step.from, ClusterThread(), ClusterThreads(), [&](PetscInt64 i, PetscScalar product) { use(i, pass.b[i] - product); });
  } else {
    for (PetscInt64 i = ClusterThread(); i < pass.n; i += ClusterThreads()) use(i, pass.b[i]);
  }
}

template <Preconditioner kind, int lanes>
static __global__ __launch_bounds__(AUTOCSR_LEVEL_THREADS) void LevelKernel(const AutoCSRPass pass, const AutoCSRLevel level)
{
  PtxWaitForLast();
  for (PetscInt k = 0; k < level.n_steps; k++) {
    const AutoCSRLevelStep &step = level.step[k];

    if (k) ClusterBarrier();
    if constexpr (kind == BLOCKS) { /* the residual of other rows is wanted, too */
      PetscScalar *r = (PetscScalar *)pass.w;

      ForResiduals<lanes>(pass, level, step, [&](PetscInt64 i, PetscScalar ri) { r[i] = ri; });
      ClusterBarrier();
      for (PetscInt64 i = ClusterThread(); i < pass.n; i += ClusterThreads()) Combine(step, i, Precondition<kind>(pass, i, [&](PetscInt64 j) { return r[j]; }));
    } else {
      ForResiduals<lanes>(pass, level, step, [&](PetscInt64 i, PetscScalar r) { Combine(step, i, Precondition<kind>(pass, i, [&](PetscInt64) { return r; })); });
    }
  }
}

template <int lanes>
static auto KernelWith(const AutoCSRPass *pass)
{
  return KernelFor(pass, true, LevelKernel<IDENTITY, lanes>, LevelKernel<DIAGONAL, lanes>, LevelKernel<BLOCKS, lanes>);
}

static auto KernelOf(const AutoCSRPass *pass, PetscInt lanes)
{
  return lanes == 2 ? KernelWith<2>(pass) : lanes == 8 ? KernelWith<8>(pass) : KernelWith<32>(pass);
}

PetscErrorCode AutoCSRPassLevel(const AutoCSRPass *pass, const AutoCSRLevel *level, PetscInt lanes, PetscInt blocks)
{
  PetscFunctionBegin;
  LaunchCluster(KernelOf(pass, lanes), (unsigned)blocks, AUTOCSR_LEVEL_THREADS, AUTOCSR_STREAM)(*pass, *level);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt AutoCSRPassLevelBlocks(const AutoCSRPass *pass, PetscInt lanes)
{
  return (PetscInt)ClusterMost((const void *)KernelOf(pass, lanes), AUTOCSR_LEVEL_THREADS);
}

const void *const AutoCSRPassLevelKernel = (const void *)LevelKernel<DIAGONAL, 8>;
