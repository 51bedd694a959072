/*
  Long rows, each dealt to many warps (reduction in global memory, GMEM of du2022-alphasparse, Table II, without its atomics):
  `lanes` of the segment is a multiple of a warp's. A block takes the same part of several rows, which are about the same
  columns where rows are nearly dense: it finds there in L1 what the rows before have brought of x. Each warp leaves its share
  of a row in scratch, and the one that comes last for a row adds all of them, in their order.

  If all segments of a plan have lean agents, they share launches whatever their size (launch.c).
*/
#ifndef AUTOCSR_AGENT_SPLIT_CUH
#define AUTOCSR_AGENT_SPLIT_CUH

#include "agent_csr.cuh"

template <AutoCSRValue value>
struct AgentSplit : AgentBase {
  typedef AgentCSR<AUTOCSR_INDEX_CSR, WARP, value> Whole;

  static constexpr int  residents = Whole::residents;
  static constexpr bool lean      = true;
  static constexpr int  group     = 2 * WARPS; /* rows of a block */

  struct Shared {};

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_rows, group) * (seg->axes.lanes / WARP);
  }

  /* The shares of all rows, then for each row how many have come */
  static size_t ScratchBytes(const AutoCSRSegment *seg)
  {
    return (size_t)seg->n_rows * (size_t)(seg->axes.lanes / WARP) * sizeof(PetscScalar) + (size_t)seg->n_rows * sizeof(unsigned);
  }
#endif

  static __device__ __forceinline__ PetscScalar SumOfWarp(PetscScalar sum)
  {
#pragma unroll
    for (int half = WARP / 2; half; half /= 2) sum += ShuffleXor(sum, half);
    return sum;
  }

  /* A warp's part of the k-th row */
  static __device__ __forceinline__ void RunRow(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscScalar constant, PetscInt k, PetscInt part, PetscInt parts)
  {
    const int      lane    = threadIdx.x % WARP;
    PetscScalar   *share   = (PetscScalar *)seg.scratch + (size_t)k * parts;
    unsigned      *arrived = (unsigned *)((PetscScalar *)seg.scratch + (size_t)seg.n_rows * parts) + k;
    auto           r       = Whole::RowAt(seg, op, k);
    const PetscInt length = r.end - r.begin, each = CeilDivide(CeilDivide(length, parts), WARP) * WARP;
    PetscScalar    sum;
    int            is_last = 0;

    r.begin += (PetscInt)PetscMin((PetscInt64)length, (PetscInt64)part * each);
    if (r.end - r.begin > each) r.end = r.begin + each;
    sum   = SumOfWarp(Whole::SumOf(r, op, constant, op.col, lane));
    if (lane == 0) {
      share[part] = sum;
      is_last     = CountArrival(arrived) == (unsigned)parts - 1;
    }
    if (!__shfl_sync(ALL_LANES, is_last, 0)) return;
    __syncwarp();
    sum = 0;
#pragma unroll 4
    for (PetscInt p = lane; p < parts; p += WARP) sum += share[p];
    sum = SumOfWarp(sum);
    if (lane == 0) {
      op.y[r.row] = AddendOf(op, r.row) + sum;
      *arrived    = 0;
    }
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &)
  {
    const PetscInt parts = seg.lanes / WARP, first = block / parts * group, end = PetscMin(first + group, seg.n_rows);

    const PetscScalar constant = ConstantOf<value>(seg);

    for (PetscInt k = first + threadIdx.x / WARP; k < end; k += WARPS) RunRow(seg, op, constant, k, block % parts, parts);
  }
};

#endif
