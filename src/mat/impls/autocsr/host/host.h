/*
  The host's executors: one table for each instruction set, the best that the processor has taken at run time.
*/
#ifndef AUTOCSR_HOST_H
#define AUTOCSR_HOST_H

#include "../backend.h"

#define AUTOCSR_HOST_MAX_TILE 1024 /* largest tile_width * tile_height; the width must be 8 and the height a power of two */

/* The portable executor of this id; NULL if there is none */
PETSC_INTERN const AutoCSRExecutor *AutoCSRHostExecutorOf(int id);
/* The executor for these axes in the chosen instruction set; NULL if there is none */
PETSC_INTERN PetscErrorCode AutoCSRHostFindExecutor(const AutoCSRAxes *, const char simd[], const AutoCSRExecutor **);
/* The instruction sets of this processor, "x86-64" first, the fastest and NULL last; simd "auto" means the fastest */
PETSC_INTERN const char *const *AutoCSRHostInstructionSets(void);

/* stopwatch.c: see backend.h */
PETSC_INTERN PetscErrorCode AutoCSRHostWatchBegin(AutoCSRStopwatch *);
PETSC_INTERN PetscErrorCode AutoCSRHostWatchEnd(AutoCSRStopwatch *);
PETSC_INTERN PetscErrorCode AutoCSRHostWatchRead(AutoCSRStopwatch *, double *);
PETSC_INTERN PetscErrorCode AutoCSRHostWatchForget(AutoCSRStopwatch *);

/* memory.c: see backend.h */
PETSC_INTERN PetscErrorCode AutoCSRHostIdentify(AutoCSRIdentity *);
PETSC_INTERN PetscErrorCode AutoCSRHostReadMemory(AutoCSRMemoryReading *, PetscBool *done);
/* Bytes of it that are one core's; as on most processors if the system does not tell */
PETSC_INTERN double AutoCSRHostSecondCache(void);

#endif
