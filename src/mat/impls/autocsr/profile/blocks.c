/*
  The block size of the pattern: dense aligned square blocks, from the largest size down. A size that does not fit is
  mostly found out in the first block row.
*/
#include "passes.h"

static PetscBool MadeOfBlocks(const AutoCSRMatrix *csr, PetscInt b)
{
  if (csr->m % b || csr->n % b) return PETSC_FALSE;
  for (PetscInt row = 0; row < csr->m; row += b) {
    const PetscInt  length = csr->row_ptr[row + 1] - csr->row_ptr[row];
    const PetscInt *col    = csr->col + csr->row_ptr[row];

    if (length % b) return PETSC_FALSE;
    for (PetscInt t = 0; t < length; t += b) {
      if (col[t] % b || col[t + b - 1] != col[t] + b - 1) return PETSC_FALSE; /* ascending: those between fit as well */
    }
    for (PetscInt i = 1; i < b; i++) {
      if (csr->row_ptr[row + i + 1] - csr->row_ptr[row + i] != length) return PETSC_FALSE;
      if (length && memcmp(col, csr->col + csr->row_ptr[row + i], (size_t)length * sizeof(*col))) return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

PetscErrorCode AutoCSRProfileBlocks(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  PetscFunctionBegin;
  profile->block_size = 1;
  if (!csr->nnz) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt b = AUTOCSR_LARGEST_BLOCK; b > 1; b--) {
    if (MadeOfBlocks(csr, b)) {
      profile->block_size = b;
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
