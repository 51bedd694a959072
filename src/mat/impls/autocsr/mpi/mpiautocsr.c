/*
  MATMPIAUTOCSR: a subclass of MATMPIAIJ, or of MATMPIAIJCUSPARSE where there is a device, whose diagonal and off-diagonal
  blocks are MATSEQAUTOCSR. The products are the parent's, which multiplies through the blocks. However PETSc made the blocks
  (preallocation, hash, COO, load, products), they become ours after the parent's assembly, and at the latest before the
  first product.
*/
#include "mpiautocsr.h"

static PetscErrorCode MatMult_MPIAutoCSR(Mat, Vec, Vec);
static PetscErrorCode MatMultAdd_MPIAutoCSR(Mat, Vec, Vec, Vec);
static PetscErrorCode MatMultTranspose_MPIAutoCSR(Mat, Vec, Vec);
static PetscErrorCode MatMultTransposeAdd_MPIAutoCSR(Mat, Vec, Vec, Vec);
static PetscErrorCode MatAssemblyEnd_MPIAutoCSR(Mat, MatAssemblyType);
static PetscErrorCode MatDuplicate_MPIAutoCSR(Mat, MatDuplicateOption, Mat *);
static PetscErrorCode MatDestroy_MPIAutoCSR(Mat);
static PetscErrorCode MatSetFromOptions_MPIAutoCSR(Mat, AutoCSROptionItems);
static PetscErrorCode MatAutoCSRSetSettings_MPI(Mat, const AutoCSRSettings *);
static PetscErrorCode MatAutoCSRGetBlocks_MPI(Mat, Mat[AUTOCSR_MAX_BLOCKS]);

/* Those for which the parent's stand where the blocks' own do */
static const AutoCSROperation MPIForwardProducts[] = {
    AUTOCSR_OPERATION(mult, MatMult_MPIAutoCSR),
    AUTOCSR_OPERATION(multadd, MatMultAdd_MPIAutoCSR),
    {0, NULL}};

static const AutoCSROperation MPIOperations[] = {
    AUTOCSR_OPERATION(mult, MatMult_MPIAutoCSR),
    AUTOCSR_OPERATION(multadd, MatMultAdd_MPIAutoCSR),
    AUTOCSR_OPERATION(multtranspose, MatMultTranspose_MPIAutoCSR),
    AUTOCSR_OPERATION(multtransposeadd, MatMultTransposeAdd_MPIAutoCSR),
    AUTOCSR_OPERATION(assemblyend, MatAssemblyEnd_MPIAutoCSR),
    AUTOCSR_OPERATION(duplicate, MatDuplicate_MPIAutoCSR),
    AUTOCSR_OPERATION(destroy, MatDestroy_MPIAutoCSR),
    AUTOCSR_OPERATION(setfromoptions, MatSetFromOptions_MPIAutoCSR),
    AUTOCSR_OPERATION(createsubmatrices, MatCreateSubMatrices_MPIAIJ_Told),
    AUTOCSR_OPERATION(createsubmatricesmpi, MatCreateSubMatricesMPI_MPIAIJ_Told),
    AUTOCSR_OPERATION(convert, MatConvert_AutoCSR_Any),
    {0, NULL}};

static const AutoCSRMethod MPIMethods[] = {
    AUTOCSR_METHOD("MatConvert_mpiaijautocsr_mpiaij_C", MatConvert_AutoCSR_Any),
    AUTOCSR_METHOD("MatAutoCSRGetSettings_C", AutoCSRContextGetSettings),
    AUTOCSR_METHOD("MatAutoCSRSetSettings_C", MatAutoCSRSetSettings_MPI),
    AUTOCSR_METHOD("MatAutoCSRGetBlocks_C", MatAutoCSRGetBlocks_MPI),
    {NULL, NULL}};

static AutoCSRParent MPIParent;

static const AutoCSRKind MPIKind = {MatIsMPIAutoCSR, MatMPIAutoCSRGetParent, MatMPIAutoCSRAttach, MatMPIAutoCSRSuspend, MatMPIAutoCSRResume, MatMPIAutoCSRIsAssembling};

/* MATMPIAIJ, or what multiplies it on the device that is there */
PetscErrorCode MatMPIAutoCSRInherit(PetscBool device, PetscBool takeover, AutoCSRParent **parent)
{
  PetscFunctionBegin;
  MPIParent = (AutoCSRParent){.type = MATMPIAIJ, .own = MATMPIAUTOCSR};
  PetscCall(AutoCSRParentExtend(&MPIParent, MPIOperations, MPIMethods));
#if defined(AUTOCSR_HAVE_CUDA)
  if (device) PetscCall(MatMPIAutoCSRInherit_CUSPARSE(&MPIParent, takeover));
#endif
  AutoCSRKinds[AUTOCSR_KIND_MPI] = &MPIKind;
  PetscCall(PetscFunctionListFind(MatList, MPIParent.type, &MPIParent.create));
  *parent = &MPIParent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMPIAutoCSRGetParent(const AutoCSRParent **parent)
{
  PetscFunctionBegin;
  if (PetscUnlikely(!MPIParent.has_tables)) PetscCall(AutoCSRParentMakeTables(&MPIParent));
  *parent = &MPIParent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool MatIsMPIAutoCSR(Mat A)
{
  return (PetscBool)(A->ops->assemblyend == MatAssemblyEnd_MPIAutoCSR || A->ops->duplicate == MatDuplicate_MPIAutoCSR);
}

static PetscErrorCode MatAutoCSRGetBlocks_MPI(Mat A, Mat blocks[AUTOCSR_MAX_BLOCKS])
{
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MATMPIAIJCUSPARSE does not hand them on when it is preallocated: inverses of diagonal blocks were read past their end */
static PetscErrorCode MatMPIAutoCSRSetBlockSizes(Mat A, Mat diagonal)
{
  PetscInt r, c, rows, cols;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSizes(A, &r, &c));
  PetscCall(MatGetBlockSizes(diagonal, &rows, &cols));
  if (rows != r || cols != c) PetscCall(MatSetBlockSizes(diagonal, r, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both blocks ours, with the settings of the whole */
static PetscErrorCode MatMPIAutoCSRSetBlocks(Mat A, AutoCSRContext *ctx)
{
  const AutoCSRParent *seq;
  AutoCSRContext      *bctx;
  Mat                  blocks[AUTOCSR_MAX_BLOCKS];
  PetscMPIInt          size;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&seq));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(MatAutoCSRGetBlocks_MPI(A, blocks));
  PetscCall(MatMPIAutoCSRAgree(A, ctx));
  for (PetscInt k = 0; k < AUTOCSR_MAX_BLOCKS; k++) {
    if (!blocks[k]) continue;
    if (!MatIsSeqAutoCSR(blocks[k])) PetscCall(AutoCSRConvertInPlace(blocks[k], seq, &ctx->settings));
    PetscCall(AutoCSRContextGet(blocks[k], &bctx));
    if (memcmp(&bctx->settings, &ctx->settings, sizeof(ctx->settings))) PetscUseMethod(blocks[k], "MatAutoCSRSetSettings_C", (Mat, const AutoCSRSettings *), (blocks[k], &ctx->settings));
    bctx->block        = PETSC_TRUE;
    bctx->off_diagonal = (PetscBool)(k == 1);
    bctx->in_step      = (PetscBool)(size > 1);
    PetscCall(PetscArraycpy(bctx->figures, ctx->figures, 2));
  }
  if (blocks[0]) PetscCall(MatMPIAutoCSRSetBlockSizes(A, blocks[0]));
  ctx->owner     = A;
  ctx->state     = ((PetscObject)A)->state;
  ctx->may_yield = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMPIAutoCSRUpdateBlocks(Mat A)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (ctx->owner != A || ctx->state != ((PetscObject)A)->state) PetscCall(MatMPIAutoCSRSetBlocks(A, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMPIAutoCSRAttach(Mat A, const AutoCSRSettings *settings)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  if (MatIsMPIAutoCSR(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall(AutoCSRAttach_Private(A, parent, settings));
  if (A->assembled) PetscCall(MatMPIAutoCSRUpdateBlocks(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMPIAutoCSRSuspend(Mat A, AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  const AutoCSRParent *parent;
  Mat                  blocks[AUTOCSR_MAX_BLOCKS];

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall(AutoCSRSuspend_Private(A, parent, s));
  PetscCall(MatAutoCSRGetBlocks_MPI(A, blocks));
  for (PetscInt k = 0; k < AUTOCSR_MAX_BLOCKS; k++) {
    if (blocks[k] && MatIsSeqAutoCSR(blocks[k])) PetscCall(MatSeqAutoCSRSuspend(blocks[k], &s[1 + k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatConvert() to MATMPIBAIJ takes the matrix apart and makes another off-diagonal block */
PetscErrorCode MatMPIAutoCSRResume(AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS])
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;
  Mat                  A = s->mat, blocks[AUTOCSR_MAX_BLOCKS];

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall(AutoCSRResume_Private(A, parent, s));
  PetscCall(MatAutoCSRGetBlocks_MPI(A, blocks));
  for (PetscInt k = 0; k < AUTOCSR_MAX_BLOCKS; k++) {
    if (s[1 + k].mat && s[1 + k].mat == blocks[k] && s[1 + k].id == ((PetscObject)blocks[k])->id) PetscCall(MatSeqAutoCSRResume(&s[1 + k]));
  }
  PetscCall(AutoCSRDiscard(s));
  PetscCall(AutoCSRContextGet(A, &ctx));
  PetscCall(MatMPIAutoCSRSetBlocks(A, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The blocks see to themselves */
static PetscErrorCode MatDestroy_MPIAutoCSR(Mat A)
{
  const AutoCSRParent *parent;
  AutoCSRSuspended     s[1 + AUTOCSR_MAX_BLOCKS] = {0};

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall(AutoCSRSuspend_Private(A, parent, s));
  PetscCall(AutoCSRDiscard(s));
  PetscCall((*parent->table[0].ops.destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDuplicate_MPIAutoCSR(Mat A, MatDuplicateOption option, Mat *B)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *a, *b;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall((*AutoCSRParentTableOf(parent, A)->ops.duplicate)(A, option, B));
  PetscCall(AutoCSRContextGet(A, &a));
  PetscCall(AutoCSRContextGet(*B, &b));
  PetscCall(AutoCSRContextSet(b, &a->settings));
  b->agreed = a->agreed;
  PetscCall(PetscArraycpy(b->figures, a->figures, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt assembling; /* parallel matrices, whose blocks are assembled meanwhile */

PetscBool MatMPIAutoCSRIsAssembling(void)
{
  return (PetscBool)(assembling > 0);
}

static PetscErrorCode MatAssemblyEnd_MPIAutoCSR(Mat A, MatAssemblyType mode)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;
  PetscErrorCode       ierr;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  assembling++;
  ierr = (*AutoCSRParentTableOf(parent, A)->ops.assemblyend)(A, mode);
  assembling--;
  PetscCall(ierr);
  if (mode == MAT_FLUSH_ASSEMBLY) PetscFunctionReturn(PETSC_SUCCESS);
  AutoCSROverrideParent(A, parent, MPIForwardProducts);
  PetscCall(AutoCSRContextGet(A, &ctx));
  PetscCall(MatMPIAutoCSRSetBlocks(A, ctx));
  PetscCall((*MPIParent.assembled)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAutoCSRSetSettings_MPI(Mat A, const AutoCSRSettings *settings)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall(AutoCSRContextGet(A, &ctx));
  PetscCall(AutoCSRContextSet(ctx, settings));
  ctx->agreed = PETSC_FALSE; /* in all processes, whatever the settings were */
  ctx->owner  = NULL;
  AutoCSROverrideParent(A, parent, MPIForwardProducts);
  if (A->assembled) PetscCall(MatMPIAutoCSRUpdateBlocks(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetFromOptions_MPIAutoCSR(Mat A, AutoCSROptionItems PetscOptionsObject)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall(AutoCSRSetFromOptions_Private(A, parent, PetscOptionsObject));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Until the matrix is assembled again the parent's products stand in the place of ours, if those of its blocks do: there is nothing left for ours to see to */
static PetscErrorCode MatMPIAutoCSRYield(Mat A, AutoCSRContext *ctx)
{
  AutoCSRContext *bctx;
  Mat             blocks[AUTOCSR_MAX_BLOCKS];

  PetscFunctionBegin;
  ctx->may_yield = PETSC_FALSE;
  PetscCall(MatAutoCSRGetBlocks_MPI(A, blocks));
  for (PetscInt k = 0; k < AUTOCSR_MAX_BLOCKS; k++) {
    if (!blocks[k]) continue;
    PetscCall(AutoCSRContextGet(blocks[k], &bctx));
    if (!bctx->yields && bctx->csr.nnz) PetscFunctionReturn(PETSC_SUCCESS);
  }
  AutoCSRYield(A, &MPIParent, MPIForwardProducts);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMult_MPIAutoCSR(Mat A, Vec x, Vec y)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRUpdateBlocks(A));
  PetscCall((*AutoCSRParentTableOf(&MPIParent, A)->ops.mult)(A, x, y));
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (PetscUnlikely(ctx->may_yield)) PetscCall(MatMPIAutoCSRYield(A, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultAdd_MPIAutoCSR(Mat A, Vec x, Vec z, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRUpdateBlocks(A));
  PetscCall((*AutoCSRParentTableOf(&MPIParent, A)->ops.multadd)(A, x, z, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTranspose_MPIAutoCSR(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRUpdateBlocks(A));
  PetscCall((*AutoCSRParentTableOf(&MPIParent, A)->ops.multtranspose)(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTransposeAdd_MPIAutoCSR(Mat A, Vec x, Vec z, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRUpdateBlocks(A));
  PetscCall((*AutoCSRParentTableOf(&MPIParent, A)->ops.multtransposeadd)(A, x, z, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_MPIAutoCSR(Mat A)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatMPIAutoCSRGetParent(&parent));
  PetscCall((*parent->create)(A));
  PetscCall(MatMPIAutoCSRAttach(A, NULL));
  A->ops->convertfrom = MatConvert_Any_AutoCSR;
  PetscFunctionReturn(PETSC_SUCCESS);
}
