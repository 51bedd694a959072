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
} AutoCSRMachine;

/*
  What an executor costs where the bytes cost nothing: seconds = entries * entry + rows * row + irregular * irregular, but,
  where rows are worked on at once, at least start + longest * walk; and streaming from memory takes it `memory` times as
  long as the machine could, gathering x `gather` times, on a processor from its caches `near` times (0: once)
*/
typedef struct {
  double entry, row, irregular, start, walk, memory, gather, near;
} AutoCSRExecutorCost;

PETSC_INTERN PetscErrorCode AutoCSRMachineGet(const AutoCSRBackend *, const AutoCSRMachine **);

/* cost_dense.c: seconds of a product with so many dense columns, by panels, or as they lie if the rows are such (plan/dense.h). The profile may be NULL */
PETSC_INTERN PetscErrorCode AutoCSRCostDense(const AutoCSRMatrix *, const AutoCSRProfile *, PetscInt columns, double *seconds, PetscBool *alongside);

/* Defaults, and all checks of what the user set (errors name the value, the choices and the remedy) */
PETSC_INTERN PetscErrorCode AutoCSRSettingsInitialize(AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRSettingsCheck(const AutoCSRSettings *);

/* progress.c: how far the planning of a block has come, and when it goes on */
typedef enum {
  AUTOCSR_STAGE_FINAL,  /* no product will change the plan */
  AUTOCSR_STAGE_FIRST,  /* the plan that takes no look at the matrix */
  AUTOCSR_STAGE_CHOSEN, /* the same; another is chosen and not built yet */
} AutoCSRPlanStage;

typedef struct {
  AutoCSRPlanStage stage;
  PetscBool        in_step;                   /* steps wait for products of a round number */
  PetscInt64       products;                  /* so far */
  double           product, look, spent, due; /* predicted seconds: of a product by the first plan, of a look, of the products so far, and when the next step is made */
} AutoCSRProgress;

PETSC_INTERN void      AutoCSRProgressBegin(AutoCSRProgress *, PetscBool in_step, double product, double look);
PETSC_INTERN void      AutoCSRProgressChosen(AutoCSRProgress *, double product, double build);
PETSC_INTERN void      AutoCSRProgressReturn(AutoCSRProgress *);
PETSC_INTERN PetscBool AutoCSRProgressIsDue(const AutoCSRProgress *);           /* asked before each product, */
PETSC_INTERN void      AutoCSRProgressCount(AutoCSRProgress *);                 /* which is counted then */
PETSC_INTERN void      AutoCSRProgressSpend(AutoCSRProgress *, double seconds); /* what took as long as products count as these, up to the next step */
PETSC_INTERN PetscInt  AutoCSRProgressRemaining(const AutoCSRProgress *);

/*
  make.c. In debug builds a plan is checked against the CSR.
    First   a plan without a look at the matrix, and what its products and a look are predicted to take
    Look    profile and choice; product: what one of the first plan is predicted to take, now that it is known what it gathers (0: it is not; NULL: nobody asks); build: what building is
    Build   the plan that was chosen, of the same matrix with the same values; ends the choice
    Make    all at once
  Rigor none has no profile: the first plan is the one that is made.
*/
typedef struct _AutoCSRChoice AutoCSRChoice;
PETSC_INTERN PetscBool        AutoCSRPlanIsProgressive(const AutoCSRMatrix *, const AutoCSRSettings *);
PETSC_INTERN PetscErrorCode   AutoCSRPlanFirst(const AutoCSRMatrix *, const AutoCSRSettings *, AutoCSRPlan **, double *product, double *look);
PETSC_INTERN PetscErrorCode   AutoCSRPlanLook(const AutoCSRMatrix *, const AutoCSRSettings *, AutoCSRProfile **, AutoCSRChoice **, double *product, double *build);
PETSC_INTERN PetscErrorCode   AutoCSRPlanBuild(AutoCSRChoice **, const AutoCSRMatrix *, AutoCSRPlan **);
PETSC_INTERN PetscErrorCode   AutoCSRPlanMake(const AutoCSRMatrix *, const AutoCSRSettings *, AutoCSRPlan **, AutoCSRProfile **);
PETSC_INTERN PetscErrorCode   AutoCSRChoiceDestroy(AutoCSRChoice **);

#endif
