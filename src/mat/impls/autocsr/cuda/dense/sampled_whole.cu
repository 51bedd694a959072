/*
  Dense matrices sampled where a nearly dense A has entries, on the device: cuBLAS makes all of Y X^T (vendor.c), of which each entry takes its own.
  A warp has a row, whose part of Y X^T lies side by side.

  Bytes, in real double: 28 an entry and 8 to 16 a place of A, the latter from L2 where it fits. cuBLAS makes two operations a place and
  column, at some 50 TFLOP/s.
*/
#include "sampled.cuh"

static __global__ void __launch_bounds__(AUTOCSR_THREADS) TakeEntries(PetscInt m, PetscInt n, const PetscInt row_ptr[], const PetscInt col[], const PetscScalar val[], const PetscScalar all[], PetscScalar written[])
{
  PtxWaitForLast();
  const PetscInt row = (PetscInt)blockIdx.x * WARPS + (PetscInt)threadIdx.x / WARP;

  if (row >= m) return;
  const PetscInt     end    = LoadCached(row_ptr + row + 1);
  const PetscScalar *of_row = all + (size_t)row * n;

  for (PetscInt q = LoadCached(row_ptr + row) + (PetscInt)threadIdx.x % WARP; q < end; q += WARP) written[q] = Multiply(val[q], LoadCached(of_row + LoadStream(col + q)));
}

PetscErrorCode AutoCSRDeviceSampleDenseWhole(AutoCSRDense *kept, const AutoCSRSampledOperands *op)
{
  const AutoCSRMatrix *csr = op->csr;
  void                *all;

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseGetPanel(kept, (size_t)csr->m * (size_t)csr->n * sizeof(PetscScalar), &all));
  PetscCall(AutoCSRVendorMultiplyDense(csr->n, csr->m, op->columns, op->Y, op->ldy, op->by_rows, op->X, op->ldx, (PetscScalar *)all));
  Launch(TakeEntries, (unsigned)CeilDivide(csr->m, WARPS), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(csr->m, csr->n, csr->row_ptr, csr->col, csr->val, (const PetscScalar *)all, op->val);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
