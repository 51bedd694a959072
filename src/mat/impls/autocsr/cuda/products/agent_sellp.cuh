/*
  Slices of few rows, several lanes a row (SELL-P): a warp a slice. How many slots the rows have is known before their lengths
  are: codes are asked for at once, and the lengths, which come later, keep padding away from x and from the sums. The next
  codes are asked for before x of these is there: few lanes have many entries each.
*/
#ifndef AUTOCSR_AGENT_SELLP_CUH
#define AUTOCSR_AGENT_SELLP_CUH

#include "entries.cuh"

template <AutoCSRIndex index, AutoCSRValue value>
struct AgentSellP : AgentOfSlices {
  static constexpr int  in_flight = AGENT_IN_FLIGHT(sizeof(PetscScalar) > 8 ? 2 : 4); /* entries of a lane whose loads do not wait for each other */
  static constexpr int  residents = sizeof(PetscScalar) > sizeof(PetscReal) ? 4 : 5;
  static constexpr bool lean      = true;

  /* Codes of a lane's next in_flight slots, of which `rest` exist */
  static __device__ __forceinline__ void Load(const DeviceEntries &e, int rest, PetscInt col[], EntryCode<value> a[])
  {
#pragma unroll
    for (int i = 0; i < in_flight; i++) {
      col[i] = EntryColumnIf<index>(i < rest, e, i * WARP, i);
      a[i].LoadIf(i < rest, e, i * WARP);
    }
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &)
  {
    const int        lane = threadIdx.x % WARP, lanes = AGENT_ROW_LANES((int)seg.lanes), log2_lanes = __ffs(lanes) - 1, of_row = lane & (lanes - 1);
    const PetscInt   slice = block * WARPS + threadIdx.x / WARP, k = slice * (WARP >> log2_lanes) + (lane >> log2_lanes);
    DeviceEntries    e   = {seg.index, seg.value, NULL, seg.dictionary, op.x, ConstantOf<value>(seg)};
    PetscScalar      sum = 0;
    PetscInt         row = -1, slot, col[in_flight];
    EntryCode<value> a[in_flight];
    int              width, length = 0;

    if (slice >= seg.n_slices) return;
    if constexpr (AGENT_WIDTH > 0) {
      slot  = slice * (AGENT_WIDTH * WARP);
      width = AGENT_WIDTH;
    } else {
      slot  = LoadCached(seg.slice_ptr + slice);
      width = (int)((LoadCached(seg.slice_ptr + slice + 1) - slot) / WARP);
    }
    if (k < seg.n_rows) row = RowOf(seg, k);
    AdvanceEntries<index, value>(&e, slot + lane, 0);
    Load(e, width, col, a);
    if constexpr (index == AUTOCSR_INDEX_16) e.x += LoadCached(seg.base + slice);
    if (row >= 0) length = (int)((LoadCached(op.row_ptr + row + 1) - LoadCached(op.row_ptr + row) - of_row + lanes - 1) >> log2_lanes); /* of this lane's part */
    for (int t = 0; t < width; t += in_flight) {
      PetscScalar      x[in_flight];
      PetscInt         next_col[in_flight];
      EntryCode<value> next_a[in_flight];

#pragma unroll
      for (int i = 0; i < in_flight; i++) x[i] = LoadCachedIf(t + i < length, e.x + col[i]);
      AdvanceEntries<index, value>(&e, in_flight * WARP, in_flight);
      Load(e, width - t - in_flight, next_col, next_a);
#pragma unroll
      for (int i = 0; i < in_flight; i++) {
        if (t + i < length) sum = MultiplyAdd(sum, ConjugateIf(a[i].Value(e), op.conjugate), x[i]);
      }
#pragma unroll
      for (int i = 0; i < in_flight; i++) {
        col[i] = next_col[i];
        a[i]   = next_a[i];
      }
    }
    for (int half = lanes / 2; half; half /= 2) sum += ShuffleXor(sum, half);
    if (row >= 0 && of_row == 0) op.y[row] = AddendOf(op, row) + sum;
  }
};

#endif
