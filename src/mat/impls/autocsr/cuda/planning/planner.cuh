/*
  What the planner's kernels share: memory for the time of a function, CUB's temporary storage, sums and maxima of a warp, and
  what the last block of a grid does for all.

  A small matrix waits for launches, copies and waits. So the last thread block of a kernel adds up what the others found
  and writes it to page-locked memory (the mailbox). It also sets the counters back to zero. This takes no copy and no
  memset, and one wait where the host must know a size.
*/
#ifndef AUTOCSR_PLANNER_CUH
#define AUTOCSR_PLANNER_CUH

#include "planner.h"
#include "../common/early.cuh"
#include "../common/words.cuh"
#include "../../plan/plan.h"
#include "../../layout/block.h"
#include "../../layout/pattern.h"
#include "../../layout/popular.h"
#include "../../layout/sliced.h"
#include "../../layout/work.h"
#include <type_traits>
#include <utility>

#define ALL_LANES 0xffffffffu

static constexpr int WARP  = AUTOCSR_DEVICE_SLICE_HEIGHT; /* no macros: CUB has parameters of these names */
static constexpr int BLOCK = 256;                         /* threads of most kernels here */

typedef std::make_unsigned<PetscInt>::type DeviceUnsigned;
typedef unsigned long long                 DeviceCount; /* as the atomics want it */

/* Memory of the device that ends with its scope, on every path out of it */
class DeviceScratch {
public:
  DeviceScratch()
      : data_(NULL), stream_(NULL)
  {
  }
  ~DeviceScratch()
  {
    (void)AutoCSRDeviceFreeScratch(data_, stream_);
  }
  DeviceScratch(const DeviceScratch &)            = delete;
  DeviceScratch &operator=(const DeviceScratch &) = delete;

  template <typename T>
  PetscErrorCode Allocate(size_t count, T **data, cudaStream_t stream = AUTOCSR_STREAM)
  {
    PetscFunctionBegin;
    *data   = NULL;
    stream_ = stream;
    PetscCall(AutoCSRDeviceAllocateScratch(count * sizeof(T), stream, &data_));
    *data = (T *)data_;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void Swap(DeviceScratch &other)
  {
    std::swap(data_, other.data_);
    std::swap(stream_, other.stream_);
  }

private:
  void        *data_;
  cudaStream_t stream_;
};

/* call(temporary, bytes) is one of CUB's device-wide functions: asked for its temporary storage, then run */
template <typename Call>
static inline PetscErrorCode RunWithStorage(Call call)
{
  DeviceScratch scratch;
  char         *temporary;
  size_t        bytes = 0;

  PetscFunctionBegin;
  AutoCSRCallCUDA(call((void *)NULL, bytes));
  PetscCall(scratch.Allocate(bytes, &temporary));
  AutoCSRCallCUDA(call((void *)temporary, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static __host__ __device__ __forceinline__ PetscInt Pieces(PetscInt n, PetscInt of)
{
  return n / of + (n % of > 0);
}

/* Blocks of a grid whose threads or warps stride over n pieces of work: enough to fill the device, not more than the work */
static inline unsigned GridOf(PetscInt64 n, PetscInt64 limit)
{
  return (unsigned)PetscMax(1, PetscMin(n, limit));
}

static __device__ __forceinline__ int Lane()
{
  return (int)(threadIdx.x % WARP);
}

/* A thread's first piece of work and its stride, where a grid strides; 64-bit, so that the last stride does not overflow */
static __device__ __forceinline__ PetscInt64 FirstOfThread()
{
  return (PetscInt64)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ PetscInt64 StrideOfThreads()
{
  return (PetscInt64)gridDim.x * blockDim.x;
}

template <typename T, typename Op>
static __device__ __forceinline__ T WarpReduce(T v, Op op)
{
#pragma unroll
  for (int o = WARP / 2; o; o /= 2) v = op(v, __shfl_xor_sync(ALL_LANES, v, o));
  return v;
}

template <typename T>
static __device__ __forceinline__ T WarpSum(T v)
{
  return WarpReduce(v, [](T a, T b) { return a + b; });
}

static __device__ __forceinline__ PetscInt WarpMax(PetscInt v)
{
  if constexpr (sizeof(PetscInt) == sizeof(int))
    return __reduce_max_sync(ALL_LANES, (int)v);
  else
    return WarpReduce(v, [](PetscInt a, PetscInt b) { return a > b ? a : b; });
}

static __device__ __forceinline__ PetscInt WarpMin(PetscInt v)
{
  if constexpr (sizeof(PetscInt) == sizeof(int))
    return __reduce_min_sync(ALL_LANES, (int)v);
  else
    return WarpReduce(v, [](PetscInt a, PetscInt b) { return a < b ? a : b; });
}

static __device__ __forceinline__ void AtomicAdd(PetscInt *p, PetscInt v)
{
  if constexpr (sizeof(PetscInt) == sizeof(int))
    (void)atomicAdd((int *)p, (int)v);
  else
    (void)atomicAdd((DeviceCount *)p, (DeviceCount)v);
}

static __device__ __forceinline__ void AtomicMax(PetscInt *p, PetscInt v)
{
  if constexpr (sizeof(PetscInt) == sizeof(int))
    (void)atomicMax((int *)p, (int)v);
  else
    (void)atomicMax((long long *)p, (long long)v);
}

static __device__ __forceinline__ void AtomicMin(PetscInt *p, PetscInt v)
{
  if constexpr (sizeof(PetscInt) == sizeof(int))
    (void)atomicMin((int *)p, (int)v);
  else
    (void)atomicMin((long long *)p, (long long)v);
}

/* The last i in [0, n) with begin(i) <= q, where begin(0) <= q and begin does not fall. A warp looks at 32 places at once */
template <typename Begin>
static __device__ __forceinline__ PetscInt WarpFindLast(Begin begin, PetscInt n, PetscInt q)
{
  PetscInt lo = 0, hi = n;

  while (hi - lo > 1) {
    const PetscInt step = Pieces(hi - lo, WARP), probe = lo + Lane() * step;
    const unsigned before = __ballot_sync(ALL_LANES, Lane() * step < hi - lo && begin(probe < hi ? probe : lo) <= q);

    lo += (__popc(before) - 1) * step;
    hi = hi - lo < step ? hi : lo + step;
  }
  return lo;
}

/*
  Whether a block is the last of its grid to come here, all threads of it: it sees what the others have done before. The counter is
  zero at first, and again when the kernel ends
*/
static __device__ __forceinline__ bool IsLastBlock(unsigned *arrived)
{
  __shared__ bool last;

  __syncthreads();
  if (threadIdx.x == 0) {
    last = PtxCount(arrived) == gridDim.x * gridDim.y - 1;
    if (last) *arrived = 0;
  }
  __syncthreads();
  return last;
}

/* Moves words, by a grid or a block whose threads begin with `first`: to the host, say, and zeros stay */
static __device__ __forceinline__ void MoveOut(void *from, void *to, size_t bytes, size_t first, size_t stride)
{
  static constexpr int AT_ONCE = 4;
  ulonglong2          *f = (ulonglong2 *)from, *t = (ulonglong2 *)to, word[AT_ONCE];
  const size_t         n = bytes / sizeof(*f);

  for (; first < n; first += AT_ONCE * stride) {
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
      if (first + i * stride < n) word[i] = f[first + i * stride];
    }
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
      if (first + i * stride >= n) break;
      t[first + i * stride] = word[i];
      f[first + i * stride] = ulonglong2{0, 0};
    }
  }
}

/* In shared memory, of a warp: where the entries of up to 32 neighbouring rows lie, which are then walked as one list */
struct SliceEntries {
  PetscInt begin[WARP + 1];

  __device__ __forceinline__ void Load(const PetscInt row_ptr[], PetscInt row_begin, PetscInt row_end)
  {
    const int rows = (int)(row_end - row_begin < WARP ? row_end - row_begin : WARP);

    __syncwarp();
    begin[Lane()] = row_ptr[row_begin + (Lane() < rows ? Lane() : rows)];
    if (Lane() == 0) begin[WARP] = row_ptr[row_begin + rows];
    __syncwarp();
  }

  /* Which of the rows entry p belongs to */
  __device__ __forceinline__ int RowOf(PetscInt p) const
  {
    int row = 0;

#pragma unroll
    for (int step = WARP / 2; step; step /= 2) row += begin[row + step] <= p ? step : 0;
    return row;
  }
};

/*
  A warp walks the entries [begin, end) of a matrix of m rows, wherever its rows begin and end: f(first, from, to) for the
  entries [from, to) of the 32 rows from first on, which slice then holds
*/
template <typename F>
static __device__ __forceinline__ void WarpWalkEntries(const PetscInt row_ptr[], PetscInt m, PetscInt64 begin, PetscInt64 end, SliceEntries &slice, F f)
{
  while (begin < end) {
    PetscInt64 first = WarpFindLast([=](PetscInt row) { return row_ptr[row]; }, m, (PetscInt)begin), stop;
    bool       any;

    do {
      slice.Load(row_ptr, (PetscInt)first, m);
      stop = slice.begin[WARP] < end ? slice.begin[WARP] : end;
      any  = stop > begin;
      if (any) f((PetscInt)first, begin, stop);
      begin = stop;
      first += WARP;
    } while (any && begin < end); /* where 32 rows are empty, more may be: they are skipped at once */
  }
}

#endif
