/*
  The learned choosers, beside the cost model: `corrected` multiplies its seconds, `trees` takes the strategy with the most
  votes (dufrechou2021, 3), `two-stage` bins rows by rules for the granularity and for the kernel of each bin (hou2017, III).
  With the objective energy other trees multiply scores by the power.
*/
#include "learned.h"
#include "../backend.h"
#include <math.h>

#define MOST 0.7 /* of a logarithm: what the cost model misses by more is an outlier of the training data (config/train-chooser.py has the same) */

PetscErrorCode AutoCSRChooserLearn(AutoCSRChooser *chooser)
{
  const AutoCSRSettings *settings = chooser->problem.settings;
  MatAutoCSRChooser      asked    = settings->chooser;

  PetscFunctionBegin;
  if (asked == MAT_AUTOCSR_CHOOSER_AUTO) PetscCall(AutoCSRLearnedBest(chooser->figures, &asked));
  PetscCall(AutoCSRLearnedFind(chooser->figures->backend, asked, &chooser->learned));
  chooser->by = chooser->learned ? asked : MAT_AUTOCSR_CHOOSER_MODEL;
  chooser->energy = NULL;
  if (settings->objective == MAT_AUTOCSR_OBJECTIVE_ENERGY && settings->rigor < MAT_AUTOCSR_RIGOR_MEASURE && (!chooser->learned || chooser->by == MAT_AUTOCSR_CHOOSER_CORRECTED)) PetscCall(AutoCSRLearnedEnergy(chooser->figures, &chooser->energy));
  if (!chooser->learned && !chooser->energy) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMemzero(chooser->feature, sizeof(chooser->feature)));
  AutoCSRFeaturesOfMatrix(chooser->problem.profile, chooser->feature);
  if (chooser->by == MAT_AUTOCSR_CHOOSER_TREES) AutoCSRForestVote(&chooser->learned->forest[AUTOCSR_FOREST_TREES], chooser->feature, chooser->learned->n_strategies, chooser->votes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *name_of(const AutoCSRCandidate *candidate)
{
  return candidate->n_ranges > 1 ? "ranges" : candidate->first.strategy->name;
}

/* Features of the matrix and of a candidate */
static void features_of(const AutoCSRChooser *chooser, const AutoCSRLearned *learned, const AutoCSRCandidate *candidate, float f[])
{
  memcpy(f, chooser->feature, sizeof(chooser->feature));
  memcpy(f + AUTOCSR_MATRIX_FEATURES, candidate->feature, sizeof(candidate->feature));
  f[AUTOCSR_FEATURE_STRATEGY] = (float)AutoCSRLearnedStrategy(learned, name_of(candidate));
}

/* What a forest of sums says of a candidate, as a factor */
static double factor_of(const AutoCSRChooser *chooser, const AutoCSRLearned *learned, AutoCSRForestKind kind, const AutoCSRCandidate *candidate)
{
  float f[AUTOCSR_FEATURES + 1];

  features_of(chooser, learned, candidate, f);
  return exp(PetscMin(PetscMax(AutoCSRForestSum(&learned->forest[kind], f), -MOST), MOST));
}

void AutoCSRCandidateCorrect(const AutoCSRChooser *chooser, AutoCSRCandidate *candidate)
{
  const PetscBool allowed = (PetscBool)(candidate->score < PETSC_MAX_REAL);

  if (chooser->learned) {
    candidate->factor = factor_of(chooser, chooser->learned, AUTOCSR_FOREST_CORRECTED, candidate);
    candidate->seconds *= candidate->factor;
    if (allowed) candidate->score *= candidate->factor;
  }
  if (chooser->energy) {
    candidate->power = factor_of(chooser, chooser->energy, AUTOCSR_FOREST_ENERGY, candidate);
    if (allowed) candidate->score *= candidate->power;
  }
}

PetscInt AutoCSRChooserVotes(const AutoCSRChooser *chooser, const AutoCSRStrategy *strategy)
{
  const int s = AutoCSRLearnedStrategy(chooser->learned, strategy->name);

  return s < chooser->learned->n_strategies ? chooser->votes[s] : 0;
}

PetscErrorCode AutoCSRChooserBins(AutoCSRChooser *chooser, AutoCSRAxes *axes, const AutoCSRStrategy **strategy, PetscBool *found)
{
  const AutoCSRForest *granularity = &chooser->learned->forest[AUTOCSR_FOREST_GRANULARITY], *kernel = &chooser->learned->forest[AUTOCSR_FOREST_KERNEL];
  AutoCSRSettings      settings = *chooser->problem.settings;
  AutoCSRProblem       problem  = chooser->problem;
  float                f[AUTOCSR_FEATURES + 1];
  const char          *why;
  PetscInt             n, g;
  PetscBool            automatic;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCall(AutoCSRStrategyFind("binned", strategy));
  PetscCall(PetscStrcmp(settings.strategy, "auto", &automatic));
  if (!automatic && strcmp(settings.strategy, (*strategy)->name)) PetscFunctionReturn(PETSC_SUCCESS);
  memcpy(f, chooser->feature, sizeof(f));
  g = (PetscInt)AutoCSRForestSum(granularity, f); /* one tree */
  PetscCall(PetscStrncpy(settings.strategy, (*strategy)->name, sizeof(settings.strategy)));
  if (settings.granularity || settings.max_bins == 1)
    g = AUTOCSR_GRANULARITIES; /* the user has said it */
  else if (g < AUTOCSR_GRANULARITIES)
    settings.granularity = AutoCSRGranularity[g];
  else
    settings.max_bins = 1;
  problem.settings = &settings;
  PetscCall((*(*strategy)->variants)(&problem, 1, axes, &n, &why));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  *found                       = PETSC_TRUE;
  f[AUTOCSR_FEATURE_ROW_GROUP] = g < AUTOCSR_GRANULARITIES ? (float)axes->row_group : 0;
  chooser->kernels.granularity = axes->row_group;
  chooser->problem.kernels     = kernel->trees ? &chooser->kernels : NULL;
  for (int b = 0; b < AUTOCSR_MAX_BINS && kernel->trees; b++) {
    f[AUTOCSR_FEATURE_BIN]  = g < AUTOCSR_GRANULARITIES ? (float)b : 0;
    chooser->kernels.log[b] = (uint8_t)AutoCSRForestSum(kernel, f);
  }
  chooser->feature[AUTOCSR_FEATURE_ROW_GROUP] = f[AUTOCSR_FEATURE_ROW_GROUP];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The seconds of which the cost model's are made, the largest first */
static PetscErrorCode explain_terms(AutoCSRChooser *chooser, const AutoCSRCandidate *c, size_t len, char text[])
{
  const char       *name[] = {"work", "lines of x", "streaming", "the longest row", "launches"};
  AutoCSREvaluation e;
  double            sum = 0;

  PetscFunctionBegin;
  text[0] = 0;
  if (c->n_ranges > 1) {
    PetscCall(PetscSNPrintf(text, len, "%" PetscInt_FMT " row ranges", c->n_ranges));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRCostEvaluate(chooser, &chooser->problem, c->first.strategy, &c->first.axes, &e));
  {
    double seconds[] = {e.work, e.gather, e.stream, e.wait, e.launches + chooser->figures->machine.product};

    for (int k = 0; k < 5; k++) sum += seconds[k];
    for (int n = 0; n < 2 && sum > 0; n++) {
      char what[48];
      int  most = 0;

      for (int k = 1; k < 5; k++) most = seconds[k] > seconds[most] ? k : most;
      if (seconds[most] < 0.05 * sum) break;
      PetscCall(PetscSNPrintf(what, sizeof(what), "%s%s %.2g us", n ? ", " : "", name[most], 1e6 * seconds[most]));
      PetscCall(AutoCSRAppend(text, what, len));
      seconds[most] = 0;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes into the plan which chooser decided, by which features, and the runner-up */
PetscErrorCode AutoCSRChooserExplain(AutoCSRChooser *chooser, const AutoCSRCandidate *c, const AutoCSRCandidate *other, AutoCSRPlan *plan)
{
  const MatAutoCSRChooser asked = chooser->problem.settings->chooser;
  char                    what[256] = "";
  float                   f[AUTOCSR_FEATURES + 1];
  int                     s;

  PetscFunctionBegin;
  plan->by          = MatAutoCSRChoosers[chooser->by];
  plan->deciding[0] = 0;
  switch (chooser->by) {
  case MAT_AUTOCSR_CHOOSER_TREES:
    s = AutoCSRLearnedStrategy(chooser->learned, name_of(c));
    PetscCall(AutoCSRForestDeciding(&chooser->learned->forest[AUTOCSR_FOREST_TREES], chooser->feature, s, sizeof(plan->deciding), plan->deciding));
    PetscCall(PetscSNPrintf(what, sizeof(what), ", %d of %d trees by %s", s < chooser->learned->n_strategies ? chooser->votes[s] : 0, chooser->learned->forest[AUTOCSR_FOREST_TREES].trees, plan->deciding));
    break;
  case MAT_AUTOCSR_CHOOSER_TWO_STAGE:
    if (c->rank >= 0) break;
    PetscCall(AutoCSRForestDeciding(&chooser->learned->forest[AUTOCSR_FOREST_GRANULARITY], chooser->feature, -1, sizeof(plan->deciding), plan->deciding));
    PetscCall(PetscSNPrintf(what, sizeof(what), ", granularity by %s", plan->deciding));
    break;
  case MAT_AUTOCSR_CHOOSER_CORRECTED:
    features_of(chooser, chooser->learned, c, f);
    PetscCall(AutoCSRForestDeciding(&chooser->learned->forest[AUTOCSR_FOREST_CORRECTED], f, -1, sizeof(plan->deciding), plan->deciding));
    PetscCall(PetscSNPrintf(what, sizeof(what), ", the cost model's time %.2f times by %s", c->factor, plan->deciding));
    break;
  default:
    PetscCall(explain_terms(chooser, c, sizeof(plan->deciding), plan->deciding));
    PetscCall(PetscSNPrintf(what, sizeof(what), ", by %s", plan->deciding));
    if (asked == MAT_AUTOCSR_CHOOSER_MODEL || asked == MAT_AUTOCSR_CHOOSER_AUTO) break;
    PetscCall(PetscSNPrintf(what, sizeof(what), ", as there are no trees of this machine for %s, by %s", MatAutoCSRChoosers[asked], plan->deciding));
    break;
  }
  PetscCall(PetscSNPrintf(plan->chooser, sizeof(plan->chooser), "%s%s; predicted %.3g us", plan->by, what, 1e6 * c->seconds));
  if (plan->measured > 0) {
    PetscCall(PetscSNPrintf(what, sizeof(what), ", measured %.3g us", 1e6 * plan->measured));
    PetscCall(AutoCSRAppend(plan->chooser, what, sizeof(plan->chooser)));
  }
  if (plan->joules > 0) {
    PetscCall(PetscSNPrintf(what, sizeof(what), ", %.3g uJ", 1e6 * plan->joules));
    PetscCall(AutoCSRAppend(plan->chooser, what, sizeof(plan->chooser)));
  } else if (c->power > 0) {
    char by[128];

    features_of(chooser, chooser->energy, c, f);
    PetscCall(AutoCSRForestDeciding(&chooser->energy->forest[AUTOCSR_FOREST_ENERGY], f, -1, sizeof(by), by));
    PetscCall(PetscSNPrintf(what, sizeof(what), ", joules by trees, %.2f of the mean power by %s", c->power, by));
    PetscCall(AutoCSRAppend(plan->chooser, what, sizeof(plan->chooser)));
  } else if (chooser->problem.settings->objective == MAT_AUTOCSR_OBJECTIVE_ENERGY)
    PetscCall(AutoCSRAppend(plan->chooser, ", which stands for energy, as no joules were counted", sizeof(plan->chooser)));
  if (other) {
    PetscCall(PetscStrncpy(plan->runner_up, other->n_ranges > 1 ? "row ranges" : other->first.strategy->name, sizeof(plan->runner_up)));
    plan->runner_up_predicted = other->seconds;
    PetscCall(PetscSNPrintf(what, sizeof(what), "; runner-up %s, predicted %.3g us", plan->runner_up, 1e6 * other->seconds));
    PetscCall(AutoCSRAppend(plan->chooser, what, sizeof(plan->chooser)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
