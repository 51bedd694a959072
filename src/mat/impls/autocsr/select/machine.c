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

#define VERSION "6" /* of the figures: other kernels or another cost model make old files useless */
#define FORMAT  "petscautocsr figures " VERSION

PetscErrorCode AutoCSRFigureName(const AutoCSRExecutor *executor, const AutoCSRAxes *axes, PetscInt values, size_t len, char name[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, len, "%s%s", executor->name, axes->value == AUTOCSR_VALUE_DICTIONARY && values <= AUTOCSR_FEW_VALUES ? "/few" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFiguresFind(const AutoCSRFigures *figures, const char simd[], const AutoCSRAxes *axes, PetscInt values, AutoCSRExecutorCost *cost, PetscBool *runs)
{
  const AutoCSRExecutor *executor;
  char                   name[sizeof(figures->executor[0].name)];

  PetscFunctionBegin;
  *cost = (AutoCSRExecutorCost){1e-9, 2e-9, 3e-8}; /* of an executor that has no figures yet: not fast */
  PetscCall(AutoCSRHostFindExecutor(axes, simd, &executor));
  *runs = (PetscBool)(executor != NULL);
  if (!executor) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRFigureName(executor, axes, values, sizeof(name), name));
  for (PetscInt i = 0; i < figures->n_executors; i++) {
    PetscBool same;

    PetscCall(PetscStrcmp(name, figures->executor[i].name, &same));
    if (same) *cost = figures->executor[i].cost;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For each row length the number of lanes that takes the least time; fewer lanes unless more gain */
static PetscErrorCode set_lanes(const char simd[], AutoCSRFigures *figures)
{
  PetscFunctionBegin;
  for (int bin = 0; bin < AUTOCSR_HISTOGRAM_BINS; bin++) {
    const double length = bin < 2 ? bin : 0.75 * (double)((size_t)1 << bin);
    double       best   = PETSC_MAX_REAL;

    figures->lanes[bin] = 1;
    for (PetscInt lanes = 1; lanes <= 256; lanes *= 2) {
      const AutoCSRAxes   axes = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_LANES, .reduction = lanes > 1 ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE, .lanes = lanes, .row_group = 1, .slice_height = AUTOCSR_HOST_SLICE_HEIGHT};
      AutoCSRExecutorCost cost;
      PetscBool           runs = PETSC_FALSE;

      PetscCall(AutoCSRFiguresFind(figures, simd, &axes, PETSC_MAX_INT, &cost, &runs));
      if (!runs || length * cost.entry + cost.row > 0.98 * best) continue;
      best                = length * cost.entry + cost.row;
      figures->lanes[bin] = lanes;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The processor in words, and a hash of what tells its model */
static void processor(char name[], size_t len, unsigned *hash)
{
  FILE *file = fopen("/proc/cpuinfo", "r");
  char  line[256];

  *hash = 2166136261u; /* FNV-1a */
  snprintf(name, len, "unknown processor");
  while (file && fgets(line, sizeof(line), file) && line[0] != '\n') {
    const char *value = strchr(line, ':');

    if (!value || (strncmp(line, "vendor_id", 9) && strncmp(line, "cpu family", 10) && strncmp(line, "model", 5) && strncmp(line, "stepping", 8) && strncmp(line, "cache size", 10))) continue;
    for (const char *c = line; *c; c++) *hash = (*hash ^ (unsigned char)*c) * 16777619u;
    if (!strncmp(line, "model name", 10)) snprintf(name, len, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
  }
  if (file) fclose(file);
}

/* Bytes of a cache of the first processor, one core's share; 0 if the system does not tell */
static double cache_bytes(int index)
{
  char  path[128], list[128] = "";
  long  kib   = 0, first, last;
  int   cores = 0, used;
  FILE *file;

  snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
  if (!(file = fopen(path, "r"))) return 0;
  if (fscanf(file, "%ldK", &kib) != 1) kib = 0;
  fclose(file);
  snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/shared_cpu_list", index);
  if ((file = fopen(path, "r"))) {
    if (!fgets(list, sizeof(list), file)) list[0] = 0;
    fclose(file);
  }
  for (const char *at = list; sscanf(at, "%ld%n", &first, &used) == 1;) { /* "0-7,64-71" */
    at += used;
    last = first;
    if (*at == '-' && sscanf(at + 1, "%ld%n", &last, &used) == 1) at += 1 + used;
    cores += (int)(last - first) + 1;
    if (*at++ != ',') break;
  }
  return 1024.0 * kib / PetscMax(cores, 1);
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
  fprintf(file, "strided %.17g\nlaunch %.17g\nexecutors %d\n", m->strided, m->launch, (int)f->n_executors);
  for (PetscInt i = 0; i < f->n_executors; i++) fprintf(file, "%s %.17g %.17g %.17g\n", f->executor[i].name, f->executor[i].cost.entry, f->executor[i].cost.row, f->executor[i].cost.irregular);
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
  *found = (PetscBool)(*found && fscanf(file, " strided %lf launch %lf executors %d", &m->strided, &m->launch, &n) == 3 && n <= AUTOCSR_MAX_EXECUTORS);
  for (int i = 0; i < n && *found; i++) *found = (PetscBool)(fscanf(file, " %39s %lf %lf %lf", f->executor[i].name, &f->executor[i].cost.entry, &f->executor[i].cost.row, &f->executor[i].cost.irregular) == 4);
  f->n_executors = n;
  m->measured    = PETSC_TRUE;
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A debugger, an emulator or an overloaded machine gives figures that had better not be kept */
static PetscBool plausible(const AutoCSRFigures *f)
{
  PetscBool ok = (PetscBool)(f->machine.bandwidth[3] > 5e8 && f->machine.launch < 1e-6);

  for (PetscInt i = 0; i < f->n_executors; i++) ok = (PetscBool)(ok && f->executor[i].cost.entry < 2e-8 && f->executor[i].cost.row < 1e-6);
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

static PetscErrorCode load_measured(const char simd[], AutoCSRFigures *figures)
{
  char      path[PETSC_MAX_PATH_LEN] = "";
  PetscBool given, none = PETSC_FALSE, found = PETSC_FALSE;
  unsigned  hash;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_autocsr_machine", path, sizeof(path), &given));
  if (given) PetscCall(PetscStrcmp(path, "none", &none));
  PetscCall(AutoCSRFiguresShipped(simd, figures));
  if (none) PetscFunctionReturn(PETSC_SUCCESS);
  processor(figures->machine.name, sizeof(figures->machine.name), &hash);
  if (!given) PetscCall(cache_path(simd, hash, path, sizeof(path)));
  if (path[0]) PetscCall(read_figures(path, figures, &found));
  if (!found && path[0] && access(path, F_OK)) {
    for (int level = 0; level < 3; level++) {
      const double bytes = cache_bytes(level ? level + 1 : 0); /* index0: L1 data, index1: L1 code, index2: L2, index3: L3 */

      if (bytes > 0) figures->machine.cache[level] = bytes;
    }
    PetscCall(AutoCSRFiguresMeasure(simd, figures));
    if (plausible(figures)) PetscCall(write_figures(path, figures));
    PetscCall(read_figures(path, figures, &found));
  }
  PetscCheck(found || !given, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-mat_autocsr_machine %s: the figures of the machine can be neither read nor written there; name a file in a folder that can be written, or none for the figures shipped", path);
  if (!found) PetscCall(AutoCSRFiguresShipped(simd, figures));
  PetscCall(PetscInfo(NULL, "Figures of this machine: %s\n", found ? path : "shipped"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Figures of one instruction set, read once in a process */
PetscErrorCode AutoCSRFiguresGet(const char simd[], const AutoCSRFigures **figures)
{
  static AutoCSRFigures kept[4]; /* one for each instruction set, with lanes once it is set */
  const char *const    *sets = AutoCSRHostInstructionSets();
  PetscInt              set = 0, best = 0;
  PetscBool             same;

  PetscFunctionBegin;
  for (best = 0; sets[best + 1]; best++) {
  }
  set = best;
  for (PetscInt i = 0; i <= best; i++) {
    PetscCall(PetscStrcmp(simd, sets[i], &same));
    if (same) set = i;
  }
  PetscCheck(set < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(kept), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Instruction set %" PetscInt_FMT, set);
  if (!kept[set].lanes[0]) {
    if (set == best)
      PetscCall(load_measured(sets[set], &kept[set]));
    else
      PetscCall(AutoCSRFiguresShipped(sets[set], &kept[set]));
    PetscCall(set_lanes(sets[set], &kept[set]));
  }
  *figures = &kept[set];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRMachineGet(const AutoCSRMachine **machine)
{
  const AutoCSRFigures *figures;

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresGet("auto", &figures));
  *machine = &figures->machine;
  PetscFunctionReturn(PETSC_SUCCESS);
}
