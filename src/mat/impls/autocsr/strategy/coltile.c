/*
  coltile: the columns are cut into tiles whose part of x fits the nearest memory of an executor, shared memory on a device
  (hong2019, 3: tiles of the other operand there, for one column), a cache on the host. Entries lie by tile and cost 16-bit
  columns; a row's entries in a tile add up to a piece, and a second step adds the pieces. Long rows make few pieces; where
  nearly every entry is a piece of its own this is binning by blocks of rows, streaming only (propagation blocking).
    variants  the backend's tiles, blocks of rows and items; values copied, from a dictionary, float32. On a processor where pieces are long and
              rows reach over more than two tiles: x stays in the second-level cache by itself else
    cost      10 bytes an entry and no gather; 18 bytes a piece, of which a row has as many as it meets tiles; a tile of x
              for each item
    build     runs of entries are sorted by tile, and every entry is copied once
*/
#include "preset.h"
#include "../layout/tiled.h"
#include "../backend.h"

/* Pieces that rows of so many entries make, spread over the tiles that their columns may lie in: those that are not without one. Between whole lengths as a mixture of both has them; a power by squares needs no code that is not in the cache */
static double pieces_of(double rows, double length, double tiles)
{
  const PetscInt whole   = (PetscInt)length;
  double         without = 1 - (length - whole) / tiles, factor = 1 - 1 / tiles;

  for (PetscInt bits = whole; bits; bits /= 2) {
    if (bits % 2) without *= factor;
    factor *= factor;
  }
  return tiles > 1 ? rows * tiles * (1 - without) : rows;
}

/* Columns that rows which follow each other may have: on a processor their part of x may stay in a cache */
static double column_window(const AutoCSRProfile *profile)
{
  return PetscMin((double)profile->n, 2.0 * profile->bandwidth + 1);
}

double AutoCSRTiledPieces(const AutoCSRProfile *profile, double tiles)
{
  double pieces = 0;

  for (int b = 1; b < AUTOCSR_HISTOGRAM_BINS; b++) {
    if (profile->histogram[b]) pieces += pieces_of(profile->histogram[b], (double)profile->histogram_nnz[b] / profile->histogram[b], tiles);
  }
  return PetscMin(pieces, (double)profile->nnz);
}

/* A step that is a part of a tile's width leads into the next tile as often, wherever tiles begin */
static double count_pieces(const AutoCSRProblem *problem, const AutoCSRAxes *axes)
{
  const AutoCSRProfile *profile = problem->profile;

  if (profile->unsorted || profile->tile_width != axes->tile_width) return AutoCSRTiledPieces(profile, (double)AutoCSRTiledTiles(axes, profile->n));
  return PetscMin((double)profile->tile_steps / profile->tile_width + (profile->m - profile->empty_rows), (double)profile->nnz);
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRMatrix *csr  = problem->csr;
  AutoCSRAxes          axes = {.partition = AUTOCSR_PARTITION_COLUMNS, .order = AUTOCSR_ORDER_TILED, .index = AUTOCSR_INDEX_16, .mapping = AUTOCSR_MAP_GROUP, .reduction = AUTOCSR_REDUCE_SEGMENTED, .slice_height = 1, .row_group = 1};
  PetscBool            asked;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(AutoCSRProblemAsksFor(problem, "coltile", &asked));
  *why = "the settings ask for a coding that coltile does not have";
  (*csr->backend->shape_tiles)(csr->m, csr->n, csr->nnz, &axes);
  if (!axes.tile_width || (double)AutoCSRTiledTiles(&axes, csr->n) * (csr->m / axes.tile_height + 1) > PetscMin(4.0 * csr->nnz + 1e6, (double)PETSC_MAX_INT - AUTOCSR_COUNT_ROOM)) {
    *why = "the entries are too few for tables of tiles and blocks of rows";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!AutoCSRMayPad(csr->nnz + (double)AUTOCSR_TILED_GROUP * AutoCSRTiledTiles(&axes, csr->n), PETSC_MAX_REAL, NULL, why)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!asked && problem->traits->tiled_piece * count_pieces(problem, &axes) > csr->nnz) {
    *why = problem->parallel ? "pieces of so few entries take longer than gathers: it is used where it is asked for by name" : "pieces of so few entries take longer than slices, whose gathers go on while they stream: it is used where it is asked for by name";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!asked && !problem->parallel && column_window(problem->profile) <= problem->traits->tiles_of_cache * (double)axes.tile_width) {
    *why = "the columns of neighbouring rows are so near each other that their part of x stays in the second-level cache: it is used where it is asked for by name";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!asked && problem->parallel && AutoCSRProblemIsUneven(problem)) { /* a block of rows adds its pieces alone */
    *why = "some blocks of rows have so many of the entries that the others would wait for them: it is used where it is asked for by name";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  AutoCSRVariantAddStored(problem, PETSC_TRUE, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range  = problem->range;
  const double       pieces = count_pieces(problem, axes), tiles = AutoCSRTiledTiles(axes, problem->csr->n), groups = (double)range.nnz / AUTOCSR_TILED_GROUP + tiles / 2;
  const double       tables = pieces * sizeof(uint16_t) + sizeof(PetscInt) * (groups + tiles * ((double)range.rows / axes->tile_height + 1)) + groups * (AUTOCSR_TILED_GROUP / 8);

  PetscFunctionBegin;
  *n = 1;
  AutoCSRCostFill(problem, axes, range.rows, range.nnz, groups * AUTOCSR_TILED_GROUP, 0, 0, segment);
  segment->rows      = pieces;
  segment->scattered = 0;
  segment->longest   = PetscMin(axes->tile_steps, groups / PetscMax(tiles, 1)) * AUTOCSR_TILED_GROUP / AUTOCSR_TILED_SHARES;
  segment->irregular = problem->parallel ? PetscMax(tiles, groups / axes->tile_steps) * axes->tile_width : 0; /* columns copied, by item */
  segment->own_bytes += tables;
  segment->bytes += tables + pieces * 2 * sizeof(PetscScalar);
  segment->scratch = 7 * sizeof(PetscInt) * pieces + sizeof(PetscInt) * (double)range.rows; /* runs, which are sorted */
  segment->build += 2 * tables + pieces * 8 * sizeof(PetscInt);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "%" PetscInt_FMT " tiles of %" PetscInt_FMT " columns, about %.3g pieces a row, values %s", AutoCSRTiledTiles(axes, problem->csr->n), axes->tile_width, count_pieces(problem, axes) / PetscMax(problem->csr->m, 1), AutoCSRValueWords(axes->value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_coltile = {"coltile", "hong2019-aspt, 3", PETSC_TRUE, variants, cost, NULL, describe};
