/*
  Plans for tests of the private functions: all axes that a block allows, over several divisions of its rows into segments.
*/
#ifndef PLANS_H
#define PLANS_H

#include "../src/mat/impls/autocsr/plan/plan.h"
#include "blocks.h"

static inline void CountSlices(const AutoCSRMatrix *csr, const PetscInt rows[], PetscInt begin, PetscInt end, PetscInt h, PetscInt *padded, PetscInt *slices_16)
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

/* Insertion sort of n rows by falling length within windows */
static inline void SortNamed(const AutoCSRMatrix *csr, PetscInt n, PetscInt window, PetscInt rows[])
{
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt row = rows[k];
    PetscInt       j   = k;

    for (; j > k / window * window && Length(csr, rows[j - 1]) < Length(csr, row); j--) rows[j] = rows[j - 1];
    rows[j] = row;
  }
}

static inline void SortRows(const AutoCSRMatrix *csr, PetscInt begin, PetscInt end, PetscInt window, PetscInt rows[])
{
  for (PetscInt k = begin; k < end; k++) rows[k] = k;
  SortNamed(csr, end - begin, window, rows + begin);
}
/* ---- Plans that use the CSR in place and say where work begins, for divisions of contiguous rows */

static const AutoCSRAxes in_place[] = {
    {.partition = AUTOCSR_PARTITION_NONZEROS, .mapping = AUTOCSR_MAP_TILE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = 8, .tile_height = 16, .tile_steps = 1},
    {.partition = AUTOCSR_PARTITION_NONZEROS, .mapping = AUTOCSR_MAP_MERGE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = 8, .tile_height = 8},
    {.mapping = AUTOCSR_MAP_FETCH, .reduction = AUTOCSR_REDUCE_TREE, .lanes = 4},
    {.mapping = AUTOCSR_MAP_PRODUCTS},
    {.mapping = AUTOCSR_MAP_ROW_BLOCKS, .reduction = AUTOCSR_REDUCE_TREE, .tile_width = 8, .tile_height = 4, .row_limit = 8},
    {.mapping = AUTOCSR_MAP_ROW_BLOCKS, .reduction = AUTOCSR_REDUCE_TREE, .tile_width = 256, .tile_height = 2, .row_limit = 256},
};

/* The same with codes of their own: runs of few entries and of many */
#define CODED_SHAPES 4
#define CODED_WAYS   6
static inline AutoCSRAxes CodedAxes(PetscInt shape, PetscInt way)
{
  static const AutoCSRIndex index[CODED_WAYS] = {AUTOCSR_INDEX_CSR, AUTOCSR_INDEX_CSR, AUTOCSR_INDEX_16, AUTOCSR_INDEX_16, AUTOCSR_INDEX_16, AUTOCSR_INDEX_16};
  static const AutoCSRValue value[CODED_WAYS] = {AUTOCSR_VALUE_DICTIONARY, AUTOCSR_VALUE_FLOAT32, AUTOCSR_VALUE_CSR, AUTOCSR_VALUE_DICTIONARY, AUTOCSR_VALUE_FLOAT32, AUTOCSR_VALUE_CONSTANT};
  static const size_t       at[CODED_SHAPES]  = {0, 1, 4, 5};
  AutoCSRAxes               a                 = in_place[at[shape]];

  a.index        = index[way];
  a.value        = value[way];
  a.slice_height = a.block = a.row_group = 1;
  return a;
}

/* ---- Plans: how the rows are laid out over segments */

typedef enum {
  DIVISION_WHOLE,    /* one contiguous segment */
  DIVISION_THIRDS,   /* three of them, not on borders of slices */
  DIVISION_ODD_EVEN, /* named rows */
  DIVISION_BINS,     /* virtual rows of 10 rows, dealt to three bins */
  DIVISION_EMPTY,    /* empty rows apart, the others named */
  DIVISION_PATTERNS, /* rows in the dictionary of patterns, and the others in place, both named */
  DIVISION_COUNT
} Division;

/* The segment that row (or virtual row) v goes to in divisions that name rows */
static inline PetscInt PartOf(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, Division division, PetscInt v)
{
  switch (division) {
  case DIVISION_BINS:
    return v % 3;
  case DIVISION_EMPTY:
    return !Length(csr, v);
  case DIVISION_PATTERNS:
    return profile->pattern_id[v] == AUTOCSR_NO_PATTERN;
  default:
    return v % 2;
  }
}

/*
  Adds the rows of part `part` as a segment. csr and its profile may be of any backend; host, the same block on the host,
  and its profile say which rows these are.
*/
static inline PetscErrorCode AddNamed(AutoCSRPlan *plan, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRMatrix *host, const AutoCSRProfile *host_profile, const AutoCSRAxes *axes, Division division, PetscInt part)
{
  const PetscInt  U = division == DIVISION_BINS ? 10 : 1, names = (host->m + U - 1) / U;
  AutoCSRAxes     a = *axes;
  AutoCSRSegment *seg;
  PetscInt       *rows, n = 0, n_rows = 0;

  PetscFunctionBeginUser;
  a.row_group = U;
  if (division == DIVISION_EMPTY && part) a = (AutoCSRAxes){.mapping = AUTOCSR_MAP_EMPTY};
  if (division == DIVISION_PATTERNS && part) a = (AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .lanes = 4};
  if (division == DIVISION_BINS) a.partition = AUTOCSR_PARTITION_BIN;
  PetscCall(PetscMalloc1(names, &rows));
  for (PetscInt v = 0; v < names; v++) {
    if (PartOf(host, host_profile, division, v) != part) continue;
    rows[n++] = v;
    n_rows += PetscMin(U, host->m - v * U);
  }
  PetscCall(AutoCSRPlanAddSegment(plan, "test", &a, &seg));
  seg->n_rows = n_rows;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, n));
  PetscCall((*csr->backend->from_host)(seg->stream[AUTOCSR_STREAM_ROWS].data, rows, (size_t)n * sizeof(*rows)));
  PetscCall(PetscFree(rows));
  PetscCall(AutoCSRSegmentSortRows(seg, csr));
  PetscCall(AutoCSRSegmentEncode(seg, csr, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BuildPlan(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRMatrix *host, const AutoCSRProfile *host_profile, const AutoCSRAxes *axes, Division division, AutoCSRPlan **plan)
{
  const PetscInt parts = division == DIVISION_WHOLE ? 1 : (division == DIVISION_THIRDS || division == DIVISION_BINS ? 3 : 2);

  PetscFunctionBeginUser;
  PetscCall(AutoCSRPlanCreate(csr, plan));
  for (PetscInt part = 0; part < parts; part++) {
    AutoCSRSegment *seg;

    if (division != DIVISION_WHOLE && division != DIVISION_THIRDS) {
      PetscCall(AddNamed(*plan, csr, profile, host, host_profile, axes, division, part));
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

/* Do 16 bits hold the columns of each share of so many entries, in so many parts of neighbouring rows? */
static inline PetscErrorCode SharesFit16(const AutoCSRMatrix *csr, PetscInt share, PetscInt parts, PetscBool *fits)
{
  PetscFunctionBeginUser;
  for (PetscInt part = 0; part < parts; part++) {
    const PetscInt begin = csr->row_ptr[csr->m * part / parts], end = csr->row_ptr[csr->m * (part + 1) / parts];

    for (PetscInt p = begin; p < end; p += share) {
      PetscInt lo = csr->col[p], hi = lo;

      for (PetscInt q = p; q < PetscMin(p + share, end); q++) {
        lo = PetscMin(lo, csr->col[q]);
        hi = PetscMax(hi, csr->col[q]);
      }
      if (hi - lo >= 65536) *fits = PETSC_FALSE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Do 16 bits hold the columns of all slices, or shares of entries, of this division? */
static inline PetscErrorCode Fits16(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *axes, Division division, PetscBool *fits)
{
  const PetscInt height = AutoCSRAxesSliceRows(axes);
  PetscInt      *rows, padded, slices_16;

  PetscFunctionBeginUser;
  *fits = PETSC_TRUE;
  if (AutoCSRAxesBaseEntries(axes)) {
    PetscCall(SharesFit16(csr, AutoCSRAxesBaseEntries(axes), division == DIVISION_WHOLE ? 1 : 3, fits));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(csr->m, &rows));
  for (PetscInt part = 0; part < 3; part++) {
    PetscInt n = 0;

    if (division == DIVISION_WHOLE || division == DIVISION_THIRDS) {
      const PetscInt begin = division == DIVISION_WHOLE ? 0 : csr->m * part / 3, end = division == DIVISION_WHOLE ? csr->m : csr->m * (part + 1) / 3;

      SortRows(csr, begin, end, PetscMax(1, axes->sort_window), rows);
      n = end - begin;
      for (PetscInt k = 0; k < n; k++) rows[k] = rows[begin + k];
    } else {
      for (PetscInt i = 0; i < csr->m; i++) {
        if (PartOf(csr, profile, division, i) == part) rows[n++] = i;
      }
      SortNamed(csr, n, PetscMax(1, axes->sort_window), rows);
    }
    CountSlices(csr, rows, 0, n, height, &padded, &slices_16);
    if (slices_16 < (n + height - 1) / height) *fits = PETSC_FALSE;
  }
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Are the rows made of blocks of the size that the axes want, and does the division cut none? */
static inline PetscBool HasBlocks(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *a, Division division)
{
  if (a->block == 1) return PETSC_TRUE;
  if (profile->block_size % a->block || a->order == AUTOCSR_ORDER_SLICED || a->index == AUTOCSR_INDEX_PATTERN) return PETSC_FALSE;
  return (PetscBool)(division == DIVISION_WHOLE || (division == DIVISION_THIRDS && csr->m / 3 % a->block == 0 && csr->m * 2 / 3 % a->block == 0));
}

/* Rows with the same columns at once */
static inline AutoCSRAxes NodesAxes(AutoCSRIndex index)
{
  return (AutoCSRAxes){.index = index, .mapping = AUTOCSR_MAP_NODES, .lanes = 3, .row_group = 1, .block = 1};
}

/* Rows in runs of 1 to 12 with the same columns, of which every seventh run has none: longer ones than a node has */
static inline PetscInt Runs(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt turn = 12 * 13 / 2;
  PetscInt       run = 12 * (i / turn), left = i % turn;

  for (PetscInt length = 1; left >= length; length++, run++) left -= length;
  return run % 7 == 5 ? 0 : Pick(n, run, PetscMax(1, n / (1 + run % 60)), col);
}

/* Block after block */
static inline AutoCSRAxes BlockedAxes(PetscInt b)
{
  return (AutoCSRAxes){.order = AUTOCSR_ORDER_BLOCKED, .index = AUTOCSR_INDEX_32, .value = AUTOCSR_VALUE_COPY, .mapping = AUTOCSR_MAP_VENDOR, .lanes = 1, .slice_height = 1, .block = b, .algorithm = 1};
}

/* Shapes of column tiles: tiles of one row block and of many, rows that parts cut, more tiles than are added at once */
#define TILED_SHAPES 6
static inline AutoCSRAxes TiledAxes(PetscInt shape, AutoCSRValue value, PetscInt lanes)
{
  static const PetscInt shapes[TILED_SHAPES][3] = {
      {65536, 1024, 1000},
      {4096, 8, 1},
      {300, 64, 2},
      {64, 1, 3},
      {33, 512, 1},
      {7, 16, 1}};

  return (AutoCSRAxes){.partition = AUTOCSR_PARTITION_COLUMNS, .order = AUTOCSR_ORDER_TILED, .index = AUTOCSR_INDEX_16, .value = value, .mapping = AUTOCSR_MAP_GROUP, .reduction = AUTOCSR_REDUCE_SEGMENTED, .lanes = lanes, .slice_height = 1, .block = 1, .tile_width = shapes[shape][0], .tile_height = shapes[shape][1], .tile_steps = shapes[shape][2]};
}

/* Shapes of order propagated: one tile and row block of all; row blocks that end after rows, after entries and after either, chunks of one */
#define PROPAGATED_SHAPES 4
static inline AutoCSRAxes PropagatedAxes(PetscInt shape, AutoCSRValue value)
{
  static const PetscInt shapes[PROPAGATED_SHAPES][4] = {
      {8192, 8160, 1000, 1000000},
      {300, 700, 8, 900},
      {33, 512, 3, 3000},
      {2000, 256, 100, 5000}};

  return (AutoCSRAxes){.partition = AUTOCSR_PARTITION_COLUMNS, .order = AUTOCSR_ORDER_PROPAGATED, .index = AUTOCSR_INDEX_16, .value = value, .mapping = AUTOCSR_MAP_GROUP, .reduction = AUTOCSR_REDUCE_SEGMENTED, .lanes = 1, .slice_height = 1, .block = 1, .tile_width = shapes[shape][0], .tile_height = shapes[shape][1], .tile_steps = shapes[shape][2], .row_limit = shapes[shape][3]};
}

/* Shapes of order popular: one tile and row block of all; row blocks that end after rows, after entries, after each row; more tiles than a chunk has places for short rows */
#define POPULAR_SHAPES 4
static inline AutoCSRAxes PopularAxes(PetscInt shape, AutoCSRValue value, PetscInt lanes)
{
  static const PetscInt shapes[POPULAR_SHAPES][4] = {
      {8192, 8160, 1000, 1000000},
      {300, 700, 2, 900},
      {33, 512, 1, 3000},
      {64, 1, 3, 100}};

  return (AutoCSRAxes){.partition = AUTOCSR_PARTITION_COLUMNS, .order = AUTOCSR_ORDER_POPULAR, .index = AUTOCSR_INDEX_16, .value = value, .mapping = AUTOCSR_MAP_GROUP, .reduction = AUTOCSR_REDUCE_SEGMENTED, .lanes = lanes, .slice_height = 1, .block = 1, .tile_width = shapes[shape][0], .tile_height = shapes[shape][1], .tile_steps = shapes[shape][2], .row_limit = shapes[shape][3]};
}

/* Shapes of adaptive tiles: all columns heavy, hardly any; tiles that must be full; row panels of a row, of all rows, of whole strips of dense products */
#define ADAPTIVE_SHAPES 6
static inline AutoCSRAxes AdaptiveAxes(PetscInt shape, AutoCSRValue value)
{
  static const PetscInt shapes[ADAPTIVE_SHAPES][4] = {
      {16,  7,     1,  1 },
      {32,  1,     2,  1 },
      {4,   50,    20, 4 },
      {512, 65536, 2,  16},
      {64,  64,    2,  8 },
      {8,   128,   3,  3 }
  };

  return (AutoCSRAxes){.partition = AUTOCSR_PARTITION_COLUMNS, .order = AUTOCSR_ORDER_ADAPTIVE, .index = AUTOCSR_INDEX_32, .value = value, .mapping = AUTOCSR_MAP_ROW_PANELS, .slice_height = 1, .block = 1, .tile_width = shapes[shape][0], .tile_height = shapes[shape][1], .row_limit = shapes[shape][2], .tile_steps = shapes[shape][3]};
}

static inline AutoCSRAxes BundledAxes(PetscInt rows)
{
  return (AutoCSRAxes){.order = AUTOCSR_ORDER_BUNDLED, .index = AUTOCSR_INDEX_32, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_BUNDLES, .slice_height = rows, .block = 1, .tile_steps = 8 * rows};
}

/* Diagonals of symmetric values, of all rows; slice_height is of no matter there */
static inline AutoCSRAxes DiagonalAxes(AutoCSRValue value)
{
  return (AutoCSRAxes){.order = AUTOCSR_ORDER_DIAGONAL, .index = AUTOCSR_INDEX_PATTERN, .value = value, .mapping = AUTOCSR_MAP_LANES, .lanes = 1, .slice_height = 1, .block = 1};
}

static inline PetscErrorCode IsLegal(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *a, Division division, PetscBool *legal)
{
  const PetscBool sliced = (PetscBool)(a->order == AUTOCSR_ORDER_SLICED), contiguous = (PetscBool)(division == DIVISION_WHOLE || division == DIVISION_THIRDS);
  const PetscBool own_index = (PetscBool)(a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16), own_value = AutoCSRValueIsStored(a->value), apart = (PetscBool)(own_value || a->value == AUTOCSR_VALUE_CONSTANT);
  PetscInt        pattern_rows = 0;

  PetscFunctionBeginUser;
  *legal = PETSC_FALSE;
  for (PetscInt c = 0; c < profile->zones; c++) pattern_rows += profile->zone[c].pattern_rows;
  if (!HasBlocks(csr, profile, a, division)) PetscFunctionReturn(PETSC_SUCCESS);
  if (sliced && (a->index == AUTOCSR_INDEX_CSR || !apart)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sliced && !AutoCSROrderHasTiles(a->order) && (a->sort_window || (!contiguous && (own_index || own_value)))) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->order == AUTOCSR_ORDER_DIAGONAL && (division != DIVISION_WHOLE || !profile->diagonals)) PetscFunctionReturn(PETSC_SUCCESS);
  if ((a->order == AUTOCSR_ORDER_ADAPTIVE || a->order == AUTOCSR_ORDER_BUNDLED) && !contiguous) PetscFunctionReturn(PETSC_SUCCESS);
  if (AutoCSROrderHasTiles(a->order) && (a->index != (a->order == AUTOCSR_ORDER_ADAPTIVE ? AUTOCSR_INDEX_32 : AUTOCSR_INDEX_16) || !apart || (a->order != AUTOCSR_ORDER_ADAPTIVE && csr->n / a->tile_width > 2000))) PetscFunctionReturn(PETSC_SUCCESS);
  if (division == DIVISION_BINS && a->order != AUTOCSR_ORDER_CSR) PetscFunctionReturn(PETSC_SUCCESS);
  if (division == DIVISION_PATTERNS && (a->index != AUTOCSR_INDEX_PATTERN || !profile->pattern_id || pattern_rows == csr->m)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sliced && a->index != AUTOCSR_INDEX_16 && a->slice_height > 1 && a->order != AUTOCSR_ORDER_BUNDLED) PetscFunctionReturn(PETSC_SUCCESS); /* does not matter there */
  if (a->index == AUTOCSR_INDEX_FITTED && (!sliced || a->lanes > 1)) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->value == AUTOCSR_VALUE_PATTERN && (sliced || a->index != AUTOCSR_INDEX_PATTERN || !profile->pattern_values)) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->value == AUTOCSR_VALUE_DICTIONARY && profile->values > AUTOCSR_MAX_DISTINCT) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->value == AUTOCSR_VALUE_CONSTANT && profile->values != 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->value == AUTOCSR_VALUE_FLOAT32 && !profile->float32_exact) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->index == AUTOCSR_INDEX_PATTERN && division != DIVISION_PATTERNS && (!profile->pattern_id || pattern_rows < csr->m)) PetscFunctionReturn(PETSC_SUCCESS);
  *legal = PETSC_TRUE;
  if (a->mapping == AUTOCSR_MAP_NODES)
    *legal = (PetscBool)(a->index == AUTOCSR_INDEX_32 || profile->row_span < 65536);
  else if (a->index == AUTOCSR_INDEX_16 && !AutoCSROrderHasTiles(a->order))
    PetscCall(Fits16(csr, profile, a, division, legal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
