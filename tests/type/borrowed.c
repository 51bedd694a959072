static char help[] = "Matrices on CSR arrays of the user, here in the host's memory: all products, new values, the diagonal, what they are converted to, settings and a solve.\n\n";

#include "../../src/mat/impls/autocsr/mpi/mpiautocsr.h"
#include "../compare.h"
#include "../generate.h"
#include <petscksp.h>

typedef struct {
  Mat             plain, block[2]; /* MATAIJ, whose arrays are lent */
  const PetscInt *ghosts;
  PetscBool       parallel;
} Lender;

static PetscErrorCode Lend(const Lender *l, Mat *A)
{
  AutoCSRMatrix csr[2];
  PetscInt      M, N;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(l->plain, &M, &N));
  for (int k = 0; k < 1 + l->parallel; k++) {
    PetscScalar *val;

    csr[k] = (AutoCSRMatrix){.backend = &AutoCSRBackendHost};
    PetscCall(MatGetSize(l->block[k], &csr[k].m, &csr[k].n));
    PetscCall(MatSeqAIJGetCSRAndMemType(l->block[k], &csr[k].row_ptr, &csr[k].col, &val, NULL));
    csr[k].val = val;
    csr[k].nnz = csr[k].row_ptr[csr[k].m];
  }
  PetscCall(l->parallel ? MatCreateMPIAutoCSR_Borrowed(PETSC_COMM_WORLD, M, N, csr, l->ghosts, A) : MatCreateSeqAutoCSR_Borrowed(PETSC_COMM_WORLD, csr, A));
  PetscCall(MatSetFromOptions(*A));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckDiagonal(const Lender *l, Mat A)
{
  Vec       d[2];
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, NULL, &d[0]));
  PetscCall(VecDuplicate(d[0], &d[1]));
  PetscCall(MatGetDiagonal(l->plain, d[0]));
  PetscCall(VecSet(d[1], 7));
  PetscCall(MatGetDiagonal(A, d[1]));
  PetscCall(VecEqual(d[0], d[1], &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Another diagonal");
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&d[k]));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckConversion(const Lender *l, Mat A)
{
  const MatType to[] = {MATAIJ, MATAUTOCSR};
  PetscBool     same;
  Mat           B;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(MatConvert(A, to[k], MAT_INITIAL_MATRIX, &B));
    PetscCall(MatMultEqual(l->plain, B, 3, &same));
    PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The matrix of type %s multiplies otherwise", to[k]);
    PetscCall(MatDestroy(&B));
  }
  PetscCall(Lend(l, &B));
  PetscCall(MatConvert(B, MATAIJ, MAT_INPLACE_MATRIX, &B));
  PetscCall(MatEqual(l->plain, B, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Converted in place it is another matrix");
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A plan that stays is refreshed, and not made again */
static PetscErrorCode CheckNewValues(Lender *l, Mat A)
{
  MatAutoCSRInfo before, after;
  PetscBool      same;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(A, &before));
  PetscCall(MatScale(l->plain, -3));
  PetscCall(MatAutoCSRDeviceValuesChanged(A));
  PetscCall(MatMultEqual(l->plain, A, 3, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Products with the values of before");
  PetscCall(MatAutoCSRGetInfo(A, &after));
  PetscCheck(!before.settled || (after.plans == before.plans && (!after.segments || after.refreshes > before.refreshes)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " plans and %" PetscInt_FMT " refreshes, and before %" PetscInt_FMT " and %" PetscInt_FMT, after.plans, after.refreshes, before.plans, before.refreshes);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckSettings(Mat A)
{
  MatAutoCSRInfo info;
  Vec            x, y;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRSetStrategy(A, "segsum"));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCheck(!strcmp(info.strategy, "segsum"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The strategy is %s", info.strategy);
  PetscCall(MatAutoCSRSetStrategy(A, "auto"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckSolve(Mat A)
{
  KSP                ksp;
  PC                 pc;
  Vec                x, b;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The solve ended with %s", KSPConvergedReasons[reason]);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Create(PetscInt m, PetscInt n, PetscBool grid, Mat *A)
{
  PetscInt begin, end, col[600];

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, m, n));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocation(*A, 40, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 40, NULL, 40, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt count = grid ? Grid2(m, n, i, col) : n ? Scatter(n, i, i % 3 ? i % 29 : 0, col) : 0; /* rows without entries, too */

    for (PetscInt k = 0; k < count; k++) PetscCall(MatSetValue(*A, i, col[k], col[k] == i ? 40 + RandomScalar(i, i) : RandomScalar(i, col[k]), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  const PetscInt size[][2] = {{900, 900}, {1300, 700}, {0, 5}, {40, 0}};
  PetscMPIInt    ranks;
  PetscBool      progressive = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-mat_autocsr_progressive", &progressive, NULL));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (int s = 0; s < 4; s++) {
    Lender    l = {.parallel = (PetscBool)(ranks > 1)};
    Reference r;
    Mat       A[2];

    PetscCall(Create(size[s][0], size[s][1], (PetscBool)!s, &l.plain));
    if (l.parallel)
      PetscCall(MatMPIAIJGetSeqAIJ(l.plain, &l.block[0], &l.block[1], &l.ghosts));
    else
      l.block[0] = l.plain;
    for (int k = 0; k < 2; k++) PetscCall(Lend(&l, &A[k]));
    PetscCall(PetscObjectReference((PetscObject)l.plain));
    PetscCall(ReferenceCreate(l.plain, &r));
    PetscCall(CompareProducts(&r, progressive ? 0 : 2, A, "borrowed")); /* a plan that comes between two products may add in another order */
    PetscCall(ReferenceDestroy(&r));
    if (size[s][0] == size[s][1]) PetscCall(CheckDiagonal(&l, A[0])); /* in parallel MATAIJ has those of square matrices only */
    PetscCall(CheckConversion(&l, A[0]));
    PetscCall(CheckNewValues(&l, A[0]));
    if (size[s][0] && size[s][1]) PetscCall(CheckSettings(A[0]));
    if (!s) PetscCall(CheckSolve(A[0]));
    for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
    PetscCall(MatDestroy(&l.plain));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Matrices on the user's arrays multiply as AIJ, also with new values\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    nsize: {{1 2 3}}
    args: -mat_autocsr_progressive {{0 1}}

TEST*/
