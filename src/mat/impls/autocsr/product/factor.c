/*
  A factor is of the parent's type. PETSc's ILU(0) hands all composed methods of the matrix on to it, and AIJCUSPARSE's
  factorizations ask for the matrix's exact name: both phases are run with it going as its parent. The function that makes a
  factor is found by a prefix of the type name: ours stands in for that of MATSEQAIJ, and of the parent's own solver.
*/
#include "product.h"

#define AUTOCSR_FACTORIZATIONS(X)                                                                         \
  X(lufactorsymbolic, (Mat F, Mat A, IS row, IS col, const MatFactorInfo *info), (F, A, row, col, info))  \
  X(ilufactorsymbolic, (Mat F, Mat A, IS row, IS col, const MatFactorInfo *info), (F, A, row, col, info)) \
  X(choleskyfactorsymbolic, (Mat F, Mat A, IS row, const MatFactorInfo *info), (F, A, row, info))         \
  X(iccfactorsymbolic, (Mat F, Mat A, IS row, const MatFactorInfo *info), (F, A, row, info))              \
  X(lufactornumeric, (Mat F, Mat A, const MatFactorInfo *info), (F, A, info))                             \
  X(choleskyfactornumeric, (Mat F, Mat A, const MatFactorInfo *info), (F, A, info))

/* What PETSc put into the factor, where ours stand now */
#define AUTOCSR_DECLARE(operation, parameters, arguments) PetscErrorCode(*operation) parameters;
typedef struct {
  AUTOCSR_FACTORIZATIONS(AUTOCSR_DECLARE)
} AutoCSRFactorizations;
#undef AUTOCSR_DECLARE

static PetscErrorCode AutoCSRFactorizationsGet(Mat F, AutoCSRFactorizations **f)
{
  return AutoCSRContain(F, "MatAutoCSRFactorizations", sizeof(**f), (void **)f);
}

static PetscErrorCode AutoCSRFactorizationsWrap(Mat);

/* PETSc's own factorizations by inodes read the values of the host as they lie, whatever a device has */
static PetscErrorCode AutoCSRFactorPrepare(Mat F, Mat A)
{
  PetscFunctionBegin;
#if defined(AUTOCSR_HAVE_CUDA)
  PetscBool host;

  PetscCall(PetscStrcmp(F->solvertype, MATSOLVERPETSC, &host));
  if (host) PetscCall(AutoCSRValuesToHost(A, PETSC_FALSE));
#else
  (void)F, (void)A;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define AUTOCSR_DEFINE(operation, parameters, arguments) \
  static PetscErrorCode operation##_AutoCSR parameters   \
  {                                                      \
    AutoCSRFactorizations *f;                            \
                                                         \
    PetscFunctionBegin;                                  \
    PetscCall(AutoCSRFactorizationsGet(F, &f));          \
    PetscCall(AutoCSRFactorPrepare(F, A));               \
    AUTOCSR_CALL_AS_PARENT(A, (*f->operation)arguments); \
    PetscCall(AutoCSRFactorizationsWrap(F));             \
    PetscFunctionReturn(PETSC_SUCCESS);                  \
  }
AUTOCSR_FACTORIZATIONS(AUTOCSR_DEFINE)
#undef AUTOCSR_DEFINE

/* After each call, since the symbolic phase chooses the numeric one */
static PetscErrorCode AutoCSRFactorizationsWrap(Mat F)
{
  AutoCSRFactorizations *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFactorizationsGet(F, &f));
#define AUTOCSR_WRAP(operation, parameters, arguments)                 \
  if (F->ops->operation && F->ops->operation != operation##_AutoCSR) { \
    f->operation      = F->ops->operation;                             \
    F->ops->operation = operation##_AutoCSR;                           \
  }
  AUTOCSR_FACTORIZATIONS(AUTOCSR_WRAP)
#undef AUTOCSR_WRAP
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With -mat_seqaij_type the factor is ours when it is made: it becomes the parent's */
static PetscErrorCode AutoCSRGetFactor(PetscErrorCode (*get_factor)(Mat, MatFactorType, Mat *), Mat A, MatFactorType type, Mat *F)
{
  PetscFunctionBegin;
  PetscCall((*get_factor)(A, type, F));
  if (!*F) PetscFunctionReturn(PETSC_SUCCESS);
  if (MatIsSeqAutoCSR(*F)) PetscCall(MatSeqAutoCSRDetach(*F));
  if (MatIsSeqAutoCSR(A)) PetscCall(AutoCSRFactorizationsWrap(*F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode (*GetFactorAIJ)(Mat, MatFactorType, Mat *);

static PetscErrorCode MatGetFactor_AutoCSR(Mat A, MatFactorType type, Mat *F)
{
  return AutoCSRGetFactor(GetFactorAIJ, A, type, F);
}

static PetscErrorCode MatGetFactor_AutoCSR_Parent(Mat A, MatFactorType type, Mat *F)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(AutoCSRGetFactor(parent->get_factor, A, type, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFactorRegister(const AutoCSRParent *parent)
{
  const MatFactorType types[] = {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ILU, MAT_FACTOR_ICC};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(types); k++) {
    PetscCall(MatSolverTypeGet(MATSOLVERPETSC, MATSEQAIJ, types[k], NULL, NULL, &GetFactorAIJ));
    PetscCall(MatSolverTypeRegister(MATSOLVERPETSC, MATSEQAIJ, types[k], MatGetFactor_AutoCSR));
    if (parent->solver) PetscCall(MatSolverTypeRegister(parent->solver, parent->own, types[k], MatGetFactor_AutoCSR_Parent));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
