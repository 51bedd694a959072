/*
  Products binned by blocks of rows (propagation blocking: Beamer, Asanovic, Patterson 2017; order propagated,
  layout/propagate.h): nothing is gathered from memory, all is streamed. A block keeps a tile of x in shared memory, streams the
  tile's values and 16-bit columns and writes the products to scratch. A second kernel has the sums of a row block in shared memory
  and copies its products and their codes there, a chunk at a time and one ahead. Of a chunk each row is a lane's, which adds its products one after the other, rows of
  as many side by side; a row of more than 8 is several lanes'. So no row is added to by two at a time, and the bits are the same in every run.

  Bytes (real double): an entry 10 read and 8 written, then 8 and 2 read, 28, and 2 for each row of a chunk; runs are padded to 4 slots, and a part of a run
  takes 8; x and y once. A random graph of 8 entries a row: 32 an entry with x and y, where a gather alone takes a sector of 32 beside 12 of
  the CSR.
  Products: 1024 threads of at most 64 registers, a tile fills shared memory. Sums: two blocks of 512 threads, 113 KB each (sm_90).
*/
#ifndef AUTOCSR_AGENT_PROPAGATE_CUH
#define AUTOCSR_AGENT_PROPAGATE_CUH

#include "entries.cuh"
#include "stream.cuh"

/* Adds the products of a row block, which come in units of so many; order popular: sums of pieces */
template <int of_unit>
struct AgentPropagateSum : AgentBase {
  static constexpr bool alone     = true;
  static constexpr int  threads   = AUTOCSR_PROPAGATE_THREADS;
  static constexpr int  warps     = threads / WARP;
  static constexpr int  residents = 2;
  static constexpr int  unit      = of_unit * (int)sizeof(PetscScalar);
  static constexpr int  copied    = unit < 16 ? unit : 16; /* bytes of a lane's copy */
  static constexpr int  most      = AUTOCSR_PROPAGATE_CHUNK / of_unit;
  static constexpr int  FEW       = 8; /* lanes of a long row, where there are many */

  /* What a chunk is copied by: a lane's part of it, where these and the codes begin and end */
  typedef struct {
    AutoCSRPropagatePart part;
    PetscInt             begin, end, code, code_end;
  } Chunk;

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

    return LoadStreamIf(p < end, tiles.part + p);
  }

  static __device__ __forceinline__ Chunk LoadChunk(const AutoCSRDeviceTiles &tiles, bool exists, PetscInt c)
  {
    Chunk chunk;

    chunk.begin    = LoadCachedIf(exists, tiles.part_ptr + c);
    chunk.end      = LoadCachedIf(exists, tiles.part_ptr + c + 1);
    chunk.code     = LoadCachedIf(exists, tiles.code_ptr + c);
    chunk.code_end = LoadCachedIf(exists, tiles.code_ptr + c + 1);
    chunk.part     = LoadPart(tiles, chunk.begin, chunk.end);
    return chunk;
  }

  /* Begins to copy a warp's parts of a chunk, half a warp one after the other: most are short */
  static __device__ __forceinline__ void CopyParts(const AutoCSRDeviceSegment &seg, AutoCSRPropagatePart mine, PtxShared to)
  {
    const int      n = __popc(__ballot_sync(ALL_LANES, mine.span != 0)), half = threadIdx.x % WARP / (WARP / 2), first = (int)(threadIdx.x % (WARP / 2)) * copied;
    const unsigned span  = (unsigned)mine.span;
    const int      bytes = (int)(span % (2 * AUTOCSR_PROPAGATE_CHUNK)) * unit, place = (int)(span / (2 * AUTOCSR_PROPAGATE_CHUNK)) * unit;

#pragma unroll 1
    for (int i = half; i - half < n; i += 2) {
      const PetscInt source = __shfl_sync(ALL_LANES, mine.source, i % WARP);
      const int      end = __shfl_sync(ALL_LANES, bytes, i % WARP), at = __shfl_sync(ALL_LANES, place, i % WARP);
      const char    *from = (const char *)seg.scratch + (size_t)source * unit;

#pragma unroll 1
      for (int o = first; o < end; o += WARP / 2 * copied) PtxCopy<copied>(to + (at + o), from + o);
    }
  }

  /* Begins to copy a chunk: its codes behind its products */
  static __device__ __forceinline__ void CopyChunk(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles, const Chunk &chunk, unsigned char *room)
  {
    const PtxShared to   = PtxSharedAddress(room), codes = to + AUTOCSR_PROPAGATE_CHUNK * (int)sizeof(PetscScalar);
    const char     *from = (const char *)tiles.code + (size_t)chunk.code * 16;

    for (int o = (int)threadIdx.x * 16; o < (int)(chunk.code_end - chunk.code) * 16; o += threads * 16) PtxCopy<16>(codes + o, from + o);
    CopyParts(seg, chunk.part, to);
    if constexpr (most > threads) { /* there may be more parts than lanes */
      for (PetscInt p = chunk.begin + threads; p < chunk.end; p += threads) CopyParts(seg, LoadPart(tiles, p, chunk.end), to);
    }
  }

  /* The head of a chunk's codes, in registers */
  typedef struct {
    unsigned long long word[AUTOCSR_PROPAGATE_HEAD / 4];

    __device__ __forceinline__ int operator[](int i) const
    {
      return (int)(word[i / 4] >> (16 * (i % 4)) & 0xffff);
    }
  } Head;

  /* Adds a chunk's products to the sums of rows */
  static __device__ __forceinline__ void AddChunk(const unsigned char *room, PetscScalar *sum)
  {
    const PetscScalar    *product = (const PetscScalar *)room;
    const uint16_t       *code    = (const uint16_t *)(room + AUTOCSR_PROPAGATE_CHUNK * sizeof(PetscScalar));
    AutoCSRPropagateCodes c;
    Head                  head;

#pragma unroll
    for (int i = 0; i < AUTOCSR_PROPAGATE_HEAD / 8; i++) {
      const ulonglong2 eight = ((const ulonglong2 *)code)[i];

      head.word[2 * i]     = eight.x;
      head.word[2 * i + 1] = eight.y;
    }
    c.n_short    = head[1];
    c.n_long     = head[AUTOCSR_PROPAGATE_MOST + 1];
    c.row        = code + AUTOCSR_PROPAGATE_HEAD;
    c.begin      = c.row + c.n_long + c.n_short;
    c.long_place = c.begin + c.n_long + 1;
    c.place      = c.long_place + (c.n_long ? (int)c.begin[c.n_long] : 0);
#pragma unroll 1
    for (int r = threadIdx.x; r < c.n_short; r += threads) {
      PetscScalar s = product[c.place[r]];

      /* Few rows have more than one or two: each further one is a branch, and no more */
#pragma unroll
      for (int j = 1; j < AUTOCSR_PROPAGATE_MOST; j++) {
        if (r >= head[j + 1] - head[j]) break;
        s += product[c.place[head[j] + r]];
      }
      sum[c.row[c.n_long + r]] += s;
    }
    if (c.n_long > warps * (WARP / FEW))
      AddLong<FEW>(c, product, sum);
    else if (c.n_long)
      AddLong<WARP>(c, product, sum);
  }

  /* The same for long rows, so many lanes each */
  template <int lanes>
  static __device__ __forceinline__ void AddLong(const AutoCSRPropagateCodes &c, const PetscScalar *product, PetscScalar *sum)
  {
    for (int first = 0; first < c.n_long; first += threads / lanes) {
      const int   r = first + (int)threadIdx.x / lanes, end = r < c.n_long ? c.begin[r + 1] : 0;
      PetscScalar s = 0;

      for (int i = r < c.n_long ? c.begin[r] + (int)threadIdx.x % lanes : 0; i < end; i += lanes) s += product[c.long_place[i]];
#pragma unroll
      for (int half = lanes / 2; half; half /= 2) s += ShuffleXor(s, half);
      if (end && threadIdx.x % lanes == 0) sum[c.row[r]] += s;
    }
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles, const AutoCSRDeviceOperands &op, PetscInt block, unsigned char *shared)
  {
    constexpr int  bytes     = (int)AUTOCSR_PROPAGATE_CHUNK_BYTES;
    const PetscInt first_row = tiles.block_row[block], first = tiles.chunk_ptr[block], chunks = tiles.chunk_ptr[block + 1] - first;
    const int      rows = (int)(tiles.block_row[block + 1] - first_row);
    PetscScalar   *sum  = (PetscScalar *)(shared + 2 * bytes);
    Chunk          next = LoadChunk(tiles, chunks > 0, first);

    static_assert(bytes % 16 == 0, "Copies are of 16 bytes");
    CopyChunk(seg, tiles, next, shared);
    next = LoadChunk(tiles, chunks > 1, first + 1);
    for (int i = threadIdx.x; i < rows; i += threads) sum[i] = 0;
    for (PetscInt c = 0; c < chunks; c++) {
      PtxWait();
      __syncthreads(); /* the chunk is there, and that before it added */
      if (c + 1 < chunks) {
        CopyChunk(seg, tiles, next, shared + (c + 1) % 2 * bytes);
        next = LoadChunk(tiles, c + 2 < chunks, first + c + 2);
      }
      AddChunk(shared + c % 2 * bytes, sum);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < rows; i += threads) {
      const PetscInt row = RowOf(seg, first_row + i);

      op.y[row] = AddendOf(op, row) + sum[i];
    }
  }
};

/* Makes the products of an item */
template <AutoCSRValue value>
struct AgentPropagate : AgentBase {
  typedef AgentPropagateSum<AUTOCSR_PROPAGATE_UNIT> Then;
  typedef decltype(EntryCode<value>::code)          Code;

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

      if constexpr (value != AUTOCSR_VALUE_CONSTANT) codes[u] = LoadStreamIf(i < end, (const Codes *)seg.value + i);
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
    e.constant   = ConstantOf<value>(seg);
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
          EntryCode<value> v = {};

          if constexpr (value != AUTOCSR_VALUE_CONSTANT) v.code = codes[u].code[j];
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
