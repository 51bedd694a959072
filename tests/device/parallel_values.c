static char help[] = "What PETSc makes again of the values of a parallel matrix, with those of a device ahead: submatrices of all rows and columns, blocks of some processes, norms; and values stored in a duplicate of a plain AIJ.\n\n";

#include <petscautocsr.h>
#include "../compare.h"

#define N 300

static PetscErrorCode Create(MatType type, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 4, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 4, NULL, 4, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    for (PetscInt k = 0; k < 4; k++) PetscCall(MatSetValue(*A, i, (i + 67 * k) % N, RandomScalar(i, k), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The first is ours, the second plain AIJ */
static PetscErrorCode Check(Mat S[2], const char context[])
{
  Reference r;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectReference((PetscObject)S[1]));
  PetscCall(ReferenceCreate(S[1], &r));
  PetscCall(CompareProducts(&r, 1, S, context));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckSubmatrices(Mat A[2])
{
  Mat *all[2];
  IS   whole;

  PetscFunctionBeginUser;
  PetscCall(ISCreateStride(PETSC_COMM_SELF, N, 0, 1, &whole));
  for (int turn = 0; turn < 3; turn++) {
    for (int k = 0; k < 2; k++) {
      PetscCall(MatScale(A[k], -2));
      PetscCall(MatCreateSubMatrices(A[k], 1, &whole, &whole, turn ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &all[k]));
    }
    PetscCall(Check((Mat[]){all[0][0], all[1][0]}, turn ? "A submatrix of all, again" : "A submatrix of all"));
  }
  PetscCall(ISDestroy(&whole));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroySubMatrices(1, &all[k]));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Of each two processes */
static PetscErrorCode CheckPairsOfProcesses(Mat A[2])
{
  MPI_Comm    pair;
  PetscMPIInt size, rank;
  Mat         S[2];

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (size < 2) PetscFunctionReturn((PetscErrorCode)0);
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, rank / 2, rank, &pair));
  for (int turn = 0; turn < 2; turn++) {
    for (int k = 0; k < 2; k++) {
      PetscCall(MatScale(A[k], -2));
      PetscCall(MatGetMultiProcBlock(A[k], pair, turn ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &S[k]));
    }
    PetscCall(Check(S, turn ? "A block of two processes, again" : "A block of two processes"));
  }
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&S[k]));
  PetscCallMPI(MPI_Comm_free(&pair));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckNorms(Mat A[2])
{
  static const NormType types[] = {NORM_1, NORM_FROBENIUS, NORM_INFINITY};
  PetscReal             norm[2], columns[2][N];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(MatScale(A[k], -2));
  for (int t = 0; t < 3; t++) {
    for (int k = 0; k < 2; k++) PetscCall(MatNorm(A[k], types[t], &norm[k]));
    PetscCheck(PetscAbsReal(norm[0] - norm[1]) <= 100 * PETSC_MACHINE_EPSILON * norm[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Norm %d: %g, not %g", t, (double)norm[0], (double)norm[1]);
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(MatScale(A[k], -2));
    PetscCall(MatGetColumnNorms(A[k], NORM_2, columns[k]));
  }
  for (PetscInt j = 0; j < N; j++) PetscCheck(PetscAbsReal(columns[0][j] - columns[1][j]) <= 100 * PETSC_MACHINE_EPSILON * columns[1][j], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Column %" PetscInt_FMT ": %g, not %g", j, (double)columns[0][j], (double)columns[1][j]);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* With -mat_seqaij_type a duplicate of a plain AIJ is ours */
static PetscErrorCode CheckStored(void)
{
  Mat       A, S[2];
  Vec       x, y;
  PetscBool is;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, N, N, 1, NULL, &A));
  for (PetscInt i = 0; i < N; i++) PetscCall(MatSetValue(A, i, (7 * i) % N, RandomScalar(i, 0), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_seqaij_type", MATSEQAUTOCSR));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &S[0]));
  PetscCall(PetscOptionsClearValue(NULL, "-mat_seqaij_type"));
  PetscCall(PetscObjectTypeCompare((PetscObject)S[0], MATSEQAUTOCSR, &is));
  PetscCheck(is, PETSC_COMM_SELF, PETSC_ERR_PLIB, "-mat_seqaij_type made no autocsr of a duplicate");
  S[1] = A;
  PetscCall(MatStoreValues(S[0]));
  PetscCall(Check(S, "A duplicate of a plain AIJ"));
  PetscCall(MatCreateVecs(S[0], &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatScale(S[0], 1.5));
  PetscCall(MatMult(S[0], x, y));
  PetscCall(MatRetrieveValues(S[0]));
  PetscCall(Check(S, "A duplicate of a plain AIJ, values retrieved"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&S[0]));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  Mat A[2];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(Create(MATAUTOCSR, &A[0]));
  PetscCall(Create(MATAIJ, &A[1]));
  PetscCall(Check(A, "The matrix"));
  PetscCall(CheckSubmatrices(A));
  PetscCall(CheckPairsOfProcesses(A));
  PetscCall(CheckNorms(A));
  PetscCall(Check(A, "The matrix at the end"));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscCall(CheckStored());
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "What is made again is of the values as they are\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    nsize: {{1 2 3}}
    args: -mat_autocsr_strategy {{auto sell}}

  test:
    suffix: cuda
    requires: cuda
    nsize: {{1 2 4}}
    args: -mat_autocsr_strategy {{auto sell}} -vec_type cuda
    output_file: output/parallel_values_1.out

TEST*/
