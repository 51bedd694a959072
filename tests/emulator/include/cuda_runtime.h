/* The part of the CUDA runtime that the device's room calls, on the host: runtime.cxx */
#ifndef EMULATOR_CUDA_RUNTIME_H
#define EMULATOR_CUDA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#define CUDART_VERSION 12040 /* without what kernel.c asks the driver for */

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum {
  cudaSuccess               = 0,
  cudaErrorInvalidValue     = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorNotReady      = 600,
  cudaErrorNotSupported     = 801,
  cudaErrorLaunchFailure    = 719
} cudaError_t;

typedef enum {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice
} cudaMemcpyKind;

typedef enum {
  cudaDevAttrMultiProcessorCount              = 16,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxSharedMemoryPerBlockOptin     = 97
} cudaDeviceAttr;

enum {
  cudaHostAllocDefault   = 0,
  cudaStreamNonBlocking  = 1,
  cudaEventDisableTiming = 2
};

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeRelaxed = 2
};

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8
};

enum cudaMemPoolAttr {
  cudaMemPoolAttrReleaseThreshold   = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrUsedMemCurrent     = 7
};

enum cudaMemAllocationType {
  cudaMemAllocationTypePinned = 1
};

enum cudaMemLocationType {
  cudaMemLocationTypeDevice = 1
};

struct cudaMemPoolProps {
  enum cudaMemAllocationType allocType;
  struct {
    enum cudaMemLocationType type;
    int                      id;
  } location;
};

struct cudaFuncAttributes {
  int maxDynamicSharedSizeBytes, ptxVersion;
};

typedef struct EmulatorStream *cudaStream_t;
typedef struct EmulatorPool   *cudaMemPool_t;
typedef struct EmulatorGraph  *cudaGraph_t, *cudaGraphExec_t;
typedef struct EmulatorEvent  *cudaEvent_t; /* all is done in the order in which it is launched, whatever the stream */

#if defined(__cplusplus)
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
      : x(x_), y(y_), z(z_)
  {
  }
};
#else
typedef struct {
  unsigned x, y, z;
} dim3;
#endif

cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaFree(void *);
cudaError_t cudaHostAlloc(void **, size_t, unsigned);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaStreamBeginCapture(cudaStream_t, enum cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaSetDevice(int);
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *, int);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *, const struct cudaMemPoolProps *);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t);
cudaError_t cudaMallocFromPoolAsync(void **, size_t, cudaMemPool_t, cudaStream_t);
cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *);
cudaError_t cudaFuncSetAttribute(const void *, enum cudaFuncAttribute, int);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t); /* of a launch that failed: what was found */

#if defined(__cplusplus)
}
#endif

#endif
