/*
  Memory of the device, on PETSc's stream: from the device's pool, which keeps what is released (PETSc sets it so too), so
  that the temporaries of planning cost no synchronization and no work of the driver.
*/
#include "planner.h"

#define ROOM 64 /* readable bytes past the end */

static PetscErrorCode PoolKeepsMemory(void)
{
  static PetscBool done = PETSC_FALSE;
  uint64_t         all  = UINT64_MAX;
  cudaMemPool_t    pool;
  int              device;

  PetscFunctionBegin;
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetMemPool(&pool, device));
  PetscCallCUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceAllocateScratch(size_t bytes, void **data)
{
  cudaError_t error;

  PetscFunctionBegin;
  PetscCall(PoolKeepsMemory());
  error = cudaMallocAsync(data, PetscMax(bytes, 1), AUTOCSR_STREAM);
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError(); /* or the next check would find it */
    *data = NULL;
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "The device has no %zu bytes left", bytes);
  }
  PetscCallCUDA(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceAllocate(size_t bytes, void **data)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceAllocateScratch(bytes + ROOM, data));
  PetscCallCUDA(cudaMemsetAsync((char *)*data + bytes, 0, ROOM, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceAllocateZeros(size_t bytes, void **data)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceAllocateScratch(bytes + ROOM, data));
  PetscCallCUDA(cudaMemsetAsync(*data, 0, bytes + ROOM, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceRelease(void *data)
{
  PetscFunctionBegin;
  if (data) PetscCallCUDA(cudaFreeAsync(data, AUTOCSR_STREAM));
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
