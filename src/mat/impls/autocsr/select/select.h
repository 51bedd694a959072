/*
  Chooses and makes the plan of a block: the only door through which seq/, mpi/, product/ and interface/
  reach strategies, plans and executors.
*/
#ifndef AUTOCSR_SELECT_H
#define AUTOCSR_SELECT_H

#include "../strategy/strategy.h"

/* Figures of this machine (select/machine.c): measured once, kept in a cache file, read from there ever after */
typedef struct {
  char      name[128];
  double    bandwidth[4];   /* bytes a second of a streaming read that fits L1, L2, L3, memory */
  double    cache[3];       /* bytes of L1, L2, L3 (one core's share) */
  double    random_line[4]; /* seconds of a random cache line of x from there, many in flight */
  double    strided;        /* a read of values a row's length apart takes so many times a streaming one */
  double    product;        /* seconds to start a product */
  double    launch;         /* and, beyond the first, each of its segments of `alone` entries or more */
  double    alone;          /* entries of a segment below which its start takes no time */
  double    in_work;        /* part of the time of streaming from L2 that is in an executor's work: 1, or 0 if they go on at once */
  double    not_hidden;     /* part of the shorter of two things done at once that shows */
  PetscBool parallel;       /* rows are worked on at once: the longest may outlast all others */
  PetscBool measured;       /* PETSC_FALSE: the figures shipped */
} AutoCSRMachine;

/*
  What an executor costs where the bytes cost nothing: seconds = entries * entry + rows * row + irregular * irregular, but,
  where rows are worked on at once, at least start + longest * walk; and streaming from memory takes it `memory` times as
  long as the machine could
*/
typedef struct {
  double entry, row, irregular, start, walk, memory;
} AutoCSRExecutorCost;

PETSC_INTERN PetscErrorCode AutoCSRMachineGet(const AutoCSRBackend *, const AutoCSRMachine **);

/* Defaults, and all checks of what the user set (errors name the value, the choices and the remedy) */
PETSC_INTERN PetscErrorCode AutoCSRSettingsInitialize(AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRSettingsCheck(const AutoCSRSettings *);

/* Profile, choose, build, bind. In debug builds the plan is checked against the CSR. */
PETSC_INTERN PetscErrorCode AutoCSRPlanMake(const AutoCSRMatrix *, const AutoCSRSettings *, AutoCSRPlan **, AutoCSRProfile **); /* profile may be NULL on return (rigor none); the caller keeps it for the view */

#endif
