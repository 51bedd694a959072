/*
  Entries sorted by tile and row block, stably, for orders propagated and popular. What is sorted with an entry tells its row in the row
  block and its column in the tile, so that only its value is fetched from where it was.

  Bytes: of an entry 24 in each pass of the sort.
*/
#include "chunks.cuh"

/* The key of each entry is its run */
static __global__ void __launch_bounds__(BLOCK) FindRuns(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, PetscInt blocks, const PetscInt before[], const PetscInt place[], uint32_t key[], Entry entry[])
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  const PetscInt         *block_row = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data, width = seg.axes.tile_width;

  EachEntry(seg, csr, ptr, nnz, slices[threadIdx.x / WARP], [&](PetscInt e, PetscInt k, PetscInt q) {
    const PetscInt at = place ? place[csr.col[q]] : csr.col[q], b = before[k + 1] - 1;

    key[e]   = (uint32_t)(at / width * blocks + b);
    entry[e] = MakeEntry(e, k - block_row[b], at % width);
  });
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

PetscErrorCode DeviceSortEntries(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt tiles, const PetscInt place[], SortedEntries *sorted)
{
  DeviceRuns   *runs = &sorted->runs;
  const size_t  nnz  = (size_t)seg->nnz;
  DeviceScratch memory[2];
  uint32_t     *key;
  Entry        *entry;

  PetscFunctionBegin;
  runs->tiles = tiles;
  PetscCheck((PetscInt64)tiles * runs->blocks < 2147483647, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " column tiles of %" PetscInt_FMT " row blocks are more than 32 bits count", tiles, runs->blocks);
  PetscCall(sorted->memory[2].Allocate((size_t)RunCount(*runs) + 1, &runs->entry));
  PetscCall(sorted->memory[3].Allocate(nnz, &sorted->key));
  PetscCall(sorted->memory[4].Allocate(nnz, &sorted->entry));
  PetscCall(memory[0].Allocate(nnz, &key));
  PetscCall(memory[1].Allocate(nnz, &entry));
  if (nnz) {
    Launch(FindRuns, GridOfEntries(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, sorted->ptr, seg->nnz, runs->blocks, sorted->before, place, key, entry);
    PetscCallCUDA(cudaGetLastError());
  }
  PetscCall(SortByKey(seg->nnz, RunCount(*runs), key, entry, sorted->key, sorted->entry));
  PetscCall(DeviceFirstOfKeys(seg->nnz, sorted->key, RunCount(*runs), runs->entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}
