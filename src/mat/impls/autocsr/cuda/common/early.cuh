/*
  Kernels launched early: before those before them on the stream have ended, for which they wait themselves (PtxWaitForLast(), first of all; kernels without it, of figures.cu and diagonal.cu, are launched by <<<>>>). It saves the
  host a fifth of a launch (kernel.c), and the device the time between two kernels. A processor that runs the kernels without a device
  (tests/emulator) has a launch in its own form.
*/
#ifndef AUTOCSR_EARLY_CUH
#define AUTOCSR_EARLY_CUH

#include "ptx.cuh"

/* Launch(kernel, ...)(parameters): cudaGetLastError() tells how it went */
template <typename... P>
static inline auto Launch(void (*kernel)(P...), dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream)
{
  return [=](P... p) {
    void               *parameters[] = {(void *)&p...};
    cudaLaunchAttribute early        = {};
    cudaLaunchConfig_t  config       = {};

    early.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim                                   = blocks;
    config.blockDim                                  = threads;
    config.dynamicSmemBytes                          = shared;
    config.stream                                    = stream;
    config.attrs                                     = &early;
    config.numAttrs                                  = AutoCSRDeviceIsEarly((const void *)kernel) ? 1 : 0;
    (void)cudaLaunchKernelExC(&config, (const void *)kernel, parameters);
  };
}

#endif
