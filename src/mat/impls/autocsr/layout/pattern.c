/*
  Layout pattern: rows whose columns a pattern tells (pattern.h), with values as in layout rows, or told by the pattern, too;
  and the patterns of other layouts on the host.
*/
#include "pattern.h"
#include "check.h"

static PetscBool Has(const AutoCSRAxes *a)
{
  return (PetscBool)(a->order == AUTOCSR_ORDER_CSR && a->index == AUTOCSR_INDEX_PATTERN);
}

/* Writes pattern p to PATTERN_OFFSET, by a row of the CSR that has it */
static void EncodePattern(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt p, PetscInt row)
{
  PetscInt *offset = (PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data + ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[p];

  for (PetscInt q = csr->row_ptr[row]; q < csr->row_ptr[row + 1]; q++) *offset++ = csr->col[q] - row;
}

/* Writes the values of pattern p to PATTERN_VALUE */
static void EncodePatternValue(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt p)
{
  const PetscInt row   = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_ROW].data)[p];
  PetscScalar   *value = (PetscScalar *)seg->stream[AUTOCSR_STREAM_PATTERN_VALUE].data + ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[p];

  for (PetscInt q = csr->row_ptr[row]; q < csr->row_ptr[row + 1]; q++) *value++ = csr->val[q];
}

static void EncodeRoots(AutoCSRSegment *seg)
{
  for (PetscInt p = 0; p < seg->n_patterns; p++) ((AutoCSRPatternRoot *)seg->stream[AUTOCSR_STREAM_PATTERN_ROOT].data)[p] = AutoCSRPatternRootAmong(seg, p, 0, 1);
}

/* number[], shown_by[]: work, one for each pattern of the profile */
static PetscErrorCode NumberPatterns(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, uint16_t number[], PetscInt shown_by[])
{
  PetscInt *pattern_ptr, offsets = 0;
  uint16_t *id;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_ID, seg->n_rows));
  id              = (uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data;
  seg->n_patterns = 0;
  for (PetscInt p = 0; p < profile->patterns; p++) number[p] = AUTOCSR_NO_PATTERN;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k), p = profile->pattern_id[row];

    PetscCheck(p != AUTOCSR_NO_PATTERN, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %" PetscInt_FMT " has no pattern in the dictionary", row);
    if (number[p] == AUTOCSR_NO_PATTERN) {
      number[p]                 = (uint16_t)seg->n_patterns;
      shown_by[seg->n_patterns] = row;
      seg->n_patterns++;
    }
    id[k] = number[p];
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_PTR, seg->n_patterns + 1));
  pattern_ptr    = (PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data;
  pattern_ptr[0] = 0;
  for (PetscInt p = 0; p < seg->n_patterns; p++) {
    offsets += csr->row_ptr[shown_by[p] + 1] - csr->row_ptr[shown_by[p]];
    pattern_ptr[p + 1] = offsets;
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_OFFSET, offsets));
  for (PetscInt p = 0; p < seg->n_patterns; p++) EncodePattern(seg, csr, p, shown_by[p]);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_ROOT, seg->n_patterns));
  if (seg->axes.value == AUTOCSR_VALUE_PATTERN) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_ROW, seg->n_patterns));
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_VALUE, offsets));
    PetscCall(PetscArraycpy((PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_ROW].data, shown_by, seg->n_patterns));
  } else
    EncodeRoots(seg);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Patterns are numbered by their first appearance in the segment */
PetscErrorCode AutoCSRPatternsEncode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscInt      *shown_by;
  uint16_t      *number;
  PetscErrorCode ierr; /* the caller goes on without this plan if memory runs out */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(profile->patterns, &number, profile->patterns, &shown_by));
  ierr = NumberPatterns(seg, csr, profile, number, shown_by);
  PetscCall(PetscFree2(number, shown_by));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPatternsEncode(seg, csr, profile));
  if (AutoCSRValueIsStored(seg->axes.value)) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, seg->nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Roots compare the values that patterns tell */
static PetscErrorCode Refresh(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  PetscFunctionBegin;
  if (seg->axes.value == AUTOCSR_VALUE_PATTERN) {
    for (PetscInt p = 0; p < seg->n_patterns; p++) EncodePatternValue(seg, csr, p);
    EncodeRoots(seg);
  } else
    PetscCall(AutoCSREncodeValuesInOrder(seg, csr, dictionary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether rows of one pattern still have the same values, if patterns tell the values */
static PetscBool Fits(const AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const uint16_t *id  = (const uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data;
  const PetscInt *row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_ROW].data;

  if (seg->axes.value != AUTOCSR_VALUE_PATTERN) return PETSC_TRUE;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    if (!AutoCSRRowValuesEqual(csr, AutoCSRSegmentRow(seg, k), row[id[k]])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscInt AutoCSRPatternColumn(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt p = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[((const uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data)[k]];

  return AutoCSRSegmentRow(seg, k) + ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data)[p + t];
}

/* A product that reads columns and values by patterns needs no row offsets */
static PetscBool ReadsRowPtr(const AutoCSRAxes *a)
{
  return (PetscBool)(a->value != AUTOCSR_VALUE_PATTERN);
}

PetscErrorCode AutoCSRPatternsCount(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  PetscFunctionBegin;
  AutoCSRCheckSegment(seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data, " is not encoded", i);
  count[AUTOCSR_STREAM_PATTERN_ID]     = seg->n_rows;
  count[AUTOCSR_STREAM_PATTERN_PTR]    = seg->n_patterns + 1;
  count[AUTOCSR_STREAM_PATTERN_OFFSET] = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[seg->n_patterns];
  count[AUTOCSR_STREAM_PATTERN_ROOT]   = seg->n_patterns;
  if (seg->axes.value == AUTOCSR_VALUE_PATTERN) {
    count[AUTOCSR_STREAM_PATTERN_ROW]   = seg->n_patterns;
    count[AUTOCSR_STREAM_PATTERN_VALUE] = count[AUTOCSR_STREAM_PATTERN_OFFSET];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPatternsCount(seg, csr, i, count));
  PetscCall(AutoCSRCountCodes(seg, i, seg->nnz, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries of a pattern are those that its mask picks from its root */
static PetscErrorCode CheckRoots(const AutoCSRSegment *seg, PetscInt i)
{
  const AutoCSRPatternRoot *root = (const AutoCSRPatternRoot *)seg->stream[AUTOCSR_STREAM_PATTERN_ROOT].data;
  const PetscInt           *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data, *offset = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data;
  const PetscScalar        *value = (const PetscScalar *)seg->stream[AUTOCSR_STREAM_PATTERN_VALUE].data;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < seg->n_patterns; p++) {
    PetscInt q = ptr[p];

    AutoCSRCheckSegment(root[p].own == ptr[p] && root[p].begin >= 0 && root[p].length >= 0 && root[p].begin + root[p].length <= ptr[seg->n_patterns], ": the root of pattern %" PetscInt_FMT " is none", i, p);
    for (PetscInt t = 0; t < root[p].length; t++) {
      const PetscInt r = root[p].begin + t;

      if (root[p].length <= 32 && !(root[p].mask >> t & 1)) continue;
      AutoCSRCheckSegment(q < ptr[p + 1] && offset[q] == offset[r] && (!value || AutoCSRBitsEqual(AutoCSRBitsOf(&value[q]), AutoCSRBitsOf(&value[r]))), ": entry %" PetscInt_FMT " of pattern %" PetscInt_FMT " is not that of its root", i, q - ptr[p], p);
      q++;
    }
    AutoCSRCheckSegment(q == ptr[p + 1], ": the root of pattern %" PetscInt_FMT " has %" PetscInt_FMT " of its %" PetscInt_FMT " entries", i, p, q - ptr[p], ptr[p + 1] - ptr[p]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPatternsCheck(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data;

  PetscFunctionBegin;
  PetscCall(CheckRoots(seg, i));
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt id = ((const uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data)[k], length = AutoCSRSegmentRowLength(seg, csr, k);

    AutoCSRCheckSegment(id < seg->n_patterns && ptr[id + 1] - ptr[id] == length, ": row %" PetscInt_FMT " of %" PetscInt_FMT " entries has pattern %" PetscInt_FMT " of %" PetscInt_FMT, i, AutoCSRSegmentRow(seg, k), length, id, seg->n_patterns);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_pattern = {.name = "pattern", .has = Has, .fits = Fits, .encode = Encode, .refresh = Refresh, .column = AutoCSRPatternColumn, .slot = AutoCSRSlotInOrder, .reads_row_ptr = ReadsRowPtr, .count = Count, .check = AutoCSRPatternsCheck};
