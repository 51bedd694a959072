/* The joules that an NVIDIA device has used: NVML's counter. The library comes with the driver and is loaded when asked for, so that no build needs it */
#include "planner.h"
#include <dlfcn.h>

typedef int (*NvmlInit)(void);
typedef int (*NvmlHandle)(unsigned, void **);
typedef int (*NvmlEnergy)(void *, unsigned long long *);

static struct {
  void      *library, *device;
  NvmlEnergy energy;
} nvml;

PetscErrorCode EnergyBegin(int device, PetscBool *counts)
{
  unsigned long long millijoules;
  NvmlInit           init;
  NvmlHandle         handle;

  PetscFunctionBeginUser;
  *counts      = PETSC_FALSE;
  nvml.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!nvml.library) PetscFunctionReturn(PETSC_SUCCESS);
  init        = (NvmlInit)dlsym(nvml.library, "nvmlInit_v2");
  handle      = (NvmlHandle)dlsym(nvml.library, "nvmlDeviceGetHandleByIndex_v2");
  nvml.energy = (NvmlEnergy)dlsym(nvml.library, "nvmlDeviceGetTotalEnergyConsumption");
  *counts     = (PetscBool)(init && handle && nvml.energy && !(*init)() && !(*handle)((unsigned)device, &nvml.device) && !(*nvml.energy)(nvml.device, &millijoules));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EnergyRead(double *joules)
{
  unsigned long long millijoules = 0;

  PetscFunctionBeginUser;
  PetscCheck(nvml.energy && !(*nvml.energy)(nvml.device, &millijoules), PETSC_COMM_SELF, PETSC_ERR_LIB, "The device's energy counter cannot be read");
  *joules = 1e-3 * (double)millijoules;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EnergyEnd(void)
{
  PetscFunctionBeginUser;
  if (nvml.library) dlclose(nvml.library);
  nvml.library = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
