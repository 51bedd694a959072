static char help[] = "Solves A X = B with many right-hand sides at once by conjugate gradients, one MatMatMult() an iteration; a plain PETSc program, which knows nothing of autocsr.\n\
  -f <file>   : the matrix, symmetric and positive definite, as autocsr_convert writes it\n\
  -n <points> : else that of the Poisson equation on a cube of so many points a side, with 27-point stencils\n\
  -columns <k>: right-hand sides, 16\n\n";

#include <petscmat.h>

#define MOST 256 /* columns */

static PetscErrorCode Poisson(PetscInt n, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n * n * n, n * n * n));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 27, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 27, NULL, 26, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt x = i % n, y = i / n % n, z = i / n / n;

    for (PetscInt k = 0; k < 27; k++) {
      const PetscInt dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;

      if (x + dx < 0 || x + dx >= n || y + dy < 0 || y + dy >= n || z + dz < 0 || z + dz >= n) continue;
      PetscCall(MatSetValue(*A, i, i + dx + n * (dy + n * dz), k == 13 ? 26 : -1, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* sum[j]: of the column j of X times that of Y */
static PetscErrorCode Dots(Mat X, Mat Y, PetscReal sum[])
{
  const PetscScalar *x, *y;
  PetscInt           m, k, ldx, ldy;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(X, &m, NULL));
  PetscCall(MatGetSize(X, NULL, &k));
  PetscCall(MatDenseGetLDA(X, &ldx));
  PetscCall(MatDenseGetLDA(Y, &ldy));
  PetscCall(MatDenseGetArrayRead(X, &x));
  PetscCall(MatDenseGetArrayRead(Y, &y));
  for (PetscInt j = 0; j < k; j++) {
    sum[j] = 0;
    for (PetscInt i = 0; i < m; i++) sum[j] += PetscRealPart(PetscConj(x[i + j * ldx]) * y[i + j * ldy]);
  }
  PetscCall(MatDenseRestoreArrayRead(X, &x));
  PetscCall(MatDenseRestoreArrayRead(Y, &y));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, (PetscMPIInt)k, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)X)));
  PetscFunctionReturn(0);
}

/* The column j of Y: a[j] times itself and b[j] times that of X */
static PetscErrorCode Combine(Mat Y, const PetscReal a[], const PetscReal b[], Mat X)
{
  Vec      x, y;
  PetscInt k;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(X, NULL, &k));
  for (PetscInt j = 0; j < k; j++) {
    PetscCall(MatDenseGetColumnVecRead(X, j, &x));
    PetscCall(MatDenseGetColumnVec(Y, j, &y));
    PetscCall(VecAXPBY(y, b[j], a ? a[j] : 1, x));
    PetscCall(MatDenseRestoreColumnVec(Y, j, &y));
    PetscCall(MatDenseRestoreColumnVecRead(X, j, &x));
  }
  PetscFunctionReturn(0);
}

/* Conjugate gradients of each column, in step. X is zero at first; B becomes the residuals */
static PetscErrorCode Solve(Mat A, Mat B, Mat X, PetscReal rtol, PetscInt *its, PetscBool *converged)
{
  Mat       P, Q;
  PetscInt  k;
  PetscReal rho[MOST], first[MOST], next[MOST], pq[MOST], step[MOST], one[MOST];

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(B, NULL, &k));
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &P));
  PetscCall(Dots(B, B, first));
  for (PetscInt j = 0; j < k; j++) {
    rho[j] = first[j];
    one[j] = 1;
  }
  PetscCall(MatMatMult(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &Q));
  *converged = PETSC_FALSE;
  for (*its = 0; *its < 10000 && !*converged;) {
    if (*its) PetscCall(MatMatMult(A, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &Q));
    PetscCall(Dots(P, Q, pq));
    for (PetscInt j = 0; j < k; j++) step[j] = pq[j] > 0 ? rho[j] / pq[j] : 0;
    PetscCall(Combine(X, NULL, step, P));
    for (PetscInt j = 0; j < k; j++) step[j] = -step[j];
    PetscCall(Combine(B, NULL, step, Q));
    PetscCall(Dots(B, B, next));
    ++*its;
    *converged = PETSC_TRUE;
    for (PetscInt j = 0; j < k; j++) {
      if (PetscSqrtReal(next[j]) > rtol * PetscSqrtReal(first[j])) *converged = PETSC_FALSE;
      step[j] = rho[j] > 0 ? next[j] / rho[j] : 0;
      rho[j]  = next[j];
    }
    PetscCall(Combine(P, step, one, B));
  }
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&Q));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  Mat           A, B, X;
  PetscInt      n = 12, k = 16, m, M, begin, its;
  PetscReal     norm;
  PetscScalar  *b;
  char          file[PETSC_MAX_PATH_LEN];
  PetscBool     flg, converged = PETSC_FALSE;
  PetscLogEvent event;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-columns", &k, NULL));
  PetscCheck(n > 0 && k > 0 && k <= MOST, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-n is positive, and -columns is 1 to %d", MOST);
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof(file), &flg));
  if (flg) {
    PetscViewer viewer;

    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetFromOptions(A));
    PetscCall(MatLoad(A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
  } else
    PetscCall(Poisson(n, &A));
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetSize(A, &M, NULL));
  PetscCall(MatGetOwnershipRange(A, &begin, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, M, k, NULL, &B));
  PetscCall(MatDenseGetArray(B, &b));
  for (PetscInt j = 0; j < k; j++) {
    for (PetscInt i = 0; i < m; i++) b[i + j * m] = 1 + (begin + i) % (j + 2);
  }
  PetscCall(MatDenseRestoreArray(B, &b));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(MatZeroEntries(X));
  PetscCall(PetscLogEventRegister("BlockCG", MAT_CLASSID, &event));
  PetscCall(PetscLogEventBegin(event, 0, 0, 0, 0));
  PetscCall(Solve(A, B, X, 1e-8, &its, &converged));
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscCall(MatNorm(X, NORM_FROBENIUS, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " right-hand sides of %" PetscInt_FMT " unknowns: %s, the solutions' norm is %.6g\n", k, M, converged ? "converged" : "not converged", (double)norm));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    requires: double
    nsize: {{1 2}}
    args: -mat_type {{aij autocsr}}

TEST*/
