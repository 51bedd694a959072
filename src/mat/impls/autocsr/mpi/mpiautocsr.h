/*
  MATMPIAUTOCSR: two MATSEQAUTOCSR blocks.
*/
#ifndef AUTOCSR_MPIAUTOCSR_H
#define AUTOCSR_MPIAUTOCSR_H

#include "../seq/seqautocsr.h"

PETSC_INTERN PetscErrorCode MatCreate_MPIAutoCSR(Mat);
PETSC_INTERN PetscErrorCode MatMPIAutoCSRInherit(PetscBool device, PetscBool takeover, AutoCSRParent **);
#if defined(AUTOCSR_HAVE_CUDA)
/* mpi/cusparse.c. The star forest of the entries of x that other processes have; make (collective): it is made where PETSc keeps its own to itself; else NULL there before */
PETSC_INTERN PetscErrorCode MatMPIAutoCSRInherit_CUSPARSE(AutoCSRParent *, PetscBool takeover);
PETSC_INTERN PetscErrorCode MatMPIAutoCSRGetForest(Mat, PetscBool make, PetscSF *);
#endif
PETSC_INTERN PetscErrorCode MatMPIAutoCSRGetParent(const AutoCSRParent **);
PETSC_INTERN PetscErrorCode MatMPIAutoCSRAttach(Mat, const AutoCSRSettings *);
PETSC_INTERN PetscErrorCode MatMPIAutoCSRSuspend(Mat, AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]);
PETSC_INTERN PetscErrorCode MatMPIAutoCSRResume(AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]);
PETSC_INTERN PetscBool      MatIsMPIAutoCSR(Mat);
PETSC_INTERN PetscErrorCode MatMPIAutoCSRAgree(Mat, AutoCSRContext *); /* mpi/agree.c: by which figures its blocks are planned; collective */
PETSC_INTERN PetscErrorCode MatMPIAutoCSRUpdateBlocks(Mat);            /* before a product: if the whole has changed */
PETSC_INTERN PetscBool      MatMPIAutoCSRIsAssembling(void);           /* one of them: blocks that are assembled meanwhile are viewed with it */

/* mpi/borrowed.c: of the two blocks' arrays; the columns of the second are places in ghosts[], which is on the host and is copied */
PETSC_INTERN PetscErrorCode MatCreateMPIAutoCSR_Borrowed(MPI_Comm, PetscInt M, PetscInt N, const AutoCSRMatrix[AUTOCSR_MAX_BLOCKS], const PetscInt ghosts[], Mat *);

/* mpi/silent.c: functions of MATMPIAIJ, which then raise the state of what they have written */
PETSC_INTERN PetscErrorCode AutoCSRSilentRegister(void);
PETSC_INTERN PetscErrorCode MatCreateSubMatrices_MPIAIJ_Told(Mat, PetscInt, const IS[], const IS[], MatReuse, Mat *[]);
PETSC_INTERN PetscErrorCode MatCreateSubMatricesMPI_MPIAIJ_Told(Mat, PetscInt, const IS[], const IS[], MatReuse, Mat *[]);

#endif
