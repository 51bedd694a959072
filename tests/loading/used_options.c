static char help[] = "A program without a sparse matrix: -mat_autocsr_machine counts as used when the library is loaded, a word misspelt does not.\n\n";

#include <petscsys.h>

int main(int argc, char **argv)
{
  char   **names, **values;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt k = 0; k < n; k++) {
    if (strstr(names[k], "mat_autocsr_ma")) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Not used: %s\n", names[k]));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  PetscCall(PetscOptionsClearValue(NULL, "-mat_autocsr_mashine"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    args: -mat_autocsr_machine {{none nowhere/figures}} -mat_autocsr_mashine none

TEST*/
