/*
  New values in the structure that a plan was built for: only the value streams are written again. Values used in place
  cost nothing.
*/
#include "encode.h"
#include "../backend.h"

/* Where patterns tell the values: do they still? */
static PetscBool PatternValuesFit(const AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  const uint16_t *id  = (const uint16_t *)seg->stream[AUTOCSR_STREAM_PATTERN_ID].data;
  const PetscInt *row = (const PetscInt *)seg->stream[AUTOCSR_STREAM_PATTERN_ROW].data;

  if (seg->axes.value != AUTOCSR_VALUE_PATTERN) return PETSC_TRUE;
  for (PetscInt k = 0; k < seg->n_rows; k++) {
    if (!AutoCSRRowValuesEqual(csr, AutoCSRSegmentRow(seg, k), row[id[k]])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Where entries below the main diagonal are not stored: are they still those above it? */
static PetscBool SymmetryFits(const AutoCSRSegment *seg, const AutoCSRMatrix *csr)
{
  return (PetscBool)(seg->axes.order != AUTOCSR_ORDER_DIAGONAL || AutoCSRValuesAreSymmetric(csr));
}

PetscErrorCode AutoCSRPlanRefresh_Host(AutoCSRPlan *plan, const AutoCSRMatrix *csr, PetscInt most, PetscBool use_float32, PetscBool *fits)
{
  AutoCSRDictionary dictionary;

  PetscFunctionBegin;
  if (most < PETSC_MAX_INT || use_float32) { /* over the whole matrix, as the profile did: before anything is written */
    PetscBool float32_exact;

    PetscCall(AutoCSRValuesExamine(csr, &dictionary, &float32_exact));
    if (dictionary.n > most || (use_float32 && !float32_exact)) {
      *fits = PETSC_FALSE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    if (!PatternValuesFit(&plan->segment[i], csr) || !SymmetryFits(&plan->segment[i], csr)) {
      *fits = PETSC_FALSE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    AutoCSRSegment *seg = &plan->segment[i];

    if (seg->axes.value == AUTOCSR_VALUE_CSR) continue;
    if (seg->axes.value == AUTOCSR_VALUE_PATTERN) {
      for (PetscInt p = 0; p < seg->n_patterns; p++) AutoCSREncodePatternValue(seg, csr, p);
      for (PetscInt p = 0; p < seg->n_patterns; p++) AutoCSREncodePatternRoot(seg, p);
      continue;
    }
    if (AutoCSRValueDictionary(seg->axes.value)) PetscCall(PetscArraycpy((PetscScalar *)seg->stream[AUTOCSR_STREAM_DICTIONARY].data, dictionary.value, AutoCSRValueDictionary(seg->axes.value)));
    if (!AutoCSRValueIsStored(seg->axes.value)) continue;
    if (AutoCSROrderHasTiles(seg->axes.order)) {
      PetscCall(AutoCSRTilesEncodeValues_Host(seg, csr, &dictionary));
      continue;
    }
    AutoCSRSegmentEncodeRows_Host(seg, csr, &dictionary, PETSC_FALSE, PETSC_TRUE);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlanRefresh(AutoCSRPlan *plan, const AutoCSRMatrix *csr, PetscBool *fits)
{
  PetscBool use_float32 = PETSC_FALSE;
  PetscInt  most        = PETSC_MAX_INT;

  PetscFunctionBegin;
  PetscCheck(plan->m == csr->m && plan->n == csr->n && plan->nnz == csr->nnz, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The plan is of another structure");
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    const AutoCSRValue value = plan->segment[i].axes.value;

    if (AutoCSRValueDictionary(value)) most = PetscMin(most, AutoCSRValueDictionary(value));
    if (value == AUTOCSR_VALUE_FLOAT32) use_float32 = PETSC_TRUE;
  }
  *fits = PETSC_TRUE;
  PetscCall((*csr->backend->refresh)(plan, csr, most, use_float32, fits));
  PetscFunctionReturn(PETSC_SUCCESS);
}
