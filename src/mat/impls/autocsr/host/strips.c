/*
  Slices in strips that a kernel takes at once (kernels_strips.h), found once, when the plan is bound. The rows past the last
  whole slice are one slice under a mask; a single row is none. Lengths of named rows are kept in 16 bits beside the names
  (stream LENGTH), because the CSR's offsets of such rows do not lie side by side.
*/
#include "bound.h"

#define HEIGHT        AUTOCSR_HOST_SLICE_HEIGHT
#define STRIP_SLICES  64 /* of a strip that is not full, at most */
#define NEXT_LENGTH   4  /* mean length of rows from which on the next sorting window is asked for: shorter rows have too few lengths to be much out of order */
#define MIXED_WIDTH   4  /* slots of a row: wider slices alone are mixed */
#define STRIP_ALIKE   4  /* a mixed strip begins where fewer slices than this have one width, */
#define STRIP_REGULAR 8  /* and ends where so many have */
#define STRIP_ENOUGH  16 /* times the width: so many full slices among masked ones are a strip of their own. The wider they are the less masks cost, while to change kernels takes as long as ten narrow slices */

typedef struct {
  const AutoCSRSegment *seg;
  const AutoCSRMatrix  *csr;
  const PetscInt       *slice_ptr;
  const uint16_t       *length; /* NULL: not kept */
  PetscInt              window; /* slices that are sorted together; 0: none are */
} Slices;

static PetscInt LengthOf(const Slices *s, PetscInt k)
{
  const PetscInt row = AutoCSRSegmentRow(s->seg, k);

  return s->length ? s->length[k] : s->csr->row_ptr[row + 1] - s->csr->row_ptr[row];
}

/* The end of the first of slices [begin, end), of one width, whose rows all fill it */
static PetscInt FullUntil(const Slices *s, PetscInt begin, PetscInt end, PetscInt width)
{
  const PetscInt *ptr = s->csr->row_ptr + s->seg->row_begin;
  PetscInt        low = begin;

  if (s->seg->stream[AUTOCSR_STREAM_ROWS].data) { /* of rows sorted by length only the last are shorter */
    if (!s->window) return begin;
    return LengthOf(s, end * HEIGHT - 1) == width ? end : end - 1;
  }
  while (low < end) { /* up to there no entry is missing, past it some are */
    const PetscInt middle = low + (end - low + 1) / 2;

    if (ptr[middle * HEIGHT] - ptr[begin * HEIGHT] == (middle - begin) * HEIGHT * width)
      low = middle;
    else
      end = middle - 1;
  }
  return low;
}

static PetscInt SlotsOf(const Slices *s, PetscInt slice)
{
  return s->slice_ptr[slice + 1] - s->slice_ptr[slice];
}

/* The end of the slices from `begin` on that are as wide as it */
static PetscInt AlikeUntil(const Slices *s, PetscInt begin, PetscInt end)
{
  PetscInt slice = begin + 1;

  while (slice < end && SlotsOf(s, slice) == SlotsOf(s, begin)) slice++;
  return slice;
}

/* Wide slices from `begin` on whose widths change from slice to slice (of one sorting window: they descend) */
static PetscBool SlicesAreMixed(const Slices *s, PetscInt begin, PetscInt end, PetscInt alike)
{
  const PetscInt slots = SlotsOf(s, begin), next = PetscMin(begin + alike, end);

  return (PetscBool)(slots > MIXED_WIDTH * HEIGHT && s->slice_ptr[next] - s->slice_ptr[begin] != slots * (next - begin));
}

/*
  The slices of one width from `begin` on, within one sorting window, that are full, or that are not but for a few; or, of mixed ones, as many as follow one another: where strips end after a
  slice or two, to go on to the next one takes branches that no predictor knows, and that takes longer than a mask in each turn
*/
static AutoCSRStrip StripFrom(const Slices *s, PetscInt begin, PetscInt end)
{
  const PetscInt width = SlotsOf(s, begin) / HEIGHT, enough = STRIP_ENOUGH * PetscMin(PetscMax(width, 1), STRIP_SLICES / STRIP_ENOUGH);
  AutoCSRStrip   strip = {.begin = begin, .end = begin, .width = width, .kind = AUTOCSR_STRIP_FULL};
  PetscInt       next, alike;

  if (s->window) end = PetscMin(end, begin - begin % s->window + s->window);
  if (SlicesAreMixed(s, begin, end, STRIP_ALIKE)) {
    end        = PetscMin(end, begin + STRIP_SLICES);
    strip.kind = AUTOCSR_STRIP_MIXED;
    for (strip.end++; strip.end < end && SlicesAreMixed(s, strip.end, end, STRIP_REGULAR);) strip.end++;
    return strip;
  }
  do {
    next      = AlikeUntil(s, strip.end, PetscMin(end, strip.end + STRIP_SLICES));
    strip.end = FullUntil(s, strip.end, next, width);
  } while (strip.end == next && next < end && SlotsOf(s, next) == SlotsOf(s, begin));
  if (strip.end == next || strip.end - begin >= (s->window ? 1 : enough)) return strip;
  strip.kind = AUTOCSR_STRIP_MASKED;
  alike      = AlikeUntil(s, begin, PetscMin(end, begin + 2 * STRIP_SLICES));
  next       = PetscMin(alike, begin + STRIP_SLICES);
  for (strip.end = begin; strip.end < next;) {
    const PetscInt full = FullUntil(s, strip.end, PetscMin(alike, strip.end + enough), width);

    if (full - strip.end == enough) break;
    strip.end = PetscMin(full + 1, next);
  }
  return strip;
}

/*
  Rows sorted by length meet the lines of x and y in an order that the processor's own prefetch does not follow: while a sorting window is worked on, the lines of both at the next one's rows are
  asked for, one of each for a slice. Only where some rows of it have all their columns near there, and all rows are named, so that the window has adjacent ones; else 0
*/
static PetscInt RowsToNextWindow(const Slices *s, PetscInt slice)
{
  const AutoCSRSegment *seg    = s->seg;
  const AutoCSRMatrix  *csr    = s->csr;
  const PetscInt        window = s->window * HEIGHT, begin = slice * HEIGHT + window, end = begin + window;

  if (!window || seg->n_rows < csr->m || PetscMin(csr->m, csr->n) - window < begin || seg->nnz / NEXT_LENGTH < seg->n_rows) return 0;
  for (PetscInt row = begin + window / 4; row < end; row += window / 4) {
    for (PetscInt p = csr->row_ptr[row]; p < csr->row_ptr[row + 1]; p++) {
      if (csr->col[p] < begin - window || csr->col[p] - window >= end) return 0;
    }
  }
  return window;
}

PetscErrorCode AutoCSRStripsFind(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt *n, AutoCSRStrip **strips)
{
  const PetscInt whole = seg->n_rows / HEIGHT, end = whole + (seg->n_rows % HEIGHT > 1); /* one row alone is no slice */
  const Slices   slices = {seg, csr, (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, (const uint16_t *)seg->stream[AUTOCSR_STREAM_LENGTH].data, seg->axes.sort_window % HEIGHT ? 0 : seg->axes.sort_window / HEIGHT};
  PetscInt       next   = 0;
  PetscSegBuffer buffer;
  PetscErrorCode ierr = PETSC_SUCCESS; /* to be out of memory is one that the caller lives with */

  PetscFunctionBegin;
  *n      = 0;
  *strips = NULL;
  if (!end || seg->axes.mapping != AUTOCSR_MAP_SLICE || seg->axes.slice_height != HEIGHT || (seg->axes.index != AUTOCSR_INDEX_32 && seg->axes.index != AUTOCSR_INDEX_16)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSegBufferCreate(sizeof(AutoCSRStrip), 256, &buffer));
  for (PetscInt s = 0; s < end;) {
    AutoCSRStrip *strip;

    if (slices.window && s % slices.window == 0) next = RowsToNextWindow(&slices, s);
    ierr = PetscSegBufferGet(buffer, 1, &strip);
    if (ierr) break;
    *strip      = s < whole ? StripFrom(&slices, s, whole) : (AutoCSRStrip){.begin = s, .end = s + 1, .width = SlotsOf(&slices, s) / HEIGHT, .kind = AUTOCSR_STRIP_LAST};
    strip->next = next;
    s           = strip->end;
    ++*n;
  }
  if (!ierr) ierr = PetscSegBufferExtractAlloc(buffer, strips);
  PetscCall(PetscSegBufferDestroy(&buffer));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
