/*
  Rows sorted by length: a radix sort, so that equal rows keep their order.
*/
#include "profile.h"

PetscErrorCode AutoCSRSortRowsByLength(const PetscInt row_ptr[], PetscInt n, PetscInt rows[], PetscInt work[])
{
  PetscInt  longest = 0, shortest = PETSC_MAX_INT, previous = PETSC_MAX_INT;
  PetscInt *from = rows, *to = work;
  PetscBool sorted = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt length = row_ptr[rows[k] + 1] - row_ptr[rows[k]];

    longest  = PetscMax(longest, length);
    shortest = PetscMin(shortest, length);
    if (length > previous) sorted = PETSC_FALSE;
    previous = length;
  }
  if (sorted) PetscFunctionReturn(PETSC_SUCCESS);
  for (int shift = 0; shift < (int)(8 * sizeof(PetscInt)) && (longest - shortest) >> shift; shift += 8) {
    PetscInt  begin[257] = {0};
    PetscInt *swap;

    for (PetscInt k = 0; k < n; k++) begin[(((longest - (row_ptr[from[k] + 1] - row_ptr[from[k]])) >> shift) & 255) + 1]++;
    for (int d = 0; d < 256; d++) begin[d + 1] += begin[d];
    for (PetscInt k = 0; k < n; k++) to[begin[((longest - (row_ptr[from[k] + 1] - row_ptr[from[k]])) >> shift) & 255]++] = from[k];
    swap = from;
    from = to;
    to   = swap;
  }
  if (from != rows) PetscCall(PetscArraycpy(rows, from, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
