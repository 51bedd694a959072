static char help[] = "Choosers that were learned: trees say what scikit-learn says of samples (-samples, -joules), plans are those that trees tell, a file of trees is checked, and without trees the cost model chooses; joules rank candidates (-energy).\n\n";

#include "../../src/mat/impls/autocsr/choose/learned.h"
#include "../../src/mat/impls/autocsr/plan/plan.h"
#include <time.h>

#define ROWS 3000

/* ---- Samples, as config/train-chooser.py writes them: kind, how many features and answers, features with their numbers, answers */

/* A table of a backend */
static const AutoCSRLearned *TableOf(const AutoCSRLearned *const tables[], const char backend[])
{
  while (*tables && strcmp((*tables)->backend, backend)) tables++;
  return *tables;
}

static PetscErrorCode CheckSample(const AutoCSRLearned *t, int kind, const float f[], int answers, const double answer[], PetscInt line)
{
  const AutoCSRForest *forest = &t->forest[kind];
  int                  votes[AUTOCSR_MAX_STRATEGIES];

  PetscFunctionBeginUser;
  PetscCheck(forest->trees, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Line %" PetscInt_FMT ": no forest %d", line, kind);
  if (kind == AUTOCSR_FOREST_TREES) {
    PetscCheck(answers == t->n_strategies, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Line %" PetscInt_FMT ": votes for %d strategies, not %d", line, answers, t->n_strategies);
    AutoCSRForestVote(forest, f, answers, votes);
    for (int s = 0; s < answers; s++) PetscCheck(votes[s] == (int)answer[s], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Line %" PetscInt_FMT ": %d votes for %s, not %g", line, votes[s], t->strategy[s], answer[s]);
  } else {
    const double sum = AutoCSRForestSum(forest, f), most = kind == AUTOCSR_FOREST_CORRECTED || kind == AUTOCSR_FOREST_ENERGY ? 1e-5 : 0;

    PetscCheck(answers == 1 && fabs(sum - answer[0]) <= most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Line %" PetscInt_FMT ": %g, not %g", line, sum, answer[0]);
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* tables: those of which samples are. energy: samples of joules are wanted, else of all other forests */
static PetscErrorCode CheckSamples(const char path[], const AutoCSRLearned *const tables[], PetscBool energy)
{
  FILE                 *file                = fopen(path, "r");
  const AutoCSRLearned *t                   = NULL;
  PetscInt              line                = 0;
  int                   of[AUTOCSR_FORESTS] = {0}, kind, features, answers;
  char                  backend[16];

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s cannot be read", path);
  for (; !feof(file); line++) {
    float  f[AUTOCSR_FEATURES + 1] = {0};
    double answer[AUTOCSR_MAX_STRATEGIES];

    if (fscanf(file, " table %15s", backend) == 1) {
      t = TableOf(tables, backend);
      PetscCheck(t, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No table of %s", backend);
      continue;
    }
    if (fscanf(file, "%d %d %d", &kind, &features, &answers) != 3) break;
    PetscCheck(t && kind >= 0 && kind < AUTOCSR_FORESTS && answers <= AUTOCSR_MAX_STRATEGIES, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "Line %" PetscInt_FMT, line);
    for (int k = 0; k < features; k++) {
      int   i;
      float value;

      PetscCheck(fscanf(file, "%d %f", &i, &value) == 2 && i >= 0 && i <= AUTOCSR_FEATURES, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "Line %" PetscInt_FMT, line);
      f[i] = value;
    }
    for (int k = 0; k < answers; k++) PetscCheck(fscanf(file, "%lf", &answer[k]) == 1, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "Line %" PetscInt_FMT, line);
    PetscCall(CheckSample(t, kind, f, answers, answer, line));
    of[kind]++;
  }
  fclose(file);
  for (int k = 0; k < AUTOCSR_FORESTS; k++) PetscCheck((k == AUTOCSR_FOREST_ENERGY) != energy || of[k] >= 20, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d samples of forest %d", of[k], k);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- A file of trees that are simple enough to tell what comes of them */

static PetscErrorCode WriteTrees(const char path[], PetscBool all)
{
  FILE *file = fopen(path, "w");
  char  scalar[32];

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s cannot be written", path);
  PetscCall(AutoCSRKeptScalar(sizeof(scalar), scalar));
  fprintf(file, "petscautocsr learned 1\nbackend host\nscalar %s\nmachine a machine of six words, no more\nfeatures %d\nstrategies 5 csr segsum sell gone ranges\n", scalar, AUTOCSR_FEATURES);
  /* Two trees tell by the longest row, segsum or csr; a third one votes for sell, a fourth for a strategy that there is not */
  if (all) fprintf(file, "forest trees 4 8\n0 3 6 7\n%d 2 10\n255 0 0\n255 0 1\n%d 2 20\n255 0 0\n255 0 1\n255 0 2\n255 0 3\n", AUTOCSR_FEATURE_MAX, AUTOCSR_FEATURE_MAX);
  /* U is 20, the single bin if no row has more than 10 entries; a bin below 21 has one lane for a row, others eight */
  if (all) fprintf(file, "forest granularity 1 3\n0\n%d 2 10\n255 0 16\n255 0 1\nforest kernel 1 3\n0\n%d 2 20.5\n255 0 0\n255 0 3\n", AUTOCSR_FEATURE_MAX, AUTOCSR_FEATURE_BIN);
  /* csr takes exp(-0.5) times as long as the cost model says, all else exp(0.5) times */
  fprintf(file, "forest corrected 2 4\n0 3\n%d 2 0.5\n255 0 0\n255 0 1\n255 0 -0.5\n", AUTOCSR_FEATURE_STRATEGY);
  /* sell has a quarter of the power of all else */
  if (all) fprintf(file, "forest energy 1 5\n0\n%d 4 2.5\n%d 3 1.5\n255 0 0.7\n255 0 -0.7\n255 0 0.7\n", AUTOCSR_FEATURE_STRATEGY, AUTOCSR_FEATURE_STRATEGY);
  fprintf(file, "end\n");
  PetscCheck(!fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s cannot be written", path);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Rows of `most` entries at most, whose columns lie anywhere */
static PetscErrorCode MatrixCreate(PetscInt most, AutoCSRMatrix *csr)
{
  PetscInt    *row_ptr, *col;
  PetscScalar *val;
  unsigned     random = 12345;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(ROWS + 1, &row_ptr, ROWS * most, &col, ROWS * most, &val));
  row_ptr[0] = 0;
  for (PetscInt i = 0; i < ROWS; i++) {
    PetscInt       last   = -1;
    const PetscInt length = i % most + 1;

    row_ptr[i + 1] = row_ptr[i];
    for (PetscInt k = 0; k < length; k++) {
      random = random * 1103515245u + 12345u;
      last += 1 + (PetscInt)(random >> 16) % (ROWS / most - 1);
      col[row_ptr[i + 1]] = last;
      val[row_ptr[i + 1]] = (PetscScalar)(double)(i + k * 0.7);
      row_ptr[i + 1]++;
    }
  }
  *csr = (AutoCSRMatrix){.m = ROWS, .n = ROWS, .nnz = row_ptr[ROWS], .row_ptr = row_ptr, .col = col, .val = val, .backend = &AutoCSRBackendHost};
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode MatrixDestroy(AutoCSRMatrix *csr)
{
  PetscInt    *row_ptr = (PetscInt *)csr->row_ptr, *col = (PetscInt *)csr->col;
  PetscScalar *val = (PetscScalar *)csr->val;

  PetscFunctionBeginUser;
  PetscCall(PetscFree3(row_ptr, col, val));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Plan(const AutoCSRMatrix *csr, MatAutoCSRChooser chooser, const char strategy[], AutoCSRPlan **plan)
{
  AutoCSRSettings settings;
  AutoCSRProfile *profile;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRSettingsInitialize(&settings));
  settings.chooser = chooser;
  PetscCall(PetscStrncpy(settings.strategy, strategy, sizeof(settings.strategy)));
  PetscCall(AutoCSRPlanMake(csr, &settings, plan, &profile));
  PetscCall(AutoCSRPlanCheck(*plan, csr));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The plan has this strategy, and the view says this of the chooser */
static PetscErrorCode CheckPlan(const AutoCSRMatrix *csr, MatAutoCSRChooser chooser, const char asked[], const char strategy[], const char said[])
{
  AutoCSRPlan *plan;

  PetscFunctionBeginUser;
  PetscCall(Plan(csr, chooser, asked, &plan));
  PetscCheck(!strategy || !strcmp(plan->segment[0].strategy, strategy), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s, not %s (%s)", MatAutoCSRChoosers[chooser], plan->segment[0].strategy, strategy, plan->chooser);
  PetscCheck(strstr(plan->chooser, said) && strstr(plan->chooser, "predicted"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: it says \"%s\", not \"%s\"", MatAutoCSRChoosers[chooser], plan->chooser, said);
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A bin's virtual rows of 20 rows have less than 420 entries in bins below 21: one lane; the others have eight */
static PetscErrorCode CheckBins(const AutoCSRMatrix *csr)
{
  AutoCSRPlan *plan;

  PetscFunctionBeginUser;
  PetscCall(Plan(csr, MAT_AUTOCSR_CHOOSER_TWO_STAGE, "auto", &plan));
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const AutoCSRSegment *seg = &plan->segment[s];
    const PetscInt       *row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data;

    PetscCheck(!strcmp(seg->strategy, "binned") && seg->axes.row_group == 20 && row, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s in groups of %" PetscInt_FMT, seg->strategy, seg->axes.row_group);
    for (PetscInt k = 0; k < seg->n_rows / 20; k++) {
      const PetscInt bin = (csr->row_ptr[20 * row[k] + 20] - csr->row_ptr[20 * row[k]]) / 20;

      PetscCheck(seg->axes.lanes == (bin < 21 ? 1 : 8), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Bin %" PetscInt_FMT " has %" PetscInt_FMT " lanes", bin, seg->axes.lanes);
    }
  }
  PetscCheck(plan->n_segments == 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " kernels", plan->n_segments);
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Seconds that trees correct are the plan's, its segments' too: csr's are exp(-0.5) times the cost model's */
static PetscErrorCode CheckCorrected(const AutoCSRMatrix *csr)
{
  AutoCSRPlan *plain, *corrected;
  double       segments = 0;

  PetscFunctionBeginUser;
  PetscCall(Plan(csr, MAT_AUTOCSR_CHOOSER_MODEL, "csr", &plain));
  PetscCall(Plan(csr, MAT_AUTOCSR_CHOOSER_CORRECTED, "auto", &corrected));
  for (PetscInt s = 0; s < corrected->n_segments; s++) segments += corrected->segment[s].predicted;
  PetscCheck(!strcmp(corrected->segment[0].strategy, "csr") && PetscAbsReal(corrected->predicted / plain->predicted - exp(-0.5)) < 1e-6 && segments <= 1.0001 * corrected->predicted, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%g s, the cost model says %g s", corrected->predicted, plain->predicted);
  PetscCall(AutoCSRPlanDestroy(&plain));
  PetscCall(AutoCSRPlanDestroy(&corrected));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode PlanByEnergy(const AutoCSRMatrix *csr, MatAutoCSRChooser chooser, MatAutoCSRRigor rigor, AutoCSRPlan **plan)
{
  AutoCSRSettings settings;
  AutoCSRProfile *profile;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRSettingsInitialize(&settings));
  settings.objective = MAT_AUTOCSR_OBJECTIVE_ENERGY;
  settings.chooser   = chooser;
  settings.rigor     = rigor;
  PetscCall(AutoCSRPlanMake(csr, &settings, plan, &profile));
  PetscCall(AutoCSRPlanCheck(*plan, csr));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* By trees of joules; the time predicted is that of the chooser */
static PetscErrorCode CheckByEnergy(const AutoCSRMatrix *csr, MatAutoCSRChooser chooser, MatAutoCSRRigor rigor, const char strategy[], const char said[])
{
  AutoCSRPlan *plan, *timed;

  PetscFunctionBeginUser;
  PetscCall(PlanByEnergy(csr, chooser, rigor, &plan));
  PetscCheck(!strategy || !strcmp(plan->segment[0].strategy, strategy), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s, not %s (%s)", MatAutoCSRChoosers[chooser], plan->segment[0].strategy, strategy, plan->chooser);
  PetscCheck(strstr(plan->chooser, said), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: it says \"%s\", not \"%s\"", MatAutoCSRChoosers[chooser], plan->chooser, said);
  if (strategy) {
    PetscCall(Plan(csr, chooser, strategy, &timed));
    PetscCheck(plan->predicted >= timed->predicted, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%g s, %g s by time", plan->predicted, timed->predicted);
    PetscCall(AutoCSRPlanDestroy(&timed));
  }
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckChoices(PetscBool all)
{
  AutoCSRMatrix shorter, longer;
  AutoCSRPlan  *plan;

  PetscFunctionBeginUser;
  PetscCall(WriteTrees("learned.trees", all));
  PetscCall(MatrixCreate(9, &shorter));
  PetscCall(MatrixCreate(60, &longer));
  if (all) {
    PetscCall(CheckPlan(&shorter, MAT_AUTOCSR_CHOOSER_TREES, "auto", "csr", "trees, 2 of 4 trees by nnz_max 9"));
    PetscCall(CheckPlan(&longer, MAT_AUTOCSR_CHOOSER_TREES, "auto", "segsum", "trees, 2 of 4 trees by nnz_max 60"));
    PetscCall(CheckPlan(&longer, MAT_AUTOCSR_CHOOSER_TREES, "sell", "sell", "trees, 1 of 4")); /* the user's strategy stays */
    PetscCall(CheckBins(&longer));
    PetscCall(CheckPlan(&longer, MAT_AUTOCSR_CHOOSER_TWO_STAGE, "auto", "binned", "two-stage, granularity by nnz_max 60"));
    PetscCall(CheckPlan(&longer, MAT_AUTOCSR_CHOOSER_TWO_STAGE, "sell", "sell", "two-stage"));
    PetscCall(Plan(&shorter, MAT_AUTOCSR_CHOOSER_TWO_STAGE, "auto", &plan));
    PetscCheck(plan->n_segments == 1 && !strcmp(plan->segment[0].strategy, "binned") && plan->segment[0].axes.lanes == 1 && !plan->segment[0].stream[AUTOCSR_STREAM_ROWS].data, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No single bin: %s", plan->why);
    PetscCall(AutoCSRPlanDestroy(&plan));
  } else {
    PetscCall(CheckPlan(&longer, MAT_AUTOCSR_CHOOSER_TREES, "auto", NULL, "model, as there are no trees of this machine for trees"));
    PetscCall(CheckPlan(&longer, MAT_AUTOCSR_CHOOSER_TWO_STAGE, "auto", NULL, "model, as there are no trees of this machine for two-stage"));
  }
  PetscCall(CheckPlan(&longer, MAT_AUTOCSR_CHOOSER_CORRECTED, "auto", "csr", "corrected, the cost model's time 0.61 times by strategy 0"));
  PetscCall(CheckPlan(&longer, MAT_AUTOCSR_CHOOSER_MODEL, "auto", NULL, "model, by "));
  PetscCall(CheckPlan(&longer, MAT_AUTOCSR_CHOOSER_AUTO, "auto", "csr", "corrected, ")); /* the file is named */
  PetscCall(CheckCorrected(&longer));
  if (all) {
    PetscCall(CheckByEnergy(&longer, MAT_AUTOCSR_CHOOSER_AUTO, MAT_AUTOCSR_RIGOR_ESTIMATE, "sell", "joules by trees, 0.50 of the mean power by strategy 2"));
    PetscCall(CheckByEnergy(&longer, MAT_AUTOCSR_CHOOSER_MODEL, MAT_AUTOCSR_RIGOR_ESTIMATE, "sell", "joules by trees, 0.50 of the mean power by strategy 2"));
    PetscCall(CheckByEnergy(&longer, MAT_AUTOCSR_CHOOSER_TREES, MAT_AUTOCSR_RIGOR_ESTIMATE, "segsum", "stands for energy"));
    PetscCall(CheckByEnergy(&longer, MAT_AUTOCSR_CHOOSER_AUTO, MAT_AUTOCSR_RIGOR_MEASURE, NULL, "stands for energy"));
  } else
    PetscCall(CheckByEnergy(&longer, MAT_AUTOCSR_CHOOSER_AUTO, MAT_AUTOCSR_RIGOR_ESTIMATE, "csr", "stands for energy"));
  PetscCall(MatrixDestroy(&shorter));
  PetscCall(MatrixDestroy(&longer));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- The objective energy: joules rank the candidates of rigor measure where a counter tells them; here each product takes what the test wants, and the counter moves as seldom as a device's */

#define MOVES 0.1 /* seconds of this process between two moves of the counter, so that other processes do not matter */

static double    each, grows, used, shown; /* joules of a product; by how much those of the next plan's are more; joules so far, and as the counter has them */
static clock_t   moved;
static PetscBool asked; /* the counter, since the plan was bound */

static PetscErrorCode Bind(AutoCSRPlan *plan, const AutoCSRMatrix *csr)
{
  PetscFunctionBeginUser;
  each *= grows;
  used = shown = 0;
  asked        = PETSC_FALSE;
  PetscCall((*AutoCSRBackendHost.bind)(plan, csr));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Mult(const AutoCSRPlan *plan, const AutoCSROperands *op)
{
  PetscFunctionBeginUser;
  PetscCall((*AutoCSRBackendHost.mult)(plan, op));
  used += each;
  if ((double)(clock() - moved) < MOVES * CLOCKS_PER_SEC) PetscFunctionReturn((PetscErrorCode)0);
  shown = used;
  moved = clock();
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Joules(double *joules)
{
  PetscFunctionBeginUser;
  *joules = shown;
  if (!asked) used += 1e6 * each; /* of what was before, which the next move shows */
  asked = PETSC_TRUE;
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckEnergy(void)
{
  AutoCSRBackend counts = AutoCSRBackendHost;
  AutoCSRMatrix  csr;
  AutoCSRPlan   *plain, *first, *last;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(60, &csr));
  PetscCall(PlanByEnergy(&csr, MAT_AUTOCSR_CHOOSER_AUTO, MAT_AUTOCSR_RIGOR_MEASURE, &plain));
  PetscCheck(!plain->joules && plain->measured > 0 && strstr(plain->chooser, "stands for energy"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Without a counter: \"%s\"", plain->chooser);
  counts.bind   = Bind;
  counts.mult   = Mult;
  counts.joules = Joules;
  csr.backend   = &counts;
  grows         = 1e4; /* the first candidate takes least */
  each          = 1 / grows;
  PetscCall(PlanByEnergy(&csr, MAT_AUTOCSR_CHOOSER_AUTO, MAT_AUTOCSR_RIGOR_MEASURE, &first));
  PetscCheck(fabs(first->joules - 1) < 0.05, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%g J, not 1: \"%s\"", first->joules, first->chooser);
  grows = 1e-4; /* the last one */
  each  = 1e12;
  PetscCall(PlanByEnergy(&csr, MAT_AUTOCSR_CHOOSER_AUTO, MAT_AUTOCSR_RIGOR_MEASURE, &last));
  PetscCheck(fabs(last->joules / each - 1) < 0.05 && strstr(last->chooser, " uJ"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%g J, not %g: \"%s\"", last->joules, each, last->chooser);
  PetscCheck(strcmp(first->why, last->why), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Whatever joules say: \"%s\"", last->why);
  PetscCall(AutoCSRPlanDestroy(&plain));
  PetscCall(AutoCSRPlanDestroy(&first));
  PetscCall(AutoCSRPlanDestroy(&last));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Files that hold something else */

static PetscErrorCode CheckOther(const char text[], size_t n, PetscBool *read)
{
  const AutoCSRLearned *t    = NULL;
  FILE                 *file = fopen("other.trees", "w");
  PetscErrorCode        ierr;

  PetscFunctionBeginUser;
  PetscCheck(file && fwrite(text, 1, n, file) == n && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "other.trees cannot be written");
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = AutoCSRLearnedRead("other.trees", &AutoCSRBackendHost, &t);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(ierr == PETSC_ERR_FILE_READ || (!ierr && t), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Error %d", (int)ierr);
  *read = (PetscBool)!ierr;
  for (int kind = 0; *read && kind < AUTOCSR_FORESTS; kind++) { /* its trees come to an end */
    float f[AUTOCSR_FEATURES + 1] = {0};
    int   votes[AUTOCSR_MAX_STRATEGIES];

    AutoCSRForestVote(&t->forest[kind], f, t->n_strategies, votes);
    (void)AutoCSRForestSum(&t->forest[kind], f);
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckDamaged(void)
{
  char      text[2048];
  FILE     *file;
  size_t    n;
  PetscBool read;
  PetscInt  refused = 0;

  PetscFunctionBeginUser;
  PetscCall(WriteTrees("learned.trees", PETSC_TRUE));
  file = fopen("learned.trees", "r");
  n    = fread(text, 1, sizeof(text), file);
  fclose(file);
  PetscCall(CheckOther(text, n, &read));
  PetscCheck(read, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The file is refused as it was written");
  for (size_t k = 0; k + 4 < n; k += 7) {
    PetscCall(CheckOther(text, k, &read));
    PetscCheck(!read, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d bytes of the file are read", (int)k);
  }
  for (size_t k = 0; k < n; k++) {
    const char before = text[k];

    text[k] = before == '9' ? '1' : '9';
    PetscCall(CheckOther(text, n, &read));
    refused += !read;
    text[k] = before;
  }
  PetscCheck(refused > (PetscInt)n / 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Of %d bytes %" PetscInt_FMT " matter", (int)n, refused);
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  char      samples[PETSC_MAX_PATH_LEN], joules[PETSC_MAX_PATH_LEN] = "";
  PetscBool given, damaged = PETSC_FALSE, energy = PETSC_FALSE, some = PETSC_FALSE, chooser = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-samples", samples, sizeof(samples), &given));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-joules", joules, sizeof(joules), NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-damaged", &damaged, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-energy", &energy, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-some", &some, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-bad", &chooser, NULL));
  if (chooser) {
    AutoCSRSettings settings;

    PetscCall(AutoCSRSettingsInitialize(&settings));
    settings.chooser = (MatAutoCSRChooser)5;
    PetscCall(AutoCSRSettingsCheck(&settings));
  }
  if (AutoCSRLearnedEnergies[0] && joules[0]) PetscCall(CheckSamples(joules, AutoCSRLearnedEnergies, PETSC_TRUE));
  if (given)
    PetscCall(CheckSamples(samples, AutoCSRLearnedTables, PETSC_FALSE));
  else if (damaged)
    PetscCall(CheckDamaged());
  else if (energy)
    PetscCall(CheckEnergy());
  else
    PetscCall(CheckChoices((PetscBool)!some));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: samples
    args: -samples ${AUTOCSR_MTX}/learned.txt -joules ${AUTOCSR_MTX}/learned-energy.txt
    output_file: output/learned_1.out

  test:
    suffix: choices
    args: -mat_autocsr_learned learned.trees -some {{0 1}shared output}
    output_file: output/learned_1.out

  test:
    suffix: damaged
    args: -damaged
    output_file: output/learned_1.out

  test:
    suffix: energy
    args: -energy
    output_file: output/learned_1.out

  test:
    suffix: bad-chooser
    args: -bad -petsc_ci_portable_error_output

  test:
    suffix: bad-file
    args: -mat_autocsr_learned nowhere -petsc_ci_portable_error_output

TEST*/
