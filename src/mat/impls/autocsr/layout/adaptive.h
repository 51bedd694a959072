/*
  Order adaptive: adaptive sparse tiles (hong2019, 3 and 4.1), for products with dense matrices. Each function works on one
  column, entry or row panel, in the common subset of C and CUDA.

  Row panels are tile_height rows each, the last one fewer. In a row panel, a column with row_limit entries or more is
  heavy. The slot of a column is its remainder modulo tile_width, a power of two. The r-th heavy column of a slot, in
  ascending order, goes to the row panel's r-th heavy tile, so a tile has each slot once at most, and the slot of an entry is
  a mask away. Tiles with fewer than tile_steps columns are dropped, and their columns are light. Every row panel has one
  light tile, too, with all other entries. Heavy tiles come first, by row panel; the light ones come after all of them.

    PANEL_PTR     the first heavy tile of each row panel; row panels + 1
    TILE_ROW_PTR  the first place of row i of tile c at c * tile_height + i; tiles * tile_height + 1
    MAP           the column in slot s of the heavy tile c at c * tile_width + s, -1 if there is none
    INDEX         the column of each place
    VALUE         the value of each place
    VALUE_PLACE   the CSR's place of each place, from the start

  Places are taken by tile, in a tile by row, and in a row in the order of the CSR. So the entries of a tile lie side by
  side, which is where this order departs from the paper's: there rows lie side by side, and the tiles of a row in them. The
  light tiles together are a CSR matrix: TILE_ROW_PTR from the first of them on, INDEX and VALUE.
*/
#ifndef AUTOCSR_LAYOUT_ADAPTIVE_H
#define AUTOCSR_LAYOUT_ADAPTIVE_H

#include "segment.h"

#define AUTOCSR_ADAPTIVE_NONE ((PetscInt)-1) /* a slot of MAP without a column */

AUTOCSR_HD PetscInt AutoCSRAdaptiveRowPanels(const AutoCSRSegment *seg)
{
  return seg->n_rows / seg->axes.tile_height + (seg->n_rows % seg->axes.tile_height != 0);
}

/* All of them */
AUTOCSR_HD PetscInt AutoCSRAdaptiveTiles(const AutoCSRSegment *seg)
{
  return (PetscInt)(seg->stream[AUTOCSR_STREAM_TILE_ROW_PTR].bytes / sizeof(PetscInt) - 1) / seg->axes.tile_height;
}

/* The light tile of a row panel; of the first one, it is also how many heavy tiles there are */
AUTOCSR_HD PetscInt AutoCSRAdaptiveLight(const AutoCSRSegment *seg, PetscInt panel)
{
  return ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PANEL_PTR].data)[AutoCSRAdaptiveRowPanels(seg)] + panel;
}

AUTOCSR_HD PetscInt AutoCSRAdaptiveSlot(const AutoCSRAxes *axes, PetscInt column)
{
  return column & (axes->tile_width - 1);
}

/* The rows [*begin, *end) of a row panel, as places among the segment's rows */
AUTOCSR_HD void AutoCSRAdaptiveRows(const AutoCSRSegment *seg, PetscInt panel, PetscInt *begin, PetscInt *end)
{
  *begin = panel * seg->axes.tile_height;
  *end   = *begin + seg->axes.tile_height < seg->n_rows ? *begin + seg->axes.tile_height : seg->n_rows;
}

/* The tile, among all, in which an entry of this column lies in a row panel: the slot's columns ascend from tile to tile */
AUTOCSR_HD PetscInt AutoCSRAdaptiveTileOf(const AutoCSRSegment *seg, PetscInt panel, PetscInt column)
{
  const PetscInt  width = seg->axes.tile_width, *tile = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PANEL_PTR].data + panel;
  const PetscInt *slot  = (const PetscInt *)seg->stream[AUTOCSR_STREAM_MAP].data + (size_t)tile[0] * width + AutoCSRAdaptiveSlot(&seg->axes, column);
  const PetscInt  tiles = tile[1] - tile[0];
  PetscInt        low = 0, high = tiles;

  while (low < high) {
    const PetscInt mid = low + (high - low) / 2, here = slot[(size_t)mid * width];

    if (here != AUTOCSR_ADAPTIVE_NONE && here < column)
      low = mid + 1;
    else
      high = mid;
  }
  return low < tiles && slot[(size_t)low * width] == column ? tile[0] + low : AutoCSRAdaptiveLight(seg, panel);
}

/* The places [*begin, *end) of the i-th row of a tile's row panel */
AUTOCSR_HD void AutoCSRAdaptiveTileRow(const AutoCSRSegment *seg, PetscInt tile, PetscInt i, PetscInt *begin, PetscInt *end)
{
  const PetscInt *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_TILE_ROW_PTR].data + (size_t)tile * seg->axes.tile_height + i;

  *begin = ptr[0];
  *end   = ptr[1];
}

/* The place of entry t of the k-th row; the CSR's places ascend in each row of a tile. -1 if no place has it */
AUTOCSR_HD PetscInt AutoCSRAdaptivePlace(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt *place = (const PetscInt *)seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data, q = csr->row_ptr[seg->row_begin + k] + t;
  PetscInt        low, high, end;

  AutoCSRAdaptiveTileRow(seg, AutoCSRAdaptiveTileOf(seg, k / seg->axes.tile_height, csr->col[q]), k % seg->axes.tile_height, &low, &end);
  high = end;
  while (low < high) {
    const PetscInt mid = low + (high - low) / 2;

    if (place[mid] < q)
      low = mid + 1;
    else
      high = mid;
  }
  return low < end && place[low] == q ? low : -1;
}

#endif
