/*
  segsum: equal tiles over the nonzeros of the plain CSR, whose row heads are found on the fly; speculative segmented sum
  with a synchronizer (liu2015, 3.1 to 3.4). No stream, no pass over the matrix: the fallback, and all there is at rigor
  none (so variants and build look at no profile).
    variants  one: T lanes of W nonzeros, S tiles between two synchronizer entries (liu2015, Table 1). On a device with a compiler at run time also codes
              of columns and values, where the user names a coding or has variants timed
    cost      the CSR's bytes; tiles with empty rows are dirty and leave the fast path
    build     nothing, or one pass for codes
*/
#include "preset.h"
#include "../backend.h"

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRBackend  *backend = problem->csr->backend;
  const AutoCSRReduction fixup   = problem->settings->segsum_fixup == MAT_AUTOCSR_SEGSUM_FIXUP_HOST ? AUTOCSR_REDUCE_SEGMENTED_HOST : AUTOCSR_REDUCE_SEGMENTED;
  AutoCSRAxes            axes    = {.partition = AUTOCSR_PARTITION_NONZEROS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_TILE, .reduction = fixup, .lanes = 1, .row_group = 1, .tile_width = backend->tile_width, .tile_height = backend->tile_height, .tile_steps = backend->tile_steps};

  PetscFunctionBegin;
  *n   = 0;
  *why = "the settings ask for a coding that segsum does not have";
  AutoCSRVariantAdd(problem, &axes, max, list, n);
  axes.generated = backend->parallel;
  if (backend->parallel && AutoCSRProblemWantsCodes(problem)) AutoCSRVariantAddCoded(problem, AutoCSRSharesFit16(problem, &axes), PETSC_TRUE, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRCostInPlace(problem, axes, segment, n));
  segment->longest += problem->csr->m / (problem->csr->nnz / (axes->tile_width * axes->tile_height) + 1.0) * problem->traits->tile_row;
  if (problem->parallel && AutoCSRProblemIsUneven(problem)) segment->irregular *= problem->traits->dirty_tiles;
  if (problem->range.empty_rows) segment->longest += axes->tile_height; /* the heads of a dirty tile's rows are looked for */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "tiles of %" PetscInt_FMT " nonzeros %s%s%s", axes->tile_width * axes->tile_height, axes->index == AUTOCSR_INDEX_16 ? "with 16-bit columns, " : "", axes->index == AUTOCSR_INDEX_CSR && axes->value == AUTOCSR_VALUE_CSR ? "straight on the CSR" : AutoCSRCodedWords(axes), axes->reduction == AUTOCSR_REDUCE_SEGMENTED_HOST ? ", cut rows joined on the host" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_segsum = {"segsum", "liu2015-speculative-segmented-sum, 3", PETSC_TRUE, variants, cost, NULL, describe};
