static char help[] = "PETSc is initialized twice in a process: products agree, and the second run reads its own -mat_autocsr_machine.\n\n";

#include <petscautocsr.h>

#define N 2000

static PetscErrorCode Product(PetscReal *norm)
{
  Mat            A;
  Vec            x, y;
  PetscErrorCode ierr = (PetscErrorCode)0;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAutoCSR(PETSC_COMM_SELF, N, N, N, N, 3, NULL, 0, NULL, &A));
  for (PetscInt i = 0; i < N; i++) {
    const PetscInt    col[3] = {i ? i - 1 : -1, i, i + 1 < N ? i + 1 : -1};
    const PetscScalar val[3] = {1, (PetscReal)(2 + i % 7), 3};

    PetscCall(MatSetValues(A, 1, &i, 3, col, val, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  for (PetscInt k = 0; k < 50 && !ierr; k++) ierr = MatMult(A, x, y);
  PetscCall(VecNorm(y, NORM_INFINITY, norm));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(ierr);
}

int main(int argc, char **argv)
{
  PetscReal norm[2] = {0, 0};

  MPI_Init(&argc, &argv);
  for (int run = 0; run < 2; run++) {
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, help));
    PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_machine", run ? "shipped:reference" : "none"));
    PetscCall(Product(&norm[run]));
    PetscCall(PetscFinalize());
  }
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCheck(norm[0] == norm[1] && norm[0] == 12, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The norms are %g and %g", (double)norm[0], (double)norm[1]);
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_machine", "shipped:no-such-processor"));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  {
    const PetscErrorCode ierr = Product(&norm[0]);

    PetscCall(PetscPopErrorHandler());
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "The products agree; a processor that is not known: %s\n", ierr == PETSC_ERR_ARG_UNKNOWN_TYPE ? "an error" : "FAILED"));
  }
  PetscCall(PetscFinalize());
  MPI_Finalize();
  return 0;
}

/*TEST

  testset:
    output_file: output/initialized_twice_1.out
    filter: grep -v "PETSC ERROR"

    test:
      suffix: 1

    test:
      suffix: cuda
      requires: cuda

TEST*/
