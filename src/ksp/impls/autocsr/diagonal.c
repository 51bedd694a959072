/* The diagonal or the point blocks that a preconditioner multiplies by: what it makes of vectors of ones and zeros */
#include "fused.h"
#include <petsc/private/pcimpl.h>

/*
  All that the diagonal depends on. `set_up`: for which state of the matrix PETSc has set the preconditioner up; its type differs
  between versions. `block`: rows of a point block, 1 if there are none
*/
static PetscErrorCode GetKey(PC pc, AutoCSRDiagonalKey *key)
{
  Mat       pmat;
  PetscBool jacobi, points;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(key, sizeof(*key)));
  PetscCall(PCGetOperators(pc, NULL, &pmat));
  PetscCall(PetscObjectGetId((PetscObject)pc, &key->pc));
  PetscCall(PetscObjectGetId((PetscObject)pmat, &key->mat));
  PetscCall(PetscObjectStateGet((PetscObject)pmat, &key->state));
  PetscCall(PetscMemcpy(key->set_up, &pc->matstate, PetscMin(sizeof(key->set_up), sizeof(pc->matstate))));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCPBJACOBI, &points));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCJACOBI, &jacobi));
  PetscCall(PetscStrncpy(key->name, ((PetscObject)pc)->type_name, sizeof(key->name)));
  key->block = 1;
  if (points) PetscCall(MatGetBlockSize(pmat, &key->block));
  if (!jacobi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCJacobiGetType(pc, &key->type));
  PetscCall(PCJacobiGetUseAbs(pc, &key->use_abs));
  PetscCall(PCJacobiGetFixDiagonal(pc, &key->fix));
#if PETSC_VERSION_GE(3, 22, 0)
  PetscCall(PCJacobiGetRowl1Scale(pc, &key->scale));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PBJACOBI keeps the size that it was set up with */
static PetscBool BlockMoved(const AutoCSRDiagonalKey *now, const AutoCSRDiagonalKey *before)
{
  AutoCSRDiagonalKey same = *now;

  same.block = before->block;
  return (PetscBool)(now->block != before->block && !memcmp(&same, before, sizeof(same)));
}

/*
  PETSc's solves set the preconditioner up in their first application of it if values have changed since, and a failure is known to the
  process alone that met it. Here it is set up before anything asks for it, and all processes are told once for each set-up, or solve
*/
PetscErrorCode AutoCSRFusedSetUpPC(KSP ksp, AutoCSRFused *f, const char **why)
{
  AutoCSRDiagonalKey key;
  PCFailedReason     reason;
  PetscMPIInt        mine, any;

  PetscFunctionBegin;
  PetscCall(PCSetUp(ksp->pc));
  PetscCall(GetKey(ksp->pc, &key));
  if (BlockMoved(&key, &f->checked)) {
    *why = "the matrix has another block size than the preconditioner was set up with";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (f->given || memcmp(&key, &f->checked, sizeof(key))) { /* applications of one that is given may fail, too */
    PetscCall(PCGetFailedReason(ksp->pc, &reason));
    mine = ksp->reason == KSP_DIVERGED_PC_FAILED || reason != PC_NOERROR;
    PetscCallMPI(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)ksp)));
    f->failed  = (PetscBool)(any != 0);
    f->checked = key;
  }
  if (f->failed) *why = "the preconditioner has failed";
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
  const PetscInt block = f->checked.block;
  PetscBool      none;
  PetscInt       before, now;

  PetscFunctionBegin;
  *diagonal = NULL;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCNONE, &none));
  if (none) PetscFunctionReturn(PETSC_SUCCESS);
  if (!f->diagonal || memcmp(&f->checked, &f->key, sizeof(f->key))) {
    if (f->diagonal) { /* another matrix may have other sizes, not on each process: all make a new vector then */
      PetscCall(VecGetLocalSize(f->diagonal, &before));
      PetscCall(VecGetLocalSize(work, &now));
      if (block != f->key.block || f->checked.mat != f->key.mat || before != now * block) PetscCall(VecDestroy(&f->diagonal));
    }
    if (block > 1) {
      if (!f->diagonal) PetscCall(CreateBlocks(work, block, &f->diagonal));
      PetscCall(GetBlocks(ksp, block, work, f->diagonal));
    } else {
      if (!f->diagonal) PetscCall(VecDuplicate(work, &f->diagonal));
      PetscCall(VecSet(work, 1));
      PetscCall(KSP_PCApply(ksp, work, f->diagonal));
    }
    f->key = f->checked;
  }
  *diagonal = f->diagonal;
  PetscFunctionReturn(PETSC_SUCCESS);
}
