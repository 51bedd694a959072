/*
  csr-vector: rows in place, each by a vector of 2 to 32 lanes, of which the mean length of a row tells the number
  (Bell and Garland; dufrechou2021, 2.1.1). One number of lanes serves all rows of the block, whatever their lengths.
    variants  the CSR's columns and values; the lanes of the mean length. Only if the user names the strategy, on a processor too: csr
              has every number of lanes among its own variants
    cost      the CSR's bytes, and the longest row, which its lanes walk alone
    build     nothing to build
*/
#include "preset.h"

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  PetscBool   asked;
  AutoCSRAxes axes = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AutoCSRValueInPlace(problem), .mapping = AUTOCSR_MAP_LANES, .reduction = AUTOCSR_REDUCE_TREE, .lanes = AutoCSRProblemVectorLanes(problem), .row_group = 1};

  PetscFunctionBegin;
  *n   = 0;
  *why = "csr tries its lanes among others; it is used where it is asked for by name";
  PetscCall(AutoCSRProblemAsksFor(problem, "csr-vector", &asked));
  if (!asked) PetscFunctionReturn(PETSC_SUCCESS);
  *why = "the settings ask for a coding that csr-vector does not have";
  AutoCSRVariantAdd(problem, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "rows in place, a vector of %" PetscInt_FMT " lanes each", axes->lanes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_csr_vector = {"csr-vector", "dufrechou2021-ml-selection, 2.1.1", PETSC_TRUE, variants, AutoCSRCostInPlace, NULL, describe};
