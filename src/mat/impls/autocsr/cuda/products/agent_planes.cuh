/*
  Rows of a stencil of constant coefficients, plane by plane: an item is a strip of rows of one plane of the grid, and of the
  planes after it. The columns that the strip reads in a plane, its window, are copied to shared memory once, while the rows
  before it are worked on, and serve the rows of all planes around: from L2 comes each scalar of x little more than once, where
  a walk without reads it from there for each plane, and L2 was what bounded it (AutoCSRPlanes tells the shape).
  Bytes of a product (FP64), a row: 2 for the pattern, 8 for x, 8 for y.

  An item follows the root that most of a sample of its rows have; rows of others, and those that reach farther than the
  windows, are walked apart as agent_stencil.cuh does it. If the kernel has a root as constants, all items follow that one.
*/
#ifndef AUTOCSR_AGENT_PLANES_CUH
#define AUTOCSR_AGENT_PLANES_CUH

#include "agent_stencil.cuh"

/* Where an entry's column is in shared memory, beside its value: with real scalars both are one load */
template <bool is_small>
struct PlanesPlace {
  typedef PetscInt64 type;
};
template <>
struct PlanesPlace<true> {
  typedef int type;
};

struct AgentPlanes : AgentBase {
  typedef AgentStencil<AUTOCSR_VALUE_PATTERN> Apart;

  static constexpr bool     alone     = true;
  static constexpr int      residents = AUTOCSR_PLANES_RESIDENTS;
  static constexpr int      n         = AUTOCSR_PLANES_ROWS_OF_LANE;
  static constexpr int      at_once   = 16 / (int)PetscMin(16, sizeof(PetscScalar)); /* scalars of a copy */
  static constexpr unsigned apart     = 1u << AUTOCSR_PLANES_ENTRIES;                /* in place of a mask: another root's */
  static constexpr int      unknown = AUTOCSR_PLANES_PATTERNS, missing = unknown + 1, beyond = missing + 1; /* places of the table: of patterns past its end, of rows that are not there; which entries are out of reach */

  /* An entry of the root: its value, and where the column of the strip's first row is in shared memory */
  typedef struct {
    alignas(2 * sizeof(PetscScalar) < 16 ? 2 * sizeof(PetscScalar) : 16) PetscScalar value;
    typename PlanesPlace<(sizeof(PetscScalar) < 8)>::type at;
  } Entry;

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    const AutoCSRDevicePlanes p = AutoCSRDeviceShapePlanes(&seg->axes, seg->n_rows);

    return p.strips * CeilDivide(p.planes, p.steps);
  }

  static size_t SharedBytes(const AutoCSRSegment *seg)
  {
    const AutoCSRDevicePlanes p = AutoCSRDeviceShapePlanes(&seg->axes, seg->n_rows);

    return AutoCSRDevicePlanesBytes(&p);
  }
#endif

  /* The windows of a strip, plane after plane: copies are of 16 bytes where x lies so, and as many scalars before a window's first are there */
  struct Windows {
    const AutoCSRDevicePlanes &shape;
    PetscScalar               *room;
    const PetscScalar         *x;     /* of the next plane's window, the first column, */
    PetscInt64                 first; /* and its number, */
    int                        slot;  /* and where it goes */
    int                        count;
    bool                       lies;

    __device__ __forceinline__ Windows(const AutoCSRDevicePlanes &planes, PetscScalar *to, const PetscScalar *vector, PetscInt64 column, int columns)
        : shape(planes), room(to), x(vector + column), first(column), slot(0), count(columns), lies((uintptr_t)vector % PetscMin(16, sizeof(PetscScalar)) == 0)
    {
    }

    __device__ __forceinline__ void Copy(PetscInt n_columns)
    {
      const int      lead = Lead(x), end = count + lead;
      const PtxShared to  = PtxSharedAddress(room + slot * shape.room);
      const auto     *from = x - lead;

      if (lies && first >= lead && first + count + at_once <= n_columns) {
#pragma unroll 2
        for (int i = (int)threadIdx.x * at_once; i < end; i += AUTOCSR_THREADS * at_once) PtxCopy<16>(to + i * (int)sizeof(PetscScalar), from + i);
      } else
        CopyThose(to, from, first - lead, end, n_columns);
      x += shape.stride;
      first += shape.stride;
      slot = slot + 1 == 2 * shape.around + 2 ? 0 : slot + 1;
    }

    static __device__ __forceinline__ int Lead(const PetscScalar *at)
    {
      return (int)((uintptr_t)at / sizeof(PetscScalar)) & (at_once - 1);
    }

    /* The columns that exist, one by one */
    static __device__ __forceinline__ void CopyThose(PtxShared to, const PetscScalar *from, PetscInt64 column, int end, PetscInt n_columns)
    {
      constexpr int unit = sizeof(PetscScalar) > 8 ? 8 : (int)sizeof(PetscScalar), units = (int)sizeof(PetscScalar) / unit;

#pragma unroll 1
      for (int i = threadIdx.x; i < end * units; i += AUTOCSR_THREADS) {
        if (column + i / units >= 0 && column + i / units < n_columns) PtxCopy<unit>(to + i * unit, (const char *)from + i * unit);
      }
    }
  };

  /* The root that most of 32 rows of the item have; the same in all lanes and warps */
  static __device__ __forceinline__ AutoCSRPatternRoot CommonRoot(const AutoCSRDeviceSegment &seg, const AutoCSRDevicePlanes &shape, PetscInt strip, PetscInt first, PetscInt planes, int rows)
  {
    const int          lane = threadIdx.x % WARP;
    const PetscInt64   k    = (PetscInt64)(first + lane % planes) * shape.stride + strip + (PetscInt)((PetscInt64)rows * lane / WARP);
    AutoCSRPatternRoot root = LoadCached(seg.pattern_root + LoadStream(seg.pattern_id + (k < seg.n_rows ? (PetscInt)k : seg.n_rows - 1)));
    const unsigned     alike = __match_any_sync(ALL_LANES, root.begin); /* an empty pattern begins where another does */
    const int          have = root.length ? __popc(alike) : 0, most = WarpMax(have), from = __ffs((int)__ballot_sync(ALL_LANES, have == most)) - 1;

    root.begin  = __shfl_sync(ALL_LANES, root.begin, from);
    root.length = __shfl_sync(ALL_LANES, root.length, from);
    return root;
  }

  /* A warp has those of its lanes' rows for which the largest strip has room: nearly always all n */
  static __device__ __forceinline__ void AddRows(const Entry entry[], int length, const PetscScalar *x, int rows, bool whole, const unsigned mask[n], PetscScalar sum[n])
  {
    if (rows == n && whole)
      AddSome<n, true>(entry, length, x, mask, sum);
    else if (rows == n)
      AddSome<n, false>(entry, length, x, mask, sum);
    else {
#pragma unroll
      for (int k = 0; k < n - 1; k++) {
        if (k < rows) AddSome<1, false>(entry, length, x + k * AUTOCSR_THREADS, mask + k, sum + k);
      }
    }
  }

  template <int count, bool whole>
  static __device__ __forceinline__ void AddSome(const Entry entry[], int length, const PetscScalar *x, const unsigned mask[count], PetscScalar sum[count])
  {
#pragma unroll 4
    for (int t = 0; t < length; t++) {
      const Entry        e = entry[t];
      const PetscScalar *v = x + e.at;

#pragma unroll
      for (int k = 0; k < count; k++) {
        const PetscScalar v_k = v[k * AUTOCSR_THREADS];

        if (whole || mask[k] >> t & 1) sum[k] = MultiplyAdd(sum[k], e.value, v_k);
      }
    }
  }

  /* AddRows() along the root that the kernel has as constants. window: of the planes before, beside and after, where the column of the lane's first row is */
  static __device__ __forceinline__ void AddKnown(const Entry entry[], const PetscScalar *const window[], int rows, bool whole, const unsigned mask[n], int conjugate, PetscScalar sum[n])
  {
    if (rows == n && whole)
      AddSomeKnown<n, true>(entry, window, 0, mask, conjugate, sum);
    else if (rows == n)
      AddSomeKnown<n, false>(entry, window, 0, mask, conjugate, sum);
    else {
#pragma unroll
      for (int k = 0; k < n - 1; k++) {
        if (k < rows) AddSomeKnown<1, false>(entry, window, k * AUTOCSR_THREADS, mask + k, conjugate, sum + k);
      }
    }
  }

  template <int count, bool whole>
  static __device__ __forceinline__ void AddSomeKnown(const Entry entry[], const PetscScalar *const window[], int from, const unsigned mask[count], int conjugate, PetscScalar sum[count])
  {
#define AGENT_ENTRY(t, from_row, plane, beside, value_of) \
  { \
    const PetscScalar  a = AGENT_ROOT_VALUES ? ConjugateIf(value_of, conjugate) : entry[t].value; \
    const PetscScalar *v = window[(plane) + AUTOCSR_PLANES_AROUND] + from + (beside); \
    for (int k = 0; k < count; k++) { \
      const PetscScalar v_k = v[k * AUTOCSR_THREADS]; \
      if (whole || (mask[k] >> (t) & 1)) sum[k] = MultiplyAdd(sum[k], a, v_k); \
    } \
  }
    AGENT_EACH_ENTRY(AGENT_ENTRY)
#undef AGENT_ENTRY
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles, const AutoCSRDeviceOperands &op, PetscInt block, unsigned char *room)
  {
    const AutoCSRDevicePlanes &shape = tiles.planes;
    const PetscInt             strip = block % shape.strips * shape.rows, begin = block / shape.strips * shape.steps, end = PetscMin(begin + shape.steps, shape.planes);
    const int                  thread = (int)threadIdx.x, slots = 2 * shape.around + 2;
    const int                  rows = (int)PetscMin(shape.rows, shape.stride - strip), of_warp = ((int)shape.rows - thread / WARP * WARP + AUTOCSR_THREADS - 1) / AUTOCSR_THREADS; /* rows of its lanes, in whole warps of the largest strip */
    unsigned                  *table = (unsigned *)room;
    Entry                     *entry = (Entry *)(table + AUTOCSR_PLANES_TABLE); /* two lists: of this plane and of the next */
    PetscScalar               *x     = (PetscScalar *)(entry + 2 * (AUTOCSR_PLANES_ENTRIES + 1));
    PetscInt64                 k     = (PetscInt64)begin * shape.stride + strip + thread; /* the lane's first row of this plane, in the segment */
    Windows                    windows(shape, x, op.x, (PetscInt64)(begin - shape.around) * shape.stride + seg.row_begin + strip - shape.reach, rows + 2 * shape.reach);
    const PetscScalar         *column = NULL; /* of the thread's entry of the root, in this plane, and the slot of its window */
    AutoCSRPatternRoot         root, of = {};
    PetscInt                   plane = 0, beside = 0;
    unsigned                   mask[n], next[n], full, far;
    int                        length, slot, left, left_next;

    static_assert(sizeof(Entry) <= PetscMax(16, 2 * sizeof(PetscScalar)), "AutoCSRDevicePlanesBytes() counts too little");
    for (int p = -shape.around; p <= shape.around; p++) windows.Copy(tiles.n_columns);
    left_next = LeftOf(rows, k, seg.n_rows);
    AskForIds(seg.pattern_id + k, left_next, next);
    if (thread < PetscMin(seg.n_patterns, AUTOCSR_PLANES_PATTERNS)) of = LoadCached(seg.pattern_root + thread);
    if constexpr (AGENT_ROOT)
      root.begin = AGENT_ROOT_BEGIN, root.length = AGENT_ROOT_ENTRIES;
    else
      root = CommonRoot(seg, shape, strip, begin, end - begin, rows);
    length = root.length <= AUTOCSR_PLANES_ENTRIES ? root.length : 0;
    if (thread < WARP) { /* which has all entries */
      bool out = false;

      if (thread < length) {
        const PetscInt offset = LoadCached(seg.pattern_offset + root.begin + thread);

        plane               = shape.around ? AutoCSRPlaneOf(offset, shape.stride) : 0;
        beside              = offset - plane * shape.stride;
        out                 = plane < -shape.around || plane > shape.around || beside < -shape.reach || beside > shape.reach;
        entry[thread].value = entry[AUTOCSR_PLANES_ENTRIES + 1 + thread].value = ConjugateIf(LoadCached(seg.pattern_value + root.begin + thread), op.conjugate);
        if (out) plane = beside = 0; /* rows that have it are walked apart */
      }
      const unsigned outside = __ballot_sync(ALL_LANES, out);

      if (thread == 0) table[beyond] = outside;
    }
    __syncthreads();
    slot   = shape.around + (int)plane;
    column = op.x + ((PetscInt64)(begin + plane) * shape.stride + seg.row_begin + strip - shape.reach);
    far    = table[beyond];
    full   = ((1u << length) - 1) & ~far;
    if (thread < AUTOCSR_PLANES_PATTERNS) {
      if (!of.length)
        table[thread] = 0; /* an empty pattern is a part of any */
      else
        table[thread] = of.begin == root.begin && of.length == length && !(of.mask & far) ? of.mask : apart;
    }
    if (thread == 0) table[unknown] = apart, table[missing] = full;
    __syncthreads();
    const unsigned lead = (unsigned)Windows::Lead(op.x + ((PetscInt64)begin * shape.stride + seg.row_begin + strip - shape.reach));
    int            turn = 0; /* the slot of the window of the first plane that is read */

    LookUp(table, left_next, next);
    for (PetscInt p = begin; p < end; p++, k += shape.stride) {
      Entry      *now    = entry + (p & 1) * (AUTOCSR_PLANES_ENTRIES + 1);
      PetscScalar sum[n] = {};
      unsigned    all = ~0u, any = 0;

      if (!AGENT_ROOT && thread < length) now[thread].at = slot * shape.room + Windows::Lead(column) + (int)beside + shape.reach;
      column += shape.stride;
      slot = slot + 1 == slots ? 0 : slot + 1;
      PtxWait();
      __syncthreads();
      left      = left_next;
      left_next = p + 1 < end ? LeftOf(rows, k + shape.stride, seg.n_rows) : 0;
      if (p + 1 < end) windows.Copy(tiles.n_columns); /* where the window lay that the rows before this plane were the last to read */
#pragma unroll
      for (int i = 0; i < n; i++) {
        mask[i] = next[i];
        all &= mask[i];
        any |= mask[i];
      }
      AskForIds(seg.pattern_id + k + shape.stride, left_next, next);
      if constexpr (AGENT_ROOT) {
        const PetscScalar *window[2 * AUTOCSR_PLANES_AROUND + 1];

#pragma unroll
        for (int q = -AUTOCSR_PLANES_AROUND; q <= AUTOCSR_PLANES_AROUND; q++) {
          const int at = turn + shape.around + q, past = (int)((lead + (unsigned)(p - begin + q) * (unsigned)shape.stride) % at_once);

          window[q + AUTOCSR_PLANES_AROUND] = x + ((at < slots ? at : at - slots) * shape.room + past + shape.reach + thread);
        }
        turn = turn + 1 == slots ? 0 : turn + 1;
        AddKnown(now, window, of_warp, __all_sync(ALL_LANES, all == full), mask, op.conjugate, sum);
      } else
        AddRows(now, length, x + thread, of_warp, __all_sync(ALL_LANES, all == full) && !far, mask, sum);
      if (op.z)
        Store<true>(op, seg.row_begin + k, left, mask, sum);
      else
        Store<false>(op, seg.row_begin + k, left, mask, sum);
      if (__any_sync(ALL_LANES, (any & apart) != 0)) {
#pragma unroll
        for (int i = 0; i < n; i++) {
          const bool it = i * AUTOCSR_THREADS < left && (mask[i] & apart);

          if (__any_sync(ALL_LANES, it)) Apart::RunApart(seg, op, (PetscInt)k + i * AUTOCSR_THREADS, it);
        }
      }
      LookUp(table, left_next, next);
    }
  }

private:
  /* The rows of a plane from the lane's first on: those of the strip and of the segment */
  static __device__ __forceinline__ int LeftOf(int rows, PetscInt64 k, PetscInt n_rows)
  {
    const PetscInt64 left = n_rows - k;

    return PetscMin(rows - (int)threadIdx.x, left < AUTOCSR_PLANES_STRIP ? (int)PetscMax(left, 0) : AUTOCSR_PLANES_STRIP);
  }

  static __device__ __forceinline__ void AskForIds(const uint16_t *id, int left, unsigned ids[n])
  {
#pragma unroll
    for (int i = 0; i < n; i++) ids[i] = LoadStreamIf(i * AUTOCSR_THREADS < left, id + i * AUTOCSR_THREADS);
  }

  /* Masks in place of patterns */
  static __device__ __forceinline__ void LookUp(const unsigned table[], int left, unsigned ids[n])
  {
#pragma unroll
    for (int i = 0; i < n; i++) ids[i] = table[i * AUTOCSR_THREADS < left ? PetscMin(ids[i], (unsigned)unknown) : (unsigned)missing];
  }

  /* Of the rows that were not left to be walked apart */
  template <bool add>
  static __device__ __forceinline__ void Store(const AutoCSRDeviceOperands &op, PetscInt64 row, int left, const unsigned mask[n], const PetscScalar sum[n])
  {
#pragma unroll
    for (int i = 0; i < n; i++) {
      if (i * AUTOCSR_THREADS < left && !(mask[i] & apart)) op.y[row + i * AUTOCSR_THREADS] = (add ? op.z[row + i * AUTOCSR_THREADS] : (PetscScalar)0) + sum[i];
    }
  }
};

#endif
