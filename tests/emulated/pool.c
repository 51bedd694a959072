static char help[] = "The library's pool of device memory, in the emulator: what plans leave goes back to the device, and little plans that come and go ask for nothing. And rows that end where a PetscInt ends are multiplied as others.\n\n";

#define AUTOCSR_HAVE_CUDA
#include "../../src/mat/impls/autocsr/backend.h"
#include "../emulator/backend.h"
#include "../ends.h"
#include <cuda_runtime.h>

#define MB    ((size_t)1000000)
#define KEEPS 67.2 /* MB that the pool may keep beyond those in use, and a slab */

static double Taken(void)
{
  size_t free, all;

  (void)cudaMemGetInfo(&free, &all);
  return (double)(all - free) / (double)MB;
}

static PetscErrorCode CheckTaken(double least, double most, const char when[])
{
  const double taken = Taken();

  PetscFunctionBeginUser;
  PetscCheck(taken >= least && taken <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %g MB are taken, not %g to %g", when, taken, least, most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  void *plan[3], *scratch;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (int k = 0; k < 10; k++) {
    PetscCall((*emulated.allocate)(10 * MB, &plan[0]));
    PetscCall((*emulated.deallocate)(plan[0]));
    PetscCall(CheckTaken(10, 11, "Between little plans")); /* the next one has the same memory */
  }
  for (int k = 0; k < 3; k++) PetscCall((*emulated.allocate)(60 * MB, &plan[k]));
  PetscCall(CheckTaken(180, 181, "With three plans"));
  PetscCall((*emulated.deallocate)(plan[0]));
  PetscCall(CheckTaken(180, 181, "With two of three plans")); /* the next one may be as large */
  PetscCall(AutoCSRDeviceAllocateScratch(300 * MB, AUTOCSR_STREAM, &scratch));
  PetscCall(AutoCSRDeviceFreeScratch(scratch, AUTOCSR_STREAM));
  PetscCall(CheckTaken(420, 421, "With scratch"));
  PetscCall(AutoCSRDeviceTrim()); /* as when a plan is bound */
  PetscCall(CheckTaken(120, 120 + KEEPS, "After planning"));
  for (int k = 1; k < 3; k++) PetscCall((*emulated.deallocate)(plan[k]));
  PetscCall(CheckTaken(0, KEEPS, "Without plans"));
  PetscCall(EndsCheckAll(&emulated, PETSC_TRUE, 20));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "What is not in use goes back\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    output_file: output/pool_1.out

TEST*/
