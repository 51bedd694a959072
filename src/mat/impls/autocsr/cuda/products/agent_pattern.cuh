/*
  Rows of few patterns in CSR order: no entry stores its column, the values stay where they are. A warp with neighbouring
  rows copies their values as they lie to shared memory while the rows' lanes gather x; the patterns also tell where a row
  begins, so that row offsets are read once for a warp's rows. Bytes of a product with values in place: 8 an entry; 2 for
  the pattern, 8 for x and 8 for y a row (FP64).
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
  static constexpr int most      = 8;                                           /* entries of a lane for which x is asked for at once */
  static constexpr int few       = 5;                                           /* the same where this is all that is left */
  static constexpr int piece     = (sizeof(PetscScalar) > 8 ? 4 : most) * WARP; /* entries that are copied at a time */
  static constexpr int turns     = 2;                                           /* of a block, with the next rows' place known in time */
  static constexpr int waves     = 4;                                           /* of blocks that must be left for turns to pay */

  static constexpr bool in_turn = true;

  struct Shared {
    alignas(STREAM_ALIGN) unsigned char warp[WARPS][piece * sizeof(Code) + STREAM_ALIGN];
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
    const PetscInt blocks = CeilDivide(seg->n_rows, AUTOCSR_THREADS / Lanes(seg->n_rows, seg->nnz));

    return blocks < turns * waves * residents * AutoCSRDeviceProcessors() ? blocks : CeilDivide(blocks, turns);
  }
#endif

  /* Of a block; step: its rows at a time */
  static __device__ __forceinline__ PetscInt Times(const AutoCSRDeviceSegment &seg, PetscInt step)
  {
    return seg.blocks > (seg.n_rows - 1) / step ? 1 : turns;
  }

  static __device__ __forceinline__ PetscInt RowsOfBlock(const AutoCSRDeviceSegment &seg)
  {
    const PetscInt step = AUTOCSR_THREADS / Lanes(seg.n_rows, seg.nnz);

    return Times(seg, step) * step;
  }

  /* A warp's rows from `first` on, whose entries are [begin, end), and the pattern of the lane's row */
  typedef struct {
    PetscInt first, begin, end;
    int      pattern;
  } Rows;

  template <int lanes>
  static __device__ __forceinline__ Rows RowsFrom(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt first)
  {
    Rows r = {first, 0, 0, 0};

    if (first >= seg.n_rows) return r;
    r.pattern = LoadCached(seg.pattern_id + PetscMin(first + (PetscInt)(threadIdx.x % WARP / lanes), seg.n_rows - 1));
    if (!seg.rows) {
      r.begin = LoadCached(op.row_ptr + seg.row_begin + first);
      r.end   = LoadCached(op.row_ptr + seg.row_begin + PetscMin(first + WARP / lanes, seg.n_rows));
    }
    return r;
  }

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

  /* A lane's row: x at its place, the offsets of its pattern, the place of its first entry and of the end, counted from the first entry of the warp's rows */
  typedef struct {
    const PetscScalar *x;
    const PetscInt    *offset;
    PetscInt           begin, end;
  } Row;

  /* Adds `count` entries of a lane from q on, of which those past `end` do not exist, from the warp's copy */
  template <int lanes, int count>
  static __device__ __forceinline__ PetscScalar Add(PetscScalar sum, const Row &r, PetscInt q, PetscInt end, const DeviceEntries &e, const Code copy[], int conjugate)
  {
    PetscInt    offset[count];
    PetscScalar x[count];

#pragma unroll
    for (int i = 0; i < count; i++) offset[i] = LoadCachedIf(q + i * lanes < end, r.offset + (q + i * lanes - r.begin));
#pragma unroll
    for (int i = 0; i < count; i++) x[i] = LoadCachedIf(q + i * lanes < end, r.x + offset[i]);
    StreamWait();
#pragma unroll
    for (int i = 0; i < count; i++) {
      if (q + i * lanes < end) sum = MultiplyAdd(sum, ConjugateIf(copy[q + i * lanes].Value(e), conjugate), x[i]);
    }
    return sum;
  }

  /* A warp's neighbouring rows */
  template <int lanes>
  static __device__ __forceinline__ PetscScalar SumOfNeighbours(const AutoCSRDeviceOperands &op, const DeviceEntries &e, const Rows &rows, Row r, PetscInt length, unsigned char room[])
  {
    const int      lane    = threadIdx.x % lanes;
    const PetscInt entries = rows.end - rows.begin;
    PetscScalar    sum     = 0;
    PetscInt       q;

    r.end   = SumUpTo(lane ? 0 : length);
    r.begin = r.end - length;
    q       = r.begin + lane;
    for (PetscInt c = 0; c < entries; c += piece) {
      const Code    *from = (const Code *)e.value + rows.begin + c, *copy = (const Code *)(room + StreamLead(from)) - c;
      const PetscInt end  = PetscMin(r.end, c + piece);
      const int      mine = q < end ? (int)((end - q + lanes - 1) / lanes) : 0;
      PetscInt       p    = q;
      int            rest = WarpMax(mine);

      if (c > 0) StreamCopy<piece * sizeof(Code)>(room, from, PetscMin(entries - c, piece) * sizeof(Code));
      for (; rest > few; rest -= most, p += most * lanes) sum = Add<lanes, most>(sum, r, p, end, e, copy, op.conjugate);
      if (rest > 0) sum = Add<lanes, few>(sum, r, p, end, e, copy, op.conjugate);
      q += mine * lanes;
      __syncwarp(); /* before the room is filled again */
    }
    return sum;
  }

  template <int lanes>
  static __device__ __forceinline__ void RunLanes(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, unsigned char room[])
  {
    const int      lane  = threadIdx.x % lanes;
    const PetscInt step  = AUTOCSR_THREADS / lanes;
    const PetscInt times = Times(seg, step);
    DeviceEntries  e     = {NULL, op.val, NULL, seg.dictionary, NULL};
    Rows           now   = RowsFrom<lanes>(seg, op, block * times * step + (PetscInt)(threadIdx.x / WARP) * (WARP / lanes));

    if constexpr (value != AUTOCSR_VALUE_CSR) e.value = (const Code *)seg.value - LoadCached(op.row_ptr + seg.row_begin);
    for (PetscInt turn = 0; turn < times && now.first < seg.n_rows; turn++) {
      const PetscInt k      = now.first + (PetscInt)(threadIdx.x % WARP / lanes);
      const bool     inside = k < seg.n_rows;
      Rows           next   = now;
      Row            r      = {op.x, seg.pattern_offset, 0, 0};
      PetscInt       row = 0, length = 0;
      PetscScalar    sum = 0;

      StreamCopy<piece * sizeof(Code)>(room, (const Code *)e.value + now.begin, PetscMin(now.end - now.begin, piece) * sizeof(Code));
      if (turn + 1 < times) next = RowsFrom<lanes>(seg, op, now.first + step);
      if (inside) {
        const PetscInt p = LoadCached(seg.pattern_ptr + now.pattern);

        length = LoadCached(seg.pattern_ptr + now.pattern + 1) - p;
        row    = RowOf(seg, k);
        r.offset += p;
        r.x += row;
      }
      if (seg.rows) {
        r.begin = LoadCached(op.row_ptr + row);
        for (PetscInt t = lane; t < length; t += lanes) {
          Code code;

          code.Load(e, r.begin + t);
          sum = MultiplyAdd(sum, ConjugateIf(code.Value(e), op.conjugate), LoadCached(r.x + LoadCached(r.offset + t)));
        }
      } else
        sum = SumOfNeighbours<lanes>(op, e, now, r, length, room);
#pragma unroll
      for (int half = lanes / 2; half; half /= 2) sum += ShuffleXor(sum, half);
      if (inside && lane == 0) op.y[row] = AddendOf(op, row) + sum;
      now = next;
    }
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
