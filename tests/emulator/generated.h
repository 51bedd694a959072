/* Kernels that stand for those compiled at run time */
#ifndef EMULATOR_GENERATED_H
#define EMULATOR_GENERATED_H

#include "../../src/mat/impls/autocsr/cuda/generator/generator.h"

typedef struct {
  const char *agent; /* NULL ends a list */
  int         threads, in_flight, each, length;
  PetscBool   stretches; /* it has stretches of rows as constants, which EmulatedStretch() and EmulatedSlices() stand for */
  const void *kernel;
  size_t      shared;
} GeneratedKernel;

/* How often a kernel for rows of one length was taken, and one that knows stretches */
extern PetscInt EmulatedOneLength, EmulatedStretches;

/*
  A source that is compiled at run time has the stretches of its segment as constants (generator/stretches.c). A kernel that was compiled ahead asks
  for them. It first says by EmulatedStretchesOf() which segment it runs on. EmulatedStretch() and EmulatedSlices() are argument k of the i-th F in
  AGENT_EACH_STRETCH and AGENT_EACH_SLICES
*/
PETSC_EXTERN void     EmulatedStretchesOf(const AutoCSRDeviceSegment *);
PETSC_EXTERN int      EmulatedStretchCount(void), EmulatedSlicesCount(void);
PETSC_EXTERN PetscInt EmulatedStretch(int i, int k), EmulatedSlices(int i, int k);
/* Whether all kernels are refused, as if they did not compile, and why */
extern PetscBool         EmulatedRefuse;
extern const char *const EmulatedRefusal;

extern const GeneratedKernel *const Generated64, *const Generated512, *const GeneratedEqual, *const GeneratedStretches;

#endif
