/*
  The micro-benchmark of adaptive sparse tiles (hong2019, 3 and 4.4, Fig. 5). Its matrices have the same number of entries in each
  column of a row panel that has any, and such columns are far apart. They are multiplied by heavy tiles and by rows, with all columns
  light. A column pays as a heavy one from the number of entries on from which tiles take less time. A processor has several shapes
  of tiles to choose from (T_M = T_N). The kernels of a device are compiled for one.
*/
#include "measure.h"

#define COLUMNS      32   /* of B */
#define TILES        4    /* heavy tiles of a row panel */
#define SHAPED       4    /* entries of a column in a row panel of the usual height, where shapes are compared */
#define SMALL_PANELS 4    /* row panels, of a processor; */
#define SMALL_APART  4    /* one column of so many is in a row panel, so that rows of B do not fit the second-level cache; */
#define LARGE_PANELS 4096 /* and the same of a device, which works on many at once */
#define LARGE_APART  1024
#define GAINED       0.97 /* another shape must take less than this share of the usual one's time */

static uint32_t next_random(uint32_t *state)
{
  return (*state = *state * 1664525u + 1013904223u) >> 8;
}

/* The columns of one row panel, ascending: TILES for each slot */
static PetscErrorCode panel_columns(PetscInt width, PetscInt apart, uint32_t *state, PetscInt column[])
{
  PetscFunctionBegin;
  for (PetscInt t = 0; t < TILES; t++) {
    for (PetscInt s = 0; s < width; s++) column[t * width + s] = width * (t * apart + (PetscInt)(next_random(state) % (uint32_t)apart)) + s;
  }
  PetscCall(PetscSortInt(TILES * width, column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row panels of `height` rows with `entries` in each of their columns, `height` of them a tile */
static PetscErrorCode matrix_create(const AutoCSRBackend *backend, PetscInt height, PetscInt entries, AutoCSRMatrix *csr)
{
  const PetscInt panels = backend->parallel ? LARGE_PANELS : SMALL_PANELS, apart = backend->parallel ? LARGE_APART : SMALL_APART, columns = TILES * height;
  uint32_t       state = 1;
  AutoCSRMatrix  host  = {.m = panels * height, .n = columns * apart, .nnz = panels * columns * entries, .backend = &AutoCSRBackendHost};
  PetscInt      *row_ptr, *free, *col, *column, *begin;
  PetscScalar   *val;
  PetscErrorCode ierr; /* the caller can live without memory */

  PetscFunctionBegin;
  PetscCall(PetscMalloc6(host.m + 1, &row_ptr, height, &free, host.nnz, &col, host.nnz, &val, columns, &column, columns, &begin));
  row_ptr[0] = 0;
  for (PetscInt p = 0; p < panels; p++) {
    PetscInt *end = row_ptr + p * height + 1;

    PetscCall(panel_columns(height, apart, &state, column));
    PetscCall(PetscArrayzero(free, height));
    for (PetscInt c = 0; c < columns; c++) {
      begin[c] = (PetscInt)(next_random(&state) % (uint32_t)height);
      for (PetscInt k = 0; k < entries; k++) free[(begin[c] + k * (height / entries)) % height]++;
    }
    for (PetscInt i = 0; i < height; i++) {
      end[i]  = end[i - 1] + free[i];
      free[i] = end[i - 1];
    }
    for (PetscInt c = 0; c < columns; c++) {
      for (PetscInt k = 0; k < entries; k++) {
        const PetscInt q = free[(begin[c] + k * (height / entries)) % height]++;

        col[q] = column[c];
        val[q] = 1;
      }
    }
  }
  host.row_ptr = row_ptr;
  host.col     = col;
  host.val     = val;
  ierr         = AutoCSRMatrixCopy(&host, backend, csr);
  PetscCall(PetscFree6(row_ptr, free, col, val, column, begin));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of a trial, and B of zeros and C for all of its products */
static PetscErrorCode operands_create(AutoCSRTiles *t, PetscInt height, PetscInt entries)
{
  const AutoCSRBackend *backend = t->backend;
  PetscScalar          *B, *zero;
  PetscErrorCode        ierr;

  PetscFunctionBegin;
  PetscCall(matrix_create(backend, height, entries, &t->csr));
  PetscCall((*backend->allocate)((size_t)t->csr.n * COLUMNS * sizeof(*B), (void **)&B));
  t->op.B = B;
  PetscCall((*backend->allocate)((size_t)t->csr.m * COLUMNS * sizeof(*B), (void **)&t->op.C));
  PetscCall(PetscCalloc1(t->csr.n * COLUMNS, &zero));
  ierr = (*backend->from_host)(B, zero, (size_t)t->csr.n * COLUMNS * sizeof(*B));
  PetscCall(PetscFree(zero));
  PetscCall(ierr);
  t->op.csr     = &t->csr;
  t->op.columns = COLUMNS;
  t->op.ldb     = t->csr.n;
  t->op.ldc     = t->csr.m;
  t->op.longest = PETSC_MAX_INT;
  t->op.way     = AUTOCSR_DENSE_ADAPTIVE;
  t->op.few     = PETSC_TRUE;
  t->op.simd    = t->simd;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode operands_destroy(AutoCSRTiles *t)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDenseDestroy(&t->dense));
  if (t->op.B) PetscCall((*t->backend->deallocate)((void *)t->op.B));
  if (t->op.C) PetscCall((*t->backend->deallocate)(t->op.C));
  if (t->csr.backend) PetscCall(AutoCSRMatrixCopyDestroy(&t->csr));
  t->op  = (AutoCSRDenseOperands){.csr = NULL};
  t->csr = (AutoCSRMatrix){.backend = NULL};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tiles of so many rows and columns; all columns of the trial's matrices are heavy, or all are light */
static PetscErrorCode tiles_create(AutoCSRTiles *t, PetscInt height, PetscBool heavy)
{
  AutoCSRAxes     axes = {.partition = AUTOCSR_PARTITION_COLUMNS, .order = AUTOCSR_ORDER_ADAPTIVE, .index = AUTOCSR_INDEX_32, .value = AUTOCSR_VALUE_COPY, .mapping = AUTOCSR_MAP_ROW_PANELS};
  AutoCSRSegment *seg;

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseCreate(t->backend, &t->dense));
  t->dense->tile_rows  = t->backend->parallel ? 0 : height;
  t->dense->heavy_from = heavy ? 1 : height + 1;
  (*t->backend->shape_tiles)(t->csr.m, t->csr.n, t->csr.nnz, &axes);
  AutoCSRDenseShapeTiles(t->dense, &axes);
  PetscCall(AutoCSRPlanCreate(&t->csr, &t->dense->tiles));
  PetscCall(AutoCSRPlanAddSegment(t->dense->tiles, "dense", &axes, &seg));
  seg->n_rows = t->csr.m;
  PetscCall(AutoCSRSegmentEncode(seg, &t->csr, NULL));
  t->dense->current = PETSC_TRUE;
  t->clock          = (AutoCSRClock){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half the usual height, the usual one, and twice that */
static PetscInt height_of(const AutoCSRTiles *t, PetscInt shape)
{
  return t->usual / 2 * ((PetscInt)1 << shape);
}

/* Trials: one for each shape, then two for each number of entries, by rows and by tiles */
static PetscErrorCode trial_begin(AutoCSRTiles *t)
{
  const PetscInt  k      = t->next - t->shapes;
  const PetscBool shapes = (PetscBool)(k < 0);

  PetscFunctionBegin;
  if (t->csr.backend)
    PetscCall(tiles_create(t, shapes ? height_of(t, t->next) : t->height, (PetscBool)(shapes || k % 2)));
  else if (shapes)
    PetscCall(operands_create(t, height_of(t, t->shapes - 1), SHAPED * height_of(t, t->shapes - 1) / t->usual));
  else
    PetscCall(operands_create(t, t->height, 1 + k / 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt best_height(const AutoCSRTiles *t)
{
  PetscInt best = 1;

  for (PetscInt s = 0; s < t->shapes; s++) best = t->seconds[s] < GAINED * t->seconds[best] ? s : best;
  return height_of(t, best);
}

static PetscErrorCode trial_end(AutoCSRTiles *t)
{
  const AutoCSRAxes *axes = &t->dense->tiles->segment->axes;

  PetscFunctionBegin;
  t->seconds[t->next++] = t->clock.best;
  PetscCall(PetscInfo(NULL, "Row panels of %" PetscInt_FMT " rows, %" PetscInt_FMT " entries: %s take %g us\n", axes->tile_height, t->csr.nnz, axes->row_limit > 1 ? "rows" : "tiles", 1e6 * t->clock.best));
  PetscCall(AutoCSRDenseDestroy(&t->dense));
  if (t->next == t->shapes) {
    t->height = best_height(t);
    PetscCall(operands_destroy(t));
  } else if (t->next > t->shapes && (t->next - t->shapes) % 2 == 0)
    PetscCall(operands_destroy(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of entries from which on tiles are to be taken so that the trials' products, which count alike, take least time. One past the last: tiles did not pay */
static void fit(const AutoCSRTiles *t, AutoCSRMachine *machine)
{
  const double *seconds = t->seconds + t->shapes;
  PetscInt      from    = AUTOCSR_TILES_ENTRIES + 1;
  double        lost    = 0, least = 0; /* by tiles from k on, against rows */

  for (PetscInt k = AUTOCSR_TILES_ENTRIES; k >= 1; k--) {
    lost += seconds[2 * k - 1] / seconds[2 * k - 2] - 1;
    if (lost >= least) continue;
    least = lost;
    from  = k;
  }
  machine->dense_heavy = (double)from;
  machine->dense_rows  = t->shapes ? (double)t->height : 0;
}

PetscErrorCode AutoCSRTilesBegin(const AutoCSRFigures *f, AutoCSRTiles *t)
{
  AutoCSRAxes axes = {.order = AUTOCSR_ORDER_ADAPTIVE};

  PetscFunctionBegin;
  t->backend = f->backend;
  t->simd    = f->simd;
  (*t->backend->shape_tiles)(0, 0, 0, &axes);
  t->usual  = axes.tile_width;
  t->height = axes.tile_width;
  t->shapes = t->backend->parallel || t->usual <= AUTOCSR_DENSE_STRIP ? 0 : AUTOCSR_TILES_SHAPES;
  t->next   = PetscMin(t->next, t->shapes + 2 * AUTOCSR_TILES_ENTRIES);
  if (t->shapes && t->next >= t->shapes) t->height = best_height(t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTilesEnd(AutoCSRTiles *t)
{
  PetscFunctionBegin;
  if (t->backend) PetscCall(operands_destroy(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTilesStep(AutoCSRTiles *t, AutoCSRMachine *machine, PetscBool *done)
{
  PetscBool timed;

  PetscFunctionBegin;
  *done = (PetscBool)(t->next == t->shapes + 2 * AUTOCSR_TILES_ENTRIES);
  if (*done) {
    fit(t, machine);
    PetscCall(PetscInfo(NULL, "Adaptive tiles: columns are heavy from %g entries on, in row panels of %" PetscInt_FMT " rows\n", machine->dense_heavy, t->height));
  } else if (!t->dense)
    PetscCall(trial_begin(t));
  else {
    PetscCall(AutoCSRDenseTimeRound(t->dense, &t->op, &t->clock, &timed));
    if (timed) PetscCall(trial_end(t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
