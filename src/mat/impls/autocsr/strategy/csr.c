/*
  csr: the rows in place, each by a number of lanes that suits the row length (kernels serial, subvector and vector of
  hou2017, III-B).
    variants  the CSR's columns, or 16-bit ones; values in place, all the same or, on a processor, from a dictionary or float32; lanes by the rule
              or, where rows are worked on at once and few rows want many lanes, any number
    cost      the CSR's bytes; a row's start-up, which short rows feel
    unseen    without a profile: rows in place, lanes by the mean length
    build     nothing to build, or one pass for codes. Where most rows are empty (an off-diagonal block of a
              parallel matrix): the others by name and a segment of empty rows, so that a product touches only its
              nonzero rows (PETSc's compressed rows)
*/
#include "preset.h"
#include "../backend.h"

#define MOST_LANES  256 /* of a row: one thread block */
#define CODED_LANES 8   /* of a row with codes of its own on a processor: as many, or half of it */

/* Lanes that read less than a line of their row at once leave the rest of it to the cache, which loses it where rows are long */
static PetscBool walks_too_long(const AutoCSRTraits *t, double length, PetscInt lanes)
{
  return (PetscBool)(lanes * (double)sizeof(PetscScalar) < t->row_line && length > t->row_walk * (double)lanes);
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRRange range  = problem->range;
  const double       length = range.nnz / PetscMax(range.rows - range.empty_rows, 1);
  const PetscInt     lanes  = AutoCSRProblemLanes(problem, length);
  const PetscBool    can_16 = (PetscBool)(problem->profile && range.slices_16 == range.slices && !AutoCSRRangeIsMostlyEmpty(&range));
  AutoCSRAxes        axes   = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .mapping = AUTOCSR_MAP_LANES, .row_group = 1};

  PetscFunctionBegin;
  axes.slice_height = problem->profile ? problem->profile->slice_height : problem->csr->backend->slice_height;
  *n                = 0;
  *why              = "the settings ask for a coding that csr does not have";
  for (axes.lanes = problem->parallel ? 1 : lanes; axes.lanes <= (problem->parallel ? MOST_LANES : lanes); axes.lanes *= 2) {
    if (problem->parallel && walks_too_long(problem->traits, length, axes.lanes)) continue;
    axes.reduction = axes.lanes > 1 ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE;
    axes.index     = AUTOCSR_INDEX_CSR;
    axes.value     = AutoCSRValueInPlace(problem);
    AutoCSRVariantAdd(problem, &axes, max, list, n);
    axes.index = AUTOCSR_INDEX_16;
    axes.value = AUTOCSR_VALUE_CSR;
    if (can_16) AutoCSRVariantAdd(problem, &axes, max, list, n);
  }
  if (problem->csr->backend->parallel || AutoCSRRangeIsMostlyEmpty(&range)) PetscFunctionReturn(PETSC_SUCCESS); /* rows that are named have no codes */
  axes.lanes     = lanes < CODED_LANES ? CODED_LANES / 2 : CODED_LANES;
  axes.reduction = AUTOCSR_REDUCE_TREE;
  AutoCSRVariantAddCoded(problem, can_16, PETSC_FALSE, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range = problem->range;
  const double       rows  = range.rows - range.empty_rows;
  const AutoCSRAxes  empty = AutoCSREmptyAxes();

  PetscFunctionBegin;
  *n = 0;
  if (!AutoCSRRangeIsMostlyEmpty(&range)) {
    AutoCSRCostFill(problem, axes, range.rows, range.nnz, range.nnz, range.slices, 0, &segment[(*n)++]);
  } else {
    if (rows > 0) AutoCSRCostFill(problem, axes, rows, range.nnz, range.nnz, 0, rows, &segment[(*n)++]);
    AutoCSRCostFill(problem, &empty, range.empty_rows, 0, 0, 0, rows > 0 ? range.empty_rows : 0, &segment[(*n)++]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRPlan *plan)
{
  const AutoCSRRange range = problem->range;
  const AutoCSRAxes  empty = AutoCSREmptyAxes();

  PetscFunctionBegin;
  if (!AutoCSRRangeIsMostlyEmpty(&range))
    PetscCall(AutoCSRBuildContiguous(problem, "csr", axes, plan));
  else if (range.empty_rows == range.rows)
    PetscCall(AutoCSRBuildContiguous(problem, "csr", &empty, plan));
  else
    PetscCall(AutoCSRBuildFilled(problem, "csr", axes, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  const AutoCSRRange range = problem->range;

  PetscFunctionBegin;
  if (range.empty_rows == range.rows)
    PetscCall(PetscSNPrintf(text, len, "no row has an entry"));
  else if (AutoCSRRangeIsMostlyEmpty(&range))
    PetscCall(PetscSNPrintf(text, len, "only the %" PetscInt_FMT " of %" PetscInt_FMT " rows that have entries are touched", range.rows - range.empty_rows, range.rows));
  else
    PetscCall(PetscSNPrintf(text, len, "rows in place, %.3g entries each on average, %s%s", range.nnz / PetscMax(range.rows, 1), axes->index == AUTOCSR_INDEX_16 ? "16-bit columns, " : "", AutoCSRCodedWords(axes)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_csr = {"csr", "hou2017-binning-autotuning, III-B", PETSC_FALSE, variants, cost, build, describe};
