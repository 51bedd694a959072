/*
  Columns of a slice by a model: the column that entry t has in row j of a slice is

    base + across * (j / period) + within * (j % period) + residual

  Linear (period 1), step (within 0), periodic (across 0) and constant models (both 0: offsets) of du2022-alphasparse, V-D, are
  cases of it, and so are rows in blocks. The period is the slice's, the steps are the column's; what the model leaves
  is stored in so many bytes as the whole slice needs, which may be none. In the common subset of C and CUDA.
*/
#ifndef AUTOCSR_FIT_H
#define AUTOCSR_FIT_H

#include "../autocsr.h"

#define AUTOCSR_MAX_PERIOD     6
#define AUTOCSR_MAX_FIT_ROWS   64                                                 /* of a slice */
#define AUTOCSR_MAX_FIT_COLUMN (PETSC_MAX_INT - 4 * AUTOCSR_MAX_FIT_ROWS * 32767) /* so that no model overflows */

/* Entry t of the rows of a slice */
typedef struct {
  PetscInt base;
  int16_t  across, within;
#if defined(PETSC_USE_64BIT_INDICES)
  int32_t unused;
#endif
} AutoCSRFit;

/* A slice: where its residuals begin, in bytes divided by the height of slices; its period and the bytes of a residual */
typedef struct {
  PetscInt begin;
  uint16_t period, width;
#if defined(PETSC_USE_64BIT_INDICES)
  int32_t unused;
#endif
} AutoCSRSliceFit;

AUTOCSR_HD PetscInt AutoCSRFitOf(const AutoCSRFit *fit, int period, int j)
{
  return fit->base + (PetscInt)fit->across * (j / period) + (PetscInt)fit->within * (j % period);
}

/* A step from one column to another, if 16 bits hold it */
AUTOCSR_HD int16_t AutoCSRFitStep(PetscInt from, PetscInt to)
{
  const PetscInt step = to - from;

  return step >= -32767 && step <= 32767 ? (int16_t)step : 0;
}

/* The bytes that hold residuals up to `most`. (Columns are less than 2^32) */
AUTOCSR_HD int AutoCSRFitWidth(PetscInt most)
{
  if (most <= 0) return 0;
  return most < 256 ? 1 : most < 65536 ? 2
                                       : 4;
}

/*
  Fits entry t of h rows, which begin at begin[] and have length[] entries (those without entry t do not matter): steps as between the first that has it and its
  neighbours, or none if that leaves less. Returns the bytes of a residual
*/
AUTOCSR_HD int AutoCSRFitColumn(const PetscInt col[], const PetscInt begin[], const PetscInt length[], int h, PetscInt t, int period, AutoCSRFit *fit)
{
  AutoCSRFit model = {0}, constant = {0};
  PetscInt   least[2] = {0, 0}, most[2] = {0, 0};
  int        first = 0, some = 0, group, place;

  while (first < h && length[first] <= t) first++;
  *fit = constant;
  if (first == h) return 0;
  if (first + period < h && length[first + period] > t) model.across = AutoCSRFitStep(col[begin[first] + t], col[begin[first + period] + t]);
  if ((first + 1) % period && first + 1 < h && length[first + 1] > t) model.within = AutoCSRFitStep(col[begin[first] + t], col[begin[first + 1] + t]);
  group = first / period - 1;
  place = period - 1;
  for (int j = first / period * period; j < h; j++) { /* row j is the place-th of its group: counted, as divisions take long */
    PetscInt left[2];

    place = place + 1 < period ? place + 1 : 0;
    group += !place;
    if (j < first || length[j] <= t) continue;
    left[0] = col[begin[j] + t];
    left[1] = left[0] - ((PetscInt)model.across * group + (PetscInt)model.within * place);
    for (int i = 0; i < 2; i++) {
      if (!some || least[i] > left[i]) least[i] = left[i];
      if (!some || most[i] < left[i]) most[i] = left[i];
    }
    some = 1;
  }
  if (most[1] - least[1] <= most[0] - least[0]) {
    model.base = least[1];
    *fit       = model;
    return AutoCSRFitWidth(most[1] - least[1]);
  }
  fit->base = least[0];
  return AutoCSRFitWidth(most[0] - least[0]);
}

/* Fits all entries of a slice of h rows, of at most `width` entries, with the first period of those that leave least: returns the bytes of a residual */
AUTOCSR_HD int AutoCSRFitSlice(const PetscInt col[], const PetscInt begin[], const PetscInt length[], int h, PetscInt width, int *period)
{
  int least = 5;

  for (int p = 1; p <= AUTOCSR_MAX_PERIOD && least; p++) {
    int bytes = 0;

    for (PetscInt t = 0; t < width && bytes < least; t++) {
      AutoCSRFit fit;
      const int  of_column = AutoCSRFitColumn(col, begin, length, h, t, p, &fit);

      if (bytes < of_column) bytes = of_column;
    }
    if (bytes < least) {
      least   = bytes;
      *period = p;
    }
  }
  return least;
}

#endif
