/*
  Where a plan has columns and values of its own, the CSR that is kept on a device beside it serves no product. It is
  let go once products have taken some times as long as bringing it back would: at the first one with the objective memory, never
  where the parent writes new values there or keeps pointers to it, or a kernel for small matrices reads it. Arrays of the library's own (seq/upload.c) are freed. The parent's
  are swapped for an empty matrix's, so the parent finds nothing there, as before its first use, and brings all of it back when it needs it.
*/
#include "seqautocsr.h"

#define AUTOCSR_RELEASE_LEAST (1 << 20) /* bytes that are worth it */
#define AUTOCSR_RELEASE_WAIT  2e-3      /* seconds that letting go and bringing back take, however few bytes there are, */
#define AUTOCSR_RELEASE_RATE  1e10      /* and bytes a second on their way to a device */
#define AUTOCSR_RELEASE_TIMES 4         /* so that it adds a quarter at most to products, even where it is in vain each time */

/* Executors may read row_ptr, of which the context keeps a copy */
static PetscBool AutoCSRPlanHasEntries(const AutoCSRPlan *plan)
{
  if (plan->division) return PETSC_FALSE; /* new values divide the CSR again */
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const AutoCSRAxes *a = &plan->segment[s].axes;

    if (a->mapping != AUTOCSR_MAP_EMPTY && (a->index == AUTOCSR_INDEX_CSR || a->value == AUTOCSR_VALUE_CSR)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* None where the parent has brought them back */
PetscInt64 AutoCSRContextReleasedBytes(Mat A, const AutoCSRContext *ctx)
{
#if PetscDefined(HAVE_DEVICE)
  if (ctx->row_ptr && !(A->offloadmask & PETSC_OFFLOAD_GPU)) return AutoCSRMatrixBytes(&ctx->csr) - (PetscInt64)(ctx->csr.m + 1) * (PetscInt64)sizeof(PetscInt);
#endif
  return 0;
}

static void AutoCSRContextReleaseIn(AutoCSRContext *ctx, PetscInt64 products)
{
  ctx->release_at = AutoCSRContextProducts(ctx) + products;
}

/* The plan is another one, or its matrix has new values: products are counted from here on */
PetscErrorCode AutoCSRContextReleaseLater(AutoCSRContext *ctx)
{
  const AutoCSRParent *parent;
  double               products = 0;

  PetscFunctionBegin;
  ctx->release_after = 0;
  ctx->release_at    = INT64_MAX;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  if (!parent->release || !AutoCSRContextIsResident(ctx) || !ctx->planned.plan || ctx->held || ctx->in_place || AutoCSRContextBorrows(ctx) || ctx->settings.keep_csr || ctx->settings.check_values || ctx->planned.progress.stage != AUTOCSR_STAGE_FINAL) PetscFunctionReturn(PETSC_SUCCESS);
  if (AutoCSRMatrixBytes(&ctx->csr) < AUTOCSR_RELEASE_LEAST || !AutoCSRPlanHasEntries(ctx->planned.plan)) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->settings.objective != MAT_AUTOCSR_OBJECTIVE_MEMORY) products = AUTOCSR_RELEASE_TIMES * (AUTOCSR_RELEASE_WAIT + (double)AutoCSRMatrixBytes(&ctx->csr) / AUTOCSR_RELEASE_RATE) / PetscMax(ctx->planned.plan->predicted, 1e-6);
  ctx->release_after = (PetscInt64)PetscMin(PetscMax(products, 1), 1e9);
  AutoCSRContextReleaseIn(ctx, ctx->release_after);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only where the host has the values, too */
PetscErrorCode AutoCSRContextRelease(Mat A, AutoCSRContext *ctx)
{
#if PetscDefined(HAVE_DEVICE)
  const AutoCSRParent *parent;
  const PetscInt      *row_ptr, *col;
  PetscInt             m;
  PetscBool            done;
  PetscErrorCode       ierr;

  PetscFunctionBegin;
  if (!ctx->release_after || ctx->held || ctx->in_place) {
    ctx->release_at = INT64_MAX;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  AutoCSRContextReleaseIn(ctx, PetscMax(ctx->release_after, 100));
  if (A->offloadmask != PETSC_OFFLOAD_BOTH && !ctx->own.col) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, &done));
  if (!ctx->row_ptr && ctx->own.row_ptr == ctx->csr.row_ptr && ctx->own.row_ptr) {
    ctx->row_ptr     = ctx->own.row_ptr; /* these are a copy already */
    ctx->own.row_ptr = NULL;
  } else if (!ctx->row_ptr) {
    ierr = AutoCSRTryBegin();
    if (!ierr) {
      ierr = (*ctx->csr.backend->allocate)((size_t)(m + 1) * sizeof(PetscInt), (void **)&ctx->row_ptr);
      PetscCall(PetscPopErrorHandler());
    }
    if (ierr == PETSC_ERR_MEM)
      ctx->row_ptr = NULL; /* another time */
    else {
      PetscCall(ierr);
      PetscCall((*ctx->csr.backend->from_host)(ctx->row_ptr, row_ptr, (size_t)(m + 1) * sizeof(PetscInt)));
    }
  }
  ctx->host_row_ptr = row_ptr;
  ctx->host_col     = col;
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, &done));
  if (!ctx->row_ptr) PetscFunctionReturn(PETSC_SUCCESS);
  if (A->offloadmask == PETSC_OFFLOAD_BOTH) PetscCall((*parent->release)(A)); /* else all are the library's */
  PetscCall(AutoCSROwnForget(&ctx->own));
  ctx->released    = PETSC_TRUE;
  ctx->spptr       = A->spptr;
  ctx->csr.row_ptr = ctx->row_ptr;
  ctx->csr.col     = NULL;
  ctx->csr.val     = NULL;
  PetscCall(PetscInfo(A, "The plan has its own columns and values of %" PetscInt_FMT " nonzeros: %.3g MB of CSR on %s are let go after %" PetscInt64_FMT " products\n", ctx->csr.nnz, 1e-6 * (double)AutoCSRContextReleasedBytes(A, ctx), ctx->csr.backend->name, AutoCSRContextProducts(ctx)));
  PetscFunctionReturn(PETSC_SUCCESS);
#else
  (void)A;
  ctx->release_at = INT64_MAX;
  return PETSC_SUCCESS;
#endif
}

/* The context has the parent's arrays again, or is to have others */
PetscErrorCode AutoCSRContextForgetRows(AutoCSRContext *ctx)
{
  PetscFunctionBegin;
  if (ctx->row_ptr) PetscCall((*ctx->csr.backend->deallocate)(ctx->row_ptr));
  ctx->row_ptr = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of a matrix whose plan is current, for what reads them all */
PetscErrorCode AutoCSRContextReclaim(Mat A, AutoCSRContext *ctx)
{
  const AutoCSRParent   *parent;
  const PetscObjectState state = ctx->state;
  AutoCSRMatrix          csr   = ctx->csr;

  PetscFunctionBegin;
  if (!ctx->row_ptr) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall((*parent->get_csr)(A, &csr));
  PetscCall(AutoCSRContextForgetRows(ctx));
  ctx->csr      = csr;
  ctx->state    = state; /* it is current still */
  ctx->released = PETSC_FALSE;
  PetscCall(AutoCSRContextReleaseLater(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Some of the parent's functions write into arrays of the device without a look whether they are there (values by COO, results of products), or
  keep descriptors of them (operands of products)
*/
PetscErrorCode AutoCSRHoldArrays(Mat A)
{
  PetscErrorCode (*get)(Mat, Mat[]) = NULL;
  Mat block[AUTOCSR_MAX_BLOCKS];

  PetscFunctionBegin;
  if (A) PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatAutoCSRGetBlocks_C", &get));
  if (!get) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*get)(A, block));
  for (PetscInt k = 0; k < AUTOCSR_MAX_BLOCKS; k++) {
    AutoCSRContext *ctx;

    if (!block[k] || !MatIsSeqAutoCSR(block[k])) continue;
    PetscCall(AutoCSRContextFind(block[k], &ctx));
    if (!ctx) continue;
    ctx->held = PETSC_TRUE;
#if PetscDefined(HAVE_DEVICE)
    if ((ctx->released || ctx->own.col) && !AutoCSRIsBound(block[k]) && !(block[k]->offloadmask & PETSC_OFFLOAD_GPU)) {
      const PetscBool      own = (PetscBool)(ctx->own.col != NULL);
      const AutoCSRParent *parent;
      AutoCSRMatrix        csr = ctx->csr;

      PetscCall(MatSeqAutoCSRGetParent(&parent));
      if (AutoCSRHostIsAhead(block[k], ctx)) ctx->state = AUTOCSR_NO_STATE; /* which the mask tells until the values are on the device */
      PetscCall((*parent->get_csr)(block[k], &csr));
      ctx->released = PETSC_FALSE;
      if (own) ctx->csr = csr;
    }
#endif
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
