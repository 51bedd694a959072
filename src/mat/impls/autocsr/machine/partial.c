/* The times that a process has measured so far, in a file from which the next process goes on (doc/design.md 6) */
#include "measure.h"
#include <unistd.h>

#define FORMAT "petscautocsr partial " AUTOCSR_FIGURES_VERSION

PetscErrorCode AutoCSRPartialWrite(const char path[], const AutoCSRMeasurement *c)
{
  const AutoCSRMachine *m = &c->figures.machine;
  char                  temporary[PETSC_MAX_PATH_LEN], scalar[32];
  FILE                 *file = AutoCSRKeptOpenTemporary(path, temporary);
  locale_t              c_locale, before;
  PetscBool             written;

  PetscFunctionBegin;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRKeptScalar(sizeof(scalar), scalar));
  c_locale = AutoCSRKeptUseC(&before);
  fprintf(file, FORMAT "\nof %s\nname %s\nstage %d pass %d next %d gained %.17g trials %d jobs %d\n", scalar, m->name, (int)PetscMin(c->stage, AUTOCSR_MEASURE_FIT), (int)c->pass, (int)c->next, c->gained, (int)c->n_trials, (int)c->n_jobs);
  fprintf(file, "memory");
  for (int level = 0; level < 4; level++) fprintf(file, " %.17g %.17g", m->bandwidth[level], m->random_line[level]);
  fprintf(file, " %.17g %.17g\nreading %d", m->cache[2], m->strided, c->stage == AUTOCSR_MEASURE_MEMORY ? c->reading.step : 0); /* the step under way is made again */
  for (int level = 0; level < 4; level++) fprintf(file, " %.17g %.17g", c->reading.bandwidth[level], c->reading.random_line[level]);
  fprintf(file, " %.17g\n", c->reading.cache[2]);
  for (PetscInt i = 0; i < c->n_trials; i++) {
    const double *s = c->trial[i].seconds;

    fprintf(file, "%s %.17g %.17g %.17g %.17g %.17g\n", c->trial[i].executor->name, s[0], s[1], s[2], s[3], s[4]);
  }
  fprintf(file, "tiles %d", (int)c->tiles.next);
  for (PetscInt i = 0; i < c->tiles.next; i++) fprintf(file, " %.17g", c->tiles.seconds[i]);
  fprintf(file, "\n");
  AutoCSRKeptUseBefore(c_locale, before);
  written = (PetscBool)(!fflush(file) && !ferror(file));
  if (fclose(file)) written = PETSC_FALSE;
  if (!written || rename(temporary, path)) unlink(temporary);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds, or none yet */
static PetscBool is_time(double seconds)
{
  return (PetscBool)((seconds > 0 && seconds < 1e3) || seconds == PETSC_MAX_REAL);
}

static PetscBool scan_partial(FILE *file, const char own[], AutoCSRMeasurement *c)
{
  AutoCSRMachine *m = &c->figures.machine;
  char            scalar[32], name[128];
  int             stage, pass, next, trials, jobs, step, tiles;
  double          gained, number[10], reading[9], seconds[AUTOCSR_TILES_TRIALS];

  if (fscanf(file, FORMAT " of %31s name %127[^\n] stage %d pass %d next %d gained %lf trials %d jobs %d memory", scalar, name, &stage, &pass, &next, &gained, &trials, &jobs) != 8) return PETSC_FALSE;
  if (strcmp(scalar, own) || strcmp(name, m->name) || trials != c->n_trials || jobs != c->n_jobs || stage < AUTOCSR_MEASURE_MEMORY || stage > AUTOCSR_MEASURE_FIT) return PETSC_FALSE;
  if (pass < 0 || pass > 100 || next < 0 || (stage == AUTOCSR_MEASURE_JOBS && next > jobs) || !(gained >= 0 && gained <= 1e4)) return PETSC_FALSE;
  for (int k = 0; k < 10; k++) {
    if (fscanf(file, " %lf", &number[k]) != 1 || !(number[k] >= 0)) return PETSC_FALSE;
  }
  if (fscanf(file, " reading %d", &step) != 1 || step < 0 || step > 6) return PETSC_FALSE;
  for (int k = 0; k < 9; k++) {
    if (fscanf(file, " %lf", &reading[k]) != 1 || !(reading[k] >= 0)) return PETSC_FALSE;
  }
  for (PetscInt i = 0; i < c->n_trials; i++) {
    double *s = c->trial[i].seconds;

    if (fscanf(file, " %127s %lf %lf %lf %lf %lf", name, &s[0], &s[1], &s[2], &s[3], &s[4]) != 6 || strcmp(name, c->trial[i].executor->name)) return PETSC_FALSE;
    for (int k = 0; k < AUTOCSR_TRIAL_PRODUCTS; k++) {
      if (!is_time(s[k])) return PETSC_FALSE;
    }
  }
  if (fscanf(file, " tiles %d", &tiles) != 1 || tiles < 0 || tiles > AUTOCSR_TILES_TRIALS) return PETSC_FALSE;
  for (int i = 0; i < tiles; i++) {
    if (fscanf(file, " %lf", &seconds[i]) != 1 || !is_time(seconds[i]) || seconds[i] == PETSC_MAX_REAL) return PETSC_FALSE; /* each was measured */
  }
  for (int level = 0; level < 4; level++) {
    m->bandwidth[level]   = number[2 * level];
    m->random_line[level] = number[2 * level + 1];

    c->reading.bandwidth[level]   = reading[2 * level];
    c->reading.random_line[level] = reading[2 * level + 1];
  }
  c->reading.step = step;
  for (int level = 0; level < 2; level++) c->reading.cache[level] = c->reported[level];
  c->reading.cache[2] = reading[8];
  m->cache[2]         = number[8];
  m->strided          = number[9];
  c->stage            = (AutoCSRMeasurementStage)stage;
  c->pass             = pass;
  c->next             = stage == AUTOCSR_MEASURE_JOBS ? next : 0;
  c->gained           = gained;
  c->tiles.next       = tiles;
  for (int i = 0; i < tiles; i++) c->tiles.seconds[i] = seconds[i];
  return PETSC_TRUE;
}

PetscErrorCode AutoCSRPartialRead(const char path[], AutoCSRMeasurement *c, PetscBool *found)
{
  FILE    *file = AutoCSRKeptOpen(path);
  char     scalar[32];
  locale_t c_locale, before;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  if (!file) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRKeptScalar(sizeof(scalar), scalar));
  c_locale = AutoCSRKeptUseC(&before);
  *found   = scan_partial(file, scalar, c);
  AutoCSRKeptUseBefore(c_locale, before);
  fclose(file);
  if (*found) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < c->n_trials; i++) {
    for (int k = 0; k < AUTOCSR_TRIAL_PRODUCTS; k++) c->trial[i].seconds[k] = PETSC_MAX_REAL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
