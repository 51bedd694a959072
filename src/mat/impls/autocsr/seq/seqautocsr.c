/*
  MATSEQAUTOCSR: a subclass of MATSEQAIJ that keeps a plan beside the CSR and multiplies with it. No numerics here.
*/
#include "seqautocsr.h"

/* Overridden: the products, and what makes, changes or ends a matrix */
#define AUTOCSR_SEQ_PRODUCTS(X)                                   \
  X(mult, MatMult_SeqAutoCSR)                                     \
  X(multadd, MatMultAdd_SeqAutoCSR)                               \
  X(multtranspose, MatMultTranspose_SeqAutoCSR)                   \
  X(multtransposeadd, MatMultTransposeAdd_SeqAutoCSR)             \
  X(multhermitiantranspose, MatMultHermitianTranspose_SeqAutoCSR) \
  X(multhermitiantransposeadd, MatMultHermitianTransposeAdd_SeqAutoCSR)

#define AUTOCSR_SEQ_OPERATIONS(X)                       \
  AUTOCSR_SEQ_PRODUCTS(X)                               \
  X(assemblyend, MatAssemblyEnd_SeqAutoCSR)             \
  X(duplicate, MatDuplicate_SeqAutoCSR)                 \
  X(destroy, MatDestroy_SeqAutoCSR)                     \
  X(setfromoptions, MatSetFromOptions_SeqAutoCSR)       \
  X(lufactor, MatLUFactor_SeqAutoCSR)                   \
  X(ilufactor, MatILUFactor_SeqAutoCSR)                 \
  X(transposesymbolic, MatTransposeSymbolic_SeqAutoCSR) \
  X(convert, MatConvert_AutoCSR_Any)

static PetscErrorCode MatAssemblyEnd_SeqAutoCSR(Mat, MatAssemblyType);
static PetscErrorCode MatDuplicate_SeqAutoCSR(Mat, MatDuplicateOption, Mat *);
static PetscErrorCode MatDestroy_SeqAutoCSR(Mat);
static PetscErrorCode MatSetFromOptions_SeqAutoCSR(Mat, AutoCSROptionItems);
static PetscErrorCode MatLUFactor_SeqAutoCSR(Mat, IS, IS, const MatFactorInfo *);
static PetscErrorCode MatILUFactor_SeqAutoCSR(Mat, IS, IS, const MatFactorInfo *);
static PetscErrorCode MatTransposeSymbolic_SeqAutoCSR(Mat, Mat *);
static PetscErrorCode MatAutoCSRGetSettings_Seq(Mat, AutoCSRSettings *);
static PetscErrorCode MatAutoCSRSetSettings_Seq(Mat, const AutoCSRSettings *);
static PetscErrorCode MatAutoCSRGetBlocks_Seq(Mat, Mat[AUTOCSR_MAX_BLOCKS]);
static PetscErrorCode MatRetrieveValues_SeqAutoCSR(Mat);

static const AutoCSRMethod SeqMethods[] = {
    AUTOCSR_METHOD("MatConvert_seqaij_seqaijautocsr_C", MatConvert_Any_AutoCSR),
    AUTOCSR_METHOD("MatConvert_seqaij_autocsr_C", MatConvert_Any_AutoCSR),
    AUTOCSR_METHOD("MatConvert_seqaijautocsr_seqaijautocsr_C", MatConvert_Any_AutoCSR),
    AUTOCSR_METHOD("MatConvert_seqaijautocsr_autocsr_C", MatConvert_Any_AutoCSR),
    AUTOCSR_METHOD("MatConvert_seqaijautocsr_seqaij_C", MatConvert_AutoCSR_Any),
    AUTOCSR_METHOD("MatProductSetFromOptions_anytype_C", MatProductSetFromOptions_AutoCSR),
    AUTOCSR_METHOD("MatSeqAIJKron_C", MatSeqAIJKron_AutoCSR),
    AUTOCSR_METHOD("MatRetrieveValues_C", MatRetrieveValues_SeqAutoCSR),
    AUTOCSR_METHOD("MatAutoCSRGetSettings_C", MatAutoCSRGetSettings_Seq),
    AUTOCSR_METHOD("MatAutoCSRSetSettings_C", MatAutoCSRSetSettings_Seq),
    AUTOCSR_METHOD("MatAutoCSRGetBlocks_C", MatAutoCSRGetBlocks_Seq),
    {NULL, NULL}};

static AutoCSRParent SeqParent = {.type = MATSEQAIJ, .own = MATSEQAUTOCSR, .methods = SeqMethods};

PetscErrorCode MatSeqAutoCSRGetParent(const AutoCSRParent **parent)
{
  PetscFunctionBegin;
  if (!SeqParent.ops.mult) PetscCall(AutoCSRParentInitialize(&SeqParent));
  *parent = &SeqParent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By a function and not by the type name, which a parent's function may have changed */
PetscBool MatIsSeqAutoCSR(Mat A)
{
  return (PetscBool)(A->ops->duplicate == MatDuplicate_SeqAutoCSR);
}

PetscErrorCode MatSeqAutoCSRAttach(Mat A, const AutoCSRSettings *settings)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;

  PetscFunctionBegin;
  if (MatIsSeqAutoCSR(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRAttach_Private(A, parent, settings));
  PetscCall(AutoCSRContextGet(A, &ctx));
  ctx->destroy = A->ops->destroy;
  AUTOCSR_SEQ_OPERATIONS(AUTOCSR_INSTALL)
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSeqAutoCSRSuspend(Mat A, AutoCSRSuspended *s)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRSuspend_Private(A, parent, s));
  AUTOCSR_SEQ_OPERATIONS(AUTOCSR_SUSPEND)
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSeqAutoCSRResume(AutoCSRSuspended *s)
{
  const AutoCSRParent *parent;
  Mat                  A = s->mat;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  AUTOCSR_SEQ_OPERATIONS(AUTOCSR_RESUME)
  PetscCall(AutoCSRResume_Private(parent, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From now on the parent's */
static PetscErrorCode MatSeqAutoCSRDetach(Mat A)
{
  AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS] = {0};

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRSuspend(A, s));
  PetscCall(AutoCSRDiscard(s));
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
  destroy = ctx && ctx->destroy ? ctx->destroy : parent->ops.destroy;
  PetscCall(MatSeqAutoCSRDetach(A));
  PetscCall((*destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parent makes the copy by the type's name, so it is ours already; its plan is made when it is needed */
static PetscErrorCode MatDuplicate_SeqAutoCSR(Mat A, MatDuplicateOption option, Mat *B)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *a, *b;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall((*parent->ops.duplicate)(A, option, B));
  PetscCall(AutoCSRContextGet(A, &a));
  PetscCall(AutoCSRContextGet(*B, &b));
  PetscCall(AutoCSRContextSet(b, &a->settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parent's inode code may put its own products into the matrix */
static PetscErrorCode MatAssemblyEnd_SeqAutoCSR(Mat A, MatAssemblyType mode)
{
  const AutoCSRParent *parent;
  AutoCSRContext      *ctx;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall((*parent->ops.assemblyend)(A, mode));
  if (mode == MAT_FLUSH_ASSEMBLY || A->factortype) PetscFunctionReturn(PETSC_SUCCESS);
  AUTOCSR_SEQ_PRODUCTS(AUTOCSR_INSTALL)
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (!ctx->block) PetscCall(AutoCSRViewFromOptions(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetFromOptions_SeqAutoCSR(Mat A, AutoCSROptionItems PetscOptionsObject)
{
  const AutoCSRParent *parent;
  AutoCSRSettings      settings;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  if (parent->ops.setfromoptions) PetscCall((*parent->ops.setfromoptions)(A, PetscOptionsObject));
  PetscCall(MatAutoCSRGetSettings_Seq(A, &settings));
  PetscCall(AutoCSRSettingsSetFromOptions(A, &settings, PetscOptionsObject));
  PetscCall(MatAutoCSRSetSettings_Seq(A, &settings));
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
  PetscCall((*parent->ops.transposesymbolic)(A, B));
  if (MatIsSeqAutoCSR(*B)) PetscCall(MatSeqAutoCSRDetach(*B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Older PETSc does not count this as a change of the matrix */
static PetscErrorCode MatRetrieveValues_SeqAutoCSR(Mat A)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  for (PetscInt k = 0; SeqMethods[k].name; k++) {
    if (SeqMethods[k].function == (void (*)(void))MatRetrieveValues_SeqAutoCSR) PetscCall((*(PetscErrorCode(*)(Mat))parent->parent_methods[k])(A));
  }
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAutoCSRGetSettings_Seq(Mat A, AutoCSRSettings *settings)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  *settings = ctx->settings;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAutoCSRSetSettings_Seq(Mat A, const AutoCSRSettings *settings)
{
  AutoCSRContext *ctx;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  PetscCall(AutoCSRContextSet(ctx, settings));
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
  PetscCall(MatSetType(A, parent->type));
  PetscCall(MatSeqAutoCSRAttach(A, NULL));
  A->ops->convertfrom = MatConvert_Any_AutoCSR; /* not where -mat_seqaij_type makes ours of an AIJ: that is what the conversion begins with */
  PetscFunctionReturn(PETSC_SUCCESS);
}
