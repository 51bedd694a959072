/*
  -mat_autocsr_check_values: a checksum of each row, of its place and columns and of its values, as the plan took them. A product compares
  them with the rows of now, and a difference that the matrix's state does not tell of is an error. For debugging.
*/
#include "seqautocsr.h"

struct _AutoCSRWatch {
  PetscInt m;
  uint64_t sum[]; /* of each row two: of its structure and of its values */
};

static uint64_t Sum(uint64_t sum, const void *data, size_t bytes)
{
  for (size_t k = 0; k < bytes / sizeof(uint32_t); k++) {
    uint32_t word;

    memcpy(&word, (const char *)data + k * sizeof(word), sizeof(word));
    sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 29;
  }
  return sum;
}

/* The arrays of a block in the host's memory: copies where the backend's is another */
static PetscErrorCode ArraysGet(const AutoCSRMatrix *csr, AutoCSRMatrix *host)
{
  PetscInt      *row_ptr, *col;
  PetscScalar   *val;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *host = *csr;
  if (csr->backend == &AutoCSRBackendHost) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc3(csr->m + 1, &row_ptr, csr->nnz, &col, csr->nnz, &val));
  ierr = (*csr->backend->to_host)(row_ptr, csr->row_ptr, (size_t)(csr->m + 1) * sizeof(*row_ptr));
  if (!ierr) ierr = (*csr->backend->to_host)(col, csr->col, (size_t)csr->nnz * sizeof(*col));
  if (!ierr) ierr = (*csr->backend->to_host)(val, csr->val, (size_t)csr->nnz * sizeof(*val));
  if (ierr) PetscCall(PetscFree3(row_ptr, col, val));
  PetscCall(ierr);
  host->row_ptr = row_ptr;
  host->col     = col;
  host->val     = val;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ArraysRestore(const AutoCSRMatrix *csr, AutoCSRMatrix *host)
{
  PetscFunctionBegin;
  if (csr->backend != &AutoCSRBackendHost) PetscCall(PetscFree3(host->row_ptr, host->col, host->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static uint64_t StructureSum(const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt begin = csr->row_ptr[i], end = csr->row_ptr[i + 1];

  if (begin < 0 || end < begin || end > csr->nnz) return 1; /* offsets that are none */
  return Sum(Sum(0, &csr->row_ptr[i], 2 * sizeof(PetscInt)), csr->col + begin, (size_t)(end - begin) * sizeof(PetscInt));
}

static uint64_t ValuesSum(const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt begin = csr->row_ptr[i], end = csr->row_ptr[i + 1];

  if (begin < 0 || end < begin || end > csr->nnz) return 1;
  return Sum(0, csr->val + begin, (size_t)(end - begin) * sizeof(PetscScalar));
}

PetscErrorCode AutoCSRWatchForget(AutoCSRContext *ctx)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(ctx->watch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRWatchTake(AutoCSRContext *ctx)
{
  const AutoCSRMatrix *csr = &ctx->csr;
  AutoCSRMatrix        host;
  PetscErrorCode       ierr;

  PetscFunctionBegin;
  PetscCall(AutoCSRWatchForget(ctx));
  if (!ctx->settings.check_values || !csr->val) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ArraysGet(csr, &host));
  ierr = PetscMalloc(sizeof(*ctx->watch) + 2 * (size_t)csr->m * sizeof(uint64_t), &ctx->watch);
  if (ierr) {
    ctx->watch = NULL;
    PetscCall(ArraysRestore(csr, &host));
  }
  PetscCall(ierr);
  ctx->watch->m = csr->m;
  for (PetscInt i = 0; i < csr->m; i++) {
    ctx->watch->sum[2 * i]     = StructureSum(&host, i);
    ctx->watch->sum[2 * i + 1] = ValuesSum(&host, i);
  }
  PetscCall(ArraysRestore(csr, &host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Differ(Mat A, const AutoCSRContext *ctx, const char what[], PetscInt row, const char state[], const char remedy[])
{
  const char *name = ((PetscObject)A)->name, *prefix = ((PetscObject)A)->prefix;

  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "-mat_autocsr_check_values: the %s of a matrix (type %s, name %s, options prefix %s, %" PetscInt_FMT " by %" PetscInt_FMT "%s) changed, first in row %" PetscInt_FMT ", and its %s did not: products would use the old ones. %s",
          what, ((PetscObject)A)->type_name, name ? name : "none", prefix ? prefix : "none", A->rmap->n, A->cmap->n, ctx->block ? (ctx->off_diagonal ? ", the off-diagonal block of a parallel matrix" : ", the diagonal block of a parallel matrix") : "", row, state, remedy);
}

static PetscErrorCode Compare(Mat A, const AutoCSRContext *ctx, const AutoCSRMatrix *host, PetscBool values)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < ctx->watch->m; i++) {
    if (ctx->watch->sum[2 * i] != StructureSum(host, i))
      PetscCall(Differ(A, ctx, "structure (row offsets or columns)", i, "nonzero state", "Let MatSetValues(), MatSetPreallocationCOO() or MatSeqAIJSetColumnIndices() change columns, or make another matrix"));
    if (values && ctx->watch->sum[2 * i + 1] != ValuesSum(host, i))
      PetscCall(Differ(A, ctx, "values", i, "object state", "Write values between MatSeqAIJGetArray() and MatSeqAIJRestoreArray(), or call PetscObjectStateIncrease() on this matrix afterwards (on the blocks of a parallel one: MatMPIAIJGetSeqAIJ())"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values: not those that the state tells of as new */
PetscErrorCode AutoCSRWatchCompare(Mat A, AutoCSRContext *ctx, const AutoCSRMatrix *csr, PetscBool values)
{
  AutoCSRMatrix  host;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (!ctx->watch || !csr->val || csr->m != ctx->watch->m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ArraysGet(csr, &host));
  ierr = Compare(A, ctx, &host, values);
  PetscCall(ArraysRestore(csr, &host));
  PetscCall(ierr);
#if PetscDefined(HAVE_DEVICE)
  if (values && AutoCSRContextIsResident(ctx) && (A->offloadmask == PETSC_OFFLOAD_BOTH || ctx->own.col)) { /* the host's copy, too, counts as that of the device */
    PetscInt  m;
    PetscBool done;

    host = *csr;
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &host.row_ptr, &host.col, &done));
    PetscCall(MatSeqAIJGetArrayRead(A, &host.val));
    ierr = Compare(A, ctx, &host, PETSC_TRUE);
    PetscCall(MatSeqAIJRestoreArrayRead(A, &host.val));
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &host.row_ptr, &host.col, &done));
    PetscCall(ierr);
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
