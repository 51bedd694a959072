/*
  Dense matrices sampled where a sparse one has entries, Z = S .* (X Y^T) (hong2019, 2.2: SDDMM), block by block. X and Y are read where S
  has its arrays: on a device, copies are made there of what is not. Of a parallel matrix the off-diagonal block needs rows of Y of other
  processes, which come while the diagonal block is sampled (rows.c).
*/
#include "product.h"

/* Whether both blocks have entries at the same places, which is looked at once for each structure; and how many */
static PetscErrorCode AutoCSRSampledCompare(Mat S, Mat Z, PetscInt *nnz, PetscBool *same)
{
  AutoCSRStructureKey *compared; /* of S and of Z */
  const PetscInt      *si, *sj, *zi, *zj;
  PetscInt             m, n;
  PetscBool            done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(S, 0, PETSC_FALSE, PETSC_FALSE, &m, &si, &sj, &done));
  PetscCall(MatGetRowIJ(Z, 0, PETSC_FALSE, PETSC_FALSE, &n, &zi, &zj, &done));
  *nnz  = si && m ? si[m] : 0;
  *same = (PetscBool)(m == n && S->cmap->n == Z->cmap->n && (m && zi ? zi[m] : 0) == *nnz);
  if (*same && *nnz && S != Z) {
    PetscCall(AutoCSRContain(Z, "MatAutoCSRCompared", 2 * sizeof(*compared), (void **)&compared));
    if (!AutoCSRStructureIs(&compared[0], S) || !AutoCSRStructureIs(&compared[1], Z)) {
      PetscCall(PetscArraycmp(si, zi, m + 1, same));
      if (*same) PetscCall(PetscArraycmp(sj, zj, *nnz, same));
      if (*same) {
        compared[0] = AutoCSRStructureOf(S);
        compared[1] = AutoCSRStructureOf(Z);
      }
    }
  }
  PetscCall(MatRestoreRowIJ(Z, 0, PETSC_FALSE, PETSC_FALSE, &n, &zi, &zj, &done));
  PetscCall(MatRestoreRowIJ(S, 0, PETSC_FALSE, PETSC_FALSE, &m, &si, &sj, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes find the same */
static PetscErrorCode AutoCSRSampledCheck(Mat S, Mat Z, Mat s[], Mat z[], PetscInt nnz[], const PetscInt **garray)
{
  PetscBool   same, here;
  PetscMPIInt all;

  PetscFunctionBegin;
  PetscCall(AutoCSRSampledCompare(s[0], z[0], &nnz[0], &here));
  if (s[1]) {
    const PetscInt *of_z;

    PetscCall(AutoCSRSampledCompare(s[1], z[1], &nnz[1], &same));
    PetscCall(MatMPIAIJGetSeqAIJ(S, NULL, NULL, garray));
    PetscCall(MatMPIAIJGetSeqAIJ(Z, NULL, NULL, &of_z));
    here = (PetscBool)(here && same);
    if (here && s[1]->cmap->n) PetscCall(PetscArraycmp(*garray, of_z, s[1]->cmap->n, &here));
  }
  all = here;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, PetscObjectComm((PetscObject)S)));
  PetscCheck(all, PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_INCOMP, "Z has other nonzeros than S: make it by MatDuplicate(S, MAT_DO_NOT_COPY_VALUES, &Z), or anew where S has got another structure; S itself will do, too");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of a block, to be written: all of them, but that those of S itself are read before */
static PetscErrorCode AutoCSRSampledGetValues(Mat Z, const AutoCSRBackend *backend, PetscBool read, PetscScalar **val)
{
  PetscFunctionBegin;
#if defined(AUTOCSR_HAVE_CUDA)
  if (backend != &AutoCSRBackendHost) {
    PetscCall(AutoCSRDeviceGetValues(Z, read, val));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  if (read)
    PetscCall(MatSeqAIJGetArray(Z, val));
  else
    PetscCall(MatSeqAIJGetArrayWrite(Z, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRSampledRestoreValues(Mat Z, const AutoCSRBackend *backend, PetscBool read, PetscScalar **val)
{
  PetscFunctionBegin;
#if defined(AUTOCSR_HAVE_CUDA)
  if (backend != &AutoCSRBackendHost) {
    PetscCall(AutoCSRDeviceRestoreValues(Z, read, val));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  if (read)
    PetscCall(MatSeqAIJRestoreArray(Z, val));
  else
    PetscCall(MatSeqAIJRestoreArrayWrite(Z, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the backend. Without memory: by panels instead of adaptive tiles, bundles or all of X Y^T, which are not tried again; on a device by columns as they lie, which take no panel */
static PetscErrorCode AutoCSRSampledRun(Mat S, AutoCSRDense *dense, AutoCSRSampledOperands *op)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ierr = AutoCSRTryBegin();
  if (!ierr) {
    ierr = (*dense->backend->sample_dense)(dense, op);
    if (ierr == PETSC_ERR_MEM && op->way == AUTOCSR_DENSE_WHOLE) {
      dense->no_whole = PETSC_TRUE;
      op->way         = AUTOCSR_DENSE_PANELS;
      ierr            = (*dense->backend->sample_dense)(dense, op);
    } else if (ierr == PETSC_ERR_MEM && (op->way == AUTOCSR_DENSE_ADAPTIVE || op->way == AUTOCSR_DENSE_BUNDLES)) {
      ierr           = AutoCSRPlanDestroy(&dense->tiles);
      dense->no_room = PETSC_TRUE;
      op->way        = AUTOCSR_DENSE_PANELS;
      if (!ierr) ierr = (*dense->backend->sample_dense)(dense, op);
    }
    if (ierr == PETSC_ERR_MEM && dense->backend->parallel && op->way != AUTOCSR_DENSE_ALONGSIDE) {
      op->way = AUTOCSR_DENSE_ALONGSIDE;
      ierr    = (*dense->backend->sample_dense)(dense, op);
    }
    PetscCall(PetscPopErrorHandler());
  }
  PetscCheck(ierr != PETSC_ERR_MEM, PETSC_COMM_SELF, PETSC_ERR_MEM, "No room on %s for a few columns of %" PetscInt_FMT " rows side by side", dense->backend->name, S->cmap->n);
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With what stays from call to call, that of products with dense matrices */
static PetscErrorCode AutoCSRSampledPlanned(Mat S, AutoCSRContext *ctx, AutoCSRSampledOperands *op, PetscBool in_place)
{
  AutoCSRMatrix csr;
  double        seconds;
  PetscBool     whole = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextReclaim(S, ctx));
  csr = ctx->csr;
  if (in_place) csr.val = op->val;
  op->csr = &csr;
  PetscCall(AutoCSRCostDense(&ctx->csr, ctx->planned.profile, ctx->settings.dense, op->columns, &seconds, &op->way));
  PetscCall(AutoCSRDensePay(S, ctx, seconds));
  if (ctx->settings.dense == MAT_AUTOCSR_DENSE_AUTO && ctx->settings.objective != MAT_AUTOCSR_OBJECTIVE_MEMORY && !(ctx->dense && ctx->dense->no_whole)) PetscCall(AutoCSRCostConsiderWhole(&ctx->csr, op, &whole));
  if (whole)
    op->way = AUTOCSR_DENSE_WHOLE;
  else
    PetscCall(AutoCSRDenseConsider(S, ctx, op->columns, PETSC_TRUE, seconds, &op->way));
  if (!ctx->dense) PetscCall(AutoCSRCostDenseCreate(&ctx->csr, &ctx->dense));
  if (ctx->dense->backend->parallel && (op->way == AUTOCSR_DENSE_ADAPTIVE || (op->way == AUTOCSR_DENSE_ALONGSIDE && op->by_rows))) op->way = AUTOCSR_DENSE_PANELS; /* a device has no other way */
  PetscCall(AutoCSRSampledRun(S, ctx->dense, op));
  PetscCall(AutoCSRDenseTook(ctx, op->columns, PETSC_TRUE, op->way));
  if (ctx->settings.objective == MAT_AUTOCSR_OBJECTIVE_MEMORY) PetscCall(AutoCSRDenseDestroy(&ctx->dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the matrix has no plan, or not where Z is: on the host */
static PetscErrorCode AutoCSRSampledUnplanned(Mat S, PetscInt nnz, AutoCSRSampledOperands *op, PetscBool in_place)
{
  AutoCSRMatrix      csr   = {.backend = &AutoCSRBackendHost, .n = S->cmap->n, .nnz = nnz};
  AutoCSRDense      *dense = NULL;
  const PetscScalar *val   = NULL;
  PetscInt           m;
  PetscBool          done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(S, 0, PETSC_FALSE, PETSC_FALSE, &csr.m, &csr.row_ptr, &csr.col, &done));
  if (!in_place) PetscCall(MatSeqAIJGetArrayRead(S, &val));
  csr.val = in_place ? op->val : val;
  op->csr = &csr;
  PetscCall(AutoCSRDenseCreate(csr.backend, &dense));
  PetscCall(AutoCSRSampledRun(S, dense, op));
  PetscCall(AutoCSRDenseDestroy(&dense));
  if (!in_place) PetscCall(MatSeqAIJRestoreArrayRead(S, &val));
  PetscCall(MatRestoreRowIJ(S, 0, PETSC_FALSE, PETSC_FALSE, &m, &csr.row_ptr, &csr.col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the blocks S and Z have their arrays, if that is the same memory; else, and where S is so small that it has no plan, the host */
static PetscErrorCode AutoCSRSampledBackend(Mat S, Mat Z, PetscInt nnz, const AutoCSRBackend **backend)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  *backend = &AutoCSRBackendHost;
  if (!nnz || AutoCSRIsBound(S) != AutoCSRIsBound(Z)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRContextGet(S, &ctx));
  if (!AutoCSRContextIsReady(S, ctx)) PetscCall(AutoCSRContextUpdate(S, ctx));
  if (ctx->planned.plan) *backend = ctx->csr.backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One block of S and of Z; X and Y by columns, or Y by rows */
static PetscErrorCode AutoCSRSampledBlock(Mat S, Mat Z, PetscInt nnz, const AutoCSRBackend *backend, PetscInt columns, const AutoCSRDenseRows *X, const AutoCSRDenseRows *Y, PetscBool by_rows)
{
  const PetscBool        in_place = (PetscBool)(S == Z);
  AutoCSRSampledOperands op       = {.columns = columns, .by_rows = by_rows, .X = X->array, .ldx = X->lda, .Y = Y->array, .ldy = Y->lda};
  AutoCSRContext        *ctx;
  PetscBool              planned;

  PetscFunctionBegin;
  if (!nnz) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRContextGet(S, &ctx));
  op.simd = ctx->settings.simd;
  planned = (PetscBool)(ctx->planned.plan && ctx->csr.backend == backend && AutoCSRContextIsCurrent(S, ctx));
  PetscCall(AutoCSRHoldArrays(Z));
  PetscCall(AutoCSRSampledGetValues(Z, backend, in_place, &op.val));
  if (backend != &AutoCSRBackendHost) PetscCall(PetscLogGpuTimeBegin());
  if (planned)
    PetscCall(AutoCSRSampledPlanned(S, ctx, &op, in_place));
  else
    PetscCall(AutoCSRSampledUnplanned(S, nnz, &op, in_place));
  if (backend != &AutoCSRBackendHost) PetscCall(PetscLogGpuTimeEnd());
  PetscCall(AutoCSRSampledRestoreValues(Z, backend, in_place, &op.val));
  PetscCall(backend == &AutoCSRBackendHost ? PetscLogFlops((2.0 * columns + 1) * nnz) : PetscLogGpuFlops((2.0 * columns + 1) * nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was known of the values before, as MatAssemblyEnd() forgets it */
static void AutoCSRForgetSymmetry(Mat Z)
{
  if (!Z->symmetry_eternal) Z->symmetric = Z->hermitian = PETSC_BOOL3_UNKNOWN;
  if (!Z->spd_eternal) Z->spd = PETSC_BOOL3_UNKNOWN;
}

PetscErrorCode AutoCSRSampledProduct(Mat S, Mat X, Mat Y, Mat Z)
{
  const PetscBool       parallel = MatIsMPIAutoCSR(S);
  const AutoCSRBackend *backend, *other;
  const PetscInt       *garray                = NULL;
  Mat                   s[AUTOCSR_MAX_BLOCKS] = {NULL}, z[AUTOCSR_MAX_BLOCKS] = {NULL};
  PetscInt              nnz[AUTOCSR_MAX_BLOCKS];
  AutoCSRDenseRows      x, y;
  AutoCSRGhostRows      ghosts;

  PetscFunctionBegin;
  if (parallel) PetscCall(MatMPIAutoCSRUpdateBlocks(S));
  if (parallel && S != Z) PetscCall(MatMPIAutoCSRUpdateBlocks(Z));
  PetscUseMethod(S, "MatAutoCSRGetBlocks_C", (Mat, Mat[]), (S, s));
  PetscUseMethod(Z, "MatAutoCSRGetBlocks_C", (Mat, Mat[]), (Z, z));
  PetscCall(AutoCSRSampledCheck(S, Z, s, z, nnz, &garray));
  PetscCall(AutoCSRSampledBackend(s[0], z[0], nnz[0], &backend));
  if (parallel) {
    PetscCall(AutoCSRSampledBackend(s[1], z[1], nnz[1], &other));
    if (!nnz[0] || (nnz[1] && other == &AutoCSRBackendHost)) backend = other; /* both where one of them can be */
  }
  PetscCall(AutoCSRDenseRowsGet(X, backend, PETSC_FALSE, &x));
  PetscCall(AutoCSRDenseRowsGet(Y, backend, PETSC_FALSE, &y));
  if (parallel) PetscCall(AutoCSRGhostRowsBegin(S, s[1], Y->cmap->N, &y, &ghosts));
  PetscCall(AutoCSRSampledBlock(s[0], z[0], nnz[0], backend, X->cmap->N, &x, &y, PETSC_FALSE));
  if (parallel) {
    PetscCall(AutoCSRGhostRowsEnd(&ghosts));
    PetscCall(AutoCSRSampledBlock(s[1], z[1], nnz[1], backend, X->cmap->N, &x, &ghosts.rows, PETSC_TRUE));
    PetscCall(AutoCSRGhostRowsDestroy(&ghosts));
    PetscCall(PetscObjectStateIncrease((PetscObject)Z));
    AutoCSRForgetSymmetry(z[0]);
  }
  AutoCSRForgetSymmetry(Z);
  PetscCall(AutoCSRDenseRowsRestore(&y));
  PetscCall(AutoCSRDenseRowsRestore(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
