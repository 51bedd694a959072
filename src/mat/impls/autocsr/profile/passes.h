/*
  The passes of a profile over a matrix, one file each. AutoCSRProfileFill_Host() calls them one after the other, and each may read what
  earlier passes found. The rules for samples are here, because a device profiles by the same rules (cuda/profile*.cu).
*/
#ifndef AUTOCSR_PASSES_H
#define AUTOCSR_PASSES_H

#include "profile.h"

#define AUTOCSR_SAMPLE_ENTRIES 1024 /* entries of a sampled slice, for gather_lines */
#define AUTOCSR_BLOCK_ENTRIES  4096 /* entries of a device's sampled rows, for gather_lines */
#define AUTOCSR_SAMPLE_WIDTH   32   /* entries of a row of a sampled slice, for fitted */
/* Most sampled rows of a zone, for patterns; a small zone has a quarter as many */
#define AUTOCSR_SAMPLE_ROWS 64
/* Most patterns that are collected beside those that recur in the sample */
#define AUTOCSR_COLLECTED_PATTERNS (8 * AUTOCSR_MAX_PATTERNS)
/* Most patterns that recur in the sample: half of its rows */
#define AUTOCSR_RECURRING_PATTERNS (AUTOCSR_MAX_ZONES * AUTOCSR_SAMPLE_ROWS / 2)

#define AUTOCSR_REACH_SAMPLES 65536 /* entries, for reach */
/* The profile does not look at the reach of a smaller x, because caches hold it anyway. On a processor the reach decides nothing */
#define AUTOCSR_REACH_BYTES   (4 << 20)
#define AUTOCSR_REACH_COLUMNS (AUTOCSR_LINE / (PetscInt)sizeof(PetscScalar)) /* columns of a line */

AUTOCSR_HD PetscBool AutoCSRReachIsSampled(const AutoCSRProfile *p)
{
  return (PetscBool)(!p->rows_only && p->slice_height > 8 && (double)p->n * sizeof(PetscScalar) > AUTOCSR_REACH_BYTES && p->nnz >= AUTOCSR_REACH_SAMPLES);
}

AUTOCSR_HD PetscInt AutoCSRReachLines(PetscInt n)
{
  return n / AUTOCSR_REACH_COLUMNS + (n % AUTOCSR_REACH_COLUMNS > 0);
}

/*
  The k-th of `samples` samples among n elements, n >= samples: a random element of the k-th stretch of n / samples
  elements. Samples at even distances might all be of one kind, such as first entries of rows
*/
AUTOCSR_HD PetscInt AutoCSRSample(PetscInt n, PetscInt samples, PetscInt k)
{
  const PetscInt stretch = n / samples;
  uint32_t       h       = (uint32_t)k * 0x9E3779B9u;

  h ^= h >> 15;
  h *= 0x85EBCA6Bu;
  h ^= h >> 13;
  return (PetscInt)((PetscInt64)stretch * k + (PetscInt64)(n % samples) * k / samples + (PetscInt64)(h % (uint64_t)stretch));
}

/* The k-th sampled entry, for reach */
AUTOCSR_HD PetscInt AutoCSRReachSample(PetscInt nnz, PetscInt k)
{
  return AutoCSRSample(nnz, AUTOCSR_REACH_SAMPLES, k);
}

/*
  Rows that read x through one cache at one time, for gather_lines: on a device a thread block's, on a processor a slice's.
  Next: their entries that the profile looks at
*/
AUTOCSR_HD PetscInt AutoCSRGatherRows(PetscInt slice_height)
{
  return slice_height > 8 ? AUTOCSR_WINDOW : slice_height;
}

AUTOCSR_HD PetscInt AutoCSRGatherEntries(PetscInt slice_height)
{
  return slice_height > 8 ? AUTOCSR_BLOCK_ENTRIES : AUTOCSR_SAMPLE_ENTRIES;
}

/*
  The profile looks at every AutoCSRSampleStep()-th slice of a zone, and the rows after it, for gather_lines: about 8
  slices, 2 in small zones
*/
AUTOCSR_HD PetscInt AutoCSRSampleStep(PetscInt slices)
{
  PetscInt samples = slices / 16;

  if (samples > 8) samples = 8;
  if (samples < 2) samples = 2;
  return slices > samples ? slices / samples : 1;
}

/* Rows of a zone whose patterns the profile looks at first. Next: the k-th of them */
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
  The profile looks at each row of a zone if half of the filled rows in its sample recur. If all zones have large samples
  it takes three quarters: the sample has then seen nearly all patterns that cover such a zone twice. The profile looks at
  each row, too, if the dictionary has room for a pattern from each row, unless rows have more than AUTOCSR_PATTERN_LENGTH
  entries on average. A warp would walk such rows alone. In the sample they count as rows that do not recur
*/
#define AUTOCSR_PATTERN_LENGTH 2048

AUTOCSR_HD PetscBool AutoCSRSampleShowsPatterns(PetscInt m, PetscInt nnz, PetscInt recurring, PetscInt filled)
{
  const PetscInt quarters = m >= AUTOCSR_MAX_ZONES * 16 * AUTOCSR_SAMPLE_ROWS ? 3 : 2;

  return (PetscBool)(4 * recurring >= quarters * filled || (m <= AUTOCSR_MAX_PATTERNS && nnz <= m * AUTOCSR_PATTERN_LENGTH));
}

/*
  profile.c: totals of the zones' nnz, lengths and empty rows. squares: the sum of squared distances of lengths from
  AutoCSRProfileShift()
*/
PETSC_INTERN void AutoCSRProfileTotal(AutoCSRProfile *, double squares);

/* An integer near the mean length: sums of distances from it are exact, in any order */
AUTOCSR_HD PetscInt AutoCSRProfileShift(PetscInt m, PetscInt nnz)
{
  return m ? nnz / m : 0;
}

/* spread.c: bandwidth, padding, 16-bit slices, gather_lines, fitted */
PETSC_INTERN PetscErrorCode AutoCSRProfileSpread(const AutoCSRMatrix *, AutoCSRProfile *);
/* nodes.c: nodes, node_entries */
PETSC_INTERN void AutoCSRProfileNodes(const AutoCSRMatrix *, AutoCSRProfile *);
/* reach.c: reach, reach_growth */
PETSC_INTERN PetscErrorCode AutoCSRProfileReach(const AutoCSRMatrix *, AutoCSRProfile *);
/* reach.c: the same, if the samples of even number fall on `half` lines and all samples on `lines` */
PETSC_INTERN void AutoCSRProfileSetReach(AutoCSRProfile *, PetscInt half, PetscInt lines);
/* planes.c: planes, from the commonest pattern. others: rows of other patterns with as many entries or more */
PETSC_INTERN void AutoCSRProfileSetPlanes(AutoCSRProfile *, PetscInt number, PetscInt others, PetscInt length, const PetscInt offset[]);
/* blocks.c: block_size */
PETSC_INTERN PetscErrorCode AutoCSRProfileBlocks(const AutoCSRMatrix *, AutoCSRProfile *);
/* patterns.c: patterns, pattern_row, pattern_id, planes */
PETSC_INTERN PetscErrorCode AutoCSRProfilePatterns(const AutoCSRMatrix *, AutoCSRProfile *);
/* values.c: values, value, pattern_values, float32_exact */
PETSC_INTERN PetscErrorCode AutoCSRProfileValues(const AutoCSRMatrix *, AutoCSRProfile *);
/* symmetry.c: diagonals */
PETSC_INTERN PetscErrorCode AutoCSRProfileSymmetry(const AutoCSRMatrix *, AutoCSRProfile *);

#endif
