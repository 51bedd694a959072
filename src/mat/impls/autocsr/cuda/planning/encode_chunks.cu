/* Row blocks, chunks and their codes on the device (layout/propagate.c on the host), for orders propagated and popular */
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

#define SPANS   (THREADS / BANKS) /* of rows: a thread has the rows of one bank in one of them */

/* In shared memory: of a row first how many entries it has in the chunk, then which of its rows it is, and, 16 bits up, how many of its entries have their code */
struct ChunkRows {
  int      of[AUTOCSR_PROPAGATE_ROWS];
  uint16_t row_of[AUTOCSR_PROPAGATE_CHUNK];
  int      with[MOST + 2][BANKS];          /* rows with so many entries, the last: with more, by bank */
  uint16_t before[SPANS][MOST + 2][BANKS]; /* the same of a span, then of those before it */
  int      at[MOST + 2], first[MOST];      /* where those begin; where the j-th entries of short rows begin */
  int      long_places;
};

static_assert(THREADS % BANKS == 0, "Each bank has as many threads");

static __device__ __forceinline__ int CountOf(int entries)
{
  return entries < MOST + 1 ? entries : MOST + 1;
}

/* How many rows there are with so many entries, by bank, and where they begin; by all threads */
static __device__ __forceinline__ void CountRows(ChunkRows &s, int rows)
{
  const int bank = (int)threadIdx.x % BANKS, span = (int)threadIdx.x / BANKS, each = (rows / BANKS + SPANS) / SPANS * BANKS;

  for (int c = 0; c < MOST + 2; c++) s.before[span][c][bank] = 0;
  for (int k = span * each + bank; k < rows && k < (span + 1) * each; k += BANKS) {
    const int entries = s.of[k];

    s.before[span][CountOf(entries)][bank]++;
    if (entries > MOST) (void)atomicAdd(&s.long_places, entries);
  }
  __syncthreads();
  for (int i = (int)threadIdx.x; i < (MOST + 2) * BANKS; i += THREADS) {
    int sum = 0;

    for (int p = 0; p < SPANS; p++) {
      const int n = s.before[p][i / BANKS][i % BANKS];

      s.before[p][i / BANKS][i % BANKS] = (uint16_t)sum;
      sum += n;
    }
    s.with[i / BANKS][i % BANKS] = sum;
  }
  __syncthreads();
  if (threadIdx.x < WARP) { /* a lane a count of entries */
    const int c = MOST + 1 - Lane();
    int       n = 0;

    for (int i = 0; c > 0 && i < BANKS; i++) n += s.with[c][i];
    for (int d = 1; d < WARP; d *= 2) {
      const int before = __shfl_up_sync(ALL_LANES, n, d);

      if (Lane() >= d) n += before;
    }
    if (c > 0) s.at[c - 1] = n; /* those of fewer begin where these end */
    if (c == MOST + 1) s.at[c] = 0;
    __syncwarp();
    if (Lane() == 0) {
      int before = 0;

      for (int j = 0; j < MOST; j++) {
        s.first[j] = before;
        before += s.at[j] - s.at[MOST];
      }
    }
  }
  __syncthreads();
}

/* The rows, and of long ones how many entries they have in place of where they begin; by all threads, each the rows of a bank in their order */
static __device__ __forceinline__ void WriteRows(ChunkRows &s, int rows, uint16_t row[], uint16_t begin[])
{
  const int bank = (int)threadIdx.x % BANKS, span = (int)threadIdx.x / BANKS, each = (rows / BANKS + SPANS) / SPANS * BANKS;

  for (int k = span * each + bank; k < rows && k < (span + 1) * each; k += BANKS) {
    const int entries = s.of[k], c = CountOf(entries);

    if (!entries) continue;
    const int r = s.at[c] + AutoCSRPropagateOrder(s.with[c], bank, s.before[span][c][bank]++);

    row[r] = (uint16_t)k;
    if (c > MOST) begin[r] = (uint16_t)entries;
    s.of[k] = r;
  }
}

/* The places, by one warp, which goes through them in their order */
static __device__ __forceinline__ void WritePlaces(ChunkRows &s, int n, int n_long, const uint16_t begin[], int long_places, uint16_t place[])
{
  for (int i = Lane(); i - Lane() < n; i += WARP) {
    const int      k      = i < n && s.row_of[i] < AUTOCSR_PROPAGATE_ROWS ? (int)s.row_of[i] : -1;
    const unsigned like   = __match_any_sync(ALL_LANES, k);
    const int      before = __popc(like & ((1u << Lane()) - 1)), of = k < 0 ? 0 : s.of[k], r = of & 0xffff, j = (of >> 16) + before;

    __syncwarp();
    if (k >= 0 && !before) s.of[k] = of + (__popc(like) << 16);
    if (k >= 0) place[r < n_long ? begin[r] + j : long_places + s.first[j] + r - n_long] = (uint16_t)i;
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
  CountRows(s, rows);

  const int rows_here = s.at[0], n_long = s.at[MOST], short_places = s.first[MOST - 1] + s.at[MOST - 1] - n_long, places = short_places + s.long_places;
  const int units = (int)AutoCSRPropagateCodeUnits(places, rows_here, n_long);

  if (!write) {
    if (threadIdx.x == 0) code_ptr[chunk] = units;
    return;
  }
  uint16_t *code = (uint16_t *)seg.stream[AUTOCSR_STREAM_CODE].data + (size_t)code_ptr[chunk] * AUTOCSR_PROPAGATE_ALIGN;
  uint16_t *row = code + AUTOCSR_PROPAGATE_HEAD, *begin = row + rows_here, *place = begin + n_long + 1;

  for (int i = (int)threadIdx.x; i < AUTOCSR_PROPAGATE_HEAD; i += THREADS) code[i] = (uint16_t)(i < MOST ? s.first[i] : i == MOST ? short_places : i == MOST + 1 ? n_long : 0);
  for (int i = (int)(place - code) + places + (int)threadIdx.x; i < units * AUTOCSR_PROPAGATE_ALIGN; i += THREADS) code[i] = 0;
  WriteRows(s, rows, row, begin);
  __syncthreads();
  if (threadIdx.x >= WARP) return;
  if (Lane() == 0) {
    int sum = 0;

    for (int l = 0; l <= n_long; l++) { /* how many become where they begin */
      const int entries = l < n_long ? begin[l] : 0;

      begin[l] = (uint16_t)sum;
      sum += entries;
    }
  }
  __syncwarp();
  WritePlaces(s, n, n_long, begin, s.long_places, place);
}

PetscErrorCode DeviceEncodeRowBlocks(AutoCSRSegment *seg, const PetscInt ptr[], PetscInt before[], PetscInt *blocks)
{
  PetscFunctionBegin;
  Launch(FindRowBlocks, GridOfThreads(seg->n_rows + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, ptr, before);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(seg->n_rows, before));
  PetscCall(AutoCSRDeviceToHost(blocks, before + seg->n_rows, sizeof(*blocks)));
  if (seg->stream[AUTOCSR_STREAM_BLOCK_ROW].data) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BLOCK_ROW, *blocks + 1));
  Launch(WriteRowBlocks, GridOfThreads(seg->n_rows + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, before);
  AutoCSRCallCUDA(cudaGetLastError());
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
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(runs->blocks, chunk_ptr));
  PetscCall(AutoCSRDeviceToHost(&chunks, chunk_ptr + runs->blocks, sizeof(chunks)));
  Launch(CountParts, GridOfThreads(n_runs + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(n_runs, runs->part));
  PetscCall(AutoCSRDeviceToHost(&parts, runs->part + n_runs, sizeof(parts)));
  PetscCall(AutoCSRPropagateAllocateChunks(seg, chunks, parts));
  Launch(WriteParts, GridOfThreads(n_runs + 1), BLOCK, 0, AUTOCSR_STREAM)(*seg, *runs, chunks);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeCodes(AutoCSRSegment *seg, PetscInt blocks, const uint16_t row_of[])
{
  const PetscInt chunks   = AutoCSRPropagateChunks(seg);
  PetscInt      *code_ptr = (PetscInt *)seg->stream[AUTOCSR_STREAM_CODE_PTR].data, units;

  PetscFunctionBegin;
  PetscCallCUDA(cudaMemsetAsync(code_ptr + chunks, 0, sizeof(*code_ptr), AUTOCSR_STREAM));
  if (chunks) Launch(WriteCodes<false>, (unsigned)chunks, THREADS, 0, AUTOCSR_STREAM)(*seg, blocks, row_of, code_ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(chunks, code_ptr));
  PetscCall(AutoCSRDeviceToHost(&units, code_ptr + chunks, sizeof(units)));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_CODE, (PetscInt64)units * AUTOCSR_PROPAGATE_ALIGN));
  if (chunks) Launch(WriteCodes<true>, (unsigned)chunks, THREADS, 0, AUTOCSR_STREAM)(*seg, blocks, row_of, code_ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
