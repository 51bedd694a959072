/*
  A layout: where the entries of a segment lie. Each layout is a file with one of these and a line in table.c, as a strategy
  is. plan/ encodes, refreshes, checks and interprets segments by this table and names no layout.

  The functions work on the host. A device's encoders (cuda/planning) run the text of the layouts' headers in kernels.
*/
#ifndef AUTOCSR_LAYOUT_H
#define AUTOCSR_LAYOUT_H

#include "segment.h"
#include "../profile/dictionary.h"

typedef struct {
  const char *name;
  /* Whether segments with these axes lie so, if no layout before it in the table has them */
  PetscBool (*has)(const AutoCSRAxes *);

  /* The next three may be NULL. check_axes: fails if other choices do not go with the layout */
  PetscErrorCode (*check_axes)(const AutoCSRAxes *);
  /* Fails if the segment lacks what the encoders of every backend rely on */
  PetscErrorCode (*check_rows)(const AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *);
  /* Whether the streams hold new values that the value coding holds */
  PetscBool (*fits)(const AutoCSRSegment *, const AutoCSRMatrix *);

  /* Makes all streams of a segment whose nnz is set, except ROWS, DICTIONARY and the codes of values */
  PetscErrorCode (*encode)(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *);
  /* Writes the codes of values if AutoCSRValueHasCodes(); the dictionary indexes DICTIONARY */
  PetscErrorCode (*refresh)(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);

  /* For entry t of the k-th row: its column, and its position in VALUE where the segment has that. Negative: the streams lack the entry */
  PetscInt (*column)(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt k, PetscInt t);
  PetscInt (*slot)(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt k, PetscInt t);

  /* Whether a product reads the CSR's row offsets; NULL: never */
  PetscBool (*reads_row_ptr)(const AutoCSRAxes *);
  /* Whether a product copies whole tiles of x, whichever of their columns are read; NULL: never */
  PetscBool (*copies_tiles)(const AutoCSRAxes *);
  /* Bytes that a product writes and reads again; NULL: none */
  size_t (*scratch)(const AutoCSRSegment *);
  PetscBool keeps_scratch; /* the plan counts them among its own */

  /*
    For segment i of a plan. count: sets the elements of each stream that the axes call for, except ROWS and DICTIONARY;
    elsewhere count[] is negative. check: finds what decoding relies on, and what it does not show; NULL: nothing
  */
  PetscErrorCode (*count)(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i, PetscInt64 count[]);
  PetscErrorCode (*check)(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i);
} AutoCSRLayout;

/* layout/table.c. NULL: a segment cannot have these axes */
PETSC_INTERN const AutoCSRLayout *AutoCSRLayoutOf(const AutoCSRAxes *);

/* The segment has codes of its own for values: in VALUE, or in PATTERN_VALUE */
static inline PetscBool AutoCSRValueHasCodes(AutoCSRValue value)
{
  return (PetscBool)(AutoCSRValueIsStored(value) || value == AUTOCSR_VALUE_PATTERN);
}

/* layout/codes.c: the value of entry t of the k-th row of a segment with this layout */
PETSC_INTERN PetscScalar AutoCSRDecodeValue(const AutoCSRLayout *, const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt k, PetscInt t);

#endif
