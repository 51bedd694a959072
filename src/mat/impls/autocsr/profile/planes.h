/* Planes of a grid, for the profile and for kernels. The compiler that a device has at run time reads this, too */
#ifndef AUTOCSR_PLANES_H
#define AUTOCSR_PLANES_H

#include "../autocsr.h"

/*
  The commonest pattern, if it is a grid's. A row reads x in planes of `stride` rows: its own plane, and `around` planes
  before and after it. In each plane it reads at most `reach` columns from where the row lies. If all columns are that near,
  the plane has AUTOCSR_PLANES_ROWS rows
*/
#define AUTOCSR_PLANES_ENTRIES 31   /* most entries of the pattern */
#define AUTOCSR_PLANES_AROUND  2    /* most planes around */
#define AUTOCSR_PLANES_REACH   512  /* most columns of reach */
#define AUTOCSR_PLANES_ROWS    1024 /* the stride if there is one plane */
/* The pattern's number in the dictionary is below this: a thread block keeps the masks of so many patterns (cuda/products/agent_planes.cuh) */
#define AUTOCSR_PLANES_PATTERNS 256
/*
  At most one row in this many has another pattern with as many entries, because a kernel walks such a row apart. The number
  is not fitted: in a grid with two unknowns a point, each unknown has half of the rows
*/
#define AUTOCSR_PLANES_OTHERS 8

typedef struct {
  PetscInt stride, around, reach; /* stride 0: the pattern is not of this kind, or no pattern is known */
  PetscInt others;                /* rows of other patterns with as many entries or more, which are no part of it */
} AutoCSRPlanes;

/* The plane of a column, counted from the row's own plane, if the column is `offset` from the row */
AUTOCSR_HD PetscInt AutoCSRPlaneOf(PetscInt offset, PetscInt stride)
{
  const PetscInt64 from = (PetscInt64)offset + stride / 2;

  return (PetscInt)(from >= 0 ? from / stride : -((stride - 1 - from) / stride));
}

#endif
