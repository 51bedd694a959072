/*
  Long rows, each dealt to many blocks (a row's entries by global-memory reduction, GMEM in du2022-alphasparse, Table II; without
  its atomics): `lanes` of the segment is a multiple of a block's. Each block leaves its share of the row in scratch, and the one
  that comes last adds all of them, in their order.
*/
#ifndef AUTOCSR_AGENT_SPLIT_CUH
#define AUTOCSR_AGENT_SPLIT_CUH

#include "agent_csr.cuh"

struct AgentSplit : AgentBase {
  typedef AgentCSR<AUTOCSR_INDEX_CSR, AUTOCSR_BLOCK> Whole;

  static constexpr int  residents = Whole::residents;
  static constexpr bool light     = true;

  struct Shared {
    Whole::Shared whole;
    int           is_last;
  };

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return seg->n_rows * (seg->axes.lanes / AUTOCSR_BLOCK);
  }

  /* The shares of all rows, then for each row how many have come */
  static size_t ScratchBytes(const AutoCSRSegment *seg)
  {
    return (size_t)Blocks(seg) * sizeof(PetscScalar) + (size_t)seg->n_rows * sizeof(unsigned);
  }
#endif

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    const PetscInt  parts = seg.blocks / seg.n_rows, k = block / parts, part = block % parts;
    PetscScalar    *share   = (PetscScalar *)seg.scratch + k * parts;
    unsigned       *arrived = (unsigned *)((PetscScalar *)seg.scratch + seg.blocks) + k;
    Whole::Row      r       = Whole::RowAt(seg, op, k);
    const PetscInt  length = r.end - r.begin, each = CeilDivide(CeilDivide(length, parts), WARP) * WARP;
    PetscScalar     sum;

    r.begin += PetscMin(length, part * each);
    r.end = PetscMin(r.end, r.begin + each);
    sum   = Whole::SumOfLanes(Whole::SumOf(r, op, op.col, threadIdx.x), shared.whole);
    if (threadIdx.x == 0) {
      share[part]    = sum;
      shared.is_last = CountArrival(arrived) == (unsigned)parts - 1;
    }
    __syncthreads();
    if (shared.is_last) {
      sum = 0;
      for (PetscInt p = threadIdx.x; p < parts; p += AUTOCSR_BLOCK) sum += share[p];
      sum = Whole::SumOfLanes(sum, shared.whole);
      if (threadIdx.x == 0) {
        op.y[r.row] = AddendOf(op, r.row) + sum;
        *arrived    = 0;
      }
    }
    __syncthreads(); /* before what comes next in this shared memory */
  }
};

#endif
