/* BASE, INDEX and BLOCK_PTR where dense blocks have one code each, and VALUE where blocks lie side by side: a warp for each slice of block rows, then for each block row */
#include "encode.cuh"

static __global__ void __launch_bounds__(BLOCK) FindBases(AutoCSRSegment seg, AutoCSRMatrix csr, DeviceCount *too_wide)
{
  PtxWaitForLast();
  PetscInt *base = (PetscInt *)seg.stream[AUTOCSR_STREAM_BASE].data;

  for (PetscInt64 s = FirstOfThread() / WARP; s < seg.n_slices; s += StrideOfThreads() / WARP) {
    const PetscInt k = ((PetscInt)s * WARP + Lane()) * seg.axes.block, length = AutoCSRSegmentRowLength(&seg, &csr, k);
    const PetscInt begin = length ? csr.row_ptr[seg.row_begin + k] : 0;
    const PetscInt lo = WarpMin(length ? csr.col[begin] : csr.n), hi = WarpMax(length ? csr.col[begin + length - 1] : -1);

    if (Lane() == 0) {
      base[s] = hi < 0 ? 0 : lo;
      if ((hi - lo) / seg.axes.block >= 65536) atomicMax(too_wide, (DeviceCount)s + 1);
    }
  }
}

template <typename Code>
static __global__ void __launch_bounds__(BLOCK) EncodeBlocks(AutoCSRSegment seg, AutoCSRMatrix csr)
{
  PtxWaitForLast();
  for (PetscInt64 i = FirstOfThread() / WARP; i < seg.n_rows / seg.axes.block; i += StrideOfThreads() / WARP) {
    const PetscInt k = (PetscInt)i * seg.axes.block, blocks = AutoCSRSegmentRowLength(&seg, &csr, k) / seg.axes.block;
    Code          *to = (Code *)seg.stream[AUTOCSR_STREAM_INDEX].data + AutoCSRSegmentBlockSlot(&seg, &csr, k);

    for (PetscInt t = Lane(); t < blocks; t += WARP) to[t] = (Code)AutoCSREncodeBlock(&seg, &csr, k, t);
  }
}

static __global__ void __launch_bounds__(BLOCK) EncodeBlockPtr(AutoCSRSegment seg, AutoCSRMatrix csr)
{
  PtxWaitForLast();
  for (PetscInt64 i = FirstOfThread(); i <= seg.n_rows / seg.axes.block; i += StrideOfThreads()) AutoCSREncodeBlockPtr(&seg, &csr, (PetscInt)i);
}

/* Writes run along the blocks, reads along the parts of rows in them */
static __global__ void __launch_bounds__(BLOCK) EncodeBlockValue(AutoCSRSegment seg, AutoCSRMatrix csr)
{
  PtxWaitForLast();
  const PetscInt b = seg.axes.block;

  for (PetscInt64 i = FirstOfThread() / WARP; i < seg.n_rows / b; i += StrideOfThreads() / WARP) {
    const PetscInt     k = (PetscInt)i * b, length = AutoCSRSegmentRowLength(&seg, &csr, k);
    const PetscScalar *from = csr.val + csr.row_ptr[seg.row_begin + k];
    PetscScalar       *to   = (PetscScalar *)seg.stream[AUTOCSR_STREAM_VALUE].data + AutoCSRSegmentBlockRowSlot(&seg, &csr, k);

    for (PetscInt e = Lane(); e < length * b; e += WARP) to[e] = from[(PetscInt64)(e % (b * b) / b) * length + e / (b * b) * b + e % b];
  }
}

PetscErrorCode DeviceEncodeBlockValue(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  PetscFunctionBegin;
  Launch(EncodeBlockValue, GridOf(Pieces(seg->n_rows / seg->axes.block, BLOCK / WARP), 4096), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeBlocks(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt block_rows = seg->n_rows / seg->axes.block;
  DeviceScratch  scratch;
  DeviceCount   *too_wide, wide;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, seg->nnz / (seg->axes.block * seg->axes.block)));
  if (seg->axes.order == AUTOCSR_ORDER_BLOCKED) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BLOCK_PTR, block_rows + 1));
    Launch(EncodeBlockPtr, GridOf(Pieces(block_rows + 1, BLOCK), 4096), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  if (seg->axes.index == AUTOCSR_INDEX_32) {
    Launch(EncodeBlocks<uint32_t>, GridOf(Pieces(block_rows, BLOCK / WARP), 4096), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  seg->n_slices = Pieces(block_rows, WARP);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BASE, seg->n_slices));
  PetscCall(scratch.Allocate(1, &too_wide));
  PetscCallCUDA(cudaMemsetAsync(too_wide, 0, sizeof(*too_wide), AUTOCSR_STREAM));
  Launch(FindBases, GridOf(Pieces(seg->n_slices, BLOCK / WARP), 4096), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, too_wide);
  AutoCSRCallCUDA(cudaGetLastError());
  Launch(EncodeBlocks<uint16_t>, GridOf(Pieces(block_rows, BLOCK / WARP), 4096), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(AutoCSRDeviceToHost(&wide, too_wide, sizeof(wide)));
  PetscCheck(!wide, PETSC_COMM_SELF, PETSC_ERR_PLIB, "16 bits do not hold the columns of slice %" PetscInt_FMT " of %" PetscInt_FMT " rows", (PetscInt)wide - 1, AutoCSRAxesSliceRows(&seg->axes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
