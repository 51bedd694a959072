/*
  merge: the ends of the rows merged with the entries make a path that is cut into equal parts, whatever the rows' lengths
  (Dalton et al. 2015; dufrechou2021, 2.1.6). Rows are used in place, or have codes.
    variants  one: as many steps a lane as the backend's tiles have entries. On a processor: rows in place, only if the user names the
              strategy. Codes of columns and values, on a device by a compiler at run time, where the user names a coding or has variants timed
    cost      the CSR's bytes and where each block's part begins; a row is a step of its own, an empty one too. Blocks search, and step
              through the ends of rows too, which costs most where rows are short; segsum and csr-adaptive balance as well
    build     a search for each block
*/
#include "preset.h"
#include "../backend.h"

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRBackend *backend = problem->csr->backend;
  AutoCSRAxes           axes    = {.partition = AUTOCSR_PARTITION_NONZEROS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_MERGE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .row_group = 1, .tile_width = backend->tile_width, .tile_height = backend->tile_height};
  PetscBool             asked;

  PetscFunctionBegin;
  *n   = 0;
  *why = "one row after the other is csr's way: it is used where it is asked for by name";
  PetscCall(AutoCSRProblemAsksFor(problem, "merge", &asked));
  if (!backend->parallel && !asked) PetscFunctionReturn(PETSC_SUCCESS);
  *why = "the settings ask for a coding that merge does not have";
  AutoCSRVariantAdd(problem, &axes, max, list, n);
  axes.generated = backend->parallel;
  if (AutoCSRProblemWantsCodes(problem)) AutoCSRVariantAddCoded(problem, (PetscBool)(backend->parallel && AutoCSRSharesFit16(problem, &axes)), PETSC_TRUE, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "rows in place, rows and nonzeros in equal parts of %" PetscInt_FMT "%s%s%s", axes->tile_width * axes->tile_height, axes->index == AUTOCSR_INDEX_16 ? ", 16-bit columns" : "", axes->value == AUTOCSR_VALUE_CSR ? "" : ", ", axes->value == AUTOCSR_VALUE_CSR ? "" : AutoCSRCodedWords(axes)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_merge = {"merge", "dufrechou2021-ml-selection, 2.1.6", PETSC_TRUE, variants, AutoCSRCostInPlace, NULL, describe};
