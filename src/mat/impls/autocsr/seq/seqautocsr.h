/*
  What the matrix types keep beside the CSR of their parent, and the functions that seq/, mpi/, product/ and interface/
  share. The context lies in a container composed on the matrix: the matrix's own pointers belong to the parent type.
*/
#ifndef AUTOCSR_SEQAUTOCSR_H
#define AUTOCSR_SEQAUTOCSR_H

#include "../autocsr.h"
#include "../select/select.h"
#include <petsc/private/matimpl.h>

/* Differences between PETSc versions that only the rooms which touch Mat meet */
#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscOptionItems *AutoCSROptionItems;
#else
typedef PetscOptionItems AutoCSROptionItems;
#endif
#if PETSC_VERSION_LT(3, 22, 0)
  #define PetscOptionsCreateViewer PetscOptionsGetViewer
#endif

typedef struct {
  AutoCSRSettings settings;
  PetscErrorCode (*destroy)(Mat); /* before ours was put on */
  PetscBool block;                /* part of a parallel matrix, which is the one that gets viewed */

  /* The key of the plan: what the matrix was when it was made. `owner` differs after MatHeaderReplace() */
  Mat              owner;
  PetscObjectState state, nonzerostate;
  PetscInt         merges; /* MatHeaderMerge() may bring new arrays to the addresses of old ones */
  AutoCSRMatrix    csr;
  PetscInt         nonempty; /* rows with entries, for the count of flops */

  AutoCSRPlan    *plan; /* NULL: the parent's products */
  AutoCSRProfile *profile;
  PetscInt        plans, refreshes, products;
  double          setup; /* seconds */
} AutoCSRContext;

/* A method that ours composes */
typedef struct {
  const char *name;
  void (*function)(void);
} AutoCSRMethod;
#define AUTOCSR_METHOD(name, function) \
  {                                    \
    name, (void (*)(void))(function)   \
  }
#define AUTOCSR_MAX_METHODS 16

/*
  The type that ours is put on top of. Which one it is (MATSEQAIJ and MATMPIAIJ) is said in MatSeqAutoCSRGetParent() and
  MatMPIAutoCSRGetParent() and nowhere else.
*/
typedef struct {
  const char          *type;                         /* exact name of the parent */
  const char          *own;                          /* name of ours on top of it */
  const AutoCSRMethod *methods;                      /* composed by ours; ends with a NULL name */
  struct _MatOps       ops;                          /* of a fresh, empty matrix of the parent's type */
  void (*parent_methods[AUTOCSR_MAX_METHODS])(void); /* composed by the parent under the names of `methods` */
} AutoCSRParent;

/* To put ours into a list X(operation, function) of operations; to take it off for a while what is not ours is left alone */
#define AUTOCSR_INSTALL(operation, function) A->ops->operation = function;
#define AUTOCSR_SUSPEND(operation, function) \
  if (A->ops->operation == function) A->ops->operation = parent->ops.operation;
#define AUTOCSR_RESUME(operation, function) \
  if (A->ops->operation == parent->ops.operation) A->ops->operation = function;

/* A matrix that goes as its parent for a while, and what has to be put back */
typedef struct {
  Mat            mat; /* NULL: nothing */
  PetscObjectId  id;
  char          *name; /* the very string: whoever called MatGetType() may still hold it */
  PetscContainer context;
} AutoCSRSuspended;
#define AUTOCSR_MAX_BLOCKS 2 /* of a parallel matrix: diagonal and off-diagonal */

static inline PetscInt64 AutoCSRMatrixBytes(const AutoCSRMatrix *csr)
{
  return (PetscInt64)(csr->m + 1) * (PetscInt64)sizeof(PetscInt) + (PetscInt64)csr->nnz * (PetscInt64)(sizeof(PetscInt) + sizeof(PetscScalar));
}

/* seq/context.c */
PETSC_INTERN PetscErrorCode AutoCSRContextCreate(Mat, const AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRContextFind(Mat, AutoCSRContext **);
PETSC_INTERN PetscErrorCode AutoCSRContextGet(Mat, AutoCSRContext **); /* made if there is none */
PETSC_INTERN PetscErrorCode AutoCSRContextTake(Mat, PetscContainer *);
PETSC_INTERN PetscErrorCode AutoCSRContextGive(Mat, PetscContainer *);
PETSC_INTERN PetscErrorCode AutoCSRContextSet(AutoCSRContext *, const AutoCSRSettings *); /* other settings drop the plan */
PETSC_INTERN PetscErrorCode AutoCSRContextUpdate(Mat, AutoCSRContext *);                  /* makes the plan that of the matrix */

/* seq/cite.c */
PETSC_INTERN PetscErrorCode AutoCSRCite(const AutoCSRPlan *);

/* seq/attach.c: how ours is put on a matrix of the parent's type and taken off, whatever the parent */
PETSC_INTERN PetscErrorCode AutoCSRParentInitialize(AutoCSRParent *);
PETSC_INTERN PetscErrorCode AutoCSRAttach_Private(Mat, const AutoCSRParent *, const AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRSuspend_Private(Mat, const AutoCSRParent *, AutoCSRSuspended *);
PETSC_INTERN PetscErrorCode AutoCSRResume_Private(const AutoCSRParent *, AutoCSRSuspended *);
PETSC_INTERN PetscErrorCode AutoCSRSuspend(Mat, AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]); /* with its blocks; of another type: nothing */
PETSC_INTERN PetscErrorCode AutoCSRResume(AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]);
PETSC_INTERN PetscErrorCode AutoCSRDiscard(AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]); /* instead of Resume: it stays the parent's */

/* seq/convert.c */
PETSC_INTERN PetscErrorCode MatConvert_AutoCSR_Any(Mat, MatType, MatReuse, Mat *);
PETSC_INTERN PetscErrorCode MatConvert_Any_AutoCSR(Mat, MatType, MatReuse, Mat *);

/* seq/seqautocsr.c */
PETSC_INTERN PetscErrorCode MatCreate_SeqAutoCSR(Mat);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRGetParent(const AutoCSRParent **);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRAttach(Mat, const AutoCSRSettings *); /* NULL: settings from the options */
PETSC_INTERN PetscErrorCode MatSeqAutoCSRSuspend(Mat, AutoCSRSuspended *);
PETSC_INTERN PetscErrorCode MatSeqAutoCSRResume(AutoCSRSuspended *);
PETSC_INTERN PetscBool      MatIsSeqAutoCSR(Mat);

/* seq/mult.c */
PETSC_INTERN PetscErrorCode MatMult_SeqAutoCSR(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultAdd_SeqAutoCSR(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTranspose_SeqAutoCSR(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultTransposeAdd_SeqAutoCSR(Mat, Vec, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultHermitianTranspose_SeqAutoCSR(Mat, Vec, Vec);
PETSC_INTERN PetscErrorCode MatMultHermitianTransposeAdd_SeqAutoCSR(Mat, Vec, Vec, Vec);

/* product/ */
PETSC_INTERN PetscErrorCode MatProductSetFromOptions_AutoCSR(Mat);
PETSC_INTERN PetscErrorCode MatSeqAIJKron_AutoCSR(Mat, Mat, MatReuse, Mat *);
PETSC_INTERN PetscErrorCode AutoCSRFactorRegister(void);
PETSC_INTERN PetscErrorCode AutoCSRByNameRegister(void);

/* What the types need from interface/: reading options where they enter, and -autocsr_view */
PETSC_INTERN PetscErrorCode AutoCSRSettingsSetFromOptions(Mat, AutoCSRSettings *, AutoCSROptionItems);
PETSC_INTERN PetscErrorCode AutoCSRViewFromOptions(Mat);

#endif
