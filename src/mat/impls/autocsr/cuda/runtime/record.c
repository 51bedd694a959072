/*
  Recorded launches are a graph of CUDA's, captured on a stream of the library's own: the legacy default stream, which may be PETSc's, cannot be
  captured. Kernels stay launched early (common/early.cuh), which a graph has from CUDA 12.3 on.
*/
#include "record.h"

#define RECORDS_FROM 12030 /* version of CUDA, and of the one that the driver has */

static cudaStream_t recording; /* NULL: nothing is recorded */

cudaStream_t AutoCSRLaunchStream(void)
{
  return recording ? recording : AUTOCSR_STREAM;
}

PetscBool AutoCSRRecordIsUnderWay(void)
{
  return (PetscBool)(recording != NULL);
}

/* The caller goes on without a record: the next check finds no error */
static PetscBool Failed(cudaError_t error, const char **why)
{
  if (error == cudaSuccess) return PETSC_FALSE;
  (void)cudaGetLastError();
  if (!*why) *why = cudaGetErrorString(error);
  return PETSC_TRUE;
}

PetscErrorCode AutoCSRRecordBegin(PetscBool *begun, const char **why)
{
  cudaStream_t stream;
  int          driver;

  PetscFunctionBegin;
  PetscCallCUDA(cudaDriverGetVersion(&driver));
  *begun = PETSC_FALSE;
  *why   = PetscMin(CUDART_VERSION, driver) < RECORDS_FROM ? "this CUDA records no kernels that are launched early" : NULL;
  if (*why || Failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), why)) PetscFunctionReturn(PETSC_SUCCESS);
  if (Failed(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), why)) {
    PetscCallCUDA(cudaStreamDestroy(stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  recording = stream;
  *begun    = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRRecordEnd(AutoCSRRecord *record, const char **why)
{
  cudaStream_t stream = recording;
  cudaGraph_t  graph  = NULL;

  PetscFunctionBegin;
  *record   = NULL;
  *why      = NULL;
  recording = NULL;
  if (!Failed(cudaStreamEndCapture(stream, &graph), why) && Failed(cudaGraphInstantiate(record, graph, 0), why)) *record = NULL;
  if (graph) PetscCallCUDA(cudaGraphDestroy(graph));
  PetscCallCUDA(cudaStreamDestroy(stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRRecordRepeat(AutoCSRRecord record)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  AutoCSRCallCUDA(cudaGraphLaunch(record, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRRecordDestroy(AutoCSRRecord *record)
{
  PetscFunctionBegin;
  if (*record) PetscCallCUDA(cudaGraphExecDestroy(*record));
  *record = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
