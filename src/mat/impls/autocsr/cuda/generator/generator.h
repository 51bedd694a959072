/*
  Kernels that are compiled at run time (the generator of du2022-alphasparse): the agents' own text with the numbers that a graph
  sets, and with what is known of the matrix. NVRTC is opened when it is first needed; nothing is linked with it.

    source.c    axes -> the agent, its sizes, the ends of its source
    constants.c  what is known of a segment -> constants of the source
    stretches.c  the same of stretches of rows of one length
    compiler.c  source -> cubin
    cache.c     cubins in files, for later programs
    kernels.c   executors, and cubin -> kernel of the driver

  config/embed.awk puts the agents' headers into the library as strings; shim.h stands for PETSc's headers. source.c counts
  thread blocks and memory by the same functions as the agents (cuda/runtime/shapes.h), and the source asserts that both agree.
  find_executor makes an executor without compiling. `prepare` compiles, or finds the cubin in the cache, before the plan is
  bound. If it fails, choose/make.c builds `csr`, and the view has the reason.
*/
#ifndef AUTOCSR_GENERATOR_H
#define AUTOCSR_GENERATOR_H

#include "../runtime/launch.h"

/* The headers in which agents are, one after the other, without comments; NULL ends it. config/embed.awk makes it */
PETSC_INTERN const char *const AutoCSRAgentText[];

#define AUTOCSR_GENERATED_KERNEL "AutoCSRGenerated" /* the kernel's name */
#define AUTOCSR_GENERATED_CONSTANTS 6144            /* characters, at most, of constants, */
#define AUTOCSR_GENERATED_HEAD   6656               /* with them of what differs from source to source, before the agents' text */
#define AUTOCSR_GENERATED_TAIL   1024               /* and after it */

/* A kernel to be compiled: its agent and its launch */
typedef struct {
  char   agent[96]; /* its type */
  char   name[64];  /* of the executor */
  int    threads, residents; /* residents 0: the agent's own */
  size_t shared; /* bytes of shared memory, at least */
} AutoCSRGenerated;

/* source.c. *is: an agent has these axes; *why: what is wrong with them if none has */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorDescribe(const AutoCSRAxes *, AutoCSRGenerated *, PetscBool *is, const char **why);
PETSC_INTERN PetscInt       AutoCSRGeneratorBlocks(const AutoCSRSegment *);
PETSC_INTERN size_t         AutoCSRGeneratorScratchBytes(const AutoCSRSegment *);
PETSC_INTERN size_t         AutoCSRGeneratorSharedBytes(const AutoCSRSegment *);
/* Whether a kernel of nnz_block must look for empty rows */
static inline PetscBool AutoCSRGeneratorHasEmpty(const AutoCSRAxes *a)
{
  return (PetscBool)(!a->constants || a->shortest == 0);
}
/* Entries of each row where all rows of a segment have as many; 0: they differ, or the kernel has no use for it */
PETSC_INTERN PetscInt AutoCSRGeneratorLength(const AutoCSRSegment *);
/* stretches.c: defines the stretches of the segment (agent.cuh). "": it has none, or all rows have one length */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorStretches(const AutoCSRSegment *, char text[AUTOCSR_GENERATED_CONSTANTS]);
/* constants.c: defines all that the kernel of the segment has as constants (agent.cuh) */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorConstants(const AutoCSRSegment *, char text[AUTOCSR_GENERATED_CONSTANTS]);
/* Writes the source that goes before the agents' text, and after it. Two kernels with the same head and tail are the same */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorEnds(const AutoCSRAxes *, const char constants[], char head[AUTOCSR_GENERATED_HEAD], char tail[AUTOCSR_GENERATED_TAIL]);

/* compiler.c. *why: NULL, or why there is no compiler */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorIsThere(const char **why);
/* The compiler's version and options, on which a cubin depends beside its source. arch: 90 for sm_90 */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorCompiler(int arch, size_t len, char text[]);
/* head, the agents' text and tail as one source; the caller frees it with PetscFree() */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorSource(const char head[], const char tail[], char **source);
/* *cubin: freed by PetscFree(); NULL: it does not compile, and why[] says why */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorCompile(const char source[], int arch, void **cubin, size_t *bytes, size_t len, char why[]);

/*
  cache.c. A file for each key. What cannot be read, or is of another key, counts as not there; what cannot be written is not kept.
  The oldest files go where there are more than AUTOCSR_CACHE_FILES, or than AUTOCSR_CACHE_BYTES in them
*/
#define AUTOCSR_CACHE_FILES 256
#define AUTOCSR_CACHE_BYTES (16 << 20)

typedef struct {
  uint64_t hash[2];
} AutoCSRCacheKey;

PETSC_INTERN AutoCSRCacheKey AutoCSRCacheKeyOf(const char source[], const char rest[]);
PETSC_INTERN PetscErrorCode  AutoCSRCacheFind(const AutoCSRCacheKey *, void **cubin, size_t *bytes);
PETSC_INTERN PetscErrorCode  AutoCSRCacheKeep(const AutoCSRCacheKey *, const void *cubin, size_t bytes);

/* kernels.c. *executor: NULL if there is no compiler, or no agent has these axes */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorFind(const AutoCSRAxes *, const AutoCSRExecutor **executor);
/* Why there is none: see backend.h */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorWhyNone(const AutoCSRAxes *, const char **why);
/* The kernel for a segment, compiled now if it is not there yet. kernel->function NULL: it could not be made, and why[] says why */
PETSC_INTERN PetscErrorCode AutoCSRGeneratorKernel(const AutoCSRSegment *, AutoCSRDeviceKernel *kernel, size_t len, char why[]);

#endif
