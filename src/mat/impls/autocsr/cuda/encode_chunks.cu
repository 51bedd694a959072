/* Row blocks, chunks and their codes on the device (plan/propagate.c on the host), for orders propagated and popular */
#include "chunks.cuh"

/* begins[k]: whether a row block begins; then how many have begun before row k */
static __global__ void __launch_bounds__(BLOCK) FindRowBlocks(AutoCSRSegment seg, const PetscInt ptr[], PetscInt begins[])
{
  PtxWaitForLast();
  for (PetscInt64 k = FirstOfThread(); k <= seg.n_rows; k += StrideOfThreads()) begins[k] = k < seg.n_rows && AutoCSRPropagateBegins(&seg.axes, (PetscInt)k, ptr[k ? k - 1 : 0], ptr[k]) ? 1 : 0;
}

static __global__ void __launch_bounds__(BLOCK) WriteRowBlocks(AutoCSRSegment seg, const PetscInt before[])
{
  PtxWaitForLast();
  PetscInt *block_row = (PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data;

  for (PetscInt64 k = FirstOfThread(); k <= seg.n_rows; k += StrideOfThreads()) {
    if (k == seg.n_rows || before[k + 1] > before[k]) block_row[before[k]] = (PetscInt)k;
  }
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

static __global__ void __launch_bounds__(BLOCK) CountChunks(AutoCSRSegment seg, DeviceRuns runs, PetscInt chunk_ptr[])
{
  PtxWaitForLast();
  for (PetscInt64 b = FirstOfThread(); b <= runs.blocks; b += StrideOfThreads()) chunk_ptr[b] = b < runs.blocks ? AutoCSRPropagatePartsOf(&seg, 0, runs.place[(b + 1) * runs.tiles] - runs.place[b * runs.tiles]) : 0;
}

static __global__ void __launch_bounds__(BLOCK) CountParts(AutoCSRSegment seg, DeviceRuns runs)
{
  PtxWaitForLast();
  const PetscInt n = RunCount(runs);

  for (PetscInt64 i = FirstOfThread(); i <= n; i += StrideOfThreads()) runs.part[i] = i < n ? AutoCSRPropagatePartsOf(&seg, runs.place[i] - runs.place[i / runs.tiles * runs.tiles], runs.place[i + 1] - runs.place[i]) : 0;
}

static __global__ void __launch_bounds__(BLOCK) WriteParts(AutoCSRSegment seg, DeviceRuns runs, PetscInt chunks)
{
  PtxWaitForLast();
  const PetscInt  n         = RunCount(runs);
  const PetscInt *chunk_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_CHUNK_PTR].data;

  for (PetscInt64 i = FirstOfThread(); i <= n; i += StrideOfThreads()) {
    const PetscInt b = i < n ? (PetscInt)(i / runs.tiles) : 0, tile = i < n ? (PetscInt)(i % runs.tiles) : 0;

    if (i < n)
      AutoCSRPropagateEncodeParts(&seg, runs.unit[tile * runs.blocks + b], runs.place[i] - runs.place[b * runs.tiles], runs.place[i + 1] - runs.place[i], chunk_ptr[b], runs.part[i]);
    else
      ((PetscInt *)seg.stream[AUTOCSR_STREAM_PART_PTR].data)[chunks] = runs.part[n];
  }
}

#define THREADS 128 /* of a block that has a chunk */
#define MOST    AUTOCSR_PROPAGATE_MOST
#define BANKS   AUTOCSR_PROPAGATE_BANKS

/* In shared memory: of a row first how many entries it has in the chunk, then which of its rows it is, and, 16 bits up, how many of its entries have their code */
struct ChunkRows {
  int      of[AUTOCSR_PROPAGATE_ROWS];
  uint16_t row_of[AUTOCSR_PROPAGATE_CHUNK];
  int      with[MOST + 2][BANKS], rank[MOST + 2][BANKS]; /* rows with so many entries, the last: with more, by bank; and how many have come */
  int      at[MOST + 2], first[MOST];                    /* where those begin; where the j-th entries of short rows begin */
  int      long_places;
};

/* f(i, at) for each of n elements i, in their order, by one warp: at is get(c) of its class c, 0 up, and as many of it are added then by add(c, n); classes below 0 are passed over */
template <typename Class, typename Get, typename Add, typename F>
static __device__ __forceinline__ void CountInOrder(int n, Class class_of, Get get, Add add, F f)
{
  for (int i = Lane(); i - Lane() < n; i += WARP) {
    const int      c      = i < n ? class_of(i) : -1;
    const unsigned like   = __match_any_sync(ALL_LANES, c);
    const int      before = __popc(like & ((1u << Lane()) - 1)), at = c < 0 ? 0 : get(c) + before;

    __syncwarp();
    if (c >= 0 && !before) add(c, __popc(like));
    __syncwarp();
    if (c >= 0) f(i, at);
    __syncwarp();
  }
}

/* The codes of a chunk, or how many they are */
template <bool write>
static __global__ void __launch_bounds__(THREADS) WriteCodes(AutoCSRSegment seg, PetscInt blocks, const uint16_t row_of[], PetscInt code_ptr[])
{
  PtxWaitForLast();
  __shared__ ChunkRows        s;
  const PetscInt             *chunk_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_CHUNK_PTR].data, *block_row = (const PetscInt *)seg.stream[AUTOCSR_STREAM_BLOCK_ROW].data;
  const PetscInt             *part_ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_PART_PTR].data;
  const AutoCSRPropagatePart *part     = (const AutoCSRPropagatePart *)seg.stream[AUTOCSR_STREAM_PART].data;
  const PetscInt              chunk = blockIdx.x, b = WarpFindLast([=](PetscInt i) { return chunk_ptr[i]; }, blocks, chunk);
  const int                   rows = (int)(block_row[b + 1] - block_row[b]), unit = (int)AutoCSRPropagateUnit(&seg), n = AutoCSRPropagatePlaces(&seg, chunk);

  for (int r = (int)threadIdx.x; r < rows; r += THREADS) s.of[r] = 0;
  for (int i = (int)threadIdx.x; i < (MOST + 2) * BANKS; i += THREADS) s.with[0][i] = s.rank[0][i] = 0;
  if (threadIdx.x == 0) s.long_places = 0;
  __syncthreads();
  for (PetscInt p = part_ptr[chunk] + (PetscInt)threadIdx.x / WARP; p < part_ptr[chunk + 1]; p += THREADS / WARP) {
    const int      place = (int)AutoCSRPropagatePartPlace(&part[p]) * unit, places = (int)AutoCSRPropagatePartUnits(&part[p]) * unit;
    const PetscInt from  = part[p].source * unit;

    for (int i = Lane(); i < places; i += WARP) {
      const uint16_t row = row_of[from + i];

      s.row_of[place + i] = row;
      if (row < AUTOCSR_PROPAGATE_ROWS) (void)atomicAdd(&s.of[row], 1);
    }
  }
  __syncthreads();
  for (int r = (int)threadIdx.x; r < rows; r += THREADS) {
    (void)atomicAdd(&s.with[s.of[r] < MOST + 1 ? s.of[r] : MOST + 1][r % BANKS], 1);
    if (s.of[r] > MOST) (void)atomicAdd(&s.long_places, s.of[r]);
  }
  __syncthreads();

  if (threadIdx.x < WARP) { /* a lane a count of entries */
    const int c    = MOST + 1 - Lane();
    int       rows = 0;

    for (int bank = 0; c > 0 && bank < BANKS; bank++) rows += s.with[c][bank];
    for (int d = 1; d < WARP; d *= 2) {
      const int before = __shfl_up_sync(ALL_LANES, rows, d);

      if (Lane() >= d) rows += before;
    }
    if (c > 0) s.at[c - 1] = rows; /* those of fewer begin where these end */
    if (c == MOST + 1) s.at[c] = 0;
  }
  __syncthreads();

  const int rows_here = s.at[0], n_long = s.at[MOST];
  int       short_places = 0;
  for (int j = 0; j < MOST; j++) {
    if (threadIdx.x == 0) s.first[j] = short_places;
    short_places += s.at[j] - n_long;
  }
  __syncthreads();

  const int places = short_places + s.long_places, units = (int)AutoCSRPropagateCodeUnits(places, rows_here, n_long);
  if (!write) {
    if (threadIdx.x == 0) code_ptr[chunk] = units;
    return;
  }
  uint16_t *code = (uint16_t *)seg.stream[AUTOCSR_STREAM_CODE].data + (size_t)code_ptr[chunk] * AUTOCSR_PROPAGATE_ALIGN;
  uint16_t *row = code + AUTOCSR_PROPAGATE_HEAD, *begin = row + rows_here, *place = begin + n_long + 1;

  for (int i = (int)threadIdx.x; i < AUTOCSR_PROPAGATE_HEAD; i += THREADS) code[i] = (uint16_t)(i < MOST ? s.first[i] : i == MOST ? short_places : i == MOST + 1 ? n_long : 0);
  for (int i = (int)(place - code) + places + (int)threadIdx.x; i < units * AUTOCSR_PROPAGATE_ALIGN; i += THREADS) code[i] = 0;
  if (threadIdx.x == 0) begin[n_long] = (uint16_t)s.long_places;
  __syncthreads();
  if (threadIdx.x >= WARP) return;

  int long_places = 0;
  CountInOrder(
    rows, [&](int k) { return s.of[k] ? (s.of[k] < MOST + 1 ? s.of[k] : MOST + 1) * BANKS + k % BANKS : -1; },
    [&](int c) { return s.rank[0][c]; }, [&](int c, int more) { s.rank[0][c] += more; },
    [&](int k, int q) {
      const int c = s.of[k] < MOST + 1 ? s.of[k] : MOST + 1, r = s.at[c] + AutoCSRPropagateOrder(s.with[c], k % BANKS, q);

      row[r] = (uint16_t)k;
      if (r < n_long) begin[r] = (uint16_t)s.of[k];
      s.of[k] = r;
    });
  for (int l = 0; l < n_long; l++) { /* how many become where they begin */
    const int entries = begin[l];

    __syncwarp();
    if (Lane() == 0) begin[l] = (uint16_t)long_places;
    __syncwarp();
    long_places += entries;
  }
  CountInOrder(
    n, [&](int i) { return s.row_of[i] < AUTOCSR_PROPAGATE_ROWS ? (int)s.row_of[i] : -1; },
    [&](int k) { return s.of[k] >> 16; }, [&](int k, int more) { s.of[k] += more << 16; },
    [&](int i, int j) {
      const int r = s.of[s.row_of[i]] & 0xffff;

      place[r < n_long ? begin[r] + j : long_places + s.first[j] + r - n_long] = (uint16_t)i;
    });
}

PetscErrorCode DeviceFirstOfKeys(PetscInt n, const uint32_t key[], PetscInt keys, PetscInt first[])
{
  PetscFunctionBegin;
  Launch(FindFirst, GridOfThreads(keys + 1), BLOCK, 0, AUTOCSR_STREAM)(key, n, keys, first);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceCountRowBlocks(const AutoCSRSegment *seg, const PetscInt ptr[], PetscInt before[], PetscInt *blocks)
{
  PetscFunctionBegin;
  Launch(FindRowBlocks, GridOfThreads(seg->n_rows + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, ptr, before);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SumUp(seg->n_rows, before));
  PetscCall(AutoCSRDeviceToHost(blocks, before + seg->n_rows, sizeof(*blocks)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeRowBlocks(AutoCSRSegment *seg, const PetscInt ptr[], PetscInt before[], PetscInt *blocks)
{
  PetscFunctionBegin;
  PetscCall(DeviceCountRowBlocks(seg, ptr, before, blocks));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BLOCK_ROW, *blocks + 1));
  Launch(WriteRowBlocks, GridOfThreads(seg->n_rows + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, before);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeChunks(AutoCSRSegment *seg, const DeviceRuns *runs)
{
  const PetscInt n_runs = RunCount(*runs);
  PetscInt      *chunk_ptr, chunks, parts;

  PetscFunctionBegin;
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_CHUNK_PTR, runs->blocks + 1));
  chunk_ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_CHUNK_PTR].data;
  Launch(CountChunks, GridOfThreads(runs->blocks + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs, chunk_ptr);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SumUp(runs->blocks, chunk_ptr));
  PetscCall(AutoCSRDeviceToHost(&chunks, chunk_ptr + runs->blocks, sizeof(chunks)));
  Launch(CountParts, GridOfThreads(n_runs + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SumUp(n_runs, runs->part));
  PetscCall(AutoCSRDeviceToHost(&parts, runs->part + n_runs, sizeof(parts)));
  PetscCall(AutoCSRPropagateAllocateChunks(seg, chunks, parts));
  Launch(WriteParts, GridOfThreads(n_runs + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs, chunks);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeCodes(AutoCSRSegment *seg, PetscInt blocks, const uint16_t row_of[])
{
  const PetscInt chunks   = AutoCSRPropagateChunks(seg);
  PetscInt      *code_ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_CODE_PTR].data, units;

  PetscFunctionBegin;
  PetscCallCUDA(cudaMemsetAsync(code_ptr + chunks, 0, sizeof(*code_ptr), AUTOCSR_STREAM));
  if (chunks) Launch(WriteCodes<false>, (unsigned)chunks, THREADS, 0, AUTOCSR_STREAM)(*seg, blocks, row_of, code_ptr);
  PetscCallCUDA(cudaGetLastError());
  PetscCall(SumUp(chunks, code_ptr));
  PetscCall(AutoCSRDeviceToHost(&units, code_ptr + chunks, sizeof(units)));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_CODE, (PetscInt64)units * AUTOCSR_PROPAGATE_ALIGN));
  if (chunks) Launch(WriteCodes<true>, (unsigned)chunks, THREADS, 0, AUTOCSR_STREAM)(*seg, blocks, row_of, code_ptr);
  PetscCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
