static char help[] = "The encoders as nvcc compiles them for kernels, called by the host: the bits that the C compiler's give.\n\n";

#include "device_encoders.h"
#include "../plans.h"

/* Every stream that the common text fills is filled again and compared */
static PetscErrorCode CheckSegment(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, const AutoCSRProfile *profile)
{
  const AutoCSRStreamKind kinds[] = {AUTOCSR_STREAM_FIT, AUTOCSR_STREAM_PATTERN_ROOT, AUTOCSR_STREAM_VALUE, AUTOCSR_STREAM_WORK, AUTOCSR_STREAM_BLOCK_PTR, AUTOCSR_STREAM_INDEX};
  const size_t            n       = PETSC_STATIC_ARRAY_LENGTH(kinds) - !(seg->axes.block > 1 || seg->axes.index == AUTOCSR_INDEX_FITTED); /* kernels have texts of their own for other columns */
  AutoCSRSegment          again   = *seg;
  AutoCSRDictionary       dictionary;

  PetscFunctionBeginUser;
  if (seg->axes.value == AUTOCSR_VALUE_DICTIONARY) PetscCall(AutoCSRDictionaryBuild(&dictionary, profile->values, profile->value));
  for (size_t i = 0; i < n; i++) {
    AutoCSRStream *stream = &again.stream[kinds[i]];

    if (!stream->data) continue;
    PetscCall(PetscMalloc(stream->bytes, &stream->data));
    PetscCall(PetscMemzero(stream->data, stream->bytes));
  }
  PetscCall(Encode_NVCC(&again, csr, &dictionary));
  for (size_t i = 0; i < n; i++) {
    AutoCSRStream *stream = &again.stream[kinds[i]];

    if (!stream->data) continue;
    PetscCheck(!memcmp(stream->data, seg->stream[kinds[i]].data, stream->bytes), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Stream %s has other bits", AutoCSRStreamNames[kinds[i]]);
    PetscCall(PetscFree(stream->data));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every stream of a plan's segments is made again */
static PetscErrorCode CheckPlan(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, const AutoCSRAxes *axes, Division division, PetscInt *plans)
{
  AutoCSRPlan *plan;

  PetscFunctionBeginUser;
  PetscCall(BuildPlan(csr, profile, csr, profile, axes, division, &plan));
  for (PetscInt s = 0; s < plan->n_segments; s++) PetscCall(CheckSegment(&plan->segment[s], csr, profile));
  PetscCall(AutoCSRPlanDestroy(&plan));
  (*plans)++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckMatrix(const Generator *g, PetscInt *plans)
{
  const PetscInt  heights[] = {1, 4, 32}, windows[] = {0, AUTOCSR_WINDOW};
  AutoCSRMatrix   csr;
  AutoCSRProfile *profile;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, &csr));
  PetscCall(AutoCSRProfileCreate(&csr, 32, &profile));
  for (int division = 0; division < DIVISION_COUNT; division++) {
    for (int code = 0; code < 2 * 5 * 5 * 3 * 2; code++) {
      AutoCSRAxes a = {.order = (AutoCSROrder)(code & 1), .index = (AutoCSRIndex)(code / 2 % 5), .value = (AutoCSRValue)(code / 10 % 5), .slice_height = heights[code / 50 % 3], .sort_window = windows[code / 150], .lanes = 1};
      PetscBool   legal;

      a.mapping = a.order == AUTOCSR_ORDER_SLICED ? AUTOCSR_MAP_SLICE : AUTOCSR_MAP_LANES;
      for (a.block = 1; a.block <= profile->block_size; a.block++) {
        PetscCall(IsLegal(&csr, profile, &a, (Division)division, &legal));
        if (legal) PetscCall(CheckPlan(&csr, profile, &a, (Division)division, plans));
      }
    }
  }
  for (int code = 0; code < 2 * 4 * 3; code++) { /* several lanes a row */
    AutoCSRAxes  a = {.block = 1, .order = AUTOCSR_ORDER_SLICED, .index = code & 1 ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32, .value = (AutoCSRValue)(code / 2 % 4), .mapping = AUTOCSR_MAP_SLICE, .lanes = 2 << code / 8, .slice_height = 16 >> code / 8, .sort_window = AUTOCSR_WINDOW};
    AutoCSRPlan *plan;
    PetscBool    legal;

    PetscCall(IsLegal(&csr, profile, &a, DIVISION_WHOLE, &legal));
    if (!legal) continue;
    PetscCall(BuildPlan(&csr, profile, &csr, profile, &a, DIVISION_WHOLE, &plan));
    PetscCall(CheckSegment(&plan->segment[0], &csr, profile));
    PetscCall(AutoCSRPlanDestroy(&plan));
    (*plans)++;
  }
  for (PetscInt b = 2; b <= profile->block_size; b++) {
    const AutoCSRAxes a = BlockedAxes(b);

    if (profile->block_size % b == 0) PetscCall(CheckPlan(&csr, profile, &a, DIVISION_WHOLE, plans));
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(in_place); i++) {
    PetscCall(CheckPlan(&csr, profile, &in_place[i], DIVISION_WHOLE, plans));
    PetscCall(CheckPlan(&csr, profile, &in_place[i], DIVISION_THIRDS, plans));
  }
  PetscCall(AutoCSRProfileDestroy(&profile));
  PetscCall(MatrixDestroy(&csr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt plans = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) PetscCall(CheckMatrix(&generators[i], &plans));
  PetscCheck(plans > 200, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " plans", plans);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The same bits\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  build:
    requires: defined(PETSC_HAVE_CUDA)

  test:

TEST*/
