/*
  Layout popular: column tiles that take columns by their number of entries, for encoders, decoders and kernels; each
  function works on one column, entry or piece, in the common subset of C and CUDA. (Frequency based clustering of
  zhang2017; heavy columns first as in hong2019, 3.)

  COLUMN lists the columns that have entries by class, the highest bits of their number; in a class columns ascend. Tiles
  are neighbours in that list, and entries lie in them as in order tiled (tiled.h). Pieces of rows have a sum each. Sums go
  to row blocks by chunks, as the products of order propagated do (propagate.h); a unit is one sum.
*/
#ifndef AUTOCSR_POPULAR_H
#define AUTOCSR_POPULAR_H

#include "propagate.h"

#define AUTOCSR_POPULAR_CLASSES 256
#define AUTOCSR_POPULAR_NONE    255 /* the class of columns without entries */

/* The class of a column with so many entries: a fourth of a power of two. Columns with the most entries have the lowest classes */
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

/*
  The scratch of a segment has the sums of pieces, at most one for each place of a chunk. Behind them lies x in the order of
  COLUMN. Returns where x begins, in scalars
*/
AUTOCSR_HD size_t AutoCSRPopularX(const AutoCSRSegment *seg)
{
  return (size_t)AutoCSRPropagateChunks(seg) * AUTOCSR_PROPAGATE_CHUNK;
}

AUTOCSR_HD size_t AutoCSRPopularScratchBytes(const AutoCSRSegment *seg)
{
  return (AutoCSRPopularX(seg) + (size_t)AutoCSRPopularColumns(seg)) * sizeof(PetscScalar);
}

#endif
