/*
  The choice: every variant of every strategy for the whole block, then row ranges with strategies of their own, each with the
  cost model's seconds. A chooser that learned (choose_learned.c) ranks or corrects them; else the least score counts.
*/
#include "learned.h"

#define CORRECTED_MOST 16 /* candidates that `corrected` and trees of joules look at, the best by the cost model: a look at each takes as long as a few hundred comparisons */

/* The best so far, best first */
typedef struct {
  PetscInt          max, n;
  AutoCSRCandidate *candidate, csr; /* csr: the best variant of csr, if it has row ranges */
} Best;

static PetscBool is_better(const AutoCSRCandidate *a, const AutoCSRCandidate *b)
{
  return (PetscBool)(a->rank < b->rank || (a->rank == b->rank && a->score < b->score));
}

/* Of equals the first stays first */
static void insert(Best *best, const AutoCSRCandidate *next)
{
  PetscInt k = best->n;

  if (best->n < best->max)
    best->n++;
  else if (!is_better(next, &best->candidate[--k]))
    return;
  for (; k > 0 && is_better(next, &best->candidate[k - 1]); k--) best->candidate[k] = best->candidate[k - 1];
  best->candidate[k] = *next;
}

/* What a chooser that learned asks of a candidate */
static void add_features(const AutoCSRChooser *chooser, const AutoCSREvaluation *e, AutoCSRCandidate *candidate)
{
  float f[AUTOCSR_FEATURES];

  AutoCSRFeaturesOfVariant(&candidate->first.axes, e, candidate->seconds, chooser->feature[AUTOCSR_FEATURE_NONZEROS], 0, f);
  memcpy(candidate->feature, f + AUTOCSR_MATRIX_FEATURES, sizeof(candidate->feature));
}

/* A variant for all rows of a problem; *runs: there are executors for it; *fits: and room */
static PetscErrorCode score_variant(AutoCSRChooser *chooser, const AutoCSRProblem *problem, const AutoCSRStrategy *strategy, const AutoCSRAxes *axes, AutoCSRCandidate *candidate, PetscBool *runs, PetscBool *fits)
{
  AutoCSREvaluation e;

  PetscFunctionBegin;
  PetscCall(AutoCSRCostEvaluate(chooser, problem, strategy, axes, &e));
  *candidate = (AutoCSRCandidate){
      .seconds = chooser->figures->machine.product + e.seconds, .bytes = e.bytes, .build = e.build, .score = AutoCSRCostScore(problem, &e), .n_ranges = 1, .first = {strategy, *axes, problem->zone_begin, problem->zone_end}};
  if (candidate->score < PETSC_MAX_REAL) candidate->score += chooser->figures->machine.product;
  if (chooser->learned || chooser->energy) add_features(chooser, &e, candidate);
  *runs = e.runs;
  *fits = e.fits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a strategy can do with all rows; *why is set if that is nothing */
static PetscErrorCode score_strategy(AutoCSRChooser *chooser, const AutoCSRStrategy *strategy, Best *best, const char **why)
{
  AutoCSRAxes      axes[AUTOCSR_MAX_VARIANTS];
  PetscInt         n_variants;
  AutoCSRCandidate next, first = {.score = PETSC_MAX_REAL};
  PetscBool        runs = PETSC_FALSE, fits = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(strategy->variants(&chooser->problem, AUTOCSR_MAX_VARIANTS, axes, &n_variants, why));
  if (!n_variants && chooser->problem.profile->unsorted && chooser->problem.settings->index == MAT_AUTOCSR_INDEX_AUTO && chooser->problem.settings->value == MAT_AUTOCSR_VALUE_AUTO) *why = "in some row the columns do not ascend, and it does not take the columns in place";
  if (!n_variants) PetscCall(PetscInfo(NULL, "%s does not apply: %s\n", strategy->name, *why));
  for (PetscInt v = 0; v < n_variants; v++) {
    PetscCall(score_variant(chooser, &chooser->problem, strategy, &axes[v], &next, &runs, &fits));
    if (!(next.score < PETSC_MAX_REAL)) {
      *why = !runs ? "no executor runs it" : fits ? "it takes more memory than the objective allows"
                                                  : "it takes more memory than is left";
      continue;
    }
    if (chooser->by == MAT_AUTOCSR_CHOOSER_TREES) /* trees tell the strategy, the cost model its variant */
      first = next.score < first.score ? next : first;
    else
      insert(best, &next);
    if (strategy == chooser->csr && (!best->csr.n_ranges || next.score < best->csr.score)) best->csr = next;
  }
  if (first.n_ranges) {
    first.rank = -AutoCSRChooserVotes(chooser, strategy);
    insert(best, &first);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* csr with the settings that exclude nothing, lanes by the rows' length */
static PetscErrorCode score_base(AutoCSRChooser *chooser)
{
  AutoCSRSettings free_settings = *chooser->problem.settings;
  AutoCSRProblem  problem       = chooser->problem;
  AutoCSRAxes     axes;
  PetscInt        n;
  const char     *why;
  PetscBool       runs, fits;

  PetscFunctionBegin;
  free_settings.index     = MAT_AUTOCSR_INDEX_CSR;
  free_settings.value     = MAT_AUTOCSR_VALUE_AUTO;
  free_settings.objective = MAT_AUTOCSR_OBJECTIVE_TIME;
  problem.settings        = &free_settings;
  problem.parallel        = PETSC_FALSE;
  PetscCall(chooser->csr->variants(&problem, 1, &axes, &n, &why));
  PetscCheck(n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "csr does not apply: %s", why);
  PetscCall(score_variant(chooser, &problem, chooser->csr, &axes, &chooser->base, &runs, &fits));
  PetscCheck(runs, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No executor runs csr");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What hou2017's rules say comes before all else */
static PetscErrorCode add_bins(AutoCSRChooser *chooser, Best *best)
{
  const AutoCSRStrategy *strategy;
  AutoCSRAxes            axes;
  AutoCSRCandidate       next;
  PetscBool              found, runs, fits;

  PetscFunctionBegin;
  PetscCall(AutoCSRChooserBins(chooser, &axes, &strategy, &found));
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(score_variant(chooser, &chooser->problem, strategy, &axes, &next, &runs, &fits));
  next.rank = -1;
  if (next.score < PETSC_MAX_REAL) insert(best, &next);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_ranges(AutoCSRChooser *chooser, Best *best)
{
  AutoCSRCandidate ranges;

  PetscFunctionBegin;
  PetscCall(AutoCSRChooseRanges(chooser, best->candidate[0].score, &ranges));
  if (!ranges.n_ranges) PetscFunctionReturn(PETSC_SUCCESS);
  if (chooser->learned || chooser->energy) {
    const AutoCSREvaluation e = {.segments = ranges.n_ranges, .bytes = ranges.bytes};

    add_features(chooser, &e, &ranges);
  }
  insert(best, &ranges);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The best by their corrected scores */
static void correct(const AutoCSRChooser *chooser, Best *all, Best *best)
{
  for (PetscInt i = 0; i < all->n; i++) {
    AutoCSRCandidateCorrect(chooser, &all->candidate[i]);
    insert(best, &all->candidate[i]);
  }
  if (all->csr.n_ranges) {
    best->csr = all->csr;
    AutoCSRCandidateCorrect(chooser, &best->csr);
  }
}

PetscErrorCode AutoCSRChoose(AutoCSRChooser *chooser, PetscInt max, AutoCSRCandidate candidate[], PetscInt *n)
{
  const AutoCSRSettings *settings = chooser->problem.settings;
  const AutoCSRStrategy *forced   = NULL;
  const char            *why      = NULL;
  PetscBool              automatic, has_csr = PETSC_FALSE;
  const PetscBool        corrects = (PetscBool)(chooser->by == MAT_AUTOCSR_CHOOSER_CORRECTED || chooser->energy);
  AutoCSRCandidate       modelled[CORRECTED_MOST];
  Best                   best = {max, 0, candidate, {0}}, all = {CORRECTED_MOST, 0, modelled, {0}}, *list = corrects ? &all : &best;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(settings->strategy, "auto", &automatic));
  if (!automatic) PetscCall(AutoCSRStrategyFind(settings->strategy, &forced));
  PetscCall(score_base(chooser));
  if (corrects) AutoCSRCandidateCorrect(chooser, &chooser->base);
  chooser->why_not = NULL;
  *n               = 1;
  if (!chooser->problem.csr->nnz) {
    candidate[0] = chooser->base;
    if (forced && forced != chooser->csr) chooser->why_not = "there are no entries";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt s = 0; AutoCSRStrategies[s]; s++) {
    if (!forced || forced == AutoCSRStrategies[s]) PetscCall(score_strategy(chooser, AutoCSRStrategies[s], list, &why));
  }
  if (chooser->by == MAT_AUTOCSR_CHOOSER_TWO_STAGE) PetscCall(add_bins(chooser, &best));
  if (!forced && list->n && (corrects || chooser->by == MAT_AUTOCSR_CHOOSER_MODEL)) PetscCall(add_ranges(chooser, list)); /* row ranges compete with the best for all rows */
  if (corrects) correct(chooser, &all, &best);
  if (!best.n) {
    candidate[0] = chooser->base;
    if (forced) chooser->why_not = why;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < best.n; i++) has_csr = (PetscBool)(has_csr || (candidate[i].n_ranges == 1 && candidate[i].first.strategy == chooser->csr));
  if (best.csr.n_ranges && !has_csr && best.n == max) candidate[max - 1] = best.csr; /* the last place is csr's */
  *n = best.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
