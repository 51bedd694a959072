/*
  Stretches: rows of a segment, one after the other, that have the same number of entries. The lengths of all rows are then a step
  function of their places (du2022-alphasparse, V-D: arrays by models). Few stretches have some matrices as their rows lie, and most
  regular ones once all rows are sorted by length. A kernel that is compiled for a segment has its stretches as constants. It reads
  neither row offsets nor, of slices, where they begin (cuda/generator/stretches.c).
*/
#ifndef AUTOCSR_STRETCHES_H
#define AUTOCSR_STRETCHES_H

#include "segment.h"

/* The rows from the segment's first-th on, up to the next stretch, have `length` entries each */
typedef struct {
  PetscInt first, length;
} AutoCSRStretch;

/* The kernel reads no row offsets: entries lie in an order of the segment's own, or as in the CSR one row after the other */
static inline PetscBool AutoCSRStretchesTellRows(const AutoCSRSegment *seg)
{
  return (PetscBool)(seg->stream[AUTOCSR_STREAM_STRETCH].data && (seg->axes.order != AUTOCSR_ORDER_CSR || !seg->stream[AUTOCSR_STREAM_ROWS].data));
}

static inline PetscInt AutoCSRSegmentStretches(const AutoCSRSegment *seg)
{
  return (PetscInt)(seg->stream[AUTOCSR_STREAM_STRETCH].bytes / sizeof(AutoCSRStretch));
}

/* stretches.c. The stretches of a segment in the memory of its backend become STRETCH if the axes allow so many */
PETSC_INTERN PetscErrorCode AutoCSRStretchesEncode(AutoCSRSegment *, const AutoCSRMatrix *);
/* Finds what disagrees with the rows, on the host */
PETSC_INTERN PetscErrorCode AutoCSRStretchesCheck(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i);

#endif
