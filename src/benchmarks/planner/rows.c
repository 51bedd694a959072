/* Rows of training data: see rows.h */
#include "rows.h"
#include "../../mat/impls/autocsr/choose/features.h"

#define MAX_ROWS  256
#define NEAR_BEST 1.3 /* joules are counted of variants that take at most so many times the least seconds */
#define SAME      2   /* and of at most so many variants of one strategy */

typedef struct {
  AutoCSRCandidate candidate;
  PetscBool        automatic;
  float            feature[AUTOCSR_FEATURES];
  double           seconds, joules;
} Row;

typedef struct {
  PetscInt n;
  Row      row[MAX_ROWS];
} Rows;

PetscErrorCode RowsHead(const RowsWanted *w, FILE *file)
{
  const AutoCSRBackend *backend = w->figures->backend;
  char                  scalar[32], machine[160];

  PetscFunctionBeginUser;
  PetscCall(AutoCSRKeptScalar(sizeof(scalar), scalar));
  PetscCall(AutoCSRFeaturesMachine(backend, sizeof(machine), machine));
  fprintf(file, "H,machine,%s,%s,%s\nH,strategies", backend->name, scalar, machine);
  for (PetscInt s = 0; AutoCSRStrategies[s]; s++) fprintf(file, ",%s", AutoCSRStrategies[s]->name);
  fprintf(file, "\nH,M,key");
  for (int i = 0; i < AUTOCSR_MATRIX_FEATURES; i++) fprintf(file, ",%s", AutoCSRFeatureNames[i]);
  fprintf(file, ",variants,bins\nH,V,strategy,auto");
  for (int i = AUTOCSR_MATRIX_FEATURES + 1; i < AUTOCSR_FEATURES; i++) fprintf(file, ",%s", AutoCSRFeatureNames[i]);
  fprintf(file, ",score,us,uj\nH,B,U,bin,rows,nnz");
  for (int k = 0; k < BIN_KERNELS; k++) fprintf(file, ",us%d", 1 << k);
  fprintf(file, "\nH,J,uj,again\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_row(AutoCSRChooser *chooser, const AutoCSRStrategy *strategy, const AutoCSRAxes *axes, PetscBool automatic, const float matrix[], Rows *rows)
{
  Row              *row = &rows->row[rows->n];
  AutoCSREvaluation e;
  const double      start = chooser->figures->machine.product;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < rows->n; i++) {
    if (rows->row[i].candidate.first.strategy == strategy && !memcmp(&rows->row[i].candidate.first.axes, axes, sizeof(*axes))) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRCostEvaluate(chooser, &chooser->problem, strategy, axes, &e));
  if (!e.runs || !e.fits || rows->n == MAX_ROWS) PetscFunctionReturn(PETSC_SUCCESS);
  *row                   = (Row){.candidate = CandidateOf(chooser, strategy, axes), .automatic = automatic};
  row->candidate.seconds = start + e.seconds;
  row->candidate.score   = start + AutoCSRCostScore(&chooser->problem, &e);
  PetscCall(PetscArraycpy(row->feature, matrix, AUTOCSR_MATRIX_FEATURES));
  AutoCSRFeaturesOfVariant(axes, &e, start + e.seconds, matrix[AUTOCSR_FEATURE_NONZEROS], 0, row->feature);
  rows->n++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the planner takes into account unasked comes first, then what it does if a strategy, or the single bin, is asked for */
static PetscErrorCode list_variants(AutoCSRChooser *chooser, const float matrix[], Rows *rows)
{
  AutoCSRSettings *settings = (AutoCSRSettings *)chooser->problem.settings;
  AutoCSRAxes      axes[AUTOCSR_MAX_VARIANTS];
  const char      *why;
  PetscInt         n;

  PetscFunctionBeginUser;
  for (int pass = 0; pass < 3; pass++) {
    for (PetscInt s = 0; AutoCSRStrategies[s]; s++) {
      if (pass) PetscCall(PetscStrncpy(settings->strategy, AutoCSRStrategies[s]->name, sizeof(settings->strategy)));
      if (pass == 2) settings->max_bins = 1;
      PetscCall(AutoCSRStrategies[s]->variants(&chooser->problem, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
      for (PetscInt v = 0; v < n; v++) PetscCall(add_row(chooser, AutoCSRStrategies[s], &axes[v], (PetscBool)!pass, matrix, rows));
    }
  }
  PetscCall(AutoCSRSettingsInitialize(settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row ranges, where the planner thinks of them; choice: what it chooses */
static PetscErrorCode add_ranges(AutoCSRChooser *chooser, const float matrix[], Rows *rows, AutoCSRRowRange *choice, PetscBool *chosen)
{
  AutoCSRCandidate candidate[AUTOCSR_MAX_CANDIDATES];
  PetscInt         n;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRChoose(chooser, AUTOCSR_MAX_CANDIDATES, candidate, &n));
  *choice = candidate[0].first;
  *chosen = (PetscBool)(candidate[0].n_ranges > 1);
  for (PetscInt i = 0; i < n; i++) {
    const AutoCSREvaluation e   = {.segments = candidate[i].n_ranges, .bytes = candidate[i].bytes};
    Row                    *row = &rows->row[rows->n];

    if (candidate[i].n_ranges < 2 || rows->n == MAX_ROWS) continue;
    *row = (Row){.candidate = candidate[i], .automatic = PETSC_TRUE};
    if (candidate[i].factor > 0) { /* the cost model's are wanted */
      row->candidate.seconds /= candidate[i].factor;
      row->candidate.score /= candidate[i].factor;
    }
    PetscCall(PetscArraycpy(row->feature, matrix, AUTOCSR_MATRIX_FEATURES));
    AutoCSRFeaturesOfVariant(&candidate[i].first.axes, &e, row->candidate.seconds, matrix[AUTOCSR_FEATURE_NONZEROS], 0, row->feature);
    rows->n++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode time_rows(const RowsWanted *w, AutoCSRChooser *chooser, const AutoCSROperands *op, Rows *rows, double *shortest)
{
  double least = PETSC_MAX_REAL;

  PetscFunctionBeginUser;
  *shortest = PETSC_MAX_REAL;
  for (PetscInt i = 0; i < rows->n; i++) least = PetscMin(least, rows->row[i].candidate.seconds);
  for (PetscInt i = 0; i < rows->n; i++) {
    Row *row = &rows->row[i];

    if (row->candidate.seconds > w->worth * least || (w->unasked && !row->automatic)) continue;
    PetscCall(CandidateSeconds(chooser, &row->candidate, op, &w->clock, &row->seconds));
    if (row->seconds > 0) *shortest = PetscMin(*shortest, row->seconds);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fastest whose joules are not counted yet; NULL: none is left */
static Row *next_counted(Rows *rows, double shortest)
{
  Row *next = NULL;

  for (PetscInt i = 0; i < rows->n; i++) {
    Row     *row  = &rows->row[i];
    PetscInt same = 0;

    for (PetscInt k = 0; k < rows->n; k++) same += rows->row[k].joules != 0 && rows->row[k].candidate.first.strategy == row->candidate.first.strategy;
    if (row->automatic && !row->joules && same < SAME && row->seconds > 0 && row->seconds <= NEAR_BEST * shortest && (!next || row->seconds < next->seconds)) next = row;
  }
  return next;
}

/* Counts joules of the planner's choice first, then of the fastest variants. again: joules of the first variant, and the same counted a second time */
static PetscErrorCode count_joules(const RowsWanted *w, AutoCSRChooser *chooser, const AutoCSROperands *op, Rows *rows, Row *choice, double shortest, double again[2])
{
  Row *row = choice;

  PetscFunctionBeginUser;
  again[0] = again[1] = 0;
  for (PetscInt n = 0; n < w->counted && w->energy > 0; n++, row = NULL) {
    if (!row) row = next_counted(rows, shortest);
    if (!row) break;
    PetscCall(CandidateJoules(chooser, &row->candidate, op, row->seconds, w->energy, &row->joules));
    if (!row->joules) row->joules = -1; /* not to be tried again */
    if (n || !w->again) continue;
    again[0] = row->joules;
    PetscCall(CandidateJoules(chooser, &row->candidate, op, row->seconds, AGAIN_SPANS * w->energy, &again[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void print_row(const Row *row, FILE *file)
{
  fprintf(file, "V,%s,%d", row->candidate.n_ranges > 1 ? "ranges" : row->candidate.first.strategy->name, (int)row->automatic);
  for (int i = AUTOCSR_MATRIX_FEATURES + 1; i < AUTOCSR_FEATURES; i++) {
    if (i >= AUTOCSR_FEATURE_WORK && i <= AUTOCSR_FEATURE_WAIT)
      fprintf(file, ",%.0f", 1e3 * (double)row->feature[i]);
    else
      fprintf(file, ",%.*g", i == AUTOCSR_FEATURE_PREDICTED ? 4 : 3, (double)row->feature[i]);
  }
  fprintf(file, ",%.4g,%.4g,", 1e6 * row->candidate.score, 1e6 * row->seconds);
  if (row->joules > 0) fprintf(file, "%.4g", 1e6 * row->joules);
  fprintf(file, "\n");
}

/* Of the granularity that takes least, and of the single bin */
static PetscErrorCode print_bins(const RowsWanted *w, const AutoCSRChooser *chooser, const AutoCSROperands *op, const Rows *rows, PetscInt *lines, FILE *file)
{
  const PetscInt m    = chooser->problem.csr->m;
  PetscInt       U[2] = {0, m};
  double         best = PETSC_MAX_REAL;
  BinTimes      *times;

  PetscFunctionBeginUser;
  *lines = 0;
  if (!w->bins) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < rows->n; i++) {
    const Row *row = &rows->row[i];

    if (strcmp(row->candidate.first.strategy->name, "binned") || !row->seconds || row->candidate.first.axes.row_group >= m || row->seconds >= best) continue;
    best = row->seconds;
    U[0] = row->candidate.first.axes.row_group;
  }
  PetscCall(PetscMalloc1(w->bins, &times));
  for (int k = U[0] ? 0 : 1; k < 2; k++) {
    PetscInt n;

    PetscCall(BinsSeconds(chooser, U[k], op, &w->clock, k ? 1 : w->bins, times, &n));
    for (PetscInt b = 0; b < n; b++) {
      fprintf(file, "B,%d,%d,%d,%d", (int)(k ? 0 : U[k]), (int)times[b].bin, (int)times[b].rows, (int)times[b].nnz);
      for (int i = 0; i < BIN_KERNELS; i++) {
        fprintf(file, ",");
        if (times[b].seconds[i] > 0) fprintf(file, "%.4g", 1e6 * times[b].seconds[i]);
      }
      fprintf(file, "\n");
    }
    *lines += n;
  }
  PetscCall(PetscFree(times));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a device the profile lacks two features, which cost a pass here */
static void complete(const AutoCSRMatrix *csr, float f[])
{
  double   sum    = 0;
  PetscInt widest = 0;

  if (f[AUTOCSR_FEATURE_SPAN] > 0) return;
  for (PetscInt i = 0; i < csr->m; i++) {
    const PetscInt begin = csr->row_ptr[i], end = csr->row_ptr[i + 1], span = begin < end ? csr->col[end - 1] - csr->col[begin] : -1;

    sum += span + 1.0;
    widest = PetscMax(widest, span);
  }
  f[AUTOCSR_FEATURE_SPAN]   = (float)(sum / csr->m);
  f[AUTOCSR_FEATURE_WIDEST] = (float)widest;
}

static PetscErrorCode measure(const RowsWanted *w, const char key[], const AutoCSRMatrix *host, const AutoCSROperands *op, AutoCSRProfile *profile, FILE *file, RowsSummary *summary)
{
  AutoCSRSettings settings;
  AutoCSRChooser *chooser;
  Rows           *rows;
  AutoCSRRowRange choice = {0};
  Row            *chosen = NULL;
  double          again[2];
  float           feature[AUTOCSR_MATRIX_FEATURES];
  char           *bins;
  size_t          length;
  FILE           *bin_lines = open_memstream(&bins, &length);
  PetscInt        n_bins, timed = 0;
  PetscBool       ranges = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCheck(bin_lines, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the rows");
  *summary = (RowsSummary){0, 0, PETSC_MAX_REAL, 0, "none"};
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PetscNew(&chooser));
  PetscCall(PetscNew(&rows));
  PetscCall(AutoCSRChooserBegin(chooser, w->figures, op->csr, profile, &settings));
  if (op->csr->backend->room && AutoCSRMatrixBytes(op->csr) >= ROOM_ASKED) PetscCall((*op->csr->backend->room)(&chooser->problem.room));
  AutoCSRFeaturesOfMatrix(profile, feature);
  complete(host, feature);
  PetscCall(add_ranges(chooser, feature, rows, &choice, &ranges));
  PetscCall(list_variants(chooser, feature, rows));
  PetscCall(time_rows(w, chooser, op, rows, &summary->best));
  for (PetscInt i = 0; i < rows->n; i++) {
    Row *row = &rows->row[i];

    if (!row->seconds) continue;
    timed++;
    if (row->seconds == summary->best) summary->strategy = row->candidate.n_ranges > 1 ? "ranges" : row->candidate.first.strategy->name;
    if (row->candidate.n_ranges > 1 ? ranges : !ranges && row->candidate.first.strategy == choice.strategy && !memcmp(&row->candidate.first.axes, &choice.axes, sizeof(choice.axes))) chosen = row;
  }
  if (chosen) summary->model = chosen->seconds;
  PetscCall(count_joules(w, chooser, op, rows, chosen, summary->best, again));
  for (PetscInt i = 0; i < rows->n; i++) summary->counted += rows->row[i].joules > 0;
  PetscCall(print_bins(w, chooser, op, rows, &n_bins, bin_lines));
  fclose(bin_lines);
  summary->variants = timed;
  fprintf(file, "M,%s", key);
  for (int i = 0; i < AUTOCSR_MATRIX_FEATURES; i++) fprintf(file, ",%.4g", feature[i]);
  fprintf(file, ",%d,%d\n", (int)timed, (int)n_bins);
  for (PetscInt i = 0; i < rows->n; i++) {
    if (rows->row[i].seconds > 0) print_row(&rows->row[i], file);
  }
  fputs(bins, file);
  if (again[0] > 0 && again[1] > 0) fprintf(file, "J,%.4g,%.4g\n", 1e6 * again[0], 1e6 * again[1]);
  free(bins);
  PetscCall(PetscFree(rows));
  PetscCall(PetscFree(chooser));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowsOfMatrix(const RowsWanted *w, const char key[], const AutoCSRMatrix *host, FILE *file, RowsSummary *summary)
{
  AutoCSRMatrix   there = *host;
  AutoCSROperands op;
  AutoCSRSettings settings;
  AutoCSRProfile *profile;

  PetscFunctionBeginUser;
  there.backend = w->figures->backend;
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PlaceMatrix(host, &there, &op));
  PetscCall(AutoCSRProfileLook(&there, there.backend->slice_height, AutoCSRBackendTileWidth(there.backend, &there), AutoCSRRowsTellAll(&w->figures->machine, &there, &settings), &profile));
  PetscCall(measure(w, key, host, &op, profile, file, summary));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(PlaceFree(&op));
  PetscFunctionReturn(PETSC_SUCCESS);
}
