static char help[] = "Blocks with PETSC_MAX_INT nonzeros: strategies whose padding overflows, or whose plan exceeds memory, are refused with a reason; rows that end there are multiplied as others.\n\n";

#include "../../src/mat/impls/autocsr/choose/candidate.h"
#include "../../src/mat/impls/autocsr/backend.h"
#include "../ends.h"

#define ROWS      100000000
#define LINE      200000 /* rows of the block that is chosen for */
#define UNCOUNTED "padded, the entries would be more than a PetscInt counts: it takes 64-bit indices"

/* The profile of such a block; no test reads more of it */
static AutoCSRProfile Look(const AutoCSRMatrix *csr, PetscInt padded)
{
  AutoCSRProfile p = {.m = csr->m, .n = csr->n, .nnz = csr->nnz, .slice_height = AUTOCSR_HOST_SLICE_HEIGHT, .window = AUTOCSR_WINDOW_LOW, .block_size = 1, .patterns = 1, .values = AUTOCSR_MAX_DISTINCT + 1, .zones = 1};

  p.mean_length           = (double)csr->nnz / csr->m;
  p.max_length            = csr->n;
  p.zone[0].row_end       = csr->m;
  p.zone[0].nnz           = csr->nnz;
  p.zone[0].max_length    = 32;
  p.zone[0].slices        = csr->m / p.slice_height;
  p.zone[0].padded        = padded;
  p.zone[0].pattern_rows  = csr->m;
  p.zone[0].padded_sorted = padded;
  return p;
}

/* wanted: variants are; why NULL: whatever the reason */
static PetscErrorCode CheckVariants(const char name[], PetscInt nnz, PetscInt padded, PetscBool wanted, const char reason[])
{
  const AutoCSRMatrix    csr     = {.m = ROWS, .n = ROWS, .nnz = nnz, .backend = &AutoCSRBackendHost};
  const AutoCSRProfile   profile = Look(&csr, padded);
  const AutoCSRStrategy *strategy;
  AutoCSRSettings        settings;
  AutoCSRProblem         problem = {.csr = &csr, .profile = &profile, .settings = &settings};
  AutoCSRAxes            axes[AUTOCSR_MAX_VARIANTS];
  PetscInt               lanes[AUTOCSR_HISTOGRAM_BINS];
  const char            *why = "";
  PetscInt               n;

  PetscFunctionBeginUser;
  for (PetscInt bin = 0; bin < AUTOCSR_HISTOGRAM_BINS; bin++) lanes[bin] = 1; /* with 64-bit indices the mean length is in the last bin */
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PetscStrncpy(settings.strategy, name, sizeof(settings.strategy)));
  problem.lanes = lanes;
  AutoCSRProblemSetZones(&problem, 0, 1);
  PetscCall(AutoCSRStrategyFind(name, &strategy));
  PetscCall((*strategy->variants)(&problem, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
  PetscCheck((n > 0) == wanted, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " variants of %" PetscInt_FMT " nonzeros, %" PetscInt_FMT " with padding; %s", name, n, nnz, padded, why);
  PetscCheck(wanted || !strcmp(why, reason), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s does not apply: %s", name, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckCounts(void)
{
  const PetscInt most = PETSC_MAX_INT - 2 * AUTOCSR_COUNT_ROOM, over = PETSC_MAX_INT - AUTOCSR_COUNT_ROOM / 2; /* counted, and not */

  PetscFunctionBeginUser;
  PetscCheck(AutoCSRIsCounted((double)most) && !AutoCSRIsCounted((double)over) && !AutoCSRIsCounted(1.5 * (double)PETSC_MAX_INT), PETSC_COMM_SELF, PETSC_ERR_PLIB, "AutoCSRIsCounted() draws the line elsewhere");
  PetscCall(CheckVariants("csr", PETSC_MAX_INT, PETSC_MAX_INT, PETSC_TRUE, NULL)); /* in place nothing is padded */
  PetscCall(CheckVariants("sell", most, most, PETSC_TRUE, NULL));
  PetscCall(CheckVariants("sell", most, over, PETSC_FALSE, UNCOUNTED));
  PetscCall(CheckVariants("sell", PETSC_MAX_INT, PETSC_MAX_INT, PETSC_FALSE, UNCOUNTED));
  PetscCall(CheckVariants("sell", most / 4, most, PETSC_FALSE, "the rows differ so much in length that slices would be mostly padding"));
  PetscCall(CheckVariants("ell", most, most, (PetscBool)(sizeof(PetscInt) > 4), UNCOUNTED));                               /* 100 million rows of 32 */
  if (sizeof(PetscInt) == 4) PetscCall(CheckVariants("coltile", most + AUTOCSR_COUNT_ROOM, most, PETSC_FALSE, UNCOUNTED)); /* each tile ends with a group */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of three entries in a line, whose values are all other */
static PetscErrorCode CheckRoom(void)
{
  AutoCSRMatrix         csr = {.m = LINE, .n = LINE, .nnz = 3 * LINE, .backend = &AutoCSRBackendHost};
  PetscInt             *row_ptr, *col;
  PetscScalar          *val;
  AutoCSRProfile       *profile;
  AutoCSRSettings       settings;
  AutoCSRChooser       *chooser;
  AutoCSRCandidate      candidate[AUTOCSR_MAX_CANDIDATES];
  const AutoCSRFigures *figures;
  PetscInt              n;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(csr.m + 1, &row_ptr, csr.nnz, &col, csr.nnz, &val));
  for (PetscInt i = 0; i <= csr.m; i++) row_ptr[i] = 3 * i;
  for (PetscInt q = 0; q < csr.nnz; q++) {
    col[q] = PetscMin(PetscMax(q / 3, 1), csr.n - 2) + q % 3 - 1;
    val[q] = 1 + (PetscReal)q / csr.nnz;
  }
  csr.row_ptr = row_ptr;
  csr.col     = col;
  csr.val     = val;
  PetscCall(AutoCSRSettingsInitialize(&settings));
  PetscCall(PetscStrncpy(settings.strategy, "sell", sizeof(settings.strategy)));
  PetscCall(AutoCSRProfileCreate(&csr, AutoCSRBackendHost.slice_height, &profile));
  PetscCall(AutoCSRFiguresGet(&AutoCSRBackendHost, "auto", &figures));
  PetscCall(PetscNew(&chooser));
  PetscCall(AutoCSRChooserBegin(chooser, figures, &csr, profile, &settings));
  for (int room = 0; room < 3; room++) { /* nobody has asked; for the CSR once more; for half of it */
    chooser->problem.room = room ? (double)AutoCSRMatrixBytes(&csr) * 2 / (double)(room * room) : 0;
    PetscCall(AutoCSRChoose(chooser, AUTOCSR_MAX_CANDIDATES, candidate, &n));
    PetscCheck((candidate[0].first.strategy == chooser->csr) == (room == 2), PETSC_COMM_SELF, PETSC_ERR_PLIB, "With room for %g bytes: %s", chooser->problem.room, candidate[0].first.strategy->name);
    PetscCheck(room < 2 || !strcmp(chooser->why_not, "it takes more memory than is left"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "sell does not apply: %s", chooser->why_not);
  }
  PetscCall(PetscFree(chooser));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(PetscFree3(row_ptr, col, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CheckCounts());
  PetscCall(CheckRoom());
  PetscCall(EndsCheckAll(&AutoCSRBackendHost, PETSC_FALSE, 20));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Neither more is counted nor more is taken than there is\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    args: -mat_autocsr_machine none
    output_file: output/max_nonzeros_1.out

TEST*/
