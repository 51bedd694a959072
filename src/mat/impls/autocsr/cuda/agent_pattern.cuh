/*
  Rows of few patterns in CSR order: no entry stores its column, the values stay where they are. A warp with neighbouring
  rows reads their values as they lie, into shared memory, while the rows' lanes gather x; the patterns also tell where
  each row begins, so that of the row offsets only the warp's first is read. Bytes of a product with values in place: 8 an
  entry; 2 for the pattern, 8 for x and 8 for y a row (FP64).
*/
#ifndef AUTOCSR_AGENT_PATTERN_CUH
#define AUTOCSR_AGENT_PATTERN_CUH

#include "entries.cuh"

template <AutoCSRValue value>
struct AgentPattern : AgentBase {
  /* Values in place are read as a copy is */
  typedef EntryCode<value == AUTOCSR_VALUE_CSR ? AUTOCSR_VALUE_COPY : value> Code;
  static constexpr int                                                       in_flight = sizeof(PetscScalar) > 8 ? 4 : 8; /* entries of a lane whose loads do not wait for each other */
  static constexpr int                                                       tile_size = in_flight * WARP;                /* of a warp */

  struct Shared {
    alignas(16) unsigned char warp[WARPS][tile_size * sizeof(Code)];
  };

  /* log2 of the lanes of a row, such that the rows of a warp fill its tile about once */
  static __host__ __device__ __forceinline__ int LanesShift(PetscInt n_rows, PetscInt nnz)
  {
    int shift = 0;

    while ((1 << shift) < WARP && nnz / in_flight >> shift > n_rows) shift++;
    return shift;
  }

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_rows, AUTOCSR_BLOCK >> LanesShift(seg->n_rows, seg->nnz));
  }
#endif

  /* Of the lanes up to this one */
  static __device__ __forceinline__ PetscInt SumOfLengths(PetscInt length)
  {
#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
      const PetscInt below = __shfl_up_sync(ALL_LANES, length, d);

      if (threadIdx.x % WARP >= d) length += below;
    }
    return length;
  }

  typedef struct {
    const PetscScalar *x;          /* at the row's place */
    const PetscInt    *offset;     /* of its pattern */
    PetscInt           begin, end; /* its entries */
  } Row;

  /* x for entries q, q + lanes, ... before end */
  static __device__ __forceinline__ void Gather(const Row &row, PetscInt q, int lanes, PetscInt end, PetscScalar x[in_flight])
  {
#pragma unroll
    for (int i = 0; i < in_flight; i++) {
      const PetscInt p = q + i * lanes;

      if (p < end) x[i] = LoadCached(row.x + LoadCached(row.offset + (p - row.begin)));
    }
  }

  /* A warp's neighbouring rows; e.value: of entry 0 of the CSR */
  static __device__ __forceinline__ PetscScalar SumOfNeighbours(const AutoCSRDeviceOperands &op, const DeviceEntries &e, const Row &row, int lane, int lanes, Code tile[])
  {
    const int      self = threadIdx.x % WARP;
    const PetscInt stop = __shfl_sync(ALL_LANES, row.end, WARP - 1);
    PetscInt       next = row.begin + lane;
    PetscScalar    sum  = 0;

    for (PetscInt c = __shfl_sync(ALL_LANES, row.begin, 0); c < stop; c += tile_size) {
      const PetscInt end = PetscMin(row.end, c + tile_size);
      Code           code[in_flight];
      PetscScalar    x[in_flight];
      PetscInt       q = next;

#pragma unroll
      for (int i = 0; i < in_flight; i++) {
        if (c + self + i * WARP < stop) code[i].Load(e, c + self + i * WARP);
      }
      Gather(row, q, lanes, end, x);
#pragma unroll
      for (int i = 0; i < in_flight; i++) {
        if (c + self + i * WARP < stop) tile[self + i * WARP] = code[i];
      }
      __syncwarp();
      while (q < end) {
#pragma unroll
        for (int i = 0; i < in_flight; i++) {
          if (q + i * lanes < end) sum = MultiplyAdd(sum, ConjugateIf(tile[q + i * lanes - c].Value(e), op.conjugate), x[i]);
        }
        q += in_flight * lanes;
        Gather(row, q, lanes, end, x);
      }
      if (next < end) next += (end - next + lanes - 1) & -lanes;
      __syncwarp();
    }
    return sum;
  }

  /* A row by name, wherever it is */
  static __device__ __forceinline__ PetscScalar SumOfNamed(const AutoCSRDeviceOperands &op, const DeviceEntries &e, const Row &row, int lane, int lanes)
  {
    PetscScalar sum = 0;

    for (PetscInt q = row.begin + lane; q < row.end; q += lanes) {
      Code code;

      code.Load(e, q);
      sum = MultiplyAdd(sum, ConjugateIf(code.Value(e), op.conjugate), LoadCached(row.x + LoadCached(row.offset + (q - row.begin))));
    }
    return sum;
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    const int      shift = LanesShift(seg.n_rows, seg.nnz), lanes = 1 << shift, self = threadIdx.x % WARP, lane = self & (lanes - 1);
    const PetscInt first = (block * WARPS + threadIdx.x / WARP) * (WARP >> shift), k = first + (self >> shift);
    const bool     inside = k < seg.n_rows, owner = inside && lane == 0;
    PetscInt       i = 0, length = 0;
    PetscScalar    addend = 0, sum;
    DeviceEntries  e      = {NULL, NULL, NULL, seg.dictionary, 0};
    Row            row    = {op.x, NULL, 0, 0};

    if (first >= seg.n_rows) return; /* the whole warp */
    if (inside) {
      const PetscInt *ptr = seg.pattern_ptr + LoadStream(seg.pattern_id + k);
      const PetscInt  p   = LoadCached(ptr);

      length     = LoadCached(ptr + 1) - p;
      row.offset = seg.pattern_offset + p;
      i          = RowOf(seg, k);
      row.x      = op.x + i;
      if (owner) addend = AddendOf(op, i);
    }
    if constexpr (value == AUTOCSR_VALUE_CSR)
      e.value = op.val;
    else
      e.value = (const Code *)seg.value - LoadCached(op.row_ptr + seg.row_begin);
    if (seg.rows) {
      row.begin = inside ? LoadCached(op.row_ptr + i) : 0;
      row.end   = row.begin + length;
      sum       = SumOfNamed(op, e, row, lane, lanes);
    } else {
      row.end   = LoadCached(op.row_ptr + seg.row_begin + first) + SumOfLengths(lane ? 0 : length);
      row.begin = row.end - length;
      sum       = SumOfNeighbours(op, e, row, lane, lanes, (Code *)shared.warp[threadIdx.x / WARP]);
    }
    for (int half = lanes / 2; half; half /= 2) sum += ShuffleXor(sum, half);
    if (owner) op.y[i] = addend + sum;
  }
};

#endif
