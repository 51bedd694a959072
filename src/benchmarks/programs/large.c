static const char help[] = "Matrices of a given number of nonzeros: set-up, product, and memory kept and at most taken, by PETSc's type, by autocsr's choice and by strategies.\n\
Load the library with -dll_append. Options: -gpu; -matrices: generators of the benchmark; -nonzeros: about so many each (1e9,2e9); -strategies: of autocsr (auto); -plain false: not by PETSc's type, whose product may fail;\n\
-at_once: so many matrices at a time; -fill: the share of a device's memory that the CSR fills, other memory is taken before; -wait: seconds of products more, for the CSR to be let go; -bandwidth: bytes a second that the last column is a share of.\n\
A column is explained in src/benchmarks/README.md.\n\n";

#include "../harness/bench.h"
#include <omp.h>
#include <petsctime.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define MOST     16   /* sizes, strategies, or matrices at a time */
#define SETTLING 4000 /* products at most, until a plan is final */
#define ROUNDS   5    /* of products in a row; the shortest round counts */
#define SECONDS  0.2  /* of a round */
#define OFTEN    200  /* microseconds between two looks at the memory */

static const Machine *machine  = &Cpu;
static PetscInt       at_once  = 1;
static PetscReal      wait_for = 0, fill = 0, bandwidth = 4.2e12;

/* The most memory that was taken while it ran; a thread of its own asks */
typedef struct {
  pthread_t  thread;
  atomic_int ends; /* another thread asks */
  double     most;
} Watch;

static void *Look(void *watch)
{
  Watch *w = (Watch *)watch;

  do {
    const double now = machine->taken();

    if (now > w->most) w->most = now;
    usleep(OFTEN);
  } while (!w->ends);
  return NULL;
}

static PetscErrorCode WatchBegin(Watch *w)
{
  PetscFunctionBeginUser;
  *w = (Watch){.most = machine->taken()};
  PetscCheck(!pthread_create(&w->thread, NULL, Look, w), PETSC_COMM_SELF, PETSC_ERR_SYS, "No thread is to be had");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WatchEnd(Watch *w)
{
  PetscFunctionBeginUser;
  w->ends = 1;
  pthread_join(w->thread, NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In seconds of the wall clock; what was begun on a device is over */
static PetscErrorCode Now(double *seconds)
{
  PetscLogDouble now;

  PetscFunctionBeginUser;
  PetscCall(machine->clock(seconds));
  PetscCall(PetscTime(&now));
  *seconds = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The reference: the host adds up each row, and the absolute values of its terms */
typedef struct {
  PetscScalar *y;
  PetscReal   *size;
} Reference;

static PetscErrorCode ReferenceCreate(const Csr *csr, Vec x, Reference *r)
{
  const PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(csr->m, &r->y, csr->m, &r->size));
  PetscCall(VecGetArrayRead(x, &a));
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < csr->m; i++) {
    PetscScalar sum  = 0;
    PetscReal   size = 0;

    for (PetscInt q = csr->row_ptr[i]; q < csr->row_ptr[i + 1]; q++) {
      const PetscScalar product = csr->val[q] * a[csr->col[q]];

      sum += product;
      size += PetscAbsScalar(product);
    }
    r->y[i]    = sum;
    r->size[i] = size;
  }
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference, by that size */
static PetscErrorCode ReferenceCompare(const Csr *csr, const Reference *r, Vec y, double *error)
{
  const PetscScalar *a;
  double             most = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(y, &a));
#pragma omp parallel for schedule(static) reduction(max \
                                                    : most)
  for (PetscInt i = 0; i < csr->m; i++) {
    const double difference = PetscAbsScalar(a[i] - r->y[i]), by_size = difference == 0 ? 0 : difference / r->size[i];

    most = PetscMax(most, by_size == by_size ? by_size : PETSC_MAX_REAL); /* a NaN is no small difference */
  }
  PetscCall(VecRestoreArrayRead(y, &a));
  *error = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetOperand(Vec x)
{
  PetscScalar *a;
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayWrite(x, &a));
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < n; i++) a[i] = RandomScalar(0x4c61726765, (uint64_t)i, -1, 1);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products until the plan is final */
static PetscErrorCode Settle(Mat A, Vec x, Vec y, PetscInt *products)
{
  MatAutoCSRInfo info;
  PetscBool      is = PETSC_FALSE;

  PetscFunctionBeginUser;
  *products = 0;
  do {
    PetscCall(MatMult(A, x, y));
    ++*products;
    PetscCall(AutoCSRInfoGet(A, &info, &is));
  } while (is && !info.settled && *products < SETTLING);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TimeProducts(Mat A, Vec x, Vec y, double *seconds)
{
  PetscInt n = 1;

  PetscFunctionBeginUser;
  *seconds = PETSC_MAX_REAL;
  for (int round = 0; round <= ROUNDS; round++) {
    double begin, end;

    PetscCall(Now(&begin));
    for (PetscInt i = 0; i < n; i++) PetscCall(MatMult(A, x, y));
    PetscCall(Now(&end));
    if (round) *seconds = PetscMin(*seconds, (end - begin) / n);
    if (!round) n = (PetscInt)PetscMax(1, PetscMin(10000, SECONDS / (end - begin)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products until the CSR is let go, or time is over */
static PetscErrorCode Wait(Mat A, Vec x, Vec y)
{
  MatAutoCSRInfo info;
  PetscBool      is;
  double         begin, now;

  PetscFunctionBeginUser;
  PetscCall(Now(&begin));
  do {
    PetscCall(AutoCSRInfoGet(A, &info, &is));
    if (!is || info.released_bytes) break;
    for (int i = 0; i < 10; i++) PetscCall(MatMult(A, x, y));
    PetscCall(Now(&now));
  } while (now - begin < wait_for);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row of the table. strategy NULL: not autocsr */
static PetscErrorCode RunType(const char name[], const Csr *csr, const Reference *reference, MatType type, const char strategy[], Vec x, Vec y)
{
  const PetscInt nnz = csr->row_ptr[csr->m];
  Mat            A[MOST];
  Watch          watch;
  MatAutoCSRInfo info = {0};
  PetscBool      is;
  PetscInt       products = 0;
  double         before, begin, end, seconds, error = 0, kept, later, left, bytes;
  PetscScalar   *val;
  PetscMemType   memory;
  char           label[64];

  PetscFunctionBeginUser;
  if (strategy) PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_strategy", strategy));
  PetscCall(VecSet(y, 0));
  PetscCall(Now(&begin));
  if (fill > 0) PetscCall((*machine->leave)((double)StoredCSR(csr) / (double)fill));
  before = machine->taken();
  PetscCall(WatchBegin(&watch));
  for (PetscInt k = 0; k < at_once; k++) {
    PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, csr->m, csr->n, csr->row_ptr, csr->col, csr->val, &A[k]));
    PetscCall(MatConvert(A[k], type, MAT_INPLACE_MATRIX, &A[k]));
    if (machine->upload) PetscCall(MatSeqAIJGetCSRAndMemType(A[k], NULL, NULL, &val, &memory)); /* brings the arrays there */
  }
  PetscCall(Now(&begin));
  for (PetscInt k = 0; k < at_once; k++) PetscCall(Settle(A[k], x, y, &products));
  PetscCall(Now(&end));
  kept = machine->taken() - before;
  PetscCall(WatchEnd(&watch));
  PetscCall(ReferenceCompare(csr, reference, y, &error));
  PetscCall(TimeProducts(A[0], x, y, &seconds));
  PetscCall(Wait(A[0], x, y));
  later = machine->taken() - before;
  PetscCall(AutoCSRInfoGet(A[0], &info, &is));
  PetscCall(PetscSNPrintf(label, sizeof(label), "%s%s%s", type, strategy ? ":" : "", strategy ? strategy : ""));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%-17s %11" PetscInt_FMT " %-22s %9.3f %11.1f %9.0f %9.0f %9.0f", name, nnz, label, PetscMax(0, (end - begin) / at_once - (double)products * seconds), 1e6 * seconds, 1e-6 * kept, 1e-6 * later, 1e-6 * (watch.most - before)));
  for (PetscInt k = 0; k < at_once; k++) PetscCall(MatDestroy(&A[k]));
  PetscCall(Now(&end));
  left  = machine->taken() - before;
  bytes = is && info.product_bytes ? (double)info.product_bytes : (double)StoredCSR(csr) + ((double)csr->m + csr->n) * sizeof(PetscScalar);
  if (fill > 0) PetscCall((*machine->leave)(PETSC_MAX_REAL));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, " %9.0f %8.1e %6.3f  %s\n", 1e-6 * left, error, bytes / seconds / (double)bandwidth, is ? info.executor : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const Generator *g, double nonzeros, PetscBool gpu, PetscBool plain, int n_strategies, char *strategies[])
{
  const Size     size = {nonzeros / g->nnz, 1};
  Csr            csr;
  Reference      reference;
  Vec            x, y;
  PetscLogDouble begin, made, end;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&begin));
  PetscCall(CsrGenerate(g, &size, &csr));
  PetscCall(PetscTime(&made));
  PetscCall(VecCreate(PETSC_COMM_SELF, &x));
  PetscCall(VecSetSizes(x, csr.n, csr.n));
  PetscCall(VecSetType(x, machine->vec));
  PetscCall(VecCreate(PETSC_COMM_SELF, &y));
  PetscCall(VecSetSizes(y, csr.m, csr.m));
  PetscCall(VecSetType(y, machine->vec));
  PetscCall(SetOperand(x));
  PetscCall(ReferenceCreate(&csr, x, &reference));
  PetscCall(PetscTime(&end));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "# %s: %" PetscInt_FMT " by %" PetscInt_FMT ", made in %.1f s by %d threads, the host's product in %.1f s\n", g->name, csr.m, csr.n, made - begin, omp_get_max_threads(), end - made));
  if (plain) PetscCall(RunType(g->name, &csr, &reference, gpu ? MATAIJCUSPARSE : MATAIJ, NULL, x, y));
  for (int s = 0; s < n_strategies; s++) PetscCall(RunType(g->name, &csr, &reference, MATAUTOCSR, strategies[s], x, y));
  PetscCall(PetscFree2(reference.y, reference.size));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(CsrDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  sizes          = MOST;
  PetscReal nonzeros[MOST] = {1e9, 2e9};
  PetscBool gpu            = PETSC_FALSE, plain = PETSC_TRUE, set;
  char      matrices[1024] = "poisson3d27,poisson3d7,uniform16", strategies[1024] = "auto", device[256];
  char    **strategy;
  int       n_strategies;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-gpu", &gpu, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-plain", &plain, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-matrices", matrices, sizeof(matrices), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-strategies", strategies, sizeof(strategies), NULL));
  PetscCall(PetscOptionsGetRealArray(NULL, NULL, "-nonzeros", nonzeros, &sizes, &set));
  if (!set) sizes = 2;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-at_once", &at_once, NULL));
  PetscCheck(at_once > 0 && at_once <= MOST, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-at_once %" PetscInt_FMT ": must be from 1 to %d", at_once, MOST);
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-wait", &wait_for, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-bandwidth", &bandwidth, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-fill", &fill, NULL));
  if (gpu) PetscCall(GpuFind(&machine));
  PetscCheck(fill >= 0 && fill <= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-fill %g: must be in [0, 1]; 0: nothing is taken", (double)fill);
  PetscCheck(fill == 0 || machine->leave, PETSC_COMM_SELF, PETSC_ERR_SUP, "-fill: only with -gpu");
  PetscCall(PetscStrToArray(strategies, ',', &n_strategies, &strategy));
  PetscCall(machine->describe(device, sizeof(device)));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, PETSc %d.%d.%d, %d-bit indices\n%-17s %11s %-22s %9s %11s %9s %9s %9s %9s %8s %6s  %s\n", device, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, (int)(8 * sizeof(PetscInt)), "matrix", "nonzeros", "type", "setup_s", "product_us", "kept_MB", "later_MB", "peak_MB", "left_MB", "error", "share", "kernel"));
  for (PetscInt k = 0; k < sizes; k++) {
    for (const Generator *g = Generators; g->name; g++) {
      PetscBool wanted;

      PetscCall(ListHas(matrices, g->name, &wanted));
      if (wanted) PetscCall(Run(g, (double)nonzeros[k], gpu, plain, n_strategies, strategy));
    }
  }
  PetscCall(PetscStrToArrayDestroy(n_strategies, strategy));
  PetscCall(PetscFinalize());
  return 0;
}
