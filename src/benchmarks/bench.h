/* What the parts of the benchmark program share: operations and variants as data, and the result of one measurement. */
#ifndef BENCH_H
#define BENCH_H

#include <petscautocsr.h>
#include "matrices.h"

/* An operation: what is run on every variant */
typedef struct {
  const char *name;
  PetscInt    k; /* columns of the dense operand */
  PetscErrorCode (*apply)(Mat, Vec, Vec);
} Op;

/* A way to hold the matrix: PETSc's type, with one option set while it is made */
typedef struct {
  const char *name;
  MatType     type;
  const char *option, *value;        /* NULL: none */
  PetscBool   baseline;              /* counts for "the best of PETSc's types" */
  const char *strategy;              /* what the plan's segments must be; NULL: anything */
  PetscInt64 (*stored)(const Csr *); /* bytes of the matrix read by a product; NULL: the library says */
} Variant;

typedef struct {
  const Variant *variant;
  double         us;             /* median time of one application */
  double         setup_products; /* conversion and first application less one application, in applications of the first variant */
  PetscInt64     bytes;          /* moved by one application */
  char           chosen[32];     /* strategy chosen by the library */
} Result;

typedef struct {
  double   seconds;   /* for measuring one matrix, all variants together */
  double   memory;    /* bytes */
  PetscInt rounds;    /* at most */
  char     only[512]; /* comma-separated names of variants, empty: all */
} Limits;

extern const Op      Ops[];      /* ends with a NULL name */
extern const Variant Variants[]; /* ends with a NULL name; the first is the reference for correctness and setup */
#define BENCH_MAX_VARIANTS 32

/* variants.c */
PetscErrorCode VariantUsable(const Variant *, PetscBool *);
PetscErrorCode ListHas(const char list[], const char name[], PetscBool *); /* comma-separated; an empty list has all */
PetscErrorCode AutoCSRInfoGet(Mat, MatAutoCSRInfo *, PetscBool *);         /* PETSC_FALSE: no autocsr matrix */

/* measure.c */
PetscErrorCode Measure(const char matrix[], const Csr *, const Op *, const Limits *, Result[], PetscInt *);

/* report.c */
typedef struct _Report *Report;
PetscErrorCode          ReportOpen(const char folder[], Report *); /* folder for the CSV file; empty: none */
PetscErrorCode          ReportMatrix(Report, const char group[], const char matrix[], const Csr *, const Op *, const Result[], PetscInt);
PetscErrorCode          ReportClose(Report *);

#endif
