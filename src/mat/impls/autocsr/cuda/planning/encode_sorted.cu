/*
  Entries sorted stably by tile, for orders propagated and popular. In a tile they stay in the order of their rows, and so of the row blocks: where
  a run begins is found by the number of its row block's first entry. What is sorted with an entry tells its row in the row block and its column in
  the tile, so that only its value is fetched from where it was. Order tiled, which sorts runs of entries, shares where entries of rows and sorted keys begin.

  Bytes: of an entry 24 in each pass of the sort, of which there are as many as the number of the last tile has bytes.
*/
#include "chunks.cuh"

static __global__ void __launch_bounds__(BLOCK) RowLengths(AutoCSRSegment seg, AutoCSRMatrix csr, PetscInt length[])
{
  PtxWaitForLast();
  for (PetscInt64 k = FirstOfThread(); k <= seg.n_rows; k += StrideOfThreads()) length[k] = AutoCSRSegmentRowLength(&seg, &csr, (PetscInt)k);
}

/* Where each key begins among the sorted */
static __global__ void __launch_bounds__(BLOCK) FindFirst(const uint32_t key[], PetscInt n, PetscInt keys, PetscInt first[])
{
  PtxWaitForLast();
  for (PetscInt64 c = FirstOfThread(); c <= keys; c += StrideOfThreads()) {
    PetscInt lo = 0, hi = n;

    while (lo < hi) {
      const PetscInt mid = lo + (hi - lo) / 2;

      if (key[mid] < (uint32_t)c)
        lo = mid + 1;
      else
        hi = mid;
    }
    first[c] = lo;
  }
}

/* The key of each entry is its tile */
static __global__ void __launch_bounds__(BLOCK) MakeEntries(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, const PetscInt before[], const PetscInt place[], uint32_t key[], Entry entry[])
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  const PetscInt         *block_row = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data, width = seg.axes.tile_width;

  EachEntry(
    seg, csr, ptr, nnz, slices[threadIdx.x / WARP], [&](PetscInt q) { return place ? place[csr.col[q]] : csr.col[q]; },
    [&](PetscInt e, PetscInt k, PetscInt at) {
      key[e]   = (uint32_t)(at / width);
      entry[e] = MakeEntry(e, k - block_row[before[k + 1] - 1], at % width);
    });
}

/* The first entry of each run: of its tile's the first that is none of a row block before; in starts, all zero at first, if these are asked for */
static __global__ void __launch_bounds__(BLOCK) FindRuns(AutoCSRSegment seg, const PetscInt ptr[], PetscInt nnz, const PetscInt tile[], const Entry entry[], DeviceRuns runs, uint32_t starts[])
{
  PtxWaitForLast();
  const PetscInt *block_row = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data, n = RunCount(runs);

  for (PetscInt64 r = FirstOfThread(); r <= n; r += StrideOfThreads()) {
    const PetscInt c = r < n ? (PetscInt)(r / runs.blocks) : 0, first = r < n ? ptr[block_row[r % runs.blocks]] : 0;
    PetscInt       lo = r < n ? tile[c] : nnz, hi = r < n ? tile[c + 1] : nnz;

    while (lo < hi) {
      const PetscInt mid = lo + (hi - lo) / 2;

      if (NumberOf(entry[mid]) < first)
        lo = mid + 1;
      else
        hi = mid;
    }
    runs.entry[r] = lo;
    if (starts) atomicOr(starts + lo / 32, 1u << lo % 32);
  }
}

PetscErrorCode DeviceCountEntries(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt ptr[])
{
  PetscFunctionBegin;
  Launch(RowLengths, GridOfThreads(seg->n_rows + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(seg->n_rows, ptr));
  PetscCall(AutoCSRDeviceToHost(&seg->nnz, ptr + seg->n_rows, sizeof(seg->nnz)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceFirstOfKeys(PetscInt n, const uint32_t key[], PetscInt keys, PetscInt first[])
{
  PetscFunctionBegin;
  Launch(FindFirst, GridOfThreads(keys + 1), BLOCK, 0, AUTOCSR_STREAM)(key, n, keys, first);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceBeginSort(AutoCSRSegment *seg, const AutoCSRMatrix *csr, SortedEntries *sorted)
{
  PetscFunctionBegin;
  PetscCall(sorted->memory[0].Allocate((size_t)seg->n_rows + 1, &sorted->ptr));
  PetscCall(sorted->memory[1].Allocate((size_t)seg->n_rows + 1, &sorted->before));
  PetscCall(DeviceCountEntries(seg, csr, sorted->ptr));
  PetscCheck((PetscInt64)seg->nnz < (PetscInt64)1 << (63 - ROW_BITS - 16), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " entries are more than are sorted with their rows; take another strategy", seg->nnz);
  PetscCall(DeviceEncodeRowBlocks(seg, sorted->ptr, sorted->before, &sorted->runs.blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceSortEntries(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt tiles, const PetscInt place[], PetscBool starts, SortedEntries *sorted)
{
  DeviceRuns   *runs   = &sorted->runs;
  const size_t  nnz    = (size_t)seg->nnz, words = nnz / 32 + 1;
  DeviceScratch memory[3];
  uint32_t     *key, *sorted_key;
  Entry        *entry;

  PetscFunctionBegin;
  runs->tiles = tiles;
  PetscCheck((PetscInt64)tiles * runs->blocks < 2147483647, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " column tiles of %" PetscInt_FMT " row blocks are more than 32 bits count", tiles, runs->blocks);
  PetscCall(sorted->memory[2].Allocate((size_t)tiles + 1, &sorted->tile));
  PetscCall(sorted->memory[3].Allocate(nnz, &sorted->entry));
  sorted->starts = NULL;
  if (starts) PetscCall(sorted->memory[4].Allocate(words, &sorted->starts));
  PetscCall(sorted->memory[5].Allocate((size_t)RunCount(*runs) + 1, &runs->entry));
  PetscCall(memory[0].Allocate(nnz, &key));
  PetscCall(memory[1].Allocate(nnz, &entry));
  PetscCall(memory[2].Allocate(nnz, &sorted_key));
  if (nnz) {
    Launch(MakeEntries, GridOfEntries(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, sorted->ptr, seg->nnz, sorted->before, place, key, entry);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  const Entry *unsorted = entry;
  PetscCall(SortByKey(seg->nnz, tiles, key, entry, sorted_key, sorted->entry));
  if (sorted->entry == unsorted) sorted->memory[3].Swap(memory[1]);
  PetscCall(DeviceFirstOfKeys(seg->nnz, sorted_key, tiles, sorted->tile));
  if (starts) PetscCallCUDA(cudaMemsetAsync(sorted->starts, 0, sizeof(*sorted->starts) * words, AUTOCSR_STREAM));
  Launch(FindRuns, GridOfThreads(RunCount(*runs) + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, sorted->ptr, seg->nnz, sorted->tile, sorted->entry, *runs, sorted->starts);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
