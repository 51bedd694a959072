/*
  The streams of order bundled on the device (layout/bundled.c on the host): a lane merges the rows of a bundle. The lanes of a
  warp share a bundle with many entries: each merges the columns between two entries of the longest row, if all rows ascend.

  Bytes: of an entry its column, read twice, five times in a bundle that a warp shares; of a unit 5, of a part 12 PetscInts.
*/
#include "encode.cuh"
#include "../common/sums.cuh"
#include "../../layout/bundled.h"

/* The lanes of a warp share a bundle with so many entries or more */
static constexpr PetscInt FOR_WARP = 1024;

static __device__ PetscInt EntriesOf(const AutoCSRBundle &b)
{
  PetscInt entries = 0;

  for (int r = 0; r < AUTOCSR_BUNDLE_ROWS; r++) entries += b.end[r] - b.next[r];
  return entries;
}

/* Leaves each lane of a warp its share of a bundle's entries. If a row does not ascend, the first lane has them all */
static __device__ void TakeShare(const AutoCSRMatrix &csr, AutoCSRBundle *b)
{
  PetscInt begin = 0, end = 0;
  bool     descends = false;

  for (int r = 0; r < AUTOCSR_BUNDLE_ROWS; r++) {
    if (b->end[r] - b->next[r] > end - begin) {
      begin = b->next[r];
      end   = b->end[r];
    }
    for (PetscInt i = b->next[r] + Lane(); i + 1 < b->end[r]; i += WARP) descends = descends || csr.col[i] >= csr.col[i + 1];
  }
  if (__ballot_sync(ALL_LANES, descends)) {
    for (int r = 0; r < AUTOCSR_BUNDLE_ROWS && Lane() > 0; r++) b->next[r] = b->end[r];
  } else {
    const PetscInt each = (end - begin) / WARP, from = begin + Lane() * each; /* one entry at least: the longest row has an eighth of all */

    AutoCSRBundleCut(&csr, Lane() > 0 ? csr.col[from] : 0, Lane() < WARP - 1 ? csr.col[from + each] : csr.n, b);
  }
}

/*
  Calls one(bundle, entries) by one lane for a bundle with few entries. All lanes of a warp call shared(bundle, entries) for another one,
  each with its share, which may be empty. A warp takes `each` bundles at a time
*/
template <typename One, typename Shared>
static __device__ __forceinline__ void ForBundles(const AutoCSRSegment &seg, const AutoCSRMatrix &csr, int each, One one, Shared shared)
{
  for (PetscInt64 first = FirstOfThread() / WARP * each; first < seg.n_slices; first += StrideOfThreads() / WARP * each) {
    const bool     has    = Lane() < each && first + Lane() < seg.n_slices;
    AutoCSRBundle  bundle = AutoCSRBundleBegin(&seg, &csr, (PetscInt)(has ? first + Lane() : first));
    const bool     large  = has && EntriesOf(bundle) >= FOR_WARP;
    const unsigned warps  = __ballot_sync(ALL_LANES, large);

    if (has && !large) one((PetscInt)first + Lane(), bundle);
    for (unsigned left = warps; left; left &= left - 1) {
      const PetscInt b = (PetscInt)first + __ffs((int)left) - 1;

      __syncwarp();
      bundle = AutoCSRBundleBegin(&seg, &csr, b);
      TakeShare(csr, &bundle);
      shared(b, bundle);
    }
  }
}

static __global__ void __launch_bounds__(BLOCK) CountUnits(AutoCSRSegment seg, AutoCSRMatrix csr, int each, PetscInt units[], PetscInt parts[])
{
  PtxWaitForLast();
  const auto put = [&](PetscInt b, PetscInt count) {
    units[b] = AutoCSRBundleFill(count);
    parts[b] = AutoCSRBundleCountParts(&seg, units[b]);
  };

  ForBundles(
    seg, csr, each, [&](PetscInt b, const AutoCSRBundle &bundle) { put(b, AutoCSRBundleCount(&csr, bundle)); },
    [&](PetscInt b, const AutoCSRBundle &bundle) {
      const PetscInt count = WarpSum(AutoCSRBundleCount(&csr, bundle));

      if (Lane() == 0) put(b, count);
    });
  if (FirstOfThread() == 0) units[seg.n_slices] = parts[seg.n_slices] = 0;
}

static __global__ void __launch_bounds__(BLOCK) WriteUnits(AutoCSRSegment seg, AutoCSRMatrix csr, int each, const PetscInt part_ptr[])
{
  PtxWaitForLast();
  const PetscInt *ptr = (const PetscInt *)seg.stream[AUTOCSR_STREAM_SLICE_PTR].data;

  ForBundles(
    seg, csr, each, [&](PetscInt b, const AutoCSRBundle &bundle) { AutoCSREncodeUnits(&seg, &csr, b, part_ptr[b], 0, ptr[b + 1] - ptr[b], bundle); },
    [&](PetscInt b, const AutoCSRBundle &bundle) {
      const PetscInt units = AutoCSRBundleCount(&csr, bundle), all = ptr[b + 1] - ptr[b];
      PetscInt       to = units; /* the units of this lane and those before it */

      for (int o = 1; o < WARP; o *= 2) {
        const PetscInt before = __shfl_up_sync(ALL_LANES, to, o);

        if (Lane() >= o) to += before;
      }
      const PetscInt found = __shfl_sync(ALL_LANES, to, WARP - 1);

      /* The lane with the last units fills the bundle up */
      if (units) AutoCSREncodeUnits(&seg, &csr, b, part_ptr[b], to - units, to == found ? all : to, bundle);
    });
  if (FirstOfThread() == 0) ((AutoCSRBundlePart *)seg.stream[AUTOCSR_STREAM_BUNDLE_PART].data)[part_ptr[seg.n_slices]] = AutoCSRBundleEnd(&seg, ptr[seg.n_slices]);
}

/* With room for where the parts of each bundle begin */
static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt part_ptr[])
{
  /* If most bundles have few entries, a warp takes 32 at a time, a lane for each, and shares the large ones one after the other. Else it takes one */
  const int  each = seg->nnz / FOR_WARP * 4 < seg->n_slices ? WARP : 1;
  PetscInt  *ptr  = (PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, units, parts;
  const auto grid = GridOfThreads((PetscInt64)seg->n_slices * (WARP / each) + 1);

  PetscFunctionBegin;
  Launch(CountUnits, grid, BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, each, ptr, part_ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscCall(SumUp(seg->n_slices, ptr));
  PetscCall(SumUp(seg->n_slices, part_ptr));
  PetscCall(AutoCSRDeviceToHost(&units, ptr + seg->n_slices, sizeof(units)));
  PetscCall(AutoCSRDeviceToHost(&parts, part_ptr + seg->n_slices, sizeof(parts)));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, units));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_MASK, units));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BUNDLE_PART, (PetscInt64)parts + 1));
  Launch(WriteUnits, grid, BLOCK, 0, AUTOCSR_STREAM)(*seg, *csr, each, part_ptr);
  AutoCSRCallCUDA(cudaGetLastError());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceEncodeBundled(AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  DeviceScratch scratch;
  PetscInt     *part_ptr;

  PetscFunctionBegin;
  seg->n_slices = AutoCSRBundles(seg);
  PetscCall(AutoCSRSegmentCheckSlots(seg, (PetscInt64)seg->nnz + (AUTOCSR_BUNDLE_STEP - 1) * (PetscInt64)seg->n_slices)); /* units, and those that fill bundles up */
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_PTR, seg->n_slices + 1));
  PetscCall(scratch.Allocate((size_t)seg->n_slices + 1, &part_ptr));
  PetscCall(Encode(seg, csr, part_ptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
