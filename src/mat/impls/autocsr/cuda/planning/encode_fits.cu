/* SLICE_FIT, FIT and INDEX of slices that are coded by models */
#include "encode.cuh"
#include "../common/fits.cuh"
#include <cub/device/device_scan.cuh>

static __device__ __forceinline__ void LoadRows(const AutoCSRSegment &seg, const AutoCSRMatrix &csr, PetscInt s, SliceRows &rows)
{
  const PetscInt k = s * WARP + Lane(), length = AutoCSRSegmentRowLength(&seg, &csr, k);

  __syncwarp();
  rows.length[Lane()] = length;
  rows.begin[Lane()]  = length ? csr.row_ptr[AutoCSRSegmentRow(&seg, k)] : 0;
  __syncwarp();
}

/* Period and width of each slice; size[s]: of its residuals, by the height */
static __global__ void __launch_bounds__(BLOCK) ChooseModels(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt64 size[])
{
  PtxWaitForLast();
  __shared__ SliceRows slice[BLOCK / WARP];
  SliceRows           &rows      = slice[threadIdx.x / WARP];
  AutoCSRSliceFit     *fit       = (AutoCSRSliceFit *)seg.stream[AUTOCSR_STREAM_SLICE_FIT].data;
  const PetscInt      *slice_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_SLICE_PTR].data;

  for (PetscInt64 s = FirstOfThread() / WARP; s < seg.n_slices; s += StrideOfThreads() / WARP) {
    const PetscInt width = (slice_ptr[s + 1] - slice_ptr[s]) / WARP;
    int            period;

    LoadRows(seg, csr, (PetscInt)s, rows);
    const int bytes = FitSlice(csr.col, rows, width, &period);

    if (Lane() == 0) {
      AutoCSRSliceFit f = {};

      f.period = (uint16_t)period;
      f.width  = (uint16_t)bytes;
      fit[s]   = f;
      size[s]  = (PetscInt64)width * bytes;
    }
  }
}

static __global__ void __launch_bounds__(BLOCK) WriteBegins(AutoCSRSegment seg, const PetscInt64 end[])
{
  PtxWaitForLast();
  AutoCSRSliceFit *fit = (AutoCSRSliceFit *)seg.stream[AUTOCSR_STREAM_SLICE_FIT].data;

  for (PetscInt64 s = FirstOfThread(); s < seg.n_slices; s += StrideOfThreads()) fit[s].begin = s ? (PetscInt)end[s - 1] : 0;
}

static __global__ void __launch_bounds__(BLOCK) WriteFits(AutoCSRSegment seg, AutoCSRMatrix csr)
{
  PtxWaitForLast();
  __shared__ SliceRows slice[BLOCK / WARP];
  SliceRows           &rows      = slice[threadIdx.x / WARP];
  const PetscInt      *slice_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_SLICE_PTR].data;

  for (PetscInt64 s = FirstOfThread() / WARP; s < seg.n_slices; s += StrideOfThreads() / WARP) {
    LoadRows(seg, csr, (PetscInt)s, rows);
    for (PetscInt t = Lane(); t < (slice_ptr[s + 1] - slice_ptr[s]) / WARP; t += WARP) AutoCSREncodeFit(&seg, &csr, (PetscInt)s, t, rows.begin, rows.length);
  }
}

PetscErrorCode DeviceEncodeFits(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt slots)
{
  const unsigned grid = GridOf(Pieces(seg->n_slices, BLOCK / WARP), 4096);
  DeviceScratch  scratch;
  PetscInt64    *size, bytes = 0;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_FIT, seg->n_slices));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_FIT, slots / WARP));
  if (seg->n_slices) {
    PetscCall(scratch.Allocate((size_t)seg->n_slices, &size));
    Launch(ChooseModels, grid, BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, size);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(RunWithStorage([&](void *temporary, size_t &room) { return cub::DeviceScan::InclusiveSum(temporary, room, size, size, seg->n_slices, AUTOCSR_STREAM); }));
    Launch(WriteBegins, grid, BLOCK, 0, AUTOCSR_STREAM)(*seg, size);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(AutoCSRDeviceToHost(&bytes, &size[seg->n_slices - 1], sizeof(bytes)));
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, bytes * WARP));
  if (seg->n_slices) {
    Launch(WriteFits, grid, BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
