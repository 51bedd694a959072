static char help[] = "Profile, encoders, refresh and interpreter on generated matrices and all legal axes, against plain loops over the CSR.\n\n";

#include "../plans.h"
#include "../../src/mat/impls/autocsr/layout/layout.h"
#include <fenv.h>

/* ---- The profile against plain counts */

static PetscBool SameRow(const AutoCSRMatrix *csr, PetscInt a, PetscInt b)
{
  if (Length(csr, a) != Length(csr, b)) return PETSC_FALSE;
  for (PetscInt t = 0; t < Length(csr, a); t++) {
    if (csr->col[csr->row_ptr[a] + t] - a != csr->col[csr->row_ptr[b] + t] - b) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscErrorCode CheckProfile(const AutoCSRMatrix *csr, const AutoCSRProfile *f)
{
  PetscInt  *natural, *sorted, rows = 0, nnz = 0, histogram = 0, empty = 0, bandwidth = 0;
  PetscInt64 steps = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(csr->m, &natural, csr->m, &sorted));
  for (PetscInt i = 0; i < csr->m; i++) natural[i] = i;
  for (PetscInt c = 0; c < f->zones; c++) SortRows(csr, f->zone[c].row_begin, f->zone[c].row_end, f->window, sorted);
  for (PetscInt c = 0; c < f->zones; c++) {
    const AutoCSRZone *zone = &f->zone[c];
    PetscInt           padded, slices_16, pattern_rows = 0, uniform = 0;

    PetscCheck(zone->row_begin == rows && (zone->row_end == csr->m || zone->row_end % AUTOCSR_WINDOW == 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Rows of zone %" PetscInt_FMT, c);
    rows = zone->row_end;
    nnz += zone->nnz;
    CountSlices(csr, natural, zone->row_begin, zone->row_end, f->slice_height, &padded, &slices_16);
    PetscCheck(padded == zone->padded && slices_16 == zone->slices_16, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Slices of zone %" PetscInt_FMT ": %" PetscInt_FMT " padded, %" PetscInt_FMT " in 16 bits", c, zone->padded, zone->slices_16);
    CountSlices(csr, sorted, zone->row_begin, zone->row_end, f->slice_height, &padded, &slices_16);
    PetscCheck(padded == zone->padded_sorted && slices_16 == zone->slices_16_sorted, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Sorted slices of zone %" PetscInt_FMT ": %" PetscInt_FMT " padded, %" PetscInt_FMT " in 16 bits", c, zone->padded_sorted, zone->slices_16_sorted);
    PetscCheck(zone->gather_lines >= 0 && zone->gather_lines <= 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Lines of zone %" PetscInt_FMT ": %g", c, zone->gather_lines);
    for (PetscInt i = zone->row_begin; i < zone->row_end && f->pattern_id; i++) {
      const PetscInt id = f->pattern_id[i];

      PetscCheck(id == AUTOCSR_NO_PATTERN || (id < f->patterns && f->pattern_row[id] <= i && SameRow(csr, i, f->pattern_row[id])), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Pattern of row %" PetscInt_FMT, i);
      pattern_rows += id != AUTOCSR_NO_PATTERN;
      if ((i + 1) % f->slice_height == 0 || i + 1 == zone->row_end) {
        PetscBool same = PETSC_TRUE;

        for (PetscInt j = i / f->slice_height * f->slice_height; j <= i; j++) same = (PetscBool)(same && f->pattern_id[j] == id);
        uniform += same && id != AUTOCSR_NO_PATTERN;
      }
    }
    PetscCheck(pattern_rows == zone->pattern_rows && uniform == zone->uniform_slices, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Patterns of zone %" PetscInt_FMT, c);
  }
  for (PetscInt b = 0; b < AUTOCSR_HISTOGRAM_BINS; b++) {
    PetscInt entries = 0;

    for (PetscInt i = 0; i < csr->m; i++) entries += Length(csr, i) >> b == 0 && (b == 0 || Length(csr, i) >> (b - 1)) ? Length(csr, i) : 0;
    PetscCheck(entries == f->histogram_nnz[b], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Nonzeros of rows in bin %" PetscInt_FMT, b);
    histogram += f->histogram[b];
  }
  for (PetscInt i = 0; i < csr->m; i++) {
    empty += !Length(csr, i);
    for (PetscInt p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++) bandwidth = PetscMax(bandwidth, PetscAbs(csr->col[p] - i));
    for (PetscInt p = csr->row_ptr[i] + 1; p < csr->row_ptr[i + 1]; p++) {
      if (csr->col[p] > csr->col[p - 1]) steps += PetscMin(csr->col[p] - csr->col[p - 1], f->tile_width);
    }
    PetscCheck(Length(csr, i) >= f->min_length && Length(csr, i) <= f->max_length, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Length of row %" PetscInt_FMT, i);
  }
  PetscCheck(rows == csr->m && nnz == csr->nnz && histogram == csr->m && empty == f->empty_rows && empty == f->histogram[0] && bandwidth == f->bandwidth, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Counts of rows");
  PetscCheck(f->tile_width > 0 && steps == f->tile_steps, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Steps of %" PetscInt64_FMT " columns, not %" PetscInt64_FMT, f->tile_steps, steps);
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

/* Runs of rows with the same columns, in zones */
static PetscErrorCode CheckNodes(const AutoCSRMatrix *csr, const AutoCSRProfile *f)
{
  PetscInt span  = 0;
  PetscInt64 spans = 0;

  PetscFunctionBeginUser;
  for (PetscInt c = 0; c < f->zones; c++) {
    PetscInt nodes = 0, entries = 0, rows = 0; /* of the node */

    for (PetscInt i = f->zone[c].row_begin; i < f->zone[c].row_end; i++) {
      PetscBool same = (PetscBool)(i > f->zone[c].row_begin && rows < AUTOCSR_NODE_ROWS && Length(csr, i) == Length(csr, i - 1));

      for (PetscInt t = 0; t < Length(csr, i); t++) {
        same = (PetscBool)(same && csr->col[csr->row_ptr[i] + t] == csr->col[csr->row_ptr[i - 1] + t]);
        span = PetscMax(span, csr->col[csr->row_ptr[i] + t] - csr->col[csr->row_ptr[i]]);
      }
      rows = same ? rows + 1 : 1;
      nodes += !same;
      entries += same ? 0 : Length(csr, i);
    }
    if (4 * nodes > 3 * (f->zone[c].row_end - f->zone[c].row_begin) && f->zone[c].nodes != nodes) { /* a sample has shown few */
      nodes   = f->zone[c].row_end - f->zone[c].row_begin;
      entries = f->zone[c].nnz;
    }
    PetscCheck(nodes == f->zone[c].nodes && entries == f->zone[c].node_entries, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Zone %" PetscInt_FMT " has %" PetscInt_FMT " nodes of %" PetscInt_FMT " entries, not %" PetscInt_FMT " of %" PetscInt_FMT, c, f->zone[c].nodes, f->zone[c].node_entries, nodes, entries);
  }
  PetscCheck(span == f->row_span, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Rows span %" PetscInt_FMT " columns, not %" PetscInt_FMT, f->row_span, span);
  for (PetscInt i = 0; i < csr->m; i++) {
    if (Length(csr, i)) spans += csr->col[csr->row_ptr[i + 1] - 1] - csr->col[csr->row_ptr[i]] + 1;
  }
  PetscCheck(spans == f->spans, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Rows span %" PetscInt64_FMT " columns in all, not %" PetscInt64_FMT, f->spans, spans);
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

/* PETSC_FALSE: each call with a large matrix checks a third of the nine products, by turns; -all asks for each product */
static PetscBool each_product;

static PetscErrorCode CheckProducts(const AutoCSRPlan *plan, const AutoCSRMatrix *csr, const PetscScalar x[], const char *what)
{
  const PetscBool each = (PetscBool)(each_product || csr->nnz < 2000);
  const PetscInt  size = PetscMax(csr->m, csr->n);
  static int      turn;
  PetscScalar    *r, *y, *z;
  PetscReal      *scale;

  PetscFunctionBeginUser;
  turn++;
  PetscCall(PetscMalloc4(size, &r, size, &y, size, &z, size, &scale));
  for (int product = 0; product < 3; product++) {
    const PetscBool transpose = (PetscBool)(product > 0), conjugate = (PetscBool)(product > 1);

    Reference(csr, transpose, conjugate, x, r, scale);
    for (int add = 0; add < 3; add++) { /* z NULL, z apart, z is y */
      AutoCSROperands o = {.csr = csr, .x = x, .y = y, .z = add == 0 ? NULL : (add == 1 ? z : y), .conjugate = conjugate};

      if (!each && (product + add + turn) % 3) continue;
      for (PetscInt i = 0; i < size; i++) {
        z[i] = Value(VALUES_MANY, 5, i);
        y[i] = add == 2 ? z[i] : RealScalar(77);
      }
      PetscCall((transpose ? AutoCSRPlanInterpretTranspose : AutoCSRPlanInterpret)(plan, &o));
      for (PetscInt i = 0; i < (transpose ? csr->n : csr->m); i++) {
        const PetscScalar expected = add ? z[i] + r[i] : r[i];

        PetscCheck(Close(y[i], expected, (PetscReal)TOLERANCE * (scale[i] + (add ? 1 : 0))), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: product %d, add %d, entry %" PetscInt_FMT " is %g, not %g", what, product, add, i, (double)PetscRealPart(y[i]), (double)PetscRealPart(expected));
      }
      for (PetscInt i = transpose ? csr->n : csr->m; i < size; i++) PetscCheck(y[i] == (add == 2 ? z[i] : RealScalar(77)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: product %d writes past its end", what, product);
    }
  }
  PetscCall(PetscFree4(r, y, z, scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- One plan through its life */

typedef struct {
  PetscInt plans, refused;
} Counts;

static PetscErrorCode CheckPlan(const Generator *g, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *axes, Division division, Counts *counts)
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
  PetscCall(BuildPlan(csr, profile, csr, profile, axes, division, &plan));
  PetscCall(AutoCSRPlanCheck(plan, csr));
  PetscCall(CheckProducts(plan, csr, x, "as built"));
  PetscCall(AutoCSRPlanGetBytes(plan, &own, &moved));
  PetscCheck(own > 0 && moved >= (double)csr->m * sizeof(PetscScalar), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A product moves %g bytes", moved);

  /* New values of the same kind */
  other.val = val;
  FillValues(csr, g->values, 1, val);
  PetscCall(AutoCSRPlanRefresh(plan, &other, &fits));
  PetscCheck(fits, PETSC_COMM_SELF, PETSC_ERR_PLIB, "New values of the same kind do not fit");
  PetscCall(AutoCSRPlanCheck(plan, &other));
  PetscCall(CheckProducts(plan, &other, x, "refreshed"));

  /* Infinities and not-a-numbers, in the matrix and in x: padding must not touch them. One bit pattern each, exactly float32 */
  if (csr->nnz) {
    PutValue(csr, g->values, 0, RealScalar(INFINITY), val);
    PutValue(csr, g->values, csr->nnz / 2, RealScalar(-INFINITY), val);
    PutValue(csr, g->values, csr->nnz - 1, RealScalar(NAN), val);
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
  FillValues(csr, g->values, 0, val);
  PetscCall(AutoCSRPlanRefresh(plan, &other, &fits));
  PetscCall(CheckProducts(plan, csr, x, "infinities in x only"));

  /* Values that the coding cannot hold: the plan stays as it was */
  FillValues(csr, VALUES_MANY, 2, val);
  if (axes->order == AUTOCSR_ORDER_DIAGONAL || (axes->value != AUTOCSR_VALUE_CSR && axes->value != AUTOCSR_VALUE_COPY)) {
    PetscCall(AutoCSRPlanRefresh(plan, &other, &fits));
    PetscCheck(axes->order == AUTOCSR_ORDER_DIAGONAL ? !fits : axes->value == AUTOCSR_VALUE_PATTERN /* each row may have a pattern of its own */ || fits == (axes->value == AUTOCSR_VALUE_FLOAT32 ? !csr->nnz : csr->nnz <= AutoCSRValueDictionary(axes->value)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Values that do not fit do");
    PetscCall(AutoCSRPlanCheck(plan, fits ? &other : csr));
    counts->refused += !fits;
  }
  counts->plans++;
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(PetscFree2(val, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What values in another order than the CSR's may be coded as: 0 to 3 */
static AutoCSRValue ApartValue(int k)
{
  return k ? (AutoCSRValue)k : AUTOCSR_VALUE_CONSTANT;
}

/* All axes that the profile and the division allow */
static PetscErrorCode CheckMatrix(const Generator *g)
{
  const PetscInt  heights[] = {1, 4, 8, 32}, windows[] = {0, 16, AUTOCSR_WINDOW_LOW};
  AutoCSRMatrix   csr;
  AutoCSRProfile *profile;
  Counts          counts = {0, 0}, tiled = {0, 0}, propagated = {0, 0}, popular = {0, 0}, adaptive = {0, 0}, bundled = {0, 0}, nodes = {0, 0}, coded = {0, 0};
  PetscInt        pattern_rows = 0;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &csr));
  for (int h = 0; h < 4; h++) {
    PetscCall(AutoCSRProfileCreate(&csr, heights[h], &profile));
    PetscCall(CheckProfile(&csr, profile));
    PetscCall(CheckNodes(&csr, profile));
    if (h < 3) PetscCall(AutoCSRProfileDestroy(&profile));
  }
  for (PetscInt c = 0; c < profile->zones; c++) pattern_rows += profile->zone[c].pattern_rows;
  for (int division = 0; division < DIVISION_COUNT; division++) {
    for (int code = 0; code < 2 * 5 * 6 * 4 * 3; code++) {
      AutoCSRAxes a = {.order = (AutoCSROrder)(code & 1), .index = (AutoCSRIndex)(code / 2 % 5), .value = (AutoCSRValue)(code / 10 % 6), .slice_height = heights[code / 60 % 4], .sort_window = windows[code / 240], .lanes = 1};
      PetscBool   legal;

      a.mapping = a.order == AUTOCSR_ORDER_SLICED ? AUTOCSR_MAP_SLICE : AUTOCSR_MAP_LANES;
      if (csr.m + csr.n > 4000 && a.slice_height != 1 && a.slice_height != 8) continue; /* to save time */
      for (a.block = 1; a.block <= profile->block_size; a.block++) {
        PetscCall(IsLegal(&csr, profile, &a, (Division)division, &legal));
        if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, (Division)division, &counts));
      }
    }
  }
  for (int code = 0; code < DIVISION_COUNT * 4 * TILED_SHAPES; code++) {
    const int         shape  = code / 4 % TILED_SHAPES;
    const Division      division = (Division)(code / (4 * TILED_SHAPES));
    const AutoCSRAxes a      = TiledAxes(shape, ApartValue(code % 4), (shape + division) % 2 ? 32 : 1);
    PetscBool         legal;

    if (csr.n / a.tile_width * (double)csr.nnz > 1e4 || (division && shape % 3 != division % 3)) continue; /* decoding an entry goes through the tiles */
    PetscCall(IsLegal(&csr, profile, &a, division, &legal));
    if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, division, &tiled));
  }
  for (int code = 0; code < DIVISION_COUNT * 4 * PROPAGATED_SHAPES; code++) {
    const Division      division = (Division)(code / (4 * PROPAGATED_SHAPES));
    const AutoCSRAxes a      = PropagatedAxes(code / 4 % PROPAGATED_SHAPES, ApartValue(code % 4));
    PetscBool         legal;

    if (division && (code / 4 + division) % 3) continue;
    PetscCall(IsLegal(&csr, profile, &a, division, &legal));
    if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, division, &propagated));
  }
  for (int code = 0; code < DIVISION_COUNT * 4 * POPULAR_SHAPES; code++) {
    const int         shape  = code / 4 % POPULAR_SHAPES;
    const Division      division = (Division)(code / (4 * POPULAR_SHAPES));
    const AutoCSRAxes a      = PopularAxes(shape, ApartValue(code % 4), (shape + division) % 2 ? 32 : 1);
    PetscBool         legal;

    if (csr.n / a.tile_width * (double)csr.nnz > 1e5 || (division && (shape + division) % 3)) continue; /* decoding an entry goes through the pieces of its row */
    PetscCall(IsLegal(&csr, profile, &a, division, &legal));
    if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, division, &popular));
  }
  for (int code = 0; code < DIVISION_COUNT * 4 * ADAPTIVE_SHAPES; code++) {
    const Division      division = (Division)(code / (4 * ADAPTIVE_SHAPES));
    const AutoCSRAxes a      = AdaptiveAxes(code / 4 % ADAPTIVE_SHAPES, ApartValue(code % 4));
    PetscBool         legal;

    PetscCall(IsLegal(&csr, profile, &a, division, &legal));
    if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, division, &adaptive));
  }
  for (int code = 0; code < 4 * 2; code++) {
    const PetscInt    rows[] = {1, 2, 4, 8};
    const AutoCSRAxes a      = BundledAxes(rows[code % 4]);
    PetscBool         legal;

    PetscCall(IsLegal(&csr, profile, &a, (Division)(code / 4), &legal));
    if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, (Division)(code / 4), &bundled));
  }
  for (int code = 0; code < 2 * 4 * 4 * 2 * 2; code++) { /* several lanes a row (SELL-P), or all rows as long as the longest (ELL) */
    const PetscInt lanes[] = {1, 2, 8, 32};
    const Division   division  = code & 1 ? DIVISION_ODD_EVEN : DIVISION_THIRDS;
    AutoCSRAxes    a       = {.block = 1, .order = AUTOCSR_ORDER_SLICED, .index = code & 32 ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32, .value = ApartValue(code / 2 % 4), .mapping = AUTOCSR_MAP_SLICE, .lanes = lanes[code / 8 % 4], .sort_window = code & 64 ? 16 : 0};
    PetscBool      legal;

    a.slice_height = 32 / a.lanes;
    if (a.lanes == 1) a.width = PetscMax(profile->max_length, 1);
    PetscCall(IsLegal(&csr, profile, &a, division, &legal));
    if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, division, &counts));
  }
  for (PetscInt b = 2; b <= profile->block_size; b++) {
    const AutoCSRAxes a = BlockedAxes(b);

    for (int division = DIVISION_WHOLE; division <= DIVISION_THIRDS; division++) {
      PetscBool legal;

      PetscCall(IsLegal(&csr, profile, &a, (Division)division, &legal));
      if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, (Division)division, &counts));
    }
  }
  for (int value = AUTOCSR_VALUE_COPY; value <= AUTOCSR_VALUE_FLOAT32 && g->values == VALUES_SYMMETRIC; value++) { /* which other kinds of values do not stay when they change */
    const AutoCSRAxes a = DiagonalAxes((AutoCSRValue)value);
    PetscBool         legal;

    PetscCheck(profile->diagonals, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: not known to be symmetric", g->name);
    PetscCall(IsLegal(&csr, profile, &a, DIVISION_WHOLE, &legal));
    if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, DIVISION_WHOLE, &counts));
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(in_place); i++) {
    PetscCall(CheckPlan(g, &csr, profile, &in_place[i], DIVISION_WHOLE, &counts));
    PetscCall(CheckPlan(g, &csr, profile, &in_place[i], DIVISION_THIRDS, &counts));
  }
  for (int code = 0; code < CODED_WAYS * CODED_SHAPES * 2; code++) {
    const AutoCSRAxes a        = CodedAxes(code / 2 % CODED_SHAPES, code / 2 / CODED_SHAPES);
    const Division    division = code % 2 ? DIVISION_THIRDS : DIVISION_WHOLE;
    PetscBool         legal;

    PetscCall(IsLegal(&csr, profile, &a, division, &legal));
    if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, division, &coded));
  }
  for (int division = DIVISION_WHOLE; division <= DIVISION_THIRDS; division++) {
    for (int index = AUTOCSR_INDEX_32; index <= AUTOCSR_INDEX_16; index++) {
      const AutoCSRAxes a = NodesAxes((AutoCSRIndex)index);
      PetscBool         legal;

      PetscCall(IsLegal(&csr, profile, &a, (Division)division, &legal));
      if (legal) PetscCall(CheckPlan(g, &csr, profile, &a, (Division)division, &nodes));
    }
  }
  PetscCheck(tiled.plans > 0 && propagated.plans > 0 && popular.plans > 0 && adaptive.plans > 0 && bundled.plans > 0 && nodes.plans > 0 && (coded.plans > 0 || csr.n > 65536), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: no plan of column tiles, of nodes or of coded rows", g->name);
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

/* As a device makes it when values are new */
static PetscErrorCode AddValuePlaces(const AutoCSRMatrix *csr, AutoCSRSegment *seg)
{
  const PetscInt slots = (PetscInt)(seg->stream[AUTOCSR_STREAM_VALUE].bytes / AutoCSRStreamElementSize(&seg->axes, AUTOCSR_STREAM_VALUE));
  PetscInt      *place;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE_PLACE, slots));
  place = (PetscInt *)seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data;
  for (PetscInt slot = 0; slot < slots; slot++) place[slot] = -1;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    for (PetscInt t = 0; t < AutoCSRSegmentRowLength(seg, csr, k); t++) place[(*AutoCSRLayoutOf(&seg->axes)->slot)(seg, csr, k, t)] = csr->row_ptr[AutoCSRSegmentRow(seg, k)] + t;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A plan with one byte wrong: the check must end with an error */
static PetscErrorCode CheckCorrupted(AutoCSRStreamKind kind)
{
  const PetscBool   blocks = (PetscBool)(kind == AUTOCSR_STREAM_BLOCK_PTR);
  const PetscBool   places = (PetscBool)(kind == AUTOCSR_STREAM_PATTERN_PLACE), nodes = (PetscBool)(kind == AUTOCSR_STREAM_NODE);
  const Generator   g     = {"5-point", 207, 207, blocks || nodes ? Blocks3 : Stencil5, places ? VALUES_SYMMETRIC : VALUES_FEW};
  const AutoCSRAxes tiled = TiledAxes(3, AUTOCSR_VALUE_COPY, 32), propagated = PropagatedAxes(1, AUTOCSR_VALUE_COPY), popular = PopularAxes(1, AUTOCSR_VALUE_COPY, 32), adaptive = AdaptiveAxes(0, AUTOCSR_VALUE_COPY), bundled = BundledAxes(4), blocked = BlockedAxes(3), diagonal = DiagonalAxes(AUTOCSR_VALUE_COPY), of_nodes = NodesAxes(AUTOCSR_INDEX_16);
  const AutoCSRAxes sliced = {.order = AUTOCSR_ORDER_SLICED, .index = kind == AUTOCSR_STREAM_PATTERN_ID || kind == AUTOCSR_STREAM_PATTERN_OFFSET || kind == AUTOCSR_STREAM_PATTERN_ROOT ? AUTOCSR_INDEX_PATTERN : kind == AUTOCSR_STREAM_FIT ? AUTOCSR_INDEX_FITTED
                                                                                                                                                                                                                                             : AUTOCSR_INDEX_16,
                              .value        = AUTOCSR_VALUE_DICTIONARY,
                              .mapping      = AUTOCSR_MAP_SLICE,
                              .slice_height = 8,
                              .sort_window  = 32};
  AutoCSRMatrix     csr;
  AutoCSRProfile   *profile;
  AutoCSRPlan      *plan;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(&g, &csr));
  PetscCall(AutoCSRProfileCreate(&csr, 8, &profile));
  PetscCall(BuildPlan(&csr, profile, &csr, profile, blocks ? &blocked : places                                                       ? &diagonal
                                                                    : nodes                                                          ? &of_nodes
                                                                    : kind == AUTOCSR_STREAM_COLUMN                                  ? &popular
                                                                    : kind == AUTOCSR_STREAM_MASK || kind == AUTOCSR_STREAM_BUNDLE_PART ? &bundled
                                                                    : kind >= AUTOCSR_STREAM_PANEL_PTR && kind <= AUTOCSR_STREAM_MAP ? &adaptive
                                                                    : kind >= AUTOCSR_STREAM_BLOCK_ROW                               ? &propagated
                                                                    : kind >= AUTOCSR_STREAM_ITEM                                    ? &tiled
                                                                                                                                     : &sliced,
                      DIVISION_WHOLE, &plan));
  if (kind == AUTOCSR_STREAM_VALUE_PLACE) {
    PetscCall(AddValuePlaces(&csr, &plan->segment[0]));
    PetscCall(AutoCSRPlanCheck(plan, &csr));
  }
  ((char *)plan->segment[0].stream[kind].data)[0] ^= 1;
  PetscCall(AutoCSRPlanCheck(plan, &csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One value that is another than all others is found wherever it is: most are not among the sample by which a matrix of one value is guessed */
static PetscErrorCode CheckOddValue(void)
{
  const Generator   g = {"one value", 207, 207, Stencil5, VALUES_ONE};
  AutoCSRMatrix     csr;
  AutoCSRDictionary found;
  PetscBool         float32_exact;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(&g, &csr));
  for (PetscInt p = 0; p <= csr.nnz; p++) { /* none at last */
    PetscScalar *val = (PetscScalar *)csr.val, one = val[0];

    if (p < csr.nnz) val[p] = 0.5;
    PetscCall(AutoCSRValuesExamine(&csr, &found, &float32_exact));
    PetscCheck(found.n == (p < csr.nnz ? 2 : 1) && !float32_exact, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " values where entry %" PetscInt_FMT " of %" PetscInt_FMT " differs", found.n, p, csr.nnz);
    if (p < csr.nnz) val[p] = one;
  }
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A value past any float is no float32, and to find that out is no overflow: a program may trap these (-fp_trap) */
static PetscErrorCode CheckLargeValue(void)
{
  const Generator   g = {"a large value", 207, 207, Stencil5, VALUES_ONE};
  AutoCSRMatrix     csr;
  AutoCSRDictionary found;
  PetscBool         float32_exact;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(&g, &csr));
  for (PetscInt p = 0; p < csr.nnz; p++) ((PetscScalar *)csr.val)[p] = p;
  ((PetscScalar *)csr.val)[csr.nnz / 2] = PETSC_MAX_REAL;
  feclearexcept(FE_ALL_EXCEPT);
  PetscCall(AutoCSRValuesExamine(&csr, &found, &float32_exact));
  PetscCheck(!fetestexcept(FE_OVERFLOW | FE_INVALID), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A look at large values overflows");
  PetscCheck(float32_exact == PetscDefined(USE_REAL_SINGLE), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The largest value %s for a float32", float32_exact ? "is taken" : "is not taken");
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  stream, part = 0, parts = 1;
  PetscBool corrupted;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-corrupt", AutoCSRStreamNames, AUTOCSR_STREAM_COUNT, &stream, &corrupted));
  if (corrupted) PetscCall(CheckCorrupted((AutoCSRStreamKind)stream));
  PetscCall(CheckOddValue());
  PetscCall(CheckLargeValue());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-part", &part, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-parts", &parts, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-all", &each_product));
  for (size_t i = part; i < PETSC_STATIC_ARRAY_LENGTH(generators); i += parts) PetscCall(CheckMatrix(&generators[i]));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    requires: double
    args: -parts 4 -part {{0 1 2 3}separate output}
    timeoutfactor: 3

  test:
    suffix: small
    requires: double
    args: -parts 40 -part {{6 10}separate output}

  test:
    suffix: corrupt
    requires: double
    args: -petsc_ci_portable_error_output -error_output_stdout -corrupt {{rows length slice_ptr base index pattern_id pattern_offset pattern_root fit value dictionary item end piece_ptr piece_row run_ptr block_ptr pattern_place block_row chunk_ptr part_ptr part code_ptr code column node panel_ptr tile_row_ptr map mask bundle_part value_place}separate output}
    filter: sed -E "s/of [0-9]+ slots/of N slots/"

TEST*/
