/*
  Small matrices that fit the L2 cache, where an executor's work shows and its bytes do not, and two whose x does not.
  131,072 uneven rows tell what an end costs: a predictor learns most ends of few rows, but no ends of so many. In smaller
  matrices only a share of the ends counts.
*/
#include "samples.h"

#define MANY_VALUES 101         /* distinct values: more than AUTOCSR_FEW_VALUES, fewer than a dictionary holds */
#define FEW_VALUES  7           /* distinct values: fewer than AUTOCSR_FEW_VALUES */
#define TILE_BYTES  (256 << 10) /* of x: about those of a column tile */
#define NEAR_X      4           /* x in the last cache: times the second's bytes */
#define LARGE       20000       /* rows of a sample that takes megabytes */

static const AutoCSRSampleShape Shapes[SAMPLE_KINDS] = {
    [SAMPLE_TINY_ROWS]      = {2048, 2},
    [SAMPLE_SHORT_ROWS]     = {1024, 9},
    [SAMPLE_LONG_ROWS]      = {80, 125},
    [SAMPLE_UNEVEN_ROWS]    = {131072, 3, .random = PETSC_TRUE}, /* no predictor learns where so many rows end */
    [SAMPLE_MIXED_PATTERNS] = {512, 18, .alternating = PETSC_TRUE},
    [SAMPLE_EMPTY_ROWS]     = {2048, 9, .half_empty = PETSC_TRUE},
    [SAMPLE_SHORT_PIECES]   = {1024, 9, .far = TILE_BYTES},
    [SAMPLE_LONG_PIECES]    = {160, 125, .far = TILE_BYTES},
    [SAMPLE_SORTED_ROWS]    = {16384, 3, .random = PETSC_TRUE},
    [SAMPLE_ONE_ENTRY]      = {1, 1},
};

static const AutoCSRSampleShape NodeShapes[SAMPLE_KINDS] = {
    [SAMPLE_TINY_ROWS]   = {2048, 2, .nodes = PETSC_TRUE},
    [SAMPLE_SHORT_ROWS]  = {1024, 6, .nodes = PETSC_TRUE},
    [SAMPLE_UNEVEN_ROWS] = {131072, 3, .random = PETSC_TRUE, .nodes = PETSC_TRUE}};

static const AutoCSRSampleShape NearShape = {393216, 8};

/* As many entries as x has lines, so that hardly one is in a cache when it comes again */
static const AutoCSRSampleShape FarShape = {131072, 8, .random = PETSC_TRUE, .far = 64 << 20};

static uint32_t next_random(uint32_t *state)
{
  return (*state = *state * 1664525u + 1013904223u) >> 8;
}

static PetscInt round_up(PetscInt i, PetscInt multiple)
{
  return (i + multiple - 1) / multiple * multiple;
}

static PetscErrorCode sample_create(const AutoCSRBackend *backend, AutoCSRSample *a)
{
  const AutoCSRSampleShape *shape = &a->shape;
  const PetscInt            b = a->block, rows = round_up(shape->rows, b), mean = shape->length, far = (PetscInt)(shape->far / sizeof(PetscScalar));
  uint32_t                  state = 1;
  PetscInt                 *row_ptr, *col;
  PetscScalar              *val;
  AutoCSRMatrix             host;
  PetscErrorCode            ierr;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(rows + 1, &row_ptr));
  row_ptr[0] = 0;
  for (PetscInt i = 0, length = 0; i < rows; i++) {
    if (i % b == 0) length = round_up(shape->random ? 1 + (PetscInt)(next_random(&state) % (uint32_t)(2 * mean - 1)) : mean, shape->nodes ? 1 : b);
    if (shape->half_empty && i / b % 2) length = 0;
    row_ptr[i + 1] = row_ptr[i] + length;
  }
  ierr = PetscMalloc2(row_ptr[rows], &col, row_ptr[rows], &val);
  if (ierr) PetscCall(PetscFree(row_ptr)); /* to be out of memory is an error that the caller lives with */
  PetscCall(ierr);
  for (PetscInt i = 0, v = 1; i < rows; i++) {
    const PetscInt length = row_ptr[i + 1] - row_ptr[i];

    for (PetscInt q = row_ptr[i]; q < row_ptr[i + 1]; q++) {
      const PetscInt t = q - row_ptr[i];

      col[q] = far ? far / length * t + (PetscInt)(next_random(&state) % (uint32_t)(far / length)) : b * (i / b + 3 * (t / b)) + t % b + (shape->alternating && i % 2 ? 1 : 0);
      val[q] = (PetscReal)(a->distinct ? v : 1 + t % 101);
      v      = v < a->distinct ? v + 1 : 1;
    }
  }
  host = (AutoCSRMatrix){.m = rows, .n = far ? far : rows + round_up(6 * (mean + b), b), .nnz = row_ptr[rows], .row_ptr = row_ptr, .col = col, .val = val, .backend = &AutoCSRBackendHost};
  ierr = AutoCSRMatrixCopy(&host, backend, &a->csr);
  PetscCall(PetscFree2(col, val));
  PetscCall(PetscFree(row_ptr));
  PetscCall(ierr);
  PetscCall(AutoCSRProfileCreate(&a->csr, backend->slice_height, &a->profile));
  a->values = a->profile->values;
  a->window = a->profile->window;
  a->padded = a->padded_sorted = a->lines = 0;
  for (PetscInt c = 0; c < a->profile->zones; c++) {
    a->padded += a->profile->zone[c].padded;
    a->padded_sorted += a->profile->zone[c].padded_sorted;
    a->lines += a->profile->zone[c].gather_lines * a->profile->zone[c].nnz;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its sizes stay */
static PetscErrorCode sample_free(AutoCSRSample *a)
{
  PetscFunctionBegin;
  if (a->csr.backend) PetscCall(AutoCSRMatrixCopyDestroy(&a->csr));
  a->csr.row_ptr = a->csr.col = NULL;
  a->csr.val                  = NULL;
  PetscCall(AutoCSRProfileDestroy(&a->profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSampleUse(AutoCSRSamples *s, AutoCSRSample *a)
{
  const PetscBool large = (PetscBool)(a->shape.rows > LARGE);
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  if (a->profile) PetscFunctionReturn(PETSC_SUCCESS);
  if (large && s->large) {
    PetscCall(sample_free(s->large));
    s->large = NULL;
  }
  ierr = sample_create(s->backend, a);
  if (ierr) PetscCall(sample_free(a));
  PetscCall(ierr);
  if (large) s->large = a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSampleSizes(AutoCSRSamples *s, AutoCSRSample *a)
{
  PetscFunctionBegin;
  if (!a->values) PetscCall(AutoCSRSampleUse(s, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void sample_set(AutoCSRSample *a, const AutoCSRSampleShape *shape, PetscInt distinct, PetscInt block)
{
  *a = (AutoCSRSample){.shape = *shape, .distinct = distinct, .block = block};
  if (!shape->far) return;
  a->csr.m   = shape->rows; /* axes depend on these before it is made */
  a->csr.n   = (PetscInt)(shape->far / sizeof(PetscScalar));
  a->csr.nnz = shape->rows * shape->length;
}

PetscErrorCode AutoCSRSamplesCreate(const AutoCSRBackend *backend, double l2, AutoCSRSamples **samples)
{
  AutoCSRSamples    *s;
  AutoCSRSampleShape near = NearShape;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *samples   = s;
  s->backend = backend;
  near.far   = PetscMin((size_t)(NEAR_X * l2), AUTOCSR_FAR_BYTES);
  for (int k = 0; k < SAMPLE_KINDS; k++) {
    sample_set(&s->entries[k], &Shapes[k], MANY_VALUES, 1);
    sample_set(&s->same[k], &Shapes[k], 0, 1);
    sample_set(&s->few[k], &Shapes[k], FEW_VALUES, 1);
    sample_set(&s->one[k], &Shapes[k], 1, 1);
    for (PetscInt b = 2; b <= AUTOCSR_LARGEST_BLOCK; b++) sample_set(&s->blocks[b][k], &Shapes[k], MANY_VALUES, b);
    for (PetscInt b = 2; b <= AUTOCSR_NODE_ROWS; b++) sample_set(&s->nodes[b][k], &NodeShapes[k], MANY_VALUES, b);
  }
  sample_set(&s->far, &FarShape, MANY_VALUES, 1);
  sample_set(&s->near, &near, MANY_VALUES, 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSamplesDestroy(AutoCSRSamples **samples)
{
  AutoCSRSamples *s = *samples;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < SAMPLE_KINDS; k++) {
    PetscCall(sample_free(&s->entries[k]));
    PetscCall(sample_free(&s->same[k]));
    PetscCall(sample_free(&s->few[k]));
    PetscCall(sample_free(&s->one[k]));
    for (PetscInt b = 2; b <= AUTOCSR_LARGEST_BLOCK; b++) PetscCall(sample_free(&s->blocks[b][k]));
    for (PetscInt b = 2; b <= AUTOCSR_NODE_ROWS; b++) PetscCall(sample_free(&s->nodes[b][k]));
  }
  PetscCall(sample_free(&s->far));
  PetscCall(sample_free(&s->near));
  PetscCall(PetscFree(*samples));
  PetscFunctionReturn(PETSC_SUCCESS);
}
