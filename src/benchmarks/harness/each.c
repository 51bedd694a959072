/* The matrices that a program is asked for, one after the other: generated ones by -matrices, suite and -scale, files by -files; and for each of them -columns. */
#include "bench.h"

PetscErrorCode EachDescribe(const Machine *machine)
{
  char device[256];

  PetscFunctionBeginUser;
  PetscCall(machine->describe(device, sizeof(device)));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, PETSc %d.%d.%d\n", device, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt n, columns[16];
  PetscErrorCode (*run)(const char[], const Csr *, PetscInt);
} Asked;

/* PETSc counts a dense matrix's entries: no more than PetscInt holds */
static PetscErrorCode EachWidth(const Asked *asked, const char name[], Csr *csr)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < asked->n; k++) {
    if ((double)asked->columns[k] * (double)PetscMax(csr->m, csr->n) <= (double)PETSC_MAX_INT) PetscCall((*asked->run)(name, csr, asked->columns[k]));
  }
  PetscCall(CsrDestroy(csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EachMatrix(const Machine *machine, PetscErrorCode (*run)(const char[], const Csr *, PetscInt))
{
  Asked            asked          = {16, {8, 32, 128}, run};
  PetscInt         files          = 1024;
  PetscReal        scale          = machine->scale;
  char             matrices[1024] = "", *file[1024];
  Size             size           = {1, 1};
  PetscBool        set;
  const Generator *g;
  Csr              csr;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-columns", asked.columns, &asked.n, &set));
  if (!set) asked.n = 3;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-matrices", matrices, sizeof(matrices), NULL));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-files", file, &files, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-scale", &scale, NULL));
  PetscCheck(scale > 0 && scale <= 64, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-scale %g: must be in (0, 64]", (double)scale);
  size.scale = scale;
  PetscCall(GeneratorsAsked(size.seed, &g));
  for (; g->name; g++) {
    PetscBool wanted;

    PetscCall(ListHas(matrices, g->name, &wanted));
    if (!wanted) continue;
    PetscCall(CsrGenerate(g, &size, &csr));
    PetscCall(EachWidth(&asked, g->name, &csr));
  }
  for (PetscInt f = 0; f < files; f++) {
    const char *base = strrchr(file[f], '/') ? strrchr(file[f], '/') + 1 : file[f];

    PetscCall(CsrLoad(file[f], &csr));
    PetscCall(EachWidth(&asked, base, &csr));
    PetscCall(PetscFree(file[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
