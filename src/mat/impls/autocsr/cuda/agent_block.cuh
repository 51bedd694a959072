/*
  Dense b by b blocks in CSR order (du2022-alphasparse, Table II): `lanes` lanes go along the columns of a block row and
  multiply all its rows at once, so that a column's code and its entry of x are read once for b entries, and values lie side
  by side for neighbouring lanes. b of 6 and 8 goes by halves of a block row: sums and loads of more rows do not fit the registers.
*/
#ifndef AUTOCSR_AGENT_BLOCK_CUH
#define AUTOCSR_AGENT_BLOCK_CUH

#include "entries.cuh"

template <AutoCSRValue value, int b>
struct AgentBlock : AgentBase {
  static constexpr int block     = b;
  static constexpr int residents = 4;
  static constexpr int rows      = b == 6 || b == 8 ? b / 2 : b;     /* that a lane works on at once */
  static constexpr int in_flight = sizeof(PetscScalar) > 8 ? 6 : 12; /* values of a lane that are asked for at once, or a few more */

  struct Shared {
    alignas(PetscScalar) unsigned char sum[WARPS * rows * sizeof(PetscScalar)]; /* of each warp */
  };

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_rows / rows, AUTOCSR_BLOCK / seg->axes.lanes);
  }
#endif

  /* w neighbouring entries, as one load */
  template <int w>
  struct Codes {
    static constexpr size_t size = w * sizeof(EntryCode<value>);
    struct alignas(size) {
      unsigned char byte[size];
    } word;

    __device__ __forceinline__ void LoadIf(bool exists, const void *values, PetscInt q)
    {
      const auto *from = (const decltype(word) *)((const EntryCode<value> *)values + q);

      if constexpr (size == 1)
        word = LoadStreamIf(exists, from);
      else
        word = LoadCachedIf(exists, from);
    }
    __device__ __forceinline__ PetscScalar Value(const DeviceEntries &e, int i) const
    {
      EntryCode<value> code[w];

      memcpy((void *)code, &word, sizeof(word));
      return code[i].Value(e);
    }
  };

  /* w neighbouring entries of x */
  template <int w>
  struct Operands {
    struct alignas(w * sizeof(PetscScalar)) Word {
      unsigned char byte[w * sizeof(PetscScalar)];
    };
    Word word;

    __device__ __forceinline__ PetscScalar Of(int i) const
    {
      PetscScalar x[w];

      memcpy((void *)x, &word, sizeof(word));
      return x[i];
    }
  };

  /* Codes of the columns e, e + step, ... of a block row, as far as they exist */
  template <int count>
  static __device__ __forceinline__ void LoadColumns(PetscInt code[count], const AutoCSRDeviceSegment &seg, const void *codes, int e, int step, int length)
  {
    if (seg.base) {
#pragma unroll
      for (int i = 0; i < count; i++) code[i] = b * (PetscInt)LoadCachedIf(e + i * step < length, (const uint16_t *)codes + (e + i * step) / b);
    } else if (seg.index) {
#pragma unroll
      for (int i = 0; i < count; i++) code[i] = b * (PetscInt)LoadCachedIf(e + i * step < length, (const uint32_t *)codes + (e + i * step) / b);
    } else {
#pragma unroll
      for (int i = 0; i < count; i++) code[i] = LoadCachedIf(e + i * step < length, (const PetscInt *)codes + (e + i * step) / b * b);
    }
  }

  /* Sums over the warps that have a part of the same rows */
  static __device__ __forceinline__ void SumOfWarps(PetscScalar sum[rows], int lanes, Shared &shared)
  {
    PetscScalar *of_warp = (PetscScalar *)shared.sum;
    const int    first   = threadIdx.x / lanes * (lanes / WARP);

    if (threadIdx.x % WARP == 0) {
#pragma unroll
      for (int r = 0; r < rows; r++) of_warp[threadIdx.x / WARP * rows + r] = sum[r];
    }
    __syncthreads();
    for (int w = 1; w < lanes / WARP; w++) {
#pragma unroll
      for (int r = 0; r < rows; r++) sum[r] += of_warp[(first + w) * rows + r];
    }
  }

  /* w columns of a lane in one load */
  template <int w>
  static __device__ __forceinline__ void RunRows(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt place, Shared &shared)
  {
    constexpr int  count = PetscMin(4, (in_flight + rows * w - 1) / (rows * w));
    const int      lanes = seg.lanes, lane = threadIdx.x & (lanes - 1), step = lanes * w;
    const PetscInt unit = place * (AUTOCSR_BLOCK / lanes) + threadIdx.x / lanes, k = unit * rows, first = k / b * b; /* of the segment's rows */
    const bool     exists = k < seg.n_rows;
    const PetscInt start  = LoadCached(op.row_ptr + seg.row_begin);
    PetscInt       begin  = start, q;
    int            length = 0;
    DeviceEntries  e      = {seg.index, value == AUTOCSR_VALUE_CSR ? (const void *)op.val : seg.value, NULL, seg.dictionary, op.x};
    const void    *codes;
    PetscScalar    sum[rows];

    if (exists) {
      begin  = LoadCached(op.row_ptr + seg.row_begin + first);
      length = (int)(LoadCached(op.row_ptr + seg.row_begin + first + 1) - begin);
      if (seg.base) e.x += LoadCached(seg.base + first / (b * WARP));
    }
    q = (value == AUTOCSR_VALUE_CSR ? begin : begin - start) + (k - first) * length;
    if (seg.base)
      codes = (const uint16_t *)seg.index + (begin - start) / (b * b);
    else if (seg.index)
      codes = (const uint32_t *)seg.index + (begin - start) / (b * b);
    else
      codes = op.col + begin;
#pragma unroll
    for (int r = 0; r < rows; r++) sum[r] = 0;
    for (int at = lane * w, trips = CeilDivide(WarpMax(length), step * count); trips > 0; trips--, at += step * count) {
      PetscInt    col[count];
      Codes<w>    a[count][rows];
      Operands<w> x[count];

      LoadColumns<count>(col, seg, codes, at, step, length);
#pragma unroll
      for (int i = 0; i < count; i++) {
#pragma unroll
        for (int r = 0; r < rows; r++) a[i][r].LoadIf(at + i * step < length, e.value, q + (PetscInt)r * length + at + i * step);
      }
#pragma unroll
      for (int i = 0; i < count; i++) x[i].word = LoadCachedIf(at + i * step < length, (const typename Operands<w>::Word *)(e.x + col[i] + (at + i * step) % b));
#pragma unroll
      for (int i = 0; i < count; i++) {
        if (at + i * step < length) {
#pragma unroll
          for (int r = 0; r < rows; r++) {
#pragma unroll
            for (int j = 0; j < w; j++) sum[r] = MultiplyAdd(sum[r], ConjugateIf(a[i][r].Value(e, j), op.conjugate), x[i].Of(j));
          }
        }
      }
    }
    for (int half = PetscMin(lanes, WARP) / 2; half; half /= 2) {
#pragma unroll
      for (int r = 0; r < rows; r++) sum[r] += ShuffleXor(sum[r], half);
    }
    if (lanes > WARP) SumOfWarps(sum, lanes, shared);
#pragma unroll
    for (int r = 0; r < rows; r++) {
      const PetscInt row = seg.row_begin + k + r;

      if (exists && (r & (lanes - 1)) == lane) op.y[row] = AddendOf(op, row) + sum[r];
    }
  }

  /* Two columns at a time where b is even and all lies on borders of two */
  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt place, Shared &shared)
  {
    if constexpr (b % 2 == 0 && sizeof(PetscScalar) <= 8) {
      if (((uintptr_t)op.x | (uintptr_t)(value == AUTOCSR_VALUE_CSR ? op.val : NULL)) % (2 * sizeof(PetscScalar)) == 0) {
        RunRows<2>(seg, op, place, shared);
        return;
      }
    }
    RunRows<1>(seg, op, place, shared);
  }
};

#endif
