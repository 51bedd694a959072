/*
  ell: all rows padded to the longest one (ELL of dufrechou2021, 4.4, Bell and Garland): slices of one width. It loses to sell
  wherever rows differ in length, and is kept as the method that the paper compares.
    variants  as sell's, not sorted
    cost      as many entries for each row as the longest has
    build     every entry is copied once
*/
#include "preset.h"

#define PADDING_LIMIT 2.0 /* padding slots for each entry, at most: with more, slices move more bytes than csr whatever the coding */

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRRange range = problem->range;
  AutoCSRAxes        axes  = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .reduction = AUTOCSR_REDUCE_NONE, .lanes = 1, .row_group = 1};
  AutoCSRValue       value[AUTOCSR_STORED_CODINGS];
  const PetscInt     n_values = AutoCSRStoredValueCodings(problem, PETSC_TRUE, value);

  PetscFunctionBegin;
  axes.slice_height = problem->profile->slice_height;
  axes.width        = range.longest;
  *n                = 0;
  *why              = "the settings ask for a coding that ell does not have";
  if (!AutoCSRMayPad((double)range.slices * axes.slice_height * range.longest, (1 + PADDING_LIMIT) * range.nnz, "padded to the longest row, the rows would be mostly padding", why)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt v = 0; v < n_values; v++) {
    axes.value = value[v];
    axes.index = AUTOCSR_INDEX_16;
    if (range.slices_16 == range.slices) AutoCSRVariantAdd(problem, &axes, max, list, n);
    axes.index = AUTOCSR_INDEX_32;
    AutoCSRVariantAdd(problem, &axes, max, list, n);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range = problem->range;

  PetscFunctionBegin;
  *n = 1;
  AutoCSRCostFill(problem, axes, range.rows, range.nnz, (double)range.slices * axes->slice_height * axes->width, range.slices, 0, segment);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "rows padded to %" PetscInt_FMT " entries, %s columns, values %s", axes->width, axes->index == AUTOCSR_INDEX_16 ? "16-bit" : "32-bit", AutoCSRValueWords(axes->value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_ell = {"ell", "dufrechou2021-ml-selection, 4.4", PETSC_TRUE, variants, cost, NULL, describe};
