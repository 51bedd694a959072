/*
  Products without a plan: of a matrix without entries, and those that are left to the parent for want of memory.

  A block is multiplied with the vectors of its parallel matrix. Under -log_sync (and -petsc_ci) a logged operation on these
  is collective, so what one rank does without a plan may log none: vectors are set and copied by their own methods.
*/
#include "seqautocsr.h"
#include <petsc/private/vecimpl.h>

/* y = z, or 0 without a z */
static PetscErrorCode AutoCSRSetSum(Vec z, Vec y)
{
  PetscFunctionBegin;
  if (z == y) PetscFunctionReturn(PETSC_SUCCESS);
  if (z)
    PetscCall((*z->ops->copy)(z, y));
  else
    PetscCall((*y->ops->set)(y, 0.0));
  PetscCall(PetscObjectStateIncrease((PetscObject)y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* AIJ has no Hermitian products: A^H x = conj(A^T conj(x)). y holds the summand */
static PetscErrorCode AutoCSRAddHermitian(Mat A, Vec x, Vec y)
{
  Vec w;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &w));
  PetscCall((*x->ops->copy)(x, w));
  PetscCall(PetscObjectStateIncrease((PetscObject)w));
  PetscCall(VecConjugate(w));
  PetscCall(VecConjugate(y));
  PetscCall((*A->ops->multtransposeadd)(A, w, y, y));
  PetscCall(VecConjugate(y));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A goes as its parent. AIJCUSPARSE's transposed sums are right only in place, so all are made so */
static PetscErrorCode AutoCSRParentMultiply(Mat A, AutoCSRProductKind kind, Vec x, Vec z, Vec y)
{
  PetscFunctionBegin;
  if (kind == AUTOCSR_PRODUCT_FORWARD) {
    if (z)
      PetscCall((*A->ops->multadd)(A, x, z, y));
    else
      PetscCall((*A->ops->mult)(A, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRSetSum(z, y));
  if (kind == AUTOCSR_PRODUCT_TRANSPOSE || !PetscDefined(USE_COMPLEX))
    PetscCall((*A->ops->multtransposeadd)(A, x, y, y));
  else if (A->ops->multhermitiantransposeadd)
    PetscCall((*A->ops->multhermitiantransposeadd)(A, x, y, y));
  else
    PetscCall(AutoCSRAddHermitian(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* AIJCUSPARSE multiplies no vectors that are on the host or of Kokkos: copies of the kind that it makes itself */
static PetscErrorCode AutoCSRParentMultiplyCopies(Mat A, AutoCSRProductKind kind, Vec x, Vec z, Vec y)
{
  const PetscBool forward = (PetscBool)(kind == AUTOCSR_PRODUCT_FORWARD);
  Vec             from, to;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, forward ? &from : &to, forward ? &to : &from));
  PetscCall(AutoCSRVecCopyValues(x, from));
  if (z) PetscCall(AutoCSRVecCopyValues(z, to));
  PetscCall(AutoCSRParentMultiply(A, kind, from, z ? to : NULL, to));
  PetscCall(AutoCSRVecCopyValues(to, y));
  PetscCall(VecDestroy(&from));
  PetscCall(VecDestroy(&to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRParentProduct(Mat A, AutoCSRProductKind kind, Vec x, Vec z, Vec y)
{
  AutoCSRContext *ctx;
  PetscBool       foreign = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (!ctx->csr.nnz) {
    PetscCall(AutoCSRSetSum(z, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(!AutoCSRContextBorrows(ctx), PETSC_COMM_SELF, PETSC_ERR_MEM, "There is no memory for a plan of %" PetscInt_FMT " nonzeros on %s, and on the user's arrays nothing else multiplies", ctx->csr.nnz, ctx->csr.backend->name);
  if (AutoCSRContextIsResident(ctx)) {
    PetscCall(AutoCSRVecIsForeign(x, &foreign));
    if (!foreign && z) PetscCall(AutoCSRVecIsForeign(z, &foreign));
    if (!foreign) PetscCall(AutoCSRVecIsForeign(y, &foreign));
  }
  if (ctx->own.col) PetscCall(AutoCSRHoldArrays(A)); /* the parent makes its own: where memory is short none is to have a second copy */
  AUTOCSR_CALL_AS_PARENT(A, foreign ? AutoCSRParentMultiplyCopies(A, kind, x, z, y) : AutoCSRParentMultiply(A, kind, x, z, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The first plan on the host is rows in place, which is what AIJ multiplies by, too: its own product is taken, so that a matrix of few products
  costs what AIJ costs. The net and wisdom may come back to it for good (`parents`). It is called as it is: that of a parent that asks for no
  name and has no device
*/
PetscErrorCode AutoCSRParentIsFirst(const AutoCSRContext *ctx, PetscBool *is)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  *is = (PetscBool)(ctx->planned.plan && (ctx->planned.progress.stage != AUTOCSR_STAGE_FINAL || ctx->planned.plan->parents) && !parent->device && !AutoCSRContextBorrows(ctx) && ctx->csr.nnz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRParentForward(Mat A, Vec x, Vec z, Vec y)
{
  const AutoCSRParent      *parent;
  const AutoCSRParentTable *table;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  table = AutoCSRParentTableOf(parent, A);
  if (z)
    PetscCall((*table->ops.multadd)(A, x, z, y));
  else
    PetscCall((*table->ops.mult)(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Where a plan scatters from the CSR entry by entry, as AIJ does, or there is none, AIJ's own transposed product loses nothing on the
  way. It is called as it is: that of a parent that asks for no name and has no device
*/
PetscErrorCode AutoCSRParentScatter(Mat A, const AutoCSRPlan *plan, AutoCSRProductKind kind, Vec x, Vec z, Vec y, PetscBool *done)
{
  const AutoCSRParent      *parent;
  const AutoCSRParentTable *table;
  AutoCSRContext           *ctx;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRContextGet(A, &ctx));
  *done = (PetscBool)(!parent->device && !AutoCSRContextBorrows(ctx) && (kind == AUTOCSR_PRODUCT_TRANSPOSE || (kind == AUTOCSR_PRODUCT_HERMITIAN && !PetscDefined(USE_COMPLEX))));
  for (PetscInt s = 0; plan && s < plan->n_segments; s++) { /* patterns, blocks and nodes have something to gain */
    if (plan->segment[s].axes.index == AUTOCSR_INDEX_PATTERN || plan->segment[s].axes.block > 1 || plan->segment[s].axes.mapping == AUTOCSR_MAP_NODES) *done = PETSC_FALSE;
  }
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRSetSum(z, y));
  table = AutoCSRParentTableOf(parent, A);
  PetscCall((*table->ops.multtransposeadd)(A, x, y, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
