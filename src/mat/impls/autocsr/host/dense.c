/* Products with dense matrices on the host, panel by panel of columns, by rows or by adaptive tiles */
#include "dense.h"
#include "host.h"
#include "../backend.h"

#define DENSE_SHORT 8 /* rows of fewer entries are read again for each vector of columns: they cost less than many columns at a time, and so does a panel that stays in the second-level cache */
#define PANELS      PETSC_STATIC_ARRAY_LENGTH(((AutoCSRHostDenseKernels *)0)->panel)

/* A panel, and what goes with it */
typedef struct {
  int         most; /* it has 2^most vectors of columns */
  PetscInt    width;
  size_t      mask;
  void       *data;
  void       *rows; /* by adaptive tiles: of a row panel, as wide */
  PetscScalar *sum; /* of sampled products: of each entry */
} HostPanel;

/* The rows of B that a panel has room for: a power of two that holds the window and the strip that is copied past it, or at least all rows */
static size_t PanelRows(const AutoCSRDense *kept, PetscInt n)
{
  const size_t strip = AUTOCSR_DENSE_STRIP, all = ((size_t)n + strip - 1) / strip * strip;
  size_t       rows = strip;

  while (rows < (size_t)kept->window + strip) rows *= 2;
  return PetscMin(rows, PetscMax(all, strip));
}

/* The widest panel of so many columns: no wider than the second-level cache holds, and of one vector where rows are short, if these are read again for each vector */
static int WidestPanel(const AutoCSRHostDenseKernels *kernels, const AutoCSRMatrix *csr, AutoCSRDenseWay way, PetscInt columns, size_t rows, PetscBool again)
{
  int i = 0;

  while (i + 1 < PANELS && kernels->lanes << i < columns) i++;
  if (way == AUTOCSR_DENSE_ADAPTIVE) return i; /* tiles stay in the cache instead */
  while (i > 0 && ((again && csr->nnz < DENSE_SHORT * (double)csr->m) || (double)rows * (double)(kernels->lanes << i) * sizeof(PetscScalar) > AutoCSRHostSecondCache() / 2)) i--;
  return i;
}

/* sampled: there is room for a sum of each entry, too, if the columns need more than one panel */
static PetscErrorCode GetPanel(AutoCSRDense *kept, const AutoCSRMatrix *csr, const AutoCSRHostDenseKernels *kernels, AutoCSRDenseWay way, PetscInt columns, PetscBool sampled, HostPanel *panel)
{
  PetscInt step = AUTOCSR_DENSE_STRIP;
  size_t   rows, row, bytes;

  PetscFunctionBegin;
  if (way == AUTOCSR_DENSE_ADAPTIVE) {
    PetscCall(AutoCSRDenseFindTiles(kept, csr, AUTOCSR_ORDER_ADAPTIVE));
    step = kept->tiles->segment->axes.tile_height;
  }
  PetscCall(AutoCSRDenseFindBand(kept, csr, step));
  rows         = PanelRows(kept, csr->n);
  panel->mask  = rows < (size_t)csr->n ? rows - 1 : SIZE_MAX;
  panel->most  = WidestPanel(kernels, csr, way, columns, rows, (PetscBool)!sampled);
  panel->width = kernels->lanes << panel->most;
  row          = (size_t)panel->width * sizeof(PetscScalar);
  bytes        = (rows + (way == AUTOCSR_DENSE_ADAPTIVE ? (size_t)step : 0)) * row;
  PetscCall(AutoCSRDenseGetPanel(kept, bytes + (sampled && columns > panel->width ? (size_t)csr->nnz * sizeof(PetscScalar) : 0), &panel->data));
  panel->rows = (char *)panel->data + rows * row;
  panel->sum  = (PetscScalar *)((char *)panel->data + bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last panel may have fewer vectors */
static int VectorsFor(const AutoCSRHostDenseKernels *kernels, int most, PetscInt columns)
{
  while (most > 0 && kernels->lanes << (most - 1) >= columns) most--;
  return most;
}

PetscErrorCode AutoCSRHostMultDense(AutoCSRDense *kept, const AutoCSRDenseOperands *op, PetscBool *done)
{
  const AutoCSRHostDenseKernels *kernels;
  HostPanel                      panel;

  PetscFunctionBegin;
  PetscCall(AutoCSRHostFindDense(op->simd, &kernels));
  *done = (PetscBool)(op->columns >= kernels->lanes || op->few);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetPanel(kept, op->csr, kernels, op->way, op->columns, PETSC_FALSE, &panel));
  for (PetscInt first = 0; first < op->columns; first += panel.width) {
    const PetscInt columns = PetscMin(panel.width, op->columns - first);
    const int      vectors = VectorsFor(kernels, panel.most, columns);

    if (op->way == AUTOCSR_DENSE_ADAPTIVE)
      kernels->adaptive[vectors](op, kept, first, columns, panel.data, panel.mask, panel.rows);
    else
      kernels->panel[vectors](op, kept, first, columns, panel.data, panel.mask);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRHostPackRows(PetscInt n, const PetscInt rows[], PetscInt columns, const PetscScalar B[], PetscInt ldb, PetscScalar packed[])
{
  PetscFunctionBegin;
  for (PetscInt first = 0; first < n; first += AUTOCSR_DENSE_STRIP) { /* whose lines stay in a cache */
    const PetscInt end = PetscMin(n, first + AUTOCSR_DENSE_STRIP);

    for (PetscInt j = 0; j < columns; j++) {
      for (PetscInt k = first; k < end; k++) packed[(size_t)k * columns + j] = B[rows[k] + (size_t)j * ldb];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRHostSampleDense(AutoCSRDense *kept, const AutoCSRSampledOperands *op)
{
  const AutoCSRHostDenseKernels *kernels;
  HostPanel                      panel;
  PetscInt                       first = 0;

  PetscFunctionBegin;
  PetscCall(AutoCSRHostFindDense(op->simd, &kernels));
  PetscCall(GetPanel(kept, op->csr, kernels, op->way, op->columns, PETSC_TRUE, &panel));
  do { /* once where there are no columns, too */
    const PetscInt columns = PetscMin(panel.width, op->columns - first);
    const int      vectors = VectorsFor(kernels, panel.most, columns);
    PetscScalar   *val     = first + columns < op->columns ? NULL : op->val;

    if (op->way == AUTOCSR_DENSE_ADAPTIVE)
      kernels->sampled_adaptive[vectors](op, kept, first, columns, panel.data, panel.mask, panel.rows, panel.sum, val);
    else
      kernels->sampled[vectors](op, kept, first, columns, panel.data, panel.mask, panel.sum, val);
    first += columns;
  } while (first < op->columns);
  PetscFunctionReturn(PETSC_SUCCESS);
}
