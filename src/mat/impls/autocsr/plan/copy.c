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
  PetscCall(CopyBytes(csr->backend, csr->col, (size_t)csr->nnz * sizeof(*csr->col), backend, (void **)&copy->col));
  PetscCall(CopyBytes(csr->backend, csr->val, (size_t)csr->nnz * sizeof(*csr->val), backend, (void **)&copy->val));
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

PetscErrorCode AutoCSRPlanCopy(const AutoCSRPlan *plan, const AutoCSRBackend *backend, AutoCSRPlan **copy)
{
  AutoCSRPlan *c;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  *c         = *plan;
  c->backend = backend;
  c->launch  = NULL;
  PetscCall(PetscMalloc1(c->max_segments, &c->segment));
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    c->segment[i]           = plan->segment[i];
    c->segment[i].backend   = backend;
    c->segment[i].executor  = NULL;
    c->segment[i].other     = NULL;
    c->segment[i].launch    = NULL;
    c->segment[i].contested = PETSC_FALSE;
    for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) {
      const AutoCSRStream *stream = &plan->segment[i].stream[s];

      if (stream->data) PetscCall(CopyBytes(plan->backend, stream->data, stream->bytes, backend, &c->segment[i].stream[s].data));
    }
  }
  *copy = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}
