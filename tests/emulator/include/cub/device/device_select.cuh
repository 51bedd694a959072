/* CUB's selection, without CUB: on the host, at once */
#ifndef EMULATOR_CUB_DEVICE_SELECT_CUH
#define EMULATOR_CUB_DEVICE_SELECT_CUH

namespace cub {
struct DeviceSelect {
  template <typename In, typename T, typename N, typename Wanted>
  static cudaError_t If(void *storage, size_t &bytes, In in, T *out, T *selected, N n, Wanted wanted, cudaStream_t)
  {
    bytes = 1;
    if (!storage) return cudaSuccess;
    *selected = 0;
    for (N i = 0; i < n; i++) {
      if (wanted(in[i])) out[(*selected)++] = in[i];
    }
    EmulatorWritten(selected, sizeof(T));
    if (*selected) EmulatorWritten(out, (size_t)*selected * sizeof(T));
    return cudaSuccess;
  }
};
} // namespace cub

#endif
