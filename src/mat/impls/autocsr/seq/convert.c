/*
  MatConvert() to and from autocsr. From ours: as the parent, so that every converter which PETSc knows for AIJ is found
  (a matrix of another name would be converted entry by entry). To ours: to the parent first, then ours is put on top.
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

/* To the parent in place. What PETSc composes on AIJ for that also takes a matrix that is not assembled, as MatConvert() does not */
static PetscErrorCode AutoCSRToParent(Mat A, const AutoCSRParent *parent)
{
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *);
  char      name[256];
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, parent->type, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(name, sizeof(name), "MatConvert_%s_%s_C", ((PetscObject)A)->type_name, parent->type));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, name, &convert));
  if (convert)
    PetscCall((*convert)(A, parent->type, MAT_INPLACE_MATRIX, &A));
  else
    PetscCall(MatConvert(A, parent->type, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A type that is not said to be for one process or for several is that of the matrix or of its processes */
static PetscErrorCode AutoCSRParentOf(Mat A, MatType type, const AutoCSRParent **parent)
{
  PetscBool   mpi, seq, is_mpi;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(PetscStrbeginswith(type, "mpi", &mpi));
  PetscCall(PetscStrbeginswith(type, "seq", &seq));
  PetscCall(PetscStrbeginswith(((PetscObject)A)->type_name, "mpi", &is_mpi));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (mpi || (!seq && (is_mpi || size > 1)))
    PetscCall(MatMPIAutoCSRGetParent(parent));
  else
    PetscCall(MatSeqAutoCSRGetParent(parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Also the function that MatSeqAIJRegister() is given: then A may be empty, and reuse is MAT_INPLACE_MATRIX */
PetscErrorCode MatConvert_Any_AutoCSR(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  const AutoCSRParent *parent, *seq;
  PetscBool            own; /* it is what is asked for */

  PetscFunctionBegin;
  PetscCall(AutoCSRParentOf(A, type, &parent));
  PetscCall(MatSeqAutoCSRGetParent(&seq));
  own = parent == seq ? MatIsSeqAutoCSR(A) : MatIsMPIAutoCSR(A);
  if (reuse == MAT_INITIAL_MATRIX) {
    if (own)
      PetscCall(MatDuplicate(A, MAT_COPY_VALUES, M));
    else {
      PetscCall(MatConvert(A, parent->type, MAT_INITIAL_MATRIX, M));
      PetscCall(AutoCSRAttach(*M, NULL));
    }
  } else if (reuse == MAT_REUSE_MATRIX) {
    AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS];
    AutoCSRSettings  settings;
    PetscBool        same;
    PetscErrorCode (*set)(Mat, AutoCSRSettings *);

    PetscCall(PetscObjectTypeCompare((PetscObject)A, parent->type, &same));
    if (own || same)
      PetscCall(MatCopy(A, *M, DIFFERENT_NONZERO_PATTERN));
    else {
      PetscCall(PetscObjectQueryFunction((PetscObject)*M, "MatAutoCSRGetSettings_C", &set));
      if (set) PetscCall((*set)(*M, &settings));
      PetscCall(AutoCSRSuspend(*M, s));
      PetscCall(AutoCSRDiscard(s));
      PetscCall(MatConvert(A, parent->type, MAT_REUSE_MATRIX, M));
      PetscCall(AutoCSRAttach(*M, set ? &settings : NULL));
    }
  } else if (!own) {
    PetscCall(AutoCSRToParent(A, parent));
    PetscCall(AutoCSRAttach(A, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
