/*
  Kernels whose grid is one cluster: its thread blocks run at the same time, and wait for each other in hardware (sm_90 and later). Elsewhere a cluster is one thread
  block. A processor that runs the kernels without a device (tests/emulator) has these functions in its own form.
*/
#ifndef AUTOCSR_CLUSTER_CUH
#define AUTOCSR_CLUSTER_CUH

#include "early.cuh"

#define CLUSTER_BLOCKS 16 /* thread blocks, at most: more than 8 are not portable, and must be asked for */

static __device__ __forceinline__ unsigned ClusterThread(void)
{
  return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ unsigned ClusterThreads(void)
{
  return gridDim.x * blockDim.x;
}

/* All threads of the cluster have come; what they have written is seen */
static __device__ __forceinline__ void ClusterBarrier(void)
{
#if __CUDA_ARCH__ >= 10 * AUTOCSR_EARLY
  asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::
                   : "memory");
#else
  __syncthreads();
#endif
}

static inline void ClusterAttribute(unsigned blocks, cudaLaunchAttribute *attribute)
{
  attribute->id               = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim.x = blocks;
  attribute->val.clusterDim.y = 1;
  attribute->val.clusterDim.z = 1;
}

/* The thread blocks that a cluster may have, a power of two */
static inline unsigned ClusterMost(const void *kernel, unsigned threads)
{
  unsigned most;

  if (!AutoCSRDeviceIsEarly(kernel) || cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess) {
    (void)cudaGetLastError();
    return 1;
  }
  for (most = CLUSTER_BLOCKS; most > 1; most /= 2) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t  config    = {};
    int                 clusters  = 0;

    ClusterAttribute(most, &attribute);
    config.gridDim  = most;
    config.blockDim = threads;
    config.attrs    = &attribute;
    config.numAttrs = 1;
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess && clusters > 0) break;
    (void)cudaGetLastError();
  }
  return most;
}

/* Likewise Launch(), early.cuh */
template <typename... P>
static inline auto LaunchCluster(void (*kernel)(P...), unsigned blocks, unsigned threads, cudaStream_t stream)
{
  return [=](P... p) {
    void               *parameters[] = {(void *)&p...};
    cudaLaunchAttribute attribute[2] = {};
    cudaLaunchConfig_t  config       = {};

    config.gridDim  = blocks;
    config.blockDim = threads;
    config.stream   = stream;
    config.attrs    = attribute;
    if (AutoCSRDeviceIsEarly((const void *)kernel)) {
      attribute[config.numAttrs].id                                           = cudaLaunchAttributeProgrammaticStreamSerialization;
      attribute[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (blocks > 1) ClusterAttribute(blocks, &attribute[config.numAttrs++]);
    (void)cudaLaunchKernelExC(&config, (const void *)kernel, parameters);
  };
}

#endif
