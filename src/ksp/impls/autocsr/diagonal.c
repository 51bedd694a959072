/* The diagonal that a preconditioner multiplies by: what it makes of a vector of ones */
#include "fused.h"
#include <petsc/private/pcimpl.h>

/* All that the diagonal depends on. `set_up`: for which state of the matrix PETSc has set the preconditioner up; its type differs between versions */
static PetscErrorCode GetKey(PC pc, AutoCSRDiagonalKey *key)
{
  Mat pmat;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(key, sizeof(*key)));
  PetscCall(PCGetOperators(pc, NULL, &pmat));
  PetscCall(PetscObjectGetId((PetscObject)pc, &key->pc));
  PetscCall(PetscObjectGetId((PetscObject)pmat, &key->mat));
  PetscCall(PetscObjectStateGet((PetscObject)pmat, &key->state));
  PetscCall(PetscMemcpy(key->set_up, &pc->matstate, PetscMin(sizeof(key->set_up), sizeof(pc->matstate))));
  PetscCall(PCJacobiGetType(pc, &key->type));
  PetscCall(PCJacobiGetUseAbs(pc, &key->use_abs));
  PetscCall(PCJacobiGetFixDiagonal(pc, &key->fix));
#if PETSC_VERSION_GE(3, 22, 0)
  PetscCall(PCJacobiGetRowl1Scale(pc, &key->scale));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFusedDiagonal(KSP ksp, AutoCSRFused *f, Vec work, Vec *diagonal)
{
  AutoCSRDiagonalKey key;
  PetscBool          none;

  PetscFunctionBegin;
  *diagonal = NULL;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCNONE, &none));
  if (none) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetKey(ksp->pc, &key));
  if (!f->diagonal || memcmp(&key, &f->key, sizeof(key))) {
    if (!f->diagonal) PetscCall(VecDuplicate(work, &f->diagonal));
    PetscCall(VecSet(work, 1));
    PetscCall(KSP_PCApply(ksp, work, f->diagonal));
    f->key = key;
  }
  *diagonal = f->diagonal;
  PetscFunctionReturn(PETSC_SUCCESS);
}
