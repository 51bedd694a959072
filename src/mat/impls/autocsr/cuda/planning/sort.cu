/*
  ROWS of a segment whose rows are sorted by length within windows (SORT_SUB of du2022-alphasparse, Table II). Windows of up
  to MIDDLE rows take a block each; larger ones two stable sorts of all rows, by length, then by window.
*/
#include "sort.cuh"
#include <cub/device/device_radix_sort.cuh>

/* The name of the k-th row of a segment before it is sorted: rows, or where these are NULL row_begin + k */
static __device__ __forceinline__ PetscInt NameOf(const PetscInt rows[], PetscInt row_begin, PetscInt k)
{
  return rows ? rows[k] : row_begin + k;
}

/* names: of the rows before they are sorted, which may be `rows`, or NULL */
static __global__ void __launch_bounds__(AUTOCSR_WINDOW) SortSmall(const PetscInt row_ptr[], const PetscInt names[], PetscInt row_begin, PetscInt n_rows, PetscInt window, PetscInt rows[])
{
  PtxWaitForLast();
  __shared__ WindowSort::Shared s;
  __shared__ PetscInt           name_of[AUTOCSR_WINDOW];
  const PetscInt                begin = (PetscInt)blockIdx.x * window, k = begin + (PetscInt)threadIdx.x;
  const int                     n    = (int)(n_rows - begin < window ? n_rows - begin : window);
  const bool                    in   = (int)threadIdx.x < n;
  const PetscInt                name = in ? NameOf(names, row_begin, k) : 0;

  name_of[threadIdx.x] = name;
  const int row        = WindowSort::Run(in ? row_ptr[name + 1] - row_ptr[name] : 0, n, s);
  if (in) rows[k] = name_of[row];
}

/* Windows of up to MIDDLE rows */
#define ITEMS  4
#define MIDDLE (ITEMS * AUTOCSR_WINDOW)
static __global__ void __launch_bounds__(AUTOCSR_WINDOW) SortMiddle(const PetscInt row_ptr[], const PetscInt names[], PetscInt row_begin, PetscInt n_rows, PetscInt window, PetscInt rows[])
{
  PtxWaitForLast();
  typedef cub::BlockRadixSort<DeviceUnsigned, AUTOCSR_WINDOW, ITEMS, PetscInt> Sort;
  __shared__ typename Sort::TempStorage                                        storage;
  __shared__ PetscInt                                                          longest, shortest;
  const PetscInt                                                               begin = (PetscInt)blockIdx.x * window, first = (PetscInt)threadIdx.x * ITEMS;
  const PetscInt                                                               n     = n_rows - begin < window ? n_rows - begin : window;
  PetscInt                                                                     name[ITEMS] = {0}, length[ITEMS] = {0}, most = 0, least = PETSC_MAX_INT;
  DeviceUnsigned                                                               key[ITEMS];

  if (threadIdx.x == 0) {
    longest  = 0;
    shortest = PETSC_MAX_INT;
  }
  __syncthreads();
  for (int i = 0; i < ITEMS; i++) {
    if (first + i >= n) continue;
    name[i]   = NameOf(names, row_begin, begin + first + i);
    length[i] = row_ptr[name[i] + 1] - row_ptr[name[i]];
    most      = length[i] > most ? length[i] : most;
    least     = length[i] < least ? length[i] : least;
  }
  most  = WarpMax(most);
  least = WarpMin(least);
  if (Lane() == 0) {
    AtomicMax(&longest, most);
    AtomicMin(&shortest, least);
  }
  __syncthreads();
  for (int i = 0; i < ITEMS; i++) key[i] = (DeviceUnsigned)(first + i < n ? longest - length[i] : longest - shortest); /* what is past the end stays there */
  if (longest > shortest) Sort(storage).Sort(key, name, 0, 64 - __clzll((long long)(longest - shortest)));
  for (int i = 0; i < ITEMS; i++) {
    if (first + i < n) rows[begin + first + i] = name[i];
  }
}

static __global__ void KeysOfLength(const PetscInt row_ptr[], const PetscInt names[], PetscInt row_begin, PetscInt n_rows, DeviceUnsigned key[], PetscInt place[])
{
  PtxWaitForLast();
  for (PetscInt64 k = FirstOfThread(); k < n_rows; k += StrideOfThreads()) {
    const PetscInt row = NameOf(names, row_begin, (PetscInt)k);

    key[k]   = (DeviceUnsigned)(PETSC_MAX_INT - (row_ptr[row + 1] - row_ptr[row]));
    place[k] = (PetscInt)k;
  }
}

static __global__ void KeysOfWindow(const PetscInt place[], PetscInt n_rows, PetscInt window, DeviceUnsigned key[])
{
  PtxWaitForLast();
  for (PetscInt64 k = FirstOfThread(); k < n_rows; k += StrideOfThreads()) key[k] = (DeviceUnsigned)(place[k] / window);
}

static __global__ void NamesOfPlaces(const PetscInt place[], const PetscInt names[], PetscInt row_begin, PetscInt n_rows, PetscInt rows[])
{
  PtxWaitForLast();
  for (PetscInt64 k = FirstOfThread(); k < n_rows; k += StrideOfThreads()) rows[k] = NameOf(names, row_begin, place[k]);
}

static PetscErrorCode SortLarge(const PetscInt row_ptr[], const PetscInt named[], PetscInt row_begin, PetscInt n_rows, PetscInt window, PetscInt rows[])
{
  DeviceScratch   scratch[5];
  DeviceUnsigned *key, *sorted_key;
  PetscInt       *place, *by_length, *names = NULL;
  const unsigned  grid = GridOf(Pieces(n_rows, BLOCK), 4096);

  PetscFunctionBegin;
  PetscCall(scratch[0].Allocate((size_t)n_rows, &key));
  PetscCall(scratch[1].Allocate((size_t)n_rows, &sorted_key));
  PetscCall(scratch[2].Allocate((size_t)n_rows, &by_length));
  PetscCall(scratch[3].Allocate((size_t)n_rows, &place));
  if (named) {
    PetscCall(scratch[4].Allocate((size_t)n_rows, &names));
    PetscCallCUDA(cudaMemcpyAsync(names, named, (size_t)n_rows * sizeof(*names), cudaMemcpyDeviceToDevice, AUTOCSR_STREAM));
  }
  Launch(KeysOfLength, grid, BLOCK, 0, AUTOCSR_STREAM)(row_ptr, names, row_begin, n_rows, key, place);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceRadixSort::SortPairs(temporary, bytes, key, sorted_key, place, by_length, n_rows, 0, (int)(8 * sizeof(PetscInt)), AUTOCSR_STREAM); }));
  Launch(KeysOfWindow, grid, BLOCK, 0, AUTOCSR_STREAM)(by_length, n_rows, window, key);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(RunWithStorage([&](void *temporary, size_t &bytes) { return cub::DeviceRadixSort::SortPairs(temporary, bytes, key, sorted_key, by_length, place, n_rows, 0, (int)(8 * sizeof(PetscInt)), AUTOCSR_STREAM); }));
  Launch(NamesOfPlaces, grid, BLOCK, 0, AUTOCSR_STREAM)(place, names, row_begin, n_rows, rows);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceSortRows(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const PetscInt  window = seg->axes.sort_window;
  const PetscInt *names  = (const PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
  PetscInt       *rows;

  PetscFunctionBegin;
  if (!names) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, seg->n_rows));
  rows = (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;
  if (seg->n_rows && window <= AUTOCSR_WINDOW) {
    Launch(SortSmall, (unsigned)Pieces(seg->n_rows, window), AUTOCSR_WINDOW, 0, AUTOCSR_STREAM)(csr->row_ptr, names, seg->row_begin, seg->n_rows, window, rows);
    AutoCSRCallCUDA(cudaGetLastError());
  } else if (seg->n_rows && window <= MIDDLE) {
    Launch(SortMiddle, (unsigned)Pieces(seg->n_rows, window), AUTOCSR_WINDOW, 0, AUTOCSR_STREAM)(csr->row_ptr, names, seg->row_begin, seg->n_rows, window, rows);
    AutoCSRCallCUDA(cudaGetLastError());
  } else if (seg->n_rows)
    PetscCall(SortLarge(csr->row_ptr, names, seg->row_begin, seg->n_rows, window, rows));
  seg->row_begin = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
