/*
  The scalars of a solver that runs beside the matrix: the same text on a processor and on a device, where a kernel's last
  thread block runs it. All that reads a norm to decide whether to go on is here.
*/
#ifndef AUTOCSR_SCALARS_H
#define AUTOCSR_SCALARS_H

#include "../../../mat/impls/autocsr/autocsr.h"
#include <stdbool.h>

/* Which norm of a step is computed; z is the preconditioned residual */
typedef enum {
  AUTOCSR_NORM_NONE,
  AUTOCSR_NORM_RESIDUAL,       /* of r */
  AUTOCSR_NORM_PRECONDITIONED, /* of z */
  AUTOCSR_NORM_NATURAL         /* the root of |z.r| */
} AutoCSRNorm;

/* When a norm ends the solve, as KSPConvergedDefault() has it */
typedef struct {
  AutoCSRNorm norm;
  PetscBool   on;        /* false: the solver goes on until max_it */
  PetscReal   converged; /* the solve ends at a norm of this or less */
  PetscReal   diverged;  /* and at one of this or more */
} AutoCSRTest;

/* BiCGStab: what it means that t is zero */
typedef enum {
  AUTOCSR_EVENT_NONE,
  AUTOCSR_EVENT_SINGULAR, /* s is not */
  AUTOCSR_EVENT_EXACT     /* s is, too: x is the solution */
} AutoCSREvent;

/* What the processor is told of each step */
typedef struct {
  PetscScalar  dpi;  /* p.Ap of CG; v.shadow of BiCGStab */
  PetscScalar  beta; /* z.r; r.shadow before the step */
  PetscReal    norm;
  PetscBool    stop; /* the steps that follow change nothing */
  AutoCSREvent event;
} AutoCSRResult;

/* A kernel reads a complex number at a multiple of its size: they come first */
typedef struct {
  AutoCSRResult result;
  PetscScalar   a, b;    /* x += a p, r -= a Ap, p = z + b p */
  PetscScalar   omega;   /* BiCGStab: x += a p + omega s, r = s - omega t, p = r + b (p - omega v) */
  PetscScalar   rho;     /* and r.shadow */
  PetscInt      steps;   /* of CG that are done */
  PetscBool     moves;   /* this step changes x and r */
  PetscBool     goes_on; /* this step makes another p */
} AutoCSRScalars;

/* A column of the Hessenberg matrix of GMRES: dot products with the vectors of the basis, and the norm of the next one */
typedef struct {
  PetscScalar *dot;
  PetscReal    norm;
  PetscReal   *inverse; /* of the norms of the basis; the host's steps keep them here */
} AutoCSRColumn;

/* A vector of zeros stays as it is */
AUTOCSR_HD PetscReal AutoCSRInverse(PetscReal norm)
{
  return norm == 0 ? (PetscReal)1 : 1 / norm;
}

/* PETSc's own tests are functions of the host */
AUTOCSR_HD bool AutoCSRIsFinite(PetscScalar v)
{
#if PetscDefined(USE_COMPLEX)
  return PetscRealPart(v) - PetscRealPart(v) == 0 && PetscImaginaryPart(v) - PetscImaginaryPart(v) == 0;
#else
  return v - v == 0;
#endif
}

AUTOCSR_HD bool AutoCSRTestStops(const AutoCSRTest *test, PetscReal norm)
{
  if (test->norm == AUTOCSR_NORM_NONE) return false;
  return !(norm - norm == 0) || (test->on && (norm <= test->converged || norm >= test->diverged));
}

/* squares: the sum of the squares of what the norm is of; not read for the natural norm */
AUTOCSR_HD PetscReal AutoCSRNormOf(AutoCSRNorm norm, PetscScalar beta, PetscReal squares)
{
  if (norm == AUTOCSR_NORM_NONE) return 0;
  return PetscSqrtReal(norm == AUTOCSR_NORM_NATURAL ? PetscAbsScalar(beta) : squares);
}

/* After r = b - A x and p = z */
AUTOCSR_HD void AutoCSRScalarsStart(AutoCSRScalars *s, AutoCSRNorm norm, PetscScalar beta, PetscReal squares)
{
  s->result.dpi  = 0;
  s->result.beta = beta;
  s->result.norm = AutoCSRNormOf(norm, beta, squares);
  s->result.stop = PETSC_FALSE;
  s->result.event = AUTOCSR_EVENT_NONE;
  s->steps       = 0;
  s->moves       = PETSC_FALSE;
  s->goes_on     = PETSC_FALSE;
}

/* After the product: dpi is p.Ap. The matrix is indefinite where it changes sign */
AUTOCSR_HD void AutoCSRScalarsProduct(AutoCSRScalars *s, PetscScalar dpi)
{
  const PetscReal before = PetscRealPart(s->result.dpi);

  s->moves = s->goes_on = PETSC_FALSE;
  if (s->result.stop) return;
  s->result.dpi = dpi;
  if (!AutoCSRIsFinite(dpi) || dpi == (PetscScalar)0 || (s->steps && PetscSign(PetscRealPart(dpi)) * PetscSign(before) < 0)) {
    s->result.stop = PETSC_TRUE;
    return;
  }
  s->a     = s->result.beta / dpi;
  s->moves = PETSC_TRUE;
}

/* After r -= a Ap: beta is z.r. The preconditioner is indefinite where it changes sign */
AUTOCSR_HD void AutoCSRScalarsResidual(AutoCSRScalars *s, const AutoCSRTest *test, PetscScalar beta, PetscReal squares)
{
  const PetscScalar before = s->result.beta;
  bool              stop;

  if (!s->moves) return;
  s->steps++;
  s->result.beta = beta;
  s->result.norm = AutoCSRNormOf(test->norm, beta, squares);
  stop           = !AutoCSRIsFinite(beta) || beta == (PetscScalar)0 || AutoCSRTestStops(test, s->result.norm);
#if !PetscDefined(USE_COMPLEX)
  stop = stop || beta * before < 0;
#endif
  s->b           = beta / before;
  s->result.stop = stop ? PETSC_TRUE : PETSC_FALSE;
  s->goes_on     = stop ? PETSC_FALSE : PETSC_TRUE;
}

/* After a step of a method whose coefficients are known before */
AUTOCSR_HD void AutoCSRScalarsCombined(AutoCSRScalars *s, const AutoCSRTest *test, PetscReal squares)
{
  if (s->result.stop) return;
  s->result.norm = AutoCSRNormOf(test->norm, 0, squares);
  s->result.stop = AutoCSRTestStops(test, s->result.norm) ? PETSC_TRUE : PETSC_FALSE;
}

/* BiCGStab. After r = b - A x and p = shadow = r */
AUTOCSR_HD void AutoCSRScalarsBCGSStart(AutoCSRScalars *s, AutoCSRNorm norm, PetscReal squares)
{
  AutoCSRScalarsStart(s, norm, squares, squares);
  s->rho = squares;
}

/* After v = A p: v.shadow */
AUTOCSR_HD void AutoCSRScalarsBCGSDot(AutoCSRScalars *s, PetscScalar dot)
{
  s->moves = s->goes_on = PETSC_FALSE;
  if (s->result.stop) return;
  s->result.dpi  = dot;
  s->result.beta = s->rho;
  if (!AutoCSRIsFinite(dot) || dot == (PetscScalar)0) {
    s->result.stop = PETSC_TRUE;
    return;
  }
  s->a     = s->rho / dot;
  s->moves = PETSC_TRUE;
}

/* After t = A s: s.t, t.t and s.s */
AUTOCSR_HD void AutoCSRScalarsBCGSStabilize(AutoCSRScalars *s, PetscScalar st, PetscReal tt, PetscReal ss)
{
  if (!s->moves) return;
  if (tt != 0) {
    s->omega = st / tt;
    return;
  }
  s->omega        = 0;
  s->result.stop  = PETSC_TRUE;
  s->result.event = ss == 0 ? AUTOCSR_EVENT_EXACT : AUTOCSR_EVENT_SINGULAR;
  if (ss != 0) s->moves = PETSC_FALSE;
}

/* After x and r: r.shadow. PETSc looks at the one before once the norm has been tested */
AUTOCSR_HD void AutoCSRScalarsBCGSUpdate(AutoCSRScalars *s, const AutoCSRTest *test, PetscScalar rho, PetscReal squares)
{
  if (!s->moves || s->result.stop) return;
  s->result.norm = AutoCSRNormOf(test->norm, rho, squares);
  s->result.stop = AutoCSRTestStops(test, s->result.norm) || s->rho == (PetscScalar)0 ? PETSC_TRUE : PETSC_FALSE;
  s->goes_on     = s->result.stop ? PETSC_FALSE : PETSC_TRUE;
  s->b           = (rho / s->rho) * (s->a / s->omega);
  s->rho         = rho;
}

#endif
