/*
  Products binned by blocks of rows (propagation blocking: Beamer, Asanovic, Patterson 2017; order propagated,
  plan/propagate.h): nothing is gathered from memory, all is streamed. A block keeps a tile of x in shared memory, streams the
  tile's values and 16-bit columns and writes the products to scratch. A second kernel has the sums of a row block in shared memory
  and copies its products there, a chunk at a time and two ahead. A chunk's codes are sorted by row: a segmented scan
  (liu2015, 3.2) adds those of each row, one lane puts the sum to the row's, and of a row that goes on in the next warp, one warp the
  parts in their order. So there are no atomics, and the bits are the same in every run.

  Bytes (real double): an entry 10 read and 8 written, then 8 and 3 read, 29; runs are padded to 4 slots, and a part of a run
  takes 8; x and y once. A random graph of 8 entries a row: 32 an entry with x and y, where a gather alone takes a sector of 32 beside 12 of
  the CSR. On an H200 (4.2 TB/s): 2^25 rows and 266 million entries in 2.0 ms by the bytes (3.2 ms measured; doc/performance.md has the counters); by instructions, about 1.1 ps an entry
  for the products and 1.5 ps for the sums, which hide behind that.
  Products: 1024 threads of at most 64 registers, a tile fills shared memory. Sums: two blocks of 512 threads, 49 registers, 115 KB each (sm_90; no spills).
*/
#ifndef AUTOCSR_AGENT_PROPAGATE_CUH
#define AUTOCSR_AGENT_PROPAGATE_CUH

#include "entries.cuh"
#include "stream.cuh"

/* Adds the products of a row block */
struct AgentPropagateSum : AgentBase {
  static constexpr bool alone     = true;
  static constexpr int  threads   = AUTOCSR_PROPAGATE_THREADS;
  static constexpr int  warps     = threads / WARP;
  static constexpr int  residents = 2;
  static constexpr int  run       = AUTOCSR_PROPAGATE_CHUNK / threads; /* codes of a lane */
  static constexpr int  stages    = AUTOCSR_PROPAGATE_STAGES;
  static constexpr int  unit      = AUTOCSR_PROPAGATE_UNIT * (int)sizeof(PetscScalar);
  typedef struct {
    alignas(run * sizeof(uint16_t)) uint16_t code[run];
  } Rows;
  typedef struct {
    alignas(run) uint8_t code[run];
  } Places;

  /* A lane's codes of a chunk, and the row before those of its warp */
  typedef struct {
    Rows     row;
    Places   place;
    uint16_t before;
  } Codes;

  /* In shared memory */
  typedef struct {
    PetscScalar *product, *sum, *carry; /* carry: of each warp, what it adds to a row that began in one before it */
    int         *carry_row;             /* negative: there is none */
  } Room;

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return AutoCSRPropagateRowBlocks(seg);
  }

  static size_t SharedBytes(const AutoCSRSegment *seg)
  {
    return AutoCSRDevicePropagateBytes(seg->axes.tile_height);
  }
#endif

  /* Of the parts [begin, end) of a chunk, those of the warp, one a lane */
  static __device__ __forceinline__ AutoCSRPropagatePart LoadPart(const AutoCSRDeviceTiles &tiles, PetscInt begin, PetscInt end)
  {
    const PetscInt p = begin + threadIdx.x / WARP + (threadIdx.x % WARP) * warps;

    static_assert(AUTOCSR_PROPAGATE_UNITS <= threads, "A chunk may have more parts than lanes");
    return LoadStreamIf(p < end, tiles.part + p);
  }

  /* Begins to copy a chunk's products: each warp its parts, one after the other */
  static __device__ __forceinline__ void CopyChunk(const AutoCSRDeviceSegment &seg, AutoCSRPropagatePart mine, PetscScalar *products)
  {
    const int       n  = __popc(__ballot_sync(ALL_LANES, mine.span != 0));
    const PtxShared to = PtxSharedAddress(products);

    for (int i = 0; i < n; i++) {
      const PetscInt source = __shfl_sync(ALL_LANES, mine.source, i);
      const int      span = (int)__shfl_sync(ALL_LANES, mine.span, i), place = span / (2 * AUTOCSR_PROPAGATE_UNITS), units = span % (2 * AUTOCSR_PROPAGATE_UNITS);
      const char    *from = (const char *)seg.scratch + (size_t)source * unit;

      for (int o = (int)(threadIdx.x % WARP) * 16; o < units * unit; o += WARP * 16) PtxCopy<16>(to + (place * unit + o), from + o);
    }
    PtxCommit();
  }

  static __device__ __forceinline__ Codes LoadCodes(const AutoCSRDeviceTiles &tiles, bool exists, PetscInt chunk)
  {
    const size_t at = (size_t)chunk * threads + threadIdx.x;
    Codes        c;

    c.row    = LoadStreamIf(exists, (const Rows *)tiles.chunk_row + at);
    c.place  = LoadStreamIf(exists, (const Places *)tiles.chunk_place + at);
    c.before = LoadCachedIf(exists && threadIdx.x % WARP == 0 && threadIdx.x, tiles.chunk_row + (at * run - 1));
    return c;
  }

  /* Adds a chunk's products to the sums of rows, but for what goes to carries */
  static __device__ __forceinline__ void AddChunk(const Codes &c, const PetscScalar *products, const Room &room)
  {
    const int   lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int         r[run], previous, next, before_warp, from;
    unsigned    heads;
    bool        joined;
    PetscScalar v[run], tail, before;

#pragma unroll
    for (int j = 0; j < run; j++) {
      r[j] = AutoCSRPropagateRowOf(c.row.code[j]);
      v[j] = products[AutoCSRPropagatePlaceOf(c.row.code[j], c.place.code[j])];
    }
    before_warp = warp ? AutoCSRPropagateRowOf((unsigned)__shfl_sync(ALL_LANES, (int)c.before, 0)) : -1;
    previous    = __shfl_up_sync(ALL_LANES, r[run - 1], 1);
    next        = __shfl_down_sync(ALL_LANES, r[0], 1);
    joined      = lane && previous == r[0];
    if (lane == 0) room.carry_row[warp] = r[0] == before_warp && r[0] != AUTOCSR_PROPAGATE_NO_ROW ? r[0] : -1;

    /* The sum of the lane's last row, and of lanes before it that have nothing else */
    tail = v[0];
#pragma unroll
    for (int j = 1; j < run; j++) tail = r[j] == r[j - 1] ? tail + v[j] : v[j];
    heads = __ballot_sync(ALL_LANES, !joined || r[0] != r[run - 1]);
    from  = WARP - 1 - __clz((int)(heads & (ALL_LANES >> (WARP - 1 - lane))));
    if (heads != ALL_LANES) {
#pragma unroll
      for (int d = 1; d < WARP; d *= 2) {
        const PetscScalar s = ShuffleUp(tail, d);

        if (lane - d >= from) tail = s + tail;
      }
    }
    before = ShuffleUp(tail, 1);

    PetscScalar s = joined ? before + v[0] : v[0];
#pragma unroll
    for (int j = 0; j < run; j++) {
      if (j) s = r[j] == r[j - 1] ? s + v[j] : v[j];
      if (j + 1 < run ? r[j] == r[j + 1] : lane < WARP - 1 && r[j] == next) continue; /* goes on */
      if (r[j] == AUTOCSR_PROPAGATE_NO_ROW) continue;
      if (r[j] == before_warp)
        room.carry[warp] = s;
      else
        room.sum[r[j]] += s;
    }
  }

  /* By one warp, once all others have added */
  static __device__ __forceinline__ void AddCarries(const Room &room)
  {
    const int         lane = threadIdx.x % WARP, row = lane < warps ? room.carry_row[lane] : -1;
    const PetscScalar s = row < 0 ? (PetscScalar)0 : room.carry[lane];

    for (unsigned left = __ballot_sync(ALL_LANES, row >= 0); left; left &= left - 1) {
      if (lane == __ffs((int)left) - 1) room.sum[row] += s;
      __syncwarp();
    }
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles, const AutoCSRDeviceOperands &op, PetscInt block, unsigned char *shared)
  {
    const PetscInt  first_row = tiles.block_row[block], first = tiles.chunk_ptr[block], chunks = tiles.chunk_ptr[block + 1] - first;
    const int       rows     = (int)(tiles.block_row[block + 1] - first_row);
    const PetscInt *part_ptr = tiles.part_ptr + first;
    const Room      room     = {(PetscScalar *)shared, (PetscScalar *)shared + stages * AUTOCSR_PROPAGATE_CHUNK, (PetscScalar *)shared + stages * AUTOCSR_PROPAGATE_CHUNK + tiles.tile_height, (int *)((PetscScalar *)shared + stages * AUTOCSR_PROPAGATE_CHUNK + tiles.tile_height + warps)};
    PetscInt        begin = LoadCachedIf(chunks > stages - 1, part_ptr + stages - 1), end = LoadCachedIf(chunks > stages - 1, part_ptr + stages);
    int             stage = 0, free = stages - 1;

    AutoCSRPropagatePart part = LoadPart(tiles, begin, end);
    Codes                codes, next = LoadCodes(tiles, chunks > 0, first);

    for (int s = 0; s < stages - 1; s++) {
      const bool exists = s < chunks;

      CopyChunk(seg, LoadPart(tiles, LoadCachedIf(exists, part_ptr + s), LoadCachedIf(exists, part_ptr + s + 1)), room.product + s * AUTOCSR_PROPAGATE_CHUNK);
    }
    begin = end;
    end   = LoadCachedIf(chunks > stages, part_ptr + stages + 1);
    for (int i = threadIdx.x; i < rows; i += threads) room.sum[i] = 0;
    for (PetscInt c = 0; c < chunks; c++) {
      codes = next;
      next  = LoadCodes(tiles, c + 1 < chunks, first + c + 1);
      PtxWaitBut<stages - 2>();
      __syncthreads(); /* the chunk is there, and that before it added */
      CopyChunk(seg, part, room.product + free * AUTOCSR_PROPAGATE_CHUNK);
      part  = LoadPart(tiles, begin, end);
      begin = end;
      end   = LoadCachedIf(c + stages + 1 < chunks, part_ptr + c + stages + 2);
      AddChunk(codes, room.product + stage * AUTOCSR_PROPAGATE_CHUNK, room);
      free  = stage;
      stage = stage + 1 < stages ? stage + 1 : 0;
      __syncthreads();
      if (threadIdx.x < WARP) AddCarries(room);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows; i += threads) {
      const PetscInt row = RowOf(seg, first_row + i);

      op.y[row] = AddendOf(op, row) + room.sum[i];
    }
  }
};

/* Makes the products of an item */
template <AutoCSRValue value>
struct AgentPropagate : AgentBase {
  typedef AgentPropagateSum                Then;
  typedef decltype(EntryCode<value>::code) Code;

  static constexpr bool alone   = true;
  static constexpr int  threads = 1024;
  static constexpr int  near    = 16 / (int)sizeof(PetscScalar); /* slots of a lane: their products are one store */
  static constexpr int  at_once = 4;                             /* of a lane's loads */
  typedef struct {
    alignas(near * sizeof(Code)) Code code[near];
  } Codes;
  typedef struct {
    alignas(near * sizeof(uint16_t)) uint16_t column[near];
  } Columns;

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return AutoCSRTiledItemCount(seg);
  }

  static size_t ScratchBytes(const AutoCSRSegment *seg)
  {
    return AutoCSRPropagateScratchBytes(seg);
  }

  static size_t SharedBytes(const AutoCSRSegment *seg)
  {
    return (size_t)seg->axes.tile_width * sizeof(PetscScalar);
  }
#endif

  static __device__ __forceinline__ void Load(const AutoCSRDeviceSegment &seg, PetscInt at, PetscInt end, Codes codes[at_once], Columns columns[at_once])
  {
#pragma unroll
    for (int u = 0; u < at_once; u++) {
      const PetscInt64 i = (PetscInt64)at + u * threads;

      codes[u]   = LoadStreamIf(i < end, (const Codes *)seg.value + i);
      columns[u] = LoadStreamIf(i < end, (const Columns *)seg.index + i);
    }
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles, const AutoCSRDeviceOperands &op, PetscInt block, unsigned char *room)
  {
    constexpr PetscInt     of_unit = AUTOCSR_PROPAGATE_UNIT / near;
    const AutoCSRTiledItem item    = tiles.item[block];
    const PetscInt         end     = (item.begin + item.groups) * of_unit;
    const PetscScalar     *tile    = (const PetscScalar *)room;
    ulonglong2            *to      = (ulonglong2 *)seg.scratch;
    PetscInt               at      = item.begin * of_unit + threadIdx.x;
    Codes                  codes[at_once];
    Columns                columns[at_once];
    DeviceEntries          e;

    e.dictionary = seg.dictionary;
    CopyTile<threads>((PetscScalar *)room, op.x + item.tile * tiles.tile_width, PetscMin(tiles.tile_width, tiles.n_columns - item.tile * tiles.tile_width));
    Load(seg, at, end, codes, columns);
    PtxWait();
    __syncthreads();
    for (PetscInt64 next; at < end; at = (PetscInt)PetscMin(next, end)) {
#pragma unroll
      for (int u = 0; u < at_once; u++) {
        PetscScalar product[near];
        ulonglong2  word;

#pragma unroll
        for (int j = 0; j < near; j++) {
          const EntryCode<value> v = {codes[u].code[j]};

          product[j] = MultiplyAdd(0, ConjugateIf(v.Value(e), op.conjugate), tile[columns[u].column[j]]);
        }
        memcpy(&word, (const void *)product, sizeof(word));
        if ((PetscInt64)at + u * threads < end) to[at + u * threads] = word;
      }
      next = (PetscInt64)at + at_once * threads;
      Load(seg, (PetscInt)PetscMin(next, end), end, codes, columns);
    }
  }
};

#endif
