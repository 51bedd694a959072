static char help[] = "Sorted slices and runs of entries whose columns 16 bits hold: staircases of rows, whose windows lie within as many columns wherever they begin, and bands.\n\n";

#include "../../src/mat/impls/autocsr/strategy/preset.h"
#include "../../src/mat/impls/autocsr/choose/choose.h"
#include "../plans.h"

enum {
  ROWS = 50000
};

/* Rows of 1 to 12 columns in a row, further to the right from row to row, so that the last row ends with the last column */
static PetscInt Stairs(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt first = (PetscInt)((double)(n - 12) / (m - 1) * i), len = 1 + (PetscInt)(Random64(i, 3) % 12);

  for (PetscInt t = 0; t < len; t++) col[t] = first + t;
  return len;
}

/* Columns that so many rows lie within, wherever they begin with a unit */
static PetscInt SpanOf(const AutoCSRMatrix *csr, PetscInt rows)
{
  PetscInt most = 0;

  for (PetscInt begin = 0; begin < csr->m; begin += AUTOCSR_WINDOW) {
    PetscInt lo = csr->n, hi = -1;

    for (PetscInt p = csr->row_ptr[begin]; p < csr->row_ptr[PetscMin(begin + rows, csr->m)]; p++) {
      lo = PetscMin(lo, csr->col[p]);
      hi = PetscMax(hi, csr->col[p]);
    }
    most = PetscMax(most, hi - lo + 1);
  }
  return most;
}

static PetscErrorCode CheckStairs(PetscInt n, PetscBool narrow)
{
  const Generator        g = {"stairs", ROWS, n, Stairs, VALUES_MANY};
  const AutoCSRStrategy *sell;
  AutoCSRMatrix          csr;
  AutoCSRProfile        *profile;
  AutoCSRSettings        settings;
  AutoCSRProblem         problem = {.csr = &csr, .settings = &settings};
  AutoCSRAxes            axes[AUTOCSR_MAX_VARIANTS];
  const char            *why;
  PetscInt               n_axes, found = 0;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(&g, &csr));
  PetscCall(AutoCSRProfileCreate(&csr, 8, &profile));
  PetscCheck(profile->window_span >= SpanOf(&csr, profile->window) && profile->window_span <= SpanOf(&csr, profile->window + profile->window / 2), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " columns: windows lie within %" PetscInt_FMT, n, profile->window_span);
  PetscCheck((profile->window_span <= 65536) == narrow, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " columns: windows lie within %" PetscInt_FMT, n, profile->window_span);
  PetscCall(AutoCSRSettingsInitialize(&settings));
  problem.profile = profile;
  AutoCSRProblemSetZones(&problem, 0, profile->zones);
  PetscCall(AutoCSRStrategyFind("sell", &sell));
  PetscCall((*sell->variants)(&problem, AUTOCSR_MAX_VARIANTS, axes, &n_axes, &why));
  for (PetscInt v = 0; v < n_axes; v++) {
    if (axes[v].index != AUTOCSR_INDEX_16 || !axes[v].sort_window) continue;
    found++;
    for (Division division = DIVISION_WHOLE; division <= DIVISION_THIRDS; division++) { /* the windows of the second begin elsewhere than the profile's */
      AutoCSRPlan *plan;

      PetscCall(BuildPlan(&csr, profile, &csr, profile, &axes[v], division, &plan));
      PetscCall(AutoCSRPlanCheck(plan, &csr));
      PetscCall(AutoCSRPlanDestroy(&plan));
    }
  }
  PetscCheck(narrow == (PetscBool)(found > 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " columns: %" PetscInt_FMT " variants of 16-bit columns", n, found);
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row has the columns so far from it on both sides; every `gap`-th row has none */
static PetscInt far_away, gap;

static PetscInt Banded(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt k = 0;

  if (i % gap == gap - 1) return 0;
  if (i >= far_away) col[k++] = i - far_away;
  col[k++] = i;
  if (i + far_away < n) col[k++] = i + far_away;
  return k;
}

/* fits: the bandwidth and the empty rows say so. If they do, plans with runs of each size are right */
static PetscErrorCode CheckRuns(PetscInt bandwidth, PetscInt every, PetscBool fits)
{
  const Generator g = {"bands", 90000, 90000, Banded, VALUES_FEW};
  AutoCSRMatrix   csr;
  AutoCSRProfile *profile;
  AutoCSRProblem  problem = {.csr = &csr};

  PetscFunctionBeginUser;
  far_away = bandwidth;
  gap      = every;
  PetscCall(MatrixCreate(&g, &csr));
  PetscCall(AutoCSRProfileCreate(&csr, 8, &profile));
  problem.profile = profile;
  for (PetscInt shape = 0; shape < CODED_SHAPES; shape++) {
    const AutoCSRAxes axes = CodedAxes(shape, 3); /* 16 bits, a dictionary */
    AutoCSRPlan      *plan;

    PetscCheck(AutoCSRSharesFit16(&problem, &axes) == fits, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Bandwidth %" PetscInt_FMT ", %" PetscInt_FMT " empty rows: 16 bits are said %sto hold shares of %" PetscInt_FMT " entries", profile->bandwidth, profile->empty_rows, fits ? "not " : "", AutoCSRAxesBaseEntries(&axes));
    if (!fits) continue;
    for (Division division = DIVISION_WHOLE; division <= DIVISION_THIRDS; division++) {
      PetscCall(BuildPlan(&csr, profile, &csr, profile, &axes, division, &plan));
      PetscCall(AutoCSRPlanCheck(plan, &csr));
      PetscCall(AutoCSRPlanDestroy(&plan));
    }
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CheckStairs(ROWS, PETSC_TRUE));
  PetscCall(CheckStairs(3 * ROWS, PETSC_TRUE));
  PetscCall(CheckStairs(4 * ROWS, PETSC_FALSE)); /* a window of 16384 rows: 65536 columns and the last row's */
  PetscCall(CheckRuns(32400, 1000, PETSC_TRUE));
  PetscCall(CheckRuns(20000, 4, PETSC_TRUE));
  PetscCall(CheckRuns(32768, 1000, PETSC_FALSE));
  PetscCall(CheckRuns(32400, 10, PETSC_FALSE));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "As wide as windows are\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    output_file: output/sorted_slices_1.out

TEST*/
