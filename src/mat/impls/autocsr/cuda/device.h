/*
  What the files of cuda/ share. C++ and kernels stay in this room; the others see AutoCSRBackendCUDA.
*/
#ifndef AUTOCSR_DEVICE_H
#define AUTOCSR_DEVICE_H

#include "../backend.h"
#include <petscdevice_cuda.h>

#define AUTOCSR_DEVICE_SLICE_HEIGHT 32 /* a warp */

/* What is not on a stream beside it (planner.h, staging.h) runs on PETSc's stream: work on it needs no synchronization with PETSc's own */
#define AUTOCSR_STREAM PetscDefaultCudaStream

/* A call that may want memory of the device: a kernel is loaded when it is launched for the first time. Without it PETSC_ERR_MEM, with which planning goes on */
#define AutoCSRCallCUDA(call)                                                                 \
  do {                                                                                        \
    const cudaError_t cuda_error = (call);                                                    \
                                                                                              \
    if (cuda_error == cudaErrorMemoryAllocation) {                                            \
      (void)cudaGetLastError(); /* or the next check would find it */                         \
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "The device has no memory left for %s", #call); \
    }                                                                                         \
    PetscCallCUDA(cuda_error);                                                                \
  } while (0)

/* figures.cu: which device it is and how fast its memory is, see backend.h */
PETSC_INTERN PetscErrorCode     AutoCSRDeviceIdentify(AutoCSRIdentity *);
PETSC_INTERN PetscErrorCode     AutoCSRDeviceIdentifySpeed(AutoCSRIdentity *);
PETSC_INTERN const char *const *AutoCSRDeviceInstructionSets(void);
PETSC_INTERN PetscErrorCode     AutoCSRDeviceReadMemory(AutoCSRMemoryReading *, PetscBool *done);

/* memory.c: a thread makes ready what first products need (preload.c). It is begun when the first matrix is given the type */
PETSC_INTERN PetscErrorCode AutoCSRDevicePreload(void);
PETSC_INTERN void           AutoCSRDevicePreloadAlso(const void *const kernels[], PetscErrorCode (*wanted)(PetscBool *)); /* another room's, and a NULL; wanted() is asked when the thread begins */

/* memory.c: of the device. PETSC_ERR_MEM if there is none left */
PETSC_INTERN PetscErrorCode AutoCSRDeviceAllocate(size_t, void **);
PETSC_INTERN PetscErrorCode AutoCSRDeviceAllocateZeros(size_t, void **);
PETSC_INTERN PetscErrorCode AutoCSRDeviceDeallocate(void *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceToHost(void *, const void *, size_t);
PETSC_INTERN PetscErrorCode AutoCSRDeviceFromHost(void *, const void *, size_t);
PETSC_INTERN PetscErrorCode AutoCSRDeviceSynchronize(void);
PETSC_INTERN PetscErrorCode AutoCSRDeviceRoom(double *); /* see backend.h */
PETSC_INTERN PetscErrorCode AutoCSRDeviceTrim(void);     /* gives back to the device what the pool keeps beyond need */
PETSC_INTERN PetscErrorCode AutoCSRDeviceFollow(void);   /* what was begun on PETSc's stream before it was another one has ended */

/* energy.c: see backend.h */
PETSC_INTERN PetscErrorCode AutoCSRDeviceJoules(double *);

/* stopwatch.c: see backend.h */
PETSC_INTERN PetscErrorCode AutoCSRDeviceWatchBegin(AutoCSRStopwatch *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceWatchEnd(AutoCSRStopwatch *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceWatchRead(AutoCSRStopwatch *, double *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceWatchForget(AutoCSRStopwatch *);

/* kernel.c: whether kernels that are compiled as this one wait themselves for those before them, as from this architecture on they do, so that they may be launched early */
#define AUTOCSR_EARLY 90
PETSC_INTERN PetscBool AutoCSRDeviceIsEarly(const void *);

/* row_offsets.cu: of m rows, as on the host, from those of the rows with entries, which are on the device. NULL: few rows are empty, or those are of all */
PETSC_INTERN PetscErrorCode AutoCSRDeviceExpandRows(PetscInt, const PetscInt[], const PetscInt[], PetscInt **);

/* dense.cu: see backend.h */
PETSC_INTERN PetscErrorCode AutoCSRDeviceMultDense(AutoCSRDense *, const AutoCSRDenseOperands *, PetscBool *);
/* sampled.cu: likewise */
PETSC_INTERN PetscErrorCode AutoCSRDeviceSampleDense(AutoCSRDense *, const AutoCSRSampledOperands *);
PETSC_INTERN PetscErrorCode AutoCSRDevicePackRows(PetscInt n, const PetscInt rows[], PetscInt columns, const PetscScalar B[], PetscInt ldb, PetscScalar packed[]); /* pack.cu */

/* diagonal.cu */
PETSC_INTERN PetscErrorCode AutoCSRDeviceGetDiagonal(const AutoCSRMatrix *, PetscScalar *);

/* Rows of a row panel and columns of a tile, order adaptive: the rows of B of a tile fill 32 KiB of shared memory in a panel of 32 lanes */
#define AUTOCSR_DEVICE_ADAPTIVE_HEIGHT 64
#define AUTOCSR_DEVICE_ADAPTIVE_WIDTH  64

#endif
