static char help[] = "One allocation fails, each in turn: products go on, by a smaller plan or as the parent's; what is taken off a matrix for the time of a\n\
call is on it again where the call fails.\n\n";

#include <petscautocsr.h>
#include "../compare.h"

/* PETSc's own allocator, behind one that fails once, but not where PETSc itself (3.18 to 3.26) then leaks what it took before */
static PetscErrorCode (*Allocate)(size_t, PetscBool, int, const char[], const char[], void **);
static PetscInt    left = -1; /* allocations that succeed before the one that fails; -1: all do */
static PetscBool   failed;    /* one did */
static const char *only;      /* the function whose allocations count; NULL: all of them */

static PetscErrorCode AllocateOrFail(size_t size, PetscBool clear, int line, const char function[], const char file[], void **result)
{
  if (left >= 0 && (only ? !strcmp(function, only) : strcmp(function, "PetscSegBufferCreate") != 0) && !left--) {
    failed  = PETSC_TRUE;
    *result = NULL;
    return PETSC_ERR_MEM;
  }
  PetscCall((*Allocate)(size, clear, line, function, file, result));
  if (*result && !clear) memset(*result, 0xff, size); /* what was there before is not to look right */
  return (PetscErrorCode)0;
}

/* The allocation after n others fails from here on, and PETSc does not print that */
static PetscErrorCode FailBegin(PetscInt n, const char function[])
{
  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  only   = function;
  failed = PETSC_FALSE;
  left   = n;
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode FailEnd(void)
{
  PetscFunctionBeginUser;
  left = -1;
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The product without the allocation n, against the one with all of them */
static PetscErrorCode ProductWithout(Mat A, const Product *p, PetscInt n, Vec x, Vec want)
{
  PetscErrorCode ierr;
  Vec            y;
  PetscReal      error;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(want, &y));
  PetscCall(FailBegin(n, NULL));
  ierr = (*p->mult)(A, x, y);
  PetscCall(FailEnd());
  PetscCheck(!ierr, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s() without allocation %" PetscInt_FMT ": error %d", p->name, n, (int)ierr);
  PetscCall(VecAXPY(y, -1, want));
  PetscCall(VecNorm(y, NORM_INFINITY, &error));
  PetscCheck(error < 1e-4, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s() without allocation %" PetscInt_FMT " is wrong by %g", p->name, n, (double)error);
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The first product of a matrix, and the first with new values */
static PetscErrorCode Products(Mat A, const Product *p)
{
  Mat       B;
  Vec       x, want;
  PetscBool any = PETSC_TRUE;
  PetscInt  n   = 0;

  PetscFunctionBeginUser;
  if (p->from == RIGHT)
    PetscCall(MatCreateVecs(A, &x, &want));
  else
    PetscCall(MatCreateVecs(A, &want, &x));
  PetscCall(VecSetScattered(x, 1));
  for (; any; n++) {
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(MatAutoCSRSetMaxBins(B, 1 + n % 100)); /* not the setting of a plan that was kept: this matrix gets one of its own */
    PetscCall((*p->mult)(A, x, want));
    PetscCall(ProductWithout(B, p, n, x, want));
    any = failed;
    PetscCall(MatScale(B, 2));
    PetscCall(VecScale(want, 2));
    PetscCall(ProductWithout(B, p, n, x, want));
    any = (PetscBool)(any || failed);
    PetscCall(MatDestroy(&B));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&want));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s(): right whichever allocation fails%s\n", p->name, n > 10 ? "" : ", but hardly any was made"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* C = A B, or Z = A .* (C B^T), by panels, and by adaptive tiles without the allocation n */
static PetscErrorCode DenseWithout(Mat A, Mat B, Mat C, Mat Z, PetscInt n)
{
  PetscErrorCode ierr;
  Mat            want;
  PetscReal      error;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRSetDense(A, MAT_AUTOCSR_DENSE_PANELS));
  if (Z)
    PetscCall(MatAutoCSRSDDMM(A, C, B, Z));
  else
    PetscCall(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(MatDuplicate(Z ? Z : C, MAT_COPY_VALUES, &want));
  PetscCall(MatAutoCSRSetDense(A, MAT_AUTOCSR_DENSE_ADAPTIVE));
  PetscCall(FailBegin(n, NULL));
  ierr = Z ? MatAutoCSRSDDMM(A, C, B, Z) : MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C);
  PetscCall(FailEnd());
  PetscCheck(!ierr, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A dense product without allocation %" PetscInt_FMT ": error %d", n, (int)ierr);
  PetscCall(MatAXPY(want, -1, Z ? Z : C, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(want, NORM_FROBENIUS, &error));
  PetscCheck(error < 1e-3, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A dense product without allocation %" PetscInt_FMT " is wrong by %g", n, (double)error);
  PetscCall(MatDestroy(&want));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Each matrix makes its tiles anew. On a device PETSc allocates, too, to bring B there */
static PetscErrorCode DenseProducts(Mat A, PetscBool sampled)
{
  MatAutoCSRInfo info;
  Mat            S, B, C, Z = NULL;
  PetscInt       n = sampled ? 1 : 0; /* without the first one, for the error handler, a sampled product is not tried, and has no other way */

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, 400, 20, NULL, &B));
  for (PetscInt i = 0; i < 400; i++) {
    for (PetscInt k = 0; k < 20; k++) PetscCall(MatSetValue(B, i, k, RandomScalar(i, k), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  do {
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &S));
    PetscCall(MatMatMult(S, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    if (sampled) PetscCall(MatDuplicate(S, MAT_DO_NOT_COPY_VALUES, &Z));
    PetscCall(DenseWithout(S, B, C, Z, n));
    PetscCall(MatDestroy(&Z));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&S));
    n++;
    PetscCall(MatAutoCSRGetInfo(A, &info));
  } while (failed && strcmp(info.backend, "cuda"));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: right whichever allocation fails%s\n", sampled ? "MatAutoCSRSDDMM()" : "MatMatMult()", n > 10 || !strcmp(info.backend, "cuda") ? "" : ", but hardly any was made"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The first allocations of this function in the call are those of what is taken off */
typedef PetscErrorCode (*Call)(Mat, Mat *);
static PetscErrorCode Duplicate(Mat A, Mat *B)
{
  return MatDuplicate(A, MAT_COPY_VALUES, B);
}
static PetscErrorCode Convert(Mat A, Mat *B)
{
  return MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, B);
}
static PetscErrorCode Kron(Mat A, Mat *B)
{
  return MatSeqAIJKron(A, A, MAT_INITIAL_MATRIX, B);
}

static PetscErrorCode TakenOff(Mat A, const char name[], Call call, PetscInt most)
{
  MatAutoCSRInfo info;
  MatType        before, after;
  Vec            x, y;
  PetscBool      same;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRSetStrategy(A, "sell"));
  PetscCall(MatGetType(A, &before));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSetScattered(x, 1));
  for (PetscInt n = 0; n < most; n++) {
    Mat            B = NULL;
    PetscErrorCode ierr;

    PetscCall(FailBegin(n, "PetscStrallocpy"));
    ierr = (*call)(A, &B);
    PetscCall(FailEnd());
    PetscCheck(ierr && failed && !B, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s without the name %" PetscInt_FMT ": no error", name, n);
    PetscCall(MatGetType(A, &after));
    PetscCall(PetscStrcmp(before, after, &same));
    PetscCall(MatScale(A, 2)); /* another plan, by what the settings are */
    PetscCall(MatMult(A, x, y));
    PetscCall(MatAutoCSRGetInfo(A, &info));
    if (same) PetscCall(PetscStrcmp(info.strategy, "sell", &same));
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s without the name %" PetscInt_FMT ": the type is %s, not %s; the strategy %s", name, n, after, before, info.strategy);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(PetscPrintf(PetscObjectComm((PetscObject)A), "%s: nothing is lost\n", name));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  Mat         A;
  PetscMPIInt size;
  PetscInt    first, last;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 400, 400, 5, NULL, 4, NULL, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; i++) {
    for (PetscInt k = 0; k < 2 + i % 4; k++) PetscCall(MatSetValue(A, i, (i + k * k * 29) % 400, RandomScalar(i, k), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatConvert(A, "autocsr", MAT_INPLACE_MATRIX, &A));
  PetscCall(MatSetFromOptions(A));

  Allocate      = PetscTrMalloc;
  PetscTrMalloc = AllocateOrFail;
  if (size == 1) {
    PetscCall(Products(A, &products[0]));
    PetscCall(Products(A, &products[3]));
    PetscCall(DenseProducts(A, PETSC_FALSE));
    PetscCall(DenseProducts(A, PETSC_TRUE));
    PetscCall(TakenOff(A, "MatDuplicate()", Duplicate, 1));
    PetscCall(TakenOff(A, "MatSeqAIJKron()", Kron, 2));
  }
  PetscCall(TakenOff(A, "MatConvert()", Convert, size == 1 ? 1 : 3));
  PetscTrMalloc = Allocate;
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  # At once, with a profile and without; step by step
  test:
    args: -mat_autocsr_strategy {{auto sell}}
  test:
    args: -mat_autocsr_strategy sell -mat_autocsr_progressive
  # By an operator graph of leaves with memory of their own
  test:
    suffix: graph
    output_file: output/failed_allocation_1.out
    args: -mat_autocsr_graph "bin(0:3) sort compress bmtb_pad slice_block; bin(4:) compress row_block(lanes=2)"
  # As many allocations as a short search makes
  test:
    suffix: search
    output_file: output/failed_allocation_1.out
    args: -mat_autocsr_rigor patient -mat_autocsr_search_seconds 0.001
    timeoutfactor: 2
  # The first plan takes few allocations, the net's among them
  test:
    suffix: net
    args: -mat_autocsr_progressive -mat_autocsr_reproducible false
  test:
    suffix: 2
    nsize: 2

TEST*/
