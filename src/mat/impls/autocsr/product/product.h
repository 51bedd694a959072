/*
  What PETSc finds by exact type names, for both types: products of matrices, factors, colourings and more. Registration
  enters it; seq/ and mpi/ know nothing of it.
*/
#ifndef AUTOCSR_PRODUCT_H
#define AUTOCSR_PRODUCT_H

#include "../mpi/mpiautocsr.h"

/* The types get the operations and methods of this room, before their first matrix, and PETSc's algorithms their wrappers */
PETSC_INTERN PetscErrorCode AutoCSRProductRegister(AutoCSRParent *seq, AutoCSRParent *mpi);
PETSC_INTERN PetscErrorCode AutoCSRFactorRegister(const AutoCSRParent *);
PETSC_INTERN PetscErrorCode AutoCSRByNameRegister(void);

/* dense.c */
PETSC_INTERN PetscErrorCode AutoCSRDenseProductIs(Mat, MatType, PetscBool *);
PETSC_INTERN PetscErrorCode AutoCSRDenseProduct(Mat, PetscBool host, PetscBool *done);
PETSC_INTERN PetscErrorCode AutoCSRDensePay(Mat, AutoCSRContext *, double seconds);
PETSC_INTERN PetscErrorCode AutoCSRDenseConsider(Mat, AutoCSRContext *, PetscInt columns, double seconds, AutoCSRDenseWay *);

/* sampled.c */
PETSC_INTERN PetscErrorCode AutoCSRSampledProduct(Mat S, Mat X, Mat Y, Mat Z);

#endif
