/*
  sell: slices of rows stored column by column, one lane a row, padded to the longest row of the slice (SELL; SORT, PAD and
  the column-major layout of du2022-alphasparse, Table II).
    variants  32-bit or 16-bit columns, or models of them where these take less (model-fitted compression of du2022, V-D; rows in order only); values copied, from a dictionary, or float32; rows in order or sorted by length
              in windows
    cost      padded entries; no start-up for a row, since the lanes walk side by side
    build     every entry is copied once: a few products. Sorted slices name their rows: of a block that is added to y (off the diagonal of a
              parallel matrix) and is mostly empty only those that have entries
*/
#include "preset.h"

#define PADDING_TO_SORT 0.05 /* padding slots for each entry, above which sorted slices are variants, too */
#define PADDING_LIMIT   1.0  /* padding slots for each entry, at most: with more, slices move more bytes than csr whatever the coding */

static PetscBool leaves_out_empty(const AutoCSRProblem *problem, PetscInt sort_window)
{
  const AutoCSRRange *range = &problem->range;

  return (PetscBool)(sort_window > 1 && problem->csr->adds && AutoCSRRangeIsMostlyEmpty(range) && range->empty_rows < range->rows);
}

/* The profile's windows begin with its zones, those of a segment with its rows: 16 bits must hold any slice that either may make */
static PetscBool fits_16_sorted(const AutoCSRProblem *problem, const AutoCSRRange *range)
{
  const AutoCSRProfile *profile = problem->profile;

  if (leaves_out_empty(problem, problem->profile->window)) return (PetscBool)(problem->csr->n <= 65536); /* rows of a window lie farther apart than the profile's */
  if (range->slices_16_sorted < range->slices) return PETSC_FALSE;
  return (PetscBool)(profile->window <= AUTOCSR_WINDOW || profile->window_span <= 65536);
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRRange range = problem->range;
  const double       limit = (1 + PADDING_LIMIT) * range.nnz;
  AutoCSRAxes        axes  = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .reduction = AUTOCSR_REDUCE_NONE, .lanes = 1, .row_group = 1};
  AutoCSRValue       value[AUTOCSR_STORED_CODINGS];
  const PetscInt     n_values  = AutoCSRStoredValueCodings(problem, PETSC_TRUE, value);
  const PetscBool    fits_less = (PetscBool)(!problem->profile->rows_only && range.fitted < (range.slices_16 == range.slices ? sizeof(uint16_t) : sizeof(uint32_t)));
  const PetscBool    can_fit   = (PetscBool)((fits_less || problem->settings->index == MAT_AUTOCSR_INDEX_FITTED) && problem->csr->n <= AUTOCSR_MAX_FIT_COLUMN);

  PetscFunctionBegin;
  axes.slice_height = problem->profile->slice_height;
  *n                = 0;
  *why              = "the settings ask for a coding that sell does not have";
  if (!AutoCSRMayPad(range.padded_sorted, limit, "the rows differ so much in length that slices would be mostly padding", why)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int sorted = 0; sorted < 2; sorted++) {
    if (!sorted && (range.padded > limit || !AutoCSRIsCounted(range.padded))) continue;
    if (sorted && range.padded <= (1 + PADDING_TO_SORT) * range.nnz) continue;
    axes.sort_window = sorted ? problem->profile->window : 0;
    for (PetscInt v = 0; v < n_values; v++) {
      axes.value = value[v];
      if (sorted ? fits_16_sorted(problem, &range) : range.slices_16 == range.slices) {
        axes.index = AUTOCSR_INDEX_16;
        AutoCSRVariantAdd(problem, &axes, max, list, n);
      }
      axes.index = AUTOCSR_INDEX_32;
      AutoCSRVariantAdd(problem, &axes, max, list, n);
      if (!sorted && can_fit) {
        axes.index = AUTOCSR_INDEX_FITTED;
        AutoCSRVariantAdd(problem, &axes, max, list, n);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range  = problem->range;
  const PetscBool    sorted = (PetscBool)(axes->sort_window > 1);

  PetscFunctionBegin;
  *n = 1;
  if (leaves_out_empty(problem, axes->sort_window)) {
    const AutoCSRAxes empty = AutoCSREmptyAxes();
    const double      rows  = range.rows - range.empty_rows;

    AutoCSRCostFill(problem, axes, rows, range.nnz, range.padded_sorted, ceil(rows / axes->slice_height), rows, segment);
    AutoCSRCostFill(problem, &empty, range.empty_rows, 0, 0, 0, range.empty_rows, &segment[(*n)++]);
  } else
    AutoCSRCostFill(problem, axes, range.rows, range.nnz, sorted ? range.padded_sorted : range.padded, range.slices, sorted ? range.rows : 0, segment);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRPlan *plan)
{
  PetscFunctionBegin;
  if (leaves_out_empty(problem, axes->sort_window))
    PetscCall(AutoCSRBuildFilled(problem, "sell", axes, plan));
  else
    PetscCall(AutoCSRBuildContiguous(problem, "sell", axes, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  const AutoCSRRange range  = problem->range;
  const double       stored = axes->sort_window > 1 ? range.padded_sorted : range.padded;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "slices of %" PetscInt_FMT " rows%s%s, %.2g%% padding, %s columns, values %s", axes->slice_height, axes->sort_window > 1 ? " sorted by length" : "", leaves_out_empty(problem, axes->sort_window) ? ", none without entries" : "", 100 * (stored / PetscMax(range.nnz, 1) - 1), axes->index == AUTOCSR_INDEX_16 ? "16-bit" : axes->index == AUTOCSR_INDEX_32 ? "32-bit"
                                                                                                                                                                                                                                                                                                                                                                                                  : "model-fitted",
                          AutoCSRValueWords(axes->value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_sell = {"sell", "du2022-alphasparse, Table II", PETSC_FALSE, variants, cost, build, describe};
