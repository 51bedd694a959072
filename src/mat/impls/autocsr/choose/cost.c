/*
  The cost model: counts of a strategy times figures of the machine give seconds. An executor's work is measured with all
  in the L2 cache; where a processor reads on while it works, all streaming counts beside the work. Lines of x are added
  to work and streaming, which hide each other but for `not_hidden` of the shorter of the two. A launch comes on top.
  Work takes at least as long as its bytes come from a near cache: figures were measured on rows with entries, and empty
  rows move bytes, too.

  On a device the longer of work and streaming counts, and lines of x hide behind it but for `not_hidden` of the shorter;
  by the shipped figures they are added. The start and the longest walk of a lane come on top, because that lane may be
  among the last to begin.
*/
#include "learned.h"

/*
  How many of a processor's lines of x, of which `window` bytes are read in turn, take as long as memory's: the last cache holds as much of them as half of it does, beside what streams by, and
  of a large one less and less is as fast as its nearest part
*/
static double far_share(const AutoCSRMachine *machine, double window)
{
  const double near     = AutoCSRNearBytes(machine->cache);
  const double distant  = PetscMax(0, window - near) / (AUTOCSR_FAR_BYTES - near);
  const double not_held = 1 - machine->cache[2] / 2 / window;

  return PetscMin(1, PetscMax(distant, not_held));
}

/* Bytes of x that are read in turn */
static double window_of(const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  return PetscMin((double)csr->n, 2.0 * profile->bandwidth + 1) * sizeof(PetscScalar);
}

/* Seconds of a device's line of x: each cache holds a part of those that are read in turn */
static double device_line_seconds(const AutoCSRMachine *machine, const AutoCSRProfile *profile, double window)
{
  double seconds = 0, nearer = 0;

  for (int level = 0; level < 4; level++) {
    const double held = level == 3 ? 1 : window < profile->reach ? PetscMin(1, machine->cache[level] / window)
                                                                 : AutoCSRProfileHeld(profile, machine->cache[level]);

    seconds += PetscMax(0, held - nearer) * machine->random_line[level];
    nearer = PetscMax(nearer, held);
  }
  return seconds;
}

PetscErrorCode AutoCSRChooserBegin(AutoCSRChooser *chooser, const AutoCSRFigures *figures, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRSettings *settings)
{
  const AutoCSRMachine *machine = &figures->machine;

  PetscFunctionBegin;
  chooser->figures     = figures;
  chooser->refused[0]  = 0;
  chooser->counted.n   = 0;
  chooser->problem     = (AutoCSRProblem){.csr = csr, .profile = profile, .settings = settings, .traits = figures->traits, .lanes = figures->lanes, .parallel = machine->parallel, .counted = &chooser->counted};
  chooser->device_line = machine->parallel ? device_line_seconds(machine, profile, window_of(csr, profile)) : 0;
  AutoCSRProblemSetZones(&chooser->problem, 0, profile->zones);
  PetscCall(AutoCSRStrategyFind("csr", &chooser->csr));
  PetscCall(AutoCSRChooserLearn(chooser));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of a processor's line of x; *near: of these, of lines from its caches */
static double line_seconds(const AutoCSRMachine *machine, double window, double *near)
{
  const PetscInt level = AutoCSRCacheLevel(machine, window);
  const double   far   = level < 2 ? 0 : far_share(machine, window);

  *near = (1 - far) * machine->random_line[PetscMin(level, 2)];
  return *near + far * machine->random_line[3];
}

/*
  On a processor, of rows that are worked on one after the other and in place: bytes of x that a row brings again, line by line, because it is so long that L2 does not hold
  them from row to row. Slices work on their rows at once
*/
static double bytes_brought_again(const AutoCSRMachine *machine, const AutoCSRProblem *problem, const AutoCSRCost *segment)
{
  const AutoCSRProfile *profile = problem->profile;
  const double          x       = problem->csr->n * (double)sizeof(PetscScalar);
  double                bytes   = 0;

  if (machine->parallel || segment->axes.order != AUTOCSR_ORDER_CSR || PetscMin(x, problem->range.longest * (double)AUTOCSR_LINE) <= machine->cache[1]) return 0;
  for (int bin = 1; bin < AUTOCSR_HISTOGRAM_BINS; bin++) {
    const double rows = profile->histogram[bin], row = PetscMin(x, AUTOCSR_LINE * (profile->histogram_nnz[bin] / PetscMax(1, rows)));

    if (row > machine->cache[1]) bytes += rows * row;
  }
  return bytes * segment->entries / profile->nnz;
}

/* Seconds in which a processor moves so many bytes from L1 or, if the set does not fit there, from L2 */
static double near_seconds(const AutoCSRMachine *machine, double bytes, double set)
{
  return bytes / machine->bandwidth[PetscMin(AutoCSRCacheLevel(machine, set), 1)];
}

/* Work and streaming go on at once, but the one waits now and then for the other */
static double overlap(const AutoCSRMachine *machine, double a, double b)
{
  return PetscMax(a, b) + machine->not_hidden * PetscMin(a, b);
}

PetscErrorCode AutoCSRCostTerms(const AutoCSRChooser *chooser, const AutoCSRProblem *problem, const AutoCSRCost *segment, double bytes, AutoCSRTerms *terms)
{
  const AutoCSRMachine *machine   = &chooser->figures->machine;
  const double          share     = (problem->row_end - problem->row_begin) / (double)PetscMax(problem->csr->m, 1);
  const PetscBool       scattered = (PetscBool)(machine->parallel && segment->named && segment->rows < NAMED_MOST * (problem->row_end - problem->row_begin));
  const double          set = bytes / PetscMax(share, 1e-3), streamed = segment->bytes + (machine->strided - 1) * segment->strided + (scattered ? machine->named_row * segment->rows : 0);

  PetscFunctionBegin;
  if (machine->parallel) {
    terms->near   = 0;
    terms->gather = segment->scattered * chooser->device_line;
  } else {
    const double window = window_of(problem->csr, problem->profile), line = line_seconds(machine, window, &terms->near);
    const double again = bytes_brought_again(machine, problem, segment) / machine->bandwidth[AutoCSRCacheLevel(machine, window)];

    terms->near   = segment->scattered * terms->near + again;
    terms->gather = segment->scattered * line + again;
  }
  terms->chance = AutoCSRStreamChance(machine, set);
  terms->stream = terms->chance < 1 ? streamed / machine->bandwidth[3] : AutoCSRStreamSeconds(machine, streamed, set);
  terms->launch = segment->entries >= machine->alone ? machine->launch : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products that take as long to start as the launches by which a segment is encoded, or rows are named and nothing else */
static double encode_products(const AutoCSRMachine *machine, const AutoCSRCost *segment)
{
  if (segment->own_bytes <= 0) return 0;
  return !AutoCSRValueIsStored(segment->axes.value) && segment->axes.index == AUTOCSR_INDEX_CSR ? machine->name_products : machine->encode_products;
}

/* A range of rows may take of the room what its nonzeros are of all */
static PetscBool has_room(const AutoCSRProblem *problem, const AutoCSREvaluation *e)
{
  const double share = problem->range.nnz / PetscMax(1, (double)problem->csr->nnz);

  return (PetscBool)(problem->room <= 0 || e->own_bytes + e->scratch <= PetscMax(ROOM_USED * share * problem->room, ROOM_LEAST));
}

PetscErrorCode AutoCSRCostEvaluate(AutoCSRChooser *chooser, const AutoCSRProblem *problem, const AutoCSRStrategy *strategy, const AutoCSRAxes *axes, AutoCSREvaluation *total)
{
  const AutoCSRMachine *machine = &chooser->figures->machine;
  double                wait    = 0; /* of the segments of a launch, the longest */
  PetscBool             alone   = PETSC_FALSE;
  AutoCSRCost           segment[AUTOCSR_MAX_SEGMENTS];
  PetscInt              n;

  PetscFunctionBegin;
  *total = (AutoCSREvaluation){0};
  PetscCall(strategy->cost(problem, axes, segment, &n));
  for (PetscInt i = 0; i < n; i++) total->bytes += segment[i].bytes;
  total->runs     = PETSC_TRUE;
  total->segments = n;
  for (PetscInt i = 0; i < n; i++) {
    AutoCSRExecutorCost cost;
    AutoCSRTerms        t;
    double              work;
    PetscBool           runs;

    PetscCall(AutoCSRFiguresFind(chooser->figures, &segment[i].axes, segment[i].named, chooser->problem.profile->values, &cost, &runs));
    if (!runs) total->runs = PETSC_FALSE;
    if (!segment[i].joins) {
      wait  = 0;
      alone = PETSC_FALSE;
    }
    PetscCall(AutoCSRCostTerms(chooser, problem, &segment[i], total->bytes, &t));
    if (cost.gather > 0) t.gather = (cost.near > 0 ? cost.near : 1) * t.near + cost.gather * (t.gather - t.near);
    work = segment[i].entries * cost.entry + segment[i].rows * cost.row + segment[i].irregular * cost.irregular;
    if (!machine->parallel) work = PetscMax(work, near_seconds(machine, segment[i].bytes, total->bytes));
    total->work += work;
    total->gather += t.gather;
    total->stream += t.chance * cost.memory * t.stream;
    if (machine->parallel) { /* one stream of work and of reads; gathers wait in it. The lane that has most to do may be among the last; what shares a launch is begun together */
      const double before = wait;

      wait = PetscMax(wait, cost.start + segment[i].longest * cost.walk);
      work += t.chance * PetscMax(0, cost.memory * t.stream - work);
      total->segment[i] = overlap(machine, work, t.gather) + wait - before;
      total->wait += wait - before;
    } else
      total->segment[i] = overlap(machine, work, cost.memory * t.stream) + t.gather;
    if (!alone) {
      total->segment[i] += t.launch;
      total->launches += t.launch;
    }
    alone = (PetscBool)(alone || t.launch > 0);
    total->seconds += total->segment[i];
    total->own_bytes += segment[i].own_bytes;
    total->scratch += segment[i].scratch;
    total->build += 2 * segment[i].build / machine->bandwidth[3] + encode_products(machine, &segment[i]) * machine->product;
  }
  total->fits = has_room(problem, total);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRCostUnseen(const AutoCSRFigures *figures, const AutoCSRMatrix *csr, const AutoCSRAxes *axes, double *seconds)
{
  const AutoCSRMachine *machine = &figures->machine;
  const AutoCSRSegment  segment = {.axes = *axes, .n_rows = csr->m, .nnz = csr->nnz};
  const double          bytes   = AutoCSRSegmentBytesMoved(&segment, csr);
  AutoCSRExecutorCost   cost;
  PetscBool             runs;

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresFind(figures, axes, PETSC_FALSE, PETSC_MAX_INT, &cost, &runs));
  *seconds = machine->product + machine->launch + overlap(machine, csr->nnz * cost.entry + csr->m * cost.row, cost.memory * AutoCSRStreamSeconds(machine, bytes, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool AutoCSRRowsTellAll(const AutoCSRMachine *machine, const AutoCSRMatrix *csr, const AutoCSRSettings *s)
{
  if (!machine->parallel || (double)AutoCSRMatrixBytes(csr) > ROWS_TELL * machine->product * machine->bandwidth[2]) return PETSC_FALSE;
  return (PetscBool)(AutoCSRSettingsAreAutomatic(s) && s->objective != MAT_AUTOCSR_OBJECTIVE_MEMORY);
}

double AutoCSRCostLook(const AutoCSRMachine *machine, const AutoCSRMatrix *csr, const AutoCSRSettings *settings)
{
  const double bytes = (double)AutoCSRMatrixBytes(csr);

  if (AutoCSRRowsTellAll(machine, csr, settings)) return machine->rows_products * machine->product;
  return machine->look_products * machine->product + machine->look_passes * bytes / machine->bandwidth[3] + machine->look_start + machine->look_row * csr->m + machine->look_entry * csr->nnz;
}

AutoCSRProblem AutoCSRProblemOfZones(const AutoCSRProblem *problem, PetscInt zone_begin, PetscInt zone_end)
{
  AutoCSRProblem part = *problem;

  AutoCSRProblemSetZones(&part, zone_begin, zone_end);
  return part;
}

double AutoCSRCostScore(const AutoCSRProblem *problem, const AutoCSREvaluation *e)
{
  const double csr_bytes = problem->range.rows * (double)sizeof(PetscInt) + problem->range.nnz * (sizeof(PetscInt) + sizeof(PetscScalar));

  if (!e->runs || !e->fits) return PETSC_MAX_REAL;
  if (problem->settings->objective == MAT_AUTOCSR_OBJECTIVE_MEMORY && e->own_bytes > MEMORY_SHARE * csr_bytes) return PETSC_MAX_REAL;
  return e->seconds * (1 + COPY_PRICE * e->own_bytes / csr_bytes) + e->build / AMORTIZE;
}
