/*
  Slices whose columns models tell (profile/fit.h): row by row, a model for each entry of a slice and what it leaves of each
  row in 0, 1, 2 or 4 bytes.
*/
#ifndef AUTOCSR_HOST_KERNELS_FITTED_H
#define AUTOCSR_HOST_KERNELS_FITTED_H

#include "kernels_csr.h"

/* The column of a row that is the j-th of its slice; q: where its residual is, in residuals */
KERNEL size_t FittedColumn(const AutoCSRFit *fit, PetscInt across, PetscInt within, const void *residual, int width, size_t q)
{
  const PetscInt col = fit->base + fit->across * across + fit->within * within;

  return (size_t)(col + (width == 0 ? 0 : width == 1 ? (PetscInt)((const uint8_t *)residual)[q]
                                      : width == 2   ? (PetscInt)((const uint16_t *)residual)[q]
                                                     : (PetscInt)((const uint32_t *)residual)[q]));
}

/* OCTET rows or fewer of one slice, j the place of the first in it */
KERNEL void FittedOctet(const AutoCSRSegment *seg, const AutoCSROperands *op, PetscInt k, PetscInt rows, PetscInt j, const AutoCSRFit *fit, PetscInt period, const void *residual, int width, Entries e, AutoCSRValue value, PetscBool transpose)
{
  const PetscInt H = seg->axes.slice_height;
  PetscInt       row[OCTET], length[OCTET], across[OCTET], within[OCTET], longest = 0;
  PetscScalar    sum[OCTET];

  for (PetscInt l = 0; l < rows; l++) {
    row[l]    = AutoCSRSegmentRow(seg, k + l);
    length[l] = op->csr->row_ptr[row[l] + 1] - op->csr->row_ptr[row[l]];
    across[l] = (j + l) / period;
    within[l] = (j + l) % period;
    longest   = PetscMax(longest, length[l]);
    sum[l]    = transpose ? op->x[row[l]] : AddendOf(op, row[l]);
  }
  for (PetscInt t = 0; t < longest; t++) {
    for (PetscInt l = 0; l < rows; l++) {
      if (t < length[l]) {
        const size_t      c = FittedColumn(&fit[t], across[l], within[l], residual, width, (size_t)(t * H + j + l));
        const PetscScalar a = EntryValue(e, value, (size_t)(t * H + j + l));

        if (transpose)
          op->y[c] = ScalarMultiplyAdd(op->y[c], ScalarConjugateIf(a, op->conjugate), sum[l]);
        else
          sum[l] = ScalarMultiplyAdd(sum[l], a, op->x[c]);
      }
    }
  }
  for (PetscInt l = 0; l < rows && !transpose; l++) op->y[row[l]] = sum[l];
}

KERNEL void FittedRun(const AutoCSRSegment *seg, const AutoCSROperands *op, AutoCSRValue value, PetscBool transpose)
{
  const PetscInt        *slice_ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data;
  const AutoCSRFit      *fits      = (const AutoCSRFit *)seg->stream[AUTOCSR_STREAM_FIT].data;
  const AutoCSRSliceFit *slices    = (const AutoCSRSliceFit *)seg->stream[AUTOCSR_STREAM_SLICE_FIT].data;
  const PetscInt         H         = seg->axes.slice_height;
  const Entries          entries   = EntriesOfSegment(seg, op->csr, AUTOCSR_INDEX_FITTED, value);

  for (PetscInt s = 0; s < seg->n_slices; s++) {
    const AutoCSRFit *fit    = fits + slice_ptr[s] / H;
    const PetscInt    period = slices[s].period, end = PetscMin((s + 1) * H, seg->n_rows);
    const void       *residual = (const char *)seg->stream[AUTOCSR_STREAM_INDEX].data + (size_t)slices[s].begin * (size_t)H;
    Entries           e        = entries;

    e = EntriesFrom(e, AUTOCSR_INDEX_PATTERN, value, (size_t)slice_ptr[s]); /* values alone */
    for (PetscInt k = s * H; k < end; k += OCTET) {
      const PetscInt rows = PetscMin(OCTET, end - k), j = k - s * H;

      switch (slices[s].width) { /* each with its own loop */
      case 0:
        FittedOctet(seg, op, k, rows, j, fit, period, residual, 0, e, value, transpose);
        break;
      case 1:
        FittedOctet(seg, op, k, rows, j, fit, period, residual, 1, e, value, transpose);
        break;
      case 2:
        FittedOctet(seg, op, k, rows, j, fit, period, residual, 2, e, value, transpose);
        break;
      default:
        FittedOctet(seg, op, k, rows, j, fit, period, residual, 4, e, value, transpose);
      }
    }
  }
}

#endif
