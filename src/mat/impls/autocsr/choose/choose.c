/*
  The choice by the cost model: every variant of every strategy for the whole block, then row ranges with strategies of
  their own. The stages of hou2017 (III-A), with a cost model in place of trained trees.
*/
#include "candidate.h"

/* The best so far, best first */
typedef struct {
  PetscInt          max, n;
  AutoCSRCandidate *candidate, csr; /* csr: the best variant of csr, if it has pieces */
} Best;

/* Of equals the first stays first */
static void insert(Best *best, const AutoCSRCandidate *next)
{
  PetscInt k = best->n;

  if (best->n < best->max)
    best->n++;
  else if (best->candidate[--k].score <= next->score)
    return;
  for (; k > 0 && best->candidate[k - 1].score > next->score; k--) best->candidate[k] = best->candidate[k - 1];
  best->candidate[k] = *next;
}

/* A variant for all rows of a problem; *runs: there are executors for it; *fits: and room */
static PetscErrorCode score_variant(AutoCSRChooser *chooser, const AutoCSRProblem *problem, const AutoCSRStrategy *strategy, const AutoCSRAxes *axes, AutoCSRCandidate *candidate, PetscBool *runs, PetscBool *fits)
{
  AutoCSREvaluation e;

  PetscFunctionBegin;
  PetscCall(AutoCSRCostEvaluate(chooser, problem, strategy, axes, &e));
  *candidate = (AutoCSRCandidate){
      chooser->figures->machine.product + e.seconds, e.bytes, e.build, AutoCSRCostScore(problem, &e), 1, {strategy, *axes, problem->chunk_begin, problem->chunk_end}};
  if (candidate->score < PETSC_MAX_REAL) candidate->score += chooser->figures->machine.product;
  *runs = e.runs;
  *fits = e.fits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a strategy can do with all rows; *why is set if that is nothing */
static PetscErrorCode score_strategy(AutoCSRChooser *chooser, const AutoCSRStrategy *strategy, Best *best, const char **why)
{
  AutoCSRAxes      axes[AUTOCSR_MAX_VARIANTS];
  PetscInt         n_variants;
  AutoCSRCandidate next;
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
    insert(best, &next);
    if (strategy == chooser->csr && (!best->csr.n_pieces || next.score < best->csr.score)) best->csr = next;
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

PetscErrorCode AutoCSRChoose(AutoCSRChooser *chooser, PetscInt max, AutoCSRCandidate candidate[], PetscInt *n)
{
  const AutoCSRSettings *settings = chooser->problem.settings;
  const AutoCSRStrategy *forced   = NULL;
  const char            *why      = NULL;
  PetscBool              automatic, has_csr = PETSC_FALSE;
  Best                   best = {max, 0, candidate, {0}};

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(settings->strategy, "auto", &automatic));
  if (!automatic) PetscCall(AutoCSRStrategyFind(settings->strategy, &forced));
  PetscCall(score_base(chooser));
  chooser->why_not = NULL;
  *n               = 1;
  if (!chooser->problem.csr->nnz) {
    candidate[0] = chooser->base;
    if (forced && forced != chooser->csr) chooser->why_not = "there are no entries";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt s = 0; AutoCSRStrategies[s]; s++) {
    if (!forced || forced == AutoCSRStrategies[s]) PetscCall(score_strategy(chooser, AutoCSRStrategies[s], &best, &why));
  }
  if (!best.n) {
    candidate[0] = chooser->base;
    if (forced) chooser->why_not = why;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!forced) { /* row ranges compete with the best for all rows */
    AutoCSRCandidate ranges;

    PetscCall(AutoCSRChooseRanges(chooser, candidate[0].score, &ranges));
    if (ranges.n_pieces) insert(&best, &ranges);
  }
  for (PetscInt i = 0; i < best.n; i++) has_csr = (PetscBool)(has_csr || (candidate[i].n_pieces == 1 && candidate[i].piece.strategy == chooser->csr));
  if (best.csr.n_pieces && !has_csr && best.n == max) candidate[max - 1] = best.csr; /* the last place is csr's */
  *n = best.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
