/*
  Slices in runs that a kernel takes at once (kernels_runs.h), found when a plan is bound.
*/
#include "bound.h"

#define HEIGHT      AUTOCSR_HOST_SLICE_HEIGHT
#define RUN_SLICES  64 /* of a run, at most: one short row among them has all masked */
#define NEXT_LENGTH 4  /* mean length of rows from which on the next sorting window is asked for: shorter rows have too few lengths to be much out of order */
#define MIXED_WIDTH 4  /* slots of a row: wider slices alone are mixed */
#define RUN_ALIKE   4  /* a mixed run begins where fewer slices than this have one width, */
#define RUN_REGULAR 8  /* and ends where so many have */

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

/* Do all rows of slices [begin, end) of one width fill it? Of rows sorted by length none is shorter than the last */
static PetscBool RunIsFull(const Slices *s, PetscInt begin, PetscInt end, PetscInt width)
{
  if (!s->seg->stream[AUTOCSR_STREAM_ROWS].data) {
    const PetscInt *ptr = s->csr->row_ptr + s->seg->row_begin;

    return (PetscBool)(ptr[end * HEIGHT] - ptr[begin * HEIGHT] == (end - begin) * HEIGHT * width);
  }
  return (PetscBool)(s->window && LengthOf(s, end * HEIGHT - 1) == width);
}

/* Wide slices from `begin` on whose widths change from slice to slice (of one sorting window: they descend) */
static PetscBool SlicesAreMixed(const Slices *s, PetscInt begin, PetscInt end, PetscInt alike)
{
  const PetscInt slots = s->slice_ptr[begin + 1] - s->slice_ptr[begin], next = PetscMin(begin + alike, end);

  return (PetscBool)(slots > MIXED_WIDTH * HEIGHT && s->slice_ptr[next] - s->slice_ptr[begin] != slots * (next - begin));
}

/*
  The slices of one width from `begin` on, within one sorting window; or, of mixed ones, as many as follow one another: where runs end after a slice or two, to go on to the next
  one takes branches that no predictor knows, and that takes longer than a mask in each turn
*/
static AutoCSRRun RunFrom(const Slices *s, PetscInt begin, PetscInt end)
{
  const PetscInt slots = s->slice_ptr[begin + 1] - s->slice_ptr[begin];
  AutoCSRRun     run   = {.begin = begin, .end = begin + 1, .width = slots / HEIGHT};

  end = PetscMin(end, begin + RUN_SLICES);
  if (s->window) end = PetscMin(end, begin - begin % s->window + s->window);
  if (SlicesAreMixed(s, begin, end, RUN_ALIKE)) {
    run.kind = AUTOCSR_RUN_MIXED;
    while (run.end < end && SlicesAreMixed(s, run.end, end, RUN_REGULAR)) run.end++;
    return run;
  }
  while (run.end < end && s->slice_ptr[run.end + 1] - s->slice_ptr[run.end] == slots) run.end++;
  run.kind = RunIsFull(s, begin, run.end, run.width) ? AUTOCSR_RUN_FULL : AUTOCSR_RUN_MASKED;
  if (run.kind == AUTOCSR_RUN_MASKED && s->window && run.end - begin > 1) { /* only the last slice can have shorter rows */
    run.end--;
    run.kind = AUTOCSR_RUN_FULL;
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

  PetscFunctionBegin;
  *n    = 0;
  *runs = NULL;
  if (!end || seg->axes.mapping != AUTOCSR_MAP_SLICE || seg->axes.slice_height != HEIGHT || (seg->axes.index != AUTOCSR_INDEX_32 && seg->axes.index != AUTOCSR_INDEX_16)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSegBufferCreate(sizeof(AutoCSRRun), 256, &buffer));
  for (PetscInt s = 0; s < end;) {
    AutoCSRRun *run;

    if (slices.window && s % slices.window == 0) next = RowsToNextWindow(&slices, s);
    PetscCall(PetscSegBufferGet(buffer, 1, &run));
    *run      = s < whole ? RunFrom(&slices, s, whole) : (AutoCSRRun){.begin = s, .end = s + 1, .width = (slices.slice_ptr[s + 1] - slices.slice_ptr[s]) / HEIGHT, .kind = AUTOCSR_RUN_LAST};
    run->next = next;
    s         = run->end;
    ++*n;
  }
  PetscCall(PetscSegBufferExtractAlloc(buffer, runs));
  PetscCall(PetscSegBufferDestroy(&buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
