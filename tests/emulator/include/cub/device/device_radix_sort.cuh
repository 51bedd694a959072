/* CUB's sort of pairs, without CUB: on the host, at once */
#ifndef EMULATOR_CUB_DEVICE_RADIX_SORT_CUH
#define EMULATOR_CUB_DEVICE_RADIX_SORT_CUH

#include <algorithm>
#include <utility>
#include <vector>

namespace cub {
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
};
} // namespace cub

#endif
