/*
  Conjugate gradients. A step is a product and three passes: p.Ap; r -= a Ap with z.r and the norm, where z = D r is not
  stored; x += a p with the next p. Iterations, norms and reasons are those of PETSc's KSPCG, in its order.
  On a device a preconditioner that is not ours is applied by PETSc within the second pass, to which z then is given.
*/
#include "fused.h"

enum {
  SET_RADIUS,
  SET_TARGET,
  GET_OBJECTIVE,
  USE_SINGLE_REDUCTION
};

static PetscErrorCode SetRadius(KSP ksp, PetscReal radius)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscReal))(void (*)(void))f->method[SET_RADIUS])(ksp, radius));
  f->radius = radius;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetTarget(KSP ksp, PetscReal target)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscReal))(void (*)(void))f->method[SET_TARGET])(ksp, target));
  f->target = target;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetObjective(KSP ksp, PetscReal *objective)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  if (f->ran)
    *objective = f->objective;
  else
    PetscCall((*(PetscErrorCode(*)(KSP, PetscReal *))(void (*)(void))f->method[GET_OBJECTIVE])(ksp, objective));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's method composes and takes off the one for the objective, and chooses the solve */
static PetscErrorCode UseSingleReduction(KSP ksp, PetscBool use)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscBool))(void (*)(void))f->method[USE_SINGLE_REDUCTION])(ksp, use));
  f->counts_objective = PETSC_FALSE;
  if (!use) PetscCall(AutoCSRFusedCompose(ksp, f, GET_OBJECTIVE, "KSPCGGetObjFcn_C", AUTOCSR_FUSED_METHOD(GetObjective), &f->counts_objective));
  PetscCall(AutoCSRFusedTakeSolve(ksp, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compose(KSP ksp, AutoCSRFused *f)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRFusedCompose(ksp, f, SET_RADIUS, "KSPCGSetRadius_C", AUTOCSR_FUSED_METHOD(SetRadius), NULL));
  PetscCall(AutoCSRFusedCompose(ksp, f, SET_TARGET, "KSPCGSetObjectiveTarget_C", AUTOCSR_FUSED_METHOD(SetTarget), NULL));
  PetscCall(AutoCSRFusedCompose(ksp, f, GET_OBJECTIVE, "KSPCGGetObjFcn_C", AUTOCSR_FUSED_METHOD(GetObjective), &f->counts_objective));
  PetscCall(AutoCSRFusedCompose(ksp, f, USE_SINGLE_REDUCTION, "KSPCGUseSingleReduction_C", AUTOCSR_FUSED_METHOD(UseSingleReduction), NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refuse(KSP ksp, AutoCSRFused *f, const char **why)
{
  PetscFunctionBegin;
  if (f->parent.solve != f->first)
    *why = "the variant with a single reduction was asked for";
  else if (f->radius != 0)
    *why = "a trust region was set";
  else if (f->target < 0)
    *why = "a target of the objective was set";
  else if (ksp->pc_side != PC_LEFT)
    *why = "the preconditioner is not on the left side";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the quadratic function that CG minimizes: SNES reads it */
static PetscErrorCode StartObjective(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  PetscScalar rx, bx;

  PetscFunctionBegin;
  f->objective = 0;
  if (ksp->guess_zero || !f->counts_objective) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(s->conjugate ? VecDot(s->vec[AUTOCSR_R], s->vec[AUTOCSR_X], &rx) : VecTDot(s->vec[AUTOCSR_R], s->vec[AUTOCSR_X], &rx));
  PetscCall(s->conjugate ? VecDot(s->vec[AUTOCSR_B], s->vec[AUTOCSR_X], &bx) : VecTDot(s->vec[AUTOCSR_B], s->vec[AUTOCSR_X], &bx));
  f->objective = 0.5 * PetscRealPart(rx) - 0.5 * PetscRealPart(bx);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPCheckNorm() and KSPCheckDot() return from the function that they are in */
static PetscErrorCode First(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s, AutoCSRResult *now)
{
  PetscFunctionBegin;
  if (!ksp->guess_zero) PetscCall((*s->steps->multiply)(s, AUTOCSR_X, AUTOCSR_W));
  PetscCall((*s->steps->cg_start)(s, ksp->guess_zero ? PETSC_FALSE : PETSC_TRUE));
  PetscCall((*s->steps->result)(s, 0, now));
  if (s->test.norm == AUTOCSR_NORM_NATURAL)
    KSPCheckDot(ksp, now->beta);
  else
    KSPCheckNorm(ksp, now->norm);
  PetscCall(StartObjective(ksp, f, s));
  PetscCall(AutoCSRFusedTell(ksp, 0, now->norm, PETSC_TRUE));
  PetscCall((*ksp->converged)(ksp, 0, now->norm, &ksp->reason, ksp->cnvP));
  if (!ksp->reason) KSPCheckDot(ksp, now->beta);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode QueueStep(AutoCSRSolve *s)
{
  PetscFunctionBegin;
  PetscCall((*s->steps->cg_product)(s));
  PetscCall((*s->steps->cg_residual)(s));
  PetscCall((*s->steps->cg_direction)(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc looks at before iteration i + 1 begins */
static PetscErrorCode TestPreconditioner(KSP ksp, PetscInt i, PetscScalar beta, PetscScalar before)
{
  PetscFunctionBegin;
  if (beta == 0.0) {
    ksp->reason = KSP_CONVERGED_ATOL;
    PetscCall(PetscInfo(ksp, "Converged: z.r is zero\n"));
  }
#if !PetscDefined(USE_COMPLEX)
  else if (i > 0 && beta * before < 0.0) {
    PetscCheck(!ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED, "The preconditioner is indefinite: z.r is %g after %g", (double)beta, (double)before);
    ksp->reason = KSP_DIVERGED_INDEFINITE_PC;
    PetscCall(PetscInfo(ksp, "Diverged: the preconditioner is indefinite\n"));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMatrix(KSP ksp, PetscInt i, PetscScalar dpi, PetscScalar before)
{
  PetscFunctionBegin;
  if (dpi != 0.0 && (i == 0 || PetscSign(PetscRealPart(dpi)) * PetscSign(PetscRealPart(before)) >= 0.0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED, "The matrix is indefinite: p.Ap is %g after %g", (double)PetscRealPart(dpi), (double)PetscRealPart(before));
  ksp->reason = KSP_DIVERGED_INDEFINITE_MAT;
  PetscCall(PetscInfo(ksp, "Diverged: the matrix is indefinite\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  const PetscInt ahead = (*s->steps->ahead)(s), most = PetscMax(1, ksp->max_it);
  PetscInt       i = 0, queued = 0;
  PetscScalar    before;
  AutoCSRResult  now, last;

  PetscFunctionBegin;
  ksp->its = 0;
  /* KSP_CG begins with its type in all versions of PETSc; -ksp_cg_type sets it without a setter */
  if (PetscDefined(USE_COMPLEX)) s->conjugate = (PetscBool)(*(const KSPCGType *)ksp->data == KSP_CG_HERMITIAN);
  PetscCall(First(ksp, f, s, &now));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRFusedSetTest(ksp, s));
  before   = now.beta;
  last.dpi = 0;
  do {
    ksp->its = i + 1;
    PetscCall(TestPreconditioner(ksp, i, now.beta, before));
    if (ksp->reason) break;
    PetscCheck(!now.stop, PetscObjectComm((PetscObject)ksp), PETSC_ERR_PLIB, "The steps have stopped at a norm of %g, with which PETSc's test goes on", (double)now.norm);
    PetscCall(AutoCSRFusedQueue(s, QueueStep, i + ahead + 1, most, &queued));
    last = now;
    PetscCall((*s->steps->result)(s, i + 1, &now));
    KSPCheckDot(ksp, now.dpi);
    before = last.beta;
    PetscCall(TestMatrix(ksp, i, now.dpi, last.dpi));
    if (ksp->reason) break;
    if (s->test.norm == AUTOCSR_NORM_NATURAL)
      KSPCheckDot(ksp, now.beta);
    else
      KSPCheckNorm(ksp, now.norm);
    f->objective -= PetscRealPart(0.5 * (before / now.dpi) * before);
    PetscCall(AutoCSRFusedTell(ksp, i + 1, now.norm, PETSC_TRUE));
    PetscCall((*ksp->converged)(ksp, i + 1, now.norm, &ksp->reason, ksp->cnvP));
    if (ksp->reason) break;
    KSPCheckDot(ksp, now.beta);
    i++;
  } while (i < ksp->max_it);
  if (i >= ksp->max_it) ksp->reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(KSP ksp)
{
  return AutoCSRFusedCreate(ksp, &AutoCSRFusedCG);
}

const AutoCSRFusedType AutoCSRFusedCG = {KSPCG, Create, Compose, Refuse, Solve, NULL, NULL};
