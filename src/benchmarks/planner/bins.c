/* The seconds of a bin's rows with each number of lanes: what the second rule set of hou2017 (III-C) is learned from */
#include "planner.h"
#include "../../mat/impls/autocsr/strategy/preset.h"

#define FEWER 64 /* entries of a lane on average, past which so few lanes are not timed */
#define MORE  8  /* lanes for each entry of a row, likewise */

/* A plan of this bin alone, NULL if no executor runs it */
static PetscErrorCode plan_bin(const AutoCSRChooser *chooser, PetscInt U, PetscInt bin, PetscInt count, PetscInt lanes, AutoCSRPlan **plan)
{
  const AutoCSRProblem  *problem                  = &chooser->problem;
  const AutoCSRBackend  *backend                  = problem->csr->backend;
  const PetscBool        single                   = (PetscBool)(U >= problem->csr->m);
  const AutoCSRAxes      axes                     = {.partition = AUTOCSR_PARTITION_BIN, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AutoCSRValueInPlace(problem), .mapping = AUTOCSR_MAP_LANES, .reduction = lanes > 1 ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE, .lanes = lanes, .row_group = single ? 1 : U};
  PetscBool              wanted[AUTOCSR_MAX_BINS] = {PETSC_FALSE};
  const AutoCSRExecutor *executor;
  AutoCSRSegment        *seg;

  PetscFunctionBeginUser;
  *plan = NULL;
  PetscCall((*backend->find_executor)(&axes, chooser->figures->simd, &executor));
  if (!executor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRPlanCreate(problem->csr, plan));
  if (single)
    PetscCall(AutoCSRBuildContiguous(problem, "binned", &axes, *plan));
  else {
    wanted[bin] = PETSC_TRUE;
    PetscCall(AutoCSRPlanAddSegment(*plan, "binned", &axes, &seg));
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, count));
    PetscCall((*backend->name_bins)(problem->csr, U, AUTOCSR_MAX_BINS, wanted, (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data));
  }
  seg           = &(*plan)->segment[0];
  seg->executor = executor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BinsSeconds(const AutoCSRChooser *chooser, PetscInt U, const AutoCSROperands *op, const Clock *clock, PetscInt max, BinTimes times[], PetscInt *n)
{
  const AutoCSRMatrix *csr   = chooser->problem.csr;
  const Clock          brief = {clock->seconds / 2, PetscMin(clock->rounds, 3), clock->median};
  AutoCSRBins          bins;

  PetscFunctionBeginUser;
  PetscCall((*csr->backend->count_bins)(csr, U, U >= csr->m ? 1 : AUTOCSR_MAX_BINS, &bins));
  for (*n = 0; *n < max; (*n)++) {
    BinTimes *t    = &times[*n];
    PetscInt  most = 0;

    for (PetscInt b = 1; b < AUTOCSR_MAX_BINS; b++) most = bins.nnz[b] > bins.nnz[most] ? b : most;
    if (!bins.nnz[most]) break;
    *t = (BinTimes){.bin = most, .rows = bins.rows[most], .nnz = bins.nnz[most]};
    for (PetscInt k = 0, lanes = 1; k < BIN_KERNELS; k++, lanes *= 2) {
      const double length = (double)t->nnz / t->rows;
      AutoCSRPlan *plan;

      if (lanes > MORE * PetscMax(1, length) || length > FEWER * (double)lanes) continue;
      PetscCall(plan_bin(chooser, U, most, bins.count[most], lanes, &plan));
      if (!plan) continue;
      if (U < csr->m) {
        plan->segment[0].n_rows = t->rows;
        PetscCall(AutoCSRSegmentEncode(&plan->segment[0], csr, chooser->problem.profile));
      }
      PetscCall((*csr->backend->bind)(plan, csr));
      PetscCall(ProductSeconds(plan, op, &brief, &t->seconds[k]));
      PetscCall(AutoCSRPlanDestroy(&plan));
    }
    bins.nnz[most] = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
