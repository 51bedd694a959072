/*
  A factor is of the parent's type. PETSc's ILU(0) hands all composed methods of the matrix on to it: ours are taken off it
  again. The function that makes a factor is found by a prefix of the type name, so ours stands in for MATSEQAIJ.
*/
#include "../seq/seqautocsr.h"

static PetscErrorCode (*GetFactorParent)(Mat, MatFactorType, Mat *);
static PetscErrorCode (*ILUFactorSymbolicParent)(Mat, Mat, IS, IS, const MatFactorInfo *);

static PetscErrorCode MatILUFactorSymbolic_AutoCSR(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall((*ILUFactorSymbolicParent)(F, A, row, col, info));
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  for (PetscInt k = 0; parent->methods[k].name; k++) PetscCall(PetscObjectComposeFunction((PetscObject)F, parent->methods[k].name, parent->parent_methods[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With -mat_seqaij_type the factor is ours when it is made: before anything else is put on it, it becomes the parent's */
static PetscErrorCode MatGetFactor_AutoCSR(Mat A, MatFactorType type, Mat *F)
{
  AutoCSRSuspended s[1 + AUTOCSR_MAX_BLOCKS];

  PetscFunctionBegin;
  PetscCall((*GetFactorParent)(A, type, F));
  if (!*F) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRSuspend(*F, s));
  PetscCall(AutoCSRDiscard(s));
  if (MatIsSeqAutoCSR(A) && (*F)->ops->ilufactorsymbolic) {
    ILUFactorSymbolicParent      = (*F)->ops->ilufactorsymbolic;
    (*F)->ops->ilufactorsymbolic = MatILUFactorSymbolic_AutoCSR;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFactorRegister(void)
{
  const MatFactorType  types[] = {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ILU, MAT_FACTOR_ICC};
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(types); k++) {
    PetscCall(MatSolverTypeGet(MATSOLVERPETSC, parent->type, types[k], NULL, NULL, &GetFactorParent));
    PetscCall(MatSolverTypeRegister(MATSOLVERPETSC, parent->type, types[k], MatGetFactor_AutoCSR));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
