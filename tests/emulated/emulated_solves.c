static char help[] = "Solvers beside the matrix by the device's kernels without a device, in several orders of blocks and threads: against PETSc's own solves, and the same bits in each order.\n\n";

#include "../steps.h"
#include "../../src/ksp/impls/autocsr/cuda/level.h"

/* All steps in one launch: the matrix is copied to the device for each */
static PetscErrorCode EmulatedSmooth(AutoCSRSolve *s, PetscInt steps, const AutoCSRCombination c[], PetscBool *done)
{
  AutoCSRMatrix      csr = {.m = s->n, .n = s->n};
  const PetscInt    *row_ptr, *col;
  const PetscScalar *val;
  PetscInt           m, longest = 0;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(s->mat, 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, done));
  PetscCall(MatSeqAIJGetArrayRead(s->mat, &val));
  csr.nnz = row_ptr[m];
  for (PetscInt i = 0; i < m; i++) longest = PetscMax(longest, row_ptr[i + 1] - row_ptr[i]);
  PetscCall(AutoCSRDeviceAllocate((size_t)(m + 1) * sizeof(PetscInt), (void **)&csr.row_ptr));
  PetscCall(AutoCSRDeviceAllocate((size_t)csr.nnz * sizeof(PetscInt), (void **)&csr.col));
  PetscCall(AutoCSRDeviceAllocate((size_t)csr.nnz * sizeof(PetscScalar), (void **)&csr.val));
  PetscCall(AutoCSRDeviceFromHost((void *)csr.row_ptr, row_ptr, (size_t)(m + 1) * sizeof(PetscInt)));
  PetscCall(AutoCSRDeviceFromHost((void *)csr.col, col, (size_t)csr.nnz * sizeof(PetscInt)));
  PetscCall(AutoCSRDeviceFromHost((void *)csr.val, val, (size_t)csr.nnz * sizeof(PetscScalar)));
  PetscCall(MatSeqAIJRestoreArrayRead(s->mat, &val));
  PetscCall(MatRestoreRowIJ(s->mat, 0, PETSC_FALSE, PETSC_FALSE, &m, &row_ptr, &col, done));
  AutoCSRLevelShapeOf(&s->device->pass, csr.nnz, longest, &s->device->level);
  PetscCheck(s->device->level.blocks == 1 && steps <= AUTOCSR_TOGETHER, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " steps for %" PetscInt_FMT " thread blocks", steps, s->device->level.blocks);
  PetscCall(AutoCSRLevelRun(s, &csr, steps, c));
  PetscCall(AutoCSRDeviceDeallocate((void *)csr.row_ptr));
  PetscCall(AutoCSRDeviceDeallocate((void *)csr.col));
  PetscCall(AutoCSRDeviceDeallocate((void *)csr.val));
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static AutoCSRSteps emulated;
static PetscBool    small; /* the matrix is small enough for EmulatedSmooth() */

/* In the place of KSPSolve_Fused() */
static PetscErrorCode SolveEmulated(KSP ksp)
{
  AutoCSRFused       *f;
  const AutoCSRSteps *steps;
  const char         *why;

  PetscFunctionBegin;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall(AutoCSRFusedServe(ksp, f, &steps, &why));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCSOR, &f->given)); /* on a device it would be served */
  PetscCheck(steps || f->given, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The solve is not served: %s", why);
  emulated        = EmulatedSteps();
  emulated.smooth = small ? EmulatedSmooth : NULL;
  PetscCall(AutoCSRFusedSolve(ksp, f, &emulated));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  Vec                x;
  PetscInt           its, norms;
  PetscReal          history[128];
  KSPConvergedReason reason;
} Outcome;

typedef struct {
  KSPType     type;
  KSPNormType norm;
  PetscBool   jacobi, guess;
  PetscReal   shift, b;
  PetscInt    max_it, restart;
  PetscBool   right; /* the preconditioner's side */
  PetscInt    block; /* rows of a point block; Jacobi's preconditioner if there is one */
  PetscBool   given; /* PETSc applies the preconditioner */
} Problem;

static PetscErrorCode Solve(const Problem *p, PetscBool emulate, PetscInt times, Outcome *o)
{
  KSP              ksp;
  PC               pc;
  Mat              A;
  Vec              b;
  const PetscReal *history;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(p->shift, p->block, &A));
  PetscCall(MatCreateVecs(A, &o->x, &b));
  PetscCall(VecSet(b, p->b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, p->type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, p->given ? PCSOR : !p->jacobi ? PCNONE : p->block > 1 ? PCPBJACOBI : PCJACOBI));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetNormType(ksp, p->norm));
  if (p->right) PetscCall(KSPSetPCSide(ksp, PC_RIGHT));
  PetscCall(KSPGMRESSetRestart(ksp, p->restart));
  PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, (int)p->max_it));
  PetscCall(KSPSetResidualHistory(ksp, o->history, PETSC_STATIC_ARRAY_LENGTH(o->history), PETSC_TRUE));
  PetscCall(KSPSetInitialGuessNonzero(ksp, p->guess));
  PetscCall(KSPChebyshevSetEigenvalues(ksp, p->jacobi ? 2 : 5, p->jacobi ? 0.2 : 0.5));
  PetscCall(KSPRichardsonSetScale(ksp, p->jacobi ? 0.9 : 0.3));
  PetscCall(KSPSetUp(ksp));
  if (emulate) ksp->ops->solve = SolveEmulated;
  for (PetscInt t = 0; t < times; t++) {
    PetscCall(VecSet(o->x, 0.5));
    PetscCall(KSPSolve(ksp, b, o->x));
  }
  PetscCall(KSPGetResidualHistory(ksp, &history, &o->norms));
  PetscCall(KSPGetIterationNumber(ksp, &o->its));
  PetscCall(KSPGetConvergedReason(ksp, &o->reason));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const Problem *p)
{
  const PetscReal few = PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-8;
  Outcome         plain, ours[EMULATOR_ORDERS];
  PetscReal       scale, difference;
  char            name[64];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, norm %s%s%s", p->type, KSPNormTypes[p->norm], p->given ? ", sor" : !p->jacobi ? "" : p->block > 1 ? ", pbjacobi" : ", jacobi", p->guess ? ", guess" : ""));
  PetscCall(Solve(p, PETSC_FALSE, 1, &plain));
  for (int order = 0; order < EMULATOR_ORDERS; order++) {
    Outcome  *o = &ours[order];
    PetscBool same;

    EmulatorSetOrder((EmulatorOrder)order);
    through_host = (PetscBool)(order == EMULATOR_ORDERS - 1); /* the same bits */
    PetscCall(Solve(p, PETSC_TRUE, 2, o));
    PetscCheck(o->reason == plain.reason && o->its == plain.its && o->norms == plain.norms, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s after %" PetscInt_FMT " iterations and %" PetscInt_FMT " norms, PETSc's %s after %" PetscInt_FMT " and %" PetscInt_FMT, name, KSPConvergedReasons[o->reason], o->its, o->norms, KSPConvergedReasons[plain.reason], plain.its, plain.norms);
    for (PetscInt k = 0; k < o->norms; k++) {
      const PetscBool finite = (PetscBool)!PetscIsInfOrNanReal(plain.history[k]);

      PetscCheck(finite ? PetscAbsReal(o->history[k] - plain.history[k]) <= few * PetscMax(plain.history[k], 1e-6 * plain.history[0]) : PetscIsInfOrNanReal(o->history[k]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: norm %" PetscInt_FMT " is %g, PETSc's %g", name, k, (double)o->history[k], (double)plain.history[k]);
      PetscCheck(!finite || o->history[k] == ours[0].history[k], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: norm %" PetscInt_FMT " depends on the order of blocks and threads", name, k);
    }
    if (!PetscIsNanReal(p->b)) {
      PetscCall(VecEqual(o->x, ours[0].x, &same));
      PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the solution depends on the order of blocks and threads", name);
    }
  }
  EmulatorSetOrder(EMULATOR_FORWARD);
  PetscCall(VecNorm(plain.x, NORM_2, &scale));
  PetscCall(VecAXPY(plain.x, -1, ours[0].x));
  PetscCall(VecNorm(plain.x, NORM_2, &difference));
  PetscCheck(PetscIsNanReal(p->b) || difference <= few * (scale + 1e-4), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: solutions differ by %g of %g", name, (double)difference, (double)scale);
  PetscCall(VecDestroy(&plain.x));
  for (int order = 0; order < EMULATOR_ORDERS; order++) PetscCall(VecDestroy(&ours[order].x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const KSPType  types[]  = {KSPCG, KSPCHEBYSHEV, KSPRICHARDSON, KSPBCGS, KSPGMRES, KSPFGMRES};
  static const PetscInt blocks[] = {2, 5, 7, 14}; /* a thread block takes 252 rows of the last two */

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  for (int t = 0; t < (int)PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    for (int norm = KSP_NORM_NONE; norm <= (t ? KSP_NORM_UNPRECONDITIONED : KSP_NORM_NATURAL); norm++) {
      if (!strcmp(types[t], KSPFGMRES) && norm == KSP_NORM_PRECONDITIONED) continue; /* its preconditioner is on the right side */
      Problem p = {types[t], (KSPNormType)norm, (PetscBool)(norm % 2 == 0), (PetscBool)(norm != KSP_NORM_PRECONDITIONED), 0, 1, t < 3 ? 40 : 36, 35, PETSC_FALSE, 1}; /* more than 32 vectors: two launches */

      p.right = (PetscBool)(t >= 3 && norm == KSP_NORM_UNPRECONDITIONED);
      PetscCall(Check(&p));
      p.max_it  = 5;
      p.restart = 3;
      p.jacobi = (PetscBool)!p.jacobi;
      PetscCall(Check(&p));
      if (t == 0) { /* p.Ap changes sign */
        p.shift  = 1.6;
        p.max_it = 30;
        PetscCall(Check(&p));
      }
      p.shift  = 0;
      p.max_it = 12;
      p.jacobi = PETSC_TRUE;
      p.block  = blocks[(t + norm) % 4];
      PetscCall(Check(&p));
      p.block = 1;
      p.given = PETSC_TRUE;
      if (!strcmp(types[t], KSPGMRES) || (t == 0 && (norm == KSP_NORM_PRECONDITIONED || norm == KSP_NORM_NATURAL))) PetscCall(Check(&p));
    }
  }
  small = PETSC_TRUE;
  for (int k = 0; k < 8; k++) PetscCall(Check(&(Problem){types[1 + k % 2], KSP_NORM_NONE, (PetscBool)(k % 3 > 0), (PetscBool)(k / 2 % 2), 0, 1, 1 + k, 30, PETSC_FALSE, k % 3 > 1 ? blocks[k / 2] : 1}));
  small = PETSC_FALSE;
  for (int b = 0; b < 2; b++) PetscCall(Check(&(Problem){types[b], KSP_NORM_PRECONDITIONED, PETSC_TRUE, PETSC_FALSE, 0, b ? NAN : 0, 20, 30, PETSC_FALSE, 1}));
  for (int k = 0; k < 8; k++) { /* GMRES and FGMRES: a zero right side, NaN, no iteration, cycles of one column */
    const PetscBool right = (PetscBool)(k % 2);
    const Problem   p     = {types[4 + k % 2], right ? KSP_NORM_UNPRECONDITIONED : KSP_NORM_PRECONDITIONED, PETSC_TRUE, PETSC_FALSE, 0, k / 2 == 0 ? 0 : k / 2 == 1 ? NAN : 1, k / 2 == 2 ? 0 : 4, k / 2 == 3 ? 1 : 30, right, 1};

    PetscCall(Check(&p));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Solves are PETSc's, in any order\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    timeoutfactor: 3

TEST*/
