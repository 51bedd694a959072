/*
  cusparse-alg1, cusparse-alg2, cusparse-sell, cusparse-bsr: the vendor's algorithms for CSR (candidates in dufrechou2021,
  4.3), for slices (4.4) and for dense blocks (BCSR). The planner takes them only if the user names them, for
  comparison. The sums of the first one come in another order in every run. The vendor multiplies padding of slices by
  entries of x, so that an entry that is not finite spreads.
    variants  one, of blocks one for each size; on a device only; cusparse-alg1 not of fewer than 1024 entries
    cost      the CSR's bytes, or those of slices or blocks
    build     nothing, or one copy of every entry
*/
#include "preset.h"

/*
  Entries from which on cusparse-alg1 is a candidate. With a few dozen entries the vendor's algorithm loses the last row's
  sum now and then, by MATAIJCUSPARSE, too (tests/results/h200-cusparse-alg1.txt). The number leaves room, because so few
  entries are nothing to compare by
*/
#define FEW_FOR_ALG1 1024

static AutoCSRAxes axes_of(const AutoCSRProblem *problem, PetscInt algorithm, PetscBool slices)
{
  AutoCSRAxes axes = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_VENDOR, .reduction = AUTOCSR_REDUCE_NONE, .lanes = 1, .row_group = 1, .algorithm = algorithm};

  if (slices) {
    axes.order        = AUTOCSR_ORDER_SLICED;
    axes.index        = AUTOCSR_INDEX_32;
    axes.value        = AUTOCSR_VALUE_COPY;
    axes.slice_height = problem->profile->slice_height;
  }
  return axes;
}

/* Adds to the list */
static PetscErrorCode variants_of(const AutoCSRProblem *problem, const char name[], const AutoCSRAxes *axes, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRRange range  = problem->range;
  const PetscBool    sliced = (PetscBool)(axes->order == AUTOCSR_ORDER_SLICED);
  PetscBool          asked;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(problem->settings->strategy, name, &asked));
  if (!problem->parallel)
    *why = "the vendor's library is for devices";
  else if (!asked)
    *why = "the vendor's algorithms are taken only if they are asked for";
  else if (sliced && sizeof(PetscInt) > 4)
    *why = "slices have 32-bit columns, and the vendor's have offsets of the same size";
  else if (!sliced || AutoCSRMayPad(range.padded, 8 * range.nnz, "the rows differ so much in length that slices would be mostly padding", why)) {
    *why = "the settings ask for a coding that the vendor's algorithm does not have";
    AutoCSRVariantAdd(problem, axes, max, list, n);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode variants_alg1(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRAxes axes = axes_of(problem, 1, PETSC_FALSE);

  PetscFunctionBegin;
  *n = 0;
  PetscCall(variants_of(problem, "cusparse-alg1", &axes, max, list, n, why));
  if (*n && problem->range.nnz < FEW_FOR_ALG1) {
    *n   = 0;
    *why = "of so few entries the vendor's first algorithm has lost a sum now and then";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode variants_alg2(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRAxes axes = axes_of(problem, 2, PETSC_FALSE);

  PetscFunctionBegin;
  *n = 0;
  PetscCall(variants_of(problem, "cusparse-alg2", &axes, max, list, n, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode variants_sell(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRAxes axes = axes_of(problem, 1, PETSC_TRUE);

  PetscFunctionBegin;
  *n = 0;
  PetscCall(variants_of(problem, "cusparse-sell", &axes, max, list, n, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode variants_bsr(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const PetscInt largest = problem->profile->block_size;
  AutoCSRAxes    axes    = axes_of(problem, 1, PETSC_FALSE);

  PetscFunctionBegin;
  *n         = 0;
  *why       = "the pattern is not made of dense blocks";
  axes.order = AUTOCSR_ORDER_BLOCKED;
  axes.index = AUTOCSR_INDEX_32;
  axes.value = AUTOCSR_VALUE_COPY;
  for (axes.block = largest; axes.block > 1; axes.block--) {
    if (largest % axes.block) continue;
    if (PetscMax(problem->csr->nnz / (axes.block * axes.block), problem->csr->n / axes.block) > 2147483647)
      *why = "there are more blocks than the vendor's 32-bit columns count";
    else
      PetscCall(variants_of(problem, "cusparse-bsr", &axes, max, list, n, why));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range  = problem->range;
  const PetscBool    sliced = (PetscBool)(axes->order == AUTOCSR_ORDER_SLICED);

  PetscFunctionBegin;
  *n = 1;
  AutoCSRCostFill(problem, axes, range.rows, range.nnz, sliced ? range.padded : range.nnz, sliced ? range.slices : 0, 0, segment);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  if (axes->order == AUTOCSR_ORDER_SLICED)
    PetscCall(PetscSNPrintf(text, len, "the vendor's product of slices of %" PetscInt_FMT " rows, which multiplies padding, too", axes->slice_height));
  else if (axes->order == AUTOCSR_ORDER_BLOCKED)
    PetscCall(PetscSNPrintf(text, len, "the vendor's product of dense blocks of %" PetscInt_FMT " by %" PetscInt_FMT, axes->block, axes->block));
  else
    PetscCall(PetscSNPrintf(text, len, "the vendor's algorithm %" PetscInt_FMT " for CSR%s", axes->algorithm, axes->algorithm == 1 ? ", whose last bits differ from run to run" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_cusparse_alg1 = {"cusparse-alg1", "dufrechou2021-ml-selection, 4.3", PETSC_TRUE, variants_alg1, cost, NULL, describe};
const AutoCSRStrategy AutoCSRStrategy_cusparse_alg2 = {"cusparse-alg2", "dufrechou2021-ml-selection, 4.3", PETSC_TRUE, variants_alg2, cost, NULL, describe};
const AutoCSRStrategy AutoCSRStrategy_cusparse_sell = {"cusparse-sell", "dufrechou2021-ml-selection, 4.4", PETSC_TRUE, variants_sell, cost, NULL, describe};
const AutoCSRStrategy AutoCSRStrategy_cusparse_bsr  = {"cusparse-bsr", "BCSR", PETSC_TRUE, variants_bsr, cost, NULL, describe};
