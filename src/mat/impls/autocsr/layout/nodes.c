/*
  Layout nodes: neighbouring rows with the same columns share their codes (mapping NODES). INDEX has the columns of each
  node's first row, from NODE's `code` on; 16-bit codes count from the node's base. Values are the CSR's.
*/
#include "nodes.h"
#include "check.h"

static PetscBool Has(const AutoCSRAxes *a)
{
  return (PetscBool)(a->mapping == AUTOCSR_MAP_NODES);
}

static PetscErrorCode CheckAxes(const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  PetscCheck(a->order == AUTOCSR_ORDER_CSR && (a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16) && a->value == AUTOCSR_VALUE_CSR && a->row_group == 1 && a->block == 1 && a->sort_window <= 1 && a->lanes >= 1 && a->lanes <= AUTOCSR_NODE_ROWS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping nodes goes with order csr, index 32 or 16, value csr and single rows, not sorted, %" PetscInt_FMT " to a node", a->lanes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the nodes as the profile found them */
static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const PetscInt row_end = seg->row_begin + seg->n_rows;
  PetscInt       nodes = 0, codes = 0, end;
  AutoCSRNode   *node;

  PetscFunctionBegin;
  for (PetscInt row = seg->row_begin; row < row_end; row = end, nodes++) {
    end = AutoCSRNodeEnd(csr, row, row_end);
    codes += csr->row_ptr[row + 1] - csr->row_ptr[row];
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_NODE, nodes + 1));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, codes));
  node  = (AutoCSRNode *)seg->stream[AUTOCSR_STREAM_NODE].data;
  codes = 0;
  for (PetscInt row = seg->row_begin; row < row_end; row = end, node++) {
    const PetscInt begin = csr->row_ptr[row], length = csr->row_ptr[row + 1] - begin, base = seg->axes.index == AUTOCSR_INDEX_16 && length ? csr->col[begin] : 0;

    end = AutoCSRNodeEnd(csr, row, row_end);
    PetscCheck(seg->axes.index != AUTOCSR_INDEX_16 || !length || csr->col[begin + length - 1] - base < 65536, PETSC_COMM_SELF, PETSC_ERR_PLIB, "16 bits do not hold the columns of row %" PetscInt_FMT, row);
    *node = (AutoCSRNode){row, codes, base};
    for (PetscInt t = 0; t < length; t++) {
      if (seg->axes.index == AUTOCSR_INDEX_16)
        ((uint16_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[codes + t] = (uint16_t)(csr->col[begin + t] - base);
      else
        ((uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[codes + t] = (uint32_t)csr->col[begin + t];
    }
    codes += length;
  }
  *node = (AutoCSRNode){row_end, codes, 0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt Column(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const AutoCSRNode *node  = (const AutoCSRNode *)seg->stream[AUTOCSR_STREAM_NODE].data;
  const void        *index = seg->stream[AUTOCSR_STREAM_INDEX].data;
  PetscInt           lo = 0, hi = AutoCSRSegmentNodes(seg);

  while (hi - lo > 1) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (node[mid].row <= seg->row_begin + k)
      lo = mid;
    else
      hi = mid;
  }
  if (seg->axes.index == AUTOCSR_INDEX_32) return (PetscInt)((const uint32_t *)index)[node[lo].code + t];
  return node[lo].base + (PetscInt)((const uint16_t *)index)[node[lo].code + t];
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  const AutoCSRStream *node = &seg->stream[AUTOCSR_STREAM_NODE];

  PetscFunctionBegin;
  AutoCSRCheckSegment(node->bytes >= sizeof(AutoCSRNode), " is not encoded", i);
  count[AUTOCSR_STREAM_NODE]  = AutoCSRSegmentNodes(seg) + 1;
  count[AUTOCSR_STREAM_INDEX] = ((const AutoCSRNode *)node->data)[AutoCSRSegmentNodes(seg)].code;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const AutoCSRNode *node  = (const AutoCSRNode *)seg->stream[AUTOCSR_STREAM_NODE].data;
  const PetscInt     nodes = AutoCSRSegmentNodes(seg);
  AutoCSRNode        last  = {seg->row_begin, 0, 0};

  PetscFunctionBegin;
  for (PetscInt k = 0; k <= nodes; k++, node++) {
    AutoCSRCheckSegment(node->row == last.row && node->code == last.code, ": node %" PetscInt_FMT " begins with row %" PetscInt_FMT " and code %" PetscInt_FMT ", not %" PetscInt_FMT " and %" PetscInt_FMT, i, k, node->row, node->code, last.row, last.code);
    if (k == nodes) break;
    AutoCSRCheckSegment(node[1].row > node->row && node[1].row - node->row <= AUTOCSR_NODE_ROWS && node[1].row <= seg->row_begin + seg->n_rows, ": node %" PetscInt_FMT " has rows %" PetscInt_FMT " to %" PetscInt_FMT, i, k, node->row, node[1].row);
    for (PetscInt row = node->row + 1; row < node[1].row; row++) AutoCSRCheckSegment(csr->row_ptr[row + 1] - csr->row_ptr[row] == csr->row_ptr[row] - csr->row_ptr[row - 1], ": rows of node %" PetscInt_FMT " differ in length", i, k);
    last.row  = node[1].row;
    last.code = node->code + csr->row_ptr[node->row + 1] - csr->row_ptr[node->row];
  }
  AutoCSRCheckSegment(last.row == seg->row_begin + seg->n_rows, ": nodes end at row %" PetscInt_FMT ", not %" PetscInt_FMT, i, last.row, seg->row_begin + seg->n_rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_nodes = {.name = "nodes", .has = Has, .check_axes = CheckAxes, .encode = Encode, .column = Column, .reads_row_ptr = Has, .count = Count, .check = Check};
