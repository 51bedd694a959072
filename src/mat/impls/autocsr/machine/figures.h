/*
  Figures of the machine and of its executors: what the cost model multiplies its counts with. For the rooms machine/ and choose/.
*/
#ifndef AUTOCSR_FIGURES_H
#define AUTOCSR_FIGURES_H

#include "machine.h"
#include "../strategy/strategy.h"
#include "../backend.h"
#include <locale.h>
#include <stdio.h>

#define AUTOCSR_FIGURES_VERSION "30"                               /* other kernels, another cost model or another form make old files useless */
#define AUTOCSR_SHIPPED_DEVICE  "NVIDIA H200, 132 multiprocessors" /* the device whose figures are shipped */
#define AUTOCSR_MAX_FIGURES     256
/*
  The kinds of segments for which an executor has figures of its own, and how their names end: 0, FEW, NAMED or both; blocks or
  nodes of b rows, BY + b, b from 2 on; nodes of b short rows, BY_SHORT + b
*/
#define AUTOCSR_FIGURE_FEW      1                                           /* "/few": dictionaries of AUTOCSR_FEW_VALUES at most, of a processor */
#define AUTOCSR_FIGURE_NAMED    2                                           /* "/named": rows by name, on a processor those of slices */
#define AUTOCSR_FIGURE_BY       2                                           /* "/by2" */
#define AUTOCSR_FIGURE_BY_SHORT (AUTOCSR_FIGURE_BY + AUTOCSR_NODE_ROWS - 1) /* "/by2/short" */
#define AUTOCSR_FIGURE_KINDS    (AUTOCSR_FIGURE_BY_SHORT + AUTOCSR_NODE_ROWS + 1)
#define AUTOCSR_NODES_MEMORY    1.12 /* `memory` of nodes, a factor on their streaming seconds (model -measure of inode and block on fem3x3) */
#define AUTOCSR_FEW_VALUES      16   /* values of a dictionary that fits in two vector registers */

typedef struct {
  char                name[40]; /* of the executor */
  AutoCSRExecutorCost cost;
} AutoCSRExecutorFigure;

struct _AutoCSRFigures {
  const AutoCSRBackend *backend;
  const char           *simd; /* one of its instruction sets */
  const AutoCSRTraits  *traits;
  PetscBool             as_shipped; /* -mat_autocsr_machine none or shipped: nothing is measured */
  char                  vendor[16]; /* of the processor that they are of, as AutoCSRIdentity has it, */
  int                   family, model;
  double                clock; /* Hz; 0: not known */
  AutoCSRMachine        machine;
  double                bandwidth[4], random_line[4]; /* shipped for a device: what read_memory() measures where the figures were fitted to products; 0: nothing was fitted */
  AutoCSRExecutorCost   unknown;                      /* for executors without figures: slow */
  uint64_t              digest;                       /* of the figures, once they are complete */
  PetscInt              n_executors;
  AutoCSRExecutorFigure executor[AUTOCSR_MAX_FIGURES];
  int16_t               place[AUTOCSR_MAX_EXECUTORS][AUTOCSR_FIGURE_KINDS]; /* by the executor's id and the kind of its segment: 1 + the place of its figure in `executor`; 0: it has none */
  PetscInt              lanes[AUTOCSR_HISTOGRAM_BINS];                      /* by histogram bin of the row length: the lanes that take least time */
};

/* machine.c: the figures of a backend's instruction set, loaded once in a process: those of the best one from the file that they are kept in, all others as shipped */
PETSC_INTERN uint64_t       AutoCSRFiguresDigest(const AutoCSRFigures *); /* figures_pack.c */
PETSC_INTERN PetscErrorCode AutoCSRFiguresGet(const AutoCSRBackend *, const char simd[], const AutoCSRFigures **);
/* Those that a matrix is planned by */
PETSC_INTERN PetscErrorCode AutoCSRFiguresOf(const AutoCSRMatrix *, const char simd[], const AutoCSRFigures **);
/* Executors that are not measured keep the figures shipped; lanes are set */
PETSC_INTERN PetscErrorCode AutoCSRFiguresComplete(AutoCSRFigures *, const AutoCSRFigures *shipped);
/* They are of this processor, whose caches the system tells */
PETSC_INTERN PetscErrorCode AutoCSRFiguresIdentify(AutoCSRFigures *, const AutoCSRIdentity *);

/* figures_find.c: the kind of a segment of these axes, rows named or not, of a matrix with so many distinct values, -1 if there are no figures of such; its name */
PETSC_INTERN int            AutoCSRFigureKind(const AutoCSRFigures *, const AutoCSRAxes *, PetscBool named, PetscInt values);
PETSC_INTERN PetscErrorCode AutoCSRFigureName(const AutoCSRExecutor *, int kind, size_t len, char name[]);
/* What the axes cost; *runs is PETSC_FALSE if no executor runs them */
PETSC_INTERN PetscErrorCode AutoCSRFiguresFind(const AutoCSRFigures *, const AutoCSRAxes *, PetscBool named, PetscInt values, AutoCSRExecutorCost *, PetscBool *runs);
/* Sets `place` by the names */
PETSC_INTERN void AutoCSRFiguresIndex(AutoCSRFigures *);
/* The place of a name among n figures, which are looked at from `from` on; n: it is not there */
PETSC_INTERN PetscInt AutoCSRFigureByName(const AutoCSRExecutorFigure[], PetscInt n, const char name[], PetscInt from);

/* plausible.c: rejects figures that a debugger, an emulator, a busy machine or an edited file may give */
PETSC_INTERN PetscBool AutoCSRFiguresAreSane(const AutoCSRFigures *);                                     /* numbers that some machine might have */
PETSC_INTERN PetscBool AutoCSRFiguresArePlausible(const AutoCSRFigures *, const AutoCSRFigures *shipped); /* that this one might have */

/* shipped.c: the figures of a processor named "zen5" and so on, or NULL: of the one that is nearest to the identity, scaled to it */
PETSC_INTERN PetscErrorCode AutoCSRFiguresShipped(const AutoCSRBackend *, const char simd[], const char processor[], const AutoCSRIdentity *, AutoCSRFigures *);
PETSC_INTERN PetscErrorCode AutoCSRFiguresCheckProcessor(const char processor[]); /* it is one of those that were measured */
/* traits.c: what strategies count with */
PETSC_INTERN const AutoCSRTraits AutoCSRTraitsHost, AutoCSRTraitsDevice;
/* processors.c: the processors that were measured */
typedef struct {
  const char                  *name, *vendor;
  int                          family, model;
  const char                  *simd; /* the instruction set of its figures; the reference's ratios give those of others */
  double                       clock;
  double                       bandwidth[4], cache[3], random_line[4], strided, launch;
  PetscInt                     n;
  const AutoCSRExecutorFigure *executor; /* none: the reference's */
} AutoCSRProcessor;
PETSC_INTERN const AutoCSRProcessor *const AutoCSRProcessors[];                                                 /* NULL last */
PETSC_INTERN const AutoCSRProcessor       *AutoCSRProcessorNearest(const AutoCSRIdentity *, const char simd[]); /* NULL: nothing is near */
PETSC_INTERN void                          AutoCSRProcessorScale(const AutoCSRProcessor *, const AutoCSRIdentity *, AutoCSRFigures *);
/* A device's figures, of those of one whose identity is told */
PETSC_INTERN void           AutoCSRDeviceScale(const AutoCSRIdentity *from, const AutoCSRIdentity *to, AutoCSRFigures *);
PETSC_INTERN PetscErrorCode AutoCSRFiguresShippedDevice(AutoCSRFigures *, AutoCSRIdentity *); /* of which device */

/* measure_now.c: measures the figures of a machine at once, in place of those shipped; with a line of progress now and then. viewer NULL: silent */
PETSC_INTERN PetscErrorCode AutoCSRFiguresMeasure(AutoCSRFigures *, PetscViewer);

/* measure_slices.c: measuring by rent or buy; the file is to be written, there is none that can be used. named: by the user */
PETSC_INTERN PetscErrorCode AutoCSRMeasuringBegin(const AutoCSRFigures *shipped, const AutoCSRIdentity *, const char path[], PetscBool named);

/* figures_file.c: the file that figures are kept in */
typedef enum {
  AUTOCSR_FILE_NONE,  /* there is no such file */
  AUTOCSR_FILE_OTHER, /* it cannot be read, is no regular file, holds something else, or figures of other scalars or indices, or of another version */
  AUTOCSR_FILE_READ
} AutoCSRFileFound;
PETSC_INTERN PetscErrorCode AutoCSRKeptFolder(size_t len, char folder[]); /* empty if there is no home; folders are made if they are not there */
PETSC_INTERN PetscErrorCode AutoCSRKeptPath(const char simd[], unsigned hash, size_t len, char path[]);
PETSC_INTERN PetscErrorCode AutoCSRKeptRead(const char path[], AutoCSRFigures *, AutoCSRFileFound *); /* figures stay where they are not read */
/* replace: what is there, if it is a regular file; else the file that is there first stays, and what is read afterwards counts. *written: a file is there */
PETSC_INTERN PetscErrorCode AutoCSRKeptWrite(const char path[], const AutoCSRFigures *, PetscBool replace, PetscBool *written);
PETSC_INTERN PetscErrorCode AutoCSRKeptCanWrite(const char path[], const AutoCSRFigures *, PetscBool *can); /* files as large as theirs */
PETSC_INTERN int            AutoCSRKeptLock(const char path[]);                                             /* the folder, without waiting: what is to be closed; -1: another process has it (errno EWOULDBLOCK), or it cannot be */
/* For files beside it */
PETSC_INTERN FILE          *AutoCSRKeptOpen(const char path[]); /* NULL: it is no regular file that can be read */
PETSC_INTERN FILE          *AutoCSRKeptOpenTemporary(const char path[], char temporary[PETSC_MAX_PATH_LEN]);
PETSC_INTERN PetscErrorCode AutoCSRKeptScalar(size_t len, char name[]); /* what figures are of, whatever the machine */
PETSC_INTERN locale_t       AutoCSRKeptUseC(locale_t *before);          /* numbers in files are C's, whatever the program's locale has between digits */
PETSC_INTERN void           AutoCSRKeptUseBefore(locale_t c, locale_t before);

/* levels.c: the level that a set fits: 0 to 2 the caches, 3 memory */
PETSC_INTERN PetscInt AutoCSRCacheLevel(const AutoCSRMachine *, double bytes);
/* Seconds that streaming bytes of a working set takes beyond L2, or beyond what is in the work */
PETSC_INTERN double AutoCSRStreamSeconds(const AutoCSRMachine *, double bytes, double working_set);
/* The chance that the bytes come from that level: 1, except for a set that may have stayed in a device's L2 */
PETSC_INTERN double AutoCSRStreamChance(const AutoCSRMachine *, double working_set);

/* time_plans.c: products with a plan, in rounds: the first warms up, the second tells how many make a round, and of the others the shortest counts. All is 0 before the first */
typedef struct {
  int      round;
  PetscInt count;
  double   best; /* seconds of a product */
} AutoCSRClock;
PETSC_INTERN PetscErrorCode AutoCSRPlanTimeRound(const AutoCSRPlan *, const AutoCSROperands *, AutoCSRClock *, PetscBool *done);
PETSC_INTERN PetscErrorCode AutoCSRDenseTimeRound(AutoCSRDense *, const AutoCSRDenseOperands *, AutoCSRClock *, PetscBool *done);
/* Seconds of each segment by itself, of a plan that is measured */
PETSC_INTERN PetscErrorCode AutoCSRPlanTimeSegments(AutoCSRPlan *, const AutoCSROperands *);
/* Seconds of one product with a bound plan, and of each of its segments; with joules, these too, where they are counted. Operands are scratch */
PETSC_INTERN PetscErrorCode AutoCSRPlanTime(AutoCSRPlan *, const AutoCSRMatrix *, PetscBool joules);
/* Joules of a product that takes so many seconds, by products for the span or a little longer; 0: nothing counts them */
PETSC_INTERN PetscErrorCode AutoCSRPlanCountJoules(const AutoCSRPlan *, const AutoCSROperands *, double seconds, double span, double *joules);

#endif
