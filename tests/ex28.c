static char help[] = "Kernels of diagonals of symmetric values: grids of many widths against the interpreter, by each instruction set and coding; what tells symmetric values from others.\n\n";

#include "plans.h"

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

static PetscBool SameParts(PetscReal a, PetscReal b, PetscReal bound)
{
  return (PetscBool)(PetscIsInfOrNanReal(b) ? (PetscIsNanReal(b) ? PetscIsNanReal(a) : a == b) : PetscAbsReal(a - b) <= bound);
}

/* Complex products are formed by components: of these the finite ones are told from the others */
static PetscBool Close(PetscScalar a, PetscScalar b, PetscReal bound)
{
  if (PetscDefined(USE_COMPLEX) && PetscIsInfOrNanScalar(b)) return PetscIsInfOrNanScalar(a);
  return (PetscBool)(SameParts(PetscRealPart(a), PetscRealPart(b), bound) && SameParts(PetscImaginaryPart(a), PetscImaginaryPart(b), bound));
}

/* A product, twice; x and y begin an entry off the borders of vectors. Sums of up to 27 products of values below 5 with values below 1 */
static PetscErrorCode CheckProduct(const AutoCSRPlan *plan, const AutoCSRMatrix *csr, PetscBool transpose, PetscInt add, PetscBool infinite, const char context[])
{
  PetscScalar    *x, *z, *y[2], *expected;
  AutoCSROperands o     = {.csr = csr, .conjugate = transpose};
  const PetscReal bound = (PetscReal)TOLERANCE * 27 * 5;
  PetscBool       same;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc5(csr->n + 1, &x, csr->m + 1, &z, csr->m + 1, &y[0], csr->m + 1, &y[1], csr->m + 1, &expected));
  for (PetscInt i = 0; i <= csr->n; i++) x[i] = Value(VALUES_MANY, 3, i);
  for (PetscInt i = 0; i <= csr->m; i++) z[i] = Value(VALUES_MANY, 4, i);
  if (infinite) {
    x[1]              = INFINITY;
    x[1 + csr->n / 3] = -INFINITY;
    x[csr->n]         = NAN;
  }
  o.x = x + 1;
  for (int again = 0; again < 3; again++) {
    PetscScalar *to = again < 2 ? y[again] : expected;

    PetscCall(PetscArraycpy(to, z, csr->m + 1));
    o.y = to + 1;
    o.z = add == 0 ? NULL : (add == 1 ? z : to) + 1;
    if (again < 2)
      PetscCall((transpose ? csr->backend->mult_transpose : csr->backend->mult)(plan, &o));
    else
      PetscCall((transpose ? AutoCSRPlanInterpretTranspose : AutoCSRPlanInterpret)(plan, &o));
  }
  PetscCall(PetscMemcmp(y[0], y[1], (size_t)(csr->m + 1) * sizeof(**y), &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: other bits the second time", context);
  for (PetscInt i = 0; i <= csr->m; i++) PetscCheck(Close(y[0][i], expected[i], bound), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, transposed %d, add %" PetscInt_FMT ": entry %" PetscInt_FMT " is %g, not %g", context, transpose, add, i - 1, (double)PetscRealPart(y[0][i]), (double)PetscRealPart(expected[i]));
  PetscCall(PetscFree5(x, z, y[0], y[1], expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckPlan(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, AutoCSRValue value, const char simd[], PetscInt *products)
{
  const AutoCSRAxes      axes = DiagonalAxes(value);
  AutoCSRPlan           *plan;
  const AutoCSRExecutor *executor;
  PetscBool              legal;
  char                   context[128];

  PetscFunctionBeginUser;
  PetscCall(IsLegal(csr, profile, &axes, LAYOUT_WHOLE, &legal));
  if (!legal) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*csr->backend->find_executor)(&axes, simd, &executor));
  PetscCheck(executor, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No executor of diagonals, values %s", AutoCSRValueNames[value]);
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s (%s), %" PetscInt_FMT " rows, width %" PetscInt_FMT, executor->name, simd, csr->m, width));
  PetscCall(BuildPlan(csr, profile, csr, profile, &axes, LAYOUT_WHOLE, &plan));
  plan->segment[0].executor = executor;
  PetscCall(AutoCSRPlanCheck(plan, csr));
  for (PetscInt add = 0; add < 3; add++) {
    for (int transpose = 0; transpose < 2; transpose++) {
      PetscCall(CheckProduct(plan, csr, (PetscBool)transpose, add, PETSC_FALSE, context));
      PetscCall(CheckProduct(plan, csr, (PetscBool)transpose, add, PETSC_TRUE, context));
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
