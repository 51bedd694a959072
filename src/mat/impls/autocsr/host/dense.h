/*
  Products with dense matrices on the host: what each instruction set has for them.
*/
#ifndef AUTOCSR_HOST_DENSE_H
#define AUTOCSR_HOST_DENSE_H

#include "../plan/dense.h"

#define DENSE_VECTORS 4 /* of columns of a panel: their sums stay in registers */

/* Columns [first, first + columns) of C; panel: row i of B is at i & mask, vectors * lanes scalars each; there is room for whole strips of them. mask SIZE_MAX: every row has its own place */
typedef void AutoCSRHostDensePanel(const AutoCSRDenseOperands *, const AutoCSRDense *, PetscInt first, PetscInt columns, void *panel, size_t mask);

/* The same columns of X and Y, whose panel it is. sum: of each entry over the columns before first, and then with these; val: there are none behind them (else NULL) */
typedef void AutoCSRHostSampledPanel(const AutoCSRSampledOperands *, const AutoCSRDense *, PetscInt first, PetscInt columns, void *panel, size_t mask, PetscScalar sum[], PetscScalar val[]);

/* The same by adaptive tiles; rows: room for as many rows of sums, or of X, as a row panel has */
typedef void AutoCSRHostDenseAdaptive(const AutoCSRDenseOperands *, const AutoCSRDense *, PetscInt first, PetscInt columns, void *panel, size_t mask, void *rows);
typedef void AutoCSRHostSampledAdaptive(const AutoCSRSampledOperands *, const AutoCSRDense *, PetscInt first, PetscInt columns, void *panel, size_t mask, void *rows, PetscScalar sum[], PetscScalar val[]);

/* The i-th function of each kind: of up to 2^i vectors, of `lanes` scalars each */
typedef struct {
  PetscInt                    lanes;
  AutoCSRHostDensePanel      *panel[3];
  AutoCSRHostSampledPanel    *sampled[3];
  AutoCSRHostDenseAdaptive   *adaptive[3];
  AutoCSRHostSampledAdaptive *sampled_adaptive[3];
} AutoCSRHostDenseKernels;

PETSC_INTERN const AutoCSRHostDenseKernels AutoCSRHostDenseKernels_x86_64;
#if defined(__x86_64__)
PETSC_INTERN const AutoCSRHostDenseKernels AutoCSRHostDenseKernels_avx2;
PETSC_INTERN const AutoCSRHostDenseKernels AutoCSRHostDenseKernels_avx512;
#endif

/* host.c: of the chosen instruction set */
PETSC_INTERN PetscErrorCode AutoCSRHostFindDense(const char simd[], const AutoCSRHostDenseKernels **);

/* dense.c: see backend.h */
PETSC_INTERN PetscErrorCode AutoCSRHostMultDense(AutoCSRDense *, const AutoCSRDenseOperands *, PetscBool *done);
PETSC_INTERN PetscErrorCode AutoCSRHostSampleDense(AutoCSRDense *, const AutoCSRSampledOperands *);
PETSC_INTERN PetscErrorCode AutoCSRHostPackRows(PetscInt n, const PetscInt rows[], PetscInt columns, const PetscScalar B[], PetscInt ldb, PetscScalar packed[]);

#endif
