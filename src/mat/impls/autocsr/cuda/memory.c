/* Memory of the device, on PETSc's stream */
#include "device.h"

#define ROOM 64 /* readable bytes past the end */

PetscErrorCode AutoCSRDeviceAllocate(size_t bytes, void **data)
{
  cudaError_t error;

  PetscFunctionBegin;
  error = cudaMalloc(data, bytes + ROOM);
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError(); /* or the next check would find it */
    *data = NULL;
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "The device has no %zu bytes left", bytes + ROOM);
  }
  PetscCallCUDA(error);
  PetscCallCUDA(cudaMemsetAsync((char *)*data + bytes, 0, ROOM, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceRelease(void *data)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaFree(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceToHost(void *host, const void *data, size_t bytes)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaMemcpyAsync(host, data, bytes, cudaMemcpyDeviceToHost, AUTOCSR_STREAM));
  PetscCallCUDA(cudaStreamSynchronize(AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceFromHost(void *data, const void *host, size_t bytes)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaMemcpyAsync(data, host, bytes, cudaMemcpyHostToDevice, AUTOCSR_STREAM));
  PetscCallCUDA(cudaStreamSynchronize(AUTOCSR_STREAM)); /* the caller may change the host's copy */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceSynchronize(void)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaStreamSynchronize(AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}
