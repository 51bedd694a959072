static char help[] = "What PETSc asks of AIJ by exact type name: orderings, permutations, colourings, Kronecker products; and PETSc begun twice.\n\n";

#include <petscautocsr.h>

#define N 60

static PetscErrorCode Create(MatType type, Mat *A)
{
  PetscInt rstart, rend;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5, NULL, 5, NULL));
  PetscCall(MatGetOwnershipRange(*A, &rstart, &rend));
  for (PetscInt i = rstart; i < rend; i++) {
    const PetscInt    col[5] = {i, i - 1, i + 1 < N ? i + 1 : -1, i - 7, i + 7 < N ? i + 7 : -1};
    const PetscScalar val[5] = {4. + i % 3, -1., -1., -1., -1.};

    PetscCall(MatSetValues(*A, 1, &i, 5, col, val, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* A number that tells matrices of different entries or places apart */
static PetscErrorCode Signature(Mat A, PetscReal *number)
{
  Vec      x, y;
  PetscInt rstart, rend;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecGetOwnershipRange(x, &rstart, &rend));
  for (PetscInt i = rstart; i < rend; i++) PetscCall(VecSetValue(x, i, 1. / (1 + i), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecPointwiseMult(x, x, y));
  PetscCall(VecNorm(x, NORM_2, number));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

static PetscErrorCode Same(const char what[], PetscReal ours, PetscReal plain)
{
  PetscFunctionBeginUser;
  if (PetscAbsReal(ours - plain) <= 100 * PETSC_MACHINE_EPSILON * PetscAbsReal(plain))
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: ok\n", what));
  else
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: FAILED, %g for %g\n", what, (double)ours, (double)plain));
  PetscFunctionReturn(0);
}

static PetscErrorCode Ordering(Mat A, MatOrderingType type, PetscReal *number)
{
  Mat B;
  IS  row, col;

  PetscFunctionBeginUser;
  PetscCall(MatGetOrdering(A, type, &row, &col));
  PetscCall(MatPermute(A, row, col, &B));
  PetscCall(Signature(B, number));
  PetscCall(MatDestroy(&B));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscFunctionReturn(0);
}

static PetscErrorCode Coloring(Mat A, MatColoringType type, PetscReal *number)
{
  MatColoring mc;
  ISColoring  colors;
  PetscInt    n;

  PetscFunctionBeginUser;
  PetscCall(MatColoringCreate(A, &mc));
  PetscCall(MatColoringSetType(mc, type));
  PetscCall(MatColoringSetDistance(mc, 1));
  PetscCall(MatColoringSetFromOptions(mc));
  PetscCall(MatColoringApply(mc, &colors));
  PetscCall(ISColoringGetIS(colors, PETSC_USE_POINTER, &n, NULL));
  *number = n;
  PetscCall(ISColoringDestroy(&colors));
  PetscCall(MatColoringDestroy(&mc));
  PetscFunctionReturn(0);
}

static PetscErrorCode Kron(Mat A, PetscReal *number)
{
  Mat B;

  PetscFunctionBeginUser;
  PetscCall(MatSeqAIJKron(A, A, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatSeqAIJKron(A, A, MAT_REUSE_MATRIX, &B));
  PetscCall(Signature(B, number));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  const char *const orderings[] = {MATORDERINGNATURAL, MATORDERINGND, MATORDERING1WD, MATORDERINGRCM, MATORDERINGQMD};
  const char *const colorings[] = {MATCOLORINGJP, MATCOLORINGPOWER, MATCOLORINGGREEDY};

  PetscFunctionBeginUser;
  if (MPI_Init(&argc, &argv)) return 1;
  for (PetscInt twice = 0; twice < 2; twice++) {
    Mat         A, R;
    PetscMPIInt size;
    PetscReal   ours, plain;

    PetscCall(PetscInitialize(&argc, &argv, NULL, help));
    PetscCall(MatAutoCSRRegisterAll());
    PetscCall(Create(MATAUTOCSR, &A));
    PetscCall(Create(MATAIJ, &R));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(orderings); k++) {
      PetscCall(Ordering(A, orderings[k], &ours));
      PetscCall(Ordering(R, orderings[k], &plain));
      PetscCall(Same(orderings[k], ours, plain));
    }
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(colorings); k++) {
      PetscCall(Coloring(A, colorings[k], &ours));
      PetscCall(Coloring(R, colorings[k], &plain));
      PetscCall(Same(colorings[k], ours, plain));
    }
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (size == 1) {
      PetscCall(Kron(A, &ours));
      PetscCall(Kron(R, &plain));
      PetscCall(Same("MatSeqAIJKron", ours, plain));
    } else
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "MatSeqAIJKron: ok\n"));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&R));
    PetscCall(PetscFinalize());
  }
  return MPI_Finalize();
}

/*TEST

  test:
    suffix: 1
    nsize: {{1 2 4}}

TEST*/
