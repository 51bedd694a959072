/* The processor's steps: their state, and the functions that host.c, host_blocks.c, host_bcgs.c and host_gmres.c call of each other */
#ifndef AUTOCSR_FUSED_HOST_H
#define AUTOCSR_FUSED_HOST_H

#include "fused.h"

/* Each loop is compiled for the instruction set of most processors of today, and for any */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  #define AUTOCSR_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
  #define AUTOCSR_CLONES
#endif
#define AUTOCSR_INLINE static inline __attribute__((always_inline))

/* GCC adds up complex numbers in no other order than the source's */
#if PetscDefined(USE_COMPLEX)
  #define SIMD_SUM
  #define SIMD
#else
  #define SIMD_SUM _Pragma("omp simd reduction(+ : dot, squares)")
  #define SIMD     _Pragma("omp simd")
#endif

/* y^H x or y^T x, as the caller's `conjugate` has it */
#define TIMES(x, y) ((x) * (conjugate ? PetscConj(y) : (y)))

AUTOCSR_INLINE PetscReal Square(PetscScalar v)
{
#if PetscDefined(USE_COMPLEX)
  return PetscRealPart(v) * PetscRealPart(v) + PetscImaginaryPart(v) * PetscImaginaryPart(v);
#else
  return v * v;
#endif
}

typedef struct {
  PetscScalar dot;
  PetscReal   squares;
} Sums;

/* The sum of squares that the norm wants */
AUTOCSR_INLINE PetscReal NormTerm(AutoCSRNorm norm, PetscScalar r, PetscScalar z)
{
  return norm == AUTOCSR_NORM_RESIDUAL ? Square(r) : norm == AUTOCSR_NORM_PRECONDITIONED ? Square(z)
                                                                                         : 0;
}

/* host_blocks.c: a chunk is the most whole blocks in AUTOCSR_CHUNK rows. Intermediate results of a chunk stay in the first cache */
#define AUTOCSR_CHUNK 1024
#define FOR_EACH_CHUNK(s, first, count) \
  for (PetscInt first = 0, count; first < (s)->n && ((count = PetscMin(AUTOCSR_CHUNK - AUTOCSR_CHUNK % (s)->block, (s)->n - first)), 1); first += count)
PETSC_INTERN void AutoCSRHostBlocks(const AutoCSRSolve *, PetscInt first, PetscInt n, const PetscScalar *restrict from, PetscScalar *restrict to); /* n rows from the first one on */
PETSC_INTERN Sums AutoCSRHostBlocksStart(AutoCSRSolve *, bool product);
PETSC_INTERN Sums AutoCSRHostBlocksResidual(AutoCSRSolve *);
PETSC_INTERN void AutoCSRHostBlocksDirection(AutoCSRSolve *);
PETSC_INTERN Sums AutoCSRHostBlocksCombine(AutoCSRSolve *, const AutoCSRCombination *);

PETSC_INTERN const AutoCSRStepsBCGS  AutoCSRStepsBCGSHost;  /* host_bcgs.c */
PETSC_INTERN const AutoCSRStepsGMRES AutoCSRStepsGMRESHost; /* host_gmres.c */
PETSC_INTERN PetscErrorCode          AutoCSRHostPrecondition(AutoCSRSolve *, PetscInt from, PetscInt to);
PETSC_INTERN PetscErrorCode          AutoCSRHostReduce(AutoCSRSolve *, PetscInt n, PetscScalar sums[]); /* over the processes */

#endif
