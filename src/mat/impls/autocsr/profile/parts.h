/*
  The parts of a profile, one file each. They are called in this order: each may read what those before it found.
*/
#ifndef AUTOCSR_PARTS_H
#define AUTOCSR_PARTS_H

#include "profile.h"

PETSC_INTERN PetscErrorCode AutoCSRProfileSpread(const AutoCSRMatrix *, AutoCSRProfile *);   /* spread.c: bandwidth, padding, 16-bit slices, gather_lines */
PETSC_INTERN PetscErrorCode AutoCSRProfileBlocks(const AutoCSRMatrix *, AutoCSRProfile *);   /* blocks.c: block_size */
PETSC_INTERN PetscErrorCode AutoCSRProfilePatterns(const AutoCSRMatrix *, AutoCSRProfile *); /* patterns.c */
PETSC_INTERN PetscErrorCode AutoCSRProfileValues(const AutoCSRMatrix *, AutoCSRProfile *);   /* values.c: values, value, float32_exact */

#endif
