/*
  The profile tells what the sparsity of one block looks like: the features of hou2017 (Table I) and dufrechou2021, and what
  the codings need to know. It reads the CSR and knows nothing of plans. Features that differ along the matrix are kept for
  each zone of rows, so that the planner can plan row ranges apart.
*/
#ifndef AUTOCSR_PROFILE_H
#define AUTOCSR_PROFILE_H

#include "../autocsr.h"
#include "planes.h"

#define AUTOCSR_HISTOGRAM_BINS 32 /* bin 0: empty rows; bin b: lengths in [2^(b-1), 2^b); the last bin has longer rows, too */
#define AUTOCSR_MAX_ZONES      128
#define AUTOCSR_MAX_PATTERNS   1024 /* most patterns in the dictionary, those of the most rows */
#define AUTOCSR_NO_PATTERN     0xFFFF
#define AUTOCSR_MAX_DISTINCT   256 /* distinct values of a dictionary; a matrix with more has none */
#define AUTOCSR_LARGEST_BLOCK  8
#define AUTOCSR_NODE_ROWS      8
#define AUTOCSR_NODE_SHORT     8     /* entries of a row from which on kernels of nodes add them in vectors */
#define AUTOCSR_LINE           64    /* bytes of x that come together */
#define AUTOCSR_WINDOW         256   /* rows of a sorting window on a device */
#define AUTOCSR_WINDOW_LOW     16384 /* the same for low slices, a processor's: the more rows, the longer the runs of slices of one width */

/* Rows [row_begin, row_end). Both are multiples of the slice height and of AUTOCSR_WINDOW, but for the last zone's end */
typedef struct {
  PetscInt row_begin, row_end, nnz;
  PetscInt min_length, max_length, empty_rows;
  PetscInt padded;            /* slots of slices of slice_height rows, in natural order */
  PetscInt padded_sorted;     /* the same with rows sorted by length, in windows that begin with the zone */
  PetscInt slices, slices_16; /* all slices, and slices whose columns span less than 65536 */
  PetscInt slices_16_sorted;  /* such slices in sorted order */
  PetscInt pattern_rows;      /* rows whose pattern is in the dictionary */
  PetscInt uniform_slices;    /* slices whose rows all have one pattern of the dictionary */
  /* Nodes of AUTOCSR_NODE_ROWS rows at most. If a sample shows few nodes each row counts as one; 0 on a device, which looks for none */
  PetscInt nodes;
  PetscInt node_entries; /* entries of each node's first row */
  /* Bytes of an entry's index by models, padding included, from a sample (on a processor one slice); 0 without entries */
  double fitted;
  /*
    Lines of x that come from afar, divided by entries, from a sample; 0 without entries. Device: distinct lines that 256
    rows touch, 1/8 for a stencil, near 1 for random columns (FP64). Processor: lines of a slice that lie beside no other
    line of it or of the slice next to it. That is near 0 for a stencil, and 0 if the first-level cache holds x
  */
  double gather_lines;
} AutoCSRZone;

typedef struct {
  const AutoCSRBackend *backend; /* the matrix's */
  PetscInt              m, n, nnz;
  PetscInt              slice_height;
  PetscBool             unsorted;  /* in some row columns do not ascend strictly: no column is coded, no block, pattern or value looked at */
  PetscBool             rows_only; /* the profile has not looked for dense blocks, nodes, patterns, models, reach and values */
  PetscInt              window;    /* rows of a sorting window whose padding is profiled */
  PetscInt              min_length, max_length, empty_rows;
  double                mean_length, variance;
  PetscInt              histogram[AUTOCSR_HISTOGRAM_BINS];     /* rows, by length */
  PetscInt              histogram_nnz[AUTOCSR_HISTOGRAM_BINS]; /* their nonzeros */
  PetscInt              bandwidth;                             /* largest |column - row| */
  /* The rows of a sorting window lie within this many columns, wherever the window begins; n if a window has AUTOCSR_WINDOW rows */
  PetscInt window_span;
  PetscInt row_span; /* largest (last column - first column) of a row */
  PetscInt64 spans;  /* columns from a row's first to its last, summed over all rows; bw_avg of dufrechou2021 is its mean */
  /* Bytes of x that gathers read from, as if all were read equally often, from a sample. Without a sample: all of x, or a line an entry */
  double   reach;
  PetscInt tile_width; /* columns of a tile, as the caller says; 0: tile_steps is not counted */
  /* The sum, over entries with an entry before them in their row, of the distance of their columns, at most tile_width each */
  PetscInt64 tile_steps;
  double     reach_growth; /* `reach` grows as this power of the sample's size: 0 if lines are read equally often */
  PetscInt   block_size;   /* largest b up to AUTOCSR_LARGEST_BLOCK such that the pattern is made of dense, aligned b by b blocks */
  /* Row patterns, lists of column - row, in the dictionary; AUTOCSR_MAX_PATTERNS + 1: too few rows share one */
  PetscInt  patterns;
  PetscInt *pattern_row; /* the first row of each pattern, ascending; NULL without a dictionary */
  /* m patterns of rows in the backend's memory, AUTOCSR_NO_PATTERN if the dictionary lacks the pattern; NULL without a dictionary */
  uint16_t     *pattern_id;
  AutoCSRPlanes planes;         /* of the pattern of the most rows, the first of equals */
  PetscInt      values;         /* distinct values, by their bits; AUTOCSR_MAX_DISTINCT + 1: more, or not looked at */
  PetscScalar  *value;          /* the distinct values in ascending order of their bits */
  PetscBool     pattern_values; /* rows of one pattern in the dictionary have the same values; looked at only if few values are distinct */
  /*
    Diagonals that the patterns reach on one side, with the main one. 0 on a device, or unless the patterns cover all rows,
    fill half of these diagonals, and the values are symmetric bit by bit
  */
  PetscInt    diagonals;
  PetscBool   float32_exact; /* every value is a float32 (PETSC_FALSE if PetscScalar is single) */
  PetscInt    zones;
  AutoCSRZone zone[AUTOCSR_MAX_ZONES];
  double      seconds; /* that profiling took */
} AutoCSRProfile;

/*
  The dictionary of patterns. A sample of 16 to 64 rows of each zone shows which patterns recur; these come first. Then the
  profile looks at each row of zones with many recurring rows (AutoCSRSampleShowsPatterns()). So irregular zones cost
  nothing, and a matrix that is a stencil in part keeps the stencil's patterns.

  In these zones at most 8 * AUTOCSR_MAX_PATTERNS patterns are collected beside those that recur in the sample. The
  dictionary keeps the patterns with the most rows, the first of equals. If there are more than can be collected, only
  patterns that recur in the sample count. Rows without entries have a pattern too, the empty one.

  AutoCSRProfileCreate() looks at everything; AutoCSRProfileLook() may look at the rows alone.
*/
PETSC_INTERN PetscErrorCode AutoCSRProfileCreate(const AutoCSRMatrix *, PetscInt slice_height, AutoCSRProfile **);
PETSC_INTERN PetscErrorCode AutoCSRProfileLook(const AutoCSRMatrix *, PetscInt slice_height, PetscInt tile_width, PetscBool rows_only, AutoCSRProfile **);
PETSC_INTERN PetscErrorCode AutoCSRProfileDestroy(AutoCSRProfile **);
PETSC_INTERN PetscErrorCode AutoCSRProfileFill_Host(const AutoCSRMatrix *, AutoCSRProfile *);

/* profile/reach.c: the share of gathers that find their line in a cache of so many bytes */
PETSC_INTERN double AutoCSRProfileHeld(const AutoCSRProfile *, double bytes);

/* profile/nodes.c: the end of the node that begins with this row, row_end at most */
PETSC_INTERN PetscInt AutoCSRNodeEnd(const AutoCSRMatrix *, PetscInt row, PetscInt row_end);

/* profile/symmetry.c, on the host: whether the values are symmetric bit by bit, complex ones too (without conjugation) */
PETSC_INTERN PetscBool AutoCSRValuesAreSymmetric(const AutoCSRMatrix *);

/* profile/sort.c: sorts the n named rows by length, longest first, stable; work[] has room for n */
PETSC_INTERN PetscErrorCode AutoCSRSortRowsByLength(const PetscInt row_ptr[], PetscInt n, PetscInt rows[], PetscInt work[]);

#endif
