/*
  Dense matrices for tests of products with them.
*/
#ifndef DENSE_H
#define DENSE_H

#include "generate.h"

/* One matrix of so many, by -few; brief: the option stands without a number, as for compute-sanitizer's slower tools: the fewest widths, too */
static inline PetscErrorCode FewAsked(PetscInt *few, PetscBool *brief)
{
  PetscBool is, number;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-few", &is));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-few", few, &number));
  *brief = (PetscBool)(is && !number);
  if (*brief) *few = 12;
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Rows [begin, end) here; the columns may lie further apart than they are long; where, is up to -dense_type */
static inline PetscErrorCode DenseCreate(PetscInt begin, PetscInt end, PetscInt M, PetscInt columns, PetscInt seed, Mat *D)
{
  const PetscInt m        = end - begin;
  char           type[64] = MATDENSE;
  PetscInt       lda;
  PetscScalar   *d;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-dense_type", type, sizeof(type), NULL));
  PetscCall(MatCreate(PETSC_COMM_WORLD, D));
  PetscCall(MatSetSizes(*D, m, PETSC_DECIDE, M, columns));
  PetscCall(MatSetType(*D, type));
  if (columns % 2) PetscCall(MatDenseSetLDA(*D, m + 3));
  PetscCall(MatSetUp(*D));
  PetscCall(MatDenseGetLDA(*D, &lda));
  PetscCall(MatDenseGetArrayWrite(*D, &d));
  for (PetscInt j = 0; j < columns; j++) {
    for (PetscInt i = begin; i < end; i++) d[i - begin + j * lda] = RandomScalar(seed + j, i);
  }
  PetscCall(MatDenseRestoreArrayWrite(*D, &d));
  PetscCall(MatAssemblyBegin(*D, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*D, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Rows of three entries, one of them far away: `far` columns beyond half of them. The numbers of entries are the same whatever it is */
static inline PetscErrorCode Preallocate(Mat S, PetscInt far)
{
  PetscInt     N, begin, end, n = 0, *i, *j;
  PetscScalar *v;
  PetscLayout  layout;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(S, &N, NULL));
  PetscCall(MatGetLayouts(S, &layout, NULL));
  PetscCall(PetscLayoutSetUp(layout));
  PetscCall(PetscLayoutGetRange(layout, &begin, &end));
  PetscCall(PetscMalloc3(3 * (end - begin), &i, 3 * (end - begin), &j, 3 * (end - begin), &v));
  for (PetscInt row = begin; row < end; row++) {
    const PetscInt col[] = {row, (row + 1) % N, (row + N / 2 + far) % N};

    for (int k = 0; k < 3; k++, n++) {
      i[n] = row;
      j[n] = col[k];
      v[n] = RandomScalar(k, row);
    }
  }
  PetscCall(MatSetPreallocationCOO(S, n, i, j));
  PetscCall(MatSetValuesCOO(S, v, INSERT_VALUES));
  PetscCall(PetscFree3(i, j, v));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Bit by bit */
static inline PetscErrorCode Same(Mat A, Mat B, const char context[])
{
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatEqual(A, B, &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: other bits", context);
  PetscFunctionReturn((PetscErrorCode)0);
}

#endif
