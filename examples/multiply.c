static char help[] = "Multiplies by a tridiagonal matrix of the type that the options name, and checks the product; a plain PETSc program.\n\n";

#include <petscmat.h>

int main(int argc, char **argv)
{
  Mat         A;
  Vec         x, y;
  MatType     type;
  PetscInt    n = 1000, begin, end;
  PetscScalar sum;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    if (i > 0) PetscCall(MatSetValue(A, i, i - 1, -1, INSERT_VALUES));
    PetscCall(MatSetValue(A, i, i, 4, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(A, i, i + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecSum(y, &sum));
  PetscCheck(PetscAbsScalar(sum - (PetscScalar)(2 * n + 2)) < 1e-3, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The sum of the product is %g", (double)PetscRealPart(sum));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", type));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    nsize: {{1 2}separate output}
    args: -mat_type autocsr

TEST*/
