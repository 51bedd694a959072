/*
  Layout sliced, for encoders and kernels. Each function works on one row, slice or entry, in the common subset of C and
  CUDA: a loop runs it on the host, a kernel on a device, and the bits are the same.
*/
#ifndef AUTOCSR_SLICED_H
#define AUTOCSR_SLICED_H

#include "segment.h"

/* Slots of each row of a slice whose longest row has `longest` entries */
AUTOCSR_HD PetscInt AutoCSREncodeWidth(const AutoCSRAxes *axes, PetscInt longest)
{
  return ((axes->width ? axes->width : longest) + axes->lanes - 1) / axes->lanes * axes->lanes;
}

/* Writes FIT and INDEX of entry t of slice s, padding included; SLICE_FIT is there. begin[] and length[]: where the rows of the slice begin in the CSR, and their entries */
AUTOCSR_HD void AutoCSREncodeFit(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt s, PetscInt t, const PetscInt begin[], const PetscInt length[])
{
  const PetscInt        h     = seg->axes.slice_height;
  const AutoCSRSliceFit slice = ((const AutoCSRSliceFit *)seg->stream[AUTOCSR_STREAM_SLICE_FIT].data)[s];
  uint8_t              *index = (uint8_t *)seg->stream[AUTOCSR_STREAM_INDEX].data + ((size_t)slice.begin + (size_t)t * slice.width) * h;
  AutoCSRFit           *fit   = (AutoCSRFit *)seg->stream[AUTOCSR_STREAM_FIT].data + (((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[s] / h + t);

  (void)AutoCSRFitColumn(csr->col, begin, length, (int)h, t, slice.period, fit);
  for (PetscInt j = 0; j < h && slice.width; j++) {
    const PetscInt left = length[j] > t ? csr->col[begin[j] + t] - AutoCSRFitOf(fit, slice.period, (int)j) : 0;

    if (slice.width == 1)
      index[j] = (uint8_t)left;
    else if (slice.width == 2)
      ((uint16_t *)index)[j] = (uint16_t)left;
    else
      ((uint32_t *)index)[j] = (uint32_t)left;
  }
}

#endif
