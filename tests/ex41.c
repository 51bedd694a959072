static char help[] = "What programs do with AIJ beside its plain use: rows that are not sorted, options before assembly, merged headers, shells, conversions by option.\n\n";

#include <petscautocsr.h>

#define M 300
#if defined(PETSC_USE_REAL_SINGLE)
  #define TOLERANCE 1e-5
#else
  #define TOLERANCE 1e-13
#endif
#if PETSC_VERSION_GE(3, 24, 0)
  #define CTX_DESTROY(f) (PetscCtxDestroyFn *)(f)
#else
  #define CTX_DESTROY(f) (f)
#endif

/* ---- Rows whose columns lie in any order, and come twice */

typedef struct {
  PetscInt     row_ptr[M + 1], col[12 * M];
  PetscScalar  val[12 * M];
  PetscScalar *x, *y, *yt; /* A x and A^T x */
  PetscScalar  diagonal[M];
  PetscReal   *bound, *bound_t;
} Arrays;

static PetscErrorCode ArraysCreate(PetscBool twice, Arrays *a)
{
  PetscRandom random;
  PetscReal   r;

  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscCalloc5(M, &a->x, M, &a->y, M, &a->yt, M, &a->bound, M, &a->bound_t));
  a->row_ptr[0] = 0;
  for (PetscInt i = 0; i < M; i++) {
    PetscInt q = a->row_ptr[i];

    PetscCall(PetscRandomGetValueReal(random, &r));
    a->x[i] = r - 0.5;
    for (PetscInt k = 0; k < i % 12; k++) a->col[q++] = (i + 37 * ((k * 5) % 12)) % M; /* distinct, in no order */
    if (twice && i % 12) a->col[q - 1] = a->col[a->row_ptr[i]];
    a->row_ptr[i + 1] = q;
  }
  PetscCall(PetscArrayzero(a->diagonal, M));
  for (PetscInt i = 0; i < M; i++) {
    PetscBool found = PETSC_FALSE;

    for (PetscInt q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++) {
      const PetscInt j = a->col[q];

      PetscCall(PetscRandomGetValueReal(random, &r));
      a->val[q] = 1 + (PetscInt)(4 * r);
      if (j == i && !found) { /* of two the first, as AIJ has it */
        a->diagonal[i] = a->val[q];
        found          = PETSC_TRUE;
      }
      a->y[i] += a->val[q] * a->x[j];
      a->yt[j] += a->val[q] * a->x[i];
      a->bound[i] += PetscAbsScalar(a->val[q] * a->x[j]);
      a->bound_t[j] += PetscAbsScalar(a->val[q] * a->x[i]);
    }
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ArraysDestroy(Arrays *a)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree5(a->x, a->y, a->yt, a->bound, a->bound_t));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* PETSc's binary form, as other programs write it */
static PetscErrorCode ArraysWrite(const Arrays *a, const char file[])
{
  const PetscInt header[] = {MAT_FILE_CLASSID, M, M, a->row_ptr[M]};
  PetscInt       length[M];
  PetscViewer    viewer;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < M; i++) length[i] = a->row_ptr[i + 1] - a->row_ptr[i];
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file, FILE_MODE_WRITE, &viewer));
  PetscCall(PetscViewerBinaryWrite(viewer, header, 4, PETSC_INT));
  PetscCall(PetscViewerBinaryWrite(viewer, length, M, PETSC_INT));
  PetscCall(PetscViewerBinaryWrite(viewer, a->col, a->row_ptr[M], PETSC_INT));
  PetscCall(PetscViewerBinaryWrite(viewer, a->val, a->row_ptr[M], PETSC_SCALAR));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckVector(Vec y, const PetscScalar expected[], const PetscReal bound[], const char what[])
{
  const PetscScalar *values;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(y, &values));
  for (PetscInt i = 0; i < M; i++) PetscCheck(PetscAbsScalar(values[i] - expected[i]) <= TOLERANCE * bound[i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: entry %" PetscInt_FMT " is %g, not %g", what, i, (double)PetscRealPart(values[i]), (double)PetscRealPart(expected[i]));
  PetscCall(VecRestoreArrayRead(y, &values));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckUnsorted(const char strategy[], MatAutoCSRRigor rigor, PetscBool progressive, const Arrays *a, const char file[])
{
  const char *const in_place[] = {"csr", "csr-vector", "csr-adaptive", "light", "pcsr", "merge", "binned", "rowbins", "segsum", "none"};
  Mat               A;
  Vec               x, y;
  PetscScalar      *values;
  PetscViewer       viewer;
  MatAutoCSRInfo    info;
  PetscBool         known = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetType(A, MATAUTOCSR));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file, FILE_MODE_READ, &viewer));
  PetscCall(MatLoad(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatAutoCSRSetStrategy(A, strategy));
  PetscCall(MatAutoCSRSetRigor(A, rigor));
  PetscCall(MatAutoCSRSetProgressive(A, progressive));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecGetArray(x, &values));
  PetscCall(PetscArraycpy(values, a->x, M));
  PetscCall(VecRestoreArray(x, &values));
  for (int k = 0; k < 300; k++) PetscCall(MatMult(A, x, y)); /* past all steps of planning */
  PetscCall(CheckVector(y, a->y, a->bound, strategy));
  PetscCall(MatMultTranspose(A, x, y));
  PetscCall(CheckVector(y, a->yt, a->bound_t, strategy));
  PetscCall(MatGetDiagonal(A, y));
  PetscCall(CheckVector(y, a->diagonal, a->bound, "the diagonal"));
  PetscCall(MatAutoCSRGetInfo(A, &info));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(in_place); k++) known = (PetscBool)(known || !strcmp(info.strategy, in_place[k]) || !strncmp(info.strategy, "cusparse-alg", 12));
  PetscCheck(known, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s became %s", strategy, info.strategy);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode TestUnsorted(void)
{
  const char *const strategies[] = {"auto", "csr", "csr-adaptive", "merge", "binned", "rowbins", "segsum", "sell", "sellp", "ell", "pattern", "symmetric", "block", "coltile", "propagate"};
  const char        file[]       = "ex41.bin";
  Arrays            a;

  PetscFunctionBeginUser;
  for (int twice = 0; twice < 2; twice++) {
    PetscCall(ArraysCreate((PetscBool)twice, &a));
    PetscCall(ArraysWrite(&a, file));
    for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(strategies); s++) PetscCall(CheckUnsorted(strategies[s], MAT_AUTOCSR_RIGOR_ESTIMATE, PETSC_FALSE, &a, file));
    PetscCall(CheckUnsorted("auto", MAT_AUTOCSR_RIGOR_ESTIMATE, PETSC_TRUE, &a, file));
    PetscCall(CheckUnsorted("auto", MAT_AUTOCSR_RIGOR_MEASURE, PETSC_FALSE, &a, file));
    PetscCall(CheckUnsorted("auto", MAT_AUTOCSR_RIGOR_NONE, PETSC_FALSE, &a, file));
    PetscCall(ArraysDestroy(&a));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- A tridiagonal matrix, or one of five diagonals */

static PetscErrorCode Create(PetscInt reach, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateAutoCSR(PETSC_COMM_SELF, M, M, M, M, 2 * reach + 1, NULL, 0, NULL, A));
  for (PetscInt i = 0; i < M; i++) {
    for (PetscInt j = PetscMax(i - reach, 0); j <= PetscMin(i + reach, M - 1); j++) PetscCall(MatSetValue(*A, i, j, (PetscScalar)(1 + (i + j) % 3), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Multiply(Mat A, PetscReal *norm)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_1, norm));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Values by columns, given to a copy of a matrix that has none yet; on a device the copy forgets that they are (AutoCSRDuplicateHash()) */
static PetscErrorCode TestDuplicate(void)
{
  const PetscInt    rows[] = {2, 5}, cols[] = {2, 5};
  const PetscScalar values[] = {1, 2, 3, 4};
  PetscScalar       there;
  Mat               A, B;
  VecType           type;
  PetscBool         device;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, M, M, M, M));
  PetscCall(MatSetType(A, MATAUTOCSR));
  PetscCall(MatSetUp(A));
  PetscCall(MatSetOption(A, MAT_ROW_ORIENTED, PETSC_FALSE));
  PetscCall(MatGetVecType(A, &type));
  PetscCall(PetscStrbeginswith(type, "seqcuda", &device));
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &B));
  PetscCall(MatAutoCSRSetStrategy(B, "sell"));
  PetscCall(MatSetValues(B, 2, rows, 2, cols, values, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetValue(B, 5, 2, &there));
  PetscCheck(device || there == (PetscScalar)2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Entry (5, 2) is %g, not 2", (double)PetscRealPart(there));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* MatAXPY() of another pattern merges headers: other matrices keep their plans, each of the merged its settings */
static PetscErrorCode TestMerge(void)
{
  Mat            J, X, Y[3];
  MatAutoCSRInfo before, after;
  PetscReal      norm, twice;
  const char    *strategies[] = {"csr", "segsum", "sell"};

  PetscFunctionBeginUser;
  PetscCall(Create(1, &J));
  PetscCall(Create(2, &X));
  PetscCall(MatAutoCSRSetStrategy(J, "sell"));
  PetscCall(Multiply(J, &norm));
  PetscCall(MatAutoCSRGetInfo(J, &before));
  for (int k = 0; k < 3; k++) {
    PetscCall(Create(1, &Y[k]));
    PetscCall(MatAutoCSRSetStrategy(Y[k], strategies[k]));
    PetscCall(Multiply(Y[k], &norm));
  }
  for (int k = 0; k < 3; k++) PetscCall(MatAXPY(Y[k], 1, X, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatScale(J, 2));
  PetscCall(Multiply(J, &twice));
  PetscCheck(PetscAbsReal(twice - 2 * norm) <= TOLERANCE * twice, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The sum is %g, not twice %g", (double)twice, (double)norm);
  PetscCall(MatAutoCSRGetInfo(J, &after));
  PetscCheck(after.plans == before.plans && after.refreshes == before.refreshes + 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Planned %" PetscInt_FMT " times, refreshed %" PetscInt_FMT " times, since others were merged", after.plans - before.plans, after.refreshes - before.refreshes);
  for (int k = 0; k < 3; k++) {
    PetscCall(Multiply(Y[k], &norm));
    PetscCall(MatAutoCSRGetInfo(Y[k], &after));
    PetscCheck(!strcmp(after.strategy, strategies[k]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s has become %s", strategies[k], after.strategy);
    PetscCall(MatDestroy(&Y[k]));
  }
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- A shell that multiplies MATAIJ: twice B */

static PetscErrorCode ShellSymbolic(Mat S, Mat B, Mat C, void **data)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetType(C, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocation(C, 3, NULL));
  for (PetscInt i = 0; i < M; i++) {
    const PetscInt    *cols;
    const PetscScalar *values;
    PetscInt           n;

    PetscCall(MatGetRow(B, i, &n, &cols, &values));
    PetscCall(MatSetValues(C, 1, &i, n, cols, values, INSERT_VALUES));
    PetscCall(MatRestoreRow(B, i, &n, &cols, &values));
  }
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  *data = NULL;
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ShellNumeric(Mat S, Mat B, Mat C, void *data)
{
  PetscFunctionBeginUser;
  PetscCall(MatCopy(B, C, SAME_NONZERO_PATTERN));
  PetscCall(MatScale(C, 2));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ShellDestroy(void *data)
{
  return (PetscErrorCode)0;
}

static PetscErrorCode TestShell(void)
{
  Mat       S, B, C;
  PetscReal norm, twice;

  PetscFunctionBeginUser;
  PetscCall(Create(1, &B));
  PetscCall(Multiply(B, &norm));
  PetscCall(MatCreateShell(PETSC_COMM_SELF, M, M, M, M, NULL, &S));
  PetscCall(MatShellSetMatProductOperation(S, MATPRODUCT_AB, ShellSymbolic, ShellNumeric, CTX_DESTROY(ShellDestroy), MATAIJ, MATAIJ));
  PetscCall(MatMatMult(S, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  for (int k = 0; k < 2; k++) {
    PetscCall(Multiply(C, &twice));
    PetscCheck(PetscAbsReal(twice - 2 * norm) <= TOLERANCE * twice, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The sum is %g, not twice %g", (double)twice, (double)norm);
    PetscCall(MatScale(B, 3));
    norm *= 3;
    PetscCall(MatMatMult(S, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
  }
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&S));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* With -matconvert_type autocsr, whatever is asked for */
static PetscErrorCode TestConvert(void)
{
  Mat       D, A;
  PetscBool same, equal;

  PetscFunctionBeginUser;
  PetscCall(MatCreateDense(PETSC_COMM_SELF, 20, 20, 20, 20, NULL, &D));
  for (PetscInt i = 0; i < 20; i++) PetscCall(MatSetValue(D, i, (7 * i) % 20, (PetscScalar)(i + 1), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(D, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(D, MAT_FINAL_ASSEMBLY));
  PetscCall(MatConvert(D, MATAIJ, MAT_INITIAL_MATRIX, &A));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAUTOCSR, &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "It has not become ours");
  PetscCall(MatMultEqual(A, D, 3, &equal));
  PetscCheck(equal, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The products differ");
  PetscCall(MatDestroy(&A));
  PetscCall(MatConvert(D, MATAIJ, MAT_INPLACE_MATRIX, &D));
  PetscCall(PetscObjectTypeCompare((PetscObject)D, MATSEQAUTOCSR, &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "It has not become ours in place");
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    PetscErrorCode (*run)(void);
  } tests[] = {
      {"unsorted", TestUnsorted},
      {"duplicate", TestDuplicate},
      {"merge", TestMerge},
      {"shell", TestShell},
      {"convert", TestConvert},
  };
  char      name[32] = "";
  PetscBool known    = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-test", name, sizeof(name), NULL));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(tests); t++) {
    if (strcmp(name, tests[t].name)) continue;
    PetscCall((*tests[t].run)());
    known = PETSC_TRUE;
  }
  PetscCheck(known, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "-test %s is not known", name);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "As with AIJ\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    args: -test {{unsorted duplicate merge shell}}
    output_file: output/ex41_1.out

  test:
    suffix: convert
    args: -test convert -matconvert_type autocsr
    output_file: output/ex41_1.out

TEST*/
