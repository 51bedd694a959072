/*
  Products with dense matrices, and sampled ones, by a backend's functions: against sums. A test that includes this says what
  an order is (DENSE_ORDERS, DenseSetOrder()): the same bits are wanted in each.
*/
#ifndef DENSE_WAYS_H
#define DENSE_WAYS_H

#include "plans.h"

/* How a product is asked for; axes: of adaptive tiles, NULL: those that the backend takes; by_rows: B, or Y, lies by rows; add: to what is in C; infinite: B has an Inf and a NaN here and there, and nothing is sampled */
typedef struct {
  AutoCSRDenseWay    way;
  const AutoCSRAxes *axes;
  const char        *simd;
  PetscBool          by_rows, add, infinite;
} Way;

/* Columns of B and C, and rows of B, begin an entry off the borders of vectors, and are further apart than they are long */
typedef struct {
  PetscInt     columns, ldb, ldc, ld_rows;
  PetscScalar *B, *rows, *C[DENSE_ORDERS];
} Dense;

/* B as a way wants it: where it lies, how long that is, and how far apart columns or rows are */
static const PetscScalar *DenseB(const Dense *d, const Way *way, size_t *bytes, PetscInt *ldb)
{
  *ldb   = way->by_rows ? d->ld_rows : d->ldb;
  *bytes = (size_t)(way->by_rows ? 1 + d->ld_rows * (d->ldb - 1) : 1 + d->ldb * d->columns) * sizeof(PetscScalar);
  return way->by_rows ? d->rows : d->B;
}

/* What stays from product to product, with tiles of a shape that is asked for */
static PetscErrorCode KeptCreate(const AutoCSRMatrix *csr, const Way *way, AutoCSRDense **kept)
{
  AutoCSRSegment *seg;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRDenseCreate(csr->backend, kept));
  if (!way->axes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRPlanCreate(csr, &(*kept)->tiles));
  PetscCall(AutoCSRPlanAddSegment((*kept)->tiles, "adaptive", way->axes, &seg));
  seg->n_rows = csr->m;
  PetscCall(AutoCSRSegmentEncode(seg, csr, NULL));
  PetscCall(AutoCSRPlanCheck((*kept)->tiles, csr));
  (*kept)->current = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Multiply(const AutoCSRMatrix *csr, PetscInt longest, const Way *way, Dense *d, PetscInt order)
{
  const AutoCSRBackend *backend = csr->backend;
  const size_t          c_bytes = (size_t)(1 + d->ldc * d->columns) * sizeof(PetscScalar);
  size_t                b_bytes;
  PetscInt              ldb;
  const PetscScalar    *from = DenseB(d, way, &b_bytes, &ldb);
  AutoCSRDense         *kept;
  PetscScalar          *B, *C;
  PetscBool             done;

  PetscFunctionBeginUser;
  DenseSetOrder(order);
  PetscCall((*backend->allocate)(b_bytes, (void **)&B));
  PetscCall((*backend->allocate)(c_bytes, (void **)&C));
  PetscCall((*backend->from_host)(B, from, b_bytes));
  for (PetscInt k = 0; k < 1 + d->ldc * d->columns; k++) d->C[order][k] = 77;
  PetscCall((*backend->from_host)(C, d->C[order], c_bytes));
  PetscCall(KeptCreate(csr, way, &kept));
  for (int times = 0; times < (order || way->add ? 1 : 2); times++) {
    const AutoCSRDenseOperands op = {.csr = csr, .columns = d->columns, .by_rows = way->by_rows, .add = way->add, .few = (PetscBool)(way->by_rows || way->add || d->columns < 8), .ldb = ldb, .ldc = d->ldc, .B = B + 1, .C = C + 1, .longest = longest, .way = way->way, .simd = way->simd};

    PetscCall((*backend->mult_dense)(kept, &op, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " columns are refused", d->columns);
  }
  PetscCall((*backend->to_host)(d->C[order], C, c_bytes));
  PetscCall(AutoCSRDenseDestroy(&kept));
  PetscCall((*backend->deallocate)(B));
  PetscCall((*backend->deallocate)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const AutoCSRMatrix *csr, const Dense *d, const Way *way, const char name[])
{
  const PetscReal epsilon = 100 * PETSC_MACHINE_EPSILON;

  PetscFunctionBeginUser;
  for (int order = 1; order < DENSE_ORDERS; order++) PetscCheck(!memcmp(d->C[0], d->C[order], (size_t)(1 + d->ldc * d->columns) * sizeof(PetscScalar)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %" PetscInt_FMT " columns: other bits in another order", name, d->columns);
  PetscCheck(d->C[0][0] == (PetscScalar)77, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: what is before C was written", name);
  for (PetscInt j = 0; j < d->columns; j++) {
    const PetscScalar *b = d->B + 1 + j * d->ldb, *c = d->C[0] + 1 + j * d->ldc;

    for (PetscInt i = 0; i < d->ldc; i++) {
      PetscScalar sum   = i < csr->m && !way->add ? 0 : 77;
      PetscReal   bound = PetscAbsScalar(sum);

      for (PetscInt p = i < csr->m ? csr->row_ptr[i] : 0; i < csr->m && p < csr->row_ptr[i + 1]; p++) {
        sum += csr->val[p] * b[csr->col[p]];
        bound += PetscAbsScalar(csr->val[p]) * PetscAbsScalar(b[csr->col[p]]);
      }
      PetscCheck(PetscIsInfOrNanScalar(sum) ? PetscIsInfOrNanScalar(c[i]) : PetscAbsScalar(c[i] - sum) <= epsilon * bound, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %" PetscInt_FMT " columns: entry (%" PetscInt_FMT ", %" PetscInt_FMT ") is off by %g", name, d->columns, i, j, (double)PetscAbsScalar(c[i] - sum));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* val = A .* (X B^T) */
static PetscErrorCode Sample(const AutoCSRMatrix *csr, const PetscScalar X[], const Way *way, const Dense *d, PetscInt order, PetscScalar val[])
{
  const AutoCSRBackend *backend = csr->backend;
  const size_t          x_bytes = (size_t)(1 + d->ldc * d->columns) * sizeof(PetscScalar), bytes = (size_t)(csr->nnz + 2) * sizeof(PetscScalar);
  size_t                b_bytes;
  PetscInt              ldb;
  const PetscScalar    *from = DenseB(d, way, &b_bytes, &ldb);
  AutoCSRDense         *kept;
  PetscScalar          *B, *x, *v;

  PetscFunctionBeginUser;
  DenseSetOrder(order);
  PetscCall((*backend->allocate)(b_bytes, (void **)&B));
  PetscCall((*backend->allocate)(x_bytes, (void **)&x));
  PetscCall((*backend->allocate)(bytes, (void **)&v));
  PetscCall((*backend->from_host)(B, from, b_bytes));
  PetscCall((*backend->from_host)(x, X, x_bytes));
  for (PetscInt q = 0; q < csr->nnz + 2; q++) val[q] = 77;
  PetscCall((*backend->from_host)(v, val, bytes));
  PetscCall(KeptCreate(csr, way, &kept));
  {
    const AutoCSRSampledOperands op = {.csr = csr, .columns = d->columns, .ldx = d->ldc, .by_rows = way->by_rows, .ldy = ldb, .way = way->way, .X = x + 1, .Y = B + 1, .val = v + 1, .simd = way->simd};

    PetscCall((*backend->sample_dense)(kept, &op));
  }
  PetscCall((*backend->to_host)(val, v, bytes));
  PetscCall(AutoCSRDenseDestroy(&kept));
  PetscCall((*backend->deallocate)(B));
  PetscCall((*backend->deallocate)(x));
  PetscCall((*backend->deallocate)(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckSampled(const AutoCSRMatrix *csr, const AutoCSRMatrix *there, const Way *way, const Dense *d, const char name[])
{
  PetscScalar *X, *val[3]; /* of the first order and the last */

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc4(1 + d->ldc * d->columns, &X, csr->nnz + 2, &val[0], csr->nnz + 2, &val[1], csr->nnz + 2, &val[2]));
  for (PetscInt k = 0; k < 1 + d->ldc * d->columns; k++) X[k] = Value(VALUES_MANY, 3, k);
  for (PetscInt order = 0; order < DENSE_ORDERS; order += 2) {
    PetscCall(Sample(there, X, way, d, order, val[order]));
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

/* B as every way has it, and the same by rows; infinite: some rows have an Inf, which PETSC_INFINITY is not, or a NaN */
static void FillB(PetscInt n, Dense *d, PetscBool infinite)
{
  for (PetscInt k = 0; k < 1 + d->ldb * d->columns; k++) d->B[k] = Value(VALUES_MANY, 2, k);
  for (PetscInt i = 3; i < n && infinite && d->columns; i += 7) d->B[1 + i + i % d->columns * d->ldb] = i % 2 ? (PetscReal)INFINITY : (PetscReal)nan("");
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < d->columns; j++) d->rows[1 + i * d->ld_rows + j] = d->B[1 + i + j * d->ldb];
  }
}

/* Columns of one width, by each way */
static PetscErrorCode CheckWays(const AutoCSRMatrix *csr, const AutoCSRMatrix *there, PetscInt columns, size_t n, const Way ways[], const char name[])
{
  Dense    d       = {.columns = columns, .ldb = csr->n + 1, .ldc = csr->m + 3, .ld_rows = columns + 2};
  PetscInt longest = 0;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < csr->m; i++) longest = PetscMax(longest, csr->row_ptr[i + 1] - csr->row_ptr[i]);
  PetscCall(PetscMalloc1(1 + d.ldb * d.columns, &d.B));
  for (PetscInt order = 0; order < DENSE_ORDERS; order++) PetscCall(PetscMalloc1(1 + d.ldc * d.columns, &d.C[order]));
  PetscCall(PetscMalloc1(1 + d.ld_rows * csr->n, &d.rows));
  for (PetscInt k = 0; k < 1 + d.ld_rows * csr->n; k++) d.rows[k] = 55;
  for (size_t w = 0; w < n; w++) {
    FillB(csr->n, &d, ways[w].infinite);
    for (PetscInt order = 0; order < DENSE_ORDERS; order++) PetscCall(Multiply(there, longest, &ways[w], &d, order));
    PetscCall(Check(csr, &d, &ways[w], name));
    if (!ways[w].infinite) PetscCall(CheckSampled(csr, there, &ways[w], &d, name));
  }
  for (PetscInt order = 0; order < DENSE_ORDERS; order++) PetscCall(PetscFree(d.C[order]));
  PetscCall(PetscFree(d.B));
  PetscCall(PetscFree(d.rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
