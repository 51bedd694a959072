/*
  The invariants of a plan: each row once, each nonzero once, streams that decode to the CSR bit for bit, codes of padding
  zero, sizes that agree. For debug builds and tests.
*/
#include "plan.h"
#include "../layout/check.h"
#include "../layout/stretches.h"
#include "../backend.h"

static PetscErrorCode CheckSizes(const AutoCSRLayout *layout, const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const AutoCSRAxes *a = &seg->axes;
  PetscInt64         count[AUTOCSR_STREAM_COUNT];

  PetscFunctionBegin;
  for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) count[s] = -1;
  if (seg->stream[AUTOCSR_STREAM_ROWS].data) {
    AutoCSRCheckSegment(seg->row_begin == 0, " names its rows but begins at row %" PetscInt_FMT, i, seg->row_begin);
    count[AUTOCSR_STREAM_ROWS] = seg->n_rows / a->row_group + (seg->n_rows % a->row_group != 0);
  }
  if (AutoCSRValueDictionary(a->value)) count[AUTOCSR_STREAM_DICTIONARY] = AutoCSRValueDictionary(a->value);
  PetscCall((*layout->count)(seg, csr, i, count));
  if (seg->stream[AUTOCSR_STREAM_STRETCH].data) count[AUTOCSR_STREAM_STRETCH] = AutoCSRSegmentStretches(seg);
  for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) {
    AutoCSRCheckSegment((count[s] >= 0) == (seg->stream[s].data != NULL), " %s a stream %s that its axes %s", i, count[s] < 0 ? "has" : "lacks", AutoCSRStreamNames[s], count[s] < 0 ? "do not use" : "need");
    AutoCSRCheckSegment(count[s] < 0 || seg->stream[s].bytes == (size_t)count[s] * AutoCSRStreamElementSize(a, (AutoCSRStreamKind)s), " has %zu bytes in stream %s of %" PetscInt64_FMT " elements", i, seg->stream[s].bytes, AutoCSRStreamNames[s], count[s]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a segment whose sizes agree; seen: rows that others have covered */
static PetscErrorCode CheckRows(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, char seen[])
{
  PetscInt nnz = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k);

    AutoCSRCheckSegment(row >= 0 && row < csr->m, ": row %" PetscInt_FMT " is not in [0, %" PetscInt_FMT ")", i, row, csr->m);
    AutoCSRCheckSegment(!seen[row], ": row %" PetscInt_FMT " is covered twice", i, row);
    seen[row] = 1;
    nnz += csr->row_ptr[row + 1] - csr->row_ptr[row];
  }
  AutoCSRCheckSegment(nnz == seg->nnz, " counts %" PetscInt_FMT " nonzeros, its rows have %" PetscInt_FMT, i, seg->nnz, nnz);
  AutoCSRCheckSegment(nnz == 0 || seg->axes.mapping != AUTOCSR_MAP_EMPTY, " of empty rows has %" PetscInt_FMT " nonzeros", i, nnz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRow(const AutoCSRLayout *layout, const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt k)
{
  const PetscInt row = AutoCSRSegmentRow(seg, k), begin = csr->row_ptr[row], length = csr->row_ptr[row + 1] - begin;

  PetscFunctionBegin;
  for (PetscInt t = 0; t < length; t++) {
    const PetscInt    col   = (*layout->column)(seg, csr, k, t);
    const PetscScalar value = AutoCSRDecodeValue(layout, seg, csr, k, t);

    AutoCSRCheckSegment(col == csr->col[begin + t], ": entry %" PetscInt_FMT " of row %" PetscInt_FMT " decodes to column %" PetscInt_FMT ", not %" PetscInt_FMT, i, t, row, col, csr->col[begin + t]);
    AutoCSRCheckSegment(AutoCSRBitsEqual(AutoCSRBitsOf(&value), AutoCSRBitsOf(&csr->val[begin + t])), ": entry %" PetscInt_FMT " of row %" PetscInt_FMT " does not decode to its value", i, t, row);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The slot in which decoding finds a value is said to have it, and no others are said to have any */
static PetscErrorCode CheckValuePlaces(const AutoCSRLayout *layout, const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt *place = (const PetscInt *)seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data, slots = (PetscInt)(seg->stream[AUTOCSR_STREAM_VALUE_PLACE].bytes / sizeof(PetscInt));
  PetscInt        left = seg->nnz;

  PetscFunctionBegin;
  for (PetscInt k = 0; place && k < seg->n_rows; k++) {
    const PetscInt row = AutoCSRSegmentRow(seg, k), begin = csr->row_ptr[row];

    for (PetscInt q = begin; q < csr->row_ptr[row + 1]; q++) {
      const PetscInt slot = (*layout->slot)(seg, csr, k, q - begin);

      AutoCSRCheckSegment(place[slot] == q, ": entry %" PetscInt_FMT " of row %" PetscInt_FMT " is in place %" PetscInt_FMT ", but its slot is said to have that in %" PetscInt_FMT, i, q - begin, row, q, place[slot]);
    }
  }
  for (PetscInt slot = 0; slot < slots; slot++) left -= place[slot] >= 0;
  AutoCSRCheckSegment(!place || left == 0, ": slots are said to have %" PetscInt_FMT " values for %" PetscInt_FMT, i, seg->nnz - left, seg->nnz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Segments of these entries, which csr has, cover each row */
static PetscErrorCode CheckSegments(const AutoCSRPlan *plan, AutoCSRNearness nearness, const AutoCSRMatrix *csr)
{
  PetscInt rows = 0;
  char    *seen;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(csr->m, &seen));
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    const AutoCSRSegment *seg    = &plan->segment[i];
    const AutoCSRLayout  *layout = AutoCSRLayoutOf(&seg->axes);

    if (seg->row_set.nearness != nearness) continue;
    PetscCall(CheckSizes(layout, seg, csr, i));
    PetscCall(CheckRows(seg, csr, i, seen));
    PetscCall(AutoCSRStretchesCheck(seg, csr, i));
    if (layout->check) PetscCall((*layout->check)(seg, csr, i)); /* first: decoding goes by these streams */
    for (PetscInt k = 0; k < seg->n_rows; k++) PetscCall(CheckRow(layout, seg, csr, i, k));
    PetscCall(CheckValuePlaces(layout, seg, csr, i));
    rows += seg->n_rows;
  }
  PetscCheck(rows == csr->m, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " of %" PetscInt_FMT " rows are covered", rows, csr->m);
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part has what the matrix has, as far as it is kept, and its segments come in their order: near ones first */
static PetscErrorCode CheckPart(const AutoCSRPlan *plan, AutoCSRNearness nearness, const AutoCSRMatrix *csr)
{
  const AutoCSRMatrix *part  = &plan->division->part[nearness - 1];
  AutoCSRMatrix        fresh = *csr;
  PetscBool            same, same_col = PETSC_TRUE, same_val = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(AutoCSRMatrixDivide_Host(csr, plan->division->reach, nearness, &fresh));
  PetscCall(PetscArraycmp(part->row_ptr, fresh.row_ptr, fresh.m + 1, &same));
  if (part->col) PetscCall(PetscArraycmp(part->col, fresh.col, fresh.nnz, &same_col));
  if (part->val) PetscCall(PetscArraycmp(part->val, fresh.val, fresh.nnz, &same_val));
  PetscCheck(same && same_col && same_val, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The %s entries of the plan are not those of the matrix", nearness == AUTOCSR_NEARNESS_NEAR ? "near" : "far");
  for (PetscInt i = 0; i + 1 < plan->n_segments; i++) AutoCSRCheckSegment(plan->segment[i].row_set.nearness <= plan->segment[i + 1].row_set.nearness, " of far entries comes before one of near ones", i);
  PetscCall(CheckSegments(plan, nearness, &fresh));
  PetscCall(AutoCSRMatrixCopyDestroy(&fresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckOnHost(const AutoCSRPlan *plan, const AutoCSRMatrix *csr)
{
  PetscFunctionBegin;
  PetscCheck(plan->m == csr->m && plan->n == csr->n && plan->nnz == csr->nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The plan is of another structure");
  if (plan->division) {
    PetscCall(CheckPart(plan, AUTOCSR_NEARNESS_NEAR, csr));
    PetscCall(CheckPart(plan, AUTOCSR_NEARNESS_FAR, csr));
  } else
    PetscCall(CheckSegments(plan, AUTOCSR_NEARNESS_ANY, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanCheck(const AutoCSRPlan *plan, const AutoCSRMatrix *csr)
{
  AutoCSRMatrix host_csr;
  AutoCSRPlan  *host_plan;

  PetscFunctionBegin;
  if (csr->backend == &AutoCSRBackendHost) {
    PetscCall(CheckOnHost(plan, csr));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRMatrixCopy(csr, &AutoCSRBackendHost, &host_csr));
  PetscCall(AutoCSRPlanCopy(plan, &AutoCSRBackendHost, &host_plan));
  PetscCall(CheckOnHost(host_plan, &host_csr));
  PetscCall(AutoCSRPlanDestroy(&host_plan));
  PetscCall(AutoCSRMatrixCopyDestroy(&host_csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
