/*
  ROWS of a segment whose rows are sorted by length within windows (SORT_SUB of du2022-alphasparse, Table II). Small windows
  take a block each; larger ones two stable sorts of all rows, by length, then by window.
*/
#include "sort.cuh"
#include <cub/device/device_radix_sort.cuh>

static __global__ void __launch_bounds__(AUTOCSR_WINDOW) SortSmall(const PetscInt row_ptr[], PetscInt row_begin, PetscInt n_rows, PetscInt window, PetscInt rows[])
{
  __shared__ WindowSort::Shared s;
  const PetscInt                begin = (PetscInt)blockIdx.x * window, k = begin + (PetscInt)threadIdx.x;
  const int                     n   = (int)(n_rows - begin < window ? n_rows - begin : window);
  const bool                    in  = (int)threadIdx.x < n;
  const int                     row = WindowSort::Run(in ? row_ptr[row_begin + k + 1] - row_ptr[row_begin + k] : 0, n, s);

  if (in) rows[k] = row_begin + begin + row;
}

static __global__ void KeysOfLength(const PetscInt row_ptr[], PetscInt row_begin, PetscInt n_rows, DeviceUnsigned key[], PetscInt rows[])
{
  for (PetscInt64 k = FirstOfThread(); k < n_rows; k += StrideOfThreads()) {
    key[k]  = (DeviceUnsigned)(PETSC_MAX_INT - (row_ptr[row_begin + k + 1] - row_ptr[row_begin + k]));
    rows[k] = row_begin + (PetscInt)k;
  }
}

static __global__ void KeysOfWindow(const PetscInt rows[], PetscInt row_begin, PetscInt n_rows, PetscInt window, DeviceUnsigned key[])
{
  for (PetscInt64 k = FirstOfThread(); k < n_rows; k += StrideOfThreads()) key[k] = (DeviceUnsigned)((rows[k] - row_begin) / window);
}

static PetscErrorCode SortLarge(const PetscInt row_ptr[], PetscInt row_begin, PetscInt n_rows, PetscInt window, PetscInt rows[])
{
  DeviceScratch   scratch[3];
  DeviceUnsigned *key, *sorted_key;
  PetscInt       *by_length;
  const unsigned  grid = GridOf(Pieces(n_rows, BLOCK), 4096);

  PetscFunctionBegin;
  PetscCall(scratch[0].Allocate((size_t)n_rows, &key));
  PetscCall(scratch[1].Allocate((size_t)n_rows, &sorted_key));
  PetscCall(scratch[2].Allocate((size_t)n_rows, &by_length));
  KeysOfLength<<<grid, BLOCK, 0, AUTOCSR_STREAM>>>(row_ptr, row_begin, n_rows, key, rows);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceRadixSort::SortPairs(temporary, bytes, key, sorted_key, rows, by_length, n_rows, 0, (int)(8 * sizeof(PetscInt)), AUTOCSR_STREAM); }));
  KeysOfWindow<<<grid, BLOCK, 0, AUTOCSR_STREAM>>>(by_length, row_begin, n_rows, window, key);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceRadixSort::SortPairs(temporary, bytes, key, sorted_key, by_length, rows, n_rows, 0, (int)(8 * sizeof(PetscInt)), AUTOCSR_STREAM); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceSortRows(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt window = seg->axes.sort_window;
  PetscInt      *rows;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, seg->n_rows));
  rows = (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
  if (seg->n_rows && window <= AUTOCSR_WINDOW) {
    SortSmall<<<(unsigned)Pieces(seg->n_rows, window), AUTOCSR_WINDOW, 0, AUTOCSR_STREAM>>>(csr->row_ptr, seg->row_begin, seg->n_rows, window, rows);
    PetscCallCUDA(cudaGetLastError());
  } else if (seg->n_rows)
    PetscCall(SortLarge(csr->row_ptr, seg->row_begin, seg->n_rows, window, rows));
  seg->row_begin = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
