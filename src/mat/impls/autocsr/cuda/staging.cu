/*
  Entries of a vector that other processes need, and those that come from them, through the host's memory: on a stream of
  their own, so that neither copy waits for the product that is under way, whose blocks fill the device.
*/
#include "device.h"

/* The host's memory is written from here: one start in place of two, and a bus writes whole lines */
static __global__ void Pack(PetscInt n, const PetscInt index[], const PetscScalar x[], PetscScalar host[])
{
  const PetscInt stride = (PetscInt)(gridDim.x * blockDim.x);

  for (PetscInt i = (PetscInt)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += stride) host[i] = x[index[i]];
}

PetscErrorCode AutoCSRDeviceStagingCreate(PetscInt n_send, const PetscInt index[], PetscInt n_receive, AutoCSRDeviceStaging *s)
{
  int least, first;

  PetscFunctionBegin;
  *s = (AutoCSRDeviceStaging){n_send, n_receive};
  if (!n_send && !n_receive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaDeviceGetStreamPriorityRange(&least, &first));
  PetscCallCUDA(cudaStreamCreateWithPriority(&s->stream, cudaStreamNonBlocking, first));
  PetscCallCUDA(cudaEventCreateWithFlags(&s->begun, cudaEventDisableTiming));
  PetscCallCUDA(cudaEventCreateWithFlags(&s->packed, cudaEventDisableTiming));
  PetscCallCUDA(cudaEventCreateWithFlags(&s->delivered, cudaEventDisableTiming));
  PetscCallCUDA(cudaHostAlloc((void **)&s->send, (size_t)(n_send + n_receive) * sizeof(*s->send), cudaHostAllocDefault));
  s->receive = s->send + n_send;
  PetscCall(AutoCSRDeviceAllocate((size_t)n_send * sizeof(*index), (void **)&s->index));
  PetscCall(AutoCSRDeviceFromHost(s->index, index, (size_t)n_send * sizeof(*index)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingDestroy(AutoCSRDeviceStaging *s)
{
  PetscFunctionBegin;
  if (!s->stream) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaStreamSynchronize(s->stream));
  PetscCall(AutoCSRDeviceRelease(s->index));
  PetscCallCUDA(cudaFreeHost(s->send));
  PetscCallCUDA(cudaEventDestroy(s->begun));
  PetscCallCUDA(cudaEventDestroy(s->packed));
  PetscCallCUDA(cudaEventDestroy(s->delivered));
  PetscCallCUDA(cudaStreamDestroy(s->stream));
  *s = (AutoCSRDeviceStaging){0, 0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingPack(AutoCSRDeviceStaging *s, const PetscScalar x[])
{
  const PetscInt threads = 256, most = 64; /* blocks: a bus needs no more */

  PetscFunctionBegin;
  if (!s->stream) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaEventRecord(s->begun, AUTOCSR_STREAM)); /* x is there, and the last product has read what was delivered to it */
  PetscCallCUDA(cudaStreamWaitEvent(s->stream, s->begun, 0));
  if (s->n_send) {
    Pack<<<(unsigned)PetscMin(most, (s->n_send + threads - 1) / threads), (unsigned)threads, 0, s->stream>>>(s->n_send, s->index, x, s->send);
    PetscCallCUDA(cudaGetLastError());
    PetscCallCUDA(cudaEventRecord(s->packed, s->stream));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingWaitPacked(const AutoCSRDeviceStaging *s)
{
  PetscFunctionBegin;
  if (s->n_send) PetscCallCUDA(cudaEventSynchronize(s->packed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingDeliver(AutoCSRDeviceStaging *s, PetscScalar x[])
{
  PetscFunctionBegin;
  if (!s->n_receive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaMemcpyAsync(x, s->receive, (size_t)s->n_receive * sizeof(*x), cudaMemcpyHostToDevice, s->stream));
  PetscCallCUDA(cudaEventRecord(s->delivered, s->stream));
  PetscCallCUDA(cudaStreamWaitEvent(AUTOCSR_STREAM, s->delivered, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An event that was never recorded is over */
PetscErrorCode AutoCSRDeviceStagingWaitDelivered(const AutoCSRDeviceStaging *s)
{
  PetscFunctionBegin;
  if (s->n_receive) PetscCallCUDA(cudaEventSynchronize(s->delivered));
  PetscFunctionReturn(PETSC_SUCCESS);
}
