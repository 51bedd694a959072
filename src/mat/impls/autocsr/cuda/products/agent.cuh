/*
  The agents of the device: an agent is the work of one block on a segment with certain axes, fixed at compile time (CUB's
  word; doc/design.md, The device). One agent is

    struct Agent : AgentBase {
      struct Shared {...};                             what a block keeps in shared memory, at most AGENT_SHARED bytes
      static PetscInt Blocks(const AutoCSRSegment *);  host: how many blocks the segment takes
      static size_t ScratchBytes(const AutoCSRSegment *);  host: of scratch for what blocks hand each other; 0 unless said
      static __device__ void Run(const AutoCSRDeviceSegment &, const AutoCSRDeviceOperands &, PetscInt block, Shared &);
    };

  Where `alone` is said, segments are launched alone, blocks have `threads` threads, and in place of Shared Run() is given the
  address of SharedBytes() bytes, which may be more than AGENT_SHARED; a second agent, Then, is launched after it, and that may have another.

  Run() is called by all AUTOCSR_THREADS threads of a block, once for each block in [0, Blocks()), in any order and at any
  place of a grid. It writes y = z + A x for its rows; z NULL: y = A x; z may be y. What needs
  the parts of several blocks (a synchronizer) is done by the one that comes last, as counters in scratch tell, which it sets
  back; scratch may also keep what the next product need not find again. The parts for the host are hidden from a compiler at
  run time.
*/
#ifndef AUTOCSR_AGENT_CUH
#define AUTOCSR_AGENT_CUH

#include "../runtime/launch.h"
#include "../common/words.cuh"

/*
  Numbers that a graph may set (SET_RESOURCES), and what is known of a matrix: where a kernel is compiled at run time these
  are defined before (generator/source.c). AGENT_ROW_LANES(own): lanes that share a row of slices. AGENT_LENGTH: entries of each row of the segment; 0: rows differ, or nobody said.
  AGENT_STRETCHES: how many stretches of rows of one length there are (layout/stretches.h), or 0. AGENT_EACH_STRETCH(F) is
  F(first, length, begin) for each, begin the place of its first entry in the segment; AGENT_EACH_SLICES(F) is F(first, begin, width)
  for slices of one width, one after the other. AGENT_WIDTH: slots of each row of every slice, or 0. AGENT_EMPTY_ROWS 0: no row is empty.

  AGENT_ROOT 1: of the root that most rows of the segment have (layout/roots.h) it is known where it begins, AGENT_ROOT_BEGIN, which pattern it
  is, AGENT_ROOT_PATTERN, how many entries it has, AGENT_ROOT_ENTRIES, at most 32, and these: AGENT_EACH_ENTRY(F) is F(t, offset, plane, beside, value)
  for each, plane and beside as mapping planes has them. AGENT_ROOT_VALUES 0: without values. AGENT_CONSTANT: the one value of all entries
*/
#if !defined(AGENT_IN_FLIGHT)
  #define AGENT_IN_FLIGHT(own) (own)
#endif
#if !defined(AGENT_ROW_LANES)
  #define AGENT_ROW_LANES(own) (own)
#endif
#if !defined(AGENT_ROWS_EACH)
  #define AGENT_ROWS_EACH(own) (own)
#endif
#if !defined(AGENT_LENGTH)
  #define AGENT_LENGTH 0
#endif
#if !defined(AGENT_STRETCHES)
  #define AGENT_STRETCHES 0
  #define AGENT_EACH_STRETCH(F)
  #define AGENT_EACH_SLICES(F)
#endif
#if !defined(AGENT_WIDTH)
  #define AGENT_WIDTH 0
#endif
#if !defined(AGENT_EMPTY_ROWS)
  #define AGENT_EMPTY_ROWS 1
#endif
#if !defined(AGENT_ROOT)
  #define AGENT_ROOT         0
  #define AGENT_ROOT_VALUES  0
  #define AGENT_ROOT_BEGIN   0
  #define AGENT_ROOT_PATTERN 0
  #define AGENT_ROOT_ENTRIES 0
  #define AGENT_EACH_ENTRY(F)
#endif

static constexpr int      WARP = 32, WARPS = AUTOCSR_THREADS / WARP;
static constexpr unsigned ALL_LANES    = 0xffffffffu;
static constexpr size_t   AGENT_SHARED = 48 << 10;

/* No std::make_unsigned: a compiler at run time has no such header */
template <size_t size>
struct DeviceUnsignedOf {
  typedef unsigned long long type;
};
template <>
struct DeviceUnsignedOf<4> {
  typedef unsigned type;
};

struct AgentBase {
  typedef void Then; /* none */
  struct Shared {};

  static constexpr int  block     = 1;     /* of the axes */
  static constexpr int  residents = 1;     /* blocks that a multiprocessor shall have room for at a time */
  static constexpr bool lean      = false; /* of few registers: several share a launch whatever their size */
  static constexpr int  threads   = AUTOCSR_THREADS;
  static constexpr bool alone     = false;
  static constexpr bool in_turn   = false; /* block b writes the rows from b * RowsOfBlock(segment) on, as many, and no others: what is made of them needs no other block */
  static constexpr bool shares    = true; /* has a place in the kernels for several segments; false where its strategies make one of all rows */

#if !defined(__CUDACC_RTC__)
  static constexpr AutoCSRReduction     reduction = AUTOCSR_REDUCE_NONE; /* any */
  static constexpr AutoCSRDeviceFinish *finish    = NULL;                /* what is left to the host; such segments are launched alone */

  static size_t ScratchBytes(const AutoCSRSegment *)
  {
    return 0;
  }

  static size_t SharedBytes(const AutoCSRSegment *)
  {
    return 0;
  }
#endif
};

static __host__ __device__ __forceinline__ PetscInt CeilDivide(PetscInt a, PetscInt b)
{
  return AutoCSRCeilDivide(a, b);
}

/* An unsigned PetscInt, for the position of a lane past its row's end: a PetscInt may not hold it */
typedef DeviceUnsignedOf<sizeof(PetscInt)>::type DeviceUnsigned;

/* Of those by which a warp takes a slice */
struct AgentOfSlices : AgentBase {
#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->n_slices, WARPS);
  }
#endif
};

/* The code of a column */
template <AutoCSRIndex index>
struct IndexWord {
  typedef PetscInt type;
};
template <>
struct IndexWord<AUTOCSR_INDEX_32> {
  typedef uint32_t type;
};
template <>
struct IndexWord<AUTOCSR_INDEX_16> {
  typedef uint16_t type;
};

/* s + a * x: products fused, part by part where complex (the library's product branches on NaN) */
static __device__ __forceinline__ PetscScalar MultiplyAdd(PetscScalar s, PetscScalar a, PetscScalar x)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscScalar(s.real() + a.real() * x.real() - a.imag() * x.imag(), s.imag() + a.real() * x.imag() + a.imag() * x.real());
#else
  return s + a * x;
#endif
}

static __device__ __forceinline__ PetscScalar ConjugateIf(PetscScalar a, int conjugate)
{
#if defined(PETSC_USE_COMPLEX)
  return conjugate ? PetscScalar(a.real(), -a.imag()) : a;
#else
  return a;
#endif
}

static __device__ __forceinline__ PetscScalar ShuffleXor(PetscScalar a, int lane_mask)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscScalar(__shfl_xor_sync(ALL_LANES, a.real(), lane_mask), __shfl_xor_sync(ALL_LANES, a.imag(), lane_mask));
#else
  return __shfl_xor_sync(ALL_LANES, a, lane_mask);
#endif
}

static __device__ __forceinline__ PetscScalar ShuffleFrom(PetscScalar a, int lane)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscScalar(__shfl_sync(ALL_LANES, a.real(), lane), __shfl_sync(ALL_LANES, a.imag(), lane));
#else
  return __shfl_sync(ALL_LANES, a, lane);
#endif
}

static __device__ __forceinline__ PetscScalar ShuffleUp(PetscScalar a, int lanes)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscScalar(__shfl_up_sync(ALL_LANES, a.real(), lanes), __shfl_up_sync(ALL_LANES, a.imag(), lanes));
#else
  return __shfl_up_sync(ALL_LANES, a, lanes);
#endif
}

/* What was written before is seen by those who count later; returns how many have come before */
static __device__ __forceinline__ unsigned CountArrival(unsigned *arrived)
{
  return PtxCount(arrived);
}

/* The largest of the lanes' */
static __device__ __forceinline__ int WarpMax(int i)
{
  return __reduce_max_sync(ALL_LANES, i);
}

/* What is added to a row's sum: z or nothing */
static __device__ __forceinline__ PetscScalar AddendOf(const AutoCSRDeviceOperands &op, PetscInt row)
{
  return op.z ? op.z[row] : (PetscScalar)0;
}

/* The segment's k-th row, as its stretches tell: its entries, and their place among the segment's, if they lie as in the CSR */
struct StretchRow {
  PetscInt length, place;
};

static __device__ __forceinline__ StretchRow RowByStretches(PetscInt k)
{
  StretchRow row = {0, 0};

#define AGENT_STRETCH(first, length, begin) \
  if (k >= (first)) row = {(length), (begin) + (k - (first)) * (length)};
  AGENT_EACH_STRETCH(AGENT_STRETCH)
#undef AGENT_STRETCH
  (void)k;
  return row;
}

/* The first slot of slice s, as the stretches tell */
static __device__ __forceinline__ PetscInt SlotByStretches(PetscInt s)
{
  PetscInt slot = 0;

#define AGENT_SLICES(first, begin, width) \
  if (s >= (first)) slot = (begin) + (s - (first)) * ((width) * WARP);
  AGENT_EACH_SLICES(AGENT_SLICES)
#undef AGENT_SLICES
  (void)s;
  return slot;
}

/* The row that a segment's k-th row is */
static __device__ __forceinline__ PetscInt RowOf(const AutoCSRDeviceSegment &seg, PetscInt k)
{
  if (!seg.rows) return seg.row_begin + k;
  if (seg.row_group == 1) return LoadCached(seg.rows + k);
  return LoadCached(seg.rows + k / seg.row_group) * seg.row_group + k % seg.row_group;
}

#endif
