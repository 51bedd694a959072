/*
  The merge path (Dalton et al. 2015; dufrechou2021, 2.1.6): the ends of rows merged with the entries make a path of equal steps for
  every thread, whatever the rows. WORK tells where a block's part of it begins, a search in shared memory where a thread's
  does. Along its steps a thread adds products and, at the end of a row, leaves the sum; what is open at its end goes to the
  threads after it by a segmented scan, and from block to block through scratch: the block that comes last for a row adds its
  shares up, in the order of the blocks.
*/
#ifndef AUTOCSR_AGENT_MERGE_CUH
#define AUTOCSR_AGENT_MERGE_CUH

#include "entries.cuh"
#include "join.cuh"

template <int height, AutoCSRIndex index = AUTOCSR_INDEX_CSR, AutoCSRValue value = AUTOCSR_VALUE_CSR>
struct AgentMerge : AgentBase {
  typedef FlatEntries<index, value, AUTOCSR_THREADS * height> Flat;

  static constexpr bool shares    = false;
  static constexpr int  residents = height > 16 ? 1 : sizeof(PetscScalar) > 8 || height > 8 ? 2 : 4;
  static constexpr int  steps     = AUTOCSR_THREADS * height;         /* of a block: entries and ends of rows */
  static constexpr int  pad       = 128 / (int)sizeof(PetscScalar); /* an empty place after so many, against bank conflicts */

  /* What a block leaves of the row that ends in it but began before, and of the row that goes on after it */
  typedef struct {
    PetscScalar first, last;
    unsigned    arrived; /* blocks that have come for the row that begins in this one and goes on */
  } Share;

  struct Shared {
    alignas(16) unsigned char scalar[(steps + steps / pad + 2 * WARPS) * sizeof(PetscScalar)]; /* products, then sums of rows; sums of warps, twice */
    int       row_end[steps];
    int       has_end[WARPS];
    JoinedRow joined[2];
  };

  typedef struct {
    PetscInt row, entry;
  } Place;

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return AutoCSRSegmentWorkBlocks(seg);
  }

  static size_t ScratchBytes(const AutoCSRSegment *seg)
  {
    return sizeof(Share) * (size_t)AutoCSRSegmentWorkBlocks(seg);
  }
#endif

  static __device__ __forceinline__ int At(int p)
  {
    return p + p / pad;
  }

  /* Products of the block's entries, and where its rows end, counted from its first entry */
  static __device__ __forceinline__ void Load(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, const Place &begin, int entries, int rows, PetscScalar product[], int row_end[])
  {
    Flat                flat;
    PetscInt            c[height];
    typename Flat::Code code[height];
    PetscScalar         x[height];

    flat.Begin(seg, op, begin.entry - FirstEntryOf<index, value>(seg, op), begin.entry);
#pragma unroll
    for (int i = 0; i < height; i++) {
      const bool exists = i * AUTOCSR_THREADS + (int)threadIdx.x < entries;

      c[i] = flat.ColumnIf(exists, i * AUTOCSR_THREADS);
      flat.LoadIf(exists, i * AUTOCSR_THREADS, &code[i]);
    }
    for (int r = threadIdx.x; r < rows; r += AUTOCSR_THREADS) row_end[r] = (int)(LoadCached(op.row_ptr + begin.row + r + 1) - begin.entry);
#pragma unroll
    for (int i = 0; i < height; i++) x[i] = LoadCachedIf(i * AUTOCSR_THREADS + (int)threadIdx.x < entries, op.x + flat.Base(i * AUTOCSR_THREADS) + c[i]);
#pragma unroll
    for (int i = 0; i < height; i++) {
      if (i * AUTOCSR_THREADS + (int)threadIdx.x < entries) product[At(i * AUTOCSR_THREADS + threadIdx.x)] = MultiplyAdd(0, ConjugateIf(flat.ValueIf(true, code[i]), op.conjugate), x[i]);
    }
  }

  /* The rows that end before step `step` of the block's path */
  static __device__ __forceinline__ int RowsBefore(const int row_end[], int rows, int entries, int step)
  {
    int lo = PetscMax(0, step - entries), hi = PetscMin(step, rows);

    while (lo < hi) {
      const int mid = (lo + hi) / 2;

      if (row_end[mid] <= step - 1 - mid)
        lo = mid + 1;
      else
        hi = mid;
    }
    return lo;
  }

  /* What is open where this thread begins, of the sums that are open at the threads' ends: a segmented scan. The first thread also gets what is open at the block's end */
  static __device__ __forceinline__ PetscScalar ScanOpen(Shared &shared, PetscScalar warp_sum[], PetscScalar sum, bool has_end, PetscScalar *open)
  {
    const int      lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned ends    = __ballot_sync(ALL_LANES, has_end);
    const int      nearest = WARP - 1 - __clz((int)(ends & (ALL_LANES >> (WARP - 1 - lane)))); /* the last lane up to this one in which a row ended; -1: none */
    PetscScalar    carry;

#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
      const PetscScalar before = ShuffleUp(sum, d);

      if (lane >= d && lane - d >= nearest) sum = before + sum;
    }
    if (lane == WARP - 1) {
      warp_sum[warp]       = sum;
      shared.has_end[warp] = ends != 0;
    }
    carry = ShuffleUp(sum, 1);
    if (lane == 0) carry = 0;
    __syncthreads();
    *open = 0;
    for (int w = 0; w < WARPS; w++) { /* the open sum at the end of warp w */
      if (w == warp && !(ends & ((1u << lane) - 1))) carry = *open + carry;
      *open = shared.has_end[w] ? warp_sum[w] : *open + warp_sum[w];
    }
    return carry;
  }

  /* This block's share of a row that is cut, which begins in block `first` and ends in block `last` */
  static __device__ __forceinline__ void ShareRow(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, PetscInt row, PetscScalar sum, JoinedRow *joined)
  {
    const PetscInt   from = LoadCached(op.row_ptr + seg.row_begin);
    const PetscInt64 k    = (PetscInt64)row - seg.row_begin - from; /* rows and entries together may be more than a PetscInt counts */
    const PetscInt   first = (PetscInt)((k + LoadCached(op.row_ptr + row)) / steps), last = (PetscInt)((k + LoadCached(op.row_ptr + row + 1)) / steps);
    Share         *share = (Share *)seg.scratch;

    if (block == last)
      share[block].first = sum;
    else
      share[block].last = sum;
    if (CountArrival(&share[first].arrived) == (unsigned)(last - first)) *joined = {row, first, last};
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    const Place *work  = (const Place *)seg.work + block;
    const Place  begin = LoadCached(work), end = LoadCached(work + 1);
    const int    rows = (int)(end.row - begin.row), entries = (int)(end.entry - begin.entry), all = rows + entries;
    const bool   cut_first = LoadCached(op.row_ptr + begin.row) < begin.entry, cut_last = end.row < seg.row_begin + seg.n_rows && LoadCached(op.row_ptr + end.row) < end.entry;
    PetscScalar *scalar = (PetscScalar *)shared.scalar, *warp_sum = scalar + steps + steps / pad;
    PetscScalar  sum = 0, carry, open;
    int          row, entry, head = -1; /* the first row that ends in this thread */

    Load(seg, op, begin, entries, rows, scalar, shared.row_end);
    if (threadIdx.x < 2) shared.joined[threadIdx.x].row = -1;
    __syncthreads();
    row   = RowsBefore(shared.row_end, rows, entries, PetscMin((int)threadIdx.x * height, all));
    entry = PetscMin((int)threadIdx.x * height, all) - row;
#pragma unroll
    for (int s = 0; s < height; s++) {
      if (row < rows && entry >= shared.row_end[row]) {
        scalar[At(entries + row)] = sum;
        if (head < 0) head = row;
        sum = 0;
        row++;
      } else if (entry < entries)
        sum += scalar[At(entry++)];
    }
    carry = ScanOpen(shared, warp_sum, sum, head >= 0, &open);
    if (head >= 0) scalar[At(entries + head)] = carry + scalar[At(entries + head)];
    __syncthreads();
    for (int r = threadIdx.x; r < rows; r += AUTOCSR_THREADS) {
      const PetscScalar s = scalar[At(entries + r)];

      if (r || !cut_first)
        op.y[begin.row + r] = AddendOf(op, begin.row + r) + s;
      else
        ShareRow(seg, op, block, begin.row, s, &shared.joined[0]);
    }
    if (cut_last && threadIdx.x == AUTOCSR_THREADS - 1) ShareRow(seg, op, block, end.row, open, &shared.joined[1]);
    if (!cut_first && !cut_last) return;
    __syncthreads();
    for (int i = 0; i < 2; i++) {
      const JoinedRow joined = shared.joined[i];

      if (joined.row < 0) continue;
      sum = AddShares((Share *)seg.scratch, joined, warp_sum + WARPS);
      if (threadIdx.x == 0) op.y[joined.row] = AddendOf(op, joined.row) + sum;
      __syncthreads();
    }
  }
};

#endif
