/* CUB's block-wide sums, without CUB: one thread adds, between barriers */
#ifndef EMULATOR_CUB_BLOCK_SCAN_CUH
#define EMULATOR_CUB_BLOCK_SCAN_CUH

namespace cub {
template <typename T, int threads>
class BlockScan {
public:
  struct TempStorage {
    T sum[threads + 1];
  };

  BlockScan(TempStorage &storage)
      : s_(storage)
  {
  }

  void ExclusiveSum(T item, T &before, T &all)
  {
    before = Before(item);
    all    = s_.sum[threads];
  }

  template <int n>
  void ExclusiveSum(const T (&item)[n], T (&before)[n], T &all)
  {
    T own = 0, next;

    for (int i = 0; i < n; i++) own += item[i];
    next = Before(own);
    for (int i = 0; i < n; i++) {
      const T here = item[i];

      before[i] = next;
      next += here;
    }
    all = s_.sum[threads];
  }

  template <int n>
  void InclusiveSum(const T (&item)[n], T (&up_to)[n], T &all)
  {
    T own[n];

    for (int i = 0; i < n; i++) own[i] = item[i];
    ExclusiveSum(own, up_to, all);
    for (int i = 0; i < n; i++) up_to[i] += own[i];
  }

private:
  TempStorage &s_;

  /* The sum of the items of the threads before this one */
  T Before(T item)
  {
    s_.sum[threadIdx.x] = item;
    __syncthreads();
    if (threadIdx.x == 0) {
      T next = 0;

      for (int k = 0; k <= threads; k++) {
        const T here = k < threads ? s_.sum[k] : 0;

        s_.sum[k] = next;
        next += here;
      }
    }
    __syncthreads();
    return s_.sum[threadIdx.x];
  }
};
} // namespace cub

#endif
