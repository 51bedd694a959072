static char help[] = "PageRank of a graph by the power method; a plain PETSc program, which knows nothing of autocsr.\n\
  -f <file>   : the graph's matrix in PETSc's binary form: row i has the pages that page i links to\n\
  -n <pages>  : else a generated graph of so many pages, a few of which most links lead to\n\
  -links <k>  : links of a page of it, 16\n\
  -damping <d>: 0.85\n\n";

#include <petscmat.h>

/* A hash of two numbers, in [0, 1): the same graph on any number of processes */
static double Drawn(PetscInt i, PetscInt k)
{
  unsigned long long h = ((unsigned long long)i << 20) + (unsigned long long)k + 0x9e3779b97f4a7c15ULL;

  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  return (double)((h ^ (h >> 31)) >> 11) / 9007199254740992.;
}

static PetscErrorCode Generate(PetscInt n, PetscInt links, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocation(*A, links, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, links, NULL, links, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt k = (PetscInt)(links * Drawn(i, 0)); /* 0 to links - 1: some pages link to none */

    for (PetscInt e = 1; e <= k; e++) {
      const double   u = Drawn(i, e);
      const PetscInt j = (PetscInt)((double)n * u * u * u); /* most links lead to the first pages */

      PetscCall(MatSetValue(*A, i, j, 1, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* The matrix that is multiplied, of the type that -mat_type says: column j has 1 / links of page j. *none: 1 for pages without links */
static PetscErrorCode LinkMatrix(Mat A, Mat *P, Vec *none)
{
  Vec         scale;
  PetscInt    begin, end;
  PetscScalar one = 1, inverse;
  char        type[64];
  PetscBool   flg;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, none, &scale));
  PetscCall(VecSet(*none, 0));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscInt links, zero;

    PetscCall(MatGetRow(A, i, &links, NULL, NULL));
    PetscCall(MatRestoreRow(A, i, &zero, NULL, NULL));
    inverse = links ? 1. / (PetscReal)links : 0;
    PetscCall(VecSetValues(scale, 1, &i, &inverse, INSERT_VALUES));
    if (!links) PetscCall(VecSetValues(*none, 1, &i, &one, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(scale));
  PetscCall(VecAssemblyEnd(scale));
  PetscCall(VecAssemblyBegin(*none));
  PetscCall(VecAssemblyEnd(*none));
  PetscCall(MatDiagonalScale(A, scale, NULL));
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, P));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), &flg));
  if (flg) PetscCall(MatConvert(*P, type, MAT_INPLACE_MATRIX, P));
  PetscCall(VecDestroy(&scale));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  Mat           A, P;
  Vec           x, y, none;
  PetscInt      n = 1000, links = 16, its = 0;
  PetscReal     damping = 0.85, change = 1;
  char          file[PETSC_MAX_PATH_LEN];
  PetscBool     flg;
  PetscLogEvent event;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-links", &links, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-damping", &damping, NULL));
  PetscCheck(n > 0 && links > 0 && damping > 0 && damping < 1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-n and -links are positive, -damping is between 0 and 1");
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof(file), &flg));
  if (flg) {
    PetscViewer viewer;
    PetscInt    m;

    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetType(A, MATAIJ));
    PetscCall(MatLoad(A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(MatGetSize(A, &m, &n));
    PetscCheck(m == n, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "A graph has a square matrix, not one of %" PetscInt_FMT " by %" PetscInt_FMT, m, n);
  } else
    PetscCall(Generate(n, links, &A));
  PetscCall(LinkMatrix(A, &P, &none));

  PetscCall(PetscLogEventRegister("PageRank", MAT_CLASSID, &event));
  PetscCall(MatCreateVecs(P, &x, &y));
  PetscCall(VecSet(x, 1. / (PetscReal)n));
  PetscCall(PetscLogEventBegin(event, 0, 0, 0, 0));
  for (; change > 1e-10 && its < 1000; its++) {
    PetscScalar lost;

    PetscCall(VecDot(x, none, &lost)); /* what lies on pages without links goes to all pages */
    PetscCall(MatMult(P, x, y));
    PetscCall(VecScale(y, damping));
    PetscCall(VecShift(y, (1 - damping + damping * lost) / (PetscReal)n));
    PetscCall(VecAXPY(x, -1, y));
    PetscCall(VecNorm(x, NORM_1, &change));
    PetscCall(VecCopy(y, x));
  }
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " pages, %s\n", n, change > 1e-10 ? "not converged" : "converged"));
  for (PetscInt k = 0; k < PetscMin(n, 5); k++) {
    PetscInt  page, begin, end;
    PetscReal rank;

    PetscCall(VecMax(x, &page, &rank));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "page %" PetscInt_FMT " has rank %.4e\n", page, (double)rank));
    PetscCall(VecGetOwnershipRange(x, &begin, &end));
    if (page >= begin && page < end) PetscCall(VecSetValue(x, page, 0, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(x));
    PetscCall(VecAssemblyEnd(x));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&none));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    requires: double
    nsize: {{1 2}}
    args: -mat_type {{aij autocsr}}

    test:

    test:
      suffix: web
      args: -f ${AUTOCSR_DATA}/web-webbase-2001.bin

TEST*/
