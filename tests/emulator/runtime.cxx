/*
  The runtime's functions, as include/cuda_runtime.h has them. A launch has ended when it returns. Copies from page-locked memory of the host are queued: what
  changes there before the host has waited for them is what arrives
*/
#include "emulator.h"
#include "control.h"
#include "device.h"
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

static constexpr size_t APART      = 4096;             /* between allocations, so that what is past the end of one is nobody's */
static constexpr size_t MEMORY     = (size_t)16 << 30; /* of the device, by its word */
static constexpr int    PROCESSORS = 1, STATIC_AND_DYNAMIC = 48 << 10;

extern "C" cudaStream_t PetscDefaultCudaStream;
cudaStream_t            PetscDefaultCudaStream;

static cudaError_t                    last_error;
static std::map<const char *, size_t> of_host;     /* page-locked: bytes */
static std::map<const void *, int>    more_shared; /* bytes of dynamic shared memory that kernels were allowed */

struct Queued {
  void       *to;
  const void *from;
  size_t      bytes;
};

static std::mutex          lock; /* several threads copy */
static std::vector<Queued> queue;
static bool                refuses;

void EmulatorRefuseHostMemory(int refuse)
{
  refuses = refuse;
}

static void CopyQueued()
{
  for (const Queued &c : queue) memcpy(c.to, c.from, c.bytes);
  queue.clear();
}

static void WaitForCopies()
{
  const std::lock_guard<std::mutex> locked(lock);

  CopyQueued();
}

void   CallKernel(const void *kernel, const void *parameter); /* kernels.cxx */
size_t ParameterBytes(const void *kernel);

/* A launch that was captured, with a copy of what is called */
typedef struct {
  const void *kernel;
  bool        early;
  dim3        blocks, threads;
  size_t      shared;
  void (*run)(const void *);
  std::vector<std::max_align_t> call;
} Captured;

/* Graph and executable graph in one */
struct EmulatorGraph {
  std::vector<Captured> launch;
};

struct EmulatorStream {
  EmulatorGraph *captures; /* NULL: launches run at once */
};

static unsigned long long graph_launches;
static bool               graphs_are_refused;

cudaError_t cudaMallocAsync(void **data, size_t bytes, cudaStream_t)
{
  char *all = (char *)aligned_alloc(256, (bytes + 2 * APART + 255) / 256 * 256);

  if (!all) return cudaErrorMemoryAllocation;
  *data = all + APART;
  memset(*data, 0xff, bytes);
  WatchAllocate(*data, bytes);
  return cudaSuccess;
}

/* Bytes are counted as a device's pool does: what is freed stays reserved until the pool is trimmed */
struct EmulatorPool {
  std::map<const void *, size_t> bytes; /* of what is in use */
  uint64_t                       used, reserved;
};

static EmulatorPool own_pool;

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *)
{
  *pool = &own_pool;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **data, size_t bytes)
{
  return cudaMallocAsync(data, bytes, NULL);
}

cudaError_t cudaMallocFromPoolAsync(void **data, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
  const cudaError_t error = cudaMallocAsync(data, bytes, stream);

  if (error) return error;
  pool->bytes[*data] = bytes;
  pool->used += bytes;
  if (pool->reserved < pool->used) pool->reserved = pool->used;
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
  if (pool->reserved > bytes) pool->reserved = bytes > pool->used ? bytes : pool->used;
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
  *(uint64_t *)value = attribute == cudaMemPoolAttrUsedMemCurrent ? pool->used : pool->reserved;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
  *total = MEMORY;
  *free  = MEMORY - own_pool.reserved;
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *data, cudaStream_t)
{
  const auto in_pool = own_pool.bytes.find(data);

  WaitForCopies();
  if (in_pool != own_pool.bytes.end()) {
    own_pool.used -= in_pool->second;
    own_pool.bytes.erase(in_pool);
  }
  WatchFree(data);
  free((char *)data - APART);
  return cudaSuccess;
}

cudaError_t cudaFree(void *data)
{
  return cudaFreeAsync(data, NULL);
}

/* Kernels may use it as they use the device's */
cudaError_t cudaHostAlloc(void **data, size_t bytes, unsigned)
{
  const cudaError_t error = refuses ? cudaErrorMemoryAllocation : cudaMallocAsync(data, bytes, NULL);

  if (!error) of_host[(const char *)*data] = bytes;
  return error;
}

cudaError_t cudaFreeHost(void *data)
{
  of_host.erase((const char *)data);
  return cudaFreeAsync(data, NULL);
}

static bool IsPageLocked(const void *data)
{
  const auto next = of_host.upper_bound((const char *)data);

  return next != of_host.begin() && (const char *)data < std::prev(next)->first + std::prev(next)->second;
}

/* Of the device alone */
static bool IsDevice(const void *data, size_t bytes)
{
  return !IsPageLocked(data) && WatchIsDevice(data, bytes);
}

cudaError_t cudaMemsetAsync(void *data, int value, size_t bytes, cudaStream_t)
{
  if (!bytes) return cudaSuccess;
  if (!IsDevice(data, bytes)) return cudaErrorInvalidValue;
  WaitForCopies();
  WatchFill(data, bytes);
  memset(data, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice, from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const std::lock_guard<std::mutex> locked(lock);

  if (!bytes) return cudaSuccess;
  if (to_device != IsDevice(to, bytes) || from_device != IsDevice(from, bytes)) return cudaErrorInvalidValue;
  if (to_device) WatchFill(to, bytes);
  if (to_device && IsPageLocked(from)) {
    queue.push_back({to, from, bytes});
    return cudaSuccess;
  }
  CopyQueued();
  memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
  WaitForCopies();
  return cudaSuccess;
}

/* A launch has ended when it returns */
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
  return cudaStreamSynchronize(stream);
}

cudaError_t cudaDeviceSynchronize(void)
{
  WaitForCopies();
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
  *stream = new EmulatorStream{NULL};
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
  delete stream;
  return cudaSuccess;
}

/* ---- Graphs */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
  if (!stream || stream->captures) return cudaErrorInvalidValue;
  stream->captures = new EmulatorGraph;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
  if (!stream || !stream->captures) return cudaErrorInvalidValue;
  *graph           = stream->captures;
  stream->captures = NULL;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long)
{
  if (graphs_are_refused) return cudaErrorNotSupported;
  *made = new EmulatorGraph(*graph);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
  if (stream && stream->captures) return cudaErrorInvalidValue;
  graph_launches++;
  for (const Captured &c : graph->launch) EmulatorLaunch(c.kernel, c.early, c.blocks, c.threads, c.shared, stream, c.run, c.call.data(), 0);
  return cudaGetLastError();
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph)
{
  return cudaGraphDestroy(graph);
}

unsigned long long EmulatorGraphLaunches(void)
{
  return graph_launches;
}

void EmulatorRefuseGraphs(int refuse)
{
  graphs_are_refused = refuse;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
  *event = NULL;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t)
{
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t)
{
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
  WaitForCopies();
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int)
{
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int)
{
  *value = attribute == cudaDevAttrMultiProcessorCount ? PROCESSORS : (int)MOST_SHARED + (attribute == cudaDevAttrMaxSharedMemoryPerMultiprocessor ? 1024 : 0); /* which the system keeps of each block */
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int)
{
  *pool = NULL;
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
  return cudaSuccess;
}

static int DynamicShared(const void *kernel)
{
  const auto more = more_shared.find(kernel);

  return more == more_shared.end() ? STATIC_AND_DYNAMIC : more->second;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel)
{
  attributes->maxDynamicSharedSizeBytes = DynamicShared(kernel);
  attributes->ptxVersion                = 0;
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute, int bytes)
{
  if (bytes > (int)MOST_SHARED) return cudaErrorInvalidValue;
  more_shared[kernel] = bytes;
  return cudaSuccess;
}

static cudaError_t LaunchChecked(const void *kernel, bool early, dim3 blocks, dim3 threads, size_t shared, void (*run)(const void *), const void *call)
{
  const Index b = {blocks.x, blocks.y, blocks.z}, t = {threads.x, threads.y, threads.z};

  if (!b.x || !b.y || !b.z || !t.x || !t.y || !t.z || t.x * t.y * t.z > (unsigned)MOST_THREADS || shared > (size_t)DynamicShared(kernel)) return cudaErrorInvalidValue;
  WaitForCopies();
  return RunLaunch(kernel, early, b, t, shared, run, call) ? cudaSuccess : cudaErrorLaunchFailure;
}

void EmulatorLaunch(const void *kernel, bool early, dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream, void (*run)(const void *), const void *call, size_t bytes)
{
  cudaError_t error = cudaSuccess;

  if (stream && stream->captures) {
    std::vector<std::max_align_t> copy((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));

    memcpy(copy.data(), call, bytes);
    stream->captures->launch.push_back({kernel, early, blocks, threads, shared, run, copy});
  } else
    error = LaunchChecked(kernel, early, blocks, threads, shared, run, call);
  if (!last_error) last_error = error;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 blocks, dim3 threads, void **parameters, size_t shared, cudaStream_t stream)
{
  EmulatorLaunch(
      kernel, true, blocks, threads, shared, stream, [](const void *p) { CallKernel(grid.kernel, p); }, parameters[0], ParameterBytes(kernel));
  return cudaGetLastError();
}

cudaError_t cudaGetLastError(void)
{
  const cudaError_t error = last_error;

  last_error = cudaSuccess;
  return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
  if (error == cudaErrorLaunchFailure) return grid.error.c_str();
  if (error == cudaErrorNotSupported) return "operation not supported";
  return error == cudaErrorMemoryAllocation ? "out of memory" : "invalid argument";
}
