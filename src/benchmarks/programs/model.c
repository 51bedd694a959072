static const char help[] = "What the cost model says of matrices: every variant of every strategy, segment by segment, and the choice; as config/fit-figures.py reads it.\n\
Options of the suite as for bench; -gpu: for a device, which need not be there with -mat_autocsr_machine shipped:h200; -measure: products are made and timed, too; -cold: the choice is timed with cold caches;\n\
-strategy: is asked for, so that one is printed and timed, too, that is left out otherwise; -chooser: who chooses.\n\n";

#include "../planner/planner.h"
#include <petscdevice.h>
#include <petsctime.h>

#define TRIES  10        /* of choosing; the shortest counts, with cold caches the median */
#define COLD   (1 << 27) /* bytes that are written before a choice with cold caches */
#define WORTH  6         /* a variant is timed that is predicted to take up to so many times as long as the best of all, or is the best of its strategy */
#define ROUNDS 7         /* of products; the shortest counts */
#define ROUND  4e-4      /* seconds, at least a product */

/* Values of the axes that tell the variants of a strategy apart */
static void PrintVariant(const char matrix[], const AutoCSRStrategy *strategy, PetscInt variant)
{
  printf("\t%s\t%s\t%d", matrix, strategy->name, (int)variant);
}

/*
  machine  name, seconds of a product's start, of a launch, what is not hidden
  memory   with -measure: of each level bytes a second, then seconds of a random line (what shipped.c compares another device's with)
  figure   name entry row irregular start walk memory gather
  segment  matrix strategy variant figure entries rows irregular longest gather stream launch joins chance
  variant  matrix strategy variant bytes own_bytes build seconds score
  choice   matrix strategy or "ranges" seconds score
  choosing matrix seconds that it took
  time     matrix strategy variant seconds of a product
  gather and stream: seconds that the machine takes for them, launch: for its start; joins: the launch before; chance: that it streams (else a device's L2 has the set)
*/
static PetscErrorCode PrintStrategy(const char matrix[], AutoCSRChooser *chooser, const AutoCSRStrategy *strategy)
{
  const AutoCSRFigures *f = chooser->figures;
  AutoCSRAxes           axes[AUTOCSR_MAX_VARIANTS];
  PetscInt              n, segments;
  const char           *why;

  PetscFunctionBeginUser;
  PetscCall(strategy->variants(&chooser->problem, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
  for (PetscInt v = 0; v < n; v++) {
    AutoCSRCost       segment[AUTOCSR_MAX_SEGMENTS];
    AutoCSREvaluation e;

    PetscCall(AutoCSRCostEvaluate(chooser, &chooser->problem, strategy, &axes[v], &e));
    if (!e.runs) continue;
    PetscCall(strategy->cost(&chooser->problem, &axes[v], segment, &segments));
    for (PetscInt p = 0; p < segments; p++) {
      const AutoCSRExecutor *executor;
      AutoCSRTerms           terms;
      char                   name[sizeof(f->executor[0].name)];

      PetscCall((*f->backend->find_executor)(&segment[p].axes, f->simd, &executor));
      PetscCall(AutoCSRFigureName(executor, AutoCSRFigureKind(f, &segment[p].axes, segment[p].named, chooser->problem.profile->values), sizeof(name), name));
      PetscCall(AutoCSRCostTerms(chooser, &chooser->problem, &segment[p], e.bytes, &terms));
      printf("segment");
      PrintVariant(matrix, strategy, v);
      printf("\t%s\t%.0f\t%.0f\t%.0f\t%g\t%.6e\t%.6e\t%.6e\t%d\t%g\n", name, segment[p].entries, segment[p].rows, segment[p].irregular, segment[p].longest, terms.gather, terms.stream, terms.launch, (int)segment[p].joins, terms.chance);
    }
    printf("variant");
    PrintVariant(matrix, strategy, v);
    printf("\t%.0f\t%.0f\t%.6e\t%.6e\t%.6e\n", e.bytes, e.own_bytes, e.build, f->machine.product + e.seconds, f->machine.product + AutoCSRCostScore(&chooser->problem, &e));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TimeVariants(const char matrix[], AutoCSRChooser *chooser, const AutoCSROperands *op)
{
  const Clock      clock = {ROUND, ROUNDS, PETSC_FALSE};
  AutoCSRAxes      axes[AUTOCSR_MAX_VARIANTS];
  AutoCSRCandidate candidate;
  double           best = PETSC_MAX_REAL;
  PetscInt         n;
  const char      *why;

  PetscFunctionBeginUser;
  for (int pass = 0; pass < 2; pass++) { /* the first finds the best */
    for (PetscInt s = 0; AutoCSRStrategies[s]; s++) {
      double   predicted[AUTOCSR_MAX_VARIANTS], seconds;
      PetscInt first = 0;

      PetscCall(AutoCSRStrategies[s]->variants(&chooser->problem, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
      for (PetscInt v = 0; v < n; v++) {
        AutoCSREvaluation e;

        PetscCall(AutoCSRCostEvaluate(chooser, &chooser->problem, AutoCSRStrategies[s], &axes[v], &e));
        predicted[v] = e.runs ? chooser->figures->machine.product + e.seconds : PETSC_MAX_REAL;
        if (predicted[v] < predicted[first]) first = v;
        best = PetscMin(best, predicted[v]);
      }
      for (PetscInt v = 0; v < n && pass; v++) {
        if (predicted[v] == PETSC_MAX_REAL || (v != first && predicted[v] > WORTH * best)) continue;
        candidate = CandidateOf(chooser, AutoCSRStrategies[s], &axes[v]);
        PetscCall(CandidateSeconds(chooser, &candidate, op, &clock, &seconds));
        if (!seconds) continue;
        printf("time");
        PrintVariant(matrix, AutoCSRStrategies[s], v);
        printf("\t%.6e\n", seconds);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int CompareSeconds(const void *a, const void *b)
{
  const PetscLogDouble d = *(const PetscLogDouble *)a - *(const PetscLogDouble *)b;

  return d < 0 ? -1 : d > 0;
}

static PetscErrorCode TimeChoosing(AutoCSRChooser *chooser, PetscBool cold, AutoCSRCandidate candidate[], PetscInt *n, PetscLogDouble *seconds)
{
  PetscLogDouble begin, end, took[TRIES];
  char          *other = NULL;

  PetscFunctionBeginUser;
  if (cold) PetscCall(PetscMalloc1(COLD, &other));
  for (int k = 0; k < TRIES; k++) {
    if (cold) memset(other, k, COLD);
    PetscCall(PetscTime(&begin));
    PetscCall(AutoCSRChoose(chooser, AUTOCSR_MAX_CANDIDATES, candidate, n));
    PetscCall(PetscTime(&end));
    took[k] = end - begin;
  }
  qsort(took, TRIES, sizeof(*took), CompareSeconds);
  *seconds = took[cold ? TRIES / 2 : 0];
  PetscCall(PetscFree(other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintMatrix(const char matrix[], const Csr *csr, const AutoCSRFigures *figures, const char asked[], MatAutoCSRChooser by, PetscBool measure, PetscBool cold)
{
  AutoCSRMatrix     host = {.m = csr->m, .n = csr->n, .nnz = csr->row_ptr[csr->m], .row_ptr = csr->row_ptr, .col = csr->col, .val = csr->val, .backend = &AutoCSRBackendHost}, there = host;
  AutoCSRSettings   settings;
  AutoCSRProfile   *profile;
  AutoCSRChooser   *chooser;
  AutoCSRCandidate *candidate;
  AutoCSROperands   op;
  PetscInt          n;
  PetscLogDouble    seconds = 0;

  PetscFunctionBeginUser;
  there.backend = figures->backend; /* strategies ask it for numbers; the arrays stay here, and so the profile is the host's */
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PetscStrncpy(settings.strategy, asked, sizeof(settings.strategy)));
  settings.chooser = by;
  if (measure) PetscCall(PlaceMatrix(&host, &there, &op));
  PetscCall(AutoCSRProfileLook(measure ? &there : &host, figures->backend->slice_height, AutoCSRBackendTileWidth(figures->backend, &there), AutoCSRRowsTellAll(&figures->machine, &there, &settings), &profile));
  PetscCall(PetscMalloc2(1, &chooser, AUTOCSR_MAX_CANDIDATES, &candidate));
  PetscCall(AutoCSRChooserBegin(chooser, figures, &there, profile, &settings));
  for (PetscInt s = 0; AutoCSRStrategies[s]; s++) PetscCall(PrintStrategy(matrix, chooser, AutoCSRStrategies[s]));
  PetscCall(TimeChoosing(chooser, cold, candidate, &n, &seconds));
  printf("choosing\t%s\t%.6e\n", matrix, seconds);
  for (PetscInt i = 0; i < n; i++) printf("choice\t%s\t%s\t%.6e\t%.6e\n", matrix, candidate[i].n_ranges > 1 ? "ranges" : candidate[i].first.strategy->name, candidate[i].seconds, candidate[i].score);
  if (measure) {
    PetscCall(TimeVariants(matrix, chooser, &op));
    PetscCall(PlaceFree(&op));
  }
  PetscCall(PetscFree2(chooser, candidate));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintMemory(const AutoCSRFigures *figures)
{
  AutoCSRMemoryReading reading = {0};
  double              *data    = NULL;
  PetscBool            done    = PETSC_FALSE;

  PetscFunctionBeginUser;
  if (!figures->machine.parallel) {
    PetscCall(PetscMalloc1(AUTOCSR_FAR_BYTES / sizeof(*data), &data));
    for (size_t i = 0; i < AUTOCSR_FAR_BYTES / sizeof(*data); i++) data[i] = 1;
  }
  reading.data = data;
  PetscCall(PetscArraycpy(reading.cache, figures->machine.cache, 3));
  while (!done) PetscCall((*figures->backend->read_memory)(&reading, &done));
  PetscCall(PetscFree(data));
  printf("memory");
  for (int level = 0; level < 4; level++) printf("\t%.3g", reading.bandwidth[level]);
  for (int level = 0; level < 4; level++) printf("\t%.3g", reading.random_line[level]);
  printf("\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsWanted(const char list[], const char name[], PetscBool *is)
{
  char **names;
  int    n;

  PetscFunctionBeginUser;
  *is = (PetscBool)!list[0];
  PetscCall(PetscStrToArray(list, ',', &n, &names));
  for (int i = 0; i < n && !*is; i++) PetscCall(PetscStrcmp(names[i], name, is));
  PetscCall(PetscStrToArrayDestroy(n, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const AutoCSRBackend *backend = &AutoCSRBackendHost;
  const AutoCSRFigures *figures;
  char                  matrices[1024] = "", asked[32] = "auto", *file[1024];
  PetscInt              seed = 1, files = 1024;
  PetscReal             scale = 1;
  PetscBool             gpu = PETSC_FALSE, measure = PETSC_FALSE, cold = PETSC_FALSE;
  MatAutoCSRChooser     by = MAT_AUTOCSR_CHOOSER_AUTO;
  const Generator      *g;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-gpu", &gpu, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-measure", &measure, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-cold", &cold, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-scale", &scale, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-seed", &seed, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-strategy", asked, sizeof(asked), NULL));
  PetscCall(PetscOptionsGetEnum(NULL, NULL, "-chooser", MatAutoCSRChoosers, (PetscEnum *)&by, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-matrices", matrices, sizeof(matrices), NULL));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-files", file, &files, NULL));
#if defined(AUTOCSR_HAVE_CUDA)
  if (gpu) backend = &AutoCSRBackendCUDA;
  if (gpu && measure) PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
#endif
  PetscCheck(!gpu || backend != &AutoCSRBackendHost, PETSC_COMM_SELF, PETSC_ERR_SUP, "-gpu: this program was built without CUDA");
  PetscCall(AutoCSRFiguresGet(backend, "auto", &figures));
  printf("machine\t%s\t%.6e\t%g\t%g\n", figures->machine.name, figures->machine.product, figures->machine.launch, figures->machine.not_hidden);
  if (measure) PetscCall(PrintMemory(figures));
  for (PetscInt i = 0; i < figures->n_executors; i++) {
    const AutoCSRExecutorCost *c = &figures->executor[i].cost;

    printf("figure\t%s\t%.6e\t%.6e\t%.6e\t%.6e\t%.6e\t%g\t%g\n", figures->executor[i].name, c->entry, c->row, c->irregular, c->start, c->walk, c->memory, c->gather > 0 ? c->gather : 1);
  }
  PetscCall(GeneratorsAsked((uint64_t)seed, &g));
  for (; g->name; g++) {
    const Size size = {.scale = scale, .seed = (uint64_t)seed};
    PetscBool  wanted;
    Csr        csr;

    PetscCall(IsWanted(matrices, g->name, &wanted));
    if (!wanted || 1.1 * g->nnz * scale > (double)PETSC_MAX_INT) continue;
    PetscCall(CsrGenerate(g, &size, &csr));
    PetscCall(PrintMatrix(g->name, &csr, figures, asked, by, measure, cold));
    PetscCall(CsrDestroy(&csr));
    fflush(stdout);
  }
  for (PetscInt k = 0; k < files; k++) {
    char *name = strrchr(file[k], '/') ? strrchr(file[k], '/') + 1 : file[k], *dot;
    Csr   csr;

    PetscCall(CsrLoad(file[k], &csr));
    if ((dot = strrchr(name, '.'))) *dot = 0;
    PetscCall(PrintMatrix(name, &csr, figures, asked, by, measure, cold));
    PetscCall(CsrDestroy(&csr));
    PetscCall(PetscFree(file[k]));
  }
  PetscCall(PetscFinalize());
  return 0;
}
