/* NVRTC, which compiles CUDA C++ at run time: opened, not linked with */
#define _GNU_SOURCE /* dladdr() */
#include "generator.h"
#include "../device.h"
#include <dlfcn.h>
#include <fenv.h>

/* Those of nvrtc.h that are called; a library of another major version has the same */
typedef void *Program;
static struct {
  PetscBool asked, registered;
  char      why[512]; /* "": it is there */
  void     *library;
  int       version[2];
  int (*Version)(int *, int *);
  int (*CreateProgram)(Program *, const char *, const char *, int, const char *const *, const char *const *);
  int (*DestroyProgram)(Program *);
  int (*CompileProgram)(Program, int, const char *const *);
  int (*GetCUBINSize)(Program, size_t *);
  int (*GetCUBIN)(Program, char *);
  int (*GetProgramLogSize)(Program, size_t *);
  int (*GetProgramLog)(Program, char *);
  const char *(*GetErrorString)(int);
} NVRTC;

/* The next PETSC_COMM_WORLD may name another library. This one stays open: others may use it, and it cannot always be closed */
static PetscErrorCode Forget(void)
{
  PetscFunctionBegin;
  NVRTC.asked = NVRTC.registered = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define WANTED(name) {"nvrtc" #name, (void **)&NVRTC.name}

/* "": all functions are there */
static PetscErrorCode Load(const char library[], size_t len, char why[])
{
  const struct {
    const char *name;
    void      **function;
  } wanted[] = {WANTED(Version), WANTED(CreateProgram), WANTED(DestroyProgram), WANTED(CompileProgram), WANTED(GetCUBINSize), WANTED(GetCUBIN), WANTED(GetProgramLogSize), WANTED(GetProgramLog), WANTED(GetErrorString)};
  const char *said;

  PetscFunctionBegin;
  why[0]        = 0;
  NVRTC.library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!NVRTC.library) {
    said = dlerror();
    PetscCall(PetscStrncpy(why, said ? said : library, len));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(wanted) && !why[0]; i++) {
    *wanted[i].function = dlsym(NVRTC.library, wanted[i].name);
    if (!*wanted[i].function) PetscCall(PetscSNPrintf(why, len, "%s has no function %s", library, wanted[i].name));
  }
  if (!why[0] && (*NVRTC.Version)(&NVRTC.version[0], &NVRTC.version[1])) PetscCall(PetscSNPrintf(why, len, "%s does not tell its version", library));
  if (why[0]) (void)dlclose(NVRTC.library);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const libraries[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}; /* of CUDA 13 and 12, and as a development package names it */

/* Loads NVRTC from the system's library path, or else from the folder of CUDA's runtime */
static PetscErrorCode LoadAny(size_t len, char why[])
{
  char    path[PETSC_MAX_PATH_LEN], elsewhere[64], *slash;
  Dl_info runtime;

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(libraries); i++) {
    PetscCall(Load(libraries[i], len, why));
    if (!why[0]) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!dladdr((void *)cudaGetDevice, &runtime) || !runtime.dli_fname) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(libraries); i++) {
    PetscCall(PetscStrncpy(path, runtime.dli_fname, sizeof(path)));
    if (!(slash = strrchr(path, '/'))) break;
    slash[1] = 0;
    PetscCall(AutoCSRAppend(path, libraries[i], sizeof(path)));
    PetscCall(Load(path, sizeof(elsewhere), elsewhere));
    if (elsewhere[0]) continue;
    why[0] = 0;
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Open(void)
{
  char      named[PETSC_MAX_PATH_LEN] = "", why[256];
  PetscBool set, none;

  PetscFunctionBegin;
  NVRTC.why[0] = 0;
  /* -mat_autocsr_nvrtc: [`libnvrtc.so.13`, `libnvrtc.so.12`, `libnvrtc.so`, a library, `none`] NVRTC, which compiles kernels of a GPU at run time where a graph has numbers that no kernel has (no prefix, read once; see [graph.md](graph.md)) */
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_autocsr_nvrtc", named, sizeof(named), &set));
  PetscCall(PetscStrcmp(named, "none", &none));
  if (set && none) {
    PetscCall(PetscStrncpy(NVRTC.why, "-mat_autocsr_nvrtc none forbids kernels compiled at run time", sizeof(NVRTC.why)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (set)
    PetscCall(Load(named, sizeof(why), why));
  else
    PetscCall(LoadAny(sizeof(why), why));
  if (why[0]) PetscCall(PetscSNPrintf(NVRTC.why, sizeof(NVRTC.why), "NVRTC, which compiles kernels at run time, is not there (%s): install it with the CUDA toolkit, or name it by -mat_autocsr_nvrtc", why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGeneratorIsThere(const char **why)
{
  PetscFunctionBegin;
  if (!NVRTC.asked) {
    PetscCall(Open());
    NVRTC.asked = PETSC_TRUE;
    if (NVRTC.why[0])
      PetscCall(PetscInfo(NULL, "%s\n", NVRTC.why));
    else
      PetscCall(PetscInfo(NULL, "NVRTC %d.%d compiles kernels at run time\n", NVRTC.version[0], NVRTC.version[1]));
    if (!NVRTC.registered) PetscCall(PetscRegisterFinalize(Forget));
    NVRTC.registered = PETSC_TRUE;
  }
  *why = NVRTC.why[0] ? NVRTC.why : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* nvcc's options for the library, without warnings, which nvcc has given; the architecture comes beside them */
static const char *const Options[] = {"-std=c++17", "-default-device", "-w"};

#define OPTIONS ((int)PETSC_STATIC_ARRAY_LENGTH(Options))

PetscErrorCode AutoCSRGeneratorCompiler(int arch, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "nvrtc %d.%d -arch=sm_%d", NVRTC.version[0], NVRTC.version[1], arch));
  for (int i = 0; i < OPTIONS; i++) {
    PetscCall(AutoCSRAppend(text, " ", len));
    PetscCall(AutoCSRAppend(text, Options[i], len));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGeneratorSource(const char head[], const char tail[], char **source)
{
  size_t n = strlen(head) + strlen(tail) + 1;

  PetscFunctionBegin;
  for (int i = 0; AutoCSRAgentText[i]; i++) n += strlen(AutoCSRAgentText[i]);
  PetscCall(PetscMalloc1(n, source));
  PetscCall(PetscStrncpy(*source, head, n));
  for (int i = 0; AutoCSRAgentText[i]; i++) PetscCall(AutoCSRAppend(*source, AutoCSRAgentText[i], n));
  PetscCall(AutoCSRAppend(*source, tail, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first line of the log that tells an error */
static PetscErrorCode FirstError(Program program, int error, size_t len, char why[])
{
  size_t n   = 0;
  char  *log = NULL, *at, *end;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(why, len, "NVRTC: %s", (*NVRTC.GetErrorString)(error)));
  if ((*NVRTC.GetProgramLogSize)(program, &n) || !n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n + 1, &log));
  if (!(*NVRTC.GetProgramLog)(program, log)) {
    log[n] = 0;
    at     = strstr(log, "error");
    if (!at) at = log;
    if ((end = strchr(at, '\n'))) *end = 0;
    PetscCall(PetscSNPrintf(why, len, "NVRTC: %s, %s", (*NVRTC.GetErrorString)(error), at));
  }
  PetscCall(PetscFree(log));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGeneratorCompile(const char source[], int arch, void **cubin, size_t *bytes, size_t len, char why[])
{
  char        architecture[32];
  const char *options[OPTIONS + 1];
  Program     program   = NULL;
  const char *missing;
  fenv_t      environment;
  int         error;

  PetscFunctionBegin;
  *cubin = NULL;
  PetscCall(AutoCSRGeneratorIsThere(&missing));
  PetscCall(PetscStrncpy(why, missing ? missing : "", len));
  if (missing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(architecture, sizeof(architecture), "-arch=sm_%d", arch));
  for (int i = 0; i < OPTIONS; i++) options[i] = Options[i];
  options[OPTIONS] = architecture;
  error = (*NVRTC.CreateProgram)(&program, source, AUTOCSR_GENERATED_KERNEL ".cu", 0, NULL, NULL);
  if (error) {
    PetscCall(PetscSNPrintf(why, len, "NVRTC: %s", (*NVRTC.GetErrorString)(error)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  (void)feholdexcept(&environment); /* a program may trap what a compiler does with numbers (-fp_trap) */
  error = (*NVRTC.CompileProgram)(program, OPTIONS + 1, options);
  (void)fesetenv(&environment);
  if (!error) error = (*NVRTC.GetCUBINSize)(program, bytes);
  if (!error) {
    PetscCall(PetscMalloc(*bytes, cubin));
    error = (*NVRTC.GetCUBIN)(program, (char *)*cubin);
    if (error) PetscCall(PetscFree(*cubin));
  }
  if (error) PetscCall(FirstError(program, error, len, why));
  (void)(*NVRTC.DestroyProgram)(&program);
  PetscFunctionReturn(PETSC_SUCCESS);
}
