/*
  Figures of the machine: those kept in a file (figures_file.c), or, as long as there is none, those shipped of what is nearest to it. Nobody waits for measuring (measure_slices.c).
*/
#include "figures.h"
#include <unistd.h>

#define MAX_LOADED    6    /* instruction sets in use, of all backends */
#define MORE_LANES  0.98 /* twice as many lanes must take less than this share of the time of fewer, which serve shorter rows, too */
#define MEAN_OF_BIN 0.75 /* mean length of a bin's rows, as a share of the longest */

/* For each row length the number of lanes that takes the least time; fewer lanes unless more gain */
static PetscErrorCode set_lanes(AutoCSRFigures *figures)
{
  AutoCSRExecutorCost cost[9];
  PetscBool           runs[9];

  PetscFunctionBegin;
  for (PetscInt k = 0, lanes = 1; k < 9; k++, lanes *= 2) {
    const AutoCSRAxes axes = {.partition = AUTOCSR_PARTITION_ROWS, .order = AUTOCSR_ORDER_CSR, .index = AUTOCSR_INDEX_CSR, .value = AUTOCSR_VALUE_CSR, .mapping = AUTOCSR_MAP_LANES, .reduction = lanes > 1 ? AUTOCSR_REDUCE_TREE : AUTOCSR_REDUCE_NONE, .lanes = lanes, .row_group = 1, .slice_height = figures->backend->slice_height};

    PetscCall(AutoCSRFiguresFind(figures, &axes, PETSC_TRUE, PETSC_MAX_INT, &cost[k], &runs[k]));
  }
  for (int bin = 0; bin < AUTOCSR_HISTOGRAM_BINS; bin++) {
    const double length = bin < 2 ? bin : MEAN_OF_BIN * (double)((size_t)1 << bin);
    double       best   = PETSC_MAX_REAL;

    figures->lanes[bin] = 1;
    for (PetscInt k = 0, lanes = 1; k < 9; k++, lanes *= 2) {
      if (!runs[k] || length * cost[k].entry + cost[k].row > MORE_LANES * best) continue;
      best                = length * cost[k].entry + cost[k].row;
      figures->lanes[bin] = lanes;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFiguresIdentify(AutoCSRFigures *figures, const AutoCSRIdentity *id)
{
  PetscFunctionBegin;
  PetscCall(PetscStrncpy(figures->machine.name, id->name, sizeof(figures->machine.name)));
  PetscCall(PetscStrncpy(figures->vendor, id->vendor, sizeof(figures->vendor)));
  figures->family = id->family;
  figures->model  = id->model;
  figures->clock  = id->clock;
  for (int level = 0; level < 3; level++) {
    if (id->cache[level] > 0) figures->machine.cache[level] = id->cache[level];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file that is not there yet must have a folder that it can be written to: the user has named it */
static PetscErrorCode check_folder(const char path[])
{
  char folder[PETSC_MAX_PATH_LEN], *slash;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(folder, path, sizeof(folder)));
  slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = 0;
  else
    PetscCall(PetscStrncpy(folder, ".", sizeof(folder)));
  PetscCheck(!access(folder, W_OK | X_OK), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-mat_autocsr_machine %s: the figures of the machine can be neither read nor written there; name a file in a folder that can be written, or none for the figures shipped", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the file that the user names, which is taken at its word, or the one in the default place. If neither can be used the shipped figures stay, and a processor is measured once products have paid for it */
static PetscErrorCode load_kept(const AutoCSRIdentity *id, const char named[], const AutoCSRFigures *shipped, AutoCSRFigures *figures)
{
  const PetscBool  parallel = figures->backend->parallel, given = (PetscBool)(named[0] != 0);
  char             path[PETSC_MAX_PATH_LEN];
  AutoCSRFileFound found = AUTOCSR_FILE_NONE;

  PetscFunctionBegin;
  if (given) /* the file named is the host's: another for each other backend beside it */
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s%s%s", named, parallel ? "." : "", parallel ? figures->backend->name : ""));
  else
    PetscCall(AutoCSRKeptPath(figures->simd, id->hash, sizeof(path), path));
  if (path[0]) PetscCall(AutoCSRKeptRead(path, figures, &found));
  PetscCheck(!given || found != AUTOCSR_FILE_OTHER, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "-mat_autocsr_machine %s: the file holds no figures that this version, with its scalars and indices, can use; remove it, name another, or say none for the figures shipped", path);
  if (found == AUTOCSR_FILE_READ && !given && !AutoCSRFiguresArePlausible(figures, shipped)) {
    PetscCall(PetscInfo(NULL, "The figures in %s are implausible: they are not used\n", path));
    *figures = *shipped;
    found    = AUTOCSR_FILE_OTHER;
  } else if (found == AUTOCSR_FILE_OTHER)
    PetscCall(PetscInfo(NULL, "%s holds no figures that can be used\n", path));
  if (found != AUTOCSR_FILE_READ && path[0] && !parallel) {
    if (given) PetscCall(check_folder(path));
    PetscCall(AutoCSRMeasuringBegin(shipped, id, path, given));
  }
  PetscCall(PetscInfo(NULL, "Figures of this machine: %s; of %g KiB of the last cache that are reported %g are counted on\n", found == AUTOCSR_FILE_READ ? path : figures->machine.name, id->cache[2] / 1024, figures->machine.cache[2] / 1024));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SHIPPED "shipped:"

/* The figures of a backend's instruction set; only those of its best one are kept in files */
static PetscErrorCode load(const AutoCSRBackend *backend, const char simd[], PetscBool best, AutoCSRFigures *figures)
{
  char            named[PETSC_MAX_PATH_LEN] = "";
  PetscBool       given, none = PETSC_FALSE, as_shipped = PETSC_FALSE;
  AutoCSRIdentity id = {0};
  AutoCSRFigures  shipped;

  PetscFunctionBegin;
  /* -mat_autocsr_machine: [a file, `none`, `shipped:<name>`] where the machine's figures are kept (no prefix, read once; see
     below) */
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_autocsr_machine", named, sizeof(named), &given));
  PetscCheck(!given || named[0], PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-mat_autocsr_machine names nothing: say a file, or none for the figures shipped");
  if (given) PetscCall(PetscStrcmp(named, "none", &none));
  if (given) PetscCall(PetscStrbeginswith(named, SHIPPED, &as_shipped));
  if (as_shipped)
    PetscCall(AutoCSRFiguresCheckProcessor(named + strlen(SHIPPED)));
  else {
    PetscCall((*backend->identify)(&id));
    if (backend->identify_speed && strcmp(id.name, AUTOCSR_SHIPPED_DEVICE)) PetscCall((*backend->identify_speed)(&id));
  }
  PetscCall(AutoCSRFiguresShipped(backend, simd, as_shipped ? named + strlen(SHIPPED) : NULL, &id, &shipped));
  shipped.as_shipped = (PetscBool)(none || as_shipped);
  *figures           = shipped;
  if (best && !shipped.as_shipped) {
    if (!strcmp(id.name, shipped.machine.name)) /* the very device that they are of */
      PetscCall(PetscInfo(NULL, "Figures of this machine: shipped\n"));
    else
      PetscCall(load_kept(&id, named, &shipped, figures));
  }
  PetscCall(AutoCSRFiguresComplete(figures, &shipped));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Executors that are not measured keep the figures shipped */
PetscErrorCode AutoCSRFiguresComplete(AutoCSRFigures *figures, const AutoCSRFigures *shipped)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < shipped->n_executors; i++) {
    const PetscInt n = figures->n_executors;

    if (n < AUTOCSR_MAX_FIGURES && AutoCSRFigureByName(figures->executor, n, shipped->executor[i].name, i) == n) figures->executor[figures->n_executors++] = shipped->executor[i];
  }
  AutoCSRFiguresIndex(figures);
  PetscCall(set_lanes(figures));
  figures->digest = AutoCSRFiguresDigest(figures);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static AutoCSRFigures loaded[MAX_LOADED];
static PetscBool      loading; /* a finalizer is registered */

/* Another PetscInitialize() in the process may name another file */
static PetscErrorCode forget_loaded(void)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(loaded, sizeof(loaded)));
  AutoCSRMeasuringDue = PETSC_MAX_REAL;
  loading             = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Figures of one instruction set of a backend, read once between PetscInitialize() and PetscFinalize() */
PetscErrorCode AutoCSRFiguresGet(const AutoCSRBackend *backend, const char simd[], const AutoCSRFigures **figures)
{
  const char *const *set = (*backend->instruction_sets)(), *wanted = NULL, *best = NULL;
  AutoCSRFigures    *f = loaded;

  PetscFunctionBegin;
  for (; *set; set++) {
    PetscBool same;

    PetscCall(PetscStrcmp(simd, *set, &same));
    best = *set;
    if (same) wanted = *set;
  }
  if (!wanted) wanted = best;
  while (f < loaded + MAX_LOADED && f->backend && (f->backend != backend || f->simd != wanted)) f++;
  PetscCheck(f < loaded + MAX_LOADED, PETSC_COMM_SELF, PETSC_ERR_PLIB, "More instruction sets than %d", MAX_LOADED);
  if (!f->backend) {
    AutoCSRFigures next;

    if (!loading) PetscCall(PetscRegisterFinalize(forget_loaded));
    loading = PETSC_TRUE;
    PetscCall(load(backend, wanted, (PetscBool)(wanted == best), &next));
    *f = next;
  }
  *figures = f;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFiguresOf(const AutoCSRMatrix *csr, const char simd[], const AutoCSRFigures **figures)
{
  PetscFunctionBegin;
  *figures = csr->figures;
  if (!*figures) PetscCall(AutoCSRFiguresGet(csr->backend, simd, figures));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRMachineGet(const AutoCSRMatrix *csr, const AutoCSRMachine **machine)
{
  const AutoCSRFigures *figures;

  PetscFunctionBegin;
  PetscCall(AutoCSRFiguresOf(csr, "auto", &figures));
  *machine = &figures->machine;
  PetscFunctionReturn(PETSC_SUCCESS);
}
