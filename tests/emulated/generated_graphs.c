static char help[] = "Graphs on a device, without one: each strategy's plan prints as one, which makes the same plan again; numbers that no compiled kernel has get kernels of their own, which multiply well; what a kernel knows of its matrix it has as constants; where a kernel cannot be had, csr multiplies and the plan says why.\n\n";

#define AUTOCSR_HAVE_CUDA
#include "../plans.h"
#include "agents.h"
#include "../emulator/backend.h"
#include "../emulator/control.h"
#include "../emulator/generated.h"
#include "../../src/mat/impls/autocsr/choose/candidate.h"
#include "../../src/mat/impls/autocsr/graph/graph.h"

/* kernels: segments with generated ones; -1: the graph does not apply, and the plan says that it is because of `why` */
static const struct {
  const char *graph;
  int         kernels;
  const char *why;
} cases[] = {
    {"compress row_block(lanes=4) set_resources(threads=64,in_flight=3,rows=2)", 1, NULL},
    {"compress row_block(lanes=64) set_resources(threads=512)", 1, NULL},
    {"bin(0:6) compress(index=32) bmtb_pad slice_block set_resources(threads=64); bin(7:) compress row_block(lanes=16) set_resources(threads=512)", 1, NULL},
    {"sort compress(index=32) bmtb_pad slice_block set_resources(threads=64,in_flight=3,stretches=16)", 1, NULL},
    {"sort compress(index=32) bmtb_pad slice_block set_resources(threads=64,rows=2,stretches=16)", 1, NULL},
    {"compress(index=16) bmtb_pad slice_block set_resources(threads=64,rows=2)", 1, NULL},
    {"sort compress(index=16) bmtb_pad slice_block set_resources(threads=64,stretches=5)", 1, NULL},
    {"compress row_block(lanes=4) set_resources(threads=64,rows=2,stretches=16)", 1, NULL},
    {"bin(0:2) sort compress bmtb_pad slice_block set_resources(threads=64,stretches=4); bin(3:) compress row_block(lanes=4) set_resources(threads=64,stretches=3)", 1, NULL},
    {"sort_sub(window=64) compress(index=32) bmtb_pad slice_block set_resources(threads=64)", 1, NULL}, /* rows are sorted in each thread block */
    {"sort_sub(window=64) compress(index=16) bmtb_pad slice_block(lanes=4)", 0, NULL},
    {"nnz_block(lanes=64,entries=32)", 1, NULL},
    {"merge_block(lanes=512,entries=16)", 1, NULL},
    {"rows_in_block(lanes=64,entries=16)", 1, NULL},
    {"row_fetch(lanes=1) set_resources(threads=64)", 1, NULL},
    {"products set_resources(threads=512)", 1, NULL},
    {"compress(index=16) rows_in_block", 0, NULL}, /* compiled ahead */
    {"compress(index=16,value=csr) merge_block(lanes=64,entries=16)", 1, NULL},
    {"compress(value=dictionary) nnz_block(lanes=64,entries=16)", -1, "no variant of a strategy"}, /* of many values */
    {"compress row_block(lanes=4)", 0, NULL},
    {"col_near(columns=30) compress(index=16) bmtb_pad slice_block; col_far(columns=30) compress row_block(lanes=4)", 0, NULL},
    {"col_near(columns=0) compress row_block(lanes=1); col_far(columns=0) bin(0:0) no_entries; col_far(columns=0) bin(1:) sort compress bmtb_pad slice_block", 0, NULL},
    {"col_near(columns=200) nnz_block; col_far(columns=200) merge_block", 0, NULL},
    {"col_near(columns=40) compress(index=16) bmtb_pad slice_block; col_far(columns=40) col_div pieces", 0, NULL},
    {"col_near(columns=40) compress(index=16,value=copy) col_div_popular pieces; col_far(columns=40) compress(index=16,value=copy) col_div_propagate pieces", 0, NULL},
    {"col_near(columns=0) col_div pieces; col_far(columns=0) bin(0:0) no_entries; col_far(columns=0) bin(1:) compress bmtb_pad(rows=8) slice_block(lanes=4)", 0, NULL},
    {"col_near(columns=4000) compress row_block(lanes=4); col_far(columns=4000) col_div pieces", 0, NULL}, /* no entries are far */
    {"col_near(columns=64) compress row_block(lanes=4) set_resources(threads=64,in_flight=3,rows=2); col_far(columns=64) products", 1, NULL},
    {"col_near(columns=9) compress row_block; col_far(columns=9) vendor(algorithm=2)", -1, "all entries of a block"},
    {"compress row_block(lanes=4) set_resources(threads=128)", -1, "no such kernel"}, /* of the emulator's */
    {"products set_resources(threads=512,rows=2)", -1, "of row_block"},
    {"compress bmtb_pad slice_block(lanes=4) set_resources(threads=64,rows=2)", -1, "of slice_block with a lane a row"},
    {"products set_resources(threads=512,stretches=2)", -1, "of slice_block with a lane a row"},
    {"compress bmtb_pad slice_block(lanes=4) set_resources(threads=64,stretches=2)", -1, "of slice_block with a lane a row"},
    {"sort compress(index=32) bmtb_pad(rows=64) slice_block", -1, "bmtb_pad(rows=32) goes with slice_block(lanes=1), 16 with 2"},
    {"compress(index=32) bmtb_pad(rows=32) slice_block(lanes=4)", -1, "share 32 lanes"},
    {"compress(index=32) bmtb_pad(rows=8) slice_block(lanes=4)", 0, NULL},
    {"nnz_block(lanes=1024,entries=32)", -1, "shared memory has no room"},
    {"nnz_block(lanes=48)", -1, "32, 64, 128, 256, 512 or 1024"},
    {"merge_block set_resources(threads=64)", -1, "as many threads as its tile has lanes"},
    {"products set_resources(threads=512,residents=5)", -1, "room for 2048 threads"},
    {"nnz_block(entries=8) set_resources(constants=1)", 1, NULL},
    {"compress(index=32) bmtb_pad(rows=8) slice_block(lanes=4) set_resources(constants=1)", 1, NULL},
};

static PetscErrorCode Upload(const void *v, size_t bytes, const void **device)
{
  void *data;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRDeviceAllocate(bytes, &data));
  PetscCall(AutoCSRDeviceFromHost(data, v, bytes));
  *device = data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixUpload(const AutoCSRMatrix *host, const AutoCSRFigures *figures, AutoCSRMatrix *device)
{
  PetscFunctionBeginUser;
  *device         = *host;
  device->backend = &emulated;
  device->figures = figures;
  PetscCall(Upload(host->row_ptr, sizeof(*host->row_ptr) * (size_t)(host->m + 1), (const void **)&device->row_ptr));
  PetscCall(Upload(host->col, sizeof(*host->col) * (size_t)host->nnz, (const void **)&device->col));
  PetscCall(Upload(host->val, sizeof(*host->val) * (size_t)host->nnz, (const void **)&device->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixForget(AutoCSRMatrix *device)
{
  PetscFunctionBeginUser;
  PetscCall(AutoCSRDeviceDeallocate((void *)device->row_ptr));
  PetscCall(AutoCSRDeviceDeallocate((void *)device->col));
  PetscCall(AutoCSRDeviceDeallocate((void *)device->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plan's product y with n numbers x */
static PetscErrorCode Product(const AutoCSRMatrix *device, const AutoCSRPlan *plan, PetscScalar x[], PetscScalar y[])
{
  AutoCSROperands op = {.csr = device};
  void           *device_y;

  PetscFunctionBeginUser;
  for (PetscInt j = 0; j < device->n; j++) x[j] = Value(VALUES_MANY, 7, j);
  PetscCall(Upload(x, sizeof(*x) * (size_t)device->n, (const void **)&op.x));
  PetscCall(AutoCSRDeviceAllocate(sizeof(*y) * (size_t)device->m, &device_y));
  op.y = (PetscScalar *)device_y;
  PetscCall((*emulated.mult)(plan, &op));
  PetscCall(AutoCSRDeviceToHost(y, op.y, sizeof(*y) * (size_t)device->m));
  PetscCall(AutoCSRDeviceDeallocate((void *)op.x));
  PetscCall(AutoCSRDeviceDeallocate(op.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* It against the sums of the rows */
static PetscErrorCode CheckProduct(const AutoCSRMatrix *host, const AutoCSRMatrix *device, const AutoCSRPlan *plan, const char what[])
{
  PetscScalar *x, *y;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(host->n, &x, host->m, &y));
  PetscCall(Product(device, plan, x, y));
  for (PetscInt i = 0; i < host->m; i++) {
    PetscScalar sum   = 0;
    PetscReal   bound = 0;

    for (PetscInt q = host->row_ptr[i]; q < host->row_ptr[i + 1]; q++) {
      sum += host->val[q] * x[host->col[q]];
      bound += PetscAbsScalar(host->val[q]) * PetscAbsScalar(x[host->col[q]]);
    }
    PetscCheck(PetscAbsScalar(y[i] - sum) <= TOLERANCE * bound, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %" PetscInt_FMT " is off by %g", what, i, (double)PetscAbsScalar(y[i] - sum));
  }
  PetscCall(PetscFree2(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int Kernels(const AutoCSRPlan *plan)
{
  int n = 0;

  for (PetscInt s = 0; s < plan->n_segments; s++) n += !strncmp(plan->segment[s].executor->name, "generated/", 10);
  return n;
}

static PetscErrorCode SettingsCreate(AutoCSRSettings *settings)
{
  PetscFunctionBeginUser;
  PetscCall(AutoCSRSettingsInitialize(settings));
  settings->chooser = MAT_AUTOCSR_CHOOSER_MODEL; /* the emulator is no device that trees are of */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckGraph(const AutoCSRMatrix *host, const AutoCSRMatrix *device, int c, PetscBool refuse, const char name[])
{
  const char     *why = refuse && cases[c].kernels > 0 ? EmulatedRefusal : cases[c].why;
  AutoCSRSettings settings;
  AutoCSRProfile *profile;
  AutoCSRPlan    *plan;
  char            what[256];

  PetscFunctionBeginUser;
  EmulatedRefuse = refuse;
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s by \"%.100s\"%s", name, cases[c].graph, refuse ? ", kernels refused" : ""));
  PetscCall(SettingsCreate(&settings));
  PetscCall(AutoCSRSettingsSetGraph(&settings, cases[c].graph));
  PetscCall(AutoCSRPlanMake(device, &settings, &plan, &profile));
  PetscCall(CheckProduct(host, device, plan, what));
  if (why) {
    PetscCheck(!Kernels(plan) && !strcmp(plan->segment[0].strategy, "csr") && strstr(plan->why, "graph does not apply") && strstr(plan->why, why), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %s by %s; %s", what, plan->segment[0].strategy, plan->segment[0].executor->name, plan->why);
  } else {
    PetscCheck(Kernels(plan) >= cases[c].kernels && (cases[c].kernels || !Kernels(plan)) && !strstr(plan->why, "does not apply"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %d generated kernels; %s", what, Kernels(plan), plan->why);
  }
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The device divides entries as the host does */
static PetscErrorCode CheckDivision(const AutoCSRMatrix *host, const AutoCSRMatrix *device, PetscInt reach, const char name[])
{
  PetscInt nnz = 0;

  PetscFunctionBeginUser;
  for (int k = AUTOCSR_NEARNESS_NEAR; k <= AUTOCSR_NEARNESS_FAR; k++) {
    AutoCSRMatrix a = *host, b = *device, copy;

    PetscCall((*host->backend->divide)(host, reach, (AutoCSRNearness)k, &a));
    PetscCall((*device->backend->divide)(device, reach, (AutoCSRNearness)k, &b));
    PetscCall(AutoCSRMatrixCopy(&b, &AutoCSRBackendHost, &copy));
    PetscCheck(a.nnz == copy.nnz && !memcmp(a.row_ptr, copy.row_ptr, sizeof(*a.row_ptr) * (size_t)(a.m + 1)) && !memcmp(a.col, copy.col, sizeof(*a.col) * (size_t)a.nnz) && !memcmp(a.val, copy.val, sizeof(*a.val) * (size_t)a.nnz), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, %s entries by %" PetscInt_FMT " columns from the diagonal: %" PetscInt_FMT " on the host, %" PetscInt_FMT " on the device, or others", name, k == AUTOCSR_NEARNESS_NEAR ? "near" : "far", reach, a.nnz, copy.nnz);
    nnz += a.nnz;
    PetscCall(AutoCSRMatrixCopyDestroy(&copy));
    PetscCall(AutoCSRMatrixCopyDestroy(&b));
    PetscCall(AutoCSRMatrixCopyDestroy(&a));
  }
  PetscCheck(nnz == host->nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " entries near or more than %" PetscInt_FMT " columns from the diagonal, not %" PetscInt_FMT, name, nnz, reach, host->nnz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Constants */

/* known: the constants that the kernel must have, EMULATED_ROOT and the like */
static const struct {
  Generator   matrix;
  const char *graph;
  int         known;
} constants[] = {
    {{"7-point, constant, planes", 5000, 5000, Box, VALUES_OFFSET},                        "compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(constants=1)",                       EMULATED_ROOT                  },
    {{"7-point, constant, planes", 5000, 5000, Box, VALUES_OFFSET},                        "compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(constants=2)",                       EMULATED_ROOT | EMULATED_VALUES},
    {{"7-point, constant, planes", 5000, 5000, Box, VALUES_OFFSET},                        "compress(index=pattern,value=pattern) planes set_resources(constants=1)",                          EMULATED_ROOT                  },
    {{"7-point, constant, planes", 5000, 5000, Box, VALUES_OFFSET},                        "compress(index=pattern,value=pattern) planes set_resources(constants=2)",                          EMULATED_ROOT | EMULATED_VALUES},
    {{"7-point, constant, planes", 5000, 5000, Box, VALUES_OFFSET},                        "compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(threads=64,in_flight=3,rows=2)",     0                              },
    {{"7-point, constant, empty rows", 5000, 5000, OpenBox, VALUES_OFFSET},                "compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(constants=2)",                       EMULATED_ROOT | EMULATED_VALUES},
    {{"7-point, constant, empty rows", 5000, 5000, OpenBox, VALUES_OFFSET},                "compress(index=pattern,value=pattern) planes set_resources(constants=2)",                          EMULATED_ROOT | EMULATED_VALUES},
    {{"7-point, values by row, planes", 5000, 5000, Box, VALUES_ROW},                      "compress(index=pattern,value=pattern) planes set_resources(constants=2)",                          EMULATED_ROOT | EMULATED_VALUES},
    {{"7-point, values by row, planes", 5000, 5000, Box, VALUES_ROW},                      "compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(constants=2)",                       EMULATED_ROOT | EMULATED_VALUES},
    {{"two unknowns, constant", 5000, 5000, TwoKinds, VALUES_OFFSET},                      "compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(constants=2)",                       EMULATED_ROOT | EMULATED_VALUES},
    {{"13-point, constant", 2176, 2176, Far, VALUES_OFFSET},                               "compress(index=pattern,value=pattern) planes set_resources(constants=2)",                          EMULATED_ROOT | EMULATED_VALUES},
    {{"constant bands of 32 entries", 601, 601, Bands, VALUES_OFFSET},                     "compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(constants=2)",                       EMULATED_ROOT | EMULATED_VALUES},
    {{"constant bands of 33 entries", 602, 602, Bands, VALUES_OFFSET},                     "compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(constants=2)",                       0                              },
    {{"5-point, constant, several rows of a lane", 17020, 17020, Stencil5, VALUES_OFFSET}, "compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(constants=2)",                       EMULATED_ROOT | EMULATED_VALUES},
    {{"seven entries a row", 141, 91, Seven, VALUES_MANY},                                 "nnz_block(entries=8) set_resources(constants=1)",                                                             EMULATED_FULL                  },
    {{"seven entries a row", 141, 91, Seven, VALUES_MANY},                                 "compress(index=32) bmtb_pad(rows=8) slice_block(lanes=4) set_resources(constants=1)",               EMULATED_WIDTH                 },
    {{"5-point, one value", 437, 437, Stencil5, VALUES_ONE},                               "compress(index=csr,value=constant) row_block(lanes=4) set_resources(constants=2)",                 EMULATED_ONE                   },
    {{"mixed", 1000, 2400, Mixed, VALUES_MANY},                                            "nnz_block(entries=8) set_resources(constants=1)",                                                             0                              },
};

/* New values: twice the old ones. The kernel reads them, and the plan stays */
static PetscErrorCode CheckNewValues(AutoCSRMatrix *host, AutoCSRMatrix *device, AutoCSRPlan *plan, int known, const char what[])
{
  const PetscInt read = EmulatedConstants[EMULATED_ROOT];
  PetscBool      fits;

  PetscFunctionBeginUser;
  for (PetscInt q = 0; q < host->nnz; q++) ((PetscScalar *)host->val)[q] *= 2;
  PetscCall(AutoCSRDeviceFromHost((void *)device->val, host->val, sizeof(*host->val) * (size_t)host->nnz));
  PetscCall(AutoCSRPlanRefresh(plan, device, &fits));
  PetscCheck(fits, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: twice the values do not fit", what);
  if (known & (EMULATED_VALUES | EMULATED_ONE)) PetscCheck(plan->segment[0].axes.constants == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the kernel still has the old values", what);
  if (known & EMULATED_VALUES) PetscCheck(EmulatedConstants[EMULATED_ROOT] > read, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: no kernel without values was taken", what);
  PetscCall(CheckProduct(host, device, plan, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bit by bit the product of the same graph without constants */
static PetscErrorCode CheckWithout(const AutoCSRMatrix *device, const AutoCSRPlan *plan, const char graph[], const char what[])
{
  AutoCSRSettings settings;
  AutoCSRProfile *profile;
  AutoCSRPlan    *without;
  PetscScalar    *x, *y, *z;
  char            plain[256], *end;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(plain, graph, sizeof(plain)));
  PetscCall(PetscStrstr(plain, " set_resources(constants=", &end));
  if (!end) PetscFunctionReturn(PETSC_SUCCESS);
  *end = 0;
  PetscCall(SettingsCreate(&settings));
  PetscCall(AutoCSRSettingsSetGraph(&settings, plain));
  PetscCall(AutoCSRPlanMake(device, &settings, &without, &profile));
  PetscCheck(!without->segment[0].axes.constants && !strcmp(without->segment[0].strategy, plan->segment[0].strategy), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: \"%s\" makes another plan; %s", what, plain, without->why);
  PetscCall(PetscMalloc3(device->n, &x, device->m, &y, device->m, &z));
  PetscCall(Product(device, plan, x, y));
  PetscCall(Product(device, without, x, z));
  PetscCheck(!memcmp(y, z, sizeof(*y) * (size_t)device->m), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: other bits than without constants", what);
  PetscCall(PetscFree3(x, y, z));
  PetscCall(AutoCSRPlanDestroy(&without));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckConstants(int c)
{
  const int       known = constants[c].known;
  AutoCSRSettings settings;
  AutoCSRProfile *profile;
  AutoCSRFigures  figures;
  AutoCSRMatrix   host, device;
  AutoCSRPlan    *plan;
  PetscInt        taken[2 * EMULATED_WIDTH];
  char            what[256];

  PetscFunctionBeginUser;
  EmulatedRefuse = PETSC_FALSE;
  PetscCall(PetscSNPrintf(what, sizeof(what), "%s by \"%s\"", constants[c].matrix.name, constants[c].graph));
  PetscCall(MatrixCreate(&constants[c].matrix, &host));
  PetscCall(AutoCSRFiguresShipped(&emulated, "cuda", "h200", NULL, &figures));
  PetscCall(AutoCSRFiguresComplete(&figures, &figures));
  PetscCall(MatrixUpload(&host, &figures, &device));
  PetscCall(SettingsCreate(&settings));
  PetscCall(AutoCSRSettingsSetGraph(&settings, constants[c].graph));
  PetscCall(PetscArraycpy(taken, EmulatedConstants, 2 * EMULATED_WIDTH));
  PetscCall(AutoCSRPlanMake(&device, &settings, &plan, &profile));
  PetscCheck(Kernels(plan) == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: no generated kernel; %s", what, plan->why);
  for (int k = 1; k < 2 * EMULATED_WIDTH; k++) PetscCheck((EmulatedConstants[k] > taken[k]) == (k == known), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: a kernel with constants %d was taken, or was not", what, k);
  PetscCall(CheckProduct(&host, &device, plan, what));
  PetscCall(CheckWithout(&device, plan, constants[c].graph, what));
  PetscCall(CheckNewValues(&host, &device, plan, known, what));
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixForget(&device));
  PetscCall(MatrixDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Presets */

static const char *const words[] = {"row_block(", "nnz_block(", "merge_block(", "rows_in_block(", "row_fetch(", "products", "no_entries", "bin(", "bin_group(", "sort_sub(", "slice_block(lanes=1)", "slice_block(lanes=8)", "bmtb_pad(rows=32,width=7)", "index=pattern", "index=fitted", "value=dictionary", "dense_block(size=3)", "planes(", "col_div(", "col_div_popular(", "col_div_propagate(",
#if !defined(PETSC_USE_REAL_SINGLE)
                                    "value=float32"
#endif
};
static PetscBool         printed[PETSC_STATIC_ARRAY_LENGTH(words)];

/* The graph of the plan that a variant makes */
static PetscErrorCode GraphOf(AutoCSRChooser *chooser, const AutoCSRStrategy *strategy, const AutoCSRAxes *axes, char graph[], AutoCSRPlan **plan)
{
  const AutoCSRCandidate candidate = {.n_ranges = 1, .first = {strategy, *axes, chooser->problem.zone_begin, chooser->problem.zone_end}};

  PetscFunctionBeginUser;
  PetscCall(AutoCSRCandidateBuild(chooser, &candidate, plan));
  PetscCall(AutoCSRGraphPrint(*plan, AUTOCSR_GRAPH_LENGTH, graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The graph makes a plan that prints as it, and whose product is right */
static PetscErrorCode CheckAgain(const AutoCSRMatrix *host, const AutoCSRMatrix *device, const AutoCSRProfile *profile, const char graph[], const char name[])
{
  AutoCSRSettings        settings;
  AutoCSRChooser        *chooser;
  const AutoCSRStrategy *strategy;
  AutoCSRAxes            axes;
  AutoCSRPlan           *plan;
  PetscInt               n;
  const char            *why;
  char                   again[AUTOCSR_GRAPH_LENGTH];

  PetscFunctionBeginUser;
  PetscCall(SettingsCreate(&settings));
  PetscCall(AutoCSRSettingsSetGraph(&settings, graph));
  PetscCall(AutoCSRStrategyFind("graph", &strategy));
  PetscCall(PetscNew(&chooser));
  PetscCall(AutoCSRChooserBegin(chooser, device->figures, device, profile, &settings));
  PetscCall(strategy->variants(&chooser->problem, 1, &axes, &n, &why));
  PetscCheck(n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: \"%s\" does not apply: %s", name, graph, why);
  PetscCall(GraphOf(chooser, strategy, &axes, again, &plan));
  PetscCheck(!strcmp(graph, again), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the graph \"%s\" makes a plan with the graph \"%s\"", name, graph, again);
  PetscCall(CheckProduct(host, device, plan, graph));
  PetscCall(AutoCSRPlanDestroy(&plan));
  PetscCall(PetscFree(chooser));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every variant of every strategy, or of one */
static PetscErrorCode CheckPresets(const AutoCSRMatrix *host, const AutoCSRMatrix *device, const char only[], const char name[])
{
  AutoCSRSettings settings;
  AutoCSRProfile *profile;
  AutoCSRChooser *chooser;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRProfileLook(device, device->backend->slice_height, AutoCSRBackendTileWidth(device->backend, device), PETSC_FALSE, &profile));
  PetscCall(PetscNew(&chooser));
  for (PetscInt s = 0; AutoCSRStrategies[s]; s++) {
    AutoCSRAxes axes[AUTOCSR_MAX_VARIANTS];
    PetscInt    n;
    const char *why;

    if (only && strcmp(only, AutoCSRStrategies[s]->name)) continue;
    PetscCall(SettingsCreate(&settings));
    settings.rigor = MAT_AUTOCSR_RIGOR_MEASURE; /* with codings that have no figures */
    PetscCall(PetscStrncpy(settings.strategy, AutoCSRStrategies[s]->name, sizeof(settings.strategy)));
    PetscCall(AutoCSRChooserBegin(chooser, device->figures, device, profile, &settings));
    PetscCall(AutoCSRStrategies[s]->variants(&chooser->problem, AUTOCSR_MAX_VARIANTS, axes, &n, &why));
    for (PetscInt v = 0; v < n; v++) {
      AutoCSREvaluation e;
      AutoCSRPlan      *plan;
      char              graph[AUTOCSR_GRAPH_LENGTH];

      PetscCall(AutoCSRCostEvaluate(chooser, &chooser->problem, AutoCSRStrategies[s], &axes[v], &e));
      if (!e.runs) continue;
      PetscCall(GraphOf(chooser, AutoCSRStrategies[s], &axes[v], graph, &plan));
      PetscCall(AutoCSRPlanDestroy(&plan));
      for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(words); w++) printed[w] = (PetscBool)(printed[w] || strstr(graph, words[w]));
      PetscCall(CheckAgain(host, device, profile, graph, name));
    }
  }
  PetscCall(PetscFree(chooser));
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* strategy: its variants alone; NULL: those of all, and the graphs of `cases` if there are many values */
static PetscErrorCode CheckMatrix(const Generator *g, const char strategy[])
{
  AutoCSRMatrix  host, device;
  AutoCSRFigures figures;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &host));
  PetscCall(AutoCSRFiguresShipped(&emulated, "cuda", "h200", NULL, &figures));
  PetscCall(AutoCSRFiguresComplete(&figures, &figures));
  PetscCall(MatrixUpload(&host, &figures, &device));
  for (PetscInt reach = 0; reach < 500; reach = 7 * reach + 1) PetscCall(CheckDivision(&host, &device, reach, g->name));
  PetscCall(CheckPresets(&host, &device, strategy, g->name));
  for (int c = 0; c < (int)PETSC_STATIC_ARRAY_LENGTH(cases) && g->values == VALUES_MANY; c++) {
    PetscCall(CheckGraph(&host, &device, c, PETSC_FALSE, g->name));
    if (cases[c].kernels > 0) PetscCall(CheckGraph(&host, &device, c, PETSC_TRUE, g->name)); /* nothing else can be refused */
  }
  PetscCall(MatrixForget(&device));
  PetscCall(MatrixDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const Generator matrices[] = {
      {"mixed", 1000, 2400, Mixed, VALUES_MANY},
      {"seven entries a row", 141, 91, Seven, VALUES_MANY},
      {"stretches", 301, 403, Stretches, VALUES_MANY},
      {"power law", 400, 400, PowerLaw, VALUES_MANY},
      {"blocks of 3, float32", 36, 30, BlocksOfTenth, VALUES_FLOATS},
      {"diagonal", 101, 101, Diagonal, VALUES_FEW},
  };
  static const Generator box = {"7-point, constant, planes", 5000, 5000, Box, VALUES_OFFSET};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(matrices); i++) PetscCall(CheckMatrix(&matrices[i], NULL));
  for (int c = 0; c < (int)PETSC_STATIC_ARRAY_LENGTH(constants); c++) PetscCall(CheckConstants(c));
  PetscCall(CheckMatrix(&box, "pattern"));
  for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(words); w++) PetscCheck(printed[w], PETSC_COMM_SELF, PETSC_ERR_PLIB, "No plan of a strategy prints %s", words[w]);
  PetscCheck(EmulatedStretches > 5, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " kernels that know stretches were taken", EmulatedStretches);
  PetscCheck(EmulatedOneLength, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No kernel for rows of one length was taken");
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Graphs have the kernels that they ask for, or csr multiplies\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    timeoutfactor: 3

TEST*/
