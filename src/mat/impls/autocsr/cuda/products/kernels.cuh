/* The kernel of a segment alone, and the switch that a launch of several segments makes in each block */
#ifndef AUTOCSR_KERNELS_CUH
#define AUTOCSR_KERNELS_CUH

#include "agents.cuh"

/* Shared memory is raw: a complex number's constructor may not run on it */
template <class Agent>
static __device__ __forceinline__ void RunAgent(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, void *shared)
{
  static_assert(sizeof(typename Agent::Shared) <= AGENT_SHARED, "An agent wants more shared memory than a block has");
  if constexpr (!Agent::alone) Agent::Run(seg, op, block, *(typename Agent::Shared *)shared);
}

template <class Agent>
static __device__ __forceinline__ void RunOne(const AutoCSROneParameters &p)
{
  PtxWaitForLast();
  if constexpr (Agent::alone)
    Agent::Run(p.segment, p.tiles, p.operands, blockIdx.x, PtxDynamicShared());
  else {
    __shared__ __align__(16) unsigned char shared[sizeof(typename Agent::Shared)];

    RunAgent<Agent>(p.segment, p.operands, blockIdx.x, shared);
  }
}

template <class Agent>
__global__ void __launch_bounds__(Agent::threads, Agent::residents) AutoCSROne(const __grid_constant__ AutoCSROneParameters p)
{
  RunOne<Agent>(p);
}

#endif
