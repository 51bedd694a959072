/* The exchange of a product's entries of x beside the product: who sends what is PETSc's star forest's, the way is ours */
#include "exchange.h"
#if defined(AUTOCSR_HAVE_CUDA)
  #include "../cuda/device.h"
  #include <petsc/private/vecimpl.h>
  #include <petscsf.h>

struct _p_AutoCSRExchange {
  PetscBool            usable; /* by all processes */
  MPI_Comm             comm;
  PetscMPIInt          n_sends, n_receives;
  MPI_Request         *request; /* persistent: receives, then sends */
  AutoCSRDeviceStaging staging;
  Vec                  received;
};

static PetscErrorCode ExchangeDestroy(void *data)
{
  AutoCSRExchange *e = *(AutoCSRExchange **)data;

  PetscFunctionBegin;
  for (PetscMPIInt i = 0; e->request && i < e->n_receives + e->n_sends; i++) {
    if (e->request[i] != MPI_REQUEST_NULL) PetscCallMPI(MPI_Request_free(&e->request[i]));
  }
  PetscCall(PetscFree(e->request));
  PetscCall(AutoCSRDeviceStagingDestroy(&e->staging));
  PetscCall(VecDestroy(&e->received));
  if (e->comm != MPI_COMM_NULL) PetscCall(PetscCommDestroy(&e->comm));
  PetscCall(PetscFree(*(AutoCSRExchange **)data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a forest of a product's vectors is: each leaf an entry of another process, those of one process side by side in the order of their sender's */
static PetscErrorCode ForestIsPlain(PetscSF sf, PetscInt n_local, PetscInt n_received, PetscBool *plain)
{
  PetscInt           n_roots, n_leaves, next = 0;
  PetscMPIInt        n, self;
  const PetscMPIInt *rank;
  const PetscInt    *offset, *mine;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)sf, PETSCSFBASIC, plain));
  if (!*plain) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFGetGraph(sf, &n_roots, &n_leaves, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)sf), &self));
  PetscCall(PetscSFGetRootRanks(sf, &n, &rank, &offset, &mine, NULL));
  *plain = (PetscBool)(n_roots == n_local && n_leaves == n_received && offset[n] == n_leaves);
  for (PetscMPIInt k = 0; *plain && k < n; k++) {
    if (rank[k] == self) *plain = PETSC_FALSE;
    for (PetscInt i = offset[k]; *plain && i < offset[k + 1]; i++) {
      if (i > offset[k] && mine[i] != mine[i - 1] + 1) *plain = PETSC_FALSE;
    }
    next += offset[k + 1] - offset[k];
  }
  if (next != n_leaves) *plain = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ExchangeSetUp(PetscSF sf, AutoCSRExchange *e)
{
  PetscMPIInt        tag;
  const PetscMPIInt *to, *from;
  const PetscInt    *to_offset, *from_offset, *index, *place;
  PetscInt           n_received;

  PetscFunctionBegin;
  PetscCall(PetscCommDuplicate(PetscObjectComm((PetscObject)sf), &e->comm, &tag));
  PetscCall(PetscSFGetRootRanks(sf, &e->n_receives, &from, &from_offset, &place, NULL));
  PetscCall(PetscSFGetLeafRanks(sf, &e->n_sends, &to, &to_offset, &index));
  PetscCall(VecGetLocalSize(e->received, &n_received));
  PetscCall(AutoCSRDeviceStagingCreate(e->n_sends ? to_offset[e->n_sends] : 0, index, n_received, &e->staging));
  PetscCall(PetscMalloc1(e->n_receives + e->n_sends, &e->request));
  for (PetscMPIInt k = 0; k < e->n_receives + e->n_sends; k++) e->request[k] = MPI_REQUEST_NULL;
  for (PetscMPIInt k = 0; k < e->n_receives; k++) {
    PetscMPIInt n;

    PetscCall(PetscMPIIntCast(from_offset[k + 1] - from_offset[k], &n));
    PetscCallMPI(MPI_Recv_init(PetscSafePointerPlusOffset(e->staging.receive, n ? place[from_offset[k]] : 0), n, MPIU_SCALAR, from[k], tag, e->comm, &e->request[k]));
  }
  for (PetscMPIInt k = 0; k < e->n_sends; k++) {
    PetscMPIInt n;

    PetscCall(PetscMPIIntCast(to_offset[k + 1] - to_offset[k], &n));
    PetscCallMPI(MPI_Send_init(PetscSafePointerPlusOffset(e->staging.send, to_offset[k]), n, MPIU_SCALAR, to[k], tag, e->comm, &e->request[e->n_receives + k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vectors have the same type, and are bound or not, on all processes */
static PetscErrorCode IsOnDevice(Vec v, PetscBool *device)
{
  PetscFunctionBegin;
  *device = PETSC_FALSE;
  if (!v->boundtocpu) PetscCall(PetscObjectTypeCompareAny((PetscObject)v, device, VECSEQCUDA, VECMPICUDA, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRExchangeGet(Mat A, Vec x, Vec y, AutoCSRExchange **exchange)
{
  static const char name[] = "AutoCSRExchange";
  PetscContainer    container;
  AutoCSRExchange  *e;
  PetscBool         device;
  PetscSF           sf;

  PetscFunctionBegin;
  *exchange = NULL;
  if (A->boundtocpu || use_gpu_aware_mpi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsOnDevice(x, &device));
  if (device) PetscCall(IsOnDevice(y, &device));
  if (!device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetMultPetscSF(A, &sf));
  if (!sf) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectQuery((PetscObject)sf, name, (PetscObject *)&container));
  if (!container) {
    Mat      off_diagonal;
    PetscInt n;

    PetscCall(PetscNew(&e));
    e->comm = MPI_COMM_NULL;
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
    PetscCall(PetscContainerSetPointer(container, e));
    PetscCall(PetscContainerSetCtxDestroy(container, ExchangeDestroy));
    PetscCall(PetscObjectCompose((PetscObject)sf, name, (PetscObject)container));
    PetscCall(PetscObjectDereference((PetscObject)container));
    PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, &off_diagonal, NULL));
    PetscCall(MatCreateVecs(off_diagonal, &e->received, NULL));
    PetscCall(VecGetLocalSize(e->received, &n));
    PetscCall(IsOnDevice(e->received, &device));
    if (device) PetscCall(ForestIsPlain(sf, A->cmap->n, n, &e->usable));
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &e->usable, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)A)));
    if (e->usable) PetscCall(ExchangeSetUp(sf, e));
    PetscCall(PetscInfo(A, "Products %s\n", e->usable ? "exchange entries of x beside themselves, through the host" : "leave the exchange of entries of x to PETSc: not all are in the order of the processes that own them"));
  } else
    PetscCall(PetscContainerGetPointer(container, (void **)&e));
  if (e->usable) *exchange = e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRExchangeBegin(AutoCSRExchange *e, Vec x)
{
  const PetscScalar *array;
  PetscMemType       memtype;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(VEC_ScatterBegin, x, e->received, 0, 0));
  PetscCall(AutoCSRDeviceStagingWaitDelivered(&e->staging));
  if (e->n_receives) PetscCallMPI(MPI_Startall(e->n_receives, e->request));
  PetscCall(VecGetArrayReadAndMemType(x, &array, &memtype));
  PetscCall(AutoCSRDeviceStagingPack(&e->staging, array));
  PetscCall(VecRestoreArrayReadAndMemType(x, &array));
  PetscCall(PetscLogEventEnd(VEC_ScatterBegin, x, e->received, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRExchangeEnd(AutoCSRExchange *e, Vec x, Vec *received)
{
  PetscScalar *array;
  PetscMemType memtype;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(VEC_ScatterEnd, x, e->received, 0, 0));
  PetscCall(AutoCSRDeviceStagingWaitPacked(&e->staging));
  if (e->n_sends) PetscCallMPI(MPI_Startall(e->n_sends, e->request + e->n_receives));
  if (e->n_receives) PetscCallMPI(MPI_Waitall(e->n_receives, e->request, MPI_STATUSES_IGNORE));
  PetscCall(VecGetArrayWriteAndMemType(e->received, &array, &memtype));
  PetscCall(AutoCSRDeviceStagingDeliver(&e->staging, array));
  PetscCall(VecRestoreArrayWriteAndMemType(e->received, &array));
  if (e->n_sends) PetscCallMPI(MPI_Waitall(e->n_sends, e->request + e->n_receives, MPI_STATUSES_IGNORE));
  if (e->staging.n_send) PetscCall(PetscLogGpuToCpu((PetscLogDouble)e->staging.n_send * (PetscLogDouble)sizeof(*array)));
  if (e->staging.n_receive) PetscCall(PetscLogCpuToGpu((PetscLogDouble)e->staging.n_receive * (PetscLogDouble)sizeof(*array)));
  PetscCall(PetscLogEventEnd(VEC_ScatterEnd, x, e->received, 0, 0));
  *received = e->received;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
