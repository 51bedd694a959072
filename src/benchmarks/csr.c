/* CSR arrays: built row by row, filled with values, loaded from a file. */
#include "matrices.h"

PetscInt64 CsrBytes(PetscInt m, PetscInt64 nnz)
{
  return nnz * (PetscInt64)(sizeof(PetscScalar) + sizeof(PetscInt)) + ((PetscInt64)m + 1) * (PetscInt64)sizeof(PetscInt);
}

PetscErrorCode CsrDestroy(Csr *csr)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(csr->row_ptr));
  PetscCall(PetscFree(csr->col));
  PetscCall(PetscFree(csr->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CsrSortRow(PetscInt *len, PetscInt col[])
{
  PetscInt k;

  PetscFunctionBeginUser;
  for (k = 1; k < *len && col[k - 1] < col[k]; k++) {
  }
  if (k < *len) PetscCall(PetscSortRemoveDupsInt(len, col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CsrFromRows(PetscInt m, PetscInt n, double expected, PetscInt longest, CsrRow row, const void *ctx, Csr *csr)
{
  size_t room = (size_t)(1.05 * expected) + (size_t)longest, nnz = 0;

  PetscFunctionBeginUser;
  *csr = (Csr){m, n, NULL, NULL, NULL};
  PetscCall(PetscMalloc1(m + 1, &csr->row_ptr));
  PetscCall(PetscMalloc1(room, &csr->col));
  csr->row_ptr[0] = 0;
  for (PetscInt i = 0; i < m; i++) {
    PetscInt len;

    if (nnz + (size_t)longest > room) {
      room += room / 2;
      PetscCall(PetscRealloc(room * sizeof(PetscInt), &csr->col));
    }
    len = row(ctx, i, csr->col + nnz);
    PetscCall(CsrSortRow(&len, csr->col + nnz));
    nnz += (size_t)len;
    PetscCheck(nnz <= (size_t)PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "The matrix has more nonzeros than PetscInt can count: use a smaller -scale or a PETSc with 64-bit indices");
    csr->row_ptr[i + 1] = (PetscInt)nnz;
  }
  PetscCall(PetscRealloc(PetscMax(nnz, 1) * sizeof(PetscInt), &csr->col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CsrGenerate(const Generator *g, const Size *size, Csr *csr)
{
  PetscFunctionBeginUser;
  PetscCall(g->make(size, csr));
  PetscCall(PetscMalloc1(PetscMax(csr->row_ptr[csr->m], 1), &csr->val));
  if (g->diagonal != 0) {
    for (PetscInt i = 0; i < csr->m; i++) {
      for (PetscInt k = csr->row_ptr[i]; k < csr->row_ptr[i + 1]; k++) csr->val[k] = csr->col[k] == i ? (PetscScalar)g->diagonal : (PetscScalar)-1;
    }
  } else {
    for (PetscInt k = 0; k < csr->row_ptr[csr->m]; k++) csr->val[k] = RandomScalar(size->seed ^ 0x56414c, (uint64_t)k, 0.001, 1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CsrLoad(const char file[], Csr *csr)
{
  Mat                A;
  PetscViewer        viewer;
  PetscInt           m;
  const PetscInt    *row_ptr, *col;
  const PetscScalar *val;
  PetscBool          done;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(MatLoad(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatGetSize(A, &csr->m, &csr->n));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "MatGetRowIJ failed");
  PetscCall(MatSeqAIJGetArrayRead(A, &val));
  PetscCall(PetscMalloc1(m + 1, &csr->row_ptr));
  PetscCall(PetscMalloc1(PetscMax(row_ptr[m], 1), &csr->col));
  PetscCall(PetscMalloc1(PetscMax(row_ptr[m], 1), &csr->val));
  PetscCall(PetscArraycpy(csr->row_ptr, row_ptr, m + 1));
  PetscCall(PetscArraycpy(csr->col, col, row_ptr[m]));
  PetscCall(PetscArraycpy(csr->val, val, row_ptr[m]));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &val));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, &done));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
