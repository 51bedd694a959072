/*
  Products first, then sums (PCSR in its one-kernel form of Gao et al. 2017; dufrechou2021, 2.1.5): a block has as many rows as
  threads. A thread for each nonzero leaves products in shared memory, a room at a time; then each thread adds what is its
  row's. A row that is much longer than its neighbours is added by one thread alone.
*/
#ifndef AUTOCSR_AGENT_PRODUCTS_CUH
#define AUTOCSR_AGENT_PRODUCTS_CUH

#include "entries.cuh"

struct AgentProducts : AgentBase {
  static constexpr bool shares    = false;
  static constexpr int  residents = sizeof(PetscScalar) > 8 ? 4 : 6;
  static constexpr int  height    = AUTOCSR_PRODUCTS_HEIGHT;
  static constexpr int  room      = AUTOCSR_THREADS * height;         /* products at a time */
  static constexpr int  pad       = 128 / (int)sizeof(PetscScalar); /* an empty place after so many, against bank conflicts */

  struct Shared {
    alignas(16) unsigned char product[(room + room / pad) * sizeof(PetscScalar)];
  };

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_rows, AUTOCSR_THREADS);
  }
#endif

  static __device__ __forceinline__ int At(int p)
  {
    return p + p / pad;
  }

  /* Products of the `left` entries from q on, a room at most */
  static __device__ __forceinline__ void Multiply(const AutoCSRDeviceOperands &op, PetscInt q, PetscInt left, PetscScalar product[])
  {
    const PetscInt    *csr_col = op.col + q + threadIdx.x;
    const PetscScalar *csr_val = op.val + q + threadIdx.x;
    PetscInt    col[height];
    PetscScalar val[height], x[height];

    left -= (PetscInt)threadIdx.x;
#pragma unroll
    for (int i = 0; i < height; i++) {
      col[i] = LoadStreamIf(i * AUTOCSR_THREADS < left, csr_col + i * AUTOCSR_THREADS);
      val[i] = LoadStreamIf(i * AUTOCSR_THREADS < left, csr_val + i * AUTOCSR_THREADS);
    }
#pragma unroll
    for (int i = 0; i < height; i++) x[i] = LoadCachedIf(i * AUTOCSR_THREADS < left, op.x + col[i]);
#pragma unroll
    for (int i = 0; i < height; i++) product[At(i * AUTOCSR_THREADS + threadIdx.x)] = MultiplyAdd(0, ConjugateIf(val[i], op.conjugate), x[i]);
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    const PetscInt *row_ptr = op.row_ptr + seg.row_begin;
    const PetscInt  k = block * AUTOCSR_THREADS + (PetscInt)threadIdx.x, stop = PetscMin(seg.n_rows - block * AUTOCSR_THREADS, AUTOCSR_THREADS) + block * AUTOCSR_THREADS;
    const PetscInt  all_end = LoadCached(row_ptr + stop), begin = k < stop ? LoadCached(row_ptr + k) : all_end, end = k < stop ? LoadCached(row_ptr + k + 1) : all_end;
    PetscScalar    *product = (PetscScalar *)shared.product, sum = 0;
    PetscInt        q = LoadCached(row_ptr + block * AUTOCSR_THREADS), left = all_end - q; /* entries of this block: q + room may exceed PETSC_MAX_INT */

    for (; left > 0; left -= room, q += room) {
      Multiply(op, q, left, product);
      __syncthreads();
      for (PetscInt p = PetscMax(begin - q, 0); p < PetscMin(end - q, room); p++) sum += product[At((int)p)];
      __syncthreads();
    }
    if (k < stop) op.y[seg.row_begin + k] = AddendOf(op, seg.row_begin + k) + sum;
  }
};

#endif
