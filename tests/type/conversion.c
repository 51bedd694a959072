static char help[] = "What is converted to autocsr, duplicated and converted back is autocsr all the way, also under the name of aijcusparse where it stands in for that.\n\n";

#include <petscautocsr.h>
#include "../generate.h"

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

static PetscErrorCode Convert(const Generator *g, MatType type)
{
  Mat            A, B, C, D;
  MatAutoCSRInfo before, after;
  PetscMPIInt    size;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, MATAIJ, &A));
  PetscCall(MatConvert(A, type, MAT_INITIAL_MATRIX, &B));
  PetscCall(Check(A, B, "A converted matrix"));
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &C));
  PetscCall(Check(A, C, "A duplicate of a converted matrix"));
  PetscCall(MatScale(C, 2));
  PetscCall(MatAutoCSRGetInfo(C, &before));
  PetscCall(MatConvert(A, type, MAT_REUSE_MATRIX, &C));
  PetscCall(Check(A, C, "A matrix with values of a converted one"));
  PetscCall(MatAutoCSRGetInfo(C, &after));
  /* the counts begin anew where MatCopy() makes another matrix of it; small blocks are the parent's */
  PetscCheck(g->values != VALUES_MANY || !before.products || (after.plans == before.plans && after.products > before.products), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: new values of the same structure made another plan", g->name);
  PetscCall(MatDestroy(&B));
  PetscCall(MatConvert(C, MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
  PetscCall(Check(A, B, "A matrix converted to aij and in place again"));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &D));
  PetscCall(MatCopy(A, D, SAME_NONZERO_PATTERN));
  PetscCall(Check(A, D, "A duplicate into which is copied"));
  PetscCall(MatDestroy(&D));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1 && !strcmp(type, "aijcusparse")) {
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
  char type[64] = MATAUTOCSR;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", type, sizeof(type), NULL));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) PetscCall(Convert(&generators[i], type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "All are autocsr\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    nsize: {{1 2}}
    args: -checkfunctionlist
    output_file: output/conversion_1.out

    test:
      suffix: 1

    test:
      suffix: takeover
      requires: cuda
      args: -mat_autocsr_takeover -type aijcusparse

TEST*/
