static char help[] = "A model that is wrong on purpose, by the real clock: trees that tell ell for rows it pads to three times their entries, of far fewer rows than columns. The plan is undone where that is allowed.\n\n";

#include "../../src/mat/impls/autocsr/choose/learned.h"
#include <petscautocsr.h>
#include "../compare.h"

#define TREES    "wrong.trees"
#define ROWS     40000
#define COLUMNS  (25 * ROWS)
#define TIMES    3 /* matrices, of which most must be right: other programs take time, too */
#define PRODUCTS 5000

/* All trees vote for ell */
static PetscErrorCode WriteTrees(void)
{
  FILE *file = fopen(TREES, "w");
  char  scalar[32];

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, TREES " cannot be written");
  PetscCall(AutoCSRKeptScalar(sizeof(scalar), scalar));
  fprintf(file, "petscautocsr learned 1\nbackend host\nscalar %s\nmachine any\nfeatures %d\nstrategies 1 ell\nforest trees 1 1\n0\n255 0 0\nend\n", scalar, AUTOCSR_FEATURES);
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, TREES " cannot be written");
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Runs of four columns; a row of 20 entries among 999 of 7 */
static PetscErrorCode Create(MatType type, PetscInt m, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, m, COLUMNS, m, COLUMNS));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 20, NULL));
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt k = 0; k < (i % 1000 ? 7 : 20); k++) PetscCall(MatSetValue(*A, i, (25 * i + k / 4 * 9973 + k % 4) % COLUMNS, RandomScalar(i, k), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* *undone: ell was chosen, and is not what is left */
static PetscErrorCode Run(PetscInt m, PetscBool reproducible, PetscBool *undone)
{
  MatAutoCSRInfo info;
  const char    *chosen = "";
  Vec            x, y, expected;
  Mat            A, plain;
  PetscReal      off, all;

  PetscFunctionBeginUser;
  PetscCall(Create(MATAIJ, m, &plain));
  PetscCall(Create(MATAUTOCSR, m, &A));
  PetscCall(MatCreateVecs(plain, &x, &expected));
  PetscCall(VecDuplicate(expected, &y));
  PetscCall(VecSetScattered(x, 3));
  PetscCall(MatMult(plain, x, expected));
  PetscCall(VecNorm(expected, NORM_INFINITY, &all));
  PetscCall(MatAutoCSRSetProgressive(A, PETSC_TRUE));
  PetscCall(MatAutoCSRSetReproducible(A, reproducible));
  PetscCall(MatAutoCSRSetChooser(A, MAT_AUTOCSR_CHOOSER_TREES));
  for (PetscInt k = 0; k < PRODUCTS; k++) {
    PetscCall(MatMult(A, x, y));
    PetscCall(MatAutoCSRGetInfo(A, &info));
    if (info.plans == 2) chosen = info.strategy;
    if (info.plans > 2 || (info.settled && reproducible)) break;
  }
  PetscCheck(!strcmp(chosen, "ell"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Trees tell ell, and %s is chosen, of %" PetscInt_FMT " plans", chosen, info.plans);
  *undone = (PetscBool)!!strcmp(info.strategy, "ell");
  PetscCall(VecAXPY(y, -1, expected));
  PetscCall(VecNorm(y, NORM_INFINITY, &off));
  PetscCheck(off <= 10 * PETSC_MACHINE_EPSILON * all, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A product is off by %g", (double)off);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&expected));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscBool undone;
  PetscInt  right = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(WriteTrees());
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_learned", TREES));
  for (PetscInt k = 0; k < TIMES; k++) { /* other structures, for which no plan was kept */
    PetscCall(Run(ROWS - k, PETSC_FALSE, &undone));
    right += undone;
  }
  PetscCheck(2 * right > TIMES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " of %d slow plans are undone", right, TIMES);
  PetscCall(Run(ROWS + 1, PETSC_TRUE, &undone));
  PetscCheck(!undone, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A plan is undone where the same bits are wanted");
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The net catches what trees tell wrongly\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  # Without vector instructions ell takes seven times as long as AIJ's product, on any processor
  test:
    args: -mat_autocsr_simd x86-64
    requires: real !cuda

TEST*/
