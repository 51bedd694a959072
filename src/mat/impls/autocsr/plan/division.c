/* Entries near the diagonal and far from it, as matrices of their own: the sums of the far ones are added to those of the near ones */
#include "plan.h"
#include "../layout/layout.h"
#include "../backend.h"

PetscErrorCode AutoCSRMatrixDivide_Host(const AutoCSRMatrix *csr, PetscInt reach, AutoCSRNearness nearness, AutoCSRMatrix *part)
{
  PetscInt    *row_ptr, *col, n = 0;
  PetscScalar *val;

  PetscFunctionBegin;
  PetscCall((*csr->backend->allocate)((size_t)(csr->m + 1) * sizeof(*row_ptr), (void **)&row_ptr));
  part->row_ptr = row_ptr;
  row_ptr[0]    = 0;
  for (PetscInt i = 0; i < csr->m; i++) {
    for (PetscInt q = csr->row_ptr[i]; q < csr->row_ptr[i + 1]; q++) n += AutoCSRHasNearness(i, csr->col[q], reach, nearness);
    row_ptr[i + 1] = n;
  }
  part->nnz = n;
  PetscCall((*csr->backend->allocate)((size_t)n * sizeof(*col), (void **)&col));
  part->col = col;
  PetscCall((*csr->backend->allocate)((size_t)n * sizeof(*val), (void **)&val));
  part->val = val;
  n         = 0;
  for (PetscInt i = 0; i < csr->m; i++) {
    for (PetscInt q = csr->row_ptr[i]; q < csr->row_ptr[i + 1]; q++) {
      if (!AutoCSRHasNearness(i, csr->col[q], reach, nearness)) continue;
      col[n]   = csr->col[q];
      val[n++] = csr->val[q];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays are there or NULL, also after an error */
static PetscErrorCode divide(const AutoCSRMatrix *csr, PetscInt reach, AutoCSRNearness nearness, AutoCSRMatrix *part)
{
  PetscFunctionBegin;
  *part         = *csr;
  part->adds    = (PetscBool)(csr->adds || nearness == AUTOCSR_NEARNESS_FAR);
  part->row_ptr = part->col = NULL;
  part->val                 = NULL;
  PetscCall((*csr->backend->divide)(csr, reach, nearness, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDivisionCreate(const AutoCSRMatrix *csr, PetscInt reach, AutoCSRDivision **division)
{
  AutoCSRDivision *d;
  PetscErrorCode   ierr = PETSC_SUCCESS; /* the caller can live without memory */

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  d->reach           = reach;
  d->part[0].backend = d->part[1].backend = csr->backend;
  for (int k = 0; k < 2 && !ierr; k++) {
    ierr = divide(csr, reach, (AutoCSRNearness)(k + 1), &d->part[k]);
    if (!ierr) ierr = AutoCSRProfileLook(&d->part[k], csr->backend->slice_height, AutoCSRBackendTileWidth(csr->backend, &d->part[k]), PETSC_FALSE, &d->profile[k]);
  }
  if (ierr) PetscCall(AutoCSRDivisionDestroy(&d));
  PetscCall(ierr);
  *division = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDivisionDestroy(AutoCSRDivision **division)
{
  PetscFunctionBegin;
  for (int k = 0; *division && k < 2; k++) {
    PetscCall(AutoCSRMatrixCopyDestroy(&(*division)->part[k]));
    PetscCall(AutoCSRProfileDestroy(&(*division)->profile[k]));
  }
  PetscCall(PetscFree(*division));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDivisionCopy(const AutoCSRDivision *division, const AutoCSRBackend *backend, AutoCSRDivision **copy)
{
  AutoCSRDivision *d;
  PetscErrorCode   ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  *copy = NULL;
  if (!division) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&d));
  d->reach           = division->reach;
  d->part[0].backend = d->part[1].backend = backend;
  for (int k = 0; k < 2 && !ierr; k++) ierr = AutoCSRMatrixCopy(&division->part[k], backend, &d->part[k]);
  if (ierr) PetscCall(AutoCSRDivisionDestroy(&d));
  PetscCall(ierr);
  *copy = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDivisionRenew(AutoCSRDivision *d, const AutoCSRMatrix *csr)
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    AutoCSRMatrix  part;
    PetscErrorCode ierr = divide(csr, d->reach, (AutoCSRNearness)(k + 1), &part);

    if (!ierr) {
      const AutoCSRMatrix before = d->part[k];

      d->part[k] = part;
      part       = before;
    }
    PetscCall(AutoCSRMatrixCopyDestroy(&part));
    PetscCall(ierr);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDivisionTrim(const AutoCSRPlan *plan)
{
  PetscFunctionBegin;
  for (int k = 0; plan->division && k < 2; k++) {
    AutoCSRMatrix *part = &plan->division->part[k];
    PetscBool      col = PETSC_FALSE, val = PETSC_FALSE;

    for (PetscInt s = 0; s < plan->n_segments; s++) {
      const AutoCSRSegment *seg = &plan->segment[s];

      if ((int)seg->row_set.nearness != k + 1 || seg->axes.mapping == AUTOCSR_MAP_EMPTY) continue;
      col = (PetscBool)(col || seg->axes.index == AUTOCSR_INDEX_CSR || AutoCSROrderHasTiles(seg->axes.order) || seg->axes.block > 1); /* decoders find tiles and blocks by columns */
      val = (PetscBool)(val || seg->axes.value == AUTOCSR_VALUE_CSR);
    }
    if (!col) {
      PetscCall((*part->backend->deallocate)((void *)part->col));
      part->col = NULL;
    }
    if (!val) {
      PetscCall((*part->backend->deallocate)((void *)part->val));
      part->val = NULL;
    }
    PetscCall(AutoCSRProfileDestroy(&plan->division->profile[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt64 AutoCSRDivisionBytes(const AutoCSRDivision *d)
{
  PetscInt64 bytes = 0;

  for (int k = 0; d && k < 2; k++) {
    const AutoCSRMatrix *part = &d->part[k];

    bytes += (PetscInt64)(part->m + 1) * (PetscInt64)sizeof(*part->row_ptr) + (PetscInt64)part->nnz * (PetscInt64)((part->col ? sizeof(*part->col) : 0) + (part->val ? sizeof(*part->val) : 0));
  }
  return bytes;
}
