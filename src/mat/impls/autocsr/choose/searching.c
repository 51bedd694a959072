/* A block for search/: what graphs are predicted to take, and their plans, checked and timed */
#include "learned.h"
#include "search_state.h"
#include "../backend.h"
#include <petsctime.h>

typedef struct {
  AutoCSRChooser        *chooser;
  const AutoCSRStrategy *strategy; /* `graph` */
  AutoCSRSettings        settings; /* with the graph that is asked about */
  AutoCSROperands        op;       /* of memory of its own for x and y */
  PetscScalar           *y;        /* on the host: a product, */
  PetscScalar           *expected; /* what it should be, */
  PetscReal             *bound;    /* and by how much it may differ */
  AutoCSRSearchState      state;   /* where the search keeps how far it is */
  const AutoCSRCandidate *choice;  /* the library's, and the first start if a graph says it; */
  double                  seconds; /* else what was measured of it, or 0 */
} Search;

#define EPSILONS 450 /* of |A| |x|: 1e-13 in double */

/* x where the products run, and on the host the product, row by row */
static PetscErrorCode make_reference(Search *s)
{
  const AutoCSRMatrix *csr = s->chooser->problem.csr;
  AutoCSRMatrix        host;
  const PetscBool      on_host = (PetscBool)(csr->backend == &AutoCSRBackendHost);
  PetscScalar         *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(csr->n, &x));
  for (PetscInt j = 0; j < csr->n; j++) x[j] = 1 + (PetscReal)(j % 97) / 64;
  PetscCall((*csr->backend->from_host)((void *)s->op.x, x, (size_t)csr->n * sizeof(*x)));
  if (on_host)
    host = *csr;
  else
    PetscCall(AutoCSRMatrixCopy(csr, &AutoCSRBackendHost, &host));
  for (PetscInt i = 0; i < csr->m; i++) {
    PetscScalar sum   = 0;
    PetscReal   total = 0;

    for (PetscInt q = host.row_ptr[i]; q < host.row_ptr[i + 1]; q++) {
      sum += host.val[q] * x[host.col[q]];
      total += PetscAbsScalar(host.val[q]) * PetscAbsScalar(x[host.col[q]]);
    }
    s->expected[i] = sum;
    s->bound[i]    = EPSILONS * PETSC_MACHINE_EPSILON * total;
  }
  if (!on_host) PetscCall(AutoCSRMatrixCopyDestroy(&host));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The graph as a candidate; *seconds PETSC_MAX_REAL: it does not suit the matrix, no executor runs it, or there is no room */
static PetscErrorCode evaluate(Search *s, const char graph[], AutoCSRCandidate *candidate, AutoCSREvaluation *e, double *seconds)
{
  AutoCSRProblem *problem = &s->chooser->problem;
  AutoCSRAxes     axes;
  PetscInt        n;
  const char     *why;

  PetscFunctionBegin;
  *seconds          = PETSC_MAX_REAL;
  problem->settings = &s->settings;
  PetscCall(AutoCSRSettingsSetGraph(&s->settings, graph));
  PetscCall(s->strategy->variants(problem, 1, &axes, &n, &why));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRCostEvaluate(s->chooser, problem, s->strategy, &axes, e));
  *candidate = (AutoCSRCandidate){.seconds = e->seconds, .bytes = e->bytes, .n_ranges = 1, .first = {s->strategy, axes, problem->zone_begin, problem->zone_end}};
  if (AutoCSRCostScore(problem, e) < PETSC_MAX_REAL) *seconds = s->chooser->figures->machine.product + e->seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double log2_of(double number)
{
  return number > 1 ? log2(number) : 0;
}

/* Shares of the predicted seconds, by what leaves do */
static void set_features(const AutoCSRGraph *graph, const AutoCSREvaluation *e, double feature[AUTOCSR_SEARCH_FEATURES])
{
  for (int f = 0; f < AUTOCSR_SEARCH_FEATURES; f++) feature[f] = 0;
  feature[0]  = 1;
  feature[10] = graph->n / 8.0;
  for (PetscInt i = 0; i < graph->n; i++) {
    const AutoCSRLeaf *leaf   = &graph->leaf[i];
    const AutoCSRAxes *a      = &leaf->axes;
    const double       share  = e->segments == graph->n && e->seconds > 0 ? e->segment[i] / e->seconds : 1.0 / graph->n;
    const PetscBool    slices = (PetscBool)(a->mapping == AUTOCSR_MAP_SLICE), lanes = (PetscBool)(a->mapping == AUTOCSR_MAP_LANES);

    feature[1] += share * slices;
    feature[2] += share * slices * PetscMin(20, log2_of(a->sort_window)) / 16;
    feature[3] += share * (a->index == AUTOCSR_INDEX_16);
    feature[4] += share * (a->index == AUTOCSR_INDEX_FITTED);
    feature[5] += share * (a->value == AUTOCSR_VALUE_DICTIONARY);
    feature[6] += share * (a->value == AUTOCSR_VALUE_FLOAT32);
    feature[7] += share * lanes * log2_of(a->lanes) / 8;
    feature[8] += share * slices * log2_of(a->lanes) / 5;
    feature[9] += share * !(slices || lanes);
    feature[11] += share * (leaf->rows.shortest > 0 || leaf->rows.longest < PETSC_MAX_INT || a->sort_window > 1);
  }
}

static PetscErrorCode predict(void *ctx, const char graph[], double *seconds, double feature[AUTOCSR_SEARCH_FEATURES])
{
  Search           *s = (Search *)ctx;
  AutoCSRCandidate  candidate;
  AutoCSREvaluation e;
  AutoCSRGraph      parsed;

  PetscFunctionBegin;
  PetscCall(evaluate(s, graph, &candidate, &e, seconds));
  if (!(*seconds < PETSC_MAX_REAL)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRGraphParse(graph, &parsed));
  set_features(&parsed, &e, feature);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool is_close(PetscScalar a, PetscScalar b, PetscReal bound)
{
  if (PetscIsInfOrNanScalar(b)) return PetscIsInfOrNanScalar(a);
  return (PetscBool)(PetscAbsScalar(a - b) <= bound);
}

/* Whether the plan multiplies as it should */
static PetscErrorCode check_product(Search *s, const AutoCSRPlan *plan, PetscBool *good)
{
  const AutoCSRMatrix *csr = s->chooser->problem.csr;

  PetscFunctionBegin;
  PetscCall((*plan->backend->mult)(plan, &s->op));
  PetscCall((*plan->backend->to_host)(s->y, s->op.y, (size_t)csr->m * sizeof(*s->y)));
  *good = PETSC_TRUE;
  for (PetscInt i = 0; i < csr->m && *good; i++) *good = is_close(s->y[i], s->expected[i], s->bound[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *plan NULL: some kernel cannot be had */
static PetscErrorCode build_candidate(Search *s, const AutoCSRCandidate *candidate, AutoCSRPlan **plan)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRCandidateBuild(s->chooser, candidate, plan));
  if (s->chooser->refused[0]) PetscCall(AutoCSRPlanDestroy(plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build(Search *s, const char graph[], AutoCSRPlan **plan)
{
  AutoCSRCandidate  candidate;
  AutoCSREvaluation e;
  double            seconds;

  PetscFunctionBegin;
  *plan = NULL;
  PetscCall(evaluate(s, graph, &candidate, &e, &seconds));
  if (seconds < PETSC_MAX_REAL) PetscCall(build_candidate(s, &candidate, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_and_time(Search *s, const AutoCSRPlan *plan, const char graph[], double *seconds)
{
  AutoCSRClock clock = {0};
  PetscBool    good = PETSC_FALSE, done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(check_product(s, plan, &good));
  if (!good) PetscCall(PetscInfo(NULL, "Search: the product is wrong by %s\n", graph));
  while (good && !done) PetscCall(AutoCSRPlanTimeRound(plan, &s->op, &clock, &done));
  if (good) *seconds = clock.best;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To be out of memory is no error: the graph will not do */
static PetscErrorCode measure(void *ctx, const char graph[], double *seconds)
{
  Search        *s    = (Search *)ctx;
  AutoCSRPlan   *plan = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *seconds = PETSC_MAX_REAL;
  ierr     = build(s, graph, &plan);
  if (!ierr && plan) ierr = check_and_time(s, plan, graph, seconds);
  PetscCall(AutoCSRPlanDestroy(&plan));
  if (ierr == PETSC_ERR_MEM) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode recall(void *ctx, AutoCSRSearch *search)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRSearchStateRead(&((Search *)ctx)->state, search));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep(void *ctx, const AutoCSRSearch *search)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRSearchStateWrite(&((Search *)ctx)->state, search));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define STARTS AUTOCSR_MAX_CANDIDATES

/* Graphs of the best candidates; those that a graph does not say are left out, but for the first, which is timed */
static PetscErrorCode make_starts(Search *s, PetscInt n, const AutoCSRCandidate candidate[], char text[][AUTOCSR_GRAPH_LENGTH], const char *start[], PetscInt *n_start)
{
  PetscFunctionBegin;
  *n_start  = 0;
  s->choice = candidate;
  for (PetscInt i = 0; i < n; i++) {
    AutoCSRPlan   *plan = NULL;
    PetscErrorCode ierr = AutoCSRCandidateBuild(s->chooser, &candidate[i], &plan);

    if (!ierr && plan->n_segments <= AUTOCSR_MAX_LEAVES) {
      PetscCall(AutoCSRGraphPrint(plan, AUTOCSR_GRAPH_LENGTH, text[*n_start]));
      if (!strstr(text[*n_start], "...")) {
        start[*n_start] = text[*n_start];
        ++*n_start;
      }
    }
    if (!ierr && s->choice == &candidate[i] && *n_start == 0) {
      ierr       = AutoCSRPlanTime(plan, s->chooser->problem.csr, PETSC_FALSE);
      s->seconds = plan->measured;
    }
    PetscCall(AutoCSRPlanDestroy(&plan));
    if (ierr != PETSC_ERR_MEM) PetscCall(ierr);
    if (ierr && s->choice == &candidate[i] && i + 1 < n) s->choice++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether kernels can be compiled at run time: rows in place may have thread blocks of another size then */
static PetscErrorCode may_generate(const AutoCSRProblem *problem, PetscBool *may)
{
  const AutoCSRAxes      axes = {.mapping = AUTOCSR_MAP_LANES, .lanes = 8, .slice_height = 1, .row_group = 1, .block = 1, .reduction = AUTOCSR_REDUCE_TREE, .threads = 128, .generated = 1};
  const AutoCSRExecutor *executor = NULL;

  PetscFunctionBegin;
  if (problem->csr->backend->prepare) PetscCall((*problem->csr->backend->find_executor)(&axes, problem->settings->simd, &executor));
  *may = (PetscBool)(executor != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The best graph's plan, or that of the library's choice, which is named by its strategy */
static PetscErrorCode build_best(Search *s, const AutoCSRSearch *search, const char best[], double seconds, double took, AutoCSRPlan **plan)
{
  const double    before = s->seconds > 0 ? s->seconds : search->first;
  const PetscBool stays  = (PetscBool)(s->seconds > 0 ? s->seconds <= seconds : !search->best);
  const char     *name   = s->choice->n_ranges > 1 ? "row ranges" : s->choice->first.strategy->name;
  char            versus[64];

  PetscFunctionBegin;
  if (stays)
    PetscCall(build_candidate(s, s->choice, plan));
  else
    PetscCall(build(s, best, plan));
  if (!*plan) PetscFunctionReturn(PETSC_SUCCESS);
  (*plan)->measured = stays ? before : seconds;
  PetscCall(AutoCSRPlanTimeSegments(*plan, &s->op));
  if (stays)
    PetscCall(PetscSNPrintf(versus, sizeof(versus), "the choice, %s, stays", name));
  else
    PetscCall(PetscSNPrintf(versus, sizeof(versus), "measured %.3gx as fast as the choice, %s", before / seconds, name));
  PetscCall(PetscSNPrintf((*plan)->why, sizeof((*plan)->why), "search: %" PetscInt_FMT " graphs in %.3g s, %" PetscInt_FMT " of them run%s; %s", search->n, took, search->n_measured, search->n_recalled ? " (some by an earlier run)" : "", versus));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* text: room for the graphs of the candidates */
static PetscErrorCode run_search(Search *s, PetscInt n, const AutoCSRCandidate candidate[], double limit, PetscBool monitor, char text[][AUTOCSR_GRAPH_LENGTH], AutoCSRPlan **plan)
{
  const AutoCSRProblem *problem = &s->chooser->problem;
  const AutoCSRSettings *settings = problem->settings;
  const AutoCSRSearched asked   = {s, predict, measure, recall, keep};
  AutoCSRSearch         search  = {.csr = problem->csr, .profile = problem->profile, .parallel = problem->parallel, .asked = &asked, .monitor = monitor, .without = problem->settings->search_without, .seconds = limit};
  char           best[AUTOCSR_GRAPH_LENGTH];
  const char    *start[STARTS + 1];
  PetscInt       n_start;
  PetscLogDouble end;
  double         seconds;

  PetscFunctionBegin;
  PetscCall(make_starts(s, PetscMin(n, STARTS), candidate, text, start, &n_start));
  if (settings->graph[0]) start[n_start++] = settings->graph;
  PetscCall(AutoCSRSearchStateBegin(problem->csr, settings, &s->state));
  if (!(search.without & AUTOCSR_SEARCH_GENERATOR)) PetscCall(may_generate(problem, &search.generates));
  PetscCall(AutoCSRSearchRun(&search, n_start, start, best, &seconds));
  PetscCall(PetscTime(&end));
  s->chooser->problem.settings = settings;
  if (best[0]) PetscCall(build_best(s, &search, best, seconds, end - search.begin, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanSearch(AutoCSRChooser *chooser, PetscInt n, const AutoCSRCandidate candidate[], double limit, PetscBool monitor, AutoCSRPlan **plan)
{
  const AutoCSRMatrix   *csr      = chooser->problem.csr;
  const AutoCSRSettings *settings = chooser->problem.settings;
  Search                 s        = {.chooser = chooser, .settings = *settings, .op = {.csr = csr}};
  PetscScalar           *memory   = NULL;
  PetscErrorCode         ierr;
  char (*text)[AUTOCSR_GRAPH_LENGTH] = NULL;

  PetscFunctionBegin;
  *plan            = NULL;
  s.settings.index = MAT_AUTOCSR_INDEX_AUTO;
  s.settings.value = MAT_AUTOCSR_VALUE_AUTO;
  PetscCall(AutoCSRStrategyFind("graph", &s.strategy));
  ierr = PetscMalloc3(csr->m, &s.y, csr->m, &s.expected, csr->m, &s.bound);
  if (!ierr) ierr = PetscMalloc1(STARTS, &text);
  if (!ierr) ierr = (*csr->backend->allocate)(((size_t)csr->n + csr->m) * sizeof(*memory), (void **)&memory);
  if (!ierr) {
    s.op.x = memory;
    s.op.y = memory + csr->n;
    ierr   = make_reference(&s);
  }
  if (!ierr) ierr = run_search(&s, n, candidate, limit, monitor, text, plan);
  chooser->problem.settings = settings;
  if (ierr) PetscCall(AutoCSRPlanDestroy(plan));
  if (memory) PetscCall((*csr->backend->deallocate)(memory));
  PetscCall(PetscFree(text));
  PetscCall(PetscFree3(s.y, s.expected, s.bound));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
