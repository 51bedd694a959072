/*
  Lengths, bandwidth, padding, 16-bit slices, lines of x (profile/profile.c, profile/spread.c). What looks at rows is one kernel: a small matrix waits for
  starts of kernels, and little else. Some of its blocks look at a window of rows each, others at samples, others at all entries.
*/
#include "profile.cuh"
#include "../runtime/preload.h"
#include "sort.cuh"
#include "../common/fits.cuh"

#define LINE_SLOTS    (2 * AUTOCSR_BLOCK_ENTRIES) /* a power of two */
#define LINE_SAMPLES  16                          /* blocks of a zone; more samples than that take a second turn */
#define LINES_AT_ONCE 8                           /* columns that a thread asks for before it looks at them */
#define ENTRIES_AT_LEAST 4096                     /* of a block that looks at all of its own */

/* How a grid is shared out */
struct Look {
  PetscInt rows_per_zone, shift, tile_width;
  unsigned line_blocks, entry_blocks; /* of a zone, and in all */
  int      zones;
};

/* Adds the counts of a thread block to the sums and maxima of the zone */
static __device__ __forceinline__ void AddCounts(const DeviceCount own[COUNTS], DeviceCount zone[COUNTS])
{
  const int i = (int)threadIdx.x;

  if (i >= COUNTS || !own[i]) return;
  if (i < COUNT_LONGEST)
    (void)atomicAdd(&zone[i], own[i]);
  else
    (void)atomicMax(&zone[i], own[i]);
}

/* A warp's rows as a slice: length, first and last column of each lane's row. Counts padding and whether 16 bits will do */
static __device__ __forceinline__ void MeasureSlice(PetscInt length, PetscInt first, PetscInt last, bool exists, DeviceCount *padded, DeviceCount *slices_16)
{
  const PetscInt width = WarpMax(length), lo = WarpMin(first), hi = WarpMax(last);

  if (Lane() || !exists) return;
  atomicAdd(padded, (DeviceCount)width * WARP);
  if (hi - lo < 65536) atomicAdd(slices_16, 1);
}

/* Of the lanes that are alike; in two halves, which do not overflow 32 bits */
static __device__ __forceinline__ DeviceCount SumOfLike(unsigned like, PetscInt length)
{
  const DeviceCount low = __reduce_add_sync(like, (unsigned)length & 0xffffff), high = __reduce_add_sync(like, (unsigned)(length >> 24));

  return low + (high << 24);
}

struct WindowShared {
  WindowSort::Shared sort;
  PetscInt           first_of[AUTOCSR_WINDOW], last_of[AUTOCSR_WINDOW];
  DeviceCount        own[COUNTS], histogram_nnz[AUTOCSR_HISTOGRAM_BINS];
  unsigned           histogram[AUTOCSR_HISTOGRAM_BINS], descents;
  DeviceCount        steps;
};

/* How far an entry is past the one before it */
static __device__ __forceinline__ PetscInt StepOf(PetscInt before, PetscInt col, PetscInt most)
{
  const PetscInt step = col > before ? col - before : 0;

  return step < most ? step : most;
}

/* Window w, by a block */
static __device__ __forceinline__ void MeasureWindow(const AutoCSRMatrix &csr, const Look &look, PetscInt w, WindowShared &s, DeviceProfile *out)
{
  DeviceCount   *own = s.own, *histogram_nnz = s.histogram_nnz;
  unsigned      *histogram = s.histogram;
  PetscInt      *first_of = s.first_of, *last_of = s.last_of;
  const int      k         = (int)threadIdx.x;
  const PetscInt row_begin = w * AUTOCSR_WINDOW, row = row_begin + k;
  const int      n  = (int)(csr.m - row_begin < AUTOCSR_WINDOW ? csr.m - row_begin : AUTOCSR_WINDOW);
  const bool     in = k < n, slice_exists = k - Lane() < n;
  const PetscInt begin = in ? csr.row_ptr[row] : 0, end = in ? csr.row_ptr[row + 1] : 0, length = end - begin;
  const PetscInt first = length ? csr.col[begin] : csr.n, last = length ? csr.col[end - 1] : -1;
  PetscInt       away = 0;

  if (k < COUNTS) own[k] = 0;
  if (k == 0) {
    s.descents = 0;
    s.steps    = 0;
  }
  if (k < AUTOCSR_HISTOGRAM_BINS) {
    histogram[k]     = 0;
    histogram_nnz[k] = 0;
  }
  first_of[k] = first;
  last_of[k]  = last;
  __syncthreads();

  if (length) away = row - first > last - row ? row - first : last - row;
  away                      = WarpMax(away);
  const PetscInt    longest = WarpMax(length), shortest = WarpMin(in ? length : PETSC_MAX_INT);
  const unsigned    empty    = __ballot_sync(ALL_LANES, in && !length);
  const PetscInt    before   = length && begin ? csr.col[begin - 1] : csr.n; /* of the row before */
  const unsigned    descend  = __ballot_sync(ALL_LANES, length && begin && first <= before);
  const DeviceCount spans    = WarpSum((DeviceCount)(length ? last - first + 1 : 0));
  const PetscInt    widest   = WarpMax(length && last > first ? last - first : 0);
  const DeviceCount steps    = WarpSum((DeviceCount)StepOf(before, first, look.tile_width));
  const PetscInt64  distance = in ? (PetscInt64)length - look.shift : 0;
  const DeviceCount squares  = WarpSum((DeviceCount)(distance * distance));
  const int         bits = 64 - __clzll((long long)length), bin = bits < AUTOCSR_HISTOGRAM_BINS ? bits : AUTOCSR_HISTOGRAM_BINS - 1;
  const unsigned    like = __match_any_sync(ALL_LANES, in ? bin : -1);

  const DeviceCount entries = SumOfLike(like, length);

  if (in && Lane() == __ffs((int)like) - 1) {
    atomicAdd(&histogram[bin], (unsigned)__popc(like));
    atomicAdd(&histogram_nnz[bin], entries);
  }
  if (k == n - 1) atomicAdd(&own[COUNT_NNZ], (DeviceCount)(end - csr.row_ptr[row_begin]));
  if (Lane() == 0 && slice_exists) {
    atomicAdd(&s.descents, (unsigned)__popc(descend));
    atomicAdd(&s.steps, steps);
    atomicAdd(&own[COUNT_EMPTY_ROWS], (DeviceCount)__popc(empty));
    atomicAdd(&own[COUNT_SQUARES], squares);
    atomicAdd(&own[COUNT_SPANS], spans);
    atomicMax(&own[COUNT_LONGEST], (DeviceCount)longest);
    atomicMax(&own[COUNT_SHORTEST], (DeviceCount)(PETSC_MAX_INT - shortest));
    atomicMax(&own[COUNT_BANDWIDTH], (DeviceCount)away);
    atomicMax(&own[COUNT_WIDEST], (DeviceCount)widest);
  }
  MeasureSlice(length, first, last, slice_exists, &own[COUNT_PADDED], &own[COUNT_SLICES_16]);
  const int r = WindowSort::Run(length, n, s.sort);
  MeasureSlice(s.sort.length[r], first_of[r], last_of[r], slice_exists, &own[COUNT_PADDED_SORTED], &own[COUNT_SLICES_16_SORTED]);
  __syncthreads();
  AddCounts(own, out->zone[row_begin / look.rows_per_zone]);
  if (k == 0 && s.descents) atomicAdd(&out->descents[row_begin / look.rows_per_zone], (DeviceCount)0 - s.descents);
  if (k == 0 && s.steps) atomicAdd(&out->steps[row_begin / look.rows_per_zone], (DeviceCount)0 - s.steps);
  if (k < AUTOCSR_HISTOGRAM_BINS && histogram[k]) {
    atomicAdd(&out->histogram[k], (DeviceCount)histogram[k]);
    atomicAdd(&out->histogram_nnz[k], histogram_nnz[k]);
  }
}

struct LineShared {
  unsigned    set[LINE_SLOTS]; /* line + 1; 0: free */
  DeviceCount own[COUNTS];
};

/* Whether a line was not in the set, where it is now */
static __device__ __forceinline__ bool IsNewLine(unsigned line, unsigned slots, unsigned set[])
{
  for (unsigned slot = (line * 0x9E3779B9u) >> 16;; slot++) {
    const unsigned was = atomicCAS(&set[slot & (slots - 1)], 0u, line);

    if (!was || was == line) return !was;
  }
}

/* Distinct lines of x among the first entries of sampled blocks of rows, block b of a zone: a hash set in shared memory, as much of it as the entries need (lines by their low 32 bits: they are near each other) */
static __device__ __forceinline__ void CountLines(const AutoCSRMatrix &csr, const Look &look, unsigned zone, unsigned b, LineShared &s, DeviceProfile *out)
{
  const PetscInt row_begin = (PetscInt)zone * look.rows_per_zone;
  const PetscInt row_end   = csr.m - row_begin < look.rows_per_zone ? csr.m : row_begin + look.rows_per_zone;
  const PetscInt slices = Pieces(row_end - row_begin, WARP), step = AutoCSRSampleStep(slices);
  unsigned      *set = s.set;

  if (threadIdx.x < COUNTS) s.own[threadIdx.x] = 0;
  for (PetscInt64 slice = (PetscInt64)b * step; slice < slices; slice += (PetscInt64)look.line_blocks * step) {
    const PetscInt row   = row_begin + (PetscInt)slice * WARP;
    const PetscInt begin = csr.row_ptr[row], stop = csr.row_ptr[row_end - row < AutoCSRGatherRows(WARP) ? row_end : row + AutoCSRGatherRows(WARP)];
    const PetscInt n     = stop - begin < AutoCSRGatherEntries(WARP) ? stop - begin : AutoCSRGatherEntries(WARP);
    unsigned       slots = WARP;
    int            lines = 0;

    while (slots < 2 * (unsigned)n) slots *= 2;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < slots; i += BLOCK) set[i] = 0;
    __syncthreads();
    for (PetscInt i = (PetscInt)threadIdx.x; i < n; i += LINES_AT_ONCE * BLOCK) {
      PetscInt col[LINES_AT_ONCE];

#pragma unroll
      for (int k = 0; k < LINES_AT_ONCE; k++) col[k] = i + k * BLOCK < n ? csr.col[begin + i + k * BLOCK] : -1;
#pragma unroll
      for (int k = 0; k < LINES_AT_ONCE; k++) {
        if (col[k] >= 0) lines += IsNewLine((unsigned)(col[k] / (PetscInt)(AUTOCSR_LINE / sizeof(PetscScalar))) + 1, slots, set);
      }
    }
    lines = WarpSum(lines);
    if (Lane() == 0) atomicAdd(&s.own[COUNT_LINES], (DeviceCount)lines);
    if (threadIdx.x == 0) atomicAdd(&s.own[COUNT_LINE_ENTRIES], (DeviceCount)n);
  }
  __syncthreads();
  AddCounts(s.own, out->zone[zone]);
}

struct AscentShared {
  unsigned    descents;
  DeviceCount steps;
};

/* Entries that are not past the one before them, and how far the others are, by one of a number of blocks; those that begin a row are taken off again by its window */
static __device__ __forceinline__ void MeasureAscent(const AutoCSRMatrix &csr, const Look &look, unsigned block, AscentShared &own, DeviceProfile *out)
{
  unsigned    descents = 0;
  DeviceCount steps    = 0;

  if (threadIdx.x == 0) own = {};
  __syncthreads();
#pragma unroll 4
  for (PetscInt64 i = (PetscInt64)block * BLOCK + threadIdx.x; i + 1 < csr.nnz; i += (PetscInt64)look.entry_blocks * BLOCK) {
    const PetscInt before = csr.col[i], col = csr.col[i + 1];

    descents += col <= before;
    steps += (DeviceCount)StepOf(before, col, look.tile_width);
  }
  descents = WarpSum((int)descents);
  steps    = WarpSum(steps);
  if (Lane() == 0 && descents) atomicAdd(&own.descents, descents);
  if (Lane() == 0 && steps) atomicAdd(&own.steps, steps);
  __syncthreads();
  if (threadIdx.x) return;
  if (own.descents) atomicAdd(&out->descents[block % (unsigned)look.zones], (DeviceCount)own.descents);
  if (own.steps) atomicAdd(&out->steps[block % (unsigned)look.zones], own.steps);
}

/* What was found goes to the host, by threads of a grid or of a block; zeros stay */
static __device__ __forceinline__ void Report(int zones, bool rows_only, DeviceProfile *device, DeviceProfile *host, size_t first, size_t stride)
{
  MoveOut(device->zone, host->zone, (size_t)zones * sizeof(device->zone[0]), first, stride);
  MoveOut(device->histogram, host->histogram, sizeof(device->histogram), first, stride);
  MoveOut(device->histogram_nnz, host->histogram_nnz, sizeof(device->histogram_nnz), first, stride);
  MoveOut(device->descents, host->descents, sizeof(device->descents), first, stride);
  MoveOut(device->steps, host->steps, sizeof(device->steps), first, stride);
  if (!rows_only) MoveOut(&device->not_blocks, &host->not_blocks, sizeof(*device) - offsetof(DeviceProfile, not_blocks), first, stride);
}

/* Blocks that take longest begin first. host: NULL, or what is found is reported */
static __global__ void __launch_bounds__(BLOCK) LookAtRows(AutoCSRMatrix csr, Look look, DeviceProfile *out, DeviceProfile *host)
{
  PtxWaitForLast();
  __shared__ union {
    WindowShared window;
    LineShared   lines;
    AscentShared ascent;
  } s;
  const unsigned lines = look.line_blocks * (unsigned)look.zones, b = blockIdx.x;

  static_assert((int)AUTOCSR_WINDOW == BLOCK, "A thread of a block has a row of its window");
  if (b < lines)
    CountLines(csr, look, b / look.line_blocks, b % look.line_blocks, s.lines, out);
  else if (b - lines < look.entry_blocks)
    MeasureAscent(csr, look, b - lines, s.ascent, out);
  else
    MeasureWindow(csr, look, (PetscInt)(b - lines - look.entry_blocks), s.window, out);
  if (host && IsLastBlock(&out->arrived)) Report(look.zones, true, out, host, threadIdx.x, BLOCK);
}

const void *const AutoCSRRowsKernel = (const void *)LookAtRows;

static constexpr unsigned REPORTING = 8, CLEARING = 64; /* blocks: for some 30 KB, and for megabytes */

static __global__ void __launch_bounds__(BLOCK) ReportAll(int zones, bool rows_only, DeviceProfile *device, ulonglong2 used[], size_t words, DeviceProfile *host)
{
  PtxWaitForLast();
  for (size_t i = (size_t)FirstOfThread(); i < words; i += (size_t)StrideOfThreads()) used[i] = ulonglong2{0, 0};
  Report(zones, rows_only, device, host, (size_t)FirstOfThread(), (size_t)StrideOfThreads());
}

static constexpr int FIT_BLOCK = 128; /* threads: their slices fit into shared memory */

/* How short models make the indices of the same slices: a warp a slice, whose columns it has in shared memory, as models go over them again and again */
static __global__ void __launch_bounds__(FIT_BLOCK) FitSlices(AutoCSRMatrix csr, PetscInt rows_per_zone, DeviceProfile *out)
{
  PtxWaitForLast();
  static constexpr int PITCH = AUTOCSR_SAMPLE_WIDTH + 1;
  __shared__ SliceRows slice[FIT_BLOCK / WARP];
  __shared__ PetscInt  columns[FIT_BLOCK / WARP][WARP * PITCH];
  SliceRows           &rows      = slice[threadIdx.x / WARP];
  PetscInt            *col       = columns[threadIdx.x / WARP];
  const PetscInt       row_begin = (PetscInt)blockIdx.y * rows_per_zone;
  const PetscInt       row_end   = csr.m - row_begin < rows_per_zone ? csr.m : row_begin + rows_per_zone;
  const PetscInt       slices = Pieces(row_end - row_begin, WARP), step = AutoCSRSampleStep(slices);
  DeviceCount         *count = out->zone[blockIdx.y];

  static_assert(AUTOCSR_SAMPLE_WIDTH <= WARP, "A lane has an entry of each row");
  for (PetscInt64 s = FirstOfThread() / WARP * step; s < slices; s += StrideOfThreads() / WARP * step) {
    const PetscInt row = row_begin + (PetscInt)s * WARP + Lane(), begin = row < row_end ? csr.row_ptr[row] : 0;
    const PetscInt length = row < row_end ? PetscMin(csr.row_ptr[row + 1] - begin, (PetscInt)AUTOCSR_SAMPLE_WIDTH) : 0, width = WarpMax(length);
    int            period;

    __syncwarp();
    rows.begin[Lane()]  = Lane() * PITCH;
    rows.length[Lane()] = length;
#pragma unroll 8
    for (int r = 0; r < WARP; r++) {
      const PetscInt from = __shfl_sync(ALL_LANES, begin, r), n = __shfl_sync(ALL_LANES, length, r);

      if (Lane() < n) col[r * PITCH + Lane()] = csr.col[from + Lane()];
    }
    __syncwarp();
    const int bytes = FitSlice(col, rows, width, &period);

    if (Lane() == 0 && width) {
      (void)atomicAdd(&count[COUNT_FIT_BYTES], (DeviceCount)width * ((DeviceCount)bytes * WARP + sizeof(AutoCSRFit)));
      (void)atomicAdd(&count[COUNT_FIT_ENTRIES], (DeviceCount)width * WARP);
    }
  }
}

PetscErrorCode DeviceProfileRows(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, DeviceProfile *device, DeviceProfile *host)
{
  const PetscInt rows_per_zone = RowsPerZone(profile), slices = Pieces(PetscMin(rows_per_zone, csr->m), WARP);
  Look           look = {rows_per_zone, AutoCSRProfileShift(csr->m, csr->nnz), profile->tile_width};
  unsigned       blocks;

  PetscFunctionBegin;
  look.line_blocks  = (unsigned)PetscMin(Pieces(slices, AutoCSRSampleStep(slices)), LINE_SAMPLES);
  look.entry_blocks = GridOf(Pieces(csr->nnz, ENTRIES_AT_LEAST), 2048);
  look.zones        = (int)profile->zones;
  blocks            = (unsigned)Pieces(csr->m, AUTOCSR_WINDOW) + look.line_blocks * look.zones + look.entry_blocks;
  Launch(LookAtRows, blocks, BLOCK, 0, AUTOCSR_STREAM)(*csr, look, device, host);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceProfileFits(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, cudaStream_t stream, DeviceProfile *device)
{
  PetscFunctionBegin;
  Launch(FitSlices, dim3(2 * BLOCK / FIT_BLOCK, (unsigned)profile->zones), FIT_BLOCK, 0, stream)(*csr, RowsPerZone(profile), device);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceProfileReport(const AutoCSRProfile *profile, DeviceProfile *device, void *used, size_t bytes, DeviceProfile *host)
{
  PetscFunctionBegin;
  Launch(ReportAll, bytes ? CLEARING : REPORTING, BLOCK, 0, AUTOCSR_STREAM)((int)profile->zones, profile->rows_only == PETSC_TRUE, device, (ulonglong2 *)used, bytes / sizeof(ulonglong2), host);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}
