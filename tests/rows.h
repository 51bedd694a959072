/*
  Matrices for tests of planning: told row by row, as many rows and columns on each process as one likes, and a matrix
  of ours beside plain AIJ of the same rows.
*/
#ifndef ROWS_H
#define ROWS_H

#include <petscautocsr.h>
#include "compare.h"

#define MOST_IN_ROW 40

/* Row i of a matrix of n columns: returns how many entries. Values are there, random ones, and may be replaced */
typedef PetscInt (*RowFunction)(PetscInt i, PetscInt n, PetscInt col[MOST_IN_ROW], PetscScalar val[MOST_IN_ROW]);

/* 1 to 5 entries, other values in each */
static inline PetscInt ShortRow(PetscInt i, PetscInt n, PetscInt col[MOST_IN_ROW], PetscScalar val[MOST_IN_ROW])
{
  const PetscInt length = 1 + i * 7 % 5;

  (void)val;
  for (PetscInt k = 0; k < length; k++) col[k] = (i + k * k * (n / 3 + 1)) % n;
  return length;
}

/* m and n are this process's */
static inline PetscErrorCode CreateByRows(MPI_Comm comm, MatType type, PetscInt m, PetscInt n, RowFunction row, Mat *A)
{
  PetscInt    begin, end, columns, col[MOST_IN_ROW];
  PetscScalar val[MOST_IN_ROW];

  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, m, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, MOST_IN_ROW, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, MOST_IN_ROW, NULL, MOST_IN_ROW, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  PetscCall(MatGetSize(*A, NULL, &columns));
  for (PetscInt i = begin; i < end; i++) {
    PetscInt length;

    for (PetscInt k = 0; k < MOST_IN_ROW; k++) val[k] = RandomScalar(i, k);
    length = row(i, columns, col, val);
    PetscCall(MatSetValues(*A, 1, &i, length, col, val, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* *A is planned progressively; r->A is plain */
static inline PetscErrorCode CreateBoth(MPI_Comm comm, PetscInt m, PetscInt n, RowFunction row, Reference *r, Mat *A)
{
  Mat plain;

  PetscFunctionBeginUser;
  PetscCall(CreateByRows(comm, MATAIJ, m, n, row, &plain));
  PetscCall(ReferenceCreate(plain, r));
  PetscCall(CreateByRows(comm, MATAUTOCSR, m, n, row, A));
  PetscCall(MatAutoCSRSetProgressive(*A, PETSC_TRUE));
  PetscFunctionReturn((PetscErrorCode)0);
}

#endif
