/*
  The streams of order bundled on the device (layout/bundled.c on the host): a thread takes a bundle.

  Bytes: of an entry its column, read twice, and its value; of a unit 5.
*/
#include "encode.cuh"
#include "../common/sums.cuh"
#include "../../layout/bundled.h"

static __global__ void __launch_bounds__(BLOCK) CountUnits(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt units[])
{
  PtxWaitForLast();
  for (PetscInt64 b = FirstOfThread(); b <= seg.n_slices; b += StrideOfThreads()) units[b] = b < seg.n_slices ? AutoCSRBundleCountUnits(&seg, &csr, (PetscInt)b) : 0;
}

static __global__ void __launch_bounds__(BLOCK) WriteUnits(AutoCSRSegment seg, AutoCSRMatrix csr)
{
  PtxWaitForLast();
  for (PetscInt64 b = FirstOfThread(); b < seg.n_slices; b += StrideOfThreads()) AutoCSREncodeBundle(&seg, &csr, (PetscInt)b);
}

static __global__ void __launch_bounds__(BLOCK) WriteValues(AutoCSRSegment seg, AutoCSRMatrix csr, const AutoCSRDictionary *dictionary)
{
  PtxWaitForLast();
  for (PetscInt64 b = FirstOfThread(); b < seg.n_slices; b += StrideOfThreads()) AutoCSREncodeBundleValues(&seg, &csr, dictionary, (PetscInt)b);
}

PetscErrorCode DeviceEncodeBundleValues(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  PetscFunctionBegin;
  if (!seg->n_slices) PetscFunctionReturn(PETSC_SUCCESS);
  Launch(WriteValues, GridOfThreads(seg->n_slices), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, dictionary);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeBundled(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  PetscInt *ptr, units;

  PetscFunctionBegin;
  seg->n_slices = AutoCSRBundles(seg);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_PTR, seg->n_slices + 1));
  ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  Launch(CountUnits, GridOfThreads(seg->n_slices + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(seg->n_slices, ptr));
  PetscCall(AutoCSRDeviceToHost(&units, ptr + seg->n_slices, sizeof(units)));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, units));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_MASK, units));
  if (seg->n_slices) {
    Launch(WriteUnits, GridOfThreads(seg->n_slices), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  if (AutoCSRValueIsStored(seg->axes.value)) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, seg->nnz));
    PetscCall(DeviceEncodeBundleValues(seg, csr, dictionary));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
