/* The three levels of the search, within its time */
#include "search.h"
#include <petsctime.h>

#define ENUMERATE 0.4  /* shares of the time that have gone when structures have been enumerated and run, */
#define ANNEAL    0.75 /* when they have been annealed, */
#define PROPOSE   0.92 /* and when the surrogate's proposals have been run; the rest is for the finalists */
#define HOPELESS  1.6  /* what is expected to take longer than so many times the best is not run, */
#define DARING    16   /* but for one of so many, while structures are annealed: expectations may be wrong */
#define PROPOSALS 64   /* of a round of the surrogate */
#define RUN       12   /* of these are run */
#define FINALISTS 4
#define FINAL     3    /* times that a finalist is timed again */
#define GAIN      0.98 /* share of the library's choice that a graph must take less than: it is built and kept for less */
#define TELL      5.0  /* seconds between two lines of the monitor */
#define KEEP      0.02 /* share of the time between two times that the state is kept: what a kill costs at most */
#define STALE     400  /* moves in a row that lead to nothing new end a level; */
#define STUCK     40   /* after so many it goes on from another of the best few */
#define FEW       12
#define LEARN     8 /* graphs are run between two lessons of the surrogate */

double AutoCSRSearchElapsed(const AutoCSRSearch *s)
{
  PetscLogDouble now = 0;

  (void)PetscTime(&now);
  return now - s->begin;
}

/* Graphs that are expected to take longer than so many times the best are not run */
static double hopeless(const AutoCSRSearch *s)
{
  return s->without & AUTOCSR_SEARCH_PRUNING ? PETSC_MAX_REAL : HOPELESS;
}

static PetscBool is_over(const AutoCSRSearch *s, double share)
{
  return (PetscBool)(AutoCSRSearchElapsed(s) > share * s->seconds || s->n >= AUTOCSR_SEARCH_TRIED);
}

static PetscErrorCode tell(AutoCSRSearch *s, PetscBool always)
{
  const double now = AutoCSRSearchElapsed(s);

  PetscFunctionBegin;
  if (!s->monitor || s->best < 0 || (!always && now - s->told < TELL)) PetscFunctionReturn(PETSC_SUCCESS);
  s->told = now;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "autocsr search: %.0f of %.0f s, %" PetscInt_FMT " graphs, %" PetscInt_FMT " run, %" PetscInt_FMT " would not do; best %.3g us, %.2fx as fast as the choice\n", now, s->seconds, s->n, s->n_measured, s->n_wrong, 1e6 * s->tried[s->best].measured, s->tried[0].measured / s->tried[s->best].measured));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode keep(AutoCSRSearch *s, PetscBool always)
{
  const double now = AutoCSRSearchElapsed(s);

  PetscFunctionBegin;
  if (!s->asked->keep || (!always && now - s->kept < KEEP * s->seconds)) PetscFunctionReturn(PETSC_SUCCESS);
  s->kept = now;
  PetscCall((*s->asked->keep)(s->asked->ctx, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The graph among those tried; *k -1: it does not suit, or there is no room */
static PetscErrorCode find(AutoCSRSearch *s, const char graph[], PetscInt *k, PetscBool *is_new)
{
  AutoCSRTried *t;

  PetscFunctionBegin;
  *is_new = PETSC_FALSE;
  PetscCall(PetscHMapGraphGet(s->place, graph, k));
  if (*k >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->n == AUTOCSR_SEARCH_TRIED) PetscFunctionReturn(PETSC_SUCCESS);
  t       = &s->tried[s->n];
  *t      = (AutoCSRTried){.measured = 0};
  *is_new = PETSC_TRUE;
  PetscCall((*s->asked->predict)(s->asked->ctx, graph, &t->predicted, t->feature));
  PetscCall(PetscStrallocpy(graph, &t->graph));
  *k = s->n++;
  PetscCall(PetscHMapGraphSet(s->place, t->graph, *k));
  if (!(t->predicted < PETSC_MAX_REAL)) { /* banned */
    t->measured = PETSC_MAX_REAL;
    s->n_wrong++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(AutoCSRSearch *s, PetscInt k)
{
  AutoCSRTried *t = &s->tried[k];

  PetscFunctionBegin;
  if (t->measured > 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*s->asked->measure)(s->asked->ctx, t->graph, &t->measured));
  if (++s->n_measured % LEARN == 0) AutoCSRSearchLearn(s);
  if (t->measured == PETSC_MAX_REAL) s->n_wrong++;
  if (t->measured < PETSC_MAX_REAL && (s->best < 0 || t->measured < s->tried[s->best].measured)) {
    s->best = k;
    PetscCall(PetscInfo(NULL, "Search: %g us by %s\n", 1e6 * t->measured, t->graph));
  }
  PetscCall(tell(s, PETSC_FALSE));
  PetscCall(keep(s, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The choice is run again if an earlier run banned it: nothing is searched without it */
PetscErrorCode AutoCSRSearchRecall(AutoCSRSearch *s, const char graph[], double measured)
{
  PetscInt  k;
  PetscBool is_new;

  PetscFunctionBegin;
  PetscCall(find(s, graph, &k, &is_new));
  if (k < 0 || s->tried[k].measured > 0 || (k == 0 && measured == PETSC_MAX_REAL)) PetscFunctionReturn(PETSC_SUCCESS);
  s->tried[k].measured = measured;
  s->n_measured++;
  s->n_recalled++;
  if (measured == PETSC_MAX_REAL)
    s->n_wrong++;
  else if (s->best < 0 || measured < s->tried[s->best].measured)
    s->best = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_graph(AutoCSRSearch *s, const AutoCSRGraph *graph, PetscInt *k, PetscBool *is_new)
{
  char text[AUTOCSR_GRAPH_LENGTH];

  PetscFunctionBegin;
  *k      = -1;
  *is_new = PETSC_FALSE;
  PetscCall(AutoCSRGraphWrite(graph, s->csr->m, sizeof(text), text));
  if (!strstr(text, "...")) PetscCall(find(s, text, k, is_new));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The graph of the k-th that was tried */
static PetscErrorCode graph_of(const AutoCSRSearch *s, PetscInt k, AutoCSRGraph *graph)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRGraphParse(s->tried[k].graph, graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Level 1 and 2: structures, each with coarse numbers */

/* Rows up to an edge one way, longer ones another way, those without entries apart if there are any */
static PetscErrorCode add_divided(AutoCSRSearch *s, PetscInt edge, const AutoCSRAxes *shorter, const AutoCSRAxes *longer)
{
  AutoCSRGraph graph = {.n = 0};
  PetscInt     k, least = 0;
  PetscBool    is_new;

  PetscFunctionBegin;
  if (s->profile->empty_rows) {
    least                   = 1;
    graph.leaf[graph.n++] = (AutoCSRLeaf){.rows = {.end = s->csr->m}, .axes = {.mapping = AUTOCSR_MAP_EMPTY}};
  }
  if (longer) {
    graph.leaf[graph.n++] = (AutoCSRLeaf){.rows = {.end = s->csr->m, .shortest = edge, .longest = PETSC_MAX_INT}, .axes = *longer};
    if (edge <= least) PetscFunctionReturn(PETSC_SUCCESS);
  }
  graph.leaf[graph.n++] = (AutoCSRLeaf){.rows = {.end = s->csr->m, .shortest = least, .longest = longer ? edge - 1 : PETSC_MAX_INT}, .axes = *shorter};
  PetscCall(find_graph(s, &graph, &k, &is_new));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode enumerate(AutoCSRSearch *s)
{
  static const PetscInt    windows[]  = {256, 4096, PETSC_MAX_INT};
  static const char *const in_place[] = {"nnz_block", "merge_block", "rows_in_block", "row_fetch", "products"};
  const AutoCSRIndex    index     = s->csr->n <= 65536 ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32;
  PetscInt              first, k, n = AutoCSRSearchEdges(s, &first);
  PetscBool             is_new;

  PetscFunctionBegin;
  for (PetscInt w = 0; w < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(windows); w++) {
    AutoCSRAxes slices, lanes;

    if (w && windows[w - 1] >= s->csr->m) break;
    AutoCSRSearchSlices(s, windows[w], index, &slices);
    PetscCall(add_divided(s, 0, &slices, NULL));
    for (PetscInt e = 0; e < n && !is_over(s, ENUMERATE); e++) {
      for (PetscInt l = s->parallel ? 4 : 1; l <= (s->parallel ? 1024 : 16); l *= 4) {
        AutoCSRSearchLanes(s, l, &lanes);
        PetscCall(add_divided(s, AutoCSRSearchEdge(first + e), &slices, &lanes));
      }
    }
  }
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(in_place) && s->parallel; t++) PetscCall(find(s, in_place[t], &k, &is_new));
  for (PetscInt l = 1; l <= (s->parallel ? 256 : 16) && !is_over(s, ENUMERATE); l *= 2) {
    AutoCSRAxes lanes;

    AutoCSRSearchLanes(s, l, &lanes);
    PetscCall(add_divided(s, 0, &lanes, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first graphs once more, with what their kernels may have as constants */
static PetscErrorCode add_constants(AutoCSRSearch *s, PetscInt n_start, const char *const start[])
{
  PetscFunctionBegin;
  for (PetscInt from = 0; from < n_start && s->generates; from++) {
    AutoCSRGraph graph;
    PetscInt     k;
    PetscBool    is_new;

    PetscCall(AutoCSRGraphParse(start[from], &graph));
    for (PetscInt most = 1; most <= 2; most++) {
      for (PetscInt i = 0; i < graph.n; i++) graph.leaf[i].axes.constants = PetscMin(most, AutoCSRSearchConstants(s, &graph.leaf[i].axes));
      PetscCall(find_graph(s, &graph, &k, &is_new));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The one of those not run that is expected to be the fastest; -1: none is worth it */
static PetscInt most_promising(const AutoCSRSearch *s)
{
  PetscInt best = -1;
  double   least = s->best < 0 ? PETSC_MAX_REAL : hopeless(s) * s->tried[s->best].measured;

  for (PetscInt k = 0; k < s->n; k++) {
    const double expected = s->tried[k].measured > 0 ? PETSC_MAX_REAL : AutoCSRSearchExpect(s, &s->tried[k]);

    if (expected < least) {
      least = expected;
      best  = k;
    }
  }
  return best;
}

static PetscErrorCode run_enumerated(AutoCSRSearch *s)
{
  PetscInt k;

  PetscFunctionBegin;
  while (!is_over(s, ENUMERATE) && (k = most_promising(s)) >= 0) PetscCall(run(s, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The k-th fastest, from 0 on; -1: there are fewer */
static PetscInt ranked(const AutoCSRSearch *s, PetscInt rank)
{
  double   above = 0;
  PetscInt found = -1;

  for (; rank >= 0; rank--) {
    double least = PETSC_MAX_REAL;

    found = -1;
    for (PetscInt k = 0; k < s->n; k++) {
      if (s->tried[k].measured > above && s->tried[k].measured < least) {
        least = s->tried[k].measured;
        found = k;
      }
    }
    if (found < 0) return -1;
    above = least;
  }
  return found;
}

/* From the best on, worse ones are accepted the less often the later it is */
static PetscErrorCode anneal(AutoCSRSearch *s)
{
  PetscInt     stale = 0, at = s->best;
  AutoCSRGraph graph, next;

  PetscFunctionBegin;
  PetscCall(graph_of(s, at, &graph));
  while (!is_over(s, ANNEAL) && stale < STALE) {
    const double heat = 0.2 * PetscMax(0.02, 1 - AutoCSRSearchElapsed(s) / (ANNEAL * s->seconds));
    PetscInt     k;
    PetscBool    is_new;
    double       worse;

    AutoCSRSearchMove(s, &graph, &next);
    PetscCall(find_graph(s, &next, &k, &is_new));
    stale = is_new ? 0 : stale + 1;
    if (stale % STUCK == STUCK - 1 || AutoCSRSearchDraw(s, FEW * FEW) == 0) {
      const PetscInt other = ranked(s, AutoCSRSearchDraw(s, FEW));

      at = other < 0 ? s->best : other;
      PetscCall(graph_of(s, at, &graph));
      continue;
    }
    if (k < 0 || s->tried[k].measured == PETSC_MAX_REAL || (AutoCSRSearchExpect(s, &s->tried[k]) > hopeless(s) * s->tried[s->best].measured && AutoCSRSearchDraw(s, DARING))) continue;
    PetscCall(run(s, k));
    worse = log(s->tried[k].measured / s->tried[at].measured);
    if (s->tried[k].measured < PETSC_MAX_REAL && (worse <= 0 || AutoCSRSearchDraw(s, 1 << 20) < exp(-worse / heat) * (1 << 20))) {
      at = k;
      PetscCall(graph_of(s, at, &graph));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Level 3: the surrogate's proposals around the best few */

static PetscErrorCode propose(AutoCSRSearch *s)
{
  PetscInt stale = 0;

  PetscFunctionBegin;
  while (!is_over(s, PROPOSE) && stale < 4) {
    const PetscInt from = s->n;

    AutoCSRSearchLearn(s);
    for (PetscInt p = 0; p < PROPOSALS && !is_over(s, PROPOSE); p++) {
      const PetscInt near = ranked(s, AutoCSRSearchDraw(s, FINALISTS));
      AutoCSRGraph   graph, next;
      PetscInt       k;
      PetscBool      is_new;

      if (near < 0) continue;
      PetscCall(graph_of(s, near, &graph));
      AutoCSRSearchMove(s, &graph, &next);
      if (AutoCSRSearchDraw(s, 2)) {
        graph = next;
        AutoCSRSearchMove(s, &graph, &next);
      }
      PetscCall(find_graph(s, &next, &k, &is_new));
    }
    stale = s->n > from ? 0 : stale + 1;
    for (PetscInt r = 0; r < RUN && !is_over(s, PROPOSE); r++) {
      const PetscInt k = most_promising(s);

      if (k < 0) break;
      PetscCall(run(s, k));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fastest few and the library's choice once more, in turn: a short time may have been luck */
static PetscErrorCode run_finalists(AutoCSRSearch *s)
{
  PetscInt k[FINALISTS + 1], n = 0;
  double   seconds[FINALISTS + 1];

  PetscFunctionBegin;
  k[n++] = 0;
  for (PetscInt r = 0; r < FINALISTS; r++) {
    const PetscInt next = ranked(s, r);

    if (next > 0) k[n++] = next;
  }
  for (PetscInt i = 0; i < n; i++) seconds[i] = 0;
  for (int round = 0; round < FINAL; round++) {
    for (PetscInt i = 0; i < n; i++) {
      double again;

      PetscCall((*s->asked->measure)(s->asked->ctx, s->tried[k[i]].graph, &again));
      seconds[i] = PetscMax(seconds[i], again); /* luck does not come three times */
    }
  }
  s->first = seconds[0];
  s->best  = 0;
  for (PetscInt i = 0; i < n; i++) {
    s->tried[k[i]].measured = seconds[i];
    if (i && seconds[i] < GAIN * seconds[0] && (s->best == 0 || seconds[i] < s->tried[s->best].measured)) s->best = k[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_levels(AutoCSRSearch *s, PetscInt n_start, const char *const start[], char best[], double *best_seconds)
{
  PetscInt  k;
  PetscBool is_new;

  PetscFunctionBegin;
  if (n_start) PetscCall(find(s, start[0], &k, &is_new)); /* the choice is the first */
  if (n_start && s->asked->recall) PetscCall((*s->asked->recall)(s->asked->ctx, s));
  if (s->n_recalled) AutoCSRSearchLearn(s);
  s->kept = AutoCSRSearchElapsed(s);
  for (PetscInt i = 0; i < n_start; i++) {
    PetscCall(find(s, start[i], &k, &is_new));
    if (k >= 0) PetscCall(run(s, k));
  }
  if (!s->n || s->tried[0].measured == PETSC_MAX_REAL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(add_constants(s, n_start, start));
  PetscCall(enumerate(s));
  PetscCall(run_enumerated(s));
  PetscCall(anneal(s));
  PetscCall(propose(s));
  PetscCall(keep(s, PETSC_TRUE));
  PetscCall(run_finalists(s));
  PetscCall(tell(s, PETSC_TRUE));
  PetscCall(PetscStrncpy(best, s->tried[s->best].graph, AUTOCSR_GRAPH_LENGTH));
  *best_seconds = s->tried[s->best].measured;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRSearchRun(AutoCSRSearch *s, PetscInt n_start, const char *const start[], char best[], double *best_seconds)
{
  PetscLogDouble now;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  s->begin  = now;
  s->random = 88172645463325252ull;
  s->best   = -1;
  best[0]   = 0;
  PetscCall(PetscMalloc1(AUTOCSR_SEARCH_TRIED, &s->tried));
  ierr = PetscHMapGraphCreate(&s->place);
  if (!ierr) ierr = run_levels(s, n_start, start, best, best_seconds);
  PetscCall(PetscHMapGraphDestroy(&s->place));
  for (PetscInt k = 0; k < s->n; k++) PetscCall(PetscFree(s->tried[k].graph));
  PetscCall(PetscFree(s->tried));
  PetscCall(ierr); /* there may be no memory */
  PetscFunctionReturn(PETSC_SUCCESS);
}
