/*
  The profile on the device: what the passes count, brought to the host. Blocks, models, reach and values are looked at on
  a CUDA stream beside PETSc's, while patterns are found on PETSc's. Both meet before the counts go to the host. A look at
  the rows alone is one kernel.
*/
#include "profile.cuh"

/* Padding may count more than the entries of the matrix; such a plan is out of question anyway */
static PetscInt Clamped(DeviceCount count)
{
  return count < (DeviceCount)PETSC_MAX_INT ? (PetscInt)count : PETSC_MAX_INT;
}

static PetscErrorCode TakeOver(const DeviceProfile *d, unsigned sizes, uint16_t **id, AutoCSRProfile *profile)
{
  const PetscInt h       = profile->slice_height;
  double         squares  = 0;
  DeviceCount    descents = 0, steps = 0;
  PetscBool      any      = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < profile->zones; c++) {
    const DeviceCount *count = d->zone[c];
    AutoCSRZone       *zone  = &profile->zone[c];

    zone->nnz              = (PetscInt)count[COUNT_NNZ];
    zone->min_length       = PETSC_MAX_INT - (PetscInt)count[COUNT_SHORTEST];
    zone->max_length       = (PetscInt)count[COUNT_LONGEST];
    zone->empty_rows       = (PetscInt)count[COUNT_EMPTY_ROWS];
    zone->padded           = Clamped(count[COUNT_PADDED]);
    zone->padded_sorted    = Clamped(count[COUNT_PADDED_SORTED]);
    zone->slices           = Pieces(zone->row_end - zone->row_begin, h);
    zone->slices_16        = (PetscInt)count[COUNT_SLICES_16];
    zone->slices_16_sorted = (PetscInt)count[COUNT_SLICES_16_SORTED];
    zone->pattern_rows     = (PetscInt)count[COUNT_PATTERN_ROWS];
    zone->uniform_slices   = (PetscInt)count[COUNT_UNIFORM_SLICES];
    zone->fitted           = count[COUNT_FIT_ENTRIES] ? (double)count[COUNT_FIT_BYTES] / (double)count[COUNT_FIT_ENTRIES] : 0;
    zone->gather_lines     = count[COUNT_LINE_ENTRIES] ? (double)count[COUNT_LINES] / (double)count[COUNT_LINE_ENTRIES] : 0;
    profile->bandwidth     = PetscMax(profile->bandwidth, (PetscInt)count[COUNT_BANDWIDTH]);
    profile->row_span      = PetscMax(profile->row_span, (PetscInt)count[COUNT_WIDEST]);
    profile->spans += (PetscInt64)count[COUNT_SPANS];
    squares += (double)count[COUNT_SQUARES];
    descents += d->descents[c];
    steps += d->steps[c];
    any = (PetscBool)(any || (!profile->rows_only && d->worthwhile[c]));
  }
  profile->unsorted   = (PetscBool)(descents != 0);
  profile->tile_steps = (PetscInt64)steps;
  AutoCSRProfileTotal(profile, squares);
  for (int b = 0; b < AUTOCSR_HISTOGRAM_BINS; b++) {
    profile->histogram[b]     = (PetscInt)d->histogram[b];
    profile->histogram_nnz[b] = (PetscInt)d->histogram_nnz[b];
  }
  AutoCSRProfileSetReach(profile, (PetscInt)d->reached[0], (PetscInt)d->reached[1]);
  if (profile->rows_only || profile->unsorted) PetscFunctionReturn(PETSC_SUCCESS);
  profile->block_size = 1;
  for (int b = 2; b <= AUTOCSR_LARGEST_BLOCK; b++) {
    if (sizes & ~d->not_blocks & (1u << b)) profile->block_size = b;
  }
  profile->patterns = AUTOCSR_MAX_PATTERNS + 1;
  if (any) {
    profile->patterns   = d->patterns;
    profile->pattern_id = *id;
    *id                 = NULL;
    PetscCall(PetscMalloc1(d->patterns, &profile->pattern_row));
    PetscCall(PetscArraycpy(profile->pattern_row, d->pattern_row, d->patterns));
    PetscInt number = 0;

    while (number < d->patterns && d->pattern_row[number] < d->common_row) number++;
    if (d->patterns) AutoCSRProfileSetPlanes(profile, number, d->others, d->common_length, d->common_offset);
  }
  profile->values        = d->values.n;
  profile->float32_exact = (PetscBool)(sizeof(PetscReal) > sizeof(float) && !d->values.inexact);
  if (d->values.n <= AUTOCSR_MAX_DISTINCT) {
    PetscCall(PetscMalloc1(d->values.n, &profile->value));
    PetscCall(PetscMemcpy(profile->value, d->values.value, (size_t)d->values.n * sizeof(*profile->value)));
    profile->pattern_values = (PetscBool)(any && !d->other_values);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What waits for nothing else that is looked at */
static PetscErrorCode ProfileBeside(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, unsigned sizes, cudaStream_t stream, void *room, DeviceProfile *device)
{
  PetscFunctionBegin;
  if (sizes) PetscCall(DeviceProfileBlocks(csr, sizes, stream, device));
  PetscCall(DeviceProfileFits(csr, profile, stream, device));
  if (AutoCSRReachIsSampled(profile)) PetscCall(DeviceProfileReach(csr, stream, device));
  PetscCall(DeviceProfileValues(csr, stream, room, &device->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of the profile. A small matrix waits for starts of kernels and calls for memory: two streams of kernels take about as long each, and one piece of memory is for all */
static PetscErrorCode ProfileAll(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, unsigned sizes, uint16_t id[], void *table, DeviceProfile *device)
{
  const size_t   values = DeviceProfileValuesBytes();
  AutoCSRSegment all    = {};
  DeviceScratch  scratch;
  char          *memory;
  PetscErrorCode ierr;
  cudaStream_t   beside;

  PetscFunctionBegin;
  all.n_rows         = csr->m;
  all.axes.row_group = 1;
  PetscCall(scratch.Allocate(values + (size_t)csr->m * sizeof(DeviceCount), &memory)); /* before the streams part: both use it */
  PetscCall(AutoCSRDeviceFork(&beside));
  ierr = DeviceProfileRows(csr, profile, device, NULL);
  if (!ierr) ierr = ProfileBeside(csr, profile, sizes, beside, memory, device); /* begun while the rows are looked at: starts take as long as that */
  if (!ierr) ierr = DeviceProfilePatterns(csr, profile, table, (DeviceCount *)(memory + values), id, device);
  PetscCall(AutoCSRDeviceJoin());
  PetscCall(ierr);
  PetscCall(DevicePatternValuesCompare(&all, csr, id, device->pattern_row, &device->values.n, &device->other_values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *id: of every row; NULL once the profile has it */
static PetscErrorCode Fill(const AutoCSRMatrix *csr, uint16_t **id, AutoCSRProfile *profile)
{
  const size_t   bytes = profile->rows_only ? 0 : DeviceProfilePatternTableBytes();
  DeviceProfile *device, *host;
  unsigned       sizes = 0;

  PetscFunctionBegin;
  for (int b = 2; b <= AUTOCSR_LARGEST_BLOCK && csr->nnz; b++) {
    if (csr->m % b == 0 && csr->n % b == 0) sizes |= 1u << b;
  }
  PetscCall(AutoCSRDeviceGetMailbox(sizeof(*host), (void **)&host));
  PetscCall(AutoCSRDeviceBorrowZeros(sizeof(*device) + bytes, (void **)&device));
  if (csr->m && profile->rows_only)
    PetscCall(DeviceProfileRows(csr, profile, device, host));
  else {
    if (csr->m) PetscCall(ProfileAll(csr, profile, sizes, *id, device + 1, device));
    PetscCall(DeviceProfileReport(profile, device, device + 1, bytes, host));
  }
  PetscCall(AutoCSRDeviceSynchronize());
  PetscCall(AutoCSRDeviceReturnZeros());
  PetscCall(TakeOver(host, sizes, id, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceProfile(const AutoCSRMatrix *csr, AutoCSRProfile *profile)
{
  uint16_t      *id = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCheck(profile->slice_height == AUTOCSR_DEVICE_SLICE_HEIGHT, PETSC_COMM_SELF, PETSC_ERR_SUP, "Slices of %" PetscInt_FMT " rows on the device: only %d", profile->slice_height, AUTOCSR_DEVICE_SLICE_HEIGHT);
  if (!profile->rows_only) PetscCall(AutoCSRDeviceAllocate((size_t)csr->m * sizeof(*id), (void **)&id));
  ierr = Fill(csr, &id, profile);
  PetscCall(AutoCSRDeviceDeallocate(id));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
