/*
  When the plan of a matrix is made, and what happens where there is no memory for it: at the first product, at once or, with
  progressive planning, a first one that the products must earn their better one with (choose/progress.c).
*/
#include "seqautocsr.h"
#include <petsctime.h>

/* While a plan is made, running out of memory is no error; what else goes wrong is told to the program's handler, which is below this one. PetscMalloc() of PETSc 3.18 names its caller's line where the error's code should be */
static PetscErrorCode AutoCSRMemoryErrorHandler(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n, PetscErrorType p, const char *message, void *ctx)
{
  PetscErrorCode told;

  if (n == PETSC_ERR_MEM || (p == PETSC_ERROR_INITIAL && !strcmp(function, "PetscMallocAlign"))) return PETSC_ERR_MEM;
  if (PetscPopErrorHandler()) return n;
  told = PetscError(comm, line, function, file, n, p, message ? "%s" : NULL, message);
  return PetscPushErrorHandler(AutoCSRMemoryErrorHandler, ctx) ? PETSC_ERR_MEM : told;
}

/* The error handler takes memory itself. Without that the trial is over before it begins, and there is no handler to pop */
PetscErrorCode AutoCSRTryBegin(void)
{
  return PetscPushErrorHandler(AutoCSRMemoryErrorHandler, NULL) ? PETSC_ERR_MEM : PETSC_SUCCESS;
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
  ierr     = AutoCSRTryBegin();
  if (!ierr) {
    if (progress && AutoCSRPlanIsProgressive(csr, settings)) {
      ierr = AutoCSRPlanFirst(csr, settings, plan, &product, &look);
      if (!ierr) AutoCSRProgressBegin(progress, in_step, product, look);
    } else
      ierr = AutoCSRPlanMake(csr, settings, plan, profile);
    PetscCall(PetscPopErrorHandler());
  }
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
  ierr = AutoCSRTryBegin();
  if (!ierr) {
    ierr = AutoCSRPlanRefresh(plan, csr, fits);
    PetscCall(PetscPopErrorHandler());
  }
  if (ierr == PETSC_ERR_MEM) {
    *fits = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Settings by which the structure is planned at once */
static PetscErrorCode AutoCSRContextAskWisdom(const AutoCSRContext *ctx, const AutoCSRMatrix *csr, AutoCSRSettings *wise, char graph[AUTOCSR_GRAPH_LENGTH], PetscBool *parents, PetscBool *found)
{
  AutoCSRFingerprint fingerprint = {.known = PETSC_FALSE};

  PetscFunctionBegin;
  PetscCall((*csr->backend->fingerprint)(csr, &fingerprint));
  if (fingerprint.known) PetscCall(AutoCSRWisdomFind(csr, &ctx->settings, &fingerprint, wise, graph, parents, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parent type's own product, by wisdom; NULL: this parent has none that is called as it is, or there is no memory */
static PetscErrorCode AutoCSRContextPlanAsParent(Mat A, const AutoCSRMatrix *csr, const AutoCSRSettings *settings, AutoCSRPlan **plan)
{
  const AutoCSRParent *parent;
  PetscErrorCode       ierr;
  double               product, look;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  if (parent->device || !csr->m) PetscFunctionReturn(PETSC_SUCCESS);
  ierr = AutoCSRTryBegin();
  if (!ierr) {
    ierr = AutoCSRPlanFirst(csr, settings, plan, &product, &look);
    PetscCall(PetscPopErrorHandler());
  }
  if (ierr) PetscCall(AutoCSRPlanDestroy(plan));
  if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
  if (!*plan) PetscFunctionReturn(PETSC_SUCCESS);
  (*plan)->parents = PETSC_TRUE;
  PetscCall(PetscStrncpy((*plan)->why, "AIJ's own product: plans took longer in an earlier run (by wisdom)", sizeof((*plan)->why)));
  PetscCall(PetscInfo(A, "Wisdom: the parent's own product\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NULL: what wisdom says does not apply any more, as with new values, or there is no memory */
static PetscErrorCode AutoCSRContextTryWisdom(Mat A, const AutoCSRContext *ctx, const AutoCSRMatrix *csr, const AutoCSRSettings *wise, const char graph[], const char by[], AutoCSRPlan **plan, AutoCSRProfile **profile)
{
  PetscBool holds;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextTryPlan(csr, wise, ctx->in_step, plan, profile, NULL));
  holds = (PetscBool)(*plan && AutoCSRWisdomHolds(wise, graph, *plan));
  PetscCall(PetscInfo(A, "Wisdom: strategy %s, index %s, value %s%s\n", wise->strategy, MatAutoCSRIndexCodings[wise->index], MatAutoCSRValueCodings[wise->value], holds ? "" : ": that does not apply any more"));
  if (holds)
    PetscCall(AutoCSRAppend((*plan)->why, by, sizeof((*plan)->why)));
  else {
    PetscCall(AutoCSRPlanDestroy(plan));
    PetscCall(AutoCSRProfileDestroy(profile));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By wisdom, at once; NULL: there is none of this structure, what it says does not apply any more, or there is no memory */
static PetscErrorCode AutoCSRContextPlanWisely(Mat A, const AutoCSRContext *ctx, const AutoCSRMatrix *csr, AutoCSRPlan **plan, AutoCSRProfile **profile)
{
  AutoCSRSettings wise;
  char            graph[AUTOCSR_GRAPH_LENGTH];
  PetscBool       applies, parents = PETSC_FALSE, found = PETSC_FALSE;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(AutoCSRWisdomApplies(&ctx->settings, &applies));
  if (!applies || !csr->nnz) PetscFunctionReturn(PETSC_SUCCESS);
  ierr = AutoCSRTryBegin();
  if (!ierr) {
    ierr = AutoCSRContextAskWisdom(ctx, csr, &wise, graph, &parents, &found);
    PetscCall(PetscPopErrorHandler());
  }
  if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
  if (ierr || !found) PetscFunctionReturn(PETSC_SUCCESS);
  if (parents && AutoCSRContextBorrows(ctx)) PetscFunctionReturn(PETSC_SUCCESS);
  if (parents) {
    PetscCall(AutoCSRContextPlanAsParent(A, csr, &wise, plan));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRContextTryWisdom(A, ctx, csr, &wise, graph, wise.graph[0] ? "; a search ended with this graph (by wisdom)" : " (by wisdom)", plan, profile));
  if (*plan || !graph[0] || wise.graph[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRWisdomTakeGraph(&wise, graph, &found)); /* another variant of the strategy was the fastest */
  wise.index = MAT_AUTOCSR_INDEX_AUTO;
  wise.value = MAT_AUTOCSR_VALUE_AUTO;
  if (found) PetscCall(AutoCSRContextTryWisdom(A, ctx, csr, &wise, graph, "; this graph was measured (by wisdom)", plan, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A transpose has a plan of its own, of which nothing is learnt. Without memory nothing is */
PetscErrorCode AutoCSRContextLearn(AutoCSRContext *ctx, double seconds)
{
  PetscErrorCode ierr;
  PetscBool      applies;

  PetscFunctionBegin;
  PetscCall(AutoCSRWisdomApplies(&ctx->settings, &applies));
  if (!applies || !ctx->csr.nnz) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->csr.col) PetscCall(AutoCSRContextFingerprint(ctx));
  ierr = AutoCSRTryBegin();
  if (!ierr) {
    ierr = AutoCSRWisdomLearn(&ctx->csr, &ctx->settings, &ctx->fingerprint, ctx->planned.plan, seconds);
    PetscCall(PetscPopErrorHandler());
  }
  if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without the memory for what would be best: the plan that stores nothing; without that of a launch: NULL. progress NULL: at once */
PetscErrorCode AutoCSRContextPlan(Mat A, AutoCSRContext *ctx, const AutoCSRMatrix *csr, AutoCSRPlan **plan, AutoCSRProfile **profile, AutoCSRProgress *progress)
{
  PetscFunctionBegin;
  *plan    = NULL;
  *profile = NULL;
  if (!AutoCSRIsCounted((double)PetscMax(csr->m, csr->n))) {
    PetscCall(PetscInfo(A, "%" PetscInt_FMT " by %" PetscInt_FMT " are more rows or columns than the executors on %s count with %d-bit integers: the parent's product is used\n", csr->m, csr->n, csr->backend->name, (int)(8 * sizeof(PetscInt))));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRContextPlanWisely(A, ctx, csr, plan, profile));
  if (!*plan) PetscCall(AutoCSRContextTryPlan(csr, &ctx->settings, ctx->in_step, plan, profile, progress));
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
  PetscCall(AutoCSRNetDestroy(&ctx->net));
  PetscCall(AutoCSRChoiceDestroy(&ctx->planned.choice));
  PetscCall(AutoCSRProfileDestroy(&ctx->planned.profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A fingerprint is taken after FINGERPRINT_AFTER products, or after STRANGE_AFTER once STRANGE structures in a row did not come back */
#define AUTOCSR_FINGERPRINT_AFTER 8
#define AUTOCSR_STRANGE           2
#define AUTOCSR_STRANGE_AFTER     64

PetscErrorCode AutoCSRContextFingerprint(AutoCSRContext *ctx)
{
  PetscFunctionBegin;
  if (!ctx->fingerprint.known) PetscCall((*ctx->csr.backend->fingerprint)(&ctx->csr, &ctx->fingerprint));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next step: look, or build. Without memory for it the first plan is the last */
static PetscErrorCode AutoCSRContextTryStep(Mat A, AutoCSRContext *ctx, AutoCSRPlan **next)
{
  PetscErrorCode ierr;
  double         product, better, build;

  PetscFunctionBegin;
  *next = NULL;
  PetscCall(AutoCSRContextFingerprint(ctx));
  ierr = AutoCSRTryBegin();
  if (!ierr) {
    if (ctx->planned.progress.stage == AUTOCSR_STAGE_FIRST) {
      ierr = AutoCSRPlanLook(&ctx->csr, &ctx->settings, &ctx->planned.profile, &ctx->planned.choice, &product, &better, &build);
      if (!ierr) AutoCSRProgressChosen(&ctx->planned.progress, product, better, build);
    } else {
      ierr = AutoCSRNetKeepChoice(&ctx->net, ctx->planned.choice);
      if (!ierr) ierr = AutoCSRPlanBuild(&ctx->planned.choice, &ctx->csr, next);
      ctx->planned.progress.stage = AUTOCSR_STAGE_FINAL;
    }
    PetscCall(PetscPopErrorHandler());
  }
  if (ierr) {
    PetscCall(AutoCSRPlanDestroy(next));
    PetscCall(AutoCSRContextForget(ctx));
    ctx->planned.progress.stage = AUTOCSR_STAGE_FINAL;
  }
  if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
  if (ierr) PetscCall(PetscInfo(A, "No memory for a plan of %" PetscInt_FMT " nonzeros on %s: that of the first products stays\n", ctx->csr.nnz, ctx->csr.backend->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRContextProceed(Mat A, AutoCSRContext *ctx, PetscBool all)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  if (ctx->planned.progress.stage != AUTOCSR_STAGE_FINAL && ctx->planned.progress.products >= (ctx->lives.strange < AUTOCSR_STRANGE ? AUTOCSR_FINGERPRINT_AFTER : AUTOCSR_STRANGE_AFTER)) PetscCall(AutoCSRContextFingerprint(ctx));
  if (ctx->planned.progress.stage == AUTOCSR_STAGE_FINAL || !(all || AutoCSRProgressIsDue(&ctx->planned.progress))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  while (ctx->planned.progress.stage != AUTOCSR_STAGE_FINAL && (all || AutoCSRProgressIsDue(&ctx->planned.progress))) {
    AutoCSRPlan *next;

    PetscCall(AutoCSRContextTryStep(A, ctx, &next));
    if (!next) continue;
    PetscCall(AutoCSRPlanDestroy(&ctx->planned.plan));
    ctx->planned.plan     = next;
    ctx->planned.nonempty = -1;
    ctx->plans++;
    PetscCall(AutoCSRContextTell(A, &ctx->csr, next));
  }
  if (ctx->planned.progress.stage == AUTOCSR_STAGE_FINAL && ctx->planned.profile && !ctx->net) PetscCall(AutoCSRContextLearn(ctx, 0)); /* without a profile there was no memory for a step */
  PetscCall(AutoCSRContextReleaseLater(ctx));
  PetscCall(PetscTime(&end));
  ctx->setup += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}
