/*
  Order bundled: neighbouring rows store each of their columns once, for products with dense matrices: a row of B is loaded
  once for all rows of a bundle that need it. Each function works on one bundle, in the common subset of C and CUDA.

  A bundle has slice_height rows, the last one fewer. Its units are its columns, each with a mask of the rows that have it.
  They are made by merging the rows: the smallest of their next columns comes first. So the t-th entry of a row lies in the
  t-th unit that has the row, and values stay where they are in the CSR. Rows whose columns do not ascend share fewer units;
  all else holds for them, too. The units of a bundle are filled up to a multiple of AUTOCSR_BUNDLE_STEP by units of no row.

    SLICE_PTR    the first unit of each bundle; bundles + 1
    INDEX        the column of each unit; where no row has the unit, one that the bundle has
    MASK         of each unit; bit r is set if row r of the bundle has the column
    BUNDLE_PART  bundles in parts of tile_steps units, more if there were too many parts; parts + 1
*/
#ifndef AUTOCSR_LAYOUT_BUNDLED_H
#define AUTOCSR_LAYOUT_BUNDLED_H

#include "segment.h"

#define AUTOCSR_BUNDLE_ROWS  8   /* rows of a bundle at most: the bits of a mask, and the rows of a tile of a device's tensor cores */
#define AUTOCSR_BUNDLE_STEP  8   /* units that a kernel takes at once */
#define AUTOCSR_BUNDLE_PART  256 /* tile_steps of plans: units of a part. Parts of 64 took dense2k 1.5 times as long (doc/lab/dense.md) */
#define AUTOCSR_BUNDLE_PARTS 64   /* parts of a bundle at most, since one warp adds up what they find */

/* A part: its bundle and its first unit; it is number `number` of `count`. next: for each row of the bundle the CSR's place of its first entry in the part */
typedef struct {
  PetscInt bundle, unit, number, count, next[AUTOCSR_BUNDLE_ROWS];
} AutoCSRBundlePart;

/* The entries of each row of a bundle that are still to come, as places of the CSR, and the column of the first of them */
typedef struct {
  PetscInt next[AUTOCSR_BUNDLE_ROWS], end[AUTOCSR_BUNDLE_ROWS], column[AUTOCSR_BUNDLE_ROWS];
} AutoCSRBundle;

AUTOCSR_HD PetscInt AutoCSRBundles(const AutoCSRSegment *seg)
{
  return seg->n_rows / seg->axes.slice_height + (seg->n_rows % seg->axes.slice_height != 0);
}

AUTOCSR_HD AutoCSRBundle AutoCSRBundleBegin(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt bundle)
{
  AutoCSRBundle b;

  for (PetscInt r = 0; r < AUTOCSR_BUNDLE_ROWS; r++) {
    const PetscInt k = bundle * seg->axes.slice_height + r;

    b.next[r] = b.end[r] = b.column[r] = 0;
    if (r >= seg->axes.slice_height || k >= seg->n_rows) continue;
    b.next[r] = csr->row_ptr[seg->row_begin + k];
    b.end[r]  = csr->row_ptr[seg->row_begin + k + 1];
    if (b.next[r] < b.end[r]) b.column[r] = csr->col[b.next[r]];
  }
  return b;
}

/* Takes the next unit: returns its mask and sets its column. 0: there is none, and the column stays */
AUTOCSR_HD unsigned AutoCSRBundleNext(const AutoCSRMatrix *csr, AutoCSRBundle *b, PetscInt *column)
{
  unsigned mask = 0;

  for (int r = 0; r < AUTOCSR_BUNDLE_ROWS; r++) {
    if (b->next[r] >= b->end[r]) continue;
    if (!mask || b->column[r] < *column) {
      *column = b->column[r];
      mask    = 0;
    }
    if (b->column[r] == *column) mask |= 1u << r;
  }
  for (int r = 0; r < AUTOCSR_BUNDLE_ROWS; r++) {
    if (!(mask >> r & 1)) continue;
    b->next[r]++;
    if (b->next[r] < b->end[r]) b->column[r] = csr->col[b->next[r]];
  }
  return mask;
}

/* The first of the entries [begin, end) of a row, of ascending columns, whose column is `least` or more; end: none is */
AUTOCSR_HD PetscInt AutoCSRBundleFind(const AutoCSRMatrix *csr, PetscInt begin, PetscInt end, PetscInt least)
{
  while (begin < end) {
    const PetscInt middle = begin + (end - begin) / 2;

    if (csr->col[middle] < least)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* Takes the entries out of `b` whose columns are not in [from, to). `b` is as AutoCSRBundleBegin() returns it, and its rows ascend */
AUTOCSR_HD void AutoCSRBundleCut(const AutoCSRMatrix *csr, PetscInt from, PetscInt to, AutoCSRBundle *b)
{
  for (int r = 0; r < AUTOCSR_BUNDLE_ROWS; r++) {
    b->next[r] = AutoCSRBundleFind(csr, b->next[r], b->end[r], from);
    b->end[r]  = AutoCSRBundleFind(csr, b->next[r], b->end[r], to);
    if (b->next[r] < b->end[r]) b->column[r] = csr->col[b->next[r]];
  }
}

/* The units that are still to come */
AUTOCSR_HD PetscInt AutoCSRBundleCount(const AutoCSRMatrix *csr, AutoCSRBundle b)
{
  PetscInt units = 0, column;

  while (AutoCSRBundleNext(csr, &b, &column)) units++;
  return units;
}

/* How many units a bundle has that is made of so many columns: some fill it up */
AUTOCSR_HD PetscInt AutoCSRBundleFill(PetscInt units)
{
  return (units + AUTOCSR_BUNDLE_STEP - 1) / AUTOCSR_BUNDLE_STEP * AUTOCSR_BUNDLE_STEP;
}

/* Units of each part of a bundle with so many, but of the last, which may have fewer */
AUTOCSR_HD PetscInt AutoCSRBundlePartUnits(const AutoCSRSegment *seg, PetscInt units)
{
  const PetscInt least = (units / AUTOCSR_BUNDLE_STEP + AUTOCSR_BUNDLE_PARTS - 1) / AUTOCSR_BUNDLE_PARTS * AUTOCSR_BUNDLE_STEP;

  return least > seg->axes.tile_steps ? least : seg->axes.tile_steps;
}

/* One at least: a bundle without entries has results, too */
AUTOCSR_HD PetscInt AutoCSRBundleCountParts(const AutoCSRSegment *seg, PetscInt units)
{
  const PetscInt each = AutoCSRBundlePartUnits(seg, units);

  return units > each ? (units + each - 1) / each : 1;
}

/* The part that is part `number` of a bundle with so many units, of which `begin` is the first, when the entries of `b` are still to come */
AUTOCSR_HD AutoCSRBundlePart AutoCSRBundleMakePart(const AutoCSRSegment *seg, const AutoCSRBundle *b, PetscInt bundle, PetscInt begin, PetscInt units, PetscInt number)
{
  AutoCSRBundlePart part;

  part.bundle = bundle;
  part.unit   = begin + number * AutoCSRBundlePartUnits(seg, units);
  part.number = number;
  part.count  = AutoCSRBundleCountParts(seg, units);
  for (int r = 0; r < AUTOCSR_BUNDLE_ROWS; r++) part.next[r] = b->next[r];
  return part;
}

/*
  Units [from, to) of a bundle of which the entries of `b` are still to come: INDEX, MASK and, from part `first` on, the parts of BUNDLE_PART
  that begin there, once SLICE_PTR is there. Units past the last entry's fill the bundle up
*/
AUTOCSR_HD void AutoCSREncodeUnits(AutoCSRSegment *seg, const AutoCSRMatrix *csr, PetscInt bundle, PetscInt first, PetscInt from, PetscInt to, AutoCSRBundle b)
{
  const PetscInt    *ptr   = (const PetscInt *)seg->stream[AUTOCSR_STREAM_SLICE_PTR].data + bundle;
  const PetscInt     units = ptr[1] - ptr[0], each = AutoCSRBundlePartUnits(seg, units);
  AutoCSRBundlePart *part = (AutoCSRBundlePart *)seg->stream[AUTOCSR_STREAM_BUNDLE_PART].data + first;
  PetscInt           column = 0, number = from / each + (from % each != 0);

  if (units == 0) part[0] = AutoCSRBundleMakePart(seg, &b, bundle, ptr[0], units, 0);
  for (PetscInt u = from; u < to; u++) {
    if (u == number * each) {
      part[number] = AutoCSRBundleMakePart(seg, &b, bundle, ptr[0], units, number);
      number++;
    }
    ((uint8_t *)seg->stream[AUTOCSR_STREAM_MASK].data)[ptr[0] + u]   = (uint8_t)AutoCSRBundleNext(csr, &b, &column);
    ((uint32_t *)seg->stream[AUTOCSR_STREAM_INDEX].data)[ptr[0] + u] = (uint32_t)column;
  }
}

/* What BUNDLE_PART ends with, as far as kernels read it */
AUTOCSR_HD AutoCSRBundlePart AutoCSRBundleEnd(const AutoCSRSegment *seg, PetscInt units)
{
  AutoCSRBundlePart part;

  part.bundle = seg->n_slices;
  part.unit   = units;
  part.number = part.count = 0;
  for (int r = 0; r < AUTOCSR_BUNDLE_ROWS; r++) part.next[r] = 0;
  return part;
}

AUTOCSR_HD PetscInt AutoCSRBundleParts(const AutoCSRSegment *seg)
{
  const size_t parts = seg->stream[AUTOCSR_STREAM_BUNDLE_PART].bytes / sizeof(AutoCSRBundlePart);

  return parts ? (PetscInt)parts - 1 : 0;
}

/*
  Bundles with several parts keep a sum for each: part `index` of all has the place that this returns, the parts of a bundle
  lie side by side, and there are AutoCSRBundleShares() places. A bundle of c parts, of two or more, takes c of 2 (c - 1)
*/
AUTOCSR_HD PetscInt AutoCSRBundleShare(const AutoCSRBundlePart *part, PetscInt index)
{
  return 2 * (index - part->number - part->bundle) + part->number;
}

AUTOCSR_HD PetscInt AutoCSRBundleShares(const AutoCSRSegment *seg)
{
  return 2 * (AutoCSRBundleParts(seg) - seg->n_slices);
}

#endif
