/* What blocks add up together: the lanes of a block, and the parts of a row of which several blocks have one each */
#ifndef AUTOCSR_JOIN_CUH
#define AUTOCSR_JOIN_CUH

#include "agent.cuh"

/* The sum over all lanes of a warp, in every lane */
static __device__ __forceinline__ PetscScalar SumOfWarp(PetscScalar sum)
{
#pragma unroll
  for (int half = WARP / 2; half; half /= 2) sum += ShuffleXor(sum, half);
  return sum;
}

/* The sum over all threads of a block, in its first; warp_sum may be written again after the next barrier */
static __device__ __forceinline__ PetscScalar SumOfBlock(PetscScalar sum, PetscScalar warp_sum[WARPS])
{
  sum = SumOfWarp(sum);
  if (threadIdx.x % WARP == 0) warp_sum[threadIdx.x / WARP] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < WARPS; w++) sum += warp_sum[w];
  }
  return sum;
}

/* A row that is cut, and the first and the last of the blocks that have a share in it */
typedef struct {
  PetscInt row, first, last; /* row -1: none */
} JoinedRow;

/* The shares of a row in the order of their blocks, in the first thread; the next product may count arrivals anew. All threads call it */
template <class Share>
static __device__ __forceinline__ PetscScalar AddShares(Share share[], const JoinedRow &joined, PetscScalar warp_sum[WARPS])
{
  PetscScalar sum = 0;

  for (PetscInt i = joined.first + threadIdx.x; i <= joined.last; i += AUTOCSR_THREADS) sum += i == joined.last ? share[i].first : share[i].last;
  sum = SumOfBlock(sum, warp_sum);
  if (threadIdx.x == 0) share[joined.first].arrived = 0;
  return sum;
}

#endif
