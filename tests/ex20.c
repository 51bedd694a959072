static char help[] = "Generated matrices: each product by each strategy, rigor, coding and binning against plain AIJ, and the same bits again.\n\
  -only <name> : one matrix\n\n";

#include <petscautocsr.h>
#include "compare.h"

/* ---- The matrices: the columns of a row in any order, and kinds of values */

typedef enum {
  VALUES_MANY,
  VALUES_FEW,    /* a minus zero among them */
  VALUES_FLOATS, /* many, each exactly a float32 */
  VALUES_MINUS_ZERO
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
    {"random", 190, 190, Few, VALUES_MANY, ENTRY_OWNER},
    {"random of float32 values", 190, 190, Few, VALUES_FLOATS, ENTRY_COO},
    {"random of few values", 190, 190, Few, VALUES_FEW, ENTRY_STASH},
    {"minus zeros", 100, 100, Few, VALUES_MINUS_ZERO, ENTRY_OWNER},
    {"uneven rows", 230, 230, Uneven, VALUES_MANY, ENTRY_COO},
    {"power law", 260, 260, PowerLaw, VALUES_MANY, ENTRY_STASH},
    {"dense row", 700, 700, DenseRow, VALUES_MANY, ENTRY_OWNER},
    {"dense column", 300, 300, DenseColumn, VALUES_MANY, ENTRY_OWNER},
    {"arrow", 300, 300, Arrow, VALUES_FLOATS, ENTRY_OWNER},
    {"blocks of 3", 180, 180, Blocks, VALUES_MANY, ENTRY_OWNER},
    {"empty rows", 200, 200, EmptyRows, VALUES_MANY, ENTRY_COO},
    {"few rows", 200, 200, FewRows, VALUES_FEW, ENTRY_OWNER},
    {"grid, random and empty", 1500, 1500, Mixed, VALUES_FEW, ENTRY_OWNER},
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
  case VALUES_MINUS_ZERO:
    return Scalar(-0.0, 0);
  default:
    return RandomScalar(i, j);
  }
}

/* ---- Entering them */

#define MAX_NNZ 10000

/* Any rank enters any entry, rows downwards, one place in four once more by the next rank */
static PetscErrorCode MatrixCreate(const Generator *g, MatType type, Mat *A)
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

/* ---- Ways of multiplying */

typedef struct {
  const char           *strategy;
  MatAutoCSRIndexCoding index;
  MatAutoCSRValueCoding value;
  PetscInt              granularity, max_bins;
  MatAutoCSRObjective   objective;
} Way;

static const Way ways[] = {
    {"auto", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"csr", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"segsum", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    /* from here on by the cost model only */
    {"auto", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_MEMORY},
    {"auto", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"auto", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"csr", MAT_AUTOCSR_INDEX_CSR, MAT_AUTOCSR_VALUE_CSR, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"csr", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_CSR, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_COPY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_FLOAT32, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_COPY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"sell", MAT_AUTOCSR_INDEX_16, MAT_AUTOCSR_VALUE_FLOAT32, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_PATTERN, MAT_AUTOCSR_VALUE_CSR, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_PATTERN, MAT_AUTOCSR_VALUE_COPY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_PATTERN, MAT_AUTOCSR_VALUE_DICTIONARY, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"pattern", MAT_AUTOCSR_INDEX_PATTERN, MAT_AUTOCSR_VALUE_FLOAT32, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 10, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 10, 3, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 50, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 1000000, 100, MAT_AUTOCSR_OBJECTIVE_TIME},
    {"binned", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 1, MAT_AUTOCSR_OBJECTIVE_TIME},
};
#define WAYS_AT_EACH_RIGOR 6

/* What was asked for is what multiplies, wherever it applies */
static PetscErrorCode CheckUsed(const Generator *g, const Way *w, MatAutoCSRRigor rigor, Mat B, const char context[])
{
  MatAutoCSRInfo info;
  const char    *want = rigor == MAT_AUTOCSR_RIGOR_NONE ? "segsum" : w->strategy;
  PetscBool      is, some[3], stencil = (PetscBool)(g->row == Grid2 || g->row == Grid3); /* sell and pattern apply to these for sure */
  PetscMPIInt    size;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(B, &info));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscStrcmp(want, "auto", &some[0]));
  PetscCall(PetscStrcmp(want, "sell", &some[1]));
  PetscCall(PetscStrcmp(want, "pattern", &some[2]));
  if (size > 1 || some[0] || ((some[1] || some[2]) && !stencil)) PetscFunctionReturn((PetscErrorCode)0);
  if (w - ways >= WAYS_AT_EACH_RIGOR && !stencil) PetscFunctionReturn((PetscErrorCode)0);
  if (w->value > MAT_AUTOCSR_VALUE_COPY || !info.nnz) PetscFunctionReturn((PetscErrorCode)0);
  PetscCall(PetscStrcmp(want, info.strategy, &is));
  PetscCheck(is, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s is used", context, info.strategy);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* All products by two matrices that were made alike; when timing decides they may be multiplied in different ways */
static PetscErrorCode CompareWay(const Generator *g, const Way *w, MatAutoCSRRigor rigor, const Reference *r, Mat B[2])
{
  char context[256];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s by %s at rigor %s, index %s, value %s, granularity %" PetscInt_FMT ", bins %" PetscInt_FMT, g->name, w->strategy, MatAutoCSRRigors[rigor], MatAutoCSRIndexCodings[w->index], MatAutoCSRValueCodings[w->value], w->granularity, w->max_bins));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatAutoCSRSetRigor(B[k], rigor));
    PetscCall(MatAutoCSRSetStrategy(B[k], w->strategy));
    PetscCall(MatAutoCSRSetIndexCoding(B[k], w->index));
    PetscCall(MatAutoCSRSetValueCoding(B[k], w->value));
    PetscCall(MatAutoCSRSetGranularity(B[k], w->granularity));
    PetscCall(MatAutoCSRSetMaxBins(B[k], w->max_bins));
    PetscCall(MatAutoCSRSetObjective(B[k], w->objective));
  }
  PetscCall(CompareProducts(r, rigor == MAT_AUTOCSR_RIGOR_MEASURE ? 1 : 2, B, context));
  PetscCall(CheckUsed(g, w, rigor, B[0], context));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  char      name[64];
  PetscInt  compared = 0;
  PetscBool only;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-only", name, sizeof(name), &only));
  PetscCall(MatAutoCSRRegisterAll());
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) {
    const Generator *g = &generators[i];
    Reference        r;
    Mat              A, B[2];
    PetscBool        same = PETSC_TRUE;

    if (only) PetscCall(PetscStrcmp(name, g->name, &same));
    if (!same) continue;
    PetscCall(MatrixCreate(g, MATAIJ, &A));
    PetscCall(ReferenceCreate(A, &r));
    for (int k = 0; k < 2; k++) PetscCall(MatrixCreate(g, MATAUTOCSR, &B[k]));
    for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); w++) {
      for (int rigor = MAT_AUTOCSR_RIGOR_NONE; rigor <= MAT_AUTOCSR_RIGOR_MEASURE; rigor++) {
        if (w >= WAYS_AT_EACH_RIGOR && rigor != MAT_AUTOCSR_RIGOR_ESTIMATE) continue;
        PetscCall(CompareWay(g, &ways[w], (MatAutoCSRRigor)rigor, &r, B));
        compared += PRODUCT_COUNT;
      }
    }
    for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&B[k]));
    PetscCall(ReferenceDestroy(&r));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " products agree\n", compared));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/ex20_1.out

    test:
      suffix: 1
      nsize: {{1 2 3 4}}
      args: -mat_autocsr_simd {{auto x86-64}}

    test:
      suffix: avx2
      requires: avx2
      nsize: {{1 3}}
      args: -mat_autocsr_simd avx2

    test:
      suffix: avx512
      requires: avx512
      nsize: {{1 3}}
      args: -mat_autocsr_simd avx512

TEST*/
