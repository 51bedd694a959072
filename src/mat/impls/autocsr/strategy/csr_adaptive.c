/*
  csr-adaptive: blocks of neighbouring rows, of about as many entries each, go through shared memory; long rows have blocks of
  their own, and very long ones many (CSR-Adaptive of Greathouse and Daga; dufrechou2021, 2.1.3). Rows are used in place, or have codes.
    variants  blocks of 2, 4 or 8 entries a lane: small blocks keep a small matrix' multiprocessors busy. A processor that works
              on one row after the other has nothing to balance: there only by name, and no other than rows in order. Codes of columns and values in the
              largest blocks, where the user names a coding or has variants timed
    cost      the CSR's bytes and where each block begins; no row is walked by a lane alone, and dense rows gather nothing
    build     one pass over the row offsets for the places of the blocks. Where the paper's code on the CPU fills a block up
              row by row, here a row begins one by its own offset alone, so that all rows are looked at at once
*/
#include "preset.h"
#include "../backend.h"

#define LONG_SHARE 8 /* a row with at least one in this many entries of a block is long (Greathouse and Daga have rows of a whole block), */
#define LONG_MEAN  4 /* if it also has this many times the mean entries of a row */

static void set_row_limit(const AutoCSRRange *range, AutoCSRAxes *axes)
{
  const PetscInt most = axes->tile_width * axes->tile_height;

  axes->row_limit = most / LONG_SHARE;
  while (axes->row_limit < most / 2 && axes->row_limit * (double)range->rows < LONG_MEAN * range->nnz) axes->row_limit *= 2;
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRRange    range   = problem->range;
  const AutoCSRBackend *backend = problem->csr->backend;
  PetscBool             asked;
  AutoCSRAxes           axes = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AutoCSRValueInPlace(problem), .mapping = AUTOCSR_MAP_ROW_BLOCKS, .reduction = AUTOCSR_REDUCE_TREE, .row_group = 1, .tile_width = backend->tile_width};

  PetscFunctionBegin;
  *n   = 0;
  *why = "one row after the other is csr's way: it is used where it is asked for by name";
  PetscCall(AutoCSRProblemAsksFor(problem, "csr-adaptive", &asked));
  if (!backend->parallel && !asked) PetscFunctionReturn(PETSC_SUCCESS);
  *why = "the settings ask for a coding that csr-adaptive does not have";
  for (axes.tile_height = backend->tile_height; axes.tile_height >= backend->tile_height / 4; axes.tile_height /= 2) {
    set_row_limit(&range, &axes);
    AutoCSRVariantAdd(problem, &axes, max, list, n);
  }
  axes.tile_height = backend->tile_height;
  set_row_limit(&range, &axes);
  if (AutoCSRProblemWantsCodes(problem)) AutoCSRVariantAddCoded(problem, (PetscBool)(backend->parallel && AutoCSRSharesFit16(problem, &axes)), PETSC_TRUE, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row with blocks of its own that has an entry in each line of x, on average, reads x side by side: other blocks hide that */
static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRProfile *profile  = problem->profile;
  const double          dense    = PetscMax((double)problem->csr->n * sizeof(PetscScalar) / AUTOCSR_LINE, axes->tile_width * axes->tile_height);
  double                in_dense = 0;

  PetscFunctionBegin;
  PetscCall(AutoCSRCostInPlace(problem, axes, segment, n));
  for (PetscInt b = 1; b < AUTOCSR_HISTOGRAM_BINS; b++) {
    if ((double)((PetscInt64)1 << (b - 1)) >= dense) in_dense += profile->histogram_nnz[b];
  }
  if (problem->range.longest >= dense) segment->scattered *= 1 - in_dense / PetscMax(1, profile->nnz); /* of row ranges, those with such rows */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "rows in place, in blocks of up to %" PetscInt_FMT " nonzeros%s%s%s", axes->tile_width * axes->tile_height, axes->index == AUTOCSR_INDEX_16 ? ", 16-bit columns" : "", axes->value == AUTOCSR_VALUE_CSR ? "" : ", ", axes->value == AUTOCSR_VALUE_CSR ? "" : AutoCSRCodedWords(axes)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_csr_adaptive = {"csr-adaptive", "dufrechou2021-ml-selection, 2.1.3", PETSC_FALSE, variants, cost, NULL, describe};
