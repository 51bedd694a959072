/* The log events of the library: where -log_view says that time goes */
#include "choose.h"
#include <petscmat.h>

PetscLogEvent AutoCSREvents[AUTOCSR_EVENT_COUNT];

PetscErrorCode AutoCSREventsRegister(void)
{
  static const char *const names[AUTOCSR_EVENT_COUNT] = {"AutoCSRProfile", "AutoCSRPlan", "AutoCSRRefresh", "AutoCSRMult", "AutoCSRDense", "AutoCSRSDDMM", "AutoCSRUpload"};

  PetscFunctionBegin;
  for (int k = 0; k < AUTOCSR_EVENT_COUNT; k++) PetscCall(PetscLogEventRegister(names[k], MAT_CLASSID, &AutoCSREvents[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
