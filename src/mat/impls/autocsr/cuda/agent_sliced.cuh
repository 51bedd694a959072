/*
  Slices of 32 rows, column by column (SELL): a warp a slice, a lane a row. What is loaded side by side lies side by side;
  the slots past a row's end are neither multiplied nor read.
*/
#ifndef AUTOCSR_AGENT_SLICED_CUH
#define AUTOCSR_AGENT_SLICED_CUH

#include "entries.cuh"

template <AutoCSRIndex index, AutoCSRValue value>
struct AgentSliced : AgentBase {
  static constexpr int in_flight = 8; /* entries of a lane whose loads do not wait for each other */

  struct Shared {};

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_slices, WARPS);
  }
#endif

  /* Adds entries t to t + in_flight of a row of `length` */
  static __device__ __forceinline__ PetscScalar Add(PetscScalar sum, const DeviceEntries &e, const AutoCSRDeviceOperands &op, PetscInt slot, int t, int length)
  {
    PetscInt         col[in_flight];
    EntryCode<value> a[in_flight];
    PetscScalar      x[in_flight], b[in_flight];

#pragma unroll
    for (int i = 0; i < in_flight; i++) {
      col[i] = EntryColumnIf<index>(t + i < length, e, slot + (t + i) * WARP, t + i);
      a[i].LoadIf(t + i < length, e, slot + (t + i) * WARP);
    }
#pragma unroll
    for (int i = 0; i < in_flight; i++) x[i] = LoadCachedIf(t + i < length, op.x + col[i]);
#pragma unroll
    for (int i = 0; i < in_flight; i++) b[i] = ConjugateIf(a[i].Value(e), op.conjugate);
#pragma unroll
    for (int i = 0; i < in_flight; i++) {
      if (t + i < length) sum = MultiplyAdd(sum, b[i], x[i]);
    }
    return sum;
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &)
  {
    const PetscInt slice = block * WARPS + threadIdx.x / WARP, k = slice * WARP + threadIdx.x % WARP;
    DeviceEntries  e      = {seg.index, seg.value, NULL, seg.dictionary, 0};
    PetscScalar    sum    = 0;
    PetscInt       row    = 0, slot;
    int            length = 0, longest, t = 0;

    if (slice >= seg.n_slices) return;
    slot = LoadCached(seg.slice_ptr + slice) + threadIdx.x % WARP;
    if constexpr (index == AUTOCSR_INDEX_16) e.shift = LoadCached(seg.base + slice);
    if (k < seg.n_rows) {
      row = RowOf(seg, k);
      if constexpr (index == AUTOCSR_INDEX_PATTERN) {
        const PetscInt *pattern = seg.pattern_ptr + LoadStream(seg.pattern_id + k);

        e.offset = seg.pattern_offset + LoadCached(pattern);
        e.shift  = row;
        length   = (int)(LoadCached(pattern + 1) - LoadCached(pattern));
      } else
        length = (int)(LoadCached(op.row_ptr + row + 1) - LoadCached(op.row_ptr + row));
    }
    longest = __reduce_max_sync(ALL_LANES, length);
    for (; t < longest; t += in_flight) sum = Add(sum, e, op, slot, t, length);
    if (k < seg.n_rows) op.y[row] = AddendOf(op, row) + sum;
  }
};

#endif
