/*
  Whether ours serves what the user asked for. When in doubt PETSc's own solve runs. Everything that is looked at here is the
  same on all processes of the KSP.
*/
#include "fused.h"
#include "../../../mat/impls/autocsr/mpi/mpiautocsr.h"
#include <petsc/private/vecimpl.h>

#define AS_PLAIN(f) ((void (*)(void))(f))

/* They read nothing but the norm */
static PetscBool MonitorReadsNorm(void (*monitor)(void))
{
#if PETSC_VERSION_LT(3, 26, 0)
  if (monitor == AS_PLAIN(KSPMonitorResidualShort)) return PETSC_TRUE;
#endif
  return (PetscBool)(monitor == AS_PLAIN(KSPMonitorResidual) || monitor == AS_PLAIN(KSPMonitorResidualDrawLG));
}

/*
  On a device GMRES takes preconditioners that PETSc applies, and CG if no norm is tested before the preconditioner is applied. They are
  linear, and look at nothing of the KSP: users' own and those of other solvers are left to PETSc
*/
static PetscErrorCode ServesGiven(KSP ksp, const AutoCSRFused *f, PetscBool *serves)
{
  const AutoCSRParent *parent;
  PetscBool            known, cg = (PetscBool)(f->type == &AutoCSRFusedCG && (ksp->normtype == KSP_NORM_PRECONDITIONED || ksp->normtype == KSP_NORM_NATURAL));
  Mat                  A;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp->pc, &known, PCGAMG, PCMG, PCHYPRE, PCBJACOBI, PCASM, PCSOR, PCILU, PCICC, PCLU, PCCHOLESKY, ""));
  *serves = (PetscBool)(known && (cg || f->type == &AutoCSRFusedGMRES) && parent->device && !AutoCSRIsBound(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RefusePreconditioner(KSP ksp, AutoCSRFused *f, const char **why)
{
  PetscBool serves;
  PetscInt  rows;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp->pc, &serves, PCNONE, PCJACOBI, PCPBJACOBI, ""));
#if PETSC_VERSION_LT(3, 23, 0)
  {
    PetscBool scaled;

    PetscCall(PCGetDiagonalScale(ksp->pc, &scaled));
    if (scaled) {
      *why = "the preconditioner scales the system";
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
#endif
  f->given = PETSC_FALSE;
  if (!serves) PetscCall(ServesGiven(ksp, f, &f->given));
  if (!serves && !f->given) {
    *why = "the preconditioner, with this norm, is none of those that are served here";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRFusedSetUpPC(ksp, f, why));
  PetscCall(VecGetSize(ksp->vec_rhs, &rows));
  if (*why || f->given) PetscFunctionReturn(PETSC_SUCCESS);
  if (f->checked.block > AUTOCSR_FUSED_BLOCK)
    *why = "a point block has more than 16 rows";
  else if (rows > PETSC_MAX_INT / f->checked.block)
    *why = "the point blocks have more entries than a vector can have";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the matrix is multiplied */
static PetscErrorCode FindSteps(KSP ksp, Mat A, const AutoCSRSteps **steps, const char **why)
{
  const AutoCSRParent *parent;
  PetscBool            host[2];

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent)); /* of the blocks, too */
  PetscCall(AutoCSRVecIsOnHost(ksp->vec_rhs, &host[0]));
  PetscCall(AutoCSRVecIsOnHost(ksp->nwork ? ksp->work[0] : ksp->vec_sol, &host[1])); /* GMRES makes its work vectors as ksp->vec_sol is */
  if (!parent->device || AutoCSRIsBound(A)) {
    if (host[0] && host[1])
      *steps = &AutoCSRStepsHost;
    else
      *why = "the matrix is multiplied on the host, and vectors lie on a device";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#if defined(AUTOCSR_HAVE_CUDA)
  PetscCall(AutoCSRVecIsOnHost(ksp->vec_sol, &host[1]));
  if (host[0] || host[1])
    *why = "the matrix is multiplied on a device, and vectors lie on the host";
  else
    *steps = &AutoCSRStepsCUDA;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Layouts are compared for all processes, so that all find the same */
static PetscErrorCode RefuseVector(Vec v, Mat A, const char **why)
{
  PetscLayout map;
  PetscBool   same;

  PetscFunctionBegin;
  PetscCall(VecGetLayout(v, &map));
  PetscCall(PetscLayoutCompare(map, A->rmap, &same));
  if (!same)
    *why = "a vector has other rows than the matrix";
  else if (!v->petscnative)
    *why = "the array of a vector is a copy of its entries, as VECNEST's is";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Our steps are loops over arrays that they hold for a whole solve. Work vectors may be those of a smaller system; PETSc's own solve tells of sizes that do not fit */
static PetscErrorCode RefuseVectors(KSP ksp, Mat A, const char **why)
{
  PetscBool square;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCompare(A->rmap, A->cmap, &square));
  if (!square) *why = "the matrix has other columns than rows on a process";
  PetscCall(RefuseVector(ksp->vec_rhs, A, why));
  PetscCall(RefuseVector(ksp->vec_sol, A, why));
  for (PetscInt k = 0; k < ksp->nwork; k++) PetscCall(RefuseVector(ksp->work[k], A, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Options bind small matrices and vectors to the host by the rows of a process: the processes are asked once for each matrix whether they
  agree. What binds later is called by all of them
*/
static PetscErrorCode RefusePlaces(KSP ksp, AutoCSRFused *f, Mat A, const char **why)
{
  const AutoCSRParent *parent;
  PetscObjectId        id;
  PetscMPIInt          size, place[2];
  PetscBool            host[3];

  PetscFunctionBegin;
  PetscCall(MatSeqAutoCSRGetParent(&parent));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  if (size == 1 || !parent->device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  if (f->placed != id) {
    PetscCall(AutoCSRVecIsOnHost(ksp->vec_rhs, &host[0]));
    PetscCall(AutoCSRVecIsOnHost(ksp->vec_sol, &host[1]));
    PetscCall(AutoCSRVecIsOnHost(ksp->nwork ? ksp->work[0] : ksp->vec_sol, &host[2]));
    place[0] = AutoCSRIsBound(A) + 2 * host[0] + 4 * host[1] + 8 * host[2];
    place[1] = -place[0];
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, place, 2, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)ksp)));
    f->apart  = (PetscBool)(place[0] != -place[1]);
    f->placed = id;
  }
  if (f->apart) *why = "some processes multiply the matrix on a device, and others on the host";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FindReason(KSP ksp, AutoCSRFused *f, Mat A, const char **why)
{
  MatNullSpace nullspace;

  PetscFunctionBegin;
  if (!MatIsSeqAutoCSR(A) && !MatIsMPIAutoCSR(A))
    *why = "the matrix is not of type autocsr";
  else
    PetscCall(RefuseVectors(ksp, A, why));
  if (!*why) PetscCall(RefusePlaces(ksp, f, A, why));
  if (!*why) PetscCall(RefusePreconditioner(ksp, f, why));
  if (*why) PetscFunctionReturn(PETSC_SUCCESS);
  if (ksp->transpose_solve)
    *why = "the transposed system is solved";
  else if (AS_PLAIN(ksp->converged) != AS_PLAIN(KSPConvergedDefault) && AS_PLAIN(ksp->converged) != AS_PLAIN(KSPConvergedSkip))
    *why = "the convergence test is not PETSc's default";
  else if (ksp->calc_sings || ksp->calc_ritz)
    *why = "eigenvalues or singular values are computed";
  else if (ksp->chknorm >= 0)
    *why = "norms are computed from a later iteration on only";
  else if (ksp->err_hist)
    *why = "a history of errors is kept, which reads the solution";
#if PETSC_VERSION_GE(3, 19, 0)
  else if (ksp->converged_neg_curve)
    *why = "negative curvature counts as convergence";
#endif
#if PETSC_VERSION_GE(3, 20, 0)
  else if (ksp->min_it > 0)
    *why = "there is a least number of iterations";
#endif
  if (*why) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < ksp->numbermonitors; k++) {
    if (!MonitorReadsNorm(AS_PLAIN(ksp->monitor[k]))) *why = "a monitor may read the solution";
  }
  PetscCall(MatGetNullSpace(A, &nullspace));
  if (nullspace) *why = "the matrix has a null space";
  if (!*why && f->type->refuse) PetscCall((*f->type->refuse)(ksp, f, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFusedServe(KSP ksp, AutoCSRFused *f, const AutoCSRSteps **steps, const char **why)
{
  Mat A;

  PetscFunctionBegin;
  *steps = NULL;
  *why   = NULL;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(FindReason(ksp, f, A, why));
  if (!*why) PetscCall(FindSteps(ksp, A, steps, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
