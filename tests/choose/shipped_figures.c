static char help[] = "The machine's figures without measuring: those shipped of the nearest processor and device, scaled; files that cannot be used; measuring in slices that products pay for, that goes on where it ended.\n\n";

#include "../../src/mat/impls/autocsr/machine/measure.h"
#include "../../src/mat/impls/autocsr/choose/candidate.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Processors */

static PetscErrorCode CheckNearest(const char vendor[], int family, int model, const char simd[], const char wanted[])
{
  AutoCSRIdentity         id = {.family = family, .model = model};
  const AutoCSRProcessor *p;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(id.vendor, vendor, sizeof(id.vendor)));
  p = AutoCSRProcessorNearest(&id, simd);
  PetscCheck(!strcmp(p ? p->name : "none", wanted), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, family %d, model %d, %s: nearest is %s, not %s", vendor, family, model, simd, p ? p->name : "none", wanted);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Caches are those told, work goes by the clock, memory by the family; the processor itself has what was measured */
static PetscErrorCode CheckProcessorScale(void)
{
  AutoCSRIdentity  zen3 = {.vendor = "AuthenticAMD", .family = 25, .model = 1}, zen2 = {.vendor = "AuthenticAMD", .family = 23, .model = 0x31, .cache = {32768, 524288, 4 << 20}};
  AutoCSRProcessor known;
  AutoCSRFigures   own, named, other;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRFiguresShipped(&AutoCSRBackendHost, "avx2", "zen3", NULL, &named));
  PetscCall(AutoCSRFiguresShipped(&AutoCSRBackendHost, "avx2", NULL, &zen3, &own));
  PetscCheck(own.machine.bandwidth[3] == named.machine.bandwidth[3] && own.executor[2].cost.entry == named.executor[2].cost.entry, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A processor that was measured has other figures than were measured");
  PetscCall(AutoCSRFiguresShipped(&AutoCSRBackendHost, "avx2", NULL, &zen2, &other));
  PetscCheck(other.machine.cache[2] == 4 << 20 && other.machine.bandwidth[3] < own.machine.bandwidth[3] && other.executor[2].cost.entry == own.executor[2].cost.entry, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Zen 2: %g bytes a second of Zen 3's %g", other.machine.bandwidth[3], own.machine.bandwidth[3]);
  known       = *AutoCSRProcessorNearest(&zen3, "avx2");
  known.clock = 3e9;
  zen3.clock  = 4.5e9;
  other       = named;
  AutoCSRProcessorScale(&known, &zen3, &other);
  PetscCheck(PetscAbsReal((PetscReal)(1.5 * other.executor[2].cost.entry / named.executor[2].cost.entry - 1)) < 1e-6, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A clock 1.5 times as high: %g s for %g", other.executor[2].cost.entry, named.executor[2].cost.entry);
  for (int level = 0; level < 3; level++) PetscCheck(other.machine.bandwidth[level] >= other.machine.bandwidth[level + 1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "A cache is slower than the next level");
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Devices, by their data sheets */

static const struct {
  const char     *name;
  AutoCSRIdentity id;
  double          sheet; /* bytes a second of memory */
} Devices[] = {
    {"L40S", {.family = 8, .model = 9, .processors = 142, .clock = 2.52e9, .cache = {51200, 48 << 20, 96 << 20}, .bandwidth = 8.64e11}, 8.64e11},
    {"A100", {.family = 8, .model = 0, .processors = 108, .clock = 1.41e9, .cache = {83968, 20 << 20, 40 << 20}, .bandwidth = 2.039e12}, 2.039e12},
    {"H100", {.family = 9, .model = 0, .processors = 132, .clock = 1.98e9, .cache = {116736, 25 << 20, 50 << 20}, .bandwidth = 3.352e12}, 3.35e12},
    {"H200", {.family = 9, .model = 0, .processors = 132, .clock = 1.98e9, .cache = {116736, 30 << 20, 60 << 20}, .bandwidth = 4.814304e12}, 4.8e12},
    {"B200", {.family = 10, .model = 0, .processors = 148, .clock = 1.965e9, .cache = {116736, 63 << 20, 126 << 20}, .bandwidth = 8e12}, 8e12},
};

#define REACHED 0.92 /* of the sheet's bandwidth a copy on an H200 */

static const AutoCSRExecutor *OnlyExecutor(int id)
{
  static const AutoCSRExecutor lane = {.name = "csr/csr/csr/lanes1", .id = 3};

  return id == lane.id ? &lane : NULL;
}

static PetscErrorCode FindOnlyExecutor(const AutoCSRAxes *axes, const char simd[], const AutoCSRExecutor **executor)
{
  *executor = OnlyExecutor(3);
  return 0;
}

/* Seconds of a product by rows in place, predicted */
static double Predicted(const AutoCSRFigures *f, PetscInt rows, PetscInt nnz)
{
  const AutoCSRMatrix csr  = {.m = rows, .n = rows, .nnz = nnz, .backend = f->backend};
  const AutoCSRAxes   axes = {.mapping = AUTOCSR_MAP_LANES, .lanes = 1, .row_group = 1};
  double              seconds;

  return AutoCSRCostUnseen(f, &csr, &axes, &seconds) ? -1 : seconds;
}

static PetscErrorCode CheckDevices(void)
{
  AutoCSRBackend backend = AutoCSRBackendHost;
  double         before = PETSC_MAX_REAL, bandwidth = 0, h200 = 0;
  AutoCSRFigures f;

  PetscFunctionBeginUser;
  backend.parallel      = PETSC_TRUE;
  backend.executor      = OnlyExecutor;
  backend.find_executor = FindOnlyExecutor;
  PetscCall(AutoCSRFiguresShipped(&backend, "cuda", "h200", NULL, &f));
  h200 = Predicted(&f, 20000000, 200000000);
  for (size_t d = 0; d < PETSC_STATIC_ARRAY_LENGTH(Devices); d++) {
    const AutoCSRMachine *m = &f.machine;
    double                small, large, reached;

    PetscCall(AutoCSRFiguresShipped(&backend, "cuda", NULL, &Devices[d].id, &f));
    PetscCheck(AutoCSRFiguresAreSane(&f), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: no sane figures", Devices[d].name);
    reached = m->bandwidth[3] / (REACHED * Devices[d].sheet);
    PetscCheck(reached > 0.9 && reached < 1.1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %g bytes a second from memory, of the sheet's %g", Devices[d].name, m->bandwidth[3], Devices[d].sheet);
    PetscCheck(m->bandwidth[3] > bandwidth, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: its memory is no faster than that of the one before", Devices[d].name);
    for (int level = 0; level < 3; level++) {
      PetscCheck(m->bandwidth[level] >= m->bandwidth[level + 1] && m->random_line[level] <= m->random_line[level + 1] && m->cache[level] == Devices[d].id.cache[level], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: level %d", Devices[d].name, level);
    }
    small = Predicted(&f, 2000, 20000);
    large = Predicted(&f, 20000000, 200000000);
    PetscCheck(large > 0 && large < before && small > m->product && small < 10 * m->product, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: products of %g and %g s", Devices[d].name, small, large);
    PetscCheck(PetscAbsReal((PetscReal)(large / h200 * Devices[d].sheet / 4.8e12 - 1)) < 0.35, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: a large product takes %g of an H200's time, with %g of its bandwidth", Devices[d].name, large / h200, Devices[d].sheet / 4.8e12);
    if (d == 3) PetscCheck(large == h200, PETSC_COMM_SELF, PETSC_ERR_PLIB, "An H200 is scaled to itself: %g s for %g", large, h200);
    before    = large;
    bandwidth = m->bandwidth[3];
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Files */

static PetscErrorCode Write(const char path[], const AutoCSRFigures *f)
{
  PetscBool written;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRKeptWrite(path, f, PETSC_TRUE, &written));
  PetscCheck(written, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s is not written", path);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Numbers that another machine might have; and a FIFO, on which the reader does not wait */
static PetscErrorCode CheckImplausible(const char path[], const AutoCSRFigures *shipped)
{
  AutoCSRFigures   f = *shipped, read = *shipped;
  AutoCSRFileFound found;

  PetscFunctionBeginUser;
  PetscCheck(AutoCSRFiguresArePlausible(&f, shipped), PETSC_COMM_SELF, PETSC_ERR_PLIB, "What is shipped is implausible");
  f.executor[3].cost.entry = 0;
  PetscCheck(AutoCSRFiguresAreSane(&f) && !AutoCSRFiguresArePlausible(&f, shipped), PETSC_COMM_SELF, PETSC_ERR_PLIB, "An executor that takes no time is plausible");
  f = *shipped;
  f.machine.random_line[3] *= 1000;
  PetscCheck(AutoCSRFiguresAreSane(&f) && !AutoCSRFiguresArePlausible(&f, shipped), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A line that takes 7 us is plausible");
  f = *shipped;
  f.machine.bandwidth[3] *= 100;
  PetscCheck(AutoCSRFiguresAreSane(&f) && !AutoCSRFiguresArePlausible(&f, shipped), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Memory 100 times as fast is plausible");
  f                        = *shipped;
  f.machine.random_line[2] = 1e308;
  PetscCheck(!AutoCSRFiguresAreSane(&f), PETSC_COMM_SELF, PETSC_ERR_PLIB, "1e308 s are sane");
  PetscCheck(!mkfifo(path, 0600), PETSC_COMM_SELF, PETSC_ERR_SYS, "No FIFO can be made");
  PetscCall(AutoCSRKeptRead(path, &read, &found));
  PetscCheck(found == AUTOCSR_FILE_OTHER, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A FIFO is taken for a file of figures");
  unlink(path);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Measuring */

/* Measuring stops after some steps, is written to the file, and another process goes on from there */
static PetscErrorCode CheckResumed(const char partial[], const AutoCSRFigures *shipped)
{
  AutoCSRMeasurement *c, *next;
  PetscBool           found;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRMeasurementCreate(shipped, &c));
  PetscCheck(c->n_trials > 20 && c->n_jobs > 2 * c->n_trials, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " trials, %" PetscInt_FMT " products", c->n_trials, c->n_jobs);
  for (int level = 0; level < 4; level++) {
    c->figures.machine.bandwidth[level]   = shipped->machine.bandwidth[level];
    c->figures.machine.random_line[level] = shipped->machine.random_line[level];
  }
  while (c->next < 3) PetscCall(AutoCSRMeasurementStep(c));
  PetscCall(AutoCSRPartialWrite(partial, c));
  PetscCall(AutoCSRMeasurementCreate(shipped, &next));
  PetscCall(AutoCSRPartialRead(partial, next, &found));
  PetscCheck(found && next->stage == c->stage && next->next == 3 && next->gained == c->gained, PETSC_COMM_SELF, PETSC_ERR_PLIB, "What was measured is not gone on with");
  for (PetscInt i = 0; i < c->n_trials; i++) PetscCheck(!memcmp(c->trial[i].seconds, next->trial[i].seconds, sizeof(next->trial[i].seconds)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Trial %" PetscInt_FMT " has other times", i);
  while (next->next < 5) PetscCall(AutoCSRMeasurementStep(next));
  next->n_trials--; /* as of another version */
  PetscCall(AutoCSRPartialRead(partial, next, &found));
  PetscCheck(!found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Times of other trials are taken");
  next->n_trials++;
  for (PetscInt i = 0; i < next->n_trials; i++) { /* as if all were measured */
    for (int k = 0; k < AUTOCSR_TRIAL_PRODUCTS; k++) next->trial[i].seconds[k] = 1e-5 * (1 + k);
  }
  next->figures.machine = shipped->machine;
  next->stage           = AUTOCSR_MEASURE_FIT;
  next->next            = 0;
  while (next->tiles.next < 2) PetscCall(AutoCSRMeasurementStep(next)); /* the last stage: those who come after do not begin it anew */
  PetscCall(AutoCSRPartialWrite(partial, next));
  PetscCall(AutoCSRMeasurementDestroy(&c));
  PetscCall(AutoCSRMeasurementCreate(shipped, &c));
  PetscCall(AutoCSRPartialRead(partial, c, &found));
  while (found && c->stage != AUTOCSR_MEASURE_TILES) PetscCall(AutoCSRMeasurementStep(c));
  PetscCheck(found && c->tiles.next == 2 && !memcmp(c->tiles.seconds, next->tiles.seconds, 2 * sizeof(c->tiles.seconds[0])), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Measuring adaptive tiles begins anew");
  while (next->stage != AUTOCSR_MEASURE_DONE) PetscCall(AutoCSRMeasurementStep(next));
  PetscCheck(next->figures.n_executors == next->n_trials && AutoCSRFiguresAreSane(&next->figures), PETSC_COMM_SELF, PETSC_ERR_PLIB, "No figures come of it");
  PetscCall(AutoCSRMeasurementDestroy(&c));
  PetscCall(AutoCSRMeasurementDestroy(&next));
  unlink(partial);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Pay(double seconds, PetscBool *sliced)
{
  PetscFunctionBeginUser;
  AutoCSRMeasuringPaid += seconds;
  *sliced = (PetscBool)(AutoCSRMeasuringPaid >= AutoCSRMeasuringDue);
  if (*sliced) PetscCall(AutoCSRMeasuringProceed());
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A number that grows with the steps that a partial file tells of */
static PetscErrorCode Done(const char partial[], int *done)
{
  FILE *file = fopen(partial, "r");
  char  line[256];
  int   stage = -1, pass = 0, next = 0;

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No file %s", partial);
  while (stage < 0 && fgets(line, sizeof(line), file)) (void)sscanf(line, "stage %d pass %d next %d", &stage, &pass, &next);
  fclose(file);
  PetscCheck(stage >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s tells no stage", partial);
  *done = 10000 * (10 * stage + pass) + next;
  PetscFunctionReturn((PetscErrorCode)0);
}

/* No slice is made before it is paid, while another process measures, or where no file can be kept; the next run goes on with the times of this one */
static PetscErrorCode CheckPaid(const char folder[], const char path[], const char partial[], const AutoCSRFigures *shipped)
{
  const int             held = open(folder, O_RDONLY | O_DIRECTORY);
  const AutoCSRIdentity id   = {.name = "a processor", .vendor = "AuthenticAMD"};
  PetscBool             sliced;
  int                   done = -1;

  PetscFunctionBeginUser;
  PetscCheck(AutoCSRMeasuringDue == PETSC_MAX_REAL, PETSC_COMM_SELF, PETSC_ERR_PLIB, "There is something to be measured");
  PetscCheck(!flock(held, LOCK_EX), PETSC_COMM_SELF, PETSC_ERR_SYS, "No lock");
  PetscCall(AutoCSRMeasuringBegin(shipped, &id, path, PETSC_TRUE));
  PetscCall(Pay(1e9, &sliced));
  PetscCheck(sliced && AutoCSRMeasuringDue == PETSC_MAX_REAL && access(partial, F_OK), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Two processes measure");
  PetscCheck(!flock(held, LOCK_UN) && !mkdir(path, 0700), PETSC_COMM_SELF, PETSC_ERR_SYS, "No folder can be made");
  PetscCall(AutoCSRMeasuringBegin(shipped, &id, path, PETSC_TRUE));
  PetscCall(Pay(1e9, &sliced));
  PetscCheck(sliced && AutoCSRMeasuringDue == PETSC_MAX_REAL && !rmdir(path), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Measured where nothing can be kept");
  for (int run = 0; run < 2; run++) {
    const int before = done;

    PetscCall(AutoCSRMeasuringBegin(shipped, &id, path, PETSC_TRUE));
    PetscCall(Pay(0.149, &sliced)); /* the first slice of 3 ms is 2 % of 0.15 s */
    PetscCheck(!sliced, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A slice before products have paid");
    PetscCall(Pay(0.002, &sliced));
    PetscCheck(sliced && AutoCSRMeasuringDue < PETSC_MAX_REAL, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No slice when products have paid");
    for (int slice = 0; slice < 50 && AutoCSRMeasuringDue < PETSC_MAX_REAL; slice++) PetscCall(Pay(AutoCSRMeasuringDue - AutoCSRMeasuringPaid, &sliced)); /* a slice may end before a step that has much to do on a busy machine */
    PetscCall(AutoCSRMeasuringEnd());
    PetscCheck(!access(partial, F_OK) && access(path, F_OK), PETSC_COMM_SELF, PETSC_ERR_PLIB, "What is measured so far is not kept");
    PetscCall(Done(partial, &done));
    PetscCheck(done > before, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Run %d ends after %d steps, the one before after %d", run, done, before);
  }
  unlink(partial);
  PetscCall(Write(path, shipped)); /* another process has measured */
  PetscCall(AutoCSRMeasuringBegin(shipped, &id, path, PETSC_TRUE));
  PetscCall(Pay(1e9, &sliced));
  PetscCheck(sliced && AutoCSRMeasuringDue == PETSC_MAX_REAL && access(partial, F_OK), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Measured again");
  unlink(path);
  close(held);
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  char           folder[] = "figuresXXXXXX", path[64], partial[64];
  AutoCSRFigures shipped;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CheckNearest("AuthenticAMD", 25, 0x01, "avx2", "zen3"));
  PetscCall(CheckNearest("AuthenticAMD", 25, 0x11, "avx512", "zen5"));
  PetscCall(CheckNearest("AuthenticAMD", 26, 0x02, "avx512", "zen5"));
  PetscCall(CheckNearest("AuthenticAMD", 99, 0x02, "avx512", "zen5"));
  PetscCall(CheckNearest("AuthenticAMD", 23, 0x31, "avx2", "zen3"));
  PetscCall(CheckNearest("GenuineIntel", 6, 0xcf, "avx512", "xeon"));
  PetscCall(CheckNearest("GenuineIntel", 6, 0x3f, "avx2", "xeon"));
  PetscCall(CheckNearest("", 0, 0, "avx2", "none"));
  PetscCall(CheckProcessorScale());
  PetscCall(CheckDevices());
  PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No folder can be made");
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/figures", folder));
  PetscCall(PetscSNPrintf(partial, sizeof(partial), "%s/figures.partial", folder));
  PetscCall(AutoCSRFiguresShipped(&AutoCSRBackendHost, "x86-64", "reference", NULL, &shipped));
  PetscCall(CheckImplausible(path, &shipped));
  PetscCall(CheckPaid(folder, path, partial, &shipped));
  PetscCall(CheckResumed(partial, &shipped));
  PetscCheck(!rmdir(folder), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Files are left in %s", folder);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Nobody waits for figures\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

TEST*/
