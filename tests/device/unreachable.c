static char help[] = "Ranks that cannot write to each other's devices: CUDA refuses, or they are on other nodes. The products are right, and -info says which way entries of x go, and why.\n\n";

/*
  This program's functions stand before CUDA's and MPI's own, so that the library hears of refusals and of other nodes.
*/
#define _GNU_SOURCE
#include <petscautocsr.h>
#include "../compare.h"
#include <dlfcn.h>
#include <glob.h>

#define ROWS     400 /* of a rank */
#define IN_FRONT __attribute__((visibility("default")))

#if !defined(PETSC_HAVE_MPIUNI)
static PetscInt node_size; /* ranks of an imitated node; 0: nodes are what they are */
static PetscInt splits;    /* by imitated nodes */

IN_FRONT int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
  int rank, error = MPI_Comm_rank(comm, &rank);

  if (error || !node_size || type != MPI_COMM_TYPE_SHARED) return error ? error : PMPI_Comm_split_type(comm, type, key, info, part);
  splits++;
  return MPI_Comm_split(comm, rank / (int)node_size, key, part);
}
#endif

#if defined(PETSC_HAVE_CUDA)
  #include <petscdevice_cuda.h>

static char     refused[64]; /* the call; empty: none on this rank */
static PetscInt refusals;

/* It is CUDA's last error, too, as that of any call that has failed */
static PetscBool Refuse(const char call[])
{
  if (strcmp(call, refused)) return PETSC_FALSE;
  refusals++;
  (void)cudaMalloc(NULL, 1);
  return PETSC_TRUE;
}

IN_FRONT cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory)
{
  cudaError_t (*own)(cudaIpcMemHandle_t *, void *);

  if (Refuse("cudaIpcGetMemHandle")) return cudaErrorInvalidValue;
  *(void **)&own = dlsym(RTLD_NEXT, "cudaIpcGetMemHandle");
  return (*own)(handle, memory);
}

IN_FRONT cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned int flags)
{
  cudaError_t (*own)(void **, cudaIpcMemHandle_t, unsigned int);

  if (Refuse("cudaIpcOpenMemHandle")) return cudaErrorInvalidValue;
  *(void **)&own = dlsym(RTLD_NEXT, "cudaIpcOpenMemHandle");
  return (*own)(memory, handle, flags);
}
#endif

/* As a launcher that shows each rank one device, unless the user's has done so. A machine with one device shows all ranks the same */
static void ShowOneDevice(void)
{
  char   device[16];
  glob_t found;
  int    rank;

  if (glob("/dev/nvidia[0-9]*", 0, NULL, &found)) return;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(device, sizeof(device), "%d", rank % (int)found.gl_pathc);
  setenv("CUDA_VISIBLE_DEVICES", device, 0);
  globfree(&found);
}

static PetscErrorCode ReadOptions(void)
{
  PetscInt    refusing = -1;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-refusing_rank", &refusing, NULL)); /* -1: all */
#if defined(PETSC_HAVE_CUDA)
  PetscCall(PetscOptionsGetString(NULL, NULL, "-refused", refused, sizeof(refused), NULL));
  if (refusing >= 0 && refusing != rank) refused[0] = 0;
#endif
#if !defined(PETSC_HAVE_MPIUNI)
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-node_size", &node_size, NULL));
#endif
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Each rank receives from the next one, and from one far away */
static PetscErrorCode Create(MatType type, Mat *A)
{
  PetscInt begin, end, N;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, ROWS, ROWS, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatMPIAIJSetPreallocation(*A, 3, NULL, 3, NULL));
  PetscCall(MatGetSize(*A, &N, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt col[] = {i, (i + 1) % N, (i + N / 2) % N};

    for (int k = 0; k < 3; k++) PetscCall(MatSetValue(*A, i, col[k], RandomScalar(i, k), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  Reference r;
  Mat       A, B[2];

  MPI_Init(&argc, &argv);
  if (getenv("ONE_DEVICE")) ShowOneDevice();
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(ReadOptions());
  PetscCall(Create(MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  for (int k = 0; k < 2; k++) PetscCall(Create(MATAUTOCSR, &B[k]));
  PetscCall(MatAutoCSRSetExchange(B[1], MAT_AUTOCSR_EXCHANGE_SCATTER));
  for (int round = 0; round < 3; round++) {
    PetscCall(CompareProducts(&r, 2, B, "PETSc's scatter beside it"));
    PetscCall(MatScale(A, -2));
    PetscCall(ReferenceUpdate(&r));
    for (int k = 0; k < 2; k++) PetscCall(MatScale(B[k], -2));
  }
#if defined(PETSC_HAVE_CUDA)
  PetscCheck(!refused[0] || refusals, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Nobody has called %s() of this program", refused);
#endif
#if !defined(PETSC_HAVE_MPIUNI)
  PetscCheck(!node_size || splits, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Nobody has called MPI_Comm_split_type() of this program");
#endif
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&B[k]));
  PetscCall(ReferenceDestroy(&r));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The products agree\n"));
  PetscCall(PetscFinalize());
  MPI_Finalize();
  return 0;
}

/*TEST

  testset:
    requires: cuda defined(PETSC_USE_INFO)
    args: -vec_type cuda -info :mat
    filter: grep -o "exchange entries of x .*\|The products agree" | LC_ALL=C sort -u

    # all on one imitated node
    test:
      suffix: reached
      nsize: {{2 4}}
      args: -node_size 4

    test:
      suffix: nodes
      nsize: {{2 4}}
      args: -node_size 1

    test:
      suffix: two_nodes
      nsize: 4
      args: -node_size 2
      output_file: output/unreachable_nodes.out

    test:
      suffix: all_refused
      nsize: {{2 4}}
      args: -refused cudaIpcOpenMemHandle

    test:
      suffix: one_refused
      nsize: {{2 4}}
      args: -refusing_rank 1 -refused {{cudaIpcOpenMemHandle cudaIpcGetMemHandle}separate output}

  # which way is CUDA's to say
  test:
    suffix: one_device
    requires: cuda
    nsize: {{2 4}}
    args: -vec_type cuda
    env: ONE_DEVICE=1

TEST*/
