/*
  Measures the machine: streaming and random reads at each level of memory and, on a processor, every executor on small
  matrices that fit the L2 cache, where its work shows and the bytes do not (but for uneven rows, of which a predictor must not learn the ends), and with x at random from memory. The executors of a device keep the figures shipped,
  which fit products with many matrices better than a few samples could, scaled by how much faster this device works.
*/
#include "samples.h"

#define LEAST_PASSES 2
#define MOST_PASSES  6
#define GAINED       0.01 /* in the mean: another pass may be worth it */
#define LEAST_GATHER 0.1  /* of an executor, in times of a read that waits for nothing */

static PetscErrorCode time_segment(AutoCSRPlan *plan, const AutoCSRSample *a, const AutoCSRAxes *axes, const AutoCSRExecutor *executor)
{
  AutoCSRSegment *seg;

  PetscFunctionBegin;
  PetscCall(AutoCSRPlanAddSegment(plan, "calibration", axes, &seg));
  seg->n_rows = a->csr.m;
  if (axes->sort_window > 1) PetscCall(AutoCSRSegmentSortRows(seg, &a->csr));
  PetscCall(AutoCSRSegmentEncode(seg, &a->csr, a->profile));
  seg->executor = executor;
  PetscCall((*plan->backend->bind)(plan, &a->csr));
  PetscCall(AutoCSRPlanTime(plan, &a->csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of a product with a sample in one segment of these axes */
static PetscErrorCode sample_time(const AutoCSRSample *a, const AutoCSRAxes *axes, const AutoCSRExecutor *executor, double *seconds)
{
  AutoCSRPlan   *plan;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AutoCSRPlanCreate(&a->csr, &plan));
  ierr     = time_segment(plan, a, axes, executor);
  *seconds = plan->measured;
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The products that tell what an executor costs: with shorter rows, longer rows, those that leave its fast path */
enum {
  SHORTER,
  LONGER,
  IRREGULAR,
  PRODUCTS
};

/* An executor under test; seconds are the least of all passes */
typedef struct {
  AutoCSRAxes            axes;
  const AutoCSRExecutor *executor, *other;
  const AutoCSRSample   *sample;         /* of all kinds */
  AutoCSRSampleKind      kind[PRODUCTS]; /* IRREGULAR as SHORTER: nothing of its cost is */
  double                 seconds[PRODUCTS];
  double                 far, near; /* seconds of the products whose lines of x are in memory, in the last cache; where they are made */
} Trial;

/* n: there is none */
static PetscInt trial_find(const Trial trial[], PetscInt n, const AutoCSRExecutor *executor, const AutoCSRSample sample[], PetscInt sort_window)
{
  PetscInt i = 0;

  while (i < n && (trial[i].executor != executor || trial[i].sample != sample || trial[i].axes.sort_window != sort_window)) i++;
  return i;
}

static PetscErrorCode trial_add(const AutoCSRSample sample[], const AutoCSRFigures *f, const AutoCSRAxes *axes, Trial trial[], PetscInt *n)
{
  Trial t = {.axes = *axes, .sample = sample, .kind = {SAMPLE_SHORT_ROWS, SAMPLE_LONG_ROWS, SAMPLE_UNEVEN_ROWS}};

  PetscFunctionBegin;
  PetscCall((*f->backend->find_executor)(axes, f->simd, &t.executor));
  if (t.executor && f->backend->other_way) t.other = (*f->backend->other_way)(t.executor);
  if (!t.executor || trial_find(trial, *n, t.executor, sample, axes->sort_window) < *n || *n == AUTOCSR_MAX_EXECUTORS) PetscFunctionReturn(PETSC_SUCCESS);
  if (axes->index == AUTOCSR_INDEX_PATTERN)
    t.kind[IRREGULAR] = SAMPLE_MIXED_PATTERNS;
  else if ((axes->mapping == AUTOCSR_MAP_LANES && axes->lanes == 1 && axes->block <= 1) || (axes->mapping == AUTOCSR_MAP_NODES && axes->width)) { /* for rows that end before the latency of one sum shows */
    t.kind[SHORTER] = SAMPLE_TINY_ROWS;
    t.kind[LONGER]  = SAMPLE_SHORT_ROWS;
  }
  if (axes->order == AUTOCSR_ORDER_TILED) { /* of each row a piece; nothing in its cost is irregular */
    t.kind[SHORTER] = t.kind[IRREGULAR] = SAMPLE_SHORT_PIECES;
    t.kind[LONGER]                      = SAMPLE_LONG_PIECES;
  }
  if (axes->mapping == AUTOCSR_MAP_TILE || AutoCSRMappingHasWork(axes->mapping)) { /* tiles do not feel rows until they are very short */
    t.kind[SHORTER]   = SAMPLE_UNEVEN_ROWS;
    t.kind[IRREGULAR] = SAMPLE_EMPTY_ROWS;
  }
  if (axes->mapping == AUTOCSR_MAP_NODES && !axes->width) t.kind[IRREGULAR] = t.kind[SHORTER]; /* see share_node_ends() */
  if (axes->sort_window > 1) t.kind[SHORTER] = t.kind[IRREGULAR] = SAMPLE_SORTED_ROWS;         /* a window of them: their lines of x and y do not come side by side */
  for (int k = 0; k < PRODUCTS; k++) t.seconds[k] = PETSC_MAX_REAL;
  t.far = t.near = PETSC_MAX_REAL;
  trial[(*n)++]  = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode trial_add_coded(const AutoCSRSample sample[], const AutoCSRFigures *f, AutoCSRValue value, Trial trial[], PetscInt *n)
{
  AutoCSRAxes axes = {.index = AUTOCSR_INDEX_PATTERN, .value = value, .mapping = AUTOCSR_MAP_LANES, .lanes = 1, .row_group = 1, .slice_height = f->backend->slice_height};

  PetscFunctionBegin;
  PetscCall(trial_add(sample, f, &axes, trial, n));
  if (value == AUTOCSR_VALUE_CSR || value == AUTOCSR_VALUE_PATTERN) PetscFunctionReturn(PETSC_SUCCESS);
  axes.order   = AUTOCSR_ORDER_SLICED;
  axes.mapping = AUTOCSR_MAP_SLICE;
  for (int index = AUTOCSR_INDEX_32; index <= AUTOCSR_INDEX_FITTED; index++) {
    axes.index       = (AutoCSRIndex)index;
    axes.sort_window = 0;
    PetscCall(trial_add(sample, f, &axes, trial, n));
    if (index != AUTOCSR_INDEX_32 && index != AUTOCSR_INDEX_16) continue; /* of rows in order only */
    axes.sort_window = sample[SAMPLE_SORTED_ROWS].profile->window;
    PetscCall(trial_add(sample, f, &axes, trial, n));
  }
  axes.order   = AUTOCSR_ORDER_DIAGONAL; /* entries above the diagonal alone are as much work */
  axes.index   = AUTOCSR_INDEX_PATTERN;
  axes.mapping = AUTOCSR_MAP_LANES;
  PetscCall(trial_add(sample, f, &axes, trial, n));
  axes.order   = AUTOCSR_ORDER_SLICED;
  axes.mapping = AUTOCSR_MAP_SLICE;
  axes.lanes   = AUTOCSR_MEASURED_LANES;
  axes.slice_height /= axes.lanes;
  for (int index = AUTOCSR_INDEX_32; index <= AUTOCSR_INDEX_16; index++) {
    axes.index = (AutoCSRIndex)index;
    PetscCall(trial_add(sample, f, &axes, trial, n));
  }
  axes = (AutoCSRAxes){.partition = AUTOCSR_PARTITION_COLUMNS, .order = AUTOCSR_ORDER_TILED, .index = AUTOCSR_INDEX_16, .value = value, .mapping = AUTOCSR_MAP_GROUP, .reduction = AUTOCSR_REDUCE_SEGMENTED, .slice_height = 1, .row_group = 1};
  (*f->backend->shape_tiles)(sample[SAMPLE_LONG_PIECES].csr.m, sample[SAMPLE_LONG_PIECES].csr.n, sample[SAMPLE_LONG_PIECES].csr.nnz, &axes);
  axes.tile_width = sample[SAMPLE_LONG_PIECES].csr.n;
  PetscCall(trial_add(sample, f, &axes, trial, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All axes that a strategy may ask for */
static PetscErrorCode trials_list(const AutoCSRSamples *s, const AutoCSRFigures *f, Trial trial[], PetscInt *n)
{
  AutoCSRAxes axes = {.lanes = 1, .row_group = 1, .slice_height = f->backend->slice_height, .tile_width = f->backend->tile_width, .tile_height = f->backend->tile_height, .tile_steps = f->backend->tile_steps};

  PetscFunctionBegin;
  *n           = 0;
  axes.mapping = AUTOCSR_MAP_EMPTY;
  PetscCall(trial_add(s->entries, f, &axes, trial, n));
  axes.mapping   = AUTOCSR_MAP_TILE;
  axes.partition = AUTOCSR_PARTITION_NONZEROS;
  PetscCall(trial_add(s->entries, f, &axes, trial, n));
  axes.partition = AUTOCSR_PARTITION_ROWS;
  axes.mapping   = AUTOCSR_MAP_LANES;
  for (axes.lanes = 1; axes.lanes <= 256; axes.lanes *= 2) {
    axes.index = AUTOCSR_INDEX_CSR;
    PetscCall(trial_add(s->entries, f, &axes, trial, n));
    axes.index = AUTOCSR_INDEX_16;
    PetscCall(trial_add(s->entries, f, &axes, trial, n));
  }
  axes.index = AUTOCSR_INDEX_CSR;
  axes.value = AUTOCSR_VALUE_CONSTANT;
  for (axes.lanes = 1; axes.lanes <= 256; axes.lanes *= 2) PetscCall(trial_add(s->one, f, &axes, trial, n));
  PetscCall(trial_add_coded(s->entries, f, AUTOCSR_VALUE_CSR, trial, n));
  PetscCall(trial_add_coded(s->same, f, AUTOCSR_VALUE_PATTERN, trial, n));
  PetscCall(trial_add_coded(s->entries, f, AUTOCSR_VALUE_COPY, trial, n));
  PetscCall(trial_add_coded(s->entries, f, AUTOCSR_VALUE_DICTIONARY, trial, n));
  PetscCall(trial_add_coded(s->few, f, AUTOCSR_VALUE_DICTIONARY, trial, n));
  PetscCall(trial_add_coded(s->one, f, AUTOCSR_VALUE_CONSTANT, trial, n));
  if (s->entries[0].profile->float32_exact) PetscCall(trial_add_coded(s->entries, f, AUTOCSR_VALUE_FLOAT32, trial, n));
  axes.lanes = 1;
  axes.index = AUTOCSR_INDEX_16;
  for (int value = AUTOCSR_VALUE_CSR; value <= AUTOCSR_VALUE_FLOAT32; value++) {
    axes.value = (AutoCSRValue)value;
    if (value == AUTOCSR_VALUE_COPY || (value == AUTOCSR_VALUE_FLOAT32 && !s->entries[0].profile->float32_exact)) continue;
    for (axes.block = 2; axes.block <= AUTOCSR_LARGEST_BLOCK; axes.block++) PetscCall(trial_add(s->blocks[axes.block], f, &axes, trial, n));
  }
  axes = (AutoCSRAxes){.order = AUTOCSR_ORDER_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_NODES, .row_group = 1};
  for (axes.lanes = 2; axes.lanes <= AUTOCSR_NODE_ROWS; axes.lanes++) {
    for (int index = AUTOCSR_INDEX_32; index <= AUTOCSR_INDEX_16; index++) {
      axes.index = (AutoCSRIndex)index;
      axes.width = 0;
      PetscCall(trial_add(s->blocks[axes.lanes], f, &axes, trial, n));
      axes.width = 1;
      PetscCall(trial_add(s->nodes[axes.lanes], f, &axes, trial, n));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double padded_entries(const AutoCSRProfile *profile, PetscBool sorted)
{
  double padded = 0;

  for (PetscInt c = 0; c < profile->chunks; c++) padded += sorted ? profile->chunk[c].padded_sorted : profile->chunk[c].padded;
  return padded;
}

static PetscBool has_irregular(const Trial *t)
{
  return (PetscBool)(t->kind[IRREGULAR] != t->kind[SHORTER]);
}

/* entry and row from shorter and longer rows; irregular from what those that leave the fast path take on top of them */
static AutoCSRExecutorCost trial_fit(const Trial *t)
{
  const AutoCSRSample *off = &t->sample[t->kind[IRREGULAR]];
  const AutoCSRMatrix *s = &t->sample[t->kind[SHORTER]].csr, *l = &t->sample[t->kind[LONGER]].csr, *u = &off->csr;
  const PetscBool      sliced = (PetscBool)(t->axes.order == AUTOCSR_ORDER_SLICED), sorted = (PetscBool)(t->axes.sort_window > 1);
  const double         determinant = (double)s->nnz * l->m - (double)l->nnz * s->m;
  double               entries     = sliced ? padded_entries(off->profile, sorted) : u->nnz, count;
  AutoCSRExecutorCost  cost        = {(t->seconds[SHORTER] * l->m - t->seconds[LONGER] * s->m) / determinant, (t->seconds[LONGER] * s->nnz - t->seconds[SHORTER] * l->nnz) / determinant, 0, 0, 0, 1};

  if (t->axes.mapping == AUTOCSR_MAP_EMPTY) return (AutoCSRExecutorCost){0, t->seconds[SHORTER] / s->m, 0, 0, 0, 1};
  if (cost.row < 0 || cost.entry <= 0) cost = (AutoCSRExecutorCost){(t->seconds[SHORTER] + t->seconds[LONGER]) / (s->nnz + l->nnz), 0, 0, 0, 0, 1};
  if (t->axes.index == AUTOCSR_INDEX_PATTERN)
    count = entries;
  else if (sliced)
    count = PetscMin(entries, 2 * (entries - u->nnz));
  else if (t->axes.mapping == AUTOCSR_MAP_TILE || AutoCSRMappingHasWork(t->axes.mapping))
    count = (double)u->nnz / (t->axes.tile_width * t->axes.tile_height);
  else
    count = u->m;
  if (t->axes.mapping == AUTOCSR_MAP_NODES) cost.memory = AUTOCSR_NODES_MEMORY;
  if (has_irregular(t)) cost.irregular = PetscMax(0, (t->seconds[IRREGULAR] - entries * cost.entry - u->m * cost.row) / count);
  return cost;
}

/* Is the trial's product with x far away made? Those that differ in their codings alone share it: *like is the first of them */
static PetscBool trial_gathers(const Trial trial[], PetscInt i, PetscInt *like)
{
  const AutoCSRAxes *axes = &trial[i].axes;

  for (*like = 0; *like < i && (trial[*like].axes.order != axes->order || trial[*like].axes.mapping != axes->mapping || trial[*like].axes.lanes != axes->lanes);) (*like)++;
  return (PetscBool)(axes->index != AUTOCSR_INDEX_PATTERN && axes->order != AUTOCSR_ORDER_TILED && axes->block <= 1 && axes->mapping != AUTOCSR_MAP_NODES && axes->mapping != AUTOCSR_MAP_EMPTY);
}

/* x gathered by the faster of two ways, as products find out by themselves; uneven rows sorted where there are slices */
static PetscErrorCode gathering_time(const AutoCSRSample *a, PetscBool uneven, const Trial *t, double *seconds)
{
  AutoCSRAxes axes = t->axes;
  double      other;

  PetscFunctionBegin;
  if (axes.order == AUTOCSR_ORDER_SLICED) axes.sort_window = uneven ? a->profile->window : 0;
  PetscCall(sample_time(a, &axes, t->executor, seconds));
  if (!t->other) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(sample_time(a, &axes, t->other, &other));
  *seconds = PetscMin(*seconds, other);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All trials once. *gained: by how much, in the mean, they took less time than ever before */
static PetscErrorCode trials_pass(const AutoCSRSamples *s, Trial trial[], PetscInt n, double *gained)
{
  double   seconds, sum = 0;
  PetscInt like;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    Trial *t = &trial[i];

    for (int k = 0; k < PRODUCTS; k++) {
      if (k == IRREGULAR && !has_irregular(t)) continue;
      PetscCall(sample_time(&t->sample[t->kind[k]], &t->axes, t->executor, &seconds));
      if (seconds < t->seconds[k]) sum += 1 - seconds / t->seconds[k];
      t->seconds[k] = PetscMin(t->seconds[k], seconds);
    }
    if (!trial_gathers(trial, i, &like) || like < i) continue;
    PetscCall(gathering_time(&s->far, PETSC_TRUE, t, &seconds));
    t->far = PetscMin(t->far, seconds);
    PetscCall(gathering_time(&s->near, PETSC_FALSE, t, &seconds));
    t->near = PetscMin(t->near, seconds);
  }
  *gained = sum / (PRODUCTS * n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a line of x takes an executor in the product with a sample, on top of `rest`, in times of a read that waits for nothing */
static double gather_fit(const AutoCSRSample *a, double rest, double seconds, double line)
{
  double lines = 0;

  for (PetscInt c = 0; c < a->profile->chunks; c++) lines += a->profile->chunk[c].gather_lines * a->profile->chunk[c].nnz;
  return line > 0 ? PetscMax(LEAST_GATHER, (seconds - rest) / (lines * line)) : 0;
}

/* Lines from memory hide the streams, which are short beside them; rows are uneven */
static double far_fit(const Trial *t, const AutoCSRExecutorCost *cost, const AutoCSRSample *far, const AutoCSRMachine *m)
{
  const PetscBool sliced = (PetscBool)(t->axes.order == AUTOCSR_ORDER_SLICED);
  const double    work   = (sliced ? padded_entries(far->profile, PETSC_TRUE) : far->csr.nnz) * cost->entry + far->csr.m * (cost->row + (sliced ? 0 : cost->irregular));

  return gather_fit(far, work, t->far, m->random_line[3]);
}

/* Lines from the last cache come beside streams from memory; rows are alike */
static double near_fit(const Trial *t, const AutoCSRExecutorCost *cost, const AutoCSRSample *near, const AutoCSRMachine *m)
{
  const double bytes = (double)AutoCSRMatrixBytes(&near->csr), work = near->csr.nnz * cost->entry + near->csr.m * cost->row, stream = AutoCSRStreamSeconds(m, bytes, bytes);

  return gather_fit(near, PetscMax(work, stream) + m->not_hidden * PetscMin(work, stream), t->near, m->random_line[2]);
}

/*
  Memory as fast as it was in any reading so far: neighbours on the machine take bandwidth and cache for a while, and figures are kept for good. reported: bytes of the caches
  by the system
*/
static PetscErrorCode measure_memory(AutoCSRFigures *f, const double reported[3])
{
  AutoCSRMachine *m = &f->machine, now = *m;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(now.cache, reported, 3));
  PetscCall((*f->backend->measure_memory)(now.cache, now.bandwidth, now.random_line, &now.strided));
  if (now.bandwidth[3] > m->bandwidth[3]) m->strided = now.strided;
  for (int level = 0; level < 4; level++) {
    m->bandwidth[level]   = PetscMax(m->bandwidth[level], now.bandwidth[level]);
    m->random_line[level] = PetscMin(m->random_line[level], now.random_line[level]);
  }
  m->cache[2] = PetscMax(m->cache[2], now.cache[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of short rows and of longer ones end alike: what is irregular is found with the short alone */
static void share_node_ends(AutoCSRFigures *f, const AutoCSRSamples *s, const Trial trial[])
{
  for (PetscInt i = 0; i < f->n_executors; i++) {
    const AutoCSRAxes *axes   = &trial[i].axes;
    const PetscInt     longer = axes->mapping == AUTOCSR_MAP_NODES && axes->width ? trial_find(trial, f->n_executors, trial[i].executor, s->blocks[axes->lanes], axes->sort_window) : f->n_executors;

    if (longer < f->n_executors) f->executor[longer].cost.irregular = f->executor[i].cost.irregular;
  }
}

/* Seconds that the start of a segment takes: a product with one entry is no more */
static PetscErrorCode measure_launch(const AutoCSRFigures *f, const AutoCSRSamples *s, double *seconds)
{
  const AutoCSRAxes      axes = {.mapping = AUTOCSR_MAP_LANES, .lanes = 1, .row_group = 1};
  const AutoCSRExecutor *executor;

  PetscFunctionBegin;
  PetscCall((*f->backend->find_executor)(&axes, f->simd, &executor));
  PetscCall(sample_time(&s->entries[SAMPLE_ONE_ENTRY], &axes, executor, seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All trials, again and again: what disturbs one pass, as neighbours of the processor do, seldom disturbs the same trial in all. Memory before, between and after them */
static PetscErrorCode measure_executors(AutoCSRFigures *f, const AutoCSRSamples *s, Trial trial[])
{
  AutoCSRMachine *m           = &f->machine;
  const double    reported[3] = {m->cache[0], m->cache[1], m->cache[2]};
  double          gained      = 1;

  PetscFunctionBegin;
  PetscCall(trials_list(s, f, trial, &f->n_executors));
  for (int level = 0; level < 4; level++) {
    m->bandwidth[level]   = 0;
    m->random_line[level] = PETSC_MAX_REAL;
  }
  m->cache[2] = 0;
  PetscCall(measure_memory(f, reported));
  for (int pass = 0; pass < MOST_PASSES && (pass < LEAST_PASSES || gained > GAINED); pass++) {
    PetscCall(trials_pass(s, trial, f->n_executors, &gained));
    PetscCall(measure_memory(f, reported));
  }
  /* The executors' own figures hold x near: only what further levels cost on top counts */
  for (int level = 3; level >= 0; level--) m->random_line[level] = PetscMax(0, m->random_line[level] - m->random_line[0]);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    AutoCSRExecutorFigure *figure = &f->executor[i];
    const Trial           *t      = &trial[i];
    PetscInt               like;

    PetscCall(AutoCSRFigureName(f, t->executor, &t->axes, (PetscBool)(t->axes.sort_window > 1), t->sample[t->kind[SHORTER]].profile->values, sizeof(figure->name), figure->name));
    figure->cost = trial_fit(t);
    if (!trial_gathers(trial, i, &like)) continue;
    figure->cost.gather = like < i ? f->executor[like].cost.gather : far_fit(t, &figure->cost, &s->far, m);
    figure->cost.near   = like < i ? f->executor[like].cost.near : near_fit(t, &figure->cost, &s->near, m);
  }
  share_node_ends(f, s, trial);
  PetscCall(measure_launch(f, s, &m->launch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure_processor(AutoCSRFigures *f)
{
  AutoCSRSamples *samples = NULL;
  Trial          *trial;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(AUTOCSR_MAX_EXECUTORS, &trial));
  ierr = AutoCSRSamplesCreate(f, f->machine.cache[1], &samples);
  if (!ierr) ierr = measure_executors(f, samples, trial);
  PetscCall(AutoCSRSamplesDestroy(&samples)); /* after an error, too: out of memory is one that the caller lives with */
  PetscCall(PetscFree(trial));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFiguresMeasure(AutoCSRFigures *f)
{
  AutoCSRMachine      *m       = &f->machine;
  const AutoCSRMachine shipped = *m;

  PetscFunctionBegin;
  if (!m->parallel) {
    PetscCall(measure_processor(f));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall((*f->backend->measure_memory)(m->cache, m->bandwidth, m->random_line, &m->strided));
  if (m->bandwidth[0] <= 0) PetscFunctionReturn(PETSC_SUCCESS);        /* no memory to measure it: not plausible */
  for (int level = 0; level < 4 && f->bandwidth[level] > 0; level++) { /* figures fitted to products of another machine: this one is so much faster */
    m->bandwidth[level] *= shipped.bandwidth[level] / f->bandwidth[level];
    m->random_line[level] *= shipped.random_line[level] / f->random_line[level];
  }
  for (PetscInt i = 0; i < f->n_executors; i++) { /* reads from L1 go as fast as there are multiprocessors, and at their clock: so does work */
    AutoCSRExecutorCost *cost = &f->executor[i].cost;

    cost->entry *= shipped.bandwidth[0] / m->bandwidth[0];
    cost->row *= shipped.bandwidth[0] / m->bandwidth[0];
    cost->irregular *= shipped.bandwidth[0] / m->bandwidth[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
