/* The stretches of a segment's rows: found and checked */
#include "stretches.h"
#include "check.h"
#include "../backend.h"

/* How many there are; one more than `most` if that is not all */
static PetscInt FindStretches(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt most, AutoCSRStretch stretch[])
{
  PetscInt n = 0;

  for (PetscInt k = 0; k < seg->n_rows; k++) {
    const PetscInt length = AutoCSRSegmentRowLength(seg, csr, k);

    if (n && stretch[n - 1].length == length) continue;
    if (n == most) return most + 1;
    stretch[n++] = (AutoCSRStretch){k, length};
  }
  return n;
}

PetscErrorCode AutoCSRStretchesEncode(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const AutoCSRStream *rows = &seg->stream[AUTOCSR_STREAM_ROWS];
  const PetscInt       most = PetscMin(seg->axes.stretches, AUTOCSR_MAX_STRETCHES);
  AutoCSRSegment       host = *seg;
  AutoCSRMatrix        here = *csr;
  AutoCSRStretch       stretch[AUTOCSR_MAX_STRETCHES];
  PetscInt            *row_ptr, *names, n;

  PetscFunctionBegin;
  if (!most || !seg->n_rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(csr->m + 1, &row_ptr, rows->bytes / sizeof(*names), &names));
  PetscCall((*seg->backend->to_host)(row_ptr, csr->row_ptr, (size_t)(csr->m + 1) * sizeof(*row_ptr)));
  if (rows->data) PetscCall((*seg->backend->to_host)(names, rows->data, rows->bytes));
  here.row_ptr = row_ptr;
  if (rows->data) host.stream[AUTOCSR_STREAM_ROWS].data = names;
  n = FindStretches(&host, &here, most, stretch);
  PetscCall(PetscFree2(row_ptr, names));
  if (n > most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_STRETCH, n));
  PetscCall((*seg->backend->from_host)(seg->stream[AUTOCSR_STREAM_STRETCH].data, stretch, (size_t)n * sizeof(*stretch)));
  seg->bytes = AutoCSRSegmentBytesMoved(seg, csr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRStretchesCheck(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const AutoCSRStretch *stretch = (const AutoCSRStretch *)seg->stream[AUTOCSR_STREAM_STRETCH].data;
  const PetscInt        n       = AutoCSRSegmentStretches(seg);
  AutoCSRStretch        own[AUTOCSR_MAX_STRETCHES];
  PetscInt              stretches;

  PetscFunctionBegin;
  if (!seg->axes.stretches) PetscFunctionReturn(PETSC_SUCCESS);
  stretches = FindStretches(seg, csr, PetscMin(seg->axes.stretches, AUTOCSR_MAX_STRETCHES), own);
  AutoCSRCheckSegment(n == (stretches > seg->axes.stretches || stretches > AUTOCSR_MAX_STRETCHES ? 0 : stretches), " has %" PetscInt_FMT " stretches, its rows have %" PetscInt_FMT " and its axes allow %" PetscInt_FMT, i, n, stretches, seg->axes.stretches);
  for (PetscInt s = 0; s < n; s++) AutoCSRCheckSegment(stretch[s].first == own[s].first && stretch[s].length == own[s].length, ": stretch %" PetscInt_FMT " has rows of %" PetscInt_FMT " entries from place %" PetscInt_FMT " on, the rows have %" PetscInt_FMT " from %" PetscInt_FMT, i, s, stretch[s].length, stretch[s].first, own[s].length, own[s].first);
  PetscFunctionReturn(PETSC_SUCCESS);
}
