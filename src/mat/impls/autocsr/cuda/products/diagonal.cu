/* The diagonal of a matrix on the device: a thread for each row, whose columns may lie in any order, as they may for the parent */
#include "../device.h"

static __global__ void Diagonal(AutoCSRMatrix csr, PetscScalar *diagonal)
{
  const PetscInt row = (PetscInt)blockIdx.x * (PetscInt)blockDim.x + (PetscInt)threadIdx.x;
  PetscInt       begin, end;

  if (row >= csr.m) return;
  begin = csr.row_ptr[row];
  end   = csr.row_ptr[row + 1];
  while (begin < end && csr.col[begin] != row) begin++;
  diagonal[row] = begin < end ? csr.val[begin] : PetscScalar(0);
}

PetscErrorCode AutoCSRDeviceGetDiagonal(const AutoCSRMatrix *csr, PetscScalar *diagonal)
{
  const unsigned threads = 256;

  PetscFunctionBegin;
  if (!csr->m) PetscFunctionReturn(PETSC_SUCCESS);
  Diagonal<<<(unsigned)((csr->m + threads - 1) / threads), threads, 0, AUTOCSR_STREAM>>>(*csr, diagonal);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
