/*
  Two ways to the same sums, bit for bit: x is gathered by loads or by the processor's instruction, streams from memory
  are prefetched or left to the processor. The faster way depends on where lines of x come from, and no count of the
  profile tells it.

  The first products with a segment of LEAST nonzeros or more are made in turn: first by the two ways to gather, then, if
  the plan reads from memory, with prefetches and without. The plan's way stays after LEAST_TURNS turns, unless the other
  way takes less than Faster[] of its time. The other way must still be faster after MOST_TURNS turns or ENOUGH seconds,
  because a disturbance of the plan's way may look like a gain. The matrix is not `settled` until then. No turns are taken
  where the user names the instruction set, or -mat_autocsr_machine says that nothing is measured.
*/
#include "bound.h"
#include "executors.h"
#include <petsctime.h>

#define LEAST_TURNS 3    /* turns of each way before the plan's way stays; the shortest time of each counts */
#define MOST_TURNS  8    /* turns of each way before the other way stays */
#define ENOUGH      0.02 /* seconds of all turns after which the other way stays, too: a disturbance is over by then */
#define LEAST       4096 /* nonzeros: with fewer the clock tells too little */

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
