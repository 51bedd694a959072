/*
  Generated matrices for tests, with what sparse products trip over, and the ways to enter them. A matrix of any type comes
  out with the same values in the same order of additions.
*/
#ifndef GENERATE_H
#define GENERATE_H

#include "compare.h"

/* ---- The matrices: the columns of a row in any order, and kinds of values */

typedef enum {
  VALUES_MANY,
  VALUES_FEW,    /* a minus zero among them */
  VALUES_FLOATS, /* many, each exactly a float32 */
  VALUES_MINUS_ZERO,
  VALUES_OFFSET,    /* few, by the distance from the diagonal */
  VALUES_SYMMETRIC, /* many, the same on both sides of it */
  VALUES_ONE
} ValueKind;

typedef enum {
  ENTRY_OWNER, /* each rank enters its rows */
  ENTRY_COO,   /* rows of others too, unsorted, some places twice */
  ENTRY_STASH  /* the same by MatSetValues() */
} EntryKind;

typedef struct {
  const char *name;
  PetscInt    m, n;
  PetscInt (*row)(PetscInt m, PetscInt n, PetscInt i, PetscInt col[]); /* returns how many */
  ValueKind values;
  EntryKind entry;
} Generator;

static PetscInt None(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return 0;
}

static PetscInt Grid(PetscInt i, PetscInt nx, PetscInt ny, PetscInt nz, PetscInt col[])
{
  const PetscInt at[3] = {i % nx, i / nx % ny, i / nx / ny}, size[3] = {nx, ny, nz}, stride[3] = {1, nx, nx * ny};
  PetscInt       k = 0;

  col[k++] = i;
  for (int d = 0; d < 3; d++) {
    if (at[d] > 0) col[k++] = i - stride[d];
    if (at[d] < size[d] - 1) col[k++] = i + stride[d];
  }
  return k;
}

static PetscInt Grid2(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Grid(i, 15, m / 15, 1, col);
}

static PetscInt Grid3(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Grid(i, 6, 6, m / 36, col);
}

/* Different columns, scattered; `count` of them at most */
static PetscInt Scatter(PetscInt n, PetscInt i, PetscInt count, PetscInt col[])
{
  PetscInt stride = 1 + 2 * (PetscInt)Random(i, 99, 8), k = 0;

  for (PetscInt j = (PetscInt)Random(i, 98, n); k < PetscMin(count, n); j = (j + stride) % n) {
    PetscBool seen = PETSC_FALSE;

    for (PetscInt l = 0; l < k; l++) seen = (PetscBool)(seen || col[l] == j);
    if (seen) break;
    col[k++] = j;
  }
  return k;
}

static PetscInt Few(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Scatter(n, i, 6 + i % 3, col);
}

static PetscInt Uneven(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Scatter(n, i, (PetscInt)Random(i, 97, 20), col);
}

static PetscInt PowerLaw(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Scatter(n, i, n / (1 + (PetscInt)Random(i, 96, 3 * m)), col);
}

static PetscInt EmptyRows(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i % 3 == 1 ? Few(m, n, i, col) : 0;
}

static PetscInt FewRows(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i % 29 == 5 ? Few(m, n, i, col) : 0;
}

static PetscInt All(PetscInt n, PetscInt col[])
{
  for (PetscInt j = 0; j < n; j++) col[j] = n - 1 - j;
  return n;
}

static PetscInt Full(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return All(n, col);
}

static PetscInt DenseRow(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  col[0] = i;
  return i == m / 3 ? All(n, col) : 1;
}

static PetscInt DenseColumn(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  col[0] = i;
  col[1] = n / 3;
  return i == n / 3 ? 1 : 2;
}

static PetscInt Arrow(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  col[0] = i;
  col[1] = 0;
  return i ? 2 : All(n, col);
}

/* Whose first 4096 rows end amid nonzeros that a device's lane holds, and are followed by rows nearly all empty */
static PetscInt SparseTail(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt length = i < 4096 ? 2 + i % 3 : i % 997 ? 0
                                                         : 2;

  for (PetscInt k = 0; k < length; k++) col[k] = (i + 5 * k) % n;
  return length;
}

static PetscInt Blocks(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt b = i / 3, offset[] = {0, 3, n / 6 * 3};
  PetscInt       k = 0;

  for (int o = 0; o < 3; o++) {
    for (PetscInt j = 0; j < 3 && 3 * b + offset[o] + j < n; j++) col[k++] = 3 * b + offset[o] + j;
  }
  return k;
}

static PetscInt Mixed(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i < m / 2 ? Grid2(m, n, i, col) : i < 3 * m / 4 ? Uneven(m, n, i, col)
                                                         : 0;
}

static const Generator generators[] = {
    {"stencil of few values", 210, 210, Grid2, VALUES_FEW, ENTRY_OWNER},
    {"stencil of many values", 216, 216, Grid3, VALUES_MANY, ENTRY_OWNER},
    {"stencil of constant coefficients", 1440, 1440, Grid3, VALUES_OFFSET, ENTRY_OWNER},
    {"stencil of symmetric values", 1440, 1440, Grid3, VALUES_SYMMETRIC, ENTRY_OWNER},
    {"random", 190, 190, Few, VALUES_MANY, ENTRY_OWNER},
    {"random of float32 values", 190, 190, Few, VALUES_FLOATS, ENTRY_COO},
    {"random of few values", 190, 190, Few, VALUES_FEW, ENTRY_STASH},
    {"minus zeros", 100, 100, Few, VALUES_MINUS_ZERO, ENTRY_OWNER},
    {"uneven rows", 230, 230, Uneven, VALUES_MANY, ENTRY_COO},
    {"uneven rows of one value", 230, 230, Uneven, VALUES_ONE, ENTRY_OWNER},
    {"wide, of one value", 37, 400, Few, VALUES_ONE, ENTRY_OWNER},
    {"power law", 260, 260, PowerLaw, VALUES_MANY, ENTRY_STASH},
    {"dense row", 700, 700, DenseRow, VALUES_MANY, ENTRY_OWNER},
    {"dense column", 300, 300, DenseColumn, VALUES_MANY, ENTRY_OWNER},
    {"arrow", 300, 300, Arrow, VALUES_FLOATS, ENTRY_OWNER},
    {"blocks of 3", 180, 180, Blocks, VALUES_MANY, ENTRY_OWNER},
    {"empty rows", 200, 200, EmptyRows, VALUES_MANY, ENTRY_COO},
    {"few rows", 200, 200, FewRows, VALUES_FEW, ENTRY_OWNER},
    {"grid, random and empty", 1500, 1500, Mixed, VALUES_FEW, ENTRY_OWNER},
    {"nearly empty rows after others", 8200, 50, SparseTail, VALUES_MANY, ENTRY_OWNER},
    {"wide", 37, 400, Few, VALUES_MANY, ENTRY_COO},
    {"tall", 400, 37, Few, VALUES_MANY, ENTRY_STASH},
    {"one column", 90, 1, Full, VALUES_MANY, ENTRY_OWNER},
    {"one row", 1, 900, Full, VALUES_MANY, ENTRY_OWNER},
    {"1 by 1", 1, 1, Full, VALUES_MANY, ENTRY_OWNER},
    {"all rows empty", 50, 50, None, VALUES_MANY, ENTRY_OWNER},
    {"no rows", 0, 7, None, VALUES_MANY, ENTRY_OWNER},
    {"no columns", 7, 0, None, VALUES_MANY, ENTRY_OWNER},
};

static PetscScalar Value(ValueKind kind, PetscInt i, PetscInt j)
{
  const PetscReal few[] = {4, -1, -0.0, 0.1, 1e-3, 0, -2.5}, k = few[Random(i, j, 7)], f = (PetscReal)(Random(i, j, 1 << 20) - (1 << 19)) / 64;

  switch (kind) {
  case VALUES_FEW:
    return Scalar(k, k / 2);
  case VALUES_FLOATS:
    return Scalar(f, -f);
  case VALUES_OFFSET:
    return Value(VALUES_FEW, j - i + 1000, 3);
  case VALUES_SYMMETRIC:
    return RandomScalar(PetscMin(i, j), PetscMax(i, j));
  case VALUES_MINUS_ZERO:
    return Scalar(-0.0, 0);
  case VALUES_ONE:
    return Scalar((PetscReal)0.7, (PetscReal)-0.3);
  default:
    return RandomScalar(i, j);
  }
}

/* ---- Entering them */

#if !defined(MAX_NNZ)
  #define MAX_NNZ 10000
#endif

/* Any rank enters any entry, rows downwards, one place in four once more by the next rank */
static inline PetscErrorCode MatrixCreate(const Generator *g, MatType type, Mat *A)
{
  const PetscBool owner = (PetscBool)(g->entry == ENTRY_OWNER);
  PetscMPIInt     rank, size;
  PetscInt        count = 0, *row, *col, *place, begin, end;
  PetscScalar    *val;
  PetscLayout     layout;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, g->m, g->n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatGetLayouts(*A, &layout, NULL));
  PetscCall(PetscLayoutSetUp(layout));
  PetscCall(PetscLayoutGetRange(layout, &begin, &end));
  PetscCall(PetscMalloc4(2 * MAX_NNZ, &row, 2 * MAX_NNZ, &col, 2 * MAX_NNZ, &val, g->n, &place));
  for (PetscInt i = g->m - 1; i >= 0; i--) {
    const PetscInt n = g->row(g->m, g->n, i, place);

    for (PetscInt k = 0; k < n; k++) {
      const PetscInt j = place[k];

      if (owner ? i >= begin && i < end : (i + j) % size == rank) {
        row[count]   = i;
        col[count]   = j;
        val[count++] = Value(g->values, i, j);
      }
      if (!owner && (i + j + 1) % size == rank && !Random(i, j + 7, 4)) {
        row[count]   = i;
        col[count]   = j;
        val[count++] = 0.25;
      }
    }
    PetscCheck(count + 2 * g->n < 2 * MAX_NNZ, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s has too many entries", g->name);
  }
  if (g->entry == ENTRY_COO) {
    PetscCall(MatSetPreallocationCOO(*A, count, row, col));
    PetscCall(MatSetValuesCOO(*A, val, ADD_VALUES));
  } else {
    PetscCall(MatSetUp(*A));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (PetscInt k = 0; k < count; k++) PetscCall(MatSetValue(*A, row[k], col[k], val[k], ADD_VALUES));
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PetscFree4(row, col, val, place));
  PetscFunctionReturn((PetscErrorCode)0);
}

#endif
