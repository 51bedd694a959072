/*
  Codes of columns and values, as several layouts store them. What kernels call, too, is in the common subset of C and CUDA:
  a loop runs it on the host, a kernel on a device, and the bits are the same.
*/
#ifndef AUTOCSR_CODES_H
#define AUTOCSR_CODES_H

#include "segment.h"
#include "../profile/dictionary.h"

/* The column code of padding */
AUTOCSR_HD uint32_t AutoCSREncodePadding(const AutoCSRAxes *axes)
{
  return axes->mapping == AUTOCSR_MAP_VENDOR ? 0xffffffffu : 0;
}

/* Writes the code of a value at position q of VALUE */
AUTOCSR_HD void AutoCSREncodeValue(AutoCSRSegment *seg, AutoCSRValue coding, const AutoCSRDictionary *dictionary, const PetscScalar *v, PetscInt q)
{
  void *value = seg->stream[AUTOCSR_STREAM_VALUE].data;

  if (coding == AUTOCSR_VALUE_COPY)
    ((PetscScalar *)value)[q] = *v;
  else if (coding == AUTOCSR_VALUE_DICTIONARY) {
    unsigned slot;

    ((uint8_t *)value)[q] = (uint8_t)AutoCSRDictionaryFind(dictionary, v, &slot);
  } else if (coding == AUTOCSR_VALUE_FLOAT32)
    (void)AutoCSRFloatsFromScalar(v, ((float(*)[AUTOCSR_REALS])value)[q]);
}

/* layout/codes.c: makes BASE of all slices */
PETSC_INTERN PetscErrorCode AutoCSREncodeBases(AutoCSRSegment *, const AutoCSRMatrix *);
/* Makes BASE of all shares of entries of a contiguous segment in the CSR's order */
PETSC_INTERN PetscErrorCode AutoCSREncodeShareBases(AutoCSRSegment *, const AutoCSRMatrix *);
/* The column by the code at position q of INDEX, 32 bits or 16 from the BASE of the k-th row or of the entry's share */
PETSC_INTERN PetscInt AutoCSRDecodeIndex(const AutoCSRSegment *, PetscInt k, PetscInt q);
/* refresh and slot of layouts whose values lie as in the CSR */
PETSC_INTERN PetscErrorCode AutoCSREncodeValuesInOrder(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRDictionary *);
PETSC_INTERN PetscInt       AutoCSRSlotInOrder(const AutoCSRSegment *, const AutoCSRMatrix *, PetscInt k, PetscInt t);
/* Counts BASE, INDEX and VALUE of a segment with so many slots, as `count` of layout.h */
PETSC_INTERN PetscErrorCode AutoCSRCountCodes(const AutoCSRSegment *, PetscInt i, PetscInt slots, PetscInt64 count[]);

#endif
