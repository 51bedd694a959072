/*
  Progressive planning, by the rule of who rents and may buy: a step of planning is made when the products so far have cost
  as much as it and the steps before it will. What seconds there are here are all predicted, none is of a clock: which plan
  makes the k-th product of a matrix is the same in every run.

  However many products follow, the total is at most twice that of the best plan made at the best time, and one product of
  the first plan more (the argument is in doc/design.md 5, tests/ex26.c tries it out). Before the look it is not known what a product gathers;
  if one takes f times as long as was thought then, there is |f - 1| times the look on top.
*/
#include "select.h"

void AutoCSRProgressBegin(AutoCSRProgress *p, double product, double look)
{
  *p = (AutoCSRProgress){.stage = AUTOCSR_STAGE_FIRST, .product = product, .look = look, .due = look};
}

/* product: one of the first plan, as the look has it; 0: it does not know. Those that were made cost as much */
void AutoCSRProgressChosen(AutoCSRProgress *p, double product, double build)
{
  p->stage = AUTOCSR_STAGE_CHOSEN;
  if (product > 0 && p->product > 0) {
    p->spent *= product / p->product;
    p->product = product;
  }
  p->due += build;
}

/* What was seen of the values is no longer so: it must be looked at again, once as much is spent again */
void AutoCSRProgressReturn(AutoCSRProgress *p)
{
  AutoCSRProgressBegin(p, p->product, p->look);
}

PetscBool AutoCSRProgressIsDue(const AutoCSRProgress *p)
{
  return (PetscBool)(p->stage != AUTOCSR_STAGE_FINAL && p->spent >= p->due);
}

void AutoCSRProgressCount(AutoCSRProgress *p)
{
  p->spent += p->product;
}

/* Products until the next step is due; 0: it is due, or there is none */
PetscInt AutoCSRProgressRemaining(const AutoCSRProgress *p)
{
  const double more = p->stage == AUTOCSR_STAGE_FINAL || !(p->product > 0) ? 0 : ceil((p->due - p->spent) / p->product);

  return more < PETSC_MAX_INT ? (PetscInt)PetscMax(more, 0) : PETSC_MAX_INT;
}
