/* What the parts of the benchmark program share: machines, operations and variants as data, and the result of one measurement. */
#ifndef BENCH_H
#define BENCH_H

#include <petscautocsr.h>
#include "../matrices/matrices.h"

/* An operation: what is run on every variant */
typedef struct {
  const char *name;
  PetscInt    k; /* columns of the dense operand */
  PetscErrorCode (*apply)(Mat, Vec, Vec);
} Op;

typedef struct _Variant Variant;

/* Products that are made without a Mat, on the device arrays of the machine's first variant */
typedef struct {
  PetscErrorCode (*make)(const Variant *, const Csr *, Mat first, Vec x, Vec y, void **);
  PetscErrorCode (*apply)(void *);
  PetscErrorCode (*destroy)(void **);
  PetscInt64 (*bytes)(void *); /* taken beside the CSR arrays */
  PetscBool product;           /* PETSC_FALSE: it only moves the bytes of a product */
  int       algorithm;
  PetscBool preprocess;
} Direct;

/* A way to hold the matrix: PETSc's type, with options set while it is made, or none (direct) */
struct _Variant {
  const char *name;
  MatType     type;
  const char *options;               /* names and values; NULL: none */
  PetscBool   baseline;              /* counts for the best peer */
  const char *strategy;              /* what the plan's segments must be; NULL: anything */
  PetscInt64 (*stored)(const Csr *); /* bytes of the matrix read by a product; NULL: the library says */
  const Direct *direct;              /* NULL: by the type's product */
};

typedef struct {
  const Variant *variant;
  double         us;             /* median time of one application */
  double         setup_products; /* conversion and first application less one application, in applications of the first variant */
  PetscInt64     bytes;          /* moved by one application */
  PetscInt64     own;            /* taken beside the CSR arrays */
  char           chosen[32];     /* strategy chosen by the library */
  char           executor[48];   /* its kernel for the most nonzeros */
  double         predicted;      /* us of one application by its cost model */
} Result;

typedef struct {
  double   seconds;   /* for measuring one matrix, all variants together */
  double   memory;    /* bytes */
  PetscInt rounds;    /* at most */
  char     only[512]; /* comma-separated names of variants, empty: all */
} Limits;

/* A group of matrices that are no part of the means over all: the aims were set without them */
#define BENCH_ASIDE "symmetric values"

/* The library's own choice, and each strategy forced; tests/scripts/text.sh compares the names with strategy/table.c */
#define VARIANT_FORCED(strategy)                                                                          \
  {                                                                                                       \
    "autocsr:" strategy, MATAUTOCSR, "-mat_autocsr_strategy " strategy, PETSC_FALSE, strategy, NULL, NULL \
  }
#define VARIANTS_AUTOCSR {"autocsr", MATAUTOCSR, NULL, PETSC_FALSE, NULL, NULL, NULL}, VARIANT_FORCED("csr"), VARIANT_FORCED("csr-vector"), VARIANT_FORCED("csr-adaptive"), VARIANT_FORCED("light"), VARIANT_FORCED("pcsr"), VARIANT_FORCED("merge"), VARIANT_FORCED("binned"), VARIANT_FORCED("rowbins"), VARIANT_FORCED("segsum"), VARIANT_FORCED("sell"), VARIANT_FORCED("sellp"), VARIANT_FORCED("ell"), VARIANT_FORCED("pattern"), VARIANT_FORCED("symmetric"), VARIANT_FORCED("block"), VARIANT_FORCED("inode"), VARIANT_FORCED("coltile"), VARIANT_FORCED("propagate"), VARIANT_FORCED("popular")

/* Products by what a search finds: one search has all its parts, the others lack one each */
#define VARIANT_SEARCH "autocsr_patient"
#define VARIANT_WITHOUT(part)                                                                                                                  \
  {                                                                                                                                            \
    VARIANT_SEARCH "_without_" part, MATAUTOCSR, "-mat_autocsr_rigor patient -mat_autocsr_search_without " part, PETSC_FALSE, NULL, NULL, NULL \
  }
#define VARIANTS_SEARCH {VARIANT_SEARCH, MATAUTOCSR, "-mat_autocsr_rigor patient", PETSC_FALSE, NULL, NULL, NULL}, VARIANT_WITHOUT("pruning"), VARIANT_WITHOUT("surrogate"), VARIANT_WITHOUT("generator")

/* A column of the closing table */
typedef struct {
  const char *title, *variant; /* a name, or the beginning of names and '*': the fastest of them */
  PetscBool   mark;            /* what is slower is marked */
} Column;

/* Where products run, and what is compared there */
typedef struct {
  const char    *backend; /* of the library */
  VecType        vec;
  const Variant *variants; /* ends with a NULL name; the first is the reference for setup */
  const char    *peers;    /* what the baselines are */
  int            width;    /* of the baselines' names */
  const Column  *columns;  /* ends with a NULL title */
  PetscBool      against;  /* columns say how much faster autocsr is than they; else how much faster they are than the best peer */
  PetscBool      upload;   /* each Mat copies the CSR arrays */
  PetscBool      show_own; /* the table says what a variant takes beside the CSR arrays */
  double         sample;   /* seconds: at least so long is a sample; short products are repeated */
  PetscInt       setups;   /* a short setup is repeated so often; the shortest counts */
  double         scale;    /* of the generated matrices, by default */
  Limits         limits;   /* by default */
  PetscErrorCode (*describe)(char[], size_t);
  PetscErrorCode (*clock)(double *); /* in seconds; all products that were begun are over */
  double (*taken)(void);             /* bytes of its memory that are taken, by any thread */
  PetscErrorCode (*leave)(double);   /* takes memory until so many bytes are left; PETSC_MAX_REAL: gives it back. NULL: the machine cannot */
  /* Makes the matrix and so many products, one at least; tells the time of all, without that of what all types need */
  PetscErrorCode (*make)(const Variant *, const Csr *, const Op *, Vec x, Vec y, PetscInt products, Mat *, double *seconds);
} Machine;

extern const Op      Ops[]; /* ends with a NULL name */
extern const Machine Cpu;   /* cpu.c */
#define BENCH_MAX_VARIANTS 40

/* gpu.c: an error where there is none */
PetscErrorCode GpuFind(const Machine **);

/* variants.c */
PetscErrorCode VariantsCheck(const Machine *, const char list[]); /* comma-separated; a name that the machine has not is an error, which lists the machine's */
PetscErrorCode VariantUsable(const Variant *, PetscBool *);
PetscInt64     StoredCSR(const Csr *);
PetscInt64     StoredSELL(const Csr *, PetscInt height);                   /* slices of rows, each padded to its longest row */
PetscErrorCode ListHas(const char list[], const char name[], PetscBool *); /* comma-separated; an empty list has all */
PetscErrorCode AutoCSRInfoGet(Mat, MatAutoCSRInfo *, PetscBool *);         /* PETSC_FALSE: no autocsr matrix */
PetscErrorCode AutoCSRFunction(const char name[], void **);

/* measure.c */
int            CompareDoubles(const void *, const void *); /* for qsort() */
PetscErrorCode Measure(const Machine *, const char matrix[], const Csr *, const Op *, const Limits *, Result[], PetscInt *, PetscInt *wrong);

/* each.c: of programs with a table of their own, of dense matrices of so many columns. The first line, which says where; and its matrices */
PetscErrorCode EachDescribe(const Machine *);
PetscErrorCode EachMatrix(const Machine *, PetscErrorCode (*run)(const char name[], const Csr *, PetscInt columns));

/* report.c */
typedef struct _Report *Report;
PetscErrorCode          ReportOpen(const Machine *, const char folder[], const char label[], Report *); /* folder for the CSV file; empty: none. label: ends its name */
PetscErrorCode          ReportMatrix(Report, const char group[], const char matrix[], const Csr *, const Op *, const Result[], PetscInt);
PetscErrorCode          ReportClose(Report *);

#endif
