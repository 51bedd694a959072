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
  PetscCheck(a->mapping == AUTOCSR_MAP_BUNDLES && a->partition == AUTOCSR_PARTITION_ROWS && a->index == AUTOCSR_INDEX_32 && a->value == AUTOCSR_VALUE_CSR, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Order bundled goes with partition rows, index 32, the CSR's values and mapping bundles");
  PetscCheck(a->slice_height >= 1 && a->slice_height <= AUTOCSR_BUNDLE_ROWS && a->sort_window <= 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Bundles of %" PetscInt_FMT " rows, sort window %" PetscInt_FMT ": 1 to %d rows, not sorted", a->slice_height, a->sort_window, AUTOCSR_BUNDLE_ROWS);
  PetscCheck(a->tile_steps >= AUTOCSR_BUNDLE_STEP && a->tile_steps % AUTOCSR_BUNDLE_STEP == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Parts of %" PetscInt_FMT " units: a multiple of %d", a->tile_steps, AUTOCSR_BUNDLE_STEP);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Encode(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  PetscInt  *ptr;
  PetscInt64 parts = 0;

  PetscFunctionBegin;
  seg->n_slices = AutoCSRBundles(seg);
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_SLICE_PTR, seg->n_slices + 1));
  ptr    = (PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  ptr[0] = 0;
  for (PetscInt b = 0; b < seg->n_slices; b++) {
    const PetscInt units = AutoCSRBundleFill(AutoCSRBundleCount(csr, AutoCSRBundleBegin(seg, csr, b)));

    PetscCall(AutoCSRSegmentCheckSlots(seg, (PetscInt64)ptr[b] + units));
    ptr[b + 1] = ptr[b] + units;
    parts += AutoCSRBundleCountParts(seg, units);
  }
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_INDEX, ptr[seg->n_slices]));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_MASK, ptr[seg->n_slices]));
  PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_BUNDLE_PART, parts + 1));
  parts = 0;
  for (PetscInt b = 0; b < seg->n_slices; b++) {
    AutoCSREncodeUnits(seg, csr, b, (PetscInt)parts, 0, ptr[b + 1] - ptr[b], AutoCSRBundleBegin(seg, csr, b));
    parts += AutoCSRBundleCountParts(seg, ptr[b + 1] - ptr[b]);
  }
  ((AutoCSRBundlePart *)seg->stream[AUTOCSR_STREAM_BUNDLE_PART].data)[parts] = AutoCSRBundleEnd(seg, ptr[seg->n_slices]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt Column(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt k, PetscInt t)
{
  const PetscInt *ptr  = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data + k / seg->axes.slice_height;
  const uint8_t  *mask = (const uint8_t *)seg->stream[AUTOCSR_STREAM_MASK].data;

  for (PetscInt unit = ptr[0]; unit < ptr[1]; unit++) {
    if ((mask[unit] >> k % seg->axes.slice_height & 1) && t-- == 0) return (PetscInt)((const uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[unit];
  }
  return -1;
}

static PetscErrorCode Count(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i, PetscInt64 count[])
{
  const PetscInt *ptr   = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  PetscInt64      parts = 0;

  PetscFunctionBegin;
  AutoCSRCheckSegment(seg->n_slices == AutoCSRBundles(seg), " of %" PetscInt_FMT " rows has %" PetscInt_FMT " bundles of %" PetscInt_FMT " rows", i, seg->n_rows, seg->n_slices, seg->axes.slice_height);
  AutoCSRCheckSegment(seg->stream[AUTOCSR_STREAM_SLICE_PTR].bytes == (size_t)(seg->n_slices + 1) * sizeof(PetscInt), " has not encoded its bundles", i);
  for (PetscInt b = 0; b < seg->n_slices; b++) {
    AutoCSRCheckSegment(ptr[b] <= ptr[b + 1], ": bundle %" PetscInt_FMT " has units %" PetscInt_FMT " to %" PetscInt_FMT, i, b, ptr[b], ptr[b + 1]);
    parts += AutoCSRBundleCountParts(seg, ptr[b + 1] - ptr[b]);
  }
  count[AUTOCSR_STREAM_SLICE_PTR] = seg->n_slices + 1;
  count[AUTOCSR_STREAM_INDEX] = count[AUTOCSR_STREAM_MASK] = ptr[seg->n_slices];
  count[AUTOCSR_STREAM_BUNDLE_PART]                        = parts + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A part is as its encoder makes it */
static PetscErrorCode CheckPart(const AutoCSRBundlePart *is, const AutoCSRBundlePart *must, PetscInt i)
{
  PetscBool same = (PetscBool)(is->bundle == must->bundle && is->unit == must->unit && is->number == must->number && is->count == must->count);

  PetscFunctionBegin;
  for (int r = 0; r < AUTOCSR_BUNDLE_ROWS; r++) same = (PetscBool)(same && is->next[r] == must->next[r]);
  AutoCSRCheckSegment(same, ": part %" PetscInt_FMT " of bundle %" PetscInt_FMT " does not begin where it must", i, must->number, must->bundle);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Units are those of the rows, and their parts begin where these units are */
static PetscErrorCode Check(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt i)
{
  const PetscInt          *ptr    = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const uint8_t           *masks  = (const uint8_t *)seg->stream[AUTOCSR_STREAM_MASK].data;
  const uint32_t          *index  = (const uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data;
  const AutoCSRBundlePart *part   = (const AutoCSRBundlePart *)seg->stream[AUTOCSR_STREAM_BUNDLE_PART].data;
  AutoCSRBundlePart        must;

  PetscFunctionBegin;
  AutoCSRCheckSegment(ptr[0] == 0, ": the first bundle begins with unit %" PetscInt_FMT, i, ptr[0]);
  for (PetscInt b = 0; b < seg->n_slices; b++) {
    const PetscInt units  = ptr[b + 1] - ptr[b], each = AutoCSRBundlePartUnits(seg, units);
    AutoCSRBundle  bundle = AutoCSRBundleBegin(seg, csr, b);
    PetscInt       column = 0, number = 0;
    unsigned       mask   = 0;

    for (PetscInt u = 0; u < units || number == 0; u++) {
      if (u == number * each) {
        must = AutoCSRBundleMakePart(seg, &bundle, b, ptr[b], units, number++);
        PetscCall(CheckPart(part++, &must, i));
      }
      if (u == units) break;
      mask = AutoCSRBundleNext(csr, &bundle, &column);
      AutoCSRCheckSegment(masks[ptr[b] + u] == mask, ": unit %" PetscInt_FMT " of bundle %" PetscInt_FMT " is not that of rows %u", i, u, b, mask);
      AutoCSRCheckSegment((PetscInt)index[ptr[b] + u] == column, ": unit %" PetscInt_FMT " of bundle %" PetscInt_FMT " is not that of column %" PetscInt_FMT, i, u, b, column);
    }
    mask = AutoCSRBundleNext(csr, &bundle, &column);
    AutoCSRCheckSegment(!mask, ": bundle %" PetscInt_FMT " has %" PetscInt_FMT " units, its rows need more", i, b, units);
  }
  must = AutoCSRBundleEnd(seg, ptr[seg->n_slices]);
  PetscCall(CheckPart(part, &must, i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRLayout AutoCSRLayout_bundled = {.name = "bundled", .has = Has, .check_axes = CheckAxes, .encode = Encode, .column = Column, .count = Count, .check = Check};
