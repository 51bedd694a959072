/*
  One launch for segments of any executors: on a small matrix a second launch would take longer than the product. A block
  finds its segment among the parameters.
*/
#include "kernels.cuh"

#define LARGER(id, name, order, index, value, mapping, lanes, ...) \
  if (sizeof(typename __VA_ARGS__::Shared) > most) most = sizeof(typename __VA_ARGS__::Shared);
static constexpr size_t SharedBytes()
{
  size_t most = 0;

  EACH_AGENT(LARGER)
  return most;
}
static constexpr size_t shared_bytes = SharedBytes();

#define RUN(id, name, order, index, value, mapping, lanes, ...)     \
  case AGENT_##id:                                                  \
    RunAgent<__VA_ARGS__>(p.segment[s], p.operands, block, shared); \
    break;
__global__ void __launch_bounds__(AUTOCSR_BLOCK) AutoCSRMany(const __grid_constant__ AutoCSRManyParameters p)
{
  __shared__ alignas(16) unsigned char shared[shared_bytes];
  PetscInt                             block = blockIdx.x;
  int                                  s     = 0;

  while (block >= p.block_end[s]) s++;
  if (s) block -= p.block_end[s - 1];
  switch (p.segment[s].agent) {
    EACH_AGENT(RUN)
  }
}

const void *const AutoCSRManyKernel = (const void *)AutoCSRMany;
