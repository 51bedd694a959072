/* VALUE of order propagated, which is written again whenever values are new (plan/propagate.c on the host) */
#include "encode.cuh"

/* VALUE: a block a row block. The entry is where the row has its column */
static __global__ void __launch_bounds__(4 * BLOCK) WriteValues(AutoCSRSegment seg, AutoCSRMatrix csr, const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  const PetscInt *block_row = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const uint16_t *chunk_row   = (const uint16_t *)seg.stream[AUTOCSR_STREAM_CHUNK_ROW].data;
  const uint8_t  *chunk_place = (const uint8_t *)seg.stream[AUTOCSR_STREAM_CHUNK_PLACE].data;
  const PetscInt  b           = blockIdx.x;

  for (PetscInt i = chunk_ptr[b] * AUTOCSR_PROPAGATE_CHUNK + (PetscInt)threadIdx.x; i < chunk_ptr[b + 1] * AUTOCSR_PROPAGATE_CHUNK; i += 4 * BLOCK) {
    const PetscInt in = AutoCSRPropagateRowOf(chunk_row[i]);

    if (in == AUTOCSR_PROPAGATE_NO_ROW) continue;

    const PetscInt row  = AutoCSRSegmentRow(&seg, block_row[b] + in);
    const PetscInt slot = AutoCSRPropagateSlotOf(&seg, i / AUTOCSR_PROPAGATE_CHUNK, AutoCSRPropagatePlaceOf(chunk_row[i], chunk_place[i]));
    const PetscInt q    = AutoCSRTiledFindLast(csr.col, csr.row_ptr[row], csr.row_ptr[row + 1], AutoCSRPropagateColumn(&seg, slot));

    AutoCSREncodeValue(&seg, seg.axes.value, dictionary, &csr.val[q], slot);
  }
}

PetscErrorCode DeviceEncodePropagateValue(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const PetscInt blocks = AutoCSRPropagateRowBlocks(seg);

  PetscFunctionBegin;
  if (!blocks) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(WriteValues, (unsigned)blocks, 4 * BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, dictionary);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
