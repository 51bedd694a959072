/*
  Plans that outlive their structure. Programs that step in time assemble the same structure anew, in the same matrix or in one that follows: it finds its plan here. The number of
  these plans and their bytes are bounded, and the oldest goes first; the objective `memory` keeps none.

  A new structure of equal sizes, settings and backend is compared by its fingerprint. If the two agree, the context takes over
  plan, profile, choice and progress, and refreshes the values. Debug builds check each such plan against the CSR.
*/
#include "choose.h"
#include "../backend.h"

typedef struct {
  AutoCSRPlanned        planned;
  AutoCSRSettings       settings;
  AutoCSRFingerprint    fingerprint;
  const AutoCSRFigures *figures; /* by which the plan was chosen, where processes have agreed on them */
  PetscBool             adds;
  PetscInt64            bytes;
} Kept;

static Kept      kept[AUTOCSR_KEPT]; /* the oldest first */
static PetscInt  n_kept;
static PetscBool registered, registered_device;

PetscErrorCode AutoCSRPlannedDestroy(AutoCSRPlanned *planned)
{
  PetscFunctionBegin;
  PetscCall(AutoCSRPlanDestroy(&planned->plan));
  PetscCall(AutoCSRChoiceDestroy(&planned->choice));
  PetscCall(AutoCSRProfileDestroy(&planned->profile));
  *planned = (AutoCSRPlanned){.progress = {.stage = AUTOCSR_STAGE_FINAL}};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void take_out(PetscInt k)
{
  n_kept--;
  for (; k < n_kept; k++) kept[k] = kept[k + 1];
}

#define SIZES 64 /* powers of two of nonzeros */

static AutoCSRLives lives[2][2][SIZES]; /* on the host or not; of an off-diagonal block or not */

static PetscErrorCode finalize(void)
{
  PetscFunctionBegin;
  while (n_kept) PetscCall(AutoCSRPlannedDestroy(&kept[--n_kept].planned));
  PetscCall(PetscMemzero(lives, sizeof(lives)));
  registered = registered_device = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode register_finalize(void)
{
  PetscFunctionBegin;
  if (!registered) PetscCall(PetscRegisterFinalize(finalize));
  registered = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRLivesOfSize(const AutoCSRMatrix *csr, AutoCSRLives **of_size)
{
  int size = 0;

  PetscFunctionBegin;
  PetscCall(register_finalize());
  while ((PetscInt64)csr->nnz >> size > 1) size++;
  *of_size = &lives[csr->backend == &AutoCSRBackendHost][csr->adds ? 1 : 0][size];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_bytes(const AutoCSRPlanned *planned, PetscInt64 *bytes)
{
  const AutoCSRProfile *p = planned->profile;
  double                moved;

  PetscFunctionBegin;
  *bytes = 0;
  if (planned->plan) PetscCall(AutoCSRPlanGetBytes(planned->plan, bytes, &moved));
  if (p) *bytes += (PetscInt64)sizeof(*p) + (p->pattern_id ? (PetscInt64)p->m * (PetscInt64)sizeof(*p->pattern_id) : 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPlannedKeep(AutoCSRPlanned *planned, const AutoCSRMatrix *csr, const AutoCSRSettings *settings, const AutoCSRFingerprint *fingerprint)
{
  PetscInt64 bytes, total;

  PetscFunctionBegin;
  PetscCall(get_bytes(planned, &bytes));
  if (PetscDefined(HAVE_THREADSAFETY) || !planned->plan || !fingerprint->known || settings->objective == MAT_AUTOCSR_OBJECTIVE_MEMORY || bytes > AUTOCSR_KEPT_BYTES) {
    PetscCall(AutoCSRPlannedDestroy(planned));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(register_finalize());
  if (planned->plan->backend != &AutoCSRBackendHost && !registered_device) { /* finalizers run from the last to the first, and that of PETSc's stream, which memory goes back on, may be later than ours */
    PetscCall(PetscRegisterFinalize(finalize));
    registered_device = PETSC_TRUE;
  }
  total = bytes;
  for (PetscInt k = 0; k < n_kept; k++) total += kept[k].bytes;
  while (n_kept == AUTOCSR_KEPT || (n_kept && total > AUTOCSR_KEPT_BYTES)) {
    total -= kept[0].bytes;
    PetscCall(AutoCSRPlannedDestroy(&kept[0].planned));
    take_out(0);
  }
  kept[n_kept++] = (Kept){*planned, *settings, *fingerprint, csr->figures, csr->adds, bytes};
  PetscCall(PetscMemzero(planned, sizeof(*planned)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The latest comes first */
PetscErrorCode AutoCSRPlannedFind(const AutoCSRMatrix *csr, const AutoCSRSettings *settings, AutoCSRFingerprint *fingerprint, AutoCSRPlanned *found)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(found, sizeof(*found)));
  for (PetscInt k = n_kept; k-- > 0;) {
    const AutoCSRPlan *plan = kept[k].planned.plan;

    if (plan->m != csr->m || plan->n != csr->n || plan->nnz != csr->nnz || plan->backend != csr->backend || kept[k].adds != csr->adds || kept[k].figures != csr->figures || !AutoCSRSettingsPlanAlike(&kept[k].settings, settings)) continue;
    if (!fingerprint->known) PetscCall((*csr->backend->fingerprint)(csr, fingerprint));
    if (!fingerprint->known) break; /* no memory */
    if (memcmp(fingerprint->at, kept[k].fingerprint.at, sizeof(fingerprint->at))) continue;
    *found = kept[k].planned;
    take_out(k);
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
