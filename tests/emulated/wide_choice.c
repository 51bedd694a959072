static char help[] = "The choice by an H200's figures for matrices that were drawn by lot and have far more columns than rows: tiles of x, which are copied whole, cost what they move. Trees allocate nothing. Of sampled products all places are multiplied where enough have entries.\n\n";

#define AUTOCSR_HAVE_CUDA
#include "../../src/mat/impls/autocsr/choose/learned.h"
#include "../emulator/backend.h"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "../../src/benchmarks/matrices/drawn.c"

/* Row by row, without threads (src/benchmarks/matrices/csr.c has them) */
PetscErrorCode CsrFromRows(PetscInt m, PetscInt n, PetscInt longest, CsrRow row, const void *ctx, Csr *csr)
{
  PetscInt most = 1 << 20, *col;

  PetscFunctionBeginUser;
  *csr = (Csr){.m = m, .n = n};
  PetscCall(PetscMalloc1(longest, &col));
  PetscCall(PetscMalloc1(m + 1, &csr->row_ptr));
  PetscCall(PetscMalloc1(most, &csr->col));
  csr->row_ptr[0] = 0;
  for (PetscInt i = 0; i < m; i++) {
    const PetscInt begin = csr->row_ptr[i];
    PetscInt       len   = row(ctx, i, col);

    PetscCall(PetscSortRemoveDupsInt(&len, col));
    if (begin + len > most) {
      most = 2 * most + len;
      PetscCall(PetscRealloc((size_t)most * sizeof(PetscInt), &csr->col));
    }
    PetscCall(PetscArraycpy(csr->col + begin, col, len));
    csr->row_ptr[i + 1] = begin + len;
  }
  PetscCall(PetscFree(col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In src/benchmarks/results: microseconds of the slowest variant that may be chosen of each strategy, and of coltile and cuSPARSE's CSR */
typedef struct {
  const char *name;
  double      us;
} Measured;

typedef struct {
  const char *name;
  PetscInt    seed, draw, m, n;
  double      scale, coltile, cusparse;
  Measured    measured[8];
} Wide;

/* clang-format off */
static const Wide wide[] = {
    {"heldout-gpu, 31-power-runs+popular-diagonals", 971, 31, 667709, 11954505, 0.5, 106.4, 67.68, {{"csr-adaptive", 63.37}, {"segsum", 60.9}, {"merge", 70.86}, {"rowbins", 92.29}}},
    {"training-gpu, 251-equal-nearer-one", 2001, 251, 680266, 16722748, 2.5, 62.58, 41.29, {{"csr-adaptive", 28.62}, {"sell", 30.71}, {"sellp", 40.09}, {"rowbins", 30.57}, {"ell", 30.47}, {"csr", 79.66}}}
};
/* clang-format on */

static PetscErrorCode IdentifyH200(AutoCSRIdentity *id)
{
  PetscFunctionBeginUser;
  *id = (AutoCSRIdentity){.vendor = "nvidia"};
  PetscCall(PetscStrncpy(id->name, AUTOCSR_SHIPPED_DEVICE, sizeof(id->name)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's own allocator, and how often it is called */
static PetscErrorCode (*Allocate)(size_t, PetscBool, int, const char[], const char[], void **);
static PetscInt allocations;

static PetscErrorCode AllocateAndCount(size_t size, PetscBool clear, int line, const char function[], const char file[], void **result)
{
  allocations++;
  return (*Allocate)(size, clear, line, function, file, result);
}

/* A product by what is chosen was measured, and takes no longer than cuSPARSE's */
static PetscErrorCode CheckChoice(const Wide *w, const AutoCSRChooser *chooser, const AutoCSRCandidate *c)
{
  const Measured *known = w->measured;
  const char     *by    = MatAutoCSRChoosers[chooser->by];

  PetscFunctionBeginUser;
  PetscCheck(c->n_ranges == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s by %s: row ranges", w->name, by);
  while (known->name && strcmp(known->name, c->first.strategy->name)) known++;
  PetscCheck(known->name, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s by %s: %s, predicted %.3g us", w->name, by, c->first.strategy->name, 1e6 * c->seconds);
  PetscCheck(known->us <= w->cusparse, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s by %s: %s takes up to %g us, cuSPARSE %g", w->name, by, known->name, known->us, w->cusparse);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product by column tiles moves each tile of x, read or not, and is predicted to take longer than the choice */
static PetscErrorCode CheckTiles(const Wide *w, AutoCSRChooser *chooser, const AutoCSRCandidate *c)
{
  const AutoCSRStrategy *coltile;
  AutoCSRAxes            axes;
  AutoCSREvaluation      e;
  const char            *why;
  PetscInt               n;
  double                 x = sizeof(PetscScalar) * (double)w->n, least = x + chooser->problem.csr->nnz * 2.0;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRStrategyFind("coltile", &coltile));
  PetscCall((*coltile->variants)(&chooser->problem, 1, &axes, &n, &why));
  PetscCheck(n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: coltile is not looked at: %s", w->name, why);
  PetscCall(AutoCSRCostEvaluate(chooser, &chooser->problem, coltile, &axes, &e));
  PetscCheck(e.bytes > least, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: coltile moves %g bytes, of x alone %g", w->name, e.bytes, x);
  PetscCheck(e.seconds > c->seconds && 1e6 * e.seconds < w->coltile, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: coltile is predicted to take %g us, %s %g; it took %g", w->name, 1e6 * e.seconds, c->first.strategy->name, 1e6 * c->seconds, w->coltile);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const Wide *w, const AutoCSRFigures *figures)
{
  const Size       size = {.scale = w->scale, .seed = (uint64_t)w->seed, .draw = w->draw};
  AutoCSRCandidate candidate[AUTOCSR_MAX_CANDIDATES];
  AutoCSRChooser  *chooser;
  AutoCSRProfile  *profile;
  AutoCSRMatrix    host, there;
  AutoCSRSettings  settings;
  PetscInt         n, of[2];
  Csr              csr;

  PetscFunctionBeginUser;
  PetscCall(DrawnMake(&size, &csr));
  PetscCheck(csr.m == w->m && csr.n == w->n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " by %" PetscInt_FMT, w->name, csr.m, csr.n);
  host          = (AutoCSRMatrix){.m = csr.m, .n = csr.n, .nnz = csr.row_ptr[csr.m], .row_ptr = csr.row_ptr, .col = csr.col, .val = csr.val, .backend = &AutoCSRBackendHost};
  there         = host;
  there.backend = figures->backend; /* strategies ask it for numbers; the arrays stay here, and so the profile is the host's */
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(AutoCSRProfileLook(&host, there.backend->slice_height, AutoCSRBackendTileWidth(there.backend, &there), PETSC_FALSE, &profile));
  PetscCall(PetscNew(&chooser));
  for (int by = 0; by < 2; by++) {
    settings.chooser = by ? MAT_AUTOCSR_CHOOSER_MODEL : MAT_AUTOCSR_CHOOSER_AUTO;
    PetscCall(AutoCSRChooserBegin(chooser, figures, &there, profile, &settings));
    PetscCheck(chooser->by == (by ? MAT_AUTOCSR_CHOOSER_MODEL : MAT_AUTOCSR_CHOOSER_CORRECTED), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: chosen by %s", w->name, MatAutoCSRChoosers[chooser->by]);
    allocations   = 0;
    PetscTrMalloc = AllocateAndCount;
    PetscCall(AutoCSRChoose(chooser, AUTOCSR_MAX_CANDIDATES, candidate, &n));
    PetscTrMalloc = Allocate;
    of[by]        = allocations;
    PetscCall(CheckChoice(w, chooser, &candidate[0]));
  }
  PetscCheck(of[0] == of[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " allocations by trees, %" PetscInt_FMT " by the cost model", w->name, of[0], of[1]);
  PetscCall(CheckTiles(w, chooser, &candidate[0]));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(PetscFree(chooser));
  PetscCall(PetscFree(csr.row_ptr));
  PetscCall(PetscFree(csr.col));
  PetscCall(PetscFree(csr.val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From a fifth of all places on, and for 16 columns or more */
static PetscErrorCode CheckWhole(const AutoCSRFigures *figures)
{
  static const struct {
    PetscInt  nnz, columns;
    PetscBool whole;
  } cases[] = {
      {1900, 16, PETSC_FALSE},
      {2000, 16, PETSC_TRUE },
      {2000, 15, PETSC_FALSE},
      {1900, 64, PETSC_FALSE},
      {5000, 64, PETSC_TRUE }
  };

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) {
    const AutoCSRMatrix          csr = {.m = 50, .n = 200, .nnz = cases[k].nnz, .backend = figures->backend, .figures = figures};
    const AutoCSRSampledOperands op  = {.csr = &csr, .columns = cases[k].columns, .ldx = csr.m, .ldy = csr.n};
    PetscBool                    whole;

    PetscCall(AutoCSRCostConsiderWhole(&csr, &op, &whole));
    PetscCheck(whole == cases[k].whole, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " entries of 10000 places, %" PetscInt_FMT " columns: all places are%s multiplied", cases[k].nnz, cases[k].columns, whole ? "" : " not");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  AutoCSRBackend backend = emulated;
  AutoCSRFigures figures;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  Allocate         = PetscTrMalloc;
  backend.name     = "cuda";
  backend.identify = IdentifyH200;
  PetscCall(AutoCSRFiguresShipped(&backend, "cuda", "h200", NULL, &figures));
  PetscCall(AutoCSRFiguresComplete(&figures, &figures));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(wide); k++) PetscCall(Check(&wide[k], &figures));
  PetscCall(CheckWhole(&figures));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Tiles of x cost what they move\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    requires: real double !define(PETSC_USE_64BIT_INDICES)
    output_file: output/wide_choice_1.out

TEST*/
