/*
  Solvers that run beside the matrix: KSPs of PETSc's own types whose solve is ours. A solve takes one pass over the vectors
  where PETSc's takes several; on a device no scalar comes to the host before the next step begins. What the user asked for
  decides each time whether ours serves it; if not, PETSc's own solve runs.

  Each type is one file: cg.c, bcgs.c, gmres.c, chebyshev.c, richardson.c. They call the steps of AutoCSRSteps, which host.c has
  for vectors of a processor and cuda/ for those of a device.
*/
#ifndef AUTOCSR_FUSED_H
#define AUTOCSR_FUSED_H

#include "register.h"
#include "scalars.h"
#include "../../../mat/impls/autocsr/seq/seqautocsr.h"
#include <petsc/private/kspimpl.h>

/* The vectors of a solve. B and D are read only; from AUTOCSR_BASIS on they are those of a Krylov space */
typedef enum {
  AUTOCSR_X,
  AUTOCSR_P, /* the direction; the other solution of methods that keep two */
  AUTOCSR_R,
  AUTOCSR_W,      /* a product */
  AUTOCSR_SHADOW, /* BiCGStab: the first residual, and its v, s and t */
  AUTOCSR_V,
  AUTOCSR_S,
  AUTOCSR_T,
  AUTOCSR_B,
  AUTOCSR_D, /* the preconditioner's diagonal, or its point blocks */
  AUTOCSR_BASIS
} AutoCSRVectorName;

/*
  to = before*to + current*from + residual*z, where z = D (b - w). `to` is not read if `before` is 0, nor is it written if
  there is no update. Sums are those of the norm of b - w or of z
*/
typedef struct {
  AutoCSRVectorName from, to;
  PetscScalar       before, current, residual;
  PetscBool         product; /* w is the product with `from`; false: it is zero, and not read */
  PetscBool         update;
} AutoCSRCombination;

#define AUTOCSR_TOGETHER 4 /* combinations that are queued at once, at most */

typedef struct _AutoCSRSteps   AutoCSRSteps;
typedef struct _AutoCSRDevice *AutoCSRDevice; /* cuda/device.c: what a KSP keeps on a device */

/* The plan and the arrays of a product by launches. A record of such launches may be repeated while all of these stay the same */
typedef struct {
  const AutoCSRPlan   *plan; /* NULL: something else multiplies */
  PetscInt64           number; /* 0: a product cannot be recorded */
  const PetscInt      *row_ptr, *col;
  const PetscScalar   *val;
} AutoCSRProduct;

/* A solve that is under way */
typedef struct {
  const AutoCSRSteps *steps;
  Mat                 mat;
  MPI_Comm            comm;
  PetscMPIInt         size;
  PetscInt            n;                      /* local rows */
  PetscInt            block;                  /* rows of a point block; 1: the preconditioner is a diagonal */
  PetscInt            vectors;                /* names that vec and array have a place for */
  Vec                *vec;                    /* NULL: there is none */
  PetscScalar       **array;                  /* where the steps run */
  PetscBool           conjugate;              /* dot products conjugate the second vector */
  KSP                 given;                  /* NULL, or its preconditioner is applied by PETSc between passes */
  PetscBool           left;                   /* residuals are preconditioned; false: directions are */
  PetscBool           repeats;                /* steps may be recorded */
  PetscBool           joins;                  /* a product may make its dot product */
  AutoCSRTest         test;
  AutoCSRVectorName   solution; /* which vector holds it in the end */
  AutoCSRScalars      scalars;  /* of the host's steps */
  AutoCSRColumn       column;   /* the last one of the host's steps */
  AutoCSRDevice       device;
} AutoCSRSolve;

/* BiCGStab. A pass that takes `from` multiplies it by the preconditioner if it is not the vector that the pass is about */
typedef struct {
  PetscErrorCode (*start)(AutoCSRSolve *, PetscBool product);          /* r = b - v, shadow = p = r; no product: r = b */
  PetscErrorCode (*dot)(AutoCSRSolve *, AutoCSRVectorName from);       /* v from `from`, with v.shadow */
  PetscErrorCode (*half)(AutoCSRSolve *);                              /* s = r - alpha v */
  PetscErrorCode (*stabilize)(AutoCSRSolve *, AutoCSRVectorName from); /* t from `from`, with s.t, t.t and s.s */
  PetscErrorCode (*update)(AutoCSRSolve *);                            /* x += alpha p + omega s, r = s - omega t, with r.shadow and the norm */
  PetscErrorCode (*direction)(AutoCSRSolve *);                         /* p = r + beta (p - omega v) */
} AutoCSRStepsBCGS;

/* GMRES: vectors of the basis are not scaled; steps know the norm of each, and divide by it */
typedef struct {
  PetscErrorCode (*prepare)(AutoCSRSolve *, PetscInt restart);
  PetscErrorCode (*start)(AutoCSRSolve *, PetscBool product);                               /* the first vector of the basis: b - w */
  PetscErrorCode (*orthogonalize)(AutoCSRSolve *, PetscInt k);                              /* vector k + 1 from w, the product with vector k */
  PetscErrorCode (*result)(AutoCSRSolve *, PetscInt step, PetscInt n, AutoCSRColumn *);     /* of start and orthogonalize: n dot products */
  PetscErrorCode (*correct)(AutoCSRSolve *, PetscInt n, const PetscScalar coefficient[]);   /* x += the sum of coefficient times vector */
} AutoCSRStepsGMRES;

/* Steps are queued; result() waits for one. `ahead` of them may be queued beyond the one that the caller waits for */
struct _AutoCSRSteps {
  const char *where;                                        /* for the view */
  PetscErrorCode (*begin)(AutoCSRSolve *, AutoCSRDevice *); /* gets the arrays */
  PetscErrorCode (*end)(AutoCSRSolve *);
  PetscInt (*ahead)(const AutoCSRSolve *);
  PetscErrorCode (*get)(AutoCSRSolve *, PetscInt name);                     /* the array of a vector that joins, which steps write first */
  PetscErrorCode (*multiply)(AutoCSRSolve *, PetscInt from, PetscInt to);
  PetscErrorCode (*precondition)(AutoCSRSolve *, PetscInt from, PetscInt to);
  PetscErrorCode (*apply)(AutoCSRSolve *, PetscInt from, PetscInt to); /* the preconditioner that is given; NULL: none is served */
  PetscErrorCode (*set_test)(AutoCSRSolve *);                               /* the solve's, which steps queued from now on obey; NULL: they do */
  PetscErrorCode (*repeat)(AutoCSRSolve *, PetscErrorCode (*step)(AutoCSRSolve *), PetscInt most, PetscInt *queued); /* queues several steps at once, or none; NULL: none */
  PetscErrorCode (*product)(const AutoCSRSolve *, AutoCSRProduct *);
  PetscErrorCode (*counted)(AutoCSRSolve *, PetscInt products);             /* so many products were made by other launches than multiply()'s */
  PetscErrorCode (*cg_start)(AutoCSRSolve *, PetscBool product);            /* r = b - w, p = D r; no product: r = b */
  PetscErrorCode (*cg_product)(AutoCSRSolve *);                             /* w = A p, and p.w */
  PetscErrorCode (*cg_residual)(AutoCSRSolve *);                            /* r -= a w, with z.r and the norm */
  PetscErrorCode (*cg_direction)(AutoCSRSolve *);                           /* x += a p, p = D r + b p */
  PetscErrorCode (*combine)(AutoCSRSolve *, const AutoCSRCombination *);    /* see there */
  PetscErrorCode (*smooth)(AutoCSRSolve *, PetscInt n, const AutoCSRCombination[], PetscBool *done); /* some of them with their products, without norms, in one launch; done false: nothing was queued. NULL: never */
  PetscErrorCode (*result)(AutoCSRSolve *, PetscInt step, AutoCSRResult *); /* of cg_start and combine: 0 is the first; of CG's steps cg_residual has it */
  PetscErrorCode (*destroy)(AutoCSRDevice *);                               /* NULL: there is nothing */
  const AutoCSRStepsBCGS  *bcgs;
  const AutoCSRStepsGMRES *gmres;
};
PETSC_INTERN const AutoCSRSteps AutoCSRStepsHost;
#if defined(AUTOCSR_HAVE_CUDA)
PETSC_INTERN const AutoCSRSteps AutoCSRStepsCUDA;
PETSC_INTERN void               AutoCSRPassesPreload(PetscErrorCode (*wanted)(PetscBool *)); /* cuda/steps.c */
#endif

typedef struct _AutoCSRFused AutoCSRFused;

/* A type of KSP */
typedef struct {
  const char *type;
  PetscErrorCode (*create)(KSP);                                /* registered under the type's name */
  PetscErrorCode (*compose)(KSP, AutoCSRFused *);               /* puts methods in the place of the parent's, to learn what users set */
  PetscErrorCode (*refuse)(KSP, AutoCSRFused *, const char **); /* the reason why PETSc's own solve must run, if only this type knows one */
  PetscErrorCode (*solve)(KSP, AutoCSRFused *, AutoCSRSolve *);
  PetscErrorCode (*vectors)(KSP, AutoCSRFused *, AutoCSRSolve *); /* work vectors; NULL: PETSc's are p, w and r */
  PetscErrorCode (*count)(KSP, PetscInt *);                       /* of the vectors of a basis, at most; NULL: none */
} AutoCSRFusedType;
PETSC_INTERN const AutoCSRFusedType AutoCSRFusedCG, AutoCSRFusedBCGS, AutoCSRFusedGMRES, AutoCSRFusedFGMRES, AutoCSRFusedChebyshev, AutoCSRFusedRichardson;

#define AUTOCSR_FUSED_METHODS 6 /* of a type */

#define AUTOCSR_FUSED_BLOCK 16 /* rows of a point block, at most */

/* What a diagonal was taken of */
typedef struct {
  PetscInt         block;
  PetscObjectId    pc, mat;
  PetscObjectState state;
  char             set_up[32], name[32];
  PCJacobiType     type;
  PetscBool        use_abs, fix;
  PetscReal        scale;
} AutoCSRDiagonalKey;

/* Kept beside a KSP, whose data are the parent's */
struct _AutoCSRFused {
  const AutoCSRFusedType *type;
  PetscBool               on;     /* the user wants it */
  PetscBool               repeats; /* the user lets steps be recorded, */
  PetscBool               joins;   /* and products make dot products */
  PetscBool               asked;  /* for this solver, not for all by default: the view then says why it was not */
  struct _KSPOps          parent; /* operations of PETSc's type; its solve may change with setters and set-up */
  PetscErrorCode (*first)(KSP);   /* the solve with which it was created */
  PetscBool   given;              /* PETSc applies the preconditioner */
  PetscBool   apart;              /* processes multiply the matrix `placed` in different places */
  PetscObjectId placed;           /* 0: none was asked about */
  PetscBool   ran;                /* the last solve was ours */
  const char *refused;            /* why it was not; NULL: there was no solve, or it was */
  const char *where;
  PetscErrorCode (*method[AUTOCSR_FUSED_METHODS])(KSP);
  AutoCSRDiagonalKey  checked; /* the set-up of this solve, of which all processes know whether it has failed */
  PetscBool           failed;
  Vec                 diagonal; /* or point blocks; NULL: none is kept */
  AutoCSRDiagonalKey  key;
  AutoCSRDevice       device; /* NULL: nothing is kept */
  const AutoCSRSteps *steps;  /* that have made it */

  PetscReal radius, target, objective; /* CG */
  PetscBool counts_objective;          /* this PETSc hands the objective on */
  PetscReal transform[4];              /* Chebyshev: of estimates to bounds */
  PetscReal damping;                   /* Richardson */
  PetscBool self_scale;
  PetscReal happy, breakdown; /* GMRES: tolerances */
  PetscBool modifies;         /* FGMRES: the preconditioner may change */
  Vec      *own;              /* work vectors that PETSc's type does not have */
  PetscInt  owns;
};

/* fused.c */
PETSC_INTERN PetscErrorCode AutoCSRFusedCreate(KSP, const AutoCSRFusedType *); /* the body of each create() */
PETSC_INTERN PetscErrorCode AutoCSRFusedGet(KSP, AutoCSRFused **);
PETSC_INTERN PetscErrorCode AutoCSRFusedCompose(KSP, AutoCSRFused *, int, const char[], PetscErrorCode (*)(KSP), PetscBool *found);
PETSC_INTERN PetscErrorCode AutoCSRFusedTakeSolve(KSP, AutoCSRFused *); /* which PETSc's type has chosen */
PETSC_INTERN PetscErrorCode AutoCSRFusedOwn(KSP, AutoCSRFused *, PetscInt n);         /* at least n vectors of f->own */
#define AUTOCSR_FUSED_METHOD(f) ((PetscErrorCode(*)(KSP))(void (*)(void))(f))

/* serve.c: whether ours serves what the user asked for; steps NULL: it does not, and *why says it */
PETSC_INTERN PetscErrorCode AutoCSRFusedServe(KSP, AutoCSRFused *, const AutoCSRSteps **, const char **why);

/*
  diagonal.c: the preconditioner's diagonal, which stays with the KSP; NULL: it is the identity. Point blocks of more than one row make
  one part of n entries for each column of a block: entry i of part k is that of row i and the block's column k
*/
PETSC_INTERN PetscErrorCode AutoCSRFusedDiagonal(KSP, AutoCSRFused *, Vec work, Vec *);
PETSC_INTERN PetscErrorCode AutoCSRFusedSetUpPC(KSP, AutoCSRFused *, const char **why); /* before the diagonal is asked for; why: it does not serve */

/* solve.c: what the types share */
PETSC_INTERN PetscErrorCode AutoCSRFusedSolve(KSP, AutoCSRFused *, const AutoCSRSteps *);
PETSC_INTERN PetscErrorCode AutoCSRFusedCombine(AutoCSRSolve *, PetscInt n, const AutoCSRCombination[]); /* at most AUTOCSR_TOGETHER, with their products */
PETSC_INTERN AutoCSRNorm    AutoCSRFusedNorm(KSP);
PETSC_INTERN PetscErrorCode AutoCSRFusedSetTest(KSP, AutoCSRSolve *);                                                   /* once the first norm was looked at */
PETSC_INTERN PetscErrorCode AutoCSRFusedQueue(AutoCSRSolve *, PetscErrorCode (*step)(AutoCSRSolve *), PetscInt until, PetscInt most, PetscInt *queued); /* queues steps until `until` of the solve are queued, or `most`, the last that it may take; steps that are repeated together may go beyond `until` */
PETSC_INTERN PetscErrorCode AutoCSRFusedTell(KSP, PetscInt, PetscReal, PetscBool log_first);                            /* norm, history, monitors */
PETSC_INTERN PetscErrorCode AutoCSRFusedLook(KSP, AutoCSRSolve *, PetscInt step, PetscBool check, PetscBool log_first); /* waits for the norm of a combination, tells and tests it */

#endif
