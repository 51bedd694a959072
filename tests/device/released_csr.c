static char help[] = "A device lets the CSR go beside a plan that has its own columns and values; whatever needs it again has it.\n\n";

#include <petscautocsr.h>
#include "../changes.h"

#define SIDE 40 /* more than a megabyte for each of two processes, below which nothing is let go */
#define N    (SIDE * SIDE * SIDE)

/* A grid of 7 points, or as many columns anywhere */
typedef struct {
  const char *name;
  PetscBool   constant;  /* values by place in the stencil */
  PetscBool   scattered; /* columns are anywhere: rows have no patterns */
} Grid;

static PetscErrorCode GridCreate(const Grid *g, MatType type, Mat *A)
{
  const PetscInt offset[] = {-SIDE * SIDE, -SIDE, -1, 0, 1, SIDE, SIDE * SIDE};
  PetscInt       begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, N, N));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 7, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 7, NULL, 7, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    for (int k = 0; k < 7; k++) {
      const PetscInt j = g->scattered ? (i * 7919 + k * 127 + i % 1009) % N : i + offset[k];

      if (j >= 0 && j < N) PetscCall(MatSetValue(*A, i, j, g->constant ? Scalar(k - 2.5, 0) : RandomScalar(i, k), INSERT_VALUES));
    }
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode GetDiagonal(Mat A, Mat like)
{
  Vec d, e;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &d, &e));
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(VecPointwiseMult(e, d, d));
  PetscCall(MatDiagonalSet(A, e, INSERT_VALUES));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&e));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode BindAndScale(Mat A, Mat like)
{
  PetscFunctionBeginUser;
  PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscCall(MatScale(A, 3));
  PetscCall(MatBindToCPU(A, PETSC_FALSE));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode AddTranspose(Mat A, Mat like)
{
  Mat T;

  PetscFunctionBeginUser;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatTranspose(A, MAT_REUSE_MATRIX, &T));
  PetscCall(MatAXPY(A, 0.25, T, UNKNOWN_NONZERO_PATTERN));
  PetscCall(MatDestroy(&T));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode AddSubmatrix(Mat A, Mat like)
{
  Mat      S;
  IS       rows;
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(ISCreateStride(PetscObjectComm((PetscObject)A), end - begin, begin, 1, &rows));
  PetscCall(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, &S));
  PetscCall(MatCreateSubMatrix(A, rows, rows, MAT_REUSE_MATRIX, &S));
  PetscCall(MatAXPY(A, 2, S, SAME_NONZERO_PATTERN));
  PetscCall(ISDestroy(&rows));
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode ArraysWrite(Mat A, Mat like)
{
  Mat       blocks[2] = {A, NULL};
  PetscBool mpi;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (int b = 0; b < 2 && blocks[b]; b++) {
    PetscScalar *val;
    MatInfo      info;

    PetscCall(MatGetInfo(blocks[b], MAT_LOCAL, &info));
    PetscCall(MatSeqAIJGetArrayWrite(blocks[b], &val));
    for (PetscInt k = 0; k < (PetscInt)info.nz_used; k++) val[k] = Scalar(2 + k % 7, 1);
    PetscCall(MatSeqAIJRestoreArrayWrite(blocks[b], &val));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static const struct {
  const char *name;
  PetscErrorCode (*apply)(Mat A, Mat like); /* changes.h; like: plain AIJ */
} changes[] = {
    {"nothing", Nothing},
    {"MatSetValues()", SetValues},
    {"MatSetValues() that adds", AddValues},
    {"MatScale()", Scale},
    {"MatShift()", Shift},
    {"MatGetDiagonal()", GetDiagonal},
    {"MatDiagonalScale()", DiagonalScaleRandom},
    {"MatSeqAIJGetArray()", Arrays},
    {"MatSeqAIJGetArrayWrite()", ArraysWrite},
    {"MatCopy()", CopySame},
    {"MatAXPY() of the same pattern", AXPYSame},
    {"MatAXPY() of plain AIJ", AXPYLike},
    {"MatStoreValues()", StoreAndScale},
    {"MatRetrieveValues()", Retrieve},
    {"MatConjugate()", Conjugate},
    {"MatZeroRows() that keeps the pattern", ZeroRowsKeep},
    {"MatBindToCPU()", BindAndScale},
    {"MatCreateSubMatrix()", AddSubmatrix},
    {"MatZeroEntries()", Zero},
    {"MatCopy() again", CopySame},
    {"new nonzeros", NewNonzeros},
    {"MatTranspose()", AddTranspose},
    {"MatAXPY() of a different pattern", AXPYDifferent},
    {"MatTranspose() in place", TransposeInPlace},
    {"MatScale() at the end", Scale},
};

static PetscErrorCode OnDevice(Mat A, PetscBool *device)
{
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(A, &info));
  PetscCall(PetscStrcmp(info.backend, "cuda", device));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Products until there is nothing more to let go; whether there was anything */
static PetscErrorCode Multiply(Mat A, const Reference *r, PetscBool *released)
{
  MatAutoCSRInfo info   = {0};
  PetscBool      device = PETSC_FALSE;
  PetscInt       least  = 0;

  PetscFunctionBeginUser;
  PetscCall(MatMult(A, r->x[RIGHT], r->y[LEFT]));
  PetscCall(OnDevice(A, &device));
  for (int turn = 0; turn < (device ? 100 : 1) && !least; turn++) {
    for (int k = 0; k < (device ? 200 : 1); k++) PetscCall(MatMult(A, r->x[RIGHT], r->y[LEFT]));
    PetscCall(MatAutoCSRGetInfo(A, &info));
    least = info.released_bytes > 0;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPIU_INT, MPI_MIN, PetscObjectComm((PetscObject)A)));
  }
  *released = (PetscBool)(least > 0);
  PetscCheck(device || !info.released_bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The host has let %" PetscInt64_FMT " bytes go", info.released_bytes);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode LetGo(Mat A, const Reference *r, PetscBool expected, const char context[])
{
  PetscBool device = PETSC_FALSE, released = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(Multiply(A, r, &released));
  PetscCall(OnDevice(A, &device));
  if (device) PetscCheck(released == expected, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the arrays %s", context, released ? "are let go" : "stay");
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Setup(const Grid *g, const char strategy[], PetscBool keep, Mat *B)
{
  PetscFunctionBeginUser;
  PetscCall(GridCreate(g, MATAUTOCSR, B));
  PetscCall(MatAutoCSRSetStrategy(*B, strategy));
  PetscCall(MatAutoCSRSetProgressive(*B, PETSC_FALSE));
  PetscCall(MatAutoCSRSetKeepCSR(*B, keep));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The bits are those from before, and transposed products, which read the arrays, are right */
static PetscErrorCode CheckProducts(Mat B, Reference *r, Vec before, const char context[])
{
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatMult(B, r->x[RIGHT], r->y[LEFT]));
  PetscCall(VecEqual(r->y[LEFT], before, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: other bits when the arrays are gone", context);
  PetscCall(CompareProducts(r, 1, &B, context));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckChanges(const Grid *g, const char strategy[])
{
  char      context[256];
  Reference r;
  Mat       A, B, like;
  Vec       before;
  PetscBool sell;

  PetscFunctionBeginUser;
  PetscCall(GridCreate(g, MATAIJ, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &like));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(VecDuplicate(r.y[LEFT], &before));
  PetscCall(Setup(g, strategy, PETSC_FALSE, &B));
  PetscCall(PetscStrcmp(strategy, "sell", &sell));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(changes); c++) {
    PetscBool device = PETSC_FALSE, released = PETSC_FALSE;
    PetscReal norm;

    PetscCall(OnDevice(B, &device));
    PetscCall(PetscSNPrintf(context, sizeof(context), "%s, %s by %s", changes[c].name, g->name, strategy));
    PetscCall((*changes[c].apply)(r.A, like));
    PetscCall((*changes[c].apply)(B, like));
    PetscCall(ReferenceUpdate(&r));
    PetscCall(MatMult(B, r.x[RIGHT], before));
    for (int turn = 0; turn < 2; turn++) {
      PetscCall(MatNorm(B, NORM_FROBENIUS, &norm)); /* after a change on the device the host has the values, too */
      PetscCall(Multiply(B, &r, &released));
      if (device && sell) PetscCheck(released, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the arrays stay", context);
      if (!turn) PetscCall(CheckProducts(B, &r, before, context));
    }
  }
  PetscCall(VecDestroy(&before));
  PetscCall(MatDestroy(&like));
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Operands and results of products of matrices */
static PetscErrorCode CheckMatProduct(const Grid *g)
{
  Reference r;
  Mat       A, B[2], C[2];

  PetscFunctionBeginUser;
  PetscCall(GridCreate(g, MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B[0]));
  PetscCall(Setup(g, "sell", PETSC_FALSE, &B[1]));
  PetscCall(LetGo(B[1], &r, PETSC_TRUE, "what will be an operand"));
  for (int k = 0; k < 2; k++) PetscCall(MatMatMult(B[k], B[k], MAT_INITIAL_MATRIX, 2, &C[k]));
  PetscCall(MatAutoCSRSetStrategy(C[1], "sell"));
  PetscCall(ReferenceDestroy(&r));
  for (int turn = 0; turn < 3; turn++) {
    PetscCall(PetscObjectReference((PetscObject)C[0]));
    PetscCall(ReferenceCreate(C[0], &r));
    PetscCall(LetGo(C[1], &r, PETSC_FALSE, "the result of a product"));
    PetscCall(CompareProducts(&r, 1, &C[1], "the result of a product"));
    PetscCall(LetGo(B[1], &r, PETSC_FALSE, "an operand"));
    for (int k = 0; k < 2; k++) {
      PetscReal norm;

      if (turn) PetscCall(MatNorm(C[k], NORM_FROBENIUS, &norm)); /* on the host, which then has the values, too */
      PetscCall(Arrays(B[k], NULL));                             /* on the host */
      PetscCall(MatMatMult(B[k], B[k], MAT_REUSE_MATRIX, 2, &C[k]));
    }
    PetscCall(ReferenceDestroy(&r));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(MatDestroy(&B[k]));
    PetscCall(MatDestroy(&C[k]));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The product with a dense matrix keeps a descriptor of the arrays */
static PetscErrorCode CheckDenseProduct(const Grid *g, PetscInt columns)
{
  Reference    r;
  Mat          A, B[2], X, C[2];
  PetscInt     m, n;
  PetscScalar *x;
  PetscReal    norm, error;

  PetscFunctionBeginUser;
  PetscCall(GridCreate(g, MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(Setup(g, "sell", PETSC_FALSE, &B[1]));
  B[0] = A;
  PetscCall(LetGo(B[1], &r, PETSC_TRUE, "what will be multiplied by a dense matrix"));
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, n, PETSC_DECIDE, N, columns, NULL, &X));
  PetscCall(MatDenseGetArrayWrite(X, &x));
  for (PetscInt i = 0; i < n * columns; i++) x[i] = RandomScalar(i, 5);
  PetscCall(MatDenseRestoreArrayWrite(X, &x));
  PetscCall(Assemble(X));
  for (int turn = 0; turn < 2; turn++) {
    for (int k = 0; k < 2; k++) PetscCall(MatMatMult(B[k], X, turn ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C[k]));
    for (int k = 0; turn && k < 2; k++) PetscCall(MatConvert(C[k], MATDENSE, MAT_INPLACE_MATRIX, &C[k]));
    if (!turn) PetscCall(LetGo(B[1], &r, PETSC_FALSE, "an operand beside a dense matrix"));
  }
  PetscCall(MatNorm(C[0], NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(C[0], -1, C[1], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(C[0], NORM_FROBENIUS, &error));
  PetscCheck(error <= TOLERANCE * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The product with a dense matrix is off by %g of %g", (double)error, (double)norm);
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&C[k]));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&B[1]));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Values by COO come on the device */
static PetscErrorCode CheckCOO(const Grid *g)
{
  Reference    r;
  Mat          A, B;
  PetscInt     begin, end, *row, *col;
  PetscScalar *val;

  PetscFunctionBeginUser;
  PetscCall(Setup(g, "sell", PETSC_FALSE, &B));
  PetscCall(MatGetOwnershipRange(B, &begin, &end));
  PetscCall(PetscMalloc3(2 * (end - begin), &row, 2 * (end - begin), &col, 2 * (end - begin), &val));
  for (int k = 0; k < 2; k++) {
    for (PetscInt i = 0; i < 2 * (end - begin); i++) {
      row[i] = begin + i / 2;
      col[i] = i % 2 ? N - 1 - row[i] : row[i];
      val[i] = RandomScalar(row[i], i);
    }
    if (!k) PetscCall(GridCreate(g, MATAIJ, &A));
    PetscCall(MatSetPreallocationCOO(k ? B : A, 2 * (end - begin), row, col));
    PetscCall(MatSetValuesCOO(k ? B : A, val, INSERT_VALUES));
  }
  PetscCall(ReferenceCreate(A, &r));
  for (int turn = 0; turn < 3; turn++) {
    PetscReal norm;
    PetscBool released;

    if (turn) PetscCall(MatNorm(B, NORM_FROBENIUS, &norm)); /* on the host, which then has the values, too */
    PetscCall(Multiply(B, &r, &released));                  /* of a block of a parallel matrix nothing tells that */
    PetscCall(CompareProducts(&r, 1, &B, "values by COO"));
    PetscCall(Multiply(B, &r, &released));
    PetscCall(MatSetValuesCOO(A, val, turn ? INSERT_VALUES : ADD_VALUES));
    PetscCall(MatSetValuesCOO(B, val, turn ? INSERT_VALUES : ADD_VALUES));
    PetscCall(ReferenceUpdate(&r));
    PetscCall(CompareProducts(&r, 1, &B, "values by COO again"));
  }
  PetscCall(PetscFree3(row, col, val));
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Strategies that use the arrays in place, and whoever asks for it, keep them */
static PetscErrorCode CheckKeep(const Grid *g)
{
  Reference r;
  Mat       A, B;

  PetscFunctionBeginUser;
  PetscCall(GridCreate(g, MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(Setup(g, "csr", PETSC_FALSE, &B));
  PetscCall(LetGo(B, &r, PETSC_FALSE, "rows in place"));
  PetscCall(MatAutoCSRSetStrategy(B, "sell"));
  PetscCall(LetGo(B, &r, PETSC_TRUE, "slices in their place"));
  PetscCall(MatAutoCSRSetKeepCSR(B, PETSC_TRUE));
  PetscCall(LetGo(B, &r, PETSC_FALSE, "to be kept"));
  PetscCall(CompareProducts(&r, 1, &B, "to be kept"));
  PetscCall(MatDestroy(&B));
  PetscCall(Setup(g, "sell", PETSC_TRUE, &B));
  PetscCall(LetGo(B, &r, PETSC_FALSE, "to be kept from the first product on"));
  PetscCall(CompareProducts(&r, 1, &B, "to be kept from the first product on"));
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* With the objective memory after the first product */
static PetscErrorCode CheckMemory(const Grid *g)
{
  Reference      r;
  Mat            A, B;
  MatAutoCSRInfo info;
  PetscBool      device = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(GridCreate(g, MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(Setup(g, "pattern", PETSC_FALSE, &B));
  PetscCall(MatAutoCSRSetObjective(B, MAT_AUTOCSR_OBJECTIVE_MEMORY));
  PetscCall(MatMult(B, r.x[RIGHT], r.y[LEFT]));
  PetscCall(OnDevice(B, &device));
  PetscCall(MatAutoCSRGetInfo(B, &info));
  PetscCheck((info.released_bytes > 0) == device, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt64_FMT " bytes are let go", info.released_bytes);
  PetscCall(CompareProducts(&r, 1, &B, "objective memory"));
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  const Grid many      = {"stencil of many values", PETSC_FALSE};
  const Grid fixed     = {"stencil of constant coefficients", PETSC_TRUE};
  const Grid scattered = {"scattered columns", .scattered = PETSC_TRUE};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(CheckChanges(&many, "sell"));
  PetscCall(CheckChanges(&fixed, "pattern"));
  PetscCall(CheckMatProduct(&many));
  PetscCall(CheckDenseProduct(&many, 3));
  PetscCall(CheckDenseProduct(&scattered, 20)); /* bundles are looked for in the CSR */
  PetscCall(CheckCOO(&many));
  PetscCall(CheckKeep(&many));
  PetscCall(CheckMemory(&fixed));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Products are the same without the arrays\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    nsize: {{1 2}}
    output_file: output/released_csr_1.out

    # the host lets nothing go; vectors of the host and so many products on a device take long
    test:
      suffix: 1
      requires: !cuda

    test:
      suffix: cuda
      requires: cuda
      args: -vec_type cuda

TEST*/
