static char help[] = "Kernels of diagonals of symmetric values: grids of many widths against the interpreter, by each instruction set and coding; what tells symmetric values from others.\n\n";

#include "../products.h"

/* ---- Grids: rows of one pattern in runs of every length up to more than a kernel takes at once */

static PetscInt width; /* of the grid */

static PetscInt Plane(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Star(n, i, width, m / width, 1, 1, col);
}

static PetscInt Cube(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Star(n, i, width, 3, m / width / 3, 3, col);
}

/* ---- Products */

/* Sums of up to 27 products of values below 5 with values below 1 */
#define BOUND ((PetscReal)TOLERANCE * 27 * 5)

static PetscErrorCode CheckPlan(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, AutoCSRValue value, const char simd[], PetscInt *products)
{
  const AutoCSRAxes      axes = DiagonalAxes(value);
  AutoCSRPlan           *plan;
  const AutoCSRExecutor *executor;
  PetscBool              legal;
  char                   context[128];

  PetscFunctionBeginUser;
  PetscCall(IsLegal(csr, profile, &axes, DIVISION_WHOLE, &legal));
  if (!legal) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*csr->backend->find_executor)(&axes, simd, &executor));
  PetscCheck(executor, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No executor of diagonals, values %s", AutoCSRValueNames[value]);
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s (%s), %" PetscInt_FMT " rows, width %" PetscInt_FMT, executor->name, simd, csr->m, width));
  PetscCall(BuildPlan(csr, profile, csr, profile, &axes, DIVISION_WHOLE, &plan));
  plan->segment[0].executor = executor;
  PetscCall((*csr->backend->bind)(plan, csr));
  PetscCall(AutoCSRPlanCheck(plan, csr));
  for (PetscInt add = 0; add < 3; add++) {
    for (int transpose = 0; transpose < 2; transpose++) {
      PetscCall(CheckProduct(plan, csr, (PetscBool)transpose, add, PETSC_FALSE, BOUND, context));
      PetscCall(CheckProduct(plan, csr, (PetscBool)transpose, add, PETSC_TRUE, BOUND, context));
      *products += 2;
    }
  }
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of one kind, made few where a dictionary is to hold them: each is still what it is on the other side of the diagonal */
static PetscErrorCode CheckGrid(PetscInt rows, PetscInt (*row)(PetscInt, PetscInt, PetscInt, PetscInt[]), PetscBool few, PetscInt *products)
{
  const Generator g = {"grid", rows, rows, row, VALUES_SYMMETRIC};
  AutoCSRMatrix   csr;
  AutoCSRProfile *profile;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(&g, &csr));
  for (PetscInt p = 0; p < csr.nnz && few; p++) ((PetscScalar *)csr.val)[p] = RealScalar(PetscFloorReal(PetscRealPart(csr.val[p]) * 5) / 10);
  PetscCall(AutoCSRProfileCreate(&csr, csr.backend->slice_height, &profile));
  PetscCheck(profile->diagonals > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Symmetric values are not found to be so");
  for (int value = AUTOCSR_VALUE_COPY; value <= AUTOCSR_VALUE_FLOAT32; value++) {
    for (const char *const *simd = (*csr.backend->instruction_sets)(); *simd; simd++) PetscCall(CheckPlan(&csr, profile, (AutoCSRValue)value, *simd, products));
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One bit of one value, the sign of a zero, one entry without its image: not symmetric */
static PetscErrorCode CheckSymmetry(void)
{
  const Generator g = {"grid", 600, 600, Plane, VALUES_SYMMETRIC};
  AutoCSRMatrix   csr, less;
  PetscScalar    *val;
  PetscInt       *row_ptr;

  PetscFunctionBeginUser;
  width = 20;
  PetscCall(MatrixCreate(&g, &csr));
  val = (PetscScalar *)csr.val;
  PetscCheck(AutoCSRValuesAreSymmetric(&csr), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Symmetric values are not found to be so");
  for (PetscInt p = 1; p < csr.nnz; p += 17) {
    const PetscScalar v   = val[p];
    PetscInt          row = 0;
    PetscBool         diagonal;

    while (csr.row_ptr[row + 1] <= p) row++;
    diagonal = (PetscBool)(csr.col[p] == row);
    ((char *)&val[p])[0] ^= 1;
    PetscCheck(AutoCSRValuesAreSymmetric(&csr) == diagonal, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Entry %" PetscInt_FMT " differs in a bit", p);
    PutValue(&csr, VALUES_SYMMETRIC, p, RealScalar(0), val);
    PetscCheck(AutoCSRValuesAreSymmetric(&csr), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Entry %" PetscInt_FMT " is zero on both sides", p);
    val[p] = RealScalar((PetscReal)-0.0);
    PetscCheck(AutoCSRValuesAreSymmetric(&csr) == diagonal, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Entry %" PetscInt_FMT " is minus zero on one side", p);
    PutValue(&csr, VALUES_SYMMETRIC, p, RealScalar(NAN), val);
    PetscCheck(AutoCSRValuesAreSymmetric(&csr), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Entry %" PetscInt_FMT " is one and the same NaN on both sides", p);
    PutValue(&csr, VALUES_SYMMETRIC, p, v, val);
  }
  /* The last row without its diagonal entry, then without the one below it, whose image above is left */
  PetscCall(PetscMalloc1(csr.m + 1, &row_ptr));
  PetscCall(PetscArraycpy(row_ptr, csr.row_ptr, csr.m + 1));
  less         = csr;
  less.row_ptr = row_ptr;
  less.nnz     = --row_ptr[csr.m];
  PetscCheck(AutoCSRValuesAreSymmetric(&less), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The last row without its diagonal entry");
  less.nnz = --row_ptr[csr.m];
  PetscCheck(!AutoCSRValuesAreSymmetric(&less), PETSC_COMM_SELF, PETSC_ERR_PLIB, "An entry above the diagonal without its image");
  less   = csr;
  less.n = csr.n + 1;
  PetscCheck(!AutoCSRValuesAreSymmetric(&less), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A matrix that is not square");
  PetscCall(PetscFree(row_ptr));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt products = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscSetFPTrap(PETSC_FP_TRAP_OFF));
  for (width = 1; width <= 80; width += width < 24 ? 1 : 7) {
    PetscCall(CheckGrid(9 * width, Plane, (PetscBool)(width % 2), &products));
    PetscCall(CheckGrid(12 * width, Cube, (PetscBool)(width % 3), &products));
  }
  width = 75; /* more bytes than a second-level cache holds */
  PetscCall(CheckGrid(75 * 900, Plane, PETSC_FALSE, &products));
  PetscCall(CheckSymmetry());
  PetscCheck(products > 500, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " products", products);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The products agree\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

TEST*/
