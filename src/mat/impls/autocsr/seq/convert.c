/*
  MatConvert() to and from autocsr. From ours: as the parent, so that every converter which PETSc knows for AIJ is found
  (a matrix of another name would be converted entry by entry). To ours: to the parent first, then ours is put on top.
*/
#include "seqautocsr.h"

/* What -mat_seqaij_type has made ours meanwhile is a copy of what went as its parent, composed methods and all */
static PetscErrorCode AutoCSRRecompose(Mat M)
{
  Mat       blocks[AUTOCSR_MAX_BLOCKS] = {M, NULL};
  PetscBool mpi;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)M, MATMPIAIJ, &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(M, &blocks[0], &blocks[1], NULL));
  for (PetscInt k = 0; k < AUTOCSR_MAX_BLOCKS; k++) {
    if (blocks[k]) PetscCall(MatSeqAutoCSRRecompose(blocks[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_AutoCSR_Any(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS];
  PetscErrorCode   ierr;
  PetscErrorCode (*destroy)(Mat);

  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(AutoCSRHoldArrays(A)); /* what it is then may write into them with nothing of ours in between */
  PetscCall(AutoCSRSuspend(A, s));
  destroy = A->ops->destroy;
  ierr    = MatConvert(A, type, reuse, M);
  if (!ierr && reuse == MAT_INPLACE_MATRIX) {
    PetscCall(AutoCSRDiscard(s));
    if (s->destroy && A->ops->destroy == destroy) A->ops->destroy = s->destroy;
  } else
    PetscCall(AutoCSRResume(s));
  PetscCall(ierr);
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(AutoCSRRecompose(*M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without -matconvert_type, which stands above what is asked for, and may name ours: it would lead here again, without end */
static PetscErrorCode MatConvertAsAsked(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  PetscOptions   own = ((PetscObject)A)->options, none;
  PetscErrorCode ierr;
  PetscBool      set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(own, ((PetscObject)A)->prefix, "-matconvert_type", &set));
  if (!set) {
    PetscCall(MatConvert(A, type, reuse, M));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscOptionsCreate(&none));
  PetscCall(PetscObjectSetOptions((PetscObject)A, none));
  ierr = MatConvert(A, type, reuse, M);
  PetscCall(PetscObjectSetOptions((PetscObject)A, own));
  if (!ierr && ((PetscObject)*M)->options == none) PetscCall(PetscObjectSetOptions((PetscObject)*M, own));
  PetscCall(PetscOptionsDestroy(&none));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To the AIJ of the parent; what is that already, and may be empty, is not converted in place */
static PetscErrorCode MatConvertToAIJ(Mat A, const AutoCSRParent *parent, MatReuse reuse, Mat *M)
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, AutoCSRParentAIJ(parent), &same));
  if (!same || reuse != MAT_INPLACE_MATRIX) PetscCall(MatConvertAsAsked(A, AutoCSRParentAIJ(parent), reuse, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool AutoCSRIsOn(const AutoCSRParent *parent, Mat A)
{
  return (*AutoCSRKinds[AutoCSRKindOf(parent->type)]->is)(A);
}

/*
  To the parent in place, if it is not ours already. By way of AIJ, for which PETSc has converters. This also takes a matrix that
  is not assembled, as MatConvert() does not; and MatConvert() to the parent would come back here where ours stands in its place.
*/
static PetscErrorCode AutoCSRToParent(Mat A, const AutoCSRParent *parent)
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, parent->type, &same));
  if (same || AutoCSRIsOn(parent, A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatConvertToAIJ(A, parent, MAT_INPLACE_MATRIX, &A));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, parent->type, &same));
  if (same || AutoCSRIsOn(parent, A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)A, AutoCSRParentAIJ(parent), &same));
  PetscCheck(same && parent->from_aij, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "PETSc does not convert %s to %s", ((PetscObject)A)->type_name, parent->type);
  PetscCall((*parent->from_aij)(A, parent->type, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ours stays what it is */
PetscErrorCode AutoCSRConvertInPlace(Mat A, const AutoCSRParent *parent, const AutoCSRSettings *settings)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRToParent(A, parent));
  PetscCall(AutoCSRAttach(A, settings));
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
  PetscCall((*AutoCSRKinds[mpi || (!seq && (is_mpi || size > 1)) ? AUTOCSR_KIND_MPI : AUTOCSR_KIND_SEQ]->get_parent)(parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Also the function that MatSeqAIJRegister() is given: then A may be empty, and reuse is MAT_INPLACE_MATRIX */
PetscErrorCode MatConvert_Any_AutoCSR(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  const AutoCSRParent *parent;
  PetscBool            same;

  PetscFunctionBegin;
  PetscCall(AutoCSRParentOf(A, type, &parent));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, parent->type, &same));
  same = (PetscBool)(same || AutoCSRIsOn(parent, A));
  if (reuse == MAT_REUSE_MATRIX) {
    PetscBool aij;
    Mat       T;

    PetscCall(PetscObjectTypeCompare((PetscObject)A, AutoCSRParentAIJ(parent), &aij));
    if (same || aij) /* as PETSc does between these: *M was made of A, and its plan gets the new values */
      PetscCall(MatCopy(A, *M, SAME_NONZERO_PATTERN));
    else {
      PetscCall(MatConvertToAIJ(A, parent, MAT_INITIAL_MATRIX, &T));
      PetscCall(MatCopy(T, *M, DIFFERENT_NONZERO_PATTERN));
      PetscCall(MatDestroy(&T));
    }
  } else if (reuse == MAT_INITIAL_MATRIX) {
    if (same)
      PetscCall(MatDuplicate(A, MAT_COPY_VALUES, M));
    else
      PetscCall(MatConvertToAIJ(A, parent, MAT_INITIAL_MATRIX, M));
  } else
    *M = A;
  PetscCall(AutoCSRConvertInPlace(*M, parent, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
