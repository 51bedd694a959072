/*
  Rows of training data (rows.c), of which config/train-chooser.py makes the tables of the learned choosers. Lines of a CSV file:

    H  device, scalars, backend, then what the lines below have
    M  key of the matrix, its features (choose/features.h), how many lines V and B follow
    V  strategy, 1 if the planner takes it into account unasked, features of the variant, score, seconds, joules
    B  granularity U, bin, rows, nonzeros, seconds with 1, 2, 4 ... 256 lanes

  Seconds are in microseconds, joules in microjoules, shares of a variant's seconds in thousandths. A number that is missing was not measured.
*/
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "planner.h"
#include <stdio.h>

typedef struct {
  const AutoCSRFigures *figures;
  Clock                 clock;
  double                worth;  /* variants predicted to take more than so many times the least are left out */
  PetscInt              bins;   /* of a granularity, at most; 0: no lines B */
  double                energy; /* seconds of products for which joules are counted; 0: none are */
} RowsWanted;

typedef struct {
  PetscInt    variants;
  double      best, model; /* seconds: least, and of the cost model's choice */
  const char *strategy;    /* of the least */
} RowsSummary;

PetscErrorCode RowsHead(const RowsWanted *, FILE *);
/* host: the matrix in the host's memory */
PetscErrorCode RowsOfMatrix(const RowsWanted *, const char key[], const AutoCSRMatrix *host, FILE *, RowsSummary *);

#endif
