static char help[] = "Searches for the operator graph by which a matrix is multiplied the fastest, for five minutes or as -mat_autocsr_search_seconds says, and prints it.\n\
  -f <file>                      : the matrix, as autocsr_convert or MatView() write it\n\
  -mat_autocsr_wisdom <file>     : keeps what was found for the programs that read this wisdom\n\
  -vec_type cuda                 : on a GPU\n\n";

#include <petscautocsr.h>

int main(int argc, char **argv)
{
  char           file[PETSC_MAX_PATH_LEN] = "", graph[2048];
  Mat            A;
  Vec            x, y;
  VecType        type;
  PetscViewer    viewer;
  MatAutoCSRInfo info;
  PetscMPIInt    size;
  PetscBool      cuda;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "autocsr_search runs graphs with one process, not %d: others would disturb it", (int)size);
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof(file), NULL));
  PetscCheck(file[0], PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Say which matrix: -f <file>, as autocsr_convert writes it");
  PetscCheck(!strstr(file, ".mtx"), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "%s is no matrix in PETSc's binary form: autocsr_convert -in %s -out matrix.bin makes one", file, file);
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file, FILE_MODE_READ, &viewer));
  PetscCall(VecCreate(PETSC_COMM_SELF, &x));
  PetscCall(VecSetSizes(x, 1, 1));
  PetscCall(VecSetFromOptions(x));
  PetscCall(VecGetType(x, &type));
  PetscCall(PetscStrncmp(type, "seqcuda", 7, &cuda));
  PetscCall(VecDestroy(&x));
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  if (cuda) PetscCall(MatSetVecType(A, "cuda"));
  PetscCall(MatSetType(A, MATAUTOCSR));
  PetscCall(MatAutoCSRSetRigor(A, MAT_AUTOCSR_RIGOR_EXHAUSTIVE));
  PetscCall(MatAutoCSRSetSearch(A, 0, PETSC_TRUE));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatLoad(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCall(MatAutoCSRGetGraph(A, sizeof(graph), graph));
  PetscCall(MatAutoCSRView(A, PETSC_VIEWER_STDOUT_SELF));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%g us a product:\n-mat_autocsr_graph \"%s\"\n", 1e6 * info.measured, graph));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    args: -f ${AUTOCSR_DATA}/rza.bin -mat_autocsr_search_seconds 0.2 -mat_autocsr_search_monitor false
    filter: grep -c "us a product\\|^-mat_autocsr_graph "

  test:
    suffix: none
    args: -petsc_ci_portable_error_output
    filter: grep "Say which"

  test:
    suffix: market
    args: -f ash219.mtx.gz -petsc_ci_portable_error_output
    filter: grep "makes one"

TEST*/
