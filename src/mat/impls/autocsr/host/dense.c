/* Products with dense matrices on the host, panel by panel of columns */
#include "dense.h"
#include "host.h"
#include "../backend.h"

#define DENSE_SHORT 8 /* rows of fewer entries are read again for each vector of columns: they cost less than many columns at a time, and so does a panel that stays in the second-level cache */
#define PANELS      PETSC_STATIC_ARRAY_LENGTH(((AutoCSRHostDenseKernels *)0)->panel)

/* The rows of B that a panel has room for: a power of two that holds the window and the chunk that is copied past it, or at least all rows */
static size_t PanelRows(const AutoCSRDense *kept, PetscInt n)
{
  const size_t chunk = AUTOCSR_DENSE_CHUNK, all = ((size_t)n + chunk - 1) / chunk * chunk;
  size_t       rows = chunk;

  while (rows < (size_t)kept->window + chunk) rows *= 2;
  return PetscMin(rows, PetscMax(all, chunk));
}

PetscErrorCode AutoCSRHostMultDense(AutoCSRDense *kept, const AutoCSRDenseOperands *op, PetscBool *done)
{
  const AutoCSRHostDenseKernels *kernels;
  PetscInt                       width;
  void                          *panel;
  size_t                         rows, mask, most = 0;

  PetscFunctionBegin;
  PetscCall(AutoCSRHostFindDense(op->simd, &kernels));
  *done = (PetscBool)(op->columns >= kernels->lanes);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDenseFindBand(kept, op->csr));
  rows = PanelRows(kept, op->csr->n);
  mask = rows < (size_t)op->csr->n ? rows - 1 : SIZE_MAX;
  while (most + 1 < PANELS && kernels->lanes << most < op->columns) most++;
  while (most > 0 && (op->csr->nnz < DENSE_SHORT * (double)op->csr->m || (double)rows * (double)(kernels->lanes << most) * sizeof(PetscScalar) > AutoCSRHostSecondCache() / 2)) most--;
  width = kernels->lanes << most;
  PetscCall(AutoCSRDenseGetPanel(kept, rows * (size_t)width * sizeof(PetscScalar), &panel));
  for (PetscInt first = 0; first < op->columns; first += width) {
    const PetscInt columns = PetscMin(width, op->columns - first);

    while (most > 0 && kernels->lanes << (most - 1) >= columns) most--; /* of the last panel, where fewer vectors are enough */
    kernels->panel[most](op, kept, first, columns, panel, mask);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
