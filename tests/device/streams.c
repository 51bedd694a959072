static char help[] = "Products of one matrix on two streams of a device in turn: what one leaves for the next is not in use any more.\n\n";

#include <petscautocsr.h>
#include <petscdevice.h>
#include "../compare.h"

#define M     60000
#define TURNS 200
#define OWN   ((PetscStreamType)1) /* a stream of its own for each part; its name changes with the version */

/* Rows of 3 to 40 entries, and one of many. Of the strategies that have scratch those whose products were wrong without a wait are tried */
static PetscErrorCode Create(Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, M, M, M, M));
  PetscCall(MatSetType(*A, MATAUTOCSR));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 40, NULL));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < M; i++) {
    const PetscInt n = i == M / 3 ? 20000 : 3 + (PetscInt)Random(i, 0, 38);

    for (PetscInt k = 0; k < n; k++) PetscCall(MatSetValue(*A, i, (PetscInt)Random(i, k + 1, M), RandomScalar(i, k), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscDeviceContext whole, *part;
  PetscBool          host = PETSC_FALSE; /* x is on the host */
  Mat                A;
  Vec                x[2], y[2], ref[2];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-host", &host, NULL));
  PetscCall(Create(&A));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(A, &x[k], &y[k]));
    PetscCall(VecDuplicate(y[k], &ref[k]));
    PetscCall(VecBindToCPU(x[k], host));
    PetscCall(VecSetScattered(x[k], k + 1));
  }
  PetscCall(PetscDeviceContextGetCurrentContext(&whole));
  for (int round = 0; round < 4; round++) {
    PetscErrorCode (*const mult)(Mat, Vec, Vec) = round % 2 ? MatMultTranspose : MatMult;

    for (int k = 0; k < 2; k++) PetscCall((*mult)(A, x[k], ref[k]));
    PetscCall(PetscDeviceContextSynchronize(whole)); /* the streams of its parts wait for nothing else */
    PetscCall(PetscDeviceContextForkWithStreamType(whole, OWN, 2, &part));
    for (int turn = 0; turn < TURNS; turn++) {
      for (int k = 0; k < 2; k++) {
        PetscCall(PetscDeviceContextSetCurrentContext(part[k]));
        PetscCall((*mult)(A, x[k], y[k]));
      }
    }
    PetscCall(PetscDeviceContextSetCurrentContext(whole));
    PetscCall(PetscDeviceContextJoin(whole, 2, PETSC_DEVICE_CONTEXT_JOIN_DESTROY, &part));
    for (int k = 0; k < 2; k++) {
      PetscBool same;

      PetscCall(VecEqual(y[k], ref[k], &same));
      PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Another product on stream %d in round %d", k, round);
    }
    if (round % 2) PetscCall(MatScale(A, -0.5));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&x[k]));
    PetscCall(VecDestroy(&y[k]));
    PetscCall(VecDestroy(&ref[k]));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Streams take turns\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    requires: cuda
    args: -mat_autocsr_strategy {{coltile propagate popular}}

  test:
    suffix: 2
    requires: cuda
    output_file: output/streams_1.out
    args: -host

TEST*/
