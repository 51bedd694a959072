/* Products with a bound plan: its segments one after the other. No allocation, no search */
#include "select.h"

PetscErrorCode AutoCSRPlanMult(const AutoCSRPlan *plan, const AutoCSROperands *op)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const AutoCSRSegment *seg = &plan->segment[s];

    if (seg->axes.mapping == AUTOCSR_MAP_EMPTY && op->z == op->y) continue; /* as for an off-diagonal block: nothing to add */
    seg->executor->mult(seg, op);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanMultTranspose(const AutoCSRPlan *plan, const AutoCSROperands *op)
{
  PetscFunctionBegin;
  if (!op->z)
    PetscCall(PetscArrayzero(op->y, plan->n));
  else if (op->z != op->y)
    PetscCall(PetscArraycpy(op->y, op->z, plan->n));
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const AutoCSRSegment *seg = &plan->segment[s];

    if (seg->nnz) seg->executor->transpose(seg, op);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
