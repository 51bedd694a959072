/*
  WORK on the device: the rows tell how many blocks of rows begin with each, sums over the rows of each thread block tell the places of these
  blocks; of the merge path each block finds its own part. The host must know their number to make room, so it waits once, for
  one kernel: small matrices wait for starts, copies and little else.
*/
#include "encode.cuh"
#include "../common/sums.cuh"

static constexpr PetscInt TURNS = 8, ROWS = TURNS * BLOCK; /* rows of a block of threads */

/* place[g]: where the blocks go that begin with the rows of thread block g; *all: how many there are, for the host */
static __global__ void __launch_bounds__(BLOCK) CountWork(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt place[], unsigned *arrived, PetscInt *all)
{
  PtxWaitForLast();
  __shared__ PetscInt of_warp[BLOCK / WARP];
  const PetscInt      first  = (PetscInt)blockIdx.x * ROWS;
  PetscInt            blocks = 0;

  for (PetscInt t = 0; t < TURNS; t++) {
    const PetscInt k = first + t * BLOCK + (PetscInt)threadIdx.x;

    if (k < seg.n_rows) blocks += AutoCSREncodeRowBlocks(&seg, &csr, k);
  }
  blocks = WarpSum(blocks);
  if (Lane() == 0) of_warp[threadIdx.x / WARP] = blocks;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < BLOCK / WARP; w++) blocks += of_warp[w];
    place[blockIdx.x] = blocks;
  }
  if (!IsLastBlock(arrived)) return;
  blocks = BlockSumUp((PetscInt)gridDim.x, place);
  if (threadIdx.x == 0) *all = blocks;
}

/* The first block writes the end, after `blocks` of them */
static __global__ void __launch_bounds__(BLOCK) WorkOfRows(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt place[], PetscInt blocks)
{
  PtxWaitForLast();
  typedef cub::BlockScan<PetscInt, BLOCK> Scan;
  __shared__ typename Scan::TempStorage   storage;
  const PetscInt                          first = (PetscInt)blockIdx.x * ROWS;
  PetscInt                                next  = first < seg.n_rows ? place[blockIdx.x] : 0;

  if (blockIdx.x == 0 && threadIdx.x == 0) AutoCSREncodeWorkEnd(&seg, &csr, blocks);
  for (PetscInt t = 0; t < TURNS && first + t * BLOCK < seg.n_rows; t++) {
    const PetscInt k   = first + t * BLOCK + (PetscInt)threadIdx.x;
    const PetscInt own = k < seg.n_rows ? AutoCSREncodeRowBlocks(&seg, &csr, k) : 0;
    PetscInt       before, all;

    Scan(storage).ExclusiveSum(own, before, all);
    if (own) AutoCSREncodeWork(&seg, &csr, k, next + before);
    next += all;
    __syncthreads();
  }
}

static __global__ void __launch_bounds__(BLOCK) WorkOfMerge(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt blocks)
{
  PtxWaitForLast();
  const PetscInt64 b = FirstOfThread();

  if (b < blocks) AutoCSREncodeMergeWork(&seg, &csr, (PetscInt)b);
  if (b == blocks) AutoCSREncodeWorkEnd(&seg, &csr, blocks);
}

static PetscErrorCode EncodeMergeWork(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt64 blocks = AutoCSRSegmentMergeBlocks(seg);

  PetscFunctionBegin;
  PetscCall(AutoCSRSegmentAllocateWork(seg, blocks));
  Launch(WorkOfMerge, (unsigned)Pieces((PetscInt)blocks + 1, BLOCK), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, (PetscInt)blocks);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EncodeRowBlocks(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt grid = Pieces(seg->n_rows, ROWS);
  DeviceScratch  scratch;
  PetscInt      *place = NULL, *all, blocks = 0;
  unsigned      *arrived;

  PetscFunctionBegin;
  if (grid) {
    PetscCall(scratch.Allocate((size_t)grid, &place));
    PetscCall(AutoCSRDeviceGetMailbox(sizeof(*all), (void **)&all));
    PetscCall(AutoCSRDeviceBorrowZeros(sizeof(*arrived), (void **)&arrived));
    Launch(CountWork, (unsigned)grid, BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, place, arrived, all);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscCall(AutoCSRDeviceSynchronize());
    PetscCall(AutoCSRDeviceReturnZeros());
    blocks = *all;
  }
  PetscCall(AutoCSRSegmentAllocateWork(seg, blocks));
  Launch(WorkOfRows, GridOf(grid, grid), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, place, blocks);
  AutoCSRCallCUDA(cudaGetLastError());
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
