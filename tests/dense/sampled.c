static char help[] = "MatAutoCSRSDDMM(): Z = S .* (X Y^T) where S has entries, against sums over the columns, in every way to ask for it.\n\n";

#include <petscautocsr.h>
#include "../dense.h"

static const PetscInt widths[] = {0, 1, 5, 8, 31, 64, 137};

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

static PetscErrorCode SampleAndCompare(Mat S, Mat X, Mat Y, const char context[])
{
  PetscInt columns;
  Mat      Z, plain;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(X, NULL, &columns));
  PetscCall(MatConvert(S, MATAIJ, MAT_INITIAL_MATRIX, &plain));
  PetscCall(MatDuplicate(S, MAT_DO_NOT_COPY_VALUES, &Z));
  PetscCall(MatAutoCSRSDDMM(S, X, Y, Z));
  PetscCall(Compare(plain, 1, columns, Z, context));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatDestroy(&plain));
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

/* Another structure between calls, of the same numbers; on the CPU, too; X is Y; what was known of Z */
static PetscErrorCode Changes(void)
{
  const PetscInt N = 301, columns = 9;
  PetscInt       begin, end;
  Mat            S, Z, X, Y;
  Vec            x, y;
  PetscBool      set, symmetric;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &S));
  PetscCall(MatSetSizes(S, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetType(S, MATAUTOCSR));
  PetscCall(Preallocate(S, 0));
  PetscCall(MatGetOwnershipRange(S, &begin, &end));
  PetscCall(DenseCreate(begin, end, N, columns, 7, &X));
  PetscCall(DenseCreate(begin, end, N, columns, 1000, &Y));
  PetscCall(SampleAndCompare(S, X, Y, "first structure"));
  PetscCall(MatDuplicate(S, MAT_DO_NOT_COPY_VALUES, &Z));
  PetscCall(Preallocate(S, 5));
  PetscCall(SampleAndCompare(S, X, Y, "second structure"));
  PetscCall(Refused(S, X, Y, Z, PETSC_ERR_ARG_INCOMP, "Z of the first structure"));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatDuplicate(S, MAT_COPY_VALUES, &Z)); /* not preallocated for COO: of such, with new nonzeros, PETSc 3.18 loses memory */
  PetscCall(MatDestroy(&S));
  S = Z;
  PetscCall(MatCreateVecs(S, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatBindToCPU(S, PETSC_TRUE));
  PetscCall(MatMult(S, x, y));
  PetscCall(MatSetOption(S, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(S, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = begin; i < end; i++) PetscCall(MatSetValue(S, i, (i + 77) % N, 2, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(S, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(S, MAT_FINAL_ASSEMBLY));
  PetscCall(SampleAndCompare(S, X, Y, "bound to the CPU, with new nonzeros"));
  PetscCall(MatBindToCPU(S, PETSC_FALSE));
  PetscCall(SampleAndCompare(S, X, Y, "no longer bound to the CPU"));
  PetscCall(MatMult(S, x, y));
  PetscCall(SampleAndCompare(S, X, Y, "after a product"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));

  PetscCall(MatDuplicate(S, MAT_COPY_VALUES, &Z));
  PetscCall(MatSetOption(Z, MAT_SYMMETRIC, PETSC_TRUE)); /* as a program may have said of what it had before */
  PetscCall(MatAutoCSRSDDMM(S, X, Y, Z));
  PetscCall(MatIsSymmetricKnown(Z, &set, &symmetric));
  PetscCheck(!set, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Z is said to be symmetric, or not, before anybody has looked");
  PetscCall(MatAutoCSRSDDMM(S, X, X, Z));
  for (PetscInt i = begin; i < end; i++) { /* with itself */
    PetscScalar sum   = 0, s, z;
    PetscReal   bound = 0;

    for (PetscInt k = 0; k < columns; k++) {
      sum += RandomScalar(7 + k, i) * RandomScalar(7 + k, i);
      bound += PetscSqr(PetscAbsScalar(RandomScalar(7 + k, i)));
    }
    PetscCall(MatGetValue(S, i, i, &s));
    PetscCall(MatGetValue(Z, i, i, &z));
    PetscCheck(PetscAbsScalar(z - s * sum) <= 100 * PETSC_MACHINE_EPSILON * PetscAbsScalar(s) * bound, PETSC_COMM_SELF, PETSC_ERR_PLIB, "X with itself: entry %" PetscInt_FMT " of the diagonal is off", i);
  }
  PetscCall(MatDestroy(&S));
  PetscCall(MatDestroy(&Z));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
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
  PetscInt  few = 1; /* one matrix of so many */
  PetscBool brief = PETSC_FALSE;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(FewAsked(&few, &brief));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(generators); k += (size_t)few) {
    Mat plain;

    PetscCall(MatrixCreate(&generators[k], MATAIJ, &plain));
    for (size_t w = (k / (size_t)few) % 2; w < PETSC_STATIC_ARRAY_LENGTH(widths); w += brief ? 4 : 2) PetscCall(Sample(&generators[k], plain, widths[w])); /* every other */
    PetscCall(MatDestroy(&plain));
  }
  PetscCall(Changes());
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
    output_file: output/sampled_1.out

  testset:
    args: -few 3
    output_file: output/sampled_1.out

    test:
      suffix: memory
      args: -mat_autocsr_objective memory

    test:
      suffix: adaptive
      args: -mat_autocsr_dense adaptive

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
    suffix: citations
    requires: !cuda
    args: -few 9 -citations -mat_autocsr_dense {{panels adaptive}separate output}
    filter: grep -oE "@.*hong2019|as sums over columns"

  test:
    suffix: cuda
    requires: cuda
    nsize: {{1 2}}
    args: -dense_type {{dense densecuda}}
    output_file: output/sampled_1.out

  test:
    suffix: cuda_adaptive
    requires: cuda
    args: -few 3 -dense_type densecuda -mat_autocsr_dense adaptive
    output_file: output/sampled_1.out

  test:
    suffix: cuda_ranks
    requires: cuda
    nsize: 4
    args: -few 3 -dense_type {{dense densecuda}}
    output_file: output/sampled_1.out

  testset:
    requires: cuda
    args: -dense_type densecuda
    output_file: output/sampled_1.out

    test:
      suffix: cuda_look
      args: -mat_autocsr_strategy sell

    test:
      suffix: cuda_memory
      args: -mat_autocsr_objective memory

TEST*/
