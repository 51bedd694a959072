/*
  The matrices of the benchmark: CSR arrays (columns sorted, no duplicates) made by the generators or read from files.
*/
#ifndef BENCH_MATRICES_H
#define BENCH_MATRICES_H

#include <petscmat.h>
#include "random.h"

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

typedef struct {
  PetscInt     m, n;      /* of several ranks: the rows of this one, all columns */
  PetscInt64   rows, nnz; /* of all ranks */
  PetscInt    *row_ptr;   /* m + 1 */
  PetscInt    *col;       /* row_ptr[m] */
  PetscScalar *val;       /* row_ptr[m] */
} Csr;

typedef struct {
  double   scale; /* multiplies rows and nonzeros; 1: the full size */
  uint64_t seed;
  PetscInt draw; /* the Generator's */
} Size;

typedef struct {
  const char *name;
  PetscErrorCode (*make)(const Size *, Csr *); /* everything, or everything but the values */
  double    nnz;                               /* about, at scale 1 */
  double    diagonal;                          /* 0: values random in [0.001, 1); else constant: this on the diagonal, -1 elsewhere */
  PetscBool symmetric;                         /* random values are; a stencil's, of a diffusion in a material that differs from place to place */
  PetscInt  draw;                              /* which of the matrices that are drawn by lot */
} Generator;

extern const Generator Generators[], HeldOut[], HeldOutSecond[], HeldOutThird[]; /* each ends with a NULL name; generators.c, heldout.c and so on */

PetscErrorCode GeneratorsAsked(uint64_t seed, const Generator **);            /* by the options -heldout, -heldout_second, -heldout_third and -drawn */
PetscErrorCode DrawnSuite(PetscInt count, uint64_t seed, const Generator **); /* drawn.c */
PetscErrorCode CsrGenerate(const Generator *, const Size *, Csr *);
PetscErrorCode CsrLoad(const char file[], Csr *); /* PETSc binary */
PetscErrorCode CsrDestroy(Csr *);
PetscErrorCode CsrShare(MPI_Comm, Csr *); /* of a matrix that every rank has, each keeps its rows */
PetscInt64     CsrBytes(PetscInt m, PetscInt64 nnz);

/* Fills row i's columns, in any order and with duplicates, at most longest of them; returns how many */
typedef PetscInt (*CsrRow)(const void *ctx, PetscInt i, PetscInt col[]);

/* csr.c: the structure row by row, by all threads: no function of PETSc may be called for a row */
PetscErrorCode CsrFromRows(PetscInt m, PetscInt n, PetscInt longest, CsrRow row, const void *ctx, Csr *csr);
/* csr.c: sorts a row and removes its duplicates; returns how many are left */
PetscInt CsrSortRow(PetscInt len, PetscInt col[]);
/* csr.c: from the lengths of the rows, in place */
PetscErrorCode CsrRowPointers(PetscInt m, PetscInt row_ptr[]);

/* derived.c: neighbouring rows, as many as the seed says; the transpose, whose columns ascend */
PetscErrorCode CsrSomeRows(const Csr *, uint64_t seed, Csr *);
PetscErrorCode CsrTranspose(const Csr *, Csr *);

/* stencils.c */
PetscErrorCode Poisson3d7(const Size *, Csr *);
PetscErrorCode Poisson3d27(const Size *, Csr *);
PetscErrorCode Poisson2d5(const Size *, Csr *);
/* irregular.c */
PetscErrorCode Fem3x3(const Size *, Csr *);
PetscErrorCode PowerLaw(const Size *, Csr *);
PetscErrorCode Circuit(const Size *, Csr *);
PetscErrorCode LinearProgram(const Size *, Csr *);
PetscErrorCode LinearProgramTall(const Size *, Csr *);
PetscErrorCode Uniform16(const Size *, Csr *);
PetscErrorCode Dense2k(const Size *, Csr *);
PetscErrorCode Road(const Size *, Csr *);
PetscErrorCode Empty40(const Size *, Csr *);
/* rmat.c */
PetscErrorCode WebGraph(const Size *, Csr *);
PetscErrorCode WebGraph22(const Size *, Csr *);

static inline PetscInt Scaled(double x)
{
  return (PetscInt)PetscMax(1.0, x + 0.5);
}

#endif
