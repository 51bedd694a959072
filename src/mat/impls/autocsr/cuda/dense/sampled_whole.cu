/*
  Dense matrices sampled where a nearly dense A has entries, on the device: cuBLAS makes all of Y X^T (vendor.c), and each entry takes its own.
  A warp has a row, whose part of Y X^T lies side by side. What is written may be val, so a lane reads TOGETHER entries before it writes one.

  Bytes, in real double: 28 an entry and 8 to 16 a place of A, the latter from L2 where it fits. cuBLAS makes two operations a place and
  column, at some 50 TFLOP/s.
*/
#include "sampled.cuh"

static constexpr size_t KEPT = (size_t)64 << 20; /* bytes: with memory from the pool a small product takes twice as long */

static __global__ void __launch_bounds__(AUTOCSR_THREADS) TakeEntries(PetscInt m, PetscInt n, const PetscInt row_ptr[], const PetscInt col[], const PetscScalar val[], const PetscScalar all[], PetscScalar written[])
{
  PtxWaitForLast();
  const PetscInt row = (PetscInt)blockIdx.x * WARPS + (PetscInt)threadIdx.x / WARP;

  if (row >= m) return;
  const PetscInt     end    = LoadCached(row_ptr + row + 1);
  const PetscScalar *of_row = all + (size_t)row * n;

  for (PetscInt q = LoadCached(row_ptr + row) + (PetscInt)threadIdx.x % WARP; q < end; q += TOGETHER * WARP) {
    PetscInt    column[TOGETHER];
    PetscScalar a[TOGETHER], s[TOGETHER];

#pragma unroll
    for (int k = 0; k < TOGETHER; k++) {
      const PetscInt at = q + k * WARP < end ? q + k * WARP : q; /* an entry that there is */

      column[k] = LoadStream(col + at);
      a[k]      = val[at];
    }
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) s[k] = LoadCached(of_row + column[k]);
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) {
      if (q + k * WARP < end) written[q + k * WARP] = Multiply(a[k], s[k]);
    }
  }
}

/* cuBLAS has its own memory before the scalars of all places take what is left. A few of these stay with the matrix, as panels do, more go back to the pool at once */
PetscErrorCode AutoCSRDeviceSampleDenseWhole(AutoCSRDense *kept, const AutoCSRSampledOperands *op)
{
  const AutoCSRMatrix *csr   = op->csr;
  const size_t         bytes = (size_t)csr->m * (size_t)csr->n * sizeof(PetscScalar);
  const PetscBool      stays = (PetscBool)(bytes <= KEPT);
  PetscErrorCode       ierr; /* the caller can live without memory */
  void                *all;

  PetscFunctionBegin;
  PetscCall(AutoCSRVendorMultiplyDense(csr->n, csr->m, op->columns, op->Y, op->ldy, op->by_rows, op->X, op->ldx, NULL));
  if (stays)
    PetscCall(AutoCSRDenseGetPanel(kept, bytes, &all));
  else
    PetscCall(AutoCSRDeviceAllocate(bytes, &all));
  ierr = AutoCSRVendorMultiplyDense(csr->n, csr->m, op->columns, op->Y, op->ldy, op->by_rows, op->X, op->ldx, (PetscScalar *)all);
  if (!ierr) Launch(TakeEntries, (unsigned)CeilDivide(csr->m, WARPS), AUTOCSR_THREADS, 0, AUTOCSR_STREAM)(csr->m, csr->n, csr->row_ptr, csr->col, csr->val, (const PetscScalar *)all, op->val);
  if (!stays) PetscCall(AutoCSRDeviceDeallocate(all));
  PetscCall(ierr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
