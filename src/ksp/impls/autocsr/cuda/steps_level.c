/*
  Which levels are small enough that all steps of a smoother are one launch, and how it is launched. On a large level a step is two launches, for which the host needs
  some 5 us. A step of the kernel takes less where its thread blocks, one for a multiprocessor, have at most LEVEL_ENTRIES entries each: 0.4 MB from the second-level cache, at
  some 100 GB/s of a multiprocessor. The other limits bound how often a group of lanes waits for that cache.
*/
#include "level.h"
#include "../../../../mat/impls/autocsr/cuda/products/residual.h"

#define LEVEL_ENTRIES 32768 /* of a thread block, at most */
#define LEVEL_ROWS    1024  /* likewise */
#define LEVEL_AT_ONCE 2     /* rows of a group of lanes, before there are more thread blocks */

void AutoCSRLevelShapeOf(const AutoCSRPass *pass, PetscInt nnz, PetscInt longest, AutoCSRLevelShape *shape)
{
  const PetscInt lanes = AutoCSRRowLanes(pass->n, nnz, longest), most = lanes ? AutoCSRPassLevelBlocks(pass, lanes) : 0;

  shape->blocks = 0;
  if (!most || (pass->n - 1) / LEVEL_ROWS >= most || (nnz - 1) / LEVEL_ENTRIES >= most) return;
  shape->lanes = lanes;
  for (shape->blocks = 1; shape->blocks < most && shape->blocks * AUTOCSR_LEVEL_THREADS * LEVEL_AT_ONCE < pass->n * lanes;) shape->blocks *= 2;
}

static void SetCoefficient(PetscReal to[], PetscScalar from)
{
  to[0] = PetscRealPart(from);
#if PetscDefined(USE_COMPLEX)
  to[1] = PetscImaginaryPart(from);
#endif
}

PetscErrorCode AutoCSRLevelRun(AutoCSRSolve *s, const AutoCSRMatrix *csr, PetscInt n, const AutoCSRCombination c[])
{
  const AutoCSRLevelShape *shape = &s->device->level;
  AutoCSRLevel             level = {.row_ptr = csr->row_ptr, .col = csr->col, .val = csr->val, .n_steps = n};
  PetscLogDouble           flops = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    AutoCSRLevelStep *step = &level.step[k];

    step->from    = s->array[c[k].from];
    step->to      = s->array[c[k].to];
    step->product = c[k].product;
    SetCoefficient(step->before, c[k].before);
    SetCoefficient(step->current, c[k].current);
    SetCoefficient(step->residual, c[k].residual);
    flops += (2.0 * s->block + 6) * s->n + (c[k].product ? 2.0 * csr->nnz : 0);
  }
  PetscCall(AutoCSRPassLevel(&s->device->pass, &level, shape->lanes, shape->blocks));
  PetscCall(PetscLogGpuFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For a matrix, a structure and a preconditioner that are there the first time */
static PetscErrorCode FindShape(AutoCSRSolve *s, PetscInt nnz, PetscInt longest)
{
  const AutoCSRPass *pass  = &s->device->pass;
  AutoCSRLevelShape *shape = &s->device->level, now = {.nonzerostate = s->mat->nonzerostate, .block = pass->block, .has_d = (PetscBool)(pass->d != NULL)};

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)s->mat, &now.id));
  if (shape->id == now.id && shape->nonzerostate == now.nonzerostate && shape->block == now.block && shape->has_d == now.has_d) PetscFunctionReturn(PETSC_SUCCESS);
  *shape = now;
  AutoCSRLevelShapeOf(pass, nnz, longest, shape);
  if (shape->blocks) PetscCall(PetscInfo(s->mat, "All steps of a smoother are one launch: %" PetscInt_FMT " rows, %" PetscInt_FMT " lanes each, %" PetscInt_FMT " thread blocks\n", pass->n, shape->lanes, shape->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRLevelSmooth(AutoCSRSolve *s, PetscInt n, const AutoCSRCombination c[], PetscBool *done)
{
  const AutoCSRMatrix *csr = NULL;
  PetscInt             longest;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  if (n && s->n && s->size == 1 && MatIsSeqAutoCSR(s->mat)) PetscCall(AutoCSRGetSmall(s->mat, &csr, &longest));
  if (!csr) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindShape(s, csr->nnz, longest));
  if (!s->device->level.blocks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRLevelRun(s, csr, n, c));
  PetscCall(AutoCSRKeepSmall(s->mat));
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
