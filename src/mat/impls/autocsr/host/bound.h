/*
  What a segment has on a processor once its plan is bound, in `launch` of plan/plan.h: what products would find out again each time. Private to host/.
*/
#ifndef AUTOCSR_HOST_BOUND_H
#define AUTOCSR_HOST_BOUND_H

#include "../plan/plan.h"

/* Slices [begin, end) that one kernel takes; tables of kernels have those kinds in this order (kernels_runs.h) */
typedef enum {
  AUTOCSR_RUN_FULL,   /* of one width, which all rows fill */
  AUTOCSR_RUN_MASKED, /* of one width */
  AUTOCSR_RUN_MIXED,  /* of any widths */
  AUTOCSR_RUN_LAST    /* the last one, of fewer rows than others */
} AutoCSRRunKind;

typedef struct {
  PetscInt       begin, end, width;
  PetscInt       next; /* rows to the next sorting window, of which lines of x and y are asked for meanwhile where they come from memory; 0: they are not */
  AutoCSRRunKind kind;
} AutoCSRRun;

typedef struct _AutoCSRContest AutoCSRContest;

typedef struct {
  PetscInt        n_runs;
  AutoCSRRun     *run;       /* NULL: for the segment's axes there are no kernels of runs */
  PetscBool       scattered; /* blocks whose lines of x are asked for where they come from memory */
  AutoCSRContest *contest;   /* where the segment is contested */
} AutoCSRBound;

/* runs.c */
PETSC_INTERN PetscErrorCode AutoCSRRunsFind(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt *n, AutoCSRRun **);

/* ways.c: which of two ways to the same sums stays is found out in products */
PETSC_INTERN PetscErrorCode AutoCSRContestBegin(AutoCSRSegment *, AutoCSRContest **);
PETSC_INTERN PetscErrorCode AutoCSRContestMultiply(const AutoCSRSegment *, const AutoCSROperands *); /* ends the contest some time */

static inline const AutoCSRBound *AutoCSRBoundOf(const AutoCSRSegment *seg)
{
  return (const AutoCSRBound *)seg->launch;
}

#endif
