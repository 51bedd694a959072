static char help[] = "The matrices of tests/data: what autocsr_convert made of them, as a table of facts.\n\n";

#include <petscmat.h>

/* Is A = sign A^T (or A^H) in every bit? */
static PetscErrorCode EqualsTransposed(Mat A, PetscErrorCode (*transpose)(Mat, MatReuse, Mat *), PetscScalar sign, PetscBool *equal)
{
  Mat       T;
  PetscInt  m, n;
  PetscReal norm;

  PetscFunctionBeginUser;
  *equal = PETSC_FALSE;
  PetscCall(MatGetSize(A, &m, &n));
  if (m != n) PetscFunctionReturn((PetscErrorCode)0);
  PetscCall(transpose(A, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatAXPY(T, -sign, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(T, NORM_INFINITY, &norm));
  PetscCall(MatDestroy(&T));
  *equal = (PetscBool)(norm == 0);
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  Mat         A;
  PetscViewer viewer;
  char        folder[PETSC_MAX_PATH_LEN], name[64], file[PETSC_MAX_PATH_LEN];
  PetscBool   has_folder, has_name, symmetric, hermitian, skew;
  PetscInt    m, n, rb, re, facts[4] = {0, PETSC_MAX_INT, 0, 0}; /* nonzeros, shortest row, longest row, empty rows */

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-folder", folder, sizeof(folder), &has_folder));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-name", name, sizeof(name), &has_name));
  PetscCheck(has_folder && has_name, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Say which matrix: -folder <folder> -name <matrix>");
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s/%s.bin", folder, name));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatLoad(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));

  PetscCall(MatGetSize(A, &m, &n));
  PetscCall(MatGetOwnershipRange(A, &rb, &re));
  for (PetscInt i = rb; i < re; i++) {
    PetscInt length;

    PetscCall(MatGetRow(A, i, &length, NULL, NULL));
    facts[0] += length;
    facts[1] = PetscMin(facts[1], length);
    facts[2] = PetscMax(facts[2], length);
    facts[3] += !length;
    PetscCall(MatRestoreRow(A, i, &length, NULL, NULL));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &facts[0], 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &facts[1], 1, MPIU_INT, MPI_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &facts[2], 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &facts[3], 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(EqualsTransposed(A, MatTranspose, 1, &symmetric));
  PetscCall(EqualsTransposed(A, MatHermitianTranspose, 1, &hermitian));
  PetscCall(EqualsTransposed(A, MatTranspose, -1, &skew));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " by %" PetscInt_FMT ", %" PetscInt_FMT " nonzeros, rows of %" PetscInt_FMT " to %" PetscInt_FMT ", %" PetscInt_FMT " empty%s%s%s\n", m, n, facts[0], facts[1], facts[2], facts[3], symmetric ? ", symmetric" : "", hermitian ? ", hermitian" : "", skew ? ", skew" : ""));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -folder ${AUTOCSR_DATA}

    test:
      nsize: {{1 3}}
      args: -mat_type {{aij autocsr}} -name {{ACTIVSg200_KKT adder_dcop_05 ash219 bcsstk28 rza web-webbase-2001 wiki-Vote}separate output}

    test:
      requires: complex
      args: -mat_type {{aij autocsr}} -name {{mhd1280b young1c}separate output}

TEST*/
