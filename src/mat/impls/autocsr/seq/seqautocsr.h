/*
  What the matrix types keep beside the CSR of their parent, and the functions of seq/, which mpi/, product/, report/ and
  interface/ call. The context lies in a container composed on the matrix: the matrix's own pointers belong to the parent type.
*/
#ifndef AUTOCSR_SEQAUTOCSR_H
#define AUTOCSR_SEQAUTOCSR_H

#include "parent.h"
#include "../backend.h"
#include "../plan/dense.h"
#include "../choose/choose.h"

/* Differences between PETSc versions that only the rooms which touch Mat meet */
#if PETSC_VERSION_LT(3, 22, 0)
  #define PetscOptionsCreateViewer PetscOptionsGetViewer
#endif
/* A function that destroys what a container holds gets a pointer to it, from PETSc 3.23 on a pointer to that pointer */
#if PETSC_VERSION_LT(3, 23, 0)
typedef void *AutoCSRHeld;
  #define AUTOCSR_HELD(held)                             (held)
  #define AutoCSRContainerSetDestroy(container, destroy) PetscContainerSetUserDestroy(container, destroy)
#else
typedef void **AutoCSRHeld;
  #define AUTOCSR_HELD(held)                             (*(held))
  #define AutoCSRContainerSetDestroy(container, destroy) PetscContainerSetCtxDestroy(container, (PetscCtxDestroyFn *)(destroy))
#endif

#define AUTOCSR_NO_STATE (-1) /* of no object */

/* The transpose of a block whose backend has no transposed products: made on demand, multiplied by a plan of its own */
typedef struct {
  AutoCSRMatrix csr;
  PetscInt     *place; /* of each of its values in the block */
  AutoCSRPlan  *plan;
  AutoCSRDense *dense;   /* NULL: there was no product with a dense matrix */
  PetscBool     current; /* it has the values that the block's plan has */
  PetscBool     none;    /* there was no memory for it */
} AutoCSRTransposed;

/*
  Arrays of the library's own on a device, of the host's: all three, or the offsets of all rows where the parent has the others and offsets of rows with entries only.
  row_ptr NULL: none. The other members are their key
*/
typedef struct {
  PetscInt             *row_ptr, *col;
  PetscScalar          *val;
  const AutoCSRBackend *backend;
  const PetscInt       *parents, *host, *host_col; /* offsets of the parent's on the device, NULL where all three are here; the host's */
  PetscInt              m, nnz;
  PetscObjectId         id;
  PetscObjectState      nonzerostate, state; /* state: of the values, where they are here */
} AutoCSROwn;

typedef struct _AutoCSRWatch AutoCSRWatch; /* seq/watch.c */
typedef struct _AutoCSRNet   AutoCSRNet;   /* seq/net.c */

typedef struct {
  AutoCSRSettings settings;
  PetscErrorCode (*destroy)(Mat); /* the matrix's method before it got the type */

  /* A parallel matrix has a context, and each of its two blocks has one */
  PetscBool             block;        /* the matrix is a block: the parallel matrix is viewed in its place */
  PetscBool             off_diagonal; /* the off-diagonal one */
  const AutoCSRFigures *figures[2];   /* the processes plan by these, on the host and on a device; NULL: by the process's own */
  PetscBool             agreed;       /* the processes have agreed on figures */
  PetscBool             in_step;      /* a block of several processes: all take the steps of planning in the same products */

  /* The key of the plan: what the matrix was when the plan was made. `owner` differs after MatHeaderReplace() */
  Mat              owner;
  PetscObjectState state, nonzerostate;
  void            *spptr; /* what the parent has on a device, if the arrays lie there */
  PetscObjectId    id;    /* differs after MatHeaderMerge(), which may bring new arrays to the addresses of old ones */
  AutoCSRMatrix    csr;
  AutoCSRMatrix    borrowed; /* the user's arrays, of a matrix that is no AIJ (seq/borrowed.c); backend NULL: the parent has the arrays */

  AutoCSRPlanned     planned;   /* without a plan the parent multiplies */
  PetscBool          yields;    /* the parent's products stand in the place of ours until the next assembly */
  PetscBool          may_yield; /* a parallel matrix: the next product asks whether its blocks yield */
  AutoCSRTransposed  transposed;
  AutoCSRDense      *dense;       /* NULL: there was no product with a dense matrix */
  AutoCSRFingerprint fingerprint; /* of the plan's structure, once products have paid for it */
  PetscBool          came_back;   /* the structure has had a plan before */
  AutoCSRLives       lives;       /* of earlier structures */
  PetscInt64         earlier;     /* products of these lives, less those that a kept plan made for other matrices */
  PetscInt           plans, refreshes;
  PetscInt64         dense_products;
  AutoCSRDenseTaken  taken[AUTOCSR_DENSE_TAKEN]; /* of each width the last product with a dense matrix, the latest first */
  double             setup;                      /* seconds */

  AutoCSROwn    own;
  AutoCSRWatch *watch; /* NULL: nothing is compared */
  AutoCSRNet   *net;   /* NULL: no product is timed */

  PetscInt longest; /* entries of the structure's longest row, once a kernel for small matrices has asked; -1: none has */

  /* The release of the CSR on a device (seq/release.c) */
  PetscInt       *row_ptr;                   /* after it: a copy for the executors, in csr, */
  const PetscInt *host_row_ptr, *host_col;   /* and the host's arrays, which are part of the key */
  PetscInt64      release_at, release_after; /* products; release_after 0: never */
  PetscBool       released;                  /* the library has not brought the arrays back since */
  PetscBool       held;                      /* the parent writes into the arrays, or keeps pointers to them: no release, and no arrays of the library's own */
  PetscBool       in_place;                  /* a kernel for small matrices has read them: no release */

  PetscScalar     *copy[3];     /* of x, z and y on the device, if they lie on the host */
  PetscObjectState bound_state; /* the matrix's when it was bound to the CPU */
} AutoCSRContext;

/* The arrays lie on a device */
static inline PetscBool AutoCSRContextIsResident(const AutoCSRContext *ctx)
{
  return (PetscBool)(ctx->csr.backend && ctx->csr.backend != &AutoCSRBackendHost);
}

/* No parent keeps the arrays, or multiplies */
static inline PetscBool AutoCSRContextBorrows(const AutoCSRContext *ctx)
{
  return (PetscBool)(ctx->borrowed.backend != NULL);
}

static inline PetscInt64 AutoCSRContextProducts(const AutoCSRContext *ctx)
{
  return ctx->earlier + ctx->planned.products;
}

#if PetscDefined(HAVE_DEVICE)
/* Some changes on the host show in this alone. After an upload or a release the mask is "unallocated" until there is such a change */
static inline PetscBool AutoCSRHostIsAhead(Mat A, const AutoCSRContext *ctx)
{
  return (PetscBool)(ctx->row_ptr || ctx->own.col ? A->offloadmask == PETSC_OFFLOAD_CPU : !(A->offloadmask & PETSC_OFFLOAD_GPU));
}
#endif

/* The plan is that of the matrix as it is now, and so are the pointers */
static inline PetscBool AutoCSRContextIsCurrent(Mat A, const AutoCSRContext *ctx)
{
#if PetscDefined(HAVE_DEVICE)
  if (AutoCSRContextIsResident(ctx) && !AutoCSRContextBorrows(ctx) && (ctx->spptr != A->spptr || AutoCSRHostIsAhead(A, ctx))) return PETSC_FALSE;
#endif
  return (PetscBool)(ctx->owner == A && ctx->state == ((PetscObject)A)->state);
}

/* Before a product: whether AutoCSRContextUpdate() has something to do */
static inline PetscBool AutoCSRContextIsReady(Mat A, const AutoCSRContext *ctx)
{
  return (PetscBool)(AutoCSRContextIsCurrent(A, ctx) && !ctx->watch);
}

/* seq/context.c */
PETSC_INTERN PetscErrorCode AutoCSRContain(Mat, const char[], size_t, void **); /* memory that stays with a matrix: zeros when it is asked for first */
PETSC_INTERN PetscErrorCode AutoCSRContextCreate(Mat, const AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRContextFind(Mat, AutoCSRContext **);
PETSC_INTERN PetscErrorCode AutoCSRContextGet(Mat, AutoCSRContext **); /* made if there is none */
PETSC_INTERN PetscErrorCode AutoCSRContextTake(Mat, PetscContainer *);
PETSC_INTERN PetscErrorCode AutoCSRContextGive(Mat, PetscContainer *);
PETSC_INTERN PetscErrorCode AutoCSRContextGetSettings(Mat, AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRGetBlocks(Mat, Mat[]); /* AUTOCSR_MAX_BLOCKS, NULL where there is none; an error of the user's if the matrix is not of this type */
PETSC_INTERN PetscErrorCode AutoCSRContextSet(AutoCSRContext *, const AutoCSRSettings *); /* other settings drop the plan */
PETSC_INTERN PetscErrorCode AutoCSRContextUpdate(Mat, AutoCSRContext *);                  /* makes the plan that of the matrix */
PETSC_INTERN PetscInt       AutoCSRContextNonemptyRows(AutoCSRContext *);                 /* rows with entries, for the count of flops */

/* seq/planning.c */
PETSC_INTERN PetscErrorCode AutoCSRContextTryRefresh(const AutoCSRMatrix *, AutoCSRPlan *, PetscBool *fits);
PETSC_INTERN PetscErrorCode AutoCSRContextPlan(Mat, AutoCSRContext *, const AutoCSRMatrix *, AutoCSRPlan **, AutoCSRProfile **, AutoCSRProgress *);
PETSC_INTERN PetscErrorCode AutoCSRContextForget(AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRContextFingerprint(AutoCSRContext *);                 /* the fingerprint */
PETSC_INTERN PetscErrorCode AutoCSRContextLearn(AutoCSRContext *, double seconds);       /* the plan is final, and was measured or not (0) */
PETSC_INTERN PetscErrorCode AutoCSRContextProceed(Mat, AutoCSRContext *, PetscBool all); /* makes the steps of planning that are due, or all of them */
PETSC_INTERN PetscErrorCode AutoCSRTryBegin(void);                                       /* out of memory is no error until PetscPopErrorHandler(); PETSC_ERR_MEM: it has run out */

/* seq/release.c */
PETSC_INTERN PetscErrorCode AutoCSRContextReleaseLater(AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRContextRelease(Mat, AutoCSRContext *); /* of a current plan, when it is time */
PETSC_INTERN PetscErrorCode AutoCSRContextForgetRows(AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRContextReclaim(Mat, AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRHoldArrays(Mat); /* or its blocks': the parent has them, and keeps them from now on */
PETSC_INTERN PetscInt64     AutoCSRContextReleasedBytes(Mat, const AutoCSRContext *);

/* seq/upload.c */
PETSC_INTERN PetscErrorCode AutoCSROwnForget(AutoCSROwn *);
PETSC_INTERN PetscBool      AutoCSROwnIsOf(const AutoCSROwn *, const AutoCSROwn *now);
#if defined(AUTOCSR_HAVE_CUDA)
PETSC_INTERN PetscErrorCode AutoCSRUploadGet(Mat, AutoCSRContext *, AutoCSRMatrix *, PetscBool *done);
#endif

/* seq/small.c. Get: of a block, the CSR on the device, and the entries of its longest row; NULL: it is not small, or not there. Keep: a kernel reads that, so it stays there from now on */
#define AUTOCSR_SMALL_ROWS    16384
#define AUTOCSR_SMALL_ENTRIES 524288
PETSC_INTERN PetscErrorCode AutoCSRGetSmall(Mat, const AutoCSRMatrix **, PetscInt *longest);
PETSC_INTERN PetscErrorCode AutoCSRKeepSmall(Mat);

/* seq/watch.c: -mat_autocsr_check_values */
PETSC_INTERN PetscErrorCode AutoCSRWatchTake(AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRWatchCompare(Mat, AutoCSRContext *, const AutoCSRMatrix *, PetscBool values);
PETSC_INTERN PetscErrorCode AutoCSRWatchForget(AutoCSRContext *);

/* seq/net.c. Spread: once the first plan is made; NULL: without one */
PETSC_INTERN PetscErrorCode AutoCSRNetSpread(const AutoCSRContext *, const AutoCSRMatrix *, AutoCSRNet **);
PETSC_INTERN PetscErrorCode AutoCSRNetKeepChoice(AutoCSRNet **, const AutoCSRChoice *);
PETSC_INTERN void           AutoCSRNetTakeValues(AutoCSRNet *); /* there are new values; NULL: nothing to do */
PETSC_INTERN PetscErrorCode AutoCSRNetBegin(Mat, AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRNetEnd(AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRNetDestroy(AutoCSRNet **);

/* seq/transpose.c */
PETSC_INTERN PetscErrorCode AutoCSRTransposedReset(AutoCSRTransposed *);
PETSC_INTERN PetscErrorCode AutoCSRTransposedGetBytes(const AutoCSRTransposed *, PetscInt64 *);                   /* with its plan */
PETSC_INTERN PetscErrorCode AutoCSRTransposedGet(Mat, AutoCSRContext *, AutoCSROperands *, const AutoCSRPlan **); /* NULL: no such plan */

/* seq/convert.c */
PETSC_INTERN PetscErrorCode MatConvert_AutoCSR_Any(Mat, MatType, MatReuse, Mat *);
PETSC_INTERN PetscErrorCode MatConvert_Any_AutoCSR(Mat, MatType, MatReuse, Mat *);
PETSC_INTERN PetscErrorCode AutoCSRConvertInPlace(Mat, const AutoCSRParent *, const AutoCSRSettings *); /* NULL: settings from the options */

/* seq/borrowed.c */
PETSC_INTERN PetscErrorCode MatCreateSeqAutoCSR_Borrowed(MPI_Comm, const AutoCSRMatrix *, Mat *);                                /* of its arrays, sizes and backend */
PETSC_INTERN PetscErrorCode AutoCSRBorrowedInitialize(Mat, MatType, const AutoCSRBackend *, const struct _MatOps *, const AutoCSRMethod[]); /* what both types have in common */
PETSC_INTERN PetscErrorCode AutoCSRBorrowedFinalize(Mat, const AutoCSRMethod[]);
PETSC_INTERN PetscErrorCode AutoCSRBorrowedToHost(Mat, MatReuse, PetscInt **row_ptr, PetscInt **col, PetscScalar **val);         /* copies for a conversion, to be freed by PetscFree3() */
PETSC_INTERN PetscErrorCode AutoCSRBorrowedConverted(Mat, MatType, MatReuse, Mat *aij, Mat *);                                  /* an AIJ with these entries goes on as what was asked for */

/* seq/values.c */
#if defined(AUTOCSR_HAVE_CUDA)
PETSC_INTERN PetscErrorCode AutoCSRValuesToHost(Mat, PetscBool written); /* of a block */
#endif
PETSC_INTERN PetscErrorCode AutoCSRValuesWritten(Mat);
PETSC_INTERN PetscErrorCode MatStoreValues_SeqAutoCSR(Mat);
PETSC_INTERN PetscErrorCode MatRetrieveValues_SeqAutoCSR(Mat);

/* seq/columns.c */
PETSC_INTERN PetscErrorCode MatSeqAIJSetColumnIndices_SeqAutoCSR(Mat, PetscInt *);
PETSC_INTERN PetscErrorCode MatCreateSubMatrices_SeqAutoCSR(Mat, PetscInt, const IS[], const IS[], MatReuse, Mat *[]);

/* seq/seqautocsr.c */
PETSC_INTERN PetscErrorCode MatCreate_SeqAutoCSR(Mat);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRInherit(PetscBool device, PetscBool takeover, AutoCSRParent **);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRGetParent(const AutoCSRParent **);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRAttach(Mat, const AutoCSRSettings *); /* NULL: settings from the options */
PETSC_INTERN PetscErrorCode MatSeqAutoCSRSuspend(Mat, AutoCSRSuspended *);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRResume(AutoCSRSuspended *);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRDetach(Mat); /* takes the type off for good */
PETSC_INTERN PetscErrorCode MatSeqAutoCSRRecompose(Mat);
PETSC_INTERN PetscBool      MatIsSeqAutoCSR(Mat);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRYield(Mat); /* the parent's forward products are put in the place of ours */

#if defined(AUTOCSR_HAVE_CUDA)
/* seq/cusparse.c */
PETSC_INTERN PetscErrorCode AutoCSRDeviceFind(PetscBool *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceGetValues(Mat, PetscBool read, PetscScalar **); /* of a block on the device, all to be written; read: to be read, too */
PETSC_INTERN PetscErrorCode AutoCSRDeviceRestoreValues(Mat, PetscBool read, PetscScalar **);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRInherit_CUSPARSE(AutoCSRParent *, PetscBool takeover);
/* The name of ours: its own, and the operations and methods that then are needed; or by takeover that of the parent */
PETSC_INTERN PetscErrorCode AutoCSRParentSetName_CUSPARSE(AutoCSRParent *, PetscBool takeover, const AutoCSROperation[], const AutoCSRMethod[]);
#endif

/* seq/fallback.c: the parent's products */
typedef enum {
  AUTOCSR_PRODUCT_FORWARD,
  AUTOCSR_PRODUCT_TRANSPOSE,
  AUTOCSR_PRODUCT_HERMITIAN
} AutoCSRProductKind;
PETSC_INTERN PetscErrorCode AutoCSRParentProduct(Mat, AutoCSRProductKind, Vec x, Vec z, Vec y);
PETSC_INTERN PetscErrorCode AutoCSRParentIsFirst(const AutoCSRContext *, PetscBool *);                                                /* the first products are the parent's */
PETSC_INTERN PetscErrorCode AutoCSRParentForward(Mat, Vec x, Vec z, Vec y);                                                           /* on the host */
PETSC_INTERN PetscErrorCode AutoCSRParentScatter(Mat, const AutoCSRPlan *, AutoCSRProductKind, Vec x, Vec z, Vec y, PetscBool *done); /* where the plan gains nothing */

/* seq/vectors.c */
PETSC_INTERN PetscErrorCode AutoCSRVecIsOnHost(Vec, PetscBool *);
PETSC_INTERN PetscErrorCode AutoCSRVecIsForeign(Vec, PetscBool *); /* to AIJCUSPARSE */
PETSC_INTERN PetscErrorCode AutoCSRVecCopyValues(Vec from, Vec to);

/* seq/mult.c */
PETSC_INTERN PetscErrorCode AutoCSRMultiplyArrays(Mat, const PetscScalar[], PetscScalar[], PetscBool *done);
PETSC_INTERN PetscErrorCode AutoCSRMultiplyArraysBy(Mat, const AutoCSRPlan **, const AutoCSRMatrix **);
PETSC_INTERN PetscErrorCode AutoCSRMultiplyArraysRepeated(Mat, PetscInt products);
PETSC_INTERN PetscErrorCode MatMult_SeqAutoCSR(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultAdd_SeqAutoCSR(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTranspose_SeqAutoCSR(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTransposeAdd_SeqAutoCSR(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultHermitianTranspose_SeqAutoCSR(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultHermitianTransposeAdd_SeqAutoCSR(Mat, Vec, Vec, Vec);

#if defined(AUTOCSR_HAVE_CUDA)
/* seq/residual.c: of a block, and of any matrix by its product */
PETSC_INTERN PetscErrorCode MatResidual_SeqAutoCSR(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatResidual_AutoCSR(Mat, Vec, Vec, Vec);
#endif

/* seq/options.c: MatSetFromOptions() of both types */
PETSC_INTERN PetscErrorCode AutoCSRSetFromOptions_Private(Mat, const AutoCSRParent *, AutoCSROptionItems);

#endif
