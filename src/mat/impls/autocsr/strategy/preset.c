/* What the presets share: see preset.h */
#include "preset.h"
#include "../backend.h"

void AutoCSRProblemSetZones(AutoCSRProblem *problem, PetscInt zone_begin, PetscInt zone_end)
{
  AutoCSRRange r     = {0};
  double       lines = 0, fitted = 0;

  if (!problem->profile) {
    r.rows = problem->csr->m;
    r.nnz  = problem->csr->nnz;
  }
  problem->zone_begin = zone_begin;
  problem->zone_end   = zone_end;
  problem->row_begin  = zone_begin < zone_end ? problem->profile->zone[zone_begin].row_begin : 0;
  problem->row_end    = zone_begin < zone_end ? problem->profile->zone[zone_end - 1].row_end : problem->csr->m;
  for (PetscInt c = zone_begin; c < zone_end; c++) {
    const AutoCSRZone *zone = &problem->profile->zone[c];

    r.rows += zone->row_end - zone->row_begin;
    r.longest = PetscMax(r.longest, zone->max_length);
    r.empty_rows += zone->empty_rows;
    r.slices += zone->slices;
    r.slices_16 += zone->slices_16;
    r.slices_16_sorted += zone->slices_16_sorted;
    r.uniform_slices += zone->uniform_slices;
    r.pattern_rows += zone->pattern_rows;
    r.nodes += zone->nodes;
    r.node_entries += zone->node_entries;
    r.nnz += zone->nnz;
    r.padded += zone->padded;
    r.padded_sorted += zone->padded_sorted;
    lines += zone->gather_lines * zone->nnz;
    fitted += zone->fitted * zone->padded;
  }
  r.gather_lines = r.nnz > 0 ? lines / r.nnz : 0;
  r.fitted       = r.padded > 0 ? fitted / r.padded : 0;
  problem->range = r;
}

PetscBool AutoCSRMayPad(double slots, double most, const char hopeless[], const char **why)
{
  if (slots <= most && AutoCSRIsCounted(slots)) return PETSC_TRUE;
  *why = slots > most ? hopeless : "padded, the entries would be more than a PetscInt counts: it takes 64-bit indices";
  return PETSC_FALSE;
}

PetscInt AutoCSRProblemLanes(const AutoCSRProblem *problem, double length)
{
  PetscInt bin = 0;

  while (bin < AUTOCSR_HISTOGRAM_BINS - 1 && length >= 1) {
    length /= 2;
    bin++;
  }
  return problem->lanes[bin];
}

#define MOST_32 4294967296.0 /* columns that 32 bits tell apart */

void AutoCSRVariantAdd(const AutoCSRProblem *problem, const AutoCSRAxes *axes, PetscInt max, AutoCSRAxes list[], PetscInt *n)
{
  const AutoCSRSettings *s = problem->settings;

  /* The enums of the settings are those of the axes after an AUTO */
  if (s->index != MAT_AUTOCSR_INDEX_AUTO && (PetscInt)s->index - 1 != (PetscInt)axes->index) return;
  if (s->value != MAT_AUTOCSR_VALUE_AUTO && (PetscInt)s->value - 1 != (PetscInt)axes->value) return;
  if (s->objective == MAT_AUTOCSR_OBJECTIVE_MEMORY && AutoCSRValueIsStored(axes->value)) return;
  if (problem->profile && problem->profile->unsorted && (axes->index != AUTOCSR_INDEX_CSR || axes->block > 1)) return;
  if ((axes->index == AUTOCSR_INDEX_32 || axes->index == AUTOCSR_INDEX_FITTED) && (double)problem->csr->n > MOST_32) return;
  if (*n < max) list[(*n)++] = *axes;
}

PetscErrorCode AutoCSRProblemAsksFor(const AutoCSRProblem *problem, const char strategy[], PetscBool *asks)
{
  PetscFunctionBegin;
  PetscCall(PetscStrcmp(problem->settings->strategy, strategy, asks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt AutoCSRProblemVectorLanes(const AutoCSRProblem *problem)
{
  const AutoCSRRange range = problem->range;
  PetscInt           lanes = 2;

  while (lanes < 32 && lanes * (double)range.rows < range.nnz) lanes *= 2;
  return lanes;
}

#define UNEVEN 4 /* a zone with more entries than this many times the mean is uneven: one such outlasts all others (model -measure on webgraph and lp) */

PetscBool AutoCSRProblemIsUneven(const AutoCSRProblem *problem)
{
  const AutoCSRProfile *profile = problem->profile;

  for (PetscInt c = 0; c < profile->zones; c++) {
    if (profile->zone[c].nnz > UNEVEN * (double)profile->nnz / profile->zones) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode AutoCSRCostInPlace(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range = problem->range;

  PetscFunctionBegin;
  *n = 1;
  AutoCSRCostFill(problem, axes, range.rows, range.nnz, range.nnz, 0, 0, segment);
  PetscFunctionReturn(PETSC_SUCCESS);
}

AutoCSRValue AutoCSRValueInPlace(const AutoCSRProblem *problem)
{
  const MatAutoCSRValueCoding asked = problem->settings->value;

  return problem->profile && problem->profile->values == 1 && (asked == MAT_AUTOCSR_VALUE_AUTO || asked == MAT_AUTOCSR_VALUE_CONSTANT) ? AUTOCSR_VALUE_CONSTANT : AUTOCSR_VALUE_CSR;
}

PetscInt AutoCSRStoredValueCodings(const AutoCSRProblem *problem, PetscBool constant, AutoCSRValue value[AUTOCSR_STORED_CODINGS])
{
  PetscInt n = 0;

  if (constant && AutoCSRValueInPlace(problem) == AUTOCSR_VALUE_CONSTANT) {
    value[0] = AUTOCSR_VALUE_CONSTANT;
    return 1;
  }
  if (problem->profile->values <= AUTOCSR_MAX_DISTINCT) value[n++] = AUTOCSR_VALUE_DICTIONARY;
  if (problem->profile->float32_exact) value[n++] = AUTOCSR_VALUE_FLOAT32;
  value[n++] = AUTOCSR_VALUE_COPY;
  return n;
}

void AutoCSRVariantAddStored(const AutoCSRProblem *problem, PetscBool constant, const AutoCSRAxes *axes, PetscInt max, AutoCSRAxes list[], PetscInt *n)
{
  AutoCSRAxes    stored = *axes;
  AutoCSRValue   value[AUTOCSR_STORED_CODINGS];
  const PetscInt n_values = AutoCSRStoredValueCodings(problem, constant, value);

  for (PetscInt v = 0; v < n_values; v++) {
    stored.value = value[v];
    AutoCSRVariantAdd(problem, &stored, max, list, n);
  }
}

PetscBool AutoCSRSharesFit16(const AutoCSRProblem *problem, const AutoCSRAxes *axes)
{
  const AutoCSRProfile *profile = problem->profile;

  if (!profile || profile->unsorted) return PETSC_FALSE;
  return (PetscBool)(problem->csr->n <= 65536 || 2.0 * profile->bandwidth + profile->empty_rows + (double)axes->tile_width * axes->tile_height < 65536);
}

PetscBool AutoCSRProblemWantsCodes(const AutoCSRProblem *problem)
{
  const AutoCSRSettings *s = problem->settings;

  return (PetscBool)(s->index != MAT_AUTOCSR_INDEX_AUTO || s->value != MAT_AUTOCSR_VALUE_AUTO || s->rigor >= MAT_AUTOCSR_RIGOR_MEASURE);
}

void AutoCSRVariantAddCoded(const AutoCSRProblem *problem, PetscBool can_16, PetscBool columns, const AutoCSRAxes *axes, PetscInt max, AutoCSRAxes list[], PetscInt *n)
{
  AutoCSRAxes    coded = *axes;
  AutoCSRValue   value[AUTOCSR_STORED_CODINGS];
  const PetscInt n_values = problem->profile ? AutoCSRStoredValueCodings(problem, PETSC_TRUE, value) : 0;

  for (PetscInt v = 0; v < n_values; v++) {
    const PetscBool in_place = (PetscBool)(value[v] == AUTOCSR_VALUE_COPY);

    coded.value = in_place ? AUTOCSR_VALUE_CSR : value[v];
    coded.index = AUTOCSR_INDEX_16;
    if (can_16 && (columns || !in_place)) AutoCSRVariantAdd(problem, &coded, max, list, n);
    coded.index = AUTOCSR_INDEX_CSR;
    if (AutoCSRValueIsStored(coded.value)) AutoCSRVariantAdd(problem, &coded, max, list, n);
  }
}

#define MOST_PADDED 1.5 /* slots for each entry of sorted slices, at most: with more padding bins may win (model -measure of rowbins and sell on powerlaw and circuit) */

PetscErrorCode AutoCSRSlicesWillDo(const AutoCSRProblem *problem, PetscBool *enough)
{
  const AutoCSRRange range = problem->range;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(problem->settings->strategy, "auto", enough));
  *enough = (PetscBool)(*enough && !problem->parallel && problem->settings->objective == MAT_AUTOCSR_OBJECTIVE_TIME && !problem->profile->unsorted && range.padded_sorted <= MOST_PADDED * range.nnz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *AutoCSRValueWords(AutoCSRValue value)
{
  static const char *const words[] = {"in place", "copied", "from a dictionary", "as float32", "by pattern", "all the same"};

  return words[value];
}

const char *AutoCSRCodedWords(const AutoCSRAxes *axes)
{
  if (axes->value == AUTOCSR_VALUE_CSR) return axes->index == AUTOCSR_INDEX_CSR ? "nothing copied" : "values in place";
  return axes->value == AUTOCSR_VALUE_CONSTANT ? "one value for all" : axes->value == AUTOCSR_VALUE_DICTIONARY ? "values from a dictionary"
                                                                                                               : "values as float32";
}

/*
  Neighbouring rows of different length show as padding of slices in natural order. A processor mispredicts where such a row
  ends: there, rows of mixed patterns count as more entries
*/
static double irregular_count(const AutoCSRProblem *problem, const AutoCSRAxes *axes, const AutoCSRRange *range, double rows, double nnz, double entries)
{
  const AutoCSRTraits *t      = problem->traits;
  const double         uneven = rows * PetscMin(1, 2 * (range->padded / PetscMax(1, range->nnz) - 1));

  if (axes->mapping == AUTOCSR_MAP_ROW_BLOCKS) return uneven; /* the rows of a block are added side by side */
  if (axes->mapping == AUTOCSR_MAP_EMPTY || AutoCSRMappingHasWork(axes->mapping) || axes->mapping == AUTOCSR_MAP_FETCH || axes->mapping == AUTOCSR_MAP_PRODUCTS || axes->mapping == AUTOCSR_MAP_VENDOR || nnz <= 0) return 0;
  if (axes->index == AUTOCSR_INDEX_PATTERN) return (entries + (problem->parallel ? 0 : t->mispredicted * uneven)) * (1 - (double)range->uniform_slices / PetscMax(range->slices, 1));
  if (axes->mapping == AUTOCSR_MAP_LANES || axes->mapping == AUTOCSR_MAP_NODES) return problem->parallel ? uneven : uneven * PetscMin(1, problem->csr->m / t->learnt_rows);
  if (axes->mapping == AUTOCSR_MAP_SLICE) return (axes->width ? t->one_width : 1) * PetscMin(entries, 2 * (entries - nnz)); /* as many below the mean as above it */
  if (axes->mapping == AUTOCSR_MAP_GROUP) return 0;                                                                         /* its strategy knows */
  return PetscMin(nnz / ((double)axes->tile_width * axes->tile_height) + 1, range->empty_rows);
}

double AutoCSRLongestWalk(const AutoCSRAxes *axes, double length)
{
  if (axes->mapping == AUTOCSR_MAP_TILE) return axes->tile_height * (length > axes->tile_width * axes->tile_height / 16 ? 2 : 1); /* where rows are cut, their parts are waited for */
  if (AutoCSRMappingHasWork(axes->mapping)) return axes->tile_height;
  return axes->mapping == AUTOCSR_MAP_LANES || axes->mapping == AUTOCSR_MAP_FETCH || axes->mapping == AUTOCSR_MAP_SLICE ? length / PetscMax(1, axes->lanes) : length;
}

/* Whole elements of a stream, in bytes */
static inline double stream_bytes(const AutoCSRAxes *axes, AutoCSRStreamKind kind, double count)
{
  return count > 0 ? (double)((size_t)count * AutoCSRStreamElementSize(axes, kind)) : 0;
}

static double pattern_bytes(const AutoCSRAxes *axes, const AutoCSRProfile *profile, double rows, double nnz)
{
  const double patterns = PetscMin(rows, profile->patterns), offsets = PetscMin(nnz, profile->patterns * profile->mean_length);
  double       bytes = stream_bytes(axes, AUTOCSR_STREAM_PATTERN_ID, rows) + stream_bytes(axes, AUTOCSR_STREAM_PATTERN_PTR, patterns + 1) + stream_bytes(axes, AUTOCSR_STREAM_PATTERN_OFFSET, offsets) + stream_bytes(axes, AUTOCSR_STREAM_PATTERN_ROOT, patterns);

  if (axes->value == AUTOCSR_VALUE_PATTERN) bytes += stream_bytes(axes, AUTOCSR_STREAM_PATTERN_ROW, patterns) + stream_bytes(axes, AUTOCSR_STREAM_PATTERN_VALUE, offsets);
  if (axes->order == AUTOCSR_ORDER_DIAGONAL) bytes += stream_bytes(axes, AUTOCSR_STREAM_PATTERN_PLACE, offsets);
  return bytes;
}

/* A device's lane that walks its row alone reads no slot past the row's end: of padding only what shares a sector with an entry comes from memory */
static inline PetscBool skips_padding(const AutoCSRProblem *problem, const AutoCSRAxes *axes)
{
  return (PetscBool)(problem->parallel && axes->order == AUTOCSR_ORDER_SLICED && axes->mapping == AUTOCSR_MAP_SLICE && axes->lanes <= 1);
}

/* A choice asks for this some hundred times: no more is set up here than is needed */
void AutoCSRCostFill(const AutoCSRProblem *problem, const AutoCSRAxes *axes, double rows, double nnz, double entries, double slices, double names, AutoCSRCost *cost)
{
  const AutoCSRRange *range   = &problem->range;
  const PetscBool     copied  = AutoCSRValueIsStored(axes->value);
  const PetscBool     indexed = (PetscBool)(axes->index == AUTOCSR_INDEX_32 || axes->index == AUTOCSR_INDEX_16);
  const double        block   = PetscMax(1, axes->block);
  const PetscBool     lengths = AutoCSRAxesKeepLengths(axes, (PetscBool)(names > 0), (double)range->longest);
  double              own     = stream_bytes(axes, AUTOCSR_STREAM_ROWS, names) + stream_bytes(axes, AUTOCSR_STREAM_LENGTH, lengths ? names : 0);

  if (axes->order == AUTOCSR_ORDER_SLICED) own += stream_bytes(axes, AUTOCSR_STREAM_SLICE_PTR, slices + 1);
  if (AutoCSRAxesHaveBase(axes)) own += stream_bytes(axes, AUTOCSR_STREAM_BASE, AutoCSRAxesBaseEntries(axes) ? ceil(nnz / AutoCSRAxesBaseEntries(axes)) : slices);
  if (indexed) own += stream_bytes(axes, AUTOCSR_STREAM_INDEX, entries / (block * block));
  if (axes->index == AUTOCSR_INDEX_FITTED) {
    const double fits = entries / axes->slice_height;

    own += stream_bytes(axes, AUTOCSR_STREAM_FIT, fits) + stream_bytes(axes, AUTOCSR_STREAM_SLICE_FIT, slices) + stream_bytes(axes, AUTOCSR_STREAM_INDEX, entries * range->fitted - fits * sizeof(AutoCSRFit));
  }
  if (axes->index == AUTOCSR_INDEX_PATTERN) own += pattern_bytes(axes, problem->profile, rows, nnz);
  if (copied) own += stream_bytes(axes, AUTOCSR_STREAM_VALUE, entries);
  if (axes->order == AUTOCSR_ORDER_BLOCKED) own += stream_bytes(axes, AUTOCSR_STREAM_BLOCK_PTR, rows / block + 1);
  own += stream_bytes(axes, AUTOCSR_STREAM_DICTIONARY, AutoCSRValueDictionary(axes->value));
  if (axes->mapping == AUTOCSR_MAP_MERGE) own += stream_bytes(axes, AUTOCSR_STREAM_WORK, 2 * ((rows + nnz) / ((double)axes->tile_width * axes->tile_height) + 2));
  if (axes->mapping == AUTOCSR_MAP_ROW_BLOCKS) own += stream_bytes(axes, AUTOCSR_STREAM_WORK, 2 * (nnz / ((double)axes->tile_width * axes->tile_height - axes->row_limit) + 2));

  *cost           = (AutoCSRCost){.axes = *axes, .entries = entries, .named = (PetscBool)(names > 0), .own_bytes = own};
  cost->rows      = axes->order == AUTOCSR_ORDER_SLICED ? slices * axes->slice_height : rows;
  cost->longest   = AutoCSRLongestWalk(axes, PetscMin(nnz, (double)range->longest));
  cost->irregular = irregular_count(problem, axes, range, rows, nnz, entries);
  cost->scattered = axes->mapping == AUTOCSR_MAP_EMPTY ? 0 : nnz * range->gather_lines;
  cost->bytes     = own + AutoCSRBytesBesideStreams(axes, floor(rows), floor(nnz), problem->csr->m, problem->csr->n);
  if (lengths) cost->bytes -= sizeof(PetscInt) * names;
  if (skips_padding(problem, axes)) cost->bytes -= (1 - problem->traits->padding_read) * (entries - nnz) * ((indexed ? AutoCSRStreamElementSize(axes, AUTOCSR_STREAM_INDEX) : 0) + (copied ? AutoCSRStreamElementSize(axes, AUTOCSR_STREAM_VALUE) : 0));
  if (problem->csr->adds && axes->mapping == AUTOCSR_MAP_EMPTY)
    cost->bytes = cost->rows = 0;
  else if (problem->csr->adds)
    cost->bytes += rows * sizeof(PetscScalar);
  cost->build = 2 * own + nnz * ((copied ? sizeof(PetscScalar) : 0) + (indexed ? sizeof(PetscInt) / block : 0));
}

PetscErrorCode AutoCSRBuildContiguous(const AutoCSRProblem *problem, const char strategy[], const AutoCSRAxes *axes, AutoCSRPlan *plan)
{
  AutoCSRSegment *seg;

  PetscFunctionBegin;
  PetscCall(AutoCSRPlanAddSegment(plan, strategy, axes, &seg));
  seg->row_set.begin = seg->row_begin = problem->row_begin;
  seg->row_set.end                    = problem->row_end;
  seg->n_rows                         = problem->row_end - problem->row_begin;
  if (axes->sort_window > 1) PetscCall(AutoCSRSegmentSortRows(seg, problem->csr));
  PetscCall(AutoCSRSegmentEncode(seg, problem->csr, problem->profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool AutoCSRRangeIsMostlyEmpty(const AutoCSRRange *range)
{
  return (PetscBool)(range->empty_rows > range->rows - range->empty_rows);
}

AutoCSRAxes AutoCSREmptyAxes(void)
{
  return (AutoCSRAxes){.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .mapping = AUTOCSR_MAP_EMPTY, .reduction = AUTOCSR_REDUCE_NONE, .lanes = 1, .row_group = 1};
}

/* A segment that names the rows of the problem that are empty, or those that are not */
static PetscErrorCode build_named(const AutoCSRProblem *problem, const char strategy[], const AutoCSRAxes *axes, PetscBool empty, PetscInt count, AutoCSRPlan *plan)
{
  AutoCSRRowKind  kind = {empty ? 0 : 1, empty ? 0 : PETSC_MAX_INT, NULL};
  AutoCSRSegment *seg;

  PetscFunctionBegin;
  PetscCall(AutoCSRPlanAddSegment(plan, strategy, axes, &seg));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, count));
  seg->n_rows  = count;
  seg->row_set = (AutoCSRRowSet){.begin = problem->row_begin, .end = problem->row_end, .shortest = kind.shortest, .longest = kind.longest};
  kind.names   = (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
  PetscCall((*problem->csr->backend->name_rows)(problem->csr, problem->row_begin, problem->row_end, 1, &kind));
  if (axes->sort_window > 1) PetscCall(AutoCSRSegmentSortRows(seg, problem->csr));
  PetscCall(AutoCSRSegmentEncode(seg, problem->csr, problem->profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRBuildFilled(const AutoCSRProblem *problem, const char strategy[], const AutoCSRAxes *axes, AutoCSRPlan *plan)
{
  const AutoCSRRange range = problem->range;
  const AutoCSRAxes  empty = AutoCSREmptyAxes();

  PetscFunctionBegin;
  PetscCall(build_named(problem, strategy, axes, PETSC_FALSE, range.rows - range.empty_rows, plan));
  PetscCall(build_named(problem, strategy, &empty, PETSC_TRUE, range.empty_rows, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}
