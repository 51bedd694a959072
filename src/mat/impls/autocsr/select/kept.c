/*
  The file in which the figures of a machine are kept. One process measures them, with a lock on the folder; it and all others, then and later, use what they read, so that a choice is the same in
  every process and every run. Nothing is measured where no file can be written, nor by who has waited for another to measure.
*/
#include "figures.h"
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION  "29" /* of the figures: other kernels or another cost model make old files useless */
#define FORMAT   "petscautocsr figures " VERSION
#define PATIENCE 600 /* tenths of a second in which another process is waited for: measuring takes some 40 */

/* What figures are of, whatever the machine */
static PetscErrorCode scalar_name(size_t len, char name[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, len, "%s%d-int%d", PetscDefined(USE_COMPLEX) ? "complex" : "real", (int)(8 * sizeof(PetscReal)), (int)(8 * sizeof(PetscInt))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Empty if there is no home; folders are made if they are not there */
PetscErrorCode AutoCSRKeptPath(const char simd[], unsigned hash, size_t len, char path[])
{
  const char *home = getenv("HOME"), *xdg = getenv("XDG_CACHE_HOME");
  char        folder[PETSC_MAX_PATH_LEN], scalar[32];

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
  PetscCall(scalar_name(sizeof(scalar), scalar));
  PetscCall(PetscSNPrintf(path, len, "%s/figures-" VERSION "-%s-%s-%08x", folder, simd, scalar, hash));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void print_figures(FILE *file, const char scalar[], const AutoCSRFigures *f)
{
  const AutoCSRMachine *m = &f->machine;

  fprintf(file, FORMAT "\nof %s\nname %s\n", scalar, m->name[0] ? m->name : "?");
  fprintf(file, "bandwidth %.17g %.17g %.17g %.17g\n", m->bandwidth[0], m->bandwidth[1], m->bandwidth[2], m->bandwidth[3]);
  fprintf(file, "cache %.17g %.17g %.17g\n", m->cache[0], m->cache[1], m->cache[2]);
  fprintf(file, "random_line %.17g %.17g %.17g %.17g\n", m->random_line[0], m->random_line[1], m->random_line[2], m->random_line[3]);
  fprintf(file, "strided %.17g\nproduct %.17g\nlaunch %.17g\nexecutors %d\n", m->strided, m->product, m->launch, (int)f->n_executors);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    const AutoCSRExecutorCost *c = &f->executor[i].cost;

    fprintf(file, "%s %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", f->executor[i].name, c->entry, c->row, c->irregular, c->start, c->walk, c->memory, c->gather, c->near);
  }
}

/* zero: a figure may be 0; by the others is divided */
static PetscBool all_within(PetscInt n, const double figure[], PetscBool zero)
{
  for (PetscInt i = 0; i < n; i++) {
    if (!isfinite(figure[i]) || figure[i] < 0 || (!zero && figure[i] == 0)) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Where the file holds anything else, what is in f is not to be used. scalar: what it says that it is of */
static PetscBool scan_figures(FILE *file, char scalar[32], AutoCSRFigures *f)
{
  AutoCSRMachine *m = &f->machine;
  int             n = -1;

  if (fscanf(file, FORMAT " of %31s name %127[^\n]", scalar, m->name) != 2) return PETSC_FALSE;
  if (fscanf(file, " bandwidth %lf %lf %lf %lf", &m->bandwidth[0], &m->bandwidth[1], &m->bandwidth[2], &m->bandwidth[3]) != 4) return PETSC_FALSE;
  if (fscanf(file, " cache %lf %lf %lf", &m->cache[0], &m->cache[1], &m->cache[2]) != 3) return PETSC_FALSE;
  if (fscanf(file, " random_line %lf %lf %lf %lf", &m->random_line[0], &m->random_line[1], &m->random_line[2], &m->random_line[3]) != 4) return PETSC_FALSE;
  if (fscanf(file, " strided %lf product %lf launch %lf executors %d", &m->strided, &m->product, &m->launch, &n) != 4 || n < 0 || n > AUTOCSR_MAX_EXECUTORS) return PETSC_FALSE;
  if (!all_within(4, m->bandwidth, PETSC_FALSE) || !all_within(3, m->cache, PETSC_FALSE) || !all_within(4, m->random_line, PETSC_TRUE)) return PETSC_FALSE;
  if (!all_within(3, (double[]){m->strided, m->product, m->launch}, PETSC_TRUE)) return PETSC_FALSE;
  for (int i = 0; i < n; i++) {
    AutoCSRExecutorCost *c = &f->executor[i].cost;

    if (fscanf(file, " %39s %lf %lf %lf %lf %lf %lf %lf %lf", f->executor[i].name, &c->entry, &c->row, &c->irregular, &c->start, &c->walk, &c->memory, &c->gather, &c->near) != 9) return PETSC_FALSE;
    if (!all_within(8, (double[]){c->entry, c->row, c->irregular, c->start, c->walk, c->memory, c->gather, c->near}, PETSC_TRUE)) return PETSC_FALSE;
  }
  f->n_executors = n;
  return PETSC_TRUE;
}

/* The numbers in the file are C's, whatever the program's locale has between digits */
static locale_t use_c(locale_t *before)
{
  const locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);

  *before = uselocale(c);
  return c;
}

static void use_before(locale_t c, locale_t before)
{
  uselocale(before);
  if (c) freelocale(c);
}

PetscErrorCode AutoCSRKeptRead(const char path[], AutoCSRFigures *figures, AutoCSRKeptFound *found)
{
  FILE          *file = fopen(path, "r");
  char           scalar[32], own[32];
  locale_t       c, before;
  PetscBool      same;
  AutoCSRFigures read = *figures;

  PetscFunctionBegin;
  *found = file || errno != ENOENT ? AUTOCSR_KEPT_OTHER : AUTOCSR_KEPT_NONE;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  c      = use_c(&before);
  *found = scan_figures(file, scalar, &read) ? AUTOCSR_KEPT_READ : AUTOCSR_KEPT_OTHER;
  use_before(c, before);
  fclose(file);
  if (*found != AUTOCSR_KEPT_READ) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(scalar_name(sizeof(own), own));
  PetscCall(PetscStrcmp(scalar, own, &same));
  if (same)
    *figures = read;
  else
    *found = AUTOCSR_KEPT_OTHER;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where locks do not work, of two processes the one that has written first is heard */
static void lock_folder(const char path[], AutoCSRKeptLock *lock)
{
  char folder[PETSC_MAX_PATH_LEN], *slash;

  if (snprintf(folder, sizeof(folder), "%s", path) >= (int)sizeof(folder)) return;
  slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = 0;
  else
    strcpy(folder, ".");
  if ((lock->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) return;
  for (int k = 0; flock(lock->folder, LOCK_EX | LOCK_NB) && (errno == EWOULDBLOCK || errno == EINTR); k++) {
    lock->waited = PETSC_TRUE;
    lock->late   = (PetscBool)(k == PATIENCE);
    if (lock->late) return;
    usleep(100000);
  }
}

/* A file beside the one of that path, opened for writing; NULL: it cannot be */
static FILE *open_temporary(const char path[], char temporary[PETSC_MAX_PATH_LEN])
{
  FILE *file;
  int   fd;

  if (snprintf(temporary, PETSC_MAX_PATH_LEN, "%s.XXXXXX", path) >= PETSC_MAX_PATH_LEN || (fd = mkstemp(temporary)) < 0) return NULL;
  if ((file = fdopen(fd, "w"))) return file;
  close(fd);
  unlink(temporary);
  return NULL;
}

PetscErrorCode AutoCSRKeptBegin(const char path[], AutoCSRKeptLock *lock)
{
  char  temporary[PETSC_MAX_PATH_LEN];
  FILE *file;

  PetscFunctionBegin;
  *lock = (AutoCSRKeptLock){.folder = -1};
  lock_folder(path, lock);
  file = open_temporary(path, temporary);
  if (file) {
    fclose(file);
    unlink(temporary);
  }
  lock->writable = (PetscBool)(file != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRKeptEnd(AutoCSRKeptLock *lock)
{
  PetscFunctionBegin;
  if (lock->folder >= 0) close(lock->folder);
  lock->folder = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRKeptWrite(const char path[], const AutoCSRFigures *figures)
{
  char      temporary[PETSC_MAX_PATH_LEN], scalar[32];
  FILE     *file = open_temporary(path, temporary);
  locale_t  c, before;
  PetscBool written;

  PetscFunctionBegin;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(scalar_name(sizeof(scalar), scalar));
  c = use_c(&before);
  print_figures(file, scalar, figures);
  use_before(c, before);
  written = (PetscBool)(!ferror(file) && !fchmod(fileno(file), 0644));
  if (fclose(file)) written = PETSC_FALSE;
  if (written && link(temporary, path) && errno != EEXIST) (void)rename(temporary, path); /* not every file system has links; what is there has just been written by another process */
  unlink(temporary);
  PetscFunctionReturn(PETSC_SUCCESS);
}
