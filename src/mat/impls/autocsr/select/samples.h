/*
  Small matrices on which a processor's executors are measured (calibrate.c). Inside select/ only.
*/
#ifndef AUTOCSR_SAMPLES_H
#define AUTOCSR_SAMPLES_H

#include "figures.h"

typedef struct {
  AutoCSRMatrix   csr; /* of the backend */
  AutoCSRProfile *profile;
} AutoCSRSample;

/* What their rows are like */
typedef enum {
  SAMPLE_TINY_ROWS,
  SAMPLE_SHORT_ROWS,
  SAMPLE_LONG_ROWS,
  SAMPLE_UNEVEN_ROWS,
  SAMPLE_MIXED_PATTERNS,
  SAMPLE_EMPTY_ROWS,
  SAMPLE_SHORT_PIECES,
  SAMPLE_LONG_PIECES,
  SAMPLE_SORTED_ROWS,
  SAMPLE_ONE_ENTRY,
  SAMPLE_KINDS
} AutoCSRSampleKind;

typedef struct {
  AutoCSRSample entries[SAMPLE_KINDS];                           /* of many distinct values, */
  AutoCSRSample few[SAMPLE_KINDS];                               /* of a few, */
  AutoCSRSample one[SAMPLE_KINDS];                               /* of one, */
  AutoCSRSample same[SAMPLE_KINDS];                              /* of those that the patterns tell */
  AutoCSRSample blocks[AUTOCSR_LARGEST_BLOCK + 1][SAMPLE_KINDS]; /* of dense b by b blocks; SAMPLE_SHORT_ROWS to SAMPLE_UNEVEN_ROWS */
  AutoCSRSample nodes[AUTOCSR_NODE_ROWS + 1][SAMPLE_KINDS];      /* of b short rows with the same columns; SAMPLE_TINY_ROWS to SAMPLE_UNEVEN_ROWS */
  AutoCSRSample near, far;                                       /* as a graph's, of which x is in the last cache, in memory */
} AutoCSRSamples;

/* Also what an error left half made is to be destroyed. l2: bytes of that cache */
PETSC_INTERN PetscErrorCode AutoCSRSamplesCreate(const AutoCSRFigures *, double l2, AutoCSRSamples **);
PETSC_INTERN PetscErrorCode AutoCSRSamplesDestroy(AutoCSRSamples **);

#endif
