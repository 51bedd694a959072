static const char help[] = "Products with dense matrices, MatMatMult(): PETSc's type and autocsr in turn.\n\
Load the library with -dll_append. Options: -gpu, -matrices, -files, -scale, suites as of the benchmark; -columns: of the dense matrix;\n\
-ways: values of -mat_autocsr_dense that are timed beside. A column is explained in src/benchmarks/README.md.\n\n";

#include "../harness/bench.h"
#include <petsctime.h>

#define MOST    100  /* products in a row */
#define SECONDS 0.02 /* of products in a row, if those are fewer */
#define ROUNDS  5    /* in turn; the middle one counts */
#define WAYS    4    /* that are timed beside, at most */

static const Machine *machine = &Cpu;
static PetscBool      gpu;

static char    *ways[WAYS];
static PetscInt n_ways = WAYS; /* read at start */

typedef struct {
  MatType  type;
  char    *way; /* NULL: what the library chooses */
  Mat      A, C;
  PetscInt n; /* products in a row */
  double   first, seconds[ROUNDS];
} Contestant;

static PetscErrorCode TimeRow(Contestant *c, Mat B, double *seconds)
{
  double begin, end;

  PetscFunctionBeginUser;
  PetscCall(machine->clock(&begin));
  for (PetscInt i = 0; i < c->n; i++) PetscCall(MatMatMult(c->A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &c->C));
  PetscCall(machine->clock(&end));
  *seconds = (end - begin) / (double)c->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Enter(const Csr *csr, Mat B, Contestant *c)
{
  double begin, end, guess;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, csr->m, csr->n, csr->row_ptr, csr->col, csr->val, &c->A));
  if (c->way) {
    PetscCall(MatSetOptionsPrefix(c->A, c->way));
    PetscCall(MatAppendOptionsPrefix(c->A, "_"));
  }
  PetscCall(MatConvert(c->A, c->type, MAT_INPLACE_MATRIX, &c->A));
  PetscCall(MatSeqAIJGetCSRAndMemType(c->A, NULL, NULL, NULL, NULL)); /* on a device: uploaded */
  PetscCall(machine->clock(&begin));
  PetscCall(MatMatMult(c->A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &c->C));
  PetscCall(machine->clock(&end));
  c->first = end - begin;
  c->n     = 1;
  PetscCall(TimeRow(c, B, &guess));
  PetscCall(TimeRow(c, B, &guess));
  c->n = (PetscInt)PetscMax(1, PetscMin(MOST, SECONDS / guess));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunColumns(const char name[], const Csr *csr, PetscInt columns)
{
  Contestant     c[2 + WAYS] = {{.type = gpu ? MATAIJCUSPARSE : MATAIJ}, {.type = MATAUTOCSR}};
  const int      n           = 2 + (int)n_ways;
  MatAutoCSRInfo info;
  PetscReal      off, all;
  PetscBool      is;
  Mat            B;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &B));
  PetscCall(MatSetSizes(B, csr->n, columns, csr->n, columns));
  PetscCall(MatSetType(B, gpu ? MATSEQDENSECUDA : MATSEQDENSE));
  PetscCall(MatSetUp(B));
  PetscCall(MatSetRandom(B, NULL));
  for (int v = 2; v < n; v++) {
    c[v].type = MATAUTOCSR;
    c[v].way  = ways[v - 2];
  }
  for (int v = 0; v < n; v++) PetscCall(Enter(csr, B, &c[v]));
  for (int round = 0; round < ROUNDS; round++) {
    for (int v = 0; v < n; v++) PetscCall(TimeRow(&c[v], B, &c[v].seconds[round]));
  }
  for (int v = 0; v < n; v++) qsort(c[v].seconds, ROUNDS, sizeof(double), CompareDoubles);
  PetscCall(MatNorm(c[0].C, NORM_FROBENIUS, &all));
  PetscCall(MatAXPY(c[0].C, -1, c[1].C, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(c[0].C, NORM_FROBENIUS, &off));
  PetscCall(AutoCSRInfoGet(c[1].A, &info, &is));
  PetscCheck(is && (columns < 8 || info.dense_products), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: no product was made by the library", name);
  PetscCheck(off <= 100 * PETSC_MACHINE_EPSILON * all, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %" PetscInt_FMT " columns: the two products differ by %g of their norm", name, columns, (double)(off / all));
  for (int v = 2; v < n; v++) {
    PetscCall(MatAXPY(c[v].C, -1, c[1].C, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(c[v].C, NORM_FROBENIUS, &off));
    PetscCheck(off <= 100 * PETSC_MACHINE_EPSILON * all, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %" PetscInt_FMT " columns: the product by %s differs by %g of the norm", name, columns, ways[v - 2], (double)(off / all));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-20s %9" PetscInt_FMT " %10" PetscInt_FMT " %4" PetscInt_FMT " %11.2f %11.2f %6.2fx %9.2f", name, csr->m, csr->row_ptr[csr->m], columns, 1e6 * c[0].seconds[ROUNDS / 2], 1e6 * c[1].seconds[ROUNDS / 2], c[0].seconds[ROUNDS / 2] / c[1].seconds[ROUNDS / 2],
                        PetscMax(0, c[1].first - c[1].seconds[ROUNDS / 2]) / c[1].seconds[ROUNDS / 2]));
  for (int v = 2; v < n; v++) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %11.2f %9.2f", 1e6 * c[v].seconds[ROUNDS / 2], PetscMax(0, c[v].first - c[v].seconds[ROUNDS / 2]) / c[v].seconds[ROUNDS / 2]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  for (int v = 0; v < n; v++) {
    PetscCall(MatDestroy(&c[v].A));
    PetscCall(MatDestroy(&c[v].C));
  }
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-gpu", &gpu, NULL));
  if (gpu) PetscCall(GpuFind(&machine));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-ways", ways, &n_ways, NULL));
  for (PetscInt w = 0; w < n_ways; w++) {
    char option[64];

    PetscCall(PetscSNPrintf(option, sizeof(option), "-%s_mat_autocsr_dense", ways[w]));
    PetscCall(PetscOptionsSetValue(NULL, option, ways[w]));
  }
  PetscCall(EachDescribe(machine));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-20s %9s %10s %4s %11s %11s %7s %9s", "matrix", "rows", "nonzeros", "cols", gpu ? MATAIJCUSPARSE : MATAIJ, "autocsr", "ratio", "set-up"));
  for (PetscInt w = 0; w < n_ways; w++) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %11s %9s", ways[w], "set-up"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscCall(EachMatrix(machine, RunColumns));
  for (PetscInt w = 0; w < n_ways; w++) PetscCall(PetscFree(ways[w]));
  PetscCall(PetscFinalize());
  return 0;
}
