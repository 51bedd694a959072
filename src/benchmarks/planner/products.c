/* The seconds of a plan's products, back to back */
#include "planner.h"
#include <time.h>

/* Seconds on the wall; of a processor those of this thread, so that other programs on it spoil less */
static double now(const AutoCSRBackend *backend)
{
  struct timespec t;

  clock_gettime(backend->parallel ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static PetscErrorCode products(const AutoCSRPlan *plan, const AutoCSROperands *op, PetscInt n, double *seconds)
{
  double begin;

  PetscFunctionBeginUser;
  PetscCall((*plan->backend->synchronize)());
  begin = now(plan->backend);
  for (PetscInt i = 0; i < n; i++) PetscCall((*plan->backend->mult)(plan, op));
  PetscCall((*plan->backend->synchronize)());
  *seconds = (now(plan->backend) - begin) / n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_seconds(const void *a, const void *b)
{
  const double d = *(const double *)a - *(const double *)b;

  return d < 0 ? -1 : d > 0;
}

PetscErrorCode ProductSeconds(const AutoCSRPlan *plan, const AutoCSROperands *op, const Clock *clock, double *seconds)
{
  double took[MAX_ROUNDS];

  PetscFunctionBeginUser;
  PetscCall(products(plan, op, 1, seconds));
  PetscCall(products(plan, op, 2, seconds));
  for (int k = 0; k < clock->rounds; k++) {
    PetscCall(products(plan, op, 1 + (PetscInt)(clock->seconds / *seconds), &took[k]));
    *seconds = PetscMin(*seconds, took[k]);
  }
  if (clock->median) {
    qsort(took, (size_t)clock->rounds, sizeof(*took), compare_seconds);
    *seconds = took[clock->rounds / 2];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *plan is NULL if there is no memory for it */
static PetscErrorCode build(AutoCSRChooser *chooser, const AutoCSRCandidate *candidate, AutoCSRPlan **plan)
{
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  *plan = NULL;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = AutoCSRCandidateBuild(chooser, candidate, plan);
  PetscCall(PetscPopErrorHandler());
  if (ierr) PetscCall(AutoCSRPlanDestroy(plan));
  if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CandidateSeconds(AutoCSRChooser *chooser, const AutoCSRCandidate *candidate, const AutoCSROperands *op, const Clock *clock, double *seconds)
{
  AutoCSRPlan *plan;

  PetscFunctionBeginUser;
  *seconds = 0;
  PetscCall(build(chooser, candidate, &plan));
  if (plan) PetscCall(ProductSeconds(plan, op, clock, seconds));
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CandidateJoules(AutoCSRChooser *chooser, const AutoCSRCandidate *candidate, const AutoCSROperands *op, double seconds, double span, double *joules)
{
  AutoCSRPlan *plan;

  PetscFunctionBeginUser;
  *joules = 0;
  PetscCall(build(chooser, candidate, &plan));
  if (plan) PetscCall(AutoCSRPlanCountJoules(plan, op, seconds, span, joules));
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}
