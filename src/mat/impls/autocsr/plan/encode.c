/*
  Fills the streams of a segment on the host: loops over encode.h.
*/
#include "encode.h"
#include "../backend.h"

PetscErrorCode AutoCSRSegmentSortRows_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt window = seg->axes.sort_window;
  PetscInt      *rows   = (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data, *work;

  PetscFunctionBegin;
  if (!rows) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, seg->n_rows));
    rows = (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
    for (PetscInt k = 0; k < seg->n_rows; k++) rows[k] = seg->row_begin + k;
  }
  PetscCall(PetscMalloc1(PetscMin(window, seg->n_rows), &work));
  for (PetscInt k = 0; k < seg->n_rows; k += window) PetscCall(AutoCSRSortRowsByLength(csr->row_ptr, PetscMin(window, seg->n_rows - k), rows + k, work));
  PetscCall(PetscFree(work));
  seg->row_begin = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EncodeSlices(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt h = seg->axes.slice_height;

  PetscFunctionBegin;
  seg->n_slices = seg->n_rows / AutoCSRAxesSliceRows(&seg->axes) + (seg->n_rows % AutoCSRAxesSliceRows(&seg->axes) != 0);
  if (seg->axes.order == AUTOCSR_ORDER_SLICED) {
    const PetscBool named = (PetscBool)(seg->stream[AUTOCSR_STREAM_ROWS].data != NULL);
    PetscInt64      slots = 0;
    PetscInt       *slice_ptr, longest = 0;
    uint16_t       *length;

    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_PTR, seg->n_slices + 1));
    if (AutoCSRAxesKeepLengths(&seg->axes, named, 0)) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_LENGTH, seg->n_rows));
    slice_ptr    = (PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
    length       = (uint16_t *)seg->stream[AUTOCSR_STREAM_LENGTH].data;
    slice_ptr[0] = 0;
    for (PetscInt s = 0; s < seg->n_slices; s++) {
      const PetscInt width = AutoCSREncodeSliceWidth(seg, csr, s);

      for (PetscInt k = s * h; length && k < PetscMin((s + 1) * h, seg->n_rows); k++) length[k] = (uint16_t)AutoCSRSegmentRowLength(seg, csr, k);
      longest = PetscMax(longest, width);
      slots += (PetscInt64)width * h;
      slice_ptr[s + 1] = (PetscInt)slots; /* what does not fit is found at the end */
    }
    PetscCall(AutoCSRSegmentCheckSlots(seg, slots));
    if (!AutoCSRAxesKeepLengths(&seg->axes, named, (double)longest)) PetscCall(AutoCSRStreamFree(seg, AUTOCSR_STREAM_LENGTH));
  }
  if (seg->axes.index == AUTOCSR_INDEX_16) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BASE, seg->n_slices));
    for (PetscInt s = 0; s < seg->n_slices; s++) PetscCheck(AutoCSREncodeSliceBase(seg, csr, s), PETSC_COMM_SELF, PETSC_ERR_PLIB, "16 bits do not hold the columns of slice %" PetscInt_FMT " of %" PetscInt_FMT " rows", s, AutoCSRAxesSliceRows(&seg->axes));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EncodeWork(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  PetscInt64 blocks = 0;
  PetscInt   b      = 0;

  PetscFunctionBegin;
  if (seg->axes.mapping == AUTOCSR_MAP_MERGE) {
    blocks = AutoCSRSegmentMergeBlocks(seg);
    PetscCall(AutoCSRSegmentAllocateWork(seg, blocks));
    for (; b < blocks; b++) AutoCSREncodeMergeWork(seg, csr, b);
    AutoCSREncodeWorkEnd(seg, csr, b);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < seg->n_rows; k++) blocks += AutoCSREncodeRowBlocks(seg, csr, k);
  PetscCall(AutoCSRSegmentAllocateWork(seg, blocks));
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    AutoCSREncodeWork(seg, csr, k, b);
    b += AutoCSREncodeRowBlocks(seg, csr, k);
  }
  AutoCSREncodeWorkEnd(seg, csr, b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With room for the number of each of the profile's patterns and the row that shows it */
static PetscErrorCode NumberPatterns(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, uint16_t number[], PetscInt shown_by[])
{
  PetscInt *pattern_ptr, offsets = 0;
  uint16_t *id;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_ID, seg->n_rows));
  id              = (uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data;
  seg->n_patterns = 0;
  for (PetscInt p = 0; p < profile->patterns; p++) number[p] = AUTOCSR_NO_PATTERN;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k), p = profile->pattern_id[row];

    PetscCheck(p != AUTOCSR_NO_PATTERN, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %" PetscInt_FMT " has no pattern in the dictionary", row);
    if (number[p] == AUTOCSR_NO_PATTERN) {
      number[p]                 = (uint16_t)seg->n_patterns;
      shown_by[seg->n_patterns] = row;
      seg->n_patterns++;
    }
    id[k] = number[p];
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_PTR, seg->n_patterns + 1));
  pattern_ptr    = (PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data;
  pattern_ptr[0] = 0;
  for (PetscInt p = 0; p < seg->n_patterns; p++) {
    offsets += csr->row_ptr[shown_by[p] + 1] - csr->row_ptr[shown_by[p]];
    pattern_ptr[p + 1] = offsets;
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_OFFSET, offsets));
  for (PetscInt p = 0; p < seg->n_patterns; p++) AutoCSREncodePattern(seg, csr, p, shown_by[p]);
  if (seg->axes.value == AUTOCSR_VALUE_PATTERN) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_ROW, seg->n_patterns));
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_VALUE, offsets));
    PetscCall(PetscArraycpy((PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_ROW].data, shown_by, seg->n_patterns));
    for (PetscInt p = 0; p < seg->n_patterns; p++) AutoCSREncodePatternValue(seg, csr, p);
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_ROOT, seg->n_patterns));
  for (PetscInt p = 0; p < seg->n_patterns; p++) AutoCSREncodePatternRoot(seg, p);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The profile's patterns that the segment uses, numbered by first appearance in it */
static PetscErrorCode EncodePatterns(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscInt      *shown_by;
  uint16_t      *number;
  PetscErrorCode ierr; /* to be out of memory is one that the caller lives with */

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(profile->patterns, &number, profile->patterns, &shown_by));
  ierr = NumberPatterns(seg, csr, profile, number, shown_by);
  PetscCall(PetscFree2(number, shown_by));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* DICTIONARY, where values are coded so, and the dictionary for those who look values up */
static PetscErrorCode EncodeDictionary(AutoCSRSegment *seg, const AutoCSRProfile *profile, AutoCSRDictionary *dictionary)
{
  PetscFunctionBegin;
  if (!AutoCSRValueDictionary(seg->axes.value)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDictionaryBuild(dictionary, profile->values, profile->value));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_DICTIONARY, AutoCSRValueDictionary(seg->axes.value)));
  PetscCall(PetscArraycpy((PetscScalar *)seg->stream[AUTOCSR_STREAM_DICTIONARY].data, dictionary->value, AutoCSRValueDictionary(seg->axes.value)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRTilesEncodeValues_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  const AutoCSROrder order = seg->axes.order;

  PetscFunctionBegin;
  PetscCall((order == AUTOCSR_ORDER_TILED ? AutoCSRTiledEncodeValues_Host : order == AUTOCSR_ORDER_POPULAR ? AutoCSRPopularEncodeValues_Host
                                                                                                           : AutoCSRPropagateEncodeValues_Host)(seg, csr, dictionary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Orders tiled, propagated and popular */
static PetscErrorCode EncodeTiled(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const AutoCSROrder order = seg->axes.order;
  AutoCSRDictionary  dictionary;

  PetscFunctionBegin;
  PetscCall((order == AUTOCSR_ORDER_TILED ? AutoCSRTiledEncode_Host : order == AUTOCSR_ORDER_POPULAR ? AutoCSRPopularEncode_Host
                                                                                                     : AutoCSRPropagateEncode_Host)(seg, csr));
  PetscCall(EncodeDictionary(seg, profile, &dictionary));
  if (AutoCSRValueIsStored(seg->axes.value)) PetscCall(AutoCSRTilesEncodeValues_Host(seg, csr, &dictionary));
  seg->bytes = AutoCSRSegmentBytesMoved(seg, csr->m, csr->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Models of slices, whose residuals have room once all are known */
static PetscErrorCode EncodeFits(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt   h = seg->axes.slice_height, *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  PetscInt         begin[AUTOCSR_MAX_FIT_ROWS], length[AUTOCSR_MAX_FIT_ROWS];
  PetscInt64       bytes = 0; /* by the height */
  AutoCSRSliceFit *slice;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_FIT, seg->n_slices));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_FIT, slice_ptr[seg->n_slices] / h));
  slice = (AutoCSRSliceFit *)seg->stream[AUTOCSR_STREAM_SLICE_FIT].data;
  for (PetscInt s = 0; s < seg->n_slices; s++) {
    const PetscInt width = (slice_ptr[s + 1] - slice_ptr[s]) / h;
    int            period;

    AutoCSRSegmentSliceRows(seg, csr, s, begin, length);
    PetscCall(PetscMemzero(&slice[s], sizeof(slice[s])));
    slice[s].width  = (uint16_t)AutoCSRFitSlice(csr->col, begin, length, (int)h, width, &period);
    slice[s].period = (uint16_t)period;
    slice[s].begin  = (PetscInt)bytes;
    bytes += (PetscInt64)width * slice[s].width;
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, bytes * h));
  for (PetscInt s = 0; s < seg->n_slices; s++) {
    AutoCSRSegmentSliceRows(seg, csr, s, begin, length);
    for (PetscInt t = 0; t < (slice_ptr[s + 1] - slice_ptr[s]) / h; t++) AutoCSREncodeFit(seg, csr, s, t, begin, length);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The slots of a slice with one lane a row, in their order: `code` where row j has an entry t, else `padding`. Up to the shortest row no branch waits for the end of one */
#define EACH_SLOT(code, padding)                                                  \
  do {                                                                            \
    PetscInt q = first;                                                           \
                                                                                  \
    for (PetscInt t = 0; t < width; t++) {                                        \
      for (PetscInt j = 0; t < shortest && j < h; j++) code(q + j, begin[j] + t); \
      for (PetscInt j = 0; t >= shortest && j < h; j++) {                         \
        if (t < length[j])                                                        \
          code(q + j, begin[j] + t);                                              \
        else                                                                      \
          padding(q + j);                                                         \
      }                                                                           \
      q += h;                                                                     \
    }                                                                             \
  } while (0)

static inline void EncodeSliceSlots(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary, PetscBool index, PetscBool value, PetscInt s, const PetscInt h)
{
  const PetscInt    *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, *col = csr->col;
  const PetscScalar *val   = csr->val;
  const PetscInt     first = slice_ptr[s], width = (slice_ptr[s + 1] - first) / h;
  PetscInt           begin[AUTOCSR_MAX_FIT_ROWS], length[AUTOCSR_MAX_FIT_ROWS], shortest = width;

  for (PetscInt j = 0; j < h; j++) {
    const PetscInt k = s * h + j, row = k < seg->n_rows ? AutoCSRSegmentRow(seg, k) : 0;

    begin[j]  = csr->row_ptr[row];
    length[j] = k < seg->n_rows ? csr->row_ptr[row + 1] - begin[j] : 0;
    shortest  = PetscMin(shortest, length[j]);
  }
  if (index && seg->axes.index == AUTOCSR_INDEX_32) {
    uint32_t *code = (uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data;
#define CODE(q, p) code[q] = (uint32_t)col[p]
#define PADDING(q) code[q] = 0
    EACH_SLOT(CODE, PADDING);
#undef CODE
  } else if (index && seg->axes.index == AUTOCSR_INDEX_16) {
    const PetscInt base = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data)[s];
    uint16_t      *code = (uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data;
#define CODE(q, p) code[q] = (uint16_t)(col[p] - base)
    EACH_SLOT(CODE, PADDING);
#undef CODE
  }
  if (value && seg->axes.value == AUTOCSR_VALUE_COPY) {
    PetscScalar *code = (PetscScalar *)seg->stream[AUTOCSR_STREAM_VALUE].data;
#define CODE(q, p) code[q] = val[p]
    EACH_SLOT(CODE, PADDING);
#undef CODE
  } else if (value && seg->axes.value == AUTOCSR_VALUE_DICTIONARY) {
    uint8_t *code = (uint8_t *)seg->stream[AUTOCSR_STREAM_VALUE].data;
    unsigned slot;
#define CODE(q, p) code[q] = (uint8_t)AutoCSRDictionaryFind(dictionary, &val[p], &slot)
    EACH_SLOT(CODE, PADDING);
#undef CODE
#undef PADDING
  } else if (value && seg->axes.value == AUTOCSR_VALUE_FLOAT32) {
    float(*code)[AUTOCSR_PARTS] = (float(*)[AUTOCSR_PARTS])seg->stream[AUTOCSR_STREAM_VALUE].data;
#define CODE(q, p) (void)AutoCSRFloatsFromScalar(&val[p], code[q])
#define PADDING(q) memset(code[q], 0, sizeof(code[q]))
    EACH_SLOT(CODE, PADDING);
#undef CODE
#undef PADDING
  }
}

/* The rows of slice s, one after the other: where the rows have several lanes, or padding has a code of its own */
static void EncodeSliceRows(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary, PetscBool index, PetscBool value, PetscInt s)
{
  for (PetscInt k = s * seg->axes.slice_height; k < (s + 1) * seg->axes.slice_height; k++) {
    if (index) AutoCSREncodeRowIndex(seg, csr, k);
    if (value) AutoCSREncodeRowValue(seg, csr, dictionary, k);
  }
}

void AutoCSRSegmentEncodeRows_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary, PetscBool index, PetscBool value)
{
  if (seg->axes.order == AUTOCSR_ORDER_SLICED) {
    const PetscBool slots = (PetscBool)(seg->axes.lanes == 1 && !AutoCSREncodePadding(&seg->axes) && seg->axes.slice_height <= AUTOCSR_MAX_FIT_ROWS);

    for (PetscInt s = 0; s < seg->n_slices; s++) {
      if (!slots)
        EncodeSliceRows(seg, csr, dictionary, index, value, s);
      else if (seg->axes.slice_height == AUTOCSR_HOST_SLICE_HEIGHT)
        EncodeSliceSlots(seg, csr, dictionary, index, value, s, AUTOCSR_HOST_SLICE_HEIGHT);
      else
        EncodeSliceSlots(seg, csr, dictionary, index, value, s, seg->axes.slice_height);
    }
    return;
  }
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    if (index) AutoCSREncodeRowIndex(seg, csr, k);
    if (value) AutoCSREncodeRowValue(seg, csr, dictionary, k);
  }
}

PetscErrorCode AutoCSRSegmentEncode_Host(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const AutoCSRAxes *a         = &seg->axes;
  const PetscBool    own_index = (PetscBool)(a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16);
  const PetscBool    own_value = AutoCSRValueIsStored(a->value);
  AutoCSRDictionary  dictionary;
  PetscInt           slots;

  PetscFunctionBegin;
  seg->nnz = seg->stream[AUTOCSR_STREAM_ROWS].data ? 0 : csr->row_ptr[seg->row_begin + seg->n_rows] - csr->row_ptr[seg->row_begin];
  for (PetscInt k = 0; k < seg->n_rows && seg->stream[AUTOCSR_STREAM_ROWS].data; k++) seg->nnz += AutoCSRSegmentRowLength(seg, csr, k);
  slots = seg->nnz;
  if (AutoCSROrderHasTiles(a->order)) {
    PetscCall(EncodeTiled(seg, csr, profile));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (a->mapping == AUTOCSR_MAP_NODES) {
    PetscCall(AutoCSRSegmentEncodeNodes_Host(seg, csr));
    seg->bytes = AutoCSRSegmentBytesMoved(seg, csr->m, csr->n);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (a->order == AUTOCSR_ORDER_SLICED || a->index == AUTOCSR_INDEX_16) PetscCall(EncodeSlices(seg, csr));
  if (a->order == AUTOCSR_ORDER_SLICED) slots = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[seg->n_slices];
  if (a->index == AUTOCSR_INDEX_PATTERN) PetscCall(EncodePatterns(seg, csr, profile));
  if (a->index == AUTOCSR_INDEX_FITTED) PetscCall(EncodeFits(seg, csr));
  if (a->order == AUTOCSR_ORDER_DIAGONAL) {
    PetscInt64 all;

    PetscCall(AutoCSRSegmentEncodeDiagonals_Host(seg, &all));
    slots = (PetscInt)all;
  }
  if (own_index) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, slots / (a->block * a->block)));
  PetscCall(EncodeDictionary(seg, profile, &dictionary));
  if (own_value) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, slots));
    if (a->order == AUTOCSR_ORDER_DIAGONAL) PetscCall(PetscMemzero(seg->stream[AUTOCSR_STREAM_VALUE].data, seg->stream[AUTOCSR_STREAM_VALUE].bytes));
  }
  if (a->order == AUTOCSR_ORDER_BLOCKED) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BLOCK_PTR, seg->n_rows / a->block + 1));
    for (PetscInt i = 0; i <= seg->n_rows / a->block; i++) AutoCSREncodeBlockPtr(seg, csr, i);
  }
  if (own_index || own_value) AutoCSRSegmentEncodeRows_Host(seg, csr, &dictionary, own_index, own_value);
  if (AutoCSRMappingHasWork(a->mapping)) PetscCall(EncodeWork(seg, csr));
  seg->bytes = AutoCSRSegmentBytesMoved(seg, csr->m, csr->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Equal parts of the merge path; more blocks than fit are found where room is made for them */
PetscInt64 AutoCSRSegmentMergeBlocks(const AutoCSRSegment *seg)
{
  const PetscInt64 steps = (PetscInt64)seg->axes.tile_width * seg->axes.tile_height;

  return ((PetscInt64)seg->n_rows + seg->nnz + steps - 1) / steps;
}

PetscErrorCode AutoCSRSegmentAllocateWork(AutoCSRSegment *seg, PetscInt64 blocks)
{
  PetscFunctionBegin;
  PetscCheck(blocks < PETSC_MAX_INT / 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt64_FMT " blocks are more than a PetscInt counts in pairs; use 64-bit indices", blocks);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_WORK, 2 * (PetscInt)blocks + 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSegmentCheckSlots(const AutoCSRSegment *seg, PetscInt64 slots)
{
  PetscFunctionBegin;
  PetscCheck(slots <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " rows have more slots, padding with them, than a PetscInt counts; sort the rows, take another strategy or 64-bit indices", seg->n_rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the encoders of every backend rely on */
static PetscErrorCode EncodeCheck(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const AutoCSRAxes *a          = &seg->axes;
  const PetscBool    own_index  = (PetscBool)(a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16);
  const PetscBool    contiguous = (PetscBool)!seg->stream[AUTOCSR_STREAM_ROWS].data;

  PetscFunctionBegin;
  PetscCheck(a->block == 1 || (contiguous && seg->row_begin % a->block == 0 && seg->n_rows % a->block == 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Blocks of %" PetscInt_FMT " rows need contiguous, whole block rows", a->block);
  PetscCheck(a->order != AUTOCSR_ORDER_DIAGONAL || (contiguous && seg->n_rows == csr->m), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order diagonal needs all rows: the values of a row are found in rows above it");
  PetscCheck(a->block == 1 || (profile && profile->block_size % a->block == 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The rows are not made of dense blocks of %" PetscInt_FMT, a->block);
  PetscCheck(a->order != AUTOCSR_ORDER_BLOCKED || PetscMax(csr->nnz / (a->block * a->block), csr->n / a->block) <= 2147483647, PETSC_COMM_SELF, PETSC_ERR_PLIB, "32 bits do not count the blocks");
  PetscCheck(a->order != AUTOCSR_ORDER_CSR || contiguous || !(own_index || AutoCSRValueIsStored(a->value)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order csr with index %s and value %s needs contiguous rows", AutoCSRIndexNames[a->index], AutoCSRValueNames[a->value]);
  PetscCheck(contiguous || a->mapping == AUTOCSR_MAP_EMPTY || a->mapping == AUTOCSR_MAP_LANES || a->mapping == AUTOCSR_MAP_SLICE || a->mapping == AUTOCSR_MAP_GROUP, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping %s needs contiguous rows", AutoCSRMappingNames[a->mapping]);
  PetscCheck(a->index != AUTOCSR_INDEX_32 || (PetscInt64)csr->n <= (PetscInt64)1 << 32, PETSC_COMM_SELF, PETSC_ERR_PLIB, "32 bits do not hold %" PetscInt_FMT " columns", csr->n);
  PetscCheck(a->index != AUTOCSR_INDEX_FITTED || (csr->n <= AUTOCSR_MAX_FIT_COLUMN && (PetscInt64)csr->n <= (PetscInt64)1 << 32), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Models do not reach %" PetscInt_FMT " columns", csr->n);
  PetscCheck(a->index != AUTOCSR_INDEX_PATTERN || (profile && profile->pattern_id), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Index pattern needs a profile with row patterns");
  PetscCheck(a->value != AUTOCSR_VALUE_PATTERN || profile->pattern_values, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value pattern needs a profile in which rows of one pattern have the same values");
  PetscCheck(a->value != AUTOCSR_VALUE_DICTIONARY || (profile && profile->values <= AUTOCSR_MAX_DISTINCT), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value dictionary needs a profile with at most %d distinct values", AUTOCSR_MAX_DISTINCT);
  PetscCheck(a->value != AUTOCSR_VALUE_CONSTANT || (profile && profile->values == 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value constant needs a profile with one distinct value");
  PetscCheck(a->value != AUTOCSR_VALUE_FLOAT32 || (profile && profile->float32_exact), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value float32 needs a profile with values that are exactly float32");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSegmentSortRows(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  PetscFunctionBegin;
  if (seg->axes.sort_window > 1) PetscCall((*csr->backend->sort_rows)(seg, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSegmentEncode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscFunctionBegin;
  PetscCall(EncodeCheck(seg, csr, profile));
  PetscCall((*csr->backend->encode)(seg, csr, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}
