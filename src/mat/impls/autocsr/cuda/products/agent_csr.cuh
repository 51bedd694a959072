/*
  Rows in CSR order, each by a number of lanes (hou2017, III-B: serial, subvector, vector). All that the longest row of a
  warp leaves to a lane is asked for at once: as many loads of columns and values as there are entries, then as many of x.
  Lanes of a warp add with shuffles, more than a warp through shared memory. Columns and values go through L1: few lanes
  read them with strides, and find there what their neighbours' loads have brought.
*/
#ifndef AUTOCSR_AGENT_CSR_CUH
#define AUTOCSR_AGENT_CSR_CUH

#include "entries.cuh"

template <AutoCSRIndex index, int lanes, AutoCSRValue value = AUTOCSR_VALUE_CSR>
struct AgentCSR : AgentBase {
  typedef typename IndexWord<index>::type Index;

  static constexpr int  residents      = AUTOCSR_ROWS_RESIDENTS;
  static constexpr bool lean           = index == AUTOCSR_INDEX_CSR;
  static constexpr bool in_turn        = index == AUTOCSR_INDEX_CSR && value == AUTOCSR_VALUE_CSR && lanes <= WARP;
  static constexpr int rows_per_block = AUTOCSR_THREADS / lanes;
  static constexpr int most           = AGENT_IN_FLIGHT(8);                          /* entries of a lane that are asked for at once */
  static constexpr int turns          = AGENT_ROWS_EACH((int)AutoCSRRowsEach(lanes)); /* of a block, with the next row's place known in time */
  static constexpr int waves          = AUTOCSR_ROWS_WAVES;

  struct Shared {
    alignas(PetscScalar) unsigned char sum[WARPS * sizeof(PetscScalar)]; /* of each warp */
  };

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    const PetscInt blocks = CeilDivide(seg->n_rows, rows_per_block);

    return blocks < turns * waves * residents * AutoCSRDeviceProcessors() ? blocks : CeilDivide(blocks, turns);
  }
#endif

  static __device__ __forceinline__ PetscInt Times(const AutoCSRDeviceSegment &seg)
  {
    return seg.blocks > (seg.n_rows - 1) / rows_per_block ? 1 : turns;
  }

  static __device__ __forceinline__ PetscInt RowsOfBlock(const AutoCSRDeviceSegment &seg)
  {
    return Times(seg) * rows_per_block;
  }

  typedef struct {
    PetscInt row, begin, end;
    PetscInt base; /* what 16-bit columns count from */
  } Row;

  static __device__ __forceinline__ Row RowAt(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt k)
  {
    Row r = {0, 0, 0, 0};

    if (k < seg.n_rows) {
      r.row = RowOf(seg, k);
      if constexpr (AGENT_LENGTH > 0) {
        r.begin = seg.rows ? LoadCached(op.row_ptr + r.row) : (seg.row_begin ? LoadCached(op.row_ptr + seg.row_begin) : 0) + k * AGENT_LENGTH;
        r.end   = r.begin + AGENT_LENGTH;
      } else if constexpr (AGENT_STRETCHES > 0) {
        r.begin = seg.rows ? LoadCached(op.row_ptr + r.row) : (seg.row_begin ? LoadCached(op.row_ptr + seg.row_begin) : 0) + RowByStretches(k).place;
        r.end   = r.begin + RowByStretches(k).length;
      } else {
        r.begin = LoadCached(op.row_ptr + r.row);
        r.end   = LoadCached(op.row_ptr + r.row + 1);
      }
      if constexpr (index == AUTOCSR_INDEX_16) r.base = LoadCached(seg.base + k / WARP);
    }
    return r;
  }

  /* Adds the next `count` entries of a lane, from q on, of which `left` exist; constant: their value, where it is one for all */
  template <int count>
  static __device__ __forceinline__ PetscScalar Add(PetscScalar sum, const AutoCSRDeviceOperands &op, PetscScalar constant, const Index *col, const PetscScalar *x, DeviceUnsigned q, int left)
  {
    Index       code[count];
    PetscScalar a[count], b[count];

#pragma unroll
    for (int i = 0; i < count; i++) {
      code[i] = LoadCachedIf(i < left, col + q + i * lanes);
      if constexpr (value == AUTOCSR_VALUE_CONSTANT)
        a[i] = constant;
      else
        a[i] = LoadCachedIf(i < left, op.val + q + i * lanes);
    }
#pragma unroll
    for (int i = 0; i < count; i++) b[i] = LoadCachedIf(i < left, x + code[i]);
#pragma unroll
    for (int i = 0; i < count; i++) {
      if (i < left) sum = MultiplyAdd(sum, ConjugateIf(a[i], op.conjugate), b[i]);
    }
    return sum;
  }

  /* Adds the last entries, `count` or fewer in the lane that has the most */
  template <int count>
  static __device__ __forceinline__ PetscScalar AddRest(PetscScalar sum, int rest, const AutoCSRDeviceOperands &op, PetscScalar constant, const Index *col, const PetscScalar *x, DeviceUnsigned q, int left)
  {
    if (rest == count) return Add<count>(sum, op, constant, col, x, q, left);
    if constexpr (count > 1)
      return AddRest<count - 1>(sum, rest, op, constant, col, x, q, left);
    else
      return sum;
  }

  /* The sum of the lane's part of its row. A lane goes on beside lanes with longer rows. It counts the entries that are left, because q may run past the last PetscInt */
  static __device__ __forceinline__ PetscScalar SumOf(const Row &r, const AutoCSRDeviceOperands &op, PetscScalar constant, const Index *col, int lane)
  {
    const PetscInt length = r.end - r.begin;
    DeviceUnsigned q      = (DeviceUnsigned)r.begin + lane;
    int            left = lane < length ? (int)((length - lane - 1) / lanes) + 1 : 0, rest = AGENT_LENGTH > 0 ? (AGENT_LENGTH - 1) / lanes + 1 : WarpMax(left);
    PetscScalar    sum = 0;

    for (; rest > most; rest -= most, left -= most, q += most * lanes) sum = Add<most>(sum, op, constant, col, op.x + r.base, q, left);
    return AddRest<most>(sum, rest, op, constant, col, op.x + r.base, q, left);
  }

  /* Over the lanes of each row; the first lane has it all */
  static __device__ __forceinline__ PetscScalar SumOfLanes(PetscScalar sum, Shared &shared)
  {
#pragma unroll
    for (int half = PetscMin(lanes, WARP) / 2; half; half /= 2) sum += ShuffleXor(sum, half);
    if constexpr (lanes > WARP) {
      PetscScalar *warp = (PetscScalar *)shared.sum;

      if (threadIdx.x % WARP == 0) warp[threadIdx.x / WARP] = sum;
      __syncthreads();
#pragma unroll
      for (int w = 1; w < lanes / WARP; w++) sum += warp[threadIdx.x / lanes * (lanes / WARP) + w];
      __syncthreads(); /* before the next turn's */
    }
    return sum;
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    const int      lane  = threadIdx.x % lanes;
    const PetscInt times = Times(seg);
    PetscInt       k     = block * RowsOfBlock(seg) + threadIdx.x / lanes;
    const PetscScalar constant = ConstantOf<value>(seg);
    const Index   *col;
    Row            now = RowAt(seg, op, k);

    if constexpr (index == AUTOCSR_INDEX_16)
      col = (const Index *)seg.index - LoadCached(op.row_ptr + seg.row_begin);
    else
      col = op.col;
    for (PetscInt t = 0; t < times; t++, k += rows_per_block) {
      const Row         next = t + 1 < times ? RowAt(seg, op, k + rows_per_block) : now;
      const PetscScalar sum  = SumOfLanes(SumOf(now, op, constant, col, lane), shared);

      if (lane == 0 && k < seg.n_rows) op.y[now.row] = AddendOf(op, now.row) + sum;
      now = next;
    }
  }
};

#endif
