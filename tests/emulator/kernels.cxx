/* The kernels that are launched by their address: how they are called */
#include "device.h"
#include "../../src/mat/impls/autocsr/cuda/runtime/launch.h"

void CallKernel(const void *kernel, void *const parameters[])
{
  if (kernel == AutoCSRManyKernel || kernel == AutoCSRLeanKernel)
    ((void (*)(AutoCSRManyParameters))kernel)(*(const AutoCSRManyParameters *)parameters[0]);
  else
    ((void (*)(AutoCSROneParameters))kernel)(*(const AutoCSROneParameters *)parameters[0]);
}
