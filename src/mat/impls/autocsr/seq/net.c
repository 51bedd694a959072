/*
  The net: a plan that turns out slower than the one before it is undone. Every cost model errs for some matrix, and a matrix
  that lives long would pay for it in each product. So some products of the first plan are timed, and some of the plan that
  follows. If the median of these is more than SLOWER times that of those, the next best candidate is built, TRIES times at
  most; then the first plan comes back. A device is not waited for: a product is looked at when a later one begins.

  Blocks of several processes are timed and undone one by one, and no process asks another. But all wait in every product for
  the one that builds, so plans are built in products of the same number: those that EVERY divides. A block's products are
  timed one after the other then, so that all blocks whose plans began in the same product have their times in the same one. A
  block that has not waits for the next such product. The exchange of x runs beside the diagonal block's product, and is not timed.

  The clock decides, so the bits of products may differ from run to run: only -mat_autocsr_reproducible false spreads the net.
  New values leave only candidates that fit any values.
*/
#include "seqautocsr.h"

#define SAMPLES 5   /* products of a plan that are timed, after its first; the median counts */
#define LEAST   3   /* of the first plan: with fewer nothing is compared */
#define SLOWER  1.1 /* times as long as by the first plan */
#define TRIES   2   /* candidates after the chosen one */
#define EVERY   8   /* products of a block of several processes: room for a plan's first, for SAMPLES, and for the last of these to end */

struct _AutoCSRNet {
  const AutoCSRBackend *backend;
  AutoCSRStopwatch      watch[SAMPLES];
  int                   n, ended; /* stopwatches that were read, and that were stopped */
  PetscBool             runs;     /* the one after these was started */
  PetscInt64            products; /* since the net was spread */
  PetscInt              skip;     /* products that are not timed: a plan's first loads kernels, or caches */
  double                seconds[SAMPLES], before; /* before: the median of the first plan, once there is another */
  AutoCSRChoice        *choice;
  PetscInt              candidate, tries;
  PetscBool             parents; /* products of the first plan were the parent type's own */
  PetscBool             last; /* no other plan follows */
};

static int Shorter(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double Median(AutoCSRNet *net)
{
  qsort(net->seconds, (size_t)net->n, sizeof(double), Shorter);
  return net->seconds[net->n / 2];
}

/* Another plan: its products count from here on */
static void Begin(AutoCSRNet *net)
{
  net->runs = PETSC_FALSE;
  net->n = net->ended = 0;
  net->skip           = 1;
}

/* The products that have ended by now */
static PetscErrorCode Read(AutoCSRNet *net)
{
  PetscFunctionBegin;
  while (net->n < net->ended) {
    double seconds;

    PetscCall((*net->backend->watch_read)(&net->watch[net->n], &seconds));
    if (seconds < 0) break;
    net->seconds[net->n++] = seconds;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRNetDestroy(AutoCSRNet **net)
{
  PetscFunctionBegin;
  if (!*net) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < SAMPLES; k++) PetscCall((*(*net)->backend->watch_forget)(&(*net)->watch[k]));
  PetscCall(AutoCSRChoiceDestroy(&(*net)->choice));
  PetscCall(PetscFree(*net));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without memory there is none */
PetscErrorCode AutoCSRNetSpread(const AutoCSRContext *ctx, const AutoCSRMatrix *csr, AutoCSRNet **net)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *net = NULL;
  if (ctx->settings.reproducible || ctx->planned.progress.stage != AUTOCSR_STAGE_FIRST || !csr->backend->watch_begin) PetscFunctionReturn(PETSC_SUCCESS);
  ierr = AutoCSRTryBegin();
  if (!ierr) {
    ierr = PetscNew(net);
    PetscCall(PetscPopErrorHandler());
  }
  if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
  if (ierr) {
    *net = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  (*net)->backend = csr->backend;
  PetscCall(AutoCSRParentIsFirst(ctx, &(*net)->parents));
  Begin(*net);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The choice is about to be built, and to end; without timings of the first plan the net has nothing to tell */
PetscErrorCode AutoCSRNetKeepChoice(AutoCSRNet **net, const AutoCSRChoice *choice)
{
  PetscFunctionBegin;
  if (!*net) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*net)->n < LEAST) {
    PetscCall(AutoCSRNetDestroy(net));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  (*net)->before = Median(*net);
  PetscCall(AutoCSRChoiceCopy(choice, &(*net)->choice));
  Begin(*net);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void AutoCSRNetTakeValues(AutoCSRNet *net)
{
  if (net && net->choice) AutoCSRChoiceTakeValues(net->choice);
}

/* The next candidate, or the first plan again, which is the last one. Without memory for either: NULL */
static PetscErrorCode Next(Mat A, AutoCSRContext *ctx, AutoCSRNet *net, AutoCSRPlan **plan)
{
  PetscErrorCode ierr;
  double         product, look;

  PetscFunctionBegin;
  *plan = NULL;
  ierr  = AutoCSRTryBegin();
  if (!ierr) {
    if (net->tries < TRIES) ierr = AutoCSRPlanBuildOther(net->choice, &ctx->csr, &net->candidate, plan);
    if (ierr) PetscCall(AutoCSRPlanDestroy(plan));
    if (ierr == PETSC_ERR_MEM) ierr = PETSC_SUCCESS;
    net->last = (PetscBool) !*plan;
    if (!ierr && net->last) ierr = AutoCSRPlanFirst(&ctx->csr, &ctx->settings, plan, &product, &look);
    PetscCall(PetscPopErrorHandler());
  }
  if (ierr) PetscCall(AutoCSRPlanDestroy(plan));
  if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
  if (ierr) PetscFunctionReturn(PETSC_SUCCESS);
  if (net->last) {
    (*plan)->parents = net->parents;
    PetscCall(PetscSNPrintf((*plan)->why, sizeof((*plan)->why), "%s: the first plan, as %" PetscInt_FMT " others took longer", net->parents ? "AIJ's own product" : (*plan)->segment[0].strategy, 1 + net->tries));
  }
  net->tries++;
  PetscCall(PetscInfo(A, "Plan: %s\n", (*plan)->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the net has measured, for the view */
static PetscErrorCode Tell(AutoCSRPlan *plan, double seconds, double before)
{
  char what[96];

  PetscFunctionBegin;
  plan->measured = seconds;
  PetscCall(PetscSNPrintf(what, sizeof(what), "; the net measured %.3g us, by the first plan %.3g us", 1e6 * seconds, 1e6 * before));
  PetscCall(AutoCSRAppend(plan->chooser, what, sizeof(plan->chooser)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Decide(Mat A, AutoCSRContext *ctx)
{
  AutoCSRNet  *net = ctx->net;
  const double now = Median(net);
  AutoCSRPlan *next;

  PetscFunctionBegin;
  PetscCall(PetscInfo(A, "A product takes %g us, by the first plan it took %g: %s\n", 1e6 * now, 1e6 * net->before, now > SLOWER * net->before ? "the plan is undone" : "the plan stays"));
  if (now <= SLOWER * net->before) {
    PetscCall(Tell(ctx->planned.plan, now, net->before));
    PetscCall(AutoCSRNetDestroy(&ctx->net));
    PetscCall(AutoCSRContextLearn(ctx, now));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRContextReclaim(A, ctx));
  PetscCall(Next(A, ctx, net, &next));
  if (!next) { /* what there is stays */
    PetscCall(AutoCSRNetDestroy(&ctx->net));
    PetscCall(AutoCSRContextReleaseLater(ctx));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRPlanDestroy(&ctx->planned.plan));
  ctx->planned.plan = next;
  ctx->plans++;
  if (net->last) {
    const double before = net->before;

    PetscCall(Tell(next, before, before));
    PetscCall(AutoCSRNetDestroy(&ctx->net));
    PetscCall(AutoCSRContextLearn(ctx, before));
  } else
    Begin(net);
  PetscCall(AutoCSRContextReleaseLater(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before a product, which may get another plan here */
PetscErrorCode AutoCSRNetBegin(Mat A, AutoCSRContext *ctx)
{
  AutoCSRNet     *net     = ctx->net;
  const PetscBool decides = (PetscBool)(net->products++ % EVERY == 0 || !ctx->in_step);

  PetscFunctionBegin;
  PetscCall(Read(net));
  if (decides && net->n == SAMPLES && ctx->planned.progress.stage == AUTOCSR_STAGE_FINAL) {
    PetscCall(Decide(A, ctx));
    net = ctx->net;
  }
  if (!net || net->ended == SAMPLES || (net->n < net->ended && !ctx->in_step)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt s = 0; s < ctx->planned.plan->n_segments; s++) { /* two ways to gather x take turns: neither is the plan's yet */
    if (ctx->planned.plan->segment[s].contested) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (net->skip) {
    net->skip--;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall((*net->backend->watch_begin)(&net->watch[net->ended]));
  net->runs = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRNetEnd(AutoCSRContext *ctx)
{
  AutoCSRNet *net = ctx->net;

  PetscFunctionBegin;
  if (!net || !net->runs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*net->backend->watch_end)(&net->watch[net->ended++]));
  net->runs = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
