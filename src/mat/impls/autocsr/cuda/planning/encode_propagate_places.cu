/* VALUE_PLACE of order propagated, which is made when values are new for the first time: an entry is where its row has its column, so that entries are not sorted again */
#include "encode.cuh"

/* A block a chunk, a lane a row, or a warp a long one. Padding has no entry: places are negative before */
static __global__ void __launch_bounds__(BLOCK) WriteValuePlaces(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt blocks)
{
  PtxWaitForLast();
  const PetscInt             *block_row = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const PetscInt              chunk = blockIdx.x, b = WarpFindLast([=](PetscInt i) { return chunk_ptr[i]; }, blocks, chunk);
  const AutoCSRPropagateCodes codes      = AutoCSRPropagateCodesOf(&seg, chunk);
  PetscInt                   *value_place = (PetscInt *)seg.stream[AUTOCSR_STREAM_VALUE_PLACE].data;

  const auto write = [&](int r, int place) {
    const PetscInt k = block_row[b] + codes.row[r], row = AutoCSRSegmentRow(&seg, k);
    const PetscInt slot = AutoCSRPropagateSlotOf(&seg, chunk, place);

    value_place[slot] = AutoCSRTiledFindLast(csr.col, csr.row_ptr[row], csr.row_ptr[row + 1], AutoCSRPropagateColumn(&seg, slot));
  };

  for (int r = (int)threadIdx.x / WARP; r < codes.n_long; r += BLOCK / WARP) {
    for (int i = codes.begin[r] + Lane(); i < codes.begin[r + 1]; i += WARP) write(r, codes.long_place[i]);
  }
  for (int r = (int)threadIdx.x; r < codes.n_short; r += BLOCK) {
    for (int j = 0; j < AUTOCSR_PROPAGATE_MOST && r < codes.first[j + 1] - codes.first[j]; j++) write(codes.n_long + r, codes.place[codes.first[j] + r]);
  }
}

PetscErrorCode DevicePropagateValuePlaces(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt chunks = AutoCSRPropagateChunks(seg);

  PetscFunctionBegin;
  if (!chunks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaMemsetAsync(seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data, 0xff, seg->stream[AUTOCSR_STREAM_VALUE_PLACE].bytes, AUTOCSR_STREAM));
  Launch(WriteValuePlaces, (unsigned)chunks, BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, AutoCSRPropagateRowBlocks(seg));
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
