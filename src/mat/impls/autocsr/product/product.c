/*
  MatProduct finds its functions by exact type names (MatProductSetFromOptions_<A>_<B>_C). Where ours meet another type the
  question is asked again with ours going as their parents. The answer, functions for AIJ, fits them as they are; those for
  AIJCUSPARSE, and a shell's, ask for names themselves, so both phases are run with ours going as their parents too.
*/
#include "product.h"

typedef struct {
  AutoCSRSuspended operand[3][1 + AUTOCSR_MAX_BLOCKS], result[1 + AUTOCSR_MAX_BLOCKS];
} AutoCSRSuspendedProduct;

static PetscErrorCode AutoCSRProductResume(AutoCSRSuspendedProduct *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRResume(s->result));
  for (PetscInt k = 2; k >= 0; k--) PetscCall(AutoCSRResume(s->operand[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRProductSuspend(Mat C, AutoCSRSuspendedProduct *s)
{
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(AutoCSRDenseProductIs(C, MATMPIDENSE, &dense));
  PetscCall(AutoCSRSuspend(C->product->A, s->operand[0]));
  if (dense) PetscCall(AutoCSRResumeBlocks(s->operand[0])); /* they are multiplied as what they are */
  PetscCall(AutoCSRSuspend(C->product->B, s->operand[1]));
  PetscCall(AutoCSRSuspend(C->product->C, s->operand[2]));
  PetscCall(AutoCSRSuspend(C, s->result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A call for C during which all matrices of the product go as their parents */
static PetscErrorCode AutoCSRProductCall(Mat C, PetscErrorCode (*call)(Mat))
{
  AutoCSRSuspendedProduct s;
  PetscErrorCode          ierr;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&s, sizeof(s)));
  ierr = AutoCSRProductSuspend(C, &s);
  if (!ierr) ierr = (*call)(C);
  PetscCall(AutoCSRProductResume(&s));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc put into the result for the two phases, where ours stand now */
typedef struct {
  PetscErrorCode (*symbolic)(Mat);
  PetscErrorCode (*numeric)(Mat);
  PetscBool        shell; /* an operand is one, and its user has said of which type the result is */
  PetscBool        host;  /* the result was a dense matrix of the host before the symbolic phase, and is to be one again */
  PetscObjectId    id;    /* of A in the symbolic phase, and its state */
  PetscObjectState state;
} AutoCSRPhases;

static PetscErrorCode AutoCSRPhasesGet(Mat C, AutoCSRPhases **phases)
{
  return AutoCSRContain(C, "MatAutoCSRPhases", sizeof(**phases), (void **)phases);
}

static PetscErrorCode MatProductSymbolic_AutoCSR(Mat);
static PetscErrorCode MatProductNumeric_AutoCSR(Mat);

/* After each call, which may put others there, and other matrices into C: with those what C had before may be gone */
static PetscErrorCode AutoCSRPhasesWrap(Mat C, const AutoCSRPhases *before)
{
  AutoCSRPhases *phases;

  PetscFunctionBegin;
  PetscCall(AutoCSRPhasesGet(C, &phases));
  *phases = *before;
  if (C->ops->productsymbolic && C->ops->productsymbolic != MatProductSymbolic_AutoCSR) {
    phases->symbolic        = C->ops->productsymbolic;
    C->ops->productsymbolic = MatProductSymbolic_AutoCSR;
  }
  if (C->ops->productnumeric && C->ops->productnumeric != MatProductNumeric_AutoCSR) {
    phases->numeric        = C->ops->productnumeric;
    C->ops->productnumeric = MatProductNumeric_AutoCSR;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A result of the parent's type becomes ours, as the operands are */
static PetscErrorCode AutoCSRProductAttach(Mat C)
{
  const AutoCSRParent *seq, *mpi;
  PetscBool            parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&seq));
  PetscCall(MatMPIAutoCSRGetParent(&mpi));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)C, &parent, seq->type, mpi->type, ""));
  if (parent) PetscCall(AutoCSRAttach(C, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductSymbolic_AutoCSR(Mat C)
{
  const Mat     operand[3] = {C->product->A, C->product->B, C->product->C};
  AutoCSRPhases before, *phases;

  PetscFunctionBegin;
  PetscCall(AutoCSRPhasesGet(C, &phases));
  phases->id    = ((PetscObject)C->product->A)->id;
  phases->state = ((PetscObject)C->product->A)->state;
  PetscCall(PetscObjectTypeCompare((PetscObject)C, MATSEQDENSE, &phases->host));
  before = *phases;
  for (PetscInt k = 0; k < 3; k++) PetscCall(AutoCSRHoldArrays(operand[k]));
  C->ops->productsymbolic = before.symbolic;
  PetscCall(AutoCSRProductCall(C, before.symbolic));
  if (C->product && C->product->Dwork) before.shell = PETSC_FALSE; /* of three, of which two have been multiplied: the shell is no operand of what is left */
  PetscCall(AutoCSRPhasesWrap(C, &before));
  if (!before.shell) PetscCall(AutoCSRProductAttach(C));
  PetscCall(AutoCSRHoldArrays(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In parallel the symbolic phase of A^T B, B dense, copies the values of an AIJCUSPARSE (3.26.1); the numeric phase takes no new ones */
static PetscErrorCode AutoCSRProductRenew(Mat C, const AutoCSRPhases *phases)
{
  Mat_Product *product = C->product;
  PetscBool    dense;

  PetscFunctionBegin;
  if (product->type != MATPRODUCT_AtB || !MatIsMPIAutoCSR(product->A)) PetscFunctionReturn(PETSC_SUCCESS);
  if (phases->id == ((PetscObject)product->A)->id && phases->state == ((PetscObject)product->A)->state) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)product->B, MATMPIDENSE, &dense));
  if (!dense) PetscFunctionReturn(PETSC_SUCCESS);
  if (product->destroy) PetscCall((*product->destroy)(&product->data));
  product->data = NULL;
  PetscCall(MatProductSetFromOptions(C)); /* the first time set the type of the result, which took off what had been chosen */
  PetscCall(MatProductSymbolic(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductNumeric_AutoCSR(Mat C)
{
  AutoCSRPhases before, *phases;
  PetscBool     done;

  PetscFunctionBegin;
  PetscCall(AutoCSRPhasesGet(C, &phases));
  before = *phases;
  PetscCall(AutoCSRDenseProduct(C, before.host, &done));
  if (!done) PetscCall(AutoCSRDenseParallel(C, &done));
  if (done) {
    PetscCall(AutoCSRPhasesWrap(C, &before)); /* the parent's are there again where C has been converted */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRProductRenew(C, phases));
  PetscCall(AutoCSRPhasesGet(C, &phases)); /* that may have made them anew */
  before                 = *phases;
  C->ops->productnumeric = before.numeric;
  PetscCall(AutoCSRProductCall(C, before.numeric));
  PetscCall(AutoCSRPhasesWrap(C, &before));
  if (!before.shell) PetscCall(AutoCSRProductAttach(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A MATAIJ that meets ours on the device becomes ours, in place: AIJCUSPARSE and AIJ are multiplied on the host, in parallel
  not at all, and MatMatTransposeMult() of AIJ and AIJCUSPARSE crashes (PETSc 3.26.1). It is what DMCreateInterpolation() makes
  for DMs of a type whose name does not begin with aij; of several unknowns a MATMAIJ.
*/
static PetscErrorCode AutoCSRProductConvert(Mat operand)
{
  PetscBool maij, aij;

  PetscFunctionBegin;
  if (!operand) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)operand, &maij, MATSEQMAIJ, MATMPIMAIJ, ""));
  if (maij) PetscCall(MatConvert(operand, MATAIJ, MAT_INPLACE_MATRIX, &operand));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)operand, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (aij) PetscCall(MatConvert(operand, MATAIJAUTOCSR, MAT_INPLACE_MATRIX, &operand));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRProductConvertOperands(Mat C)
{
  Mat operand[3] = {C->product->A, C->product->B, C->product->C};
  int bound      = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; k++) bound = bound || (operand[k] && (MatIsSeqAutoCSR(operand[k]) || MatIsMPIAutoCSR(operand[k])) && AutoCSRIsBound(operand[k]));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &bound, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)C))); /* -mat_bind_below is a matter of each process */
  if (bound) PetscFunctionReturn(PETSC_SUCCESS);                                                            /* it is to be on the host */
  for (PetscInt k = 0; k < 3; k++) PetscCall(AutoCSRProductConvert(operand[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRProductHas(Mat C, MatType type, PetscBool *has)
{
  const Mat operand[3] = {C->product->A, C->product->B, C->product->C};

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  for (PetscInt k = 0; k < 3 && !*has; k++) {
    if (operand[k]) PetscCall(PetscObjectTypeCompare((PetscObject)operand[k], type, has));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatProductSetFromOptions_AutoCSR(Mat C)
{
  const AutoCSRParent *parent;
  PetscBool            diagonal, shell, dense, parallel, made;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  if (parent->device) PetscCall(AutoCSRProductConvertOperands(C));
  PetscCall(AutoCSRProductCall(C, MatProductSetFromOptions));
  PetscCall(AutoCSRProductHas(C, "diagonal", &diagonal)); /* these copy and scale the other by the operations of any matrix, which take vectors of the host where AIJCUSPARSE's do not (seq/cusparse.c) */
  if (!diagonal) PetscCall(AutoCSRProductHas(C, MATCONSTANTDIAGONAL, &diagonal));
  PetscCall(AutoCSRProductHas(C, MATSHELL, &shell));
  PetscCall(AutoCSRDenseProductIs(C, MATSEQDENSE, &dense));
  PetscCall(AutoCSRDenseProductIs(C, MATMPIDENSE, &parallel));
  PetscCall(AutoCSRDenseParallelTransposed(C, &made));
  if (made) PetscFunctionReturn(PETSC_SUCCESS);
  if ((parent->by_name && !diagonal) || shell || dense || (parallel && C->product->type == MATPRODUCT_AB)) {
    AutoCSRPhases *phases;

    PetscCall(AutoCSRPhasesGet(C, &phases));
    phases->shell = shell;
    PetscCall(AutoCSRPhasesWrap(C, phases));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A goes as AIJ already */
static PetscErrorCode AutoCSRKronOfAIJ(Mat A, Mat B, MatReuse reuse, Mat *C)
{
  PetscFunctionBegin;
  AUTOCSR_CALL_AS_AIJ(B, MatSeqAIJKron(A, B, reuse, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatSeqAIJKron() wants its second factor to be a MATSEQAIJ by name */
static PetscErrorCode MatSeqAIJKron_AutoCSR(Mat A, Mat B, MatReuse reuse, Mat *C)
{
  PetscFunctionBegin;
  AUTOCSR_CALL_AS_AIJ(A, AutoCSRKronOfAIJ(A, B, reuse, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const AutoCSRMethod ProductMethods[] = {
    AUTOCSR_METHOD("MatProductSetFromOptions_anytype_C", MatProductSetFromOptions_AutoCSR),
    {NULL, NULL}};
static const AutoCSRMethod SeqProductMethods[] = {
    AUTOCSR_METHOD("MatSeqAIJKron_C", MatSeqAIJKron_AutoCSR),
    {NULL, NULL}};

/* Not needed where ours has the parent's name */
static const AutoCSROperation OperationsByName[] = {
    AUTOCSR_OPERATION(productsetfromoptions, MatProductSetFromOptions_AutoCSR),
    {0, NULL}};

PetscErrorCode AutoCSRProductRegister(AutoCSRParent *seq, AutoCSRParent *mpi)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRParentExtend(seq, seq->by_name ? OperationsByName : NULL, ProductMethods));
  PetscCall(AutoCSRParentExtend(mpi, mpi->by_name ? OperationsByName : NULL, ProductMethods));
  PetscCall(AutoCSRParentExtend(seq, NULL, SeqProductMethods));
  PetscCall(AutoCSRFactorRegister(seq));
  PetscCall(AutoCSRByNameRegister());
  PetscFunctionReturn(PETSC_SUCCESS);
}
