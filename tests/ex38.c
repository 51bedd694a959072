/*
  ex30 without a device: profiles, names, plans, refreshes and transposes that the planner's kernels make in the emulator are
  the host's bit by bit, in several orders of blocks and threads. CUB is not emulated, but stood in for (emulator/include/cub).
*/
#define AUTOCSR_HAVE_CUDA
#include "plans.h"
#include "emulator/control.h"
#include "../src/mat/impls/autocsr/cuda/launch.h"
#include "../src/mat/impls/autocsr/cuda/planner.h"

/* In the device's place */
#define AutoCSRBackendCUDA emulated
static const AutoCSRBackend emulated = {
    .name          = "emulated",
    .slice_height  = AUTOCSR_DEVICE_SLICE_HEIGHT,
    .most          = PETSC_MAX_INT / 2,
    .parallel      = PETSC_TRUE,
    .allocate      = AutoCSRDeviceAllocate,
    .release       = AutoCSRDeviceRelease,
    .to_host       = AutoCSRDeviceToHost,
    .from_host     = AutoCSRDeviceFromHost,
    .synchronize   = AutoCSRDeviceSynchronize,
    .profile       = AutoCSRDeviceProfile,
    .count_bins    = AutoCSRDeviceCountBins,
    .name_bins     = AutoCSRDeviceNameBins,
    .name_rows     = AutoCSRDeviceNameRows,
    .sort_rows     = AutoCSRDeviceSortRows,
    .encode        = AutoCSRDeviceEncode,
    .refresh       = AutoCSRDeviceRefresh,
    .transpose     = AutoCSRDeviceTranspose,
    .permute       = AutoCSRDevicePermute,
    .find_executor = AutoCSRDeviceFindExecutor,
    .bind          = AutoCSRDeviceBind,
    .unbind        = AutoCSRDeviceUnbind,
    .mult          = AutoCSRDeviceMult,
};

#define PetscDeviceInitialize(type) ChooseOrder()
static PetscErrorCode ChooseOrder(void)
{
  PetscInt order = EMULATOR_FORWARD;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-order", &order, NULL));
  EmulatorSetOrder((EmulatorOrder)order);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#include "ex30.c"

/*TEST

  test:
    requires: double
    args: -few -matrix {{2 5 7 8 11 14 16 19 24 27 28 30 39 40}} -order {{0 1 2}}

TEST*/
