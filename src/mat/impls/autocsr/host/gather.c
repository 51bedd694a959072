/*
  Decides whether the gather instruction is faster than a load for each lane, where x is in the first cache. Every AVX-512
  processor has both. Some models are faster by loads, others by the instruction, and microcode can slow the instruction
  down. The trial runs once in a process.
*/
#include "executors.h"

#if defined(AUTOCSR_HOST_GATHER)
  #define HOST_GATHER
  #include "kernels/streams.h"
  #include <petsctime.h>

  #define SCALARS 1024 /* of x: in the first cache, with the entries */
  #define ENTRIES 4096
  #define ROUNDS  9
  #define FASTER  0.85 /* of the time of loads: what takes about as long may not be chosen now and then, since plans follow */

static volatile PetscReal Sink; /* what is gathered must be used */

/* As a kernel over slices does: sums side by side, one lane a row */
KERNEL void Sum(Entries e, const PetscScalar *x, PetscBool at_once)
{
  Vector sum = VectorZero();

  for (size_t q = 0; q < ENTRIES; q += LANES) sum = VectorAdd(sum, at_once ? EntryGatherLanes(AllLanes(), e, AUTOCSR_INDEX_32, q, x) : EntryLoads(e, AUTOCSR_INDEX_32, q, x));
  Sink = VectorSum(sum);
}

static double Seconds(Entries e, const PetscScalar *x, PetscBool at_once)
{
  PetscLogDouble begin, end;

  (void)PetscTime(&begin);
  if (at_once)
    Sum(e, x, PETSC_TRUE);
  else
    Sum(e, x, PETSC_FALSE);
  (void)PetscTime(&end);
  return end - begin;
}

/* Times both in turns; the shortest time of each counts */
PetscBool AutoCSRHostGatherIsFast(void)
{
  PetscScalar x[SCALARS];
  uint32_t    index[ENTRIES];
  double      loads = 1, gathers = 1;

  for (uint32_t q = 0; q < ENTRIES; q++) index[q] = (q * 2654435761u) >> 22; /* 10 bits, anywhere */
  for (int i = 0; i < SCALARS; i++) x[i] = 1;
  for (int round = 0; round < ROUNDS; round++) {
    const Entries e       = {.index = index};
    const double  by_load = Seconds(e, x, PETSC_FALSE), at_once = Seconds(e, x, PETSC_TRUE); /* PetscMin() takes the time of what it is given twice */

    loads   = PetscMin(loads, by_load);
    gathers = PetscMin(gathers, at_once);
  }
  return (PetscBool)(gathers < FASTER * loads);
}
#endif
