/*
  The speculative segmented sum (liu2015, 3.2 and Appendix A) on plain CSR: a block takes a tile of AUTOCSR_BLOCK lanes by
  `height` nonzeros, whatever the rows' lengths, and finds the rows by itself. Products go to shared memory as they are
  loaded, side by side; then each lane walks its own `height` of them.

  Where this is not the paper: what a tile knows of a row that it shares with others goes to the synchronizer, and the tile
  that is the last to come for that row adds it all up, in the order of the tiles (the paper: the CPU, after all tiles). And a
  tile needs no repair for empty rows, as each row looks up its own sum; it speculates that its rows are not many. Groups of
  rows nearly all empty would make it wait for one block's walk over them, so these rows are no tile's but a block's that
  reads them row by row.
*/
#ifndef AUTOCSR_AGENT_SEGSUM_CUH
#define AUTOCSR_AGENT_SEGSUM_CUH

#include "agent.cuh"

/* The rows that begin or end in a tile */
typedef struct {
  PetscInt row, end; /* [row, end); end 0: not found yet */
  unsigned sparse;   /* some are in sparse groups */
} SegsumRows;

/* What a tile leaves for the other tiles of its first and of its last row */
typedef struct {
  PetscScalar first, last; /* its share in the row that began before it and ends in it; in the row that goes on after it */
  SegsumRows  rows;        /* found in the first product: the structure does not change while a plan lives */
  unsigned    arrived;     /* tiles that have come for the row that begins in this tile and goes on after it */
} SegsumSynchronizer;

static __device__ __forceinline__ PetscScalar ShuffleUp(PetscScalar a, int lanes)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscScalar(__shfl_up_sync(ALL_LANES, a.real(), lanes), __shfl_up_sync(ALL_LANES, a.imag(), lanes));
#else
  return __shfl_up_sync(ALL_LANES, a, lanes);
#endif
}

template <int height>
struct AgentSegsum : AgentBase {
  static constexpr int tile   = AUTOCSR_BLOCK * height;
  static constexpr int group  = 4096; /* rows that are nearly all empty or not */
  static constexpr int sparse = 16;   /* nearly all empty: fewer nonzeros than one in so many rows */
  static constexpr int cut    = 2;    /* rows that a tile may share with others: its first and its last */

  typedef SegsumRows Rows;

  /* A row that this block has to add up: it was the last of the row's tiles to come */
  typedef struct {
    PetscInt row, first_tile, last_tile;
  } Shares;

  struct Shared {
    PetscScalar product[tile + AUTOCSR_BLOCK]; /* then the running sums of lanes; an empty place after each lane's, against bank conflicts */
    PetscScalar carry[AUTOCSR_BLOCK];          /* the open sum at the begin of each lane */
    PetscScalar warp_sum[WARPS];
    int         warp_head[WARPS];
    uint32_t    head[tile / 4]; /* the segment descriptor: a byte for each entry, 1 where a row begins */
    Shares      shares[cut];
  };

#if !defined(__CUDACC_RTC__)
  static PetscInt Tiles(const AutoCSRSegment *seg)
  {
    return CeilDivide(seg->nnz, tile);
  }

  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return Tiles(seg) + CeilDivide(seg->n_rows, group);
  }

  static size_t ScratchBytes(const AutoCSRSegment *seg)
  {
    return sizeof(SegsumSynchronizer) * (size_t)Tiles(seg);
  }
#endif

  /* One tile, or one block of the same segment: row k is k-th of the segment, entry p p-th of the tile */
  typedef struct {
    const PetscInt     *row_ptr; /* of the segment's rows */
    PetscInt            first;   /* the segment's first entry in the CSR */
    PetscInt            n_rows, begin;
    PetscInt            index, size;
    bool                is_last;
    SegsumSynchronizer *synchronizer;
  } Tile;

  static __device__ __forceinline__ int Place(int p)
  {
    return p + p / height;
  }

  /* The row that entry `begin` of the segment belongs to, or the first empty row just before it: a search by a warp, 32 places at once */
  static __device__ __forceinline__ PetscInt FindRow(const Tile &t, PetscInt begin)
  {
    const int lane = threadIdx.x % WARP;
    PetscInt  lo = 0, hi = t.n_rows;

    while (lo < hi) { /* the first row that begins at this entry or after it is in [lo, hi] */
      const PetscInt step = CeilDivide(hi - lo, WARP), k = lo + lane * step;
      const unsigned below = __ballot_sync(ALL_LANES, k < hi && LoadCached(t.row_ptr + k) - t.first < begin);
      const int      n     = __popc(below); /* they are the first n */

      if (n) {
        hi = PetscMin(hi, lo + n * step);
        lo = lo + (n - 1) * step + 1;
      } else
        hi = lo;
    }
    return lo && LoadCached(t.row_ptr + lo) - t.first > begin ? lo - 1 : lo;
  }

  static __device__ __forceinline__ PetscInt GroupEnd(PetscInt n_rows, PetscInt k)
  {
    return PetscMin(n_rows, (k / group + 1) * group);
  }

  static __device__ __forceinline__ bool IsSparse(const PetscInt *row_ptr, PetscInt k, PetscInt end)
  {
    const PetscInt begin = k / group * group;

    return LoadCached(row_ptr + end) - LoadCached(row_ptr + begin) <= (end - begin) / sparse;
  }

  /* By the whole block: a warp searches, and leaves what it finds for the next product */
  static __device__ __forceinline__ Rows FindRows(const Tile &t)
  {
    Rows *found = &t.synchronizer[t.index].rows;

    if (threadIdx.x < WARP) {
      Rows rows = {FindRow(t, t.begin), t.n_rows, 0};

      if (!t.is_last) {
        rows.end = FindRow(t, t.begin + t.size);
        if (LoadCached(t.row_ptr + rows.end) - t.first < t.begin + t.size) rows.end++; /* it began in this tile or before */
      }
      for (PetscInt k = rows.row / group * group + (PetscInt)threadIdx.x * group; k < rows.end; k += WARP * group) rows.sparse |= IsSparse(t.row_ptr, k, GroupEnd(t.n_rows, k));
      rows.sparse = __any_sync(ALL_LANES, rows.sparse);
      if (threadIdx.x == 0) *found = rows;
    }
    __syncthreads();
    return *found;
  }

  /* visit(k, p) for this thread's share of the tile's rows, the first entry of row k being entry p of the tile */
  template <class Visit>
  static __device__ __forceinline__ void EachRow(const Tile &t, const Rows &rows, Visit visit)
  {
    for (PetscInt k = rows.row + threadIdx.x; k < rows.end; k += AUTOCSR_BLOCK) {
      if (rows.sparse) {
        const PetscInt group_end = GroupEnd(t.n_rows, k);

        if (IsSparse(t.row_ptr, k, group_end)) {
          k += (group_end - 1 - k) / AUTOCSR_BLOCK * AUTOCSR_BLOCK;
          continue;
        }
      }
      visit(k, LoadCached(t.row_ptr + k) - t.first - t.begin);
    }
  }

  static __device__ __forceinline__ void WriteRow(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt k, PetscScalar sum)
  {
    op.y[seg.row_begin + k] = AddendOf(op, seg.row_begin + k) + sum;
  }

  /* A group of rows nearly all empty, a thread a row */
  static __device__ __forceinline__ void RunSparse(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt begin)
  {
    const PetscInt *row_ptr = op.row_ptr + seg.row_begin;
    const PetscInt  end     = GroupEnd(seg.n_rows, begin);

    if (!IsSparse(row_ptr, begin, end)) return;
    for (PetscInt k = begin + threadIdx.x; k < end; k += AUTOCSR_BLOCK) {
      PetscScalar sum = 0;

      for (PetscInt q = row_ptr[k]; q < row_ptr[k + 1]; q++) sum = MultiplyAdd(sum, ConjugateIf(op.val[q], op.conjugate), LoadCached(op.x + op.col[q]));
      WriteRow(seg, op, k, sum);
    }
  }

  /* A lane's part of the tile's entries, as they are loaded: AUTOCSR_BLOCK apart */
  typedef struct {
    PetscInt    col[height];
    PetscScalar val[height], x[height];
  } Entries;

  /* What does not exist, past the tile's end, is column 0 and value 0 */
  template <bool full>
  static __device__ __forceinline__ void LoadEntries(const AutoCSRDeviceOperands &op, const Tile &t, Entries *e)
  {
    const PetscInt    *col = op.col + t.first + t.begin + threadIdx.x;
    const PetscScalar *val = op.val + t.first + t.begin + threadIdx.x;

#pragma unroll
    for (int i = 0; i < height; i++) {
      const bool exists = full || i * AUTOCSR_BLOCK + threadIdx.x < t.size;

      e->col[i] = LoadStreamIf(exists, col + i * AUTOCSR_BLOCK);
      e->val[i] = LoadStreamIf(exists, val + i * AUTOCSR_BLOCK);
    }
  }

  /* Sums of this lane's entries, begun anew at each row, and stored where a row ends and at the lane's end; the latter, and whether a row began */
  static __device__ __forceinline__ PetscScalar SumLane(Shared &shared, bool *has_head)
  {
    PetscScalar *product = shared.product + Place(threadIdx.x * height);
    PetscScalar  sum     = 0;
    uint32_t     heads   = 0;

#pragma unroll
    for (int w = 0; w < height / 4; w++) heads |= ((shared.head[threadIdx.x * (height / 4) + w] * 0x01020408u) >> 24 & 0xf) << (4 * w); /* a bit for each byte */
#pragma unroll
    for (int i = 0; i < height; i++) {
      const PetscScalar p = product[i];

      if (heads >> i & 1) {
        if (i) product[i - 1] = sum;
        sum = p;
      } else
        sum += p;
    }
    product[height - 1] = sum;
    *has_head           = heads;
    return sum;
  }

  /* The open sum at the begin of each lane, from those at the lanes' ends: a segmented scan over the block */
  static __device__ __forceinline__ void ScanLanes(Shared &shared, PetscScalar sum, bool has_head)
  {
    const int   lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    PetscScalar carry = 0;
    unsigned    heads;
    int         nearest; /* the last lane up to this one in which a row began; -1: none */

    heads   = __ballot_sync(ALL_LANES, has_head) & (ALL_LANES >> (WARP - 1 - lane));
    nearest = WARP - 1 - __clz(heads);
#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
      const PetscScalar before = ShuffleUp(sum, d);

      if (lane - d >= nearest && lane >= d) sum = before + sum;
    }
    if (lane == WARP - 1) {
      shared.warp_sum[warp]  = sum;
      shared.warp_head[warp] = heads != 0;
    }
    __syncthreads();
    for (int w = 0; w < warp; w++) carry = (shared.warp_head[w] ? (PetscScalar)0 : carry) + shared.warp_sum[w];
    sum   = ShuffleUp(sum, 1);
    heads = __shfl_up_sync(ALL_LANES, heads, 1);
    if (lane) carry = (heads ? (PetscScalar)0 : carry) + sum;
    shared.carry[threadIdx.x] = carry;
    __syncthreads();
  }

  /* A row that other tiles know of too: this tile's share; if it is the last to come, the row is this block's to add up */
  static __device__ __forceinline__ void ShareRow(const Tile &t, Shared &shared, PetscInt k, PetscInt begin, PetscInt end, PetscScalar sum)
  {
    const PetscInt first_tile = (t.begin + begin) / tile, last_tile = (t.begin + end - 1) / tile;

    if (t.index == last_tile)
      t.synchronizer[t.index].first = sum;
    else
      t.synchronizer[t.index].last = sum;
    if (CountArrival(&t.synchronizer[first_tile].arrived) == (unsigned)(last_tile - first_tile)) shared.shares[t.index == last_tile] = {k, first_tile, last_tile};
  }

  /* What was written before is seen by those who count later; returns how many have come before */
  static __device__ __forceinline__ unsigned CountArrival(unsigned *arrived)
  {
    unsigned before;

    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(before)
                 : "l"(arrived)
                 : "memory");
    return before;
  }

  /* The shares of a row, in an order that depends on their number alone */
  static __device__ __forceinline__ void AddShares(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, const Tile &t, Shared &shared, const Shares &row)
  {
    PetscScalar sum = 0;

    for (PetscInt i = row.first_tile + threadIdx.x; i <= row.last_tile; i += AUTOCSR_BLOCK) sum += i == row.last_tile ? t.synchronizer[i].first : t.synchronizer[i].last;
#pragma unroll
    for (int half = WARP / 2; half; half /= 2) sum += ShuffleXor(sum, half);
    if (threadIdx.x % WARP == 0) shared.warp_sum[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < WARPS; w++) sum += shared.warp_sum[w];
      WriteRow(seg, op, row.row, sum);
      t.synchronizer[row.first_tile].arrived = 0;
    }
    __syncthreads();
  }

  static __device__ __forceinline__ void RunTile(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, const Tile &t, Shared &shared)
  {
    Entries     e;
    Rows        rows;
    PetscScalar sum;
    bool        has_head;

    if (t.size == tile)
      LoadEntries<true>(op, t, &e);
    else
      LoadEntries<false>(op, t, &e);
    rows = t.synchronizer[t.index].rows;
#pragma unroll
    for (int w = 0; w < height / 4; w++) shared.head[w * AUTOCSR_BLOCK + threadIdx.x] = 0;
    if (threadIdx.x < cut) shared.shares[threadIdx.x].row = -1;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < height; i++) e.x[i] = LoadCachedIf(true, op.x + e.col[i]);
    if (!rows.end) rows = FindRows(t);
    EachRow(t, rows, [&](PetscInt, PetscInt p) {
      if (p >= 0 && p < t.size) ((unsigned char *)shared.head)[p] = 1;
    });
    if (threadIdx.x == 0 && t.size < tile) ((unsigned char *)shared.head)[t.size] = 1; /* the last row ends there */
#pragma unroll
    for (int i = 0; i < height; i++) shared.product[Place(i * AUTOCSR_BLOCK + threadIdx.x)] = MultiplyAdd(0, ConjugateIf(e.val[i], op.conjugate), e.x[i]);
    __syncthreads();
    sum = SumLane(shared, &has_head);
    ScanLanes(shared, sum, has_head);
    EachRow(t, rows, [&](PetscInt k, PetscInt p) {
      const PetscInt end  = LoadCached(t.row_ptr + k + 1) - t.first - t.begin;
      const int      last = (int)(PetscMin(end, t.size) - 1), lane = last / height;
      PetscScalar    own = 0;

      if (p < end) own = shared.product[Place(last)] + (p < lane * height ? shared.carry[lane] : (PetscScalar)0);
      if (p < 0 || end > t.size)
        ShareRow(t, shared, k, p, end, own);
      else if (p < end || op.z != op.y)
        WriteRow(seg, op, k, own);
    });
    __syncthreads();
    for (int i = 0; i < cut; i++) {
      const Shares shares = shared.shares[i];

      if (shares.row >= 0) AddShares(seg, op, t, shared, shares);
    }
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    const PetscInt tiles = CeilDivide(seg.nnz, tile);
    Tile           t;

    if (block >= tiles) {
      RunSparse(seg, op, (block - tiles) * group);
      return;
    }
    t.row_ptr      = op.row_ptr + seg.row_begin;
    t.first        = seg.row_begin ? LoadCached(t.row_ptr) : 0;
    t.n_rows       = seg.n_rows;
    t.index        = block;
    t.begin        = block * tile;
    t.size         = PetscMin(tile, seg.nnz - t.begin);
    t.is_last      = block == tiles - 1;
    t.synchronizer = (SegsumSynchronizer *)seg.scratch;
    RunTile(seg, op, t, shared);
  }
};

#endif
