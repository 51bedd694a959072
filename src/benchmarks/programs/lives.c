static const char help[] = "Programs that step in time with small matrices: seconds in MatMult() a step, planning counted, of a plain type and of autocsr in turn.\n\
Load the library with -dll_append. Options: -gpu (against aijcusparse, not aij), -steps, -products, -points (a side of the grid), -repeats, -program (one of 0 to 4).\n\n";

#include "../harness/bench.h"
#include <petscdmda.h>
#include <petscts.h>

typedef struct {
  MatType  type;
  PetscInt steps, products, points; /* a step is one assembly and so many products; points: a side of the grid */
  PetscInt solves;                  /* assemblies so far */
  VecType  vec;                     /* of grids' vectors */
} Run;

/* A number in [0.5, 1.5) for an entry in a step: no coding of values holds many of them */
static PetscScalar Value(PetscInt i, PetscInt j, PetscInt step)
{
  return 0.5 + PetscAbsReal(PetscSinReal((PetscReal)(37 * i + 101 * j + 7919 * step)));
}

/* The nine points around each, row by row, diagonally dominant */
static PetscErrorCode Fill(Mat A, PetscInt points, PetscInt step)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < points * points; i++) {
    PetscInt    col[9], n = 0;
    PetscScalar val[9];

    for (PetscInt dy = -1; dy <= 1; dy++) {
      for (PetscInt dx = -1; dx <= 1; dx++) {
        const PetscInt x = i % points + dx, y = i / points + dy;

        if (x < 0 || x >= points || y < 0 || y >= points) continue;
        col[n]   = y * points + x;
        val[n++] = dx || dy ? -Value(i, y * points + x, step) : 20;
      }
    }
    PetscCall(MatSetValues(A, 1, &i, n, col, val, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrix(const Run *run, PetscInt rows, PetscInt length, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, rows, rows, rows, rows));
  PetscCall(MatSetType(*A, run->type));
  PetscCall(MatSeqAIJSetPreallocation(*A, length, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Multiply(const Run *run, Mat A)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  for (PetscInt k = 0; k < run->products; k++) PetscCall(MatMult(A, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same object is preallocated and assembled anew in each step: the structure counts as another one */
static PetscErrorCode Anew(Run *run)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(run, run->points * run->points, 9, &A));
  for (PetscInt s = 0; s < run->steps; s++) {
    if (s) PetscCall(MatSeqAIJSetPreallocation(A, 9, NULL));
    PetscCall(Fill(A, run->points, s));
    PetscCall(Multiply(run, A));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Grid(const Run *run, DM *dm)
{
  PetscFunctionBeginUser;
  PetscCall(DMDACreate2d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, run->points, run->points, 1, 1, 1, 1, NULL, NULL, dm));
  PetscCall(DMSetMatType(*dm, run->type));
  PetscCall(DMSetVecType(*dm, run->vec));
  PetscCall(DMSetUp(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another object of the same structure in each step */
static PetscErrorCode Dm(Run *run)
{
  DM  dm;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(Grid(run, &dm));
  for (PetscInt s = 0; s < run->steps; s++) {
    PetscCall(DMCreateMatrix(dm, &A));
    PetscCall(Fill(A, run->points, s));
    PetscCall(Multiply(run, A));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The structure is another one in each step of all runs: other rows, other columns */
static PetscErrorCode Adaptive(Run *run)
{
  static PetscInt s = 0;
  Mat             A;

  PetscFunctionBeginUser;
  for (const PetscInt end = s + run->steps; s < end; s++) {
    const PetscInt rows = run->points * run->points + s % 101;

    PetscCall(CreateMatrix(run, rows, 9, &A));
    for (PetscInt i = 0; i < rows; i++) {
      for (PetscInt k = 0; k < 9; k++) PetscCall(MatSetValue(A, i, (i + (k < 3 ? k : run->points * k + (7 * i + s) % (29 + s / 101))) % rows, Value(i, k, s), INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(Multiply(run, A));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each solve takes `products` iterations, converged or not */
static PetscErrorCode SetSolver(const Run *run, SNES snes)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(SNESSetMaxLinearSolveFailures(snes, PETSC_MAX_INT));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPRICHARDSON));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
  PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, (int)run->products));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Function(SNES snes, Vec u, Vec f, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(VecPointwiseMult(f, u, u));
  PetscCall(VecShift(f, -2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Old entries are zeroed, boundary rows too; without MAT_KEEP_NONZERO_PATTERN PETSc takes these out, and another nonzero state follows */
static PetscErrorCode Jacobian(SNES snes, Vec u, Mat J, Mat P, void *ctx)
{
  Run      *run = (Run *)ctx;
  PetscInt *rows;

  PetscFunctionBeginUser;
  PetscCall(MatZeroEntries(P));
  PetscCall(Fill(P, run->points, run->solves++));
  PetscCall(PetscMalloc1(run->points, &rows));
  for (PetscInt i = 0; i < run->points; i++) rows[i] = i;
  PetscCall(MatZeroRows(P, run->points, rows, 20, NULL, NULL));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Newton(Run *run)
{
  SNES snes;
  Mat  J;
  Vec  u, f;

  PetscFunctionBeginUser;
  run->solves = 0;
  PetscCall(CreateMatrix(run, run->points * run->points, 9, &J));
  PetscCall(MatSetOption(J, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatCreateVecs(J, &u, &f));
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(SNESSetFunction(snes, f, Function, run));
  PetscCall(SNESSetJacobian(snes, J, J, Jacobian, run));
  PetscCall(SNESSetType(snes, SNESKSPONLY));
  PetscCall(SetSolver(run, snes));
  for (PetscInt s = 0; s < run->steps; s++) {
    PetscCall(VecSet(u, 1));
    PetscCall(SNESSolve(snes, NULL, u));
  }
  PetscCall(SNESDestroy(&snes));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&f));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IFunction(TS ts, PetscReal t, Vec u, Vec v, Vec f, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(f, 1, u, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IJacobian(TS ts, PetscReal t, Vec u, Vec v, PetscReal shift, Mat J, Mat P, void *ctx)
{
  Run *run = (Run *)ctx;

  PetscFunctionBeginUser;
  PetscCall(Fill(P, run->points, run->solves++));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values in the same structure, in each step of an implicit integrator */
static PetscErrorCode Implicit(Run *run)
{
  TS   ts;
  SNES snes;
  DM   dm;
  Vec  u;
  Mat  J;

  PetscFunctionBeginUser;
  run->solves = 0;
  PetscCall(Grid(run, &dm));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateGlobalVector(dm, &u));
  PetscCall(VecSet(u, 1));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSBEULER));
  PetscCall(TSSetIFunction(ts, NULL, IFunction, run));
  PetscCall(TSSetIJacobian(ts, J, J, IJacobian, run));
  PetscCall(TSSetTimeStep(ts, 1e-3));
  PetscCall(TSSetMaxSteps(ts, run->steps));
  PetscCall(TSSetMaxTime(ts, 1e3));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESSetType(snes, SNESKSPONLY));
  PetscCall(SetSolver(run, snes));
  PetscCall(TSSolve(ts, u));
  PetscCall(TSDestroy(&ts));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&u));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds in MatMult() a step */
static PetscErrorCode Time(Run *run, PetscErrorCode (*program)(Run *), PetscReal *seconds)
{
  PetscLogEvent      event;
  PetscEventPerfInfo before, after;

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventGetId("MatMult", &event));
  PetscCall(PetscLogEventGetPerfInfo(0, event, &before));
  PetscCall((*program)(run));
  PetscCall(PetscLogEventGetPerfInfo(0, event, &after));
  *seconds = (PetscReal)(after.time - before.time) / run->steps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    PetscErrorCode (*program)(Run *);
  } programs[]           = {{"assembled-anew", Anew}, {"DMCreateMatrix", Dm}, {"SNES-MatZeroRows", Newton}, {"TS-new-values", Implicit}, {"adaptive-mesh", Adaptive}};
  const Machine *machine = &Cpu;
  PetscBool      gpu     = PETSC_FALSE;
  MatType        plain   = MATAIJ;
  Run            run     = {.steps = 100, .products = 25, .points = 33, .vec = VECSTANDARD};
  PetscInt       repeats = 15, only = -1;
  PetscReal      time[2][64];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-gpu", &gpu, NULL));
  if (gpu) {
    PetscCall(GpuFind(&machine));
    PetscCall(PetscLogGpuTime()); /* both types wait for the device in MatMult(): the time is not only that of a launch */
    plain   = MATAIJCUSPARSE;
    run.vec = VECCUDA;
  }
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps", &run.steps, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-products", &run.products, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-points", &run.points, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &repeats, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-program", &only, NULL));
  PetscCheck(repeats >= 1 && repeats <= 64, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repeats %" PetscInt_FMT " is not between 1 and 64", repeats);
  PetscCall(EachDescribe(machine));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "# %" PetscInt_FMT " steps of %" PetscInt_FMT " products, %" PetscInt_FMT " by %" PetscInt_FMT " points, the median of %" PetscInt_FMT " runs and the shortest: microseconds in MatMult() a step, plain: %s\n", run.steps, run.products, run.points, run.points, repeats, plain));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-18s %10s %10s %8s %10s %10s %8s\n", "program", "plain", "autocsr", "ratio", "plain_least", "autocsr_least", "ratio_least"));
  for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(programs); p++) {
    for (PetscInt r = 0; r < repeats && (only < 0 || only == (PetscInt)p); r++) {
      for (int ours = 0; ours < 2; ours++) {
        run.type = ours ? "autocsr" : plain;
        PetscCall(Time(&run, programs[p].program, &time[ours][r]));
      }
    }
    if (only >= 0 && only != (PetscInt)p) continue;
    for (int ours = 0; ours < 2; ours++) PetscCall(PetscSortReal(repeats, time[ours]));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-18s", programs[p].name));
    for (PetscInt r = repeats / 2;; r = 0) {
      PetscCall(PetscPrintf(PETSC_COMM_SELF, " %10.1f %10.1f %8.2f", (double)(1e6 * time[0][r]), (double)(1e6 * time[1][r]), (double)(time[1][r] / time[0][r])));
      if (!r) break;
    }
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  }
  PetscCall(PetscFinalize());
  return 0;
}
