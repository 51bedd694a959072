/*
  Products on the device: finds executors, makes the parameters of the launches when a plan is bound, and launches. A
  product allocates nothing, waits for nothing and sets nothing: one launch, or a few.
*/
#include "../device.h"
#include "launch.h"
#include "../generator/generator.h"

/* A segment of so many nonzeros is worth a launch of its own: its kernel keeps no more registers and shared memory than it needs */
#define ALONE 1000000

typedef struct {
  AutoCSRDeviceKernel    kernel;
  AutoCSRDeviceFinish   *finish;                  /* of a segment alone */
  void                  *vendor;                  /* in place of a kernel */
  AutoCSRNearness        nearness;                /* of its segments: which CSR it is of, and whether it adds to y */
  unsigned               blocks, threads, adding; /* blocks where the product is added to y: without rows that have no entries, the last ones */
  size_t                 shared;                  /* bytes on top of what the kernel declares */
  AutoCSRDeviceOperands *parameters;              /* which begin with the operands */
} Launch;

/* segment->launch: a product of it alone; kernel: that was compiled at run time; vendor: what one by the vendor's library needs, NULL for the others */
typedef struct {
  AutoCSRDeviceKernel  kernel;
  AutoCSROneParameters parameters;
  void                *vendor;
} SegmentLaunch;

/* plan->launch */
typedef struct {
  PetscInt64     number; /* no other plan has it */
  PetscInt       n_launches;
  Launch        *launch;
  SegmentLaunch *alone; /* of each segment */
} DevicePlan;

/* Where there is none to ask (which a launch will say), as of the device whose figures are shipped: for the cost model alone */
PetscInt AutoCSRDeviceProcessors(void)
{
  int device = 0, processors = 132;

  (void)cudaGetDevice(&device);
  (void)cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  return processors;
}

/* The most scalars that a block's shared memory has room for beside so many bytes */
static PetscInt SharedScalars(size_t without, PetscInt most)
{
  int device = 0, bytes = 227 << 10;

  (void)cudaGetDevice(&device);
  (void)cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return (size_t)bytes > without ? PetscMin(most, (PetscInt)(((size_t)bytes - without) / sizeof(PetscScalar))) : 0;
}

#define SHARED_OF_BLOCK     1024 /* that the system keeps of it */
#define PROPAGATE_RESIDENTS 2    /* blocks that add products, of a multiprocessor, */
#define PROPAGATE_FEW       4096 /* unless they have room for fewer rows: then one */

/* Bytes of shared memory of a multiprocessor */
static PetscInt SharedOfProcessor(void)
{
  int device = 0, bytes = 228 << 10;

  (void)cudaGetDevice(&device);
  (void)cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  return bytes;
}

/* The most columns of a tile */
static PetscInt TileColumns(void)
{
  return SharedScalars(AutoCSRDeviceTileBytes(0), 65536);
}

/* What adds the pieces of column tiles has the sums of a row block for each of its warps */
static PetscBool HasRoomForSums(const AutoCSRAxes *axes)
{
  const PetscInt sums = AUTOCSR_THREADS / 32 * axes->tile_height;

  return (PetscBool)(SharedScalars(0, sums) == sums);
}

/* The same of order propagated, and the most rows of a row block, of order popular, too */
static PetscInt PropagateColumns(void)
{
  return SharedScalars(0, 65536);
}

static PetscInt PropagateMost(void)
{
  return SharedScalars(AutoCSRDevicePropagateBytes(0), AUTOCSR_PROPAGATE_ROWS);
}

/* As many as several blocks of a multiprocessor have room for, unless these are few */
static PetscInt PropagateRows(void)
{
  const PetscInt share = SharedOfProcessor() / PROPAGATE_RESIDENTS - SHARED_OF_BLOCK, rows = (share - (PetscInt)AutoCSRDevicePropagateBytes(0)) / (PetscInt)sizeof(PetscScalar);

  return PetscMin(PropagateMost(), rows < PROPAGATE_FEW ? AUTOCSR_PROPAGATE_ROWS : rows) / 32 * 32;
}

#define TILE_ENTRIES 8    /* for each column of a tile, so many entries of an item make its copy cheap */
#define TILE_WAVES   8    /* of items, at most: they even out what differs */
#define SUM_WARPS    2048 /* row blocks that keep the device busy */

#define PROPAGATE_ITEMS  16 /* items, and blocks of rows, of a multiprocessor at least: they end at about one time */
#define PROPAGATE_SHORT  2  /* entries of an item, at least, for each column of its tile */
#define PROPAGATE_CHUNKS 16 /* that a row block has which ends after so many entries */

/* As few tiles as there can be, as many rows in a block as there can be: runs are as long as there can be */
static void ShapePropagate(PetscInt n, PetscInt nnz, AutoCSRAxes *axes)
{
  const PetscInt unit = 16 / PetscMin(16, (PetscInt)sizeof(PetscScalar)), most = PropagateColumns() / unit * unit, processors = AutoCSRDeviceProcessors();
  const PetscInt tiles = most ? n / most + (n % most != 0) : 0, width = tiles ? n / tiles + (n % tiles != 0) : 1;

  axes->lanes       = 1;
  axes->tile_height = PropagateRows();
  axes->tile_width  = axes->tile_height ? PetscMin(most, (width + unit - 1) / unit * unit) : 0;
  axes->tile_steps  = PetscMax(PROPAGATE_SHORT * axes->tile_width, nnz / (PROPAGATE_ITEMS * processors)) / AUTOCSR_PROPAGATE_UNIT + 1;
  axes->row_limit   = PetscMax(PROPAGATE_CHUNKS * AUTOCSR_PROPAGATE_CHUNK, nnz / (PROPAGATE_ITEMS * processors));
}

#define POPULAR_SHORT 2 /* entries of an item, at least, for each column of its tile */

/* As many columns in a tile as there can be: rows have the fewer pieces. Half as many rows in a block: of graphs of a few million entries the last blocks are waited for */
static void ShapePopular(PetscInt n, PetscInt nnz, AutoCSRAxes *axes)
{
  const PetscInt unit = 16 / PetscMin(16, (PetscInt)sizeof(PetscScalar)), most = TileColumns() / unit * unit, processors = AutoCSRDeviceProcessors();
  const PetscInt share = nnz / AUTOCSR_TILED_GROUP / processors;
  PetscInt       waves = 1;

  axes->lanes       = AUTOCSR_TILED_GROUP / AUTOCSR_TILED_LANE_SLOTS;
  axes->tile_height = PropagateRows() / 2;
  axes->tile_width  = axes->tile_height ? PetscMin(most, (n + unit - 1) / unit * unit) : 0;
  while (waves < TILE_WAVES && (double)share / waves * AUTOCSR_TILED_GROUP > POPULAR_SHORT * axes->tile_width) waves *= 2;
  axes->tile_steps = PetscMax(1, share / waves);
  axes->row_limit  = PetscMax(PROPAGATE_CHUNKS * AUTOCSR_PROPAGATE_CHUNK, nnz / (PROPAGATE_ITEMS * processors));
}

/*
  As few tiles as there can be, each in as many items as multiprocessors are left for it: then all items are begun at once,
  and are as long. Where there are enough entries for it, more and shorter items
*/
void AutoCSRDeviceShapeTiles(PetscInt m, PetscInt n, PetscInt nnz, AutoCSRAxes *axes)
{
  const PetscInt unit = 16 / PetscMin(16, (PetscInt)sizeof(PetscScalar)), most = TileColumns() / unit * unit, processors = AutoCSRDeviceProcessors();
  const PetscInt groups = nnz / AUTOCSR_TILED_GROUP + 1;
  PetscInt       tiles, width, waves = 1;

  if (axes->order == AUTOCSR_ORDER_ADAPTIVE) {
    axes->tile_width  = AUTOCSR_DEVICE_ADAPTIVE_WIDTH;
    axes->tile_height = AUTOCSR_DEVICE_ADAPTIVE_HEIGHT;
    axes->tile_steps  = AUTOCSR_DEVICE_ADAPTIVE_WIDTH / 8;
    axes->row_limit   = 3; /* hong2019, 4.1 */
    return;
  }
  if (axes->order == AUTOCSR_ORDER_PROPAGATED || axes->order == AUTOCSR_ORDER_POPULAR) {
    (axes->order == AUTOCSR_ORDER_PROPAGATED ? ShapePropagate : ShapePopular)(n, nnz, axes);
    return;
  }
  axes->lanes      = AUTOCSR_TILED_GROUP / AUTOCSR_TILED_LANE_SLOTS;
  axes->tile_width = 0;
  if (!most) return;
  tiles = n / most + (n % most != 0);
  if (tiles > 0 && tiles < processors) tiles = processors / (processors / tiles);
  width = tiles ? n / tiles + (n % tiles != 0) : 1;
  width = PetscMin(most, (width + unit - 1) / unit * unit);
  while (waves < TILE_WAVES && (double)nnz / processors / waves > 2.0 * TILE_ENTRIES * width) waves *= 2;
  axes->tile_width  = width;
  axes->tile_height = AUTOCSR_TILED_ROWS;
  while (axes->tile_height > 1 && (m / axes->tile_height < SUM_WARPS || !HasRoomForSums(axes))) axes->tile_height /= 2;
  axes->tile_steps = PetscMax(1, groups / (processors * waves));
}

#define PLANES_WAVES 6

/*
  Items are begun at once, or in few waves: as many as end soonest, where each copies the windows around its first plane
  beside its own
*/
AutoCSRDevicePlanes AutoCSRDeviceShapePlanes(const AutoCSRAxes *axes, PetscInt rows)
{
  AutoCSRDevicePlanes p      = {.stride = axes->tile_width, .around = (int)axes->tile_height, .reach = (int)axes->tile_steps};
  const PetscInt      strips = p.stride / AUTOCSR_PLANES_STRIP + (p.stride % AUTOCSR_PLANES_STRIP > 0), unit = 16 / PetscMin(16, (PetscInt)sizeof(PetscScalar));
  PetscInt            least = PETSC_MAX_INT, slots;

  p.rows   = (p.stride / strips + (p.stride % strips > 0) + 31) / 32 * 32;
  p.strips = p.stride / p.rows + (p.stride % p.rows > 0);
  p.planes = rows / p.stride + (rows % p.stride > 0);
  p.room   = (int)((p.rows + 2 * p.reach + 2 * unit) / unit * unit);
  slots    = AutoCSRDeviceProcessors() * PetscMax(1, PetscMin(AUTOCSR_PLANES_RESIDENTS, SharedOfProcessor() / (PetscInt)(AutoCSRDevicePlanesBytes(&p) + SHARED_OF_BLOCK)));
  for (PetscInt wave = 1; wave <= PLANES_WAVES; wave++) {
    const PetscInt items = PetscMax(1, wave * slots / p.strips), steps = PetscMax(1, p.planes / items + (p.planes % items > 0));
    const PetscInt all = p.strips * (p.planes / steps + (p.planes % steps > 0)), waves = PetscMax(1, all / slots + (all % slots > 0));

    if (waves * (steps + p.around) >= least) continue;
    least   = waves * (steps + p.around);
    p.steps = steps;
  }
  return p;
}

static const AutoCSRDeviceExecutor *ExecutorOf(const AutoCSRSegment *seg)
{
  return (const AutoCSRDeviceExecutor *)seg->executor;
}

static PetscBool HasRoomForPlanes(const AutoCSRAxes *axes)
{
  const AutoCSRDevicePlanes p = AutoCSRDeviceShapePlanes(axes, axes->tile_width);

  return (PetscBool)(axes->tile_height <= AUTOCSR_PLANES_AROUND && axes->tile_steps <= AUTOCSR_PLANES_REACH && SharedScalars(AutoCSRDevicePlanesBytes(&p), 1));
}

const AutoCSRExecutor *AutoCSRDeviceExecutorOf(int id)
{
  for (const AutoCSRDeviceExecutor *e = AutoCSRDeviceExecutors; e->executor.name; e++) {
    if (e->executor.id == id) return &e->executor;
  }
  return AutoCSRVendorExecutorOf(id);
}

/* Of those that are compiled ahead */
static PetscErrorCode FindCompiled(const AutoCSRAxes *axes, const AutoCSRExecutor **executor)
{
  const PetscBool              slices  = (PetscBool)(axes->order == AUTOCSR_ORDER_SLICED || (axes->order == AUTOCSR_ORDER_CSR && axes->index == AUTOCSR_INDEX_16 && !AutoCSRAxesBaseEntries(axes)));
  const PetscBool              pattern = (PetscBool)(axes->order == AUTOCSR_ORDER_CSR && axes->index == AUTOCSR_INDEX_PATTERN);
  const AutoCSRMapping         mapping = pattern && axes->mapping != AUTOCSR_MAP_PLANES ? AUTOCSR_MAP_LANES : axes->mapping; /* other patterns are walked alike whatever the mapping */
  const PetscBool              tiles   = AutoCSRMappingSharesEntries(axes->mapping);
  const PetscBool              sliced  = (PetscBool)(axes->order == AUTOCSR_ORDER_SLICED);
  const PetscInt               most    = sliced ? 2 : 2 * AUTOCSR_THREADS; /* several lanes of slices, several blocks: any number */
  const PetscInt               lanes   = tiles ? axes->tile_height : PetscMin(PetscMax(1, axes->lanes), most);
  const PetscInt               block   = PetscMax(1, axes->block);
  const PetscInt               rows    = AUTOCSR_DEVICE_SLICE_HEIGHT / (sliced ? PetscMax(1, axes->lanes) : 1); /* of a slice, which a warp takes */
  const AutoCSRDeviceExecutor *e;

  PetscFunctionBegin;
  *executor = NULL;
  if (axes->mapping == AUTOCSR_MAP_VENDOR) {
    e = AutoCSRVendorFind(axes);
    if (e) *executor = &e->executor;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (tiles && (axes->tile_width != AUTOCSR_THREADS || axes->tile_steps > 1)) PetscFunctionReturn(PETSC_SUCCESS); /* a block for each tile */
  if (slices && axes->slice_height != rows) PetscFunctionReturn(PETSC_SUCCESS);
  if (axes->order == AUTOCSR_ORDER_TILED && (axes->tile_width > TileColumns() || !HasRoomForSums(axes))) PetscFunctionReturn(PETSC_SUCCESS);
  if (axes->order == AUTOCSR_ORDER_POPULAR && (axes->tile_width > TileColumns() || axes->tile_height > PropagateMost())) PetscFunctionReturn(PETSC_SUCCESS);
  if (axes->order == AUTOCSR_ORDER_PROPAGATED && (axes->tile_width > PropagateColumns() || axes->tile_height > PropagateMost())) PetscFunctionReturn(PETSC_SUCCESS);
  if (axes->mapping == AUTOCSR_MAP_PLANES && !HasRoomForPlanes(axes)) PetscFunctionReturn(PETSC_SUCCESS);
  for (e = AutoCSRDeviceExecutors; e->executor.name && !*executor; e++) {
    if ((e->order ^ axes->order) | (e->value ^ axes->value) | (e->mapping ^ mapping) | (e->block ^ block)) continue;
    if ((block == 1 && e->index != axes->index) || (e->lanes && e->lanes != lanes) || (e->reduction && e->reduction != axes->reduction)) continue;
    *executor = &e->executor;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceFindExecutor(const AutoCSRAxes *axes, const char simd[], const AutoCSRExecutor **executor)
{
  PetscFunctionBegin;
  *executor = NULL;
  if (!AutoCSRAxesHaveResources(axes)) PetscCall(FindCompiled(axes, executor));
  if (!*executor && axes->generated) PetscCall(AutoCSRGeneratorFind(axes, executor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BindSegment(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, SegmentLaunch *alone)
{
  const AutoCSRDeviceExecutor *executor = ExecutorOf(seg);
  const AutoCSRStream         *stream   = seg->stream;
  const size_t                 scratch  = (*executor->scratch_bytes)(seg);
  AutoCSRDeviceSegment        *d        = &alone->parameters.segment;
  AutoCSRDeviceTiles          *tiles    = &alone->parameters.tiles;

  PetscFunctionBegin;
  d->rows            = (const PetscInt *)stream[AUTOCSR_STREAM_ROWS].data;
  d->slice_ptr       = (const PetscInt *)stream[AUTOCSR_STREAM_SLICE_PTR].data;
  d->base            = (const PetscInt *)stream[AUTOCSR_STREAM_BASE].data;
  d->fit             = (const AutoCSRFit *)stream[AUTOCSR_STREAM_FIT].data;
  d->slice_fit       = (const AutoCSRSliceFit *)stream[AUTOCSR_STREAM_SLICE_FIT].data;
  d->index           = stream[AUTOCSR_STREAM_INDEX].data;
  d->pattern_id      = (const uint16_t *)stream[AUTOCSR_STREAM_PATTERN_ID].data;
  d->pattern_ptr     = (const PetscInt *)stream[AUTOCSR_STREAM_PATTERN_PTR].data;
  d->pattern_offset  = (const PetscInt *)stream[AUTOCSR_STREAM_PATTERN_OFFSET].data;
  d->pattern_root    = (const AutoCSRPatternRoot *)stream[AUTOCSR_STREAM_PATTERN_ROOT].data;
  d->pattern_value   = (const PetscScalar *)stream[AUTOCSR_STREAM_PATTERN_VALUE].data;
  d->value           = stream[AUTOCSR_STREAM_VALUE].data;
  d->dictionary      = (const PetscScalar *)stream[AUTOCSR_STREAM_DICTIONARY].data;
  d->work            = (const PetscInt *)stream[AUTOCSR_STREAM_WORK].data;
  tiles->item        = (const AutoCSRTiledItem *)stream[AUTOCSR_STREAM_ITEM].data;
  tiles->end         = (const uint8_t *)stream[AUTOCSR_STREAM_END].data;
  tiles->piece_ptr   = (const PetscInt *)stream[AUTOCSR_STREAM_PIECE_PTR].data;
  tiles->run_ptr     = (const PetscInt *)stream[AUTOCSR_STREAM_RUN_PTR].data;
  tiles->piece_row   = (const uint16_t *)stream[AUTOCSR_STREAM_PIECE_ROW].data;
  tiles->block_row   = (const PetscInt *)stream[AUTOCSR_STREAM_BLOCK_ROW].data;
  tiles->chunk_ptr   = (const PetscInt *)stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  tiles->part_ptr    = (const PetscInt *)stream[AUTOCSR_STREAM_PART_PTR].data;
  tiles->part        = (const AutoCSRPropagatePart *)stream[AUTOCSR_STREAM_PART].data;
  tiles->code_ptr    = (const PetscInt *)stream[AUTOCSR_STREAM_CODE_PTR].data;
  tiles->code        = (const uint16_t *)stream[AUTOCSR_STREAM_CODE].data;
  tiles->column      = (const PetscInt *)stream[AUTOCSR_STREAM_COLUMN].data;
  tiles->x           = seg->axes.order == AUTOCSR_ORDER_POPULAR ? AutoCSRPopularX(seg) : 0;
  tiles->n_columns   = seg->axes.order == AUTOCSR_ORDER_POPULAR ? AutoCSRPopularColumns(seg) : csr->n;
  tiles->tile_width  = seg->axes.tile_width;
  tiles->tile_height = seg->axes.tile_height;
  tiles->n_tiles     = seg->axes.order == AUTOCSR_ORDER_TILED ? AutoCSRTiledTiles(&seg->axes, csr->n) : 0;
  if (seg->axes.mapping == AUTOCSR_MAP_PLANES) tiles->planes = AutoCSRDeviceShapePlanes(&seg->axes, seg->n_rows);
  d->row_begin  = seg->row_begin;
  d->n_rows     = seg->n_rows;
  d->row_group  = seg->axes.row_group;
  d->lanes      = (int)seg->axes.lanes;
  d->nnz        = seg->nnz;
  d->n_slices   = seg->n_slices;
  d->n_patterns = seg->n_patterns;
  d->n_work     = AutoCSRSegmentWorkBlocks(seg);
  d->blocks     = (*executor->step[0].blocks)(seg);
  d->agent      = executor->executor.id;
  PetscCheck(d->blocks <= 2147483647, PETSC_COMM_SELF, PETSC_ERR_SUP, "A segment of %" PetscInt_FMT " blocks is more than a launch may have", d->blocks);
  if (seg->axes.mapping == AUTOCSR_MAP_VENDOR) PetscCall(AutoCSRVendorCreate(seg, csr, &alone->vendor));
  if (scratch) PetscCall(AutoCSRDeviceAllocateZeros(scratch, &d->scratch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernel of a step; one that was compiled at run time is there since the plan was prepared */
static PetscErrorCode KernelOf(const AutoCSRSegment *seg, const AutoCSRDeviceStep *step, AutoCSRDeviceKernel *kernel)
{
  char why[256];

  PetscFunctionBegin;
  *kernel = (AutoCSRDeviceKernel){.symbol = step->kernel};
  if (!ExecutorOf(seg)->generated) {
    PetscCall(AutoCSRDeviceLoadKernel((*step->shared_bytes)(seg), kernel));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRGeneratorKernel(seg, kernel, sizeof(why), why));
  PetscCheck(!why[0], PETSC_COMM_SELF, PETSC_ERR_LIB, "No kernel of %s: %s", seg->executor->name, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDevicePrepare(const AutoCSRPlan *plan, size_t len, char why[])
{
  AutoCSRDeviceKernel kernel;

  PetscFunctionBegin;
  why[0] = 0;
  for (PetscInt s = 0; s < plan->n_segments && !why[0]; s++) {
    if (ExecutorOf(&plan->segment[s])->generated) PetscCall(AutoCSRGeneratorKernel(&plan->segment[s], &kernel, len, why));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddAlone(DevicePlan *device, const AutoCSRSegment *seg)
{
  SegmentLaunch        *alone = (SegmentLaunch *)seg->launch;
  AutoCSROneParameters *parameters;

  PetscFunctionBegin;
  if (alone->vendor) {
    device->launch[device->n_launches].nearness = seg->row_set.nearness;
    device->launch[device->n_launches++].vendor = alone->vendor;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int s = 0; s < AUTOCSR_DEVICE_STEPS && ExecutorOf(seg)->step[s].kernel; s++) {
    const AutoCSRDeviceStep *step   = &ExecutorOf(seg)->step[s];
    const PetscInt           blocks = (*step->blocks)(seg);
    Launch                  *launch = &device->launch[device->n_launches];

    if (!blocks) continue;
    PetscCall(PetscNew(&parameters));
    *parameters           = alone->parameters;
    launch->nearness      = seg->row_set.nearness;
    launch->finish        = ExecutorOf(seg)->finish;
    launch->blocks        = (unsigned)blocks;
    launch->threads       = (unsigned)step->threads;
    launch->shared        = (*step->shared_bytes)(seg);
    launch->adding        = seg->axes.mapping == AUTOCSR_MAP_EMPTY ? 0 : launch->blocks;
    launch->parameters    = &parameters->operands;
    device->n_launches++;
    PetscCall(KernelOf(seg, step, &launch->kernel));
    if (ExecutorOf(seg)->generated) alone->kernel = launch->kernel; /* of its one step */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To the last launch if it is of this kernel for many and has room, else to a new one */
static PetscErrorCode AddToMany(DevicePlan *device, const void *kernel, const AutoCSRSegment *seg)
{
  const AutoCSRDeviceSegment *d      = &((const SegmentLaunch *)seg->launch)->parameters.segment;
  const PetscInt              most   = 2147483647;
  Launch                     *launch = device->n_launches ? &device->launch[device->n_launches - 1] : NULL;
  AutoCSRManyParameters      *parameters;

  PetscFunctionBegin;
  if (!d->blocks) PetscFunctionReturn(PETSC_SUCCESS);
  parameters = launch && launch->kernel.symbol == kernel && launch->nearness == seg->row_set.nearness ? (AutoCSRManyParameters *)launch->parameters : NULL;
  if (!parameters || parameters->n_segments == AUTOCSR_MANY_SEGMENTS || launch->blocks > most - d->blocks) {
    PetscCall(PetscNew(&parameters));
    launch                = &device->launch[device->n_launches++];
    launch->kernel.symbol = kernel;
    launch->nearness      = seg->row_set.nearness;
    launch->threads       = AUTOCSR_THREADS;
    launch->parameters    = &parameters->operands;
    PetscCall(AutoCSRDeviceLoadKernel(0, &launch->kernel));
  }
  launch->blocks += (unsigned)d->blocks;
  if (seg->axes.mapping != AUTOCSR_MAP_EMPTY) launch->adding = launch->blocks;
  parameters->segment[parameters->n_segments]     = *d;
  parameters->block_end[parameters->n_segments++] = (PetscInt)launch->blocks;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fit for a launch with others */
static PetscBool IsSmall(const AutoCSRSegment *seg)
{
  return (PetscBool)(seg->nnz < ALONE && ExecutorOf(seg)->step[0].kernel && !ExecutorOf(seg)->finish && !ExecutorOf(seg)->alone);
}

/* All segments share launches of the kernel for lean ones */
static PetscBool AllLean(const AutoCSRPlan *plan)
{
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    if (!ExecutorOf(&plan->segment[s])->lean) return PETSC_FALSE;
  }
  return (PetscBool)(plan->n_segments > 1);
}

/* Of the segments of these entries */
static PetscErrorCode AddLaunches(const AutoCSRPlan *plan, AutoCSRNearness nearness, PetscBool lean, PetscInt small, DevicePlan *device)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const AutoCSRSegment *seg = &plan->segment[s];

    if (seg->row_set.nearness == nearness && (lean || (IsSmall(seg) && small > 1))) PetscCall(AddToMany(device, lean ? AutoCSRLeanKernel : AutoCSRManyKernel, seg));
  }
  for (PetscInt s = 0; s < plan->n_segments && !lean; s++) {
    const AutoCSRSegment *seg = &plan->segment[s];

    if (seg->row_set.nearness == nearness && (!IsSmall(seg) || small == 1)) PetscCall(AddAlone(device, seg));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceBind(AutoCSRPlan *plan, const AutoCSRMatrix *csr)
{
  static PetscInt64 bound = 0;
  DevicePlan       *device;
  PetscInt          small = 0;
  PetscBool         lean;

  PetscFunctionBegin;
  PetscCall(PetscNew(&device));
  device->number = ++bound;
  plan->launch   = device;
  PetscCall(PetscCalloc2(AUTOCSR_DEVICE_STEPS * plan->n_segments, &device->launch, plan->n_segments, &device->alone));
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    AutoCSRSegment *seg = &plan->segment[s];

    seg->launch = &device->alone[s];
    PetscCall(BindSegment(seg, AutoCSRPlanMatrixOf(plan, seg, csr), &device->alone[s]));
    if (IsSmall(seg)) small++;
  }
  lean = AllLean(plan);
  for (int nearness = 0; nearness <= AUTOCSR_NEARNESS_FAR; nearness++) PetscCall(AddLaunches(plan, (AutoCSRNearness)nearness, lean, small, device)); /* far entries after the near ones */
  PetscCall(AutoCSRDeviceTrim()); /* what building has taken beside the plan */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceUnbind(AutoCSRPlan *plan)
{
  DevicePlan *device = (DevicePlan *)plan->launch;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < plan->n_segments && device->alone; s++) {
    if (device->alone[s].parameters.segment.scratch) PetscCall(AutoCSRDeviceDeallocate(device->alone[s].parameters.segment.scratch));
    PetscCall(AutoCSRVendorDestroy(&device->alone[s].vendor));
    plan->segment[s].launch = NULL;
  }
  for (PetscInt l = 0; l < device->n_launches; l++) PetscCall(PetscFree(device->launch[l].parameters));
  PetscCall(PetscFree2(device->launch, device->alone));
  PetscCall(PetscFree(device));
  plan->launch = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt64 AutoCSRDeviceRecordable(const AutoCSRPlan *plan)
{
  const DevicePlan *device = (const DevicePlan *)plan->launch;

  if (plan->division) return 0; /* its launches read arrays of the division's, which new values make again */
  for (PetscInt l = 0; l < device->n_launches; l++) {
    if (device->launch[l].vendor || device->launch[l].finish) return 0;
  }
  return device->number;
}

const AutoCSROneParameters *AutoCSRDeviceAlone(const AutoCSRPlan *plan)
{
  const DevicePlan *device = (const DevicePlan *)plan->launch;

  if (plan->n_segments != 1 || plan->segment[0].n_rows != plan->m || plan->division || device->n_launches != 1) return NULL;
  if (ExecutorOf(&plan->segment[0])->generated || device->launch[0].vendor || device->launch[0].finish) return NULL;
  return (const AutoCSROneParameters *)device->launch[0].parameters;
}

static AutoCSRDeviceOperands DeviceOperands(const AutoCSROperands *op)
{
  return (AutoCSRDeviceOperands){op->csr->row_ptr, op->csr->col, op->csr->val, op->x, op->z, op->y, op->conjugate ? 1 : 0};
}

PetscErrorCode AutoCSRDeviceMult(const AutoCSRPlan *plan, const AutoCSROperands *op)
{
  const DevicePlan *device = (const DevicePlan *)plan->launch;

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  for (PetscInt l = 0; l < device->n_launches; l++) {
    Launch                     *launch = &device->launch[l];
    AutoCSROperands             room;
    const AutoCSROperands      *of       = AutoCSRPlanOperandsOf(plan, launch->nearness, op, &room);
    const AutoCSRDeviceOperands operands = DeviceOperands(of);
    const unsigned              blocks   = of->z == of->y ? launch->adding : launch->blocks; /* as for an off-diagonal block */

    if (launch->vendor) {
      PetscCall(AutoCSRVendorMult(launch->vendor, &operands));
      continue;
    }
    if (!blocks) continue;
    *launch->parameters = operands;
    PetscCall(AutoCSRDeviceLaunchKernel(&launch->kernel, blocks, launch->threads, launch->shared, launch->parameters));
    if (launch->finish) PetscCall((*launch->finish)(&((const AutoCSROneParameters *)launch->parameters)->segment, launch->parameters));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One segment of a bound plan alone */
void AutoCSRDeviceMultSegment(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  const SegmentLaunch *alone      = (const SegmentLaunch *)seg->launch;
  AutoCSROneParameters parameters = alone->parameters;

  parameters.operands = DeviceOperands(op);
  if (alone->vendor) {
    PetscCallVoid(AutoCSRVendorMult(alone->vendor, &parameters.operands));
    return;
  }
  for (int s = 0; s < AUTOCSR_DEVICE_STEPS && ExecutorOf(seg)->step[s].kernel; s++) {
    const AutoCSRDeviceStep *step   = &ExecutorOf(seg)->step[s];
    AutoCSRDeviceKernel      kernel = alone->kernel;
    const size_t             shared = (*step->shared_bytes)(seg);
    const PetscInt           blocks = (*step->blocks)(seg);

    if (!blocks) continue;
    if (!ExecutorOf(seg)->generated) PetscCallVoid(KernelOf(seg, step, &kernel)); /* which is there but for the first time */
    PetscCallVoid(AutoCSRDeviceLaunchKernel(&kernel, (unsigned)blocks, (unsigned)step->threads, shared, &parameters));
  }
  if (ExecutorOf(seg)->finish && parameters.segment.blocks) PetscCallVoid((*ExecutorOf(seg)->finish)(&parameters.segment, &parameters.operands));
}
