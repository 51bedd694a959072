/* Vectors that are not where, or not of the type that, the parent's functions want them */
#include "seqautocsr.h"

PetscErrorCode AutoCSRVecIsOnHost(Vec v, PetscBool *host)
{
  const PetscScalar *array;
  PetscMemType       memtype;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(v, &array, &memtype));
  *host = PetscMemTypeHost(memtype);
  PetscCall(VecRestoreArrayReadAndMemType(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* AIJCUSPARSE's functions ask for vectors of CUDA's types by name, whose entries are on the device */
PetscErrorCode AutoCSRVecIsForeign(Vec v, PetscBool *foreign)
{
  PetscBool cuda;

  PetscFunctionBegin;
  PetscCall(AutoCSRVecIsOnHost(v, foreign));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, &cuda, VECSEQCUDA, VECMPICUDA, ""));
  if (!cuda) *foreign = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRVecCopyValues(Vec from, Vec to)
{
  const PetscScalar *f;
  PetscScalar       *t;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(from, &n));
  PetscCall(VecGetArrayRead(from, &f));
  PetscCall(VecGetArrayWrite(to, &t));
  PetscCall(PetscArraycpy(t, f, n));
  PetscCall(VecRestoreArrayWrite(to, &t));
  PetscCall(VecRestoreArrayRead(from, &f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
