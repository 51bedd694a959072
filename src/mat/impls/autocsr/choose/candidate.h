/*
  The choice: candidates, each a list of row ranges (rows and a strategy's variant for them), with what the cost model says of
  them. Inside choose/ only.
*/
#ifndef AUTOCSR_CANDIDATE_H
#define AUTOCSR_CANDIDATE_H

#include "choose.h"
#include "policy.h"
#include "../machine/figures.h"

#define AUTOCSR_MAX_CANDIDATES 6 /* that rigor measure builds and times */

/* What the cost model says of a strategy's variant for a problem */
typedef struct {
  double seconds;   /* of one product but for its own start */
  double bytes;     /* moved by one product */
  double own_bytes; /* kept on top of the CSR */
  double scratch;   /* and beside these while it is built */
  double build;     /* seconds to build it */
  double launches;  /* seconds of starting segments, in `seconds` */
  /* Seconds of which `seconds` are made, before some of them hide others: executors' work, lines of x, streaming, the longest walk of a lane */
  double    work, gather, stream, wait;
  PetscBool runs; /* there is an executor for each segment */
  PetscBool fits; /* and room for all of it */
  PetscInt  segments;
  double    segment[AUTOCSR_MAX_SEGMENTS]; /* seconds of each segment */
} AutoCSREvaluation;

#define AUTOCSR_VARIANT_FEATURES 15 /* features.h, after those of the matrix */
#define AUTOCSR_MATRIX_FEATURES  28
#define AUTOCSR_FEATURES         (AUTOCSR_MATRIX_FEATURES + AUTOCSR_VARIANT_FEATURES)
#define AUTOCSR_MAX_STRATEGIES   40 /* that a learned table names */

typedef struct {
  const AutoCSRStrategy *strategy;
  AutoCSRAxes            axes;
  PetscInt               zone_begin, zone_end;
} AutoCSRRowRange;

typedef struct {
  double          seconds, bytes, build, score;      /* score: seconds with a share of the set-up and a price for memory; of one rank the least is chosen */
  double          factor;                            /* by which the chooser `corrected` has multiplied the cost model's seconds; 0: by none */
  double          power;                             /* by which the score is multiplied beside that, with the objective energy: relative to the mean of all variants; 0: by none */
  PetscInt        rank;                              /* the least is chosen; 0 unless a learned chooser says otherwise */
  float           feature[AUTOCSR_VARIANT_FEATURES]; /* features.h; only for choosers that learned */
  PetscInt        n_ranges;
  AutoCSRRowRange first; /* where there are more, the first of them: all are in the chooser's `range` */
} AutoCSRCandidate;

typedef struct _AutoCSRLearned AutoCSRLearned; /* learned.h */

typedef struct {
  AutoCSRProblem         problem; /* all rows */
  const AutoCSRFigures  *figures;
  const AutoCSRStrategy *csr;
  double                 device_line;                   /* seconds of a line of x on a device */
  AutoCSRCandidate       base;                          /* csr, whatever the settings: what others are compared with, and the fallback */
  const char            *why_not;                       /* why the strategy that the user asked for does not apply; NULL: it does */
  char                   refused[320];                  /* why the last candidate was not built but csr: a kernel that it wants cannot be compiled; "": it was built */
  MatAutoCSRChooser      by;                            /* who chooses; not who is asked for where that one has learned nothing for this machine */
  const AutoCSRLearned  *learned;                       /* by which; NULL: the cost model chooses */
  const AutoCSRLearned  *energy;                        /* the table whose trees tell joules; NULL: time is minimized, or joules are counted */
  float                  feature[AUTOCSR_FEATURES + 1]; /* those of the matrix, if something is learned */
  int                    votes[AUTOCSR_MAX_STRATEGIES];
  AutoCSRBinKernels      kernels;
  AutoCSRCountedBins     counted;                  /* the problem's */
  AutoCSRRowRange        range[AUTOCSR_MAX_ZONES]; /* the row ranges of the one candidate that has several; last: mostly it is not touched */
} AutoCSRChooser;

static inline const AutoCSRRowRange *AutoCSRCandidateRanges(const AutoCSRChooser *chooser, const AutoCSRCandidate *candidate)
{
  return candidate->n_ranges > 1 ? chooser->range : &candidate->first;
}

/*
  What a segment takes beside the work of its executor, in seconds: gathering x from where it is (near: the part from a processor's caches), streaming from where
  the bytes are, starting; chance: that they are there and not in a device's L2
*/
typedef struct {
  double gather, near, stream, launch, chance;
} AutoCSRTerms;

/* cost.c. The choice for a block, by these figures; all arguments are borrowed */
PETSC_INTERN PetscErrorCode AutoCSRChooserBegin(AutoCSRChooser *, const AutoCSRFigures *, const AutoCSRMatrix *, const AutoCSRProfile *, const AutoCSRSettings *);
/* bytes: of all segments of the problem */
PETSC_INTERN PetscErrorCode AutoCSRCostTerms(const AutoCSRChooser *, const AutoCSRProblem *, const AutoCSRCost *, double bytes, AutoCSRTerms *);
PETSC_INTERN PetscErrorCode AutoCSRCostEvaluate(AutoCSRChooser *, const AutoCSRProblem *, const AutoCSRStrategy *, const AutoCSRAxes *, AutoCSREvaluation *);

/* Without a profile: a product with a segment of all rows, gathers not counted */
PETSC_INTERN PetscErrorCode AutoCSRCostUnseen(const AutoCSRFigures *, const AutoCSRMatrix *, const AutoCSRAxes *, double *seconds);
/* Profile and choice */
PETSC_INTERN double    AutoCSRCostLook(const AutoCSRMachine *, const AutoCSRMatrix *, const AutoCSRSettings *);
PETSC_INTERN PetscBool AutoCSRRowsTellAll(const AutoCSRMachine *, const AutoCSRMatrix *, const AutoCSRSettings *); /* a look at the rows alone will do */
/* The cost of a product, a share of the set-up and a price for what is kept; PETSC_MAX_REAL for what cannot run or takes too much memory */
PETSC_INTERN double AutoCSRCostScore(const AutoCSRProblem *, const AutoCSREvaluation *);
/* The problem of some zones of a block */
PETSC_INTERN AutoCSRProblem AutoCSRProblemOfZones(const AutoCSRProblem *, PetscInt zone_begin, PetscInt zone_end);

/* choose.c: the best candidates by the cost model, best first; where the settings leave room for it, csr is among them */
PETSC_INTERN PetscErrorCode AutoCSRChoose(AutoCSRChooser *, PetscInt max, AutoCSRCandidate[], PetscInt *n);
/* make.c: its plan, with executors */
PETSC_INTERN PetscErrorCode AutoCSRCandidateBuild(AutoCSRChooser *, const AutoCSRCandidate *, AutoCSRPlan **);
/*
  searching.c: the plan of the graph that is found to be the fastest within `limit` seconds; candidate: where the search begins, the library's choice first.
  *plan NULL: no graph says what the choice is, and none was found
*/
PETSC_INTERN PetscErrorCode AutoCSRPlanSearch(AutoCSRChooser *, PetscInt n, const AutoCSRCandidate candidate[], double limit, PetscBool monitor, AutoCSRPlan **);
/* ranges.c: the best way to give row ranges strategies of their own; none if that is not better than best */
PETSC_INTERN PetscErrorCode AutoCSRChooseRanges(AutoCSRChooser *, double best, AutoCSRCandidate *);

#endif
