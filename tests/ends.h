/*
  Rows whose offsets end at PETSC_MAX_INT. No kernel reads the entries before them. Segments of these rows make the same bits as of
  the same rows with offsets from 0.
*/
#ifndef ENDS_H
#define ENDS_H

#include "../src/mat/impls/autocsr/strategy/strategy.h"
#include "../src/mat/impls/autocsr/choose/choose.h"
#include "../src/mat/impls/autocsr/machine/figures.h"
#include "../src/mat/impls/autocsr/backend.h"

#define ENDS_BEFORE 32 /* rows: whole slices, and blocks */
#define ENDS_ROWS   736
#define ENDS_LONG   (ENDS_ROWS - 40) /* after it short rows alone: lanes that go on with a long one pass the end */
#define ENDS_MOST   2100             /* entries of it */

/* Columns of the k-th row; returns how many */
typedef PetscInt (*EndsRow)(PetscInt k, PetscInt n, PetscInt col[]);

static PetscInt EndsUneven(PetscInt k, PetscInt n, PetscInt col[])
{
  const PetscInt length = k == ENDS_LONG ? ENDS_MOST : k * 7 % 5;

  for (PetscInt t = 0; t < length; t++) col[t] = (length == ENDS_MOST ? 1 : 1 + k % 4) * t;
  return length;
}

static PetscInt EndsGrid(PetscInt k, PetscInt n, PetscInt col[])
{
  for (PetscInt t = 0; t < 5; t++) col[t] = ENDS_BEFORE + k + 9 * t;
  return 5;
}

static PetscInt EndsBlocks(PetscInt k, PetscInt n, PetscInt col[])
{
  for (PetscInt t = 0; t < 6; t++) col[t] = k / 2 * 2 + t / 2 * 40 + t % 2;
  return 6;
}

typedef struct {
  AutoCSRMatrix   csr[2]; /* the same rows twice: with offsets from 0, and with offsets that end at PETSC_MAX_INT */
  void           *row_ptr[2], *col, *val, *x, *y;
  AutoCSRProfile *profile; /* of the first */
} Ends;

/* By the host, as if for the backend: the emulator takes a minute for it */
static PetscErrorCode EndsLook(const AutoCSRMatrix *csr, const AutoCSRBackend *backend, AutoCSRProfile **profile)
{
  uint16_t *id;
  void     *there;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRProfileCreate(csr, backend->slice_height, profile));
  id = (*profile)->pattern_id;
  if (!id || backend == csr->backend) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*backend->allocate)((size_t)csr->m * sizeof(*id), &there));
  PetscCall((*backend->from_host)(there, id, (size_t)csr->m * sizeof(*id)));
  PetscCall((*csr->backend->deallocate)(id));
  (*profile)->pattern_id = (uint16_t *)there;
  (*profile)->backend    = backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EndsCreate(const AutoCSRBackend *backend, EndsRow row, Ends *e)
{
  const PetscInt m = ENDS_BEFORE + ENDS_ROWS, n = 4000;
  PetscInt      *row_ptr, *col, nnz = 0;
  PetscScalar   *val;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(m + 1, &row_ptr, ENDS_ROWS * 8 + ENDS_MOST, &col, PetscMax(ENDS_ROWS * 8 + ENDS_MOST, n), &val));
  for (PetscInt i = 0; i < m; i++) {
    row_ptr[i] = nnz;
    if (i >= ENDS_BEFORE) nnz += row(i - ENDS_BEFORE, n, col + nnz);
  }
  row_ptr[m] = nnz;
  for (PetscInt q = 0; q < nnz; q++) val[q] = (PetscReal)(q * 37 % 100 + 1) / 16;
  PetscCall(EndsLook(&(AutoCSRMatrix){.m = m, .n = n, .nnz = nnz, .row_ptr = row_ptr, .col = col, .val = val, .backend = &AutoCSRBackendHost}, backend, &e->profile));
  for (int k = 0; k < 2; k++) {
    for (PetscInt i = 1; i <= m && k; i++) row_ptr[i] += PETSC_MAX_INT - nnz;
    PetscCall((*backend->allocate)((size_t)(m + 1) * sizeof(*row_ptr), &e->row_ptr[k]));
    PetscCall((*backend->from_host)(e->row_ptr[k], row_ptr, (size_t)(m + 1) * sizeof(*row_ptr)));
  }
  PetscCall((*backend->allocate)((size_t)nnz * sizeof(*col), &e->col));
  PetscCall((*backend->from_host)(e->col, col, (size_t)nnz * sizeof(*col)));
  PetscCall((*backend->allocate)((size_t)nnz * sizeof(*val), &e->val));
  PetscCall((*backend->from_host)(e->val, val, (size_t)nnz * sizeof(*val)));
  PetscCall((*backend->allocate)((size_t)n * sizeof(*val), &e->x));
  for (PetscInt j = 0; j < n; j++) val[j] = 1 / (PetscReal)(j + 1);
  PetscCall((*backend->from_host)(e->x, val, (size_t)n * sizeof(*val)));
  PetscCall((*backend->allocate)((size_t)m * sizeof(*val), &e->y));
  for (int k = 0; k < 2; k++) {
    const size_t before = k ? (size_t)(PETSC_MAX_INT - nnz) : 0;

    e->csr[k] = (AutoCSRMatrix){.m = m, .n = n, .nnz = k ? PETSC_MAX_INT : nnz, .row_ptr = (PetscInt *)e->row_ptr[k], .col = (PetscInt *)((uintptr_t)e->col - before * sizeof(*col)), .val = (PetscScalar *)((uintptr_t)e->val - before * sizeof(*val)), .backend = backend};
  }
  PetscCall(PetscFree3(row_ptr, col, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EndsDestroy(Ends *e)
{
  const AutoCSRBackend *backend = e->csr[0].backend;
  void                 *all[]   = {e->row_ptr[0], e->row_ptr[1], e->col, e->val, e->x, e->y};

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(all); k++) PetscCall((*backend->deallocate)(all[k]));
  PetscCall(AutoCSRProfileDestroy(&e->profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows by these axes; *runs: there is an executor */
static PetscErrorCode EndsMultiply(const Ends *e, int k, const AutoCSRProfile *profile, const AutoCSRAxes *axes, PetscScalar y[], PetscBool *runs)
{
  const AutoCSRMatrix  *csr     = &e->csr[k];
  const AutoCSRBackend *backend = csr->backend;
  AutoCSROperands       op      = {.csr = csr, .x = (PetscScalar *)e->x, .y = (PetscScalar *)e->y};
  AutoCSRPlan          *plan;
  AutoCSRSegment       *seg;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRPlanCreate(csr, &plan));
  PetscCall(AutoCSRPlanAddSegment(plan, "ends", axes, &seg));
  seg->row_begin = ENDS_BEFORE;
  seg->n_rows    = ENDS_ROWS;
  seg->nnz       = e->csr[0].nnz;
  PetscCall((*backend->find_executor)(&seg->axes, "auto", &seg->executor));
  *runs = (PetscBool)(seg->executor != NULL);
  if (*runs) {
    PetscCall(AutoCSRSegmentSortRows(seg, csr));
    PetscCall(AutoCSRSegmentEncode(seg, csr, profile));
    PetscCall((*backend->bind)(plan, csr));
    PetscCall((*backend->mult)(plan, &op));
    PetscCall((*backend->synchronize)());
    PetscCall((*backend->to_host)(y, (PetscScalar *)e->y + ENDS_BEFORE, ENDS_ROWS * sizeof(*y)));
  }
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All variants of all strategies that make one segment of all rows, or, of a few, those whose entries lie as in the CSR, of 1, 8 or 64 lanes */
static PetscErrorCode EndsCheck(const AutoCSRBackend *backend, EndsRow row, PetscBool few, PetscInt *checked)
{
  static PetscScalar y[2][ENDS_ROWS];
  const PetscInt     lanes[AUTOCSR_HISTOGRAM_BINS] = {1, 1, 2, 4, 8, 16, 32, 32, 32, 32, 32, 32, 32};
  Ends               e;
  AutoCSRSettings    settings;
  AutoCSRProblem     problem;

  PetscFunctionBeginUser;
  PetscCall(EndsCreate(backend, row, &e));
  PetscCall(AutoCSRSettingsInitialize(&settings));
  problem = (AutoCSRProblem){.csr = &e.csr[0], .profile = e.profile, .settings = &settings, .traits = backend->parallel ? &AutoCSRTraitsDevice : &AutoCSRTraitsHost, .lanes = lanes, .parallel = backend->parallel};
  AutoCSRProblemSetZones(&problem, 0, e.profile->zones);
  for (PetscInt s = 0; AutoCSRStrategies[s]; s++) {
    AutoCSRAxes axes[AUTOCSR_MAX_VARIANTS];
    const char *why;
    PetscInt    n;
    PetscBool   runs = PETSC_FALSE;

    PetscCall(PetscStrncpy(settings.strategy, AutoCSRStrategies[s]->name, sizeof(settings.strategy)));
    PetscCall((*AutoCSRStrategies[s]->variants)(&problem, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
    for (PetscInt v = 0; v < n; v++) {
      if (axes[v].partition == AUTOCSR_PARTITION_BIN || axes[v].mapping == AUTOCSR_MAP_VENDOR || axes[v].order == AUTOCSR_ORDER_DIAGONAL) continue; /* the last is of all rows */
      if (few && (axes[v].order != AUTOCSR_ORDER_CSR || (axes[v].lanes > 1 && axes[v].lanes != 8 && axes[v].lanes != 64))) continue;
      PetscCall(PetscInfo(NULL, "%s, variant %" PetscInt_FMT "\n", AutoCSRStrategies[s]->name, v));
      for (int k = 0; k < 2; k++) PetscCall(EndsMultiply(&e, k, e.profile, &axes[v], y[k], &runs));
      if (!runs) continue;
      for (PetscInt i = 0; i < ENDS_ROWS; i++) PetscCheck(!memcmp(&y[0][i], &y[1][i], sizeof(y[0][i])), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, variant %" PetscInt_FMT ", row %" PetscInt_FMT ": %g at the end of what is counted, %g elsewhere", AutoCSRStrategies[s]->name, v, i, (double)PetscRealPart(y[1][i]), (double)PetscRealPart(y[0][i]));
      ++*checked;
    }
  }
  PetscCall(EndsDestroy(&e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At least so many variants */
static PetscErrorCode EndsCheckAll(const AutoCSRBackend *backend, PetscBool few, PetscInt least)
{
  PetscInt checked = 0;

  PetscFunctionBeginUser;
  PetscCall(EndsCheck(backend, EndsUneven, few, &checked));
  PetscCall(EndsCheck(backend, EndsGrid, few, &checked));
  PetscCall(EndsCheck(backend, EndsBlocks, few, &checked));
  PetscCheck(checked >= least, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " variants were checked", checked);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
