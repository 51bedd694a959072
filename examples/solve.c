static char help[] = "Solves A x = b with a matrix from a PETSc binary file; a plain PETSc program, which knows nothing of autocsr.\n\
  -f <file> : the matrix, as autocsr_convert writes it; b is A times ones\n\n";

#include <petscksp.h>

int main(int argc, char **argv)
{
  Mat         A;
  Vec         x, b;
  KSP         ksp;
  PetscViewer viewer;
  char        file[PETSC_MAX_PATH_LEN];
  PetscBool   flg;
  PetscInt    its;
  PetscReal   norm, norm_b;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof(file), &flg));
  PetscCheck(flg, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Say which matrix: -f <file>");
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatLoad(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));

  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, b));
  PetscCall(VecSet(x, 0));
  PetscCall(VecNorm(b, NORM_2, &norm_b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(VecScale(b, -1));
  PetscCall(MatMultAdd(A, x, b, b));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Number of iterations = %" PetscInt_FMT "\n", its));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Residual norm %.3e of %.3e\n", (double)norm, (double)norm_b));

  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    requires: double !complex
    nsize: {{1 2}}
    args: -f ${AUTOCSR_DATA}/bcsstk28.bin -ksp_type cg -pc_type jacobi -ksp_norm_type unpreconditioned -ksp_rtol 1e-8 -ksp_max_it 20000 -mat_type {{aij autocsr}}
    filter: awk '/Residual/ {print $3 / $5 < 1e-7 ? "small" : "not small"}'

TEST*/
