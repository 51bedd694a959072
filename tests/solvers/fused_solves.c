static char help[] = "Solvers that run beside the matrix (-ksp_autocsr): iterations, residual norms, reasons and solutions are those of PETSc's own solve of the same problem.\n\n";

/* Knows nothing of the library but what KSPView() says of it */
#include <petscksp.h>
#include "fused.h"
#if PETSC_VERSION_LT(3, 23, 0)
typedef PetscErrorCode(PetscCtxDestroyFn)(void **);
#endif
typedef PetscErrorCode(Monitor)(KSP, PetscInt, PetscReal, void *);

typedef enum {
  POSITIVE,
  INDEFINITE,          /* with a positive diagonal: p.Ap changes sign */
  INDEFINITE_DIAGONAL, /* Jacobi's preconditioner is indefinite */
  TWICE_IDENTITY,      /* solved by one step */
  SKEW,                /* r.Ar is zero */
  ZEROS
} MatrixKind;

typedef enum {
  ANY,
  ZERO,
  NOT_A_NUMBER
} RightSide;

/* One problem, which all types of KSP solve */
typedef struct {
  const char *name;
  MatrixKind  matrix;
  RightSide   b;
  PetscBool   guess;
  PetscReal   rtol, atol, dtol;
  PetscInt    max_it;
  enum {
    ALL,
    ONLY_CG,
    KRYLOV /* methods that estimate no eigenvalues */
  } types;
} Problem;

static const Problem problems[] = {
    {"converges", POSITIVE, ANY, PETSC_FALSE, 1e-8, 1e-50, 1e5, 400, ALL},
    {"guess", POSITIVE, ANY, PETSC_TRUE, 1e-6, 1e-50, 1e5, 400, ALL},
    {"absolute tolerance", POSITIVE, ANY, PETSC_FALSE, 1e-14, 1e-3, 1e5, 400, ALL},
    {"few iterations", POSITIVE, ANY, PETSC_FALSE, 1e-12, 1e-50, 1e5, 7, ALL},
    {"one iteration", POSITIVE, ANY, PETSC_TRUE, 1e-12, 1e-50, 1e5, 1, ALL},
    {"no iteration", POSITIVE, ANY, PETSC_FALSE, 1e-12, 1e-50, 1e5, 0, ALL},
    {"zero right side", POSITIVE, ZERO, PETSC_FALSE, 1e-8, 1e-50, 1e5, 50, ALL},
    {"zero right side, guess", POSITIVE, ZERO, PETSC_TRUE, 1e-8, 1e-50, 1e5, 50, ALL},
    {"diverges at once", POSITIVE, ANY, PETSC_FALSE, 1e-8, 1e-50, 0.9, 50, ALL},
    {"diverges", INDEFINITE, ANY, PETSC_FALSE, 1e-8, 1e-50, 2, 50, ALL},
    {"not a number", POSITIVE, NOT_A_NUMBER, PETSC_FALSE, 1e-8, 1e-50, 1e5, 50, ALL},
    {"indefinite", INDEFINITE, ANY, PETSC_FALSE, 1e-14, 1e-50, 1e30, 60, ONLY_CG},
    {"indefinite diagonal", INDEFINITE_DIAGONAL, ANY, PETSC_FALSE, 1e-14, 1e-50, 1e30, 60, ONLY_CG},
    {"skew", SKEW, ANY, PETSC_FALSE, 1e-8, 1e-50, 1e5, 5, KRYLOV},
    {"zero matrix", ZEROS, ANY, PETSC_FALSE, 1e-8, 1e-50, 1e5, 5, KRYLOV},
    {"one step", TWICE_IDENTITY, ANY, PETSC_FALSE, 1e-8, 1e-50, 1e5, 10, ALL},
    {"not a number, no iteration", POSITIVE, NOT_A_NUMBER, PETSC_FALSE, 1e-8, 1e-50, 1e5, 0, ALL},
};

typedef struct {
  KSPType     name;
  KSPNormType first, last; /* norms that it is tried with, and none */
  PetscBool   right;       /* PETSc computes the unpreconditioned norm with the preconditioner on the right side only */
} Type;

static const Type     types[] = {
  {KSPCG,         KSP_NORM_PRECONDITIONED,   KSP_NORM_NATURAL,          PETSC_FALSE},
  {KSPCHEBYSHEV,  KSP_NORM_PRECONDITIONED,   KSP_NORM_UNPRECONDITIONED, PETSC_FALSE},
  {KSPRICHARDSON, KSP_NORM_PRECONDITIONED,   KSP_NORM_UNPRECONDITIONED, PETSC_FALSE},
  {KSPBCGS,       KSP_NORM_PRECONDITIONED,   KSP_NORM_UNPRECONDITIONED, PETSC_TRUE },
  {KSPGMRES,      KSP_NORM_PRECONDITIONED,   KSP_NORM_UNPRECONDITIONED, PETSC_TRUE },
  {KSPFGMRES,     KSP_NORM_UNPRECONDITIONED, KSP_NORM_UNPRECONDITIONED, PETSC_TRUE },
};
static const PetscInt points  = 23; /* of a line of the grid, and of lines at least */
static PetscBool      given   = PETSC_FALSE; /* the preconditioner is PETSc's SOR */
static PetscInt       block   = 0;  /* rows of a point block; 0: there are none, the preconditioners are none and Jacobi's */

/* A multiple of the block's rows */
static PetscInt Lines(void)
{
  return block ? (points + block - 1) / block * block : points;
}

/* Five points, each value another one. In complex the matrix is Hermitian or symmetric */
static PetscErrorCode Fill(Mat A, MatrixKind kind, PetscBool hermitian)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt x = i % points, y = i / points, neighbour[4] = {x ? i - 1 : -1, x < points - 1 ? i + 1 : -1, y ? i - points : -1, y < Lines() - 1 ? i + points : -1};
    PetscScalar    diagonal = 4.5 + 0.4 * PetscSinReal((PetscReal)(i * i % 1000));

    for (int k = 0; k < 4 && kind != TWICE_IDENTITY; k++) {
      const PetscInt  j = neighbour[k], low = PetscMin(i, j), high = PetscMax(i, j);
      const PetscReal v = 1 + 0.1 * PetscSinReal((PetscReal)(37 * low + 101 * high));

      if (j < 0) continue;
      if (kind == SKEW || kind == ZEROS) {
        PetscCall(MatSetValue(A, i, j, kind == ZEROS ? 0 : i < j ? 1 : -1, INSERT_VALUES));
        continue;
      }
#if PetscDefined(USE_COMPLEX)
      PetscCall(MatSetValue(A, i, j, -v + (hermitian && i > j ? -1 : 1) * 0.2 * v * PETSC_i, INSERT_VALUES));
#else
      PetscCall(MatSetValue(A, i, j, -v, INSERT_VALUES));
#endif
    }
    if (kind == INDEFINITE) diagonal -= 2.5;
    if (kind == INDEFINITE_DIAGONAL && i % 3 == 0) diagonal = -diagonal;
    if (kind == TWICE_IDENTITY) diagonal = 2;
    if (kind == SKEW || kind == ZEROS) diagonal = 0;
    PetscCall(MatSetValue(A, i, i, diagonal, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Create(Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, points * Lines(), points * Lines()));
  if (block) PetscCall(MatSetBlockSize(*A, block));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5, NULL, 4, NULL));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode FillVector(Vec v, PetscInt seed)
{
  PetscScalar *a;
  PetscInt     begin, end;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(v, &begin, &end));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = begin; i < end; i++) a[i - begin] = PetscSinReal((PetscReal)(seed + 13 * i)) + (PetscDefined(USE_COMPLEX) ? 0.3 * PetscSqrtScalar(-1) : 0) * PetscSinReal((PetscReal)(7 * i));
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Small whole numbers: sums are exact in any order, so the residual of a multiple of the identity becomes zero */
static PetscErrorCode MakeWhole(Vec v)
{
  PetscScalar *a;
  PetscInt     begin, end;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(v, &begin, &end));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = begin; i < end; i++) a[i - begin] = i % 7 - 3;
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* What a solve has said: its monitor's lines, its history */
#define MOST 512
typedef struct {
  KSP                ksp;
  Vec                x;
  KSPConvergedReason reason;
  PetscInt           its;
  PetscInt           n; /* of the history */
  PetscReal          history[MOST], norm;
  char              *lines;
  size_t             n_lines;
  PetscBool          fused;
} Solve;

static PetscErrorCode Run(Solve *s, const Problem *p, Vec b)
{
  PetscViewer           viewer;
  PetscViewerAndFormat *vf;
  FILE                 *f = open_memstream(&s->lines, &s->n_lines);
  const PetscReal      *history;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, f, &viewer));
  PetscCall(PetscViewerAndFormatCreate(viewer, PETSC_VIEWER_DEFAULT, &vf));
  PetscCall(KSPMonitorSet(s->ksp, (Monitor *)(void (*)(void))KSPMonitorResidual, vf, (PetscCtxDestroyFn *)(void (*)(void))PetscViewerAndFormatDestroy));
  if (p->guess)
    PetscCall(FillVector(s->x, 99));
  else
    PetscCall(VecSet(s->x, 7)); /* not read */
  PetscCall(KSPSetInitialGuessNonzero(s->ksp, p->guess));
  PetscCall(KSPSetResidualHistory(s->ksp, s->history, MOST, PETSC_TRUE));
  PetscCall(KSPSolve(s->ksp, b, s->x));
  PetscCall(KSPGetResidualHistory(s->ksp, &history, &s->n));
  PetscCall(KSPGetConvergedReason(s->ksp, &s->reason));
  PetscCall(KSPGetIterationNumber(s->ksp, &s->its));
  PetscCall(KSPGetResidualNorm(s->ksp, &s->norm));
  PetscCall(KSPMonitorCancel(s->ksp));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(f);
  PetscCall(IsFused(s->ksp, &s->fused));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* BiCGStab amplifies rounding where it is close to a breakdown */
static PetscReal few_of_type;

static PetscBool Near(PetscReal a, PetscReal b, PetscReal scale)
{
  const PetscReal few = few_of_type;

  if (PetscIsInfOrNanReal(a) || PetscIsInfOrNanReal(b)) return (PetscBool)(PetscIsInfOrNanReal(a) && PetscIsInfOrNanReal(b));
  return (PetscBool)(PetscAbsReal(a - b) <= few * PetscMax(PetscAbsReal(b), 1e-6 * scale));
}

/* The monitor was called with the same iterations in the same order, and with the history's norms */
static PetscErrorCode CompareLines(const char name[], const Solve *a, const Solve *b)
{
  const char *p = a->lines, *q = b->lines;
  int         lines = 0;

  PetscFunctionBeginUser;
  while (p && q && (p = strstr(p, "KSP Residual norm")) && (q = strstr(q, "KSP Residual norm"))) {
    const PetscReal u = (PetscReal)strtod(p + 17, NULL), v = (PetscReal)strtod(q + 17, NULL);

    PetscCheck(!strncmp(p - 4, q - 4, 4), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the monitor was told iteration %.4s, and by PETSc's solve %.4s", name, p - 4, q - 4);
    PetscCheck(Near(u, v, b->history[0]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the monitor was told the norm %g, and by PETSc's solve %g", name, (double)u, (double)v);
    lines++, p++, q++;
  }
  PetscCheck(!p || !strstr(p, "KSP Residual norm"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the monitor was called more than %d times", name, lines);
  PetscCheck(!q || !strstr(q, "KSP Residual norm"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the monitor was called %d times only", name, lines);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Compare(const char name[], const Problem *p, Solve *ours, Solve *plain)
{
  PetscReal difference, scale;

  PetscFunctionBeginUser;
  PetscCheck(ours->fused && !plain->fused, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the solve was %sfused, and PETSc's %sfused", name, ours->fused ? "" : "not ", plain->fused ? "" : "not ");
  /* One step leaves nothing or what rounding leaves, and GMRES rounds in another order */
  PetscCheck(ours->reason == plain->reason || (p->matrix == TWICE_IDENTITY && ours->reason > 0 && plain->reason > 0), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: ended with %s, PETSc's with %s", name, KSPConvergedReasons[ours->reason], KSPConvergedReasons[plain->reason]);
  PetscCheck(ours->its == plain->its, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " iterations, PETSc's %" PetscInt_FMT, name, ours->its, plain->its);
  PetscCheck(ours->n == plain->n, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " norms, PETSc's %" PetscInt_FMT, name, ours->n, plain->n);
  for (PetscInt k = 0; k < ours->n; k++) PetscCheck(Near(ours->history[k], plain->history[k], plain->history[0]), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: norm %" PetscInt_FMT " is %.12e, PETSc's %.12e", name, k, (double)ours->history[k], (double)plain->history[k]);
  PetscCheck(Near(ours->norm, plain->norm, plain->n ? plain->history[0] : 1), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: the last norm is %g, PETSc's %g", name, (double)ours->norm, (double)plain->norm);
  PetscCall(CompareLines(name, ours, plain));
  PetscCall(VecNorm(plain->x, NORM_2, &scale));
  PetscCall(VecAXPY(plain->x, -1, ours->x));
  PetscCall(VecNorm(plain->x, NORM_2, &difference));
  if (p->b != NOT_A_NUMBER) PetscCheck(difference <= few_of_type * (scale + 1e-4), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: solutions differ by %g of %g", name, (double)difference, (double)scale);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode SolveCreate(Mat A, const char prefix[], const Type *type, PetscBool jacobi, KSPNormType norm, const Problem *p, Solve *s)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &s->ksp));
  PetscCall(KSPSetOptionsPrefix(s->ksp, prefix));
  PetscCall(KSPSetType(s->ksp, type->name));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, given ? PCSOR : !jacobi ? PCNONE : block ? PCPBJACOBI : PCJACOBI));
  PetscCall(KSPRichardsonSetScale(s->ksp, jacobi ? 0.7 : 0.12));
  PetscCall(KSPSetNormType(s->ksp, norm));
  if (type->right && (norm == KSP_NORM_UNPRECONDITIONED || (norm == KSP_NORM_NONE && p->guess))) PetscCall(KSPSetPCSide(s->ksp, PC_RIGHT));
  if (p->guess) PetscCall(KSPGMRESSetRestart(s->ksp, 7));
  PetscCall(KSPSetTolerances(s->ksp, p->rtol, p->atol, p->dtol, (int)p->max_it));
  PetscCall(KSPSetOperators(s->ksp, A, A));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscCall(MatCreateVecs(A, &s->x, NULL));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode SolveDestroy(Solve *s)
{
  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(VecDestroy(&s->x));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Two solves; then with new values in the same structure, with another right side, and after KSPReset() */
static PetscErrorCode Both(const Problem *p, const Type *type, PetscBool jacobi, KSPNormType norm, PetscBool hermitian, PetscBool few)
{
  Mat   A;
  Vec   b;
  Solve ours, plain;
  char  name[128];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s, %s, norm %s%s", p->name, type->name, given ? "sor" : !jacobi ? "none" : block ? "pbjacobi" : "jacobi", KSPNormTypes[norm], PetscDefined(USE_COMPLEX) && hermitian ? ", hermitian" : ""));
  few_of_type = PetscDefined(USE_REAL_SINGLE) ? 1e-3 : !strcmp(type->name, KSPBCGS) ? 1e-5 : 1e-8;
  PetscCall(Create(&A));
  PetscCall(Fill(A, p->matrix, hermitian));
  PetscCall(MatCreateVecs(A, NULL, &b));
  PetscCall(SolveCreate(A, "fused_", type, jacobi, norm, p, &ours));
  PetscCall(SolveCreate(A, "plain_", type, jacobi, norm, p, &plain));
  if (PetscDefined(USE_COMPLEX)) {
    PetscCall(KSPCGSetType(ours.ksp, hermitian ? KSP_CG_HERMITIAN : KSP_CG_SYMMETRIC));
    PetscCall(KSPCGSetType(plain.ksp, hermitian ? KSP_CG_HERMITIAN : KSP_CG_SYMMETRIC));
  }
  for (PetscInt k = 0; k < 4; k += few ? 2 : 1) {
    if (p->b == ZERO)
      PetscCall(VecSet(b, 0));
    else
      PetscCall(FillVector(b, 3 + k));
    if (p->matrix == TWICE_IDENTITY || p->matrix == SKEW) PetscCall(MakeWhole(b));
    if (p->b == NOT_A_NUMBER) PetscCall(VecSetValue(b, 5, NAN, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(b));
    PetscCall(VecAssemblyEnd(b));
    if (k == 2) PetscCall(p->matrix == SKEW || p->matrix == ZEROS ? MatScale(A, 2) : MatShift(A, p->matrix == TWICE_IDENTITY ? 2 : 0.125));
    if (k == 3) {
      PetscCall(KSPReset(ours.ksp));
      PetscCall(KSPReset(plain.ksp));
      PetscCall(KSPSetOperators(ours.ksp, A, A));
      PetscCall(KSPSetOperators(plain.ksp, A, A));
    }
    PetscCall(Run(&ours, p, b));
    PetscCall(Run(&plain, p, b));
    PetscCall(Compare(name, p, &ours, &plain));
    free(ours.lines);
    free(plain.lines);
  }
  PetscCall(SolveDestroy(&ours));
  PetscCall(SolveDestroy(&plain));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscInt  only = -1, runs = 0;
  PetscBool few = PETSC_FALSE; /* one preconditioner, one norm */

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-only", &only, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-block", &block, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-given", &given, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-few", &few, NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-fused_ksp_autocsr", "true"));
  PetscCall(PetscOptionsSetValue(NULL, "-plain_ksp_autocsr", "false"));
  for (size_t p = 0; p < PETSC_STATIC_ARRAY_LENGTH(problems); p++) {
    if (only >= 0 && only != (PetscInt)p) continue;
    for (int t = 0; t < (problems[p].types == ONLY_CG ? 1 : (int)PETSC_STATIC_ARRAY_LENGTH(types)); t++) {
      if (problems[p].types == KRYLOV && (!strcmp(types[t].name, KSPCHEBYSHEV) || !strcmp(types[t].name, KSPRICHARDSON))) continue;
      if ((block || given) && (problems[p].matrix == SKEW || problems[p].matrix == ZEROS)) continue; /* with singular blocks, or zeros on the diagonal */
      for (int c = block || given ? 1 : 0; c < 2; c++) {
        for (int norm = KSP_NORM_NONE; norm <= (int)types[t].last; norm++) {
          if (block && problems[p].matrix == TWICE_IDENTITY && norm == KSP_NORM_NONE) continue; /* past the solution, whether a vector is zero but for rounding decides */
          if (given && (t == 0 ? norm == KSP_NORM_UNPRECONDITIONED || norm == KSP_NORM_NONE : strcmp(types[t].name, KSPGMRES) != 0)) continue;
          if ((norm != KSP_NORM_NONE && norm < (int)types[t].first) || (few && (!c || norm != (int)types[t].first))) continue;
          for (int hermitian = 0; hermitian < (PetscDefined(USE_COMPLEX) && t == 0 ? 2 : 1); hermitian++) {
            Problem problem = problems[p];

            if (!strcmp(types[t].name, KSPBCGS)) { /* which amplifies rounding with each iteration */
              problem.rtol = PetscMax(problem.rtol, 1e-5);
              if (problem.matrix == INDEFINITE) problem.max_it = block ? 1 : 6; /* with blocks r.shadow nearly vanishes in the second */
            }
            if (norm == KSP_NORM_NONE && (types[t].right || given)) problem.max_it = PetscMin(problem.max_it, 30); /* past convergence rounding decides */
            if (few) problem.max_it = PetscMin(problem.max_it, 12);
            PetscCall(Both(&problem, &types[t], (PetscBool)c, (KSPNormType)norm, (PetscBool)hermitian, few));
            runs++;
          }
        }
      }
    }
  }
  PetscCheck(runs, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "There is no problem %" PetscInt_FMT, only);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Solves are PETSc's\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -mat_type autocsr
    output_file: output/fused_solves_1.out

    test:

    test:
      suffix: strategy
      args: -mat_autocsr_strategy sell

    test:
      suffix: ranks
      nsize: {{2 3}}
      args: -few

    test:
      suffix: blocks
      args: -block 3

    test:
      suffix: blocks_sizes
      args: -few -block {{1 2 4 5 6 7 8 11}}

    test:
      suffix: given
      nsize: {{1 2}}
      args: -given
      requires: cuda

    test:
      suffix: blocks_ranks
      nsize: {{2 3}}
      args: -few -block {{2 3 8}}

TEST*/
