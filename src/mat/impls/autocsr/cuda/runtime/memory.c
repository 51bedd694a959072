/*
  Memory of the device, on PETSc's stream: from a pool of the library's own, which keeps what is freed, so that the
  temporaries of planning cost no synchronization and no work of the driver. What the pool keeps beyond need goes back to the
  device (PoolTrim()). Small allocations that stay are cut from slabs. And what small copies go through.
*/
#include "../planning/planner.h"
#include "preload.h"
#include "upload.h"

#define ROOM  64 /* readable bytes past the end */
#define SLAB  (4 << 20)
#define CUT  (SLAB / 16) /* bytes that are cut from a slab, at most */
#define ALIGN 256         /* of its beginning, as the device's own */

/* What planning keeps until PETSc ends, beside a slab: page-locked memory of the host for small copies and for the upload, counters and the table of patterns, a second stream */
static struct {
  PetscBool    registered, preloaded; /* preloaded: the thread of preload.c has been begun */
  PetscBool    no_boxes, no_buffers;  /* page-locked memory for them was refused */
  void        *mailbox;               /* for what comes from the device; the outbox, for what goes there, is behind it */
  PetscBool    sent;                  /* what is in the outbox may not have left it */
  void        *buffers;               /* of the upload */
  void        *zeros;                 /* of the device */
  size_t       n_zeros;
  PetscBool    lent; /* these may be other than zero */
  cudaStream_t beside;
  cudaEvent_t  forked, joined;
} standing;

#define OUTBOX ((char *)standing.mailbox + AUTOCSR_BOX_BYTES)

/*
  A plan has memory for each stream, and what is past its end is to be zero. Asking for it and setting its end to zero are two calls, of a microsecond
  or more each, and the kernel after the second is not launched early. So small allocations are cut one after the other from slabs that are set to
  zero at once, no part of them twice. A slab goes back once all its cuts have, but for the one that is being cut: the next matrix has what is left of it.
*/
typedef struct _Slab *Slab;
struct _Slab {
  char    *data;
  size_t   used;
  PetscInt cuts;   /* that are not freed */
  Slab     next;
};

static struct {
  size_t most; /* of a cut, with the room past it: 0: nothing is cut, so that whatever checks accesses knows the ends of each */
  Slab   first; /* which is being cut */
} slabs = {PetscDefined(USE_DEBUG) ? 0 : CUT, NULL};

/*
  Boxes, counters, allocations and the scratch of a plan go from one call of ours to the next in the order of PETSc's stream. Where that has become another one (PetscDeviceContextSetCurrentContext(),
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

/* The library's pool, made once. If the driver makes none, requests go to the device's default pool, which is never trimmed */
static struct {
  cudaMemPool_t own;
  PetscBool     asked;
  uint64_t      reserved_at_most; /* bytes that the pool holds: its size when last measured, and the requests since then */
  uint64_t      used, reserved;   /* bytes after the last trimming */
} pool;

#define POOL_KEEPS ((uint64_t)64 << 20) /* unused bytes that stay: plans of small matrices come and go within them */
#define POOL_MUCH  4                    /* while plans are there the pool is trimmed only if its unused bytes exceed so many times POOL_KEEPS, and the bytes in use */

/* Takes over what the thread has made (preload.c): boxes and stream at the first need of any of it, the rest when it is needed */
static void TakePreloaded(AutoCSRDevicePreloadStage last)
{
  AutoCSRDevicePreloaded made;

  AutoCSRDevicePreloadTake(last, &made);
  if (made.boxes) standing.mailbox = made.boxes;
  if (made.buffers) standing.buffers = made.buffers;
  if (made.beside) standing.beside = made.beside;
  if (!made.pool) return;
  pool.own   = made.pool;
  pool.asked = PETSC_TRUE;
}

/* No PETSc here: the thread of preload.c calls it */
cudaError_t AutoCSRDevicePoolMake(int device, cudaStream_t stream, cudaMemPool_t *made)
{
  struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned, .location = {.type = cudaMemLocationTypeDevice, .id = device}};
  uint64_t                all   = UINT64_MAX;
  void                   *data  = NULL;
  cudaError_t             error = cudaMemPoolCreate(made, &props);

  if (error != cudaSuccess) {
    (void)cudaGetLastError();
    *made = NULL;
    return error;
  }
  error = cudaMemPoolSetAttribute(*made, cudaMemPoolAttrReleaseThreshold, &all);
  if (error == cudaSuccess && stream) error = cudaMallocFromPoolAsync(&data, 1, *made, stream);
  if (error == cudaSuccess && stream) error = cudaFreeAsync(data, stream);
  return error;
}

static PetscErrorCode PoolGet(void)
{
  int device;

  PetscFunctionBegin;
  if (pool.asked) PetscFunctionReturn(PETSC_SUCCESS);
  TakePreloaded(AUTOCSR_PRELOAD_POOL);
  if (pool.asked) PetscFunctionReturn(PETSC_SUCCESS);
  pool.asked = PETSC_TRUE;
  PetscCallCUDA(cudaGetDevice(&device));
  (void)AutoCSRDevicePoolMake(device, NULL, &pool.own);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PoolMeasure(uint64_t *used, uint64_t *unused)
{
  uint64_t reserved = 0;

  PetscFunctionBegin;
  *used = *unused = 0;
  if (!pool.own) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaMemPoolGetAttribute(pool.own, cudaMemPoolAttrUsedMemCurrent, used));
  PetscCallCUDA(cudaMemPoolGetAttribute(pool.own, cudaMemPoolAttrReservedMemCurrent, &reserved));
  *unused               = reserved > *used ? reserved - *used : 0;
  pool.reserved_at_most = reserved;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool PoolIsMuch(uint64_t used, uint64_t unused)
{
  if (unused <= POOL_KEEPS || (used > POOL_KEEPS && unused <= PetscMax(used, POOL_MUCH * POOL_KEEPS))) return PETSC_FALSE;
  return (PetscBool)(!used || used + unused > pool.reserved + POOL_KEEPS || used + POOL_KEEPS < pool.used); /* the driver keeps a block while a part of it is in use: to ask again gains nothing */
}

/* Trimming waits for the device and unmaps memory, so it is done only if much is unused. `all`: whatever is unused goes back */
static PetscErrorCode PoolTrim(PetscBool all)
{
  uint64_t used, unused;

  PetscFunctionBegin;
  if (!all && pool.reserved_at_most <= POOL_KEEPS) PetscFunctionReturn(PETSC_SUCCESS); /* small matrices cost no call of the driver */
  PetscCall(PoolMeasure(&used, &unused));
  if (!unused || !(all || PoolIsMuch(used, unused))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaDeviceSynchronize()); /* what a stream has still to free is in use */
  PetscCallCUDA(cudaMemPoolTrimTo(pool.own, (size_t)(used + (all ? 0 : POOL_KEEPS))));
  PetscCall(PoolMeasure(&used, &unused));
  pool.used     = used;
  pool.reserved = used + unused;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceTrim(void)
{
  PetscFunctionBegin;
  PetscCall(PoolTrim(PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The bytes that the device has left, and those that the pool keeps unused */
PetscErrorCode AutoCSRDeviceRoom(double *bytes)
{
  uint64_t used, unused;
  size_t   free, total;

  PetscFunctionBegin;
  PetscCall(PoolMeasure(&used, &unused));
  PetscCallCUDA(cudaMemGetInfo(&free, &total));
  *bytes = (double)free + (double)unused;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *data: NULL if there is no memory */
static PetscErrorCode Allocate(size_t bytes, cudaStream_t stream, void **data)
{
  cudaError_t error;

  PetscFunctionBegin;
  PetscCall(PoolGet());
  *data = NULL;
  pool.reserved_at_most += bytes;
  error = pool.own ? cudaMallocFromPoolAsync(data, PetscMax(bytes, 1), pool.own, stream) : cudaMallocAsync(data, PetscMax(bytes, 1), stream);
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

void AutoCSRDeviceCutSlabs(PetscBool cut)
{
  slabs.most = cut ? CUT : 0;
}

/* The order in which finalizers run is not ours: nothing here needs PETSc's stream */
static PetscErrorCode StandingDestroy(void)
{
  Slab spare = slabs.first;

  PetscFunctionBegin;
  TakePreloaded(AUTOCSR_PRELOAD_BUFFERS);
  AutoCSRDevicePreloadEnd();
  if (standing.mailbox) PetscCallCUDA(cudaFreeHost(standing.mailbox));
  if (standing.buffers) PetscCallCUDA(cudaFreeHost(standing.buffers));
  if (standing.zeros) PetscCallCUDA(cudaFree(standing.zeros));
  if (spare && !spare->cuts) {
    slabs.first = spare->next;
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCallCUDA(cudaFree(spare->data));
    PetscCall(PetscFree(spare));
  }
  PetscCall(PoolTrim(PETSC_TRUE));
  if (standing.joined) PetscCallCUDA(cudaEventDestroy(standing.joined));
  if (standing.forked) PetscCallCUDA(cudaEventDestroy(standing.forked));
  if (standing.beside) PetscCallCUDA(cudaStreamDestroy(standing.beside));
  PetscCall(PetscMemzero(&standing, sizeof(standing)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StandingRegister(void)
{
  PetscFunctionBegin;
  if (!standing.registered) PetscCall(PetscRegisterFinalize(StandingDestroy));
  standing.registered = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory apart from the pool: plans of small matrices then need no pool, whose first allocation takes the driver long. *data is NULL if there is none */
static PetscErrorCode AllocateApart(size_t bytes, void **data)
{
  cudaError_t error = cudaMalloc(data, bytes);

  PetscFunctionBegin;
  if (error == cudaErrorMemoryAllocation) { /* what the pool does not use may be enough */
    (void)cudaGetLastError();
    PetscCall(PoolTrim(PETSC_TRUE));
    error = cudaMalloc(data, bytes);
  }
  if (error == cudaSuccess) PetscFunctionReturn(PETSC_SUCCESS);
  *data = NULL;
  (void)cudaGetLastError();
  if (error != cudaErrorMemoryAllocation) PetscCallCUDA(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const void *const *more_kernels;
static PetscErrorCode (*more_wanted)(PetscBool *);

void AutoCSRDevicePreloadAlso(const void *const kernels[], PetscErrorCode (*wanted)(PetscBool *))
{
  more_kernels = kernels;
  more_wanted  = wanted;
}

/* Not where anything of it is there already, as after MatAutoCSRTune() */
PetscErrorCode AutoCSRDevicePreload(void)
{
  PetscBool more = PETSC_FALSE;
  int       device;

  PetscFunctionBegin;
  if (PetscLikely(standing.preloaded)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StandingRegister());
  standing.preloaded = PETSC_TRUE;
  if (standing.mailbox || standing.beside) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaGetDevice(&device));
  if (more_wanted) PetscCall((*more_wanted)(&more));
  AutoCSRDevicePreloadBegin(device, (PetscBool)!pool.asked, more ? more_kernels : NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SlabDestroy(Slab *link)
{
  Slab slab = *link;

  PetscFunctionBegin;
  *link = slab->next;
  PetscCallCUDA(cudaFree(slab->data));
  PetscCall(PetscFree(slab));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *data: NULL if there is no memory for another slab */
static PetscErrorCode SlabCut(size_t bytes, void **data)
{
  Slab slab = slabs.first;

  PetscFunctionBegin;
  *data = NULL;
  if (slab && slab->used + bytes > SLAB && !slab->cuts) {
    slab->used = 0;
    PetscCallCUDA(cudaMemsetAsync(slab->data, 0, SLAB, AUTOCSR_STREAM));
  }
  if (!slab || slab->used + bytes > SLAB) {
    void *all;

    PetscCall(StandingRegister());
    PetscCall(AllocateApart(SLAB, &all));
    if (!all) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCallCUDA(cudaMemsetAsync(all, 0, SLAB, AUTOCSR_STREAM));
    PetscCall(PetscNew(&slab));
    slab->data  = (char *)all;
    slab->next  = slabs.first;
    slabs.first = slab;
  }
  *data = slab->data + slab->used;
  slab->used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
  slab->cuts++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *cut: it was cut from a slab */
static PetscErrorCode SlabFree(const char *data, PetscBool *cut)
{
  PetscFunctionBegin;
  *cut = PETSC_FALSE;
  for (Slab slab, *next = &slabs.first; (slab = *next); next = &slab->next) {
    if (data < slab->data || data >= slab->data + SLAB) continue;
    *cut = PETSC_TRUE;
    if (!--slab->cuts && (slab != slabs.first || !standing.registered)) PetscCall(SlabDestroy(next));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of it is set to zero, or what is past its end */
static PetscErrorCode AllocateOrCut(size_t bytes, PetscBool zeros, void **data)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  *data = NULL;
  if (bytes + ROOM <= slabs.most) PetscCall(SlabCut(bytes + ROOM, data));
  if (*data) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceAllocateScratch(bytes + ROOM, AUTOCSR_STREAM, data));
  PetscCallCUDA(cudaMemsetAsync((char *)*data + (zeros ? 0 : bytes), 0, zeros ? bytes + ROOM : ROOM, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceAllocate(size_t bytes, void **data)
{
  return AllocateOrCut(bytes, PETSC_FALSE, data);
}

PetscErrorCode AutoCSRDeviceAllocateZeros(size_t bytes, void **data)
{
  return AllocateOrCut(bytes, PETSC_TRUE, data);
}

PetscErrorCode AutoCSRDeviceFreeScratch(void *data, cudaStream_t stream)
{
  PetscFunctionBegin;
  if (data) PetscCallCUDA(cudaFreeAsync(data, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceDeallocate(void *data)
{
  PetscBool cut;

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  PetscCall(SlabFree((const char *)data, &cut));
  if (cut || !data) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRDeviceFreeScratch(data, AUTOCSR_STREAM));
  PetscCall(AutoCSRDeviceTrim());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Once; it stays NULL where no page-locked memory is to be had */
static PetscErrorCode PageLockedGet(size_t bytes, PetscBool *refused, void **data)
{
  PetscFunctionBegin;
  if (*data || *refused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StandingRegister());
  if (cudaHostAlloc(data, bytes, cudaHostAllocDefault) != cudaSuccess) {
    (void)cudaGetLastError();
    *data    = NULL;
    *refused = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BoxesGet(void)
{
  PetscFunctionBegin;
  TakePreloaded(AUTOCSR_PRELOAD_BOXES);
  PetscCall(PageLockedGet(2 * AUTOCSR_BOX_BYTES, &standing.no_boxes, &standing.mailbox));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceFindBuffers(void **buffers)
{
  PetscFunctionBegin;
  TakePreloaded(AUTOCSR_PRELOAD_BUFFERS);
  PetscCall(PageLockedGet(AUTOCSR_UPLOAD_BUFFERS * AUTOCSR_UPLOAD_PIECE, &standing.no_buffers, &standing.buffers));
  *buffers = standing.buffers;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceFindMailbox(size_t bytes, void **mailbox)
{
  PetscFunctionBegin;
  PetscCheck(bytes <= AUTOCSR_BOX_BYTES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%zu bytes are more than the mailbox holds", bytes);
  PetscCall(BoxesGet());
  *mailbox = standing.mailbox;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceGetMailbox(size_t bytes, void **mailbox)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFindMailbox(bytes, mailbox));
  if (!*mailbox) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "The host has no %d bytes of page-locked memory", 2 * AUTOCSR_BOX_BYTES);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceBorrowZeros(size_t bytes, void **data)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  if (standing.n_zeros < bytes) {
    PetscCall(StandingRegister());
    if (standing.zeros) PetscCallCUDA(cudaFree(standing.zeros));
    standing.n_zeros = 0;
    PetscCall(AllocateApart(bytes, &standing.zeros));
    if (!standing.zeros) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "The device has no %zu bytes left", bytes);
    standing.n_zeros = bytes;
    standing.lent    = PETSC_TRUE;
  }
  if (standing.lent) PetscCallCUDA(cudaMemsetAsync(standing.zeros, 0, standing.n_zeros, AUTOCSR_STREAM));
  standing.lent = PETSC_TRUE;
  *data     = standing.zeros;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceReturnZeros(void)
{
  PetscFunctionBegin;
  standing.lent = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceFork(cudaStream_t *beside)
{
  PetscFunctionBegin;
  PetscCall(StandingRegister());
  TakePreloaded(AUTOCSR_PRELOAD_BOXES);
  if (!standing.beside) AutoCSRCallCUDA(cudaStreamCreateWithFlags(&standing.beside, cudaStreamNonBlocking));
  if (!standing.forked) AutoCSRCallCUDA(cudaEventCreateWithFlags(&standing.forked, cudaEventDisableTiming));
  if (!standing.joined) AutoCSRCallCUDA(cudaEventCreateWithFlags(&standing.joined, cudaEventDisableTiming));
  PetscCallCUDA(cudaEventRecord(standing.forked, AUTOCSR_STREAM));
  PetscCallCUDA(cudaStreamWaitEvent(standing.beside, standing.forked, 0));
  *beside = standing.beside;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceJoin(void)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaEventRecord(standing.joined, standing.beside));
  PetscCallCUDA(cudaStreamWaitEvent(AUTOCSR_STREAM, standing.joined, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceSynchronize(void)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaStreamSynchronize(AUTOCSR_STREAM));
  standing.sent = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceToHost(void *host, const void *data, size_t bytes)
{
  void *through = host;

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  if (bytes <= AUTOCSR_BOX_BYTES) {
    PetscCall(BoxesGet());
    if (standing.mailbox) through = standing.mailbox;
  }
  PetscCallCUDA(cudaMemcpyAsync(through, data, bytes, cudaMemcpyDeviceToHost, AUTOCSR_STREAM));
  PetscCall(AutoCSRDeviceSynchronize());
  if (through != host) PetscCall(PetscMemcpy(host, through, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceFromHost(void *data, const void *host, size_t bytes)
{
  PetscFunctionBegin;
  if (bytes >= AUTOCSR_UPLOAD_LEAST) {
    const AutoCSRUpload array = {data, host, bytes};
    int                 threads;

    PetscCall(AutoCSRDeviceUploadThreads(&threads));
    PetscCall(AutoCSRDeviceUpload(1, &array, threads));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
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
  if (!standing.mailbox || bytes > AUTOCSR_BOX_BYTES) {
    PetscCall(AutoCSRDeviceFromHost(data, host, bytes));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (standing.sent) PetscCall(AutoCSRDeviceSynchronize());
  PetscCall(PetscMemcpy(OUTBOX, host, bytes));
  PetscCallCUDA(cudaMemcpyAsync(data, OUTBOX, bytes, cudaMemcpyHostToDevice, AUTOCSR_STREAM));
  standing.sent = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
