/* The kernels for AVX-512 (F, VL, DQ, BW). */
#if defined(__x86_64__)
  #define HOST_EXECUTORS AutoCSRHostExecutors_avx512
  #define HOST_DENSE     AutoCSRHostDenseKernels_avx512
  #include "kernels.h"
#endif
