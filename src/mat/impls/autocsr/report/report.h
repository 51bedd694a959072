/* The library's report on a matrix: its plan, and the reasons for it */
#ifndef AUTOCSR_REPORT_H
#define AUTOCSR_REPORT_H

#include <petscmat.h>

/* view.c: -autocsr_view, where it is set, of a matrix that has just been assembled */
PETSC_INTERN PetscErrorCode AutoCSRViewFromOptions(Mat);

#endif
