/*
  Column tiles (hong2019, 3: a tile of the other operand in shared memory, for SpMV): a block keeps a tile of x and streams
  groups of the tile's entries, values and 16-bit columns only. A warp takes a group at a time, each lane its neighbouring slots,
  whatever the rows; a segmented scan over the lanes (liu2015, 3.2) gives the sum of each piece, which goes to scratch. A
  second kernel adds the pieces of each row, in the order of the tiles: the bits are the same in every run.

  Bytes: 10 an entry and a bit (real double), 18 a piece (sum written and read, PIECE_ROW). No gather leaves the multiprocessor.
*/
#ifndef AUTOCSR_AGENT_TILED_CUH
#define AUTOCSR_AGENT_TILED_CUH

#include "entries.cuh"
#include "stream.cuh"
#include "../common/tiled.cuh"

/* Adds the pieces of each row: a warp for each row block, whose sums are in shared memory, or, of one row, in registers */
struct AgentTiledSum : AgentBase {
  static constexpr bool alone     = true;
  static constexpr int  at_once   = 8; /* batches of pieces that are asked for at once */
  static constexpr int  residents = 2;

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return CeilDivide(AutoCSRTiledRowBlocks(seg), WARPS);
  }

  static size_t SharedBytes(const AutoCSRSegment *seg)
  {
    return WARPS * (size_t)seg->axes.tile_height * sizeof(PetscScalar);
  }
#endif

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles, const AutoCSRDeviceOperands &op, PetscInt block, unsigned char *room)
  {
    const int          warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const PetscInt     rows = tiles.tile_height, blocks = CeilDivide(seg.n_rows, rows), b = block * WARPS + warp;
    const PetscScalar *piece   = (const PetscScalar *)seg.scratch;
    PetscScalar       *sum     = (PetscScalar *)room + warp * rows;
    PetscScalar        row_sum = 0;

    if (b >= blocks) return;
    for (PetscInt i = lane; i < rows; i += WARP) sum[i] = 0;
    __syncwarp();
    TiledWalkPieces(tiles.run_ptr, tiles.n_tiles, blocks, b, [&](const TiledBatches &batches) {
      for (PetscInt first = 0; first < batches.total; first += at_once * WARP) {
        PetscScalar v[at_once];
        int         code[at_once];

#pragma unroll
        for (int u = 0; u < at_once; u++) {
          const PetscInt f = first + u * WARP + lane, i = batches.PieceOf(f);

          v[u]    = LoadCachedIf(f < batches.total, piece + i);
          code[u] = LoadCachedIf(f < batches.total && rows > 1, tiles.piece_row + i);
        }
        if (rows == 1) {
#pragma unroll
          for (int u = 0; u < at_once; u++) row_sum += v[u]; /* of what does not exist: zero */
          continue;
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) {
          const int    rank = code[u] / AUTOCSR_TILED_ROWS, most = WarpMax(rank);
          PetscScalar *to = sum + code[u] % AUTOCSR_TILED_ROWS;

          for (int r = 0; r <= most; r++) { /* pieces of one row one after the other */
            if (rank == r && first + u * WARP + lane < batches.total) *to += v[u];
            __syncwarp();
          }
        }
      }
    });
    if (rows == 1) {
#pragma unroll
      for (int half = WARP / 2; half; half /= 2) row_sum += ShuffleXor(row_sum, half);
      if (lane == 0) sum[0] = row_sum;
    }
    for (PetscInt i = lane; i < rows && b * rows + i < seg.n_rows; i += WARP) {
      const PetscInt row = RowOf(seg, b * rows + i);

      op.y[row] = AddendOf(op, row) + sum[i];
    }
  }
};

template <AutoCSRValue value>
struct AgentTiled : AgentBase {
  typedef AgentTiledSum                    Then;
  typedef decltype(EntryCode<value>::code) Code;
  typedef struct {
    alignas(16) unsigned int word[4];
  } Columns;

  static constexpr bool alone      = true;
  static constexpr int  threads    = AUTOCSR_TILED_SHARES * WARP;
  static constexpr int  lane_slots = AUTOCSR_TILED_LANE_SLOTS;
  static constexpr int  near       = sizeof(Code) > 2 ? 16 / (int)sizeof(Code) : lane_slots; /* codes of a load: AutoCSRTiledValueSlot() */
  typedef struct {
    alignas(near * sizeof(Code)) Code code[near];
  } Codes;

#if !defined(__CUDACC_RTC__)
  static PetscInt Blocks(const AutoCSRSegment *seg)
  {
    return AutoCSRTiledItemCount(seg);
  }

  static size_t ScratchBytes(const AutoCSRSegment *seg)
  {
    return seg->stream[AUTOCSR_STREAM_PIECE_ROW].bytes / sizeof(uint16_t) * sizeof(PetscScalar);
  }

  static size_t SharedBytes(const AutoCSRSegment *seg)
  {
    return AutoCSRDeviceTileBytes(seg->axes.tile_width);
  }
#endif

  /* A lane's slots of a group */
  typedef struct {
    Codes        codes[lane_slots / near];
    Columns      index;
    unsigned int ends;
  } LaneSlots;

  static __device__ __forceinline__ void Load(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles, PetscInt group, LaneSlots *r)
  {
    const int    lane  = threadIdx.x % WARP;
    const Codes *codes = (const Codes *)seg.value + (size_t)group * (AUTOCSR_TILED_GROUP / near) + lane;

#pragma unroll
    for (int c = 0; c < lane_slots / near && value != AUTOCSR_VALUE_CONSTANT; c++) r->codes[c] = LoadCodes(codes + c * WARP);
    r->index = LoadStream((const Columns *)seg.index + (size_t)group * WARP + lane);
    r->ends  = LoadStream(tiles.end + (size_t)group * WARP + lane);
  }

  static __device__ __forceinline__ Codes LoadCodes(const Codes *p)
  {
    const auto w = LoadStream((const typename StreamWord<sizeof(Codes)>::type *)p);
    Codes      c;

    memcpy((void *)&c, &w, sizeof(c));
    return c;
  }

  /* The sums of a group's pieces to scratch from `piece` on; open: the sum of the piece that goes on from the group before, then that goes on after it. Returns how many pieces end */
  static __device__ __forceinline__ int SumGroup(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceOperands &op, const LaneSlots &r, const PetscScalar *tile, PetscScalar *sums, PetscScalar *piece, PetscScalar *open)
  {
    const int     lane = threadIdx.x % WARP, count = __popc(r.ends);
    const int     nearest = WARP - 1 - __clz(__ballot_sync(ALL_LANES, r.ends != 0) & (ALL_LANES >> (WARP - 1 - lane))); /* the last lane up to this one in which a piece ends; -1: none */
    int           place   = count, total, first;
    PetscScalar   sum     = 0, before, x[lane_slots];
    DeviceEntries e;

    e.dictionary = seg.dictionary;
    e.constant   = ConstantOf<value>(seg);
#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
      const int n = __shfl_up_sync(ALL_LANES, place, d);

      if (lane >= d) place += n;
    }
    total = __shfl_sync(ALL_LANES, place, WARP - 1);
    place -= count;
    first = place;
    /* All at once: below, sums that are written might be what is read next */
#pragma unroll
    for (int j = 0; j < lane_slots; j++) x[j] = tile[r.index.word[j / 2] >> (16 * (j % 2)) & 0xffff];
#pragma unroll
    for (int j = 0; j < lane_slots; j++) {
      EntryCode<value> v = {};

      if constexpr (value != AUTOCSR_VALUE_CONSTANT) v.code = r.codes[j / near].code[j % near];
      sum = MultiplyAdd(sum, ConjugateIf(v.Value(e), op.conjugate), x[j]);
      if (r.ends >> j & 1) {
        sums[place++] = sum;
        sum           = 0;
      }
    }
    if (lane == 0 && !r.ends) sum = *open + sum;
#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
      const PetscScalar s = ShuffleUp(sum, d);

      if (lane >= d && lane - d >= nearest) sum = s + sum;
    }
    before = ShuffleUp(sum, 1);
    if (lane == 0) before = *open;
    *open = ShuffleFrom(sum, WARP - 1);
    if (r.ends) sums[first] = before + sums[first];
    __syncwarp();
    for (int i = lane; i < total; i += WARP) piece[i] = sums[i];
    __syncwarp();
    return total;
  }

  static __device__ __forceinline__ void Run(const AutoCSRDeviceSegment &seg, const AutoCSRDeviceTiles &tiles, const AutoCSRDeviceOperands &op, PetscInt block, unsigned char *room)
  {
    const int              share = threadIdx.x / WARP;
    const AutoCSRTiledItem item  = tiles.item[block];
    const PetscInt         end   = item.begin + AutoCSRTiledShare(item.groups, share + 1, AUTOCSR_TILED_SHARES);
    PetscInt               g     = item.begin + AutoCSRTiledShare(item.groups, share, AUTOCSR_TILED_SHARES);
    PetscScalar           *sums = (PetscScalar *)room + share * AUTOCSR_TILED_GROUP, *tile = (PetscScalar *)room + AUTOCSR_TILED_SHARES * AUTOCSR_TILED_GROUP;
    PetscScalar           *piece = (PetscScalar *)seg.scratch, open = 0;
    LaneSlots              now, next;

    CopyTile<threads>(tile, op.x + item.tile * tiles.tile_width, PetscMin(tiles.tile_width, tiles.n_columns - item.tile * tiles.tile_width));
    if (g < end) {
      Load(seg, tiles, g, &next);
      piece += LoadCached(tiles.piece_ptr + g);
    }
    PtxWait();
    __syncthreads();
    for (; g < end; g++) {
      now = next;
      if (g + 1 < end) Load(seg, tiles, g + 1, &next);
      piece += SumGroup(seg, op, now, tile, sums, piece, &open);
    }
  }
};

#endif
