static char help[] = "Profile, encoders, refresh and interpreter on generated matrices and all legal axes, against plain loops over the CSR.\n\n";

#include "../src/mat/impls/autocsr/plan/encode.h"
#include "../src/mat/impls/autocsr/backend.h"

#if defined(PETSC_USE_REAL_SINGLE)
  #define TOLERANCE 1e-5
#else
  #define TOLERANCE 1e-13
#endif

static uint64_t Random(uint64_t a, uint64_t b) /* splitmix64 */
{
  uint64_t z = (a * 1000003 + b + 1) * 0x9E3779B97F4A7C15ull;

  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/* ---- Matrices: the columns of a row, ascending, and a kind of values */

typedef enum {
  VALUES_FEW,    /* 7 distinct ones, 0.1 k, -0.0 among them */
  VALUES_FLOATS, /* many, exactly float32 */
  VALUES_MANY    /* many */
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

  for (PetscInt j = (PetscInt)(Random(i, 0) % sparsity); j < n; j += 1 + (PetscInt)(Random(i, j) % (2 * sparsity))) col[k++] = j;
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
    {"arrow", 290, 290, Arrow, VALUES_MANY},
    {"wide", 11, 66001, RandomRow, VALUES_FEW},
    {"tall", 1500, 7, RandomRow, VALUES_FLOATS},
    {"half stencil", 4096, 4096, Half, VALUES_MANY},
};

static PetscScalar MakeScalar(PetscReal re)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(re, re / 2);
#else
  return re;
#endif
}

static PetscScalar Value(ValueKind kind, PetscInt seed, PetscInt p)
{
  const uint64_t r = Random(1000 + seed, p);

  switch (kind) {
  case VALUES_FEW:
    return r % 7 == 3 ? MakeScalar((PetscReal)-0.0) : MakeScalar(((PetscReal)(r % 7) - 3) * (PetscReal)(0.1 * (1 + seed)));
  case VALUES_FLOATS:
    return MakeScalar(((PetscReal)(r % 8192) - 4000) / 1024);
  default:
    return MakeScalar((PetscReal)(r % 1000003) / 1000003 - (PetscReal)0.5);
  }
}

static PetscErrorCode MatrixCreate(const Generator *g, AutoCSRMatrix *csr)
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
  for (PetscInt p = 0; p < row_ptr[g->m]; p++) val[p] = Value(g->values, 0, p);
  PetscCall(PetscFree(row));
  *csr = (AutoCSRMatrix){.m = g->m, .n = g->n, .nnz = row_ptr[g->m], .row_ptr = row_ptr, .col = col, .val = val, .backend = &AutoCSRBackendHost};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixDestroy(AutoCSRMatrix *csr)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(csr->row_ptr));
  PetscCall(PetscFree2(csr->col, csr->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The profile against plain counts */

static PetscInt Length(const AutoCSRMatrix *csr, PetscInt i)
{
  return csr->row_ptr[i + 1] - csr->row_ptr[i];
}

static PetscBool SameRow(const AutoCSRMatrix *csr, PetscInt a, PetscInt b)
{
  if (Length(csr, a) != Length(csr, b)) return PETSC_FALSE;
  for (PetscInt t = 0; t < Length(csr, a); t++) {
    if (csr->col[csr->row_ptr[a] + t] - a != csr->col[csr->row_ptr[b] + t] - b) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static void CountSlices(const AutoCSRMatrix *csr, const PetscInt rows[], PetscInt begin, PetscInt end, PetscInt h, PetscInt *padded, PetscInt *slices_16)
{
  *padded = *slices_16 = 0;
  for (PetscInt k = begin; k < end; k += h) {
    PetscInt width = 0, lo = csr->n, hi = 0;

    for (PetscInt r = k; r < PetscMin(k + h, end); r++) {
      width = PetscMax(width, Length(csr, rows[r]));
      for (PetscInt p = csr->row_ptr[rows[r]]; p < csr->row_ptr[rows[r] + 1]; p++) {
        lo = PetscMin(lo, csr->col[p]);
        hi = PetscMax(hi, csr->col[p]);
      }
    }
    *padded += h * width;
    *slices_16 += hi - lo < 65536;
  }
}

/* Insertion sort by falling length within windows */
static void SortRows(const AutoCSRMatrix *csr, PetscInt begin, PetscInt end, PetscInt window, PetscInt rows[])
{
  for (PetscInt k = begin; k < end; k++) {
    PetscInt j = k;

    for (; j > begin + (k - begin) / window * window && Length(csr, rows[j - 1]) < Length(csr, k); j--) rows[j] = rows[j - 1];
    rows[j] = k;
  }
}

static PetscErrorCode CheckProfile(const AutoCSRMatrix *csr, const AutoCSRProfile *f)
{
  PetscInt *natural, *sorted, rows = 0, nnz = 0, histogram = 0, empty = 0, bandwidth = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(csr->m, &natural, csr->m, &sorted));
  for (PetscInt i = 0; i < csr->m; i++) natural[i] = i;
  SortRows(csr, 0, csr->m, AUTOCSR_WINDOW, sorted);
  for (PetscInt c = 0; c < f->chunks; c++) {
    const AutoCSRChunk *chunk = &f->chunk[c];
    PetscInt            padded, slices_16, pattern_rows = 0, uniform = 0;

    PetscCheck(chunk->row_begin == rows && (chunk->row_end == csr->m || chunk->row_end % AUTOCSR_WINDOW == 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Rows of chunk %" PetscInt_FMT, c);
    rows = chunk->row_end;
    nnz += chunk->nnz;
    CountSlices(csr, natural, chunk->row_begin, chunk->row_end, f->slice_height, &padded, &slices_16);
    PetscCheck(padded == chunk->padded && slices_16 == chunk->slices_16, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Slices of chunk %" PetscInt_FMT ": %" PetscInt_FMT " padded, %" PetscInt_FMT " in 16 bits", c, chunk->padded, chunk->slices_16);
    CountSlices(csr, sorted, chunk->row_begin, chunk->row_end, f->slice_height, &padded, &slices_16);
    PetscCheck(padded == chunk->padded_sorted && slices_16 == chunk->slices_16_sorted, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Sorted slices of chunk %" PetscInt_FMT ": %" PetscInt_FMT " padded, %" PetscInt_FMT " in 16 bits", c, chunk->padded_sorted, chunk->slices_16_sorted);
    PetscCheck(chunk->gather_lines >= 0 && chunk->gather_lines <= 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Lines of chunk %" PetscInt_FMT ": %g", c, chunk->gather_lines);
    for (PetscInt i = chunk->row_begin; i < chunk->row_end && f->pattern_id; i++) {
      const PetscInt id = f->pattern_id[i];

      PetscCheck(id == AUTOCSR_NO_PATTERN || (id < f->patterns && f->pattern_row[id] <= i && SameRow(csr, i, f->pattern_row[id])), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Pattern of row %" PetscInt_FMT, i);
      pattern_rows += id != AUTOCSR_NO_PATTERN;
      if ((i + 1) % f->slice_height == 0 || i + 1 == chunk->row_end) {
        PetscBool same = PETSC_TRUE;

        for (PetscInt j = i / f->slice_height * f->slice_height; j <= i; j++) same = (PetscBool)(same && f->pattern_id[j] == id);
        uniform += same && id != AUTOCSR_NO_PATTERN;
      }
    }
    PetscCheck(pattern_rows == chunk->pattern_rows && uniform == chunk->uniform_slices, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Patterns of chunk %" PetscInt_FMT, c);
  }
  for (PetscInt b = 0; b < AUTOCSR_HISTOGRAM_BINS; b++) histogram += f->histogram[b];
  for (PetscInt i = 0; i < csr->m; i++) {
    empty += !Length(csr, i);
    for (PetscInt p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++) bandwidth = PetscMax(bandwidth, PetscAbs(csr->col[p] - i));
    PetscCheck(Length(csr, i) >= f->min_length && Length(csr, i) <= f->max_length, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Length of row %" PetscInt_FMT, i);
  }
  PetscCheck(rows == csr->m && nnz == csr->nnz && histogram == csr->m && empty == f->empty_rows && empty == f->histogram[0] && bandwidth == f->bandwidth, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Counts of rows");
  for (PetscInt p = 0; p < f->patterns && f->pattern_id; p++) {
    for (PetscInt q = 0; q < p; q++) PetscCheck(!SameRow(csr, f->pattern_row[p], f->pattern_row[q]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Patterns %" PetscInt_FMT " and %" PetscInt_FMT " are one", q, p);
  }
  for (PetscInt p = 0; p < csr->nnz && f->values <= AUTOCSR_MAX_DISTINCT; p++) {
    PetscInt found = 0;

    for (PetscInt v = 0; v < f->values; v++) found += !memcmp(&csr->val[p], &f->value[v], sizeof(PetscScalar));
    PetscCheck(found == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value %" PetscInt_FMT " is found %" PetscInt_FMT " times", p, found);
  }
  PetscCall(PetscFree2(natural, sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Plans: how the rows are laid out over segments */

typedef enum {
  LAYOUT_WHOLE,    /* one contiguous segment */
  LAYOUT_THIRDS,   /* three of them, not on borders of slices */
  LAYOUT_ODD_EVEN, /* named rows */
  LAYOUT_BINS,     /* virtual rows of 10 rows, dealt to three bins */
  LAYOUT_EMPTY,    /* empty rows apart, the others named */
  LAYOUT_PATTERNS, /* rows in the dictionary of patterns, and the others in place, both named */
  LAYOUT_COUNT
} Layout;

/* The segment that row (or virtual row) v goes to in layouts that name rows */
static PetscInt PartOf(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, Layout layout, PetscInt v)
{
  switch (layout) {
  case LAYOUT_BINS:
    return v % 3;
  case LAYOUT_EMPTY:
    return !Length(csr, v);
  case LAYOUT_PATTERNS:
    return profile->pattern_id[v] == AUTOCSR_NO_PATTERN;
  default:
    return v % 2;
  }
}

/* Adds the rows of part `part` as a segment */
static PetscErrorCode AddNamed(AutoCSRPlan *plan, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *axes, Layout layout, PetscInt part)
{
  const PetscInt  U = layout == LAYOUT_BINS ? 10 : 1, names = (csr->m + U - 1) / U;
  AutoCSRAxes     a = *axes;
  AutoCSRSegment *seg;
  PetscInt       *rows, n = 0;

  PetscFunctionBeginUser;
  a.row_group = U;
  if (layout == LAYOUT_EMPTY && part) a = (AutoCSRAxes){.mapping = AUTOCSR_MAP_EMPTY};
  if (layout == LAYOUT_PATTERNS && part) a = (AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .lanes = 4};
  if (layout == LAYOUT_BINS) a.partition = AUTOCSR_PARTITION_BIN;
  PetscCall(AutoCSRPlanAddSegment(plan, "test", &a, &seg));
  for (int pass = 0; pass < 2; pass++) {
    rows        = (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
    seg->n_rows = n = 0;
    for (PetscInt v = 0; v < names; v++) {
      if (PartOf(csr, profile, layout, v) != part) continue;
      if (pass) rows[n] = v;
      n++;
      seg->n_rows += PetscMin(U, csr->m - v * U);
    }
    if (!pass) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, n));
  }
  PetscCall(AutoCSRSegmentEncode(seg, csr, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BuildPlan(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *axes, Layout layout, AutoCSRPlan **plan)
{
  const PetscInt parts = layout == LAYOUT_WHOLE ? 1 : (layout == LAYOUT_THIRDS || layout == LAYOUT_BINS ? 3 : 2);

  PetscFunctionBeginUser;
  PetscCall(AutoCSRPlanCreate(csr, plan));
  for (PetscInt part = 0; part < parts; part++) {
    AutoCSRSegment *seg;

    if (layout != LAYOUT_WHOLE && layout != LAYOUT_THIRDS) {
      PetscCall(AddNamed(*plan, csr, profile, axes, layout, part));
      continue;
    }
    PetscCall(AutoCSRPlanAddSegment(*plan, "test", axes, &seg));
    seg->row_begin = csr->m * part / parts;
    seg->n_rows    = csr->m * (part + 1) / parts - seg->row_begin;
    PetscCall(AutoCSRSegmentSortRows(seg, csr));
    PetscCall(AutoCSRSegmentEncode(seg, csr, profile));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do 16 bits hold the columns of all slices of this layout? */
static PetscErrorCode Fits16(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *axes, Layout layout, PetscBool *fits)
{
  PetscInt *rows, padded, slices_16;

  PetscFunctionBeginUser;
  *fits = PETSC_TRUE;
  PetscCall(PetscMalloc1(csr->m, &rows));
  for (PetscInt part = 0; part < 3; part++) {
    PetscInt n = 0;

    if (layout == LAYOUT_WHOLE || layout == LAYOUT_THIRDS) {
      const PetscInt begin = layout == LAYOUT_WHOLE ? 0 : csr->m * part / 3, end = layout == LAYOUT_WHOLE ? csr->m : csr->m * (part + 1) / 3;

      SortRows(csr, begin, end, PetscMax(1, axes->sort_window), rows);
      n = end - begin;
      for (PetscInt k = 0; k < n; k++) rows[k] = rows[begin + k];
    } else {
      for (PetscInt i = 0; i < csr->m; i++) {
        if (PartOf(csr, profile, layout, i) == part) rows[n++] = i;
      }
    }
    CountSlices(csr, rows, 0, n, axes->slice_height, &padded, &slices_16);
    if (slices_16 < (n + axes->slice_height - 1) / axes->slice_height) *fits = PETSC_FALSE;
  }
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Products against plain loops */

static PetscBool CloseParts(PetscReal a, PetscReal b, PetscReal bound)
{
  if (PetscIsNanReal(b)) return PetscIsNanReal(a);
  return (PetscBool)(a == b || PetscAbsReal(a - b) <= bound);
}

static PetscBool Close(PetscScalar a, PetscScalar b, PetscReal bound)
{
  return (PetscBool)(CloseParts(PetscRealPart(a), PetscRealPart(b), bound) && CloseParts(PetscImaginaryPart(a), PetscImaginaryPart(b), bound));
}

/* r = A x and scale = |A| |x|, or of A^T or A^H */
static void Reference(const AutoCSRMatrix *csr, PetscBool transpose, PetscBool conjugate, const PetscScalar x[], PetscScalar r[], PetscReal scale[])
{
  for (PetscInt i = 0; i < (transpose ? csr->n : csr->m); i++) r[i] = scale[i] = 0;
  for (PetscInt i = 0; i < csr->m; i++) {
    for (PetscInt p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++) {
      const PetscInt    to = transpose ? csr->col[p] : i, from = transpose ? i : csr->col[p];
      const PetscScalar a = conjugate ? PetscConj(csr->val[p]) : csr->val[p];

      r[to] += a * x[from];
      scale[to] += PetscAbsScalar(a) * PetscAbsScalar(x[from]);
    }
  }
}

static PetscErrorCode CheckProducts(const AutoCSRPlan *plan, const AutoCSRMatrix *csr, const PetscScalar x[], const char *what)
{
  const PetscInt size = PetscMax(csr->m, csr->n);
  PetscScalar   *r, *y, *z;
  PetscReal     *scale;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc4(size, &r, size, &y, size, &z, size, &scale));
  for (int product = 0; product < 3; product++) {
    const PetscBool transpose = (PetscBool)(product > 0), conjugate = (PetscBool)(product > 1);

    Reference(csr, transpose, conjugate, x, r, scale);
    for (int add = 0; add < 3; add++) { /* z NULL, z apart, z is y */
      AutoCSROperands o = {.csr = csr, .x = x, .y = y, .z = add == 0 ? NULL : (add == 1 ? z : y), .conjugate = conjugate};

      for (PetscInt i = 0; i < size; i++) {
        z[i] = Value(VALUES_MANY, 5, i);
        y[i] = add == 2 ? z[i] : MakeScalar(77);
      }
      PetscCall((transpose ? AutoCSRPlanInterpretTranspose : AutoCSRPlanInterpret)(plan, &o));
      for (PetscInt i = 0; i < (transpose ? csr->n : csr->m); i++) {
        const PetscScalar expected = add ? z[i] + r[i] : r[i];

        PetscCheck(Close(y[i], expected, (PetscReal)TOLERANCE * (scale[i] + (add ? 1 : 0))), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: product %d, add %d, entry %" PetscInt_FMT " is %g, not %g", what, product, add, i, (double)PetscRealPart(y[i]), (double)PetscRealPart(expected));
      }
      for (PetscInt i = transpose ? csr->n : csr->m; i < size; i++) PetscCheck(y[i] == (add == 2 ? z[i] : MakeScalar(77)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: product %d writes past its end", what, product);
    }
  }
  PetscCall(PetscFree4(r, y, z, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- One plan through its life */

typedef struct {
  PetscInt plans, refused;
} Counts;

static PetscErrorCode CheckPlan(const Generator *g, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *axes, Layout layout, Counts *counts)
{
  const PetscInt size  = PetscMax(csr->m, csr->n);
  AutoCSRMatrix  other = *csr;
  AutoCSRPlan   *plan;
  PetscScalar   *val, *x;
  PetscBool      fits;
  PetscInt64     own;
  double         moved;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(csr->nnz, &val, size, &x));
  for (PetscInt i = 0; i < size; i++) x[i] = Value(VALUES_MANY, 9, i);
  PetscCall(BuildPlan(csr, profile, axes, layout, &plan));
  PetscCall(AutoCSRPlanCheck(plan, csr));
  PetscCall(CheckProducts(plan, csr, x, "as built"));
  PetscCall(AutoCSRPlanGetBytes(plan, &own, &moved));
  PetscCheck(own > 0 && moved >= (double)csr->m * sizeof(PetscScalar), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A product moves %g bytes", moved);

  /* New values of the same kind */
  other.val = val;
  for (PetscInt p = 0; p < csr->nnz; p++) val[p] = Value(g->values, 1, p);
  PetscCall(AutoCSRPlanRefresh(plan, &other, &fits));
  PetscCheck(fits, PETSC_COMM_SELF, PETSC_ERR_PLIB, "New values of the same kind do not fit");
  PetscCall(AutoCSRPlanCheck(plan, &other));
  PetscCall(CheckProducts(plan, &other, x, "refreshed"));

  /* Infinities and not-a-numbers, in the matrix and in x: padding must not touch them. One bit pattern each, exactly float32 */
  if (csr->nnz) {
    val[0]            = MakeScalar(INFINITY);
    val[csr->nnz / 2] = MakeScalar(-INFINITY);
    val[csr->nnz - 1] = MakeScalar(NAN);
  }
  PetscCall(AutoCSRPlanRefresh(plan, &other, &fits));
  PetscCheck(fits, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Infinities do not fit");
  PetscCall(AutoCSRPlanCheck(plan, &other));
  PetscCall(CheckProducts(plan, &other, x, "infinities in A"));
  if (size) {
    x[0]        = INFINITY;
    x[size / 2] = -INFINITY;
    x[size - 1] = NAN;
  }
  PetscCall(CheckProducts(plan, &other, x, "infinities in x"));
  for (PetscInt p = 0; p < csr->nnz; p++) val[p] = Value(g->values, 0, p);
  PetscCall(AutoCSRPlanRefresh(plan, &other, &fits));
  PetscCall(CheckProducts(plan, csr, x, "infinities in x only"));

  /* Values that the coding cannot hold: the plan stays as it was */
  for (PetscInt p = 0; p < csr->nnz; p++) val[p] = Value(VALUES_MANY, 2, p);
  if (axes->value == AUTOCSR_VALUE_FLOAT32 || axes->value == AUTOCSR_VALUE_DICTIONARY) {
    PetscCall(AutoCSRPlanRefresh(plan, &other, &fits));
    PetscCheck(fits == (axes->value == AUTOCSR_VALUE_FLOAT32 ? !csr->nnz : csr->nnz <= AUTOCSR_MAX_DISTINCT), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Values that do not fit do");
    PetscCall(AutoCSRPlanCheck(plan, fits ? &other : csr));
    counts->refused += !fits;
  }
  counts->plans++;
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(PetscFree2(val, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsLegal(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *a, Layout layout, PetscBool *legal)
{
  const PetscBool sliced = (PetscBool)(a->order == AUTOCSR_ORDER_SLICED), contiguous = (PetscBool)(layout == LAYOUT_WHOLE || layout == LAYOUT_THIRDS);
  const PetscBool own_index = (PetscBool)(a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16), own_value = (PetscBool)(a->value != AUTOCSR_VALUE_CSR);
  PetscInt        pattern_rows = 0;

  PetscFunctionBeginUser;
  *legal = PETSC_FALSE;
  for (PetscInt c = 0; c < profile->chunks; c++) pattern_rows += profile->chunk[c].pattern_rows;
  if (sliced && (a->index == AUTOCSR_INDEX_CSR || !own_value)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sliced && (a->sort_window || (!contiguous && (own_index || own_value)))) PetscFunctionReturn(PETSC_SUCCESS);
  if (!contiguous && a->sort_window) PetscFunctionReturn(PETSC_SUCCESS);
  if (layout == LAYOUT_BINS && sliced) PetscFunctionReturn(PETSC_SUCCESS);
  if (layout == LAYOUT_PATTERNS && (a->index != AUTOCSR_INDEX_PATTERN || !profile->pattern_id || pattern_rows == csr->m)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sliced && a->index != AUTOCSR_INDEX_16 && a->slice_height > 1) PetscFunctionReturn(PETSC_SUCCESS);         /* does not matter there */
  if (csr->m + csr->n > 4000 && a->slice_height != 1 && a->slice_height != 8) PetscFunctionReturn(PETSC_SUCCESS); /* to save time */
  if (a->value == AUTOCSR_VALUE_DICTIONARY && profile->values > AUTOCSR_MAX_DISTINCT) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->value == AUTOCSR_VALUE_FLOAT32 && !profile->float32_exact) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->index == AUTOCSR_INDEX_PATTERN && layout != LAYOUT_PATTERNS && (!profile->pattern_id || pattern_rows < csr->m)) PetscFunctionReturn(PETSC_SUCCESS);
  *legal = PETSC_TRUE;
  if (a->index == AUTOCSR_INDEX_16) PetscCall(Fits16(csr, profile, a, layout, legal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All axes that the profile and the layout allow */
static PetscErrorCode CheckMatrix(const Generator *g)
{
  const PetscInt  heights[] = {1, 4, 8, 32}, windows[] = {0, 16, AUTOCSR_WINDOW};
  AutoCSRMatrix   csr;
  AutoCSRProfile *profile;
  Counts          counts       = {0, 0};
  PetscInt        pattern_rows = 0;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &csr));
  for (int h = 0; h < 4; h++) {
    PetscCall(AutoCSRProfileCreate(&csr, heights[h], &profile));
    PetscCall(CheckProfile(&csr, profile));
    if (h < 3) PetscCall(AutoCSRProfileDestroy(&profile));
  }
  for (PetscInt c = 0; c < profile->chunks; c++) pattern_rows += profile->chunk[c].pattern_rows;
  for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
    for (int code = 0; code < 2 * 4 * 4 * 4 * 3; code++) {
      AutoCSRAxes a = {.order = (AutoCSROrder)(code & 1), .index = (AutoCSRIndex)(code / 2 % 4), .value = (AutoCSRValue)(code / 8 % 4), .slice_height = heights[code / 32 % 4], .sort_window = windows[code / 128], .lanes = 1};
      PetscBool   legal;

      a.mapping = a.order == AUTOCSR_ORDER_SLICED ? AUTOCSR_MAP_SLICE : AUTOCSR_MAP_LANES;
      PetscCall(IsLegal(&csr, profile, &a, (Layout)layout, &legal));
      if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, (Layout)layout, &counts));
    }
  }
  {
    const AutoCSRAxes tile = {.partition = AUTOCSR_PARTITION_NONZEROS, .mapping = AUTOCSR_MAP_TILE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = 8, .tile_height = 16, .tile_steps = 1};

    PetscCall(CheckPlan(g, &csr, profile, &tile, LAYOUT_WHOLE, &counts));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %" PetscInt_FMT " rows of %" PetscInt_FMT " to %" PetscInt_FMT " of %" PetscInt_FMT " nonzeros, block size %" PetscInt_FMT ", ", g->name, csr.m, profile->min_length, profile->max_length, csr.nnz, profile->block_size));
  if (profile->pattern_id)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%" PetscInt_FMT " patterns in %" PetscInt_FMT " rows, ", profile->patterns, pattern_rows));
  else
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "no patterns, "));
  if (profile->values <= AUTOCSR_MAX_DISTINCT)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%" PetscInt_FMT " values", profile->values));
  else
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "many values"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n  %" PetscInt_FMT " plans pass, %" PetscInt_FMT " refuse values that do not fit\n", profile->float32_exact ? ", float32" : "", counts.plans, counts.refused));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A plan with one byte wrong: the check must end with an error */
static PetscErrorCode CheckCorrupted(AutoCSRStreamKind kind)
{
  const Generator   g = {"5-point", 207, 207, Stencil5, VALUES_FEW};
  const AutoCSRAxes a = {.order = AUTOCSR_ORDER_SLICED, .index = kind == AUTOCSR_STREAM_PATTERN_ID || kind == AUTOCSR_STREAM_PATTERN_OFFSET ? AUTOCSR_INDEX_PATTERN : AUTOCSR_INDEX_16, .value = AUTOCSR_VALUE_DICTIONARY, .mapping = AUTOCSR_MAP_SLICE, .slice_height = 8, .sort_window = 32};
  AutoCSRMatrix     csr;
  AutoCSRProfile   *profile;
  AutoCSRPlan      *plan;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(&g, &csr));
  PetscCall(AutoCSRProfileCreate(&csr, 8, &profile));
  PetscCall(BuildPlan(&csr, profile, &a, LAYOUT_WHOLE, &plan));
  ((char *)plan->segment[0].stream[kind].data)[0] ^= 1;
  PetscCall(AutoCSRPlanCheck(plan, &csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  stream;
  PetscBool corrupted;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-corrupt", AutoCSRStreamNames, AUTOCSR_STREAM_COUNT, &stream, &corrupted));
  if (corrupted) PetscCall(CheckCorrupted((AutoCSRStreamKind)stream));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) PetscCall(CheckMatrix(&generators[i]));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    requires: double
    timeoutfactor: 3

  test:
    suffix: corrupt
    requires: double
    args: -petsc_ci_portable_error_output -error_output_stdout -corrupt {{rows slice_ptr base index pattern_id pattern_offset value dictionary}separate output}

TEST*/
