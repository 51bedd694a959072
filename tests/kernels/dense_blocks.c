static char help[] = "Kernels of dense blocks and of nodes: every size, coding and number of lanes against the interpreter, on the host by each instruction set and on a device.\n\n";

#include "../plans.h"
#include <petscdevice.h>

/* ---- Matrices made of dense b by b blocks: block rows of a few, of none and of many of the blocks that there can be */

#define MAX_BLOCK     8  /* that a profile finds */
#define BLOCK_ROWS    93 /* of which a third are whole block rows too */
#define BLOCK_COLUMNS 130

static PetscInt BlocksOf(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt b = m / BLOCK_ROWS, row = i / b;
  PetscInt       block[BLOCK_COLUMNS], k = 0, blocks = row % 4 == 2 ? 0 : Pick(BLOCK_COLUMNS, row, row % 7 == 5 ? 1 : 40, block);

  for (PetscInt l = 0; l < blocks; l++) {
    for (PetscInt j = 0; j < b; j++) col[k++] = b * block[l] + j;
  }
  return k;
}

/* Each block far from the block before it, and from those of the block row before: lines of x are asked for ahead, where they come from memory */
#define FAR_BLOCKS 6000

static PetscInt ScatteredBlocks(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt b = n / FAR_BLOCKS, row = i / b, parts = 1 + row % 5;
  PetscInt       k = 0;

  for (PetscInt l = 0; l < parts; l++) {
    for (PetscInt j = 0; j < b; j++) col[k++] = b * (FAR_BLOCKS / parts * l + 1213 * (row + 1) % (FAR_BLOCKS / parts)) + j;
  }
  (void)m;
  return k;
}

/* ---- Which plans there have been: by size and value coding; of nodes, as of size 1 */

typedef struct {
  PetscInt of[MAX_BLOCK + 1][AUTOCSR_VALUE_FLOAT32 + 1];
} Seen;

/* ---- Products */

/* What an entry may be off: of the absolute values that are added */
static PetscErrorCode BoundsGet(const AutoCSROperands *o, PetscBool transpose, PetscReal bound[])
{
  const AutoCSRMatrix *csr = o->csr;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < (transpose ? csr->n : csr->m); i++) bound[i] = o->z ? PetscAbsScalar(o->z[i]) : 0;
  for (PetscInt i = 0; i < csr->m; i++) {
    for (PetscInt p = csr->row_ptr[i]; p < csr->row_ptr[i + 1]; p++) bound[transpose ? csr->col[p] : i] += PetscAbsScalar(csr->val[p]) * PetscAbsScalar(o->x[transpose ? i : csr->col[p]]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool Close(PetscScalar a, PetscScalar b, PetscReal bound)
{
  if (PetscIsInfOrNanScalar(b)) return PetscIsInfOrNanScalar(a);
  return (PetscBool)(PetscAbsScalar(a - b) <= TOLERANCE * bound);
}

/* Operands of a product in the memory of a backend */
static PetscErrorCode Upload(const AutoCSRBackend *backend, const PetscScalar data[], PetscInt n, PetscScalar **copy)
{
  PetscFunctionBeginUser;
  PetscCall((*backend->allocate)((size_t)(n + 1) * sizeof(**copy), (void **)copy));
  PetscCall((*backend->from_host)(*copy, data, (size_t)n * sizeof(**copy)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product with a bound plan, twice, against what the interpreter says on the host; x and y begin `shift` entries off the borders of vectors */
static PetscErrorCode CheckProduct(AutoCSRPlan *plan, const AutoCSRMatrix *csr, const AutoCSRPlan *host_plan, const AutoCSRMatrix *host, PetscBool transpose, PetscInt add, PetscInt shift, const char context[])
{
  const PetscInt  n_x = transpose ? host->m : host->n, n_y = transpose ? host->n : host->m;
  PetscScalar    *x, *z, *y[2], *expected, *dx, *dz, *dy;
  AutoCSROperands o = {.csr = host, .conjugate = transpose};
  PetscReal      *bound;
  PetscBool       same;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc6(n_x + shift, &x, n_y + shift, &z, n_y + shift, &y[0], n_y + shift, &y[1], n_y, &expected, n_y, &bound));
  for (PetscInt i = 0; i < n_x + shift; i++) x[i] = Value(VALUES_MANY, 3, i);
  for (PetscInt i = 0; i < n_y + shift; i++) z[i] = Value(VALUES_MANY, 4, i);
  if (n_x) x[shift + n_x / 3] = INFINITY;
  o.x = x + shift;
  o.y = expected;
  o.z = add ? z + shift : NULL;
  PetscCall((transpose ? AutoCSRPlanInterpretTranspose : AutoCSRPlanInterpret)(host_plan, &o));
  PetscCall(BoundsGet(&o, transpose, bound));
  PetscCall(Upload(csr->backend, x, n_x + shift, &dx));
  PetscCall(Upload(csr->backend, z, n_y + shift, &dz));
  for (int again = 0; again < 2; again++) {
    PetscCall(Upload(csr->backend, z, n_y + shift, &dy));
    o = (AutoCSROperands){.csr = csr, .x = dx + shift, .y = dy + shift, .z = add == 0 ? NULL : (add == 1 ? dz : dy) + shift, .conjugate = transpose};
    PetscCall((transpose ? csr->backend->mult_transpose : csr->backend->mult)(plan, &o));
    PetscCall((*csr->backend->to_host)(y[again], dy, (size_t)(n_y + shift) * sizeof(**y)));
    PetscCall((*csr->backend->deallocate)(dy));
  }
  PetscCall(PetscMemcmp(y[0], y[1], (size_t)(n_y + shift) * sizeof(**y), &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: other bits the second time", context);
  for (PetscInt i = 0; i < n_y; i++) {
    const PetscScalar a = y[0][shift + i], b = expected[i];

    PetscCheck(Close(a, b, bound[i]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, transposed %d, add %" PetscInt_FMT ", shift %" PetscInt_FMT ": entry %" PetscInt_FMT " is %g, not %g", context, transpose, add, shift, i, (double)PetscRealPart(a), (double)PetscRealPart(b));
  }
  PetscCall((*csr->backend->deallocate)(dx));
  PetscCall((*csr->backend->deallocate)(dz));
  PetscCall(PetscFree6(x, z, y[0], y[1], expected, bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckPlan(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRMatrix *host, const AutoCSRProfile *host_profile, const AutoCSRAxes *axes, Division division, const char simd[], Seen *seen)
{
  AutoCSRPlan           *plan, *host_plan;
  const AutoCSRExecutor *executor;
  char                   context[128];

  PetscFunctionBeginUser;
  PetscCall((*csr->backend->find_executor)(axes, simd, &executor));
  if (!executor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BuildPlan(csr, profile, host, host_profile, axes, division, &plan));
  PetscCall(BuildPlan(host, host_profile, host, host_profile, axes, division, &host_plan));
  for (PetscInt s = 0; s < plan->n_segments; s++) plan->segment[s].executor = executor;
  PetscCall((*csr->backend->bind)(plan, csr));
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s (%s), blocks of %" PetscInt_FMT ", index %s, %" PetscInt_FMT " lanes", executor->name, simd, axes->block, AutoCSRIndexNames[axes->index], axes->lanes));
  for (int far = 0; far < (csr->backend == &AutoCSRBackendHost ? 2 : 1); far++) { /* what comes from memory is prefetched */
    for (PetscInt s = 0; s < plan->n_segments; s++) plan->segment[s].far = (PetscBool)far;
    for (PetscInt add = 0; add < 3; add++) {
      PetscCall(CheckProduct(plan, csr, host_plan, host, PETSC_FALSE, add, add == 1, context));
      if (csr->backend->mult_transpose) PetscCall(CheckProduct(plan, csr, host_plan, host, PETSC_TRUE, add, add == 1, context));
    }
  }
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(AutoCSRPlanDestroy(&host_plan));
  seen->of[axes->block][axes->value]++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckMatrix(const Generator *g, const AutoCSRBackend *backend, Seen *seen)
{
  const PetscBool on_host = (PetscBool)(backend == &AutoCSRBackendHost);
  AutoCSRMatrix   host, csr;
  AutoCSRProfile *host_profile, *profile;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &host));
  PetscCall(AutoCSRMatrixCopy(&host, backend, &csr));
  PetscCall(AutoCSRProfileCreate(&host, backend->slice_height, &host_profile));
  PetscCall(AutoCSRProfileCreate(&csr, backend->slice_height, &profile));
  for (int division = DIVISION_WHOLE; division <= DIVISION_THIRDS; division++) {
    for (int code = 0; code < 3 * 4; code++) {
      AutoCSRAxes a = {.index = (AutoCSRIndex)(code % 3), .value = (AutoCSRValue)(code / 3), .mapping = AUTOCSR_MAP_LANES, .slice_height = backend->slice_height, .row_group = 1};

      for (a.block = 2; a.block <= host_profile->block_size; a.block++) {
        PetscBool legal;

        a.lanes        = 1;
        a.slice_height = 1; /* what does not matter is not legal */
        if (a.index == AUTOCSR_INDEX_16) a.slice_height = backend->slice_height;
        PetscCall(IsLegal(&host, host_profile, &a, (Division)division, &legal));
        for (; legal && a.lanes <= (on_host ? 1 : 256); a.lanes *= 4) {
          for (const char *const *simd = (*backend->instruction_sets)(); *simd; simd++) PetscCall(CheckPlan(&csr, profile, &host, host_profile, &a, (Division)division, *simd, seen));
        }
      }
    }
  }
  for (int code = 0; code < 2 * 2; code++) {
    const Division      division = code % 2 ? DIVISION_THIRDS : DIVISION_WHOLE;
    const AutoCSRAxes a      = NodesAxes(code / 2 ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32);
    PetscBool         legal;

    PetscCall(IsLegal(&host, host_profile, &a, division, &legal));
    for (const char *const *simd = (*backend->instruction_sets)(); legal && *simd; simd++) PetscCall(CheckPlan(&csr, profile, &host, host_profile, &a, division, *simd, seen));
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(AutoCSRProfileDestroy(&host_profile));
  PetscCall(AutoCSRMatrixCopyDestroy(&csr));
  PetscCall(MatrixDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const AutoCSRBackend *backend;
  const ValueKind       kinds[] = {VALUES_FEW, VALUES_FLOATS, VALUES_MANY};
  PetscBool             device  = PETSC_FALSE;
  Seen                  seen    = {0};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscSetFPTrap(PETSC_FP_TRAP_OFF));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-device", &device, NULL));
  if (device) PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  backend = AutoCSRBackendOf(device ? PETSC_MEMTYPE_DEVICE : PETSC_MEMTYPE_HOST);
  PetscCheck(backend, PETSC_COMM_SELF, PETSC_ERR_SUP, "This library is for the host");
  for (PetscInt b = 2; b <= MAX_BLOCK; b++) {
    const Generator scattered = {"scattered blocks", BLOCK_ROWS * b, FAR_BLOCKS * b, ScatteredBlocks, VALUES_MANY};

    PetscCall(CheckMatrix(&scattered, backend, &seen));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(kinds); k++) {
      const Generator g = {"blocks", BLOCK_ROWS * b, BLOCK_COLUMNS * b, BlocksOf, kinds[k]};

      PetscCall(CheckMatrix(&g, backend, &seen));
    }
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) PetscCall(CheckMatrix(&generators[i], backend, &seen));
  for (PetscInt wide = 0; wide < 2; wide++) { /* 16 bits do not hold the columns of a wide one */
    const Generator g = {"runs", 1700, wide ? 70000 : 1100, Runs, VALUES_MANY};

    PetscCall(CheckMatrix(&g, backend, &seen));
  }
  PetscCheck((seen.of[1][AUTOCSR_VALUE_CSR] > 0) == !device, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " plans of nodes", seen.of[1][AUTOCSR_VALUE_CSR]);
  for (PetscInt b = 2; b <= MAX_BLOCK; b++) {
    for (int v = AUTOCSR_VALUE_CSR; v <= AUTOCSR_VALUE_FLOAT32; v++) {
      const PetscBool small = (PetscBool)(b <= 4); /* a device has these, and of larger ones 5 and 7 with the CSR's values */
      PetscBool       there = (PetscBool)(v == AUTOCSR_VALUE_CSR || v == AUTOCSR_VALUE_DICTIONARY || (v == AUTOCSR_VALUE_FLOAT32 && !PetscDefined(USE_REAL_SINGLE)));

      if (device && !small) there = (PetscBool)(v == AUTOCSR_VALUE_CSR && (b == 5 || b == 7));
      PetscCheck((seen.of[b][v] > 0) == there, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " plans of blocks of %" PetscInt_FMT ", values %s", seen.of[b][v], b, AutoCSRValueNames[v]);
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The products agree\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/dense_blocks_1.out

    test:
      suffix: 1

    test:
      suffix: cuda
      requires: cuda
      args: -device

TEST*/
