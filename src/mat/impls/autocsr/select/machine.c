/*
  Figures of the machine: those kept in a file (kept.c), measured once, if there is none yet; where none can be written, those shipped.
*/
#include "figures.h"

#define MAX_KEPT 6 /* instruction sets in use */

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

/* A debugger, an emulator or an overloaded machine gives figures that had better not be kept, and so does a device without the memory to measure it. A device's executors are those shipped, scaled by its L1 */
static PetscBool plausible(const AutoCSRFigures *f, const AutoCSRFigures *shipped)
{
  const AutoCSRMachine *m = &f->machine, *usual = &shipped->machine;
  PetscBool             ok = (PetscBool)(m->bandwidth[3] > usual->bandwidth[3] / (m->parallel ? 300 : 30) && m->product + m->launch < 100 * (usual->product + usual->launch));

  if (m->parallel) return (PetscBool)(ok && m->bandwidth[0] > usual->bandwidth[0] / 300);
  for (PetscInt i = 0; i < f->n_executors; i++) ok = (PetscBool)(ok && f->executor[i].cost.entry < 20 * f->unknown.entry && f->executor[i].cost.row < 500 * f->unknown.row);
  return ok;
}

/* A file that the user names is taken at its word */
static PetscErrorCode read_kept(const char path[], PetscBool given, const AutoCSRFigures *shipped, AutoCSRFigures *figures, AutoCSRKeptFound *found)
{
  AutoCSRFigures next = *figures;

  PetscFunctionBegin;
  PetscCall(AutoCSRKeptRead(path, &next, found));
  if (*found == AUTOCSR_KEPT_READ && !given && !plausible(&next, shipped)) *found = AUTOCSR_KEPT_OTHER;
  if (*found == AUTOCSR_KEPT_READ) *figures = next;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the folder locked. *found: those of the file, which is written if it is not there, or of no use. *wanted: it could not be written */
static PetscErrorCode measure_and_keep(const char path[], PetscBool given, const double cache[3], const AutoCSRFigures *shipped, const AutoCSRKeptLock *lock, AutoCSRFigures *figures, PetscBool *found, PetscBool *wanted)
{
  AutoCSRKeptFound read;

  PetscFunctionBegin;
  PetscCall(read_kept(path, given, shipped, figures, &read)); /* another process may have written it, meanwhile */
  *found  = (PetscBool)(read == AUTOCSR_KEPT_READ);
  *wanted = (PetscBool)(!*found && !lock->writable);
  if (*found || *wanted || lock->waited) PetscFunctionReturn(PETSC_SUCCESS); /* who has waited in vain does not measure in turn: figures of a busy machine are not kept */
  if (read == AUTOCSR_KEPT_OTHER && !given) (void)remove(path);
  for (int level = 0; level < 3; level++) {
    if (cache[level] > 0) figures->machine.cache[level] = cache[level];
  }
  PetscCall(AutoCSRFiguresMeasure(figures));
  if (!plausible(figures, shipped)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRKeptWrite(path, figures));
  PetscCall(AutoCSRKeptRead(path, figures, &read));
  *found  = (PetscBool)(read == AUTOCSR_KEPT_READ);
  *wanted = (PetscBool) !*found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_measured(AutoCSRFigures *figures, const AutoCSRFigures *shipped)
{
  char             path[PETSC_MAX_PATH_LEN] = "";
  PetscBool        given, none = PETSC_FALSE, known, found;
  AutoCSRKeptFound read = AUTOCSR_KEPT_NONE;
  unsigned         hash;
  double           cache[3];

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_autocsr_machine", path, sizeof(path), &given));
  PetscCheck(!given || path[0], PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-mat_autocsr_machine names nothing: say a file, or none for the figures shipped");
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
    PetscCall(AutoCSRKeptPath(figures->simd, hash, sizeof(path), path));
  if (path[0]) PetscCall(read_kept(path, given, shipped, figures, &read));
  PetscCheck(!given || read != AUTOCSR_KEPT_OTHER, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "-mat_autocsr_machine %s: the file holds no figures that this version, with its scalars and indices, can use; remove it, name another, or say none for the figures shipped", path);
  found = (PetscBool)(read == AUTOCSR_KEPT_READ);
  if (path[0] && !found) {
    AutoCSRKeptLock lock;
    PetscErrorCode  ierr;
    PetscBool       wanted;

    PetscCall(AutoCSRKeptBegin(path, &lock));
    ierr = measure_and_keep(path, given, cache, shipped, &lock, figures, &found, &wanted);
    PetscCall(AutoCSRKeptEnd(&lock));
    PetscCall(ierr);
    if (lock.late) PetscCall(PetscInfo(NULL, "Another process has locked the folder of %s for longer than measuring takes\n", path));
    PetscCheck(!given || !wanted, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-mat_autocsr_machine %s: the figures of the machine can be neither read nor written there; name a file in a folder that can be written, or none for the figures shipped", path);
  }
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
