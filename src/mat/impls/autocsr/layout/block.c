/*
  Layouts of dense, aligned b by b blocks, which have one column code each.

    block     values as in layout rows; contiguous, whole block rows
    blocked   by dense block, in a block by row (BCSR); block rows as in the CSR:
              q = b^2 (BLOCK_PTR[k / b] + t / b) + k % b * b + t % b

  INDEX has one code for each block, block row after block row. Block t of the block row that begins with row r has the code
  (row_ptr[r] - row_ptr[row_begin]) / b^2 + t. Codes are columns divided by b. 16-bit codes count from a BASE that
  slice_height block rows share. With index CSR the column of a block is the CSR's of its first entry.
*/
#include "block.h"
#include "check.h"

static PetscBool HasBlock(const AutoCSRAxes *a)
{
  return (PetscBool)(a->block > 1);
}

static PetscBool HasBlocked(const AutoCSRAxes *a)
{
  return (PetscBool)(a->order == AUTOCSR_ORDER_BLOCKED);
}

static PetscErrorCode CheckBlockAxes(const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  PetscCheck(a->order == AUTOCSR_ORDER_CSR && a->index != AUTOCSR_INDEX_PATTERN && a->mapping == AUTOCSR_MAP_LANES && a->row_group == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Blocks of %" PetscInt_FMT " rows need order csr, mapping lanes and single rows, not patterns", a->block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckBlockedAxes(const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  PetscCheck(a->block > 1 && a->index == AUTOCSR_INDEX_32 && a->value == AUTOCSR_VALUE_COPY && a->mapping == AUTOCSR_MAP_VENDOR && a->row_group == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order blocked, index 32, value copy and mapping vendor go together");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckBlockRows(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const PetscInt b = seg->axes.block;

  PetscFunctionBegin;
  PetscCheck(!seg->stream[AUTOCSR_STREAM_ROWS].data && seg->row_begin % b == 0 && seg->n_rows % b == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Blocks of %" PetscInt_FMT " rows need contiguous, whole block rows", b);
  PetscCheck(profile && profile->block_size % b == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The rows are not made of dense blocks of %" PetscInt_FMT, b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckBlockedRows(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const PetscInt b = seg->axes.block;

  PetscFunctionBegin;
  PetscCall(CheckBlockRows(seg, csr, profile));
  PetscCheck(PetscMax(csr->nnz / (b * b), csr->n / b) <= 2147483647, PETSC_COMM_SELF, PETSC_ERR_PLIB, "32 bits do not count the blocks");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* INDEX of the block row that begins with the k-th row */
static void EncodeBlockRow(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k)
{
  const PetscInt q = AutoCSRSegmentBlockSlot(seg, csr, k), blocks = AutoCSRSegmentRowLength(seg, csr, k) / seg->axes.block;
  void          *index = seg->stream[AUTOCSR_STREAM_INDEX].data;

  for (PetscInt t = 0; t < blocks; t++) {
    if (seg->axes.index == AUTOCSR_INDEX_32)
      ((uint32_t *)index)[q + t] = (uint32_t)AutoCSREncodeBlock(seg, csr, k, t);
    else
      ((uint16_t *)index)[q + t] = (uint16_t)AutoCSREncodeBlock(seg, csr, k, t);
  }
}

static PetscErrorCode EncodeBlocks(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const PetscInt b = seg->axes.block;

  PetscFunctionBegin;
  if (AutoCSRAxesHaveBase(&seg->axes)) PetscCall(AutoCSREncodeBases(seg, csr));
  if (seg->axes.index != AUTOCSR_INDEX_CSR) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, seg->nnz / (b * b)));
    for (PetscInt k = 0; k < seg->n_rows; k += b) EncodeBlockRow(seg, csr, k);
  }
  if (AutoCSRValueIsStored(seg->axes.value)) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, seg->nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EncodeBlocked(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscFunctionBegin;
  PetscCall(EncodeBlocks(seg, csr, profile));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BLOCK_PTR, seg->n_rows / seg->axes.block + 1));
  for (PetscInt i = 0; i <= seg->n_rows / seg->axes.block; i++) AutoCSREncodeBlockPtr(seg, csr, i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt BlockedSlot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt b = seg->axes.block;

  return AutoCSRSegmentBlockRowSlot(seg, csr, k - k % b) + t / b * (b * b) + k % b * b + t % b;
}

static PetscErrorCode RefreshBlocked(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt p = csr->row_ptr[seg->row_begin + k], length = csr->row_ptr[seg->row_begin + k + 1] - p;

    for (PetscInt t = 0; t < length; t++) AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[p + t], BlockedSlot(seg, csr, k, t));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt Column(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt b = seg->axes.block, first = k - k % b, q = AutoCSRSegmentBlockSlot(seg, csr, first) + t / b;
  const void    *index = seg->stream[AUTOCSR_STREAM_INDEX].data;

  if (seg->axes.index == AUTOCSR_INDEX_CSR) return csr->col[csr->row_ptr[seg->row_begin + first] + t - t % b] + t % b;
  if (seg->axes.index == AUTOCSR_INDEX_32) return (PetscInt)((const uint32_t *)index)[q] * b + t % b;
  return ((const PetscInt *)seg->stream[AUTOCSR_STREAM_BASE].data)[k / AutoCSRAxesSliceRows(&seg->axes)] + (PetscInt)((const uint16_t *)index)[q] * b + t % b;
}

static PetscErrorCode CountBlocks(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  PetscFunctionBegin;
  PetscCall(AutoCSRCountCodes(seg, i, seg->nnz, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CountBlocked(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  PetscFunctionBegin;
  PetscCall(CountBlocks(seg, csr, i, count));
  count[AUTOCSR_STREAM_BLOCK_PTR] = seg->n_rows / seg->axes.block + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks begin where those of the rows before end */
static PetscErrorCode CheckBlocked(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const uint32_t *block_ptr = (const uint32_t *)seg->stream[AUTOCSR_STREAM_BLOCK_PTR].data;
  const PetscInt  b         = seg->axes.block;

  PetscFunctionBegin;
  for (PetscInt r = 0; r <= seg->n_rows / b; r++) AutoCSRCheckSegment(AutoCSRSegmentBlockRowSlot(seg, csr, r * b) == (PetscInt)block_ptr[r] * b * b, ": block row %" PetscInt_FMT " begins with block %u", i, r, block_ptr[r]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_block   = {.name = "block", .has = HasBlock, .check_axes = CheckBlockAxes, .check_rows = CheckBlockRows, .encode = EncodeBlocks, .refresh = AutoCSREncodeValuesInOrder, .column = Column, .slot = AutoCSRSlotInOrder, .reads_row_ptr = HasBlock, .count = CountBlocks};
const AutoCSRLayout AutoCSRLayout_blocked = {.name = "blocked", .has = HasBlocked, .check_axes = CheckBlockedAxes, .check_rows = CheckBlockedRows, .encode = EncodeBlocked, .refresh = RefreshBlocked, .column = Column, .slot = BlockedSlot, .count = CountBlocked, .check = CheckBlocked};
