static char help[] = "A model that is wrong on purpose, by the real clock: trees that tell ell for rows it pads to three times their entries, of far fewer rows than columns. The plan is undone where that is allowed.\n\n";

#include "../../src/mat/impls/autocsr/choose/learned.h"
#include <petscautocsr.h>
#include "../rows.h"

#define TREES    "wrong.trees"
#define ROWS     40000
#define COLUMNS  (25 * ROWS) /* of a process, as the rows */
#define TIMES    3 /* matrices. Most must be right on each process, but not all: other programs take time, too */
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

/* Runs of four columns, all of the process that has the row; a row of 20 entries among 999 of 7 */
static PetscInt RunsRow(PetscInt i, PetscInt n, PetscInt col[MOST_IN_ROW], PetscScalar val[MOST_IN_ROW])
{
  const PetscInt length = i % 1000 ? 7 : 20, own = 25 * i / COLUMNS * COLUMNS % n;

  (void)val;
  for (PetscInt k = 0; k < length; k++) col[k] = own + (25 * i + k / 4 * 9973 + k % 4) % COLUMNS;
  return length;
}

/* *undone: ell was chosen for the diagonal block, and is not what is left */
static PetscErrorCode Run(PetscInt m, PetscBool reproducible, PetscBool *undone)
{
  MatAutoCSRInfo info;
  const char    *chosen = "";
  Reference      r;
  Mat            A;
  PetscMPIInt    ended = 0;

  PetscFunctionBeginUser;
  PetscCall(CreateBoth(PETSC_COMM_WORLD, m, COLUMNS, RunsRow, &r, &A));
  PetscCall(MatAutoCSRSetReproducible(A, reproducible));
  PetscCall(MatAutoCSRSetChooser(A, MAT_AUTOCSR_CHOOSER_TREES));
  for (PetscInt k = 0; k < PRODUCTS && !ended; k++) {
    PetscCall(MatMult(A, r.x[RIGHT], r.y[LEFT]));
    PetscCall(MatAutoCSRGetInfo(A, &info));
    if (info.plans == 2) chosen = info.strategy;
    ended = info.settled;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &ended, 1, MPI_INT, MPI_LAND, PETSC_COMM_WORLD));
  }
  PetscCheck(!strcmp(chosen, "ell"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Trees tell ell, and %s is chosen, of %" PetscInt_FMT " plans", chosen, info.plans);
  *undone = (PetscBool)!!strcmp(info.strategy, "ell");
  PetscCall(CompareProduct(&r, &products[0], 0, &A, "Runs"));
  PetscCall(ReferenceDestroy(&r));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscMPIInt rank;
  PetscBool   undone;
  PetscInt    right = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) PetscCall(WriteTrees());
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_learned", TREES));
  for (PetscInt k = 0; k < TIMES; k++) { /* other structures, for which no plan was kept */
    PetscCall(Run(ROWS - k, PETSC_FALSE, &undone));
    right += undone;
  }
  PetscCheck(2 * right > TIMES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " of %d slow plans are undone", right, TIMES);
  PetscCall(Run(ROWS + 1, PETSC_TRUE, &undone));
  PetscCheck(!undone, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A plan is undone where the same bits are wanted");
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The net catches what trees tell wrongly\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  # Without vector instructions ell takes seven times as long as AIJ's product, on any processor
  test:
    args: -mat_autocsr_simd x86-64
    requires: real !cuda
    nsize: {{1 2}}

TEST*/
