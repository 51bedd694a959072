/* Joules that the device has used, by NVML's counter. That library comes with the driver and is loaded when asked for, so that no build needs it */
#include "../device.h"
#include <dlfcn.h>

typedef int (*Init)(void);
typedef int (*Handle)(const char[], void **);
typedef int (*Energy)(void *, unsigned long long *);

static struct {
  PetscBool asked;
  void     *library, *device;
  Energy    energy;
} nvml;

static PetscErrorCode Close(void)
{
  PetscFunctionBegin;
  if (nvml.library) dlclose(nvml.library);
  PetscCall(PetscMemzero(&nvml, sizeof(nvml)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The device by its bus, since CUDA may count others than NVML does */
static PetscErrorCode Open(void)
{
  char   bus[32];
  int    device;
  Init   init;
  Handle handle;

  PetscFunctionBegin;
  nvml.asked = PETSC_TRUE;
  PetscCall(PetscRegisterFinalize(Close));
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetPCIBusId(bus, sizeof(bus), device));
  nvml.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!nvml.library) PetscFunctionReturn(PETSC_SUCCESS);
  init        = (Init)dlsym(nvml.library, "nvmlInit_v2");
  handle      = (Handle)dlsym(nvml.library, "nvmlDeviceGetHandleByPciBusId_v2");
  nvml.energy = (Energy)dlsym(nvml.library, "nvmlDeviceGetTotalEnergyConsumption");
  if (!init || !handle || (*init)() || (*handle)(bus, &nvml.device)) nvml.energy = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceJoules(double *joules)
{
  unsigned long long millijoules;

  PetscFunctionBegin;
  if (!nvml.asked) PetscCall(Open());
  *joules = nvml.energy && !(*nvml.energy)(nvml.device, &millijoules) ? 1e-3 * (double)millijoules : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}
