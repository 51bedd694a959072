static char help[] = "SNES and TS with solvers beside the matrix (-ksp_autocsr), unmodified: steps, iterations and solutions are PETSc's.\n\n";

/* Knows nothing of the library but what KSPView() says of it */
#include <petscts.h>
#include "fused.h"

static const PetscInt points = 17; /* a side of the grid; two unknowns a point */

typedef struct {
  Mat A;
} Model;

/* Diffusion of two coupled unknowns, not symmetric */
static PetscErrorCode CreateMatrix(Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, 2 * points * points, 2 * points * points));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 6, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 6, NULL, 5, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt p = i / 2, x = p % points, y = p / points, step[4] = {x ? -1 : 0, x < points - 1 ? 1 : 0, y ? -points : 0, y < points - 1 ? points : 0};

    PetscCall(MatSetValue(*A, i, i, 4.2 + 0.2 * (i % 3), INSERT_VALUES));
    PetscCall(MatSetValue(*A, i, i ^ 1, i % 2 ? 0.3 : -0.2, INSERT_VALUES));
    for (int k = 0; k < 4; k++) {
      if (step[k]) PetscCall(MatSetValue(*A, i, i + 2 * step[k], k % 2 ? -0.9 : -1.1, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A x + x^3 = 1 */
static PetscErrorCode Function(SNES snes, Vec x, Vec f, void *ctx)
{
  Model             *model = (Model *)ctx;
  const PetscScalar *u;
  PetscScalar       *v;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(MatMult(model->A, x, f));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &u));
  PetscCall(VecGetArray(f, &v));
  for (PetscInt i = 0; i < n; i++) v[i] += u[i] * u[i] * u[i] - (PetscScalar)1;
  PetscCall(VecRestoreArray(f, &v));
  PetscCall(VecRestoreArrayRead(x, &u));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Jacobian(SNES snes, Vec x, Mat J, Mat P, void *ctx)
{
  Model *model = (Model *)ctx;
  Vec    d;

  PetscFunctionBeginUser;
  PetscCall(MatCopy(model->A, P, SAME_NONZERO_PATTERN));
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecPointwiseMult(d, x, x));
  PetscCall(VecScale(d, 3));
  PetscCall(MatDiagonalSet(P, d, ADD_VALUES));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn((PetscErrorCode)0);
}

typedef struct {
  Vec       x;
  PetscInt  its, linear;
  PetscBool fused;
} Outcome;

static PetscErrorCode SolveNonlinear(const char prefix[], KSPType type, Outcome *o)
{
  Model model;
  Mat   J;
  SNES  snes;
  KSP   ksp;
  PC    pc;
  Vec   r;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(&model.A));
  PetscCall(MatDuplicate(model.A, MAT_COPY_VALUES, &J));
  PetscCall(MatCreateVecs(model.A, &o->x, &r));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetOptionsPrefix(snes, prefix));
  PetscCall(SNESSetFunction(snes, r, Function, &model));
  PetscCall(SNESSetJacobian(snes, J, J, Jacobian, &model));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(VecSet(o->x, 0));
  PetscCall(SNESSolve(snes, NULL, o->x));
  PetscCall(SNESGetIterationNumber(snes, &o->its));
  PetscCall(SNESGetLinearSolveIterations(snes, &o->linear));
  PetscCall(IsFused(ksp, &o->fused));
  PetscCall(SNESDestroy(&snes));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&model.A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* x' = -A x by ten implicit steps */
static PetscErrorCode SolveInTime(const char prefix[], KSPType type, Outcome *o)
{
  Mat  A;
  TS   ts;
  SNES snes;
  KSP  ksp;
  PC   pc;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(&A));
  PetscCall(MatScale(A, -1));
  PetscCall(MatCreateVecs(A, &o->x, NULL));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetOptionsPrefix(ts, prefix));
  PetscCall(TSSetType(ts, TSBEULER));
  PetscCall(TSSetProblemType(ts, TS_LINEAR));
  PetscCall(TSSetRHSFunction(ts, NULL, TSComputeRHSFunctionLinear, NULL));
  PetscCall(TSSetRHSJacobian(ts, A, A, TSComputeRHSJacobianConstant, NULL));
  PetscCall(TSSetTimeStep(ts, 0.1));
  PetscCall(TSSetMaxSteps(ts, 10));
  PetscCall(TSSetMaxTime(ts, 10));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, type));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(VecSet(o->x, 1));
  PetscCall(TSSolve(ts, o->x));
  PetscCall(TSGetStepNumber(ts, &o->its));
  PetscCall(TSGetKSPIterations(ts, &o->linear));
  PetscCall(IsFused(ksp, &o->fused));
  PetscCall(TSDestroy(&ts));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  static const KSPType types[] = {KSPGMRES, KSPFGMRES, KSPBCGS};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-fused_ksp_autocsr", "true"));
  PetscCall(PetscOptionsSetValue(NULL, "-plain_ksp_autocsr", "false"));
  for (int t = 0; t < (int)PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    for (int time = 0; time < 2; time++) {
      Outcome   ours, plain;
      PetscReal scale, difference;

      PetscCall(time ? SolveInTime("fused_", types[t], &ours) : SolveNonlinear("fused_", types[t], &ours));
      PetscCall(time ? SolveInTime("plain_", types[t], &plain) : SolveNonlinear("plain_", types[t], &plain));
      PetscCheck(ours.fused && !plain.fused, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s in %s: the solve was %sfused, and PETSc's %sfused", types[t], time ? "TS" : "SNES", ours.fused ? "" : "not ", plain.fused ? "" : "not ");
      PetscCheck(ours.its == plain.its && ours.linear == plain.linear && ours.linear > 10, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s in %s: %" PetscInt_FMT " steps and %" PetscInt_FMT " iterations, PETSc's %" PetscInt_FMT " and %" PetscInt_FMT, types[t], time ? "TS" : "SNES", ours.its, ours.linear, plain.its, plain.linear);
      PetscCall(VecNorm(plain.x, NORM_2, &scale));
      PetscCall(VecAXPY(plain.x, -1, ours.x));
      PetscCall(VecNorm(plain.x, NORM_2, &difference));
      PetscCheck(difference <= (PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-8) * scale, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s in %s: solutions differ by %g of %g", types[t], time ? "TS" : "SNES", (double)difference, (double)scale);
      PetscCall(VecDestroy(&ours.x));
      PetscCall(VecDestroy(&plain.x));
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Steps are PETSc's\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -mat_type autocsr
    output_file: output/outer_solvers_1.out

    test:

    test:
      suffix: ranks
      nsize: 2

TEST*/
