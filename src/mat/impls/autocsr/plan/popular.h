/*
  Order popular: what encoders, decoders and kernels know of column tiles whose columns are taken by how many entries they have,
  on one column, entry or piece, in the common subset of C and CUDA (frequency based clustering: Zhang, Kiriansky, Mendis,
  Amarasinghe, Zaharia 2017; hong2019, 3: heavy columns first).

  COLUMN lists the columns that have entries, by class: the highest bits of how many, so that in a class they ascend. Tiles are of
  neighbours in that list; entries lie in them as in order tiled (tiled.h), pieces of rows have a sum each, and sums go to row blocks by chunks
  as the products of order propagated do (propagate.h), a sum a unit.
*/
#ifndef AUTOCSR_POPULAR_H
#define AUTOCSR_POPULAR_H

#include "propagate.h"

#define AUTOCSR_POPULAR_CLASSES 256
#define AUTOCSR_POPULAR_NONE    255 /* the class of columns without entries */

/* The class of a column of so many entries: a fourth of a power of two; the most popular come first */
AUTOCSR_HD uint8_t AutoCSRPopularClass(PetscInt entries)
{
  int bits = 0;

  if (!entries) return AUTOCSR_POPULAR_NONE;
  while (entries >> bits > 1) bits++;
  return (uint8_t)(AUTOCSR_POPULAR_NONE - 1 - (4 * bits + (int)((bits > 1 ? entries >> (bits - 2) : entries << (2 - bits)) & 3)));
}

AUTOCSR_HD PetscInt AutoCSRPopularColumns(const AutoCSRSegment *seg)
{
  return (PetscInt)(seg->stream[AUTOCSR_STREAM_COLUMN].bytes / sizeof(PetscInt));
}

AUTOCSR_HD PetscInt AutoCSRPopularTiles(const AutoCSRSegment *seg)
{
  return AutoCSRTiledTiles(&seg->axes, AutoCSRPopularColumns(seg));
}

/* Where what is read by COLUMN begins in scratch, in scalars: behind the sums of pieces, of which there is one at most for each place of a chunk */
AUTOCSR_HD size_t AutoCSRPopularX(const AutoCSRSegment *seg)
{
  return (size_t)AutoCSRPropagateChunks(seg) * AUTOCSR_PROPAGATE_CHUNK;
}

AUTOCSR_HD size_t AutoCSRPopularScratchBytes(const AutoCSRSegment *seg)
{
  return (AutoCSRPopularX(seg) + (size_t)AutoCSRPopularColumns(seg)) * sizeof(PetscScalar);
}

/* The column in a slot */
AUTOCSR_HD PetscInt AutoCSRPopularColumn(const AutoCSRSegment *seg, PetscInt slot)
{
  return ((const PetscInt *)seg->stream[AUTOCSR_STREAM_COLUMN].data)[AutoCSRTiledColumn(seg, AutoCSRTiledTileOf(seg, slot), slot)];
}

/* Of piece i: its first slot, and the one after its last */
AUTOCSR_HD PetscInt AutoCSRPopularPiece(const AutoCSRSegment *seg, PetscInt i, PetscInt *end)
{
  const PetscInt before = i ? AutoCSRTiledPieceEnd(seg, i - 1) : 0;
  PetscInt       begin;

  *end  = AutoCSRTiledPieceEnd(seg, i);
  begin = AutoCSRTiledFirstGroup(seg, AutoCSRTiledTileOf(seg, *end - 1)) * AUTOCSR_TILED_GROUP;
  return begin > before ? begin : before;
}

/* The slot of a column among those of the k-th row, in whose pieces columns ascend; -1: none has it */
AUTOCSR_HD PetscInt AutoCSRPopularSlot(const AutoCSRSegment *seg, PetscInt k, PetscInt column)
{
  PetscInt piece;

  for (PetscInt t = 0; (piece = AutoCSRPropagateSlot(seg, k, t)) >= 0; t++) {
    PetscInt end, begin = AutoCSRPopularPiece(seg, piece, &end);

    while (end - begin > 1) {
      const PetscInt mid = begin + (end - begin) / 2;

      if (AutoCSRPopularColumn(seg, mid) <= column)
        begin = mid;
      else
        end = mid;
    }
    if (AutoCSRPopularColumn(seg, begin) == column) return begin;
  }
  return -1;
}

/* plan/popular.c, as AutoCSRTiledEncode_Host() and AutoCSRTiledEncodeValues_Host() */
PETSC_INTERN PetscErrorCode AutoCSRPopularEncode_Host(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRPopularEncodeValues_Host(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);
PETSC_INTERN PetscErrorCode AutoCSRPopularCheck(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i); /* check_popular.c, as AutoCSRTiledCheck() */

#endif
