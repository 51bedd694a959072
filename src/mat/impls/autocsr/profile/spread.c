/*
  What slices of rows look like: padding and column spread, as the rows lie and sorted by length, and how many cache lines
  of x a slice touches (dufrechou2021's locality, made a count).
*/
#include "parts.h"

#define SAMPLE_SLICES  8    /* of a chunk, for gather_lines */
#define SAMPLE_ENTRIES 1024 /* of a slice */
#define LINE_SLOTS     2048 /* a power of two, twice the entries */

/* Padding may count more than the entries of the matrix; such a plan is out of question anyway */
static PetscInt AddClamped(PetscInt a, PetscInt64 b)
{
  return b < (PetscInt64)PETSC_MAX_INT - a ? a + (PetscInt)b : PETSC_MAX_INT;
}

/* Rows rows[0] ... rows[n - 1] as one slice */
static void SliceMeasure(const AutoCSRMatrix *csr, const PetscInt rows[], PetscInt n, PetscInt *width, PetscBool *fits_16)
{
  PetscInt lo = csr->n, hi = -1;

  *width = 0;
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt begin = csr->row_ptr[rows[k]], end = csr->row_ptr[rows[k] + 1];

    if (begin == end) continue;
    *width = PetscMax(*width, end - begin);
    lo     = PetscMin(lo, csr->col[begin]);
    hi     = PetscMax(hi, csr->col[end - 1]);
  }
  *fits_16 = (PetscBool)(hi - lo < 65536);
}

/* The slices of one window */
static void WindowMeasure(const AutoCSRMatrix *csr, const PetscInt rows[], PetscInt n, PetscInt h, PetscInt64 *padded, PetscInt *slices_16)
{
  *padded    = 0;
  *slices_16 = 0;
  for (PetscInt k = 0; k < n; k += h) {
    PetscInt  width;
    PetscBool fits_16;

    SliceMeasure(csr, rows + k, PetscMin(h, n - k), &width, &fits_16);
    *padded += (PetscInt64)width * h;
    *slices_16 += fits_16;
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

static PetscErrorCode GatherLines(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  const PetscInt h = profile->slice_height;
  PetscInt      *line_of_slot, *stamp_of_slot, stamp = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(LINE_SLOTS, &line_of_slot, LINE_SLOTS, &stamp_of_slot));
  for (PetscInt c = 0; c < profile->chunks; c++) {
    AutoCSRChunk  *chunk = &profile->chunk[c];
    const PetscInt step  = PetscMax(1, chunk->slices / SAMPLE_SLICES);
    double         lines = 0, entries = 0;

    for (PetscInt s = 0; s < chunk->slices; s += step) {
      const PetscInt row   = chunk->row_begin + s * h;
      const PetscInt begin = csr->row_ptr[row], end = PetscMin(begin + SAMPLE_ENTRIES, csr->row_ptr[PetscMin(row + h, chunk->row_end)]);

      lines += CountLines(csr, begin, end, line_of_slot, stamp_of_slot, ++stamp);
      entries += end - begin;
    }
    chunk->gather_lines = entries > 0 ? lines / entries : 0;
  }
  PetscCall(PetscFree2(line_of_slot, stamp_of_slot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRProfileSpread(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  const PetscInt h = profile->slice_height, window = PetscMax(AUTOCSR_WINDOW, h);
  PetscInt      *natural, *sorted, *work;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(window, &natural, window, &sorted, window, &work));
  for (PetscInt c = 0; c < profile->chunks; c++) {
    AutoCSRChunk *chunk = &profile->chunk[c];

    chunk->slices = (chunk->row_end - chunk->row_begin + h - 1) / h;
    for (PetscInt row = chunk->row_begin; row < chunk->row_end; row += window) {
      const PetscInt n = PetscMin(window, chunk->row_end - row);
      PetscInt64     padded;
      PetscInt       slices_16;
      PetscBool      moved;

      for (PetscInt k = 0; k < n; k++) natural[k] = row + k;
      WindowMeasure(csr, natural, n, h, &padded, &slices_16);
      chunk->padded = AddClamped(chunk->padded, padded);
      chunk->slices_16 += slices_16;
      PetscCall(AutoCSRSortRowsByLength(csr->row_ptr, row, n, sorted, work));
      moved = (PetscBool)(memcmp(natural, sorted, (size_t)n * sizeof(*sorted)) != 0);
      if (moved) WindowMeasure(csr, sorted, n, h, &padded, &slices_16);
      chunk->padded_sorted = AddClamped(chunk->padded_sorted, padded);
      chunk->slices_16_sorted += slices_16;
    }
  }
  PetscCall(PetscFree3(natural, sorted, work));
  PetscCall(GatherLines(csr, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}
