/*
  What slices of rows look like: bandwidth, padding and column spread, as the rows lie and sorted by length, and how many cache lines
  of x a slice touches (dufrechou2021's locality, made a count).
*/
#include "passes.h"
#include "fit.h"

#define MOST_COUNTED 4096       /* lengths that rows are sorted by in one count */
#define NEAR_X       (32 << 10) /* bytes of x, all of which are in a processor's first-level cache */

/* Padding may count more than the entries of the matrix; such a plan is out of question anyway */
static PetscInt AddClamped(PetscInt a, PetscInt64 b)
{
  return b < (PetscInt64)PETSC_MAX_INT - a ? a + (PetscInt)b : PETSC_MAX_INT;
}

/* The rows of a window: what is read of each, once */
typedef struct {
  PetscInt *length, *first, *last; /* first and last column; of an empty row n and -1 */
  PetscInt  shortest, longest;
} Window;

/* A slice: its longest row, the least and the largest column of its rows */
typedef struct {
  PetscInt width, lo, hi;
} Slice;

static void WindowRead(const AutoCSRMatrix *csr, PetscInt row_begin, PetscInt n, Window *w, AutoCSRProfile *profile)
{
  PetscInt   shortest = PETSC_MAX_INT, longest = 0, far = profile->bandwidth, wide = profile->row_span;
  PetscInt64 spans = 0;

  for (PetscInt k = 0; k < n; k++) {
    const PetscInt row = row_begin + k, begin = csr->row_ptr[row], end = csr->row_ptr[row + 1];
    const PetscInt first = begin < end ? csr->col[begin] : csr->n, last = begin < end ? csr->col[end - 1] : -1;

    w->length[k] = end - begin;
    w->first[k]  = first;
    w->last[k]   = last;
    shortest     = PetscMin(shortest, end - begin);
    longest      = PetscMax(longest, end - begin);
    wide         = PetscMax(wide, last - first);
    spans += begin < end ? last - first + 1 : 0;
    if (begin < end) far = PetscMax(far, PetscMax(row - first, last - row));
  }
  w->shortest        = shortest;
  w->longest         = longest;
  profile->bandwidth = far;
  profile->row_span  = wide;
  profile->spans += spans;
}

/* The least and the largest column of as many rows as a fourth of a window has: any window touches five of these parts at most */
typedef struct {
  PetscInt lo, hi;
} Span;

#define SPANS_OF_WINDOW 4

static void WindowAddSpans(const Window *w, PetscInt row_begin, PetscInt n, PetscInt rows, Span span[])
{
  for (PetscInt k = 0; k < n;) {
    const PetscInt part = (row_begin + k) / rows, end = (PetscInt)PetscMin(n, (PetscInt64)(part + 1) * rows - row_begin);
    Span           s = span[part];

    for (; k < end; k++) {
      s.lo = PetscMin(s.lo, w->first[k]);
      s.hi = PetscMax(s.hi, w->last[k]);
    }
    span[part] = s;
  }
}

/* Columns that the rows of a window lie within, wherever it begins */
static PetscInt LargestSpan(const Span span[], PetscInt parts)
{
  PetscInt most = 0;

  for (PetscInt p = 0; p < parts; p++) {
    Span all = span[p];

    for (PetscInt q = p + 1; q < PetscMin(parts, p + SPANS_OF_WINDOW + 1); q++) all = (Span){PetscMin(all.lo, span[q].lo), PetscMax(all.hi, span[q].hi)};
    most = PetscMax(most, all.hi - all.lo + 1);
  }
  return most;
}

static inline void SliceAdd(Slice *s, const Window *w, PetscInt k)
{
  s->width = PetscMax(s->width, w->length[k]);
  s->lo    = PetscMin(s->lo, w->first[k]);
  s->hi    = PetscMax(s->hi, w->last[k]);
}

/* The slices of a window's rows as they lie */
static void WindowMeasure(const Window *w, PetscInt n, PetscInt h, PetscInt64 *padded, PetscInt *slices_16)
{
  *padded    = 0;
  *slices_16 = 0;
  for (PetscInt begin = 0; begin < n; begin += h) {
    Slice slice = {0, PETSC_MAX_INT, -1};

    for (PetscInt k = begin; k < PetscMin(begin + h, n); k++) SliceAdd(&slice, w, k);
    *padded += (PetscInt64)slice.width * h;
    *slices_16 += slice.hi - slice.lo < 65536;
  }
}

/* Room for what is sorted */
typedef struct {
  PetscInt *place, *order, *work;
  Slice    *slice;
} Room;

/*
  The same of its rows sorted by length, longest first and else as they lie. The place of a row is found by counting, and no row is moved; by lengths too different for that
  they are sorted. Where the matrix has no more columns than 16 bits tell apart, lengths are all that counts
*/
static PetscErrorCode WindowMeasureSorted(const AutoCSRMatrix *csr, const Window *w, PetscInt row_begin, PetscInt n, PetscInt h, Room *room, PetscInt64 *padded, PetscInt *slices_16)
{
  const PetscInt slices = n / h + (n % h > 0), lengths = w->longest - w->shortest + 1;
  const int      shift = __builtin_ctz((unsigned)h);
  Slice         *slice = room->slice;
  PetscInt      *place = room->place;

  PetscFunctionBegin;
  *padded    = 0;
  *slices_16 = 0;
  if (lengths <= MOST_COUNTED) {
    PetscCall(PetscArrayzero(place, lengths + 1));
    for (PetscInt k = 0; k < n; k++) place[w->longest - w->length[k] + 1]++;
    for (PetscInt d = 0; d < lengths; d++) place[d + 1] += place[d];
    if (csr->n <= 65536) {
      for (PetscInt d = 0; d < lengths; d++) { /* slices that begin with such a row */
        if (place[d] < place[d + 1]) *padded += (PetscInt64)(w->longest - d) * h * (((place[d + 1] + h - 1) >> shift) - ((place[d] + h - 1) >> shift));
      }
      *slices_16 = slices;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  for (PetscInt s = 0; s < slices; s++) slice[s] = (Slice){0, PETSC_MAX_INT, -1};
  if (lengths <= MOST_COUNTED) {
    for (PetscInt k = 0; k < n; k++) SliceAdd(&slice[place[w->longest - w->length[k]]++ >> shift], w, k);
  } else {
    for (PetscInt k = 0; k < n; k++) room->order[k] = row_begin + k;
    PetscCall(AutoCSRSortRowsByLength(csr->row_ptr, n, room->order, room->work));
    for (PetscInt k = 0; k < n; k++) SliceAdd(&slice[k >> shift], w, room->order[k] - row_begin);
  }
  for (PetscInt s = 0; s < slices; s++) {
    *padded += (PetscInt64)slice[s].width * h;
    *slices_16 += slice[s].hi - slice[s].lo < 65536;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt line, stamp;
} LineSlot;

/* The slot of a line, or the one where it would be. stamp marks the slots in use */
static LineSlot *LineFind(LineSlot slot[], unsigned slots, PetscInt line, PetscInt stamp)
{
  unsigned s = (((unsigned)line * 0x9E3779B9u) >> 16) & (slots - 1);

  while (slot[s].stamp == stamp && slot[s].line != line) s = (s + 1) & (slots - 1);
  return slot + s;
}

/* No more than `most` CSR entries of some rows */
typedef struct {
  PetscInt begin, end;
} Entries;

static Entries EntriesFirst(const AutoCSRMatrix *csr, PetscInt row_begin, PetscInt row_end, PetscInt most)
{
  const PetscInt begin = csr->row_ptr[row_begin];

  return (Entries){begin, begin + PetscMin(most, csr->row_ptr[row_end] - begin)};
}

static Entries EntriesLast(const AutoCSRMatrix *csr, PetscInt row_begin, PetscInt row_end, PetscInt most)
{
  const PetscInt end = csr->row_ptr[row_end];

  return (Entries){end - PetscMin(most, end - csr->row_ptr[row_begin]), end};
}

/* Distinct lines among the columns of entries; slots: a power of two, more than there are lines */
static PetscInt CountLines(const AutoCSRMatrix *csr, Entries entries, LineSlot slot[], unsigned slots, PetscInt stamp)
{
  const PetscInt per_line = AUTOCSR_LINE / (PetscInt)sizeof(PetscScalar);
  PetscInt       lines    = 0;

  for (PetscInt p = entries.begin; p < entries.end; p++) {
    LineSlot *at = LineFind(slot, slots, csr->col[p] / per_line, stamp);

    lines += at->stamp != stamp; /* no branch waits for that: it would be guessed wrong */
    *at = (LineSlot){csr->col[p] / per_line, stamp};
  }
  return lines;
}

/*
  Lines of entries that are neither read nor beside one that is read, for the entries near or before in these: where a slice goes on from
  the slice before it, as of a grid in whatever order, a processor has its lines or asks for them by itself
*/
static PetscInt CountFarLines(const AutoCSRMatrix *csr, Entries entries, Entries near, LineSlot slot[], unsigned slots, PetscInt stamp)
{
  const PetscInt per_line = AUTOCSR_LINE / (PetscInt)sizeof(PetscScalar);
  PetscInt       lines    = 0;

  CountLines(csr, near, slot, slots, stamp);
  for (PetscInt p = entries.begin; p < entries.end; p++) {
    const PetscInt line  = csr->col[p] / per_line;
    PetscBool      known = PETSC_FALSE;

    for (PetscInt other = line - 1; other <= line + 1 && !known; other++) known = (PetscBool)(LineFind(slot, slots, other, stamp)->stamp == stamp);
    lines += !known;
    *LineFind(slot, slots, line, stamp) = (LineSlot){line, stamp};
  }
  return lines;
}

/* Bytes by which models tell the columns of a slice, and its entries, padding counted */
static void SliceFitted(const AutoCSRMatrix *csr, PetscInt row, PetscInt rows, PetscInt h, PetscInt *bytes, PetscInt *entries)
{
  PetscInt begin[AUTOCSR_MAX_FIT_ROWS], length[AUTOCSR_MAX_FIT_ROWS], width = 0;
  int      period;

  for (PetscInt j = 0; j < h; j++) {
    begin[j]  = j < rows ? csr->row_ptr[row + j] : 0;
    length[j] = j < rows ? PetscMin(csr->row_ptr[row + j + 1] - begin[j], AUTOCSR_SAMPLE_WIDTH) : 0;
    width     = PetscMax(width, length[j]);
  }
  *bytes   = width * (AutoCSRFitSlice(csr->col, begin, length, (int)h, width, &period) * h + (PetscInt)sizeof(AutoCSRFit));
  *entries = width * h;
}

/* Bytes of an index by models, of the sampled slices; of a processor, whose zones are many for what is in them, of one that has entries */
static double MeasureFitted(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, PetscInt c, PetscBool processor)
{
  const AutoCSRZone *zone = &profile->zone[c];
  const PetscInt     h = profile->slice_height, step = AutoCSRSampleStep(zone->slices), samples = (zone->slices + step - 1) / step;
  double             bytes = 0, entries = 0;

  for (PetscInt k = 0; k < samples && !(processor && entries > 0); k++) {
    const PetscInt row = zone->row_begin + (c + k) % samples * step * h;
    PetscInt       of_slice, padded;

    SliceFitted(csr, row, PetscMin(h, zone->row_end - row), h, &of_slice, &padded);
    bytes += of_slice;
    entries += padded;
  }
  return entries > 0 ? bytes / entries : 0;
}

static PetscErrorCode GatherLines(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  const PetscInt  h = profile->slice_height, rows = AutoCSRGatherRows(h), most = AutoCSRGatherEntries(h);
  const unsigned  slots     = 4 * (unsigned)most; /* for twice as many lines, and half of them free */
  const PetscBool processor = (PetscBool)(rows == h);
  const PetscBool counts    = (PetscBool)(!processor || csr->n > NEAR_X / (PetscInt)sizeof(PetscScalar));
  PetscInt        stamp     = 0;
  LineSlot       *slot;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(counts ? slots : 0, &slot));
  for (PetscInt c = 0; c < profile->zones; c++) {
    AutoCSRZone   *zone  = &profile->zone[c];
    const PetscInt step  = AutoCSRSampleStep(zone->slices);
    double         lines = 0, entries = 0;

    for (PetscInt s = 0; s < zone->slices && counts; s += step) {
      const PetscInt row     = zone->row_begin + s * h;
      const Entries  counted = EntriesFirst(csr, row, PetscMin(row + rows, zone->row_end), most);

      if (processor && rows < csr->m)
        lines += CountFarLines(csr, counted, row >= rows ? EntriesLast(csr, row - rows, row, most) : EntriesFirst(csr, rows, PetscMin(2 * rows, csr->m), most), slot, slots, ++stamp);
      else
        lines += CountLines(csr, counted, slot, slots, ++stamp);
      entries += counted.end - counted.begin;
    }
    zone->gather_lines = entries > 0 ? lines / entries : 0;
    if (h <= AUTOCSR_MAX_FIT_ROWS && !profile->rows_only) zone->fitted = MeasureFitted(csr, profile, c, processor);
  }
  PetscCall(PetscFree(slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRProfileSpread(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  const PetscInt h = profile->slice_height, window = profile->window;
  const PetscInt rows = PetscMin(window, csr->m), part = window / SPANS_OF_WINDOW, parts = window > AUTOCSR_WINDOW ? csr->m / part + 1 : 0;
  Room           room;
  Window         w;
  Span          *span;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(parts, &span));
  for (PetscInt p = 0; p < parts; p++) span[p] = (Span){csr->n, -1};
  ierr = PetscMalloc7(rows, &w.length, rows, &w.first, rows, &w.last, rows, &room.order, rows, &room.work, MOST_COUNTED + 1, &room.place, rows / h + 1, &room.slice);
  if (ierr) PetscCall(PetscFree(span)); /* to be out of memory is an error that the caller lives with */
  PetscCall(ierr);
  for (PetscInt c = 0; c < profile->zones; c++) {
    AutoCSRZone *zone = &profile->zone[c];

    zone->slices = (zone->row_end - zone->row_begin + h - 1) / h;
    for (PetscInt row = zone->row_begin, n; row < zone->row_end; row += n) {
      PetscInt64 padded;
      PetscInt   slices_16;

      n = PetscMin(window, zone->row_end - row);
      WindowRead(csr, row, n, &w, profile);
      if (parts) WindowAddSpans(&w, row, n, part, span);
      WindowMeasure(&w, n, h, &padded, &slices_16);
      zone->padded = AddClamped(zone->padded, padded);
      zone->slices_16 += slices_16;
      if (w.shortest < w.longest) PetscCall(WindowMeasureSorted(csr, &w, row, n, h, &room, &padded, &slices_16));
      zone->padded_sorted = AddClamped(zone->padded_sorted, padded);
      zone->slices_16_sorted += slices_16;
    }
  }
  PetscCall(PetscFree7(w.length, w.first, w.last, room.order, room.work, room.place, room.slice));
  if (parts) profile->window_span = LargestSpan(span, parts);
  PetscCall(PetscFree(span));
  PetscCall(GatherLines(csr, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}
