/*
  New values where entries lie by column tile. VALUE_PLACE, which value of the CSR each slot has, is made when values are new for the first time and kept:
  finding it takes longer than products do, and a program that sets no new values does not pay for it.

  Slots are written side by side and values fetched, not the other way round: scattered values of 8 bytes reach L2 as parts of sectors, and a device
  takes only so many sectors a second.
  Bytes: of a slot its place read and its value written; of neighbours in a row and a tile, the sectors of their values.
*/
#include "chunks.cuh"

static __global__ void __launch_bounds__(BLOCK) WriteValues(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt slots, const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  const PetscInt  *value_place = (const PetscInt *)seg.stream[AUTOCSR_STREAM_VALUE_PLACE].data;
  const PetscInt64 first       = (PetscInt64)blockIdx.x * (AT_ONCE * BLOCK) + threadIdx.x;
  PetscInt         place[AT_ONCE];
  PetscScalar      v[AT_ONCE];

#pragma unroll
  for (int u = 0; u < AT_ONCE; u++) place[u] = first + u * BLOCK < slots ? LoadStream(value_place + first + u * BLOCK) : -1;
#pragma unroll
  for (int u = 0; u < AT_ONCE; u++) v[u] = LoadCachedIf(place[u] >= 0, csr.val + place[u]);
#pragma unroll
  for (int u = 0; u < AT_ONCE; u++) {
    if (place[u] >= 0) AutoCSREncodeValue(&seg, seg.axes.value, dictionary, &v[u], (PetscInt)first + u * BLOCK);
  }
}

/* Without the memory to find all places, nothing is left of them */
static PetscErrorCode MakeValuePlaces(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt slots)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE_PLACE, slots));
  ierr = (seg->axes.order == AUTOCSR_ORDER_TILED ? DeviceTiledValuePlaces : seg->axes.order == AUTOCSR_ORDER_POPULAR ? DevicePopularValuePlaces : DevicePropagateValuePlaces)(seg, csr);
  if (ierr) PetscCall(AutoCSRStreamFree(seg, AUTOCSR_STREAM_VALUE_PLACE));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeTileValues(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const PetscInt slots = (PetscInt)(seg->stream[AUTOCSR_STREAM_VALUE].bytes / AutoCSRStreamElementSize(&seg->axes, AUTOCSR_STREAM_VALUE));

  PetscFunctionBegin;
  if (!seg->nnz) PetscFunctionReturn(PETSC_SUCCESS);
  if (!seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data) PetscCall(MakeValuePlaces(seg, csr, slots));
  Launch(WriteValues, (unsigned)Pieces(slots, AT_ONCE * BLOCK), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, slots, dictionary);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
