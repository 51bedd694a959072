/*
  Richardson's iteration with a fixed damping factor. A step is a product and one pass: r = b - A y, its norm, and y plus the
  damped correction in another vector, so that y is still there if its norm ends the solve.
*/
#include "fused.h"

enum {
  SET_SCALE,
  SET_SELF_SCALE
};

static PetscErrorCode SetScale(KSP ksp, PetscReal scale)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscReal))(void (*)(void))f->method[SET_SCALE])(ksp, scale));
  f->damping = scale;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetSelfScale(KSP ksp, PetscBool self)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscBool))(void (*)(void))f->method[SET_SELF_SCALE])(ksp, self));
  f->self_scale = self;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compose(KSP ksp, AutoCSRFused *f)
{
  PetscFunctionBegin;
  f->damping = 1;
  PetscCall(AutoCSRFusedCompose(ksp, f, SET_SCALE, "KSPRichardsonSetScale_C", AUTOCSR_FUSED_METHOD(SetScale), NULL));
  PetscCall(AutoCSRFusedCompose(ksp, f, SET_SELF_SCALE, "KSPRichardsonSetSelfScale_C", AUTOCSR_FUSED_METHOD(SetSelfScale), NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refuse(KSP ksp, AutoCSRFused *f, const char **why)
{
  PetscFunctionBegin;
  if (f->self_scale)
    *why = "the damping factor is found in each iteration";
  else if (ksp->pc_side != PC_LEFT)
    *why = "the preconditioner is not on the left side";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solutions take turns: those of even number lie in x */
static AutoCSRVectorName Solution(PetscInt i)
{
  return i % 2 ? AUTOCSR_P : AUTOCSR_X;
}

static PetscErrorCode QueueSteps(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s, PetscInt first, PetscInt n)
{
  AutoCSRCombination step[AUTOCSR_TOGETHER];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt i = first + k;

    step[k] = (AutoCSRCombination){.from = Solution(i), .to = Solution(i + 1), .current = 1, .residual = f->damping, .product = (PetscBool)(i || !ksp->guess_zero), .update = (PetscBool)(i < ksp->max_it)};
  }
  PetscCall(AutoCSRFusedCombine(s, n, step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Without norms PETSc tells zeros, and nothing waits for a step */
static PetscErrorCode SolveWithoutNorms(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  PetscInt i, queued = 0;

  PetscFunctionBegin;
  for (i = 0; i < ksp->max_it; i++) {
    PetscCall(AutoCSRFusedTell(ksp, i, 0, PETSC_FALSE));
    PetscCall((*ksp->converged)(ksp, i, 0, &ksp->reason, ksp->cnvP));
    if (ksp->reason) break;
    ksp->its++;
    if (i + 1 - queued < AUTOCSR_TOGETHER) continue;
    PetscCall(QueueSteps(ksp, f, s, queued, AUTOCSR_TOGETHER));
    queued = i + 1;
  }
  PetscCall(QueueSteps(ksp, f, s, queued, i - queued));
  s->solution = Solution(i);
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRFusedTell(ksp, i, 0, PETSC_TRUE));
  ksp->reason = KSP_CONVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  const PetscInt ahead = (*s->steps->ahead)(s), most = ksp->max_it + 1;
  PetscInt       queued = 0;

  PetscFunctionBegin;
  ksp->its = 0;
  if (ksp->normtype == KSP_NORM_NONE) {
    PetscCall(SolveWithoutNorms(ksp, f, s));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0;; i++) {
    const PetscBool last = (PetscBool)(i == ksp->max_it);

    for (; queued <= (i ? i + ahead : 0) && queued < most; queued++) PetscCall(QueueSteps(ksp, f, s, queued, 1));
    PetscCall(AutoCSRFusedLook(ksp, s, i, last, last));
    s->solution = Solution(i);
    if (last && !ksp->reason) ksp->reason = KSP_DIVERGED_ITS;
    if (ksp->reason) break;
    if (i == 0) PetscCall(AutoCSRFusedSetTest(ksp, s));
    ksp->its++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(KSP ksp)
{
  return AutoCSRFusedCreate(ksp, &AutoCSRFusedRichardson);
}

const AutoCSRFusedType AutoCSRFusedRichardson = {KSPRICHARDSON, Create, Compose, Refuse, Solve, NULL, NULL};
