/*
  Chebyshev's iteration of the first kind, and of the fourth without norms. A step is a product and one pass: r = b - A y, its norm, and the next solution in
  the place of the one before y, so that y is still there if its norm ends the solve. Without norms nothing waits for a step.
  The bounds of the eigenvalues are found by PETSc.
*/
#include "fused.h"

enum {
  ESTIMATE
};

/* What KSP_Chebyshev begins with, in all versions of PETSc */
typedef struct {
  PetscReal emin, emax, emin_computed, emax_computed, emin_provided, emax_provided;
} Eigenvalues;

static PetscErrorCode Estimate(KSP ksp, PetscReal a, PetscReal b, PetscReal c, PetscReal d)
{
  AutoCSRFused   *f;
  const PetscReal given[4] = {a, b, c, d};

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscReal, PetscReal, PetscReal, PetscReal))(void (*)(void))f->method[ESTIMATE])(ksp, a, b, c, d));
  if (a == 0 && b == 0 && c == 0 && d == 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 4; k++) {
    if (given[k] >= 0) f->transform[k] = given[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compose(KSP ksp, AutoCSRFused *f)
{
  PetscFunctionBegin;
  f->transform[1] = 0.1;
  f->transform[3] = 1.1;
  PetscCall(AutoCSRFusedCompose(ksp, f, ESTIMATE, "KSPChebyshevEstEigSet_C", AUTOCSR_FUSED_METHOD(Estimate), NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refuse(KSP ksp, AutoCSRFused *f, const char **why)
{
  PetscFunctionBegin;
#if PETSC_VERSION_GE(3, 19, 0)
  KSPChebyshevKind kind;

  PetscCall(KSPChebyshevGetKind(ksp, &kind));
  if (kind == KSP_CHEBYSHEV_OPT_FOURTH)
    *why = "the polynomial is the optimized one of the fourth kind";
  else if (kind == KSP_CHEBYSHEV_FOURTH && ksp->normtype != KSP_NORM_NONE)
    *why = "norms are computed with the polynomial of the fourth kind"; /* where they end PETSc's solve, it adds the last correction twice */
#endif
  if (ksp->normtype == KSP_NORM_NATURAL) *why = "the natural norm was asked for";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A bound: what the user set, else the transform of what PETSc computed, else of what PCGAMG provided; each counts if its own end is not zero */
static PetscReal GetBound(const Eigenvalues *e, PetscBool high, const PetscReal transform[2])
{
  if ((high ? e->emax : e->emin) != 0) return high ? e->emax : e->emin;
  if ((high ? e->emax_computed : e->emin_computed) != 0) return transform[0] * e->emin_computed + transform[1] * e->emax_computed;
  if ((high ? e->emax_provided : e->emin_provided) != 0) return transform[0] * e->emin_provided + transform[1] * e->emax_provided;
  return 0;
}

/* Solutions take turns: those of even number lie in x */
static AutoCSRVectorName Solution(PetscInt i)
{
  return i % 2 ? AUTOCSR_P : AUTOCSR_X;
}

/* The coefficients of step i, and what they follow from */
typedef struct {
  PetscBool   fourth;
  PetscScalar scale, mu, omegaprod, c[3];
} Recurrence;

/* The fourth kind: the next correction is a multiple of the last one, the difference of two solutions, and a multiple of the preconditioned residual */
static void StepFourth(AutoCSRCombination *step, PetscInt i, PetscScalar scale)
{
  const PetscReal last = i ? (2.0 * i - 1.0) / (2.0 * i + 3.0) : 0;

  step->before   = -last;
  step->current  = 1.0 + last;
  step->residual = scale * (8.0 * i + 4.0) / (2.0 * i + 3.0);
}

static AutoCSRCombination Step(KSP ksp, PetscInt i, Recurrence *r)
{
  AutoCSRCombination step = {.from = Solution(i), .to = Solution(i + 1), .current = 1, .residual = r->scale, .product = PETSC_TRUE, .update = (PetscBool)(i < ksp->max_it)};

  if (r->fourth) StepFourth(&step, i, r->scale);
  if (i == 0)
    step.product = ksp->guess_zero ? PETSC_FALSE : PETSC_TRUE;
  else if (step.update && !r->fourth) {
    PetscScalar omega;

    r->c[2]       = 2.0 * r->mu * r->c[1] - r->c[0];
    omega         = r->omegaprod * r->c[1] / r->c[2];
    r->c[0]       = r->c[1];
    r->c[1]       = r->c[2];
    step.before   = 1.0 - omega;
    step.current  = omega;
    step.residual = omega * r->scale;
  }
  return step;
}

static PetscErrorCode QueueSteps(KSP ksp, AutoCSRSolve *s, PetscInt first, PetscInt n, Recurrence *r)
{
  AutoCSRCombination step[AUTOCSR_TOGETHER];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) step[k] = Step(ksp, first + k, r);
  PetscCall(AutoCSRFusedCombine(s, n, step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsFourth(KSP ksp, PetscBool *fourth)
{
  PetscFunctionBegin;
  *fourth = PETSC_FALSE;
#if PETSC_VERSION_GE(3, 19, 0)
  KSPChebyshevKind kind;

  PetscCall(KSPChebyshevGetKind(ksp, &kind));
  *fourth = (PetscBool)(kind == KSP_CHEBYSHEV_FOURTH);
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  const PetscInt ahead = (*s->steps->ahead)(s), most = ksp->max_it + (ksp->normtype != KSP_NORM_NONE);
  PetscInt       i, queued                           = 0;
  PetscReal      emin, emax;
  Recurrence     r;

  PetscFunctionBegin;
  emin        = GetBound((const Eigenvalues *)ksp->data, PETSC_FALSE, f->transform);
  emax        = GetBound((const Eigenvalues *)ksp->data, PETSC_TRUE, f->transform + 2);
  PetscCall(IsFourth(ksp, &r.fourth));
  r.scale     = r.fourth ? 1.0 / emax : 2.0 / (emax + emin);
  r.mu        = 1.0 / (1.0 - r.scale * emin);
  r.omegaprod = 2.0 * r.mu;
  r.c[0]      = 1.0;
  r.c[1]      = r.mu;
  ksp->its    = 0;
  if (ksp->normtype == KSP_NORM_NONE) {
    ksp->reason = ksp->max_it ? KSP_CONVERGED_ITS : KSP_DIVERGED_ITS;
    for (i = 0; i < ksp->max_it; i += AUTOCSR_TOGETHER) PetscCall(QueueSteps(ksp, s, i, PetscMin(AUTOCSR_TOGETHER, ksp->max_it - i), &r));
    ksp->its = i = ksp->max_it;
  } else {
    for (i = 0;; i++) {
      if (i && i < ksp->max_it) ksp->its = i + 1;
      for (; queued <= (i ? i + ahead : 0) && queued < most; queued++) PetscCall(QueueSteps(ksp, s, queued, 1, &r));
      PetscCall(AutoCSRFusedLook(ksp, s, i, (PetscBool)(i > 0), PETSC_TRUE));
      if (i == 0 && ksp->max_it == 0) ksp->reason = KSP_DIVERGED_ITS;
      if (ksp->reason) break;
      if (i == 0) {
        ksp->its = 1;
        PetscCall(AutoCSRFusedSetTest(ksp, s));
      }
      if (i == ksp->max_it) {
        ksp->reason = KSP_DIVERGED_ITS;
        break;
      }
    }
  }
  s->solution = Solution(i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(KSP ksp)
{
  return AutoCSRFusedCreate(ksp, &AutoCSRFusedChebyshev);
}

const AutoCSRFusedType AutoCSRFusedChebyshev = {KSPCHEBYSHEV, Create, Compose, Refuse, Solve, NULL, NULL};
