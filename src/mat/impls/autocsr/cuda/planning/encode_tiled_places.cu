/*
  VALUE_PLACE of order tiled, which is made when values are new for the first time. A warp takes a few groups: first, a lane each, it finds
  where in the CSR the stretches begin that lie side by side there and in the groups, then it tells each slot what it has.

  A stretch, what a group has of a piece, begins where its row has its column: the streams tell row and column, so that entries
  are not sorted again. Bytes: each slot written; of a stretch, some sectors of its row's columns.
*/
#include "encode.cuh"
#include "../../layout/tiled.h"

static constexpr int GROUPS    = 4; /* of a warp: a word of END for each lane */
static constexpr int SLOTS     = GROUPS * AUTOCSR_TILED_GROUP;
static constexpr int WARPS     = 4;
static constexpr int PER_GROUP = WARP / GROUPS; /* lanes, and words of END */

static_assert(SLOTS == WARP * 32, "END is read by words");

static constexpr PetscInt NOTHING = PETSC_MIN_INT;

/*
  Of a warp: the stretches of its groups, one more than pieces end in each. First the slot that each begins with, after its
  group; then where its first entry is in the CSR less that slot
*/
struct Stretches {
  PetscInt of[SLOTS + GROUPS];

  static __device__ __forceinline__ PetscInt Code(int group, int slot)
  {
    return group * (2 * SLOTS) + slot;
  }

  static __device__ __forceinline__ int GroupOf(PetscInt code)
  {
    return (int)(code / (2 * SLOTS));
  }

  static __device__ __forceinline__ int SlotOf(PetscInt code)
  {
    return (int)(code % (2 * SLOTS));
  }
};

/* As AutoCSRTiledFindLast(), for what is near `lo` */
static __device__ __forceinline__ PetscInt FindLastNear(const PetscInt a[], PetscInt lo, PetscInt hi, PetscInt what)
{
  PetscInt step = 1;

  while (hi - lo > step && a[lo + step] <= what) {
    lo += step;
    step *= 2;
  }
  return AutoCSRTiledFindLast(a, lo, hi - lo > step ? lo + step : hi, what);
}

static __global__ void __launch_bounds__(WARPS *WARP, 10) WriteValuePlaces(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt groups)
{
  PtxWaitForLast();
  __shared__ Stretches room[WARPS];
  const uint32_t      *end       = (const uint32_t *)seg.stream[AUTOCSR_STREAM_END].data;
  const PetscInt      *piece_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_PIECE_PTR].data, *run_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_RUN_PTR].data;
  const uint16_t      *piece_row = (const uint16_t *)seg.stream[AUTOCSR_STREAM_PIECE_ROW].data;
  PetscInt            *value_place = (PetscInt *)seg.stream[AUTOCSR_STREAM_VALUE_PLACE].data;
  const PetscInt       blocks = AutoCSRTiledRowBlocks(&seg), runs = AutoCSRTiledTiles(&seg.axes, csr.n) * blocks;
  const PetscInt64     g         = FirstOfThread() / WARP * GROUPS;
  Stretches           &stretches = room[threadIdx.x / WARP];

  if (g >= groups) return;
  const int      here = groups - g < GROUPS ? (int)(groups - g) : GROUPS, group = Lane() / PER_GROUP;
  const unsigned ends  = group < here ? LoadStream(end + g * PER_GROUP + Lane()) : 0;
  const PetscInt first = piece_ptr[g], run = WarpFindLast([=](PetscInt i) { return run_ptr[i]; }, runs, first);
  int            before = __popc(ends);

#pragma unroll
  for (int d = 1; d < WARP; d *= 2) {
    const int below = __shfl_up_sync(ALL_LANES, before, d);

    if (Lane() >= d) before += below;
  }
  const int n = __shfl_sync(ALL_LANES, before, WARP - 1) + here;

  before -= __popc(ends);
  if (group < here && Lane() % PER_GROUP == 0) stretches.of[before + group] = Stretches::Code(group, Lane() * 32);
  for (unsigned left = ends, i = (unsigned)(before + group); left; left &= left - 1) stretches.of[++i] = Stretches::Code(group, Lane() * 32 + __ffs((int)left));

  /* a group's first slot is never padding: the tile of its first piece is that of the group */
  const PetscInt tile = FindLastNear(run_ptr, run, runs, first + before) / blocks;

  __syncwarp();
  for (int i = Lane(); i - Lane() < n; i += WARP) {
    const PetscInt code = i < n ? stretches.of[i] : 0, of_group = __shfl_sync(ALL_LANES, tile, Stretches::GroupOf(code) * PER_GROUP);
    const PetscInt piece = first + i - Stretches::GroupOf(code);
    const int      slot  = Stretches::SlotOf(code);
    PetscInt       entry = NOTHING;

    if (i < n && slot / AUTOCSR_TILED_GROUP == Stretches::GroupOf(code) && piece < run_ptr[(of_group + 1) * blocks]) { /* else the group has ended, or there is nothing but padding */
      const PetscInt in  = FindLastNear(run_ptr, run, runs, piece) - of_group * blocks;
      const PetscInt k   = in * seg.axes.tile_height + AutoCSRTiledRowOf(piece_row[piece]), row = AutoCSRSegmentRow(&seg, k);
      const PetscInt q   = AutoCSRTiledFindLast(csr.col, csr.row_ptr[row], csr.row_ptr[row + 1], AutoCSRTiledColumn(&seg, of_group, (PetscInt)g * AUTOCSR_TILED_GROUP + slot));

      entry = q - slot;
    }
    if (i < n) stretches.of[i] = entry;
  }
  __syncwarp();

  for (int j = 0; j < here * PER_GROUP; j++) {
    const unsigned below = __shfl_sync(ALL_LANES, ends, j) & ((1u << Lane()) - 1);
    const PetscInt entry = stretches.of[__shfl_sync(ALL_LANES, before, j) + j / PER_GROUP + __popc(below)];

    value_place[AutoCSRTiledValueSlot(&seg.axes, (PetscInt)g * AUTOCSR_TILED_GROUP + j * 32 + Lane())] = entry != NOTHING ? entry + j * 32 + Lane() : -1;
  }
}

PetscErrorCode DeviceTiledValuePlaces(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt groups = (PetscInt)(seg->stream[AUTOCSR_STREAM_PIECE_PTR].bytes / sizeof(PetscInt)) - 1; /* ITEM, which tells, too, is on the device */

  PetscFunctionBegin;
  if (groups <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(WriteValuePlaces, (unsigned)Pieces(groups, GROUPS * WARPS), WARPS * WARP, 0, AUTOCSR_STREAM)(*seg, *csr, groups);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
