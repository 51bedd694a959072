/* PATTERN_ID, PATTERN_PTR, PATTERN_OFFSET and PATTERN_ROW (what patterns tell of values: pattern_values.cu): the profile's patterns that a segment has, numbered by first appearance in it */
#include "encode.cuh"
#include <cub/block/block_scan.cuh>

static __global__ void __launch_bounds__(BLOCK) FindFirstRows(AutoCSRSegment seg, const uint16_t pattern_id[], SegmentPatterns *patterns, EncodeStatus *status)
{
  PtxWaitForLast();
  __shared__ PetscInt last[AUTOCSR_MAX_PATTERNS];

  for (int p = (int)threadIdx.x; p < AUTOCSR_MAX_PATTERNS; p += BLOCK) last[p] = 0;
  __syncthreads();
  for (PetscInt64 first = FirstOfThread() - Lane(); first < seg.n_rows; first += StrideOfThreads()) {
    const PetscInt k    = (PetscInt)first + Lane();
    const bool     in   = k < seg.n_rows;
    const PetscInt row  = in ? AutoCSRSegmentRow(&seg, k) : 0;
    const int      p    = in ? pattern_id[row] : -1;
    const unsigned like = __match_any_sync(ALL_LANES, p);

    if (!in || Lane() != __ffs((int)like) - 1) continue; /* the first lane has the first row */
    if (p == AUTOCSR_NO_PATTERN)
      atomicMax(&status->unnamed, (DeviceCount)row + 1);
    else
      AtomicMax(&last[p], PETSC_MAX_INT - k);
  }
  __syncthreads();
  for (int p = (int)threadIdx.x; p < AUTOCSR_MAX_PATTERNS; p += BLOCK) {
    if (last[p]) AtomicMax(&patterns->last[p], last[p]);
  }
}

/* One block, a thread a pattern; then the status goes to the host */
static __global__ void __launch_bounds__(AUTOCSR_MAX_PATTERNS) NumberByFirstRows(AutoCSRSegment seg, AutoCSRMatrix csr, SegmentPatterns *patterns, EncodeStatus *status, EncodeStatus *host)
{
  PtxWaitForLast();
  typedef cub::BlockScan<PetscInt, AUTOCSR_MAX_PATTERNS> Scan;
  __shared__ typename Scan::TempStorage                  storage;
  __shared__ PetscInt                                    last[AUTOCSR_MAX_PATTERNS], length[AUTOCSR_MAX_PATTERNS];
  const int                                              p = (int)threadIdx.x;
  PetscInt                                               begin, total;

  last[p]   = patterns->last[p];
  length[p] = 0;
  __syncthreads();
  if (last[p]) {
    const PetscInt k = PETSC_MAX_INT - last[p], row = AutoCSRSegmentRow(&seg, k);
    int            number = 0;

    for (int q = 0; q < AUTOCSR_MAX_PATTERNS; q++) number += last[q] > last[p];
    patterns->number[p]   = number;
    patterns->row[number] = row;
    length[number]        = csr.row_ptr[row + 1] - csr.row_ptr[row];
  }
  const int n = __syncthreads_count(last[p] > 0);

  Scan(storage).ExclusiveSum(length[p], begin, total);
  if (p < n) patterns->ptr[p] = begin;
  if (p == 0) {
    patterns->ptr[n] = total;
    status->patterns = (DeviceCount)n;
    status->offsets  = (DeviceCount)total;
  }
  __syncthreads();
  MoveOut(status, host, sizeof(*status), threadIdx.x, AUTOCSR_MAX_PATTERNS);
}

PetscErrorCode DeviceFindPatterns(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, SegmentPatterns *patterns, EncodeStatus *status, EncodeStatus *host)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaMemsetAsync(patterns->last, 0, sizeof(patterns->last), AUTOCSR_STREAM));
  Launch(FindFirstRows, GridOf(Pieces(seg->n_rows, BLOCK), 1024), BLOCK, 0, AUTOCSR_STREAM)(*seg, profile->pattern_id, patterns, status);
  AutoCSRCallCUDA(cudaGetLastError());
  Launch(NumberByFirstRows, 1, AUTOCSR_MAX_PATTERNS, 0, AUTOCSR_STREAM)(*seg, *csr, patterns, status, host);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static __global__ void __launch_bounds__(BLOCK) WriteIds(AutoCSRSegment seg, const uint16_t pattern_id[], const SegmentPatterns *patterns)
{
  PtxWaitForLast();
  uint16_t *id = (uint16_t *)seg.stream[AUTOCSR_STREAM_PATTERN_ID].data;

  for (PetscInt64 k = FirstOfThread(); k < seg.n_rows; k += StrideOfThreads()) id[k] = (uint16_t)patterns->number[pattern_id[AutoCSRSegmentRow(&seg, (PetscInt)k)]];
}

/* A warp a pattern */
static __global__ void __launch_bounds__(BLOCK) WriteOffsets(AutoCSRSegment seg, AutoCSRMatrix csr, const SegmentPatterns *patterns)
{
  PtxWaitForLast();
  PetscInt *ptr = (PetscInt *)seg.stream[AUTOCSR_STREAM_PATTERN_PTR].data, *offset = (PetscInt *)seg.stream[AUTOCSR_STREAM_PATTERN_OFFSET].data;

  for (PetscInt64 p = FirstOfThread() / WARP; p < seg.n_patterns; p += StrideOfThreads() / WARP) {
    const PetscInt begin = patterns->ptr[p], length = patterns->ptr[p + 1] - begin, row = patterns->row[p];

    if (Lane() == 0) ptr[p] = begin;
    if (Lane() == 0 && p == seg.n_patterns - 1) ptr[p + 1] = begin + length;
    for (PetscInt64 t = Lane(); t < length; t += WARP) offset[begin + t] = csr.col[csr.row_ptr[row] + t] - row;
  }
  if (FirstOfThread() == 0 && !seg.n_patterns) ptr[0] = 0;
}

PetscErrorCode DeviceEncodePatterns(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const SegmentPatterns *patterns)
{
  PetscFunctionBegin;
  Launch(WriteIds, GridOf(Pieces(seg->n_rows, BLOCK), 2048), BLOCK, 0, AUTOCSR_STREAM)(*seg, profile->pattern_id, patterns);
  AutoCSRCallCUDA(cudaGetLastError());
  Launch(WriteOffsets, GridOf(Pieces(seg->n_patterns, BLOCK / WARP), 128), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, patterns);
  AutoCSRCallCUDA(cudaGetLastError());
  if (seg->axes.value == AUTOCSR_VALUE_PATTERN) PetscCallCUDA(cudaMemcpyAsync(seg->stream[AUTOCSR_STREAM_PATTERN_ROW].data, patterns->row, (size_t)seg->n_patterns * sizeof(PetscInt), cudaMemcpyDeviceToDevice, AUTOCSR_STREAM));
  PetscCall(DeviceEncodePatternValues(seg, csr, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
