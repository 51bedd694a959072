/*
  Kernels of products: loaded once, and launched with as little of the host's time as there is. By the driver's own function a launch takes some 5 % less than
  by the runtime's, and one that need not wait for the kernels before it to end some 20 % less (src/benchmarks/results, -launches): the
  kernel waits then itself (PtxWaitForLast(), programmatic dependent launch), of code for sm_90 and later.
*/
#include "device.h"
#include "launch.h"

static PetscBool is_early, known;

static PetscErrorCode Forget(void)
{
  known = PETSC_FALSE;
  return PETSC_SUCCESS;
}

PetscBool AutoCSRDeviceIsEarly(const void *kernel)
{
  struct cudaFuncAttributes attributes;

  if (known) return is_early;
  is_early = (PetscBool)(cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= AUTOCSR_EARLY);
  known    = PETSC_TRUE;
  PetscCallAbort(PETSC_COMM_SELF, PetscRegisterFinalize(Forget)); /* the next PETSC_COMM_WORLD may have another device */
  return is_early;
}

#if defined(CUDART_VERSION) && CUDART_VERSION >= 12050
  #include <cudaTypedefs.h>

/* Asked for, not linked with: a library of CUDA may be loaded where there is no driver */
static PFN_cuLaunchKernelEx_v11060 LaunchEx;

static PetscErrorCode FindFunction(AutoCSRDeviceKernel *kernel)
{
  enum cudaDriverEntryPointQueryResult found    = cudaDriverEntryPointSymbolNotFound;
  cudaFunction_t                       function = NULL;

  PetscFunctionBegin;
  if (!LaunchEx) PetscCallCUDA(cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", (void **)&LaunchEx, 12000, cudaEnableDefault, &found));
  if (LaunchEx) PetscCallCUDA(cudaGetFuncBySymbol(&function, kernel->symbol));
  kernel->function = function;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool LaunchByDriver(const AutoCSRDeviceKernel *kernel, unsigned blocks, unsigned threads, size_t shared, void *parameters)
{
  CUlaunchAttribute    early  = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .value.programmaticStreamSerializationAllowed = 1};
  const CUlaunchConfig config = {.gridDimX = blocks, .gridDimY = 1, .gridDimZ = 1, .blockDimX = threads, .blockDimY = 1, .blockDimZ = 1, .sharedMemBytes = (unsigned)shared, .hStream = AUTOCSR_STREAM, .attrs = &early, .numAttrs = AutoCSRDeviceIsEarly(kernel->symbol) ? 1 : 0};

  return (PetscBool)(kernel->function && (*LaunchEx)(&config, (CUfunction)kernel->function, &parameters, NULL) == CUDA_SUCCESS);
}
#else
static PetscErrorCode FindFunction(AutoCSRDeviceKernel *kernel)
{
  (void)kernel;
  return PETSC_SUCCESS;
}

static PetscBool LaunchByDriver(const AutoCSRDeviceKernel *kernel, unsigned blocks, unsigned threads, size_t shared, void *parameters)
{
  (void)kernel, (void)blocks, (void)threads, (void)shared, (void)parameters;
  return PETSC_FALSE;
}
#endif

/* Those that were loaded, and the shared memory that they may have: asking the driver takes as long as a launch */
#define MOST_LOADED 128
static struct {
  AutoCSRDeviceKernel kernel;
  size_t              shared;
} Loaded[MOST_LOADED];
static int n_loaded;

static PetscErrorCode LoadedDestroy(void)
{
  n_loaded = 0;
  return PETSC_SUCCESS;
}

/* The driver loads a kernel when it is first asked for it, which takes memory of the device: now, not in a product */
PetscErrorCode AutoCSRDeviceLoadKernel(size_t shared, AutoCSRDeviceKernel *kernel)
{
  struct cudaFuncAttributes attributes;
  cudaError_t               error;

  PetscFunctionBegin;
  for (int i = 0; i < n_loaded; i++) {
    if (Loaded[i].kernel.symbol != kernel->symbol || shared > Loaded[i].shared) continue;
    *kernel = Loaded[i].kernel;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  error = cudaFuncGetAttributes(&attributes, kernel->symbol);
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "The device has no memory left for a kernel");
  }
  PetscCallCUDA(error);
  if (shared > (size_t)attributes.maxDynamicSharedSizeBytes) PetscCallCUDA(cudaFuncSetAttribute(kernel->symbol, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  PetscCall(FindFunction(kernel));
  if (n_loaded == MOST_LOADED) PetscFunctionReturn(PETSC_SUCCESS);
  if (!n_loaded) PetscCall(PetscRegisterFinalize(LoadedDestroy)); /* the next PETSC_COMM_WORLD may have another device */
  Loaded[n_loaded].kernel   = *kernel;
  Loaded[n_loaded++].shared = PetscMax(shared, (size_t)attributes.maxDynamicSharedSizeBytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the driver refuses the runtime tries: it sets up a thread that has not met the device, and has words for errors */
PetscErrorCode AutoCSRDeviceLaunchKernel(const AutoCSRDeviceKernel *kernel, unsigned blocks, unsigned threads, size_t shared, void *parameters)
{
  const dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};

  PetscFunctionBegin;
  if (!LaunchByDriver(kernel, blocks, threads, shared, parameters)) PetscCallCUDA(cudaLaunchKernel(kernel->symbol, grid, block, &parameters, shared, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}
