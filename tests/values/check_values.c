static char help[] = "-mat_autocsr_check_values: an array that is written and not told of is found in the next product, one that is told of is not.\n\n";

#include <petscmat.h>

#define N 200

int main(int argc, char **argv)
{
  Mat                A, blocks[2];
  Vec                x, y;
  PetscScalar       *val;
  const PetscScalar *read;
  const PetscInt    *col, *row_ptr;
  PetscInt           m, block = 0, begin, end;
  PetscBool          told = PETSC_FALSE, values = PETSC_FALSE, columns = PETSC_FALSE, mpi, done;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-write_told", &told, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-write_values", &values, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-write_columns", &columns, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-block", &block, NULL));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetOptionsPrefix(A, "some_"));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscCall(MatSetValue(A, i, i, 2 + i % 7, INSERT_VALUES));
    PetscCall(MatSetValue(A, i, (i + N / 2) % N, 1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  for (int k = 0; k < 3; k++) PetscCall(MatMult(A, x, y));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  blocks[0] = A;
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  if (told) {
    PetscCall(MatSeqAIJGetArray(blocks[block], &val));
    val[5] = 42;
    PetscCall(MatSeqAIJRestoreArray(blocks[block], &val));
  }
  if (values) {
    PetscCall(MatSeqAIJGetArrayRead(blocks[block], &read));
    ((PetscScalar *)read)[5] = 42;
    PetscCall(MatSeqAIJRestoreArrayRead(blocks[block], &read));
  }
  if (columns) { /* with other values, which are told of */
    PetscCall(MatGetRowIJ(blocks[block], 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, &done));
    ((PetscInt *)col)[row_ptr[7]] = 0;
    PetscCall(MatRestoreRowIJ(blocks[block], 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, &done));
    PetscCall(MatScale(A, 2));
  }
  PetscCall(MatMult(A, x, y));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The product is made\n"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: told
    nsize: {{1 2}}
    args: -some_mat_type autocsr -some_mat_autocsr_check_values -write_told
    output_file: output/check_values_told.out

  test:
    suffix: off
    args: -some_mat_type autocsr -some_mat_autocsr_check_values 0 -write_values
    output_file: output/check_values_told.out

  testset:
    args: -petsc_ci_portable_error_output -error_output_stdout -some_mat_type autocsr -some_mat_autocsr_check_values

    test:
      suffix: values
      args: -write_values -some_mat_autocsr_strategy {{auto sell}}
      output_file: output/check_values_values.out

    test:
      suffix: columns
      requires: !cuda
      args: -write_columns
      output_file: output/check_values_columns.out

    test:
      suffix: block
      nsize: 2
      args: -write_values -block 1
      filter: sort -u
      output_file: output/check_values_block.out

TEST*/
