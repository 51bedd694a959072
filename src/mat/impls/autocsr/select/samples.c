/* Small matrices that fit the L2 cache, where an executor's work shows and its bytes do not, and two whose x does not */
#include "samples.h"

#define MANY_VALUES 101
#define FEW_VALUES  7
#define TILE_BYTES  (256 << 10) /* of x: about those of a column tile */
#define NEAR_X      4           /* x in the last cache: times the second's bytes */

/* Lengths: constant, or 1 to 2 * length - 1 at random */
typedef struct {
  PetscInt  rows, length;
  PetscBool random, alternating, half_empty; /* alternating: neighbouring rows have different patterns */
  size_t    far;                             /* bytes of x, of which rows have entries anywhere; 0: near the diagonal */
  PetscBool nodes;                           /* the rows of a block have the same columns, which are no blocks */
} Shape;

static const Shape Shapes[SAMPLE_KINDS] = {
    [SAMPLE_TINY_ROWS]      = {2048, 2},
    [SAMPLE_SHORT_ROWS]     = {1024, 9},
    [SAMPLE_LONG_ROWS]      = {80, 125},
    [SAMPLE_UNEVEN_ROWS]    = {131072, 3, .random = PETSC_TRUE}, /* so many that no predictor learns where they end */
    [SAMPLE_MIXED_PATTERNS] = {512, 18, .alternating = PETSC_TRUE},
    [SAMPLE_EMPTY_ROWS]     = {2048, 9, .half_empty = PETSC_TRUE},
    [SAMPLE_SHORT_PIECES]   = {1024, 9, .far = TILE_BYTES},
    [SAMPLE_LONG_PIECES]    = {160, 125, .far = TILE_BYTES},
    [SAMPLE_SORTED_ROWS]    = {16384, 3, .random = PETSC_TRUE},
    [SAMPLE_ONE_ENTRY]      = {1, 1},
};

static const Shape NodeShapes[SAMPLE_KINDS] = {
    [SAMPLE_TINY_ROWS]   = {2048, 2, .nodes = PETSC_TRUE},
    [SAMPLE_SHORT_ROWS]  = {1024, 6, .nodes = PETSC_TRUE},
    [SAMPLE_UNEVEN_ROWS] = {131072, 3, .random = PETSC_TRUE, .nodes = PETSC_TRUE}};

static const Shape NearShape = {393216, 8};

/* As many entries as x has lines, so that hardly one is in a cache when it comes again */
static const Shape FarShape = {131072, 8, .random = PETSC_TRUE, .far = 64 << 20};

static uint32_t next_random(uint32_t *state)
{
  return (*state = *state * 1664525u + 1013904223u) >> 8;
}

static PetscInt round_up(PetscInt i, PetscInt multiple)
{
  return (i + multiple - 1) / multiple * multiple;
}

/* So many distinct values, one after the other; 0: values that an entry's place in its row tells. Of dense b by b blocks; 1: of entries */
static PetscErrorCode sample_create(const AutoCSRFigures *f, const Shape *shape, PetscInt values, PetscInt b, AutoCSRSample *a)
{
  const PetscInt rows = round_up(shape->rows, b), mean = shape->length, far = (PetscInt)(shape->far / sizeof(PetscScalar));
  uint32_t       state = 1;
  PetscInt      *row_ptr, *col;
  PetscScalar   *val;
  AutoCSRMatrix  host;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
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
      val[q] = (PetscReal)(values ? v : 1 + t % 101);
      v      = v < values ? v + 1 : 1;
    }
  }
  host = (AutoCSRMatrix){.m = rows, .n = far ? far : rows + round_up(6 * (mean + b), b), .nnz = row_ptr[rows], .row_ptr = row_ptr, .col = col, .val = val, .backend = &AutoCSRBackendHost};
  ierr = AutoCSRMatrixCopy(&host, f->backend, &a->csr);
  PetscCall(PetscFree2(col, val));
  PetscCall(PetscFree(row_ptr));
  PetscCall(ierr);
  PetscCall(AutoCSRProfileCreate(&a->csr, f->backend->slice_height, &a->profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSamplesCreate(const AutoCSRFigures *f, double l2, AutoCSRSamples **samples)
{
  AutoCSRSamples *s;
  Shape           near = NearShape;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *samples = s;
  for (int k = 0; k < SAMPLE_KINDS; k++) {
    PetscCall(sample_create(f, &Shapes[k], MANY_VALUES, 1, &s->entries[k]));
    PetscCall(sample_create(f, &Shapes[k], 0, 1, &s->same[k]));
    PetscCall(sample_create(f, &Shapes[k], FEW_VALUES, 1, &s->few[k]));
    PetscCall(sample_create(f, &Shapes[k], 1, 1, &s->one[k]));
  }
  for (int k = SAMPLE_SHORT_ROWS; k <= SAMPLE_UNEVEN_ROWS; k++) {
    for (PetscInt b = 2; b <= AUTOCSR_LARGEST_BLOCK; b++) PetscCall(sample_create(f, &Shapes[k], MANY_VALUES, b, &s->blocks[b][k]));
  }
  for (int k = SAMPLE_TINY_ROWS; k <= SAMPLE_UNEVEN_ROWS; k++) {
    for (PetscInt b = 2; b <= AUTOCSR_NODE_ROWS; b++) PetscCall(sample_create(f, &NodeShapes[k], MANY_VALUES, b, &s->nodes[b][k]));
  }
  PetscCall(sample_create(f, &FarShape, MANY_VALUES, 1, &s->far));
  near.far = (size_t)(NEAR_X * l2);
  PetscCall(sample_create(f, &near, MANY_VALUES, 1, &s->near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sample_destroy(AutoCSRSample *a)
{
  PetscFunctionBegin;
  if (!a->csr.backend) PetscFunctionReturn(PETSC_SUCCESS); /* it was not made */
  PetscCall(AutoCSRProfileDestroy(&a->profile));
  PetscCall(AutoCSRMatrixCopyDestroy(&a->csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSamplesDestroy(AutoCSRSamples **samples)
{
  AutoCSRSamples *s = *samples;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < SAMPLE_KINDS; k++) {
    PetscCall(sample_destroy(&s->entries[k]));
    PetscCall(sample_destroy(&s->same[k]));
    PetscCall(sample_destroy(&s->few[k]));
    PetscCall(sample_destroy(&s->one[k]));
    for (PetscInt b = 2; b <= AUTOCSR_LARGEST_BLOCK; b++) PetscCall(sample_destroy(&s->blocks[b][k]));
    for (PetscInt b = 2; b <= AUTOCSR_NODE_ROWS; b++) PetscCall(sample_destroy(&s->nodes[b][k]));
  }
  PetscCall(sample_destroy(&s->far));
  PetscCall(sample_destroy(&s->near));
  PetscCall(PetscFree(*samples));
  PetscFunctionReturn(PETSC_SUCCESS);
}
