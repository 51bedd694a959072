/*
  All steps of a smoother on a level that is small: one launch (passes_level.cu) in the place of two a step. steps_level.c tells which levels are. What a launch is
  given has no member that depends on how a PetscScalar is aligned (passes.h).
*/
#ifndef AUTOCSR_LEVEL_H
#define AUTOCSR_LEVEL_H

#include "steps.h"

/* An AutoCSRCombination; coefficients in their real and imaginary part */
typedef struct {
  const PetscScalar *from;
  PetscScalar       *to;
  PetscReal          before[AUTOCSR_PASS_REALS], current[AUTOCSR_PASS_REALS], residual[AUTOCSR_PASS_REALS];
  PetscInt           product;
} AutoCSRLevelStep;

typedef struct {
  const PetscInt    *row_ptr, *col;
  const PetscScalar *val;
  PetscInt           n_steps;
  AutoCSRLevelStep   step[AUTOCSR_TOGETHER];
} AutoCSRLevel;

#define AUTOCSR_LEVEL_THREADS 1024 /* of a thread block */

/* passes_level.cu. lanes: of a row, 2, 8 or 32; blocks: thread blocks, a power of two; Blocks: how many may wait for each other */
PETSC_INTERN PetscErrorCode AutoCSRPassLevel(const AutoCSRPass *, const AutoCSRLevel *, PetscInt lanes, PetscInt blocks);
PETSC_INTERN PetscInt       AutoCSRPassLevelBlocks(const AutoCSRPass *, PetscInt lanes);

/* steps_level.c. Shape: of a matrix with so many entries, in its longest row so many. Run: the matrix's arrays are on the device */
PETSC_INTERN void           AutoCSRLevelShapeOf(const AutoCSRPass *, PetscInt nnz, PetscInt longest, AutoCSRLevelShape *);
PETSC_INTERN PetscErrorCode AutoCSRLevelRun(AutoCSRSolve *, const AutoCSRMatrix *, PetscInt n, const AutoCSRCombination[]);
PETSC_INTERN PetscErrorCode AutoCSRLevelSmooth(AutoCSRSolve *, PetscInt n, const AutoCSRCombination[], PetscBool *done);

#endif
