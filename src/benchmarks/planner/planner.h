/*
  What programs share that call the planner's internals (model.c, training.c): a matrix where its products are made, and the
  seconds and joules of a plan's products.
*/
#ifndef BENCH_PLANNER_H
#define BENCH_PLANNER_H

#include "../../mat/impls/autocsr/choose/candidate.h"
#include "../matrices/matrices.h"

/* How products are timed: after three that warm up, rounds of about so many seconds each */
typedef struct {
  double    seconds;
  int       rounds; /* MAX_ROUNDS at most */
  PetscBool median; /* of the rounds; else the shortest counts */
} Clock;
#define MAX_ROUNDS 32

/* place.c: the same matrix where its products are made, with memory for x, which is ones, and y */
PetscErrorCode PlaceMatrix(const AutoCSRMatrix *host, AutoCSRMatrix *there, AutoCSROperands *);
PetscErrorCode PlaceFree(const AutoCSROperands *);

/* products.c */
PetscErrorCode ProductSeconds(const AutoCSRPlan *, const AutoCSROperands *, const Clock *, double *seconds);
/* Builds a candidate and times it. *seconds is 0 if there is no memory for it */
PetscErrorCode CandidateSeconds(AutoCSRChooser *, const AutoCSRCandidate *, const AutoCSROperands *, const Clock *, double *seconds);
/* Builds it and counts the joules of a product, each of which takes `seconds`, by products for the span. *joules is 0 if there is no memory for it, or the counter does not move */
PetscErrorCode CandidateJoules(AutoCSRChooser *, const AutoCSRCandidate *, const AutoCSROperands *, double seconds, double span, double *joules);

static inline AutoCSRCandidate CandidateOf(const AutoCSRChooser *chooser, const AutoCSRStrategy *strategy, const AutoCSRAxes *axes)
{
  return (AutoCSRCandidate){.n_ranges = 1, .first = {strategy, *axes, 0, chooser->problem.profile->zones}};
}

/* bins.c: the bins of a granularity (hou2017, III-B), each with every number of lanes */
#define BIN_KERNELS 9 /* 1, 2, 4 ... 256 lanes */
typedef struct {
  PetscInt bin, rows, nnz;
  double   seconds[BIN_KERNELS]; /* of a product with the rows of the bin; 0: not timed */
} BinTimes;
/* Of the bins with the most nonzeros, `max` at most. U of all rows: the single bin */
PetscErrorCode BinsSeconds(const AutoCSRChooser *, PetscInt U, const AutoCSROperands *, const Clock *, PetscInt max, BinTimes[], PetscInt *n);

#endif
