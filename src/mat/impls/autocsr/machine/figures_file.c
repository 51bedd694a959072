/*
  The file in which the figures of a machine are kept. One process measures them, with a lock on the folder; all that start later use what they read, so that a choice is the same in
  every process and every run.
*/
#include "figures.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT "petscautocsr figures " AUTOCSR_FIGURES_VERSION

PetscErrorCode AutoCSRKeptScalar(size_t len, char name[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, len, "%s%d-int%d", PetscDefined(USE_COMPLEX) ? "complex" : "real", (int)(8 * sizeof(PetscReal)), (int)(8 * sizeof(PetscInt))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRKeptFolder(size_t len, char folder[])
{
  const char *home = getenv("HOME"), *xdg = getenv("XDG_CACHE_HOME");

  PetscFunctionBegin;
  folder[0] = 0;
  if (xdg && *xdg)
    PetscCall(PetscSNPrintf(folder, len, "%s", xdg));
  else if (home && *home)
    PetscCall(PetscSNPrintf(folder, len, "%s/.cache", home));
  else
    PetscFunctionReturn(PETSC_SUCCESS);
  (void)mkdir(folder, 0755);
  PetscCall(AutoCSRAppend(folder, "/petscautocsr", len));
  (void)mkdir(folder, 0755);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRKeptPath(const char simd[], unsigned hash, size_t len, char path[])
{
  char folder[PETSC_MAX_PATH_LEN], scalar[32];

  PetscFunctionBegin;
  path[0] = 0;
  PetscCall(AutoCSRKeptFolder(sizeof(folder), folder));
  if (!folder[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRKeptScalar(sizeof(scalar), scalar));
  PetscCall(PetscSNPrintf(path, len, "%s/figures-" AUTOCSR_FIGURES_VERSION "-%s-%s-%08x", folder, simd, scalar, hash));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void print_figures(FILE *file, const char scalar[], const AutoCSRFigures *f)
{
  const AutoCSRMachine *m = &f->machine;

  fprintf(file, FORMAT "\nof %s\nname %s\n", scalar, m->name[0] ? m->name : "?");
  fprintf(file, "processor %s %d %d %s %.17g\n", f->vendor[0] ? f->vendor : "?", f->family, f->model, f->simd, f->clock);
  fprintf(file, "bandwidth %.17g %.17g %.17g %.17g\n", m->bandwidth[0], m->bandwidth[1], m->bandwidth[2], m->bandwidth[3]);
  fprintf(file, "cache %.17g %.17g %.17g\n", m->cache[0], m->cache[1], m->cache[2]);
  fprintf(file, "random_line %.17g %.17g %.17g %.17g\n", m->random_line[0], m->random_line[1], m->random_line[2], m->random_line[3]);
  fprintf(file, "strided %.17g\nproduct %.17g\nlaunch %.17g\nexecutors %d\n", m->strided, m->product, m->launch, (int)f->n_executors);
  for (PetscInt i = 0; i < f->n_executors; i++) {
    const AutoCSRExecutorCost *c = &f->executor[i].cost;

    fprintf(file, "%s %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", f->executor[i].name, c->entry, c->row, c->irregular, c->start, c->walk, c->memory, c->gather, c->near);
  }
  if (m->dense_heavy > 0) fprintf(file, "tiles %.17g %.17g\n", m->dense_heavy, m->dense_rows); /* last: files without it serve, too */
}

/* Where the file holds anything else, what is in f is not to be used. scalar: what it says that it is of */
static PetscBool scan_figures(FILE *file, char scalar[32], AutoCSRFigures *f)
{
  AutoCSRMachine *m = &f->machine;
  char            count[16], simd[32], *end;
  long            n;

  if (fscanf(file, FORMAT " of %31s name %127[^\n]", scalar, m->name) != 2) return PETSC_FALSE;
  if (fscanf(file, " processor %15s %d %d %31s %lf", f->vendor, &f->family, &f->model, simd, &f->clock) != 5) return PETSC_FALSE;
  if (fscanf(file, " bandwidth %lf %lf %lf %lf", &m->bandwidth[0], &m->bandwidth[1], &m->bandwidth[2], &m->bandwidth[3]) != 4) return PETSC_FALSE;
  if (fscanf(file, " cache %lf %lf %lf", &m->cache[0], &m->cache[1], &m->cache[2]) != 3) return PETSC_FALSE;
  if (fscanf(file, " random_line %lf %lf %lf %lf", &m->random_line[0], &m->random_line[1], &m->random_line[2], &m->random_line[3]) != 4) return PETSC_FALSE;
  if (fscanf(file, " strided %lf product %lf launch %lf executors %15s", &m->strided, &m->product, &m->launch, count) != 4) return PETSC_FALSE;
  n = strtol(count, &end, 10);
  if (*end || n < 0 || n > AUTOCSR_MAX_FIGURES) return PETSC_FALSE;
  for (long i = 0; i < n; i++) {
    AutoCSRExecutorCost *c = &f->executor[i].cost;

    if (fscanf(file, " %39s %lf %lf %lf %lf %lf %lf %lf %lf", f->executor[i].name, &c->entry, &c->row, &c->irregular, &c->start, &c->walk, &c->memory, &c->gather, &c->near) != 9) return PETSC_FALSE;
  }
  f->n_executors = (PetscInt)n;
  if (fscanf(file, " %15s", count) == 1 && (strcmp(count, "tiles") || fscanf(file, " %lf %lf", &m->dense_heavy, &m->dense_rows) != 2 || fscanf(file, " %1s", count) == 1)) return PETSC_FALSE;
  return AutoCSRFiguresAreSane(f);
}

locale_t AutoCSRKeptUseC(locale_t *before)
{
  const locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);

  *before = uselocale(c);
  return c;
}

void AutoCSRKeptUseBefore(locale_t c, locale_t before)
{
  uselocale(before);
  if (c) freelocale(c);
}

/* A FIFO is opened without waiting for a writer, and is refused */
FILE *AutoCSRKeptOpen(const char path[])
{
  const int   fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat is;
  FILE       *file = NULL;

  if (fd < 0) return NULL;
  if (!fstat(fd, &is) && S_ISREG(is.st_mode)) file = fdopen(fd, "r");
  if (!file) {
    close(fd);
    errno = EINVAL;
  }
  return file;
}

PetscErrorCode AutoCSRKeptRead(const char path[], AutoCSRFigures *figures, AutoCSRFileFound *found)
{
  FILE          *file = AutoCSRKeptOpen(path);
  char           scalar[32], own[32];
  locale_t       c, before;
  PetscBool      same;
  AutoCSRFigures read = *figures;

  PetscFunctionBegin;
  *found = file || errno != ENOENT ? AUTOCSR_FILE_OTHER : AUTOCSR_FILE_NONE;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  c      = AutoCSRKeptUseC(&before);
  *found = scan_figures(file, scalar, &read) ? AUTOCSR_FILE_READ : AUTOCSR_FILE_OTHER;
  AutoCSRKeptUseBefore(c, before);
  fclose(file);
  if (*found != AUTOCSR_FILE_READ) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRKeptScalar(sizeof(own), own));
  PetscCall(PetscStrcmp(scalar, own, &same));
  if (same)
    *figures = read;
  else
    *found = AUTOCSR_FILE_OTHER;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int AutoCSRKeptLock(const char path[])
{
  char folder[PETSC_MAX_PATH_LEN], *slash;
  int  fd;

  if (snprintf(folder, sizeof(folder), "%s", path) >= (int)sizeof(folder)) return -1;
  slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = 0;
  else
    strcpy(folder, ".");
  if ((fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) return -1;
  if (!flock(fd, LOCK_EX | LOCK_NB)) return fd;
  close(fd);
  return -1;
}

/* A file beside the one of that path, opened for writing; NULL: it cannot be */
FILE *AutoCSRKeptOpenTemporary(const char path[], char temporary[PETSC_MAX_PATH_LEN])
{
  FILE *file;
  int   fd;

  if (snprintf(temporary, PETSC_MAX_PATH_LEN, "%s.XXXXXX", path) >= PETSC_MAX_PATH_LEN || (fd = mkstemp(temporary)) < 0) return NULL;
  if ((file = fdopen(fd, "w"))) return file;
  close(fd);
  unlink(temporary);
  return NULL;
}

/* The figures in a file beside; *written: they are all there, which a full disk may not have room for */
static PetscErrorCode write_temporary(const char path[], const AutoCSRFigures *figures, char temporary[PETSC_MAX_PATH_LEN], PetscBool *written)
{
  FILE    *file = AutoCSRKeptOpenTemporary(path, temporary);
  char     scalar[32];
  locale_t c, before;

  PetscFunctionBegin;
  *written = PETSC_FALSE;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRKeptScalar(sizeof(scalar), scalar));
  c = AutoCSRKeptUseC(&before);
  print_figures(file, scalar, figures);
  AutoCSRKeptUseBefore(c, before);
  *written = (PetscBool)(!fflush(file) && !ferror(file) && !fchmod(fileno(file), 0644));
  if (fclose(file)) *written = PETSC_FALSE;
  if (!*written) unlink(temporary);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRKeptWrite(const char path[], const AutoCSRFigures *figures, PetscBool replace, PetscBool *written)
{
  char temporary[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(write_temporary(path, figures, temporary, written));
  if (!*written) PetscFunctionReturn(PETSC_SUCCESS);
  if (replace || (link(temporary, path) && errno != EEXIST)) *written = (PetscBool)!rename(temporary, path); /* not every file system has links; what is there has just been written by another process */
  unlink(temporary);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRKeptCanWrite(const char path[], const AutoCSRFigures *figures, PetscBool *can)
{
  char        temporary[PETSC_MAX_PATH_LEN];
  struct stat is;

  PetscFunctionBegin;
  *can = (PetscBool)(lstat(path, &is) ? errno == ENOENT : S_ISREG(is.st_mode) || S_ISLNK(is.st_mode));
  if (!*can) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(write_temporary(path, figures, temporary, can));
  if (*can) unlink(temporary);
  PetscFunctionReturn(PETSC_SUCCESS);
}
