/* The vendor's library is not emulated: there is no executor of it */
#include "../../src/mat/impls/autocsr/cuda/launch.h"

const AutoCSRDeviceExecutor *AutoCSRVendorFind(const AutoCSRAxes *axes)
{
  return NULL;
}

PetscErrorCode AutoCSRVendorCreate(const AutoCSRSegment *seg, const AutoCSRMatrix *csr, void **vendor)
{
  PetscFunctionBegin;
  *vendor = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRVendorMult(void *vendor, const AutoCSRDeviceOperands *op)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "There is no vendor's library");
}

PetscErrorCode AutoCSRVendorDestroy(void **vendor)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}
