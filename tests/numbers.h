/* What all tests with numbers share: how near is near, and the same random numbers on every machine and number of ranks */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <petscsys.h>

#define TOLERANCE (450 * PETSC_MACHINE_EPSILON) /* 1e-13 in double precision */

/* splitmix64 */
static inline unsigned long long Random64(PetscInt64 a, PetscInt64 b)
{
  unsigned long long z = ((unsigned long long)a * 1000003 + (unsigned long long)b + 1) * 0x9E3779B97F4A7C15ull;

  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/* The imaginary part is for complex scalars only */
static inline PetscScalar Scalar(PetscReal re, PetscReal im)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(re, im);
#else
  (void)im;
  return re;
#endif
}

#endif
