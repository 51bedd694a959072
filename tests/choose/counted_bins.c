static char help[] = "Bins of rows are counted once for all graphs that ask for the same, and costs and plans are those of bins that are counted anew.\n\n";

#include "../../src/mat/impls/autocsr/choose/candidate.h"
#include "../blocks.h"

static PetscInt UpTo60(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  (void)m;
  return Pick(n, i, 1 + i * 7 % 60, col);
}

static const Generator rows = {"rows of 1 to 60 entries", 3000, 3000, UpTo60, VALUES_MANY};

/* The backend of the host, which tells how often it counts */
static AutoCSRBackend counting;
static PetscInt       counts;

static PetscErrorCode CountAndTell(const AutoCSRMatrix *csr, PetscInt U, PetscInt bins, AutoCSRBins *bin)
{
  PetscFunctionBeginUser;
  counts++;
  PetscCall((*AutoCSRBackendHost.count_bins)(csr, U, bins, bin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Variants, cost and plan of a graph; *moved: the bytes that its plan moves */
static PetscErrorCode Ask(const AutoCSRStrategy *strategy, const AutoCSRProblem *problem, AutoCSRCost segment[], PetscInt *n, double *moved)
{
  AutoCSRAxes  axes;
  AutoCSRPlan *plan;
  PetscInt64   own;
  PetscInt     variants;
  const char  *why;

  PetscFunctionBeginUser;
  PetscCall((*strategy->variants)(problem, 1, &axes, &variants, &why));
  PetscCheck(variants == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s", problem->settings->graph, why);
  PetscCall(PetscMemzero(segment, AUTOCSR_MAX_SEGMENTS * sizeof(*segment)));
  PetscCall((*strategy->cost)(problem, &axes, segment, n));
  PetscCall(AutoCSRPlanCreate(problem->csr, &plan));
  PetscCall(AutoCSRStrategyBuild(strategy, problem, &axes, plan));
  PetscCheck(plan->n_segments == *n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " segments, %" PetscInt_FMT " were counted", problem->settings->graph, plan->n_segments, *n);
  PetscCall(AutoCSRPlanGetBytes(plan, &own, moved));
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* expected: counts that this graph needs after those before it */
static PetscErrorCode CheckGraph(AutoCSRChooser *chooser, AutoCSRSettings *settings, const char graph[], PetscInt expected)
{
  const AutoCSRStrategy *strategy;
  AutoCSRProblem         anew = chooser->problem;
  AutoCSRCost            segment[2][AUTOCSR_MAX_SEGMENTS];
  PetscInt               n[2];
  double                 moved[2];

  PetscFunctionBeginUser;
  PetscCall(AutoCSRStrategyFind("graph", &strategy));
  PetscCall(AutoCSRSettingsSetGraph(settings, graph));
  counts = 0;
  PetscCall(Ask(strategy, &chooser->problem, segment[0], &n[0], &moved[0]));
  PetscCheck(counts == expected, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: bins were counted %" PetscInt_FMT " times, not %" PetscInt_FMT, graph, counts, expected);
  anew.counted = NULL;
  counts       = 0;
  PetscCall(Ask(strategy, &anew, segment[1], &n[1], &moved[1]));
  PetscCheck(counts >= 3, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: bins were counted %" PetscInt_FMT " times, though nothing is kept", graph, counts);
  PetscCheck(n[0] == n[1] && moved[0] == moved[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: another plan of bins that are kept", graph);
  for (PetscInt i = 0; i < n[0]; i++) PetscCheck(segment[0][i].rows == segment[1][i].rows && segment[0][i].entries == segment[1][i].entries && segment[0][i].bytes == segment[1][i].bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: another cost of bins that are kept", graph);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const AutoCSRFigures *figures;
  AutoCSRChooser       *chooser;
  AutoCSRMatrix         csr;
  AutoCSRProfile       *profile;
  AutoCSRSettings       settings;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatrixCreate(&rows, &csr));
  counting            = AutoCSRBackendHost;
  counting.count_bins = CountAndTell;
  csr.backend         = &counting;
  PetscCall(AutoCSRProfileCreate(&csr, csr.backend->slice_height, &profile));
  PetscCall(AutoCSRFiguresGet(&AutoCSRBackendHost, "auto", &figures));
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PetscNew(&chooser));
  PetscCall(AutoCSRChooserBegin(chooser, figures, &csr, profile, &settings));
  PetscCall(CheckGraph(chooser, &settings, "bin(0:7) compress(index=32,value=copy) bmtb_pad slice_block; bin(8:) compress(index=csr,value=csr) row_block(lanes=1)", 1));
  PetscCall(CheckGraph(chooser, &settings, "bin(0:15) compress(index=csr,value=csr) row_block(lanes=1); bin(16:) compress(index=csr,value=csr) row_block(lanes=4)", 0));
  for (PetscInt U = 1; U <= AUTOCSR_COUNTED_BINS; U++) { /* the last of them takes the place of the first */
    char graph[AUTOCSR_GRAPH_LENGTH];

    PetscCall(PetscSNPrintf(graph, sizeof(graph), "bin_group(rows=%" PetscInt_FMT ",bins=100,in=0:99) compress(index=csr,value=csr) row_block(lanes=1)", 10 * U));
    PetscCall(CheckGraph(chooser, &settings, graph, 1));
    PetscCall(CheckGraph(chooser, &settings, graph, 0));
  }
  PetscCall(CheckGraph(chooser, &settings, "bin(0:15) compress(index=csr,value=csr) row_block(lanes=1); bin(16:) compress(index=csr,value=csr) row_block(lanes=4)", 1));
  PetscCall(AutoCSRChooserBegin(chooser, figures, &csr, profile, &settings)); /* of another matrix, for all it knows */
  PetscCall(CheckGraph(chooser, &settings, "bin(0:15) compress(index=csr,value=csr) row_block(lanes=1); bin(16:) compress(index=csr,value=csr) row_block(lanes=4)", 1));
  PetscCall(PetscFree(chooser));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Bins are counted once\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:

TEST*/
