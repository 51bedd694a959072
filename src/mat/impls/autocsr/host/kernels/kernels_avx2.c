/* The kernels for AVX2 and FMA. */
#if defined(__x86_64__)
  #define HOST_EXECUTORS AutoCSRHostExecutors_avx2
  #define HOST_DENSE     AutoCSRHostDenseKernels_avx2
  #include "kernels.h"
#endif
