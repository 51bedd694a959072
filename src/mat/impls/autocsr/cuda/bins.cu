/* Bins of virtual rows (hou2017, Algorithm 2), and the names of virtual rows and of rows by what is in them */
#include "bins.cuh"
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

struct IsInBins {
  VirtualRows rows;
  bool        wanted[AUTOCSR_MAX_BINS];

  __device__ __forceinline__ bool operator()(PetscInt v) const
  {
    return wanted[rows.Bin(v)];
  }
};

struct IsOfLength {
  const PetscInt *row_ptr;
  PetscInt        shortest, longest;

  __device__ __forceinline__ bool operator()(PetscInt row) const
  {
    const PetscInt length = row_ptr[row + 1] - row_ptr[row];

    return length >= shortest && length <= longest;
  }
};

static __global__ void __launch_bounds__(BLOCK) Count(VirtualRows rows, AutoCSRBins *out)
{
  __shared__ AutoCSRBins own;

  CountVirtualRows(rows, FirstOfThread(), StrideOfThreads(), own, out);
}

PetscErrorCode AutoCSRDeviceCountBins(const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, AutoCSRBins *counted)
{
  DeviceScratch scratch;
  AutoCSRBins  *device;

  PetscFunctionBegin;
  PetscCall(scratch.Allocate(1, &device));
  PetscCallCUDA(cudaMemsetAsync(device, 0, sizeof(*device), AUTOCSR_STREAM));
  if (csr->m) Count<<<GridOf(Pieces(csr->m / U + 1, BLOCK), 256), BLOCK, 0, AUTOCSR_STREAM>>>(VirtualRows{csr->m, U, bins, csr->row_ptr}, device);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(AutoCSRDeviceToHost(counted, device, sizeof(*counted)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static constexpr int      SELECT = 1024;   /* threads of a block */
static constexpr PetscInt FEW    = 131072; /* so many are selected from by one launch */

/* A block counts for itself what comes before its part: a launch, and nothing else, where that is soon done */
template <typename Wanted>
static __global__ void __launch_bounds__(SELECT) SelectFew(PetscInt begin, PetscInt end, Wanted wanted, PetscInt names[])
{
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
    SelectFew<Wanted><<<(unsigned)Pieces(end - begin, SELECT), SELECT, 0, AUTOCSR_STREAM>>>(begin, end, wanted, names);
    PetscCallCUDA(cudaGetLastError());
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

PetscErrorCode AutoCSRDeviceNameRows(const AutoCSRMatrix *csr, PetscInt row_begin, PetscInt row_end, PetscInt shortest, PetscInt longest, PetscInt names[])
{
  const IsOfLength is_of_length = {csr->row_ptr, shortest, longest};

  PetscFunctionBegin;
  PetscCall(Select(row_begin, row_end, is_of_length, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}
