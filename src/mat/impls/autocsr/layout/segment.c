/* Streams of a segment, and the bytes that a product moves for it */
#include "layout.h"
#include "bundled.h"
#include "nodes.h"
#include "pattern.h"
#include "popular.h"
#include "stretches.h"
#include "../backend.h"

PetscErrorCode AutoCSRStreamFree(AutoCSRSegment *seg, AutoCSRStreamKind kind)
{
  AutoCSRStream *stream = &seg->stream[kind];

  PetscFunctionBegin;
  if (stream->data) PetscCall((*seg->backend->deallocate)(stream->data));
  stream->data  = NULL;
  stream->bytes = 0;
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
  case AUTOCSR_STREAM_BUNDLE_PART:
    return sizeof(AutoCSRBundlePart);
  case AUTOCSR_STREAM_STRETCH:
    return sizeof(AutoCSRStretch);
  case AUTOCSR_STREAM_END:
  case AUTOCSR_STREAM_MASK:
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

/* Replaces a stream that is there. The contents are not set; the room past the end is zero */
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

PetscErrorCode AutoCSRSegmentCheckSlots(const AutoCSRSegment *seg, PetscInt64 slots)
{
  PetscFunctionBegin;
  PetscCheck(slots <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " rows have more slots, padding with them, than a PetscInt counts; sort the rows, take another strategy or 64-bit indices", seg->n_rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

double AutoCSRBytesBesideStreams(const AutoCSRAxes *a, double rows, double nnz, PetscInt m, PetscInt n)
{
  const AutoCSRLayout *layout = AutoCSRLayoutOf(a);
  double               bytes  = (double)sizeof(PetscScalar) * rows;

  if (a->mapping == AUTOCSR_MAP_EMPTY) return bytes;
  if (a->index == AUTOCSR_INDEX_CSR) bytes += (double)sizeof(PetscInt) * nnz / PetscMax(1, a->block);
  if (layout->reads_row_ptr && (*layout->reads_row_ptr)(a)) bytes += (double)sizeof(PetscInt) * rows;
  if (a->value == AUTOCSR_VALUE_CSR) bytes += (double)sizeof(PetscScalar) * nnz;
  if (m > 0) bytes += (double)sizeof(PetscScalar) * PetscMin(nnz * (layout->copies_tiles && (*layout->copies_tiles)(a) ? a->tile_width : 1), (double)n * rows / m);
  return bytes;
}

/*
  Bytes that a product moves for a segment, each once:
    streams       whole, padding counted; not VALUE_PLACE, which only a refresh reads, nor STRETCH, nor SLICE_PTR beside it
    col, val      those of the segment, if they are read in place; in a dense block only the col of its first row
    row_ptr       one a row, if the layout reads it; none for empty rows, or if LENGTH or STRETCH tells all that is asked of it
    scratch       of the layout: written and read
    x             the share of the segment's rows in the n entries, but no more than its nonzeros, or than a tile for each of them where tiles are copied
    y             one a row; two if the product is added to it
  Rows without entries move nothing if products are added to y
*/
double AutoCSRSegmentBytesMoved(const AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const AutoCSRLayout *layout = AutoCSRLayoutOf(&seg->axes);
  double               bytes  = AutoCSRBytesBesideStreams(&seg->axes, (double)seg->n_rows, (double)seg->nnz, csr->m, csr->n);

  if (csr->adds && seg->axes.mapping == AUTOCSR_MAP_EMPTY) return 0;
  if (csr->adds) bytes += (double)sizeof(PetscScalar) * (double)seg->n_rows;
  for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) bytes += s == AUTOCSR_STREAM_VALUE_PLACE || s == AUTOCSR_STREAM_STRETCH || (s == AUTOCSR_STREAM_SLICE_PTR && seg->stream[AUTOCSR_STREAM_STRETCH].data) ? 0 : (double)seg->stream[s].bytes;
  if (seg->stream[AUTOCSR_STREAM_LENGTH].data || AutoCSRStretchesTellRows(seg)) bytes -= (double)sizeof(PetscInt) * (double)seg->n_rows;
  if (layout->scratch) bytes += 2.0 * (double)(*layout->scratch)(seg);
  return bytes;
}
