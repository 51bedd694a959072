/* The kernels that are launched by their address: how they are called */
#include "device.h"
#include "../../src/mat/impls/autocsr/cuda/runtime/launch.h"

static bool IsForMany(const void *kernel)
{
  return kernel == AutoCSRManyKernel || kernel == AutoCSRLeanKernel;
}

size_t ParameterBytes(const void *kernel)
{
  return IsForMany(kernel) ? sizeof(AutoCSRManyParameters) : sizeof(AutoCSROneParameters);
}

void CallKernel(const void *kernel, const void *parameter)
{
  if (IsForMany(kernel))
    ((void (*)(AutoCSRManyParameters))kernel)(*(const AutoCSRManyParameters *)parameter);
  else
    ((void (*)(AutoCSROneParameters))kernel)(*(const AutoCSROneParameters *)parameter);
}
