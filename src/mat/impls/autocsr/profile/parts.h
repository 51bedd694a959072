/*
  The parts of a profile, one file each. They are called in this order: each may read what those before it found. The
  rules by which they sample are here: a device profiles by the same (cuda/profile*.cu).
*/
#ifndef AUTOCSR_PARTS_H
#define AUTOCSR_PARTS_H

#include "profile.h"

#define AUTOCSR_SAMPLE_ENTRIES 1024 /* of a slice, for gather_lines */
#define AUTOCSR_BLOCK_ENTRIES  4096 /* the same of a device's block of rows */
#define AUTOCSR_SAMPLE_WIDTH   32   /* entries of a row of such a slice, for fitted */
#define AUTOCSR_SAMPLE_ROWS    64   /* of a chunk, at most, for patterns; at least a quarter as many, then a part of its rows */
/* Patterns collected beside those that recur in the sample, which are half of its rows at most */
#define AUTOCSR_COLLECTED_PATTERNS (8 * AUTOCSR_MAX_PATTERNS)
#define AUTOCSR_RECURRING_PATTERNS (AUTOCSR_MAX_CHUNKS * AUTOCSR_SAMPLE_ROWS / 2)

#define AUTOCSR_REACH_SAMPLES 65536                                          /* entries, for reach */
#define AUTOCSR_REACH_BYTES   (4 << 20)                                      /* x of fewer bytes is not looked at: gathers read it from a cache anyway; nor is it for a processor, of which it decides nothing */
#define AUTOCSR_REACH_COLUMNS (AUTOCSR_LINE / (PetscInt)sizeof(PetscScalar)) /* of a line */

AUTOCSR_HD PetscBool AutoCSRReachIsSampled(const AutoCSRProfile *p)
{
  return (PetscBool)(!p->rows_only && p->slice_height > 8 && (double)p->n * sizeof(PetscScalar) > AUTOCSR_REACH_BYTES && p->nnz >= AUTOCSR_REACH_SAMPLES);
}

AUTOCSR_HD PetscInt AutoCSRReachLines(PetscInt n)
{
  return n / AUTOCSR_REACH_COLUMNS + (n % AUTOCSR_REACH_COLUMNS > 0);
}

/* The k-th of so many samples among n, of which there are as many at least: anywhere in the k-th stretch of these, since at even distances all might be of one kind, as first entries of rows are */
AUTOCSR_HD PetscInt AutoCSRSample(PetscInt n, PetscInt samples, PetscInt k)
{
  const PetscInt stretch = n / samples;
  uint32_t       h       = (uint32_t)k * 0x9E3779B9u;

  h ^= h >> 15;
  h *= 0x85EBCA6Bu;
  h ^= h >> 13;
  return (PetscInt)((PetscInt64)stretch * k + (PetscInt64)(n % samples) * k / samples + (PetscInt64)(h % (uint64_t)stretch));
}

/* Of entries, for what gathers reach */
AUTOCSR_HD PetscInt AutoCSRReachSample(PetscInt nnz, PetscInt k)
{
  return AutoCSRSample(nnz, AUTOCSR_REACH_SAMPLES, k);
}

/* Rows that read x through one cache at one time, for gather_lines: a block's on a device, a slice on a processor; their entries that are looked at */
AUTOCSR_HD PetscInt AutoCSRGatherRows(PetscInt slice_height)
{
  return slice_height > 8 ? AUTOCSR_WINDOW : slice_height;
}

AUTOCSR_HD PetscInt AutoCSRGatherEntries(PetscInt slice_height)
{
  return slice_height > 8 ? AUTOCSR_BLOCK_ENTRIES : AUTOCSR_SAMPLE_ENTRIES;
}

/* Every so many slices of a chunk one, and the rows after it, is looked at for gather_lines: about 8 of them, a quarter as many of small chunks */
AUTOCSR_HD PetscInt AutoCSRSampleStep(PetscInt slices)
{
  PetscInt samples = slices / 16;

  if (samples > 8) samples = 8;
  if (samples < 2) samples = 2;
  return slices > samples ? slices / samples : 1;
}

/* Rows of a chunk whose patterns are looked at first; the k-th of them */
AUTOCSR_HD PetscInt AutoCSRSampleRows(PetscInt rows)
{
  PetscInt samples = rows / 16;

  if (samples > AUTOCSR_SAMPLE_ROWS) samples = AUTOCSR_SAMPLE_ROWS;
  if (samples < AUTOCSR_SAMPLE_ROWS / 4) samples = AUTOCSR_SAMPLE_ROWS / 4;
  return samples < rows ? samples : rows;
}

AUTOCSR_HD PetscInt AutoCSRSampleRow(PetscInt rows, PetscInt samples, PetscInt k)
{
  return (PetscInt)((PetscInt64)rows * k / samples);
}

/*
  A chunk's rows are looked at one by one if of its sample's filled rows half recur; three quarters if all chunks have
  large samples: of the patterns that cover such a chunk nearly all are seen twice. Where there are so few rows that the dictionary
  has room for all, each is looked at. Not of rows longer than AUTOCSR_PATTERN_LENGTH, which a warp would walk alone: in the sample they
  count as such that do not recur, and few rows of that mean length are not looked at
*/
#define AUTOCSR_PATTERN_LENGTH 2048

AUTOCSR_HD PetscBool AutoCSRSampleShowsPatterns(PetscInt m, PetscInt nnz, PetscInt recurring, PetscInt filled)
{
  const PetscInt quarters = m >= AUTOCSR_MAX_CHUNKS * 16 * AUTOCSR_SAMPLE_ROWS ? 3 : 2;

  return (PetscBool)(4 * recurring >= quarters * filled || (m <= AUTOCSR_MAX_PATTERNS && nnz <= m * AUTOCSR_PATTERN_LENGTH));
}

/* profile.c: what the chunks (their nnz, lengths and empty rows) sum up to; squares: of the distances of the lengths from AutoCSRProfileShift() */
PETSC_INTERN void AutoCSRProfileTotal(AutoCSRProfile *, double squares);

/* An integer near the mean length: sums of distances from it are exact, in any order */
AUTOCSR_HD PetscInt AutoCSRProfileShift(PetscInt m, PetscInt nnz)
{
  return m ? nnz / m : 0;
}

PETSC_INTERN PetscErrorCode AutoCSRProfileSpread(const AutoCSRMatrix *, AutoCSRProfile *);                                                         /* spread.c: bandwidth, padding, 16-bit slices, gather_lines */
PETSC_INTERN void           AutoCSRProfileNodes(const AutoCSRMatrix *, AutoCSRProfile *);                                                          /* nodes.c: nodes, node_entries */
PETSC_INTERN PetscErrorCode AutoCSRProfileReach(const AutoCSRMatrix *, AutoCSRProfile *);                                                          /* reach.c: reach */
PETSC_INTERN void           AutoCSRProfileSetReach(AutoCSRProfile *, PetscInt half, PetscInt lines);                                               /* the same, where those of even number and all fall on so many lines */
PETSC_INTERN void           AutoCSRProfileSetPlanes(AutoCSRProfile *, PetscInt number, PetscInt others, PetscInt length, const PetscInt offset[]); /* of the commonest pattern, and the rows of others with as many entries or more; planes.c */
PETSC_INTERN PetscErrorCode AutoCSRProfileBlocks(const AutoCSRMatrix *, AutoCSRProfile *);                                                         /* blocks.c: block_size */
PETSC_INTERN PetscErrorCode AutoCSRProfilePatterns(const AutoCSRMatrix *, AutoCSRProfile *);                                                       /* patterns.c */
PETSC_INTERN PetscErrorCode AutoCSRProfileValues(const AutoCSRMatrix *, AutoCSRProfile *);                                                         /* values.c: values, value, float32_exact */
PETSC_INTERN PetscErrorCode AutoCSRProfileSymmetry(const AutoCSRMatrix *, AutoCSRProfile *);                                                       /* symmetry.c: diagonals */

#endif
