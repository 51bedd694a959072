/* The rows of a window sorted by a block: longest first, of equals the first (profile/sort.c does the same) */
#ifndef AUTOCSR_SORT_CUH
#define AUTOCSR_SORT_CUH

#include "planner.cuh"
#include <cub/block/block_radix_sort.cuh>

struct WindowSort {
  typedef cub::BlockRadixSort<DeviceUnsigned, AUTOCSR_WINDOW, 1, int> Sort;

  struct Shared {
    PetscInt                   length[AUTOCSR_WINDOW], longest, shortest;
    typename Sort::TempStorage sort;
  };

  /* Thread k brings the length of the window's k-th row, 0 from row n on; returns which row comes k-th */
  static __device__ __forceinline__ int Run(PetscInt length, int n, Shared &s)
  {
    const int k = (int)threadIdx.x;

    s.length[k] = length;
    if (k == 0) {
      s.longest  = 0;
      s.shortest = PETSC_MAX_INT;
    }
    __syncthreads();
    if (__syncthreads_and(k == 0 || k >= n || length <= s.length[k - 1])) return k;

    const PetscInt longest = WarpMax(length), shortest = WarpMin(k < n ? length : PETSC_MAX_INT);
    if (Lane() == 0) {
      AtomicMax(&s.longest, longest);
      AtomicMin(&s.shortest, shortest);
    }
    __syncthreads();

    const DeviceUnsigned range  = (DeviceUnsigned)(s.longest - s.shortest);
    DeviceUnsigned       key[1] = {k < n ? (DeviceUnsigned)(s.longest - length) : range};
    int                  row[1] = {k};
    Sort(s.sort).Sort(key, row, 0, 64 - __clzll((long long)range));
    return row[0];
  }
};

#endif
