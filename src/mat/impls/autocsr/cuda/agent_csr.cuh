/*
  Rows in CSR order, each by a number of lanes (hou2017, III-B: serial, subvector, vector). Few lanes would read the matrix
  with strides of a row's length, so a warp with neighbouring rows reads their entries as they lie, keeps the products in
  shared memory, and each row's lanes add what is theirs (the idea of CSR-stream: dufrechou2021, 4.4). Many lanes, and rows
  by name, read their own row: lanes of a warp add with shuffles, more than a warp through shared memory.
*/
#ifndef AUTOCSR_AGENT_CSR_CUH
#define AUTOCSR_AGENT_CSR_CUH

#include "agent.cuh"

template <AutoCSRIndex index, int lanes>
struct AgentCSR : AgentBase {
  static constexpr int  rows_per_block = AUTOCSR_BLOCK / lanes;
  static constexpr int  in_flight      = 4; /* entries of a lane whose loads do not wait for each other */
  static constexpr bool streams        = lanes <= 8;
  static constexpr int  stream_flight  = sizeof(PetscScalar) > 8 ? 4 : 8; /* the same where a warp streams */
  static constexpr int  stream_tile    = stream_flight * WARP;

  struct Shared {
    PetscScalar warp[WARPS][streams ? stream_tile : 1]; /* products, or the sum of a warp */
  };

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_rows, rows_per_block);
  }
#endif

  typedef struct {
    const uint16_t    *offset; /* of entry 0 of the CSR */
    const PetscScalar *x;      /* from the slice's BASE on */
  } Columns;

  static __device__ __forceinline__ Columns ColumnsOf(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt k)
  {
    if constexpr (index == AUTOCSR_INDEX_16)
      return {(const uint16_t *)seg.index - LoadCached(op.row_ptr + seg.row_begin), op.x + LoadCached(seg.base + k / WARP)};
    else
      return {NULL, op.x};
  }

  /* Products of entries q, q + step, ... before end: all loads of a kind before the next */
  template <int count>
  static __device__ __forceinline__ void Products(const AutoCSRDeviceOperands &op, const Columns &columns, PetscInt q, int step, PetscInt end, PetscScalar product[count])
  {
    PetscInt    col[count];
    PetscScalar a[count];

#pragma unroll
    for (int i = 0; i < count; i++) {
      const PetscInt p = q + i * step;

      if (p < end) {
        if constexpr (index == AUTOCSR_INDEX_16)
          col[i] = LoadStream(columns.offset + p);
        else
          col[i] = LoadStream(op.col + p);
        a[i] = ConjugateIf(LoadStream(op.val + p), op.conjugate);
      }
    }
#pragma unroll
    for (int i = 0; i < count; i++) product[i] = q + i * step < end ? MultiplyAdd(0, a[i], LoadCached(columns.x + col[i])) : (PetscScalar)0;
  }

  /* A warp with WARP / lanes neighbouring rows */
  static __device__ __forceinline__ void RunStream(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, PetscScalar tile[])
  {
    const int      self  = threadIdx.x % WARP;
    const PetscInt first = block * rows_per_block + threadIdx.x / WARP * (WARP / lanes);
    const PetscInt k     = PetscMin(first + self / lanes, seg.n_rows);
    const PetscInt begin = LoadCached(op.row_ptr + seg.row_begin + k);
    const PetscInt end   = LoadCached(op.row_ptr + seg.row_begin + PetscMin(k + 1, seg.n_rows));
    const PetscInt stop  = __shfl_sync(ALL_LANES, end, WARP - 1);
    const bool     owner = self % lanes == 0 && k < seg.n_rows;
    PetscInt       next  = begin + self % lanes; /* the lane's next entry */
    PetscScalar    sum   = 0;

    if (first >= seg.n_rows) return;
    const Columns     columns = ColumnsOf(seg, op, first);
    const PetscScalar addend  = owner ? AddendOf(op, seg.row_begin + k) : (PetscScalar)0;

    for (PetscInt c = __shfl_sync(ALL_LANES, begin, 0); c < stop; c += stream_tile) {
      const PetscInt mine = PetscMin(end, c + stream_tile);
      PetscScalar    product[stream_flight];

      Products<stream_flight>(op, columns, c + self, WARP, stop, product);
#pragma unroll
      for (int i = 0; i < stream_flight; i++) tile[self + i * WARP] = product[i];
      __syncwarp();
      for (; next < mine; next += lanes) sum += tile[next - c];
      __syncwarp();
    }
#pragma unroll
    for (int half = lanes / 2; half; half /= 2) sum += ShuffleXor(sum, half);
    if (owner) op.y[seg.row_begin + k] = addend + sum;
  }

  static __device__ __forceinline__ void RunRows(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    const int      lane = threadIdx.x % lanes;
    const PetscInt k    = block * rows_per_block + threadIdx.x / lanes;
    const PetscInt row  = k < seg.n_rows ? RowOf(seg, k) : 0;
    PetscScalar    sum  = 0;

    if (k < seg.n_rows) {
      const PetscInt begin = LoadCached(op.row_ptr + row), end = LoadCached(op.row_ptr + row + 1);
      const Columns  columns = ColumnsOf(seg, op, k);

      for (PetscInt q = begin + lane; q < end; q += in_flight * lanes) {
        PetscScalar product[in_flight];

        Products<in_flight>(op, columns, q, lanes, end, product);
#pragma unroll
        for (int i = 0; i < in_flight; i++) sum += product[i];
      }
    }
#pragma unroll
    for (int half = PetscMin(lanes, WARP) / 2; half; half /= 2) sum += ShuffleXor(sum, half);
    if constexpr (lanes > WARP) {
      if (threadIdx.x % WARP == 0) shared.warp[threadIdx.x / WARP][0] = sum;
      __syncthreads();
#pragma unroll
      for (int w = 1; w < lanes / WARP; w++) sum += shared.warp[threadIdx.x / lanes * (lanes / WARP) + w][0];
    }
    if (lane == 0 && k < seg.n_rows) op.y[row] = AddendOf(op, row) + sum;
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    if (streams && !seg.rows)
      RunStream(seg, op, block, shared.warp[threadIdx.x / WARP]);
    else
      RunRows(seg, op, block, shared);
  }
};

#endif
