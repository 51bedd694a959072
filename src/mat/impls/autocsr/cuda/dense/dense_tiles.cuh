/* What the kernels for heavy tiles of adaptive sparse tiles share (dense_adaptive.cu, sampled_adaptive.cu): a block of threads takes a row panel */
#ifndef AUTOCSR_DENSE_TILES_CUH
#define AUTOCSR_DENSE_TILES_CUH

#include "dense_panel.cuh"
#include "../../layout/adaptive.h"

static constexpr int HEIGHT = AUTOCSR_DEVICE_ADAPTIVE_HEIGHT, WIDTH = AUTOCSR_DEVICE_ADAPTIVE_WIDTH;

#endif
