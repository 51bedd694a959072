/*
  popular: column tiles of the columns with the most entries first (Zhang et al. 2017, frequency based clustering and segmenting;
  hong2019, 3), for matrices of which a few columns have most of the entries, as graphs of people and of pages. Of a row's entries
  most are in few tiles then, whose part of x is in shared memory, and make few pieces. Nothing is gathered but x itself, once, in the
  order of the columns.
    variants  the backend's tiles and row blocks; values copied, from a dictionary, float32. On a device only, where gathers reach a part of x
              alone and pieces are long
    cost      10 bytes an entry and no gather; 19 bytes a piece, 20 a column
    build     entries are sorted once and copied once
*/
#include "preset.h"
#include "../layout/popular.h"
#include "../backend.h"

/* Tiles that gathers reach, as if all were as likely */
static double tiles_reached(const AutoCSRProblem *problem, const AutoCSRAxes *axes)
{
  return problem->profile->reach / sizeof(PetscScalar) / axes->tile_width + 1;
}

static double count_pieces(const AutoCSRProblem *problem, const AutoCSRAxes *axes)
{
  return AutoCSRTiledPieces(problem->profile, tiles_reached(problem, axes));
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRMatrix *csr  = problem->csr;
  AutoCSRAxes          axes = {.partition = AUTOCSR_PARTITION_COLUMNS, .order = AUTOCSR_ORDER_POPULAR, .index = AUTOCSR_INDEX_16, .mapping = AUTOCSR_MAP_GROUP, .reduction = AUTOCSR_REDUCE_SEGMENTED, .slice_height = 1, .row_group = 1};
  PetscBool            asked;

  PetscFunctionBegin;
  *n   = 0;
  *why = "a processor has no executor for it: its caches hold what x is read from again";
  if (!problem->parallel) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRProblemAsksFor(problem, "popular", &asked));
  *why = "gathers reach most of the vector, or entries are few: it is used where it is asked for by name";
  if (!asked && (!problem->profile || problem->profile->rows_only || csr->nnz < problem->traits->popular_least || problem->profile->reach > problem->traits->popular_reach * sizeof(PetscScalar) * csr->n)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!AutoCSRPropagateShape(problem, 0, AUTOCSR_TILED_GROUP, 0, &axes, why)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!asked && problem->traits->popular_piece * count_pieces(problem, &axes) > csr->nnz) {
    *why = "pieces of so few entries take longer than gathers: it is used where it is asked for by name";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *why = "the settings ask for a coding that popular does not have";
  AutoCSRVariantAddStored(problem, PETSC_TRUE, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range  = problem->range;
  const double       pieces = count_pieces(problem, axes), groups = range.nnz / AUTOCSR_TILED_GROUP, columns = PetscMin((double)problem->csr->n, range.nnz);
  const double       parts  = PetscMin(pieces, AutoCSRPropagateRowBlocksOf(problem, axes) * tiles_reached(problem, axes));
  const double       tables = 1.5 * pieces * sizeof(uint16_t) + parts * sizeof(AutoCSRPropagatePart) + groups * (AUTOCSR_TILED_GROUP / 8 + sizeof(PetscInt)) + columns * sizeof(PetscInt);

  PetscFunctionBegin;
  *n = 1;
  AutoCSRCostFill(problem, axes, range.rows, range.nnz, range.nnz, 0, 0, segment);
  segment->rows      = pieces;
  segment->scattered = 0;
  segment->longest   = PetscMin(axes->tile_steps, groups) * AUTOCSR_TILED_GROUP / AUTOCSR_TILED_SHARES;
  segment->irregular = columns; /* of x, read in their order */
  segment->bytes += tables + (pieces + columns) * 2 * sizeof(PetscScalar);
  segment->own_bytes += tables + (pieces + columns) * sizeof(PetscScalar); /* with the sums, and x in order */
  segment->scratch = AutoCSRSortScratch(problem, segment->own_bytes, sizeof(uint16_t) * pieces) + 3 * sizeof(PetscInt) * columns;
  segment->build += 2 * tables + range.nnz * problem->traits->popular_sort;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "tiles of %" PetscInt_FMT " columns, the most popular first, about %.2g of the entries a piece, values %s", axes->tile_width, count_pieces(problem, axes) / PetscMax(problem->csr->nnz, 1), AutoCSRValueWords(axes->value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_popular = {"popular", "zhang2017-segmenting", PETSC_TRUE, variants, cost, NULL, describe};
