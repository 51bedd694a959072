/*
  WORK on the device: the rows tell how many blocks of rows begin with each, sums over groups of rows tell the places of these
  blocks; of the merge path each block finds its own part. The host must know their number to make room, so it waits once.
*/
#include "encode.cuh"
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

static constexpr PetscInt TURNS = 8, GROUP = TURNS * BLOCK; /* rows of a block of threads */

/* place[g]: blocks that begin with the rows of group g, or, where WORK has room, those of all groups before it */
static __global__ void __launch_bounds__(BLOCK) WorkOfRows(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt place[])
{
  typedef cub::BlockScan<PetscInt, BLOCK> Scan;
  __shared__ typename Scan::TempStorage   storage;
  const PetscInt                          first = (PetscInt)blockIdx.x * GROUP;
  const bool                              emit  = seg.stream[AUTOCSR_STREAM_WORK].data != NULL;
  PetscInt                                next  = emit ? place[blockIdx.x] : 0;

  for (PetscInt t = 0; t < TURNS && first + t * BLOCK < seg.n_rows; t++) {
    const PetscInt k      = first + t * BLOCK + (PetscInt)threadIdx.x;
    const PetscInt blocks = k < seg.n_rows ? AutoCSREncodeRowBlocks(&seg, &csr, k) : 0;
    PetscInt       before, all;

    Scan(storage).ExclusiveSum(blocks, before, all);
    if (emit && blocks) AutoCSREncodeWork(&seg, &csr, k, next + before);
    next += all;
    __syncthreads();
  }
  if (!emit && threadIdx.x == 0) place[blockIdx.x] = next;
}

static __global__ void __launch_bounds__(BLOCK) WorkOfMerge(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt blocks)
{
  const PetscInt b = (PetscInt)blockIdx.x * BLOCK + (PetscInt)threadIdx.x;

  if (b < blocks) AutoCSREncodeMergeWork(&seg, &csr, b);
}

static __global__ void EndWork(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt blocks)
{
  AutoCSREncodeWorkEnd(&seg, &csr, blocks);
}

static PetscErrorCode EncodeMergeWork(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt64 blocks = AutoCSRSegmentMergeBlocks(seg);

  PetscFunctionBegin;
  PetscCall(AutoCSRSegmentAllocateWork(seg, blocks));
  if (blocks) WorkOfMerge<<<(unsigned)Pieces((PetscInt)blocks, BLOCK), BLOCK, 0, AUTOCSR_STREAM>>>(*seg, *csr, (PetscInt)blocks);
  EndWork<<<1, 1, 0, AUTOCSR_STREAM>>>(*seg, *csr, (PetscInt)blocks);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EncodeRowBlocks(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt groups = Pieces(seg->n_rows, GROUP);
  DeviceScratch  scratch;
  PetscInt      *place, blocks = 0;

  PetscFunctionBegin;
  if (groups) {
    PetscCall(scratch.Allocate(groups + 1, &place));
    WorkOfRows<<<(unsigned)groups, BLOCK, 0, AUTOCSR_STREAM>>>(*seg, *csr, place);
    PetscCallCUDA(cudaGetLastError());
    PetscCallCUDA(cudaMemsetAsync(place + groups, 0, sizeof(*place), AUTOCSR_STREAM));
    PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceScan::ExclusiveSum(temporary, bytes, place, place, groups + 1, AUTOCSR_STREAM); }));
    PetscCall(AutoCSRDeviceToHost(&blocks, place + groups, sizeof(blocks)));
  }
  PetscCall(AutoCSRSegmentAllocateWork(seg, blocks));
  if (groups) WorkOfRows<<<(unsigned)groups, BLOCK, 0, AUTOCSR_STREAM>>>(*seg, *csr, place);
  EndWork<<<1, 1, 0, AUTOCSR_STREAM>>>(*seg, *csr, blocks);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeWork(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  PetscFunctionBegin;
  if (seg->axes.mapping == AUTOCSR_MAP_MERGE)
    PetscCall(EncodeMergeWork(seg, csr));
  else
    PetscCall(EncodeRowBlocks(seg, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
