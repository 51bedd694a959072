static char help[] = "Products with dense matrices, and dense ones sampled, by the device's kernels without a device, in several orders of blocks and threads: against sums.\n\n";

#define AUTOCSR_HAVE_CUDA
#include "plans.h"
#include "emulator/backend.h"
#include "emulator/control.h"

static PetscInt Long(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i % 4 == 2 ? 0 : Pick(n, i, 2, col);
}

/* Nearly all rows are empty; the third but last is cut, the last one is not */
static PetscInt Last(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i == m - 3 ? Full(m, n, i, col) : i == m - 1 ? Pick(n, i, n / 300, col)
                                                      : 0;
}

static const Generator more[] = {
    {"rows that are cut", 3, 5001, Long, VALUES_MANY},
    {"the last row but two", 3001, 2100, Last, VALUES_MANY},
};

static const PetscInt widths[] = {4, 8, 9, 19, 64, 135};

/* Columns of B and C begin an entry off the borders of vectors, and are further apart than they are long */
typedef struct {
  PetscInt     columns, ldb, ldc;
  PetscScalar *B, *C[EMULATOR_ORDERS];
} Dense;

static PetscErrorCode Multiply(const AutoCSRMatrix *csr, PetscInt longest, PetscBool alongside, Dense *d, PetscInt order)
{
  const AutoCSRBackend *backend = csr->backend;
  const size_t          b_bytes = (size_t)(1 + d->ldb * d->columns) * sizeof(PetscScalar), c_bytes = (size_t)(1 + d->ldc * d->columns) * sizeof(PetscScalar);
  AutoCSRDense         *kept;
  PetscScalar          *B, *C;
  PetscBool             done;

  PetscFunctionBeginUser;
  EmulatorSetOrder((EmulatorOrder)order);
  PetscCall((*backend->allocate)(b_bytes, (void **)&B));
  PetscCall((*backend->allocate)(c_bytes, (void **)&C));
  PetscCall((*backend->from_host)(B, d->B, b_bytes));
  for (PetscInt k = 0; k < 1 + d->ldc * d->columns; k++) d->C[order][k] = 77;
  PetscCall((*backend->from_host)(C, d->C[order], c_bytes));
  PetscCall(AutoCSRDenseCreate(backend, &kept));
  for (int times = 0; times < (order ? 1 : 2); times++) {
    const AutoCSRDenseOperands op = {.csr = csr, .columns = d->columns, .ldb = d->ldb, .ldc = d->ldc, .B = B + 1, .C = C + 1, .longest = longest, .alongside = alongside, .simd = "auto"};

    PetscCall((*backend->mult_dense)(kept, &op, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " columns are refused", d->columns);
  }
  PetscCall((*backend->to_host)(d->C[order], C, c_bytes));
  PetscCall(AutoCSRDenseDestroy(&kept));
  PetscCall((*backend->release)(B));
  PetscCall((*backend->release)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const AutoCSRMatrix *csr, const Dense *d, const char name[])
{
  const PetscReal epsilon = 100 * PETSC_MACHINE_EPSILON;

  PetscFunctionBeginUser;
  for (int order = 1; order < EMULATOR_ORDERS; order++) PetscCheck(!memcmp(d->C[0], d->C[order], (size_t)(1 + d->ldc * d->columns) * sizeof(PetscScalar)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %" PetscInt_FMT " columns: other bits in another order", name, d->columns);
  PetscCheck(d->C[0][0] == (PetscScalar)77, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: what is before C was written", name);
  for (PetscInt j = 0; j < d->columns; j++) {
    const PetscScalar *b = d->B + 1 + j * d->ldb, *c = d->C[0] + 1 + j * d->ldc;

    for (PetscInt i = 0; i < d->ldc; i++) {
      PetscScalar sum   = i < csr->m ? 0 : 77;
      PetscReal   bound = 0;

      for (PetscInt p = i < csr->m ? csr->row_ptr[i] : 0; i < csr->m && p < csr->row_ptr[i + 1]; p++) {
        sum += csr->val[p] * b[csr->col[p]];
        bound += PetscAbsScalar(csr->val[p]) * PetscAbsScalar(b[csr->col[p]]);
      }
      PetscCheck(PetscAbsScalar(c[i] - sum) <= epsilon * bound, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %" PetscInt_FMT " columns: entry (%" PetscInt_FMT ", %" PetscInt_FMT ") is off by %g", name, d->columns, i, j, (double)PetscAbsScalar(c[i] - sum));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* val = A .* (X B^T) */
static PetscErrorCode Sample(const AutoCSRMatrix *csr, const PetscScalar X[], PetscBool alongside, const Dense *d, PetscInt order, PetscScalar val[])
{
  const AutoCSRBackend *backend = csr->backend;
  const size_t          b_bytes = (size_t)(1 + d->ldb * d->columns) * sizeof(PetscScalar), x_bytes = (size_t)(1 + d->ldc * d->columns) * sizeof(PetscScalar), bytes = (size_t)(csr->nnz + 2) * sizeof(PetscScalar);
  AutoCSRDense         *kept;
  PetscScalar          *B, *x, *v;

  PetscFunctionBeginUser;
  EmulatorSetOrder((EmulatorOrder)order);
  PetscCall((*backend->allocate)(b_bytes, (void **)&B));
  PetscCall((*backend->allocate)(x_bytes, (void **)&x));
  PetscCall((*backend->allocate)(bytes, (void **)&v));
  PetscCall((*backend->from_host)(B, d->B, b_bytes));
  PetscCall((*backend->from_host)(x, X, x_bytes));
  for (PetscInt q = 0; q < csr->nnz + 2; q++) val[q] = 77;
  PetscCall((*backend->from_host)(v, val, bytes));
  PetscCall(AutoCSRDenseCreate(backend, &kept));
  {
    const AutoCSRSampledOperands op = {.csr = csr, .columns = d->columns, .ldx = d->ldc, .ldy = d->ldb, .alongside = alongside, .X = x + 1, .Y = B + 1, .val = v + 1, .simd = "auto"};

    PetscCall((*backend->sample_dense)(kept, &op));
  }
  PetscCall((*backend->to_host)(val, v, bytes));
  PetscCall(AutoCSRDenseDestroy(&kept));
  PetscCall((*backend->release)(B));
  PetscCall((*backend->release)(x));
  PetscCall((*backend->release)(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckSampled(const AutoCSRMatrix *csr, const AutoCSRMatrix *there, PetscBool alongside, const Dense *d, const char name[])
{
  PetscScalar *X, *val[EMULATOR_ORDERS]; /* of the first order and the last */

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc4(1 + d->ldc * d->columns, &X, csr->nnz + 2, &val[0], csr->nnz + 2, &val[1], csr->nnz + 2, &val[2]));
  for (PetscInt k = 0; k < 1 + d->ldc * d->columns; k++) X[k] = Value(VALUES_MANY, 3, k);
  for (PetscInt order = 0; order < EMULATOR_ORDERS; order += 2) {
    PetscCall(Sample(there, X, alongside, d, order, val[order]));
    PetscCheck(!memcmp(val[0], val[order], (size_t)(csr->nnz + 2) * sizeof(PetscScalar)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %" PetscInt_FMT " columns, sampled: other bits in another order", name, d->columns);
  }
  PetscCheck(val[0][0] == (PetscScalar)77 && val[0][csr->nnz + 1] == (PetscScalar)77, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, sampled: what is beside the values was written", name);
  for (PetscInt i = 0; i < csr->m; i++) {
    for (PetscInt q = csr->row_ptr[i]; q < csr->row_ptr[i + 1]; q++) {
      PetscScalar sum   = 0;
      PetscReal   bound = 0;

      for (PetscInt j = 0; j < d->columns; j++) {
        const PetscScalar product = X[1 + i + j * d->ldc] * d->B[1 + csr->col[q] + j * d->ldb];

        sum += product;
        bound += PetscAbsScalar(product);
      }
      PetscCheck(PetscAbsScalar(val[0][1 + q] - csr->val[q] * sum) <= 100 * PETSC_MACHINE_EPSILON * PetscAbsScalar(csr->val[q]) * bound, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %" PetscInt_FMT " columns, sampled: entry %" PetscInt_FMT " is off by %g", name, d->columns, q, (double)PetscAbsScalar(val[0][1 + q] - csr->val[q] * sum));
    }
  }
  PetscCall(PetscFree4(X, val[0], val[1], val[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the widths every other */
static PetscErrorCode CheckMatrix(const Generator *g, size_t first)
{
  AutoCSRMatrix csr, there;
  PetscInt      longest = 0;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &csr));
  for (PetscInt i = 0; i < csr.m; i++) longest = PetscMax(longest, csr.row_ptr[i + 1] - csr.row_ptr[i]);
  PetscCall(AutoCSRMatrixCopy(&csr, &emulated, &there));
  for (size_t w = first; w < PETSC_STATIC_ARRAY_LENGTH(widths) && csr.m; w += 2) {
    Dense d = {.columns = widths[w], .ldb = csr.n + 1, .ldc = csr.m + 3};

    if ((double)csr.nnz * d.columns > 1e5) continue;
    PetscCall(PetscMalloc4(1 + d.ldb * d.columns, &d.B, 1 + d.ldc * d.columns, &d.C[0], 1 + d.ldc * d.columns, &d.C[1], 1 + d.ldc * d.columns, &d.C[2]));
    for (PetscInt k = 0; k < 1 + d.ldb * d.columns; k++) d.B[k] = Value(VALUES_MANY, 2, k);
    for (int alongside = 0; alongside < 2; alongside++) {
      for (PetscInt order = 0; order < EMULATOR_ORDERS; order++) PetscCall(Multiply(&there, longest, (PetscBool)alongside, &d, order));
      PetscCall(Check(&csr, &d, g->name));
      PetscCall(CheckSampled(&csr, &there, (PetscBool)alongside, &d, g->name));
    }
    PetscCall(PetscFree4(d.B, d.C[0], d.C[1], d.C[2]));
  }
  PetscCall(AutoCSRMatrixCopyDestroy(&there));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt n = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(generators), all = n + (PetscInt)PETSC_STATIC_ARRAY_LENGTH(more);

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (PetscInt i = 0; i < all; i++) PetscCall(CheckMatrix(i < n ? &generators[i] : &more[i - n], (size_t)i % 2));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Dense products are right, in any order\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:

TEST*/
