static char help[] = "What PETSc changes or reads of a matrix where its values lie on the host, with those of a device ahead: a matrix read into another's place, diagonals that are not stored, zeros taken out, relaxation and factors by inodes, sums of matrices most of whose rows are empty. And large matrices, which the library brings to a device itself.\n\n";

#include <petscautocsr.h>
#include "../compare.h"

#define N 400

/* Of each `step` rows one has entries: pairs of them have the same columns; the diagonal is in none but with `diagonal` */
static PetscErrorCode Create(MatType type, PetscInt step, PetscInt length, PetscBool diagonal, PetscInt seed, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, N, N, N, N));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, length + 1, NULL));
  PetscCall(MatSetOption(*A, MAT_USE_INODES, PETSC_TRUE)); /* AIJCUSPARSE's are without */
  for (PetscInt i = 0; i < N; i += step) {
    for (PetscInt k = 0; k < length; k++) {
      const PetscInt j = (i / 2 * 2 + 7 * k + 3) % N;

      if (diagonal || j != i) PetscCall(MatSetValue(*A, i, j, Random(i, k + seed, 5) ? RandomScalar(i, k + seed) : 0, INSERT_VALUES));
    }
    if (diagonal) PetscCall(MatSetValue(*A, i, i, 2 * length + RandomScalar(i, i), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Values that a device has before the host */
static PetscErrorCode Advance(Mat A)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatMult(A, x, y));
    PetscCall(MatScale(A, -2));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CreatePair(PetscInt step, PetscInt length, PetscBool diagonal, Mat A[2])
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(Create(k ? MATAIJ : MATAUTOCSR, step, length, diagonal, 0, &A[k]));
    PetscCall(Advance(A[k]));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The first is ours, the second plain AIJ */
static PetscErrorCode CheckPair(Mat A[2], const char context[])
{
  PetscBool progressive = PETSC_TRUE;
  Reference r;

  PetscFunctionBeginUser;
  PetscCall(ReferenceCreate(A[1], &r));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-mat_autocsr_progressive", &progressive, NULL));
  PetscCall(CompareProducts(&r, !progressive, A, context)); /* a plan that comes between two products may add in another order */
  PetscCall(ReferenceDestroy(&r));
  PetscCall(MatDestroy(&A[0]));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckLoad(void)
{
  PetscViewer viewer;
  Mat         A[2];

  PetscFunctionBeginUser;
  for (PetscInt length = 5; length < 7; length++) { /* with as many entries as before, with others */
    PetscCall(CreatePair(1, length, PETSC_TRUE, A));
    PetscCall(MatDestroy(&A[1]));
    PetscCall(Create(MATAIJ, 1, 5, PETSC_TRUE, 1, &A[1]));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, "host_values.bin", FILE_MODE_WRITE, &viewer));
    PetscCall(MatView(A[1], viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, "host_values.bin", FILE_MODE_READ, &viewer));
    PetscCall(MatLoad(A[0], viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(CheckPair(A, "MatLoad() in another's place"));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckShift(void)
{
  Mat A[2];

  PetscFunctionBeginUser;
  PetscCall(CreatePair(1, 5, PETSC_FALSE, A));
  for (int k = 0; k < 2; k++) PetscCall(MatShift(A[k], 3));
  PetscCall(CheckPair(A, "MatShift() of a diagonal that is not stored"));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckFilter(void)
{
#if PETSC_VERSION_GE(3, 20, 0)
  Mat A[2];

  PetscFunctionBeginUser;
  PetscCall(CreatePair(1, 5, PETSC_TRUE, A));
  for (int k = 0; k < 2; k++) PetscCall(MatFilter(A[k], 1, PETSC_TRUE, PETSC_FALSE));
  PetscCall(CheckPair(A, "MatFilter() that takes zeros out"));
  PetscFunctionReturn((PetscErrorCode)0);
#else
  return (PetscErrorCode)0;
#endif
}

/* x of either: by relaxation, or by a factor */
static PetscErrorCode SolveRoughly(Mat A, PetscBool factor, Vec b, Vec x)
{
  Mat           F;
  MatFactorInfo info;
  IS            row, col;

  PetscFunctionBeginUser;
  if (!factor) {
    PetscCall(MatSOR(A, b, 1, (MatSORType)(SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 2, 1, x));
    PetscFunctionReturn((PetscErrorCode)0);
  }
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &row, &col));
  PetscCall(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_LU, &F));
  PetscCall(MatLUFactorSymbolic(F, A, row, col, &info));
  PetscCall(MatLUFactorNumeric(F, A, &info));
  PetscCall(MatSolve(F, b, x));
  PetscCall(MatDestroy(&F));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckInodes(PetscBool factor, const char context[])
{
  Mat       A[2];
  Vec       b, x[2];
  PetscReal norm, difference;

  PetscFunctionBeginUser;
  PetscCall(CreatePair(1, 5, PETSC_TRUE, A));
  PetscCall(MatCreateVecs(A[1], &x[1], &b));
  PetscCall(VecSetScattered(b, 1));
  PetscCall(VecDuplicate(x[1], &x[0]));
  for (int k = 0; k < 2; k++) PetscCall(SolveRoughly(A[k], factor, b, x[k]));
  PetscCall(VecNorm(x[1], NORM_2, &norm));
  PetscCall(VecAXPY(x[0], -1, x[1]));
  PetscCall(VecNorm(x[0], NORM_2, &difference));
  PetscCheck(difference <= 100 * PETSC_MACHINE_EPSILON * norm, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: another result, by %g of %g", context, (double)difference, (double)norm);
  PetscCall(VecDestroy(&b));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&x[k]));
    PetscCall(MatDestroy(&A[k]));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Most rows are empty of the one, of the other, of both */
static PetscErrorCode CheckSum(void)
{
  const PetscInt steps[][2] = {{1, 7}, {7, 7}, {1, 1}};

  PetscFunctionBeginUser;
  for (int t = 0; t < (int)PETSC_STATIC_ARRAY_LENGTH(steps); t++) {
    Mat Y[2], X[2];

    PetscCall(CreatePair(steps[t][0], 5, PETSC_TRUE, Y));
    PetscCall(CreatePair(steps[t][1], 3, PETSC_TRUE, X));
    for (int k = 0; k < 2; k++) {
      PetscCall(MatAXPY(Y[k], 0.5, X[k], SUBSET_NONZERO_PATTERN));
      PetscCall(MatDestroy(&X[k]));
    }
    PetscCall(CheckPair(Y, "MatAXPY() of a subset"));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Rows of `length` entries, and a last one of those that are left */
static PetscErrorCode CreateLarge(MatType type, PetscInt nnz, PetscInt length, Mat *A)
{
  const PetscInt n = nnz / length + 1;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, length, NULL));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = 0; k < PetscMin(length, nnz - i * length); k++) PetscCall(MatSetValue(*A, i, (i + 31 * k) % n, RandomScalar(i, k), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Overwrite(Mat A, PetscInt nnz, PetscInt seed)
{
  PetscScalar *val;

  PetscFunctionBeginUser;
  PetscCall(MatSeqAIJGetArray(A, &val));
  for (PetscInt k = 0; k < nnz; k++) val[k] = RandomScalar(seed, k);
  PetscCall(MatSeqAIJRestoreArray(A, &val));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckLarge(Reference *r, Mat B, const char context[])
{
  PetscFunctionBeginUser;
  PetscCall(ReferenceUpdate(r));
  PetscCall(CompareProducts(r, 0, &B, context));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The values are others as soon as a product has returned */
static PetscErrorCode CheckOverwritten(Reference *r, Mat B, PetscInt nnz)
{
  PetscFunctionBeginUser;
  for (PetscInt turn = 0; turn < 3; turn++) {
    for (int k = 0; k < 2; k++) PetscCall(Overwrite(k ? B : r->A, nnz, 2 * turn));
    PetscCall(MatMult(B, r->x[RIGHT], r->y[LEFT]));
    PetscCall(Overwrite(B, nnz, 2 * turn + 1));
    PetscCall(ReferenceUpdate(r));
    PetscCall(MatMult(r->A, r->x[RIGHT], r->ref[LEFT]));
    PetscCall(MatMult(r->abs, r->abs_x[RIGHT], r->bound[LEFT]));
    PetscCall(CompareVectors(r, &products[0], r->y[LEFT], "values that were there at the product"));
    PetscCall(Overwrite(r->A, nnz, 2 * turn + 1));
    PetscCall(CheckLarge(r, B, "values of after the product"));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckBound(Reference *r, Mat B, PetscInt nnz)
{
  PetscFunctionBeginUser;
  for (PetscInt turn = 0; turn < 2; turn++) { /* with products between, and without */
    PetscCall(MatBindToCPU(B, PETSC_TRUE));
    if (turn) PetscCall(CheckLarge(r, B, "bound to the CPU"));
    for (int k = 0; k < 2; k++) PetscCall(Overwrite(k ? B : r->A, nnz, 10 + turn));
    if (turn) PetscCall(CheckLarge(r, B, "overwritten while bound to the CPU"));
    PetscCall(MatBindToCPU(B, PETSC_FALSE));
    PetscCall(CheckLarge(r, B, "bound to the CPU no more"));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckDiagonal(Reference *r, Mat B)
{
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatGetDiagonal(r->A, r->ref[LEFT]));
  PetscCall(MatGetDiagonal(B, r->y[LEFT]));
  PetscCall(VecEqual(r->ref[LEFT], r->y[LEFT], &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The diagonal is another");
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The parent has arrays of its own on the device, which it writes, or to which it keeps pointers */
static PetscErrorCode CheckOfParent(Reference *r, Mat B, PetscInt nnz)
{
  Mat C;

  PetscFunctionBeginUser;
  for (PetscInt turn = 0; turn < 2; turn++) {
    for (int k = 0; k < 2; k++) PetscCall(MatScale(k ? B : r->A, -2));
    PetscCall(CheckLarge(r, B, "MatScale()"));
    for (int k = 0; k < 2; k++) PetscCall(Overwrite(k ? B : r->A, nnz, 20 + turn));
    PetscCall(CheckLarge(r, B, "overwritten after MatScale()"));
  }
  PetscCall(MatMatMult(B, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(CheckLarge(r, B, "an operand"));
  for (int k = 0; k < 2; k++) PetscCall(Overwrite(k ? B : r->A, nnz, 30));
  PetscCall(CheckLarge(r, B, "an operand that was overwritten"));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* How often the library has brought arrays to a device */
static PetscErrorCode Uploads(PetscInt *count)
{
  PetscLogEvent      event;
  PetscEventPerfInfo info;

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventGetId("AutoCSRUpload", &event));
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
  *count = info.count;
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The same matrix as plain AIJ, in the reference, and as autocsr, after its first product; device: where that was made */
static PetscErrorCode LargeCreate(PetscInt nnz, PetscInt length, const char strategy[], Reference *r, Mat *B, PetscBool *device)
{
  MatAutoCSRInfo info;
  Mat            A;

  PetscFunctionBeginUser;
  PetscCall(CreateLarge(MATAIJ, nnz, length, &A));
  PetscCall(CreateLarge(MATAUTOCSR, nnz, length, B));
  PetscCall(MatAutoCSRSetStrategy(*B, strategy));
  PetscCall(ReferenceCreate(A, r));
  PetscCall(CheckLarge(r, *B, "a large matrix"));
  PetscCall(MatAutoCSRGetInfo(*B, &info));
  PetscCall(PetscStrcmp(info.backend, "cuda", device));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode LargeDestroy(Reference *r, Mat *B)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(B));
  PetscCall(ReferenceDestroy(r));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckUpload(PetscInt nnz)
{
  Reference r;
  Mat       B;
  PetscInt  before, first, later, renewed;
  PetscBool device;

  PetscFunctionBeginUser;
  PetscCall(Uploads(&before));
  PetscCall(LargeCreate(nnz, 8, "auto", &r, &B, &device));
  PetscCall(Uploads(&first));
  PetscCall(CheckDiagonal(&r, B));
  PetscCall(CheckLarge(&r, B, "a large matrix again"));
  PetscCall(Uploads(&later));
  for (int k = 0; k < 2; k++) PetscCall(Overwrite(k ? B : r.A, nnz, 40));
  PetscCall(CheckDiagonal(&r, B));
  PetscCall(CheckLarge(&r, B, "new values, after their diagonal"));
  PetscCall(Uploads(&renewed));
  PetscCheck(first - before == device && later == first && renewed - later == device, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Arrays were brought to a device %" PetscInt_FMT ", %" PetscInt_FMT " and %" PetscInt_FMT " times", first - before, later - first, renewed - later);
  PetscCall(CheckOverwritten(&r, B, nnz));
  PetscCall(CheckBound(&r, B, nnz));
  PetscCall(CheckDiagonal(&r, B));
  PetscCall(CheckOfParent(&r, B, nnz));
  PetscCall(LargeDestroy(&r, &B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Memory that the library has just given back gets other values */
static PetscErrorCode Scribble(PetscInt nnz, PetscInt length)
{
  Mat C;
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(CreateLarge(MATAUTOCSR, nnz, length, &C));
  PetscCall(Overwrite(C, nnz, 50));
  PetscCall(MatCreateVecs(C, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(C, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode GetDiagonalThere(Mat B)
{
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(B, NULL, &d));
  PetscCall(MatGetDiagonal(B, d));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The parent makes arrays of its own on the device, and the matrix stays the same */
static PetscErrorCode CheckCopied(PetscInt nnz)
{
  Reference r;
  Mat       B, Y;
  PetscBool device;

  PetscFunctionBeginUser;
  PetscCall(LargeCreate(nnz, 8, "csr", &r, &B, &device)); /* csr reads the arrays in each product */
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &Y));
  PetscCall(MatAXPY(Y, 2, B, SAME_NONZERO_PATTERN));
  PetscCall(MatDestroy(&Y));
  PetscCall(GetDiagonalThere(B));
  PetscCall(Scribble(nnz, 8));
  PetscCall(CheckLarge(&r, B, "a matrix that was added"));
  PetscCall(LargeDestroy(&r, &B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A kernel for small matrices reads the arrays, and the library brings new values still */
static PetscErrorCode CheckResidual(PetscInt nnz, PetscInt length)
{
  Reference r;
  Mat       B;
  Vec       b, x, y;
  PetscInt  before, after;
  PetscBool device;

  PetscFunctionBeginUser;
  PetscCall(LargeCreate(nnz, length, "csr", &r, &B, &device));
  PetscCall(MatCreateVecs(B, &x, &b));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(VecSet(b, 2));
  PetscCall(MatResidual(B, b, x, y));
  PetscCall(GetDiagonalThere(B));
  PetscCall(Scribble(nnz, length));
  PetscCall(CheckLarge(&r, B, "a matrix whose residual was taken"));
  for (int k = 0; k < 2; k++) PetscCall(Overwrite(k ? B : r.A, nnz, 60));
  PetscCall(Uploads(&before));
  PetscCall(MatResidual(B, b, x, y));
  PetscCall(CheckLarge(&r, B, "new values after a residual"));
  PetscCall(Uploads(&after));
  PetscCheck(after - before == device, PETSC_COMM_SELF, PETSC_ERR_PLIB, "New values after a residual were brought to a device %" PetscInt_FMT " times", after - before);
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(LargeDestroy(&r, &B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Values that are written after a product of the matrix that is open for it. On a device their mask tells of them */
static PetscErrorCode CheckWritten(PetscInt nnz)
{
  Reference    r;
  Mat          B, C;
  PetscScalar *val;
  PetscBool    device;

  PetscFunctionBeginUser;
  PetscCall(LargeCreate(nnz, 8, "sell", &r, &B, &device)); /* sell has values of its own */
  for (PetscInt turn = 0; turn < 2 && device; turn++) { /* the diagonal is asked for, or the matrix becomes an operand */
    PetscCall(MatSeqAIJGetArrayWrite(B, &val));
    PetscCall(MatMult(B, r.x[RIGHT], r.y[LEFT]));
    for (PetscInt k = 0; k < nnz; k++) val[k] = RandomScalar(70 + turn, k);
    PetscCall(MatSeqAIJRestoreArrayWrite(B, &val));
    PetscCall(Overwrite(r.A, nnz, 70 + turn));
    if (turn) {
      PetscCall(MatMatMult(B, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
      PetscCall(MatDestroy(&C));
    } else
      PetscCall(GetDiagonalThere(B));
    PetscCall(CheckLarge(&r, B, "written after a product"));
  }
  PetscCall(LargeDestroy(&r, &B));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  const PetscInt piece = (1 << 20) / (PetscInt)sizeof(PetscScalar); /* values that are sent at once */

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(CheckLoad());
  PetscCall(CheckShift());
  PetscCall(CheckFilter());
  PetscCall(CheckInodes(PETSC_FALSE, "MatSOR()"));
  PetscCall(CheckInodes(PETSC_TRUE, "MatLUFactor()"));
  PetscCall(CheckSum());
  PetscCall(PetscLogDefaultBegin());
  for (PetscInt k = -1; k < 2; k++) PetscCall(CheckUpload(3 * piece + k));
  PetscCall(CheckCopied(3 * piece));
  PetscCall(CheckResidual(300000, 20));
  PetscCall(CheckWritten(3 * piece));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Values on the host are the matrix's\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    args: -mat_autocsr_progressive {{0 1}}

  test:
    suffix: cuda
    requires: cuda
    args: -vec_type cuda
    output_file: output/host_values_1.out

TEST*/
