/*
  What a memory and its executors have to offer to the rooms that profile, build, check and run plans: one table for the
  host (host/backend.c) and one for CUDA (cuda/backend.c). A matrix names the backend in whose memory its arrays lie; its
  profile, plan, streams and products are of the same one. Nothing outside host/ and cuda/ knows which it is.
*/
#ifndef AUTOCSR_BACKEND_H
#define AUTOCSR_BACKEND_H

#include "plan/dense.h"

/* Rows of so many entries, and where their names go */
typedef struct {
  PetscInt  shortest, longest;
  PetscInt *names;
} AutoCSRRowKind;

#define AUTOCSR_MAX_ROW_KINDS 16 /* of one call */

#define AUTOCSR_MAX_BINS 100

/* Virtual rows of like workload, their rows and nonzeros: bin min(nonzeros / U, bins - 1) (hou2017, Algorithm 2) */
typedef struct {
  PetscInt count[AUTOCSR_MAX_BINS], rows[AUTOCSR_MAX_BINS], nnz[AUTOCSR_MAX_BINS];
} AutoCSRBins;

/* Bytes within which measure_memory() reads a processor's random lines, of memory and of its last cache */
#define AUTOCSR_FAR_BYTES (64 << 20)
static inline double AutoCSRNearBytes(const double cache[3])
{
  return PetscMin(PetscMin(cache[2] / 2, 4 * cache[1]), AUTOCSR_FAR_BYTES / 4);
}

/*
  Sizes and counts are on the host; `names`, streams, the three arrays of a matrix, its profile's pattern_id and operands
  are in the backend's memory. Work may be queued: what follows on the same backend comes after it, to_host() waits for it.
*/
struct _AutoCSRBackend {
  const char *name;                                /* "host", "cuda" */
  PetscInt    slice_height;                        /* rows of a slice that suit its executors */
  PetscInt    most;                                /* rows or nonzeros of a block that its executors count without overflow */
  PetscInt    tile_width, tile_height, tile_steps; /* of its segmented sum: T, W and S of liu2015, Table 1 */
  PetscBool   parallel;                            /* rows are worked on at once: work wants balance */

  /* Columns of a tile, rows of a row block, groups of an item and lanes that suit its executors of order tiled or propagated, which the axes say; no columns: there are none */
  void (*shape_tiles)(PetscInt m, PetscInt n, PetscInt nnz, AutoCSRAxes *);

  /* Memory. 64 bytes past the end of an allocation may be read, and are zero; an error of PETSC_ERR_MEM if there is none */
  PetscErrorCode (*allocate)(size_t bytes, void **);
  PetscErrorCode (*release)(void *);
  PetscErrorCode (*to_host)(void *host, const void *data, size_t bytes);
  PetscErrorCode (*from_host)(void *data, const void *host, size_t bytes);
  PetscErrorCode (*synchronize)(void);

  /* Everything of a profile that AutoCSRProfileCreate() has not set from the sizes */
  PetscErrorCode (*profile)(const AutoCSRMatrix *, AutoCSRProfile *);

  /*
    The bins of virtual rows of U rows each, the last one what is left; all zero from `bins` on, AUTOCSR_MAX_BINS at most. And
    the names, ascending, of the virtual rows in bins that are wanted
  */
  PetscErrorCode (*count_bins)(const AutoCSRMatrix *, PetscInt U, PetscInt bins, AutoCSRBins *);
  PetscErrorCode (*name_bins)(const AutoCSRMatrix *, PetscInt U, PetscInt bins, const PetscBool wanted[], PetscInt names[]);
  /* The rows of [row_begin, row_end) of each of n kinds, ascending; a row is of one kind at most */
  PetscErrorCode (*name_rows)(const AutoCSRMatrix *, PetscInt row_begin, PetscInt row_end, PetscInt n, const AutoCSRRowKind[]);

  /* Segments: see plan.h, AutoCSRSegmentSortRows(), AutoCSRSegmentEncode(), AutoCSRPlanRefresh(), which also tells the narrow codings that a plan uses; *fits is true */
  PetscErrorCode (*sort_rows)(AutoCSRSegment *, const AutoCSRMatrix *);
  PetscErrorCode (*encode)(AutoCSRSegment *, const AutoCSRMatrix *, const AutoCSRProfile *);
  PetscErrorCode (*refresh)(AutoCSRPlan *, const AutoCSRMatrix *, PetscInt most, PetscBool use_float32, PetscBool *fits); /* most: distinct values that codings of the plan hold; PETSC_MAX_INT: any */

  /*
    The transpose as a CSR of its own, for a backend without mult_transpose (else NULL): arrays that release() frees, columns
    ascending, and for each of its nonzeros the place of the original. permute: new values, val[k] = from[place[k]]
  */
  PetscErrorCode (*transpose)(const AutoCSRMatrix *, AutoCSRMatrix *, PetscInt **place);
  PetscErrorCode (*permute)(PetscInt nnz, const PetscInt place[], const PetscScalar from[], PetscScalar val[]);

  /*
    For select/: the processor in words, a hash of its model and bytes of its caches (0: not known), by which its figures are
    kept; its instruction sets, the plainest first, NULL last; bytes a second of a streaming read, seconds of a random
    cache line among many, each from L1, L2, L3 and memory (cache[2] is lowered to what reads find of it, where others use it), and how many times as long reads of values a row's length
    apart take; seconds of products between two looks at the clock that hide its steps and a wait
  */
  PetscErrorCode (*identify)(size_t len, char name[], unsigned *hash, double cache[3]);
  const char *const *(*instruction_sets)(void);
  double round;
  PetscErrorCode (*measure_memory)(double cache[3], double bandwidth[4], double random_line[4], double *strided); /* bandwidth 0: no memory to measure it with */

  /* The executor for these axes, NULL if there is none; simd is for the host */
  PetscErrorCode (*find_executor)(const AutoCSRAxes *, const char simd[], const AutoCSRExecutor **);
  /* One that makes the same sums in another way, NULL if there is none. A backend that has no such function has none */
  const AutoCSRExecutor *(*other_way)(const AutoCSRExecutor *);
  /* Once every segment has its executor: what a launch needs, in plan->launch; and its end */
  PetscErrorCode (*bind)(AutoCSRPlan *, const AutoCSRMatrix *);
  PetscErrorCode (*unbind)(AutoCSRPlan *);
  /*
    Products with a bound plan, without allocation or search: y = z + A x and y = z + A^T x (or A^H x); z NULL: nothing is
    added; z may be y. Empty rows are written. mult_transpose NULL: only by a plan of the transpose
  */
  PetscErrorCode (*mult)(const AutoCSRPlan *, const AutoCSROperands *);
  PetscErrorCode (*mult_transpose)(const AutoCSRPlan *, const AutoCSROperands *);
  /* C = A B; an error of PETSC_ERR_MEM if there is no room for a panel of B. Not done: the columns are too few to be worth it */
  PetscErrorCode (*mult_dense)(AutoCSRDense *, const AutoCSRDenseOperands *, PetscBool *done);
  /* val = A .* (X Y^T); an error of PETSC_ERR_MEM likewise */
  PetscErrorCode (*sample_dense)(AutoCSRDense *, const AutoCSRSampledOperands *);
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

/* Columns of the column tiles that suit it for such a matrix; 0: it has none */
static inline PetscInt AutoCSRBackendTileWidth(const AutoCSRBackend *backend, const AutoCSRMatrix *csr)
{
  AutoCSRAxes axes = {.order = AUTOCSR_ORDER_TILED};

  (*backend->shape_tiles)(csr->m, csr->n, csr->nnz, &axes);
  return axes.tile_width;
}

#endif
