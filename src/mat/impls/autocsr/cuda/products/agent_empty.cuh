/* Rows without entries: y = 0 or z. In y = y + A x there is nothing to do, and such a segment at the end of a launch takes no thread block */
#ifndef AUTOCSR_AGENT_EMPTY_CUH
#define AUTOCSR_AGENT_EMPTY_CUH

#include "agent.cuh"

struct AgentEmpty : AgentBase {
  static constexpr int  residents = 8;
  static constexpr bool lean      = true;

  struct Shared {};

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_rows, AUTOCSR_THREADS);
  }
#endif

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &)
  {
    const PetscInt k = block * AUTOCSR_THREADS + threadIdx.x;

    if (k < seg.n_rows && op.z != op.y) {
      const PetscInt row = RowOf(seg, k);

      op.y[row] = AddendOf(op, row);
    }
  }
};

#endif
