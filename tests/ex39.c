static char help[] = "How much of x gathers reach, that propagate is proposed where that is much, and popular where it is little of a long x.\n\n";

#include "../src/mat/impls/autocsr/strategy/strategy.h"
#include "../src/mat/impls/autocsr/select/select.h"
#include "../src/mat/impls/autocsr/backend.h"
#include "numbers.h"

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

/* Products are written and read: each entry moves two scalars beside its value, its column and its place */
static PetscErrorCode CheckPropagate(const AutoCSRProblem *problem, const AutoCSRStrategy *propagate, const AutoCSRAxes *axes)
{
  AutoCSRCost  part[AUTOCSR_MAX_PARTS];
  const double least = (double)problem->csr->nnz * (2 * sizeof(PetscScalar) + 1 + sizeof(uint16_t) + 3);
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall((*propagate->cost)(problem, axes, part, &n));
  PetscCheck(n == 1 && part->bytes >= least && part->bytes < 3 * least, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " segments that move %g bytes for %g at least", n, part->bytes, least);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing is gathered: each entry moves its value and its column, and little else where all columns of a row are in one tile */
static PetscErrorCode CheckPopular(const AutoCSRProblem *problem, const AutoCSRStrategy *popular, const AutoCSRAxes *axes)
{
  AutoCSRCost  part[AUTOCSR_MAX_PARTS];
  const double least = (double)problem->csr->nnz * (1 + sizeof(uint16_t)), most = (double)problem->csr->nnz * (5 * sizeof(PetscScalar) + sizeof(uint16_t)) + 5.0 * COLS * sizeof(PetscScalar);
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall((*popular->cost)(problem, axes, part, &n));
  PetscCheck(n == 1 && part->scattered == 0 && part->bytes >= least && part->bytes < most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " segments that gather %g entries and move %g bytes for %g to %g", n, part->scattered, part->bytes, least, most);
  PetscCheck(part->rows >= problem->csr->m && part->rows <= problem->csr->nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%g pieces of %" PetscInt_FMT " rows", part->rows, problem->csr->m);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Variants of a strategy for a device, with settings that name one */
static PetscErrorCode CountVariants(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const char name[], const char strategy[], PetscInt *n)
{
  const AutoCSRStrategy *counted;
  AutoCSRSettings        settings;
  AutoCSRProblem         problem = {.csr = csr, .profile = profile, .settings = &settings, .parallel = PETSC_TRUE};
  AutoCSRAxes            axes[AUTOCSR_MAX_VARIANTS];
  const char            *why = NULL;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PetscStrncpy(settings.strategy, strategy, sizeof(settings.strategy)));
  AutoCSRProblemSetChunks(&problem, 0, profile->chunks);
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

/* Tiles are padded, not runs: a graph of 2^25 rows has millions of those, and its slots are counted in 32 bits all the same */
static PetscErrorCode CheckLarge(void)
{
  AutoCSRBackend         backend = AutoCSRBackendHost;
  const AutoCSRMatrix    csr     = {.m = 1 << 25, .n = 1 << 25, .nnz = 266001421, .backend = &backend};
  const AutoCSRProfile   profile = {.values = AUTOCSR_MAX_DISTINCT + 1};
  AutoCSRSettings        settings;
  const AutoCSRProblem   problem = {.csr = &csr, .profile = &profile, .settings = &settings, .parallel = PETSC_TRUE};
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

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CheckColumns(1, (double)AUTOCSR_LINE * PetscMin(ROWS * LENGTH, COLS / (AUTOCSR_LINE / (PetscInt)sizeof(PetscScalar))), PETSC_TRUE, PETSC_FALSE));
  PetscCall(CheckColumns(1024, (double)AUTOCSR_LINE * (COLS / 1024), PETSC_FALSE, PETSC_TRUE)); /* a line each */
  PetscCall(CheckColumns(COLS / LENGTH, (double)AUTOCSR_LINE * LENGTH, PETSC_FALSE, PETSC_TRUE));
  PetscCall(CheckLarge());
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "As far as columns lie\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    output_file: output/ex39_1.out

TEST*/
