/* floor.cu: what a product in CSR moves, without the product. */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <petscsystypes.h>
#include <cuda_runtime.h>

#define FLOOR_ARRAYS 4

typedef struct {
  const void *array[FLOOR_ARRAYS]; /* read once */
  size_t      bytes[FLOOR_ARRAYS];
  void       *y; /* written */
  size_t      y_bytes;
} FloorArrays;

PETSC_EXTERN cudaError_t FloorLaunch(const FloorArrays *, int multiprocessors, cudaStream_t);

#endif
