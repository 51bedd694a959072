static char help[] = "Two ways to gather x, and to stream: products take turns, make the same bits, and one way stays.\n\n";

#include "../plans.h"
#include <petsctime.h>

#define PRODUCTS 40 /* more than there are turns */

static PetscInt Rows(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Pick(n, i, i % 13 ? 40 : 900, col);
}

/* Products of a plan in one segment by the executor of an instruction set and, if there is one, the other; which is left at the end */
static PetscErrorCode CheckPlan(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *axes, const char simd[], PetscBool turns, PetscInt *tried)
{
  const AutoCSRBackend  *backend = csr->backend;
  const AutoCSRExecutor *executor, *other;
  AutoCSRPlan           *plan;
  PetscScalar           *x, *y[PRODUCTS];

  PetscFunctionBeginUser;
  PetscCall((*backend->find_executor)(axes, simd, &executor));
  PetscCheck(executor, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No executor of order %s, index %s", AutoCSROrderNames[axes->order], AutoCSRIndexNames[axes->index]);
  other = (*backend->other_way)(executor);
  PetscCheck(!other || (other != executor && (*backend->other_way)(other) == executor), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s (%s): the other way of the other way is another", executor->name, simd);
  PetscCall(BuildPlan(csr, profile, csr, profile, axes, DIVISION_WHOLE, &plan));
  plan->segment[0].executor = executor;
  plan->segment[0].other    = other;
  PetscCall((*backend->bind)(plan, csr));
  PetscCheck(plan->segment[0].contested == (PetscBool)(other && turns), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s (%s), %" PetscInt_FMT " nonzeros: turns are taken, or are not", executor->name, simd, csr->nnz);
  PetscCheck(csr->nnz < 1000000 || plan->segment[0].far, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " nonzeros are thought to lie in a cache", csr->nnz);
  PetscCall((*backend->allocate)((size_t)csr->n * sizeof(*x), (void **)&x));
  for (PetscInt j = 0; j < csr->n; j++) x[j] = RealScalar((PetscReal)((j * 7919) % 2003) / 1001 - 1);
  for (int k = 0; k < PRODUCTS; k++) {
    PetscBool same;

    PetscCall((*backend->allocate)((size_t)csr->m * sizeof(*x), (void **)&y[k]));
    PetscCall((*backend->mult)(plan, &(AutoCSROperands){csr, x, NULL, y[k], PETSC_FALSE}));
    PetscCall(PetscMemcmp(y[0], y[k], (size_t)csr->m * sizeof(*x), &same));
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s (%s): product %d has other bits", executor->name, simd, k);
  }
  PetscCheck(!plan->segment[0].contested, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s (%s): turns do not end", executor->name, simd);
  PetscCheck(plan->segment[0].executor == executor || (other && turns && plan->segment[0].executor == other), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s (%s): neither way has stayed", executor->name, simd);
  *tried += other && turns;
  for (int k = 0; k < PRODUCTS; k++) PetscCall((*backend->deallocate)(y[k]));
  PetscCall((*backend->deallocate)(x));
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* turns: the matrix has enough nonzeros for a clock */
static PetscErrorCode Check(PetscInt rows, PetscBool turns, PetscInt *tried)
{
  const AutoCSRBackend *backend = &AutoCSRBackendHost;
  const Generator       g       = {"rows", rows, 900, Rows, VALUES_MANY};
  AutoCSRMatrix         csr;
  AutoCSRProfile       *profile;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(&g, &csr));
  PetscCall(AutoCSRProfileCreate(&csr, backend->slice_height, &profile));
  for (const char *const *simd = (*backend->instruction_sets)(); *simd; simd++) {
    for (int sliced = 0; sliced < 2; sliced++) {
      for (int index = AUTOCSR_INDEX_CSR; index <= AUTOCSR_INDEX_16; index++) {
        AutoCSRAxes axes = {.index = (AutoCSRIndex)index, .mapping = AUTOCSR_MAP_LANES, .lanes = 8, .slice_height = index == AUTOCSR_INDEX_16 || sliced ? backend->slice_height : 1, .row_group = 1};

        if (sliced ? index == AUTOCSR_INDEX_CSR : index == AUTOCSR_INDEX_32) continue;
        if (sliced) {
          axes.order   = AUTOCSR_ORDER_SLICED;
          axes.value   = AUTOCSR_VALUE_COPY;
          axes.mapping = AUTOCSR_MAP_SLICE;
          axes.lanes   = 1;
        }
        PetscCall(CheckPlan(&csr, profile, &axes, *simd, turns, tried));
      }
    }
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Which way stays, of two that take as long as they are told to */

#define SLOW 3e-4 /* seconds, three times as long as the other */

static void Take(double seconds)
{
  PetscLogDouble begin, now;

  (void)PetscTime(&begin);
  do (void)PetscTime(&now);
  while (now - begin < seconds);
}

static void Slow(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  Take(SLOW);
}

static void Fast(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  Take(SLOW / 3);
}

static void FastWithPrefetch(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  Take(seg->far ? SLOW / 3 : SLOW);
}

static void FastWithout(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  Take(seg->far ? SLOW : SLOW / 3);
}

static PetscErrorCode CheckChoice(void)
{
  const AutoCSRExecutor way[2]    = {{"slow", Slow, Slow, 0}, {"fast", Fast, Fast, 1}};
  const AutoCSRExecutor stream[2] = {{"fast without", FastWithout, FastWithout, 0}, {"fast with prefetches", FastWithPrefetch, FastWithPrefetch, 1}};
  const AutoCSRMatrix   csr       = {.backend = &AutoCSRBackendHost};

  PetscFunctionBeginUser;
  for (int first = 0; first < 2; first++) {
    AutoCSRPlan    *plan;
    AutoCSRSegment *seg;

    PetscCall(AutoCSRPlanCreate(&csr, &plan));
    PetscCall(AutoCSRPlanAddSegment(plan, "test", &(AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .lanes = 1, .slice_height = 1, .row_group = 1}, &seg));
    seg->nnz      = 100000;
    seg->executor = &way[first];
    seg->other    = &way[1 - first];
    PetscCall((*csr.backend->bind)(plan, &csr));
    for (int k = 0; k < PRODUCTS; k++) PetscCall((*csr.backend->mult)(plan, &(AutoCSROperands){.csr = &csr}));
    PetscCheck(seg->executor == &way[1] && !seg->far, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The %s way stays, where the plan has the %s one", seg->executor->name, way[first].name);
    PetscCall((*csr.backend->unbind)(plan));
    seg->bytes    = 1e9; /* from memory */
    seg->executor = seg->other = &stream[first];
    PetscCall((*csr.backend->bind)(plan, &csr));
    PetscCheck(seg->far, PETSC_COMM_SELF, PETSC_ERR_PLIB, "1 GB is thought to lie in a cache");
    for (int k = 0; k < PRODUCTS; k++) PetscCall((*csr.backend->mult)(plan, &(AutoCSROperands){.csr = &csr}));
    PetscCheck(seg->far == (PetscBool)first && !seg->contested, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Streams are prefetched: %d, by an executor that is %s", (int)seg->far, stream[first].name);
    PetscCall(AutoCSRPlanDestroy(&plan));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt tried = 0, sets = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Check(2000, PETSC_TRUE, &tried));
  PetscCall(Check(12000, PETSC_TRUE, &tried)); /* read from memory: with prefetches and without, too */
  PetscCall(Check(100, PETSC_FALSE, &tried));
  for (const char *const *simd = (*AutoCSRBackendHost.instruction_sets)(); *simd; simd++) sets += !strncmp(*simd, "avx512", 6);
  PetscCheck(tried == (sets == 2 ? 16 : 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " plans took turns", tried);
  PetscCall(CheckChoice());
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The ways agree\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

TEST*/
