/*
  Order DIAGONAL: which diagonals the patterns of a segment reach, and where each lies in VALUE (the diagonal storage of
  symmetric stencils; design.md 3).
*/
#include "encode.h"

/* An odd number of lines: diagonals a power of two apart would meet in a few sets of a cache */
PetscInt AutoCSRDiagonalSlots(const AutoCSRAxes *axes, PetscInt rows)
{
  const PetscInt slots = AUTOCSR_LINE / (PetscInt)AutoCSRStreamElementSize(axes, AUTOCSR_STREAM_VALUE);

  return slots * ((rows / slots + (rows % slots > 0)) | 1);
}

/* PATTERN_PLACE, and how many slots VALUE has; nearest diagonals first */
PetscErrorCode AutoCSRSegmentEncodeDiagonals_Host(AutoCSRSegment *seg, PetscInt64 *slots)
{
  const PetscInt  entries = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data)[seg->n_patterns];
  const PetscInt *offset  = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data;
  const PetscInt  each    = AutoCSRDiagonalSlots(&seg->axes, seg->n_rows);
  PetscInt        n       = entries, *diagonal, *place;
  PetscErrorCode  ierr; /* to be out of memory is one that the caller lives with */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(entries, &diagonal));
  for (PetscInt i = 0; i < entries; i++) diagonal[i] = PetscAbsInt(offset[i]);
  PetscCall(PetscSortRemoveDupsInt(&n, diagonal));
  *slots = (PetscInt64)n * each;
  ierr   = AutoCSRSegmentCheckSlots(seg, *slots);
  if (!ierr) ierr = AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_PLACE, entries);
  if (ierr) PetscCall(PetscFree(diagonal));
  PetscCall(ierr);
  place = (PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PLACE].data;
  for (PetscInt i = 0; i < entries; i++) {
    PetscInt d;

    PetscCall(PetscFindInt(PetscAbsInt(offset[i]), n, diagonal, &d));
    place[i] = d * each + PetscMin(offset[i], 0);
  }
  PetscCall(PetscFree(diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}
