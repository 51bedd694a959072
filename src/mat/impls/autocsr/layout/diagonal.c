/*
  Layout diagonal: by diagonal, on it by row (the diagonal storage of symmetric stencils; strategy/symmetric.c). An entry
  below the main diagonal is read from above it. Columns are told by patterns (pattern.h).

    q = PATTERN_PLACE[PATTERN_PTR[PATTERN_ID[k]] + t] + k

  VALUE has slots for all rows on each diagonal that a pattern reaches at or above the main one, 0 if a row lacks it. Entry
  (i, i - o) is read where (i - o, i) lies.
*/
#include "pattern.h"
#include "check.h"

static PetscBool Has(const AutoCSRAxes *a)
{
  return (PetscBool)(a->order == AUTOCSR_ORDER_DIAGONAL);
}

static PetscErrorCode CheckAxes(const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  PetscCheck(a->index == AUTOCSR_INDEX_PATTERN && AutoCSRValueIsStored(a->value) && a->mapping == AUTOCSR_MAP_LANES && a->row_group == 1 && a->sort_window <= 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order diagonal, index pattern and mapping lanes go together, with stored values of single rows, not sorted");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckSegmentRows(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscFunctionBegin;
  PetscCheck(!seg->stream[AUTOCSR_STREAM_ROWS].data && seg->n_rows == csr->m, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order diagonal needs all rows: the values of a row are found in rows above it");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the entries below the main diagonal, which are not stored, still equal those above it */
static PetscBool Fits(const AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  return AutoCSRValuesAreSymmetric(csr);
}

/* Slots of one diagonal: an odd number of cache lines, because diagonals a power of two apart would meet in a few sets of a cache */
static PetscInt SlotsOfDiagonal(const AutoCSRAxes *axes, PetscInt rows)
{
  const PetscInt slots = AUTOCSR_LINE / (PetscInt)AutoCSRStreamElementSize(axes, AUTOCSR_STREAM_VALUE);

  return slots * ((rows / slots + (rows % slots > 0)) | 1);
}

/* Makes PATTERN_PLACE, and room for VALUE; the diagonals nearest to the main one come first */
static PetscErrorCode EncodePlaces(AutoCSRSegment *seg)
{
  const PetscInt  entries = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[seg->n_patterns];
  const PetscInt *offset  = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data;
  const PetscInt  each    = SlotsOfDiagonal(&seg->axes, seg->n_rows);
  PetscInt        n       = entries, *diagonal, *place;
  PetscErrorCode  ierr; /* the caller goes on without this plan if memory runs out */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(entries, &diagonal));
  for (PetscInt i = 0; i < entries; i++) diagonal[i] = PetscAbsInt(offset[i]);
  PetscCall(PetscSortRemoveDupsInt(&n, diagonal));
  ierr = AutoCSRSegmentCheckSlots(seg, (PetscInt64)n * each);
  if (!ierr) ierr = AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, n * each);
  if (!ierr) ierr = AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_PLACE, entries);
  if (ierr) PetscCall(PetscFree(diagonal));
  PetscCall(ierr);
  place = (PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PLACE].data;
  for (PetscInt i = 0; i < entries; i++) {
    PetscInt d;

    PetscCall(PetscFindInt(PetscAbsInt(offset[i]), n, diagonal, &d));
    place[i] = d * each + PetscMin(offset[i], 0);
  }
  PetscCall(PetscFree(diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPatternsEncode(seg, csr, profile));
  PetscCall(EncodePlaces(seg));
  PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_VALUE].data, seg->stream[AUTOCSR_STREAM_VALUE].bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt Slot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt p = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[((const uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data)[k]];

  return ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PLACE].data)[p + t] + k;
}

/* Writes entries on the main diagonal and above it */
static PetscErrorCode Refresh(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = seg->row_begin + k, begin = csr->row_ptr[row];

    for (PetscInt q = begin; q < csr->row_ptr[row + 1]; q++) {
      if (csr->col[q] >= row) AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[q], Slot(seg, csr, k, q - begin));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPatternsCount(seg, csr, i, count));
  count[AUTOCSR_STREAM_PATTERN_PLACE] = count[AUTOCSR_STREAM_PATTERN_OFFSET];
  count[AUTOCSR_STREAM_VALUE]         = (PetscInt64)(seg->stream[AUTOCSR_STREAM_VALUE].bytes / AutoCSRStreamElementSize(&seg->axes, AUTOCSR_STREAM_VALUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each diagonal has slots of its own, in which the entries above and below the main diagonal lie */
static PetscErrorCode Check(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt *place = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PLACE].data, *offset = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data;
  const PetscInt  each = SlotsOfDiagonal(&seg->axes, seg->n_rows), slots = (PetscInt)(seg->stream[AUTOCSR_STREAM_VALUE].bytes / AutoCSRStreamElementSize(&seg->axes, AUTOCSR_STREAM_VALUE));

  PetscFunctionBegin;
  PetscCall(AutoCSRPatternsCheck(seg, csr, i));
  AutoCSRCheckSegment(slots % each == 0, ": %" PetscInt_FMT " slots are no diagonals of %" PetscInt_FMT, i, slots, each);
  for (PetscInt q = 0; q < ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[seg->n_patterns]; q++) {
    const PetscInt begin = place[q] - PetscMin(offset[q], 0);

    AutoCSRCheckSegment(begin >= 0 && begin < slots && begin % each == 0, ": entry %" PetscInt_FMT " of the patterns is at %" PetscInt_FMT " of %" PetscInt_FMT " slots", i, q, begin, slots);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_diagonal = {.name = "diagonal", .has = Has, .check_axes = CheckAxes, .check_rows = CheckSegmentRows, .fits = Fits, .encode = Encode, .refresh = Refresh, .column = AutoCSRPatternColumn, .slot = Slot, .count = Count, .check = Check};
