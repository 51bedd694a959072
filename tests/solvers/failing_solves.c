static char help[] = "Solvers beside the matrix (-ksp_autocsr) where a solve that does not converge is an error: they fail where PETSc's do, leave no memory behind, and solve again.\n\n";

/* Knows nothing of the library but what KSPView() says of it */
#include <petscksp.h>

typedef enum {
  POSITIVE,
  INDEFINITE,
  SKEW, /* r.Ar is zero */
  ZEROS
} MatrixKind;

static PetscErrorCode CreateMatrix(MatrixKind kind, Mat *A)
{
  const PetscInt n = 60;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatSetValue(*A, i, i, kind >= SKEW ? 0 : kind == INDEFINITE && i % 3 == 0 ? -2.5 : 2.5 + 0.1 * (i % 4), INSERT_VALUES));
    if (i) PetscCall(MatSetValue(*A, i, i - 1, kind == ZEROS ? 0 : -1, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*A, i, i + 1, kind == ZEROS ? 0 : kind == SKEW ? 1 : -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

typedef struct {
  PetscErrorCode     error;
  KSPConvergedReason reason;
  PetscInt           its;
  PetscReal          again; /* the norm after a solve that converges */
} Outcome;

static PetscErrorCode Solve(const char prefix[], KSPType type, PCType pctype, MatrixKind kind, PetscInt max_it, Outcome *o)
{
  Mat A, good;
  Vec b, x;
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(kind, &A));
  PetscCall(CreateMatrix(POSITIVE, &good));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(VecSetValue(b, 3, 4, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, prefix));
  PetscCall(KSPSetType(ksp, type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, pctype));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-5, PETSC_DEFAULT, PETSC_DEFAULT, (int)max_it));
  PetscCall(KSPRichardsonSetScale(ksp, 0.2));
  PetscCall(KSPChebyshevSetEigenvalues(ksp, 4.6, 0.3));
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  o->error = KSPSolve(ksp, b, x);
  PetscCall(PetscPopErrorHandler());
  PetscCall(KSPGetConvergedReason(ksp, &o->reason));
  PetscCall(KSPGetIterationNumber(ksp, &o->its));
  PetscCall(KSPSetOperators(ksp, good, good));
  PetscCall(KSPSetTolerances(ksp, 1e-5, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(x, NORM_2, &o->again));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&good));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  static const KSPType types[]   = {KSPCG, KSPBCGS, KSPGMRES, KSPFGMRES, KSPCHEBYSHEV, KSPRICHARDSON};
  static const PCType  pctypes[] = {PCNONE, PCJACOBI};
  static const struct {
    const char *name;
    MatrixKind  kind;
    PetscInt    max_it;
  } problems[] = {
    {"converges",      POSITIVE,   200},
    {"few iterations", POSITIVE,   3  },
    {"no iteration",   POSITIVE,   0  },
    {"indefinite",     INDEFINITE, 4  },
    {"skew",           SKEW,       3  },
    {"zero matrix",    ZEROS,      3  },
  };
  PetscInt errors = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-fused_ksp_autocsr", "true"));
  PetscCall(PetscOptionsSetValue(NULL, "-plain_ksp_autocsr", "false"));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(problems); p++) {
      for (int c = 0; c < 2; c++) {
        Outcome ours, plain;
        char    name[96];

        PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s, %s", problems[p].name, types[t], pctypes[c]));
        PetscCall(Solve("fused_", types[t], pctypes[c], problems[p].kind, problems[p].max_it, &ours));
        PetscCall(Solve("plain_", types[t], pctypes[c], problems[p].kind, problems[p].max_it, &plain));
        /* Whether too few iterations are an error follows from how many solves are under way, which KSPSolve() miscounts after an error */
        PetscCheck(ours.error == plain.error || plain.reason == KSP_DIVERGED_ITS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: error %d, PETSc's %d", name, (int)ours.error, (int)plain.error);
        PetscCheck(ours.reason == plain.reason && ours.its == plain.its, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s after %" PetscInt_FMT " iterations, PETSc's %s after %" PetscInt_FMT, name, KSPConvergedReasons[ours.reason], ours.its, KSPConvergedReasons[plain.reason], plain.its);
        PetscCheck(PetscAbsReal(ours.again - plain.again) <= 1e-3 * plain.again, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the solution of the solve that follows has the norm %g, PETSc's %g", name, (double)ours.again, (double)plain.again);
        errors += ours.error != 0 && ours.reason != KSP_DIVERGED_ITS;
      }
    }
  }
  PetscCheck(errors > 8, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " solves only were errors", errors);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Solves fail where PETSc's do\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    args: -mat_type autocsr

TEST*/
