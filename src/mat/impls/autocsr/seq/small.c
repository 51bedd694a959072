/*
  Small matrices on a device, where launches cost more than what they do: kernels that save some of them read the CSR in place, so it stays there (not with the objective memory). The smoothers of
  src/ksp have all their steps in one launch, and residual.c a residual.
*/
#include "seqautocsr.h"

/* Of the host's offsets: once for a structure */
static PetscErrorCode FindLongestRow(Mat A, AutoCSRContext *ctx)
{
  const PetscInt *row_ptr, *col;
  PetscInt        m;
  PetscBool       there;

  PetscFunctionBegin;
  ctx->longest = PETSC_MAX_INT;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, &there));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  ctx->longest = 0;
  for (PetscInt i = 0; i < m; i++) ctx->longest = PetscMax(ctx->longest, row_ptr[i + 1] - row_ptr[i]);
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, &there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGetSmall(Mat A, const AutoCSRMatrix **csr, PetscInt *longest)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  *csr = NULL;
  if (A->rmap->n > AUTOCSR_SMALL_ROWS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (PetscUnlikely(!AutoCSRContextIsReady(A, ctx))) PetscCall(AutoCSRContextUpdate(A, ctx));
  if (!AutoCSRContextIsResident(ctx) || !ctx->csr.val || ctx->csr.nnz > AUTOCSR_SMALL_ENTRIES || ctx->settings.objective == MAT_AUTOCSR_OBJECTIVE_MEMORY) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->longest < 0) PetscCall(FindLongestRow(A, ctx));
  *csr     = &ctx->csr;
  *longest = ctx->longest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRKeepSmall(Mat A)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  ctx->in_place = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
