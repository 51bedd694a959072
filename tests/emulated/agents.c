static char help[] = "Kernels of the device without a device: every agent on small matrices, in several orders of blocks and threads.\n\n";

#define AUTOCSR_HAVE_CUDA
#include "../plans.h"
#include "agents.h"
#include "agent_axes.h"
#include "../emulator/backend.h" /* where products are made; plans are made on the host */
#include "../emulator/control.h"
#include "../emulator/generated.h"

/* ---- A matrix in both memories, and what its product is */

typedef struct {
  AutoCSRMatrix   host, device;
  AutoCSRProfile *profile;
  PetscScalar    *x, *z, *sum, *y;
  PetscReal      *bound;
  const void     *device_x, *device_z, *device_y;
  int             n_arrays;
  void           *array[6];
} Problem;

/* Exactly as much as there is: an application's arrays have no room past their ends. They may begin `before` elements on in what was allocated */
static PetscErrorCode Upload(Problem *p, const void *v, PetscInt n, size_t size, size_t before, const void **device)
{
  char *data;

  PetscFunctionBeginUser;
  PetscCallCUDA(cudaMallocAsync(&p->array[p->n_arrays], PetscMax(1, (before + (size_t)n) * size), AUTOCSR_STREAM));
  data = (char *)p->array[p->n_arrays++];
  PetscCallCUDA(cudaMemsetAsync(data, 0xff, before * size, AUTOCSR_STREAM));
  PetscCall(AutoCSRDeviceFromHost(data + before * size, v, (size_t)n * size));
  *device = data + before * size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemCreate(const Generator *g, PetscBool special, size_t before, Problem *p)
{
  AutoCSRMatrix *h = &p->host;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, h));
  if (special && h->nnz) {
    PutValue(h, g->values, h->nnz / 2, RealScalar(INFINITY), (PetscScalar *)h->val);
    PutValue(h, g->values, h->nnz / 3, RealScalar(NAN), (PetscScalar *)h->val);
  }
  PetscCall(AutoCSRProfileCreate(h, AUTOCSR_DEVICE_SLICE_HEIGHT, &p->profile));
  PetscCall(PetscMalloc5(h->n, &p->x, h->m, &p->z, h->m, &p->sum, h->m, &p->y, h->m, &p->bound));
  for (PetscInt j = 0; j < h->n; j++) p->x[j] = Value(VALUES_MANY, 7, j);
  for (PetscInt i = 0; i < h->m; i++) p->z[i] = Value(VALUES_MANY, 8, i);
  if (special && h->n > 2) p->x[h->n / 3] = RealScalar(-INFINITY); /* reaches the rows that have this column, and no others */
  for (PetscInt i = 0; i < h->m; i++) {
    p->bound[i] = PetscAbsScalar(p->z[i]);
    for (PetscInt q = h->row_ptr[i]; q < h->row_ptr[i + 1]; q++) p->bound[i] += PetscAbsScalar(h->val[q]) * PetscAbsScalar(p->x[h->col[q]]);
  }
  p->device         = *h;
  p->device.backend = &emulated;
  p->n_arrays       = 0;
  PetscCall(Upload(p, h->row_ptr, h->m + 1, sizeof(*h->row_ptr), before, (const void **)&p->device.row_ptr));
  PetscCall(Upload(p, h->col, h->nnz, sizeof(*h->col), before, (const void **)&p->device.col));
  PetscCall(Upload(p, h->val, h->nnz, sizeof(*h->val), before, (const void **)&p->device.val));
  PetscCall(Upload(p, p->x, h->n, sizeof(*p->x), before, &p->device_x));
  PetscCall(Upload(p, p->z, h->m, sizeof(*p->z), before, &p->device_z));
  PetscCall(Upload(p, p->z, h->m, sizeof(*p->z), before, &p->device_y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemDestroy(Problem *p)
{
  PetscFunctionBeginUser;
  while (p->n_arrays) PetscCall(AutoCSRDeviceDeallocate(p->array[--p->n_arrays]));
  PetscCall(PetscFree5(p->x, p->z, p->sum, p->y, p->bound));
  PetscCall(AutoCSRProfileDestroy(&p->profile));
  PetscCall(MatrixDestroy(&p->host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Products */

/* y = A x, y = z + A x, y = y + A x */
enum {
  ALONE,
  ADDED,
  ONTO,
  KINDS
};
static const char *const kinds[] = {"y = A x", "y = z + A x", "y = y + A x"};

static PetscErrorCode Multiply(Problem *p, const AutoCSRPlan *plan, int kind, PetscBool conjugate, PetscBool by_segments, PetscScalar y[])
{
  const size_t    bytes = (size_t)p->host.m * sizeof(*y);
  AutoCSROperands op    = {.csr = &p->device, .x = (const PetscScalar *)p->device_x, .y = (PetscScalar *)p->device_y, .conjugate = conjugate};

  PetscFunctionBeginUser;
  if (kind == ADDED) op.z = (const PetscScalar *)p->device_z;
  if (kind == ONTO) {
    op.z = op.y;
    PetscCall(AutoCSRDeviceFromHost(op.y, p->z, bytes));
  } else
    PetscCallCUDA(cudaMemsetAsync(op.y, 0xff, bytes, AUTOCSR_STREAM)); /* NaN in rows that are not written */
  for (PetscInt s = 0; s < plan->n_segments && by_segments; s++) {
    AutoCSROperands room;

    (*plan->segment[s].executor->mult)(&plan->segment[s], AutoCSRPlanOperandsOf(plan, plan->segment[s].row_set.nearness, &op, &room));
  }
  if (!by_segments) PetscCall((*emulated.mult)(plan, &op));
  PetscCall(AutoCSRDeviceToHost(y, op.y, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p->sum, by the interpreter. conj(A) x = conj(A conj(x)) */
static PetscErrorCode Interpret(Problem *p, const AutoCSRPlan *plan, PetscBool conjugate)
{
  AutoCSROperands op = {.csr = &p->host, .x = p->x, .y = p->sum};

  PetscFunctionBeginUser;
  for (PetscInt j = 0; j < p->host.n && conjugate; j++) p->x[j] = PetscConj(p->x[j]);
  PetscCall(AutoCSRPlanInterpret(plan, &op));
  for (PetscInt j = 0; j < p->host.n && conjugate; j++) p->x[j] = PetscConj(p->x[j]);
  for (PetscInt i = 0; i < p->host.m && conjugate; i++) p->sum[i] = PetscConj(p->sum[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckNumbers(const Problem *p, int kind, const char what[])
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < p->host.m; i++) {
    const PetscScalar want = (kind == ALONE ? (PetscScalar)0 : p->z[i]) + p->sum[i], got = p->y[i];

    if (PetscIsInfOrNanScalar(want))
      PetscCheck(PetscIsInfOrNanScalar(got) && (PetscDefined(USE_COMPLEX) || PetscIsNanScalar(got) == PetscIsNanScalar(want)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %" PetscInt_FMT " is %g, not %g", what, i, (double)PetscRealPart(got), (double)PetscRealPart(want));
    else
      PetscCheck(PetscAbsScalar(got - want) <= TOLERANCE * p->bound[i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %" PetscInt_FMT " is %g, off by %g", what, i, (double)PetscRealPart(got), (double)PetscAbsScalar(got - want));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Processors differ in the bits of what is no number */
static PetscBool SameBits(const PetscScalar a[], const PetscScalar b[], PetscInt n)
{
  const PetscReal *p = (const PetscReal *)a, *q = (const PetscReal *)b;

  for (PetscInt i = 0; i < n * (PetscInt)(sizeof(*a) / sizeof(*p)); i++) {
    if (memcmp(&p[i], &q[i], sizeof(*p)) && !(PetscIsNanReal(p[i]) && PetscIsNanReal(q[i]))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The first order twice: in the first product some agents look for what they keep */
static const struct {
  const char   *name;
  EmulatorOrder order;
  PetscBool     by_segments;
} turns[] = {
    {"forward", EMULATOR_FORWARD, PETSC_FALSE},
    {"forward again", EMULATOR_FORWARD, PETSC_FALSE},
    {"backward", EMULATOR_BACKWARD, PETSC_FALSE},
    {"shuffled", EMULATOR_SHUFFLED, PETSC_FALSE},
    {"each segment alone", EMULATOR_SHUFFLED, PETSC_TRUE},
};

/* How often agents were run by a plan of one segment, and of several */
typedef struct {
  PetscInt alone[256], together[256];
} Reached;

static PetscErrorCode CheckPlan(Problem *p, const AutoCSRPlan *plan, int kind, Reached *reached, const char what[])
{
  const PetscBool conjugate = (PetscBool)(PetscDefined(USE_COMPLEX) && plan->nnz % 2);
  AutoCSRPlan    *device;
  PetscScalar    *again;
  char            where[256];

  PetscFunctionBeginUser;
  PetscCall(Interpret(p, plan, conjugate));
  PetscCall(AutoCSRPlanCopy(plan, &emulated, &device));
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    const AutoCSRDeviceExecutor *e = (const AutoCSRDeviceExecutor *)plan->segment[s].executor;

    device->segment[s].executor = &e->executor;
    if (!plan->segment[s].n_rows || e->generated) continue;
    if (plan->n_segments > 1)
      reached->together[e - AutoCSRDeviceExecutors]++;
    else
      reached->alone[e - AutoCSRDeviceExecutors]++;
  }
  EmulatorSetOrder(EMULATOR_FORWARD);
  PetscCall(AutoCSRDeviceBind(device, &p->device));
  PetscCall(PetscMalloc1(p->host.m, &again));
  for (size_t turn = 0; turn < PETSC_STATIC_ARRAY_LENGTH(turns); turn++) {
    if (turns[turn].by_segments && plan->n_segments == 1) continue;
    PetscCall(PetscSNPrintf(where, sizeof(where), "%s, %s, %s", what, kinds[kind], turns[turn].name));
    PetscCall(PetscInfo(NULL, "%s\n", where));
    EmulatorSetOrder(turns[turn].order);
    PetscCall(Multiply(p, device, kind, conjugate, turns[turn].by_segments, turn ? again : p->y));
    if (!turn)
      PetscCall(CheckNumbers(p, kind, where));
    else
      PetscCheck(SameBits(p->y, again, p->host.m), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: other bits", where);
  }
  PetscCall(PetscFree(again));
  PetscCall(AutoCSRPlanDestroy(&device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetExecutors(AutoCSRPlan *plan, PetscBool *found)
{
  PetscFunctionBeginUser;
  *found = PETSC_TRUE;
  for (PetscInt s = 0; s < plan->n_segments; s++) {
    PetscCall(AutoCSRDeviceFindExecutor(&plan->segment[s].axes, "auto", &plan->segment[s].executor));
    if (!plan->segment[s].executor) *found = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Plans */

static PetscErrorCode IsPossible(const Problem *p, const AutoCSRAxes *a, Division division, PetscBool *possible)
{
  const PetscBool contiguous = (PetscBool)(division == DIVISION_WHOLE || division == DIVISION_THIRDS);
  const PetscBool of_rows    = (PetscBool)(a->mapping == AUTOCSR_MAP_LANES || a->mapping == AUTOCSR_MAP_SLICE || a->mapping == AUTOCSR_MAP_GROUP);

  PetscFunctionBeginUser;
  *possible = PETSC_FALSE;
  if (a->mapping == AUTOCSR_MAP_EMPTY && p->host.nnz) PetscFunctionReturn(PETSC_SUCCESS);
  if (!of_rows && !contiguous) PetscFunctionReturn(PETSC_SUCCESS);
  /* What would take long: a block for each tile, a lane for each of many rows times lanes */
  if (AutoCSROrderHasTiles(a->order) && p->host.n / a->tile_width > 10) PetscFunctionReturn(PETSC_SUCCESS);
  if ((a->mapping == AUTOCSR_MAP_LANES || a->mapping == AUTOCSR_MAP_SLICE) && p->host.m * a->lanes > 30000) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsLegal(&p->host, p->profile, a, division, possible));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckAxes(Problem *p, const AutoCSRAxes *a, Division division, int kind, Reached *reached, const char name[])
{
  AutoCSRAxes  own = *a;
  AutoCSRPlan *plan;
  PetscBool    possible;
  char         what[160];

  PetscFunctionBeginUser;
  PetscCall(IsPossible(p, a, division, &possible));
  if (!possible) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->generated && (a->mapping == AUTOCSR_MAP_LANES || a->mapping == AUTOCSR_MAP_SLICE)) own.longest = p->profile->max_length; /* rows of one length have kernels of their own */
  PetscCall(BuildPlan(&p->host, p->profile, &p->host, p->profile, &own, division, &plan));
  PetscCall(SetExecutors(plan, &possible));
  PetscCheck(possible, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: there is no executor for axes that a device has", name);
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s by %s, %" PetscInt_FMT " lanes, division %d", name, plan->segment[0].executor->name, a->lanes, division));
  PetscCall(CheckPlan(p, plan, kind, reached, what));
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt Divided; /* plans of near and far entries */

/* More segments than a launch takes, all of other axes */
static PetscErrorCode CheckMixture(Problem *p, const AxesList *list, PetscInt begin, int kind, Reached *reached, const char name[])
{
  const PetscInt  most = PetscMin(p->host.m, AUTOCSR_MANY_SEGMENTS + 7);
  PetscInt        n    = 0, at[AUTOCSR_MANY_SEGMENTS + 7];
  AutoCSRPlan    *plan;
  AutoCSRSegment *seg;
  PetscBool       possible;
  char            what[160];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < list->n && n < most; k++) {
    const PetscInt i = (begin + 5 * k) % list->n;

    if (list->axes[i].block > 1 || (list->axes[i].index == AUTOCSR_INDEX_16 && p->host.n > 65536)) continue;
    PetscCall(IsPossible(p, &list->axes[i], DIVISION_THIRDS, &possible));
    if (possible) at[n++] = i;
  }
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRPlanCreate(&p->host, &plan));
  for (PetscInt s = 0; s < n; s++) {
    PetscCall(AutoCSRPlanAddSegment(plan, "test", &list->axes[at[s]], &seg));
    seg->row_begin = p->host.m * s / n;
    seg->n_rows    = p->host.m * (s + 1) / n - seg->row_begin;
    PetscCall(AutoCSRSegmentSortRows(seg, &p->host));
    PetscCall(AutoCSRSegmentEncode(seg, &p->host, p->profile));
  }
  PetscCall(SetExecutors(plan, &possible));
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s by %" PetscInt_FMT " segments, mixture %" PetscInt_FMT, name, n, begin));
  PetscCall(CheckPlan(p, plan, kind, reached, what));
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Near entries by some axes, far ones by others, which are added to them */
static PetscErrorCode CheckDivided(Problem *p, const AxesList *list, PetscInt begin, int kind, Reached *reached, const char name[])
{
  const PetscInt   reach = 3 + 5 * (begin % 4);
  AutoCSRDivision *d;
  AutoCSRPlan     *plan;
  PetscBool        possible;
  char             what[160];

  PetscFunctionBeginUser;
  PetscCall(AutoCSRPlanCreate(&p->host, &plan));
  PetscCall(AutoCSRDivisionCreate(&p->host, reach, &d));
  plan->division = d;
  for (int k = 0; k < 2; k++) {
    PetscInt at = -1;

    for (PetscInt i = 0; i < list->n && at < 0; i++) {
      const AutoCSRAxes *a = &list->axes[(begin + 11 * k + 7 * i) % list->n];

      PetscCall(IsPossible(p, a, DIVISION_WHOLE, &possible));
      if (possible) PetscCall(IsLegal(&d->part[k], d->profile[k], a, DIVISION_WHOLE, &possible));
      if (possible && a->mapping != AUTOCSR_MAP_VENDOR && a->mapping != AUTOCSR_MAP_EMPTY) at = (begin + 11 * k + 7 * i) % list->n;
    }
    if (at >= 0) {
      AutoCSRSegment *seg;

      PetscCall(AutoCSRPlanAddSegment(plan, "test", &list->axes[at], &seg));
      seg->n_rows           = p->host.m;
      seg->row_set.nearness = (AutoCSRNearness)(k + 1);
      seg->row_set.reach    = reach;
      PetscCall(AutoCSRSegmentSortRows(seg, &d->part[k]));
      PetscCall(AutoCSRSegmentEncode(seg, &d->part[k], d->profile[k]));
    }
  }
  if (plan->n_segments == 2) {
    PetscCall(AutoCSRDivisionTrim(plan));
    PetscCall(AutoCSRPlanCheck(plan, &p->host));
    PetscCall(SetExecutors(plan, &possible));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s, entries up to %" PetscInt_FMT " columns from the diagonal by %s and others by %s", name, reach, plan->segment[0].executor->name, plan->segment[1].executor->name));
    PetscCall(CheckPlan(p, plan, kind, reached, what));
    Divided++;
  }
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What needs neighbouring rows has one division but the whole; for others layouts take turns */
static Division OtherLayout(const AutoCSRAxes *a, PetscInt turn)
{
  return a->block > 1 || (a->mapping != AUTOCSR_MAP_LANES && a->mapping != AUTOCSR_MAP_SLICE && a->mapping != AUTOCSR_MAP_GROUP) ? DIVISION_THIRDS : (Division)(1 + turn % (DIVISION_COUNT - 1));
}

#define LARGE 1000 /* nonzeros: matrices of more take long, and not all axes are tried on each */

/* Every axes as a whole, and by one of the other layouts; kinds of products take turns, too */
static PetscErrorCode CheckMatrix(const Generator *g, PetscInt number, const AxesList *list, PetscBool small, Reached *reached)
{
  Problem   p;
  PetscBool all;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-all", &all));
  PetscCall(ProblemCreate(g, (PetscBool)(number % 2), (size_t)number / 2 % 2, &p));
  if (small && p.host.nnz > LARGE) {
    PetscCall(ProblemDestroy(&p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (g->row == Box) PetscCheck(p.profile->planes.stride == 1200 && p.profile->planes.around == 1 && p.profile->planes.reach == 40, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: planes of %" PetscInt_FMT " rows, %" PetscInt_FMT " around, reach %" PetscInt_FMT, g->name, p.profile->planes.stride, p.profile->planes.around, p.profile->planes.reach);
  if (g->row == Far) PetscCheck(p.profile->planes.stride == 272 && p.profile->planes.around == 2 && p.profile->planes.reach == 32, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: planes of %" PetscInt_FMT " rows, %" PetscInt_FMT " around, reach %" PetscInt_FMT, g->name, p.profile->planes.stride, p.profile->planes.around, p.profile->planes.reach);
  if (g->row == TwoKinds) PetscCheck(p.profile->patterns < 20 && !p.profile->planes.stride, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: planes of %" PetscInt_FMT " rows, %" PetscInt_FMT " patterns", g->name, p.profile->planes.stride, p.profile->patterns);
  if (g->row == Bands) PetscCheck(!p.profile->planes.stride == (p.host.m % 3 > 0), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: planes of %" PetscInt_FMT " rows", g->name, p.profile->planes.stride);
  if (g->row == BandAfterPatterns) PetscCheck(p.profile->patterns > AUTOCSR_PLANES_PATTERNS && !p.profile->planes.stride, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: planes of %" PetscInt_FMT " rows, %" PetscInt_FMT " patterns", g->name, p.profile->planes.stride, p.profile->patterns);
  for (PetscInt a = 0; a < list->n; a++) {
    const PetscInt turns_of = p.host.nnz > 20000 ? 8 : p.host.nnz > LARGE || AutoCSROrderHasTiles(list->axes[a].order) ? 4
                                                                                                                       : 1;

    if ((a + number) % (all || turns_of == 1 ? turns_of : 2 * turns_of) && list->axes[a].index != AUTOCSR_INDEX_PATTERN) continue; /* what takes long, by turns */
    PetscCall(CheckAxes(&p, &list->axes[a], DIVISION_WHOLE, (int)(a + number) % KINDS, reached, g->name));
    if (a % 2 == number % 2 || ((all || list->axes[a].block > 1) && p.host.nnz <= LARGE)) PetscCall(CheckAxes(&p, &list->axes[a], OtherLayout(&list->axes[a], (a + number) / 2), (int)(a + number + 1) % KINDS, reached, g->name));
  }
  for (PetscInt k = 0; k < KINDS; k++) PetscCall(CheckMixture(&p, list, 7 * number + k, (int)k, reached, g->name));
  for (PetscInt k = 0; k < 2 * KINDS && p.host.nnz > 0; k++) PetscCall(CheckDivided(&p, list, 13 * number + 3 * k, (int)k % KINDS, reached, g->name));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Agents that are never launched with others, where that is asked of all */
static PetscErrorCode CheckReached(const Reached *reached)
{
  PetscInt agents = 0;

  PetscFunctionBeginUser;
  for (const AutoCSRDeviceExecutor *e = AutoCSRDeviceExecutors; e->executor.name; e++) {
    const PetscInt i = e - AutoCSRDeviceExecutors;

    PetscCheck(reached->alone[i] && reached->together[i], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, block %" PetscInt_FMT ": run %" PetscInt_FMT " times alone, %" PetscInt_FMT " times as a segment of several", e->executor.name, e->block, reached->alone[i], reached->together[i]);
    agents++;
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The products of %" PetscInt_FMT " agents are right, in any order\n", agents));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  AxesList  list    = {0, 0, NULL};
  Reached   reached = {{0}, {0}};
  PetscBool small, generated;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-small", &small));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-generated", &generated));
  if (generated)
    PetscCall(AddGenerated(&list));
  else {
    PetscCall(AddRows(&list));
    PetscCall(AddSlices(&list));
    PetscCall(AddInPlace(&list));
  }
  AutoCSRDeviceCutSlabs(PETSC_TRUE); /* of slabs the emulator does not know where pieces end: one matrix */
  PetscCall(CheckMatrix(&generators[4], 1, &list, small, &reached));
  AutoCSRDeviceCutSlabs(PETSC_FALSE);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) PetscCall(CheckMatrix(&generators[i], (PetscInt)i, &list, small, &reached));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(more); i++) PetscCall(CheckMatrix(&more[i], 2 * (PetscInt)i, &list, small, &reached));
  PetscCheck(!generated || EmulatedOneLength, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No kernel for rows of one length was run");
  PetscCheck(!generated || EmulatedStretches > 20, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " kernels that know stretches were run", EmulatedStretches);
  PetscCheck(Divided > 50, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " plans of near and far entries", Divided);
  if (small)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "The products of small matrices are right, in any order\n"));
  else
    PetscCall(CheckReached(&reached));
  PetscCall(PetscFree(list.axes));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    timeoutfactor: 3

  test:
    suffix: small
    args: -small

  test:
    suffix: generated
    args: -small -generated

TEST*/
