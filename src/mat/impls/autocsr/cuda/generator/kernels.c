/*
  Executors whose kernels are compiled at run time, and these kernels as the driver has them. Both live until PetscFinalize(): plans
  point to executors, and the next plan of a like matrix needs no compiler.
*/
#include "generator.h"
#include "../device.h"
#include <petsctime.h>

#define MOST_EXECUTORS 4096 /* axes that a long search asks about */
#define MOST_KERNELS   512  /* more than it runs: each takes a second to compile */

/* An executor is found by its axes' numbers and codings */
typedef struct {
  AutoCSRDeviceExecutor executor; /* first: a segment's executor points to it */
  AutoCSRAxes           axes;
  char                  name[64];
} Executor;

/* A kernel by what differs from source to source */
typedef struct {
  char     *head, *tail, *why; /* why: it could not be made; NULL: it is there */
  void     *module, *function;
  PetscBool early;
} Kernel;

static struct {
  PetscBool registered;
  int       n_executors, n_kernels;
  Executor *executor[MOST_EXECUTORS];
  Kernel    kernel[MOST_KERNELS];
} Made;

#if defined(CUDART_VERSION) && CUDART_VERSION >= 12050
  #include <cudaTypedefs.h>

/* Asked for, not linked with, as in products/kernel.c */
static struct {
  PFN_cuModuleLoadData_v2000    ModuleLoadData;
  PFN_cuModuleUnload_v2000      ModuleUnload;
  PFN_cuModuleGetFunction_v2000 ModuleGetFunction;
  PFN_cuFuncSetAttribute_v9000  FuncSetAttribute;
} Driver;

static PetscErrorCode FindDriver(size_t len, char why[])
{
  PetscFunctionBegin;
  if (Driver.FuncSetAttribute) PetscFunctionReturn(PETSC_SUCCESS);
  if (cudaGetDriverEntryPointByVersion("cuModuleLoadData", (void **)&Driver.ModuleLoadData, 12000, cudaEnableDefault, NULL) != cudaSuccess || cudaGetDriverEntryPointByVersion("cuModuleUnload", (void **)&Driver.ModuleUnload, 12000, cudaEnableDefault, NULL) != cudaSuccess || cudaGetDriverEntryPointByVersion("cuModuleGetFunction", (void **)&Driver.ModuleGetFunction, 12000, cudaEnableDefault, NULL) != cudaSuccess || cudaGetDriverEntryPointByVersion("cuFuncSetAttribute", (void **)&Driver.FuncSetAttribute, 12000, cudaEnableDefault, NULL) != cudaSuccess || !Driver.ModuleLoadData || !Driver.ModuleUnload || !Driver.ModuleGetFunction || !Driver.FuncSetAttribute) {
    (void)cudaGetLastError();
    Driver.FuncSetAttribute = NULL;
    PetscCall(PetscStrncpy(why, "the driver lacks the functions that load a kernel", len));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Load(Kernel *kernel, const void *cubin, size_t shared, size_t len, char why[])
{
  CUmodule   module   = NULL;
  CUfunction function = NULL;
  CUresult   error;

  PetscFunctionBegin;
  PetscCall(FindDriver(len, why));
  if (why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  (void)cudaFree(NULL); /* the runtime's context is this thread's from here on */
  error = (*Driver.ModuleLoadData)(&module, cubin);
  if (!error) error = (*Driver.ModuleGetFunction)(&function, module, AUTOCSR_GENERATED_KERNEL);
  if (!error && shared > 48 << 10) error = (*Driver.FuncSetAttribute)(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared);
  if (error) {
    if (module) (void)(*Driver.ModuleUnload)(module);
    PetscCall(PetscSNPrintf(why, len, "the driver does not load the kernel: CUresult %d", (int)error));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  kernel->module   = module;
  kernel->function = function;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Unload(Kernel *kernel)
{
  if (kernel->module) (void)(*Driver.ModuleUnload)((CUmodule)kernel->module);
}
#else
static PetscErrorCode Load(Kernel *kernel, const void *cubin, size_t shared, size_t len, char why[])
{
  PetscFunctionBegin;
  (void)kernel, (void)cubin, (void)shared;
  PetscCall(PetscStrncpy(why, "the library was built with a CUDA before 12.5, whose runtime has no way to kernels compiled at run time", len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Unload(Kernel *kernel)
{
  (void)kernel;
}
#endif

/* The next PETSC_COMM_WORLD may have another device */
static PetscErrorCode Forget(void)
{
  PetscFunctionBegin;
  for (int k = 0; k < Made.n_kernels; k++) {
    Unload(&Made.kernel[k]);
    PetscCall(PetscFree(Made.kernel[k].head));
    PetscCall(PetscFree(Made.kernel[k].tail));
    PetscCall(PetscFree(Made.kernel[k].why));
  }
  for (int e = 0; e < Made.n_executors; e++) PetscCall(PetscFree(Made.executor[e]));
  PetscCall(PetscMemzero(&Made, sizeof(Made)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Register(void)
{
  PetscFunctionBegin;
  if (!Made.registered) PetscCall(PetscRegisterFinalize(Forget));
  Made.registered = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers that an executor is for, and those by which there is none */
static PetscBool IsSame(const AutoCSRAxes *a, const AutoCSRAxes *b)
{
  return (PetscBool)(a->order == b->order && a->index == b->index && a->value == b->value && a->mapping == b->mapping && a->reduction == b->reduction && a->lanes == b->lanes && a->tile_width == b->tile_width && a->tile_height == b->tile_height && a->tile_steps == b->tile_steps && a->slice_height == b->slice_height && a->block == b->block && a->threads == b->threads && a->residents == b->residents && a->in_flight == b->in_flight && a->rows_each == b->rows_each && a->stretches == b->stretches && a->constants == b->constants && a->shortest == b->shortest);
}

/* The compiled executor whose figures tell best what this one takes: of the mapping, with the codings if there is one, of the nearest lanes or height */
static int LikeExecutor(const AutoCSRAxes *a)
{
  const PetscBool tiles = AutoCSRMappingSharesEntries(a->mapping);
  const double    by    = tiles ? a->tile_height : PetscMax(1, a->lanes);
  double          least = PETSC_MAX_REAL;
  int             id    = 0;

  for (const AutoCSRDeviceExecutor *e = AutoCSRDeviceExecutors; e->executor.name; e++) {
    const double lanes = e->lanes ? e->lanes : by, apart = (lanes > by ? lanes / by : by / lanes) + 1000 * (e->index != a->index) + 2000 * (e->value != a->value);

    if (e->order != a->order || e->mapping != a->mapping || e->block > 1 || apart >= least) continue;
    least = apart;
    id    = e->executor.id;
  }
  return id;
}

PetscErrorCode AutoCSRGeneratorWhyNone(const AutoCSRAxes *axes, const char **why)
{
  AutoCSRGenerated g;
  PetscBool        is;

  PetscFunctionBegin;
  PetscCall(AutoCSRGeneratorDescribe(axes, &g, &is, why));
  if (is) PetscCall(AutoCSRGeneratorIsThere(why));
  if (!*why) *why = "no executor runs it";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGeneratorFind(const AutoCSRAxes *axes, const AutoCSRExecutor **executor)
{
  AutoCSRGenerated g;
  Executor        *made;
  PetscBool        is;
  const char      *why;

  PetscFunctionBegin;
  *executor = NULL;
  for (int e = 0; e < Made.n_executors; e++) {
    if (IsSame(axes, &Made.executor[e]->axes)) *executor = &Made.executor[e]->executor.executor;
  }
  if (*executor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRGeneratorDescribe(axes, &g, &is, &why));
  if (is) PetscCall(AutoCSRGeneratorIsThere(&why));
  if (!why && Made.n_executors == MOST_EXECUTORS) why = "as many executors as there may be have been made";
  if (why) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Register());
  PetscCall(PetscNew(&made));
  made->axes     = *axes;
  made->executor = (AutoCSRDeviceExecutor){.order = axes->order, .index = axes->index, .value = axes->value, .mapping = axes->mapping, .reduction = axes->reduction, .lanes = axes->lanes, .block = 1, .alone = PETSC_TRUE, .scratch_bytes = AutoCSRGeneratorScratchBytes, .generated = PETSC_TRUE};
  PetscCall(PetscStrncpy(made->name, g.name, sizeof(made->name)));
  made->executor.executor              = (AutoCSRExecutor){made->name, AutoCSRDeviceMultSegment, NULL, LikeExecutor(axes)};
  made->executor.step[0]               = (AutoCSRDeviceStep){made, g.threads, AutoCSRGeneratorBlocks, AutoCSRGeneratorSharedBytes};
  *executor                            = &made->executor.executor;
  Made.executor[Made.n_executors++] = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sm_90: 90; without a device 0, and nothing can be loaded */
static int Architecture(void)
{
  int device = 0, major = 0, minor = 0;

  if (cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess || cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return 10 * major + minor;
}

/* From the cache, or compiled, and then kept there */
static PetscErrorCode GetCubin(const char head[], const char tail[], int arch, void **cubin, size_t *bytes, size_t len, char why[])
{
  char            compiler[128], rest[192], *source;
  int             driver = 0;
  PetscLogDouble  begin, end;
  AutoCSRCacheKey key;

  PetscFunctionBegin;
  PetscCall(AutoCSRGeneratorCompiler(arch, sizeof(compiler), compiler));
  (void)cudaDriverGetVersion(&driver);
  PetscCall(PetscSNPrintf(rest, sizeof(rest), "%s driver %d", compiler, driver));
  PetscCall(AutoCSRGeneratorSource(head, tail, &source));
  key = AutoCSRCacheKeyOf(source, rest);
  PetscCall(AutoCSRCacheFind(&key, cubin, bytes));
  if (!*cubin) {
    PetscCall(PetscTime(&begin));
    PetscCall(AutoCSRGeneratorCompile(source, arch, cubin, bytes, len, why));
    PetscCall(PetscTime(&end));
    if (*cubin) {
      PetscCall(PetscInfo(NULL, "A kernel was compiled in %g s\n", (double)(end - begin)));
      PetscCall(AutoCSRCacheKeep(&key, *cubin, *bytes));
    }
  }
  PetscCall(PetscFree(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Make(const char head[], const char tail[], size_t shared, Kernel *kernel)
{
  const int arch    = Architecture();
  char      why[384] = "";
  void     *cubin   = NULL;
  size_t    bytes;

  PetscFunctionBegin;
  if (!arch)
    PetscCall(PetscStrncpy(why, "there is no device for a kernel compiled at run time", sizeof(why)));
  else
    PetscCall(GetCubin(head, tail, arch, &cubin, &bytes, sizeof(why), why));
  if (cubin) PetscCall(Load(kernel, cubin, shared, sizeof(why), why));
  PetscCall(PetscFree(cubin));
  kernel->early = (PetscBool)(arch >= AUTOCSR_EARLY);
  PetscCall(PetscStrallocpy(head, &kernel->head));
  PetscCall(PetscStrallocpy(tail, &kernel->tail));
  if (!kernel->function) PetscCall(PetscStrallocpy(why, &kernel->why));
  if (kernel->why) PetscCall(PetscInfo(NULL, "%s\n", kernel->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGeneratorKernel(const AutoCSRSegment *seg, AutoCSRDeviceKernel *kernel, size_t len, char why[])
{
  char head[AUTOCSR_GENERATED_HEAD], tail[AUTOCSR_GENERATED_TAIL], constants[AUTOCSR_GENERATED_CONSTANTS];
  int  k = 0;

  PetscFunctionBegin;
  *kernel = (AutoCSRDeviceKernel){NULL, NULL, PETSC_FALSE};
  why[0]  = 0;
  PetscCall(AutoCSRGeneratorConstants(seg, constants));
  PetscCall(AutoCSRGeneratorEnds(&seg->axes, constants, head, tail));
  while (k < Made.n_kernels && (strcmp(head, Made.kernel[k].head) || strcmp(tail, Made.kernel[k].tail))) k++;
  if (k == MOST_KERNELS) {
    PetscCall(PetscStrncpy(why, "as many kernels as there may be have been compiled", len));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (k == Made.n_kernels) {
    PetscCall(Register());
    PetscCall(Make(head, tail, AutoCSRGeneratorSharedBytes(seg), &Made.kernel[k]));
    Made.n_kernels++;
  }
  kernel->function = Made.kernel[k].function;
  kernel->early    = Made.kernel[k].early;
  if (Made.kernel[k].why) PetscCall(PetscStrncpy(why, Made.kernel[k].why, len));
  PetscFunctionReturn(PETSC_SUCCESS);
}
