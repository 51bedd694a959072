/*
  The cost model: counts of a strategy times figures of the machine give seconds. An executor's work is measured with all in
  the L2 cache (where a processor reads on while it works, all streaming counts beside it); cache lines of x that are far away hide that work, or are hidden by it; what the bytes take longer from
  where they are comes on top in part, and a launch. A row that one lane walks alone bounds a segment from below.
*/
#include "choose.h"

#define ENCODE_LAUNCHES 50 /* about so many products' starts are in the encoding of a segment, where products take time to start (traces of CONT-300_KKT and of stencils) */
#define NAME_LAUNCHES   7  /* the same where rows are named and nothing else */
/* A look at the matrix: on a device starts of products and passes over the CSR, else seconds (of scalars of 8 bytes, on one processor) */
#define LOOK_LAUNCHES 42
#define LOOK_PASSES   6
#define ROWS_LAUNCHES 15   /* a look at the rows alone */
#define SHORT         1.05 /* of the time that a product's start takes: where reading the whole CSR takes no longer, a coding of it gains little, and the look at the rest costs 10 to 17 products of MATAIJCUSPARSE */
#define LOOK_START    1.5e-5
#define LOOK_ROW      8e-9
#define LOOK_ENTRY    1.2e-9
/* What a plan keeps must earn this: a whole copy of the CSR so much of the time of a product. A tenth kept processors on rows in place where slices were faster */
#define COPY_PRICE   0.05
#define MEMORY_SHARE 0.05 /* objective memory: a plan may take so much of the CSR's bytes for itself, and none of it for values */

/* On a device: bytes of sectors that are read and written for the offsets and the sum of a row that is named, besides these, where most rows are other segments'; where they are not, the cache puts them together */
#define NAMED_ROW  36
#define NAMED_MOST 0.5

static PetscInt cache_level(const AutoCSRMachine *machine, double bytes)
{
  PetscInt level = 0;

  while (level < 3 && bytes > machine->cache[level]) level++;
  return level;
}

/*
  How a device's L2 holds a set: surely up to so much of its half that is near a multiprocessor, from there to the whole half with less and less chance, a set that only the whole holds in part.
  The same copy of 20 MB is read from it or from memory by what else a process has (table wave-in-l2; why is not shown)
*/
#define STAYS_SURELY 0.7
#define STAYS_MOSTLY 0.5

/* The last cache holds a part of a set larger than itself */
double AutoCSRStreamSeconds(const AutoCSRMachine *machine, double bytes, double working_set)
{
  const PetscInt level = cache_level(machine, working_set);
  double         held;

  if (level < 2) return 0;
  held = level > 2 ? machine->cache[2] / working_set / 2 : machine->parallel ? STAYS_MOSTLY
                                                                             : 1; /* half: a cyclic read evicts much of it before its turn */
  return PetscMax(0, bytes * (held / machine->bandwidth[2] + (1 - held) / machine->bandwidth[3] - machine->in_work / machine->bandwidth[1]));
}

/* The chance that what streams comes from where it is told to: 1, but for a set that may have stayed in a device's L2 */
static double chance_of_stream(const AutoCSRMachine *machine, double working_set)
{
  if (!machine->parallel || working_set > machine->cache[1]) return 1;
  return (1 - STAYS_MOSTLY) * PetscMax(0, working_set / machine->cache[1] - STAYS_SURELY) / (1 - STAYS_SURELY);
}

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

/* Of a device's lines of x, of which `window` bytes are read in turn, each cache holds a part; it is asked for all variants of a matrix */
static double device_line_seconds(const AutoCSRMachine *machine, const AutoCSRProfile *profile, double window)
{
  static struct {
    const AutoCSRMachine *machine;
    double                window, reach, growth, x, seconds;
  } last;
  const double x       = (double)profile->n * sizeof(PetscScalar);
  double       seconds = 0, nearer = 0;

  if (last.machine == machine && last.window == window && last.reach == profile->reach && last.growth == profile->reach_growth && last.x == x) return last.seconds;
  for (int level = 0; level < 4; level++) {
    const double held = level == 3 ? 1 : window < profile->reach ? PetscMin(1, machine->cache[level] / window)
                                                                 : AutoCSRProfileHeld(profile, machine->cache[level]);

    seconds += PetscMax(0, held - nearer) * machine->random_line[level];
    nearer = PetscMax(nearer, held);
  }
  last.machine = machine;
  last.window  = window;
  last.reach   = profile->reach;
  last.growth  = profile->reach_growth;
  last.x       = x;
  last.seconds = seconds;
  return seconds;
}

/* Seconds of a processor's line of x; *near: of these, of lines from its caches */
static double line_seconds(const AutoCSRMachine *machine, double window, double *near)
{
  const PetscInt level = cache_level(machine, window);
  const double   far   = level < 2 ? 0 : far_share(machine, window);

  *near = (1 - far) * machine->random_line[PetscMin(level, 2)];
  return *near + far * machine->random_line[3];
}

/*
  On a processor, of rows that are worked on one after the other and in place: bytes of x that a row brings again, line by line, because it is so long that L2 does not hold
  them from row to row. Slices work on their rows at once
*/
static double bytes_brought_again(const AutoCSRMachine *machine, const AutoCSRProblem *problem, const AutoCSRCost *part)
{
  const AutoCSRProfile *profile = problem->profile;
  const double          x       = problem->csr->n * (double)sizeof(PetscScalar);
  double                bytes   = 0;

  if (machine->parallel || part->axes.order != AUTOCSR_ORDER_CSR || PetscMin(x, problem->range.longest * (double)AUTOCSR_LINE) <= machine->cache[1]) return 0;
  for (int bin = 1; bin < AUTOCSR_HISTOGRAM_BINS; bin++) {
    const double rows = profile->histogram[bin], row = PetscMin(x, AUTOCSR_LINE * (profile->histogram_nnz[bin] / PetscMax(1, rows)));

    if (row > machine->cache[1]) bytes += rows * row;
  }
  return bytes * part->entries / profile->nnz;
}

/* Work and streaming go on at once, but the one waits now and then for the other */
static double overlap(const AutoCSRMachine *machine, double a, double b)
{
  return PetscMax(a, b) + machine->not_hidden * PetscMin(a, b);
}

#define MOST_KNOWN 256

typedef struct {
  AutoCSRAxes         axes;
  PetscBool           named, few;
  AutoCSRExecutorCost cost;
  PetscBool           runs;
} KnownFigure;

/* The figures of the axes. They are found by name, which takes longer than all else that a choice asks for: those of the last machine asked for are kept */
static PetscErrorCode find_figure(const AutoCSRChooser *chooser, const AutoCSRAxes *axes, PetscBool named, const KnownFigure **figure)
{
  static struct {
    const AutoCSRFigures *figures;
    PetscInt              n, last;
    KnownFigure           figure[MOST_KNOWN];
  } known;
  const PetscInt  values = chooser->problem.profile->values;
  const PetscBool few    = (PetscBool)(values <= AUTOCSR_FEW_VALUES);
  KnownFigure    *next;
  AutoCSRAxes     key = *axes;

  PetscFunctionBegin;
  key.row_group = 1; /* these do not tell executors apart */
  key.longest   = 0;
  if (known.figures != chooser->figures) known.n = known.last = 0;
  known.figures = chooser->figures;
  for (PetscInt i = 0, k = known.last; i < known.n; i++, k++) { /* they are asked for in the same order for each part of the matrix */
    if (k >= known.n) k = 0;
    if (known.figure[k].axes.mapping != key.mapping || known.figure[k].axes.lanes != key.lanes || known.figure[k].axes.value != key.value) continue; /* most differ in these: it takes less than memcmp() */
    if (known.figure[k].named != named || known.figure[k].few != few || memcmp(&known.figure[k].axes, &key, sizeof(key))) continue;
    *figure    = &known.figure[k];
    known.last = k + 1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  known.last  = known.n < MOST_KNOWN ? known.n++ : (known.last + 1) % MOST_KNOWN;
  next        = &known.figure[known.last];
  next->axes  = key;
  next->named = named;
  next->few   = few;
  PetscCall(AutoCSRFiguresFind(chooser->figures, axes, named, values, &next->cost, &next->runs));
  *figure = next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRCostTerms(const AutoCSRChooser *chooser, const AutoCSRProblem *problem, const AutoCSRCost *part, double bytes, AutoCSRTerms *terms)
{
  const AutoCSRMachine *machine   = &chooser->figures->machine;
  const double          share     = (problem->row_end - problem->row_begin) / (double)PetscMax(problem->csr->m, 1);
  const PetscBool       scattered = (PetscBool)(machine->parallel && part->named && part->rows < NAMED_MOST * (problem->row_end - problem->row_begin));
  const double          set = bytes / PetscMax(share, 1e-3), streamed = part->bytes + (machine->strided - 1) * part->strided + (scattered ? NAMED_ROW * part->rows : 0);
  const double          window = PetscMin((double)problem->csr->n, 2.0 * problem->profile->bandwidth + 1) * sizeof(PetscScalar);

  PetscFunctionBegin;
  if (machine->parallel) {
    terms->near   = 0;
    terms->gather = part->scattered * device_line_seconds(machine, problem->profile, window);
  } else {
    const double again = bytes_brought_again(machine, problem, part) / machine->bandwidth[cache_level(machine, window)], line = line_seconds(machine, window, &terms->near);

    terms->near   = part->scattered * terms->near + again;
    terms->gather = part->scattered * line + again;
  }
  terms->chance = chance_of_stream(machine, set);
  terms->stream = terms->chance < 1 ? streamed / machine->bandwidth[3] : AutoCSRStreamSeconds(machine, streamed, set);
  terms->launch = part->entries >= machine->alone ? machine->launch : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double encode_launches(const AutoCSRCost *part)
{
  if (part->own_bytes <= 0) return 0;
  return !AutoCSRValueIsStored(part->axes.value) && part->axes.index == AUTOCSR_INDEX_CSR ? NAME_LAUNCHES : ENCODE_LAUNCHES;
}

PetscErrorCode AutoCSRCostEvaluate(AutoCSRChooser *chooser, const AutoCSRProblem *problem, const AutoCSRStrategy *strategy, const AutoCSRAxes *axes, AutoCSREvaluation *total)
{
  const AutoCSRMachine *machine = &chooser->figures->machine;
  double                wait    = 0; /* of the segments of a launch, the longest */
  PetscBool             alone   = PETSC_FALSE;
  AutoCSRCost           part[AUTOCSR_MAX_PARTS];
  PetscInt              n;

  PetscFunctionBegin;
  *total = (AutoCSREvaluation){0};
  PetscCall(strategy->cost(problem, axes, part, &n));
  for (PetscInt i = 0; i < n; i++) total->bytes += part[i].bytes;
  total->runs  = PETSC_TRUE;
  total->parts = n;
  for (PetscInt i = 0; i < n; i++) {
    const KnownFigure *figure = NULL;
    AutoCSRTerms       t;
    double             work;

    PetscCall(find_figure(chooser, &part[i].axes, part[i].named, &figure));
    if (!figure->runs) total->runs = PETSC_FALSE;
    if (!part[i].joins) {
      wait  = 0;
      alone = PETSC_FALSE;
    }
    PetscCall(AutoCSRCostTerms(chooser, problem, &part[i], total->bytes, &t));
    if (figure->cost.gather > 0) t.gather = (figure->cost.near > 0 ? figure->cost.near : 1) * t.near + figure->cost.gather * (t.gather - t.near);
    work = part[i].entries * figure->cost.entry + part[i].rows * figure->cost.row + part[i].irregular * figure->cost.irregular;
    if (machine->parallel) { /* one stream of work and of reads; gathers wait in it. The lane that has most to do may be among the last; what shares a launch is begun together */
      const double before = wait;

      wait = PetscMax(wait, figure->cost.start + part[i].longest * figure->cost.walk);
      work += t.chance * PetscMax(0, figure->cost.memory * t.stream - work);
      total->part[i] = overlap(machine, work, t.gather) + wait - before;
    } else
      total->part[i] = overlap(machine, work, figure->cost.memory * t.stream) + t.gather;
    if (!alone) {
      total->part[i] += t.launch;
      total->launches += t.launch;
    }
    alone = (PetscBool)(alone || t.launch > 0);
    total->seconds += total->part[i];
    total->own_bytes += part[i].own_bytes;
    total->build += 2 * part[i].build / machine->bandwidth[3] + encode_launches(&part[i]) * machine->product;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRCostUnseen(const AutoCSRFigures *figures, const AutoCSRMatrix *csr, const AutoCSRAxes *axes, double *seconds)
{
  const AutoCSRMachine *machine = &figures->machine;
  const AutoCSRSegment  segment = {.axes = *axes, .n_rows = csr->m, .nnz = csr->nnz};
  const double          bytes   = AutoCSRSegmentBytesMoved(&segment, csr->m, csr->n);
  AutoCSRExecutorCost   cost;
  PetscBool             runs;

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresFind(figures, axes, PETSC_FALSE, PETSC_MAX_INT, &cost, &runs));
  *seconds = machine->product + machine->launch + overlap(machine, csr->nnz * cost.entry + csr->m * cost.row, cost.memory * AutoCSRStreamSeconds(machine, bytes, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool AutoCSRRowsTellAll(const AutoCSRMachine *machine, const AutoCSRMatrix *csr, const AutoCSRSettings *s)
{
  if (!machine->parallel || (double)AutoCSRMatrixBytes(csr) > SHORT * machine->product * machine->bandwidth[2]) return PETSC_FALSE;
  return (PetscBool)(!strcmp(s->strategy, "auto") && s->rigor == MAT_AUTOCSR_RIGOR_ESTIMATE && s->objective == MAT_AUTOCSR_OBJECTIVE_TIME && s->index == MAT_AUTOCSR_INDEX_AUTO && s->value == MAT_AUTOCSR_VALUE_AUTO);
}

double AutoCSRCostLook(const AutoCSRMachine *machine, const AutoCSRMatrix *csr, const AutoCSRSettings *settings)
{
  const double bytes = (double)AutoCSRMatrixBytes(csr);

  if (AutoCSRRowsTellAll(machine, csr, settings)) return ROWS_LAUNCHES * machine->product;
  return machine->parallel ? LOOK_LAUNCHES * machine->product + LOOK_PASSES * bytes / machine->bandwidth[3] : LOOK_START + LOOK_ROW * csr->m + LOOK_ENTRY * csr->nnz;
}

AutoCSRProblem AutoCSRProblemOfChunks(const AutoCSRProblem *problem, PetscInt chunk_begin, PetscInt chunk_end)
{
  AutoCSRProblem part = *problem;

  AutoCSRProblemSetChunks(&part, chunk_begin, chunk_end);
  return part;
}

double AutoCSRCostScore(const AutoCSRProblem *problem, const AutoCSREvaluation *e)
{
  const double csr_bytes = problem->range.rows * (double)sizeof(PetscInt) + problem->range.nnz * (sizeof(PetscInt) + sizeof(PetscScalar));

  if (!e->runs) return PETSC_MAX_REAL;
  if (problem->settings->objective == MAT_AUTOCSR_OBJECTIVE_MEMORY && e->own_bytes > MEMORY_SHARE * csr_bytes) return PETSC_MAX_REAL;
  return e->seconds * (1 + COPY_PRICE * e->own_bytes / csr_bytes) + e->build / AUTOCSR_AMORTIZE;
}
