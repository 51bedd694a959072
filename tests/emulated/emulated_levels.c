static char help[] = "The steps of a smoother on a small matrix in one kernel, in the emulator: against the same steps one by one, and the same bits in several orders of threads.\n\n";

#define AUTOCSR_HAVE_CUDA
#include "../../src/ksp/impls/autocsr/cuda/level.h"
#include "../../src/mat/impls/autocsr/cuda/products/residual.h"
#include "../emulator/control.h"

#define MOST_ROWS    1024
#define MOST_ENTRIES 32768

/* A matrix, a preconditioner and vectors: of the host, and of the device in the pass and in the level */
static struct {
  PetscInt     n, block, row_ptr[MOST_ROWS + 2], col[MOST_ENTRIES];
  PetscBool    has_d;
  PetscScalar *val, *b, *d, *x[2], *made[2];
} of;

static unsigned state;

/* In [-1, 1) */
static PetscScalar Random(void)
{
  PetscReal part[2];

  for (int k = 0; k < 2; k++) {
    state   = state * 1664525u + 1013904223u;
    part[k] = (PetscReal)(state >> 8) / (1 << 23) - 1;
  }
#if PetscDefined(USE_COMPLEX)
  return PetscCMPLX(part[0], part[1]);
#else
  return part[0];
#endif
}

/* The device's memory, as the library asks for it */
static PetscErrorCode ToDevice(const void *host, size_t bytes, void **device)
{
  PetscFunctionBeginUser;
  PetscCall(AutoCSRDeviceAllocate(bytes, device));
  PetscCall(AutoCSRDeviceFromHost(*device, host, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixToDevice(AutoCSRMatrix *csr)
{
  const PetscInt nnz = of.row_ptr[of.n];

  PetscFunctionBeginUser;
  *csr = (AutoCSRMatrix){.m = of.n, .n = of.n, .nnz = nnz};
  PetscCall(ToDevice(of.row_ptr, (size_t)(of.n + 1) * sizeof(PetscInt), (void **)&csr->row_ptr));
  PetscCall(ToDevice(of.col, (size_t)nnz * sizeof(PetscInt), (void **)&csr->col));
  PetscCall(ToDevice(of.val, (size_t)nnz * sizeof(PetscScalar), (void **)&csr->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixDestroy(AutoCSRMatrix *csr)
{
  PetscFunctionBeginUser;
  PetscCall(AutoCSRDeviceDeallocate((void *)csr->row_ptr));
  PetscCall(AutoCSRDeviceDeallocate((void *)csr->col));
  PetscCall(AutoCSRDeviceDeallocate((void *)csr->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By components, as kernels multiply */
static PetscScalar Times(PetscScalar a, PetscScalar x)
{
#if PetscDefined(USE_COMPLEX)
  return PetscCMPLX(PetscRealPart(a) * PetscRealPart(x) - PetscImaginaryPart(a) * PetscImaginaryPart(x), PetscRealPart(a) * PetscImaginaryPart(x) + PetscImaginaryPart(a) * PetscRealPart(x));
#else
  return a * x;
#endif
}

static void Reference(PetscInt n_steps, const AutoCSRCombination step[], PetscScalar r[])
{
  for (PetscInt k = 0; k < n_steps; k++) {
    const AutoCSRCombination *c    = &step[k];
    const PetscScalar        *from = of.x[c->from == AUTOCSR_P];
    PetscScalar              *to   = of.x[c->to == AUTOCSR_P];

    for (PetscInt i = 0; i < of.n; i++) {
      PetscScalar sum = 0;

      for (PetscInt e = of.row_ptr[i]; e < of.row_ptr[i + 1] && c->product; e++) sum += Times(of.val[e], from[of.col[e]]);
      r[i] = of.b[i] - sum;
    }
    for (PetscInt i = 0; i < of.n; i++) {
      const PetscInt first = i - i % of.block;
      PetscScalar    z     = of.has_d ? 0 : r[i];

      for (PetscInt j = 0; j < of.block && of.has_d; j++) z += Times(of.d[j * of.n + i], r[first + j]);
      to[i] = (c->before != (PetscScalar)0 ? Times(c->before, to[i]) : 0) + Times(c->current, from[i]) + Times(c->residual, z);
    }
  }
}

/* By the kernel, into of.made */
static PetscErrorCode Run(PetscInt n_steps, const AutoCSRCombination step[], PetscInt lanes)
{
  const size_t          bytes                = (size_t)of.n * sizeof(PetscScalar);
  struct _AutoCSRDevice device               = {.pass = {.n = of.n, .block = of.block}, .level = {.lanes = lanes, .blocks = 1}};
  PetscScalar          *array[AUTOCSR_BASIS] = {NULL}, *w;
  AutoCSRSolve          s                    = {.n = of.n, .block = of.block, .array = array, .device = &device};
  AutoCSRMatrix         csr;

  PetscFunctionBeginUser;
  PetscCall(MatrixToDevice(&csr));
  PetscCall(ToDevice(of.b, bytes, (void **)&device.pass.b));
  PetscCall(AutoCSRDeviceAllocate(bytes, (void **)&w)); /* nothing was written there */
  device.pass.w = w;
  if (of.has_d) PetscCall(ToDevice(of.d, bytes * (size_t)of.block, (void **)&device.pass.d));
  PetscCall(ToDevice(of.x[0], bytes, (void **)&array[AUTOCSR_X]));
  PetscCall(ToDevice(of.x[1], bytes, (void **)&array[AUTOCSR_P]));
  PetscCall(AutoCSRLevelRun(&s, &csr, n_steps, step));
  PetscCall(AutoCSRDeviceToHost(of.made[0], array[AUTOCSR_X], bytes));
  PetscCall(AutoCSRDeviceToHost(of.made[1], array[AUTOCSR_P], bytes));
  PetscCall(AutoCSRDeviceDeallocate(array[AUTOCSR_X]));
  PetscCall(AutoCSRDeviceDeallocate(array[AUTOCSR_P]));
  PetscCall(AutoCSRDeviceDeallocate((void *)device.pass.b));
  PetscCall(AutoCSRDeviceDeallocate(w));
  if (of.has_d) PetscCall(AutoCSRDeviceDeallocate((void *)device.pass.d));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  BANDS,
  HOLES, /* most rows are empty */
  DENSE,
  UNEVEN,
  KINDS
} Kind;

static PetscErrorCode MakeMatrix(PetscInt n, PetscInt block, Kind kind)
{
  PetscInt nnz = 0;

  PetscFunctionBeginUser;
  of.n     = n;
  of.block = block;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt entries = kind == BANDS ? PetscMin(5, n) : kind == HOLES ? (i % 7 ? 0 : PetscMin(3, n)) : kind == DENSE ? n : PetscMin(n, (i * 37) % 64);

    of.row_ptr[i] = nnz;
    for (PetscInt e = 0; e < entries; e++) of.col[nnz++] = (PetscInt)(((PetscInt64)i + (PetscInt64)e * (kind == UNEVEN ? 7 : 1)) % n);
    PetscCheck(nnz <= MOST_ENTRIES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " entries", nnz);
  }
  of.row_ptr[n] = nnz;
  for (PetscInt e = 0; e < nnz; e++) of.val[e] = Random() / (kind == DENSE ? (PetscReal)n : 8);
  for (PetscInt i = 0; i < n; i++) of.b[i] = Random();
  for (PetscInt i = 0; i < n * block; i++) of.d[i] = Random();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool IsFinite(PetscScalar v)
{
  return (PetscBool)!PetscIsInfOrNanScalar(v);
}

/* bad: an Inf in x, a NaN in b */
static PetscErrorCode Check(PetscInt n, PetscInt block, Kind kind, PetscBool has_d, PetscInt n_steps, PetscBool product, PetscInt lanes, PetscBool bad)
{
  static const AutoCSRVectorName name[2] = {AUTOCSR_X, AUTOCSR_P};
  const PetscReal                few     = PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-12;
  AutoCSRCombination             step[AUTOCSR_TOGETHER];
  PetscScalar                   *first[2], *r;

  PetscFunctionBeginUser;
  of.has_d = has_d;
  PetscCall(MakeMatrix(n, block, kind));
  PetscCall(PetscMalloc3(n, &first[0], n, &first[1], n, &r));
  for (PetscInt i = 0; i < n; i++) of.x[0][i] = Random();
  for (PetscInt i = 0; i < n; i++) of.x[1][i] = i % 2 ? Random() : (PetscScalar)NAN; /* what the first step does not read */
  if (bad) {
    of.x[0][n / 2] = INFINITY;
    of.b[n / 3]    = NAN;
  }
  for (PetscInt k = 0; k < n_steps; k++) step[k] = (AutoCSRCombination){.from = name[k % 2], .to = name[(k + 1) % 2], .before = k ? Random() : 0, .current = k ? Random() : 1, .residual = Random(), .product = (PetscBool)(k || product), .update = PETSC_TRUE};
  for (int order = 0; order < EMULATOR_ORDERS; order++) {
    EmulatorSetOrder((EmulatorOrder)order);
    PetscCall(Run(n_steps, step, lanes));
    for (int k = 0; k < 2; k++) {
      for (PetscInt i = 0; i < n; i++) PetscCheck(!order || !IsFinite(first[k][i]) || of.made[k][i] == first[k][i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %" PetscInt_FMT " depends on the order of threads", i);
      if (!order) PetscCall(PetscArraycpy(first[k], of.made[k], n));
    }
  }
  Reference(n_steps, step, r);
  for (int k = 0; k < 2; k++) {
    for (PetscInt i = 0; i < n; i++) {
      const PetscScalar made = of.made[k][i], wanted = of.x[k][i];

      PetscCheck(IsFinite(made) == IsFinite(wanted) && (!IsFinite(wanted) || PetscAbsScalar(made - wanted) <= few * (1 + PetscAbsScalar(wanted))), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " rows, blocks of %" PetscInt_FMT ", kind %d, %" PetscInt_FMT " steps, %" PetscInt_FMT " lanes: row %" PetscInt_FMT " of vector %d is %g, not %g", n, block, kind, n_steps, lanes, i, k, (double)PetscRealPart(made), (double)PetscRealPart(wanted));
    }
  }
  PetscCall(PetscFree3(first[0], first[1], r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b - A x by one kernel, and from the product */
static PetscErrorCode CheckResidual(PetscInt n, Kind kind, PetscBool bad)
{
  const AutoCSRCombination step = {.from = AUTOCSR_X, .to = AUTOCSR_P, .residual = 1, .product = PETSC_TRUE};
  const PetscReal          few  = PetscDefined(USE_REAL_SINGLE) ? 1e-5 : 1e-13;
  AutoCSRMatrix            csr;
  PetscScalar             *b, *x, *to, *r;
  PetscBool                done;

  PetscFunctionBeginUser;
  of.has_d = PETSC_FALSE;
  PetscCall(MakeMatrix(n, 1, kind));
  PetscCall(PetscMalloc1(n, &r));
  for (PetscInt i = 0; i < n; i++) of.x[0][i] = Random();
  if (bad) {
    of.x[0][n / 2] = INFINITY;
    of.b[n / 3]    = NAN;
  }
  PetscCall(MatrixToDevice(&csr));
  PetscCall(ToDevice(of.b, (size_t)n * sizeof(PetscScalar), (void **)&b));
  PetscCall(ToDevice(of.x[0], (size_t)n * sizeof(PetscScalar), (void **)&x));
  PetscCall(AutoCSRDeviceAllocate((size_t)n * sizeof(PetscScalar), (void **)&to));
  PetscCall(AutoCSRDeviceResidual(&csr, 512, b, x, to, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No residual of a small matrix");
  PetscCall(AutoCSRDeviceToHost(of.made[0], to, (size_t)n * sizeof(PetscScalar)));
  PetscCall(AutoCSRDeviceSubtract(n, b, to));
  PetscCall(AutoCSRDeviceToHost(of.made[1], to, (size_t)n * sizeof(PetscScalar)));
  PetscCall(AutoCSRDeviceResidual(&csr, 513, b, x, to, &done));
  PetscCheck(!done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A row that is too long");
  PetscCall(MatrixDestroy(&csr));
  PetscCall(AutoCSRDeviceDeallocate(b));
  PetscCall(AutoCSRDeviceDeallocate(x));
  PetscCall(AutoCSRDeviceDeallocate(to));
  Reference(1, &step, r);
  for (PetscInt i = 0; i < n; i++) {
    PetscCheck(IsFinite(of.made[0][i]) == IsFinite(r[i]) && (!IsFinite(r[i]) || PetscAbsScalar(of.made[0][i] - r[i]) <= few * (1 + PetscAbsScalar(r[i]))), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " rows, kind %d: entry %" PetscInt_FMT " of the residual is %g, not %g", n, kind, i, (double)PetscRealPart(of.made[0][i]), (double)PetscRealPart(r[i]));
    PetscCheck(!IsFinite(r[i]) || of.made[1][i] == of.b[i] - of.made[0][i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Entry %" PetscInt_FMT " of a difference", i);
  }
  PetscCall(PetscFree(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which matrices are small enough, where a cluster is one thread block of 1024 threads */
static PetscErrorCode CheckShapes(void)
{
  static const struct {
    PetscInt n, entries, longest, lanes, blocks; /* all rows have `entries`, but the first */
  } shapes[] = {{1, 1, 1, 2, 1}, {1, 0, 0, 2, 1}, {1024, 7, 7, 2, 1}, {1024, 27, 27, 8, 1}, {1024, 7, 33, 8, 1}, {400, 80, 80, 32, 1}, {400, 7, 512, 32, 1}, {400, 7, 513, 32, 0}, {1025, 1, 1, 2, 0}, {1024, 33, 33, 8, 0}};

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(shapes); k++) {
    AutoCSRPass       pass  = {.n = shapes[k].n, .block = 1};
    AutoCSRLevelShape shape = {0};

    AutoCSRLevelShapeOf(&pass, shapes[k].longest + (pass.n - 1) * shapes[k].entries, shapes[k].longest, &shape);
    PetscCheck(shape.blocks == shapes[k].blocks && (!shape.blocks || shape.lanes == shapes[k].lanes), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " rows of %" PetscInt_FMT " entries, one of %" PetscInt_FMT ": %" PetscInt_FMT " lanes, %" PetscInt_FMT " thread blocks", pass.n, shapes[k].entries, shapes[k].longest, shape.lanes, shape.blocks);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const PetscInt rows[] = {1, 2, 31, 100, 1000}, lanes[] = {2, 8, 32};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscMalloc2(MOST_ENTRIES, &of.val, 16 * MOST_ROWS, &of.d));
  PetscCall(PetscMalloc5(MOST_ROWS, &of.b, MOST_ROWS, &of.x[0], MOST_ROWS, &of.x[1], MOST_ROWS, &of.made[0], MOST_ROWS, &of.made[1]));
  PetscCall(CheckShapes());
  for (PetscInt k = 0; k < (PetscInt)(PETSC_STATIC_ARRAY_LENGTH(rows) * KINDS * PETSC_STATIC_ARRAY_LENGTH(lanes)); k++) { /* all rows, kinds and lanes; the rest goes round */
    const PetscInt n = rows[k % 5], steps = 1 + k % AUTOCSR_TOGETHER, block = k % 3 ? 1 : n % 5 ? n : 5;
    const Kind     kind = (Kind)(k / 5 % KINDS);

    if (kind == DENSE && n > 100) continue;
    PetscCall(CheckResidual(n, kind, (PetscBool)(k % 2)));
    PetscCall(Check(n, block > 16 ? 1 : block, kind, (PetscBool)(k % 3 != 1), steps, (PetscBool)(k / 2 % 2), lanes[k / (5 * KINDS)], PETSC_FALSE));
  }
  for (PetscInt block = 1; block <= 5; block += 4) {
    for (PetscInt steps = 1; steps <= AUTOCSR_TOGETHER; steps++) {
      PetscCall(Check(500, block, UNEVEN, PETSC_TRUE, steps, (PetscBool)(steps != 2), 8, (PetscBool)(steps % 2)));
      PetscCall(Check(500, block, HOLES, PETSC_TRUE, steps, PETSC_TRUE, 2, PETSC_TRUE));
    }
  }
  PetscCall(PetscFree2(of.val, of.d));
  PetscCall(PetscFree5(of.b, of.x[0], of.x[1], of.made[0], of.made[1]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Steps in one kernel are those one by one\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:

TEST*/
