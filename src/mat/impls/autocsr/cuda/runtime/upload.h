/* Arrays of the host on their way to a device (upload.c) */
#ifndef AUTOCSR_UPLOAD_H
#define AUTOCSR_UPLOAD_H

#include "../device.h"

#define AUTOCSR_UPLOAD_PIECE   ((size_t)1 << 20) /* bytes of a buffer */
#define AUTOCSR_UPLOAD_BUFFERS 8
#define AUTOCSR_UPLOAD_LEAST   ((size_t)2 << 20) /* bytes that are worth the threads */

typedef struct {
  void       *to;
  const void *from;
  size_t      bytes;
} AutoCSRUpload;

/* The host's arrays may be changed afterwards. threads: of the host, this one among them */
PETSC_INTERN PetscErrorCode AutoCSRDeviceUpload(int n, const AutoCSRUpload array[], int threads);
PETSC_INTERN PetscErrorCode AutoCSRDeviceUploadThreads(int *threads); /* as many as this process has processors for, four at most */

/* memory.c: page-locked memory for all buffers; NULL: there is none */
PETSC_INTERN PetscErrorCode AutoCSRDeviceFindBuffers(void **);

#endif
