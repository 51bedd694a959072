/*
  What PETSc finds by exact type names, for both types: products of matrices, factors, colourings and more. Registration
  enters it; seq/ and mpi/ know nothing of it.
*/
#ifndef AUTOCSR_PRODUCT_H
#define AUTOCSR_PRODUCT_H

#include "../mpi/mpiautocsr.h"
#include <petscsf.h>

/* The types get the operations and methods of this room, before their first matrix, and PETSc's algorithms their wrappers */
PETSC_INTERN PetscErrorCode AutoCSRProductRegister(AutoCSRParent *seq, AutoCSRParent *mpi);
PETSC_INTERN PetscErrorCode AutoCSRFactorRegister(const AutoCSRParent *);
PETSC_INTERN PetscErrorCode AutoCSRByNameRegister(void);

/* dense.c */
PETSC_INTERN PetscErrorCode AutoCSRDenseProductIs(Mat, MatType, PetscBool *);
PETSC_INTERN PetscErrorCode AutoCSRDenseProduct(Mat, PetscBool host, PetscBool *done);
PETSC_INTERN PetscErrorCode AutoCSRDensePay(Mat, AutoCSRContext *, double seconds);
PETSC_INTERN PetscErrorCode AutoCSRDenseTook(AutoCSRContext *, PetscInt columns, PetscBool sampled, AutoCSRDenseWay);
PETSC_INTERN PetscErrorCode AutoCSRDenseConsider(Mat, AutoCSRContext *, PetscInt columns, PetscBool sampled, double seconds, AutoCSRDenseWay *);

/* Multiplies one block by its plan, if that is in the memory of this backend, where the operands are. Not done: it is not, or there is no memory */
PETSC_INTERN PetscErrorCode AutoCSRDenseBlock(Mat, const AutoCSRBackend *, AutoCSRDenseOperands *, PetscBool *done);

/* dense_parallel.c: makes C = A B of parallel matrices; puts a symbolic phase into C = A B^T, for which PETSc has none */
PETSC_INTERN PetscErrorCode AutoCSRDenseParallel(Mat, PetscBool *done);
PETSC_INTERN PetscErrorCode AutoCSRDenseParallelTransposed(Mat, PetscBool *made);

/* rows.c: tells one structure of a matrix from another. The id changes in MatHeaderMerge() */
typedef struct {
  PetscObjectId    id;
  PetscObjectState state;
} AutoCSRStructureKey;

PETSC_INTERN AutoCSRStructureKey AutoCSRStructureOf(Mat);
PETSC_INTERN PetscBool           AutoCSRStructureIs(const AutoCSRStructureKey *, Mat);

/* rows.c: the rows of a dense matrix that this process has, in the memory of a backend */
typedef struct {
  const AutoCSRBackend *backend;
  Mat                   local;
  const PetscScalar    *array, *taken; /* taken: from the matrix */
  PetscScalar          *writable;      /* the same as `taken` if the rows are written */
  PetscBool             on_host;       /* the array was asked for as one of the host */
  void                 *copy;          /* on a device, of an array on the host */
  size_t                bytes;         /* of the copy */
  PetscInt              lda;
} AutoCSRDenseRows;

PETSC_INTERN PetscErrorCode AutoCSRDenseRowsGet(Mat, const AutoCSRBackend *, PetscBool write, AutoCSRDenseRows *);
PETSC_INTERN PetscErrorCode AutoCSRDenseRowsRestore(AutoCSRDenseRows *);

/* rows.c: rows of other processes that a block off the diagonal needs, side by side, in one message a neighbour */
typedef struct {
  AutoCSRDenseRows rows; /* lda: the columns */
  PetscSF          sf;
  MPI_Datatype     row;
  void            *packed, *places; /* own rows that others need, and which these are, in the memory of a backend */
} AutoCSRGhostRows;

PETSC_INTERN PetscErrorCode AutoCSRGhostRowsBegin(Mat, Mat block, PetscInt columns, const AutoCSRDenseRows *own, AutoCSRGhostRows *);
PETSC_INTERN PetscErrorCode AutoCSRGhostRowsEnd(AutoCSRGhostRows *);
PETSC_INTERN PetscErrorCode AutoCSRGhostRowsDestroy(AutoCSRGhostRows *);

/* sampled.c */
PETSC_INTERN PetscErrorCode AutoCSRSampledProduct(Mat S, Mat X, Mat Y, Mat Z);

#endif
