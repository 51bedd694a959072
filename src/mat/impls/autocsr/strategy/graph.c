/*
  graph: what an operator graph says (du2022-alphasparse, IV; graph/graph.h), leaf by leaf. The one strategy that knows others: a leaf whose layout only one
  of them can make is made by that, by the variant that has the leaf's axes.
    variants  the graph of the settings, with the numbers that it leaves out
    cost      of rows in place and of slices by the profile of their rows, of other leaves by their strategy's
    build     the rows of each leaf are named by their range, length or bin, and encoded by the leaf's axes
*/
#include "preset.h"
#include "../graph/graph.h"

extern const AutoCSRStrategy AutoCSRStrategy_graph;

typedef struct {
  AutoCSRLeaf            leaf;
  AutoCSRProblem         problem;         /* of its range of rows */
  const AutoCSRStrategy *owner;           /* NULL: this one makes the leaf by itself */
  AutoCSRSettings        settings;        /* with which the owner is asked */
  PetscInt               rows, nnz, names; /* names: of rows or virtual rows in ROWS; 0: rows lie side by side */
} Part;

typedef struct {
  PetscInt         n;
  Part             part[AUTOCSR_MAX_LEAVES];
  AutoCSRDivision *division; /* of entries into near and far ones; NULL: there is none */
  AutoCSRProblem   divided[2];
} Parts;

static PetscErrorCode free_parts(Parts **parts)
{
  PetscFunctionBegin;
  if (*parts) PetscCall(AutoCSRDivisionDestroy(&(*parts)->division));
  PetscCall(PetscFree(*parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The problems of near and of far entries */
static PetscErrorCode divide(const AutoCSRProblem *problem, PetscInt reach, Parts *parts)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDivisionCreate(problem->csr, reach, &parts->division));
  for (int k = 0; k < 2; k++) {
    AutoCSRProblem *p = &parts->divided[k];

    *p         = *problem;
    p->csr     = &parts->division->part[k];
    p->profile = parts->division->profile[k];
    p->counted = NULL; /* its counts are of all entries */
    AutoCSRProblemSetZones(p, 0, p->profile->zones);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_divided(const AutoCSRRowSet *rows)
{
  return (PetscBool)(rows->row_group || rows->shortest > 0 || rows->longest < PETSC_MAX_INT);
}

/* The problem of the leaf's range. Between the ends of zones the profile's counts are those of the zones around, by the share of rows */
static PetscErrorCode set_range(const AutoCSRProblem *problem, Part *part)
{
  AutoCSRRowSet        *rows    = &part->leaf.rows;
  AutoCSRProblem       *p       = &part->problem;
  const AutoCSRProfile *profile = problem->profile;
  PetscInt              begin = 0, end = profile->zones, ends[2];
  double                share;

  PetscFunctionBegin;
  *p        = *problem;
  rows->end = PetscMin(rows->end, problem->csr->m);
  while (begin + 1 < end && profile->zone[begin].row_end <= rows->begin) begin++;
  while (end > begin + 1 && profile->zone[end - 1].row_begin >= rows->end) end--;
  AutoCSRProblemSetZones(p, begin, end);
  if (p->row_begin == rows->begin && p->row_end == rows->end) PetscFunctionReturn(PETSC_SUCCESS);
  share        = (double)(rows->end - rows->begin) / PetscMax(1, p->row_end - p->row_begin);
  p->row_begin = rows->begin;
  p->row_end   = rows->end;
  PetscCall((*problem->csr->backend->to_host)(&ends[0], problem->csr->row_ptr + rows->begin, sizeof(ends[0])));
  PetscCall((*problem->csr->backend->to_host)(&ends[1], problem->csr->row_ptr + rows->end, sizeof(ends[1])));
  p->range.rows = rows->end - rows->begin;
  p->range.nnz  = ends[1] - ends[0];
  p->range.padded *= share;
  p->range.padded_sorted *= share;
  p->range.nodes *= share;
  p->range.node_entries *= share;
  p->range.empty_rows     = (PetscInt)(p->range.empty_rows * share);
  p->range.pattern_rows   = PetscMin(p->range.pattern_rows, p->range.rows);
  p->range.uniform_slices = (PetscInt)(p->range.uniform_slices * share);
  p->range.slices         = (PetscInt)(p->range.slices * share) + 1;
  p->range.slices_16 = p->range.slices_16_sorted = 0; /* slices that begin elsewhere may be wider */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes the counts of an earlier candidate if the problem keeps them, else counts */
static PetscErrorCode count_bins(const AutoCSRProblem *p, PetscInt begin, PetscInt end, PetscInt U, PetscInt bins, AutoCSRBins *bin)
{
  AutoCSRCountedBins *counted = p->counted;
  AutoCSRMatrix       range   = *p->csr;

  PetscFunctionBegin;
  for (PetscInt k = 0; counted && k < PetscMin(counted->n, AUTOCSR_COUNTED_BINS); k++) {
    if (counted->of[k].begin != begin || counted->of[k].end != end || counted->of[k].U != U || counted->of[k].bins != bins) continue;
    *bin = counted->of[k].bin;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  range.row_ptr += begin;
  range.m = end - begin;
  PetscCall((*range.backend->count_bins)(&range, U, bins, bin));
  if (counted) counted->of[counted->n++ % AUTOCSR_COUNTED_BINS] = (AutoCSRBinsOf){begin, end, U, bins, *bin};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and nonzeros of the leaf. Numbers of entries up to AUTOCSR_MAX_BINS - 2 are counted one by one, larger ones by the profile's histogram */
static PetscErrorCode count_rows(Part *part, PetscBool *counted, const char **why)
{
  const AutoCSRRowSet  *rows    = &part->leaf.rows;
  const AutoCSRProblem *p       = &part->problem;
  const PetscBool       all     = (PetscBool)(rows->begin == 0 && rows->end == p->csr->m);
  const PetscInt        U       = rows->row_group ? rows->row_group : 1, bins = rows->row_group ? rows->bins : AUTOCSR_MAX_BINS, last = bins - 1;
  AutoCSRBins           bin;

  PetscFunctionBegin;
  *counted = PETSC_TRUE;
  if (!is_divided(rows)) {
    part->rows = rows->end - rows->begin;
    part->nnz  = (PetscInt)p->range.nnz;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *why     = "bins of virtual rows are of all rows";
  *counted = (PetscBool)(all || !rows->row_group);
  if (!*counted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(count_bins(p, rows->begin, rows->end, U, bins, &bin));
  for (PetscInt b = 0; b < bins; b++) {
    if (rows->row_group ? !AutoCSRRowSetHasBin(rows, b) : b < rows->shortest || b > rows->longest) continue;
    if (!rows->row_group && b == last && (rows->shortest > last || rows->longest < PETSC_MAX_INT)) continue; /* some of the rows of the last bin */
    part->rows += bin.rows[b];
    part->nnz += bin.nnz[b];
    part->names += bin.count[b];
  }
  if (rows->row_group || rows->longest < last || (rows->longest == PETSC_MAX_INT && rows->shortest <= last)) PetscFunctionReturn(PETSC_SUCCESS);
  /* Rows of `last` entries or more, down or up to a power of two */
  *why     = "from 99 entries on, bins of rows begin and end with powers of two, and are of all rows";
  *counted = all;
  for (PetscInt h = 0, first = 0; h < AUTOCSR_HISTOGRAM_BINS && *counted; h++) {
    const PetscInt most = h < AUTOCSR_HISTOGRAM_BINS - 1 ? ((PetscInt)1 << h) - 1 : PETSC_MAX_INT;

    if (first >= rows->shortest && most <= rows->longest && most >= last) {
      PetscInt more = p->profile->histogram[h], more_nnz = p->profile->histogram_nnz[h];

      for (PetscInt b = PetscMax(first, rows->shortest); b < last && first <= b && b <= most; b++) { /* counted above */
        more -= bin.rows[b];
        more_nnz -= bin.nnz[b];
      }
      part->rows += more;
      part->names += more;
      part->nnz += more_nnz;
    } else if (most >= last && first <= rows->longest && most >= rows->shortest)
      *counted = PETSC_FALSE;
    first = most < PETSC_MAX_INT ? most + 1 : most;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What one variant of another strategy says alone: tiles, items, patterns, nodes, blocks of rows */
static PetscBool is_simple(const AutoCSRAxes *a)
{
  if (a->block > 1) return PETSC_FALSE;
  if (a->mapping == AUTOCSR_MAP_EMPTY) return PETSC_TRUE;
  if (a->order == AUTOCSR_ORDER_SLICED) return (PetscBool)(a->mapping == AUTOCSR_MAP_SLICE && !a->width && a->index != AUTOCSR_INDEX_PATTERN);
  return (PetscBool)(a->order == AUTOCSR_ORDER_CSR && a->mapping == AUTOCSR_MAP_LANES && a->index == AUTOCSR_INDEX_CSR && (a->value == AUTOCSR_VALUE_CSR || a->value == AUTOCSR_VALUE_CONSTANT));
}

/* Numbers whose every value some executor may run: these may differ from the owner's */
static PetscBool is_free(const AutoCSRAxes *a)
{
  return (PetscBool)(a->mapping == AUTOCSR_MAP_TILE || a->mapping == AUTOCSR_MAP_MERGE || a->mapping == AUTOCSR_MAP_ROW_BLOCKS || a->mapping == AUTOCSR_MAP_FETCH);
}

#define MOST_WORK (1 << 20) /* entries of a thread block */

/* Takes the variant's numbers for those that the leaf leaves out; false if the two are different axes */
static PetscBool takes_variant(const AutoCSRAxes *variant, AutoCSRAxes *leaf)
{
  AutoCSRAxes    a      = *variant;
  PetscInt      *number = &a.lanes; /* the first of the numbers */
  const PetscInt n      = (PetscInt)((offsetof(AutoCSRAxes, threads) - offsetof(AutoCSRAxes, lanes)) / sizeof(PetscInt)); /* those after them are the leaf's */

  if (a.partition != leaf->partition || a.order != leaf->order || a.index != leaf->index || a.value != leaf->value || a.mapping != leaf->mapping) return PETSC_FALSE;
  if (a.reduction != leaf->reduction && !(leaf->lanes == 1 && leaf->reduction == AUTOCSR_REDUCE_NONE && a.reduction == AUTOCSR_REDUCE_TREE)) return PETSC_FALSE; /* one lane has nothing to add */
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt  said = number + k == &a.tile_steps && AutoCSROrderHasTiles(a.order) ? 0 : (&leaf->lanes)[k]; /* encoders even out groups of an item */
    const PetscBool one  = (PetscBool)(said == 1 && number[k] == 0 && number + k != &a.width); /* that says the same, but for the width of a slice */
    const PetscBool free = (PetscBool)(is_free(leaf) && number + k != &a.block);

    if (said && said != number[k] && !one && !free) return PETSC_FALSE;
    if (said && free) number[k] = said;
  }
  if (is_free(leaf) && (double)a.tile_width * a.tile_height > MOST_WORK) return PETSC_FALSE;
  if (a.mapping == AUTOCSR_MAP_ROW_BLOCKS && !(a.row_limit > 0 && a.row_limit < a.tile_width * a.tile_height)) return PETSC_FALSE;
  a.threads   = leaf->threads;
  a.residents = leaf->residents;
  a.in_flight = leaf->in_flight;
  a.rows_each = leaf->rows_each;
  a.stretches = leaf->stretches;
  a.constants = leaf->constants;
  a.shortest  = leaf->shortest;
  a.generated = leaf->generated;
  *leaf       = a;
  return PETSC_TRUE;
}

/* Whether the backend runs the leaf */
static PetscErrorCode check_executor(const AutoCSRProblem *problem, const AutoCSRAxes *a, PetscBool *runs, const char **why)
{
  const AutoCSRBackend  *backend = problem->csr->backend;
  const AutoCSRExecutor *executor;
  AutoCSRAxes            axes = *a;

  PetscFunctionBegin;
  *why  = "what set_resources says is of a kernel that is compiled at run time, which a GPU alone has";
  *runs = (PetscBool)(problem->parallel || !AutoCSRAxesHaveResources(a));
  if (!*runs || !backend->why_none) PetscFunctionReturn(PETSC_SUCCESS);
  if (problem->settings->search_without & AUTOCSR_SEARCH_GENERATOR) axes.generated = 0;
  PetscCall((*backend->find_executor)(&axes, problem->settings->simd, &executor));
  *runs = (PetscBool)(executor != NULL);
  if (!*runs) PetscCall((*backend->why_none)(a, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_owner(Part *part, PetscBool *found, const char **why)
{
  const AutoCSRProblem *p   = &part->problem;
  const PetscBool       all = (PetscBool)(p->row_begin == 0 && p->row_end == p->csr->m);

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  *why   = "a leaf with this layout and these numbers is no variant of a strategy for this matrix (doc/graph.md)";
  if (is_divided(&part->leaf.rows)) PetscFunctionReturn(PETSC_SUCCESS);
  part->settings             = *p->settings;
  part->settings.objective   = MAT_AUTOCSR_OBJECTIVE_TIME;
  part->settings.index       = (MatAutoCSRIndexCoding)((int)part->leaf.axes.index + 1); /* the enums of the settings are those of the axes after an AUTO */
  part->settings.value       = (MatAutoCSRValueCoding)((int)part->leaf.axes.value + 1);
  part->settings.granularity = 0;
  part->problem.settings     = &part->settings;
  if (part->leaf.axes.reduction == AUTOCSR_REDUCE_SEGMENTED_HOST) part->settings.segsum_fixup = MAT_AUTOCSR_SEGSUM_FIXUP_HOST;
  for (PetscInt s = 0; AutoCSRStrategies[s] && !*found; s++) {
    const AutoCSRStrategy *owner = AutoCSRStrategies[s];
    AutoCSRAxes            variant[AUTOCSR_MAX_VARIANTS];
    PetscInt               n;
    const char            *its;

    if (owner == &AutoCSRStrategy_graph || (owner->whole && !all)) continue;
    PetscCall(PetscStrncpy(part->settings.strategy, owner->name, sizeof(part->settings.strategy)));
    PetscCall(owner->variants(p, AUTOCSR_MAX_VARIANTS, variant, &n, &its));
    for (PetscInt v = 0; v < n && !*found; v++) *found = takes_variant(&variant[v], &part->leaf.axes);
    if (*found && AutoCSRAxesBaseEntries(&part->leaf.axes) && !AutoCSRSharesFit16(p, &part->leaf.axes)) { /* thread blocks of its own size take more entries than the variant's */
      *found = PETSC_FALSE;
      *why   = "16 bits may not hold the columns of as many entries as a thread block takes";
      break;
    }
    if (*found) part->owner = owner;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 16-bit columns count from the base of a slice: the profile tells whether they reach, for slices as it counted them */
static PetscBool fits_16(const Part *part)
{
  const AutoCSRProblem *p       = &part->problem;
  const AutoCSRProfile *profile = p->profile;
  const AutoCSRAxes    *a       = &part->leaf.axes;
  const AutoCSRRange   *range   = &p->range;

  if (p->csr->n <= 65536) return PETSC_TRUE;
  if (is_divided(&part->leaf.rows) || a->slice_height > profile->slice_height) return PETSC_FALSE;
  if (a->sort_window <= 1) return (PetscBool)(range->slices_16 == range->slices);
  return (PetscBool)(range->slices_16_sorted == range->slices && a->sort_window == profile->window && (profile->window <= AUTOCSR_WINDOW || profile->window_span <= 65536));
}

/* At most so many slots. The profile counted them in slices of its own height: higher ones have more, by the heights' ratio at most */
static double padded_entries(const Part *part)
{
  const AutoCSRRange  *range   = &part->problem.range;
  const AutoCSRRowSet *rows    = &part->leaf.rows;
  const AutoCSRAxes   *a       = &part->leaf.axes;
  const double         longest = PetscMin((double)rows->longest, (double)range->longest), windows = PetscMax(1, (double)part->rows / PetscMax(1, a->sort_window));
  const double         higher = PetscMax(1, (double)a->slice_height / part->problem.profile->slice_height), rounded = PetscMax(part->rows, a->slice_height);
  const double         lanes = rounded * (a->lanes - 1), all = rounded * longest;
  const double         sorted = part->nnz + windows * PetscMax(1, PetscMin(part->rows / windows, a->slice_height)) * (longest - rows->shortest);

  if (a->sort_window <= 1) return PetscMin(all, is_divided(rows) ? higher * part->nnz * range->padded / PetscMax(1, range->nnz) : higher * range->padded) + lanes;
  return PetscMin(all, is_divided(rows) ? part->nnz + (sorted - part->nnz) / 2 : PetscMin(higher * range->padded_sorted, sorted)) + lanes;
}

#define MOST_PADDING 64.0 /* slots for each entry; with more, a graph is a mistake that takes all memory. */
#define FEW_SLOTS    1e6  /* As many are nothing */

/* Whether this strategy can make the leaf by itself */
static PetscBool check_simple(const Part *part, const char **why)
{
  const AutoCSRProblem *p       = &part->problem;
  const AutoCSRProfile *profile = p->profile;
  const AutoCSRAxes    *a       = &part->leaf.axes;

  *why = "a leaf of rows without entries has rows with entries";
  if (a->mapping == AUTOCSR_MAP_EMPTY) return (PetscBool)(part->nnz == 0);
  *why = "row_block and slice_block go with thread_total_red and warp_total_red";
  if (a->reduction != AUTOCSR_REDUCE_NONE && a->reduction != AUTOCSR_REDUCE_TREE) return PETSC_FALSE;
  *why = "all entries have the same value only if the matrix has one";
  if (a->value == AUTOCSR_VALUE_CONSTANT && profile->values != 1) return PETSC_FALSE;
  *why = "there are more values than a dictionary holds";
  if (a->value == AUTOCSR_VALUE_DICTIONARY && profile->values > AUTOCSR_MAX_DISTINCT) return PETSC_FALSE;
  *why = "not all values are exactly float32";
  if (a->value == AUTOCSR_VALUE_FLOAT32 && !profile->float32_exact) return PETSC_FALSE;
  if (a->order == AUTOCSR_ORDER_CSR) return PETSC_TRUE;
  *why = "values by pattern go with index pattern, and with entries in the CSR's order";
  if (a->value == AUTOCSR_VALUE_PATTERN) return PETSC_FALSE;
  *why = "in some row the columns do not ascend, and slices do not hold them in place";
  if (profile->unsorted) return PETSC_FALSE;
  *why = "16 bits do not hold the columns of these rows";
  if (a->index == AUTOCSR_INDEX_16 && !fits_16(part)) return PETSC_FALSE;
  *why = "32 bits do not hold the columns";
  if (a->index != AUTOCSR_INDEX_16 && (double)p->csr->n > 4294967296.0) return PETSC_FALSE;
  *why = "models are of slices of neighbouring rows, with one lane a row, and of columns that they reach";
  if (a->index == AUTOCSR_INDEX_FITTED && (profile->rows_only || is_divided(&part->leaf.rows) || a->sort_window > 1 || a->lanes > 1 || a->slice_height > AUTOCSR_MAX_FIT_ROWS || p->csr->n > AUTOCSR_MAX_FIT_COLUMN)) return PETSC_FALSE;
  return AutoCSRMayPad(PetscMax(padded_entries(part), a->slice_height * PetscMin((double)part->leaf.rows.longest, (double)p->range.longest)), FEW_SLOTS + MOST_PADDING * part->nnz, "slices of so many rows would be mostly padding", why);
}

/* Numbers that a leaf leaves out */
static void complete(Part *part)
{
  const AutoCSRProblem *p     = &part->problem;
  AutoCSRAxes          *a     = &part->leaf.axes;
  const PetscBool       trees = (PetscBool)(a->reduction == AUTOCSR_REDUCE_TREE);

  if (a->mapping == AUTOCSR_MAP_EMPTY) { /* a leaf without entries has no codings, whatever compress says */
    a->index     = AUTOCSR_INDEX_CSR;
    a->value     = AUTOCSR_VALUE_CSR;
    a->reduction = AUTOCSR_REDUCE_NONE;
  }
  if (!a->lanes && a->mapping == AUTOCSR_MAP_LANES && trees) a->lanes = AutoCSRProblemLanes(p, part->nnz / PetscMax(1.0, part->rows));
  a->lanes = PetscMax(1, a->lanes);
  if (a->mapping != AUTOCSR_MAP_EMPTY && (trees || a->reduction == AUTOCSR_REDUCE_NONE)) a->reduction = a->lanes > 1 ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE;
  if (!a->slice_height) a->slice_height = PetscMax(1, p->profile->slice_height / (p->parallel && a->order == AUTOCSR_ORDER_SLICED ? a->lanes : 1));
  if (a->sort_window == 1) a->sort_window = 0;
  if (AutoCSRAxesHaveResources(a)) a->longest = (PetscInt)PetscMin((double)part->leaf.rows.longest, (double)p->range.longest); /* a kernel of rows of one length is compiled for it */
}

/* The leaves with what can be known of them; *why: NULL, or why the graph does not suit the matrix */
static PetscErrorCode make_parts(const AutoCSRProblem *problem, Parts *parts, const char **why)
{
  const AutoCSRProblem *whole = problem;
  AutoCSRGraph          graph;
  PetscInt              rows[AUTOCSR_NEARNESS_FAR + 1] = {0};

  PetscFunctionBegin;
  PetscCall(AutoCSRGraphParse(problem->settings->graph, &graph));
  if (graph.leaf[0].rows.nearness) PetscCall(divide(whole, graph.leaf[0].rows.reach, parts));
  for (PetscInt i = 0; i < graph.n; i++) {
    Part                 *part     = &parts->part[parts->n];
    const AutoCSRNearness nearness = graph.leaf[i].rows.nearness;
    PetscBool             good;

    problem    = nearness ? &parts->divided[nearness - 1] : whole;
    part->leaf = graph.leaf[i];
    *why       = "the vendor's library multiplies all entries of a block";
    if (nearness && part->leaf.axes.mapping == AUTOCSR_MAP_VENDOR) PetscFunctionReturn(PETSC_SUCCESS);
    *why       = "its ranges of rows go past the last row of the matrix";
    if (part->leaf.rows.begin >= problem->csr->m || (part->leaf.rows.end > problem->csr->m && part->leaf.rows.end < PETSC_MAX_INT)) PetscFunctionReturn(PETSC_SUCCESS);
    *why = "its ranges of rows end before the last row of the matrix";
    for (PetscInt k = 0; k < graph.n && part->leaf.rows.end < problem->csr->m; k++) {
      if (graph.leaf[k].rows.nearness == nearness && graph.leaf[k].rows.begin == part->leaf.rows.end) break;
      if (k == graph.n - 1) PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(set_range(problem, part));
    PetscCall(count_rows(part, &good, why));
    if (!good) PetscFunctionReturn(PETSC_SUCCESS);
    if (is_divided(&part->leaf.rows) && !part->rows) continue; /* no such rows */
    if (part->leaf.axes.constants) part->leaf.axes.shortest = problem->profile->min_length;
    if (is_simple(&part->leaf.axes)) {
      complete(part);
      good = check_simple(part, why);
    } else
      PetscCall(find_owner(part, &good, why));
    if (good) PetscCall(check_executor(problem, &part->leaf.axes, &good, why));
    if (!good) PetscFunctionReturn(PETSC_SUCCESS);
    parts->n++;
    rows[nearness] += part->rows;
  }
  *why = "some rows are in no leaf of the graph: its bins must have each number of entries that rows have";
  for (int k = graph.leaf[0].rows.nearness != AUTOCSR_NEARNESS_ANY; k <= (int)graph.leaf[graph.n - 1].rows.nearness; k++) {
    if (rows[k] < whole->csr->m) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *why = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost_of(const Part *part, AutoCSRCost cost[], PetscInt *n)
{
  const AutoCSRProblem *p      = &part->problem;
  const AutoCSRAxes    *a      = &part->leaf.axes;
  const PetscBool       sliced = (PetscBool)(a->order == AUTOCSR_ORDER_SLICED);
  const double          slices = sliced ? part->rows / a->slice_height + (part->rows % a->slice_height > 0) : 0, names = part->names ? part->names : a->sort_window > 1 ? part->rows : 0;

  PetscFunctionBegin;
  *n = 1;
  if (part->owner) {
    PetscCall(part->owner->cost(p, a, cost, n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  AutoCSRCostFill(p, a, part->rows, part->nnz, sliced ? padded_entries(part) : part->nnz, slices, names, cost);
  cost->longest = AutoCSRLongestWalk(a, PetscMin(part->nnz, PetscMin((double)part->leaf.rows.longest, (double)p->range.longest)));
  if (sliced && a->lanes > 1) cost->rows *= (double)a->lanes / AUTOCSR_MEASURED_LANES;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *why: set if they are too many */
static PetscErrorCode count_segments(const Parts *parts, const char **why)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < parts->n; i++) {
    AutoCSRCost own[AUTOCSR_MAX_SEGMENTS];
    PetscInt    k;

    PetscCall(cost_of(&parts->part[i], own, &k));
    n += k;
  }
  if (n > AUTOCSR_MAX_SEGMENTS) *why = "its leaves make more than 16 segments of this matrix";
  PetscFunctionReturn(PETSC_SUCCESS);
}
_Static_assert(AUTOCSR_MAX_SEGMENTS == 16, "The reason above names the number");

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  Parts         *parts;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *n   = 0;
  *why = "no graph is set: -mat_autocsr_graph, MatAutoCSRSetGraph()";
  if (!problem->settings->graph[0] || !problem->profile) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(1, &parts));
  ierr = make_parts(problem, parts, why);
  if (!ierr && !*why) ierr = count_segments(parts, why);
  if (!ierr && !*why && parts->n && max) list[(*n)++] = parts->part[0].leaf.axes;
  PetscCall(free_parts(&parts));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the parts of a graph that applies; the caller frees them */
static PetscErrorCode get_parts(const AutoCSRProblem *problem, Parts **parts)
{
  const char    *why = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(1, parts));
  ierr = make_parts(problem, *parts, &why);
  if (ierr || why) PetscCall(free_parts(parts));
  PetscCall(ierr); /* there may be no memory */
  PetscCheck(!why, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The graph does not apply: %s", why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static AutoCSRNearness nearness_of(const Parts *parts, PetscInt i)
{
  return parts->part[i].leaf.rows.nearness;
}

static PetscErrorCode add_costs(const Parts *parts, AutoCSRCost cost[], PetscInt *n)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < parts->n; i++) {
    AutoCSRCost own[AUTOCSR_MAX_SEGMENTS];
    PetscInt    k;

    PetscCall(cost_of(&parts->part[i], own, &k));
    PetscCheck(*n + k <= AUTOCSR_MAX_SEGMENTS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The graph makes more than %d segments", AUTOCSR_MAX_SEGMENTS);
    for (PetscInt j = 0; j < k; j++) {
      cost[*n]       = own[j];
      cost[*n].joins = (PetscBool)(cost[*n].joins || (*n > 0 && (!i || nearness_of(parts, i) == nearness_of(parts, i - 1))));
      ++*n;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost cost[], PetscInt *n)
{
  Parts         *parts;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  (void)axes;
  *n = 0;
  PetscCall(get_parts(problem, &parts));
  ierr = add_costs(parts, cost, n);
  PetscCall(free_parts(&parts));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build_leaf(const Part *part, AutoCSRPlan *plan)
{
  const AutoCSRProblem *p     = &part->problem;
  const AutoCSRRowSet  *rows  = &part->leaf.rows;
  AutoCSRMatrix         range = *p->csr;
  PetscBool             wanted[AUTOCSR_MAX_BINS];
  AutoCSRSegment       *seg;
  PetscInt             *names;

  PetscFunctionBegin;
  if (part->owner || !is_divided(rows)) {
    if (part->owner)
      PetscCall(AutoCSRStrategyBuild(part->owner, p, &part->leaf.axes, plan));
    else
      PetscCall(AutoCSRBuildContiguous(p, "graph", &part->leaf.axes, plan));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRPlanAddSegment(plan, "graph", &part->leaf.axes, &seg));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, part->names));
  seg->row_set = *rows;
  seg->n_rows  = part->rows;
  seg->nnz     = part->nnz;
  names        = (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
  if (rows->row_group) {
    for (PetscInt b = 0; b < AUTOCSR_MAX_BINS; b++) wanted[b] = AutoCSRRowSetHasBin(rows, b);
    PetscCall((*range.backend->name_bins)(&range, rows->row_group, rows->bins, wanted, names));
  } else {
    const AutoCSRRowKind kind = {rows->shortest, rows->longest, names};

    PetscCall((*range.backend->name_rows)(&range, rows->begin, rows->end, 1, &kind));
  }
  PetscCall(AutoCSRSegmentSortRows(seg, p->csr));
  PetscCall(AutoCSRSegmentEncode(seg, p->csr, p->profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRPlan *plan)
{
  Parts         *parts;
  PetscErrorCode ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  (void)axes;
  PetscCall(get_parts(problem, &parts));
  plan->division  = parts->division;
  parts->division = NULL;
  for (PetscInt i = 0; i < parts->n && !ierr; i++) {
    const PetscInt first = plan->n_segments;

    ierr = build_leaf(&parts->part[i], plan);
    for (PetscInt s = first; s < plan->n_segments; s++) {
      plan->segment[s].row_set.nearness = nearness_of(parts, i);
      plan->segment[s].row_set.reach    = parts->part[i].leaf.rows.reach;
    }
  }
  PetscCall(free_parts(&parts));
  PetscCall(ierr); /* there may be no memory */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscInt leaves = 1;

  PetscFunctionBegin;
  (void)axes;
  for (const char *c = problem->settings->graph; *c; c++) leaves += *c == ';';
  PetscCall(PetscSNPrintf(text, len, "an operator graph of %" PetscInt_FMT " %s", leaves, leaves > 1 ? "leaves" : "leaf"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_graph = {"graph", "du2022-alphasparse, IV", PETSC_TRUE, variants, cost, build, describe};
