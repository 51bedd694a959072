/* New values in a plan on the device; what does not fit is found before anything is written (plan/refresh.c) */
#include "encode.cuh"
#include "profile.cuh"

/* The values' dictionary on the device, if they fit the codings that are used and one of these has it */
static PetscErrorCode Examine(const AutoCSRMatrix *csr, PetscInt most, PetscBool use_float32, DeviceScratch *scratch, AutoCSRDictionary **dictionary, PetscBool *fits)
{
  DeviceScratch     temporary[2];
  DeviceValues     *device, values;
  char             *room;
  AutoCSRDictionary host;
  PetscScalar       value[AUTOCSR_MAX_DISTINCT];

  PetscFunctionBegin;
  PetscCall(temporary[0].Allocate(1, &device));
  PetscCall(temporary[1].Allocate(DeviceProfileValuesBytes(), &room));
  PetscCallCUDA(cudaMemsetAsync(device, 0, sizeof(*device), AUTOCSR_STREAM));
  PetscCall(DeviceProfileValues(csr, AUTOCSR_STREAM, room, device));
  PetscCall(AutoCSRDeviceToHost(&values, device, sizeof(values)));
  *fits = (PetscBool)(values.n <= most && !(use_float32 && values.inexact));
  if (!*fits || most == PETSC_MAX_INT) PetscFunctionReturn(PETSC_SUCCESS);
  memcpy((void *)value, values.value, sizeof(value));
  PetscCall(AutoCSRDictionaryBuild(&host, values.n, value));
  PetscCall(scratch->Allocate(1, dictionary));
  PetscCall(AutoCSRDeviceSend(*dictionary, &host, sizeof(host)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Where patterns tell the values: do they still? Those of the patterns are written at once if they do, by kernels that read the
  answer where it is: while the host waits for it, the device has no more to do
*/
static PetscErrorCode PatternValuesRefresh(AutoCSRPlan *plan, const AutoCSRMatrix *csr, PetscBool *fits)
{
  DeviceScratch scratch;
  int          *device = NULL, other;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    const AutoCSRSegment *seg = &plan->segment[i];

    if (seg->axes.value != AUTOCSR_VALUE_PATTERN) continue;
    if (!device) {
      PetscCall(scratch.Allocate(1, &device));
      PetscCallCUDA(cudaMemsetAsync(device, 0, sizeof(*device), AUTOCSR_STREAM));
    }
    PetscCall(DevicePatternValuesCompare(seg, AutoCSRPlanMatrixOf(plan, seg, csr), (const uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data, (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_ROW].data, NULL, device));
  }
  if (!device) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    if (plan->segment[i].axes.value == AUTOCSR_VALUE_PATTERN) PetscCall(DeviceEncodePatternValues(&plan->segment[i], AutoCSRPlanMatrixOf(plan, &plan->segment[i], csr), device));
  }
  PetscCall(AutoCSRDeviceToHost(&other, device, sizeof(other)));
  if (other) *fits = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceRefresh(AutoCSRPlan *plan, const AutoCSRMatrix *csr, PetscInt most, PetscBool use_float32, PetscBool *fits)
{
  DeviceScratch      scratch;
  AutoCSRDictionary *dictionary = NULL;

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  if (most < PETSC_MAX_INT || use_float32) PetscCall(Examine(csr, most, use_float32, &scratch, &dictionary, fits));
  if (*fits) PetscCall(PatternValuesRefresh(plan, csr, fits));
  for (PetscInt i = 0; i < plan->n_segments && *fits; i++) {
    AutoCSRSegment      *seg    = &plan->segment[i];
    const AutoCSRStream *stream = &seg->stream[AUTOCSR_STREAM_VALUE];

    if (AutoCSRValueDictionary(seg->axes.value)) PetscCallCUDA(cudaMemcpyAsync(seg->stream[AUTOCSR_STREAM_DICTIONARY].data, dictionary->value, seg->stream[AUTOCSR_STREAM_DICTIONARY].bytes, cudaMemcpyDeviceToDevice, AUTOCSR_STREAM));
    if (!AutoCSRValueIsStored(seg->axes.value)) continue;
    if (AutoCSROrderHasTiles(seg->axes.order))
      PetscCall(DeviceEncodeTileValues(seg, AutoCSRPlanMatrixOf(plan, seg, csr), dictionary));
    else
      PetscCall(DeviceEncodeValue(seg, AutoCSRPlanMatrixOf(plan, seg, csr), dictionary, (PetscInt)(stream->bytes / AutoCSRStreamElementSize(&seg->axes, AUTOCSR_STREAM_VALUE))));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
