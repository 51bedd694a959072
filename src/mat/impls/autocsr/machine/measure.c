/*
  Measures a processor: streaming and random reads at each level of memory, and each executor. Executors multiply small
  samples that fit L2, where their work shows. They also multiply uneven rows whose x is read at random from memory,
  because a mispredicted end leaves fewer lines of x on their way. A random line of x is timed beside values that stream
  by, as in a product.

  A step takes milliseconds, except for making the two samples whose x is large. Passes over all products repeat until one
  gains less than GAINED, because a disturbance seldom hits the same product in each pass. Neighbours on the processor's
  other thread slow a pass down, so the least time of all passes counts. Memory is read after each pass.
*/
#include "measure.h"

#define LEAST_PASSES 2         /* passes over all products, */
#define MOST_PASSES  6         /* and at most */
#define GAINED       0.01      /* mean share of a product's seconds: if the last pass gained more, another may, too (`autocsr_tune` twice must agree) */
#define LEAST_GATHER 0.1       /* `gather` and `near` of an executor, at least: less is noise of the clock */
#define FILLED       (1 << 20) /* bytes of the area that a step fills: some milliseconds */

/* n: there is none */
static PetscInt trial_find(const AutoCSRTrial trial[], PetscInt n, const AutoCSRExecutor *executor, const AutoCSRSample sample[], PetscInt sort_window)
{
  PetscInt i = 0;

  while (i < n && (trial[i].executor != executor || trial[i].sample != sample || trial[i].axes.sort_window != sort_window)) i++;
  return i;
}

static PetscErrorCode trial_add(AutoCSRSample sample[], const AutoCSRFigures *f, const AutoCSRAxes *axes, AutoCSRTrial trial[], PetscInt *n)
{
  AutoCSRTrial t = {.axes = *axes, .sample = sample, .kind = {SAMPLE_SHORT_ROWS, SAMPLE_LONG_ROWS, SAMPLE_UNEVEN_ROWS}};

  PetscFunctionBegin;
  PetscCall((*f->backend->find_executor)(axes, f->simd, &t.executor));
  if (t.executor && f->backend->other_way) t.other = (*f->backend->other_way)(t.executor);
  if (!t.executor || trial_find(trial, *n, t.executor, sample, axes->sort_window) < *n || *n == AUTOCSR_MAX_FIGURES) PetscFunctionReturn(PETSC_SUCCESS);
  if (axes->index == AUTOCSR_INDEX_PATTERN)
    t.kind[AUTOCSR_TRIAL_IRREGULAR] = SAMPLE_MIXED_PATTERNS;
  else if ((axes->mapping == AUTOCSR_MAP_LANES && axes->lanes == 1 && axes->block <= 1) || (axes->mapping == AUTOCSR_MAP_NODES && axes->width)) { /* for rows that end before the latency of one sum shows */
    t.kind[AUTOCSR_TRIAL_SHORTER] = SAMPLE_TINY_ROWS;
    t.kind[AUTOCSR_TRIAL_LONGER]  = SAMPLE_SHORT_ROWS;
  }
  if (axes->order == AUTOCSR_ORDER_TILED) { /* of each row a piece; nothing in its cost is irregular */
    t.kind[AUTOCSR_TRIAL_SHORTER] = t.kind[AUTOCSR_TRIAL_IRREGULAR] = SAMPLE_SHORT_PIECES;
    t.kind[AUTOCSR_TRIAL_LONGER]                                    = SAMPLE_LONG_PIECES;
  }
  if (AutoCSRMappingSharesEntries(axes->mapping)) { /* tiles do not feel rows until they are very short */
    t.kind[AUTOCSR_TRIAL_SHORTER]   = SAMPLE_UNEVEN_ROWS;
    t.kind[AUTOCSR_TRIAL_IRREGULAR] = SAMPLE_EMPTY_ROWS;
  }
  if (axes->mapping == AUTOCSR_MAP_NODES && !axes->width) t.kind[AUTOCSR_TRIAL_IRREGULAR] = t.kind[AUTOCSR_TRIAL_SHORTER]; /* see share_node_ends() */
  if (axes->sort_window > 1) t.kind[AUTOCSR_TRIAL_SHORTER] = t.kind[AUTOCSR_TRIAL_IRREGULAR] = SAMPLE_SORTED_ROWS;         /* a window of them: their lines of x and y do not come side by side */
  for (int k = 0; k < AUTOCSR_TRIAL_PRODUCTS; k++) t.seconds[k] = PETSC_MAX_REAL;
  trial[(*n)++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode trial_add_coded(AutoCSRSample sample[], const AutoCSRFigures *f, AutoCSRValue value, AutoCSRTrial trial[], PetscInt *n)
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
    axes.sort_window = sample[SAMPLE_SORTED_ROWS].window;
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

/* Rows with codes of their own, by the lanes for which there are kernels */
static PetscErrorCode trials_add_coded_rows(AutoCSRSample sample[], const AutoCSRFigures *f, AutoCSRValue value, AutoCSRTrial trial[], PetscInt *n)
{
  AutoCSRAxes axes = {.value = value, .mapping = AUTOCSR_MAP_LANES, .row_group = 1, .slice_height = f->backend->slice_height};

  PetscFunctionBegin;
  for (axes.lanes = 4; axes.lanes <= 8; axes.lanes *= 2) {
    axes.index = AUTOCSR_INDEX_CSR;
    PetscCall(trial_add(sample, f, &axes, trial, n));
    axes.index = AUTOCSR_INDEX_16;
    PetscCall(trial_add(sample, f, &axes, trial, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All axes that a strategy may ask for */
static PetscErrorCode trials_list(AutoCSRSamples *s, const AutoCSRFigures *f, AutoCSRTrial trial[], PetscInt *n)
{
  AutoCSRAxes axes = {.lanes = 1, .row_group = 1, .slice_height = f->backend->slice_height, .tile_width = f->backend->tile_width, .tile_height = f->backend->tile_height, .tile_steps = f->backend->tile_steps};

  PetscFunctionBegin;
  *n = 0;
  PetscCall(AutoCSRSampleUse(s, &s->entries[0])); /* values of the others fit float32 if its do, and windows are the same */
  for (int k = 0; k < 3; k++) (k == 0 ? s->entries : k == 1 ? s->few
                                                            : s->one)[SAMPLE_SORTED_ROWS]
                                  .window = s->entries[0].window;
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
  PetscCall(trials_add_coded_rows(s->entries, f, AUTOCSR_VALUE_DICTIONARY, trial, n));
  PetscCall(trials_add_coded_rows(s->few, f, AUTOCSR_VALUE_DICTIONARY, trial, n));
  PetscCall(trials_add_coded_rows(s->one, f, AUTOCSR_VALUE_CONSTANT, trial, n));
  if (s->entries[0].profile->float32_exact) PetscCall(trials_add_coded_rows(s->entries, f, AUTOCSR_VALUE_FLOAT32, trial, n));
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

static PetscBool has_irregular(const AutoCSRTrial *t)
{
  return (PetscBool)(t->kind[AUTOCSR_TRIAL_IRREGULAR] != t->kind[AUTOCSR_TRIAL_SHORTER]);
}

/* Is the trial's product with x far away made? Those that differ in their codings alone share it: *like is the first of them */
static PetscBool trial_gathers(const AutoCSRTrial trial[], PetscInt i, PetscInt *like)
{
  const AutoCSRAxes *axes = &trial[i].axes;

  for (*like = 0; *like < i && (trial[*like].axes.order != axes->order || trial[*like].axes.mapping != axes->mapping || trial[*like].axes.lanes != axes->lanes);) (*like)++;
  return (PetscBool)(axes->index != AUTOCSR_INDEX_PATTERN && axes->order != AUTOCSR_ORDER_TILED && axes->block <= 1 && axes->mapping != AUTOCSR_MAP_NODES && axes->mapping != AUTOCSR_MAP_EMPTY);
}

/* By sample, so that each large sample is made once a pass */
static int compare_jobs(const void *a, const void *b)
{
  const AutoCSRJob *p = (const AutoCSRJob *)a, *q = (const AutoCSRJob *)b;

  if (p->sample != q->sample) return p->sample < q->sample ? -1 : 1;
  if (p->trial != q->trial) return p->trial < q->trial ? -1 : 1;
  return p->product != q->product ? p->product - q->product : (int)p->other - (int)q->other;
}

/* x gathered from afar: by the faster of two ways, as products find out by themselves */
static PetscErrorCode jobs_list(AutoCSRMeasurement *c)
{
  AutoCSRJob *job;
  PetscInt    like;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->n_trials * (AUTOCSR_TRIAL_PRODUCTS + 2), &c->job));
  job = c->job;
  for (PetscInt i = 0; i < c->n_trials; i++) {
    AutoCSRTrial *t = &c->trial[i];

    for (int k = 0; k < AUTOCSR_TRIAL_FAR; k++) {
      if (k != AUTOCSR_TRIAL_IRREGULAR || has_irregular(t)) *job++ = (AutoCSRJob){i, k, PETSC_FALSE, &t->sample[t->kind[k]]};
    }
    if (!trial_gathers(c->trial, i, &like) || like < i) continue;
    for (int other = 0; other < (t->other ? 2 : 1); other++) {
      *job++ = (AutoCSRJob){i, AUTOCSR_TRIAL_FAR, (PetscBool)other, &c->samples->far};
      *job++ = (AutoCSRJob){i, AUTOCSR_TRIAL_NEAR, (PetscBool)other, &c->samples->near};
    }
  }
  c->n_jobs = (PetscInt)(job - c->job);
  qsort(c->job, (size_t)c->n_jobs, sizeof(*c->job), compare_jobs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRMeasurementCreate(const AutoCSRFigures *figures, AutoCSRMeasurement **measurement)
{
  AutoCSRMeasurement *c;
  AutoCSRMachine     *m;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  *measurement = c;
  c->figures   = *figures;
  c->stage     = AUTOCSR_MEASURE_JOBS; /* programs of a second, too, measure some small samples */
  m            = &c->figures.machine;
  PetscCall(PetscArraycpy(c->reported, m->cache, 3));
  for (int level = 0; level < 4; level++) {
    m->bandwidth[level]   = 0;
    m->random_line[level] = PETSC_MAX_REAL;
  }
  m->cache[2] = 0;
  PetscCall(AutoCSRSamplesCreate(c->figures.backend, m->cache[1], &c->samples));
  PetscCall(trials_list(c->samples, &c->figures, c->trial, &c->n_trials));
  PetscCall(jobs_list(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode job_end(AutoCSRMeasurement *c)
{
  PetscFunctionBegin;
  if (c->op.y) PetscCall((*c->figures.backend->deallocate)(c->op.y));
  c->op.y = NULL;
  PetscCall(AutoCSRPlanDestroy(&c->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRMeasurementDestroy(AutoCSRMeasurement **measurement)
{
  AutoCSRMeasurement *c = *measurement;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(job_end(c));
  PetscCall(AutoCSRTilesEnd(&c->tiles));
  PetscCall(AutoCSRSamplesDestroy(&c->samples));
  if (c->area) PetscCall((*c->figures.backend->deallocate)(c->area));
  PetscCall(PetscFree(c->job));
  PetscCall(PetscFree(*measurement));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode step_fill(AutoCSRMeasurement *c)
{
  const size_t end = PetscMin(c->filled + FILLED, AUTOCSR_FAR_BYTES);

  PetscFunctionBegin;
  if (!c->area) PetscCall((*c->figures.backend->allocate)(AUTOCSR_FAR_BYTES, (void **)&c->area));
  for (size_t i = c->filled / sizeof(*c->area); i < end / sizeof(*c->area); i++) c->area[i] = 1;
  c->filled = end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory as fast as it was in any reading so far: neighbours on the machine take bandwidth and cache for a while, and figures are kept for good */
static PetscErrorCode step_memory(AutoCSRMeasurement *c)
{
  AutoCSRMachine       *m   = &c->figures.machine;
  AutoCSRMemoryReading *now = &c->reading;
  PetscBool             done;

  PetscFunctionBegin;
  if (!now->step && !now->round) {
    *now = (AutoCSRMemoryReading){0};
    PetscCall(PetscArraycpy(now->cache, c->reported, 3));
  }
  now->data = c->area;
  PetscCall((*c->figures.backend->read_memory)(now, &done));
  if (!done) PetscFunctionReturn(PETSC_SUCCESS);
  if (now->bandwidth[3] > m->bandwidth[3]) m->strided = now->strided;
  for (int level = 0; level < 4; level++) {
    m->bandwidth[level]   = PetscMax(m->bandwidth[level], now->bandwidth[level]);
    m->random_line[level] = PetscMin(m->random_line[level], now->random_line[level]);
  }
  m->cache[2] = PetscMax(m->cache[2], now->cache[2]);
  now->step   = 0;
  c->next     = 0;
  if (c->pass < MOST_PASSES && (c->pass < LEAST_PASSES || c->gained > GAINED)) {
    c->stage  = AUTOCSR_MEASURE_JOBS;
    c->gained = 0;
  } else
    c->stage = AUTOCSR_MEASURE_FIT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The product of a sample in one segment of these axes, ready to be timed. x: ones, all other values as they may be */
static PetscErrorCode job_begin(AutoCSRMeasurement *c, const AutoCSRSample *a, const AutoCSRAxes *axes, const AutoCSRExecutor *executor)
{
  AutoCSRSegment *seg;

  PetscFunctionBegin;
  PetscCheck((size_t)a->csr.n * sizeof(PetscScalar) <= AUTOCSR_FAR_BYTES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A sample of %" PetscInt_FMT " columns", a->csr.n);
  PetscCall(AutoCSRPlanCreate(&a->csr, &c->plan));
  PetscCall(AutoCSRPlanAddSegment(c->plan, "measurement", axes, &seg));
  seg->n_rows = a->csr.m;
  if (axes->sort_window > 1) PetscCall(AutoCSRSegmentSortRows(seg, &a->csr));
  PetscCall(AutoCSRSegmentEncode(seg, &a->csr, a->profile));
  seg->executor = executor;
  PetscCall((*c->figures.backend->bind)(c->plan, &a->csr));
  c->op    = (AutoCSROperands){.csr = &a->csr, .x = (const PetscScalar *)c->area};
  c->clock = (AutoCSRClock){0};
  PetscCall((*c->figures.backend->allocate)((size_t)a->csr.m * sizeof(PetscScalar), (void **)&c->op.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sample, the plan, or one round of products. Where x is far, uneven rows are sorted if there are slices */
static PetscErrorCode step_job(AutoCSRMeasurement *c)
{
  const AutoCSRJob *job = &c->job[c->next];
  AutoCSRTrial     *t   = &c->trial[job->trial];
  PetscBool         done;

  PetscFunctionBegin;
  if (c->next == c->n_jobs) {
    c->gained /= AUTOCSR_TRIAL_FAR * c->n_trials;
    c->pass++;
    c->stage = AUTOCSR_MEASURE_MEMORY;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!job->sample->profile) {
    PetscCall(AutoCSRSampleUse(c->samples, job->sample));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!c->plan) {
    AutoCSRAxes axes = t->axes;

    if (job->product >= AUTOCSR_TRIAL_FAR && axes.order == AUTOCSR_ORDER_SLICED) axes.sort_window = job->product == AUTOCSR_TRIAL_FAR ? job->sample->window : 0;
    PetscCall(job_begin(c, job->sample, &axes, job->other ? t->other : t->executor));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRPlanTimeRound(c->plan, &c->op, &c->clock, &done));
  if (!done) PetscFunctionReturn(PETSC_SUCCESS);
  if (job->product < AUTOCSR_TRIAL_FAR && c->clock.best < t->seconds[job->product]) c->gained += 1 - c->clock.best / t->seconds[job->product];
  t->seconds[job->product] = PetscMin(t->seconds[job->product], c->clock.best);
  PetscCall(job_end(c));
  c->next++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* entry and row from shorter and longer rows; irregular from what those that leave the fast path take on top of them */
static AutoCSRExecutorCost trial_fit(const AutoCSRTrial *t)
{
  const AutoCSRSample *off = &t->sample[t->kind[AUTOCSR_TRIAL_IRREGULAR]];
  const AutoCSRMatrix *s = &t->sample[t->kind[AUTOCSR_TRIAL_SHORTER]].csr, *l = &t->sample[t->kind[AUTOCSR_TRIAL_LONGER]].csr, *u = &off->csr;
  const PetscBool      sliced = (PetscBool)(t->axes.order == AUTOCSR_ORDER_SLICED), sorted = (PetscBool)(t->axes.sort_window > 1);
  const double         shorter = t->seconds[AUTOCSR_TRIAL_SHORTER], longer = t->seconds[AUTOCSR_TRIAL_LONGER], determinant = (double)s->nnz * l->m - (double)l->nnz * s->m;
  double               entries = sliced ? (sorted ? off->padded_sorted : off->padded) : u->nnz, count;
  AutoCSRExecutorCost  cost    = {(shorter * l->m - longer * s->m) / determinant, (longer * s->nnz - shorter * l->nnz) / determinant, 0, 0, 0, 1};

  if (t->axes.mapping == AUTOCSR_MAP_EMPTY) return (AutoCSRExecutorCost){0, shorter / s->m, 0, 0, 0, 1};
  if (cost.row < 0 || cost.entry <= 0) cost = (AutoCSRExecutorCost){(shorter + longer) / (s->nnz + l->nnz), 0, 0, 0, 0, 1};
  if (t->axes.index == AUTOCSR_INDEX_PATTERN)
    count = entries;
  else if (sliced)
    count = PetscMin(entries, 2 * (entries - u->nnz));
  else if (AutoCSRMappingSharesEntries(t->axes.mapping))
    count = (double)u->nnz / (t->axes.tile_width * t->axes.tile_height);
  else
    count = u->m;
  if (t->axes.mapping == AUTOCSR_MAP_NODES) cost.memory = AUTOCSR_NODES_MEMORY;
  if (has_irregular(t)) cost.irregular = PetscMax(0, (t->seconds[AUTOCSR_TRIAL_IRREGULAR] - entries * cost.entry - u->m * cost.row) / count);
  return cost;
}

/* The time of a line of x in an executor's product with a sample, beyond `rest`, over the time of a read that waits for nothing */
static double gather_fit(const AutoCSRSample *a, double rest, double seconds, double line)
{
  return line > 0 ? PetscMax(LEAST_GATHER, (seconds - rest) / (a->lines * line)) : 0;
}

/* Lines from memory hide the streams, which are short beside them; rows are uneven */
static double far_fit(const AutoCSRTrial *t, const AutoCSRExecutorCost *cost, const AutoCSRSample *far, const AutoCSRMachine *m)
{
  const PetscBool sliced = (PetscBool)(t->axes.order == AUTOCSR_ORDER_SLICED);
  const double    work   = (sliced ? far->padded_sorted : far->csr.nnz) * cost->entry + far->csr.m * (cost->row + (sliced ? 0 : cost->irregular));

  return gather_fit(far, work, t->seconds[AUTOCSR_TRIAL_FAR], m->random_line[3]);
}

/* Lines from the last cache come beside streams from memory; rows are alike */
static double near_fit(const AutoCSRTrial *t, const AutoCSRExecutorCost *cost, const AutoCSRSample *near, const AutoCSRMachine *m)
{
  const double bytes = (double)AutoCSRMatrixBytes(&near->csr), work = near->csr.nnz * cost->entry + near->csr.m * cost->row, stream = AutoCSRStreamSeconds(m, bytes, bytes);

  return gather_fit(near, PetscMax(work, stream) + m->not_hidden * PetscMin(work, stream), t->seconds[AUTOCSR_TRIAL_NEAR], m->random_line[2]);
}

/* Nodes of short rows and of longer ones end alike: what is irregular is found with the short alone */
static void share_node_ends(AutoCSRMeasurement *c)
{
  for (PetscInt i = 0; i < c->n_trials; i++) {
    const AutoCSRAxes *axes   = &c->trial[i].axes;
    const PetscInt     longer = axes->mapping == AUTOCSR_MAP_NODES && axes->width ? trial_find(c->trial, c->n_trials, c->trial[i].executor, c->samples->blocks[axes->lanes], axes->sort_window) : c->n_trials;

    if (longer < c->n_trials) c->figures.executor[longer].cost.irregular = c->figures.executor[i].cost.irregular;
  }
}

/* Seconds that the start of a segment takes: a product with one entry is no more */
static PetscErrorCode measure_launch(AutoCSRMeasurement *c, double *seconds)
{
  const AutoCSRAxes      axes = {.mapping = AUTOCSR_MAP_LANES, .lanes = 1, .row_group = 1};
  AutoCSRSample         *one  = &c->samples->entries[SAMPLE_ONE_ENTRY];
  const AutoCSRExecutor *executor;
  PetscBool              done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall((*c->figures.backend->find_executor)(&axes, c->figures.simd, &executor));
  PetscCall(AutoCSRSampleUse(c->samples, one));
  PetscCall(job_begin(c, one, &axes, executor));
  while (!done) PetscCall(AutoCSRPlanTimeRound(c->plan, &c->op, &c->clock, &done));
  *seconds = c->clock.best;
  PetscCall(job_end(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode fit(AutoCSRMeasurement *c)
{
  AutoCSRFigures *f = &c->figures;
  AutoCSRMachine *m = &f->machine;

  PetscFunctionBegin;
  /* The executors' own figures hold x near: only what further levels cost on top counts */
  for (int level = 3; level >= 0; level--) m->random_line[level] = PetscMax(0, m->random_line[level] - m->random_line[0]);
  f->n_executors = c->n_trials;
  for (PetscInt i = 0; i < c->n_trials; i++) {
    AutoCSRExecutorFigure *figure = &f->executor[i];
    const AutoCSRTrial    *t      = &c->trial[i];
    PetscInt               like;

    PetscCall(AutoCSRFigureName(t->executor, AutoCSRFigureKind(f, &t->axes, (PetscBool)(t->axes.sort_window > 1), t->sample[t->kind[AUTOCSR_TRIAL_SHORTER]].values), sizeof(figure->name), figure->name));
    figure->cost = trial_fit(t);
    if (!trial_gathers(c->trial, i, &like)) continue;
    figure->cost.gather = like < i ? f->executor[like].cost.gather : far_fit(t, &figure->cost, &c->samples->far, m);
    figure->cost.near   = like < i ? f->executor[like].cost.near : near_fit(t, &figure->cost, &c->samples->near, m);
  }
  share_node_ends(c);
  PetscCall(measure_launch(c, &m->launch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sizes of a trial's samples, which another process may have measured with; then all figures */
static PetscErrorCode step_fit(AutoCSRMeasurement *c)
{
  PetscFunctionBegin;
  if (c->next < c->n_trials) {
    AutoCSRTrial *t = &c->trial[c->next++];

    for (int k = 0; k < AUTOCSR_TRIAL_FAR; k++) PetscCall(AutoCSRSampleSizes(c->samples, &t->sample[t->kind[k]]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRSampleSizes(c->samples, &c->samples->far));
  PetscCall(AutoCSRSampleSizes(c->samples, &c->samples->near));
  PetscCall(fit(c));
  PetscCall(AutoCSRTilesBegin(&c->figures, &c->tiles));
  c->stage = AUTOCSR_MEASURE_TILES;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode step_tiles(AutoCSRMeasurement *c)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(AutoCSRTilesStep(&c->tiles, &c->figures.machine, &done));
  if (done) c->stage = AUTOCSR_MEASURE_DONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of the area that the next step reads */
static size_t area_needed(const AutoCSRMeasurement *c)
{
  if (c->stage == AUTOCSR_MEASURE_MEMORY) return AUTOCSR_FAR_BYTES;
  if (c->stage == AUTOCSR_MEASURE_JOBS && c->next < c->n_jobs) return (size_t)c->job[c->next].sample->csr.n * sizeof(PetscScalar);
  return FILLED;
}

PetscErrorCode AutoCSRMeasurementStep(AutoCSRMeasurement *c)
{
  PetscFunctionBegin;
  if (c->stage == AUTOCSR_MEASURE_DONE) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->filled < area_needed(c))
    PetscCall(step_fill(c));
  else if (c->stage == AUTOCSR_MEASURE_MEMORY)
    PetscCall(step_memory(c));
  else if (c->stage == AUTOCSR_MEASURE_JOBS)
    PetscCall(step_job(c));
  else if (c->stage == AUTOCSR_MEASURE_FIT)
    PetscCall(step_fit(c));
  else
    PetscCall(step_tiles(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
