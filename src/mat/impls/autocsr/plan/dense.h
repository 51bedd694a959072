/*
  Products with dense matrices, C = A B, and dense matrices sampled where A has entries, A .* (X Y^T) (hong2019, 2.2: SpMM
  and SDDMM). PETSc stores the columns of a dense matrix one after the other. An entry of A meets as many scalars as B has
  columns, and these lie side by side only in a row. So a backend copies a panel, some columns of B, row by row, and
  multiplies the panel at once, by the rows of A in their order.

  The host takes rows one after the other. It copies a row of B when the first row of A has an entry for it. Once the last
  row of A has, the place is another row's. The panel of a banded matrix is no longer than the band is wide, and stays in a
  cache.
*/
#ifndef AUTOCSR_DENSE_H
#define AUTOCSR_DENSE_H

#include "plan.h"

/*
  A device takes row blocks. If B is copied to a panel, a row block has this many entries at most; a row of more than a
  quarter of them has row blocks of its own
*/
#define AUTOCSR_DENSE_BLOCK 1024
/* The same if columns of B are read as they lie */
#define AUTOCSR_DENSE_BLOCK_ALONGSIDE 1536

/*
  The host takes this many rows of A at a time, and copies as many rows of B. With single rows each line of a column would
  be on another page
*/
#define AUTOCSR_DENSE_STRIP 64

/* How a backend goes about it */
typedef enum {
  AUTOCSR_DENSE_PANELS,    /* B is copied to panels */
  AUTOCSR_DENSE_ALONGSIDE, /* B is read as it lies: neighbouring rows have neighbouring columns. A processor takes panels */
  AUTOCSR_DENSE_ADAPTIVE,  /* adaptive sparse tiles (layout/adaptive.h), in `tiles` */
  AUTOCSR_DENSE_BUNDLES,   /* bundles of rows (layout/bundled.h), in `tiles`, on a device, in real double; elsewhere panels are taken */
  AUTOCSR_DENSE_WHOLE,     /* a device makes all of Y X^T, and each entry takes its own; products A B take panels */
  AUTOCSR_DENSE_COLUMNS    /* column by column, by the plan: no backend's way */
} AutoCSRDenseWay;
PETSC_INTERN const char *const AutoCSRDenseWayNames[];

/* Which way the products of a width went, for the view */
typedef struct {
  PetscInt        columns; /* 0: no product */
  PetscBool       sampled; /* A .* (X Y^T), else A B */
  AutoCSRDenseWay way;
} AutoCSRDenseTaken;
#define AUTOCSR_DENSE_TAKEN 8 /* widths that a matrix remembers */

#if defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_COMPLEX)
  #define AUTOCSR_HAS_BUNDLES 1
#else
  #define AUTOCSR_HAS_BUNDLES 0
#endif

typedef struct {
  const AutoCSRMatrix *csr;
  PetscInt             columns, ldb, ldc;
  PetscInt             longest; /* no row of A has more entries */
  AutoCSRDenseWay      way;
  PetscBool            by_rows; /* row i of B lies at B + i * ldb, side by side; else column j at B + j * ldb */
  PetscBool            add;     /* C += A B */
  PetscBool            few;     /* few columns are multiplied, too: the caller has no other way */
  const PetscScalar   *B;       /* csr->n by columns */
  PetscScalar         *C;       /* csr->m by columns, written */
  const char          *simd;    /* for the host, as AutoCSRSettings has it */
} AutoCSRDenseOperands;

/*
  val[q] = csr->val[q] times the product of row i of X and row j of Y, neither conjugated, for the q-th entry (i, j). val
  may be csr->val
*/
typedef struct {
  const AutoCSRMatrix *csr;
  PetscInt             columns, ldx, ldy;
  AutoCSRDenseWay      way;     /* for rows of Y */
  PetscBool            by_rows; /* of Y, as above */
  const PetscScalar   *X, *Y;   /* csr->m and csr->n by columns */
  PetscScalar         *val;
  const char          *simd;
} AutoCSRSampledOperands;

/* A dense matrix from its column `first` on */
static inline const PetscScalar *AutoCSRDenseFrom(const PetscScalar B[], PetscInt ldb, PetscBool by_rows, PetscInt first)
{
  return by_rows ? B + first : B + (size_t)first * (size_t)ldb;
}

/*
  A sample of row panels tells what adaptive tiles would give (hong2019, 3). `heavy` counts entries in heavy tiles, `columns` the
  columns of heavy tiles, once for each row panel, and `rows` the rows of heavy tiles that have entries; each over all entries
*/
typedef struct {
  PetscBool known;
  double    panels; /* row panels of the matrix */
  double    heavy, columns, rows;
} AutoCSRTileShare;

/* A backend makes these arrays once and keeps them from product to product. They fit any B and, but for `tiles`, any values of the matrix */
typedef struct {
  const AutoCSRBackend *backend;
  AutoCSRPlan          *blocks;  /* a plan of one segment, whose WORK tells where row blocks begin */
  PetscInt              entries; /* of a row block, at most */
  PetscBool             light;   /* row blocks are of the entries in light tiles of `tiles`, else of all */
  PetscInt             *first;   /* for each strip: the first column that it, or a strip after it, has */
  PetscInt             *last;    /* for each strip: 1 + the last column that it, or a strip before it, has; NULL: neither is known */
  PetscInt              step;    /* rows of A that were taken at a time when `window` was found; it is found anew for another step */
  PetscInt              window;  /* rows of B from the first to the last that such a step, or a step on either side of it, needs */
  AutoCSRPlan          *tiles;   /* a plan of one segment of order adaptive or bundled, NULL if there is none */
  PetscInt              heavy_from, tile_rows; /* of adaptive tiles, by the machine's figures: entries of a heavy column, rows of a row panel; 0: the backend's */
  PetscBool             current; /* `tiles` has the matrix's values, or needs none */
  PetscBool             no_room; /* making `tiles`, or looking at a sample of them, lacked memory: bundles are not considered again */
  PetscBool             no_whole; /* there was no memory for all of Y X^T, which is not asked for again */
  AutoCSRTileShare      share;
  double                units; /* of bundles (layout/bundled.h), over all entries: as a sample tells if there was one, so that what decides stays the same; 0: not known */
  double                spent; /* predicted seconds of products so far, until `share` is known */
  double                owed;  /* predicted seconds that products would have saved by `tiles` so far, until there are tiles */
  void                 *counters; /* of bundles on a device (cuda/dense/dense_bundled.cu), as the next two */
  size_t                n_counters;
  unsigned              serial;
  void                 *panel;   /* kept, because memory that is touched for the first time takes as long as filling it */
  size_t                panel_bytes;
} AutoCSRDense;

PETSC_INTERN PetscErrorCode AutoCSRDenseCreate(const AutoCSRBackend *, AutoCSRDense **);
/* Makes `blocks` for a device, of this matrix; light: it is that of light tiles */
PETSC_INTERN PetscErrorCode AutoCSRDenseFindBlocks(AutoCSRDense *, const AutoCSRMatrix *, PetscInt entries, PetscBool light);
/* Makes `first` and `last` for the host if they are not there, and `window`; step: a multiple of AUTOCSR_DENSE_STRIP rows of A */
PETSC_INTERN PetscErrorCode AutoCSRDenseFindBand(AutoCSRDense *, const AutoCSRMatrix *, PetscInt step);
/* Axes of adaptive tiles that the backend has shaped, by the machine's figures where there are some */
PETSC_INTERN void AutoCSRDenseShapeTiles(const AutoCSRDense *, AutoCSRAxes *);
/* Finds `share` in a few row panels, if it is not known */
PETSC_INTERN PetscErrorCode AutoCSRDenseSampleTiles(AutoCSRDense *, const AutoCSRMatrix *);
/* Finds `units` in some bundles, if it is not known */
PETSC_INTERN PetscErrorCode AutoCSRDenseSampleBundles(AutoCSRDense *, const AutoCSRMatrix *);
/* Makes `tiles` of this order, adaptive or bundled, shaped by the backend and the machine's figures, or writes new values into them */
PETSC_INTERN PetscErrorCode AutoCSRDenseFindTiles(AutoCSRDense *, const AutoCSRMatrix *, AutoCSROrder);
PETSC_INTERN PetscErrorCode AutoCSRDenseDestroy(AutoCSRDense **);
PETSC_INTERN PetscErrorCode AutoCSRDenseGetPanel(AutoCSRDense *, size_t bytes, void **); /* of `bytes` at least */

#endif
