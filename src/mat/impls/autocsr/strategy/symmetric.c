/*
  symmetric: of a stencil with symmetric values, those on the main diagonal and above it, diagonal by diagonal; row patterns
  tell what a row has of them (lee2004's saving of symmetric values; there an entry is multiplied twice, here its place is read
  twice, the second time from a cache, so that nothing is scattered).

  The planner compares the values bit by bit: a complex a with a, not with its conjugate. A refresh compares again, and
  values that are no longer symmetric get another plan. A product needs neither atomics nor a second pass over y. Rows add
  their entries in the CSR's order, and an entry that a row lacks is never touched. A^T x is A x.

    variants  values copied, from a dictionary, float32
    cost      all rows' slots on each diagonal in place of the entries: half of them where few rows are at a border
    build     half of the values are copied once; the profile has compared them
*/
#include "preset.h"

/* Slots of all diagonals */
static double slots(const AutoCSRProblem *problem)
{
  return (double)problem->csr->m * problem->profile->diagonals;
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  AutoCSRAxes axes = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_DIAGONAL, .index = AUTOCSR_INDEX_PATTERN, .mapping = AUTOCSR_MAP_LANES, .reduction = AUTOCSR_REDUCE_NONE, .lanes = 1, .row_group = 1, .slice_height = 1};
  PetscBool   asked;

  PetscFunctionBegin;
  *n   = 0;
  *why = "the settings ask for a coding that symmetric does not have";
  if (problem->parallel) {
    *why = "symmetric is a processor's alone";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!problem->profile->diagonals) {
    *why = "the values are not symmetric, bit by bit, the rows have too many different patterns, or these lack so much of the diagonals that they would be mostly padding";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRProblemAsksFor(problem, "symmetric", &asked));
  if (problem->profile->pattern_values && !asked) {
    *why = "the patterns tell the values: there is nothing to be halved";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!AutoCSRIsCounted(slots(problem))) {
    *why = "the diagonals have more slots than can be counted";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  AutoCSRVariantAddStored(problem, PETSC_FALSE, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the rows of a slice that has more than one pattern, few are alone with theirs */
#define ALONE 0.5

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range = problem->range;

  PetscFunctionBegin;
  *n = 1;
  AutoCSRCostFill(problem, axes, range.rows, range.nnz, slots(problem), 0, 0, segment);
  segment->entries = range.nnz;
  segment->irregular *= ALONE * range.nnz / slots(problem);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "symmetric values: the main diagonal and %" PetscInt_FMT " above it, values %s", problem->profile->diagonals - 1, AutoCSRValueWords(axes->value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_symmetric = {"symmetric", "lee2004", PETSC_TRUE, variants, cost, NULL, describe};
