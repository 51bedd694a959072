/* The axes of all agents of a device: all that the table of executors has, and what has kernels of its own */
#ifndef AGENT_AXES_H
#define AGENT_AXES_H

#include "../plans.h"

typedef struct {
  PetscInt     n, max;
  AutoCSRAxes *axes;
} AxesList;

static PetscErrorCode Add(AxesList *list, AutoCSRAxes a)
{
  PetscFunctionBeginUser;
  if (list->n == list->max) {
    list->max = 2 * list->max + 64;
    PetscCall(PetscRealloc(sizeof(a) * (size_t)list->max, &list->axes));
  }
  if (!a.lanes) a.lanes = 1;
  if (!a.block) a.block = 1;
  if (!a.slice_height) a.slice_height = 1;
  if (!a.row_group) a.row_group = 1;
  list->axes[list->n++] = a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddRows(AxesList *list)
{
  const AutoCSRIndex  indices[] = {AUTOCSR_INDEX_CSR, AUTOCSR_INDEX_32, AUTOCSR_INDEX_16};
  const AutoCSRPlanes shape[]   = {{72, 1, 10}, {1200, 1, 41}, {AUTOCSR_PLANES_ROWS, 0, AUTOCSR_PLANES_REACH}, {9, 2, 1}, {272, 2, 32}, {9000, 1, 130}}; /* whatever the matrix; the last is cut into more strips than blocks are at once */

  PetscFunctionBeginUser;
  PetscCall(Add(list, (AutoCSRAxes){.mapping = AUTOCSR_MAP_EMPTY}));
  for (PetscInt lanes = 1; lanes <= 1024; lanes *= 2) {
    PetscCall(Add(list, (AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .lanes = lanes}));
    PetscCall(Add(list, (AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .lanes = lanes, .value = AUTOCSR_VALUE_CONSTANT}));
    if (lanes > 256) continue;
    PetscCall(Add(list, (AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .index = AUTOCSR_INDEX_16, .slice_height = 32, .lanes = lanes}));
    for (int b = 2; b <= 8; b++) {
      const AutoCSRIndex index = indices[(b + lanes) % 3];

      for (int v = AUTOCSR_VALUE_CSR; v <= AUTOCSR_VALUE_FLOAT32; v++) {
        if (v == AUTOCSR_VALUE_COPY || (b > 4 && (v != AUTOCSR_VALUE_CSR || (b != 5 && b != 7)))) continue; /* which a device has not */
        PetscCall(Add(list, (AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .index = index, .value = (AutoCSRValue)v, .slice_height = index == AUTOCSR_INDEX_16 ? 32 : 1, .lanes = lanes, .block = b}));
      }
    }
  }
  for (int v = AUTOCSR_VALUE_CSR; v <= AUTOCSR_VALUE_PATTERN; v++) {
    if (v != AUTOCSR_VALUE_COPY) PetscCall(Add(list, (AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .index = AUTOCSR_INDEX_PATTERN, .value = (AutoCSRValue)v}));
  }
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(shape); s++) PetscCall(Add(list, (AutoCSRAxes){.mapping = AUTOCSR_MAP_PLANES, .index = AUTOCSR_INDEX_PATTERN, .value = AUTOCSR_VALUE_PATTERN, .tile_width = shape[s].stride, .tile_height = shape[s].around, .tile_steps = shape[s].reach}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddSlices(AxesList *list)
{
  PetscFunctionBeginUser;
  for (int v = AUTOCSR_VALUE_COPY; v <= AUTOCSR_VALUE_CONSTANT; v++) {
    if (v == AUTOCSR_VALUE_PATTERN) continue;
    for (int i = AUTOCSR_INDEX_32; i <= AUTOCSR_INDEX_FITTED; i++) {
      if (i == AUTOCSR_INDEX_PATTERN && v == AUTOCSR_VALUE_CONSTANT) continue; /* patterns tell the values then */
      for (PetscInt window = 0; window <= AUTOCSR_WINDOW; window += AUTOCSR_WINDOW) PetscCall(Add(list, (AutoCSRAxes){.order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .index = (AutoCSRIndex)i, .value = (AutoCSRValue)v, .slice_height = 32, .sort_window = window}));
    }
    for (PetscInt lanes = 2; lanes <= 32; lanes *= 2) {
      PetscCall(Add(list, (AutoCSRAxes){.order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .index = AUTOCSR_INDEX_32, .value = (AutoCSRValue)v, .lanes = lanes, .slice_height = 32 / lanes}));
      PetscCall(Add(list, (AutoCSRAxes){.order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .index = AUTOCSR_INDEX_16, .value = (AutoCSRValue)v, .lanes = lanes, .slice_height = 32 / lanes, .sort_window = AUTOCSR_WINDOW}));
    }
    for (PetscInt shape = 0; shape < TILED_SHAPES; shape++) {
      AutoCSRAxes a = TiledAxes(shape, (AutoCSRValue)v, 32);

      a.tile_width = PetscMin(a.tile_width, 8192);
      PetscCall(Add(list, a));
    }
    for (PetscInt shape = 0; shape < PROPAGATED_SHAPES; shape++) PetscCall(Add(list, PropagatedAxes(shape, (AutoCSRValue)v)));
    for (PetscInt shape = 0; shape < POPULAR_SHAPES; shape++) PetscCall(Add(list, PopularAxes(shape, (AutoCSRValue)v, 32)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddInPlace(AxesList *list)
{
  PetscFunctionBeginUser;
  for (PetscInt h = 2; h <= 8; h *= 2) {
    const AutoCSRAxes tile = {.partition = AUTOCSR_PARTITION_NONZEROS, .mapping = AUTOCSR_MAP_TILE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = 256, .tile_height = h, .tile_steps = 1};
    AutoCSRAxes       host = tile;

    host.reduction = AUTOCSR_REDUCE_SEGMENTED_HOST;
    if (h > 2) PetscCall(Add(list, tile));
    if (h > 2) PetscCall(Add(list, host));
    for (int v = AUTOCSR_VALUE_CSR; v <= AUTOCSR_VALUE_CONSTANT; v += AUTOCSR_VALUE_CONSTANT) PetscCall(Add(list, (AutoCSRAxes){.value = (AutoCSRValue)v, .mapping = AUTOCSR_MAP_ROW_BLOCKS, .reduction = AUTOCSR_REDUCE_TREE, .tile_width = 256, .tile_height = h, .row_limit = 32 * h}));
  }
  for (int v = AUTOCSR_VALUE_CSR; v <= AUTOCSR_VALUE_CONSTANT; v++) { /* with codes of their own */
    if (v == AUTOCSR_VALUE_COPY || v == AUTOCSR_VALUE_PATTERN) continue;
    for (int i = AUTOCSR_INDEX_CSR; i <= AUTOCSR_INDEX_16; i += AUTOCSR_INDEX_16) {
      if (i || AutoCSRValueIsStored((AutoCSRValue)v)) PetscCall(Add(list, (AutoCSRAxes){.index = (AutoCSRIndex)i, .value = (AutoCSRValue)v, .mapping = AUTOCSR_MAP_ROW_BLOCKS, .reduction = AUTOCSR_REDUCE_TREE, .tile_width = 256, .tile_height = 8, .row_limit = 256}));
    }
  }
  PetscCall(Add(list, (AutoCSRAxes){.partition = AUTOCSR_PARTITION_NONZEROS, .mapping = AUTOCSR_MAP_MERGE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = 256, .tile_height = 8}));
  for (PetscInt lanes = 2; lanes <= 32; lanes *= 2) PetscCall(Add(list, (AutoCSRAxes){.mapping = AUTOCSR_MAP_FETCH, .reduction = AUTOCSR_REDUCE_TREE, .lanes = lanes}));
  PetscCall(Add(list, (AutoCSRAxes){.mapping = AUTOCSR_MAP_PRODUCTS}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that no compiled executor has, as the emulator has kernels of them: thread blocks of 64 and 512, and other heights */
static PetscErrorCode AddGenerated(AxesList *list)
{
  static const struct {
    AutoCSRIndex index;
    AutoCSRValue value;
  } coded[] = {
      {AUTOCSR_INDEX_16, AUTOCSR_VALUE_DICTIONARY},
      {AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_FLOAT32},
      {AUTOCSR_INDEX_16, AUTOCSR_VALUE_CONSTANT},
  };

  PetscFunctionBeginUser;
  for (PetscInt threads = 64; threads <= 512; threads *= 8) {
    const AutoCSRAxes small = {.threads = threads, .in_flight = threads < 512 ? 3 : 0, .generated = 1};
    AutoCSRAxes       a;

    for (PetscInt lanes = 1; lanes <= 64; lanes *= 4) {
      a           = small;
      a.mapping   = AUTOCSR_MAP_LANES;
      a.lanes     = lanes;
      a.rows_each = threads < 512 ? 2 : 0;
      PetscCall(Add(list, a));
      a.value = AUTOCSR_VALUE_CONSTANT;
      PetscCall(Add(list, a));
      a.value        = AUTOCSR_VALUE_CSR;
      a.index        = AUTOCSR_INDEX_16;
      a.slice_height = 32;
      PetscCall(Add(list, a));
    }
    for (PetscInt lanes = 1; lanes <= 8; lanes *= 8) {
      a           = small;
      a.mapping   = AUTOCSR_MAP_FETCH;
      a.reduction = AUTOCSR_REDUCE_TREE;
      a.lanes     = lanes;
      PetscCall(Add(list, a));
    }
    for (int v = AUTOCSR_VALUE_COPY; v <= AUTOCSR_VALUE_CONSTANT; v++) {
      if (v == AUTOCSR_VALUE_FLOAT32 || v == AUTOCSR_VALUE_PATTERN) continue;
      a              = small;
      a.order        = AUTOCSR_ORDER_SLICED;
      a.mapping      = AUTOCSR_MAP_SLICE;
      a.value        = (AutoCSRValue)v;
      a.index        = AUTOCSR_INDEX_32;
      a.slice_height = 32;
      PetscCall(Add(list, a));
      a.index = AUTOCSR_INDEX_16;
      PetscCall(Add(list, a));
      a.index        = AUTOCSR_INDEX_32;
      a.lanes        = 4;
      a.slice_height = 8;
      PetscCall(Add(list, a));
    }
    for (PetscInt lanes = 1; lanes <= 4 && threads == 64; lanes *= 4) { /* kernels that know stretches */
      a         = small;
      a.mapping = AUTOCSR_MAP_LANES;
      a.stretches   = AUTOCSR_MAX_STRETCHES;
      a.lanes   = lanes;
      PetscCall(Add(list, a));
      a.index        = AUTOCSR_INDEX_16;
      a.slice_height = 32;
      PetscCall(Add(list, a));
      a.order       = AUTOCSR_ORDER_SLICED;
      a.mapping     = AUTOCSR_MAP_SLICE;
      a.lanes       = 1;
      a.sort_window = lanes > 1 ? PETSC_MAX_INT : 0;
      for (int v = AUTOCSR_VALUE_COPY; v <= AUTOCSR_VALUE_CONSTANT; v++) {
        if (v == AUTOCSR_VALUE_FLOAT32 || v == AUTOCSR_VALUE_PATTERN) continue;
        a.value = (AutoCSRValue)v;
        a.index = v == AUTOCSR_VALUE_DICTIONARY ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32;
        PetscCall(Add(list, a));
      }
    }
    a           = (AutoCSRAxes){.generated = 1, .tile_width = threads, .tile_steps = 1};
    a.partition = AUTOCSR_PARTITION_NONZEROS;
    a.mapping   = AUTOCSR_MAP_TILE;
    a.reduction = AUTOCSR_REDUCE_SEGMENTED;
    for (a.tile_height = 4; a.tile_height <= 32; a.tile_height *= a.tile_height < 16 ? 4 : 2) {
      if ((size_t)(threads * a.tile_height) * sizeof(PetscScalar) <= 160 << 10) PetscCall(Add(list, a)); /* shared memory has room */
    }
    a.mapping = AUTOCSR_MAP_MERGE;
    for (a.tile_height = 2; a.tile_height <= 16; a.tile_height *= 8) PetscCall(Add(list, a));
    a.mapping   = AUTOCSR_MAP_ROW_BLOCKS;
    a.partition = AUTOCSR_PARTITION_ROWS;
    a.reduction = AUTOCSR_REDUCE_TREE;
    for (a.tile_height = 2; a.tile_height <= 16; a.tile_height *= 8) {
      a.row_limit = threads / 8 * a.tile_height;
      PetscCall(Add(list, a));
    }
    for (int k = 0; k < (int)PETSC_STATIC_ARRAY_LENGTH(coded); k++) { /* tiles, merge path and blocks of rows with codes of their own */
      a             = (AutoCSRAxes){.generated = 1, .partition = AUTOCSR_PARTITION_NONZEROS, .mapping = AUTOCSR_MAP_TILE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = threads, .tile_steps = 1};
      a.index       = coded[k].index;
      a.value       = coded[k].value;
      a.tile_height = 4;
      PetscCall(Add(list, a));
      if (k) continue;
      a.tile_height = 16;
      PetscCall(Add(list, a));
      a.mapping = AUTOCSR_MAP_MERGE;
      PetscCall(Add(list, a));
      a.tile_height = 2;
      PetscCall(Add(list, a));
      a.mapping   = AUTOCSR_MAP_ROW_BLOCKS;
      a.partition = AUTOCSR_PARTITION_ROWS;
      a.reduction = AUTOCSR_REDUCE_TREE;
      a.row_limit = threads / 4;
      PetscCall(Add(list, a));
    }
    PetscCall(Add(list, (AutoCSRAxes){.generated = 1, .mapping = AUTOCSR_MAP_PRODUCTS, .threads = threads}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
