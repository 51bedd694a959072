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

/* The widest panel of so many columns is of 2^i vectors: no wider than the second-level cache holds, and of one where rows are short, if these are read again for each vector */
static int WidestPanel(const AutoCSRHostDenseKernels *kernels, const AutoCSRMatrix *csr, PetscInt columns, size_t rows, PetscBool again)
{
  int i = 0;

  while (i + 1 < PANELS && kernels->lanes << i < columns) i++;
  while (i > 0 && ((again && csr->nnz < DENSE_SHORT * (double)csr->m) || (double)rows * (double)(kernels->lanes << i) * sizeof(PetscScalar) > AutoCSRHostSecondCache() / 2)) i--;
  return i;
}

PetscErrorCode AutoCSRHostMultDense(AutoCSRDense *kept, const AutoCSRDenseOperands *op, PetscBool *done)
{
  const AutoCSRHostDenseKernels *kernels;
  PetscInt                       width;
  void                          *panel;
  size_t                         rows, mask;
  int                            most;

  PetscFunctionBegin;
  PetscCall(AutoCSRHostFindDense(op->simd, &kernels));
  *done = (PetscBool)(op->columns >= kernels->lanes);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDenseFindBand(kept, op->csr));
  rows  = PanelRows(kept, op->csr->n);
  mask  = rows < (size_t)op->csr->n ? rows - 1 : SIZE_MAX;
  most  = WidestPanel(kernels, op->csr, op->columns, rows, PETSC_TRUE);
  width = kernels->lanes << most;
  PetscCall(AutoCSRDenseGetPanel(kept, rows * (size_t)width * sizeof(PetscScalar), &panel));
  for (PetscInt first = 0; first < op->columns; first += width) {
    const PetscInt columns = PetscMin(width, op->columns - first);

    while (most > 0 && kernels->lanes << (most - 1) >= columns) most--; /* of the last panel, where fewer vectors are enough */
    kernels->panel[most](op, kept, first, columns, panel, mask);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRHostSampleDense(AutoCSRDense *kept, const AutoCSRSampledOperands *op)
{
  const AutoCSRHostDenseKernels *kernels;
  PetscInt                       width, first = 0;
  PetscScalar                   *sum;
  void                          *panel;
  size_t                         rows, mask, panel_bytes;
  int                            most;

  PetscFunctionBegin;
  PetscCall(AutoCSRHostFindDense(op->simd, &kernels));
  PetscCall(AutoCSRDenseFindBand(kept, op->csr));
  rows        = PanelRows(kept, op->csr->n);
  mask        = rows < (size_t)op->csr->n ? rows - 1 : SIZE_MAX;
  most        = WidestPanel(kernels, op->csr, op->columns, rows, PETSC_FALSE);
  width       = kernels->lanes << most;
  panel_bytes = rows * (size_t)width * sizeof(PetscScalar);
  PetscCall(AutoCSRDenseGetPanel(kept, panel_bytes + (op->columns > width ? (size_t)op->csr->nnz * sizeof(PetscScalar) : 0), &panel));
  sum = (PetscScalar *)((char *)panel + panel_bytes);
  do { /* once where there are no columns, too */
    const PetscInt columns = PetscMin(width, op->columns - first);

    while (most > 0 && kernels->lanes << (most - 1) >= columns) most--;
    kernels->sampled[most](op, kept, first, columns, panel, mask, sum, first + columns < op->columns ? NULL : op->val);
    first += columns;
  } while (first < op->columns);
  PetscFunctionReturn(PETSC_SUCCESS);
}
