/*
  BiCGStab. A step is two products and five passes: v with v.shadow; s = r - alpha v; t with s.t, t.t and s.s; x and r with
  r.shadow and the norm; the next p. Iterations, norms and reasons are those of PETSc's KSPBCGS, in its order.
*/
#include "fused.h"

static PetscErrorCode Vectors(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  static const AutoCSRVectorName name[6] = {AUTOCSR_R, AUTOCSR_SHADOW, AUTOCSR_V, AUTOCSR_T, AUTOCSR_S, AUTOCSR_P};

  PetscFunctionBegin;
  (void)f;
  for (int k = 0; k < 6; k++) s->vec[name[k]] = ksp->work[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to = the preconditioned product with `from`. It passes through `spare`; the vector that the next pass takes is told */
static PetscErrorCode Multiply(AutoCSRSolve *s, AutoCSRVectorName from, AutoCSRVectorName to, AutoCSRVectorName spare, AutoCSRVectorName *product)
{
  PetscFunctionBegin;
  *product = to;
  if (!s->vec[AUTOCSR_D])
    PetscCall((*s->steps->multiply)(s, from, to));
  else if (s->left) {
    *product = spare;
    PetscCall((*s->steps->multiply)(s, from, spare));
  } else {
    PetscCall((*s->steps->precondition)(s, from, spare));
    PetscCall((*s->steps->multiply)(s, spare, to));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode QueueStep(AutoCSRSolve *s)
{
  const AutoCSRStepsBCGS *steps = s->steps->bcgs;
  AutoCSRVectorName       product;

  PetscFunctionBegin;
  PetscCall(Multiply(s, AUTOCSR_P, AUTOCSR_V, AUTOCSR_T, &product));
  PetscCall((*steps->dot)(s, product));
  PetscCall((*steps->half)(s));
  PetscCall(Multiply(s, AUTOCSR_S, AUTOCSR_T, AUTOCSR_R, &product));
  PetscCall((*steps->stabilize)(s, product));
  PetscCall((*steps->update)(s));
  PetscCall((*steps->direction)(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BreakDown(KSP ksp, const char why[])
{
  PetscFunctionBegin;
  PetscCheck(!ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED, "BiCGStab breaks down: %s", why);
  PetscCall(PetscInfo(ksp, "BiCGStab breaks down: %s\n", why));
  ksp->reason = KSP_DIVERGED_BREAKDOWN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One iteration's result; KSPCheckDot() and KSPCheckNorm() return from this function */
static PetscErrorCode Look(KSP ksp, AutoCSRSolve *s, PetscInt i, AutoCSRResult *now)
{
  const PetscReal last = now->norm;

  PetscFunctionBegin;
  PetscCall((*s->steps->result)(s, i + 1, now));
  KSPCheckDot(ksp, now->dpi);
  if (now->dpi == (PetscScalar)0) {
    PetscCall(BreakDown(ksp, "v.shadow is zero"));
  } else if (now->event == AUTOCSR_EVENT_SINGULAR) {
    PetscCall(BreakDown(ksp, "the preconditioned matrix is singular"));
  } else if (now->event == AUTOCSR_EVENT_EXACT) {
    ksp->its++;
    ksp->rnorm  = 0;
    ksp->reason = KSP_CONVERGED_RTOL;
    PetscCall(KSPLogResidualHistory(ksp, last));
    PetscCall(KSPMonitor(ksp, i + 1, 0));
  } else {
    KSPCheckNorm(ksp, now->norm);
    ksp->its++;
    PetscCall(AutoCSRFusedTell(ksp, i + 1, now->norm, PETSC_TRUE));
    PetscCall((*ksp->converged)(ksp, i + 1, now->norm, &ksp->reason, ksp->cnvP));
    if (!ksp->reason && now->beta == (PetscScalar)0) PetscCall(BreakDown(ksp, "r.shadow is zero"));
    PetscCheck(ksp->reason || !now->stop, s->comm, PETSC_ERR_PLIB, "The steps have stopped at a norm of %g, with which PETSc's test goes on", (double)now->norm);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  const PetscInt ahead = (*s->steps->ahead)(s), most = PetscMax(1, ksp->max_it);
  PetscInt       i = 0, queued = 0;
  AutoCSRResult  now;

  PetscFunctionBegin;
  (void)f;
  ksp->its = 0;
  /* Residuals are preconditioned already */
  if (s->test.norm != AUTOCSR_NORM_NONE) s->test.norm = AUTOCSR_NORM_RESIDUAL;
  if (!ksp->guess_zero) PetscCall((*s->steps->multiply)(s, AUTOCSR_X, AUTOCSR_V));
  PetscCall((*s->steps->bcgs->start)(s, ksp->guess_zero ? PETSC_FALSE : PETSC_TRUE));
  PetscCall((*s->steps->result)(s, 0, &now));
  KSPCheckNorm(ksp, now.norm);
  PetscCall(AutoCSRFusedTell(ksp, 0, now.norm, PETSC_TRUE));
  PetscCall((*ksp->converged)(ksp, 0, now.norm, &ksp->reason, ksp->cnvP));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRFusedSetTest(ksp, s));
  do {
    PetscCall(AutoCSRFusedQueue(s, QueueStep, i + ahead + 1, most, &queued));
    PetscCall(Look(ksp, s, i, &now));
    if (ksp->reason == KSP_DIVERGED_NANORINF || ksp->reason == KSP_DIVERGED_PC_FAILED) PetscFunctionReturn(PETSC_SUCCESS); /* PETSc's checks return: at 0 iterations the reason stays */
    if (ksp->reason) break;
    i++;
  } while (i < ksp->max_it);
  if (i >= ksp->max_it) ksp->reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refuse(KSP ksp, AutoCSRFused *f, const char **why)
{
  PetscFunctionBegin;
  (void)f;
  if (ksp->pc_side != PC_LEFT && ksp->pc_side != PC_RIGHT) *why = "the preconditioner is on both sides";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(KSP ksp)
{
  return AutoCSRFusedCreate(ksp, &AutoCSRFusedBCGS);
}

const AutoCSRFusedType AutoCSRFusedBCGS = {KSPBCGS, Create, NULL, Refuse, Solve, Vectors, NULL};
