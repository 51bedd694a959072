/*
  What is done to a matrix between products: new values by all the ways that PETSc has, new structure, new data under the old
  header. `like` is another matrix with the places of the first structure.
*/
#ifndef CHANGES_H
#define CHANGES_H

#include "compare.h"

static inline PetscErrorCode Assemble(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode Nothing(Mat A, Mat like)
{
  PetscFunctionBeginUser;
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode SetValues_Private(Mat A, Mat like, InsertMode mode)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt *col;
    PetscInt        n;

    PetscCall(MatGetRow(like, i, &n, &col, NULL));
    for (PetscInt k = 0; k < n; k++) PetscCall(MatSetValue(A, i, col[k], Scalar(1 + (i + col[k]) % 6, 0.5), mode));
    PetscCall(MatRestoreRow(like, i, &n, &col, NULL));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode SetValues(Mat A, Mat like)
{
  return SetValues_Private(A, like, INSERT_VALUES);
}

static inline PetscErrorCode AddValues(Mat A, Mat like)
{
  return SetValues_Private(A, like, ADD_VALUES);
}

static inline PetscErrorCode Scale(Mat A, Mat like)
{
  PetscFunctionBeginUser;
  PetscCall(MatScale(A, -2));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode Shift(Mat A, Mat like)
{
  PetscFunctionBeginUser;
  PetscCall(MatShift(A, 0.25));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode DiagonalSet(Mat A, Mat like)
{
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &d, NULL));
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(VecScale(d, 2));
  PetscCall(MatDiagonalSet(A, d, INSERT_VALUES));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode ScaleRowsAndColumns(Mat A, Mat like, PetscBool random)
{
  Vec          left, right, scale[2];
  PetscScalar *a;
  PetscInt     begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &right, &left));
  scale[0] = left;
  scale[1] = right;
  for (int k = 0; k < 2; k++) {
    PetscCall(VecGetOwnershipRange(scale[k], &begin, &end));
    PetscCall(VecGetArrayWrite(scale[k], &a));
    for (PetscInt i = begin; i < end; i++) a[i - begin] = random ? 2 + RandomScalar(i, k) : Scalar(i % 2 ? 2 : 1, 0);
    PetscCall(VecRestoreArrayWrite(scale[k], &a));
  }
  PetscCall(MatDiagonalScale(A, left, right));
  PetscCall(VecDestroy(&left));
  PetscCall(VecDestroy(&right));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode DiagonalScale(Mat A, Mat like)
{
  return ScaleRowsAndColumns(A, like, PETSC_FALSE);
}

static inline PetscErrorCode DiagonalScaleRandom(Mat A, Mat like)
{
  return ScaleRowsAndColumns(A, like, PETSC_TRUE);
}

static inline PetscErrorCode Arrays(Mat A, Mat like)
{
  Mat       blocks[2] = {A, NULL};
  PetscBool mpi;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (int b = 0; b < 2 && blocks[b]; b++) {
    PetscScalar *val;
    MatInfo      info;

    PetscCall(MatGetInfo(blocks[b], MAT_LOCAL, &info));
    PetscCall(MatSeqAIJGetArray(blocks[b], &val));
    for (PetscInt k = 0; k < (PetscInt)info.nz_used; k++) val[k] = Scalar(1 + k % 5, -1);
    PetscCall(MatSeqAIJRestoreArray(blocks[b], &val));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode CopySame(Mat A, Mat like)
{
  PetscFunctionBeginUser;
  PetscCall(MatCopy(like, A, SAME_NONZERO_PATTERN));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode AXPYSame(Mat A, Mat like)
{
  Mat X;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &X));
  PetscCall(MatAXPY(A, 3, X, SAME_NONZERO_PATTERN));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Of the type that `like` has */
static inline PetscErrorCode AXPYLike(Mat A, Mat like)
{
  Mat X;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(like, MAT_COPY_VALUES, &X));
  PetscCall(MatAXPY(A, 0.5, X, SAME_NONZERO_PATTERN));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The products in between see the values that are not kept */
static inline PetscErrorCode StoreAndScale(Mat A, Mat like)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatStoreValues(A));
  PetscCall(MatScale(A, 4));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode Retrieve(Mat A, Mat like)
{
  PetscFunctionBeginUser;
  PetscCall(MatRetrieveValues(A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* From a file, in the place of what there is */
static inline PetscErrorCode Load(Mat A, Mat like)
{
  PetscViewer viewer;
  Mat         X;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(like, MAT_COPY_VALUES, &X));
  PetscCall(MatScale(X, 3));
  for (int read = 0; read < 2; read++) {
    PetscCall(PetscViewerCreate(PetscObjectComm((PetscObject)A), &viewer));
    PetscCall(PetscViewerSetType(viewer, PETSCVIEWERBINARY));
    PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
    PetscCall(PetscViewerFileSetMode(viewer, read ? FILE_MODE_READ : FILE_MODE_WRITE));
    PetscCall(PetscViewerFileSetName(viewer, "changes.bin"));
    PetscCall(read ? MatLoad(A, viewer) : MatView(X, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
  }
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Small entries are taken out */
static inline PetscErrorCode Filter(Mat A, Mat like)
{
  PetscFunctionBeginUser;
#if PETSC_VERSION_GE(3, 20, 0)
  PetscCall(MatFilter(A, 0.3, PETSC_TRUE, PETSC_FALSE));
#endif
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode Zero(Mat A, Mat like)
{
  PetscFunctionBeginUser;
  PetscCall(MatZeroEntries(A));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode Conjugate(Mat A, Mat like)
{
  PetscFunctionBeginUser;
  PetscCall(MatConjugate(A));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode ZeroRows_Private(Mat A, PetscBool keep, PetscBool columns)
{
  PetscInt m, rows[3], begin, end, n = 0;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &m, NULL));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = 3; i < m; i += m / 3) {
    if (i >= begin && i < end) rows[n++] = i;
  }
  PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, keep));
  PetscCall((columns ? MatZeroRowsColumns : MatZeroRows)(A, n, rows, 2, NULL, NULL));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode ZeroRowsKeep(Mat A, Mat like)
{
  return ZeroRows_Private(A, PETSC_TRUE, PETSC_FALSE);
}

static inline PetscErrorCode ZeroRows(Mat A, Mat like)
{
  return ZeroRows_Private(A, PETSC_FALSE, PETSC_FALSE);
}

static inline PetscErrorCode ZeroRowsAndColumns(Mat A, Mat like)
{
  return ZeroRows_Private(A, PETSC_TRUE, PETSC_TRUE);
}

static inline PetscErrorCode NewNonzeros(Mat A, Mat like)
{
  PetscInt    n;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, NULL, &n));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (!rank) {
    PetscCall(MatSetValue(A, 0, n - 1, 3, ADD_VALUES));
    PetscCall(MatSetValue(A, n - 1, 0, 3, ADD_VALUES));
    PetscCall(MatSetValue(A, 1, n / 2, 3, ADD_VALUES));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* X has entries that A does not have, or the diagonal only */
static inline PetscErrorCode AXPY_Private(Mat A, PetscBool subset, MatStructure structure)
{
  PetscInt begin, end, n;
  MatType  type;
  Mat      X;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type));
  PetscCall(MatGetSize(A, NULL, &n));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &X));
  PetscCall(MatSetSizes(X, end - begin, end - begin, n, n));
  PetscCall(MatSetType(X, type));
  PetscCall(MatSetUp(X));
  for (PetscInt i = begin; i < end; i++) {
    PetscCall(MatSetValue(X, i, i, 2, INSERT_VALUES));
    if (!subset) PetscCall(MatSetValue(X, i, (i + n / 3) % n, -1, INSERT_VALUES));
  }
  PetscCall(Assemble(X));
  PetscCall(MatAXPY(A, 2, X, structure));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn((PetscErrorCode)0);
}

static inline PetscErrorCode AXPYSubset(Mat A, Mat like)
{
  return AXPY_Private(A, PETSC_TRUE, SUBSET_NONZERO_PATTERN);
}

static inline PetscErrorCode AXPYDifferent(Mat A, Mat like)
{
  return AXPY_Private(A, PETSC_FALSE, DIFFERENT_NONZERO_PATTERN);
}

static inline PetscErrorCode AXPYUnknown(Mat A, Mat like)
{
  return AXPY_Private(A, PETSC_FALSE, UNKNOWN_NONZERO_PATTERN);
}

static inline PetscErrorCode TransposeInPlace(Mat A, Mat like)
{
  PetscFunctionBeginUser;
  PetscCall(MatTranspose(A, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn((PetscErrorCode)0);
}

#endif
