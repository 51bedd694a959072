/* The pieces of a row block, tile after tile, as kernels and encoders go through them: layout/tiled.h */
#ifndef AUTOCSR_DEVICE_TILED_CUH
#define AUTOCSR_DEVICE_TILED_CUH

#include "../../layout/tiled.h"

/* The runs of a row block in as many tiles as a warp has lanes, as one list; by a whole warp */
struct TiledBatches {
  PetscInt start; /* of the lane's tile: its run's first piece, less the pieces of the tiles before it */
  PetscInt end;   /* the pieces up to this tile's run, with it */
  PetscInt total;

  __device__ __forceinline__ PetscInt PieceOf(PetscInt f) const
  {
    int tile = 0;

#pragma unroll
    for (int step = AUTOCSR_TILED_BATCH / 2; step; step /= 2) tile += __shfl_sync(0xffffffffu, end, tile + step - 1) <= f ? step : 0;
    return __shfl_sync(0xffffffffu, start, tile) + f;
  }
};

/* f(batches) for as many tiles at a time */
template <typename F>
static __device__ __forceinline__ void TiledWalkPieces(const PetscInt run_ptr[], PetscInt tiles, PetscInt blocks, PetscInt b, F f)
{
  const int lane = threadIdx.x % AUTOCSR_TILED_BATCH;

  for (PetscInt first = 0; first < tiles; first += AUTOCSR_TILED_BATCH) {
    const PetscInt tile = first + lane, begin = tile < tiles ? run_ptr[tile * blocks + b] : 0, n = tile < tiles ? run_ptr[tile * blocks + b + 1] - begin : 0;
    TiledBatches   batches;

    batches.end = n;
#pragma unroll
    for (int d = 1; d < AUTOCSR_TILED_BATCH; d *= 2) {
      const PetscInt before = __shfl_up_sync(0xffffffffu, batches.end, d);

      if (lane >= d) batches.end += before;
    }
    batches.start = begin - (batches.end - n);
    batches.total = __shfl_sync(0xffffffffu, batches.end, AUTOCSR_TILED_BATCH - 1);
    f(batches);
  }
}

#endif
