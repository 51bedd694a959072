/*
  Counter-based pseudo-random numbers (the SplitMix64 finalizer over a seed and a counter): the same on every machine,
  and any one of them can be had without those before it.
*/
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <petscsys.h>
#include <stdint.h>

typedef struct {
  uint64_t seed, counter;
} Random;

static inline uint64_t RandomMix(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static inline uint64_t RandomAt(uint64_t seed, uint64_t counter)
{
  return RandomMix(RandomMix(seed) + (counter + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

/* An own sequence for each stream (row, node, ...) of a seed */
static inline Random RandomStart(uint64_t seed, uint64_t stream)
{
  return (Random){RandomAt(seed, stream), 0};
}

static inline uint64_t RandomNext(Random *r)
{
  return RandomAt(r->seed, r->counter++);
}

/* In [0, 1), 53 bits */
static inline double RandomUnit(uint64_t bits)
{
  return (double)(bits >> 11) * 0x1p-53;
}

/* In [lo, hi] */
static inline PetscInt RandomInt(Random *r, PetscInt lo, PetscInt hi)
{
  return lo + (PetscInt)(((unsigned __int128)RandomNext(r) * (uint64_t)(hi - lo + 1)) >> 64);
}

/* In [lo, hi), in the imaginary part as well */
static inline PetscScalar RandomScalar(uint64_t seed, uint64_t counter, double lo, double hi)
{
#if PetscDefined(USE_COMPLEX)
  return PetscCMPLX(lo + (hi - lo) * RandomUnit(RandomAt(seed, 2 * counter)), lo + (hi - lo) * RandomUnit(RandomAt(seed, 2 * counter + 1)));
#else
  return (PetscScalar)(lo + (hi - lo) * RandomUnit(RandomAt(seed, counter)));
#endif
}

/* One of the n columns that is at most window from i */
static inline PetscInt RandomNear(Random *r, PetscInt i, PetscInt window, PetscInt n)
{
  return RandomInt(r, PetscMax(i - window, 0), PetscMin(i + window, n - 1));
}

#endif
