/*
  The time in which a GPU can move the bytes of a product in CSR: each array is read once, 16 bytes a load, and y is
  written. No product that reads CSR from memory can be faster.
*/
#include "floor.h"

static constexpr int THREADS = 512, UNROLL
= 4, BLOCKS = 4; /* BLOCKS: of a multiprocessor */

/* The arrays one after the other, in words of 16 bytes; what is left of an array after its last word is not read */
struct Words {
  const uint4 *array[FLOOR_ARRAYS];
  size_t       end[FLOOR_ARRAYS];
};

static __device__ __forceinline__ uint4 Load(const Words &w, size_t i)
{
  const uint4 *from = w.array[0] + i;

#pragma unroll
  for (int a = 1; a < FLOOR_ARRAYS; a++) from = i < w.end[a - 1] ? from : w.array[a] + (i - w.end[a - 1]);
  return __ldg(from);
}

/* What is read goes into what is written, so that no load can be left out */
static __global__ void __launch_bounds__(THREADS, BLOCKS) Floor(Words w, uint4 *y, size_t y_words)
{
  const size_t first = (size_t)blockIdx.x * THREADS + threadIdx.x, step = (size_t)gridDim.x * THREADS;
  uint4        sum = make_uint4(0, 0, 0, 0);

  for (size_t i = first; i < w.end[FLOOR_ARRAYS - 1]; i += UNROLL * step) {
    uint4 part[UNROLL];

#pragma unroll
    for (int u = 0; u < UNROLL; u++) part[u] = i + u * step < w.end[FLOOR_ARRAYS - 1] ? Load(w, i + u * step) : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int u = 0; u < UNROLL; u++) sum = make_uint4(sum.x ^ part[u].x, sum.y ^ part[u].y, sum.z ^ part[u].z, sum.w ^ part[u].w);
  }
  for (size_t i = first; i < y_words; i += step) y[i] = sum;
}

cudaError_t FloorLaunch(const FloorArrays *f, int multiprocessors, cudaStream_t stream)
{
  Words  w;
  size_t words = 0, blocks;

  for (int a = 0; a < FLOOR_ARRAYS; a++) {
    words += f->bytes[a] / sizeof(uint4);
    w.array[a] = (const uint4 *)f->array[a];
    w.end[a]   = words;
  }
  blocks = words / THREADS + 1;
  if (blocks > (size_t)BLOCKS * multiprocessors) blocks = (size_t)BLOCKS * multiprocessors;
  Floor<<<(unsigned)blocks, THREADS, 0, stream>>>(w, (uint4 *)f->y, f->y_bytes / sizeof(uint4));
  return cudaGetLastError();
}
