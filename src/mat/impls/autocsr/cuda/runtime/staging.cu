/*
  Entries of a vector that other processes need, and those that come from them: on a stream of their own, so that neither
  waits for the product that is under way, whose blocks fill the device. They are written where the other process reads
  them, on its device, if that can be reached, else they pass through the memory of the host.
*/
#include "staging.h"
#include "../common/early.cuh"

#define ROOM (2 << 20) /* what the driver gives at once: no two buffers share one, which only as a whole can be opened elsewhere */

/* A row of blocks for each process that is sent to */
static __global__ void Pack(const AutoCSRDevicePeer peers[], int turn, const PetscInt index[], const PetscScalar x[])
{
  PtxWaitForLast();
  const AutoCSRDevicePeer peer   = peers[blockIdx.y];
  const PetscInt          stride = (PetscInt)(gridDim.x * blockDim.x);
  PetscScalar            *to     = peer.to[turn];

  for (PetscInt i = peer.begin + (PetscInt)(blockIdx.x * blockDim.x + threadIdx.x); i < peer.end; i += stride) to[i - peer.begin] = x[index[i]];
}

PetscErrorCode AutoCSRDeviceStagingCreate(PetscInt n_peers, const PetscInt begin[], const PetscInt index[], PetscInt n_receive, AutoCSRDeviceStaging *s)
{
  int least, first;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  s->n_peers   = n_peers;
  s->n_send    = n_peers ? begin[n_peers] : 0;
  s->n_receive = n_receive;
  if (!s->n_send && !n_receive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaDeviceGetStreamPriorityRange(&least, &first));
  PetscCallCUDA(cudaStreamCreateWithPriority(&s->stream, cudaStreamNonBlocking, first));
  PetscCallCUDA(cudaEventCreateWithFlags(&s->begun, cudaEventDisableTiming));
  PetscCallCUDA(cudaEventCreateWithFlags(&s->packed, cudaEventDisableTiming));
  PetscCallCUDA(cudaEventCreateWithFlags(&s->delivered, cudaEventDisableTiming));
  PetscCall(PetscMalloc1(n_peers, &s->peer));
  for (PetscInt k = 0; k < n_peers; k++) {
    s->peer[k] = (AutoCSRDevicePeer){{NULL, NULL}, begin[k], begin[k + 1]};
    s->longest = PetscMax(s->longest, begin[k + 1] - begin[k]);
  }
  PetscCall(AutoCSRDeviceAllocate((size_t)s->n_send * sizeof(*index), (void **)&s->index));
  PetscCall(AutoCSRDeviceFromHost(s->index, index, (size_t)s->n_send * sizeof(*index)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingReady(AutoCSRDeviceStaging *s)
{
  PetscFunctionBegin;
  if (!s->stream) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceAllocate((size_t)s->n_peers * sizeof(*s->peer), (void **)&s->device_peer));
  PetscCall(AutoCSRDeviceFromHost(s->device_peer, s->peer, (size_t)s->n_peers * sizeof(*s->peer)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingUseHost(AutoCSRDeviceStaging *s)
{
  PetscFunctionBegin;
  if (!s->stream) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaHostAlloc((void **)&s->send, (size_t)(s->n_send + s->n_receive) * sizeof(*s->send), cudaHostAllocDefault));
  s->receive = s->send + s->n_send;
  for (PetscInt k = 0; k < s->n_peers; k++) s->peer[k].to[0] = s->peer[k].to[1] = s->send + s->peer[k].begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a call has succeeded. If not, the entries pass through the host */
static PetscBool Works(AutoCSRDeviceStaging *s, const char call[], cudaError_t error)
{
  if (error == cudaSuccess) return PETSC_TRUE;
  (void)cudaGetLastError(); /* or the next check would find it */
  s->failed = call;
  s->error  = cudaGetErrorName(error);
  return PETSC_FALSE;
}
#define WORKS(s, call, ...) Works(s, #call, call(__VA_ARGS__))

PetscErrorCode AutoCSRDeviceStagingOffer(AutoCSRDeviceStaging *s, AutoCSRDeviceOffer *offer)
{
  const size_t bytes = ((size_t)s->n_receive * 2 * sizeof(PetscScalar) / ROOM + 1) * ROOM;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(offer, sizeof(*offer)));
  offer->size = s->n_receive;
  if (!s->n_receive) PetscFunctionReturn(PETSC_SUCCESS);
  /* Tools do not see what other processes write there, so it is set to zero; they may write at once, so the host waits */
  offer->there = (PetscBool)(WORKS(s, cudaMalloc, (void **)&s->landing, bytes) && WORKS(s, cudaIpcGetMemHandle, &offer->handle, s->landing) &&
                             WORKS(s, cudaMemsetAsync, s->landing, 0, bytes, s->stream) && WORKS(s, cudaStreamSynchronize, s->stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingOpen(AutoCSRDeviceStaging *s, PetscInt k, const AutoCSRDeviceOffer *offer, PetscInt place, PetscBool *open)
{
  void *there = NULL;

  PetscFunctionBegin;
  *open = (PetscBool)(offer->there && WORKS(s, cudaIpcOpenMemHandle, &there, offer->handle, cudaIpcMemLazyEnablePeerAccess));
  if (*open) {
    s->peer[k].opened = there;
    for (int turn = 0; turn < 2; turn++) s->peer[k].to[turn] = (PetscScalar *)there + turn * offer->size + place;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingClose(AutoCSRDeviceStaging *s)
{
  PetscFunctionBegin;
  if (s->stream) PetscCallCUDA(cudaStreamSynchronize(s->stream));
  for (PetscInt k = 0; k < s->n_peers; k++) {
    if (s->peer && s->peer[k].opened) PetscCallCUDA(cudaIpcCloseMemHandle(s->peer[k].opened));
    if (s->peer) s->peer[k].opened = NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingWithdraw(AutoCSRDeviceStaging *s)
{
  PetscFunctionBegin;
  if (s->landing) PetscCallCUDA(cudaFree(s->landing));
  s->landing = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingDestroy(AutoCSRDeviceStaging *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceStagingWithdraw(s));
  if (!s->stream) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceDeallocate(s->index));
  PetscCall(AutoCSRDeviceDeallocate(s->device_peer));
  PetscCall(AutoCSRDeviceDeallocate(s->copy));
  if (s->send) PetscCallCUDA(cudaFreeHost(s->send));
  PetscCall(PetscFree(s->peer));
  PetscCallCUDA(cudaEventDestroy(s->begun));
  PetscCallCUDA(cudaEventDestroy(s->packed));
  PetscCallCUDA(cudaEventDestroy(s->delivered));
  PetscCallCUDA(cudaStreamDestroy(s->stream));
  s->stream = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A process may have its part of a vector on the host where others have theirs on devices: PETSc binds small parts (-vec_bind_below) */
PetscErrorCode AutoCSRDeviceStagingPack(AutoCSRDeviceStaging *s, int turn, PetscInt n, const PetscScalar x[], PetscBool on_host)
{
  const PetscInt threads = 256, most = 64; /* blocks for a process: a link needs no more */

  PetscFunctionBegin;
  if (!s->stream) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceFollow());
  if (on_host && s->n_send) {
    if (!s->copy) PetscCall(AutoCSRDeviceAllocate((size_t)n * sizeof(*x), (void **)&s->copy));
    PetscCall(AutoCSRDeviceFromHost(s->copy, x, (size_t)n * sizeof(*x)));
    x = s->copy;
  }
  PetscCallCUDA(cudaEventRecord(s->begun, AUTOCSR_STREAM)); /* x is there, and what was received in products before has been read */
  PetscCallCUDA(cudaStreamWaitEvent(s->stream, s->begun, 0));
  if (s->n_send) {
    const dim3 grid((unsigned)PetscMin(most, (s->longest + threads - 1) / threads), (unsigned)s->n_peers);

    Launch(Pack, grid, (unsigned)threads, 0, s->stream)(s->device_peer, turn, s->index, x);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  PetscCallCUDA(cudaEventRecord(s->packed, s->stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceStagingWaitPacked(const AutoCSRDeviceStaging *s)
{
  PetscFunctionBegin;
  if (s->stream) PetscCallCUDA(cudaEventSynchronize(s->packed));
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
