/* Codes of columns and values on the host */
#include "check.h"

/*
  BASE of slice s: its smallest column, 0 if it has none. Returns whether 16 bits hold the distance to its largest column,
  in dense blocks
*/
static PetscBool EncodeBase(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt s)
{
  const PetscInt h    = AutoCSRAxesSliceRows(&seg->axes);
  PetscInt      *base = (PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data;
  PetscInt       lo = csr->n, hi = -1;

  for (PetscInt k = s * h; k < (s + 1) * h; k++) {
    if (AutoCSRSegmentRowLength(seg, csr, k)) {
      const PetscInt row = AutoCSRSegmentRow(seg, k), first = csr->col[csr->row_ptr[row]], last = csr->col[csr->row_ptr[row + 1] - 1];

      if (lo > first) lo = first;
      if (hi < last) hi = last;
    }
  }
  base[s] = hi < 0 ? 0 : lo;
  return (PetscBool)((hi - lo) / seg->axes.block < 65536);
}

PetscErrorCode AutoCSREncodeBases(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt rows = AutoCSRAxesSliceRows(&seg->axes);

  PetscFunctionBegin;
  seg->n_slices = seg->n_rows / rows + (seg->n_rows % rows != 0);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BASE, seg->n_slices));
  for (PetscInt s = 0; s < seg->n_slices; s++) PetscCheck(EncodeBase(seg, csr, s), PETSC_COMM_SELF, PETSC_ERR_PLIB, "16 bits do not hold the columns of slice %" PetscInt_FMT " of %" PetscInt_FMT " rows", s, rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSREncodeShareBases(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt share = AutoCSRAxesBaseEntries(&seg->axes), *col = csr->col + csr->row_ptr[seg->row_begin];
  PetscInt      *base;

  PetscFunctionBegin;
  seg->n_slices = AutoCSRBaseShares(seg->nnz, share);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BASE, seg->n_slices));
  base = (PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data;
  for (PetscInt s = 0; s < seg->n_slices; s++) {
    const PetscInt end = seg->nnz - s * share > share ? (s + 1) * share : seg->nnz;
    PetscInt       lo = col[s * share], hi = lo;

    for (PetscInt q = s * share; q < end; q++) {
      lo = PetscMin(lo, col[q]);
      hi = PetscMax(hi, col[q]);
    }
    base[s] = lo;
    PetscCheck(hi - lo < 65536, PETSC_COMM_SELF, PETSC_ERR_PLIB, "16 bits do not hold the columns of share %" PetscInt_FMT " of %" PetscInt_FMT " entries", s, share);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSREncodeValuesInOrder(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const AutoCSRValue coding = seg->axes.value;
  const PetscScalar *val    = csr->val + csr->row_ptr[seg->row_begin];

  PetscFunctionBegin;
  for (PetscInt q = 0; q < seg->nnz; q++) AutoCSREncodeValue(seg, coding, dictionary, &val[q], q);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt AutoCSRSlotInOrder(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  return csr->row_ptr[AutoCSRSegmentRow(seg, k)] - csr->row_ptr[seg->row_begin] + t;
}

PetscInt AutoCSRDecodeIndex(const AutoCSRSegment *seg, PetscInt k, PetscInt q)
{
  const void    *index = seg->stream[AUTOCSR_STREAM_INDEX].data;
  const PetscInt share = AutoCSRAxesBaseEntries(&seg->axes);

  if (seg->axes.index == AUTOCSR_INDEX_32) return (PetscInt)((const uint32_t *)index)[q];
  return ((const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data)[share ? q / share : k / seg->axes.slice_height] + (PetscInt)((const uint16_t *)index)[q];
}

PetscScalar AutoCSRDecodeValue(const AutoCSRLayout *layout, const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const AutoCSRStream *stream = seg->stream;
  PetscInt             q;

  if (seg->axes.value == AUTOCSR_VALUE_CSR) return csr->val[csr->row_ptr[AutoCSRSegmentRow(seg, k)] + t];
  if (seg->axes.value == AUTOCSR_VALUE_PATTERN) return ((const PetscScalar *)stream[AUTOCSR_STREAM_PATTERN_VALUE].data)[((const PetscInt *)stream[AUTOCSR_STREAM_PATTERN_PTR].data)[((const uint16_t *)stream[AUTOCSR_STREAM_PATTERN_ID].data)[k]] + t];
  if (seg->axes.value == AUTOCSR_VALUE_CONSTANT) return ((const PetscScalar *)stream[AUTOCSR_STREAM_DICTIONARY].data)[0];
  q = (*layout->slot)(seg, csr, k, t);
  if (q < 0) return 0;
  if (seg->axes.value == AUTOCSR_VALUE_COPY) return ((const PetscScalar *)stream[AUTOCSR_STREAM_VALUE].data)[q];
  if (seg->axes.value == AUTOCSR_VALUE_DICTIONARY) return ((const PetscScalar *)stream[AUTOCSR_STREAM_DICTIONARY].data)[((const uint8_t *)stream[AUTOCSR_STREAM_VALUE].data)[q]];
  return AutoCSRScalarFromFloats(((const float(*)[AUTOCSR_REALS])stream[AUTOCSR_STREAM_VALUE].data)[q]);
}

PetscErrorCode AutoCSRCountCodes(const AutoCSRSegment *seg, PetscInt i, PetscInt slots, PetscInt64 count[])
{
  const AutoCSRAxes *a    = &seg->axes;
  const PetscInt     rows = AutoCSRAxesSliceRows(a), share = AutoCSRAxesBaseEntries(a);

  PetscFunctionBegin;
  if (share) {
    AutoCSRCheckSegment(seg->n_slices == AutoCSRBaseShares(seg->nnz, share), " of %" PetscInt_FMT " entries has %" PetscInt_FMT " shares of %" PetscInt_FMT " entries", i, seg->nnz, seg->n_slices, share);
    count[AUTOCSR_STREAM_BASE] = seg->n_slices;
  } else if (AutoCSRAxesHaveBase(a)) {
    AutoCSRCheckSegment(seg->n_slices == seg->n_rows / rows + (seg->n_rows % rows != 0), " of %" PetscInt_FMT " rows has %" PetscInt_FMT " slices of %" PetscInt_FMT " rows", i, seg->n_rows, seg->n_slices, rows);
    count[AUTOCSR_STREAM_BASE] = seg->n_slices;
  }
  if (a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16) count[AUTOCSR_STREAM_INDEX] = slots / (a->block * a->block);
  if (AutoCSRValueIsStored(a->value)) count[AUTOCSR_STREAM_VALUE] = slots;
  PetscFunctionReturn(PETSC_SUCCESS);
}
