/*
  When the plan of a matrix is made, and what happens where there is no memory for it: at the first product, at once or, with
  progressive planning, a first one that the products must earn their better one with (select/progress.c).
*/
#include "seqautocsr.h"
#include "../backend.h"
#include <petsctime.h>

/* While a plan is made, running out of memory is no error. PetscMalloc() of PETSc 3.18 names its caller's line where the error's code should be */
PetscErrorCode AutoCSRMemoryErrorHandler(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n, PetscErrorType p, const char *message, void *ctx)
{
  if (n == PETSC_ERR_MEM || (p == PETSC_ERROR_INITIAL && !strcmp(function, "PetscMallocAlign"))) return PETSC_ERR_MEM;
  return PetscTraceBackErrorHandler(comm, line, function, file, n, p, message, ctx);
}

static PetscErrorCode AutoCSRContextTell(Mat A, const AutoCSRMatrix *csr, const AutoCSRPlan *plan)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRCite(plan));
  PetscCall(PetscInfo(A, "Plan of %" PetscInt_FMT " by %" PetscInt_FMT ", %" PetscInt_FMT " nonzeros, on %s, in %" PetscInt_FMT " segments: %s\n", csr->m, csr->n, csr->nnz, csr->backend->name, plan->n_segments, plan->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With progress: the first plan where planning is progressive; of a block in step with those of the other processes. Where that fails nothing is left of what there is: what follows would take it for a plan */
static PetscErrorCode AutoCSRContextTryPlan(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, PetscBool in_step, AutoCSRPlan **plan, AutoCSRProfile **profile, AutoCSRProgress *progress)
{
  PetscErrorCode ierr;
  double         product, look;

  PetscFunctionBegin;
  *profile = NULL;
  PetscCall(PetscPushErrorHandler(AutoCSRMemoryErrorHandler, NULL));
  if (progress && AutoCSRPlanIsProgressive(csr, settings)) {
    ierr = AutoCSRPlanFirst(csr, settings, plan, &product, &look);
    if (!ierr) AutoCSRProgressBegin(progress, in_step, product, look);
  } else
    ierr = AutoCSRPlanMake(csr, settings, plan, profile);
  PetscCall(PetscPopErrorHandler());
  if (ierr) {
    PetscCall(AutoCSRPlanDestroy(plan));
    PetscCall(AutoCSRProfileDestroy(profile));
  }
  if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values in a plan. Without the memory to look at them, or to find where they go, they count as values that do not fit: the plan is built again, or a smaller one */
PetscErrorCode AutoCSRContextTryRefresh(const AutoCSRMatrix *csr, AutoCSRPlan *plan, PetscBool *fits)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(AutoCSRMemoryErrorHandler, NULL));
  ierr = AutoCSRPlanRefresh(plan, csr, fits);
  PetscCall(PetscPopErrorHandler());
  if (ierr == PETSC_ERR_MEM) {
    *fits = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without the memory for what would be best: the plan that stores nothing; without that of a launch: NULL. progress NULL: at once */
PetscErrorCode AutoCSRContextPlan(Mat A, AutoCSRContext *ctx, const AutoCSRMatrix *csr, AutoCSRPlan **plan, AutoCSRProfile **profile, AutoCSRProgress *progress)
{
  PetscFunctionBegin;
  *plan    = NULL;
  *profile = NULL;
  if (PetscMax(csr->m, csr->nnz) > csr->backend->most) {
    PetscCall(PetscInfo(A, "%" PetscInt_FMT " nonzeros are more than the executors on %s count with %d-bit integers: the parent's product is used\n", csr->nnz, csr->backend->name, (int)(8 * sizeof(PetscInt))));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRContextTryPlan(csr, &ctx->settings, ctx->in_step, plan, profile, progress));
  if (!*plan && ctx->settings.rigor != MAT_AUTOCSR_RIGOR_NONE) {
    AutoCSRSettings least = ctx->settings;

    PetscCall(PetscInfo(A, "No memory for a plan of %" PetscInt_FMT " nonzeros on %s: one that stores nothing is used\n", csr->nnz, csr->backend->name));
    least.rigor = MAT_AUTOCSR_RIGOR_NONE;
    PetscCall(AutoCSRContextTryPlan(csr, &least, ctx->in_step, plan, profile, NULL));
  }
  if (!*plan) {
    PetscCall(PetscInfo(A, "No memory for a plan of %" PetscInt_FMT " nonzeros on %s: the parent's product is used\n", csr->nnz, csr->backend->name));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRContextTell(A, csr, *plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The profile and what was chosen by it */
PetscErrorCode AutoCSRContextForget(AutoCSRContext *ctx)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRChoiceDestroy(&ctx->choice));
  PetscCall(AutoCSRProfileDestroy(&ctx->profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next step: look, or build. Without memory for it the first plan is the last */
static PetscErrorCode AutoCSRContextTryStep(Mat A, AutoCSRContext *ctx, AutoCSRPlan **next)
{
  PetscErrorCode ierr;
  double         product, build;

  PetscFunctionBegin;
  *next = NULL;
  PetscCall(PetscPushErrorHandler(AutoCSRMemoryErrorHandler, NULL));
  if (ctx->progress.stage == AUTOCSR_STAGE_FIRST) {
    ierr = AutoCSRPlanLook(&ctx->csr, &ctx->settings, &ctx->profile, &ctx->choice, &product, &build);
    if (!ierr) AutoCSRProgressChosen(&ctx->progress, product, build);
  } else {
    ierr                = AutoCSRPlanBuild(&ctx->choice, &ctx->csr, next);
    ctx->progress.stage = AUTOCSR_STAGE_FINAL;
  }
  PetscCall(PetscPopErrorHandler());
  if (ierr) {
    PetscCall(AutoCSRPlanDestroy(next));
    PetscCall(AutoCSRContextForget(ctx));
    ctx->progress.stage = AUTOCSR_STAGE_FINAL;
  }
  if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
  if (ierr) PetscCall(PetscInfo(A, "No memory for a plan of %" PetscInt_FMT " nonzeros on %s: that of the first products stays\n", ctx->csr.nnz, ctx->csr.backend->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRContextProceed(Mat A, AutoCSRContext *ctx, PetscBool all)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  if (ctx->progress.stage == AUTOCSR_STAGE_FINAL || !(all || AutoCSRProgressIsDue(&ctx->progress))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  while (ctx->progress.stage != AUTOCSR_STAGE_FINAL && (all || AutoCSRProgressIsDue(&ctx->progress))) {
    AutoCSRPlan *next;

    PetscCall(AutoCSRContextTryStep(A, ctx, &next));
    if (!next) continue;
    PetscCall(AutoCSRPlanDestroy(&ctx->plan));
    ctx->plan     = next;
    ctx->nonempty = ctx->csr.m - ctx->profile->empty_rows;
    ctx->plans++;
    PetscCall(AutoCSRContextTell(A, &ctx->csr, next));
  }
  PetscCall(AutoCSRContextReleaseLater(ctx));
  PetscCall(PetscTime(&end));
  ctx->setup += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}
