/*
  The fingerprint of a structure: 128 bits of its row offsets and columns, which tell that a structure comes back.

  The two arrays are a message of 64-bit words. NH of UMAC and VMAC reduces each part of AUTOCSR_FINGERPRINT_WORDS words to
  128 bits. For words w and keys k that is the sum of (w0 + k0) (w1 + k1), (w2 + k2) (w3 + k3), ... modulo 2^128. Three
  digits of each sum are coefficients of two polynomials modulo 2^61 - 1; their values at two points are the fingerprint.

  Two structures with equally many rows and entries share a fingerprint with a probability below 2^-60, over all keys and
  points (doc/design.md 5). All sums are sums of integers, so their order does not matter.
*/
#ifndef AUTOCSR_FINGERPRINT_H
#define AUTOCSR_FINGERPRINT_H

#include "../autocsr.h"

#define AUTOCSR_FINGERPRINT_WORDS 256 /* words of a part: their keys, too, stay in a first-level cache */

typedef struct {
  uint64_t  at[2];
  PetscBool known;
} AutoCSRFingerprint;

PETSC_INTERN PetscErrorCode AutoCSRFingerprint_Host(const AutoCSRMatrix *, AutoCSRFingerprint *);

#endif
