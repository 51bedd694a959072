/*
  Measures all variants of one matrix with one operation. The variants take turns (round-robin, the first one moving on
  each round), so that a busy moment of the machine hits all of them alike; the figure is the median.
*/
#include "bench.h"
#include <petsctime.h>
#include <time.h>

#define BENCH_SAMPLE     1e-3 /* seconds: at least so long is a sample; short products are repeated */
#define BENCH_WARM       2e-2 /* seconds: products shorter than this are run once, untimed, before each sample */
#define BENCH_MIN_ROUNDS 5
#define BENCH_SETUPS     5    /* a setup shorter than BENCH_SETUP is repeated so often; the shortest counts */
#define BENCH_SETUP      5e-2 /* seconds */

typedef struct {
  const Variant *variant;
  Mat            A;
  double         first;   /* conversion and first product, seconds, the shortest of a few tries */
  double         guess;   /* of the time of one product, seconds */
  PetscInt       repeats; /* products in a sample */
  PetscInt       samples;
  double        *seconds; /* of one product, each sample */
} Contestant;

/* CPU time of all threads, in seconds: on a quiet machine the same as the time on the wall, on others nearer to it */
static double CpuTime(void)
{
  struct timespec t;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The CSR arrays are shared: every type reads, none changes them */
static PetscErrorCode Make(const Variant *v, const Csr *csr, const Op *op, Vec x, Vec y, Contestant *c)
{
  double begin, end;

  PetscFunctionBeginUser;
  if (v->option) PetscCall(PetscOptionsSetValue(NULL, v->option, v->value));
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, csr->m, csr->n, csr->row_ptr, csr->col, csr->val, &c->A));
  PetscCall(op->apply(c->A, x, y)); /* as plain AIJ: warms the caches, so that the next one measures the setup */
  begin = CpuTime();
  PetscCall(MatConvert(c->A, v->type, MAT_INPLACE_MATRIX, &c->A));
  PetscCall(op->apply(c->A, x, y));
  end      = CpuTime();
  c->first = PetscMin(c->first, end - begin);
  if (v->option) PetscCall(PetscOptionsClearValue(NULL, v->option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sample(const Op *op, Vec x, Vec y, Contestant *c)
{
  double begin, end;

  PetscFunctionBeginUser;
  if (c->guess < BENCH_WARM) PetscCall(op->apply(c->A, x, y));
  begin = CpuTime();
  for (PetscInt r = 0; r < c->repeats; r++) PetscCall(op->apply(c->A, x, y));
  end                      = CpuTime();
  c->seconds[c->samples++] = (end - begin) / (double)c->repeats;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each entry of y, within a rounding's worth of |A||x|, as the reference has it */
static PetscErrorCode Check(const char matrix[], const Csr *csr, const Op *op, Vec x, Vec y, const PetscScalar reference[], const PetscReal bound[], Contestant *c)
{
  const PetscReal    tolerance = 450 * PETSC_MACHINE_EPSILON; /* 1e-13 in double precision */
  const PetscScalar *value;

  PetscFunctionBeginUser;
  PetscCall(VecSet(y, (PetscScalar)NAN));
  PetscCall(op->apply(c->A, x, y));
  PetscCall(VecGetArrayRead(y, &value));
  for (PetscInt i = 0; i < csr->m; i++) {
    PetscReal difference = PetscAbsScalar(value[i] - reference[i]);

    PetscCheck(difference <= tolerance * bound[i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s by %s: entry %" PetscInt_FMT " of the result differs from %s by %g, which is more than %g of |A||x|", matrix, c->variant->name, i, Variants[0].name, (double)difference, (double)tolerance);
  }
  PetscCall(VecRestoreArrayRead(y, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |A||x|, row by row */
static PetscErrorCode Bound(const Csr *csr, Vec x, PetscReal bound[])
{
  const PetscScalar *value;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &value));
  for (PetscInt i = 0; i < csr->m; i++) {
    bound[i] = 0;
    for (PetscInt k = csr->row_ptr[i]; k < csr->row_ptr[i + 1]; k++) bound[i] += PetscAbsScalar(csr->val[k]) * PetscAbsScalar(value[csr->col[k]]);
  }
  PetscCall(VecRestoreArrayRead(x, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int CompareDoubles(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static double Median(PetscInt n, double a[])
{
  qsort(a, (size_t)n, sizeof(*a), CompareDoubles);
  return n % 2 ? a[n / 2] : 0.5 * (a[n / 2 - 1] + a[n / 2]);
}

/* The bytes a variant may take beside the shared CSR arrays; those of the library at most about one copy */
static double OwnBytes(const Variant *v, const Csr *csr)
{
  if (v->stored == Variants[0].stored) return 0;
  return (double)(v->stored ? v->stored(csr) : Variants[0].stored(csr));
}

/* The variants that the user wants, the library has, and the memory bears: the largest ones are left out first */
static PetscErrorCode Choose(const char matrix[], const Csr *csr, const Limits *limits, const Variant *chosen[], PetscInt *n)
{
  double total = Variants[0].stored(csr) + 4.0 * ((double)csr->m + (double)csr->n) * (double)sizeof(PetscScalar);

  PetscFunctionBeginUser;
  *n = 0;
  for (const Variant *v = Variants; v->name; v++) {
    PetscBool wanted, usable;

    PetscCall(VariantUsable(v, &usable));
    PetscCall(ListHas(limits->only, v->name, &wanted));
    if (!usable || (!wanted && v != Variants)) continue;
    chosen[(*n)++] = v;
    total += OwnBytes(v, csr);
  }
  while (total > limits->memory) {
    PetscInt largest = 0;

    for (PetscInt i = 1; i < *n; i++) {
      if (OwnBytes(chosen[i], csr) >= OwnBytes(chosen[largest], csr)) largest = i; /* of equal ones the last: a forced strategy rather than the choice */
    }
    if (OwnBytes(chosen[largest], csr) == 0) break;
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n%s by %s: left out, all variants would need %.1f GB (limit: -memory %.1f)", matrix, chosen[largest]->name, 1e-9 * total, 1e-9 * limits->memory));
    total -= OwnBytes(chosen[largest], csr);
    (*n)--;
    PetscCall(PetscArraymove(chosen + largest, chosen + largest + 1, *n - largest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a forced strategy does not apply the library uses another: that is no result, and the variant is left out */
static PetscErrorCode Enter(const Variant *v, const Csr *csr, const Op *op, Vec x, Vec y, Contestant *c, PetscBool *entered)
{
  MatAutoCSRInfo info;
  PetscBool      is;

  PetscFunctionBeginUser;
  *c = (Contestant){.variant = v, .first = PETSC_MAX_REAL};
  for (PetscInt tries = 0; tries < BENCH_SETUPS && (!tries || c->first < BENCH_SETUP); tries++) {
    PetscCall(MatDestroy(&c->A));
    PetscCall(Make(v, csr, op, x, y, c));
  }
  *entered = PETSC_TRUE;
  PetscCall(AutoCSRInfoGet(c->A, &info, &is));
  if (is && v->strategy) PetscCall(PetscStrcmp(info.strategy, v->strategy, entered));
  if (!*entered) PetscCall(MatDestroy(&c->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Summarize(const Csr *csr, const Op *op, Contestant *c, double reference, Result *result)
{
  const PetscInt64 vectors = ((PetscInt64)csr->m + csr->n) * (PetscInt64)sizeof(PetscScalar) * op->k;
  MatAutoCSRInfo   info;
  PetscBool        is;
  double           seconds = Median(c->samples, c->seconds);

  PetscFunctionBeginUser;
  *result = (Result){.variant = c->variant, .us = 1e6 * seconds, .setup_products = PetscMax(c->first - seconds, 0) / reference};
  PetscCall(AutoCSRInfoGet(c->A, &info, &is));
  if (is) {
    result->bytes = info.product_bytes;
    PetscCall(PetscStrncpy(result->chosen, info.strategy, sizeof(result->chosen)));
  } else
    result->bytes = c->variant->stored(csr) + vectors;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Contest(const Op *op, const Limits *limits, Vec x, Vec y, PetscInt n, Contestant c[])
{
  PetscLogDouble begin, now;
  double         before;
  PetscInt       round;

  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < n; v++) { /* the third product says how many make a sample */
    PetscCall(PetscMalloc1(limits->rounds, &c[v].seconds));
    c[v].repeats = 1;
    PetscCall(op->apply(c[v].A, x, y));
    before = CpuTime();
    PetscCall(op->apply(c[v].A, x, y));
    c[v].guess   = PetscMax(CpuTime() - before, 1e-8);
    c[v].repeats = (PetscInt)PetscMax(1, PetscMin(BENCH_SAMPLE / c[v].guess, 1e4));
  }
  PetscCall(PetscTime(&begin));
  for (round = 0, now = begin; round < limits->rounds && (round < BENCH_MIN_ROUNDS || now - begin < limits->seconds); round++) {
    for (PetscInt v = 0; v < n; v++) PetscCall(Sample(op, x, y, &c[(round + v) % n]));
    PetscCall(PetscTime(&now));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Measure(const char matrix[], const Csr *csr, const Op *op, const Limits *limits, Result result[], PetscInt *count)
{
  const Variant *chosen[BENCH_MAX_VARIANTS];
  Contestant     c[BENCH_MAX_VARIANTS];
  Vec            x, y;
  PetscScalar   *value, *reference;
  PetscReal     *bound;
  PetscInt       n = 0, n_chosen;

  PetscFunctionBeginUser;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, csr->n, &x));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, csr->m, &y));
  PetscCall(VecGetArray(x, &value));
  for (PetscInt i = 0; i < csr->n; i++) value[i] = RandomScalar(0x58, (uint64_t)i, -1, 1);
  PetscCall(VecRestoreArray(x, &value));
  PetscCall(PetscMalloc2(csr->m, &reference, csr->m, &bound));
  PetscCall(Bound(csr, x, bound));

  PetscCall(Choose(matrix, csr, limits, chosen, &n_chosen));
  for (PetscInt v = 0; v < n_chosen; v++) {
    PetscBool entered = PETSC_FALSE;

    PetscCall(Enter(chosen[v], csr, op, x, y, &c[n], &entered));
    if (!entered) continue;
    if (n == 0) {
      const PetscScalar *first;

      PetscCall(VecGetArrayRead(y, &first));
      PetscCall(PetscArraycpy(reference, first, csr->m));
      PetscCall(VecRestoreArrayRead(y, &first));
    }
    PetscCall(Check(matrix, csr, op, x, y, reference, bound, &c[n++]));
  }
  PetscCall(Contest(op, limits, x, y, n, c));
  for (PetscInt v = 0; v < n; v++) {
    PetscCall(Summarize(csr, op, &c[v], v ? 1e-6 * result[0].us : Median(c[0].samples, c[0].seconds), &result[v]));
    PetscCall(MatDestroy(&c[v].A));
    PetscCall(PetscFree(c[v].seconds));
  }
  *count = n;
  PetscCall(PetscFree2(reference, bound));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
