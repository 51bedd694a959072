static char help[] = "How much of x gathers reach and a cache holds, that propagate is proposed where that is much, and popular where it is little of a long x; the pieces that column tiles make, and their items.\n\n";

#include "../../src/mat/impls/autocsr/strategy/strategy.h"
#include "../../src/mat/impls/autocsr/choose/choose.h"
#include "../../src/mat/impls/autocsr/machine/figures.h"
#include "../../src/mat/impls/autocsr/backend.h"
#include "../../src/mat/impls/autocsr/layout/tiled.h"
#include "../numbers.h"

enum {
  ROWS   = 131072,
  LENGTH = 16, /* rows of one length, a power of two: samples at even distances would be first entries only */
  COLS   = 1 << 24
};

/* Tiles of a device's size: a processor has none */
static void Shape(PetscInt m, PetscInt n, PetscInt nnz, AutoCSRAxes *axes)
{
  axes->tile_width  = 16384;
  axes->tile_height = 8160;
  axes->tile_steps = axes->row_limit = 65536;
}

/* One column of each LENGTH-th part of those that are multiples of step */
static void FillColumns(PetscInt step, PetscInt col[])
{
  const PetscInt part = COLS / step / LENGTH;

  for (PetscInt p = 0; p < ROWS * LENGTH; p++) col[p] = step * (p % LENGTH * part + (PetscInt)(Random64(p, 1) % (uint64_t)part));
}

/* Products are written and read: each entry moves two scalars beside its value, its column and its place. Tiles of x are copied whole */
static PetscErrorCode CheckPropagate(const AutoCSRProblem *problem, const AutoCSRStrategy *propagate, const AutoCSRAxes *axes)
{
  AutoCSRCost  segment[AUTOCSR_MAX_SEGMENTS];
  const double least = (double)problem->csr->nnz * (2 * sizeof(PetscScalar) + 1 + sizeof(uint16_t) + 3);
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall((*propagate->cost)(problem, axes, segment, &n));
  PetscCheck(n == 1 && segment->bytes >= least && segment->bytes < 3 * least + (double)problem->csr->n * sizeof(PetscScalar), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " segments that move %g bytes for %g at least", n, segment->bytes, least);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing is gathered: each entry moves its value and its column, and little else where all columns of a row are in one tile */
static PetscErrorCode CheckPopular(const AutoCSRProblem *problem, const AutoCSRStrategy *popular, const AutoCSRAxes *axes)
{
  AutoCSRCost  segment[AUTOCSR_MAX_SEGMENTS];
  const double least = (double)problem->csr->nnz * (1 + sizeof(uint16_t)), most = (double)problem->csr->nnz * (5 * sizeof(PetscScalar) + sizeof(uint16_t)) + 5.0 * COLS * sizeof(PetscScalar);
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall((*popular->cost)(problem, axes, segment, &n));
  PetscCheck(n == 1 && segment->scattered == 0 && segment->bytes >= least && segment->bytes < most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " segments that gather %g entries and move %g bytes for %g to %g", n, segment->scattered, segment->bytes, least, most);
  PetscCheck(segment->rows >= problem->csr->m && segment->rows <= problem->csr->nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%g pieces of %" PetscInt_FMT " rows", segment->rows, problem->csr->m);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Variants of a strategy for a device, with settings that name one */
static PetscErrorCode CountVariants(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const char name[], const char strategy[], PetscInt *n)
{
  const AutoCSRStrategy *counted;
  AutoCSRSettings        settings;
  AutoCSRProblem         problem = {.csr = csr, .profile = profile, .settings = &settings, .traits = &AutoCSRTraitsDevice, .parallel = PETSC_TRUE};
  AutoCSRAxes            axes[AUTOCSR_MAX_VARIANTS];
  const char            *why = NULL;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PetscStrncpy(settings.strategy, strategy, sizeof(settings.strategy)));
  AutoCSRProblemSetZones(&problem, 0, profile->zones);
  PetscCall(AutoCSRStrategyFind(name, &counted));
  PetscCall((*counted->variants)(&problem, AUTOCSR_MAX_VARIANTS, axes, n, &why));
  PetscCheck(*n || why, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No variant, and no reason");
  for (PetscInt v = 0; v < *n; v++) PetscCall((strcmp(name, "popular") ? CheckPropagate : CheckPopular)(&problem, counted, &axes[v]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns that are multiples of step reach so many bytes, within a fifth */
static PetscErrorCode CheckColumns(PetscInt step, double bytes, PetscBool propagate, PetscBool popular)
{
  AutoCSRBackend  backend = AutoCSRBackendHost;
  AutoCSRMatrix   csr     = {.m = ROWS, .n = COLS, .nnz = ROWS * LENGTH, .backend = &backend};
  AutoCSRProfile *profile;
  PetscScalar    *val;
  PetscInt       *row_ptr, *col, n;

  PetscFunctionBeginUser;
  backend.shape_tiles = Shape;
  PetscCall(PetscMalloc3(ROWS + 1, &row_ptr, csr.nnz, &col, csr.nnz, &val));
  for (PetscInt i = 0; i <= ROWS; i++) row_ptr[i] = i * LENGTH;
  for (PetscInt p = 0; p < csr.nnz; p++) val[p] = 1 + p % 1000;
  FillColumns(step, col);
  csr.row_ptr = row_ptr;
  csr.col     = col;
  csr.val     = val;
  PetscCall(AutoCSRProfileCreate(&csr, 32, &profile));
  PetscCheck(PetscAbsReal(profile->reach - bytes) < 0.2 * bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Every %" PetscInt_FMT "th column: %g bytes for %g", step, profile->reach, bytes);
  for (int s = 0; s < 2; s++) {
    PetscCall(CountVariants(&csr, profile, s ? "popular" : "propagate", "auto", &n));
    PetscCheck((n > 0) == (s ? popular : propagate), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Every %" PetscInt_FMT "th column: %" PetscInt_FMT " variants of %s", step, n, s ? "popular" : "propagate");
    PetscCall(CountVariants(&csr, profile, s ? "popular" : "propagate", s ? "popular" : "propagate", &n));
    PetscCheck(n > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Not even by name");
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(AutoCSRProfileCreate(&csr, 8, &profile)); /* a processor's is not looked at */
  PetscCheck(profile->reach == PetscMin((double)COLS * sizeof(PetscScalar), (double)csr.nnz * AUTOCSR_LINE), PETSC_COMM_SELF, PETSC_ERR_PLIB, "On a processor: %g bytes", profile->reach);
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(PetscFree3(row_ptr, col, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What a cache holds */

/* The share of gathers whose line is among so many that were gathered last; all once before that are counted */
static PetscErrorCode SimulateCache(PetscInt nnz, const PetscInt col[], PetscInt lines, PetscInt room, double *held)
{
  PetscInt *older, *newer, oldest, used = 0, found = 0; /* entry `lines` closes the ring: the newest is older[lines], the oldest newer[lines] */
  PetscBool count = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(lines + 1, &older, lines + 1, &newer));
  for (PetscInt l = 0; l < lines; l++) newer[l] = -1; /* not there */
  older[lines] = newer[lines] = lines;
  for (int turn = 0; turn < 2; turn++, count = PETSC_TRUE) {
    for (PetscInt k = 0; k < nnz; k++) {
      const PetscInt line = col[k] / (AUTOCSR_LINE / (PetscInt)sizeof(PetscScalar));

      if (newer[line] >= 0) {
        found += count;
        newer[older[line]] = newer[line];
        older[newer[line]] = older[line];
      } else if (used == room) {
        oldest               = newer[lines];
        newer[lines]         = newer[oldest];
        older[newer[oldest]] = lines;
        newer[oldest]        = -1;
      } else
        used++;
      older[line]         = older[lines];
      newer[line]         = lines;
      newer[older[lines]] = line;
      older[lines]        = line;
    }
  }
  *held = (double)found / nnz;
  PetscCall(PetscFree2(older, newer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns as anywhere^power in [0, 1): the higher, the more of them are gathered again and again */
static PetscErrorCode CheckHeld(double power)
{
  enum {
    N = 1 << 21
  };
  const PetscInt  of_line = AUTOCSR_LINE / (PetscInt)sizeof(PetscScalar), lines = N / of_line;
  AutoCSRMatrix   csr = {.m = ROWS, .n = N, .nnz = ROWS * LENGTH, .backend = &AutoCSRBackendHost};
  AutoCSRProfile *profile;
  PetscScalar    *val;
  PetscInt       *row_ptr, *col;
  double          before = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(ROWS + 1, &row_ptr, csr.nnz, &col, csr.nnz, &val));
  for (PetscInt i = 0; i <= ROWS; i++) row_ptr[i] = i * LENGTH;
  for (PetscInt p = 0; p < csr.nnz; p++) {
    val[p] = 1;
    col[p] = (PetscInt)(pow((double)(Random64(p, 2) >> 11) * 0x1p-53, power) * N);
  }
  csr.row_ptr = row_ptr;
  csr.col     = col;
  csr.val     = val;
  PetscCall(AutoCSRProfileCreate(&csr, 32, &profile));
  PetscCheck((profile->reach_growth < 0.1) == (power == 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Power %g: what gathers reach grows as the power %g of how many they are", power, profile->reach_growth);
  for (PetscInt part = 64; part >= 1; part /= 2) {
    const double held = AutoCSRProfileHeld(profile, (double)AUTOCSR_LINE * (lines / part));
    double       truth;

    PetscCall(SimulateCache(csr.nnz, col, lines, lines / part, &truth));
    PetscCheck(held >= before && held <= 1 && PetscAbsReal(held - truth) < 0.1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Power %g: a cache of a part in %" PetscInt_FMT " of x holds %g, not %g", power, part, truth, held);
    before = held;
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(PetscFree3(row_ptr, col, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Pieces of column tiles: as many as are counted before these are built, wherever the columns of rows lie */

/* The k-th column of a row of so many, ascending: runs of `run` neighbours, one in each equal part of the columns [begin, begin + width) */
static PetscInt ColumnOfRun(PetscInt row, PetscInt length, PetscInt k, PetscInt run, PetscInt begin, PetscInt width)
{
  const PetscInt part = width / (length / run);

  return begin + k / run * part + (PetscInt)(Random64(row * length + k / run, 3) % (uint64_t)(part - run)) + k % run;
}

static PetscErrorCode CheckPieces(PetscInt run, PetscInt width)
{
  enum {
    M       = 8192,
    ENTRIES = 64,
    N       = 1 << 20
  };
  AutoCSRMatrix          csr = {.m = M, .n = N, .nnz = M * ENTRIES, .backend = &AutoCSRBackendHost};
  AutoCSRSettings        settings;
  AutoCSRProblem         problem = {.csr = &csr, .settings = &settings};
  AutoCSRAxes            axes[AUTOCSR_MAX_VARIANTS];
  AutoCSRCost            segment[AUTOCSR_MAX_SEGMENTS];
  AutoCSRProfile        *profile;
  AutoCSRPlan           *plan;
  const AutoCSRStrategy *coltile;
  const char            *why = NULL;
  PetscScalar           *val;
  PetscInt              *row_ptr, *col, n;
  double                 pieces, cuts;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(M + 1, &row_ptr, csr.nnz, &col, csr.nnz, &val));
  for (PetscInt i = 0; i <= M; i++) row_ptr[i] = i * ENTRIES;
  for (PetscInt p = 0; p < csr.nnz; p++) {
    const PetscInt row = p / ENTRIES;

    val[p] = 1 + p % 1000;
    col[p] = ColumnOfRun(row, ENTRIES, p % ENTRIES, run, (PetscInt)((PetscInt64)(N - width) * row / M), width);
  }
  csr.row_ptr = row_ptr;
  csr.col     = col;
  csr.val     = val;
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PetscStrncpy(settings.strategy, "coltile", sizeof(settings.strategy)));
  PetscCall(AutoCSRProfileCreate(&csr, 8, &profile));
  problem.profile = profile;
  AutoCSRProblemSetZones(&problem, 0, profile->zones);
  PetscCall(AutoCSRStrategyFind("coltile", &coltile));
  PetscCall((*coltile->variants)(&problem, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
  PetscCheck(n > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No column tiles: %s", why);
  PetscCall((*coltile->cost)(&problem, &axes[0], segment, &n));
  PetscCall(AutoCSRPlanCreate(&csr, &plan));
  PetscCall(AutoCSRStrategyBuild(coltile, &problem, &axes[0], plan));
  pieces = (double)plan->segment[0].stream[AUTOCSR_STREAM_PIECE_ROW].bytes / sizeof(uint16_t);
  cuts   = (double)AUTOCSR_TILED_SHARES * AutoCSRTiledItemCount(&plan->segment[0]); /* at most: where a share of an item ends, its last piece does */
  PetscCheck(segment->rows < 1.05 * pieces && pieces < 1.05 * segment->rows + cuts, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Runs of %" PetscInt_FMT " columns in %" PetscInt_FMT ": %g pieces for %g", run, width, segment->rows, pieces);
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(PetscFree3(row_ptr, col, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tiles are padded, not runs: a graph of 2^25 rows has millions of those, and its slots are counted in 32 bits all the same */
static PetscErrorCode CheckLarge(void)
{
  AutoCSRBackend         backend = AutoCSRBackendHost;
  const AutoCSRMatrix    csr     = {.m = 1 << 25, .n = 1 << 25, .nnz = 266001421, .backend = &backend};
  const AutoCSRProfile   profile = {.values = AUTOCSR_MAX_DISTINCT + 1};
  AutoCSRSettings        settings;
  const AutoCSRProblem   problem = {.csr = &csr, .profile = &profile, .settings = &settings, .traits = &AutoCSRTraitsDevice, .parallel = PETSC_TRUE};
  const AutoCSRStrategy *popular;
  AutoCSRAxes            axes[AUTOCSR_MAX_VARIANTS];
  const char            *why = NULL;
  PetscInt               n;

  PetscFunctionBeginUser;
  backend.shape_tiles = Shape;
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PetscStrncpy(settings.strategy, "popular", sizeof(settings.strategy)));
  PetscCall(AutoCSRStrategyFind("popular", &popular));
  PetscCall((*popular->variants)(&problem, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
  PetscCheck(n > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A large graph: %s", why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tiles with so many thousandths of the groups: no more items than were asked for, and none much longer than the mean */
static PetscErrorCode CheckItems(const PetscInt share[], PetscInt tiles, PetscInt groups, PetscInt asked)
{
  AutoCSRSegment          seg       = {.backend = &AutoCSRBackendHost, .axes = {.order = AUTOCSR_ORDER_TILED, .tile_width = 1, .tile_steps = groups / asked}};
  PetscInt                first[16] = {0}, n, next = 0, longest = 0;
  const AutoCSRTiledItem *item;

  PetscFunctionBeginUser;
  for (PetscInt c = 0; c < tiles; c++) first[c + 1] = first[c] + (PetscInt)((PetscInt64)groups * share[c] / 1000);
  PetscCall(AutoCSRTiledAllocateItems(&seg, tiles, first));
  n    = AutoCSRTiledItemCount(&seg);
  item = (const AutoCSRTiledItem *)seg.stream[AUTOCSR_STREAM_ITEM].data;
  for (PetscInt i = 0; i < n; i++) {
    PetscCheck(item[i].begin == next && item[i].begin + item[i].groups <= first[item[i].tile + 1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Item %" PetscInt_FMT " is not next, or not of its tile", i);
    next += item[i].groups;
    longest = PetscMax(longest, item[i].groups);
  }
  PetscCheck(next == first[tiles], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Items end with group %" PetscInt_FMT " of %" PetscInt_FMT, next, first[tiles]);
  PetscCheck(n <= asked && longest * (double)asked < 1.25 * first[tiles], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " items of up to %" PetscInt_FMT " groups, %" PetscInt_FMT " of %" PetscInt_FMT " asked for", n, longest, asked, first[tiles] / asked);
  PetscCall((*seg.backend->deallocate)(seg.stream[AUTOCSR_STREAM_ITEM].data));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  const PetscInt uneven[] = {862, 58, 37, 25, 18}, even[] = {201, 199, 200, 202, 198}, empty[] = {0, 510, 0, 490, 0};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CheckHeld(1));
  PetscCall(CheckHeld(2));
  PetscCall(CheckHeld(4));
  PetscCall(CheckColumns(1, (double)AUTOCSR_LINE * PetscMin(ROWS * LENGTH, COLS / (AUTOCSR_LINE / (PetscInt)sizeof(PetscScalar))), PETSC_TRUE, PETSC_FALSE));
  PetscCall(CheckColumns(1024, (double)AUTOCSR_LINE * (COLS / 1024), PETSC_FALSE, PETSC_TRUE)); /* a line each */
  PetscCall(CheckColumns(COLS / LENGTH, (double)AUTOCSR_LINE * LENGTH, PETSC_FALSE, PETSC_TRUE));
  PetscCall(CheckLarge());
  for (PetscInt run = 1; run <= 16; run *= 4) {
    PetscCall(CheckPieces(run, 1 << 20));
    PetscCall(CheckPieces(run, 1 << 16));
    PetscCall(CheckPieces(run, 1 << 12));
  }
  for (PetscInt asked = 66; asked <= 1056; asked *= 2) {
    PetscCall(CheckItems(uneven, 5, 52563, asked));
    PetscCall(CheckItems(even, 5, 52563, asked));
    PetscCall(CheckItems(empty, 5, 104729, asked));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "As far as columns lie\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    output_file: output/reach_1.out

TEST*/
