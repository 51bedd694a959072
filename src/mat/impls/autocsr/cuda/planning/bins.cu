/* Bins of virtual rows (hou2017, Algorithm 2), and the names of virtual rows and of rows by what is in them */
#include "planner.cuh"
#include "../common/sums.cuh"
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

/* A virtual row: U rows, the last one what is left */
struct VirtualRows {
  PetscInt        m, U, bins;
  const PetscInt *row_ptr;

  __device__ __forceinline__ PetscInt End(PetscInt v) const
  {
    return m - v * U < U ? m : (v + 1) * U;
  }
  __device__ __forceinline__ PetscInt Nonzeros(PetscInt v) const
  {
    return row_ptr[End(v)] - row_ptr[v * U];
  }
  __device__ __forceinline__ PetscInt Bin(PetscInt v) const
  {
    const PetscInt w = Nonzeros(v) / U;

    return w < bins - 1 ? w : bins - 1;
  }
};

struct IsInBins {
  VirtualRows rows;
  bool        wanted[AUTOCSR_MAX_BINS];

  __device__ __forceinline__ bool operator()(PetscInt v) const
  {
    return wanted[rows.Bin(v)];
  }
};

/* Rows by their length, those of each kind */
struct RowKinds {
  int            n;
  AutoCSRRowKind kind[AUTOCSR_MAX_ROW_KINDS];

  /* n: of none */
  __device__ __forceinline__ int Of(PetscInt length) const
  {
    int k = 0;

    while (k < n && (length < kind[k].shortest || length > kind[k].longest)) k++;
    return k;
  }
};

/* out: all zero before */
static __global__ void __launch_bounds__(BLOCK) Count(VirtualRows rows, AutoCSRBins *out)
{
  PtxWaitForLast();
  __shared__ AutoCSRBins own;
  const PetscInt         n = Pieces(rows.m, rows.U);

  for (int b = (int)threadIdx.x; b < rows.bins; b += BLOCK) own.count[b] = own.rows[b] = own.nnz[b] = 0;
  __syncthreads();
  for (PetscInt64 i = FirstOfThread(); i < n; i += StrideOfThreads()) {
    const PetscInt v = (PetscInt)i, b = rows.Bin(v);

    AtomicAdd(&own.count[b], 1);
    AtomicAdd(&own.rows[b], rows.End(v) - v * rows.U);
    AtomicAdd(&own.nnz[b], rows.Nonzeros(v));
  }
  __syncthreads();
  for (int b = (int)threadIdx.x; b < rows.bins; b += BLOCK) {
    if (!own.count[b]) continue;
    AtomicAdd(&out->count[b], own.count[b]);
    AtomicAdd(&out->rows[b], own.rows[b]);
    AtomicAdd(&out->nnz[b], own.nnz[b]);
  }
}

PetscErrorCode AutoCSRDeviceCountBins(const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, AutoCSRBins *counted)
{
  DeviceScratch scratch;
  AutoCSRBins  *device;

  PetscFunctionBegin;
  PetscCall(scratch.Allocate(1, &device));
  PetscCallCUDA(cudaMemsetAsync(device, 0, sizeof(*device), AUTOCSR_STREAM));
  if (csr->m) Launch(Count, GridOf(Pieces(csr->m / U + 1, BLOCK), 256), BLOCK, 0, AUTOCSR_STREAM)(VirtualRows{csr->m, U, bins, csr->row_ptr}, device);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(AutoCSRDeviceToHost(counted, device, sizeof(*counted)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static constexpr int      SELECT = 1024;   /* threads of a block */
static constexpr PetscInt FEW    = 131072; /* so many are selected from by one launch */

/* A block counts for itself what comes before its part: a launch, and nothing else, where that is soon done */
template <typename Wanted>
static __global__ void __launch_bounds__(SELECT) SelectFew(PetscInt begin, PetscInt end, Wanted wanted, PetscInt names[])
{
  PtxWaitForLast();
  __shared__ int of_warp[SELECT / WARP];
  const PetscInt first = begin + (PetscInt)blockIdx.x * SELECT, mine = first + (PetscInt)threadIdx.x;
  const int      warp    = (int)threadIdx.x / WARP;
  const unsigned take    = __ballot_sync(ALL_LANES, mine < end && wanted(mine));
  int            earlier = 0, place;

#pragma unroll 4
  for (PetscInt i = begin + (PetscInt)threadIdx.x; i < first; i += SELECT) earlier += wanted(i);
  earlier = WarpSum(earlier);
  place   = 0;
  if (Lane() == 0) of_warp[warp] = earlier;
  __syncthreads();
  for (int w = 0; w < SELECT / WARP; w++) place += of_warp[w];
  __syncthreads();
  if (Lane() == 0) of_warp[warp] = __popc(take);
  __syncthreads();
  for (int w = 0; w < warp; w++) place += of_warp[w];
  if (take >> Lane() & 1) names[place + __popc(take & ((1u << Lane()) - 1))] = mine;
}

/* Those of begin, begin + 1 ... end - 1 that are wanted, ascending */
template <typename Wanted>
static PetscErrorCode Select(PetscInt begin, PetscInt end, const Wanted &wanted, PetscInt names[])
{
  DeviceScratch                       scratch;
  thrust::counting_iterator<PetscInt> all(begin);
  PetscInt                           *selected;

  PetscFunctionBegin;
  if (begin == end) PetscFunctionReturn(PETSC_SUCCESS);
  if (end - begin <= FEW) {
    Launch(SelectFew<Wanted>, (unsigned)Pieces(end - begin, SELECT), SELECT, 0, AUTOCSR_STREAM)(begin, end, wanted, names);
    AutoCSRCallCUDA(cudaGetLastError());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(scratch.Allocate(1, &selected));
  PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceSelect::If(temporary, bytes, all, names, selected, end - begin, wanted, AUTOCSR_STREAM); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceNameBins(const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, const PetscBool wanted[], PetscInt names[])
{
  IsInBins in_bins = {{csr->m, U, bins, csr->row_ptr}, {}};

  PetscFunctionBegin;
  for (PetscInt b = 0; b < bins; b++) in_bins.wanted[b] = wanted[b] == PETSC_TRUE;
  PetscCall(Select(0, Pieces(csr->m, U), in_bins, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static constexpr int TURNS = 4, ROWS = TURNS * BLOCK; /* rows of a block of threads */

/* place[k * blocks + b]: where the names go of the rows of kind k that block b has */
static __global__ void __launch_bounds__(BLOCK) CountRowsByKind(const PetscInt row_ptr[], PetscInt begin, PetscInt end, const __grid_constant__ RowKinds kinds, PetscInt place[], unsigned *arrived)
{
  PtxWaitForLast();
  __shared__ PetscInt count[AUTOCSR_MAX_ROW_KINDS];
  const PetscInt      first = begin + (PetscInt)blockIdx.x * ROWS;

  if (threadIdx.x < AUTOCSR_MAX_ROW_KINDS) count[threadIdx.x] = 0;
  __syncthreads();
  for (int t = 0; t < TURNS; t++) {
    const PetscInt row  = first + t * BLOCK + (PetscInt)threadIdx.x;
    const int      kind = row < end ? kinds.Of(row_ptr[row + 1] - row_ptr[row]) : kinds.n;
    const unsigned like = __match_any_sync(ALL_LANES, kind);

    if (kind < kinds.n && Lane() == __ffs((int)like) - 1) AtomicAdd(&count[kind], __popc(like));
  }
  __syncthreads();
  if ((int)threadIdx.x < kinds.n) place[threadIdx.x * gridDim.x + blockIdx.x] = count[threadIdx.x];
  if (!IsLastBlock(arrived)) return;
  for (int k = 0; k < kinds.n; k++) (void)BlockSumUp((PetscInt)gridDim.x, place + k * gridDim.x);
}

static __global__ void __launch_bounds__(BLOCK) NameRowsByKind(const PetscInt row_ptr[], PetscInt begin, PetscInt end, const __grid_constant__ RowKinds kinds, const PetscInt place[])
{
  PtxWaitForLast();
  __shared__ int of_warp[AUTOCSR_MAX_ROW_KINDS][BLOCK / WARP];
  const PetscInt first = begin + (PetscInt)blockIdx.x * ROWS;
  const int      warp  = (int)threadIdx.x / WARP;
  PetscInt       next  = (int)threadIdx.x < kinds.n ? place[threadIdx.x * gridDim.x + blockIdx.x] : 0; /* of the thread's kind */
  __shared__ PetscInt next_of[AUTOCSR_MAX_ROW_KINDS];

  for (int t = 0; t < TURNS; t++) {
    const PetscInt row    = first + t * BLOCK + (PetscInt)threadIdx.x;
    const int      kind   = row < end ? kinds.Of(row_ptr[row + 1] - row_ptr[row]) : kinds.n;
    const unsigned like   = __match_any_sync(ALL_LANES, kind);
    const int      before = __popc(like & ((1u << Lane()) - 1));

    for (int i = (int)threadIdx.x; i < kinds.n * (BLOCK / WARP); i += BLOCK) of_warp[i / (BLOCK / WARP)][i % (BLOCK / WARP)] = 0;
    if ((int)threadIdx.x < kinds.n) next_of[threadIdx.x] = next;
    __syncthreads();
    if (kind < kinds.n && !before) of_warp[kind][warp] = __popc(like);
    __syncthreads();
    if (kind < kinds.n) {
      PetscInt at = next_of[kind] + before;

      for (int w = 0; w < warp; w++) at += of_warp[kind][w];
      kinds.kind[kind].names[at] = row;
    }
    if ((int)threadIdx.x < kinds.n) {
      for (int w = 0; w < BLOCK / WARP; w++) next += of_warp[threadIdx.x][w];
    }
    __syncthreads();
  }
}

PetscErrorCode AutoCSRDeviceNameRows(const AutoCSRMatrix *csr, PetscInt row_begin, PetscInt row_end, PetscInt n, const AutoCSRRowKind kind[])
{
  const PetscInt blocks = Pieces(row_end - row_begin, ROWS);
  RowKinds       kinds  = {(int)n, {}};
  DeviceScratch  scratch;
  unsigned      *arrived;
  PetscInt      *place;

  PetscFunctionBegin;
  PetscCheck(n <= AUTOCSR_MAX_ROW_KINDS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " kinds of rows are more than %d", n, AUTOCSR_MAX_ROW_KINDS);
  if (!blocks || !n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscArraycpy(kinds.kind, kind, n));
  PetscCall(scratch.Allocate((size_t)blocks * n, &place));
  PetscCall(AutoCSRDeviceBorrowZeros(sizeof(*arrived), (void **)&arrived));
  Launch(CountRowsByKind, (unsigned)blocks, BLOCK, 0, AUTOCSR_STREAM)(csr->row_ptr, row_begin, row_end, kinds, place, arrived);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(AutoCSRDeviceReturnZeros());
  Launch(NameRowsByKind, (unsigned)blocks, BLOCK, 0, AUTOCSR_STREAM)(csr->row_ptr, row_begin, row_end, kinds, place);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
