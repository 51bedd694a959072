/*
  Progressive planning, by the rule of who rents and may buy: a step of planning is made when the products so far have cost
  as much as it and the steps before it will. What seconds there are here are all predicted, none is of a clock: which plan
  makes the k-th product of a matrix is the same in every run.

  However many products follow, the total of a process that plans alone is at most twice the best decision in hindsight, and
  one product of the first plan more (tests/choose/progress.c tries it out). Let n products cost r each by the first plan and
  r' <= r by the chosen one, look and building P and B. A matrix that stops before the look has paid n r. One that stops
  before building has paid at most P on top, and n r >= P. One that goes on has paid rent below P + B + r, then P + B, then the
  rest at r'. The best in hindsight is min(n r, P + B + n r'). Before the look it is not known what a product gathers; if it
  takes f times as long as was thought then, there is |f - 1| times the look on top.

  Processes that share a matrix wait for each other in every product. Their blocks, and the two of each, take steps in step: a step that is due waits for the
  next product of a round number, at most a quarter of the products so far, so that most are made at once. The total is at most 1.25 times that of one alone.

  A matrix whose structures live too short to pay for the look pays for it in each of them. Such lives are advice, as in ski rental with predictions (Purohit,
  Svitkina and Kumar 2018, with lambda = 1 / AUTOCSR_PATIENCE): the steps of the next life wait until products have cost AUTOCSR_PATIENCE times as much. Where the advice is right
  the total is at most 1 + lambda times the best in hindsight, where it is wrong at most 1 + 1 / lambda times and one product more. A life that pays ends it.
*/
#include "choose.h"

void AutoCSRProgressBegin(AutoCSRProgress *p, PetscBool in_step, double product, double look)
{
  *p = (AutoCSRProgress){.stage = AUTOCSR_STAGE_FIRST, .in_step = in_step, .product = product, .look = look, .due = look};
}

/* The first number from n on of three binary digits and zeros: 1 to 8, 10, 12, 14, 16, 20 ... */
static PetscInt64 RoundUp(PetscInt64 n)
{
  PetscInt64 unit = 1;

  while (n / unit >= 8) unit *= 2;
  return (n + unit - 1) / unit * unit;
}

void AutoCSRProgressExpect(AutoCSRProgress *p, const AutoCSRLives *lives)
{
  p->patient = (PetscBool)(lives->in_vain >= AUTOCSR_IN_VAIN);
  if (p->patient) p->due *= AUTOCSR_PATIENCE;
}

/* product: one of the first plan, as the look has it; 0: it does not know. Those that were made cost as much. better: one of the chosen plan */
void AutoCSRProgressChosen(AutoCSRProgress *p, double product, double better, double build)
{
  p->stage  = AUTOCSR_STAGE_CHOSEN;
  p->better = better;
  p->steps  = p->look + build;
  if (product > 0 && p->product > 0) {
    p->spent *= product / p->product;
    p->product = product;
  }
  p->due += p->patient ? AUTOCSR_PATIENCE * build : build;
}

/* A life that ends before the rule without advice would look says nothing about looks */
void AutoCSRLivesRecord(AutoCSRLives *lives, const AutoCSRProgress *p, PetscInt64 products)
{
  const double lived = (double)products * p->product;

  if (PetscDefined(HAVE_THREADSAFETY) || !(p->product > 0)) return; /* the plan was made at once */
  if (p->steps > 0) lives->pays = p->better < p->product ? p->steps * p->product / (p->product - p->better) : PETSC_MAX_REAL;
  if (lived - p->product < p->look || !(lives->pays > 0)) return;
  lives->in_vain = lived < lives->pays ? lives->in_vain + 1 : 0;
}

/* What was seen of the values is no longer so: it must be looked at again, once as much is spent again */
void AutoCSRProgressReturn(AutoCSRProgress *p)
{
  const PetscInt64 products = p->products; /* the other blocks count on */

  AutoCSRProgressBegin(p, p->in_step, p->product, p->look);
  p->products = products;
}

PetscBool AutoCSRProgressIsDue(const AutoCSRProgress *p)
{
  return (PetscBool)(p->stage != AUTOCSR_STAGE_FINAL && p->spent >= p->due && (!p->in_step || RoundUp(p->products) == p->products));
}

void AutoCSRProgressCount(AutoCSRProgress *p)
{
  p->spent += p->product;
  p->products++;
}

void AutoCSRProgressSpend(AutoCSRProgress *p, double seconds)
{
  for (; seconds > 0 && p->product > 0 && p->stage != AUTOCSR_STAGE_FINAL && !AutoCSRProgressIsDue(p); seconds -= p->product) AutoCSRProgressCount(p);
}

/* Products until the next step is due; 0: it is due, or there is none */
PetscInt AutoCSRProgressRemaining(const AutoCSRProgress *p)
{
  double more;

  if (p->stage == AUTOCSR_STAGE_FINAL || !(p->product > 0)) return 0;
  more = PetscMax(0, ceil((p->due - p->spent) / p->product));
  if (p->in_step && more < PETSC_MAX_INT / 2) more = (double)(RoundUp(p->products + (PetscInt64)more) - p->products);
  return more < PETSC_MAX_INT ? (PetscInt)more : PETSC_MAX_INT;
}
