/*
  Kernels over slices of GROUP rows, one lane a row, in runs of slices of one width: with the width the number of turns is
  fixed, so that no branch waits for the end of a row. Sorted rows make long runs (SORT and PAD of du2022-alphasparse, Table
  II). Slots past the end of a row are masked out by the row's length, never added to a sum.
*/
#ifndef AUTOCSR_HOST_KERNELS_RUNS_H
#define AUTOCSR_HOST_KERNELS_RUNS_H

#include "kernels_csr.h"

#define RUN_SLICES  64 /* of a run, at most: one short row among them has all masked */
#define NEXT_LENGTH 4  /* mean length of rows from which on the next sorting window is asked for: shorter rows have too few lengths to be much out of order */
#define MIXED_WIDTH 4  /* wider slices are mixed where fewer than */
#define RUN_ALIKE   4  /* have one width */
#define RUN_WIDTH   8  /* up to here a width has a loop of its own, without a turn to count */

typedef enum {
  RUN_FULL,   /* slices of one width that all rows fill */
  RUN_MASKED, /* of one width */
  RUN_MIXED   /* of any widths */
} RunKind;

/* Slices [begin, end); next: see RowsToNextWindow() */
typedef struct {
  PetscInt begin, end, width, next;
  RunKind  kind;
} SliceRun;

/* Rows of a group: names, or the first of adjacent rows */
typedef struct {
  const PetscInt *name; /* NULL: adjacent */
  PetscInt        first;
} GroupRows;

KERNEL GroupRows GroupRowsOf(const AutoCSRSegment *seg, PetscInt k)
{
  const PetscInt *rows = (const PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;

  return (GroupRows){rows ? rows + k : NULL, seg->row_begin + k};
}

KERNEL void GroupLoad(Vector sum[GROUP_VECTORS], const PetscScalar *z)
{
  UNROLL
  for (int p = 0; p < GROUP_VECTORS; p++) sum[p] = z ? VectorLoad(z + p * LANES) : VectorZero();
}

KERNEL void GroupStore(PetscScalar *y, const Vector sum[GROUP_VECTORS])
{
  UNROLL
  for (int p = 0; p < GROUP_VECTORS; p++) VectorStore(y + p * LANES, sum[p]);
}

KERNEL void GroupLoadRows(Vector sum[GROUP_VECTORS], const PetscScalar *z, GroupRows r)
{
  if (!r.name || !z) {
    GroupLoad(sum, z ? z + r.first : NULL);
    return;
  }
  UNROLL
  for (int p = 0; p < GROUP_VECTORS; p++) {
#define ONE_Z(l) z[r.name[p * LANES + (l)]]
    VECTOR_OF(sum[p], ONE_Z);
#undef ONE_Z
  }
}

KERNEL void GroupStoreRows(PetscScalar *y, const Vector sum[GROUP_VECTORS], GroupRows r)
{
  if (!r.name) {
    GroupStore(y + r.first, sum);
    return;
  }
  UNROLL
  for (int l = 0; l < GROUP; l++) y[r.name[l]] = VectorLane(sum[l / LANES], l % LANES);
}

KERNEL void GroupKeptLengths(LaneMask length[GROUP_VECTORS], const uint16_t *kept)
{
  UNROLL
  for (int p = 0; p < GROUP_VECTORS; p++) length[p] = __builtin_convertvector(*(const ShortVector *)(kept + p * LANES), LaneMask);
}

KERNEL void GroupLengths(LaneMask length[GROUP_VECTORS], const PetscInt *row_ptr, GroupRows r)
{
  UNROLL
  for (int p = 0; p < GROUP_VECTORS; p++) {
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

/* Do all rows of slices [begin, end) of one width fill it? Rows sorted by length: no row is shorter than the last */
KERNEL PetscBool RunIsFull(const AutoCSRSegment *seg, const PetscInt *row_ptr, PetscInt begin, PetscInt end, PetscInt width)
{
  const GroupRows r    = GroupRowsOf(seg, begin * GROUP);
  const uint16_t *kept = (const uint16_t *)seg->stream[AUTOCSR_STREAM_LENGTH].data;

  if (!r.name) return (PetscBool)(row_ptr[r.first + (end - begin) * GROUP] - row_ptr[r.first] == (end - begin) * GROUP * width);
  if (seg->axes.sort_window % GROUP || !seg->axes.sort_window) return PETSC_FALSE;
  if (kept) return (PetscBool)(kept[end * GROUP - 1] == width);
  return (PetscBool)(row_ptr[r.name[(end - begin) * GROUP - 1] + 1] - row_ptr[r.name[(end - begin) * GROUP - 1]] == width);
}

/* Wide slices from s on whose widths change from slice to slice (of one sorting window: they descend) */
KERNEL PetscBool SlicesAreMixed(const PetscInt *slice_ptr, PetscInt s, PetscInt end, PetscInt alike)
{
  const PetscInt slots = slice_ptr[s + 1] - slice_ptr[s], next = PetscMin(s + alike, end);

  return (PetscBool)(slots > MIXED_WIDTH * GROUP && slice_ptr[next] - slice_ptr[s] != slots * (next - s));
}

/*
  The slices of one width from `begin` on, within one sorting window; or, of mixed ones, as many as follow one another: where runs end after a slice or two, to find the next
  one takes branches that no predictor knows, and that takes longer than a mask in each turn
*/
KERNEL SliceRun RunFrom(const AutoCSRSegment *seg, const PetscInt *row_ptr, const PetscInt *slice_ptr, PetscInt begin, PetscInt end)
{
  const PetscInt slots = slice_ptr[begin + 1] - slice_ptr[begin], window = seg->axes.sort_window / GROUP;
  SliceRun       run = {.begin = begin, .end = begin + 1, .width = slots / GROUP};

  end = PetscMin(end, begin + RUN_SLICES);
  if (window) end = PetscMin(end, begin - begin % window + window);
  if (SlicesAreMixed(slice_ptr, begin, end, RUN_ALIKE)) {
    run.kind = RUN_MIXED;
    while (run.end < end && SlicesAreMixed(slice_ptr, run.end, end, 2 * RUN_ALIKE)) run.end++;
    return run;
  }
  while (run.end < end && slice_ptr[run.end + 1] - slice_ptr[run.end] == slots) run.end++;
  run.kind = RunIsFull(seg, row_ptr, begin, run.end, run.width) ? RUN_FULL : RUN_MASKED;
  if (run.kind == RUN_MASKED && window && run.end - begin > 1) { /* only the last slice can have shorter rows */
    run.end--;
    run.kind = RUN_FULL;
  }
  return run;
}

/* A kernel for runs of one width, or of any (a table has the latter first); e: the entries of the run's first slice */
typedef void (*RunKernel)(const AutoCSRSegment *, const AutoCSROperands *, SliceRun, Entries, PetscBool prefetch);

/* fixed: the width where it is known at compile time, 0: it is not. What is read in the loop is in variables of its own: y could be anything */
KERNEL void RunMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op, SliceRun run, Entries e, PetscBool prefetch, AutoCSRIndex index, AutoCSRValue value, PetscInt fixed, RunKind kind)
{
  const PetscInt    *base      = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data;
  const PetscInt    *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const PetscInt    *row_ptr   = op->csr->row_ptr;
  const PetscScalar *x = op->x, *z = op->z;
  PetscScalar       *y    = op->y;
  GroupRows          r    = GroupRowsOf(seg, run.begin * GROUP);
  const uint16_t    *kept = (const uint16_t *)seg->stream[AUTOCSR_STREAM_LENGTH].data;

  for (PetscInt s = run.begin; s < run.end; s++) {
    const PetscScalar *from  = index == AUTOCSR_INDEX_16 ? x + base[s] : x;
    const PetscInt     width = fixed ? fixed : kind == RUN_MIXED ? (slice_ptr[s + 1] - slice_ptr[s]) / GROUP
                                                                 : run.width;
    Vector             sum[GROUP_VECTORS];
    LaneMask           length[GROUP_VECTORS];

    if (run.next) {
      __builtin_prefetch(x + s * GROUP + run.next, 0, 2);
      __builtin_prefetch(y + s * GROUP + run.next, 1, 2);
    }
    GroupLoadRows(sum, z, r);
    if (kind == RUN_MIXED && kept)
      GroupKeptLengths(length, kept + s * GROUP);
    else if (kind != RUN_FULL)
      GroupLengths(length, row_ptr, r);
#define TURN(t)                                                                                                                                        \
  do {                                                                                                                                                 \
    if (prefetch) EntriesPrefetchFar(EntriesFrom(e, index, value, (t)*GROUP), index, value);                                                           \
    UNROLL                                                                                                                                             \
    for (int p = 0; p < GROUP_VECTORS; p++) {                                                                                                          \
      const Vector more = VectorMultiplyAdd(sum[p], EntryValues(e, value, (t)*GROUP + p * LANES), EntryGather(e, index, (t)*GROUP + p * LANES, from)); \
      sum[p]            = kind != RUN_FULL ? VectorSelectLonger(length[p], t, more, sum[p]) : more;                                                    \
    }                                                                                                                                                  \
  } while (0)
    if (fixed) {
      UNROLL
      for (PetscInt t = 0; t < fixed; t++) TURN(t);
    } else {
      for (PetscInt t = 0; t < width; t++) TURN(t);
    }
#undef TURN
    GroupStoreRows(y, sum, r);
    e = EntriesFrom(e, index, value, width * GROUP);
    r = (GroupRows){r.name ? r.name + GROUP : NULL, r.first + GROUP};
  }
}

/*
  Rows sorted by length meet the lines of x and y in an order that the processor's own prefetch does not follow: while a sorting window is worked on, the lines of both at the next one's rows are
  asked for, one of each for a slice. Only where some rows of it have all their columns near there, and all rows are named, so that the window has adjacent ones; else 0
*/
KERNEL PetscInt RowsToNextWindow(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt slice)
{
  const PetscInt window = seg->axes.sort_window, begin = slice * GROUP + window, end = begin + window;

  if (seg->n_rows < csr->m || PetscMin(csr->m, csr->n) - window < begin || seg->nnz / NEXT_LENGTH < seg->n_rows) return 0;
  for (PetscInt row = begin + window / 4; row < end; row += window / 4) {
    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) {
      if (csr->col[p] < begin - window || csr->col[p] - window >= end) return 0;
    }
  }
  return window;
}

/* All slices [0, end) of a segment */
KERNEL void RunsMultiply(const AutoCSRSegment *seg, const AutoCSROperands *op, PetscInt end, Entries entries, AutoCSRIndex index, AutoCSRValue value, const RunKernel kernel[])
{
  const PetscInt *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const PetscBool prefetch  = seg->far;
  const PetscInt  window    = prefetch ? seg->axes.sort_window / GROUP : 0;
  SliceRun        run       = {0};
  PetscInt        next      = 0;

  for (PetscInt s = 0; s < end; s = run.end) {
    if (window && s % window == 0) next = RowsToNextWindow(seg, op->csr, s);
    run      = RunFrom(seg, op->csr->row_ptr, slice_ptr, s, end);
    run.next = next;
    kernel[run.kind != RUN_FULL ? RUN_WIDTH + run.kind : (run.width <= RUN_WIDTH ? run.width : 0)](seg, op, run, EntriesFrom(entries, index, value, slice_ptr[s]), prefetch);
  }
}

/* The table of a coding's kernels: any width, 1 to RUN_WIDTH, masked, mixed */
#define RUN_KERNEL(I, V, name, fixed, kind)                                                                                                                       \
  static __attribute__((noinline)) void Run_##I##_##V##_##name(const AutoCSRSegment *seg, const AutoCSROperands *op, SliceRun run, Entries e, PetscBool prefetch) \
  {                                                                                                                                                               \
    RunMultiply(seg, op, run, e, prefetch, AUTOCSR_INDEX_##I, RUN_VALUE_##V, fixed, kind);                                                                        \
  }
#define RUN_KERNELS(I, V)                 \
  RUN_KERNEL(I, V, any, 0, RUN_FULL)      \
  RUN_KERNEL(I, V, 1, 1, RUN_FULL)        \
  RUN_KERNEL(I, V, 2, 2, RUN_FULL)        \
  RUN_KERNEL(I, V, 3, 3, RUN_FULL)        \
  RUN_KERNEL(I, V, 4, 4, RUN_FULL)        \
  RUN_KERNEL(I, V, 5, 5, RUN_FULL)        \
  RUN_KERNEL(I, V, 6, 6, RUN_FULL)        \
  RUN_KERNEL(I, V, 7, 7, RUN_FULL)        \
  RUN_KERNEL(I, V, 8, 8, RUN_FULL)        \
  RUN_KERNEL(I, V, masked, 0, RUN_MASKED) \
  RUN_KERNEL(I, V, mixed, 0, RUN_MIXED)   \
  static const RunKernel RUNS_##I##_##V[] = {Run_##I##_##V##_any, Run_##I##_##V##_1, Run_##I##_##V##_2, Run_##I##_##V##_3, Run_##I##_##V##_4, Run_##I##_##V##_5, Run_##I##_##V##_6, Run_##I##_##V##_7, Run_##I##_##V##_8, Run_##I##_##V##_masked, Run_##I##_##V##_mixed};
#define RUN_VALUE_COPY       AUTOCSR_VALUE_COPY
#define RUN_VALUE_DICTIONARY AUTOCSR_VALUE_DICTIONARY
#define RUN_VALUE_FLOAT32    AUTOCSR_VALUE_FLOAT32
#define RUN_VALUE_CONSTANT   AUTOCSR_VALUE_CONSTANT
#define RUN_VALUE_FEW        VALUE_FEW

#endif
