/*
  MATSEQAUTOCSR: a subclass of MATSEQAIJ, or of MATSEQAIJCUSPARSE where there is a device, that keeps a plan beside the CSR
  and multiplies with it. No numerics here.
*/
#include "seqautocsr.h"

static PetscErrorCode MatAssemblyEnd_SeqAutoCSR(Mat, MatAssemblyType);
static PetscErrorCode MatDuplicate_SeqAutoCSR(Mat, MatDuplicateOption, Mat *);
static PetscErrorCode MatDestroy_SeqAutoCSR(Mat);
static PetscErrorCode MatSetFromOptions_SeqAutoCSR(Mat, AutoCSROptionItems);
static PetscErrorCode MatLUFactor_SeqAutoCSR(Mat, IS, IS, const MatFactorInfo *);
static PetscErrorCode MatILUFactor_SeqAutoCSR(Mat, IS, IS, const MatFactorInfo *);
static PetscErrorCode MatTransposeSymbolic_SeqAutoCSR(Mat, Mat *);
static PetscErrorCode MatAutoCSRSetSettings_Seq(Mat, const AutoCSRSettings *);
static PetscErrorCode MatAutoCSRGetBlocks_Seq(Mat, Mat[AUTOCSR_MAX_BLOCKS]);

/* Overridden: the products, and what makes, changes or ends a matrix */
static const AutoCSROperation SeqProducts[] = {
    AUTOCSR_OPERATION(mult, MatMult_SeqAutoCSR),
    AUTOCSR_OPERATION(multadd, MatMultAdd_SeqAutoCSR),
    AUTOCSR_OPERATION(multtranspose, MatMultTranspose_SeqAutoCSR),
    AUTOCSR_OPERATION(multtransposeadd, MatMultTransposeAdd_SeqAutoCSR),
    AUTOCSR_OPERATION(multhermitiantranspose, MatMultHermitianTranspose_SeqAutoCSR),
    AUTOCSR_OPERATION(multhermitiantransposeadd, MatMultHermitianTransposeAdd_SeqAutoCSR),
    {0, NULL}};

/* Those for which the parent's stand without a detour. Its transposed product sets y by a logged operation (seq/fallback.c) */
static const AutoCSROperation SeqForwardProducts[] = {
    AUTOCSR_OPERATION(mult, MatMult_SeqAutoCSR),
    AUTOCSR_OPERATION(multadd, MatMultAdd_SeqAutoCSR),
    {0, NULL}};

static const AutoCSROperation SeqOperations[] = {
    AUTOCSR_OPERATION(assemblyend, MatAssemblyEnd_SeqAutoCSR),
    AUTOCSR_OPERATION(duplicate, MatDuplicate_SeqAutoCSR),
    AUTOCSR_OPERATION(destroy, MatDestroy_SeqAutoCSR),
    AUTOCSR_OPERATION(setfromoptions, MatSetFromOptions_SeqAutoCSR),
    AUTOCSR_OPERATION(lufactor, MatLUFactor_SeqAutoCSR),
    AUTOCSR_OPERATION(ilufactor, MatILUFactor_SeqAutoCSR),
    AUTOCSR_OPERATION(transposesymbolic, MatTransposeSymbolic_SeqAutoCSR),
    AUTOCSR_OPERATION(createsubmatrices, MatCreateSubMatrices_SeqAutoCSR),
    AUTOCSR_OPERATION(convert, MatConvert_AutoCSR_Any),
    {0, NULL}};

static const AutoCSRMethod SeqMethods[] = {
    AUTOCSR_METHOD("MatConvert_seqaijautocsr_seqaij_C", MatConvert_AutoCSR_Any),
    AUTOCSR_METHOD("MatSeqAIJSetColumnIndices_C", MatSeqAIJSetColumnIndices_SeqAutoCSR),
    AUTOCSR_METHOD("MatStoreValues_C", MatStoreValues_SeqAutoCSR),
    AUTOCSR_METHOD("MatRetrieveValues_C", MatRetrieveValues_SeqAutoCSR),
    AUTOCSR_METHOD("MatAutoCSRGetSettings_C", AutoCSRContextGetSettings),
    AUTOCSR_METHOD("MatAutoCSRSetSettings_C", MatAutoCSRSetSettings_Seq),
    AUTOCSR_METHOD("MatAutoCSRGetBlocks_C", MatAutoCSRGetBlocks_Seq),
    {NULL, NULL}};

static AutoCSRParent SeqParent;

static PetscErrorCode MatSeqAutoCSRGetCSR_Host(Mat A, AutoCSRMatrix *csr)
{
  PetscScalar *val;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &csr->row_ptr, &csr->col, &val, NULL));
  csr->val     = val;
  csr->backend = &AutoCSRBackendHost;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const AutoCSRKind SeqKind = {MatIsSeqAutoCSR, MatSeqAutoCSRGetParent, MatSeqAutoCSRAttach, MatSeqAutoCSRSuspend, MatSeqAutoCSRResume, NULL};

/* MATSEQAIJ, or what multiplies it on the device that is there */
PetscErrorCode MatSeqAutoCSRInherit(PetscBool device, PetscBool takeover, AutoCSRParent **parent)
{
  PetscFunctionBegin;
  SeqParent = (AutoCSRParent){.type = MATSEQAIJ, .own = MATSEQAUTOCSR, .get_csr = MatSeqAutoCSRGetCSR_Host};
  PetscCall(AutoCSRParentExtend(&SeqParent, SeqProducts, SeqMethods));
  PetscCall(AutoCSRParentExtend(&SeqParent, SeqOperations, NULL));
#if defined(AUTOCSR_HAVE_CUDA)
  if (device) PetscCall(MatSeqAutoCSRInherit_CUSPARSE(&SeqParent, takeover));
#endif
  AutoCSRKinds[AUTOCSR_KIND_SEQ] = &SeqKind;
  PetscCall(PetscFunctionListFind(MatList, SeqParent.type, &SeqParent.create));
  *parent = &SeqParent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its tables are made at the first matrix, not when the library is loaded: on a device that takes a while */
PetscErrorCode MatSeqAutoCSRGetParent(const AutoCSRParent **parent)
{
  PetscFunctionBegin;
  if (PetscUnlikely(!SeqParent.has_tables)) PetscCall(AutoCSRParentMakeTables(&SeqParent));
  *parent = &SeqParent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By functions and not by the type name, which a parent's function may have changed; a program may have put another in the place of one */
PetscBool MatIsSeqAutoCSR(Mat A)
{
  return (PetscBool)(A->ops->assemblyend == MatAssemblyEnd_SeqAutoCSR || A->ops->duplicate == MatDuplicate_SeqAutoCSR);
}

PetscErrorCode MatSeqAutoCSRAttach(Mat A, const AutoCSRSettings *settings)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;
  PetscErrorCode (*destroy)(Mat) = A->ops->destroy;

  PetscFunctionBegin;
  if (MatIsSeqAutoCSR(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRAttach_Private(A, parent, settings));
  PetscCall(AutoCSRContextGet(A, &ctx));
  ctx->destroy = destroy;
  if (parent->prepare) PetscCall((*parent->prepare)());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A duplicate that -mat_seqaij_type has made ours has been handed the composed methods of the original, which went as its parent */
PetscErrorCode MatSeqAutoCSRRecompose(Mat A)
{
  const AutoCSRParent      *parent;
  const AutoCSRParentTable *table;
  void (*method)(void) = NULL;
  PetscInt k           = 0;

  PetscFunctionBegin;
  if (!MatIsSeqAutoCSR(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  table = AutoCSRParentTableOf(parent, A);
  while (parent->methods[k].name && !table->methods[k]) k++; /* one that both have shows whose they are */
  if (parent->methods[k].name) PetscCall(PetscObjectQueryFunction((PetscObject)A, parent->methods[k].name, &method));
  if (!method || method != parent->methods[k].function) PetscCall(AutoCSRCompose(A, parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSeqAutoCSRSuspend(Mat A, AutoCSRSuspended *s)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRContextFind(A, &ctx));
  s->destroy = ctx && A->ops->destroy == MatDestroy_SeqAutoCSR ? ctx->destroy : NULL;
  PetscCall(AutoCSRSuspend_Private(A, parent, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSeqAutoCSRResume(AutoCSRSuspended *s)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRResume_Private(s->mat, parent, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From now on the parent's, with the destroy method that it had before */
PetscErrorCode MatSeqAutoCSRDetach(Mat A)
{
  AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS] = {0};

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRSuspend(A, s));
  PetscCall(AutoCSRDiscard(s));
  if (s->destroy) A->ops->destroy = s->destroy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatCreateSubMatrices() has put a destroy method of its own in front of the parent's, or in front of this one */
static PetscErrorCode MatDestroy_SeqAutoCSR(Mat A)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;
  PetscErrorCode (*destroy)(Mat);

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRContextFind(A, &ctx));
  destroy = ctx && ctx->destroy ? ctx->destroy : parent->table[0].ops.destroy;
  PetscCall(MatSeqAutoCSRDetach(A));
  PetscCall((*destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_GE(3, 19, 0)
/*
  The hash of values that are being set keeps the operations for the time after: ours must be there before it begins. AIJ's copy is of the name that
  A has, and has its options, such as MAT_ROW_ORIENTED; AIJCUSPARSE's is made first and converted afterwards
*/
static PetscErrorCode AutoCSRDuplicateHash(Mat A, MatDuplicateOption option, Mat *B)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  if (!parent->device) {
    PetscCall((*AutoCSRParentTableOf(parent, A)->ops.duplicate)(A, option, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  PetscCall(MatSetSizes(*B, A->rmap->n, A->cmap->n, A->rmap->n, A->cmap->n));
  PetscCall(MatSetBlockSizesFromMats(*B, A, A));
  PetscCall(MatSetType(*B, ((PetscObject)A)->type_name));
  PetscCall(MatSetOption(*B, MAT_STRUCTURE_ONLY, A->structure_only));
  PetscCall(MatSetUp(*B));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* As the parent, which hands on what a matrix composes; the copy's plan is made when it is needed */
static PetscErrorCode MatDuplicate_SeqAutoCSR(Mat A, MatDuplicateOption option, Mat *B)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;
  AutoCSRSettings      settings;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRContextGetSettings(A, &settings));
#if PETSC_VERSION_GE(3, 19, 0)
  if (A->hash_active) {
    PetscCall(AutoCSRDuplicateHash(A, option, B));
    PetscCall(AutoCSRContextGet(*B, &ctx));
    PetscCall(AutoCSRContextSet(ctx, &settings));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  AUTOCSR_CALL_AS_PARENT(A, (*AutoCSRParentTableOf(parent, A)->ops.duplicate)(A, option, B));
  PetscCall(MatSeqAutoCSRRecompose(*B));
  PetscCall(MatSeqAutoCSRAttach(*B, &settings));
  PetscCall(AutoCSRContextGet(*B, &ctx));
  PetscCall(AutoCSRContextSet(ctx, &settings)); /* where -mat_seqaij_type or the parent's name had made it ours */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parent may have put its own products into the matrix; what a program has put there stays */
static PetscErrorCode MatAssemblyEnd_SeqAutoCSR(Mat A, MatAssemblyType mode)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;
#if PETSC_VERSION_LT(3, 23, 0)
  const PetscBool anew = (PetscBool)!A->was_assembled;
#endif

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall((*AutoCSRParentTableOf(parent, A)->ops.assemblyend)(A, mode));
  if (mode == MAT_FLUSH_ASSEMBLY || A->factortype) PetscFunctionReturn(PETSC_SUCCESS);
#if PETSC_VERSION_LT(3, 23, 0)
  if (anew) A->nonzerostate++; /* MatResetPreallocation(), and values under MAT_SORTED_FULL, do not count as another structure there */
#endif
  AutoCSROverrideParent(A, parent, SeqProducts);
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (!ctx->block && !(*AutoCSRKinds[AUTOCSR_KIND_MPI]->is_assembling)()) PetscCall((*SeqParent.assembled)(A)); /* blocks that are new are not known as such yet */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSeqAutoCSRYield(Mat A)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  AutoCSRYield(A, parent, SeqForwardProducts);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetFromOptions_SeqAutoCSR(Mat A, AutoCSROptionItems PetscOptionsObject)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRSetFromOptions_Private(A, parent, PetscOptionsObject));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factored in place a matrix becomes a factor of the parent's type: MatHeaderMerge() asks for that */
static PetscErrorCode MatLUFactor_SeqAutoCSR(Mat A, IS row, IS col, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRDetach(A));
  PetscUseTypeMethod(A, lufactor, row, col, info);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatILUFactor_SeqAutoCSR(Mat A, IS row, IS col, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRDetach(A));
  PetscUseTypeMethod(A, ilufactor, row, col, info);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A B^T of an AIJ A sets the type of this B^T to that of A, and from ours to the parent's MatSetType() loses the data */
static PetscErrorCode MatTransposeSymbolic_SeqAutoCSR(Mat A, Mat *B)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall((*AutoCSRParentTableOf(parent, A)->ops.transposesymbolic)(A, B));
  if (MatIsSeqAutoCSR(*B)) PetscCall(MatSeqAutoCSRDetach(*B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAutoCSRSetSettings_Seq(Mat A, const AutoCSRSettings *settings)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRContextGet(A, &ctx));
  PetscCall(AutoCSRContextSet(ctx, settings));
  if (!A->factortype) AutoCSROverrideParent(A, parent, SeqProducts); /* products that were left to the parent are planned for once more */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAutoCSRGetBlocks_Seq(Mat A, Mat blocks[AUTOCSR_MAX_BLOCKS])
{
  PetscFunctionBegin;
  blocks[0] = A;
  blocks[1] = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_SeqAutoCSR(Mat A)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall((*parent->create)(A));
  PetscCall(MatSeqAutoCSRAttach(A, NULL));
  A->ops->convertfrom = MatConvert_Any_AutoCSR; /* not where -mat_seqaij_type makes ours of an AIJ: that is what the conversion begins with */
  PetscFunctionReturn(PETSC_SUCCESS);
}
