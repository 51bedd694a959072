static char help[] = "Operations of AIJ on autocsr matrices, alone and among other types, against the same on plain AIJ: products with reuse, submatrices,\n\
permutations, orderings, colourings, nests.\n\
  -type <type>  : in the place of autocsr\n\
  -device       : also among types of a device\n\
  -plain <bool> : products of matrices on a device and plain AIJ; some crash PETSc if it does not hear of autocsr (takeover)\n\n";

#include "../generate.h"

static PetscInt Compared = 0;
static char     ours[64] = "autocsr";

/* |C - ref| <= TOLERANCE |ref| in the Frobenius norm, whatever their types; and a product by C */
static PetscErrorCode CompareMatrices(Mat C, Mat ref, const char context[])
{
  Mat       D, R;
  PetscReal norm, difference;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(C, MATAIJ, MAT_INITIAL_MATRIX, &D));
  PetscCall(MatConvert(ref, MATAIJ, MAT_INITIAL_MATRIX, &R));
  PetscCall(MatNorm(R, NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(D, -1, R, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(D, NORM_FROBENIUS, &difference));
  PetscCheck(norm > 0 && difference <= TOLERANCE * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the results differ by %g of %g", context, (double)difference, (double)norm);
  PetscCall(MatDestroy(&D));
  PetscCall(MatDestroy(&R));
  Compared++;
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Matrix products */

typedef struct {
  const char *name;
  PetscErrorCode (*multiply)(Mat, Mat, MatReuse, PetscReal, Mat *);
  PetscBool wide;     /* the second operand is 70 by 216, else 216 by 70 */
  PetscBool parallel; /* PETSc has it for MATMPIAIJ */
  PetscBool dense;    /* and with a dense second operand */
} MatrixProduct;

static const MatrixProduct matrix_products[] = {
    {"MatMatMult()", MatMatMult, PETSC_FALSE, PETSC_TRUE, PETSC_TRUE},
    {"MatPtAP()", MatPtAP, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE},
    {"MatRARt()", MatRARt, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
    {"MatTransposeMatMult()", MatTransposeMatMult, PETSC_FALSE, PETSC_TRUE, PETSC_TRUE},
    {"MatMatTransposeMult()", MatMatTransposeMult, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE},
};

/* With autocsr first, second, and both; the values of the first operand change, and the result is used again */
static PetscErrorCode CheckProduct(const MatrixProduct *p, Mat A, Mat B, PetscBool parallel)
{
  static const struct {
    const char *type[2];
    PetscBool   plain, dense, device;
  } pairs[] = {
      {{ours, ours}, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE},
      {{ours, "aij"}, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
      {{"aij", ours}, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE},
      {{ours, "dense"}, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE},
      {{ours, "aijcusparse"}, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE},
      {{"aijcusparse", ours}, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE},
      {{ours, "densecuda"}, PETSC_FALSE, PETSC_TRUE, PETSC_TRUE},
  };
  PetscBool device, plain = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-device", &device));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-plain", &plain, NULL));
  if (parallel && !p->parallel) PetscFunctionReturn((PetscErrorCode)0);
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(pairs); t++) {
    const char *const *types = pairs[t].type;
    /* AIJCUSPARSE's own A^T B in parallel with a dense B keeps the first values of A (3.26.1); it is what takeover leaves in place */
    const int rounds = !plain && parallel && pairs[t].dense && p->multiply == MatTransposeMatMult ? 1 : 2;
    char      context[128];
    Mat       X[2], R, C, ref;

    if ((pairs[t].plain && !plain) || (pairs[t].dense && !p->dense) || (pairs[t].device && !device)) continue;
    PetscCall(PetscSNPrintf(context, sizeof(context), "%s of %s and %s", p->name, types[0], types[1]));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &R));
    PetscCall(MatConvert(A, types[0], MAT_INITIAL_MATRIX, &X[0]));
    PetscCall(MatConvert(B, types[1], MAT_INITIAL_MATRIX, &X[1]));
    for (int round = 0; round < rounds; round++) {
      const MatReuse reuse = round ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX;

      PetscCall((*p->multiply)(R, B, reuse, PETSC_DEFAULT, &ref));
      PetscCall((*p->multiply)(X[0], X[1], reuse, PETSC_DEFAULT, &C));
      PetscCall(CompareMatrices(C, ref, context));
      PetscCall(MatShift(R, 3));
      PetscCall(MatShift(X[0], 3));
    }
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&ref));
    PetscCall(MatDestroy(&R));
    PetscCall(MatDestroy(&X[0]));
    PetscCall(MatDestroy(&X[1]));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* P^T A P with P of two unknowns at each place, and A^T B and A D with operands that are no AIJ themselves */
static PetscErrorCode CheckOtherTypes(Mat A, Mat S, Mat B, Mat P)
{
  Mat M[2], A2[2], C[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    Mat T;

    PetscCall(MatConvert(P, k ? ours : MATAIJ, MAT_INITIAL_MATRIX, &T));
    PetscCall(MatCreateMAIJ(T, 2, &M[k]));
    PetscCall(MatDestroy(&T));
    PetscCall(MatPtAP(k ? S : A, M[k], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C[k]));
  }
  PetscCall(CompareMatrices(C[1], C[0], "MatPtAP() of autocsr and maij"));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatDestroy(&M[k]));
    PetscCall(MatDestroy(&C[k]));
    PetscCall(MatCreateTranspose(k ? S : A, &A2[k]));
    PetscCall(MatMatMult(A2[k], B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C[k]));
  }
  PetscCall(CompareMatrices(C[1], C[0], "MatMatMult() of the transpose of autocsr and aij"));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatDestroy(&A2[k]));
    PetscCall(MatDestroy(&C[k]));
  }
#if defined(MATDIAGONAL)
  {
    Vec      d;
    Mat      D;
    PetscInt n;

    PetscCall(MatCreateVecs(A, &d, NULL));
    PetscCall(VecSetScattered(d, 8));
    PetscCall(MatCreateDiagonal(d, &D));
    PetscCall(MatGetLocalSize(A, &n, NULL));
    for (int way = 0; way < (PETSC_VERSION_GE(3, 26, 0) ? 4 : 2); way++) { /* constant ones were tried with that */
      const int first = way % 2;

      if (way == 2) {
        PetscCall(MatDestroy(&D));
        PetscCall(MatCreateConstantDiagonal(PETSC_COMM_WORLD, n, n, PETSC_DETERMINE, PETSC_DETERMINE, Scalar(0.3, -2), &D));
      }
      for (int k = 0; k < 2; k++) PetscCall(MatMatMult(first ? D : k ? S
                                                                     : A,
                                                       first ? k ? S : A : D, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C[k]));
      PetscCall(CompareMatrices(C[1], C[0], first ? "MatMatMult() of a diagonal matrix and autocsr" : "MatMatMult() of autocsr and a diagonal matrix"));
      for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&C[k]));
    }
    PetscCall(MatDestroy(&D));
    PetscCall(VecDestroy(&d));
  }
#endif
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A shell that multiplies what is of the type AIJ, or on a device of AIJCUSPARSE, as PETSc wants it said of that: twice B */
static PetscErrorCode TwiceSymbolic(Mat S, Mat B, Mat C, void **data)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatSetUp(C));
  PetscCall(MatSetOption(C, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(B, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
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

static PetscErrorCode TwiceNumeric(Mat S, Mat B, Mat C, void *data)
{
  PetscFunctionBeginUser;
  PetscCall(MatCopy(B, C, SAME_NONZERO_PATTERN));
  PetscCall(MatAXPY(C, 1, B, DIFFERENT_NONZERO_PATTERN)); /* puts another matrix under the header, and in older PETSc what is composed on C is gone */
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckShell(Mat S)
{
  Mat       shell, B, C;
  PetscInt  m, n;
  MatType   type;
  PetscBool asked;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(S, MAT_COPY_VALUES, &B));
  PetscCall(MatGetLocalSize(B, &m, &n));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, m, m, PETSC_DETERMINE, PETSC_DETERMINE, NULL, &shell));
  PetscCall(MatShellSetMatProductOperation(shell, MATPRODUCT_AB, TwiceSymbolic, TwiceNumeric, NULL, MATAIJ, MATAIJ));
  PetscCall(MatShellSetMatProductOperation(shell, MATPRODUCT_AB, TwiceSymbolic, TwiceNumeric, NULL, MATAIJCUSPARSE, MATAIJCUSPARSE));
  PetscCall(MatMatMult(shell, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(MatScale(B, 3));
  PetscCall(MatMatMult(shell, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(MatScale(B, 2));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)C, &asked, MATSEQAIJ, MATMPIAIJ, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, ""));
  PetscCall(MatGetType(C, &type));
  PetscCheck(asked, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The product of a shell is %s, not as its user said", type);
  PetscCall(CompareMatrices(C, B, "MatMatMult() of a shell"));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&shell));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Parts, permutations, colourings, nests */

static PetscErrorCode CheckParts(Mat A, Mat S)
{
  const Mat M[2] = {A, S};
  PetscInt  begin, end;
  IS        is, grown[2], row, col;
  Mat       C[2], *sub[2];
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (end - begin) / 2, begin + 1, 2, &is));
  for (int k = 0; k < 2; k++) PetscCall(MatCreateSubMatrix(M[k], is, is, MAT_INITIAL_MATRIX, &C[k]));
  PetscCall(CompareMatrices(C[1], C[0], "MatCreateSubMatrix()"));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatScale(M[k], 2));
    PetscCall(MatCreateSubMatrix(M[k], is, is, MAT_REUSE_MATRIX, &C[k]));
  }
  PetscCall(CompareMatrices(C[1], C[0], "MatCreateSubMatrix() again"));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&C[k]));
  PetscCall(ISDestroy(&is));

  for (int k = 0; k < 2; k++) {
    PetscCall(ISCreateStride(PETSC_COMM_SELF, (end - begin) / 2, begin, 1, &grown[k]));
    PetscCall(MatIncreaseOverlap(M[k], 1, &grown[k], 2));
    PetscCall(ISSort(grown[k]));
    PetscCall(MatCreateSubMatrices(M[k], 1, &grown[k], &grown[k], MAT_INITIAL_MATRIX, &sub[k]));
  }
  PetscCall(ISEqual(grown[0], grown[1], &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "MatIncreaseOverlap() gives another index set");
  for (int k = 0; k < 2; k++) PetscCall(MatConvert(sub[k][0], MATSEQAIJ, MAT_INITIAL_MATRIX, &C[k]));
  PetscCall(MatEqual(C[0], C[1], &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "MatCreateSubMatrices() gives another matrix");
  for (int k = 0; k < 2; k++) {
    PetscCall(MatDestroy(&C[k]));
    PetscCall(ISDestroy(&grown[k]));
    PetscCall(MatDestroySubMatrices(1, &sub[k]));
  }

  for (int k = 0; k < 2; k++) {
    PetscMPIInt size;

    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (size == 1)
      PetscCall(MatGetOrdering(M[k], MATORDERINGRCM, &row, &col));
    else { /* the rows of each rank from the last to the first */
      PetscCall(ISCreateStride(PETSC_COMM_WORLD, end - begin, end - 1, -1, &row));
      PetscCall(PetscObjectReference((PetscObject)row));
      col = row;
    }
    PetscCall(MatPermute(M[k], row, col, &C[k]));
    PetscCall(ISDestroy(&row));
    PetscCall(ISDestroy(&col));
  }
  PetscCall(CompareMatrices(C[1], C[0], "MatPermute()"));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&C[k]));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckColorings(Mat A, Mat S, PetscBool parallel)
{
  const Mat         M[2]    = {A, S};
  const char *const types[] = {MATCOLORINGGREEDY, MATCOLORINGNATURAL, MATCOLORINGJP, MATCOLORINGSL, MATCOLORINGLF, MATCOLORINGID}; /* on one rank; jp asks for AIJ by name in parallel */

  PetscFunctionBeginUser;
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types) - (parallel ? 4 : 0); t++) {
    PetscInt colors[2] = {0, 0};

    for (int k = 0; k < 2; k++) {
      MatColoring coloring;
      ISColoring  is;

      PetscCall(MatColoringCreate(M[k], &coloring));
      PetscCall(MatColoringSetType(coloring, types[t]));
      PetscCall(MatColoringSetDistance(coloring, 2));
      PetscCall(MatColoringApply(coloring, &is));
      PetscCall(ISColoringGetColors(is, NULL, &colors[k], NULL));
      PetscCall(ISColoringDestroy(&is));
      PetscCall(MatColoringDestroy(&coloring));
    }
    PetscCheck(colors[0] == colors[1] && colors[0] > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Colouring %s has %" PetscInt_FMT " colours of aij, %" PetscInt_FMT " of autocsr", types[t], colors[0], colors[1]);
    Compared++;
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckNest(Mat A, Mat S, Mat B)
{
  Mat       nest[2], C[2], autoB;
  Vec       x, y[2];
  PetscReal norm, difference;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(B, ours, MAT_INITIAL_MATRIX, &autoB));
  for (int k = 0; k < 2; k++) {
    Mat T, blocks[4];

    blocks[0] = k ? S : A;
    blocks[1] = k ? autoB : B;
    PetscCall(MatCreateTranspose(blocks[1], &T));
    blocks[2] = T;
    blocks[3] = NULL;
    PetscCall(MatCreateNest(PETSC_COMM_WORLD, 2, NULL, 2, NULL, blocks, &nest[k]));
    PetscCall(MatDestroy(&T));
    PetscCall(MatConvert(nest[k], MATAIJ, MAT_INITIAL_MATRIX, &C[k]));
  }
  PetscCall(CompareMatrices(C[1], C[0], "MATNEST as aij"));
  PetscCall(MatCreateVecs(C[0], &x, &y[0]));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(VecSetScattered(x, 9));
  for (int k = 0; k < 2; k++) PetscCall(MatMult(nest[k], x, y[k]));
  PetscCall(VecNorm(y[0], NORM_2, &norm));
  PetscCall(VecAXPY(y[1], -1, y[0]));
  PetscCall(VecNorm(y[1], NORM_2, &difference));
  PetscCheck(norm > 0 && difference <= TOLERANCE * norm, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The products of nests differ by %g of %g", (double)difference, (double)norm);
  for (int k = 0; k < 2; k++) {
    PetscCall(MatDestroy(&nest[k]));
    PetscCall(MatDestroy(&C[k]));
    PetscCall(VecDestroy(&y[k]));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&autoB));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  const Generator square = {"square", 216, 216, Grid3, VALUES_MANY, ENTRY_OWNER}, tall = {"tall", 216, 70, Few, VALUES_MANY, ENTRY_OWNER}, wide = {"wide", 70, 216, Few, VALUES_MANY, ENTRY_OWNER}, half = {"half", 108, 40, Few, VALUES_MANY, ENTRY_OWNER};
  Mat             A, S, B[2], P;
  PetscMPIInt     size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", ours, sizeof(ours), NULL));
  PetscCall(MatrixCreate(&square, MATAIJ, &A));
  PetscCall(MatrixCreate(&square, ours, &S));
  PetscCall(MatrixCreate(&tall, MATAIJ, &B[0]));
  PetscCall(MatrixCreate(&wide, MATAIJ, &B[1]));
  PetscCall(MatrixCreate(&half, MATAIJ, &P));
  for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(matrix_products); p++) PetscCall(CheckProduct(&matrix_products[p], A, B[matrix_products[p].wide], (PetscBool)(size > 1)));
  PetscCall(CheckOtherTypes(A, S, B[0], P));
  PetscCall(CheckShell(S));
  PetscCall(CheckParts(A, S));
  PetscCall(CheckColorings(A, S, (PetscBool)(size > 1)));
  PetscCall(CheckNest(A, S, B[0]));
  PetscCheck(Compared > 20, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " comparisons", Compared);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "As aij\n"));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&S));
  PetscCall(MatDestroy(&B[0]));
  PetscCall(MatDestroy(&B[1]));
  PetscCall(MatDestroy(&P));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    timeoutfactor: 3
    output_file: output/mixed_types_1.out

    test:
      suffix: 1
      nsize: {{1 2 3}}

    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2}}
      args: -device

    test:
      suffix: takeover
      requires: cuda
      nsize: {{1 2}}
      args: -device -plain 0 -mat_autocsr_takeover

TEST*/
