/*
  The transpose as a CSR of its own: a stable sort of the entries by column, so that rows ascend within a column, which are
  its columns. place tells where the original of each entry lies, so that new values need no sort.
*/
#include "planner.cuh"
#include <cub/device/device_radix_sort.cuh>

#define SPAN 1024 /* entries of a warp */

/* Of each entry its number and its row */
static __global__ void __launch_bounds__(BLOCK) NameEntries(AutoCSRMatrix csr, PetscInt number[], PetscInt row_of[])
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  SliceEntries           &slice = slices[threadIdx.x / WARP];
  const PetscInt64        begin = FirstOfThread() / WARP * SPAN;

  WarpWalkEntries(csr.row_ptr, csr.m, begin, begin + SPAN < csr.nnz ? begin + SPAN : csr.nnz, slice, [&](PetscInt first, PetscInt64 from, PetscInt64 to) {
    for (PetscInt64 p = from + Lane(); p < to; p += WARP) {
      number[p] = (PetscInt)p;
      row_of[p] = first + slice.RowOf((PetscInt)p);
    }
  });
}

/* Where column j begins among the sorted columns; an entry's row is its column in the transpose */
static __global__ void __launch_bounds__(BLOCK) Offsets(PetscInt n, PetscInt nnz, const PetscInt column[], PetscInt row_ptr[])
{
  PtxWaitForLast();
  for (PetscInt64 j = FirstOfThread(); j <= n; j += StrideOfThreads()) {
    PetscInt lo = 0, hi = nnz;

    while (lo < hi) {
      const PetscInt middle = lo + (hi - lo) / 2;

      if (column[middle] < j)
        lo = middle + 1;
      else
        hi = middle;
    }
    row_ptr[j] = lo;
  }
}

template <typename T>
static __global__ void __launch_bounds__(BLOCK) Gather(PetscInt n, const PetscInt place[], const T from[], T to[])
{
  PtxWaitForLast();
  for (PetscInt64 k = FirstOfThread(); k < n; k += StrideOfThreads()) to[k] = from[place[k]];
}

static unsigned GridOfEntries(PetscInt n)
{
  return GridOf(Pieces(n, BLOCK), 8192);
}

PetscErrorCode AutoCSRDevicePermute(PetscInt nnz, const PetscInt place[], const PetscScalar from[], PetscScalar val[])
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  if (!nnz) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(Gather<PetscScalar>, GridOfEntries(nnz), BLOCK, 0, AUTOCSR_STREAM)(nnz, place, from, val);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of t and place are there */
static PetscErrorCode Fill(const AutoCSRMatrix *csr, PetscInt row_ptr[], PetscInt col[], PetscScalar val[], PetscInt place[])
{
  DeviceScratch scratch[3];
  PetscInt     *number, *row_of, *column;
  int           bits = 1;

  PetscFunctionBegin;
  while (bits < (int)(8 * sizeof(PetscInt)) - 1 && (csr->n - 1) >> bits) bits++;
  PetscCall(scratch[0].Allocate((size_t)csr->nnz, &number));
  PetscCall(scratch[1].Allocate((size_t)csr->nnz, &row_of));
  PetscCall(scratch[2].Allocate((size_t)csr->nnz, &column));
  if (csr->nnz) {
    Launch(NameEntries, (unsigned)Pieces(csr->nnz, SPAN * (BLOCK / WARP)), BLOCK, 0, AUTOCSR_STREAM)(*csr, number, row_of);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceRadixSort::SortPairs(temporary, bytes, (const DeviceUnsigned *)csr->col, (DeviceUnsigned *)column, number, place, csr->nnz, 0, bits, AUTOCSR_STREAM); }));
    Launch(Gather<PetscInt>, GridOfEntries(csr->nnz), BLOCK, 0, AUTOCSR_STREAM)(csr->nnz, place, row_of, col);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(AutoCSRDevicePermute(csr->nnz, place, csr->val, val));
  }
  Launch(Offsets, GridOfEntries(csr->n + 1), BLOCK, 0, AUTOCSR_STREAM)(csr->n, csr->nnz, column, row_ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceTranspose(const AutoCSRMatrix *csr, AutoCSRMatrix *t, PetscInt **place)
{
  void          *row_ptr = NULL, *col = NULL, *val = NULL, *from = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ierr = AutoCSRDeviceAllocate((size_t)(csr->n + 1) * sizeof(PetscInt), &row_ptr);
  if (!ierr) ierr = AutoCSRDeviceAllocate((size_t)csr->nnz * sizeof(PetscInt), &col);
  if (!ierr) ierr = AutoCSRDeviceAllocate((size_t)csr->nnz * sizeof(PetscScalar), &val);
  if (!ierr) ierr = AutoCSRDeviceAllocate((size_t)csr->nnz * sizeof(PetscInt), &from);
  if (!ierr) ierr = Fill(csr, (PetscInt *)row_ptr, (PetscInt *)col, (PetscScalar *)val, (PetscInt *)from);
  if (ierr) {
    void *all[] = {row_ptr, col, val, from};

    for (void *data : all) PetscCall(AutoCSRDeviceDeallocate(data));
  }
  PetscCall(ierr);
  *t         = *csr;
  t->m       = csr->n;
  t->n       = csr->m;
  t->row_ptr = (PetscInt *)row_ptr;
  t->col     = (PetscInt *)col;
  t->val     = (PetscScalar *)val;
  t->adds    = PETSC_FALSE;
  *place     = (PetscInt *)from;
  PetscFunctionReturn(PETSC_SUCCESS);
}
