/*
  A parallel matrix on CSR arrays of the user: a block for the process's own columns and one for the ghosts, the columns of other processes that it multiplies. PETSc's scatter
  brings the entries of x for these.
*/
#include "mpiautocsr.h"
#include <petscsf.h>

typedef struct {
  Mat             block[AUTOCSR_MAX_BLOCKS];
  const PetscInt *ghost; /* the columns of the second block */
  Vec             received;
  VecScatter      scatter;
} Borrowed;

static PetscErrorCode MatAutoCSRGetBlocks_Borrowed(Mat A, Mat blocks[AUTOCSR_MAX_BLOCKS])
{
  PetscFunctionBegin;
  PetscCall(PetscArraycpy(blocks, ((Borrowed *)A->data)->block, AUTOCSR_MAX_BLOCKS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAutoCSRSetSettings_Borrowed(Mat A, const AutoCSRSettings *settings)
{
  Borrowed       *b = (Borrowed *)A->data;
  AutoCSRContext *ctx;
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(AutoCSRContextGet(A, &ctx));
  PetscCall(AutoCSRContextSet(ctx, settings));
  ctx->agreed = PETSC_FALSE;
  PetscCall(MatMPIAutoCSRAgree(A, ctx));
  for (int k = 0; k < AUTOCSR_MAX_BLOCKS; k++) {
    AutoCSRContext *bctx;

    PetscCall(AutoCSRContextGet(b->block[k], &bctx));
    PetscCall(AutoCSRContextSet(bctx, settings));
    bctx->block        = PETSC_TRUE;
    bctx->off_diagonal = (PetscBool)(k == 1);
    bctx->in_step      = (PetscBool)(size > 1);
    PetscCall(PetscArraycpy(bctx->figures, ctx->figures, 2));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const AutoCSRMethod Methods[] = {
    AUTOCSR_METHOD("MatAutoCSRGetSettings_C", AutoCSRContextGetSettings),
    AUTOCSR_METHOD("MatAutoCSRSetSettings_C", MatAutoCSRSetSettings_Borrowed),
    AUTOCSR_METHOD("MatAutoCSRGetBlocks_C", MatAutoCSRGetBlocks_Borrowed),
    {NULL, NULL}};

static PetscErrorCode MatDestroy_Borrowed(Mat A)
{
  Borrowed *b = (Borrowed *)A->data;

  PetscFunctionBegin;
  for (int k = 0; k < AUTOCSR_MAX_BLOCKS; k++) PetscCall(MatDestroy(&b->block[k]));
  PetscCall(VecDestroy(&b->received));
  PetscCall(VecScatterDestroy(&b->scatter));
  PetscCall(PetscFree(b->ghost));
  PetscCall(PetscFree(A->data));
  PetscCall(AutoCSRBorrowedFinalize(A, Methods));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultAdd_Borrowed(Mat A, Vec x, Vec z, Vec y)
{
  Borrowed      *b = (Borrowed *)A->data;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(VecScatterBegin(b->scatter, x, b->received, INSERT_VALUES, SCATTER_FORWARD));
  ierr = z ? MatMultAdd_SeqAutoCSR(b->block[0], x, z, y) : MatMult_SeqAutoCSR(b->block[0], x, y);
  PetscCall(VecScatterEnd(b->scatter, x, b->received, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(ierr);
  PetscCall(MatMultAdd_SeqAutoCSR(b->block[1], b->received, y, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMult_Borrowed(Mat A, Vec x, Vec y)
{
  return MatMultAdd_Borrowed(A, x, NULL, y);
}

static PetscErrorCode MultTransposed(Mat A, PetscErrorCode (*mult)(Mat, Vec, Vec), PetscErrorCode (*multadd)(Mat, Vec, Vec, Vec), Vec x, Vec z, Vec y)
{
  Borrowed *b = (Borrowed *)A->data;

  PetscFunctionBegin;
  PetscCall((*mult)(b->block[1], x, b->received));
  if (z)
    PetscCall((*multadd)(b->block[0], x, z, y));
  else
    PetscCall((*mult)(b->block[0], x, y));
  PetscCall(VecScatterBegin(b->scatter, b->received, y, ADD_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(b->scatter, b->received, y, ADD_VALUES, SCATTER_REVERSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTranspose_Borrowed(Mat A, Vec x, Vec y)
{
  return MultTransposed(A, MatMultTranspose_SeqAutoCSR, NULL, x, NULL, y);
}

static PetscErrorCode MatMultTransposeAdd_Borrowed(Mat A, Vec x, Vec z, Vec y)
{
  return MultTransposed(A, MatMultTranspose_SeqAutoCSR, MatMultTransposeAdd_SeqAutoCSR, x, z, y);
}

static PetscErrorCode MatMultHermitianTranspose_Borrowed(Mat A, Vec x, Vec y)
{
  return MultTransposed(A, MatMultHermitianTranspose_SeqAutoCSR, NULL, x, NULL, y);
}

static PetscErrorCode MatMultHermitianTransposeAdd_Borrowed(Mat A, Vec x, Vec z, Vec y)
{
  return MultTransposed(A, MatMultHermitianTranspose_SeqAutoCSR, MatMultHermitianTransposeAdd_SeqAutoCSR, x, z, y);
}

static PetscErrorCode MatGetDiagonal_Borrowed(Mat A, Vec diagonal)
{
  Borrowed *b = (Borrowed *)A->data;

  PetscFunctionBegin;
  PetscUseTypeMethod(b->block[0], getdiagonal, diagonal);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConvert_Borrowed(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  Borrowed    *b = (Borrowed *)A->data;
  PetscInt    *row_ptr[AUTOCSR_MAX_BLOCKS], *col[AUTOCSR_MAX_BLOCKS], m = A->rmap->n, *i, *j, n = 0;
  PetscScalar *val[AUTOCSR_MAX_BLOCKS], *v;
  Mat          aij;

  PetscFunctionBegin;
  for (int k = 0; k < AUTOCSR_MAX_BLOCKS; k++) PetscCall(AutoCSRBorrowedToHost(b->block[k], reuse, &row_ptr[k], &col[k], &val[k]));
  PetscCall(PetscMalloc3(m + 1, &i, row_ptr[0][m] + row_ptr[1][m], &j, row_ptr[0][m] + row_ptr[1][m], &v));
  for (PetscInt r = 0; r < m; r++) {
    i[r] = n;
    for (int k = 0; k < AUTOCSR_MAX_BLOCKS; k++) {
      for (PetscInt e = row_ptr[k][r]; e < row_ptr[k][r + 1]; e++, n++) {
        j[n] = k ? b->ghost[col[k][e]] : A->cmap->rstart + col[k][e];
        v[n] = val[k][e];
      }
    }
  }
  i[m] = n;
  for (int k = 0; k < AUTOCSR_MAX_BLOCKS; k++) PetscCall(PetscFree3(row_ptr[k], col[k], val[k]));
  PetscCall(MatCreateMPIAIJWithArrays(PetscObjectComm((PetscObject)A), m, A->cmap->n, A->rmap->N, A->cmap->N, i, j, v, &aij));
  PetscCall(PetscFree3(i, j, v));
  PetscCall(AutoCSRBorrowedConverted(A, type, reuse, &aij, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeScatter(Mat A, Borrowed *b, PetscInt n_ghosts)
{
  IS  from;
  Vec x;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(MatCreateVecs(b->block[1], &b->received, NULL));
  PetscCall(ISCreateGeneral(PetscObjectComm((PetscObject)A), n_ghosts, b->ghost, PETSC_USE_POINTER, &from));
  PetscCall(VecScatterCreate(x, from, b->received, NULL, &b->scatter));
  PetscCall(ISDestroy(&from));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct _MatOps Operations = {
    .mult                      = MatMult_Borrowed,
    .multadd                   = MatMultAdd_Borrowed,
    .multtranspose             = MatMultTranspose_Borrowed,
    .multtransposeadd          = MatMultTransposeAdd_Borrowed,
    .multhermitiantranspose    = MatMultHermitianTranspose_Borrowed,
    .multhermitiantransposeadd = MatMultHermitianTransposeAdd_Borrowed,
    .getdiagonal               = MatGetDiagonal_Borrowed,
    .convert                   = MatConvert_Borrowed,
    .destroy                   = MatDestroy_Borrowed,
};

PetscErrorCode MatCreateMPIAutoCSR_Borrowed(MPI_Comm comm, PetscInt M, PetscInt N, const AutoCSRMatrix csr[AUTOCSR_MAX_BLOCKS], const PetscInt ghosts[], Mat *A)
{
  Borrowed       *b;
  PetscInt       *ghost;
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, csr[0].m, csr[0].n, M, N));
  PetscCall(AutoCSRBorrowedInitialize(*A, MATMPIAUTOCSRDEVICE, csr[0].backend, &Operations, Methods));
  PetscCall(PetscNew(&b));
  (*A)->data = b;
  PetscCall(PetscMalloc1(csr[1].n, &ghost));
  PetscCall(PetscArraycpy(ghost, ghosts, csr[1].n));
  b->ghost = ghost;
  for (int k = 0; k < AUTOCSR_MAX_BLOCKS; k++) PetscCall(MatCreateSeqAutoCSR_Borrowed(PETSC_COMM_SELF, &csr[k], &b->block[k]));
  PetscCall(MakeScatter(*A, b, csr[1].n));
  PetscCall(AutoCSRContextGet(*A, &ctx));
  PetscCall(MatAutoCSRSetSettings_Borrowed(*A, &ctx->settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}
