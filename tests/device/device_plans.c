static char help[] = "Profile, plans and refresh on a device: the same bits as the host's.\n\n";

#include "../plans.h"
#include "../../src/mat/impls/autocsr/profile/passes.h"
#include "../../src/mat/impls/autocsr/cuda/device.h"

/* ---- More matrices than plans.h has: what a device may trip over */

static PetscInt Stripes(PetscInt m, PetscInt n, PetscInt i, PetscInt col[]) /* more patterns than the dictionary keeps, all but as frequent */
{
  const PetscInt kind = i % 1500;

  col[0] = i / 2;
  col[1] = i / 2 + 1 + kind;
  return 2;
}

static PetscInt Two(PetscInt m, PetscInt n, PetscInt i, PetscInt col[]) /* anywhere */
{
  col[0] = (PetscInt)(Random64(i, 1) % (n / 2));
  col[1] = n / 2 + (PetscInt)(Random64(i, 2) % (n / 2));
  return 2;
}

static PetscInt Quarters(PetscInt m, PetscInt n, PetscInt i, PetscInt col[]) /* more patterns than are collected, a third of the rows alike */
{
  return i % 3 ? Two(m, n, i, col) : Diagonal(m, n, i, col);
}

static PetscInt PowerLaw(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Pick(n, i, 2 + (PetscInt)(Random64(i, 3) % n), col);
}

static PetscInt Long(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Pick(n, i, 3, col);
}

static PetscInt Blocks8(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt j = 0; j < 16; j++) col[j] = (i / 8 * 8 + (j < 8 ? 0 : n / 2)) % (n / 2) + (j < 8 ? 0 : n / 2) + j % 8;
  return 16;
}

static PetscInt Grid3(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  return Star(n, i, 50, 50, m / 2500, 1, col);
}

static PetscInt ShortRow(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  for (PetscInt k = 0; k < i % 3; k++) col[k] = i / 2 + k;
  return i % 3;
}

static PetscInt Line(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt k = 0;

  for (PetscInt j = PetscMax(0, i - 1); j <= PetscMin(n - 1, i + 1); j++) col[k++] = j;
  return k;
}

static PetscInt LongSamples(PetscInt m, PetscInt n, PetscInt i, PetscInt col[]) /* half of the sample's rows have one pattern, but are too long to be looked at for it */
{
  if (i % 32) return Two(m, n, i, col);
  for (PetscInt t = 0; t < 2060; t++) col[t] = i + t;
  return 2060;
}

static PetscInt PopularRow(PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  const PetscInt length = RandomRow(m, n / 700, i, col);

  for (PetscInt t = 0; t < length; t++) col[t] *= 700;
  return length;
}

static const Generator more[] = {
    {"3-point, values by offset", 330, 330, Line, VALUES_OFFSET}, /* warps whose rows all have one pattern */
    {"stripes", 60000, 33000, Stripes, VALUES_FEW},
    {"quarters", 40000, 40000, Quarters, VALUES_FLOATS},
    {"power law", 3000, 3000, PowerLaw, VALUES_MANY},
    {"long rows", 40, 90000, Long, VALUES_FLOATS},
    {"8 by 8 blocks", 2048, 4096, Blocks8, VALUES_FEW},
    {"7-point grid", 50000, 50000, Grid3, VALUES_FEW},
    {"7-point grid, values by offset", 50000, 50000, Grid3, VALUES_OFFSET},
    {"wide spread", 700, 200000, RandomRow, VALUES_FLOATS},
    {"wider spread", 12000, 600000, RandomRow, VALUES_FEW}, /* of this and the next it is looked at how much of x gathers reach */
    {"few columns of many", 12000, 2100000, PopularRow, VALUES_FEW},
    {"long rows in the sample", 1040, 3100, LongSamples, VALUES_FEW},
    {"short rows", 300000, 150001, ShortRow, VALUES_FEW}, /* more than one block sums up or one launch selects from */
};

/* ---- Bits */

static PetscErrorCode CheckBytes(const char *what, const AutoCSRBackend *backend, const void *data, const void *expected, size_t bytes)
{
  char     *copy;
  PetscBool same;

  PetscFunctionBeginUser;
  if (!bytes || (!data && !expected)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(data && expected, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: only one backend has it", what);
  PetscCall(PetscMalloc1(bytes, &copy));
  PetscCall((*backend->to_host)(copy, data, bytes));
  PetscCall(PetscMemcmp(copy, expected, bytes, &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %zu bytes differ", what, bytes);
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareProfiles(const AutoCSRProfile *device, const AutoCSRProfile *host)
{
  AutoCSRProfile d = *device, h = *host;

  PetscFunctionBeginUser;
  for (PetscInt c = 0; c < h.zones; c++) {
    PetscBool same;

    PetscCheck(!d.zone[c].nodes && !d.zone[c].node_entries, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Zone %" PetscInt_FMT ": a device looks for nodes", c);
    h.zone[c].nodes = h.zone[c].node_entries = 0; /* a processor's alone */
    PetscCall(PetscMemcmp(&d.zone[c], &h.zone[c], sizeof(h.zone[c]), &same));
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Zone %" PetscInt_FMT ": nnz %" PetscInt_FMT " %" PetscInt_FMT ", lengths %" PetscInt_FMT "-%" PetscInt_FMT " %" PetscInt_FMT "-%" PetscInt_FMT ", padded %" PetscInt_FMT " %" PetscInt_FMT ", sorted %" PetscInt_FMT " %" PetscInt_FMT ", 16-bit %" PetscInt_FMT " %" PetscInt_FMT ", sorted %" PetscInt_FMT " %" PetscInt_FMT ", pattern rows %" PetscInt_FMT " %" PetscInt_FMT ", uniform %" PetscInt_FMT " %" PetscInt_FMT ", lines %g %g",
               c, d.zone[c].nnz, h.zone[c].nnz, d.zone[c].min_length, d.zone[c].max_length, h.zone[c].min_length, h.zone[c].max_length, d.zone[c].padded, h.zone[c].padded, d.zone[c].padded_sorted, h.zone[c].padded_sorted, d.zone[c].slices_16, h.zone[c].slices_16, d.zone[c].slices_16_sorted, h.zone[c].slices_16_sorted, d.zone[c].pattern_rows, h.zone[c].pattern_rows, d.zone[c].uniform_slices, h.zone[c].uniform_slices, d.zone[c].gather_lines, h.zone[c].gather_lines);
  }
  PetscCheck(d.patterns == h.patterns && d.values == h.values && d.float32_exact == h.float32_exact && d.block_size == h.block_size && d.bandwidth == h.bandwidth && d.reach == h.reach && d.reach_growth == h.reach_growth && d.tile_width == h.tile_width && d.tile_steps == h.tile_steps, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Patterns %" PetscInt_FMT " %" PetscInt_FMT ", values %" PetscInt_FMT " %" PetscInt_FMT ", float32 %d %d, block size %" PetscInt_FMT " %" PetscInt_FMT ", bandwidth %" PetscInt_FMT " %" PetscInt_FMT ", reach %g %g, growing by %g %g, tiles of %" PetscInt_FMT " %" PetscInt_FMT " columns, steps %" PetscInt64_FMT " %" PetscInt64_FMT, d.patterns, h.patterns, d.values, h.values, d.float32_exact, h.float32_exact, d.block_size, h.block_size, d.bandwidth, h.bandwidth, d.reach, h.reach, d.reach_growth, h.reach_growth, d.tile_width, h.tile_width, d.tile_steps, h.tile_steps);
  PetscCall(CheckBytes("pattern_id", device->backend, d.pattern_id, h.pattern_id, (size_t)h.m * sizeof(*h.pattern_id)));
  PetscCall(CheckBytes("pattern_row", &AutoCSRBackendHost, d.pattern_row, h.pattern_row, (size_t)(h.pattern_row ? h.patterns : 0) * sizeof(*h.pattern_row)));
  PetscCall(CheckBytes("value", &AutoCSRBackendHost, d.value, h.value, (size_t)(h.value ? h.values : 0) * sizeof(*h.value)));
  /* The rest at once, without what was compared or must differ */
  d.backend     = h.backend;
  d.pattern_id  = h.pattern_id;
  d.pattern_row = h.pattern_row;
  d.value       = h.value;
  d.seconds     = h.seconds;
  d.diagonals   = h.diagonals; /* not looked for on a device */
  PetscCall(CheckBytes("profile", &AutoCSRBackendHost, &d, &h, sizeof(h)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ComparePlans(const AutoCSRPlan *device, const AutoCSRPlan *host)
{
  PetscFunctionBeginUser;
  PetscCheck(device->n_segments == host->n_segments, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " segments for %" PetscInt_FMT, device->n_segments, host->n_segments);
  for (PetscInt i = 0; i < host->n_segments; i++) {
    const AutoCSRSegment *d = &device->segment[i], *h = &host->segment[i];

    PetscCheck(d->row_begin == h->row_begin && d->n_rows == h->n_rows && d->nnz == h->nnz && d->n_slices == h->n_slices && d->n_patterns == h->n_patterns && d->bytes == h->bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": sizes, nnz %" PetscInt_FMT " %" PetscInt_FMT ", slices %" PetscInt_FMT " %" PetscInt_FMT ", patterns %" PetscInt_FMT " %" PetscInt_FMT, i, d->nnz, h->nnz, d->n_slices, h->n_slices, d->n_patterns, h->n_patterns);
    for (int s = 0; s < AUTOCSR_STREAM_COUNT; s++) {
      if (s == AUTOCSR_STREAM_VALUE_PLACE && h->axes.order != AUTOCSR_ORDER_ADAPTIVE) continue; /* a device's alone; AutoCSRPlanCheck() looks at it */
      PetscCheck(d->stream[s].bytes == h->stream[s].bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT ": %zu bytes of %s for %zu", i, d->stream[s].bytes, AutoCSRStreamNames[s], h->stream[s].bytes);
      PetscCall(CheckBytes(AutoCSRStreamNames[s], d->backend, d->stream[s].data, h->stream[s].data, h->stream[s].bytes));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A matrix on both backends */

typedef struct {
  AutoCSRMatrix   host, device;
  AutoCSRProfile *host_profile, *device_profile;
} Pair;

/* The host's look at what is for a device */
static PetscErrorCode LookOnHost(const Pair *pair, PetscBool rows_only, AutoCSRProfile **profile)
{
  PetscFunctionBeginUser;
  PetscCall(AutoCSRProfileLook(&pair->host, AutoCSRBackendCUDA.slice_height, AutoCSRBackendTileWidth(&AutoCSRBackendCUDA, &pair->host), rows_only, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PairCreate(const Generator *g, Pair *pair)
{
  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &pair->host));
  PetscCall(AutoCSRMatrixCopy(&pair->host, &AutoCSRBackendCUDA, &pair->device));
  PetscCall(LookOnHost(pair, PETSC_FALSE, &pair->host_profile));
  PetscCall(AutoCSRProfileCreate(&pair->device, AutoCSRBackendCUDA.slice_height, &pair->device_profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PairDestroy(Pair *pair)
{
  PetscFunctionBeginUser;
  PetscCall(AutoCSRProfileDestroy(&pair->host_profile));
  PetscCall(AutoCSRProfileDestroy(&pair->device_profile));
  PetscCall(AutoCSRMatrixCopyDestroy(&pair->device));
  PetscCall(MatrixDestroy(&pair->host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values on both */
static PetscErrorCode SetValues(Pair *pair, ValueKind kind, PetscInt seed, PetscBool special)
{
  PetscScalar   *val = (PetscScalar *)pair->host.val;
  const PetscInt nnz = pair->host.nnz;

  PetscFunctionBeginUser;
  FillValues(&pair->host, kind, seed, val);
  if (special && nnz) {
    PutValue(&pair->host, kind, 0, RealScalar(INFINITY), val);
    PutValue(&pair->host, kind, nnz / 2, RealScalar((PetscReal)-0.0), val);
    PutValue(&pair->host, kind, nnz / 3, RealScalar(-INFINITY), val);
    PutValue(&pair->host, kind, nnz - 1, RealScalar(NAN), val);
  }
  PetscCall((*pair->device.backend->from_host)((void *)pair->device.val, val, (size_t)nnz * sizeof(*val)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRefresh(Pair *pair, AutoCSRPlan *device, AutoCSRPlan *host, ValueKind kind, PetscInt seed, PetscBool special)
{
  PetscBool device_fits, host_fits;

  PetscFunctionBeginUser;
  PetscCall(SetValues(pair, kind, seed, special));
  PetscCall(AutoCSRPlanRefresh(host, &pair->host, &host_fits));
  PetscCall(AutoCSRPlanRefresh(device, &pair->device, &device_fits));
  PetscCheck(device_fits == host_fits, PETSC_COMM_SELF, PETSC_ERR_PLIB, "New values fit on one backend");
  PetscCall(ComparePlans(device, host));
  if (device_fits) PetscCall(AutoCSRPlanCheck(device, &pair->device));
  for (PetscInt i = 0; i < device->n_segments && device_fits; i++) {
    const AutoCSRSegment *seg = &device->segment[i];

    PetscCheck((seg->stream[AUTOCSR_STREAM_VALUE_PLACE].data != NULL) == (AutoCSROrderHasTiles(seg->axes.order) && (seg->nnz > 0 || seg->axes.order == AUTOCSR_ORDER_ADAPTIVE)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Segment %" PetscInt_FMT " of order %s has %zu bytes of places of values", i, AutoCSROrderNames[seg->axes.order], seg->stream[AUTOCSR_STREAM_VALUE_PLACE].bytes);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One of `parts` processes checks each plan: of the largest matrices a plan takes seconds */
static PetscInt part = 0, parts = 1;

static PetscErrorCode CheckPlan(const Generator *g, Pair *pair, const AutoCSRAxes *axes, Division division)
{
  static PetscInt number = 0;
  AutoCSRPlan    *device, *host;

  PetscFunctionBeginUser;
  if (number++ % parts != part) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BuildPlan(&pair->host, pair->host_profile, &pair->host, pair->host_profile, axes, division, &host));
  PetscCall(BuildPlan(&pair->device, pair->device_profile, &pair->host, pair->host_profile, axes, division, &device));
  PetscCall(ComparePlans(device, host));
  PetscCall(AutoCSRPlanCheck(device, &pair->device));
  if (axes->value != AUTOCSR_VALUE_CSR) {
    PetscCall(CheckRefresh(pair, device, host, g->values, 1, PETSC_FALSE));
    PetscCall(CheckRefresh(pair, device, host, g->values, 1, PETSC_TRUE));
    PetscCall(CheckRefresh(pair, device, host, VALUES_MANY, 2, PETSC_FALSE));
    PetscCall(SetValues(pair, g->values, 0, PETSC_FALSE));
  }
  PetscCall(AutoCSRPlanDestroy(&device));
  PetscCall(AutoCSRPlanDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row whose last two columns change places is found by both; AutoCSRMatrix has its arrays const, but they are ours */
static PetscErrorCode CheckUnsorted(Pair *pair)
{
  PetscInt *col = (PetscInt *)pair->host.col, row = pair->host.m - 1;

  PetscFunctionBeginUser;
  while (row >= 0 && Length(&pair->host, row) < 2) row--;
  if (row < 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (int turn = 0; turn < 2; turn++) {
    const PetscInt  last = pair->host.row_ptr[row + 1] - 1, c = col[last];
    AutoCSRProfile *host, *device;

    col[last]     = col[last - 1];
    col[last - 1] = c;
    PetscCall((*pair->device.backend->from_host)((PetscInt *)pair->device.col, col, (size_t)pair->host.nnz * sizeof(*col)));
    for (int rows_only = 0; rows_only < 2; rows_only++) {
      PetscCall(LookOnHost(pair, (PetscBool)rows_only, &host));
      PetscCall(AutoCSRProfileLook(&pair->device, AutoCSRBackendCUDA.slice_height, AutoCSRBackendTileWidth(&AutoCSRBackendCUDA, &pair->device), (PetscBool)rows_only, &device));
      PetscCheck(host->unsorted == !turn && device->unsorted == !turn, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %" PetscInt_FMT " %s sorted: host %d, device %d", row, turn ? "is" : "is not", (int)!host->unsorted, (int)!device->unsorted);
      PetscCall(AutoCSRProfileDestroy(&host));
      PetscCall(AutoCSRProfileDestroy(&device));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckNames(const Pair *pair)
{
  const PetscInt U[] = {1, 10, 77, 1000000}, bins = AUTOCSR_MAX_BINS, m = pair->host.m;
  AutoCSRBins    counted[2];
  PetscInt      *host_names;
  PetscBool      wanted[AUTOCSR_MAX_BINS];
  void          *names;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(m, &host_names));
  PetscCall((*pair->device.backend->allocate)((size_t)m * sizeof(PetscInt), &names));
  for (int u = 0; u < 4; u++) {
    PetscInt n = 0;

    PetscCall((*pair->host.backend->count_bins)(&pair->host, U[u], bins, &counted[0]));
    PetscCall((*pair->device.backend->count_bins)(&pair->device, U[u], bins, &counted[1]));
    PetscCall(CheckBytes("bins", &AutoCSRBackendHost, &counted[1], &counted[0], sizeof(counted[0])));
    for (PetscInt b = 0; b < bins; b++) {
      wanted[b] = (PetscBool)(b % 3 != 1);
      if (wanted[b]) n += counted[0].count[b];
    }
    PetscCall((*pair->host.backend->name_bins)(&pair->host, U[u], bins, wanted, host_names));
    PetscCall((*pair->device.backend->name_bins)(&pair->device, U[u], bins, wanted, (PetscInt *)names));
    PetscCall(CheckBytes("names of bins", pair->device.backend, names, host_names, (size_t)n * sizeof(PetscInt)));
  }
  for (int k = 0; k < 3; k++) { /* one kind, all rows in some, some rows in none; in whole and in part */
    const PetscInt lengths[3][5] = {{1}, {0, 1, 2, 3, 8}, {2, 3, 7, 8, 9}}, kinds[3] = {1, 5, 4}, begin = k ? m / 3 : 0, end = k ? m - m / 5 : m;
    AutoCSRRowKind host[5], device[5];
    PetscInt       n = 0;

    for (PetscInt i = 0; i < kinds[k]; i++) {
      host[i].shortest = lengths[k][i];
      host[i].longest  = k == 2 || i + 1 < kinds[k] ? lengths[k][i + 1] - 1 : PETSC_MAX_INT;
      device[i]        = host[i];
      host[i].names    = host_names + n;
      device[i].names  = (PetscInt *)names + n;
      for (PetscInt row = begin; row < end; row++) n += Length(&pair->host, row) >= host[i].shortest && Length(&pair->host, row) <= host[i].longest;
    }
    PetscCall((*pair->host.backend->name_rows)(&pair->host, begin, end, kinds[k], host));
    PetscCall((*pair->device.backend->name_rows)(&pair->device, begin, end, kinds[k], device));
    PetscCall(CheckBytes("names of rows", pair->device.backend, names, host_names, (size_t)n * sizeof(PetscInt)));
  }
  PetscCall((*pair->device.backend->deallocate)(names));
  PetscCall(PetscFree(host_names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a matrix most of whose rows are empty, all offsets from those of the others; of any matrix, what has the offsets of all rows is left as it is */
static PetscErrorCode CheckRowOffsets(const Pair *pair)
{
  const AutoCSRMatrix *h = &pair->host;
  PetscInt            *all, *some, *row_ptr;
  void                *device;

  PetscFunctionBeginUser;
  if (!h->m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(h->m + 1, &all, h->m + 1, &some));
  PetscCall((*pair->device.backend->allocate)((size_t)(h->m + 1) * sizeof(PetscInt), &device));
  for (int gap = 1; gap < 10000; gap *= 10) { /* the matrix itself, then one of its rows in so many, past which no row has entries */
    PetscInt n = 0, empty = 0;

    all[0] = some[0] = 0;
    for (PetscInt i = 0; i < h->m; i++) {
      all[i + 1] = all[i] + (i % gap ? 0 : Length(h, i));
      if (all[i + 1] > all[i]) some[++n] = all[i + 1];
      empty += all[i + 1] == all[i];
    }
    PetscCall((*pair->device.backend->from_host)(device, some, (size_t)(n + 1) * sizeof(PetscInt)));
    PetscCall(AutoCSRDeviceExpandRows(h->m, all, (const PetscInt *)device, &row_ptr));
    PetscCheck(row_ptr || gap == 1 || h->m < 1000, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " of %" PetscInt_FMT " rows are empty, and offsets were not made", empty, h->m);
    if (row_ptr) PetscCall(CheckBytes("row offsets", pair->device.backend, row_ptr, all, (size_t)(h->m + 1) * sizeof(PetscInt)));
    if (row_ptr) PetscCall((*pair->device.backend->deallocate)(row_ptr));
    PetscCall((*pair->device.backend->from_host)(device, all, (size_t)(h->m + 1) * sizeof(PetscInt)));
    PetscCall(AutoCSRDeviceExpandRows(h->m, all, (const PetscInt *)device, &row_ptr));
    if (row_ptr) PetscCall(CheckBytes("row offsets", pair->device.backend, row_ptr, all, (size_t)(h->m + 1) * sizeof(PetscInt))); /* rows with entries were the first */
    if (row_ptr) PetscCall((*pair->device.backend->deallocate)(row_ptr));
  }
  PetscCall(PetscFree2(all, some));
  PetscCall((*pair->device.backend->deallocate)(device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckTranspose(const Pair *pair)
{
  const AutoCSRMatrix *h = &pair->host;
  AutoCSRMatrix        t;
  PetscInt            *place, *row_ptr, *col, *from;
  PetscScalar         *val;
  void                *permuted;

  PetscFunctionBeginUser;
  PetscCall((*pair->device.backend->transpose)(&pair->device, &t, &place));
  PetscCheck(t.m == h->n && t.n == h->m && t.nnz == h->nnz && t.backend == pair->device.backend, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Sizes of the transpose");
  PetscCall(PetscCalloc1(h->n + 2, &row_ptr));
  PetscCall(PetscMalloc3(h->nnz, &col, h->nnz, &from, h->nnz, &val));
  for (PetscInt p = 0; p < h->nnz; p++) row_ptr[h->col[p] + 2]++;
  for (PetscInt j = 0; j < h->n; j++) row_ptr[j + 2] += row_ptr[j + 1];
  for (PetscInt i = 0; i < h->m; i++) {
    for (PetscInt p = h->row_ptr[i]; p < h->row_ptr[i + 1]; p++) {
      const PetscInt q = row_ptr[h->col[p] + 1]++;

      col[q]  = i;
      from[q] = p;
      val[q]  = h->val[p];
    }
  }
  PetscCall(CheckBytes("row_ptr of the transpose", t.backend, t.row_ptr, row_ptr, (size_t)(h->n + 1) * sizeof(*row_ptr)));
  PetscCall(CheckBytes("columns of the transpose", t.backend, t.col, col, (size_t)h->nnz * sizeof(*col)));
  PetscCall(CheckBytes("values of the transpose", t.backend, t.val, val, (size_t)h->nnz * sizeof(*val)));
  PetscCall(CheckBytes("places of the transpose", t.backend, place, from, (size_t)h->nnz * sizeof(*from)));
  PetscCall((*t.backend->allocate)((size_t)h->nnz * sizeof(*val), &permuted));
  PetscCall((*t.backend->permute)(h->nnz, place, pair->device.val, (PetscScalar *)permuted));
  PetscCall(CheckBytes("permuted values", t.backend, permuted, val, (size_t)h->nnz * sizeof(*val)));
  PetscCall((*t.backend->deallocate)(permuted));
  PetscCall((*t.backend->deallocate)(place));
  PetscCall(AutoCSRMatrixCopyDestroy(&t));
  PetscCall(PetscFree(row_ptr));
  PetscCall(PetscFree3(col, from, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckFingerprint(const Pair *pair)
{
  AutoCSRFingerprint host, device;

  PetscFunctionBeginUser;
  PetscCall((*pair->host.backend->fingerprint)(&pair->host, &host));
  PetscCall((*pair->device.backend->fingerprint)(&pair->device, &device));
  PetscCheck(device.known && !memcmp(host.at, device.at, sizeof(host.at)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The device has another fingerprint of %" PetscInt_FMT " rows and %" PetscInt_FMT " entries than the host", pair->host.m, pair->host.nnz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the rows alone: the same on both backends, and nothing of codings */
static PetscErrorCode CheckRowsOnly(const Pair *pair)
{
  AutoCSRProfile *host, *device;

  PetscFunctionBeginUser;
  PetscCall(LookOnHost(pair, PETSC_TRUE, &host));
  PetscCall(AutoCSRProfileLook(&pair->device, AutoCSRBackendCUDA.slice_height, AutoCSRBackendTileWidth(&AutoCSRBackendCUDA, &pair->device), PETSC_TRUE, &device));
  PetscCheck(host->patterns > AUTOCSR_MAX_PATTERNS && host->values > AUTOCSR_MAX_DISTINCT && host->max_length == pair->host_profile->max_length, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The profile of the rows alone tells more or less than that");
  PetscCall(CompareProfiles(device, host));
  PetscCall(AutoCSRProfileDestroy(&host));
  PetscCall(AutoCSRProfileDestroy(&device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two profiles of one matrix, and with other values */
static PetscErrorCode CheckProfiles(const Generator *g, Pair *pair)
{
  const ValueKind kinds[] = {VALUES_FEW, VALUES_FLOATS, VALUES_MANY, VALUES_OFFSET};

  PetscFunctionBeginUser;
  PetscCall(CompareProfiles(pair->device_profile, pair->host_profile));
  PetscCheck(pair->host_profile->patterns > AUTOCSR_MAX_PATTERNS || (g->row != LongSamples && pair->host.nnz <= (PetscInt64)pair->host.m * AUTOCSR_PATTERN_LENGTH), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " patterns of long rows", g->name, pair->host_profile->patterns);
  PetscCall(CheckRowsOnly(pair));
  for (int k = 0; k < 8; k++) {
    PetscCall(AutoCSRProfileDestroy(&pair->host_profile));
    PetscCall(AutoCSRProfileDestroy(&pair->device_profile));
    PetscCall(SetValues(pair, kinds[k % 4], 3, (PetscBool)(k > 3)));
    PetscCall(LookOnHost(pair, PETSC_FALSE, &pair->host_profile));
    PetscCall(AutoCSRProfileCreate(&pair->device, AutoCSRBackendCUDA.slice_height, &pair->device_profile));
    PetscCall(CompareProfiles(pair->device_profile, pair->host_profile));
  }
  PetscCall(SetValues(pair, g->values, 0, PETSC_FALSE));
  PetscCall(AutoCSRProfileDestroy(&pair->host_profile));
  PetscCall(AutoCSRProfileDestroy(&pair->device_profile));
  PetscCall(LookOnHost(pair, PETSC_FALSE, &pair->host_profile));
  PetscCall(AutoCSRProfileCreate(&pair->device, AutoCSRBackendCUDA.slice_height, &pair->device_profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckIfLegal(const Generator *g, Pair *pair, const AutoCSRAxes *a, Division division, PetscInt *plans)
{
  PetscBool legal;

  PetscFunctionBeginUser;
  PetscCall(IsLegal(&pair->host, pair->host_profile, a, division, &legal));
  if (legal) PetscCall(CheckPlan(g, pair, a, division));
  *plans += legal;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckMatrix(const Generator *g, PetscBool few)
{
  const PetscInt windows[] = {0, 16, AUTOCSR_WINDOW, 1000, 4096};
  Pair           pair;
  PetscInt       plans = 0;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(g, &pair));
  PetscCall(CheckProfiles(g, &pair));
  PetscCall(CheckFingerprint(&pair));
  PetscCall(CheckNames(&pair));
  PetscCall(CheckUnsorted(&pair));
  PetscCall(CheckRowOffsets(&pair));
  PetscCall(CheckTranspose(&pair));
  for (PetscInt division = 0; division < (few ? 1 : DIVISION_COUNT); division++) {
    for (int code = 0; code < 2 * 5 * 5 * (few ? 1 : 5); code++) {
      AutoCSRAxes a = {.order = (AutoCSROrder)(code & 1), .index = (AutoCSRIndex)(code / 2 % 5), .value = (AutoCSRValue)(code / 10 % 5), .sort_window = windows[code / 50], .lanes = 1};

      a.mapping      = a.order == AUTOCSR_ORDER_SLICED ? AUTOCSR_MAP_SLICE : AUTOCSR_MAP_LANES;
      a.slice_height = a.order == AUTOCSR_ORDER_SLICED || a.index == AUTOCSR_INDEX_16 ? AutoCSRBackendCUDA.slice_height : 1;
      for (a.block = 1; a.block <= pair.host_profile->block_size; a.block++) PetscCall(CheckIfLegal(g, &pair, &a, (Division)division, &plans));
    }
  }
  for (int code = 0; code < (few ? 4 : DIVISION_COUNT * 4) * TILED_SHAPES; code++) {
    const int         shape  = code / 4 % TILED_SHAPES;
    const Division      division = (Division)(code / (4 * TILED_SHAPES));
    const AutoCSRAxes   a        = TiledAxes(shape, (AutoCSRValue)(code % 4), (shape + division) % 2 ? 1 : 32);

    if (pair.host.n / a.tile_width * (double)pair.host.nnz > 3e4) continue; /* decoding an entry goes through the tiles */
    PetscCall(CheckIfLegal(g, &pair, &a, division, &plans));
  }
  for (int code = 0; code < (few ? 4 : DIVISION_COUNT * 4) * PROPAGATED_SHAPES; code++) {
    const Division      division = (Division)(code / (4 * PROPAGATED_SHAPES));
    const AutoCSRAxes   a        = PropagatedAxes(code / 4 % PROPAGATED_SHAPES, (AutoCSRValue)(code % 4));

    if ((double)pair.host_profile->max_length * pair.host.nnz > 2e8 && (division != DIVISION_WHOLE || a.value != AUTOCSR_VALUE_COPY)) continue; /* decoding an entry goes through the chunks of its row */
    PetscCall(CheckIfLegal(g, &pair, &a, division, &plans));
  }
  for (int code = 0; code < (few ? 4 : DIVISION_COUNT * 4) * POPULAR_SHAPES; code++) {
    const int         shape  = code / 4 % POPULAR_SHAPES;
    const Division      division = (Division)(code / (4 * POPULAR_SHAPES));
    const AutoCSRAxes   a        = PopularAxes(shape, (AutoCSRValue)(code % 4), (shape + division) % 2 ? 1 : 32);

    if (((double)pair.host_profile->max_length * pair.host.nnz > 2e7 || pair.host.n / a.tile_width * (double)pair.host.nnz > 3e5) && (division != DIVISION_WHOLE || a.value != AUTOCSR_VALUE_COPY || shape)) continue; /* decoding an entry goes through the pieces of its row */
    PetscCall(CheckIfLegal(g, &pair, &a, division, &plans));
  }
  for (int code = 0; code < (few ? 4 : DIVISION_COUNT * 4) * ADAPTIVE_SHAPES; code++) {
    const Division      division = (Division)(code / (4 * ADAPTIVE_SHAPES));
    const AutoCSRAxes   a        = AdaptiveAxes(code / 4 % ADAPTIVE_SHAPES, (AutoCSRValue)(code % 4));

    PetscCall(CheckIfLegal(g, &pair, &a, division, &plans));
  }
  for (int code = 0; code < (few ? 1 : 2 * 4); code++) {
    const PetscInt    rows[] = {8, 1, 2, 4};
    const AutoCSRAxes a      = BundledAxes(rows[code % 4]);

    PetscCall(CheckIfLegal(g, &pair, &a, (Division)(code / 4), &plans));
  }
  for (int code = 0; code < 2 * 4 * 4 * 2 * 2 && !few; code++) { /* several lanes a row (SELL-P), or all rows as long as the longest (ELL) */
    const PetscInt lanes[] = {1, 2, 8, 32};
    const Division   division  = code & 1 ? DIVISION_ODD_EVEN : DIVISION_THIRDS;
    AutoCSRAxes      a         = {.block = 1, .order = AUTOCSR_ORDER_SLICED, .index = code & 32 ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32, .value = (AutoCSRValue)(code / 2 % 4), .mapping = AUTOCSR_MAP_SLICE, .lanes = lanes[code / 8 % 4], .sort_window = code & 64 ? AUTOCSR_WINDOW : 0};

    a.slice_height = AutoCSRBackendCUDA.slice_height / a.lanes;
    if (a.lanes == 1) a.width = PetscMax(pair.host_profile->max_length, 1);
    if ((double)a.width * pair.host.m > 1e7) continue;
    PetscCall(CheckIfLegal(g, &pair, &a, division, &plans));
  }
  for (PetscInt b = 2; b <= pair.host_profile->block_size; b++) {
    const AutoCSRAxes a = BlockedAxes(b);

    for (int division = DIVISION_WHOLE; division <= DIVISION_THIRDS; division++) PetscCall(CheckIfLegal(g, &pair, &a, (Division)division, &plans));
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(in_place); i++, plans += 2) {
    PetscCall(CheckPlan(g, &pair, &in_place[i], DIVISION_WHOLE));
    PetscCall(CheckPlan(g, &pair, &in_place[i], DIVISION_THIRDS));
  }
  for (int code = 0; code < CODED_WAYS * CODED_SHAPES * 2; code++) {
    const AutoCSRAxes a        = CodedAxes(code / 2 % CODED_SHAPES, code / 2 / CODED_SHAPES);
    const Division    division = (code + code / CODED_SHAPES) % 2 ? DIVISION_THIRDS : DIVISION_WHOLE;

    if (few && code % 2) continue;
    PetscCall(CheckIfLegal(g, &pair, &a, division, &plans));
  }
  PetscCheck(plans > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: no plan", g->name);
  PetscCall(PetscInfo(NULL, "%s: %" PetscInt_FMT " plans alike\n", g->name, plans));
  PetscCall(PairDestroy(&pair));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt n = (PetscInt)PETSC_STATIC_ARRAY_LENGTH(generators), all = n + (PetscInt)PETSC_STATIC_ARRAY_LENGTH(more);
  PetscBool      few  = PETSC_FALSE;
  PetscInt       only = -1;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-few", &few, NULL)); /* for compute-sanitizer's slower tools */
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-part", &part, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-parts", &parts, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-matrix", &only, NULL));
  PetscCheck(only < all, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-matrix %" PetscInt_FMT ": there are %" PetscInt_FMT, only, all);
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  for (PetscInt i = 0; i < all; i++) {
    if (only < 0 || i == only) PetscCall(CheckMatrix(i < n ? &generators[i] : &more[i - n], few));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Plans alike\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    requires: cuda double
    args: -parts 24 -part {{0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23}}

TEST*/
