/*
  rowbins: each row in a bin by its own length, whatever its neighbours' (BIN of du2022-alphasparse, Table II; ACSR), each bin
  with its own kernel: empty rows; short rows in slices sorted by length; longer ones in place by 1 to 256 lanes; the longest
  by warps of many blocks each. For rows of very different lengths, of which a few may be nearly dense.
    variants  the length up to which rows are short, and the codings of their slices; or no slices, and nothing is copied
    cost      by the profile's histogram of lengths; padding as lengths are spread in a window
    build     names the rows of each bin in ascending order; short ones are sorted in windows, so that neighbours stay together. On a
              device the segments, whose agents are lean, share one launch whatever their size. Those with the longest rows come
              first, so that no segment waits for the last thread blocks of another
*/
#include "preset.h"
#include "../backend.h"

/* Rows in place of up to 2^bin - 1 entries by so many lanes: some four to sixteen entries a lane */
static const struct {
  PetscInt bin, lanes;
} Kernels[] = {
    {3, 1},
    {5, 4},
    {7, 16},
    {9, 64},
    {12, 256},
    {AUTOCSR_HISTOGRAM_BINS, 512}, /* and more */
};
#define MAX_PARTS (2 + (PetscInt)PETSC_STATIC_ARRAY_LENGTH(Kernels))
_Static_assert(2 + PETSC_STATIC_ARRAY_LENGTH(Kernels) <= AUTOCSR_MAX_ROW_KINDS, "All bins are named by one call");

/* Rows of shortest to longest entries, and how they are multiplied */
typedef struct {
  AutoCSRAxes axes;
  PetscInt    shortest, longest, rows, nnz;
} Part;

static PetscInt last_length(PetscInt bin)
{
  return bin < AUTOCSR_HISTOGRAM_BINS - 1 ? ((PetscInt)1 << bin) - 1 : PETSC_MAX_INT;
}

static PetscInt short_bin(const AutoCSRAxes *axes)
{
  PetscInt bin = 0;

  while (axes->order == AUTOCSR_ORDER_SLICED && last_length(bin) < axes->longest) bin++;
  return bin;
}

/* Bins (after, bin] of the histogram as a part, if there are such rows */
static void add_part(const AutoCSRProfile *profile, const AutoCSRAxes *axes, PetscInt after, PetscInt bin, Part part[], PetscInt *n)
{
  Part *p = &part[*n];

  *p = (Part){.axes = *axes, .shortest = after < 0 ? 0 : last_length(after) + 1, .longest = last_length(bin)};
  for (PetscInt b = after + 1; b <= PetscMin(bin, AUTOCSR_HISTOGRAM_BINS - 1); b++) {
    p->rows += profile->histogram[b];
    p->nnz += profile->histogram_nnz[b];
  }
  if (p->rows) (*n)++;
}

/* The segments, those with the longest rows first: what takes longest shall not begin last */
static PetscInt make_parts(const AutoCSRProblem *problem, const AutoCSRAxes *axes, Part part[])
{
  const AutoCSRAxes     empty   = {.order = AUTOCSR_ORDER_CSR, .mapping = AUTOCSR_MAP_EMPTY, .reduction = AUTOCSR_REDUCE_NONE, .lanes = 1, .row_group = 1};
  const AutoCSRProfile *profile = problem->profile;
  const PetscInt        first   = short_bin(axes);
  PetscInt              n       = 0;

  for (PetscInt k = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(Kernels) - 1; k >= 0 && Kernels[k].bin > first; k--) {
    AutoCSRAxes a = {.partition = AUTOCSR_PARTITION_BIN, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = axes->value == AUTOCSR_VALUE_CONSTANT ? axes->value : AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_LANES, .lanes = Kernels[k].lanes, .row_group = 1};

    a.reduction = a.lanes > 1 ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE;
    add_part(profile, &a, PetscMax(first, k ? Kernels[k - 1].bin : 0), Kernels[k].bin, part, &n);
  }
  for (PetscInt p = 0; p < n; p++) { /* as many warps for a row as have a share of it */
    while (part[p].axes.lanes > 256 && part[p].axes.lanes < AUTOCSR_MAX_LANES && (double)part[p].nnz / part[p].rows / (part[p].axes.lanes / 32) > 2 * problem->traits->warp_share) part[p].axes.lanes *= 2;
  }
  if (first) add_part(profile, axes, 0, first, part, &n);
  add_part(profile, &empty, -1, 0, part, &n);
  return n;
}

/* Slices up to each length at which there are more rows than up to the one before */
static PetscErrorCode variants(const AutoCSRProblem *problem, PetscInt max, AutoCSRAxes list[], PetscInt *n, const char **why)
{
  const PetscInt limits[] = {3, 4, 5, 6, 7};
  AutoCSRAxes    in_place = {.partition = AUTOCSR_PARTITION_BIN, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AutoCSRValueInPlace(problem), .mapping = AUTOCSR_MAP_LANES, .lanes = 1, .row_group = 1};
  AutoCSRAxes    slices   = {.partition = AUTOCSR_PARTITION_BIN, .order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .reduction = AUTOCSR_REDUCE_NONE, .lanes = 1, .row_group = 1};
  PetscInt       rows     = 0;
  AutoCSRValue   value[AUTOCSR_STORED_CODINGS];
  const PetscInt n_values = AutoCSRStoredValueCodings(problem, PETSC_TRUE, value);
  PetscBool      none;

  PetscFunctionBegin;
  slices.slice_height = problem->profile->slice_height;
  slices.sort_window  = problem->profile->window;
  *n                  = 0;
  *why                = "sorted slices hold the rows with little padding";
  PetscCall(AutoCSRSlicesWillDo(problem, &none));
  if (none) PetscFunctionReturn(PETSC_SUCCESS);
  *why = "the settings ask for a coding that rowbins does not have";
  AutoCSRVariantAdd(problem, &in_place, max, list, n);
  for (size_t l = 0; l < PETSC_STATIC_ARRAY_LENGTH(limits); l++) {
    PetscInt up_to = 0;

    for (PetscInt b = 1; b <= limits[l]; b++) up_to += problem->profile->histogram[b];
    if (up_to == rows) continue;
    rows           = up_to;
    slices.longest = last_length(limits[l]);
    for (PetscInt v = 0; v < n_values; v++) {
      slices.value = value[v];
      slices.index = problem->csr->n <= 65536 && problem->settings->index != MAT_AUTOCSR_INDEX_32 ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32; /* where both could be, the wider hardly gains: half the variants to look at */
      AutoCSRVariantAdd(problem, &slices, max, list, n);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of sorted slices: from slice to slice of a window the length falls from the longest to the shortest */
static double padded_entries(const Part *p, double longest)
{
  const double windows = PetscMax(1, (double)p->rows / p->axes.sort_window), rows = (double)p->rows / windows;

  return PetscMin(p->rows * longest, p->nnz + windows * PetscMin(rows, p->axes.slice_height) * (longest - p->shortest) / 2);
}

static PetscErrorCode cost(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRCost cost_of[], PetscInt *n)
{
  const double longest = problem->profile->max_length;
  Part         part[MAX_PARTS];

  PetscFunctionBegin;
  *n = make_parts(problem, axes, part);
  for (PetscInt i = 0; i < *n; i++) {
    const Part     *p      = &part[i];
    const PetscBool sliced = (PetscBool)(p->axes.order == AUTOCSR_ORDER_SLICED);
    const PetscInt  h      = PetscMax(1, p->axes.slice_height);
    const double    walk   = PetscMin(longest, p->longest);

    AutoCSRCostFill(problem, &p->axes, p->rows, p->nnz, sliced ? padded_entries(p, walk) : p->nnz, sliced ? p->rows / h + (p->rows % h > 0) : 0, *n > 1 || sliced ? p->rows : 0, &cost_of[i]);
    cost_of[i].longest = AutoCSRLongestWalk(&p->axes, walk);
    cost_of[i].joins   = (PetscBool)(i > 0);
    if (p->axes.mapping == AUTOCSR_MAP_LANES) cost_of[i].rows *= PetscMax(1, p->axes.lanes / 512.0); /* each warp of a row begins anew */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode build(const AutoCSRProblem *problem, const AutoCSRAxes *axes, AutoCSRPlan *plan)
{
  Part           part[MAX_PARTS];
  AutoCSRRowKind kind[MAX_PARTS];
  const PetscInt n = make_parts(problem, axes, part), first = plan->n_segments;

  PetscFunctionBegin;
  if (n == 1) { /* all rows */
    PetscCall(AutoCSRBuildContiguous(problem, "rowbins", &part[0].axes, plan));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < n; i++) {
    AutoCSRSegment *seg;

    PetscCall(AutoCSRPlanAddSegment(plan, "rowbins", &part[i].axes, &seg));
    PetscCall(AutoCSRStreamAllocate(seg, AUTOCSR_STREAM_ROWS, part[i].rows));
    seg->n_rows  = part[i].rows;
    seg->nnz     = part[i].nnz;
    seg->row_set = (AutoCSRRowSet){.begin = problem->row_begin, .end = problem->row_end, .shortest = part[i].shortest, .longest = part[i].longest};
    kind[i]     = (AutoCSRRowKind){part[i].shortest, part[i].longest, (PetscInt *)seg->stream[AUTOCSR_STREAM_ROWS].data};
  }
  PetscCall((*problem->csr->backend->name_rows)(problem->csr, problem->row_begin, problem->row_end, n, kind));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(AutoCSRSegmentSortRows(&plan->segment[first + i], problem->csr));
    PetscCall(AutoCSRSegmentEncode(&plan->segment[first + i], problem->csr, problem->profile));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode describe(const AutoCSRProblem *problem, const AutoCSRAxes *axes, size_t len, char text[])
{
  Part           part[MAX_PARTS];
  const PetscInt n = make_parts(problem, axes, part);

  PetscFunctionBegin;
  if (axes->order == AUTOCSR_ORDER_SLICED)
    PetscCall(PetscSNPrintf(text, len, "rows binned by their own length, %" PetscInt_FMT " kernels, those of up to %" PetscInt_FMT " in sorted slices, %s columns, values %s", n, axes->longest, axes->index == AUTOCSR_INDEX_16 ? "16-bit" : "32-bit", AutoCSRValueWords(axes->value)));
  else
    PetscCall(PetscSNPrintf(text, len, "rows binned by their own length, %" PetscInt_FMT " kernels, nothing copied", n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRStrategy AutoCSRStrategy_rowbins = {"rowbins", "du2022-alphasparse, Table II (BIN)", PETSC_TRUE, variants, cost, build, describe};
