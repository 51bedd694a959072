/*
  binned: U neighbouring rows make a virtual row, virtual rows of like workload make a bin, each bin has its own kernel:
  serial, subvector2 to 128, vector (hou2017, III-B, Algorithm 2).
    variants  the granularity U of 10, 20, 50 ... 10^6, or the user's; the single bin, where one kernel suits every row. On a
              device only where the user asks for it: hardly a matrix gains by it there, and it has many variants to look at
    cost      by the bins, for which it looks at every U-th row offset
    build     writes the names of the virtual rows. Neighbouring bins with one kernel become one segment: one call, and
              its virtual rows ascend, which keeps the reads of x and of the CSR in order
*/
#include "preset.h"
#include "../backend.h"

#define KERNELS 9 /* 1, 2, 4 ... 256 lanes */

const PetscInt AutoCSRGranularity[AUTOCSR_GRANULARITIES] = {10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000};

typedef struct {
  PetscInt kernel[AUTOCSR_MAX_BINS]; /* log2 of the lanes for the virtual rows of a bin */
  PetscInt count[KERNELS];           /* virtual rows, rows and nonzeros that a kernel gets */
  PetscInt rows[KERNELS];
  PetscInt nnz[KERNELS];
  double   longest[KERNELS]; /* no row of them has more entries */
  PetscInt kernels;          /* that get any */
} Bins;

static PetscErrorCode make_bins(const AutoCSRProblem *problem, PetscInt U, Bins *bins)
{
  AutoCSRBins counted;

  PetscFunctionBegin;
  *bins = (Bins){{0}, {0}, {0}, {0}, {0}, 0};
  PetscCall((*problem->csr->backend->count_bins)(problem->csr, U, problem->settings->max_bins, &counted));
  for (PetscInt b = 0; b < AUTOCSR_MAX_BINS; b++) {
    PetscInt k = 0;

    bins->kernel[b] = b ? bins->kernel[b - 1] : -1; /* of an empty bin it does not matter: it stays with the bin before it, */
    if (!counted.count[b]) continue;
    if (problem->kernels && problem->kernels->granularity == U)
      k = PetscMin(problem->kernels->log[b], KERNELS - 1);
    else
      for (PetscInt lanes = AutoCSRProblemLanes(problem, (double)counted.nnz[b] / counted.rows[b]); lanes > 1 && k < KERNELS - 1; lanes /= 2) k++;
    bins->kernel[b] = k;
    for (PetscInt e = b; e > 0 && bins->kernel[e - 1] < 0; e--) bins->kernel[e - 1] = k; /* the first ones with the bin after them */
    if (!bins->count[k]) bins->kernels++;
    bins->count[k] += counted.count[b];
    bins->rows[k] += counted.rows[b];
    bins->nnz[k] += counted.nnz[b];
    bins->longest[k] = PetscMin(problem->profile->max_length, PetscMax(bins->longest[k], b < problem->settings->max_bins - 1 ? (b + 1.0) * U : PETSC_MAX_REAL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static AutoCSRAxes kernel_axes(const AutoCSRAxes *axes, PetscInt kernel, PetscBool named)
{
  AutoCSRAxes a = *axes;

  a.lanes     = (PetscInt)1 << kernel;
  a.reduction = kernel ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE;
  if (!named) a.row_group = 1;
  return a;
}

static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const AutoCSRProfile *profile = problem->profile;
  AutoCSRAxes           axes    = {.partition = AUTOCSR_PARTITION_BIN, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AutoCSRValueInPlace(problem), .mapping = AUTOCSR_MAP_LANES, .lanes = 1};
  PetscBool             asked;

  PetscFunctionBegin;
  *n   = 0;
  *why = "on a device some other strategy takes no longer: it is used where it is asked for by name, by a granularity or by a number of bins";
  PetscCall(AutoCSRProblemAsksFor(problem, "binned", &asked));
  if (problem->parallel && !asked && !problem->settings->granularity && problem->settings->max_bins == AUTOCSR_MAX_BINS) PetscFunctionReturn(PETSC_SUCCESS);
  *why = "the settings ask for a coding that binned does not have";
  if (problem->settings->granularity) {
    axes.row_group = problem->settings->granularity;
    AutoCSRVariantAdd(problem, &axes, max, list, n);
  } else if (problem->settings->max_bins == 1 || AutoCSRProblemLanes(problem, profile->min_length) == AutoCSRProblemLanes(problem, profile->max_length)) {
    axes.row_group = PetscMax(problem->csr->m, 1);
    AutoCSRVariantAdd(problem, &axes, max, list, n);
  } else {
    PetscBool none;

    PetscCall(AutoCSRSlicesWillDo(problem, &none));
    if (none) *why = "sorted slices hold the rows with little padding";
    for (PetscInt u = 0; u < AUTOCSR_GRANULARITIES && !none; u++) { /* up to the first that is not below m */
      if (u && AutoCSRGranularity[u - 1] >= problem->csr->m) break;
      axes.row_group = AutoCSRGranularity[u];
      AutoCSRVariantAdd(problem, &axes, max, list, n);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost segment[], PetscInt *n)
{
  Bins bins;

  PetscFunctionBegin;
  PetscCall(make_bins(problem, axes->row_group, &bins));
  *n = 0;
  for (PetscInt k = 0; k < KERNELS; k++) {
    const AutoCSRAxes a = kernel_axes(axes, k, (PetscBool)(bins.kernels > 1));

    if (!bins.count[k]) continue;
    AutoCSRCostFill(problem, &a, bins.rows[k], bins.nnz[k], bins.nnz[k], 0, bins.kernels > 1 ? bins.count[k] : 0, &segment[*n]);
    segment[*n].longest = AutoCSRLongestWalk(&a, PetscMin(bins.nnz[k], bins.longest[k]));
    (*n)++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRPlan *plan)
{
  const PetscInt  U = axes->row_group;
  AutoCSRSegment *seg;
  PetscBool       wanted[AUTOCSR_MAX_BINS];
  Bins            bins;

  PetscFunctionBegin;
  PetscCall(make_bins(problem, U, &bins));
  for (PetscInt k = 0; k < KERNELS; k++) {
    const AutoCSRAxes a = kernel_axes(axes, k, (PetscBool)(bins.kernels > 1));

    if (!bins.count[k]) continue;
    if (bins.kernels == 1) {
      PetscCall(AutoCSRBuildContiguous(problem, "binned", &a, plan));
      break;
    }
    PetscCall(AutoCSRPlanAddSegment(plan, "binned", &a, &seg));
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, bins.count[k]));
    seg->n_rows            = bins.rows[k];
    seg->row_set.row_group = U;
    seg->row_set.bins      = problem->settings->max_bins;
    for (PetscInt b = 0; b < AUTOCSR_MAX_BINS; b++) {
      wanted[b] = (PetscBool)(bins.kernel[b] == k);
      if (wanted[b] && b < problem->settings->max_bins) AutoCSRRowSetAddBin(&seg->row_set, b);
    }
    PetscCall((*problem->csr->backend->name_bins)(problem->csr, U, problem->settings->max_bins, wanted, (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data));
    PetscCall(AutoCSRSegmentEncode(seg, problem->csr, problem->profile));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  Bins bins;

  PetscFunctionBegin;
  PetscCall(make_bins(problem, axes->row_group, &bins));
  if (bins.kernels > 1)
    PetscCall(PetscSNPrintf(text, len, "rows binned by length in groups of %" PetscInt_FMT ", %" PetscInt_FMT " kernels", axes->row_group, bins.kernels));
  else
    PetscCall(PetscSNPrintf(text, len, "a single bin, since one kernel suits all rows"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_binned = {"binned", "hou2017-binning-autotuning, III-B", PETSC_TRUE, variants, cost, build, describe};
