/* The memory of products with dense matrices: blocks of whole rows and parts of longer ones (dufrechou2021, 2.1.3), the band, adaptive tiles or bundles; and room for a panel */
#include "dense.h"
#include "../backend.h"
#include "../layout/adaptive.h"
#include "../layout/bundled.h"

const char *const AutoCSRDenseWayNames[] = {"panels", "alongside", "adaptive", "bundles", "whole", "columns"};

#define SAMPLES        8   /* stretches of rows in a sample: row panels, */
#define SAMPLE_BUNDLES 128 /* or so many bundles each */

PetscErrorCode AutoCSRDenseFindBlocks(AutoCSRDense *dense, const AutoCSRMatrix *csr, PetscInt entries, PetscBool light)
{
  const PetscInt    width = csr->backend->tile_width;
  const AutoCSRAxes axes  = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_ROW_BLOCKS, .reduction = AUTOCSR_REDUCE_TREE, .tile_width = width, .tile_height = entries / width, .row_limit = entries / 4};
  AutoCSRSegment   *seg;

  PetscFunctionBegin;
  if (dense->blocks && dense->entries == entries && dense->light == light) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRPlanDestroy(&dense->blocks));
  dense->entries = 0;
  PetscCall(AutoCSRPlanCreate(csr, &dense->blocks));
  PetscCall(AutoCSRPlanAddSegment(dense->blocks, "csr-adaptive", &axes, &seg));
  seg->n_rows = csr->m;
  PetscCall(AutoCSRSegmentEncode(seg, csr, NULL));
  dense->entries = entries;
  dense->light   = light;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many rows as columns (hong2019, 4.4); the least columns of a tile stay the same part of them */
void AutoCSRDenseShapeTiles(const AutoCSRDense *dense, AutoCSRAxes *axes)
{
  if (dense->heavy_from) axes->row_limit = dense->heavy_from;
  if (!dense->tile_rows) return;
  axes->tile_steps  = PetscMax(1, (PetscInt)((double)axes->tile_steps * dense->tile_rows / axes->tile_width));
  axes->tile_height = axes->tile_width = dense->tile_rows;
}

/* The axes of bundles, or of adaptive tiles, shaped by the backend and the machine's figures */
static AutoCSRAxes TileAxes(const AutoCSRDense *dense, const AutoCSRMatrix *csr, AutoCSROrder order)
{
  const AutoCSRAxes bundles = {.order = AUTOCSR_ORDER_BUNDLED, .index = AUTOCSR_INDEX_32, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_BUNDLES, .slice_height = AUTOCSR_BUNDLE_ROWS, .tile_steps = AUTOCSR_BUNDLE_PART};
  AutoCSRAxes       tiles   = {.partition = AUTOCSR_PARTITION_COLUMNS, .order = AUTOCSR_ORDER_ADAPTIVE, .index = AUTOCSR_INDEX_32, .value = AUTOCSR_VALUE_COPY, .mapping = AUTOCSR_MAP_ROW_PANELS};

  if (order == AUTOCSR_ORDER_BUNDLED) return bundles;
  (*csr->backend->shape_tiles)(csr->m, csr->n, csr->nnz, &tiles);
  AutoCSRDenseShapeTiles(dense, &tiles);
  return tiles;
}

/* Adds counts of the tiles of a segment on the host */
static void CountTiles(const AutoCSRSegment *seg, AutoCSRTileShare *share)
{
  const PetscInt  width = seg->axes.tile_width;
  const PetscInt *panel_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PANEL_PTR].data, *map = (const PetscInt *)seg->stream[AUTOCSR_STREAM_MAP].data;

  for (PetscInt p = 0; p < AutoCSRAdaptiveRowPanels(seg); p++) {
    for (PetscInt c = panel_ptr[p]; c < panel_ptr[p + 1]; c++) {
      for (PetscInt i = 0; i < seg->axes.tile_height; i++) {
        PetscInt begin, end;

        AutoCSRAdaptiveTileRow(seg, c, i, &begin, &end);
        share->heavy += end - begin;
        share->rows += end > begin;
      }
      for (PetscInt s = 0; s < width; s++) share->columns += map[(size_t)c * width + s] != AUTOCSR_ADAPTIVE_NONE;
    }
  }
}

/* Adds stretches of so many rows, evenly over all rows, as segments with these axes */
static PetscErrorCode EncodeSample(AutoCSRPlan *plan, const AutoCSRMatrix *csr, const AutoCSRAxes *axes, PetscInt most)
{
  const PetscInt  rows = PetscMin(csr->m, most), stretches = csr->m > rows ? SAMPLES : 1;
  AutoCSRSegment *seg;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < stretches; i++) {
    PetscCall(AutoCSRPlanAddSegment(plan, "dense", axes, &seg));
    seg->row_begin = stretches > 1 ? (PetscInt)((double)(csr->m - rows) * i / (stretches - 1)) : 0;
    if (axes->order == AUTOCSR_ORDER_BUNDLED) seg->row_begin -= seg->row_begin % axes->slice_height; /* bundles as those of the whole matrix */
    seg->n_rows = rows;
    PetscCall(AutoCSRSegmentEncode(seg, csr, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds up, on the host, what the tiles of a sample have, and its entries */
static PetscErrorCode CountSample(const AutoCSRPlan *plan, AutoCSRTileShare *share, double *entries)
{
  AutoCSRPlan *here = NULL;

  PetscFunctionBegin;
  *entries = 0;
  PetscCall(AutoCSRPlanCopy(plan, &AutoCSRBackendHost, &here));
  for (PetscInt i = 0; i < here->n_segments; i++) {
    *entries += here->segment[i].nnz;
    CountTiles(&here->segment[i], share);
  }
  PetscCall(AutoCSRPlanDestroy(&here));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseSampleTiles(AutoCSRDense *dense, const AutoCSRMatrix *csr)
{
  const AutoCSRAxes axes  = TileAxes(dense, csr, AUTOCSR_ORDER_ADAPTIVE);
  AutoCSRTileShare  share = {.known = PETSC_TRUE, .panels = ceil((double)csr->m / (double)axes.tile_height)};
  AutoCSRPlan      *plan;
  double            entries = 0;
  PetscErrorCode    ierr; /* the caller can live without memory */

  PetscFunctionBegin;
  if (dense->share.known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRPlanCreate(csr, &plan));
  ierr = EncodeSample(plan, csr, &axes, axes.tile_height);
  if (!ierr) ierr = CountSample(plan, &share, &entries);
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(ierr);
  entries = PetscMax(entries, 1);
  share.heavy /= entries;
  share.columns /= entries;
  share.rows /= entries;
  dense->share = share;
  PetscCall(PetscInfo(NULL, "Adaptive tiles would have %.3g of the entries; %.3g columns and %.3g rows of tiles an entry\n", share.heavy, share.columns, share.rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseSampleBundles(AutoCSRDense *dense, const AutoCSRMatrix *csr)
{
  const AutoCSRAxes axes  = TileAxes(dense, csr, AUTOCSR_ORDER_BUNDLED);
  double            units = 0, entries = 0;
  AutoCSRPlan      *plan;
  PetscErrorCode    ierr; /* the caller can live without memory */

  PetscFunctionBegin;
  if (dense->units > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRPlanCreate(csr, &plan));
  ierr = EncodeSample(plan, csr, &axes, SAMPLE_BUNDLES * axes.slice_height);
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    entries += plan->segment[i].nnz;
    units += (double)(plan->segment[i].stream[AUTOCSR_STREAM_INDEX].bytes / sizeof(uint32_t));
  }
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(ierr);
  dense->units = entries > 0 ? units / entries : 1;
  PetscCall(PetscInfo(NULL, "Bundles of %d rows would have %.3g columns an entry\n", AUTOCSR_BUNDLE_ROWS, dense->units));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseFindTiles(AutoCSRDense *dense, const AutoCSRMatrix *csr, AutoCSROrder order)
{
  const AutoCSRAxes axes = TileAxes(dense, csr, order);
  AutoCSRSegment   *seg;
  PetscBool         fits;

  PetscFunctionBegin;
  if (dense->tiles && dense->tiles->n_segments && dense->tiles->segment->bytes > 0 && dense->tiles->segment->axes.order == order) {
    if (!dense->current && order != AUTOCSR_ORDER_BUNDLED) PetscCall(AutoCSRPlanRefresh(dense->tiles, csr, &fits));
  } else {
    if (order == AUTOCSR_ORDER_ADAPTIVE) PetscCall(AutoCSRDenseSampleTiles(dense, csr)); /* for the view, if the user asks for tiles and no cost decides */
    PetscCall(AutoCSRPlanDestroy(&dense->tiles));
    PetscCall(AutoCSRPlanCreate(csr, &dense->tiles));
    PetscCall(AutoCSRPlanAddSegment(dense->tiles, "dense", &axes, &seg));
    seg->n_rows = csr->m;
    PetscCall(AutoCSRSegmentEncode(seg, csr, NULL));
    if (order == AUTOCSR_ORDER_BUNDLED && dense->units <= 0) dense->units = csr->nnz ? (double)(seg->stream[AUTOCSR_STREAM_INDEX].bytes / sizeof(uint32_t)) / (double)csr->nnz : 1;
    if (PetscDefined(USE_DEBUG)) PetscCall(AutoCSRPlanCheck(dense->tiles, csr));
  }
  dense->current = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes `first` and `last`. Each row is read to its end, since columns need not ascend */
static PetscErrorCode FindReach(AutoCSRDense *dense, const AutoCSRMatrix *csr, PetscInt strips)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc2(strips, &dense->first, strips, &dense->last));
  for (PetscInt c = 0; c < strips; c++) {
    const PetscInt end = csr->row_ptr[PetscMin(csr->m, (c + 1) * AUTOCSR_DENSE_STRIP)];

    dense->first[c] = csr->n;
    dense->last[c]  = c ? dense->last[c - 1] : 0;
    for (PetscInt q = csr->row_ptr[c * AUTOCSR_DENSE_STRIP]; q < end; q++) {
      dense->first[c] = PetscMin(dense->first[c], csr->col[q]);
      dense->last[c]  = PetscMax(dense->last[c], csr->col[q] + 1);
    }
  }
  for (PetscInt c = strips - 2; c >= 0; c--) dense->first[c] = PetscMin(dense->first[c], dense->first[c + 1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseFindBand(AutoCSRDense *dense, const AutoCSRMatrix *csr, PetscInt step)
{
  const PetscInt strips = (csr->m + AUTOCSR_DENSE_STRIP - 1) / AUTOCSR_DENSE_STRIP, at_once = step / AUTOCSR_DENSE_STRIP;

  PetscFunctionBegin;
  if (dense->last && dense->step == step) PetscFunctionReturn(PETSC_SUCCESS);
  if (!dense->last) PetscCall(FindReach(dense, csr, strips));
  dense->window = 0;
  for (PetscInt c = 0; c < strips; c += at_once) dense->window = PetscMax(dense->window, dense->last[PetscMin(c + at_once, strips) - 1] - dense->first[c]);
  dense->step = step;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseCreate(const AutoCSRBackend *backend, AutoCSRDense **dense)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(dense));
  (*dense)->backend = backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseDestroy(AutoCSRDense **dense)
{
  PetscFunctionBegin;
  if (!*dense) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRPlanDestroy(&(*dense)->blocks));
  PetscCall(AutoCSRPlanDestroy(&(*dense)->tiles));
  PetscCall(PetscFree2((*dense)->first, (*dense)->last));
  PetscCall((*(*dense)->backend->deallocate)((*dense)->counters));
  PetscCall((*(*dense)->backend->deallocate)((*dense)->panel));
  PetscCall(PetscFree(*dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseGetPanel(AutoCSRDense *dense, size_t bytes, void **panel)
{
  PetscFunctionBegin;
  if (dense->panel_bytes < bytes) {
    PetscCall((*dense->backend->deallocate)(dense->panel));
    dense->panel       = NULL;
    dense->panel_bytes = 0;
    PetscCall((*dense->backend->allocate)(bytes, &dense->panel));
    dense->panel_bytes = bytes;
  }
  *panel = dense->panel;
  PetscFunctionReturn(PETSC_SUCCESS);
}
