/* CUB's sort of pairs, without CUB: on the host, at once */
#ifndef EMULATOR_CUB_DEVICE_RADIX_SORT_CUH
#define EMULATOR_CUB_DEVICE_RADIX_SORT_CUH

#include <algorithm>
#include <string.h>
#include <utility>
#include <vector>

namespace cub {
template <typename T>
struct DoubleBuffer {
  T  *d_buffers[2];
  int selector;

  DoubleBuffer(T *current, T *alternate)
      : d_buffers{current, alternate}, selector(0)
  {
  }
  T *Current()
  {
    return d_buffers[selector];
  }
  T *Alternate()
  {
    return d_buffers[1 - selector];
  }
};

struct DeviceRadixSort {
  /* By the bits [begin, end) */
  template <typename Key, typename Value, typename N>
  static cudaError_t SortPairs(void *storage, size_t &bytes, const Key *key, Key *sorted_key, const Value *value, Value *sorted, N n, int begin, int end, cudaStream_t)
  {
    const auto bits = [=](Key k) {
      const unsigned long long u = (unsigned long long)k >> begin;

      return end - begin < 64 ? u & ((1ull << (end - begin)) - 1) : u;
    };
    std::vector<std::pair<Key, Value>> pair;

    bytes = 1;
    if (!storage || !n) return cudaSuccess;
    for (N i = 0; i < n; i++) pair.push_back({key[i], value[i]});
    std::stable_sort(pair.begin(), pair.end(), [&](const auto &a, const auto &b) { return bits(a.first) < bits(b.first); });
    for (N i = 0; i < n; i++) {
      sorted_key[i] = pair[(size_t)i].first;
      sorted[i]     = pair[(size_t)i].second;
    }
    EmulatorWritten(sorted_key, (size_t)n * sizeof(Key));
    EmulatorWritten(sorted, (size_t)n * sizeof(Value));
    return cudaSuccess;
  }

  /* By all bits that keys have */
  template <typename Key, typename N>
  static cudaError_t SortKeys(void *storage, size_t &bytes, const Key *key, Key *sorted, N n, int begin, int end, cudaStream_t)
  {
    bytes = 1;
    if (!storage || !n) return cudaSuccess;
    for (N i = 0; i < n; i++) {
      if (begin || (end < 64 && (unsigned long long)key[i] >> end)) return cudaErrorInvalidValue;
      sorted[i] = key[i];
    }
    std::sort(sorted, sorted + n);
    EmulatorWritten(sorted, (size_t)n * sizeof(Key));
    return cudaSuccess;
  }

  /* Each 8 bits are a pass, from one buffer to the other; what was in the one that is not the last is lost */
  template <typename Key, typename Value, typename N>
  static cudaError_t SortPairs(void *storage, size_t &bytes, DoubleBuffer<Key> &key, DoubleBuffer<Value> &value, N n, int begin, int end, cudaStream_t stream)
  {
    const cudaError_t error = SortPairs(storage, bytes, (const Key *)key.Current(), key.Alternate(), (const Value *)value.Current(), value.Alternate(), n, begin, end, stream);

    if (!storage || !n) return error;
    if ((end - begin + 7) / 8 % 2) {
      key.selector   = 1 - key.selector;
      value.selector = 1 - value.selector;
    } else {
      std::copy(key.Alternate(), key.Alternate() + n, key.Current());
      std::copy(value.Alternate(), value.Alternate() + n, value.Current());
      EmulatorWritten(key.Current(), (size_t)n * sizeof(Key));
      EmulatorWritten(value.Current(), (size_t)n * sizeof(Value));
    }
    memset((void *)key.Alternate(), 0xff, (size_t)n * sizeof(Key));
    memset((void *)value.Alternate(), 0xff, (size_t)n * sizeof(Value));
    return error;
  }
};
} // namespace cub

#endif
