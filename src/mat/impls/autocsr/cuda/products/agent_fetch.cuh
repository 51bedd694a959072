/*
  Rows in place, fetched by whoever is free (LightSpMV: dufrechou2021, 2.1.4): as many blocks as run at once; a warp takes the
  next rows by a counter, and knows its next ones before it begins with these. Who multiplies a row is a matter of chance, in
  which order it is added is not. The block that ends last sets the counter back.
*/
#ifndef AUTOCSR_AGENT_FETCH_CUH
#define AUTOCSR_AGENT_FETCH_CUH

#include "agent_csr.cuh"
#include "join.cuh"

template <int lanes>
struct AgentFetch : AgentBase {
  typedef AgentCSR<AUTOCSR_INDEX_CSR, lanes> Rows;

  static constexpr bool shares    = false;
  static constexpr int  residents = Rows::residents;
  static constexpr int  at_once   = WARP / lanes;                   /* rows of a warp */
  static constexpr int  fetched   = (int)AutoCSRRowsFetched(lanes); /* rows at a time */

  struct Shared {};

  typedef struct {
    unsigned long long next;  /* row */
    unsigned           ended; /* blocks */
  } Counter;

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return PetscMin(CeilDivide(seg->n_rows, WARPS * fetched), residents * AutoCSRDeviceProcessors());
  }

  static size_t ScratchBytes(const AutoCSRSegment *)
  {
    return sizeof(Counter);
  }
#endif

  static __device__ __forceinline__ unsigned long long Fetch(Counter *counter)
  {
    return threadIdx.x % WARP ? 0 : atomicAdd(&counter->next, (unsigned long long)fetched);
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt, Shared &)
  {
    Counter           *counter = (Counter *)seg.scratch;
    unsigned long long mine    = Fetch(counter);

    for (;;) {
      const unsigned long long first = __shfl_sync(ALL_LANES, mine, 0);

      if (first >= (unsigned long long)seg.n_rows) break;
      mine = Fetch(counter);
      for (int t = 0; t < fetched; t += at_once) {
        const unsigned long long k   = first + t + threadIdx.x % WARP / lanes;
        const bool               is  = k < (unsigned long long)seg.n_rows;
        const typename Rows::Row row = Rows::RowAt(seg, op, is ? (PetscInt)k : seg.n_rows);
        PetscScalar              sum = Rows::SumOf(row, op, 0, op.col, threadIdx.x % lanes);

#pragma unroll
        for (int half = lanes / 2; half; half /= 2) sum += ShuffleXor(sum, half);
        if (is && threadIdx.x % lanes == 0) op.y[row.row] = AddendOf(op, row.row) + sum;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0 && CountArrival(&counter->ended) == (unsigned)(seg.blocks - 1)) *counter = {0, 0};
  }
};

#endif
