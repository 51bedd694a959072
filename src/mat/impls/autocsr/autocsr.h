/*
  What all rooms of the library share: the CSR block that everything reads, the user's settings, the log events, and the
  few definitions that even out the PETSc versions 3.18 to 3.26. Nothing here touches a Mat.
*/
#ifndef AUTOCSR_H
#define AUTOCSR_H

#include <petscautocsr.h>

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

/* Plan and kernel headers are read by C and by CUDA C++ alike */
#if defined(__CUDACC__)
  #define AUTOCSR_HD static __host__ __device__ __forceinline__
#else
  #define AUTOCSR_HD static inline
#endif

typedef struct _AutoCSRBackend AutoCSRBackend; /* backend.h */
typedef struct _AutoCSRFigures AutoCSRFigures; /* machine/figures.h */

/*
  One sequential block, as the parent type keeps it: full row offsets (never compressed); columns ascend in each row, or the profile says that they do not.
  Borrowed: good until the matrix changes.
*/
typedef struct {
  PetscInt              m, n, nnz;
  const PetscInt       *row_ptr; /* m + 1 */
  const PetscInt       *col;     /* nnz */
  const PetscScalar    *val;     /* nnz */
  const AutoCSRBackend *backend; /* in whose memory the three arrays lie */
  const AutoCSRFigures *figures; /* by which it is planned; NULL: those of the process */
  PetscBool             adds;    /* its products are added to y, as those of an off-diagonal block: rows without entries cost nothing then */
} AutoCSRMatrix;

static inline PetscInt64 AutoCSRMatrixBytes(const AutoCSRMatrix *csr)
{
  return ((PetscInt64)csr->m + 1) * (PetscInt64)sizeof(PetscInt) + (PetscInt64)csr->nnz * (PetscInt64)(sizeof(PetscInt) + sizeof(PetscScalar));
}

/*
  Executors and encoders count rows, columns, slots, runs and places in steps of a block or a group of rows. They go past the last one by AUTOCSR_COUNT_ROOM at most,
  and a PetscInt must hold that. Nonzeros may be as many as a PetscInt counts: a loop along a row counts what is left of it.
*/
#define AUTOCSR_COUNT_ROOM (1 << 20)
static inline PetscBool AutoCSRIsCounted(double n)
{
  return (PetscBool)(n <= (double)PETSC_MAX_INT - AUTOCSR_COUNT_ROOM);
}

/* Appends what there is room for. PetscStrlcat() of PETSc 3.18 writes past the end of a text that is cut */
static inline PetscErrorCode AutoCSRAppend(char text[], const char more[], size_t len)
{
  const size_t n = strlen(text);

  PetscFunctionBegin;
  if (n < len) PetscCall(PetscStrncpy(text + n, more, len - n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define AUTOCSR_GRAPH_LENGTH 1024 /* of an operator graph's text */

/* Parts of the search for a graph */
#define AUTOCSR_SEARCH_PRUNING   1
#define AUTOCSR_SEARCH_SURROGATE 2
#define AUTOCSR_SEARCH_GENERATOR 4

/* What the user asked for, through options or setters; read once, where it enters */
typedef struct {
  char                  strategy[32]; /* "auto" or the name of a strategy */
  char                  graph[AUTOCSR_GRAPH_LENGTH]; /* of strategy `graph`; "": none */
  MatAutoCSRRigor       rigor;
  PetscReal             search_seconds; /* at rigor patient and exhaustive; 0: as the rigor says */
  PetscBool             search_monitor; /* tells how far a search is */
  PetscInt              search_without; /* what a search leaves out: AUTOCSR_SEARCH_PRUNING and the like, or'ed */
  MatAutoCSRObjective   objective;
  MatAutoCSRChooser     chooser;
  MatAutoCSRIndexCoding index;
  MatAutoCSRValueCoding value;
  PetscInt              granularity; /* rows of a virtual row in binning; 0: chosen */
  PetscInt              max_bins;    /* 1 to 100; 1 is the single bin */
  MatAutoCSRSegsumFixup segsum_fixup;
  MatAutoCSRExchange    exchange;
  MatAutoCSRDense       dense;
  PetscBool             progressive;  /* plans that cost something come when products have paid for them */
  PetscBool             reproducible; /* no clock chooses among plans that make other bits */
  PetscBool             keep_csr;     /* the CSR stays on the device beside a plan that makes no use of it */
  PetscBool             check_values; /* each product compares checksums of the arrays with those that the plan was made of */
  char                  simd[16];     /* "auto" or the name of a host instruction set */
} AutoCSRSettings;

typedef enum {
  AUTOCSR_EVENT_PROFILE,
  AUTOCSR_EVENT_PLAN,
  AUTOCSR_EVENT_REFRESH,
  AUTOCSR_EVENT_MULT,
  AUTOCSR_EVENT_DENSE,
  AUTOCSR_EVENT_SDDMM,
  AUTOCSR_EVENT_UPLOAD,
  AUTOCSR_EVENT_COUNT
} AutoCSREventKind;
PETSC_INTERN PetscLogEvent  AutoCSREvents[AUTOCSR_EVENT_COUNT]; /* choose/events.c */
PETSC_INTERN PetscErrorCode AutoCSREventsRegister(void);

#endif
