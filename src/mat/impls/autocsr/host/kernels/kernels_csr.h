/*
  Kernels over rows in CSR order: hou2017 III-B (serial, subvector, vector) as numbers of partial sums of a row, and runs of
  rows with one pattern, eight rows at a time.
*/
#ifndef AUTOCSR_HOST_KERNELS_CSR_H
#define AUTOCSR_HOST_KERNELS_CSR_H

#include "streams.h"

/* s + row times x, the row's n entries read from e on, in `lanes` partial sums which are then added pairwise */
KERNEL PetscScalar RowSum(PetscScalar s, Entries e, PetscInt n, const PetscScalar *x, AutoCSRIndex index, AutoCSRValue value, int lanes, Prefetch prefetch)
{
  PetscInt t = 0;

  if (lanes >= 2 * LANES && lanes > 4) {
    enum {
      MOST = 8
    };
    const int parts = lanes / LANES < MOST ? lanes / LANES : MOST;
    Vector    sum[MOST];

    if (n >= parts * LANES) {
      UNROLL
      for (int p = 0; p < parts; p++) sum[p] = VectorZero();
      for (; t + parts * LANES <= n; t += parts * LANES) {
        UNROLL
        for (int p = 0; p < parts; p++) {
          EntriesPrefetchAs(prefetch, EntriesFrom(e, index, value, t + p * LANES), index, value);
          sum[p] = VectorMultiplyAdd(sum[p], EntryValues(e, value, t + p * LANES), EntryGather(e, index, t + p * LANES, x));
        }
      }
      UNROLL
      for (int half = parts / 2; half; half /= 2) {
        UNROLL
        for (int p = 0; p < half; p++) sum[p] = VectorAdd(sum[p], sum[p + half]);
      }
      s += VectorSum(sum[0]);
    }
  }
  if (lanes >= LANES && lanes > 4 && n - t >= LANES) {
    Vector sum = VectorZero();

    for (; t + LANES <= n; t += LANES) {
      EntriesPrefetchAs(prefetch, EntriesFrom(e, index, value, t), index, value);
      sum = VectorMultiplyAdd(sum, EntryValues(e, value, t), EntryGather(e, index, t, x));
    }
    s += VectorSum(sum);
  }
  if (lanes >= 2 && n - t >= 2) {
    const int   parts  = lanes < 4 ? 2 : 4;
    PetscScalar sum[4] = {0, 0, 0, 0};

    for (; t + parts <= n; t += parts) {
      UNROLL
      for (int p = 0; p < parts; p++) sum[p] = ScalarMultiplyAdd(sum[p], EntryValue(e, value, t + p), x[EntryColumn(e, index, t + p)]);
    }
    s += (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }
  for (; t < n; t++) s = ScalarMultiplyAdd(s, EntryValue(e, value, t), x[EntryColumn(e, index, t)]);
  return s;
}

/* y[col] += row times xr */
KERNEL void RowScatter(PetscScalar xr, Entries e, PetscInt n, PetscScalar *y, AutoCSRIndex index, AutoCSRValue value, PetscBool conjugate)
{
  for (PetscInt t = 0; t < n; t++) {
    const size_t c = EntryColumn(e, index, t);

    y[c] = ScalarMultiplyAdd(y[c], ScalarConjugateIf(EntryValue(e, value, t), conjugate), xr);
  }
}

enum {
  LINE = 64 / sizeof(PetscScalar) /* values of a cache line */
};

typedef struct {
  PetscInt begin, end;
} RowRange;

/* The i-th range of adjacent rows: all of a contiguous segment, or a virtual row of hou2017; PETSC_FALSE past the last */
KERNEL PetscBool SegmentRange(const AutoCSRSegment *seg, PetscInt i, RowRange *range)
{
  const PetscInt *rows = (const PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
  const PetscInt  U    = rows ? seg->axes.row_group : seg->n_rows;
  const PetscInt  left = seg->n_rows - i * U;

  if (left <= 0) return PETSC_FALSE;
  range->begin = rows ? rows[i] * U : seg->row_begin;
  range->end   = range->begin + PetscMin(U, left);
  return PETSC_TRUE;
}

/* Rows [begin, end) of the names, or of the matrix where there are none (NULL). The vectors are in variables of their own: y could be anything */
KERNEL void RowsMultiply(const AutoCSROperands *op, const PetscInt *names, RowRange range, Entries e, size_t first, PetscInt reach, Prefetch prefetch, const PetscScalar *x, AutoCSRIndex index, AutoCSRValue value, int lanes)
{
  const PetscInt    *row_ptr = op->csr->row_ptr;
  const PetscScalar *z       = op->z;
  PetscScalar       *y       = op->y;

  for (PetscInt k = range.begin; k < range.end; k++) {
    const PetscInt row = names ? names[k] : k;
    const Entries  r   = EntriesFrom(e, index, value, row_ptr[row] - first);
    const PetscInt n   = row_ptr[row + 1] - row_ptr[row];

    if (reach) EntriesPrefetch(r, index, value); /* by the mean length, not by n: a branch on n would be one more to mispredict */
    if (reach > LINE) EntriesPrefetch(EntriesFrom(r, index, value, LINE), index, value);
    y[row] = RowSum(z ? z[row] : (PetscScalar)0, r, n, x, index, value, lanes, prefetch);
  }
}

KERNEL void RowsTranspose(const AutoCSROperands *op, RowRange range, Entries e, size_t first, PetscScalar *y, AutoCSRIndex index, AutoCSRValue value, PetscBool conjugate)
{
  const PetscInt *row_ptr = op->csr->row_ptr;

  for (PetscInt row = range.begin; row < range.end; row++) RowScatter(op->x[row], EntriesFrom(e, index, value, row_ptr[row] - first), row_ptr[row + 1] - row_ptr[row], y, index, value, conjugate);
}

/* reach and prefetch are constants where nothing is prefetched */
KERNEL void CSRMultiplyAs(const AutoCSRSegment *seg, const AutoCSROperands *op, PetscInt reach, Prefetch prefetch, AutoCSRIndex index, AutoCSRValue value, int lanes)
{
  const PetscInt *base  = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data;
  const PetscInt *rows  = (const PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
  const size_t    first = op->csr->row_ptr[seg->row_begin];
  const Entries   e     = EntriesOfSegment(seg, op->csr, index, value);
  RowRange        range;

  if (rows && seg->axes.row_group == 1 && index != AUTOCSR_INDEX_16) {
    RowsMultiply(op, rows, (RowRange){0, seg->n_rows}, e, first, reach, prefetch, op->x, index, value, lanes);
    return;
  }
  for (PetscInt i = 0; SegmentRange(seg, i, &range); i++) {
    if (index == AUTOCSR_INDEX_16) {
      const PetscInt H = seg->axes.slice_height;

      for (PetscInt begin = range.begin; begin < range.end; begin += H) RowsMultiply(op, NULL, (RowRange){begin, PetscMin(begin + H, range.end)}, e, first, reach, prefetch, op->x + *base++, index, value, lanes);
    } else {
      RowsMultiply(op, NULL, range, e, first, reach, prefetch, op->x, index, value, lanes);
    }
  }
}

KERNEL void CSRMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRIndex index, AutoCSRValue value, int lanes)
{
  if (seg->far) { /* lines of x that are read at random between the entries of long rows mislead the processor's own prefetch */
    const PetscInt reach = PrefetchReach(seg);

    CSRMultiplyAs(seg, op, reach, reach ? PREFETCH_NONE : PREFETCH_NEAR, index, value, lanes);
  } else
    CSRMultiplyAs(seg, op, 0, PREFETCH_NONE, index, value, lanes);
}

KERNEL void CSRTranspose(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRIndex index, AutoCSRValue value)
{
  const PetscInt *base  = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data;
  const size_t    first = op->csr->row_ptr[seg->row_begin];
  const Entries   e     = EntriesOfSegment(seg, op->csr, index, value);
  RowRange        range;

  for (PetscInt i = 0; SegmentRange(seg, i, &range); i++) {
    if (index == AUTOCSR_INDEX_16) {
      const PetscInt H = seg->axes.slice_height;

      for (PetscInt begin = range.begin; begin < range.end; begin += H) RowsTranspose(op, (RowRange){begin, PetscMin(begin + H, range.end)}, e, first, op->y + *base++, index, value, op->conjugate);
    } else {
      RowsTranspose(op, range, e, first, op->y, index, value, op->conjugate);
    }
  }
}

#endif
