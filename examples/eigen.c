static char help[] = "The largest eigenvalue of the Laplacian with SLEPc, or the smallest; a plain SLEPc program, which knows nothing of autocsr.\n\
  -n <points> : points of the line\n\
  -eps_smallest_real : the smallest; LOBPCG (-eps_type lobpcg) multiplies several vectors at once\n\
  -eps_target 0 -st_type sinvert : the smallest by shift-and-invert, which solves a system in each iteration (-st_ksp_type, -st_pc_type)\n\n";

#include <slepceps.h>

int main(int argc, char **argv)
{
  Mat         A;
  EPS         eps;
  PetscInt    n = 200, begin, end, converged;
  PetscScalar lambda;
  PetscReal   exact;
  MatType     type;
  EPSWhich    which;
  PetscBool   smallest;

  PetscFunctionBeginUser;
  PetscCall(SlepcInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    if (i > 0) PetscCall(MatSetValue(A, i, i - 1, -1, INSERT_VALUES));
    PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(A, i, i + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetType(A, &type));

  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &converged));
  PetscCheck(converged > 0, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "No eigenvalue converged");
  PetscCall(EPSGetEigenvalue(eps, 0, &lambda, NULL));
  PetscCall(EPSGetWhichEigenpairs(eps, &which));
  smallest = (PetscBool)(which != EPS_LARGEST_REAL);
  exact    = 2 - 2 * PetscCosReal((smallest ? 1 : n) * PETSC_PI / (n + 1));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: the %s eigenvalue is %.6f, its error is %s\n", type, smallest ? "smallest" : "largest", (double)PetscRealPart(lambda), PetscAbsReal(PetscRealPart(lambda) - exact) < 1e-7 ? "small" : "not small"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(SlepcFinalize());
  return 0;
}

/*TEST

  build:
    requires: slepc

  test:
    nsize: {{1 2}separate output}
    args: -mat_type {{aij autocsr}separate output}

  test:
    suffix: block
    nsize: {{1 2}separate output}
    args: -mat_type autocsr -eps_smallest_real -eps_type lobpcg -eps_lobpcg_blocksize 8 -st_type precond -st_ksp_type preonly -st_pc_type jacobi -eps_max_it 2000 -log_view
    filter: awk '$1 == "AutoCSRDense" && $6 > 0 {print "dense products have their plan"} /eigenvalue/'

  test:
    suffix: invert
    nsize: {{1 2}}
    args: -mat_type autocsr -eps_target 0 -st_type sinvert -st_ksp_type {{cg bcgs gmres}} -st_ksp_rtol 1e-10 -st_pc_type jacobi -st_ksp_autocsr {{true false}separate output} -n 60 -eps_view
    filter: grep -o 'fused by autocsr.*\|.*eigenvalue is.*' | sed 's/on the device$/on the host/; s/^seq\|^mpi//'

TEST*/
