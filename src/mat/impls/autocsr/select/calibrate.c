/*
  Measures the machine: streaming and random reads at each level of memory and, on a processor, every executor on small
  matrices that fit the L2 cache, where its work shows and the bytes do not, and with x at random from memory. The executors of a device keep the figures shipped,
  which fit products with many matrices better than a few samples could, scaled by how much faster this device works.
*/
#include "figures.h"

#define LANES_1    2 /* its place among the trials */
#define PASSES     2
#define TILE_BYTES (256 << 10) /* of x: about those of a column tile */

/* Lengths: constant, or 1 to 2 * length - 1 at random, in so many rows that no predictor learns them */
typedef struct {
  PetscInt  rows, length;
  PetscBool random, alternating, half_empty; /* alternating: neighbouring rows have different patterns */
  size_t    far;                             /* bytes of x, of which rows have entries anywhere; 0: near the diagonal */
} Sample;

enum {
  TINY_ROWS,
  SHORT_ROWS,
  LONG_ROWS,
  UNEVEN_ROWS,
  MIXED_PATTERNS,
  EMPTY_ROWS,
  SHORT_PIECES,
  LONG_PIECES,
  ONE_ENTRY,
  SAMPLES
};
static const Sample Samples[SAMPLES] = {
    {2048, 2, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {1024, 9, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {80, 125, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {16384, 3, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
    {1024, 9, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE},
    {2048, 9, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE},
    {1024, 9, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, TILE_BYTES},
    {160, 125, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, TILE_BYTES},
    {1, 1, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
};

/* As a graph's. It has as many entries as x has lines, so that hardly one is in a cache when it comes again */
static const Sample FarRows = {131072, 8, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, 64 << 20};

typedef struct {
  AutoCSRMatrix   csr; /* of the backend */
  AutoCSRProfile *profile;
} SampleMatrix;

static uint32_t next_random(uint32_t *state)
{
  return (*state = *state * 1664525u + 1013904223u) >> 8;
}

static PetscInt round_up(PetscInt i, PetscInt multiple)
{
  return (i + multiple - 1) / multiple * multiple;
}

/* So many distinct values, one after the other; 0: values that an entry's place in its row tells. Of dense b by b blocks; 1: of entries */
static PetscErrorCode sample_create(const AutoCSRFigures *f, const Sample *sample, PetscInt values, PetscInt b, SampleMatrix *a)
{
  const PetscInt rows = round_up(sample->rows, b), mean = sample->length, far = (PetscInt)(sample->far / sizeof(PetscScalar));
  uint32_t       state = 1;
  PetscInt      *row_ptr, *col;
  PetscScalar   *val;
  AutoCSRMatrix  host;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(a, sizeof(*a)));
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(rows + 1, &row_ptr));
  row_ptr[0] = 0;
  for (PetscInt i = 0, length = 0; i < rows; i++) {
    if (i % b == 0) length = round_up(sample->random ? 1 + (PetscInt)(next_random(&state) % (uint32_t)(2 * mean - 1)) : mean, b);
    if (sample->half_empty && i / b % 2) length = 0;
    row_ptr[i + 1] = row_ptr[i] + length;
  }
  PetscCall(PetscMalloc2(row_ptr[rows], &col, row_ptr[rows], &val));
  for (PetscInt i = 0, v = 1; i < rows; i++) {
    const PetscInt length = row_ptr[i + 1] - row_ptr[i];

    for (PetscInt q = row_ptr[i]; q < row_ptr[i + 1]; q++) {
      const PetscInt t = q - row_ptr[i];

      col[q] = far ? far / length * t + (PetscInt)(next_random(&state) % (uint32_t)(far / length)) : b * (i / b + 3 * (t / b)) + t % b + (sample->alternating && i % 2 ? 1 : 0);
      val[q] = (PetscReal)(values ? v : 1 + t % 101);
      v      = v < values ? v + 1 : 1;
    }
  }
  host = (AutoCSRMatrix){.m = rows, .n = far ? far : rows + round_up(6 * (mean + b), b), .nnz = row_ptr[rows], .row_ptr = row_ptr, .col = col, .val = val, .backend = &AutoCSRBackendHost};
  PetscCall(AutoCSRMatrixCopy(&host, f->backend, &a->csr));
  PetscCall(PetscFree2(col, val));
  PetscCall(PetscFree(row_ptr));
  PetscCall(AutoCSRProfileCreate(&a->csr, f->backend->slice_height, &a->profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sample_destroy(SampleMatrix *a)
{
  PetscFunctionBegin;
  if (!a->profile) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRProfileDestroy(&a->profile));
  PetscCall(AutoCSRMatrixCopyDestroy(&a->csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of a product with a sample in one segment of these axes */
static PetscErrorCode sample_time(const SampleMatrix *a, const AutoCSRAxes *axes, const AutoCSRExecutor *executor, double *seconds)
{
  AutoCSRPlan    *plan;
  AutoCSRSegment *seg;

  PetscFunctionBegin;
  PetscCall(AutoCSRPlanCreate(&a->csr, &plan));
  PetscCall(AutoCSRPlanAddSegment(plan, "calibration", axes, &seg));
  seg->n_rows = a->csr.m;
  if (axes->sort_window > 1) PetscCall(AutoCSRSegmentSortRows(seg, &a->csr));
  PetscCall(AutoCSRSegmentEncode(seg, &a->csr, a->profile));
  seg->executor = executor;
  PetscCall((*plan->backend->bind)(plan, &a->csr));
  PetscCall(AutoCSRPlanTime(plan, &a->csr));
  *seconds = plan->measured;
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An executor under test: seconds of a product with shorter rows, longer rows, those that leave its fast path */
#define KINDS 3

typedef struct {
  AutoCSRAxes            axes;
  const AutoCSRExecutor *executor;
  const SampleMatrix    *sample;
  int                    kind[KINDS];
  double                 seconds[KINDS];
} Trial;

static PetscErrorCode trial_add(const SampleMatrix sample[], const AutoCSRFigures *f, const AutoCSRAxes *axes, Trial trial[], PetscInt *n)
{
  Trial     t    = {.axes = *axes, .sample = sample, .kind = {SHORT_ROWS, LONG_ROWS, UNEVEN_ROWS}};
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall((*f->backend->find_executor)(axes, f->simd, &t.executor));
  for (PetscInt i = 0; i < *n; i++) same = (PetscBool)(same || (trial[i].executor == t.executor && trial[i].sample == sample));
  if (!t.executor || same || *n == AUTOCSR_MAX_EXECUTORS) PetscFunctionReturn(PETSC_SUCCESS);
  if (axes->index == AUTOCSR_INDEX_PATTERN)
    t.kind[2] = MIXED_PATTERNS;
  else if (axes->mapping == AUTOCSR_MAP_LANES && axes->lanes == 1) { /* for rows that end before the latency of one sum shows */
    t.kind[0] = TINY_ROWS;
    t.kind[1] = SHORT_ROWS;
  }
  if (axes->order == AUTOCSR_ORDER_TILED) { /* of each row a piece; nothing in its cost is irregular */
    t.kind[0] = t.kind[2] = SHORT_PIECES;
    t.kind[1]             = LONG_PIECES;
  }
  if (axes->mapping == AUTOCSR_MAP_TILE || AutoCSRMappingHasWork(axes->mapping)) { /* tiles do not feel rows until they are very short */
    t.kind[0] = UNEVEN_ROWS;
    t.kind[2] = EMPTY_ROWS;
  }
  for (int k = 0; k < KINDS; k++) t.seconds[k] = PETSC_MAX_REAL;
  trial[(*n)++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode trial_add_coded(const SampleMatrix sample[], const AutoCSRFigures *f, AutoCSRValue value, Trial trial[], PetscInt *n)
{
  AutoCSRAxes axes = {.index = AUTOCSR_INDEX_PATTERN, .value = value, .mapping = AUTOCSR_MAP_LANES, .lanes = 1, .row_group = 1, .slice_height = f->backend->slice_height};

  PetscFunctionBegin;
  PetscCall(trial_add(sample, f, &axes, trial, n));
  if (value == AUTOCSR_VALUE_CSR || value == AUTOCSR_VALUE_PATTERN) PetscFunctionReturn(PETSC_SUCCESS);
  axes.order   = AUTOCSR_ORDER_SLICED;
  axes.mapping = AUTOCSR_MAP_SLICE;
  for (int index = AUTOCSR_INDEX_32; index <= AUTOCSR_INDEX_FITTED; index++) {
    axes.index = (AutoCSRIndex)index;
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
  (*f->backend->shape_tiles)(sample[LONG_PIECES].csr.m, sample[LONG_PIECES].csr.n, sample[LONG_PIECES].csr.nnz, &axes);
  axes.tile_width = sample[LONG_PIECES].csr.n;
  PetscCall(trial_add(sample, f, &axes, trial, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All axes that a strategy may ask for; few: samples with few distinct values; same: with values that the patterns tell; blocks[b]: of dense b by b blocks */
static PetscErrorCode trials_list(const SampleMatrix sample[], const SampleMatrix few[], const SampleMatrix same[], SampleMatrix blocks[][SAMPLES], const AutoCSRFigures *f, Trial trial[], PetscInt *n)
{
  AutoCSRAxes axes = {.lanes = 1, .row_group = 1, .slice_height = f->backend->slice_height, .tile_width = f->backend->tile_width, .tile_height = f->backend->tile_height, .tile_steps = f->backend->tile_steps};

  PetscFunctionBegin;
  *n           = 0;
  axes.mapping = AUTOCSR_MAP_EMPTY;
  PetscCall(trial_add(sample, f, &axes, trial, n));
  axes.mapping   = AUTOCSR_MAP_TILE;
  axes.partition = AUTOCSR_PARTITION_NONZEROS;
  PetscCall(trial_add(sample, f, &axes, trial, n));
  axes.partition = AUTOCSR_PARTITION_ROWS;
  axes.mapping   = AUTOCSR_MAP_LANES;
  for (axes.lanes = 1; axes.lanes <= 256; axes.lanes *= 2) {
    axes.index = AUTOCSR_INDEX_CSR;
    PetscCall(trial_add(sample, f, &axes, trial, n));
    axes.index = AUTOCSR_INDEX_16;
    PetscCall(trial_add(sample, f, &axes, trial, n));
  }
  PetscCall(trial_add_coded(sample, f, AUTOCSR_VALUE_CSR, trial, n));
  PetscCall(trial_add_coded(same, f, AUTOCSR_VALUE_PATTERN, trial, n));
  PetscCall(trial_add_coded(sample, f, AUTOCSR_VALUE_COPY, trial, n));
  PetscCall(trial_add_coded(sample, f, AUTOCSR_VALUE_DICTIONARY, trial, n));
  PetscCall(trial_add_coded(few, f, AUTOCSR_VALUE_DICTIONARY, trial, n));
  if (sample[0].profile->float32_exact) PetscCall(trial_add_coded(sample, f, AUTOCSR_VALUE_FLOAT32, trial, n));
  axes.lanes = 1;
  axes.index = AUTOCSR_INDEX_16;
  for (int value = AUTOCSR_VALUE_CSR; value <= AUTOCSR_VALUE_FLOAT32; value++) {
    axes.value = (AutoCSRValue)value;
    if (value == AUTOCSR_VALUE_COPY || (value == AUTOCSR_VALUE_FLOAT32 && !sample[0].profile->float32_exact)) continue;
    for (axes.block = 2; axes.block <= AUTOCSR_LARGEST_BLOCK; axes.block++) PetscCall(trial_add(blocks[axes.block], f, &axes, trial, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double padded_entries(const AutoCSRProfile *profile)
{
  double padded = 0;

  for (PetscInt c = 0; c < profile->chunks; c++) padded += profile->chunk[c].padded;
  return padded;
}

/* entry and row from shorter and longer rows; irregular from what the third sample takes on top of them */
static AutoCSRExecutorCost trial_fit(const Trial *t)
{
  const SampleMatrix  *third = &t->sample[t->kind[2]];
  const AutoCSRMatrix *s = &t->sample[t->kind[0]].csr, *l = &t->sample[t->kind[1]].csr, *u = &third->csr;
  const PetscBool      sliced      = (PetscBool)(t->axes.order == AUTOCSR_ORDER_SLICED);
  const double         determinant = (double)s->nnz * l->m - (double)l->nnz * s->m;
  double               entries     = sliced ? padded_entries(third->profile) : u->nnz, count;
  AutoCSRExecutorCost  cost        = {(t->seconds[0] * l->m - t->seconds[1] * s->m) / determinant, (t->seconds[1] * s->nnz - t->seconds[0] * l->nnz) / determinant, 0, 0, 0, 1};

  if (t->axes.mapping == AUTOCSR_MAP_EMPTY) return (AutoCSRExecutorCost){0, t->seconds[0] / s->m, 0, 0, 0, 1};
  if (cost.row < 0 || cost.entry <= 0) cost = (AutoCSRExecutorCost){(t->seconds[0] + t->seconds[1]) / (s->nnz + l->nnz), 0, 0, 0, 0, 1};
  if (t->axes.index == AUTOCSR_INDEX_PATTERN)
    count = entries;
  else if (sliced)
    count = PetscMin(entries, 2 * (entries - u->nnz));
  else if (t->axes.mapping == AUTOCSR_MAP_TILE || AutoCSRMappingHasWork(t->axes.mapping))
    count = (double)u->nnz / (t->axes.tile_width * t->axes.tile_height);
  else
    count = u->m;
  cost.irregular = PetscMax(0, (t->seconds[2] - entries * cost.entry - u->m * cost.row) / count);
  return cost;
}

/* What a line of x from memory takes each executor, in times of a read that waits for nothing. Those that differ in their codings alone share it */
static PetscErrorCode measure_gathers(AutoCSRFigures *f, const Trial trial[])
{
  SampleMatrix far;
  double       lines = 0, seconds;

  PetscFunctionBegin;
  PetscCall(sample_create(f, &FarRows, 101, 1, &far));
  for (PetscInt c = 0; c < far.profile->chunks; c++) lines += far.profile->chunk[c].gather_lines * far.profile->chunk[c].nnz;
  for (PetscInt i = 0; i < f->n_executors; i++) {
    AutoCSRAxes axes   = trial[i].axes;
    double     *gather = &f->executor[i].cost.gather;

    if (axes.index == AUTOCSR_INDEX_PATTERN || axes.order == AUTOCSR_ORDER_TILED || axes.block > 1 || axes.mapping == AUTOCSR_MAP_EMPTY || f->machine.random_line[3] <= 0) continue;
    for (PetscInt j = 0; j < i && *gather <= 0; j++) {
      if (trial[j].axes.order == axes.order && trial[j].axes.mapping == axes.mapping && trial[j].axes.lanes == axes.lanes) *gather = f->executor[j].cost.gather;
    }
    if (*gather > 0) continue;
    if (axes.order == AUTOCSR_ORDER_SLICED) axes.sort_window = far.profile->window;
    PetscCall(sample_time(&far, &axes, trial[i].executor, &seconds));
    *gather = seconds / (lines * f->machine.random_line[3]);
  }
  PetscCall(sample_destroy(&far));
  PetscFunctionReturn(PETSC_SUCCESS);
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

/* All trials once, then again: what disturbs one pass seldom disturbs the same trial in the other. Memory before, between and after them */
static PetscErrorCode measure_executors(AutoCSRFigures *f)
{
  AutoCSRMachine *m           = &f->machine;
  const double    reported[3] = {m->cache[0], m->cache[1], m->cache[2]};
  SampleMatrix    sample[SAMPLES], few[SAMPLES], same[SAMPLES], blocks[AUTOCSR_LARGEST_BLOCK + 1][SAMPLES];
  Trial          *trial;
  double          seconds;

  PetscFunctionBegin;
  for (int s = 0; s < SAMPLES; s++) {
    PetscCall(sample_create(f, &Samples[s], 101, 1, &sample[s]));
    PetscCall(sample_create(f, &Samples[s], 0, 1, &same[s]));
    for (PetscInt b = 2; b <= AUTOCSR_LARGEST_BLOCK; b++) PetscCall(sample_create(f, &Samples[s], 101, b, &blocks[b][s]));
    PetscCall(sample_create(f, &Samples[s], 7, 1, &few[s]));
  }
  PetscCall(PetscMalloc1(AUTOCSR_MAX_EXECUTORS, &trial));
  PetscCall(trials_list(sample, few, same, blocks, f, trial, &f->n_executors));
  for (int level = 0; level < 4; level++) {
    m->bandwidth[level]   = 0;
    m->random_line[level] = PETSC_MAX_REAL;
  }
  m->cache[2] = 0;
  PetscCall(measure_memory(f, reported));
  for (int pass = 0; pass < PASSES; pass++) {
    for (PetscInt i = 0; i < f->n_executors; i++) {
      for (int k = 0; k < KINDS; k++) {
        PetscCall(sample_time(&trial[i].sample[trial[i].kind[k]], &trial[i].axes, trial[i].executor, &seconds));
        trial[i].seconds[k] = PetscMin(trial[i].seconds[k], seconds);
      }
    }
    PetscCall(measure_memory(f, reported));
  }
  /* The executors' own figures hold x in L2: only what further levels cost on top counts */
  for (int level = 3; level >= 0; level--) m->random_line[level] = PetscMax(0, m->random_line[level] - m->random_line[PetscMin(level, 1)]);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    PetscCall(AutoCSRFigureName(f, trial[i].executor, &trial[i].axes, PETSC_FALSE, trial[i].sample[0].profile->values, sizeof(f->executor[i].name), f->executor[i].name));
    f->executor[i].cost = trial_fit(&trial[i]);
  }
  PetscCall(measure_gathers(f, trial));
  /* A product with one entry is no more than the start of a segment */
  PetscCall(sample_time(&sample[ONE_ENTRY], &trial[LANES_1].axes, trial[LANES_1].executor, &f->machine.launch));
  PetscCall(PetscFree(trial));
  for (int s = 0; s < SAMPLES; s++) {
    PetscCall(sample_destroy(&sample[s]));
    PetscCall(sample_destroy(&few[s]));
    PetscCall(sample_destroy(&same[s]));
    for (PetscInt b = 2; b <= AUTOCSR_LARGEST_BLOCK; b++) PetscCall(sample_destroy(&blocks[b][s]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFiguresMeasure(AutoCSRFigures *f)
{
  AutoCSRMachine      *m       = &f->machine;
  const AutoCSRMachine shipped = *m;

  PetscFunctionBegin;
  if (!m->parallel) {
    PetscCall(measure_executors(f));
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
