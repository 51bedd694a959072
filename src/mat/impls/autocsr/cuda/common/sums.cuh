/* Sums along an array, and grids of a thread for each of its elements */
#ifndef AUTOCSR_SUMS_CUH
#define AUTOCSR_SUMS_CUH

#include "../planning/planner.cuh"
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

/* In place: sums of the n before each, and of all of them after the last */
static inline PetscErrorCode SumUp(PetscInt n, PetscInt a[])
{
  PetscFunctionBegin;
  PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceScan::ExclusiveSum(temporary, bytes, a, a, n + 1, AUTOCSR_STREAM); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of few, by a block: sums of those before each of n. Returns the sum of all */
static __device__ __forceinline__ PetscInt BlockSumUp(PetscInt n, PetscInt a[])
{
  typedef cub::BlockScan<PetscInt, BLOCK> Scan;
  static constexpr int                    AT_ONCE = 8; /* of a thread */
  __shared__ typename Scan::TempStorage   storage;
  PetscInt                                sum = 0;

  for (PetscInt begin = 0; begin < n; begin += AT_ONCE * BLOCK) {
    const PetscInt first = begin + (PetscInt)threadIdx.x * AT_ONCE;
    PetscInt       item[AT_ONCE], all;

#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) item[i] = first + i < n ? a[first + i] : 0;
    Scan(storage).ExclusiveSum(item, item, all);
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
      if (first + i < n) a[first + i] = sum + item[i];
    }
    sum += all;
    __syncthreads();
  }
  return sum;
}

static inline unsigned GridOfThreads(PetscInt64 n)
{
  return GridOf((n + BLOCK - 1) / BLOCK, 8192);
}

#endif
