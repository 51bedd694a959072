/*
  propagate: products binned by blocks of rows (propagation blocking: Beamer, Asanovic, Patterson 2017), for rows so
  spread that x comes from memory sector by sector. Entries lie by column tile, whose part of x is in shared memory; their products
  go to memory in that order, and come back by row block, whose sums are in shared memory. All of it streams, whatever the columns.
    variants  the backend's tiles and row blocks; values copied, from a dictionary, float32. On a device only, where gathers reach more of
              x than caches hold; where a few columns have most entries popular wins
    cost      14 bytes an entry (real double) and 16 for its product, written and read; no gather
    build     entries are sorted and copied once
*/
#include "preset.h"
#include "../layout/propagate.h"
#include "../backend.h"

/* Memory of the sort, as cuda/planning asks for it */
#define SORTED_ENTRY 8  /* bytes of a sorted entry, which stay while its streams are made */
#define SORTING      24 /* bytes of an entry that the sort takes, before the streams have room */

double AutoCSRSortScratch(const AutoCSRProblem *problem, double own_bytes, double beside)
{
  const double nnz = problem->range.nnz;

  return PetscMax(SORTED_ENTRY * nnz + beside, SORTING * nnz - own_bytes) + 2 * sizeof(PetscInt) * (double)problem->csr->m;
}

double AutoCSRPropagateRowBlocksOf(const AutoCSRProblem *problem, const AutoCSRAxes *axes)
{
  return (double)problem->csr->m / axes->tile_height + (double)problem->csr->nnz / axes->row_limit + 1;
}

PetscBool AutoCSRPropagateShape(const AutoCSRProblem *problem, PetscInt run_padding, PetscInt tile_padding, PetscInt block_padding, AutoCSRAxes *axes, const char **why)
{
  const AutoCSRMatrix *csr = problem->csr;
  double               blocks, tiles, runs, padded;

  (*csr->backend->shape_tiles)(csr->m, csr->n, csr->nnz, axes);
  if (axes->tile_width) {
    blocks = AutoCSRPropagateRowBlocksOf(problem, axes);
    tiles  = AutoCSRTiledTiles(axes, csr->n);
    runs   = blocks * tiles;
    padded = csr->nnz + run_padding * PetscMin(runs, (double)csr->nnz) + tile_padding * tiles + block_padding * blocks;
    if (runs >= 2147483647.0 || !AutoCSRIsCounted(runs) || !AutoCSRIsCounted(padded)) {
      *why = "its tables of tiles and blocks of rows, and runs of entries padded, may be more than is counted";
      return PETSC_FALSE;
    }
    if (runs <= 4.0 * csr->nnz + 1e6) return PETSC_TRUE;
  }
  *why = "the entries are too few for tables of tiles and blocks of rows";
  return PETSC_FALSE;
}

/* Runs that have entries, were these spread evenly: more than there are where they are not */
static double runs_of(const AutoCSRProblem *problem, const AutoCSRAxes *axes)
{
  const double all = AutoCSRPropagateRowBlocksOf(problem, axes) * AutoCSRTiledTiles(axes, problem->csr->n);

  return all > 0 ? -all * expm1(-(double)problem->csr->nnz / all) : 0;
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  AutoCSRAxes axes = {.partition = AUTOCSR_PARTITION_COLUMNS, .order = AUTOCSR_ORDER_PROPAGATED, .index = AUTOCSR_INDEX_16, .mapping = AUTOCSR_MAP_GROUP, .reduction = AUTOCSR_REDUCE_SEGMENTED, .lanes = 1, .slice_height = 1, .row_group = 1};
  PetscBool   asked;

  PetscFunctionBegin;
  *n   = 0;
  *why = "a processor has no executor for it: its caches hold what x is read from again";
  if (!problem->parallel) PetscFunctionReturn(PETSC_SUCCESS);
  *why = "gathers reach no more of the vector than a cache holds: it is used where it is asked for by name";
  PetscCall(AutoCSRProblemAsksFor(problem, "propagate", &asked));
  if (!asked && (!problem->profile || problem->profile->reach < problem->traits->propagate_reach)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!AutoCSRPropagateShape(problem, AUTOCSR_PROPAGATE_UNIT, 0, AUTOCSR_PROPAGATE_CHUNK, &axes, why)) PetscFunctionReturn(PETSC_SUCCESS);
  *why = "the settings ask for a coding that propagate does not have";
  AutoCSRVariantAddStored(problem, PETSC_TRUE, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range = problem->range;
  const double       runs = runs_of(problem, axes), slots = range.nnz + (AUTOCSR_PROPAGATE_UNIT - 1) / 2.0 * runs;
  const double       codes  = 2 * slots; /* its place, and nearly as many rows of chunks */
  const double       tables = codes * sizeof(uint16_t) + (runs + slots / AUTOCSR_PROPAGATE_CHUNK) * sizeof(AutoCSRPropagatePart);

  PetscFunctionBegin;
  *n = 1;
  AutoCSRCostFill(problem, axes, range.rows, range.nnz, slots, 0, 0, segment);
  segment->scattered = 0;
  segment->longest   = PetscMin(range.nnz, axes->row_limit + (double)range.longest);
  segment->irregular = PetscMax(AutoCSRTiledTiles(axes, problem->csr->n), slots / AUTOCSR_PROPAGATE_UNIT / axes->tile_steps) * axes->tile_width; /* columns copied, by item */
  segment->bytes += tables + 2 * slots * sizeof(PetscScalar);                                                                                    /* products are written and read */
  segment->own_bytes += tables + slots * sizeof(PetscScalar);                                                                                    /* with the products */
  segment->scratch = AutoCSRSortScratch(problem, segment->own_bytes, sizeof(uint16_t) * slots) + 4 * sizeof(PetscInt) * AutoCSRPropagateRowBlocksOf(problem, axes) * AutoCSRTiledTiles(axes, problem->csr->n);
  segment->build += 2 * tables + range.nnz * problem->traits->propagate_sort;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "products of %" PetscInt_FMT " tiles of %" PetscInt_FMT " columns, added in about %.3g blocks of rows, values %s", AutoCSRTiledTiles(axes, problem->csr->n), axes->tile_width, AutoCSRPropagateRowBlocksOf(problem, axes), AutoCSRValueWords(axes->value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_propagate = {"propagate", "beamer2017-propagation-blocking", PETSC_TRUE, variants, cost, NULL, describe};
