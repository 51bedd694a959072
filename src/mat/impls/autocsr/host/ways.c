/*
  Gathers of x by the processor's instruction or by a load for each lane, and streams from memory that are prefetched or left to the processor: the sums are the same, bit for bit, and which is faster
  depends on where lines of x come from (on a Zen 4 the instruction takes two thirds of the time where they come from the second-level cache or from further away, and half as long again
  where most are in the first; on a Zen 5 prefetching takes 0.6 to 1.2 of the time: experiments.md), of which no count of the profile tells enough. So the first products with a segment are made in
  turn, first by the two ways to gather, then with prefetches and without, and the faster way stays: at once where that is the plan's, after more turns where it is the other, which a disturbance of the plan's may seem.
*/
#include "bound.h"
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
} ContestKind;

static const double Faster[CONTESTS] = {0.9, 0.95}; /* of the time of the plan's way */

typedef struct {
  const AutoCSRExecutor *executor;
  PetscBool              far;
} Way;

struct _AutoCSRContest {
  AutoCSRSegment *segment;
  ContestKind     kind;
  Way             way[2]; /* that which the segment has first */
  double          seconds[2], spent;
  int             products;
};

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

static AutoCSRContest Between(AutoCSRSegment *seg, ContestKind kind)
{
  AutoCSRContest c = {.segment = seg, .kind = kind, .way = {{seg->executor, seg->far}, {seg->executor, seg->far}}, .seconds = {PETSC_MAX_REAL, PETSC_MAX_REAL}};

  if (kind == CONTEST_GATHER)
    c.way[1].executor = seg->other;
  else
    c.way[1].far = (PetscBool)!seg->far;
  return c;
}

PetscErrorCode AutoCSRContestBegin(AutoCSRSegment *seg, AutoCSRContest **contest)
{
  PetscFunctionBegin;
  if (!seg->other || seg->nnz < LEAST) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(contest));
  **contest      = Between(seg, CONTEST_GATHER);
  seg->contested = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRContestMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  AutoCSRBound   *bound = (AutoCSRBound *)seg->launch;
  AutoCSRContest *c     = bound->contest;
  const int       k = c->products++ % 2, turns = c->products / 2;
  const Way       way = c->way[k];
  PetscBool       faster;
  PetscLogDouble  begin, end;

  PetscFunctionBegin;
  c->segment->far = way.far;
  PetscCall(PetscTime(&begin));
  way.executor->mult(seg, op);
  PetscCall(PetscTime(&end));
  c->seconds[k] = PetscMin(c->seconds[k], end - begin);
  c->spent += end - begin;
  faster = (PetscBool)(c->seconds[1] < Faster[c->kind] * c->seconds[0]);
  if (!k || turns < LEAST_TURNS || (faster && turns < MOST_TURNS && c->spent < ENOUGH)) PetscFunctionReturn(PETSC_SUCCESS);
  if (faster) PetscCall(PetscInfo(NULL, "%s: %s, which takes %.2f of the time\n", seg->executor->name, c->kind == CONTEST_GATHER ? "x is gathered the other way" : "nothing is prefetched", c->seconds[1] / c->seconds[0]));
  c->segment->executor = c->way[faster].executor;
  c->segment->far      = c->way[faster].far;
  if (c->kind == CONTEST_GATHER && seg->far)
    *c = Between(c->segment, CONTEST_PREFETCH);
  else {
    c->segment->contested = PETSC_FALSE;
    PetscCall(PetscFree(bound->contest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
