/*
  Asynchronous copies of what lies in a row in memory to shared memory; to a warp's, 16 bytes a lane at a time: they hold no
  registers, and the warp goes on meanwhile.
*/
#ifndef AUTOCSR_STREAM_CUH
#define AUTOCSR_STREAM_CUH

#include "agent.cuh"

static constexpr int STREAM_ALIGN = 16;

/* Where in its room the copy of what is at `from` begins: as far past a multiple of 16 bytes as the original */
static __device__ __forceinline__ int StreamLead(const void *from)
{
  return (int)((uintptr_t)from % STREAM_ALIGN);
}

/*
  Begins to copy `bytes` bytes, at most `most`, to a warp's room of most + STREAM_ALIGN; nothing past their end is read. None:
  no copy, for which nobody would wait
*/
template <int most>
static __device__ __forceinline__ void StreamCopy(void *room, const void *from, int bytes)
{
  const int       lead = StreamLead(from), total = bytes ? lead + bytes : 0;
  const char     *base = (const char *)from - lead;
  const PtxShared to   = PtxSharedAddress(room);

#pragma unroll
  for (int i = 0; i * WARP * STREAM_ALIGN < most + STREAM_ALIGN; i++) {
    const int o = (i * WARP + threadIdx.x % WARP) * STREAM_ALIGN;

    if (o < total) PtxCopyPart(to + o, base + o, PetscMin(STREAM_ALIGN, total - o));
  }
}

/* Waits until all that the warp has begun to copy is there */
static __device__ __forceinline__ void StreamWait(void)
{
  PtxWait();
  __syncwarp();
}

/* Begins to copy a tile of n elements of x, by all threads of a block; it is there after the wait and a barrier */
template <int threads>
static __device__ __forceinline__ void CopyTile(PetscScalar *tile, const PetscScalar *x, PetscInt n)
{
  constexpr int   unit  = sizeof(PetscScalar) > 8 ? 8 : (int)sizeof(PetscScalar);
  const PtxShared to    = PtxSharedAddress(tile);
  const char     *from  = (const char *)x;
  const int       bytes = (int)(n * (PetscInt)sizeof(PetscScalar)), whole = (uintptr_t)x % 16 ? 0 : bytes / 16 * 16;

  for (int o = threadIdx.x * 16; o < whole; o += threads * 16) PtxCopy<16>(to + o, from + o);
  for (int o = whole + threadIdx.x * unit; o < bytes; o += threads * unit) PtxCopy<unit>(to + o, from + o);
}

#endif
