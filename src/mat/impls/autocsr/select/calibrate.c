/*
  Measures the machine: streaming and random reads at each level of memory and, on a processor, every executor on small
  matrices that fit the L2 cache, where its work shows and the bytes do not (but for uneven rows, of which a predictor must not learn the ends), and with x at random from memory. The executors of a device keep the figures shipped,
  which fit products with many matrices better than a few samples could, scaled by how much faster this device works.
*/
#include "figures.h"

#define LANES_1      2 /* its place among the trials */
#define LEAST_PASSES 2
#define MOST_PASSES  6
#define GAINED       0.01        /* in the mean: another pass may be worth it */
#define LEAST_GATHER 0.1         /* of an executor, in times of a read that waits for nothing */
#define TILE_BYTES   (256 << 10) /* of x: about those of a column tile */

/* Lengths: constant, or 1 to 2 * length - 1 at random, in so many rows that no predictor learns them */
typedef struct {
  PetscInt  rows, length;
  PetscBool random, alternating, half_empty; /* alternating: neighbouring rows have different patterns */
  size_t    far;                             /* bytes of x, of which rows have entries anywhere; 0: near the diagonal */
  PetscBool nodes;                           /* the rows of a block have the same columns, which are no blocks */
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
  SORTED_ROWS,
  ONE_ENTRY,
  SAMPLES
};
static const Sample Samples[SAMPLES] = {
    {2048, 2, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {1024, 9, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {80, 125, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {131072, 3, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
    {512, 18, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE},
    {2048, 9, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE},
    {1024, 9, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, TILE_BYTES},
    {160, 125, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, TILE_BYTES},
    {16384, 3, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
    {1, 1, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
};

/* Nodes of short rows */
static const Sample NodeSamples[SAMPLES] = {
    [TINY_ROWS]   = {2048, 2, .nodes = PETSC_TRUE},
    [SHORT_ROWS]  = {1024, 6, .nodes = PETSC_TRUE},
    [UNEVEN_ROWS] = {131072, 3, .random = PETSC_TRUE, .nodes = PETSC_TRUE}};

/* As a graph's, of which x is in the last cache: times the second's bytes */
#define NEAR_X 4
static const Sample NearRows = {393216, 8, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE};

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
    if (i % b == 0) length = round_up(sample->random ? 1 + (PetscInt)(next_random(&state) % (uint32_t)(2 * mean - 1)) : mean, sample->nodes ? 1 : b);
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
  const AutoCSRExecutor *executor, *other;
  const SampleMatrix    *sample;
  int                    kind[KINDS];
  double                 seconds[KINDS];
  double                 far, near; /* seconds of the products whose lines of x are in memory, in the last cache; where they are made */
} Trial;

static PetscErrorCode trial_add(const SampleMatrix sample[], const AutoCSRFigures *f, const AutoCSRAxes *axes, Trial trial[], PetscInt *n)
{
  Trial     t    = {.axes = *axes, .sample = sample, .kind = {SHORT_ROWS, LONG_ROWS, UNEVEN_ROWS}};
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall((*f->backend->find_executor)(axes, f->simd, &t.executor));
  if (t.executor && f->backend->other_way) t.other = (*f->backend->other_way)(t.executor);
  for (PetscInt i = 0; i < *n; i++) same = (PetscBool)(same || (trial[i].executor == t.executor && trial[i].sample == sample && trial[i].axes.sort_window == axes->sort_window));
  if (!t.executor || same || *n == AUTOCSR_MAX_EXECUTORS) PetscFunctionReturn(PETSC_SUCCESS);
  if (axes->index == AUTOCSR_INDEX_PATTERN)
    t.kind[2] = MIXED_PATTERNS;
  else if ((axes->mapping == AUTOCSR_MAP_LANES && axes->lanes == 1 && axes->block <= 1) || (axes->mapping == AUTOCSR_MAP_NODES && axes->width)) { /* for rows that end before the latency of one sum shows */
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
  if (axes->mapping == AUTOCSR_MAP_NODES && !axes->width) t.kind[2] = t.kind[0]; /* see measure_executors() */
  if (axes->sort_window > 1) t.kind[0] = t.kind[2] = SORTED_ROWS;                /* a window of them: their lines of x and y do not come side by side */
  for (int k = 0; k < KINDS; k++) t.seconds[k] = PETSC_MAX_REAL;
  t.far = t.near = PETSC_MAX_REAL;
  trial[(*n)++]  = t;
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
    axes.index       = (AutoCSRIndex)index;
    axes.sort_window = 0;
    PetscCall(trial_add(sample, f, &axes, trial, n));
    if (index != AUTOCSR_INDEX_32 && index != AUTOCSR_INDEX_16) continue; /* of rows in order only */
    axes.sort_window = sample[SORTED_ROWS].profile->window;
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

/* All axes that a strategy may ask for; few: samples with few distinct values, one: with one; same: with values that the patterns tell; blocks[b]: of dense b by b blocks; nodes[b]: of b short rows with the same columns */
static PetscErrorCode trials_list(const SampleMatrix sample[], const SampleMatrix few[], const SampleMatrix one[], const SampleMatrix same[], SampleMatrix blocks[][SAMPLES], SampleMatrix nodes[][SAMPLES], const AutoCSRFigures *f, Trial trial[], PetscInt *n)
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
  axes.index = AUTOCSR_INDEX_CSR;
  axes.value = AUTOCSR_VALUE_CONSTANT;
  for (axes.lanes = 1; axes.lanes <= 256; axes.lanes *= 2) PetscCall(trial_add(one, f, &axes, trial, n));
  PetscCall(trial_add_coded(sample, f, AUTOCSR_VALUE_CSR, trial, n));
  PetscCall(trial_add_coded(same, f, AUTOCSR_VALUE_PATTERN, trial, n));
  PetscCall(trial_add_coded(sample, f, AUTOCSR_VALUE_COPY, trial, n));
  PetscCall(trial_add_coded(sample, f, AUTOCSR_VALUE_DICTIONARY, trial, n));
  PetscCall(trial_add_coded(few, f, AUTOCSR_VALUE_DICTIONARY, trial, n));
  PetscCall(trial_add_coded(one, f, AUTOCSR_VALUE_CONSTANT, trial, n));
  if (sample[0].profile->float32_exact) PetscCall(trial_add_coded(sample, f, AUTOCSR_VALUE_FLOAT32, trial, n));
  axes.lanes = 1;
  axes.index = AUTOCSR_INDEX_16;
  for (int value = AUTOCSR_VALUE_CSR; value <= AUTOCSR_VALUE_FLOAT32; value++) {
    axes.value = (AutoCSRValue)value;
    if (value == AUTOCSR_VALUE_COPY || (value == AUTOCSR_VALUE_FLOAT32 && !sample[0].profile->float32_exact)) continue;
    for (axes.block = 2; axes.block <= AUTOCSR_LARGEST_BLOCK; axes.block++) PetscCall(trial_add(blocks[axes.block], f, &axes, trial, n));
  }
  axes = (AutoCSRAxes){.order = AUTOCSR_ORDER_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_NODES, .row_group = 1};
  for (axes.lanes = 2; axes.lanes <= AUTOCSR_NODE_ROWS; axes.lanes++) {
    for (int index = AUTOCSR_INDEX_32; index <= AUTOCSR_INDEX_16; index++) {
      axes.index = (AutoCSRIndex)index;
      axes.width = 0;
      PetscCall(trial_add(blocks[axes.lanes], f, &axes, trial, n));
      axes.width = 1;
      PetscCall(trial_add(nodes[axes.lanes], f, &axes, trial, n));
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

/* Its third sample is another than the first: something of its cost is irregular */
static PetscBool has_irregular(const Trial *t)
{
  return (PetscBool)(t->kind[2] != t->kind[0]);
}

/* entry and row from shorter and longer rows; irregular from what the third sample takes on top of them */
static AutoCSRExecutorCost trial_fit(const Trial *t)
{
  const SampleMatrix  *third = &t->sample[t->kind[2]];
  const AutoCSRMatrix *s = &t->sample[t->kind[0]].csr, *l = &t->sample[t->kind[1]].csr, *u = &third->csr;
  const PetscBool      sliced = (PetscBool)(t->axes.order == AUTOCSR_ORDER_SLICED), sorted = (PetscBool)(t->axes.sort_window > 1);
  const double         determinant = (double)s->nnz * l->m - (double)l->nnz * s->m;
  double               entries     = sliced ? padded_entries(third->profile, sorted) : u->nnz, count;
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
  if (t->axes.mapping == AUTOCSR_MAP_NODES) cost.memory = AUTOCSR_NODES_MEMORY;
  if (has_irregular(t)) cost.irregular = PetscMax(0, (t->seconds[2] - entries * cost.entry - u->m * cost.row) / count);
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
static PetscErrorCode gathering_time(const SampleMatrix *a, PetscBool uneven, const Trial *t, double *seconds)
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
static PetscErrorCode trials_pass(const SampleMatrix *far, const SampleMatrix *near, Trial trial[], PetscInt n, double *gained)
{
  double   seconds, sum = 0;
  PetscInt like;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    Trial *t = &trial[i];

    for (int k = 0; k < KINDS; k++) {
      if (k == 2 && !has_irregular(t)) continue;
      PetscCall(sample_time(&t->sample[t->kind[k]], &t->axes, t->executor, &seconds));
      if (seconds < t->seconds[k]) sum += 1 - seconds / t->seconds[k];
      t->seconds[k] = PetscMin(t->seconds[k], seconds);
    }
    if (!trial_gathers(trial, i, &like) || like < i) continue;
    PetscCall(gathering_time(far, PETSC_TRUE, t, &seconds));
    t->far = PetscMin(t->far, seconds);
    PetscCall(gathering_time(near, PETSC_FALSE, t, &seconds));
    t->near = PetscMin(t->near, seconds);
  }
  *gained = sum / (KINDS * n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a line of x takes an executor in the product with a sample, on top of `rest`, in times of a read that waits for nothing */
static double gather_fit(const SampleMatrix *a, double rest, double seconds, double line)
{
  double lines = 0;

  for (PetscInt c = 0; c < a->profile->chunks; c++) lines += a->profile->chunk[c].gather_lines * a->profile->chunk[c].nnz;
  return line > 0 ? PetscMax(LEAST_GATHER, (seconds - rest) / (lines * line)) : 0;
}

/* Lines from memory hide the streams, which are short beside them; rows are uneven */
static double far_fit(const Trial *t, const AutoCSRExecutorCost *cost, const SampleMatrix *far, const AutoCSRMachine *m)
{
  const PetscBool sliced = (PetscBool)(t->axes.order == AUTOCSR_ORDER_SLICED);
  const double    work   = (sliced ? padded_entries(far->profile, PETSC_TRUE) : far->csr.nnz) * cost->entry + far->csr.m * (cost->row + (sliced ? 0 : cost->irregular));

  return gather_fit(far, work, t->far, m->random_line[3]);
}

/* Lines from the last cache come beside streams from memory; rows are alike */
static double near_fit(const Trial *t, const AutoCSRExecutorCost *cost, const SampleMatrix *near, const AutoCSRMachine *m)
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

/* All trials, again and again: what disturbs one pass, as neighbours of the processor do, seldom disturbs the same trial in all. Memory before, between and after them */
static PetscErrorCode measure_executors(AutoCSRFigures *f)
{
  AutoCSRMachine *m           = &f->machine;
  const double    reported[3] = {m->cache[0], m->cache[1], m->cache[2]};
  SampleMatrix    sample[SAMPLES], few[SAMPLES], one[SAMPLES], same[SAMPLES], blocks[AUTOCSR_LARGEST_BLOCK + 1][SAMPLES], nodes[AUTOCSR_NODE_ROWS + 1][SAMPLES], far, near;
  Sample          near_rows = NearRows;
  Trial          *trial;
  double          gained = 1;

  PetscFunctionBegin;
  for (int s = 0; s < SAMPLES; s++) {
    PetscCall(sample_create(f, &Samples[s], 101, 1, &sample[s]));
    PetscCall(sample_create(f, &Samples[s], 0, 1, &same[s]));
    PetscCall(sample_create(f, &Samples[s], 7, 1, &few[s]));
    PetscCall(sample_create(f, &Samples[s], 1, 1, &one[s]));
  }
  PetscCall(PetscMemzero(blocks, sizeof(blocks)));
  for (int s = SHORT_ROWS; s <= UNEVEN_ROWS; s++) {
    for (PetscInt b = 2; b <= AUTOCSR_LARGEST_BLOCK; b++) PetscCall(sample_create(f, &Samples[s], 101, b, &blocks[b][s]));
  }
  PetscCall(PetscMemzero(nodes, sizeof(nodes)));
  for (int s = TINY_ROWS; s <= UNEVEN_ROWS; s++) {
    for (PetscInt b = 2; b <= AUTOCSR_NODE_ROWS; b++) PetscCall(sample_create(f, &NodeSamples[s], 101, b, &nodes[b][s]));
  }
  PetscCall(sample_create(f, &FarRows, 101, 1, &far));
  near_rows.far = (size_t)(NEAR_X * reported[1]);
  PetscCall(sample_create(f, &near_rows, 101, 1, &near));
  PetscCall(PetscMalloc1(AUTOCSR_MAX_EXECUTORS, &trial));
  PetscCall(trials_list(sample, few, one, same, blocks, nodes, f, trial, &f->n_executors));
  for (int level = 0; level < 4; level++) {
    m->bandwidth[level]   = 0;
    m->random_line[level] = PETSC_MAX_REAL;
  }
  m->cache[2] = 0;
  PetscCall(measure_memory(f, reported));
  for (int pass = 0; pass < MOST_PASSES && (pass < LEAST_PASSES || gained > GAINED); pass++) {
    PetscCall(trials_pass(&far, &near, trial, f->n_executors, &gained));
    PetscCall(measure_memory(f, reported));
  }
  /* The executors' own figures hold x near: only what further levels cost on top counts */
  for (int level = 3; level >= 0; level--) m->random_line[level] = PetscMax(0, m->random_line[level] - m->random_line[0]);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    PetscInt like;

    PetscCall(AutoCSRFigureName(f, trial[i].executor, &trial[i].axes, (PetscBool)(trial[i].axes.sort_window > 1), trial[i].sample[trial[i].kind[0]].profile->values, sizeof(f->executor[i].name), f->executor[i].name));
    f->executor[i].cost = trial_fit(&trial[i]);
    if (trial[i].axes.mapping == AUTOCSR_MAP_NODES && trial[i].axes.width) f->executor[i - 1].cost.irregular = f->executor[i].cost.irregular; /* of the same nodes of longer rows, which end alike */
    if (!trial_gathers(trial, i, &like)) continue;
    f->executor[i].cost.gather = like < i ? f->executor[like].cost.gather : far_fit(&trial[i], &f->executor[i].cost, &far, m);
    f->executor[i].cost.near   = like < i ? f->executor[like].cost.near : near_fit(&trial[i], &f->executor[i].cost, &near, m);
  }
  /* A product with one entry is no more than the start of a segment */
  PetscCall(sample_time(&sample[ONE_ENTRY], &trial[LANES_1].axes, trial[LANES_1].executor, &f->machine.launch));
  PetscCall(PetscFree(trial));
  PetscCall(sample_destroy(&far));
  PetscCall(sample_destroy(&near));
  for (int s = 0; s < SAMPLES; s++) {
    PetscCall(sample_destroy(&sample[s]));
    PetscCall(sample_destroy(&few[s]));
    PetscCall(sample_destroy(&one[s]));
    PetscCall(sample_destroy(&same[s]));
    for (PetscInt b = 2; b <= AUTOCSR_LARGEST_BLOCK; b++) PetscCall(sample_destroy(&blocks[b][s]));
    for (PetscInt b = 2; b <= AUTOCSR_NODE_ROWS; b++) PetscCall(sample_destroy(&nodes[b][s]));
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
