/*
  The context of a matrix: its settings, its plan, and the key by which the plan is known to fit (doc/design.md 5).
*/
#include "seqautocsr.h"
#include "../backend.h"
#include <petsctime.h>

#define AUTOCSR_CONTEXT "MatAutoCSRContext"

/*
  MatHeaderMerge() destroys what a matrix has and gives it the data of another; it calls the destroy method with the type
  name taken off. Before PETSc 3.21.1 the composed objects are gone too, so the settings of the last one are kept here.
*/
static PetscInt        merges = 0;
static Mat             merged = NULL;
static AutoCSRSettings merged_settings;

static PetscErrorCode AutoCSRContextReset(AutoCSRContext *ctx)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPlanDestroy(&ctx->plan));
  PetscCall(AutoCSRProfileDestroy(&ctx->profile));
  PetscCall(PetscMemzero(&ctx->csr, sizeof(ctx->csr)));
  ctx->owner = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRContextSet(AutoCSRContext *ctx, const AutoCSRSettings *settings)
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscMemcmp(&ctx->settings, settings, sizeof(*settings), &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  ctx->settings = *settings;
  PetscCall(AutoCSRContextReset(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_LT(3, 23, 0)
static PetscErrorCode AutoCSRContextDestroy(void *data)
{
  AutoCSRContext *ctx = (AutoCSRContext *)data;
#else
static PetscErrorCode AutoCSRContextDestroy(void **data)
{
  AutoCSRContext *ctx = (AutoCSRContext *)*data;
#endif

  PetscFunctionBegin;
  PetscCall(AutoCSRContextReset(ctx));
  PetscCall(PetscFree(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without settings: those that the options give, under the matrix's prefix */
PetscErrorCode AutoCSRContextCreate(Mat A, const AutoCSRSettings *settings)
{
  AutoCSRContext *ctx;
  PetscContainer  container;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ctx));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, ctx));
#if PETSC_VERSION_LT(3, 23, 0)
  PetscCall(PetscContainerSetUserDestroy(container, AutoCSRContextDestroy));
#else
  PetscCall(PetscContainerSetCtxDestroy(container, (PetscCtxDestroyFn *)AutoCSRContextDestroy));
#endif
  PetscCall(PetscObjectCompose((PetscObject)A, AUTOCSR_CONTEXT, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  if (settings)
    ctx->settings = *settings;
  else {
    PetscCall(AutoCSRSettingsInitialize(&ctx->settings));
    PetscObjectOptionsBegin((PetscObject)A);
    PetscCall(AutoCSRSettingsSetFromOptions(A, &ctx->settings, PetscOptionsObject));
    PetscOptionsEnd();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NULL if there is none: in MatHeaderMerge(), and on matrices that are not ours */
PetscErrorCode AutoCSRContextFind(Mat A, AutoCSRContext **ctx)
{
  PetscContainer container;

  PetscFunctionBegin;
  *ctx = NULL;
  PetscCall(PetscObjectQuery((PetscObject)A, AUTOCSR_CONTEXT, (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRContextGet(Mat A, AutoCSRContext **ctx)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRContextFind(A, ctx));
  if (PetscUnlikely(!*ctx)) {
    PetscCall(AutoCSRContextCreate(A, NULL));
    PetscCall(AutoCSRContextFind(A, ctx));
  }
  if (PetscUnlikely(merged == A)) {
    PetscCall(AutoCSRContextSet(*ctx, &merged_settings));
    merged = NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The container leaves the matrix; the caller has the reference. NULL if there was none */
PetscErrorCode AutoCSRContextTake(Mat A, PetscContainer *container)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)A, AUTOCSR_CONTEXT, (PetscObject *)container));
  PetscCall(AutoCSRContextFind(A, &ctx));
  if (merged == A) {
    if (ctx) ctx->settings = merged_settings;
    merged = NULL;
  }
  if (!((PetscObject)A)->type_name) {
    merges++;
    if (ctx) {
      merged          = A;
      merged_settings = ctx->settings;
    }
  }
  if (*container) {
    PetscCall(PetscObjectReference((PetscObject)*container));
    PetscCall(PetscObjectCompose((PetscObject)A, AUTOCSR_CONTEXT, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRContextGive(Mat A, PetscContainer *container)
{
  PetscFunctionBegin;
  if (*container) PetscCall(PetscObjectCompose((PetscObject)A, AUTOCSR_CONTEXT, (PetscObject)*container));
  PetscCall(PetscContainerDestroy(container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* While a plan is made, running out of memory is no error: the parent's product is used instead */
static PetscErrorCode AutoCSRMemoryErrorHandler(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n, PetscErrorType p, const char *message, void *ctx)
{
  return n == PETSC_ERR_MEM ? n : PetscTraceBackErrorHandler(comm, line, function, file, n, p, message, ctx);
}

static PetscErrorCode AutoCSRContextPlan(Mat A, AutoCSRContext *ctx)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(AutoCSRMemoryErrorHandler, NULL));
  ierr = AutoCSRPlanMake(&ctx->csr, &ctx->settings, &ctx->plan, &ctx->profile);
  PetscCall(PetscPopErrorHandler());
  if (ierr == PETSC_ERR_MEM) {
    ctx->plan    = NULL;
    ctx->profile = NULL;
    PetscCall(PetscInfo(A, "No memory for a plan of %" PetscInt_FMT " nonzeros: the product of %s is used\n", ctx->csr.nnz, MATSEQAIJ));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ierr);
  ctx->plans++;
  PetscCall(AutoCSRCite(ctx->plan));
  PetscCall(PetscInfo(A, "Plan %" PetscInt_FMT " of %" PetscInt_FMT " by %" PetscInt_FMT ", %" PetscInt_FMT " nonzeros, in %" PetscInt_FMT " segments: %s\n", ctx->plans, ctx->csr.m, ctx->csr.n, ctx->csr.nnz, ctx->plan->n_segments, ctx->plan->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Same arrays and same nonzero state: at most the values are new. Everything else gets a new plan. A matrix without
  entries, without values (MAT_STRUCTURE_ONLY), or one that is a factor has none.
*/
PetscErrorCode AutoCSRContextUpdate(Mat A, AutoCSRContext *ctx)
{
  AutoCSRMatrix  csr;
  PetscScalar   *val;
  PetscLogDouble begin, end;
  PetscMemType   memtype;
  PetscBool      same;

  PetscFunctionBegin;
  if (ctx->owner == A && ctx->state == ((PetscObject)A)->state) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  PetscCall(PetscMemzero(&csr, sizeof(csr)));
  csr.m = A->rmap->n;
  csr.n = A->cmap->n;
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &csr.row_ptr, &csr.col, &val, &memtype));
  csr.val     = val;
  csr.backend = AutoCSRBackendOf(memtype);
  csr.nnz     = csr.row_ptr && csr.m ? csr.row_ptr[csr.m] : 0;

  same     = (PetscBool)(ctx->owner && ctx->nonzerostate == A->nonzerostate && ctx->merges == merges && csr.row_ptr == ctx->csr.row_ptr && csr.col == ctx->csr.col && csr.m == ctx->csr.m && csr.n == ctx->csr.n && csr.nnz == ctx->csr.nnz);
  ctx->csr = csr;
  if (same && ctx->plan) {
    PetscCall(AutoCSRPlanRefresh(ctx->plan, &csr, &same));
    if (same)
      ctx->refreshes++;
    else
      PetscCall(PetscInfo(A, "The new values do not fit the coding of the plan: it is built again\n"));
  }
  if (!same) {
    PetscCall(AutoCSRPlanDestroy(&ctx->plan));
    PetscCall(AutoCSRProfileDestroy(&ctx->profile));
    ctx->nonempty = 0;
    for (PetscInt i = 0; csr.nnz && i < csr.m; i++) ctx->nonempty += csr.row_ptr[i + 1] > csr.row_ptr[i];
    if (csr.nnz && csr.val && !A->factortype) PetscCall(AutoCSRContextPlan(A, ctx));
  }
  ctx->owner        = A;
  ctx->state        = ((PetscObject)A)->state;
  ctx->nonzerostate = A->nonzerostate;
  ctx->merges       = merges;
  PetscCall(PetscTime(&end));
  ctx->setup += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}
