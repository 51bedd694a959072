/* The kernel of a matrix's first products. It has a module of its own because the driver loads modules whole, and a program waits for this one */
#include "first.cuh"
#include "kernels.cuh"
#include "../runtime/preload.h"

__global__ void __launch_bounds__(AutoCSRFirstAgent::threads, AutoCSRFirstAgent::residents) AutoCSRFirst(const __grid_constant__ AutoCSROneParameters p)
{
  RunOne<AutoCSRFirstAgent>(p);
}

const void *const AutoCSRFirstKernel = (const void *)AutoCSRFirst;
