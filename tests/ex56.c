static char help[] = "MatAutoCSRSDDMM(): Z = S .* (X Y^T) where S has entries, against sums over the columns, in every way to ask for it.\n\n";

#include <petscautocsr.h>
#include "generate.h"

static const PetscInt widths[] = {0, 1, 5, 8, 31, 64, 137};

/* Rows [begin, end) here; the columns may lie further apart than they are long; where, is up to -dense_type */
static PetscErrorCode DenseCreate(PetscInt begin, PetscInt end, PetscInt M, PetscInt columns, PetscInt seed, Mat *D)
{
  const PetscInt m        = end - begin;
  char           type[64] = MATDENSE;
  PetscInt       lda;
  PetscScalar   *d;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-dense_type", type, sizeof(type), NULL));
  PetscCall(MatCreate(PETSC_COMM_WORLD, D));
  PetscCall(MatSetSizes(*D, m, PETSC_DECIDE, M, columns));
  PetscCall(MatSetType(*D, type));
  if (columns % 2) PetscCall(MatDenseSetLDA(*D, m + 3));
  PetscCall(MatSetUp(*D));
  PetscCall(MatDenseGetLDA(*D, &lda));
  PetscCall(MatDenseGetArrayWrite(*D, &d));
  for (PetscInt j = 0; j < columns; j++) {
    for (PetscInt i = begin; i < end; i++) d[i - begin + j * lda] = RandomScalar(seed + j, i);
  }
  PetscCall(MatDenseRestoreArrayWrite(*D, &d));
  PetscCall(MatAssemblyBegin(*D, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*D, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Both have the values that DenseCreate() gave them: so has any process the rows of Y that it does not own. S: before Z was made, plain AIJ */
static PetscErrorCode Compare(Mat S, PetscScalar factor, PetscInt columns, Mat Z, const char context[])
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(S, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt    *col, *z_col;
    const PetscScalar *val, *z;
    PetscInt           n, z_n;

    PetscCall(MatGetRow(S, i, &n, &col, &val));
    PetscCall(MatGetRow(Z, i, &z_n, &z_col, &z));
    PetscCheck(n == z_n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %" PetscInt_FMT " has %" PetscInt_FMT " entries, not %" PetscInt_FMT, context, i, z_n, n);
    for (PetscInt q = 0; q < n; q++) {
      PetscScalar sum   = 0;
      PetscReal   bound = 0;

      for (PetscInt k = 0; k < columns; k++) {
        const PetscScalar product = RandomScalar(7 + k, i) * RandomScalar(1000 + k, col[q]);

        sum += product;
        bound += PetscAbsScalar(product);
      }
      PetscCheck(z_col[q] == col[q], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: another column in row %" PetscInt_FMT, context, i);
      PetscCheck(PetscAbsScalar(z[q] - factor * val[q] * sum) <= 100 * PETSC_MACHINE_EPSILON * PetscAbsScalar(factor * val[q]) * bound, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: entry (%" PetscInt_FMT ", %" PetscInt_FMT ") is off by %g", context, i, col[q], (double)PetscAbsScalar(z[q] - factor * val[q] * sum));
    }
    PetscCall(MatRestoreRow(Z, i, &z_n, &z_col, &z));
    PetscCall(MatRestoreRow(S, i, &n, &col, &val));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Same(Mat A, Mat B, const char context[])
{
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatEqual(A, B, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: other bits", context);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Into another matrix, again, with new values of S, on the CPU and back, and into S itself; products see the new values */
static PetscErrorCode Sample(const Generator *g, Mat plain, PetscInt columns)
{
  PetscInt begin, end, c_begin, c_end, M, N;
  char     context[128];
  Mat      S, X, Y, Z, W;
  Vec      x, y, z;
  PetscInt twice;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s, %" PetscInt_FMT " columns", g->name, columns));
  PetscCall(MatrixCreate(g, MATAUTOCSR, &S));
  PetscCall(MatGetSize(S, &M, &N));
  PetscCall(MatGetOwnershipRange(S, &begin, &end));
  PetscCall(MatGetOwnershipRangeColumn(S, &c_begin, &c_end));
  PetscCall(DenseCreate(begin, end, M, columns, 7, &X));
  PetscCall(DenseCreate(c_begin, c_end, N, columns, 1000, &Y));
  PetscCall(MatDuplicate(S, MAT_DO_NOT_COPY_VALUES, &Z));
  PetscCall(MatDuplicate(S, MAT_COPY_VALUES, &W));
  PetscCall(MatAutoCSRSDDMM(S, X, Y, Z));
  PetscCall(Compare(plain, 1, columns, Z, context));
  for (twice = 0; twice < 2; twice++) PetscCall(MatAutoCSRSDDMM(S, X, Y, W));
  PetscCall(Same(Z, W, context));
  PetscCall(MatScale(S, 4));
  PetscCall(MatAutoCSRSDDMM(S, X, Y, Z));
  PetscCall(Compare(plain, 4, columns, Z, context));
  PetscCall(MatBindToCPU(Z, PETSC_TRUE));
  PetscCall(MatAutoCSRSDDMM(S, X, Y, Z));
  PetscCall(Compare(plain, 4, columns, Z, context));
  PetscCall(MatBindToCPU(Z, PETSC_FALSE));
  PetscCall(MatAutoCSRSDDMM(S, X, Y, Z));
  PetscCall(Compare(plain, 4, columns, Z, context));
  PetscCall(MatCreateVecs(S, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(S, x, y)); /* a plan, whose values are old ones then */
  PetscCall(MatAutoCSRSDDMM(S, X, Y, S));
  PetscCall(Same(S, Z, context));
  PetscCall(MatMult(S, x, y));
  PetscCall(MatGetRowSum(Z, z));
  PetscCall(VecAXPY(z, -1, y));
  {
    PetscReal off, all;

    PetscCall(MatNorm(Z, NORM_INFINITY, &all));
    PetscCall(VecNorm(z, NORM_INFINITY, &off));
    PetscCheck(off <= 1000 * PETSC_MACHINE_EPSILON * all, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: a product has not the new values: off by %g", context, (double)off);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(MatDestroy(&S));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatDestroy(&W));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* An error that says what is wrong, and nothing is lost */
static PetscErrorCode Refused(Mat S, Mat X, Mat Y, Mat Z, PetscErrorCode expected, const char what[])
{
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = MatAutoCSRSDDMM(S, X, Y, Z);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(ierr == expected, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: error %d, not %d", what, (int)ierr, (int)expected);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Errors(void)
{
  PetscInt begin, end, N;
  Mat      S, X, Y, narrow, Z, other, plain;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(&generators[0], MATAUTOCSR, &S));
  PetscCall(MatGetSize(S, NULL, &N));
  PetscCall(MatGetOwnershipRange(S, &begin, &end));
  PetscCall(DenseCreate(begin, end, N, 4, 7, &X));
  PetscCall(DenseCreate(begin, end, N, 4, 1000, &Y));
  PetscCall(DenseCreate(begin, end, N, 3, 1000, &narrow));
  PetscCall(MatDuplicate(S, MAT_COPY_VALUES, &Z));
  PetscCall(MatConvert(S, MATAIJ, MAT_INITIAL_MATRIX, &plain));
  PetscCall(MatDuplicate(S, MAT_COPY_VALUES, &other));
  PetscCall(MatSetOption(other, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = begin; i < end; i++) PetscCall(MatSetValue(other, i, (i + N / 2) % N, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(other, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(other, MAT_FINAL_ASSEMBLY));
  PetscCall(Refused(plain, X, Y, Z, PETSC_ERR_ARG_WRONG, "S of another type"));
  PetscCall(Refused(S, X, Y, plain, PETSC_ERR_ARG_WRONG, "Z of another type"));
  PetscCall(Refused(S, S, Y, Z, PETSC_ERR_ARG_WRONG, "X that is not dense"));
  PetscCall(Refused(S, X, narrow, Z, PETSC_ERR_ARG_SIZ, "other columns"));
  PetscCall(Refused(S, X, Y, other, PETSC_ERR_ARG_INCOMP, "Z with other nonzeros"));
  PetscCall(Refused(S, X, Y, Z, (PetscErrorCode)0, "no error"));
  PetscCall(MatDestroy(&S));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscCall(MatDestroy(&narrow));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatDestroy(&other));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscInt few = 1; /* one matrix of so many */

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-few", &few, NULL));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(generators); k += (size_t)few) {
    Mat plain;

    PetscCall(MatrixCreate(&generators[k], MATAIJ, &plain));
    for (size_t w = (k / (size_t)few) % 2; w < PETSC_STATIC_ARRAY_LENGTH(widths); w += 2) PetscCall(Sample(&generators[k], plain, widths[w])); /* every other */
    PetscCall(MatDestroy(&plain));
  }
  PetscCall(Errors());
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Z = S .* (X Y^T) is as sums over columns make it\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

  test:
    suffix: 2
    nsize: {{2 3}}
    args: -few 3
    output_file: output/ex56_1.out

  testset:
    args: -few 3
    output_file: output/ex56_1.out

    test:
      suffix: x86-64
      args: -mat_autocsr_simd x86-64

    test:
      suffix: avx2
      requires: avx2
      args: -mat_autocsr_simd avx2

    test:
      suffix: avx512
      requires: avx512
      args: -mat_autocsr_simd avx512

  test:
    suffix: cuda
    requires: cuda
    nsize: {{1 2}}
    args: -dense_type {{dense densecuda}}
    output_file: output/ex56_1.out

  test:
    suffix: cuda_look
    requires: cuda
    args: -dense_type densecuda -mat_autocsr_strategy sell
    output_file: output/ex56_1.out

TEST*/
