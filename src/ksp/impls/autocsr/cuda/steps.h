/* The device's steps: their state, and the functions that steps.c, steps_bcgs.c and steps_gmres.c call of each other */
#ifndef AUTOCSR_FUSED_STEPS_H
#define AUTOCSR_FUSED_STEPS_H

#include "../fused.h"
#include "passes.h"

#define AUTOCSR_COLUMNS  8      /* columns of GMRES that may be under way */
#define AUTOCSR_FEW_ROWS 400000 /* of a problem, at most, for steps that are repeated and products that make their dot product: kernels of more rows take longer than launches */

/* All that recorded steps have read on the host. Once one of these is another, the record is void */
typedef struct {
  AutoCSRPass    pass;
  AutoCSRProduct product;
  PetscReal     *partial; /* of products that make dot products */
  PetscErrorCode (*step)(AutoCSRSolve *);
  PetscBool left, joins;
} AutoCSRRepeatKey;

typedef struct {
  AutoCSRRepeatKey key;
  PetscInt         steps;   /* of this key that were queued one by one */
  AutoCSRRecord    record;  /* NULL: there is none */
  PetscBool        refused; /* nothing can be recorded here */
  PetscInt64       told;    /* results of a record */
  PetscInt         products;
  PetscLogDouble   flops;
} AutoCSRRepeat;

/* How the kernel for all steps of a smoother is launched (level.h). The other members name the matrix and the preconditioner for which this was found */
typedef struct {
  PetscObjectId    id;
  PetscObjectState nonzerostate;
  PetscInt         block, lanes, blocks; /* blocks 0: the matrix is not small */
  PetscBool        has_d;
} AutoCSRLevelShape;

struct _AutoCSRDevice {
  void         *memory; /* of the device: scalars, counter, partial sums */
  AutoCSRSlot  *ring;
  PetscInt64    told;     /* results of earlier solves */
  PetscInt64    queued;   /* results of this solve */
  PetscBool     first;    /* no combination was queued yet */
  PetscInt      products; /* of arrays, that were queued */
  AutoCSRTest  *test;     /* of the device */
  PetscReal    *partial;  /* of products that make dot products: sums of so many thread blocks; NULL: none */
  PetscInt      partials;
  AutoCSRPass   pass;
  AutoCSRRepeat repeat;

  AutoCSRPassSums *sums;   /* page-locked: of a pass of this process; NULL: there is one process */
  PetscInt64       summed; /* passes that were to have sums, of all solves */

  AutoCSRLevelShape level;

  PetscInt          restart; /* of GMRES, for which there is memory */
  void             *scalars; /* of the device: dot products, norms, partial sums, counters */
  void             *columns; /* page-locked: numbers, then AUTOCSR_COLUMNS columns */
  PetscScalar      *dots;    /* page-locked: dot products of a step; NULL: there is one process */
  AutoCSRPassColumn column;
};

PETSC_INTERN const AutoCSRStepsBCGS  AutoCSRStepsBCGSCUDA;                               /* steps_bcgs.c */
PETSC_INTERN const AutoCSRStepsGMRES AutoCSRStepsGMRESCUDA;                              /* steps_gmres.c */
PETSC_INTERN PetscErrorCode          AutoCSRPassesBegin(AutoCSRSolve *, AutoCSRDevice *); /* once the arrays are there */
PETSC_INTERN void                    AutoCSRPassesEnd(AutoCSRSolve *);
PETSC_INTERN PetscErrorCode          AutoCSRRepeatSteps(AutoCSRSolve *, PetscErrorCode (*)(AutoCSRSolve *), PetscInt most, PetscInt *queued); /* repeat.c */
PETSC_INTERN AutoCSRPass            *AutoCSRNextPass(AutoCSRSolve *, PetscBool tells);   /* tells: the host will wait for its result */
PETSC_INTERN PetscErrorCode          AutoCSRReducePass(AutoCSRSolve *, PetscReal sums[]); /* of the last pass, over all processes */
PETSC_INTERN PetscErrorCode          AutoCSRFollowPass(AutoCSRSolve *, AutoCSRFollow);    /* does what follows from them; nothing if there is one process */
PETSC_INTERN PetscErrorCode          AutoCSRAwaitPass(const PetscInt64 *, PetscInt64);   /* until the number is there */
PETSC_INTERN PetscErrorCode          AutoCSRColumnsDestroy(AutoCSRDevice);

#endif
