/*
  PETSc's ILU(0) hands all composed methods of the matrix on to the factor, which is of the parent's type: ours are taken
  off it again. The function that makes the factor is found by a prefix of the type name, so ours stands in for MATSEQAIJ.
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
  if (!MatIsSeqAutoCSR(F)) {
    for (PetscInt k = 0; parent->methods[k].name; k++) PetscCall(PetscObjectComposeFunction((PetscObject)F, parent->methods[k].name, parent->parent_methods[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetFactor_AutoCSR(Mat A, MatFactorType type, Mat *F)
{
  PetscFunctionBegin;
  PetscCall((*GetFactorParent)(A, type, F));
  if (*F && MatIsSeqAutoCSR(A)) {
    ILUFactorSymbolicParent      = (*F)->ops->ilufactorsymbolic;
    (*F)->ops->ilufactorsymbolic = MatILUFactorSymbolic_AutoCSR;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFactorRegister(void)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(MatSolverTypeGet(MATSOLVERPETSC, parent->type, MAT_FACTOR_ILU, NULL, NULL, &GetFactorParent));
  PetscCall(MatSolverTypeRegister(MATSOLVERPETSC, parent->type, MAT_FACTOR_ILU, MatGetFactor_AutoCSR));
  PetscFunctionReturn(PETSC_SUCCESS);
}
