static char help[] = "Bundles of rows for dense products on a device: when they are taken, by the figures of a device.\n\n";

#include "../../src/mat/impls/autocsr/choose/choose.h"
#include "../../src/mat/impls/autocsr/machine/figures.h"
#include "../plans.h"

#define COLUMNS 64
#define MOST    5000 /* products */

/* Four rows share all columns */
static PetscInt Shared(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt t = 0; t < 24; t++) col[t] = i / 4 * 4 % (n - 24) + t;
  return 24;
}

/* Neighbouring rows share none */
static PetscInt Apart(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt t = 0; t < 24; t++) col[t] = i % 4 + 4 * t;
  return 24;
}

/* Rows that share all columns, and are long */
static PetscInt LongShared(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt t = 0; t < 300; t++) col[t] = t;
  return 300;
}

static const struct {
  Generator g;
  double    columns; /* an entry */
  PetscBool taken, sampled;
} cases[] = {
    {{"shared", 4001, 4001, Shared, VALUES_MANY}, 0.25, PETSC_TRUE, PETSC_TRUE},
    {{"apart", 4001, 4001, Apart, VALUES_MANY}, 1, PETSC_FALSE, PETSC_TRUE},
    {{"long", 401, 401, LongShared, VALUES_MANY}, 0, PETSC_FALSE, PETSC_FALSE},
};

int main(int argc, char **argv)
{
  AutoCSRFigures  figures;
  AutoCSRIdentity of;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscMemzero(&figures, sizeof(figures)));
  PetscCall(AutoCSRFiguresShippedDevice(&figures, &of));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) {
    AutoCSRMatrix   csr;
    AutoCSRProfile *profile;
    AutoCSRDense   *dense;
    AutoCSRDenseWay way;
    PetscBool       take = PETSC_FALSE;
    PetscInt        products = 0, sampled = 0;
    double          seconds;

    PetscCall(MatrixCreate(&cases[k].g, &csr));
    csr.figures = &figures;
    PetscCall(AutoCSRProfileCreate(&csr, 32, &profile));
    PetscCall(AutoCSRDenseCreate(csr.backend, &dense));
    PetscCall(AutoCSRCostDense(&csr, profile, MAT_AUTOCSR_DENSE_BUNDLES, COLUMNS, &seconds, &way));
    PetscCheck(way == AUTOCSR_DENSE_BUNDLES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: bundles are asked for and not taken", cases[k].g.name);
    PetscCall(AutoCSRCostDense(&csr, profile, MAT_AUTOCSR_DENSE_PANELS, COLUMNS, &seconds, &way));
    while (!take && products < MOST) {
      PetscCall(AutoCSRCostConsiderBundles(&csr, dense, profile, COLUMNS, seconds, &take));
      products++;
      if (dense->share.known && !sampled) sampled = products;
    }
    PetscCheck(take == cases[k].taken, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: bundles are %staken", cases[k].g.name, take ? "" : "not ");
    PetscCheck((sampled > 0) == cases[k].sampled, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: a sample was %staken", cases[k].g.name, sampled ? "" : "not ");
    if (sampled) {
      PetscCheck(dense->share.order == AUTOCSR_ORDER_BUNDLED && PetscAbsReal((PetscReal)(dense->share.columns - cases[k].columns)) < 0.01, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %g columns an entry, not %g", cases[k].g.name, dense->share.columns, cases[k].columns);
      PetscCheck((sampled - 1) * seconds < figures.machine.dense_sample && sampled * seconds >= 0.999 * figures.machine.dense_sample, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the sample is taken in product %" PetscInt_FMT " of %g us", cases[k].g.name, sampled, 1e6 * seconds);
    }
    if (take) PetscCheck(dense->owed >= figures.machine.dense_tile * (double)csr.nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: bundles are taken before products have lost as much as making them takes", cases[k].g.name);
    PetscCall(AutoCSRDenseDestroy(&dense));
    PetscCall(AutoCSRProfileDestroy(&profile));
    PetscCall(MatrixDestroy(&csr));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Bundles are taken where rows share columns, once products have paid for them\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:

TEST*/
