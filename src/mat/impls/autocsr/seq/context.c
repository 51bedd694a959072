/*
  The context of a matrix: its settings, its plan, and the key by which the plan is known to fit (doc/design.md 5).
*/
#include "seqautocsr.h"
#include <petsctime.h>

#define AUTOCSR_CONTEXT "MatAutoCSRContext"

/*
  MatHeaderMerge() destroys what a matrix has and gives it the data of another; it calls the destroy method with the type
  name taken off. Before PETSc 3.21.1 the composed objects are gone too, so the settings are kept here, until the matrix is
  asked for them or is destroyed.
*/
typedef struct _AutoCSRMerged *AutoCSRMerged;
struct _AutoCSRMerged {
  Mat             mat;
  AutoCSRSettings settings;
  AutoCSRMerged   next;
};
static AutoCSRMerged merged            = NULL;
static PetscBool     merged_registered = PETSC_FALSE;

/* Of matrices that were merged with what is not ours and then destroyed nobody asks */
static PetscErrorCode AutoCSRMergedDestroy(void)
{
  PetscFunctionBegin;
  while (merged) {
    AutoCSRMerged next = merged->next;

    PetscCall(PetscFree(merged));
    merged = next;
  }
  merged_registered = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Settings are left alone if it was not merged, or has its own again */
static PetscErrorCode AutoCSRMergedTake(Mat A, AutoCSRSettings *settings, PetscBool *is)
{
  AutoCSRMerged *link = &merged, found;

  PetscFunctionBegin;
  while (*link && (*link)->mat != A) link = &(*link)->next;
  found = *link;
  *is   = found ? PETSC_TRUE : PETSC_FALSE;
  if (found) {
    *settings = found->settings;
    *link     = found->next;
    PetscCall(PetscFree(found));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRMergedKeep(Mat A, const AutoCSRSettings *settings)
{
  AutoCSRMerged entry;

  PetscFunctionBegin;
  if (!merged_registered) PetscCall(PetscRegisterFinalize(AutoCSRMergedDestroy));
  merged_registered = PETSC_TRUE;
  PetscCall(PetscNew(&entry));
  entry->mat      = A;
  entry->settings = *settings;
  entry->next     = merged;
  merged          = entry;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The contexts asked for last. A product of a small matrix takes less time than the search through what is composed on it.
  The id tells a matrix from a later one at its address; a context that is destroyed or taken off its matrix is forgotten.
*/
#define AUTOCSR_RECENT 8
static struct {
  Mat             mat;
  PetscObjectId   id;
  AutoCSRContext *ctx;
} recent[AUTOCSR_RECENT];

static void AutoCSRRecentForget(const AutoCSRContext *ctx)
{
  for (int k = 0; k < AUTOCSR_RECENT; k++) {
    if (recent[k].ctx == ctx) recent[k].mat = NULL;
  }
}

/* The plan, and what was made for it in the memory of its backend. keep: its structure may come back */
static PetscErrorCode AutoCSRContextDrop(AutoCSRContext *ctx, PetscBool keep)
{
  AutoCSRLives *of_size;

  PetscFunctionBegin;
  if (ctx->planned.plan) {
    AutoCSRLivesRecord(&ctx->lives, &ctx->planned.progress, ctx->planned.products);
    if (ctx->fingerprint.known) ctx->lives.strange = ctx->came_back ? 0 : ctx->lives.strange + 1;
    PetscCall(AutoCSRLivesOfSize(&ctx->csr, &of_size));
    *of_size = ctx->lives;
  }
  ctx->came_back = PETSC_FALSE;
  PetscCall(AutoCSRNetDestroy(&ctx->net));
  PetscCall(AutoCSRTransposedReset(&ctx->transposed));
  PetscCall(AutoCSRDenseDestroy(&ctx->dense));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(ctx->copy); k++) {
    if (ctx->copy[k]) PetscCall((*ctx->planned.plan->backend->deallocate)(ctx->copy[k]));
    ctx->copy[k] = NULL;
  }
  ctx->earlier += ctx->planned.products;
  if (keep)
    PetscCall(AutoCSRPlannedKeep(&ctx->planned, &ctx->csr, &ctx->settings, &ctx->fingerprint));
  else
    PetscCall(AutoCSRPlannedDestroy(&ctx->planned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRContextReset(AutoCSRContext *ctx, PetscBool keep)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRContextForgetRows(ctx));
  PetscCall(AutoCSRWatchForget(ctx));
  PetscCall(AutoCSRContextDrop(ctx, keep));
  ctx->fingerprint.known = PETSC_FALSE;
  PetscCall(PetscMemzero(&ctx->csr, sizeof(ctx->csr)));
  ctx->owner = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGetBlocks(Mat A, Mat block[])
{
  PetscErrorCode (*get)(Mat, Mat[]);
  MatType type;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatAutoCSRGetBlocks_C", &get));
  PetscCall(MatGetType(A, &type));
  PetscCheck(get, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG, "The matrix is of type %s: it must be MATAUTOCSR (-mat_type autocsr, or MatConvert())", type ? type : "none yet");
  PetscCall((*get)(A, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRContextGetSettings(Mat A, AutoCSRSettings *settings)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  *settings = ctx->settings;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRContextSet(AutoCSRContext *ctx, const AutoCSRSettings *settings)
{
  const PetscBool same = AutoCSRSettingsPlanAlike(&ctx->settings, settings);

  PetscFunctionBegin;
  ctx->settings = *settings;
  if (!same) PetscCall(AutoCSRContextReset(ctx, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of one process lends its communicator: PETSc would duplicate PETSC_COMM_SELF, and free that with the container. Of a parallel one nothing is to depend on the other processes */
static PetscErrorCode AutoCSRContainerCreate(Mat A, PetscContainer *container)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(PetscContainerCreate(size == 1 ? PetscObjectComm((PetscObject)A) : PETSC_COMM_SELF, container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRContainedDestroy(AutoCSRHeld held)
{
  return PetscFree(AUTOCSR_HELD(held));
}

PetscErrorCode AutoCSRContain(Mat A, const char name[], size_t size, void **memory)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)A, name, (PetscObject *)&container));
  if (!container) {
    PetscCall(AutoCSRContainerCreate(A, &container));
    PetscCall(PetscCalloc(size, memory));
    PetscCall(PetscContainerSetPointer(container, *memory));
    PetscCall(AutoCSRContainerSetDestroy(container, AutoCSRContainedDestroy));
    PetscCall(PetscObjectCompose((PetscObject)A, name, (PetscObject)container));
    PetscCall(PetscObjectDereference((PetscObject)container));
  } else
    PetscCall(PetscContainerGetPointer(container, memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRContextDestroy(AutoCSRHeld held)
{
  AutoCSRContext *ctx = (AutoCSRContext *)AUTOCSR_HELD(held);

  PetscFunctionBegin;
  AutoCSRRecentForget(ctx);
  PetscCall(AutoCSRContextReset(ctx, PETSC_TRUE));
  PetscCall(AutoCSROwnForget(&ctx->own));
  PetscCall(PetscFree(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without settings: those that the options give, under the matrix's prefix */
PetscErrorCode AutoCSRContextCreate(Mat A, const AutoCSRSettings *settings)
{
  AutoCSRContext *ctx;
  PetscContainer  container;
  AutoCSRSettings others;
  PetscBool       was_merged;

  PetscFunctionBegin;
  PetscCall(AutoCSRMergedTake(A, &others, &was_merged)); /* of a matrix that was at this address before */
  PetscCall(PetscNew(&ctx));
  PetscCall(AutoCSRContainerCreate(A, &container));
  PetscCall(PetscContainerSetPointer(container, ctx));
  PetscCall(AutoCSRContainerSetDestroy(container, AutoCSRContextDestroy));
  PetscCall(PetscObjectCompose((PetscObject)A, AUTOCSR_CONTEXT, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  if (settings)
    ctx->settings = *settings;
  else {
    PetscCall(AutoCSRSettingsInitialize(&ctx->settings));
    PetscObjectOptionsBegin((PetscObject)A);
    PetscCall(AutoCSRSettingsSetFromOptions((PetscObject)A, &ctx->settings, PetscOptionsObject));
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
  const PetscObjectId id = ((PetscObject)A)->id;
  const int           k  = (int)(id % AUTOCSR_RECENT);
  AutoCSRSettings     settings;
  PetscBool           was_merged;

  PetscFunctionBegin;
  if (PetscLikely(recent[k].mat == A && recent[k].id == id)) {
    *ctx = recent[k].ctx;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRMergedTake(A, &settings, &was_merged));
  PetscCall(AutoCSRContextFind(A, ctx));
  if (PetscUnlikely(!*ctx)) {
    PetscCall(AutoCSRContextCreate(A, NULL));
    PetscCall(AutoCSRContextFind(A, ctx));
  }
  if (PetscUnlikely(was_merged)) PetscCall(AutoCSRContextSet(*ctx, &settings));
  if (!PetscDefined(HAVE_THREADSAFETY)) {
    recent[k].mat = A;
    recent[k].id  = id;
    recent[k].ctx = *ctx;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The container leaves the matrix; the caller has the reference. NULL if there was none */
PetscErrorCode AutoCSRContextTake(Mat A, PetscContainer *container)
{
  AutoCSRContext *ctx;
  AutoCSRSettings settings;
  PetscBool       was_merged;

  PetscFunctionBegin;
  PetscCall(AutoCSRMergedTake(A, &settings, &was_merged));
  PetscCall(PetscObjectQuery((PetscObject)A, AUTOCSR_CONTEXT, (PetscObject *)container));
  PetscCall(AutoCSRContextFind(A, &ctx));
  if (ctx) AutoCSRRecentForget(ctx);
#if PetscDefined(HAVE_DEVICE)
  if (ctx && AutoCSRContextIsResident(ctx) && !AutoCSRContextBorrows(ctx) && AutoCSRHostIsAhead(A, ctx)) ctx->state = AUTOCSR_NO_STATE; /* the call that this is for may bring the values to the device, and that does not show later */
#endif
  if (ctx && was_merged) ctx->settings = settings;
  if (ctx && !((PetscObject)A)->type_name) PetscCall(AutoCSRMergedKeep(A, &ctx->settings));
  if (*container) {
    PetscCall(PetscObjectReference((PetscObject)*container));
    PetscCall(PetscObjectCompose((PetscObject)A, AUTOCSR_CONTEXT, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRContextGive(Mat A, PetscContainer *container)
{
  PetscErrorCode ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  if (*container) ierr = PetscObjectCompose((PetscObject)A, AUTOCSR_CONTEXT, (PetscObject)*container);
  PetscCall(PetscContainerDestroy(container));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parent's product of so many takes less time than ours takes to find the plan; of blocks of several processes, which wait for messages in between, than any plan gains (up to 768 it loses 2 to 6 %) */
#define AUTOCSR_FEW_NONZEROS       64
#define AUTOCSR_FEW_BLOCK_NONZEROS 256

/* Of so few nonzeros the products are the parent's, if nothing else is asked for and that costs no detour */
static PetscErrorCode AutoCSRContextYields(const AutoCSRContext *ctx, const AutoCSRMatrix *csr, PetscBool *yields)
{
  const AutoCSRSettings *s = &ctx->settings;
  const AutoCSRParent   *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  *yields = (PetscBool)(csr->nnz <= (ctx->in_step ? AUTOCSR_FEW_BLOCK_NONZEROS : AUTOCSR_FEW_NONZEROS) && !parent->device && !AutoCSRContextBorrows(ctx) && !s->check_values && s->objective == MAT_AUTOCSR_OBJECTIVE_TIME && AutoCSRSettingsAreAutomatic(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays as they are to be multiplied, and those of the host. Without entries, without values (MAT_STRUCTURE_ONLY) and of a factor: none */
static PetscErrorCode AutoCSRContextGetCSR(Mat A, const AutoCSRContext *ctx, AutoCSRMatrix *csr, const PetscInt **row_ptr, const PetscInt **col)
{
  const AutoCSRParent *parent;
  const PetscInt      *i, *j;
  PetscInt             m;
  PetscBool            done;

  PetscFunctionBegin;
  if (AutoCSRContextBorrows(ctx)) {
    *csr = ctx->borrowed;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMemzero(csr, sizeof(*csr)));
  csr->m = A->rmap->n;
  csr->n = A->cmap->n;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done)); /* on the host, with every parent */
  *row_ptr = i;
  *col     = j;
  csr->nnz = i && csr->m ? i[csr->m] : 0;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  if (csr->nnz && !A->factortype && !A->structure_only) PetscCall((*parent->get_csr)(A, csr));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counted when a product of the plan first asks: the parent, which makes the products before, counts flops itself */
PetscInt AutoCSRContextNonemptyRows(AutoCSRContext *ctx)
{
  if (PetscLikely(ctx->planned.nonempty >= 0)) return ctx->planned.nonempty;
  if (ctx->planned.profile)
    ctx->planned.nonempty = ctx->csr.m - ctx->planned.profile->empty_rows;
  else if (ctx->csr.backend != &AutoCSRBackendHost) /* a look at the rows would cost more than products: none is empty, as long as that may be */
    ctx->planned.nonempty = PetscMin(ctx->csr.m, ctx->csr.nnz);
  else {
    ctx->planned.nonempty = 0;
    for (PetscInt i = 0; i < ctx->csr.m; i++) ctx->planned.nonempty += ctx->csr.row_ptr[i + 1] > ctx->csr.row_ptr[i];
  }
  return ctx->planned.nonempty;
}

/*
  Looks for a structure that has another nonzero state or other arrays, in the plan at hand and in those kept. A plan that is found needs new values only: plans point to no arrays of a
  matrix, products are handed these
*/
static PetscErrorCode AutoCSRContextRecognize(Mat A, AutoCSRContext *ctx, const AutoCSRMatrix *csr, PetscBool *is)
{
  AutoCSRFingerprint fingerprint = {.known = PETSC_FALSE};
  AutoCSRPlanned     planned;
  AutoCSRLives      *of_size;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (ctx->planned.plan && ctx->fingerprint.known && csr->val && csr->backend == ctx->csr.backend && csr->m == ctx->csr.m && csr->n == ctx->csr.n && csr->nnz == ctx->csr.nnz && csr->adds == ctx->csr.adds && csr->figures == ctx->csr.figures) {
    PetscCall((*csr->backend->fingerprint)(csr, &fingerprint));
    *is = (PetscBool)(fingerprint.known && !memcmp(fingerprint.at, ctx->fingerprint.at, sizeof(fingerprint.at)));
    if (*is) {
      ctx->came_back = PETSC_TRUE;
      if (ctx->in_step) ctx->planned.progress.products = 0;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCall(AutoCSRPlannedFind(csr, &ctx->settings, &fingerprint, &planned)); /* before the plan that is dropped takes the place of an older one */
  PetscCall(AutoCSRContextDrop(ctx, PETSC_TRUE));
  ctx->fingerprint = fingerprint;
  if (!csr->val) PetscFunctionReturn(PETSC_SUCCESS);
  if (!(ctx->lives.pays > 0)) {
    PetscCall(AutoCSRLivesOfSize(csr, &of_size));
    ctx->lives = *of_size;
  }
  if (planned.plan) {
    ctx->planned                  = planned;
    ctx->planned.progress.in_step = ctx->in_step;
    if (ctx->in_step) ctx->planned.progress.products = 0; /* as those of blocks that begin anew */
    ctx->earlier -= planned.products;
    ctx->lives.in_vain = 0; /* the life that had ended goes on */
    ctx->came_back     = PETSC_TRUE;
    ctx->yields        = PETSC_FALSE;
    *is                = PETSC_TRUE;
    PetscCall(PetscInfo(A, "The structure of %" PetscInt_FMT " nonzeros is that of a plan that was kept\n", csr->nnz));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values undo the choice: the block is looked at again. That ends a life */
static PetscErrorCode AutoCSRContextLookAgain(AutoCSRContext *ctx)
{
  PetscFunctionBegin;
  AutoCSRLivesRecord(&ctx->lives, &ctx->planned.progress, ctx->planned.products);
  ctx->earlier += ctx->planned.products;
  ctx->planned.products = 0;
  PetscCall(AutoCSRContextForget(ctx));
  AutoCSRProgressReturn(&ctx->planned.progress);
  AutoCSRProgressExpect(&ctx->planned.progress, &ctx->lives);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Same arrays and same nonzero state: at most the values are new. Everything else gets a new plan */
PetscErrorCode AutoCSRContextUpdate(Mat A, AutoCSRContext *ctx)
{
  AutoCSRMatrix   csr;
  const PetscInt *row_ptr = NULL, *col = NULL; /* of the host */
  PetscLogDouble  begin, end;
  PetscBool       same;

  PetscFunctionBegin;
  if (AutoCSRContextIsCurrent(A, ctx)) {
    PetscCall(AutoCSRWatchCompare(A, ctx, &ctx->csr, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscTime(&begin));
  if (!ctx->owner) PetscCall(MatSeqAutoCSRRecompose(A)); /* MatDuplicate() of a MATAIJ that is not ours, which -mat_seqaij_type makes ours, hands on its methods last */
  PetscCall(AutoCSRContextGetCSR(A, ctx, &csr, &row_ptr, &col));
  csr.adds    = ctx->off_diagonal;
  csr.figures = ctx->figures[csr.backend != &AutoCSRBackendHost];
  same        = (PetscBool)(ctx->owner && ctx->nonzerostate == A->nonzerostate && ctx->id == ((PetscObject)A)->id && csr.m == ctx->csr.m && csr.n == ctx->csr.n && csr.nnz == ctx->csr.nnz && csr.backend == ctx->csr.backend);
  if (ctx->row_ptr) /* those of the device were let go, and are others in any case */
    same = (PetscBool)(same && row_ptr == ctx->host_row_ptr && col == ctx->host_col);
  else
    same = (PetscBool)(same && csr.row_ptr == ctx->csr.row_ptr && csr.col == ctx->csr.col);
  if (same) PetscCall(AutoCSRWatchCompare(A, ctx, &csr, PETSC_FALSE));
  if (!same) {
    ctx->longest = -1;
    PetscCall(AutoCSRContextRecognize(A, ctx, &csr, &same));
  }
  PetscCall(AutoCSRContextForgetRows(ctx));
  ctx->csr                = csr;
  ctx->transposed.current = PETSC_FALSE;
  if (ctx->dense) ctx->dense->current = PETSC_FALSE;
  if (same && ctx->planned.plan) {
    PetscCall(AutoCSRContextTryRefresh(&csr, ctx->planned.plan, &same));
    if (same) {
      ctx->refreshes++;
      AutoCSRNetTakeValues(ctx->net);
      if (ctx->planned.choice) AutoCSRChoiceTakeValues(ctx->planned.choice);
      if (ctx->planned.progress.stage == AUTOCSR_STAGE_CHOSEN && AutoCSRChoiceIsOfValues(ctx->planned.choice)) PetscCall(AutoCSRContextLookAgain(ctx));
      if (PetscDefined(USE_DEBUG)) PetscCall(AutoCSRPlanCheck(ctx->planned.plan, &csr));
    } else
      PetscCall(PetscInfo(A, "The new values do not fit the coding of the plan, or there is no memory to put them in: it is built again\n"));
  }
  if (!same) {
    if (ctx->planned.plan) PetscCall(AutoCSRContextDrop(ctx, PETSC_FALSE));
    ctx->yields = PETSC_FALSE;
    if (csr.val) PetscCall(AutoCSRContextYields(ctx, &csr, &ctx->yields));
    if (csr.val && !ctx->yields) PetscCall(AutoCSRContextPlan(A, ctx, &csr, &ctx->planned.plan, &ctx->planned.profile, &ctx->planned.progress));
    AutoCSRProgressExpect(&ctx->planned.progress, &ctx->lives);
    if (ctx->planned.plan) {
      PetscCall(AutoCSRNetSpread(ctx, &csr, &ctx->net));
      if (ctx->planned.profile) {
        PetscCall(AutoCSRContextFingerprint(ctx));
        if (ctx->planned.plan->measured > 0) PetscCall(AutoCSRContextLearn(ctx, ctx->planned.plan->measured)); /* rigor measure */
      }
      ctx->plans++;
      ctx->planned.nonempty = -1;
    }
  }
  ctx->owner        = A;
  ctx->state        = ((PetscObject)A)->state;
  ctx->nonzerostate = A->nonzerostate;
  ctx->spptr        = A->spptr;
  if (AutoCSRContextIsResident(ctx)) ctx->released = PETSC_FALSE;
  ctx->id = ((PetscObject)A)->id;
  PetscCall(AutoCSRWatchTake(ctx));
  PetscCall(AutoCSRContextReleaseLater(ctx));
  PetscCall(PetscTime(&end));
  ctx->setup += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}
