/* The half of device_encoders.c that nvcc compiles: what kernels call, called by the host */
#include "device_encoders.h"

/* The streams that rows, slices or entries fill, once more, into `seg`, which has zeros */
PetscErrorCode Encode_NVCC(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const AutoCSRLayout *layout = AutoCSRLayoutOf(&seg->axes);
  const PetscInt       b      = seg->axes.block;
  PetscInt             blocks = 0;

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < seg->n_slices && seg->axes.order == AUTOCSR_ORDER_SLICED; s++) {
    const PetscInt *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, h = seg->axes.slice_height;
    PetscInt        longest   = 0;

    for (PetscInt k = s * h; k < (s + 1) * h; k++) longest = PetscMax(longest, AutoCSRSegmentRowLength(seg, csr, k));
    PetscCheck(AutoCSREncodeWidth(&seg->axes, longest) * h == slice_ptr[s + 1] - slice_ptr[s], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Width of slice %" PetscInt_FMT, s);
  }
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt p = csr->row_ptr[AutoCSRSegmentRow(seg, k)], length = AutoCSRSegmentRowLength(seg, csr, k);

    for (PetscInt t = 0; t < length && AutoCSRValueIsStored(seg->axes.value); t++) AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[p + t], (*layout->slot)(seg, csr, k, t));
    for (PetscInt t = 0; t < length / b && b > 1 && k % b == 0; t++) {
      const PetscInt q = AutoCSRSegmentBlockSlot(seg, csr, k) + t;

      if (seg->axes.index == AUTOCSR_INDEX_32) ((uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[q] = (uint32_t)AutoCSREncodeBlock(seg, csr, k, t);
      if (seg->axes.index == AUTOCSR_INDEX_16) ((uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[q] = (uint16_t)AutoCSREncodeBlock(seg, csr, k, t);
    }
    if (seg->axes.mapping == AUTOCSR_MAP_ROW_BLOCKS) {
      AutoCSREncodeWork(seg, csr, k, blocks);
      blocks += AutoCSREncodeRowBlocks(seg, csr, k);
    }
  }
  for (PetscInt s = 0; s < seg->n_slices && seg->axes.index == AUTOCSR_INDEX_FITTED; s++) {
    const PetscInt       *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, h = seg->axes.slice_height;
    const AutoCSRSliceFit slice = ((const AutoCSRSliceFit *)seg->stream[AUTOCSR_STREAM_SLICE_FIT].data)[s];
    PetscInt              begin[AUTOCSR_MAX_FIT_ROWS], length[AUTOCSR_MAX_FIT_ROWS];
    int                   period = 0;

    for (PetscInt j = 0; j < h; j++) {
      length[j] = AutoCSRSegmentRowLength(seg, csr, s * h + j);
      begin[j]  = length[j] ? csr->row_ptr[AutoCSRSegmentRow(seg, s * h + j)] : 0;
    }
    PetscCheck(AutoCSRFitSlice(csr->col, begin, length, (int)h, (slice_ptr[s + 1] - slice_ptr[s]) / h, &period) == slice.width && period == slice.period, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Model of slice %" PetscInt_FMT, s);
    for (PetscInt t = 0; t < (slice_ptr[s + 1] - slice_ptr[s]) / h; t++) AutoCSREncodeFit(seg, csr, s, t, begin, length);
  }
  for (PetscInt i = 0; i <= seg->n_rows / seg->axes.block && seg->axes.order == AUTOCSR_ORDER_BLOCKED; i++) AutoCSREncodeBlockPtr(seg, csr, i);
  for (PetscInt p = 0; p < seg->n_patterns; p++) ((AutoCSRPatternRoot *)seg->stream[AUTOCSR_STREAM_PATTERN_ROOT].data)[p] = AutoCSRPatternRootAmong(seg, p, 0, 1);
  if (seg->axes.mapping == AUTOCSR_MAP_MERGE) {
    for (; blocks < AutoCSRSegmentWorkBlocks(seg); blocks++) AutoCSREncodeMergeWork(seg, csr, blocks);
  }
  if (AutoCSRMappingHasWork(seg->axes.mapping)) AutoCSREncodeWorkEnd(seg, csr, blocks);
  PetscFunctionReturn(PETSC_SUCCESS);
}
