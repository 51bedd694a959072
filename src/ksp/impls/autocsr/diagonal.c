/* The diagonal or the point blocks that a preconditioner multiplies by: what it makes of vectors of ones and zeros */
#include "fused.h"
#include <petsc/private/pcimpl.h>

PetscErrorCode AutoCSRFusedBlock(PC pc, PetscInt *block)
{
  PetscBool points;
  Mat       pmat;

  PetscFunctionBegin;
  *block = 1;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCPBJACOBI, &points));
  if (!points) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGetOperators(pc, NULL, &pmat));
  PetscCall(MatGetBlockSize(pmat, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that the diagonal depends on. `set_up`: for which state of the matrix PETSc has set the preconditioner up; its type differs between versions */
static PetscErrorCode GetKey(PC pc, AutoCSRDiagonalKey *key)
{
  Mat       pmat;
  PetscBool jacobi;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(key, sizeof(*key)));
  PetscCall(PCGetOperators(pc, NULL, &pmat));
  PetscCall(PetscObjectGetId((PetscObject)pc, &key->pc));
  PetscCall(PetscObjectGetId((PetscObject)pmat, &key->mat));
  PetscCall(PetscObjectStateGet((PetscObject)pmat, &key->state));
  PetscCall(PetscMemcpy(key->set_up, &pc->matstate, PetscMin(sizeof(key->set_up), sizeof(pc->matstate))));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCJACOBI, &jacobi));
  if (!jacobi) {
    PetscCall(AutoCSRFusedBlock(pc, &key->block)); /* at least 1 */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCJacobiGetType(pc, &key->type));
  PetscCall(PCJacobiGetUseAbs(pc, &key->use_abs));
  PetscCall(PCJacobiGetFixDiagonal(pc, &key->fix));
#if PETSC_VERSION_GE(3, 22, 0)
  PetscCall(PCJacobiGetRowl1Scale(pc, &key->scale));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  PETSc's solves set the preconditioner up in their first application of it if values have changed since, and a failure is known to the
  process alone that met it. Here it is set up before anything asks for it, and all processes are told once for each set-up
*/
PetscErrorCode AutoCSRFusedSetUpPC(KSP ksp, AutoCSRFused *f, PetscBool *failed)
{
  AutoCSRDiagonalKey key;
  PCFailedReason     reason;
  PetscMPIInt        mine, any;

  PetscFunctionBegin;
  PetscCall(PCSetUp(ksp->pc));
  PetscCall(GetKey(ksp->pc, &key));
  if (memcmp(&key, &f->checked, sizeof(key))) {
    PetscCall(PCGetFailedReason(ksp->pc, &reason));
    mine = ksp->reason == KSP_DIVERGED_PC_FAILED || reason != PC_NOERROR;
    PetscCallMPI(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)ksp)));
    f->failed  = (PetscBool)(any != 0);
    f->checked = key;
  }
  *failed = f->failed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner keeps the size that it was set up with */
PetscErrorCode AutoCSRFusedBlockMoved(PC pc, const AutoCSRFused *f, PetscBool *moved)
{
  AutoCSRDiagonalKey key;

  PetscFunctionBegin;
  *moved = PETSC_FALSE;
  if (!f->diagonal || f->key.block < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetKey(pc, &key));
  if (key.block < 1 || key.block == f->key.block) PetscFunctionReturn(PETSC_SUCCESS);
  key.block = f->key.block;
  *moved    = (PetscBool)!memcmp(&key, &f->key, sizeof(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* work = 1 where a row is row k of its block */
static PetscErrorCode SetColumn(Vec work, PetscInt block, PetscInt k)
{
  PetscScalar *w;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(work, &n));
  PetscCall(VecGetArrayWrite(work, &w));
  for (PetscInt i = 0; i < n; i++) w[i] = i % block == k;
  PetscCall(VecRestoreArrayWrite(work, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column after column of all blocks */
static PetscErrorCode GetBlocks(KSP ksp, PetscInt block, Vec work, Vec blocks)
{
  Vec                column;
  PetscScalar       *to;
  const PetscScalar *from;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(work, &column));
  PetscCall(VecGetLocalSize(work, &n));
  PetscCall(VecGetArrayWrite(blocks, &to));
  for (PetscInt k = 0; k < block; k++) {
    PetscCall(SetColumn(work, block, k));
    PetscCall(KSP_PCApply(ksp, work, column));
    PetscCall(VecGetArrayRead(column, &from));
    PetscCall(PetscArraycpy(to + (size_t)k * n, from, n));
    PetscCall(VecRestoreArrayRead(column, &from));
  }
  PetscCall(VecRestoreArrayWrite(blocks, &to));
  PetscCall(VecDestroy(&column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vector like `work`, with `block` entries for each entry of `work` */
static PetscErrorCode CreateBlocks(Vec work, PetscInt block, Vec *blocks)
{
  VecType  type;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(work, &n));
  PetscCall(VecGetType(work, &type));
  PetscCall(VecCreate(PetscObjectComm((PetscObject)work), blocks));
  PetscCall(VecSetSizes(*blocks, n * block, PETSC_DETERMINE));
  PetscCall(VecSetType(*blocks, type));
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
    if (f->diagonal && key.block != f->key.block) PetscCall(VecDestroy(&f->diagonal));
    if (key.block > 1) {
      if (!f->diagonal) PetscCall(CreateBlocks(work, key.block, &f->diagonal));
      PetscCall(GetBlocks(ksp, key.block, work, f->diagonal));
    } else {
      if (!f->diagonal) PetscCall(VecDuplicate(work, &f->diagonal));
      PetscCall(VecSet(work, 1));
      PetscCall(KSP_PCApply(ksp, work, f->diagonal));
    }
    f->key = key;
  }
  *diagonal = f->diagonal;
  PetscFunctionReturn(PETSC_SUCCESS);
}
