/*
  Dense matrices sampled where a sparse one has entries, Z = S .* (X Y^T) (hong2019, 2.2: SDDMM), block by block. X and Y are read where S
  has its arrays: on a device, copies are made there of what is not. Of a parallel matrix the off-diagonal block needs rows of Y of other
  processes, which come column by column.
*/
#include "product.h"
#include <petscsf.h>

/* The rows of a dense matrix that this process has, in the memory of a backend */
typedef struct {
  const AutoCSRBackend *backend;
  Mat                   local;
  const PetscScalar    *array, *taken; /* taken: from the matrix */
  PetscBool             on_host;       /* what is taken is an array of the host, and nothing else is asked for; */
  void                 *copy;          /* a device has a copy of it */
  PetscInt              lda;
} AutoCSRDenseRows;

/* A matrix that is bound to the CPU would not be any more if it was asked for the type of its memory */
static PetscErrorCode AutoCSRDenseRowsGet(Mat M, const AutoCSRBackend *backend, AutoCSRDenseRows *rows)
{
  PetscMemType memtype = PETSC_MEMTYPE_HOST;
  size_t       bytes;

  PetscFunctionBegin;
  *rows = (AutoCSRDenseRows){.backend = backend};
  PetscCall(MatDenseGetLocalMatrix(M, &rows->local));
  PetscCall(MatDenseGetLDA(rows->local, &rows->lda));
  rows->on_host = (PetscBool)(backend == &AutoCSRBackendHost || AutoCSRIsBound(rows->local));
  if (rows->on_host) PetscCall(MatDenseGetArrayRead(rows->local, &rows->taken));
#if defined(AUTOCSR_HAVE_CUDA)
  if (!rows->on_host) PetscCall(MatDenseGetArrayReadAndMemType(rows->local, &rows->taken, &memtype));
#endif
  rows->array = rows->taken;
  if (backend == &AutoCSRBackendHost || PetscMemTypeDevice(memtype) || !M->rmap->n || !M->cmap->N) PetscFunctionReturn(PETSC_SUCCESS);
  bytes = ((size_t)rows->lda * (size_t)(M->cmap->N - 1) + (size_t)M->rmap->n) * sizeof(PetscScalar); /* with the last column the memory may end */
  PetscCall((*backend->allocate)(bytes, &rows->copy));
  PetscCall((*backend->from_host)(rows->copy, rows->taken, bytes));
  rows->array = (const PetscScalar *)rows->copy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRDenseRowsRestore(AutoCSRDenseRows *rows)
{
  PetscFunctionBegin;
  if (rows->copy) PetscCall((*rows->backend->deallocate)(rows->copy));
  if (rows->local && rows->on_host) PetscCall(MatDenseRestoreArrayRead(rows->local, &rows->taken));
#if defined(AUTOCSR_HAVE_CUDA)
  if (rows->local && !rows->on_host) PetscCall(MatDenseRestoreArrayReadAndMemType(rows->local, &rows->taken));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells one structure of a matrix from another. The id changes in MatHeaderMerge() */
typedef struct {
  PetscObjectId    id;
  PetscObjectState state;
} AutoCSRStructureKey;

static AutoCSRStructureKey StructureOf(Mat A)
{
  return (AutoCSRStructureKey){((PetscObject)A)->id, A->nonzerostate};
}

static PetscBool StructureIs(const AutoCSRStructureKey *structure, Mat A)
{
  return (PetscBool)(structure->id == ((PetscObject)A)->id && structure->state == A->nonzerostate);
}

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
    if (!StructureIs(&compared[0], S) || !StructureIs(&compared[1], Z)) {
      PetscCall(PetscArraycmp(si, zi, m + 1, same));
      if (*same) PetscCall(PetscArraycmp(sj, zj, *nnz, same));
      if (*same) {
        compared[0] = StructureOf(S);
        compared[1] = StructureOf(Z);
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

/* By the backend. Without memory: by panels instead of adaptive tiles; on a device by columns as they lie, which take no panel */
static PetscErrorCode AutoCSRSampledRun(Mat S, AutoCSRDense *dense, AutoCSRSampledOperands *op)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ierr = AutoCSRTryBegin();
  if (!ierr) {
    ierr = (*dense->backend->sample_dense)(dense, op);
    if (ierr == PETSC_ERR_MEM && op->way == AUTOCSR_DENSE_ADAPTIVE) {
      PetscCall(AutoCSRPlanDestroy(&dense->tiles));
      op->way = AUTOCSR_DENSE_PANELS;
      ierr    = (*dense->backend->sample_dense)(dense, op);
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

  PetscFunctionBegin;
  PetscCall(AutoCSRContextReclaim(S, ctx));
  csr = ctx->csr;
  if (in_place) csr.val = op->val;
  op->csr = &csr;
  PetscCall(AutoCSRCostDense(&ctx->csr, ctx->planned.profile, ctx->settings.dense, op->columns, &seconds, &op->way));
  PetscCall(AutoCSRDensePay(S, ctx, seconds));
  PetscCall(AutoCSRDenseConsider(S, ctx, op->columns, seconds, &op->way));
  if (!ctx->dense) PetscCall(AutoCSRDenseCreate(csr.backend, &ctx->dense));
  PetscCall(AutoCSRSampledRun(S, ctx->dense, op));
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

/* One block of S and of Z; rows[0] is of X, rows[1] of Y */
static PetscErrorCode AutoCSRSampledBlock(Mat S, Mat Z, PetscInt nnz, const AutoCSRBackend *backend, PetscInt columns, const AutoCSRDenseRows rows[2])
{
  const PetscBool        in_place = (PetscBool)(S == Z);
  AutoCSRSampledOperands op       = {.columns = columns, .X = rows[0].array, .ldx = rows[0].lda, .Y = rows[1].array, .ldy = rows[1].lda};
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

/* The rows of Y that the off-diagonal block's columns stand for, column after column; the graph stays with that block, which PETSc makes anew, while S has this structure */
static PetscErrorCode AutoCSRSampledGhosts(Mat S, Mat block, Mat Y, const AutoCSRDenseRows *own, const PetscInt garray[], PetscInt n, AutoCSRDenseRows *ghosts)
{
  const PetscMemType   memtype = own->backend == &AutoCSRBackendHost ? PETSC_MEMTYPE_HOST : PETSC_MEMTYPE_CUDA;
  const PetscInt       columns = Y->cmap->N;
  AutoCSRStructureKey *structure;
  PetscScalar         *array;
  PetscSF              sf;

  PetscFunctionBegin;
  PetscCall(AutoCSRContain(block, "MatAutoCSRGhostsOf", sizeof(*structure), (void **)&structure));
  PetscCall(PetscObjectQuery((PetscObject)block, "MatAutoCSRGhosts", (PetscObject *)&sf));
  if (!sf || !StructureIs(structure, S)) {
    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)S), &sf));
    PetscCall(PetscSFSetGraphLayout(sf, S->cmap, n, NULL, PETSC_OWN_POINTER, garray));
    PetscCall(PetscSFSetUp(sf));
    PetscCall(PetscObjectCompose((PetscObject)block, "MatAutoCSRGhosts", (PetscObject)sf));
    PetscCall(PetscObjectDereference((PetscObject)sf));
    *structure = StructureOf(S);
  }
  *ghosts = (AutoCSRDenseRows){.backend = own->backend, .lda = n};
  PetscCall((*own->backend->allocate)((size_t)n * (size_t)columns * sizeof(PetscScalar), &ghosts->copy));
  array         = (PetscScalar *)ghosts->copy;
  ghosts->array = array;
  for (PetscInt j = 0; j < columns; j++) {
    PetscCall(PetscSFBcastWithMemTypeBegin(sf, MPIU_SCALAR, memtype, own->array + (size_t)j * own->lda, memtype, array + (size_t)j * n, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, MPIU_SCALAR, own->array + (size_t)j * own->lda, array + (size_t)j * n, MPI_REPLACE));
  }
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
  AutoCSRDenseRows      rows[2], ghosts;

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
  PetscCall(AutoCSRDenseRowsGet(X, backend, &rows[0]));
  PetscCall(AutoCSRDenseRowsGet(Y, backend, &rows[1]));
  if (parallel) PetscCall(AutoCSRSampledGhosts(S, s[1], Y, &rows[1], garray, s[1]->cmap->n, &ghosts));
  PetscCall(AutoCSRSampledBlock(s[0], z[0], nnz[0], backend, X->cmap->N, rows));
  if (parallel) {
    const AutoCSRDenseRows off[2] = {rows[0], ghosts};

    PetscCall(AutoCSRSampledBlock(s[1], z[1], nnz[1], backend, X->cmap->N, off));
    PetscCall(AutoCSRDenseRowsRestore(&ghosts));
    PetscCall(PetscObjectStateIncrease((PetscObject)Z));
    AutoCSRForgetSymmetry(z[0]);
  }
  AutoCSRForgetSymmetry(Z);
  PetscCall(AutoCSRDenseRowsRestore(&rows[1]));
  PetscCall(AutoCSRDenseRowsRestore(&rows[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
