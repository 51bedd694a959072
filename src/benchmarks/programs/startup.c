static const char help[] = "What a program waits for before its first product, phase by phase, in microseconds: PetscInitialize() after MPI_Init() (the library is loaded there\n\
by -dll_append), the matrix (a grid of n^3 points, 7 or 27 each, assembled on the host), vectors, the first product, the products after it, and a first solve (ten iterations of CG\n\
with Jacobi). src/benchmarks/programs/startup compares two types. Options: -n, -points 7|27, -mat_type, -vec_type, -more (products after the first), -files (prints the files that\n\
the process has mapped, and no times).\n\n";

#include <petscksp.h>
#include <time.h>

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

static double Now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static PetscErrorCode Assemble(PetscInt n, PetscInt points, Mat *A)
{
  const PetscInt rows = n * n * n;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, points, NULL));
  for (PetscInt k = 0, row = 0; k < n; k++) {
    for (PetscInt j = 0; j < n; j++) {
      for (PetscInt i = 0; i < n; i++, row++) {
        PetscInt    col[27], entries = 0;
        PetscScalar val[27];

        for (PetscInt c = PetscMax(k - 1, 0); c <= PetscMin(k + 1, n - 1); c++) {
          for (PetscInt b = PetscMax(j - 1, 0); b <= PetscMin(j + 1, n - 1); b++) {
            for (PetscInt a = PetscMax(i - 1, 0); a <= PetscMin(i + 1, n - 1); a++) {
              const PetscInt away = PetscAbsInt(c - k) + PetscAbsInt(b - j) + PetscAbsInt(a - i);

              if (points == 7 && away > 1) continue;
              col[entries]   = (c * n + b) * n + a;
              val[entries++] = away ? -1 - 1e-3 * (PetscReal)((row + a) % 97) : 30;
            }
          }
        }
        PetscCall(MatSetValues(*A, 1, &row, entries, col, val, INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Mat A, Vec b, Vec x)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(ksp, 1e-30, 1e-300, PETSC_DEFAULT, 10));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A library has several lines, one after the other */
static PetscErrorCode PrintFiles(void)
{
  char  line[PETSC_MAX_PATH_LEN + 128], last[PETSC_MAX_PATH_LEN + 128] = "";
  FILE *maps = fopen("/proc/self/maps", "r");

  PetscFunctionBeginUser;
  PetscCheck(maps, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "There is no /proc/self/maps");
  while (fgets(line, sizeof(line), maps)) {
    const char *path = strchr(line, '/');

    if (path && strcmp(path, last)) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s", path));
    if (path) PetscCall(PetscStrncpy(last, path, sizeof(last)));
  }
  fclose(maps);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat         A;
  Vec         x, y;
  PetscBool   files = PETSC_FALSE;
  PetscInt    n = 48, points = 7, more = 200;
  PetscReal   norm;
  double      at[7];
  int         phase   = 0;
  const char *names[] = {"initialize", "matrix", "vectors", "first", "more", "solve", "all"};

  MPI_Init(&argc, &argv);
  at[phase++] = Now();
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  at[phase++] = Now();
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-points", &points, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-more", &more, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-files", &files, NULL));
  PetscCall(Assemble(n, points, &A));
  at[phase++] = Now();
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(VecSet(y, 1));
  PetscCall(VecNorm(y, NORM_2, &norm)); /* waits for a device, as in the phases after this */
  at[phase++] = Now();
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_2, &norm));
  at[phase++] = Now();
  for (PetscInt k = 0; k < more; k++) PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_2, &norm));
  at[phase++] = Now();
  PetscCall(Solve(A, y, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  at[phase] = Now();
  if (files) PetscCall(PrintFiles());
  for (int p = 0; p < phase && !files; p++) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s %.1f\n", names[p], at[p + 1] - at[p]));
  if (!files) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s %.1f\n", names[phase], at[phase] - at[0]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  MPI_Finalize();
  return 0;
}
