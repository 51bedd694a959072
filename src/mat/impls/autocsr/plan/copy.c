/*
  A matrix and its plan in the memory of another backend: to look at a plan of a device on the host, and to run one there
  that was made here.
*/
#include "../backend.h"

static PetscErrorCode CopyBytes(const AutoCSRBackend *from, const void *data, size_t bytes, const AutoCSRBackend *to, void **copy)
{
  void *host;

  PetscFunctionBegin;
  PetscCall((*to->allocate)(bytes, copy));
  PetscCall(PetscMalloc(bytes, &host));
  PetscCall((*from->to_host)(host, data, bytes));
  PetscCall((*to->from_host)(*copy, host, bytes));
  PetscCall(PetscFree(host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRMatrixCopy(const AutoCSRMatrix *csr, const AutoCSRBackend *backend, AutoCSRMatrix *copy)
{
  PetscFunctionBegin;
  *copy         = *csr;
  copy->backend = backend;
  copy->row_ptr = copy->col = NULL; /* so that it can be destroyed after an error */
  copy->val                 = NULL;
  PetscCall(CopyBytes(csr->backend, csr->row_ptr, (size_t)(csr->m + 1) * sizeof(*csr->row_ptr), backend, (void **)&copy->row_ptr));
  if (csr->col) PetscCall(CopyBytes(csr->backend, csr->col, (size_t)csr->nnz * sizeof(*csr->col), backend, (void **)&copy->col)); /* a division's part may have none */
  if (csr->val) PetscCall(CopyBytes(csr->backend, csr->val, (size_t)csr->nnz * sizeof(*csr->val), backend, (void **)&copy->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRMatrixCopyDestroy(AutoCSRMatrix *copy)
{
  PetscFunctionBegin;
  PetscCall((*copy->backend->deallocate)((void *)copy->row_ptr));
  PetscCall((*copy->backend->deallocate)((void *)copy->col));
  PetscCall((*copy->backend->deallocate)((void *)copy->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CopySegment(const AutoCSRSegment *seg, const AutoCSRBackend *from, const AutoCSRBackend *to, AutoCSRSegment *copy)
{
  PetscFunctionBegin;
  *copy           = *seg;
  copy->backend   = to;
  copy->executor  = NULL;
  copy->other     = NULL;
  copy->launch    = NULL;
  copy->contested = PETSC_FALSE;
  for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) copy->stream[s].data = NULL; /* so that it can be destroyed after an error */
  for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) {
    if (seg->stream[s].data) PetscCall(CopyBytes(from, seg->stream[s].data, seg->stream[s].bytes, to, &copy->stream[s].data));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanCopy(const AutoCSRPlan *plan, const AutoCSRBackend *backend, AutoCSRPlan **copy)
{
  AutoCSRPlan   *c;
  PetscErrorCode ierr; /* the caller can live without memory */

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  *c            = *plan;
  c->backend    = backend;
  c->launch     = NULL;
  c->segment    = NULL;
  c->n_segments = 0;
  c->division   = NULL;
  ierr          = PetscMalloc1(c->max_segments, &c->segment);
  if (!ierr) ierr = AutoCSRDivisionCopy(plan->division, backend, &c->division);
  while (!ierr && c->n_segments < plan->n_segments) {
    const PetscInt i = c->n_segments++;

    ierr = CopySegment(&plan->segment[i], plan->backend, backend, &c->segment[i]);
  }
  if (ierr) PetscCall(AutoCSRPlanDestroy(&c));
  PetscCall(ierr);
  *copy = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}
