static char help[] = "The choice: the best variants by their scores, best first, csr among them, and row ranges where they gain; adaptive tiles where they gain; what rows longer than a cache cost, ends of uneven rows, padding, named rows, and blocks of each size.\n\n";

#include "../../src/mat/impls/autocsr/choose/candidate.h"
#include "../blocks.h"

#define MOST 512 /* variants of all strategies */

/* A stencil of constant coefficients, and short rows of random columns: ranges take 0.67 to 0.81 of the best for all rows, whatever the scalars and the instruction set */
static PetscInt Halves(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i < m / 2 ? Star(n, i, 100, m / 200, 1, 1, col) : Pick(n, i, n / 4, col);
}

static const Generator more[] = {
    {"two halves", 40000, 40000, Halves, VALUES_OFFSET}};

typedef struct {
  const AutoCSRStrategy *strategy;
  AutoCSRAxes            axes;
  double                 score;
} Variant;

/* All variants that run and are let in, in the order in which they are asked for */
static PetscErrorCode ListVariants(AutoCSRChooser *chooser, Variant list[], PetscInt *n)
{
  AutoCSRAxes       axes[AUTOCSR_MAX_VARIANTS];
  AutoCSREvaluation e;
  const char       *why;
  PetscInt          n_axes;
  PetscBool         all, same;

  PetscFunctionBeginUser;
  *n = 0;
  PetscCall(PetscStrcmp(chooser->problem.settings->strategy, "auto", &all));
  for (PetscInt s = 0; AutoCSRStrategies[s]; s++) {
    PetscCall(PetscStrcmp(chooser->problem.settings->strategy, AutoCSRStrategies[s]->name, &same));
    if (!all && !same) continue;
    PetscCall((*AutoCSRStrategies[s]->variants)(&chooser->problem, AUTOCSR_MAX_VARIANTS, axes, &n_axes, &why));
    for (PetscInt v = 0; v < n_axes; v++) {
      double score;

      PetscCall(AutoCSRCostEvaluate(chooser, &chooser->problem, AutoCSRStrategies[s], &axes[v], &e));
      score = AutoCSRCostScore(&chooser->problem, &e);
      if (!(score < PETSC_MAX_REAL)) continue;
      PetscCheck(*n < MOST, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More than %d variants", MOST);
      list[(*n)++] = (Variant){AutoCSRStrategies[s], axes[v], score + chooser->figures->machine.product};
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first of those that score least; it is taken from the list. NULL: any strategy */
static PetscErrorCode TakeBest(const AutoCSRStrategy *strategy, Variant list[], PetscInt *n, Variant *best)
{
  PetscInt k = -1;

  PetscFunctionBeginUser;
  for (PetscInt v = 0; v < *n; v++) {
    if ((!strategy || list[v].strategy == strategy) && (k < 0 || list[v].score < list[k].score)) k = v;
  }
  PetscCheck(k >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No variant is left");
  *best = list[k];
  PetscCall(PetscMemmove(list + k, list + k + 1, sizeof(*list) * (size_t)(*n - k - 1)));
  (*n)--;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool HasVariant(const AutoCSRStrategy *strategy, const Variant list[], PetscInt n)
{
  for (PetscInt v = 0; v < n; v++) {
    if (list[v].strategy == strategy) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* They follow one another from the first zone to the last */
static PetscErrorCode CheckPieces(const AutoCSRChooser *chooser, const AutoCSRCandidate *c, const char what[])
{
  const AutoCSRRowRange *range = AutoCSRCandidateRanges(chooser, c);
  PetscInt            zone = 0;

  PetscFunctionBeginUser;
  for (PetscInt p = 0; p < c->n_ranges; p++) {
    PetscCheck(range[p].zone_begin == zone && (range[p].zone_end > zone || c->n_ranges == 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: range %" PetscInt_FMT " begins with zone %" PetscInt_FMT ", not %" PetscInt_FMT, what, p, range[p].zone_begin, zone);
    zone = range[p].zone_end;
  }
  PetscCheck(zone == chooser->problem.profile->zones, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " zones of %" PetscInt_FMT, what, zone, chooser->problem.profile->zones);
  PetscCheck(!memcmp(&c->first, &range[0], sizeof(*range)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the candidate's range is not the first", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The candidates are those that a list of all, sorted, begins with */
static PetscErrorCode CheckCandidates(AutoCSRChooser *chooser, PetscInt max, PetscInt *ranges, PetscInt *last, const char what[])
{
  AutoCSRCandidate candidate[AUTOCSR_MAX_CANDIDATES];
  static Variant   list[MOST];
  PetscInt         n, left;
  PetscBool        automatic, wants_csr;

  PetscFunctionBeginUser;
  PetscCall(PetscStrcmp(chooser->problem.settings->strategy, "auto", &automatic));
  PetscCall(AutoCSRChoose(chooser, max, candidate, &n));
  PetscCall(ListVariants(chooser, list, &left));
  PetscCheck(n >= 1 && n <= max, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " candidates of %" PetscInt_FMT, what, n, max);
  if (!left || !chooser->problem.csr->nnz) { /* csr, whatever the settings, and why it is not what was asked for */
    PetscCheck(n == 1 && candidate[0].first.strategy == chooser->csr, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: nothing applies, and yet %s", what, candidate[0].first.strategy->name);
    PetscCheck(automatic || !strcmp(chooser->problem.settings->strategy, "csr") || chooser->why_not, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: no reason", what);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  wants_csr = (PetscBool)(automatic && HasVariant(chooser->csr, list, left));
  PetscCheck(!chooser->why_not, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s does not apply: %s", what, chooser->why_not);
  PetscCheck(n == PetscMin(max, left + (candidate[0].n_ranges > 1)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " candidates of %" PetscInt_FMT " variants", what, n, left);
  for (PetscInt k = 0; k < n; k++) {
    const AutoCSRCandidate *c = &candidate[k];
    Variant                 want;

    PetscCall(CheckPieces(chooser, c, what));
    if (c->n_ranges > 1) {
      PetscCheck(!k && automatic && c->score < candidate[1].score, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row ranges in place %" PetscInt_FMT " score %g", what, k, c->score);
      (*ranges)++;
      continue;
    }
    PetscCall(TakeBest(wants_csr && k == max - 1 ? chooser->csr : NULL, list, &left, &want));
    PetscCheck(c->first.strategy == want.strategy && c->score == want.score && !memcmp(&c->first.axes, &want.axes, sizeof(want.axes)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: candidate %" PetscInt_FMT " of %" PetscInt_FMT " is %s (%g), not %s (%g)", what, k, max, c->first.strategy->name, c->score, want.strategy->name, want.score);
    wants_csr = (PetscBool)(wants_csr && want.strategy != chooser->csr);
    if (k == max - 1 && left) {
      PetscCall(TakeBest(NULL, list, &left, &want));
      *last += want.score < c->score; /* it has csr's place for csr's sake */
    }
  }
  PetscCheck(!wants_csr, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: csr is not among %" PetscInt_FMT, what, max);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckMatrix(const Generator *g, const AutoCSRFigures *figures, AutoCSRChooser *chooser, PetscInt *ranges, PetscInt *last)
{
  const char *const strategies[] = {"auto", "csr", "ell", "block", "inode", "pattern", "rowbins", "binned"};
  AutoCSRMatrix     csr;
  AutoCSRSettings   settings;
  AutoCSRProfile   *profile;
  char              what[128];

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &csr));
  PetscCall(AutoCSRProfileCreate(&csr, csr.backend->slice_height, &profile));
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(strategies); s++) {
    for (int objective = MAT_AUTOCSR_OBJECTIVE_TIME; objective <= MAT_AUTOCSR_OBJECTIVE_ENERGY; objective++) {
      PetscCall(AutoCSRSettingsInitialize(&settings));
      settings.objective = (MatAutoCSRObjective)objective;
      PetscCall(PetscStrncpy(settings.strategy, strategies[s], sizeof(settings.strategy)));
      PetscCall(AutoCSRChooserBegin(chooser, figures, &csr, profile, &settings));
      PetscCall(PetscSNPrintf(what, sizeof(what), "%s, %s, objective %s", g->name, strategies[s], MatAutoCSRObjectives[objective]));
      for (PetscInt max = 2; max <= AUTOCSR_MAX_CANDIDATES; max++) PetscCall(CheckCandidates(chooser, max, ranges, last, what));
    }
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One column in some eighty bytes of x: each in a line of its own */
static PetscInt LineByLine(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt k = 0;

  for (PetscInt j = i; j < n; j += 80 / (PetscInt)sizeof(PetscScalar)) col[k++] = j;
  return k;
}

/* What x costs rows in place and slices. times: bytes of x, of so many second-level caches */
static PetscErrorCode GatherOf(const AutoCSRFigures *figures, AutoCSRChooser *chooser, double times, double *in_place, double *slices)
{
  const Generator long_rows = {"rows longer than a cache", 16, (PetscInt)(times * figures->machine.cache[1] / sizeof(PetscScalar)), LineByLine, VALUES_MANY};
  const char     *names[]   = {"csr", "sell"};
  double         *gather[]  = {in_place, slices};
  AutoCSRMatrix   csr;
  AutoCSRSettings settings;
  AutoCSRProfile *profile;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(&long_rows, &csr));
  PetscCall(AutoCSRProfileCreate(&csr, csr.backend->slice_height, &profile));
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(AutoCSRChooserBegin(chooser, figures, &csr, profile, &settings));
  for (int s = 0; s < 2; s++) {
    const AutoCSRStrategy *strategy;
    AutoCSRAxes            axes[AUTOCSR_MAX_VARIANTS];
    AutoCSRCost            segment[AUTOCSR_MAX_SEGMENTS];
    AutoCSRTerms           terms;
    const char            *why;
    PetscInt               n;

    PetscCall(AutoCSRStrategyFind(names[s], &strategy));
    PetscCall((*strategy->variants)(&chooser->problem, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
    PetscCheck(n > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s does not apply to rows longer than a cache: %s", names[s], why);
    PetscCall((*strategy->cost)(&chooser->problem, &axes[0], segment, &n));
    PetscCall(AutoCSRCostTerms(chooser, &chooser->problem, &segment[0], segment[0].bytes, &terms));
    *gather[s] = terms.gather;
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows in place bring x again, row by row, once the second-level cache does not hold a row's lines; slices do not */
static PetscErrorCode CheckLongRows(const AutoCSRFigures *figures, AutoCSRChooser *chooser)
{
  double in_place, slices;

  PetscFunctionBeginUser;
  PetscCall(GatherOf(figures, chooser, 0.5, &in_place, &slices));
  PetscCheck(in_place == slices, PETSC_COMM_SELF, PETSC_ERR_PLIB, "x that a cache holds costs rows in place %g s and slices %g s", in_place, slices);
  PetscCall(GatherOf(figures, chooser, 4, &in_place, &slices));
  PetscCheck(in_place > slices, PETSC_COMM_SELF, PETSC_ERR_PLIB, "x costs rows that are longer than a cache %g s in place and %g s in slices", in_place, slices);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of one to eight entries */
static PetscInt Uneven(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Pick(n, i, 1 + i % 8, col);
}

/* The same, near the diagonal */
static PetscInt UnevenNear(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt k = 0;

  for (PetscInt j = i; j < PetscMin(n, i + 1 + i % 8); j++) col[k++] = j;
  return k;
}

static void BeParallel(AutoCSRProblem *problem, PetscBool parallel)
{
  problem->parallel = parallel;
  problem->traits   = parallel ? &AutoCSRTraitsDevice : &AutoCSRTraitsHost;
}

/* What a strategy's first variant for a device or a processor costs there, first[0], and the same variant on the other, first[1]; bytes of what padding it has */
static PetscErrorCode FirstVariant(const Generator *g, const AutoCSRFigures *figures, PetscBool parallel, const char name[], AutoCSRCost first[2], double *padding)
{
  const AutoCSRStrategy *strategy;
  AutoCSRMatrix          csr;
  AutoCSRSettings        settings;
  AutoCSRProfile        *profile;
  AutoCSRProblem         problem = {.csr = &csr, .settings = &settings, .lanes = figures->lanes};
  AutoCSRAxes            axes[AUTOCSR_MAX_VARIANTS];
  AutoCSRCost            segment[AUTOCSR_MAX_SEGMENTS];
  const char            *why;
  PetscInt               n;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &csr));
  PetscCall(AutoCSRProfileCreate(&csr, parallel ? 32 : 8, &profile));
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PetscStrncpy(settings.strategy, name, sizeof(settings.strategy)));
  problem.profile = profile;
  AutoCSRProblemSetZones(&problem, 0, profile->zones);
  BeParallel(&problem, parallel);
  PetscCall(AutoCSRStrategyFind(name, &strategy));
  PetscCall((*strategy->variants)(&problem, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
  PetscCheck(n > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s does not apply to %s: %s", name, g->name, why);
  for (int other = 0; other < 2; other++) {
    BeParallel(&problem, other ? (PetscBool)!parallel : parallel);
    PetscCall((*strategy->cost)(&problem, &axes[0], segment, &n));
    first[other] = segment[0];
  }
  *padding = (first[0].entries - csr.nnz) * (double)(AutoCSRStreamElementSize(&axes[0], AUTOCSR_STREAM_INDEX) + AutoCSRStreamElementSize(&axes[0], AUTOCSR_STREAM_VALUE));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What leaves the fast path of a strategy's first variant on a processor */
static PetscErrorCode IrregularOf(const AutoCSRFigures *figures, const char name[], PetscInt m, double *irregular)
{
  const Generator uneven = {"uneven rows", m, m, UnevenNear, VALUES_MANY};
  AutoCSRCost     first[2];
  double          padding;

  PetscFunctionBeginUser;
  PetscCall(FirstVariant(&uneven, figures, PETSC_FALSE, name, first, &padding));
  *irregular = first[0].irregular;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A predictor learns the ends of few rows, and none of many; where all slices have one width, no end is guessed */
static PetscErrorCode CheckEnds(const AutoCSRFigures *figures)
{
  double few, many, twice, slices;

  PetscFunctionBeginUser;
  PetscCall(IrregularOf(figures, "csr", 8192, &few));
  PetscCall(IrregularOf(figures, "csr", 65536, &many));
  PetscCall(IrregularOf(figures, "csr", 131072, &twice));
  PetscCheck(few > 0 && few / 8192 < 0.5 * many / 65536, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Of 8192 uneven rows %g ends count, of 65536 %g", few, many);
  PetscCheck(PetscAbsReal((PetscReal)(twice - 2 * many)) < 1e-3 * many, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Of 65536 uneven rows %g ends count, of 131072 %g", many, twice);
  PetscCall(IrregularOf(figures, "sell", 8192, &slices));
  PetscCall(IrregularOf(figures, "ell", 8192, &few));
  PetscCheck(few > 0 && few < 0.5 * slices, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Slices of one width have %g irregular entries, others %g", few, slices);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A device's lanes read no slot past the end of a row that is theirs alone, but where a sector has others' entries, too; of several lanes a row all are read */
static PetscErrorCode CheckPadding(const AutoCSRFigures *figures)
{
  const Generator uneven = {"uneven rows", 4096, 4096, Uneven, VALUES_MANY};
  AutoCSRCost     first[2];
  double          padding;

  PetscFunctionBeginUser;
  PetscCall(FirstVariant(&uneven, figures, PETSC_TRUE, "ell", first, &padding));
  PetscCheck(padding > 0 && first[0].bytes < first[1].bytes - 0.5 * padding && first[0].bytes > first[1].bytes - padding, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Slices move %g bytes for %g, of which padding is %g", first[0].bytes, first[1].bytes, padding);
  PetscCall(FirstVariant(&uneven, figures, PETSC_TRUE, "sellp", first, &padding));
  PetscCheck(padding > 0 && first[0].bytes == first[1].bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Slices of several lanes a row move %g bytes for %g, of which padding is %g", first[0].bytes, first[1].bytes, padding);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The shipped figures know blocks of each size and coding, whatever the values, by each instruction set; an entry of the largest takes less than one of the smallest */
static PetscErrorCode CheckBlocksAreKnown(const char simd[])
{
  const AutoCSRValue values[] = {AUTOCSR_VALUE_CSR, AUTOCSR_VALUE_DICTIONARY, AUTOCSR_VALUE_FLOAT32};
  AutoCSRFigures    *shipped;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&shipped));
  PetscCall(AutoCSRFiguresShipped(&AutoCSRBackendHost, simd, "reference", NULL, shipped));
  for (size_t v = 0; v < PETSC_STATIC_ARRAY_LENGTH(values); v++) {
    double of_two = 0;

    for (PetscInt b = 2; b <= AUTOCSR_LARGEST_BLOCK; b++) {
      const AutoCSRAxes   axes = {.index = AUTOCSR_INDEX_16, .value = values[v], .mapping = AUTOCSR_MAP_LANES, .lanes = 1, .row_group = 1, .slice_height = AutoCSRBackendHost.slice_height, .block = b};
      AutoCSRExecutorCost cost;
      PetscBool           runs;

      for (PetscInt distinct = 2; distinct <= 200; distinct += 198) {
        PetscCall(AutoCSRFiguresFind(shipped, &axes, PETSC_FALSE, distinct, &cost, &runs));
        PetscCheck(!runs || memcmp(&cost, &shipped->unknown, sizeof(cost)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: nothing is known of blocks of %" PetscInt_FMT ", value coding %d", simd, b, (int)values[v]);
      }
      if (b == 2) of_two = cost.entry;
      PetscCheck(!runs || b != AUTOCSR_LARGEST_BLOCK || cost.entry < of_two || values[v] != AUTOCSR_VALUE_CSR, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: an entry of large blocks takes %g s, one of small blocks %g s", simd, cost.entry, of_two);
    }
  }
  PetscCall(PetscFree(shipped));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* They know slices of named rows, too, which take longer than rows in order */
static PetscErrorCode CheckNamedAreKnown(const char simd[])
{
  AutoCSRFigures *shipped;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&shipped));
  PetscCall(AutoCSRFiguresShipped(&AutoCSRBackendHost, simd, "reference", NULL, shipped));
  for (int index = AUTOCSR_INDEX_32; index <= AUTOCSR_INDEX_16; index++) {
    const AutoCSRAxes   axes = {.order = AUTOCSR_ORDER_SLICED, .index = (AutoCSRIndex)index, .value = AUTOCSR_VALUE_COPY, .mapping = AUTOCSR_MAP_SLICE, .lanes = 1, .row_group = 1, .slice_height = AutoCSRBackendHost.slice_height};
    AutoCSRExecutorCost cost[2];
    PetscBool           runs[2];

    for (int named = 0; named < 2; named++) PetscCall(AutoCSRFiguresFind(shipped, &axes, (PetscBool)named, PETSC_MAX_INT, &cost[named], &runs[named]));
    PetscCheck(runs[0] && runs[1] && cost[1].entry == cost[0].entry && cost[1].row > cost[0].row, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: a row of a slice takes %g s, a named one %g s", simd, cost[0].row, cost[1].row);
  }
  PetscCall(PetscFree(shipped));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An entry in each 150th row, as a plane's neighbours make in the block off the diagonal of a grid's matrix */
static PetscInt FewFilled(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  col[0] = i / 150;
  return i % 150 ? 0 : 1;
}

/* Products that are added to y leave rows without entries alone; no plan is predicted to move its bytes faster than L1 does; and the plan counts the bytes that its cost had */
static PetscErrorCode CheckOffDiagonal(AutoCSRChooser *chooser, const char simd[])
{
  const Generator       few = {"few rows with entries", 45000, 300, FewFilled, VALUES_ONE};
  const AutoCSRFigures *figures;
  AutoCSRMatrix         csr;
  AutoCSRSettings       settings;
  AutoCSRProfile       *profile;
  AutoCSRCandidate      candidate[AUTOCSR_MAX_CANDIDATES];
  PetscInt              n;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRFiguresGet(&AutoCSRBackendHost, simd, &figures));
  PetscCall(MatrixCreate(&few, &csr));
  csr.adds = PETSC_TRUE;
  PetscCall(AutoCSRProfileCreate(&csr, csr.backend->slice_height, &profile));
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(AutoCSRChooserBegin(chooser, figures, &csr, profile, &settings));
  PetscCall(AutoCSRChoose(chooser, AUTOCSR_MAX_CANDIDATES, candidate, &n));
  PetscCheck(candidate[0].bytes < 100. * csr.nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s moves %g bytes for %" PetscInt_FMT " nonzeros", simd, candidate[0].first.strategy->name, candidate[0].bytes, csr.nnz);
  for (PetscInt k = 0; k < n; k++) {
    AutoCSRPlan *plan;
    PetscInt64   own;
    double       moved;

    PetscCheck(candidate[k].bytes <= figures->machine.bandwidth[0] * candidate[k].seconds, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s is to move %g bytes in %g s", simd, candidate[k].first.strategy->name, candidate[k].bytes, candidate[k].seconds);
    PetscCall(AutoCSRCandidateBuild(chooser, &candidate[k], &plan));
    PetscCall(AutoCSRPlanGetBytes(plan, &own, &moved));
    PetscCheck(PetscAbsReal((PetscReal)(moved - candidate[k].bytes)) < 0.1 * moved, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s moves %g bytes, as it is built %g", simd, candidate[k].first.strategy->name, candidate[k].bytes, moved);
    PetscCall(AutoCSRPlanDestroy(&plan));
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows have 16 of 128 columns, an odd number apart: tiles of 2^k columns have a slot for each */
static PetscInt Recurring(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt k = 0; k < 16; k++) col[k] = (i % 8 + 8 * k) * ((n / 128 - 1) | 1);
  return 16;
}

static PetscInt Sixteen(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt k = 0; k < 16; k++) col[k] = (PetscInt)(n / 16 * k + Random64(i, k) % (n / 16));
  return 16;
}

/* The product with so many dense columns that adaptive tiles are taken for first; 0: for none */
static PetscErrorCode FirstByTiles(PetscInt n, PetscInt (*row)(PetscInt, PetscInt, PetscInt, PetscInt[]), PetscInt columns, PetscInt *first)
{
  AutoCSRAxes     axes = {.order = AUTOCSR_ORDER_ADAPTIVE};
  Generator       g    = {"columns for tiles", 0, n, row, VALUES_MANY};
  AutoCSRDense   *dense;
  AutoCSRMatrix   csr;
  AutoCSRDenseWay way;
  double          seconds;
  PetscBool       take = PETSC_FALSE;

  PetscFunctionBeginUser;
  (*AutoCSRBackendHost.shape_tiles)(0, n, 0, &axes);
  g.m = 4 * axes.tile_height;
  PetscCall(MatrixCreate(&g, &csr));
  PetscCall(AutoCSRDenseCreate(csr.backend, &dense));
  PetscCall(AutoCSRDenseFindBand(dense, &csr, AUTOCSR_DENSE_STRIP));
  PetscCall(AutoCSRCostDense(&csr, NULL, MAT_AUTOCSR_DENSE_AUTO, columns, &seconds, &way));
  PetscCheck(way == AUTOCSR_DENSE_PANELS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The first product goes by %s", AutoCSRDenseWayNames[way]);
  for (*first = 0; !take && *first < 10000; ++*first) PetscCall(AutoCSRCostConsiderTiles(&csr, dense, columns, seconds, &take));
  if (!take) *first = 0;
  PetscCheck(dense->share.known, PETSC_COMM_SELF, PETSC_ERR_PLIB, "10000 products have not paid for a sample");
  PetscCall(AutoCSRDenseDestroy(&dense));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products pay for adaptive tiles where rows have columns in common that are far apart; not where B stays in a cache, where no columns recur, or for few dense columns */
static PetscErrorCode CheckTiles(const AutoCSRFigures *figures)
{
  const PetscInt n = (PetscInt)figures->machine.cache[1] / 64, line = 64 / (PetscInt)sizeof(PetscScalar);
  PetscInt       first;

  PetscFunctionBeginUser;
  PetscCall(FirstByTiles(n, Recurring, 4 * line, &first));
  PetscCheck(first > 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles where they gain: product %" PetscInt_FMT " is the first by tiles", first);
  PetscCall(FirstByTiles(128, Recurring, 4 * line, &first));
  PetscCheck(!first, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles where a cache has room for B, from product %" PetscInt_FMT " on", first);
  PetscCall(FirstByTiles(n, Sixteen, 4 * line, &first));
  PetscCheck(!first, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles where no columns recur, from product %" PetscInt_FMT " on", first);
  PetscCall(FirstByTiles(n, Recurring, line, &first));
  PetscCheck(!first, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Tiles for a line of dense columns, from product %" PetscInt_FMT " on", first);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const    *simd = (*AutoCSRBackendHost.instruction_sets)();
  const AutoCSRFigures *figures;
  AutoCSRChooser       *chooser;
  PetscInt              ranges = 0, last = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(AutoCSRFiguresGet(&AutoCSRBackendHost, "auto", &figures));
  PetscCall(PetscNew(&chooser));
  for (size_t g = 0; g < PETSC_STATIC_ARRAY_LENGTH(generators); g++) {
    if (generators[g].m) PetscCall(CheckMatrix(&generators[g], figures, chooser, &ranges, &last)); /* blocks without rows have no choice */
  }
  for (size_t g = 0; g < PETSC_STATIC_ARRAY_LENGTH(more); g++) PetscCall(CheckMatrix(&more[g], figures, chooser, &ranges, &last));
  PetscCheck(ranges > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No row ranges were chosen");
  PetscCheck(last > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The last place was never kept for csr");
  PetscCall(CheckPadding(figures));
  PetscCall(CheckEnds(figures));
  PetscCall(CheckLongRows(figures, chooser));
  PetscCall(CheckTiles(figures));
  for (; *simd; simd++) {
    PetscCall(CheckBlocksAreKnown(*simd));
    PetscCall(CheckNamedAreKnown(*simd));
    PetscCall(CheckOffDiagonal(chooser, *simd));
  }
  PetscCall(PetscFree(chooser));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The best are chosen\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    output_file: output/choice_1.out

TEST*/
