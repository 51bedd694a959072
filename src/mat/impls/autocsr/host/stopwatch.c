/* The host's stopwatch: products have ended when they return */
#include "host.h"
#include "../backend.h"
#include <petsctime.h>

PetscErrorCode AutoCSRHostWatchBegin(AutoCSRStopwatch *w)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  w->begin = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRHostWatchEnd(AutoCSRStopwatch *w)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  w->end = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRHostWatchRead(AutoCSRStopwatch *w, double *seconds)
{
  *seconds = PetscMax(w->end - w->begin, 0);
  return PETSC_SUCCESS;
}

PetscErrorCode AutoCSRHostWatchForget(AutoCSRStopwatch *w)
{
  *w = (AutoCSRStopwatch){.begin = 0};
  return PETSC_SUCCESS;
}
