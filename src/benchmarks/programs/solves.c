static const char help[] = "What a program waits for in KSPSolve(): the first solve, later ones, and those after new values, of PETSc's type, of autocsr, and of autocsr with the solvers beside the matrix.\n\
Load the library with -dll_append. Options: -gpu (against aijcusparse, not aij), -sizes (points of a side of the grid), -assembly (host, coo or both), -stencil (7 or 27 points),\n\
-dofs (1, or 3: a lattice of springs), -solver (a type of KSP), -pc (a type of PC), -rtol, -max_it, -repeats. Several processes share the grid. The three ways have the prefixes plain_, unfused_ and fused_, so -fused_ksp_autocsr_repeat false is for the third.\n\n";

#include "../harness/bench.h"
#include <petscksp.h>

/* A way to solve */
typedef struct {
  const char *name, *prefix;
  PetscBool   plain; /* the matrix is of PETSc's type */
} Way;

static const Way ways[] = {
    {"plain", "plain_", PETSC_TRUE},
    {"autocsr", "unfused_", PETSC_FALSE},
    {"fused", "fused_", PETSC_FALSE},
};
#define WAYS ((int)PETSC_STATIC_ARRAY_LENGTH(ways))

/* The outer solver and the smoothers of multigrid */
static const struct {
  const char *option, *value;
} solvers[] = {
    {"-unfused_ksp_autocsr", "false"},
    {"-unfused_mg_levels_ksp_autocsr", "false"},
    {"-fused_ksp_autocsr", "true"},
    {"-fused_mg_levels_ksp_autocsr", "true"},
};

typedef struct {
  const Machine *machine;
  MatType        plain;
  PetscBool      coo;
  PetscInt       points, repeats, max_it, stencil, dofs;
  PetscReal      rtol;
  char           solver[32], pc[32], name[80];
} Run;

typedef struct {
  double   first, later, renewed; /* seconds */
  PetscInt its, renewed_its;      /* of a later solve, and of one with new values */
} Times;

/* Of the edge between two points, or between a point and the boundary (-1): no coding of values holds many of them */
static PetscReal Coefficient(PetscInt i, PetscInt j, PetscInt step)
{
  return 1 + 0.3 * PetscSinReal((PetscReal)(37 * (PetscMin(i, j) % 9973) + 101 * (PetscMax(i, j) % 7919) + 7 * step));
}

/* A row has no more entries */
#define MOST 81

/*
  Row i. An edge pulls its two points together along itself and, a tenth as hard, in all directions; a point that is not there stays where
  it is. With one unknown a point an edge is a conductor
*/
static PetscInt Row(const Run *run, PetscInt i, PetscInt step, PetscInt col[], PetscScalar val[])
{
  const PetscInt p = run->points, dofs = run->dofs, at = i / dofs, d = i % dofs, of[3] = {at % p, at / p % p, at / p / p};
  PetscInt       n                         = dofs;
  PetscReal      diagonal[3] = {0, 0, 0};

  for (PetscInt k = 0; k < 27; k++) {
    const PetscInt way[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, length = PetscAbsInt(way[0]) + PetscAbsInt(way[1]) + PetscAbsInt(way[2]);
    const PetscInt to     = at + way[0] + p * (way[1] + p * way[2]);
    PetscBool      inside = PETSC_TRUE;
    PetscReal      c;

    if (!length || (run->stencil == 7 && length > 1)) continue;
    for (int e = 0; e < 3; e++) inside = (PetscBool)(inside && of[e] + way[e] >= 0 && of[e] + way[e] < p);
    c = (inside ? Coefficient(at, to, step) : 1) / length;
    for (PetscInt e = 0; e < dofs; e++) {
      const PetscReal v = dofs == 1 ? c : c * ((PetscReal)(way[d] * way[e]) / length + (d == e ? 0.1 : 0));

      diagonal[e] += v;
      if (!inside) continue;
      col[n]   = to * dofs + e;
      val[n++] = -v;
    }
  }
  for (PetscInt e = 0; e < dofs; e++) {
    col[e] = at * dofs + e;
    val[e] = diagonal[e];
  }
  return n;
}

static PetscErrorCode SetValues(const Run *run, Mat A, PetscInt step)
{
  PetscInt    col[MOST], begin, end;
  PetscScalar val[MOST];

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt n = Row(run, i, step, col, val);

    PetscCall(MatSetValues(A, 1, &i, n, col, val, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetValuesCOO(const Run *run, Mat A, PetscInt step, PetscBool first)
{
  const size_t most = (size_t)run->stencil * (size_t)run->dofs;
  PetscInt    *row, *col, begin, end;
  PetscCount   n = 0;
  PetscScalar *val;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(PetscMalloc3(most * (size_t)(end - begin), &row, most * (size_t)(end - begin), &col, most * (size_t)(end - begin), &val));
  for (PetscInt i = begin; i < end; i++) {
    const PetscInt entries = Row(run, i, step, col + n, val + n);

    for (PetscInt k = 0; k < entries; k++) row[n++] = i;
  }
  if (first) PetscCall(MatSetPreallocationCOO(A, n, row, col));
  PetscCall(MatSetValuesCOO(A, val, INSERT_VALUES));
  PetscCall(PetscFree3(row, col, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Assemble(const Run *run, Mat A, PetscInt step)
{
  PetscFunctionBeginUser;
  PetscCall(run->coo ? SetValuesCOO(run, A, step, (PetscBool)(step == 0)) : SetValues(run, A, step));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Time(const Run *run, KSP ksp, Vec b, Vec x, double *seconds, PetscInt *its)
{
  double begin, end;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall((*run->machine->clock)(&begin));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall((*run->machine->clock)(&end));
  PetscCall(KSPGetIterationNumber(ksp, its));
  end -= begin;
  PetscCallMPI(MPI_Allreduce(&end, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD)); /* of the slowest process */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix's life: assembled, solved with, solved with again, and with new values */
static PetscErrorCode Live(const Run *run, const Way *way, Times *t)
{
  const PetscInt rows = run->dofs * run->points * run->points * run->points, most = run->stencil * run->dofs;
  Mat            A;
  Vec            x, b;
  KSP            ksp;
  PC             pc;
  double        *sample;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(run->repeats, &sample));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetBlockSize(A, run->dofs));
  PetscCall(MatSetType(A, way->plain ? run->plain : MATAUTOCSR));
  PetscCall(MatSetUp(A));
  if (!run->coo) {
    PetscCall(MatSeqAIJSetPreallocation(A, most, NULL));
    PetscCall(MatMPIAIJSetPreallocation(A, most, NULL, most, NULL));
  }
  PetscCall(Assemble(run, A, 0));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, way->prefix));
  PetscCall(KSPSetType(ksp, run->solver));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, run->pc));
  PetscCall(KSPSetTolerances(ksp, run->rtol, PETSC_DEFAULT, PETSC_DEFAULT, (int)run->max_it));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Time(run, ksp, b, x, &t->first, &t->its));
  for (PetscInt r = 0; r < run->repeats; r++) PetscCall(Time(run, ksp, b, x, &sample[r], &t->its));
  qsort(sample, (size_t)run->repeats, sizeof(*sample), CompareDoubles);
  t->later = sample[run->repeats / 2];
  for (PetscInt r = 0; r < run->repeats; r++) {
    PetscCall(Assemble(run, A, 1 + r));
    PetscCall(Time(run, ksp, b, x, &sample[r], &t->renewed_its));
  }
  qsort(sample, (size_t)run->repeats, sizeof(*sample), CompareDoubles);
  t->renewed = sample[run->repeats / 2];
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFree(sample));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const Run *run)
{
  Times t[WAYS];

  PetscFunctionBeginUser;
  for (int w = 0; w < WAYS; w++) PetscCall(Live(run, &ways[w], &t[w]));
  for (int w = 0; w < WAYS; w++)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-19s %4" PetscInt_FMT " %-8s %-7s %5" PetscInt_FMT " %9.2f %9.2f %9.2f %9.1f %7.2f %7.2f %7.2f\n", run->name, run->points, run->coo ? "coo" : "host", ways[w].name, t[w].its, 1e3 * t[w].first, 1e3 * t[w].later, 1e3 * t[w].renewed, 1e6 * t[w].later / PetscMax(1, t[w].its), t[0].first / t[w].first, t[0].later / t[w].later, t[0].renewed / t[w].renewed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Run       run          = {.machine = &Cpu, .plain = MATAIJ, .repeats = 5, .stencil = 7, .dofs = 1, .max_it = 300, .rtol = 1e-8, .solver = KSPCG, .pc = PCJACOBI};
  PetscInt  n            = 16, sizes[16];
  PetscBool gpu          = PETSC_FALSE, set, wanted;
  char      assembly[16] = "both";

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-gpu", &gpu, NULL));
  if (gpu) {
    PetscCall(GpuFind(&run.machine));
    run.plain = MATAIJCUSPARSE;
  }
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-sizes", sizes, &n, &set));
  if (!set) {
    n        = gpu ? 4 : 3;
    sizes[0] = 32;
    sizes[1] = 64;
    sizes[2] = gpu ? 128 : 100;
    sizes[3] = 192;
  }
  PetscCall(PetscOptionsGetString(NULL, NULL, "-assembly", assembly, sizeof(assembly), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-solver", run.solver, sizeof(run.solver), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-pc", run.pc, sizeof(run.pc), NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-rtol", &run.rtol, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-max_it", &run.max_it, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &run.repeats, NULL));
  PetscCheck(run.repeats >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repeats %" PetscInt_FMT " is less than 1", run.repeats);
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-stencil", &run.stencil, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dofs", &run.dofs, NULL));
  PetscCheck(run.stencil == 7 || run.stencil == 27, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-stencil %" PetscInt_FMT ": 7 or 27", run.stencil);
  PetscCheck(run.dofs == 1 || run.dofs == 3, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-dofs %" PetscInt_FMT ": 1 or 3", run.dofs);
  PetscCall(PetscSNPrintf(run.name, sizeof(run.name), "%s-%s-%" PetscInt_FMT "x%" PetscInt_FMT, run.solver, run.pc, run.stencil, run.dofs));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(solvers); k++) PetscCall(PetscOptionsSetValue(NULL, solvers[k].option, solvers[k].value));
  PetscCall(EachDescribe(run.machine));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s with %s, %" PetscInt_FMT " points with %" PetscInt_FMT " unknowns each, distinct values, relative tolerance %g, at most %" PetscInt_FMT " iterations; the median of %" PetscInt_FMT " solves; plain: %s; milliseconds, microseconds an iteration of a later solve, and how much faster than plain\n", run.solver, run.pc, run.stencil, run.dofs, (double)run.rtol, run.max_it, run.repeats, run.plain));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-19s %4s %-8s %-7s %5s %9s %9s %9s %9s %7s %7s %7s\n", "problem", "grid", "assembly", "way", "its", "first", "later", "renewed", "us_it", "x_first", "x_later", "x_renew"));
  for (PetscInt k = 0; k < n; k++) {
    run.points = sizes[k];
    for (int coo = 0; coo < 2; coo++) {
      PetscCall(PetscStrcmp(assembly, coo ? "host" : "coo", &wanted));
      if (wanted) continue;
      run.coo = (PetscBool)coo;
      PetscCall(Compare(&run));
    }
  }
  PetscCall(PetscFinalize());
  return 0;
}
