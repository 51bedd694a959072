/*
  New values where entries lie by column tile. VALUE_SLOT, where each entry lies, is made when values are new for the first time and kept:
  finding it takes longer than products do. Who never sets new values does not pay for it.

  Bytes: of an entry its value read and written, and its slot. Entries that follow one another in the CSR are written near those of the rows
  around, which L2 joins.
*/
#include "chunks.cuh"

static constexpr int AT_ONCE = 4; /* entries of a thread: what it waits for is on the way together */

/* Of a segment whose rows follow one another */
static __global__ void __launch_bounds__(BLOCK) WriteValues(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt nnz, const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  const PetscInt   *value_slot = (const PetscInt *)seg.stream[AUTOCSR_STREAM_VALUE_SLOT].data, first = csr.row_ptr[seg.row_begin];
  const PetscInt64  e = (PetscInt64)blockIdx.x * (AT_ONCE * BLOCK) + threadIdx.x;
  PetscInt          slot[AT_ONCE];
  PetscScalar       v[AT_ONCE];

#pragma unroll
  for (int u = 0; u < AT_ONCE; u++) {
    slot[u] = LoadStreamIf(e + u * BLOCK < nnz, value_slot + e + u * BLOCK);
    v[u]    = LoadStreamIf(e + u * BLOCK < nnz, csr.val + first + e + u * BLOCK);
  }
#pragma unroll
  for (int u = 0; u < AT_ONCE; u++) {
    if (e + u * BLOCK < nnz) AutoCSREncodeValue(&seg, seg.axes.value, dictionary, &v[u], slot[u]);
  }
}

/* Of one whose rows are named */
static __global__ void __launch_bounds__(BLOCK) WriteNamedValues(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  const PetscInt         *value_slot = (const PetscInt *)seg.stream[AUTOCSR_STREAM_VALUE_SLOT].data;

  EachEntry(seg, csr, ptr, nnz, slices[threadIdx.x / WARP], [&](PetscInt q) { return csr.val[q]; }, [&](PetscInt e, PetscInt, PetscScalar v) { AutoCSREncodeValue(&seg, seg.axes.value, dictionary, &v, value_slot[e]); });
}

/* Without the memory to find all slots, nothing is left of them */
static PetscErrorCode MakeValueSlots(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const PetscInt ptr[])
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE_SLOT, seg->nnz));
  ierr = (seg->axes.order == AUTOCSR_ORDER_TILED ? DeviceTiledValueSlots : seg->axes.order == AUTOCSR_ORDER_POPULAR ? DevicePopularValueSlots : DevicePropagateValueSlots)(seg, csr, ptr);
  if (ierr) PetscCall(AutoCSRStreamFree(seg, AUTOCSR_STREAM_VALUE_SLOT));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeTileValues(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  DeviceScratch scratch;
  PetscInt     *ptr = NULL;

  PetscFunctionBegin;
  if (!seg->nnz) PetscFunctionReturn(PETSC_SUCCESS);
  if (seg->stream[AUTOCSR_STREAM_ROWS].data) {
    PetscCall(scratch.Allocate((size_t)seg->n_rows + 1, &ptr));
    PetscCall(DeviceCountEntries(seg, csr, ptr));
  }
  if (!seg->stream[AUTOCSR_STREAM_VALUE_SLOT].data) PetscCall(MakeValueSlots(seg, csr, ptr));
  if (ptr)
    Launch(WriteNamedValues, GridOfEntries(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, seg->nnz, dictionary);
  else
    Launch(WriteValues, (unsigned)Pieces(seg->nnz, AT_ONCE * BLOCK), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, seg->nnz, dictionary);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
