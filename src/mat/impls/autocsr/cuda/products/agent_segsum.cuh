/*
  The speculative segmented sum (liu2015, 3.2 and Appendix A) on plain CSR: a block takes a tile of AUTOCSR_THREADS lanes by
  `height` nonzeros, whatever the rows' lengths, and finds the rows by itself. Products go to shared memory as they are
  loaded, side by side; then each lane walks its own `height` of them.

  Where this is not the paper: tiles overlap by `slack`, so that a row that ends soon after its tile is not cut. What a tile
  knows of a row that is cut goes to the synchronizer, and the tile that is the last to come for that row adds it all up, in
  the order of the tiles (the paper: the CPU, after all tiles, which is the fix-up on the host). No tile is repaired for its empty rows, as each row looks up
  its own sum; what is speculated is that a tile has not many rows. Patches of rows nearly all empty would keep it walking, so
  these rows are no tile's but a block's that reads them row by row.

  A tile overlaps the next by a sixteenth, so only longer rows are cut. The first product finds where rows begin and keeps
  it in scratch; later products look it up, because the structure stays as long as the plan.
*/
#ifndef AUTOCSR_AGENT_SEGSUM_CUH
#define AUTOCSR_AGENT_SEGSUM_CUH

#include "entries.cuh"
#include "join.cuh"

/* The part of a tile that is its own: rows [row, end), entries [lo, hi) of the tile */
typedef struct {
  PetscInt row, end; /* end 0: not found yet */
  int      lo, hi;
  unsigned is_cut;    /* the first or the last row is cut: shared with other tiles */
  unsigned is_sparse; /* some rows are in sparse patches */
} SegsumPart;

/* What a tile leaves for the other tiles of its first and of its last row, and for the next product */
typedef struct {
  PetscScalar first, last; /* its share in the row that began before it and ends in it; in the row that goes on after it */
  SegsumPart  part;        /* found in the first product: the structure does not change while a plan lives */
  PetscInt    open;        /* the row of `last`, plus 1 (fix-up on the host) */
  unsigned    arrived;     /* tiles that have come for the row that begins in this tile and goes on after it */
} SegsumSynchronizer;

#if !defined(__CUDACC_RTC__)
/* What is to be added to a row of the segment */
typedef struct {
  PetscInt    row;
  PetscScalar sum;
} SegsumAddend;

/* segsum.cu: adds the shares `last` of the rows that are cut, read on the host; room for as many addends as there are tiles */
PetscErrorCode AutoCSRSegsumFinish(PetscInt tiles, const SegsumSynchronizer[], SegsumAddend[], PetscScalar y[]);
#endif

template <int height, AutoCSRReduction fixup, AutoCSRIndex index = AUTOCSR_INDEX_CSR, AutoCSRValue value = AUTOCSR_VALUE_CSR>
struct AgentSegsum : AgentBase {
  typedef FlatEntries<index, value, AUTOCSR_THREADS * height> Flat;
  typedef typename Flat::Code                               Code;

  static constexpr bool on_host   = fixup == AUTOCSR_REDUCE_SEGMENTED_HOST;
  static constexpr bool shares    = false;
  static constexpr int  residents = height > 16 ? 1 : sizeof(PetscScalar) > 8 || height > 8 ? 2 : height > 4 ? 4 : 6; /* no more than leave each thread the registers for its entries */
  static constexpr int  tile      = AUTOCSR_THREADS * height;
  static constexpr int  slack     = (int)AutoCSRSegsumSlack(tile);
  static constexpr int  stride    = tile - slack; /* from tile to tile */
  static constexpr int  patch     = AUTOCSR_SEGSUM_PATCH;
  static constexpr int  sparse    = 16;           /* nearly all empty: fewer nonzeros than one in so many rows */
  static constexpr int  cut       = 2;            /* rows that a tile may share with others: its first and its last */

  struct Shared {
    PetscScalar product[tile + AUTOCSR_THREADS]; /* then the running sums of lanes; an empty place after each lane's, against bank conflicts */
    PetscScalar carry[AUTOCSR_THREADS];          /* the open sum at the begin of each lane, of its warp's entries */
    PetscScalar warp_sum[WARPS];               /* the open sum at the end of each warp, likewise */
    uint32_t    head[tile / 4];                /* the segment descriptor: a byte for each entry, 1 where a row begins */
    JoinedRow   joined[cut];                   /* rows that this block has to add up: it was the last of their tiles to come */
  };

  static __host__ __device__ __forceinline__ PetscInt Tiles(PetscInt nnz)
  {
    return AutoCSRSegsumTiles(nnz, tile);
  }

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return Tiles(seg->nnz) + (AGENT_EMPTY_ROWS ? CeilDivide(seg->n_rows, patch) : 0);
  }

  static size_t ScratchBytes(const AutoCSRSegment *seg)
  {
    return (sizeof(SegsumSynchronizer) + (on_host ? sizeof(SegsumAddend) : 0)) * (size_t)Tiles(seg->nnz);
  }

  static PetscErrorCode Finish(const AutoCSRDeviceSegment *seg, const AutoCSRDeviceOperands *op)
  {
    SegsumSynchronizer *synchronizer = (SegsumSynchronizer *)seg->scratch;

    return AutoCSRSegsumFinish(Tiles(seg->nnz), synchronizer, (SegsumAddend *)(synchronizer + Tiles(seg->nnz)), op->y + seg->row_begin);
  }

  static constexpr AutoCSRReduction     reduction = fixup;
  static constexpr AutoCSRDeviceFinish *finish    = on_host ? Finish : NULL;
#endif

  /* A tile; row k is the k-th of the segment, entry p the p-th of the tile, entry q the q-th of the segment */
  typedef struct {
    const PetscInt     *row_ptr; /* of the segment's rows */
    PetscInt            first;   /* the segment's first entry in the CSR */
    PetscInt            n_rows, nnz;
    PetscInt            number, begin; /* its place, and its first entry */
    SegsumSynchronizer *synchronizer;
  } Tile;

  static __device__ __forceinline__ PetscInt EntryOf(const Tile &t, PetscInt k)
  {
    return LoadCached(t.row_ptr + k) - t.first;
  }

  static __device__ __forceinline__ int Place(int p)
  {
    return p + p / height;
  }

  /* The row that entry q belongs to, or the first empty row just before it: a search by a warp, 32 places at once */
  static __device__ __forceinline__ PetscInt FindRow(const Tile &t, PetscInt q)
  {
    PetscInt lo = 0, hi = t.n_rows;

    while (lo < hi) { /* the first row that begins at q or after it is in [lo, hi] */
      const PetscInt step = CeilDivide(hi - lo, WARP), k = lo + (PetscInt)(threadIdx.x % WARP) * step;
      const int      n = __popc(__ballot_sync(ALL_LANES, k < hi && EntryOf(t, k) < q)); /* they are the first n */

      hi = n ? PetscMin(hi, lo + n * step) : lo;
      lo = n ? lo + (n - 1) * step + 1 : lo;
    }
    return lo && EntryOf(t, lo) > q ? lo - 1 : lo;
  }

  /* Where the part of a tile that begins at entry q begins: after the row that began before it, if that ends soon. is_cut: it does not */
  static __device__ __forceinline__ PetscInt FindBorder(const Tile &t, PetscInt q, unsigned *is_cut)
  {
    PetscInt row, end;

    *is_cut = 0;
    if (q <= 0) return 0;
    if (q >= t.nnz) return t.nnz;
    row = FindRow(t, q);
    end = EntryOf(t, row + 1);
    if (EntryOf(t, row) >= q) return q;
    if (end - q <= slack) return end;
    *is_cut = 1;
    return q;
  }

  static __device__ __forceinline__ PetscInt PatchEnd(PetscInt n_rows, PetscInt k)
  {
    return PetscMin(n_rows, (k / patch + 1) * patch);
  }

  static __device__ __forceinline__ bool IsSparse(const PetscInt *row_ptr, PetscInt k, PetscInt end)
  {
    const PetscInt begin = k / patch * patch;

    return LoadCached(row_ptr + end) - LoadCached(row_ptr + begin) <= (end - begin) / sparse;
  }

  /* By the whole block: a warp searches, and leaves what it finds for the next product */
  static __device__ __forceinline__ SegsumPart FindPart(const Tile &t)
  {
    SegsumPart *found = &t.synchronizer[t.number].part;

    if (threadIdx.x < WARP) {
      const bool is_last = t.nnz - t.begin <= stride;
      unsigned   cut_begin, cut_end;
      PetscInt   begin = FindBorder(t, t.begin, &cut_begin), end = is_last ? t.nnz : FindBorder(t, t.begin + stride, &cut_end);
      SegsumPart part = {FindRow(t, begin), t.n_rows, (int)(begin - t.begin), (int)(end - t.begin), cut_begin, 0};

      if (!is_last) {
        part.end = FindRow(t, end) + cut_end;
        part.is_cut |= cut_end;
      }
      for (PetscInt k = part.row / patch * patch + (PetscInt)threadIdx.x * patch; AGENT_EMPTY_ROWS && k < part.end; k += WARP * patch) part.is_sparse |= IsSparse(t.row_ptr, k, PatchEnd(t.n_rows, k));
      part.is_sparse = __any_sync(ALL_LANES, part.is_sparse);
      if (threadIdx.x == 0) *found = part;
    }
    __syncthreads();
    return *found;
  }

  /* visit(k, p) for this thread's share of the tile's rows, the first entry of row k being entry p of the tile */
  template <class Visit>
  static __device__ __forceinline__ void EachRow(const Tile &t, const SegsumPart &part, Visit visit)
  {
    for (PetscInt k = part.row + threadIdx.x; k < part.end; k += AUTOCSR_THREADS) {
      if (AGENT_EMPTY_ROWS && part.is_sparse) {
        const PetscInt patch_end = PatchEnd(t.n_rows, k);

        if (IsSparse(t.row_ptr, k, patch_end)) {
          k += (patch_end - 1 - k) / AUTOCSR_THREADS * AUTOCSR_THREADS;
          continue;
        }
      }
      visit(k, EntryOf(t, k) - t.begin);
    }
  }

  static __device__ __forceinline__ void WriteRow(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt k, PetscScalar sum)
  {
    op.y[seg.row_begin + k] = AddendOf(op, seg.row_begin + k) + sum;
  }

  /* The product of one entry of the CSR, on top of a sum; first: the segment's first */
  static __device__ __forceinline__ PetscScalar AddEntry(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt first, PetscInt p, PetscScalar sum)
  {
    if constexpr (Flat::in_place && value == AUTOCSR_VALUE_CSR)
      return MultiplyAdd(sum, ConjugateIf(op.val[p], op.conjugate), LoadCached(op.x + op.col[p]));
    else {
      const int own = -(int)threadIdx.x; /* `flat` begins where the thread's entry would be */
      Flat      flat;
      Code      code;

      flat.Begin(seg, op, p - first, p);
      flat.LoadIf(true, own, &code);
      return MultiplyAdd(sum, ConjugateIf(flat.ValueIf(true, code), op.conjugate), LoadCached(op.x + flat.Base(own) + flat.ColumnIf(true, own)));
    }
  }

  /* A patch of rows nearly all empty, a thread a row */
  static __device__ __forceinline__ void RunSparse(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt begin)
  {
    const PetscInt *row_ptr = op.row_ptr + seg.row_begin;
    const PetscInt  end = PatchEnd(seg.n_rows, begin), first = FirstEntryOf<index, value>(seg, op);

    if (!IsSparse(row_ptr, begin, end)) return;
    for (PetscInt k = begin + threadIdx.x; k < end; k += AUTOCSR_THREADS) {
      PetscScalar sum = 0;

      for (PetscInt q = row_ptr[k]; q < row_ptr[k + 1]; q++) sum = AddEntry(seg, op, first, q, sum);
      if (row_ptr[k] < row_ptr[k + 1] || op.z != op.y) WriteRow(seg, op, k, sum);
    }
  }

  /* A lane's part of the tile's entries, as they are loaded: AUTOCSR_THREADS apart */
  typedef struct {
    PetscInt    col[height];
    Code        code[height];
    PetscScalar x[height];
    Flat        flat;
  } Entries;

  /* The whole tile: it does not yet know which part is its own. What does not exist, past the segment's end, is not read */
  template <bool full>
  static __device__ __forceinline__ void LoadEntries(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, const Tile &t, Entries *e)
  {
    e->flat.Begin(seg, op, t.begin, t.first + t.begin);
#pragma unroll
    for (int i = 0; i < height; i++) {
      const bool exists = full || i * AUTOCSR_THREADS + (PetscInt)threadIdx.x < t.nnz - t.begin;

      e->col[i] = e->flat.ColumnIf(exists, i * AUTOCSR_THREADS);
      e->flat.LoadIf(exists, i * AUTOCSR_THREADS, &e->code[i]);
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

  /* The open sums at the begin of each lane and at the end of each warp, from those at the lanes' ends: a segmented scan in each warp */
  static __device__ __forceinline__ void ScanLanes(Shared &shared, PetscScalar sum, bool has_head)
  {
    const int lane    = threadIdx.x % WARP;
    const int nearest = WARP - 1 - __clz(__ballot_sync(ALL_LANES, has_head) & (ALL_LANES >> (WARP - 1 - lane))); /* the last lane up to this one in which a row began; -1: none */

#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
      const PetscScalar before = ShuffleUp(sum, d);

      if (lane >= d && lane - d >= nearest) sum = before + sum;
    }
    if (lane == WARP - 1) shared.warp_sum[threadIdx.x / WARP] = sum;
    sum                       = ShuffleUp(sum, 1);
    shared.carry[threadIdx.x] = lane ? sum : (PetscScalar)0;
  }

  /* The sum of a row that begins at entry p and has its last entry in the tile there */
  static __device__ __forceinline__ PetscScalar SumOfRow(const Shared &shared, PetscInt p, int last)
  {
    const int   owner = last / height;
    PetscScalar sum   = shared.product[Place(last)];

    if (p >= owner * height) return sum;
    sum += shared.carry[owner];
    for (int w = p < 0 ? 0 : (int)p / (WARP * height); w < owner / WARP; w++) sum += shared.warp_sum[w];
    return sum;
  }

  /* A row of entries [begin, end) of the tile that is cut: this tile's share; if it is the last to come, the row is this block's to add up */
  static __device__ __forceinline__ void ShareRow(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, const Tile &t, Shared &shared, PetscInt k, PetscInt begin, PetscInt end, PetscScalar sum)
  {
    const PetscInt first_tile = (t.begin + begin) / stride, last_begin = (t.begin + end - 1) / stride * stride;
    const PetscInt last_tile = last_begin / stride - (t.begin + begin < last_begin && t.begin + end - last_begin <= slack); /* see FindBorder() */

    if constexpr (on_host) {
      if (t.number == last_tile) return WriteRow(seg, op, k, sum);
      t.synchronizer[t.number].open = k + 1;
      t.synchronizer[t.number].last = sum;
      return;
    }
    if (t.number == last_tile)
      t.synchronizer[t.number].first = sum;
    else
      t.synchronizer[t.number].last = sum;
    if (CountArrival(&t.synchronizer[first_tile].arrived) == (unsigned)(last_tile - first_tile)) shared.joined[t.number == last_tile] = {k, first_tile, last_tile};
  }

  static __device__ __forceinline__ void RunTile(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, const Tile &t, Shared &shared)
  {
    Entries     e;
    SegsumPart  part;
    PetscScalar sum;
    bool        has_head;

    if (t.nnz - t.begin >= tile)
      LoadEntries<true>(seg, op, t, &e);
    else
      LoadEntries<false>(seg, op, t, &e);
    part = t.synchronizer[t.number].part;
#pragma unroll
    for (int w = 0; w < height / 4; w++) shared.head[w * AUTOCSR_THREADS + threadIdx.x] = 0;
    if (threadIdx.x < cut) shared.joined[threadIdx.x].row = -1;
    __syncthreads();
    if (!part.end) part = FindPart(t);
#pragma unroll
    for (int i = 0; i < height; i++) {
      const int p = i * AUTOCSR_THREADS + threadIdx.x;

      e.x[i] = LoadCachedIf(p >= part.lo && p < part.hi, op.x + e.flat.Base(i * AUTOCSR_THREADS) + e.col[i]);
    }
    EachRow(t, part, [&](PetscInt k, PetscInt p) {
      if (p >= part.lo && p < part.hi) ((unsigned char *)shared.head)[p] = 1;
      if (AGENT_EMPTY_ROWS && part.is_sparse && (k + 1) % patch == 0) { /* if the next patch is sparse, none of its rows says where this one ends */
        const PetscInt end = EntryOf(t, k + 1) - t.begin;

        if (end >= part.lo && end < part.hi) ((unsigned char *)shared.head)[end] = 1;
      }
    });
    if (threadIdx.x == 0 && part.hi < tile) ((unsigned char *)shared.head)[part.hi] = 1; /* the last row ends there */
#pragma unroll
    for (int i = 0; i < height; i++) shared.product[Place(i * AUTOCSR_THREADS + threadIdx.x)] = MultiplyAdd(0, ConjugateIf(e.flat.ValueIf(i * AUTOCSR_THREADS + (PetscInt)threadIdx.x < t.nnz - t.begin, e.code[i]), op.conjugate), e.x[i]);
    __syncthreads();
    sum = SumLane(shared, &has_head);
    ScanLanes(shared, sum, has_head);
    __syncthreads();
    EachRow(t, part, [&](PetscInt k, PetscInt p) {
      const PetscInt end = EntryOf(t, k + 1) - t.begin;

      if (AGENT_EMPTY_ROWS && p == end) {
        if (op.z != op.y) WriteRow(seg, op, k, 0);
      } else if (p < part.lo || end > part.hi)
        ShareRow(seg, op, t, shared, k, p, end, SumOfRow(shared, p, (int)PetscMin(end, part.hi) - 1));
      else
        WriteRow(seg, op, k, SumOfRow(shared, p, (int)end - 1));
    });
    if (on_host || !part.is_cut) return;
    __syncthreads();
    for (int i = 0; i < cut; i++) {
      const JoinedRow joined = shared.joined[i];

      if (joined.row < 0) continue;
      sum = AddShares(t.synchronizer, joined, shared.warp_sum);
      if (threadIdx.x == 0) WriteRow(seg, op, joined.row, sum);
      __syncthreads();
    }
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, PetscInt block, Shared &shared)
  {
    const PetscInt tiles = Tiles(seg.nnz);
    Tile           t;

    if (AGENT_EMPTY_ROWS && block >= tiles) {
      RunSparse(seg, op, (block - tiles) * patch);
      return;
    }
    t.row_ptr      = op.row_ptr + seg.row_begin;
    t.first        = seg.row_begin ? LoadCached(t.row_ptr) : 0;
    t.n_rows       = seg.n_rows;
    t.nnz          = seg.nnz;
    t.number        = block;
    t.begin        = block * stride;
    t.synchronizer = (SegsumSynchronizer *)seg.scratch;
    RunTile(seg, op, t, shared);
  }
};

#endif
