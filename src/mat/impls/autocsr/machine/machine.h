/*
  What other rooms ask of the machine: the figures that a matrix is planned by, measuring while programs run and at once.
*/
#ifndef AUTOCSR_MACHINE_H
#define AUTOCSR_MACHINE_H

#include "../autocsr.h"
#include <petscviewer.h>

/* The machine's part of the figures (machine.c): shipped ones, until others are measured and kept in a file */
typedef struct {
  char      name[128];
  double    bandwidth[4];   /* bytes a second of a streaming read from L1, L2, L3 and memory */
  double    cache[3];       /* bytes of L1, L2 and L3, as in AutoCSRIdentity */
  double    random_line[4]; /* seconds of a random cache line of x from there, with many on their way */
  double    strided;        /* a read of values a row's length apart takes this many times as long as a streaming one */
  double    product;        /* seconds to start a product */
  double    launch;         /* seconds to start a segment of `alone` entries or more; segments that share a launch count it once */
  double    alone;          /* entries of a segment below which its start takes no time */
  double    in_work;        /* part of the time of streaming from L2 that an executor's work contains: 1, or 0 if both go on at once */
  double    not_hidden;     /* part of the shorter of two times that shows where two things go on at once */
  PetscBool parallel;       /* the machine works on many rows at once: the longest row may outlast all others */
  double    named_row;      /* bytes of sectors that are read and written for a row that is named, beyond the row's own, where most rows are other segments' */

  /* Planning. A look takes look_products starts of a product, look_passes over the CSR's bytes, and these seconds: look_start, look_row for each row, look_entry for each entry */
  double look_products, look_passes, look_start, look_row, look_entry;
  double rows_products;   /* a look at the rows alone, in starts of a product */
  double encode_products; /* launches that encode a segment, in starts of a product */
  double name_products;   /* the same if rows are named and nothing else is stored */

  /* Products with dense matrices */
  double dense_at_once; /* share of the sum of streaming and work that takes time, since both go on at once, where a panel of columns is copied */
  double dense_as_lies; /* the same where columns are read as they lie */
  double dense_row;     /* seconds of a row and panel */
  double dense_tile;    /* seconds an entry to make adaptive tiles; on a device, bundles */
  double dense_sample;  /* seconds to look at a sample of rows, whether these pay */
  double dense_long;    /* on a device: seconds an entry of the longest bundle, more */
  double dense_heavy;   /* entries in a row panel from which on a column pays as a heavy one; 0: the backend's number */
  double dense_rows;    /* rows of a row panel and columns of a tile; 0: what the backend makes of the caches */
} AutoCSRMachine;

/*
  The cost of an executor on entries that lie near: entries * entry + rows * row + irregular * irregular seconds. On a
  machine that is `parallel`, a launch adds the largest start + longest * walk of its segments. Streaming from memory takes
  `memory` times as long as the machine could, gathering x `gather` times (0: once). On a processor, gathering from caches
  takes `near` times (0: once) in place of `gather`.
*/
typedef struct {
  double entry, row, irregular, start, walk, memory, gather, near;
} AutoCSRExecutorCost;

/* The figures that a matrix is planned by. An empty matrix with a backend alone: the figures of the process */
PETSC_INTERN PetscErrorCode AutoCSRMachineGet(const AutoCSRMatrix *, const AutoCSRMachine **);

/*
  figures_pack.c: packs the figures of a backend's instruction set, with a digest. Unpack takes over the figures of another process
  for good; *figures is NULL if they are the process's own
*/
PETSC_INTERN size_t         AutoCSRFiguresBytes(void);
PETSC_INTERN PetscErrorCode AutoCSRFiguresGetDigest(const AutoCSRBackend *, const char simd[], uint64_t *);
PETSC_INTERN PetscErrorCode AutoCSRFiguresPack(const AutoCSRBackend *, const char simd[], void *bytes);
PETSC_INTERN PetscErrorCode AutoCSRFiguresUnpack(const AutoCSRBackend *, const char simd[], const void *bytes, const AutoCSRFigures **);

/* measure_slices.c: predicted seconds of products, which pay for measuring the machine, and the sum that pays the next slice */
PETSC_INTERN double AutoCSRMeasuringPaid, AutoCSRMeasuringDue;
/* Measures for the next slice, which products have paid for; an error in it ends measuring and not the product */
PETSC_INTERN PetscErrorCode AutoCSRMeasuringProceed(void);
/* Ends measuring, and keeps what is measured so far */
PETSC_INTERN PetscErrorCode AutoCSRMeasuringEnd(void);
/* measure_now.c: see MatAutoCSRTune() */
PETSC_INTERN PetscErrorCode AutoCSRMeasureNow(const AutoCSRBackend *, const char file[], PetscViewer);

#endif
