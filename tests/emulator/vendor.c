/* The vendor's library is not emulated: there is no executor of it. Nothing is made ready by a thread */
#include "../../src/mat/impls/autocsr/cuda/runtime/launch.h"
#include "../../src/mat/impls/autocsr/cuda/runtime/preload.h"

void AutoCSRDevicePreloadBegin(int device, PetscBool with_pool, const void *const more[])
{
  (void)device, (void)with_pool, (void)more;
}

void AutoCSRDevicePreloadTake(AutoCSRDevicePreloadStage last, AutoCSRDevicePreloaded *made)
{
  (void)last;
  *made = (AutoCSRDevicePreloaded){NULL};
}

void AutoCSRDevicePreloadEnd(void)
{
}

const AutoCSRExecutor *AutoCSRVendorExecutorOf(int id)
{
  return NULL;
}

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
