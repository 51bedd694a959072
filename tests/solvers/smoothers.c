static char help[] = "Solvers beside the matrix as smoothers of PCMG and PCGAMG (-mg_levels_ksp_autocsr): iterations and residual norms are those of PETSc's own smoothers.\n\n";

/* Knows nothing of the library but what KSPView() says of it */
#include <petscksp.h>
#include "fused.h"

static const PetscInt points = 31; /* a side of the grid */

/* Five points, each value another one */
static PetscErrorCode CreateMatrix(Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, points * points, points * points));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5, NULL, 4, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt x = i % points, y = i / points, neighbour[4] = {x ? i - 1 : -1, x < points - 1 ? i + 1 : -1, y ? i - points : -1, y < points - 1 ? i + points : -1};

    PetscCall(MatSetValue(*A, i, i, 4.3 + 0.05 * PetscSinReal((PetscReal)(i * i % 1000)), INSERT_VALUES));
    for (int k = 0; k < 4; k++) {
      if (neighbour[k] >= 0) PetscCall(MatSetValue(*A, i, neighbour[k], -1 - 0.05 * PetscSinReal((PetscReal)(37 * PetscMin(i, neighbour[k]) + 101 * PetscMax(i, neighbour[k]))), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* From a grid with half as many points a side, bilinear */
static PetscErrorCode CreateInterpolation(PetscInt fine, Mat *P)
{
  const PetscInt coarse = (fine - 1) / 2;
  PetscInt       begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, P));
  PetscCall(MatSetSizes(*P, PETSC_DECIDE, PETSC_DECIDE, fine * fine, coarse * coarse));
  PetscCall(MatSetType(*P, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocation(*P, 4, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*P, 4, NULL, 4, NULL));
  PetscCall(MatGetOwnershipRange(*P, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt x = i % fine, y = i / fine;

    for (PetscInt v = (y - 1) / 2; v <= y / 2; v++) {
      for (PetscInt u = (x - 1) / 2; u <= x / 2; u++) {
        const PetscReal wx = x % 2 ? 1 : 0.5, wy = y % 2 ? 1 : 0.5;

        if ((x % 2 && u != (x - 1) / 2) || (y % 2 && v != (y - 1) / 2) || (x == 0 && !(x % 2) && u < 0) || u < 0 || v < 0 || u >= coarse || v >= coarse) continue;
        PetscCall(MatSetValue(*P, i, v * coarse + u, wx * wy, INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(*P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

#define MOST 64
typedef struct {
  PetscInt  its;
  PetscReal history[MOST];
  int       fused;
} Outcome;

static PetscErrorCode Solve(const char prefix[], PCType type, KSPType smoother, const char kind[], Outcome *o)
{
  Mat A, P[2] = {NULL, NULL};
  Vec x, b;
  KSP ksp;
  PC  pc;
  char option[64];

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(&A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, prefix));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, MOST - 2));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%smg_levels_ksp_type", prefix));
  PetscCall(PetscOptionsSetValue(NULL, option, smoother));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%smg_levels_pc_type", prefix));
  PetscCall(PetscOptionsSetValue(NULL, option, PCJACOBI));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%smg_levels_ksp_chebyshev_kind", prefix));
  PetscCall(kind ? PetscOptionsSetValue(NULL, option, kind) : PetscOptionsClearValue(NULL, option));
  if (!strcmp(type, PCMG)) {
    PetscCall(PCMGSetLevels(pc, 3, NULL));
    PetscCall(PCMGSetGalerkin(pc, PC_MG_GALERKIN_BOTH));
    PetscCall(CreateInterpolation(points, &P[0]));
    PetscCall(CreateInterpolation((points - 1) / 2, &P[1]));
    PetscCall(PCMGSetInterpolation(pc, 2, P[0]));
    PetscCall(PCMGSetInterpolation(pc, 1, P[1]));
  }
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetResidualHistory(ksp, o->history, MOST, PETSC_TRUE));
  for (int k = 0; k < 2; k++) { /* the second time with new values */
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &o->its));
    if (k == 0) PetscCall(MatScale(A, 1.5));
  }
  PetscCall(CountFused(ksp, &o->fused));
  PetscCall(KSPDestroy(&ksp));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&P[k]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  static const PCType  types[]     = {PCMG, PCGAMG};
  static const KSPType smoothers[] = {KSPCHEBYSHEV, KSPRICHARDSON, KSPGMRES, KSPCHEBYSHEV};
  static const char   *kinds[]     = {NULL, NULL, NULL, "fourth"};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-fused_ksp_autocsr", "false")); /* on a device it would be served */
  PetscCall(PetscOptionsSetValue(NULL, "-plain_ksp_autocsr", "false"));
  PetscCall(PetscOptionsSetValue(NULL, "-fused_mg_levels_ksp_autocsr", "true"));
  PetscCall(PetscOptionsSetValue(NULL, "-plain_mg_levels_ksp_autocsr", "false"));
  PetscCall(PetscOptionsSetValue(NULL, "-fused_mg_levels_ksp_richardson_scale", "0.7"));
  PetscCall(PetscOptionsSetValue(NULL, "-plain_mg_levels_ksp_richardson_scale", "0.7"));
  for (int t = 0; t < 2; t++) {
    for (int s = 0; s < (PETSC_VERSION_LT(3, 19, 0) ? 3 : 4); s++) {
      Outcome ours, plain;

      PetscCall(Solve("fused_", types[t], smoothers[s], kinds[s], &ours));
      PetscCall(Solve("plain_", types[t], smoothers[s], kinds[s], &plain));
      PetscCheck(ours.fused >= 1 && !plain.fused, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, %s: %d smoothers are fused, and without the option %d", types[t], smoothers[s], ours.fused, plain.fused);
      PetscCheck(ours.its == plain.its && ours.its > 2 && ours.its < MOST - 2, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, %s: %" PetscInt_FMT " iterations, PETSc's %" PetscInt_FMT, types[t], smoothers[s], ours.its, plain.its);
      for (PetscInt k = 0; k <= ours.its; k++) PetscCheck(PetscAbsReal(ours.history[k] - plain.history[k]) <= (PetscDefined(USE_REAL_SINGLE) ? 1e-2 : 1e-6) * plain.history[k] + 1e-12 * plain.history[0], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s, %s: norm %" PetscInt_FMT " is %g, PETSc's %g", types[t], smoothers[s], k, (double)ours.history[k], (double)plain.history[k]);
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Smoothers are PETSc's\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -mat_type autocsr
    output_file: output/smoothers_1.out

    test:

    test:
      suffix: ranks
      nsize: 2

TEST*/
