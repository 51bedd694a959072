/* The steps of BiCGStab on a device */
#include "steps.h"

static PetscErrorCode Start(AutoCSRSolve *s, PetscBool product)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassBCGSStart(AutoCSRNextPass(s, PETSC_TRUE), product, (PetscBool)(s->left && s->array[AUTOCSR_D])));
  PetscCall(AutoCSRFollowPass(s, AUTOCSR_FOLLOW_BCGS_START));
  PetscCall(PetscLogGpuFlops((2.0 * s->block + 2) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Dot(AutoCSRSolve *s, AutoCSRVectorName from)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassBCGSDot(AutoCSRNextPass(s, PETSC_FALSE), s->array[from], (PetscBool)(from != AUTOCSR_V)));
  PetscCall(AutoCSRFollowPass(s, AUTOCSR_FOLLOW_BCGS_DOT));
  PetscCall(PetscLogGpuFlops((2.0 * s->block + 1) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Half(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassBCGSHalf(AutoCSRNextPass(s, PETSC_FALSE)));
  PetscCall(PetscLogGpuFlops(2.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Stabilize(AutoCSRSolve *s, AutoCSRVectorName from)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassBCGSStabilize(AutoCSRNextPass(s, PETSC_FALSE), s->array[from], (PetscBool)(from != AUTOCSR_T)));
  PetscCall(AutoCSRFollowPass(s, AUTOCSR_FOLLOW_BCGS_STABILIZE));
  PetscCall(PetscLogGpuFlops((2.0 * s->block + 5) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Update(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassBCGSUpdate(AutoCSRNextPass(s, PETSC_TRUE), (PetscBool)(!s->left && s->array[AUTOCSR_D])));
  PetscCall(AutoCSRFollowPass(s, AUTOCSR_FOLLOW_BCGS_UPDATE));
  PetscCall(PetscLogGpuFlops((2.0 * s->block + 8) * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Direction(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPassBCGSDirection(AutoCSRNextPass(s, PETSC_FALSE)));
  PetscCall(PetscLogGpuFlops(4.0 * s->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStepsBCGS AutoCSRStepsBCGSCUDA = {Start, Dot, Half, Stabilize, Update, Direction};
