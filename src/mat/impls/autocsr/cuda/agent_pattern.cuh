/*
  Rows of few patterns in CSR order: no entry stores its column, the values stay where they are. A warp with neighbouring
  rows copies their values as they lie to shared memory while the rows' lanes walk along the roots of their patterns (plan.h,
  AutoCSRPatternRoot) and gather x; the patterns also tell where a row begins, so that row offsets are read once for a warp's
  rows. Bytes of a product with values in place: 8 an entry; 2 for the pattern, 8 for x and 8 for y a row (FP64).
*/
#ifndef AUTOCSR_AGENT_PATTERN_CUH
#define AUTOCSR_AGENT_PATTERN_CUH

#include "entries.cuh"
#include "stream.cuh"

template <AutoCSRValue value>
struct AgentPattern : AgentBase {
  /* Values in place are read as a copy is */
  typedef EntryCode<value == AUTOCSR_VALUE_CSR ? AUTOCSR_VALUE_COPY : value> Code;

  static constexpr int residents = 4;
  static constexpr int most      = sizeof(PetscScalar) > 8 ? 4 : 8;               /* entries of a lane for which x is asked for at once */
  static constexpr int piece     = (sizeof(PetscScalar) > 8 ? 8 : 2 * most) * WARP; /* entries that are copied at a time */

  struct Shared {
    alignas(STREAM_CHUNK) unsigned char warp[WARPS][piece * sizeof(Code) + STREAM_CHUNK];
  };

  /* Lanes of a row, such that the rows of a warp are about a piece */
  static __host__ __device__ __forceinline__ int Lanes(PetscInt n_rows, PetscInt nnz)
  {
    int lanes = 1;

    for (PetscInt entries = nnz / (piece / WARP); lanes < 8 && entries > n_rows; entries /= 2) lanes *= 2;
    return lanes;
  }

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_rows, AUTOCSR_BLOCK / Lanes(seg->n_rows, seg->nnz));
  }
#endif

  /* Of the lanes up to this one */
  static __device__ __forceinline__ int SumUpTo(int length)
  {
#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
      const int below = __shfl_up_sync(ALL_LANES, length, d);

      if (threadIdx.x % WARP >= d) length += below;
    }
    return length;
  }

  /* A lane's row: x at its place, the root of its pattern, which of the root's first 32 entries it has, and the place of its first entry in the piece */
  typedef struct {
    const PetscScalar *x;
    const PetscInt    *offset;
    unsigned           mask;
    int                length;
    PetscInt           first;
  } Row;

  /* Adds `count` entries of the root of a lane's row, from t on and `lanes` apart: those that the row has in the piece. whole: the rows of the warp have all entries, all in the piece */
  template <int lanes, int count, bool whole>
  static __device__ __forceinline__ PetscScalar Add(PetscScalar sum, const Row &r, int t, const DeviceEntries &e, const Code piece_of[], int conjugate)
  {
    PetscInt    offset[count];
    PetscScalar x[count];
    int         place[count];
    bool        has[count];

#pragma unroll
    for (int i = 0; i < count; i++) {
      const int s = t + i * lanes;

      has[i]   = s < r.length && (whole || s >= 32 || r.mask >> s & 1);
      place[i] = (int)r.first + (whole || s >= 32 ? s : __popc(r.mask & ((1u << s) - 1)));
      if (!whole) has[i] = has[i] && place[i] >= 0 && place[i] < piece;
      offset[i] = LoadCachedIf(has[i], r.offset + s);
    }
#pragma unroll
    for (int i = 0; i < count; i++) x[i] = LoadCachedIf(has[i], r.x + offset[i]);
    StreamWait();
#pragma unroll
    for (int i = 0; i < count; i++) {
      if (has[i]) sum = MultiplyAdd(sum, ConjugateIf(piece_of[place[i]].Value(e), conjugate), x[i]);
    }
    return sum;
  }

  /* Adds the last entries, `count` or fewer of each lane */
  template <int lanes, int count, bool whole>
  static __device__ __forceinline__ PetscScalar AddRest(PetscScalar sum, const Row &r, int t, int rest, const DeviceEntries &e, const Code piece_of[], int conjugate)
  {
    if constexpr (count > 1) {
      if (rest < count) return AddRest<lanes, count - 1, whole>(sum, r, t, rest, e, piece_of, conjugate);
    }
    return Add<lanes, count, whole>(sum, r, t, e, piece_of, conjugate);
  }

  template <int lanes, bool whole>
  static __device__ __forceinline__ PetscScalar AddPiece(PetscScalar sum, const Row &r, const DeviceEntries &e, const Code piece_of[], int conjugate)
  {
    const int longest = WarpMax(r.length);
    int       t       = threadIdx.x % lanes, rest = (longest + lanes - 1) / lanes;

    for (; rest > most; rest -= most, t += most * lanes) sum = Add<lanes, most, whole>(sum, r, t, e, piece_of, conjugate);
    if (rest > 0) sum = AddRest<lanes, most, whole>(sum, r, t, rest, e, piece_of, conjugate);
    return sum;
  }

  template <int lanes>
  static __device__ __forceinline__ void RunLanes(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, unsigned char room[])
  {
    const int          lane  = threadIdx.x % lanes;
    const PetscInt     first = block * (AUTOCSR_BLOCK / lanes) + (PetscInt)(threadIdx.x / WARP) * (WARP / lanes), k = first + (PetscInt)(threadIdx.x % WARP / lanes);
    const bool         inside = k < seg.n_rows;
    DeviceEntries      e      = {NULL, op.val, NULL, seg.dictionary, NULL};
    AutoCSRPatternRoot root;
    PetscInt           begin = 0, end = 0, row;
    PetscScalar        sum = 0;
    Row                r;
    int                entries;

    if (first >= seg.n_rows) return;
    if constexpr (value != AUTOCSR_VALUE_CSR) e.value = (const Code *)seg.value - LoadCached(op.row_ptr + seg.row_begin);
    row = RowOf(seg, PetscMin(k, seg.n_rows - 1));
    if (!seg.rows) {
      begin = LoadCached(op.row_ptr + seg.row_begin + first);
      end   = LoadCached(op.row_ptr + seg.row_begin + PetscMin(first + WARP / lanes, seg.n_rows));
      StreamCopy<piece * sizeof(Code)>(room, (const Code *)e.value + begin, PetscMin(end - begin, piece) * sizeof(Code));
    }
    root     = LoadCached(seg.pattern_root + LoadStream(seg.pattern_id + PetscMin(k, seg.n_rows - 1)));
    r.x      = op.x + row;
    r.offset = seg.pattern_offset + root.begin;
    r.length = inside ? root.length : 0;
    r.mask   = root.mask;
    entries  = !inside ? 0 : root.length > 32 ? root.length : __popc(root.mask);
    if (seg.rows) {
      const PetscInt from = LoadCached(op.row_ptr + row);

      for (int t = lane; t < entries; t += lanes) {
        Code code;

        code.Load(e, from + t);
        sum = MultiplyAdd(sum, ConjugateIf(code.Value(e), op.conjugate), LoadCached(r.x + LoadCached(seg.pattern_offset + root.own + t)));
      }
    } else {
      r.first = SumUpTo(lane ? 0 : entries) - entries;
      for (PetscInt c = begin; c < end; c += piece) {
        const Code *from = (const Code *)e.value + c, *piece_of = (const Code *)(room + StreamLead(from));

        if (c > begin) StreamCopy<piece * sizeof(Code)>(room, from, PetscMin(end - c, piece) * sizeof(Code));
        if (__all_sync(ALL_LANES, entries == r.length && end - begin <= piece))
          sum = AddPiece<lanes, true>(sum, r, e, piece_of, op.conjugate);
        else
          sum = AddPiece<lanes, false>(sum, r, e, piece_of, op.conjugate);
        r.first -= piece;
        __syncwarp(); /* before the room is filled again */
      }
    }
#pragma unroll
    for (int half = lanes / 2; half; half /= 2) sum += ShuffleXor(sum, half);
    if (inside && lane == 0) op.y[row] = AddendOf(op, row) + sum;
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    unsigned char *room = shared.warp[threadIdx.x / WARP];

    switch (Lanes(seg.n_rows, seg.nnz)) {
    case 1:
      return RunLanes<1>(seg, op, block, room);
    case 2:
      return RunLanes<2>(seg, op, block, room);
    case 4:
      return RunLanes<4>(seg, op, block, room);
    default:
      return RunLanes<8>(seg, op, block, room);
    }
  }
};

#endif
