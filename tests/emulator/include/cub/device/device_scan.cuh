/* CUB's sums over an array, without CUB: on the host, at once */
#ifndef EMULATOR_CUB_DEVICE_SCAN_CUH
#define EMULATOR_CUB_DEVICE_SCAN_CUH

namespace cub {
struct DeviceScan {
  template <typename T, typename N>
  static cudaError_t InclusiveSum(void *storage, size_t &bytes, const T *in, T *out, N n, cudaStream_t)
  {
    T sum = 0;

    bytes = 1;
    for (N i = 0; i < n && storage; i++) out[i] = sum += in[i];
    if (storage && n) EmulatorWritten(out, (size_t)n * sizeof(T));
    return cudaSuccess;
  }

  template <typename T, typename N>
  static cudaError_t ExclusiveSum(void *storage, size_t &bytes, const T *in, T *out, N n, cudaStream_t)
  {
    T sum = 0;

    bytes = 1;
    for (N i = 0; i < n && storage; i++) {
      const T next = sum + in[i];

      out[i] = sum;
      sum    = next;
    }
    if (storage && n) EmulatorWritten(out, (size_t)n * sizeof(T));
    return cudaSuccess;
  }
};
} // namespace cub

#endif
