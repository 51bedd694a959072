static const char help[] = "What a user pays beside the products: the host's time, new values, transposed products, memory; PETSc's type and autocsr in turn.\n\
Load the library with -dll_append. Options: -gpu, -matrices and -files as of the benchmark; a column is explained in src/benchmarks/README.md.\n\n";

#include "../harness/bench.h"
#include <petsctime.h>

#define MOST    1000 /* products in a row */
#define SECONDS 0.05 /* of products in a row, if that are fewer */
#define ROUNDS  5    /* the shortest counts */
#define SMALL   10000

typedef PetscErrorCode (*Apply)(Mat, Vec, Vec);

static const Machine *machine = &Cpu;

/* Seconds of n applications in a row: until the host has begun them all, and until all have ended */
static PetscErrorCode TimeRow(Apply apply, Mat A, Vec x, Vec y, PetscInt n, double *host, double *all)
{
  double         begin, end;
  PetscLogDouble before, after;

  PetscFunctionBeginUser;
  PetscCall(machine->clock(&begin));
  PetscCall(PetscTime(&before));
  for (PetscInt i = 0; i < n; i++) PetscCall((*apply)(A, x, y));
  PetscCall(PetscTime(&after));
  PetscCall(machine->clock(&end));
  *host = (after - before) / n;
  *all  = (end - begin) / n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The applications before those that are timed take the library past its steps of planning */
static PetscErrorCode TimeApply(Apply apply, Mat A, Vec x, Vec y, double *host, double *all)
{
  double   guess = 0, h = 0, a = 0;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(TimeRow(apply, A, x, y, 100, &h, &guess));
  n     = (PetscInt)PetscMax(10, PetscMin(MOST, SECONDS / guess));
  *host = *all = PETSC_MAX_REAL;
  for (int k = 0; k < ROUNDS; k++) {
    PetscCall(TimeRow(apply, A, x, y, n, &h, &a));
    *host = PetscMin(*host, h);
    *all  = PetscMin(*all, a);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Negate(Mat A, Vec x, Vec y)
{
  PetscFunctionBeginUser;
  PetscCall(MatScale(A, -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NegateAndMult(Mat A, Vec x, Vec y)
{
  PetscFunctionBeginUser;
  PetscCall(MatScale(A, -1));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Vectors(Mat A, Vec *x, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, x, y));
  PetscCall(VecSet(*x, 1));
  PetscCall(VecSet(*y, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The product of the transpose that a user would keep who minds the memory less */
static PetscErrorCode TimeTranspose(Mat A, double *seconds)
{
  Mat    T;
  Vec    x, y;
  double host;

  PetscFunctionBeginUser;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &T));
  PetscCall(Vectors(T, &x, &y));
  PetscCall(TimeApply(MatMult, T, x, y, &host, seconds));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of the plan and of the CSR beside it, once products have paid for letting that go where it can go */
static PetscErrorCode MultiplyOn(Mat A, Vec x, Vec y, double *kept)
{
  MatAutoCSRInfo info;
  PetscBool      is;

  PetscFunctionBeginUser;
  *kept = 0;
  PetscCall(AutoCSRInfoGet(A, &info, &is));
  for (int k = 0; k < 200 && is && !info.released_bytes; k++) {
    for (int i = 0; i < 100; i++) PetscCall(MatMult(A, x, y));
    PetscCall(AutoCSRInfoGet(A, &info, &is));
  }
  if (is) *kept = (double)(info.plan_bytes + info.csr_bytes - info.released_bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunType(const char name[], const Csr *csr, MatType type)
{
  Mat            A;
  Vec            x, y;
  double         host, product, transposed, explicit_transpose, scale = 0, both = 0, none, kept;
  MatAutoCSRInfo info;
  PetscBool      is;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, csr->m, csr->n, csr->row_ptr, csr->col, csr->val, &A));
  PetscCall(MatConvert(A, type, MAT_INPLACE_MATRIX, &A));
  PetscCall(Vectors(A, &x, &y));
  PetscCall(TimeApply(MatMult, A, x, y, &host, &product));
  PetscCall(MultiplyOn(A, x, y, &kept));
  PetscCall(TimeApply(MatMultTranspose, A, y, x, &none, &transposed));
  PetscCall(AutoCSRInfoGet(A, &info, &is));
  PetscCall(TimeTranspose(A, &explicit_transpose));
  PetscCall(TimeApply(Negate, A, x, y, &none, &scale));
  PetscCall(TimeApply(NegateAndMult, A, x, y, &none, &both));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-20s %-12s %9" PetscInt_FMT " %10" PetscInt_FMT " %9.2f %9.2f %10.2f %9.2f %9.2f", name, type, csr->m, csr->row_ptr[csr->m], 1e6 * host, 1e6 * product, 1e6 * transposed, 1e6 * explicit_transpose, PetscMax(0, both - scale - product) / product));
  if (is) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %9.2f %9.2f  %s", (double)info.plan_bytes / (double)StoredCSR(csr), kept / (double)StoredCSR(csr), info.executor));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const char name[], Csr *csr, PetscBool gpu)
{
  PetscFunctionBeginUser;
  PetscCall(RunType(name, csr, gpu ? MATAIJCUSPARSE : MATAIJ));
  PetscCall(RunType(name, csr, MATAUTOCSR));
  PetscCall(CsrDestroy(csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  files = 1024;
  PetscReal scale;
  PetscBool gpu            = PETSC_FALSE;
  char      matrices[1024] = "poisson3d7,poisson3d27,poisson3d7-const,fem3x3,uniform16,circuit,lp,road", *file[1024], device[256];
  Size      size           = {1, 1};
  Csr       csr;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-gpu", &gpu, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-matrices", matrices, sizeof(matrices), NULL));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-files", file, &files, NULL));
  if (gpu) PetscCall(GpuFind(&machine));
  scale = machine->scale;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-scale", &scale, NULL));
  PetscCheck(scale > 0 && scale <= 64, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-scale %g: must be in (0, 64]", (double)scale);
  size.scale = scale;
  PetscCall(machine->describe(device, sizeof(device)));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, PETSc %d.%d.%d\n%-20s %-12s %9s %10s %9s %9s %10s %9s %9s %9s %9s  kernel\n", device, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, "matrix", "type", "rows", "nonzeros", "host", "MatMult", "transposed", "explicit", "refresh", "own/CSR", "kept/CSR"));
  for (const Generator *g = Generators; g->name; g++) {
    PetscBool wanted, first = (PetscBool)!strcmp(g->name, "poisson2d5");

    if (first) {
      const Size small = {SMALL / 9e6, 1};

      PetscCall(CsrGenerate(g, &small, &csr));
      PetscCall(Run("poisson2d5-small", &csr, gpu));
    }
    PetscCall(ListHas(matrices, g->name, &wanted));
    if (!wanted) continue;
    PetscCall(CsrGenerate(g, &size, &csr));
    PetscCall(Run(g->name, &csr, gpu));
  }
  for (PetscInt f = 0; f < files; f++) {
    const char *base = strrchr(file[f], '/') ? strrchr(file[f], '/') + 1 : file[f];

    PetscCall(CsrLoad(file[f], &csr));
    PetscCall(Run(base, &csr, gpu));
    PetscCall(PetscFree(file[f]));
  }
  PetscCall(PetscFinalize());
  return 0;
}
