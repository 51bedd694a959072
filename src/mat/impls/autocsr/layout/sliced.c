/*
  Layout sliced: slices of slice_height rows, each stored column by column and padded to its longest row (SELL).

    q = SLICE_PTR[k / slice_height] + t / lanes * lanes * slice_height + k % slice_height * lanes + t % lanes

  Each row is padded to a multiple of `lanes` slots. 16-bit codes count from the BASE of the slice. With index PATTERN there
  are no column codes (pattern.h). With index FITTED, the residual of entry t lies at this byte of INDEX:

    (begin of the slice + t * width) * slice_height + k % slice_height * width
*/
#include "sliced.h"
#include "pattern.h"
#include "check.h"

static PetscBool Has(const AutoCSRAxes *a)
{
  return (PetscBool)(a->order == AUTOCSR_ORDER_SLICED);
}

static PetscBool ReadsRowPtr(const AutoCSRAxes *a)
{
  return (PetscBool)(a->index != AUTOCSR_INDEX_PATTERN);
}

/* Slots of each row of slice s, padding included */
static PetscInt SlotsOfRow(const AutoCSRSegment *seg, PetscInt s)
{
  const PetscInt *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;

  return (slice_ptr[s + 1] - slice_ptr[s]) / seg->axes.slice_height;
}

static PetscInt Slot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt h = seg->axes.slice_height, lanes = seg->axes.lanes;

  return ((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[k / h] + k % h * lanes + t / lanes * (lanes * h) + t % lanes;
}

/* Slots of each row of slice s */
static PetscInt SliceWidth(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt s)
{
  const PetscInt h     = seg->axes.slice_height;
  PetscInt       width = 0;

  for (PetscInt k = s * h; k < (s + 1) * h; k++) {
    const PetscInt length = AutoCSRSegmentRowLength(seg, csr, k);

    if (width < length) width = length;
  }
  return AutoCSREncodeWidth(&seg->axes, width);
}

/* Makes SLICE_PTR and LENGTH */
static PetscErrorCode EncodeSlices(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt  h     = seg->axes.slice_height;
  const PetscBool named = (PetscBool)(seg->stream[AUTOCSR_STREAM_ROWS].data != NULL);
  PetscInt64      slots = 0;
  PetscInt       *slice_ptr, longest = 0;
  uint16_t       *length;

  PetscFunctionBegin;
  seg->n_slices = seg->n_rows / h + (seg->n_rows % h != 0);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_PTR, seg->n_slices + 1));
  if (AutoCSRAxesKeepLengths(&seg->axes, named, 0)) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_LENGTH, seg->n_rows));
  slice_ptr    = (PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  length       = (uint16_t *)seg->stream[AUTOCSR_STREAM_LENGTH].data;
  slice_ptr[0] = 0;
  for (PetscInt s = 0; s < seg->n_slices; s++) {
    const PetscInt width = SliceWidth(seg, csr, s);

    for (PetscInt k = s * h; length && k < PetscMin((s + 1) * h, seg->n_rows); k++) length[k] = (uint16_t)AutoCSRSegmentRowLength(seg, csr, k);
    longest = PetscMax(longest, width);
    slots += (PetscInt64)width * h;
    slice_ptr[s + 1] = (PetscInt)slots; /* AutoCSRSegmentCheckSlots() below finds an overflow */
  }
  PetscCall(AutoCSRSegmentCheckSlots(seg, slots));
  if (!AutoCSRAxesKeepLengths(&seg->axes, named, (double)longest)) PetscCall(AutoCSRStreamFree(seg, AUTOCSR_STREAM_LENGTH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds where the rows of slice s begin in the CSR, and their lengths */
static void FindSliceRows(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt s, PetscInt begin[], PetscInt length[])
{
  const PetscInt h = seg->axes.slice_height;

  for (PetscInt j = 0; j < h; j++) {
    length[j] = AutoCSRSegmentRowLength(seg, csr, s * h + j);
    begin[j]  = length[j] ? csr->row_ptr[AutoCSRSegmentRow(seg, s * h + j)] : 0;
  }
}

/* Makes the models of all slices, and then room for their residuals */
static PetscErrorCode EncodeFits(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt   h = seg->axes.slice_height, *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  PetscInt         begin[AUTOCSR_MAX_FIT_ROWS], length[AUTOCSR_MAX_FIT_ROWS];
  PetscInt64       bytes = 0; /* divided by the height of a slice */
  AutoCSRSliceFit *slice;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_FIT, seg->n_slices));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_FIT, slice_ptr[seg->n_slices] / h));
  slice = (AutoCSRSliceFit *)seg->stream[AUTOCSR_STREAM_SLICE_FIT].data;
  for (PetscInt s = 0; s < seg->n_slices; s++) {
    const PetscInt width = (slice_ptr[s + 1] - slice_ptr[s]) / h;
    int            period = 0;

    FindSliceRows(seg, csr, s, begin, length);
    PetscCall(PetscMemzero(&slice[s], sizeof(slice[s])));
    slice[s].width  = (uint16_t)AutoCSRFitSlice(csr->col, begin, length, (int)h, width, &period);
    slice[s].period = (uint16_t)period;
    slice[s].begin  = (PetscInt)bytes;
    bytes += (PetscInt64)width * slice[s].width;
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, bytes * h));
  for (PetscInt s = 0; s < seg->n_slices; s++) {
    FindSliceRows(seg, csr, s, begin, length);
    for (PetscInt t = 0; t < (slice_ptr[s + 1] - slice_ptr[s]) / h; t++) AutoCSREncodeFit(seg, csr, s, t, begin, length);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Goes through the slots of a slice with one lane a row, in their order: `code` if row j has an entry t, else `padding`. No branch waits for the end of a row before the shortest one ends */
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
    float(*code)[AUTOCSR_REALS] = (float(*)[AUTOCSR_REALS])seg->stream[AUTOCSR_STREAM_VALUE].data;
#define CODE(q, p) (void)AutoCSRFloatsFromScalar(&val[p], code[q])
#define PADDING(q) memset(code[q], 0, sizeof(code[q]))
    EACH_SLOT(CODE, PADDING);
#undef CODE
#undef PADDING
  }
}

/* Writes the rows of slice s, one after the other, if rows have several lanes or padding has a code of its own */
static void EncodeSliceRows(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary, PetscBool index, PetscBool value, PetscInt s)
{
  const PetscInt width = SlotsOfRow(seg, s), h = seg->axes.slice_height, base = AutoCSRAxesHaveBase(&seg->axes) ? ((const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data)[s] : 0;
  const size_t   size    = AutoCSRStreamElementSize(&seg->axes, AUTOCSR_STREAM_VALUE);
  void          *codes   = seg->stream[AUTOCSR_STREAM_INDEX].data;
  char          *values  = (char *)seg->stream[AUTOCSR_STREAM_VALUE].data;
  const uint32_t padding = AutoCSREncodePadding(&seg->axes);

  for (PetscInt k = s * h; k < (s + 1) * h; k++) {
    const PetscInt length = AutoCSRSegmentRowLength(seg, csr, k), p = length ? csr->row_ptr[AutoCSRSegmentRow(seg, k)] : 0;

    for (PetscInt t = 0; t < width; t++) {
      const PetscInt q = Slot(seg, csr, k, t);

      if (index && seg->axes.index == AUTOCSR_INDEX_32) ((uint32_t *)codes)[q] = t < length ? (uint32_t)csr->col[p + t] : padding;
      if (index && seg->axes.index == AUTOCSR_INDEX_16) ((uint16_t *)codes)[q] = t < length ? (uint16_t)(csr->col[p + t] - base) : 0;
      if (!value) continue;
      if (t < length)
        AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[p + t], q);
      else
        memset(values + size * q, 0, size);
    }
  }
}

/* Writes INDEX or VALUE of all slices */
static void EncodeCodes(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary, PetscBool index, PetscBool value)
{
  const PetscBool slots = (PetscBool)(seg->axes.lanes == 1 && !AutoCSREncodePadding(&seg->axes) && seg->axes.slice_height <= AUTOCSR_MAX_FIT_ROWS);

  for (PetscInt s = 0; s < seg->n_slices; s++) {
    if (!slots)
      EncodeSliceRows(seg, csr, dictionary, index, value, s);
    else if (seg->axes.slice_height == AUTOCSR_HOST_SLICE_HEIGHT)
      EncodeSliceSlots(seg, csr, dictionary, index, value, s, AUTOCSR_HOST_SLICE_HEIGHT);
    else
      EncodeSliceSlots(seg, csr, dictionary, index, value, s, seg->axes.slice_height);
  }
}

static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const AutoCSRAxes *a = &seg->axes;
  PetscInt           slots;

  PetscFunctionBegin;
  PetscCall(EncodeSlices(seg, csr));
  slots = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[seg->n_slices];
  if (AutoCSRAxesHaveBase(a)) PetscCall(AutoCSREncodeBases(seg, csr));
  if (a->index == AUTOCSR_INDEX_PATTERN)
    PetscCall(AutoCSRPatternsEncode(seg, csr, profile));
  else if (a->index == AUTOCSR_INDEX_FITTED)
    PetscCall(EncodeFits(seg, csr));
  else {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, slots));
    EncodeCodes(seg, csr, NULL, PETSC_TRUE, PETSC_FALSE);
  }
  if (AutoCSRValueIsStored(a->value)) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, slots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refresh(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  PetscFunctionBegin;
  EncodeCodes(seg, csr, dictionary, PETSC_FALSE, PETSC_TRUE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt DecodeFitted(const AutoCSRSegment *seg, PetscInt k, PetscInt t)
{
  const PetscInt        h = seg->axes.slice_height, s = k / h, j = k % h;
  const AutoCSRSliceFit slice = ((const AutoCSRSliceFit *)seg->stream[AUTOCSR_STREAM_SLICE_FIT].data)[s];
  const uint8_t        *index = (const uint8_t *)seg->stream[AUTOCSR_STREAM_INDEX].data + ((size_t)slice.begin + (size_t)t * slice.width) * h;
  const AutoCSRFit      fit   = ((const AutoCSRFit *)seg->stream[AUTOCSR_STREAM_FIT].data)[((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[s] / h + t];
  const PetscInt        col   = AutoCSRFitOf(&fit, slice.period, (int)j);

  if (slice.width == 0) return col;
  if (slice.width == 1) return col + (PetscInt)index[j];
  return col + (PetscInt)(slice.width == 2 ? ((const uint16_t *)index)[j] : ((const uint32_t *)index)[j]);
}

static PetscInt Column(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  if (seg->axes.index == AUTOCSR_INDEX_PATTERN) return AutoCSRPatternColumn(seg, csr, k, t);
  if (seg->axes.index == AUTOCSR_INDEX_FITTED) return DecodeFitted(seg, k, t);
  return AutoCSRDecodeIndex(seg, k, Slot(seg, csr, k, t));
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  const AutoCSRAxes *a         = &seg->axes;
  const PetscInt    *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, h = a->slice_height;

  PetscFunctionBegin;
  AutoCSRCheckSegment(seg->n_slices == seg->n_rows / h + (seg->n_rows % h != 0), " of %" PetscInt_FMT " rows has %" PetscInt_FMT " slices of %" PetscInt_FMT " rows", i, seg->n_rows, seg->n_slices, h);
  AutoCSRCheckSegment(slice_ptr, " is not encoded", i);
  count[AUTOCSR_STREAM_SLICE_PTR] = seg->n_slices + 1;
  if (seg->stream[AUTOCSR_STREAM_LENGTH].data && AutoCSRAxesKeepLengths(a, (PetscBool)(seg->stream[AUTOCSR_STREAM_ROWS].data != NULL), 0)) count[AUTOCSR_STREAM_LENGTH] = seg->n_rows; /* a segment that was not encoded on a processor has none */
  if (a->index == AUTOCSR_INDEX_PATTERN) PetscCall(AutoCSRPatternsCount(seg, csr, i, count));
  if (a->index == AUTOCSR_INDEX_FITTED) {
    const AutoCSRSliceFit *last = (const AutoCSRSliceFit *)seg->stream[AUTOCSR_STREAM_SLICE_FIT].data + (seg->n_slices - 1);

    AutoCSRCheckSegment(seg->stream[AUTOCSR_STREAM_SLICE_FIT].data, " is not encoded", i);
    count[AUTOCSR_STREAM_FIT]       = slice_ptr[seg->n_slices] / h;
    count[AUTOCSR_STREAM_SLICE_FIT] = seg->n_slices;
    count[AUTOCSR_STREAM_INDEX]     = seg->n_slices ? (PetscInt64)last->begin * h + (PetscInt64)last->width * (slice_ptr[seg->n_slices] - slice_ptr[seg->n_slices - 1]) : 0;
  }
  PetscCall(AutoCSRCountCodes(seg, i, slice_ptr[seg->n_slices], count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slots past the ends of rows hold code 0, or that of padding; no kernel decodes residuals of padding */
static PetscErrorCode CheckPadding(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, AutoCSRStreamKind kind, char code)
{
  const size_t size = AutoCSRStreamElementSize(&seg->axes, kind);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < seg->n_slices * seg->axes.slice_height; k++) {
    for (PetscInt t = AutoCSRSegmentRowLength(seg, csr, k); t < SlotsOfRow(seg, k / seg->axes.slice_height); t++) {
      const char *slot = (const char *)seg->stream[kind].data + size * Slot(seg, csr, k, t);

      for (size_t b = 0; b < size; b++) AutoCSRCheckSegment(slot[b] == code, ": slot %" PetscInt_FMT " of its row %" PetscInt_FMT " is padding but does not say so in stream %s", i, t, k, AutoCSRStreamNames[kind]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const uint16_t *lengths = (const uint16_t *)seg->stream[AUTOCSR_STREAM_LENGTH].data;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k), length = AutoCSRSegmentRowLength(seg, csr, k), slots = SlotsOfRow(seg, k / seg->axes.slice_height);

    AutoCSRCheckSegment(slots >= length, ": row %" PetscInt_FMT " of %" PetscInt_FMT " entries has %" PetscInt_FMT " slots", i, row, length, slots);
    AutoCSRCheckSegment(!lengths || lengths[k] == length, ": row %" PetscInt_FMT " of %" PetscInt_FMT " entries is said to have %d", i, row, length, (int)lengths[k]);
  }
  if (seg->axes.index == AUTOCSR_INDEX_PATTERN) PetscCall(AutoCSRPatternsCheck(seg, csr, i));
  if (seg->axes.index == AUTOCSR_INDEX_32 || seg->axes.index == AUTOCSR_INDEX_16) PetscCall(CheckPadding(seg, csr, i, AUTOCSR_STREAM_INDEX, (char)AutoCSREncodePadding(&seg->axes))); /* all bytes of that code are alike */
  if (AutoCSRValueIsStored(seg->axes.value)) PetscCall(CheckPadding(seg, csr, i, AUTOCSR_STREAM_VALUE, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_sliced = {.name = "sliced", .has = Has, .encode = Encode, .refresh = Refresh, .column = Column, .slot = Slot, .reads_row_ptr = ReadsRowPtr, .count = Count, .check = Check};
