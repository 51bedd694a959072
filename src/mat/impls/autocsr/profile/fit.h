/*
  Columns of a slice by a model. Entry t of row j of a slice has the column

    base + across * (j / period) + within * (j % period) + residual

  The linear (period 1), step (within 0), periodic (across 0) and constant models (both 0: offsets) of du2022-alphasparse,
  V-D, are cases of it, and so are rows in dense blocks. The slice has one period, each t its own base and steps. Residuals
  take as many bytes as the whole slice needs, possibly none. In the common subset of C and CUDA.
*/
#ifndef AUTOCSR_FIT_H
#define AUTOCSR_FIT_H

#include "../autocsr.h"

#define AUTOCSR_MAX_PERIOD     6
#define AUTOCSR_MAX_FIT_ROWS   64                                                 /* most rows of a slice */
#define AUTOCSR_MAX_FIT_COLUMN (PETSC_MAX_INT - 4 * AUTOCSR_MAX_FIT_ROWS * 32767) /* most columns, so that no model overflows */

/* The model for entry t of the rows of a slice */
typedef struct {
  PetscInt base;
  int16_t  across, within;
#if defined(PETSC_USE_64BIT_INDICES)
  int32_t unused;
#endif
} AutoCSRFit;

/* A slice. begin: where its residuals begin, in bytes divided by the slice height. width: bytes of a residual */
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

/* The step from one column to another, 0 if 16 bits do not hold it */
AUTOCSR_HD int16_t AutoCSRFitStep(PetscInt from, PetscInt to)
{
  const PetscInt step = to - from;

  return step >= -32767 && step <= 32767 ? (int16_t)step : 0;
}

/* The bytes of residuals up to `most`; columns are below 2^32 */
AUTOCSR_HD int AutoCSRFitWidth(PetscInt most)
{
  if (most <= 0) return 0;
  return most < 256 ? 1 : most < 65536 ? 2
                                       : 4;
}

/*
  Fits entry t of h rows, which begin at begin[] and have length[] entries; rows without entry t do not matter. The steps
  lead from the first row with entry t to its neighbours; there are none if that leaves smaller residuals. Returns the bytes
  of a residual
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
  for (int j = first / period * period; j < h; j++) { /* row j is the place-th of its group: counted, because divisions take long */
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

/*
  Fits all entries of a slice of h rows with at most `width` entries. *period is the first period with the smallest
  residuals; returns their bytes
*/
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
