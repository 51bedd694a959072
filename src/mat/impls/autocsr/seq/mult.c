/*
  The products of MATSEQAUTOCSR: bring the plan up to date, hand the arrays to it; without a plan, the parent's product.
*/
#include "seqautocsr.h"

/* y = z + A x, A^T x or A^H x; z may be NULL or y */
static PetscErrorCode AutoCSRProduct(Mat A, AutoCSRContext *ctx, PetscBool transpose, PetscBool conjugate, Vec xx, Vec zz, Vec yy)
{
  AutoCSROperands o = {.csr = &ctx->csr, .conjugate = conjugate};

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(xx, &o.x));
  if (zz && zz != yy) PetscCall(VecGetArrayRead(zz, &o.z));
  if (zz == yy) {
    PetscCall(VecGetArray(yy, &o.y));
    o.z = o.y;
  } else
    PetscCall(VecGetArrayWrite(yy, &o.y));
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_MULT], A, xx, yy, 0));
  if (transpose)
    PetscCall(AutoCSRPlanMultTranspose(ctx->plan, &o));
  else
    PetscCall(AutoCSRPlanMult(ctx->plan, &o));
  PetscCall(PetscLogFlops(2.0 * ctx->csr.nnz - (transpose || zz ? 0 : ctx->nonempty)));
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_MULT], A, xx, yy, 0));
  if (zz == yy)
    PetscCall(VecRestoreArray(yy, &o.y));
  else
    PetscCall(VecRestoreArrayWrite(yy, &o.y));
  if (zz && zz != yy) PetscCall(VecRestoreArrayRead(zz, &o.z));
  PetscCall(VecRestoreArrayRead(xx, &o.x));
  ctx->products++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRReady(Mat A, AutoCSRContext **ctx, const AutoCSRParent **parent)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, ctx));
  PetscCall(AutoCSRContextUpdate(A, *ctx));
  if (!(*ctx)->plan) PetscCall(MatSeqAutoCSRGetParent(parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A block is multiplied with the vectors of its parallel matrix. Under -log_sync (and -petsc_ci) a logged operation on these
  is collective, so what one rank does without a plan may log none: the parent's MatMultTranspose() calls VecSet().
*/
static PetscErrorCode AutoCSRParentTranspose(Mat A, const AutoCSRParent *parent, Vec x, Vec z, Vec y)
{
  const PetscScalar *za;
  PetscScalar       *ya;

  PetscFunctionBegin;
  if (z != y) {
    PetscCall(VecGetArrayWrite(y, &ya));
    PetscCall(PetscArrayzero(ya, A->cmap->n));
    if (z) {
      PetscCall(VecGetArrayRead(z, &za));
      PetscCall(PetscArraycpy(ya, za, A->cmap->n));
      PetscCall(VecRestoreArrayRead(z, &za));
    }
    PetscCall(VecRestoreArrayWrite(y, &ya));
  }
  PetscCall((*parent->ops.multtransposeadd)(A, x, y, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_SeqAutoCSR(Mat A, Vec x, Vec y)
{
  AutoCSRContext      *ctx;
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(AutoCSRReady(A, &ctx, &parent));
  if (ctx->plan)
    PetscCall(AutoCSRProduct(A, ctx, PETSC_FALSE, PETSC_FALSE, x, NULL, y));
  else
    PetscCall((*parent->ops.mult)(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultAdd_SeqAutoCSR(Mat A, Vec x, Vec z, Vec y)
{
  AutoCSRContext      *ctx;
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(AutoCSRReady(A, &ctx, &parent));
  if (ctx->plan)
    PetscCall(AutoCSRProduct(A, ctx, PETSC_FALSE, PETSC_FALSE, x, z, y));
  else
    PetscCall((*parent->ops.multadd)(A, x, z, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTranspose_SeqAutoCSR(Mat A, Vec x, Vec y)
{
  AutoCSRContext      *ctx;
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(AutoCSRReady(A, &ctx, &parent));
  if (ctx->plan)
    PetscCall(AutoCSRProduct(A, ctx, PETSC_TRUE, PETSC_FALSE, x, NULL, y));
  else
    PetscCall(AutoCSRParentTranspose(A, parent, x, NULL, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTransposeAdd_SeqAutoCSR(Mat A, Vec x, Vec z, Vec y)
{
  AutoCSRContext      *ctx;
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(AutoCSRReady(A, &ctx, &parent));
  if (ctx->plan)
    PetscCall(AutoCSRProduct(A, ctx, PETSC_TRUE, PETSC_FALSE, x, z, y));
  else
    PetscCall(AutoCSRParentTranspose(A, parent, x, z, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parent has no Hermitian products: A^H x = conj(A^T conj(x)) */
static PetscErrorCode AutoCSRParentHermitian(Mat A, const AutoCSRParent *parent, Vec x, Vec z, Vec y)
{
  Vec w;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &w));
  PetscCall(VecCopy(x, w));
  PetscCall(VecConjugate(w));
  if (z) {
    PetscCall(VecCopy(z, y));
    PetscCall(VecConjugate(y));
    PetscCall((*parent->ops.multtransposeadd)(A, w, y, y));
  } else
    PetscCall((*parent->ops.multtranspose)(A, w, y));
  PetscCall(VecConjugate(y));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultHermitianTranspose_SeqAutoCSR(Mat A, Vec x, Vec y)
{
  AutoCSRContext      *ctx;
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(AutoCSRReady(A, &ctx, &parent));
  if (ctx->plan)
    PetscCall(AutoCSRProduct(A, ctx, PETSC_TRUE, PETSC_TRUE, x, NULL, y));
  else
    PetscCall(AutoCSRParentHermitian(A, parent, x, NULL, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultHermitianTransposeAdd_SeqAutoCSR(Mat A, Vec x, Vec z, Vec y)
{
  AutoCSRContext      *ctx;
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(AutoCSRReady(A, &ctx, &parent));
  if (ctx->plan)
    PetscCall(AutoCSRProduct(A, ctx, PETSC_TRUE, PETSC_TRUE, x, z, y));
  else
    PetscCall(AutoCSRParentHermitian(A, parent, x, z, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
