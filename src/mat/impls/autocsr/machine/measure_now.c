/* Measures a machine at once, as autocsr_tune asks for it */
#include "measure.h"
#include <unistd.h>

static PetscErrorCode tell(const AutoCSRMeasurement *c, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (c->stage == AUTOCSR_MEASURE_JOBS) {
    if (c->next % 50 == 0) PetscCall(PetscViewerASCIIPrintf(viewer, "pass %" PetscInt_FMT ": product %" PetscInt_FMT " of %" PetscInt_FMT "\n", c->pass + 1, c->next, c->n_jobs));
  } else
    PetscCall(PetscViewerASCIIPrintf(viewer, c->stage == AUTOCSR_MEASURE_MEMORY ? "memory\n" : c->stage == AUTOCSR_MEASURE_FIT ? "fit\n" : "adaptive tiles\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_measurement(AutoCSRMeasurement *c, PetscViewer viewer)
{
  AutoCSRMeasurementStage stage = AUTOCSR_MEASURE_DONE;
  PetscInt                next  = -1;

  PetscFunctionBegin;
  while (c->stage != AUTOCSR_MEASURE_DONE) {
    if (viewer && (c->stage != stage || (c->next != next && stage == AUTOCSR_MEASURE_JOBS))) PetscCall(tell(c, viewer));
    stage = c->stage;
    next  = c->next;
    PetscCall(AutoCSRMeasurementStep(c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f: figures fitted to products of another device: this one is so much faster */
static PetscErrorCode measure_device(AutoCSRFigures *f)
{
  AutoCSRMachine      *m       = &f->machine;
  const AutoCSRMachine shipped = *m;
  AutoCSRMemoryReading reading = {0};
  PetscBool            done    = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(reading.cache, m->cache, 3));
  while (!done) PetscCall((*f->backend->read_memory)(&reading, &done));
  PetscCheck(reading.bandwidth[0] > 0, PETSC_COMM_SELF, PETSC_ERR_MEM, "The device has too little memory left to measure it: end other programs there");
  for (int level = 0; level < 4; level++) {
    m->bandwidth[level]   = reading.bandwidth[level] * (f->bandwidth[level] > 0 ? shipped.bandwidth[level] / f->bandwidth[level] : 1);
    m->random_line[level] = reading.random_line[level] * (f->bandwidth[level] > 0 ? shipped.random_line[level] / f->random_line[level] : 1);
  }
  for (PetscInt i = 0; i < f->n_executors; i++) { /* reads from L1 go as fast as there are multiprocessors, and at their clock: so does work */
    AutoCSRExecutorCost *cost = &f->executor[i].cost;

    cost->entry *= shipped.bandwidth[0] / m->bandwidth[0];
    cost->row *= shipped.bandwidth[0] / m->bandwidth[0];
    cost->irregular *= shipped.bandwidth[0] / m->bandwidth[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adaptive tiles on a device */
static PetscErrorCode measure_tiles(AutoCSRFigures *f)
{
  AutoCSRTiles   tiles = {NULL};
  PetscErrorCode ierr;
  PetscBool      done = PETSC_FALSE;

  PetscFunctionBegin;
  ierr = AutoCSRTilesBegin(f, &tiles);
  while (!ierr && !done) ierr = AutoCSRTilesStep(&tiles, &f->machine, &done);
  PetscCall(AutoCSRTilesEnd(&tiles));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRFiguresMeasure(AutoCSRFigures *f, PetscViewer viewer)
{
  AutoCSRMeasurement *c = NULL;
  PetscErrorCode      ierr;

  PetscFunctionBegin;
  if (f->machine.parallel) {
    PetscCall(measure_device(f));
    if (viewer) PetscCall(PetscViewerASCIIPrintf(viewer, "adaptive tiles\n"));
    PetscCall(measure_tiles(f));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  ierr = AutoCSRMeasurementCreate(f, &c);
  if (!ierr) ierr = run_measurement(c, viewer);
  if (!ierr) *f = c->figures;
  PetscCall(AutoCSRMeasurementDestroy(&c));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRMeasureNow(const AutoCSRBackend *backend, const char file[], PetscViewer viewer)
{
  const char *const *simd                     = (*backend->instruction_sets)();
  char               path[PETSC_MAX_PATH_LEN] = "", partial[PETSC_MAX_PATH_LEN + 16];
  AutoCSRIdentity    id;
  AutoCSRFigures     figures, shipped;
  PetscBool          can, written;

  PetscFunctionBegin;
  while (simd[1]) simd++; /* the best */
  PetscCall((*backend->identify)(&id));
  if (backend->identify_speed) PetscCall((*backend->identify_speed)(&id));
  PetscCall(AutoCSRFiguresShipped(backend, *simd, NULL, &id, &shipped));
  PetscCall(AutoCSRFiguresShipped(backend, *simd, backend->parallel ? "h200" : NULL, &id, &figures));
  PetscCall(AutoCSRFiguresIdentify(&figures, &id));
  if (file && file[0])
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s%s%s", file, backend->parallel ? "." : "", backend->parallel ? backend->name : ""));
  else
    PetscCall(AutoCSRKeptPath(*simd, id.hash, sizeof(path), path));
  PetscCheck(path[0], PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "There is neither $XDG_CACHE_HOME nor $HOME to keep figures in: name a file");
  PetscCall(AutoCSRKeptCanWrite(path, &figures, &can));
  PetscCheck(can, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s cannot be written: it is no regular file, its folder is not there or not yours, or the disk is full; name another file", path);
  if (viewer) PetscCall(PetscViewerASCIIPrintf(viewer, "%s (%s)\n", id.name, *simd));
  PetscCall(AutoCSRFiguresMeasure(&figures, viewer));
  PetscCheck(AutoCSRFiguresArePlausible(&figures, &shipped), PETSC_COMM_SELF, PETSC_ERR_LIB, "The figures measured are implausible (%g bytes a second from memory), so %s is not written: measure again where nothing else runs, without debugger and emulator", figures.machine.bandwidth[3], path);
  PetscCall(AutoCSRKeptWrite(path, &figures, PETSC_TRUE, &written));
  PetscCheck(written, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s cannot be written", path);
  PetscCall(PetscSNPrintf(partial, sizeof(partial), "%s.partial", path));
  (void)unlink(partial); /* of programs that have begun to measure */
  if (viewer) PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
