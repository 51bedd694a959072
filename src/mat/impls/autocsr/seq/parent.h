/*
  The type that ours is put on top of, and how ours is put on a matrix of it, taken off, and taken off for the time of a call.
*/
#ifndef AUTOCSR_PARENT_H
#define AUTOCSR_PARENT_H

#include "../autocsr.h"
#include <petsc/private/matimpl.h>

/* A method that ours composes, and an operation that it overrides */
typedef struct {
  const char *name;
  void (*function)(void);
} AutoCSRMethod;
#define AUTOCSR_METHOD(name, function) \
  {                                    \
    name, (void (*)(void))(function)   \
  }
typedef struct {
  size_t offset; /* in struct _MatOps */
  void (*function)(void);
} AutoCSROperation;
#define AUTOCSR_OPERATION(name, function)                      \
  {                                                            \
    offsetof(struct _MatOps, name), (void (*)(void))(function) \
  }
#define AUTOCSR_MAX_METHODS    24
#define AUTOCSR_MAX_OPERATIONS 32

/* What a matrix of the parent's type has: its operations, and what it composes under the names of ours */
typedef struct {
  struct _MatOps ops;
  void (*methods[AUTOCSR_MAX_METHODS])(void);
} AutoCSRParentTable;

/* Registration hands it to the types, which call it with each matrix that has been assembled: it shows the matrix if the user asks for that */
typedef PetscErrorCode AutoCSRAssembled(Mat);

/*
  The type that ours is put on top of. MatSeqAutoCSRInherit() and MatMPIAutoCSRInherit() choose it; registration adds the
  operations of product/ before the first matrix. Each list ends with a NULL function.
*/
typedef struct {
  const char *type; /* exact name of the parent */
  const char *own;  /* name of ours on top of it; that of the parent where ours takes its place */
  PetscErrorCode (*create)(Mat);
  PetscErrorCode (*from_aij)(Mat, MatType, MatReuse, Mat *); /* PETSc's converter of AIJ to it, with the tables; NULL if AIJ is what it is */
  PetscErrorCode (*prepare)(void);                           /* called when a matrix is given the type; NULL: nothing is to be made ready */
  PetscErrorCode (*get_csr)(Mat, AutoCSRMatrix *);           /* the arrays where they are to be multiplied; not nnz */
  PetscErrorCode (*release)(Mat);                            /* lets go of these where the host has them too; NULL: not possible */
  const char *solver;                                        /* of its own, or NULL */
  PetscErrorCode (*get_factor)(Mat, MatFactorType, Mat *);
  PetscBool          device;  /* it multiplies on one */
  PetscBool          by_name; /* its functions ask for its exact name, and not only PETSc's search for them does */
  AutoCSRAssembled  *assembled;
  AutoCSROperation   operations[AUTOCSR_MAX_OPERATIONS];
  AutoCSRMethod      methods[AUTOCSR_MAX_METHODS];
  PetscBool          has_tables;
  AutoCSRParentTable table[2]; /* of a matrix that is not bound to the CPU, and of one that is */
} AutoCSRParent;

typedef enum {
  AUTOCSR_KIND_SEQ,
  AUTOCSR_KIND_MPI,
  AUTOCSR_KINDS
} AutoCSRKindIndex;

/* By the name of AIJ, or of a type on top of it */
static inline AutoCSRKindIndex AutoCSRKindOf(const char type[])
{
  return strncmp(type, "mpi", 3) ? AUTOCSR_KIND_SEQ : AUTOCSR_KIND_MPI;
}

/* The AIJ that the parent is, or multiplies on a device */
static inline MatType AutoCSRParentAIJ(const AutoCSRParent *parent)
{
  return AutoCSRKindOf(parent->type) == AUTOCSR_KIND_MPI ? MATMPIAIJ : MATSEQAIJ;
}

/* PETSc without devices has matrices that are bound in no other sense than that there is one table */
static inline PetscBool AutoCSRIsBound(Mat A)
{
#if PetscDefined(HAVE_DEVICE)
  return A->boundtocpu;
#else
  return PETSC_FALSE;
#endif
}

static inline const AutoCSRParentTable *AutoCSRParentTableOf(const AutoCSRParent *parent, Mat A)
{
  return &parent->table[AutoCSRIsBound(A) ? 1 : 0];
}

/* A matrix that goes as its parent for a while, and what Resume puts back */
typedef struct {
  Mat            mat; /* NULL: nothing is suspended */
  PetscObjectId  id;
  char          *name; /* the very string: whoever called MatGetType() may still hold it */
  PetscContainer context;
  PetscErrorCode (*destroy)(Mat); /* the method for a matrix that stays its parent's; NULL: the parent's own */
} AutoCSRSuspended;
#define AUTOCSR_MAX_BLOCKS 2 /* of a parallel matrix: diagonal and off-diagonal */

/* How a sequential or a parallel matrix gets the type, loses it for the time of a call, and is known to have it */
typedef struct {
  PetscBool (*is)(Mat);
  PetscErrorCode (*get_parent)(const AutoCSRParent **);
  PetscErrorCode (*attach)(Mat, const AutoCSRSettings *); /* NULL: settings from the options */
  PetscErrorCode (*suspend)(Mat, AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]);
  PetscErrorCode (*resume)(AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]);
  PetscBool (*is_assembling)(void); /* blocks that are assembled meanwhile belong to such a matrix; NULL: it has no blocks */
} AutoCSRKind;
PETSC_INTERN const AutoCSRKind *AutoCSRKinds[AUTOCSR_KINDS]; /* seq/attach.c; seq/ and mpi/ each enter their own at registration */

/* seq/attach.c, for whatever parent */
PETSC_INTERN PetscErrorCode AutoCSRParentExtend(AutoCSRParent *, const AutoCSROperation[], const AutoCSRMethod[]); /* adds them, or replaces what is there */
PETSC_INTERN PetscErrorCode AutoCSRParentMakeTables(AutoCSRParent *);
PETSC_INTERN PetscErrorCode AutoCSRParentGetMethod(const AutoCSRParent *, Mat, const char[], void (**)(void));
PETSC_INTERN void           AutoCSROverride(Mat, const AutoCSROperation[]);
PETSC_INTERN void           AutoCSROverrideParent(Mat, const AutoCSRParent *, const AutoCSROperation[]);
PETSC_INTERN PetscErrorCode AutoCSRCompose(Mat, const AutoCSRParent *);
PETSC_INTERN void           AutoCSRYield(Mat, const AutoCSRParent *, const AutoCSROperation[]);
PETSC_INTERN PetscErrorCode AutoCSRAttach_Private(Mat, const AutoCSRParent *, const AutoCSRSettings *);
PETSC_INTERN PetscErrorCode AutoCSRSuspend_Private(Mat, const AutoCSRParent *, AutoCSRSuspended *);
PETSC_INTERN PetscErrorCode AutoCSRResume_Private(Mat, const AutoCSRParent *, AutoCSRSuspended *);
PETSC_INTERN PetscErrorCode AutoCSRAttach(Mat, const AutoCSRSettings *);                        /* to a matrix of the parent's type */
PETSC_INTERN PetscErrorCode AutoCSRSuspend(Mat, AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]);      /* with its blocks; of another type: nothing */
PETSC_INTERN PetscErrorCode AutoCSRResume(AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]);            /* if it is of the parent's type still */
PETSC_INTERN PetscErrorCode AutoCSRDiscard(AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]);           /* instead of Resume: it stays the parent's */
PETSC_INTERN PetscErrorCode AutoCSRResumeBlocks(AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]);      /* of a parallel matrix that stays suspended */
PETSC_INTERN PetscErrorCode AutoCSRSuspendAsAIJ(Mat, AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]); /* whatever the parent is */
PETSC_INTERN PetscErrorCode AutoCSRResumeAsAIJ(AutoCSRSuspended[1 + AUTOCSR_MAX_BLOCKS]);

/* A call during which the matrix goes as its parent, or as AIJ. The error of the call returns after the matrix has its type again */
#define AUTOCSR_CALL_AS_PARENT(A, call) AUTOCSR_CALL_SUSPENDED(AutoCSRSuspend, AutoCSRResume, A, call)
#define AUTOCSR_CALL_AS_AIJ(A, call)    AUTOCSR_CALL_SUSPENDED(AutoCSRSuspendAsAIJ, AutoCSRResumeAsAIJ, A, call)
#define AUTOCSR_CALL_SUSPENDED(Suspend, Resume, A, call) \
  do {                                                   \
    AutoCSRSuspended s_[1 + AUTOCSR_MAX_BLOCKS];         \
    PetscErrorCode   ierr_;                              \
                                                         \
    PetscCall(Suspend(A, s_));                           \
    ierr_ = call;                                        \
    PetscCall(Resume(s_));                               \
    PetscCall(ierr_);                                    \
  } while (0)

#endif
