/*
  Asynchronous copies of what lies in a row in memory to a warp's shared memory, 16 bytes a lane at a time: they hold no
  registers, and the warp goes on meanwhile.
*/
#ifndef AUTOCSR_STREAM_CUH
#define AUTOCSR_STREAM_CUH

#include "agent.cuh"

static constexpr int STREAM_CHUNK = 16;

/* Where in its room the copy of what is at `from` begins: as far past a multiple of 16 bytes as the original */
static __device__ __forceinline__ int StreamLead(const void *from)
{
  return (int)((uintptr_t)from % STREAM_CHUNK);
}

/*
  Begins to copy `bytes` bytes, at most `most`, to a warp's room of most + STREAM_CHUNK; nothing past their end is read. None:
  no copy, for which nobody would wait
*/
template <int most>
static __device__ __forceinline__ void StreamCopy(void *room, const void *from, int bytes)
{
  const int       lead = StreamLead(from), total = bytes ? lead + bytes : 0;
  const char     *base = (const char *)from - lead;
  const PtxShared to   = PtxSharedAddress(room);

#pragma unroll
  for (int i = 0; i * WARP * STREAM_CHUNK < most + STREAM_CHUNK; i++) {
    const int o = (i * WARP + threadIdx.x % WARP) * STREAM_CHUNK;

    if (o < total) PtxCopyPart(to + o, base + o, PetscMin(STREAM_CHUNK, total - o));
  }
}

/* Waits until all that the warp has begun to copy is there */
static __device__ __forceinline__ void StreamWait(void)
{
  PtxWait();
  __syncwarp();
}

#endif
