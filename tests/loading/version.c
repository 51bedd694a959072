static char help[] = "MatAutoCSRGetVersion() tells the header's version, also before PETSc is initialized.\n\n";

#include <petscautocsr.h>

#if !PETSCAUTOCSR_VERSION_GE(0, 2, 0) || !PETSCAUTOCSR_VERSION_GE(PETSCAUTOCSR_VERSION_MAJOR, PETSCAUTOCSR_VERSION_MINOR, PETSCAUTOCSR_VERSION_SUBMINOR)
  #error "This version is not as late as itself"
#endif
#if PETSCAUTOCSR_VERSION_GE(PETSCAUTOCSR_VERSION_MAJOR + 1, 0, 0) || PETSCAUTOCSR_VERSION_GE(PETSCAUTOCSR_VERSION_MAJOR, PETSCAUTOCSR_VERSION_MINOR + 1, 0) || PETSCAUTOCSR_VERSION_GE(PETSCAUTOCSR_VERSION_MAJOR, PETSCAUTOCSR_VERSION_MINOR, PETSCAUTOCSR_VERSION_SUBMINOR + 1)
  #error "This version is as late as one that follows"
#endif

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
