/*
  Row patterns, for encoders and kernels. In the common subset of C and CUDA. Layouts pattern, sliced and diagonal have them,
  where their index coding is PATTERN: entry t of the k-th row has the column

    row + PATTERN_OFFSET[PATTERN_PTR[PATTERN_ID[k]] + t]
*/
#ifndef AUTOCSR_PATTERN_H
#define AUTOCSR_PATTERN_H

#include "segment.h"
#include "roots.h"
#include "../profile/dictionary.h"

/* A mask of the entries of pattern q that make pattern p; 0: p is no part of q. Both have 32 entries at most */
AUTOCSR_HD uint32_t AutoCSRPatternPart(const AutoCSRSegment *seg, PetscInt p, PetscInt q)
{
  const PetscInt    *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data, *offset = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_OFFSET].data;
  const PetscScalar *value = (const PetscScalar *)seg->stream[AUTOCSR_STREAM_PATTERN_VALUE].data;
  PetscInt           i     = ptr[p];
  uint32_t           mask  = 0;

  for (PetscInt j = ptr[q]; j < ptr[q + 1] && i < ptr[p + 1]; j++) {
    if (offset[j] != offset[i]) continue;
    if (value && !AutoCSRBitsEqual(AutoCSRBitsOf(&value[j]), AutoCSRBitsOf(&value[i]))) return 0;
    mask |= (uint32_t)1 << (j - ptr[q]);
    i++;
  }
  return i < ptr[p + 1] ? 0 : mask;
}

/* The first of the longest patterns of which p is a part, among p itself and every `step`-th pattern from `first` on */
AUTOCSR_HD AutoCSRPatternRoot AutoCSRPatternRootAmong(const AutoCSRSegment *seg, PetscInt p, PetscInt first, PetscInt step)
{
  const PetscInt    *ptr = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_PTR].data;
  const PetscInt     own = ptr[p + 1] - ptr[p], most = seg->axes.mapping == AUTOCSR_MAP_PLANES ? AUTOCSR_PLANES_ENTRIES : 32;
  AutoCSRPatternRoot root = {own < 32 ? ((uint32_t)1 << own) - 1 : 0xffffffffu, (int32_t)ptr[p], (int32_t)own, (int32_t)ptr[p]};

  for (PetscInt q = first; q < seg->n_patterns && own && own < 32; q += step) {
    const PetscInt length = ptr[q + 1] - ptr[q];
    uint32_t       mask;

    if (length > most || length <= root.length) continue;
    mask = AutoCSRPatternPart(seg, p, q);
    if (!mask) continue;
    root.mask   = mask;
    root.begin  = (int32_t)ptr[q];
    root.length = (int32_t)length;
  }
  return root;
}

/* layout/pattern.c. Encode: makes all streams of patterns but the codes of values and, if patterns tell the values, roots */
PETSC_INTERN PetscErrorCode AutoCSRPatternsEncode(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *);
/* column, count and check of the layouts with patterns */
PETSC_INTERN PetscInt       AutoCSRPatternColumn(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt k, PetscInt t);
PETSC_INTERN PetscErrorCode AutoCSRPatternsCount(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i, PetscInt64 count[]);
PETSC_INTERN PetscErrorCode AutoCSRPatternsCheck(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt i);

#endif
