static char help[] = "Arrays of the host to the device in the emulator, by one to four threads: sizes around the ends of pieces and of all buffers, several arrays at once, arrays that change as soon as they have gone, and no page-locked memory.\n\n";

#define AUTOCSR_HAVE_CUDA
#include "../../src/mat/impls/autocsr/cuda/runtime/upload.h"
#include "../emulator/backend.h"
#include "../emulator/control.h"

#define PIECE ((PetscInt)AUTOCSR_UPLOAD_PIECE)
#define MOST  3 /* arrays */

static unsigned char ByteOf(PetscInt k, PetscInt i)
{
  return (unsigned char)((i * 2654435761u + 97 * (unsigned)k) >> 13);
}

/* Offsets into memory that no size of a page or word divides */
static PetscErrorCode Check(PetscInt n, const PetscInt bytes[], int threads, const char context[])
{
  AutoCSRUpload  array[MOST];
  unsigned char *host[MOST], *back;
  void          *device[MOST];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(PetscMalloc1(bytes[k] + 3, &host[k]));
    PetscCall(AutoCSRDeviceAllocate((size_t)bytes[k] + 8, &device[k]));
    for (PetscInt i = 0; i < bytes[k]; i++) host[k][3 + i] = ByteOf(k, i);
    array[k] = (AutoCSRUpload){(char *)device[k] + 5, host[k] + 3, (size_t)bytes[k]};
  }
  if (threads)
    PetscCall(AutoCSRDeviceUpload((int)n, array, threads));
  else
    for (PetscInt k = 0; k < n; k++) PetscCall((*emulated.from_host)(array[k].to, array[k].from, array[k].bytes));
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscMemzero(host[k], (size_t)bytes[k] + 3));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(PetscMalloc1(bytes[k] + 1, &back));
    PetscCall(AutoCSRDeviceToHost(back, array[k].to, array[k].bytes));
    for (PetscInt i = 0; i < bytes[k]; i++)
      PetscCheck(back[i] == ByteOf(k, i), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %d threads: byte %" PetscInt_FMT " of %" PetscInt_FMT " of array %" PetscInt_FMT " is another", context, threads, i, bytes[k], k);
    PetscCall(PetscFree(back));
    PetscCall(PetscFree(host[k]));
    PetscCall(AutoCSRDeviceDeallocate(device[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt sizes[]       = {0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, AUTOCSR_UPLOAD_BUFFERS * PIECE + 1, (AUTOCSR_UPLOAD_BUFFERS + 3) * PIECE - 1};
  const PetscInt lists[][MOST] = {{0, 0, 0}, {0, PIECE, 0}, {2 * PIECE, 3 * PIECE - 1, 2 * PIECE + 1}, {1, AUTOCSR_UPLOAD_BUFFERS * PIECE, 1}};
  int            threads;
  void          *buffers;
  PetscBool      refused = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-refused", &refused, NULL));
  EmulatorRefuseHostMemory(refused);
  PetscCall(AutoCSRDeviceFindBuffers(&buffers));
  EmulatorRefuseHostMemory(0); /* it is not asked for again */
  for (int t = 0; t <= 4; t++) { /* 0: the backend's function, which chooses */
    for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(sizes); s++) PetscCall(Check(1, &sizes[s], t, "One array"));
    for (size_t l = 0; l < PETSC_STATIC_ARRAY_LENGTH(lists); l++) PetscCall(Check(MOST, lists[l], t, "Three arrays"));
  }
  PetscCall(AutoCSRDeviceFindBuffers(&buffers));
  PetscCheck(refused == (buffers == NULL), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Buffers in page-locked memory: %s", PetscBools[buffers != NULL]);
  PetscCall(AutoCSRDeviceUploadThreads(&threads));
  PetscCheck(threads >= 1 && threads <= 4, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d threads", threads);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "What arrives is what was sent\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    args: -refused {{0 1}}
    output_file: output/upload_1.out

TEST*/
