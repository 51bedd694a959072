static char help[] = "A preconditioner that fails on one process, that is kept for new values and then not, a larger system, vectors of another size: the solvers beside the matrix (-ksp_autocsr) end as PETSc's do.\n\n";

/* Knows nothing of the library */
#include <petscksp.h>

/* -1 beside a diagonal of 4 to 10. singular: the first block of two rows is zero, on the first process */
static PetscErrorCode Create(PetscInt n, PetscInt block, PetscBool singular, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetBlockSize(*A, block));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscCall(MatSetValue(*A, i, i, singular && i < 2 ? 0 : 4 + i % 7, INSERT_VALUES));
    if (i >= 2) PetscCall(MatSetValue(*A, i, i - 2, -1, INSERT_VALUES));
    if (i < n - 2) PetscCall(MatSetValue(*A, i, i + 2, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

typedef struct {
  PetscInt           its;
  KSPConvergedReason reason;
} End;

#define SOLVES 4

static PetscErrorCode Solve(KSP ksp, Vec b, Vec x, End *end)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &end->reason));
  PetscCall(KSPGetIterationNumber(ksp, &end->its));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Run(PetscBool fused, PetscBool singular, End end[SOLVES])
{
  Mat A;
  KSP ksp;
  Vec b, x;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_autocsr", fused ? "true" : "false"));
  PetscCall(Create(singular ? 40 : 300, singular ? 2 : 3, singular, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Solve(ksp, b, x, &end[0]));
  if (singular) {
    PetscCall(Solve(ksp, b, x, &end[1]));
    PetscCall(MatScale(A, 2));
    PetscCall(Solve(ksp, b, x, &end[2]));
    PetscCall(MatShift(A, 9));
    PetscCall(Solve(ksp, b, x, &end[3]));
  } else {
    PetscCall(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
    PetscCall(MatScale(A, 5));
    PetscCall(Solve(ksp, b, x, &end[1]));
    PetscCall(KSPSetReusePreconditioner(ksp, PETSC_FALSE));
    PetscCall(Solve(ksp, b, x, &end[2]));
    PetscCall(MatScale(A, 0.5));
    PetscCall(Solve(ksp, b, x, &end[3]));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* `larger`: of a solve of a larger system after one of a smaller, `longer`: of one whose vectors have more entries than the matrix has rows */
typedef struct {
  PetscErrorCode larger, longer;
  End            end; /* of the larger system's */
} Sizes;

static PetscErrorCode RunSizes(PetscBool fused, Sizes *sizes)
{
  Mat     A[2];
  Vec     b[2], x[2];
  KSP     ksp;
  PC      pc;
  PCType  type;
  End     first;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_autocsr", fused ? "true" : "false"));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  for (int k = 0; k < 2; k++) {
    PetscCall(Create(k ? 1800 : 300, 3, PETSC_FALSE, &A[k]));
    PetscCall(MatCreateVecs(A[k], &x[k], &b[k]));
    PetscCall(VecSet(b[k], 1));
  }
  PetscCall(KSPSetOperators(ksp, A[0], A[0]));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Solve(ksp, b[0], x[0], &first));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  sizes->longer = KSPSolve(ksp, b[1], x[1]);
  PetscCall(PetscPopErrorHandler());
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, A[0], A[0]));
  PetscCall(Solve(ksp, b[0], x[0], &first));
  PetscCall(PCSetType(pc, PCSOR)); /* without which PETSc keeps the size of the system */
  PetscCall(PCSetType(pc, type));
  PetscCall(KSPSetOperators(ksp, A[1], A[1]));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  sizes->larger = Solve(ksp, b[1], x[1], &sizes->end);
  PetscCall(PetscPopErrorHandler());
  PetscCall(KSPDestroy(&ksp));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&b[k]));
    PetscCall(VecDestroy(&x[k]));
    PetscCall(MatDestroy(&A[k]));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Where PETSc's own solve keeps vectors of the smaller system, ours may solve the larger one all the same */
static PetscErrorCode CheckSizes(void)
{
  Sizes fused, plain;

  PetscFunctionBeginUser;
  PetscCall(RunSizes(PETSC_TRUE, &fused));
  PetscCall(RunSizes(PETSC_FALSE, &plain));
  PetscCheck(plain.longer && fused.longer == plain.longer, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Vectors that are too long: error %d, PETSc's solve %d", (int)fused.longer, (int)plain.longer);
  if (!plain.larger)
    PetscCheck(!fused.larger && fused.end.its == plain.end.its && fused.end.reason == plain.end.reason, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The larger system: error %d, %" PetscInt_FMT " iterations, %s; PETSc's %" PetscInt_FMT ", %s", (int)fused.larger, fused.end.its, KSPConvergedReasons[fused.end.reason], plain.end.its, KSPConvergedReasons[plain.end.reason]);
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscBool singular = PETSC_FALSE, sizes = PETSC_FALSE;
  End       fused[SOLVES], plain[SOLVES];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-singular", &singular, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-sizes", &sizes, NULL));
  if (sizes) PetscCall(CheckSizes());
  PetscCall(Run(PETSC_TRUE, singular, fused));
  PetscCall(Run(PETSC_FALSE, singular, plain));
  for (int k = 0; k < SOLVES; k++)
    PetscCheck(fused[k].its == plain[k].its && fused[k].reason == plain[k].reason, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Solve %d: %" PetscInt_FMT " iterations, %s; PETSc's %" PetscInt_FMT ", %s", k, fused[k].its, KSPConvergedReasons[fused[k].reason], plain[k].its, KSPConvergedReasons[plain[k].reason]);
  PetscCheck(singular == (PetscBool)(plain[0].reason == KSP_DIVERGED_PC_FAILED), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "PETSc's first solve: %s", KSPConvergedReasons[plain[0].reason]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The solves end as PETSc's do\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -mat_type autocsr -ksp_max_it 100
    output_file: output/changed_preconditioner.out

    test:
      suffix: kept
      nsize: {{1 2}}
      args: -pc_type {{jacobi pbjacobi}} -ksp_type {{richardson cg}}

    test:
      suffix: sizes
      nsize: 2
      args: -sizes -pc_type {{jacobi pbjacobi}} -ksp_type {{cg gmres}}

    test:
      suffix: sizes_chebyshev
      nsize: 2
      args: -sizes -pc_type {{jacobi pbjacobi}} -ksp_type chebyshev -ksp_chebyshev_eigenvalues 0.5,1.5

    test:
      suffix: failed
      nsize: 2
      args: -singular -pc_type pbjacobi -ksp_type {{cg gmres bcgs richardson}}

TEST*/
