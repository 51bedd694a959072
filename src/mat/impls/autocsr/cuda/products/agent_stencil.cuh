/*
  Rows of few patterns, a lane a row: no entry stores its column. The rows of a warp are walked along the root of their patterns
  (plan.h, AutoCSRPatternRoot), so that its offsets are read for all of them by one load of one address, and rows that lack some
  of its entries leave these out. Where the patterns also tell the values, nothing of an entry is read but x: then a lane has several
  rows, and what is read of the root serves all of them. A kernel that has the commonest root as constants reads nothing of it.
  Bytes of a product by value coding (FP64), a row: 2 for the pattern, 8 for x, 8 for y, and 8, 4, 1 or none for an entry.
*/
#ifndef AUTOCSR_AGENT_STENCIL_CUH
#define AUTOCSR_AGENT_STENCIL_CUH

#include "entries.cuh"

template <AutoCSRValue value>
struct AgentStencil : AgentBase {
  static constexpr bool sliced    = value != AUTOCSR_VALUE_PATTERN;
  static constexpr int  most_rows = sliced ? 1 : AGENT_ROWS_EACH(AUTOCSR_STENCIL_ROWS); /* of a lane */
  static constexpr int  residents = sliced && sizeof(PetscScalar) <= 8 ? 8 : AUTOCSR_STENCIL_RESIDENTS;
  static constexpr int  flight    = AGENT_IN_FLIGHT((sliced ? 8 : 16) / (sizeof(PetscScalar) > 8 ? 2 : 1)); /* entries of a lane for which x is asked for at once */
  static constexpr int  flight_if = flight / 2;                                            /* the same where rows lack some */
  static constexpr int  waves     = AUTOCSR_STENCIL_WAVES;                                 /* of blocks that must be left for several rows of a lane to pay */

  static constexpr bool in_turn = true;

  struct Shared {};

  typedef EntryCode<sliced ? value : AUTOCSR_VALUE_COPY> Code;

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    const PetscInt blocks = CeilDivide(seg->n_rows, AUTOCSR_THREADS);

    return blocks < most_rows * waves * residents * AutoCSRDeviceProcessors() ? blocks : CeilDivide(blocks, most_rows);
  }
#endif

  static __device__ __forceinline__ PetscInt RowsOfBlock(const AutoCSRDeviceSegment &seg)
  {
    return most_rows == 1 || seg.blocks > (seg.n_rows - 1) / AUTOCSR_THREADS ? AUTOCSR_THREADS : most_rows * AUTOCSR_THREADS; /* see Blocks() */
  }

  /* Rows of a lane, WARP apart, along one root: x at the first, its place in the root's lists, the codes of what comes next */
  template <int n>
  struct Walk {
    const PetscScalar *x;
    const PetscInt    *offset;
    const PetscScalar *values;
    const Code        *code;
    unsigned           mask[n];
    int                length;
    PetscScalar        sum[n];
  };

  /* Adds the next `count` entries of the root, of all rows */
  template <int n, int count>
  static __device__ __forceinline__ void Add(Walk<n> &w, const DeviceEntries &e, int conjugate)
  {
    const DeviceEntries codes = {NULL, w.code, NULL, NULL, NULL};
    PetscInt            col[count];
    Code                code[count];
    PetscScalar         a[count], x[n][count];

#pragma unroll
    for (int i = 0; i < count; i++) {
      col[i] = LoadCached(w.offset + i);
      if constexpr (sliced)
        code[i].Load(codes, i * WARP);
      else
        a[i] = LoadCached(w.values + i);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < n; k++) x[k][i] = LoadCached(w.x + col[i] + k * WARP);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
      if constexpr (sliced) a[i] = code[i].Value(e);
#pragma unroll
      for (int k = 0; k < n; k++) w.sum[k] = MultiplyAdd(w.sum[k], ConjugateIf(a[i], conjugate), x[k][i]);
    }
    w.offset += count;
    if constexpr (sliced)
      w.code += count * WARP;
    else
      w.values += count;
  }

  /* Adds the last entries, `count` or fewer */
  template <int n, int count>
  static __device__ __forceinline__ void AddRest(Walk<n> &w, int rest, const DeviceEntries &e, int conjugate)
  {
    if (rest == count) return Add<n, count>(w, e, conjugate);
    if constexpr (count > 1) AddRest<n, count - 1>(w, rest, e, conjugate);
  }

  /* Adds those of the next `count` entries of the root, from t on, that the rows have */
  template <int n, int count>
  static __device__ __forceinline__ void AddIf(Walk<n> &w, int t, const DeviceEntries &e, int conjugate)
  {
    const DeviceEntries codes = {NULL, w.code, NULL, NULL, NULL};
    const int           left  = w.length - t;
    const unsigned      in    = left >= 32 ? ALL_LANES : left > 0 ? (1u << left) - 1
                                                                  : 0;
    PetscInt            col[count];
    Code                code[count];
    PetscScalar         a[count], x[n][count];
    unsigned            has[n];

#pragma unroll
    for (int k = 0; k < n; k++) has[k] = t < 32 ? w.mask[k] >> t & in : in;
#pragma unroll
    for (int i = 0; i < count; i++) {
      col[i] = LoadCachedIf(in >> i & 1, w.offset + i);
      if constexpr (sliced)
        code[i].LoadIf(has[0] >> i & 1, codes, __popc(has[0] & ((1u << i) - 1)) * WARP);
      else
        a[i] = LoadCachedIf(in >> i & 1, w.values + i);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
#pragma unroll
      for (int k = 0; k < n; k++) x[k][i] = LoadCachedIf(has[k] >> i & 1, w.x + col[i] + k * WARP);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
      if constexpr (sliced) a[i] = code[i].Value(e);
#pragma unroll
      for (int k = 0; k < n; k++) {
        if (has[k] >> i & 1) w.sum[k] = MultiplyAdd(w.sum[k], ConjugateIf(a[i], conjugate), x[k][i]);
      }
    }
    w.offset += count;
    if constexpr (sliced)
      w.code += __popc(has[0] & ((1u << count) - 1)) * WARP;
    else
      w.values += count;
  }

  /* whole: the rows of all lanes have all entries of one root */
  template <int n>
  static __device__ __forceinline__ void SumRows(Walk<n> &w, bool whole, const DeviceEntries &e, int conjugate)
  {
    constexpr int count = PetscMax(2, flight / n), some = PetscMax(2, flight_if / n);
    const int     longest = __reduce_max_sync(ALL_LANES, w.length);
    int           t       = 0;

    if (__all_sync(ALL_LANES, whole)) {
      for (; t + count <= longest; t += count) Add<n, count>(w, e, conjugate);
      AddRest<n, count - 1>(w, longest - t, e, conjugate);
    } else {
      for (; t < longest; t += some) AddIf<n, some>(w, t, e, conjugate);
    }
  }

  /* The pattern of a row, of which none has an entry past the segment's end */
  static __device__ __forceinline__ AutoCSRPatternRoot RootOf(const AutoCSRDeviceSegment &seg, int id, PetscInt k)
  {
    AutoCSRPatternRoot root = LoadCached(seg.pattern_root + id);

    if (k >= seg.n_rows) root.mask = 0, root.length = PetscMin(root.length, 32);
    return root;
  }

  template <int n>
  static __device__ __forceinline__ void Begin(Walk<n> &w, const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, const AutoCSRPatternRoot &root, PetscInt row)
  {
    w.x      = op.x + row;
    w.offset = seg.pattern_offset + root.begin;
    w.length = root.length;
    if constexpr (!sliced) w.values = seg.pattern_value + root.begin;
  }

  /* All rows of a warp along the root that the kernel has as constants, so that nothing is read of it. mask: the entries that rows have, where these are not all */
  template <int n, bool whole>
  static __device__ __forceinline__ void SumKnown(const PetscScalar *from, const PetscScalar *values, const unsigned mask[n], int conjugate, PetscScalar sum[n])
  {
    constexpr int count = PetscMax(2, (whole ? flight : flight_if) / n);

#pragma unroll
    for (int first = 0; first < AGENT_ROOT_ENTRIES; first += count) {
      PetscScalar a[count], x[n][count];

#define AGENT_ENTRY(t, from_row, plane, beside, value_of) \
  if ((t) >= first && (t) < first + count) { \
    a[(t) - first] = AGENT_ROOT_VALUES ? (value_of) : LoadCached(values + (t)); \
    for (int k = 0; k < n; k++) x[k][(t) - first] = LoadCachedIf(whole || (mask[k] >> (t) & 1), from + (from_row) + k * WARP); \
  }
      AGENT_EACH_ENTRY(AGENT_ENTRY)
#undef AGENT_ENTRY
#pragma unroll
      for (int i = 0; i < count; i++) {
#pragma unroll
        for (int k = 0; k < n; k++) {
          if (first + i < AGENT_ROOT_ENTRIES && (whole || (mask[k] >> (first + i) & 1))) sum[k] = MultiplyAdd(sum[k], ConjugateIf(a[i], conjugate), x[k][i]);
        }
      }
    }
  }

  /* Whether all lanes' n rows from `first` on are of the known root, and if so their sums */
  template <int n>
  static __device__ __forceinline__ bool RunKnown(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, const int id[n], PetscInt first)
  {
    const PetscInt     last   = seg.n_rows - 1;
    const PetscScalar *from   = op.x + RowOf(seg, PetscMin(first, last)), *values = AGENT_ROOT_VALUES ? NULL : seg.pattern_value + AGENT_ROOT_BEGIN;
    bool               whole  = first + (n - 1) * WARP <= last, known = n == 1 || !seg.rows;
    unsigned           mask[n];
    PetscScalar        sum[n];

#pragma unroll
    for (int k = 0; k < n; k++) {
      whole  = whole && id[k] == AGENT_ROOT_PATTERN;
      sum[k] = 0;
    }
    if (__all_sync(ALL_LANES, known && whole))
      SumKnown<n, true>(from, values, mask, op.conjugate, sum);
    else {
#pragma unroll
      for (int k = 0; k < n; k++) {
        const AutoCSRPatternRoot root = RootOf(seg, id[k], first + k * WARP);

        known   = known && (root.begin == AGENT_ROOT_BEGIN || !root.mask);
        mask[k] = root.mask;
      }
      if (!__all_sync(ALL_LANES, known)) return false;
      SumKnown<n, false>(from, values, mask, op.conjugate, sum);
    }
#pragma unroll
    for (int k = 0; k < n; k++) {
      const PetscInt of = first + k * WARP, row = n > 1 ? seg.row_begin + of : RowOf(seg, PetscMin(of, last));

      if (of <= last) op.y[row] = AddendOf(op, row) + sum[k];
    }
    return true;
  }

  /* A lane's row alone, along its own root; all lanes of a warp come here, `exists` of those that have one */
  static __device__ PTX_NO_INLINE void RunApart(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt k, bool exists)
  {
    const DeviceEntries e    = {NULL, NULL, NULL, seg.dictionary, NULL};
    const PetscInt      of   = exists ? k : 0, row = RowOf(seg, of);
    AutoCSRPatternRoot  root = RootOf(seg, LoadStream(seg.pattern_id + of), of);
    Walk<1>             alone;

    if (!exists) root.mask = 0, root.length = 0;
    Begin(alone, seg, op, root, row);
    alone.mask[0] = root.mask;
    alone.sum[0]  = 0;
    SumRows<1>(alone, false, e, op.conjugate);
    if (exists) op.y[row] = AddendOf(op, row) + alone.sum[0];
  }

  template <int n>
  static __device__ __forceinline__ void RunRows(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block)
  {
    const PetscInt      first = (block * WARPS + threadIdx.x / WARP) * (n * WARP) + threadIdx.x % WARP, last = seg.n_rows - 1;
    const DeviceEntries e = {NULL, NULL, NULL, seg.dictionary, NULL};
    Walk<n>             w;
    AutoCSRPatternRoot  root, other;
    int                 id[n], begin, length;
    bool                together = n == 1 || !seg.rows, whole;

#pragma unroll
    for (int k = 0; k < n; k++) id[k] = LoadStream(seg.pattern_id + PetscMin(first + k * WARP, last));
    if constexpr (AGENT_ROOT && !sliced) {
      if (RunKnown<n>(seg, op, id, first)) return;
    }
    if constexpr (sliced) w.code = (const Code *)seg.value + LoadCached(seg.slice_ptr + PetscMin(first, last) / WARP) + threadIdx.x % WARP;
    root = RootOf(seg, id[0], first);
    Begin(w, seg, op, root, RowOf(seg, PetscMin(first, last)));
    const unsigned all = root.length < 32 ? (1u << root.length) - 1 : ALL_LANES;

    w.mask[0] = root.mask;
    w.sum[0]  = 0;
    begin     = __shfl_sync(ALL_LANES, root.begin, 0); /* all lanes, whatever their masks */
    length    = __shfl_sync(ALL_LANES, root.length, 0);
    whole     = root.mask == all && root.begin == begin && root.length == length; /* an empty pattern begins where another does */
#pragma unroll
    for (int k = 1; k < n; k++) {
      other     = RootOf(seg, id[k], first + k * WARP);
      together  = together && other.begin == root.begin && other.length == root.length;
      whole     = whole && other.mask == all;
      w.mask[k] = other.mask;
      w.sum[k]  = 0;
    }
    if (n > 1 && !__all_sync(ALL_LANES, together)) {
#pragma unroll 1
      for (int k = 0; k < n; k++) RunApart(seg, op, first + k * WARP, first + k * WARP <= last);
      return;
    }
    SumRows<n>(w, whole, e, op.conjugate);
#pragma unroll
    for (int k = 0; k < n; k++) {
      const PetscInt of = first + k * WARP, row = n > 1 ? seg.row_begin + of : RowOf(seg, PetscMin(of, last));

      if (of <= last) op.y[row] = AddendOf(op, row) + w.sum[k];
    }
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &)
  {
    if (RowsOfBlock(seg) == AUTOCSR_THREADS)
      RunRows<1>(seg, op, block);
    else
      RunRows<most_rows>(seg, op, block);
  }
};

#endif
