/* A matrix and the vectors of its products in the memory of a backend */
#include "planner.h"

PetscErrorCode PlaceMatrix(const AutoCSRMatrix *host, AutoCSRMatrix *there, AutoCSROperands *op)
{
  const AutoCSRBackend *b = there->backend;
  PetscScalar          *ones;
  void                 *data[5];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(host->n, &ones));
  for (PetscInt j = 0; j < host->n; j++) ones[j] = 1;
  PetscCall((*b->allocate)((size_t)(host->m + 1) * sizeof(PetscInt), &data[0]));
  PetscCall((*b->allocate)((size_t)host->nnz * sizeof(PetscInt), &data[1]));
  PetscCall((*b->allocate)((size_t)host->nnz * sizeof(PetscScalar), &data[2]));
  PetscCall((*b->allocate)((size_t)host->n * sizeof(PetscScalar), &data[3]));
  PetscCall((*b->allocate)((size_t)host->m * sizeof(PetscScalar), &data[4]));
  PetscCall((*b->from_host)(data[0], host->row_ptr, (size_t)(host->m + 1) * sizeof(PetscInt)));
  PetscCall((*b->from_host)(data[1], host->col, (size_t)host->nnz * sizeof(PetscInt)));
  PetscCall((*b->from_host)(data[2], host->val, (size_t)host->nnz * sizeof(PetscScalar)));
  PetscCall((*b->from_host)(data[3], ones, (size_t)host->n * sizeof(PetscScalar)));
  PetscCall(PetscFree(ones));
  there->row_ptr = (PetscInt *)data[0];
  there->col     = (PetscInt *)data[1];
  there->val     = (PetscScalar *)data[2];
  *op            = (AutoCSROperands){.csr = there, .x = (PetscScalar *)data[3], .y = (PetscScalar *)data[4]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlaceFree(const AutoCSROperands *op)
{
  const AutoCSRMatrix *csr = op->csr;

  PetscFunctionBeginUser;
  PetscCall((*csr->backend->deallocate)((void *)csr->row_ptr));
  PetscCall((*csr->backend->deallocate)((void *)csr->col));
  PetscCall((*csr->backend->deallocate)((void *)csr->val));
  PetscCall((*csr->backend->deallocate)((void *)op->x));
  PetscCall((*csr->backend->deallocate)(op->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
