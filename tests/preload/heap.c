/*
  Loaded before PETSc by config/run-tests.py. With -malloc_debug PETSc walks the whole heap at each allocation, which takes nine
  tenths of a test's time; here it walks at every STRIDE-th allocation. Every block is still filled with NaN when it is
  allocated and checked when it is freed. AUTOCSR_HEAP_STRIDE=1 walks at each allocation.
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#define STRIDE 256 /* allocations between two walks: fewer than most tests make in a second */

typedef int Validate(int line, const char function[], const char file[]);

int PetscMallocValidate(int line, const char function[], const char file[])
{
  static unsigned  calls, stride;
  static Validate *walk;

  if (!stride) {
    const char *text = getenv("AUTOCSR_HEAP_STRIDE");

    stride = text && atoi(text) > 0 ? (unsigned)atoi(text) : STRIDE;
    walk   = (Validate *)dlsym(RTLD_NEXT, "PetscMallocValidate");
  }
  return ++calls % stride || !walk ? 0 : walk(line, function, file);
}
