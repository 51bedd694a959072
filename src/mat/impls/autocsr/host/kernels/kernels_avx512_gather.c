/* The kernels for AVX-512 with x gathered by its instruction in place of a load for each lane: the same sums. */
#include "../executors.h"

#if defined(AUTOCSR_HOST_GATHER)
  #define HOST_GATHER
  #define HOST_EXECUTORS AutoCSRHostExecutors_avx512_gather
  #include "kernels.h"
#endif
