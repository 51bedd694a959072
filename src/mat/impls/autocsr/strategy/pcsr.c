/*
  pcsr: a lane a nonzero for the products, which go to shared memory, then a lane a row for the sums (Gao et al. 2016 and, in one
  kernel, 2017; dufrechou2021, 2.1.5). Rows are used in place.
    variants  one. On a processor: rows in place, only if the user names the strategy
    cost      the CSR's bytes; a lane adds a whole row, and none of a block before all its products are there
    build     nothing to build
*/
#include "preset.h"
#include "../backend.h"

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRAxes axes = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_PRODUCTS, .reduction = AUTOCSR_REDUCE_NONE, .lanes = 1, .row_group = 1};
  PetscBool         asked;

  PetscFunctionBegin;
  *n   = 0;
  *why = "products are best added as they come: it is used where it is asked for by name";
  PetscCall(AutoCSRProblemAsksFor(problem, "pcsr", &asked));
  if (!problem->csr->backend->parallel && !asked) PetscFunctionReturn(PETSC_SUCCESS);
  *why = "the settings ask for a coding that pcsr does not have";
  AutoCSRVariantAdd(problem, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRCostInPlace(problem, axes, segment, n));
  segment->longest += problem->traits->products_walk * problem->range.nnz / PetscMax(1, problem->range.rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "rows in place, products first, then a lane for each row"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_pcsr = {"pcsr", "dufrechou2021-ml-selection, 2.1.5", PETSC_TRUE, variants, cost, NULL, describe};
