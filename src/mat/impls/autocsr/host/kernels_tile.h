/*
  The speculative segmented sum (liu2015, 3.2 and Appendix A): tiles of equal numbers of nonzeros of plain CSR. A bunch of
  tile_steps tiles depends on no other: its first row's share, if that row began before it, goes through the synchronizer.
*/
#ifndef AUTOCSR_HOST_KERNELS_TILE_H
#define AUTOCSR_HOST_KERNELS_TILE_H

#include "streams.h"
#include "host.h"

/* The last row whose entries begin at or before `boundary` (the rightmost match of the paper's binary search) */
KERNEL PetscInt TileFindRow(const PetscInt *row_ptr, PetscInt lo, PetscInt hi, PetscInt boundary)
{
  while (hi - lo > 1) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (row_ptr[mid] <= boundary)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

KERNEL void TileRun(const AutoCSRSegment *seg, const AutoCSROperands *op)
{
  const PetscInt *row_ptr = op->csr->row_ptr;
  const PetscInt  tile = seg->axes.tile_width * seg->axes.tile_height, bunch = tile * seg->axes.tile_steps;
  const PetscInt  end_row = seg->row_begin + seg->n_rows, end = row_ptr[end_row];
  const Entries   all = {.index = op->csr->col, .value = op->csr->val};
  PetscScalar     product[AUTOCSR_HOST_MAX_TILE];

  for (PetscInt row = seg->row_begin; row < end_row && row_ptr[row] == row_ptr[row + 1] && row_ptr[row] == row_ptr[seg->row_begin]; row++) op->y[row] = AddendOf(op, row);
  for (PetscInt first = row_ptr[seg->row_begin]; first < end; first += bunch) {
    const PetscInt bunch_end    = end - first < bunch ? end : first + bunch;
    PetscInt       start        = TileFindRow(row_ptr, seg->row_begin, end_row, first);
    const PetscInt cut_row      = row_ptr[start] < first ? start : -1; /* begun in an earlier bunch */
    PetscScalar    synchronizer = 0, transmitter = 0;

    for (PetscInt begin = first; begin < bunch_end; begin += tile) {
      const PetscInt size = PetscMin(tile, bunch_end - begin);
      const Entries  e    = EntriesFrom(all, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR, begin);
      PetscInt       j = 0, row = start, compact = 0;

      for (; j + LANES <= size; j += LANES) VectorStore(product + j, VectorMultiplyAdd(VectorZero(), EntryValues(e, AUTOCSR_VALUE_CSR, j), EntryGather(e, AUTOCSR_INDEX_CSR, j, op->x)));
      for (; j < size; j++) product[j] = ScalarMultiplyAdd(0, EntryValue(e, AUTOCSR_VALUE_CSR, j), op->x[EntryColumn(e, AUTOCSR_INDEX_CSR, j)]);

      /* Segmented sum: the sums of the rows that end in this tile, compactly into the front of the buffer */
      for (j = 0; row < end_row && row_ptr[row + 1] <= begin + size; row++) {
        const PetscInt row_end = row_ptr[row + 1] - begin;

        if (row_end > j) {
          PetscScalar sum = transmitter;

          transmitter = 0;
          for (; j < row_end; j++) sum += product[j];
          product[compact++] = sum;
        }
      }
      for (; j < size; j++) transmitter += product[j];

      j = 0;
      if (start == cut_row && row > start) synchronizer = product[j++];
      for (PetscInt r = start + j; r < row; r++) {
        if (compact == row - start)
          op->y[r] = AddendOf(op, r) + product[r - start]; /* clean */
        else if (row_ptr[r] == row_ptr[r + 1])
          op->y[r] = AddendOf(op, r); /* dirty: past its empty rows */
        else
          op->y[r] = AddendOf(op, r) + product[j++];
      }
      start = row;
    }
    if (row_ptr[start] < bunch_end && start < end_row) { /* goes on in the next bunch */
      if (start == cut_row)
        synchronizer = transmitter;
      else
        op->y[start] = AddendOf(op, start) + transmitter;
    }
    if (cut_row >= 0) op->y[cut_row] += synchronizer;
  }
}

#endif
