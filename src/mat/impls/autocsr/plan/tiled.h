/*
  Order tiled: what encoders, decoders and kernels know of column tiles, on one entry, piece or tile, in the common subset of
  C and CUDA. See plan.h, Streams.
*/
#ifndef AUTOCSR_TILED_H
#define AUTOCSR_TILED_H

#include "plan.h"
#include "../profile/dictionary.h"

#define AUTOCSR_TILED_GROUP 256  /* entries of a group: what a warp takes at once */
#define AUTOCSR_TILED_RUN   8    /* entries of a group that one of its lanes has, one after the other */
#define AUTOCSR_TILED_PARTS 16   /* equal shares of an item's groups, each walked alone */
#define AUTOCSR_TILED_BATCH 32   /* pieces of a row block that are added at once */
#define AUTOCSR_TILED_ROWS  1024 /* most rows of a row block: PIECE_ROW has as many codes */

/* A run of groups of one tile: what a block of a device works on. Items ascend; a tile's are neighbours */
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

/* Of a tile's groups, how many items: of at most `steps` groups each */
AUTOCSR_HD PetscInt AutoCSRTiledItemsOf(PetscInt groups, PetscInt steps)
{
  return groups / steps + (groups % steps != 0);
}

/* The first of `all` that share i of n begins with */
AUTOCSR_HD PetscInt AutoCSRTiledShare(PetscInt all, PetscInt i, PetscInt n)
{
  return (PetscInt)((PetscInt64)all * i / n);
}

/* Whether a share of `all` in n ends after its element i */
AUTOCSR_HD int AutoCSRTiledIsShareEnd(PetscInt all, PetscInt i, PetscInt n)
{
  const PetscInt next = (PetscInt)((((PetscInt64)i + 1) * n + all - 1) / all); /* the first share that begins after i */

  return AutoCSRTiledShare(all, next, n) == i + 1;
}

/* Whether group i of a tile's `groups` is the last of a part: pieces end with their part */
AUTOCSR_HD int AutoCSRTiledIsPartEnd(PetscInt groups, PetscInt steps, PetscInt i)
{
  const PetscInt items = AutoCSRTiledItemsOf(groups, steps);
  const PetscInt item  = (PetscInt)((((PetscInt64)i + 1) * items + groups - 1) / groups) - 1;
  const PetscInt begin = AutoCSRTiledShare(groups, item, items), end = AutoCSRTiledShare(groups, item + 1, items);

  return AutoCSRTiledIsShareEnd(end - begin, i - begin, AUTOCSR_TILED_PARTS);
}

/* Bytes of a value's code */
AUTOCSR_HD int AutoCSRTiledCodeBytes(AutoCSRValue value)
{
  if (value == AUTOCSR_VALUE_DICTIONARY) return 1;
  return value == AUTOCSR_VALUE_FLOAT32 ? (int)(sizeof(PetscScalar) / sizeof(PetscReal) * sizeof(float)) : (int)sizeof(PetscScalar);
}

/*
  Where in VALUE the code of the entry in slot q is: of a group's entries, a lane has a run, and as many neighbours of a run
  as 16 bytes hold are neighbours there too, lane by lane. One lane: as in INDEX
*/
AUTOCSR_HD PetscInt AutoCSRTiledValueSlot(const AutoCSRAxes *axes, PetscInt q)
{
  const int      bytes = AutoCSRTiledCodeBytes(axes->value), near = bytes > 2 ? 16 / bytes : AUTOCSR_TILED_RUN;
  const PetscInt group = q / AUTOCSR_TILED_GROUP;
  const int      in = (int)(q % AUTOCSR_TILED_GROUP), lane = in / AUTOCSR_TILED_RUN, j = in % AUTOCSR_TILED_RUN;

  if (axes->lanes == 1) return q;
  return group * AUTOCSR_TILED_GROUP + j / near * (AUTOCSR_TILED_GROUP / AUTOCSR_TILED_RUN * near) + lane * near + j % near;
}

/* A row's code in PIECE_ROW without the rank among the pieces of its batch */
AUTOCSR_HD PetscInt AutoCSRTiledRowOf(uint16_t code)
{
  return code % AUTOCSR_TILED_ROWS;
}

/* The last i in [lo, hi) with a[i] <= what, where a[lo] <= what and a does not fall */
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

/* The slot after piece i's last */
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
  return (group + 1) * AUTOCSR_TILED_GROUP; /* no group has so many */
}

/* Where entry t of the k-th row lies in INDEX: its pieces, tile by tile */
AUTOCSR_HD PetscInt AutoCSRTiledSlot(const AutoCSRSegment *seg, PetscInt n, PetscInt k, PetscInt t)
{
  const PetscInt *run_ptr   = (const PetscInt *)seg->stream[AUTOCSR_STREAM_RUN_PTR].data;
  const uint16_t *piece_row = (const uint16_t *)seg->stream[AUTOCSR_STREAM_PIECE_ROW].data;
  const PetscInt  blocks = AutoCSRTiledRowBlocks(seg), tiles = AutoCSRTiledTiles(&seg->axes, n), row = k % seg->axes.tile_height;

  for (PetscInt tile = 0; tile < tiles; tile++) {
    const PetscInt run = tile * blocks + k / seg->axes.tile_height, end = run_ptr[run + 1];
    PetscInt       lo = run_ptr[run], hi = end;

    while (lo < hi) {
      const PetscInt mid = lo + (hi - lo) / 2;

      if (AutoCSRTiledRowOf(piece_row[mid]) < row)
        lo = mid + 1;
      else
        hi = mid;
    }
    for (; lo < end && AutoCSRTiledRowOf(piece_row[lo]) == row; lo++) {
      const PetscInt begin  = lo == run_ptr[tile * blocks] ? AutoCSRTiledFirstGroup(seg, tile) * AUTOCSR_TILED_GROUP : AutoCSRTiledPieceEnd(seg, lo - 1);
      const PetscInt length = AutoCSRTiledPieceEnd(seg, lo) - begin;

      if (t < length) return begin + t;
      t -= length;
    }
  }
  return -1; /* streams that are not those of the row */
}

/* The column that the entry in slot q has, in a tile */
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

/* The tile that slot q is in */
AUTOCSR_HD PetscInt AutoCSRTiledTileOf(const AutoCSRSegment *seg, PetscInt q)
{
  return AutoCSRTiledTileOfGroup(seg, q / AUTOCSR_TILED_GROUP);
}

/*
  plan/tiled.c. AllocateItems: writes ITEM, too, from the groups (order propagated: units) before each tile, and those of all. Allocate: from the entries of each tile, its first group, ITEM, and room for the streams of slots and groups.
  Encode: all streams of the host's order tiled but for the codes of values, which EncodeValues writes
*/
PETSC_INTERN PetscErrorCode AutoCSRTiledAllocateItems(AutoCSRSegment *, PetscInt tiles, const PetscInt first_group[]);
PETSC_INTERN PetscErrorCode AutoCSRTiledAllocate(AutoCSRSegment *, PetscInt n, const PetscInt entries[], PetscInt first_group[]);
PETSC_INTERN PetscErrorCode AutoCSRTiledAllocateSlots(AutoCSRSegment *, PetscInt tiles, const PetscInt entries[], PetscInt first_group[]); /* the same, but for what is counted by row block */
PETSC_INTERN PetscInt       AutoCSRTiledPiecesOfGroup(const uint8_t end[], PetscInt group);
PETSC_INTERN PetscErrorCode AutoCSRTiledEncode_Host(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRTiledCheckTiles(const AutoCSRSegment *, PetscInt i, PetscInt tiles, const PetscInt entries[]); /* of these alone, by how many entries each has */
PETSC_INTERN PetscErrorCode AutoCSRTiledCheck(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i);                         /* check_tiled.c: what decoding does not show, for segment i of check.c */
PETSC_INTERN PetscErrorCode AutoCSRTiledEncodeValues_Host(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);

#endif
