/*
  sellp: slices as sell's, but of fewer rows, each multiplied by several lanes and padded to a multiple of them (SELL-P of
  dufrechou2021, 4.4): for rows that are long, or too few for a lane each to keep the machine busy.
    variants  lanes from 2 to a slice's slots; codings and sorting as sell's
    cost      padded entries, at most half a round of lanes a row on top of the slice's
    build     every entry is copied once
*/
#include "preset.h"

#define MOST_LANES 32

#define PADDING_LIMIT 1.0 /* padding slots for each entry, at most: with more, slices move more bytes than csr whatever the coding */

/* Entries of slices of slots / lanes rows, rows padded to a multiple of lanes */
static double padded_entries(const AutoCSRRange *range, const AutoCSRAxes *axes, PetscInt slots)
{
  const double padding = (axes->sort_window > 1 ? range->padded_sorted : range->padded) - range->nnz;

  return range->nnz + padding * (axes->slice_height - 1) / PetscMax(slots - 1, 1) + (range->rows - range->empty_rows) * (axes->lanes - 1) / 2.0; /* a slice of one row has no padding but its own */
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRRange range = problem->range;
  const PetscInt     slots = problem->profile->slice_height;
  const double       limit = (1 + PADDING_LIMIT) * range.nnz;
  AutoCSRAxes        axes  = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .reduction = AUTOCSR_REDUCE_TREE, .row_group = 1};
  AutoCSRValue       value[AUTOCSR_STORED_CODINGS];
  const PetscInt     n_values = AutoCSRStoredValueCodings(problem, PETSC_TRUE, value);

  PetscFunctionBegin;
  *n   = 0;
  *why = "the settings ask for a coding that sellp does not have";
  for (axes.lanes = 2; axes.lanes <= PetscMin(MOST_LANES, slots); axes.lanes *= 2) {
    axes.slice_height = slots / axes.lanes;
    for (int sorted = 0; sorted < (axes.slice_height > 1 && range.padded > range.padded_sorted ? 2 : 1); sorted++) {
      axes.sort_window = sorted ? AUTOCSR_WINDOW : 0;
      if (padded_entries(&range, &axes, slots) > limit || !AutoCSRIsCounted((sorted ? range.padded_sorted : range.padded) + (double)range.rows * (axes.lanes - 1))) {
        if (!*n) *why = "the rows differ so much in length that slices would be mostly padding, or are too short for lanes of their own";
        continue;
      }
      for (PetscInt v = 0; v < n_values; v++) {
        axes.value = value[v];
        axes.index = AUTOCSR_INDEX_16;
        if ((sorted ? range.slices_16_sorted : range.slices_16) == range.slices) AutoCSRVariantAdd(problem, &axes, max, list, n);
        axes.index = AUTOCSR_INDEX_32;
        AutoCSRVariantAdd(problem, &axes, max, list, n);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range  = problem->range;
  const double       slices = range.rows / axes->slice_height + (range.rows % axes->slice_height > 0);

  PetscFunctionBegin;
  *n = 1;
  AutoCSRCostFill(problem, axes, range.rows, range.nnz, padded_entries(&range, axes, problem->profile->slice_height), slices, axes->sort_window > 1 ? range.rows : 0, segment);
  segment->rows *= (double)axes->lanes / AUTOCSR_MEASURED_LANES;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "slices of %" PetscInt_FMT " rows%s, %" PetscInt_FMT " lanes each, %s columns, values %s", axes->slice_height, axes->sort_window > 1 ? " sorted by length" : "", axes->lanes, axes->index == AUTOCSR_INDEX_16 ? "16-bit" : "32-bit", AutoCSRValueWords(axes->value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_sellp = {"sellp", "dufrechou2021-ml-selection, 4.4", PETSC_FALSE, variants, cost, NULL, describe};
