/* The device as a backend: the table of what the files of this room do */
#include "device.h"
#include "launch.h"
#include "planner.h"

const AutoCSRBackend AutoCSRBackendCUDA = {
    .name             = "cuda",
    .slice_height     = AUTOCSR_DEVICE_SLICE_HEIGHT,
    .most             = PETSC_MAX_INT / 2 - 4096, /* lanes run past the ends of rows, by the longest row and a few entries each at most */
    .tile_width       = AUTOCSR_BLOCK,
    .tile_height      = 8,
    .tile_steps       = 1,
    .parallel         = PETSC_TRUE,
    .shape_tiles      = AutoCSRDeviceShapeTiles,
    .allocate         = AutoCSRDeviceAllocate,
    .release          = AutoCSRDeviceRelease,
    .to_host          = AutoCSRDeviceToHost,
    .from_host        = AutoCSRDeviceFromHost,
    .synchronize      = AutoCSRDeviceSynchronize,
    .profile          = AutoCSRDeviceProfile,
    .count_bins       = AutoCSRDeviceCountBins,
    .name_bins        = AutoCSRDeviceNameBins,
    .name_rows        = AutoCSRDeviceNameRows,
    .sort_rows        = AutoCSRDeviceSortRows,
    .encode           = AutoCSRDeviceEncode,
    .refresh          = AutoCSRDeviceRefresh,
    .transpose        = AutoCSRDeviceTranspose,
    .permute          = AutoCSRDevicePermute,
    .identify         = AutoCSRDeviceIdentify,
    .instruction_sets = AutoCSRDeviceInstructionSets,
    .round            = 100e-6,
    .measure_memory   = AutoCSRDeviceMeasureMemory,
    .find_executor    = AutoCSRDeviceFindExecutor,
    .bind             = AutoCSRDeviceBind,
    .unbind           = AutoCSRDeviceUnbind,
    .mult             = AutoCSRDeviceMult,
    .mult_dense       = AutoCSRDeviceMultDense,
    .sample_dense     = AutoCSRDeviceSampleDense,
};
