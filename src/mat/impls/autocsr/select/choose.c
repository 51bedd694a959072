/*
  The choice by the cost model: every variant of every strategy for the whole block, then row ranges with strategies of
  their own. The stages of hou2017 (III-C), with a cost model in place of trained trees.
*/
#include "choose.h"

#define MAX_SCORED 256

typedef struct {
  AutoCSRPiece piece;
  double       seconds, bytes, build, score;
} Scored;

static void candidate_set(AutoCSRCandidate *candidate, const Scored *scored)
{
  candidate->n_pieces = 1;
  candidate->piece[0] = scored->piece;
  candidate->seconds  = scored->seconds;
  candidate->bytes    = scored->bytes;
  candidate->build    = scored->build;
  candidate->score    = scored->score;
}

/* Appends what a strategy can do with all rows; *why is set if that is nothing */
static PetscErrorCode score_strategy(AutoCSRChooser *chooser, const AutoCSRProblem *problem, const AutoCSRStrategy *strategy, Scored scored[], PetscInt *n, const char **why)
{
  AutoCSRAxes       axes[AUTOCSR_MAX_VARIANTS];
  PetscInt          n_variants;
  AutoCSREvaluation e;

  PetscFunctionBegin;
  PetscCall(strategy->variants(problem, PetscMin(AUTOCSR_MAX_VARIANTS, MAX_SCORED - *n), axes, &n_variants, why));
  if (!n_variants) PetscCall(PetscInfo(NULL, "%s does not apply: %s\n", strategy->name, *why));
  for (PetscInt v = 0; v < n_variants; v++) {
    PetscCall(AutoCSRCostEvaluate(chooser, problem, strategy, &axes[v], &e));
    scored[*n] = (Scored){
        {strategy, axes[v], problem->chunk_begin, problem->chunk_end},
        chooser->figures->machine.product + e.seconds,
        e.bytes,
        e.build,
        AutoCSRCostScore(problem, &e)};
    if (scored[*n].score < PETSC_MAX_REAL) scored[*n].score += chooser->figures->machine.product;
    if (scored[*n].score < PETSC_MAX_REAL)
      (*n)++;
    else
      *why = e.runs ? "it takes more memory than the objective allows" : "no executor runs it";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* csr with the settings that exclude nothing */
static PetscErrorCode score_base(AutoCSRChooser *chooser, Scored scored[])
{
  AutoCSRSettings free_settings = *chooser->problem.settings;
  AutoCSRProblem  problem       = chooser->problem;
  PetscInt        n             = 0;
  const char     *why;

  PetscFunctionBegin;
  free_settings.index     = MAT_AUTOCSR_INDEX_CSR;
  free_settings.value     = MAT_AUTOCSR_VALUE_AUTO;
  free_settings.objective = MAT_AUTOCSR_OBJECTIVE_TIME;
  problem.settings        = &free_settings;
  PetscCall(score_strategy(chooser, &problem, chooser->csr, scored, &n, &why));
  PetscCheck(n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "csr does not apply: %s", why);
  candidate_set(&chooser->base, &scored[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int compare_scores(const void *a, const void *b)
{
  const double d = ((const Scored *)a)->score - ((const Scored *)b)->score;

  return d < 0 ? -1 : d > 0;
}

PetscErrorCode AutoCSRChoose(AutoCSRChooser *chooser, PetscInt max, AutoCSRCandidate candidate[], PetscInt *n)
{
  const AutoCSRSettings *settings = chooser->problem.settings;
  const AutoCSRStrategy *forced   = NULL;
  const char            *why      = NULL;
  PetscInt               n_scored = 0;
  PetscBool              automatic, has_csr = PETSC_FALSE;
  Scored                *scored;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(settings->strategy, "auto", &automatic));
  if (!automatic) PetscCall(AutoCSRStrategyFind(settings->strategy, &forced));
  PetscCall(PetscMalloc1(MAX_SCORED, &scored));
  PetscCall(score_base(chooser, scored));
  chooser->why_not = NULL;
  *n               = 0;
  if (!chooser->problem.csr->nnz) {
    candidate[(*n)++] = chooser->base;
    if (forced && forced != chooser->csr) chooser->why_not = "there are no entries";
    PetscCall(PetscFree(scored));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt s = 0; AutoCSRStrategies[s]; s++) {
    if (!forced || forced == AutoCSRStrategies[s]) PetscCall(score_strategy(chooser, &chooser->problem, AutoCSRStrategies[s], scored, &n_scored, &why));
  }
  if (forced && !n_scored) chooser->why_not = why;
  qsort(scored, n_scored, sizeof(*scored), compare_scores);
  if (!forced && n_scored && max > 1) { /* row ranges compete with the best for all rows */
    PetscCall(AutoCSRChooseRanges(chooser, scored[0].score, &candidate[0]));
    if (candidate[0].n_pieces) (*n)++;
  }
  for (PetscInt i = 0; i < n_scored && *n < max; i++) {
    const PetscBool is_csr = (PetscBool)(scored[i].piece.strategy == chooser->csr);

    if (*n == max - 1 && !has_csr && !is_csr && !forced) continue; /* the last place is csr's */
    has_csr = (PetscBool)(has_csr || is_csr);
    candidate_set(&candidate[(*n)++], &scored[i]);
  }
  if (!*n) candidate[(*n)++] = chooser->base;
  PetscCall(PetscFree(scored));
  PetscFunctionReturn(PETSC_SUCCESS);
}
