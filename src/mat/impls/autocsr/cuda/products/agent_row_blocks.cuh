/*
  Blocks of whole rows through shared memory (CSR-Adaptive: dufrechou2021, 2.1.3): a block's entries are loaded side by side,
  multiplied and left in shared memory, where each row is added by as many lanes as the number of rows leaves. WORK tells
  both the row and the entry where a block begins, so that entries and row offsets are asked for at once.

  A block of one row keeps its products in registers (CSR-Vector). A row that is longer than a block's room is cut: the parts
  go to scratch, and the block that comes last adds them up in their order.

  Many small thread blocks hide more of the waiting than few that ask for the next entries ahead.
*/
#ifndef AUTOCSR_AGENT_ROW_BLOCKS_CUH
#define AUTOCSR_AGENT_ROW_BLOCKS_CUH

#include "entries.cuh"
#include "join.cuh"

template <int height, AutoCSRIndex index, AutoCSRValue value>
struct AgentRowBlocks : AgentBase {
  typedef FlatEntries<index, value, AUTOCSR_THREADS * height> Flat;

  static constexpr bool shares   = Flat::in_place; /* others are asked for by name: the fewer kernels there are in one, the sooner it is compiled */
  static constexpr int residents = height > 16 ? 1 : height > 8 ? 2 : sizeof(PetscScalar) > 8 ? 3 : height > 4 ? 5 : 8; /* thread blocks of a multiprocessor (see above) */
  static constexpr int most      = AUTOCSR_THREADS * height;                       /* entries of a block */
  static constexpr int pad       = 128 / (int)sizeof(PetscScalar);               /* an empty place after so many, against bank conflicts */
  static constexpr int serial    = 16;                                           /* entries that a lane adds in the time in which its warp takes a row from it */
  static constexpr int log_warp  = 5;

  struct Shared {
    alignas(16) unsigned char product[(most + most / pad) * sizeof(PetscScalar)];
    alignas(16) unsigned char warp_sum[WARPS * sizeof(PetscScalar)];
    uint16_t offset[most + 1]; /* of the rows, in the block's entries */
    int      is_last;
  };

  /* Where a block begins, as in WORK */
  typedef struct {
    PetscInt row, entry;
  } Place;

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return AutoCSRSegmentWorkBlocks(seg);
  }

  /* A share and a count of arrivals for each block */
  static size_t ScratchBytes(const AutoCSRSegment *seg)
  {
    return (sizeof(PetscScalar) + sizeof(unsigned)) * (size_t)AutoCSRSegmentWorkBlocks(seg);
  }
#endif

  static __device__ __forceinline__ int At(int p)
  {
    return p + p / pad;
  }

  /* The rows of a block, whose products are in shared memory, each by 2^shift lanes; where they begin, too */
  static __device__ __forceinline__ void AddRows(const AutoCSRDeviceOperands &op, const Shared &shared, PetscInt top, int rows, int shift)
  {
    const PetscScalar *product = (const PetscScalar *)shared.product;
    const int          lanes = 1 << shift, lane = (int)threadIdx.x & (lanes - 1);

    for (int done = 0; done < rows; done += AUTOCSR_THREADS >> shift) { /* the same in all threads */
      const int   r   = done + ((int)threadIdx.x >> shift);
      PetscScalar sum = 0;
      int         p = 0, q = 0;

      if (r < rows) {
        p = shared.offset[r];
        q = shared.offset[r + 1];
      }
      /* The warp takes a lane's row where that ends sooner than the lane, as many as there may be */
      const bool candidate  = shift < log_warp && q - p > serial << shift;
      const int  most_taken = __popc(__ballot_sync(ALL_LANES, lane == 0 && candidate));
      const bool is_long    = candidate && q - p > serial * most_taken << shift;
      unsigned   left       = __ballot_sync(ALL_LANES, lane == 0 && is_long);

      if (!is_long) {
#pragma unroll 4
        for (int i = p + lane; i < q; i += lanes) sum += product[At(i)];
      }
      for (int half = lanes / 2; half; half /= 2) sum += ShuffleXor(sum, half);
      for (; left; left &= left - 1) {
        const int   owner = __ffs((int)left) - 1, to = __shfl_sync(ALL_LANES, q, owner);
        PetscScalar of_warp = 0;

        for (int i = __shfl_sync(ALL_LANES, p, owner) + (int)(threadIdx.x % WARP); i < to; i += WARP) of_warp += product[At(i)];
        of_warp = SumOfWarp(of_warp);
        if ((int)(threadIdx.x % WARP) == owner) sum = of_warp;
      }
      if (lane == 0 && r < rows) op.y[top + r] = AddendOf(op, top + r) + sum;
    }
  }

  /* A row of entries [first, last) or, where that is more than a block has room for, the part from entry `part` on */
  static __device__ __forceinline__ void AddOne(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, Shared &shared, PetscInt block, PetscInt row, PetscInt first, PetscInt last, PetscInt part, PetscScalar sum)
  {
    PetscScalar   *warp_sum = (PetscScalar *)shared.warp_sum, *share = (PetscScalar *)seg.scratch;
    const PetscInt parts       = last - first <= most ? 1 : CeilDivide(last - first, most);
    const PetscInt first_block = parts > 1 ? block - (part - first) / most : block;
    unsigned      *arrived     = (unsigned *)(share + seg.n_work) + first_block;

    sum = SumOfBlock(sum, warp_sum);
    if (parts > 1) {
      if (threadIdx.x == 0) {
        share[block]   = sum;
        shared.is_last = CountArrival(arrived) == (unsigned)(parts - 1);
      }
      __syncthreads();
      if (!shared.is_last) return;
      sum = 0;
      for (PetscInt i = threadIdx.x; i < parts; i += AUTOCSR_THREADS) sum += share[first_block + i];
      sum = SumOfBlock(sum, warp_sum);
      if (threadIdx.x == 0) *arrived = 0;
    }
    if (threadIdx.x == 0) op.y[row] = AddendOf(op, row) + sum;
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    const Place        begin = LoadCached((const Place *)seg.work + block), end = LoadCached((const Place *)seg.work + block + 1);
    const int          rows = (int)(end.row - begin.row), count = (int)(end.entry - begin.entry);
    const int          shift = PetscMin(log_warp, PetscMax(0, __clz(PetscMax(rows, 1) - 1) - __clz(AUTOCSR_THREADS - 1))); /* of the threads */
    Flat               flat;
    PetscInt           c[height];
    typename Flat::Code code[height];
    PetscScalar        a[height], x[height], sum = 0;

    flat.Begin(seg, op, begin.entry - FirstEntryOf<index, value>(seg, op), begin.entry);
#pragma unroll
    for (int i = 0; i < height; i++) {
      const bool exists = i * AUTOCSR_THREADS + (int)threadIdx.x < count;

      c[i] = flat.ColumnIf(exists, i * AUTOCSR_THREADS);
      flat.LoadIf(exists, i * AUTOCSR_THREADS, &code[i]);
    }
#pragma unroll
    for (int i = 0; i < height; i++) {
      const bool exists = i * AUTOCSR_THREADS + (int)threadIdx.x < count;

      x[i] = LoadCachedIf(exists, op.x + flat.Base(i * AUTOCSR_THREADS) + c[i]);
      a[i] = flat.ValueIf(exists, code[i]);
    }
    if (rows > 1) {
      PetscScalar *product = (PetscScalar *)shared.product;

#pragma unroll(height > 4 ? 4 : 1)                                                                                                                  /* as registers allow */
      for (int k = threadIdx.x; k <= rows; k += AUTOCSR_THREADS) shared.offset[k] = (uint16_t)(LoadCached(op.row_ptr + begin.row + k) - begin.entry); /* while x comes */
#pragma unroll
      for (int i = 0; i < height; i++) product[At(i * AUTOCSR_THREADS + threadIdx.x)] = MultiplyAdd(0, ConjugateIf(a[i], op.conjugate), x[i]); /* 0 past the end */
      __syncthreads();
      AddRows(op, shared, begin.row, rows, shift);
    } else {
      const PetscInt first = LoadCached(op.row_ptr + begin.row), last = LoadCached(op.row_ptr + begin.row + 1);

#pragma unroll
      for (int i = 0; i < height; i++) sum = MultiplyAdd(sum, ConjugateIf(a[i], op.conjugate), x[i]);
      AddOne(seg, op, shared, block, begin.row, first, last, begin.entry, sum);
    }
  }
};

#endif
