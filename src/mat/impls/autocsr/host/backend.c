/*
  The host as a backend: its memory, the loops of profile/ and plan/, and products segment by segment.
*/
#include "bound.h"
#include "dense.h"
#include "executors.h"
#include "../backend.h"
#include "../layout/tiled.h"

#define ALIGN 64 /* bytes: a cache line and the widest vector; also the readable room past the end */

/* The allocation begins before the aligned data; its address is kept in the word in front of them */
static PetscErrorCode Allocate(size_t bytes, void **data)
{
  char *base;

  PetscFunctionBegin;
  PetscCall(PetscMalloc(bytes + 2 * ALIGN + sizeof(void *), &base));
  *data                  = (void *)(((uintptr_t)base + sizeof(void *) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
  ((void **)(*data))[-1] = base;
  PetscCall(PetscMemzero((char *)*data + bytes, ALIGN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Deallocate(void *data)
{
  PetscFunctionBegin;
  if (data) {
    void *base = ((void **)data)[-1];

    PetscCall(PetscFree(base));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Copy(void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
  PetscCall(PetscMemcpy(to, from, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Synchronize(void)
{
  return PETSC_SUCCESS;
}

static PetscInt VirtualRowEnd(const AutoCSRMatrix *csr, PetscInt U, PetscInt v)
{
  return csr->m - v * U < U ? csr->m : (v + 1) * U;
}

static PetscInt BinOf(const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, PetscInt v)
{
  return PetscMin((csr->row_ptr[VirtualRowEnd(csr, U, v)] - csr->row_ptr[v * U]) / U, bins - 1);
}

static PetscErrorCode CountBins(const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, AutoCSRBins *counted)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(counted, sizeof(*counted)));
  for (PetscInt v = 0; v < csr->m / U + (csr->m % U > 0); v++) {
    const PetscInt b = BinOf(csr, U, bins, v), end = VirtualRowEnd(csr, U, v);

    counted->count[b]++;
    counted->rows[b] += end - v * U;
    counted->nnz[b] += csr->row_ptr[end] - csr->row_ptr[v * U];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NameBins(const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, const PetscBool wanted[], PetscInt names[])
{
  PetscFunctionBegin;
  for (PetscInt v = 0; v < csr->m / U + (csr->m % U > 0); v++) {
    if (wanted[BinOf(csr, U, bins, v)]) *names++ = v;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NameRows(const AutoCSRMatrix *csr, PetscInt row_begin, PetscInt row_end, PetscInt n, const AutoCSRRowKind kind[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    PetscInt *names = kind[k].names;

    for (PetscInt i = row_begin; i < row_end; i++) {
      const PetscInt length = csr->row_ptr[i + 1] - csr->row_ptr[i];

      if (length >= kind[k].shortest && length <= kind[k].longest) *names++ = i;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define TILE_LEAST     (128 << 10) /* bytes of x in a tile: wider ones take longer to read from at random, */
#define TILE_MOST      (512 << 10) /* and of even wider ones, or of more than half of itself, a second-level cache does not hold much beside the streams */
#define ADAPTIVE_HEAVY 3           /* entries of a column in a row panel: fewer are light (hong2019, 4.1) */
#define ADAPTIVE_LEAST 16          /* a tile with fewer than this part of its columns is dropped */
#define PIECE_ENTRIES  64          /* that a row has in a tile on average, if its width can bring it about */

/*
  The sums of a row panel and the rows of B that a tile reads, DENSE_VECTORS vectors of 64 bytes each, fill half of the
  second-level cache (hong2019, 4.4: as many rows as columns)
*/
static void ShapeAdaptiveTiles(AutoCSRAxes *axes)
{
  const double row = 64.0 * DENSE_VECTORS;

  for (axes->tile_width = AUTOCSR_DENSE_STRIP; 2 * 2 * axes->tile_width * row <= AutoCSRHostSecondCache() / 2; axes->tile_width *= 2) {
  }
  axes->tile_height = axes->tile_width;
  axes->tile_steps  = axes->tile_width / ADAPTIVE_LEAST;
  axes->row_limit   = ADAPTIVE_HEAVY;
}

static void ShapeTiles(PetscInt m, PetscInt n, PetscInt nnz, AutoCSRAxes *axes)
{
  const double   least = TILE_LEAST / sizeof(PetscScalar), wanted = (double)PIECE_ENTRIES * m * n / PetscMax(nnz, 1);
  const double   held = PetscMax(least, PetscMin(TILE_MOST, AutoCSRHostSecondCache() / 2) / sizeof(PetscScalar));
  const PetscInt most = (PetscInt)PetscMin(PetscMin(PetscMax(wanted, least), held), 65536), tiles = n / most + 1;

  axes->lanes = 1;
  if (axes->order == AUTOCSR_ORDER_ADAPTIVE) {
    ShapeAdaptiveTiles(axes);
    return;
  }
  axes->tile_width  = axes->order != AUTOCSR_ORDER_TILED ? 0 : n / tiles + 1;
  axes->tile_height = AUTOCSR_TILED_ROWS;
  axes->tile_steps  = nnz / AUTOCSR_TILED_GROUP + 1; /* nothing is gained from more than one item */
}

static PetscErrorCode Mult(const AutoCSRPlan *plan, const AutoCSROperands *op)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const AutoCSRSegment  *seg = &plan->segment[s];
    AutoCSROperands        room;
    const AutoCSROperands *of = AutoCSRPlanOperandsOf(plan, seg->row_set.nearness, op, &room);

    if (seg->axes.mapping == AUTOCSR_MAP_EMPTY && of->z == of->y) continue; /* as for an off-diagonal block: nothing to add */
    if (seg->contested)
      PetscCall(AutoCSRContestMultiply(seg, of));
    else
      seg->executor->mult(seg, of);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Near and far entries at once: the block's CSR is there */
static PetscErrorCode ScatterAll(const AutoCSRMatrix *csr, const AutoCSROperands *op)
{
  const AutoCSRSegment all = {.axes = {.mapping = AUTOCSR_MAP_LANES, .lanes = 1, .slice_height = 1, .row_group = 1, .block = 1}, .n_rows = csr->m, .nnz = csr->nnz};
  const AutoCSRExecutor *executor;

  PetscFunctionBegin;
  PetscCall(AutoCSRHostFindExecutor(&all.axes, "auto", &executor));
  executor->transpose(&all, op);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MultTranspose(const AutoCSRPlan *plan, const AutoCSROperands *op)
{
  PetscFunctionBegin;
  if (!op->z)
    PetscCall(PetscArrayzero(op->y, plan->n));
  else if (op->z != op->y)
    PetscCall(PetscArraycpy(op->y, op->z, plan->n));
  if (plan->division) {
    PetscCall(ScatterAll(op->csr, op));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const AutoCSRSegment *seg = &plan->segment[s];

    if (seg->nnz) seg->executor->transpose(seg, op);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRBackend AutoCSRBackendHost = {
    .name             = "host",
    .slice_height     = AUTOCSR_HOST_SLICE_HEIGHT,
    .tile_width       = 8,
    .tile_height      = 64,
    .tile_steps       = 8,
    .shape_tiles      = ShapeTiles,
    .allocate         = Allocate,
    .deallocate       = Deallocate,
    .to_host          = Copy,
    .from_host        = Copy,
    .synchronize      = Synchronize,
    .profile          = AutoCSRProfileFill_Host,
    .fingerprint      = AutoCSRFingerprint_Host,
    .watch_begin      = AutoCSRHostWatchBegin,
    .watch_end        = AutoCSRHostWatchEnd,
    .watch_read       = AutoCSRHostWatchRead,
    .watch_forget     = AutoCSRHostWatchForget,
    .count_bins       = CountBins,
    .name_bins        = NameBins,
    .name_rows        = NameRows,
    .divide           = AutoCSRMatrixDivide_Host,
    .sort_rows        = AutoCSRSegmentSortRows_Host,
    .encode           = AutoCSRSegmentEncode_Host,
    .refresh          = AutoCSRPlanRefresh_Host,
    .identify         = AutoCSRHostIdentify,
    .instruction_sets = AutoCSRHostInstructionSets,
    .round            = 30e-6,
    .read_memory      = AutoCSRHostReadMemory,
    .executor         = AutoCSRHostExecutorOf,
    .find_executor    = AutoCSRHostFindExecutor,
    .other_way        = AutoCSRHostOtherWay,
    .bind             = AutoCSRHostBind,
    .unbind           = AutoCSRHostUnbind,
    .mult             = Mult,
    .mult_transpose   = MultTranspose,
    .mult_dense       = AutoCSRHostMultDense,
    .sample_dense     = AutoCSRHostSampleDense,
    .pack_rows        = AutoCSRHostPackRows,
};
