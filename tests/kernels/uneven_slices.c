static char help[] = "Kernels of slices whose rows have any lengths (runs of one width, full or masked, and of changing widths) against the interpreter, by each instruction set and coding, with lengths kept beside names and without.\n\n";

#include "../products.h"

#define COLUMNS 83
#define LONGEST (COLUMNS - 3) /* but of CheckLongest() */

/* ---- Rows, by length: each has columns side by side from one that the row tells */

static PetscInt Side(PetscInt n, PetscInt i, PetscInt length, PetscInt col[])
{
  for (PetscInt t = 0; t < length; t++) col[t] = 7 * i % (n - length + 1) + t;
  return length;
}

/* Each of another length than the next, some empty */
static PetscInt Changing(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  (void)m;
  return Side(n, i, 31 * i % 37 % 28, col);
}

/* Runs of 1 to 12 slices of one length */
static PetscInt InRuns(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt run = 1, begin = 0;

  (void)m;
  for (; begin + 8 * run <= i; run = run % 12 + 1) begin += 8 * run;
  return Side(n, i, 3 * run + begin % 5, col);
}

/* Short ones, now and then a long one */
static PetscInt FewLong(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  (void)m;
  return Side(n, i, i % 29 == 11 ? LONGEST - i % 17 : 1 + i % 3, col);
}

/* One less every third row, down to none */
static PetscInt Descending(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Side(n, i, PetscMin(LONGEST, (m - 1 - i) / 3), col);
}

/* ---- Plans */

/* Sums of up to `longest` products of values below 5 with values below 1 */
static PetscErrorCode CheckPlan(AutoCSRPlan *plan, const AutoCSRMatrix *csr, const char simd[], PetscInt longest, const char context[], PetscInt *products)
{
  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    AutoCSRSegment *seg = &plan->segment[s];

    PetscCall((*csr->backend->find_executor)(&seg->axes, simd, &seg->executor));
    PetscCheck(seg->executor, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s (%s): no executor", context, simd);
  }
  PetscCall((*csr->backend->bind)(plan, csr));
  for (int far = 0; far < 2; far++) {
    for (PetscInt s = 0; s < plan->n_segments; s++) plan->segment[s].far = (PetscBool)far;
    for (PetscInt add = 0; add < 3; add++) {
      PetscCall(CheckProduct(plan, csr, PETSC_FALSE, add, (PetscBool)(add == 1), (PetscReal)TOLERANCE * 5 * longest, context));
      ++*products;
    }
  }
  PetscCall((*csr->backend->unbind)(plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *kept: plans with lengths beside their names */
static PetscErrorCode CheckAxes(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *axes, Division division, PetscInt longest, PetscInt *products, PetscInt *kept)
{
  AutoCSRPlan *plan;
  char         context[128];
  PetscBool    legal, has = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(IsLegal(csr, profile, axes, division, &legal));
  if (!legal) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BuildPlan(csr, profile, csr, profile, axes, division, &plan));
  PetscCall(AutoCSRPlanCheck(plan, csr));
  PetscCall(PetscSNPrintf(context, sizeof(context), "%" PetscInt_FMT " rows, %s/%s, sorted by %" PetscInt_FMT ", division %d", csr->m, AutoCSRIndexNames[axes->index], AutoCSRValueNames[axes->value], axes->sort_window, (int)division));
  for (PetscInt s = 0; s < plan->n_segments; s++) has = (PetscBool)(has || plan->segment[s].stream[AUTOCSR_STREAM_LENGTH].data);
  for (const char *const *simd = (*csr->backend->instruction_sets)(); *simd; simd++) PetscCall(CheckPlan(plan, csr, *simd, longest, context, products));
  *kept += has;
  for (PetscInt s = 0; s < plan->n_segments; s++) PetscCall(AutoCSRStreamFree(&plan->segment[s], AUTOCSR_STREAM_LENGTH));
  for (const char *const *simd = (*csr->backend->instruction_sets)(); has && *simd; simd++) PetscCall(CheckPlan(plan, csr, *simd, longest, context, products));
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRows(PetscInt rows, PetscInt (*row)(PetscInt, PetscInt, PetscInt, PetscInt[]), ValueKind values, PetscInt *products, PetscInt *kept)
{
  const Generator g         = {"rows", rows, COLUMNS, row, values};
  const PetscInt  windows[] = {0, 16, AUTOCSR_WINDOW_LOW};
  const Division    layouts[] = {DIVISION_WHOLE, DIVISION_THIRDS, DIVISION_ODD_EVEN, DIVISION_EMPTY};
  AutoCSRMatrix   csr;
  AutoCSRProfile *profile;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(&g, &csr));
  PetscCall(AutoCSRProfileCreate(&csr, csr.backend->slice_height, &profile));
  for (int value = AUTOCSR_VALUE_COPY; value <= AUTOCSR_VALUE_CONSTANT; value++) {
    if (value == AUTOCSR_VALUE_PATTERN) continue;
    for (int code = 0; code < 2 * 3 * 4; code++) {
      const AutoCSRAxes axes = {.order = AUTOCSR_ORDER_SLICED, .index = code % 2 ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32, .value = (AutoCSRValue)value, .mapping = AUTOCSR_MAP_SLICE, .slice_height = csr.backend->slice_height, .sort_window = windows[code / 2 % 3], .lanes = 1, .block = 1};

      PetscCall(CheckAxes(&csr, profile, &axes, layouts[code / 6], LONGEST, products, kept));
    }
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One row of all columns among short ones */
static PetscInt OneLong(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Side(n, i, i == m / 2 ? n : i % 7, col);
}

/* Lengths are kept as long as 16 bits hold the longest */
static PetscErrorCode CheckLongest(PetscInt *products)
{
  const AutoCSRAxes axes = {.order = AUTOCSR_ORDER_SLICED, .index = AUTOCSR_INDEX_32, .value = AUTOCSR_VALUE_COPY, .mapping = AUTOCSR_MAP_SLICE, .slice_height = AUTOCSR_HOST_SLICE_HEIGHT, .sort_window = 32, .lanes = 1, .block = 1};

  PetscFunctionBeginUser;
  for (PetscInt longest = UINT16_MAX; longest <= UINT16_MAX + 1; longest++) {
    const Generator g = {"one long row", 43, longest, OneLong, VALUES_MANY};
    AutoCSRMatrix   csr;
    AutoCSRProfile *profile;
    PetscInt        kept = 0;

    PetscCall(MatrixCreate(&g, &csr));
    PetscCall(AutoCSRProfileCreate(&csr, csr.backend->slice_height, &profile));
    PetscCall(CheckAxes(&csr, profile, &axes, DIVISION_WHOLE, longest, products, &kept));
    PetscCheck(kept == (longest <= UINT16_MAX), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Lengths of rows of up to %" PetscInt_FMT " entries are%s kept", longest, kept ? "" : " not");
    PetscCall(AutoCSRProfileDestroy(&profile));
    PetscCall(MatrixDestroy(&csr));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt (*const row[])(PetscInt, PetscInt, PetscInt, PetscInt[]) = {Changing, InRuns, FewLong, Descending};
  const ValueKind values[]                                          = {VALUES_MANY, VALUES_FEW, VALUES_FLOATS, VALUES_ONE};
  PetscInt        products = 0, kept = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscSetFPTrap(PETSC_FP_TRAP_OFF));
  for (int v = 0; v < 4; v++) {
    for (int r = 0; r < 4; r++) {
      for (PetscInt rows = 5; rows < 900; rows = 3 * rows + 1) PetscCall(CheckRows(rows, row[r], values[v], &products, &kept));
    }
  }
  PetscCall(CheckLongest(&products));
  PetscCheck(products > 10000 && kept > 1000, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " products, %" PetscInt_FMT " plans that keep lengths", products, kept);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The products agree\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

TEST*/
