/*
  The life of a plan: segments, their streams, and the bytes they take and move.
*/
#include "popular.h"
#include "../backend.h"

static PetscBool IsPowerOfTwo(PetscInt i)
{
  return (PetscBool)(i > 0 && (i & (i - 1)) == 0);
}

PetscErrorCode AutoCSRPlanCreate(const AutoCSRMatrix *csr, AutoCSRPlan **plan)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(plan));
  (*plan)->m       = csr->m;
  (*plan)->n       = csr->n;
  (*plan)->nnz     = csr->nnz;
  (*plan)->backend = csr->backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRStreamFree(AutoCSRSegment *seg, AutoCSRStreamKind kind)
{
  AutoCSRStream *stream = &seg->stream[kind];

  PetscFunctionBegin;
  if (stream->data) PetscCall((*seg->backend->release)(stream->data));
  stream->data  = NULL;
  stream->bytes = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanDestroy(AutoCSRPlan **plan)
{
  PetscFunctionBegin;
  if (!*plan) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*plan)->launch) PetscCall((*(*plan)->backend->unbind)(*plan));
  for (PetscInt i = 0; i < (*plan)->n_segments; i++) {
    for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) PetscCall(AutoCSRStreamFree(&(*plan)->segment[i], (AutoCSRStreamKind)s));
  }
  PetscCall(PetscFree((*plan)->segment));
  PetscCall(PetscFree(*plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which choices go together */
static PetscErrorCode AxesCheck(const AutoCSRAxes *a)
{
  const PetscBool in_place = (PetscBool)(a->order == AUTOCSR_ORDER_CSR && a->index == AUTOCSR_INDEX_CSR && (a->value == AUTOCSR_VALUE_CSR || a->value == AUTOCSR_VALUE_CONSTANT));

  PetscFunctionBegin;
  PetscCheck(IsPowerOfTwo(a->slice_height), PETSC_COMM_SELF, PETSC_ERR_PLIB, "slice_height %" PetscInt_FMT " is not a power of two", a->slice_height);
  PetscCheck(a->order == AUTOCSR_ORDER_CSR || (a->index != AUTOCSR_INDEX_CSR && a->value != AUTOCSR_VALUE_CSR), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order %s needs streams of its own, not index %s with value %s", AutoCSROrderNames[a->order], AutoCSRIndexNames[a->index], AutoCSRValueNames[a->value]);
  PetscCheck(a->order == AUTOCSR_ORDER_SLICED || a->mapping != AUTOCSR_MAP_SLICE || a->index == AUTOCSR_INDEX_PATTERN, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping slice needs order sliced or index pattern");
  PetscCheck((a->mapping == AUTOCSR_MAP_TILE || a->mapping == AUTOCSR_MAP_MERGE) == (a->partition == AUTOCSR_PARTITION_NONZEROS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Partition %s does not go with mapping %s", AutoCSRPartitionNames[a->partition], AutoCSRMappingNames[a->mapping]);
  PetscCheck(in_place || a->mapping == AUTOCSR_MAP_LANES || a->mapping == AUTOCSR_MAP_SLICE || a->mapping == AUTOCSR_MAP_VENDOR || a->mapping == AUTOCSR_MAP_PLANES || a->mapping == AUTOCSR_MAP_NODES || a->mapping == AUTOCSR_MAP_GROUP, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping %s has no streams of entries", AutoCSRMappingNames[a->mapping]);
  PetscCheck((a->mapping != AUTOCSR_MAP_LANES && a->order != AUTOCSR_ORDER_SLICED) || (IsPowerOfTwo(a->lanes) && a->lanes <= AUTOCSR_MAX_LANES), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " lanes are not a power of two up to %d", a->lanes, AUTOCSR_MAX_LANES);
  PetscCheck(a->index != AUTOCSR_INDEX_FITTED || (a->order == AUTOCSR_ORDER_SLICED && a->lanes == 1 && a->slice_height <= AUTOCSR_MAX_FIT_ROWS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Index fitted needs slices of at most %d rows, one lane each", AUTOCSR_MAX_FIT_ROWS);
  PetscCheck(a->value != AUTOCSR_VALUE_PATTERN || (a->order == AUTOCSR_ORDER_CSR && a->index == AUTOCSR_INDEX_PATTERN), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value pattern goes with order csr and index pattern, not %s and %s", AutoCSROrderNames[a->order], AutoCSRIndexNames[a->index]);
  PetscCheck(a->mapping != AUTOCSR_MAP_PLANES || (a->value == AUTOCSR_VALUE_PATTERN && a->row_group == 1 && a->sort_window <= 1 && a->tile_width >= 1 && a->tile_height >= 0 && a->tile_steps >= 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping planes goes with value pattern and single rows, not sorted; planes of %" PetscInt_FMT " rows, %" PetscInt_FMT " around, reach %" PetscInt_FMT, a->tile_width, a->tile_height, a->tile_steps);
  PetscCheck(a->mapping != AUTOCSR_MAP_ROW_BLOCKS || (a->row_limit > 0 && a->row_limit < a->tile_width * a->tile_height), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Blocks of %" PetscInt_FMT " entries do not hold rows of %" PetscInt_FMT " and others", a->tile_width * a->tile_height, a->row_limit);
  PetscCheck(a->mapping != AUTOCSR_MAP_NODES || (a->order == AUTOCSR_ORDER_CSR && (a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16) && a->value == AUTOCSR_VALUE_CSR && a->row_group == 1 && a->block == 1 && a->sort_window <= 1 && a->lanes >= 1 && a->lanes <= AUTOCSR_NODE_ROWS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping nodes goes with order csr, index 32 or 16, value csr and single rows, not sorted, %" PetscInt_FMT " to a node", a->lanes);
  PetscCheck(a->row_group == 1 || (a->order == AUTOCSR_ORDER_CSR && a->sort_window <= 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Virtual rows of %" PetscInt_FMT " rows need order csr, not sorted", a->row_group);
  PetscCheck(a->block == 1 || a->order == AUTOCSR_ORDER_BLOCKED || (a->order == AUTOCSR_ORDER_CSR && a->index != AUTOCSR_INDEX_PATTERN && a->mapping == AUTOCSR_MAP_LANES && a->row_group == 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Blocks of %" PetscInt_FMT " rows need order csr, mapping lanes and single rows, not patterns", a->block);
  PetscCheck(a->order != AUTOCSR_ORDER_DIAGONAL || (a->index == AUTOCSR_INDEX_PATTERN && AutoCSRValueIsStored(a->value) && a->mapping == AUTOCSR_MAP_LANES && a->row_group == 1 && a->sort_window <= 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order diagonal, index pattern and mapping lanes go together, with stored values of single rows, not sorted");
  PetscCheck(a->order != AUTOCSR_ORDER_BLOCKED || (a->block > 1 && a->index == AUTOCSR_INDEX_32 && a->value == AUTOCSR_VALUE_COPY && a->mapping == AUTOCSR_MAP_VENDOR && a->row_group == 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order blocked, index 32, value copy and mapping vendor go together");
  if (a->order == AUTOCSR_ORDER_PROPAGATED) {
    PetscCheck(a->mapping == AUTOCSR_MAP_GROUP && a->partition == AUTOCSR_PARTITION_COLUMNS && a->index == AUTOCSR_INDEX_16, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order propagated goes with partition columns, index 16 and mapping group");
    PetscCheck(a->tile_width >= 1 && a->tile_width <= 65536 && a->tile_height >= 1 && a->tile_height <= AUTOCSR_PROPAGATE_ROWS && a->tile_steps >= 1 && a->row_limit >= 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles of %" PetscInt_FMT " columns, blocks of %" PetscInt_FMT " rows or %" PetscInt_FMT " entries, items of %" PetscInt_FMT " units", a->tile_width, a->tile_height, a->row_limit, a->tile_steps);
  } else if (a->order == AUTOCSR_ORDER_POPULAR) {
    PetscCheck(a->mapping == AUTOCSR_MAP_GROUP && a->partition == AUTOCSR_PARTITION_COLUMNS && a->index == AUTOCSR_INDEX_16, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order popular goes with partition columns, index 16 and mapping group");
    PetscCheck(a->tile_width >= 1 && a->tile_width <= 65536 && a->tile_height >= 1 && a->tile_height <= AUTOCSR_PROPAGATE_ROWS && a->tile_steps >= 1 && a->row_limit >= 1 && (a->lanes == 1 || a->lanes == AUTOCSR_TILED_GROUP / AUTOCSR_TILED_RUN), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles of %" PetscInt_FMT " columns, blocks of %" PetscInt_FMT " rows or %" PetscInt_FMT " entries, items of %" PetscInt_FMT " groups, %" PetscInt_FMT " lanes", a->tile_width, a->tile_height, a->row_limit, a->tile_steps, a->lanes);
  } else if (a->order == AUTOCSR_ORDER_TILED || a->mapping == AUTOCSR_MAP_GROUP || a->partition == AUTOCSR_PARTITION_COLUMNS) {
    PetscCheck(a->order == AUTOCSR_ORDER_TILED && a->mapping == AUTOCSR_MAP_GROUP && a->partition == AUTOCSR_PARTITION_COLUMNS && a->index == AUTOCSR_INDEX_16, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Partition columns, order tiled, index 16 and mapping group go together");
    PetscCheck(a->tile_width >= 1 && a->tile_width <= 65536 && a->tile_height >= 1 && a->tile_height <= AUTOCSR_TILED_ROWS && a->tile_steps >= 1 && (a->lanes == 1 || a->lanes == AUTOCSR_TILED_GROUP / AUTOCSR_TILED_RUN), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles of %" PetscInt_FMT " columns, blocks of %" PetscInt_FMT " rows, items of %" PetscInt_FMT " groups, %" PetscInt_FMT " lanes", a->tile_width, a->tile_height, a->tile_steps, a->lanes);
  }
#if defined(PETSC_USE_REAL_SINGLE)
  PetscCheck(a->value != AUTOCSR_VALUE_FLOAT32, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value float32 narrows nothing where PetscScalar is single");
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Axes that do not matter for a segment may be left 0 */
PetscErrorCode AutoCSRPlanAddSegment(AutoCSRPlan *plan, const char *strategy, const AutoCSRAxes *axes, AutoCSRSegment **segment)
{
  AutoCSRSegment *seg;

  PetscFunctionBegin;
  if (plan->n_segments == plan->max_segments) {
    plan->max_segments = PetscMax(4, 2 * plan->max_segments);
    PetscCall(PetscRealloc(plan->max_segments * sizeof(*plan->segment), &plan->segment));
  }
  seg = &plan->segment[plan->n_segments];
  PetscCall(PetscMemzero(seg, sizeof(*seg)));
  seg->backend           = plan->backend;
  seg->strategy          = strategy;
  seg->axes              = *axes;
  seg->axes.row_group    = PetscMax(1, axes->row_group);
  seg->axes.slice_height = PetscMax(1, axes->slice_height);
  if (axes->order == AUTOCSR_ORDER_SLICED) seg->axes.lanes = PetscMax(1, axes->lanes);
  seg->axes.block = PetscMax(1, axes->block);
  PetscCall(AxesCheck(&seg->axes));
  plan->n_segments++;
  *segment = seg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

size_t AutoCSRStreamElementSize(const AutoCSRAxes *axes, AutoCSRStreamKind kind)
{
  switch (kind) {
  case AUTOCSR_STREAM_INDEX:
    return axes->index == AUTOCSR_INDEX_16 ? sizeof(uint16_t) : axes->index == AUTOCSR_INDEX_FITTED ? 1
                                                                                                    : sizeof(uint32_t);
  case AUTOCSR_STREAM_FIT:
    return sizeof(AutoCSRFit);
  case AUTOCSR_STREAM_SLICE_FIT:
    return sizeof(AutoCSRSliceFit);
  case AUTOCSR_STREAM_LENGTH:
  case AUTOCSR_STREAM_PATTERN_ID:
  case AUTOCSR_STREAM_PIECE_ROW:
  case AUTOCSR_STREAM_CODE:
    return sizeof(uint16_t);
  case AUTOCSR_STREAM_PATTERN_ROOT:
    return sizeof(AutoCSRPatternRoot);
  case AUTOCSR_STREAM_ITEM:
    return sizeof(AutoCSRTiledItem);
  case AUTOCSR_STREAM_NODE:
    return sizeof(AutoCSRNode);
  case AUTOCSR_STREAM_BLOCK_PTR:
    return sizeof(uint32_t);
  case AUTOCSR_STREAM_PART:
    return sizeof(AutoCSRPropagatePart);
  case AUTOCSR_STREAM_END:
    return sizeof(uint8_t);
  case AUTOCSR_STREAM_VALUE:
    if (axes->value == AUTOCSR_VALUE_DICTIONARY) return sizeof(uint8_t);
    if (axes->value == AUTOCSR_VALUE_FLOAT32) return sizeof(float) * (sizeof(PetscScalar) / sizeof(PetscReal));
    return sizeof(PetscScalar);
  case AUTOCSR_STREAM_PATTERN_VALUE:
  case AUTOCSR_STREAM_DICTIONARY:
    return sizeof(PetscScalar);
  default:
    return sizeof(PetscInt);
  }
}

/* Contents are not set, but for the room past the end, which is zero. Replaces a stream that is there */
PetscErrorCode AutoCSRStreamAllocate(AutoCSRSegment *seg, AutoCSRStreamKind kind, PetscInt64 count)
{
  AutoCSRStream *stream = &seg->stream[kind];
  const size_t   bytes  = (size_t)count * AutoCSRStreamElementSize(&seg->axes, kind);

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamFree(seg, kind));
  PetscCall((*seg->backend->allocate)(bytes, &stream->data));
  stream->bytes = bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What AutoCSRSegmentBytesMoved() counts of the CSR and of vectors; who asks adds streams, pieces and products */
double AutoCSRBytesBesideStreams(const AutoCSRAxes *a, double rows, double nnz, PetscInt m, PetscInt n)
{
  const PetscBool stored = (PetscBool)(AutoCSROrderHasTiles(a->order) || a->order == AUTOCSR_ORDER_BLOCKED);
  double          bytes  = (double)sizeof(PetscScalar) * rows;

  if (a->mapping == AUTOCSR_MAP_EMPTY) return bytes;
  if (a->index == AUTOCSR_INDEX_CSR) bytes += (double)sizeof(PetscInt) * nnz / PetscMax(1, a->block);
  if (!stored && (a->index != AUTOCSR_INDEX_PATTERN || (a->order == AUTOCSR_ORDER_CSR && a->value != AUTOCSR_VALUE_PATTERN))) bytes += (double)sizeof(PetscInt) * rows;
  if (a->value == AUTOCSR_VALUE_CSR) bytes += (double)sizeof(PetscScalar) * nnz;
  if (m > 0) bytes += (double)sizeof(PetscScalar) * PetscMin(nnz, (double)n * rows / m);
  return bytes;
}

/*
  Bytes that a product moves for a segment, each once:
    streams       whole, padding counted; not VALUE_PLACE, which new values are written by
    col, val      those of the segment, where they are used in place; of the rows of a block only the first one's col
    row_ptr       one a row; none where LENGTH has it, for empty rows, in orders tiled, propagated, popular and blocked, nor where SLICE_PTR or PATTERN_PLACE and the pattern tell place and length, or where the pattern tells all
    pieces        the sum of each is written and read, orders tiled and popular (there: as many as chunks have places for)
    products      each is written and read, order propagated
    columns       what is read by COLUMN is written in that order, and read again (order popular)
    x             the share of the segment's rows in the n entries, but no more than its nonzeros
    y             one a row
*/
double AutoCSRSegmentBytesMoved(const AutoCSRSegment *seg, PetscInt m, PetscInt n)
{
  double bytes = AutoCSRBytesBesideStreams(&seg->axes, (double)seg->n_rows, (double)seg->nnz, m, n);

  for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) bytes += s == AUTOCSR_STREAM_VALUE_PLACE ? 0 : (double)seg->stream[s].bytes;
  if (seg->stream[AUTOCSR_STREAM_LENGTH].data) bytes -= (double)sizeof(PetscInt) * (double)seg->n_rows;
  if (seg->axes.order == AUTOCSR_ORDER_TILED) bytes += 2.0 * sizeof(PetscScalar) * (double)(seg->stream[AUTOCSR_STREAM_PIECE_ROW].bytes / sizeof(uint16_t));
  if (seg->axes.order == AUTOCSR_ORDER_PROPAGATED) bytes += 2.0 * (double)AutoCSRPropagateScratchBytes(seg);
  if (seg->axes.order == AUTOCSR_ORDER_POPULAR) bytes += 2.0 * (double)AutoCSRPopularScratchBytes(seg);
  return bytes;
}

/* own: bytes kept on top of the CSR, products of order propagated and sums of order popular among them; moved: bytes of one product */
PetscErrorCode AutoCSRPlanGetBytes(const AutoCSRPlan *plan, PetscInt64 *own, double *moved)
{
  PetscFunctionBegin;
  *own   = (PetscInt64)(sizeof(*plan) + plan->max_segments * sizeof(*plan->segment));
  *moved = 0;
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) *own += (PetscInt64)plan->segment[i].stream[s].bytes;
    if (plan->segment[i].axes.order == AUTOCSR_ORDER_PROPAGATED) *own += (PetscInt64)AutoCSRPropagateScratchBytes(&plan->segment[i]);
    if (plan->segment[i].axes.order == AUTOCSR_ORDER_POPULAR) *own += (PetscInt64)AutoCSRPopularScratchBytes(&plan->segment[i]);
    *moved += plan->segment[i].bytes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
