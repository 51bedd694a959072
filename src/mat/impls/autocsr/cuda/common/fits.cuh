/* Models of slices on the device (profile/fit.h): a warp a slice, its lanes take the entries of a row in turn */
#ifndef AUTOCSR_DEVICE_FITS_CUH
#define AUTOCSR_DEVICE_FITS_CUH

#include "../planning/planner.cuh"
#include "../../profile/fit.h"

/* In shared memory, of a warp: the rows of a slice */
struct SliceRows {
  PetscInt begin[WARP], length[WARP];
};

/*
  AutoCSRFitSlice(): the first period alone, as it often leaves nothing; then, of entries that need most, by all other periods which of these may
  leave less (a few lanes tell: irregular rows end here); then these for all entries at once, so that few entries keep all lanes busy
*/
static __device__ __forceinline__ int FitSlice(const PetscInt col[], const SliceRows &rows, PetscInt width, int *period)
{
  static constexpr int OTHERS = AUTOCSR_MAX_PERIOD - 1, WORST = WARP / OTHERS;
  int                  most[AUTOCSR_MAX_PERIOD] = {0}, least = 0, own = 0, worst = 0;
  unsigned             candidates = 0, needs;
  AutoCSRFit           fit;

  for (PetscInt t = Lane(); t < width; t += WARP) {
    const int bytes = AutoCSRFitColumn(col, rows.begin, rows.length, WARP, t, 1, &fit);

    if (bytes > own) worst = (int)t;
    own = max(own, bytes);
  }
  least   = (int)WarpMax(own);
  *period = 1;
  if (!least) return 0;
  /* Up to WORST entries that need so many bytes, each by one lane for each other period */
  needs = __ballot_sync(ALL_LANES, own == least);
  for (int i = 0; i < Lane() / OTHERS % WORST && (needs & (needs - 1)); i++) needs &= needs - 1;
  worst = __shfl_sync(ALL_LANES, worst, __ffs((int)needs) - 1);
  for (int p = 2, bytes = AutoCSRFitColumn(col, rows.begin, rows.length, WARP, worst, 2 + Lane() % OTHERS, &fit); p <= AUTOCSR_MAX_PERIOD; p++) {
    if (!__any_sync(ALL_LANES, Lane() % OTHERS == p - 2 && bytes >= least)) candidates |= 1u << p;
  }
  if (!candidates) return least;
  for (PetscInt i = Lane(); i < width * OTHERS; i += WARP) {
    const int p = 2 + (int)(i / width), bytes = candidates >> p & 1 ? AutoCSRFitColumn(col, rows.begin, rows.length, WARP, i % width, p, &fit) : least;

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
