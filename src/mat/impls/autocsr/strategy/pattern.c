/*
  pattern: a row names one of a few lists of offsets from the diagonal, and no entry stores its column (a dictionary of
  row patterns: stencils; the model-fitted compression of du2022-alphasparse, V-D, taken to whole rows).
    variants  values told by the pattern too (stencils of constant coefficients: nothing is stored of an entry; on a device also plane by plane of the grid, with x in shared memory), in CSR order (in place, from a dictionary, float32), or in slices (copied, from a dictionary, float32)
    cost      two bytes a row in place of the columns; slices whose rows differ in pattern leave the fast path; strips of planes that are not full take about
              as long as full ones, rows of other roots are walked apart
    build     the patterns are the profile's; values are copied once unless in place
*/
#include "preset.h"
#include "../backend.h"

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRRange range = problem->range;
  AutoCSRAxes        axes  = {.partition = AUTOCSR_PARTITION_ROWS, .index = AUTOCSR_INDEX_PATTERN, .reduction = AUTOCSR_REDUCE_NONE, .lanes = 1, .row_group = 1};
  AutoCSRValue       value[AUTOCSR_STORED_CODINGS];
  const PetscInt     n_values = AutoCSRStoredValueCodings(problem, PETSC_FALSE, value);

  PetscFunctionBegin;
  axes.slice_height = problem->profile->slice_height;
  *n                = 0;
  *why              = "the settings ask for a coding that pattern does not have";
  if (!problem->profile->pattern_id || range.pattern_rows < range.rows) {
    *why = "the rows have too many different patterns";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  axes.order   = AUTOCSR_ORDER_CSR;
  axes.mapping = AUTOCSR_MAP_LANES;
  axes.value   = AUTOCSR_VALUE_CSR;
  AutoCSRVariantAdd(problem, &axes, max, list, n);
  axes.value = AUTOCSR_VALUE_PATTERN;
  if (problem->profile->pattern_values) AutoCSRVariantAdd(problem, &axes, max, list, n);
  if (problem->profile->pattern_values && problem->csr->backend->parallel && problem->profile->planes.stride) {
    AutoCSRAxes by_planes = axes;

    by_planes.mapping     = AUTOCSR_MAP_PLANES;
    by_planes.tile_width  = problem->profile->planes.stride;
    by_planes.tile_height = problem->profile->planes.around;
    by_planes.tile_steps  = problem->profile->planes.reach;
    AutoCSRVariantAdd(problem, &by_planes, max, list, n);
  }
  for (PetscInt v = 0; v < n_values; v++) {
    axes.value = value[v];
    if (axes.value != AUTOCSR_VALUE_COPY) AutoCSRVariantAdd(problem, &axes, max, list, n);
  }
  axes.order   = AUTOCSR_ORDER_SLICED;
  axes.mapping = AUTOCSR_MAP_SLICE;
  for (PetscInt v = 0; v < n_values && range.padded <= 2 * range.nnz && AutoCSRIsCounted(range.padded); v++) {
    axes.value = value[v];
    AutoCSRVariantAdd(problem, &axes, max, list, n);
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
  if (axes->mapping == AUTOCSR_MAP_PLANES) { /* as if strips were full: those that are not take about as long */
    const double full = ceil((double)axes->tile_width / AUTOCSR_PLANES_ROWS) * AUTOCSR_PLANES_ROWS / axes->tile_width;

    segment->rows *= full;
    segment->entries *= full;
    segment->scattered = 0; /* x streams */
  }
  if (problem->parallel && axes->value == AUTOCSR_VALUE_PATTERN) {
    /* Where only x is read of an entry, a row of another root than most, as of a boundary that wraps around, is walked apart, and its warp waits */
    const double         others = (double)problem->profile->planes.others / PetscMax(problem->profile->m, 1);
    const AutoCSRTraits *t      = problem->traits;

    segment->rows += range.rows * (axes->mapping == AUTOCSR_MAP_PLANES ? t->planes_apart * others : PetscMin(t->masks_apart * others, t->masks_apart_most));
  }
  if (!sliced && axes->value != AUTOCSR_VALUE_PATTERN) segment->strided = range.nnz * sizeof(PetscScalar);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "%" PetscInt_FMT " row pattern%s cover%s every row, values %s", problem->profile->patterns, problem->profile->patterns == 1 ? "" : "s", problem->profile->patterns == 1 ? "s" : "", AutoCSRValueWords(axes->value)));
  if (axes->mapping == AUTOCSR_MAP_PLANES) {
    const size_t used = strlen(text);

    PetscCall(PetscSNPrintf(text + used, len - used, ", by planes of %" PetscInt_FMT " rows", axes->tile_width));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_pattern = {"pattern", "du2022-alphasparse, V-D", PETSC_FALSE, variants, cost, NULL, describe};
