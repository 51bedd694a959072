/*
  Figures of the machine: measured once, written to a cache file, and from then on always read from there, by the process
  that measured as by all others, so that a choice is the same in every process and every run. Where no file can be
  written, the shipped figures serve.
*/
#include "figures.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION  "28" /* of the figures: other kernels or another cost model make old files useless */
#define MAX_KEPT 6    /* instruction sets in use */
#define FORMAT   "petscautocsr figures " VERSION

/* Kinds of one executor have figures of their own: blocks of each size, nodes of so many rows, long or short ones, rows by name (on a processor those of slices), few values of a processor's */
PetscErrorCode AutoCSRFigureName(const AutoCSRFigures *figures, const AutoCSRExecutor *executor, const AutoCSRAxes *axes, PetscBool named, PetscInt values, size_t len, char name[])
{
  const PetscBool by_name = (PetscBool)(named && axes->mapping == (figures->machine.parallel ? AUTOCSR_MAP_LANES : AUTOCSR_MAP_SLICE));
  const PetscBool few     = (PetscBool)(!figures->machine.parallel && axes->value == AUTOCSR_VALUE_DICTIONARY && values <= AUTOCSR_FEW_VALUES);

  PetscFunctionBegin;
  if (axes->block > 1)
    PetscCall(PetscSNPrintf(name, len, "%s/by%" PetscInt_FMT, executor->name, axes->block));
  else if (axes->mapping == AUTOCSR_MAP_NODES)
    PetscCall(PetscSNPrintf(name, len, "%s/by%" PetscInt_FMT "%s", executor->name, axes->lanes, axes->width ? "/short" : ""));
  else
    PetscCall(PetscSNPrintf(name, len, "%s%s%s", executor->name, few ? "/few" : "", by_name ? "/named" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFiguresFind(const AutoCSRFigures *figures, const AutoCSRAxes *axes, PetscBool named, PetscInt values, AutoCSRExecutorCost *cost, PetscBool *runs)
{
  const AutoCSRExecutor *executor;
  char                   name[sizeof(figures->executor[0].name)];

  PetscFunctionBegin;
  *cost = figures->unknown;
  PetscCall((*figures->backend->find_executor)(axes, figures->simd, &executor));
  *runs = (PetscBool)(executor != NULL);
  if (!executor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRFigureName(figures, executor, axes, named, values, sizeof(name), name));
  for (PetscInt i = 0; i < figures->n_executors; i++) {
    PetscBool same;

    PetscCall(PetscStrcmp(name, figures->executor[i].name, &same));
    if (same) *cost = figures->executor[i].cost;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For each row length the number of lanes that takes the least time; fewer lanes unless more gain */
static PetscErrorCode set_lanes(AutoCSRFigures *figures)
{
  PetscFunctionBegin;
  for (int bin = 0; bin < AUTOCSR_HISTOGRAM_BINS; bin++) {
    const double length = bin < 2 ? bin : 0.75 * (double)((size_t)1 << bin);
    double       best   = PETSC_MAX_REAL;

    figures->lanes[bin] = 1;
    for (PetscInt lanes = 1; lanes <= 256; lanes *= 2) {
      const AutoCSRAxes   axes = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_LANES, .reduction = lanes > 1 ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE, .lanes = lanes, .row_group = 1, .slice_height = figures->backend->slice_height};
      AutoCSRExecutorCost cost;
      PetscBool           runs = PETSC_FALSE;

      PetscCall(AutoCSRFiguresFind(figures, &axes, PETSC_TRUE, PETSC_MAX_INT, &cost, &runs));
      if (!runs || length * cost.entry + cost.row > 0.98 * best) continue;
      best                = length * cost.entry + cost.row;
      figures->lanes[bin] = lanes;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_figures(const char path[], const AutoCSRFigures *f)
{
  const AutoCSRMachine *m = &f->machine;
  char                  temporary[PETSC_MAX_PATH_LEN];
  PetscBool             written;
  FILE                 *file;
  int                   fd;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(temporary, sizeof(temporary), "%s.XXXXXX", path));
  if ((fd = mkstemp(temporary)) < 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (!(file = fdopen(fd, "w"))) {
    close(fd);
    unlink(temporary);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  fprintf(file, FORMAT "\nname %s\n", m->name);
  fprintf(file, "bandwidth %.17g %.17g %.17g %.17g\n", m->bandwidth[0], m->bandwidth[1], m->bandwidth[2], m->bandwidth[3]);
  fprintf(file, "cache %.17g %.17g %.17g\n", m->cache[0], m->cache[1], m->cache[2]);
  fprintf(file, "random_line %.17g %.17g %.17g %.17g\n", m->random_line[0], m->random_line[1], m->random_line[2], m->random_line[3]);
  fprintf(file, "strided %.17g\nproduct %.17g\nlaunch %.17g\nexecutors %d\n", m->strided, m->product, m->launch, (int)f->n_executors);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    const AutoCSRExecutorCost *c = &f->executor[i].cost;

    fprintf(file, "%s %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", f->executor[i].name, c->entry, c->row, c->irregular, c->start, c->walk, c->memory, c->gather, c->near);
  }
  written = (PetscBool)(!ferror(file) && !fchmod(fd, 0644));
  if (fclose(file)) written = PETSC_FALSE;
  if (written && link(temporary, path)) PetscCall(PetscInfo(NULL, "Another process wrote %s first: %s\n", path, strerror(errno)));
  unlink(temporary);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_figures(const char path[], AutoCSRFigures *f, PetscBool *found)
{
  AutoCSRMachine *m    = &f->machine;
  FILE           *file = fopen(path, "r");
  int             n    = 0;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  *found = (PetscBool)(fscanf(file, FORMAT " name %127[^\n]", m->name) == 1);
  *found = (PetscBool)(*found && fscanf(file, " bandwidth %lf %lf %lf %lf", &m->bandwidth[0], &m->bandwidth[1], &m->bandwidth[2], &m->bandwidth[3]) == 4);
  *found = (PetscBool)(*found && fscanf(file, " cache %lf %lf %lf", &m->cache[0], &m->cache[1], &m->cache[2]) == 3);
  *found = (PetscBool)(*found && fscanf(file, " random_line %lf %lf %lf %lf", &m->random_line[0], &m->random_line[1], &m->random_line[2], &m->random_line[3]) == 4);
  *found = (PetscBool)(*found && fscanf(file, " strided %lf product %lf launch %lf executors %d", &m->strided, &m->product, &m->launch, &n) == 4 && n <= AUTOCSR_MAX_EXECUTORS);
  for (int i = 0; i < n && *found; i++) {
    AutoCSRExecutorCost *c = &f->executor[i].cost;

    *found = (PetscBool)(fscanf(file, " %39s %lf %lf %lf %lf %lf %lf %lf %lf", f->executor[i].name, &c->entry, &c->row, &c->irregular, &c->start, &c->walk, &c->memory, &c->gather, &c->near) == 9);
  }
  f->n_executors = n;
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A debugger, an emulator or an overloaded machine gives figures that had better not be kept, and so does a device without the memory to measure it. A device's executors are those shipped, scaled by its L1 */
static PetscBool plausible(const AutoCSRFigures *f, const AutoCSRFigures *shipped)
{
  const AutoCSRMachine *m = &f->machine, *usual = &shipped->machine;
  PetscBool             ok = (PetscBool)(m->bandwidth[3] > usual->bandwidth[3] / (m->parallel ? 300 : 30) && m->product + m->launch < 100 * (usual->product + usual->launch));

  if (m->parallel) return (PetscBool)(ok && m->bandwidth[0] > usual->bandwidth[0] / 300);
  for (PetscInt i = 0; i < f->n_executors; i++) ok = (PetscBool)(ok && f->executor[i].cost.entry < 20 * f->unknown.entry && f->executor[i].cost.row < 500 * f->unknown.row);
  return ok;
}

/* Where the figures are kept; made if it is not there. Empty if there is no home */
static PetscErrorCode cache_path(const char simd[], unsigned hash, char path[], size_t len)
{
  const char *home = getenv("HOME"), *xdg = getenv("XDG_CACHE_HOME");
  char        folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  path[0] = 0;
  if (xdg && *xdg)
    PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s", xdg));
  else if (home && *home)
    PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s/.cache", home));
  else
    PetscFunctionReturn(PETSC_SUCCESS);
  (void)mkdir(folder, 0755);
  PetscCall(PetscStrlcat(folder, "/petscautocsr", sizeof(folder)));
  (void)mkdir(folder, 0755);
  PetscCall(PetscSNPrintf(path, len, "%s/figures-" VERSION "-%s-%s%d-int%d-%08x", folder, simd, PetscDefined(USE_COMPLEX) ? "complex" : "real", (int)(8 * sizeof(PetscReal)), (int)(8 * sizeof(PetscInt)), hash));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_measured(AutoCSRFigures *figures, const AutoCSRFigures *shipped)
{
  char      path[PETSC_MAX_PATH_LEN] = "";
  PetscBool given, none = PETSC_FALSE, found = PETSC_FALSE, known, kept = PETSC_TRUE;
  unsigned  hash;
  double    cache[3];

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_autocsr_machine", path, sizeof(path), &given));
  if (given) PetscCall(PetscStrcmp(path, "none", &none));
  figures->as_shipped = none;
  if (none) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*figures->backend->identify)(sizeof(figures->machine.name), figures->machine.name, &hash, cache));
  PetscCall(PetscStrcmp(figures->machine.name, shipped->machine.name, &known));
  if (known) { /* the very machine that they are of */
    PetscCall(PetscInfo(NULL, "Figures of this machine: shipped\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (given && figures->backend != &AutoCSRBackendHost) { /* the file named is the host's: another for each other backend beside it */
    PetscCall(PetscStrlcat(path, ".", sizeof(path)));
    PetscCall(PetscStrlcat(path, figures->backend->name, sizeof(path)));
  } else if (!given)
    PetscCall(cache_path(figures->simd, hash, path, sizeof(path)));
  if (path[0]) PetscCall(read_figures(path, figures, &found));
  if (!found && path[0] && access(path, F_OK)) {
    for (int level = 0; level < 3; level++) {
      if (cache[level] > 0) figures->machine.cache[level] = cache[level];
    }
    PetscCall(AutoCSRFiguresMeasure(figures));
    kept = plausible(figures, shipped);
    if (kept) PetscCall(write_figures(path, figures));
    PetscCall(read_figures(path, figures, &found));
  }
  PetscCheck(found || !given || !kept, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-mat_autocsr_machine %s: the figures of the machine can be neither read nor written there; name a file in a folder that can be written, or none for the figures shipped", path);
  if (!found) *figures = *shipped;
  PetscCall(PetscInfo(NULL, "Figures of this machine: %s; of %g KiB of the last cache that are reported %g are counted on\n", found ? path : "shipped", cache[2] / 1024, figures->machine.cache[2] / 1024));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Executors that are not measured keep the figures shipped */
static PetscErrorCode keep_shipped(AutoCSRFigures *figures, const AutoCSRFigures *shipped)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < shipped->n_executors; i++) {
    PetscBool known = PETSC_FALSE;

    for (PetscInt j = 0; j < figures->n_executors && !known; j++) PetscCall(PetscStrcmp(figures->executor[j].name, shipped->executor[i].name, &known));
    if (!known && figures->n_executors < AUTOCSR_MAX_EXECUTORS) figures->executor[figures->n_executors++] = shipped->executor[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Figures of one instruction set of a backend, read once in a process */
PetscErrorCode AutoCSRFiguresGet(const AutoCSRBackend *backend, const char simd[], const AutoCSRFigures **figures)
{
  static AutoCSRFigures kept[MAX_KEPT]; /* with lanes once they are set */
  const char *const    *set = (*backend->instruction_sets)(), *wanted = NULL, *best = NULL;
  AutoCSRFigures       *f = kept;

  PetscFunctionBegin;
  for (; *set; set++) {
    PetscBool same;

    PetscCall(PetscStrcmp(simd, *set, &same));
    best = *set;
    if (same) wanted = *set;
  }
  if (!wanted) wanted = best;
  while (f < kept + MAX_KEPT && f->backend && (f->backend != backend || f->simd != wanted)) f++;
  PetscCheck(f < kept + MAX_KEPT, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More instruction sets than %d", MAX_KEPT);
  if (!f->backend) {
    AutoCSRFigures shipped, next;

    PetscCall(AutoCSRFiguresShipped(backend, wanted, &shipped));
    next = shipped;
    if (wanted == best) PetscCall(load_measured(&next, &shipped));
    PetscCall(keep_shipped(&next, &shipped));
    PetscCall(set_lanes(&next));
    *f = next;
  }
  *figures = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRMachineGet(const AutoCSRBackend *backend, const AutoCSRMachine **machine)
{
  const AutoCSRFigures *figures;

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresGet(backend, "auto", &figures));
  *machine = &figures->machine;
  PetscFunctionReturn(PETSC_SUCCESS);
}
