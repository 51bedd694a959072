/*
  What a learned chooser knows of a matrix and of a variant, as numbers: the features of dufrechou2021 (section 3) and hou2017
  (Table I), what else the profile tells, and what the cost model says. Training data has them by these names
  (src/benchmarks/programs/training.c), so that trees meet in a program what they were trained on.
*/
#ifndef AUTOCSR_FEATURES_H
#define AUTOCSR_FEATURES_H

#include "candidate.h" /* how many there are */

typedef enum {
  /* The nine of dufrechou2021, of which hou2017 has those that are no ratio */
  AUTOCSR_FEATURE_ROWS,
  AUTOCSR_FEATURE_COLUMNS,
  AUTOCSR_FEATURE_ASPECT, /* rows by columns */
  AUTOCSR_FEATURE_NONZEROS,
  AUTOCSR_FEATURE_MAX, /* entries of a row */
  AUTOCSR_FEATURE_MIN,
  AUTOCSR_FEATURE_MEAN,
  AUTOCSR_FEATURE_STD,
  AUTOCSR_FEATURE_SPAN, /* bw_avg */
  /* What else the profile tells */
  AUTOCSR_FEATURE_WIDEST, /* row_span */
  AUTOCSR_FEATURE_EMPTY,  /* share of the rows without entries */
  AUTOCSR_FEATURE_BANDWIDTH,
  AUTOCSR_FEATURE_REACH,
  AUTOCSR_FEATURE_REACH_GROWTH,
  AUTOCSR_FEATURE_LINES,  /* gather_lines of all zones */
  AUTOCSR_FEATURE_PADDED, /* slots of slices for each entry */
  AUTOCSR_FEATURE_PADDED_SORTED,
  AUTOCSR_FEATURE_FITTED,
  AUTOCSR_FEATURE_PATTERN_ROWS,   /* share of the rows */
  AUTOCSR_FEATURE_UNIFORM_SLICES, /* share of the slices */
  AUTOCSR_FEATURE_SLICES_16,      /* likewise */
  AUTOCSR_FEATURE_NODE_ENTRIES,   /* share of the entries; 0 on a device */
  AUTOCSR_FEATURE_BLOCK,
  AUTOCSR_FEATURE_VALUES,      /* distinct ones */
  AUTOCSR_FEATURE_UNEVEN,      /* entries of the zone with the most, by the mean zone's */
  AUTOCSR_FEATURE_STEPS,       /* tile_steps for each entry */
  AUTOCSR_FEATURE_WINDOW_SPAN, /* share of the columns */
  AUTOCSR_FEATURE_ROWS_ONLY
} AutoCSRFeature;

/* After those of the matrix: the axes as numbers, then what the cost model says */
typedef enum {
  AUTOCSR_FEATURE_STRATEGY = AUTOCSR_MATRIX_FEATURES, /* its place in the list of the learned table */
  AUTOCSR_FEATURE_ORDER,
  AUTOCSR_FEATURE_INDEX,
  AUTOCSR_FEATURE_VALUE,
  AUTOCSR_FEATURE_MAPPING,
  AUTOCSR_FEATURE_LANES,
  AUTOCSR_FEATURE_ROW_GROUP,
  AUTOCSR_FEATURE_SEGMENTS,
  AUTOCSR_FEATURE_PREDICTED, /* microseconds of a product */
  AUTOCSR_FEATURE_WORK,      /* this and the next three: shares of these */
  AUTOCSR_FEATURE_GATHER,
  AUTOCSR_FEATURE_STREAM,
  AUTOCSR_FEATURE_WAIT,
  AUTOCSR_FEATURE_MOVED, /* bytes of a product for each entry */
  AUTOCSR_FEATURE_KEPT   /* bytes kept beside the CSR for each entry */
} AutoCSRVariantFeature;

PETSC_INTERN const char *const AutoCSRFeatureNames[AUTOCSR_FEATURES];

/* The name of the machine that trees are trained on: a device's own, else vendor, family and model of the processor. It has no comma */
PETSC_INTERN PetscErrorCode AutoCSRFeaturesMachine(const AutoCSRBackend *, size_t len, char name[]);

PETSC_INTERN void AutoCSRFeaturesOfMatrix(const AutoCSRProfile *, float features[]);
/* Those of the matrix are there already. seconds: predicted, of a product */
PETSC_INTERN void AutoCSRFeaturesOfVariant(const AutoCSRAxes *, const AutoCSREvaluation *, double seconds, float nnz, int strategy, float features[]);

#endif
