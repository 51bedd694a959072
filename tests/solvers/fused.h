/* What KSPView() says of solvers beside the matrix */
#ifndef TESTS_FUSED_H
#define TESTS_FUSED_H

#include <petscksp.h>

/* How many solvers say that they are fused, on the first process; the others are told */
static inline PetscErrorCode CountFused(KSP ksp, int *count)
{
  PetscViewer viewer;
  char       *text = NULL;
  size_t      n    = 0;
  FILE       *f    = open_memstream(&text, &n);

  PetscFunctionBeginUser;
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, f, &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(f);
  *count = 0;
  for (const char *p = text; p && (p = strstr(p, "  fused by autocsr on ")); p++) ++*count;
  free(text);
  PetscCallMPI(MPI_Bcast(count, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode IsFused(KSP ksp, PetscBool *is)
{
  int count;

  PetscFunctionBeginUser;
  PetscCall(CountFused(ksp, &count));
  *is = count ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn((PetscErrorCode)0);
}

#endif
