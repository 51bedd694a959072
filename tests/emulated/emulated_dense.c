static char help[] = "Products with dense matrices, and dense ones sampled, by the device's kernels without a device, in several orders of blocks and threads: against sums.\n\n";

#define AUTOCSR_HAVE_CUDA
#include "../emulator/backend.h"
#include "../emulator/control.h"

#define DENSE_ORDERS EMULATOR_ORDERS
#define DenseSetOrder(order) EmulatorSetOrder((EmulatorOrder)(order))
#include "../dense_ways.h"

static PetscInt Long(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i % 4 == 2 ? 0 : Pick(n, i, 2, col);
}

/* Nearly all rows are empty; the third but last is cut, the last one is not */
static PetscInt Last(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i == m - 3 ? Full(m, n, i, col) : i == m - 1 ? Pick(n, i, n / 300, col)
                                                      : 0;
}

/* A warp makes bundles of so many entries by the columns of the longest row, unless rows descend */
static PetscInt Many(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Pick(n, i, 1, col); /* two thirds of the columns */
}

static PetscInt Descending(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt k = 0; k < n; k++) col[k] = n - 1 - k;
  return n;
}

/* Of adaptive tiles: heavy columns, a row with so many light entries that it is cut, an empty row panel, and one without heavy columns */
static PetscInt Tiles(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  if (i == 5) return Full(m, n, i, col);
  for (PetscInt k = 0; i < 64 && k < 8; k++) col[k] = n / 2 + k;
  if (i >= 128) col[0] = 7 * i % n;
  return i < 64 ? i % 2 * 8 : i >= 128;
}

static const Generator more[] = {
    {"bundles for a warp", 19, 333, Many, VALUES_MANY},
    {"long rows that descend", 9, 180, Descending, VALUES_MANY},
    {"rows that are cut", 3, 5001, Long, VALUES_MANY},
    {"the last row but two", 3001, 2100, Last, VALUES_MANY},
    {"heavy columns and a light row that is cut", 150, 1101, Tiles, VALUES_MANY},
};

static const PetscInt widths[] = {4, 8, 9, 19, 64, 135, 1, 32, 67, 3, 0};

#define WIDE 600000 /* entries of B: more take long */

/* Takes every step-th width. Of a wide matrix it takes all widths with at most WIDE entries of B */
static PetscErrorCode CheckMatrix(const Generator *g, size_t first, size_t step)
{
  const Way     ways[] = {{AUTOCSR_DENSE_PANELS, NULL, "auto", .by_rows = PETSC_TRUE}, {AUTOCSR_DENSE_PANELS, NULL, "auto"}, {AUTOCSR_DENSE_ALONGSIDE, NULL, "auto", .add = PETSC_TRUE}, {AUTOCSR_DENSE_ADAPTIVE, NULL, "auto", .by_rows = PETSC_TRUE, .add = PETSC_TRUE}, {AUTOCSR_DENSE_BUNDLES, NULL, "auto", .add = PETSC_TRUE}, {AUTOCSR_DENSE_BUNDLES, NULL, "auto", .by_rows = PETSC_TRUE, .infinite = PETSC_TRUE}, {AUTOCSR_DENSE_WHOLE, NULL, "auto"}, {AUTOCSR_DENSE_WHOLE, NULL, "auto", .by_rows = PETSC_TRUE}};
  AutoCSRMatrix csr, there;
  size_t        n = PETSC_STATIC_ARRAY_LENGTH(ways);
  PetscBool     wide;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &csr));
  if ((double)csr.m * csr.n > 1e5) n -= 2; /* all places are too many: the last two multiply them */
  PetscCall(AutoCSRMatrixCopy(&csr, &emulated, &there));
  wide = (PetscBool)(step > 1 && csr.n > WIDE / 19);
  for (size_t w = wide ? 0 : first; w < PETSC_STATIC_ARRAY_LENGTH(widths) && csr.m; w += wide ? 1 : step) {
    if ((double)csr.nnz * PetscMax(widths[w], 8) <= 1e5 && (!wide || (double)csr.n * widths[w] <= WIDE)) PetscCall(CheckWays(&csr, &there, widths[w], n, ways, g->name));
  }
  PetscCall(AutoCSRMatrixCopyDestroy(&there));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt n = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(generators), all = n + (PetscInt)PETSC_STATIC_ARRAY_LENGTH(more);
  PetscBool      each;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-all", &each));
  for (PetscInt i = 0; i < all; i++) PetscCall(CheckMatrix(i < n ? &generators[i] : &more[i - n], (size_t)i % 3, each || i == all - 1 ? 1 : 3));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Dense products are right, in any order\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    timeoutfactor: 3

TEST*/
