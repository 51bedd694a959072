/*
  A product with its dot product in one kernel, by agents whose blocks write rows of their own: a thread block reads again what it has just written, while
  that and the entries of the other vector are in its caches. So the dot product costs no launch and no way to the memory
*/
#include "../../../../mat/impls/autocsr/cuda/products/kernels.cuh"
#include "passes.cuh"

template <class Agent>
static __global__ void __launch_bounds__(Agent::threads, Agent::residents) ProductKernel(const __grid_constant__ AutoCSROneParameters one, const __grid_constant__ AutoCSRPass pass)
{
  const PetscInt rows  = Agent::RowsOfBlock(one.segment), first = blockIdx.x * rows;
  const int      count = (int)PetscMin(rows, one.segment.n_rows - first);
  Sums           sums  = {};

  RunOne<Agent>(one);
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += THREADS) {
    const PetscInt row = RowOf(one.segment, first + k);

    sums.AddDot(one.operands.x[row], one.operands.y[row], pass.conjugate);
  }
  Finish<AUTOCSR_FOLLOW_PRODUCT, SUM_SQUARES>(pass, sums);
}

typedef void (*Kernel)(const AutoCSROneParameters, const AutoCSRPass);

template <class Agent>
static constexpr Kernel KernelOfAgent()
{
  static_assert(!Agent::in_turn || (int)Agent::threads == THREADS, "Sums are those of a block of so many threads");
  if constexpr (Agent::in_turn)
    return ProductKernel<Agent>;
  else
    return NULL;
}

#define ENTRY(id, name, order, index, value, mapping, lanes, ...) KernelOfAgent<__VA_ARGS__>(),
static const Kernel kernels[] = {EACH_AGENT(ENTRY)};

PetscBool AutoCSRPassHasProduct(const AutoCSROneParameters *one)
{
  return (PetscBool)(kernels[one->segment.agent] != NULL);
}

PetscErrorCode AutoCSRPassProduct(const AutoCSRPass *pass, const AutoCSROneParameters *one)
{
  PetscFunctionBegin;
  Launch(kernels[one->segment.agent], (unsigned)one->segment.blocks, THREADS, 0, AutoCSRLaunchStream())(*one, *pass);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

const void *const AutoCSRPassProductKernel = (const void *)ProductKernel<AgentPattern<AUTOCSR_VALUE_CSR>>;
