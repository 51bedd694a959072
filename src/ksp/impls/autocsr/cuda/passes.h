/*
  The passes over vectors of a device: what steps.c queues and passes.cu launches. Nothing here has a member that depends on
  how a PetscScalar is aligned, which C and CUDA C++ see differently.
*/
#ifndef AUTOCSR_PASSES_H
#define AUTOCSR_PASSES_H

#include "../scalars.h"
#include "../../../../mat/impls/autocsr/cuda/runtime/record.h"

#define AUTOCSR_PASS_RESIDENTS 4 /* thread blocks of a multiprocessor; with these, loads under way hide the latency of memory */

#define AUTOCSR_RING 64 /* results that may be under way; a power of two */

/* A place in page-locked memory where a pass tells the host a result; the number is written last */
typedef struct {
  AutoCSRResult result;
  PetscInt64    number;
  PetscInt64    unused; /* C and CUDA C++ agree on the size, a multiple of that of a complex number */
} AutoCSRSlot;

/* Likewise the sums of one process: the host adds up those of all before what follows from them is done */
typedef struct {
  PetscReal  v[4];
  PetscInt64 number;
} AutoCSRPassSums;

/* Names the function of scalars.h that sets scalars from the sums of a pass */
typedef enum {
  AUTOCSR_FOLLOW_START,
  AUTOCSR_FOLLOW_PRODUCT,
  AUTOCSR_FOLLOW_RESIDUAL,
  AUTOCSR_FOLLOW_COMBINED,
  AUTOCSR_FOLLOW_FIRST_COMBINED,
  AUTOCSR_FOLLOW_BCGS_START,
  AUTOCSR_FOLLOW_BCGS_DOT,
  AUTOCSR_FOLLOW_BCGS_STABILIZE,
  AUTOCSR_FOLLOW_BCGS_UPDATE
} AutoCSRFollow;

/* What all passes of a solve have, and what one tells. The last thread block of a pass adds up what the others have left in `partial` */
typedef struct {
  PetscInt           n;
  PetscInt           block;     /* rows of a point block; 1: the preconditioner is a diagonal */
  const PetscScalar *b, *d, *w; /* d NULL: the preconditioner is the identity; part k of n entries has column k of all blocks */
  PetscScalar       *x, *p, *r;
  PetscScalar       *shadow, *v, *s, *t; /* BiCGStab */
  void              *scalars; /* AutoCSRScalars on the device */
  PetscReal         *partial;
  unsigned          *arrived; /* zero between passes */
  PetscInt           blocks;  /* of a grid, at most */
  PetscBool          conjugate;
  AutoCSRNorm        norm;
  const AutoCSRTest *test; /* on the device, once it is set */
  AutoCSRSlot       *ring; /* NULL: nothing is told */
  PetscInt64        *told; /* on the device: the number of the last result that was told. So a pass may be recorded, and repeated */
  AutoCSRPassSums   *sums; /* NULL: of one process, whose device does what follows at once */
  PetscInt64         sums_number;
} AutoCSRPass;

#define AUTOCSR_PASS_SUMS    (PetscDefined(USE_COMPLEX) ? 4 : 3) /* of a thread block: the dot product's parts, two sums of squares */
#define AUTOCSR_PASS_SQUARES (AUTOCSR_PASS_SUMS - 2)             /* the first of these */

PETSC_INTERN size_t         AutoCSRPassScalarsBytes(void);
PETSC_INTERN PetscErrorCode AutoCSRPassSetTest(AutoCSRTest *, const AutoCSRTest *);
PETSC_INTERN PetscErrorCode AutoCSRPassFollow(const AutoCSRPass *, AutoCSRFollow, const PetscReal sums[]); /* of all processes */
PETSC_INTERN PetscErrorCode AutoCSRPassStart(const AutoCSRPass *, PetscBool product);
PETSC_INTERN PetscErrorCode AutoCSRPassDot(const AutoCSRPass *);
PETSC_INTERN PetscErrorCode AutoCSRPassResidual(const AutoCSRPass *);
PETSC_INTERN PetscErrorCode AutoCSRPassDirection(const AutoCSRPass *, PetscBool given);

/*
  The preconditioner is given. GivenResidual writes r: first as b or b less the product with x, later as r less a times the product. PETSc's
  application then writes z to w, and Given makes the sums of z and r
*/
PETSC_INTERN PetscErrorCode AutoCSRPassGivenResidual(const AutoCSRPass *, PetscBool first, PetscBool product);
PETSC_INTERN PetscErrorCode AutoCSRPassGiven(const AutoCSRPass *, PetscBool first);

/* coefficient: of what `to` held before, of `from`, of the preconditioned residual. first: the scalars are not set yet */
PETSC_INTERN PetscErrorCode AutoCSRPassCombine(const AutoCSRPass *, const PetscScalar coefficient[3], const PetscScalar *from, PetscScalar *to, PetscBool product, PetscBool update, PetscBool first);

PETSC_INTERN PetscErrorCode AutoCSRPassPrecondition(const AutoCSRPass *, const PetscScalar *from, PetscScalar *to);

/* passes_product.cu. The product with p, and its dot product with p. partial of the pass has room for the sums of all thread blocks */
PETSC_INTERN PetscBool      AutoCSRPassHasProduct(const AutoCSROneParameters *);
PETSC_INTERN PetscErrorCode AutoCSRPassProduct(const AutoCSRPass *, const AutoCSROneParameters *);

/* passes_bcgs.cu. precondition: `from` is multiplied by the preconditioner */
PETSC_INTERN PetscErrorCode AutoCSRPassBCGSStart(const AutoCSRPass *, PetscBool product, PetscBool precondition);
PETSC_INTERN PetscErrorCode AutoCSRPassBCGSDot(const AutoCSRPass *, const PetscScalar *from, PetscBool precondition);
PETSC_INTERN PetscErrorCode AutoCSRPassBCGSHalf(const AutoCSRPass *);
PETSC_INTERN PetscErrorCode AutoCSRPassBCGSStabilize(const AutoCSRPass *, const PetscScalar *from, PetscBool precondition);
PETSC_INTERN PetscErrorCode AutoCSRPassBCGSUpdate(const AutoCSRPass *, PetscBool precondition);
PETSC_INTERN PetscErrorCode AutoCSRPassBCGSDirection(const AutoCSRPass *);

/* passes_gmres.cu */
#define AUTOCSR_PASS_TOGETHER 32 /* vectors of a basis in one launch */
#define AUTOCSR_PASS_REALS    (PetscDefined(USE_COMPLEX) ? 2 : 1)
#define AUTOCSR_PASS_GROUP    (32 / AUTOCSR_PASS_REALS) /* vectors whose dot products one thread block makes: 32 reals, one for each lane */

/* Vectors `first` to first + count - 1 of the basis */
typedef struct {
  const PetscScalar *vector[AUTOCSR_PASS_TOGETHER];
  PetscInt           first, count;
} AutoCSRPassBasis;

/* A step of GMRES, and where the device keeps its scalars */
typedef struct {
  PetscInt            k; /* the product is with vector k */
  PetscBool           precondition;
  void               *dot;     /* PetscScalar: dot products of this step */
  PetscReal          *inverse; /* of the norms of the basis */
  PetscReal          *partial;
  unsigned           *arrived; /* for each group; zero between passes */
  PetscReal          *told;    /* the norm, then k + 1 dot products; NULL: the host is not told */
  PetscInt64        *number; /* is written last */
  PetscInt64          value;
} AutoCSRPassColumn;

PETSC_INTERN PetscErrorCode AutoCSRPassGMRESStart(const AutoCSRPass *, const AutoCSRPassColumn *, PetscBool product, PetscScalar *to);
PETSC_INTERN PetscErrorCode AutoCSRPassGMRESDots(const AutoCSRPass *, const AutoCSRPassColumn *, const AutoCSRPassBasis *);
PETSC_INTERN PetscErrorCode AutoCSRPassGMRESSubtract(const AutoCSRPass *, const AutoCSRPassColumn *, const AutoCSRPassBasis *, PetscScalar *to);
PETSC_INTERN PetscErrorCode AutoCSRPassGMRESTell(const AutoCSRPassColumn *, PetscInt dots, PetscReal squares); /* of all processes */
PETSC_INTERN PetscErrorCode AutoCSRPassGMRESCorrect(const AutoCSRPass *, const AutoCSRPassBasis *, const PetscReal coefficient[], PetscBool precondition);

/* A kernel of each module, for whoever loads them ahead */
PETSC_INTERN const void *const AutoCSRPassKernel, *const AutoCSRPassProductKernel, *const AutoCSRPassBCGSKernel, *const AutoCSRPassGMRESKernel, *const AutoCSRPassLevelKernel;

#endif
