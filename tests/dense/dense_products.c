static char help[] = "Products with dense matrices, MatMatMult(), MatTransposeMatMult() and MatMatTransposeMult(): column by column what plain AIJ's MatMult() makes, in every way to ask for them.\n\n";

#include <petscautocsr.h>
#include "../dense.h"

#define WIDEST 2001 /* columns, of one matrix */

static const PetscInt widths[] = {1, 4, 5, 8, 13, 32, 37, 67};

/* As B in A B */
static PetscErrorCode FactorCreate(Mat A, PetscInt columns, PetscInt seed, Mat *B)
{
  PetscInt begin, end, N;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, NULL, &N));
  PetscCall(MatGetOwnershipRangeColumn(A, &begin, &end));
  PetscCall(DenseCreate(begin, end, N, columns, seed, B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* C = A B (p: MatMult()) or A^T B (MatMultTranspose()), column by column */
static PetscErrorCode CompareBy(const Product *p, Reference *r, Mat B, Mat C, const char context[])
{
  const int from = p->from, to = 1 - p->from;
  PetscInt  columns;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(B, NULL, &columns));
  for (PetscInt j = 0; j < columns; j++) {
    Vec b, c;

    PetscCall(MatDenseGetColumnVecRead(B, j, &b));
    PetscCall(VecCopy(b, r->x[from]));
    PetscCall(MatDenseRestoreColumnVecRead(B, j, &b));
    PetscCall(VecCopy(r->x[from], r->abs_x[from]));
    PetscCall(VecAbs(r->abs_x[from]));
    PetscCall(p->mult(r->A, r->x[from], r->ref[to]));
    PetscCall(p->mult(r->abs, r->abs_x[from], r->bound[to]));
    PetscCall(MatDenseGetColumnVecRead(C, j, &c));
    PetscCall(VecCopy(c, r->y[to]));
    PetscCall(MatDenseRestoreColumnVecRead(C, j, &c));
    PetscCall(CompareVectors(r, p, r->y[to], context));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Compare(Reference *r, Mat B, Mat C, const char context[])
{
  return CompareBy(&products[0], r, B, C, context);
}

/* C = A^T B: new, again, with new values in A */
static PetscErrorCode MultiplyTransposed(Reference *r, Mat A, PetscInt columns, const char name[])
{
  const Product *transposed = &products[3];
  char           context[128];
  PetscInt       begin, end, m;
  PetscMPIInt    ranks;
  Mat            B, C, D;
  PetscScalar    two = 2;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s, transposed, %" PetscInt_FMT " columns", name, columns));
  PetscCall(MatGetSize(A, &m, NULL));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(DenseCreate(begin, end, m, columns, columns, &B));
  PetscCall(MatTransposeMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(CompareBy(transposed, r, B, C, context));
  PetscCall(MatTransposeMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks == 1) PetscCall(Same(C, D, context)); /* several processes: PETSc adds what their devices send in no fixed order */
  PetscCall(MatScale(A, two));
  PetscCall(MatScale(r->A, two));
  PetscCall(MatScale(r->abs, two));
  PetscCall(MatTransposeMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(CompareBy(transposed, r, B, C, context));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* New, again, with new values in A and B, into a matrix that is there, and of a matrix that has become another */
static PetscErrorCode Multiply(Reference *r, Mat A, PetscInt columns, const char name[])
{
  Mat         B, C, D;
  char        context[128];
  MatType     type;
  PetscScalar two = 2;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s, %" PetscInt_FMT " columns", name, columns));
  PetscCall(FactorCreate(A, columns, columns, &B));
  PetscCall(MatGetType(B, &type));
  PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(Compare(r, B, C, context));
  PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
  PetscCall(Same(C, D, context));
  PetscCall(MatScale(B, -3));
  PetscCall(MatScale(A, two));
  PetscCall(MatScale(r->A, two));
  PetscCall(MatScale(r->abs, two));
  PetscCall(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(Compare(r, B, C, context));
  PetscCall(MatDestroy(&D));

  PetscCall(MatProductCreate(A, B, NULL, &D));
  PetscCall(MatProductSetType(D, MATPRODUCT_AB));
  PetscCall(MatProductSetFromOptions(D));
  PetscCall(MatProductSymbolic(D));
  PetscCall(MatProductNumeric(D));
  PetscCall(Same(C, D, context));
  PetscCall(MatScale(B, 0.5));
  PetscCall(MatProductNumeric(D));
  PetscCall(Compare(r, B, D, context));
  PetscCall(MatDestroy(&D));

  PetscCall(MatZeroEntries(C));
  PetscCall(MatProductCreateWithMat(A, B, NULL, C));
  PetscCall(MatProductSetType(C, MATPRODUCT_AB));
  PetscCall(MatProductSetFromOptions(C));
  PetscCall(MatProductSymbolic(C));
  PetscCall(MatProductNumeric(C));
  PetscCall(Compare(r, B, C, context));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* C = A B^T: new, again, and with new values in A and B, also of a B that took the place of another */
static PetscErrorCode MultiplyByRows(Reference *r, Mat A, PetscInt columns, const char name[])
{
  Mat         B, Bt, C, D;
  char        context[128];
  PetscScalar two = 2;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s, by rows, %" PetscInt_FMT " columns", name, columns));
  PetscCall(FactorCreate(A, columns, columns, &Bt));
  PetscCall(MatTranspose(Bt, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatMatTransposeMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(Compare(r, Bt, C, context));
  PetscCall(MatMatTransposeMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
  PetscCall(Same(C, D, context));
  PetscCall(MatDestroy(&D));
  PetscCall(MatScale(B, -3));
  PetscCall(MatScale(Bt, -3));
  PetscCall(MatScale(A, two));
  PetscCall(MatScale(r->A, two));
  PetscCall(MatScale(r->abs, two));
  PetscCall(MatMatTransposeMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(Compare(r, Bt, C, context));
  PetscCall(MatProductCreate(A, B, NULL, &D));
  PetscCall(MatProductSetType(D, MATPRODUCT_ABt));
  PetscCall(MatProductSetFromOptions(D));
  PetscCall(MatProductSymbolic(D));
  PetscCall(MatProductNumeric(D));
  PetscCall(Same(C, D, context));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &C));
  PetscCall(MatScale(C, 0.5));
  PetscCall(MatScale(Bt, 0.5));
  PetscCall(MatProductReplaceMats(NULL, C, NULL, D));
  PetscCall(MatProductNumeric(D));
  PetscCall(Compare(r, Bt, D, context));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&D));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&Bt));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Some columns of B times A go into some columns of C; both are longer than their rows, and the other columns of C stay */
static PetscErrorCode MultiplySome(Reference *r, Mat A, PetscInt columns, const char name[])
{
  const PetscInt all = columns + 5 + columns % 2, odd = all + (all + 1) % 2; /* DenseCreate() sets the leading dimension of an odd number of columns */
  Mat            B, C, before, b, c;
  char           context[128];
  PetscInt       begin, end, M;
  PetscMPIInt    size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size > 1 && PETSC_VERSION_GE(3, 19, 0)) PetscFunctionReturn((PetscErrorCode)0); /* PETSc deals the columns of a product to the processes in another way than those of a submatrix, and takes none then */
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s, %" PetscInt_FMT " of %" PetscInt_FMT " columns", name, columns, odd));
  PetscCall(FactorCreate(A, odd, 3, &B));
  PetscCall(MatGetSize(A, &M, NULL));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(DenseCreate(begin, end, M, odd, 4, &C));
  PetscCall(MatDuplicate(C, MAT_COPY_VALUES, &before));
  PetscCall(MatDenseGetSubMatrix(B, PETSC_DECIDE, PETSC_DECIDE, 2, 2 + columns, &b));
  PetscCall(MatDenseGetSubMatrix(C, PETSC_DECIDE, PETSC_DECIDE, 1, 1 + columns, &c));
  PetscCall(MatProductCreateWithMat(A, b, NULL, c));
  PetscCall(MatProductSetType(c, MATPRODUCT_AB));
  PetscCall(MatProductSetFromOptions(c));
  PetscCall(MatProductSymbolic(c));
  PetscCall(MatProductNumeric(c));
  PetscCall(MatProductClear(c));
  PetscCall(Compare(r, b, c, context));
  PetscCall(MatDenseRestoreSubMatrix(B, &b));
  PetscCall(MatDenseGetSubMatrix(before, PETSC_DECIDE, PETSC_DECIDE, 1, 1 + columns, &b));
  PetscCall(MatCopy(b, c, SAME_NONZERO_PATTERN));
  PetscCall(MatDenseRestoreSubMatrix(before, &b));
  PetscCall(MatDenseRestoreSubMatrix(C, &c));
  PetscCall(Same(C, before, context));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&before));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Another structure of as many entries between products into one matrix: nothing of the first one stays */
static PetscErrorCode Restructure(void)
{
  const PetscInt N = 301, columns = 24;
  const MatType  types[] = {MATAUTOCSR, MATAIJ};
  Mat            A[2], B, C = NULL;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A[k]));
    PetscCall(MatSetSizes(A[k], PETSC_DECIDE, PETSC_DECIDE, N, N));
    PetscCall(MatSetType(A[k], types[k]));
  }
  for (PetscInt far = 0; far < 10; far += 5) {
    Reference r;
    Mat       plain;

    for (int k = 0; k < 2; k++) PetscCall(Preallocate(A[k], far));
    PetscCall(MatDuplicate(A[1], MAT_COPY_VALUES, &plain));
    PetscCall(ReferenceCreate(plain, &r));
    if (!C) PetscCall(FactorCreate(A[0], columns, 6, &B));
    PetscCall(MatMatMult(A[0], B, C ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(Compare(&r, B, C, far ? "second structure" : "first structure"));
    PetscCall(ReferenceDestroy(&r));
  }
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Where A has no entry, B does not count, whatever it is; where it has, it does */
static PetscErrorCode NotFinite(Mat A, Mat plain)
{
  Mat                B, C, D;
  PetscInt           begin, end, m, ld, ldd;
  const PetscScalar *c, *d;
  PetscScalar       *b;

  PetscFunctionBeginUser;
  PetscCall(FactorCreate(A, 9, 5, &B));
  PetscCall(MatGetOwnershipRangeColumn(A, &begin, &end));
  PetscCall(MatDenseGetLDA(B, &ld));
  PetscCall(MatDenseGetArray(B, &b));
  for (PetscInt i = begin; i < end; i++) {
    if (i % 7 == 3) b[i - begin + ld * (i % 9)] = PETSC_INFINITY;
    if (i % 11 == 5) b[i - begin + ld * (i % 8)] = PetscSqrtReal(-(PetscReal)(i + 1));
  }
  PetscCall(MatDenseRestoreArray(B, &b));
  PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(MatMatMult(plain, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
  PetscCall(MatGetLocalSize(C, &m, NULL));
  PetscCall(MatDenseGetLDA(C, &ld));
  PetscCall(MatDenseGetLDA(D, &ldd));
  PetscCall(MatDenseGetArrayRead(C, &c));
  PetscCall(MatDenseGetArrayRead(D, &d));
  for (PetscInt j = 0; j < 9; j++) {
    for (PetscInt i = 0; i < m; i++) PetscCheck(PetscIsInfOrNanScalar(c[i + ld * j]) == PetscIsInfOrNanScalar(d[i + ldd * j]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Local entry (%" PetscInt_FMT ", %" PetscInt_FMT "): finite or not, as plain AIJ does not have it", i, j);
  }
  PetscCall(MatDenseRestoreArrayRead(C, &c));
  PetscCall(MatDenseRestoreArrayRead(D, &d));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscInt    few  = 1; /* one matrix of so many */
  PetscInt64  made = 0;
  PetscBool   brief = PETSC_FALSE, view = PETSC_FALSE, json = PETSC_FALSE;
  PetscMPIInt ranks;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(FewAsked(&few, &brief));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-view", &view, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-json", &json, NULL));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(generators); k += (size_t)few) {
    const Generator *g = &generators[k];
    MatAutoCSRInfo   info;
    Reference        r;
    Mat              A, plain;

    PetscCall(MatrixCreate(g, MATAIJ, &plain));
    PetscCall(ReferenceCreate(plain, &r));
    PetscCall(MatrixCreate(g, MATAUTOCSR, &A));
    for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(widths); w += brief ? 3 : 1) PetscCall(Multiply(&r, A, widths[w], g->name));
    if (k == 0 && !brief) PetscCall(Multiply(&r, A, WIDEST, g->name));
    for (size_t w = ranks == 1 ? 0 : k % 16; w < PETSC_STATIC_ARRAY_LENGTH(widths); w += ranks == 1 ? 3 : 16) PetscCall(MultiplyTransposed(&r, A, widths[w], g->name));
    for (size_t w = ranks == 1 ? k % 3 : k % 16; w < PETSC_STATIC_ARRAY_LENGTH(widths); w += ranks == 1 ? 3 : 16) PetscCall(MultiplyByRows(&r, A, widths[w], g->name));
    for (size_t w = ranks == 1 ? (k + 1) % 8 : (k + 1) % 16; w < PETSC_STATIC_ARRAY_LENGTH(widths); w += ranks == 1 ? 4 : 16) PetscCall(MultiplySome(&r, A, widths[w], g->name));
    PetscCall(NotFinite(A, r.A));
    PetscCall(MatAutoCSRGetInfo(A, &info));
    made += info.dense_products;
    if (json) PetscCall(PetscViewerPushFormat(PETSC_VIEWER_STDOUT_WORLD, PETSC_VIEWER_ASCII_PYTHON));
    if (view || json) PetscCall(MatAutoCSRView(A, PETSC_VIEWER_STDOUT_WORLD));
    if (json) PetscCall(PetscViewerPopFormat(PETSC_VIEWER_STDOUT_WORLD));
    PetscCall(MatDestroy(&A));
    PetscCall(ReferenceDestroy(&r));
  }
  PetscCall(Restructure());
  PetscCheck(made, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "No product was made by the library");
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "C = A B is as plain AIJ makes it, column by column\n"));
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
    output_file: output/dense_products_1.out

  testset:
    args: -few 2
    output_file: output/dense_products_1.out

    test:
      suffix: adaptive
      nsize: {{1 2}}
      args: -mat_autocsr_dense adaptive

    test:
      suffix: view
      args: -view -mat_autocsr_dense adaptive
      filter: awk '/adaptive tiles have .*; last dense columns: .*67 \(adaptive\)/ {tiles = 1} /C = A B is/ && tiles'

    test:
      suffix: json
      args: -json -mat_autocsr_dense adaptive
      filter: awk '/"units": .* "share": {"heavy": .* "tiles": {"strategy": "dense"/ {tiles = 1} /C = A B is/ && tiles'

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

  testset:
    args: -few 9 -mat_autocsr_dense {{columns panels adaptive}separate output}

    test:
      suffix: ways
      args: -json
      filter: grep -oE '"columns": 67, "sampled": false, "way": "[a-z]+"' | sort -u

    test:
      suffix: citations
      args: -citations
      filter: grep -oE "@.*hong2019|as plain AIJ makes it"

  test:
    suffix: cuda
    requires: cuda
    nsize: {{1 2}}
    args: -dense_type {{dense densecuda}} -vec_type cuda
    output_file: output/dense_products_1.out

  test:
    suffix: cuda_adaptive
    requires: cuda
    args: -few 2 -dense_type densecuda -vec_type cuda -mat_autocsr_dense adaptive
    output_file: output/dense_products_1.out

  test:
    suffix: cuda_ranks
    requires: cuda
    nsize: 4
    args: -few 3 -dense_type {{dense densecuda}} -vec_type cuda
    output_file: output/dense_products_1.out

  test:
    suffix: cuda_look
    requires: cuda
    args: -dense_type densecuda -vec_type cuda -mat_autocsr_strategy sell
    output_file: output/dense_products_1.out

  test:
    suffix: cuda_bundles
    requires: cuda
    args: -few 2 -dense_type densecuda -vec_type cuda -mat_autocsr_dense bundles
    output_file: output/dense_products_1.out

TEST*/
