/*
  light: rows in place, each by a vector of 2 to 32 lanes of the mean length, which take the next rows when they are done with
  theirs (LightSpMV; dufrechou2021, 2.1.4).
    variants  the CSR's columns and values; the lanes of the mean length. On a processor: rows in place, only if the user names the strategy
    cost      the CSR's bytes, and the longest row, which its lanes walk alone. Each batch of rows costs an atomic, which a small matrix
              feels
    build     nothing to build
*/
#include "preset.h"
#include "../backend.h"

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRAxes axes = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_FETCH, .reduction = AUTOCSR_REDUCE_TREE, .lanes = AutoCSRProblemVectorLanes(problem), .row_group = 1};
  PetscBool         asked;

  PetscFunctionBegin;
  *n   = 0;
  *why = "nobody else takes rows: it is used where it is asked for by name";
  PetscCall(AutoCSRProblemAsksFor(problem, "light", &asked));
  if (!problem->csr->backend->parallel && !asked) PetscFunctionReturn(PETSC_SUCCESS);
  *why = "the settings ask for a coding that light does not have";
  AutoCSRVariantAdd(problem, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "rows in place, fetched by vectors of %" PetscInt_FMT " lanes", axes->lanes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_light = {"light", "dufrechou2021-ml-selection, 2.1.4", PETSC_TRUE, variants, AutoCSRCostInPlace, NULL, describe};
