static char help[] = "What a program or an option puts around the type: duplicates under -mat_seqaij_type, operations of the program's own, prefixes, settings of small blocks, views after changes.\n\n";

#include <petscautocsr.h>

#define N 40 /* rows of a process */

/* Diagonal, and as wide as asked for */
static PetscErrorCode Band(MPI_Comm comm, PetscInt width, Mat *A)
{
  PetscInt begin, end, n;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, N, N, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  PetscCall(MatGetSize(*A, &n, NULL));
  for (PetscInt i = begin; i < end; i++) {
    for (PetscInt j = PetscMax(i - width, 0); j <= PetscMin(i + width, n - 1); j++) PetscCall(MatSetValue(*A, i, j, (PetscReal)(1 + (i * 7 + j * 3) % 11), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A x, of a vector of ones, is `times` what it is of B */
static PetscErrorCode CheckTimes(Mat A, Mat B, PetscReal times, const char what[])
{
  Vec       x, y, z;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMult(B, x, z));
  PetscCall(VecAXPY(y, -times, z));
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  PetscCheck(norm == 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: products differ by %g", what, (double)norm);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Where -mat_seqaij_type makes a copy ours at once, it has our methods and not those that the original had for the time of the call */
static PetscErrorCode Duplicates(void)
{
  Mat A, B;

  PetscFunctionBeginUser;
  PetscCall(Band(PETSC_COMM_WORLD, 2, &A));
  for (int converted = 0; converted < 2; converted++) {
    if (converted)
      PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &B));
    else
      PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(MatSetOption(B, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
    PetscCall(MatStoreValues(B));
    PetscCall(CheckTimes(B, A, 1, converted ? "a converted one" : "a duplicate"));
    PetscCall(MatScale(B, 4));
    PetscCall(CheckTimes(B, A, 4, "scaled"));
    PetscCall(MatRetrieveValues(B));
    PetscCall(CheckTimes(B, A, 1, converted ? "values of a converted one stored and retrieved" : "values stored and retrieved"));
    PetscCall(MatDestroy(&B));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Settings are kept for a matrix that gets other data; here nobody asks for them again */
static PetscErrorCode Merges(void)
{
  Mat A[2], C;

  PetscFunctionBeginUser;
  PetscCall(Band(PETSC_COMM_WORLD, 2, &A[0]));
  PetscCall(MatDuplicate(A[0], MAT_COPY_VALUES, &A[1]));
  PetscCall(MatCreateComposite(PETSC_COMM_WORLD, 2, A, &C));
  PetscCall(MatCompositeMerge(C));
  PetscCall(CheckTimes(C, A[0], 2, "a sum of two"));
  PetscCall(MatDestroy(&C));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* y = 3, whatever x */
static PetscErrorCode Three(Mat A, Vec x, Vec y)
{
  PetscFunctionBeginUser;
  PetscCall(VecSet(y, 3));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* y = 5, whatever x and z */
static PetscErrorCode Five(Mat A, Vec x, Vec z, Vec y)
{
  PetscFunctionBeginUser;
  PetscCall(VecSet(y, 5));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A product that a program has put into a matrix stays there, also where few entries leave the others to AIJ */
static PetscErrorCode Operations(void)
{
  Mat       A;
  Vec       x, y;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(Band(PETSC_COMM_WORLD, 0, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatSetOperation(A, MATOP_MULT_ADD, (void (*)(void))Five));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMultAdd(A, x, y, y));
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  PetscCheck(norm == 5, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The program's sum was put aside: %g", (double)norm);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(Band(PETSC_COMM_SELF, 2, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatSetOperation(A, MATOP_MULT, (void (*)(void))Three));
  PetscCall(MatSetValue(A, 0, 0, 2, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAutoCSRSetStrategy(A, "sell"));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  PetscCheck(norm == 3, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The program's product was put aside: %g", (double)norm);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode (*duplicate)(Mat, MatDuplicateOption, Mat *);
static int duplicates;

static PetscErrorCode CountDuplicate(Mat A, MatDuplicateOption option, Mat *B)
{
  PetscFunctionBeginUser;
  duplicates++;
  PetscCall((*duplicate)(A, option, B));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A program may look on where a matrix is duplicated */
static PetscErrorCode Wrapped(void)
{
  Mat A, B, C;

  PetscFunctionBeginUser;
  PetscCall(Band(PETSC_COMM_WORLD, 3, &A));
  PetscCall(MatGetOperation(A, MATOP_DUPLICATE, (void (**)(void)) & duplicate));
  PetscCall(MatSetOperation(A, MATOP_DUPLICATE, (void (*)(void))CountDuplicate));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(CheckTimes(A, B, 1, "duplicate by a program's function"));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(CheckTimes(A, C, 1, "converted, with a program's function for duplicates"));
  PetscCheck(duplicates, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The program's function was not called");
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Options without the prefix are not a prefixed matrix's, nor its blocks' */
static PetscErrorCode Prefixed(void)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetOptionsPrefix(A, "a_"));
  PetscCall(MatSetSizes(A, N, N, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_rigor", "no rigor that there is"));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatShift(A, 1));
  PetscCall(CheckTimes(A, A, 1, "with a prefix"));
  PetscCall(PetscOptionsClearValue(NULL, "-mat_autocsr_rigor"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Blocks of few entries leave their products to AIJ, and the whole matrix its own, until they are told otherwise or it is assembled again */
static PetscErrorCode SmallBlocks(void)
{
  Mat            A;
  Vec            x, y;
  MatAutoCSRInfo left, before, after;
  void (*product[4])(void);

  PetscFunctionBeginUser;
  PetscCall(Band(PETSC_COMM_WORLD, 1, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatGetOperation(A, MATOP_MULT, &product[0]));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatGetOperation(A, MATOP_MULT, &product[1]));
  PetscCall(MatAutoCSRGetInfo(A, &left));
  PetscCheck((left.plans == 0) == (product[1] != product[0]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " plans, products %sAIJ's", left.plans, product[1] == product[0] ? "not " : "");
  PetscCall(MatSetValue(A, 0, 0, 2, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetOperation(A, MATOP_MULT, &product[2]));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatAutoCSRSetStrategy(A, "sell"));
  PetscCall(MatGetOperation(A, MATOP_MULT, &product[3]));
  PetscCheck(product[2] == product[0] && product[3] == product[0], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Products stay AIJ's after %s", product[2] == product[0] ? "MatAutoCSRSetStrategy()" : "MatAssemblyEnd()");
  PetscCall(MatAutoCSRGetInfo(A, &before));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatAutoCSRGetInfo(A, &after));
  PetscCheck(after.products - before.products == 4, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt64_FMT " products with plans of two blocks, twice", after.products - before.products);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A view shows the plans that products use: of blocks that PETSc has made anew, too */
static PetscErrorCode Views(void)
{
  Mat            A, B;
  PetscViewer    viewer;
  MatAutoCSRInfo viewed, used;

  PetscFunctionBeginUser;
  PetscCall(Band(PETSC_COMM_WORLD, 2, &A));
  PetscCall(Band(PETSC_COMM_WORLD, 9, &B));
  PetscCall(MatAutoCSRSetStrategy(A, "sell"));
  PetscCall(MatAXPY(A, 1, B, DIFFERENT_NONZERO_PATTERN));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", &viewer));
  PetscCall(MatAutoCSRView(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatAutoCSRGetInfo(A, &viewed));
  PetscCall(CheckTimes(A, A, 1, "after a view"));
  PetscCall(MatAutoCSRGetInfo(A, &used));
  PetscCheck(!strcmp(viewed.strategy, "sell") && !strcmp(used.strategy, "sell") && viewed.plans == used.plans, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Viewed %s, %" PetscInt_FMT " plans; used %s, %" PetscInt_FMT, viewed.strategy, viewed.plans, used.strategy, used.plans);
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  const struct {
    const char *name;
    PetscErrorCode (*check)(void);
  } checks[] = {{"duplicates", Duplicates}, {"merges", Merges}, {"operations", Operations}, {"wrapped", Wrapped}, {"prefixed", Prefixed}, {"small_blocks", SmallBlocks}, {"views", Views}};
  char check[32];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-check", check, sizeof(check), NULL));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(checks); c++) {
    PetscBool same;

    PetscCall(PetscStrcmp(check, checks[c].name, &same));
    if (same) PetscCall((*checks[c].check)());
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ok\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/surroundings_1.out
    args: -mat_type autocsr -mat_autocsr_progressive false
    test:
      suffix: duplicates
      nsize: {{1 2}}
      args: -check duplicates -mat_type {{aij autocsr}} -mat_seqaij_type seqaijautocsr -mat_autocsr_strategy sell
    test:
      suffix: merges
      nsize: {{1 2}}
      args: -check merges
    test:
      suffix: operations
      nsize: {{1 2}}
      args: -check operations
    test:
      suffix: wrapped
      nsize: {{1 2}}
      args: -check wrapped
    test:
      suffix: prefixed
      nsize: {{1 2}}
      args: -check prefixed -a_mat_type autocsr -options_left no
    test:
      suffix: small_blocks
      nsize: 2
      args: -check small_blocks
    test:
      suffix: views
      nsize: 2
      args: -check views

TEST*/
