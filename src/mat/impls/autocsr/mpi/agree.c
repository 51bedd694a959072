/*
  The figures by which the blocks of a parallel matrix are planned: those of its communicator's first process, so that all choose alike whatever files they have found. Matrices of one
  process are planned by the process's own.
*/
#include "mpiautocsr.h"

static PetscErrorCode AutoCSRBackendsInUse(const AutoCSRBackend *backend[2])
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  backend[0] = &AutoCSRBackendHost;
  backend[1] = NULL;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
#if defined(AUTOCSR_HAVE_CUDA)
  if (parent->device) backend[1] = &AutoCSRBackendCUDA;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective, whatever each process has found: what is sent does not depend on it */
PetscErrorCode MatMPIAutoCSRAgree(Mat A, AutoCSRContext *ctx)
{
  const size_t          bytes = AutoCSRFiguresBytes();
  const AutoCSRBackend *backend[2];
  MPI_Comm              comm      = PetscObjectComm((PetscObject)A);
  uint64_t              digest[4] = {0}, least[4]; /* of the figures, and what is least where they are greatest */
  char                 *packed;
  PetscMPIInt           size;

  PetscFunctionBegin;
  if (ctx->agreed) PetscFunctionReturn(PETSC_SUCCESS);
  ctx->agreed     = PETSC_TRUE;
  ctx->figures[0] = ctx->figures[1] = NULL;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRBackendsInUse(backend));
  for (int k = 0; k < 2; k++) {
    if (backend[k]) PetscCall(AutoCSRFiguresGetDigest(backend[k], ctx->settings.simd, &digest[k]));
    digest[2 + k] = ~digest[k];
  }
  PetscCallMPI(MPI_Allreduce(digest, least, 4, MPI_UINT64_T, MPI_MIN, comm));
  if (least[0] != ~least[2] || least[1] != ~least[3]) {
    PetscCall(PetscCalloc1(2 * bytes, &packed));
    for (int k = 0; k < 2; k++) {
      if (backend[k]) PetscCall(AutoCSRFiguresPack(backend[k], ctx->settings.simd, packed + k * bytes));
    }
    PetscCall(PetscInfo(A, "The processes have different figures of their machines: the blocks are planned by those of the first\n"));
    PetscCallMPI(MPI_Bcast(packed, (PetscMPIInt)(2 * bytes), MPI_BYTE, 0, comm));
    PetscCallMPI(MPI_Bcast(digest, 2, MPI_UINT64_T, 0, comm));
    for (int k = 0; k < 2; k++) {
      if (backend[k] && digest[k]) PetscCall(AutoCSRFiguresUnpack(backend[k], ctx->settings.simd, packed + k * bytes, &ctx->figures[k]));
    }
    PetscCall(PetscFree(packed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
