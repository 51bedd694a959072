static char help[] = "A plan that turns out slower than the one before it is undone (-mat_autocsr_reproducible false), by a clock that this program sets.\n\n";

#include <petscautocsr.h>
#include "../compare.h"

#define PLANS 6

/* Seconds between two looks at the clock, which takes the place of MPI's: PetscTime() asks that */
static double step = 1e-6;

double MPI_Wtime(void)
{
  static double now = 0;

  return now += step;
}

typedef struct {
  const char *name;
  double      us[PLANS]; /* of a product by the first plan, the chosen one, and those that follow */
  PetscBool   reproducible;
  PetscInt    plans; /* that are made */
} Case;

static const Case cases[] = {
    {"as fast",                      {10, 10, 10, 10, 10, 10}, PETSC_FALSE, 2},
    {"slower by less than a tenth",  {10, 10.9, 1, 1, 1, 1},   PETSC_FALSE, 2},
    {"slower, the next is not",      {10, 20, 5, 1, 1, 1},     PETSC_FALSE, 3},
    {"slower twice",                 {10, 20, 11.5, 9, 1, 1},  PETSC_FALSE, 4},
    {"all are slower",               {10, 20, 20, 20, 10, 1},  PETSC_FALSE, 5},
    {"slower, and the same bits are wanted", {10, 20, 5, 1, 1, 1}, PETSC_TRUE, 2}
};

/* m rows of 1 to 5 entries, other values in each. Of other m, so that no plan was kept */
static PetscErrorCode Create(MatType type, PetscInt m, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, m, m, m, m));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt k = 0; k <= i * 7 % 5; k++) PetscCall(MatSetValue(*A, i, (i + k * k * 31) % m, RandomScalar(i, k), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Run(const Case *c, PetscInt m)
{
  MatAutoCSRInfo info;
  const char    *chosen = "", *last = "";
  Vec            x, y, expected;
  Mat            A, plain;
  PetscReal      off, all;

  PetscFunctionBeginUser;
  PetscCall(Create(MATAIJ, m, &plain));
  PetscCall(MatCreateVecs(plain, &x, &expected));
  PetscCall(VecSetScattered(x, 3));
  PetscCall(MatMult(plain, x, expected));
  PetscCall(Create(MATAUTOCSR, m, &A));
  PetscCall(MatAutoCSRSetProgressive(A, PETSC_TRUE));
  PetscCall(MatAutoCSRSetReproducible(A, c->reproducible));
  PetscCall(VecDuplicate(expected, &y));
  PetscCall(VecNorm(expected, NORM_INFINITY, &all));
  for (PetscInt k = 0; k < 2000; k++) {
    PetscCall(MatAutoCSRGetInfo(A, &info));
    PetscCheck(info.plans < PLANS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " plans", c->name, info.plans);
    step = 1e-6 * c->us[PetscMax(info.plans, 1) - 1];
    PetscCall(MatMult(A, x, y));
    PetscCall(VecAXPY(y, -1, expected));
    PetscCall(VecNorm(y, NORM_INFINITY, &off));
    PetscCheck(off <= 10 * PETSC_MACHINE_EPSILON * all, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: product %" PetscInt_FMT " is off by %g", c->name, k, (double)off);
    if (info.plans == 2) chosen = info.strategy;
    last = info.strategy;
  }
  PetscCheck(info.settled, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: more plans are to come", c->name);
  if (strcmp(info.backend, "cuda")) { /* a device has a clock of its own */
    PetscCheck(info.plans == c->plans, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " plans, not %" PetscInt_FMT, c->name, info.plans, c->plans);
    PetscCheck(!strcmp(info.executor, "parent") == (c->plans == 5), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: products are made by %s; once all are slower, by AIJ as in the beginning", c->name, info.executor);
    PetscCheck((c->plans == 2) == !strcmp(chosen, last), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s was chosen, %s is left", c->name, chosen, last);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&expected));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Eight rows have the same twenty columns, and each value is 1 or 2, until there is a second plan: then values are new, and the plan turns out slow */
static PetscErrorCode RunNewValues(PetscInt m)
{
  const PetscInt per_row = 20;
  MatAutoCSRInfo info;
  Vec            x, y, expected;
  Mat            A, plain;
  PetscReal      off, all;
  PetscInt       before = 0;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, m, m, per_row, NULL, &plain));
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt k = 0; k < per_row; k++) PetscCall(MatSetValue(plain, i, (i / 8 * 531 + k * (71 + i / 8)) % m, 1 + (i + k * k) % 2, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(plain, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(plain, MAT_FINAL_ASSEMBLY));
  PetscCall(MatConvert(plain, MATAUTOCSR, MAT_INITIAL_MATRIX, &A));
  PetscCall(MatAutoCSRSetProgressive(A, PETSC_TRUE));
  PetscCall(MatAutoCSRSetReproducible(A, PETSC_FALSE));
  PetscCall(MatCreateVecs(plain, &x, &expected));
  PetscCall(VecDuplicate(expected, &y));
  PetscCall(VecSetScattered(x, 3));
  for (PetscInt k = 0; k < 500; k++) {
    PetscCall(MatAutoCSRGetInfo(A, &info));
    if (info.plans == 2 && before < 2) {
      PetscCall(MatDiagonalScale(A, x, NULL));
      PetscCall(MatDiagonalScale(plain, x, NULL));
    }
    before = info.plans;
    step   = info.plans > 1 ? 2e-5 : 1e-5;
    PetscCall(MatMult(plain, x, expected));
    PetscCall(MatMult(A, x, y));
    PetscCall(VecNorm(expected, NORM_INFINITY, &all));
    PetscCall(VecAXPY(y, -1, expected));
    PetscCall(VecNorm(y, NORM_INFINITY, &off));
    PetscCheck(off <= 100 * PETSC_MACHINE_EPSILON * all, PETSC_COMM_SELF, PETSC_ERR_PLIB, "New values: product %" PetscInt_FMT " is off by %g", k, (double)off);
  }
  PetscCheck(info.settled && info.plans > 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "New values: %" PetscInt_FMT " plans, and more are to come", info.plans);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&expected));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_machine", "shipped:reference")); /* by which the chosen plan is never the first one, on any machine */
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cases); c++) PetscCall(Run(&cases[c], 4000 + (PetscInt)c));
  PetscCall(RunNewValues(1500));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Slow plans are undone\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

  test:
    suffix: cuda
    requires: cuda
    output_file: output/net_1.out

TEST*/
