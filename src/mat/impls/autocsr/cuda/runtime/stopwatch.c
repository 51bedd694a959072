/* The device's stopwatch: two events on PETSc's stream, which nobody waits for */
#include "../device.h"

PetscErrorCode AutoCSRDeviceWatchBegin(AutoCSRStopwatch *w)
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    if (!w->event[k]) PetscCallCUDA(cudaEventCreate((cudaEvent_t *)&w->event[k]));
  }
  PetscCallCUDA(cudaEventRecord((cudaEvent_t)w->event[0], AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceWatchEnd(AutoCSRStopwatch *w)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaEventRecord((cudaEvent_t)w->event[1], AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceWatchRead(AutoCSRStopwatch *w, double *seconds)
{
  const cudaError_t error = cudaEventQuery((cudaEvent_t)w->event[1]);
  float             ms;

  PetscFunctionBegin;
  *seconds = -1;
  if (error == cudaErrorNotReady) {
    (void)cudaGetLastError();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallCUDA(error);
  PetscCallCUDA(cudaEventElapsedTime(&ms, (cudaEvent_t)w->event[0], (cudaEvent_t)w->event[1]));
  *seconds = 1e-3 * (double)ms;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceWatchForget(AutoCSRStopwatch *w)
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    if (w->event[k]) PetscCallCUDA(cudaEventDestroy((cudaEvent_t)w->event[k]));
    w->event[k] = NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
