/*
  Transposed products where the backend has none: scattering into y would take atomic additions, whose order changes from run
  to run (the parent's products do that). The transpose is a CSR of its own, with a plan of its own, made at the first such
  product and given new values when the block has new ones.
*/
#include "seqautocsr.h"
#include <petsctime.h>

PetscErrorCode AutoCSRTransposedReset(AutoCSRTransposed *t)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPlanDestroy(&t->plan));
  PetscCall(AutoCSRDenseDestroy(&t->dense));
  if (t->csr.backend) {
    PetscCall((*t->csr.backend->deallocate)((void *)t->csr.row_ptr));
    PetscCall((*t->csr.backend->deallocate)((void *)t->csr.col));
    PetscCall((*t->csr.backend->deallocate)((void *)t->csr.val));
    PetscCall((*t->csr.backend->deallocate)(t->place));
  }
  PetscCall(PetscMemzero(t, sizeof(*t)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTransposedGetBytes(const AutoCSRTransposed *t, PetscInt64 *bytes)
{
  double moved;

  PetscFunctionBegin;
  *bytes = 0;
  if (!t->plan) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRPlanGetBytes(t->plan, bytes, &moved));
  *bytes += AutoCSRMatrixBytes(&t->csr) + (PetscInt64)t->csr.nnz * (PetscInt64)sizeof(*t->place);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A graph is the matrix's, not its transpose's */
static PetscErrorCode AutoCSRTransposedPlan(Mat A, AutoCSRContext *ctx, AutoCSRTransposed *t)
{
  const AutoCSRSettings asked = ctx->settings;
  AutoCSRProfile       *profile;
  PetscErrorCode        ierr;

  PetscFunctionBegin;
  if (asked.graph[0]) PetscCall(AutoCSRSettingsSetGraph(&ctx->settings, ""));
  ierr          = AutoCSRContextPlan(A, ctx, &t->csr, &t->plan, &profile, NULL);
  ctx->settings = asked;
  PetscCall(ierr);
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRTransposedMake(const AutoCSRMatrix *csr, AutoCSRTransposed *t)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ierr = AutoCSRTryBegin();
  if (!ierr) {
    ierr = (*csr->backend->transpose)(csr, &t->csr, &t->place);
    PetscCall(PetscPopErrorHandler());
  }
  t->none = (PetscBool)(ierr == PETSC_ERR_MEM);
  if (!t->none) PetscCall(ierr);
  t->csr.figures = csr->figures;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRTransposedUpdate(Mat A, AutoCSRContext *ctx, AutoCSRTransposed *t)
{
  PetscBool      fits = PETSC_FALSE;
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  PetscCall(AutoCSRContextReclaim(A, ctx));
  if (t->plan) {
    PetscCall((*t->csr.backend->permute)(t->csr.nnz, t->place, ctx->csr.val, (PetscScalar *)t->csr.val));
    PetscCall(AutoCSRContextTryRefresh(&t->csr, t->plan, &fits));
    if (!fits) PetscCall(AutoCSRPlanDestroy(&t->plan));
    if (t->dense) t->dense->current = PETSC_FALSE;
  } else
    PetscCall(AutoCSRTransposedMake(&ctx->csr, t));
  if (!fits && !t->none) PetscCall(AutoCSRTransposedPlan(A, ctx, t));
  if (!t->plan) {
    PetscCall(PetscInfo(A, "No memory for the transpose of %" PetscInt_FMT " nonzeros on %s: the parent's product is used\n", ctx->csr.nnz, ctx->csr.backend->name));
    PetscCall(AutoCSRTransposedReset(t));
    t->none = PETSC_TRUE;
  }
  t->current = PETSC_TRUE;
  PetscCall(PetscTime(&end));
  ctx->setup += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plan, and in the operands the CSR and conjugation, that make A^T x (with o->conjugate: A^H x) as a product A' x */
PetscErrorCode AutoCSRTransposedGet(Mat A, AutoCSRContext *ctx, AutoCSROperands *o, const AutoCSRPlan **plan)
{
  AutoCSRTransposed *t = &ctx->transposed;
  PetscBool          eternal, known, symmetric;

  PetscFunctionBegin;
  *plan = ctx->planned.plan;
  PetscCall(MatGetOption(A, MAT_SYMMETRY_ETERNAL, &eternal)); /* else MatCopy() and MatAXPY() leave the flag on what is symmetric no more */
  if (eternal) {
    PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
    if (known && symmetric) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatIsHermitianKnown(A, &known, &symmetric));
    if (known && symmetric) {
      o->conjugate = (PetscBool)!o->conjugate;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  *plan = NULL;
  if (t->none) PetscFunctionReturn(PETSC_SUCCESS);
  if (!t->current) PetscCall(AutoCSRTransposedUpdate(A, ctx, t));
  *plan  = t->plan;
  o->csr = &t->csr;
  PetscFunctionReturn(PETSC_SUCCESS);
}
