/*
  Layout propagated: products binned by row block (propagation blocking, beamer2017), for encoders, decoders and kernels;
  each function works on one entry, part or chunk, in the common subset of C and CUDA.

  Entries lie by column tile, in a tile by row block, in a row block as in the CSR. The entries of one tile and row block
  are a run, padded to whole units. A row block goes through its runs, tile after tile, in chunks of AUTOCSR_PROPAGATE_CHUNK
  places. A run that a chunk cuts has a part in each. Order popular has the same for the sums of pieces (popular.h); there a
  unit is one sum.

  The codes of a chunk tell the places of each of its rows. So one lane adds a row with few entries, several lanes add a row
  with many, and no two lanes add to one sum:

    [0, 9)     Code j: where the places of entries j of short rows begin, among the places of short rows; code 8: their end.
    [9]        The number of long rows, which have more than AUTOCSR_PROPAGATE_MOST entries in the chunk.
    [16, ...)  The rows, long ones first, short ones by falling number of entries. Rows with equally many entries come
               AUTOCSR_PROPAGATE_BANKS at a time, each with its sum in another bank: the first row of each bank, then the
               second of each, ...
    then       For each long row, where its places begin; and the end.
    then       The places of long rows, one row after the other.
    then       The places of short rows.
*/
#ifndef AUTOCSR_PROPAGATE_H
#define AUTOCSR_PROPAGATE_H

#include "tiled.h"

#define AUTOCSR_PROPAGATE_UNIT  4                                /* slots of a unit; a copy of a unit is aligned to 16 bytes */
#define AUTOCSR_PROPAGATE_CHUNK 2048                             /* places of a chunk */
#define AUTOCSR_PROPAGATE_ROWS  8160                             /* most rows of a row block */
#define AUTOCSR_PROPAGATE_MOST  8                                /* most entries of a short row in a chunk */
#define AUTOCSR_PROPAGATE_HEAD  16                               /* codes before the rows */
#define AUTOCSR_PROPAGATE_BANKS (128 / (int)sizeof(PetscScalar)) /* banks of a shared memory, one scalar each; row r's sum is in bank r modulo this */
#define AUTOCSR_PROPAGATE_ALIGN 8                                /* the codes of a chunk begin at multiples of this: 16 bytes */
/* Most codes of a chunk: each row has a place, a long row several */
#define AUTOCSR_PROPAGATE_CODES (AUTOCSR_PROPAGATE_HEAD + 2 * AUTOCSR_PROPAGATE_CHUNK + AUTOCSR_PROPAGATE_ALIGN)

/*
  A part of a run in a chunk. source: its first unit among the units of the tiles. span: its first unit in the chunk, times
  2 AUTOCSR_PROPAGATE_CHUNK, plus its number of units
*/
typedef struct {
  PetscInt source, span;
} AutoCSRPropagatePart;

/* Slots of a unit; order popular: pieces */
AUTOCSR_HD PetscInt AutoCSRPropagateUnit(const AutoCSRSegment *seg)
{
  return seg->axes.order == AUTOCSR_ORDER_PROPAGATED ? AUTOCSR_PROPAGATE_UNIT : 1;
}

/* Units of a chunk */
AUTOCSR_HD PetscInt AutoCSRPropagateChunkUnits(const AutoCSRSegment *seg)
{
  return AUTOCSR_PROPAGATE_CHUNK / AutoCSRPropagateUnit(seg);
}

AUTOCSR_HD AutoCSRPropagatePart AutoCSRPropagateMakePart(PetscInt source, PetscInt place, PetscInt units)
{
  AutoCSRPropagatePart part;

  part.source = source;
  part.span   = place * (2 * AUTOCSR_PROPAGATE_CHUNK) + units;
  return part;
}

AUTOCSR_HD PetscInt AutoCSRPropagatePartPlace(const AutoCSRPropagatePart *part)
{
  return part->span / (2 * AUTOCSR_PROPAGATE_CHUNK);
}

AUTOCSR_HD PetscInt AutoCSRPropagatePartUnits(const AutoCSRPropagatePart *part)
{
  return part->span % (2 * AUTOCSR_PROPAGATE_CHUNK);
}

/* Units of a run with so many entries or pieces */
AUTOCSR_HD PetscInt AutoCSRPropagateUnitsOf(const AutoCSRSegment *seg, PetscInt entries)
{
  const PetscInt unit = AutoCSRPropagateUnit(seg);

  return entries / unit + (entries % unit != 0);
}

/*
  Whether a row block begins with the segment's k-th row. `before` entries of the segment come before this row, `last`
  before the row before it. A row block ends after axes->tile_height rows; it also ends after axes->row_limit entries,
  because a graph's first rows may have most of its entries. The answer depends on two rows alone
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

/* Scratch for the products, one for each slot */
AUTOCSR_HD size_t AutoCSRPropagateScratchBytes(const AutoCSRSegment *seg)
{
  return seg->stream[AUTOCSR_STREAM_INDEX].bytes / sizeof(uint16_t) * sizeof(PetscScalar);
}

/* Chunks that a run touches if its units begin at `place` in the row block */
AUTOCSR_HD PetscInt AutoCSRPropagatePartsOf(const AutoCSRSegment *seg, PetscInt place, PetscInt units)
{
  const PetscInt of_chunk = AutoCSRPropagateChunkUnits(seg);

  return units ? (place + units - 1) / of_chunk - place / of_chunk + 1 : 0;
}

/* Writes the parts of such a run from part p on; its row block begins with `chunk` */
AUTOCSR_HD void AutoCSRPropagateEncodeParts(AutoCSRSegment *seg, PetscInt source, PetscInt place, PetscInt units, PetscInt chunk, PetscInt p)
{
  AutoCSRPropagatePart *part     = (AutoCSRPropagatePart *)seg->stream[AUTOCSR_STREAM_PART].data;
  PetscInt             *part_ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data;
  const PetscInt        of_chunk = AutoCSRPropagateChunkUnits(seg);

  while (units > 0) {
    const PetscInt in = place % of_chunk, room = of_chunk - in, n = units < room ? units : room;

    if (in == 0) part_ptr[chunk + place / of_chunk] = p;
    part[p++] = AutoCSRPropagateMakePart(source, in, n);
    source += n;
    place += n;
    units -= n;
  }
}

/* Places of a chunk, padding included */
AUTOCSR_HD int AutoCSRPropagatePlaces(const AutoCSRSegment *seg, PetscInt chunk)
{
  const AutoCSRPropagatePart *last = (const AutoCSRPropagatePart *)seg->stream[AUTOCSR_STREAM_PART].data + ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data)[chunk + 1] - 1;

  return (int)((AutoCSRPropagatePartPlace(last) + AutoCSRPropagatePartUnits(last)) * AutoCSRPropagateUnit(seg));
}

/* The slot in INDEX and VALUE of a place in a chunk; order popular: the piece */
AUTOCSR_HD PetscInt AutoCSRPropagateSlotOf(const AutoCSRSegment *seg, PetscInt chunk, PetscInt place)
{
  const PetscInt             *part_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data;
  const AutoCSRPropagatePart *part     = (const AutoCSRPropagatePart *)seg->stream[AUTOCSR_STREAM_PART].data;
  const PetscInt              slots = AutoCSRPropagateUnit(seg), unit = place / slots;
  PetscInt                    lo = part_ptr[chunk], hi = part_ptr[chunk + 1];

  while (hi - lo > 1) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (AutoCSRPropagatePartPlace(&part[mid]) <= unit)
      lo = mid;
    else
      hi = mid;
  }
  return (part[lo].source + unit - AutoCSRPropagatePartPlace(&part[lo])) * slots + place % slots;
}

/* The column in a slot; -1 if the slot is in no tile */
AUTOCSR_HD PetscInt AutoCSRPropagateColumn(const AutoCSRSegment *seg, PetscInt slot)
{
  if (slot < 0 || !AutoCSRTiledItemCount(seg)) return -1;
  return AutoCSRTiledTileOfGroup(seg, slot / AUTOCSR_PROPAGATE_UNIT) * seg->axes.tile_width + ((const uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[slot];
}

/* The codes of a chunk, one member for each part of the list above */
typedef struct {
  int             n_long, n_short;
  const uint16_t *first;      /* for short rows: where the places of the j-th entries begin */
  const uint16_t *row;        /* long rows, then short ones */
  const uint16_t *begin;      /* for long rows: where their places begin */
  const uint16_t *long_place; /* of long rows */
  const uint16_t *place;      /* of short rows */
} AutoCSRPropagateCodes;

AUTOCSR_HD AutoCSRPropagateCodes AutoCSRPropagateReadCodes(const uint16_t code[])
{
  AutoCSRPropagateCodes c;

  c.n_long     = code[AUTOCSR_PROPAGATE_MOST + 1];
  c.n_short    = code[1];
  c.first      = code;
  c.row        = code + AUTOCSR_PROPAGATE_HEAD;
  c.begin      = c.row + c.n_long + c.n_short;
  c.long_place = c.begin + c.n_long + 1;
  c.place      = c.long_place + c.begin[c.n_long];
  return c;
}

/* Codes of a chunk with so many places, rows and long rows, in AUTOCSR_PROPAGATE_ALIGN */
AUTOCSR_HD PetscInt AutoCSRPropagateCodeUnits(int places, int rows, int n_long)
{
  return (AUTOCSR_PROPAGATE_HEAD + rows + n_long + 1 + places + AUTOCSR_PROPAGATE_ALIGN - 1) / AUTOCSR_PROPAGATE_ALIGN;
}

AUTOCSR_HD AutoCSRPropagateCodes AutoCSRPropagateCodesOf(const AutoCSRSegment *seg, PetscInt chunk)
{
  return AutoCSRPropagateReadCodes((const uint16_t *)seg->stream[AUTOCSR_STREAM_CODE].data + (size_t)((const PetscInt *)seg->stream[AUTOCSR_STREAM_CODE_PTR].data)[chunk] * AUTOCSR_PROPAGATE_ALIGN);
}

/* Entries in the chunk of its r-th row */
AUTOCSR_HD int AutoCSRPropagateRowEntries(const AutoCSRPropagateCodes *c, int r)
{
  int n = 1;

  if (r < c->n_long) return c->begin[r + 1] - c->begin[r];
  while (n < AUTOCSR_PROPAGATE_MOST && r - c->n_long < c->first[n + 1] - c->first[n]) n++;
  return n;
}

/* The place of the r-th row's j-th entry */
AUTOCSR_HD int AutoCSRPropagateRowPlace(const AutoCSRPropagateCodes *c, int r, int j)
{
  return r < c->n_long ? c->long_place[c->begin[r] + j] : c->place[c->first[j] + r - c->n_long];
}

/* The number r of this row in the chunk; -1 if the chunk lacks it */
AUTOCSR_HD int AutoCSRPropagateFindRow(const AutoCSRPropagateCodes *c, int row)
{
  for (int r = 0; r < c->n_long + c->n_short; r++) {
    if (c->row[r] == row) return r;
  }
  return -1;
}

/* The number, among rows with equally many entries, of the q-th row of a bank; of[]: how many such rows each bank has */
AUTOCSR_HD int AutoCSRPropagateOrder(const int of[], int bank, int q)
{
  int before = 0;

  for (int s = 0; s < AUTOCSR_PROPAGATE_BANKS; s++) before += of[s] > q ? q + (s < bank) : of[s];
  return before;
}

/*
  The slot of entry t of the k-th row, found through the row block's chunks; -1 if the streams lack the entry. Order
  popular: the row's t-th piece
*/
AUTOCSR_HD PetscInt AutoCSRPropagateSlot(const AutoCSRSegment *seg, PetscInt k, PetscInt t)
{
  const PetscInt *block_row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data, *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  const PetscInt  b = AutoCSRTiledFindLast(block_row, 0, AutoCSRPropagateRowBlocks(seg), k);

  for (PetscInt chunk = chunk_ptr[b]; chunk < chunk_ptr[b + 1]; chunk++) {
    const AutoCSRPropagateCodes c = AutoCSRPropagateCodesOf(seg, chunk);
    const int                   r = AutoCSRPropagateFindRow(&c, (int)(k - block_row[b])), n = r < 0 ? 0 : AutoCSRPropagateRowEntries(&c, r);

    if (t < n) return AutoCSRPropagateSlotOf(seg, chunk, AutoCSRPropagateRowPlace(&c, r, (int)t));
    t -= n;
  }
  return -1;
}

/* layout/propagate.c. Makes ITEM, INDEX and VALUE; tile_unit[] has the units before each tile, and last all units */
PETSC_INTERN PetscErrorCode AutoCSRPropagateAllocate(AutoCSRSegment *, PetscInt n, const PetscInt tile_unit[]);
PETSC_INTERN PetscErrorCode AutoCSRPropagateAllocateChunks(AutoCSRSegment *, PetscInt64 chunks, PetscInt parts); /* PART_PTR, PART, CODE_PTR */

/*
  Layout popular shares these steps. RowBlocks: BLOCK_ROW. Chunks: CHUNK_PTR, PART_PTR and PART; entries[] has the entries
  (or pieces) of each run, unit[] its first unit. Codes: CODE_PTR and CODE; row_of[] has for each slot (or piece) its row in
  its row block, or AUTOCSR_PROPAGATE_ROWS and more for padding
*/
PETSC_INTERN PetscErrorCode AutoCSRPropagateEncodeRowBlocks(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRPropagateEncodeChunks(AutoCSRSegment *, PetscInt tiles, PetscInt blocks, const PetscInt entries[], const PetscInt unit[]);
PETSC_INTERN PetscErrorCode AutoCSRPropagateEncodeCodes(AutoCSRSegment *, const uint16_t row_of[]);
/*
  And these. CountChunks: counts the streams of row blocks and chunks. CheckChunks: checks that each unit has one place in a
  chunk; sets named[] for the slots (or pieces) that codes name, and counts them in *n
*/
PETSC_INTERN PetscErrorCode AutoCSRPropagateCountChunks(const AutoCSRSegment *, PetscInt i, PetscInt64 count[]);
PETSC_INTERN PetscErrorCode AutoCSRPropagateCheckChunks(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i, PetscInt units, char named[], PetscInt *n);

#endif
