/*
  Slices of 32 rows whose columns models tell (profile/fit.h): a warp a slice, a lane a row, as in agent_sliced.cuh. The lanes
  read the model of an entry by one load of one address; what it leaves is 0, 1, 2 or 4 bytes of a lane, alike within a slice, so that the kernel's loops are
  compiled for each width. Bytes of an entry: 8 / 32 for the model, the residual, and the value.
*/
#ifndef AUTOCSR_AGENT_FITTED_CUH
#define AUTOCSR_AGENT_FITTED_CUH

#include "entries.cuh"

template <int width>
struct ResidualWord {
  typedef typename StreamWord<width>::type type;
};
template <>
struct ResidualWord<0> {
  typedef unsigned char type;
};

template <AutoCSRValue value>
struct AgentFitted : AgentOfSlices {
  static constexpr int in_flight = sizeof(PetscScalar) > 8 ? 2 : 4; /* entries of a lane whose loads do not wait for each other */
  static constexpr int residents = sizeof(PetscScalar) > sizeof(PetscReal) ? 4 : 6;

  /* A lane's row */
  typedef struct {
    const AutoCSRFit       *fit;      /* of entry 0 */
    const char             *residual; /* of entry 0, of the lane */
    const EntryCode<value> *code;
    const PetscScalar      *x;
    PetscInt                across, within; /* the lane's place in and among periods */
    int                     length;
  } Row;

  /* Adds the next in_flight entries, of which `rest` exist; all: no lane lacks one */
  template <int width, bool all>
  static __device__ __forceinline__ PetscScalar Add(PetscScalar sum, const Row &r, PetscInt t, int rest, const DeviceEntries &e, int conjugate)
  {
    typedef typename ResidualWord<width>::type Residual;
    const Residual                            *residual = (const Residual *)r.residual + t * WARP;
    const DeviceEntries                        codes    = {NULL, r.code + t * WARP, NULL, NULL, NULL, 0};
    PetscInt                                   col[in_flight];
    Residual                                   left[in_flight];
    EntryCode<value>                           a[in_flight];
    PetscScalar                                x[in_flight];

#pragma unroll
    for (int i = 0; i < in_flight; i++) {
      if constexpr (width > 0) left[i] = all ? LoadStream(residual + i * WARP) : LoadStreamIf(i < rest, residual + i * WARP);
      if constexpr (all)
        a[i].Load(codes, i * WARP);
      else
        a[i].LoadIf(i < rest, codes, i * WARP);
    }
#pragma unroll
    for (int i = 0; i < in_flight; i++) {
      const AutoCSRFit fit = all || i < rest ? LoadCached(r.fit + t + i) : AutoCSRFit{};

      col[i] = fit.base + fit.across * r.across + fit.within * r.within;
      if constexpr (width > 0) col[i] += (PetscInt)left[i];
    }
#pragma unroll
    for (int i = 0; i < in_flight; i++) x[i] = all ? LoadCached(r.x + col[i]) : LoadCachedIf(i < rest, r.x + col[i]);
#pragma unroll
    for (int i = 0; i < in_flight; i++) {
      if (all || i < rest) sum = MultiplyAdd(sum, ConjugateIf(a[i].Value(e), conjugate), x[i]);
    }
    return sum;
  }

  template <int width>
  static __device__ __forceinline__ PetscScalar SumOfRow(const Row &r, const DeviceEntries &e, int conjugate)
  {
    const int   shortest = __reduce_min_sync(ALL_LANES, r.length), longest = __reduce_max_sync(ALL_LANES, r.length);
    PetscScalar sum = 0;
    int         t   = 0;

    for (; t + in_flight <= shortest; t += in_flight) sum = Add<width, true>(sum, r, t, in_flight, e, conjugate);
    for (; t < longest; t += in_flight) sum = Add<width, false>(sum, r, t, r.length - t, e, conjugate);
    return sum;
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &)
  {
    const PetscInt      s = block * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP, k = s * WARP + lane;
    const DeviceEntries e = {NULL, NULL, NULL, seg.dictionary, NULL, ConstantOf<value>(seg)};
    PetscScalar         sum;
    Row                 r   = {NULL, NULL, NULL, op.x, 0, 0, 0};
    PetscInt            row = 0, slot;
    AutoCSRSliceFit     slice;

    if (s >= seg.n_slices) return;
    slot  = LoadCached(seg.slice_ptr + s);
    slice = LoadCached(seg.slice_fit + s);
    if (k < seg.n_rows) {
      row      = RowOf(seg, k);
      r.length = (int)(LoadCached(op.row_ptr + row + 1) - LoadCached(op.row_ptr + row));
    }
    r.fit      = seg.fit + slot / WARP;
    r.code     = (const EntryCode<value> *)seg.value + slot + lane;
    r.residual = (const char *)seg.index + (size_t)slice.begin * WARP + lane * slice.width;
    r.across   = lane / slice.period;
    r.within   = lane % slice.period;
    switch (slice.width) {
    case 0:
      sum = SumOfRow<0>(r, e, op.conjugate);
      break;
    case 1:
      sum = SumOfRow<1>(r, e, op.conjugate);
      break;
    case 2:
      sum = SumOfRow<2>(r, e, op.conjugate);
      break;
    default:
      sum = SumOfRow<4>(r, e, op.conjugate);
    }
    if (k < seg.n_rows) op.y[row] = AddendOf(op, row) + sum;
  }
};

#endif
