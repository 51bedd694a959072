static char help[] = "A plan that turns out slower than the one before it is undone (-mat_autocsr_reproducible false), by a clock that this program sets: of each block of each process by itself.\n\n";

#include <petscautocsr.h>
#include "../rows.h"

#define PLANS    6
#define PRODUCTS 4000 /* at most, until all plans are settled */
#define EVERY    8    /* as in seq/net.c: with several processes plans are undone in these products alone */

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
#define AS_FAST (&cases[0])
#define UNDONE  (&cases[2])

/* The blocks of this process: a case for each, and what became of its plans */
typedef struct {
  Mat         mat; /* NULL: there is none */
  const Case *is;
  PetscInt    made[PLANS + 1]; /* the number of the product with which each plan was made */
  char        strategy[PLANS + 1][32];
} Block;

static Block block[2];
static PetscErrorCode (*Theirs)(Mat, Vec, Vec);
static PetscErrorCode (*TheirsAdd)(Mat, Vec, Vec, Vec);

static PetscErrorCode SetStep(Mat A)
{
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(A, &info));
  step = 1e-6 * block[A == block[1].mat].is->us[PetscMax(info.plans, 1) - 1];
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Timed(Mat A, Vec x, Vec y)
{
  PetscFunctionBeginUser;
  PetscCall(SetStep(A));
  PetscCall((*Theirs)(A, x, y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode TimedAdd(Mat A, Vec x, Vec z, Vec y)
{
  PetscFunctionBeginUser;
  PetscCall(SetStep(A));
  PetscCall((*TheirsAdd)(A, x, z, y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode GetBlocks(Mat A, const Case *diagonal, const Case *off_diagonal)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  memset(block, 0, sizeof(block));
  block[0].is  = diagonal;
  block[1].is  = off_diagonal;
  block[0].mat = A;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0].mat, &block[1].mat, NULL));
  for (int b = 0; b < 2 && block[b].mat; b++) {
    PetscCall(MatGetOperation(block[b].mat, MATOP_MULT, (void (**)(void)) & Theirs));
    PetscCall(MatGetOperation(block[b].mat, MATOP_MULT_ADD, (void (**)(void)) & TheirsAdd));
    PetscCall(MatSetOperation(block[b].mat, MATOP_MULT, (void (*)(void))Timed));
    PetscCall(MatSetOperation(block[b].mat, MATOP_MULT_ADD, (void (*)(void))TimedAdd));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* After product k; *settled: on all processes */
static PetscErrorCode Watch(Mat A, PetscInt k, PetscBool *settled)
{
  MatAutoCSRInfo info;
  PetscMPIInt    all;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(A, &info));
  all = info.settled;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, PETSC_COMM_WORLD));
  *settled = (PetscBool)all;
  for (int b = 0; b < 2 && block[b].mat; b++) {
    PetscCall(MatAutoCSRGetInfo(block[b].mat, &info));
    PetscCheck(info.plans < PLANS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " plans", block[b].is->name, info.plans);
    if (block[b].strategy[info.plans][0] || !info.plans) continue;
    block[b].made[info.plans] = k;
    PetscCall(PetscStrncpy(block[b].strategy[info.plans], info.strategy, sizeof(block[b].strategy[info.plans])));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A device has a clock of its own, and undoes what it likes, but in the same products */
static PetscErrorCode CheckBlock(const Block *b)
{
  const Case    *c = b->is;
  MatAutoCSRInfo info;
  PetscMPIInt    size;
  PetscInt       m;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatAutoCSRGetInfo(b->mat, &info));
  PetscCall(MatGetLocalSize(b->mat, &m, NULL));
  for (PetscInt p = 3; p <= info.plans && size > 1; p++) PetscCheck(b->made[p] % EVERY == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: plan %" PetscInt_FMT " is made in product %" PetscInt_FMT, c->name, p, b->made[p]);
  if (!strcmp(info.backend, "cuda")) PetscFunctionReturn((PetscErrorCode)0);
  PetscCheck(info.plans == (m ? c->plans : 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " plans of %" PetscInt_FMT " rows, not %" PetscInt_FMT, c->name, info.plans, m, c->plans);
  if (!m) PetscFunctionReturn((PetscErrorCode)0);
  PetscCheck(!strcmp(info.executor, "parent") == (c->plans == 5), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: products are made by %s; once all are slower, by AIJ as in the beginning", c->name, info.executor);
  PetscCheck((c->plans == 2) == !strcmp(b->strategy[2], info.strategy), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s was chosen, %s is left", c->name, b->strategy[2], info.strategy);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Where all processes with rows have the same work and the same clock, none builds a plan alone */
static PetscErrorCode CheckTogether(const char name[])
{
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(block[0].mat, &info));
  for (int p = 1; p <= PLANS; p++) {
    const PetscBool counts = (PetscBool)!strcmp(info.backend, "host");
    PetscInt        most = counts ? block[0].made[p] : 0, least = counts ? most : PETSC_MAX_INT;

    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPIU_INT, MPI_MIN, PETSC_COMM_WORLD));
    PetscCheck(least >= most, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: plan %d is made in product %" PetscInt_FMT " of one process, in %" PetscInt_FMT " of another", name, p, least, most);
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* This process's part of the product has the bits of one whose plans no clock undoes */
static PetscErrorCode CheckBits(const Reference *r, Mat A, Mat same, const char name[])
{
  const PetscScalar *a, *b;
  MatAutoCSRInfo     info;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(MatMult(A, r->x[RIGHT], r->y[LEFT]));
  PetscCall(MatMult(same, r->x[RIGHT], r->ref[LEFT]));
  for (int k = 0; k < 2 && block[k].mat; k++) {
    PetscCall(MatAutoCSRGetInfo(block[k].mat, &info));
    if (info.plans > 2) PetscFunctionReturn((PetscErrorCode)0);
  }
  PetscCall(VecGetLocalSize(r->y[LEFT], &n));
  PetscCall(VecGetArrayRead(r->y[LEFT], &a));
  PetscCall(VecGetArrayRead(r->ref[LEFT], &b));
  PetscCheck(!memcmp(a, b, (size_t)n * sizeof(*a)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: other bits, though no plan of this process was undone", name);
  PetscCall(VecRestoreArrayRead(r->y[LEFT], &a));
  PetscCall(VecRestoreArrayRead(r->ref[LEFT], &b));
  PetscFunctionReturn((PetscErrorCode)0);
}

/*
  The case is that of block `only` (2 ranks and which of the two), the others are as fast; ALL: of all. Process `empty` has no rows, process `fixed` wants the same bits by itself; -1: none.
  Of other m each, so that no plan was kept
*/
#define ALL (-1)
static PetscErrorCode Run(const Case *c, PetscInt m, int only, int empty, int fixed)
{
  const Case *of[2];
  Reference   r;
  Mat         A, same;
  PetscMPIInt rank;
  PetscBool   settled = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == empty) m = 0;
  PetscCall(CreateBoth(PETSC_COMM_WORLD, m, m, ShortRow, &r, &A));
  PetscCall(CreateByRows(PETSC_COMM_WORLD, MATAUTOCSR, m, m, ShortRow, &same));
  PetscCall(MatAutoCSRSetProgressive(same, PETSC_TRUE));
  PetscCall(MatAutoCSRSetReproducible(A, c->reproducible));
  for (int b = 0; b < 2; b++) of[b] = rank != fixed && (only == ALL || only == 2 * rank + b) ? c : AS_FAST;
  PetscCall(GetBlocks(A, of[0], of[1]));
  for (int b = 0; b < 2 && block[b].mat && rank == fixed; b++) PetscCall(MatAutoCSRSetReproducible(block[b].mat, PETSC_TRUE));
  for (PetscInt k = 0; k < PRODUCTS && !settled; k++) {
    PetscCall(CompareProduct(&r, &products[0], 0, &A, c->name));
    PetscCall(MatMult(same, r.x[RIGHT], r.ref[LEFT]));
    PetscCall(Watch(A, k, &settled));
  }
  PetscCheck(settled, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: more plans are to come", c->name);
  for (int b = 0; b < 2 && block[b].mat; b++) PetscCall(CheckBlock(&block[b]));
  if (only == ALL && fixed < 0 && !c->reproducible) PetscCall(CheckTogether(c->name));
  PetscCall(CheckBits(&r, A, same, c->name));
  PetscCall(ReferenceDestroy(&r));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&same));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Eight rows have the same twenty columns, and each value is 1 or 2 */
static PetscInt AlikeRow(PetscInt i, PetscInt n, PetscInt col[MOST_IN_ROW], PetscScalar val[MOST_IN_ROW])
{
  for (PetscInt k = 0; k < 20; k++) {
    col[k] = (i / 8 * 531 + k * (71 + i / 8)) % n;
    val[k] = 1 + (i + k * k) % 2;
  }
  return 20;
}

/* Once there is a second plan, values are new, and the plan turns out slow */
static PetscErrorCode RunNewValues(PetscInt m)
{
  Reference r;
  Mat       A;
  PetscInt  second = 0;
  PetscBool settled = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(CreateBoth(PETSC_COMM_WORLD, m, m, AlikeRow, &r, &A));
  PetscCall(MatAutoCSRSetReproducible(A, PETSC_FALSE));
  PetscCall(GetBlocks(A, &cases[4], &cases[4]));
  for (PetscInt k = 0; k < PRODUCTS && !settled; k++) {
    const PetscInt before = second;

    PetscCall(CompareProduct(&r, &products[0], 0, &A, "New values"));
    PetscCall(Watch(A, k, &settled));
    second = block[0].made[2];
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &second, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
    if (before || !second) continue;
    PetscCall(MatDiagonalScale(A, r.x[LEFT], NULL));
    PetscCall(MatDiagonalScale(r.A, r.x[LEFT], NULL));
    PetscCall(ReferenceUpdate(&r));
  }
  PetscCheck(settled && second, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "New values: there is no second plan, or more are to come");
  PetscCall(ReferenceDestroy(&r));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;
  PetscInt    m = 4000;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_machine", "shipped:reference")); /* by which the chosen plan is never the first one, on any machine */
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cases); c++) PetscCall(Run(&cases[c], m++, ALL, -1, -1));
  for (int only = 0; only < 2 * size && size > 1; only++) {
    PetscCall(Run(UNDONE, m++, only, -1, -1));
    if (size > 2 && only / 2 != 1) PetscCall(Run(UNDONE, m++, only, 1, -1));
  }
  if (size > 1) PetscCall(Run(UNDONE, m++, ALL, -1, 0));
  if (size > 2) PetscCall(Run(UNDONE, m++, ALL, 1, -1));
  PetscCall(RunNewValues(1500));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Slow plans are undone\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/net_1.out

    test:
      nsize: {{1 2 3}}

    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2 3}}
      args: -vec_type cuda

TEST*/
