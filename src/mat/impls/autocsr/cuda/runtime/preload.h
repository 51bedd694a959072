/* What a thread makes ready while a program assembles its first matrix (preload.c). memory.c begins it and takes things over */
#ifndef AUTOCSR_PRELOAD_H
#define AUTOCSR_PRELOAD_H

#include "../device.h"

#define AUTOCSR_BOX_BYTES 131072 /* bytes of the mailbox, and of the outbox behind it: larger copies do not go through page-locked memory */

/* In the order in which the thread makes them */
typedef enum {
  AUTOCSR_PRELOAD_BOXES, /* and the stream */
  AUTOCSR_PRELOAD_POOL,
  AUTOCSR_PRELOAD_BUFFERS,
  AUTOCSR_PRELOAD_STAGES
} AutoCSRDevicePreloadStage;

/* NULL: the thread could not make it, or it has been taken */
typedef struct {
  void         *boxes, *buffers;
  cudaStream_t  beside;
  cudaMemPool_t pool;
  int           device;
} AutoCSRDevicePreloaded;

PETSC_INTERN void AutoCSRDevicePreloadBegin(int device, PetscBool with_pool, const void *const more[]); /* kernels that are loaded last, and a NULL; NULL: there are none */
PETSC_INTERN void AutoCSRDevicePreloadTake(AutoCSRDevicePreloadStage, AutoCSRDevicePreloaded *);        /* waits for what is made up to this stage */
PETSC_INTERN void AutoCSRDevicePreloadEnd(void);                                                        /* waits for the thread */

/* memory.c: a pool that keeps what is freed. The first request makes the driver set the pool up; stream NULL: no request */
PETSC_INTERN cudaError_t AutoCSRDevicePoolMake(int device, cudaStream_t, cudaMemPool_t *);

/* Kernels of a plan that takes no look (first.cu), of a look at rows (profile_rows.cu), and of making slices (encode.cu, encode_entries.cu) */
PETSC_INTERN const void *const AutoCSRFirstKernel, *const AutoCSRRowsKernel, *const AutoCSRMeasureKernel, *const AutoCSREncodeKernel;

#endif
