static char help[] = "Columns in the place of others, by MatCreateSubMatrix() again, by MatSeqAIJSetColumnIndices() and after MatResetPreallocation(): PETSc does not count that as another structure.\n\n";

#include <petscautocsr.h>
#include "../compare.h"

#define N    240
#define BAND 3 /* columns on each side */

static PetscErrorCode BandCreate(MatType type, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, N, N, N, N));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 2 * BAND + 1, NULL));
  for (PetscInt i = 0; i < N; i++) {
    for (PetscInt j = PetscMax(0, i - BAND); j <= PetscMin(N - 1, i + BAND); j++) PetscCall(MatSetValue(*A, i, j, RandomScalar(i, j), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* S of ours is what R, plain AIJ, is. More products than planning waits for */
static PetscErrorCode Check(Mat S, Mat R, const char context[])
{
  Reference r;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectReference((PetscObject)R));
  PetscCall(ReferenceCreate(R, &r));
  for (int k = 0; k < 300; k++) PetscCall(MatMult(S, r.x[RIGHT], r.y[LEFT]));
  PetscCall(CompareProducts(&r, 1, &S, context));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode IndicesCreate(PetscInt begin, PetscInt end, PetscBool stride, IS *is)
{
  PetscInt *index;

  PetscFunctionBeginUser;
  if (stride)
    PetscCall(ISCreateStride(PETSC_COMM_SELF, end - begin, begin, 1, is));
  else {
    PetscCall(PetscMalloc1(end - begin, &index));
    for (PetscInt i = begin; i < end; i++) index[i - begin] = i;
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, end - begin, index, PETSC_OWN_POINTER, is));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A window slides over rows that have all their entries among the columns: the same rows again (new values), then others */
static PetscErrorCode CheckWindow(PetscBool several, PetscBool stride, const char name[])
{
  const PetscInt slides[] = {0, 0, 1, 2, 1};
  Mat            A[2], S[2], *all[2] = {&S[0], &S[1]};
  MatAutoCSRInfo before = {0}, after;
  IS             rows, cols;

  PetscFunctionBeginUser;
  PetscCall(BandCreate(MATAUTOCSR, &A[0]));
  PetscCall(BandCreate(MATAIJ, &A[1]));
  PetscCall(IndicesCreate(0, N, stride, &cols));
  for (int t = 0; t < (int)PETSC_STATIC_ARRAY_LENGTH(slides); t++) {
    const MatReuse reuse = t ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX;
    char           context[128];

    PetscCall(PetscSNPrintf(context, sizeof(context), "%s, time %d", name, t));
    PetscCall(IndicesCreate(BAND + slides[t], N - BAND - 2 + slides[t], stride, &rows));
    for (int k = 0; k < 2; k++) {
      PetscCall(MatScale(A[k], -2));
      PetscCall(several ? MatCreateSubMatrices(A[k], 1, &rows, &cols, reuse, &all[k]) : MatCreateSubMatrix(A[k], rows, cols, reuse, all[k]));
    }
    PetscCall(ISDestroy(&rows));
    PetscCall(Check(*all[0], *all[1], context));
    PetscCall(MatAutoCSRGetInfo(*all[0], &after));
    if (t && slides[t] == slides[t - 1]) PetscCheck(after.plans == before.plans, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: a plan for values that are new", context);
    before = after;
  }
  PetscCall(ISDestroy(&cols));
  for (int k = 0; k < 2; k++) {
    PetscCall(several ? MatDestroySubMatrices(1, &all[k]) : MatDestroy(all[k]));
    PetscCall(MatDestroy(&A[k]));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Every row has as many entries, each time in other columns: with new values, with those of before after another assembly, at once */
static PetscErrorCode CheckColumns(void)
{
  const PetscInt n = 5;
  Mat            A[2];
  PetscInt      *col;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n * N, &col));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreate(PETSC_COMM_SELF, &A[k]));
    PetscCall(MatSetSizes(A[k], N, N, N, N));
    PetscCall(MatSetType(A[k], k ? MATAIJ : MATAUTOCSR));
    PetscCall(MatSeqAIJSetPreallocation(A[k], n, NULL));
  }
  for (PetscInt t = 0; t < 7; t++) {
    char context[128];

    for (PetscInt q = 0; q < n * N; q++) col[q] = (q / n * (t + 1)) % (N / n) + q % n * (N / n);
    for (int k = 0; k < 2; k++) {
      PetscCall(MatSeqAIJSetColumnIndices(A[k], col));
      for (PetscInt q = 0; q < n * N && t < 3; q++) PetscCall(MatSetValue(A[k], q / n, col[q], RandomScalar(q, t), INSERT_VALUES));
      if (t > 4) continue;
      PetscCall(MatAssemblyBegin(A[k], MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(A[k], MAT_FINAL_ASSEMBLY));
    }
    PetscCall(PetscSNPrintf(context, sizeof(context), "MatSeqAIJSetColumnIndices(), time %" PetscInt_FMT, t));
    PetscCall(Check(A[0], A[1], context));
  }
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscCall(PetscFree(col));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* No row, and no column */
static PetscErrorCode CheckNothing(void)
{
  Mat A, S;
  IS  none, all;

  PetscFunctionBeginUser;
  PetscCall(BandCreate(MATAUTOCSR, &A));
  PetscCall(IndicesCreate(0, 0, PETSC_FALSE, &none));
  PetscCall(IndicesCreate(0, N, PETSC_FALSE, &all));
  for (int k = 0; k < 3; k++) {
    PetscCall(MatCreateSubMatrix(A, k == 1 ? all : none, k == 2 ? all : none, MAT_INITIAL_MATRIX, &S));
    PetscCall(MatCreateSubMatrix(A, k == 1 ? all : none, k == 2 ? all : none, MAT_REUSE_MATRIX, &S));
    PetscCall(MatDestroy(&S));
  }
  PetscCall(ISDestroy(&none));
  PetscCall(ISDestroy(&all));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* All values anew, in rows of the same lengths that are said to be sorted and whole: each other one goes `shift` columns further */
static PetscErrorCode FillAgain(Mat A, PetscInt shift)
{
  PetscBool assembled;

  PetscFunctionBeginUser;
  PetscCall(MatAssembled(A, &assembled));
  if (assembled) PetscCall(MatResetPreallocation(A));
  PetscCall(MatSetOption(A, MAT_SORTED_FULL, PETSC_TRUE));
  for (PetscInt i = 0; i < N; i++) {
    PetscInt    col[BAND];
    PetscScalar val[BAND];

    for (PetscInt t = 0; t < BAND; t++) {
      col[t] = (i % 2 ? shift : 0) + 7 * t + i % (N / 2);
      val[t] = RandomScalar(i, t);
    }
    PetscCall(MatSetValues(A, 1, &i, BAND, col, val, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckReset(void)
{
  Mat A[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreate(PETSC_COMM_SELF, &A[k]));
    PetscCall(MatSetSizes(A[k], N, N, N, N));
    PetscCall(MatSetType(A[k], k ? MATSEQAUTOCSR : MATSEQAIJ));
    PetscCall(MatSeqAIJSetPreallocation(A[k], BAND + 1, NULL)); /* of full rows PETSc 3.26 keeps the columns */
  }
  for (PetscInt shift = 0; shift < 3; shift++) {
    for (int k = 0; k < 2; k++) PetscCall(FillAgain(A[k], shift));
    PetscCall(Check(A[1], A[0], "MatResetPreallocation()"));
  }
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(CheckWindow(PETSC_FALSE, PETSC_FALSE, "MatCreateSubMatrix()"));
  PetscCall(CheckWindow(PETSC_FALSE, PETSC_TRUE, "MatCreateSubMatrix() of columns in a row"));
  PetscCall(CheckWindow(PETSC_TRUE, PETSC_FALSE, "MatCreateSubMatrices()"));
  PetscCall(CheckWindow(PETSC_TRUE, PETSC_TRUE, "MatCreateSubMatrices() of columns in a row"));
  PetscCall(CheckColumns());
  PetscCall(CheckNothing());
  PetscCall(CheckReset());
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "New columns are seen\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    args: -mat_autocsr_strategy {{auto sell pattern coltile}} -mat_autocsr_progressive {{0 1}}

  test:
    suffix: cuda
    requires: cuda
    args: -mat_autocsr_strategy {{auto sell pattern}} -vec_type cuda
    output_file: output/replaced_columns_1.out

TEST*/
