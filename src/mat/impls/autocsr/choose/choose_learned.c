/*
  The learned choosers, beside the cost model: `corrected` multiplies its seconds, `trees` takes the strategy with the most
  votes (dufrechou2021, 3), `two-stage` bins rows by rules for the granularity and for the kernel of each bin (hou2017, III).
*/
#include "learned.h"
#include "../backend.h"
#include <math.h>

#define MOST 0.7 /* of a logarithm: what the cost model misses by more is an outlier of the training data (config/train-chooser.py has the same) */

PetscErrorCode AutoCSRChooserLearn(AutoCSRChooser *chooser)
{
  const MatAutoCSRChooser asked = chooser->problem.settings->chooser;

  PetscFunctionBegin;
  PetscCall(AutoCSRLearnedFind(chooser->figures->backend, asked, &chooser->learned));
  chooser->by = chooser->learned ? asked : MAT_AUTOCSR_CHOOSER_MODEL;
  if (!chooser->learned) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMemzero(chooser->feature, sizeof(chooser->feature)));
  AutoCSRFeaturesOfMatrix(chooser->problem.profile, chooser->feature);
  if (chooser->by == MAT_AUTOCSR_CHOOSER_TREES) AutoCSRForestVote(&chooser->learned->forest[AUTOCSR_FOREST_TREES], chooser->feature, chooser->learned->n_strategies, chooser->votes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *name_of(const AutoCSRCandidate *candidate)
{
  return candidate->n_pieces > 1 ? "ranges" : candidate->piece.strategy->name;
}

/* Features of the matrix and of a candidate */
static void features_of(const AutoCSRChooser *chooser, const AutoCSRCandidate *candidate, float f[])
{
  memcpy(f, chooser->feature, sizeof(chooser->feature));
  memcpy(f + AUTOCSR_MATRIX_FEATURES, candidate->feature, sizeof(candidate->feature));
  f[AUTOCSR_FEATURE_STRATEGY] = (float)AutoCSRLearnedStrategy(chooser->learned, name_of(candidate));
}

void AutoCSRCandidateCorrect(const AutoCSRChooser *chooser, AutoCSRCandidate *candidate)
{
  float  f[AUTOCSR_FEATURES + 1];
  double sum;

  features_of(chooser, candidate, f);
  sum               = AutoCSRForestSum(&chooser->learned->forest[AUTOCSR_FOREST_CORRECTED], f);
  candidate->factor = exp(PetscMin(PetscMax(sum, -MOST), MOST));
  candidate->seconds *= candidate->factor;
  if (candidate->score < PETSC_MAX_REAL) candidate->score *= candidate->factor;
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
  f[AUTOCSR_FEATURE_GROUP]     = g < AUTOCSR_GRANULARITIES ? (float)axes->row_group : 0;
  chooser->kernels.granularity = axes->row_group;
  chooser->problem.kernels     = kernel->trees ? &chooser->kernels : NULL;
  for (int b = 0; b < AUTOCSR_MAX_BINS && kernel->trees; b++) {
    f[AUTOCSR_FEATURE_BIN]  = g < AUTOCSR_GRANULARITIES ? (float)b : 0;
    chooser->kernels.log[b] = (uint8_t)AutoCSRForestSum(kernel, f);
  }
  chooser->feature[AUTOCSR_FEATURE_GROUP] = f[AUTOCSR_FEATURE_GROUP];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRChooserExplain(const AutoCSRChooser *chooser, const AutoCSRCandidate *c, const AutoCSRCandidate *other, double measured, size_t len, char text[])
{
  char  what[192] = "", deciding[128];
  float f[AUTOCSR_FEATURES + 1];
  int   s;

  PetscFunctionBegin;
  switch (chooser->by) {
  case MAT_AUTOCSR_CHOOSER_TREES:
    s = AutoCSRLearnedStrategy(chooser->learned, name_of(c));
    PetscCall(AutoCSRForestDeciding(&chooser->learned->forest[AUTOCSR_FOREST_TREES], chooser->feature, s, sizeof(deciding), deciding));
    PetscCall(PetscSNPrintf(what, sizeof(what), ", %d of %d trees by %s", s < chooser->learned->n_strategies ? chooser->votes[s] : 0, chooser->learned->forest[AUTOCSR_FOREST_TREES].trees, deciding));
    break;
  case MAT_AUTOCSR_CHOOSER_TWO_STAGE:
    PetscCall(AutoCSRForestDeciding(&chooser->learned->forest[AUTOCSR_FOREST_GRANULARITY], chooser->feature, -1, sizeof(deciding), deciding));
    if (c->rank < 0) PetscCall(PetscSNPrintf(what, sizeof(what), ", granularity by %s", deciding));
    break;
  case MAT_AUTOCSR_CHOOSER_CORRECTED:
    features_of(chooser, c, f);
    PetscCall(AutoCSRForestDeciding(&chooser->learned->forest[AUTOCSR_FOREST_CORRECTED], f, -1, sizeof(deciding), deciding));
    PetscCall(PetscSNPrintf(what, sizeof(what), ", the cost model's time %.2f times by %s", c->factor, deciding));
    break;
  default:
    if (chooser->problem.settings->chooser != MAT_AUTOCSR_CHOOSER_MODEL) PetscCall(PetscSNPrintf(what, sizeof(what), ", as there are no trees of this machine for %s", MatAutoCSRChoosers[chooser->problem.settings->chooser]));
    break;
  }
  PetscCall(PetscSNPrintf(text, len, "%s%s; predicted %.3g us", MatAutoCSRChoosers[chooser->by], what, 1e6 * c->seconds));
  if (measured > 0) {
    PetscCall(PetscSNPrintf(what, sizeof(what), ", measured %.3g us", 1e6 * measured));
    PetscCall(PetscStrlcat(text, what, len));
  }
  if (other) {
    PetscCall(PetscSNPrintf(what, sizeof(what), "; runner-up %s, predicted %.3g us", other->n_pieces > 1 ? "row ranges" : other->piece.strategy->name, 1e6 * other->seconds));
    PetscCall(PetscStrlcat(text, what, len));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
