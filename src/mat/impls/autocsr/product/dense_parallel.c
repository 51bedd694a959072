/*
  C = A B of parallel matrices with a dense B. The diagonal block is multiplied while rows of B come from other processes
  (rows.c), and the block off the diagonal then adds its part. The symbolic phase is PETSc's.

  C = A B^T, for which PETSc has nothing in parallel: B is transposed, and C = A B made of that.
*/
#include "product.h"

/* The backend of a block whose operands may lie in any memory: its plan's, or the host's if it has no plan; nnz: its entries */
static PetscErrorCode BackendOf(Mat block, const AutoCSRBackend **backend, PetscInt *nnz)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(block, &ctx));
  if (!AutoCSRContextIsReady(block, ctx)) PetscCall(AutoCSRContextUpdate(block, ctx));
  *nnz     = ctx->csr.nnz;
  *backend = ctx->planned.plan ? ctx->csr.backend : &AutoCSRBackendHost;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the host, a block without a plan */
static PetscErrorCode MultiplyUnplanned(Mat block, AutoCSRDenseOperands *op, PetscBool *done)
{
  AutoCSRMatrix      csr   = {.backend = &AutoCSRBackendHost, .n = block->cmap->n};
  AutoCSRDense      *dense = NULL;
  const PetscScalar *val;
  PetscInt           m;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &csr.m, &csr.row_ptr, &csr.col, done));
  PetscCall(MatSeqAIJGetArrayRead(block, &val));
  csr.val = val;
  csr.nnz = csr.row_ptr[csr.m];
  op->csr = &csr;
  op->few = PETSC_TRUE;
  PetscCall(AutoCSRDenseCreate(csr.backend, &dense));
  PetscCall((*csr.backend->mult_dense)(dense, op, done));
  PetscCall(AutoCSRDenseDestroy(&dense));
  PetscCall(PetscLogFlops(2.0 * csr.nnz * op->columns));
  PetscCall(MatSeqAIJRestoreArrayRead(block, &val));
  PetscCall(MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &m, &csr.row_ptr, &csr.col, done));
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MultiplyBlock(Mat block, const AutoCSRBackend *backend, AutoCSRDenseOperands *op)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseBlock(block, backend, op, &done));
  if (!done && backend == &AutoCSRBackendHost) {
    op->simd = "auto";
    op->way  = AUTOCSR_DENSE_PANELS;
    PetscCall(MultiplyUnplanned(block, op, &done));
  }
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_MEM, "No room on %s for a few columns of %" PetscInt_FMT " rows side by side", backend->name, block->cmap->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that goes with one product */
static PetscErrorCode Multiply(Mat A, Mat B, Mat C, Mat block[], const PetscInt nnz[], const AutoCSRBackend *backend)
{
  const PetscInt       columns = B->cmap->N;
  AutoCSRDenseRows     b, c;
  AutoCSRGhostRows     ghosts;
  AutoCSRDenseOperands op = {.columns = columns};

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseRowsGet(B, backend, PETSC_FALSE, &b));
  PetscCall(AutoCSRGhostRowsBegin(A, block[1], columns, &b, &ghosts));
  PetscCall(AutoCSRDenseRowsGet(C, backend, PETSC_TRUE, &c));
  op.B   = b.array;
  op.ldb = b.lda;
  op.C   = (PetscScalar *)c.array;
  op.ldc = c.lda;
  if (nnz[0]) PetscCall(MultiplyBlock(block[0], backend, &op));
  PetscCall(AutoCSRGhostRowsEnd(&ghosts));
  op.B       = ghosts.rows.array;
  op.ldb     = ghosts.rows.lda;
  op.by_rows = op.few = PETSC_TRUE;
  op.add              = (PetscBool)(nnz[0] > 0);
  if (nnz[1]) PetscCall(MultiplyBlock(block[1], backend, &op));
  PetscCall(AutoCSRDenseRowsRestore(&c));
  PetscCall(AutoCSRGhostRowsDestroy(&ghosts));
  PetscCall(AutoCSRDenseRowsRestore(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether it is done depends on types and sizes alone, so all processes agree */
PetscErrorCode AutoCSRDenseParallel(Mat C, PetscBool *done)
{
  const AutoCSRBackend *backend, *other;
  Mat                   A = C->product->A, B = C->product->B, local, block[AUTOCSR_MAX_BLOCKS];
  PetscInt              nnz[AUTOCSR_MAX_BLOCKS];
  PetscBool             dense;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(AutoCSRDenseProductIs(C, MATMPIDENSE, &dense));
  if (dense) PetscCall(PetscObjectBaseTypeCompare((PetscObject)C, MATMPIDENSE, &dense));
  if (!dense || C->product->type != MATPRODUCT_AB || !MatIsMPIAutoCSR(A) || !B->cmap->N) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(A->cmap->n == B->rmap->n && A->rmap->n == C->rmap->n && B->cmap->N == C->cmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Local sizes: a %" PetscInt_FMT " by %" PetscInt_FMT " matrix times one of %" PetscInt_FMT " by %" PetscInt_FMT " is none of %" PetscInt_FMT " by %" PetscInt_FMT, A->rmap->n, A->cmap->n, B->rmap->n, B->cmap->N, C->rmap->n, C->cmap->N);
  PetscCall(MatSetUp(C));
  PetscCall(MatMPIAutoCSRUpdateBlocks(A));
  PetscUseMethod(A, "MatAutoCSRGetBlocks_C", (Mat, Mat[]), (A, block));
  PetscCall(BackendOf(block[0], &backend, &nnz[0]));
  PetscCall(BackendOf(block[1], &other, &nnz[1]));
  if (!nnz[0] || (nnz[1] && other == &AutoCSRBackendHost)) backend = other; /* both where one of them can be */
  PetscCall(Multiply(A, B, C, block, nnz, backend));
  PetscCall(MatDenseGetLocalMatrix(C, &local));
  if (!nnz[0] && !nnz[1] && C->rmap->n) PetscCall(MatZeroEntries(local));
#if defined(AUTOCSR_HAVE_CUDA)
  {
    PetscBool host, there;

    PetscCall(PetscObjectTypeCompare((PetscObject)C, MATMPIDENSE, &host)); /* AIJCUSPARSE's symbolic phase has made it one of the device */
    PetscCall(PetscObjectTypeCompare((PetscObject)local, MATSEQDENSECUDA, &there));
    if (host && there) PetscCall(MatConvert(local, MATSEQDENSE, MAT_INPLACE_MATRIX, &local));
  }
#endif
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PRODUCT "MatAutoCSRTransposedProduct"

/* Transposes B and makes the product with that, which stays with C */
static PetscErrorCode MatProductNumeric_MPIAutoCSR_ABt(Mat C)
{
  Mat A = C->product->A, B = C->product->B, Bt, D;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)C, PRODUCT, (PetscObject *)&D));
  PetscCheck(D && A == D->product->A && B->cmap->n == D->product->B->rmap->n && B->rmap->N == D->product->B->cmap->N, PetscObjectComm((PetscObject)C), PETSC_ERR_ARG_INCOMP, "Another A, or a B of another size, than in the symbolic phase: call MatProductSymbolic() again");
  PetscCall(MatTranspose(B, MAT_INITIAL_MATRIX, &Bt));
  PetscCall(MatProductReplaceMats(NULL, Bt, NULL, D));
  PetscCall(MatDestroy(&Bt));
  PetscCall(MatProductNumeric(D));
  PetscCall(MatCopy(D, C, SAME_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductSymbolic_MPIAutoCSR_ABt(Mat C)
{
  Mat       A = C->product->A, B = C->product->B, Bt, D;
  PetscBool dense;

  PetscFunctionBegin;
  PetscCheck(A->cmap->N == B->cmap->N && A->cmap->n == B->cmap->n, PetscObjectComm((PetscObject)C), PETSC_ERR_ARG_SIZ, "A has %" PetscInt_FMT " columns, %" PetscInt_FMT " of them here, B %" PetscInt_FMT " and %" PetscInt_FMT ": create both with the same numbers", A->cmap->N, A->cmap->n, B->cmap->N, B->cmap->n);
  PetscCall(MatTranspose(B, MAT_INITIAL_MATRIX, &Bt));
  PetscCall(MatProductCreate(A, Bt, NULL, &D));
  PetscCall(MatProductSetType(D, MATPRODUCT_AB));
  PetscCall(MatProductSetFromOptions(D));
  PetscCall(MatProductSymbolic(D));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)C, MATMPIDENSE, &dense));
  if (!dense) PetscCall(MatSetType(C, ((PetscObject)B)->type_name));
  PetscCall(MatSetSizes(C, A->rmap->n, B->rmap->n, A->rmap->N, B->rmap->N));
  PetscCall(MatSetUp(C));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscObjectCompose((PetscObject)C, PRODUCT, (PetscObject)D));
  PetscCall(MatDestroy(&Bt));
  PetscCall(MatDestroy(&D));
  C->ops->productnumeric = MatProductNumeric_MPIAutoCSR_ABt;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDenseParallelTransposed(Mat C, PetscBool *made)
{
  const Mat_Product *product = C->product;

  PetscFunctionBegin;
  *made = PETSC_FALSE;
  if (product->type != MATPRODUCT_ABt || C->ops->productsymbolic || !MatIsMPIAutoCSR(product->A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)product->B, MATMPIDENSE, made));
  if (*made) C->ops->productsymbolic = MatProductSymbolic_MPIAutoCSR_ABt;
  PetscFunctionReturn(PETSC_SUCCESS);
}
