static char help[] = "A linear solve with autocsr against the same one with plain AIJ: iterations, every residual norm, and the solution.\n\
  -type <type>    : in the place of autocsr\n\
  -f <file>       : a matrix in PETSc's binary form; none: a generated one of 3 by 3 blocks, symmetric and positive definite\n\
  -shift <factor> : times the infinity norm, added to the diagonal\n\n";

#include <petscksp.h>
#include "../compare.h"

#define MAX_ITERATIONS 200
#if defined(PETSC_USE_REAL_SINGLE)
  #define DRIFT     1e-2
  #define MORE(its) ((its) / 3 + 1) /* the last steps are those of rounding */
#else
  #define DRIFT     1e-6
  #define MORE(its) ((its) / 30)
#endif

typedef struct {
  PetscInt           its, n;
  PetscReal          norm[MAX_ITERATIONS + 1];
  KSPConvergedReason reason;
  Vec                x;
} Solve;

/* Nodes of a 9 by 8 grid with 3 unknowns each, coupled to their neighbours and to each other */
static PetscErrorCode Generate(MatType type, Mat *A)
{
  const PetscInt nx = 9, ny = 8, bs = 3;
  PetscInt       begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, nx * ny * bs, nx * ny * bs));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5 * bs, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5 * bs, NULL, 4 * bs, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt node = begin / bs; node < end / bs; node++) {
    const PetscInt x = node % nx, y = node / nx, near[4] = {x ? node - 1 : -1, x < nx - 1 ? node + 1 : -1, y ? node - nx : -1, y < ny - 1 ? node + nx : -1};
    PetscScalar    block[9];

    for (int k = 0; k < 9; k++) block[k] = k % 4 ? 0.5 : 4.6;
    PetscCall(MatSetValuesBlocked(*A, 1, &node, 1, &node, block, INSERT_VALUES));
    for (int k = 0; k < 9; k++) block[k] = k % 4 ? -0.1 : -1;
    for (int d = 0; d < 4; d++) PetscCall(MatSetValuesBlocked(*A, 1, &node, 1, &near[d], block, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Create(MatType type, Mat *A)
{
  PetscViewer viewer;
  char        file[PETSC_MAX_PATH_LEN];
  PetscBool   has_file, has_shift;
  PetscReal   shift = 0, norm;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof(file), &has_file));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-shift", &shift, &has_shift));
  if (has_file) {
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetType(*A, type));
    PetscCall(MatLoad(*A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
  } else
    PetscCall(Generate(type, A));
  if (has_shift) {
    PetscCall(MatNorm(*A, NORM_INFINITY, &norm));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatShift(*A, shift * norm));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode SolveWith(Mat A, Solve *s)
{
  KSP              ksp;
  Vec              b;
  const PetscReal *norm;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &s->x, &b));
  PetscCall(VecSetScattered(b, 5));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, MAX_ITERATIONS));
  PetscCall(KSPSetResidualHistory(ksp, s->norm, MAX_ITERATIONS + 1, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, s->x));
  PetscCall(KSPGetIterationNumber(ksp, &s->its));
  PetscCall(KSPGetConvergedReason(ksp, &s->reason));
  PetscCall(KSPGetResidualHistory(ksp, &norm, &s->n));
  PetscCall(VecDestroy(&b));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  Mat       A, B;
  Solve     ref, s;
  Vec       x;
  char      type[64] = "autocsr";
  PetscReal norm, difference;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Create(MATAIJ, &A));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", type, sizeof(type), NULL));
  PetscCall(Create(type, &B));
  PetscCall(SolveWith(A, &ref));
  PetscCall(SolveWith(B, &s));
  PetscCheck(ref.reason > 0 && s.reason > 0, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "aij: %s, autocsr: %s", KSPConvergedReasons[ref.reason], KSPConvergedReasons[s.reason]);
  PetscCheck(PetscAbs(ref.its - s.its) <= MORE(ref.its), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%" PetscInt_FMT " iterations with aij, %" PetscInt_FMT " with autocsr", ref.its, s.its);
  for (PetscInt k = 0; k < PetscMin(ref.n, s.n); k++) {
    PetscCheck(PetscAbsReal(ref.norm[k] - s.norm[k]) <= DRIFT * ref.norm[0], PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Residual norm %" PetscInt_FMT " is %g with aij, %g with autocsr", k, (double)ref.norm[k], (double)s.norm[k]);
  }
  PetscCall(VecNorm(ref.x, NORM_2, &norm));
  PetscCall(VecDuplicate(ref.x, &x));
  PetscCall(VecCopy(s.x, x)); /* of another type, where autocsr's vectors are on a device */
  PetscCall(VecAXPY(x, -1, ref.x));
  PetscCall(VecNorm(x, NORM_2, &difference));
  PetscCheck(difference <= DRIFT * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The solutions differ by %g of %g", (double)difference, (double)norm);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The same solve\n"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&ref.x));
  PetscCall(VecDestroy(&s.x));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/solves_1.out
    nsize: {{1 3}}

    test:
      suffix: cg
      args: -f ${AUTOCSR_DATA}/bcsstk28.bin -shift 1e-2 -ksp_type cg -pc_type {{jacobi bjacobi}}

    test:
      suffix: blocks
      args: -ksp_type cg -pc_type {{pbjacobi bjacobi gamg}}

    # on a device PETSc knows no inodes, and SOR by single rows takes other iterations than SOR by inodes
    test:
      suffix: sor
      requires: !cuda
      args: -ksp_type cg -pc_type sor

    test:
      suffix: sor_rows
      args: -ksp_type cg -pc_type sor -mat_no_inode

    test:
      suffix: fieldsplit
      args: -ksp_type gmres -pc_type fieldsplit -pc_fieldsplit_type {{additive multiplicative}} -mat_autocsr_strategy sell

    test:
      suffix: asm
      args: -ksp_type gmres -pc_type asm -pc_asm_overlap 2 -sub_pc_type {{lu ilu}}

    test:
      suffix: graph
      args: -f ${AUTOCSR_DATA}/wiki-Vote.bin -shift 0.5 -ksp_type {{gmres bicg tfqmr}} -pc_type none

    test:
      suffix: lsqr
      args: -f ${AUTOCSR_DATA}/ash219.bin -ksp_type lsqr -pc_type none

    test:
      suffix: redundant
      args: -f ${AUTOCSR_DATA}/ACTIVSg200_KKT.bin -ksp_type preonly -pc_type redundant -redundant_pc_factor_shift_type nonzero -redundant_pc_factor_mat_solver_type petsc

    test:
      suffix: complex
      requires: complex
      args: -f ${AUTOCSR_DATA}/young1c.bin -shift 1.5 -ksp_type {{gmres bicg}} -pc_type bjacobi

  testset:
    output_file: output/solves_1.out

    test:
      suffix: direct
      args: -ksp_type preonly -pc_type {{lu cholesky}} -pc_factor_mat_ordering_type {{nd rcm}}

    test:
      suffix: incomplete
      args: -ksp_type cg -pc_type icc -pc_factor_levels {{0 1}}

    test:
      suffix: ilu
      args: -f ${AUTOCSR_DATA}/adder_dcop_05.bin -shift 0.01 -ksp_type gmres -pc_type ilu -pc_factor_levels {{0 2}}

    test:
      suffix: takeover
      requires: cuda
      nsize: {{1 2}}
      args: -mat_autocsr_takeover -ksp_type cg -pc_type {{jacobi pbjacobi bjacobi gamg}}

TEST*/
