/* The vendor's library is not emulated: there is no executor of it. Nothing is made ready by a thread */
#include "../../src/mat/impls/autocsr/cuda/runtime/launch.h"
#include "../../src/mat/impls/autocsr/cuda/runtime/preload.h"
#include "../../src/mat/impls/autocsr/cuda/device.h"

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

/* But for this loop */
PetscErrorCode AutoCSRVendorMultiplyDense(PetscInt n, PetscInt m, PetscInt columns, const PetscScalar Y[], PetscInt ldy, PetscBool by_rows, const PetscScalar X[], PetscInt ldx, PetscScalar C[])
{
  PetscScalar *all;

  PetscFunctionBegin;
  PetscCheck(ldx >= PetscMax(1, m) && ldy >= PetscMax(1, by_rows ? columns : n), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The vendor's library refuses leading dimensions %" PetscInt_FMT " and %" PetscInt_FMT, ldx, ldy);
  if (!C) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)m * (size_t)n, &all));
  for (PetscInt i = 0; i < m; i++) {
    for (PetscInt j = 0; j < n; j++) {
      PetscScalar sum = 0;

      for (PetscInt k = 0; k < columns; k++) sum += Y[by_rows ? k + (size_t)j * ldy : j + (size_t)k * ldy] * X[i + (size_t)k * ldx];
      all[j + (size_t)i * n] = sum;
    }
  }
  PetscCall(AutoCSRDeviceFromHost(C, all, (size_t)m * (size_t)n * sizeof(*C))); /* which the emulator sees */
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRVendorDestroy(void **vendor)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}
