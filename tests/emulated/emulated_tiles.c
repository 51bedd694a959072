static char help[] = "Heavy tiles of products with dense matrices by the device's kernel, without a device, in several orders of blocks and threads: against sums.\n\n";

#define AUTOCSR_HAVE_CUDA
#include "../emulator/backend.h"
#include "../emulator/control.h"

#define DENSE_ORDERS EMULATOR_ORDERS
#define DenseSetOrder(order) EmulatorSetOrder((EmulatorOrder)(order))
#include "../dense_ways.h"

/* Heavy columns in the first row panel, none in the second, which is empty, and light ones after it */
static PetscInt Some(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt k = 0; i < 64 && k < 11; k++) col[k] = n / 3 + k;
  if (i >= 128) col[0] = 7 * i % n;
  return i < 64 ? i % 2 * 11 : i >= 128;
}

/* Several tiles of a row panel; the last one lacks slots */
static PetscInt Several(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt k = 0;

  for (PetscInt j = i % 9; j < n; j += 9) col[k++] = j;
  return k;
}

/* Heavy columns that are far apart: neighbouring slots have columns of other places */
static PetscInt Apart(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt k = 0;

  for (PetscInt j = i / 64 % 3; j < n; j += 13) {
    if ((i + j) % 4) col[k++] = j;
  }
  return k;
}

/* A dense column, a dense row, and heavy columns beside them */
static PetscInt Cross(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt k = 0;

  if (i == m / 2) return Full(m, n, i, col);
  for (PetscInt j = 0; j < n; j++) {
    if (j == n / 2 || (j < 12 && (i + j) % 3 == 0)) col[k++] = j;
  }
  return k;
}

static const Generator all[] = {
    {"heavy, empty and light", 190, 101, Some, VALUES_MANY},
    {"several tiles", 71, 230, Several, VALUES_MANY},
    {"columns that are far apart", 130, 777, Apart, VALUES_MANY},
    {"a dense row and a dense column", 97, 130, Cross, VALUES_MANY},
    {"more entries than go to shared memory", 65, 133, Full, VALUES_MANY},
    {"nothing is light", 64, 64, Full, VALUES_FEW},
    {"all rows empty", 70, 5, None, VALUES_FEW},
};

int main(int argc, char **argv)
{
  const Way ways[] = {{AUTOCSR_DENSE_ADAPTIVE, NULL, "auto", .infinite = PETSC_TRUE}, {AUTOCSR_DENSE_ADAPTIVE, NULL, "auto", .infinite = PETSC_TRUE, .add = PETSC_TRUE}, {AUTOCSR_DENSE_ADAPTIVE, NULL, "auto", .infinite = PETSC_TRUE, .by_rows = PETSC_TRUE}};
  const int n      = (int)PETSC_STATIC_ARRAY_LENGTH(all);
  PetscInt  most   = 33, step = 4;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-step", &step, NULL));
  for (int i = 0; i < n; i++) {
    AutoCSRMatrix csr, there;

    PetscCall(MatrixCreate(&all[i], &csr));
    PetscCall(AutoCSRMatrixCopy(&csr, &emulated, &there));
    for (PetscInt columns = 1 + i % step; columns <= most; columns += step) PetscCall(CheckWays(&csr, &there, columns, PETSC_STATIC_ARRAY_LENGTH(ways), ways, all[i].name));
    PetscCall(CheckWays(&csr, &there, i % 2 ? 64 : 67, PETSC_STATIC_ARRAY_LENGTH(ways), ways, all[i].name));
    PetscCall(AutoCSRMatrixCopyDestroy(&there));
    PetscCall(MatrixDestroy(&csr));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Tiles are right in any order\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    timeoutfactor: 3

TEST*/
