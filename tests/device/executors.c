static char help[] = "Executors of a device that use the CSR in place, bin products or walk a grid by planes, on rows of every kind: the products are right, and the same bits again.\n\n";

#include "../plans.h"
#include <petscdevice_cuda.h>

/* Rows of one to three entries and, seldom, of thousands: cut by blocks and tiles of every size */
static PetscInt Mixed(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  if (i % 97 == 5) return Pick(n, i, i % 2 ? 1 : 30, col);
  if (i % 7 == 3 || (i > 1200 && i < 2000)) return 0;
  for (PetscInt k = 0; k <= i % 3; k++) col[k] = (i + k * (n / 4)) % (n / 4) + k * (n / 4);
  return i % 3 + 1;
}

static PetscInt Long(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return i % 4 == 2 ? 0 : Pick(n, i, 3, col);
}

static PetscInt Grid(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Star(n, i, 50, 50, m / 2500, 1, col);
}

static PetscInt Lines(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt all[9], k = Star(n, i, 700, m / 700, 1, 2, all); /* col has room for those that exist */

  while (k && all[k - 1] >= n) k--;
  for (PetscInt t = 0; t < k; t++) col[t] = all[t];
  return k;
}

/* Of another grid in each half, and here and there a row of its own */
static PetscInt Grids(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  if (i % 701 == 3) return Pick(n, i, 5, col);
  return i < m / 2 ? Grid(m, n, i, col) : Lines(m, n, i, col);
}

static const Generator more[] = {
    {"mixed", 3000, 9000, Mixed, VALUES_MANY},
    {"long rows", 21, 30000, Long, VALUES_MANY},
    {"7-point grid", 16300, 16300, Grid, VALUES_OFFSET},
    {"7-point grid, values by row", 16300, 16300, Grid, VALUES_ROW},
    {"9-point grid, fewer columns", 9100, 8000, Lines, VALUES_OFFSET},
    {"several grids", 20000, 20001, Grids, VALUES_OFFSET},
};

static const PetscInt heights[] = {2, 4, 8}, lanes[] = {2, 4, 8, 16, 32};

/* Planes as the profile finds them, and of other shapes, which leave more rows to be walked apart */
static PetscInt ListPlanes(const AutoCSRProfile *profile, AutoCSRAxes list[])
{
  const AutoCSRPlanes shape[] = {profile->planes, {100, 1, 40}, {1024, 0, 512}, {37, 2, 5}, {2500, 1, 60}};
  PetscInt            n = 0, rows = 0;

  for (PetscInt c = 0; c < profile->zones; c++) rows += profile->zone[c].pattern_rows;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(shape) && profile->pattern_values && rows == profile->m; i++) {
    if (shape[i].stride) list[n++] = (AutoCSRAxes){.index = AUTOCSR_INDEX_PATTERN, .value = AUTOCSR_VALUE_PATTERN, .mapping = AUTOCSR_MAP_PLANES, .tile_width = shape[i].stride, .tile_height = shape[i].around, .tile_steps = shape[i].reach};
  }
  return n;
}

/* All executors of these mappings */
static PetscInt ListAxes(AutoCSRAxes list[])
{
  PetscInt n = 0;

  for (int h = 0; h < 3; h++) {
    const AutoCSRAxes tile   = {.partition = AUTOCSR_PARTITION_NONZEROS, .mapping = AUTOCSR_MAP_TILE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = 256, .tile_height = heights[h], .tile_steps = 1};
    const AutoCSRAxes merge  = {.partition = AUTOCSR_PARTITION_NONZEROS, .mapping = AUTOCSR_MAP_MERGE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = 256, .tile_height = heights[h]};
    const AutoCSRAxes blocks = {.mapping = AUTOCSR_MAP_ROW_BLOCKS, .reduction = AUTOCSR_REDUCE_TREE, .tile_width = 256, .tile_height = heights[h], .row_limit = 32 << h};

    list[n++] = tile;
    list[n++] = merge;
    list[n++] = blocks;
  }
  for (int l = 0; l < 5; l++) list[n++] = (AutoCSRAxes){.mapping = AUTOCSR_MAP_FETCH, .reduction = AUTOCSR_REDUCE_TREE, .lanes = lanes[l]};
  list[n++] = (AutoCSRAxes){.mapping = AUTOCSR_MAP_PRODUCTS};
  for (PetscInt shape = 0; shape < PROPAGATED_SHAPES; shape++) list[n++] = PropagatedAxes(shape, AUTOCSR_VALUE_COPY);
  for (PetscInt shape = 0; shape < POPULAR_SHAPES; shape++) list[n++] = PopularAxes(shape, AUTOCSR_VALUE_COPY, 32);
  return n;
}

typedef struct {
  AutoCSRMatrix   host, device;
  AutoCSRProfile *host_profile, *device_profile;
  PetscScalar    *x, *z, *y[2], *sum;
  PetscReal      *bound;
  void           *device_x, *device_odd, *device_z, *device_y; /* odd: x from the second scalar on, not where a copy of 16 bytes may begin */
} Problem;

static PetscErrorCode Upload(const PetscScalar v[], PetscInt n, void **device)
{
  PetscFunctionBeginUser;
  PetscCall((*AutoCSRBackendCUDA.allocate)((size_t)n * sizeof(*v), device));
  PetscCall((*AutoCSRBackendCUDA.from_host)(*device, v, (size_t)n * sizeof(*v)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemCreate(const Generator *g, Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &p->host));
  PetscCall(AutoCSRMatrixCopy(&p->host, &AutoCSRBackendCUDA, &p->device));
  PetscCall(AutoCSRProfileCreate(&p->host, AutoCSRBackendCUDA.slice_height, &p->host_profile));
  PetscCall(AutoCSRProfileCreate(&p->device, AutoCSRBackendCUDA.slice_height, &p->device_profile));
  PetscCall(PetscMalloc6(p->host.n, &p->x, p->host.m, &p->z, p->host.m, &p->y[0], p->host.m, &p->y[1], p->host.m, &p->sum, p->host.m, &p->bound));
  for (PetscInt j = 0; j < p->host.n; j++) p->x[j] = Value(VALUES_MANY, 7, j);
  for (PetscInt i = 0; i < p->host.m; i++) p->z[i] = Value(VALUES_MANY, 8, i);
  if (p->host.n > 2) p->x[p->host.n / 3] = RealScalar(INFINITY); /* reaches the rows that have this column, and no others */
  for (PetscInt i = 0; i < p->host.m; i++) {
    p->sum[i]   = 0;
    p->bound[i] = 0;
    for (PetscInt q = p->host.row_ptr[i]; q < p->host.row_ptr[i + 1]; q++) {
      p->sum[i] += p->host.val[q] * p->x[p->host.col[q]];
      p->bound[i] += PetscAbsScalar(p->host.val[q] * p->x[p->host.col[q]]);
    }
  }
  PetscCall(Upload(p->x, p->host.n, &p->device_x));
  PetscCall((*AutoCSRBackendCUDA.allocate)((size_t)(p->host.n + 1) * sizeof(PetscScalar), &p->device_odd));
  PetscCall((*AutoCSRBackendCUDA.from_host)((PetscScalar *)p->device_odd + 1, p->x, (size_t)p->host.n * sizeof(PetscScalar)));
  PetscCall(Upload(p->z, p->host.m, &p->device_z));
  PetscCall(Upload(p->z, p->host.m, &p->device_y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemDestroy(Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall((*AutoCSRBackendCUDA.deallocate)(p->device_x));
  PetscCall((*AutoCSRBackendCUDA.deallocate)(p->device_odd));
  PetscCall((*AutoCSRBackendCUDA.deallocate)(p->device_z));
  PetscCall((*AutoCSRBackendCUDA.deallocate)(p->device_y));
  PetscCall(PetscFree6(p->x, p->z, p->y[0], p->y[1], p->sum, p->bound));
  PetscCall(AutoCSRProfileDestroy(&p->host_profile));
  PetscCall(AutoCSRProfileDestroy(&p->device_profile));
  PetscCall(AutoCSRMatrixCopyDestroy(&p->device));
  PetscCall(MatrixDestroy(&p->host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = A x, y = z + A x, y = y + A x */
enum {
  ALONE,
  ADDED,
  ONTO,
  KINDS
};

static PetscErrorCode CheckProduct(Problem *p, const AutoCSRPlan *plan, int kind, const char what[])
{
  const size_t    bytes = (size_t)p->host.m * sizeof(PetscScalar);
  AutoCSROperands op    = {.csr = &p->device, .x = kind == ADDED ? (const PetscScalar *)p->device_odd + 1 : (const PetscScalar *)p->device_x, .z = (const PetscScalar *)(kind == ADDED ? p->device_z : p->device_y), .y = (PetscScalar *)p->device_y};

  PetscFunctionBeginUser;
  if (kind == ALONE) op.z = NULL;
  for (int again = 0; again < 2; again++) {
    PetscCall((*AutoCSRBackendCUDA.from_host)(p->device_y, p->z, bytes));
    PetscCall((*AutoCSRBackendCUDA.mult)(plan, &op));
    PetscCall((*AutoCSRBackendCUDA.to_host)(p->y[again], p->device_y, bytes));
  }
  PetscCheck(!memcmp(p->y[0], p->y[1], bytes), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: other bits the second time", what);
  for (PetscInt i = 0; i < p->host.m; i++) {
    const PetscScalar want = (kind == ALONE ? (PetscScalar)0 : p->z[i]) + p->sum[i], got = p->y[0][i];
    const PetscReal   bound = TOLERANCE * (p->bound[i] + (kind == ALONE ? 0 : PetscAbsScalar(p->z[i])));

    if (PetscIsInfOrNanScalar(want))
      PetscCheck(PetscIsInfOrNanScalar(got), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %" PetscInt_FMT " is finite", what, i);
    else
      PetscCheck(PetscAbsScalar(got - want) <= bound, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %" PetscInt_FMT " is off by %g", what, i, (double)PetscAbsScalar(got - want));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckMatrix(const Generator *g, PetscBool few, PetscInt *executors)
{
  AutoCSRAxes    list[32];
  const PetscInt first_planes = ListAxes(list);
  PetscInt       n;
  Problem        p;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreate(g, &p));
  n          = first_planes + ListPlanes(p.device_profile, list + first_planes);
  *executors = 0;
  PetscCheck(g->row != Grid || n == first_planes + 5, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " shapes of planes, not 5", g->name, n - first_planes);
  for (PetscInt a = 0; a < n; a++) {
    const AutoCSRExecutor *executor;

    PetscCall((*AutoCSRBackendCUDA.find_executor)(&list[a], "auto", &executor));
    if (!executor) continue; /* tiles and the merge path come in fewer heights */
    *executors += a < first_planes;
    for (int division = DIVISION_WHOLE; division <= (few ? DIVISION_WHOLE : DIVISION_THIRDS); division++) {
      AutoCSRPlan *plan;
      char         what[128];

      PetscCall(PetscSNPrintf(what, sizeof(what), "%s by %s, %s", g->name, executor->name, division == DIVISION_WHOLE ? "alone" : "several in a launch"));
      PetscCall(BuildPlan(&p.device, p.device_profile, &p.host, p.host_profile, &list[a], (Division)division, &plan));
      for (PetscInt s = 0; s < plan->n_segments; s++) plan->segment[s].executor = executor;
      PetscCall((*AutoCSRBackendCUDA.bind)(plan, &p.device));
      for (int kind = few ? KINDS - 1 : ALONE; kind < KINDS; kind++) PetscCall(CheckProduct(&p, plan, kind, what));
      PetscCall(AutoCSRPlanDestroy(&plan));
    }
  }
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const size_t n         = PETSC_STATIC_ARRAY_LENGTH(generators);
  PetscInt     executors = 0, part = 0, parts = 1;
  PetscBool    few = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-part", &part, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-parts", &parts, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-few", &few, NULL)); /* for compute-sanitizer's slower tools */
  for (size_t i = part; i < n + PETSC_STATIC_ARRAY_LENGTH(more); i += parts) PetscCall(CheckMatrix(i < n ? &generators[i] : &more[i - n], few, &executors));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The products of %" PetscInt_FMT " executors are right, and of grids by planes\n", executors));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    requires: cuda
    args: -parts 8 -part {{0 1 2 3 4 5 6 7}}

TEST*/
