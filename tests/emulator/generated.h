/* Kernels that stand for those compiled at run time */
#ifndef EMULATOR_GENERATED_H
#define EMULATOR_GENERATED_H

#include "../../src/mat/impls/autocsr/cuda/generator/generator.h"

typedef struct {
  const char *agent; /* NULL ends a list */
  int         threads, in_flight, each, length;
  PetscBool   stretches; /* it has stretches of rows as constants, which EmulatedStretch() and EmulatedSlices() stand for */
  int         constants; /* what else: the following, or'ed */
  const void *kernel;
  size_t      shared;
} GeneratedKernel;

#define EMULATED_ROOT   1 /* a root of patterns: EmulatedEntry() and the like */
#define EMULATED_VALUES 2 /* with its values; the kernel is that without */
#define EMULATED_FULL   4 /* no row is empty */
#define EMULATED_ONE    8 /* the one value: EmulatedConstant() */
#define EMULATED_WIDTH  16 /* slices of width EMULATED_SLOTS */
#define EMULATED_SLOTS  2

/* How often a kernel for rows of one length was taken, one that knows stretches, and ones with each of these constants */
extern PetscInt EmulatedOneLength, EmulatedStretches, EmulatedConstants[2 * EMULATED_WIDTH];

/*
  A source that is compiled at run time has constants of its segment (generator/constants.c, generator/stretches.c). A kernel that was compiled ahead asks
  for them. It first says by EmulatedConstantsOf() which segment it runs on. EmulatedStretch(), EmulatedSlices() and EmulatedEntry() are argument k of the
  i-th F in AGENT_EACH_STRETCH, AGENT_EACH_SLICES and AGENT_EACH_ENTRY
*/
PETSC_EXTERN void        EmulatedConstantsOf(const AutoCSRDeviceSegment *);
PETSC_EXTERN int         EmulatedStretchCount(void), EmulatedSlicesCount(void), EmulatedEntryCount(void), EmulatedHasValues(void);
PETSC_EXTERN PetscInt    EmulatedStretch(int i, int k), EmulatedSlices(int i, int k), EmulatedEntry(int i, int k), EmulatedRoot(int k);
PETSC_EXTERN PetscScalar EmulatedEntryValue(int i), EmulatedConstant(void);
/* Whether all kernels are refused, as if they did not compile, and why */
extern PetscBool         EmulatedRefuse;
extern const char *const EmulatedRefusal;

extern const GeneratedKernel *const Generated64, *const Generated256, *const Generated512, *const GeneratedEqual, *const GeneratedStretches, *const GeneratedConstants;

#endif
