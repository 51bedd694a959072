/*
  Kernels over slices (SELL): strips of slices of one width, transposed products, and eight rows with one pattern, in either
  order: no gather at all.
*/
#ifndef AUTOCSR_HOST_KERNELS_SLICED_H
#define AUTOCSR_HOST_KERNELS_SLICED_H

#include "kernels_strips.h"

typedef struct {
  const uint16_t *id;
  const PetscInt *ptr, *offset;
} Patterns;

KERNEL Patterns PatternsOfSegment(const AutoCSRSegment *seg)
{
  return (Patterns){(const uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data, (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data, (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data};
}

/* Do OCTET rows share one pattern? */
KERNEL PetscBool PatternsAgree(const uint16_t *id)
{
  uint64_t half[2];

  memcpy(half, id, sizeof(half));
  return (PetscBool)(half[0] == half[1] && half[0] == id[0] * UINT64_C(0x0001000100010001));
}

/* One row whose entries and index codes lie `stride` apart (a pattern's offsets are always adjacent) */
KERNEL PetscScalar StridedRowSum(PetscScalar s, Entries e, PetscInt n, size_t stride, const PetscScalar *x, AutoCSRIndex index, AutoCSRValue value)
{
  const size_t step = index == AUTOCSR_INDEX_PATTERN ? 1 : stride;

  for (PetscInt t = 0; t < n; t++) s = ScalarMultiplyAdd(s, EntryValue(e, value, t * stride), x[EntryColumn(e, index, t * step)]);
  return s;
}

KERNEL void StridedRowScatter(PetscScalar xr, Entries e, PetscInt n, size_t stride, PetscScalar *y, AutoCSRIndex index, AutoCSRValue value, PetscBool conjugate)
{
  const size_t step = index == AUTOCSR_INDEX_PATTERN ? 1 : stride;

  for (PetscInt t = 0; t < n; t++) {
    const size_t c = EntryColumn(e, index, t * step);

    y[c] = ScalarMultiplyAdd(y[c], ScalarConjugateIf(EntryValue(e, value, t * stride), conjugate), xr);
  }
}

/* Values of LANES rows, lane_stride apart */
KERNEL Vector LaneValues(Entries e, AutoCSRValue value, size_t q, size_t lane_stride)
{
  Vector v;

  if (lane_stride == 1) return EntryValues(e, value, q);
#define ONE_VALUE(l) EntryValue(e, value, q + (l)*lane_stride)
  VECTOR_OF(v, ONE_VALUE);
#undef ONE_VALUE
  return v;
}

/* OCTET adjacent rows with one pattern; entry t of row l is at t * entry_stride + l * lane_stride from e on */
KERNEL void PatternOctetMultiply(const AutoCSROperands *op, PetscBool far, PetscInt row, const PetscInt *offset, PetscInt width, Entries e, size_t entry_stride, size_t lane_stride, AutoCSRValue value)
{
  const PetscScalar *x = op->x + row;
  Vector             sum[OCTET_VECTORS];

  OctetLoad(sum, op->z ? op->z + row : NULL);
  for (PetscInt t = 0; t < width; t++) {
    if (far) EntriesPrefetchFar(EntriesFrom(e, AUTOCSR_INDEX_PATTERN, value, t * OCTET), AUTOCSR_INDEX_PATTERN, value);
    UNROLL
    for (int p = 0; p < OCTET_VECTORS; p++) sum[p] = VectorMultiplyAdd(sum[p], LaneValues(e, value, t * entry_stride + p * LANES * lane_stride, lane_stride), VectorLoad(x + offset[t] + p * LANES));
  }
  OctetStore(op->y + row, sum);
}

KERNEL void PatternOctetTranspose(const AutoCSROperands *op, PetscInt row, const PetscInt *offset, PetscInt width, Entries e, size_t entry_stride, size_t lane_stride, AutoCSRValue value)
{
  PetscScalar *y = op->y + row;
  Vector       x[OCTET_VECTORS];

  OctetLoad(x, op->x + row);
  for (PetscInt t = 0; t < width; t++) {
    Vector sum[OCTET_VECTORS];

    OctetLoad(sum, y + offset[t]);
    UNROLL
    for (int p = 0; p < OCTET_VECTORS; p++) sum[p] = VectorMultiplyAdd(sum[p], VectorConjugateIf(LaneValues(e, value, t * entry_stride + p * LANES * lane_stride, lane_stride), op->conjugate), x[p]);
    OctetStore(y + offset[t], sum);
  }
}

/* Patterns in CSR order: groups of eight rows with one pattern, the rest row by row. Where patterns tell the values, all rows of a group read the same */
KERNEL void CSRPatternRun(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRValue value, PetscBool transpose)
{
  const Patterns  pattern = PatternsOfSegment(seg);
  const PetscInt *row_ptr = op->csr->row_ptr + seg->row_begin;
  const Entries   entries = EntriesOfSegment(seg, op->csr, AUTOCSR_INDEX_PATTERN, value);
  const PetscBool far     = value == AUTOCSR_VALUE_PATTERN ? PETSC_FALSE : seg->far;
  PetscInt        k       = 0;

  while (k < seg->n_rows) {
    const PetscInt p = pattern.ptr[pattern.id[k]], row = seg->row_begin + k, width = pattern.ptr[pattern.id[k] + 1] - p;
    Entries        e = entries;

    e       = EntriesFrom(e, AUTOCSR_INDEX_PATTERN, value, value == AUTOCSR_VALUE_PATTERN ? p : row_ptr[k] - row_ptr[0]);
    e.index = pattern.offset + p;
    if (k + OCTET <= seg->n_rows && PatternsAgree(pattern.id + k)) {
      if (transpose)
        PatternOctetTranspose(op, row, (const PetscInt *)e.index, width, e, 1, value == AUTOCSR_VALUE_PATTERN ? 0 : width, value);
      else
        PatternOctetMultiply(op, far, row, (const PetscInt *)e.index, width, e, 1, value == AUTOCSR_VALUE_PATTERN ? 0 : width, value);
      k += OCTET;
    } else {
      if (transpose)
        RowScatter(op->x[row], e, width, op->y + row, AUTOCSR_INDEX_PATTERN, value, op->conjugate);
      else
        op->y[row] = RowSum(AddendOf(op, row), e, width, op->x + row, AUTOCSR_INDEX_PATTERN, value, 4, PREFETCH_NONE);
      k++;
    }
  }
}

/* OCTET rows of several patterns, one lane a row; those that have ended are masked, and read their last entry of x again */
KERNEL void MixedOctetMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op, const Patterns *pattern, PetscBool far, PetscInt k, Entries e, AutoCSRValue value)
{
  static const PetscInt none = 0; /* the offset of rows without entries, from x on */
  const size_t          H    = seg->axes.slice_height;
  const OctetRows       r    = OctetRowsOf(seg, k);
  const PetscInt       *offset[OCTET];
  const PetscScalar    *x[OCTET];
  PetscInt              last[OCTET], shortest = PETSC_MAX_INT, longest = 0;
  Vector                sum[OCTET_VECTORS];
  LaneMask              length[OCTET_VECTORS] = {{0}};

  for (int l = 0; l < OCTET; l++) {
    const PetscInt *ptr = pattern->ptr + pattern->id[k + l], n = ptr[1] - ptr[0];

    offset[l]                    = n ? pattern->offset + ptr[0] : &none;
    x[l]                         = n ? op->x + (r.name ? r.name[l] : r.first + l) : op->x;
    last[l]                      = n ? n - 1 : 0;
    length[l / LANES][l % LANES] = n;
    shortest                     = PetscMin(shortest, n);
    longest                      = PetscMax(longest, n);
  }
  OctetLoadRows(sum, op->z, r);
  for (PetscInt t = 0; t < longest; t++) {
    if (far) EntriesPrefetchFar(EntriesFrom(e, AUTOCSR_INDEX_PATTERN, value, t * H), AUTOCSR_INDEX_PATTERN, value);
    UNROLL
    for (int p = 0; p < OCTET_VECTORS; p++) {
      Vector at, more;

#define ONE_X(l)    x[p * LANES + (l)][offset[p * LANES + (l)][t]]
#define ONE_LAST(l) x[p * LANES + (l)][offset[p * LANES + (l)][PetscMin(t, last[p * LANES + (l)])]]
      if (t < shortest)
        VECTOR_OF(at, ONE_X);
      else
        VECTOR_OF(at, ONE_LAST);
#undef ONE_X
#undef ONE_LAST
      if (t >= shortest) at = VectorSelectLonger(length[p], t, at, VectorZero());
      more   = VectorMultiplyAdd(sum[p], EntryValuesLonger(length[p], t, e, value, t * H + p * LANES), at);
      sum[p] = t < shortest ? more : VectorSelectLonger(length[p], t, more, sum[p]);
    }
  }
  OctetStoreRows(op->y, sum, r);
}

/* OCTET rows that are each of a pattern */
KERNEL void SliceOctetMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op, PetscBool far, PetscInt k, Entries e, AutoCSRValue value)
{
  const size_t   H       = seg->axes.slice_height;
  const Patterns pattern = PatternsOfSegment(seg);
  const PetscInt id      = pattern.id[k];

  if (!seg->stream[AUTOCSR_STREAM_ROWS].data && PatternsAgree(pattern.id + k))
    PatternOctetMultiply(op, far, seg->row_begin + k, pattern.offset + pattern.ptr[id], pattern.ptr[id + 1] - pattern.ptr[id], e, H, 1, value);
  else
    MixedOctetMultiply(seg, op, &pattern, far, k, e, value);
}

KERNEL void SliceOctetTranspose(const AutoCSRSegment *seg, const AutoCSROperands *op, PetscInt k, Entries e, AutoCSRValue value)
{
  const size_t   H       = seg->axes.slice_height;
  const Patterns pattern = PatternsOfSegment(seg);

  if (!seg->stream[AUTOCSR_STREAM_ROWS].data && PatternsAgree(pattern.id + k)) {
    const PetscInt id = pattern.id[k];

    PatternOctetTranspose(op, seg->row_begin + k, pattern.offset + pattern.ptr[id], pattern.ptr[id + 1] - pattern.ptr[id], e, H, 1, value);
    return;
  }
  for (PetscInt l = 0; l < OCTET; l++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k + l), id = pattern.id[k + l];
    Entries        r = EntriesFrom(e, AUTOCSR_INDEX_PATTERN, value, l);

    r.index = pattern.offset + pattern.ptr[id];
    StridedRowScatter(op->x[row], r, pattern.ptr[id + 1] - pattern.ptr[id], H, op->y + row, AUTOCSR_INDEX_PATTERN, value, op->conjugate);
  }
}

/* Transposed products of slices are scattered from the CSR, which is there too: row by row, with one entry of x for a row */
KERNEL void SlicedScatter(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  const PetscInt *row_ptr = op->csr->row_ptr;
  const Entries   all     = {.index = op->csr->col, .value = op->csr->val};

  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    RowScatter(op->x[row], EntriesFrom(all, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR, row_ptr[row]), row_ptr[row + 1] - row_ptr[row], op->y, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR, op->conjugate);
  }
}

/* strips: the kernels for slices of the host's height; patterns, which alone are transposed here, need none */
KERNEL void SlicedCoded(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRIndex index, AutoCSRValue value, PetscBool transpose, const StripKernel strips[])
{
  const PetscInt     *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const PetscInt     *base      = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data;
  const PetscInt     *row_ptr   = op->csr->row_ptr;
  const PetscInt      H         = seg->axes.slice_height;
  const Patterns      pattern   = PatternsOfSegment(seg);
  const Entries       entries   = EntriesOfSegment(seg, op->csr, index, value);
  const PetscBool     far       = seg->far;
  const AutoCSRBound *bound     = AutoCSRBoundOf(seg);
  const PetscInt      first     = strips && bound->n_strips ? bound->strip[bound->n_strips - 1].end : 0;

  if (first) StripsMultiply(seg, op, bound, entries, index, value, strips);
  for (PetscInt s = first; s < seg->n_slices; s++) {
    const PetscInt end   = PetscMin((s + 1) * H, seg->n_rows);
    const size_t   shift = index == AUTOCSR_INDEX_16 ? base[s] : 0;
    PetscInt       k     = s * H;

    for (; index == AUTOCSR_INDEX_PATTERN && k + OCTET <= end; k += OCTET) {
      const Entries e = EntriesFrom(entries, index, value, slice_ptr[s] + (k & (H - 1)));

      if (transpose)
        SliceOctetTranspose(seg, op, k, e, value);
      else
        SliceOctetMultiply(seg, op, far, k, e, value);
    }
    for (; k < end; k++) { /* the last rows, or slices of another height than the host's */
      const PetscInt row = AutoCSRSegmentRow(seg, k), length = row_ptr[row + 1] - row_ptr[row];
      const size_t   from = index == AUTOCSR_INDEX_PATTERN ? (size_t)row : shift;
      Entries        e    = EntriesFrom(entries, index, value, slice_ptr[s] + (k & (H - 1)));

      if (index == AUTOCSR_INDEX_PATTERN) e.index = pattern.offset + pattern.ptr[pattern.id[k]];
      if (transpose)
        StridedRowScatter(op->x[row], e, length, H, op->y + from, index, value, op->conjugate);
      else
        op->y[row] = StridedRowSum(AddendOf(op, row), e, length, H, op->x + from, index, value);
    }
  }
}

/* The codings of the plan; few distinct values are a case of their own, with kernels `few` */
KERNEL void SlicedMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRIndex index, AutoCSRValue value, const StripKernel strips[], const StripKernel few[])
{
#if defined(VALUE_FEW)
  if (value == AUTOCSR_VALUE_DICTIONARY && DictionaryIsFew((const PetscScalar *)seg->stream[AUTOCSR_STREAM_DICTIONARY].data)) {
    SlicedCoded(seg, op, index, VALUE_FEW, PETSC_FALSE, few);
    return;
  }
#endif
  SlicedCoded(seg, op, index, value, PETSC_FALSE, strips);
}

KERNEL void SlicedTranspose(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRIndex index, AutoCSRValue value)
{
  if (index == AUTOCSR_INDEX_PATTERN)
    SlicedCoded(seg, op, index, value, PETSC_TRUE, NULL);
  else
    SlicedScatter(seg, op);
}

#endif
