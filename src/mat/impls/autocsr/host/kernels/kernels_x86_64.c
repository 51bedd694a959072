/* The kernels for the instructions that every processor of the architecture has. */
#define HOST_EXECUTORS AutoCSRHostExecutors_x86_64
#define HOST_DENSE     AutoCSRHostDenseKernels_x86_64
#include "kernels.h"
