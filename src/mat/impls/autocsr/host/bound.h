/*
  What a segment has on a processor once its plan is bound, in `launch` of plan/plan.h: what products would find out again each time. Private to host/.
*/
#ifndef AUTOCSR_HOST_BOUND_H
#define AUTOCSR_HOST_BOUND_H

#include "../plan/plan.h"

/* Slices [begin, end) that one kernel takes; tables of kernels have those kinds in this order (kernels_strips.h) */
typedef enum {
  AUTOCSR_STRIP_FULL,   /* of one width, which all rows fill */
  AUTOCSR_STRIP_MASKED, /* of one width */
  AUTOCSR_STRIP_MIXED,  /* of any widths */
  AUTOCSR_STRIP_LAST    /* the last one, of fewer rows than others */
} AutoCSRStripKind;

typedef struct {
  PetscInt         begin, end, width;
  PetscInt         next; /* rows to the next sorting window, of which lines of x and y are asked for meanwhile where they come from memory; 0: they are not */
  AutoCSRStripKind kind;
} AutoCSRStrip;

typedef struct _AutoCSRContest AutoCSRContest;

typedef struct {
  PetscInt        n_strips;
  AutoCSRStrip   *strip;     /* NULL: for the segment's axes there are no kernels of strips */
  PetscBool       scattered; /* blocks whose lines of x are asked for where they come from memory */
  AutoCSRContest *contest;   /* where the segment is contested */
} AutoCSRBound;

/* strips.c */
PETSC_INTERN PetscErrorCode AutoCSRStripsFind(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt *n, AutoCSRStrip **);

/* ways.c: which of two ways to the same sums stays is found out in products */
PETSC_INTERN PetscErrorCode AutoCSRContestBegin(AutoCSRSegment *, AutoCSRContest **);
PETSC_INTERN PetscErrorCode AutoCSRContestMultiply(const AutoCSRSegment *, const AutoCSROperands *); /* ends the contest some time */

static inline const AutoCSRBound *AutoCSRBoundOf(const AutoCSRSegment *seg)
{
  return (const AutoCSRBound *)seg->launch;
}

#endif
