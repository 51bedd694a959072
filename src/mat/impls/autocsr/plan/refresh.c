/*
  New values in the structure that a plan was built for: only the value streams are written again. Values used in place
  cost nothing, except with value coding `constant`. There new values are compared even where rows are in place: one pass
  tells whether all are still alike.
*/
#include "plan.h"
#include "../layout/layout.h"
#include "../backend.h"

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
    const AutoCSRLayout *layout = AutoCSRLayoutOf(&plan->segment[i].axes);

    if (layout->fits && !(*layout->fits)(&plan->segment[i], AutoCSRPlanMatrixOf(plan, &plan->segment[i], csr))) {
      *fits = PETSC_FALSE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    AutoCSRSegment *seg = &plan->segment[i];

    if (AutoCSRValueDictionary(seg->axes.value)) PetscCall(PetscArraycpy((PetscScalar *)seg->stream[AUTOCSR_STREAM_DICTIONARY].data, dictionary.value, AutoCSRValueDictionary(seg->axes.value)));
    if (AutoCSRValueHasCodes(seg->axes.value)) PetscCall((*AutoCSRLayoutOf(&seg->axes)->refresh)(seg, AutoCSRPlanMatrixOf(plan, seg, csr), &dictionary));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Kernels that have the old values as constants give way to kernels that read values, once: none is compiled for each new set of values */
static PetscErrorCode ForgetValues(AutoCSRPlan *plan, const AutoCSRMatrix *csr, PetscBool *fits)
{
  PetscBool forgot = PETSC_FALSE;
  char      why[256];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < plan->n_segments; i++) {
    AutoCSRAxes *a = &plan->segment[i].axes;

    if (a->constants < 2 || (a->value != AUTOCSR_VALUE_CONSTANT && a->value != AUTOCSR_VALUE_PATTERN)) continue;
    a->constants = 1;
    forgot       = PETSC_TRUE;
  }
  if (!forgot || !plan->launch) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(NULL, "New values: kernels that had the old ones as constants are compiled once more, to read them\n"));
  PetscCall((*plan->backend->prepare)(plan, sizeof(why), why));
  if (why[0]) {
    PetscCall(PetscInfo(NULL, "The plan is made again: %s\n", why));
    *fits = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall((*plan->backend->unbind)(plan));
  PetscCall((*plan->backend->bind)(plan, csr));
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
  if (plan->division) PetscCall(AutoCSRDivisionRenew(plan->division, csr));
  PetscCall((*csr->backend->refresh)(plan, csr, most, use_float32, fits));
  if (*fits) PetscCall(ForgetValues(plan, csr, fits));
  PetscCall(AutoCSRDivisionTrim(plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}
