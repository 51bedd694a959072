/*
  What the matrix types keep beside the CSR of their parent, and the functions that seq/, mpi/, product/ and interface/
  share. The context lies in a container composed on the matrix: the matrix's own pointers belong to the parent type.
*/
#ifndef AUTOCSR_SEQAUTOCSR_H
#define AUTOCSR_SEQAUTOCSR_H

#include "parent.h"
#include "../plan/dense.h"
#include "../select/select.h"

/* Differences between PETSc versions that only the rooms which touch Mat meet */
#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscOptionItems *AutoCSROptionItems;
#else
typedef PetscOptionItems AutoCSROptionItems;
#endif
#if PETSC_VERSION_LT(3, 22, 0)
  #define PetscOptionsCreateViewer PetscOptionsGetViewer
#endif

/* The transpose of a block whose backend has no transposed products: made on demand, multiplied by a plan of its own */
typedef struct {
  AutoCSRMatrix csr;
  PetscInt     *place; /* of each of its values in the block */
  AutoCSRPlan  *plan;
  PetscBool     current; /* it has the values that the block's plan has */
  PetscBool     none;    /* there was no memory for it */
} AutoCSRTransposed;

/* Offsets of all rows on a device whose parent has those of the rows with entries alone; NULL: it has all. Of these arrays and no others */
typedef struct {
  PetscInt             *row_ptr;
  const AutoCSRBackend *backend;
  const PetscInt       *parents, *host;
  PetscInt              m, nnz;
  PetscObjectId         id;
  PetscObjectState      nonzerostate;
} AutoCSRRowOffsets;

typedef struct {
  AutoCSRSettings settings;
  PetscErrorCode (*destroy)(Mat); /* before ours was put on */
  PetscBool block;                /* part of a parallel matrix, which is the one that gets viewed */
  PetscBool off_diagonal;         /* and this part of it */
  PetscBool in_step;              /* and of several processes: steps of planning are made in the same products */

  /* The key of the plan: what the matrix was when it was made. `owner` differs after MatHeaderReplace() */
  Mat              owner;
  PetscObjectState state, nonzerostate;
  PetscBool        resident; /* the arrays are those that the parent has on a device, */
  void            *spptr;    /* with this */
  PetscObjectId    id;       /* another one after MatHeaderMerge(), which may bring new arrays to the addresses of old ones */
  AutoCSRMatrix    csr;
  PetscInt         nonempty; /* rows with entries, for the count of flops */

  AutoCSRPlan      *plan;      /* NULL: the parent's products */
  PetscBool         yields;    /* on purpose: they stand in the place of ours until the matrix is assembled again */
  PetscBool         may_yield; /* of a parallel matrix: whether its blocks do is asked after the next product */
  AutoCSRProfile   *profile;
  AutoCSRChoice    *choice;   /* what is to take its place, chosen and not built yet; of this profile */
  AutoCSRProgress   progress; /* final where there is no plan */
  AutoCSRTransposed transposed;
  AutoCSRDense     *dense; /* of products with dense matrices; NULL: there has been none */
  PetscInt          plans, refreshes;
  PetscInt64        products, dense_products;
  double            setup; /* seconds */

  AutoCSRRowOffsets offsets;

  PetscInt       *row_ptr;                   /* of the device, in csr: the parent's arrays there are let go (seq/release.c); */
  const PetscInt *host_row_ptr, *host_col;   /* then these of the host are part of the key */
  PetscInt64      release_at, release_after; /* products; release_after 0: never */
  PetscBool       let_go;                    /* and the library has not brought them back since */
  PetscBool       held;                      /* the parent writes into them, or keeps pointers to them: they stay */

  PetscScalar     *staged[3];   /* on the device: of x, z and y, where these are on the host */
  PetscObjectState bound_state; /* of the matrix when it was bound to the CPU */
} AutoCSRContext;

#if PetscDefined(HAVE_DEVICE)
/* Some changes on the host show in this alone. Arrays that are let go leave the mask at "unallocated", until there is one */
static inline PetscBool AutoCSRHostIsAhead(Mat A, const AutoCSRContext *ctx)
{
  return (PetscBool)(ctx->row_ptr ? A->offloadmask == PETSC_OFFLOAD_CPU : !(A->offloadmask & PETSC_OFFLOAD_GPU));
}
#endif

/* The plan is that of the matrix as it is now, and so are the pointers */
static inline PetscBool AutoCSRContextIsCurrent(Mat A, const AutoCSRContext *ctx)
{
#if PetscDefined(HAVE_DEVICE)
  if (ctx->resident && (ctx->spptr != A->spptr || AutoCSRHostIsAhead(A, ctx))) return PETSC_FALSE;
#endif
  return (PetscBool)(ctx->owner == A && ctx->state == ((PetscObject)A)->state);
}

/* seq/context.c */
PETSC_INTERN PetscErrorCode AutoCSRContain(Mat, const char[], size_t, void **); /* memory that stays with a matrix: zeros when it is asked for first */
PETSC_INTERN PetscErrorCode AutoCSRContextCreate(Mat, const AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRContextFind(Mat, AutoCSRContext **);
PETSC_INTERN PetscErrorCode AutoCSRContextGet(Mat, AutoCSRContext **); /* made if there is none */
PETSC_INTERN PetscErrorCode AutoCSRContextTake(Mat, PetscContainer *);
PETSC_INTERN PetscErrorCode AutoCSRContextGive(Mat, PetscContainer *);
PETSC_INTERN PetscErrorCode AutoCSRContextGetSettings(Mat, AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRContextSet(AutoCSRContext *, const AutoCSRSettings *); /* other settings drop the plan */
PETSC_INTERN PetscErrorCode AutoCSRContextUpdate(Mat, AutoCSRContext *);                  /* makes the plan that of the matrix */

/* seq/planning.c */
PETSC_INTERN PetscErrorCode AutoCSRContextTryRefresh(const AutoCSRMatrix *, AutoCSRPlan *, PetscBool *fits);
PETSC_INTERN PetscErrorCode AutoCSRContextPlan(Mat, AutoCSRContext *, const AutoCSRMatrix *, AutoCSRPlan **, AutoCSRProfile **, AutoCSRProgress *);
PETSC_INTERN PetscErrorCode AutoCSRContextForget(AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRContextProceed(Mat, AutoCSRContext *, PetscBool all); /* makes the steps of planning that are due, or all of them */
PETSC_INTERN PetscErrorCode AutoCSRMemoryErrorHandler(MPI_Comm, int, const char *, const char *, PetscErrorCode, PetscErrorType, const char *, void *);

/* seq/release.c */
PETSC_INTERN PetscErrorCode AutoCSRContextReleaseLater(AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRContextRelease(Mat, AutoCSRContext *); /* of a current plan, when it is time */
PETSC_INTERN PetscErrorCode AutoCSRContextForgetRows(AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRRowOffsetsForget(AutoCSRRowOffsets *);
PETSC_INTERN PetscErrorCode AutoCSRContextReclaim(Mat, AutoCSRContext *);
PETSC_INTERN PetscErrorCode AutoCSRHoldArrays(Mat); /* or its blocks': the parent has them, and keeps them from now on */
PETSC_INTERN PetscInt64     AutoCSRContextReleasedBytes(Mat, const AutoCSRContext *);

/* seq/transpose.c */
PETSC_INTERN PetscErrorCode AutoCSRTransposedReset(AutoCSRTransposed *);
PETSC_INTERN PetscErrorCode AutoCSRTransposedGetBytes(const AutoCSRTransposed *, PetscInt64 *);                   /* with its plan */
PETSC_INTERN PetscErrorCode AutoCSRTransposedGet(Mat, AutoCSRContext *, AutoCSROperands *, const AutoCSRPlan **); /* NULL: no such plan */

/* seq/cite.c */
PETSC_INTERN PetscErrorCode AutoCSRCite(const AutoCSRPlan *);

/* seq/convert.c */
PETSC_INTERN PetscErrorCode MatConvert_AutoCSR_Any(Mat, MatType, MatReuse, Mat *);
PETSC_INTERN PetscErrorCode MatConvert_Any_AutoCSR(Mat, MatType, MatReuse, Mat *);
PETSC_INTERN PetscErrorCode AutoCSRConvertInPlace(Mat, const AutoCSRParent *, const AutoCSRSettings *); /* NULL: settings from the options */

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
PETSC_INTERN PetscErrorCode MatSeqAutoCSRInherit(PetscBool device, PetscBool takeover, const AutoCSRParent **);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRGetParent(const AutoCSRParent **);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRAttach(Mat, const AutoCSRSettings *); /* NULL: settings from the options */
PETSC_INTERN PetscErrorCode MatSeqAutoCSRSuspend(Mat, AutoCSRSuspended *);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRResume(AutoCSRSuspended *);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRRecompose(Mat);
PETSC_INTERN PetscBool      MatIsSeqAutoCSR(Mat);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRYield(Mat); /* the parent's forward products are put in the place of ours */

#if defined(AUTOCSR_HAVE_CUDA)
/* seq/cusparse.c */
PETSC_INTERN PetscErrorCode AutoCSRDeviceFind(PetscBool *);
PETSC_INTERN PetscErrorCode AutoCSRDeviceGetValues(Mat, PetscBool read, PetscScalar **); /* of a block on the device, all to be written; read: to be read, too */
PETSC_INTERN PetscErrorCode AutoCSRDeviceRestoreValues(Mat, PetscBool read, PetscScalar **);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRInherit_CUSPARSE(AutoCSRParent *, PetscBool takeover);
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
PETSC_INTERN PetscErrorCode AutoCSRVecCopyValues(Vec from, Vec to);

/* seq/mult.c */
PETSC_INTERN PetscErrorCode MatMult_SeqAutoCSR(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultAdd_SeqAutoCSR(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTranspose_SeqAutoCSR(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTransposeAdd_SeqAutoCSR(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultHermitianTranspose_SeqAutoCSR(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultHermitianTransposeAdd_SeqAutoCSR(Mat, Vec, Vec, Vec);

/* product/ */
PETSC_INTERN PetscErrorCode MatProductSetFromOptions_AutoCSR(Mat);
PETSC_INTERN PetscErrorCode AutoCSRDenseProductIs(Mat, MatType, PetscBool *);
PETSC_INTERN PetscErrorCode AutoCSRDenseProduct(Mat, PetscBool host, PetscBool *done);
PETSC_INTERN PetscErrorCode AutoCSRDensePredict(Mat, AutoCSRContext *, PetscInt columns, double *seconds, PetscBool *alongside);
PETSC_INTERN PetscErrorCode AutoCSRSampledProduct(Mat S, Mat X, Mat Y, Mat Z);
PETSC_INTERN PetscErrorCode MatSeqAIJKron_AutoCSR(Mat, Mat, MatReuse, Mat *);
PETSC_INTERN PetscErrorCode AutoCSRFactorRegister(const AutoCSRParent *);
PETSC_INTERN PetscErrorCode AutoCSRByNameRegister(void);

/* What the types need from interface/: reading options where they enter, and -autocsr_view */
PETSC_INTERN PetscErrorCode AutoCSRSettingsSetFromOptions(Mat, AutoCSRSettings *, AutoCSROptionItems);
PETSC_INTERN PetscErrorCode AutoCSRSetFromOptions_Private(Mat, const AutoCSRParent *, AutoCSROptionItems);
PETSC_INTERN PetscErrorCode AutoCSRViewFromOptions(Mat);

#endif
