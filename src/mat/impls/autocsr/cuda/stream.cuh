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
  const int      lead = StreamLead(from), total = bytes ? lead + bytes : 0;
  const char    *base = (const char *)from - lead;
  const unsigned to   = (unsigned)__cvta_generic_to_shared(room);

#pragma unroll
  for (int i = 0; i * WARP * STREAM_CHUNK < most + STREAM_CHUNK; i++) {
    const int o = (i * WARP + threadIdx.x % WARP) * STREAM_CHUNK;

    if (o < total) asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to + o), "l"(base + o), "r"(PetscMin(STREAM_CHUNK, total - o))
                                : "memory");
  }
}

/* Waits until all that the warp has begun to copy is there but for the last `groups` groups of copies */
template <int groups>
static __device__ __forceinline__ void StreamWaitFor(void)
{
  asm volatile("cp.async.wait_group %0;" ::"n"(groups)
               : "memory");
  __syncwarp();
}

/* Waits until all that the warp has begun to copy is there */
static __device__ __forceinline__ void StreamWait(void)
{
  asm volatile("cp.async.wait_all;" ::
                   : "memory");
  __syncwarp();
}

#endif
