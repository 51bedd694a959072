/*
  Are the values symmetric, bit by bit? A few rows spread over the matrix are looked at before the others, and the
  comparison ends with the first value that is not: what is not symmetric costs nothing, unless it nearly is.
*/
#include "passes.h"
#include "dictionary.h"
#include "../backend.h"
#include <petscbt.h>

#define SAMPLE 64 /* rows, about */
#define HINTS  32 /* entries of a row for which it is kept where the last row found their mirror images: in a stencil at the same place */

/* Where entry (row, col) is, PETSC_MAX_INT if there is none */
static PetscInt FindEntry(const AutoCSRMatrix *csr, PetscInt row, PetscInt col, PetscInt *hint)
{
  PetscInt lo = csr->row_ptr[row], hi = csr->row_ptr[row + 1];

  if (*hint < hi - lo && csr->col[lo + *hint] == col) return lo + *hint;
  while (lo < hi) {
    const PetscInt mid = lo + (hi - lo) / 2;

    if (csr->col[mid] < col)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (lo == csr->row_ptr[row + 1] || csr->col[lo] != col) return PETSC_MAX_INT;
  *hint = lo - csr->row_ptr[row];
  return lo;
}

/* Has each entry of the row below the diagonal its image above it? balance: entries above less those below */
static PetscBool RowIsSymmetric(const AutoCSRMatrix *csr, PetscInt row, PetscInt hint[], PetscInt *balance)
{
  const PetscInt begin = csr->row_ptr[row], end = csr->row_ptr[row + 1];
  PetscInt       q = begin;

  for (; q < end && csr->col[q] < row; q++) {
    const PetscInt image = FindEntry(csr, csr->col[q], row, &hint[(q - begin) % HINTS]);

    if (image == PETSC_MAX_INT || !AutoCSRBitsEqual(AutoCSRBitsOf(&csr->val[q]), AutoCSRBitsOf(&csr->val[image]))) return PETSC_FALSE;
  }
  *balance += end - q - (q < end && csr->col[q] == row) - (q - begin);
  return PETSC_TRUE;
}

/* As many entries above the diagonal as images of those below: all are images */
PetscBool AutoCSRValuesAreSymmetric(const AutoCSRMatrix *csr)
{
  PetscInt hint[HINTS] = {0}, balance = 0;

  if (csr->m != csr->n) return PETSC_FALSE;
  for (PetscInt64 row = 0; row < csr->m; row += csr->m / SAMPLE + 1) {
    if (!RowIsSymmetric(csr, (PetscInt)row, hint, &balance)) return PETSC_FALSE;
  }
  balance = 0;
  for (PetscInt row = 0; row < csr->m; row++) {
    if (!RowIsSymmetric(csr, row, hint, &balance)) return PETSC_FALSE;
  }
  return (PetscBool)!balance;
}

/* The diagonals that the patterns reach on one side, with the main one; counted up to one more than `most` */
static PetscErrorCode CountDiagonals(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, double most, PetscInt *n)
{
  PetscBT reached;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscBTCreate(profile->bandwidth + 1, &reached));
  for (PetscInt p = 0; p < profile->patterns && *n <= most; p++) {
    const PetscInt row = profile->pattern_row[p];

    for (PetscInt q = csr->row_ptr[row]; q < csr->row_ptr[row + 1]; q++) *n += !PetscBTLookupSet(reached, PetscAbsInt(csr->col[q] - row));
  }
  PetscCall(PetscBTDestroy(&reached));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only where every row has a pattern of the dictionary, and at least half of what the diagonals above the main one have room for is there */
PetscErrorCode AutoCSRProfileSymmetry(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  const double most = profile->mean_length + 1;
  PetscInt     rows = 0, n;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < profile->zones; c++) rows += profile->zone[c].pattern_rows;
  if (!profile->pattern_id || rows < csr->m || csr->m != csr->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CountDiagonals(csr, profile, most, &n));
  if (n <= most && AutoCSRValuesAreSymmetric(csr)) profile->diagonals = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
