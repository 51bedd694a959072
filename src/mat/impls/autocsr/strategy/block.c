/*
  block: the pattern is made of dense b by b blocks, each with one column code, and the values stay where the CSR has them
  (BCSR). The rows of a block row share what is found of x.
    variants  b, the largest that the profile found, or a divisor of it; 16-bit codes where the bandwidth tells that they fit,
              32-bit ones, the CSR's own columns; values in place, from a dictionary, float32; lanes by the length of a row
    cost      columns of one row in b, one in b of its entries; a block row's start-up
    build     one pass over the columns of one row in b; nothing for the CSR's own
*/
#include "preset.h"

#define NARROW     3   /* rows of a block; wider blocks get few more lanes by wide_block_walk, */
#define SOME_LANES 8   /* up to this many for a block row */
#define MOST_LANES 256 /* for a block row: one thread block */

/* Lanes for a block row, a power of two */
static PetscInt lanes_of_row(const AutoCSRProblem *problem, const AutoCSRRange *range, PetscInt b)
{
  const double block_rows = (double)PetscMax(range->rows - range->empty_rows, 1) / b, length = range->nnz / b / block_rows;
  PetscInt     lanes = 1;

  if (!problem->parallel) return 1;
  if (b > NARROW) {
    while (lanes < SOME_LANES && lanes * problem->traits->wide_block_walk < length) lanes *= 2;
  }
  while (lanes < MOST_LANES && (lanes * problem->traits->block_walk < length || (2 * lanes <= length && block_rows * lanes < problem->traits->busy_lanes))) lanes *= 2;
  return lanes;
}

/* The columns of slice_height block rows lie within a bandwidth to either side of them */
static PetscBool fits_16(const AutoCSRProfile *profile, PetscInt b)
{
  return (PetscBool)(PetscMin((double)profile->n, 2.0 * profile->bandwidth + (double)profile->slice_height * b) / b < 65536);
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRRange range = problem->range;
  AutoCSRAxes        axes  = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .mapping = AUTOCSR_MAP_LANES, .row_group = 1};
  AutoCSRValue       value[AUTOCSR_STORED_CODINGS];
  const PetscInt     n_values = AutoCSRStoredValueCodings(problem, PETSC_FALSE, value), largest = problem->profile->block_size;

  PetscFunctionBegin;
  axes.slice_height = problem->profile->slice_height;
  *n                = 0;
  *why              = "the settings ask for a coding that block does not have";
  if (largest < 2) {
    *why = "the pattern is not made of dense blocks";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  value[n_values - 1] = AUTOCSR_VALUE_CSR; /* not copied */
  for (axes.block = largest; axes.block > 1; axes.block--) {
    if (largest % axes.block) continue;
    axes.lanes     = lanes_of_row(problem, &range, axes.block);
    axes.reduction = axes.lanes > 1 ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE;
    for (PetscInt v = 0; v < n_values; v++) {
      axes.value = value[v];
      axes.index = AUTOCSR_INDEX_16;
      if (fits_16(problem->profile, axes.block)) AutoCSRVariantAdd(problem, &axes, max, list, n);
      axes.index = AUTOCSR_INDEX_32;
      AutoCSRVariantAdd(problem, &axes, max, list, n);
      axes.index = AUTOCSR_INDEX_CSR;
      AutoCSRVariantAdd(problem, &axes, max, list, n);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range  = problem->range;
  const double       slices = range.rows / ((double)axes->block * axes->slice_height);

  PetscFunctionBegin;
  *n = 1;
  AutoCSRCostFill(problem, axes, range.rows, range.nnz, range.nnz, slices, 0, segment);
  /* A processor's own prefetch brings the columns of the rows in between, too */
  if (!problem->parallel && axes->index == AUTOCSR_INDEX_CSR) segment->bytes += range.nnz * sizeof(PetscInt) * (1 - 1.0 / axes->block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  static const char *const columns[] = {"the CSR's own columns", "32-bit columns", "16-bit columns"};

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "dense blocks of %" PetscInt_FMT " by %" PetscInt_FMT ", %s, values %s", axes->block, axes->block, columns[axes->index], AutoCSRValueWords(axes->value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_block = {"block", "BCSR", PETSC_TRUE, variants, cost, NULL, describe};
