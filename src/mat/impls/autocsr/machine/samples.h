/*
  Small matrices on which a processor's executors are measured (measure.c). Inside machine/ only.
*/
#ifndef AUTOCSR_SAMPLES_H
#define AUTOCSR_SAMPLES_H

#include "figures.h"

/* Lengths of rows: constant, or 1 to 2 * length - 1 at random */
typedef struct {
  PetscInt  rows, length;
  PetscBool random, alternating, half_empty; /* alternating: neighbouring rows have different patterns */
  size_t    far;                             /* bytes of x, of which rows have entries anywhere; 0: near the diagonal */
  PetscBool nodes;                           /* the rows of a block have the same columns, which are no blocks */
} AutoCSRSampleShape;

/* A sample is made when it is used first; a large one goes when another large one is made, and its sizes stay */
typedef struct {
  AutoCSRSampleShape shape;
  PetscInt           distinct, block; /* values: so many, one after the other, or 0: those that an entry's place in its row tells; of dense blocks, 1: of entries */
  AutoCSRMatrix      csr;             /* of the backend */
  AutoCSRProfile    *profile;         /* NULL: the arrays are not there */
  PetscInt           values, window;
  double             padded, padded_sorted, lines; /* entries with those of padding; lines of x that are gathered */
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

  const AutoCSRBackend *backend;
  AutoCSRSample        *large; /* the one that is there; NULL: none */
} AutoCSRSamples;

/* l2: bytes of that cache */
PETSC_INTERN PetscErrorCode AutoCSRSamplesCreate(const AutoCSRBackend *, double l2, AutoCSRSamples **);
PETSC_INTERN PetscErrorCode AutoCSRSampleUse(AutoCSRSamples *, AutoCSRSample *);   /* its arrays are there until another large one is used */
PETSC_INTERN PetscErrorCode AutoCSRSampleSizes(AutoCSRSamples *, AutoCSRSample *); /* its sizes are there */
PETSC_INTERN PetscErrorCode AutoCSRSamplesDestroy(AutoCSRSamples **);

#endif
