/*
  The streams of order propagated on the device (layout/propagate.c on the host). Where the sorted entries lie among those of their runs gives
  their slots; what each chunk's rows are is found in it (encode_chunks.cu).
*/
#include "chunks.cuh"

/* The units of runs, in both orders */
static __global__ void __launch_bounds__(BLOCK) CountUnits(AutoCSRSegment seg, DeviceRuns runs)
{
  PtxWaitForLast();
  const PetscInt n = RunCount(runs);

  for (PetscInt64 i = FirstOfThread(); i <= n; i += StrideOfThreads()) {
    const PetscInt units = i < n ? AutoCSRPropagateUnitsOf(&seg, runs.entry[i + 1] - runs.entry[i]) : 0;

    runs.unit[i]                                                           = units;
    runs.place[i < n ? i % runs.blocks * runs.tiles + i / runs.blocks : n] = units;
  }
}

/* The first unit of each tile, and the end */
static __global__ void __launch_bounds__(BLOCK) FindTiles(DeviceRuns runs, PetscInt tile_unit[])
{
  PtxWaitForLast();
  for (PetscInt64 c = FirstOfThread(); c <= runs.tiles; c += StrideOfThreads()) tile_unit[c] = runs.unit[c * runs.blocks];
}

struct Stored {
  Entry entry;
  alignas(sizeof(PetscScalar)) PetscScalar v; /* a complex number that C lays out is aligned to its parts */
};

/* INDEX, VALUE, and the row of each slot in its row block */
static __global__ void __launch_bounds__(BLOCK) WriteSlots(AutoCSRSegment seg, AutoCSRMatrix csr, const PetscInt ptr[], PetscInt nnz, DeviceRuns runs, const Entry entry[], const AutoCSRDictionary *dictionary, uint16_t row_of[])
{
  PtxWaitForLast();
  __shared__ SliceEntries slices[BLOCK / WARP];
  uint16_t               *index = (uint16_t *)seg.stream[AUTOCSR_STREAM_INDEX].data;

  EachElement(
    runs.entry, RunCount(runs), nnz, slices[threadIdx.x / WARP],
    [&](PetscInt i, PetscInt, PetscInt) {
      const Entry here = entry[i];

      return Stored{here, csr.val[PlaceInCSR(seg, csr, ptr, here)]};
    },
    [&](PetscInt, PetscInt run, PetscInt in, const Stored &stored) {
      const PetscInt slot = runs.unit[run] * AUTOCSR_PROPAGATE_UNIT + in;

      index[slot]  = (uint16_t)IndexOf(stored.entry);
      row_of[slot] = (uint16_t)RowOf(stored.entry);
      AutoCSREncodeValue(&seg, seg.axes.value, dictionary, &stored.v, slot);
    });
}

/* What is counted by run: ITEM, CHUNK_PTR, PART_PTR, PART, and room for the other streams */
static PetscErrorCode MakeRuns(AutoCSRSegment *seg, PetscInt n, const DeviceRuns *runs)
{
  const PetscInt n_runs = RunCount(*runs);
  DeviceScratch  scratch;
  PetscInt      *tile_unit, *host;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  Launch(CountUnits, GridOfThreads(n_runs + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(n_runs, runs->unit));
  PetscCall(SumUp(n_runs, runs->place));
  PetscCall(scratch.Allocate((size_t)runs->tiles + 1, &tile_unit));
  Launch(FindTiles, GridOfThreads(runs->tiles + 1), BLOCK, 0, AUTOCSR_STREAM)(*runs, tile_unit);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(PetscMalloc1(runs->tiles + 1, &host));
  ierr = AutoCSRDeviceToHost(host, tile_unit, sizeof(*host) * (size_t)(runs->tiles + 1));
  if (!ierr) ierr = AutoCSRPropagateAllocate(seg, n, host);
  PetscCall(PetscFree(host));
  PetscCall(ierr); /* out of memory is one that the caller lives with */
  PetscCall(DeviceEncodeChunks(seg, runs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodePropagate(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  SortedEntries sorted;
  DeviceRuns   *runs = &sorted.runs;
  DeviceScratch memory[4];
  uint16_t     *row_of;
  size_t        n_runs, slots;

  PetscFunctionBegin;
  PetscCall(DeviceBeginSort(seg, csr, &sorted));
  PetscCall(DeviceSortEntries(seg, csr, AutoCSRTiledTiles(&seg->axes, csr->n), NULL, PETSC_FALSE, &sorted));
  n_runs = (size_t)RunCount(*runs) + 1;
  PetscCall(memory[0].Allocate(n_runs, &runs->unit));
  PetscCall(memory[1].Allocate(n_runs, &runs->place));
  PetscCall(memory[2].Allocate(n_runs, &runs->part));
  PetscCall(MakeRuns(seg, csr->n, runs));
  PetscCall(ZeroStream(seg, AUTOCSR_STREAM_INDEX));
  PetscCall(ZeroStream(seg, AUTOCSR_STREAM_VALUE));
  slots = seg->stream[AUTOCSR_STREAM_INDEX].bytes / sizeof(uint16_t);
  PetscCall(memory[3].Allocate(slots, &row_of));
  PetscCallCUDA(cudaMemsetAsync(row_of, 0xff, sizeof(*row_of) * slots, AUTOCSR_STREAM)); /* none */
  if (seg->nnz) {
    Launch(WriteSlots, GridOfEntries(seg->nnz), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, sorted.ptr, seg->nnz, *runs, sorted.entry, dictionary, row_of);
    AutoCSRCallCUDA(cudaGetLastError());
  }
  PetscCall(DeviceEncodeCodes(seg, runs->blocks, row_of));
  PetscFunctionReturn(PETSC_SUCCESS);
}
