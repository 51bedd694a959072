/* The device as a backend: the table of what the files of this room do */
#include "device.h"
#include "launch.h"

const AutoCSRBackend AutoCSRBackendCUDA = {
    .name          = "cuda",
    .slice_height  = AUTOCSR_DEVICE_SLICE_HEIGHT,
    .tile_width    = AUTOCSR_BLOCK,
    .tile_height   = 8,
    .tile_steps    = 1,
    .allocate      = AutoCSRDeviceAllocate,
    .release       = AutoCSRDeviceRelease,
    .to_host       = AutoCSRDeviceToHost,
    .from_host     = AutoCSRDeviceFromHost,
    .synchronize   = AutoCSRDeviceSynchronize,
    .find_executor = AutoCSRDeviceFindExecutor,
    .bind          = AutoCSRDeviceBind,
    .unbind        = AutoCSRDeviceUnbind,
    .mult          = AutoCSRDeviceMult,
};
