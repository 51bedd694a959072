/* Times a bound plan, or a product with a dense matrix: the shortest of several rounds, each of so many products that the clock's steps do not show */
#include "figures.h"
#include <petsctime.h>

#define ROUNDS   5    /* rounds of which the shortest counts */
#define SPAN     0.5  /* seconds of products for which joules are counted */
#define SETTLE   0.05 /* of these, seconds before the first reading that counts, until the power is theirs */
#define READ     2e-3 /* seconds of products between two readings of the counter: so late is a move of it seen at most */
#define MOVES    3    /* moves of the counter that are waited for, at least */
#define PATIENCE 10   /* spans after which a counter that does not move so often is given up */

typedef struct {
  const AutoCSRPlan          *plan;
  const AutoCSRSegment       *segment; /* NULL: all */
  const AutoCSROperands      *op;
  const AutoCSRBackend       *backend;
  AutoCSRDense               *dense; /* NULL: the product is with a vector */
  const AutoCSRDenseOperands *dense_op;
} Product;

static PetscErrorCode time_products(const Product *product, PetscInt count, double *seconds)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(PetscTime(&begin));
  for (PetscInt i = 0; i < count; i++) {
    if (product->dense) {
      PetscBool made;

      PetscCall((*product->backend->mult_dense)(product->dense, product->dense_op, &made));
    } else if (product->segment) {
      AutoCSROperands room;

      product->segment->executor->mult(product->segment, AutoCSRPlanOperandsOf(product->plan, product->segment->row_set.nearness, product->op, &room));
    } else
      PetscCall((*product->plan->backend->mult)(product->plan, product->op));
  }
  PetscCall((*product->backend->synchronize)());
  PetscCall(PetscTime(&end));
  *seconds = (end - begin) / count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode time_round(const Product *product, AutoCSRClock *clock, PetscBool *done)
{
  double seconds;

  PetscFunctionBegin;
  if (!clock->round) {
    PetscCall(time_products(product, 1, &seconds)); /* warms up */
    clock->best = PETSC_MAX_REAL;
  } else if (!clock->count) {
    PetscCall(time_products(product, 1, &seconds));
    clock->count = (PetscInt)PetscMin(product->backend->round / PetscMax(seconds, 1e-9), 1000) + 1;
  } else {
    PetscCall(time_products(product, clock->count, &seconds));
    clock->best = PetscMin(clock->best, seconds);
  }
  clock->round++;
  *done = (PetscBool)(clock->round == ROUNDS + 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanTimeRound(const AutoCSRPlan *plan, const AutoCSROperands *op, AutoCSRClock *clock, PetscBool *done)
{
  const Product product = {.plan = plan, .op = op, .backend = plan->backend};

  PetscFunctionBegin;
  PetscCall(time_round(&product, clock, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseTimeRound(AutoCSRDense *dense, const AutoCSRDenseOperands *op, AutoCSRClock *clock, PetscBool *done)
{
  const Product product = {.backend = dense->backend, .dense = dense, .dense_op = op};

  PetscFunctionBegin;
  PetscCall(time_round(&product, clock, done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode time_best(const Product *product, double *best)
{
  AutoCSRClock clock = {0};
  PetscBool    done  = PETSC_FALSE;

  PetscFunctionBegin;
  while (!done) PetscCall(time_round(product, &clock, &done));
  *best = clock.best;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A counter moves in steps of some 20 to 100 ms. What lies between two of its moves is known well, what lies before the first and after the last is left out */
PetscErrorCode AutoCSRPlanCountJoules(const AutoCSRPlan *plan, const AutoCSROperands *op, double seconds, double span, double *joules)
{
  const AutoCSRBackend *backend = plan->backend;
  const PetscInt        n       = 1 + (PetscInt)(READ / PetscMax(seconds, 1e-7));
  PetscLogDouble        begin, now;
  double                shown, next, first = 0;
  PetscInt64            made = 0, at_first = 0, at_last = 0;
  PetscInt              moves = 0;

  PetscFunctionBegin;
  *joules = 0;
  if (!backend->joules) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*backend->joules)(&shown));
  if (shown < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&begin));
  do {
    for (PetscInt i = 0; i < n; i++) PetscCall((*backend->mult)(plan, op));
    made += n;
    PetscCall((*backend->joules)(&next)); /* while the products are made */
    PetscCall((*backend->synchronize)());
    PetscCall(PetscTime(&now));
    if (next <= shown) continue;
    shown = next;
    if (now - begin < SETTLE) continue;
    if (!moves++) {
      first    = shown;
      at_first = made;
    }
    at_last = made;
  } while (now - begin < span || (moves < MOVES && now - begin < PATIENCE * span));
  if (moves > 1) *joules = (shown - first) / (double)(at_last - at_first);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanTimeSegments(AutoCSRPlan *plan, const AutoCSROperands *op)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const Product product = {.plan = plan, .segment = &plan->segment[s], .op = op, .backend = plan->backend};

    if (plan->n_segments == 1)
      plan->segment[s].measured = plan->measured;
    else
      PetscCall(time_best(&product, &plan->segment[s].measured));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* op: of memory for x and y, in which x is to be ones */
static PetscErrorCode time_plan(AutoCSRPlan *plan, const AutoCSROperands *op, PetscBool joules)
{
  const AutoCSRMatrix *csr     = op->csr;
  const Product        product = {.plan = plan, .op = op, .backend = plan->backend};
  PetscScalar         *ones;
  PetscErrorCode       ierr;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(csr->n, &ones));
  for (PetscInt j = 0; j < csr->n; j++) ones[j] = 1;
  ierr = (*plan->backend->from_host)((void *)op->x, ones, csr->n * sizeof(*ones));
  PetscCall(PetscFree(ones));
  PetscCall(ierr);
  PetscCall(time_best(&product, &plan->measured));
  PetscCall(AutoCSRPlanTimeSegments(plan, op));
  if (joules) PetscCall(AutoCSRPlanCountJoules(plan, op, plan->measured, SPAN, &plan->joules));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To be out of memory is an error that the caller lives with */
PetscErrorCode AutoCSRPlanTime(AutoCSRPlan *plan, const AutoCSRMatrix *csr, PetscBool joules)
{
  PetscScalar    *memory;
  PetscErrorCode  ierr;
  AutoCSROperands op = {.csr = csr};

  PetscFunctionBegin;
  PetscCall((*plan->backend->allocate)(((size_t)csr->n + csr->m) * sizeof(*memory), (void **)&memory));
  op.x = memory;
  op.y = memory + csr->n;
  ierr = time_plan(plan, &op, joules);
  PetscCall((*plan->backend->deallocate)(memory));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
