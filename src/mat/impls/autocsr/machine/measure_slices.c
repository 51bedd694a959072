/*
  Measures a processor while programs run, by rent or buy: products pay a fiftieth of their predicted time, and each slice waits until it is paid. The figures of the running process
  stay as they are; the file that is written in the end serves later ones. One process of a node measures: the one that gets the lock. Clocks decide here: no product depends on it.
*/
#include "measure.h"
#include <petsctime.h>
#include <unistd.h>

#define SHARE 0.02 /* of the products' predicted seconds, which measuring may take on top */
#define SLICE 3e-3 /* seconds of a slice; the step that is under way then is ended */

double AutoCSRMeasuringPaid = 0, AutoCSRMeasuringDue = PETSC_MAX_REAL;

static struct {
  AutoCSRFigures      basis, shipped; /* with the names and caches of this processor; as shipped, which measured figures are compared with */
  char                path[PETSC_MAX_PATH_LEN], partial[PETSC_MAX_PATH_LEN];
  PetscBool           named, begun;
  int                 lock;
  double              spent; /* seconds */
  AutoCSRMeasurement *measurement;
} Measuring;

static double next_due(void)
{
  return (Measuring.spent + SLICE) / SHARE;
}

/* Nothing else is done until the first slice is paid */
PetscErrorCode AutoCSRMeasuringBegin(const AutoCSRFigures *shipped, const AutoCSRIdentity *id, const char path[], PetscBool named)
{
  AutoCSRFigures *f = &Measuring.basis;
  char            full[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (PetscDefined(HAVE_THREADSAFETY)) PetscFunctionReturn(PETSC_SUCCESS); /* products of several threads would share one measurement */
  PetscCall(PetscGetFullPath(path, full, sizeof(full)));                   /* the program may change its folder before the file is written */
  path = full;
  if (strlen(path) + sizeof(".partial.XXXXXX") > sizeof(Measuring.partial)) PetscFunctionReturn(PETSC_SUCCESS);
  Measuring.shipped = Measuring.basis = *shipped;
  Measuring.named                     = named;
  Measuring.begun                     = PETSC_FALSE;
  Measuring.spent                     = 0;
  PetscCall(AutoCSRFiguresIdentify(f, id));
  PetscCall(PetscSNPrintf(Measuring.path, sizeof(Measuring.path), "%s", path));
  PetscCall(PetscSNPrintf(Measuring.partial, sizeof(Measuring.partial), "%s.partial", path));
  AutoCSRMeasuringPaid = 0;
  AutoCSRMeasuringDue  = next_due();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRMeasuringEnd(void)
{
  PetscFunctionBegin;
  AutoCSRMeasuringDue = PETSC_MAX_REAL;
  if (!Measuring.begun) PetscFunctionReturn(PETSC_SUCCESS);
  Measuring.begun = PETSC_FALSE;
  if (Measuring.measurement && Measuring.measurement->stage != AUTOCSR_MEASURE_DONE) PetscCall(AutoCSRPartialWrite(Measuring.partial, Measuring.measurement));
  PetscCall(AutoCSRMeasurementDestroy(&Measuring.measurement));
  if (Measuring.lock >= 0) close(Measuring.lock);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other processes may have written figures that serve */
static PetscErrorCode figures_are_there(PetscBool *there)
{
  AutoCSRFigures   read = Measuring.shipped;
  AutoCSRFileFound found;

  PetscFunctionBegin;
  PetscCall(AutoCSRKeptRead(Measuring.path, &read, &found));
  *there = (PetscBool)(found == AUTOCSR_FILE_READ && (Measuring.named || AutoCSRFiguresArePlausible(&read, &Measuring.shipped)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *goes_on: this process measures. Nobody waits for a lock */
static PetscErrorCode begin(PetscBool *goes_on)
{
  AutoCSRMeasurement *c;
  PetscErrorCode      ierr;
  PetscBool           can = PETSC_FALSE, there, resumed;

  PetscFunctionBegin;
  Measuring.begun = PETSC_TRUE;
  Measuring.lock  = AutoCSRKeptLock(Measuring.path);
  PetscCall(figures_are_there(&there));
  *goes_on = (PetscBool)(Measuring.lock >= 0 && !there);
  if (*goes_on) PetscCall(AutoCSRKeptCanWrite(Measuring.path, &Measuring.basis, &can));
  if (*goes_on && !can) PetscCall(PetscInfo(NULL, "The machine is not measured: its figures cannot be kept in %s\n", Measuring.path));
  *goes_on = (PetscBool)(*goes_on && can);
  if (!*goes_on) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRegisterFinalize(AutoCSRMeasuringEnd));
  ierr = AutoCSRMeasurementCreate(&Measuring.basis, &c);
  if (!ierr) ierr = AutoCSRPartialRead(Measuring.partial, c, &resumed);
  if (ierr) PetscCall(AutoCSRMeasurementDestroy(&c)); /* what other runs have measured stays in the file */
  PetscCall(ierr);
  Measuring.measurement = c;
  PetscCall(PetscInfo(NULL, "The machine is measured in slices of some milliseconds, at most %g of the products' time, for %s%s\n", SHARE, Measuring.path, resumed ? "; it goes on where another run ended" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* autocsr_tune may have written figures meanwhile, which stay. A file whose figures cannot be used is replaced */
static PetscErrorCode finish(void)
{
  const AutoCSRFigures *f       = &Measuring.measurement->figures;
  PetscBool             written = PETSC_FALSE, there, plausible = AutoCSRFiguresArePlausible(f, &Measuring.shipped);

  PetscFunctionBegin;
  PetscCall(figures_are_there(&there));
  if (plausible && !there) PetscCall(AutoCSRKeptWrite(Measuring.path, f, PETSC_TRUE, &written));
  (void)unlink(Measuring.partial);
  PetscCall(PetscInfo(NULL, "The machine is measured, in %g s: its figures are %s %s\n", Measuring.spent, written ? "kept in" : there   ? "not needed: there are some in"
                                                                                                                            : plausible ? "not to be written to"
                                                                                                                                        : "implausible and not written to",
                      Measuring.path));
  PetscCall(AutoCSRMeasuringEnd());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode proceed(void)
{
  PetscLogDouble start, now;
  PetscBool      goes_on = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscTime(&start));
  if (!Measuring.begun) PetscCall(begin(&goes_on));
  if (!goes_on) {
    PetscCall(AutoCSRMeasuringEnd());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  do {
    PetscCall(AutoCSRMeasurementStep(Measuring.measurement));
    PetscCall(PetscTime(&now));
  } while (now - start < SLICE && Measuring.measurement->stage != AUTOCSR_MEASURE_DONE);
  Measuring.spent += now - start;
  AutoCSRMeasuringDue = next_due();
  if (Measuring.measurement->stage == AUTOCSR_MEASURE_DONE) PetscCall(finish());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error while measuring ends measuring, and not the product that has paid for it */
PetscErrorCode AutoCSRMeasuringProceed(void)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ierr = PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
  if (!ierr) {
    ierr = proceed();
    if (ierr) (void)AutoCSRMeasuringEnd();
    PetscCall(PetscPopErrorHandler());
  }
  AutoCSRMeasuringDue = ierr ? PETSC_MAX_REAL : AutoCSRMeasuringDue;
  if (ierr) PetscCall(PetscInfo(NULL, "The machine is not measured any further: error %d\n", (int)ierr));
  PetscFunctionReturn(PETSC_SUCCESS);
}
