/* CSR arrays: built row by row, filled with values, loaded from a file. */
#include "matrices.h"
#include <omp.h>

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

static int CompareCols(const void *a, const void *b)
{
  const PetscInt i = *(const PetscInt *)a, j = *(const PetscInt *)b;

  return (i > j) - (i < j);
}

PetscInt CsrSortRow(PetscInt len, PetscInt col[])
{
  PetscInt k, kept = 0;

  for (k = 1; k < len && col[k - 1] < col[k]; k++) {
  }
  if (k >= len) return len;
  qsort(col, (size_t)len, sizeof(*col), CompareCols);
  for (k = 0; k < len; k++) {
    if (!kept || col[kept - 1] < col[k]) col[kept++] = col[k];
  }
  return kept;
}

PetscErrorCode CsrRowPointers(PetscInt m, PetscInt row_ptr[])
{
  PetscInt64 nnz = 0;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < m; i++) {
    const PetscInt len = row_ptr[i];

    row_ptr[i] = (PetscInt)nnz;
    nnz += len;
    PetscCheck(nnz <= (PetscInt64)PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "The matrix has more nonzeros than PetscInt can count: use a smaller -scale or a PETSc with 64-bit indices");
  }
  row_ptr[m] = (PetscInt)nnz;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows are made twice, to count them and to put them in place: so the threads need no memory but for one row each */
PetscErrorCode CsrFromRows(PetscInt m, PetscInt n, PetscInt longest, CsrRow row, const void *ctx, Csr *csr)
{
  PetscInt *room;
  const int threads = omp_get_max_threads();

  PetscFunctionBeginUser;
  *csr = (Csr){.m = m, .n = n};
  PetscCall(PetscMalloc1(m + 1, &csr->row_ptr));
  PetscCall(PetscMalloc1((size_t)threads * (size_t)longest, &room));
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
  for (PetscInt i = 0; i < m; i++) {
    PetscInt *col = room + (size_t)omp_get_thread_num() * (size_t)longest;

    csr->row_ptr[i] = CsrSortRow(row(ctx, i, col), col);
  }
  PetscCall(CsrRowPointers(m, csr->row_ptr));
  PetscCall(PetscMalloc1(PetscMax(csr->row_ptr[m], 1), &csr->col));
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
  for (PetscInt i = 0; i < m; i++) {
    PetscInt      *col = room + (size_t)omp_get_thread_num() * (size_t)longest;
    const PetscInt len = CsrSortRow(row(ctx, i, col), col);

    memcpy(csr->col + csr->row_ptr[i], col, (size_t)len * sizeof(*col));
  }
  PetscCall(PetscFree(room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CsrGenerate(const Generator *g, const Size *size, Csr *csr)
{
  const Size own  = {size->scale, size->seed, g->draw};
  PetscBool  ones = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-ones", &ones, NULL));
  PetscCall(g->make(&own, csr));
  if (csr->val && !ones) PetscFunctionReturn(PETSC_SUCCESS);
  if (!csr->val) PetscCall(PetscMalloc1(PetscMax(csr->row_ptr[csr->m], 1), &csr->val));
  if (ones) {
#pragma omp parallel for
    for (PetscInt k = 0; k < csr->row_ptr[csr->m]; k++) csr->val[k] = 1;
  } else if (g->diagonal != 0) {
#pragma omp parallel for
    for (PetscInt i = 0; i < csr->m; i++) {
      for (PetscInt k = csr->row_ptr[i]; k < csr->row_ptr[i + 1]; k++) csr->val[k] = csr->col[k] == i ? (PetscScalar)g->diagonal : (PetscScalar)-1;
    }
  } else if (g->symmetric) {
#pragma omp parallel for
    for (PetscInt i = 0; i < csr->m; i++) {
      for (PetscInt k = csr->row_ptr[i]; k < csr->row_ptr[i + 1]; k++) csr->val[k] = RandomScalar(size->seed ^ 0x56414c, (uint64_t)PetscMin(i, csr->col[k]) * (uint64_t)csr->n + (uint64_t)PetscMax(i, csr->col[k]), 0.001, 1);
    }
  } else {
#pragma omp parallel for
    for (PetscInt k = 0; k < csr->row_ptr[csr->m]; k++) csr->val[k] = RandomScalar(size->seed ^ 0x56414c, (uint64_t)k, 0.001, 1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same rows as those of a matrix that PETSc lays out */
PetscErrorCode CsrShare(MPI_Comm comm, Csr *csr)
{
  PetscInt    m = PETSC_DECIDE, begin, nnz;
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  csr->rows = csr->m;
  csr->nnz  = csr->row_ptr[csr->m];
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (ranks == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSplitOwnership(comm, &m, &csr->m));
  PetscCallMPI(MPI_Scan(&m, &begin, 1, MPIU_INT, MPI_SUM, comm));
  begin -= m;
  csr->m = m;
  nnz    = csr->row_ptr[begin + m] - csr->row_ptr[begin];
  PetscCall(PetscArraymove(csr->col, csr->col + csr->row_ptr[begin], nnz));
  PetscCall(PetscArraymove(csr->val, csr->val + csr->row_ptr[begin], nnz));
  PetscCall(PetscArraymove(csr->row_ptr, csr->row_ptr + begin, m + 1));
  for (PetscInt i = m; i >= 0; i--) csr->row_ptr[i] -= csr->row_ptr[0];
  PetscCall(PetscRealloc((size_t)(m + 1) * sizeof(*csr->row_ptr), &csr->row_ptr));
  PetscCall(PetscRealloc((size_t)PetscMax(nnz, 1) * sizeof(*csr->col), &csr->col));
  PetscCall(PetscRealloc((size_t)PetscMax(nnz, 1) * sizeof(*csr->val), &csr->val));
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
