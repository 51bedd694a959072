/* Moves from graph to graph (level 1 of du2022-alphasparse, VI: structures): thresholds between bins, leaves split, joined and mapped otherwise, numbers and codings */
#include "search.h"

/* xorshift: the same candidates in every run */
PetscInt AutoCSRSearchDraw(AutoCSRSearch *s, PetscInt below)
{
  s->random ^= s->random << 13;
  s->random ^= s->random >> 7;
  s->random ^= s->random << 17;
  return (PetscInt)((s->random >> 11) % (uint64_t)below);
}

/* Where bins may meet: numbers of entries */
static const PetscInt edges[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096};
#define EDGES (PetscInt)PETSC_STATIC_ARRAY_LENGTH(edges)

PetscInt AutoCSRSearchEdges(const AutoCSRSearch *s, PetscInt *first)
{
  PetscInt n = EDGES;

  *first = 0;
  while (*first < n && edges[*first] <= s->profile->min_length) ++*first;
  while (n > *first && edges[n - 1] > s->profile->max_length) n--;
  return n - *first;
}

PetscInt AutoCSRSearchEdge(PetscInt k)
{
  return edges[k];
}

static AutoCSRValue draw_value(AutoCSRSearch *s)
{
  AutoCSRValue   may[4];
  PetscInt       n = 0;
  const PetscInt values = s->profile->values;

  if (values == 1) return AUTOCSR_VALUE_CONSTANT;
  may[n++] = AUTOCSR_VALUE_COPY;
  if (values <= AUTOCSR_MAX_DISTINCT) may[n++] = AUTOCSR_VALUE_DICTIONARY;
  if (s->profile->float32_exact) may[n++] = AUTOCSR_VALUE_FLOAT32;
  return may[AutoCSRSearchDraw(s, n)];
}

void AutoCSRSearchSlices(AutoCSRSearch *s, PetscInt window, AutoCSRIndex index, AutoCSRAxes *axes)
{
  *axes = (AutoCSRAxes){.order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .index = index, .value = draw_value(s), .lanes = 1, .sort_window = window};
}

void AutoCSRSearchLanes(const AutoCSRSearch *s, PetscInt lanes, AutoCSRAxes *axes)
{
  *axes = (AutoCSRAxes){.order = AUTOCSR_ORDER_CSR, .mapping = AUTOCSR_MAP_LANES, .index = AUTOCSR_INDEX_CSR, .value = s->profile->values == 1 ? AUTOCSR_VALUE_CONSTANT : AUTOCSR_VALUE_CSR, .lanes = lanes, .reduction = lanes > 1 ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE};
}

static const PetscInt windows[] = {0, 64, 256, 1024, 4096, 16384, PETSC_MAX_INT};
#define WINDOWS (PetscInt)PETSC_STATIC_ARRAY_LENGTH(windows)

/* Leaves that may be cut in two: bins of rows of the whole matrix, or all of it */
static PetscBool may_be_cut(const AutoCSRSearch *s, const AutoCSRLeaf *leaf)
{
  return (PetscBool)(!leaf->rows.row_group && leaf->rows.begin == 0 && leaf->rows.end >= s->csr->m && (leaf->axes.mapping == AUTOCSR_MAP_LANES || leaf->axes.mapping == AUTOCSR_MAP_SLICE) && leaf->axes.block <= 1);
}

/* Leaves of near entries come before those of far ones, else in their order */
static void near_first(AutoCSRGraph *graph)
{
  for (PetscInt i = 1; i < graph->n; i++) {
    const AutoCSRLeaf leaf = graph->leaf[i];
    PetscInt          k    = i;

    for (; k > 0 && graph->leaf[k - 1].rows.nearness > leaf.rows.nearness; k--) graph->leaf[k] = graph->leaf[k - 1];
    graph->leaf[k] = leaf;
  }
}

static PetscBool cut(AutoCSRSearch *s, AutoCSRGraph *graph, AutoCSRLeaf *leaf)
{
  const PetscInt edge = edges[AutoCSRSearchDraw(s, EDGES)];
  AutoCSRLeaf   *more = &graph->leaf[graph->n];

  if (graph->n == AUTOCSR_MAX_LEAVES || !may_be_cut(s, leaf) || edge <= leaf->rows.shortest || edge > leaf->rows.longest) return PETSC_FALSE;
  *more              = *leaf;
  more->rows.longest = edge - 1;
  leaf->rows.shortest = edge;
  if (AutoCSRSearchDraw(s, 2))
    AutoCSRSearchSlices(s, windows[AutoCSRSearchDraw(s, WINDOWS)], s->csr->n <= 65536 ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32, &more->axes);
  else
    AutoCSRSearchLanes(s, (PetscInt)1 << AutoCSRSearchDraw(s, 9), &leaf->axes);
  graph->n++;
  near_first(graph);
  return PETSC_TRUE;
}

/* The leaf of the bin after this one's */
static AutoCSRLeaf *next_bin(AutoCSRGraph *graph, const AutoCSRLeaf *leaf)
{
  for (PetscInt i = 0; i < graph->n; i++) {
    AutoCSRLeaf *next = &graph->leaf[i];

    if (leaf->rows.longest < PETSC_MAX_INT && !leaf->rows.row_group && next->rows.nearness == leaf->rows.nearness && next->rows.begin == leaf->rows.begin && next->rows.end == leaf->rows.end && next->rows.shortest > leaf->rows.longest) {
      PetscBool nearest = PETSC_TRUE;

      for (PetscInt j = 0; j < graph->n; j++) {
        const AutoCSRLeaf *other = &graph->leaf[j];

        if (other->rows.nearness == leaf->rows.nearness && other->rows.begin == leaf->rows.begin && other->rows.shortest > leaf->rows.longest && other->rows.shortest < next->rows.shortest) nearest = PETSC_FALSE;
      }
      if (nearest) return next;
    }
  }
  return NULL;
}

static PetscBool join(AutoCSRSearch *s, AutoCSRGraph *graph, AutoCSRLeaf *leaf)
{
  AutoCSRLeaf *next = next_bin(graph, leaf);

  if (!next || leaf->axes.mapping == AUTOCSR_MAP_EMPTY) return PETSC_FALSE;
  leaf->rows.longest = next->rows.longest;
  if (AutoCSRSearchDraw(s, 2)) leaf->axes = next->axes;
  *next = graph->leaf[--graph->n];
  near_first(graph);
  return PETSC_TRUE;
}

static PetscBool move_edge(AutoCSRSearch *s, AutoCSRGraph *graph, AutoCSRLeaf *leaf)
{
  AutoCSRLeaf   *next = next_bin(graph, leaf);
  const PetscInt edge = edges[AutoCSRSearchDraw(s, EDGES)];

  if (!next || leaf->axes.mapping == AUTOCSR_MAP_EMPTY || edge <= leaf->rows.shortest || edge > next->rows.longest) return PETSC_FALSE;
  leaf->rows.longest  = edge - 1;
  next->rows.shortest = edge;
  return PETSC_TRUE;
}

/* Twice or half of a number that is at least 1 */
static PetscBool scale(AutoCSRSearch *s, PetscInt most, PetscInt *number)
{
  const PetscInt was = *number;

  *number = AutoCSRSearchDraw(s, 2) ? PetscMin(most, 2 * was) : PetscMax(1, was / 2);
  return (PetscBool)(*number != was);
}

static PetscInt draw_from(AutoCSRSearch *s, const PetscInt list[], PetscInt n)
{
  return list[AutoCSRSearchDraw(s, n)];
}

/* All slices in the order of the rows are as wide as the longest row */
static PetscBool has_one_width(const AutoCSRProfile *profile)
{
  double slots = 0, slices = 0;

  for (PetscInt z = 0; z < profile->zones; z++) {
    slots += profile->zone[z].padded;
    slices += profile->zone[z].slices;
  }
  return (PetscBool)(slots == slices * profile->slice_height * (double)profile->max_length);
}

PetscInt AutoCSRSearchConstants(const AutoCSRSearch *s, const AutoCSRAxes *a)
{
  if (!s->generates || a->block > 1 || AutoCSROrderHasTiles(a->order)) return 0;
  if (a->index == AUTOCSR_INDEX_PATTERN) return a->value == AUTOCSR_VALUE_PATTERN ? 2 : 0;
  if (a->value == AUTOCSR_VALUE_CONSTANT) return 2;
  if (a->mapping == AUTOCSR_MAP_TILE) return s->profile->empty_rows == 0;
  return a->mapping == AUTOCSR_MAP_SLICE && a->index != AUTOCSR_INDEX_FITTED && a->sort_window <= 1 && has_one_width(s->profile);
}

/* How a kernel that is compiled at run time uses a multiprocessor (SET_RESOURCES), and what it has as constants; 0: its own numbers */
static PetscBool change_resources(AutoCSRSearch *s, AutoCSRAxes *a)
{
  static const PetscInt threads[] = {0, 64, 128, 256, 512}, residents[] = {0, 1, 2, 3, 4, 6, 8, 12, 16}, in_flight[] = {0, 2, 4, 6, 12, 16}, rows[] = {0, 1, 2, 4, 8}, stretches[] = {0, AUTOCSR_MAX_STRETCHES}, sorted[] = {0, PETSC_MAX_INT}; /* windows of sorted rows make more stretches */
  const PetscBool       tiles = AutoCSRMappingSharesEntries(a->mapping), lanes = (PetscBool)(a->mapping == AUTOCSR_MAP_LANES);
  const AutoCSRAxes     was   = *a;

  switch (AutoCSRSearchDraw(s, 7)) {
  case 0:
    if (a->mapping == AUTOCSR_MAP_PLANES) break;
    if (tiles)
      a->tile_width = draw_from(s, threads + 1, 4);
    else
      a->threads = draw_from(s, threads, 5);
    break;
  case 1:
    a->residents = draw_from(s, residents, 9);
    break;
  case 2:
    if (lanes || a->mapping == AUTOCSR_MAP_SLICE || a->mapping == AUTOCSR_MAP_FETCH) a->in_flight = draw_from(s, in_flight, 6);
    break;
  case 3:
    if (lanes || (a->mapping == AUTOCSR_MAP_SLICE && a->lanes == 1)) a->rows_each = draw_from(s, rows, 5);
    break;
  case 4:
    if (a->index == AUTOCSR_INDEX_PATTERN || (!lanes && (a->mapping != AUTOCSR_MAP_SLICE || a->lanes > 1))) break;
    a->stretches = draw_from(s, stretches, 2);
    if (a->stretches && !lanes) a->sort_window = draw_from(s, sorted, 2);
    break;
  case 5:
    a->constants = AutoCSRSearchDraw(s, AutoCSRSearchConstants(s, a) + 1);
    break;
  default:
    a->threads = a->residents = a->in_flight = a->rows_each = a->stretches = a->constants = 0;
  }
  return (PetscBool)(a->stretches != was.stretches || a->constants != was.constants || a->threads != was.threads || a->tile_width != was.tile_width || a->residents != was.residents || a->in_flight != was.in_flight || a->rows_each != was.rows_each);
}

/* Leaves of all entries of rows of the whole matrix */
static PetscBool may_be_divided(const AutoCSRSearch *s, const AutoCSRGraph *graph)
{
  for (PetscInt i = 0; i < graph->n; i++) {
    const AutoCSRLeaf *leaf = &graph->leaf[i];

    if (leaf->rows.nearness || leaf->rows.begin > 0 || (leaf->axes.mapping != AUTOCSR_MAP_EMPTY && !may_be_cut(s, leaf))) return PETSC_FALSE;
  }
  return (PetscBool)(graph->n < AUTOCSR_MAX_LEAVES);
}

/* Entries near the diagonal in slices with 16-bit columns, the others by the leaves that had all; or a graph of both once more, by another number of columns */
static PetscBool divide(AutoCSRSearch *s, AutoCSRGraph *graph)
{
  static const PetscInt reaches[] = {64, 512, 4096, 16384, 32000};
  const PetscInt        reach = draw_from(s, reaches, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(reaches));
  AutoCSRLeaf           near  = {.rows = {.end = graph->leaf[0].rows.end, .longest = PETSC_MAX_INT, .nearness = AUTOCSR_NEARNESS_NEAR}};
  PetscInt              least = 0;

  if (reach >= s->csr->n) return PETSC_FALSE;
  if (graph->leaf[0].rows.nearness == AUTOCSR_NEARNESS_ANY) {
    if (!may_be_divided(s, graph)) return PETSC_FALSE;
    for (PetscInt i = 0; i < graph->n; i++) {
      graph->leaf[i].rows.nearness = AUTOCSR_NEARNESS_FAR;
      if (graph->leaf[i].rows.shortest < graph->leaf[least].rows.shortest) least = i;
    }
    graph->leaf[least].rows.shortest = 0; /* rows have fewer far entries than entries */
    AutoCSRSearchSlices(s, 0, AUTOCSR_INDEX_16, &near.axes);
    graph->leaf[graph->n++] = near;
    near_first(graph);
  }
  for (PetscInt i = 0; i < graph->n; i++) graph->leaf[i].rows.reach = reach;
  return PETSC_TRUE;
}

static PetscBool change_numbers(AutoCSRSearch *s, AutoCSRLeaf *leaf)
{
  AutoCSRAxes *a = &leaf->axes;

  if (s->generates && a->mapping != AUTOCSR_MAP_EMPTY && AutoCSRSearchDraw(s, 2)) return change_resources(s, a);
  if (a->mapping == AUTOCSR_MAP_LANES && a->block <= 1 && a->index == AUTOCSR_INDEX_CSR) {
    const PetscBool changed = scale(s, s->parallel ? 4096 : 32, &a->lanes);

    a->reduction = a->lanes > 1 ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE;
    return changed;
  }
  if (a->mapping == AUTOCSR_MAP_FETCH) return scale(s, 32, &a->lanes);
  if (a->mapping == AUTOCSR_MAP_TILE || a->mapping == AUTOCSR_MAP_MERGE) return scale(s, 256, &a->tile_height);
  if (a->mapping == AUTOCSR_MAP_ROW_BLOCKS) return scale(s, a->tile_width * a->tile_height / 2, &a->row_limit);
  if (a->mapping != AUTOCSR_MAP_SLICE || a->width) return PETSC_FALSE;
  if (s->parallel && AutoCSRSearchDraw(s, 3) == 0) { /* several lanes a row */
    a->slice_height = a->stretches = a->rows_each = 0;
    a->reduction               = AUTOCSR_REDUCE_TREE;
    return scale(s, 32, &a->lanes);
  }
  a->sort_window = windows[AutoCSRSearchDraw(s, WINDOWS)];
  return PETSC_TRUE;
}

/* Rows in the CSR's order: in place, or with codes of their own */
static PetscBool change_codes_in_order(AutoCSRSearch *s, AutoCSRAxes *a)
{
  const AutoCSRAxes was = *a;

  a->value = draw_value(s);
  if (a->value == AUTOCSR_VALUE_COPY) a->value = AUTOCSR_VALUE_CSR;
  a->index = AutoCSRSearchDraw(s, 2) ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_CSR;
  return (PetscBool)(a->index != was.index || a->value != was.value);
}

static PetscBool change_coding(AutoCSRSearch *s, AutoCSRLeaf *leaf)
{
  static const AutoCSRIndex indices[] = {AUTOCSR_INDEX_16, AUTOCSR_INDEX_32, AUTOCSR_INDEX_FITTED};
  AutoCSRAxes              *a         = &leaf->axes;

  if (a->order == AUTOCSR_ORDER_CSR && (AutoCSRMappingSharesEntries(a->mapping) || (a->mapping == AUTOCSR_MAP_LANES && !s->parallel && a->block <= 1 && a->index != AUTOCSR_INDEX_PATTERN))) return change_codes_in_order(s, a);
  if (a->order == AUTOCSR_ORDER_SLICED && a->index != AUTOCSR_INDEX_PATTERN && AutoCSRSearchDraw(s, 2)) {
    a->index = indices[AutoCSRSearchDraw(s, 3)];
    if (a->index == AUTOCSR_INDEX_FITTED) a->sort_window = 0;
  } else if (AutoCSRValueIsStored(a->value))
    a->value = draw_value(s);
  else
    return PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscBool map_otherwise(AutoCSRSearch *s, AutoCSRLeaf *leaf)
{
  if (!may_be_cut(s, leaf)) return PETSC_FALSE;
  if (leaf->axes.mapping == AUTOCSR_MAP_LANES)
    AutoCSRSearchSlices(s, windows[AutoCSRSearchDraw(s, WINDOWS)], s->csr->n <= 65536 ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32, &leaf->axes);
  else
    AutoCSRSearchLanes(s, (PetscInt)1 << AutoCSRSearchDraw(s, 8), &leaf->axes);
  return PETSC_TRUE;
}

#define TRIES 64

void AutoCSRSearchMove(AutoCSRSearch *s, const AutoCSRGraph *from, AutoCSRGraph *to)
{
  PetscInt moved = 0;

  for (int t = 0; t < TRIES && !moved; t++) {
    AutoCSRLeaf *leaf;
    PetscBool    done = PETSC_FALSE;

    *to  = *from;
    leaf = &to->leaf[AutoCSRSearchDraw(s, to->n)];
    switch (AutoCSRSearchDraw(s, 9)) {
    case 0:
      done = cut(s, to, leaf);
      break;
    case 1:
      done = join(s, to, leaf);
      break;
    case 2:
      done = move_edge(s, to, leaf);
      break;
    case 3:
      done = change_coding(s, leaf);
      break;
    case 4:
      done = map_otherwise(s, leaf);
      break;
    case 5:
      done = divide(s, to);
      break;
    default:
      done = change_numbers(s, leaf);
    }
    moved += done;
  }
}
