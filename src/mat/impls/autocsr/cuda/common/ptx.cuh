/*
  What C++ has no word for: all PTX of this room, and shared memory whose size a launch tells. Words are unsigned integers of 1 to 8 bytes, or ulonglong2. A processor that
  runs the kernels without a device (tests/emulator) has these functions in its own form.
*/
#ifndef AUTOCSR_PTX_CUH
#define AUTOCSR_PTX_CUH

#include "../device.h"

/* What is seldom called and would cost its callers registers */
#define PTX_NO_INLINE __noinline__

/* Loads of what is not written once the kernel has waited for those before it (PtxWaitForLast(); nothing here tells the compiler so: make check-early looks at what it made). A byte comes in a word of 2, as a register holds it: made narrower here, it would be masked */
#define PTX_LOAD(Name, how, type, class, word, from)         \
  static __device__ __forceinline__ word Name(const from *p) \
  {                                                          \
    word w;                                                  \
                                                             \
    asm("ld.global.nc" how "." type " %0, [%1];"             \
        : "=" class(w)                                       \
        : "l"(p));                                           \
    return w;                                                \
  }
/*
  Loads of words that may not exist, which are zero then and not read. Branches around several loads are merged by the
  compiler, and each load waits for the one before; predicated loads in their order do not wait.
*/
#define PTX_LOAD_IF(Name, how, type, class, word, from)                                            \
  static __device__ __forceinline__ word Name(bool exists, const from *p)                          \
  {                                                                                                \
    word w = 0;                                                                                    \
                                                                                                   \
    asm volatile("{.reg .pred q; setp.ne.s32 q, %2, 0; @q ld.global.nc" how "." type " %0, [%1];}" \
                 : "+" class(w)                                                                    \
                 : "l"(p), "r"((int)exists));                                                      \
    return w;                                                                                      \
  }
#define PTX_LOAD_16_IF(Name, how)                                                                      \
  static __device__ __forceinline__ ulonglong2 Name(bool exists, const ulonglong2 *p)                  \
  {                                                                                                    \
    ulonglong2 w = {0};                                                                                \
                                                                                                       \
    asm volatile("{.reg .pred q; setp.ne.s32 q, %3, 0; @q ld.global.nc" how ".v2.u64 {%0, %1}, [%2];}" \
                 : "+l"(w.x), "+l"(w.y)                                                                \
                 : "l"(p), "r"((int)exists));                                                          \
    return w;                                                                                          \
  }
/* clang-format off */
#define PTX_EACH_WORD(do, Name, how)                                       \
  do(Name, how, "u16", "h", unsigned short, unsigned short)                \
  do(Name, how, "u32", "r", unsigned int, unsigned int)                    \
  do(Name, how, "u64", "l", unsigned long long, unsigned long long)
/* clang-format on */

/* Stream: not kept in L1; Cached: kept */
PTX_LOAD(PtxLoadStream, ".L1::no_allocate", "u8", "h", unsigned short, unsigned char)
PTX_EACH_WORD(PTX_LOAD, PtxLoadStream, ".L1::no_allocate")
PTX_LOAD_IF(PtxLoadStreamIf, ".L1::no_allocate", "u8", "h", unsigned short, unsigned char)
PTX_EACH_WORD(PTX_LOAD_IF, PtxLoadStreamIf, ".L1::no_allocate")
PTX_LOAD_16_IF(PtxLoadStreamIf, ".L1::no_allocate")
PTX_EACH_WORD(PTX_LOAD_IF, PtxLoadCachedIf, "")
PTX_LOAD_16_IF(PtxLoadCachedIf, "")

static __device__ __forceinline__ ulonglong2 PtxLoadStream(const ulonglong2 *p)
{
  ulonglong2 w;

  asm("ld.global.nc.L1::no_allocate.v2.u64 {%0, %1}, [%2];"
      : "=l"(w.x), "=l"(w.y)
      : "l"(p));
  return w;
}

/* Adds 1. What was written before is seen by those who count later. Returns what was there */
static __device__ __forceinline__ unsigned PtxCount(unsigned *p)
{
  unsigned before;

  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
               : "=r"(before)
               : "l"(p)
               : "memory");
  return before;
}

/*
  A kernel that is launched early (kernel.c) waits here until those before it have ended and what they wrote is seen. Nothing is
  read or written before. The next one begins when the last block of this one ends: begun sooner, its waiting blocks cost more than they gain
*/
static __device__ __forceinline__ void PtxWaitForLast(void)
{
#if __CUDA_ARCH__ >= 10 * AUTOCSR_EARLY
  asm volatile("griddepcontrol.wait;" ::
                   : "memory");
#endif
}

static __device__ __forceinline__ unsigned char *PtxDynamicShared(void)
{
  extern __shared__ __align__(16) unsigned char room[];

  return room;
}

/*
  By a warp, real double: D += A B with A of 8 rows and 4 columns, B of 4 and 8. Lane l has of A row l / 4 and column l % 4, of
  B row l % 4 and column l / 4, of D row l / 4 and columns 2 (l % 4) and the next
*/
static __device__ __forceinline__ void PtxMultiplyAdd8x8x4(double d[2], double a, double b)
{
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"(a), "d"(b));
#else
  const int lane = (int)threadIdx.x % 32;

  for (int k = 0; k < 4; k++) {
    const double of_row = __shfl_sync(0xffffffffu, a, lane / 4 * 4 + k);

    for (int e = 0; e < 2; e++) d[e] = fma(of_row, __shfl_sync(0xffffffffu, b, (2 * (lane % 4) + e) * 4 + k), d[e]);
  }
#endif
}

/* An address as the copies below want it */
typedef unsigned PtxShared;

static __device__ __forceinline__ PtxShared PtxSharedAddress(void *p)
{
  return (unsigned)__cvta_generic_to_shared(p);
}

/* Begins to copy 4, 8 or 16 bytes, from and to where an object of that size may lie; 16 not through L1 */
template <int bytes>
static __device__ __forceinline__ void PtxCopy(PtxShared to, const void *from)
{
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes)
                 : "memory");
}

/*
  The first `bytes` of 16, up to the end of a word of 4; what lies next in memory is about to be copied too. Not by a copy of 16 that is told to read fewer: compute-sanitizer takes
  it for one that reads all
*/
static __device__ __forceinline__ void PtxCopyPart(PtxShared to, const void *from, int bytes)
{
  if (bytes >= 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from)
                 : "memory");
  else {
    for (int w = 0; w < bytes; w += 4) PtxCopy<4>(to + w, (const char *)from + w);
  }
}

/* Waits for the thread's copies. Other threads see them after a barrier */
static __device__ __forceinline__ void PtxWait(void)
{
  asm volatile("cp.async.wait_all;" ::
                   : "memory");
}

#endif
