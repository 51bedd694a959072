static char help[] = "Products with dense matrices, and dense ones sampled, by the kernels of the host: panels and adaptive sparse tiles of many shapes, for each instruction set, against sums.\n\n";

#define DENSE_ORDERS 2 /* twice */
#define DenseSetOrder(order)
#include "../dense_ways.h"

#define MOST_SETS 8

static const PetscInt widths[] = {8, 9, 16, 33, 40, 71};

/* Every step-th of the widths */
static PetscErrorCode CheckMatrix(const Generator *g, size_t first, size_t step)
{
  AutoCSRMatrix csr;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &csr));
  for (size_t w = first; w < PETSC_STATIC_ARRAY_LENGTH(widths) && csr.m; w += step) {
    const char *const *sets = (*AutoCSRBackendHost.instruction_sets)();

    if ((double)csr.nnz * widths[w] > 1e6) continue;
    for (int s = 0; sets[s]; s++) {
      const AutoCSRAxes shape[] = {AdaptiveAxes(ADAPTIVE_SHAPES - 1, AUTOCSR_VALUE_COPY), AdaptiveAxes(ADAPTIVE_SHAPES - 2, AUTOCSR_VALUE_COPY)}; /* of whole strips of rows */
      const Way         ways[]  = {{AUTOCSR_DENSE_PANELS, NULL, sets[s]}, {AUTOCSR_DENSE_ALONGSIDE, NULL, sets[s]}, {AUTOCSR_DENSE_PANELS, NULL, sets[s], .infinite = PETSC_TRUE}, {AUTOCSR_DENSE_BUNDLES, NULL, sets[s], .by_rows = PETSC_TRUE, .add = PETSC_TRUE}, {AUTOCSR_DENSE_ADAPTIVE, NULL, sets[s]}, {AUTOCSR_DENSE_ADAPTIVE, &shape[0], sets[s]}, {AUTOCSR_DENSE_ADAPTIVE, &shape[0], sets[s], .infinite = PETSC_TRUE}, {AUTOCSR_DENSE_ADAPTIVE, &shape[1], sets[s], .by_rows = PETSC_TRUE, .add = PETSC_TRUE}};

      PetscCall(CheckWays(&csr, &csr, widths[w], PETSC_STATIC_ARRAY_LENGTH(ways), ways, g->name));
    }
  }
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt n = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(generators);
  PetscBool      each;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-all", &each));
  for (PetscInt i = 0; i < n; i++) PetscCall(CheckMatrix(&generators[i], (size_t)i % 2, each ? 1 : 2));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Dense products are right, in any way\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:

  test:
    suffix: all
    args: -all
    output_file: output/dense_kernels_1.out

TEST*/
