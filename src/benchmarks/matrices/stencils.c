/* Finite-difference stencils on a cube or square with n points a side, Dirichlet boundary. */
#include "matrices.h"

typedef struct {
  PetscInt  n, nz; /* nz: 1 in two dimensions */
  PetscBool full;  /* all neighbours of the surrounding cube, or those along the axes only */
} Grid;

static PetscInt StencilRow(const void *ctx, PetscInt i, PetscInt col[])
{
  const Grid *g = (const Grid *)ctx;
  PetscInt    n = g->n, x = i % n, y = i / n % n, z = i / n / n, len = 0;

  for (PetscInt c = PetscMax(z - 1, 0); c <= PetscMin(z + 1, g->nz - 1); c++) {
    for (PetscInt b = PetscMax(y - 1, 0); b <= PetscMin(y + 1, n - 1); b++) {
      for (PetscInt a = PetscMax(x - 1, 0); a <= PetscMin(x + 1, n - 1); a++) {
        if (g->full || (a != x) + (b != y) + (c != z) <= 1) col[len++] = (c * n + b) * n + a;
      }
    }
  }
  return len;
}

static PetscErrorCode Stencil(PetscInt n, PetscInt nz, PetscBool full, PetscInt points, Csr *csr)
{
  const Grid g = {n, nz, full};

  PetscFunctionBeginUser;
  PetscCall(CsrFromRows(n * n * nz, n * n * nz, points, StencilRow, &g, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Poisson3d7(const Size *s, Csr *csr)
{
  PetscInt n = Scaled(200 * cbrt(s->scale));

  PetscFunctionBeginUser;
  PetscCall(Stencil(n, n, PETSC_FALSE, 7, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Poisson3d27(const Size *s, Csr *csr)
{
  PetscInt n = Scaled(128 * cbrt(s->scale));

  PetscFunctionBeginUser;
  PetscCall(Stencil(n, n, PETSC_TRUE, 27, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Poisson2d5(const Size *s, Csr *csr)
{
  PetscFunctionBeginUser;
  PetscCall(Stencil(Scaled(3000 * sqrt(s->scale)), 1, PETSC_FALSE, 5, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
