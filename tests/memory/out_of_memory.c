static char help[] = "Memory, of the device or of the host, runs out while a plan is made: the plan is dropped, what it had taken is given back, and products go on.\n\n";

#include <petscautocsr.h>
#include "../compare.h"
#if defined(PETSC_HAVE_CUDA)
  #include <petscdevice_cuda.h>
#else
  #include <malloc.h>
  #include <sys/resource.h>
  #include <unistd.h>
#endif

#define ROWS     2000000
#define LEFT_MB  32 /* what stays free: less than a tenth of the plan */
#define MAX_PART 256

/* Five diagonals */
static PetscErrorCode Create(MatType type, Mat *A)
{
  const PetscInt offset[] = {-1000, -1, 0, 1, 1000};
  PetscInt      *row_ptr, *col, nnz = 0;
  PetscScalar   *val;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(ROWS + 1, &row_ptr, 5 * ROWS, &col, 5 * ROWS, &val));
  row_ptr[0] = 0;
  for (PetscInt i = 0; i < ROWS; i++) {
    for (int d = 0; d < 5; d++) {
      if (i + offset[d] < 0 || i + offset[d] >= ROWS) continue;
      col[nnz]   = i + offset[d];
      val[nnz++] = RandomScalar(i, d);
    }
    row_ptr[i + 1] = nnz;
  }
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, ROWS, ROWS, ROWS, ROWS));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, row_ptr, col, val));
  PetscCall(PetscFree3(row_ptr, col, val));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Memory that is taken */
typedef struct {
  void *part[MAX_PART];
  int   n;
} Ballast;

#if defined(PETSC_HAVE_CUDA)
static PetscErrorCode FreeMemory(PetscInt *mb)
{
  size_t free, total;

  PetscFunctionBeginUser;
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCallCUDA(cudaMemGetInfo(&free, &total));
  *mb = (PetscInt)(free >> 20);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode BallastTake(Ballast *b)
{
  PetscInt mb;

  PetscFunctionBeginUser;
  b->n = 0;
  PetscCall(FreeMemory(&mb));
  for (size_t part = 16384; part >= 2; part /= 2) {
    while (mb >= (PetscInt)part + LEFT_MB && b->n < MAX_PART) {
      PetscCallCUDA(cudaMalloc(&b->part[b->n++], part << 20));
      PetscCall(FreeMemory(&mb));
    }
  }
  PetscCheck(mb < 2 * LEFT_MB, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " MB are free", mb);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode BallastDrop(Ballast *b)
{
  PetscFunctionBeginUser;
  while (b->n) PetscCallCUDA(cudaFree(b->part[--b->n]));
  PetscFunctionReturn((PetscErrorCode)0);
}
#else
/* The address space: what is taken of it, and its limit */
static PetscErrorCode Space(rlim_t *taken, struct rlimit *limit)
{
  FILE *file  = fopen("/proc/self/statm", "r");
  long  pages = 0;

  PetscFunctionBeginUser;
  PetscCheck(file && fscanf(file, "%ld", &pages) == 1 && !getrlimit(RLIMIT_AS, limit), PETSC_COMM_SELF, PETSC_ERR_SYS, "It is not known how much memory there is");
  fclose(file);
  *taken = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode FreeMemory(PetscInt *mb)
{
  struct rlimit limit;
  rlim_t        taken;

  PetscFunctionBeginUser;
  PetscCall(Space(&taken, &limit));
  *mb = (PetscInt)((limit.rlim_cur - taken + mallinfo2().fordblks) >> 20);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* mb 0: none */
static PetscErrorCode Limit(rlim_t mb)
{
  struct rlimit limit;
  rlim_t        taken;

  PetscFunctionBeginUser;
  PetscCall(Space(&taken, &limit));
  limit.rlim_cur = mb ? taken + (mb << 20) : limit.rlim_max;
  PetscCheck(!setrlimit(RLIMIT_AS, &limit), PETSC_COMM_SELF, PETSC_ERR_SYS, "No limit of the memory");
  PetscFunctionReturn((PetscErrorCode)0);
}

/* What was freed and stays the program's (as with Open MPI), then all but so much of the rest */
static PetscErrorCode BallastTake(Ballast *b)
{
  PetscFunctionBeginUser;
  b->n = 0;
  PetscCall(Limit(1));
  for (size_t part = 1024; part >= 2; part /= 2) {
    while (b->n < MAX_PART && (b->part[b->n] = malloc(part << 20))) b->n++;
  }
  PetscCall(Limit(LEFT_MB));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode BallastDrop(Ballast *b)
{
  PetscFunctionBeginUser;
  while (b->n) free(b->part[--b->n]);
  PetscCall(Limit(0));
  PetscFunctionReturn((PetscErrorCode)0);
}
#endif

int main(int argc, char **argv)
{
  Mat            A, B;
  Reference      r;
  Ballast        ballast;
  MatAutoCSRInfo info;
  PetscBool      is;
  PetscInt       before, after;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(Create(MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(Create(MATAUTOCSR, &B));
  PetscCall(MatAutoCSRSetStrategy(B, "csr"));
  PetscCall(CompareProduct(&r, &products[0], 1, &B, "with room"));

  PetscCall(BallastTake(&ballast));
  PetscCall(FreeMemory(&before));
  PetscCall(MatAutoCSRSetStrategy(B, "sell"));
  PetscCall(CompareProduct(&r, &products[0], 1, &B, "without room"));
  PetscCall(FreeMemory(&after));
  PetscCheck(after >= before - LEFT_MB / 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " MB were free, now %" PetscInt_FMT, before, after);
  PetscCall(MatAutoCSRGetInfo(B, &info));
  PetscCall(PetscStrcmp(info.strategy, "sell", &is));
  PetscCheck(!is, PETSC_COMM_SELF, PETSC_ERR_PLIB, "There was room for the plan");

  PetscCall(BallastDrop(&ballast));
  PetscCall(MatScale(r.A, 2));
  PetscCall(MatScale(B, 2));
  PetscCall(ReferenceUpdate(&r));
  PetscCall(CompareProduct(&r, &products[0], 1, &B, "with room again"));
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The products are right\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: alone
    requires: cuda
    args: -vec_type cuda -info :mat
    filter: grep -o -E "No memory for a plan of [0-9]+ nonzeros on cuda|it takes more memory than is left|The products are right" | sed -E "s/^(No memory|it takes).+/There is no room/" | sort -u

  test:
    suffix: host
    requires: !defined(PETSC_HAVE_CUDA) defined(PETSC_USE_INFO)
    args: -info :mat
    filter: grep -o -E "No memory for a plan of [0-9]+ nonzeros on host|The products are right" | sort -u

TEST*/
