/*
  Kernels over slices of OCTET rows, one lane a row, in strips of slices of one width: with the width the number of turns is
  fixed, so that no branch waits for the end of a row. Sorted rows make long strips (SORT and PAD of du2022-alphasparse, Table
  II). Slots past the end of a row are masked out by the row's length, never added to a sum.

  The planner sorts rows in windows of 16384, so that strips are long and only the last slice of a strip has shorter rows.
  Strips whose widths change from slice to slice are one loop, all turns under a mask. A predictor learns neither the next
  width nor whether rows fill it.
*/
#ifndef AUTOCSR_HOST_KERNELS_STRIPS_H
#define AUTOCSR_HOST_KERNELS_STRIPS_H

#include "../bound.h"
#include "kernels_csr.h"

#define STRIP_WIDTH 8 /* up to here a width has a loop of its own, without a turn to count */

/* Rows of a group: names, or the first of adjacent rows */
typedef struct {
  const PetscInt *name; /* NULL: adjacent */
  PetscInt        first;
} OctetRows;

KERNEL OctetRows OctetRowsOf(const AutoCSRSegment *seg, PetscInt k)
{
  const PetscInt *rows = (const PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;

  return (OctetRows){rows ? rows + k : NULL, seg->row_begin + k};
}

KERNEL void OctetLoad(Vector sum[OCTET_VECTORS], const PetscScalar *z)
{
  UNROLL
  for (int p = 0; p < OCTET_VECTORS; p++) sum[p] = z ? VectorLoad(z + p * LANES) : VectorZero();
}

KERNEL void OctetStore(PetscScalar *y, const Vector sum[OCTET_VECTORS])
{
  UNROLL
  for (int p = 0; p < OCTET_VECTORS; p++) VectorStore(y + p * LANES, sum[p]);
}

KERNEL void OctetLoadRows(Vector sum[OCTET_VECTORS], const PetscScalar *z, OctetRows r)
{
  if (!r.name || !z) {
    OctetLoad(sum, z ? z + r.first : NULL);
    return;
  }
  UNROLL
  for (int p = 0; p < OCTET_VECTORS; p++) {
#define ONE_Z(l) z[r.name[p * LANES + (l)]]
    VECTOR_OF(sum[p], ONE_Z);
#undef ONE_Z
  }
}

KERNEL void OctetStoreRows(PetscScalar *y, const Vector sum[OCTET_VECTORS], OctetRows r)
{
  if (!r.name) {
    OctetStore(y + r.first, sum);
    return;
  }
  UNROLL
  for (int l = 0; l < OCTET; l++) y[r.name[l]] = VectorLane(sum[l / LANES], l % LANES);
}

KERNEL void OctetKeptLengths(LaneMask length[OCTET_VECTORS], const uint16_t *kept)
{
  UNROLL
  for (int p = 0; p < OCTET_VECTORS; p++) length[p] = __builtin_convertvector(*(const ShortVector *)(kept + p * LANES), LaneMask);
}

KERNEL void OctetLengths(LaneMask length[OCTET_VECTORS], const PetscInt *row_ptr, OctetRows r)
{
  UNROLL
  for (int p = 0; p < OCTET_VECTORS; p++) {
    if (r.name) {
#define ONE_LENGTH(l) row_ptr[r.name[p * LANES + (l)] + 1] - row_ptr[r.name[p * LANES + (l)]]
      length[p] = (LaneMask)EACH_LANE(ONE_LENGTH);
#undef ONE_LENGTH
    } else {
      const PetscInt *ptr = row_ptr + r.first + p * LANES;

      length[p] = __builtin_convertvector(*(const IntVector *)(ptr + 1) - *(const IntVector *)ptr, LaneMask);
    }
  }
}

/* Addends and lengths of the rows of the last slice, fewer than OCTET; lanes without a row have no entries */
KERNEL void LastRowsLoad(Vector sum[OCTET_VECTORS], LaneMask length[OCTET_VECTORS], const AutoCSRSegment *seg, const AutoCSROperands *op, PetscInt k)
{
  PetscScalar z[OCTET] = {0};
  LaneInt     n[OCTET] = {0};

  for (PetscInt l = 0; k + l < seg->n_rows; l++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k + l);

    z[l] = AddendOf(op, row);
    n[l] = op->csr->row_ptr[row + 1] - op->csr->row_ptr[row];
  }
  OctetLoad(sum, z);
  memcpy(length, n, sizeof(n));
}

KERNEL void LastRowsStore(const AutoCSRSegment *seg, PetscScalar *y, const Vector sum[OCTET_VECTORS], PetscInt k)
{
  PetscScalar all[OCTET];

  OctetStore(all, sum);
  for (PetscInt l = 0; k + l < seg->n_rows; l++) y[AutoCSRSegmentRow(seg, k + l)] = all[l];
}

/* A kernel for strips of one width, or of any (a table has the latter first); e: the entries of the strip's first slice */
typedef void (*StripKernel)(const AutoCSRSegment *, const AutoCSROperands *, const AutoCSRStrip *, Entries, PetscBool prefetch);

/* fixed: the width where it is known at compile time, 0: it is not. What is read in the loop is in variables of its own: y could be anything */
KERNEL void StripMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op, const AutoCSRStrip *strip, Entries e, PetscBool prefetch, AutoCSRIndex index, AutoCSRValue value, PetscInt fixed, AutoCSRStripKind kind)
{
  const PetscInt    *base      = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data;
  const PetscInt    *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const PetscInt    *row_ptr   = op->csr->row_ptr;
  const PetscScalar *x = op->x, *z = op->z;
  PetscScalar       *y    = op->y;
  OctetRows          r    = OctetRowsOf(seg, strip->begin * OCTET);
  const uint16_t    *kept = (const uint16_t *)seg->stream[AUTOCSR_STREAM_LENGTH].data;
  const PetscInt     end = strip->end, next = strip->next, same = strip->width;

  for (PetscInt s = strip->begin; s < end; s++) {
    const PetscScalar *from  = index == AUTOCSR_INDEX_16 ? x + base[s] : x;
    const PetscInt     width = fixed ? fixed : kind == AUTOCSR_STRIP_MIXED ? (slice_ptr[s + 1] - slice_ptr[s]) / OCTET
                                                                           : same;
    Vector             sum[OCTET_VECTORS];
    LaneMask           length[OCTET_VECTORS];

    if (prefetch && next) {
      __builtin_prefetch(x + s * OCTET + next, 0, 2);
      __builtin_prefetch(y + s * OCTET + next, 1, 2);
    }
    if (kind == AUTOCSR_STRIP_LAST)
      LastRowsLoad(sum, length, seg, op, s * OCTET);
    else {
      OctetLoadRows(sum, z, r);
      if (kind == AUTOCSR_STRIP_MIXED && kept)
        OctetKeptLengths(length, kept + s * OCTET);
      else if (kind != AUTOCSR_STRIP_FULL)
        OctetLengths(length, row_ptr, r);
    }
#define TURN(t)                                                                                                                             \
  do {                                                                                                                                      \
    if (prefetch) EntriesPrefetchFar(EntriesFrom(e, index, value, (t)*OCTET), index, value);                                                \
    UNROLL                                                                                                                                  \
    for (int p = 0; p < OCTET_VECTORS; p++) {                                                                                               \
      const size_t q    = (t)*OCTET + p * LANES;                                                                                            \
      const Vector at   = kind != AUTOCSR_STRIP_FULL ? EntryGatherLonger(length[p], t, e, index, q, from) : EntryGather(e, index, q, from); \
      const Vector v    = kind != AUTOCSR_STRIP_FULL ? EntryValuesLonger(length[p], t, e, value, q) : EntryValues(e, value, q);             \
      const Vector more = VectorMultiplyAdd(sum[p], v, at);                                                                                 \
      sum[p]            = kind != AUTOCSR_STRIP_FULL ? VectorSelectLonger(length[p], t, more, sum[p]) : more;                               \
    }                                                                                                                                       \
  } while (0)
    if (fixed) {
      UNROLL
      for (PetscInt t = 0; t < fixed; t++) TURN(t);
    } else {
      for (PetscInt t = 0; t < width; t++) TURN(t);
    }
#undef TURN
    if (kind == AUTOCSR_STRIP_LAST)
      LastRowsStore(seg, y, sum, s * OCTET);
    else
      OctetStoreRows(y, sum, r);
    e = EntriesFrom(e, index, value, width * OCTET);
    r = (OctetRows){r.name ? r.name + OCTET : NULL, r.first + OCTET};
  }
}

/* All slices that strips are of */
KERNEL void StripsMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op, const AutoCSRBound *bound, Entries entries, AutoCSRIndex index, AutoCSRValue value, const StripKernel kernel[])
{
  const PetscInt *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const PetscBool prefetch  = seg->far;

  for (PetscInt i = 0; i < bound->n_strips; i++) {
    const AutoCSRStrip *strip = &bound->strip[i];

    kernel[strip->kind != AUTOCSR_STRIP_FULL ? STRIP_WIDTH + strip->kind : (strip->width <= STRIP_WIDTH ? strip->width : 0)](seg, op, strip, EntriesFrom(entries, index, value, slice_ptr[strip->begin]), prefetch);
  }
}

/* The table of a coding's kernels: any width, 1 to STRIP_WIDTH, masked, mixed, the last slice */
#define STRIP_KERNEL(I, V, name, fixed, kind)                                                                                                                                    \
  static __attribute__((noinline)) void Strip_##I##_##V##_##name(const AutoCSRSegment *seg, const AutoCSROperands *op, const AutoCSRStrip *strip, Entries e, PetscBool prefetch) \
  {                                                                                                                                                                              \
    StripMultiply(seg, op, strip, e, prefetch, AUTOCSR_INDEX_##I, STRIP_VALUE_##V, fixed, kind);                                                                                 \
  }
#define STRIP_KERNELS(I, V)                           \
  STRIP_KERNEL(I, V, any, 0, AUTOCSR_STRIP_FULL)      \
  STRIP_KERNEL(I, V, 1, 1, AUTOCSR_STRIP_FULL)        \
  STRIP_KERNEL(I, V, 2, 2, AUTOCSR_STRIP_FULL)        \
  STRIP_KERNEL(I, V, 3, 3, AUTOCSR_STRIP_FULL)        \
  STRIP_KERNEL(I, V, 4, 4, AUTOCSR_STRIP_FULL)        \
  STRIP_KERNEL(I, V, 5, 5, AUTOCSR_STRIP_FULL)        \
  STRIP_KERNEL(I, V, 6, 6, AUTOCSR_STRIP_FULL)        \
  STRIP_KERNEL(I, V, 7, 7, AUTOCSR_STRIP_FULL)        \
  STRIP_KERNEL(I, V, 8, 8, AUTOCSR_STRIP_FULL)        \
  STRIP_KERNEL(I, V, masked, 0, AUTOCSR_STRIP_MASKED) \
  STRIP_KERNEL(I, V, mixed, 0, AUTOCSR_STRIP_MIXED)   \
  STRIP_KERNEL(I, V, last, 0, AUTOCSR_STRIP_LAST)     \
  static const StripKernel STRIPS_##I##_##V[] = {Strip_##I##_##V##_any, Strip_##I##_##V##_1, Strip_##I##_##V##_2, Strip_##I##_##V##_3, Strip_##I##_##V##_4, Strip_##I##_##V##_5, Strip_##I##_##V##_6, Strip_##I##_##V##_7, Strip_##I##_##V##_8, Strip_##I##_##V##_masked, Strip_##I##_##V##_mixed, Strip_##I##_##V##_last};
#define STRIP_VALUE_COPY       AUTOCSR_VALUE_COPY
#define STRIP_VALUE_DICTIONARY AUTOCSR_VALUE_DICTIONARY
#define STRIP_VALUE_FLOAT32    AUTOCSR_VALUE_FLOAT32
#define STRIP_VALUE_CONSTANT   AUTOCSR_VALUE_CONSTANT
#define STRIP_VALUE_FEW        VALUE_FEW

#endif
