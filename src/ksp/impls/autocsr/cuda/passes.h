/*
  The passes over vectors of a device: what steps.c queues and passes.cu launches. Nothing here has a member that depends on
  how a PetscScalar is aligned, which C and CUDA C++ see differently.
*/
#ifndef AUTOCSR_PASSES_H
#define AUTOCSR_PASSES_H

#include "../scalars.h"
#include "../../../../mat/impls/autocsr/cuda/device.h"

/* A place in page-locked memory where a pass tells the host a result; the number is written last */
typedef struct {
  AutoCSRResult result;
  PetscInt64    number;
} AutoCSRSlot;

/* What all passes of a solve have, and what one tells. The last thread block of a pass adds up what the others have left in `partial` */
typedef struct {
  PetscInt           n;
  const PetscScalar *b, *d, *w; /* d NULL: the preconditioner is the identity */
  PetscScalar       *x, *p, *r;
  void              *scalars; /* AutoCSRScalars on the device */
  PetscReal         *partial;
  unsigned          *arrived; /* zero between passes */
  PetscInt           blocks;  /* of a grid, at most */
  PetscBool          conjugate;
  AutoCSRTest        test;
  AutoCSRSlot       *slot; /* NULL: nothing is told */
  PetscInt64         number;
} AutoCSRPass;

#define AUTOCSR_PASS_SUMS 3 /* of a thread block: the dot product's parts, the squares */

PETSC_INTERN size_t         AutoCSRPassScalarsBytes(void);
PETSC_INTERN PetscErrorCode AutoCSRPassStart(const AutoCSRPass *, PetscBool product);
PETSC_INTERN PetscErrorCode AutoCSRPassDot(const AutoCSRPass *);
PETSC_INTERN PetscErrorCode AutoCSRPassResidual(const AutoCSRPass *);
PETSC_INTERN PetscErrorCode AutoCSRPassDirection(const AutoCSRPass *);

/* coefficient: of what `to` held before, of `from`, of the preconditioned residual. first: the scalars are not set yet */
PETSC_INTERN PetscErrorCode AutoCSRPassCombine(const AutoCSRPass *, const PetscScalar coefficient[3], const PetscScalar *from, PetscScalar *to, PetscBool product, PetscBool update, PetscBool first);

#endif
