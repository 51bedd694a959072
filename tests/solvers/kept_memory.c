static char help[] = "What solvers beside the matrix (-ksp_autocsr) keep between solves: more solves take no more memory, KSPReset() gives the vectors back, and KSPDestroy() all.\n\
  -device : the memory of the device is looked at, not that of the host\n\n";

/* Knows nothing of the library but what KSPView() says of it */
#include "fused.h"
#if defined(PETSC_HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

static PetscBool device = PETSC_FALSE;

/* Bytes beyond those before, of this process or of the device */
static PetscErrorCode Taken(double before, double *bytes)
{
  PetscLogDouble usage;

  PetscFunctionBeginUser;
#if defined(PETSC_HAVE_CUDA)
  if (device) {
    cudaMemPool_t pool;
    size_t        free, total;
    int           id;

    PetscCallCUDA(cudaGetDevice(&id));
    PetscCallCUDA(cudaDeviceGetMemPool(&pool, id));
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCallCUDA(cudaMemPoolTrimTo(pool, 0)); /* PETSc lets it keep what is freed */
    PetscCallCUDA(cudaMemGetInfo(&free, &total));
    *bytes = (double)(total - free) - before;
    PetscFunctionReturn((PetscErrorCode)0);
  }
#endif
  PetscCall(PetscMallocGetCurrentUsage(&usage));
  *bytes = usage - before;
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Create(PetscInt n, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*A, 3));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 3, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 3, NULL, 1, NULL));
  PetscCall(MatGetSize(*A, &n, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscCall(MatSetValue(*A, i, i, 2.05 + 0.1 * (i % 5), INSERT_VALUES));
    if (i) PetscCall(MatSetValue(*A, i, i - 1, -1, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*A, i, i + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Bytes: after the first solve, after more of them, after KSPReset(), after KSPDestroy() */
typedef struct {
  double    first, more, reset, destroyed;
  PetscBool fused;
} Life;

static PetscErrorCode Live(Mat A, Vec b, Vec x, KSPType type, PCType pctype, Life *life)
{
  KSP    ksp;
  PC     pc;
  double before = 0;

  PetscFunctionBeginUser;
  PetscCall(Taken(0, &before));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, pctype));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 12));
  PetscCall(KSPChebyshevSetEigenvalues(ksp, 2, 0.1));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Taken(before, &life->first));
  for (int k = 0; k < 6; k++) {
    if (k % 2) PetscCall(MatScale(A, k % 4 == 1 ? 2 : 0.5));
    PetscCall(KSPSolve(ksp, b, x));
  }
  PetscCall(Taken(before, &life->more));
  PetscCall(IsFused(ksp, &life->fused));
  PetscCall(KSPReset(ksp));
  PetscCall(Taken(before, &life->reset));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(Taken(before, &life->destroyed));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  static const struct {
    KSPType type;
    int     vectors; /* that it keeps, the preconditioner's diagonal among them */
  } types[] = {
    {KSPCG,         4 },
    {KSPBCGS,       7 },
    {KSPGMRES,      14},
    {KSPFGMRES,     14},
    {KSPCHEBYSHEV,  4 },
    {KSPRICHARDSON, 3 },
  };
  static const PCType pctypes[] = {PCJACOBI, PCPBJACOBI};
  PetscInt            n         = 3000;
  double              vector;
  Mat                 A;
  Vec                 b, x;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-device", &device, NULL));
  if (device) n = 3000000; /* a vector is larger than the pieces in which a device gives memory */
  vector = (double)n * sizeof(PetscScalar);
  PetscCall(Create(n, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(pctypes); c++) {
      const double slack = device ? vector / 2 : 0, blocks = device && !strcmp(pctypes[c], PCPBJACOBI) ? 3 * vector : 0; /* PETSc keeps the point blocks on a device until PCDestroy() */
      Life         life  = {0};
      char         name[64];

      PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s", types[t].type, pctypes[c]));
      for (int k = 0; k < 2; k++) PetscCall(Live(A, b, x, types[t].type, pctypes[c], &life)); /* what PETSc, the library and the matrix keep for good is there after the first */
      PetscCheck(life.fused, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the solve was not fused", name);
      PetscCheck(life.first >= types[t].vectors * vector - slack, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: a solve has left %g bytes, which are not %d vectors", name, life.first, types[t].vectors);
      PetscCheck(life.more <= life.first + slack, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the first solve has left %g bytes, and more of them %g", name, life.first, life.more);
      PetscCheck(life.reset < vector + blocks, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: KSPReset() leaves %g bytes; a vector has %g", name, life.reset, vector);
      PetscCheck(life.destroyed <= slack, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: KSPDestroy() leaves %g bytes", name, life.destroyed);
    }
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Memory comes back\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -mat_type autocsr -ksp_autocsr
    output_file: output/kept_memory_1.out

    test:
      nsize: {{1 2}}
      requires: !cuda

    test:
      suffix: alone
      requires: cuda
      args: -device

TEST*/
