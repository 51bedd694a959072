/*
  WORK: where the work of each thread block begins, for mappings MERGE and ROW_BLOCKS. In the common subset of C and CUDA: a
  loop runs these functions on the host, a kernel on a device.
*/
#ifndef AUTOCSR_WORK_H
#define AUTOCSR_WORK_H

#include "segment.h"

/*
  MAP_ROW_BLOCKS: how many row blocks begin with the k-th row. A long row has row blocks of its own. Another row begins one
  if it passes a multiple of the entries that leave room for the last row. So the answer depends on the row and the one
  before it alone
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

/* Writes WORK of the row blocks that begin with the k-th row; the first of them is block b */
AUTOCSR_HD void AutoCSREncodeWork(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt b)
{
  const PetscInt most = seg->axes.tile_width * seg->axes.tile_height, blocks = AutoCSREncodeRowBlocks(seg, csr, k);
  PetscInt      *work = (PetscInt *)seg->stream[AUTOCSR_STREAM_WORK].data + 2 * b;

  for (PetscInt i = 0; i < blocks; i++) {
    *work++ = seg->row_begin + k;
    *work++ = csr->row_ptr[seg->row_begin + k] + i * most;
  }
}

/*
  MAP_MERGE: writes WORK of thread block b, the rows and entries that come before its part of the path. On the path a row
  ends before the next row's entries
*/
AUTOCSR_HD void AutoCSREncodeMergeWork(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt b)
{
  const PetscInt64 steps   = (PetscInt64)b * seg->axes.tile_width * seg->axes.tile_height; /* rows and entries together */
  const PetscInt  *row_ptr = csr->row_ptr + seg->row_begin;
  PetscInt        *work    = (PetscInt *)seg->stream[AUTOCSR_STREAM_WORK].data + 2 * b;
  PetscInt         lo = steps > seg->nnz ? (PetscInt)(steps - seg->nnz) : 0, hi = steps < seg->n_rows ? (PetscInt)steps : seg->n_rows;

  while (lo < hi) { /* finds the first row that does not end before this step */
    const PetscInt mid = lo + (hi - lo) / 2;

    if (row_ptr[mid + 1] - row_ptr[0] <= steps - 1 - mid)
      lo = mid + 1;
    else
      hi = mid;
  }
  work[0] = seg->row_begin + lo;
  work[1] = row_ptr[0] + (PetscInt)(steps - lo);
}

/* Writes the end of WORK */
AUTOCSR_HD void AutoCSREncodeWorkEnd(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt blocks)
{
  PetscInt *work = (PetscInt *)seg->stream[AUTOCSR_STREAM_WORK].data + 2 * blocks;

  work[0] = seg->row_begin + seg->n_rows;
  work[1] = csr->row_ptr[seg->row_begin + seg->n_rows];
}

/* layout/work.c */
PETSC_INTERN PetscInt64     AutoCSRSegmentMergeBlocks(const AutoCSRSegment *);
PETSC_INTERN PetscErrorCode AutoCSRSegmentAllocateWork(AutoCSRSegment *, PetscInt64 blocks); /* WORK */
PETSC_INTERN PetscErrorCode AutoCSRWorkEncode(AutoCSRSegment *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRWorkCheck(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i);

#endif
