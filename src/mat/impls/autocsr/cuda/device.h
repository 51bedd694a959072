/*
  What the files of cuda/ share. C++ and kernels stay in this room; the others see AutoCSRBackendCUDA.
*/
#ifndef AUTOCSR_DEVICE_H
#define AUTOCSR_DEVICE_H

#include "../backend.h"
#include <petscdevice_cuda.h>

#define AUTOCSR_DEVICE_SLICE_HEIGHT 32 /* a warp */

/* Everything runs on PETSc's stream: work on it needs no synchronization with PETSc's own */
#define AUTOCSR_STREAM PetscDefaultCudaStream

/* figures.cu: which device it is and how fast its memory is, see backend.h */
PETSC_INTERN PetscErrorCode     AutoCSRDeviceIdentify(size_t, char[], unsigned *, double[3]);
PETSC_INTERN const char *const *AutoCSRDeviceInstructionSets(void);
PETSC_INTERN PetscErrorCode     AutoCSRDeviceMeasureMemory(const double[3], double[4], double[4], double *);

/* memory.c: of the device. PETSC_ERR_MEM if there is none left */
PETSC_INTERN PetscErrorCode AutoCSRDeviceAllocate(size_t, void **);
PETSC_INTERN PetscErrorCode AutoCSRDeviceRelease(void *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceToHost(void *, const void *, size_t);
PETSC_INTERN PetscErrorCode AutoCSRDeviceFromHost(void *, const void *, size_t);
PETSC_INTERN PetscErrorCode AutoCSRDeviceSynchronize(void);

/* staging.cu: begun, x is packed for sending, and delivered: what happens in this order, once for each product */
typedef struct {
  PetscInt     n_send, n_receive;
  PetscScalar *send, *receive; /* on the host, where the device can write */
  PetscInt    *index;          /* on the device: the entries that are sent */
  cudaStream_t stream;
  cudaEvent_t  begun, packed, delivered;
} AutoCSRDeviceStaging;

PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingCreate(PetscInt n_send, const PetscInt index[], PetscInt n_receive, AutoCSRDeviceStaging *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingDestroy(AutoCSRDeviceStaging *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingPack(AutoCSRDeviceStaging *, const PetscScalar x[]);
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingWaitPacked(const AutoCSRDeviceStaging *);         /* the host waits: `send` is filled */
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingDeliver(AutoCSRDeviceStaging *, PetscScalar x[]); /* `receive`, to the device: what PETSc's stream is given from now on waits for it */
PETSC_INTERN PetscErrorCode AutoCSRDeviceStagingWaitDelivered(const AutoCSRDeviceStaging *);      /* the host waits: `receive` has been read */

/* diagonal.cu */
PETSC_INTERN PetscErrorCode AutoCSRDeviceGetDiagonal(const AutoCSRMatrix *, PetscScalar *);

#endif
