/* CUB's block-wide sort, without CUB: one thread puts each item where it goes, between barriers */
#ifndef EMULATOR_CUB_BLOCK_RADIX_SORT_CUH
#define EMULATOR_CUB_BLOCK_RADIX_SORT_CUH

namespace cub {
template <typename Key, int threads, int n, typename Value>
class BlockRadixSort {
public:
  struct TempStorage {
    Key   key[threads * n];
    Value value[threads * n];
    int   place[threads * n];
  };

  BlockRadixSort(TempStorage &storage)
      : s_(storage)
  {
  }

  /* Stable; by the bits [begin, end) */
  void Sort(Key (&key)[n], Value (&value)[n], int begin, int end)
  {
    const int first = (int)threadIdx.x * n;

    for (int i = 0; i < n; i++) {
      s_.key[first + i]   = key[i];
      s_.value[first + i] = value[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      const int bits = end - begin < (int)(8 * sizeof(Key)) ? end - begin : (int)(8 * sizeof(Key));
      const Key mask = bits == (int)(8 * sizeof(Key)) ? (Key) ~(Key)0 : (Key)(((Key)1 << bits) - 1);

      for (int k = 0; k < threads * n; k++) {
        int at = k;

        for (; at && (s_.key[s_.place[at - 1]] >> begin & mask) > (s_.key[k] >> begin & mask); at--) s_.place[at] = s_.place[at - 1];
        s_.place[at] = k;
      }
    }
    __syncthreads();
    for (int i = 0; i < n; i++) {
      key[i]   = s_.key[s_.place[first + i]];
      value[i] = s_.value[s_.place[first + i]];
    }
    __syncthreads();
  }

private:
  TempStorage &s_;
};
} // namespace cub

#endif
