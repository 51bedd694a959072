/* Bins of virtual rows (hou2017, Algorithm 2), and the names of virtual rows and of rows by what is in them */
#include "planner.cuh"
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#define MAX_BINS 100 /* of the settings */

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
  bool        wanted[MAX_BINS];

  __device__ __forceinline__ bool operator()(PetscInt v) const
  {
    return wanted[rows.Bin(v)];
  }
};

struct IsEmpty {
  const PetscInt *row_ptr;
  bool            empty;

  __device__ __forceinline__ bool operator()(PetscInt row) const
  {
    return (row_ptr[row] == row_ptr[row + 1]) == empty;
  }
};

/* count: [3][bins], of virtual rows, rows and nonzeros */
static __global__ void __launch_bounds__(BLOCK) Count(VirtualRows rows, PetscInt n, DeviceCount count[])
{
  __shared__ DeviceCount own[3 * MAX_BINS];

  for (int i = (int)threadIdx.x; i < 3 * rows.bins; i += BLOCK) own[i] = 0;
  __syncthreads();
  for (PetscInt64 i = FirstOfThread(); i < n; i += StrideOfThreads()) {
    const PetscInt v = (PetscInt)i, b = rows.Bin(v);

    atomicAdd(&own[b], 1);
    atomicAdd(&own[rows.bins + b], (DeviceCount)(rows.End(v) - v * rows.U));
    atomicAdd(&own[2 * rows.bins + b], (DeviceCount)rows.Nonzeros(v));
  }
  __syncthreads();
  for (int i = (int)threadIdx.x; i < 3 * rows.bins; i += BLOCK) {
    if (own[i]) atomicAdd(&count[i], own[i]);
  }
}

PetscErrorCode AutoCSRDeviceCountBins(const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, PetscInt count[], PetscInt rows[], PetscInt nnz[])
{
  const VirtualRows virtual_rows = {csr->m, U, bins, csr->row_ptr};
  const PetscInt    n            = Pieces(csr->m, U);
  DeviceScratch     scratch;
  DeviceCount      *device, host[3 * MAX_BINS];

  PetscFunctionBegin;
  PetscCheck(bins <= MAX_BINS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " bins are more than %d", bins, MAX_BINS);
  PetscCall(scratch.Allocate(3 * (size_t)bins, &device));
  PetscCallCUDA(cudaMemsetAsync(device, 0, 3 * (size_t)bins * sizeof(*device), AUTOCSR_STREAM));
  if (n) {
    Count<<<GridOf(Pieces(n, BLOCK), 512), BLOCK, 0, AUTOCSR_STREAM>>>(virtual_rows, n, device);
    PetscCallCUDA(cudaGetLastError());
  }
  PetscCall(AutoCSRDeviceToHost(host, device, 3 * (size_t)bins * sizeof(*device)));
  for (PetscInt b = 0; b < bins; b++) {
    count[b] = (PetscInt)host[b];
    rows[b]  = (PetscInt)host[bins + b];
    nnz[b]   = (PetscInt)host[2 * bins + b];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
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
  PetscCall(scratch.Allocate(1, &selected));
  PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceSelect::If(temporary, bytes, all, names, selected, end - begin, wanted, AUTOCSR_STREAM); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceNameBins(const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, const PetscBool wanted[], PetscInt names[])
{
  IsInBins in_bins = {{csr->m, U, bins, csr->row_ptr}, {}};

  PetscFunctionBegin;
  PetscCheck(bins <= MAX_BINS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " bins are more than %d", bins, MAX_BINS);
  for (PetscInt b = 0; b < bins; b++) in_bins.wanted[b] = wanted[b] == PETSC_TRUE;
  PetscCall(Select(0, Pieces(csr->m, U), in_bins, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceNameRows(const AutoCSRMatrix *csr, PetscInt row_begin, PetscInt row_end, PetscBool empty, PetscInt names[])
{
  const IsEmpty is_empty = {csr->row_ptr, empty == PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(Select(row_begin, row_end, is_empty, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}
