/*
  inode: runs of rows with the same columns (the i-nodes of MATAIJ), whose columns are read once, and whose values stay where the CSR has them. It is what is left of dense blocks where
  some unknowns are fixed and left out, or where points have unknowns in different numbers; and where rows are short, blocks take longer for their ends.
    variants  columns of 16 bits from each node's first where they fit, else 32. On a processor only: a device reads slices nearly as fast,
              because it lacks neither instructions nor, with 16-bit columns, bandwidth
    cost      columns of one row in each node; a start-up for each row, and its end where lengths change
    build     one pass over the columns, which are compared as the profile did
*/
#include "preset.h"
#include "../layout/nodes.h"

static double rows_of_node(const AutoCSRProblem *problem)
{
  return problem->range.node_entries > 0 ? problem->range.nnz / problem->range.node_entries : 1;
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  AutoCSRAxes  axes = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_16, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_NODES, .row_group = 1};
  const double rows = rows_of_node(problem);

  PetscFunctionBegin;
  *n   = 0;
  *why = "a device has no executor for it: it reads slices nearly as fast";
  if (problem->parallel) PetscFunctionReturn(PETSC_SUCCESS);
  *why = "few neighbouring rows have the same columns";
  if (rows < problem->traits->node_rows) PetscFunctionReturn(PETSC_SUCCESS);
  *why       = "the settings ask for a coding that inode does not have";
  axes.width = problem->range.nnz < (double)AUTOCSR_NODE_SHORT * problem->range.rows;
  axes.lanes = PetscMax(2, PetscMin(AUTOCSR_NODE_ROWS, (PetscInt)(rows + 0.5)));
  if (problem->profile->row_span < 65536) AutoCSRVariantAdd(problem, &axes, max, list, n);
  axes.index = AUTOCSR_INDEX_32;
  AutoCSRVariantAdd(problem, &axes, max, list, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  const AutoCSRRange range = problem->range;
  const double       more  = range.nodes * sizeof(AutoCSRNode) - (range.nnz - range.node_entries) * AutoCSRStreamElementSize(axes, AUTOCSR_STREAM_INDEX); /* than a column for each entry */

  PetscFunctionBegin;
  *n = 1;
  AutoCSRCostFill(problem, axes, range.rows, range.nnz, range.nnz, 0, 0, segment);
  segment->bytes += more;
  segment->own_bytes += more;
  segment->build += 2 * more;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text, len, "runs of about %.2g rows with the same columns, kept once, in %s bits", rows_of_node(problem), AutoCSRIndexNames[axes->index]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_inode = {"inode", "the i-nodes of MATAIJ", PETSC_FALSE, variants, cost, NULL, describe};
