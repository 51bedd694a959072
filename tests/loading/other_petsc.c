static char help[] = "A library that was built for another PETSc refuses to be loaded.\n\n";

/*
  Of two PETScs one is pretended: this program's functions stand before PETSc's own, so that the library hears that it was
  loaded into another one. With two PETScs the same is seen by giving any PETSc program of the one the library of the other
  with -dll_append.
*/
#define _GNU_SOURCE
#include <petscsys.h>
#include <dlfcn.h>

static int Pretend(const char what[])
{
  const char *s = getenv("PRETEND");

  return s && !strcmp(s, what);
}

PetscErrorCode PetscGetVersionNumber(PetscInt *major, PetscInt *minor, PetscInt *subminor, PetscInt *release)
{
  PetscErrorCode (*real)(PetscInt *, PetscInt *, PetscInt *, PetscInt *);
  PetscErrorCode ierr;

  *(void **)&real = dlsym(RTLD_NEXT, "PetscGetVersionNumber");
  ierr            = (*real)(major, minor, subminor, release);
  if (Pretend("version")) *minor += 1;
  return ierr;
}

PetscErrorCode PetscDataTypeFromString(const char *name, PetscDataType *type, PetscBool *found)
{
  PetscErrorCode (*real)(const char *, PetscDataType *, PetscBool *);
  PetscErrorCode ierr;

  *(void **)&real = dlsym(RTLD_NEXT, "PetscDataTypeFromString");
  ierr            = (*real)(name, type, found);
  if (Pretend("scalar") && !strcmp(name, "scalar")) *type = PetscDefined(USE_COMPLEX) ? PETSC_REAL : PETSC_COMPLEX;
  if (Pretend("precision") && !strcmp(name, "real")) *type = PetscDefined(USE_REAL_SINGLE) ? PETSC_DOUBLE : PETSC_FLOAT;
  return ierr;
}

PetscErrorCode PetscDataTypeGetSize(PetscDataType type, size_t *size)
{
  PetscErrorCode (*real)(PetscDataType, size_t *);
  PetscErrorCode ierr;

  *(void **)&real = dlsym(RTLD_NEXT, "PetscDataTypeGetSize");
  ierr            = (*real)(type, size);
  if (Pretend("index") && type == PETSC_INT) *size = sizeof(PetscInt) == 4 ? 8 : 4;
  return ierr;
}

/* As a program with a static PETSc that it does not export calls it: the library finds the shared one, which nobody has initialized */
static PetscErrorCode CallEarly(int argc, char **argv)
{
  PetscErrorCode (*call)(void);
  void *library = NULL;

  for (int i = 1; i + 1 < argc; i++)
    if (!strcmp(argv[i], "-library")) library = dlopen(argv[i + 1], RTLD_LAZY);
  if (!library) return 0;
  *(void **)&call = dlsym(library, "PetscDLLibraryRegister_petscautocsr");
  return (*call)();
}

int main(int argc, char **argv)
{
  if (Pretend("static") && CallEarly(argc, argv) == PETSC_ERR_SUP) printf("Refused before PETSc is initialized\n");
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-library", NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Loaded\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: same

  test:
    suffix: static
    args: -library ${AUTOCSR_LIB}
    env: PRETEND=static

  testset:
    args: -petsc_ci_portable_error_output
    # the numbers of this PETSc
    filter: sed -E -e 's/(for|into) PETSc [0-9.]+/\1 PETSc N/g'

    test:
      suffix: version
      env: PRETEND=version

    test:
      suffix: scalar
      requires: double !complex !define(PETSC_USE_64BIT_INDICES)
      env: PRETEND=scalar

    test:
      suffix: precision
      requires: double !complex !define(PETSC_USE_64BIT_INDICES)
      env: PRETEND=precision

    test:
      suffix: index
      requires: double !complex !define(PETSC_USE_64BIT_INDICES)
      env: PRETEND=index

    test:
      suffix: index_complex
      requires: double complex !define(PETSC_USE_64BIT_INDICES)
      env: PRETEND=index

    test:
      suffix: index_64
      requires: double !complex define(PETSC_USE_64BIT_INDICES)
      env: PRETEND=index

TEST*/
