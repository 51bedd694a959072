/*
  GMRES with restarts and FGMRES, whose preconditioner stays the same. A step is a product and two passes over the basis: all dot
  products of classical Gram-Schmidt, then the difference and its norm. Steps do not change x before a cycle ends, so those
  that are queued beyond the last iteration do no harm. The Hessenberg matrix is the processor's, as in PETSc's KSPGMRES
  and KSPFGMRES, in whose order all is told and tested. On a device GMRES takes preconditioners that PETSc applies beside the product.
*/
#include "fused.h"

enum {
  SET_HAPPY,
  SET_BREAKDOWN,
  SET_MODIFY
};

enum {
  OWN_PRODUCT,
  OWN_PRECONDITIONED,
  OWN_BASIS
};

#define MORE 10 /* vectors of the basis that are made at once */

/* h(i, j): the Hessenberg matrix after the rotations c, s; right: its right side; y: the coefficients of the solution */
typedef struct {
  PetscBool     flexible;
  PetscInt      restart, most; /* columns, and how many one cycle can have */
  PetscScalar  *h, *c, *s, *right, *y;
  PetscReal    *norm; /* of the vectors of the basis */
  AutoCSRColumn column;
  PetscReal     norm0; /* at the start of the cycle */
  PetscInt      told;  /* results of earlier cycles */
} Cycle;

#define H(i, j) g->h[(size_t)(j) * (g->restart + 2) + (i)]

static PetscErrorCode SetHappy(KSP ksp, PetscReal tolerance)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscReal))(void (*)(void))f->method[SET_HAPPY])(ksp, tolerance));
  f->happy = tolerance;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetBreakdown(KSP ksp, PetscReal tolerance)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscReal))(void (*)(void))f->method[SET_BREAKDOWN])(ksp, tolerance));
  f->breakdown = tolerance == (PetscReal)PETSC_DEFAULT ? (PetscReal)0.1 : tolerance;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_LT(3, 25, 0)
  #define MODIFY_METHOD "KSPFGMRESSetModifyPC_C"
  #define MODIFY_NONE   KSPFGMRESModifyPCNoChange
typedef PetscErrorCode(Modify)(KSP, PetscInt, PetscInt, PetscReal, void *);
typedef PetscErrorCode(ModifyDestroy)(void *);
#else
  #define MODIFY_METHOD "KSPFlexibleSetModifyPC_C"
  #define MODIFY_NONE   KSPFlexibleModifyPCNoChange
typedef KSPFlexibleModifyPCFn Modify;
typedef PetscCtxDestroyFn     ModifyDestroy;
#endif

static PetscErrorCode SetModify(KSP ksp, Modify *modify, void *context, ModifyDestroy *destroy)
{
  AutoCSRFused *f;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall((*(PetscErrorCode(*)(KSP, Modify *, void *, ModifyDestroy *))(void (*)(void))f->method[SET_MODIFY])(ksp, modify, context, destroy));
  f->modifies = (PetscBool)(modify != MODIFY_NONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compose(KSP ksp, AutoCSRFused *f)
{
  PetscFunctionBegin;
  f->happy     = 1e-30;
  f->breakdown = 0.1;
  PetscCall(AutoCSRFusedCompose(ksp, f, SET_HAPPY, "KSPGMRESSetHapTol_C", AUTOCSR_FUSED_METHOD(SetHappy), NULL));
  PetscCall(AutoCSRFusedCompose(ksp, f, SET_BREAKDOWN, "KSPGMRESSetBreakdownTolerance_C", AUTOCSR_FUSED_METHOD(SetBreakdown), NULL));
  PetscCall(AutoCSRFusedCompose(ksp, f, SET_MODIFY, MODIFY_METHOD, AUTOCSR_FUSED_METHOD(SetModify), NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refuse(KSP ksp, AutoCSRFused *f, const char **why)
{
  PetscBool classical, refines;

  PetscFunctionBegin;
#if PETSC_VERSION_LT(3, 26, 0)
  PetscErrorCode (*orthogonalize)(KSP, PetscInt);
  KSPGMRESCGSRefinementType refine;

  PetscCall(KSPGMRESGetOrthogonalization(ksp, &orthogonalize));
  PetscCall(KSPGMRESGetCGSRefinementType(ksp, &refine));
  classical = (PetscBool)(orthogonalize == KSPGMRESClassicalGramSchmidtOrthogonalization);
  refines   = (PetscBool)(refine != KSP_GMRES_CGS_REFINE_NEVER);
#else
  classical = (PetscBool)(ksp->orthog == KSPOrthogonalizationClassicalGramSchmidt);
  refines   = (PetscBool)(ksp->cgstype != KSP_ORTHOGONALIZATION_CGS_REFINE_NEVER);
#endif
  if (!classical)
    *why = "the orthogonalization is not classical Gram-Schmidt";
  else if (refines)
    *why = "classical Gram-Schmidt is refined";
  else if (f->modifies)
    *why = "the preconditioner may change in each iteration";
  else if (ksp->pc_side != PC_LEFT && ksp->pc_side != PC_RIGHT)
    *why = "the preconditioner is on both sides";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Count(KSP ksp, PetscInt *count)
{
  PetscFunctionBegin;
  PetscCall(KSPGMRESGetRestart(ksp, count));
  *count = PetscMin(*count, ksp->max_it) + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of earlier solves are there from the beginning */
static PetscErrorCode Vectors(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRFusedOwn(ksp, f, OWN_BASIS + PetscMin(s->vectors - AUTOCSR_BASIS, MORE)));
  s->vec[AUTOCSR_W] = f->own[OWN_PRODUCT];
  s->vec[f->given ? AUTOCSR_R : AUTOCSR_P] = f->own[OWN_PRECONDITIONED];
  for (PetscInt k = 0; k < f->owns - OWN_BASIS && AUTOCSR_BASIS + k < s->vectors; k++) s->vec[AUTOCSR_BASIS + k] = f->own[OWN_BASIS + k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NeedVector(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s, PetscInt k)
{
  const PetscInt count = s->vectors - AUTOCSR_BASIS;

  PetscFunctionBegin;
  if (s->vec[AUTOCSR_BASIS + k]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRFusedOwn(ksp, f, OWN_BASIS + PetscMin(count, k + MORE)));
  for (; k < count && OWN_BASIS + k < f->owns; k++) {
    s->vec[AUTOCSR_BASIS + k] = f->own[OWN_BASIS + k];
    PetscCall((*s->steps->get)(s, AUTOCSR_BASIS + k));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode QueueStep(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s, PetscInt k)
{
  PetscFunctionBegin;
  PetscCall(NeedVector(ksp, f, s, k + 1));
  if (s->given) {
    PetscCall((s->left ? s->steps->multiply : s->steps->apply)(s, AUTOCSR_BASIS + k, AUTOCSR_R));
    PetscCall((s->left ? s->steps->apply : s->steps->multiply)(s, AUTOCSR_R, AUTOCSR_W));
  } else if (s->left || !s->vec[AUTOCSR_D])
    PetscCall((*s->steps->multiply)(s, AUTOCSR_BASIS + k, AUTOCSR_W));
  else {
    PetscCall((*s->steps->precondition)(s, AUTOCSR_BASIS + k, AUTOCSR_P));
    PetscCall((*s->steps->multiply)(s, AUTOCSR_P, AUTOCSR_W));
  }
  PetscCall((*s->steps->gmres->orthogonalize)(s, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPCheckDot() returns from this function */
static PetscErrorCode CheckDots(KSP ksp, PetscInt n, const PetscScalar dot[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) KSPCheckDot(ksp, dot[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rotates column k, and the right side with it */
static PetscErrorCode Rotate(KSP ksp, Cycle *g, PetscInt k, PetscBool happy, PetscReal *norm)
{
  PetscScalar t;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < k; j++) {
    t           = H(j, k);
    H(j, k)     = PetscConj(g->c[j]) * t + g->s[j] * H(j + 1, k);
    H(j + 1, k) = g->c[j] * H(j + 1, k) - g->s[j] * t;
  }
  *norm = 0;
  if (happy) PetscFunctionReturn(PETSC_SUCCESS);
  t = PetscSqrtScalar(PetscConj(H(k, k)) * H(k, k) + PetscConj(H(k + 1, k)) * H(k + 1, k));
  if (t == (PetscScalar)0) {
    PetscCheck(g->flexible || !ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED, "Column %" PetscInt_FMT " of the Hessenberg matrix is zero", k);
    ksp->reason = KSP_DIVERGED_NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  g->c[k]         = H(k, k) / t;
  g->s[k]         = H(k + 1, k) / t;
  g->right[k + 1] = -(g->s[k] * g->right[k]);
  g->right[k]     = PetscConj(g->c[k]) * g->right[k];
  H(k, k)         = PetscConj(g->c[k]) * H(k, k) + g->s[k] * H(k + 1, k);
  *norm           = PetscAbsScalar(g->right[k + 1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x from n columns */
static PetscErrorCode Correct(KSP ksp, AutoCSRSolve *s, Cycle *g, PetscInt n)
{
  PetscFunctionBegin;
  for (PetscInt k = n - 1; k >= 0; k--) {
    PetscScalar t = g->right[k];

    for (PetscInt j = k + 1; j < n; j++) t -= H(k, j) * g->y[j];
    if (H(k, k) == (PetscScalar)0) {
      if (!g->flexible) {
        PetscCheck(!ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED, "The matrix or the preconditioner may be singular: column %" PetscInt_FMT " has a zero on the diagonal", k);
        ksp->reason = KSP_DIVERGED_BREAKDOWN;
        PetscCall(PetscInfo(ksp, "The matrix or the preconditioner may be singular: column %" PetscInt_FMT " has a zero on the diagonal\n", k));
        PetscFunctionReturn(PETSC_SUCCESS);
      }
      g->y[k] = k == n - 1 ? 0 : t / H(k, k);
    } else
      g->y[k] = t / H(k, k);
  }
  for (PetscInt k = 0; k < n; k++) g->y[k] *= AutoCSRInverse(g->norm[k]);
  if (n) PetscCall((*s->steps->gmres->correct)(s, n, g->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After the last column of a cycle. The next cycle tells of its own start; PETSc's older FGMRES logs the norm twice then */
static PetscErrorCode TellEnd(KSP ksp, const Cycle *g, PetscInt columns, PetscReal norm)
{
  PetscFunctionBegin;
  if (!g->flexible) {
    if (columns && ksp->reason) PetscCall(AutoCSRFusedTell(ksp, ksp->its, norm, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (columns && ksp->reason) PetscCall(KSPMonitor(ksp, ksp->its, norm));
  if ((columns && ksp->reason) || PETSC_VERSION_LT(3, 19, 0)) PetscCall(KSPLogResidualHistory(ksp, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual from which a cycle starts. goes: the cycle has iterations. early: the host queues the first step before it reads the residual's norm */
static PetscErrorCode StartCycle(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s, Cycle *g, PetscBool product, PetscBool early, PetscBool *goes)
{
  PetscReal norm;

  PetscFunctionBegin;
  *goes = PETSC_FALSE;
  if (product) PetscCall((*s->steps->multiply)(s, AUTOCSR_X, AUTOCSR_W));
  PetscCall((*s->steps->gmres->start)(s, product));
  if (early) PetscCall(QueueStep(ksp, f, s, 0));
  PetscCall((*s->steps->gmres->result)(s, g->told, 0, &g->column));
  norm = g->column.norm;
  KSPCheckNorm(ksp, norm);
  if (!g->flexible && ksp->rnorm > 0 && PetscAbsReal(norm - ksp->rnorm) > f->breakdown * g->norm0) {
    PetscCheck(!ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_CONV_FAILED, "The residual's norm by the recursion is %g, and at the restart %g; the cycle began with %g", (double)ksp->rnorm, (double)norm, (double)g->norm0);
    PetscCall(PetscInfo(ksp, "The residual's norm by the recursion is %g, and at the restart %g; the cycle began with %g\n", (double)ksp->rnorm, (double)norm, (double)g->norm0));
    ksp->reason = KSP_DIVERGED_BREAKDOWN;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  g->right[0] = g->norm[0] = g->norm0 = norm;
  PetscCall(AutoCSRFusedTell(ksp, ksp->its, norm, PETSC_TRUE));
  if (!g->flexible && norm == 0) {
    ksp->reason = KSP_CONVERGED_ATOL;
    PetscCall(PetscInfo(ksp, "Converged: the residual is zero\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall((*ksp->converged)(ksp, ksp->its, norm, &ksp->reason, ksp->cnvP));
  if (g->flexible && ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (norm == 0) { /* PETSc divides by it */
    const PetscReal scaled = norm / norm;

    KSPCheckNorm(ksp, scaled);
  }
  *goes = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column k, which has come: the norm that follows, and whether the cycle ends with fewer columns (broke) */
static PetscErrorCode Look(KSP ksp, AutoCSRFused *f, Cycle *g, PetscInt k, PetscReal *norm, PetscBool *broke)
{
  const PetscReal tt    = g->column.norm;
  PetscBool       happy = PETSC_FALSE;
  PetscReal       bound;

  PetscFunctionBegin;
  *broke = PETSC_TRUE;
  for (PetscInt j = 0; j <= k; j++) H(j, k) = g->column.dot[j];
  H(k + 1, k)    = tt;
  g->norm[k + 1] = tt;
  bound          = PetscAbsScalar(tt / g->right[k]);
  if (bound > f->happy) bound = f->happy;
  if (g->flexible ? !(tt > bound) : tt < bound) {
    PetscCall(PetscInfo(ksp, "Happy breakdown: the next vector has the norm %g\n", (double)tt));
    happy = PETSC_TRUE;
  }
  {
    const PetscReal before = *norm;

    PetscCall(Rotate(ksp, g, k, happy, norm));
    if (ksp->reason) *norm = before;
  }
  if (ksp->reason && g->flexible) PetscFunctionReturn(PETSC_SUCCESS);
  *broke = PETSC_FALSE;
  ksp->its++;
  ksp->rnorm = *norm;
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*ksp->converged)(ksp, ksp->its, *norm, &ksp->reason, ksp->cnvP));
  if (!happy) PetscFunctionReturn(PETSC_SUCCESS);
  if (!g->flexible && ksp->normtype == KSP_NORM_NONE)
    ksp->reason = KSP_CONVERGED_HAPPY_BREAKDOWN;
  else if (!ksp->reason) {
    PetscCheck(!ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED, "There is no next vector, but the residual's norm %g does not count as converged", (double)*norm);
    ksp->reason = KSP_DIVERGED_BREAKDOWN;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunCycle(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s, Cycle *g, PetscBool product)
{
  const PetscInt ahead = ((*s->steps->ahead)(s) + 1) / 2; /* a step takes longer than one of CG */
  const PetscInt most  = PetscMin(g->restart, ksp->max_it - ksp->its);
  PetscInt       k = 0, queued = ahead && most > 0 && (g->told || ksp->guess_zero); /* a guess may have converged */
  PetscBool      goes;
  PetscReal      norm;

  PetscFunctionBegin;
  PetscCall(StartCycle(ksp, f, s, g, product, (PetscBool)queued, &goes));
  if (!goes) PetscFunctionReturn(PETSC_SUCCESS);
  norm = g->norm0;
  while (!ksp->reason && k < most) {
    PetscBool broke;

    if (k) PetscCall(AutoCSRFusedTell(ksp, ksp->its, norm, PETSC_TRUE));
    for (; queued <= k + ahead && queued < most; queued++) PetscCall(QueueStep(ksp, f, s, queued));
    PetscCall((*s->steps->gmres->result)(s, g->told + 1 + k, k + 1, &g->column));
    PetscCall(CheckDots(ksp, k + 1, g->column.dot));
    if (ksp->reason && !g->flexible) break;
    KSPCheckNorm(ksp, g->column.norm);
    PetscCall(Look(ksp, f, g, k, &norm, &broke));
    if (broke) break;
    k++;
  }
  g->told += 1 + queued;
  PetscCall(Correct(ksp, s, g, k));
  if (!ksp->reason && ksp->its >= ksp->max_it) ksp->reason = KSP_DIVERGED_ITS;
  PetscCall(TellEnd(ksp, g, k, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunCycles(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s, Cycle *g)
{
  PetscBool product = (PetscBool)!ksp->guess_zero;

  PetscFunctionBegin;
  ksp->its = 0;
  if (!g->flexible) ksp->rnorm = -1; /* there is none to compare with */
  do {
    PetscCall(RunCycle(ksp, f, s, g, product));
    product = PETSC_TRUE;
  } while (!ksp->reason && ksp->its < ksp->max_it);
  if (!ksp->reason) ksp->reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveBy(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s, PetscBool flexible)
{
  Cycle          g = {.flexible = flexible};
  PetscErrorCode ierr;
  PetscInt       n;

  PetscFunctionBegin;
  g.restart = s->vectors - AUTOCSR_BASIS - 1;
  n         = g.restart + 2;
  PetscCall(PetscMalloc7((size_t)n * n, &g.h, n, &g.c, n, &g.s, n, &g.right, n, &g.y, n, &g.norm, n, &g.column.dot));
  ierr = (*s->steps->gmres->prepare)(s, g.restart);
  if (!ierr) ierr = RunCycles(ksp, f, s, &g);
  PetscCall(PetscFree7(g.h, g.c, g.s, g.right, g.y, g.norm, g.column.dot));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  return SolveBy(ksp, f, s, PETSC_FALSE);
}

static PetscErrorCode SolveFlexible(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  return SolveBy(ksp, f, s, PETSC_TRUE);
}

static PetscErrorCode Create(KSP ksp)
{
  return AutoCSRFusedCreate(ksp, &AutoCSRFusedGMRES);
}

static PetscErrorCode CreateFlexible(KSP ksp)
{
  return AutoCSRFusedCreate(ksp, &AutoCSRFusedFGMRES);
}

const AutoCSRFusedType AutoCSRFusedGMRES  = {KSPGMRES, Create, Compose, Refuse, Solve, Vectors, Count};
const AutoCSRFusedType AutoCSRFusedFGMRES = {KSPFGMRES, CreateFlexible, Compose, Refuse, SolveFlexible, Vectors, Count};
