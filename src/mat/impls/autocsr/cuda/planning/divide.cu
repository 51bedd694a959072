/* Entries near the diagonal, or far from it, as a CSR of their own (plan/division.c) */
#include "planner.cuh"
#include "../common/sums.cuh"

/* A warp a row. count[i]: entries of row i, and 0 past the last row */
static __global__ void __launch_bounds__(BLOCK) CountNearness(AutoCSRMatrix csr, PetscInt reach, AutoCSRNearness nearness, PetscInt count[])
{
  PtxWaitForLast();
  for (PetscInt64 i = FirstOfThread() / WARP; i <= csr.m; i += StrideOfThreads() / WARP) {
    PetscInt n = 0;

    if (i < csr.m) {
      for (PetscInt64 q = (PetscInt64)csr.row_ptr[i] + Lane(); q < csr.row_ptr[i + 1]; q += WARP) n += AutoCSRHasNearness((PetscInt)i, csr.col[q], reach, nearness);
    }
    n = WarpSum(n);
    if (Lane() == 0) count[i] = n;
  }
}

static __global__ void __launch_bounds__(BLOCK) TakeNearness(AutoCSRMatrix csr, PetscInt reach, AutoCSRNearness nearness, const PetscInt row_ptr[], PetscInt col[], PetscScalar val[])
{
  PtxWaitForLast();
  for (PetscInt64 i = FirstOfThread() / WARP; i < csr.m; i += StrideOfThreads() / WARP) {
    const PetscInt64 end = csr.row_ptr[i + 1];
    PetscInt64       to  = row_ptr[i];

    for (PetscInt64 first = csr.row_ptr[i]; first < end; first += WARP) {
      const PetscInt64 q    = first + Lane();
      const PetscInt   c    = q < end ? csr.col[q] : 0;
      const unsigned   take = __ballot_sync(ALL_LANES, q < end && AutoCSRHasNearness((PetscInt)i, c, reach, nearness));

      if (take >> Lane() & 1) {
        const PetscInt64 place = to + __popc(take & ((1u << Lane()) - 1));

        col[place] = c;
        val[place] = csr.val[q];
      }
      to += __popc(take);
    }
  }
}

PetscErrorCode AutoCSRDeviceDivide(const AutoCSRMatrix *csr, PetscInt reach, AutoCSRNearness nearness, AutoCSRMatrix *part)
{
  const unsigned grid = GridOf(Pieces(csr->m / (BLOCK / WARP) + 1, 1), 8192);
  PetscInt      *row_ptr, *col;
  PetscScalar   *val;

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  PetscCall(AutoCSRDeviceAllocate((size_t)(csr->m + 1) * sizeof(*row_ptr), (void **)&row_ptr));
  part->row_ptr = row_ptr;
  Launch(CountNearness, grid, BLOCK, 0, AUTOCSR_STREAM)(*csr, reach, nearness, row_ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(csr->m, row_ptr));
  PetscCall(AutoCSRDeviceToHost(&part->nnz, row_ptr + csr->m, sizeof(part->nnz)));
  PetscCall(AutoCSRDeviceAllocate((size_t)part->nnz * sizeof(*col), (void **)&col));
  part->col = col;
  PetscCall(AutoCSRDeviceAllocate((size_t)part->nnz * sizeof(*val), (void **)&val));
  part->val = val;
  Launch(TakeNearness, grid, BLOCK, 0, AUTOCSR_STREAM)(*csr, reach, nearness, row_ptr, col, val);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
