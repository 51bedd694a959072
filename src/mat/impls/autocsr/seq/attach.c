/*
  The one way in which an autocsr type is put on top of a matrix of the parent's type, taken off it, and taken off for the
  time of a call: for what PETSc finds by exact type names, the matrix goes as its parent.
*/
#include "seqautocsr.h"
#include "../mpi/mpiautocsr.h"

/*
  The parent's functions are not exported; a fresh matrix of its type shows them. Its empty options database keeps
  -mat_seqaij_type, which may name ours, away from it, and -help; PETSc prints the help of a prefix only once, so it has one
  of its own.
*/
PetscErrorCode AutoCSRParentInitialize(AutoCSRParent *parent)
{
  Mat          T;
  PetscOptions options;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(MatCreate(PETSC_COMM_SELF, &T));
  PetscCall(PetscObjectSetOptions((PetscObject)T, options));
  PetscCall(MatSetOptionsPrefix(T, "autocsr_parent_"));
  PetscCall(MatSetSizes(T, 0, 0, 0, 0));
  PetscCall(MatSetType(T, parent->type));
  parent->ops = *T->ops;
  for (PetscInt k = 0; parent->methods[k].name; k++) PetscCall(PetscObjectQueryFunction((PetscObject)T, parent->methods[k].name, &parent->parent_methods[k]));
  PetscCall(MatDestroy(&T));
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRCompose(Mat A, const AutoCSRParent *parent)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; parent->methods[k].name; k++) PetscCall(PetscObjectComposeFunction((PetscObject)A, parent->methods[k].name, parent->methods[k].function));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRAttach_Private(Mat A, const AutoCSRParent *parent, const AutoCSRSettings *settings)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRContextCreate(A, settings));
  PetscCall(AutoCSRCompose(A, parent));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, parent->own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In MatHeaderMerge() the type name and the lists of composed things are off the matrix: nothing may be added to them */
PetscErrorCode AutoCSRSuspend_Private(Mat A, const AutoCSRParent *parent, AutoCSRSuspended *s)
{
  const PetscBool merging = (PetscBool) !((PetscObject)A)->type_name;

  PetscFunctionBegin;
  s->mat  = A;
  s->id   = ((PetscObject)A)->id;
  s->name = ((PetscObject)A)->type_name;
  PetscCall(AutoCSRContextTake(A, &s->context));
  for (PetscInt k = 0; parent->methods[k].name; k++) PetscCall(PetscObjectComposeFunction((PetscObject)A, parent->methods[k].name, merging ? NULL : parent->parent_methods[k]));
  PetscCall(PetscStrallocpy(parent->type, &((PetscObject)A)->type_name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRResume_Private(const AutoCSRParent *parent, AutoCSRSuspended *s)
{
  Mat A = s->mat;

  PetscFunctionBegin;
  PetscCall(PetscFree(((PetscObject)A)->type_name));
  ((PetscObject)A)->type_name = s->name;
  s->name                     = NULL;
  PetscCall(AutoCSRCompose(A, parent));
  PetscCall(AutoCSRContextGive(A, &s->context));
  s->mat = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSuspend(Mat A, AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s, 1 + AUTOCSR_MAX_BLOCKS));
  if (!A) PetscFunctionReturn(PETSC_SUCCESS);
  if (MatIsSeqAutoCSR(A))
    PetscCall(MatSeqAutoCSRSuspend(A, s));
  else if (MatIsMPIAutoCSR(A))
    PetscCall(MatMPIAutoCSRSuspend(A, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRResume(AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  const AutoCSRParent *mpi;

  PetscFunctionBegin;
  if (!s[0].mat) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAutoCSRGetParent(&mpi));
  if (!strcmp(((PetscObject)s[0].mat)->type_name, mpi->type))
    PetscCall(MatMPIAutoCSRResume(s));
  else
    PetscCall(MatSeqAutoCSRResume(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDiscard(AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 1 + AUTOCSR_MAX_BLOCKS; k++) {
    PetscCall(PetscFree(s[k].name));
    PetscCall(PetscContainerDestroy(&s[k].context));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
