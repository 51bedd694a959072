static char help[] = "Steps of solves that are recorded and repeated, and products that make their dot products, in the emulator: against steps that are launched one by one.\n\n";

#include "../steps.h"
#include "../emulator/backend.h"
#include "../../src/mat/impls/autocsr/profile/profile.h"

/* ---- The matrix on the device, with a plan that may change amid a solve */

static struct {
  AutoCSRMatrix host, csr;
  AutoCSRPlan  *plan;
  PetscInt      products, change_at; /* products since the solve began; after change_at of them the plan is another one, or the arrays lie elsewhere */
  PetscBool     moves, alone;        /* arrays move; what is recorded is refused */
} device;

static PetscErrorCode Upload(const void *from, size_t bytes, const void **to)
{
  void *data;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRDeviceAllocate(bytes, &data));
  PetscCall(AutoCSRDeviceFromHost(data, from, bytes));
  *to = data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UploadMatrix(void)
{
  const AutoCSRMatrix *h = &device.host;

  PetscFunctionBeginUser;
  device.csr         = *h;
  device.csr.backend = &emulated;
  PetscCall(Upload(h->row_ptr, (size_t)(h->m + 1) * sizeof(*h->row_ptr), (const void **)&device.csr.row_ptr));
  PetscCall(Upload(h->col, (size_t)h->nnz * sizeof(*h->col), (const void **)&device.csr.col));
  PetscCall(Upload(h->val, (size_t)h->nnz * sizeof(*h->val), (const void **)&device.csr.val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ForgetMatrix(void)
{
  PetscFunctionBeginUser;
  PetscCall(AutoCSRDeviceDeallocate((void *)device.csr.row_ptr));
  PetscCall(AutoCSRDeviceDeallocate((void *)device.csr.col));
  PetscCall(AutoCSRDeviceDeallocate((void *)device.csr.val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that make dot products, by one turn of a thread block or by several, and one that does not. The first makes the same bits in all plans */
static const AutoCSRAxes ways[] = {
    {.mapping = AUTOCSR_MAP_LANES, .lanes = 1, .slice_height = 1, .block = 1, .row_group = 1},
    {.mapping = AUTOCSR_MAP_LANES, .lanes = 32, .slice_height = 1, .block = 1, .row_group = 1, .reduction = AUTOCSR_REDUCE_TREE},
    {.index = AUTOCSR_INDEX_PATTERN, .mapping = AUTOCSR_MAP_LANES, .lanes = 1, .slice_height = 1, .block = 1, .row_group = 1},
    {.index = AUTOCSR_INDEX_PATTERN, .value = AUTOCSR_VALUE_PATTERN, .mapping = AUTOCSR_MAP_LANES, .lanes = 1, .slice_height = 1, .block = 1, .row_group = 1},
    {.order = AUTOCSR_ORDER_SLICED, .index = AUTOCSR_INDEX_16, .value = AUTOCSR_VALUE_COPY, .mapping = AUTOCSR_MAP_SLICE, .lanes = 1, .slice_height = AUTOCSR_DEVICE_SLICE_HEIGHT, .block = 1, .row_group = 1},
    {.order = AUTOCSR_ORDER_SLICED, .index = AUTOCSR_INDEX_32, .value = AUTOCSR_VALUE_COPY, .mapping = AUTOCSR_MAP_SLICE, .lanes = 1, .slice_height = AUTOCSR_DEVICE_SLICE_HEIGHT, .block = 1, .row_group = 1, .sort_window = 128},
    {.mapping = AUTOCSR_MAP_PRODUCTS, .slice_height = 1, .block = 1, .row_group = 1},
};
static int way;

/* Of so many rows on, a thread block takes several turns, where its agent has such */
static const PetscInt in_turns[PETSC_STATIC_ARRAY_LENGTH(ways)] = {0, 800, 8600, 16700};

static PetscErrorCode MakePlan(void)
{
  const AutoCSRAxes axes = ways[way];
  AutoCSRPlan      *plan;
  AutoCSRSegment   *seg;
  AutoCSRProfile   *profile;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRPlanDestroy(&device.plan));
  PetscCall(AutoCSRProfileCreate(&device.host, AUTOCSR_DEVICE_SLICE_HEIGHT, &profile));
  PetscCall(AutoCSRPlanCreate(&device.host, &plan));
  PetscCall(AutoCSRPlanAddSegment(plan, "test", &axes, &seg));
  seg->n_rows = device.host.m;
  PetscCall(AutoCSRSegmentSortRows(seg, &device.host));
  PetscCall(AutoCSRSegmentEncode(seg, &device.host, profile));
  PetscCall(AutoCSRPlanCopy(plan, &emulated, &device.plan));
  PetscCall(AutoCSRDeviceFindExecutor(&axes, "auto", &device.plan->segment[0].executor));
  PetscCheck(device.plan->segment[0].executor, PETSC_COMM_SELF, PETSC_ERR_PLIB, "There is no executor of way %d", way);
  PetscCall(AutoCSRDeviceBind(device.plan, &device.csr));
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts products. After change_at of them the plan or the arrays are replaced, as progressive planning and the release of the CSR do */
static PetscErrorCode Count(PetscInt products)
{
  const PetscBool due = (PetscBool)(device.products < device.change_at && device.products + products >= device.change_at);

  PetscFunctionBeginUser;
  device.products += products;
  if (!due) PetscFunctionReturn(PETSC_SUCCESS);
  if (device.moves) {
    const AutoCSRMatrix before = device.csr;

    PetscCall(UploadMatrix());
    {
      const AutoCSRMatrix now = device.csr;

      device.csr = before;
      PetscCall(ForgetMatrix());
      device.csr = now;
    }
  } else
    PetscCall(MakePlan());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Multiply(AutoCSRSolve *s, PetscInt from, PetscInt to)
{
  PetscFunctionBeginUser;
  PetscCall(AutoCSRDeviceMult(device.plan, &(AutoCSROperands){.csr = &device.csr, .x = s->array[from], .y = s->array[to]}));
  s->device->products++;
  PetscCall(Count(1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Product(const AutoCSRSolve *s, AutoCSRProduct *product)
{
  PetscFunctionBeginUser;
  (void)s;
  *product = (AutoCSRProduct){device.plan, device.alone ? 0 : AutoCSRDeviceRecordable(device.plan), device.csr.row_ptr, device.csr.col, device.csr.val};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Counted(AutoCSRSolve *s, PetscInt products)
{
  PetscFunctionBeginUser;
  (void)s;
  PetscCall(Count(products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of KSPSolve_Fused() */
static PetscErrorCode SolveEmulated(KSP ksp)
{
  static AutoCSRSteps steps;
  AutoCSRFused       *f;
  const AutoCSRSteps *host;
  const char         *why;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  PetscCall(AutoCSRFusedServe(ksp, f, &host, &why));
  PetscCheck(host, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The solve is not served: %s", why);
  steps           = EmulatedSteps();
  steps.multiply  = Multiply;
  steps.product   = Product;
  steps.counted   = Counted;
  device.products = 0;
  PetscCall(AutoCSRFusedSolve(ksp, f, &steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Solves */

#define SOLVES 4

typedef struct {
  const char *name;
  KSPType     type;
  KSPNormType norm;
  PetscReal   shift, rtol, b[SOLVES]; /* right sides of one solver's solves, one after the other */
  PetscInt    max_it;
  PetscBool   none;      /* nothing may be repeated */
  PetscBool   apart;     /* the vectors of each solve lie elsewhere */
  PetscInt    change_at; /* product */
  PetscBool   moves, alone, through_host, refuse, monitor;
} Problem;

typedef struct {
  Vec                x[SOLVES];
  PetscInt           its[SOLVES], norms;
  PetscReal          history[4096];
  KSPConvergedReason reason[SOLVES];
  unsigned long long launches, graphs;
} Outcome;

static PetscErrorCode SetSolver(const Problem *p, KSP ksp, PetscBool repeat, PetscBool join, Outcome *o)
{
  PC                    pc;
  AutoCSRFused         *f;
  PetscViewer           viewer;
  PetscViewerAndFormat *vf;

  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, p->type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetNormType(ksp, p->norm));
  PetscCall(KSPSetTolerances(ksp, p->rtol, 1e-300, 1e200, (int)p->max_it));
  PetscCall(KSPSetResidualHistory(ksp, o->history, PETSC_STATIC_ARRAY_LENGTH(o->history), PETSC_FALSE));
  if (p->monitor) {
    PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, "/dev/null", &viewer));
    PetscCall(PetscViewerAndFormatCreate(viewer, PETSC_VIEWER_DEFAULT, &vf));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(KSPMonitorSet(ksp, (PetscErrorCode(*)(KSP, PetscInt, PetscReal, void *))(void (*)(void))KSPMonitorResidual, vf, (PetscErrorCode(*)(void **))(void (*)(void))PetscViewerAndFormatDestroy));
  }
  PetscCall(KSPSetUp(ksp));
  ksp->ops->solve = SolveEmulated;
  PetscCall(AutoCSRFusedGet(ksp, &f));
  f->repeats = repeat;
  f->joins   = join;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same values in each row: its pattern tells them */
static PetscErrorCode SetConstant(Mat A)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatSetValue(A, i, i, 2.2, INSERT_VALUES));
    if (i) PetscCall(MatSetValue(A, i, i - 1, -1, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(A, i, i + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(const Problem *p, PetscBool repeat, PetscBool join, Outcome *o)
{
  const unsigned long long launches = EmulatorLaunches(), graphs = EmulatorGraphLaunches();
  void                    *room[SOLVES] = {NULL};
  KSP                      ksp;
  Mat                      A;
  Vec                      b;
  const PetscReal         *history;
  PetscBool                done;

  PetscFunctionBeginUser;
  through_host     = p->through_host;
  device.change_at = p->change_at;
  device.moves     = p->moves;
  device.alone     = p->alone;
  EmulatorRefuseGraphs(p->refuse);
  PetscCall(CreateMatrix(p->shift, 1, &A));
  if (ways[way].value == AUTOCSR_VALUE_PATTERN) PetscCall(SetConstant(A));
  PetscCall(MatCreateVecs(A, NULL, &b));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &device.host.m, &device.host.row_ptr, &device.host.col, &done));
  PetscCall(MatSeqAIJGetArrayRead(A, &device.host.val));
  device.host.n       = device.host.m;
  device.host.nnz     = device.host.row_ptr[device.host.m];
  device.host.backend = &AutoCSRBackendHost;
  PetscCall(UploadMatrix());
  PetscCall(MakePlan());
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(SetSolver(p, ksp, repeat, join, o));
  for (int k = 0; k < SOLVES; k++) {
    PetscCall(VecDuplicate(b, &o->x[k]));
    PetscCall(VecSet(b, p->b[k]));
    if (p->apart) PetscCall(AutoCSRDeviceAllocate((size_t)(k + 1) * (size_t)n * sizeof(PetscScalar), &room[k]));
    PetscCall(KSPSolve(ksp, b, o->x[k]));
    PetscCall(KSPGetIterationNumber(ksp, &o->its[k]));
    PetscCall(KSPGetConvergedReason(ksp, &o->reason[k]));
  }
  PetscCall(KSPGetResidualHistory(ksp, &history, &o->norms));
  o->launches = EmulatorLaunches() - launches;
  o->graphs   = EmulatorGraphLaunches() - graphs;
  for (int k = 0; k < SOLVES; k++) {
    if (room[k]) PetscCall(AutoCSRDeviceDeallocate(room[k]));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(AutoCSRPlanDestroy(&device.plan));
  PetscCall(ForgetMatrix());
  PetscCall(MatSeqAIJRestoreArrayRead(A, &device.host.val));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &device.host.m, &device.host.row_ptr, &device.host.col, &done));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that are none are equal here */
static PetscBool SameReals(const PetscReal a[], const PetscReal b[], PetscInt m)
{
  for (PetscInt k = 0; k < m; k++) {
    if (a[k] != b[k] && !(PetscIsNanReal(a[k]) && PetscIsNanReal(b[k]))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscErrorCode Check(const Problem *p)
{
  Outcome one, many;

  PetscFunctionBeginUser;
  PetscCall(Solve(p, PETSC_FALSE, PETSC_TRUE, &one));
  PetscCall(Solve(p, PETSC_TRUE, PETSC_TRUE, &many));
  PetscCheck(one.graphs == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: steps are repeated where the user does not want it", p->name);
  PetscCheck(p->none == (many.graphs == 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %llu launches of graphs", p->name, many.graphs);
  PetscCheck(one.norms == many.norms && SameReals(one.history, many.history, PetscMin(one.norms, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(one.history))), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: other norms", p->name);
  for (int k = 0; k < SOLVES; k++) {
    const PetscScalar *x, *y;

    PetscCheck(one.its[k] == many.its[k] && one.reason[k] == many.reason[k], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: solve %d ends with %s after %" PetscInt_FMT " iterations, without repeating with %s after %" PetscInt_FMT, p->name, k, KSPConvergedReasons[many.reason[k]], many.its[k], KSPConvergedReasons[one.reason[k]], one.its[k]);
    PetscCall(VecGetArrayRead(one.x[k], &x));
    PetscCall(VecGetArrayRead(many.x[k], &y));
    PetscCheck(SameReals((const PetscReal *)x, (const PetscReal *)y, n * (PetscInt)(sizeof(PetscScalar) / sizeof(PetscReal))), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: solve %d has another solution", p->name, k);
    PetscCall(VecRestoreArrayRead(one.x[k], &x));
    PetscCall(VecRestoreArrayRead(many.x[k], &y));
    PetscCall(VecDestroy(&one.x[k]));
    PetscCall(VecDestroy(&many.x[k]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %s\n", p->name, KSPConvergedReasons[one.reason[0]]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Problem problems[] = {
    {"cg, one right side after the other", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-6, {1, -3, 1e-5, 2}, 500},
    {"cg, a step more than a record has", KSPCG, KSP_NORM_UNPRECONDITIONED, 0.3, 1e-30, {1, 2, 3, 4}, 33},
    {"cg, two steps fewer", KSPCG, KSP_NORM_NATURAL, 0.3, 1e-30, {1, 2, 3, 4}, 30},
    {"cg, the matrix is indefinite", KSPCG, KSP_NORM_PRECONDITIONED, 0.45, 1e-30, {1, 2, 1, 1}, 500},
    {"cg, to the last bit", KSPCG, KSP_NORM_NONE, 0, 1e-30, {1e-140, 2e-150, 1e-130, 1e-120}, 700},
    {"cg, no number", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-6, {1, NAN, 1, INFINITY}, 500},
    {"cg, overflow", KSPCG, KSP_NORM_NATURAL, 0.3, 1e-6, {1, 1e155, 1, 1e120}, 500},
    {"cg, vectors elsewhere", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-6, {1, 2, 3, 4}, 500, .apart = PETSC_TRUE},
    {"cg, another plan amid a solve", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-8, {1, 2, 3, 4}, 500, .change_at = 22},
    {"cg, another plan amid a record", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-8, {1, 2, 3, 4}, 500, .change_at = 14},
    {"cg, the matrix moves amid a solve", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-8, {1, 2, 3, 4}, 500, .change_at = 22, .moves = PETSC_TRUE},
    {"cg, the matrix moves amid a record", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-8, {1, 2, 3, 4}, 500, .change_at = 14, .moves = PETSC_TRUE},
    {"cg, a monitor", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-6, {1, 2, 3, 4}, 500, .monitor = PETSC_TRUE},
    {"cg, no graphs", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-6, {1, 2, 3, 4}, 500, .none = PETSC_TRUE, .refuse = PETSC_TRUE},
    {"cg, products that are not recorded", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-6, {1, 2, 3, 4}, 500, .none = PETSC_TRUE, .alone = PETSC_TRUE},
    {"cg, sums by the host", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-6, {1, 2, 3, 4}, 500, .none = PETSC_TRUE, .through_host = PETSC_TRUE},
    {"cg, a few steps", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-30, {1, 2, 3, 4}, 3, .none = PETSC_TRUE},
    {"bcgs, one right side after the other", KSPBCGS, KSP_NORM_PRECONDITIONED, 0.3, 1e-6, {1, -3, 1e-5, 2}, 500},
    {"bcgs, a step more than a record has", KSPBCGS, KSP_NORM_PRECONDITIONED, 0.3, 1e-30, {1, 2, 3, 4}, 21},
    {"bcgs, to the last bit", KSPBCGS, KSP_NORM_NONE, 0, 1e-30, {1e-140, 2e-150, 1e-130, 1e-120}, 300},
    {"bcgs, another plan amid a solve", KSPBCGS, KSP_NORM_PRECONDITIONED, 0.3, 1e-8, {1, 2, 3, 4}, 500, .change_at = 41},
};

/* The same bits in any order of blocks and threads; without the dot product in the product's kernel the same iterations, and a launch more in each step */
static PetscErrorCode CheckJoined(int orders, PetscInt max_it)
{
  const Problem p = {"cg", KSPCG, KSP_NORM_PRECONDITIONED, 0.3, 1e-6, {1, 2, 3, 4}, max_it};
  Outcome       apart, joined[EMULATOR_ORDERS];
  PetscReal     difference, scale;
  PetscBool     same;

  PetscFunctionBeginUser;
  PetscCall(Solve(&p, PETSC_FALSE, PETSC_FALSE, &apart));
  for (int order = 0; order < orders; order++) {
    EmulatorSetOrder((EmulatorOrder)order);
    PetscCall(Solve(&p, PETSC_FALSE, PETSC_TRUE, &joined[order]));
    EmulatorSetOrder(EMULATOR_FORWARD);
    PetscCheck(joined[order].norms == apart.norms, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Way %d takes %" PetscInt_FMT " norms, with dot products apart %" PetscInt_FMT, way, joined[order].norms, apart.norms);
    PetscCheck(SameReals(joined[order].history, joined[0].history, apart.norms), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Norms of way %d depend on the order of blocks and threads", way);
    for (int k = 0; k < SOLVES; k++) {
      PetscCall(VecEqual(joined[order].x[k], joined[0].x[k], &same));
      PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The solution of way %d depends on the order of blocks and threads", way);
    }
  }
  for (int k = 0; k < SOLVES; k++) {
    PetscCheck(joined[0].its[k] == apart.its[k] && joined[0].reason[k] == apart.reason[k], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Way %d takes %" PetscInt_FMT " iterations, with dot products apart %" PetscInt_FMT, way, joined[0].its[k], apart.its[k]);
    PetscCall(VecNorm(apart.x[k], NORM_2, &scale));
    PetscCall(VecAXPY(apart.x[k], -1, joined[0].x[k]));
    PetscCall(VecNorm(apart.x[k], NORM_2, &difference));
    PetscCheck(difference <= 1e-8 * scale, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Way %d: solutions differ by %g of %g", way, (double)difference, (double)scale);
    PetscCall(VecDestroy(&apart.x[k]));
    for (int order = 0; order < orders; order++) PetscCall(VecDestroy(&joined[order].x[k]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Way %d, %" PetscInt_FMT " rows: %s\n", way, n, joined[0].launches < apart.launches ? "dot products are the products'" : "dot products are apart"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(problems); k++) PetscCall(Check(&problems[k]));
  for (way = 0; way < (int)PETSC_STATIC_ARRAY_LENGTH(ways); way++) {
    PetscCall(CheckJoined(EMULATOR_ORDERS, 500));
    if (!in_turns[way]) continue;
    n = in_turns[way];
    PetscCall(CheckJoined(1, 2));
    n = 700;
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    requires: double !complex
    timeoutfactor: 3

TEST*/
