/*
  Values of the host that are read or written where they lie, whatever a device has: by methods of AIJ, which the types inherit.
*/
#include "seqautocsr.h"

#if defined(AUTOCSR_HAVE_CUDA)
/* Before such a method: the host's values are made those of the matrix and, where they are to be written, the device's old ones */
PetscErrorCode AutoCSRValuesToHost(Mat A, PetscBool written)
{
  const PetscScalar *read;
  PetscScalar       *write;

  PetscFunctionBegin;
  if (AutoCSRIsBound(A) || !(A->offloadmask & PETSC_OFFLOAD_GPU)) PetscFunctionReturn(PETSC_SUCCESS);
  if (written) {
    PetscCall(MatSeqAIJGetArray(A, &write));
    PetscCall(MatSeqAIJRestoreArray(A, &write));
  } else {
    PetscCall(MatSeqAIJGetArrayRead(A, &read));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &read));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* After one that has written all of them: they are the values of the matrix, and new ones */
PetscErrorCode AutoCSRValuesWritten(Mat A)
{
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetArrayWrite(A, &values));
  PetscCall(MatSeqAIJRestoreArrayWrite(A, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CallMethod(Mat A, const char name[])
{
  const AutoCSRParent *parent;
  PetscErrorCode (*method)(Mat);

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRParentGetMethod(parent, A, name, (void (**)(void)) & method));
  PetscCall((*method)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatStoreValues_SeqAutoCSR(Mat A)
{
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetArrayRead(A, &values));
  PetscCall(CallMethod(A, "MatStoreValues_C"));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Older PETSc does not count this as a change of the matrix */
PetscErrorCode MatRetrieveValues_SeqAutoCSR(Mat A)
{
  PetscFunctionBegin;
  PetscCall(CallMethod(A, "MatRetrieveValues_C"));
  PetscCall(AutoCSRValuesWritten(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
