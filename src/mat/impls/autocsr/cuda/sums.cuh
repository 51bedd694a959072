/* Sums along an array, and grids of a thread for each of its elements */
#ifndef AUTOCSR_SUMS_CUH
#define AUTOCSR_SUMS_CUH

#include "planner.cuh"
#include <cub/device/device_scan.cuh>

/* In place: sums of the n before each, and of all of them after the last */
static inline PetscErrorCode SumUp(PetscInt n, PetscInt a[])
{
  PetscFunctionBegin;
  PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceScan::ExclusiveSum(temporary, bytes, a, a, n + 1, AUTOCSR_STREAM); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline unsigned GridOfThreads(PetscInt64 n)
{
  return GridOf((n + BLOCK - 1) / BLOCK, 8192);
}

#endif
