static char help[] = "Values change, structure changes, nothing changes: the products are right, and plans are refreshed or built again only when they must be.\n\n";

#include <petscautocsr.h>
#include "../changes.h"
#include "../generate.h"
#include "../ways.h"

/* What a change may cost */
typedef enum {
  COST_NOTHING,
  COST_REFRESH, /* new values in the old structure */
  COST_LEAVE,   /* values that are neither few nor float32: a coding that needs this is left, else a refresh */
  COST_REPLAN,
  COST_ANY
} Cost;

typedef struct {
  const char *name;
  PetscErrorCode (*apply)(Mat A, Mat like); /* changes.h; like: plain AIJ */
  Cost cost;
} Change;

static const Change changes[] = {
    {"nothing", Nothing, COST_NOTHING},
    {"MatSetValues()", SetValues, COST_REFRESH},
    {"MatSetValues() that adds", AddValues, COST_REFRESH},
    {"MatScale()", Scale, COST_REFRESH},
    {"MatShift()", Shift, COST_REFRESH},
    {"MatDiagonalSet()", DiagonalSet, COST_REFRESH},
    {"MatDiagonalScale()", DiagonalScale, COST_REFRESH},
    {"MatSeqAIJGetArray()", Arrays, COST_REFRESH},
    {"MatCopy()", CopySame, COST_REFRESH},
    {"MatAXPY() of the same pattern", AXPYSame, COST_REFRESH},
    {"MatAXPY() of plain AIJ", AXPYLike, COST_REFRESH},
    {"MatStoreValues()", StoreAndScale, COST_REFRESH},
    {"MatRetrieveValues()", Retrieve, COST_REFRESH},
    {"MatConjugate()", Conjugate, COST_ANY},
    {"MatZeroRows() that keeps the pattern", ZeroRowsKeep, COST_REFRESH},
    {"MatZeroRowsColumns()", ZeroRowsAndColumns, COST_REFRESH},
    {"MatZeroEntries()", Zero, COST_REFRESH},
    {"MatCopy() again", CopySame, COST_REFRESH},
    {"nothing again", Nothing, COST_NOTHING},
    {"MatDiagonalScale() by many values", DiagonalScaleRandom, COST_LEAVE},
    {"MatSeqAIJGetArray() again", Arrays, COST_REFRESH},
    {"new nonzeros", NewNonzeros, COST_REPLAN},
    {"MatScale() of the new structure", Scale, COST_REFRESH},
    {"MatZeroRows()", ZeroRows, COST_ANY},
    {"MatAXPY() of a subset", AXPYSubset, COST_ANY},
    {"MatAXPY() of a different pattern", AXPYDifferent, COST_ANY},
    {"MatAXPY() of an unknown pattern", AXPYUnknown, COST_ANY},
    {"MatTranspose() in place", TransposeInPlace, COST_ANY},
    {"MatScale() at the end", Scale, COST_REFRESH},
};

static const Generator stencils[] = {
    {"stencil of few values", 210, 210, Grid2, VALUES_FEW, ENTRY_OWNER},
    {"stencil of float32 values", 216, 216, Grid3, VALUES_FLOATS, ENTRY_OWNER},
};

/* Over all ranks */
typedef struct {
  PetscInt plans, refreshes;
} Counts;

static PetscErrorCode CountsGet(Mat B, Counts *c)
{
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(B, &info));
  c->plans     = info.plans;
  c->refreshes = info.refreshes;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, c, 2, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Where a coding that cannot hold any value was asked for and applies, it is left; where it may have been chosen, or the strategy
   or its coding is a device's alone and another may stand for it, who knows */
static Cost CostOfLeaving(const Generator *g, const Way *w)
{
  const PetscBool chosen  = (PetscBool)(w->strategy[0] == 'a' || w->value == MAT_AUTOCSR_VALUE_AUTO || !strcmp(w->strategy, "sellp") || !strcmp(w->strategy, "symmetric") || !strcmp(w->strategy, "propagate") || !strcmp(w->strategy, "popular") || !strcmp(w->strategy, "segsum") || (PetscDefined(HAVE_CUDA) && !strcmp(w->strategy, "csr")) || (w->index == MAT_AUTOCSR_INDEX_16 && !strcmp(w->strategy, "csr-adaptive")));
  const PetscBool block   = (PetscBool)(w->strategy[0] == 'b' && w->strategy[1] == 'l'); /* does not apply to stencils */
  const PetscBool applies = (PetscBool)(!block && (g->values == VALUES_FEW ? w->value == MAT_AUTOCSR_VALUE_DICTIONARY : w->value == MAT_AUTOCSR_VALUE_FLOAT32 && !PetscDefined(USE_REAL_SINGLE)));

  return chosen ? COST_ANY : applies ? COST_REPLAN
                                     : COST_REFRESH;
}

static PetscErrorCode CheckCost(Cost cost, PetscMPIInt size, const Counts *before, const Counts *after, const char context[])
{
  const PetscInt plans = after->plans - before->plans, refreshes = after->refreshes - before->refreshes;

  PetscFunctionBeginUser;
  switch (cost) {
  case COST_NOTHING:
    PetscCheck(!plans && !refreshes, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " plans and %" PetscInt_FMT " refreshes for nothing", context, plans, refreshes);
    break;
  case COST_REFRESH:
    PetscCheck(!plans, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: planned again, %" PetscInt_FMT " times, for new values", context, plans);
    PetscCheck(refreshes >= 1 && refreshes <= (size > 1 ? 2 * size : 1), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: refreshed %" PetscInt_FMT " times", context, refreshes);
    break;
  case COST_REPLAN:
    if (size > 1) break; /* PETSc makes a new off-diagonal block, whose counts begin anew */
    PetscCheck(plans >= 1 && plans <= 2 /* of the transpose, on a device */, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: planned %" PetscInt_FMT " times", context, plans);
    break;
  default:
    break;
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckChanges(const Generator *g, const Way *w, MatAutoCSRRigor rigor)
{
  char        way[192], context[256];
  Reference   r;
  Mat         A, B, like;
  Counts      before, after;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatrixCreate(g, MATAIJ, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &like));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(MatrixCreate(g, MATAUTOCSR, &B));
  PetscCall(WaySet(B, w, rigor, sizeof(way), way));
  PetscCall(CompareProducts(&r, !WayVaries(w), &B, way));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(changes); c++) {
    Cost cost = changes[c].cost;

    if (cost == COST_LEAVE) cost = CostOfLeaving(g, w);
    PetscCall(PetscSNPrintf(context, sizeof(context), "%s, %s, %s", changes[c].name, g->name, way));
    PetscCall(CountsGet(B, &before));
    PetscCall((*changes[c].apply)(r.A, like));
    PetscCall((*changes[c].apply)(B, like));
    PetscCall(ReferenceUpdate(&r));
    PetscCall(CompareProducts(&r, !WayVaries(w), &B, context));
    PetscCall(CountsGet(B, &after));
    PetscCall(CheckCost(cost, size, &before, &after, context));
  }
  PetscCall(MatDestroy(&like));
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Values of the same places given again by COO: few at first, then many */
static PetscErrorCode CheckCOO(const Way *w)
{
  static const char *const name[] = {"first", "second", "third, of many values"};
  const PetscInt           n      = 150;
  char                     way[192], context[256];
  PetscInt                 begin, end, count = 0, row[2][600], col[2][600];
  PetscScalar              val[600];
  PetscLayout              layout;
  Reference                r;
  Mat                      M[2];
  Counts                   before, after;
  PetscMPIInt              size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreate(PETSC_COMM_WORLD, &M[k]));
    PetscCall(MatSetSizes(M[k], PETSC_DECIDE, PETSC_DECIDE, n, n));
    PetscCall(MatSetType(M[k], k ? MATAUTOCSR : MATAIJ));
    PetscCall(MatGetLayouts(M[k], &layout, NULL));
    PetscCall(PetscLayoutSetUp(layout));
    PetscCall(PetscLayoutGetRange(layout, &begin, &end));
    count = 0;
    for (PetscInt i = begin; i < end; i++) { /* the row, some entries twice, and one of another rank's rows */
      const PetscInt places[4][2] = {{i, i}, {i, (i + 1) % n}, {i, i}, {(i + n / 2) % n, i}};

      for (int p = 0; p < 4; p++) {
        row[k][count]   = places[p][0];
        col[k][count++] = places[p][1];
      }
    }
    PetscCall(MatSetPreallocationCOO(M[k], count, row[k], col[k]));
  }
  for (int round = 0; round < 3; round++) {
    for (PetscInt k = 0; k < count; k++) val[k] = round < 2 ? Scalar(1 + k % (3 + round), 2) : RandomScalar(begin, k);
    for (int k = 0; k < 2; k++) PetscCall(MatSetValuesCOO(M[k], val, round ? INSERT_VALUES : ADD_VALUES));
    if (round)
      PetscCall(ReferenceUpdate(&r));
    else {
      PetscCall(ReferenceCreate(M[0], &r));
      PetscCall(WaySet(M[1], w, MAT_AUTOCSR_RIGOR_ESTIMATE, sizeof(way), way));
    }
    PetscCall(CountsGet(M[1], &before));
    PetscCall(PetscSNPrintf(context, sizeof(context), "%s values by COO, %s", name[round], way));
    PetscCall(CompareProducts(&r, !WayVaries(w), &M[1], context));
    PetscCall(CountsGet(M[1], &after));
    PetscCall(CheckCost(round == 0 ? COST_REPLAN : round == 1 ? COST_REFRESH
                                                              : COST_ANY,
                        size, &before, &after, context));
  }
  PetscCall(MatDestroy(&M[1]));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

typedef struct {
  const char *name;
  PetscErrorCode (*apply)(Mat A, Mat like);
  PetscBool kept; /* what the plan relies on */
  Cost      cost;
} Step;

/* Values that stay as the plan relies on are refreshed; where they do not, the plan is left, and taken again when they are. word: of the strategy or of the executor of such a plan, which the host has */
static PetscErrorCode CheckKept(const Generator *g, const Way *way, const char word[], size_t n, const Step steps[])
{
  char           text[192];
  Reference      r;
  Mat            A, B;
  Counts         before, after;
  PetscMPIInt    size;
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatrixCreate(g, MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(MatrixCreate(g, MATAUTOCSR, &B));
  PetscCall(WaySet(B, way, MAT_AUTOCSR_RIGOR_ESTIMATE, sizeof(text), text));
  PetscCall(CompareProducts(&r, 1, &B, g->name));
  for (size_t c = 0; c < n; c++) {
    PetscBool host, is;

    PetscCall(CountsGet(B, &before));
    PetscCall((*steps[c].apply)(r.A, NULL));
    PetscCall((*steps[c].apply)(B, NULL));
    PetscCall(ReferenceUpdate(&r));
    PetscCall(CompareProducts(&r, 1, &B, steps[c].name));
    PetscCall(CountsGet(B, &after));
    PetscCall(MatAutoCSRGetInfo(B, &info));
    PetscCall(PetscStrcmp(info.backend, "host", &host)); /* which alone has the strategy */
    is = (PetscBool)(strstr(info.strategy, word) || strstr(info.executor, word));
    if (!host) continue;
    PetscCheck(is == steps[c].kept, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %s is used, by %s", steps[c].name, info.strategy, info.executor);
    if (size == 1) PetscCall(CheckCost(steps[c].cost, size, &before, &after, steps[c].name));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckSymmetric(void)
{
  static const Step steps[] = {
      {"MatScale() of symmetric values", Scale, PETSC_TRUE, COST_REFRESH},
      {"MatShift() of symmetric values", Shift, PETSC_TRUE, COST_REFRESH},
      {"MatDiagonalScale() on one side", DiagonalScaleRandom, PETSC_FALSE, COST_REPLAN},
      {"MatScale() of values that are not symmetric", Scale, PETSC_FALSE, COST_REFRESH},
  };
  const Generator g   = {"stencil of symmetric values", 216, 216, Grid3, VALUES_SYMMETRIC, ENTRY_OWNER};
  const Way       way = {"symmetric", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME};

  PetscFunctionBeginUser;
  PetscCall(CheckKept(&g, &way, "symmetric", PETSC_STATIC_ARRAY_LENGTH(steps), steps));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* One value for all entries; in place, too, new ones are then looked at */
static PetscErrorCode CheckConstant(void)
{
  static const Step steps[] = {
      {"MatScale() of one value", Scale, PETSC_TRUE, COST_REFRESH},
      {"MatShift() of one value", Shift, PETSC_FALSE, COST_REPLAN},
      {"MatScale() of two values", Scale, PETSC_FALSE, COST_REFRESH},
  };
  const Generator g     = {"stencil of one value", 216, 216, Grid3, VALUES_ONE, ENTRY_OWNER};
  const Way       way[] = {
            {"csr", MAT_AUTOCSR_INDEX_AUTO, MAT_AUTOCSR_VALUE_AUTO, 0, 100, MAT_AUTOCSR_OBJECTIVE_MEMORY},
            {"sell", MAT_AUTOCSR_INDEX_32, MAT_AUTOCSR_VALUE_CONSTANT, 0, 100, MAT_AUTOCSR_OBJECTIVE_TIME}};

  PetscFunctionBeginUser;
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(way); w++) PetscCall(CheckKept(&g, &way[w], "constant", PETSC_STATIC_ARRAY_LENGTH(steps), steps));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* MatAXPY() of another pattern merges headers: other matrices keep their plans, each of the merged its settings */
static PetscErrorCode CheckMerge(void)
{
  const char *const strategies[] = {"csr", "segsum", "sell"}; /* in turn */
  Mat               A, B, merged[20];
  Reference         r;
  MatAutoCSRInfo    info;
  Counts            before, after;
  PetscMPIInt       size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatrixCreate(&stencils[0], MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  PetscCall(MatrixCreate(&stencils[0], MATAUTOCSR, &B));
  PetscCall(MatAutoCSRSetProgressive(B, PETSC_FALSE));
  PetscCall(CompareProducts(&r, 1, &B, "before others are merged"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(merged); k++) {
    PetscCall(MatrixCreate(&stencils[0], MATAUTOCSR, &merged[k]));
    PetscCall(MatAutoCSRSetStrategy(merged[k], strategies[k % 3]));
    PetscCall(MatAutoCSRSetProgressive(merged[k], PETSC_FALSE));
    PetscCall(CompareProducts(&r, 1, &merged[k], "to be merged"));
  }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(merged); k++) PetscCall(AXPYDifferent(merged[k], NULL));
  PetscCall(CountsGet(B, &before));
  PetscCall(Scale(B, NULL));
  PetscCall(Scale(r.A, NULL));
  PetscCall(ReferenceUpdate(&r));
  PetscCall(CompareProducts(&r, 1, &B, "scaled after others were merged"));
  PetscCall(CountsGet(B, &after));
  PetscCall(CheckCost(COST_REFRESH, size, &before, &after, "scaled after others were merged"));
  PetscCall(ReferenceDestroy(&r));
  PetscCall(MatrixCreate(&stencils[0], MATAIJ, &A));
  PetscCall(AXPYDifferent(A, NULL));
  PetscCall(ReferenceCreate(A, &r));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(merged); k++) {
    PetscBool same;

    PetscCall(CompareProducts(&r, 1, &merged[k], "merged"));
    PetscCall(MatAutoCSRGetInfo(merged[k], &info));
    PetscCall(PetscStrcmp(info.strategy, strategies[k % 3], &same));
    PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s has become %s when it was merged", strategies[k % 3], info.strategy);
    PetscCall(MatDestroy(&merged[k]));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  Mat         A;
  PetscMPIInt size;
  PetscBool   some = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetType(A, MATAUTOCSR));
  PetscCall(SomeWaysWillDo(A, &some));
  PetscCall(MatDestroy(&A));
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); w++) {
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(stencils); i++) {
      if (!WayIsDue(w, 2 * i + size, some)) continue;
      for (int rigor = MAT_AUTOCSR_RIGOR_NONE; rigor <= MAT_AUTOCSR_RIGOR_MEASURE; rigor++) {
        if (!w || rigor == MAT_AUTOCSR_RIGOR_ESTIMATE) PetscCall(CheckChanges(&stencils[i], &ways[w], (MatAutoCSRRigor)rigor));
      }
    }
    if (WayIsDue(w, size, some)) PetscCall(CheckCOO(&ways[w]));
  }
  PetscCall(CheckSymmetric());
  PetscCall(CheckConstant());
  PetscCall(CheckMerge());
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d kinds of changes\n", (int)PETSC_STATIC_ARRAY_LENGTH(changes)));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  # on a device the parts of more than two ranks may be added in any order, by PETSc
  testset:
    nsize: {{1 2}}
    output_file: output/changes_1.out

    test:
      suffix: 1
      nsize: {{1 2 3}}

    test:
      suffix: cuda
      requires: cuda
      args: -vec_type cuda

    test:
      suffix: takeover
      requires: cuda
      args: -vec_type cuda -mat_autocsr_takeover

TEST*/
