/* Models of slices on the device (profile/fit.h): a warp a slice, its lanes take the entries of a row in turn */
#ifndef AUTOCSR_DEVICE_FITS_CUH
#define AUTOCSR_DEVICE_FITS_CUH

#include "planner.cuh"
#include "../profile/fit.h"

/* In shared memory, of a warp: the rows of a slice */
struct SliceRows {
  PetscInt begin[WARP], length[WARP];
};

/* AutoCSRFitSlice() */
static __device__ __forceinline__ int FitSlice(const PetscInt col[], const SliceRows &rows, PetscInt width, int *period)
{
  int least = 5;

  for (int p = 1; p <= AUTOCSR_MAX_PERIOD && least; p++) {
    int bytes = 0;

    for (PetscInt t = Lane(); t < width; t += WARP) {
      AutoCSRFit fit;

      bytes = max(bytes, AutoCSRFitColumn(col, rows.begin, rows.length, WARP, t, p, &fit));
    }
    bytes = (int)WarpMax(bytes);
    if (bytes < least) {
      least   = bytes;
      *period = p;
    }
  }
  return least;
}

#endif
