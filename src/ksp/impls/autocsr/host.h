/* The processor's steps: their state, and the functions that host.c, host_bcgs.c and host_gmres.c call of each other */
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

PETSC_INTERN const AutoCSRStepsBCGS  AutoCSRStepsBCGSHost;  /* host_bcgs.c */
PETSC_INTERN const AutoCSRStepsGMRES AutoCSRStepsGMRESHost; /* host_gmres.c */
PETSC_INTERN PetscErrorCode          AutoCSRHostPrecondition(AutoCSRSolve *, PetscInt from, PetscInt to);
PETSC_INTERN PetscErrorCode          AutoCSRHostReduce(AutoCSRSolve *, PetscInt n, PetscScalar sums[]); /* over the processes */

#endif
