/*
  Figures of the machine and of its executors: what the cost model multiplies its counts with. Inside select/ only.
*/
#ifndef AUTOCSR_FIGURES_H
#define AUTOCSR_FIGURES_H

#include "select.h"
#include "../backend.h"

#define AUTOCSR_MAX_EXECUTORS 256
#define AUTOCSR_NODES_MEMORY  1.12 /* `memory` of nodes, whose rows are read side by side (fem3x3, where blocks of as many bytes take 0.83 to 0.88 of the time, and aggregates, 0.87) */
#define AUTOCSR_FEW_VALUES    16   /* a dictionary of so many fits in registers: its executors have figures of their own, under their name and "/few" */

typedef struct {
  char                name[40]; /* of the executor */
  AutoCSRExecutorCost cost;
} AutoCSRExecutorFigure;

typedef struct {
  const AutoCSRBackend *backend;
  const char           *simd;       /* one of its instruction sets */
  PetscBool             as_shipped; /* -mat_autocsr_machine none: nothing is measured */
  AutoCSRMachine        machine;
  double                bandwidth[4], random_line[4]; /* shipped for a device: what measure_memory() finds on the very machine, where figures fitted to products differ from that; 0: nothing was fitted */
  AutoCSRExecutorCost   unknown;                      /* of an executor that has no figures yet: not fast */
  PetscInt              n_executors;
  AutoCSRExecutorFigure executor[AUTOCSR_MAX_EXECUTORS];
  PetscInt              lanes[AUTOCSR_HISTOGRAM_BINS]; /* by histogram bin of the row length: the lanes that take least time */
} AutoCSRFigures;

/* machine.c: the figures of a backend's instruction set; those of the best one are measured, the others shipped */
PETSC_INTERN PetscErrorCode AutoCSRFiguresGet(const AutoCSRBackend *, const char simd[], const AutoCSRFigures **);
/* What the axes cost, rows named or not, for a matrix with so many distinct values; *runs is PETSC_FALSE if no executor runs them */
PETSC_INTERN PetscErrorCode AutoCSRFiguresFind(const AutoCSRFigures *, const AutoCSRAxes *, PetscBool named, PetscInt values, AutoCSRExecutorCost *, PetscBool *runs);
/* The name under which they are kept */
PETSC_INTERN PetscErrorCode AutoCSRFigureName(const AutoCSRFigures *, const AutoCSRExecutor *, const AutoCSRAxes *, PetscBool named, PetscInt values, size_t len, char name[]);
/* shipped.c: figures to use until others are measured */
PETSC_INTERN PetscErrorCode AutoCSRFiguresShipped(const AutoCSRBackend *, const char simd[], AutoCSRFigures *);
/* calibrate.c: measures the figures of a machine whose name and caches are given, in place of those shipped */
PETSC_INTERN PetscErrorCode AutoCSRFiguresMeasure(AutoCSRFigures *);

/* kept.c: the file that figures are kept in */
typedef enum {
  AUTOCSR_KEPT_NONE,  /* there is no such file */
  AUTOCSR_KEPT_OTHER, /* it cannot be read, holds something else, or figures of other scalars or indices, or of another version */
  AUTOCSR_KEPT_READ
} AutoCSRKeptFound;
typedef struct {
  int       folder;   /* what is locked; -1: nothing */
  PetscBool waited;   /* another process had it, */
  PetscBool late;     /* and has it still */
  PetscBool writable; /* files can be made there */
} AutoCSRKeptLock;
PETSC_INTERN PetscErrorCode AutoCSRKeptPath(const char simd[], unsigned hash, size_t len, char path[]);
PETSC_INTERN PetscErrorCode AutoCSRKeptRead(const char path[], AutoCSRFigures *, AutoCSRKeptFound *); /* figures stay where they are not read */
PETSC_INTERN PetscErrorCode AutoCSRKeptWrite(const char path[], const AutoCSRFigures *);              /* if it can be, and is not there: what is read afterwards counts */
PETSC_INTERN PetscErrorCode AutoCSRKeptBegin(const char path[], AutoCSRKeptLock *);                   /* around measuring and writing */
PETSC_INTERN PetscErrorCode AutoCSRKeptEnd(AutoCSRKeptLock *);

/* cost.c: seconds that streaming bytes of a working set takes beyond L2, or beyond what is in the work */
PETSC_INTERN double AutoCSRStreamSeconds(const AutoCSRMachine *, double bytes, double working_set);

/* measure.c: seconds of one product with a bound plan, and of each of its segments; operands are scratch */
PETSC_INTERN PetscErrorCode AutoCSRPlanTime(AutoCSRPlan *, const AutoCSRMatrix *);

#endif
