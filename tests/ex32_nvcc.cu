/* The half of ex32 that nvcc compiles: what kernels call, called by the host */
#include "ex32.h"

/* The streams that are filled row by row or slice by slice, once more, into `seg` */
PetscErrorCode Encode_NVCC(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const PetscBool sliced = (PetscBool)(seg->axes.order == AUTOCSR_ORDER_SLICED);
  const PetscInt  rows   = sliced ? seg->n_slices * seg->axes.slice_height : seg->n_rows;
  PetscInt        blocks = 0;

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < seg->n_slices && sliced; s++) {
    const PetscInt *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;

    PetscCheck(AutoCSREncodeSliceWidth(seg, csr, s) * seg->axes.slice_height == slice_ptr[s + 1] - slice_ptr[s], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Width of slice %" PetscInt_FMT, s);
  }
  for (PetscInt s = 0; s < seg->n_slices && seg->axes.index == AUTOCSR_INDEX_16; s++) PetscCheck(AutoCSREncodeSliceBase(seg, csr, s), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Columns of slice %" PetscInt_FMT, s);
  for (PetscInt k = 0; k < rows; k++) {
    AutoCSREncodeRowIndex(seg, csr, k);
    AutoCSREncodeRowValue(seg, csr, dictionary, k);
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

    AutoCSRSegmentSliceRows(seg, csr, s, begin, length);
    PetscCheck(AutoCSRFitSlice(csr->col, begin, length, (int)h, (slice_ptr[s + 1] - slice_ptr[s]) / h, &period) == slice.width && period == slice.period, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Model of slice %" PetscInt_FMT, s);
    for (PetscInt t = 0; t < (slice_ptr[s + 1] - slice_ptr[s]) / h; t++) AutoCSREncodeFit(seg, csr, s, t, begin, length);
  }
  for (PetscInt i = 0; i <= seg->n_rows / seg->axes.block && seg->axes.order == AUTOCSR_ORDER_BLOCKED; i++) AutoCSREncodeBlockPtr(seg, csr, i);
  for (PetscInt p = 0; p < seg->n_patterns && seg->axes.value == AUTOCSR_VALUE_PATTERN; p++) AutoCSREncodePatternValue(seg, csr, p);
  for (PetscInt p = 0; p < seg->n_patterns; p++) AutoCSREncodePatternRoot(seg, p);
  if (seg->axes.mapping == AUTOCSR_MAP_MERGE) {
    for (; blocks < AutoCSRSegmentWorkBlocks(seg); blocks++) AutoCSREncodeMergeWork(seg, csr, blocks);
  }
  if (AutoCSRMappingHasWork(seg->axes.mapping)) AutoCSREncodeWorkEnd(seg, csr, blocks);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every entry of the segment as it is in the CSR, values bit by bit */
PetscErrorCode Decode_NVCC(const AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt p = csr->row_ptr[AutoCSRSegmentRow(seg, k)], length = AutoCSRSegmentRowLength(seg, csr, k);

    for (PetscInt t = 0; t < length; t++) {
      const PetscScalar value = AutoCSRDecodeValue(seg, csr, k, t);

      PetscCheck(AutoCSRDecodeColumn(seg, csr, k, t) == csr->col[p + t], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Column %" PetscInt_FMT " of row %" PetscInt_FMT, t, k);
      PetscCheck(!memcmp(&value, &csr->val[p + t], sizeof(value)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value %" PetscInt_FMT " of row %" PetscInt_FMT, t, k);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
