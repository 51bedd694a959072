/* What the types share: the vectors of a solve, the norm that they compute, and when it ends the solve */
#include "fused.h"

AutoCSRNorm AutoCSRFusedNorm(KSP ksp)
{
  switch (ksp->normtype) {
  case KSP_NORM_PRECONDITIONED:
    return AUTOCSR_NORM_PRECONDITIONED;
  case KSP_NORM_UNPRECONDITIONED:
    return AUTOCSR_NORM_RESIDUAL;
  case KSP_NORM_NATURAL:
    return AUTOCSR_NORM_NATURAL;
  default:
    return AUTOCSR_NORM_NONE;
  }
}

PetscErrorCode AutoCSRFusedCombine(AutoCSRSolve *s, PetscInt n, const AutoCSRCombination step[])
{
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  if (s->steps->smooth && s->test.norm == AUTOCSR_NORM_NONE) PetscCall((*s->steps->smooth)(s, n, step, &done));
  for (PetscInt k = 0; k < n && !done; k++) {
    if (step[k].product) PetscCall((*s->steps->multiply)(s, step[k].from, AUTOCSR_W));
    PetscCall((*s->steps->combine)(s, &step[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPConvergedDefault() has set the tolerance */
PetscErrorCode AutoCSRFusedSetTest(KSP ksp, AutoCSRSolve *s)
{
  PetscFunctionBegin;
  s->test.on        = (PetscBool)((void (*)(void))ksp->converged == (void (*)(void))KSPConvergedDefault);
  s->test.converged = ksp->ttol;
  s->test.diverged  = ksp->divtol * ksp->rnorm0;
  if (s->steps->set_test) PetscCall((*s->steps->set_test)(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFusedQueue(AutoCSRSolve *s, PetscErrorCode (*step)(AutoCSRSolve *), PetscInt until, PetscInt most, PetscInt *queued)
{
  PetscFunctionBegin;
  while (*queued < PetscMin(until, most)) {
    const PetscInt before = *queued;

    if (s->steps->repeat) PetscCall((*s->steps->repeat)(s, step, most - before, queued));
    if (*queued > before) continue;
    PetscCall((*step)(s));
    ++*queued;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFusedTell(KSP ksp, PetscInt it, PetscReal norm, PetscBool log_first)
{
  PetscFunctionBegin;
  ksp->rnorm = norm;
  if (log_first) PetscCall(KSPLogResidualHistory(ksp, norm));
  PetscCall(KSPMonitor(ksp, it, norm));
  if (!log_first) PetscCall(KSPLogResidualHistory(ksp, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* check: a norm that is not finite ends the solve before it is told, by KSPCheckNorm(), which returns from this function */
PetscErrorCode AutoCSRFusedLook(KSP ksp, AutoCSRSolve *s, PetscInt step, PetscBool check, PetscBool log_first)
{
  AutoCSRResult now;

  PetscFunctionBegin;
  PetscCall((*s->steps->result)(s, step, &now));
  if (check) KSPCheckNorm(ksp, now.norm);
  PetscCall(AutoCSRFusedTell(ksp, step, now.norm, log_first));
  PetscCall((*ksp->converged)(ksp, step, now.norm, &ksp->reason, ksp->cnvP));
  PetscCheck(ksp->reason || !now.stop || PetscIsInfOrNanReal(now.norm), s->comm, PETSC_ERR_PLIB, "The steps have stopped at a norm of %g, with which PETSc's test goes on", (double)now.norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetVectors(KSP ksp, AutoCSRFused *f, AutoCSRSolve *s)
{
  PetscFunctionBegin;
  s->vec[AUTOCSR_X] = ksp->vec_sol;
  s->vec[AUTOCSR_B] = ksp->vec_rhs;
  if (f->type->vectors)
    PetscCall((*f->type->vectors)(ksp, f, s));
  else {
    s->vec[AUTOCSR_R] = ksp->work[0];
    s->vec[AUTOCSR_W] = ksp->work[1];
    s->vec[AUTOCSR_P] = ksp->nwork > 2 ? ksp->work[2] : ksp->work[0];
    if (s->vec[AUTOCSR_P] == s->vec[AUTOCSR_R]) s->vec[AUTOCSR_R] = NULL;
  }
  s->block = f->given ? 1 : f->checked.block;
  if (f->given)
    s->given = ksp;
  else
    PetscCall(AutoCSRFusedDiagonal(ksp, f, s->vec[AUTOCSR_W] ? s->vec[AUTOCSR_W] : s->vec[AUTOCSR_V], &s->vec[AUTOCSR_D]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arrays and memory are given back whatever the solve has met */
PetscErrorCode AutoCSRFusedSolve(KSP ksp, AutoCSRFused *f, const AutoCSRSteps *steps)
{
  AutoCSRSolve   s     = {.steps = steps, .comm = PetscObjectComm((PetscObject)ksp), .conjugate = PETSC_TRUE, .left = (PetscBool)(ksp->pc_side == PC_LEFT), .repeats = f->repeats, .joins = f->joins, .solution = AUTOCSR_X, .test = {.norm = AutoCSRFusedNorm(ksp)}};
  PetscInt       basis = 0;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &s.mat, NULL));
  PetscCallMPI(MPI_Comm_size(s.comm, &s.size));
  PetscCall(VecGetLocalSize(ksp->vec_rhs, &s.n));
  if (f->type->count) PetscCall((*f->type->count)(ksp, &basis));
  s.vectors = AUTOCSR_BASIS + basis;
  PetscCall(PetscCalloc2(s.vectors, &s.vec, s.vectors, &s.array));
  PetscCall(GetVectors(ksp, f, &s));
  if (f->device && f->steps != steps) PetscCall((*f->steps->destroy)(&f->device));
  f->steps = steps;
  ierr = (*steps->begin)(&s, &f->device);
  if (!ierr) {
    ierr = (*f->type->solve)(ksp, f, &s);
    PetscCall((*steps->end)(&s));
  }
  if (ierr && f->device) PetscCall((*steps->destroy)(&f->device)); /* steps may be queued by half */
  if (!ierr && s.solution != AUTOCSR_X) PetscCall(VecCopy(s.vec[s.solution], ksp->vec_sol));
  PetscCall(PetscFree2(s.vec, s.array));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
