/*
  Slices of 32 rows, column by column (SELL): a warp a slice, a lane a row. What is loaded side by side lies side by side;
  the slots past a row's end are neither multiplied nor read.
*/
#ifndef AUTOCSR_AGENT_SLICED_CUH
#define AUTOCSR_AGENT_SLICED_CUH

#include "entries.cuh"

template <AutoCSRIndex index, AutoCSRValue value>
struct AgentSliced : AgentOfSlices {
  static constexpr int in_flight = AGENT_IN_FLIGHT(sizeof(PetscScalar) > 8 ? 4 : 8); /* entries of a lane whose loads do not wait for each other */
  static constexpr int residents = sizeof(PetscScalar) > sizeof(PetscReal) ? 4 : index == AUTOCSR_INDEX_PATTERN ? 8
                                                                                                                : 6; /* measured: warps hide more time than registers do */

  static constexpr int turns = AGENT_ROWS_EACH(1); /* slices of a warp, with the next one's place known in time */

  static constexpr bool lean = index != AUTOCSR_INDEX_PATTERN, in_turn = true;

  static __device__ __forceinline__ PetscInt RowsOfBlock(const AutoCSRDeviceSegment &)
  {
    return turns * AUTOCSR_THREADS;
  }

  /* A lane's row */
  typedef struct {
    PetscInt row; /* -1: none, past the last row */
    PetscInt slot, length;
    PetscInt columns; /* where its pattern is, or what its 16-bit columns count from */
  } Row;

  static __device__ __forceinline__ Row RowOfLane(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt slice)
  {
    const int      lane = threadIdx.x % WARP;
    const PetscInt k    = slice * WARP + lane;
    Row            r    = {-1, 0, 0, 0};

    if (k >= seg.n_rows) return r;
    r.row  = RowOf(seg, k);
    if constexpr (AGENT_STRETCHES > 0)
      r.slot = SlotByStretches(slice) + lane;
    else
      r.slot = (AGENT_LENGTH > 0 ? slice * (AGENT_LENGTH * WARP) : AGENT_WIDTH > 0 ? slice * (AGENT_WIDTH * WARP) : LoadCached(seg.slice_ptr + slice)) + lane;
    if constexpr (index == AUTOCSR_INDEX_PATTERN) {
      const PetscInt *pattern = seg.pattern_ptr + LoadStream(seg.pattern_id + k);

      r.columns = LoadCached(pattern);
      r.length  = LoadCached(pattern + 1) - r.columns;
    } else {
      if constexpr (AGENT_LENGTH > 0)
        r.length = AGENT_LENGTH;
      else if constexpr (AGENT_STRETCHES > 0)
        r.length = RowByStretches(k).length;
      else
        r.length = LoadCached(op.row_ptr + r.row + 1) - LoadCached(op.row_ptr + r.row);
      if constexpr (index == AUTOCSR_INDEX_16) r.columns = LoadCached(seg.base + slice);
    }
    return r;
  }

  static __device__ __forceinline__ DeviceEntries EntriesOfRow(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, const Row &r)
  {
    DeviceEntries e = {seg.index, seg.value, seg.pattern_offset, seg.dictionary, op.x, ConstantOf<value>(seg)};

    AdvanceEntries<index, value>(&e, r.slot, r.columns);
    if constexpr (index == AUTOCSR_INDEX_PATTERN)
      e.x += r.row;
    else if constexpr (index == AUTOCSR_INDEX_16)
      e.x += r.columns;
    return e;
  }

  /* The next n entries of a row, all of which exist */
  template <int n>
  static __device__ __forceinline__ PetscScalar Add(PetscScalar sum, const DeviceEntries &e, int conjugate)
  {
    PetscInt         col[n];
    EntryCode<value> a[n];
    PetscScalar      x[n];

#pragma unroll
    for (int i = 0; i < n; i++) {
      col[i] = EntryColumn<index>(e, i * WARP, i);
      a[i].Load(e, i * WARP);
    }
#pragma unroll
    for (int i = 0; i < n; i++) x[i] = LoadCached(e.x + col[i]);
#pragma unroll
    for (int i = 0; i < n; i++) sum = MultiplyAdd(sum, ConjugateIf(a[i].Value(e), conjugate), x[i]);
    return sum;
  }

  /* The last entries of a row, n or fewer */
  template <int n>
  static __device__ __forceinline__ PetscScalar AddRest(PetscScalar sum, const DeviceEntries &e, int rest, int conjugate)
  {
    if (rest == n) return Add<n>(sum, e, conjugate);
    if constexpr (n > 1)
      return AddRest<n - 1>(sum, e, rest, conjugate);
    else
      return sum;
  }

  /* The next in_flight entries of a row, of which `rest` exist */
  static __device__ __forceinline__ PetscScalar AddIf(PetscScalar sum, const DeviceEntries &e, int rest, int conjugate)
  {
    PetscInt         col[in_flight];
    EntryCode<value> a[in_flight];
    PetscScalar      x[in_flight];

#pragma unroll
    for (int i = 0; i < in_flight; i++) {
      col[i] = EntryColumnIf<index>(i < rest, e, i * WARP, i);
      a[i].LoadIf(i < rest, e, i * WARP);
    }
#pragma unroll
    for (int i = 0; i < in_flight; i++) x[i] = LoadCachedIf(i < rest, e.x + col[i]);
#pragma unroll
    for (int i = 0; i < in_flight; i++) {
      if (i < rest) sum = MultiplyAdd(sum, ConjugateIf(a[i].Value(e), conjugate), x[i]);
    }
    return sum;
  }

  static __device__ __forceinline__ PetscScalar SumOfRow(DeviceEntries e, int length, int conjugate)
  {
    const int   shortest = __reduce_min_sync(ALL_LANES, length), longest = __reduce_max_sync(ALL_LANES, length);
    PetscScalar sum = 0;
    int         t   = 0;

    for (; t + in_flight <= shortest; t += in_flight) {
      sum = Add<in_flight>(sum, e, conjugate);
      AdvanceEntries<index, value>(&e, in_flight * WARP, in_flight);
    }
    if (shortest == longest) return AddRest<in_flight - 1>(sum, e, longest - t, conjugate);
    for (; t < longest; t += in_flight) {
      sum = AddIf(sum, e, length - t, conjugate);
      AdvanceEntries<index, value>(&e, in_flight * WARP, in_flight);
    }
    return sum;
  }

  /* The same of `length` entries, which all lanes have */
  template <int length>
  static __device__ __forceinline__ PetscScalar SumOfEqual(DeviceEntries e, int conjugate)
  {
    PetscScalar sum = 0;

    for (int t = 0; t + in_flight <= length; t += in_flight) {
      sum = Add<in_flight>(sum, e, conjugate);
      AdvanceEntries<index, value>(&e, in_flight * WARP, in_flight);
    }
    if constexpr (length % in_flight > 0) sum = Add<length % in_flight>(sum, e, conjugate);
    return sum;
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &)
  {
    const PetscInt times = turns == 1 || seg.blocks > (seg.n_slices - 1) / WARPS ? 1 : turns;
    PetscInt       slice = block * times * WARPS + threadIdx.x / WARP;
    Row            now   = RowOfLane(seg, op, slice);

    for (PetscInt t = 0; t < times; t++, slice += WARPS) {
      const Row   next = t + 1 < times ? RowOfLane(seg, op, slice + WARPS) : now;
      PetscScalar sum;

      if (AGENT_LENGTH > 0 && slice < seg.n_rows / WARP) /* a whole slice */
        sum = SumOfEqual<AGENT_LENGTH>(EntriesOfRow(seg, op, now), op.conjugate);
      else
        sum = SumOfRow(EntriesOfRow(seg, op, now), (int)now.length, op.conjugate);

      if (now.row >= 0) op.y[now.row] = AddendOf(op, now.row) + sum;
      now = next;
    }
  }
};

#endif
