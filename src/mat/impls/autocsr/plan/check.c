/*
  The invariants of a plan: each row once, each nonzero once, streams that decode to the CSR bit for bit, codes of padding
  zero, sizes that agree. For debug builds and tests.
*/
#include "check.h"
#include "../backend.h"

static PetscErrorCode CheckSizes(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const AutoCSRAxes *a = &seg->axes;
  PetscInt64         count[AUTOCSR_STREAM_COUNT];
  const PetscInt     height = AutoCSRAxesSliceRows(a);
  PetscInt           slots  = seg->nnz;

  PetscFunctionBegin;
  for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) count[s] = -1;
  if (seg->stream[AUTOCSR_STREAM_ROWS].data) {
    AutoCSRCheckSegment(seg->row_begin == 0, " names its rows but begins at row %" PetscInt_FMT, i, seg->row_begin);
    count[AUTOCSR_STREAM_ROWS] = seg->n_rows / a->row_group + (seg->n_rows % a->row_group != 0);
  }
  if (a->order == AUTOCSR_ORDER_SLICED || (a->order == AUTOCSR_ORDER_CSR && AutoCSRAxesHaveBase(a))) AutoCSRCheckSegment(seg->n_slices == seg->n_rows / height + (seg->n_rows % height != 0), " of %" PetscInt_FMT " rows has %" PetscInt_FMT " slices of %" PetscInt_FMT " rows", i, seg->n_rows, seg->n_slices, height);
  if (a->order == AUTOCSR_ORDER_SLICED) {
    count[AUTOCSR_STREAM_SLICE_PTR] = seg->n_slices + 1;
    AutoCSRCheckSegment(seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, " is not encoded", i);
    slots = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[seg->n_slices];
  }
  if (seg->stream[AUTOCSR_STREAM_LENGTH].data && AutoCSRAxesKeepLengths(a, (PetscBool)(seg->stream[AUTOCSR_STREAM_ROWS].data != NULL), 0)) count[AUTOCSR_STREAM_LENGTH] = seg->n_rows; /* what was not encoded on a processor has none */
  if (a->order == AUTOCSR_ORDER_TILED || a->order == AUTOCSR_ORDER_POPULAR) {
    const AutoCSRStream *piece_ptr = &seg->stream[AUTOCSR_STREAM_PIECE_PTR];
    const PetscInt       groups    = AutoCSRTiledGroups(seg);

    AutoCSRCheckSegment(piece_ptr->bytes == sizeof(PetscInt) * (size_t)(groups + 1), " of %" PetscInt_FMT " groups has %zu bytes in stream piece_ptr", i, groups, piece_ptr->bytes);
    slots                           = groups * AUTOCSR_TILED_GROUP;
    count[AUTOCSR_STREAM_ITEM]      = AutoCSRTiledItemCount(seg);
    count[AUTOCSR_STREAM_END]       = slots / 8;
    count[AUTOCSR_STREAM_PIECE_PTR] = groups + 1;
  } else if (AutoCSRAxesHaveBase(a))
    count[AUTOCSR_STREAM_BASE] = seg->n_slices;
  if (a->order == AUTOCSR_ORDER_TILED) {
    count[AUTOCSR_STREAM_PIECE_ROW] = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PIECE_PTR].data)[slots / AUTOCSR_TILED_GROUP];
    count[AUTOCSR_STREAM_RUN_PTR]   = AutoCSRTiledTiles(a, csr->n) * AutoCSRTiledRowBlocks(seg) + 1;
  }
  if (a->order == AUTOCSR_ORDER_POPULAR) count[AUTOCSR_STREAM_COLUMN] = AutoCSRPopularColumns(seg);
  if (a->order == AUTOCSR_ORDER_PROPAGATED || a->order == AUTOCSR_ORDER_POPULAR) {
    const PetscInt *chunk_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
    const PetscInt  blocks = AutoCSRPropagateRowBlocks(seg), chunks = AutoCSRPropagateChunks(seg);

    AutoCSRCheckSegment(seg->stream[AUTOCSR_STREAM_CHUNK_PTR].bytes == sizeof(PetscInt) * (size_t)(blocks + 1) && chunk_ptr[blocks] == chunks, " of %" PetscInt_FMT " row blocks has %" PetscInt_FMT " chunks", i, blocks, chunks);
    if (a->order == AUTOCSR_ORDER_PROPAGATED) {
      slots                      = AutoCSRTiledGroups(seg) * AUTOCSR_PROPAGATE_UNIT;
      count[AUTOCSR_STREAM_ITEM] = AutoCSRTiledItemCount(seg);
    }
    count[AUTOCSR_STREAM_BLOCK_ROW] = blocks + 1;
    count[AUTOCSR_STREAM_CHUNK_PTR] = blocks + 1;
    count[AUTOCSR_STREAM_PART_PTR]  = chunks + 1;
    count[AUTOCSR_STREAM_PART]      = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PART_PTR].data)[chunks];
    count[AUTOCSR_STREAM_CODE_PTR]  = chunks + 1;
    count[AUTOCSR_STREAM_CODE]      = (PetscInt64)((const PetscInt *)seg->stream[AUTOCSR_STREAM_CODE_PTR].data)[chunks] * AUTOCSR_PROPAGATE_ALIGN;
  }
  if (a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16) count[AUTOCSR_STREAM_INDEX] = slots / (a->block * a->block);
  if (a->mapping == AUTOCSR_MAP_NODES) {
    const AutoCSRStream *node = &seg->stream[AUTOCSR_STREAM_NODE];

    AutoCSRCheckSegment(node->bytes >= sizeof(AutoCSRNode), " is not encoded", i);
    count[AUTOCSR_STREAM_NODE]  = AutoCSRSegmentNodes(seg) + 1;
    count[AUTOCSR_STREAM_INDEX] = ((const AutoCSRNode *)node->data)[AutoCSRSegmentNodes(seg)].code;
  }
  if (a->index == AUTOCSR_INDEX_PATTERN) {
    count[AUTOCSR_STREAM_PATTERN_ID]  = seg->n_rows;
    count[AUTOCSR_STREAM_PATTERN_PTR] = seg->n_patterns + 1;
    AutoCSRCheckSegment(seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data, " is not encoded", i);
    count[AUTOCSR_STREAM_PATTERN_OFFSET] = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[seg->n_patterns];
  }
  if (a->index == AUTOCSR_INDEX_FITTED) {
    const AutoCSRSliceFit *last = (const AutoCSRSliceFit *)seg->stream[AUTOCSR_STREAM_SLICE_FIT].data + (seg->n_slices - 1);

    AutoCSRCheckSegment(seg->stream[AUTOCSR_STREAM_SLICE_FIT].data, " is not encoded", i);
    count[AUTOCSR_STREAM_FIT]       = slots / a->slice_height;
    count[AUTOCSR_STREAM_SLICE_FIT] = seg->n_slices;
    count[AUTOCSR_STREAM_INDEX]     = seg->n_slices ? (PetscInt64)last->begin * a->slice_height + (PetscInt64)last->width * (slots - ((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[seg->n_slices - 1]) : 0;
  }
  if (a->index == AUTOCSR_INDEX_PATTERN) count[AUTOCSR_STREAM_PATTERN_ROOT] = seg->n_patterns;
  if (a->value == AUTOCSR_VALUE_PATTERN) {
    count[AUTOCSR_STREAM_PATTERN_ROW]   = seg->n_patterns;
    count[AUTOCSR_STREAM_PATTERN_VALUE] = count[AUTOCSR_STREAM_PATTERN_OFFSET];
  } else if (AutoCSRValueIsStored(a->value))
    count[AUTOCSR_STREAM_VALUE] = slots;
  if (a->order == AUTOCSR_ORDER_DIAGONAL) {
    count[AUTOCSR_STREAM_PATTERN_PLACE] = count[AUTOCSR_STREAM_PATTERN_OFFSET];
    count[AUTOCSR_STREAM_VALUE]         = (PetscInt64)(seg->stream[AUTOCSR_STREAM_VALUE].bytes / AutoCSRStreamElementSize(a, AUTOCSR_STREAM_VALUE));
  }
  if (AutoCSRValueDictionary(a->value)) count[AUTOCSR_STREAM_DICTIONARY] = AutoCSRValueDictionary(a->value);
  if (a->order == AUTOCSR_ORDER_BLOCKED) count[AUTOCSR_STREAM_BLOCK_PTR] = seg->n_rows / a->block + 1;
  if (AutoCSROrderHasTiles(a->order) && seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data) count[AUTOCSR_STREAM_VALUE_PLACE] = slots; /* once values have been new */
  if (AutoCSRMappingHasWork(a->mapping)) count[AUTOCSR_STREAM_WORK] = 2 * AutoCSRSegmentWorkBlocks(seg) + 2;
  for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) {
    AutoCSRCheckSegment((count[s] >= 0) == (seg->stream[s].data != NULL), " %s a stream %s that its axes %s", i, count[s] < 0 ? "has" : "lacks", AutoCSRStreamNames[s], count[s] < 0 ? "do not use" : "need");
    AutoCSRCheckSegment(count[s] < 0 || seg->stream[s].bytes == (size_t)count[s] * AutoCSRStreamElementSize(a, (AutoCSRStreamKind)s), " has %zu bytes in stream %s of %" PetscInt64_FMT " elements", i, seg->stream[s].bytes, AutoCSRStreamNames[s], count[s]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a pattern's root says of its entries is what the pattern says */
static PetscErrorCode CheckRoots(const AutoCSRSegment *seg, PetscInt i)
{
  const AutoCSRPatternRoot *root = (const AutoCSRPatternRoot *)seg->stream[AUTOCSR_STREAM_PATTERN_ROOT].data;
  const PetscInt           *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data, *offset = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data;
  const PetscScalar        *value = (const PetscScalar *)seg->stream[AUTOCSR_STREAM_PATTERN_VALUE].data;

  PetscFunctionBegin;
  if (seg->axes.index != AUTOCSR_INDEX_PATTERN) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt p = 0; p < seg->n_patterns; p++) {
    PetscInt q = ptr[p];

    AutoCSRCheckSegment(root[p].own == ptr[p] && root[p].begin >= 0 && root[p].length >= 0 && root[p].begin + root[p].length <= ptr[seg->n_patterns], ": the root of pattern %" PetscInt_FMT " is none", i, p);
    for (PetscInt t = 0; t < root[p].length; t++) {
      const PetscInt r = root[p].begin + t;

      if (root[p].length <= 32 && !(root[p].mask >> t & 1)) continue;
      AutoCSRCheckSegment(q < ptr[p + 1] && offset[q] == offset[r] && (!value || AutoCSRBitsEqual(AutoCSRBitsOf(&value[q]), AutoCSRBitsOf(&value[r]))), ": entry %" PetscInt_FMT " of pattern %" PetscInt_FMT " is not that of its root", i, q - ptr[p], p);
      q++;
    }
    AutoCSRCheckSegment(q == ptr[p + 1], ": the root of pattern %" PetscInt_FMT " has %" PetscInt_FMT " of its %" PetscInt_FMT " entries", i, p, q - ptr[p], ptr[p + 1] - ptr[p]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A diagonal has its own slots, in which both of its sides lie */
static PetscErrorCode CheckPlaces(const AutoCSRSegment *seg, PetscInt i)
{
  const PetscInt *place = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PLACE].data, *offset = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data;
  const PetscInt  each = AutoCSRDiagonalSlots(&seg->axes, seg->n_rows), slots = (PetscInt)(seg->stream[AUTOCSR_STREAM_VALUE].bytes / AutoCSRStreamElementSize(&seg->axes, AUTOCSR_STREAM_VALUE));

  PetscFunctionBegin;
  if (seg->axes.order != AUTOCSR_ORDER_DIAGONAL) PetscFunctionReturn(PETSC_SUCCESS);
  AutoCSRCheckSegment(slots % each == 0, ": %" PetscInt_FMT " slots are no diagonals of %" PetscInt_FMT, i, slots, each);
  for (PetscInt q = 0; q < ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[seg->n_patterns]; q++) {
    const PetscInt begin = place[q] - PetscMin(offset[q], 0);

    AutoCSRCheckSegment(begin >= 0 && begin < slots && begin % each == 0, ": entry %" PetscInt_FMT " of the patterns is at %" PetscInt_FMT " of %" PetscInt_FMT " slots", i, q, begin, slots);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The slot in which decoding finds a value is said to have it, and no others are said to have any */
static PetscErrorCode CheckValuePlaces(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt *place = (const PetscInt *)seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data, slots = (PetscInt)(seg->stream[AUTOCSR_STREAM_VALUE_PLACE].bytes / sizeof(PetscInt));
  PetscInt        left = seg->nnz;

  PetscFunctionBegin;
  for (PetscInt k = 0; place && k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k), begin = csr->row_ptr[row];

    for (PetscInt q = begin; q < csr->row_ptr[row + 1]; q++) {
      const PetscInt slot = AutoCSRDecodeTiledSlot(seg, csr, k, q - begin);

      AutoCSRCheckSegment(place[slot] == q, ": entry %" PetscInt_FMT " of row %" PetscInt_FMT " is in place %" PetscInt_FMT ", but its slot is said to have that in %" PetscInt_FMT, i, q - begin, row, q, place[slot]);
    }
  }
  for (PetscInt slot = 0; slot < slots; slot++) left -= place[slot] >= 0;
  AutoCSRCheckSegment(!place || left == 0, ": slots are said to have %" PetscInt_FMT " values for %" PetscInt_FMT, i, seg->nnz - left, seg->nnz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRow(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt k)
{
  const PetscInt row = AutoCSRSegmentRow(seg, k), begin = csr->row_ptr[row], length = csr->row_ptr[row + 1] - begin;

  PetscFunctionBegin;
  if (seg->axes.order == AUTOCSR_ORDER_SLICED) AutoCSRCheckSegment(AutoCSRSegmentRowSlots(seg, csr, k) >= length, ": row %" PetscInt_FMT " of %" PetscInt_FMT " entries has %" PetscInt_FMT " slots", i, row, length, AutoCSRSegmentRowSlots(seg, csr, k));
  if (seg->stream[AUTOCSR_STREAM_LENGTH].data) AutoCSRCheckSegment(((const uint16_t *)seg->stream[AUTOCSR_STREAM_LENGTH].data)[k] == length, ": row %" PetscInt_FMT " of %" PetscInt_FMT " entries is said to have %d", i, row, length, (int)((const uint16_t *)seg->stream[AUTOCSR_STREAM_LENGTH].data)[k]);
  if (seg->axes.index == AUTOCSR_INDEX_PATTERN) {
    const PetscInt  id  = ((const uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data)[k];
    const PetscInt *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data;

    AutoCSRCheckSegment(id < seg->n_patterns && ptr[id + 1] - ptr[id] == length, ": row %" PetscInt_FMT " of %" PetscInt_FMT " entries has pattern %" PetscInt_FMT " of %" PetscInt_FMT, i, row, length, id, seg->n_patterns);
  }
  for (PetscInt t = 0; t < length; t++) {
    const PetscInt    col   = AutoCSRDecodeColumn(seg, csr, k, t);
    const PetscScalar value = AutoCSRDecodeValue(seg, csr, k, t);

    AutoCSRCheckSegment(col == csr->col[begin + t], ": entry %" PetscInt_FMT " of row %" PetscInt_FMT " decodes to column %" PetscInt_FMT ", not %" PetscInt_FMT, i, t, row, col, csr->col[begin + t]);
    AutoCSRCheckSegment(AutoCSRBitsEqual(AutoCSRBitsOf(&value), AutoCSRBitsOf(&csr->val[begin + t])), ": entry %" PetscInt_FMT " of row %" PetscInt_FMT " does not decode to its value", i, t, row);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slots past the ends of rows hold code 0 */
static PetscErrorCode CheckPadding(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const AutoCSRStreamKind kinds[] = {AUTOCSR_STREAM_INDEX, AUTOCSR_STREAM_VALUE};

  PetscFunctionBegin;
  if (seg->axes.order != AUTOCSR_ORDER_SLICED) PetscFunctionReturn(PETSC_SUCCESS);
  for (int s = 0; s < 2; s++) {
    const size_t size = AutoCSRStreamElementSize(&seg->axes, kinds[s]);
    const char   code = (char)(kinds[s] == AUTOCSR_STREAM_INDEX ? AutoCSREncodePadding(&seg->axes) : 0); /* whose bytes are alike */

    if (!seg->stream[kinds[s]].data || (kinds[s] == AUTOCSR_STREAM_INDEX && seg->axes.index == AUTOCSR_INDEX_FITTED)) continue; /* no kernel decodes residuals of padding */
    for (PetscInt k = 0; k < seg->n_slices * seg->axes.slice_height; k++) {
      for (PetscInt t = AutoCSRSegmentRowLength(seg, csr, k); t < AutoCSRSegmentRowSlots(seg, csr, k); t++) {
        const char *slot = (const char *)seg->stream[kinds[s]].data + size * (AutoCSRSegmentSlot(seg, csr, k) + AutoCSRSegmentStep(seg, t));

        for (size_t b = 0; b < size; b++) AutoCSRCheckSegment(slot[b] == code, ": slot %" PetscInt_FMT " of its row %" PetscInt_FMT " is padding but does not say so in stream %s", i, t, k, AutoCSRStreamNames[kinds[s]]);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks follow one another from the first row to the last, hold no more entries than there is room for, and cut none but long rows */
static PetscErrorCode CheckWork(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt  most = seg->axes.tile_width * seg->axes.tile_height, end_row = seg->row_begin + seg->n_rows;
  const PetscInt *work = (const PetscInt *)seg->stream[AUTOCSR_STREAM_WORK].data;
  PetscInt        row = seg->row_begin, entry = csr->row_ptr[row];

  PetscFunctionBegin;
  if (!AutoCSRMappingHasWork(seg->axes.mapping)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt b = 0; b <= AutoCSRSegmentWorkBlocks(seg); b++, work += 2) {
    const PetscBool is_end = (PetscBool)(b == AutoCSRSegmentWorkBlocks(seg));

    AutoCSRCheckSegment(b ? work[0] >= row && work[0] <= end_row && work[1] >= entry && work[1] - entry <= most : work[0] == row && work[1] == entry, ": block %" PetscInt_FMT " begins at row %" PetscInt_FMT " and entry %" PetscInt_FMT, i, b, work[0], work[1]);
    row   = work[0];
    entry = work[1];
    AutoCSRCheckSegment(is_end ? row == end_row : row < end_row, ": block %" PetscInt_FMT " begins at row %" PetscInt_FMT ", its rows end at %" PetscInt_FMT, i, b, row, end_row);
    if (seg->axes.mapping == AUTOCSR_MAP_MERGE)
      AutoCSRCheckSegment(is_end || (row - seg->row_begin + entry - csr->row_ptr[seg->row_begin] == b * most && entry >= csr->row_ptr[row] && entry <= csr->row_ptr[row + 1]), ": block %" PetscInt_FMT " begins at row %" PetscInt_FMT " and entry %" PetscInt_FMT ", off the merge path", i, b, row, entry);
    else
      AutoCSRCheckSegment(entry == csr->row_ptr[row] || (!is_end && csr->row_ptr[row + 1] - csr->row_ptr[row] > most && entry < csr->row_ptr[row + 1] && (entry - csr->row_ptr[row]) % most == 0 && work[-2] == row), ": block %" PetscInt_FMT " cuts row %" PetscInt_FMT " at entry %" PetscInt_FMT, i, b, row, entry);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks begin where those of the rows before end */
static PetscErrorCode CheckBlocks(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const uint32_t *block_ptr = (const uint32_t *)seg->stream[AUTOCSR_STREAM_BLOCK_PTR].data;
  const PetscInt  b         = seg->axes.block;

  PetscFunctionBegin;
  for (PetscInt r = 0; block_ptr && r <= seg->n_rows / b; r++) AutoCSRCheckSegment(csr->row_ptr[seg->row_begin + r * b] - csr->row_ptr[seg->row_begin] == (PetscInt)block_ptr[r] * b * b, ": block row %" PetscInt_FMT " begins with block %u", i, r, block_ptr[r]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a segment whose sizes agree; seen: rows that others have covered */
static PetscErrorCode CheckRows(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, char seen[])
{
  PetscInt nnz = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    AutoCSRCheckSegment(row >= 0 && row < csr->m, ": row %" PetscInt_FMT " is not in [0, %" PetscInt_FMT ")", i, row, csr->m);
    AutoCSRCheckSegment(!seen[row], ": row %" PetscInt_FMT " is covered twice", i, row);
    seen[row] = 1;
    nnz += csr->row_ptr[row + 1] - csr->row_ptr[row];
  }
  AutoCSRCheckSegment(nnz == seg->nnz, " counts %" PetscInt_FMT " nonzeros, its rows have %" PetscInt_FMT, i, seg->nnz, nnz);
  AutoCSRCheckSegment(nnz == 0 || seg->axes.mapping != AUTOCSR_MAP_EMPTY, " of empty rows has %" PetscInt_FMT " nonzeros", i, nnz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckOnHost(const AutoCSRPlan *plan, const AutoCSRMatrix *csr)
{
  PetscInt rows = 0;
  char    *seen;

  PetscFunctionBegin;
  PetscCheck(plan->m == csr->m && plan->n == csr->n && plan->nnz == csr->nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The plan is of another structure");
  PetscCall(PetscCalloc1(csr->m, &seen));
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    const AutoCSRSegment *seg = &plan->segment[i];

    PetscCall(CheckSizes(seg, csr, i));
    PetscCall(CheckRows(seg, csr, i, seen));
    PetscCall(CheckRoots(seg, i));
    PetscCall(CheckPlaces(seg, i));
    if (seg->axes.mapping == AUTOCSR_MAP_NODES) PetscCall(AutoCSRNodesCheck(seg, csr, i));
    if (seg->axes.order == AUTOCSR_ORDER_PROPAGATED) PetscCall(AutoCSRPropagateCheck(seg, csr, i)); /* first: decoding goes through these */
    if (seg->axes.order == AUTOCSR_ORDER_POPULAR) PetscCall(AutoCSRPopularCheck(seg, csr, i));
    for (PetscInt k = 0; k < seg->n_rows; k++) PetscCall(CheckRow(seg, csr, i, k));
    rows += seg->n_rows;
    PetscCall(CheckPadding(seg, csr, i));
    PetscCall(CheckWork(seg, csr, i));
    PetscCall(CheckBlocks(seg, csr, i));
    if (seg->axes.order == AUTOCSR_ORDER_TILED) PetscCall(AutoCSRTiledCheck(seg, csr, i));
    PetscCall(CheckValuePlaces(seg, csr, i));
  }
  PetscCheck(rows == csr->m, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " of %" PetscInt_FMT " rows are covered", rows, csr->m);
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanCheck(const AutoCSRPlan *plan, const AutoCSRMatrix *csr)
{
  AutoCSRMatrix host_csr;
  AutoCSRPlan  *host_plan;

  PetscFunctionBegin;
  if (csr->backend == &AutoCSRBackendHost) {
    PetscCall(CheckOnHost(plan, csr));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRMatrixCopy(csr, &AutoCSRBackendHost, &host_csr));
  PetscCall(AutoCSRPlanCopy(plan, &AutoCSRBackendHost, &host_plan));
  PetscCall(CheckOnHost(host_plan, &host_csr));
  PetscCall(AutoCSRPlanDestroy(&host_plan));
  PetscCall(AutoCSRMatrixCopyDestroy(&host_csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
