/*
  Order bundled: neighbouring rows store each of their columns once, for products with dense matrices. A row of B is then
  loaded once for all rows of a bundle that need it. Each function works on one bundle, in the common subset of C and CUDA.

  A bundle has slice_height rows, the last one fewer. Its units are its columns, each with a mask of the rows that have it.

    SLICE_PTR  the first unit of each bundle; bundles + 1
    INDEX      the column of each unit
    MASK       of each unit; bit r is set if row r of the bundle has the column
    VALUE      by bundle, in it by unit, in a unit by row

  The values of a bundle begin where its entries do in the CSR, counted from the segment's first entry. Units are made by
  merging the rows: the smallest of their next columns comes first. So the t-th entry of a row lies in the t-th unit that
  has the row. Rows whose columns do not ascend share fewer units; all else holds for them, too.
*/
#ifndef AUTOCSR_LAYOUT_BUNDLED_H
#define AUTOCSR_LAYOUT_BUNDLED_H

#include "codes.h"

#define AUTOCSR_BUNDLE_MOST 8 /* rows of a bundle at most: the bits of a mask */

/* The entries of each row of a bundle that are still to come, as places of the CSR */
typedef struct {
  PetscInt next[AUTOCSR_BUNDLE_MOST], end[AUTOCSR_BUNDLE_MOST];
} AutoCSRBundle;

AUTOCSR_HD PetscInt AutoCSRBundles(const AutoCSRSegment *seg)
{
  return seg->n_rows / seg->axes.slice_height + (seg->n_rows % seg->axes.slice_height != 0);
}

AUTOCSR_HD AutoCSRBundle AutoCSRBundleBegin(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt bundle)
{
  AutoCSRBundle b;

  for (PetscInt r = 0; r < AUTOCSR_BUNDLE_MOST; r++) {
    const PetscInt k = bundle * seg->axes.slice_height + r;

    b.next[r] = b.end[r] = 0;
    if (r >= seg->axes.slice_height || k >= seg->n_rows) continue;
    b.next[r] = csr->row_ptr[seg->row_begin + k];
    b.end[r]  = csr->row_ptr[seg->row_begin + k + 1];
  }
  return b;
}

/* Takes the next unit: returns its mask and sets its column. 0: there is none */
AUTOCSR_HD unsigned AutoCSRBundleNext(const AutoCSRMatrix *csr, AutoCSRBundle *b, PetscInt *column)
{
  unsigned mask = 0;

  *column = 0;
  for (int r = 0; r < AUTOCSR_BUNDLE_MOST; r++) {
    const PetscInt c = b->next[r] < b->end[r] ? csr->col[b->next[r]] : 0;

    if (b->next[r] >= b->end[r]) continue;
    if (!mask || c < *column) {
      *column = c;
      mask    = 0;
    }
    if (c == *column) mask |= 1u << r;
  }
  for (int r = 0; r < AUTOCSR_BUNDLE_MOST; r++) b->next[r] += mask >> r & 1;
  return mask;
}

AUTOCSR_HD PetscInt AutoCSRBundleCountUnits(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt bundle)
{
  AutoCSRBundle b     = AutoCSRBundleBegin(seg, csr, bundle);
  PetscInt      units = 0, column;

  while (AutoCSRBundleNext(csr, &b, &column)) units++;
  return units;
}

/* INDEX and MASK, once SLICE_PTR is there */
AUTOCSR_HD void AutoCSREncodeBundle(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt bundle)
{
  AutoCSRBundle b    = AutoCSRBundleBegin(seg, csr, bundle);
  PetscInt      unit = ((const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data)[bundle], column;

  for (unsigned mask; (mask = AutoCSRBundleNext(csr, &b, &column)) != 0; unit++) {
    ((uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[unit] = (uint32_t)column;
    ((uint8_t *)seg->stream[AUTOCSR_STREAM_MASK].data)[unit]   = (uint8_t)mask;
  }
}

/* The first place of a bundle in VALUE */
AUTOCSR_HD PetscInt AutoCSRBundlePlace(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt bundle)
{
  return csr->row_ptr[seg->row_begin + bundle * seg->axes.slice_height] - csr->row_ptr[seg->row_begin];
}

/* VALUE, once all other streams are there */
AUTOCSR_HD void AutoCSREncodeBundleValues(AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRDictionary *dictionary, PetscInt bundle)
{
  const PetscInt *ptr   = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data + bundle;
  const uint8_t  *mask  = (const uint8_t *)seg->stream[AUTOCSR_STREAM_MASK].data;
  AutoCSRBundle   b     = AutoCSRBundleBegin(seg, csr, bundle);
  PetscInt        place = AutoCSRBundlePlace(seg, csr, bundle);

  for (PetscInt unit = ptr[0]; unit < ptr[1]; unit++) {
    for (int r = 0; r < AUTOCSR_BUNDLE_MOST; r++) {
      if (mask[unit] >> r & 1) AutoCSREncodeValue(seg, seg->axes.value, dictionary, &csr->val[b.next[r]++], place++);
    }
  }
}

#endif
