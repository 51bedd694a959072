static char help[] = "Blocks of very different sizes on the ranks, each multiplied its own way, while logged operations are collective.\n\n";

#include <petscautocsr.h>

/* The k-th of a few pseudo-random numbers in [-1, 1) of a row */
static PetscScalar Number(PetscInt i, PetscInt k)
{
  return ((i * 7919 + k * 104729) % 2003) / 1001.5 - 1;
}

/* Rank 0 has four rows, the others ten thousand each: a diagonal and what lies far from it, rank 0's columns among that */
static PetscErrorCode Create(MatType type, Mat *A)
{
  PetscInt    begin, end, N;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, rank ? 10000 : 4, rank ? 10000 : 4, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 6, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 6, NULL, 6, NULL));
  PetscCall(MatGetSize(*A, &N, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt    col[6] = {i, (i + 1) % N, (i + N / 2) % N, i % 3 ? -1 : (i * 17) % N, i % 5 ? -1 : i % 4, (i + N - 1) % N};
    const PetscScalar val[6] = {Number(i, 0), Number(i, 1), Number(i, 2), Number(i, 3), Number(i, 4), Number(i, 5)};

    PetscCall(MatSetValues(*A, 1, &i, 6, col, val, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscErrorCode (*const equal[])(Mat, Mat, PetscInt, PetscBool *) = {MatMultEqual, MatMultAddEqual, MatMultTransposeEqual, MatMultTransposeAddEqual};
  Mat A, B;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Create(MATAIJ, &A));
  PetscCall(Create(MATAUTOCSR, &B));
  for (int round = 0; round < 2; round++) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(equal); k++) {
      PetscBool same;

      PetscCall((*equal[k])(A, B, 25, &same)); /* past the steps of progressive planning */
      PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Products of kind %d differ", (int)k);
    }
    PetscCall(MatScale(A, 3)); /* then with new values */
    PetscCall(MatScale(B, 3));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The products agree, and all ranks have logged the same\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    nsize: {{1 2 3}}
    args: -log_sync -log_view :/dev/null

  test:
    suffix: cuda
    requires: cuda
    nsize: 2
    args: -log_sync -log_view :/dev/null
    output_file: output/ex29_1.out

TEST*/
