/*
  Is the gather instruction of this processor faster than a load for each lane? Its name does not tell: AMD's take twice as long
  where x is in a cache, Intel's a little more than half as long, unless the microcode keeps them from telling what they read.
*/
#include "executors.h"

#if defined(AUTOCSR_HOST_GATHER)
  #define HOST_GATHER
  #include "streams.h"
  #include <petsctime.h>

  #define SCALARS 1024 /* of x: in the first cache, with the entries */
  #define ENTRIES 4096
  #define ROUNDS  9
  #define FASTER  0.85 /* of the time of loads: what takes about as long may not be chosen now and then, since plans follow */

static volatile PetscReal Sink; /* what is gathered must be used */

/* As a kernel over slices does: sums side by side, one lane a row */
static __attribute__((noinline)) void ByLoads(Entries e, const PetscScalar *x)
{
  Vector sum = VectorZero();

  for (size_t q = 0; q < ENTRIES; q += LANES) sum = VectorAdd(sum, EntryLoads(e, AUTOCSR_INDEX_32, q, x));
  Sink = VectorSum(sum);
}

static __attribute__((noinline)) void AtOnce(Entries e, const PetscScalar *x)
{
  Vector sum = VectorZero();

  for (size_t q = 0; q < ENTRIES; q += LANES) sum = VectorAdd(sum, EntryGatherAtOnce(e, AUTOCSR_INDEX_32, q, x));
  Sink = VectorSum(sum);
}

static double Seconds(void (*sum)(Entries, const PetscScalar *), Entries e, const PetscScalar *x)
{
  PetscLogDouble begin, end;

  (void)PetscTime(&begin);
  sum(e, x);
  (void)PetscTime(&end);
  return end - begin;
}

/* In turns, the shortest of each; once in a process, some 20 microseconds */
PetscBool AutoCSRHostGatherIsFast(void)
{
  static int  fast = -1;
  PetscScalar x[SCALARS];
  uint32_t    index[ENTRIES];
  double      loads = 1, gathers = 1;

  if (fast >= 0) return (PetscBool)fast;
  for (uint32_t q = 0; q < ENTRIES; q++) index[q] = (q * 2654435761u) >> 22; /* 10 bits, anywhere */
  for (int i = 0; i < SCALARS; i++) x[i] = 1;
  for (int round = 0; round < ROUNDS; round++) {
    const Entries e = {.index = index};

    loads   = PetscMin(loads, Seconds(ByLoads, e, x));
    gathers = PetscMin(gathers, Seconds(AtOnce, e, x));
  }
  fast = gathers < FASTER * loads;
  return (PetscBool)fast;
}
#endif
