/* Matrices made of others, as dufrechou2021 (4.2) widened its collection: some rows of a matrix, and their transpose. */
#include "matrices.h"

#define NARROWEST 0.0003 /* least aspect ratio; drawn uniformly up to 1 (dufrechou2021, 4.2) */

PetscErrorCode CsrSomeRows(const Csr *csr, uint64_t seed, Csr *some)
{
  Random         r     = RandomStart(seed, 0x524f57);
  const double   share = NARROWEST + (1 - NARROWEST) * RandomUnit(RandomNext(&r));
  const PetscInt m = PetscMax(1, (PetscInt)(share * csr->m)), begin = RandomInt(&r, 0, csr->m - m), first = csr->row_ptr[begin], nnz = csr->row_ptr[begin + m] - first;

  PetscFunctionBeginUser;
  *some = (Csr){.m = m, .n = csr->n};
  PetscCall(PetscMalloc1(m + 1, &some->row_ptr));
  PetscCall(PetscMalloc1(PetscMax(nnz, 1), &some->col));
  PetscCall(PetscMalloc1(PetscMax(nnz, 1), &some->val));
  for (PetscInt i = 0; i <= m; i++) some->row_ptr[i] = csr->row_ptr[begin + i] - first;
  PetscCall(PetscArraycpy(some->col, csr->col + first, nnz));
  PetscCall(PetscArraycpy(some->val, csr->val + first, nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CsrTranspose(const Csr *csr, Csr *t)
{
  const PetscInt nnz = csr->row_ptr[csr->m];

  PetscFunctionBeginUser;
  *t = (Csr){.m = csr->n, .n = csr->m};
  PetscCall(PetscCalloc1(csr->n + 2, &t->row_ptr));
  PetscCall(PetscMalloc1(PetscMax(nnz, 1), &t->col));
  PetscCall(PetscMalloc1(PetscMax(nnz, 1), &t->val));
  for (PetscInt k = 0; k < nnz; k++) t->row_ptr[csr->col[k] + 2]++;
  for (PetscInt j = 0; j < csr->n; j++) t->row_ptr[j + 2] += t->row_ptr[j + 1];
  for (PetscInt i = 0; i < csr->m; i++) {
    for (PetscInt k = csr->row_ptr[i]; k < csr->row_ptr[i + 1]; k++) {
      const PetscInt q = t->row_ptr[csr->col[k] + 1]++;

      t->col[q] = i;
      t->val[q] = csr->val[k];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
