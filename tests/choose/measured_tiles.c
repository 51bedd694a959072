static char help[] = "The micro-benchmark of adaptive tiles: its matrices have what is measured, and what is found shapes the tiles that products make.\n\n";

#include "../../src/mat/impls/autocsr/machine/measure.h"
#include "../../src/mat/impls/autocsr/choose/choose.h"
#include "../../src/mat/impls/autocsr/layout/adaptive.h"

/* The trial under way: columns have the same number of entries in all row panels that have any, where shapes are compared in those of the usual rows; all entries are heavy, or all are light */
static PetscErrorCode CheckTrial(const AutoCSRTiles *t, PetscInt *entries, PetscBool *heavy)
{
  const AutoCSRSegment *seg = t->dense->tiles->segment;
  const AutoCSRMatrix  *csr = &t->csr;
  const PetscInt        rows = t->next < t->shapes ? t->usual : t->height;
  PetscInt             *count;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRPlanCheck(t->dense->tiles, csr));
  PetscCall(PetscCalloc1(csr->n, &count));
  *entries = 0;
  *heavy   = (PetscBool)(AutoCSRAdaptiveTiles(seg) > AutoCSRAdaptiveRowPanels(seg));
  for (PetscInt p = 0; p < csr->m / rows; p++) {
    const PetscInt begin = csr->row_ptr[p * rows], end = csr->row_ptr[(p + 1) * rows];

    for (PetscInt q = begin; q < end; q++) count[csr->col[q]]++;
    for (PetscInt q = begin; q < end; q++) {
      if (!*entries) *entries = count[csr->col[q]];
      PetscCheck(count[csr->col[q]] == *entries, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Column %" PetscInt_FMT " has %" PetscInt_FMT " entries in row panel %" PetscInt_FMT ", another %" PetscInt_FMT, csr->col[q], count[csr->col[q]], p, *entries);
    }
    for (PetscInt q = begin; q < end; q++) count[csr->col[q]] = 0;
  }
  if (*heavy) {
    const PetscInt light = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_TILE_ROW_PTR].data)[AutoCSRAdaptiveLight(seg, 0) * seg->axes.tile_height];

    PetscCheck(light == csr->nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " of %" PetscInt_FMT " entries are in heavy tiles", light, csr->nnz);
  }
  PetscCall(PetscFree(count));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Another process goes on with the trial under way */
static PetscErrorCode CheckResumed(const AutoCSRFigures *figures, const AutoCSRTiles *t, PetscInt entries, PetscBool heavy)
{
  AutoCSRMachine machine;
  AutoCSRTiles   resumed = {.next = t->next};
  PetscInt       again;
  PetscBool      done, heavy_again;

  PetscFunctionBeginUser;
  PetscCall(PetscArraycpy(resumed.seconds, t->seconds, t->next));
  PetscCall(AutoCSRTilesBegin(figures, &resumed));
  while (!resumed.dense) PetscCall(AutoCSRTilesStep(&resumed, &machine, &done));
  PetscCall(CheckTrial(&resumed, &again, &heavy_again));
  PetscCheck(resumed.next == t->next && resumed.height == t->height && again == entries && heavy_again == heavy, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Trial %" PetscInt_FMT " becomes %" PetscInt_FMT " with %" PetscInt_FMT " entries in row panels of %" PetscInt_FMT " rows", t->next, resumed.next, again, resumed.height);
  PetscCall(AutoCSRTilesEnd(&resumed));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Products with this figure make tiles of its shape */
static PetscErrorCode CheckShape(const AutoCSRFigures *figures, const AutoCSRTiles *t)
{
  AutoCSRDense  *dense;
  AutoCSRMatrix  csr  = {.m = 0, .n = 0, .backend = &AutoCSRBackendHost, .figures = figures};
  const PetscInt none = 0;

  PetscFunctionBeginUser;
  csr.row_ptr = &none;
  PetscCall(AutoCSRCostDenseCreate(&csr, &dense));
  PetscCall(AutoCSRDenseFindTiles(dense, &csr, AUTOCSR_ORDER_ADAPTIVE));
  PetscCheck(dense->tiles->segment->axes.tile_height == t->height && dense->tiles->segment->axes.tile_width == t->height && dense->tiles->segment->axes.row_limit == (PetscInt)figures->machine.dense_heavy, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles of %" PetscInt_FMT " by %" PetscInt_FMT ", heavy from %" PetscInt_FMT " entries on", dense->tiles->segment->axes.tile_height,
             dense->tiles->segment->axes.tile_width, dense->tiles->segment->axes.row_limit);
  PetscCall(AutoCSRDenseDestroy(&dense));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  const AutoCSRFigures *shipped;
  AutoCSRFigures        figures;
  AutoCSRTiles          tiles   = {NULL};
  PetscInt              seen[2] = {0, 0}, shapes = 0, last = -1, entries = 0;
  PetscBool             done = PETSC_FALSE, heavy = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(AutoCSRFiguresGet(&AutoCSRBackendHost, "auto", &shipped));
  figures = *shipped;
  PetscCall(AutoCSRTilesBegin(&figures, &tiles));
  while (!done) {
    PetscCall(AutoCSRTilesStep(&tiles, &figures.machine, &done));
    if (!tiles.dense || tiles.next == last) continue;
    last = tiles.next;
    PetscCall(CheckTrial(&tiles, &entries, &heavy));
    PetscCall(CheckResumed(&figures, &tiles, entries, heavy));
    if (tiles.next < tiles.shapes)
      shapes += heavy;
    else
      PetscCheck(entries == ++seen[heavy], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " entries of a column in trial %" PetscInt_FMT, entries, tiles.next);
  }
  PetscCheck(shapes == tiles.shapes && seen[0] == seen[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " shapes, %" PetscInt_FMT " products by rows and %" PetscInt_FMT " by tiles", shapes, seen[0], seen[1]);
  for (PetscInt i = 0; i < tiles.next; i++) PetscCheck(tiles.seconds[i] > 0 && tiles.seconds[i] < 10, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Trial %" PetscInt_FMT " took %g s", i, tiles.seconds[i]);
  PetscCheck(AutoCSRFiguresAreSane(&figures) && figures.machine.dense_heavy >= 1 && figures.machine.dense_heavy <= AUTOCSR_TILES_ENTRIES + 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Columns are heavy from %g entries on, tiles have %g rows", figures.machine.dense_heavy, figures.machine.dense_rows);
  if (tiles.shapes) PetscCall(CheckShape(&figures, &tiles));
  PetscCall(AutoCSRTilesEnd(&tiles));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Tiles are measured\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

TEST*/
