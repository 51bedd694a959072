static char help[] = "The search for a graph: it finds the fastest of a made-up machine, counts none whose product is wrong, ends in time; and matrices multiply as plain AIJ does by what it finds.\n\
  -part <0> : 0 a made-up machine, 1 matrices, 2 an error, 3 other settings beside the search, 4 the monitor\n\n";

#include "../../src/mat/impls/autocsr/search/search.h"
#include "../../src/mat/impls/autocsr/backend.h"
#include "../../src/mat/impls/autocsr/seq/seqautocsr.h"
#include <petscautocsr.h>
#include <petsctime.h>
#include "../generate.h"

/* ---- A made-up machine: seconds by the leaves of a graph, the best known. It predicts that lanes cost nothing */

typedef struct {
  PetscInt runs, wrong, slow; /* slow: runs of graphs with 4 lanes */
  PetscBool misled;           /* predicts that graphs with 4 lanes take twenty times as long */
  PetscBool near; /* entries near the diagonal apart from the others are faster, those up to 4096 columns most of all */
  char     forbidden[32]; /* graphs with this are fast, but their products are wrong */
} Machine;

/* Two leaves that meet at 48 entries, of slices in windows of 1024 rows and of 64 lanes, are the fastest: 1 us */
static double SecondsOf(const AutoCSRGraph *graph, PetscBool near)
{
  double us = graph->n == 2 ? 1 : 1.6;

  if (graph->leaf[0].rows.nearness) us += near ? (graph->leaf[0].rows.reach == 4096 ? -0.5 : -0.2) : 0.5;

  for (PetscInt i = 0; i < graph->n; i++) {
    const AutoCSRLeaf *leaf = &graph->leaf[i];

    if (leaf->axes.mapping == AUTOCSR_MAP_SLICE) {
      us += leaf->axes.sort_window == 1024 ? 0 : 0.1;
      us += leaf->rows.shortest ? 0.5 : 0;
    } else
      us += 0.05 * PetscAbs(6 - (int)log2(PetscMax(1, leaf->axes.lanes)));
    if (graph->n == 2 && leaf->rows.shortest) us += 0.02 * PetscAbs(48 - leaf->rows.shortest);
  }
  return 1e-6 * us;
}

static PetscErrorCode Predict(void *ctx, const char graph[], double *seconds, double feature[AUTOCSR_SEARCH_FEATURES])
{
  AutoCSRGraph g;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRGraphParse(graph, &g));
  for (int f = 0; f < AUTOCSR_SEARCH_FEATURES; f++) feature[f] = 0;
  feature[0] = 1;
  for (PetscInt i = 0; i < g.n; i++) feature[1] += g.leaf[i].axes.mapping == AUTOCSR_MAP_LANES ? log2(PetscMax(1, g.leaf[i].axes.lanes)) : 0;
  *seconds = 0.5e-6 * (g.n + 2) * (((Machine *)ctx)->misled && strstr(graph, "lanes=4)") ? 20 : 1);
  if (strstr(graph, "index=fitted")) *seconds = PETSC_MAX_REAL; /* no executor runs it */
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Measure(void *ctx, const char graph[], double *seconds)
{
  Machine     *m = (Machine *)ctx;
  AutoCSRGraph g;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRGraphParse(graph, &g));
  m->runs++;
  m->slow += strstr(graph, "lanes=4)") != NULL;
  *seconds = SecondsOf(&g, m->near);
  if (m->forbidden[0] && strstr(graph, m->forbidden)) {
    m->wrong++;
    *seconds = PETSC_MAX_REAL;
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckMachine(const char forbidden[], PetscBool near, double limit, double most, const char *const start[], PetscInt n_start)
{
  const AutoCSRMatrix   csr     = {.m = 100000, .n = 100000, .nnz = 1000000};
  const AutoCSRProfile  profile = {.m = 100000, .n = 100000, .nnz = 1000000, .max_length = 5000, .empty_rows = 0, .values = AUTOCSR_MAX_DISTINCT + 1};
  Machine               machine = {.near = near};
  const AutoCSRSearched asked   = {&machine, Predict, Measure};
  AutoCSRSearch         search  = {.csr = &csr, .profile = &profile, .parallel = PETSC_TRUE, .asked = &asked, .seconds = limit};
  char                  best[AUTOCSR_GRAPH_LENGTH];
  double                seconds = 0;
  PetscLogDouble        begin, end;
  AutoCSRGraph          graph;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(machine.forbidden, forbidden, sizeof(machine.forbidden)));
  PetscCall(PetscTime(&begin));
  PetscCall(AutoCSRSearchRun(&search, n_start, start, best, &seconds));
  PetscCall(PetscTime(&end));
  PetscCheck(end - begin < 3 * limit + 20, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A search of %g s took %g", limit, end - begin);
  PetscCall(AutoCSRGraphParse(best, &graph));
  PetscCheck(PetscAbs(SecondsOf(&graph, near) - seconds) < 1e-12, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s takes %g s, not %g", best, SecondsOf(&graph, near), seconds);
  PetscCheck(seconds <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The best of %" PetscInt_FMT " runs takes %g us, more than %g: %s", machine.runs, 1e6 * seconds, 1e6 * most, best);
  PetscCheck(!forbidden[0] || (machine.wrong > 0 && !strstr(best, forbidden)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Of %" PetscInt_FMT " wrong ones one won: %s", machine.wrong, best);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Without pruning what is expected to be slow is run as often as anything; without the surrogate nothing is learned */
static PetscErrorCode CheckParts(void)
{
  const AutoCSRMatrix  csr     = {.m = 100000, .n = 100000, .nnz = 1000000};
  const AutoCSRProfile profile = {.m = 100000, .n = 100000, .nnz = 1000000, .max_length = 5000, .values = AUTOCSR_MAX_DISTINCT + 1};
  const char *const    start[] = {"compress row_block(lanes=2)"};
  char                 best[AUTOCSR_GRAPH_LENGTH];
  double               seconds, share[3];

  PetscFunctionBeginUser;
  for (PetscInt without = 0; without <= AUTOCSR_SEARCH_SURROGATE; without++) {
    Machine               machine = {.misled = PETSC_TRUE};
    const AutoCSRSearched asked   = {&machine, Predict, Measure};
    AutoCSRSearch         search  = {.csr = &csr, .profile = &profile, .parallel = PETSC_TRUE, .asked = &asked, .seconds = 0.5, .without = without};

    PetscCall(AutoCSRSearchRun(&search, 1, start, best, &seconds));
    share[without] = (double)machine.slow / machine.runs;
    PetscCheck(search.learned == (without != AUTOCSR_SEARCH_SURROGATE), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Without %" PetscInt_FMT ": the surrogate has%s learned", without, search.learned ? "" : " not");
  }
  PetscCheck(share[AUTOCSR_SEARCH_PRUNING] > 2 * share[0], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Of the runs %g had four lanes, without pruning %g", share[0], share[AUTOCSR_SEARCH_PRUNING]);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckMachines(void)
{
  const char *const start[] = {"compress row_block(lanes=2)", "compress nnz_block"}, *const fastest[] = {"bin(0:47) sort_sub(window=1024) compress bmtb_pad slice_block; bin(48:) compress row_block(lanes=64)"};
  char              best[AUTOCSR_GRAPH_LENGTH];
  double            seconds;
  AutoCSRSearch     search = {.seconds = 1};

  PetscFunctionBeginUser;
  PetscCall(CheckMachine("", PETSC_FALSE, 1, 1.15e-6, start, 2));
  PetscCall(CheckMachine("sort_sub(window=1024)", PETSC_FALSE, 1, 1.35e-6, start, 2));
  PetscCall(CheckMachine("", PETSC_TRUE, 1, 0.75e-6, start, 2)); /* 0.5 is the best */
  PetscCall(CheckMachine("", PETSC_FALSE, 0.01, 1.9e-6, start, 2));   /* no time for more than a few */
  PetscCall(CheckMachine("", PETSC_FALSE, 0.1, 1.000001e-6, fastest, 1)); /* the choice stays */
  PetscCall(CheckParts());
  PetscCall(AutoCSRSearchRun(&search, 0, NULL, best, &seconds));
  PetscCheck(!best[0], PETSC_COMM_SELF, PETSC_ERR_PLIB, "A search from nothing finds %s", best);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The search finds what is there\n"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- The monitor */

typedef struct {
  double    now, all, us, gain;
  long long graphs, run, wrong;
} Told;

/* The line, and nothing else */
static PetscErrorCode ParseTold(const char line[], Told *t)
{
  int end = 0;

  PetscFunctionBeginUser;
  PetscCheck(sscanf(line, "autocsr search: %lf of %lf s, %lld graphs, %lld run, %lld would not do; best %lf us, %lfx as fast as the choice\n%n", &t->now, &t->all, &t->graphs, &t->run, &t->wrong, &t->us, &t->gain, &end) == 7 && end && !line[end], PETSC_COMM_SELF, PETSC_ERR_PLIB, "The monitor says \"%s\"", line);
  PetscCheck(t->now >= 0 && t->graphs >= t->run && t->graphs >= t->wrong && t->run > 0 && t->wrong >= 0 && t->us > 0 && t->gain > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The monitor says \"%s\"", line);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Lines that were printed to the file, which is closed: each has done more than the one before; *last: of `n` */
static PetscErrorCode ReadTold(FILE *file, double all, Told *last, PetscInt *n)
{
  char line[512];

  PetscFunctionBeginUser;
  rewind(file);
  for (*n = 0; fgets(line, sizeof(line), file); ++*n) {
    Told next;

    PetscCall(ParseTold(line, &next));
    PetscCheck(PetscAbs(next.all - all) <= 0.5, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Of a search of %g s the monitor says \"%s\"", all, line);
    PetscCheck(!*n || (next.now >= last->now && next.graphs >= last->graphs && next.run >= last->run), PETSC_COMM_SELF, PETSC_ERR_PLIB, "After %lld graphs the monitor says \"%s\"", last->graphs, line);
    *last = next;
  }
  fclose(file);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A search of the made-up machine tells when it was told last long ago, and at its end; that of a matrix by the option, and the view says the same */
static PetscErrorCode CheckMonitor(PetscReal limit)
{
  const AutoCSRMatrix   csr     = {.m = 100000, .n = 100000, .nnz = 1000000};
  const AutoCSRProfile  profile = {.m = 100000, .n = 100000, .nnz = 1000000, .max_length = 5000, .values = AUTOCSR_MAX_DISTINCT + 1};
  const char *const     start[] = {"compress row_block(lanes=2)"};
  Machine               machine = {.runs = 0};
  const AutoCSRSearched asked   = {&machine, Predict, Measure};
  AutoCSRSearch         search  = {.csr = &csr, .profile = &profile, .parallel = PETSC_TRUE, .asked = &asked, .seconds = limit, .monitor = PETSC_TRUE, .told = -1000};
  FILE                 *out     = PETSC_STDOUT, *file;
  char                  best[AUTOCSR_GRAPH_LENGTH];
  double                seconds;
  long long             graphs, run;
  const char           *why;
  AutoCSRContext       *ctx;
  PetscInt              n;
  Told                  last;
  Mat                   A;
  Vec                   x, y;

  PetscFunctionBeginUser;
  PetscCheck((file = tmpfile()), PETSC_COMM_SELF, PETSC_ERR_SYS, "No file for what is told");
  PETSC_STDOUT = file;
  PetscCall(AutoCSRSearchRun(&search, 1, start, best, &seconds));
  PETSC_STDOUT = out;
  PetscCall(ReadTold(file, limit, &last, &n));
  PetscCheck(n == 2 && last.graphs == search.n && last.run == search.n_measured && last.wrong == search.n_wrong, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " lines, the last of %lld graphs, %lld run, %lld that would not do; they are %" PetscInt_FMT ", %" PetscInt_FMT " and %" PetscInt_FMT, n, last.graphs, last.run, last.wrong, search.n, search.n_measured, search.n_wrong);
  PetscCheck(PetscAbs(last.us - 1e6 * seconds) <= 0.01 * last.us && PetscAbs(last.gain - search.first / seconds) <= 0.01, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%g us, %gx, not %g and %g", last.us, last.gain, 1e6 * seconds, search.first / seconds);

  PetscCall(MatrixCreate(&generators[4], MATAUTOCSR, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCheck((file = tmpfile()), PETSC_COMM_SELF, PETSC_ERR_SYS, "No file for what is told");
  PETSC_STDOUT = file;
  PetscCall(MatMult(A, x, y));
  PETSC_STDOUT = out;
  PetscCall(ReadTold(file, limit, &last, &n));
  PetscCall(AutoCSRContextGet(A, &ctx));
  why = strstr(ctx->planned.plan->why, "search: ");
  PetscCheck(n >= 1 && why && sscanf(why, "search: %lld graphs in %*f s, %lld of them run", &graphs, &run) == 2 && graphs == last.graphs && run == last.run, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " lines, the last of %lld graphs, %lld run; but %s", n, last.graphs, last.run, ctx->planned.plan->why);
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The monitor tells what is done\n"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Matrices */

/* Segments are measured, as the plan is; where the library's choice stays, the view says so, and the plan has that strategy */
static PetscErrorCode CheckTold(Mat A, const char context[])
{
  AutoCSRContext    *ctx;
  const AutoCSRPlan *plan;
  char               stays[64];

  PetscFunctionBeginUser;
  PetscCall(AutoCSRContextGet(A, &ctx));
  plan = ctx->planned.plan;
  PetscCheck(!strncmp(plan->why, "search: ", 8), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: why: %s", context, plan->why);
  for (PetscInt k = 0; k < plan->n_segments; k++) PetscCheck(plan->segment[k].measured > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: segment %" PetscInt_FMT " is not measured, but the plan takes %g s", context, k, plan->measured);
  PetscCall(PetscSNPrintf(stays, sizeof(stays), "; the choice, %s, stays", plan->segment[0].strategy));
  PetscCheck(strstr(plan->why, "x as fast as the choice, ") || strstr(plan->why, stays) || strstr(plan->why, "; the choice, row ranges, stays"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: why: %s, but the strategy is %s", context, plan->why, plan->segment[0].strategy);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckMatrices(PetscReal seconds)
{
  PetscInt  searched  = 0;
  char      nvrtc[32] = "";
  PetscBool generates = PETSC_TRUE; /* kernels may be compiled at run time */

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_autocsr_nvrtc", nvrtc, sizeof(nvrtc), NULL));
  if (!strcmp(nvrtc, "none")) generates = PETSC_FALSE;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) {
    Mat            A, B[2];
    Reference      r;
    char           graph[AUTOCSR_GRAPH_LENGTH], again[AUTOCSR_GRAPH_LENGTH], context[256];
    MatAutoCSRInfo info;
    PetscMPIInt    size;

    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (size > 1 && i % 7) continue;
    PetscCall(MatrixCreate(&generators[i], MATAIJ, &A));
    PetscCall(ReferenceCreate(A, &r));
    for (int k = 0; k < 2; k++) PetscCall(MatrixCreate(&generators[i], MATAUTOCSR, &B[k]));
    PetscCall(MatAutoCSRSetRigor(B[0], i % 2 ? MAT_AUTOCSR_RIGOR_EXHAUSTIVE : MAT_AUTOCSR_RIGOR_PATIENT));
    PetscCall(MatAutoCSRSetSearch(B[0], seconds, PETSC_FALSE));
    PetscCall(PetscSNPrintf(context, sizeof(context), "%s by a search", generators[i].name));
    PetscCall(CompareProducts(&r, 1, B, context));
    PetscCall(MatAutoCSRGetInfo(B[0], &info));
    PetscCall(MatAutoCSRGetGraph(B[0], sizeof(graph), graph));
    PetscCheck(generates || !strstr(graph, "set_resources"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s finds \"%s\" without a compiler", context, graph);
    if (graph[0] && size == 1) { /* the other one by what was found */
      PetscCall(CheckTold(B[0], context));
      PetscCall(MatAutoCSRSetProgressive(B[1], PETSC_FALSE));
      PetscCall(MatAutoCSRSetGraph(B[1], graph));
      PetscCall(CompareProducts(&r, 1, B + 1, context));
      PetscCall(MatAutoCSRGetGraph(B[1], sizeof(again), again));
      PetscCheck(!strcmp(graph, again), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: \"%s\" becomes \"%s\"", context, graph, again);
    }
    searched += info.nnz > 0 && info.measured > 0;
    for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&B[k]));
    PetscCall(ReferenceDestroy(&r));
  }
  PetscCheck(searched > 3, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " matrices were searched for", searched);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "What was found multiplies as plain AIJ does\n"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A search leaves alone what the user sets: "random" (190 rows) is multiplied by slices; by a graph; without copies of its values */
static PetscErrorCode CheckObeyed(PetscReal seconds)
{
  static const char *const graph = "compress(index=csr,value=csr) row_block(lanes=64) warp_total_red";

  PetscFunctionBeginUser;
  for (int k = 0; k < 3; k++) {
    Mat            A;
    Vec            x, y;
    MatAutoCSRInfo info;
    char           made[AUTOCSR_GRAPH_LENGTH];

    PetscCall(MatrixCreate(&generators[4], MATAUTOCSR, &A));
    PetscCall(MatAutoCSRSetRigor(A, MAT_AUTOCSR_RIGOR_PATIENT));
    PetscCall(MatAutoCSRSetSearch(A, seconds, PETSC_FALSE));
    if (k == 0) PetscCall(MatAutoCSRSetStrategy(A, "sell"));
    if (k == 1) PetscCall(MatAutoCSRSetGraph(A, graph));
    if (k == 2) PetscCall(MatAutoCSRSetObjective(A, MAT_AUTOCSR_OBJECTIVE_MEMORY));
    PetscCall(MatCreateVecs(A, &x, &y));
    PetscCall(VecSet(x, 1));
    PetscCall(MatMult(A, x, y));
    PetscCall(MatAutoCSRGetInfo(A, &info));
    PetscCall(MatAutoCSRGetGraph(A, sizeof(made), made));
    if (k == 0) PetscCheck(!strcmp(info.strategy, "sell"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "By sell: \"%s\"", made);
    if (k == 1) PetscCheck(!strcmp(made, graph), PETSC_COMM_SELF, PETSC_ERR_PLIB, "By a graph: \"%s\"", made);
    if (k == 2) PetscCheck(!strstr(made, "value=copy"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "With little memory: \"%s\"", made);
    PetscCall(MatDestroy(&A));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "What is asked for is obeyed\n"));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscInt  part    = 0;
  PetscReal seconds = 0.02;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-part", &part, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-seconds", &seconds, NULL));
  PetscCall(MatAutoCSRRegisterAll());
  if (part == 0) PetscCall(CheckMachines());
  if (part == 1) PetscCall(CheckMatrices(seconds));
  if (part == 2) { /* ends with an error */
    Mat A;

    PetscCall(MatrixCreate(&generators[0], MATAUTOCSR, &A));
    PetscCall(MatAutoCSRSetSearch(A, -1, PETSC_FALSE));
  }
  if (part == 3) PetscCall(CheckObeyed(seconds));
  if (part == 4) PetscCall(CheckMonitor(seconds));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: machine

  test:
    suffix: matrices
    nsize: {{1 2}}
    args: -part 1

  test:
    suffix: bad
    args: -part 2 -petsc_ci_portable_error_output
    filter: grep "no time"

  test:
    suffix: parts
    args: -part 1 -seconds 0.01 -mat_autocsr_search_without pruning,surrogate,generator
    output_file: output/search_matrices.out

  test:
    suffix: parts_bad
    args: -mat_type autocsr -part 1 -seconds 0.01 -mat_autocsr_search_without pruning,speed -petsc_ci_portable_error_output
    filter: grep "no part"

  test:
    suffix: parts_twice
    args: -mat_type autocsr -part 1 -seconds 0.01 -mat_autocsr_search_without pruning,surrogate,generator,pruning,speed -petsc_ci_portable_error_output
    filter: grep "no part"

  test:
    suffix: obeyed
    args: -part 3 -seconds 0.2

  test:
    suffix: monitor
    args: -part 4 -seconds 0.2 -mat_autocsr_rigor patient -mat_autocsr_search_seconds 0.2 -mat_autocsr_search_monitor

  test:
    suffix: no_compiler
    requires: cuda
    output_file: output/search_matrices.out
    args: -part 1 -vec_type cuda -mat_autocsr_nvrtc none

  test:
    suffix: cuda
    requires: cuda
    output_file: output/search_matrices.out
    args: -part 1 -vec_type cuda

TEST*/
