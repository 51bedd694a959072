static char help[] = "Pieces of the device's memory, cut from slabs and not, in the emulator.\n\n";

#define AUTOCSR_HAVE_CUDA
#include "../blocks.h"
#include "../emulator/control.h"
#include "../../src/mat/impls/autocsr/cuda/planning/planner.h"

#define SLAB (4 << 20)

/* They are zero past their end, nobody's but their own, and all go back, but for the slab that the next ones are cut from; *kept is in it */
static PetscErrorCode CheckPieces(PetscBool cut, void **kept)
{
  enum { N = 600 };
  unsigned char *there = NULL, *piece[N] = {NULL};
  unsigned char *first = NULL, *last = NULL;
  PetscInt       bytes[N], most      = 0;

  PetscFunctionBeginUser;
  for (PetscInt turn = 0; turn < 4; turn++) {
    for (PetscInt k = 0; k < N; k++) {
      const uint64_t random = Random64(k, turn);

      if (piece[k] && random % 3) continue; /* it stays for another turn */
      if (piece[k]) PetscCall(AutoCSRDeviceDeallocate(piece[k]));
      bytes[k] = (PetscInt)(random / 8 % (random / 4 % 2 ? 300000 : 3000));
      most     = PetscMax(most, bytes[k] + 64);
      PetscCall(AutoCSRDeviceAllocate((size_t)bytes[k], (void **)&piece[k]));
      PetscCheck((uintptr_t)piece[k] % 256 == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A piece is not aligned");
      PetscCheck(!cudaMemsetAsync(piece[k], (int)(k % 255) + 1, (size_t)bytes[k], NULL), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A piece of %" PetscInt_FMT " bytes is not there", bytes[k]);
    }
    PetscCall(PetscMalloc1(most, &there));
    for (PetscInt k = 0; k < N; k++) {
      PetscCall(AutoCSRDeviceToHost(there, piece[k], (size_t)bytes[k] + 64));
      for (PetscInt i = 0; i < bytes[k] + 64; i++) PetscCheck(there[i] == (i < bytes[k] ? k % 255 + 1 : 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Byte %" PetscInt_FMT " of a piece of %" PetscInt_FMT " is %d", i, bytes[k], there[i]);
    }
    PetscCall(PetscFree(there));
  }
  for (PetscInt k = 0; k < N; k++) PetscCall(AutoCSRDeviceDeallocate(piece[(7 * k) % N])); /* 7 and N have no common divisor */
  for (PetscInt k = 0; k < N; k++) {
    if (cudaMemsetAsync(piece[k], 0, 1, NULL)) continue;
    if (!first || piece[k] < first) first = piece[k];
    if (!last || piece[k] > last) last = piece[k];
  }
  PetscCheck(cut ? first && last - first < SLAB : !first, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Pieces that were freed are there still");
  PetscCall(AutoCSRDeviceAllocateZeros(1000, (void **)&piece[0]));
  PetscCall(PetscMalloc1(1064, &there));
  PetscCall(AutoCSRDeviceToHost(there, piece[0], 1064));
  for (PetscInt i = 0; i < 1064; i++) PetscCheck(!there[i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Byte %" PetscInt_FMT " is not zero", i);
  PetscCall(PetscFree(there));
  PetscCall(AutoCSRDeviceDeallocate(piece[0]));
  *kept = piece[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  void *kept;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (int cut = 0; cut < 2; cut++) {
    AutoCSRDeviceCutSlabs((PetscBool)cut);
    PetscCall(CheckPieces((PetscBool)cut, &kept));
    PetscCheck((cudaMemsetAsync(kept, 0, 1, NULL) == cudaSuccess) == cut, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The slab that pieces are cut from is %s", cut ? "gone" : "there");
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Each piece is its own\n"));
  PetscCall(PetscFinalize());
  return cudaMemsetAsync(kept, 0, 1, NULL) ? 0 : 1; /* it is gone */
}

/*TEST

  test:

TEST*/
