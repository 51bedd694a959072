/*
  Measures all variants of one matrix with one operation. The variants take turns (round-robin, the first one moving on
  each round), so that a busy moment of the machine hits all of them alike; the figure is the median.
*/
#include "bench.h"
#include <petsctime.h>

#define BENCH_WARM       2e-2 /* seconds: products shorter than this are run once, untimed, before each sample */
#define BENCH_MIN_ROUNDS 5
#define BENCH_MAX_FIRST  1000000 /* products until a plan is final */
#define BENCH_SETUP      5e-2    /* seconds: a setup shorter than this is repeated; the shortest counts */

typedef struct {
  const Variant *variant;
  Mat            A; /* NULL: direct products */
  void          *direct;
  double         first;   /* conversion and the products until the plan is final, seconds, the shortest of a few tries */
  PetscInt       until;   /* that many, or a few more; 1 but for progressive planning, and before a try has shown it */
  double         guess;   /* of the time of one product, seconds */
  PetscInt       repeats; /* products in a sample */
  PetscInt       samples;
  double        *seconds; /* of one product, each sample */
} Contestant;

static inline PetscErrorCode Apply(const Op *op, Vec x, Vec y, const Contestant *c)
{
  return c->A ? op->apply(c->A, x, y) : c->variant->direct->apply(c->direct);
}

/* Of times (or results) of the ranks the largest */
static PetscErrorCode OfRanks(double *seconds)
{
  double most;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(seconds, &most, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *seconds = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of n products, all ranks begun at once */
static PetscErrorCode TimeProducts(const Machine *machine, const Op *op, Vec x, Vec y, const Contestant *c, PetscInt n, double *seconds)
{
  double begin, end;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(machine->clock(&begin));
  for (PetscInt i = 0; i < n; i++) PetscCall(Apply(op, x, y, c));
  PetscCall(machine->clock(&end));
  *seconds = end - begin;
  PetscCall(OfRanks(seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Leave(Contestant *c)
{
  PetscFunctionBeginUser;
  if (c->direct) PetscCall(c->variant->direct->destroy(&c->direct));
  PetscCall(MatDestroy(&c->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OnAllRanks(PetscBool mine, PetscBool *all)
{
  PetscMPIInt yes = mine;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &yes, 1, MPI_INT, MPI_LAND, PETSC_COMM_WORLD));
  *all = yes ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsSettled(Mat A, PetscBool *settled)
{
  MatAutoCSRInfo info;
  PetscBool      is;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRInfoGet(A, &info, &is));
  PetscCall(OnAllRanks((PetscBool)(!is || info.settled), settled));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  With progressive planning the first products are made by another plan: until it is gone they are part of the setup. Asking takes longer
  than a short product, so it is done after more and more of them, and out of the time. Waiting for each few of them is in the time, which no program
  does: a later try knows how many there are, and makes them at once
*/
static PetscErrorCode Settle(const Machine *machine, const Op *op, Vec x, Vec y, Contestant *c, double *seconds)
{
  PetscBool settled;

  PetscFunctionBeginUser;
  PetscCall(IsSettled(c->A, &settled));
  while (!settled && c->until < BENCH_MAX_FIRST) {
    const PetscInt n = 1 + c->until / 4;
    double         more;

    PetscCall(TimeProducts(machine, op, x, y, c, n, &more));
    *seconds += more;
    c->until += n;
    PetscCall(IsSettled(c->A, &settled));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the options of a variant, or takes them away */
static PetscErrorCode SetOptions(const Variant *v, PetscBool set)
{
  char **word;
  int    n;

  PetscFunctionBeginUser;
  PetscCall(PetscStrToArray(v->options ? v->options : "", ' ', &n, &word));
  for (int i = 0; i + 1 < n; i += 2) {
    if (set)
      PetscCall(PetscOptionsSetValue(NULL, word[i], word[i + 1]));
    else
      PetscCall(PetscOptionsClearValue(NULL, word[i]));
  }
  PetscCall(PetscStrToArrayDestroy(n, word));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Make(const Machine *machine, const Variant *v, const Csr *csr, const Op *op, Mat first, Vec x, Vec y, Contestant *c)
{
  double begin, end, seconds;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(v, PETSC_TRUE));
  if (v->direct) {
    PetscCall(machine->clock(&begin));
    PetscCall(v->direct->make(v, csr, first, x, y, &c->direct));
    PetscCall(v->direct->apply(c->direct));
    PetscCall(machine->clock(&end));
    seconds = end - begin;
  } else
    PetscCall(machine->make(v, csr, op, x, y, c->until, &c->A, &seconds));
  PetscCall(OfRanks(&seconds));
  PetscCall(SetOptions(v, PETSC_FALSE));
  if (c->A) PetscCall(Settle(machine, op, x, y, c, &seconds));
  c->first = PetscMin(c->first, seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sample(const Machine *machine, const Op *op, Vec x, Vec y, Contestant *c)
{
  double seconds;

  PetscFunctionBeginUser;
  if (c->guess < BENCH_WARM) PetscCall(Apply(op, x, y, c));
  PetscCall(TimeProducts(machine, op, x, y, c, c->repeats, &seconds));
  c->seconds[c->samples++] = seconds / (double)c->repeats;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscScalar EntryOfX(PetscInt i)
{
  return RandomScalar(0x58, (uint64_t)i, -1, 1);
}

/* What the products must give, summed up row by row, and |A||x| */
static PetscErrorCode Reference(const Csr *csr, PetscScalar reference[], PetscReal bound[])
{
  PetscScalar *value;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(csr->n, &value));
  for (PetscInt i = 0; i < csr->n; i++) value[i] = EntryOfX(i);
#pragma omp parallel for schedule(dynamic, 1024)
  for (PetscInt i = 0; i < csr->m; i++) {
    PetscScalar sum = 0;

    bound[i] = 0;
    for (PetscInt k = csr->row_ptr[i]; k < csr->row_ptr[i + 1]; k++) {
      sum += csr->val[k] * value[csr->col[k]];
      bound[i] += PetscAbsScalar(csr->val[k]) * PetscAbsScalar(value[csr->col[k]]);
    }
    reference[i] = sum;
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each entry of y, within a rounding's worth of |A||x|, as the reference has it */
static PetscErrorCode Check(const char matrix[], const Csr *csr, const Op *op, Vec x, Vec y, const PetscScalar reference[], const PetscReal bound[], const Contestant *c, PetscBool *right)
{
  const PetscReal    tolerance = 450 * PETSC_MACHINE_EPSILON; /* 1e-13 in double precision */
  const PetscScalar *value;
  PetscBool          mine = PETSC_TRUE;

  PetscFunctionBeginUser;
  *right = PETSC_TRUE;
  if (c->direct && !c->variant->direct->product) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecSet(y, (PetscScalar)NAN));
  PetscCall(Apply(op, x, y, c));
  PetscCall(VecGetArrayRead(y, &value));
  for (PetscInt i = 0; i < csr->m && mine; i++) {
    const PetscReal difference = PetscAbsScalar(value[i] - reference[i]);

    mine = (PetscBool)(difference <= tolerance * bound[i]); /* NaN is not */
    if (!mine) PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nWRONG, left out: %s by %s: entry %" PetscInt_FMT " of this rank's result differs from the sum over the row by %g, which is more than %g of |A||x|", matrix, c->variant->name, i, (double)difference, (double)tolerance));
  }
  PetscCall(VecRestoreArrayRead(y, &value));
  PetscCall(OnAllRanks(mine, right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int CompareDoubles(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The median; of several ranks the lower quartile: the time of one that the system holds up is in that of all others, which wait for it */
static PetscErrorCode Typical(PetscInt n, double a[], double *seconds)
{
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  qsort(a, (size_t)n, sizeof(*a), CompareDoubles);
  *seconds = ranks > 1 ? a[n / 4] : 0.5 * (a[(n - 1) / 2] + a[n / 2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SumOfRanks(double *bytes)
{
  double sum;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(bytes, &sum, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  *bytes = sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The bytes a variant may take beside the CSR arrays of all; those of the library at most about one copy. A parallel matrix copies its rows */
static PetscErrorCode OwnBytes(const Machine *machine, const Variant *v, const Csr *csr, double *own)
{
  const PetscBool library = (PetscBool)!v->stored;

  PetscFunctionBeginUser;
  *own = 0;
  if (library || v->stored != machine->variants[0].stored) *own = (double)(library ? StoredCSR(csr) : v->stored(csr));
  if ((machine->upload || csr->m < csr->rows) && !v->direct) *own += (double)StoredCSR(csr);
  PetscCall(SumOfRanks(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The variants that the user wants, the library has, and the memory bears: the largest ones are left out first */
static PetscErrorCode Choose(const Machine *machine, const char matrix[], const Csr *csr, const Limits *limits, const Variant *chosen[], PetscInt *n)
{
  double total = machine->variants[0].stored(csr) + 4.0 * ((double)csr->m + (double)csr->n) * (double)sizeof(PetscScalar), own[BENCH_MAX_VARIANTS];

  PetscFunctionBeginUser;
  PetscCall(SumOfRanks(&total));
  *n = 0;
  for (const Variant *v = machine->variants; v->name; v++) {
    PetscBool wanted, usable;

    PetscCall(VariantUsable(v, &usable));
    PetscCall(ListHas(limits->only, v->name, &wanted));
    if (!limits->only[0] && !strncmp(v->name, VARIANT_SEARCH, strlen(VARIANT_SEARCH))) wanted = PETSC_FALSE; /* a search takes a minute: by name only */
    if (!usable || (!wanted && v != machine->variants)) continue;
    PetscCall(OwnBytes(machine, v, csr, &own[*n]));
    chosen[*n] = v;
    total += own[(*n)++];
  }
  while (total > limits->memory) {
    PetscInt largest = 0;

    for (PetscInt i = 1; i < *n; i++) {
      if (own[i] >= own[largest]) largest = i; /* of equal ones the last: a forced strategy rather than the choice */
    }
    if (own[largest] == 0) break;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n%s by %s: left out, all variants would need %.1f GB (limit: -memory %.1f)", matrix, chosen[largest]->name, 1e-9 * total, 1e-9 * limits->memory));
    total -= own[largest];
    (*n)--;
    PetscCall(PetscArraymove(chosen + largest, chosen + largest + 1, *n - largest));
    PetscCall(PetscArraymove(own + largest, own + largest + 1, *n - largest));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a forced strategy does not apply the library uses another: that is no result, and the variant is left out */
static PetscErrorCode Enter(const Machine *machine, const Variant *v, const Csr *csr, const Op *op, Mat first, Vec x, Vec y, Contestant *c, PetscBool *entered)
{
  MatAutoCSRInfo info;
  PetscBool      is, mine = PETSC_TRUE;

  PetscFunctionBeginUser;
  *c = (Contestant){.variant = v, .first = PETSC_MAX_REAL, .until = 1};
  for (PetscInt tries = 0; tries < machine->setups && (!tries || c->first < BENCH_SETUP); tries++) {
    PetscCall(Leave(c));
    PetscCall(Make(machine, v, csr, op, first, x, y, c));
  }
  *entered = PETSC_TRUE;
  if (c->direct) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRInfoGet(c->A, &info, &is));
  if (is && v->strategy) PetscCall(PetscStrcmp(info.strategy, v->strategy, &mine));
  PetscCall(OnAllRanks(mine, entered));
  if (!*entered) PetscCall(Leave(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Summarize(const Machine *machine, const Csr *csr, const Op *op, Contestant *c, double reference, Result *result)
{
  const PetscInt64 vectors = (csr->rows + csr->n) * (PetscInt64)sizeof(PetscScalar) * op->k;
  MatAutoCSRInfo   info;
  PetscBool        is = PETSC_FALSE;
  double           seconds, bytes, stored = (double)StoredCSR(csr), own = 0;

  PetscFunctionBeginUser;
  PetscCall(Typical(c->samples, c->seconds, &seconds));
  *result = (Result){.variant = c->variant, .us = 1e6 * seconds, .setup_products = PetscMax(c->first - (double)c->until * seconds, 0) / reference};
  if (c->A) PetscCall(AutoCSRInfoGet(c->A, &info, &is));
  if (is) {
    bytes             = (double)info.product_bytes;
    own               = (double)info.plan_bytes;
    result->predicted = 1e6 * info.predicted;
    PetscCall(PetscSNPrintf(result->executor, sizeof(result->executor), info.segments > 1 ? "%s+%" PetscInt_FMT : "%s", info.executor, info.segments - 1));
    PetscCall(PetscSNPrintf(result->chosen, sizeof(result->chosen), strcmp(info.backend, machine->backend) ? "%s@%s" : "%s", info.strategy, info.backend));
  } else {
    bytes = (double)c->variant->stored(csr);
    if (c->direct)
      own = (double)c->variant->direct->bytes(c->direct);
    else if (bytes != stored)
      own = bytes;
  }
  PetscCall(SumOfRanks(&bytes));
  PetscCall(SumOfRanks(&own));
  result->bytes = (PetscInt64)bytes + (is ? 0 : vectors);
  result->own   = (PetscInt64)own;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Contest(const Machine *machine, const Op *op, const Limits *limits, Vec x, Vec y, PetscInt n, Contestant c[])
{
  PetscLogDouble begin, now;
  PetscInt       round, more = 1;

  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < n; v++) { /* the third product says how many make a sample */
    PetscCall(PetscMalloc1(limits->rounds, &c[v].seconds));
    c[v].repeats = 1;
    PetscCall(Apply(op, x, y, &c[v]));
    PetscCall(TimeProducts(machine, op, x, y, &c[v], 1, &c[v].guess));
    c[v].guess   = PetscMax(c[v].guess, 1e-8);
    c[v].repeats = (PetscInt)PetscMax(1, PetscMin(machine->sample / c[v].guess, 1e4));
  }
  PetscCall(PetscTime(&begin));
  for (round = 0; more; round++) {
    for (PetscInt v = 0; v < n; v++) PetscCall(Sample(machine, op, x, y, &c[(round + v) % n]));
    PetscCall(PetscTime(&now));
    more = round + 1 < limits->rounds && (round + 1 < BENCH_MIN_ROUNDS || now - begin < limits->seconds);
    PetscCallMPI(MPI_Bcast(&more, 1, MPIU_INT, 0, PETSC_COMM_WORLD)); /* the ranks' clocks differ */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Measure(const Machine *machine, const char matrix[], const Csr *csr, const Op *op, const Limits *limits, Result result[], PetscInt *count, PetscInt *wrong)
{
  const Variant *chosen[BENCH_MAX_VARIANTS];
  Contestant     c[BENCH_MAX_VARIANTS];
  Vec            x, y;
  PetscScalar   *value, *reference;
  PetscReal     *bound;
  double         first;
  PetscInt       n = 0, n_chosen = 0, begin, end;

  PetscFunctionBeginUser;
  PetscCall(VecCreate(PETSC_COMM_WORLD, &x));
  PetscCall(VecSetSizes(x, PETSC_DECIDE, csr->n));
  PetscCall(VecSetType(x, machine->vec));
  PetscCall(VecCreate(PETSC_COMM_WORLD, &y));
  PetscCall(VecSetSizes(y, csr->m, PETSC_DETERMINE));
  PetscCall(VecSetType(y, machine->vec));
  PetscCall(VecGetOwnershipRange(x, &begin, &end));
  PetscCall(VecGetArray(x, &value));
  for (PetscInt i = begin; i < end; i++) value[i - begin] = EntryOfX(i);
  PetscCall(VecRestoreArray(x, &value));
  PetscCall(PetscMalloc2(csr->m, &reference, csr->m, &bound));
  PetscCall(Reference(csr, reference, bound));

  PetscCall(Choose(machine, matrix, csr, limits, chosen, &n_chosen));
  for (PetscInt v = 0; v < n_chosen; v++) {
    PetscBool entered = PETSC_FALSE, right;

    PetscCall(Enter(machine, chosen[v], csr, op, n ? c[0].A : NULL, x, y, &c[n], &entered));
    if (!entered) continue;
    PetscCall(Check(matrix, csr, op, x, y, reference, bound, &c[n], &right));
    *wrong += !right && !chosen[v]->baseline; /* PETSc's types may have their faults */
    if (right || !n)
      n++; /* the first one is needed for the setup of the others */
    else
      PetscCall(Leave(&c[n]));
  }
  PetscCall(Contest(machine, op, limits, x, y, n, c));
  PetscCall(Typical(c[0].samples, c[0].seconds, &first));
  for (PetscInt v = 0; v < n; v++) {
    PetscCall(Summarize(machine, csr, op, &c[v], first, &result[v]));
    PetscCall(Leave(&c[v]));
    PetscCall(PetscFree(c[v].seconds));
  }
  *count = n;
  PetscCall(PetscFree2(reference, bound));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
