/*
  MatConvert() to and from autocsr. From ours: as the parent, so that every converter which PETSc knows for AIJ is found
  (a matrix of another name would be converted entry by entry). To ours: to AIJ first, then ours is put on top.
*/
#include "seqautocsr.h"
#include "../mpi/mpiautocsr.h"

PetscErrorCode MatConvert_AutoCSR_Any(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS];
  PetscErrorCode   ierr;

  PetscFunctionBegin;
  PetscCall(AutoCSRSuspend(A, s));
  ierr = MatConvert(A, type, reuse, M);
  if (!ierr && reuse == MAT_INPLACE_MATRIX)
    PetscCall(AutoCSRDiscard(s));
  else
    PetscCall(AutoCSRResume(s));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRAttach(Mat A, const AutoCSRSettings *settings)
{
  PetscBool mpi;

  PetscFunctionBegin;
  PetscCall(PetscStrbeginswith(((PetscObject)A)->type_name, MATMPIAIJ, &mpi));
  if (mpi)
    PetscCall(MatMPIAutoCSRAttach(A, settings));
  else
    PetscCall(MatSeqAutoCSRAttach(A, settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Also the function that MatSeqAIJRegister() is given: then A may be empty, and reuse is MAT_INPLACE_MATRIX */
PetscErrorCode MatConvert_Any_AutoCSR(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  const PetscBool own = (PetscBool)(MatIsSeqAutoCSR(A) || MatIsMPIAutoCSR(A));
  MatType         aij = MATAIJ;
  PetscBool       mpi, seq;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(type, MATSEQAUTOCSR, &seq));
  PetscCall(PetscStrcmp(type, MATMPIAUTOCSR, &mpi));
  if (seq) aij = MATSEQAIJ;
  if (mpi) aij = MATMPIAIJ;
  if (reuse == MAT_INITIAL_MATRIX) {
    if (own)
      PetscCall(MatDuplicate(A, MAT_COPY_VALUES, M));
    else {
      PetscCall(MatConvert(A, aij, MAT_INITIAL_MATRIX, M));
      PetscCall(AutoCSRAttach(*M, NULL));
    }
  } else if (reuse == MAT_REUSE_MATRIX) {
    AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS];
    AutoCSRSettings  settings;
    PetscErrorCode (*set)(Mat, AutoCSRSettings *);

    if (own)
      PetscCall(MatCopy(A, *M, DIFFERENT_NONZERO_PATTERN));
    else {
      PetscCall(PetscObjectQueryFunction((PetscObject)*M, "MatAutoCSRGetSettings_C", &set));
      if (set) PetscCall((*set)(*M, &settings));
      PetscCall(AutoCSRSuspend(*M, s));
      PetscCall(AutoCSRDiscard(s));
      PetscCall(MatConvert(A, aij, MAT_REUSE_MATRIX, M));
      PetscCall(AutoCSRAttach(*M, set ? &settings : NULL));
    }
  } else if (!own) {
    PetscBool parent;

    PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &parent, MATSEQAIJ, MATMPIAIJ, ""));
    if (!parent) PetscCall(MatConvert(A, aij, MAT_INPLACE_MATRIX, &A));
    PetscCall(AutoCSRAttach(A, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
