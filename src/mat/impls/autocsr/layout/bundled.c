/* The streams of order bundled on the host, and what they must say */
#include "bundled.h"
#include "check.h"

static PetscBool Has(const AutoCSRAxes *a)
{
  return (PetscBool)(a->order == AUTOCSR_ORDER_BUNDLED);
}

static PetscErrorCode CheckAxes(const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  PetscCheck(a->mapping == AUTOCSR_MAP_BUNDLES && a->partition == AUTOCSR_PARTITION_ROWS && a->index == AUTOCSR_INDEX_32, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order bundled goes with partition rows, index 32 and mapping bundles");
  PetscCheck(a->slice_height >= 1 && a->slice_height <= AUTOCSR_BUNDLE_MOST && a->sort_window <= 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Bundles of %" PetscInt_FMT " rows, sort window %" PetscInt_FMT ": 1 to %d rows, not sorted", a->slice_height, a->sort_window, AUTOCSR_BUNDLE_MOST);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refresh(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary)
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < seg->n_slices; b++) AutoCSREncodeBundleValues(seg, csr, dictionary, b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscInt *ptr;

  PetscFunctionBegin;
  seg->n_slices = AutoCSRBundles(seg);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_PTR, seg->n_slices + 1));
  ptr    = (PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  ptr[0] = 0;
  for (PetscInt b = 0; b < seg->n_slices; b++) ptr[b + 1] = ptr[b] + AutoCSRBundleCountUnits(seg, csr, b);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, ptr[seg->n_slices]));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_MASK, ptr[seg->n_slices]));
  for (PetscInt b = 0; b < seg->n_slices; b++) AutoCSREncodeBundle(seg, csr, b);
  if (AutoCSRValueIsStored(seg->axes.value)) PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_VALUE, seg->nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The unit of entry t of the k-th row, and its place in VALUE; -1: no unit has the entry */
static PetscInt Find(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t, PetscInt *place)
{
  const PetscInt  bundle = k / seg->axes.slice_height, row = k % seg->axes.slice_height, *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data + bundle;
  const uint8_t  *mask   = (const uint8_t *)seg->stream[AUTOCSR_STREAM_MASK].data;

  *place = AutoCSRBundlePlace(seg, csr, bundle);
  for (PetscInt unit = ptr[0]; unit < ptr[1]; unit++) {
    for (int r = 0; r < AUTOCSR_BUNDLE_MOST; r++) {
      if (!(mask[unit] >> r & 1)) continue;
      if (r == row && t-- == 0) return unit;
      ++*place;
    }
  }
  return -1;
}

static PetscInt Column(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  PetscInt       place;
  const PetscInt unit = Find(seg, csr, k, t, &place);

  return unit < 0 ? -1 : (PetscInt)((const uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[unit];
}

static PetscInt Slot(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  PetscInt place;

  return Find(seg, csr, k, t, &place) < 0 ? -1 : place;
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  PetscFunctionBegin;
  AutoCSRCheckSegment(seg->n_slices == AutoCSRBundles(seg), " of %" PetscInt_FMT " rows has %" PetscInt_FMT " bundles of %" PetscInt_FMT " rows", i, seg->n_rows, seg->n_slices, seg->axes.slice_height);
  AutoCSRCheckSegment(seg->stream[AUTOCSR_STREAM_SLICE_PTR].bytes == (size_t)(seg->n_slices + 1) * sizeof(PetscInt), " has not encoded its bundles", i);
  count[AUTOCSR_STREAM_SLICE_PTR] = seg->n_slices + 1;
  count[AUTOCSR_STREAM_INDEX] = count[AUTOCSR_STREAM_MASK] = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[seg->n_slices];
  if (AutoCSRValueIsStored(seg->axes.value)) count[AUTOCSR_STREAM_VALUE] = seg->nnz;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each row has as many units as entries, so decoding stays among the places of its bundle; columns that ascend are stored once */
static PetscErrorCode Check(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt *ptr   = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const uint8_t  *masks = (const uint8_t *)seg->stream[AUTOCSR_STREAM_MASK].data;

  PetscFunctionBegin;
  AutoCSRCheckSegment(ptr[0] == 0, ": the first bundle begins with unit %" PetscInt_FMT, i, ptr[0]);
  for (PetscInt b = 0; b < seg->n_slices; b++) AutoCSRCheckSegment(ptr[b] <= ptr[b + 1] && ptr[b + 1] <= ptr[seg->n_slices], ": bundle %" PetscInt_FMT " has units %" PetscInt_FMT " to %" PetscInt_FMT " of %" PetscInt_FMT, i, b, ptr[b], ptr[b + 1], ptr[seg->n_slices]);
  for (PetscInt b = 0; b < seg->n_slices; b++) {
    AutoCSRBundle bundle = AutoCSRBundleBegin(seg, csr, b);
    PetscInt      unit   = ptr[b], column;

    for (unsigned mask; (mask = AutoCSRBundleNext(csr, &bundle, &column)) != 0; unit++) AutoCSRCheckSegment(unit < ptr[b + 1] && masks[unit] == mask, ": unit %" PetscInt_FMT " of bundle %" PetscInt_FMT " is not that of rows %u", i, unit - ptr[b], b, mask);
    AutoCSRCheckSegment(unit == ptr[b + 1], ": bundle %" PetscInt_FMT " has %" PetscInt_FMT " units, its rows need %" PetscInt_FMT, i, b, ptr[b + 1] - ptr[b], unit - ptr[b]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_bundled = {.name = "bundled", .has = Has, .check_axes = CheckAxes, .encode = Encode, .refresh = Refresh, .column = Column, .slot = Slot, .reads_row_ptr = Has, .count = Count, .check = Check};
