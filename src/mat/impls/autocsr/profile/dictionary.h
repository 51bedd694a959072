/*
  Values compared by their bits, so that NaN payloads and -0.0 count, and a dictionary of at most AUTOCSR_MAX_DISTINCT of
  them with a hash index. In the common subset of C and CUDA.
*/
#ifndef AUTOCSR_DICTIONARY_H
#define AUTOCSR_DICTIONARY_H

#include "profile.h"
#include <stdalign.h>
#include <string.h>

#if defined(PETSC_USE_REAL_DOUBLE)
typedef uint64_t AutoCSRBits;
#elif defined(PETSC_USE_REAL_SINGLE)
typedef uint32_t AutoCSRBits;
#else
  #error "MATAUTOCSR needs a PETSc in single or double precision"
#endif
#define AUTOCSR_REALS ((int)(sizeof(PetscScalar) / sizeof(PetscReal))) /* 2 if complex */

#define AUTOCSR_DICTIONARY_SLOTS 1024 /* a power of two, 4 for each value: probes are short */

typedef struct {
  AutoCSRBits part[sizeof(PetscScalar) / sizeof(PetscReal)];
} AutoCSRScalarBits;

/* CUDA aligns a complex number to its size, C does not */
typedef struct {
  PetscInt n; /* values held; AUTOCSR_MAX_DISTINCT + 1: more were seen */
  alignas(sizeof(PetscScalar)) PetscScalar value[AUTOCSR_MAX_DISTINCT];
  uint16_t slot[AUTOCSR_DICTIONARY_SLOTS]; /* code + 1; 0: free */
} AutoCSRDictionary;

AUTOCSR_HD AutoCSRScalarBits AutoCSRBitsOf(const PetscScalar *v)
{
  AutoCSRScalarBits bits;

  memcpy(&bits, v, sizeof(bits));
  return bits;
}

AUTOCSR_HD int AutoCSRBitsEqual(AutoCSRScalarBits a, AutoCSRScalarBits b)
{
  int equal = 1;

  for (int i = 0; i < AUTOCSR_REALS; i++) equal &= a.part[i] == b.part[i];
  return equal;
}

/* The order of the dictionary's values */
AUTOCSR_HD int AutoCSRBitsLess(AutoCSRScalarBits a, AutoCSRScalarBits b)
{
  for (int i = 0; i < AUTOCSR_REALS; i++) {
    if (a.part[i] != b.part[i]) return a.part[i] < b.part[i];
  }
  return 0;
}

AUTOCSR_HD unsigned AutoCSRBitsHash(AutoCSRScalarBits a)
{
  uint64_t h = 0;

  for (int i = 0; i < AUTOCSR_REALS; i++) {
    h ^= a.part[i];
    h ^= h >> 32; /* else a sign would change the highest bit alone */
    h *= 0x9E3779B97F4A7C15ull;
  }
  return (unsigned)(h >> 48) & (AUTOCSR_DICTIONARY_SLOTS - 1);
}

/* The code of a value, -1 if the dictionary lacks it; *slot is its slot, or the free slot for it */
AUTOCSR_HD int AutoCSRDictionaryFind(const AutoCSRDictionary *d, const PetscScalar *v, unsigned *slot)
{
  const AutoCSRScalarBits bits = AutoCSRBitsOf(v);
  unsigned                s    = AutoCSRBitsHash(bits);

  while (d->slot[s] && !AutoCSRBitsEqual(AutoCSRBitsOf(&d->value[d->slot[s] - 1]), bits)) s = (s + 1) & (AUTOCSR_DICTIONARY_SLOTS - 1);
  *slot = s;
  return (int)d->slot[s] - 1;
}

/*
  Writes v as AUTOCSR_REALS floats; returns whether they are v to the bit. It converts part by part, because GCC 12
  vectorizes the conversion of an array to float and back into no conversion at all.
*/
AUTOCSR_HD int AutoCSRFloatsFromScalar(const PetscScalar *v, float *f)
{
  int exact = 1;

  for (int i = 0; i < AUTOCSR_REALS; i++) {
    const PetscReal part = ((const PetscReal *)v)[i];
    PetscReal       back;
    AutoCSRBits     bits, back_bits;

#if defined(PETSC_USE_REAL_DOUBLE) && !defined(__CUDA_ARCH__)
    memcpy(&bits, &part, sizeof(bits));
    /* Past any float, and not infinite: a program may trap overflows (-fp_trap) */
    if ((bits & 0x7fffffffffffffffu) > 0x47efffffe0000000u && (bits & 0x7fffffffffffffffu) < 0x7ff0000000000000u) {
      f[i]  = 0;
      exact = 0;
      continue;
    }
#endif
    f[i] = (float)part;
    back = (PetscReal)f[i];
    memcpy(&bits, &part, sizeof(bits));
    memcpy(&back_bits, &back, sizeof(bits));
#if defined(__CUDA_ARCH__) && defined(PETSC_USE_REAL_DOUBLE)
    if (part != part) {
      const uint32_t narrow = (uint32_t)(bits >> 32 & 0x80000000u) | 0x7fc00000u | (uint32_t)(bits >> 29 & 0x3fffffu);

      memcpy(&f[i], &narrow, sizeof(narrow));
      back_bits = (bits & 0x8000000000000000u) | 0x7ff8000000000000u | (AutoCSRBits)(narrow & 0x3fffffu) << 29;
    }
#endif
    exact &= bits == back_bits;
  }
  return exact;
}

AUTOCSR_HD PetscScalar AutoCSRScalarFromFloats(const float *f)
{
  PetscReal   part[sizeof(PetscScalar) / sizeof(PetscReal)];
  PetscScalar v;

  for (int i = 0; i < AUTOCSR_REALS; i++) part[i] = (PetscReal)f[i];
  memcpy((void *)&v, part, sizeof(PetscScalar));
  return v;
}

/* profile/values.c. Build indexes n values as they are; Examine collects the values of a matrix in ascending order of their bits */
PETSC_INTERN PetscErrorCode AutoCSRDictionaryBuild(AutoCSRDictionary *, PetscInt, const PetscScalar[]);
PETSC_INTERN PetscErrorCode AutoCSRValuesExamine(const AutoCSRMatrix *, AutoCSRDictionary *, PetscBool *float32_exact);

/* Whether two rows of one pattern have the same values, bit by bit */
AUTOCSR_HD int AutoCSRRowValuesEqual(const AutoCSRMatrix *csr, PetscInt a, PetscInt b)
{
  const PetscScalar *x = csr->val + csr->row_ptr[a], *y = csr->val + csr->row_ptr[b];

  for (PetscInt t = 0; t < csr->row_ptr[a + 1] - csr->row_ptr[a]; t++) {
    if (!AutoCSRBitsEqual(AutoCSRBitsOf(&x[t]), AutoCSRBitsOf(&y[t]))) return 0;
  }
  return 1;
}

#endif
