/*
  What the sparsity of one block looks like: the features of hou2017 (Table I) and dufrechou2021, and what the codings
  need to know. Reads the CSR; knows nothing of plans. Features that differ along the matrix are kept by chunk of rows,
  so that row ranges can be planned apart.
*/
#ifndef AUTOCSR_PROFILE_H
#define AUTOCSR_PROFILE_H

#include "../autocsr.h"

#define AUTOCSR_HISTOGRAM_BINS 32 /* bin 0: empty rows; bin b: lengths in [2^(b-1), 2^b) */
#define AUTOCSR_MAX_CHUNKS     128
#define AUTOCSR_MAX_PATTERNS   1024 /* patterns that the dictionary keeps: those of the most rows */
#define AUTOCSR_NO_PATTERN     0xFFFF
#define AUTOCSR_MAX_DISTINCT   256 /* more distinct values: the dictionary is given up */
#define AUTOCSR_LARGEST_BLOCK  8
#define AUTOCSR_NODE_ROWS      8
#define AUTOCSR_NODE_SHORT     8     /* entries of a row from which on its kernels add them in vectors */
#define AUTOCSR_LINE           64    /* bytes of x that come together */
#define AUTOCSR_WINDOW         256   /* rows of a sorting window on a device */
#define AUTOCSR_WINDOW_LOW     16384 /* where slices are low, as a processor's: the more rows, the longer the runs of slices of one width */

/* Rows [row_begin, row_end); both are multiples of the slice height and of AUTOCSR_WINDOW but for the last chunk's end */
typedef struct {
  PetscInt row_begin, row_end, nnz;
  PetscInt min_length, max_length, empty_rows;
  PetscInt padded;            /* entries of slices of slice_height rows in natural order, padding counted */
  PetscInt padded_sorted;     /* the same, rows sorted by length in windows from the chunk's first row on */
  PetscInt slices, slices_16; /* slices, and those whose columns span less than 65536 */
  PetscInt slices_16_sorted;  /* the same in sorted order */
  PetscInt pattern_rows;      /* rows whose pattern is in the dictionary */
  PetscInt uniform_slices;    /* slices whose rows all have one pattern of the dictionary */
  PetscInt nodes;             /* runs of rows with the same columns, AUTOCSR_NODE_ROWS at most; where a sample shows few, each row counts as one. Not looked for on a device (0) */
  PetscInt node_entries;      /* of the first row of each */
  double   fitted;            /* bytes of an index coded by models, padding counted (from a sample, on a processor of one slice); 0 if there are no entries */
  double   gather_lines;      /* 64-byte lines of x that must come from afar, by entries (from a sample): on a device the distinct ones that a block's 256 rows touch, 1/8 for a stencil, near 1 for random columns (FP64); on a processor those of a slice that are not beside others of it or of the slice next to it, near 0 for a stencil, and 0 where all of x is in the first-level cache; 0 if there are no entries */
} AutoCSRChunk;

/*
  The commonest pattern, of a grid: a row reads x in planes of `stride` rows, its own, and `around` before it and after it; in each not farther than
  `reach` columns from where the row lies. Where all is that near, the plane is as many rows as one likes
*/
#define AUTOCSR_PLANES_ENTRIES  31   /* of the pattern, at most */
#define AUTOCSR_PLANES_AROUND   2    /* and so many planes, */
#define AUTOCSR_PLANES_REACH    512  /* and columns, */
#define AUTOCSR_PLANES_ROWS     1024 /* the stride where there is but one plane */
#define AUTOCSR_PLANES_PATTERNS 256  /* it is among the first so many, whose masks a block keeps (cuda/agent_planes.cuh) */
#define AUTOCSR_PLANES_OTHERS   8    /* and one row in so many, at most, has as many entries elsewhere: such a row is walked apart. Not fitted: of two unknowns a point each has half */

typedef struct {
  PetscInt stride, around, reach; /* stride 0: it is no such pattern, or there are none */
  PetscInt others;                /* rows of patterns that are no part of it, with as many entries or more */
} AutoCSRPlanes;

/* The plane, counted from a row's own, that a column so far from the row lies in */
AUTOCSR_HD PetscInt AutoCSRPlaneOf(PetscInt offset, PetscInt stride)
{
  const PetscInt64 from = (PetscInt64)offset + stride / 2;

  return (PetscInt)(from >= 0 ? from / stride : -((stride - 1 - from) / stride));
}

typedef struct {
  const AutoCSRBackend *backend; /* of the matrix */
  PetscInt              m, n, nnz;
  PetscInt              slice_height;
  PetscBool             unsorted;  /* in some row columns do not ascend strictly: codings of columns are out of question */
  PetscBool             rows_only; /* of blocks, patterns, models and values nothing is known: none of them is there */
  PetscInt              window;    /* rows of a sorting window whose padding is profiled */
  PetscInt              min_length, max_length, empty_rows;
  double                mean_length, variance;
  PetscInt              histogram[AUTOCSR_HISTOGRAM_BINS];     /* rows, by length */
  PetscInt              histogram_nnz[AUTOCSR_HISTOGRAM_BINS]; /* their nonzeros */
  PetscInt              bandwidth;                             /* largest |column - row| */
  PetscInt              window_span;                           /* no fewer columns than the rows of a sorting window lie within, wherever it begins; n where a window has AUTOCSR_WINDOW rows */
  PetscInt              row_span;                              /* largest last column - first column of a row; on a device not counted (0) */
  double                reach;                                 /* bytes of x that gathers read from, as if all were read equally often (from a sample); where that was not looked at all of x, or a line an entry */
  PetscInt              tile_width;                            /* columns of a tile, as slice_height said by who looks; 0: nothing is counted of tiles */
  PetscInt64            tile_steps;                            /* sum over the entries whose column is past that of the one before them in their row: how far, at most tile_width */
  double                reach_growth;                          /* it grows as this power of the sample's size: 0 where lines are read equally often */
  PetscInt              block_size;                            /* largest b, to AUTOCSR_LARGEST_BLOCK, such that the pattern is made of dense aligned b by b blocks */
  PetscInt              patterns;                              /* row patterns (column - row lists) in the dictionary; AUTOCSR_MAX_PATTERNS + 1: too few rows share one */
  PetscInt             *pattern_row;                           /* patterns: the first row of each, ascending; NULL if there is no dictionary */
  uint16_t             *pattern_id;                            /* m, in the memory of the backend: the pattern of each row, AUTOCSR_NO_PATTERN if it is not in the dictionary; NULL as above */
  AutoCSRPlanes         planes;                                /* of the pattern of the most rows, of equals the first */
  PetscInt              values;                                /* distinct values (by their bits); AUTOCSR_MAX_DISTINCT + 1: more */
  PetscScalar          *value;                                 /* the distinct values in ascending order of their bits */
  PetscBool             pattern_values;                        /* rows of one pattern of the dictionary have the same values; looked at only where few values are distinct */
  PetscInt              diagonals;                             /* that the patterns reach on one side, the main one too, if they cover all rows, have half of these diagonals' entries and the values are symmetric, bit by bit; else, and on a device, 0 */
  PetscBool             float32_exact;                         /* every value is a float32 (PETSC_FALSE where PetscScalar is single) */
  PetscInt              chunks;
  AutoCSRChunk          chunk[AUTOCSR_MAX_CHUNKS];
  double                seconds; /* what profiling took */
} AutoCSRProfile;

/*
  The dictionary of patterns. A sample of 16 to 64 rows of each chunk shows which patterns recur; these come first. Rows are
  looked at one by one only in chunks where half of the sample's filled rows recur (three quarters where samples are
  large; in all chunks if m is at most AUTOCSR_MAX_PATTERNS and rows are not long), so irregular parts cost nothing and a matrix of which a part is a stencil keeps the stencil's
  patterns. Up to 8 * AUTOCSR_MAX_PATTERNS patterns are collected there beside those that recur in the sample, and those
  with the most rows are kept, of equals the first; if there are more, only those that recur in the sample count.
  Rows without entries have a pattern too, the empty one.
*/
PETSC_INTERN PetscErrorCode AutoCSRProfileCreate(const AutoCSRMatrix *, PetscInt slice_height, AutoCSRProfile **);
PETSC_INTERN PetscErrorCode AutoCSRProfileLook(const AutoCSRMatrix *, PetscInt slice_height, PetscInt tile_width, PetscBool rows_only, AutoCSRProfile **);
PETSC_INTERN PetscErrorCode AutoCSRProfileDestroy(AutoCSRProfile **);
PETSC_INTERN PetscErrorCode AutoCSRProfileFill_Host(const AutoCSRMatrix *, AutoCSRProfile *);

/* profile/reach.c: the share of gathers that find their line in a cache of so many bytes */
PETSC_INTERN double AutoCSRProfileHeld(const AutoCSRProfile *, double bytes);

/* profile/nodes.c: the end of the node that begins with a row, row_end at most */
PETSC_INTERN PetscInt AutoCSRNodeEnd(const AutoCSRMatrix *, PetscInt row, PetscInt row_end);

/* profile/symmetry.c: bit by bit, complex ones too; on the host */
PETSC_INTERN PetscBool AutoCSRValuesAreSymmetric(const AutoCSRMatrix *);

/* profile/sort.c: the n rows that are named in rows, longest first, stable; work holds n */
PETSC_INTERN PetscErrorCode AutoCSRSortRowsByLength(const PetscInt row_ptr[], PetscInt n, PetscInt rows[], PetscInt work[]);

#endif
