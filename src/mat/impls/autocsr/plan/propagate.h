/*
  Order propagated: what encoders, decoders and kernels know of products that are binned by blocks of rows (propagation
  blocking: Beamer, Asanovic, Patterson 2017), on one entry, part or chunk, in the common subset of C and CUDA.

  Entries lie by column tile, in it by row block, in it as in the CSR; those of one tile and row block are a run, padded to
  whole units. A row block goes through its runs, tile after tile, in chunks of so many places; a run that a chunk cuts has
  a part in each. Order popular has the same of the sums of pieces (popular.h): a unit there is one sum.

  The codes of a chunk tell which places each of its rows has, so that a lane adds for a row of few and several for one of many,
  and no row is added to by two:
    [0, 9)    where the places of first entries of short rows begin among those of short rows, those of second ones, ...; and their end
    [9]       how many rows are long: they have more than AUTOCSR_PROPAGATE_MOST entries in the chunk
    [16, ...) the rows: the long ones, then the short ones, those of most entries first; of equals AUTOCSR_PROPAGATE_BANKS at a time whose sums
              are in banks of their own: the first row of each bank, then the second of each, ...;
              for each long row where its places begin, and the end; the places of long rows, one after the other; those of short rows
*/
#ifndef AUTOCSR_PROPAGATE_H
#define AUTOCSR_PROPAGATE_H

#include "tiled.h"

#define AUTOCSR_PROPAGATE_UNIT  4                                                                                /* slots; copies of units are aligned to 16 bytes and fill sectors of memory */
#define AUTOCSR_PROPAGATE_CHUNK 2048                                                                             /* places */
#define AUTOCSR_PROPAGATE_ROWS  8160                                                                             /* most rows of a row block */
#define AUTOCSR_PROPAGATE_MOST  8                                                                                /* entries of a short row in a chunk */
#define AUTOCSR_PROPAGATE_HEAD  16                                                                               /* codes before the rows */
#define AUTOCSR_PROPAGATE_BANKS (128 / (int)sizeof(PetscScalar))                                                 /* of a shared memory, of a scalar each: a row's is its number modulo so many */
#define AUTOCSR_PROPAGATE_ALIGN 8                                                                                /* of the codes of a chunk: 16 bytes */
#define AUTOCSR_PROPAGATE_CODES (AUTOCSR_PROPAGATE_HEAD + 2 * AUTOCSR_PROPAGATE_CHUNK + AUTOCSR_PROPAGATE_ALIGN) /* of a chunk, at most: each row has a place, and a long one several */

/* A part of a run in a chunk: where its units are among those of the tiles, and their place in the chunk * 2 AUTOCSR_PROPAGATE_CHUNK + how many */
typedef struct {
  PetscInt source, span;
} AutoCSRPropagatePart;

/* Slots of a unit; of order popular pieces */
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

/* Units of a run of so many entries, or pieces */
AUTOCSR_HD PetscInt AutoCSRPropagateUnitsOf(const AutoCSRSegment *seg, PetscInt entries)
{
  const PetscInt unit = AutoCSRPropagateUnit(seg);

  return entries / unit + (entries % unit != 0);
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
AUTOCSR_HD PetscInt AutoCSRPropagatePartsOf(const AutoCSRSegment *seg, PetscInt place, PetscInt units)
{
  const PetscInt of_chunk = AutoCSRPropagateChunkUnits(seg);

  return units ? (place + units - 1) / of_chunk - place / of_chunk + 1 : 0;
}

/* Writes the parts of such a run from part p on, whose row block begins with `chunk` */
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

/* Places of a chunk, padding counted */
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

/* The column in a slot; -1 where no tile has it */
AUTOCSR_HD PetscInt AutoCSRPropagateColumn(const AutoCSRSegment *seg, PetscInt slot)
{
  if (slot < 0 || !AutoCSRTiledItemCount(seg)) return -1;
  return AutoCSRTiledTileOfGroup(seg, slot / AUTOCSR_PROPAGATE_UNIT) * seg->axes.tile_width + ((const uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[slot];
}

/* The codes of a chunk, by their parts */
typedef struct {
  int             n_long, n_short;
  const uint16_t *first;      /* of short rows: where the j-th entries begin */
  const uint16_t *row;        /* long ones, then short ones */
  const uint16_t *begin;      /* of long rows */
  const uint16_t *long_place; /* of these, */
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

/* How many codes a chunk has that so many places, rows and long rows take, in AUTOCSR_PROPAGATE_ALIGN */
AUTOCSR_HD PetscInt AutoCSRPropagateCodeUnits(int places, int rows, int n_long)
{
  return (AUTOCSR_PROPAGATE_HEAD + rows + n_long + 1 + places + AUTOCSR_PROPAGATE_ALIGN - 1) / AUTOCSR_PROPAGATE_ALIGN;
}

AUTOCSR_HD AutoCSRPropagateCodes AutoCSRPropagateCodesOf(const AutoCSRSegment *seg, PetscInt chunk)
{
  return AutoCSRPropagateReadCodes((const uint16_t *)seg->stream[AUTOCSR_STREAM_CODE].data + (size_t)((const PetscInt *)seg->stream[AUTOCSR_STREAM_CODE_PTR].data)[chunk] * AUTOCSR_PROPAGATE_ALIGN);
}

/* How many entries the r-th of a chunk's rows has there */
AUTOCSR_HD int AutoCSRPropagateRowEntries(const AutoCSRPropagateCodes *c, int r)
{
  int n = 1;

  if (r < c->n_long) return c->begin[r + 1] - c->begin[r];
  while (n < AUTOCSR_PROPAGATE_MOST && r - c->n_long < c->first[n + 1] - c->first[n]) n++;
  return n;
}

/* The place of its j-th entry */
AUTOCSR_HD int AutoCSRPropagateRowPlace(const AutoCSRPropagateCodes *c, int r, int j)
{
  return r < c->n_long ? c->long_place[c->begin[r] + j] : c->place[c->first[j] + r - c->n_long];
}

/* Which of a chunk's rows this one is; -1: none */
AUTOCSR_HD int AutoCSRPropagateFindRow(const AutoCSRPropagateCodes *c, int row)
{
  for (int r = 0; r < c->n_long + c->n_short; r++) {
    if (c->row[r] == row) return r;
  }
  return -1;
}

/* Which comes a row, among those of as many entries, that is the q-th of its bank there; of: rows of each bank */
AUTOCSR_HD int AutoCSRPropagateOrder(const int of[], int bank, int q)
{
  int before = 0;

  for (int s = 0; s < AUTOCSR_PROPAGATE_BANKS; s++) before += of[s] > q ? q + (s < bank) : of[s];
  return before;
}

/* The slot of entry t of the k-th row: its codes, chunk after chunk of its row block; -1 if streams are not those of the row. Order popular: its t-th piece */
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

/*
  plan/propagate.c. Allocate: ITEM, INDEX and VALUE from the units before each tile, and those of all. Encode: all streams on the host but
  for the codes of values, which EncodeValues writes
*/
PETSC_INTERN PetscErrorCode AutoCSRPropagateAllocate(AutoCSRSegment *, PetscInt n, const PetscInt tile_unit[]);
PETSC_INTERN PetscErrorCode AutoCSRPropagateAllocateChunks(AutoCSRSegment *, PetscInt64 chunks, PetscInt parts); /* PART_PTR, PART, CODE_PTR */
PETSC_INTERN PetscErrorCode AutoCSRPropagateEncode_Host(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRPropagateEncodeValues_Host(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);

/*
  Parts of these that order popular shares: BLOCK_ROW; CHUNK_PTR, PART_PTR and PART of runs of so many entries (or pieces) in a row block and
  tile, whose first units are told, too; CODE_PTR and CODE, where the row of each slot (or piece) in its row block is told, AUTOCSR_PROPAGATE_ROWS and more: it has none
*/
PETSC_INTERN PetscErrorCode AutoCSRPropagateEncodeRowBlocks(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRPropagateEncodeChunks(AutoCSRSegment *, PetscInt tiles, PetscInt blocks, const PetscInt entries[], const PetscInt unit[]);
PETSC_INTERN PetscErrorCode AutoCSRPropagateEncodeCodes(AutoCSRSegment *, const uint16_t row_of[]);

/* check_propagate.c, as AutoCSRTiledCheck(); Chunks: that each of so many units has its place in one, and which slots of these, or pieces, are named by codes, and how many */
PETSC_INTERN PetscErrorCode AutoCSRPropagateCheck(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i);
PETSC_INTERN PetscErrorCode AutoCSRPropagateCheckChunks(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i, PetscInt units, char named[], PetscInt *n);

#endif
