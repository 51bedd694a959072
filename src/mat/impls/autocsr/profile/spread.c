/*
  What slices of rows look like: bandwidth, padding and column spread, as the rows lie and sorted by length, and how many cache lines
  of x a slice touches (dufrechou2021's locality, made a count).
*/
#include "parts.h"
#include "fit.h"

#define LINE_SLOTS (2 * AUTOCSR_SAMPLE_ENTRIES) /* a power of two */

/* Padding may count more than the entries of the matrix; such a plan is out of question anyway */
static PetscInt AddClamped(PetscInt a, PetscInt64 b)
{
  return b < (PetscInt64)PETSC_MAX_INT - a ? a + (PetscInt)b : PETSC_MAX_INT;
}

/* The rows of a window: what is read of each, once */
typedef struct {
  PetscInt *length, *first, *last; /* first and last column; of an empty row n and -1 */
} Window;

static void WindowRead(const AutoCSRMatrix *csr, PetscInt row_begin, PetscInt n, Window *w, PetscInt *bandwidth)
{
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt row = row_begin + k, begin = csr->row_ptr[row], end = csr->row_ptr[row + 1];

    w->length[k] = end - begin;
    w->first[k]  = begin < end ? csr->col[begin] : csr->n;
    w->last[k]   = begin < end ? csr->col[end - 1] : -1;
    if (begin < end) *bandwidth = PetscMax(*bandwidth, PetscMax(row - w->first[k], w->last[k] - row));
  }
}

/* The slices of a window; order names its rows from row_begin on, NULL: as they lie */
static void WindowMeasure(const Window *w, const PetscInt order[], PetscInt row_begin, PetscInt n, PetscInt h, PetscInt64 *padded, PetscInt *slices_16)
{
  *padded    = 0;
  *slices_16 = 0;
  for (PetscInt begin = 0; begin < n; begin += h) {
    PetscInt width = 0, lo = PETSC_MAX_INT, hi = -1;

    for (PetscInt k = begin; k < PetscMin(begin + h, n); k++) {
      const PetscInt r = order ? order[k] - row_begin : k;

      width = PetscMax(width, w->length[r]);
      lo    = PetscMin(lo, w->first[r]);
      hi    = PetscMax(hi, w->last[r]);
    }
    *padded += (PetscInt64)width * h;
    *slices_16 += hi - lo < 65536;
  }
}

/* Distinct lines among the columns of CSR entries [begin, end). stamp marks the slots of this call */
static PetscInt CountLines(const AutoCSRMatrix *csr, PetscInt begin, PetscInt end, PetscInt line_of_slot[], PetscInt stamp_of_slot[], PetscInt stamp)
{
  const PetscInt per_line = 64 / (PetscInt)sizeof(PetscScalar);
  PetscInt       lines    = 0;

  for (PetscInt p = begin; p < end; p++) {
    const PetscInt line = csr->col[p] / per_line;
    unsigned       s    = ((unsigned)line * 0x9E3779B9u) >> 21; /* 11 bits: LINE_SLOTS */

    while (stamp_of_slot[s] == stamp && line_of_slot[s] != line) s = (s + 1) & (LINE_SLOTS - 1);
    if (stamp_of_slot[s] == stamp) continue;
    stamp_of_slot[s] = stamp;
    line_of_slot[s]  = line;
    lines++;
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

static PetscErrorCode GatherLines(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  const PetscInt h = profile->slice_height;
  PetscInt      *line_of_slot, *stamp_of_slot, stamp = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(LINE_SLOTS, &line_of_slot, LINE_SLOTS, &stamp_of_slot));
  for (PetscInt c = 0; c < profile->chunks; c++) {
    AutoCSRChunk  *chunk = &profile->chunk[c];
    const PetscInt step  = AutoCSRSampleStep(chunk->slices);
    double         lines = 0, entries = 0, fit_bytes = 0, fit_entries = 0;

    for (PetscInt s = 0; s < chunk->slices; s += step) {
      const PetscInt row   = chunk->row_begin + s * h;
      const PetscInt begin = csr->row_ptr[row], end = PetscMin(begin + AUTOCSR_SAMPLE_ENTRIES, csr->row_ptr[PetscMin(row + h, chunk->row_end)]);

      lines += CountLines(csr, begin, end, line_of_slot, stamp_of_slot, ++stamp);
      entries += end - begin;
      if (h <= AUTOCSR_MAX_FIT_ROWS) {
        PetscInt bytes, padded;

        SliceFitted(csr, row, PetscMin(h, chunk->row_end - row), h, &bytes, &padded);
        fit_bytes += bytes;
        fit_entries += padded;
      }
    }
    chunk->fitted       = fit_entries > 0 ? fit_bytes / fit_entries : 0;
    chunk->gather_lines = entries > 0 ? lines / entries : 0;
  }
  PetscCall(PetscFree2(line_of_slot, stamp_of_slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRProfileSpread(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  const PetscInt h = profile->slice_height, window = profile->window;
  PetscInt      *sorted, *work;
  Window         w;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(window, &w.length, window, &w.first, window, &w.last, window, &sorted, window, &work));
  for (PetscInt c = 0; c < profile->chunks; c++) {
    AutoCSRChunk *chunk = &profile->chunk[c];

    chunk->slices = (chunk->row_end - chunk->row_begin + h - 1) / h;
    for (PetscInt row = chunk->row_begin; row < chunk->row_end; row += window) {
      const PetscInt n = PetscMin(window, chunk->row_end - row);
      PetscInt64     padded;
      PetscInt       slices_16;

      WindowRead(csr, row, n, &w, &profile->bandwidth);
      WindowMeasure(&w, NULL, row, n, h, &padded, &slices_16);
      chunk->padded = AddClamped(chunk->padded, padded);
      chunk->slices_16 += slices_16;
      for (PetscInt k = 0; k < n; k++) sorted[k] = row + k;
      PetscCall(AutoCSRSortRowsByLength(csr->row_ptr, n, sorted, work));
      WindowMeasure(&w, sorted, row, n, h, &padded, &slices_16);
      chunk->padded_sorted = AddClamped(chunk->padded_sorted, padded);
      chunk->slices_16_sorted += slices_16;
    }
  }
  PetscCall(PetscFree5(w.length, w.first, w.last, sorted, work));
  PetscCall(GatherLines(csr, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}
