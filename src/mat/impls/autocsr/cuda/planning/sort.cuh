/* The rows of a window sorted by a block: longest first, of equals the first (profile/sort.c does the same) */
#ifndef AUTOCSR_SORT_CUH
#define AUTOCSR_SORT_CUH

#include "planner.cuh"
#include <cub/block/block_radix_sort.cuh>

struct WindowSort {
  typedef cub::BlockRadixSort<DeviceUnsigned, AUTOCSR_WINDOW, 1, int> Sort;
  static constexpr int                                                WARPS = AUTOCSR_WINDOW / WARP, FEW = 32;

  struct Shared {
    PetscInt length[AUTOCSR_WINDOW], longest, shortest;
    union {
      typename Sort::TempStorage sort;
      struct {
        int begin[FEW][WARPS]; /* of rows so much shorter than the longest, in a warp: how many, then where they go */
        int row[AUTOCSR_WINDOW];
      } few;
    };
  };

  /* Rows that differ by fewer than 32 entries: one pass that counts them by length and warp */
  static __device__ __forceinline__ int CountingSort(int shorter, Shared &s)
  {
    const int      k = (int)threadIdx.x, warp = k / WARP;
    const unsigned like   = __match_any_sync(ALL_LANES, shorter);
    const int      before = __popc(like & ((1u << Lane()) - 1));

    s.few.begin[k / WARPS][k % WARPS] = 0;
    __syncthreads();
    if (!before) s.few.begin[shorter][warp] = __popc(like);
    __syncthreads();
    if (k < FEW) {
      int sum = 0;

      for (int w = 0; w < WARPS; w++) sum += s.few.begin[k][w];
      int up_to = sum;
#pragma unroll
      for (int o = 1; o < WARP; o *= 2) {
        const int left = __shfl_up_sync(ALL_LANES, up_to, o);

        if (Lane() >= o) up_to += left;
      }
      up_to -= sum;
      for (int w = 0; w < WARPS; w++) {
        const int n = s.few.begin[k][w];

        s.few.begin[k][w] = up_to;
        up_to += n;
      }
    }
    __syncthreads();
    s.few.row[s.few.begin[shorter][warp] + before] = k;
    __syncthreads();
    return s.few.row[k];
  }

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
    if (range < FEW) return CountingSort((int)key[0], s);
    Sort(s.sort).Sort(key, row, 0, 64 - __clzll((long long)range));
    return row[0];
  }
};

#endif
