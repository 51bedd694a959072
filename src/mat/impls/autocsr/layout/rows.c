/*
  Layout rows: rows as in the CSR, whose columns and values are read in place or have codes of their own. The head of a
  layout's file tells the position q in INDEX and VALUE of entry t of the segment's k-th row. Here

    q = row_ptr[row] + t - row_ptr[row_begin]

  and a segment with codes of its own must be contiguous. 16-bit codes count from a BASE that slice_height rows share or, where
  thread blocks share out entries, AutoCSRAxesBaseEntries() entries.
*/
#include "work.h"
#include "check.h"

static PetscBool Has(const AutoCSRAxes *a)
{
  return (PetscBool)(a->order == AUTOCSR_ORDER_CSR);
}

static PetscErrorCode EncodeIndex(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt *row_ptr = csr->row_ptr + seg->row_begin, *col = csr->col + row_ptr[0];
  const PetscInt *base = (const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data, share = AutoCSRAxesBaseEntries(&seg->axes);
  const void     *index;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, seg->nnz));
  index = seg->stream[AUTOCSR_STREAM_INDEX].data;
  for (PetscInt q = 0; q < seg->nnz && seg->axes.index == AUTOCSR_INDEX_32; q++) ((uint32_t *)index)[q] = (uint32_t)col[q];
  for (PetscInt q = 0; q < seg->nnz && share; q++) ((uint16_t *)index)[q] = (uint16_t)(col[q] - base[q / share]);
  for (PetscInt k = 0; k < seg->n_rows && seg->axes.index == AUTOCSR_INDEX_16 && !share; k++) {
    for (PetscInt q = row_ptr[k] - row_ptr[0]; q < row_ptr[k + 1] - row_ptr[0]; q++) ((uint16_t *)index)[q] = (uint16_t)(col[q] - base[k / seg->axes.slice_height]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscFunctionBegin;
  if (AutoCSRAxesBaseEntries(&seg->axes))
    PetscCall(AutoCSREncodeShareBases(seg, csr));
  else if (AutoCSRAxesHaveBase(&seg->axes))
    PetscCall(AutoCSREncodeBases(seg, csr));
  if (seg->axes.index != AUTOCSR_INDEX_CSR) PetscCall(EncodeIndex(seg, csr));
  if (AutoCSRValueIsStored(seg->axes.value)) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, seg->nnz));
  if (AutoCSRMappingHasWork(seg->axes.mapping)) PetscCall(AutoCSRWorkEncode(seg, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt Column(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  if (seg->axes.index == AUTOCSR_INDEX_CSR) return csr->col[csr->row_ptr[AutoCSRSegmentRow(seg, k)] + t];
  return AutoCSRDecodeIndex(seg, k, AutoCSRSlotInOrder(seg, csr, k, t));
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  PetscFunctionBegin;
  PetscCall(AutoCSRCountCodes(seg, i, seg->nnz, count));
  if (AutoCSRMappingHasWork(seg->axes.mapping)) count[AUTOCSR_STREAM_WORK] = 2 * AutoCSRSegmentWorkBlocks(seg) + 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  PetscFunctionBegin;
  if (AutoCSRMappingHasWork(seg->axes.mapping)) PetscCall(AutoCSRWorkCheck(seg, csr, i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_rows = {.name = "rows", .has = Has, .encode = Encode, .refresh = AutoCSREncodeValuesInOrder, .column = Column, .slot = AutoCSRSlotInOrder, .reads_row_ptr = Has, .count = Count, .check = Check};
