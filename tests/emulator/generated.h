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
  What a source would have as constants (generator/stretches.c), for kernels that are compiled ahead: of the segment that the kernel said
  it runs on, AGENT_EACH_STRETCH and AGENT_EACH_SLICES, i the number in the list and k the argument of F. The kernels call these functions
*/
PETSC_EXTERN void     EmulatedStretchesOf(const AutoCSRDeviceSegment *);
PETSC_EXTERN int      EmulatedStretchCount(void), EmulatedSlicesCount(void);
PETSC_EXTERN PetscInt EmulatedStretch(int i, int k), EmulatedSlices(int i, int k);
/* Whether all kernels are refused, as if they did not compile, and why */
extern PetscBool         EmulatedRefuse;
extern const char *const EmulatedRefusal;

extern const GeneratedKernel *const Generated64, *const Generated512, *const GeneratedEqual, *const GeneratedStretches;

#endif
