/*
  The encoders and decoders of a segment's streams, on one row, slice or entry, in the common subset of C and CUDA: a loop
  runs them on the host, a kernel on the device, the bits are the same. Rows are named by their place k in the segment.
*/
#ifndef AUTOCSR_ENCODE_H
#define AUTOCSR_ENCODE_H

#include "popular.h"

/* Entries of the k-th row; lanes of the last slice past the segment's end have none */
AUTOCSR_HD PetscInt AutoCSRSegmentRowLength(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  PetscInt row;

  if (k >= seg->n_rows) return 0;
  row = AutoCSRSegmentRow(seg, k);
  return csr->row_ptr[row + 1] - csr->row_ptr[row];
}

/* Where entry 0 of the k-th row lies in INDEX and VALUE; entry t is AutoCSRSegmentStep() further */
AUTOCSR_HD PetscInt AutoCSRSegmentSlot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  const PetscInt h = seg->axes.slice_height;

  if (seg->axes.order == AUTOCSR_ORDER_SLICED) return ((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[k / h] + k % h * seg->axes.lanes;
  if (seg->axes.order == AUTOCSR_ORDER_BLOCKED) return csr->row_ptr[seg->row_begin + k - k % seg->axes.block] - csr->row_ptr[seg->row_begin] + k % seg->axes.block * seg->axes.block;
  return csr->row_ptr[AutoCSRSegmentRow(seg, k)] - csr->row_ptr[seg->row_begin];
}

AUTOCSR_HD PetscInt AutoCSRSegmentStep(const AutoCSRSegment *seg, PetscInt t)
{
  const PetscInt lanes = seg->axes.lanes, b = seg->axes.block;

  if (seg->axes.order == AUTOCSR_ORDER_BLOCKED) return t / b * (b * b) + t % b;
  if (seg->axes.order != AUTOCSR_ORDER_SLICED) return t;
  return lanes == 1 ? t * seg->axes.slice_height : t / lanes * (lanes * seg->axes.slice_height) + t % lanes;
}

/* Slots of the k-th row, padding counted */
AUTOCSR_HD PetscInt AutoCSRSegmentRowSlots(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  const PetscInt *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const PetscInt  h         = seg->axes.slice_height;

  if (seg->axes.order == AUTOCSR_ORDER_SLICED) return (slice_ptr[k / h + 1] - slice_ptr[k / h]) / h;
  return AutoCSRSegmentRowLength(seg, csr, k);
}

/* The code of a column where there is none */
AUTOCSR_HD uint32_t AutoCSREncodePadding(const AutoCSRAxes *axes)
{
  return axes->mapping == AUTOCSR_MAP_VENDOR ? 0xffffffffu : 0;
}

/* Slots of each row of a slice whose longest row has so many entries */
AUTOCSR_HD PetscInt AutoCSREncodeWidth(const AutoCSRAxes *axes, PetscInt longest)
{
  return ((axes->width ? axes->width : longest) + axes->lanes - 1) / axes->lanes * axes->lanes;
}

/* Slots of each row of slice s */
AUTOCSR_HD PetscInt AutoCSREncodeSliceWidth(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt s)
{
  const PetscInt h     = seg->axes.slice_height;
  PetscInt       width = 0;

  for (PetscInt k = s * h; k < (s + 1) * h; k++) {
    const PetscInt length = AutoCSRSegmentRowLength(seg, csr, k);

    if (width < length) width = length;
  }
  return AutoCSREncodeWidth(&seg->axes, width);
}

/* BASE of slice s: its smallest column, 0 if it has none; returns whether 16 bits hold the distance to its largest column (or block) */
AUTOCSR_HD int AutoCSREncodeSliceBase(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt s)
{
  const PetscInt h    = AutoCSRAxesSliceRows(&seg->axes);
  PetscInt      *base = (PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data;
  PetscInt       lo = csr->n, hi = -1;

  for (PetscInt k = s * h; k < (s + 1) * h; k++) {
    if (AutoCSRSegmentRowLength(seg, csr, k)) {
      const PetscInt row = AutoCSRSegmentRow(seg, k), first = csr->col[csr->row_ptr[row]], last = csr->col[csr->row_ptr[row + 1] - 1];

      if (lo > first) lo = first;
      if (hi < last) hi = last;
    }
  }
  base[s] = hi < 0 ? 0 : lo;
  return (hi - lo) / seg->axes.block < 65536;
}

/* Where the code of the first block of the block row that begins with the segment's k-th row lies in INDEX */
AUTOCSR_HD PetscInt AutoCSRSegmentBlockSlot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  return AutoCSRSegmentSlot(seg, csr, k) / (seg->axes.block * seg->axes.block);
}

/* The code of block t of the block row that begins with the segment's k-th row */
AUTOCSR_HD PetscInt AutoCSREncodeBlock(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt b = seg->axes.block, col = csr->col[csr->row_ptr[seg->row_begin + k] + t * b];

  if (seg->axes.index == AUTOCSR_INDEX_32) return col / b;
  return (col - ((const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data)[k / AutoCSRAxesSliceRows(&seg->axes)]) / b;
}

/* INDEX of the block row that begins with the k-th row */
AUTOCSR_HD void AutoCSREncodeBlockRowIndex(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  const PetscInt q = AutoCSRSegmentBlockSlot(seg, csr, k), blocks = AutoCSRSegmentRowLength(seg, csr, k) / seg->axes.block;

  if (seg->axes.index == AUTOCSR_INDEX_32) {
    for (PetscInt t = 0; t < blocks; t++) ((uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[q + t] = (uint32_t)AutoCSREncodeBlock(seg, csr, k, t);
  } else {
    for (PetscInt t = 0; t < blocks; t++) ((uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[q + t] = (uint16_t)AutoCSREncodeBlock(seg, csr, k, t);
  }
}

/* BLOCK_PTR of block row i, or of the end */
AUTOCSR_HD void AutoCSREncodeBlockPtr(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt b = seg->axes.block;

  ((uint32_t *)seg->stream[AUTOCSR_STREAM_BLOCK_PTR].data)[i] = (uint32_t)((csr->row_ptr[seg->row_begin + i * b] - csr->row_ptr[seg->row_begin]) / (b * b));
}

/* INDEX of the k-th row, padding too; of a block row with its first row */
AUTOCSR_HD void AutoCSREncodeRowIndex(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  const PetscInt length = AutoCSRSegmentRowLength(seg, csr, k), slots = AutoCSRSegmentRowSlots(seg, csr, k);
  const PetscInt q = AutoCSRSegmentSlot(seg, csr, k);
  const PetscInt p = length ? csr->row_ptr[AutoCSRSegmentRow(seg, k)] : 0;

  if (seg->axes.block > 1) {
    if (seg->axes.index != AUTOCSR_INDEX_CSR && k % seg->axes.block == 0) AutoCSREncodeBlockRowIndex(seg, csr, k);
  } else if (seg->axes.index == AUTOCSR_INDEX_32) {
    uint32_t *index = (uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data + q;

    for (PetscInt t = 0; t < length; t++) index[AutoCSRSegmentStep(seg, t)] = (uint32_t)csr->col[p + t];
    for (PetscInt t = length; t < slots; t++) index[AutoCSRSegmentStep(seg, t)] = AutoCSREncodePadding(&seg->axes);
  } else if (seg->axes.index == AUTOCSR_INDEX_16) {
    const PetscInt base  = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data)[k / seg->axes.slice_height];
    uint16_t      *index = (uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data + q;

    for (PetscInt t = 0; t < length; t++) index[AutoCSRSegmentStep(seg, t)] = (uint16_t)(csr->col[p + t] - base);
    for (PetscInt t = length; t < slots; t++) index[AutoCSRSegmentStep(seg, t)] = 0;
  }
}

/* The code of a value, in place q of VALUE */
AUTOCSR_HD void AutoCSREncodeValue(AutoCSRSegment *seg, AutoCSRValue coding, const AutoCSRDictionary *dictionary, const PetscScalar *v, PetscInt q)
{
  void *value = seg->stream[AUTOCSR_STREAM_VALUE].data;

  if (coding == AUTOCSR_VALUE_COPY)
    ((PetscScalar *)value)[q] = *v;
  else if (coding == AUTOCSR_VALUE_DICTIONARY) {
    unsigned slot;

    ((uint8_t *)value)[q] = (uint8_t)AutoCSRDictionaryFind(dictionary, v, &slot);
  } else if (coding == AUTOCSR_VALUE_FLOAT32)
    (void)AutoCSRFloatsFromScalar(v, ((float(*)[AUTOCSR_PARTS])value)[q]);
}

/* Order DIAGONAL: where entry t of the k-th row lies in VALUE; below the main diagonal, in the row of its mirror image */
AUTOCSR_HD PetscInt AutoCSRDiagonalSlot(const AutoCSRSegment *seg, PetscInt k, PetscInt t)
{
  const PetscInt p = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[((const uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data)[k]];

  return ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PLACE].data)[p + t] + k;
}

/* VALUE of the entries of the k-th row on the main diagonal and above it */
AUTOCSR_HD void AutoCSREncodeRowDiagonals(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary, PetscInt k)
{
  const PetscInt row = seg->row_begin + k, begin = csr->row_ptr[row];

  for (PetscInt q = begin; q < csr->row_ptr[row + 1]; q++) {
    if (csr->col[q] >= row) AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[q], AutoCSRDiagonalSlot(seg, k, q - begin));
  }
}

/* Where the rows of slice s begin in the CSR, and their lengths */
AUTOCSR_HD void AutoCSRSegmentSliceRows(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt s, PetscInt begin[], PetscInt length[])
{
  const PetscInt h = seg->axes.slice_height;

  for (PetscInt j = 0; j < h; j++) {
    length[j] = AutoCSRSegmentRowLength(seg, csr, s * h + j);
    begin[j]  = length[j] ? csr->row_ptr[AutoCSRSegmentRow(seg, s * h + j)] : 0;
  }
}

/* FIT and INDEX of entry t of slice s, padding too, once SLICE_FIT is there; the slice's rows as above */
AUTOCSR_HD void AutoCSREncodeFit(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt s, PetscInt t, const PetscInt begin[], const PetscInt length[])
{
  const PetscInt        h     = seg->axes.slice_height;
  const AutoCSRSliceFit slice = ((const AutoCSRSliceFit *)seg->stream[AUTOCSR_STREAM_SLICE_FIT].data)[s];
  uint8_t              *index = (uint8_t *)seg->stream[AUTOCSR_STREAM_INDEX].data + ((size_t)slice.begin + (size_t)t * slice.width) * h;
  AutoCSRFit           *fit   = (AutoCSRFit *)seg->stream[AUTOCSR_STREAM_FIT].data + (((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[s] / h + t);

  (void)AutoCSRFitColumn(csr->col, begin, length, (int)h, t, slice.period, fit);
  for (PetscInt j = 0; j < h && slice.width; j++) {
    const PetscInt left = length[j] > t ? csr->col[begin[j] + t] - AutoCSRFitOf(fit, slice.period, (int)j) : 0;

    if (slice.width == 1)
      index[j] = (uint8_t)left;
    else if (slice.width == 2)
      ((uint16_t *)index)[j] = (uint16_t)left;
    else
      ((uint32_t *)index)[j] = (uint32_t)left;
  }
}

AUTOCSR_HD PetscInt AutoCSRDecodeFitted(const AutoCSRSegment *seg, PetscInt k, PetscInt t)
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

/* VALUE of the k-th row, padding too. The dictionary indexes DICTIONARY and holds every value; NULL for other codings */
AUTOCSR_HD void AutoCSREncodeRowValue(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary, PetscInt k)
{
  const PetscInt length = AutoCSRSegmentRowLength(seg, csr, k), slots = AutoCSRSegmentRowSlots(seg, csr, k);
  const PetscInt q = AutoCSRSegmentSlot(seg, csr, k);
  const PetscInt p = length ? csr->row_ptr[AutoCSRSegmentRow(seg, k)] : 0;

  if (seg->axes.order == AUTOCSR_ORDER_DIAGONAL)
    AutoCSREncodeRowDiagonals(seg, csr, dictionary, k);
  else if (seg->axes.value == AUTOCSR_VALUE_COPY) {
    PetscScalar *value = (PetscScalar *)seg->stream[AUTOCSR_STREAM_VALUE].data + q;

    for (PetscInt t = 0; t < length; t++) value[AutoCSRSegmentStep(seg, t)] = csr->val[p + t];
    for (PetscInt t = length; t < slots; t++) value[AutoCSRSegmentStep(seg, t)] = 0;
  } else if (seg->axes.value == AUTOCSR_VALUE_DICTIONARY) {
    uint8_t *value = (uint8_t *)seg->stream[AUTOCSR_STREAM_VALUE].data + q;
    unsigned slot;

    for (PetscInt t = 0; t < length; t++) value[AutoCSRSegmentStep(seg, t)] = (uint8_t)AutoCSRDictionaryFind(dictionary, &csr->val[p + t], &slot);
    for (PetscInt t = length; t < slots; t++) value[AutoCSRSegmentStep(seg, t)] = 0;
  } else if (seg->axes.value == AUTOCSR_VALUE_FLOAT32) {
    float(*value)[AUTOCSR_PARTS] = (float(*)[AUTOCSR_PARTS])seg->stream[AUTOCSR_STREAM_VALUE].data + q;

    for (PetscInt t = 0; t < length; t++) (void)AutoCSRFloatsFromScalar(&csr->val[p + t], value[AutoCSRSegmentStep(seg, t)]);
    for (PetscInt t = length; t < slots; t++) {
      for (int i = 0; i < AUTOCSR_PARTS; i++) value[AutoCSRSegmentStep(seg, t)][i] = 0;
    }
  }
}

/*
  MAP_ROW_BLOCKS: how many blocks begin with the k-th row. It depends on the row and the one before alone: a long row has blocks of
  its own, others begin one where they pass a multiple of what leaves room for the last row
*/
AUTOCSR_HD PetscInt AutoCSREncodeRowBlocks(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  const PetscInt  most = seg->axes.tile_width * seg->axes.tile_height, limit = seg->axes.row_limit;
  const PetscInt *row_ptr = csr->row_ptr + seg->row_begin;
  const PetscInt  begin = row_ptr[k], length = row_ptr[k + 1] - begin;

  if (length > limit) return length / most + (length % most > 0);
  if (k % most == 0 || begin - row_ptr[k - 1] > limit) return 1;
  return (begin - row_ptr[0]) / (most - limit) != (row_ptr[k - 1] - row_ptr[0]) / (most - limit);
}

/* WORK of the blocks that begin with the k-th row, of which the first is block b */
AUTOCSR_HD void AutoCSREncodeWork(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt b)
{
  const PetscInt most = seg->axes.tile_width * seg->axes.tile_height, blocks = AutoCSREncodeRowBlocks(seg, csr, k);
  PetscInt      *work = (PetscInt *)seg->stream[AUTOCSR_STREAM_WORK].data + 2 * b;

  for (PetscInt i = 0; i < blocks; i++) {
    *work++ = seg->row_begin + k;
    *work++ = csr->row_ptr[seg->row_begin + k] + i * most;
  }
}

/* MAP_MERGE: WORK of block b: rows and entries that come before its part of the path, in which a row ends before the next row's entries */
AUTOCSR_HD void AutoCSREncodeMergeWork(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt b)
{
  const PetscInt64 steps   = (PetscInt64)b * seg->axes.tile_width * seg->axes.tile_height; /* rows and entries together */
  const PetscInt  *row_ptr = csr->row_ptr + seg->row_begin;
  PetscInt        *work    = (PetscInt *)seg->stream[AUTOCSR_STREAM_WORK].data + 2 * b;
  PetscInt         lo = steps > seg->nnz ? (PetscInt)(steps - seg->nnz) : 0, hi = steps < seg->n_rows ? (PetscInt)steps : seg->n_rows;

  while (lo < hi) { /* the first row that does not end before this step */
    const PetscInt mid = lo + (hi - lo) / 2;

    if (row_ptr[mid + 1] - row_ptr[0] <= steps - 1 - mid)
      lo = mid + 1;
    else
      hi = mid;
  }
  work[0] = seg->row_begin + lo;
  work[1] = row_ptr[0] + (PetscInt)(steps - lo);
}

/* The end of WORK */
AUTOCSR_HD void AutoCSREncodeWorkEnd(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt blocks)
{
  PetscInt *work = (PetscInt *)seg->stream[AUTOCSR_STREAM_WORK].data + 2 * blocks;

  work[0] = seg->row_begin + seg->n_rows;
  work[1] = csr->row_ptr[seg->row_begin + seg->n_rows];
}

/* The part of PATTERN_OFFSET that is pattern p, shown by a row of the CSR */
AUTOCSR_HD void AutoCSREncodePattern(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt p, PetscInt row)
{
  PetscInt *offset = (PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data + ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[p];

  for (PetscInt q = csr->row_ptr[row]; q < csr->row_ptr[row + 1]; q++) *offset++ = csr->col[q] - row;
}

/* Column of entry t of the k-th row, whose block's code is that of its block row */
AUTOCSR_HD PetscInt AutoCSRDecodeBlockColumn(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt b = seg->axes.block, first = k - k % b, q = AutoCSRSegmentBlockSlot(seg, csr, first) + t / b;
  const void    *index = seg->stream[AUTOCSR_STREAM_INDEX].data;

  if (seg->axes.index == AUTOCSR_INDEX_CSR) return csr->col[csr->row_ptr[seg->row_begin + first] + t - t % b] + t % b;
  if (seg->axes.index == AUTOCSR_INDEX_32) return (PetscInt)((const uint32_t *)index)[q] * b + t % b;
  return ((const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data)[k / AutoCSRAxesSliceRows(&seg->axes)] + (PetscInt)((const uint16_t *)index)[q] * b + t % b;
}

/* The part of PATTERN_VALUE that is pattern p */
AUTOCSR_HD void AutoCSREncodePatternValue(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt p)
{
  const PetscInt row   = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_ROW].data)[p];
  PetscScalar   *value = (PetscScalar *)seg->stream[AUTOCSR_STREAM_PATTERN_VALUE].data + ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[p];

  for (PetscInt q = csr->row_ptr[row]; q < csr->row_ptr[row + 1]; q++) *value++ = csr->val[q];
}

/* Which entries of pattern q are those of pattern p, as a mask; 0: p is no part of it. Of patterns that are no longer than 32 */
AUTOCSR_HD uint32_t AutoCSRPatternPart(const AutoCSRSegment *seg, PetscInt p, PetscInt q)
{
  const PetscInt    *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data, *offset = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data;
  const PetscScalar *value = (const PetscScalar *)seg->stream[AUTOCSR_STREAM_PATTERN_VALUE].data;
  PetscInt           i     = ptr[p];
  uint32_t           mask  = 0;

  for (PetscInt j = ptr[q]; j < ptr[q + 1] && i < ptr[p + 1]; j++) {
    if (offset[j] != offset[i]) continue;
    if (value && !AutoCSRBitsEqual(AutoCSRBitsOf(&value[j]), AutoCSRBitsOf(&value[i]))) return 0;
    mask |= (uint32_t)1 << (j - ptr[q]);
    i++;
  }
  return i < ptr[p + 1] ? 0 : mask;
}

/* The first of the longest patterns of which pattern p is a part, among itself and those from `first` on, every `step`-th */
AUTOCSR_HD AutoCSRPatternRoot AutoCSRPatternRootAmong(const AutoCSRSegment *seg, PetscInt p, PetscInt first, PetscInt step)
{
  const PetscInt    *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data;
  const PetscInt     own = ptr[p + 1] - ptr[p], most = seg->axes.mapping == AUTOCSR_MAP_PLANES ? AUTOCSR_PLANES_ENTRIES : 32;
  AutoCSRPatternRoot root = {own < 32 ? ((uint32_t)1 << own) - 1 : 0xffffffffu, (int32_t)ptr[p], (int32_t)own, (int32_t)ptr[p]};

  for (PetscInt q = first; q < seg->n_patterns && own && own < 32; q += step) {
    const PetscInt length = ptr[q + 1] - ptr[q];
    uint32_t       mask;

    if (length > most || length <= root.length) continue;
    mask = AutoCSRPatternPart(seg, p, q);
    if (!mask) continue;
    root.mask   = mask;
    root.begin  = (int32_t)ptr[q];
    root.length = (int32_t)length;
  }
  return root;
}

/* PATTERN_ROOT of pattern p, once offsets and values are there */
AUTOCSR_HD void AutoCSREncodePatternRoot(AutoCSRSegment *seg, PetscInt p)
{
  ((AutoCSRPatternRoot *)seg->stream[AUTOCSR_STREAM_PATTERN_ROOT].data)[p] = AutoCSRPatternRootAmong(seg, p, 0, 1);
}

/* Column of entry t of the k-th row, which its node has for all of its rows */
AUTOCSR_HD PetscInt AutoCSRDecodeNodeColumn(const AutoCSRSegment *seg, PetscInt k, PetscInt t)
{
  const AutoCSRNode *node  = (const AutoCSRNode *)seg->stream[AUTOCSR_STREAM_NODE].data;
  const void        *index = seg->stream[AUTOCSR_STREAM_INDEX].data;
  PetscInt           lo = 0, hi = AutoCSRSegmentNodes(seg);

  while (hi - lo > 1) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (node[mid].row <= seg->row_begin + k)
      lo = mid;
    else
      hi = mid;
  }
  if (seg->axes.index == AUTOCSR_INDEX_32) return (PetscInt)((const uint32_t *)index)[node[lo].code + t];
  return node[lo].base + (PetscInt)((const uint16_t *)index)[node[lo].code + t];
}

/* Column of entry t of the k-th row */
AUTOCSR_HD PetscInt AutoCSRDecodeColumn(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const AutoCSRStream *stream = seg->stream;
  const PetscInt       row    = AutoCSRSegmentRow(seg, k);
  PetscInt             q;

  if (seg->axes.block > 1) return AutoCSRDecodeBlockColumn(seg, csr, k, t);
  if (seg->axes.mapping == AUTOCSR_MAP_NODES) return AutoCSRDecodeNodeColumn(seg, k, t);
  if (seg->axes.index == AUTOCSR_INDEX_CSR) return csr->col[csr->row_ptr[row] + t];
  if (seg->axes.index == AUTOCSR_INDEX_PATTERN) {
    const PetscInt p = ((const PetscInt *)stream[AUTOCSR_STREAM_PATTERN_PTR].data)[((const uint16_t *)stream[AUTOCSR_STREAM_PATTERN_ID].data)[k]];

    return row + ((const PetscInt *)stream[AUTOCSR_STREAM_PATTERN_OFFSET].data)[p + t];
  }
  if (seg->axes.index == AUTOCSR_INDEX_FITTED) return AutoCSRDecodeFitted(seg, k, t);
  if (seg->axes.order == AUTOCSR_ORDER_TILED) {
    q = AutoCSRTiledSlot(seg, csr->n, k, t);
    return q < 0 ? -1 : AutoCSRTiledColumn(seg, AutoCSRTiledTileOf(seg, q), q);
  }
  if (seg->axes.order == AUTOCSR_ORDER_PROPAGATED) return AutoCSRPropagateColumn(seg, AutoCSRPropagateSlot(seg, k, t));
  if (seg->axes.order == AUTOCSR_ORDER_POPULAR) {
    q = AutoCSRPopularSlot(seg, k, csr->col[csr->row_ptr[row] + t]);
    return q < 0 ? -1 : AutoCSRPopularColumn(seg, q);
  }
  q = AutoCSRSegmentSlot(seg, csr, k) + AutoCSRSegmentStep(seg, t);
  if (seg->axes.index == AUTOCSR_INDEX_32) return (PetscInt)((const uint32_t *)stream[AUTOCSR_STREAM_INDEX].data)[q];
  return ((const PetscInt *)stream[AUTOCSR_STREAM_BASE].data)[k / seg->axes.slice_height] + (PetscInt)((const uint16_t *)stream[AUTOCSR_STREAM_INDEX].data)[q];
}

/* Where in VALUE entry t of the k-th row lies where entries lie by column tile; -1 if streams are not those of the row */
AUTOCSR_HD PetscInt AutoCSRDecodeTiledSlot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  PetscInt q;

  if (seg->axes.order == AUTOCSR_ORDER_PROPAGATED) return AutoCSRPropagateSlot(seg, k, t);
  if (seg->axes.order == AUTOCSR_ORDER_TILED)
    q = AutoCSRTiledSlot(seg, csr->n, k, t);
  else
    q = AutoCSRPopularSlot(seg, k, csr->col[csr->row_ptr[AutoCSRSegmentRow(seg, k)] + t]);
  return q < 0 ? -1 : AutoCSRTiledValueSlot(&seg->axes, q);
}

/* Value of entry t of the k-th row */
AUTOCSR_HD PetscScalar AutoCSRDecodeValue(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const AutoCSRStream *stream = seg->stream;
  PetscInt             q;

  if (seg->axes.value == AUTOCSR_VALUE_CSR) return csr->val[csr->row_ptr[AutoCSRSegmentRow(seg, k)] + t];
  if (seg->axes.value == AUTOCSR_VALUE_PATTERN) return ((const PetscScalar *)stream[AUTOCSR_STREAM_PATTERN_VALUE].data)[((const PetscInt *)stream[AUTOCSR_STREAM_PATTERN_PTR].data)[((const uint16_t *)stream[AUTOCSR_STREAM_PATTERN_ID].data)[k]] + t];
  if (seg->axes.value == AUTOCSR_VALUE_CONSTANT) return ((const PetscScalar *)stream[AUTOCSR_STREAM_DICTIONARY].data)[0];
  if (AutoCSROrderHasTiles(seg->axes.order)) {
    q = AutoCSRDecodeTiledSlot(seg, csr, k, t);
    if (q < 0) return 0;
  } else if (seg->axes.order == AUTOCSR_ORDER_DIAGONAL)
    q = AutoCSRDiagonalSlot(seg, k, t);
  else
    q = AutoCSRSegmentSlot(seg, csr, k) + AutoCSRSegmentStep(seg, t);
  if (seg->axes.value == AUTOCSR_VALUE_COPY) return ((const PetscScalar *)stream[AUTOCSR_STREAM_VALUE].data)[q];
  if (seg->axes.value == AUTOCSR_VALUE_DICTIONARY) return ((const PetscScalar *)stream[AUTOCSR_STREAM_DICTIONARY].data)[((const uint8_t *)stream[AUTOCSR_STREAM_VALUE].data)[q]];
  return AutoCSRScalarFromFloats(((const float(*)[AUTOCSR_PARTS])stream[AUTOCSR_STREAM_VALUE].data)[q]);
}

/* plan/encode.c: VALUE where entries lie by column tile */
PETSC_INTERN PetscErrorCode AutoCSRTilesEncodeValues_Host(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);

/* plan/encode.c: INDEX, VALUE or both of all rows; the dictionary indexes DICTIONARY */
PETSC_INTERN void AutoCSRSegmentEncodeRows_Host(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *, PetscBool index, PetscBool value);

#endif
