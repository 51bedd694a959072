/*
  One launch for segments of any executors: on a small matrix a second launch would take longer than the product. A block
  finds its segment among the parameters. Lean agents have a kernel of their own, which has as many blocks at a time as the
  kernel of any one of them: it is for large segments too, whose blocks then follow each other without a gap.
*/
#include "kernels.cuh"

/* What the kernel has a place for. The fewer agents, the sooner it is compiled */
template <bool lean, class Agent>
static constexpr bool has_place = lean ? Agent::lean : Agent::shares && !Agent::alone;

#define LARGER(id, name, order, index, value, mapping, lanes, ...) \
  if (has_place<lean, __VA_ARGS__> && sizeof(typename __VA_ARGS__::Shared) > most) most = sizeof(typename __VA_ARGS__::Shared);
template <bool lean>
static constexpr size_t SharedBytes()
{
  size_t most = 0;

  EACH_AGENT(LARGER)
  return most;
}

template <bool lean>
static constexpr size_t shared_bytes = SharedBytes<lean>();

#define FEWER(id, name, order, index, value, mapping, lanes, ...) \
  if (__VA_ARGS__::lean && __VA_ARGS__::residents < least) least = __VA_ARGS__::residents;
static constexpr int LeanResidents()
{
  int least = 8;

  EACH_AGENT(FEWER)
  return least;
}

static constexpr int lean_residents = LeanResidents();

#define RUN(id, name, order, index, value, mapping, lanes, ...)                                                 \
  case AGENT_##id:                                                                                              \
    if constexpr (has_place<lean, __VA_ARGS__>) RunAgent<__VA_ARGS__>(p.segment[s], p.operands, block, shared); \
    break;
template <bool lean>
__global__ void __launch_bounds__(AUTOCSR_THREADS, lean ? lean_residents : 1) AutoCSRMany(const __grid_constant__ AutoCSRManyParameters p)
{
  __shared__ __align__(16) unsigned char shared[shared_bytes<lean>];
  PetscInt                               block = blockIdx.x;
  int                                    s     = 0;

  PtxWaitForLast();
  while (block >= p.block_end[s]) s++;
  if (s) block -= p.block_end[s - 1];
  switch (p.segment[s].agent) {
    EACH_AGENT(RUN)
  }
}

const void *const AutoCSRManyKernel = (const void *)AutoCSRMany<false>, *const AutoCSRLeanKernel = (const void *)AutoCSRMany<true>;
