/*
  Kernels of products: loaded once, and launched in as little of the host's time as possible. The driver's own function
  (CUDA 12.5 and later) launches faster than the runtime's. It gains most if a launch need not wait for the kernels before
  it to end. The kernel then waits itself (PtxWaitForLast(), programmatic dependent launch), in code for sm_90 and later.

  A kernel does not let the next one begin while its own thread blocks still run: waiting blocks cost more than they gain.
  tests/emulator tells what reads or writes before the wait; `make check-early` tells whether the compiler has moved
  anything before it.
*/
#include "../device.h"
#include "../runtime/launch.h"
#include "../runtime/record.h"

/* What is known of the device, and kernels that were loaded, with the shared memory that they may have: asking the driver takes as long as a launch */
#define MOST_LOADED 128
static struct {
  PetscBool registered, asked, early;
  int       n;
  struct {
    AutoCSRDeviceKernel kernel;
    size_t              shared;
  } kernel[MOST_LOADED];
} Loaded;

static PetscErrorCode LoadedForget(void)
{
  PetscFunctionBegin;
  Loaded.registered = Loaded.asked = PETSC_FALSE;
  Loaded.n                         = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next PETSC_COMM_WORLD may have another device */
static PetscErrorCode LoadedRegister(void)
{
  PetscFunctionBegin;
  if (!Loaded.registered) PetscCall(PetscRegisterFinalize(LoadedForget));
  Loaded.registered = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool AutoCSRDeviceIsEarly(const void *kernel)
{
  struct cudaFuncAttributes attributes;

  if (Loaded.asked) return Loaded.early;
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) {
    (void)cudaGetLastError(); /* the launch will have it */
    return PETSC_FALSE;
  }
  PetscCallAbort(PETSC_COMM_SELF, LoadedRegister());
  Loaded.early = (PetscBool)(attributes.ptxVersion >= AUTOCSR_EARLY);
  Loaded.asked = PETSC_TRUE;
  return Loaded.early;
}

#if defined(CUDART_VERSION) && CUDART_VERSION >= 12050
  #include <cudaTypedefs.h>

/* Asked for, not linked with: a library of CUDA may be loaded where there is no driver */
static PFN_cuLaunchKernelEx_v11060 LaunchEx;

static PetscErrorCode FindLaunch(void)
{
  PetscFunctionBegin;
  if (!LaunchEx) PetscCallCUDA(cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", (void **)&LaunchEx, 12000, cudaEnableDefault, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FindFunction(AutoCSRDeviceKernel *kernel)
{
  cudaFunction_t function = NULL;

  PetscFunctionBegin;
  PetscCall(FindLaunch());
  if (LaunchEx) PetscCallCUDA(cudaGetFuncBySymbol(&function, kernel->symbol));
  kernel->function = function;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool LaunchByDriver(const AutoCSRDeviceKernel *kernel, unsigned blocks, unsigned threads, size_t shared, void *parameters)
{
  CUlaunchAttribute    early  = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .value.programmaticStreamSerializationAllowed = 1};
  const CUlaunchConfig config = {.gridDimX = blocks, .gridDimY = 1, .gridDimZ = 1, .blockDimX = threads, .blockDimY = 1, .blockDimZ = 1, .sharedMemBytes = (unsigned)shared, .hStream = AutoCSRLaunchStream(), .attrs = &early, .numAttrs = kernel->early ? 1 : 0};

  return (PetscBool)(kernel->function && LaunchEx && (*LaunchEx)(&config, (CUfunction)kernel->function, &parameters, NULL) == CUDA_SUCCESS);
}
#else
static PetscErrorCode FindLaunch(void)
{
  return PETSC_SUCCESS;
}

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

/* The driver loads a kernel when it is first asked for it, which takes memory of the device: now, not in a product */
PetscErrorCode AutoCSRDeviceLoadKernel(size_t shared, AutoCSRDeviceKernel *kernel)
{
  struct cudaFuncAttributes attributes;

  PetscFunctionBegin;
  for (int i = 0; i < Loaded.n; i++) {
    if (Loaded.kernel[i].kernel.symbol != kernel->symbol || shared > Loaded.kernel[i].shared) continue;
    *kernel = Loaded.kernel[i].kernel;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  AutoCSRCallCUDA(cudaFuncGetAttributes(&attributes, kernel->symbol));
  kernel->early = AutoCSRDeviceIsEarly(kernel->symbol);
  if (shared > (size_t)attributes.maxDynamicSharedSizeBytes) PetscCallCUDA(cudaFuncSetAttribute(kernel->symbol, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  PetscCall(FindFunction(kernel));
  if (Loaded.n == MOST_LOADED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LoadedRegister());
  Loaded.kernel[Loaded.n].kernel   = *kernel;
  Loaded.kernel[Loaded.n++].shared = PetscMax(shared, (size_t)attributes.maxDynamicSharedSizeBytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the driver refuses the runtime tries: it sets up a thread that has not met the device, and has words for errors */
PetscErrorCode AutoCSRDeviceLaunchKernel(const AutoCSRDeviceKernel *kernel, unsigned blocks, unsigned threads, size_t shared, void *parameters)
{
  const dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};

  PetscFunctionBegin;
  if (!kernel->symbol) PetscCall(FindLaunch());
  if (LaunchByDriver(kernel, blocks, threads, shared, parameters)) PetscFunctionReturn(PETSC_SUCCESS);
  if (kernel->symbol) {
    PetscCallCUDA(cudaLaunchKernel(kernel->symbol, grid, block, &parameters, shared, AutoCSRLaunchStream()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallCUDA(cudaFree(NULL)); /* a kernel compiled at run time is the driver's alone */
  PetscCheck(LaunchByDriver(kernel, blocks, threads, shared, parameters), PETSC_COMM_SELF, PETSC_ERR_GPU, "The driver launches no kernel that was compiled at run time, with %u blocks of %u threads and %zu bytes of shared memory", blocks, threads, shared);
  PetscFunctionReturn(PETSC_SUCCESS);
}
