/* Layouts block and blocked, for encoders and kernels. In the common subset of C and CUDA */
#ifndef AUTOCSR_BLOCK_H
#define AUTOCSR_BLOCK_H

#include "segment.h"

/* The slots before the block row that begins with the k-th row */
AUTOCSR_HD PetscInt AutoCSRSegmentBlockRowSlot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  return csr->row_ptr[seg->row_begin + k] - csr->row_ptr[seg->row_begin];
}

/* The position in INDEX of the first block's code, for the block row that begins with the k-th row */
AUTOCSR_HD PetscInt AutoCSRSegmentBlockSlot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  return AutoCSRSegmentBlockRowSlot(seg, csr, k) / (seg->axes.block * seg->axes.block);
}

/* The code of block t, for the block row that begins with the k-th row */
AUTOCSR_HD PetscInt AutoCSREncodeBlock(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt b = seg->axes.block, col = csr->col[csr->row_ptr[seg->row_begin + k] + t * b];

  if (seg->axes.index == AUTOCSR_INDEX_32) return col / b;
  return (col - ((const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data)[k / AutoCSRAxesSliceRows(&seg->axes)]) / b;
}

/* Writes BLOCK_PTR of block row i, or of the end */
AUTOCSR_HD void AutoCSREncodeBlockPtr(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt b = seg->axes.block;

  ((uint32_t *)seg->stream[AUTOCSR_STREAM_BLOCK_PTR].data)[i] = (uint32_t)((csr->row_ptr[seg->row_begin + i * b] - csr->row_ptr[seg->row_begin]) / (b * b));
}

#endif
