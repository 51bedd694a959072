static char help[] = "Real matrices: all products by each strategy and rigor against plain AIJ, entry by entry, and the same bits again.\n\
  -folder <folder>      : where the matrices are, in PETSc's binary form\n\
  -matrices <a,b,...>   : which\n\
  -strategies <a,b,...> : which; by default all\n\n";

#include <petscautocsr.h>
#include "../compare.h"
#include "../ways.h"

#define MAX_NAMES 64

static PetscErrorCode Load(const char file[], Mat *A)
{
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  char      folder[PETSC_MAX_PATH_LEN], file[PETSC_MAX_PATH_LEN], context[256], *matrix[MAX_NAMES], *strategy[MAX_NAMES];
  PetscInt  n_matrices = MAX_NAMES, n_strategies = MAX_NAMES;
  PetscBool has[3];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-folder", folder, sizeof(folder), &has[0]));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-matrices", matrix, &n_matrices, &has[1]));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-strategies", strategy, &n_strategies, &has[2]));
  PetscCheck(has[0] && has[1], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Say which: -folder <folder> -matrices <a,b,...>");
  if (!has[2]) n_strategies = 0;
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways) && !has[2]; w++) {
    if (WayIsStrategy(&ways[w])) PetscCall(PetscStrallocpy(ways[w].strategy, &strategy[n_strategies++]));
  }

  for (PetscInt m = 0; m < n_matrices; m++) {
    Reference r;
    Mat       A;

    PetscCall(PetscSNPrintf(file, sizeof(file), "%s/%s.bin", folder, matrix[m]));
    PetscCall(Load(file, &A));
    PetscCall(ReferenceCreate(A, &r));
    for (PetscInt s = 0; s < n_strategies; s++) {
      for (int rigor = 0; rigor <= MAT_AUTOCSR_RIGOR_MEASURE; rigor++) {
        Mat B;

        PetscCall(MatConvert(r.A, MATAUTOCSR, MAT_INITIAL_MATRIX, &B));
        PetscCall(MatAutoCSRSetRigor(B, (MatAutoCSRRigor)rigor));
        PetscCall(MatAutoCSRSetStrategy(B, strategy[s]));
        PetscCall(MatAutoCSRSetProgressive(B, PETSC_FALSE));
        PetscCall(PetscSNPrintf(context, sizeof(context), "%s, %s, rigor %s", matrix[m], strategy[s], MatAutoCSRRigors[rigor]));
        PetscCall(CompareProducts(&r, 1, &B, context));
        PetscCall(MatDestroy(&B));
      }
    }
    PetscCall(ReferenceDestroy(&r));
    PetscCall(PetscFree(matrix[m]));
  }
  for (PetscInt s = 0; s < n_strategies; s++) PetscCall(PetscFree(strategy[s]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The products agree\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -folder ${AUTOCSR_DATA}
    output_file: output/real_matrices_1.out

    test:
      suffix: real
      nsize: {{1 3}}
      args: -matrices ACTIVSg200_KKT,adder_dcop_05,ash219,bcsstk28,rza,web-webbase-2001,wiki-Vote

    test:
      suffix: complex
      requires: complex
      nsize: {{1 3}}
      args: -matrices mhd1280b,young1c

    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2}}
      args: -vec_type cuda -matrices ACTIVSg200_KKT,adder_dcop_05,ash219,bcsstk28,rza,web-webbase-2001,wiki-Vote

  test:
    suffix: more
    requires: datafilespath double !complex
    timeoutfactor: 10
    nsize: {{1 4}}
    output_file: output/real_matrices_1.out
    args: -folder ${DATAFILESPATH} \
      -matrices CONT-300_KKT,ScaleMicrogrid_N1000,air04,beam_tet_dof2475,ca-AstroPh,ch8-8-b4,fxm3_6,ibm14,lp_pilot87,mbeacxc,rail507,rail_79841,tucker21935

TEST*/
