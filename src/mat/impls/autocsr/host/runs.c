/*
  Slices in runs that a kernel takes at once (kernels_runs.h), found once, when the plan is bound. The rows past the last
  whole slice are one slice under a mask; a single row is none. Lengths of named rows are kept in 16 bits beside the names
  (stream LENGTH), because the CSR's offsets of such rows do not lie side by side.
*/
#include "bound.h"

#define HEIGHT      AUTOCSR_HOST_SLICE_HEIGHT
#define RUN_SLICES  64 /* of a run that is not full, at most */
#define NEXT_LENGTH 4  /* mean length of rows from which on the next sorting window is asked for: shorter rows have too few lengths to be much out of order */
#define MIXED_WIDTH 4  /* slots of a row: wider slices alone are mixed */
#define RUN_ALIKE   4  /* a mixed run begins where fewer slices than this have one width, */
#define RUN_REGULAR 8  /* and ends where so many have */
#define RUN_ENOUGH  16 /* times the width: so many full slices among masked ones are a run of their own. The wider they are the less masks cost, while to change kernels takes as long as ten narrow slices */

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
  The slices of one width from `begin` on, within one sorting window, that are full, or that are not but for a few; or, of mixed ones, as many as follow one another: where runs end after a
  slice or two, to go on to the next one takes branches that no predictor knows, and that takes longer than a mask in each turn
*/
static AutoCSRRun RunFrom(const Slices *s, PetscInt begin, PetscInt end)
{
  const PetscInt width = SlotsOf(s, begin) / HEIGHT, enough = RUN_ENOUGH * PetscMin(PetscMax(width, 1), RUN_SLICES / RUN_ENOUGH);
  AutoCSRRun     run = {.begin = begin, .end = begin, .width = width, .kind = AUTOCSR_RUN_FULL};
  PetscInt       next, alike;

  if (s->window) end = PetscMin(end, begin - begin % s->window + s->window);
  if (SlicesAreMixed(s, begin, end, RUN_ALIKE)) {
    end      = PetscMin(end, begin + RUN_SLICES);
    run.kind = AUTOCSR_RUN_MIXED;
    for (run.end++; run.end < end && SlicesAreMixed(s, run.end, end, RUN_REGULAR);) run.end++;
    return run;
  }
  do {
    next    = AlikeUntil(s, run.end, PetscMin(end, run.end + RUN_SLICES));
    run.end = FullUntil(s, run.end, next, width);
  } while (run.end == next && next < end && SlotsOf(s, next) == SlotsOf(s, begin));
  if (run.end == next || run.end - begin >= (s->window ? 1 : enough)) return run;
  run.kind = AUTOCSR_RUN_MASKED;
  alike    = AlikeUntil(s, begin, PetscMin(end, begin + 2 * RUN_SLICES));
  next     = PetscMin(alike, begin + RUN_SLICES);
  for (run.end = begin; run.end < next;) {
    const PetscInt full = FullUntil(s, run.end, PetscMin(alike, run.end + enough), width);

    if (full - run.end == enough) break;
    run.end = PetscMin(full + 1, next);
  }
  return run;
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

PetscErrorCode AutoCSRRunsFind(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt *n, AutoCSRRun **runs)
{
  const PetscInt whole = seg->n_rows / HEIGHT, end = whole + (seg->n_rows % HEIGHT > 1); /* one row alone is no slice */
  const Slices   slices = {seg, csr, (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data, (const uint16_t *)seg->stream[AUTOCSR_STREAM_LENGTH].data, seg->axes.sort_window % HEIGHT ? 0 : seg->axes.sort_window / HEIGHT};
  PetscInt       next   = 0;
  PetscSegBuffer buffer;
  PetscErrorCode ierr = PETSC_SUCCESS; /* to be out of memory is one that the caller lives with */

  PetscFunctionBegin;
  *n    = 0;
  *runs = NULL;
  if (!end || seg->axes.mapping != AUTOCSR_MAP_SLICE || seg->axes.slice_height != HEIGHT || (seg->axes.index != AUTOCSR_INDEX_32 && seg->axes.index != AUTOCSR_INDEX_16)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSegBufferCreate(sizeof(AutoCSRRun), 256, &buffer));
  for (PetscInt s = 0; s < end;) {
    AutoCSRRun *run;

    if (slices.window && s % slices.window == 0) next = RowsToNextWindow(&slices, s);
    ierr = PetscSegBufferGet(buffer, 1, &run);
    if (ierr) break;
    *run      = s < whole ? RunFrom(&slices, s, whole) : (AutoCSRRun){.begin = s, .end = s + 1, .width = SlotsOf(&slices, s) / HEIGHT, .kind = AUTOCSR_RUN_LAST};
    run->next = next;
    s         = run->end;
    ++*n;
  }
  if (!ierr) ierr = PetscSegBufferExtractAlloc(buffer, runs);
  PetscCall(PetscSegBufferDestroy(&buffer));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
