#include "seqautocsr.h"

/* MatSetFromOptions() of both types */
PetscErrorCode AutoCSRSetFromOptions_Private(Mat A, const AutoCSRParent *parent, AutoCSROptionItems PetscOptionsObject)
{
  AutoCSRSettings settings;

  PetscFunctionBegin;
  if (AutoCSRParentTableOf(parent, A)->ops.setfromoptions) PetscCall((*AutoCSRParentTableOf(parent, A)->ops.setfromoptions)(A, PetscOptionsObject));
  PetscCall(AutoCSRContextGetSettings(A, &settings));
  PetscCall(AutoCSRSettingsSetFromOptions((PetscObject)A, &settings, PetscOptionsObject));
  PetscUseMethod(A, "MatAutoCSRSetSettings_C", (Mat, const AutoCSRSettings *), (A, &settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}
