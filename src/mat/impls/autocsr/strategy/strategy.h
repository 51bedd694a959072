/*
  A strategy is a named preset over the axes of a segment: one file with variants / cost / build / describe, one line in
  table.c. It knows the profile and the plan; it knows no other strategy, no kernel and no machine.
*/
#ifndef AUTOCSR_STRATEGY_H
#define AUTOCSR_STRATEGY_H

#include "../plan/plan.h"
#include "../profile/profile.h"

#define AUTOCSR_MAX_VARIANTS 32
#define AUTOCSR_MAX_PARTS    16

/* Lanes with which executors of slices with several lanes a row are measured; the rows of a segment with other numbers are counted in these */
#define AUTOCSR_MEASURED_LANES 8

/*
  What one segment would cost, in counts that do not depend on the machine; select/ turns them into seconds with the
  machine's figures for the executor that runs these axes.
*/
typedef struct {
  AutoCSRAxes axes;
  double      rows;      /* rows worked on (slices * slice_height where rows are padded) */
  double      entries;   /* entries worked on, padding counted */
  double      bytes;     /* moved: streams and CSR arrays read, x once, y written */
  double      strided;   /* of these, values that lanes read a row's length apart */
  double      scattered; /* cache lines of x fetched, neighbouring rows together (profile's gather_lines) */
  double      longest;   /* entries that one lane works on, at most */
  PetscBool   joins;     /* its segment shares a launch with the one before it, where products are launched */
  PetscBool   named;     /* the rows are named: they are read where they are, not side by side */
  double      irregular; /* what leaves the fast path of the executor: uneven rows (lanes, row blocks), entries of slices with mixed patterns or past the shortest row (slices), dirty tiles (tiles) */
  double      own_bytes; /* kept on top of the CSR */
  double      build;     /* bytes read and written to build it: for the set-up's cost */
} AutoCSRCost;

/* The profile of a problem's rows (without one: rows and nonzeros are known); longest: entries of the longest row */
typedef struct {
  PetscInt longest, rows, empty_rows, slices, slices_16, slices_16_sorted, uniform_slices, pattern_rows;
  double   nodes, node_entries;
  double   nnz, padded, padded_sorted, gather_lines, fitted; /* fitted: of an entry, as the profile's */
} AutoCSRRange;

/* The question put to a strategy: rows [row_begin, row_end) (whole chunks, or all rows) of one block */
typedef struct {
  const AutoCSRMatrix   *csr;
  const AutoCSRProfile  *profile;
  const AutoCSRSettings *settings;
  const PetscInt        *lanes;                  /* by histogram bin of the row length: lanes that suit such rows (the rule set for kernels of hou2017, III-C) */
  PetscBool              parallel;               /* rows are worked on at once: the lanes of a row are also a matter of how many rows there are */
  PetscInt               chunk_begin, chunk_end; /* of profile->chunk */
  PetscInt               row_begin, row_end;
  AutoCSRRange           range; /* of these rows */
} AutoCSRProblem;

/* strategy/preset.c: makes it a problem of these chunks, or, without a profile, of all rows */
PETSC_INTERN void AutoCSRProblemSetChunks(AutoCSRProblem *, PetscInt chunk_begin, PetscInt chunk_end);

typedef struct {
  const char *name;
  const char *source; /* paper and section */
  PetscBool   whole;  /* covers all rows of the block or nothing: not for row ranges */
  /*
    variants: the axes worth considering for this problem (every coding that the profile allows and the settings do not
    exclude), at most max of them, best guesses first. None: not applicable; then *why is a static sentence.
  */
  PetscErrorCode (*variants)(const AutoCSRProblem *, PetscInt max, AutoCSRAxes axes[], PetscInt *n, const char **why);
  PetscErrorCode (*cost)(const AutoCSRProblem *, const AutoCSRAxes *, AutoCSRCost part[AUTOCSR_MAX_PARTS], PetscInt *n); /* one for each segment that build adds */
  PetscErrorCode (*build)(const AutoCSRProblem *, const AutoCSRAxes *, AutoCSRPlan *);                                   /* adds the segments of the problem's rows */
  PetscErrorCode (*describe)(const AutoCSRProblem *, const AutoCSRAxes *, size_t len, char text[]);                      /* what it does with these rows, in words: the first half of plan->why */
} AutoCSRStrategy;

/* strategy/preset.c: entries that one lane works on, one after the other, of a row of so many */
PETSC_INTERN double AutoCSRLongestWalk(const AutoCSRAxes *, double length);

/* strategy/binned.c: rows of a virtual row that may be asked for, 10, 20, 50, 100 ... 10^6 (U of hou2017) */
#define AUTOCSR_GRANULARITIES 16
PETSC_INTERN const PetscInt AutoCSRGranularity[AUTOCSR_GRANULARITIES];

/* strategy/table.c */
PETSC_INTERN const AutoCSRStrategy *const AutoCSRStrategies[];                                         /* ends with NULL */
PETSC_INTERN PetscErrorCode               AutoCSRStrategyFind(const char[], const AutoCSRStrategy **); /* an error that lists the names if there is none */

#endif
