/* Kernels that stand for those compiled at run time */
#ifndef EMULATOR_GENERATED_H
#define EMULATOR_GENERATED_H

#include "../../src/mat/impls/autocsr/cuda/generator/generator.h"

typedef struct {
  const char *agent; /* NULL ends a list */
  int         threads, in_flight, each, length;
  const void *kernel;
  size_t      shared;
} GeneratedKernel;

/* How often a kernel for rows of one length was taken */
extern PetscInt EmulatedOneLength;
/* Whether all kernels are refused, as if they did not compile, and why */
extern PetscBool         EmulatedRefuse;
extern const char *const EmulatedRefusal;

extern const GeneratedKernel *const Generated64, *const Generated512, *const GeneratedEqual;

#endif
