/* The exchange of a product's entries of x beside the product: who sends what is PETSc's star forest's, the way is ours */
#include "exchange.h"
#if defined(AUTOCSR_HAVE_CUDA)
  #include "../cuda/runtime/staging.h"
  #include <petsc/private/vecimpl.h>
  #include <petscsf.h>

/*
  Between devices, a process writes entries of product k into the half k mod 2 of its neighbour's memory, once it has the
  neighbour's message of product k - 1: that was sent when the neighbour had packed, for which its stream waited until
  product k - 2 had read that half. So messages go both ways between neighbours, whoever needs entries.
*/
struct _p_AutoCSRExchange {
  PetscBool            usable, set_up, devices; /* the same on all processes, as is: */
  PetscInt             due;                     /* products that PETSc's scatter is used for until it is set up */
  PetscBool            bound;                   /* on all processes the matrix was bound to the CPU when that was found out: it is found out again */
  MPI_Comm             comm;
  PetscMPIInt          n_sends, n_receives;
  MPI_Request         *request; /* persistent: receives, then sends */
  AutoCSRDeviceStaging staging;
  Vec                  received[2]; /* in products of even and odd number; through the host the first alone */
  int                  turn;
  char                 why[128]; /* why entries pass through the host although the way was ours to choose; the same on all processes */
};

/*
  Predicted seconds, by which every process changes to the exchange in the same product. OPENED is a device's first
  cudaIpcOpenMemHandle(), with what the set-up does besides. SCATTERED and BYTE are what products with PETSc's scatter
  took longer on nodes with NVLink (doc/lab/parallel.md).
*/
  #define OPENED       6e-3    /* to set up a program's first exchange, for each process whose memory is opened */
  #define OPENED_AGAIN 5e-4    /* the same for later exchanges */
  #define SCATTERED    2e-5    /* that a product with PETSc's scatter takes longer */
  #define BYTE         2.5e-10 /* the same for each byte that a process sends and receives */

static PetscBool opened; /* by this program */

static PetscErrorCode ExchangeDestroy(AutoCSRHeld held)
{
  AutoCSRExchange *e = (AutoCSRExchange *)AUTOCSR_HELD(held);

  PetscFunctionBegin;
  for (PetscMPIInt i = 0; e->request && i < e->n_receives + e->n_sends; i++) {
    if (e->request[i] != MPI_REQUEST_NULL) PetscCallMPI(MPI_Request_free(&e->request[i]));
  }
  PetscCall(PetscFree(e->request));
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&e->received[k]));
  PetscCall(AutoCSRDeviceStagingClose(&e->staging));
  if (e->devices) PetscCallMPI(MPI_Barrier(e->comm)); /* no memory goes that is open elsewhere */
  PetscCall(AutoCSRDeviceStagingDestroy(&e->staging));
  if (e->comm != MPI_COMM_NULL) PetscCall(PetscCommDestroy(&e->comm));
  PetscCall(PetscFree(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By all processes, on each of n <= 2. A PetscBool has another MPI type before PETSc 3.24 */
static PetscErrorCode Agree(MPI_Comm comm, PetscMPIInt n, PetscBool yes[])
{
  PetscMPIInt all[2] = {0, 0};

  PetscFunctionBegin;
  for (PetscMPIInt k = 0; k < n; k++) all[k] = yes[k];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, n, MPI_INT, MPI_LAND, comm));
  for (PetscMPIInt k = 0; k < n; k++) yes[k] = (PetscBool)all[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a forest of a product's vectors is: each leaf an entry of another process, those of one process side by side in the order of their sender's */
static PetscErrorCode ForestIsPlain(PetscSF sf, PetscInt n_local, PetscInt n_received, PetscBool *plain)
{
  PetscInt           n_roots, n_leaves;
  PetscMPIInt        n, self;
  const PetscMPIInt *rank;
  const PetscInt    *offset, *place;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)sf, PETSCSFBASIC, plain));
  if (!*plain) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFGetGraph(sf, &n_roots, &n_leaves, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)sf), &self));
  PetscCall(PetscSFGetRootRanks(sf, &n, &rank, &offset, &place, NULL));
  *plain = (PetscBool)(n_roots == n_local && n_leaves == n_received && offset[n] == n_leaves);
  for (PetscMPIInt k = 0; *plain && k < n; k++) {
    if (rank[k] == self) *plain = PETSC_FALSE;
    for (PetscInt i = offset[k] + 1; *plain && i < offset[k + 1]; i++) *plain = (PetscBool)(place[i] == place[i - 1] + 1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: whether all processes have opened what was offered; if not, the reason of the first that has one */
static PetscErrorCode AgreeOnDevices(AutoCSRExchange *e)
{
  PetscMPIInt rank, size, all[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(e->comm, &rank));
  PetscCallMPI(MPI_Comm_size(e->comm, &size));
  all[0] = e->devices;
  all[1] = e->staging.failed ? rank : size;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT, MPI_MIN, e->comm));
  e->devices = (PetscBool)all[0];
  if (all[1] == size) PetscFunctionReturn(PETSC_SUCCESS);
  if (all[1] == rank) PetscCall(PetscSNPrintf(e->why, sizeof(e->why), ": %s() failed on rank %d (%s)", e->staging.failed, PetscGlobalRank, e->staging.error));
  PetscCallMPI(MPI_Bcast(e->why, (PetscMPIInt)sizeof(e->why), MPI_CHAR, all[1], e->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the others offer is opened. Nothing is lost if that fails somewhere, or if not all processes are on one node */
static PetscErrorCode TryDevices(AutoCSRExchange *e, PetscSF sf)
{
  typedef struct {
    AutoCSRDeviceOffer offer;
    PetscInt           place;
  } Letter;
  PetscMPIInt        tag, n_senders, n_receivers, size, node_size;
  const PetscMPIInt *sender, *receiver;
  const PetscInt    *offset, *place;
  AutoCSRDeviceOffer offer;
  Letter            *in, *out;
  MPI_Request       *request;
  MPI_Comm           node;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(e->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_size(node, &node_size));
  PetscCallMPI(MPI_Comm_free(&node));
  PetscCallMPI(MPI_Comm_size(e->comm, &size));
  e->devices = (PetscBool)(node_size == size);
  PetscCall(Agree(e->comm, 1, &e->devices));
  if (!e->devices) {
    PetscCall(PetscStrncpy(e->why, ": the ranks are not on one node", sizeof(e->why)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscCall(PetscCommGetNewTag(e->comm, &tag));
  PetscCall(PetscSFGetRootRanks(sf, &n_senders, &sender, &offset, &place, NULL));
  PetscCall(PetscSFGetLeafRanks(sf, &n_receivers, &receiver, NULL, NULL));
  PetscCall(PetscMalloc3(n_receivers, &in, n_senders, &out, n_receivers + n_senders, &request));
  PetscCall(AutoCSRDeviceStagingOffer(&e->staging, &offer));
  for (PetscMPIInt k = 0; k < n_receivers; k++) PetscCallMPI(MPI_Irecv(&in[k], (PetscMPIInt)sizeof(*in), MPI_BYTE, receiver[k], tag, e->comm, &request[k]));
  for (PetscMPIInt k = 0; k < n_senders; k++) {
    PetscCall(PetscMemzero(&out[k], sizeof(*out)));
    out[k].offer = offer;
    out[k].place = offset[k] < offset[k + 1] ? place[offset[k]] : 0;
    PetscCallMPI(MPI_Isend(&out[k], (PetscMPIInt)sizeof(*out), MPI_BYTE, sender[k], tag, e->comm, &request[n_receivers + k]));
  }
  PetscCallMPI(MPI_Waitall(n_receivers + n_senders, request, MPI_STATUSES_IGNORE));
  for (PetscMPIInt k = 0; e->devices && k < n_receivers; k++) PetscCall(AutoCSRDeviceStagingOpen(&e->staging, k, &in[k].offer, in[k].place, &e->devices));
  if (n_senders && !offer.there) e->devices = PETSC_FALSE;
  PetscCall(PetscFree3(in, out, request));
  PetscCall(AgreeOnDevices(e));
  if (!e->devices) {
    PetscCall(AutoCSRDeviceStagingClose(&e->staging));
    PetscCallMPI(MPI_Barrier(e->comm));
    PetscCall(AutoCSRDeviceStagingWithdraw(&e->staging));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Messages without content to and from all neighbours: those that are sent to, and those of the others that are received from */
static PetscErrorCode MakeSignals(AutoCSRExchange *e, PetscSF sf, PetscMPIInt tag)
{
  PetscMPIInt        n_senders, n_receivers, n = 0;
  const PetscMPIInt *sender, *receiver;
  PetscMPIInt       *neighbour;

  PetscFunctionBegin;
  PetscCall(PetscSFGetRootRanks(sf, &n_senders, &sender, NULL, NULL, NULL));
  PetscCall(PetscSFGetLeafRanks(sf, &n_receivers, &receiver, NULL, NULL));
  PetscCall(PetscMalloc1(n_senders + n_receivers, &neighbour));
  for (; n < n_receivers; n++) neighbour[n] = receiver[n];
  for (PetscMPIInt k = 0; k < n_senders; k++) {
    PetscBool known = PETSC_FALSE;

    for (PetscMPIInt i = 0; !known && i < n_receivers; i++) known = (PetscBool)(receiver[i] == sender[k]);
    if (!known) neighbour[n++] = sender[k];
  }
  e->n_sends = e->n_receives = n;
  PetscCall(PetscMalloc1(2 * n, &e->request));
  for (PetscMPIInt k = 0; k < n; k++) {
    PetscCallMPI(MPI_Recv_init(NULL, 0, MPI_BYTE, neighbour[k], tag, e->comm, &e->request[k]));
    PetscCallMPI(MPI_Send_init(NULL, 0, MPI_BYTE, neighbour[k], tag, e->comm, &e->request[n + k]));
  }
  PetscCall(PetscFree(neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMessages(AutoCSRExchange *e, PetscSF sf, PetscMPIInt tag)
{
  const PetscMPIInt *to, *from;
  const PetscInt    *to_offset, *from_offset, *place;

  PetscFunctionBegin;
  PetscCall(PetscSFGetRootRanks(sf, &e->n_receives, &from, &from_offset, &place, NULL));
  PetscCall(PetscSFGetLeafRanks(sf, &e->n_sends, &to, &to_offset, NULL));
  PetscCall(PetscMalloc1(e->n_receives + e->n_sends, &e->request));
  for (PetscMPIInt k = 0; k < e->n_receives; k++) {
    PetscMPIInt n;

    PetscCall(PetscMPIIntCast(from_offset[k + 1] - from_offset[k], &n));
    PetscCallMPI(MPI_Recv_init(n ? e->staging.receive + place[from_offset[k]] : NULL, n, MPIU_SCALAR, from[k], tag, e->comm, &e->request[k]));
  }
  for (PetscMPIInt k = 0; k < e->n_sends; k++) {
    PetscMPIInt n;

    PetscCall(PetscMPIIntCast(to_offset[k + 1] - to_offset[k], &n));
    PetscCallMPI(MPI_Send_init(n ? e->staging.send + to_offset[k] : NULL, n, MPIU_SCALAR, to[k], tag, e->comm, &e->request[e->n_receives + k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ExchangeSetUp(AutoCSRExchange *e, PetscSF sf, MatAutoCSRExchange way)
{
  PetscMPIInt     n, tag;
  const PetscInt *begin, *index;
  PetscInt        n_received;

  PetscFunctionBegin;
  PetscCall(PetscCommDuplicate(PetscObjectComm((PetscObject)sf), &e->comm, &tag));
  PetscCall(PetscSFGetLeafRanks(sf, &n, NULL, &begin, &index));
  PetscCall(VecGetLocalSize(e->received[0], &n_received));
  PetscCall(AutoCSRDeviceStagingCreate(n, begin, index, n_received, &e->staging));
  if (way == MAT_AUTOCSR_EXCHANGE_AUTO) PetscCall(TryDevices(e, sf));
  if (e->devices) {
    opened = PETSC_TRUE;
    PetscCall(VecDestroy(&e->received[0]));
    for (int k = 0; k < 2; k++) PetscCall(VecCreateSeqCUDAWithArray(PETSC_COMM_SELF, 1, n_received, n_received ? e->staging.landing + k * n_received : NULL, &e->received[k]));
    PetscCall(MakeSignals(e, sf, tag));
  } else {
    PetscScalar *array;
    PetscMemType memtype;

    /* A vector allocates when its entries are first asked for, in the order of PETSc's stream: now, before any product records what the staging's stream waits for */
    PetscCall(VecGetArrayWriteAndMemType(e->received[0], &array, &memtype));
    PetscCall(VecRestoreArrayWriteAndMemType(e->received[0], &array));
    PetscCall(AutoCSRDeviceStagingUseHost(&e->staging));
    PetscCall(MakeMessages(e, sf, tag));
  }
  PetscCall(AutoCSRDeviceStagingReady(&e->staging));
  e->set_up = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: by the process for which it is the most */
static PetscErrorCode CountUntilDue(MPI_Comm comm, PetscSF sf, PetscInt n_received, PetscInt *due)
{
  const PetscInt *begin;
  PetscMPIInt     n;
  PetscInt        most[3]; /* processes, entries, whether none was opened yet: by one process perhaps, of a part of these */

  PetscFunctionBegin;
  PetscCall(PetscSFGetLeafRanks(sf, &n, NULL, &begin, NULL));
  most[0] = n;
  most[1] = n_received + (n ? begin[n] : 0);
  most[2] = !opened;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 3, MPIU_INT, MPI_MAX, comm));
  *due = (PetscInt)(most[0] * (most[2] ? OPENED : OPENED_AGAIN) / (SCATTERED + (double)most[1] * (double)sizeof(PetscScalar) * BYTE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the type, which is the same on all processes; where the entries of one are, is not: PETSc binds small parts to the CPU. Any type but the host's own counts, Kokkos' too */
static PetscErrorCode IsOfDevice(Vec v, PetscBool *device)
{
  PetscBool host;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, &host, VECSEQ, VECMPI, VECSHARED, ""));
  *device = (PetscBool)!host;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: whether all processes can, and when */
static PetscErrorCode ExchangeCreate(Mat A, PetscSF sf, const char name[], PetscBool wait, AutoCSRExchange **exchange)
{
  AutoCSRExchange *e;
  PetscContainer   container;
  Mat              off_diagonal;
  PetscInt         n;
  PetscBool        all[2] = {PETSC_FALSE, A->boundtocpu}, device = PETSC_FALSE; /* usable, bound */

  PetscFunctionBegin;
  PetscCall(PetscNew(&e));
  e->comm = MPI_COMM_NULL;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, e));
  PetscCall(AutoCSRContainerSetDestroy(container, ExchangeDestroy));
  PetscCall(PetscObjectCompose((PetscObject)sf, name, (PetscObject)container));
  PetscCall(PetscObjectDereference((PetscObject)container));
  PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, &off_diagonal, NULL));
  PetscCall(MatCreateVecs(off_diagonal, &e->received[0], NULL));
  PetscCall(VecGetLocalSize(e->received[0], &n));
  PetscCall(IsOfDevice(e->received[0], &device));
  if (device && !A->boundtocpu && !off_diagonal->boundtocpu) PetscCall(ForestIsPlain(sf, A->cmap->n, n, &all[0]));
  PetscCall(Agree(PetscObjectComm((PetscObject)A), 2, all));
  if (all[0] && wait) PetscCall(CountUntilDue(PetscObjectComm((PetscObject)A), sf, n, &e->due));
  e->usable = all[0];
  e->bound  = all[1];
  PetscCall(PetscInfo(A, "Products leave the exchange of entries of x to PETSc%s\n", e->usable ? " until they have paid for another" : ""));
  *exchange = e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *NameOf(MatAutoCSRExchange way)
{
  return way == MAT_AUTOCSR_EXCHANGE_AUTO ? "AutoCSRExchange_auto" : "AutoCSRExchange_host";
}

static PetscErrorCode ExchangeQuery(PetscSF sf, MatAutoCSRExchange way, AutoCSRExchange **exchange)
{
  PetscContainer container;

  PetscFunctionBegin;
  *exchange = NULL;
  PetscCall(PetscObjectQuery((PetscObject)sf, NameOf(way), (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  All that decides is the same on all processes: types, settings, what was agreed upon, and whether a matrix that was bound
  to the CPU on all of them, or on none, still is so (MatBindToCPU() is logically collective; -mat_bind_below is not)
*/
PetscErrorCode AutoCSRExchangeGet(Mat A, const AutoCSRSettings *settings, Vec x, AutoCSRExchange **exchange)
{
  const PetscBool  wait = (PetscBool)(settings->progressive && settings->exchange == MAT_AUTOCSR_EXCHANGE_AUTO);
  AutoCSRExchange *e;
  PetscBool        device = PETSC_FALSE;
  PetscSF          sf;

  PetscFunctionBegin;
  *exchange = NULL;
  if (use_gpu_aware_mpi || settings->exchange == MAT_AUTOCSR_EXCHANGE_SCATTER) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsOfDevice(x, &device));
  if (!device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAutoCSRGetForest(A, PETSC_TRUE, &sf));
  if (!sf) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ExchangeQuery(sf, settings->exchange, &e));
  if (!e || (e->bound && !A->boundtocpu)) PetscCall(ExchangeCreate(A, sf, NameOf(settings->exchange), wait, &e));
  if (!e->usable || A->boundtocpu) PetscFunctionReturn(PETSC_SUCCESS);
  if (!e->set_up) {
    if (wait && e->due > 0) {
      e->due--;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    e->usable = PETSC_FALSE; /* should it fail */
    PetscCall(ExchangeSetUp(e, sf, settings->exchange));
    e->usable = PETSC_TRUE;
    PetscCall(PetscInfo(A, "Products exchange entries of x %s%s\n", e->devices ? "from device to device" : "beside themselves, through the host", e->why));
  }
  *exchange = e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRExchangeIsSettled(Mat A, PetscBool *settled)
{
  AutoCSRContext  *ctx;
  AutoCSRExchange *e  = NULL;
  PetscSF          sf = NULL;

  PetscFunctionBegin;
  PetscCall(AutoCSRContextGet(A, &ctx));
  if (A->assembled) PetscCall(MatMPIAutoCSRGetForest(A, PETSC_FALSE, &sf));
  if (sf) PetscCall(ExchangeQuery(sf, ctx->settings.exchange, &e));
  *settled = (PetscBool)(!e || !e->usable || e->set_up);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRExchangeBegin(AutoCSRExchange *e, Vec x)
{
  const PetscScalar *array;
  PetscMemType       memtype;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(VEC_ScatterBegin, x, 0, 0, 0));
  PetscCall(VecGetArrayReadAndMemType(x, &array, &memtype)); /* before anything is begun: there may be no memory for it */
  if (!e->devices) PetscCall(AutoCSRDeviceStagingWaitDelivered(&e->staging));
  PetscCall(AutoCSRDeviceStagingPack(&e->staging, !e->turn, x->map->n, array, PetscMemTypeHost(memtype)));
  e->turn = !e->turn;
  if (e->n_receives) PetscCallMPI(MPI_Startall(e->n_receives, e->request));
  PetscCall(VecRestoreArrayReadAndMemType(x, &array));
  PetscCall(PetscLogEventEnd(VEC_ScatterBegin, x, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRExchangeEnd(AutoCSRExchange *e, Vec x, Vec *received)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(VEC_ScatterEnd, x, 0, 0, 0));
  PetscCall(AutoCSRDeviceStagingWaitPacked(&e->staging));
  if (e->n_sends) PetscCallMPI(MPI_Startall(e->n_sends, e->request + e->n_receives));
  if (e->n_receives) PetscCallMPI(MPI_Waitall(e->n_receives, e->request, MPI_STATUSES_IGNORE));
  *received = e->received[e->devices ? e->turn : 0];
  if (e->devices && e->staging.n_receive) { /* written from elsewhere: a copy that the host may have is an old one */
    (*received)->offloadmask = PETSC_OFFLOAD_GPU;
    PetscCall(PetscObjectStateIncrease((PetscObject)*received));
  }
  if (!e->devices) {
    PetscScalar *array;
    PetscMemType memtype;

    PetscCall(VecGetArrayWriteAndMemType(*received, &array, &memtype));
    PetscCall(AutoCSRDeviceStagingDeliver(&e->staging, array));
    PetscCall(VecRestoreArrayWriteAndMemType(*received, &array));
    if (e->staging.n_send) PetscCall(PetscLogGpuToCpu((PetscLogDouble)e->staging.n_send * (PetscLogDouble)sizeof(*array)));
    if (e->staging.n_receive) PetscCall(PetscLogCpuToGpu((PetscLogDouble)e->staging.n_receive * (PetscLogDouble)sizeof(*array)));
  }
  if (e->n_sends) PetscCallMPI(MPI_Waitall(e->n_sends, e->request + e->n_receives, MPI_STATUSES_IGNORE));
  PetscCall(PetscLogEventEnd(VEC_ScatterEnd, x, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
