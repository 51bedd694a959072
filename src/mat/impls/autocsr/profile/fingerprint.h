/*
  The fingerprint of a structure: 128 bits of its row offsets and columns, which tell that a structure comes back.

  The two arrays are a message of 64-bit words. NH of UMAC and VMAC reduces each part of AUTOCSR_FINGERPRINT_WORDS words to
  128 bits. For words w and keys k that is the sum of (w0 + k0) (w1 + k1), (w2 + k2) (w3 + k3), ... modulo 2^128. Three
  digits of each sum are coefficients of two polynomials modulo 2^61 - 1; their values at two points are the fingerprint.

  Two structures with equally many rows and entries share a fingerprint with a probability of 2^-64 by NH, and of
  (3 b / 2^60)^2 by the polynomials of b parts: together below 2^-60 up to terabytes. The probability is over keys and points,
  which are fixed so that every run does the same. All sums are sums of integers, so their order does not matter, and a
  device's kernel makes the same bits (cuda/planning/fingerprint.cu).
*/
#ifndef AUTOCSR_FINGERPRINT_H
#define AUTOCSR_FINGERPRINT_H

#include "../autocsr.h"

#define AUTOCSR_FINGERPRINT_WORDS 256 /* words of a part: their keys, too, stay in a first-level cache */

typedef struct {
  uint64_t  at[2];
  PetscBool known;
} AutoCSRFingerprint;

typedef struct {
  uint64_t low, high;
} AutoCSRWide;

#define AUTOCSR_FINGERPRINT_PRIME ((UINT64_C(1) << 61) - 1)

/* What follows is the text of both memories, in the common subset of C and CUDA */

AUTOCSR_HD AutoCSRWide AutoCSRWideProduct(uint64_t a, uint64_t b)
{
  AutoCSRWide product;
#if defined(__SIZEOF_INT128__)
  const unsigned __int128 wide = (unsigned __int128)a * b;

  product.low  = (uint64_t)wide;
  product.high = (uint64_t)(wide >> 64);
#else
  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32, middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;

  product.low  = a * b;
  product.high = a1 * b1 + (middle >> 32) + (other >> 32);
#endif
  return product;
}

AUTOCSR_HD void AutoCSRWideAdd(AutoCSRWide *sum, AutoCSRWide a)
{
  sum->low += a.low;
  sum->high += a.high + (sum->low < a.low);
}

/* The keys, one for each word of a part, then the two points: SplitMix64's numbers from 0 on, the same in every process */
AUTOCSR_HD uint64_t AutoCSRFingerprintKey(int i)
{
  uint64_t z = (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Below 2^60 */
AUTOCSR_HD uint64_t AutoCSRFingerprintPoint(int k)
{
  return AutoCSRFingerprintKey(AUTOCSR_FINGERPRINT_WORDS + k) >> 4;
}

/* value * point + digit modulo 2^61 - 1; all below that, and so is the result */
AUTOCSR_HD uint64_t AutoCSRHorner(uint64_t value, uint64_t point, uint64_t digit)
{
  const AutoCSRWide p   = AutoCSRWideProduct(value, point);
  const uint64_t    sum = (p.low & AUTOCSR_FINGERPRINT_PRIME) + (p.low >> 61 | p.high << 3) + digit; /* below 2^63 */
  const uint64_t    r   = (sum & AUTOCSR_FINGERPRINT_PRIME) + (sum >> 61);

  return r >= AUTOCSR_FINGERPRINT_PRIME ? r - AUTOCSR_FINGERPRINT_PRIME : r;
}

/* A polynomial whose coefficients so far make `value`, with the three digits of the next part's sum */
AUTOCSR_HD uint64_t AutoCSRFingerprintExtend(uint64_t value, uint64_t point, AutoCSRWide sum)
{
  value = AutoCSRHorner(value, point, sum.low >> 4);
  value = AutoCSRHorner(value, point, sum.high >> 4);
  return AutoCSRHorner(value, point, (sum.high & 15) << 4 | (sum.low & 15));
}

PETSC_INTERN PetscErrorCode AutoCSRFingerprint_Host(const AutoCSRMatrix *, AutoCSRFingerprint *);

#endif
