/*
  Generated CSR blocks for tests of the private functions: what profiles, encoders and executors may trip over.
*/
#ifndef BLOCKS_H
#define BLOCKS_H

#include "../src/mat/impls/autocsr/backend.h"
#include "numbers.h"

/* ---- Matrices: the columns of a row, ascending, and a kind of values */

typedef enum {
  VALUES_FEW,       /* 7 distinct ones, 0.1 k, -0.0 among them */
  VALUES_FLOATS,    /* many, exactly float32 */
  VALUES_MANY,      /* many */
  VALUES_OFFSET,    /* few, by the entry's distance from the diagonal */
  VALUES_ROW,       /* few, by that and the length of the row */
  VALUES_SYMMETRIC, /* many, exactly float32, the same on both sides of the diagonal */
  VALUES_ONE        /* all the same, no float32 */
} ValueKind;

typedef struct {
  const char *name;
  PetscInt    m, n;
  PetscInt (*row)(PetscInt m, PetscInt n, PetscInt i, PetscInt col[]); /* returns how many */
  ValueKind values;
} Generator;

static PetscInt None(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return 0;
}

static PetscInt Diagonal(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  col[0] = i;
  return 1;
}

static PetscInt Star(PetscInt n, PetscInt i, PetscInt nx, PetscInt ny, PetscInt nz, PetscInt reach, PetscInt col[])
{
  PetscInt x = i % nx, y = i / nx % ny, z = i / nx / ny, k = 0;

  for (PetscInt dz = -1; dz <= 1; dz++) {
    for (PetscInt dy = -1; dy <= 1; dy++) {
      for (PetscInt dx = -1; dx <= 1; dx++) {
        if (PetscAbs(dx) + PetscAbs(dy) + PetscAbs(dz) > reach) continue;
        if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny || z + dz < 0 || z + dz >= nz) continue;
        col[k++] = i + dx + nx * (dy + ny * dz);
      }
    }
  }
  return k;
}

static PetscInt Stencil5(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Star(n, i, 23, m / 23, 1, 1, col);
}

static PetscInt Stencil7(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Star(n, i, 9, 8, m / 72, 1, col);
}

static PetscInt Stencil27(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Star(n, i, 9, 8, m / 72, 3, col);
}

/* About one in `sparsity` columns */
static PetscInt Pick(PetscInt n, PetscInt i, PetscInt sparsity, PetscInt col[])
{
  PetscInt k = 0;

  for (PetscInt j = (PetscInt)(Random64(i, 0) % sparsity); j < n; j += 1 + (PetscInt)(Random64(i, j) % (2 * sparsity))) col[k++] = j;
  return k;
}

static PetscInt RandomRow(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Pick(n, i, n / 8 + 1, col);
}

static PetscInt DenseRow(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  if (i != m / 3) return Diagonal(m, n, i, col);
  for (PetscInt j = 0; j < n; j++) col[j] = j;
  return n;
}

static PetscInt DenseColumn(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  col[0] = PetscMin(i, n / 2);
  col[1] = PetscMax(i, n / 2);
  return 1 + (i != n / 2);
}

static PetscInt EmptyRows(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i % 3 == 1 && i > 20 ? RandomRow(m, n, i, col) : 0;
}

static PetscInt Blocks3(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt block[64], k = 0, blocks = Stencil5(m / 3, n / 3, i / 3, block);

  for (PetscInt b = 0; b < blocks; b++) {
    for (PetscInt j = 0; j < 3; j++) col[k++] = 3 * block[b] + j;
  }
  return k;
}

/* Blocks of n / 10 rows and columns, some block rows empty */
static PetscInt BlocksOfTenth(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt b = n / 10;
  PetscInt       block[64], k = 0, blocks = i / b % 4 == 2 ? 0 : Pick(10, i / b, 2, block);

  for (PetscInt l = 0; l < blocks; l++) {
    for (PetscInt j = 0; j < b; j++) col[k++] = b * block[l] + j;
  }
  return k;
}

static PetscInt Full(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt j = 0; j < n; j++) col[j] = j;
  return n;
}

static PetscInt Arrow(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  if (i == 0) return DenseRow(0, n, 0, col);
  col[0] = 0;
  col[1] = i;
  return 2;
}

static PetscInt Half(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i < m / 2 ? Star(n, i, 32, m / 64, 1, 1, col) : RandomRow(m, n, i, col);
}

static const Generator generators[] = {
    {"0 by 0", 0, 0, None, VALUES_FEW},
    {"0 by 5", 0, 5, None, VALUES_FEW},
    {"5 by 0", 5, 0, None, VALUES_FEW},
    {"1 by 1", 1, 1, Diagonal, VALUES_MANY},
    {"1 by 1, empty", 1, 1, None, VALUES_FEW},
    {"diagonal", 101, 101, Diagonal, VALUES_FLOATS},
    {"5-point, constant", 437, 437, Stencil5, VALUES_FEW},
    {"5-point, variable", 437, 437, Stencil5, VALUES_MANY},
    {"7-point, float32", 504, 504, Stencil7, VALUES_FLOATS},
    {"27-point, constant", 504, 504, Stencil27, VALUES_FEW},
    {"random", 333, 333, RandomRow, VALUES_MANY},
    {"random, few values", 333, 333, RandomRow, VALUES_FEW},
    {"one dense row", 300, 300, DenseRow, VALUES_MANY},
    {"one dense column", 300, 300, DenseColumn, VALUES_FLOATS},
    {"empty rows", 259, 259, EmptyRows, VALUES_FEW},
    {"all rows empty", 40, 9, None, VALUES_FEW},
    {"3 by 3 blocks", 1035, 1035, Blocks3, VALUES_FLOATS},
    {"5 by 5 blocks", 345, 50, BlocksOfTenth, VALUES_FEW},
    {"7 by 7 blocks", 147, 70, BlocksOfTenth, VALUES_MANY},
    {"6 by 6 blocks", 558, 60, BlocksOfTenth, VALUES_FLOATS},
    {"full", 24, 3000, Full, VALUES_MANY},
    {"arrow", 290, 290, Arrow, VALUES_MANY},
    {"wide", 11, 66001, RandomRow, VALUES_FEW},
    {"tall", 1500, 7, RandomRow, VALUES_FLOATS},
    {"half stencil", 4096, 4096, Half, VALUES_MANY},
    {"5-point, values by offset", 1311, 1311, Stencil5, VALUES_OFFSET},
    {"7-point, values by row", 504, 504, Stencil7, VALUES_ROW},
    {"27-point, values by offset", 504, 504, Stencil27, VALUES_OFFSET},
    {"5-point, symmetric", 1311, 1311, Stencil5, VALUES_SYMMETRIC},
    {"27-point, symmetric", 504, 504, Stencil27, VALUES_SYMMETRIC},
    {"random, one value", 333, 333, RandomRow, VALUES_ONE},
    {"5-point, one value", 437, 437, Stencil5, VALUES_ONE},
    {"empty rows, one value", 259, 259, EmptyRows, VALUES_ONE},
    {"wide, one value", 11, 66001, RandomRow, VALUES_ONE},
};

/* With an imaginary part that goes with it */
static inline PetscScalar RealScalar(PetscReal re)
{
  return Scalar(re, re / 2);
}

static inline PetscScalar Value(ValueKind kind, PetscInt seed, PetscInt p)
{
  const uint64_t r = Random64(1000 + seed, p);

  switch (kind) {
  case VALUES_FEW:
    return r % 7 == 3 ? RealScalar((PetscReal)-0.0) : RealScalar(((PetscReal)(r % 7) - 3) * (PetscReal)(0.1 * (1 + seed)));
  case VALUES_FLOATS:
  case VALUES_SYMMETRIC:
    return RealScalar(((PetscReal)(r % 8192) - 4000) / 1024);
  case VALUES_ONE:
    return RealScalar((PetscReal)0.7 + seed);
  default:
    return RealScalar((PetscReal)(r % 1000003) / 1000003 - (PetscReal)0.5);
  }
}

/* Values for the entries of a matrix */
static inline void FillValues(const AutoCSRMatrix *csr, ValueKind kind, PetscInt seed, PetscScalar val[])
{
  for (PetscInt i = 0; i < csr->m; i++) {
    for (PetscInt p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++) {
      const PetscInt offset = csr->n + csr->col[p] - i, length = csr->row_ptr[i + 1] - csr->row_ptr[i];

      if (kind == VALUES_SYMMETRIC)
        val[p] = Value(kind, seed, (PetscInt)(((PetscInt64)PetscMin(i, csr->col[p]) * csr->n + PetscMax(i, csr->col[p])) % PETSC_MAX_INT));
      else
        val[p] = kind == VALUES_OFFSET || kind == VALUES_ROW ? Value(VALUES_FEW, seed, kind == VALUES_ROW ? offset + 101 * length : offset) : Value(kind, seed, p);
    }
  }
}

/* Puts a value in place of entry `place`, and of all that must be alike for the kind's sake */
static inline void PutValue(const AutoCSRMatrix *csr, ValueKind kind, PetscInt place, PetscScalar v, PetscScalar val[])
{
  PetscInt row = 0;

  val[place] = v;
  for (PetscInt p = 0; p < csr->nnz && kind == VALUES_ONE; p++) val[p] = v;
  if (kind != VALUES_OFFSET && kind != VALUES_ROW && kind != VALUES_SYMMETRIC) return;
  while (csr->row_ptr[row + 1] <= place) row++;
  if (kind == VALUES_SYMMETRIC) {
    for (PetscInt p = csr->row_ptr[csr->col[place]]; p < csr->row_ptr[csr->col[place] + 1]; p++) {
      if (csr->col[p] == row) val[p] = v;
    }
    return;
  }
  for (PetscInt i = 0; i < csr->m; i++) {
    if (kind == VALUES_ROW && csr->row_ptr[i + 1] - csr->row_ptr[i] != csr->row_ptr[row + 1] - csr->row_ptr[row]) continue;
    for (PetscInt p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++) {
      if (csr->col[p] - i == csr->col[place] - row) val[p] = v;
    }
  }
}

static inline PetscErrorCode MatrixCreate(const Generator *g, AutoCSRMatrix *csr)
{
  PetscInt    *row_ptr, *col, *row;
  PetscScalar *val;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(g->n + 64, &row));
  PetscCall(PetscMalloc1(g->m + 1, &row_ptr));
  row_ptr[0] = 0;
  for (PetscInt i = 0; i < g->m; i++) row_ptr[i + 1] = row_ptr[i] + g->row(g->m, g->n, i, row);
  PetscCall(PetscMalloc2(row_ptr[g->m], &col, row_ptr[g->m], &val));
  for (PetscInt i = 0; i < g->m; i++) (void)g->row(g->m, g->n, i, col + row_ptr[i]);
  *csr = (AutoCSRMatrix){.m = g->m, .n = g->n, .nnz = row_ptr[g->m], .row_ptr = row_ptr, .col = col, .backend = &AutoCSRBackendHost};
  FillValues(csr, g->values, 0, val);
  PetscCall(PetscFree(row));
  *csr = (AutoCSRMatrix){.m = g->m, .n = g->n, .nnz = row_ptr[g->m], .row_ptr = row_ptr, .col = col, .val = val, .backend = &AutoCSRBackendHost};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode MatrixDestroy(AutoCSRMatrix *csr)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(csr->row_ptr));
  PetscCall(PetscFree2(csr->col, csr->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}
static inline PetscInt Length(const AutoCSRMatrix *csr, PetscInt i)
{
  return csr->row_ptr[i + 1] - csr->row_ptr[i];
}

#endif
