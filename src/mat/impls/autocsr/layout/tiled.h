/*
  Layout tiled: column tiles, for encoders, decoders and kernels; each function works on one entry, piece or tile, in the
  common subset of C and CUDA.

  A tile's entries fill groups of AUTOCSR_TILED_GROUP slots; a row's entries in a tile are a piece, or several where a share
  of an item ends. AutoCSRTiledValueSlot() deals VALUE out to lanes.
*/
#ifndef AUTOCSR_TILED_H
#define AUTOCSR_TILED_H

#include "codes.h"

#define AUTOCSR_TILED_GROUP      256  /* slots of a group, which a warp takes at once */
#define AUTOCSR_TILED_LANE_SLOTS 8    /* slots of a group that one lane takes, one after the other */
#define AUTOCSR_TILED_SHARES     16   /* equal shares of an item's groups; on a device a warp walks each */
#define AUTOCSR_TILED_BATCH      32   /* pieces of a row block that are added at once */
#define AUTOCSR_TILED_ROWS       1024 /* most rows of a row block: PIECE_ROW keeps the row in 10 bits, the rank above them */

/* Neighbouring groups of one tile for one thread block. Items ascend, and the items of a tile are neighbours */
typedef struct {
  PetscInt tile, begin, groups;
} AutoCSRTiledItem;

AUTOCSR_HD PetscInt AutoCSRTiledTiles(const AutoCSRAxes *axes, PetscInt n)
{
  return n / axes->tile_width + (n % axes->tile_width != 0);
}

AUTOCSR_HD PetscInt AutoCSRTiledRowBlocks(const AutoCSRSegment *seg)
{
  return seg->n_rows / seg->axes.tile_height + (seg->n_rows % seg->axes.tile_height != 0);
}

AUTOCSR_HD PetscInt AutoCSRTiledItemCount(const AutoCSRSegment *seg)
{
  return (PetscInt)(seg->stream[AUTOCSR_STREAM_ITEM].bytes / sizeof(AutoCSRTiledItem));
}

AUTOCSR_HD PetscInt AutoCSRTiledGroups(const AutoCSRSegment *seg)
{
  const PetscInt          n    = AutoCSRTiledItemCount(seg);
  const AutoCSRTiledItem *item = (const AutoCSRTiledItem *)seg->stream[AUTOCSR_STREAM_ITEM].data;

  return n ? item[n - 1].begin + item[n - 1].groups : 0;
}

/* Items of a tile with so many groups, if an item has at most `steps` groups */
AUTOCSR_HD PetscInt AutoCSRTiledItemsOf(PetscInt groups, PetscInt steps)
{
  return groups / steps + (groups % steps != 0);
}

/* The first of `all` elements in share i, if n shares are about equal */
AUTOCSR_HD PetscInt AutoCSRTiledShare(PetscInt all, PetscInt i, PetscInt n)
{
  return (PetscInt)((PetscInt64)all * i / n);
}

/* Whether one of n shares of `all` elements ends after element i */
AUTOCSR_HD int AutoCSRTiledIsShareEnd(PetscInt all, PetscInt i, PetscInt n)
{
  const PetscInt next = (PetscInt)((((PetscInt64)i + 1) * n + all - 1) / all); /* the first share that begins after i */

  return AutoCSRTiledShare(all, next, n) == i + 1;
}

/* Whether group i of a tile is the last of a share of its item; pieces end with their share */
AUTOCSR_HD int AutoCSRTiledEndsItemShare(PetscInt groups, PetscInt steps, PetscInt i)
{
  const PetscInt items = AutoCSRTiledItemsOf(groups, steps);
  const PetscInt item  = (PetscInt)((((PetscInt64)i + 1) * items + groups - 1) / groups) - 1;
  const PetscInt begin = AutoCSRTiledShare(groups, item, items), end = AutoCSRTiledShare(groups, item + 1, items);

  return AutoCSRTiledIsShareEnd(end - begin, i - begin, AUTOCSR_TILED_SHARES);
}

/* Bytes of a value's code */
AUTOCSR_HD int AutoCSRTiledCodeBytes(AutoCSRValue value)
{
  if (value == AUTOCSR_VALUE_DICTIONARY) return 1;
  return value == AUTOCSR_VALUE_FLOAT32 ? (int)(sizeof(PetscScalar) / sizeof(PetscReal) * sizeof(float)) : (int)sizeof(PetscScalar);
}

/*
  The place in VALUE of the code for slot q. In a group each lane has neighbouring slots. As many of them as 16
  bytes hold stay neighbours in VALUE, lane after lane. With one lane VALUE is ordered as INDEX
*/
AUTOCSR_HD PetscInt AutoCSRTiledValueSlot(const AutoCSRAxes *axes, PetscInt q)
{
  const int      bytes = AutoCSRTiledCodeBytes(axes->value), near = bytes > 2 ? 16 / bytes : AUTOCSR_TILED_LANE_SLOTS;
  const PetscInt group = q / AUTOCSR_TILED_GROUP;
  const int      in = (int)(q % AUTOCSR_TILED_GROUP), lane = in / AUTOCSR_TILED_LANE_SLOTS, j = in % AUTOCSR_TILED_LANE_SLOTS;

  if (axes->lanes == 1) return q;
  return group * AUTOCSR_TILED_GROUP + j / near * (AUTOCSR_TILED_GROUP / AUTOCSR_TILED_LANE_SLOTS * near) + lane * near + j % near;
}

/* The row in a code of PIECE_ROW, without the rank among the pieces of its batch */
AUTOCSR_HD PetscInt AutoCSRTiledRowOf(uint16_t code)
{
  return code % AUTOCSR_TILED_ROWS;
}

/* The last i in [lo, hi) with a[i] <= what; a[] does not fall, and a[lo] <= what */
AUTOCSR_HD PetscInt AutoCSRTiledFindLast(const PetscInt a[], PetscInt lo, PetscInt hi, PetscInt what)
{
  while (hi - lo > 1) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (a[mid] <= what)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

/* The first group of a tile that has entries */
AUTOCSR_HD PetscInt AutoCSRTiledFirstGroup(const AutoCSRSegment *seg, PetscInt tile)
{
  const AutoCSRTiledItem *item = (const AutoCSRTiledItem *)seg->stream[AUTOCSR_STREAM_ITEM].data;
  PetscInt                lo = 0, hi = AutoCSRTiledItemCount(seg);

  while (lo < hi) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (item[mid].tile < tile)
      lo = mid + 1;
    else
      hi = mid;
  }
  return item[lo].begin;
}

/* The slot after the last one of piece i */
AUTOCSR_HD PetscInt AutoCSRTiledPieceEnd(const AutoCSRSegment *seg, PetscInt i)
{
  const PetscInt *piece_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PIECE_PTR].data;
  const uint8_t  *end       = (const uint8_t *)seg->stream[AUTOCSR_STREAM_END].data;
  const PetscInt  group     = AutoCSRTiledFindLast(piece_ptr, 0, AutoCSRTiledGroups(seg), i);
  PetscInt        left      = i - piece_ptr[group];

  for (PetscInt slot = group * AUTOCSR_TILED_GROUP; slot < (group + 1) * AUTOCSR_TILED_GROUP; slot += 8) {
    for (unsigned ends = end[slot / 8]; ends; ends &= ends - 1) {
      if (left--) continue;
      while (!(ends & 1)) {
        ends >>= 1;
        slot++;
      }
      return slot + 1;
    }
  }
  return (group + 1) * AUTOCSR_TILED_GROUP; /* no group has so many pieces */
}

/* The column in slot q of a tile */
AUTOCSR_HD PetscInt AutoCSRTiledColumn(const AutoCSRSegment *seg, PetscInt tile, PetscInt q)
{
  return tile * seg->axes.tile_width + ((const uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[q];
}

/* The tile of a group; order propagated: of a unit */
AUTOCSR_HD PetscInt AutoCSRTiledTileOfGroup(const AutoCSRSegment *seg, PetscInt group)
{
  const AutoCSRTiledItem *item = (const AutoCSRTiledItem *)seg->stream[AUTOCSR_STREAM_ITEM].data;
  PetscInt                lo = 0, hi = AutoCSRTiledItemCount(seg);

  while (hi - lo > 1) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (item[mid].begin <= group)
      lo = mid;
    else
      hi = mid;
  }
  return item[lo].tile;
}

/* The tile of slot q */
AUTOCSR_HD PetscInt AutoCSRTiledTileOf(const AutoCSRSegment *seg, PetscInt q)
{
  return AutoCSRTiledTileOfGroup(seg, q / AUTOCSR_TILED_GROUP);
}

/*
  layout/tiled.c. AllocateItems: makes ITEM from first_group[], the groups (order propagated: units) before each tile and
  last all groups; it may raise tile_steps. Allocate: from the entries of each tile finds first_group[], makes ITEM, and
  makes room for the streams of slots, groups and runs. AllocateSlots: the same but for RUN_PTR
*/
PETSC_INTERN PetscErrorCode AutoCSRTiledAllocateItems(AutoCSRSegment *, PetscInt tiles, const PetscInt first_group[]);
PETSC_INTERN PetscErrorCode AutoCSRTiledAllocate(AutoCSRSegment *, PetscInt n, const PetscInt entries[], PetscInt first_group[]);
PETSC_INTERN PetscErrorCode AutoCSRTiledAllocateSlots(AutoCSRSegment *, PetscInt tiles, const PetscInt entries[], PetscInt first_group[]);
PETSC_INTERN PetscInt       AutoCSRTiledPiecesOfGroup(const uint8_t end[], PetscInt group);
/*
  Layout popular shares these. Count: counts ITEM, END, PIECE_PTR and the codes. CountCodes: counts ITEM and the codes of so
  many slots; propagated, too. CheckTiles: checks the slots of tiles with so many entries each, but no ranks
*/
PETSC_INTERN PetscErrorCode AutoCSRTiledCount(const AutoCSRSegment *, PetscInt i, PetscInt64 count[]);
PETSC_INTERN PetscErrorCode AutoCSRTiledCountCodes(const AutoCSRSegment *, PetscInt i, PetscInt slots, PetscInt64 count[]);
PETSC_INTERN PetscErrorCode AutoCSRTiledCheckTiles(const AutoCSRSegment *, PetscInt i, PetscInt tiles, const PetscInt entries[]);

#endif
