/*
  BASE of shares of entries in the CSR's order, whatever their rows: a warp goes through a share at a time.
*/
#include "encode.cuh"

static constexpr int WARPS = BLOCK / WARP;

/* too_wide: 1 + a share whose columns 16 bits do not hold */
static __global__ void __launch_bounds__(BLOCK) ShareBases(AutoCSRSegment seg, AutoCSRMatrix csr, DeviceCount *too_wide)
{
  PtxWaitForLast();
  const PetscInt   share = AutoCSRAxesBaseEntries(&seg.axes), *col = csr.col + csr.row_ptr[seg.row_begin];
  PetscInt        *base = (PetscInt *)seg.stream[AUTOCSR_STREAM_BASE].data;
  const PetscInt64 step = (PetscInt64)gridDim.x * WARPS;

  for (PetscInt64 s = (PetscInt64)blockIdx.x * WARPS + threadIdx.x / WARP; s < seg.n_slices; s += step) {
    const PetscInt64 end = (s + 1) * share < seg.nnz ? (s + 1) * share : seg.nnz;
    PetscInt         lo = csr.n, hi = -1;

    for (PetscInt64 q = s * share + Lane(); q < end; q += WARP) {
      lo = lo < col[q] ? lo : col[q];
      hi = hi > col[q] ? hi : col[q];
    }
    lo = WarpMin(lo);
    hi = WarpMax(hi);
    if (Lane() == 0) {
      base[s] = lo;
      if (hi - lo >= 65536) atomicMax(too_wide, (DeviceCount)s + 1);
    }
  }
}

PetscErrorCode DeviceEncodeShareBases(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt share = AutoCSRAxesBaseEntries(&seg->axes);
  DeviceScratch  scratch;
  DeviceCount   *device, too_wide;

  PetscFunctionBegin;
  seg->n_slices = AutoCSRBaseShares(seg->nnz, share);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BASE, seg->n_slices));
  if (!seg->n_slices) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(scratch.Allocate(1, &device));
  PetscCallCUDA(cudaMemsetAsync(device, 0, sizeof(*device), AUTOCSR_STREAM));
  Launch(ShareBases, GridOf(Pieces(seg->n_slices, WARPS), 4096), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, device);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(AutoCSRDeviceToHost(&too_wide, device, sizeof(too_wide)));
  PetscCheck(!too_wide, PETSC_COMM_SELF, PETSC_ERR_PLIB, "16 bits do not hold the columns of share %" PetscInt_FMT " of %" PetscInt_FMT " entries", (PetscInt)too_wide - 1, share);
  PetscFunctionReturn(PETSC_SUCCESS);
}
