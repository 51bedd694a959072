/*
  Finds the executor for a segment's axes among the tables of the instruction sets that this processor has.
*/
#include "executors.h"

#define BLOCK_LANES 4 /* partial sums of a row where the axes do not say */

typedef struct {
  const char                *name;
  const AutoCSRHostExecutor *executors;
} InstructionSet;

#if defined(__x86_64__)
static const InstructionSet InstructionSets[] = {
    {"x86-64", AutoCSRHostExecutors_x86_64},
    {"avx2", AutoCSRHostExecutors_avx2},
    {"avx512", AutoCSRHostExecutors_avx512},
};
#else
static const InstructionSet InstructionSets[] = {
    {"baseline", AutoCSRHostExecutors_x86_64},
};
#endif

/* How many of them, each of which contains the one before, this processor has */
static size_t CountInstructionSets(void)
{
  size_t count = 1;

#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    count++;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) count++;
  }
#endif
  return count;
}

const char *const *AutoCSRHostInstructionSets(void)
{
  static const char *names[PETSC_STATIC_ARRAY_LENGTH(InstructionSets) + 1];

  for (size_t i = 0; i < CountInstructionSets(); i++) names[i] = InstructionSets[i].name;
  return names;
}

PetscErrorCode AutoCSRHostFindExecutor(const AutoCSRAxes *axes, const char simd[], const AutoCSRExecutor **executor)
{
  const size_t               count = CountInstructionSets();
  const AutoCSRHostExecutor *e;
  const PetscBool            blocks = (PetscBool)(AutoCSRMappingHasWork(axes->mapping) || axes->mapping == AUTOCSR_MAP_FETCH || axes->mapping == AUTOCSR_MAP_PRODUCTS); /* one after the other: the rows in their order */
  PetscBool                  same   = PETSC_FALSE;
  size_t                     set    = count - 1;

  PetscFunctionBegin;
  *executor = NULL;
  PetscCall(PetscStrcmp(simd, "auto", &same));
  for (size_t i = 0; i < count && !same; i++) {
    PetscCall(PetscStrcmp(simd, InstructionSets[i].name, &same));
    if (same) set = i;
  }
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_SUP, "This processor has no instruction set \"%s\"; it has auto and those up to \"%s\" (x86-64, avx2, avx512)", simd, InstructionSets[count - 1].name);
  if (axes->order == AUTOCSR_ORDER_SLICED && axes->lanes > 1) PetscFunctionReturn(PETSC_SUCCESS); /* one core has a vector for a slice's rows as it is */
  if (axes->mapping == AUTOCSR_MAP_TILE) {                                                        /* a lane each for the eight columns of a tile */
    const PetscInt height = axes->tile_height;

    if (axes->tile_width != 8 || axes->tile_steps < 1 || height < 1 || (height & (height - 1)) || 8 * height > AUTOCSR_HOST_MAX_TILE) PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (e = InstructionSets[set].executors; e->executor.name; e++) {
    /* More than 32 partial sums of a row gain nothing on a processor; patterns are walked alike whatever the mapping */
    const PetscBool lanes   = (PetscBool)(!e->lanes || e->lanes == (blocks ? BLOCK_LANES : PetscMin(axes->lanes, 32)));
    const PetscBool mapping = (PetscBool)(e->mapping == (blocks ? AUTOCSR_MAP_LANES : axes->mapping) || (axes->index == AUTOCSR_INDEX_PATTERN && axes->order == AUTOCSR_ORDER_CSR));

    if (e->blocks == (axes->block > 1) && e->order == axes->order && (e->blocks || e->index == axes->index) && e->value == axes->value && mapping && lanes) {
      *executor = &e->executor;
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
