/* Fills the streams of a segment on the host, by its layout */
#include "plan.h"
#include "../layout/layout.h"
#include "../layout/stretches.h"
#include "../backend.h"

PetscErrorCode AutoCSRSegmentSortRows_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt window = seg->axes.sort_window;
  PetscInt      *rows   = (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data, *work;

  PetscFunctionBegin;
  if (!rows) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, seg->n_rows));
    rows = (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
    for (PetscInt k = 0; k < seg->n_rows; k++) rows[k] = seg->row_begin + k;
  }
  PetscCall(PetscMalloc1(PetscMin(window, seg->n_rows), &work));
  for (PetscInt k = 0; k < seg->n_rows; k += window) PetscCall(AutoCSRSortRowsByLength(csr->row_ptr, PetscMin(window, seg->n_rows - k), rows + k, work));
  PetscCall(PetscFree(work));
  seg->row_begin = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* DICTIONARY, where values are coded so, and the dictionary for those who look values up */
static PetscErrorCode EncodeDictionary(AutoCSRSegment *seg, const AutoCSRProfile *profile, AutoCSRDictionary *dictionary)
{
  PetscFunctionBegin;
  if (!AutoCSRValueDictionary(seg->axes.value)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDictionaryBuild(dictionary, profile->values, profile->value));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_DICTIONARY, AutoCSRValueDictionary(seg->axes.value)));
  PetscCall(PetscArraycpy((PetscScalar *)seg->stream[AUTOCSR_STREAM_DICTIONARY].data, dictionary->value, AutoCSRValueDictionary(seg->axes.value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSegmentEncode_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const AutoCSRLayout *layout = AutoCSRLayoutOf(&seg->axes);
  AutoCSRDictionary    dictionary;

  PetscFunctionBegin;
  seg->nnz = seg->stream[AUTOCSR_STREAM_ROWS].data ? 0 : csr->row_ptr[seg->row_begin + seg->n_rows] - csr->row_ptr[seg->row_begin];
  for (PetscInt k = 0; k < seg->n_rows && seg->stream[AUTOCSR_STREAM_ROWS].data; k++) seg->nnz += AutoCSRSegmentRowLength(seg, csr, k);
  PetscCall((*layout->encode)(seg, csr, profile));
  PetscCall(EncodeDictionary(seg, profile, &dictionary));
  if (AutoCSRValueHasCodes(seg->axes.value)) PetscCall((*layout->refresh)(seg, csr, &dictionary));
  seg->bytes = AutoCSRSegmentBytesMoved(seg, csr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the encoders of every backend rely on */
static PetscErrorCode EncodeCheck(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const AutoCSRAxes   *a          = &seg->axes;
  const AutoCSRLayout *layout     = AutoCSRLayoutOf(a);
  const PetscBool      own_index  = (PetscBool)(a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16);
  const PetscBool      contiguous = (PetscBool)!seg->stream[AUTOCSR_STREAM_ROWS].data;

  PetscFunctionBegin;
  PetscCheck(a->order != AUTOCSR_ORDER_CSR || contiguous || !(own_index || AutoCSRValueIsStored(a->value)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order csr with index %s and value %s needs contiguous rows", AutoCSRIndexNames[a->index], AutoCSRValueNames[a->value]);
  PetscCheck(contiguous || a->mapping == AUTOCSR_MAP_EMPTY || a->mapping == AUTOCSR_MAP_LANES || a->mapping == AUTOCSR_MAP_SLICE || a->mapping == AUTOCSR_MAP_GROUP, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping %s needs contiguous rows", AutoCSRMappingNames[a->mapping]);
  PetscCheck(a->index != AUTOCSR_INDEX_32 || (PetscInt64)csr->n <= (PetscInt64)1 << 32, PETSC_COMM_SELF, PETSC_ERR_PLIB, "32 bits do not hold %" PetscInt_FMT " columns", csr->n);
  PetscCheck(a->index != AUTOCSR_INDEX_FITTED || (csr->n <= AUTOCSR_MAX_FIT_COLUMN && (PetscInt64)csr->n <= (PetscInt64)1 << 32), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Models do not reach %" PetscInt_FMT " columns", csr->n);
  PetscCheck(a->index != AUTOCSR_INDEX_PATTERN || (profile && profile->pattern_id), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Index pattern needs a profile with row patterns");
  PetscCheck(a->value != AUTOCSR_VALUE_PATTERN || profile->pattern_values, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value pattern needs a profile in which rows of one pattern have the same values");
  PetscCheck(a->value != AUTOCSR_VALUE_DICTIONARY || (profile && profile->values <= AUTOCSR_MAX_DISTINCT), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value dictionary needs a profile with at most %d distinct values", AUTOCSR_MAX_DISTINCT);
  PetscCheck(a->value != AUTOCSR_VALUE_CONSTANT || (profile && profile->values == 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value constant needs a profile with one distinct value");
  PetscCheck(a->value != AUTOCSR_VALUE_FLOAT32 || (profile && profile->float32_exact), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value float32 needs a profile with values that are exactly float32");
  if (layout->check_rows) PetscCall((*layout->check_rows)(seg, csr, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSegmentSortRows(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  PetscFunctionBegin;
  if (seg->axes.sort_window > 1) PetscCall((*csr->backend->sort_rows)(seg, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSegmentEncode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscFunctionBegin;
  PetscCall(EncodeCheck(seg, csr, profile));
  PetscCall((*csr->backend->encode)(seg, csr, profile));
  PetscCall(AutoCSRStretchesEncode(seg, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
