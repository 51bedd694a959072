/* What the kernels for heavy tiles of adaptive sparse tiles share (dense_adaptive.cu, sampled_adaptive.cu): a block of threads takes a row panel */
#ifndef AUTOCSR_DENSE_TILES_CUH
#define AUTOCSR_DENSE_TILES_CUH

#include "dense_panel.cuh"
#include "../../layout/adaptive.h"

static constexpr int HEIGHT = AUTOCSR_DEVICE_ADAPTIVE_HEIGHT, WIDTH = AUTOCSR_DEVICE_ADAPTIVE_WIDTH;

/* The rows of a panel that a heavy tile reads, by slot; a group of lanes has every groups-th row of the row panel, `rows` of them */
template <int lanes>
struct TileRows {
  static constexpr int groups = AUTOCSR_THREADS / lanes, rows = HEIGHT / groups > 1 ? HEIGHT / groups : 1;

  alignas(16) DenseUnit unit[WIDTH][lanes];

  __device__ __forceinline__ void Load(const DenseUnit panel[], const PetscInt map[])
  {
    const int lane = (int)threadIdx.x % lanes;

    for (int s = (int)threadIdx.x / lanes; s < WIDTH; s += groups) {
      const PetscInt column = LoadCached(map + s);

      if (column != AUTOCSR_ADAPTIVE_NONE) unit[s][lane] = LoadCachedIf(true, panel + (size_t)column * lanes + lane);
    }
  }
};

#endif
