/* r = b - A x by one kernel where the matrix is small, and b - r where r has the product */
#include "residual.h"
#include "../common/early.cuh"
#include "../common/rows.cuh"

static constexpr unsigned THREADS = 256;

template <int lanes>
static __global__ __launch_bounds__(THREADS) void ResidualKernel(const AutoCSRMatrix csr, const PetscScalar *b, const PetscScalar *x, PetscScalar *r)
{
  PtxWaitForLast();
  ForRowProducts<lanes>(csr.m, csr.row_ptr, csr.col, csr.val, x, blockIdx.x * THREADS + threadIdx.x, gridDim.x * THREADS, [&](PetscInt64 i, PetscScalar product) { r[i] = b[i] - product; });
}

PetscErrorCode AutoCSRDeviceResidual(const AutoCSRMatrix *csr, PetscInt longest, const PetscScalar b[], const PetscScalar x[], PetscScalar r[], PetscBool *done)
{
  const PetscInt   lanes = AutoCSRRowLanes(csr->m, csr->nnz, longest);
  const PetscInt64 rows  = (PetscInt64)ROWS_AT_ONCE * THREADS / PetscMax(lanes, 1); /* of a block */

  PetscFunctionBegin;
  *done = lanes ? PETSC_TRUE : PETSC_FALSE;
  if (!lanes || !csr->m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceFollow());
  Launch(lanes == 2 ? ResidualKernel<2> : lanes == 8 ? ResidualKernel<8> : ResidualKernel<32>, (unsigned)((csr->m + rows - 1) / rows), THREADS, 0, AUTOCSR_STREAM)(*csr, b, x, r);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static __global__ __launch_bounds__(THREADS) void SubtractKernel(PetscInt n, const PetscScalar *b, PetscScalar *r)
{
  const PetscInt64 i = (PetscInt64)blockIdx.x * THREADS + threadIdx.x;

  PtxWaitForLast();
  if (i < n) r[i] = b[i] - r[i];
}

PetscErrorCode AutoCSRDeviceSubtract(PetscInt n, const PetscScalar b[], PetscScalar r[])
{
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(SubtractKernel, (unsigned)(((PetscInt64)n + THREADS - 1) / THREADS), THREADS, 0, AUTOCSR_STREAM)(n, b, r);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
