/* Included in place of cluster.cuh: all threads of a cluster are one thread block */
#ifndef EMULATOR_CLUSTER_H
#define EMULATOR_CLUSTER_H
#define AUTOCSR_CLUSTER_CUH

#include "device.h"

#define ClusterThread()  threadIdx.x
#define ClusterThreads() blockDim.x
#define ClusterBarrier() __syncthreads()

static inline unsigned ClusterMost(const void *, unsigned threads)
{
  return 1024 / threads;
}

template <typename... P>
static inline auto LaunchCluster(void (*kernel)(P...), unsigned blocks, unsigned threads, cudaStream_t stream)
{
  return EmulatorLaunchOf(true, kernel, 1, blocks * threads, 0, stream);
}

#endif
