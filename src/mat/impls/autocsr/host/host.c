/*
  Finds the executor for a segment's axes among the tables of the instruction sets that this processor has.
*/
#include "dense.h"
#include "executors.h"

#define BLOCK_LANES 4 /* partial sums of a row where the axes do not say */

typedef struct {
  const char                    *name;
  const AutoCSRHostExecutor     *executors;
  const AutoCSRHostDenseKernels *dense;
} InstructionSet;

#if defined(__x86_64__)
static const InstructionSet InstructionSets[] = {
    {"x86-64", AutoCSRHostExecutors_x86_64, &AutoCSRHostDenseKernels_x86_64},
    {"avx2", AutoCSRHostExecutors_avx2, &AutoCSRHostDenseKernels_avx2},
    {"avx512", AutoCSRHostExecutors_avx512, &AutoCSRHostDenseKernels_avx512},
  #if defined(AUTOCSR_HOST_GATHER)
    {"avx512-gather", AutoCSRHostExecutors_avx512_gather, &AutoCSRHostDenseKernels_avx512},
  #endif
};
#else
static const InstructionSet InstructionSets[] = {
    {"baseline", AutoCSRHostExecutors_x86_64, &AutoCSRHostDenseKernels_x86_64},
};
#endif

/* Those that this processor has, the fastest and NULL last: found once in a process */
static const InstructionSet *const *Sets(void)
{
  static const InstructionSet *sets[PETSC_STATIC_ARRAY_LENGTH(InstructionSets) + 1];
  size_t                       count = 1;

  if (sets[0]) return sets;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    count = 2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) count = PETSC_STATIC_ARRAY_LENGTH(InstructionSets);
  }
#endif
  for (size_t i = count; i-- > 0;) sets[i] = &InstructionSets[i];
#if defined(AUTOCSR_HOST_GATHER)
  if (count == PETSC_STATIC_ARRAY_LENGTH(InstructionSets) && !AutoCSRHostGatherIsFast()) { /* the last two are the same instructions */
    sets[count - 1] = &InstructionSets[count - 2];
    sets[count - 2] = &InstructionSets[count - 1];
  }
#endif
  return sets;
}

const char *const *AutoCSRHostInstructionSets(void)
{
  static const char *names[PETSC_STATIC_ARRAY_LENGTH(InstructionSets) + 1];

  for (size_t i = 0; Sets()[i]; i++) names[i] = Sets()[i]->name;
  return names;
}

static PetscErrorCode Find(const char simd[], const InstructionSet **wanted)
{
  const InstructionSet *const *set;
  PetscBool                    automatic, same;

  PetscFunctionBegin;
  for (set = Sets(); *set; set++) {
    *wanted = *set;
    if (simd == (*set)->name) PetscFunctionReturn(PETSC_SUCCESS); /* as the figures and AutoCSRHostInstructionSets() name it */
  }
  *wanted = NULL;
  PetscCall(PetscStrcmp(simd, "auto", &automatic));
  for (set = Sets(); *set; set++) {
    PetscCall(PetscStrcmp(simd, (*set)->name, &same));
    if (same || automatic) *wanted = *set;
  }
  PetscCheck(*wanted, PETSC_COMM_SELF, PETSC_ERR_SUP, "This processor has no instruction set \"%s\"; its fastest is \"%s\", which auto takes", simd, set[-1]->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRHostFindDense(const char simd[], const AutoCSRHostDenseKernels **dense)
{
  const InstructionSet *wanted;

  PetscFunctionBegin;
  PetscCall(Find(simd, &wanted));
  *dense = wanted->dense;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const AutoCSRExecutor *AutoCSRHostExecutorOf(int id)
{
  for (const AutoCSRHostExecutor *e = AutoCSRHostExecutors_x86_64; e->executor.name; e++) {
    if (e->executor.id == id) return &e->executor;
  }
  return NULL;
}

PetscErrorCode AutoCSRHostFindExecutor(const AutoCSRAxes *axes, const char simd[], const AutoCSRExecutor **executor)
{
  const InstructionSet      *wanted;
  const AutoCSRHostExecutor *e;
  const PetscBool            in_order = (PetscBool)(AutoCSRMappingHasWork(axes->mapping) || axes->mapping == AUTOCSR_MAP_FETCH || axes->mapping == AUTOCSR_MAP_PRODUCTS); /* of rows: here these one after the other */
  const PetscBool            pattern = (PetscBool)(axes->order == AUTOCSR_ORDER_CSR && axes->index == AUTOCSR_INDEX_PATTERN), blocks = (PetscBool)(axes->block > 1);
  /* Patterns are walked alike whatever the mapping; more than 32 partial sums of a row gain nothing on a processor */
  const AutoCSRMapping mapping = in_order || pattern ? AUTOCSR_MAP_LANES : axes->mapping;
  const PetscInt       lanes   = in_order ? BLOCK_LANES : PetscMin(axes->lanes, 32);

  PetscFunctionBegin;
  *executor = NULL;
  PetscCall(Find(simd, &wanted));
  if (AutoCSRAxesBaseEntries(axes)) PetscFunctionReturn(PETSC_SUCCESS);                           /* rows that are walked one after the other have the bases of slices */
  if (axes->order == AUTOCSR_ORDER_SLICED && axes->lanes > 1) PetscFunctionReturn(PETSC_SUCCESS); /* one core has a vector for a slice's rows as it is */
  if (axes->mapping == AUTOCSR_MAP_TILE) {                                                        /* a lane each for the eight columns of a tile */
    const PetscInt height = axes->tile_height;

    if (axes->tile_width != 8 || axes->tile_steps < 1 || height < 1 || (height & (height - 1)) || 8 * height > AUTOCSR_HOST_MAX_TILE) PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (e = wanted->executors; e->executor.name; e++) {
    if ((e->order ^ axes->order) | (e->value ^ axes->value) | (e->mapping ^ mapping) | (e->blocks ^ blocks)) continue;
    if ((!e->blocks && e->index != axes->index) || (e->lanes && e->lanes != lanes)) continue;
    *executor = &e->executor;
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
