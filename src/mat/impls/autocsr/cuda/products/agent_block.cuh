/*
  Dense b by b blocks in CSR order (BCSR; beyond the papers): `lanes` lanes go along the columns of a block row and
  multiply all its rows at once, so that a column's code and its entry of x are read once for b entries, and values lie side
  by side for neighbouring lanes.
*/
#ifndef AUTOCSR_AGENT_BLOCK_CUH
#define AUTOCSR_AGENT_BLOCK_CUH

#include "entries.cuh"

template <AutoCSRValue value, int b>
struct AgentBlock : AgentBase {
  static constexpr int  block     = b;
  static constexpr int  in_flight = sizeof(PetscScalar) > 8 ? 3 : 6; /* values of a lane that are asked for at once, or a few more */
  static constexpr bool shares    = false;
  static constexpr int  residents = sizeof(PetscScalar) > 8 || b > 4 ? 4 : b == 3 ? 6
                                                                                  : 5; /* measured: more warps gain more than more values of a lane */

  struct Shared {
    alignas(PetscScalar) unsigned char sum[WARPS * b * sizeof(PetscScalar)]; /* of each warp */
  };

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_rows / b, AUTOCSR_THREADS / seg->axes.lanes);
  }
#endif

  /* w neighbouring entries, as one load, or one by one where they do not lie on a border of w: then, too, a lane has the same columns, and sums the same bits */
  template <int w, bool aligned>
  struct Codes {
    static constexpr size_t size = w * sizeof(EntryCode<value>);
    struct alignas(size) {
      unsigned char byte[size];
    } word;

    __device__ __forceinline__ void LoadIf(bool exists, const void *values, PetscInt q)
    {
      const auto *from = (const decltype(word) *)((const EntryCode<value> *)values + q);

      if constexpr (!aligned) {
#pragma unroll
        for (int i = 0; i < w; i++) {
          Codes<1, true> one;

          one.LoadIf(exists, values, q + i);
          memcpy(word.byte + i * sizeof(one.word), &one.word, sizeof(one.word));
        }
      } else if constexpr (size == 1)
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
  template <int w, bool aligned>
  struct Operands {
    struct alignas(w * sizeof(PetscScalar)) Word {
      unsigned char byte[w * sizeof(PetscScalar)];
    };
    Word word;

    __device__ __forceinline__ void LoadIf(bool exists, const PetscScalar *x)
    {
      if constexpr (!aligned) {
#pragma unroll
        for (int i = 0; i < w; i++) {
          Operands<1, true> one;

          one.LoadIf(exists, x + i);
          memcpy(word.byte + i * sizeof(one.word), &one.word, sizeof(one.word));
        }
      } else
        word = LoadCachedIf(exists, (const Word *)x);
    }
    __device__ __forceinline__ PetscScalar Of(int i) const
    {
      PetscScalar x[w];

      memcpy((void *)x, &word, sizeof(word));
      return x[i];
    }
  };

  /* A block row: where its entries begin, how many a row has, and from where its columns count */
  typedef struct {
    PetscInt begin;
    int      length;
    PetscInt base;
  } BlockRow;

  static __device__ __forceinline__ BlockRow BlockRowAt(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt unit)
  {
    BlockRow r = {0, 0, 0};

    if (unit >= seg.n_rows / b) return r;
    r.begin  = LoadCached(op.row_ptr + seg.row_begin + unit * b);
    r.length = (int)(LoadCached(op.row_ptr + seg.row_begin + unit * b + 1) - r.begin);
    if (seg.base) r.base = LoadCached(seg.base + unit / WARP);
    return r;
  }

  /* The columns at, at + step, ... of a block row, as far as they exist, less what is the same for its block */
  template <int count>
  static __device__ __forceinline__ void LoadColumns(PetscInt col[count], const AutoCSRDeviceSegment &seg, const PetscInt csr_col[], PetscInt start, const BlockRow &r, int at, int step)
  {
    const PetscInt block = (r.begin - start) / (b * b);

    if (seg.base) {
#pragma unroll
      for (int i = 0; i < count; i++) col[i] = r.base + b * (PetscInt)LoadCachedIf(at + i * step < r.length, (const uint16_t *)seg.index + block + (at + i * step) / b);
    } else if (seg.index) {
#pragma unroll
      for (int i = 0; i < count; i++) col[i] = b * (PetscInt)LoadCachedIf(at + i * step < r.length, (const uint32_t *)seg.index + block + (at + i * step) / b);
    } else {
#pragma unroll
      for (int i = 0; i < count; i++) col[i] = LoadCachedIf(at + i * step < r.length, csr_col + r.begin + (at + i * step) / b * b);
    }
  }

  /* Over the warps that have a part of the same block row: in the first of them */
  static __device__ __forceinline__ void SumOfWarps(PetscScalar sum[b], int lanes, Shared &shared)
  {
    PetscScalar *of_warp = (PetscScalar *)shared.sum;
    const int    first   = threadIdx.x / lanes * (lanes / WARP);

    if (threadIdx.x % WARP == 0) {
#pragma unroll
      for (int r = 0; r < b; r++) of_warp[threadIdx.x / WARP * b + r] = sum[r];
    }
    __syncthreads();
    for (int w = 1; w < lanes / WARP; w++) {
#pragma unroll
      for (int r = 0; r < b; r++) sum[r] += of_warp[(first + w) * b + r];
    }
  }

  /* w columns of a lane at a time */
  template <int w, bool aligned>
  static __device__ __forceinline__ void RunColumns(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt place, Shared &shared)
  {
    constexpr int       count = PetscMin(4, (in_flight + b * w - 1) / (b * w));
    const int           lanes = seg.lanes, lane = threadIdx.x & (lanes - 1), step = lanes * w;
    const PetscInt      unit = place * (AUTOCSR_THREADS / lanes) + threadIdx.x / lanes, start = LoadCached(op.row_ptr + seg.row_begin);
    const DeviceEntries e = {NULL, value == AUTOCSR_VALUE_CSR ? (const void *)op.val : seg.value, NULL, seg.dictionary, op.x};
    const BlockRow      r = BlockRowAt(seg, op, unit);
    const PetscInt      q = value == AUTOCSR_VALUE_CSR ? r.begin : r.begin - start;
    PetscScalar         sum[b];

#pragma unroll
    for (int i = 0; i < b; i++) sum[i] = 0;
    for (int at = lane * w, trips = CeilDivide(WarpMax(r.length), step * count); trips > 0; trips--, at += step * count) {
      PetscInt    col[count];
      Codes<w, aligned>    a[count][b];
      Operands<w, aligned> x[count];

      LoadColumns<count>(col, seg, op.col, start, r, at, step);
#pragma unroll
      for (int i = 0; i < count; i++) {
#pragma unroll
        for (int k = 0; k < b; k++) a[i][k].LoadIf(at + i * step < r.length, e.value, q + (PetscInt)k * r.length + at + i * step);
      }
#pragma unroll
      for (int i = 0; i < count; i++) x[i].LoadIf(at + i * step < r.length, e.x + col[i] + (at + i * step) % b);
#pragma unroll
      for (int i = 0; i < count; i++) {
        if (at + i * step < r.length) {
#pragma unroll
          for (int k = 0; k < b; k++) {
#pragma unroll
            for (int j = 0; j < w; j++) sum[k] = MultiplyAdd(sum[k], ConjugateIf(a[i][k].Value(e, j), op.conjugate), x[i].Of(j));
          }
        }
      }
    }
    for (int half = PetscMin(lanes, WARP) / 2; half; half /= 2) {
#pragma unroll
      for (int k = 0; k < b; k++) sum[k] += ShuffleXor(sum[k], half);
    }
    if (lanes > WARP) SumOfWarps(sum, lanes, shared);
#pragma unroll
    for (int k = 0; k < b; k++) {
      const PetscInt row = seg.row_begin + unit * b + k;

      if (unit < seg.n_rows / b && (k & (lanes - 1)) == lane) op.y[row] = AddendOf(op, row) + sum[k];
    }
  }

  /* Two columns at a time where b is even, in one load where all lies on borders of two */
  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt place, Shared &shared)
  {
    if constexpr (b % 2 == 0 && sizeof(PetscScalar) <= 8) {
      if (((uintptr_t)op.x | (uintptr_t)(value == AUTOCSR_VALUE_CSR ? op.val : NULL)) % (2 * sizeof(PetscScalar)) == 0)
        RunColumns<2, true>(seg, op, place, shared);
      else
        RunColumns<2, false>(seg, op, place, shared);
    } else
      RunColumns<1, true>(seg, op, place, shared);
  }
};

#endif
