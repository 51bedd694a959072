/*
  A strategy is a named preset over the axes of a segment: one file with variants, cost, build and describe, and one line in
  table.c. It reads the profile, the settings and the backend's sizes. It calls no kernel, and knows no machine and no other
  strategy.
*/
#ifndef AUTOCSR_STRATEGY_H
#define AUTOCSR_STRATEGY_H

#include "../plan/plan.h"
#include "../profile/profile.h"
#include "../backend.h"

#define AUTOCSR_MAX_VARIANTS 32
#define AUTOCSR_MAX_SEGMENTS 16

/* Slices with several lanes a row are measured with this number of lanes; rows of other slices are counted in such rows */
#define AUTOCSR_MEASURED_LANES 8

/*
  The cost of one segment in counts that do not depend on the machine. choose/ turns them into seconds by the figures of the
  executor that runs these axes.
*/
typedef struct {
  AutoCSRAxes axes;
  double      rows;      /* rows that are worked on: slices * slice_height in slices, pieces in column tiles */
  double      entries;   /* entries that are worked on, padding included */
  double      bytes;     /* moved: streams and CSR arrays read, x once, y written */
  double      strided;   /* values among these that lanes read a row's length apart */
  double      scattered; /* cache lines of x fetched, if neighbouring rows share theirs (the profile's gather_lines) */
  double      longest;   /* most entries that one lane works on */
  PetscBool   joins;     /* its segment shares a launch with the segment before it, on a device */
  PetscBool   named;     /* ROWS names the rows: they do not lie side by side */
  /*
    Irregular parts, which leave the executor's fast path. Lanes, nodes and row blocks: uneven rows. Slices: entries past a
    slice's shortest row. Patterns: entries of slices with several patterns. TILE: tiles with empty rows. On a device column
    tiles count the columns of x that items copy
  */
  double irregular;
  double own_bytes; /* kept on top of the CSR */
  /* Bytes that building takes beside own_bytes; only strategies that sort entries or pieces count them */
  double scratch;
  double build; /* bytes read and written to build it */
} AutoCSRCost;

/* The profile of a problem's rows; without a profile only `rows` and `nnz` are set. longest: entries of the longest row */
typedef struct {
  PetscInt longest, rows, empty_rows, slices, slices_16, slices_16_sorted, uniform_slices, pattern_rows;
  double   nodes, node_entries;
  double   nnz, padded, padded_sorted, gather_lines, fitted; /* fitted: bytes of an entry, as in the profile */
} AutoCSRRange;

/*
  What strategies count with, measured for a kind of machine: machine/traits.c has the numbers and how to find them. A number
  that its strategy does not ask for on that kind of machine is left out. Counts are of entries unless a unit is told
*/
typedef struct {
  double learnt_rows;      /* csr, inode: rows from which on a branch predictor learns the end of none; of fewer rows the unlearnt share is as much smaller */
  double mispredicted;     /* pattern: entries that take as long as the end of a row of mixed patterns */
  double one_width;        /* sell, ell: the share of a slice's irregular entries that costs time where all slices have one width */
  double padding_read;     /* sell, ell: the share of padding that a lane reads which walks its row alone */
  double row_line;         /* csr: bytes of a row below which lanes leave the rest of what memory hands out to a cache */
  double row_walk;         /* csr: entries of a lane on average, past which lanes that read less than row_line at once are left out */
  double block_walk;       /* block: entries of one row of a block row for each lane */
  double wide_block_walk;  /* block: the same of wide blocks while lanes are few: what few lanes read of many rows lies far apart */
  double busy_lanes;       /* block: lanes that keep the machine busy */
  double warp_share;       /* rowbins: entries for each of the warps that share a row */
  double products_walk;    /* pcsr: a lane's additions that take as long as the products of a block, for each entry of a mean row */
  double tile_row;         /* segsum: entries that take as long as its lanes wait for a row of a tile */
  double dirty_tiles;      /* segsum: tiles of nearly empty rows that lie together take this many times as long */
  double planes_apart;     /* pattern by planes: rows that take as long as one of another root than most, which is walked apart */
  double masks_apart;      /* pattern by masks: the same, */
  double masks_apart_most; /* and most of these for each row */
  double node_rows;        /* inode: rows of a node on average, at least */
  double tiled_piece;      /* coltile: entries of a piece on average, at least: sums of shorter ones take longer than gathers */
  double tiles_of_cache;   /* coltile: tiles in the cache that holds x of neighbouring rows by itself */
  double popular_piece;    /* popular: as tiled_piece */
  double popular_reach;    /* popular: the share of x that gathers reach, at most */
  double popular_least;    /* popular: entries that pay for three launches and the sort */
  double popular_sort;     /* popular: bytes that take as long to read and write as sorting an entry */
  double propagate_reach;  /* propagate: bytes of x that caches hold beside what streams by; gathers must reach more */
  double propagate_sort;   /* propagate: as popular_sort */
} AutoCSRTraits;

/* binned: the kernel of each bin by a rule that was learned, for one granularity */
typedef struct {
  PetscInt granularity;
  uint8_t  log[AUTOCSR_MAX_BINS]; /* log2 of its lanes */
} AutoCSRBinKernels;

/* Bins that were counted for graphs, the last AUTOCSR_COUNTED_BINS of `n`: leaves of many graphs ask for the same */
#define AUTOCSR_COUNTED_BINS 8
typedef struct {
  PetscInt    begin, end, U, bins;
  AutoCSRBins bin;
} AutoCSRBinsOf;
typedef struct {
  PetscInt      n;
  AutoCSRBinsOf of[AUTOCSR_COUNTED_BINS];
} AutoCSRCountedBins;

/* The question to a strategy: rows [row_begin, row_end) of one block, whole zones or all rows */
typedef struct {
  const AutoCSRMatrix   *csr;
  const AutoCSRProfile  *profile;
  const AutoCSRSettings *settings;
  const AutoCSRTraits   *traits;
  /* Lanes that suit rows of a length, by histogram bin of the length (the rule set for kernels of hou2017, III-C) */
  const PetscInt *lanes;
  /* The machine works on many rows at once: the number of rows also decides how many lanes a row gets */
  PetscBool                parallel;
  const AutoCSRBinKernels *kernels;              /* NULL: lanes tell the kernels of all bins */
  PetscInt                 zone_begin, zone_end; /* of profile->zone */
  PetscInt                 row_begin, row_end;
  /* Bytes that the plan of all rows may take, and building it; 0: the planner has not asked */
  double              room;
  AutoCSRCountedBins *counted; /* NULL: nothing is kept */
  AutoCSRRange        range;   /* of these rows */
} AutoCSRProblem;

/* strategy/preset.c: makes it a problem of these zones or, without a profile, of all rows */
PETSC_INTERN void AutoCSRProblemSetZones(AutoCSRProblem *, PetscInt zone_begin, PetscInt zone_end);

typedef struct {
  const char *name;
  const char *source; /* paper and section */
  PetscBool   whole;  /* the strategy covers all rows of the block or none: it takes no row ranges */
  /*
    Lists the axes worth considering for this problem, at most `max`, best guesses first: every coding that the profile and
    the settings allow. *n is 0 if the strategy does not apply, and *why says why in a static sentence
  */
  PetscErrorCode (*variants)(const AutoCSRProblem *, PetscInt max, AutoCSRAxes axes[], PetscInt *n, const char **why);
  /* Counts the cost of each segment that `build` adds */
  PetscErrorCode (*cost)(const AutoCSRProblem *, const AutoCSRAxes *, AutoCSRCost segment[AUTOCSR_MAX_SEGMENTS], PetscInt *n);
  /* Adds the segments of the problem's rows to the plan; NULL: one segment of neighbouring rows (AutoCSRStrategyBuild()) */
  PetscErrorCode (*build)(const AutoCSRProblem *, const AutoCSRAxes *, AutoCSRPlan *);
  /* Says in words what the strategy does with these rows: the first half of plan->why */
  PetscErrorCode (*describe)(const AutoCSRProblem *, const AutoCSRAxes *, size_t len, char text[]);
} AutoCSRStrategy;

/* strategy/preset.c: entries that one lane works on, one after the other, in a row of `length` entries */
PETSC_INTERN double AutoCSRLongestWalk(const AutoCSRAxes *, double length);

/* strategy/binned.c: the numbers of rows that a virtual row may have, 10, 20, 50, 100 ... 10^6 (U of hou2017) */
#define AUTOCSR_GRANULARITIES 16
PETSC_INTERN const PetscInt AutoCSRGranularity[AUTOCSR_GRANULARITIES];

/* strategy/table.c */
PETSC_INTERN const AutoCSRStrategy *const AutoCSRStrategies[]; /* ends with NULL */
PETSC_INTERN PetscErrorCode               AutoCSRStrategyBuild(const AutoCSRStrategy *, const AutoCSRProblem *, const AutoCSRAxes *, AutoCSRPlan *);
/* If no strategy has this name, the error lists the names */
PETSC_INTERN PetscErrorCode AutoCSRStrategyFind(const char[], const AutoCSRStrategy **);

#endif
