static char help[] = "What is converted to aijcusparse, duplicated and converted back is autocsr all the way where that stands in for aijcusparse.\n\n";

#include <petscautocsr.h>
#include "generate.h"

/* Ours, and with the values of A */
static PetscErrorCode Check(Mat A, Mat B, const char what[])
{
  void (*method)(void);
  MatType   type;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(B, &type));
  PetscCall(PetscObjectQueryFunction((PetscObject)B, "MatAutoCSRGetBlocks_C", &method));
  PetscCheck(method, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s is a plain %s", what, type);
  PetscCall(MatMultEqual(A, B, 3, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s multiplies otherwise", what);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Convert(const Generator *g)
{
  Mat         A, B, C, D;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, MATAIJ, &A));
  PetscCall(MatConvert(A, "aijcusparse", MAT_INITIAL_MATRIX, &B));
  PetscCall(Check(A, B, "A converted matrix"));
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &C));
  PetscCall(Check(A, C, "A duplicate of a converted matrix"));
  PetscCall(MatScale(C, 2));
  PetscCall(MatConvert(A, "aijcusparse", MAT_REUSE_MATRIX, &C));
  PetscCall(Check(A, C, "A matrix with values of a converted one"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatConvert(C, MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatConvert(B, "aijcusparse", MAT_INPLACE_MATRIX, &B));
  PetscCall(Check(A, B, "A matrix converted to aij and in place again"));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &D));
  PetscCall(MatCopy(A, D, SAME_NONZERO_PATTERN));
  PetscCall(Check(A, D, "A duplicate into which is copied"));
  PetscCall(MatDestroy(&D));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) {
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
    PetscCall(MatSeqAIJSetType(D, "seqaijcusparse"));
    PetscCall(Check(A, D, "A subtype of seqaij"));
    PetscCall(MatDestroy(&D));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) PetscCall(Convert(&generators[i]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "All are autocsr\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    requires: cuda
    nsize: {{1 2}}
    args: -mat_autocsr_takeover -checkfunctionlist

TEST*/
