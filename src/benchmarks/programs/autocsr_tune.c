static char help[] = "Measures this machine, by whose figures MATAUTOCSR chooses how matrices are multiplied, and keeps the figures in a file.\n\
  -out <file> : the file to write, for -mat_autocsr_machine <file> on all nodes with this processor (by default the one that programs of this user look for)\n\n";

#include <petscautocsr.h>

int main(int argc, char **argv)
{
  char        out[PETSC_MAX_PATH_LEN] = "";
  PetscMPIInt size;
  PetscBool   given;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "autocsr_tune measures with one process, not %d: others would disturb it", (int)size);
  PetscCall(PetscOptionsGetString(NULL, NULL, "-out", out, sizeof(out), &given));
  PetscCheck(!given || out[0], PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-out names no file");
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(MatAutoCSRTune(given ? out : NULL, PETSC_VIEWER_STDOUT_SELF));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: bad-folder
    args: -petsc_ci_portable_error_output -out nowhere/figures

TEST*/
