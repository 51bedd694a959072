static char help[] = "Values that PETSc writes into blocks of matrices of a program that names AIJ (-mat_seqaij_type): products use the new ones, not those of which plans were made.\n\n";

/* Knows nothing of the library: what a product should be is told by MatGetRow(), since x is 1 */
#include <petscmat.h>

static PetscInt products;

static PetscErrorCode Check(Mat A, const char name[])
{
  Vec                x, y;
  const PetscScalar *product, *row;
  PetscInt           begin, end, n;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  for (PetscInt k = 0; k < products; k++) PetscCall(MatMult(A, x, y));
  PetscCall(VecGetArrayRead(y, &product));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscScalar sum = 0;

    PetscCall(MatGetRow(A, i, &n, NULL, &row));
    for (PetscInt k = 0; k < n; k++) sum += row[k];
    PetscCall(MatRestoreRow(A, i, &n, NULL, &row));
    PetscCheck(PetscAbsScalar(sum - product[i - begin]) <= 100 * PETSC_MACHINE_EPSILON * (1 + PetscAbsScalar(sum)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %" PetscInt_FMT " of the product is %g, its entries add up to %g", name, i, (double)PetscRealPart(product[i - begin]), (double)PetscRealPart(sum));
  }
  PetscCall(VecRestoreArrayRead(y, &product));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Rows of three entries, of few patterns, far enough apart that both blocks have some; values copied by every plan that is worth it */
static PetscErrorCode Create(PetscInt n, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 3, NULL, 3, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscCall(MatSetValue(*A, i, i, 2 + i % 7, INSERT_VALUES));
    PetscCall(MatSetValue(*A, i, (i + 1) % n, 1, INSERT_VALUES));
    PetscCall(MatSetValue(*A, i, (i + n / 2) % n, 1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* All rows and columns on each process; and some of them, by either way */
static PetscErrorCode SubMatrices(Mat A, PetscInt n, PetscInt m, PetscBool mpi, const char name[])
{
  Mat *S;
  IS   rows;

  PetscFunctionBeginUser;
  PetscCall(ISCreateStride(PETSC_COMM_SELF, m, 0, 1, &rows));
  PetscCall(mpi ? MatCreateSubMatricesMPI(A, 1, &rows, &rows, MAT_INITIAL_MATRIX, &S) : MatCreateSubMatrices(A, 1, &rows, &rows, MAT_INITIAL_MATRIX, &S));
  PetscCall(Check(*S, name));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(MatScale(A, 10));
    PetscCall(mpi ? MatCreateSubMatricesMPI(A, 1, &rows, &rows, MAT_REUSE_MATRIX, &S) : MatCreateSubMatrices(A, 1, &rows, &rows, MAT_REUSE_MATRIX, &S));
    PetscCall(Check(*S, name));
  }
  PetscCall(MatScale(A, 0.01));
  if (mpi) {
    PetscCall(MatDestroy(S));
    PetscCall(PetscFree(S));
  } else
    PetscCall(MatDestroySubMatrices(1, &S));
  PetscCall(ISDestroy(&rows));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Values(Mat A)
{
  Mat      B, T, P;
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(Check(B, "MatDuplicate()"));
  PetscCall(MatSetOption(B, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatStoreValues(B));
  PetscCall(MatScale(B, 3));
  PetscCall(Check(B, "MatScale()"));
  PetscCall(MatRetrieveValues(B));
  PetscCall(Check(B, "MatRetrieveValues()"));
  PetscCall(MatTranspose(B, MAT_INITIAL_MATRIX, &T));
  PetscCall(Check(T, "MatTranspose()"));
  PetscCall(MatPtAP(A, T, MAT_INITIAL_MATRIX, 2, &P));
  PetscCall(Check(P, "MatPtAP()"));
  PetscCall(MatGetOwnershipRange(B, &begin, &end));
  for (PetscInt i = begin; i < end; i++) PetscCall(MatSetValue(B, i, i, 9 + i % 5, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(Check(B, "MatAssemblyEnd()"));
  PetscCall(MatTranspose(B, MAT_REUSE_MATRIX, &T));
  PetscCall(Check(T, "MatTranspose() again"));
  PetscCall(MatPtAP(A, T, MAT_REUSE_MATRIX, 2, &P));
  PetscCall(Check(P, "MatPtAP() again"));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&T));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The rows of one process as a matrix */
static PetscErrorCode Local(Mat A)
{
  Mat       L;
  PetscBool parallel;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
  if (!parallel) PetscFunctionReturn((PetscErrorCode)0);
  PetscCall(MatMPIAIJGetLocalMat(A, MAT_INITIAL_MATRIX, &L));
  PetscCall(Check(L, "MatMPIAIJGetLocalMat()"));
  PetscCall(MatScale(A, 4));
  PetscCall(MatMPIAIJGetLocalMat(A, MAT_REUSE_MATRIX, &L));
  PetscCall(Check(L, "MatMPIAIJGetLocalMat() again"));
  PetscCall(MatScale(A, 0.25));
  PetscCall(MatDestroy(&L));
  PetscFunctionReturn((PetscErrorCode)0);
}

#if defined(PETSC_HAVE_HYPRE)
static PetscErrorCode Hypre(Mat A)
{
  Mat H, B;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATHYPRE, MAT_INITIAL_MATRIX, &H));
  PetscCall(MatConvert(H, MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(Check(B, "MatConvert() of MATHYPRE"));
  PetscCall(MatDestroy(&H));
  PetscCall(MatScale(A, 5));
  PetscCall(MatConvert(A, MATHYPRE, MAT_INITIAL_MATRIX, &H));
  PetscCall(MatConvert(H, MATAIJ, MAT_REUSE_MATRIX, &B));
  PetscCall(Check(B, "MatConvert() of MATHYPRE again"));
  PetscCall(MatScale(A, 0.2));
  PetscCall(MatDestroy(&H));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}
#endif

int main(int argc, char **argv)
{
  Mat         A;
  PetscInt    n = 600;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-products", &products, NULL));
  PetscCall(Create(n, &A));
  PetscCall(Check(A, "MatCreateAIJ()"));
  PetscCall(SubMatrices(A, n, n, PETSC_FALSE, "MatCreateSubMatrices() of all"));
  PetscCall(SubMatrices(A, n, n - 100, PETSC_FALSE, "MatCreateSubMatrices() of some"));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(SubMatrices(A, n, n, PETSC_TRUE, "MatCreateSubMatricesMPI() of all"));
  PetscCall(Values(A));
  PetscCall(Local(A));
#if defined(PETSC_HAVE_HYPRE)
  PetscCall(Hypre(A));
#endif
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Products use the values of the matrices\n"));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -mat_seqaij_type seqaijautocsr
    output_file: output/silent_writes_1.out

    test:
      suffix: 1
      nsize: {{1 2}}
      args: -products 2 -mat_autocsr_progressive 0

    test:
      suffix: check
      nsize: 2
      args: -products 2 -mat_autocsr_progressive 0 -mat_autocsr_check_values

TEST*/
