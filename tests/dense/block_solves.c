static char help[] = "KSPMatSolve() with several right-hand sides: the same as with plain AIJ, and products with all of them at once are the library's.\n\
  -count : wants products with dense matrices\n\n";

#include <petscksp.h>
#include <petscautocsr.h>
#include "../dense.h"

#define POINTS  12
#define COLUMNS 9

/* The Laplacian of a square, of which each process has some lines */
static PetscErrorCode Laplacian(MatType type, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, POINTS * POINTS, POINTS * POINTS));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt row = begin; row < end; row++) {
    const PetscInt i = row / POINTS, j = row % POINTS;

    PetscCall(MatSetValue(*A, row, row, 4, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(*A, row, row - POINTS, -1, INSERT_VALUES));
    if (i < POINTS - 1) PetscCall(MatSetValue(*A, row, row + POINTS, -1, INSERT_VALUES));
    if (j > 0) PetscCall(MatSetValue(*A, row, row - 1, -1, INSERT_VALUES));
    if (j < POINTS - 1) PetscCall(MatSetValue(*A, row, row + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Solve(Mat A, Mat B, Mat X)
{
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e2 * PETSC_MACHINE_EPSILON, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  MatAutoCSRInfo info;
  Mat            plain, A, B, X, want;
  PetscInt       begin, end;
  PetscReal      off, all;
  PetscBool      count;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-count", &count));
  PetscCall(Laplacian(MATAIJ, &plain));
  PetscCall(Laplacian(MATAUTOCSR, &A));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(DenseCreate(begin, end, POINTS * POINTS, COLUMNS, 7, &B));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &want));
  PetscCall(Solve(plain, B, want));
  PetscCall(Solve(A, B, X));
  PetscCall(MatNorm(want, NORM_FROBENIUS, &all));
  PetscCall(MatAXPY(X, -1, want, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(X, NORM_FROBENIUS, &off));
  PetscCheck(off <= 1e5 * PETSC_MACHINE_EPSILON * all, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The solutions are off by %g of %g", (double)off, (double)all);
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCheck(!count || info.dense_products > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "No product with all right-hand sides was made by the library");
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Several right-hand sides are solved as with plain AIJ\n"));
  PetscCall(MatDestroy(&plain));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&want));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    nsize: {{1 2}}
    output_file: output/block_solves_1.out

    test:
      suffix: columns
      args: -ksp_type cg -pc_type jacobi

    test:
      suffix: cycle
      args: -ksp_type preonly -pc_type gamg -pc_gamg_coarse_eq_limit 10 -count

  test:
    suffix: cuda
    requires: cuda
    nsize: {{1 2}}
    args: -ksp_type preonly -pc_type gamg -pc_gamg_coarse_eq_limit 10 -count
    output_file: output/block_solves_1.out

TEST*/
