/*
  Rows in CSR order, each by a number of lanes (hou2017, III-B: serial, subvector, vector): lanes of a warp add with
  shuffles, more than a warp through shared memory.
*/
#ifndef AUTOCSR_AGENT_CSR_CUH
#define AUTOCSR_AGENT_CSR_CUH

#include "agent.cuh"

template <AutoCSRIndex index, int lanes>
struct AgentCSR : AgentBase {
  static constexpr int rows_per_block = AUTOCSR_BLOCK / lanes;
  static constexpr int in_flight      = 4; /* entries of a lane whose loads do not wait for each other */

  struct Shared {
    PetscScalar sum[WARPS];
  };

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_rows, rows_per_block);
  }
#endif

  /* The entries of a row that are a lane's */
  static __device__ __forceinline__ PetscScalar LaneSum(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt k, PetscInt row, int lane)
  {
    const PetscInt     end    = LoadCached(op.row_ptr + row + 1);
    const PetscInt     begin  = LoadCached(op.row_ptr + row);
    const PetscInt     first  = index == AUTOCSR_INDEX_16 ? LoadCached(op.row_ptr + seg.row_begin) : 0;
    const uint16_t    *offset = (const uint16_t *)seg.index - first;
    const PetscScalar *x      = index == AUTOCSR_INDEX_16 ? op.x + LoadCached(seg.base + k / WARP) : op.x;
    PetscScalar        sum    = 0;

    for (PetscInt q = begin + lane; q < end; q += in_flight * lanes) {
      PetscInt    col[in_flight];
      PetscScalar a[in_flight], b[in_flight];

#pragma unroll
      for (int i = 0; i < in_flight; i++) {
        const PetscInt p = q + i * lanes;

        if (p < end) {
          if constexpr (index == AUTOCSR_INDEX_16)
            col[i] = LoadStream(offset + p);
          else
            col[i] = LoadStream(op.col + p);
          a[i] = ConjugateIf(LoadStream(op.val + p), op.conjugate);
        }
      }
#pragma unroll
      for (int i = 0; i < in_flight; i++) {
        if (q + i * lanes < end) b[i] = LoadCached(x + col[i]);
      }
#pragma unroll
      for (int i = 0; i < in_flight; i++) {
        if (q + i * lanes < end) sum = MultiplyAdd(sum, a[i], b[i]);
      }
    }
    return sum;
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    const int      lane = threadIdx.x % lanes;
    const PetscInt k    = block * rows_per_block + threadIdx.x / lanes;
    const PetscInt row  = k < seg.n_rows ? RowOf(seg, k) : 0;
    PetscScalar    sum  = 0;

    if (k < seg.n_rows) sum = LaneSum(seg, op, k, row, lane);
#pragma unroll
    for (int half = PetscMin(lanes, WARP) / 2; half; half /= 2) sum += ShuffleXor(sum, half);
    if constexpr (lanes > WARP) {
      if (threadIdx.x % WARP == 0) shared.sum[threadIdx.x / WARP] = sum;
      __syncthreads();
#pragma unroll
      for (int w = 1; w < lanes / WARP; w++) sum += shared.sum[threadIdx.x / lanes * (lanes / WARP) + w];
    }
    if (lane == 0 && k < seg.n_rows) op.y[row] = AddendOf(op, row) + sum;
  }
};

#endif
