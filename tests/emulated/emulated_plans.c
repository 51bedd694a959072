/*
  device/device_plans.c without a device: profiles, names, plans, refreshes and transposes that the planner's kernels make in the
  emulator are the host's bit by bit, in several orders of blocks and threads. CUB is not emulated, but stood in for
  (emulator/include/cub).
*/
#define AUTOCSR_HAVE_CUDA
#include "../plans.h"
#include "../emulator/backend.h"
#include "../emulator/control.h"

/* In the device's place */
#define AutoCSRBackendCUDA emulated

#define PetscDeviceInitialize(type) ChooseOrder()
static PetscErrorCode ChooseOrder(void)
{
  PetscInt order = EMULATOR_FORWARD;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-order", &order, NULL));
  EmulatorSetOrder((EmulatorOrder)order);
  AutoCSRDeviceCutSlabs((PetscBool)(order == EMULATOR_BACKWARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#include "../device/device_plans.c"

/*TEST

  testset:
    requires: double
    args: -few
    output_file: output/emulated_plans_1.out

    test:
      suffix: forward
      args: -matrix {{2 7 11 16 20 27 30 34}} -order 0

    test:
      suffix: backward
      timeoutfactor: 3
      args: -matrix {{5 8 14 19 24 28 33 45}} -order 1

    test:
      suffix: shuffled
      timeoutfactor: 3
      args: -matrix {{2 8 16 24 30}} -order 2

    test:
      suffix: wide
      timeoutfactor: 3
      args: -matrix {{43 44}} -parts 4 -part 1 -order 1

    test:
      suffix: all
      args: -matrix {{2 5 7 8 11 14 16 19 20 24 27 28 30 33 34 43 44 45}} -order {{0 1 2}}

TEST*/
