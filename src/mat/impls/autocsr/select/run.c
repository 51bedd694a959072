/* Products with a bound plan, by its backend. No allocation, no search */
#include "select.h"
#include "../backend.h"

PetscErrorCode AutoCSRPlanMult(const AutoCSRPlan *plan, const AutoCSROperands *op)
{
  PetscFunctionBegin;
  PetscCall((*plan->backend->mult)(plan, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanMultTranspose(const AutoCSRPlan *plan, const AutoCSROperands *op)
{
  PetscFunctionBegin;
  PetscCall((*plan->backend->mult_transpose)(plan, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}
