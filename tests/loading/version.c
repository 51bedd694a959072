static char help[] = "MatAutoCSRGetVersion() tells the header's version, also before PETSc is initialized.\n\n";

#include <petscautocsr.h>

int main(int argc, char **argv)
{
  PetscInt major = -1, minor = -1, subminor = -1, before = -1;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetVersion(NULL, &before, NULL));
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRGetVersion(&major, &minor, &subminor));
  PetscCheck(major == PETSCAUTOCSR_VERSION_MAJOR && minor == PETSCAUTOCSR_VERSION_MINOR && subminor == PETSCAUTOCSR_VERSION_SUBMINOR && before == minor, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The version is %" PetscInt_FMT ".%" PetscInt_FMT ".%" PetscInt_FMT, major, minor, subminor);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The versions agree\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

TEST*/
