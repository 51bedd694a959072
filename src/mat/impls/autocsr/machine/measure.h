/*
  A processor's executors and memory measured step by step: each step takes a few milliseconds, and what is measured so far can be kept and gone on with. Inside machine/ only.
*/
#ifndef AUTOCSR_MEASURE_H
#define AUTOCSR_MEASURE_H

#include "samples.h"

/* The products that tell what an executor costs: with shorter rows, longer rows, those that leave its fast path; and with x in memory, in the last cache */
enum {
  AUTOCSR_TRIAL_SHORTER,
  AUTOCSR_TRIAL_LONGER,
  AUTOCSR_TRIAL_IRREGULAR,
  AUTOCSR_TRIAL_FAR,
  AUTOCSR_TRIAL_NEAR,
  AUTOCSR_TRIAL_PRODUCTS
};

/* An executor under test */
typedef struct {
  AutoCSRAxes            axes;
  const AutoCSRExecutor *executor, *other;
  AutoCSRSample         *sample;                          /* of all kinds */
  AutoCSRSampleKind      kind[AUTOCSR_TRIAL_FAR];         /* IRREGULAR as SHORTER: nothing of its cost is */
  double                 seconds[AUTOCSR_TRIAL_PRODUCTS]; /* the least of all passes; PETSC_MAX_REAL: not measured */
} AutoCSRTrial;

/* One of the products of a pass */
typedef struct {
  PetscInt       trial;
  int            product;
  PetscBool      other; /* by the executor's other way to gather x */
  AutoCSRSample *sample;
} AutoCSRJob;

/* measure_tiles.c: products by adaptive tiles, and by rows, step by step. Zero before AutoCSRTilesBegin(), but for `next` and `seconds`, which another process may have found */
#define AUTOCSR_TILES_SHAPES  3
#define AUTOCSR_TILES_ENTRIES 6 /* of a column in a row panel, at most */
#define AUTOCSR_TILES_TRIALS  (AUTOCSR_TILES_SHAPES + 2 * AUTOCSR_TILES_ENTRIES)
typedef struct {
  const AutoCSRBackend *backend; /* NULL: not begun */
  const char           *simd;
  PetscInt              usual, height, shapes; /* rows of a row panel as the backend has it, and as it is best; shapes: 0 if there is no choice */
  PetscInt              next;                  /* trial */
  double                seconds[AUTOCSR_TILES_TRIALS];
  AutoCSRMatrix         csr; /* of the trial under way, as the rest */
  AutoCSRDense         *dense;
  AutoCSRDenseOperands  op;
  AutoCSRClock          clock;
} AutoCSRTiles;
PETSC_INTERN PetscErrorCode AutoCSRTilesBegin(const AutoCSRFigures *, AutoCSRTiles *);
PETSC_INTERN PetscErrorCode AutoCSRTilesStep(AutoCSRTiles *, AutoCSRMachine *, PetscBool *done); /* done: the machine's numbers are set */
PETSC_INTERN PetscErrorCode AutoCSRTilesEnd(AutoCSRTiles *);                                     /* what an error left half made, too */

typedef enum {
  AUTOCSR_MEASURE_MEMORY, /* after each pass */
  AUTOCSR_MEASURE_JOBS,
  AUTOCSR_MEASURE_FIT,
  AUTOCSR_MEASURE_TILES, /* of products with dense matrices */
  AUTOCSR_MEASURE_DONE
} AutoCSRMeasurementStage;

typedef struct {
  AutoCSRFigures          figures;
  double                  reported[3]; /* bytes of caches, by the system */
  AutoCSRSamples         *samples;
  AutoCSRTrial            trial[AUTOCSR_MAX_FIGURES];
  PetscInt                n_trials, n_jobs;
  AutoCSRJob             *job;
  AutoCSRMeasurementStage stage;
  PetscInt                pass, next; /* the job of the pass, or the trial to be fitted, that is next */
  double                  gained;     /* share of the time that products have saved against the best so far: its sum during a pass, then its mean */
  double                 *area;       /* AUTOCSR_FAR_BYTES, of ones as far as they are filled: x of all products, and what the memory is read from */
  size_t                  filled;
  AutoCSRMemoryReading    reading;
  AutoCSRPlan            *plan; /* of the job under way; NULL: none is */
  AutoCSROperands         op;
  AutoCSRClock            clock;
  AutoCSRTiles            tiles;
} AutoCSRMeasurement;

/* figures: those of the processor, whose name and caches are given */
PETSC_INTERN PetscErrorCode AutoCSRMeasurementCreate(const AutoCSRFigures *, AutoCSRMeasurement **);
PETSC_INTERN PetscErrorCode AutoCSRMeasurementDestroy(AutoCSRMeasurement **); /* what an error left half made, too */
PETSC_INTERN PetscErrorCode AutoCSRMeasurementStep(AutoCSRMeasurement *);

/* partial.c: saves the times so far, and resumes from a file of the same trials. Failures of input and output are no errors: lost times are measured again */
PETSC_INTERN PetscErrorCode AutoCSRPartialWrite(const char path[], const AutoCSRMeasurement *);
PETSC_INTERN PetscErrorCode AutoCSRPartialRead(const char path[], AutoCSRMeasurement *, PetscBool *found);

#endif
