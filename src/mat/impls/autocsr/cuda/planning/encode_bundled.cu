/*
  The streams of order bundled on the device (layout/bundled.c on the host): a thread takes a bundle.

  Bytes: of an entry its column, read twice; of a unit 5, of a part 12 PetscInts.
*/
#include "encode.cuh"
#include "../common/sums.cuh"
#include "../../layout/bundled.h"

static __global__ void __launch_bounds__(BLOCK) CountUnits(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt units[], PetscInt parts[])
{
  PtxWaitForLast();
  for (PetscInt64 b = FirstOfThread(); b <= seg.n_slices; b += StrideOfThreads()) {
    units[b] = b < seg.n_slices ? AutoCSRBundleCountUnits(&seg, &csr, (PetscInt)b) : 0;
    parts[b] = b < seg.n_slices ? AutoCSRBundleCountParts(&seg, units[b]) : 0;
  }
}

static __global__ void __launch_bounds__(BLOCK) WriteUnits(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt part_ptr[])
{
  PtxWaitForLast();
  for (PetscInt64 b = FirstOfThread(); b <= seg.n_slices; b += StrideOfThreads()) {
    if (b < seg.n_slices)
      AutoCSREncodeBundle(&seg, &csr, (PetscInt)b, part_ptr[b]);
    else
      ((AutoCSRBundlePart *)seg.stream[AUTOCSR_STREAM_BUNDLE_PART].data)[part_ptr[b]] = AutoCSRBundleEnd(&seg, ((const PetscInt *)seg.stream[AUTOCSR_STREAM_SLICE_PTR].data)[b]);
  }
}

/* With room for where the parts of each bundle begin */
static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt part_ptr[])
{
  PetscInt *ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, units, parts;

  PetscFunctionBegin;
  Launch(CountUnits, GridOfThreads(seg->n_slices + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr, part_ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(seg->n_slices, ptr));
  PetscCall(SumUp(seg->n_slices, part_ptr));
  PetscCall(AutoCSRDeviceToHost(&units, ptr + seg->n_slices, sizeof(units)));
  PetscCall(AutoCSRDeviceToHost(&parts, part_ptr + seg->n_slices, sizeof(parts)));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, units));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_MASK, units));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BUNDLE_PART, (PetscInt64)parts + 1));
  Launch(WriteUnits, GridOfThreads(seg->n_slices + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, part_ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeBundled(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  DeviceScratch scratch;
  PetscInt     *part_ptr;

  PetscFunctionBegin;
  seg->n_slices = AutoCSRBundles(seg);
  PetscCall(AutoCSRSegmentCheckSlots(seg, (PetscInt64)seg->nnz + (AUTOCSR_BUNDLE_STEP - 1) * (PetscInt64)seg->n_slices)); /* units, and those that fill bundles up */
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_PTR, seg->n_slices + 1));
  PetscCall(scratch.Allocate((size_t)seg->n_slices + 1, &part_ptr));
  PetscCall(Encode(seg, csr, part_ptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
