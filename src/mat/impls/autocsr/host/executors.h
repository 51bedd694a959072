/*
  The host's tables of executors, one for each instruction set: private to host/.
*/
#ifndef AUTOCSR_HOST_EXECUTORS_H
#define AUTOCSR_HOST_EXECUTORS_H

#include "host.h"

/* The axes that an executor is for; lanes 0: any; blocks: of any size and with any index. What it makes of the others it reads in the segment */
typedef struct {
  AutoCSROrder    order;
  AutoCSRIndex    index;
  AutoCSRValue    value;
  AutoCSRMapping  mapping;
  PetscInt        lanes;
  AutoCSRExecutor executor;
  PetscBool       blocks;
} AutoCSRHostExecutor;

/* Each ends with a name that is NULL */
PETSC_INTERN const AutoCSRHostExecutor AutoCSRHostExecutors_x86_64[];
#if defined(__x86_64__)
PETSC_INTERN const AutoCSRHostExecutor AutoCSRHostExecutors_avx2[];
PETSC_INTERN const AutoCSRHostExecutor AutoCSRHostExecutors_avx512[];
  #if !defined(PETSC_USE_COMPLEX) /* of complex scalars a load takes both parts */
    #define AUTOCSR_HOST_GATHER
PETSC_INTERN const AutoCSRHostExecutor AutoCSRHostExecutors_avx512_gather[];
PETSC_INTERN PetscBool                 AutoCSRHostGatherIsFast(void); /* on a processor that has AVX-512 */
  #endif
#endif

/* ways.c: one that gathers x the other way */
PETSC_INTERN const AutoCSRExecutor *AutoCSRHostOtherWay(const AutoCSRExecutor *);

/* bound.c */
PETSC_INTERN PetscErrorCode AutoCSRHostBind(AutoCSRPlan *, const AutoCSRMatrix *);
PETSC_INTERN PetscErrorCode AutoCSRHostUnbind(AutoCSRPlan *);

#endif
