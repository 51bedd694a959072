/*
  A backend is a memory and its executors: one table for the host (host/backend.c), one for CUDA (cuda/backend.c). The rooms
  that profile, build, check and run plans call its functions. A matrix names the backend in whose memory its arrays lie;
  its profile, plan, streams and products use the same one.

  Most callers need not ask which backend it is. Files that must tell the host from a device compare with
  AutoCSRBackendHost: some in seq/, mpi/, interface/, product/, choose/ and machine/, and plan/check.c.
*/
#ifndef AUTOCSR_BACKEND_H
#define AUTOCSR_BACKEND_H

#include "plan/dense.h"
#include "profile/fingerprint.h"

/* Rows of `shortest` to `longest` entries; name_rows() writes their names to `names` */
typedef struct {
  PetscInt  shortest, longest;
  PetscInt *names;
} AutoCSRRowKind;

#define AUTOCSR_MAX_ROW_KINDS 16 /* kinds of one call */

#define AUTOCSR_MAX_BINS 100

/*
  The virtual rows in each bin, with their rows and nonzeros. A virtual row goes to bin min(nonzeros / U, bins - 1)
  (hou2017, Algorithm 2)
*/
typedef struct {
  PetscInt count[AUTOCSR_MAX_BINS], rows[AUTOCSR_MAX_BINS], nnz[AUTOCSR_MAX_BINS];
} AutoCSRBins;

/* read_memory() times a processor's random lines among AUTOCSR_FAR_BYTES for its memory, among AutoCSRNearBytes() for its last cache */
#define AUTOCSR_FAR_BYTES (64 << 20)
static inline double AutoCSRNearBytes(const double cache[3])
{
  return PetscMin(PetscMin(cache[2] / 2, 4 * cache[1]), AUTOCSR_FAR_BYTES / 4);
}

/* The processor of a backend, as the system describes it. A member is 0 or "" if the system does not tell */
typedef struct {
  char     name[128];     /* in words */
  unsigned hash;          /* of the words that tell the model */
  char     vendor[16];    /* as CPUID has it; "nvidia" for a device */
  int      family, model; /* compute capability of a device */
  double   clock;         /* the highest, Hz */
  double   cache[3];      /* bytes of L1, L2 and L3, one core's share. A device: its L1, the half of L2 near a multiprocessor, all of L2 */
  double   processors;    /* multiprocessors of a device */
  double   bandwidth;     /* of a device's memory by its data sheet, bytes a second */
} AutoCSRIdentity;

/*
  A reading of the memory: streams and random lines from L1, L2, L3 and memory. A processor reads in steps of a few
  milliseconds, a device in one step. The caller sets `cache`; all else is zero before the first step. read_memory() lowers
  cache[2] if reads find less of the last cache than the system tells, because other programs use it.
*/
typedef struct {
  /* AUTOCSR_FAR_BYTES of ones for a processor to read */
  const double *data;
  double        cache[3], bandwidth[4], random_line[4];
  /* A read of values that lie a row's length apart takes this many times as long as a streaming one */
  double   strided;
  int      step, round;
  unsigned state;       /* of the random numbers */
  double   seconds[16]; /* of the rounds of a step */
} AutoCSRMemoryReading;

/* Of a device the two events; of the host seconds of the clock */
typedef struct {
  void  *event[2];
  double begin, end;
} AutoCSRStopwatch;

/*
  Sizes and counts lie on the host. Names of rows, streams, operands, a matrix's arrays and its profile's pattern_id lie in
  the backend's memory. A backend may queue its work. Later work on the same backend comes after it, and to_host() waits for
  it.
*/
struct _AutoCSRBackend {
  const char *name;                                /* "host" or "cuda" */
  PetscInt    slice_height;                        /* rows of a slice, as its executors need them */
  PetscInt    tile_width, tile_height, tile_steps; /* of its segmented sum: T, W and S of liu2015, Table 1 */
  PetscBool   parallel;                            /* it works on many rows at once, so work must be balanced */

  /*
    Sets the sizes of axes whose order is tiled, propagated or popular to what the executors need: tile_width, tile_height,
    tile_steps, lanes and, for the last two orders, row_limit. tile_width 0: the backend has no executor for that order
  */
  void (*shape_tiles)(PetscInt m, PetscInt n, PetscInt nnz, AutoCSRAxes *);

  /* Memory. Kernels may read 64 bytes past the end of an allocation; these are zero. The error is PETSC_ERR_MEM if memory runs out */
  PetscErrorCode (*allocate)(size_t bytes, void **);
  PetscErrorCode (*deallocate)(void *);
  PetscErrorCode (*to_host)(void *host, const void *data, size_t bytes);
  PetscErrorCode (*from_host)(void *data, const void *host, size_t bytes);
  PetscErrorCode (*synchronize)(void);
  /* Bytes that allocate() may find; NULL: no plan takes so much that the planner must ask */
  PetscErrorCode (*room)(double *);

  /* Fills a profile in which AutoCSRProfileLook() has set the sizes */
  PetscErrorCode (*profile)(const AutoCSRMatrix *, AutoCSRProfile *);
  /* Finds the fingerprint of a structure (profile/fingerprint.h) in less time than a product takes, but for a wait. It stays unknown if there is no memory */
  PetscErrorCode (*fingerprint)(const AutoCSRMatrix *, AutoCSRFingerprint *);

  /*
    count_bins: counts virtual rows of U rows by bin; the last virtual row takes what is left. `bins` is AUTOCSR_MAX_BINS at
    most, and the counts past it are zero. name_bins: names the virtual rows of the wanted bins, in ascending order
  */
  PetscErrorCode (*count_bins)(const AutoCSRMatrix *, PetscInt U, PetscInt bins, AutoCSRBins *);
  PetscErrorCode (*name_bins)(const AutoCSRMatrix *, PetscInt U, PetscInt bins, const PetscBool wanted[], PetscInt names[]);
  /* Names the rows of [row_begin, row_end) of each of n kinds, in ascending order. A row is of one kind at most */
  PetscErrorCode (*name_rows)(const AutoCSRMatrix *, PetscInt row_begin, PetscInt row_end, PetscInt n, const AutoCSRRowKind[]);

  /* The entries of this nearness as a CSR of its own, whose sizes and backend are set: allocates its arrays and sets nnz (plan/division.c) */
  PetscErrorCode (*divide)(const AutoCSRMatrix *, PetscInt reach, AutoCSRNearness, AutoCSRMatrix *);

  /*
    Segments: AutoCSRSegmentSortRows(), AutoCSRSegmentEncode() and AutoCSRPlanRefresh() of plan.h check their arguments and
    call these. refresh: `most` is the number of distinct values that the plan's codings hold (PETSC_MAX_INT: any). The
    caller sets *fits to true
  */
  PetscErrorCode (*sort_rows)(AutoCSRSegment *, const AutoCSRMatrix *);
  PetscErrorCode (*encode)(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *);
  PetscErrorCode (*refresh)(AutoCSRPlan *, const AutoCSRMatrix *, PetscInt most, PetscBool use_float32, PetscBool *fits);

  /*
    For a backend without mult_transpose (else NULL). transpose: makes the transpose as a CSR whose columns ascend, and
    tells for each of its nonzeros the place of the original; deallocate() frees the arrays. permute: writes new values, val[k]
    = from[place[k]]
  */
  PetscErrorCode (*transpose)(const AutoCSRMatrix *, AutoCSRMatrix *, PetscInt **place);
  PetscErrorCode (*permute)(PetscInt nnz, const PetscInt place[], const PetscScalar from[], PetscScalar val[]);

  /*
    For machine/. identify: describes the processor. identify_speed: adds clock and bandwidth, which the system takes long to
    tell (else NULL). instruction_sets: the plainest first, NULL last. round: seconds of products between two looks at the
    clock, so many that the clock's steps and one wait do not show. read_memory: takes the next step of a reading. It leaves
    bandwidth zero if there is no memory to measure with
  */
  PetscErrorCode (*identify)(AutoCSRIdentity *);
  PetscErrorCode (*identify_speed)(AutoCSRIdentity *);
  const char *const *(*instruction_sets)(void);
  double round;
  PetscErrorCode (*read_memory)(AutoCSRMemoryReading *, PetscBool *done);

  /* The executor of this id in one of the instruction sets, NULL if there is none */
  const AutoCSRExecutor *(*executor)(int id);
  /* The executor for these axes, NULL if there is none; `simd` names an instruction set of the host */
  PetscErrorCode (*find_executor)(const AutoCSRAxes *, const char simd[], const AutoCSRExecutor **);
  /* Why find_executor() has none for these axes, in words; no function: there is no more to say */
  PetscErrorCode (*why_none)(const AutoCSRAxes *, const char **why);
  /* Another executor that makes the same sums, NULL if there is none; no function: there is never one */
  const AutoCSRExecutor *(*other_way)(const AutoCSRExecutor *);
  /* Compiles the kernels of segments whose executors want it, once every segment has its executor; why[] is "" if all are there. No function: none wants it */
  PetscErrorCode (*prepare)(const AutoCSRPlan *, size_t len, char why[]);
  /* bind: prepares plan->launch for products, once every segment has its executor. unbind: frees it */
  PetscErrorCode (*bind)(AutoCSRPlan *, const AutoCSRMatrix *);
  PetscErrorCode (*unbind)(AutoCSRPlan *);
  /*
    Products with a bound plan, without allocation or search: y = z + A x, and y = z + A^T x or z + A^H x. z NULL: nothing
    is added; z may be y. Empty rows are written too. mult_transpose NULL: the context multiplies by a plan of the transpose
  */
  PetscErrorCode (*mult)(const AutoCSRPlan *, const AutoCSROperands *);
  PetscErrorCode (*mult_transpose)(const AutoCSRPlan *, const AutoCSROperands *);
  /*
    A stopwatch takes the time of what lies between begin and end and waits for nothing. read: *seconds is negative as long as
    that is under way. It begins as zeros; forget: gives back what it holds
  */
  PetscErrorCode (*watch_begin)(AutoCSRStopwatch *);
  PetscErrorCode (*watch_end)(AutoCSRStopwatch *);
  PetscErrorCode (*watch_read)(AutoCSRStopwatch *, double *seconds);
  PetscErrorCode (*watch_forget)(AutoCSRStopwatch *);
  /* Joules that the device has used since its driver was loaded; negative if it has no counter. The function is NULL if the backend has none */
  PetscErrorCode (*joules)(double *);
  /* C = A B. The error is PETSC_ERR_MEM if there is no memory for a panel of B. *done is false if B has too few columns to gain from it */
  PetscErrorCode (*mult_dense)(AutoCSRDense *, const AutoCSRDenseOperands *, PetscBool *done);
  /* val = A .* (X Y^T). The error is PETSC_ERR_MEM as above */
  PetscErrorCode (*sample_dense)(AutoCSRDense *, const AutoCSRSampledOperands *);
  /* Some rows of a dense matrix, side by side: row rows[k] of B, whose columns are ldb apart, goes to packed + k * columns */
  PetscErrorCode (*pack_rows)(PetscInt n, const PetscInt rows[], PetscInt columns, const PetscScalar B[], PetscInt ldb, PetscScalar packed[]);
};

PETSC_INTERN const AutoCSRBackend AutoCSRBackendHost;
#if defined(AUTOCSR_HAVE_CUDA)
PETSC_INTERN const AutoCSRBackend AutoCSRBackendCUDA;
#endif

static inline const AutoCSRBackend *AutoCSRBackendOf(PetscMemType memtype)
{
#if defined(AUTOCSR_HAVE_CUDA)
  if (PetscMemTypeDevice(memtype)) return &AutoCSRBackendCUDA;
#endif
  return PetscMemTypeHost(memtype) ? &AutoCSRBackendHost : NULL;
}

/* The width of this backend's column tiles for such a matrix; 0: it has no executor of order tiled */
static inline PetscInt AutoCSRBackendTileWidth(const AutoCSRBackend *backend, const AutoCSRMatrix *csr)
{
  AutoCSRAxes axes = {.order = AUTOCSR_ORDER_TILED};

  (*backend->shape_tiles)(csr->m, csr->n, csr->nnz, &axes);
  return axes.tile_width;
}

#endif
