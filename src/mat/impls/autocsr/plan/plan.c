/*
  The life of a plan: segments, and the bytes they take and move.
*/
#include "plan.h"
#include "../layout/layout.h"
#include "../backend.h"

PetscErrorCode AutoCSRPlanCreate(const AutoCSRMatrix *csr, AutoCSRPlan **plan)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(plan));
  (*plan)->m       = csr->m;
  (*plan)->n       = csr->n;
  (*plan)->nnz     = csr->nnz;
  (*plan)->backend = csr->backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanDestroy(AutoCSRPlan **plan)
{
  PetscFunctionBegin;
  if (!*plan) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*plan)->launch) PetscCall((*(*plan)->backend->unbind)(*plan));
  for (PetscInt i = 0; i < (*plan)->n_segments; i++) {
    for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) PetscCall(AutoCSRStreamFree(&(*plan)->segment[i], (AutoCSRStreamKind)s));
  }
  PetscCall(AutoCSRDivisionDestroy(&(*plan)->division));
  PetscCall(PetscFree((*plan)->segment));
  PetscCall(PetscFree(*plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which choices go together */
static PetscErrorCode AxesCheck(const AutoCSRAxes *a)
{
  const AutoCSRLayout *layout   = AutoCSRLayoutOf(a);
  const PetscBool      coded    = (PetscBool)(a->order == AUTOCSR_ORDER_CSR && a->block == 1 && (a->index == AUTOCSR_INDEX_CSR || a->index == AUTOCSR_INDEX_16) && a->value != AUTOCSR_VALUE_COPY && a->value != AUTOCSR_VALUE_PATTERN);
  const PetscBool      in_place = (PetscBool)(a->order == AUTOCSR_ORDER_CSR && a->index == AUTOCSR_INDEX_CSR && (a->value == AUTOCSR_VALUE_CSR || a->value == AUTOCSR_VALUE_CONSTANT));

  PetscFunctionBegin;
  PetscCheck(layout, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order %s has no layout", AutoCSROrderNames[a->order]);
  PetscCheck(AutoCSRIsPowerOfTwo(a->slice_height), PETSC_COMM_SELF, PETSC_ERR_PLIB, "slice_height %" PetscInt_FMT " is not a power of two", a->slice_height);
  PetscCheck(a->order == AUTOCSR_ORDER_CSR || (a->index != AUTOCSR_INDEX_CSR && (a->value != AUTOCSR_VALUE_CSR || a->order == AUTOCSR_ORDER_BUNDLED)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order %s needs streams of its own, not index %s with value %s", AutoCSROrderNames[a->order], AutoCSRIndexNames[a->index], AutoCSRValueNames[a->value]);
  PetscCheck(a->order == AUTOCSR_ORDER_SLICED || a->mapping != AUTOCSR_MAP_SLICE || a->index == AUTOCSR_INDEX_PATTERN, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping slice needs order sliced or index pattern");
  PetscCheck((a->mapping == AUTOCSR_MAP_TILE || a->mapping == AUTOCSR_MAP_MERGE) == (a->partition == AUTOCSR_PARTITION_NONZEROS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Partition %s does not go with mapping %s", AutoCSRPartitionNames[a->partition], AutoCSRMappingNames[a->mapping]);
  PetscCheck(coded || !AutoCSRMappingSharesEntries(a->mapping), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping %s goes with order csr, index csr or 16, and value csr, dictionary, float32 or constant", AutoCSRMappingNames[a->mapping]);
  PetscCheck(in_place || !(a->mapping == AUTOCSR_MAP_EMPTY || a->mapping == AUTOCSR_MAP_FETCH || a->mapping == AUTOCSR_MAP_PRODUCTS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping %s has no streams of entries", AutoCSRMappingNames[a->mapping]);
  PetscCheck((a->mapping != AUTOCSR_MAP_LANES && a->order != AUTOCSR_ORDER_SLICED) || (AutoCSRIsPowerOfTwo(a->lanes) && a->lanes <= AUTOCSR_MAX_LANES), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " lanes are not a power of two up to %d", a->lanes, AUTOCSR_MAX_LANES);
  PetscCheck(a->index != AUTOCSR_INDEX_FITTED || (a->order == AUTOCSR_ORDER_SLICED && a->lanes == 1 && a->slice_height <= AUTOCSR_MAX_FIT_ROWS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Index fitted needs slices of at most %d rows, one lane each", AUTOCSR_MAX_FIT_ROWS);
  PetscCheck(a->value != AUTOCSR_VALUE_PATTERN || (a->order == AUTOCSR_ORDER_CSR && a->index == AUTOCSR_INDEX_PATTERN), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value pattern goes with order csr and index pattern, not %s and %s", AutoCSROrderNames[a->order], AutoCSRIndexNames[a->index]);
  PetscCheck(a->mapping != AUTOCSR_MAP_PLANES || (a->value == AUTOCSR_VALUE_PATTERN && a->row_group == 1 && a->sort_window <= 1 && a->tile_width >= 1 && a->tile_height >= 0 && a->tile_steps >= 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Mapping planes goes with value pattern and single rows, not sorted; planes of %" PetscInt_FMT " rows, %" PetscInt_FMT " around, reach %" PetscInt_FMT, a->tile_width, a->tile_height, a->tile_steps);
  PetscCheck(a->mapping != AUTOCSR_MAP_ROW_BLOCKS || (a->row_limit > 0 && a->row_limit < a->tile_width * a->tile_height), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Blocks of %" PetscInt_FMT " entries do not hold rows of %" PetscInt_FMT " and others", a->tile_width * a->tile_height, a->row_limit);
  PetscCheck(a->row_group == 1 || (a->order == AUTOCSR_ORDER_CSR && a->sort_window <= 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Virtual rows of %" PetscInt_FMT " rows need order csr, not sorted", a->row_group);
  PetscCheck(AutoCSROrderHasTiles(a->order) || (a->mapping != AUTOCSR_MAP_GROUP && a->partition != AUTOCSR_PARTITION_COLUMNS), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Layout %s does not go with partition columns or mapping group", layout->name);
#if defined(PETSC_USE_REAL_SINGLE)
  PetscCheck(a->value != AUTOCSR_VALUE_FLOAT32, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Value float32 narrows nothing where PetscScalar is single");
#endif
  if (layout->check_axes) PetscCall((*layout->check_axes)(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Axes that do not matter for a segment may be left 0 */
PetscErrorCode AutoCSRPlanAddSegment(AutoCSRPlan *plan, const char *strategy, const AutoCSRAxes *axes, AutoCSRSegment **segment)
{
  AutoCSRSegment *seg;

  PetscFunctionBegin;
  if (plan->n_segments == plan->max_segments) {
    plan->max_segments = PetscMax(4, 2 * plan->max_segments);
    PetscCall(PetscRealloc(plan->max_segments * sizeof(*plan->segment), &plan->segment));
  }
  seg = &plan->segment[plan->n_segments];
  PetscCall(PetscMemzero(seg, sizeof(*seg)));
  seg->backend           = plan->backend;
  seg->strategy          = strategy;
  seg->axes              = *axes;
  seg->row_set           = (AutoCSRRowSet){.end = plan->m, .longest = PETSC_MAX_INT};
  seg->axes.row_group    = PetscMax(1, axes->row_group);
  seg->axes.slice_height = PetscMax(1, axes->slice_height);
  if (axes->order == AUTOCSR_ORDER_SLICED) seg->axes.lanes = PetscMax(1, axes->lanes);
  seg->axes.block = PetscMax(1, axes->block);
  PetscCall(AxesCheck(&seg->axes));
  plan->n_segments++;
  *segment = seg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* own: bytes kept on top of the CSR, products of order propagated and sums of order popular among them; moved: bytes of one product */
PetscErrorCode AutoCSRPlanGetBytes(const AutoCSRPlan *plan, PetscInt64 *own, double *moved)
{
  PetscFunctionBegin;
  *own   = (PetscInt64)(sizeof(*plan) + plan->max_segments * sizeof(*plan->segment)) + AutoCSRDivisionBytes(plan->division);
  *moved = 0;
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    const AutoCSRLayout *layout = AutoCSRLayoutOf(&plan->segment[i].axes);

    for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) *own += (PetscInt64)plan->segment[i].stream[s].bytes;
    if (layout->keeps_scratch) *own += (PetscInt64)(*layout->scratch)(&plan->segment[i]);
    *moved += plan->segment[i].bytes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
