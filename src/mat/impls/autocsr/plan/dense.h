/*
  Products with dense matrices, C = A B, whose columns lie one after the other as PETSc has them, and of dense matrices sampled where A has
  entries, A .* (X Y^T) (hong2019, 2.1 and 2.2: SpMM and SDDMM). An entry of A meets as many
  scalars as B has columns, which are side by side only in a row: so panels of a few columns of B are copied row by row, and a
  panel is multiplied at once, by rows of A in their order. Where rows are taken one after the other, a row of B is copied when
  the first row of A has an entry for it, and its place is another's once the last row has: of a banded matrix the panel is no
  longer than the band is wide, and stays in a cache.
*/
#ifndef AUTOCSR_DENSE_H
#define AUTOCSR_DENSE_H

#include "plan.h"

/* Entries of a block of rows, where rows are worked on at once: by panels, and where columns of B are read as they lie. A row of more than a quarter of them has blocks of its own */
#define AUTOCSR_DENSE_ENTRIES   1024
#define AUTOCSR_DENSE_ALONGSIDE 1536

/* Where they are taken one after the other: rows at a time, of A and of B */
#define AUTOCSR_DENSE_CHUNK 64

typedef struct {
  const AutoCSRMatrix *csr;
  PetscInt             columns, ldb, ldc;
  PetscInt             longest;   /* no row has more entries */
  PetscBool            alongside; /* rows that follow each other have columns that do, too: where rows are worked on at once B is best read as it lies */
  const PetscScalar   *B;         /* csr->n by columns */
  PetscScalar         *C;         /* csr->m by columns, written */
  const char          *simd;      /* as AutoCSRSettings has it, for the host */
} AutoCSRDenseOperands;

/* val[q] = csr->val[q] times the product of row i of X and row j of Y, neither conjugated, of the q-th entry (i, j); val may be csr->val */
typedef struct {
  const AutoCSRMatrix *csr;
  PetscInt             columns, ldx, ldy;
  PetscBool            alongside; /* as above, of rows of Y */
  const PetscScalar   *X, *Y;     /* csr->m, csr->n by columns */
  PetscScalar         *val;
  const char          *simd;
} AutoCSRSampledOperands;

/* What stays from one product to the next, once a backend has asked for it: good for any values of a matrix, and for any B */
typedef struct {
  const AutoCSRBackend *backend;
  AutoCSRPlan          *blocks;  /* where blocks of rows begin: WORK of its only segment, */
  PetscInt              entries; /* of so many entries each, at most */
  PetscInt             *last;    /* of each chunk of rows: 1 + the last column that it has, or a chunk before it; */
  PetscInt              window;  /* and as many rows of B as there must be room for at a time */
  void                 *panel;   /* memory that is touched for the first time takes as long as it takes to fill it */
  size_t                panel_bytes;
} AutoCSRDense;

PETSC_INTERN PetscErrorCode AutoCSRDenseCreate(const AutoCSRBackend *, AutoCSRDense **);
PETSC_INTERN PetscErrorCode AutoCSRDenseFindBlocks(AutoCSRDense *, const AutoCSRMatrix *, PetscInt entries); /* `blocks`, where rows are worked on at once */
PETSC_INTERN PetscErrorCode AutoCSRDenseFindBand(AutoCSRDense *, const AutoCSRMatrix *);                     /* `last` and `window`, on the host */
PETSC_INTERN PetscErrorCode AutoCSRDenseDestroy(AutoCSRDense **);
PETSC_INTERN PetscErrorCode AutoCSRDenseGetPanel(AutoCSRDense *, size_t bytes, void **); /* so many at least */

#endif
