/*
  Measures the machine: streaming and random reads at each level of memory, and every executor on small matrices that fit
  the L2 cache, where its work shows and the bytes do not.
*/
#include "figures.h"
#include "../backend.h"
#include <petsctime.h>

#define MEMORY_BYTES (64 << 20)
#define TURNS        16
#define ROUNDS       4

/* Lengths: constant, or 1 to 2 * length - 1 at random, in so many rows that no predictor learns them */
typedef struct {
  PetscInt  rows, length;
  PetscBool random, alternating, half_empty; /* alternating: neighbouring rows have different patterns */
} Sample;

enum {
  TINY_ROWS,
  SHORT_ROWS,
  LONG_ROWS,
  UNEVEN_ROWS,
  MIXED_PATTERNS,
  EMPTY_ROWS,
  SAMPLES
};
static const Sample Samples[SAMPLES] = {
    {2048, 2, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {1024, 9, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {80, 125, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
    {16384, 3, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
    {1024, 9, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE},
    {2048, 9, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE},
};

typedef struct {
  AutoCSRMatrix   csr;
  AutoCSRProfile *profile;
  PetscInt       *row_ptr, *col;
  PetscScalar    *val;
} SampleMatrix;

static uint32_t next_random(uint32_t *state)
{
  return (*state = *state * 1664525u + 1013904223u) >> 8;
}

static PetscErrorCode sample_create(const Sample *sample, PetscInt values, SampleMatrix *a)
{
  const PetscInt span  = 6 * sample->length;
  uint32_t       state = 1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(sample->rows + 1, &a->row_ptr));
  a->row_ptr[0] = 0;
  for (PetscInt i = 0; i < sample->rows; i++) {
    PetscInt length = sample->random ? 1 + (PetscInt)(next_random(&state) % (uint32_t)(2 * sample->length - 1)) : sample->length;

    if (sample->half_empty && i % 2) length = 0;
    a->row_ptr[i + 1] = a->row_ptr[i] + length;
  }
  a->csr = (AutoCSRMatrix){.m = sample->rows, .n = sample->rows + span, .nnz = a->row_ptr[sample->rows], .backend = &AutoCSRBackendHost};
  PetscCall(PetscMalloc2(a->csr.nnz, &a->col, a->csr.nnz, &a->val));
  for (PetscInt i = 0; i < sample->rows; i++) {
    for (PetscInt q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++) {
      a->col[q] = i + 3 * (q - a->row_ptr[i]) + (sample->alternating && i % 2 ? 1 : 0);
      a->val[q] = (PetscReal)(1 + q % values);
    }
  }
  a->csr.row_ptr = a->row_ptr;
  a->csr.col     = a->col;
  a->csr.val     = a->val;
  PetscCall(AutoCSRProfileCreate(&a->csr, AUTOCSR_HOST_SLICE_HEIGHT, &a->profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sample_destroy(SampleMatrix *a)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRProfileDestroy(&a->profile));
  PetscCall(PetscFree2(a->col, a->val));
  PetscCall(PetscFree(a->row_ptr));
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
  PetscCall(AutoCSRSegmentEncode(seg, &a->csr, a->profile));
  seg->executor = executor;
  PetscCall(AutoCSRPlanTime(plan, &a->csr));
  *seconds = plan->measured;
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An executor under test: seconds of a product with shorter rows, longer rows, and those that leave its fast path */
typedef struct {
  AutoCSRAxes            axes;
  const AutoCSRExecutor *executor;
  const SampleMatrix    *sample;
  int                    kind[3];
  double                 seconds[3];
} Trial;

static PetscErrorCode trial_add(const SampleMatrix sample[], const char simd[], const AutoCSRAxes *axes, Trial trial[], PetscInt *n)
{
  Trial     t    = {.axes = *axes, .sample = sample, .kind = {SHORT_ROWS, LONG_ROWS, UNEVEN_ROWS}, .seconds = {PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL}};
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(AutoCSRHostFindExecutor(axes, simd, &t.executor));
  for (PetscInt i = 0; i < *n; i++) same = (PetscBool)(same || (trial[i].executor == t.executor && trial[i].sample == sample));
  if (!t.executor || same || *n == AUTOCSR_MAX_EXECUTORS) PetscFunctionReturn(PETSC_SUCCESS);
  if (axes->index == AUTOCSR_INDEX_PATTERN)
    t.kind[2] = MIXED_PATTERNS;
  else if (axes->mapping == AUTOCSR_MAP_LANES && axes->lanes == 1) { /* for rows that end before the latency of one sum shows */
    t.kind[0] = TINY_ROWS;
    t.kind[1] = SHORT_ROWS;
  }
  if (axes->mapping == AUTOCSR_MAP_TILE) { /* tiles do not feel rows until they are very short */
    t.kind[0] = UNEVEN_ROWS;
    t.kind[2] = EMPTY_ROWS;
  }
  trial[(*n)++] = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode trial_add_coded(const SampleMatrix sample[], const char simd[], AutoCSRValue value, Trial trial[], PetscInt *n)
{
  AutoCSRAxes axes = {.index = AUTOCSR_INDEX_PATTERN, .value = value, .mapping = AUTOCSR_MAP_LANES, .lanes = 1, .row_group = 1, .slice_height = AUTOCSR_HOST_SLICE_HEIGHT};

  PetscFunctionBegin;
  PetscCall(trial_add(sample, simd, &axes, trial, n));
  if (value == AUTOCSR_VALUE_CSR) PetscFunctionReturn(PETSC_SUCCESS);
  axes.order   = AUTOCSR_ORDER_SLICED;
  axes.mapping = AUTOCSR_MAP_SLICE;
  for (int index = AUTOCSR_INDEX_32; index <= AUTOCSR_INDEX_PATTERN; index++) {
    axes.index = (AutoCSRIndex)index;
    PetscCall(trial_add(sample, simd, &axes, trial, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All axes that a strategy may ask for; few: samples with few distinct values */
static PetscErrorCode trials_list(const SampleMatrix sample[], const SampleMatrix few[], const char simd[], Trial trial[], PetscInt *n)
{
  AutoCSRAxes axes = {.lanes = 1, .row_group = 1, .slice_height = AUTOCSR_HOST_SLICE_HEIGHT, .tile_width = 8, .tile_height = 64, .tile_steps = 8};

  PetscFunctionBegin;
  *n           = 0;
  axes.mapping = AUTOCSR_MAP_EMPTY;
  PetscCall(trial_add(sample, simd, &axes, trial, n));
  axes.mapping   = AUTOCSR_MAP_TILE;
  axes.partition = AUTOCSR_PARTITION_NONZEROS;
  PetscCall(trial_add(sample, simd, &axes, trial, n));
  axes.mapping   = AUTOCSR_MAP_LANES;
  axes.partition = AUTOCSR_PARTITION_ROWS;
  for (axes.lanes = 1; axes.lanes <= 256; axes.lanes *= 2) {
    axes.index = AUTOCSR_INDEX_CSR;
    PetscCall(trial_add(sample, simd, &axes, trial, n));
    axes.index = AUTOCSR_INDEX_16;
    PetscCall(trial_add(sample, simd, &axes, trial, n));
  }
  PetscCall(trial_add_coded(sample, simd, AUTOCSR_VALUE_CSR, trial, n));
  PetscCall(trial_add_coded(sample, simd, AUTOCSR_VALUE_COPY, trial, n));
  PetscCall(trial_add_coded(sample, simd, AUTOCSR_VALUE_DICTIONARY, trial, n));
  PetscCall(trial_add_coded(few, simd, AUTOCSR_VALUE_DICTIONARY, trial, n));
  if (sample[0].profile->float32_exact) PetscCall(trial_add_coded(sample, simd, AUTOCSR_VALUE_FLOAT32, trial, n));
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
  AutoCSRExecutorCost  cost        = {(t->seconds[0] * l->m - t->seconds[1] * s->m) / determinant, (t->seconds[1] * s->nnz - t->seconds[0] * l->nnz) / determinant, 0};

  if (t->axes.mapping == AUTOCSR_MAP_EMPTY) return (AutoCSRExecutorCost){0, t->seconds[0] / s->m, 0};
  if (cost.row < 0 || cost.entry <= 0) cost = (AutoCSRExecutorCost){(t->seconds[0] + t->seconds[1]) / (s->nnz + l->nnz), 0, 0};
  if (t->axes.index == AUTOCSR_INDEX_PATTERN)
    count = entries;
  else if (sliced)
    count = PetscMin(entries, 2 * (entries - u->nnz));
  else if (t->axes.mapping == AUTOCSR_MAP_TILE)
    count = (double)u->nnz / (t->axes.tile_width * t->axes.tile_height);
  else
    count = u->m;
  cost.irregular = PetscMax(0, (t->seconds[2] - entries * cost.entry - u->m * cost.row) / count);
  return cost;
}

/* All trials once, then again: what disturbs one pass seldom disturbs the same trial in the other */
static PetscErrorCode measure_executors(const char simd[], AutoCSRFigures *f)
{
  SampleMatrix sample[SAMPLES], few[SAMPLES];
  Trial       *trial;
  double       seconds;

  PetscFunctionBegin;
  for (int s = 0; s < SAMPLES; s++) {
    PetscCall(sample_create(&Samples[s], 101, &sample[s]));
    PetscCall(sample_create(&Samples[s], 7, &few[s]));
  }
  PetscCall(PetscMalloc1(AUTOCSR_MAX_EXECUTORS, &trial));
  PetscCall(trials_list(sample, few, simd, trial, &f->n_executors));
  for (int pass = 0; pass < 2; pass++) {
    for (PetscInt i = 0; i < f->n_executors; i++) {
      for (int k = 0; k < 3; k++) {
        PetscCall(sample_time(&trial[i].sample[trial[i].kind[k]], &trial[i].axes, trial[i].executor, &seconds));
        trial[i].seconds[k] = PetscMin(trial[i].seconds[k], seconds);
      }
    }
  }
  for (PetscInt i = 0; i < f->n_executors; i++) {
    PetscCall(AutoCSRFigureName(trial[i].executor, &trial[i].axes, trial[i].sample[0].profile->values, sizeof(f->executor[i].name), f->executor[i].name));
    f->executor[i].cost = trial_fit(&trial[i]);
  }
  PetscCall(PetscFree(trial));
  for (int s = 0; s < SAMPLES; s++) {
    PetscCall(sample_destroy(&sample[s]));
    PetscCall(sample_destroy(&few[s]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static volatile double Sink; /* what is read must be used */

/* So many sums that the loads are waited for, not the additions */
static double sum_of(const double *data, size_t n)
{
  double lane[16] = {0}, sum = 0;

  for (size_t i = 0; i + 16 <= n; i += 16) {
    for (int l = 0; l < 16; l++) lane[l] += data[i + l];
  }
  for (int l = 0; l < 16; l++) sum += lane[l];
  return sum;
}

/* Eight rows of STRIDE entries at once, one lane each, as a kernel does over rows of one pattern */
#define STRIDE 27
static double sum_of_strided(const double *data, size_t n)
{
  double lane[8] = {0}, sum = 0;

  for (size_t i = 0; i + 8 * STRIDE <= n; i += 8 * STRIDE) {
    for (int t = 0; t < STRIDE; t++) {
      for (int l = 0; l < 8; l++) lane[l] += data[i + l * STRIDE + t];
    }
  }
  for (int l = 0; l < 8; l++) sum += lane[l];
  return sum;
}

static int compare_seconds(const void *a, const void *b)
{
  const double d = *(const double *)a - *(const double *)b;

  return d < 0 ? -1 : d > 0;
}

/* Reads the bytes in TURNS equal parts, or all of them TURNS times; the median, since a part may happen to be in a cache */
static PetscErrorCode stream_time(double (*sum)(const double *, size_t), const double *data, size_t bytes, PetscBool cold, double *per_second)
{
  const size_t n = bytes / sizeof(double) / (cold ? TURNS : 1), passes = cold ? 1 : PetscMax((size_t)1, (1 << 20) / bytes);
  double       seconds[TURNS];

  PetscFunctionBegin;
  for (int turn = 0; turn < TURNS; turn++) {
    PetscLogDouble begin, end;

    PetscCall(PetscTime(&begin));
    for (size_t pass = 0; pass < passes; pass++) Sink += sum(data + (cold ? turn * n : 0), n);
    PetscCall(PetscTime(&end));
    seconds[turn] = end - begin;
  }
  qsort(seconds, TURNS, sizeof(*seconds), compare_seconds);
  *per_second = (double)(n * sizeof(double)) * passes / seconds[cold ? TURNS / 2 : 0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Independent reads of random lines, as many in flight as the processor keeps */
static PetscErrorCode random_time(const double *data, size_t bytes, double *per_line)
{
  const uint32_t lines = (uint32_t)(bytes / 64), reads = 30000;
  uint32_t       state = 1;
  PetscLogDouble begin, end;
  double         best = PETSC_MAX_REAL, sum = 0;

  PetscFunctionBegin;
  for (int round = 0; round < ROUNDS; round++) {
    PetscCall(PetscTime(&begin));
    for (uint32_t i = 0; i < reads; i++) sum += data[(size_t)(((uint64_t)(next_random(&state) << 8) * lines) >> 32) * 8];
    PetscCall(PetscTime(&end));
    best = PetscMin(best, end - begin);
  }
  Sink      = sum;
  *per_line = best / reads;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product with one row, over and over */
static PetscErrorCode measure_launch(const char simd[], AutoCSRMachine *m)
{
  const AutoCSRAxes axes       = {.mapping = AUTOCSR_MAP_LANES, .lanes = 1, .row_group = 1, .slice_height = 1};
  const PetscInt    row_ptr[2] = {0, 1}, col[1] = {0};
  const PetscScalar val[1] = {1};
  SampleMatrix      one    = {
              .csr = {1, 1, 1, row_ptr, col, val, &AutoCSRBackendHost}};
  const AutoCSRExecutor *executor;

  PetscFunctionBegin;
  PetscCall(AutoCSRHostFindExecutor(&axes, simd, &executor));
  if (executor) PetscCall(sample_time(&one, &axes, executor, &m->launch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFiguresMeasure(const char simd[], AutoCSRFigures *f)
{
  AutoCSRMachine *m = &f->machine;
  double         *data, strided;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(MEMORY_BYTES / sizeof(double), &data));
  for (size_t i = 0; i < MEMORY_BYTES / sizeof(double); i++) data[i] = 1;
  for (int level = 0; level < 4; level++) {
    const size_t bytes = level == 3 ? MEMORY_BYTES : (size_t)PetscMin(level == 2 ? PetscMin(m->cache[2] / 2, 4 * m->cache[1]) : m->cache[level] / 2, MEMORY_BYTES / 4);

    PetscCall(stream_time(sum_of, data, bytes, (PetscBool)(level == 3), &m->bandwidth[level]));
    PetscCall(random_time(data, bytes, &m->random_line[level]));
  }
  PetscCall(stream_time(sum_of_strided, data, MEMORY_BYTES, PETSC_TRUE, &strided));
  m->strided = PetscMax(1, m->bandwidth[3] / strided);
  /* The executors' own figures hold x in L2: only what further levels cost on top counts */
  for (int level = 3; level >= 0; level--) m->random_line[level] = PetscMax(0, m->random_line[level] - m->random_line[PetscMin(level, 1)]);
  PetscCall(PetscFree(data));
  PetscCall(measure_launch(simd, m));
  PetscCall(measure_executors(simd, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
