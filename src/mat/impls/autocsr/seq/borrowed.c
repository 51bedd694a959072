/*
  A sequential matrix on CSR arrays of the user, in the memory of any backend: no AIJ keeps it, nothing is copied, nothing is freed. It has products and its diagonal;
  MatConvert() makes an AIJ of it, which has the rest.
*/
#include "seqautocsr.h"
#if defined(AUTOCSR_HAVE_CUDA)
  #include "../cuda/device.h"
#endif

static PetscErrorCode MatAutoCSRGetBlocks_Borrowed(Mat A, Mat blocks[AUTOCSR_MAX_BLOCKS])
{
  PetscFunctionBegin;
  blocks[0] = A;
  blocks[1] = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAutoCSRSetSettings_Borrowed(Mat A, const AutoCSRSettings *settings)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  PetscCall(AutoCSRContextSet(ctx, settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const AutoCSRMethod Methods[] = {
    AUTOCSR_METHOD("MatAutoCSRGetSettings_C", AutoCSRContextGetSettings),
    AUTOCSR_METHOD("MatAutoCSRSetSettings_C", MatAutoCSRSetSettings_Borrowed),
    AUTOCSR_METHOD("MatAutoCSRGetBlocks_C", MatAutoCSRGetBlocks_Borrowed),
    {NULL, NULL}};

static PetscErrorCode MatSetFromOptions_Borrowed(Mat A, AutoCSROptionItems PetscOptionsObject)
{
  AutoCSRSettings settings;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGetSettings(A, &settings));
  PetscCall(AutoCSRSettingsSetFromOptions((PetscObject)A, &settings, PetscOptionsObject));
  PetscUseMethod(A, "MatAutoCSRSetSettings_C", (Mat, const AutoCSRSettings *), (A, &settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_Borrowed(Mat A)
{
  return AutoCSRBorrowedFinalize(A, Methods);
}

static void GetDiagonal(const AutoCSRMatrix *csr, PetscScalar d[])
{
  for (PetscInt i = 0; i < csr->m; i++) {
    d[i] = 0;
    for (PetscInt k = csr->row_ptr[i]; k < csr->row_ptr[i + 1]; k++) {
      if (csr->col[k] == i) d[i] = csr->val[k];
    }
  }
}

#if defined(AUTOCSR_HAVE_CUDA)
/* A vector on the host gets it by way of a copy */
static PetscErrorCode GetDiagonalOnDevice(const AutoCSRMatrix *csr, Vec diagonal)
{
  const size_t bytes = (size_t)csr->m * sizeof(PetscScalar);
  PetscMemType memtype;
  PetscScalar *d, *copy = NULL;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWriteAndMemType(diagonal, &d, &memtype));
  if (PetscMemTypeHost(memtype)) PetscCall((*csr->backend->allocate)(bytes, (void **)&copy));
  PetscCall(AutoCSRDeviceGetDiagonal(csr, copy ? copy : d));
  if (copy) {
    PetscCall((*csr->backend->to_host)(d, copy, bytes));
    PetscCall((*csr->backend->deallocate)(copy));
  }
  PetscCall(VecRestoreArrayWriteAndMemType(diagonal, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

static PetscErrorCode MatGetDiagonal_Borrowed(Mat A, Vec diagonal)
{
  AutoCSRContext *ctx;
  PetscScalar    *d;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (!ctx->borrowed.nnz) {
    PetscCall(VecSet(diagonal, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#if defined(AUTOCSR_HAVE_CUDA)
  if (ctx->borrowed.backend != &AutoCSRBackendHost) {
    PetscCall(GetDiagonalOnDevice(&ctx->borrowed, diagonal));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(VecGetArrayWrite(diagonal, &d));
  GetDiagonal(&ctx->borrowed, d);
  PetscCall(VecRestoreArrayWrite(diagonal, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRBorrowedToHost(Mat A, MatReuse reuse, PetscInt **row_ptr, PetscInt **col, PetscScalar **val)
{
  AutoCSRContext      *ctx;
  const AutoCSRMatrix *csr;

  PetscFunctionBegin;
  PetscCheck(reuse != MAT_REUSE_MATRIX, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "A matrix on the user's arrays is converted into a new matrix or in place, not into one that is there");
  PetscCall(AutoCSRContextGet(A, &ctx));
  csr = &ctx->borrowed;
  PetscCall(PetscMalloc3(csr->m + 1, row_ptr, csr->nnz, col, csr->nnz, val));
  PetscCall((*csr->backend->to_host)(*row_ptr, csr->row_ptr, (size_t)(csr->m + 1) * sizeof(**row_ptr)));
  if (csr->nnz) {
    PetscCall((*csr->backend->to_host)(*col, csr->col, (size_t)csr->nnz * sizeof(**col)));
    PetscCall((*csr->backend->to_host)(*val, csr->val, (size_t)csr->nnz * sizeof(**val)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRBorrowedConverted(Mat A, MatType type, MatReuse reuse, Mat *aij, Mat *M)
{
  PetscFunctionBegin;
  PetscCall(MatConvert(*aij, type, MAT_INPLACE_MATRIX, aij));
  if (reuse == MAT_INPLACE_MATRIX)
    PetscCall(MatHeaderReplace(A, aij));
  else
    *M = *aij;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConvert_Borrowed(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  PetscInt    *row_ptr, *col;
  PetscScalar *val;
  Mat          aij;

  PetscFunctionBegin;
  PetscCall(AutoCSRBorrowedToHost(A, reuse, &row_ptr, &col, &val));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &aij));
  PetscCall(MatSetSizes(aij, A->rmap->n, A->cmap->n, A->rmap->n, A->cmap->n));
  PetscCall(MatSetType(aij, MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(aij, row_ptr, col, val));
  PetscCall(PetscFree3(row_ptr, col, val));
  PetscCall(AutoCSRBorrowedConverted(A, type, reuse, &aij, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRBorrowedInitialize(Mat A, MatType type, const AutoCSRBackend *backend, const struct _MatOps *ops, const AutoCSRMethod methods[])
{
  PetscFunctionBegin;
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, type));
#if defined(AUTOCSR_HAVE_CUDA)
  if (backend != &AutoCSRBackendHost) PetscCall(MatSetVecType(A, VECCUDA));
#else
  (void)backend;
#endif
  PetscCall(AutoCSRContextCreate(A, NULL));
  for (; methods->function; methods++) PetscCall(PetscObjectComposeFunction((PetscObject)A, methods->name, methods->function));
  *A->ops                = *ops;
  A->ops->setfromoptions = MatSetFromOptions_Borrowed;
  A->preallocated        = PETSC_TRUE;
  A->assembled           = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRBorrowedFinalize(Mat A, const AutoCSRMethod methods[])
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextTake(A, &container));
  PetscCall(PetscContainerDestroy(&container));
  for (; methods->function; methods++) PetscCall(PetscObjectComposeFunction((PetscObject)A, methods->name, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct _MatOps Operations = {
    .mult                      = MatMult_SeqAutoCSR,
    .multadd                   = MatMultAdd_SeqAutoCSR,
    .multtranspose             = MatMultTranspose_SeqAutoCSR,
    .multtransposeadd          = MatMultTransposeAdd_SeqAutoCSR,
    .multhermitiantranspose    = MatMultHermitianTranspose_SeqAutoCSR,
    .multhermitiantransposeadd = MatMultHermitianTransposeAdd_SeqAutoCSR,
    .getdiagonal               = MatGetDiagonal_Borrowed,
    .convert                   = MatConvert_Borrowed,
    .destroy                   = MatDestroy_Borrowed,
};

PetscErrorCode MatCreateSeqAutoCSR_Borrowed(MPI_Comm comm, const AutoCSRMatrix *csr, Mat *A)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, csr->m, csr->n, csr->m, csr->n));
  PetscCall(AutoCSRBorrowedInitialize(*A, MATSEQAUTOCSRDEVICE, csr->backend, &Operations, Methods));
  PetscCall(AutoCSRContextGet(*A, &ctx));
  ctx->borrowed = *csr;
  PetscFunctionReturn(PETSC_SUCCESS);
}
