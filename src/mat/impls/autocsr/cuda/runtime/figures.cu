/* Identifies the device for machine/, and measures how fast its memory is at each level */
#include "preload.h"

#define THREADS   256
#define READS     64 /* of a thread, at random */
#define IN_FLIGHT 8
#define PASSES    4
#define SHIFT     37   /* of the parts of blocks from pass to pass: a multiprocessor reads others, which its L1 does not have */
#define WARM_UP   0.03 /* seconds of reading before any is timed: a device that had nothing to do has a lower clock */

static __global__ void StreamKernel(const double2 *, size_t, size_t, bool, double *);

/* All that needs kernels of ours needs the figures of the device first, but where those shipped are asked for */
PetscErrorCode AutoCSRDeviceIdentify(AutoCSRIdentity *id)
{
  struct cudaFuncAttributes attributes;
  cudaDeviceProp            p;
  cudaError_t               error;
  int                       device;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(id, sizeof(*id)));
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaGetDeviceProperties(&p, device));
  error = cudaFuncGetAttributes(&attributes, AutoCSRFirstKernel);
  (void)cudaGetLastError();
  PetscCheck(error != cudaErrorNoKernelImageForDevice && error != cudaErrorInvalidDeviceFunction, PETSC_COMM_SELF, PETSC_ERR_SUP, "This library has no kernels for %s, compute capability %d.%d; build it with make CUDA_ARCH=%d%d, or use -mat_type aijcusparse", p.name, p.major, p.minor, p.major, p.minor);
  PetscCall(PetscSNPrintf(id->name, sizeof(id->name), "%s, %d multiprocessors", p.name, p.multiProcessorCount));
  PetscCall(PetscStrncpy(id->vendor, "nvidia", sizeof(id->vendor)));
  id->family = p.major;
  id->model  = p.minor;
  id->hash   = 2166136261u; /* FNV-1a */
  for (const char *c = id->name; *c; c++) id->hash = (id->hash ^ (unsigned char)*c) * 16777619u;
  id->cache[0]   = (double)p.sharedMemPerMultiprocessor / 2; /* one memory is both; kernels take a part of it */
  id->cache[1]   = (double)p.l2CacheSize / 2;                /* lines of the far half are kept in the near one too */
  id->cache[2]   = (double)p.l2CacheSize;
  id->processors = (double)p.multiProcessorCount;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceIdentifySpeed(AutoCSRIdentity *id)
{
  int device, clock, memory_clock, bits;

  PetscFunctionBegin;
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device)); /* kHz */
  PetscCallCUDA(cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, device));
  PetscCallCUDA(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device));
  id->clock     = 1e3 * clock;
  id->bandwidth = 2e3 * memory_clock * bits / 8; /* two transfers a cycle */
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *const *AutoCSRDeviceInstructionSets(void)
{
  static const char *const names[] = {AutoCSRBackendCUDA.name, NULL};

  return names;
}

/* All of the data by all blocks together or, from L1, by each block for itself; what is read must be used */
static __global__ void __launch_bounds__(THREADS) StreamKernel(const double2 *data, size_t n, size_t passes, bool shared, double *sink)
{
  const size_t step = shared ? THREADS : (size_t)gridDim.x * THREADS;
  double       sum  = 0;

  for (size_t pass = 0; pass < passes; pass++) {
    const size_t first = threadIdx.x + (shared ? 0 : (blockIdx.x + SHIFT * pass) % gridDim.x * THREADS);

#pragma unroll 8
    for (size_t i = first; i < n; i += step) {
      const double2 d = __ldg(data + i);

      sum += d.x + d.y;
    }
  }
  if (sum < 0) *sink = sum;
}

/* Independent reads of random values */
static __global__ void __launch_bounds__(THREADS) RandomKernel(const double *data, unsigned n, double *sink)
{
  unsigned state = (blockIdx.x * THREADS + threadIdx.x) * 2654435761u + 1;
  double   sum   = 0;

  for (int r = 0; r < READS / IN_FLIGHT; r++) {
    double value[IN_FLIGHT];

#pragma unroll
    for (int i = 0; i < IN_FLIGHT; i++) {
      state    = state * 1664525u + 1013904223u;
      value[i] = __ldg(data + __umulhi(state ^ (state << 13), n));
    }
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; i++) sum += value[i];
  }
  if (sum < 0) *sink = sum;
}

typedef struct {
  const double *data;
  size_t        bytes, passes;
  PetscBool     shared, random;
  unsigned      blocks;
  double       *sink;
} Reading;

/* Seconds, the least of a few */
static PetscErrorCode ReadingTime(const Reading *r, double *seconds)
{
  cudaEvent_t begin, end;
  float       ms;

  PetscFunctionBegin;
  *seconds = PETSC_MAX_REAL;
  PetscCallCUDA(cudaEventCreate(&begin));
  PetscCallCUDA(cudaEventCreate(&end));
  for (int pass = 0; pass < PASSES; pass++) {
    PetscCallCUDA(cudaEventRecord(begin, AUTOCSR_STREAM));
    if (r->random)
      RandomKernel<<<r->blocks, THREADS, 0, AUTOCSR_STREAM>>>(r->data, (unsigned)(r->bytes / sizeof(double)), r->sink);
    else
      StreamKernel<<<r->blocks, THREADS, 0, AUTOCSR_STREAM>>>((const double2 *)r->data, r->bytes / sizeof(double2), r->passes, (bool)r->shared, r->sink);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCallCUDA(cudaEventRecord(end, AUTOCSR_STREAM));
    PetscCallCUDA(cudaEventSynchronize(end));
    PetscCallCUDA(cudaEventElapsedTime(&ms, begin, end));
    *seconds = PetscMin(*seconds, 1e-3 * ms);
  }
  PetscCallCUDA(cudaEventDestroy(begin));
  PetscCallCUDA(cudaEventDestroy(end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All in one step */
PetscErrorCode AutoCSRDeviceReadMemory(AutoCSRMemoryReading *reading_of, PetscBool *done)
{
  const double *cache  = reading_of->cache;
  size_t        memory = (size_t)(4 * cache[2]), available, total;
  double       *data, *sink, seconds;
  int           device, processors;

  PetscFunctionBegin;
  *done = PETSC_TRUE;
  PetscCall(PetscArrayzero(reading_of->bandwidth, 4));
  PetscCallCUDA(cudaMemGetInfo(&available, &total));
  memory = PetscMin(memory, available / 2 / sizeof(double2) * sizeof(double2));
  if (memory < 2 * cache[2]) PetscFunctionReturn(PETSC_SUCCESS); /* so little would be read from L2 */
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  PetscCall(AutoCSRDeviceAllocate(memory + sizeof(*sink), (void **)&data));
  PetscCallCUDA(cudaMemsetAsync(data, 0, memory, AUTOCSR_STREAM));
  sink = data + memory / sizeof(*data);
  for (double read = 0; read < WARM_UP; read += PASSES * seconds) {
    const Reading reading = {data, memory, 4, PETSC_FALSE, PETSC_FALSE, (unsigned)(8 * processors), sink};

    PetscCall(ReadingTime(&reading, &seconds));
  }
  for (int level = 0; level < 4; level++) {
    const size_t bytes   = level == 3 ? memory : (size_t)(cache[level] * (level == 2 ? 0.75 : 0.5));
    Reading      reading = {data, bytes, level == 3 ? (size_t)4 : (size_t)128, level == 0 ? PETSC_TRUE : PETSC_FALSE, PETSC_FALSE, (unsigned)(8 * processors), sink};

    PetscCall(ReadingTime(&reading, &seconds));
    reading_of->bandwidth[level] = (double)bytes * reading.passes * (reading.shared ? reading.blocks : 1) / seconds;
    reading.random   = PETSC_TRUE;
    reading.blocks *= 4;
    PetscCall(ReadingTime(&reading, &seconds));
    reading_of->random_line[level] = seconds / ((double)reading.blocks * THREADS * READS);
  }
  reading_of->strided = 1;
  PetscCall(AutoCSRDeviceDeallocate(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
