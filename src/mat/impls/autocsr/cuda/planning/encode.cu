/*
  The streams of a segment on the device. One pass over its rows tells their sizes, which the host must know to make room:
  it waits for that, and for the sizes of models and the number of blocks of work where there are such.
*/
#include "encode.cuh"
#include "../runtime/preload.h"
#include "../common/sums.cuh"

static constexpr PetscInt FEW = 32768; /* the slots of so many slices are soon summed by one block */

/* Of the h lanes that a lane is one of */
static __device__ __forceinline__ PetscInt LanesMax(PetscInt v, int h)
{
  if (h == WARP) return WarpMax(v);
  for (int o = 1; o < h; o *= 2) {
    const PetscInt other = __shfl_xor_sync(ALL_LANES, v, o);

    v = v > other ? v : other;
  }
  return v;
}

static __device__ __forceinline__ PetscInt LanesMin(PetscInt v, int h)
{
  return h == WARP ? WarpMin(v) : -LanesMax(-v, h);
}

/* Lengths of rows; widths and bases of slices where they are streams, a lane a row. Of few slices the sums of widths, too. With host: to which the status then goes */
static __global__ void __launch_bounds__(BLOCK) MeasureRows(AutoCSRSegment seg, AutoCSRMatrix csr, bool few, EncodeStatus *status, EncodeStatus *host)
{
  PtxWaitForLast();
  PetscInt   *slice_ptr = (PetscInt *)seg.stream[AUTOCSR_STREAM_SLICE_PTR].data, *base = (PetscInt *)seg.stream[AUTOCSR_STREAM_BASE].data;
  const int   h   = slice_ptr || base ? (int)seg.axes.slice_height : WARP;
  DeviceCount nnz = 0, slots = 0;
  __shared__ DeviceCount sum[2]; /* of the block */

  if (slice_ptr && FirstOfThread() == 0) slice_ptr[seg.n_slices] = 0;
  for (PetscInt64 first = FirstOfThread() - Lane(); first < seg.n_rows; first += StrideOfThreads()) {
    const PetscInt k = (PetscInt)first + Lane(), s = k / h;
    const PetscInt length = AutoCSRSegmentRowLength(&seg, &csr, k);
    const bool     leads  = Lane() % h == 0 && k < seg.n_rows;

    nnz += (DeviceCount)length;
    if (slice_ptr) {
      const PetscInt width = AutoCSREncodeWidth(&seg.axes, LanesMax(length, h));

      slots += leads ? (DeviceCount)width * h : 0;
      if (leads) slice_ptr[s] = width * h;
    }
    if (base) {
      const PetscInt begin = length ? csr.row_ptr[AutoCSRSegmentRow(&seg, k)] : 0;
      const PetscInt lo = LanesMin(length ? csr.col[begin] : csr.n, h), hi = LanesMax(length ? csr.col[begin + length - 1] : -1, h);

      if (leads) {
        base[s] = hi < 0 ? 0 : lo;
        if (hi - lo >= 65536) atomicMax(&status->too_wide, (DeviceCount)s + 1);
      }
    }
  }
  if (threadIdx.x < 2) sum[threadIdx.x] = 0;
  __syncthreads();
  nnz   = WarpSum(nnz);
  slots = WarpSum(slots);
  if (Lane() == 0) {
    if (nnz) atomicAdd(&sum[0], nnz);
    if (slots) atomicAdd(&sum[1], slots);
  }
  __syncthreads();
  if (threadIdx.x == 0 && sum[0]) atomicAdd(&status->nnz, sum[0]); /* of all blocks, one after the other */
  if (threadIdx.x == 0 && sum[1]) atomicAdd(&status->slots, sum[1]);
  if (!few || !IsLastBlock(&status->arrived)) return;
  if (slice_ptr) (void)BlockSumUp(seg.n_slices + 1, slice_ptr);
  if (host) MoveOut(status, host, sizeof(*status), threadIdx.x, BLOCK);
}

const void *const AutoCSRMeasureKernel = (const void *)MeasureRows;

/* The nonzeros of rows that need no look at them: all of the matrix, or whole zones of the profile */
static PetscBool KnowNonzeros(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, PetscInt *nnz)
{
  PetscInt rows = 0;

  *nnz = seg->nnz; /* whoever chose the rows may have counted them */
  if (*nnz) return PETSC_TRUE;
  *nnz = seg->axes.mapping == AUTOCSR_MAP_EMPTY ? 0 : csr->nnz;
  if (seg->axes.mapping == AUTOCSR_MAP_EMPTY || seg->n_rows == csr->m) return PETSC_TRUE; /* each row once */
  *nnz = 0;
  if (!profile || seg->stream[AUTOCSR_STREAM_ROWS].data) return PETSC_FALSE;
  for (PetscInt c = 0; c < profile->zones; c++) {
    const AutoCSRZone *zone = &profile->zone[c];

    if (zone->row_begin < seg->row_begin || zone->row_end > seg->row_begin + seg->n_rows) continue;
    rows += zone->row_end - zone->row_begin;
    *nnz += zone->nnz;
  }
  return (PetscBool)(rows == seg->n_rows);
}

/* Makes SLICE_PTR and BASE, finds the patterns, and reports the sizes */
static PetscErrorCode Measure(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, SegmentPatterns *patterns, EncodeStatus *status)
{
  const bool    few = seg->n_slices <= FEW;
  EncodeStatus *device, *host;

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceGetMailbox(sizeof(*host), (void **)&host));
  PetscCall(AutoCSRDeviceBorrowZeros(sizeof(*device), (void **)&device));
  Launch(MeasureRows, GridOf(Pieces(seg->n_rows, BLOCK), 2048), BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, few, device, few && !patterns ? host : nullptr);
  AutoCSRCallCUDA(cudaGetLastError());
  if (!few && seg->axes.order == AUTOCSR_ORDER_SLICED) PetscCall(SumUp(seg->n_slices, (PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data));
  if (patterns) PetscCall(DeviceFindPatterns(seg, csr, profile, patterns, device, host));
  if (few || patterns) {
    PetscCall(AutoCSRDeviceSynchronize());
    PetscCall(AutoCSRDeviceReturnZeros());
  } else
    PetscCall(AutoCSRDeviceToHost(host, device, sizeof(*host)));
  *status = *host;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* DICTIONARY, where values are coded by it, and the dictionary for those who look values up */
static PetscErrorCode UploadDictionary(AutoCSRSegment *seg, const AutoCSRProfile *profile, DeviceScratch *scratch, AutoCSRDictionary **device)
{
  AutoCSRDictionary host;

  PetscFunctionBegin;
  if (!AutoCSRValueDictionary(seg->axes.value)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_DICTIONARY, AutoCSRValueDictionary(seg->axes.value)));
  if (seg->axes.value == AUTOCSR_VALUE_CONSTANT) { /* nobody looks it up */
    PetscCall(AutoCSRDeviceSend(seg->stream[AUTOCSR_STREAM_DICTIONARY].data, profile->value, sizeof(*profile->value)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRDictionaryBuild(&host, profile->values, profile->value));
  PetscCall(scratch->Allocate(1, device));
  PetscCall(AutoCSRDeviceSend(*device, &host, sizeof(host)));
  PetscCallCUDA(cudaMemcpyAsync(seg->stream[AUTOCSR_STREAM_DICTIONARY].data, (*device)->value, sizeof(host.value), cudaMemcpyDeviceToDevice, AUTOCSR_STREAM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceEncode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const AutoCSRAxes *a      = &seg->axes;
  const PetscBool    sliced = (PetscBool)(a->order == AUTOCSR_ORDER_SLICED), blocks = (PetscBool)(a->block > 1);
  const PetscInt     share  = AutoCSRAxesBaseEntries(a);
  const PetscBool    slices = (PetscBool)(sliced || (a->index == AUTOCSR_INDEX_16 && !blocks && !share));
  DeviceScratch      scratch[2];
  AutoCSRDictionary *dictionary = NULL;
  SegmentPatterns   *patterns   = NULL;
  EncodeStatus       status     = {};
  PetscInt           slots;

  PetscFunctionBegin;
  if (AutoCSROrderHasTiles(a->order)) {
    PetscCall(UploadDictionary(seg, profile, &scratch[1], &dictionary));
    PetscCall((a->order == AUTOCSR_ORDER_ADAPTIVE ? DeviceEncodeAdaptive : a->order == AUTOCSR_ORDER_TILED ? DeviceEncodeTiled : a->order == AUTOCSR_ORDER_POPULAR ? DeviceEncodePopular : DeviceEncodePropagate)(seg, csr, dictionary));
    seg->bytes = AutoCSRSegmentBytesMoved(seg, csr);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (a->order == AUTOCSR_ORDER_BUNDLED) {
    if (!KnowNonzeros(seg, csr, profile, &seg->nnz)) {
      PetscCall(Measure(seg, csr, profile, NULL, &status));
      seg->nnz = (PetscInt)status.nnz;
    }
    PetscCall(DeviceEncodeBundled(seg, csr));
    seg->bytes = AutoCSRSegmentBytesMoved(seg, csr);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(!(sliced || (a->index == AUTOCSR_INDEX_16 && !share)) || a->slice_height * (sliced ? a->lanes : 1) == AUTOCSR_DEVICE_SLICE_HEIGHT, PETSC_COMM_SELF, PETSC_ERR_SUP, "Slices of %" PetscInt_FMT " rows of %" PetscInt_FMT " lanes on the device: only %d lanes", a->slice_height, a->lanes, AUTOCSR_DEVICE_SLICE_HEIGHT);
  if (slices) seg->n_slices = Pieces(seg->n_rows, a->slice_height);
  if (sliced) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_PTR, seg->n_slices + 1));
  if (slices && a->index == AUTOCSR_INDEX_16) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BASE, seg->n_slices));
  if (a->index == AUTOCSR_INDEX_PATTERN) PetscCall(scratch[0].Allocate(1, &patterns));
  if (slices || patterns || !KnowNonzeros(seg, csr, profile, &seg->nnz)) {
    PetscCall(Measure(seg, csr, profile, patterns, &status));
    PetscCheck(!status.too_wide, PETSC_COMM_SELF, PETSC_ERR_PLIB, "16 bits do not hold the columns of slice %" PetscInt_FMT " of %" PetscInt_FMT " rows", (PetscInt)status.too_wide - 1, a->slice_height);
    PetscCheck(!status.unnamed, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %" PetscInt_FMT " has no pattern in the dictionary", (PetscInt)status.unnamed - 1);
    PetscCall(AutoCSRSegmentCheckSlots(seg, (PetscInt64)status.slots));
    seg->nnz = (PetscInt)status.nnz;
  }
  slots = sliced ? (PetscInt)status.slots : seg->nnz;
  if (share) PetscCall(DeviceEncodeShareBases(seg, csr));
  if (patterns) {
    seg->n_patterns = (PetscInt)status.patterns;
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_ID, seg->n_rows));
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_PTR, seg->n_patterns + 1));
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_OFFSET, (PetscInt)status.offsets));
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_ROOT, seg->n_patterns));
    if (a->value == AUTOCSR_VALUE_PATTERN) {
      PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_ROW, seg->n_patterns));
      PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_PATTERN_VALUE, (PetscInt)status.offsets));
    }
    PetscCall(DeviceEncodePatterns(seg, csr, profile, patterns));
  }
  if (blocks) {
    if (a->index != AUTOCSR_INDEX_CSR) PetscCall(DeviceEncodeBlocks(seg, csr));
  } else if (a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, slots));
    PetscCall(DeviceEncodeIndex(seg, csr, slots));
  }
  if (a->index == AUTOCSR_INDEX_FITTED) PetscCall(DeviceEncodeFits(seg, csr, slots));
  PetscCall(UploadDictionary(seg, profile, &scratch[1], &dictionary));
  if (AutoCSRValueIsStored(a->value)) {
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, slots));
    PetscCall(DeviceEncodeValue(seg, csr, dictionary, slots));
  }
  if (AutoCSRMappingHasWork(a->mapping)) PetscCall(DeviceEncodeWork(seg, csr));
  seg->bytes = AutoCSRSegmentBytesMoved(seg, csr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
