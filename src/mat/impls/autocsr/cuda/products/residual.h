/* Residuals on the device, as seq/residual.c asks for them, and the lanes of a row where kernels read a small CSR in place */
#ifndef AUTOCSR_RESIDUAL_H
#define AUTOCSR_RESIDUAL_H

#include "../device.h"

/* Entries of a row for each of its lanes: on average, before there are more lanes; of the longest row, in any case. Each is a wait for the second-level cache */
#define AUTOCSR_LANE_MEAN    6
#define AUTOCSR_LANE_LONGEST 16

/* 2, 8 or 32; 0: the longest row is too long */
static inline PetscInt AutoCSRRowLanes(PetscInt n, PetscInt nnz, PetscInt longest)
{
  PetscInt lanes = 2;

  while (lanes < 32 && (longest > AUTOCSR_LANE_LONGEST * lanes || nnz / AUTOCSR_LANE_MEAN / lanes > n)) lanes *= 4;
  return longest > AUTOCSR_LANE_LONGEST * lanes ? 0 : lanes;
}

PETSC_INTERN PetscErrorCode AutoCSRDeviceResidual(const AutoCSRMatrix *, PetscInt longest, const PetscScalar b[], const PetscScalar x[], PetscScalar r[], PetscBool *done); /* r = b - A x of a small matrix, done unless a row is too long */
PETSC_INTERN PetscErrorCode AutoCSRDeviceSubtract(PetscInt n, const PetscScalar b[], PetscScalar r[]);                                                                   /* r = b - r */

#endif
