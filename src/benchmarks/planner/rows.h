/*
  rows.c writes rows of training data; config/train-chooser.py and train-energy.py make the tables of the learned choosers from them. A CSV file has these lines:

    H  device, scalars, backend, then what the lines below have
    M  key of the matrix, its features (choose/features.h), how many lines V and B follow
    V  strategy, 1 if the planner takes it into account unasked, features of the variant, score, seconds, joules
    B  granularity U, bin, rows, nonzeros, seconds with 1, 2, 4 ... 256 lanes
    J  joules of a variant as above, and counted again for AGAIN_SPANS times as long: how far counting is to be trusted

  Seconds are in microseconds, joules in microjoules, shares of a variant's seconds in thousandths. A number that is missing was not measured.
*/
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "planner.h"
#include <stdio.h>

typedef struct {
  const AutoCSRFigures *figures;
  Clock                 clock;
  double                worth;   /* variants predicted to take more than so many times the least are left out */
  PetscBool             unasked; /* and those that the planner takes into account only if asked */
  PetscInt              bins;    /* of a granularity, at most; 0: no lines B */
  double                energy;  /* seconds of products for which joules are counted; 0: none are */
  PetscInt              counted; /* variants of which joules are counted, at most */
  PetscBool             again;   /* a line J */
} RowsWanted;
#define AGAIN_SPANS 3

typedef struct {
  PetscInt    variants, counted;
  double      best, model; /* seconds: least, and of the planner's choice */
  const char *strategy;    /* of the least */
} RowsSummary;

PetscErrorCode RowsHead(const RowsWanted *, FILE *);
/* host: the matrix in the host's memory */
PetscErrorCode RowsOfMatrix(const RowsWanted *, const char key[], const AutoCSRMatrix *host, FILE *, RowsSummary *);

#endif
