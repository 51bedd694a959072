static char help[] = "CSR arrays that are on a device become a matrix: all products, new values, the diagonal, conversion. Without a device, and for arrays of the host, that is refused.\n\n";

#include <petscautocsr.h>
#include "../compare.h"

#define N 2000

#if PetscDefined(HAVE_CUDA)
static PetscErrorCode Create(MatType type, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 12, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 12, NULL, 12, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    for (PetscInt k = 0; k < 1 + i % 12; k++) PetscCall(MatSetValue(*A, i, (i + 17 * k) % N, RandomScalar(i, k), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

typedef struct {
  PetscInt        m, n;
  const PetscInt *i, *j;
  PetscScalar    *a;
} Arrays;

/* Of PETSc's type, which has all rows' offsets where it is asked for them so */
static PetscErrorCode ArraysGet(Mat block, Arrays *arrays)
{
  PetscMemType memtype;
  const int   *i, *j;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(block, &arrays->m, &arrays->n));
  PetscCall(MatSeqAIJGetCSRAndMemType(block, &arrays->i, &arrays->j, &arrays->a, &memtype));
  PetscCheck(PetscMemTypeDevice(memtype), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The arrays are not on the device");
  if (sizeof(PetscInt) == sizeof(int)) {
    PetscCall(MatSeqAIJCUSPARSEGetIJ(block, PETSC_FALSE, (void *)&i, (void *)&j));
    arrays->i = (const PetscInt *)i;
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Lend(Mat lender, Mat *A)
{
  Mat             block[2] = {lender, NULL};
  Arrays          at[2];
  const PetscInt *ghosts;
  PetscMPIInt     size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(MatMPIAIJGetSeqAIJ(lender, &block[0], &block[1], &ghosts));
  for (int k = 0; k < 2 && block[k]; k++) PetscCall(ArraysGet(block[k], &at[k]));
  if (size > 1)
    PetscCall(MatCreateMPIAutoCSRWithDeviceArrays(PETSC_COMM_WORLD, at[0].m, at[0].n, N, N, at[0].i, at[0].j, at[0].a, at[1].i, at[1].j, at[1].a, at[1].n, ghosts, A));
  else
    PetscCall(MatCreateSeqAutoCSRWithDeviceArrays(PETSC_COMM_WORLD, at[0].m, at[0].n, at[0].i, at[0].j, at[0].a, A));
  PetscCall(PetscObjectCompose((PetscObject)*A, "owner of the arrays", (PetscObject)lender));
  PetscCall(MatSetFromOptions(*A));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckProducts(Mat plain, Mat A[], const char context[])
{
  PetscBool progressive = PETSC_TRUE;
  Reference r;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-mat_autocsr_progressive", &progressive, NULL));
  PetscCall(PetscObjectReference((PetscObject)plain));
  PetscCall(ReferenceCreate(plain, &r));
  PetscCall(CompareProducts(&r, progressive ? 0 : 2, A, context)); /* a plan that comes between two products may add in another order */
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckDiagonal(Mat plain, Mat A)
{
  Vec       d[2];
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(plain, NULL, &d[0]));
  PetscCall(MatCreateVecs(A, NULL, &d[1]));
  PetscCall(MatGetDiagonal(plain, d[0]));
  for (int host = 0; host < 2; host++) {
    PetscCall(VecBindToCPU(d[1], (PetscBool)host));
    PetscCall(VecSet(d[1], 7));
    PetscCall(MatGetDiagonal(A, d[1]));
    PetscCall(VecAXPY(d[1], -1, d[0]));
    PetscCall(VecSet(d[0], 0));
    PetscCall(VecEqual(d[0], d[1], &same));
    PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Another diagonal");
    PetscCall(MatGetDiagonal(plain, d[0]));
  }
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&d[k]));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckRefused(Mat A)
{
  PetscInt       i[] = {0, 0};
  PetscErrorCode ierr;
  Mat            B = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = MatCreateSeqAutoCSRWithDeviceArrays(PETSC_COMM_SELF, 1, 1, i, NULL, NULL, &B);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(ierr == PETSC_ERR_ARG_WRONG, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Arrays of the host were taken");
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = MatAutoCSRDeviceValuesChanged(A);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(ierr == PETSC_ERR_ARG_WRONG, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A matrix with arrays of its own was told of values in others");
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckDevice(void)
{
  Mat       plain, lender, A[2], B;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(Create(MATAIJ, &plain));
  PetscCall(Create(MATAIJCUSPARSE, &lender));
  for (int k = 0; k < 2; k++) PetscCall(Lend(lender, &A[k]));
  PetscCall(CheckProducts(plain, A, "on the device's arrays"));
  PetscCall(CheckDiagonal(plain, A[0]));
  PetscCall(MatScale(plain, -3));
  PetscCall(MatScale(lender, -3)); /* where they lie */
  for (int k = 0; k < 2; k++) PetscCall(MatAutoCSRDeviceValuesChanged(A[k]));
  PetscCall(MatDestroy(&lender)); /* the matrices keep it */
  PetscCall(CheckProducts(plain, A, "with new values"));
  PetscCall(MatConvert(A[0], MATAUTOCSR, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatMultEqual(plain, B, 3, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Converted it multiplies otherwise");
  PetscCall(CheckRefused(B));
  PetscCall(MatDestroy(&B));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn((PetscErrorCode)0);
}
#endif

/* Refused before any array is read */
static PetscErrorCode CheckNone(void)
{
  const PetscInt    i[] = {0, 1}, j[] = {0};
  const PetscScalar a[] = {1};
  Mat               A;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAutoCSRWithDeviceArrays(PETSC_COMM_SELF, 1, 1, i, j, a, &A));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscBool none = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-none", &none, NULL));
  if (none) PetscCall(CheckNone());
#if PetscDefined(HAVE_CUDA)
  if (!none) PetscCall(CheckDevice());
#endif
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Arrays of a device multiply as AIJ, also with new values\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    requires: cuda
    nsize: {{1 2}}
    args: -vec_type cuda -mat_autocsr_progressive {{0 1}}

  test:
    suffix: none
    requires: !cuda
    args: -none -petsc_ci_portable_error_output
    filter: grep -o "no device"

TEST*/
