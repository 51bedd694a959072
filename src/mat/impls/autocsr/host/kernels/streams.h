/*
  How a kernel reads entries: the codings of index and value (doc/design.md, The plan), each decided at compile time where
  a kernel is instantiated, for one entry or for LANES adjacent ones.

  Value coding `constant`: kernels multiply each entry by the constant, not the sum at the end. A sum of x may overflow
  where the sum of the products does not. A product in place then reads 4 bytes an entry instead of 12 (real double,
  32-bit columns), slices 2 or 4, column tiles 2 and a bit.
*/
#ifndef AUTOCSR_HOST_STREAMS_H
#define AUTOCSR_HOST_STREAMS_H

#include "simd.h"

/* HOST_GATHER, of who includes this: gathers of x by the processor's instruction (AVX-512, real scalars) */
#if defined(PETSC_USE_REAL_SINGLE)
  #define GATHER_32(lanes, index, x) (RealVector) _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), lanes, index, x, 4)
  #define GATHER_64(lanes, index, x) (RealVector) _mm512_mask_i64gather_ps(_mm256_setzero_ps(), lanes, index, x, 4)
#else
  #define GATHER_32(lanes, index, x) (RealVector) _mm512_mask_i32gather_pd(_mm512_setzero_pd(), lanes, index, x, 8)
  #define GATHER_64(lanes, index, x) (RealVector) _mm512_mask_i64gather_pd(_mm512_setzero_pd(), lanes, index, x, 8)
#endif

#if defined(HOST_GATHER)
/*
  The mask of a gather into a register of zeros. Lanes that a mask leaves out stay, so that a gather waits for what its register was, which mostly is the gather before it; a compiler
  that knows of no such lanes lets it wait
*/
KERNEL __mmask8 AllLanes(void)
{
  __mmask8 all = 0xff;

  __asm__(""
          : "+Yk"(all));
  return all;
}
#endif

/* A value coding of the kernels' own: a dictionary of which no more than MOST_FEW are used, in registers */
#if SIMD_BYTES == 64 && defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_COMPLEX)
  #define MOST_FEW  (2 * LANES)
  #define VALUE_FEW ((AutoCSRValue)(AUTOCSR_VALUE_CONSTANT + 1))

/* The values ascend by their bits, zeros follow them: only the first can be zero */
KERNEL PetscBool DictionaryIsFew(const PetscScalar *dictionary)
{
  return (PetscBool) !((const LaneInt *)dictionary)[MOST_FEW];
}
#endif

/* Where entry q of a segment is found: index and value codes at position q */
typedef struct {
  const void        *index, *value;
  const PetscScalar *dictionary;
  PetscScalar        constant; /* of all entries */
} Entries;

KERNEL size_t IndexSize(AutoCSRIndex index)
{
  return index == AUTOCSR_INDEX_CSR ? sizeof(PetscInt) : index == AUTOCSR_INDEX_32 ? sizeof(uint32_t)
                                                                                   : sizeof(uint16_t);
}

KERNEL size_t ValueSize(AutoCSRValue value)
{
  switch ((int)value) { /* VALUE_FEW is not of the enum */
  case AUTOCSR_VALUE_CSR:
  case AUTOCSR_VALUE_COPY:
  case AUTOCSR_VALUE_PATTERN:
    return sizeof(PetscScalar);
  case AUTOCSR_VALUE_FLOAT32:
    return sizeof(PetscScalar) / sizeof(PetscReal) * sizeof(float);
  case AUTOCSR_VALUE_CONSTANT:
    return 0;
  default:
    return sizeof(uint8_t);
  }
}

/* The entries from q on; a pattern's offsets belong to the row, not to its place */
KERNEL Entries EntriesFrom(Entries e, AutoCSRIndex index, AutoCSRValue value, size_t q)
{
  if (index != AUTOCSR_INDEX_PATTERN) e.index = (const char *)e.index + q * IndexSize(index);
  if (value != AUTOCSR_VALUE_CONSTANT) e.value = (const char *)e.value + q * ValueSize(value);
  return e;
}

#define AHEAD      4096  /* bytes between what is read and what is prefetched */
#define AHEAD_FAR  12288 /* the same where it goes to the second-level cache, which has room */
#define SHORT_ROWS 16    /* mean length of rows from which on entries are prefetched side by side, not by the row */

/* The mean length of short rows, whose streams are prefetched by the row; 0 where rows are long */
KERNEL PetscInt PrefetchReach(const AutoCSRSegment *seg)
{
  return seg->nnz / SHORT_ROWS < seg->n_rows ? seg->nnz / PetscMax(1, seg->n_rows) + 1 : 0;
}

KERNEL void EntriesPrefetch(Entries e, AutoCSRIndex index, AutoCSRValue value)
{
  if (index != AUTOCSR_INDEX_PATTERN) __builtin_prefetch((const char *)e.index + AHEAD);
  if (value != AUTOCSR_VALUE_CONSTANT) __builtin_prefetch((const char *)e.value + AHEAD);
}

/*
  The same into the second-level cache. For slices and tiles: their many gathers want the first one's places for lines on the way. For diagonals and blocks whose rows are gone through more than once: the first does not hold all of them at once. Rows in
  place want their entries in the first. Half as far ahead for codes: half as large
*/
KERNEL void EntriesPrefetchFar(Entries e, AutoCSRIndex index, AutoCSRValue value)
{
  if (index != AUTOCSR_INDEX_PATTERN) __builtin_prefetch((const char *)e.index + AHEAD_FAR / 2, 0, 2);
  if (value != AUTOCSR_VALUE_CONSTANT) __builtin_prefetch((const char *)e.value + AHEAD_FAR, 0, 2);
}

typedef enum {
  PREFETCH_NONE,
  PREFETCH_NEAR, /* into the first-level cache */
  PREFETCH_FAR
} Prefetch;

KERNEL void EntriesPrefetchAs(Prefetch prefetch, Entries e, AutoCSRIndex index, AutoCSRValue value)
{
  if (prefetch == PREFETCH_NEAR) EntriesPrefetch(e, index, value);
  if (prefetch == PREFETCH_FAR) EntriesPrefetchFar(e, index, value);
}

/* Arrays in place are taken from the segment's first row on, so that q counts alike for them and for own streams */
KERNEL Entries EntriesOfSegment(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, AutoCSRIndex index, AutoCSRValue value)
{
  const size_t first = seg->axes.order == AUTOCSR_ORDER_CSR ? csr->row_ptr[seg->row_begin] : 0;
  Entries      e;

  e.index      = index == AUTOCSR_INDEX_CSR ? csr->col + first : seg->stream[AUTOCSR_STREAM_INDEX].data;
  e.value      = value == AUTOCSR_VALUE_CSR ? csr->val + first : seg->stream[value == AUTOCSR_VALUE_PATTERN ? AUTOCSR_STREAM_PATTERN_VALUE : AUTOCSR_STREAM_VALUE].data;
  e.dictionary = (const PetscScalar *)seg->stream[AUTOCSR_STREAM_DICTIONARY].data;
  e.constant   = value == AUTOCSR_VALUE_CONSTANT ? e.dictionary[0] : 0;
  return e;
}

/* Column minus what x was advanced by */
KERNEL size_t EntryColumn(Entries e, AutoCSRIndex index, size_t q)
{
  switch (index) {
  case AUTOCSR_INDEX_32:
    return ((const uint32_t *)e.index)[q];
  case AUTOCSR_INDEX_16:
    return ((const uint16_t *)e.index)[q];
  default: /* offsets of a pattern may be negative */
    return (size_t)((const PetscInt *)e.index)[q];
  }
}

KERNEL PetscScalar EntryValue(Entries e, AutoCSRValue value, size_t q)
{
  switch ((int)value) { /* VALUE_FEW is not of the enum */
#if defined(VALUE_FEW)
  case VALUE_FEW:
#endif
  case AUTOCSR_VALUE_DICTIONARY:
    return e.dictionary[((const uint8_t *)e.value)[q]];
  case AUTOCSR_VALUE_CONSTANT:
    return e.constant;
  case AUTOCSR_VALUE_FLOAT32:
#if defined(PETSC_USE_COMPLEX)
    return ScalarMake(((const float *)e.value)[2 * q], ((const float *)e.value)[2 * q + 1]);
#else
    return ((const float *)e.value)[q];
#endif
  default:
    return ((const PetscScalar *)e.value)[q];
  }
}

KERNEL Vector EntryValues(Entries e, AutoCSRValue value, size_t q)
{
  Vector v;

  switch ((int)value) { /* VALUE_FEW is not of the enum */
#if defined(VALUE_FEW)
  case VALUE_FEW:
    v.re = _mm512_permutex2var_pd(_mm512_loadu_pd(e.dictionary), _mm512_cvtepu8_epi64(_mm_loadu_si64((const uint8_t *)e.value + q)), _mm512_loadu_pd(e.dictionary + LANES));
    return v;
#endif
  case AUTOCSR_VALUE_DICTIONARY:
#define ONE_VALUE(l) EntryValue(e, AUTOCSR_VALUE_DICTIONARY, q + (l))
    VECTOR_OF(v, ONE_VALUE);
#undef ONE_VALUE
    return v;
  case AUTOCSR_VALUE_CONSTANT:
    return VectorOfOne(e.constant);
  case AUTOCSR_VALUE_FLOAT32:
    return VectorLoadFloat((const float *)e.value + q * (ValueSize(AUTOCSR_VALUE_FLOAT32) / sizeof(float)));
  default:
    return VectorLoad((const PetscScalar *)e.value + q);
  }
}

/* x at the columns of LANES adjacent entries, each by a load of its own */
KERNEL Vector EntryLoads(Entries e, AutoCSRIndex index, size_t q, const PetscScalar *x)
{
  Vector v;
#define ONE_X(l) x[EntryColumn(e, index, q + (l))]
  VECTOR_OF(v, ONE_X);
#undef ONE_X
  return v;
}

#if defined(HOST_GATHER)
/* The same by one instruction, zeros in the other lanes. Codes of 16 bits are no larger than those of 32 that are made of them; those of 32 may be past the range of int only where PetscInt has 64 */
KERNEL Vector EntryGatherLanes(__mmask8 lanes, Entries e, AutoCSRIndex index, size_t q, const PetscScalar *x)
{
  const uint16_t *code = (const uint16_t *)e.index + q;
  const uint32_t *wide = (const uint32_t *)e.index + q;
  const PetscInt *col  = (const PetscInt *)e.index + q;

  if (index == AUTOCSR_INDEX_16) return (Vector){.re = GATHER_32(lanes, _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)code)), x)};
  #if defined(PETSC_USE_64BIT_INDICES)
  return (Vector){.re = GATHER_64(lanes, index == AUTOCSR_INDEX_32 ? _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)wide)) : _mm512_loadu_si512(col), x)};
  #else
  return (Vector){.re = GATHER_32(lanes, _mm256_loadu_si256(index == AUTOCSR_INDEX_32 ? (const __m256i *)wide : (const __m256i *)col), x)};
  #endif
}
#endif

/* Which is faster is the processor's (gather.c) */
KERNEL Vector EntryGather(Entries e, AutoCSRIndex index, size_t q, const PetscScalar *x)
{
#if defined(HOST_GATHER)
  return EntryGatherLanes(AllLanes(), e, index, q, x);
#else
  return EntryLoads(e, index, q, x);
#endif
}

/* The same, of lanes whose row is longer than t; 0 in others: what is not finite there must not meet a padded value, which -fp_trap would tell */
KERNEL Vector EntryGatherLonger(LaneMask length, LaneInt t, Entries e, AutoCSRIndex index, size_t q, const PetscScalar *x)
{
#if defined(HOST_GATHER) && defined(HAS_LANES_LONGER)
  return EntryGatherLanes(LanesLonger(length, t), e, index, q, x);
#else
  return VectorSelectLonger(length, t, EntryGather(e, index, q, x), VectorZero());
#endif
}

/* And their values. What slices pad with is 0 in a copy; the first of a dictionary, and a constant, may not be finite */
KERNEL Vector EntryValuesLonger(LaneMask length, LaneInt t, Entries e, AutoCSRValue value, size_t q)
{
  const Vector v = EntryValues(e, value, q);

  return value == AUTOCSR_VALUE_DICTIONARY || value == AUTOCSR_VALUE_CONSTANT ? VectorSelectLonger(length, t, v, VectorZero()) : v;
}

KERNEL PetscScalar ScalarConjugateIf(PetscScalar a, PetscBool conjugate)
{
  return conjugate ? PetscConj(a) : a;
}

KERNEL Vector VectorConjugateIf(Vector v, PetscBool conjugate)
{
#if defined(PETSC_USE_COMPLEX)
  if (conjugate) v.im = -v.im;
#endif
  return v;
}

KERNEL PetscScalar AddendOf(const AutoCSROperands *op, PetscInt row)
{
  return op->z ? op->z[row] : (PetscScalar)0;
}

#endif
