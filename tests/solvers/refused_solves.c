static char help[] = "What the solvers beside the matrix (-ksp_autocsr) do not serve: PETSc's own solve runs, to the last bit, and KSPView() says why.\n\n";

/* Knows nothing of the library but what KSPView() says of it */
#include <petscksp.h>

static PetscErrorCode Create(MPI_Comm comm, MatType type, PetscInt n, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(type ? MatSetType(*A, type) : MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscCall(MatSetValue(*A, i, i, 2.1 + 0.1 * (i % 5), INSERT_VALUES));
    if (i) PetscCall(MatSetValue(*A, i, i - 1, -1, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*A, i, i + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* What is asked for; each function sets one thing */
static PetscErrorCode Nothing(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Preconditioner(KSP ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCBJACOBI));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED)); /* with others CG is served on a device */
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode OtherMatrix(KSP ksp)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(Create(PetscObjectComm((PetscObject)ksp), MATAIJ, 90, &A));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Run() nests them; PETSc's JACOBI takes no such vectors */
static PetscErrorCode NestedVectors(KSP ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Run() calls KSPSolveTranspose() */
static PetscErrorCode Transposed(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Monitor(KSP ksp, PetscInt n, PetscReal norm, void *ctx)
{
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(KSPBuildSolution(ksp, NULL, &x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ReadsSolution(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPMonitorSet(ksp, Monitor, NULL, NULL));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Converged(KSP ksp, PetscInt n, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  PetscFunctionBeginUser;
  *reason = n < 5 ? KSP_CONVERGED_ITERATING : KSP_CONVERGED_ATOL;
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode OwnTest(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetConvergenceTest(ksp, Converged, NULL, NULL));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Eigenvalues(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetComputeEigenvalues(ksp, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode LateNorms(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetCheckNormIteration(ksp, 3));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Errors(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetErrorHistory(ksp, NULL, 100, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode NullSpace(KSP ksp)
{
  MatNullSpace nullspace;
  Mat          A;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)A), PETSC_TRUE, 0, NULL, &nullspace));
  PetscCall(MatSetNullSpace(A, nullspace));
  PetscCall(MatNullSpaceDestroy(&nullspace));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode SingleReduction(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCGUseSingleReduction(ksp, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Asked for and taken back: served again */
static PetscErrorCode NoSingleReduction(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCGUseSingleReduction(ksp, PETSC_TRUE));
  PetscCall(KSPCGUseSingleReduction(ksp, PETSC_FALSE));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode SelfScale(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, KSPRICHARDSON));
  PetscCall(KSPRichardsonSetSelfScale(ksp, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* GMRES serves classical Gram-Schmidt without refinement */
static PetscErrorCode Gmres(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ModifiedGramSchmidt(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, KSPGMRES));
#if PETSC_VERSION_LT(3, 26, 0)
  PetscCall(KSPGMRESSetOrthogonalization(ksp, KSPGMRESModifiedGramSchmidtOrthogonalization));
#else
  PetscCall(KSPOrthogonalizationSet(ksp, KSPOrthogonalizationModifiedGramSchmidt));
#endif
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Refinement(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, KSPGMRES));
#if PETSC_VERSION_LT(3, 26, 0)
  PetscCall(KSPGMRESSetCGSRefinementType(ksp, KSP_GMRES_CGS_REFINE_ALWAYS));
#else
  PetscCall(KSPOrthogonalizationSetCGSRefinementType(ksp, KSP_ORTHOGONALIZATION_CGS_REFINE_ALWAYS));
#endif
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode BothSides(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(KSPSetPCSide(ksp, PC_SYMMETRIC));
  PetscFunctionReturn((PetscErrorCode)0);
}

#if PETSC_VERSION_LT(3, 25, 0)
static PetscErrorCode Modify(KSP ksp, PetscInt total, PetscInt local, PetscReal norm, void *ctx)
#else
static PetscErrorCode Modify(KSP ksp, PetscInt total, PetscInt local, PetscReal norm, PetscCtx ctx)
#endif
{
  PetscFunctionBeginUser;
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ModifiedPreconditioner(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, KSPFGMRES));
#if PETSC_VERSION_LT(3, 25, 0)
  PetscCall(KSPFGMRESSetModifyPC(ksp, Modify, NULL, NULL));
#else
  PetscCall(KSPFlexibleSetModifyPC(ksp, Modify, NULL, NULL));
#endif
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The preconditioner keeps the size of its blocks, for it is set up already */
static PetscErrorCode OtherBlockSize(KSP ksp)
{
  Mat A;
  PC  pc;
  Vec b, x;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatSetBlockSize(A, 3));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(MatSetBlockSize(A, 5));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A type that is not ours forgets all of it; then CG comes back, without its options */
static PetscErrorCode OtherType(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, KSPTFQMR));
  PetscFunctionReturn((PetscErrorCode)0);
}

#if PETSC_VERSION_GE(3, 19, 0)
static PetscErrorCode Radius(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCGSetRadius(ksp, 0.5));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Target(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCGSetObjectiveTarget(ksp, -0.5));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Curvature(KSP ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetConvergedNegativeCurvature(ksp, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode FourthKind(KSP ksp)
{
  PetscFunctionBeginUser;
  /* KSPSetFromOptions() forgets what KSPChebyshevSetKind() has set */
  PetscCall(KSPSetType(ksp, KSPCHEBYSHEV));
  PetscCall(KSPChebyshevSetEigenvalues(ksp, 4.5, 0.1));
  PetscCall(PetscOptionsSetValue(NULL, "-fused_ksp_chebyshev_kind", "fourth"));
  PetscCall(PetscOptionsSetValue(NULL, "-plain_ksp_chebyshev_kind", "fourth"));
  PetscFunctionReturn((PetscErrorCode)0);
}
#endif

/* The line of KSPView(), on the first process */
static PetscErrorCode Said(KSP ksp, char line[], size_t n)
{
  PetscViewer viewer;
  char       *text   = NULL, *found;
  size_t      length = 0;
  FILE       *f      = open_memstream(&text, &length);

  PetscFunctionBeginUser;
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, f, &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(f);
  found = text ? strstr(text, "fused by autocsr") : NULL;
  while (found && found > text && found[-1] != '\n') found--;
  while (found && *found == ' ') found++;
  PetscCall(PetscStrncpy(line, found ? found : "nothing", n));
  line[strcspn(line, "\n")] = 0;
  free(text);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Run(const char prefix[], PetscErrorCode (*ask)(KSP), PetscBool after, Vec x, char line[], size_t n)
{
  Mat A;
  KSP ksp;
  PC  pc;
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(Create(PETSC_COMM_WORLD, NULL, 90, &A));
  PetscCall(MatCreateVecs(A, NULL, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, prefix));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 20));
  if (!after) PetscCall((*ask)(ksp));
  PetscCall(KSPSetFromOptions(ksp));
  if (after) PetscCall((*ask)(ksp));
  if (ask == NestedVectors) {
    Vec nest[2];

    PetscCall(VecCreateNest(PETSC_COMM_WORLD, 1, NULL, &b, &nest[0]));
    PetscCall(VecCreateNest(PETSC_COMM_WORLD, 1, NULL, &x, &nest[1]));
    PetscCall(KSPSolve(ksp, nest[0], nest[1]));
    PetscCall(VecDestroy(&nest[0]));
    PetscCall(VecDestroy(&nest[1]));
  } else
    PetscCall(ask == Transposed ? KSPSolveTranspose(ksp, b, x) : KSPSolve(ksp, b, x));
  PetscCall(Said(ksp, line, n));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Solvers that are fused by default tell of it only if they were */
static PetscErrorCode Default(Vec x)
{
  char line[256];

  PetscFunctionBeginUser;
  PetscCall(Run("other_", Nothing, PETSC_FALSE, x, line, sizeof(line)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "by default: %s\n", line));
  PetscCall(Run("other_", Preconditioner, PETSC_FALSE, x, line, sizeof(line)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "by default, another preconditioner: %s\n", line));
  PetscCall(Run("plain_", Nothing, PETSC_FALSE, x, line, sizeof(line)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "by default, but not this one: %s\n", line));
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_autocsr_default", "false"));
  PetscCall(Run("other_", Nothing, PETSC_FALSE, x, line, sizeof(line)));
  PetscCheck(!strcmp(line, "nothing"), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "With another default KSPView() says: %s", line);
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    PetscErrorCode (*ask)(KSP);
    PetscBool after; /* KSPSetFromOptions() */
  } wishes[] = {
    {"nothing", Nothing, PETSC_FALSE},
    {"another preconditioner", Preconditioner, PETSC_FALSE},
    {"another matrix", OtherMatrix, PETSC_FALSE},
    {"nested vectors", NestedVectors, PETSC_FALSE},
    {"the transposed system", Transposed, PETSC_FALSE},
    {"a monitor", ReadsSolution, PETSC_FALSE},
    {"a convergence test", OwnTest, PETSC_FALSE},
    {"eigenvalues", Eigenvalues, PETSC_FALSE},
    {"late norms", LateNorms, PETSC_FALSE},
    {"errors", Errors, PETSC_FALSE},
    {"a null space", NullSpace, PETSC_FALSE},
    {"single reduction", SingleReduction, PETSC_FALSE},
    {"single reduction later", SingleReduction, PETSC_TRUE},
    {"single reduction and back", NoSingleReduction, PETSC_TRUE},
    {"self scale", SelfScale, PETSC_FALSE},
    {"gmres", Gmres, PETSC_FALSE},
    {"modified Gram-Schmidt", ModifiedGramSchmidt, PETSC_FALSE},
    {"refinement", Refinement, PETSC_FALSE},
    {"both sides", BothSides, PETSC_FALSE},
    {"a preconditioner that changes", ModifiedPreconditioner, PETSC_FALSE},
    {"another block size", OtherBlockSize, PETSC_TRUE},
    {"another type", OtherType, PETSC_TRUE},
#if PETSC_VERSION_GE(3, 19, 0)
    {"a radius", Radius, PETSC_TRUE},
    {"a target", Target, PETSC_FALSE},
    {"negative curvature", Curvature, PETSC_FALSE},
    {"the fourth kind", FourthKind, PETSC_FALSE},
#endif
  };
  Mat A;
  Vec x[2];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-fused_ksp_autocsr", "true"));
  PetscCall(PetscOptionsSetValue(NULL, "-plain_ksp_autocsr", "false"));
  PetscCall(Create(PETSC_COMM_WORLD, NULL, 90, &A));
  PetscCall(MatCreateVecs(A, &x[0], &x[1]));
  PetscCall(MatDestroy(&A));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(wishes); k++) {
    char      ours[256], plain[256];
    PetscBool same;

    PetscCall(Run("fused_", wishes[k].ask, wishes[k].after, x[0], ours, sizeof(ours)));
    PetscCall(Run("plain_", wishes[k].ask, wishes[k].after, x[1], plain, sizeof(plain)));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", wishes[k].name, ours));
    PetscCall(VecEqual(x[0], x[1], &same));
    if (!strncmp(ours, "not ", 4)) PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the solution is not PETSc's", wishes[k].name);
    PetscCheck(!strcmp(plain, "nothing"), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: without the option KSPView() says: %s", wishes[k].name, plain);
  }
  PetscCall(Default(x[0]));
  PetscCall(VecDestroy(&x[0]));
  PetscCall(VecDestroy(&x[1]));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -mat_type autocsr
    output_file: output/refused_solves_1.out
    filter: grep -v '^a radius:\|^a target:\|^negative curvature:\|^the fourth kind:' | sed 's/on the device$/on the host/'

    test:
      nsize: {{1 2}}
      requires: !cuda

    test:
      suffix: cuda
      nsize: {{1 2}}
      requires: cuda

TEST*/
