/* WORK on the host */
#include "work.h"
#include "check.h"

/* Equal parts of the merge path. AutoCSRSegmentAllocateWork() fails if a PetscInt does not count them */
PetscInt64 AutoCSRSegmentMergeBlocks(const AutoCSRSegment *seg)
{
  const PetscInt64 steps = (PetscInt64)seg->axes.tile_width * seg->axes.tile_height;

  return ((PetscInt64)seg->n_rows + seg->nnz + steps - 1) / steps;
}

PetscErrorCode AutoCSRSegmentAllocateWork(AutoCSRSegment *seg, PetscInt64 blocks)
{
  PetscFunctionBegin;
  PetscCheck(blocks < PETSC_MAX_INT / 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt64_FMT " blocks are more than a PetscInt counts in pairs; use 64-bit indices", blocks);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_WORK, 2 * (PetscInt)blocks + 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRWorkEncode(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  PetscInt64 blocks = 0;
  PetscInt   b      = 0;

  PetscFunctionBegin;
  if (seg->axes.mapping == AUTOCSR_MAP_MERGE) {
    blocks = AutoCSRSegmentMergeBlocks(seg);
    PetscCall(AutoCSRSegmentAllocateWork(seg, blocks));
    for (; b < blocks; b++) AutoCSREncodeMergeWork(seg, csr, b);
    AutoCSREncodeWorkEnd(seg, csr, b);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt k = 0; k < seg->n_rows; k++) blocks += AutoCSREncodeRowBlocks(seg, csr, k);
  PetscCall(AutoCSRSegmentAllocateWork(seg, blocks));
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    AutoCSREncodeWork(seg, csr, k, b);
    b += AutoCSREncodeRowBlocks(seg, csr, k);
  }
  AutoCSREncodeWorkEnd(seg, csr, b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Thread blocks follow one another from the first row to the last, take no more entries than they have room for, and cut long rows only */
PetscErrorCode AutoCSRWorkCheck(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt  most = seg->axes.tile_width * seg->axes.tile_height, end_row = seg->row_begin + seg->n_rows;
  const PetscInt *work = (const PetscInt *)seg->stream[AUTOCSR_STREAM_WORK].data;
  PetscInt        row = seg->row_begin, entry = csr->row_ptr[row];

  PetscFunctionBegin;
  for (PetscInt b = 0; b <= AutoCSRSegmentWorkBlocks(seg); b++, work += 2) {
    const PetscBool is_end = (PetscBool)(b == AutoCSRSegmentWorkBlocks(seg));

    AutoCSRCheckSegment(b ? work[0] >= row && work[0] <= end_row && work[1] >= entry && work[1] - entry <= most : work[0] == row && work[1] == entry, ": block %" PetscInt_FMT " begins at row %" PetscInt_FMT " and entry %" PetscInt_FMT, i, b, work[0], work[1]);
    row   = work[0];
    entry = work[1];
    AutoCSRCheckSegment(is_end ? row == end_row : row < end_row, ": block %" PetscInt_FMT " begins at row %" PetscInt_FMT ", its rows end at %" PetscInt_FMT, i, b, row, end_row);
    if (seg->axes.mapping == AUTOCSR_MAP_MERGE)
      AutoCSRCheckSegment(is_end || ((PetscInt64)row - seg->row_begin + entry - csr->row_ptr[seg->row_begin] == (PetscInt64)b * most && entry >= csr->row_ptr[row] && entry <= csr->row_ptr[row + 1]), ": block %" PetscInt_FMT " begins at row %" PetscInt_FMT " and entry %" PetscInt_FMT ", off the merge path", i, b, row, entry);
    else
      AutoCSRCheckSegment(entry == csr->row_ptr[row] || (!is_end && csr->row_ptr[row + 1] - csr->row_ptr[row] > most && entry < csr->row_ptr[row + 1] && (entry - csr->row_ptr[row]) % most == 0 && work[-2] == row), ": block %" PetscInt_FMT " cuts row %" PetscInt_FMT " at entry %" PetscInt_FMT, i, b, row, entry);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
