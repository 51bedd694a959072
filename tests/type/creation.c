static char help[] = "How an autocsr matrix comes to be and what is made of it, beside plain AIJ: creation, conversion, duplicates, submatrices, products.\n\
  -each_strategy : by each strategy in turn\n\n";

#include <petscautocsr.h>
#include "../ways.h"

#define N 60

static Vec x, z, y[2];

static PetscErrorCode IsOurs(Mat A, PetscBool *ours)
{
  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, ours, MATSEQAUTOCSR, MATMPIAUTOCSR, ""));
  PetscFunctionReturn(0);
}

/* y[0] from A, y[1] from R; the scale of what was added up is near 10 */
static PetscErrorCode Differ(PetscReal *worst)
{
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecAXPY(y[0], -1., y[1]));
  PetscCall(VecNorm(y[0], NORM_INFINITY, &norm));
  *worst = PetscIsInfOrNanReal(norm) ? PETSC_MAX_REAL : PetscMax(*worst, norm);
  PetscFunctionReturn(0);
}

/* All products of A against those of R; A shall be of the type autocsr or not as said */
static PetscErrorCode Compare(const char what[], Mat A, Mat R, PetscBool shall)
{
  Mat       M[2]  = {A, R};
  PetscReal worst = 0, scale;
  PetscBool ours;
  MatType   type;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type));
  PetscCall(IsOurs(A, &ours));
  PetscCall(MatNorm(R, NORM_INFINITY, &scale));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatMult(M[k], x, y[k]));
  PetscCall(Differ(&worst));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatMultAdd(M[k], x, z, y[k]));
  PetscCall(Differ(&worst));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(VecCopy(z, y[k]));
    PetscCall(MatMultAdd(M[k], x, y[k], y[k]));
  }
  PetscCall(Differ(&worst));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatMultTranspose(M[k], x, y[k]));
  PetscCall(Differ(&worst));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatMultTransposeAdd(M[k], x, z, y[k]));
  PetscCall(Differ(&worst));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatMultHermitianTranspose(M[k], x, y[k]));
  PetscCall(Differ(&worst));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatMultHermitianTransposeAdd(M[k], x, z, y[k]));
  PetscCall(Differ(&worst));
  if (ours == shall && worst <= 1000 * PETSC_MACHINE_EPSILON * PetscMax(scale, 1.))
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: ok\n", what));
  else
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: FAILED, type %s, differs by %g\n", what, type, (double)worst));
  PetscFunctionReturn(0);
}

static PetscErrorCode Fill(Mat A)
{
  PetscInt rstart, rend;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &rstart, &rend));
  for (PetscInt i = rstart; i < rend; i++) {
    const PetscInt    col[5] = {i, (i + 1) % N, (i + N - 1) % N, (7 * i + 3) % N, (i * i) % N};
    const PetscScalar val[5] = {4., -1., -1., 0.1 * (i % 7) + PetscDefined(USE_COMPLEX) * 0.3 * PETSC_i, 0.25};

    PetscCall(MatSetValues(A, 1, &i, i % 3 ? 3 : 5, col, val, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode Create(MatType type, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 6, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 6, NULL, 5, NULL));
  PetscCall(Fill(*A));
  PetscFunctionReturn(0);
}

static PetscErrorCode TestCreate(Mat R)
{
  Mat          A, B;
  PetscInt     rstart, rend, *i, *j, n = 0;
  PetscScalar *v;
  PetscViewer  viewer;

  PetscFunctionBeginUser;
  /* without preallocation */
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetType(A, MATAUTOCSR));
  PetscCall(MatSetUp(A));
#if PETSC_VERSION_GE(3, 19, 0)
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &B));
  PetscCall(Fill(B));
#endif
  PetscCall(Fill(A));
  PetscCall(Compare("without preallocation", A, R, PETSC_TRUE));
#if PETSC_VERSION_LT(3, 19, 0) /* what is not preallocated cannot be duplicated */
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
#endif
  PetscCall(Compare("  and its duplicate from before", B, R, PETSC_TRUE));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&A));

  PetscCall(MatGetOwnershipRange(R, &rstart, &rend));
  PetscCall(MatCreateAutoCSR(PETSC_COMM_WORLD, rend - rstart, rend - rstart, N, N, 6, NULL, 5, NULL, &A));
  PetscCall(Fill(A));
  PetscCall(Compare("MatCreateAutoCSR", A, R, PETSC_TRUE));
  PetscCall(MatDestroy(&A));

  /* a parallel type on any number of processes, from arrays */
  PetscCall(PetscMalloc3(rend - rstart + 1, &i, N * N, &j, N * N, &v));
  i[0] = 0;
  for (PetscInt row = rstart; row < rend; row++) {
    const PetscInt    *col;
    const PetscScalar *val;
    PetscInt           nz;

    PetscCall(MatGetRow(R, row, &nz, &col, &val));
    PetscCall(PetscArraycpy(j + n, col, nz));
    PetscCall(PetscArraycpy(v + n, val, nz));
    n += nz;
    i[row - rstart + 1] = n;
    PetscCall(MatRestoreRow(R, row, &nz, &col, &val));
  }
  PetscCall(MatCreateMPIAutoCSRWithArrays(PETSC_COMM_WORLD, rend - rstart, rend - rstart, N, N, i, j, v, &A));
  PetscCall(Compare("MatCreateMPIAutoCSRWithArrays", A, R, PETSC_TRUE));
  PetscCall(MatDestroy(&A));
  if (rend - rstart == N) {
    PetscCall(MatCreateSeqAutoCSRWithArrays(PETSC_COMM_WORLD, N, N, i, j, v, &A));
    PetscCall(Compare("MatCreateSeqAutoCSRWithArrays", A, R, PETSC_TRUE));
    PetscCall(MatDestroy(&A));
  } else
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "MatCreateSeqAutoCSRWithArrays: ok\n"));

  /* coordinates */
  {
    PetscInt *ci, *cj;

    PetscCall(PetscMalloc2(n, &ci, n, &cj));
    for (PetscInt row = rstart; row < rend; row++) {
      for (PetscInt t = i[row - rstart]; t < i[row - rstart + 1]; t++) {
        ci[t] = row;
        cj[t] = j[t];
      }
    }
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, N, N));
    PetscCall(MatSetType(A, MATAUTOCSR));
    PetscCall(MatSetPreallocationCOO(A, n, ci, cj));
    PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
    PetscCall(Compare("COO", A, R, PETSC_TRUE));
    PetscCall(MatScale(A, 2.));
    PetscCall(MatMult(A, x, y[0]));
    PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
    PetscCall(Compare("COO again", A, R, PETSC_TRUE));
    PetscCall(MatDestroy(&A));
    PetscCall(PetscFree2(ci, cj));
  }
  PetscCall(PetscFree3(i, j, v));

  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "creation.bin", FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(R, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "creation.bin", FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetType(A, MATAUTOCSR));
  PetscCall(MatLoad(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(Compare("MatLoad", A, R, PETSC_TRUE));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

static PetscErrorCode TestConvert(Mat A, Mat R)
{
  const MatType types[] = {MATAIJ, MATDENSE, MATBAIJ};
  Mat           B, C;
  char          what[64];

  PetscFunctionBeginUser;
  for (PetscInt t = 0; t < 3; t++) {
    PetscCall(MatConvert(A, types[t], MAT_INITIAL_MATRIX, &B));
    PetscCall(PetscSNPrintf(what, sizeof(what), "to %s", types[t]));
    PetscCall(Compare(what, B, R, PETSC_FALSE));
    PetscCall(MatScale(B, 0.));
    PetscCall(MatConvert(A, types[t], MAT_REUSE_MATRIX, &B));
    PetscCall(PetscSNPrintf(what, sizeof(what), "to %s, reuse", types[t]));
    PetscCall(Compare(what, B, R, PETSC_FALSE));
    PetscCall(Compare("  which leaves the matrix", A, R, PETSC_TRUE));
    PetscCall(MatConvert(B, MATAUTOCSR, MAT_INITIAL_MATRIX, &C));
    PetscCall(PetscSNPrintf(what, sizeof(what), "from %s", types[t]));
    PetscCall(Compare(what, C, R, PETSC_TRUE));
    PetscCall(MatScale(C, 0.5));
    PetscCall(MatMult(C, x, y[0]));
    if (t != 1) { /* a dense matrix has another pattern */
      PetscCall(MatConvert(B, MATAUTOCSR, MAT_REUSE_MATRIX, &C));
      PetscCall(PetscSNPrintf(what, sizeof(what), "from %s, reuse", types[t]));
      PetscCall(Compare(what, C, R, PETSC_TRUE));
    }
    PetscCall(MatDestroy(&C));
    PetscCall(MatConvert(B, MATAUTOCSR, MAT_INPLACE_MATRIX, &B));
    PetscCall(PetscSNPrintf(what, sizeof(what), "from %s, in place", types[t]));
    PetscCall(Compare(what, B, R, PETSC_TRUE));
    PetscCall(MatConvert(B, types[t], MAT_INPLACE_MATRIX, &B));
    PetscCall(PetscSNPrintf(what, sizeof(what), "to %s, in place", types[t]));
    PetscCall(Compare(what, B, R, PETSC_FALSE));
    PetscCall(MatDestroy(&B));
  }
  PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &B));
  PetscCall(MatSetType(B, MATAUTOCSR));
  PetscCall(Compare("MatSetType of an assembled matrix", B, R, PETSC_TRUE));
  PetscCall(MatConvert(B, MATAUTOCSR, MAT_INITIAL_MATRIX, &C));
  PetscCall(Compare("autocsr to autocsr", C, R, PETSC_TRUE));
  PetscCall(MatScale(C, 2.));
  PetscCall(MatConvert(B, MATAIJAUTOCSR, MAT_REUSE_MATRIX, &C));
  PetscCall(Compare("autocsr to aijautocsr, reuse", C, R, PETSC_TRUE));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(0);
}

static PetscErrorCode TestDuplicate(Mat A, Mat R)
{
  Mat            B;
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(MatAutoCSRGetInfo(B, &info));
  if (info.plans) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  planned before the first product\n"));
  PetscCall(Compare("duplicate", B, R, PETSC_TRUE));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &B));
  PetscCall(MatMult(B, x, y[0]));
  PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
  PetscCall(Compare("duplicate without values, then copy", B, R, PETSC_TRUE));
  PetscCall(MatDestroy(&B));
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatScale(A, 2.));
  PetscCall(MatMult(B, x, y[0]));
  PetscCall(MatTranspose(A, MAT_REUSE_MATRIX, &B));
  PetscCall(MatScale(A, 0.5));
  PetscCall(MatScale(B, 0.5));
  PetscCall(MatTranspose(B, MAT_INPLACE_MATRIX, &B));
  PetscCall(Compare("transpose, reuse", B, R, PETSC_TRUE));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(0);
}

/* Values by columns for a copy of a matrix that has none yet; on a device the copy forgets that they are (AutoCSRDuplicateHash()) */
static PetscErrorCode TestDuplicateUnassembled(void)
{
  Mat A, B;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, N, N, N, N));
  PetscCall(MatSetType(A, MATAUTOCSR));
  PetscCall(MatSetUp(A));
  PetscCall(MatSetOption(A, MAT_ROW_ORIENTED, PETSC_FALSE));
  if (PETSC_VERSION_LT(3, 19, 0)) { /* as above */
    PetscCall(PetscObjectReference((PetscObject)A));
    B = A;
  } else
    PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &B));
  {
    const PetscInt    rows[]   = {2, 5};
    const PetscScalar values[] = {1, 2, 3, 4};
    PetscScalar       there;
    VecType           type;
    PetscBool         device;

    PetscCall(MatSetValues(B, 2, rows, 2, rows, values, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatGetValue(B, 5, 2, &there));
    PetscCall(MatGetVecType(B, &type));
    PetscCall(PetscStrendswith(type, "cuda", &device));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "values by columns: %s\n", device || there == (PetscScalar)2 ? "ok" : "FAILED"));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

/* Where the user asks for ours, whatever the program asks for */
static PetscErrorCode TestConvertAsked(Mat R)
{
  Mat D, C;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(R, MATDENSE, MAT_INITIAL_MATRIX, &D));
  PetscCall(PetscOptionsSetValue(NULL, "-matconvert_type", "autocsr"));
  PetscCall(MatConvert(D, MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(Compare("-matconvert_type", C, R, PETSC_TRUE));
  PetscCall(MatDestroy(&C));
  PetscCall(MatConvert(D, MATAIJ, MAT_INPLACE_MATRIX, &D));
  PetscCall(Compare("-matconvert_type, in place", D, R, PETSC_TRUE));
  PetscCall(MatDestroy(&D));
  PetscCall(PetscOptionsClearValue(NULL, "-matconvert_type"));
  PetscFunctionReturn(0);
}

static PetscErrorCode TestSubmatrices(Mat A, Mat R)
{
  Mat      M[2] = {A, R}, S[2], *subs[2];
  IS       is;
  Vec      sx, keep[4] = {x, z, y[0], y[1]};
  PetscInt rstart, rend;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &rstart, &rend));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (rend - rstart + 1) / 2, rstart, 2, &is));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(MatCreateSubMatrix(M[k], is, is, MAT_INITIAL_MATRIX, &S[k]));
    if (!k) PetscCall(MatScale(S[k], 0.));
    PetscCall(MatCreateSubMatrix(M[k], is, is, MAT_REUSE_MATRIX, &S[k]));
  }
  PetscCall(MatCreateVecs(S[1], &x, &y[0]));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(VecDuplicate(y[0], &z));
  PetscCall(VecSet(x, 0.7));
  PetscCall(VecSet(z, -0.3));
  PetscCall(Compare("submatrix", S[0], S[1], PETSC_TRUE));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatDestroy(&S[k]));
  PetscCall(ISDestroy(&is));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&z));
  for (PetscInt k = 0; k < 2; k++) PetscCall(VecDestroy(&y[k]));

  /* sequential submatrices: on each process its own, with values of others */
  PetscCall(ISCreateStride(PETSC_COMM_SELF, N / 2, rstart % 7, 1, &is));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(MatCreateSubMatrices(M[k], 1, &is, &is, MAT_INITIAL_MATRIX, &subs[k]));
    PetscCall(MatCreateSubMatrices(M[k], 1, &is, &is, MAT_REUSE_MATRIX, &subs[k]));
  }
  PetscCall(MatCreateVecs(subs[1][0], &sx, NULL));
  x = sx;
  PetscCall(VecDuplicate(x, &z));
  PetscCall(VecSet(x, 0.7));
  PetscCall(VecSet(z, -0.3));
  for (PetscInt k = 0; k < 2; k++) PetscCall(VecDuplicate(x, &y[k]));
  PetscCall(Compare("sequential submatrices", subs[0][0], subs[1][0], PETSC_TRUE));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatDestroySubMatrices(1, &subs[k]));
  PetscCall(ISDestroy(&is));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&z));
  for (PetscInt k = 0; k < 2; k++) PetscCall(VecDestroy(&y[k]));
  x    = keep[0];
  z    = keep[1];
  y[0] = keep[2];
  y[1] = keep[3];
  PetscFunctionReturn(0);
}

/* Products of two matrices, with plain ones and with dense ones, made and made again */
static PetscErrorCode TestProducts(Mat A, Mat R)
{
  Mat       C, D, dense;
  Vec       v;
  PetscBool device;

  PetscFunctionBeginUser;
#define PRODUCT(what, shall, first, second)    \
  do {                                         \
    PetscCall(first(MAT_INITIAL_MATRIX, &C));  \
    PetscCall(first(MAT_REUSE_MATRIX, &C));    \
    PetscCall(second(MAT_INITIAL_MATRIX, &D)); \
    PetscCall(Compare(what, C, D, shall));     \
    PetscCall(MatDestroy(&C));                 \
    PetscCall(MatDestroy(&D));                 \
  } while (0)
#define AA(reuse, M) MatMatMult(A, A, reuse, 2., M)
#define RR(reuse, M) MatMatMult(R, R, reuse, 2., M)
  PRODUCT("A A", PETSC_TRUE, AA, RR);
#define AR(reuse, M) MatMatMult(A, R, reuse, 2., M)
  PRODUCT("A R", PETSC_TRUE, AR, RR);
#define RA(reuse, M) MatMatMult(R, A, reuse, 2., M)
  PetscCall(MatCreateVecs(A, &v, NULL));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, &device, "seqcuda", "mpicuda", ""));
  PetscCall(VecDestroy(&v));
  PRODUCT("R A", device, RA, RR); /* both are brought to a device for it */
#define AtA(reuse, M) MatTransposeMatMult(A, A, reuse, 2., M)
#define RtR(reuse, M) MatTransposeMatMult(R, R, reuse, 2., M)
  PRODUCT("At A", PETSC_TRUE, AtA, RtR);
#define AtAA(reuse, M) MatPtAP(A, A, reuse, 2., M)
#define RtRR(reuse, M) MatPtAP(R, R, reuse, 2., M)
  PRODUCT("At A A", PETSC_TRUE, AtAA, RtRR);
  PetscCall(MatConvert(R, MATDENSE, MAT_INITIAL_MATRIX, &dense));
#define AD(reuse, M) MatMatMult(A, dense, reuse, 2., M)
#define RD(reuse, M) MatMatMult(R, dense, reuse, 2., M)
  PRODUCT("A dense", PETSC_FALSE, AD, RD);
#define AtD(reuse, M) MatTransposeMatMult(A, dense, reuse, 2., M)
#define RtD(reuse, M) MatTransposeMatMult(R, dense, reuse, 2., M)
  PRODUCT("At dense", PETSC_FALSE, AtD, RtD);
  PetscCall(MatDestroy(&dense));
  PetscFunctionReturn(0);
}

static PetscErrorCode TestAll(void)
{
  Mat      A, R;
  PetscInt rstart, rend;

  PetscFunctionBeginUser;
  PetscCall(Create(MATAIJ, &R));
  PetscCall(Create(MATAUTOCSR, &A));
  PetscCall(MatCreateVecs(A, &x, &z));
  PetscCall(VecDuplicate(x, &y[0]));
  PetscCall(VecDuplicate(x, &y[1]));
  PetscCall(VecGetOwnershipRange(x, &rstart, &rend));
  for (PetscInt i = rstart; i < rend; i++) {
    PetscCall(VecSetValue(x, i, 1. + 0.1 * (i % 9) - PetscDefined(USE_COMPLEX) * 0.2 * PETSC_i, INSERT_VALUES));
    PetscCall(VecSetValue(z, i, 2. - 0.3 * (i % 5), INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscCall(VecAssemblyBegin(z));
  PetscCall(VecAssemblyEnd(z));
  PetscCall(Compare("preallocated", A, R, PETSC_TRUE));
  PetscCall(TestCreate(R));
  PetscCall(TestDuplicate(A, R));
  PetscCall(TestDuplicateUnassembled());
  PetscCall(TestConvert(A, R));
  PetscCall(TestConvertAsked(R));
  PetscCall(TestSubmatrices(A, R));
  PetscCall(TestProducts(A, R));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&z));
  for (PetscInt k = 0; k < 2; k++) PetscCall(VecDestroy(&y[k]));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&R));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscBool each = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-each_strategy", &each, NULL));
  if (!each) PetscCall(TestAll());
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways) && each; w++) {
    if (!WayIsStrategy(&ways[w])) continue;
    PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_strategy", ways[w].strategy));
    PetscCall(TestAll());
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    nsize: {{1 2 3 4}}

  # the lines of the first strategy, and those that tell of a failure
  testset:
    args: -each_strategy
    filter: awk '/^preallocated/ {strategy++} strategy == 1 || /FAILED/'
    output_file: output/creation_1.out

    test:
      suffix: strategies
      args: -mat_autocsr_rigor {{none estimate}}

    test:
      suffix: strategies_parallel
      nsize: 3

TEST*/
