/* Makes the plan of a block, at once or step by step: profile, choose, build, bind, check; and says in one sentence what was chosen and why */
#include "learned.h"
#include "../backend.h"

/* What was chosen, until it is built */
struct _AutoCSRChoice {
  AutoCSRMatrix    csr;
  AutoCSRSettings  settings;
  AutoCSRChooser   chooser;
  PetscBool        new_values; /* the profile saw others: candidates of values do not hold these */
  PetscInt         n;
  AutoCSRCandidate candidate[AUTOCSR_MAX_CANDIDATES];
};

/* Every segment gets the executor of its axes; where nothing is to be measured on this machine, or the instruction set is named, no other way is tried */
static PetscErrorCode find_executors(AutoCSRPlan *plan, const AutoCSRMatrix *csr, const char simd[])
{
  const AutoCSRFigures *figures;
  PetscBool             automatic;

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresOf(csr, simd, &figures));
  PetscCall(PetscStrcmp(simd, "auto", &automatic));
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    AutoCSRSegment *seg = &plan->segment[s];

    PetscCall((*plan->backend->find_executor)(&seg->axes, simd, &seg->executor));
    PetscCheck(seg->executor, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No executor of %s (%s) runs a segment of strategy %s", plan->backend->name, simd, seg->strategy);
    if (automatic && !figures->as_shipped && plan->backend->other_way) seg->other = (*plan->backend->other_way)(seg->executor);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* why[]: "" if the plan is bound, else why some kernel cannot be had */
static PetscErrorCode bind(AutoCSRPlan *plan, const AutoCSRMatrix *csr, const char simd[], size_t len, char why[])
{
  PetscFunctionBegin;
  why[0] = 0;
  PetscCall(find_executors(plan, csr, simd));
  if (plan->backend->prepare) PetscCall((*plan->backend->prepare)(plan, len, why));
  if (!why[0]) PetscCall((*plan->backend->bind)(plan, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRCandidateBuild(AutoCSRChooser *chooser, const AutoCSRCandidate *candidate, AutoCSRPlan **plan)
{
  const double factor = candidate->factor > 0 ? candidate->factor : 1;
  char         why[sizeof(chooser->refused)];

  PetscFunctionBegin;
  PetscCall(AutoCSRPlanCreate(chooser->problem.csr, plan));
  (*plan)->predicted = chooser->figures->machine.product;
  for (PetscInt p = 0; p < candidate->n_ranges; p++) {
    const AutoCSRRowRange *range   = &AutoCSRCandidateRanges(chooser, candidate)[p];
    const AutoCSRProblem   problem = AutoCSRProblemOfZones(&chooser->problem, range->zone_begin, range->zone_end);
    const PetscInt         first   = (*plan)->n_segments;
    AutoCSREvaluation      e;

    PetscCall(AutoCSRCostEvaluate(chooser, &problem, range->strategy, &range->axes, &e));
    PetscCall(AutoCSRStrategyBuild(range->strategy, &problem, &range->axes, *plan));
    PetscCheck((*plan)->n_segments - first == e.segments, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Strategy %s made %" PetscInt_FMT " segments of the %" PetscInt_FMT " that it counted", range->strategy->name, (*plan)->n_segments - first, e.segments);
    for (PetscInt i = 0; i < e.segments; i++) (*plan)->segment[first + i].predicted = factor * e.segment[i];
    (*plan)->predicted += e.seconds;
  }
  (*plan)->predicted *= factor;
  PetscCall(bind(*plan, chooser->problem.csr, chooser->problem.settings->simd, sizeof(why), why));
  PetscCall(AutoCSRDivisionTrim(*plan)); /* binding looks at columns */
  if (why[0]) { /* csr wants no compiler */
    PetscCall(AutoCSRPlanDestroy(plan));
    PetscCall(AutoCSRCandidateBuild(chooser, &chooser->base, plan));
  }
  PetscCall(PetscStrncpy(chooser->refused, why, sizeof(chooser->refused)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build_and_time(AutoCSRChooser *chooser, const AutoCSRCandidate *candidate, AutoCSRPlan **plan)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRCandidateBuild(chooser, candidate, plan));
  PetscCall(AutoCSRPlanTime(*plan, chooser->problem.csr, (PetscBool)(chooser->problem.settings->objective == MAT_AUTOCSR_OBJECTIVE_ENERGY)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rigor measure: all candidates are built and timed, the fastest stays, or what takes fewest joules if these are counted */
static PetscErrorCode build_fastest(AutoCSRChooser *chooser, const AutoCSRCandidate candidate[], PetscInt n, PetscInt *best, double *csr_seconds, AutoCSRPlan **plan)
{
  double    shortest = PETSC_MAX_REAL;
  PetscBool counted  = PETSC_FALSE; /* joules, of the first; what has none is not compared with what has */

  PetscFunctionBegin;
  *csr_seconds = 0;
  for (PetscInt i = 0; i < n; i++) {
    const PetscBool is_csr = (PetscBool)(candidate[i].n_ranges == 1 && candidate[i].first.strategy == chooser->csr);
    AutoCSRPlan    *next   = NULL;
    double          handicapped;
    PetscErrorCode  ierr;

    ierr = build_and_time(chooser, &candidate[i], &next);
    if (ierr) PetscCall(AutoCSRPlanDestroy(&next));
    if (ierr == PETSC_ERR_MEM && (*plan || i + 1 < n)) { /* those that there is memory for are enough */
      PetscCall(PetscInfo(NULL, "Candidate %" PetscInt_FMT ", %s: no memory\n", i, candidate[i].first.strategy->name));
      continue;
    }
    PetscCall(ierr);
    PetscCall(PetscInfo(NULL, "Candidate %" PetscInt_FMT ", %s%s: predicted %g s, measured %g s, %g J\n", i, candidate[i].first.strategy->name, candidate[i].n_ranges > 1 ? " and others by row ranges" : "", candidate[i].seconds, next->measured, next->joules));
    if (is_csr && (!*csr_seconds || next->measured < *csr_seconds)) *csr_seconds = next->measured;
    if (!*plan) counted = (PetscBool)(next->joules > 0);
    handicapped = !counted ? next->measured : next->joules > 0 ? next->joules
                                                               : PETSC_MAX_REAL / 2;
    if (is_csr) handicapped *= BETTER_MEASURED;
    if (handicapped < shortest) {
      shortest = handicapped;
      *best    = i;
      PetscCall(AutoCSRPlanDestroy(plan));
      *plan = next;
    } else
      PetscCall(AutoCSRPlanDestroy(&next));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe_ranges(AutoCSRChooser *chooser, const AutoCSRCandidate *candidate, size_t len, char text[])
{
  const AutoCSRRowRange *range = AutoCSRCandidateRanges(chooser, candidate);
  char                   what[192];

  PetscFunctionBegin;
  if (candidate->n_ranges == 1) {
    PetscCall(range->strategy->describe(&chooser->problem, &range->axes, sizeof(what), what));
    PetscCall(PetscSNPrintf(text, len, "%s: %s", range->strategy->name, what));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(text, len, "%" PetscInt_FMT " row ranges:", candidate->n_ranges));
  for (PetscInt s = 0, named = 0; AutoCSRStrategies[s]; s++) {
    PetscInt rows = 0;

    for (PetscInt p = 0; p < candidate->n_ranges; p++) {
      const AutoCSRProblem problem = AutoCSRProblemOfZones(&chooser->problem, range[p].zone_begin, range[p].zone_end);

      if (range[p].strategy == AutoCSRStrategies[s]) rows += problem.row_end - problem.row_begin;
    }
    if (!rows) continue;
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s %s for %" PetscInt_FMT " rows", named++ ? "," : "", AutoCSRStrategies[s]->name, rows));
    PetscCall(AutoCSRAppend(text, what, len));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One sentence: what was chosen, what it is worth against csr, or why what was asked for does not apply */
static PetscErrorCode explain(AutoCSRChooser *chooser, const AutoCSRCandidate candidate[], PetscInt n, PetscInt chosen, double csr_measured, AutoCSRPlan *plan)
{
  const AutoCSRCandidate *c      = chooser->refused[0] ? &chooser->base : &candidate[chosen];
  const char             *why    = chooser->refused[0] ? chooser->refused : chooser->why_not;
  const AutoCSRCandidate *other  = NULL;
  const PetscBool         is_csr = (PetscBool)(c->n_ranges == 1 && c->first.strategy == chooser->csr);
  char                    tail[384];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n && !other; i++) { /* the runner-up: the best that is not a variant of the same strategy */
    if (i != chosen && (candidate[i].n_ranges > 1 || c->n_ranges > 1 || candidate[i].first.strategy != c->first.strategy)) other = &candidate[i];
  }
  PetscCall(describe_ranges(chooser, c, sizeof(plan->why), plan->why));
  if (why)
    PetscCall(PetscSNPrintf(tail, sizeof(tail), "; %s does not apply: %s", chooser->problem.settings->strategy, why));
  else if (is_csr && !other)
    tail[0] = 0;
  else if (is_csr)
    PetscCall(PetscSNPrintf(tail, sizeof(tail), "; the next best, %s, is predicted to take %.2f of its time", other->n_ranges > 1 ? "row ranges" : other->first.strategy->name, other->seconds / c->seconds));
  else if (csr_measured > 0 && plan->measured > 0)
    PetscCall(PetscSNPrintf(tail, sizeof(tail), "; measured %.2fx as fast as csr, %.2f of its bytes", csr_measured / plan->measured, c->bytes / chooser->base.bytes));
  else
    PetscCall(PetscSNPrintf(tail, sizeof(tail), "; predicted %.2fx as fast as csr, %.2f of its bytes", chooser->base.seconds / c->seconds, c->bytes / chooser->base.bytes));
  PetscCall(AutoCSRAppend(plan->why, tail, sizeof(plan->why)));
  PetscCall(AutoCSRChooserExplain(chooser, c, other, plan));
  PetscCall(PetscInfo(NULL, "%s\n", plan->why));
  if (other) PetscCall(PetscInfo(NULL, "Chosen: predicted %g s, %g bytes a product; runner-up %s: %g s, %g bytes\n", c->seconds, c->bytes, other->first.strategy->name, other->seconds, other->bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build_chosen(AutoCSRChoice *choice, AutoCSRPlan **plan)
{
  const PetscBool measure      = (PetscBool)(choice->settings.rigor >= MAT_AUTOCSR_RIGOR_MEASURE);
  PetscInt        chosen       = 0;
  double          csr_measured = 0;

  PetscFunctionBegin;
  if (AutoCSRSettingsSearch(&choice->settings) && choice->csr.nnz) {
    PetscCall(AutoCSRPlanSearch(&choice->chooser, choice->n, choice->candidate, AutoCSRSearchSeconds(&choice->settings), choice->settings.search_monitor, plan));
    if (*plan) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (measure && choice->n > 1)
    PetscCall(build_fastest(&choice->chooser, choice->candidate, choice->n, &chosen, &csr_measured, plan));
  else {
    PetscCall(AutoCSRCandidateBuild(&choice->chooser, &choice->candidate[0], plan));
    if (measure) PetscCall(AutoCSRPlanTime(*plan, &choice->csr, (PetscBool)(choice->settings.objective == MAT_AUTOCSR_OBJECTIVE_ENERGY)));
  }
  PetscCall(explain(&choice->chooser, choice->candidate, choice->n, chosen, csr_measured, *plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRChoiceDestroy(AutoCSRChoice **choice)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(*choice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The axes of a strategy that takes no look at the matrix: the only variant of it without a profile */
static PetscErrorCode unseen_problem(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, const char name[], AutoCSRSettings *defaults, AutoCSRProblem *problem, const AutoCSRStrategy **strategy, AutoCSRAxes *axes)
{
  const AutoCSRFigures *figures;
  const char           *why;
  PetscInt              n;

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresOf(csr, settings->simd, &figures));
  PetscCall(AutoCSRSettingsInitialize(defaults));
  defaults->segsum_fixup = settings->segsum_fixup;
  *problem               = (AutoCSRProblem){.csr = csr, .settings = defaults, .traits = figures->traits, .lanes = figures->lanes};
  AutoCSRProblemSetZones(problem, 0, 0);
  PetscCall(AutoCSRStrategyFind(name, strategy));
  PetscCall((*strategy)->variants(problem, 1, axes, &n, &why));
  PetscCheck(n == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s needs a look at the matrix: %s", name, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_unseen(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, const char name[], AutoCSRPlan **plan)
{
  AutoCSRSettings        defaults;
  AutoCSRProblem         problem;
  const AutoCSRStrategy *strategy;
  AutoCSRAxes            axes;
  char                   refused[128];

  PetscFunctionBegin;
  PetscCall(AutoCSRPlanCreate(csr, plan));
  if (!csr->m) {
    PetscCall(PetscStrncpy((*plan)->why, "no rows", sizeof((*plan)->why)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(unseen_problem(csr, settings, name, &defaults, &problem, &strategy, &axes));
  PetscCall(AutoCSRStrategyBuild(strategy, &problem, &axes, *plan));
  PetscCall(bind(*plan, csr, settings->simd, sizeof(refused), refused));
  PetscCheck(!refused[0], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s wants no compiler: %s", name, refused);
  if (PetscDefined(USE_DEBUG)) PetscCall(AutoCSRPlanCheck(*plan, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only where the choice is all the library's: what a user asks for is there from the first product on */
PetscBool AutoCSRPlanIsProgressive(const AutoCSRMatrix *csr, const AutoCSRSettings *s)
{
  return (PetscBool)(s->progressive && AutoCSRSettingsAreAutomatic(s) && csr->m);
}

/* What needs no look: where rows are worked on at once, equal tiles (the fallback of liu2015); else rows in place */
static const char *first_strategy(const AutoCSRFigures *figures)
{
  return figures->machine.parallel ? "segsum" : "csr";
}

PetscErrorCode AutoCSRPlanFirst(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, AutoCSRPlan **plan, double *product, double *look)
{
  const AutoCSRFigures *figures;
  PetscErrorCode        ierr;

  PetscFunctionBegin;
  *plan = NULL;
  PetscCall(AutoCSRFiguresOf(csr, settings->simd, &figures));
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_PLAN], 0, 0, 0, 0));
  ierr = make_unseen(csr, settings, first_strategy(figures), plan);
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_PLAN], 0, 0, 0, 0));
  PetscCall(ierr);
  PetscCall(AutoCSRCostUnseen(figures, csr, &(*plan)->segment[0].axes, product));
  *look              = AutoCSRCostLook(&figures->machine, csr, settings);
  (*plan)->predicted = (*plan)->segment[0].predicted = *product;
  PetscCall(PetscStrncpy((*plan)->why, (*plan)->segment[0].strategy, sizeof((*plan)->why)));
  PetscCall(AutoCSRAppend((*plan)->why, ": the first products, until they have paid for a look at the matrix", sizeof((*plan)->why)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode choose(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, const AutoCSRProfile *profile, AutoCSRChoice *choice, double *seconds)
{
  const AutoCSRFigures *figures;

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresOf(csr, settings->simd, &figures));
  choice->csr        = *csr;
  choice->settings   = *settings;
  if (!AutoCSRSettingsSearch(settings)) choice->settings.search_without = 0; /* a graph that the user names may have a kernel of its own */
  choice->new_values = PETSC_FALSE;
  PetscCall(AutoCSRChooserBegin(&choice->chooser, figures, &choice->csr, profile, &choice->settings));
  if (csr->backend->room && AutoCSRMatrixBytes(csr) >= ROOM_ASKED) PetscCall((*csr->backend->room)(&choice->chooser.problem.room));
  PetscCall(AutoCSRChoose(&choice->chooser, AUTOCSR_MAX_CANDIDATES, choice->candidate, &choice->n));
  *seconds = choice->candidate[0].build;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product of the plan without a look, once there was one: before, what it gathers is not known. It goes through empty rows, too, which a plan by the look leaves out */
static PetscErrorCode predict_first(AutoCSRChoice *choice, double *product)
{
  AutoCSRSettings        defaults;
  AutoCSRProblem         problem;
  const AutoCSRStrategy *strategy;
  AutoCSRAxes            axes;
  AutoCSREvaluation      e;
  double                 unseen;

  PetscFunctionBegin;
  PetscCall(unseen_problem(&choice->csr, &choice->settings, first_strategy(choice->chooser.figures), &defaults, &problem, &strategy, &axes));
  PetscCall(AutoCSRCostEvaluate(&choice->chooser, &choice->chooser.problem, strategy, &axes, &e));
  PetscCall(AutoCSRCostUnseen(choice->chooser.figures, &choice->csr, &axes, &unseen));
  *product = e.runs ? PetscMax(choice->chooser.figures->machine.product + e.seconds, unseen) : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Running out of memory is an error that the caller lives with: the events end in any case, and the choice goes */
PetscErrorCode AutoCSRPlanLook(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, AutoCSRProfile **profile, AutoCSRChoice **choice, double *product, double *better, double *seconds)
{
  const AutoCSRFigures *figures;
  PetscErrorCode        ierr;

  PetscFunctionBegin;
  *profile = NULL;
  *choice  = NULL;
  PetscCall(AutoCSRFiguresOf(csr, settings->simd, &figures));
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_PROFILE], 0, 0, 0, 0));
  ierr = AutoCSRProfileLook(csr, csr->backend->slice_height, AutoCSRBackendTileWidth(csr->backend, csr), AutoCSRRowsTellAll(&figures->machine, csr, settings), profile);
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_PROFILE], 0, 0, 0, 0));
  PetscCall(ierr);
  PetscCall(PetscMalloc1(1, choice));
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_PLAN], 0, 0, 0, 0));
  ierr = choose(csr, settings, *profile, *choice, seconds);
  if (!ierr && product) ierr = predict_first(*choice, product);
  if (!ierr && better) *better = (*choice)->candidate[0].seconds;
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_PLAN], 0, 0, 0, 0));
  if (ierr) PetscCall(AutoCSRChoiceDestroy(choice));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_of_values(const AutoCSRChoice *choice, PetscInt k)
{
  const AutoCSRCandidate *c     = &choice->candidate[k];
  const AutoCSRRowRange  *range = AutoCSRCandidateRanges(&choice->chooser, c);

  for (PetscInt p = 0; p < c->n_ranges; p++) {
    const AutoCSRAxes *axes = &range[p].axes;

    if ((axes->value != AUTOCSR_VALUE_CSR && axes->value != AUTOCSR_VALUE_COPY) || axes->order == AUTOCSR_ORDER_DIAGONAL) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscBool AutoCSRChoiceIsOfValues(const AutoCSRChoice *choice)
{
  return is_of_values(choice, 0);
}

void AutoCSRChoiceTakeValues(AutoCSRChoice *choice)
{
  choice->new_values = PETSC_TRUE;
}

PetscErrorCode AutoCSRPlanBuild(AutoCSRChoice **choice, const AutoCSRMatrix *csr, AutoCSRPlan **plan)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *plan          = NULL;
  (*choice)->csr = *csr; /* its arrays may have moved */
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_PLAN], 0, 0, 0, 0));
  ierr = build_chosen(*choice, plan);
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_PLAN], 0, 0, 0, 0));
  PetscCall(AutoCSRChoiceDestroy(choice));
  PetscCall(ierr);
  if (PetscDefined(USE_DEBUG)) PetscCall(AutoCSRPlanCheck(*plan, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRChoiceCopy(const AutoCSRChoice *choice, AutoCSRChoice **copy)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(1, copy));
  **copy                            = *choice;
  (*copy)->chooser.problem.csr      = &(*copy)->csr;
  (*copy)->chooser.problem.counted  = &(*copy)->chooser.counted;
  (*copy)->chooser.problem.settings = &(*copy)->settings;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_like_one_before(const AutoCSRCandidate candidate[], PetscInt k)
{
  for (PetscInt i = 0; i < k; i++) {
    if (candidate[i].first.strategy == candidate[k].first.strategy && (candidate[i].n_ranges > 1) == (candidate[k].n_ranges > 1)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode AutoCSRPlanBuildOther(AutoCSRChoice *choice, const AutoCSRMatrix *csr, PetscInt *k, AutoCSRPlan **plan)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *plan = NULL;
  do {
    if (++*k >= choice->n) PetscFunctionReturn(PETSC_SUCCESS);
  } while (is_like_one_before(choice->candidate, *k) || (choice->new_values && is_of_values(choice, *k)));
  choice->csr = *csr;
  PetscCall(PetscLogEventBegin(AutoCSREvents[AUTOCSR_EVENT_PLAN], 0, 0, 0, 0));
  ierr = AutoCSRCandidateBuild(&choice->chooser, &choice->candidate[*k], plan);
  if (!ierr) ierr = explain(&choice->chooser, choice->candidate, choice->n, *k, 0, *plan);
  PetscCall(PetscLogEventEnd(AutoCSREvents[AUTOCSR_EVENT_PLAN], 0, 0, 0, 0));
  PetscCall(ierr);
  if (PetscDefined(USE_DEBUG)) PetscCall(AutoCSRPlanCheck(*plan, csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanMake(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, AutoCSRPlan **plan, AutoCSRProfile **profile)
{
  AutoCSRChoice *choice;
  double         seconds;

  PetscFunctionBegin;
  *plan    = NULL;
  *profile = NULL;
  if (settings->rigor == MAT_AUTOCSR_RIGOR_NONE || !csr->m) { /* the fallback of liu2015, which needs no look at the matrix */
    PetscCall(make_unseen(csr, settings, "segsum", plan));
    if (csr->m) PetscCall(PetscStrncpy((*plan)->why, "segsum: rigor none looks at nothing", sizeof((*plan)->why)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRPlanLook(csr, settings, profile, &choice, NULL, NULL, &seconds));
  PetscCall(AutoCSRPlanBuild(&choice, csr, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}
