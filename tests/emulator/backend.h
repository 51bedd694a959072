/* The device's table of functions where the emulator is the device: cuda/backend.c without what asks a device which one it is, and how fast */
#ifndef EMULATOR_BACKEND_H
#define EMULATOR_BACKEND_H

#include "../../src/mat/impls/autocsr/backend.h"
#include "../../src/mat/impls/autocsr/cuda/runtime/launch.h"
#include "../../src/mat/impls/autocsr/cuda/generator/generator.h"
#include "../../src/mat/impls/autocsr/cuda/planning/planner.h"

static const AutoCSRBackend emulated = {
    .name          = "emulated",
    .slice_height  = AUTOCSR_DEVICE_SLICE_HEIGHT,
    .tile_width    = AUTOCSR_THREADS,
    .tile_height   = 8,
    .tile_steps    = 1,
    .parallel      = PETSC_TRUE,
    .shape_tiles   = AutoCSRDeviceShapeTiles,
    .allocate      = AutoCSRDeviceAllocate,
    .deallocate    = AutoCSRDeviceDeallocate,
    .to_host       = AutoCSRDeviceToHost,
    .from_host     = AutoCSRDeviceFromHost,
    .synchronize   = AutoCSRDeviceSynchronize,
    .profile       = AutoCSRDeviceProfile,
    .fingerprint   = AutoCSRDeviceFingerprint,
    .count_bins    = AutoCSRDeviceCountBins,
    .name_bins     = AutoCSRDeviceNameBins,
    .name_rows     = AutoCSRDeviceNameRows,
    .divide        = AutoCSRDeviceDivide,
    .sort_rows     = AutoCSRDeviceSortRows,
    .encode        = AutoCSRDeviceEncode,
    .refresh       = AutoCSRDeviceRefresh,
    .transpose     = AutoCSRDeviceTranspose,
    .permute       = AutoCSRDevicePermute,
    .executor      = AutoCSRDeviceExecutorOf,
    .find_executor = AutoCSRDeviceFindExecutor,
    .why_none      = AutoCSRGeneratorWhyNone,
    .prepare       = AutoCSRDevicePrepare,
    .bind          = AutoCSRDeviceBind,
    .unbind        = AutoCSRDeviceUnbind,
    .mult          = AutoCSRDeviceMult,
    .mult_dense    = AutoCSRDeviceMultDense,
    .sample_dense  = AutoCSRDeviceSampleDense,
    .pack_rows     = AutoCSRDevicePackRows,
};

#endif
