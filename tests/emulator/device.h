/* The language of kernels, as far as ours go: put before every source of the device's room. What threads do together is in collective.cxx, the rest in callbacks.cxx */
#ifndef EMULATOR_DEVICE_H
#define EMULATOR_DEVICE_H

#include "include/cuda_runtime.h"
#include <cmath>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __shared__      static
#define __forceinline__ inline __attribute__((always_inline))
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
/* A function whose own accesses are not told; it tells of them, with the place where it was called */
#define EMULATOR_UNWATCHED static __attribute__((no_sanitize("thread"), noinline, unused))
#define EMULATOR_SITE      __builtin_return_address(0)

struct EmulatorIndex {
  unsigned x, y, z;
};

struct alignas(16) ulonglong2 {
  unsigned long long x, y;
};

extern "C" {
/* Where a thread is does not change while it runs */
__attribute__((const)) EmulatorIndex EmulatorThreadIndex(void);
__attribute__((const)) EmulatorIndex EmulatorBlockIndex(void);
__attribute__((const)) EmulatorIndex EmulatorThreads(void);
__attribute__((const)) EmulatorIndex EmulatorBlocks(void);
unsigned long long                   EmulatorMeet(int operation, unsigned mask, unsigned long long value, int argument, int width);
void                                 EmulatorReadOnce(const void *, size_t, const void *site);
void                                 EmulatorAtomic(const void *, size_t, const void *site);
void                                 EmulatorCount(const void *, const void *site);
void                                 EmulatorWaitForLast(void);
void                                 EmulatorCopy(void *to, const void *from, int bytes, int room);
void                                 EmulatorCopiesWait(void);
void                                 EmulatorWritten(const void *, size_t); /* by a library: include/cub */
}

#define threadIdx EmulatorThreadIndex()
#define blockIdx  EmulatorBlockIndex()
#define blockDim  EmulatorThreads()
#define gridDim   EmulatorBlocks()

/* ---- Together; the numbers are those of emulator.h */

#define __syncthreads()     (void)EmulatorMeet(0, 0, 0, 0, 0)
#define __syncwarp()        (void)EmulatorMeet(1, 0xffffffffu, 0, 0, 0)
#define __ballot_sync(m, v) (unsigned)EmulatorMeet(6, m, (v) != 0, 0, 0)
#define __any_sync(m, v)    (int)EmulatorMeet(7, m, (v) != 0, 0, 0)
#define __all_sync(m, v)    (int)EmulatorMeet(8, m, (v) != 0, 0, 0)

static __attribute__((unused)) int __syncthreads_count(int v)
{
  __shared__ int of_warp[32];
  int            all = 0;

  of_warp[threadIdx.x / 32] = __builtin_popcount(__ballot_sync(0xffffffffu, v));
  __syncthreads();
  for (unsigned w = 0; w < blockDim.x / 32; w++) all += of_warp[w];
  __syncthreads();
  return all;
}

static __attribute__((unused)) int __syncthreads_or(int v)
{
  return __syncthreads_count(v) > 0;
}

static __attribute__((unused)) int __syncthreads_and(int v)
{
  __shared__ int of_warp[32];
  int            all = 1;

  of_warp[threadIdx.x / 32] = __all_sync(0xffffffffu, v);
  __syncthreads();
  for (unsigned w = 0; w < blockDim.x / 32; w++) all = all && of_warp[w];
  __syncthreads();
  return all;
}

template <typename T>
static __forceinline__ T EmulatorShuffle(int operation, unsigned mask, T v, int argument, int width)
{
  unsigned long long bits = 0;

  static_assert(sizeof(T) <= sizeof(bits), "No more than 8 bytes are shuffled at once");
  memcpy(&bits, &v, sizeof(v));
  bits = EmulatorMeet(operation, mask, bits, argument, width);
  memcpy(&v, &bits, sizeof(v));
  return v;
}

template <typename T>
static __forceinline__ T __shfl_sync(unsigned mask, T v, int lane, int width = 32)
{
  return EmulatorShuffle(2, mask, v, lane, width);
}

template <typename T>
static __forceinline__ T __shfl_up_sync(unsigned mask, T v, unsigned lanes, int width = 32)
{
  return EmulatorShuffle(3, mask, v, (int)lanes, width);
}

template <typename T>
static __forceinline__ T __shfl_down_sync(unsigned mask, T v, unsigned lanes, int width = 32)
{
  return EmulatorShuffle(4, mask, v, (int)lanes, width);
}

template <typename T>
static __forceinline__ T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32)
{
  return EmulatorShuffle(5, mask, v, lanes, width);
}

template <typename T>
static __forceinline__ unsigned __match_any_sync(unsigned mask, T v)
{
  unsigned long long bits = 0;

  memcpy(&bits, &v, sizeof(v));
  return (unsigned)EmulatorMeet(9, mask, bits, 0, 0);
}

static __forceinline__ unsigned __reduce_add_sync(unsigned mask, unsigned v)
{
  return (unsigned)EmulatorMeet(10, mask, v, 0, 0);
}

static __forceinline__ unsigned __reduce_min_sync(unsigned mask, unsigned v)
{
  return (unsigned)EmulatorMeet(11, mask, v, 0, 0);
}

static __forceinline__ unsigned __reduce_max_sync(unsigned mask, unsigned v)
{
  return (unsigned)EmulatorMeet(12, mask, v, 0, 0);
}

static __forceinline__ int __reduce_min_sync(unsigned mask, int v)
{
  return (int)EmulatorMeet(13, mask, (unsigned)v, 0, 0);
}

static __forceinline__ int __reduce_max_sync(unsigned mask, int v)
{
  return (int)EmulatorMeet(14, mask, (unsigned)v, 0, 0);
}

static __forceinline__ unsigned __reduce_and_sync(unsigned mask, unsigned v)
{
  return (unsigned)EmulatorMeet(15, mask, v, 0, 0);
}

static __forceinline__ unsigned __reduce_or_sync(unsigned mask, unsigned v)
{
  return (unsigned)EmulatorMeet(16, mask, v, 0, 0);
}

/* ---- Alone */

static inline int __popc(unsigned v)
{
  return __builtin_popcount(v);
}

static inline int __clz(int v)
{
  return v ? __builtin_clz((unsigned)v) : 32;
}

static inline int max(int a, int b)
{
  return a > b ? a : b;
}

static inline int __clzll(long long v)
{
  return v ? __builtin_clzll((unsigned long long)v) : 64;
}

static inline int __ffs(int v)
{
  return __builtin_ffs(v);
}

template <typename T>
EMULATOR_UNWATCHED T __ldg(const T *p)
{
  EmulatorReadOnce(p, sizeof(T), EMULATOR_SITE);
  return *p;
}

/* What other blocks have written, from where all see it: an access like any other */
#define __ldcg(p)              (*(p))
#define __threadfence_system() (void)0

#define EMULATOR_ATOMIC(name, after)             \
  template <typename T, typename V>              \
  EMULATOR_UNWATCHED T name(T *p, V v)           \
  {                                              \
    T before;                                    \
                                                 \
    EmulatorAtomic(p, sizeof(T), EMULATOR_SITE); \
    before = *p;                                 \
    *p     = after;                              \
    return before;                               \
  }
EMULATOR_ATOMIC(atomicAdd, before + (T)v)
EMULATOR_ATOMIC(atomicMax, (T)v > before ? (T)v : before)
EMULATOR_ATOMIC(atomicMin, (T)v < before ? (T)v : before)
EMULATOR_ATOMIC(atomicOr, before | (T)v)

template <typename T, typename C, typename V>
EMULATOR_UNWATCHED T atomicCAS(T *p, C compare, V v)
{
  T before;

  EmulatorAtomic(p, sizeof(T), EMULATOR_SITE);
  before = *p;
  if (before == (T)compare) *p = (T)v;
  return before;
}

/* ---- early.cuh, in place of which this is included */
#define AUTOCSR_EARLY_CUH

/* run(call) runs the kernel in a thread; cudaGetLastError() tells how it went. A stream that is captured keeps a copy of the `bytes` of the call */
void EmulatorLaunch(const void *kernel, bool early, dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream, void (*run)(const void *), const void *call, size_t bytes);

template <typename... P>
static inline auto EmulatorLaunchOf(bool early, void (*kernel)(P...), dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream)
{
  return [=](P... p) {
    const auto call = [=]() __attribute__((no_sanitize("thread")))
    {
      kernel(p...);
    };

    EmulatorLaunch((const void *)kernel, early, blocks, threads, shared, stream, [](const void *c) __attribute__((no_sanitize("thread"))) { (*(decltype(call) *)c)(); }, &call, sizeof(call));
  };
}

template <typename... P>
static inline auto Launch(void (*kernel)(P...), dim3 blocks, dim3 threads, size_t shared, cudaStream_t stream)
{
  return EmulatorLaunchOf(true, kernel, blocks, threads, shared, stream);
}

/* ---- ptx.cuh, in place of which this is included */

#define AUTOCSR_PTX_CUH

template <typename W>
EMULATOR_UNWATCHED W PtxLoadStream(const W *p)
{
  EmulatorReadOnce(p, sizeof(W), EMULATOR_SITE);
  return *p;
}

template <typename W>
EMULATOR_UNWATCHED W PtxLoadStreamIf(bool exists, const W *p)
{
  if (!exists) return W{};
  EmulatorReadOnce(p, sizeof(W), EMULATOR_SITE);
  return *p;
}

template <typename W>
EMULATOR_UNWATCHED W PtxLoadCachedIf(bool exists, const W *p)
{
  if (!exists) return W{};
  EmulatorReadOnce(p, sizeof(W), EMULATOR_SITE);
  return *p;
}

EMULATOR_UNWATCHED unsigned PtxCount(unsigned *p)
{
  EmulatorCount(p, EMULATOR_SITE);
  return (*p)++;
}

extern unsigned char EmulatorShared[];

#define PTX_NO_INLINE

static inline unsigned char *PtxDynamicShared(void)
{
  return EmulatorShared;
}

/* All lanes of a warp put down what they have, which costs less than a shuffle for each product */
EMULATOR_UNWATCHED void PtxMultiplyAdd8x8x4(double d[2], double a, double b)
{
  __shared__ double all_a[1024], all_b[1024]; /* of a thread block */
  const int         lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x - lane;

  all_a[warp + lane] = a;
  all_b[warp + lane] = b;
  __syncwarp();
  for (int k = 0; k < 4; k++) {
    for (int e = 0; e < 2; e++) d[e] = std::fma(all_a[warp + lane / 4 * 4 + k], all_b[warp + (2 * (lane % 4) + e) * 4 + k], d[e]);
  }
  __syncwarp();
}

typedef char *PtxShared;

static inline PtxShared PtxSharedAddress(void *p)
{
  return (PtxShared)p;
}

template <int bytes>
static inline void PtxCopy(PtxShared to, const void *from)
{
  EmulatorCopy(to, from, bytes, bytes);
}

static inline void PtxCopyPart(PtxShared to, const void *from, int bytes)
{
  if (bytes >= 16)
    EmulatorCopy(to, from, 16, 16);
  else {
    for (int w = 0; w < bytes; w += 4) EmulatorCopy(to + w, (const char *)from + w, 4, 4);
  }
}

static inline void PtxWaitForLast(void)
{
  EmulatorWaitForLast();
}

static inline void PtxWait(void)
{
  EmulatorCopiesWait();
}

#endif
