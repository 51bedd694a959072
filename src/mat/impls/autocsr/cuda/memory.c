/*
  Memory of the device, on PETSc's stream: from the device's pool, which keeps what is released (PETSc sets it so too), so
  that the temporaries of planning cost no synchronization and no work of the driver. Small pieces that stay are cut from
  slabs. And what small copies go through.
*/
#include "planner.h"

#define ROOM  64 /* readable bytes past the end */
#define SLAB  (4 << 20)
#define PIECE (SLAB / 16) /* bytes of a piece that is cut from a slab, at most */
#define ALIGN 256         /* of its beginning, as the device's own */
#define SMALL 131072      /* a copy of at most so many bytes goes through page-locked memory: the driver has no part of its own in it */

/* What planning keeps until PETSc ends, beside a slab: page-locked memory of the host, counters and the table of patterns (2 MB), a second stream */
static struct {
  PetscBool    registered;
  void        *mailbox, *outbox; /* for what comes from the device, and what goes there */
  PetscBool    sent;             /* what is in the outbox may not have left it */
  void        *zeros;            /* of the device */
  size_t       n_zeros;
  PetscBool    lent; /* these may be other than zero */
  cudaStream_t beside;
  cudaEvent_t  forked, joined;
} kept;

/*
  A plan has a piece of memory for each stream, and what is past its end is to be zero. Asking for it and setting its end to zero are two calls, of a microsecond
  or more each (table -setup-trace), and the kernel after the second is not launched early. So small pieces are cut one after the other from slabs that are set to
  zero at once, no part of them twice. A slab goes back once all its pieces have, but for the one that pieces are cut from: the next matrix has what is left of it.
*/
typedef struct _Slab *Slab;
struct _Slab {
  char    *data;
  size_t   used;
  PetscInt pieces; /* that are not released */
  Slab     next;
};

static struct {
  size_t piece; /* with the room past it, at most; 0: none is cut, so that whatever checks accesses knows the ends of each */
  Slab   first; /* from which pieces are cut */
} slabs = {PetscDefined(USE_DEBUG) ? 0 : PIECE, NULL};

/*
  Boxes, counters, pieces of memory and the scratch of a plan go from one call of ours to the next in the order of PETSc's stream. Where that has become another one (PetscDeviceContextSetCurrentContext(),
  and so by threads of a program in turn) the device is waited for: the stream of before may be gone. Asked at each call that uses any of these
*/
PetscErrorCode AutoCSRDeviceFollow(void)
{
  static cudaStream_t last  = NULL;
  static PetscBool    begun = PETSC_FALSE;

  PetscFunctionBegin;
  if (PetscLikely(begun && last == AUTOCSR_STREAM)) PetscFunctionReturn(PETSC_SUCCESS);
  if (begun) PetscCallCUDA(cudaDeviceSynchronize());
  last  = AUTOCSR_STREAM;
  begun = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

/* *data: NULL if there is no memory */
static PetscErrorCode Allocate(size_t bytes, cudaStream_t stream, void **data)
{
  cudaError_t error;

  PetscFunctionBegin;
  PetscCall(PoolKeepsMemory());
  *data = NULL;
  error = cudaMallocAsync(data, PetscMax(bytes, 1), stream);
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError(); /* or the next check would find it */
    *data = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallCUDA(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceAllocateScratch(size_t bytes, cudaStream_t stream, void **data)
{
  PetscFunctionBegin;
  PetscCall(Allocate(bytes, stream, data));
  if (!*data) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "The device has no %zu bytes left", bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void AutoCSRDeviceCutPieces(PetscBool cut)
{
  slabs.piece = cut ? PIECE : 0;
}

/* The order in which finalizers run is not ours: nothing here needs PETSc's stream */
static PetscErrorCode KeptDestroy(void)
{
  Slab spare = slabs.first;

  PetscFunctionBegin;
  if (kept.mailbox) PetscCallCUDA(cudaFreeHost(kept.mailbox));
  if (kept.zeros) PetscCallCUDA(cudaFree(kept.zeros));
  if (spare && !spare->pieces) {
    slabs.first = spare->next;
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCallCUDA(cudaFree(spare->data));
    PetscCall(PetscFree(spare));
  }
  if (kept.joined) PetscCallCUDA(cudaEventDestroy(kept.joined));
  if (kept.forked) PetscCallCUDA(cudaEventDestroy(kept.forked));
  if (kept.beside) PetscCallCUDA(cudaStreamDestroy(kept.beside));
  PetscCall(PetscMemzero(&kept, sizeof(kept)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KeptRegister(void)
{
  PetscFunctionBegin;
  if (!kept.registered) PetscCall(PetscRegisterFinalize(KeptDestroy));
  kept.registered = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SlabDestroy(Slab *link)
{
  Slab slab = *link;

  PetscFunctionBegin;
  *link = slab->next;
  PetscCall(AutoCSRDeviceReleaseScratch(slab->data, AUTOCSR_STREAM));
  PetscCall(PetscFree(slab));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *data: NULL if there is no memory for another slab */
static PetscErrorCode SlabCut(size_t bytes, void **data)
{
  Slab slab = slabs.first;

  PetscFunctionBegin;
  *data = NULL;
  if (!slab || slab->used + bytes > SLAB) {
    void *all;

    if (slab && !slab->pieces) PetscCall(SlabDestroy(&slabs.first));
    PetscCall(KeptRegister());
    PetscCall(Allocate(SLAB, AUTOCSR_STREAM, &all));
    if (!all) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCallCUDA(cudaMemsetAsync(all, 0, SLAB, AUTOCSR_STREAM));
    PetscCall(PetscNew(&slab));
    slab->data  = (char *)all;
    slab->next  = slabs.first;
    slabs.first = slab;
  }
  *data = slab->data + slab->used;
  slab->used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
  slab->pieces++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *cut: it was a piece of a slab */
static PetscErrorCode SlabRelease(const char *data, PetscBool *cut)
{
  PetscFunctionBegin;
  *cut = PETSC_FALSE;
  for (Slab slab, *next = &slabs.first; (slab = *next); next = &slab->next) {
    if (data < slab->data || data >= slab->data + SLAB) continue;
    *cut = PETSC_TRUE;
    if (!--slab->pieces && (slab != slabs.first || !kept.registered)) PetscCall(SlabDestroy(next));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of it is set to zero, or what is past its end */
static PetscErrorCode AllocatePiece(size_t bytes, PetscBool zeros, void **data)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  *data = NULL;
  if (bytes + ROOM <= slabs.piece) PetscCall(SlabCut(bytes + ROOM, data));
  if (*data) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceAllocateScratch(bytes + ROOM, AUTOCSR_STREAM, data));
  PetscCallCUDA(cudaMemsetAsync((char *)*data + (zeros ? 0 : bytes), 0, zeros ? bytes + ROOM : ROOM, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceAllocate(size_t bytes, void **data)
{
  return AllocatePiece(bytes, PETSC_FALSE, data);
}

PetscErrorCode AutoCSRDeviceAllocateZeros(size_t bytes, void **data)
{
  return AllocatePiece(bytes, PETSC_TRUE, data);
}

PetscErrorCode AutoCSRDeviceReleaseScratch(void *data, cudaStream_t stream)
{
  PetscFunctionBegin;
  if (data) PetscCallCUDA(cudaFreeAsync(data, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceRelease(void *data)
{
  PetscBool cut;

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  PetscCall(SlabRelease((const char *)data, &cut));
  if (!cut) PetscCall(AutoCSRDeviceReleaseScratch(data, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both boxes; they stay NULL where no page-locked memory is to be had */
static PetscErrorCode BoxesGet(void)
{
  PetscFunctionBegin;
  if (kept.mailbox) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KeptRegister());
  if (cudaHostAlloc(&kept.mailbox, 2 * SMALL, cudaHostAllocDefault) != cudaSuccess) {
    (void)cudaGetLastError();
    kept.mailbox = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  kept.outbox = (char *)kept.mailbox + SMALL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceGetMailbox(size_t bytes, void **mailbox)
{
  PetscFunctionBegin;
  PetscCall(BoxesGet());
  *mailbox = kept.mailbox;
  PetscCheck(bytes <= SMALL, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%zu bytes are more than the mailbox holds", bytes);
  if (!kept.mailbox) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "The host has no %d bytes of page-locked memory", 2 * SMALL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceBorrowZeros(size_t bytes, void **data)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  if (kept.n_zeros < bytes) {
    PetscCall(KeptRegister());
    PetscCall(AutoCSRDeviceRelease(kept.zeros));
    kept.zeros   = NULL;
    kept.n_zeros = 0;
    PetscCall(AutoCSRDeviceAllocateScratch(bytes, AUTOCSR_STREAM, &kept.zeros));
    kept.n_zeros = bytes;
    kept.lent    = PETSC_TRUE;
  }
  if (kept.lent) PetscCallCUDA(cudaMemsetAsync(kept.zeros, 0, kept.n_zeros, AUTOCSR_STREAM));
  kept.lent = PETSC_TRUE;
  *data     = kept.zeros;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceReturnZeros(void)
{
  PetscFunctionBegin;
  kept.lent = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceFork(cudaStream_t *beside)
{
  PetscFunctionBegin;
  PetscCall(KeptRegister());
  if (!kept.beside) AutoCSRCallCUDA(cudaStreamCreateWithFlags(&kept.beside, cudaStreamNonBlocking));
  if (!kept.forked) AutoCSRCallCUDA(cudaEventCreateWithFlags(&kept.forked, cudaEventDisableTiming));
  if (!kept.joined) AutoCSRCallCUDA(cudaEventCreateWithFlags(&kept.joined, cudaEventDisableTiming));
  PetscCallCUDA(cudaEventRecord(kept.forked, AUTOCSR_STREAM));
  PetscCallCUDA(cudaStreamWaitEvent(kept.beside, kept.forked, 0));
  *beside = kept.beside;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceJoin(void)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaEventRecord(kept.joined, kept.beside));
  PetscCallCUDA(cudaStreamWaitEvent(AUTOCSR_STREAM, kept.joined, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceSynchronize(void)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaStreamSynchronize(AUTOCSR_STREAM));
  kept.sent = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceToHost(void *host, const void *data, size_t bytes)
{
  void *through = host;

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  if (bytes <= SMALL) {
    PetscCall(BoxesGet());
    if (kept.mailbox) through = kept.mailbox;
  }
  PetscCallCUDA(cudaMemcpyAsync(through, data, bytes, cudaMemcpyDeviceToHost, AUTOCSR_STREAM));
  PetscCall(AutoCSRDeviceSynchronize());
  if (through != host) PetscCall(PetscMemcpy(host, through, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceFromHost(void *data, const void *host, size_t bytes)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  PetscCallCUDA(cudaMemcpyAsync(data, host, bytes, cudaMemcpyHostToDevice, AUTOCSR_STREAM));
  PetscCall(AutoCSRDeviceSynchronize()); /* the caller may change the host's copy */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceSend(void *data, const void *host, size_t bytes)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  PetscCall(BoxesGet());
  if (!kept.outbox || bytes > SMALL) {
    PetscCall(AutoCSRDeviceFromHost(data, host, bytes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (kept.sent) PetscCall(AutoCSRDeviceSynchronize());
  PetscCall(PetscMemcpy(kept.outbox, host, bytes));
  PetscCallCUDA(cudaMemcpyAsync(data, kept.outbox, bytes, cudaMemcpyHostToDevice, AUTOCSR_STREAM));
  kept.sent = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
