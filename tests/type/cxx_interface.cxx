static char help[] = "The public interface from C++: every setter, the choices' names, and what MatAutoCSRGetInfo() says afterwards.\n\n";

#include <petscautocsr.h>

int main(int argc, char **argv)
{
  Mat            A;
  Vec            x, y;
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(MatCreateSeqAutoCSR(PETSC_COMM_SELF, 40, 40, 3, NULL, &A));
  for (PetscInt i = 0; i < 40; i++) {
    for (PetscInt j = PetscMax(i - 1, 0); j <= PetscMin(i + 1, 39); j++) PetscCall(MatSetValue(A, i, j, i == j ? 2 : -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAutoCSRSetStrategy(A, "binned"));
  PetscCall(MatAutoCSRSetRigor(A, MAT_AUTOCSR_RIGOR_ESTIMATE));
  PetscCall(MatAutoCSRSetObjective(A, MAT_AUTOCSR_OBJECTIVE_MEMORY));
  PetscCall(MatAutoCSRSetIndexCoding(A, MAT_AUTOCSR_INDEX_CSR));
  PetscCall(MatAutoCSRSetValueCoding(A, MAT_AUTOCSR_VALUE_CSR));
  PetscCall(MatAutoCSRSetGranularity(A, 10));
  PetscCall(MatAutoCSRSetMaxBins(A, 1));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %d nonzeros, %d plan, %d product\n", info.strategy, (int)info.nnz, (int)info.plans, (int)info.products));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s %s %s %s\n", MatAutoCSRRigors[MAT_AUTOCSR_RIGOR_MEASURE], MatAutoCSRObjectives[MAT_AUTOCSR_OBJECTIVE_TIME], MatAutoCSRIndexCodings[MAT_AUTOCSR_INDEX_16], MatAutoCSRValueCodings[MAT_AUTOCSR_VALUE_FLOAT32]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:

TEST*/
