/* VALUE of order propagated, which is written again whenever values are new (plan/propagate.c on the host) */
#include "encode.cuh"

/* VALUE: a block a chunk, a lane a row, or a warp a long one. The entry is where the row has its column */
static __global__ void __launch_bounds__(BLOCK) WriteValues(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt blocks, const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  const PetscInt             *block_row = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const PetscInt              chunk = blockIdx.x, b = WarpFindLast([=](PetscInt i) { return chunk_ptr[i]; }, blocks, chunk);
  const AutoCSRPropagateCodes codes = AutoCSRPropagateCodesOf(&seg, chunk);

  const auto write = [&](int r, int place) {
    const PetscInt row  = AutoCSRSegmentRow(&seg, block_row[b] + codes.row[r]);
    const PetscInt slot = AutoCSRPropagateSlotOf(&seg, chunk, place);
    const PetscInt q    = AutoCSRTiledFindLast(csr.col, csr.row_ptr[row], csr.row_ptr[row + 1], AutoCSRPropagateColumn(&seg, slot));

    AutoCSREncodeValue(&seg, seg.axes.value, dictionary, &csr.val[q], slot);
  };

  for (int r = (int)threadIdx.x / WARP; r < codes.n_long; r += BLOCK / WARP) {
    for (int i = codes.begin[r] + Lane(); i < codes.begin[r + 1]; i += WARP) write(r, codes.long_place[i]);
  }
  for (int r = (int)threadIdx.x; r < codes.n_short; r += BLOCK) {
    for (int j = 0; j < AUTOCSR_PROPAGATE_MOST && r < codes.first[j + 1] - codes.first[j]; j++) write(codes.n_long + r, codes.place[codes.first[j] + r]);
  }
}

PetscErrorCode DeviceEncodePropagateValue(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const PetscInt chunks = AutoCSRPropagateChunks(seg);

  PetscFunctionBegin;
  if (!chunks) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(WriteValues, (unsigned)chunks, BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, AutoCSRPropagateRowBlocks(seg), dictionary);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
