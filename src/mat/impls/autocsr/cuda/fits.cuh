/* Models of slices on the device (profile/fit.h): a warp a slice, its lanes take the entries of a row in turn */
#ifndef AUTOCSR_DEVICE_FITS_CUH
#define AUTOCSR_DEVICE_FITS_CUH

#include "planner.cuh"
#include "../profile/fit.h"

/* In shared memory, of a warp: the rows of a slice */
struct SliceRows {
  PetscInt begin[WARP], length[WARP];
};

/* AutoCSRFitSlice(): the first period alone, as it often leaves nothing, then all others at once, so that few entries keep all lanes busy */
static __device__ __forceinline__ int FitSlice(const PetscInt col[], const SliceRows &rows, PetscInt width, int *period)
{
  int        most[AUTOCSR_MAX_PERIOD] = {0}, least = 0;
  AutoCSRFit fit;

  for (PetscInt t = Lane(); t < width; t += WARP) least = max(least, AutoCSRFitColumn(col, rows.begin, rows.length, WARP, t, 1, &fit));
  least   = (int)WarpMax(least);
  *period = 1;
  if (!least) return 0;
  for (PetscInt i = Lane(); i < width * (AUTOCSR_MAX_PERIOD - 1); i += WARP) {
    const int p = 2 + (int)(i / width), bytes = AutoCSRFitColumn(col, rows.begin, rows.length, WARP, i % width, p, &fit);

#pragma unroll
    for (int q = 2; q <= AUTOCSR_MAX_PERIOD; q++) {
      if (p == q) most[q - 1] = max(most[q - 1], bytes);
    }
  }
#pragma unroll
  for (int q = 2; q <= AUTOCSR_MAX_PERIOD; q++) {
    const int bytes = (int)WarpMax(most[q - 1]);

    if (bytes >= least) continue;
    least   = bytes;
    *period = q;
  }
  return least;
}

#endif
