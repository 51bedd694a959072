/*
  Order propagated: what encoders, decoders and kernels know of products that are binned by blocks of rows (propagation
  blocking: Beamer, Asanovic, Patterson 2017), on one entry, part or chunk, in the common subset of C and CUDA.

  Entries lie by column tile, in it by row block, in it as in the CSR; those of one tile and row block are a run, padded to
  whole units. A row block goes through its runs, tile after tile, in chunks of so many slots; a run that a chunk cuts has
  a part in each. The codes of a chunk's entries tell row and place in the chunk, sorted by row, so that each row is added by one.
*/
#ifndef AUTOCSR_PROPAGATE_H
#define AUTOCSR_PROPAGATE_H

#include "tiled.h"

#define AUTOCSR_PROPAGATE_UNIT   4    /* slots; copies of units are aligned to 16 bytes and fill sectors of memory */
#define AUTOCSR_PROPAGATE_CHUNK  2048 /* slots: places have 11 bits */
#define AUTOCSR_PROPAGATE_UNITS  (AUTOCSR_PROPAGATE_CHUNK / AUTOCSR_PROPAGATE_UNIT)
#define AUTOCSR_PROPAGATE_ROWS   8160 /* most rows of a row block: rows have 13 bits */
#define AUTOCSR_PROPAGATE_NO_ROW 8191 /* of codes past a chunk's entries */

/* A part of a run in a chunk: where its units are among those of the tiles, and their place in the chunk * 2 AUTOCSR_PROPAGATE_UNITS + how many */
typedef struct {
  PetscInt source, span;
} AutoCSRPropagatePart;

AUTOCSR_HD AutoCSRPropagatePart AutoCSRPropagateMakePart(PetscInt source, PetscInt place, PetscInt units)
{
  AutoCSRPropagatePart part;

  part.source = source;
  part.span   = place * (2 * AUTOCSR_PROPAGATE_UNITS) + units;
  return part;
}

AUTOCSR_HD PetscInt AutoCSRPropagatePartPlace(const AutoCSRPropagatePart *part)
{
  return part->span / (2 * AUTOCSR_PROPAGATE_UNITS);
}

AUTOCSR_HD PetscInt AutoCSRPropagatePartUnits(const AutoCSRPropagatePart *part)
{
  return part->span % (2 * AUTOCSR_PROPAGATE_UNITS);
}

/* Of a code, CHUNK_ROW has the row and the upper bits of the place, CHUNK_PLACE the lower ones */
AUTOCSR_HD uint16_t AutoCSRPropagateRowCode(PetscInt row, PetscInt place)
{
  return (uint16_t)(row | place >> 8 << 13);
}

AUTOCSR_HD int AutoCSRPropagateRowOf(unsigned code)
{
  return (int)(code & 0x1fff);
}

AUTOCSR_HD int AutoCSRPropagatePlaceOf(unsigned code, unsigned low)
{
  return (int)(code >> 13 << 8 | low);
}

AUTOCSR_HD PetscInt AutoCSRPropagateUnitsOf(PetscInt entries)
{
  return entries / AUTOCSR_PROPAGATE_UNIT + (entries % AUTOCSR_PROPAGATE_UNIT != 0);
}

/*
  Whether a row block begins with the segment's k-th row, before which its rows have so many entries, and `last` before the row before:
  after so many rows, or entries, that it depends on two rows alone
*/
AUTOCSR_HD int AutoCSRPropagateBegins(const AutoCSRAxes *axes, PetscInt k, PetscInt last, PetscInt before)
{
  return k % axes->tile_height == 0 || before / axes->row_limit != last / axes->row_limit;
}

AUTOCSR_HD PetscInt AutoCSRPropagateRowBlocks(const AutoCSRSegment *seg)
{
  return (PetscInt)(seg->stream[AUTOCSR_STREAM_BLOCK_ROW].bytes / sizeof(PetscInt)) - 1;
}

AUTOCSR_HD PetscInt AutoCSRPropagateChunks(const AutoCSRSegment *seg)
{
  return (PetscInt)(seg->stream[AUTOCSR_STREAM_PART_PTR].bytes / sizeof(PetscInt)) - 1;
}

/* Of the products: one for each slot */
AUTOCSR_HD size_t AutoCSRPropagateScratchBytes(const AutoCSRSegment *seg)
{
  return seg->stream[AUTOCSR_STREAM_INDEX].bytes / sizeof(uint16_t) * sizeof(PetscScalar);
}

/* Chunks that a run touches whose units have these places in its row block */
AUTOCSR_HD PetscInt AutoCSRPropagatePartsOf(PetscInt place, PetscInt units)
{
  return units ? (place + units - 1) / AUTOCSR_PROPAGATE_UNITS - place / AUTOCSR_PROPAGATE_UNITS + 1 : 0;
}

/* Writes the parts of such a run from part p on, whose row block begins with `chunk` */
AUTOCSR_HD void AutoCSRPropagateEncodeParts(AutoCSRSegment *seg, PetscInt source, PetscInt place, PetscInt units, PetscInt chunk, PetscInt p)
{
  AutoCSRPropagatePart *part     = (AutoCSRPropagatePart *)seg->stream[AUTOCSR_STREAM_PART].data;
  PetscInt             *part_ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data;

  while (units > 0) {
    const PetscInt in = place % AUTOCSR_PROPAGATE_UNITS, room = AUTOCSR_PROPAGATE_UNITS - in, n = units < room ? units : room;

    if (in == 0) part_ptr[chunk + place / AUTOCSR_PROPAGATE_UNITS] = p;
    part[p++] = AutoCSRPropagateMakePart(source, in, n);
    source += n;
    place += n;
    units -= n;
  }
}

/* The slot in INDEX and VALUE of a place in a chunk */
AUTOCSR_HD PetscInt AutoCSRPropagateSlotOf(const AutoCSRSegment *seg, PetscInt chunk, PetscInt place)
{
  const PetscInt             *part_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data;
  const AutoCSRPropagatePart *part     = (const AutoCSRPropagatePart *)seg->stream[AUTOCSR_STREAM_PART].data;
  const PetscInt              unit     = place / AUTOCSR_PROPAGATE_UNIT;
  PetscInt                    lo = part_ptr[chunk], hi = part_ptr[chunk + 1];

  while (hi - lo > 1) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (AutoCSRPropagatePartPlace(&part[mid]) <= unit)
      lo = mid;
    else
      hi = mid;
  }
  return (part[lo].source + unit - AutoCSRPropagatePartPlace(&part[lo])) * AUTOCSR_PROPAGATE_UNIT + place % AUTOCSR_PROPAGATE_UNIT;
}

/* The column in a slot; -1 where no tile has it */
AUTOCSR_HD PetscInt AutoCSRPropagateColumn(const AutoCSRSegment *seg, PetscInt slot)
{
  if (slot < 0 || !AutoCSRTiledItemCount(seg)) return -1;
  return AutoCSRTiledTileOfGroup(seg, slot / AUTOCSR_PROPAGATE_UNIT) * seg->axes.tile_width + ((const uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[slot];
}

/* A chunk's first code of a row that is not before this one */
AUTOCSR_HD PetscInt AutoCSRPropagateFindRow(const uint16_t chunk_row[], PetscInt chunk, int row)
{
  PetscInt lo = chunk * AUTOCSR_PROPAGATE_CHUNK, hi = lo + AUTOCSR_PROPAGATE_CHUNK;

  while (lo < hi) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (AutoCSRPropagateRowOf(chunk_row[mid]) < row)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* The slot of entry t of the k-th row: its codes, chunk after chunk of its row block; -1 if streams are not those of the row */
AUTOCSR_HD PetscInt AutoCSRPropagateSlot(const AutoCSRSegment *seg, PetscInt k, PetscInt t)
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const uint16_t *chunk_row = (const uint16_t *)seg->stream[AUTOCSR_STREAM_CHUNK_ROW].data;
  const uint8_t  *low       = (const uint8_t *)seg->stream[AUTOCSR_STREAM_CHUNK_PLACE].data;
  const PetscInt  b         = AutoCSRTiledFindLast(block_row, 0, AutoCSRPropagateRowBlocks(seg), k);
  const int       row       = (int)(k - block_row[b]);

  for (PetscInt chunk = chunk_ptr[b]; chunk < chunk_ptr[b + 1]; chunk++) {
    const PetscInt begin = AutoCSRPropagateFindRow(chunk_row, chunk, row), n = AutoCSRPropagateFindRow(chunk_row, chunk, row + 1) - begin;

    if (t < n) return AutoCSRPropagateSlotOf(seg, chunk, AutoCSRPropagatePlaceOf(chunk_row[begin + t], low[begin + t]));
    t -= n;
  }
  return -1;
}

/*
  plan/propagate.c. Allocate: ITEM, INDEX and VALUE from the units before each tile, and those of all. Encode: all streams on the host but
  for the codes of values, which EncodeValues writes
*/
PETSC_INTERN PetscErrorCode AutoCSRPropagateAllocate(AutoCSRSegment *, PetscInt n, const PetscInt tile_unit[]);
PETSC_INTERN PetscErrorCode AutoCSRPropagateAllocateChunks(AutoCSRSegment *, PetscInt64 chunks, PetscInt parts);
PETSC_INTERN PetscErrorCode AutoCSRPropagateEncode_Host(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRPropagateEncodeValues_Host(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);
PETSC_INTERN PetscErrorCode AutoCSRPropagateCheck(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i); /* check_propagate.c, as AutoCSRTiledCheck() */

#endif
