/* Finds the cache that holds a set of bytes, and predicts how long streaming from it takes */
#include "figures.h"

PetscInt AutoCSRCacheLevel(const AutoCSRMachine *machine, double bytes)
{
  PetscInt level = 0;

  while (level < 3 && bytes > machine->cache[level]) level++;
  return level;
}

/*
  Each multiprocessor has half of a device's L2 near it. L2 surely holds a small set. The chance falls with the size of the set,
  up to the whole half. The same copy may come from L2 in one process and from memory in another; the cause is not known.
  Both numbers: `model -measure -gpu` in several processes, of matrices of about that size
*/
#define STAYS_SURELY 0.7 /* share of the near half of L2 up to which a set stays there in every process */
#define STAYS_MOSTLY 0.5 /* share of a larger set that stays in L2 */

/* Seconds beyond L2's; the last cache holds a part of a set larger than itself */
double AutoCSRStreamSeconds(const AutoCSRMachine *machine, double bytes, double working_set)
{
  const PetscInt level = AutoCSRCacheLevel(machine, working_set);
  double         held;

  if (level < 2) return 0;
  held = level > 2 ? machine->cache[2] / working_set / 2 : machine->parallel ? STAYS_MOSTLY
                                                                             : 1; /* half: a cyclic read evicts much of it before its turn */
  return PetscMax(0, bytes * (held / machine->bandwidth[2] + (1 - held) / machine->bandwidth[3] - machine->in_work / machine->bandwidth[1]));
}

/* The chance that a stream comes from memory where it is counted so: below 1 if the set may have stayed in a device's L2 */
double AutoCSRStreamChance(const AutoCSRMachine *machine, double working_set)
{
  if (!machine->parallel || working_set > machine->cache[1]) return 1;
  return (1 - STAYS_MOSTLY) * PetscMax(0, working_set / machine->cache[1] - STAYS_SURELY) / (1 - STAYS_SURELY);
}
