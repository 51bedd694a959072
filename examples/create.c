static char help[] = "Makes an autocsr matrix by name and asks what became of it; a program that is written for MATAUTOCSR and linked with the library.\n\
  -n <points> : points of the grid in each direction\n\n";

#include <petscautocsr.h>

int main(int argc, char **argv)
{
  Mat            A;
  Vec            x, y;
  MatAutoCSRInfo info;
  PetscInt       n = 100, begin, end;
  PetscReal      norm;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));

  /* The five-point Laplacian on n by n points */
  PetscCall(MatCreateAutoCSR(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n, 5, NULL, 4, NULL, &A));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt row = begin; row < end; row++) {
    PetscInt i = row / n, j = row % n;

    if (i > 0) PetscCall(MatSetValue(A, row, row - n, -1, INSERT_VALUES));
    if (j > 0) PetscCall(MatSetValue(A, row, row - 1, -1, INSERT_VALUES));
    PetscCall(MatSetValue(A, row, row, 4, INSERT_VALUES));
    if (j < n - 1) PetscCall(MatSetValue(A, row, row + 1, -1, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(A, row, row + n, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));

  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_1, &norm));
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "|A 1|_1 = %g; the first rank's plans: %s\n", (double)norm, info.plans ? info.strategy : "none yet"));

  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    nsize: {{1 3}}
    filter: sed "s/plans: [a-z0-9-]*$/plans: made/"

TEST*/
