/*
  Gathers of x by the processor's instruction or by a load for each lane, and streams from memory that are prefetched or left to the processor: the sums are the same, bit for bit, and which is faster
  depends on where lines of x come from (on a Zen 4 the instruction takes two thirds of the time where they come from the second-level cache or from further away, and half as long again
  where most are in the first; on a Zen 5 prefetching takes 0.6 to 1.2 of the time: experiments.md), of which no count of the profile tells enough. So the first products with a segment are made in
  turn, first by the two ways to gather, then with prefetches and without, and the faster way stays: at once where that is the plan's, after more turns where it is the other, which a disturbance of the plan's may seem.
*/
#include "executors.h"
#include <petsctime.h>

#define LEAST_TURNS 3 /* of each way; the shortest counts */
#define MOST_TURNS  8 /* before the other way stays; fewer where they have taken ENOUGH seconds: a disturbance is over by then */
#define ENOUGH      0.02
#define LEAST       4096 /* nonzeros: of fewer, a clock tells too little */

typedef enum {
  CONTEST_GATHER,
  CONTEST_PREFETCH,
  CONTESTS
} Contest;

static const double Faster[CONTESTS] = {0.9, 0.95}; /* of the time of the plan's way */

typedef struct {
  const AutoCSRExecutor *executor;
  PetscBool              far;
} Way;

typedef struct {
  AutoCSRSegment *segment;
  Contest         contest;
  Way             way[2]; /* that which the segment has first */
  double          seconds[2], spent;
  int             products;
} Ways;

/* The same axes in the other table */
const AutoCSRExecutor *AutoCSRHostOtherWay(const AutoCSRExecutor *executor)
{
#if defined(AUTOCSR_HOST_GATHER)
  const AutoCSRHostExecutor *const table[2] = {AutoCSRHostExecutors_avx512, AutoCSRHostExecutors_avx512_gather};

  for (size_t i = 0; table[0][i].executor.name; i++) {
    const PetscBool gathers = (PetscBool)(table[0][i].index != AUTOCSR_INDEX_PATTERN && !table[0][i].blocks && table[0][i].mapping != AUTOCSR_MAP_EMPTY);

    for (int k = 0; k < 2; k++) {
      if (executor == &table[k][i].executor) return gathers ? &table[1 - k][i].executor : NULL;
    }
  }
#endif
  (void)executor;
  return NULL;
}

static Ways ContestBegin(AutoCSRSegment *seg, Contest contest)
{
  Ways ways = {.segment = seg, .contest = contest, .way = {{seg->executor, seg->far}, {seg->executor, seg->far}}, .seconds = {PETSC_MAX_REAL, PETSC_MAX_REAL}};

  if (contest == CONTEST_GATHER)
    ways.way[1].executor = seg->other;
  else
    ways.way[1].far = (PetscBool)!seg->far;
  return ways;
}

PetscErrorCode AutoCSRHostBindWays(AutoCSRPlan *plan)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    AutoCSRSegment *seg = &plan->segment[s];
    Ways           *ways;

    if (!seg->other || seg->nnz < LEAST) continue;
    if (!plan->launch) PetscCall(PetscCalloc1(plan->n_segments, (Ways **)&plan->launch));
    ways        = (Ways *)plan->launch + s;
    *ways       = ContestBegin(seg, CONTEST_GATHER);
    seg->launch = ways;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRHostUnbindWays(AutoCSRPlan *plan)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(plan->launch));
  for (PetscInt s = 0; s < plan->n_segments; s++) plan->segment[s].launch = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRHostMultiplyInTurn(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  Ways          *ways = (Ways *)seg->launch;
  const int      k = ways->products++ % 2, turns = ways->products / 2;
  const Way      way = ways->way[k];
  PetscBool      faster;
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  ways->segment->far = way.far;
  PetscCall(PetscTime(&begin));
  way.executor->mult(seg, op);
  PetscCall(PetscTime(&end));
  ways->seconds[k] = PetscMin(ways->seconds[k], end - begin);
  ways->spent += end - begin;
  faster = (PetscBool)(ways->seconds[1] < Faster[ways->contest] * ways->seconds[0]);
  if (!k || turns < LEAST_TURNS || (faster && turns < MOST_TURNS && ways->spent < ENOUGH)) PetscFunctionReturn(PETSC_SUCCESS);
  if (faster) PetscCall(PetscInfo(NULL, "%s: %s, which takes %.2f of the time\n", seg->executor->name, ways->contest == CONTEST_GATHER ? "x is gathered the other way" : "nothing is prefetched", ways->seconds[1] / ways->seconds[0]));
  ways->segment->executor = ways->way[faster].executor;
  ways->segment->far      = ways->way[faster].far;
  if (ways->contest == CONTEST_GATHER && seg->far)
    *ways = ContestBegin(ways->segment, CONTEST_PREFETCH);
  else
    ways->segment->launch = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
