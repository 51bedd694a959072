/* Bins of virtual rows (hou2017, Algorithm 2), and the names of virtual rows and of rows by what is in them */
#include "profile.cuh"
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

struct IsOfLength {
  const PetscInt *row_ptr;
  PetscInt        shortest, longest;

  __device__ __forceinline__ bool operator()(PetscInt row) const
  {
    const PetscInt length = row_ptr[row + 1] - row_ptr[row];

    return length >= shortest && length <= longest;
  }
};

/* The granularities of a grid: one for each y */
struct Granularities {
  PetscInt U[AUTOCSR_GRANULARITIES];
};

static __global__ void __launch_bounds__(BLOCK) Count(PetscInt m, const PetscInt row_ptr[], Granularities granularities, PetscInt bins, AutoCSRBins out[])
{
  const VirtualRows      rows = {m, granularities.U[blockIdx.y], bins, row_ptr};
  const PetscInt         n    = Pieces(m, rows.U);
  __shared__ AutoCSRBins own;

  for (int b = (int)threadIdx.x; b < bins; b += BLOCK) own.count[b] = own.rows[b] = own.nnz[b] = 0;
  __syncthreads();
  for (PetscInt64 i = FirstOfThread(); i < n; i += StrideOfThreads()) {
    const PetscInt v = (PetscInt)i, b = rows.Bin(v);

    AtomicAdd(&own.count[b], 1);
    AtomicAdd(&own.rows[b], rows.End(v) - v * rows.U);
    AtomicAdd(&own.nnz[b], rows.Nonzeros(v));
  }
  __syncthreads();
  for (int b = (int)threadIdx.x; b < bins; b += BLOCK) {
    if (!own.count[b]) continue;
    AtomicAdd(&out[blockIdx.y].count[b], own.count[b]);
    AtomicAdd(&out[blockIdx.y].rows[b], own.rows[b]);
    AtomicAdd(&out[blockIdx.y].nnz[b], own.nnz[b]);
  }
}

/* n granularities; the bins are zero */
static PetscErrorCode CountAll(const AutoCSRMatrix *csr, PetscInt n, const PetscInt U[], PetscInt bins, AutoCSRBins device[])
{
  Granularities granularities;

  PetscFunctionBegin;
  if (!csr->m) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt u = 0; u < n; u++) granularities.U[u] = U[u];
  Count<<<dim3(GridOf(Pieces(csr->m / U[0] + 1, BLOCK), 256), (unsigned)n), BLOCK, 0, AUTOCSR_STREAM>>>(csr->m, csr->row_ptr, granularities, bins, device);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceProfileBins(const AutoCSRMatrix *csr, AutoCSRBins device[])
{
  PetscFunctionBegin;
  PetscCall(CountAll(csr, AutoCSRProfileGranularities(csr->m), AutoCSRGranularity, AUTOCSR_MAX_BINS, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceCountBins(const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, AutoCSRBins *counted)
{
  DeviceScratch scratch;
  AutoCSRBins  *device;

  PetscFunctionBegin;
  PetscCall(scratch.Allocate(1, &device));
  PetscCallCUDA(cudaMemsetAsync(device, 0, sizeof(*device), AUTOCSR_STREAM));
  PetscCall(CountAll(csr, 1, &U, bins, device));
  PetscCall(AutoCSRDeviceToHost(counted, device, sizeof(*counted)));
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
